#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A live bridge floods frames to ports on several drivers, by whole copies and by clones: every host gets every frame,
octet by octet. Hosts are network namespaces with packet sockets. Needs root.

test_flood.py --fastcn PROGRAM [unittest options]
"""

import random
import struct
import sys
import tempfile
import unittest

import testbed

# The sender, a driver that gathers segments and copies them, one that has the kernel gather them, another that copies them
# and does not report that it takes several, and a last one, which gets the frame itself.
DRIVERS = {"h1": "net_af_packet1,iface=s1", "h2": "net_af_packet2,iface=s2", "h3": "net_tap3,iface=t3",
           "h4": "net_pcap4,iface=s4", "h5": "net_af_packet5,iface=s5"}
TYPE = 0x88B5  # one that no kernel answers
SIZES = (60, 127, 128, 129, 200, 600, 1000, 1514)


class Net(testbed.Namespaces):
    """Hosts with a veth each to the switch, but for the one whose device net_tap makes."""

    def __init__(self):
        super().__init__("sw", *DRIVERS)

    def create(self):
        super().create()
        for where in self.name:
            self.sysctl(where, "net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1")
        for host in DRIVERS:
            if host != "h3":
                self.ip(host, "link", "add", "eth0", "type", "veth", "peer", "name", "s" + host[1], "netns",
                        self.name["sw"])
                self.ip(host, "link", "set", "eth0", "up")
                self.ip("sw", "link", "set", "s" + host[1], "up")

    def take_tap(self):
        self.ip("sw", "link", "set", "t3", "netns", self.name["h3"])
        self.ip("h3", "link", "set", "t3", "name", "eth0")
        self.ip("h3", "link", "set", "eth0", "up")


class Flood(unittest.TestCase):
    def setUp(self):
        self.net = Net()
        self.addCleanup(self.net.destroy)
        self.net.create()
        directory = tempfile.TemporaryDirectory(prefix="fcn-flood-")
        self.addCleanup(directory.cleanup)
        lines = ["bridge add br0"]
        for n, driver in enumerate(DRIVERS.values(), 1):
            lines += [f"port add p{n} device {driver.split(',')[0]}", f"bridge br0 port add p{n}"]
        config = testbed.write(directory.name, "flood.conf", "\n".join(lines) + "\n")
        self.switch = testbed.Switch(directory.name, config, namespace=self.net.name["sw"],
                                     vdevs=list(DRIVERS.values()))
        self.addCleanup(self.switch.end)
        self.switch.wait()
        self.net.take_tap()
        testbed.wait_until(lambda: all(p["link_up"] for p in self.switch.json("show port")))
        self.socket = {host: self.net.packet_socket(host, "eth0") for host in DRIVERS}
        for s in self.socket.values():
            self.addCleanup(s.close)
            s.settimeout(testbed.seconds(5))

    def receive(self, host):
        """The next frame of ours that arrives."""
        while True:
            frame = self.socket[host].recv(4096)
            if frame[12:14] == struct.pack("!H", TYPE):
                return frame

    def flood(self, mode):
        chance = random.Random(mode)
        self.assertEqual(self.switch.say("set copies " + mode), "")
        self.switch.say("clear counters")
        for n, size in enumerate(SIZES * 4):
            frame = b"\xff" * 6 + bytes.fromhex("020000000101") + struct.pack("!H", TYPE) + chance.randbytes(size - 14)
            self.socket["h1"].send(frame)
            for host in ("h2", "h3", "h4", "h5"):
                self.assertEqual(self.receive(host), frame, f"{mode}, frame {n} at {host}")
        port = self.switch.json("show bridge")[0]["ports"][0]
        return port["replicated"], port["copied"], port["cloned"]

    def test_same_octets(self):
        takes = {p["port"]: p["accepts_clones"] for p in self.switch.json("show bridge")[0]["ports"]}
        self.assertEqual(takes, {"p1": True, "p2": True, "p3": True, "p4": True, "p5": True})
        copies = 3 * 4 * len(SIZES)
        self.assertEqual(self.flood("copy"), (copies, copies, 0))
        longer = sum(size > 128 for size in SIZES)
        cloned = 3 * 4 * longer  # p5 has the frame itself
        self.assertEqual(self.flood("clone"), (copies, copies - cloned, cloned))
        self.assertEqual(self.flood("auto"), (copies, copies, 0))
        self.assertIs(self.switch.json("show conservation")["ok"], True)


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, net=Net, tools=("ip", "sysctl")))
