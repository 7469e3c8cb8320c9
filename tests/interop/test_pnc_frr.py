#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""fastcn-pnc beside real routers, in network namespaces. Needs root, FRR, and for BGP ExaBGP; else exit 77.

BGP: ExaBGP (x) announces routes with the attribute of Next Hop Dependent Characteristics to FRR (r), which does not know it,
and reports its routes by BMP to fastcn-pnc (sw).

IS-IS, OSPFv2 and OSPFv3: FRR runs on three routers, a, b and c. a and b are neighbours through a fastcn that bridges (sw),
beside which fastcn-pnc listens; c is a neighbour of b. From the address of c come messages with the capability, of a
router that is not there, made by tests/data/pnc_messages.py, which shares no code with fastcn. b floods them to a.

Routed port: fastcn-pnc listens on the interface of the kernel (cp) that stands for a port of fastcn (sw), without FRR.

test_pnc_frr.py --fastcn PROGRAM --fastcn_pnc PROGRAM [unittest options]
"""

import concurrent.futures
import json
import os
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import bmp
import testbed

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data"))
import pnc_messages as pnc  # noqa: E402
import test_pnc  # noqa: E402
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


class Shown:
    """A real switch, by its `show pnc`."""

    def __init__(self, switch):
        self.switch = switch

    @property
    def proxies(self):
        return {(row["prefix"], row["protocol"]): row["address"] for row in self.switch.json("show pnc") if row["used"]}

    @property
    def sids(self):
        """Learned END.CON SIDs, by `show srv6 endcon`."""
        return {(row["prefix"], row["origin"]) for row in self.switch.json("show srv6 endcon")["known"] if row["left_s"] is not None}


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

    def pnc(self, *more, path=None):
        return Pnc(self, self.net, "sw", self.directory, "--socket", path or self.socket, "--bmp", "198.51.100.2", "1790",
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

    def test_show_pnc(self):
        """With a real switch: the prefix appears in `show pnc`, and a withdrawal removes it."""
        switch = testbed.Switch(self.directory, None, namespace=self.net.name["sw"])
        self.addCleanup(switch.end)
        shown = Shown(switch.wait())
        self.pnc(path=switch.path)
        _, exabgp = self.routers("pre-policy")
        exabgp.announce(SIX, SIX_HOP)
        self.wait_for(lambda: shown.proxies == {(SIX, "bgp"): SIX_HOP})
        exabgp.say("withdraw route", SIX, "next-hop", SIX_HOP)
        self.wait_for(lambda: not shown.proxies)

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


ISISD = """
hostname {where}
router isis 1
 net 49.0001.1921.6800.00{host:02}.00
 is-type level-2-only
 lsp-gen-interval 1
{interfaces}
"""
ISIS_INTERFACE = """
interface {interface}
 ip router isis 1
 ipv6 router isis 1
 isis circuit-type level-2-only
 isis hello-interval 1
 isis csnp-interval 1
 isis psnp-interval 1
"""
OSPFD = """
hostname {where}
router ospf
 ospf router-id 192.0.2.{host}
 capability opaque
 timers lsa min-arrival 0
{interfaces}
"""
OSPF_INTERFACE = """
interface {interface}
 ip ospf area 0
 ip ospf hello-interval 1
 ip ospf dead-interval 4
 ip ospf network point-to-point
"""
OSPF6D = """
hostname {where}
{interfaces}
router ospf6
 ospf6 router-id 192.0.2.{host}
 timers lsa min-arrival 0
"""
OSPF6_INTERFACE = """
interface {interface}
 ipv6 ospf6 area 0
 ipv6 ospf6 hello-interval 1
 ipv6 ospf6 dead-interval 4
 ipv6 ospf6 network point-to-point
"""

BRIDGE = """
port add p1 device net_af_packet0
port add p2 device net_af_packet1
bridge add br0
bridge br0 port add p1
bridge br0 port add p2
"""

# Links: of each end the namespace, the interface, the last part of its addresses.
LINKS = ((("a", "eth0", 1), ("b", "eth0", 2)), (("b", "eth1", 3), ("c", "eth0", 4)))
HOSTS = {"a": 1, "b": 2, "c": 3}
GHOST = "192.0.2.21"  # the router that is not there


class IgpNet(testbed.Namespaces):
    def __init__(self):
        super().__init__("a", "b", "c", "sw")

    def create(self):
        super().create()
        for n, (where, device) in enumerate((("a", "eth0"), ("b", "eth0")), 1):
            self.ip(where, "link", "add", device, "type", "veth", "peer", "name", f"s{n}", "netns", self.name["sw"])
            self.ip("sw", "link", "set", f"s{n}", "up")
            self.sysctl("sw", f"net.ipv6.conf.s{n}.disable_ipv6=1")
        self.ip("b", "link", "add", "eth1", "type", "veth", "peer", "name", "eth0", "netns", self.name["c"])
        for n, link in enumerate(LINKS):
            for where, device, host in link:
                self.ip(where, "link", "set", "lo", "up")
                self.ip(where, "link", "set", device, "up")
                self.run(where, "ethtool", "-K", device, "tx", "off", "rx", "off")
                self.ip(where, "addr", "add", f"198.51.10{n}.{host}/24", "dev", device)
                self.ip(where, "addr", "add", f"2001:db8:{n}::{host}/64", "dev", device, "nodad")

    def mac(self, where, device):
        return bytes.fromhex(json.loads(self.ip(where, "-j", "link", "show", device))[0]["address"].replace(":", ""))

    def link_local(self, where, device):
        [address] = [a["local"] for a in json.loads(self.ip(where, "-j", "-6", "addr", "show", device))[0]["addr_info"]
                     if a["scope"] == "link"]
        return address


@unittest.skipUnless(os.access(os.path.join(FRR, "isisd"), os.X_OK) and shutil.which("vtysh"), "needs FRR")
class Igp(Case):
    """Routers accept instances of an LSA without the second of RFC 2328 section 13 between them (min-arrival)."""
    net_class = IgpNet

    def begin(self, daemon, config, interface):
        """The switch, fastcn-pnc, and a daemon on each router."""
        switch = testbed.Switch(self.directory, testbed.write(self.directory, "fastcn.conf", BRIDGE),
                                namespace=self.net.name["sw"],
                                vdevs=[f"net_af_packet{n},iface=s{n + 1}" for n in range(2)])
        self.addCleanup(switch.end)
        self.pnc = Pnc(self, self.net, "sw", self.directory, "--socket", switch.path, "--interface", "s1", "--interface", "s2", "--status",
                       self.status, "--json", "--endcon-code", str(pnc.CON))

        def start(where, host):
            devices = [device for link in LINKS for w, device, _ in link if w == where]
            text = config.format(where=where, host=host,
                                 interfaces="".join(interface.format(interface=d) for d in devices))
            router = Frr(self.net, where, self.directory, **{daemon: text})
            self.addCleanup(router.end)
            return router

        with concurrent.futures.ThreadPoolExecutor() as pool:
            self.routers = dict(zip(HOSTS, pool.map(start, HOSTS, HOSTS.values())))
        self.told = Shown(switch.wait())
        self.out = self.net.packet_socket("c", "eth0")
        self.addCleanup(self.out.close)

    def neighbours(self, where, daemon, command, state, number):
        return self.routers[where].vtysh(daemon, command).count(state) == number

    def state(self, protocol):
        return self.pnc.state()[protocol]

    def learned(self, protocol, proxies):
        self.wait_for(lambda: self.told.proxies == {(prefix, protocol): proxy for prefix, proxy in proxies.items()})

    def sids(self, sid, protocol):
        self.wait_for(lambda: self.told.sids == {(sid, protocol)})

    def test_isis(self):
        self.begin("isisd", ISISD, ISIS_INTERFACE)
        self.wait_for(lambda: self.neighbours("b", "isisd", "show isis neighbor", " Up ", 2), 60)
        # What the three have said of themselves.
        self.wait_for(lambda: self.state("isis")["originators"] >= 3, 60)

        def say(body, **more):
            frame = pnc.llc(pnc.lsp(body, level=2, system="192000000021", **more), level=2)
            self.out.send(frame[:6] + self.net.mac("c", "eth0") + frame[12:])

        identity = pnc.AREA + pnc.tlv(134, pnc.ip(GHOST))
        two = identity + pnc.tlv(135, pnc.reach("10.1.0.0/16", pnc.P) + pnc.reach("10.2.0.0/16", pnc.N)) + pnc.tlv(
            236, pnc.reach("2001:db8:a::/48", pnc.P, source6="2001:db8:ffff::1"))
        both = {"10.1.0.0/16": GHOST, "2001:db8:a::/48": "2001:db8:ffff::1"}
        say(two, seq=5)
        self.learned("isis", both)
        self.assertIn("1920.0000.0021", self.routers["a"].vtysh("isisd", "show isis database"))
        # fastcn-pnc is killed: no packet and no proxy is lost, and the new process hears what comes next.
        with self.net.popen("a", "ping", "-c", "100", "-i", "0.02", "198.51.100.2", stdout=subprocess.PIPE, text=True) as ping:
            time.sleep(0.5)
            self.pnc.end(signal.SIGKILL)
            time.sleep(0.5)
            self.assertEqual(len(self.told.proxies), 2)
            self.pnc.start()
            self.assertIn(" 0% packet loss", ping.communicate()[0])
        self.assertEqual(len(self.told.proxies), 2)
        # The refresh of what it has learned before; then newer, then purged; then one whose lifetime is short.
        say(two, seq=6)
        self.wait_for(lambda: self.state("isis")["prefixes"] == 2)
        self.learned("isis", both)
        say(identity + pnc.tlv(135, pnc.reach("10.3.0.0/16", pnc.P)), seq=7)
        self.learned("isis", {"10.3.0.0/16": GHOST})
        say(b"", seq=8, life=0)
        self.learned("isis", {})
        say(identity + pnc.tlv(135, pnc.reach("10.4.0.0/16", pnc.P)), seq=9, life=5)
        self.learned("isis", {"10.4.0.0/16": GHOST})
        self.learned("isis", {})
        # END.CON SIDs of a PE: learned, another one instead, and the end of its lifetime.
        pe = pnc.locator("2001:db8:e1:1::/64", pnc.end_sid("2001:db8:e1:1::1", pnc.END), pnc.end_sid("2001:db8:e1:1::c"))
        say(identity + pnc.locators(pe), seq=10)
        self.sids("2001:db8:e1:1::c/128", "isis")
        say(identity + pnc.locators(pnc.locator("2001:db8:e1:1::/64", pnc.end_sid("2001:db8:e1:1::d"))), seq=11, life=5)
        self.sids("2001:db8:e1:1::d/128", "isis")
        self.assertIn("1920.0000.0021", self.routers["a"].vtysh("isisd", "show isis database"))
        self.wait_for(lambda: not self.told.sids)

    def ospf(self, lsas):
        """An update from the address of c, with its router ID."""
        frame = pnc.update2(lsas, router="192.0.2.3")
        ip4 = frame[14:26] + pnc.ip("198.51.101.4") + frame[30:34]
        ip4 = ip4[:10] + struct.pack(">H", pnc.ones(ip4[:10] + b"\0\0" + ip4[12:])) + ip4[12:]
        self.out.send(frame[:6] + self.net.mac("c", "eth0") + frame[12:14] + ip4 + frame[34:])

    def test_ospf(self):
        self.begin("ospfd", OSPFD, OSPF_INTERFACE)
        self.wait_for(lambda: self.neighbours("b", "ospfd", "show ip ospf neighbor", "Full", 2), 60)
        self.wait_for(lambda: self.state("ospf")["other"] >= 1, 60)
        address = pnc.te2("192.0.2.121", GHOST)
        self.ospf([address, pnc.area2(pnc.prefix2("10.21.0.0/16") + pnc.prefix2("10.22.0.0/16", attributes=b""))])
        self.learned("ospf", {"10.21.0.0/16": "192.0.2.121"})
        self.assertIn(GHOST, self.routers["a"].vtysh("ospfd", "show ip ospf database opaque-area"))
        self.ospf([pnc.area2(pnc.prefix2("10.22.0.0/16"), seq=0x80000004)])
        self.learned("ospf", {"10.22.0.0/16": "192.0.2.121"})
        self.ospf([pnc.area2(pnc.prefix2("10.22.0.0/16"), seq=0x80000005, age=3600)])
        self.learned("ospf", {})
        self.ospf([pnc.area2(pnc.prefix2("10.23.0.0/16"), lsid=2, age=3595)])
        self.learned("ospf", {"10.23.0.0/16": "192.0.2.121"})
        self.learned("ospf", {})

    def ospf3(self, lsas):
        frame = pnc.update3(lsas, router="192.0.2.3")
        source, packet = pnc.ip(self.net.link_local("c", "eth0")), frame[54:]
        packet = packet[:12] + b"\0\0" + packet[14:]
        pseudo = source + pnc.ip("ff02::5") + struct.pack(">II", len(packet), 89)
        packet = packet[:12] + struct.pack(">H", pnc.ones(pseudo + packet)) + packet[14:]
        self.out.send(frame[:6] + self.net.mac("c", "eth0") + frame[12:22] + source + frame[38:54] + packet)

    def test_ospf3(self):
        self.begin("ospf6d", OSPF6D, OSPF6_INTERFACE)
        self.wait_for(lambda: self.neighbours("b", "ospf6d", "show ipv6 ospf6 neighbor", "Full", 2), 60)
        self.wait_for(lambda: self.state("ospf3")["other"] >= 1, 60)

        def prefixes(body, **more):
            return pnc.lsa(0xA029, 1, pnc.attached(GHOST) + body, router=GHOST, **more)

        address = pnc.lsa(0xA00A, 0, pnc.otlv(3, pnc.ip("2001:db8:ffff::21")), router=GHOST)
        self.ospf3([address, prefixes(pnc.prefix3("2001:db8:31::/48") + pnc.prefix3("2001:db8:32::/64", attributes=b""))])
        self.learned("ospf3", {"2001:db8:31::/48": "2001:db8:ffff::21"})
        self.ospf3([prefixes(pnc.prefix3("2001:db8:33::/48"), seq=0x80000004)])
        self.learned("ospf3", {"2001:db8:33::/48": "2001:db8:ffff::21"})
        self.ospf3([prefixes(pnc.prefix3("2001:db8:33::/48"), seq=0x80000005, age=3600)])
        self.learned("ospf3", {})
        # The SRv6 Locator LSA of a PE, which FRR does not know, and floods: it has the U bit.
        self.ospf3([pnc.locators3(pnc.locator3("2001:db8:e1:1::/64", pnc.end_sid3("2001:db8:e1:1::1", pnc.END),
                                               pnc.end_sid3("2001:db8:e1:1::c")), router=GHOST)])
        self.sids("2001:db8:e1:1::c/128", "ospf3")
        self.wait_for(lambda: GHOST in self.routers["a"].vtysh("ospf6d", "show ipv6 ospf6 database"))
        self.ospf3([pnc.locators3(pnc.locator3("2001:db8:e1:1::/64", pnc.end_sid3("2001:db8:e1:1::d")), router=GHOST, seq=0x80000004)])
        self.sids("2001:db8:e1:1::d/128", "ospf3")
        self.ospf3([pnc.locators3(router=GHOST, seq=0x80000005, age=3600)])
        self.wait_for(lambda: not self.told.sids)
        # The routers have exchanged their databases by unicast packets, which FRR sends with hop limit 64.
        state = self.pnc.state()
        self.assertEqual(state["frames"]["distant"], 0)
        self.assertGreater(state["frames"]["ospf3"], 0)


ROUTED = """
set kernel namespace {cp}
port add p1 device net_af_packet0
set port p1 kernel sw1
address add p1 2001:db8:1::fe/64
address add p1 198.51.100.254/24
"""


class RoutedNet(testbed.Namespaces):
    def __init__(self):
        super().__init__("a", "sw", "cp")

    def create(self):
        super().create()
        self.ip("a", "link", "add", "eth0", "type", "veth", "peer", "name", "s1", "netns", self.name["sw"])
        self.ip("sw", "link", "set", "s1", "up")
        self.sysctl("sw", "net.ipv6.conf.s1.disable_ipv6=1")
        self.ip("a", "link", "set", "eth0", "up")


class Routed(Case):
    """The interface of the kernel that stands for a routed port."""
    net_class = RoutedNet

    def test_kernel_interface(self):
        """What the port receives is learned, also after the interface has gone and come again."""
        path = os.path.join(self.directory, "fastcn.sock")
        self.pnc = Pnc(self, self.net, "cp", self.directory, "--socket", path, "--interface", "sw1", "--status", self.status,
                       "--json")
        switch = testbed.Switch(self.directory, testbed.write(self.directory, "fastcn.conf", ROUTED.format(**self.net.name)),
                                namespace=self.net.name["sw"], vdevs=["net_af_packet0,iface=s1"])
        self.addCleanup(switch.end)
        told = Shown(switch.wait())
        self.wait_for(lambda: self.pnc.state()["sources"][0]["is_open"])
        frames = dict([*pnc.isis(), *pnc.ospf(), *pnc.ospf3()])
        with self.net.packet_socket("a", "eth0") as out:
            for n, name in enumerate(test_pnc.Program.FRAMES, 1):
                out.send(frames[name])
                wanted = {k: v for part in list(test_pnc.Program.FRAMES.values())[:n] for k, v in part.items()}
                self.wait_for(lambda: told.proxies == wanted)
            # Each is heard once.
            state = self.pnc.state()
            self.assertEqual([state["frames"][name] for name in ("isis", "ospf", "ospf3")], [1, 1, 1])
            # The interface goes, and comes again with another number.
            self.assertEqual(switch.say("set port p1 kernel off"), "")
            self.wait_for(lambda: not self.pnc.state()["sources"][0]["is_open"])
            self.assertEqual(told.proxies, wanted)
            self.assertEqual(switch.say("set port p1 kernel sw1"), "")
            self.wait_for(lambda: self.pnc.state()["sources"][0]["is_open"])
            out.send(frames["isis-l1-purge"])
            self.wait_for(lambda: not any(protocol == "isis" for _, protocol in told.proxies))
        self.assertTrue(switch.json("show conservation")["ok"])


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, programs=("fastcn", "fastcn_pnc"), net=BgpNet))
