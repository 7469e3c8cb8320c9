#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The newer oracles: congested state and buckets of the queue model, scheduler model, counters, frames, tags."""

import contextlib
import copy
import io
import json
import os
import sys
import tempfile
import unittest
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data")
sys.path[:0] = [HERE, DATA]

import cases  # noqa: E402
import check_counters  # noqa: E402
import check_forward  # noqa: E402
import check_frames  # noqa: E402
import check_tags  # noqa: E402
import queue_model  # noqa: E402
import sched_model  # noqa: E402
from fcnoracle import capture, report, traffic, walker  # noqa: E402
from fcnoracle.detector import Bucket, Level, Qcn, Step  # noqa: E402
from queue_model import Offer, Port, simulate  # noqa: E402

GIG, BASE = 10**9, 1700000000 * 10**9
W6 = capture.load(os.path.join(DATA, "vectors", "01_roce6_write.pcap")).records[0].data


def offers(*times, length=976, flow=("s", "r", 1)):
    return [Offer(Fraction(t), length, flow, n) for n, t in enumerate(times)]


class WholeNanoseconds(unittest.TestCase):
    """84 octets at 9 Gbit/s: 74.67 ns."""

    def test_no_drift(self):
        out = simulate(offers(0, 0, 0, 0, length=60), Port(9 * GIG, whole_ns=True))
        self.assertEqual([t for t, _ in out.departures], [75, 150, 224, 299])

    def test_back_to_back_is_exact(self):
        # The line is free at 74.67; who comes at 75 is back to back, at 76 not: 76 + 74.67.
        port = Port(9 * GIG, whole_ns=True)
        self.assertEqual(simulate(offers(0, 75, length=60), port).departures[1][0], 150)
        self.assertEqual(simulate(offers(0, 76, length=60), port).departures[1][0], 151)

    def test_arrival_is_first(self):
        # At 75 the second packet waits still, and the third finds it.
        out = simulate(offers(0, 1, 75, length=60), Port(9 * GIG, whole_ns=True))
        self.assertEqual(out.left[-1], [75, 120])

    def test_shaper(self):
        out = simulate(offers(*[0] * 4, length=60), Port(9000 * GIG, shaper=9 * GIG, whole_ns=True))
        self.assertEqual([t for t, _ in out.departures], [1, 76, 151, 225])


class State(unittest.TestCase):
    def test_level(self):
        level, got = Level(4), []
        for now, wanted in ((0, 3), (1, 5), (2, 2), (4, 2), (5, 2), (6, None), (9, None)):
            level.follow(wanted, Fraction(now))
            got.append(level.value)
        self.assertEqual(got, [3, 5, 5, 5, 2, None, None])

    def test_step_levels(self):
        # limit / threshold is 128 = 2^7: a level each doubling.
        step = Step(1000, notify_state=True, limit=128000)
        self.assertEqual([step.place(q) for q in (1000, 1999, 2000, 63999, 64000, 127999, 128000, 999999)],
                         [0, 0, 1, 5, 6, 6, 7, 7])

    def test_step_hold(self):
        step = Step(1000, notify_state=True, hold=10)
        got = [step.arrival(q, 100, Fraction(t)) is not None for t, q in
               ((0, 1000), (1, 400), (5, 600), (6, 400), (15, 400), (16, 400), (17, 999))]
        self.assertEqual(got, [True, True, True, True, True, False, False])

    def test_qcn(self):
        """Qeq 10000, w 2: full scale 50000; samples of one packet of 5000."""
        q = Qcn(10000, sample=5000, notify_state=True, level_hold=100)
        say = lambda t, occupancy: q.arrival(occupancy, 5000, Fraction(t))
        self.assertEqual(say(0, 3000), None)        # Fb = 1000
        self.assertEqual(say(1, 9000), 1)           # -11000: 1.76
        self.assertEqual(say(2, 13000), 1)          # -11000
        self.assertEqual(say(3, 20000), 3)          # -(10000 + 14000): 3.84
        self.assertEqual(say(4, 20000), 3)          # -10000: 1.6, too soon to fall
        self.assertEqual(say(103, 20000), 1)        # 100 ns since it rose
        self.assertEqual(say(104, 6000), None)      # Fb > 0: nothing asked for, at once
        self.assertEqual(say(203, 6000), None)      # 4000: still nothing
        self.assertTrue(q.congested)
        self.assertEqual(say(204, 9000), 0)         # -(-1000 + 6000) = -5000: 0.8; level 0 notifies while congested
        self.assertEqual(say(205, 4999), None)      # below Qeq / 2: over
        self.assertEqual((q.congested, q.old, q.octets), (False, 4999, 0))
        self.assertEqual(say(206, 8000), 0 if q.congested else None)  # -(-2000 + 6002): level 0 does not begin it

    def test_qcn_edge(self):
        """6-bit 15 is level 1, but one below the edge of level 2: it stays."""
        q = Qcn(64, sample=1, weight=0, notify_state=True)  # full scale 64: |Fb| is the 6-bit value
        self.assertEqual([q.arrival(64 + x, 1, Fraction(t)) for t, x in enumerate((16, 15, 14, 15, 16))], [2, 2, 1, 1, 2])

    def test_bucket(self):
        bucket, sent = Bucket(10, 2), []
        for now in range(0, 32, 2):
            if bucket.has(Fraction(now)):
                bucket.take()
                sent.append(now)
        self.assertEqual(sent, [0, 2, 10, 20, 30])

    def test_who_refuses(self):
        flows = [("a", "r", 1), ("a", "r", 2), ("a", "r", 3), ("b", "r", 1), ("a", "r", 1), ("c", "r", 1)]
        arrivals = [Offer(Fraction(n), 976, f, n) for n, f in enumerate(flows)]
        out = simulate(arrivals, Port(GIG), Step(1), min_interval=100, buckets=((1000, 4), None, (1000, 2)))
        self.assertEqual([n[1] for n in out.notices], [0, 1, 3, 5])
        self.assertEqual([s[1:] for s in out.suppressed], [(2, "bucket_destination"), (4, "interval")])
        out = simulate(arrivals, Port(GIG), Step(1), min_interval=100, buckets=((1000, 3), None, None))
        self.assertEqual([s[1:] for s in out.suppressed], [(3, "bucket_queue"), (4, "interval"), (5, "bucket_queue")])


class Compare(unittest.TestCase):
    """What the model holds against a replay, with a replay that is made up: right, then wrong in one thing."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = lambda name: os.path.join(folder.name, name)
        # Two packets at once: 182 octet times at 1 Gbit/s are 1456 ns.
        self.save("in", [(BASE, W6), (BASE, W6)])
        self.data = [(BASE + 1456, W6), (BASE + 2912, cases.variant(W6, traffic_class=0x6B))]
        self.notice = capture.load(os.path.join(DATA, "vectors", "09_fastcnp_opt1.pcap")).records[0].data
        # Threshold 200: the second packet finds 158 + 158. Its notice takes 142 octet times, 113.6 ns.
        self.left = [(BASE + 114, self.notice)]
        self.report = {"ports": [{"port": "x", "notices": 1}],
                       "queues": [{"port": "x", "class": 3, "packets": 2, "bytes": 316, "sent": 2, "tail_drops": 0,
                                   "occ_max": 316, "congested_packets": 1, "enters": 1, "leaves": 1}],
                       "notify": {"verdicts": [{"port": "x", "class": 3, "verdict": "sent_option1", "outcome": "sent", "packets": 1}]},
                       "flows": [{"sender": "2001:db8:1::10", "receiver": "2001:db8:2::20", "qp": "0x0001a7", "notices": 1,
                                  "first_ns": 0, "last_ns": 0, "max_level": 0}],
                       "latency": {"congestion_entered": 1, "congestion_left": 1, "notices": 1, "first_congested_ns": 0,
                                   "first_notice_ns": 0}}

    def save(self, name, timed):
        capture.save(self.path(name), [capture.Record.of(t, f) for t, f in timed], nano=True)

    def run_model(self, *more):
        self.save("out", self.data)
        self.save("notices", self.left)
        with open(self.path("json"), "w", encoding="ascii") as f:
            json.dump(self.report, f)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            status = queue_model.main([
                "--in", self.path("in"), "--link", "1G", "--step", "200", "--notify-state", "--whole-ns", "--tolerance", "0",
                "--compare", self.path("out"), "--notices", self.path("notices"), "--source", "2001:db8:f::5",
                "--counters", self.path("json"), "--queue", "x:3", "--moments", "--marks", "notified", *more])
        return status, said.getvalue()

    def test_right(self):
        status, said = self.run_model()
        self.assertEqual(status, 0, said)

    def red(self, text, *more):
        status, said = self.run_model(*more)
        self.assertEqual(status, 1)
        self.assertIn(text, said)

    def test_late(self):
        self.data[1] = (BASE + 2913, self.data[1][1])
        self.red("packet 2 left at 2913 ns, the model says 2912")

    def test_not_marked(self):
        self.data[1] = (BASE + 2912, W6)
        self.red("congestion: notified")

    def test_marked_unasked(self):
        self.data[0] = (BASE + 1456, self.data[1][1])
        self.red("congestion: None")

    def test_notice_missing(self):
        self.left = []
        self.red("0 notices, the model says 1")

    def test_notice_twice(self):
        self.left.append((BASE + 228, self.notice))
        self.red("2 notices, the model says 1")

    def test_notice_late(self):
        self.left = [(BASE + 120, self.notice)]
        self.red("notice 1 was made between")

    def test_counters(self):
        good = copy.deepcopy(self.report)
        for pointer, text in (("/ports/0/notices", "notices is 2"), ("/queues/0/bytes", "bytes is 317"),
                              ("/queues/0/occ_max", "occ_max is 317"),
                              ("/queues/0/enters", "enters is 2"), ("/notify/verdicts/0/packets", "2 notices counted"),
                              ("/flows/0/max_level", "level (1, 0, 0, 1)"), ("/flows/0/first_ns", "(1, 1, 0, 0)"),
                              ("/latency/first_notice_ns", "first_notice_ns is 1")):
            self.report = copy.deepcopy(good)
            place = report.select(self.report, pointer.rsplit("/", 1)[0])
            place[pointer.rsplit("/", 1)[1]] += 1
            self.red(text)


class Scheduler(unittest.TestCase):
    """Frames of classes 0 and 1, 1000 octets and 24: 8192 ns at 1 Gbit/s; all there while a first one is sent."""

    def run_model(self, timed, **kw):
        packets = [traffic.Arrival(BASE + t, BASE + t, walker.walk(f), 0, n) for n, (t, f) in enumerate(timed)]
        args = {"link": GIG, "strict": {6, 7}, "weights": {0: 1, 1: 2}, "quantum": 1600, **kw}
        out, shares = sched_model.simulate(packets, BASE, **args)
        return [(t, a.index) for t, a in out], shares

    @staticmethod
    def frame(number, length=1000):
        return cases.variant(W6, traffic_class=number << 5, length=length)

    def test_round_robin(self):
        timed = [(0, self.frame(7))] + [(1, self.frame(c)) for c in (0, 0, 0, 0, 1, 1, 1, 1, 1)]
        got, _ = self.run_model(timed)
        # turns of 1600 and 3200: one of class 0 (600 kept), three of class 1 (200 kept), two of class 0 (200 kept), ...
        self.assertEqual([i for _, i in got], [0, 1, 5, 6, 7, 2, 3, 8, 9, 4])
        self.assertEqual([t for t, _ in got], [8192 * n for n in range(1, 11)])

    def test_strict(self):
        timed = [(0, self.frame(0)), (1, self.frame(0)), (2, self.frame(6)), (2, self.frame(7)), (9000, self.frame(6))]
        self.assertEqual([i for _, i in self.run_model(timed)[0]], [0, 3, 2, 4, 1])
        # In turns: class 0, then 6, which has 600 octets left and waits, then 7.
        self.assertEqual([i for _, i in self.run_model(timed, strict=set())[0]], [0, 1, 2, 3, 4])

    def test_idle(self):
        got, _ = self.run_model([(0, self.frame(0)), (100000, self.frame(0))])
        self.assertEqual([t for t, _ in got], [8192, 108192])


class Counters(unittest.TestCase):
    GOOD = {"ports": [{"port": "a", "rx_packets": 5, "rx_bytes": 790, "tx_packets": 1, "tx_bytes": 118, "notices": 0, "drops": 2},
                      {"port": "b", "rx_packets": 0, "rx_bytes": 0, "tx_packets": 3, "tx_bytes": 474, "notices": 1, "drops": 0}],
            "drops": [{"port": "a", "reason": "no_route", "packets": 2}],
            "errors": [], "queues": [{"port": "b", "class": 3, "packets": 3, "sent": 3, "queued_packets": 0}],
            "notify": {"total": {"wanted": 3, "sent": 1, "suppressed": 2},
                       "notices": {"carried": 0, "made": 1, "transmitted": 1, "taken": 0, "lost": 0, "queued": 0, "between": 0},
                       "verdicts": [
                {"port": "b", "outcome": "sent", "verdict": "sent_option1", "packets": 1},
                {"port": "b", "outcome": "suppressed", "verdict": "interval", "packets": 2},
                {"port": "b", "outcome": "not due", "verdict": "not_data", "packets": 7}]},
            "conservation": {"received": 5, "generated": 1, "replicated": 0, "transmitted": 4, "dropped": 2, "queued": 0}}

    KIND = {"on": True, "wanted": 1, "sent": 1, "suppressed": 0, "carried": 0, "made": 1, "transmitted": 1, "taken": 0, "lost": 0,
            "queued": 0, "between": 0}

    def run_check(self, *words, **changes):
        document = copy.deepcopy(self.GOOD)
        for pointer, value in changes.items():
            parts = pointer.split("__")
            report.select(document, "/" + "/".join(parts[:-1]))[parts[-1]] = value
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
            path = os.path.join(folder, "json")
            with open(path, "w", encoding="ascii") as f:
                json.dump(document, f)
            capture.save(os.path.join(folder, "rx"), [capture.Record.of(BASE, W6)] * 5)
            status = check_counters.main(["--json", path] + [w.replace("{rx}", os.path.join(folder, "rx")) for w in words])
        return status, said.getvalue()

    def test_right(self):
        status, said = self.run_check(
            "--drops", "a:no_route=2", "--errors", "--verdicts", "b:sent_option1=1", "b:interval=2", "b:not_data=7",
            "--rx", "a", "{rx}", "--is", "/ports/port=b/notices", "1", "--is", "/queues/port=z,class=0/packets", "0")
        self.assertEqual(status, 0, said)

    def test_kinds_of_notices(self):
        """Each figure of a kind is in a sum, with the others or by verdict; one too many of it is found."""
        kind = {"kind": "fast_cnp", "on": True, "wanted": 6, "sent": 4, "suppressed": 2, "carried": 1, "made": 4, "transmitted": 2,
                "taken": 1, "queued": 1, "lost": 1, "between": 0}
        notify = {"kinds": [kind], "total": {"wanted": 6, "sent": 4, "suppressed": 2},
                  "notices": {"made": 4, "transmitted": 2, "taken": 1, "lost": 1, "queued": 1},
                  "verdicts": [{"kind": "fast_cnp", "outcome": "sent", "packets": 4},
                               {"kind": "fast_cnp", "outcome": "suppressed", "packets": 2},
                               {"kind": "fast_cnp", "outcome": "not due", "packets": 9}]}
        self.assertEqual(check_counters.wrong_kinds(notify), [])
        for name in kind.keys() - {"kind", "on"}:
            wrong = copy.deepcopy(notify)
            wrong["kinds"][0][name] += 1
            self.assertNotEqual(check_counters.wrong_kinds(wrong), [], name)

    def test_wrong(self):
        for changes, text in (({"conservation__dropped": 1}, "the packet accounting says 1 dropped, the ports 2"),
                              ({"ports__1__tx_packets": 2, "conservation__transmitted": 3}, "6 packets came, 5 went"),
                              ({"drops__0__packets": 1}, "port a has 2 drops, 1 by reason"),
                              ({"notify__total__wanted": 4}, "4 notices wanted"),
                              ({"notify__verdicts__0__packets": 2}, "1 notices sent, 2 by verdict"),
                              ({"ports__1__notices": 2, "conservation__generated": 2, "conservation__queued": 1},
                               "1 notices sent, 2 made"),
                              ({"ports__1__notices_by_kind": {"fast_cnp": 0, "cnm": 2}}, "port b has 1 notices, by kind"),
                              ({"ports__1__notices_by_kind": {"fast_cnp": 1}, "notify__kinds": [dict(self.KIND, kind="cnm")]},
                               "cnm: 1 sent, the ports made 0"),
                              ({"ports__1__arn_sent": 1, "conservation__generated": 2, "conservation__queued": 1},
                               "arn_sent of the ports is 1, expected 0"),
                              ({"ports__1__proxy_sent": 1, "conservation__generated": 2, "conservation__queued": 1},
                               "proxy_sent of the ports is 1, expected 0"),
                              ({"notify__notices__made": 2}, "1 notices sent, the audit begins with 2"),
                              ({"notify__notices__transmitted": 0}, "1 made; 0 transmitted, 0 lost"),
                              ({"notify__notices__lost": 1}, "1 notices lost, {} by reason"),
                              ({"queues__0__sent": 2}, "took 3 packets and sent 2")):
            status, said = self.run_check(**changes)
            self.assertEqual(status, 1, changes)
            self.assertIn(text, said)

    def test_wrong_words(self):
        for words, text in ((("--drops",), "drops a:no_route: 2, expected 0"),
                            (("--drops", "a:no_route=2", "a:mtu=1"), "drops a:mtu: 0, expected 1"),
                            (("--verdicts", "b:sent_option1=1"), "verdicts b:interval: 2, expected 0"),
                            (("--rx", "b", "{rx}"), "port b counts rx_packets 0, the captures hold 5"),
                            (("--is", "/ports/port=b/notices", "2"), "/ports/port=b/notices is 1, expected 2")):
            status, said = self.run_check(*words)
            self.assertEqual(status, 1, words)
            self.assertIn(text, said)


class Frames(unittest.TestCase):
    def test_frames(self):
        with tempfile.TemporaryDirectory() as folder:
            def save(name, *timed):
                capture.save(os.path.join(folder, name), [capture.Record.of(t, f) for t, f in timed], nano=True)
                return os.path.join(folder, name)
            other = cases.variant(W6, qp=5)
            golden = save("golden", (BASE, W6), (BASE + 5000, other))
            good = save("good", (BASE + 1456, W6), (BASE + 6456, other))
            self.assertEqual(check_frames.check(good, golden, GIG), [])
            self.assertEqual(check_frames.check(good, golden, None), [])
            self.assertIn("frame 2 left at", check_frames.check(
                save("late", (BASE + 1456, W6), (BASE + 6457, other)), golden, GIG)[0])
            self.assertIn("octets", check_frames.check(save("swap", (BASE, other), (BASE, W6)), golden, None)[0])
            self.assertEqual(check_frames.check(save("short", (BASE, W6)), golden, None), ["1 frames, expected 2"])

    def test_tags(self):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            path = os.path.join(folder, "out")
            for frame, words, status in ((cases.tag(W6, 10, 3), ["10:3"], 0), (cases.tag(W6, 10, 3), ["10:4"], 1),
                                         (cases.tag(W6, 10, 3), ["none"], 1), (W6, ["none"], 0),
                                         (cases.tag(cases.tag(W6, 7), 8, 1), ["8:1", "7:0"], 0)):
                capture.save(path, [capture.Record.of(BASE, frame)])
                self.assertEqual(check_tags.main(["--out", path, "--vlans", *words]), status, words)

    def test_paths(self):
        """A flow on two paths, and a path without flows."""
        one, two = cases.variant(W6, sport=50001), cases.variant(W6, sport=50002)
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as said:
            def run(*outs):
                def save(name, frames):
                    records = [capture.Record.of(BASE + 9000 + i, f) for i, f in enumerate(frames)]
                    capture.save(os.path.join(folder, name), records)
                    return os.path.join(folder, name)
                base = save("in", [one, two, one, two])
                return check_forward.main(["--in", base, "--paths", "1", "--out"] + [
                    save("out%d" % n, frames) for n, frames in enumerate(outs)])
            self.assertEqual(run([one, one], [two, two]), 0)
            self.assertEqual(run([one, one, two], [two]), 1)
            self.assertIn("its flow left by", said.getvalue())
            self.assertEqual(run([one, two, one, two], []), 1)
            self.assertIn("has 0 flows", said.getvalue())

    def test_speed(self):
        self.assertEqual([traffic.scaled(d, Fraction(3)) for d in (1000, 2000, 3000)], [333, 667, 1000])
        self.assertEqual([traffic.scaled(d, Fraction(2)) for d in (1, 2, 3)], [1, 1, 2])

    def test_variant(self):
        """Frames of the cases have right lengths and sums."""
        w4 = capture.load(os.path.join(DATA, "vectors", "02_roce4_write.pcap")).records[0].data
        for frame in (W6, w4):
            for length in (len(frame), 200, 1514, 100):
                p = walker.walk(cases.variant(frame, length=length, sport=7, qp=9, hops=3))
                self.assertEqual((p.error, len(p.frame), p.end, p.sport, p.bth.qp, p.ip.hop_limit), ("", length, length, 7, 9, 3))
        self.assertEqual(cases.variant(W6), W6)
        self.assertEqual(cases.variant(w4), w4)
        self.assertTrue(walker.walk(cases.fragment(W6)).ip.fragment and walker.walk(cases.fragment(w4)).ip.fragment)


if __name__ == "__main__":
    unittest.main()
