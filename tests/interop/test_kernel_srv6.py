#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""SRv6 of the Linux kernel's table in fastcn, as doc/kernel.md describes it: the network of wanbed.py, in which pe1 has no
policy, SID or route of its own. All it knows comes from the kernel of its control plane (the namespace cp), by `ip
route`, or by bgpd of FRR. Linux routers stand at the other end. Needs root, and a kernel with seg6; else exit 77.

test_kernel_srv6.py --fastcn PROGRAM [unittest options]
"""

import ipaddress
import os
import shutil
import socket
import struct
import sys
import tempfile
import threading
import time
import unittest

import testbed
import wanbed
from test_kernel import FRR, Frr
from wanbed import CON, DT4, DT6, END, ENCAPS, ENCAPS_RED, FASTCN, LOCATOR

PORTS = {"host": "khost", "core": "kcore"}


class KernelWan(wanbed.Wan):
    def __init__(self, **what):
        super().__init__(**{"pe1": FASTCN, **what})
        self.name["cp"] = next(iter(self.name.values())).rsplit("-", 1)[0] + "-cp"

    def create(self):
        super().create()
        self.ip("cp", "link", "set", "lo", "up")
        self.sysctl("cp", "net.ipv6.conf.all.forwarding=1", "net.ipv4.ip_forward=1")

    def start(self, case, directory, more=None):
        """pe1 keeps its ports and addresses only, and gets interfaces in the control plane."""
        text = wanbed.fastcn("pe1")
        lines = [line for line in text.splitlines() if line.startswith(("port", "set port", "address", "set loopback"))]
        lines += [f"set kernel namespace {self.name['cp']}", "set kernel table main",
                  f"set srv6 kernel-source {CON['pe1']}"]
        lines += [f"set port {port} kernel {interface}" for port, interface in PORTS.items()]
        switch = testbed.Switch(directory, testbed.write(directory, "fastcn.conf", "\n".join(lines) + "\n"),
                                namespace=self.name["pe1"])
        case.addCleanup(switch.end)
        self.switches["pe1"] = switch.wait()

    def control(self, *words):
        self.ip("cp", *words)

    def underlay(self):
        """The routes of an IGP, and the local SIDs."""
        p = wanbed.address("p", "west")
        for prefix in (LOCATOR["p"], LOCATOR["pe2"], "2001:db8:f::/48"):
            self.control("-6", "route", "add", prefix, "via", p, "dev", "kcore")
        self.control("-6", "route", "add", DT6["pe1"], "encap", "seg6local", "action", "End.DT6", "table", "main",
                     "dev", "kcore")
        self.control("-6", "route", "add", DT4["pe1"], "encap", "seg6local", "action", "End.DX4", "nh4",
                     wanbed.address("h1", "eth0", 4), "dev", "kcore")

    def steer_by_kernel(self, mode, before):
        six, four = wanbed.networks("h2")
        for family, prefixes, last in (("-6", six, DT6["pe2"]), ("-4", four, DT4["pe2"])):
            for prefix in prefixes:
                self.control(family, "route", "replace", prefix, "encap", "seg6", "mode", mode, "segs",
                             ",".join([*before, last]), "dev", "kcore")


def outer(segments, mode, inner_length, next_header):
    """The headers of RFC 8986 section 5 and RFC 8754 section 2, without the first word, which is of the inner packet."""
    listed = segments if mode == ENCAPS else segments[1:]
    srh = b""
    if listed:
        srh = struct.pack("!BBBBBBH", next_header, 2 * len(listed), 4, len(segments) - 1, len(listed) - 1, 0, 0)
        srh += b"".join(ipaddress.ip_address(s).packed for s in reversed(listed))
    head = struct.pack("!HBB", len(srh) + inner_length, 43 if srh else next_header, 64)
    return head + ipaddress.ip_address(CON["pe1"]).packed + ipaddress.ip_address(segments[0]).packed + srh


BGP = """
hostname pe1
router bgp 65000
 bgp router-id 192.0.2.126
 no bgp default ipv4-unicast
 neighbor {peer} remote-as 65000
 neighbor {peer} timers connect 1
 segment-routing srv6
 exit
 address-family ipv6 vpn
  neighbor {peer} activate
 exit-address-family
 address-family ipv6 unicast
  rd vpn export 65000:1
  rt vpn both 65000:100
  import vpn
 exit-address-family
"""


class Speaker:
    """A BGP neighbour (RFC 4271) that announces a VPN route (RFC 4659) with a SID (RFC 9252)."""

    def __init__(self, net, where, own, peer):
        self.socket = net.socket(where, socket.AF_INET6, socket.SOCK_STREAM)
        self.socket.settimeout(20)
        self.socket.bind((own, 0))
        self.socket.connect((peer, 179))
        self.own = own
        families = b"".join(struct.pack("!BBHBB", 1, 4, 2, 0, safi) for safi in (1, 128))
        capabilities = families + struct.pack("!BBI", 65, 4, 65000)
        option = struct.pack("!BB", 2, len(capabilities)) + capabilities
        self.say(1, struct.pack("!BHH4sB", 4, 65000, 60, socket.inet_aton("192.0.2.2"), len(option)) + option)
        self.say(4, b"")
        self.open = True
        threading.Thread(target=self.stay, daemon=True).start()

    def say(self, kind, body):
        self.socket.sendall(b"\xff" * 16 + struct.pack("!HB", 19 + len(body), kind) + body)

    def stay(self):
        """Keepalives, and nothing of what the other says."""
        self.socket.settimeout(5)
        try:
            while self.open:
                try:
                    if not self.socket.recv(4096):
                        return
                except TimeoutError:
                    self.say(4, b"")
        except OSError:
            return

    @staticmethod
    def attribute(flags, kind, data):
        return struct.pack("!BBB", flags, kind, len(data)) + data

    def announce(self, network, sid, behavior):
        network = ipaddress.ip_network(network)
        octets = network.network_address.packed[:(network.prefixlen + 7) // 8]
        route = struct.pack("!B3sHHI", 24 + 64 + network.prefixlen, b"\0\0\x31", 0, 65000, 2) + octets
        structure = struct.pack("!BHBBBBBB", 1, 6, 40, 24, 16, 0, 0, 0)
        information = b"\0" + ipaddress.ip_address(sid).packed + b"\0" + struct.pack("!H", behavior) + b"\0" + structure
        service = b"\0" + struct.pack("!BH", 1, len(information)) + information
        reach = struct.pack("!HBB8s", 2, 128, 24, b"") + ipaddress.ip_address(self.own).packed + b"\0" + route
        attributes = b"".join((self.attribute(0x40, 1, b"\0"), self.attribute(0x40, 2, b""),
                               self.attribute(0x40, 5, struct.pack("!I", 100)),
                               self.attribute(0xC0, 16, struct.pack("!BBHI", 0, 2, 65000, 100)),
                               self.attribute(0x80, 14, reach),
                               self.attribute(0xC0, 40, struct.pack("!BH", 5, len(service)) + service)))
        self.say(2, struct.pack("!HH", 0, len(attributes)) + attributes)

    def close(self):
        self.open = False
        self.socket.close()


class KernelSrv6(unittest.TestCase):
    def network(self):
        net = KernelWan()
        self.addCleanup(net.destroy)
        net.create()
        directory = tempfile.TemporaryDirectory(prefix="fastcn-kernel-srv6-")
        self.addCleanup(directory.cleanup)
        net.directory = directory.name
        net.start(self, directory.name)
        return net

    def lists(self, net):
        return {tuple(row["segments"]): row for row in net.switches["pe1"].json("show srv6 policy")["segment_lists"]}

    def assert_pings(self, net):
        self.assertTrue(net.answered("h1", "-c", "5", "-i", "0.1", wanbed.address("h2", "eth0")))
        self.assertTrue(net.answered("h1", "-c", "5", "-i", "0.1", wanbed.address("h2", "eth0", 4)))

    def wait_for(self, what, timeout=20):
        self.assertTrue(testbed.wait_until(what, timeout))

    def test_routes(self):
        """Linux's routes steer packets into the domain, and take them out; they change, and go."""
        net = self.network()
        net.underlay()
        net.steer_by_kernel(ENCAPS_RED, [END])
        self.wait_for(lambda: (END, DT6["pe2"]) in self.lists(net))
        self.assert_pings(net)
        rows = self.lists(net)
        self.assertEqual({row["origin"] for row in rows.values()}, {"kernel"})
        self.assertGreaterEqual(rows[END, DT6["pe2"]]["packets"], 5)
        self.assertGreaterEqual(rows[END, DT4["pe2"]]["packets"], 5)
        sids = {row["sid"]: row for row in net.switches["pe1"].json("show srv6 sid")["sids"]}
        self.assertEqual(sids[DT6["pe1"] + "/128"]["behavior"], "end.dt6")
        self.assertGreaterEqual(sids[DT6["pe1"] + "/128"]["packets"], 5)
        self.assertEqual(sids[DT4["pe1"] + "/128"]["behavior"], "end.dx4")
        self.assertGreaterEqual(sids[DT4["pe1"] + "/128"]["packets"], 5)
        number = 0
        for mode in (ENCAPS, ENCAPS_RED):
            for before in ([END], []):
                segments = [*before, DT6["pe2"]]
                net.steer_by_kernel(mode, before)
                self.wait_for(lambda: (row := self.lists(net).get(tuple(segments))) is not None
                              and row["mode"] == wanbed.MODES[mode] and len(self.lists(net)) == 2)
                number += 1
                packet = self.packet(number)
                got = net.through(packet, "h1", ("p", "west"))
                self.assertIsNotNone(got)
                self.assertEqual(got[4:-len(packet)], outer(segments, mode, len(packet), 41))
                self.assertEqual(got[:4], packet[:4])
        for prefix in wanbed.networks("h2")[0]:
            net.control("-6", "route", "del", prefix)
        self.wait_for(lambda: len(self.lists(net)) == 1)
        self.assertIsNone(net.through(self.packet(99), "h1", ("p", "west"), timeout=0.5))
        net.control("-6", "route", "del", DT6["pe1"])
        self.wait_for(lambda: len(net.switches["pe1"].json("show srv6 sid")["sids"]) == 1)

    @staticmethod
    def packet(number):
        """UDP from h1 to h2."""
        udp = struct.pack("!HHHH", 50000, 9, 24, 0x1234) + b"packet %08d " % number
        head = struct.pack("!IHBB", 6 << 28 | 0x6A << 20 | 0x5A5A5, len(udp), 17, 64)
        ends = b"".join(wanbed.packed(wanbed.address(host, "eth0", 6)) for host in ("h1", "h2"))
        return head + ends + udp

    def test_weights(self):
        """Two segment lists of a route, and a nexthop object."""
        net = self.network()
        net.underlay()
        by = ("via", wanbed.address("p", "west"), "dev", "kcore")  # Linux asks for a gateway here
        net.control("-6", "route", "add", "2001:db8:77::/48",
                    "nexthop", "encap", "seg6", "mode", "encap", "segs", END + "," + DT6["pe2"], *by, "weight", "3",
                    "nexthop", "encap", "seg6", "mode", "encap", "segs", DT6["pe2"], *by, "weight", "1")
        net.control("nexthop", "add", "id", "7", "encap", "seg6", "mode", "encap.red", "segs", END + "," + DT6["pe2"], *by)
        net.control("-6", "route", "add", "2001:db8:78::/48", "nhid", "7")
        say = net.switches["pe1"].json

        def shown():
            return sorted((r["prefix"], tuple(r["segments"]), r["weight"]) for r in say("show route")
                          if r.get("kind") == "segments")

        wanted = [("2001:db8:77::/48", (END, DT6["pe2"]), 3), ("2001:db8:77::/48", (DT6["pe2"],), 1),
                  ("2001:db8:78::/48", (END, DT6["pe2"]), 1)]
        self.wait_for(lambda: shown() == sorted(wanted))
        net.control("nexthop", "replace", "id", "7", "encap", "seg6", "mode", "encap.red", "segs", DT6["pe2"], *by)
        wanted[2] = ("2001:db8:78::/48", (DT6["pe2"],), 1)
        self.wait_for(lambda: shown() == sorted(wanted))
        net.control("nexthop", "del", "id", "7")
        self.wait_for(lambda: shown() == sorted(wanted[:2]))

    @unittest.skipUnless(os.access(os.path.join(FRR, "bgpd"), os.X_OK) and shutil.which("vtysh"), "needs FRR")
    def test_bgp(self):
        """A VPN route with a SID that bgpd imports becomes a path of the switch, by a nexthop object of zebra."""
        net = self.network()
        net.underlay()
        peer, own = wanbed.address("p", "west"), wanbed.address("pe1", "core")
        frr = Frr(net, "cp", net.directory, bgpd=BGP.format(peer=peer))
        self.addCleanup(frr.end)
        self.wait_for(lambda: net.ping("p", peer, own, 1))
        speaker = Speaker(net, "p", peer, own)
        self.addCleanup(speaker.close)
        time.sleep(1)
        speaker.announce("2001:db8:2::/64", DT6["pe2"], 18)

        def routes():
            return [r for r in net.switches["pe1"].json("show route") if r["prefix"] == "2001:db8:2::/64"]

        # The list is there as soon as the nexthop object is, which comes before the route.
        self.wait_for(routes, 30)
        [route] = routes()
        self.assertEqual((route["kind"], route["protocol"], route["segments"]), ("segments", "bgp", [DT6["pe2"]]))
        self.assertTrue(net.answered("h1", "-c", "5", "-i", "0.1", wanbed.address("h2", "eth0")))
        self.assertGreaterEqual(self.lists(net)[DT6["pe2"],]["packets"], 5)
        speaker.close()
        # The list stays for as long as zebra keeps its nexthop object.
        self.wait_for(lambda: "segments" not in [r["kind"] for r in net.switches["pe1"].json("show route")], 30)


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, net=wanbed.Wan, tools=("ping", "ethtool", "sysctl")))
