#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The models of Swift and NSCC against arithmetic on paper."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from window_models import GBPS, US, Nscc, Swift  # noqa: E402


class TestSwift(unittest.TestCase):
    def sender(self, **conf):
        return Swift(dict(Swift.defaults, **{k.replace("_", "-"): v for k, v in conf.items()}), 100 * GBPS, 1000)

    def test_target(self):
        # Range at 0.1 packets, nothing at 100; at 1 packet (1 - 0.1) / (sqrt(10) - 0.1) of it.
        sender = self.sender()
        for cwnd, want in ((0.05, 120), (0.1, 120), (1, 20 + 100 * 0.9 / (10**0.5 - 0.1)), (100, 20), (400, 20)):
            sender.cwnd = cwnd
            self.assertAlmostEqual(sender.target_delay(0) / US, want)
        self.assertAlmostEqual(sender.target_delay(2) - sender.target_delay(0), 6106)

    def test_increase(self):
        # From 100 Gb/s * 20 us = 250 packets on, by 1 for each window of acknowledgements, or for each below 1.
        sender = self.sender()
        self.assertAlmostEqual(sender.cwnd, 250)
        sender.ack(0, 10 * US, 250, 0, 0, 0, 0)
        self.assertAlmostEqual(sender.cwnd, 251)
        sender.cwnd = 0.5
        sender.ack(0, 10 * US, 1, 0, 0, 0, 0)
        self.assertAlmostEqual(sender.cwnd, 1.5)

    def test_decrease(self):
        # Twice the target: 0.8 / 2 less; ten times: half; nothing within a round trip.
        sender = self.sender(range=0)
        sender.ack(0, 40 * US, 1, 0, 0, 0, 0)
        self.assertAlmostEqual(sender.cwnd, 150)
        sender.ack(39 * US, 40 * US, 1, 0, 0, 0, 0)
        self.assertAlmostEqual(sender.cwnd, 150)
        sender.ack(240 * US, 200 * US, 1, 0, 0, 0, 0)
        self.assertAlmostEqual(sender.cwnd, 75)

    def test_pace(self):
        sender = self.sender()
        sender.cwnd, sender.rtt = 0.25, 100 * US
        self.assertAlmostEqual(sender.rate(), 8000 / 400e-6)  # a packet in four round trips
        self.assertEqual(sender.window(), 1000)

    def test_timeouts(self):
        sender, now = self.sender(), 0
        for left in (125, 62.5, 31.25, 15.625, 0.01):
            now += 1000 * US
            sender.loss(now, 1, 1)
            self.assertAlmostEqual(sender.cwnd, left)


class TestNscc(unittest.TestCase):
    def sender(self, line=100, **conf):
        conf = {"base-rtt": 12 * US, "target": 12 * US, **{k.replace("_", "-"): v for k, v in conf.items()}}
        return Nscc(dict(Nscc.defaults, **conf), line * GBPS, 1000)

    def test_scales(self):
        # At 100 Gb/s and 12 us all factors are 1; four times the line has four times the steps.
        sender = self.sender()
        self.assertAlmostEqual(sender.fi, 5000)
        self.assertAlmostEqual(sender.eta, 150)
        self.assertAlmostEqual(sender.alpha * 12 * US, 4000)
        self.assertAlmostEqual(sender.fi_scale, 0.25)
        self.assertAlmostEqual(sender.cwnd, 225000)
        self.assertAlmostEqual(self.sender(400).fi, 20000)
        self.assertAlmostEqual(self.sender(400).alpha, 4 * sender.alpha)

    def test_decrease(self):
        # Of an average of 40 us, 28 are beyond the target: 0.8 * 28 / 40 = 0.56 would go, but half stays.
        sender = self.sender(nscc_max_md_jump=300, eta=0)
        sender.ack(13 * US, 52 * US, 1, 1000, 0, 0, 1)
        self.assertAlmostEqual(sender.cwnd, 225000 * 0.44)
        sender = self.sender(eta=0)
        sender.ack(13 * US, 52 * US, 1, 1000, 0, 0, 1)
        self.assertAlmostEqual(sender.cwnd, 112500)

    def test_adapt(self):
        sender = self.sender()
        sender.ack(1 * US, 12 * US, 1, 1000, 0, 0, 0)  # begins the first period of 24 us
        sender.ack(2 * US, 72 * US, 9, 9000, 0, 0, 0)
        sender.ack(25 * US, 72 * US, 1, 1000, 7000, 0, 0)
        self.assertAlmostEqual(sender.cwnd, 10000)
        self.assertEqual(sender.bytes_to_ignore, 7000)

    def test_base(self):
        sender = self.sender()
        sender.ack(1 * US, 6 * US, 1, 1000, 0, 0, 1)
        self.assertEqual((sender.base_rtt, sender.cwnd), (6 * US, 112500))


if __name__ == "__main__":
    unittest.main()
