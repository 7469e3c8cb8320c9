#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Two senders' worth of packets for one port, at the speeds of today's links, with the defaults of limit and detector: congestion
is detected, and nothing is lost, for half of the time that the limit is. What is expected is arithmetic: the queue grows at the
rate of the port.

Usage: test_speeds.py FASTCN
"""

import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction

FASTCN = "fastcn"
OVERHEAD = 24                  # preamble, FCS and gap
US = 1000
KMIN, KMAX = 32 * US, 128 * US # ns of the rate

CONFIGURATION = """port add p1
port add p2
set port p1 link 1600G
set port p2 link {rate}G
bridge add br0
bridge br0 port add p1
bridge br0 port add p2
set queue p2 class 3 detector {detector}
set queue p2 class 3 ecn on
"""


def frame(length):
    """RoCEv2 in IPv6, DSCP 26 and ECT(0); the ICRC is not looked at."""
    payload = length - 14 - 40
    return (bytes.fromhex("020000000b01" "020000000a01" "86dd") + struct.pack(">IHBB", 6 << 28 | (26 << 2 | 2) << 20, payload, 17, 64) +
            bytes.fromhex("20010db8000100000000000000000010" "20010db8000200000000000000000020") +
            struct.pack(">HHHH", 0xC000, 4791, payload, 0) + bytes.fromhex("06000000" "00000002" "00000000") + bytes(payload - 20))


class Overload:
    """Packets of a length for a time (ns), at twice the rate of the port (Gbit/s, so bits a nanosecond)."""

    def __init__(self, rate, length, duration):
        self.rate, self.length = rate, length
        self.gap = Fraction((length + OVERHEAD) * 8, 2 * rate)
        self.n = int(duration / self.gap)

    def write(self, path):
        data = frame(self.length)
        with open(path, "wb") as f:
            f.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
            for i in range(self.n):
                f.write(struct.pack("<IIII", 0, int(i * self.gap), len(data), len(data)) + data)

    def occupancy(self, i):
        """Bytes in the queue with packet i: half of those that came have left."""
        return (i / 2 + 1) * self.length

    def bytes_of(self, ns):
        return ns * self.rate / 8

    def red(self, i):
        q, kmin, kmax = self.occupancy(i), self.bytes_of(KMIN), self.bytes_of(KMAX)
        return 0 if q <= kmin else 1 if q >= kmax else 0.2 * (q - kmin) / (kmax - kmin)


class Speeds(unittest.TestCase):
    SPEEDS = (10, 25, 50, 100, 400, 800)

    def replay(self, load, detector, lossy=False):
        with tempfile.TemporaryDirectory() as d:
            path = os.path.join(d, "in.pcap")
            load.write(path)
            with open(os.path.join(d, "conf"), "w") as f:
                f.write(CONFIGURATION.format(rate=load.rate, detector=detector))
            subprocess.run([FASTCN, "replay", f.name, "--in", "p1=" + path, "--json", d + "/json", "--quiet"],
                           check=True, timeout=100)
            with open(d + "/json") as f:
                report = json.load(f)
        queue, = [q for q in report["queues"] if q["port"] == "p2" and q["class"] == 3]
        self.assertEqual(queue["packets"] + queue["dropped"], load.n)
        self.assertEqual(queue["dropped"] > 0, lossy)
        return queue, report["latency"]["first_congested_ns"]

    def test_step(self):
        """All packets from the threshold on are marked."""
        for rate in self.SPEEDS:
            with self.subTest(rate=rate):
                load = Overload(rate, 1478, 160 * US)
                queue, first = self.replay(load, "step")
                self.assertLess(abs(queue["ce_marked"] - sum(load.occupancy(i) >= load.bytes_of(KMIN) for i in range(load.n))), 4)
                self.assertLess(abs(first - KMIN * Fraction(load.length + OVERHEAD, load.length)), 4 * load.gap)

    def test_red(self):
        """As many packets are marked as the probability says, and from kmax on all of them."""
        for rate in self.SPEEDS:
            with self.subTest(rate=rate):
                load = Overload(rate, 1478, 160 * US)
                p = [load.red(i) for i in range(load.n)]
                wrong = abs(self.replay(load, "red")[0]["ce_marked"] - sum(p))
                self.assertLess(wrong, 5 * sum(x * (1 - x) for x in p) ** 0.5 + 4)

    def test_qcn(self):
        """The equilibrium is passed early, and the highest level comes long before the limit."""
        for rate in self.SPEEDS:
            with self.subTest(rate=rate):
                load = Overload(rate, 1478, 160 * US)
                queue, first = self.replay(load, "qcn")
                self.assertLess(load.n / 2, queue["ce_marked"])
                self.assertLess(first, 40 * US)

    def test_sojourn_and_rate(self):
        for rate in self.SPEEDS:
            for detector in ("sojourn", "rate"):
                with self.subTest(rate=rate, detector=detector):
                    self.assertGreater(self.replay(Overload(rate, 1478, 200 * US), detector)[0]["ce_marked"], 10)

    def test_short_frames(self):
        """A threshold of bytes is reached by short packets, too, before their number is at its limit."""
        for rate in self.SPEEDS[:-1]:
            with self.subTest(rate=rate):
                load = Overload(rate, 90, 50 * US)
                queue, _ = self.replay(load, "step")
                want = sum(load.occupancy(i) >= load.bytes_of(KMIN) for i in range(load.n))
                self.assertLess(abs(queue["ce_marked"] - want), want / 50 + 4)

    def test_what_is_lost(self):
        """For three times as long as it takes to fill the queue: what the limit has no room for is lost, the rest is marked."""
        for rate in (25, 100):
            with self.subTest(rate=rate):
                load = Overload(rate, 1478, 960 * US)
                queue, _ = self.replay(load, "step", lossy=True)
                lost = load.n / 2 - load.bytes_of(320 * US) / load.length
                unmarked = 2 * load.bytes_of(KMIN) / load.length
                self.assertLess(abs(queue["dropped"] - lost), 4)
                self.assertLess(abs(queue["ce_marked"] - (load.n - lost - unmarked)), 8)


if __name__ == "__main__":
    FASTCN = os.path.abspath(sys.argv.pop(1))
    unittest.main()
