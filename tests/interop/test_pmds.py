#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Ports on every DPDK driver that needs no hardware: traffic, link, MTU, MAC address, removal under traffic, and what
the switch says a driver cannot do. Hosts are network namespaces; memif and vhost join two switches. Needs root.

test_pmds.py --fastcn PROGRAM [unittest options]
"""

import json
import os
import re
import shutil
import socket
import struct
import sys
import tempfile
import threading
import time
import unittest

import testbed

MAC = {"h1": "02:00:00:00:01:01", "h2": "02:00:00:00:02:01"}
ADDRESS = {"h1": "2001:db8:b::1", "h2": "2001:db8:b::2"}
BRIDGE = ("bridge add br0", "bridge br0 port add p1", "bridge br0 port add p2")
# What net_af_packet says of itself.
AF_PACKET = ("the kernel reassembles IPv4 fragments for it: above the MTU they are dropped; tcpdump does not see what it "
             "sends (qdisc_bypass=0 shows it)")
VETH = ("the other end of the veth pair has to compute checksums, or TCP and UDP from there are lost (ethtool -K PEER "
        "tx off)")
# A frame of a type that no kernel answers.
FRAME = bytes.fromhex(MAC["h2"].replace(":", "") + MAC["h1"].replace(":", "") + "88b5")


class Net(testbed.Namespaces):
    """Two hosts, each with a veth to the switch."""

    def __init__(self):
        super().__init__("h1", "h2", "sw")

    def create(self):
        super().create()
        for n, host in ((1, "h1"), (2, "h2")):
            self.ip(host, "link", "add", "eth0", "address", MAC[host], "type", "veth", "peer", "name", f"s{n}",
                    "netns", self.name["sw"])
            self.give_address(host, "eth0")
            # the kernel's own packets on it are none of the switch's, and net_pcap hears them
            self.sysctl("sw", f"net.ipv6.conf.s{n}.disable_ipv6=1")
            self.ip("sw", "link", "set", f"s{n}", "up")

    def give_address(self, host, device):
        self.sysctl(host, f"net.ipv6.conf.{device}.keep_addr_on_down=1")
        self.ip(host, "addr", "add", ADDRESS[host] + "/64", "dev", device, "nodad")
        self.ip(host, "link", "set", device, "up")

    def packets(self, host, device="eth0"):
        """What the kernel counted: received, sent."""
        stats = json.loads(self.ip(host, "-s", "-j", "link", "show", device))[0]["stats64"]
        return stats["rx"]["packets"], stats["tx"]["packets"]

    def link(self, where, device):
        return json.loads(self.ip(where, "-j", "link", "show", device))[0]

    def peers(self):
        """How many packets each way got through, of five."""
        return len(self.ping("h1", ADDRESS["h1"], ADDRESS["h2"], count=1, timeout=0.3))


class Sender:
    """Frames from h1 to h2 without end, or a number of them."""

    def __init__(self, net, device="eth0"):
        self.socket = net.packet_socket("h1", device)
        self.thread = None
        self.done = False

    def send(self, n, size=200):
        for i in range(n):
            self.socket.send(FRAME + struct.pack("!I", i) + bytes(size - 18))
            if i % 32 == 31:
                time.sleep(0.001)  # what its rings hold is not what is looked at

    def __enter__(self):
        def go_on():
            while not self.done:
                try:
                    self.send(32)
                except OSError:
                    time.sleep(0.01)
        self.thread = threading.Thread(target=go_on)
        self.thread.start()
        return self

    def __exit__(self, *exc):
        self.done = True
        self.thread.join()
        self.socket.close()


class Case(unittest.TestCase):
    def setUp(self):
        self.net = Net()
        self.addCleanup(self.net.destroy)
        self.net.create()
        directory = tempfile.TemporaryDirectory(prefix="fcn-pmd-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.switches = {}

    def switch(self, name, *lines, vdevs=(), namespace="sw", own_console=False):
        if name in self.switches:  # of a subtest before
            self.switches[name].end()
        directory = os.path.join(self.directory, name)
        shutil.rmtree(directory, ignore_errors=True)
        os.mkdir(directory)
        switch = testbed.Switch(directory, None, vdevs=vdevs, namespace=self.net.name[namespace],
                                own_console=own_console)
        self.switches[name] = switch
        self.addCleanup(switch.end)
        switch.wait()
        self.say(switch, *lines)
        return switch

    def say(self, switch, *lines):
        for line in lines:
            self.assertEqual(switch.say(line), "", line)

    def port(self, switch, name):
        return switch.json(f"show port {name}")[0]

    def drops(self, switch, port, reason):
        return sum(d["packets"] for d in switch.json("show drops") if d["port"] == port and d["reason"] == reason)

    def wait_link(self, switch, port, up):
        testbed.wait_until(lambda: self.port(switch, port)["link_up"] == up)

    def wait_ping(self):
        testbed.wait_until(self.net.peers, timeout=20)

    def settled(self, read):
        """What is read, once nothing is under way."""
        last = [None]

        def same():
            before, last[0] = last[0], read()
            time.sleep(0.1)
            return before == last[0]
        testbed.wait_until(same, timeout=20)
        return last[0]

    def check_conservation(self, switch):
        accounting = switch.json("show conservation")
        self.assertTrue(accounting["ok"], accounting)


class Kernel(Case):
    """Drivers on an interface of the kernel's."""

    def bridge(self, device, start_with_vdevs):
        devices = [device.format(n=n) for n in (1, 2)]
        if start_with_vdevs:
            names = [d.split(",")[0] for d in devices]
            switch = self.switch("a", vdevs=devices)
        else:
            names = devices
            switch = self.switch("a")
        said = [switch.say(f"port add p{n} device {names[n - 1]}") for n in (1, 2)]
        if any("cannot" in s for s in said) and "net_af_xdp" in device:
            self.skipTest(f"no net_af_xdp here: {said}")
        self.assertEqual(said, ["", ""])
        self.say(switch, *BRIDGE)
        return switch

    def both_count(self, switch, device="eth0"):
        """Packets from h1 and to h2, as the kernel and the switch have them; lost ones that a device told of."""
        p1 = self.port(switch, "p1")
        return ((self.net.packets("h1", device)[1], p1["rx_packets"] + p1["device_rx_missed"]),
                (self.net.packets("h2", device)[0], self.port(switch, "p2")["tx_packets"]))

    def check_traffic(self, switch, device="eth0", n=400):
        """Every packet of the kernel's is one of the switch's, and the other way round."""
        self.wait_ping()
        begin = self.settled(lambda: self.both_count(switch, device))
        errors = self.port(switch, "p2")["device_tx_errors"]
        sender = Sender(self.net, device)
        self.addCleanup(sender.socket.close)
        sender.send(n)

        last, grown = [None], []

        def same():
            now = self.both_count(switch, device)
            grown[:] = [[a - b for a, b in zip(*pair)] for pair in zip(now, begin)]
            if all(g[0] == g[1] > 0 for g in grown) and grown[0][0] >= n:
                return True
            # What a socket had no room for may stay in AF_PACKET's ring until the next one is sent.
            if now == last[0]:
                sender.send(1)
            last[0] = now
            return False
        try:
            testbed.wait_until(same, timeout=20)
        except TimeoutError:
            self.fail(f"packets of kernel and switch: {grown}; {switch.say('show port')}{switch.say('show drops')}")
        self.assertEqual(self.port(switch, "p2")["device_tx_errors"], errors)
        self.check_conservation(switch)

    def check_short(self):
        """A frame that is shorter than Ethernet permits leaves with zeros behind it."""
        short = FRAME + b"short"
        with self.net.packet_socket("h1", "eth0") as sender, self.net.packet_socket("h2", "eth0") as got:
            got.settimeout(testbed.seconds(5))
            sender.send(short)
            frame = b""
            while frame[:len(short)] != short:
                frame = got.recv(2048)
        self.assertEqual(frame, short + bytes(60 - len(short)))

    def check_link(self, switch, where, device):
        self.net.ip(where, "link", "set", device, "down")
        self.wait_link(switch, "p1", False)
        self.assertIn("port p1: link down", switch.said())
        self.net.ip(where, "link", "set", device, "up")
        self.wait_link(switch, "p1", True)
        self.assertIn("port p1: link up", switch.said())
        self.wait_ping()

    def check_removal(self, switch, device, interface="eth0"):
        """A port goes and comes back, several times, while packets for it and from it do not end."""
        with Sender(self.net, interface):
            for _ in range(3):
                for p in (1, 2):
                    self.say(switch, f"port remove p{p}")
                    self.check_conservation(switch)
                    self.say(switch, f"port add p{p} device {device.format(n=p)}", f"bridge br0 port add p{p}")
        self.wait_ping()
        self.check_conservation(switch)

    def on_veth(self, device, start_with_vdevs, limits):
        switch = self.bridge(device, start_with_vdevs)
        self.assertEqual(self.port(switch, "p1")["limits"], limits)
        if limits:
            self.assertIn(f"port p1: {limits}\n", switch.said())
        self.check_traffic(switch)
        self.check_short()
        self.check_link(switch, "h1", "eth0")
        if not start_with_vdevs and "cannot be added again" not in limits:
            self.check_removal(switch, device)
        return switch

    def check_mtu(self, switch, follows):
        self.say(switch, "set port p1 mtu 1400", "set port p2 mtu 1400")
        self.assertEqual(self.net.link("sw", "s1")["mtu"], 1400 if follows else 1500)
        self.say(switch, "set port p1 mtu 1500", "set port p2 mtu 1500")
        self.assertEqual(self.net.link("sw", "s1")["mtu"], 1500)

    def check_mac(self, switch, follows):
        before = self.net.link("sw", "s1")["address"]
        self.say(switch, "set port p1 mac 02:00:00:00:01:fe")
        self.assertEqual(self.net.link("sw", "s1")["address"], "02:00:00:00:01:fe" if follows else before)
        self.assertEqual(self.port(switch, "p1")["mac"], "02:00:00:00:01:fe")

    def check_kernel_mtu(self, switch):
        """Somebody makes the interface's MTU smaller than the port's: what is too long is counted."""
        self.net.ip("sw", "link", "set", "s2", "mtu", "1300")
        sender = Sender(self.net)
        self.addCleanup(sender.socket.close)

        def counted():
            sender.send(10, 1400)
            return self.drops(switch, "p2", "tx_oversize")
        testbed.wait_until(counted)
        begin, lost = self.settled(lambda: (self.both_count(switch)[1], self.drops(switch, "p2", "tx_oversize")))
        sender.send(100, 1400)
        sender.send(100, 1300)
        testbed.wait_until(lambda: self.drops(switch, "p2", "tx_oversize") == lost + 100)

        def same():
            kernel, own = self.both_count(switch)[1]
            return kernel - begin[0] == own - begin[1] >= 100
        testbed.wait_until(same)
        self.check_conservation(switch)

    def test_af_packet(self):
        for start_with_vdevs in (True, False):
            with self.subTest(start_with_vdevs=start_with_vdevs):
                switch = self.on_veth("net_af_packet{n},iface=s{n}", start_with_vdevs,
                                      f"cannot tell its speed; {AF_PACKET}; {VETH}; has one receive queue")
                self.check_mtu(switch, True)
                self.check_mac(switch, True)
                self.check_kernel_mtu(switch)
                self.net.ip("sw", "link", "set", "s2", "mtu", "1500")
                switch.end()

    def test_af_packet_queues(self):
        switch = self.switch("a")
        said = switch.say("port add p1 queues 2 device net_af_packet1,iface=s1")
        self.assertIn("has at most 1 receive queues, not 2", said)
        self.say(switch, "port add p1 queues 2 device net_af_packet1,iface=s1,qpairs=2",
                 "port add p2 device net_af_packet2,iface=s2", *BRIDGE)
        self.assertEqual(self.port(switch, "p1")["rx_queues"], 2)
        self.assertIn("port add p1 queues 2 device net_af_packet1,iface=s1,qpairs=2\n", switch.say("show config"))
        self.check_traffic(switch)

    def test_interface(self):
        """The name of an interface is no device; the error has the one to name, and it is free."""
        switch = self.switch("a", "port add p1 device net_af_packet0,iface=s1")
        said = switch.say("port add p2 device s2")
        device = re.search(r"it is an interface of the kernel, as a device (net_af_packet1,iface=s2)\n", said)
        self.assertIsNotNone(device, said)
        self.say(switch, f"port add p2 device {device.group(1)}", *BRIDGE)
        self.check_traffic(switch)
        self.assertNotIn("of the kernel", switch.say("port add p3 device s3"))

    def test_af_packet_refusals(self):
        """Its MTU ends at 1500 whatever its arguments; the error says so, and the port is not there."""
        switch = self.switch("a")
        self.assertIn("device net_af_packet1: its driver's MTU is at most 1500, not 4200",
                      switch.say("port add p1 mtu 4200 device net_af_packet1,iface=s1"))
        self.assertIn("would spread packets over 2 queues (qpairs), and the port receives from 1",
                      switch.say("port add p1 device net_af_packet1,iface=s1,qpairs=2"))
        self.say(switch, "port add p1 device net_af_packet1,iface=s1,qdisc_bypass=0")
        self.assertNotIn("tcpdump", self.port(switch, "p1")["limits"])
        self.assertIn("its driver's MTU is at most 1500, not 1501", switch.say("set port p1 mtu 1501"))

    def fragments(self, device):
        """Whether an IPv4 packet in two fragments crosses a bridge."""
        switch = self.bridge(device, False)
        for n, host in ((1, "h1"), (2, "h2")):
            self.net.ip(host, "addr", "replace", f"192.0.2.{n}/24", "dev", "eth0")
        ping = ("ping", "-4", "-n", "-c", "3", "-i", "0.2", "-W", "2")
        testbed.wait_until(lambda: " 0% packet loss" in self.net.run("h1", *ping, "192.0.2.2", check=False), 20)
        crosses = " 0% packet loss" in self.net.run("h1", *ping, "-s", "1700", "192.0.2.2", check=False)
        return switch, crosses

    def test_fragments(self):
        """net_af_packet gets them as one packet, above the MTU: dropped by name, not in silence."""
        switch, crosses = self.fragments("net_af_packet{n},iface=s{n}")
        self.assertFalse(crosses)
        lost = {d["reason"]: d["packets"] for d in switch.json("show drops")}
        self.assertEqual(lost.get("rx_oversize"), 3, lost)
        self.check_conservation(switch)
        switch, crosses = self.fragments("net_pcap{n},iface=s{n}")
        self.assertTrue(crosses)

    def test_af_packet_waits_for_nothing(self):
        """Behind a slow queue of the interface's own, the last frames leave without another one being sent."""
        switch = self.bridge("net_af_packet{n},iface=s{n},framecnt=1024,qdisc_bypass=0", False)
        self.wait_ping()
        self.net.run("sw", "tc", "qdisc", "add", "dev", "s2", "root", "tbf", "rate", "20mbit", "burst", "5k", "limit",
                     "10m")
        before = self.settled(lambda: self.net.packets("h2")[0])
        sender = Sender(self.net)
        self.addCleanup(sender.socket.close)
        sender.send(1000, 1400)
        testbed.wait_until(lambda: self.port(switch, "p2")["tx_packets"] >= 1000)
        # The line takes 0.6 s for all of them. What waits in the ring stays there until a packet of the kernel's own
        # comes by, so it is a standstill that tells.
        arrived = [0]
        while arrived[-1] < 1000:
            time.sleep(1.5)
            arrived.append(self.net.packets("h2")[0] - before)
            self.assertTrue(arrived[-1] >= 1000 or arrived[-1] > arrived[-2] + 150, arrived)
        self.check_conservation(switch)

    def test_tap_refusals(self):
        switch = self.switch("a")
        self.assertIn("net_tap has at most 4 receive queues, not 5",
                      switch.say("port add p1 queues 5 device net_tap1,iface=t1"))
        self.assertIn("its driver's MTU is at most 1504, not 4200",
                      switch.say("port add p1 mtu 4200 device net_tap1,iface=t1"))
        self.say(switch, "port add p1 queues 4 device net_tap1,iface=t1")
        self.assertEqual(self.port(switch, "p1")["rx_queues"], 4)

    def test_af_xdp(self):
        for start_with_vdevs in (True, False):
            with self.subTest(start_with_vdevs=start_with_vdevs):
                switch = self.on_veth("net_af_xdp{n},iface=s{n}", start_with_vdevs,
                                      f"cannot tell its speed; once removed, cannot be added again before fastcn ends; {VETH}; "
                                      "has one receive queue; cannot set its MAC address")
                self.check_mtu(switch, True)
                self.check_mac(switch, False)
                with Sender(self.net):
                    self.say(switch, "port remove p2", "port remove p1")
                self.check_conservation(switch)
                self.assertEqual(switch.stop()[0], 0)  # killed, it would leave its program behind
                switch.end()

    def test_pcap_interface(self):
        for start_with_vdevs in (True, False):
            with self.subTest(start_with_vdevs=start_with_vdevs):
                switch = self.on_veth("net_pcap{n},iface=s{n}", start_with_vdevs,
                                      f"cannot tell its speed; {VETH}; has one receive queue; "
                                      "cannot set its MAC address")
                self.check_mtu(switch, False)
                self.check_mac(switch, False)
                self.check_kernel_mtu(switch)
                self.net.ip("sw", "link", "set", "s2", "mtu", "1500")
                switch.end()

    def take_taps(self):
        """Interfaces that the switch made go to the hosts."""
        for n, host in ((1, "h1"), (2, "h2")):
            self.net.ip("sw", "link", "set", f"t{n}", "netns", self.net.name[host], "name", "tap0")
            self.net.ip(host, "addr", "flush", "dev", "eth0")
            self.net.ip(host, "link", "set", "tap0", "address", MAC[host])
            self.net.give_address(host, "tap0")

    def check_promiscuous(self, switch):
        """Port p1, out of the bridge: the kernel says what its interface hears. In a bridge it hears everything."""
        def hears():
            flags = self.net.link("sw", "t1")["flags"]
            return "PROMISC" in flags, "ALLMULTI" in flags

        self.assertTrue(hears()[0])
        self.say(switch, "set port p1 promiscuous off")
        self.assertTrue(hears()[0])
        self.say(switch, "bridge br0 port remove p1")
        self.assertEqual(hears(), (False, True))
        self.say(switch, "bridge br0 port add p1")
        self.assertTrue(hears()[0])
        self.say(switch, "set port p1 promiscuous on")

    def test_tap(self):
        for queues in (1, 2):
            with self.subTest(queues=queues):
                switch = self.switch("a", *(f"port add p{n} queues {queues} device net_tap{n},iface=t{n}"
                                            for n in (1, 2)), *BRIDGE)
                self.assertEqual(self.port(switch, "p1")["limits"], "cannot tell its speed")
                self.assertEqual(self.port(switch, "p1")["rx_queues"], queues)
                # as long as the interface is where the switch is, its link and settings are the port's
                self.net.ip("sw", "link", "set", "t1", "down")
                self.wait_link(switch, "p1", False)
                self.net.ip("sw", "link", "set", "t1", "up")
                self.wait_link(switch, "p1", True)
                self.say(switch, "set port p1 mtu 1400")
                self.assertEqual(self.net.link("sw", "t1")["mtu"], 1400)
                self.say(switch, "set port p1 mtu 1500", "set port p1 mac 02:00:00:00:01:fe")
                self.assertEqual(self.net.link("sw", "t1")["address"], "02:00:00:00:01:fe")
                self.check_promiscuous(switch)
                self.take_taps()
                self.check_traffic(switch, "tap0")
                # removed under traffic, its interface goes with it
                with Sender(self.net, "tap0"):
                    self.say(switch, "port remove p2")
                    self.check_conservation(switch)
                    self.say(switch, "port remove p1")
                self.assertNotIn("tap0", self.net.ip("h1", "link"))
                self.check_conservation(switch)
                self.assertEqual(switch.stop()[0], 0)
                switch.end()

    def test_tap_at_start(self):
        switch = self.switch("a", "port add p1 device net_tap1", "port add p2 device net_tap2", *BRIDGE,
                             vdevs=("net_tap1,iface=t1", "net_tap2,iface=t2"))
        self.take_taps()
        self.check_traffic(switch, "tap0")

    def test_tap_too_long(self):
        """net_tap takes nothing any more behind a frame above its MTU: such frames are dropped, the others go on."""
        switch = self.switch("a", "port add p1 device net_af_packet1,iface=s1", "port add p2 device net_tap2,iface=t2",
                             *BRIDGE, "set bridge br0 port p1 tagged 1-4094", "set bridge br0 port p2 tagged 1-4094")
        self.net.ip("sw", "link", "set", "t2", "netns", self.net.name["h2"], "name", "tap0")
        self.net.ip("h2", "link", "set", "tap0", "up")
        sender = Sender(self.net)
        self.addCleanup(sender.socket.close)
        self.net.ip("h1", "link", "set", "eth0", "mtu", "1600")
        self.net.ip("sw", "link", "set", "s1", "mtu", "1600")
        # Two tags, each of which is no part of what the MTU limits: 1500 + 14 + 8, 4 more than the device takes.
        tags = bytes.fromhex("81000064" "81000065" "88b5")
        for n in range(40):
            sender.socket.send(FRAME[:12] + tags + bytes([n]) + bytes(1499 if n % 4 == 0 else 100))
        testbed.wait_until(lambda: self.drops(switch, "p2", "tx_oversize") == 10)
        testbed.wait_until(lambda: self.port(switch, "p2")["tx_packets"] >= 30)
        self.assertEqual(self.drops(switch, "p2", "tx_stalled"), 0)
        self.assertFalse(self.port(switch, "p2")["stalled"])
        self.check_conservation(switch)

    def test_down(self):
        """What is for a port without link is dropped as that, flows that have another way take it."""
        switch = self.switch("a", "port add p1 device net_af_packet1,iface=s1",
                             "port add p2 device net_af_packet2,iface=s2", "set port p2 mac 02:00:00:00:02:fe",
                             "set port p1 mac 02:00:00:00:01:fe", "address add p1 2001:db8:1::fe/64",
                             "address add p2 2001:db8:2::fe/64", f"neighbour add p1 2001:db8:1::1 {MAC['h1']}",
                             f"neighbour add p2 2001:db8:2::1 {MAC['h2']}")
        for n, host in ((1, "h1"), (2, "h2")):
            self.net.ip(host, "addr", "add", f"2001:db8:{n}::1/64", "dev", "eth0", "nodad")
            self.net.ip(host, "route", "add", "default", "via", f"2001:db8:{n}::fe", "dev", "eth0")
            self.net.ip(host, "neigh", "replace", f"2001:db8:{n}::fe", "lladdr", f"02:00:00:00:0{n}:fe", "dev", "eth0",
                        "nud", "permanent")

        def ping():
            return self.net.ping("h1", "2001:db8:1::1", "2001:db8:2::1", 1, 0.3)
        testbed.wait_until(ping)
        # pulled at the far end
        self.net.ip("h2", "link", "set", "eth0", "down")
        self.wait_link(switch, "p2", False)
        self.assertEqual(ping(), [])
        self.assertGreaterEqual(self.drops(switch, "p1", "port_down"), 1)
        self.assertRegex(switch.say("show port p2"), r"^port +state .*\np2 +down ")
        self.check_conservation(switch)
        self.net.ip("h2", "link", "set", "eth0", "up")
        self.wait_link(switch, "p2", True)
        self.net.ip("h2", "route", "replace", "default", "via", "2001:db8:2::fe", "dev", "eth0")
        self.net.ip("h2", "addr", "replace", "2001:db8:2::1/64", "dev", "eth0", "nodad")
        self.net.ip("h2", "neigh", "replace", "2001:db8:2::fe", "lladdr", "02:00:00:00:02:fe", "dev", "eth0",
                    "nud", "permanent")
        testbed.wait_until(ping)
        # the interface goes altogether
        self.net.ip("sw", "link", "del", "s2")
        self.wait_link(switch, "p2", False)
        self.assertEqual(ping(), [])
        self.check_conservation(switch)
        self.say(switch, "port remove p2")
        self.check_conservation(switch)


class Files(Case):
    def test_pcap_files(self):
        path = {n: os.path.join(self.directory, n) for n in ("in.pcap", "out.pcap", "empty.pcap")}
        header = struct.pack("=IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1)
        frames = [FRAME + struct.pack("!I", i) + bytes(50 + i) for i in range(300)]
        with open(path["in.pcap"], "wb") as f:
            f.write(header)
            for i, frame in enumerate(frames):
                f.write(struct.pack("=IIII", i, 0, len(frame), len(frame)) + frame)
        with open(path["empty.pcap"], "wb") as f:
            f.write(header)
        switch = self.switch("a", f"port add p1 device net_pcap1,rx_pcap={path['in.pcap']},tx_pcap=/dev/null",
                             f"port add p2 device net_pcap2,rx_pcap={path['empty.pcap']},tx_pcap={path['out.pcap']}", *BRIDGE,
                             own_console=True)
        self.assertIn("cannot tell its link", self.port(switch, "p1")["limits"])
        self.say(switch, "start")
        testbed.wait_until(lambda: self.port(switch, "p2")["tx_packets"] >= len(frames))
        self.check_conservation(switch)
        self.say(switch, "port remove p2", "port remove p1")
        with open(path["out.pcap"], "rb") as f:
            data, got = f.read()[24:], []
        while data:
            length = struct.unpack("=IIII", data[:16])[2]
            got.append(data[16:16 + length])
            data = data[16 + length:]
        self.assertEqual([g for g in got if g[:14] == FRAME], frames)

    def test_null(self):
        """It receives without end and sends nowhere; what it cannot do is told."""
        switch = self.switch("a", "port add p1 device net_null1,size=128,copy=1", "port add p2 device net_null2",
                             *BRIDGE)
        self.assertEqual(self.port(switch, "p1")["limits"], "cannot tell its link; cannot tell its speed")
        testbed.wait_until(lambda: self.port(switch, "p1")["rx_packets"] > 10000)
        for _ in range(3):
            self.say(switch, "port remove p2")
            self.check_conservation(switch)
            self.say(switch, "port add p2 device net_null2", "bridge br0 port add p2")
        self.check_conservation(switch)

    def test_ring(self):
        """What goes in comes back."""
        switch = self.switch("a", "port add p1 queues 4 device net_ring1", "address add p1 2001:db8:1::1/64")
        self.assertEqual(self.port(switch, "p1")["limits"], "cannot tell its link; cannot tell its speed; counts no "
                         "bytes; has no RSS: its other end chooses the queue; cannot set its MTU")
        testbed.wait_until(lambda: self.port(switch, "p1")["rx_packets"] >= 1)
        self.say(switch, "port remove p1")
        self.check_conservation(switch)


class Joined(Case):
    """Two switches, each with a host, joined by a driver over a UNIX socket."""

    def joined(self, device, other):
        """Two bridges between h1 and h2."""
        at = {"dir": self.directory}
        self.a = self.switch("a", "port add p1 device net_af_packet1,iface=s1", f"port add p2 device {device.format(**at)}",
                             *BRIDGE)
        self.wait_link(self.a, "p2", False)
        self.other = ["port add p1 device net_af_packet2,iface=s2", f"port add p2 device {other.format(**at)}", *BRIDGE]
        self.b = self.switch("b", *self.other)
        self.wait_link(self.a, "p2", True)
        self.wait_link(self.b, "p2", True)
        self.wait_ping()

    def check_joined(self, limits, other_limits):
        self.assertEqual(self.port(self.a, "p2")["limits"], limits)
        self.assertEqual(self.port(self.b, "p2")["limits"], other_limits)

        def count():
            return (self.port(self.a, "p2")["tx_packets"], self.port(self.b, "p2")["rx_packets"],
                    self.net.packets("h2")[0])
        begin = self.settled(count)
        sender = Sender(self.net)
        self.addCleanup(sender.socket.close)
        sender.send(400)

        last, grown = [None], []

        def same():
            now = count()
            grown[:] = [x - y for x, y in zip(now, begin)]
            if min(grown) == max(grown) >= 400:
                return True
            # On a busy machine AF_PACKET may have missed some at the one end, and keep some in its ring at the other
            # until the next one is sent.
            if now == last[0]:
                sender.send(1)
            last[0] = now
            return False
        try:
            testbed.wait_until(same)
        except TimeoutError:
            self.fail(f"packets into the driver, out of it and at the host: {grown}; {self.a.say('show port')}"
                      f"{self.b.say('show port')}{self.b.say('show drops')}")
        self.check_conservation(self.a)
        self.check_conservation(self.b)

    def check_apart(self):
        """The other switch ends, and comes back."""
        with Sender(self.net):
            self.b.stop()
            self.b.end()
            self.wait_link(self.a, "p2", False)
        testbed.wait_until(lambda: "port p2: link down" in self.a.said())
        self.check_conservation(self.a)
        self.b = self.switch("b", *self.other)
        self.wait_link(self.a, "p2", True)
        self.wait_ping()
        # and the port is removed under traffic
        with Sender(self.net):
            self.say(self.a, "port remove p2")
            self.check_conservation(self.a)
        self.check_conservation(self.b)

    def test_memif(self):
        self.joined("net_memif1,role=server,socket={dir}/memif,socket-abstract=no",
                    "net_memif1,role=client,socket={dir}/memif,socket-abstract=no")
        limits = "cannot tell its speed; cannot set its MTU; cannot set its MAC address"
        self.check_joined(limits, limits)
        self.check_apart()

    def test_vhost(self):
        self.joined("net_vhost1,iface={dir}/vhost", "net_virtio_user1,path={dir}/vhost,queues=1")
        self.check_joined("cannot tell its speed; has one receive queue; cannot set its MTU; cannot set its MAC address",
                          "has one receive queue; cannot set its MAC address")
        self.check_apart()


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, net=Net, tools=("ip",)))
