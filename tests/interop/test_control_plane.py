#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A router and host as its users know it: what the kernel beside the switch receives, and the addresses that both have.
Four network namespaces: two stations (a, b) on veth pairs with MTU 9000, fastcn with net_pcap (sw), and the interfaces of
the kernel that stand for its ports (cp). Needs root; IS-IS needs FRR.

test_control_plane.py --fastcn PROGRAM [unittest options]
"""

import os
import select
import socket
import struct
import sys
import tempfile
import time
import unittest

import testbed
from test_kernel import FRR, Frr

MTU = 9000
SIDES = (("a", 1), ("b", 2))

CONFIG = """
set kernel namespace {cp}
set kernel table main
set host dad off
port add p1 mtu 9000 device net_pcap0
port add p2 mtu 9000 device net_pcap1
set port p1 kernel sw1
set port p2 kernel sw2
"""

ADDRESSES = """
address add p1 2001:db8:1::fe/64
address add p2 2001:db8:2::fe/64
address add p1 192.0.2.126/25
address add p2 192.0.2.254/25
"""

ISIS = """
hostname {where}
interface {interface}
 ip router isis x
 ipv6 router isis x
 isis circuit-type level-2-only
 isis network point-to-point
 isis hello-interval 1
router isis x
 net 49.0001.0000.0000.000{number}.00
"""

# Destination, EtherType, and whether the kernel is to have the frame: by IEEE 802.1Q tables 8-1 to 8-3 and the standard
# of each protocol.
FRAMES = {
    "LLDP": ("0180c200000e", 0x88CC, True),
    "LLDP of customer bridges": ("0180c2000000", 0x88CC, True),
    "LACP": ("0180c2000002", 0x8809, True),
    "EAPOL": ("0180c2000003", 0x888E, True),
    "PTP": ("011b19000000", 0x88F7, True),
    "PTP peer delay": ("0180c200000e", 0x88F7, True),
    "IS-IS, length 1500": ("0180c2000014", 1500, True),
    "IS-IS, length 1504": ("0180c2000014", 1504, True),
    "IS-IS, 4000 octets": ("0180c2000015", 0x8870, True),
    "IS-IS of all systems": ("09002b000005", 0x8870, True),
    "LLDP to the group of LACP": ("0180c2000002", 0x88CC, False),
    "MAC control": ("0180c2000001", 0x8808, False),
    "a type of nobody": ("0180c200000e", 0x1234, False),
}


class ControlNet(testbed.Namespaces):
    def __init__(self):
        super().__init__("a", "b", "sw", "cp")

    def create(self):
        super().create()
        for side, n in SIDES:
            self.ip(side, "link", "add", "eth0", "type", "veth", "peer", "name", f"s{n}", "netns", self.name["sw"])
            self.run(side, "ethtool", "-K", "eth0", "tx", "off", "rx", "off", "gso", "off", "tso", "off", "gro", "off")
            self.sysctl("sw", f"net.ipv6.conf.s{n}.disable_ipv6=1")
            for where, device in ((side, "eth0"), ("sw", f"s{n}")):
                self.ip(where, "link", "set", device, "mtu", str(MTU), "up")
            self.ip(side, "link", "set", "lo", "up")
            self.ip(side, "addr", "add", f"2001:db8:{n}::1/64", "dev", "eth0", "nodad")
        self.ip("cp", "link", "set", "lo", "up")
        self.sysctl("cp", "net.ipv6.conf.all.forwarding=1", "net.ipv4.ip_forward=1")


class ControlPlane(unittest.TestCase):
    def setUp(self):
        self.net = ControlNet()
        self.addCleanup(self.net.destroy)
        self.net.create()
        directory = tempfile.TemporaryDirectory(prefix="fcn-control-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def start(self, config):
        path = testbed.write(self.directory, "fastcn.conf", config.format(**self.net.name))
        switch = testbed.Switch(self.directory, path, namespace=self.net.name["sw"],
                                vdevs=[f"net_pcap{n - 1},iface=s{n}" for _, n in SIDES])
        self.addCleanup(switch.end)
        return switch.wait()

    def mac(self, switch, port):
        return switch.json(f"show port {port}")[0]["mac"]

    def link_local(self, switch, port):
        """RFC 4291 appendix A."""
        mac = bytes.fromhex(self.mac(switch, port).replace(":", ""))
        return socket.inet_ntop(socket.AF_INET6, b"\xfe\x80" + bytes(6) + bytes([mac[0] ^ 2]) + mac[1:3] + b"\xff\xfe" + mac[3:])

    def heard(self, listener, begins, seconds=5):
        """Frames that begin so, until a pause."""
        found, end = [], time.monotonic() + testbed.seconds(seconds)
        while not found and time.monotonic() < end:
            while select.select([listener], [], [], 0.3)[0]:
                frame = listener.recv(65536)
                if frame[:len(begins)] == begins:
                    found.append(frame)
        return found

    def test_frames(self):
        """By address and type, in both directions, and in a VLAN."""
        switch = self.start(CONFIG + ADDRESSES + "port add p1.10 vlan 10 of p1\nset port p1.10 mtu 9000\nset port p1.10 kernel sw10\n")
        testbed.wait_until(lambda: "LOWER_UP" in self.net.ip("cp", "link", "show", "dev", "sw10"))
        source = bytes.fromhex("020000000a01")
        with self.net.packet_socket("a", "eth0") as sender, self.net.packet_socket("cp", "sw1") as untagged, \
                self.net.packet_socket("cp", "sw10") as tagged:
            for number, (name, (group, kind, is_ours)) in enumerate(FRAMES.items()):
                length = {1500: 1500, 1504: 1504, 0x8870: 4000}.get(kind, 60)
                rest = struct.pack("!HB", kind, number) + bytes(length - 1)
                addresses = bytes.fromhex(group) + source
                sender.send(addresses + rest)
                found = self.heard(untagged, addresses + rest[:3], 5 if is_ours else 0.5)
                self.assertEqual([len(f) for f in found], [14 + length] if is_ours else [], name)
                sender.send(addresses + struct.pack("!HH", 0x8100, 10) + rest)
                found = self.heard(tagged, addresses + rest[:3], 5 if is_ours else 0.5)
                self.assertEqual([len(f) for f in found], [14 + length] if is_ours else [], name + ", tagged")
        # To the port itself: of 802.1X, and not of what has no such address.
        own = bytes.fromhex(self.mac(switch, "p1").replace(":", ""))
        with self.net.packet_socket("a", "eth0") as sender, self.net.packet_socket("cp", "sw1") as listener:
            for kind, is_ours in ((0x888E, True), (0x8870, False)):
                frame = own + source + struct.pack("!H", kind) + bytes(46)
                sender.send(frame)
                self.assertEqual(len(self.heard(listener, frame[:14], 5 if is_ours else 0.5)), int(is_ours))
        # What the kernel sends leaves as it is.
        with self.net.packet_socket("cp", "sw1") as sender, self.net.packet_socket("a", "eth0") as listener:
            frame = bytes.fromhex("0180c200000e") + own + b"\x88\xcc" + bytes(range(100))
            sender.send(frame)
            self.assertEqual(self.heard(listener, frame[:14])[0], frame)
        counters = switch.json("show host")["counters"]
        self.assertEqual({n: counters["to_kernel_" + n] for n in ("isis", "lldp", "slow", "eapol", "ptp", "stp")},
                         {"isis": 8, "lldp": 4, "slow": 2, "eapol": 3, "ptp": 4, "stp": 0})
        self.assertTrue(switch.json("show conservation")["ok"])

    @unittest.skipUnless(os.path.exists(os.path.join(FRR, "isisd")), "needs FRR")
    def test_isis(self):
        """Two routers of FRR with hellos as long as the MTU, which is their default."""
        switch = self.start(CONFIG + ADDRESSES)
        self.net.ip("a", "addr", "add", "192.0.2.1/25", "dev", "eth0")
        testbed.wait_until(lambda: "LOWER_UP" in self.net.ip("cp", "link", "show", "dev", "sw1"))
        daemons = []
        for where, interface, number in (("a", "eth0", 1), ("cp", "sw1", 2)):
            daemons.append(Frr(self.net, where, self.directory,
                               isisd=ISIS.format(where=where, interface=interface, number=number)))
            self.addCleanup(daemons[-1].end)
        for daemon in daemons:
            testbed.wait_until(lambda: " Up " in daemon.vtysh("isisd", "show isis neighbor"), 30)
        # Routes by it are the switch's.
        self.net.ip("a", "addr", "add", "2001:db8:a::1/64", "dev", "eth0", "nodad")
        testbed.wait_until(lambda: [r for r in switch.json("show route") if r["prefix"] == "2001:db8:a::/64"], 40)
        self.assertGreater(switch.json("show host")["counters"]["to_kernel_isis"], 3)

    def connect(self, address):
        """TCP from a to a server of the kernel beside the switch: the address by which the server sees the client."""
        with self.net.socket("cp", socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM) as server, \
                self.net.socket("a", server.family, socket.SOCK_STREAM) as client:
            server.bind((address, 7777))
            server.listen()
            server.settimeout(testbed.seconds(10))
            client.settimeout(testbed.seconds(10))
            client.connect((address, 7777))
            return server.accept()[1][0]

    def test_own_addresses(self):
        """Those of the kernel's lo, which come and go, are addresses of the switch."""
        switch = self.start(CONFIG + ADDRESSES + "set loopback 203.0.113.9\n")
        self.net.ip("a", "addr", "add", "192.0.2.1/25", "dev", "eth0")
        self.net.ip("a", "route", "add", "203.0.113.0/24", "via", "192.0.2.126")
        self.net.ip("a", "route", "add", "2001:db8:f::/48", "via", "2001:db8:1::fe")
        self.assertTrue(testbed.wait_until(lambda: self.net.answered("a", "-c2", "-i0.2", "203.0.113.9")))
        self.net.ip("cp", "addr", "add", "203.0.113.1/32", "dev", "lo")
        self.net.ip("cp", "addr", "add", "2001:db8:f::1/128", "dev", "lo")
        addresses = ("203.0.113.1", "2001:db8:f::1")
        shown = lambda: {r["address"]: r["state"] for r in switch.json("show address") if r["port"] == "kernel"}
        testbed.wait_until(lambda: shown() == {a: "preferred" for a in addresses})
        for address in addresses:
            self.assertTrue(self.net.answered("a", "-c3", "-i0.2", address))
            self.assertEqual(self.connect(address), "2001:db8:1::1" if ":" in address else "192.0.2.1")
            self.assertNotIn("DUP", self.net.run("a", "ping", "-c3", "-i0.2", address))
        self.assertNotIn(address, switch.say("show config"))
        self.net.ip("cp", "addr", "del", "203.0.113.1/32", "dev", "lo")
        testbed.wait_until(lambda: "203.0.113.1" not in shown())
        self.assertIn("Net Unreachable", self.net.run("a", "ping", "-c1", "-W2", "203.0.113.1", check=False))
        self.assertTrue(switch.json("show conservation")["ok"])

    def error_of(self, side, destination, ttl):
        """The source of the ICMP error about a datagram with this TTL."""
        with self.net.socket(side, socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as listener, \
                self.net.socket(side, socket.AF_INET, socket.SOCK_DGRAM) as s:
            s.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, ttl)
            s.sendto(b"x", (destination, 33434))
            end = time.monotonic() + testbed.seconds(5)
            while time.monotonic() < end and select.select([listener], [], [], 1)[0]:
                packet, peer = listener.recvfrom(2048)
                if packet[20] == 11:
                    return peer[0]
        return None

    def test_ip4_over_ip6(self):
        """IPv4 between stations behind ports that have IPv6 alone (RFC 8950, RFC 7600 section 4.8)."""
        switch = self.start(CONFIG.replace("set kernel table main\n", "") + "address add p1 2001:db8:1::fe/64\n"
                            "address add p2 2001:db8:2::fe/64\n")
        for side, n in SIDES:
            self.net.ip(side, "addr", "add", f"10.{n}.0.1/32", "dev", "lo")
            self.net.ip(side, "route", "add", "10.0.0.0/8", "via", "inet6", self.link_local(switch, f"p{n}"), "dev",
                        "eth0", "src", f"10.{n}.0.1")
            own = [w for w in self.net.ip(side, "-6", "addr", "show", "dev", "eth0", "scope", "link").split()
                   if w.startswith("fe80")][0].split("/")[0]
            self.assertEqual(switch.say(f"route add 10.{n}.0.0/16 via {own} port p{n}"), "")
        self.assertTrue(testbed.wait_until(lambda: self.net.answered("a", "-c3", "-i0.2", "10.2.0.1")))
        self.assertIn("via fe80:", switch.say("show config"))
        # The switch has no IPv4 address; then it has one of its own.
        self.assertEqual(self.error_of("a", "10.2.0.1", 1), "192.0.0.8")
        self.assertEqual(switch.say("set loopback 203.0.113.9"), "")
        self.assertEqual(self.error_of("a", "10.2.0.1", 1), "203.0.113.9")
        # A path MTU is found.
        self.assertEqual(switch.say("set port p2 mtu 1400"), "")
        said = self.net.run("a", "ping", "-c2", "-W2", "-Mdo", "-s", "2000", "10.2.0.1", check=False)
        self.assertIn("mtu", said.lower())
        self.assertIn("1400", said)
        self.assertTrue(switch.json("show conservation")["ok"])


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, net=ControlNet, tools=("ping", "ethtool", "sysctl")))
