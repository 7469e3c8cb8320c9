#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The live switch between Linux hosts: three network namespaces, two of them hosts, joined by veth pairs to the
third, where fastcn has a net_af_packet device on each. Needs root; without it, or without namespaces, exit 77.

test_live.py --fastcn PROGRAM [unittest options]
"""

import os
import shutil
import signal
import struct
import sys
import tempfile
import time
import unittest

import testbed

VDEVS = ("net_af_packet0,iface=s1", "net_af_packet1,iface=s2")
MAC = {"h1": "02:00:00:00:01:01", "h2": "02:00:00:00:02:01", "p1": "02:00:00:00:01:fe", "p2": "02:00:00:00:02:fe"}

BRIDGED = """
port add p1 device net_af_packet0
port add p2 device net_af_packet1
bridge add br0
bridge br0 port add p1
bridge br0 port add p2
"""

ROUTED = f"""
port add p1 device net_af_packet0
port add p2 device net_af_packet1
set port p1 mac {MAC["p1"]}
set port p2 mac {MAC["p2"]}
address add p1 2001:db8:1::fe/64
address add p2 2001:db8:2::fe/64
neighbour add p1 2001:db8:1::1 {MAC["h1"]}
neighbour add p2 2001:db8:2::1 {MAC["h2"]}
"""


class Net(testbed.Namespaces):
    """Two hosts, and the switch's side."""

    def __init__(self):
        super().__init__("h1", "h2", "sw")

    def create(self):
        super().create()
        for n, host in ((1, "h1"), (2, "h2")):
            self.ip(host, "link", "add", "eth0", "address", MAC[host], "type", "veth", "peer", "name", f"s{n}",
                    "netns", self.name["sw"])
            # one address for the bridge, one for each side of the router
            self.ip(host, "addr", "add", f"2001:db8:b::{n}/64", "dev", "eth0", "nodad")
            self.ip(host, "addr", "add", f"2001:db8:{n}::1/64", "dev", "eth0", "nodad")
            self.ip(host, "link", "set", "eth0", "up")
            self.ip(host, "neigh", "add", f"2001:db8:{n}::fe", "lladdr", MAC[f"p{n}"], "dev", "eth0", "nud",
                    "permanent")
            self.ip(host, "route", "add", f"2001:db8:{3 - n}::/64", "via", f"2001:db8:{n}::fe")
            self.ip("sw", "link", "set", f"s{n}", "up")


class Live(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.net = Net()
        cls.addClassCleanup(cls.net.destroy)
        cls.net.create()
        directory = tempfile.TemporaryDirectory(prefix="fcn-live-")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = directory.name

    def switch(self, config, interactive=True):
        switch = testbed.Switch(self.directory, testbed.write(self.directory, "fastcn.conf", config), vdevs=VDEVS,
                                namespace=self.net.name["sw"], own_console=interactive)
        self.addCleanup(switch.end)
        return switch

    def wait_for_ping(self, *addresses):
        """The switch needs a moment to begin."""
        testbed.wait_until(lambda: self.net.ping("h1", *addresses, count=1, timeout=0.2))

    def check_conservation(self, switch):
        self.assertTrue(switch.json("show conservation")["ok"])

    def test_bridged(self):
        switch = self.switch(BRIDGED)
        self.assertEqual(self.net.ping("h1", "2001:db8:b::1", "2001:db8:b::2", 1, 0.3), [], "forwards before start")
        switch.say("start")
        self.wait_for_ping("2001:db8:b::1", "2001:db8:b::2")
        # Hop limits are not touched.
        self.assertEqual(self.net.ping("h1", "2001:db8:b::1", "2001:db8:b::2"), [64] * 5)
        where = {m["mac"]: m["port"] for m in switch.json("show mac")}
        self.assertEqual((where[MAC["h1"]], where[MAC["h2"]]), ("p1", "p2"))
        self.check_conservation(switch)
        # Stopped, nothing passes; started again, it does.
        switch.say("stop")
        self.assertEqual(self.net.ping("h1", "2001:db8:b::1", "2001:db8:b::2", 1, 0.3), [])
        switch.say("start")
        self.assertEqual(self.net.ping("h1", "2001:db8:b::1", "2001:db8:b::2"), [64] * 5)
        # A port goes and comes back while the other forwards.
        switch.say("port remove p2")
        self.assertEqual(self.net.ping("h1", "2001:db8:b::1", "2001:db8:b::2", 1, 0.3), [])
        self.check_conservation(switch)
        self.assertEqual(switch.say("port add p2 device net_af_packet1"), "")
        self.assertEqual(switch.say("bridge br0 port add p2"), "")
        self.wait_for_ping("2001:db8:b::1", "2001:db8:b::2")
        self.check_conservation(switch)

    def test_routed(self):
        switch = self.switch(ROUTED)
        switch.say("start")
        self.wait_for_ping("2001:db8:1::1", "2001:db8:2::1")
        # The answer came through the router: one hop less.
        self.assertEqual(self.net.ping("h1", "2001:db8:1::1", "2001:db8:2::1"), [63] * 5)
        switch.say("set host off")  # it would find the neighbour by itself
        switch.say("neighbour remove p2 2001:db8:2::1")
        self.assertEqual(self.net.ping("h1", "2001:db8:1::1", "2001:db8:2::1", 1, 0.3), [])
        self.assertIn("no_neighbour", [d["reason"] for d in switch.json("show drops")])
        self.check_conservation(switch)

    def shark(self, name, *fields):
        words = [w for f in fields for w in ("-e", f)]
        out = testbed.run("tshark", "-n", "-r", os.path.join(self.directory, name), "-T", "fields", *words)
        return [tuple(line.split("\t")) for line in out.splitlines()]

    @unittest.skipIf(shutil.which("tshark") is None, "needs tshark")
    def test_capture(self):
        switch = self.switch(ROUTED)
        switch.say("start")
        switch.say("set host off")  # it would look for neighbours
        self.wait_for_ping("2001:db8:1::1", "2001:db8:2::1")
        begin = time.time()
        echo = "filter icmp6 and (ip6[40] = 128 or ip6[40] = 129)"
        for words in (f"p1 both file {self.directory}/p1 {echo}", f"all tx file {self.directory}/tx {echo}",
                      f"all drop file {self.directory}/drop"):
            self.assertEqual(switch.say(f"capture start port {words}"), "")
        self.assertIn("another capture writes this file", switch.say(f"capture start port p2 rx file {self.directory}/p1"))
        self.assertEqual(self.net.ping("h1", "2001:db8:1::1", "2001:db8:2::1"), [63] * 5)
        self.assertEqual(self.net.ping("h1", "2001:db8:1::1", "2001:db8:2::77", 2, 0.2), [])
        self.assertEqual(switch.say(f"capture stop {self.directory}/p1"), "")
        # Stopped, it has no more.
        self.assertEqual(self.net.ping("h1", "2001:db8:1::1", "2001:db8:2::1", 2), [63] * 2)
        rows = self.shark("p1", "frame.interface_name", "frame.packet_flags_direction", "icmpv6.type", "ipv6.hlim",
                          "frame.time_epoch")
        # two requests to a neighbour that nobody knows are received, too
        self.assertEqual([r[:4] for r in rows], [("p1", "0x00000001", "128", "64"), ("p1", "0x00000002", "129", "63")] *
                         5 + [("p1", "0x00000001", "128", "64")] * 2)
        times = [float(r[4]) for r in rows]
        self.assertEqual(times, sorted(times))
        self.assertTrue(begin - 0.1 < times[0] and times[-1] < time.time() + 0.1)
        # The end of the switch is the end of its captures.
        status, seconds = switch.stop(signal.SIGTERM)
        self.assertEqual(status, 0)
        self.assertLess(seconds, testbed.seconds(5))
        rows = self.shark("tx", "frame.interface_name", "icmpv6.type")
        self.assertEqual(rows, [("p2", "128"), ("p1", "129")] * 7)
        lost = [row for row in self.shark("drop", "ipv6.dst", "frame.comment") if row[0] == "2001:db8:2::77"]
        self.assertEqual(lost, [("2001:db8:2::77",
                                 "dropped: no_neighbour (the MAC address of the next hop is not known)")] * 2)

    def test_console(self):
        switch = self.switch(BRIDGED)
        ports = switch.json("show port")
        self.assertEqual([p["port"] for p in ports], ["p1", "p2"])
        self.assertEqual([p["device"] for p in ports], ["net_af_packet0", "net_af_packet1"])
        said = switch.say("show prot")
        self.assertIn("column 6:", said)
        self.assertRegex(said, 'did you mean port[?] expected .*, found "prot"')
        saved = os.path.join(self.directory, "saved.conf")
        self.assertEqual(switch.say(f"save {saved}"), "")
        with open(saved, encoding="ascii") as f:
            self.assertEqual(switch.say("show config"), f.read())
        self.assertIn("device nope: EAL cannot make it", switch.say("port add p3 device nope"))
        self.assertEqual(len(switch.json("show port")), 2)
        switch.process.stdin.write(b"quit\n")
        switch.process.stdin.flush()
        self.assertEqual(switch.process.wait(timeout=testbed.seconds(10)), 0)

    def test_end_of_input(self):
        switch = self.switch(BRIDGED)
        switch.say("start")
        switch.process.stdin.close()
        self.assertEqual(switch.process.wait(timeout=testbed.seconds(10)), 0)

    def test_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            switch = self.switch(ROUTED, interactive=False)  # forwards at once
            self.wait_for_ping("2001:db8:1::1", "2001:db8:2::1")
            status, seconds = switch.stop(number)
            self.assertEqual(status, 0)
            self.assertLess(seconds, testbed.seconds(1))

    def test_bad_configuration(self):
        switch = self.switch("port add p1 device net_af_packet0\nport ad p2\n", interactive=False)
        self.assertEqual(switch.process.wait(timeout=testbed.seconds(20)), 2)
        self.assertIn(f"{switch.config}:2:6: ", switch.said())

    def test_same_file_in_replay(self):
        capture = os.path.join(self.directory, "in.pcap")
        with open(capture, "wb") as f:
            frame = bytes.fromhex(MAC["p1"].replace(":", "") + MAC["h1"].replace(":", "") + "86dd") + bytes.fromhex(
                "6000000000043b40" "20010db8000100000000000000000001" "20010db8000200000000000000000001" "00000000")
            f.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
            f.write(struct.pack("<IIII", 1, 0, len(frame), len(frame)) + frame)
        config = testbed.write(self.directory, "replay.conf", ROUTED)
        out = os.path.join(self.directory, "out.pcap")
        testbed.run(testbed.options.fastcn, "replay", config, "--in", f"p1={capture}", "--out", f"p2={out}", "--quiet")
        with open(out, "rb") as f:
            data = f.read()
        self.assertEqual(data[40:], bytes.fromhex((MAC["h2"] + MAC["p2"]).replace(":", "")) + frame[12:21] + b"\x3f" +
                         frame[22:])


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, net=Net))
