#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The queue model against arithmetic on paper. 976 octets and 24 of overhead take 8000 ns at 1 Gbit/s."""

import contextlib
import io
import os
import sys
import tempfile
import unittest
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data")
sys.path.insert(0, HERE)

import queue_model  # noqa: E402
from queue_model import Offer, Port, Qcn, Step, simulate  # noqa: E402

GIG = 10**9


def offers(*times, length=976, flow="f"):
    return [Offer(Fraction(t), length, flow, n) for n, t in enumerate(times)]


class Line(unittest.TestCase):
    def test_back_to_back(self):
        out = simulate(offers(0, 0, 0), Port(GIG))
        self.assertEqual(out.departures, [(8000, 0), (16000, 1), (24000, 2)])
        self.assertEqual((out.watermark, out.left), (2928, [[0, 976], [0, 1952], [0, 2928]]))

    def test_idle_between(self):
        out = simulate(offers(0, 100000), Port(GIG))
        self.assertEqual((out.departures, out.watermark), ([(8000, 0), (108000, 1)], 976))

    def test_in_service_has_left(self):
        out = simulate(offers(0, 1, 2), Port(GIG))
        self.assertEqual(out.left, [[0, 976], [1, 976], [2, 1952]])
        self.assertEqual(out.departures[-1], (24000, 2))

    def test_one_instant(self):
        """At 8000 the line becomes free and a packet comes: it is enqueued first, or last."""
        self.assertEqual(simulate(offers(0, 1, 8000), Port(GIG)).left[-1], [8000, 1952])
        self.assertEqual(simulate(offers(0, 1, 8000), Port(GIG, departures_first=True)).left[-1], [8000, 976])

    def test_short_frames(self):
        # 60 + 24 octets at 1 Gbit/s: 672 ns
        self.assertEqual(simulate(offers(0, length=42), Port(GIG)).departures, [(672, 0)])

    def test_gap_after(self):
        # the gap of 12 octets, 96 ns, follows the departure but keeps the line
        self.assertEqual(simulate(offers(0, 0), Port(GIG, gap_after=True)).departures, [(7904, 0), (15904, 1)])

    def test_rounding(self):
        # 84 octets at 9 Gbit/s: 74.67 ns
        nine = lambda **kw: [t for t, _ in simulate(offers(0, 0, 0, length=60), Port(9 * GIG, **kw)).departures]
        self.assertEqual(nine(), [74, 149, 224])
        self.assertEqual(nine(rounding="up"), [75, 150, 225])
        self.assertEqual(nine(rounding="down"), [74, 148, 222])

    def test_room(self):
        """A port that takes two frames more empties the queue sooner, and sends no sooner."""
        out = simulate(offers(0, 1, 2, 3), Port(GIG, room=2))
        self.assertEqual(out.left, [[0, 976], [1, 976], [2, 976], [3, 976]])
        self.assertEqual(out.departures[-1], (32000, 3))

    def test_tail_drop(self):
        out = simulate(offers(0, 0, 0, 0), Port(GIG, limit=2000))
        self.assertEqual((out.drops, out.watermark, len(out.departures)), ([(0, 2), (0, 3)], 1952, 2))
        self.assertEqual(simulate(offers(0, 0), Port(GIG, limit=1952)).drops, [])


class Shaper(unittest.TestCase):
    def test_spacing(self):
        # 100 Mbit/s: a start every 80000 ns; the frame itself takes 8000 ns on the line
        out = simulate(offers(0, 0, 0), Port(GIG, shaper=GIG // 10))
        self.assertEqual(out.departures, [(8000, 0), (88000, 1), (168000, 2)])

    def test_burst(self):
        # 2000 octets at once: two frames more start as soon as the line lets them
        out = simulate(offers(0, 0, 0, 0), Port(GIG, shaper=GIG // 10, burst=2000))
        self.assertEqual([t for t, _ in out.departures], [8000, 16000, 24000, 88000])

    def test_rate_of_many(self):
        out = simulate(offers(*[0] * 101), Port(GIG, shaper=GIG // 4))
        self.assertEqual(out.departures[-1][0] - out.departures[0][0], 100 * 32000)


class Detectors(unittest.TestCase):
    def run_step(self, occupancies, **kw):
        d, out, states = Step(1000, **kw), [], []
        for q in occupancies:
            out.append(d.arrival(q, 100) is not None)
            states.append(d.congested)
        return out, states

    def test_step(self):
        q = (999, 1000, 1500, 600, 500, 499, 999, 1000)
        notified, states = self.run_step(q)
        self.assertEqual(notified, [False, True, True, False, False, False, False, True])
        self.assertEqual(states, [False, True, True, True, True, False, False, True])
        self.assertEqual(self.run_step(q, notify_state=True)[0], states)
        self.assertEqual(self.run_step(q, leave=700)[1], [False, True, True, False, False, False, False, True])

    def test_qcn_feedback(self):
        # Qeq 10000: full scale 50000. Fb = -((q - 10000) + 2 * (q - q_old)), level 8 * |Fb| / 50000.
        d = Qcn(10000)
        for q, level in ((3000, None),    # -(-7000 + 6000) = 1000
                         (9000, 1),       # -(-1000 + 12000) = -11000, 1.76
                         (13000, 1),      # -(3000 + 8000) = -11000
                         (30000, 7),      # -(20000 + 34000) = -54000, 8.64
                         (60000, 7),      # -(50000 + 60000) = -110000
                         (20000, None),   # -(10000 - 80000) = 70000
                         (20000, 1),      # -(10000 + 0) = -10000, 1.6
                         (18000, 0)):     # -(8000 - 4000) = -4000, 0.64
            self.assertEqual(d.feedback(q), level, q)
        self.assertEqual(Qcn(10000).feedback(4000), 0)  # -(-6000 + 8000) = -2000, 0.32

    def test_qcn_sampling(self):
        d = Qcn(10000)
        got = [d.arrival(20000, 1000) for _ in range(6)]
        # The fifth arrival makes 5000 octets: Fb = -(10000 + 40000), level min(7, 8) = 7, held from there.
        self.assertEqual(got, [None, None, None, None, 7, 7])
        d = Qcn(10000, notify_sample=True)
        self.assertEqual([d.arrival(20000, 1000) for _ in range(6)], [None, None, None, None, 7, None])
        # 1000 octets a time: evaluated at 5, 10, 15 octets x 1000; carried over: at 5, 9, 13.
        for carry, want in ((False, [4, 9, 14]), (True, [4, 8, 12, 16])):
            d = Qcn(10000, carry=carry, notify_sample=True, min_level=0)
            times = [n for n in range(17) if d.arrival(30000 + n, 1000) is not None]
            self.assertEqual(times, want)


class Notices(unittest.TestCase):
    def test_interval(self):
        port, step = Port(GIG), lambda: Step(1000)
        out = simulate(offers(0, 0, 0, 1000, 4000, 4001), port, step(), min_interval=4000)
        # occupancies 976, 1952, ...: the first is below, the second notifies, the next may 4000 ns later
        self.assertEqual(out.notices, [(0, 1, 0), (4000, 4, 0)])
        self.assertEqual(out.suppressed, [(0, 2, "interval"), (1000, 3, "interval"), (4001, 5, "interval")])
        # Taken at 0, 8000, ..., the last but one at 32000: 976 octets are left, none from 40000 on.
        self.assertEqual(out.episodes, [(0, True), (40000, False)])

    def test_recovery_by_time(self):
        """Threshold 2000, leave 1000: two at 0 and the third; taken at 0, 8000, 16000; 976 octets are left at 8000."""
        for hold, end in ((0, 8000), (5000, 13000), (9000, 17000)):
            out = simulate(offers(0, 0, 0), Port(GIG), Step(2000, 1000, hold=hold))
            self.assertEqual(out.episodes, [(0, True), (end, False)])
        # The arrival at 8999 finds 1952 octets: below 1000 again at 16000. That at 9000 comes when all is over.
        out = simulate(offers(0, 0, 0, 8999), Port(GIG), Step(2000, 1000, True, hold=1000))
        self.assertEqual((out.episodes, len(out.met)), ([(0, True), (17000, False)], 2))
        out = simulate(offers(0, 0, 0, 9000), Port(GIG), Step(2000, 1000, True, hold=1000))
        self.assertEqual((out.episodes, len(out.met)), ([(0, True), (9000, False)], 1))

    def test_qcn_begins_afresh(self):
        """Qeq 2000, w 2, a sample each packet: what is left at the end of congestion is the next q_old."""
        q = Qcn(2000, sample=1, notify_state=True, hold=100)
        self.assertEqual(q.arrival(3000, 1000, Fraction(0)), 5)     # -(1000 + 6000): 5.6
        self.assertEqual(q.departure(900, Fraction(50)), None)
        self.assertEqual(q.elapse(800, Fraction(149)), None)
        self.assertEqual(q.elapse(800, Fraction(150)), 150)
        self.assertEqual((q.congested, q.old, q.octets), (False, 800, 0))

    def test_buckets(self):
        """Who refuses first: interval, light flow, queue, all, sender."""
        ask = lambda *buckets, **kw: [w for _, _, w in simulate(
            [Offer(Fraction(0), 976, (s, "r", q), n) for n, (s, q) in enumerate(("a1", "a1", "a2", "b1", "c1"))],
            Port(GIG), Step(1), min_interval=100, buckets=buckets, **kw).suppressed]
        none = (1000, 9)
        self.assertEqual(ask(none, none, (1000, 1)), ["interval", "bucket_destination"])
        self.assertEqual(ask(none, (1000, 2), none), ["interval"] + ["bucket_global"] * 2)
        self.assertEqual(ask((1000, 2), (1000, 2), (1000, 1)), ["interval", "bucket_destination", "bucket_queue"])

    def test_heavy_flows(self):
        """Ten of 976 of one flow, then one of another: of two flows each must hold 1/4, so 4 * 3254 >= 9760 + 3254."""
        many = offers(*[0] * 10, flow=("a", "r", 1))
        for length, why in ((488, ["light_flow"]), (3253, ["light_flow"]), (3254, [])):
            small = [Offer(Fraction(0), length, ("b", "r", 1), 10)]
            out = simulate(many + small, Port(GIG), Step(9000), min_interval=10, heavy_flows=True)
            self.assertEqual([w for _, i, w in out.suppressed if i == 10], why)

    def test_unreachable(self):
        """Without a way back nothing is spent: every packet is refused for that, none for interval or bucket."""
        out = simulate(offers(0, 0, 1, 2), Port(GIG), Step(1), min_interval=100, buckets=((1000, 1),) * 3, unreachable=True)
        self.assertEqual([why for _, _, why in out.suppressed], ["unreachable"] * 4)
        self.assertEqual(out.notices, [])
        one = Offer(Fraction(0), 100, ("b", "r", 1), 10)
        many = offers(*[0] * 10, flow=("a", "r", 1))
        out = simulate(many + [one], Port(GIG), Step(1), heavy_flows=True, unreachable=True)
        self.assertEqual([w for _, i, w in out.suppressed if i == 10], ["light_flow"])

    def test_per_flow(self):
        mixed = [Offer(Fraction(0), 976, flow, n) for n, flow in enumerate(("a", "a", "b", None, "b"))]
        out = simulate(mixed, Port(GIG), Step(1000), min_interval=4000)
        self.assertEqual([n[1] for n in out.notices], [1, 2])

    def test_drops_notify(self):
        port = Port(GIG, limit=1000)
        self.assertEqual(simulate(offers(0, 0), port, Step(1000)).notices, [(0, 1, 0)])
        self.assertEqual(simulate(offers(0, 0), port, Step(1000), blind_drops=True).notices, [])


class Program(unittest.TestCase):
    def test_incast(self):
        """The model's own departures compare equal, and differ from another rate's."""
        inputs = [os.path.join(DATA, "incast-h%d.pcap" % n) for n in (1, 2, 3, 4)]
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
            path = os.path.join(folder, "out.pcap")
            common = ["--in", *inputs, "--to", "2001:db8:ab::b", "--limit", "100K", "--step", "20K"]
            self.assertEqual(queue_model.main([*common, "--link", "100M", "--pcap", path]), 0)
            self.assertEqual(queue_model.main([*common, "--link", "100M", "--compare", path]), 0)
            self.assertEqual(queue_model.main([*common, "--link", "99M", "--compare", path]), 1)
        self.assertIn("411 packets: 411 left, 0 dropped", said.getvalue())

    def test_size(self):
        self.assertEqual([queue_model.size(s) for s in ("200K", "1.5M", "9216", "4Ki")], [200000, 1500000, 9216, 4096])


if __name__ == "__main__":
    unittest.main()
