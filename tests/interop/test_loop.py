#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A loop through a bridge of the Linux kernel: the live switch closes one of its ends, the hosts reach each other
again, and the port is opened again after its time."""

import json
import sys
import tempfile
import time
import unittest

import testbed

CONFIG = """
port add p1 device net_af_packet0
port add p2 device net_af_packet1
port add p3 device net_af_packet2
bridge add br0
bridge br0 port add p1
bridge br0 port add p2
bridge br0 port add p3
"""


class Net(testbed.Namespaces):
    """Host h at p1; behind p2 and p3 the same bridge of the kernel, without spanning tree."""

    def __init__(self):
        super().__init__("sw", "h", "far")

    def create(self):
        super().create()
        for where in self.name:
            self.sysctl(where, "net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1")
        for port, (where, device) in enumerate((("h", "eth0"), ("far", "f2"), ("far", "f3")), 1):
            self.ip("sw", "link", "add", f"s{port}", "type", "veth", "peer", "name", device, "netns", self.name[where])
            self.ip("sw", "link", "set", f"s{port}", "up", "promisc", "on")
        self.ip("far", "link", "add", "name", "lan", "type", "bridge", "stp_state", "0", "forward_delay", "0")
        for device in ("f2", "f3"):
            self.ip("far", "link", "set", device, "master", "lan")
            self.ip("far", "link", "set", device, "up")
        self.ip("far", "link", "set", "lan", "up")
        self.ip("far", "addr", "add", "192.0.2.2/24", "dev", "lan")
        self.ip("h", "link", "set", "eth0", "up")
        self.ip("h", "addr", "add", "192.0.2.1/24", "dev", "eth0")

    def received(self):
        """Frames that the kernel's bridge had of the switch, by its own counters."""
        shown = json.loads(self.ip("far", "-s", "-j", "link", "show"))
        return sum(d["stats64"]["rx"]["packets"] for d in shown if d["ifname"] in ("f2", "f3"))

    def storm(self):
        """Frames a second now."""
        before, begin = self.received(), time.monotonic()
        time.sleep(0.5)
        return (self.received() - before) / (time.monotonic() - begin)


class Loop(unittest.TestCase):
    def setUp(self):
        self.net = Net()
        self.addCleanup(self.net.destroy)
        self.net.create()
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def start(self, more):
        config = testbed.write(self.directory.name, "loop.conf", CONFIG + more)
        switch = testbed.Switch(self.directory.name, config, namespace=self.net.name["sw"],
                                vdevs=[f"net_af_packet{n},iface=s{n + 1}" for n in range(3)])
        self.addCleanup(switch.end)
        return switch.wait()

    def ping(self, *words):
        return self.net.run("h", "ping", "-n", "-W", "1", *words, "192.0.2.2", check=False)

    def closed(self, switch):
        return [p["port"] for p in switch.json("show bridge")[0]["ports"] if p["err_disabled"]]

    def events(self, switch, name):
        return [e for e in switch.json("show events last 256")["events"] if e["event"] == name]

    def test_told_only(self):
        switch = self.start("")
        self.ping("-c", "1")
        testbed.wait_until(lambda: self.events(switch, "mac_flapping"))
        self.assertGreater(self.net.storm(), 1000)
        self.assertEqual(self.closed(switch), [])

    def test_closed_and_opened(self):
        switch = self.start("set bridge br0 loop-action disable recover 3s\n")
        self.ping("-c", "1")  # asks for the address by a broadcast, which goes round
        testbed.wait_until(lambda: self.events(switch, "err_disabled"))
        self.assertEqual(self.closed(switch), ["p3"])
        self.assertLess(self.net.storm(), 200)
        self.assertTrue(self.net.answered("h", "-c3", "-i0.1", "192.0.2.2"))
        testbed.wait_until(lambda: self.events(switch, "err_recovered"))
        closed, opened = self.events(switch, "err_disabled")[0], self.events(switch, "err_recovered")[0]
        self.assertEqual((closed["port"], opened["port"]), ("p3", "p3"))
        self.assertIn(closed["from"], ("p1", "p2"))
        self.assertRegex(closed["mac"], "^([0-9a-f]{2}:){5}[0-9a-f]{2}$")
        self.assertGreaterEqual(opened["time_ns"] - closed["time_ns"], 3 * 10**9)
        self.assertLess(opened["time_ns"] - closed["time_ns"], testbed.seconds(4) * 10**9)
        self.assertIn("port p3: open again", switch.said())


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, net=Net, tools=("ip", "ping", "sysctl")))
