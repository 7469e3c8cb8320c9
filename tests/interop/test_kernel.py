#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Routes of the Linux kernel, and FRR beside the switch, as doc/kernel.md describes it. Four network namespaces: two
routers with hosts behind them (a, b), fastcn with net_af_packet over veth (sw), and its control plane (cp): the
interfaces of the kernel that stand for ports, zebra, bgpd and ospf6d. Needs root, and FRR for most of the tests."""

import contextlib
import os
import re
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import testbed

FRR = "/usr/lib/frr"
TOOLS = ("ping", "ethtool", "sysctl", "iperf3")
CHURN = 2000
SIDES = (("a", 1, 65001), ("b", 2, 65002))

CONFIG = """
set kernel namespace {cp}
set kernel table main
set host dad off
port add p1 device net_af_packet0
port add p2 device net_af_packet1
set port p1 kernel sw1
set port p2 kernel sw2
address add p1 2001:db8:1::fe/64
address add p2 2001:db8:2::fe/64
address add p1 192.0.2.126/25
address add p2 192.0.2.254/25
"""

ROUTER = """
hostname {side}
router bgp {number}
 bgp router-id 192.0.2.{host}
 no bgp ebgp-requires-policy
 no bgp default ipv4-unicast
 no bgp network import-check
 neighbor {gateway6} remote-as 65000
 neighbor {gateway6} timers 1 5
 neighbor {gateway6} timers connect 1
 neighbor {gateway6} advertisement-interval 0
 neighbor {gateway4} remote-as 65000
 neighbor {gateway4} timers connect 1
 neighbor {gateway4} advertisement-interval 0
 address-family ipv6 unicast
  neighbor {gateway6} activate
  network 2001:db8:{side}::/48
  network 2001:db8:ec::/48
  redistribute kernel
 exit-address-family
 address-family ipv4 unicast
  neighbor {gateway4} activate
  network 10.{n}.0.0/16
 exit-address-family
"""

OSPF = """
hostname {side}
interface {interface}
 ipv6 ospf6 area 0
 ipv6 ospf6 hello-interval 1
 ipv6 ospf6 dead-interval 4
 ipv6 ospf6 network point-to-point
{more}
router ospf6
 ospf6 router-id 192.0.2.{host}
"""

SWITCH_BGP = """
hostname switch
router bgp 65000
 bgp router-id 192.0.2.254
 no bgp ebgp-requires-policy
 no bgp default ipv4-unicast
 bgp bestpath as-path multipath-relax
{neighbours}
 address-family ipv6 unicast
  maximum-paths 8
{activate6}
 exit-address-family
 address-family ipv4 unicast
{activate4}
 exit-address-family
"""


class KernelNet(testbed.Namespaces):
    def __init__(self):
        super().__init__("a", "b", "sw", "cp")

    def create(self):
        super().create()
        for side, n, _ in SIDES:
            self.ip(side, "link", "add", "eth0", "type", "veth", "peer", "name", f"s{n}", "netns", self.name["sw"])
            self.ip(side, "link", "set", "lo", "up")
            self.ip(side, "link", "set", "eth0", "up")
            self.ip("sw", "link", "set", f"s{n}", "up")
            self.run(side, "ethtool", "-K", "eth0", "tx", "off", "rx", "off", "gso", "off", "tso", "off", "gro", "off")
            self.ip(side, "addr", "add", f"2001:db8:{n}::1/64", "dev", "eth0", "nodad")
            self.ip(side, "addr", "add", f"192.0.2.{1 if n == 1 else 129}/25", "dev", "eth0")
            # the hosts behind the router
            self.ip(side, "addr", "add", f"2001:db8:{side}::1/128", "dev", "lo")
            self.ip(side, "addr", "add", f"10.{n}.0.1/32", "dev", "lo")
            self.ip(side, "link", "add", "far", "type", "veth", "peer", "name", "end")
            self.ip(side, "link", "set", "end", "up")
            self.ip(side, "link", "set", "far", "up")
            self.ip(side, "addr", "add", f"2001:db8:{n}0::1/64", "dev", "far", "nodad")
            self.ip(side, "addr", "add", "2001:db8:ec::1/128", "dev", "lo")
            self.sysctl(side, "net.ipv6.conf.all.forwarding=1", "net.ipv4.ip_forward=1")
            # The kernel is not to speak on the switch's side of the veth pairs.
            self.sysctl("sw", f"net.ipv6.conf.s{n}.disable_ipv6=1")
        self.ip("cp", "link", "set", "lo", "up")
        self.sysctl("cp", "net.ipv6.conf.all.forwarding=1", "net.ipv4.ip_forward=1")


class Frr:
    """Daemons of one router, each a process of ours."""

    def __init__(self, net, where, directory, **configs):
        self.net, self.where = net, where
        self.directory = os.path.join(directory, where)
        os.makedirs(self.directory, exist_ok=True)
        os.chmod(directory, 0o755)
        shutil.chown(self.directory, "frr", "frr")
        self.configs = {"zebra": f"hostname {where}\n", **configs}
        self.processes = {}
        for daemon in self.configs:
            self.start(daemon)

    def start(self, daemon):
        config = testbed.write(self.directory, daemon + ".conf", self.configs[daemon])
        words = [os.path.join(FRR, daemon), "-f", config, "-i", os.path.join(self.directory, daemon + ".pid"), "-z",
                 os.path.join(self.directory, "zserv"), "--vty_socket", self.directory, "-P", "0", "--log", "file:" + os.path.join(self.directory, daemon + ".log")]
        log = open(os.path.join(self.directory, daemon + ".out"), "w", encoding="ascii")
        with log:
            self.processes[daemon] = self.net.popen(self.where, *words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        testbed.wait_until(lambda: self.is_up(daemon), 30)

    def is_up(self, daemon):
        if self.processes[daemon].poll() is not None:
            with open(os.path.join(self.directory, daemon + ".out"), encoding="ascii") as f:
                raise AssertionError(f"{daemon} of {self.where} ended: {f.read()}")
        return self.vtysh(daemon, "show version").startswith("FRRouting")

    def vtysh(self, daemon, command):
        return subprocess.run(["vtysh", "--vty_socket", self.directory, "-d", daemon, "-c", command], check=False,
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=30).stdout

    def stop(self, daemon):
        process = self.processes.pop(daemon)
        process.terminate()
        try:
            process.wait(timeout=testbed.seconds(10))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def end(self):
        for daemon in reversed(list(self.processes)):
            self.stop(daemon)


class Kernel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.net = KernelNet()
        cls.addClassCleanup(cls.net.destroy)
        cls.net.create()
        directory = tempfile.TemporaryDirectory(prefix="fcn-kernel-")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = directory.name

    def start(self, config=CONFIG):
        path = testbed.write(self.directory, "fastcn.conf", config.format(**self.net.name))
        switch = testbed.Switch(self.directory, path, namespace=self.net.name["sw"],
                                vdevs=[f"net_af_packet{n},iface=s{n + 1}" for n in range(2)])
        self.addCleanup(switch.end)
        switch.wait()
        # Its interfaces in the kernel and its neighbours are there. test_host.py tests how it checks its addresses.
        for side, n, _ in SIDES:
            testbed.wait_until(lambda: self.net.ping(side, f"2001:db8:{n}::1", f"2001:db8:{n}::fe", 1), 20)
            testbed.wait_until(lambda: "1 received" in self.net.run(side, "ping", "-c1", "-W1",
                                                                    f"192.0.2.{126 if n == 1 else 254}", check=False), 20)
        return switch

    def routes(self, switch, prefix=None):
        """Of the kernel, in force."""
        return [r for r in switch.json("show route") if r["origin"] == "kernel" and prefix in (None, r["prefix"])]

    def wait_for_route(self, switch, prefix, n=1, timeout=40):
        def there():
            found = self.routes(switch, prefix)
            return found if len(found) == n and all(r.get("next_hop", "resolved") == "resolved" for r in found) else None
        return testbed.wait_until(there, timeout)

    def wait_for_none(self, switch, prefix, timeout=20):
        testbed.wait_until(lambda: not self.routes(switch, prefix), timeout)

    def check_conservation(self, switch):
        self.assertTrue(switch.json("show conservation")["ok"])

    # ---- without FRR ----

    def test_interfaces(self):
        """What stands for a port in the kernel, and what becomes of it."""
        switch = self.start()
        for n in (1, 2):
            shown = self.net.ip("cp", "addr", "show", "dev", f"sw{n}")
            mac = switch.json(f"show port p{n}")[0]["mac"]
            for word in (mac, f"2001:db8:{n}::fe/64", f"192.0.2.{126 if n == 1 else 254}/25", "mtu 1500", "LOWER_UP"):
                self.assertIn(word, shown)
        # MTU and addresses follow.
        switch.say("set port p1 mtu 1400")
        switch.say("address add p1 2001:db8:11::fe/64")
        switch.say("address remove p1 2001:db8:1::fe/64")
        shown = self.net.ip("cp", "addr", "show", "dev", "sw1")
        self.assertIn("mtu 1400", shown)
        self.assertIn("2001:db8:11::fe/64", shown)
        self.assertNotIn("2001:db8:1::fe", shown)
        # Removed by hand it comes again; by a command it goes.
        self.net.ip("cp", "link", "del", "sw1")
        testbed.wait_until(lambda: "2001:db8:11::fe/64" in self.net.run("cp", "ip", "addr", "show", "dev", "sw1",
                                                                       check=False))
        self.assertEqual(switch.say("set port p1 kernel off"), "")
        self.assertNotIn("sw1", self.net.ip("cp", "link"))
        self.assertIn("sw2", self.net.ip("cp", "link"))
        # Refused whole: the name is another's, or the namespace is none.
        self.net.ip("cp", "link", "add", "taken", "type", "veth", "peer", "name", "other")
        self.addCleanup(self.net.ip, "cp", "link", "del", "taken")
        self.assertIn("another interface has this name", switch.say("set port p1 kernel taken"))
        self.assertIn("ports p1 and p2 both have it", switch.say("set port p1 kernel sw2"))
        self.assertIn("before changing the namespace", switch.say("set kernel namespace nowhere"))
        self.check_conservation(switch)
        self.assertEqual(switch.stop()[0], 0)
        self.assertNotIn("sw2", self.net.ip("cp", "link"))

    def test_local_traffic(self):
        """TCP, UDP and echo replies go to the kernel, once; echo requests, ARP and ND are answered by the switch."""
        switch = self.start()
        self.assertEqual(switch.json("show host")["counters"]["to_kernel"] > 0, True)
        for source, address in (("2001:db8:1::1", "2001:db8:1::fe"), ("192.0.2.1", "192.0.2.126")):
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            with self.net.socket("cp", family, socket.SOCK_STREAM) as server, \
                    self.net.socket("a", family, socket.SOCK_STREAM) as client:
                server.bind((address, 7777))
                server.listen()
                client.settimeout(10)
                client.connect((address, 7777))
                server.settimeout(10)
                connection, peer = server.accept()
                with connection:
                    self.assertEqual(peer[0], source)
                    data = bytes(range(256)) * 400
                    threading.Thread(target=client.sendall, args=(data,)).start()
                    got = b""
                    connection.settimeout(10)
                    while len(got) < len(data):
                        got += connection.recv(65536)
                    self.assertEqual(got, data)
            self.assertTrue(self.net.answered("cp", "-c5", "-i0.2", source))
            self.assertTrue(self.net.answered("a", "-c5", "-i0.2", address))
            self.assertNotIn("DUP", self.net.run("a", "ping", "-c5", "-i0.2", address))
        # a port that nobody has: the kernel says so
        with self.net.socket("a", socket.AF_INET6, socket.SOCK_DGRAM) as s:
            s.settimeout(5)
            s.connect(("2001:db8:1::fe", 9))
            s.send(b"x")
            with self.assertRaises(ConnectionRefusedError):
                s.recv(1)
        # groups of this link: what zebra and the others listen to
        for version, group in ((4, "224.0.0.9"), (6, "ff02::9")):
            with self.group_socket("cp", version, group) as listener, \
                    self.net.socket("a", socket.AF_INET if version == 4 else socket.AF_INET6, socket.SOCK_DGRAM) as s:
                if version == 4:
                    s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("192.0.2.1"))
                    s.sendto(b"group", (group, 5520))
                else:
                    s.sendto(b"group", (group, 5520, 0, self.index("a", "eth0")))
                listener.settimeout(5)
                self.assertEqual(listener.recv(10), b"group")
        # IS-IS, as LLC to its group
        with self.net.packet_socket("cp", "sw1") as listener, self.net.packet_socket("a", "eth0") as s:
            frame = bytes.fromhex("0180c2000015" "020000000101" "0030" "fefe03" "83") + bytes(44)
            s.send(frame)
            s.send(bytes.fromhex("0180c2000010") + frame[6:])  # a group that is none of it
            seen, end = [], time.monotonic() + 5
            while frame[:60] not in seen and time.monotonic() < end:
                if select.select([listener], [], [], 0.2)[0]:
                    seen.append(listener.recv(2000)[:60])
            self.assertIn(frame[:60], seen)
            self.assertNotIn(bytes.fromhex("0180c2000010"), [f[:6] for f in seen])
        shown = switch.json("show kernel")["interfaces"][0]
        self.assertGreater(shown["to_kernel"], 0)
        self.assertGreater(shown["from_kernel"], 0)
        self.assertEqual((shown["to_kernel_full"], shown["from_kernel_refused"]), (0, 0))
        self.check_conservation(switch)

    def index(self, where, device):
        return int(self.net.ip(where, "-o", "link", "show", "dev", device).split(":")[0])

    def group_socket(self, where, version, group):
        s = self.net.socket(where, socket.AF_INET if version == 4 else socket.AF_INET6, socket.SOCK_DGRAM)
        if version == 4:
            s.bind((group, 5520))
            s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
                         socket.inet_aton(group) + socket.inet_aton("192.0.2.126"))
        else:
            index = self.index(where, "sw1")
            s.bind((group, 5520, 0, index))
            s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP,
                         socket.inet_pton(socket.AF_INET6, group) + index.to_bytes(4, sys.byteorder))
        return s

    def test_routes_of_all_kinds(self):
        """By the words of ip-route: gateways, several paths, nexthop objects, none at all."""
        switch = self.start()
        self.net.ip("cp", "route", "add", "10.1.0.0/16", "via", "192.0.2.1")
        self.net.ip("cp", "route", "add", "10.9.0.0/16", "nexthop", "via", "192.0.2.1", "weight", "2", "nexthop", "via",
                    "192.0.2.129", "weight", "4")
        self.net.ip("cp", "-6", "nexthop", "add", "id", "7", "via", "2001:db8:1::1", "dev", "sw1")
        self.net.ip("cp", "-6", "nexthop", "add", "id", "8", "via", "2001:db8:2::1", "dev", "sw2")
        self.net.ip("cp", "nexthop", "add", "id", "9", "group", "7,3/8")
        self.net.ip("cp", "-6", "route", "add", "2001:db8:90::/48", "nhid", "9")
        self.net.ip("cp", "route", "add", "10.10.0.0/16", "nhid", "7")  # IPv4 by way of an IPv6 neighbour
        self.net.ip("cp", "route", "add", "blackhole", "10.8.0.0/16")
        self.net.ip("cp", "-6", "route", "add", "unreachable", "2001:db8:91::/48")
        self.net.ip("cp", "neigh", "add", "192.0.2.77", "lladdr", "02:00:00:00:00:77", "dev", "sw1", "nud", "permanent")
        self.net.ip("cp", "route", "add", "10.77.0.0/16", "via", "192.0.2.77")
        self.net.ip("cp", "route", "add", "10.66.0.0/16", "via", "192.0.2.1", "table", "77")  # another table
        self.wait_for_route(switch, "2001:db8:90::/48", 2)
        self.wait_for_route(switch, "10.77.0.0/16")
        self.wait_for_route(switch, "10.9.0.0/16", 2)
        shown = {}
        for r in self.routes(switch):
            shown.setdefault(r["prefix"], set()).add((r["kind"], r.get("via"), r.get("port"), r.get("weight")))
        self.assertEqual(shown, {
            "10.1.0.0/16": {("gateway", "192.0.2.1", "p1", 1)},
            "10.9.0.0/16": {("gateway", "192.0.2.1", "p1", 1), ("gateway", "192.0.2.129", "p2", 2)},
            "2001:db8:90::/48": {("gateway", "2001:db8:1::1", "p1", 3), ("gateway", "2001:db8:2::1", "p2", 1)},
            "10.10.0.0/16": {("gateway", "2001:db8:1::1", "p1", 1)},
            "10.8.0.0/16": {("blackhole", None, None, None)},
            "2001:db8:91::/48": {("unreachable", None, None, None)},
            "10.77.0.0/16": {("gateway", "192.0.2.77", "p1", 1)},
        })
        self.assertIn({"port": "p1", "address": "192.0.2.77", "mac": "02:00:00:00:00:77", "state": "kernel"},
                      switch.json("show neighbour"))
        # They forward: from b to a's loopback, IPv4; and an unreachable one is said to be.
        self.net.ip("b", "route", "add", "10.0.0.0/8", "via", "192.0.2.254")
        self.addCleanup(self.net.ip, "b", "route", "del", "10.0.0.0/8")
        self.net.ip("a", "route", "add", "192.0.2.128/25", "via", "192.0.2.126")
        self.addCleanup(self.net.ip, "a", "route", "del", "192.0.2.128/25")
        self.assertTrue(self.net.answered("b", "-c3", "-i0.2", "10.1.0.1"))
        self.net.ip("b", "route", "add", "2001:db8:91::/48", "via", "2001:db8:2::fe")
        self.addCleanup(self.net.ip, "b", "route", "del", "2001:db8:91::/48")
        self.assertIn("No route", self.net.run("b", "ping", "-c1", "2001:db8:91::1", check=False))
        # A configured route to the same prefix wins.
        switch.say("route add 10.1.0.0/16 via 192.0.2.129 port p2")
        self.assertEqual([r["origin"] for r in switch.json("show route") if r["prefix"] == "10.1.0.0/16"], ["config"])
        switch.say("route remove 10.1.0.0/16")
        self.wait_for_route(switch, "10.1.0.0/16")
        # None of it is configuration.
        self.assertNotIn("10.9.0.0", switch.say("show config"))
        # What the kernel withdraws, or takes away without a word when an interface goes down, is gone.
        self.net.ip("cp", "-6", "route", "del", "2001:db8:90::/48")
        self.wait_for_none(switch, "2001:db8:90::/48")
        self.net.ip("cp", "link", "set", "sw2", "down")
        self.wait_for_route(switch, "10.9.0.0/16", 1)
        self.net.ip("cp", "link", "set", "sw1", "down")
        self.wait_for_none(switch, "10.1.0.0/16")
        self.assertEqual(switch.say("set kernel off"), "")
        testbed.wait_until(lambda: not self.routes(switch))
        self.check_conservation(switch)

    def test_tables(self):
        """The same prefix in two tables of the kernel: packets of p2 are routed by that which its table follows."""
        switch = self.start(CONFIG + "table add red\nset port p2 table red\nset table red kernel table 100\n")
        for side, prefix, via in (("b", "10.0.0.0/8", "192.0.2.254"), ("a", "192.0.2.128/25", "192.0.2.126")):
            self.net.ip(side, "route", "add", prefix, "via", via)
            self.addCleanup(self.net.ip, side, "route", "del", prefix)
        self.net.ip("cp", "route", "add", "blackhole", "10.1.0.0/16")
        self.addCleanup(self.net.ip, "cp", "route", "del", "10.1.0.0/16")
        self.wait_for_route(switch, "10.1.0.0/16")
        self.assertFalse(self.net.answered("b", "-c1", "-W1", "10.1.0.1"))
        self.net.ip("cp", "route", "add", "10.1.0.0/16", "via", "192.0.2.1", "dev", "sw1", "table", "100")
        self.assertEqual({r["table"] for r in self.wait_for_route(switch, "10.1.0.0/16", 2)}, {"main", "red"})
        self.assertTrue(self.net.answered("b", "-c3", "-i0.2", "10.1.0.1"))
        self.net.ip("cp", "route", "del", "10.1.0.0/16", "table", "100")
        self.wait_for_route(switch, "10.1.0.0/16")

    def test_restart_of_the_listener(self):
        """Routes that were there before the switch, and a table changed under it."""
        switch = self.start()
        self.net.ip("cp", "route", "add", "10.1.0.0/16", "via", "192.0.2.1", "table", "100")
        switch.say("set kernel off")
        self.net.ip("cp", "route", "add", "10.3.0.0/16", "via", "192.0.2.1")
        switch.say("set kernel table main")
        self.wait_for_route(switch, "10.3.0.0/16")
        switch.say("set kernel table 100")
        self.wait_for_route(switch, "10.1.0.0/16")
        self.assertEqual(self.routes(switch, "10.3.0.0/16"), [])
        self.assertEqual(switch.json("show kernel")["table"], 100)

    def test_carrier(self):
        """What the kernel takes away without a word when an interface loses its carrier: of the switch, and another."""
        switch = self.start()
        cp = lambda *words: self.net.ip("cp", *words)
        cp("link", "add", "up0", "type", "veth", "peer", "name", "up1")
        self.addCleanup(cp, "link", "del", "up0")
        cp("link", "set", "up0", "up")
        cp("link", "set", "up1", "up")
        cp("addr", "add", "198.51.100.1/24", "dev", "up0")
        cp("nexthop", "add", "id", "11", "via", "192.0.2.1", "dev", "sw1")
        cp("nexthop", "add", "id", "12", "via", "198.51.100.2", "dev", "up0")
        cp("route", "add", "10.2.0.0/16", "metric", "10", "nhid", "12")
        cp("route", "add", "10.2.0.0/16", "metric", "20", "via", "192.0.2.129")
        cp("route", "add", "10.1.0.0/16", "nhid", "11")
        cp("route", "add", "10.0.0.0/8", "via", "192.0.2.129")
        self.assertEqual(self.wait_for_route(switch, "10.1.0.0/16")[0]["port"], "p1")
        self.assertEqual(self.wait_for_route(switch, "10.0.0.0/8")[0]["port"], "p2")
        self.assertEqual(self.routes(switch, "10.2.0.0/16"), [])  # the lesser metric is by no port
        cp("link", "set", "up1", "down")
        self.assertEqual(self.wait_for_route(switch, "10.2.0.0/16", timeout=5)[0]["port"], "p2")
        cp("link", "set", "sw1", "carrier", "off")
        testbed.wait_until(lambda: "10.1.0.0/16" not in cp("route"))
        self.wait_for_none(switch, "10.1.0.0/16", timeout=5)
        cp("link", "set", "sw1", "carrier", "on")
        self.assertNotIn("10.1.0.0/16", cp("route"))
        self.assertEqual(self.routes(switch, "10.1.0.0/16"), [])
        self.assertEqual(self.wait_for_route(switch, "10.0.0.0/8")[0]["port"], "p2")
        self.assertEqual(switch.json("show kernel")["counters"]["differences"], 0)
        self.check_conservation(switch)

    # ---- with FRR ----

    def start_frr(self, ospf=False):
        """Routers a and b, and the switch's own daemons; ends them all at the end of the test."""
        daemons = {}
        neighbours, activate6, activate4, interfaces = [], [], [], ""
        for side, n, number in SIDES:
            host, gateway = (1, 126) if n == 1 else (129, 254)
            words = dict(side=side, n=n, number=number, host=host, gateway6=f"2001:db8:{n}::fe",
                         gateway4=f"192.0.2.{gateway}", interface="eth0", more="interface far\n ipv6 ospf6 area 0\n"
                         " ipv6 ospf6 passive")
            configs = {"bgpd": ROUTER.format(**words)}
            if ospf:
                configs = {"ospf6d": OSPF.format(**words)}
            daemons[side] = Frr(self.net, side, self.directory, **configs)
            self.addCleanup(daemons[side].end)
            for address, activate in ((f"2001:db8:{n}::1", activate6), (f"192.0.2.{host}", activate4)):
                neighbours += [f" neighbor {address} remote-as {number}", f" neighbor {address} timers 1 5",
                               f" neighbor {address} timers connect 1", f" neighbor {address} advertisement-interval 0"]
                activate.append(f"  neighbor {address} activate")
            interfaces += f"interface sw{n}\n ipv6 ospf6 area 0\n ipv6 ospf6 hello-interval 1\n" \
                          " ipv6 ospf6 dead-interval 4\n ipv6 ospf6 network point-to-point\n"
        bgp = SWITCH_BGP.format(neighbours="\n".join(neighbours), activate6="\n".join(activate6),
                                activate4="\n".join(activate4))
        configs = {"bgpd": bgp} if not ospf else {
            "ospf6d": "hostname switch\n" + interfaces + "router ospf6\n ospf6 router-id 192.0.2.254\n"}
        daemons["cp"] = Frr(self.net, "cp", self.directory, **configs)
        self.addCleanup(daemons["cp"].end)
        return daemons

    def forwarded_by_kernel(self):
        """Packets that the control plane's kernel forwarded: none."""
        text = self.net.run("cp", "cat", "/proc/net/snmp6")
        v6 = int(re.search(r"^Ip6OutForwDatagrams\s+(\d+)", text, re.M).group(1))
        lines = [line.split() for line in self.net.run("cp", "cat", "/proc/net/snmp").splitlines()
                 if line.startswith("Ip:")]
        return v6 + int(dict(zip(lines[0][1:], lines[1][1:]))["ForwDatagrams"])

    def udp(self, source, destination, count=50):
        """Datagrams from a to b; how many come."""
        family = socket.AF_INET6 if ":" in source else socket.AF_INET
        with self.net.socket("b", family, socket.SOCK_DGRAM) as server, \
                self.net.socket("a", family, socket.SOCK_DGRAM) as client:
            server.bind((destination, 9999))
            server.settimeout(2)
            client.bind((source, 0))
            for i in range(count):
                client.sendto(b"%d" % i, (destination, 9999))
            got = 0
            with contextlib.suppress(socket.timeout):
                while got < count:
                    server.recv(100)
                    got += 1
            return got

    @unittest.skipUnless(os.path.exists(FRR + "/bgpd"), "needs FRR")
    def test_bgp(self):
        switch = self.start()
        daemons = self.start_frr()
        for side, n, _ in SIDES:
            route = self.wait_for_route(switch, f"2001:db8:{side}::/48")[0]
            self.assertEqual((route["port"], route["protocol"]), (f"p{n}", "bgp"))
            self.wait_for_route(switch, f"10.{n}.0.0/16")
        testbed.wait_until(lambda: "2001:db8:b::/48" in self.net.ip("a", "-6", "route") and
                           "10.2.0.0/16" in self.net.ip("a", "route") and
                           "10.1.0.0/16" in self.net.ip("b", "route") and
                           "2001:db8:a::/48" in self.net.ip("b", "-6", "route"))
        # The first answer may have to wait for neighbours of the routers.
        testbed.wait_until(lambda: self.net.ping("a", "2001:db8:a::1", "2001:db8:b::1", 1))
        before = switch.json("show port p2")[0]["tx_packets"]
        self.assertEqual(len(self.net.ping("a", "2001:db8:a::1", "2001:db8:b::1", 5)), 5)
        self.assertTrue(self.net.answered("a", "-c5", "-i0.2", "-I", "10.1.0.1", "10.2.0.1"))
        self.assertEqual(self.udp("2001:db8:a::1", "2001:db8:b::1"), 50)
        self.assertEqual(self.udp("10.1.0.1", "10.2.0.1"), 50)
        self.assertGreaterEqual(switch.json("show port p2")[0]["tx_packets"] - before, 110)
        self.assertEqual(self.forwarded_by_kernel(), 0)
        # Two paths to one prefix.
        paths = self.wait_for_route(switch, "2001:db8:ec::/48", 2)
        self.assertEqual({p["port"] for p in paths}, {"p1", "p2"})
        # Withdrawn, it is gone, and traffic ends.
        daemons["b"].vtysh("bgpd", "configure terminal\nrouter bgp 65002\naddress-family ipv6 unicast\n"
                           "no network 2001:db8:b::/48")
        self.wait_for_none(switch, "2001:db8:b::/48")
        testbed.wait_until(lambda: "2001:db8:b::/48" not in self.net.ip("a", "-6", "route"))
        # A router that dies leaves one path of two.
        daemons["b"].end()
        paths = self.wait_for_route(switch, "2001:db8:ec::/48", 1)
        self.assertEqual(paths[0]["port"], "p1")
        # FRR of the switch restarts: its routes go and come back.
        daemons["cp"].end()
        self.wait_for_none(switch, "2001:db8:a::/48")
        for daemon in ("zebra", "bgpd"):
            daemons["cp"].start(daemon)
        self.wait_for_route(switch, "2001:db8:a::/48")
        self.check_conservation(switch)

    @unittest.skipUnless(os.path.exists(FRR + "/ospf6d"), "needs FRR")
    def test_ospf6(self):
        switch = self.start()
        self.start_frr(ospf=True)
        for _, n, _ in SIDES:
            route = self.wait_for_route(switch, f"2001:db8:{n}0::/64", timeout=60)[0]
            self.assertEqual((route["port"], route["protocol"]), (f"p{n}", "ospf"))
            self.assertTrue(route["via"].startswith("fe80::"))
        testbed.wait_until(lambda: "2001:db8:20::/64" in self.net.ip("a", "-6", "route") and
                           "2001:db8:10::/64" in self.net.ip("b", "-6", "route"), 30)
        self.assertEqual(len(self.net.ping("a", "2001:db8:10::1", "2001:db8:20::1", 5)), 5)
        self.assertEqual(self.forwarded_by_kernel(), 0)
        self.check_conservation(switch)

    @unittest.skipUnless(os.path.exists(FRR + "/bgpd"), "needs FRR")
    def test_churn(self):
        """Many routes come and go while others are in use: nothing in use is lost."""
        switch = self.start()
        self.start_frr()
        self.wait_for_route(switch, "2001:db8:b::/48")
        self.wait_for_route(switch, "2001:db8:a::/48")
        testbed.wait_until(lambda: "2001:db8:b::/48" in self.net.ip("a", "-6", "route") and
                           "2001:db8:a::/48" in self.net.ip("b", "-6", "route"))
        self.net.ping("a", "2001:db8:a::1", "2001:db8:b::1", 1)
        batch = {word: testbed.write(self.directory, word, "".join(
            f"route {word} blackhole 3fff:{i:x}::/32\n" for i in range(CHURN))) for word in ("add", "del")}
        pings = self.net.popen("a", "ping", "-q", "-i", "0.02", "-W", "2", "-I", "2001:db8:a::1", "2001:db8:b::1",
                               stdout=subprocess.PIPE, text=True)
        longest, rounds, start = 0.0, 0, time.monotonic()
        try:
            while rounds < 3 or time.monotonic() - start < 3:  # a fast machine does more
                rounds += 1
                for word, n in (("add", CHURN), ("del", 0)):
                    self.net.ip("a", "-6", "-batch", batch[word])
                    end = time.monotonic() + 60
                    while True:
                        begin = time.monotonic()
                        shown = switch.json("show kernel")
                        longest = max(longest, time.monotonic() - begin)
                        if n <= shown["paths"] < n + 100:
                            break
                        self.assertLess(begin, end, f"{word}: {shown}")
                        time.sleep(0.05)
        finally:
            pings.send_signal(2)
            out = pings.communicate(timeout=testbed.seconds(10))[0]
        self.assertIn(" 0% packet loss", out)
        self.assertGreater(int(re.search(r"(\d+) received", out).group(1)), 50)
        shown = switch.json("show kernel")
        # Many messages made few route tables; the console answered all the while.
        self.assertGreater(shown["counters"]["messages"], 6 * CHURN)
        self.assertLess(shown["counters"]["builds"], shown["counters"]["messages"] / 4)
        self.assertLess(longest, testbed.seconds(2.0))
        self.check_conservation(switch)


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, net=KernelNet, tools=TOOLS))
