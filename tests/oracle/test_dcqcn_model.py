#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The DCQCN model against arithmetic on paper."""

import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from dcqcn_model import FINE, GBPS, MS, US, cnps, connectx, looks, paper, sends, simulate  # noqa: E402

C100 = connectx(100 * GBPS)


class Cut(unittest.TestCase):
    def test_first(self):
        # 1023 * (1019/1024)^4 = 1003.17
        sender, _ = simulate(C100, 100 * GBPS, cnps(0) + looks(4 * US))
        self.assertEqual(sender.changes, [(4 * US, 100 * GBPS - 100 * GBPS * 1003 // 2048)])

    def test_alpha_is_held_up(self):
        sender, _ = simulate(C100, 100 * GBPS, cnps(*range(0, 100 * US, 500)) + looks(100 * US))
        self.assertEqual(sender.alpha // FINE, 1023)
        self.assertEqual([t for t, _ in sender.changes], list(range(4 * US, 96 * US, 4 * US))[:len(sender.changes)])

    def test_half_life(self):
        _, states = simulate(C100, 100 * GBPS, cnps(0) + looks(141 * US, 142 * US))
        self.assertEqual([s[2] for s in states[1:]], [513, 510])  # 1023 * (1019/1024)^n = 513.03, 510.53

    def test_paper_halves(self):
        sender, _ = simulate(paper(40 * GBPS), 40 * GBPS, cnps(7))
        self.assertEqual(sender.changes, [(7, 40 * GBPS - 40 * GBPS * 1023 // 2048)])

    def test_on_arrival(self):
        # At once; then not before 4 us have passed, whenever the CNP comes; at once again later.
        conf = dict(C100, cut_on_arrival=1)
        sender, _ = simulate(conf, 100 * GBPS, cnps(1000, 2000, 4999, 20 * US) + looks(21 * US))
        self.assertEqual([t for t, _ in sender.changes], [1000, 5000, 20 * US])
        self.assertEqual(sender.changes[0][1], 100 * GBPS - 100 * GBPS * 1023 // 2048)

    def test_each_cuts(self):
        sender, _ = simulate(dict(C100, monitor_ns=0), 100 * GBPS, cnps(10, 20, 30))
        halves = [100 * GBPS]
        for _ in range(3):
            halves.append(halves[-1] - halves[-1] * 1023 // 2048)
        self.assertEqual(sender.changes, list(zip([10, 20, 30], halves[1:])))

    def test_alpha_on_arrival(self):
        # 1023 -> * 1020/1024 after 55 us without a CNP; a CNP 50 us after the one before restarts those 55 us.
        script = cnps(0, 50 * US) + looks(104 * US, 105 * US) + cnps(106 * US)
        _, states = simulate(paper(40 * GBPS), 40 * GBPS, script)
        self.assertEqual([s[2] for s in states], [1023, 1023, 1023, 1019, 1019])
        self.assertAlmostEqual(states[-1][3] - states[-2][3], (4 - 1019.00390625 * 4 / 1024) * FINE, delta=1)


    def test_alpha_before_cut(self):
        # 512 * 1020/1024 + 4 = 514 instead of 512 for the first cut of alpha / 2.
        conf = dict(paper(40 * GBPS), initial_alpha=512)
        for first, alpha in ((0, 512), (1, 514)):
            sender, _ = simulate(dict(conf, alpha_before_cut=first), 40 * GBPS, cnps(7))
            self.assertEqual(sender.changes, [(7, 40 * GBPS - 40 * GBPS * alpha // 2048)])


class Increase(unittest.TestCase):
    def test_target_cut(self):
        # Cuts to 1/16 leave the target at the line: an eighth of it after the first period, then half of the way to that.
        conf = dict(C100, target_cut=1, tcp_g=1024, min_dec_fac=0, monitor_ns=0, initial_alpha=1023)
        sender, states = simulate(conf, 100 * GBPS, cnps(0, 1, 2, 3) + looks(300 * US + 3))
        self.assertEqual(states[-1][1], 100 * GBPS // 8)
        self.assertEqual(sender.rate, -(-(states[-2][0] + 100 * GBPS // 8) // 2))

    def test_jump(self):
        sender, _ = simulate(C100, 100 * GBPS, cnps(0) + looks(304 * US))
        first = 100 * GBPS - 100 * GBPS * 1003 // 2048
        self.assertEqual(sender.changes[1], (304 * US, (first + 100 * GBPS + 1) // 2))

    def test_stages(self):
        # Five of fast recovery to the target, then one and more of 40 Mb/s.
        sender, states = simulate(paper(40 * GBPS), 40 * GBPS, cnps(0, 150 * US) + looks(*range(150 * US, 800 * US, 55 * US)))
        targets = [s[1] for s in states[2:]]
        kept = targets[0]
        self.assertEqual(targets[:6], [kept] * 6)
        self.assertEqual([t - kept for t in targets[6:9]], [40 * 10**6, 80 * 10**6, 120 * 10**6])
        self.assertEqual(states[-1][4], 11)

    def test_hyper(self):
        conf = dict(connectx(25 * GBPS), clamp=1)
        script = cnps(0) + looks(1000 * US) + sends(1000 * US, 1001 * US, US, 3 * 2097088)
        _, states = simulate(conf, 25 * GBPS, cnps(0) + cnps(100 * US) + script[1:])
        # Three increases by time; by bytes: min(3, 0), min(3, 1) are not above 1, min(3, 2) is.
        self.assertEqual(states[-1][5], 3)
        self.assertEqual(states[-1][1] - states[-2][1], (5 + 5 + 50) * 10**6)

    def test_hyper_by_time_alone(self):
        # Without a byte counter, as in the simulator of HPCC: one increase of fast recovery, one additive, then hyper.
        conf = dict(connectx(25 * GBPS), clamp=1, byte_reset=0)
        _, states = simulate(conf, 25 * GBPS, cnps(0, 100 * US) + looks(*range(104 * US, 1600 * US, 300 * US)))
        targets = [s[1] for s in states[2:]]
        self.assertEqual([b - a for a, b in zip(targets, targets[1:])], [0, 5 * 10**6, 50 * 10**6, 50 * 10**6])

    def test_no_hyper_without_bytes(self):
        # With a byte counter, but nothing sent, there are additive increases only, as in the paper.
        conf = dict(connectx(25 * GBPS), clamp=1)
        _, states = simulate(conf, 25 * GBPS, cnps(0, 100 * US) + looks(*range(104 * US, 1600 * US, 300 * US)))
        targets = [s[1] for s in states[2:]]
        self.assertEqual([b - a for a, b in zip(targets, targets[1:])], [0, 5 * 10**6, 5 * 10**6, 5 * 10**6])

    def test_line_is_the_end(self):
        sender, _ = simulate(C100, 100 * GBPS, cnps(0) + looks(100 * MS))
        self.assertEqual((sender.rate, sender.target), (100 * GBPS, 100 * GBPS))


if __name__ == "__main__":
    unittest.main()
