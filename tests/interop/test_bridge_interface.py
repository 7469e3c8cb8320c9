#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The switch as a station of a bridge, between two Linux hosts: it answers ND, ARP and ping for its addresses there, and
learns of a host that answers its notices by Parameter Problem."""

import sys
import unittest

import test_host
import test_live
import testbed

H2 = "2001:db8:1::2"
INTERFACE = "02:00:00:00:0b:fe"

CONFIG = f"""
port add p1 device net_af_packet0
port add p2 device net_af_packet1
set loopback 2001:db8:f::5
set host dad off
bridge add br0
bridge br0 port add p1
bridge br0 port add p2
bridge br0 interface add host
set port host mac {INTERFACE}
address add host 2001:db8:1::fe/64
address add host 192.0.2.126/25
set port p2 rate 2M
set queue p2 class 3 detector step 3K
set queue p2 class 3 ecn on
set queue p2 class 3 notify on
set notify fast-cnp on
set notify interval 1ms
"""


class BridgeNet(test_live.Net):
    """Both hosts in one network, and a way to the loopback on that link."""

    def create(self):
        super().create()
        for n, host in ((1, "h1"), (2, "h2")):
            self.ip(host, "neigh", "flush", "dev", "eth0", "nud", "permanent")
            self.ip(host, "addr", "flush", "dev", "eth0", "scope", "global")
            self.ip(host, "addr", "add", f"2001:db8:1::{n}/64", "dev", "eth0", "nodad")
            self.ip(host, "addr", "add", f"192.0.2.{n}/25", "dev", "eth0")
            self.ip(host, "-6", "route", "add", "2001:db8:f::5/128", "dev", "eth0")
            self.run(host, "ethtool", "-K", "eth0", "tx", "off", "rx", "off", "gso", "off", "tso", "off", "gro", "off")
            self.sysctl("sw", f"net.ipv6.conf.s{n}.disable_ipv6=1")


class BridgeInterface(test_host.Host):
    """Those tests of a router that have no meaning here are taken out by load_tests()."""

    NET = BridgeNet

    def mac_of(self, host, address):
        shown = self.net.run(host, "ip", "neigh", "show", address)
        return shown.split("lladdr ")[1].split()[0] if "lladdr " in shown else None

    def test_answers(self):
        switch = self.start(CONFIG)
        for host in ("h1", "h2"):
            for address in ("2001:db8:1::fe", "2001:db8:f::5", "192.0.2.126"):
                self.assertTrue(self.net.answered(host, "-c3", "-i0.2", address), (host, address))
                self.assertEqual(self.mac_of(host, address), INTERFACE)
        # a packet to it that wants to be routed
        self.net.ip("h1", "-6", "route", "replace", "2001:db8:77::/64", "via", "2001:db8:1::fe")
        self.assertIn("0 received", self.ping("h1", "2001:db8:77::1", 1))
        self.net.ip("h1", "-6", "route", "del", "2001:db8:77::/64")
        drops = {d["reason"]: d["packets"] for d in switch.json("show drops")}
        self.assertEqual(drops.get("bridge_interface"), 1)
        self.assertTrue(self.net.answered("h1", "-c3", "-i0.2", "2001:db8:1::2"))
        self.check_conservation(switch)

    def test_sender_that_does_not_understand(self):
        switch = self.start(CONFIG)
        self.ping("h1", "2001:db8:1::2")
        self.assertGreaterEqual(len(self.fast_cnps(self.flood(2.0, by=H2, to=H2), H2)), 1)
        senders = {s["prefix"]: s for s in switch.json("show sender")}
        self.assertEqual(senders["2001:db8:1::1/128"]["capability"], "none")
        before = switch.json("show queue p2 class 3")[0]["ce_marked"]
        self.assertEqual(self.fast_cnps(self.flood(1.0, by=H2, to=H2), H2), [])
        self.assertGreater(switch.json("show queue p2 class 3")[0]["ce_marked"], before)
        self.check_conservation(switch)


def load_tests(loader, tests, pattern):
    """Not those of the class that this one is made of."""
    return unittest.TestSuite(BridgeInterface(name) for name in ("test_answers", "test_sender_that_does_not_understand"))


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, net=BridgeNet, tools=test_host.TOOLS))
