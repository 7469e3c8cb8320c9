#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What scripts/demo-host says of captures: which CNPs are wrong, and about which packet each one is. The machines of the demonstration
take a minute, and are not started here.

test_host_demo.py --fastcn PROGRAM [unittest options]
"""

import os
import sys
import unittest
from ipaddress import ip_address

import host_demo
import testbed
from fcnoracle import capture, walker

DATA = os.path.join(host_demo.ROOT, "tests", "data", "vectors")
MS = 10**6


def frames(name, number, at, mac):
    """A vector whose MAC address at a place is h1's."""
    frame = bytearray(capture.load(os.path.join(DATA, name)).records[number].data)
    frame[at:at + 6] = bytes.fromhex(mac.replace(":", ""))
    return frame


class HostDemo(unittest.TestCase):
    def setUp(self):
        self.data = frames("01_roce6_write.pcap", 0, 6, host_demo.MAC["h1"])
        self.cnp = frames("04_cnp.pcap", 0, 0, host_demo.MAC["h1"])
        p = walker.walk(bytes(self.data))
        self.data[p.udp:p.udp + 2] = b"\xd0\x0d"  # the UDP source port of the CNP
        self.flow = host_demo.Flow(walker.walk(bytes(self.cnp)).bth.qp, p.ip.dst, p.bth.qp)

    def judge(self, *frames_at, flows=None):
        records = [capture.Record.of(t, f) for t, f in frames_at]
        return host_demo.judge(records, flows or [self.flow], MS)

    def test_right(self):
        self.assertEqual(self.judge((100, self.data), (130, self.cnp)), ({self.flow: [30]}, []))

    def test_wrong(self):
        """Each octet behind the Ethernet header; a queue pair that the kernel does not have there; no data before."""
        for n in range(14, len(self.cnp)):
            cnp = bytearray(self.cnp)
            cnp[n] ^= 1
            found, wrong = self.judge((100, self.data), (130, cnp))
            # What is no CNP any more is not taken for one.
            self.assertTrue(wrong or not found.get(self.flow), n)
        found, wrong = self.judge((100, self.data), (130, self.cnp), flows=[self.flow._replace(qp=self.flow.qp + 1)])
        self.assertIn(f"CNP to queue pair {self.flow.qp}, {ip_address(self.flow.remote)} > ", wrong[0])
        self.assertEqual(len(self.judge((100, self.cnp), (130, self.data))[1]), 1)

    def test_silent(self):
        """A queue pair that has sent data and got no CNP is shown, one that has hardly sent any is not."""
        self.assertEqual(self.judge((1, self.data)), ({}, []))
        self.assertEqual(self.judge(*((n, self.data) for n in range(100))), ({self.flow: []}, []))

    def test_cause(self):
        self.assertEqual(host_demo.cause([5, 7], None, MS), 7)
        # The interval was over for the third; the fourth came too late to be the first.
        self.assertEqual(host_demo.cause([5, 7, MS + 8, MS + 9], 6, MS), MS + 8)
        # None came since it was over: one of the first two waited.
        self.assertEqual(host_demo.cause([5, 7, 9], 6, MS), 7)
        self.assertEqual(host_demo.cause([5], 6, MS), 5)


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__))
