#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""fastcn-pnc beside real routers, in network namespaces. Needs root, FRR, and for BGP ExaBGP; else exit 77.

BGP: ExaBGP (x) announces routes with the attribute of Next Hop Dependent Characteristics to FRR (r), which does not know it,
and reports its routes by BMP to fastcn-pnc (sw).

test_pnc_frr.py --fastcn PROGRAM --fastcn_pnc PROGRAM [unittest options]
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import bmp
import testbed
from test_kernel import FRR, Frr
from test_pnc import StubSwitch

# ExaBGP is a router of its own; FRR's BMP needs what its neighbours have said, before the policy.
BGPD = """
hostname r
router bgp 65000
 bgp router-id 192.0.2.1
 no bgp ebgp-requires-policy
 no bgp default ipv4-unicast
 neighbor 192.0.2.9 remote-as 65001
 neighbor 192.0.2.9 timers 1 5
 neighbor 192.0.2.9 timers connect 1
 address-family ipv4 unicast
  neighbor 192.0.2.9 activate
  neighbor 192.0.2.9 soft-reconfiguration inbound
 exit-address-family
 address-family ipv6 unicast
  neighbor 192.0.2.9 activate
  neighbor 192.0.2.9 soft-reconfiguration inbound
 exit-address-family
 bmp targets fastcn
  bmp connect 198.51.100.2 port 1790 min-retry 100 max-retry 200
  bmp monitor ipv4 unicast {policy}
  bmp monitor ipv6 unicast {policy}
"""

EXABGP = """
process commands {{
  run /bin/cat {fifo};
  encoder text;
}}
neighbor 192.0.2.1 {{
  router-id 192.0.2.9;
  local-address 192.0.2.9;
  local-as 65001;
  peer-as 65000;
  family {{ ipv4 unicast; ipv6 unicast; }}
  api {{ processes [ commands ]; }}
}}
"""

SIX, SIX_HOP = "2001:db8:a::/48", "2001:db8:9::9"
FOUR, FOUR_HOP = "203.0.113.0/24", "192.0.2.9"


class BgpNet(testbed.Namespaces):
    def __init__(self):
        super().__init__("x", "r", "sw")

    def create(self):
        super().create()
        for a, b, device, four, six in (("x", "r", "eth0", ("192.0.2.9/25", "192.0.2.1/25"),
                                         ("2001:db8:9::9/64", "2001:db8:9::1/64")),
                                        ("r", "sw", "eth1", ("198.51.100.1/30", "198.51.100.2/30"), ())):
            self.ip(a, "link", "add", device, "type", "veth", "peer", "name", device, "netns", self.name[b])
            for side, address in zip((a, b), four):
                self.ip(side, "link", "set", "lo", "up")
                self.ip(side, "link", "set", device, "up")
                self.ip(side, "addr", "add", address, "dev", device)
            for side, address in zip((a, b), six):
                self.ip(side, "addr", "add", address, "dev", device, "nodad")


class BmpFrr(Frr):
    """bgpd with its module for BMP."""

    def __init__(self, net, where, directory, **configs):
        popen = net.popen
        net.popen = lambda place, *words, **more: popen(
            place, *(words[:1] + ("-M", "bmp") + words[1:] if words[0].endswith("/bgpd") else words), **more)
        try:
            super().__init__(net, where, directory, **configs)
        finally:
            net.popen = popen


class ExaBgp:
    def __init__(self, net, where, directory):
        self.fifo = os.path.join(directory, "commands")
        os.mkfifo(self.fifo)
        os.chmod(self.fifo, 0o666)
        config = testbed.write(directory, "exabgp.conf", EXABGP.format(fifo=self.fifo))
        self.log = open(os.path.join(directory, "exabgp.log"), "w", encoding="utf-8")
        settings = ("exabgp.daemon.drop=false", "exabgp.api.cli=false", "exabgp.tcp.bind=", "exabgp.api.ack=false")
        self.process = net.popen(where, "env", *settings, "exabgp", config, stdin=subprocess.DEVNULL, stdout=self.log,
                                 stderr=self.log)
        self.commands = open(self.fifo, "w", buffering=1, encoding="ascii")  # as soon as cat reads it

    def say(self, *words):
        self.commands.write(" ".join(words) + "\n")

    def announce(self, prefix, hop, in_attribute=None):
        value = bmp.nhc(2 if ":" in prefix else 1, in_attribute or hop).hex()
        self.say("announce route", prefix, "next-hop", hop, f"attribute [0x27 0xc0 0x{value}]")

    def end(self):
        self.process.terminate()
        try:
            self.process.wait(timeout=testbed.seconds(10))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.commands.close()
        self.log.close()


class Pnc:
    """fastcn-pnc in a namespace, or a further one after that."""

    def __init__(self, case, net, where, directory, *options):
        self.case, self.net, self.where, self.directory, self.options = case, net, where, directory, options
        self.errors = open(os.path.join(directory, "pnc.log"), "a", encoding="utf-8")
        case.addCleanup(self.errors.close)
        case.addCleanup(self.end)
        self.start()

    def start(self):
        self.process = self.net.popen(self.where, testbed.options.fastcn_pnc, *self.options,
                                      stdin=subprocess.DEVNULL, stdout=self.errors, stderr=self.errors)

    def end(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.process.wait(timeout=testbed.seconds(10))

    def state(self):
        """By --status and --json."""
        path = self.options[self.options.index("--status") + 1]
        if os.path.exists(path):
            os.unlink(path)
        self.process.send_signal(signal.SIGUSR1)
        testbed.wait_until(lambda: os.path.exists(path))
        with open(path, encoding="ascii") as f:
            return json.load(f)


class Case(unittest.TestCase):
    net_class = None

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="fastcn-pnc-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        os.chmod(self.directory, 0o755)
        self.net = self.net_class()
        self.addCleanup(self.net.destroy)
        self.net.create()
        self.socket = os.path.join(self.directory, "switch.sock")
        self.status = os.path.join(self.directory, "state")

    def stub(self):
        switch = StubSwitch(self.socket)
        self.addCleanup(switch.close)
        return switch

    def wait_for(self, what, timeout=30):
        self.assertTrue(testbed.wait_until(what, timeout))


@unittest.skipUnless(shutil.which("exabgp") and os.access(os.path.join(FRR, "bgpd"), os.X_OK) and shutil.which("vtysh"),
                     "needs FRR and ExaBGP")
class Bgp(Case):
    net_class = BgpNet

    def routers(self, policy):
        frr = BmpFrr(self.net, "r", self.directory, bgpd=BGPD.format(policy=policy))
        self.addCleanup(frr.end)
        exabgp = ExaBgp(self.net, "x", self.directory)
        self.addCleanup(exabgp.end)
        self.wait_for(lambda: '"bgpState":"Established"' in re.sub(
            r"\s*:\s*", ":", frr.vtysh("bgpd", "show bgp neighbors 192.0.2.9 json")), 60)
        return frr, exabgp

    def pnc(self, *more):
        return Pnc(self, self.net, "sw", self.directory, "--socket", self.socket, "--bmp", "198.51.100.2", "1790",
                   "--status", self.status, "--json", *more)

    def through_frr(self, policy):
        switch, pnc = self.stub(), self.pnc()
        frr, exabgp = self.routers(policy)
        # FRR 8.4 does not report after its policy what is valid only later, when the next hop has been looked up.
        exabgp.say("announce route 2001:db8:c::/48 next-hop", SIX_HOP)
        exabgp.say("announce route 198.18.0.0/24 next-hop", FOUR_HOP)
        self.wait_for(lambda: frr.vtysh("bgpd", "show bgp nexthop").count(" valid [") == 2)
        exabgp.announce(SIX, SIX_HOP)
        exabgp.announce(FOUR, FOUR_HOP)
        exabgp.announce("2001:db8:b::/48", SIX_HOP, in_attribute="2001:db8:9::8")
        both = {(SIX, "bgp"): SIX_HOP, (FOUR, "bgp"): FOUR_HOP}
        self.wait_for(lambda: switch.proxies == both)
        self.wait_for(lambda: pnc.state()["bmp"]["nhc_next_hop"] >= 1)
        self.assertEqual(pnc.state()["bmp"]["malformed_update"], 0)
        # Without the attribute, and withdrawn.
        exabgp.say("announce route", FOUR, "next-hop", FOUR_HOP)
        self.wait_for(lambda: switch.proxies == {(SIX, "bgp"): SIX_HOP})
        exabgp.say("withdraw route", SIX, "next-hop", SIX_HOP)
        self.wait_for(lambda: not switch.proxies)
        exabgp.announce(SIX, SIX_HOP)
        self.wait_for(lambda: switch.proxies == {(SIX, "bgp"): SIX_HOP})
        # A new process learns it again from the router, and removes nothing.
        told = len(switch.lines)
        pnc.end(signal.SIGKILL)
        pnc.start()
        self.wait_for(lambda: len(switch.lines) > told)
        self.assertTrue(all(" add " in line for _, line in switch.lines[told:]))
        self.assertEqual(switch.proxies, {(SIX, "bgp"): SIX_HOP})
        # The peer goes.
        exabgp.process.terminate()
        self.wait_for(lambda: not switch.proxies)
        self.wait_for(lambda: pnc.state()["bmp"]["peer_down"] >= 1)
        return frr

    def test_pre_policy(self):
        self.through_frr("pre-policy")

    def test_post_policy(self):
        self.through_frr("post-policy")

    def test_router_restarts(self):
        """bgpd is killed: its routes stay, and those that it reports again stay longer."""
        switch, pnc = self.stub(), self.pnc("--bmp-hold", "20s")
        frr, exabgp = self.routers("pre-policy")
        exabgp.announce(SIX, SIX_HOP)
        exabgp.announce(FOUR, FOUR_HOP)
        self.wait_for(lambda: len(switch.proxies) == 2)
        frr.processes["bgpd"].kill()
        frr.stop("bgpd")
        self.wait_for(lambda: pnc.state()["bmp"]["routers"][0]["stale"] == 2)
        self.assertEqual(len(switch.proxies), 2)
        self.assertFalse(any(" remove " in line for _, line in switch.lines))
        exabgp.say("withdraw route", FOUR, "next-hop", FOUR_HOP)
        popen = self.net.popen
        self.net.popen = lambda place, *words, **more: popen(place, words[0], "-M", "bmp", *words[1:], **more)
        frr.start("bgpd")
        self.net.popen = popen
        self.wait_for(lambda: switch.proxies == {(SIX, "bgp"): SIX_HOP}, 60)
        state = pnc.state()["bmp"]["routers"][0]
        self.assertEqual((state["routes"], state["stale"]), (1, 0))


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, programs=("fastcn", "fastcn_pnc"), net=BgpNet))
