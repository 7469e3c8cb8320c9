#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What a site brings: links that come up at any speed, renegotiate and go, beside routes of the kernel and FRR. Ports are
net_failsafe over net_af_packet, whose links are in a file (link_state.c), as no virtual device changes its speed. Every
step ends with packets between hosts of the kernel and with what the switch says of it. Needs root and net_failsafe, and
FRR for the leaf."""

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import testbed
from test_kernel import FRR, Frr

TOOLS = ("ping", "ethtool", "sysctl")
# Debian's DPDK has room for 32 devices (RTE_MAX_ETHPORTS). A port takes two: net_failsafe, and what is under it.
LEAF_PORTS = 15
G = 10**9
SPEEDS = (10, 100, 400)
METRICS_PORT = 9750

PAIR = """
set kernel namespace {cp}
set kernel table main
set host dad off
set metrics listen 9750 on 127.0.0.1
port add p1 device net_failsafe1
port add p2 device net_failsafe2
address add p1 10.0.1.254/24
address add p2 10.0.2.254/24
set port p1 kernel sw1
set port p2 kernel sw2
"""

# Rates, detectors and lossless classes of one port; thresholds and headroom by default, so that speeds decide.
LEAF_PORT = """
port add p{n} device net_failsafe{n}
address add p{n} 10.0.{n}.254/24
set queue p{n} class 3 committed 12G
set queue p{n} class 3 detector step
set queue p{n} class 4 detector red
set pfc p{n} class 3 send on
set pfc p{n} class 3 receive on
"""

LEAF_FRR = """
set kernel namespace {cp}
set kernel table main
set port p1 kernel sw1
set port p2 kernel sw2
"""

HOST_BGP = """
hostname h{n}
router bgp 6500{n}
 bgp router-id 10.0.{n}.1
 no bgp ebgp-requires-policy
 no bgp network import-check
 neighbor 10.0.{n}.254 remote-as 65000
 neighbor 10.0.{n}.254 timers 1 3
 neighbor 10.0.{n}.254 timers connect 1
 neighbor 10.0.{n}.254 advertisement-interval 0
 address-family ipv4 unicast
  network 10.10{n}.0.0/16
  network 10.100.0.0/16
 exit-address-family
"""

SWITCH_BGP = """
hostname leaf
router bgp 65000
 bgp router-id 10.0.1.254
 no bgp ebgp-requires-policy
 bgp bestpath as-path multipath-relax
""" + "".join(f""" neighbor 10.0.{n}.1 remote-as 6500{n}
 neighbor 10.0.{n}.1 timers 1 3
 neighbor 10.0.{n}.1 timers connect 1
 neighbor 10.0.{n}.1 advertisement-interval 0
""" for n in (1, 2)) + """ address-family ipv4 unicast
  maximum-paths 8
 exit-address-family
"""


def host(n):
    return f"h{n}"


class Site(testbed.Namespaces):
    """Hosts, each with a cable to the switch (sw), and the switch's control plane (cp). Host n is 10.0.n.1."""

    def __init__(self, hosts=LEAF_PORTS):
        super().__init__("sw", "cp", *(host(n) for n in range(1, hosts + 1)))
        self.hosts = range(1, hosts + 1)

    def create(self):
        super().create()
        for n in self.hosts:
            self.ip(host(n), "link", "add", "eth0", "type", "veth", "peer", "name", f"s{n}", "netns", self.name["sw"])
            # The kernel is not to speak on the switch's side.
            self.sysctl("sw", f"net.ipv6.conf.s{n}.disable_ipv6=1")
            self.ip("sw", "link", "set", f"s{n}", "up")
            self.sysctl(host(n), "net.ipv6.conf.eth0.disable_ipv6=1")
            self.ip(host(n), "link", "set", "lo", "up")
            self.ip(host(n), "link", "set", "eth0", "up")
            self.run(host(n), "ethtool", "-K", "eth0", "tx", "off", "gso", "off", "tso", "off", "gro", "off")
            self.ip(host(n), "addr", "add", f"10.0.{n}.1/24", "dev", "eth0")
            self.ip(host(n), "route", "add", "default", "via", f"10.0.{n}.254")
        for n in (1, 2):  # what is behind them
            for prefix in (f"10.10{n}.0.1/32", "10.100.0.1/32"):
                self.ip(host(n), "addr", "add", prefix, "dev", "lo")
        self.ip("sw", "link", "set", "lo", "up")
        self.ip("cp", "link", "set", "lo", "up")
        self.sysctl("cp", "net.ipv4.ip_forward=1")


class Probe(Site):
    """A smaller one, to see whether this machine can."""

    def __init__(self):
        super().__init__(2)

    def complaint(self):
        directories = [d for d in (os.environ.get("RTE_EAL_PMD_PATH"), "/usr/lib/x86_64-linux-gnu/dpdk",
                                   "/usr/lib/aarch64-linux-gnu/dpdk") if d]
        found = any("net_failsafe" in f for d in directories for _, _, files in os.walk(d) for f in files)
        return None if found else "needs DPDK's net_failsafe"


class Bed(unittest.TestCase):
    hosts = 2

    @classmethod
    def setUpClass(cls):
        cls.net = Site(cls.hosts)
        cls.addClassCleanup(cls.net.destroy)
        cls.net.create()
        directory = tempfile.TemporaryDirectory(prefix="fcn-site-")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = directory.name

    def setUp(self):
        self.link = {}
        self.switch = None
        self.frr = []

    def start(self, config, vdevs=None, **links):
        """links: by port, speed in G, 0 for a cable that is out"""
        self.set_links(**links)
        path = testbed.write(self.directory, "fastcn.conf", config.format(**self.net.name))
        if vdevs is None:
            vdevs = [f"net_failsafe{n},dev(net_af_packet{n},iface=s{n})" for n in self.net.hosts]
        self.switch = testbed.Switch(self.directory, path, "--mbufs", "65535", namespace=self.net.name["sw"], vdevs=vdevs, env={
            "LD_PRELOAD": testbed.options.link_state, "LINK_STATE_FILE": os.path.join(self.directory, "links")})
        self.addCleanup(self.switch.end)
        return self.switch.wait()

    def set_links(self, **links):
        """What cables and their other ends do."""
        self.link.update(links)
        text = "".join(f"net_failsafe{p[1:]} {g * 1000} {int(g > 0)}\n" for p, g in self.link.items())
        os.rename(testbed.write(self.directory, "links.new", text), os.path.join(self.directory, "links"))

    def links_are(self, **links):
        """Change links, and wait until the switch says so. It reads them four times a second."""
        self.set_links(**links)

        def shown():
            ports = {p["port"]: p for p in self.switch.json("show port")}
            return all(ports[p]["link_up"] == (g > 0) and ports[p]["link_bps"] == (g * G or None)
                       for p, g in links.items())
        testbed.wait_until(shown, 3)

    def warnings(self):
        def number():
            return self.switch.json("show status")["warnings"]
        before, shown, after = number(), self.switch.json("show warnings"), number()
        self.assertEqual(shown["left_out"], 0)
        found = sorted((w["warning"], w["place"]) for w in shown["warnings"])
        self.assertIn(len(found), (before, after))
        return found

    def metric(self, name):
        """Of /metrics, asked for within the switch's namespace."""
        with self.net.socket("sw", socket.AF_INET, socket.SOCK_STREAM) as s:
            s.settimeout(testbed.seconds(10))
            s.connect(("127.0.0.1", METRICS_PORT))
            s.sendall(b"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
            text = b"".join(iter(lambda: s.recv(65536), b"")).decode()
        return float(re.search(rf"^{name} (\S+)$", text, re.M).group(1))

    def logged(self, words):
        """Lines of the log that begin with these words."""
        return sum(line["message"].removeprefix("fastcn: ").startswith(words) for line in self.switch.json("show log last 256"))

    def ping(self, where, address):
        """One answer is enough, as the first packets may wait for a neighbour."""
        testbed.wait_until(lambda: "1 received" in self.net.run(where, "ping", "-n", "-c1", "-W1", address, check=False), 8)

    def no_ping(self, where, address):
        self.assertNotIn("1 received", self.net.run(where, "ping", "-n", "-c1", "-W0.5", address, check=False))

    def change_something_else(self):
        """A change that has nothing to do with links is made, and works at once."""
        for word in ("add", "remove"):
            self.assertEqual(self.switch.say(f"route {word} 198.51.100.0/24 via 10.0.2.1 port p2"), "")
            found = [r for r in self.switch.json("show route") if r["prefix"] == "198.51.100.0/24"]
            self.assertEqual(len(found), int(word == "add"))

    def kernel_routes(self, prefix):
        return [r for r in self.switch.json("show route") if r["prefix"] == prefix and r["origin"] == "kernel"]

    def check_accounts(self):
        """Every packet is accounted for, and each that was dropped has a reason with a name."""
        self.assertTrue(self.switch.json("show conservation")["ok"])
        for row in self.switch.json("show drops"):
            self.assertRegex(row["reason"], "^[a-z0-9_]+$")
            self.assertNotIn(row["reason"], ("unknown", "none"))


class Speeds(Bed):
    """Two ports. 12G and 6G are committed on p2, classes have detectors by default, and what is lossless shares a buffer."""

    COMMITTED = ("committed", "port p2")
    BUFFER = ("headroom", "buffer")

    def follow(self, *expected):
        """Nothing is frozen: packets pass, another change is made, and just these warnings are in force."""
        self.ping("h1", "10.0.2.1")
        self.assertEqual(self.warnings(), sorted(expected))
        self.change_something_else()
        self.assertEqual(self.warnings(), sorted(expected))

    def test_committed(self):
        """25G becomes 10G and 25G again, with routes of the kernel that change meanwhile."""
        cp = lambda *words: self.net.ip("cp", *words)
        self.start(PAIR + "set queue p2 class 3 committed 12G\nset queue p2 class 4 committed 6G\n", p1=25, p2=25)
        self.follow()
        cp("route", "add", "10.102.0.0/16", "via", "10.0.2.1")
        cp("route", "add", "10.9.0.0/16", "via", "10.0.1.1")
        testbed.wait_until(lambda: self.kernel_routes("10.102.0.0/16") and self.kernel_routes("10.9.0.0/16"))
        self.ping("h1", "10.102.0.1")
        self.links_are(p2=10)
        self.follow(self.COMMITTED)
        reason = "warning: port p2: its classes' committed rates are 18000000000 bits/s together"
        self.assertEqual(self.logged(reason), 1)
        self.assertEqual(self.metric("fastcn_warnings"), 1)
        # The kernel's routes: one withdrawn, one that is a blackhole now, one that is new.
        cp("route", "del", "10.9.0.0/16")
        cp("route", "replace", "blackhole", "10.102.0.0/16")
        cp("route", "add", "10.101.0.0/16", "via", "10.0.1.1")
        testbed.wait_until(lambda: not self.kernel_routes("10.9.0.0/16") and self.kernel_routes("10.101.0.0/16"))
        testbed.wait_until(lambda: [r for r in self.kernel_routes("10.102.0.0/16") if "via" not in r])
        self.no_ping("h1", "10.102.0.1")
        self.ping("h2", "10.101.0.1")
        cp("route", "del", "10.102.0.0/16")
        testbed.wait_until(lambda: not self.kernel_routes("10.102.0.0/16"))
        # A link that goes while the warning is in force is not used, and has no warning.
        self.links_are(p2=0)
        self.assertEqual(self.warnings(), [])
        self.no_ping("h1", "10.0.2.1")
        self.links_are(p2=10)
        self.follow(self.COMMITTED)
        self.links_are(p2=25)
        self.follow()
        self.assertEqual(self.logged(reason), 2)  # once each time
        self.assertEqual(self.logged("over: port p2: "), 2)
        self.assertEqual(self.metric("fastcn_warnings"), 0)
        self.check_accounts()

    def test_out_at_start(self):
        """Cables that are out when the switch starts: nothing is refused, at whatever speed they come up."""
        config = PAIR + """
set queue p2 class 3 committed 20G
set queue p2 class 3 detector step
set queue p2 class 4 detector red
set pfc p1 class 3 send on
set pfc p2 class 3 send on
set buffer size 300K
"""
        self.start(config, p1=0, p2=0)
        self.assertEqual(self.warnings(), [])
        self.assertEqual([p["link_bps"] for p in self.switch.json("show port")], [None, None])
        self.assertEqual(self.switch.json("show status")["ports"]["up"], 0)
        self.change_something_else()
        self.links_are(p1=10, p2=10)
        self.follow(self.COMMITTED)
        self.links_are(p2=100)
        self.follow()
        self.links_are(p2=400)  # its class alone needs 559 KB
        self.follow(self.BUFFER)
        self.assertEqual(self.metric("fastcn_warnings"), 1)
        self.links_are(p1=0, p2=0)
        # With the speed that it will have, known beforehand, it is the same.
        self.assertEqual(self.switch.say("set port p2 link 100G"), "")
        self.links_are(p1=10, p2=10)
        self.follow(self.COMMITTED)
        self.links_are(p2=100)
        self.follow()
        self.check_accounts()


class Outside(Bed):
    """What others on the machine do to devices and interfaces of the switch: it is followed or warned of, and nothing
    that has nothing to do with it is refused."""

    def setUp(self):
        super().setUp()
        config = PAIR.replace("net_failsafe", "net_af_packet")
        self.start(config, vdevs=[f"net_af_packet{n},iface=s{n}" for n in self.net.hosts])
        testbed.wait_until(lambda: all(self.is_ours(n) for n in (1, 2)))
        self.ping("h1", "10.0.2.1")

    def is_ours(self, n):
        """Whether the control plane has the interface of a port, with its address."""
        shown = self.net.run("cp", "ip", "addr", "show", "dev", f"sw{n}", check=False)
        return f"10.0.{n}.254/24" in shown and "LOWER_UP" in shown

    def wait_for_warnings(self, *expected):
        """They are in force, and nothing is frozen."""
        testbed.wait_until(lambda: self.warnings() == sorted(expected), 5)
        self.ping("h1", "10.0.2.1")
        self.change_something_else()
        self.assertEqual(self.warnings(), sorted(expected))

    def follow_routes(self, prefix):
        """A route of the kernel comes, and packets take it; it goes."""
        self.net.ip("cp", "route", "add", prefix, "via", "10.0.2.1")
        testbed.wait_until(lambda: self.kernel_routes(prefix))
        self.net.ip("cp", "route", "del", prefix)
        testbed.wait_until(lambda: not self.kernel_routes(prefix))

    def test_interface(self):
        """The kernel interface of a port is removed and its name is another's; then renamed."""
        batch = testbed.write(self.directory, "taken", "link del sw1\nlink add sw1 type veth peer name other\n")
        self.net.ip("cp", "-batch", batch)
        self.wait_for_warnings(("kernel", "port p1"))
        self.follow_routes("10.102.0.0/16")
        # One of the other port changes; the missing one changes, too.
        self.assertEqual(self.switch.say("set port p2 kernel sw3"), "")
        testbed.wait_until(lambda: self.is_ours_as("sw3"))
        self.assertIn("another interface has this name", self.switch.say("set port p2 kernel sw1"))
        self.net.ip("cp", "link", "del", "sw1")
        testbed.wait_until(lambda: self.is_ours(1))
        self.wait_for_warnings()
        self.net.ip("cp", "link", "set", "sw3", "name", "renamed")
        self.wait_for_warnings()
        self.follow_routes("10.102.0.0/16")
        self.check_accounts()

    def is_ours_as(self, name):
        return "10.0.2.254/24" in self.net.run("cp", "ip", "addr", "show", "dev", name, check=False)

    def test_namespace(self):
        """The namespace of the control plane goes, as with its container, and another of that name comes."""
        name = self.net.name["cp"]
        self.follow_routes("10.102.0.0/16")
        testbed.run("ip", "netns", "del", name)
        self.wait_for_warnings(("kernel", "kernel"))
        testbed.run("ip", "netns", "add", name)
        self.net.ip("cp", "link", "set", "lo", "up")
        self.net.sysctl("cp", "net.ipv4.ip_forward=1")
        testbed.wait_until(lambda: all(self.is_ours(n) for n in (1, 2)))
        self.wait_for_warnings()
        self.follow_routes("10.103.0.0/16")
        self.assertEqual(self.switch.say("set port p1 kernel off"), "")
        self.assertNotIn("sw1", self.net.ip("cp", "link"))
        self.check_accounts()

    def test_mtu(self):
        """The MTU under a port is lowered: hosts are told, packets of that length pass, and it is over with it."""
        big = lambda size: self.net.run("h2", "ping", "-n", "-c1", "-W1", "-M", "do", "-s", str(size - 28), "10.0.1.1",
                                        check=False)
        testbed.wait_until(lambda: "1 received" in big(1500))
        self.net.ip("sw", "link", "set", "s1", "mtu", "1400")
        self.wait_for_warnings(("mtu", "port p1"))
        self.assertIn("mtu 1400", self.net.ip("cp", "link", "show", "dev", "sw1"))
        self.assertIn("mtu = 1400", big(1500))
        testbed.wait_until(lambda: "1 received" in big(1400))
        self.net.ip("sw", "link", "set", "s1", "mtu", "1500")
        self.wait_for_warnings()
        self.assertIn("mtu 1500", self.net.ip("cp", "link", "show", "dev", "sw1"))
        self.net.ip("h2", "route", "flush", "cache")
        testbed.wait_until(lambda: "1 received" in big(1500))
        self.assertEqual([d for d in self.switch.json("show drops") if d["reason"] == "tx_oversize"], [])
        self.check_accounts()


class Vanished(Bed):
    """The device under a port is deleted."""

    hosts = 3

    def test_vanished(self):
        config = PAIR.replace("net_failsafe", "net_af_packet") + \
            "port add p3 device net_af_packet3\naddress add p3 10.0.3.254/24\n"
        self.start(config, vdevs=[f"net_af_packet{n},iface=s{n}" for n in self.net.hosts])
        self.ping("h1", "10.0.3.1")
        self.net.ip("sw", "link", "del", "s3")
        testbed.wait_until(lambda: [p["link_up"] for p in self.switch.json("show port")] == [True, True, False], 3)
        self.ping("h1", "10.0.2.1")
        self.change_something_else()
        # Settings of the port itself, those of its device left alone.
        self.assertEqual(self.switch.say("set queue p3 class 3 committed 1G"), "")
        self.assertEqual(self.switch.say("address add p3 10.0.33.254/24"), "")
        self.assertEqual(self.switch.say("port remove p3"), "")
        self.change_something_else()
        self.check_accounts()


@unittest.skipUnless(os.path.exists(FRR + "/bgpd"), "needs FRR")
class Leaf(Bed):
    """A leaf as it is installed: cables are plugged in one after the other, at three speeds, and FRR runs beside it."""

    hosts = LEAF_PORTS

    def start_frr(self):
        for where, config in ((host(1), HOST_BGP.format(n=1)), (host(2), HOST_BGP.format(n=2)), ("cp", SWITCH_BGP)):
            daemons = Frr(self.net, where, self.directory, bgpd=config)
            self.addCleanup(daemons.end)
            yield daemons

    def wait_for_paths(self, prefix, *ports):
        """Until the kernel's routes have just these paths, and the switch uses them."""
        try:
            testbed.wait_until(lambda: sorted(r["port"] for r in self.kernel_routes(prefix)
                                              if r.get("next_hop") == "resolved") == sorted(ports), 20)
        except TimeoutError:
            self.fail(f"{prefix}: not by {ports}; the kernel has\n{self.net.ip('cp', 'route')}\nand FRR\n" +
                      self.frr[-1].vtysh("bgpd", "show bgp ipv4 unicast") + self.frr[-1].vtysh("zebra", "show ip route"))

    def ping_all(self, left_out=()):
        """From the second host to all others at once: an answer from each whose cable is in."""
        missing = [n for n in self.net.hosts if n != 2 and n not in left_out]

        def answered():
            pings = {n: self.net.popen("h2", "ping", "-n", "-c1", "-W1", f"10.0.{n}.1", stdout=subprocess.PIPE, text=True)
                     for n in missing}
            missing[:] = [n for n, p in pings.items() if "1 received" not in p.communicate()[0]]
            return not missing
        testbed.wait_until(answered, 10)

    def check_warnings(self):
        """Just where 12G are committed on 10G; with this buffer at the speeds of 10, 100 and 400G, headroom, too, in bytes and in
        packets."""
        expected = [("committed", f"port {p}") for p, g in self.link.items() if g == 10]
        expected += [("headroom", "buffer"), ("headroom", "packet buffers")]
        self.assertEqual(self.warnings(), sorted(expected))
        self.assertEqual(self.metric("fastcn_warnings"), len(expected))

    def test_leaf(self):
        ports = [f"p{n}" for n in self.net.hosts]
        config = "set host dad off\nset metrics listen 9750 on 127.0.0.1\n" + \
            "".join(LEAF_PORT.format(n=n) for n in self.net.hosts) + "set buffer size 1200K\n" + LEAF_FRR
        self.start(config, **dict.fromkeys(ports, 0))
        self.assertEqual(self.warnings(), [])
        self.assertEqual(self.switch.json("show status")["ports"], {"up": 0, "all": len(ports)})
        self.frr = list(self.start_frr())
        for n, port in enumerate(ports):
            self.links_are(**{port: SPEEDS[n % 3]})
        self.assertEqual(self.switch.json("show status")["ports"]["up"], len(ports))
        self.wait_for_paths("10.101.0.0/16", "p1")
        self.wait_for_paths("10.102.0.0/16", "p2")
        self.wait_for_paths("10.100.0.0/16", "p1", "p2")
        self.ping_all()
        self.check_warnings()
        # Every link renegotiates; FRR follows its neighbours meanwhile.
        self.frr[0].vtysh("bgpd", "configure terminal\nrouter bgp 65001\naddress-family ipv4 unicast\n"
                             "no network 10.101.0.0/16\nnetwork 10.111.0.0/16")
        self.links_are(**{port: SPEEDS[(n + 1) % 3] for n, port in enumerate(ports)})
        self.wait_for_paths("10.101.0.0/16")
        self.wait_for_paths("10.111.0.0/16", "p1")
        self.ping_all()
        self.check_warnings()
        self.change_something_else()
        # Cables are pulled: that of FRR's neighbour, and every third other one.
        pulled = {f"p{n}": 0 for n in (1, 4, 7)}
        self.links_are(**pulled)
        self.wait_for_paths("10.111.0.0/16")
        self.wait_for_paths("10.100.0.0/16", "p2")
        self.ping("h3", "10.100.0.1")
        self.ping_all(left_out=(1, 4, 7))
        self.no_ping("h2", "10.0.4.1")
        self.check_warnings()
        self.change_something_else()
        self.links_are(p1=400, p4=400, p7=400)
        self.wait_for_paths("10.111.0.0/16", "p1")
        self.ping_all()
        self.check_warnings()
        self.check_accounts()


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, programs=("fastcn", "link_state"), net=Probe, tools=TOOLS))
