#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Flows and completion times in files of other simulators, against arithmetic that shares no code with the lab.

Usage: test_files.py PATH_OF_FASTCN_LAB [unittest options]
"""

import csv
import json
import os
import random
import subprocess
import sys
import tempfile
import unittest

LAB = ""
HOSTS = 300
STAR = """topology leaf-spine leaves 10 spines 1 hosts 30 rate 100G delay 1us host-rate 25G latency 0ns
traffic %s web file flows hosts h[1-300] %s
record messages
record fct
"""


def alone(size, hops):
    """ns from posting a message until its acknowledgement, over links of (bits per second, ns)."""
    full, last = 1024 + 102, (size - 1) % 1024 + 1 + 102
    packets = -(-size // 1024)
    # Each link sends the packets one after the other; a faster one waits for each.
    done = [0.0] * packets
    for rate, delay in hops:
        free = 0.0
        for i in range(packets):
            free = max(free, done[i]) + (last if i == packets - 1 else full) * 8e9 / rate
            done[i] = free + delay
    return done[-1] + sum(106 * 8e9 / rate + delay for rate, delay in hops)


class Files(unittest.TestCase):
    def run_lab(self, kind, flows, options="", more="", status=0, star=STAR):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name, text in (("flows", flows), ("x.lab", star % (kind, options) + more)):
            with open(os.path.join(self.folder.name, name), "w", encoding="ascii") as f:
                f.write(text)
        done = subprocess.run([LAB, os.path.join(self.folder.name, "x.lab"), "--quiet", "--no-plots", "--out", self.path("out")],
                              capture_output=True, check=False, encoding="utf-8")
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def fct(self):
        with open(self.path("out/fct.txt"), encoding="ascii") as f:
            return [line.rstrip("\n").split(" ") for line in f]

    def messages(self):
        with open(self.path("out/messages.csv"), encoding="ascii", newline="") as f:
            return list(csv.DictReader(f))

    def test_alone(self):
        """Flows one after the other, as traffic_gen.py of HPCC writes them: each takes the time that it takes alone."""
        rng, flows, start = random.Random(3), [], 2000000000
        for _ in range(40):
            a, b = rng.sample(range(HOSTS), 2)
            flows.append((a, b, 3, rng.choice((100, 200)), int(10 ** rng.uniform(0, 5.5)), start))
            start += rng.randint(200000, 300000)
        self.run_lab("flows", "%d\n" % len(flows) + "".join("%d %d %d %d %d %.9f\n" % (*f[:5], f[5] * 1e-9) for f in flows),
                     "offset 2s")
        rows, messages = self.fct(), self.messages()
        self.assertEqual(len(rows), len(flows))
        self.assertEqual(len(messages), len(flows))
        for n, (row, message, (a, b, _, port, size, start)) in enumerate(zip(rows, messages, flows)):
            ends = ["%08x" % (0x0b000001 + i // 256 * 0x10000 + i % 256 * 0x100) for i in (a, b)]
            self.assertEqual(row[:2], ends)
            self.assertEqual(row[3:6], [str(port), str(size), str(start - 2000000000)])
            hosts, fabric = (25e9, 1000), (100e9, 1000)
            hops = [hosts, hosts] if a // 30 == b // 30 else [hosts, fabric, fabric, hosts]
            for value in (int(row[6]), int(row[7])):
                self.assertLess(abs(value - alone(size, hops)), 10, (n, row, hops))
            self.assertEqual((message["flow"], message["from"], message["to"]), ("web/%d" % (n + 1), "h%d" % (a + 1), "h%d" % (b + 1)))
            self.assertEqual([message[k] for k in ("bytes", "start_ns", "fct_ns", "ideal_ns")], [row[4], row[5], row[6], row[7]])
            self.assertEqual(int(message["end_ns"]), int(message["start_ns"]) + int(message["fct_ns"]))
            self.assertEqual(message["slowdown"], "%.3f" % (int(row[6]) / int(row[7])))

    def test_others(self):
        """Lines are in the order in which messages are complete; bursts are of port 200, other flows of port 100."""
        self.run_lab("flows", "1\n0 1 3 7 1000000 0\n", more="flow add f from h1 to h3 size 1K messages 3\n"
                     "traffic incast i to h40 from h[41-44] size 10K every 100us count 2\n")
        rows, messages = self.fct(), self.messages()
        self.assertEqual(sorted(row[3] for row in rows), ["100"] * 3 + ["200"] * 8 + ["7"])
        ends = [int(m["end_ns"]) for m in messages]
        self.assertEqual(ends, sorted(ends))
        self.assertEqual([m["start_ns"] for m in messages if m["flow"] == "f"][1:], [m["end_ns"] for m in messages if m["flow"] == "f"][:2])

    def test_matrix(self):
        self.run_lab("matrix", "Nodes 300\nConnections 2\n0->13 start 5000000 size 2000\n299->1 id 4 start 7000999 size 3000 prio 1\n")
        self.assertEqual([(m["from"], m["to"], m["bytes"], m["start_ns"]) for m in self.messages()],
                         [("h1", "h14", "2000", "5000"), ("h300", "h2", "3000", "7001")])

    def test_one_switch(self):
        """A permutation of 256 hosts at one switch: each message has both lines for itself, and takes the time that it takes alone."""
        n, size = 256, 50000
        self.run_lab("matrix", "Nodes %d\nConnections %d\n" % (n, n) + "".join("%d->%d start 0 size %d\n" % (i, (i + 101) % n, size) for i in range(n)),
                     star="switch add s latency 0ns\nhost add h[1-256]\nlink add h[1-256] s rate 25G\nhost all set ack-every 0\n"
                     "traffic %s web file flows hosts h[1-256]%s\nrecord messages\nrecord fct\n")
        messages = self.messages()
        self.assertEqual({(m["from"], m["to"]) for m in messages}, {("h%d" % (i + 1), "h%d" % ((i + 101) % n + 1)) for i in range(n)})
        for m in messages:
            self.assertLess(abs(int(m["fct_ns"]) - alone(size, [(25e9, 1000)] * 2)), 10, m)

    def test_many_paths(self):
        """100 flows over 100 links of the same length: as many links are used as when 100 balls are thrown into 100 bins."""
        n = 100
        self.run_lab("matrix", "Nodes %d\nConnections %d\n" % (2 * n, n) + "".join("%d->%d start 0 size 1000\n" % (i, i + n) for i in range(n)),
                     star="topology leaf-spine leaves 2 spines 1 hosts 100 links 100\nhost all set ack-every 0\n"
                     "traffic %s web file flows hosts h[1-200]%s\nrecord messages\n")
        self.assertEqual(len(self.messages()), n)
        with open(self.path("out/result.json"), encoding="utf-8") as f:
            ports = json.load(f)["switch"]["spine1"]["ports"]
        self.assertEqual(len(ports), 2 * n)
        used = sum(p["rx_packets"] > 0 for p in ports if p["port"].split("_")[0] == "leaf1")
        mean = n * (1 - (1 - 1 / n) ** n)
        deviation = (n * (n - 1) * (1 - 2 / n) ** n + n * (1 - 1 / n) ** n - n * n * (1 - 1 / n) ** (2 * n)) ** .5
        self.assertLess(abs(used - mean), 4 * deviation)

    def test_mistakes(self):
        for kind, flows, options, said in (
                ("flows", "1\n0 1 3 100 5\n", "", "flows:2:12: expected the start in seconds"),
                ("flows", "1\n0 300 3 100 5 2\n", "", "the file has 301 hosts, and there are 300 here"),
                ("flows", "1\n0 1 3 100 5 1\n", "offset 2s", "flows:2: the flow starts before the offset"),
                ("matrix", "Nodes 301\nConnections 0\n", "", "the file has 301 hosts"),
                ("matrix", "Nodes 2\nConnections 1\n0->1 start 0 size 0\n", "", "x.lab:2:1: this flow is endless, so the run needs a duration")):
            self.assertIn(said, self.run_lab(kind, flows, options, status=2))

    def test_distribution(self):
        """Sizes of the storage at Alibaba: 22.93 % are of up to 4000 bytes, 69.21 % up to 8000, 97.53 % up to 256000."""
        self.run_lab("flows", "0\n", more="traffic poisson p hosts h[1-30] load 5% distribution alistorage until 2ms\n")
        sizes = [int(m["bytes"]) for m in self.messages()]
        self.assertGreater(len(sizes), 200)
        for size, part in ((4000, .2293), (8000, .6921), (256000, .9753)):
            n = sum(s <= size for s in sizes)
            self.assertLess(abs(n - part * len(sizes)), 4 * (part * (1 - part) * len(sizes)) ** .5)


if __name__ == "__main__":
    LAB = sys.argv.pop(1)
    unittest.main()
