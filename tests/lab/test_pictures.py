#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What the pictures of fastcn-lab (app/fastcn-lab/results) hold, of results made by hand. test_results.py has them drawn."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "app/fastcn-lab/results"))

import charts  # noqa: E402
import over_time  # noqa: E402
import result  # noqa: E402
import series  # noqa: E402


class Pictures(unittest.TestCase):
    def run_of(self, found, points, label=""):
        run = result.Run.__new__(result.Run)
        run.label, run.result = label, dict({"end_ns": 1000, "title": "T"}, **found)
        run.series = [series.Series(what, where, some) for what, where, some in points]
        return run

    def test_thresholds(self):
        """Of the queue's class and port; XOFF if all ingress ports that send pauses have the same."""
        row = {"port": "r", "class": 3, "send": True, "xoff": 900}
        switch = {"queues": [{"port": "r", "class": 3, "thresholds": {"enter_bytes": 500}}, {"port": "q", "class": 3, "thresholds": {"enter_bytes": 7}}],
                  "pfc": {"classes": [row, {**row, "port": "q"}, {**row, "class": 4, "xoff": 1}, {**row, "send": False, "xoff": 2}]}}
        self.assertEqual(over_time.thresholds({"switch": {"s1": switch}}, "s1.r.3"), {"K": 500, "XOFF of an ingress port": 900})
        switch["pfc"]["classes"].append({**row, "xoff": 901})
        self.assertEqual(over_time.thresholds({"switch": {"s1": switch}}, "s1.r.3"), {"K": 500})
        self.assertEqual(over_time.thresholds({"switch": {"s1": switch}}, "s2.r.3"), {})

    def test_fair_share(self):
        """Two of three flows send to r, over a link of 100: 100 for the first alone, 50 for both; nothing when none sends."""
        found = {"switch": {"s1": {"ports": [{"port": "r", "link_bps": 100}]}},
                 "flows": [{"name": "a", "to": "r"}, {"name": "b", "to": "r"}, {"name": "c", "to": "q"}]}
        run = self.run_of(found, [("rate", "a", [(0, 9), (600, 0)]), ("rate", "b", [(300, 9), (900, 0)]), ("rate", "c", [(0, 9)])])
        points = over_time.fair_share(run, "s1.r.3", run.series, 0, 1000)
        self.assertEqual([p and p[1] for p in points], [100, 50, 100, None])
        self.assertEqual(over_time.fair_share(run, "s1.q.3", run.series, 0, 1000), [])

    def test_common_queue(self):
        """The queue that most runs have, and among equals that with the highest peak."""
        runs = [self.run_of({}, [("queue", "a", [(0, 9)]), ("queue", "b", [(0, 5)]), ("queue", "c", [(0, 6)])]),
                self.run_of({}, [("queue", "b", [(0, 1)]), ("queue", "c", [(0, 2)])])]
        self.assertEqual(over_time.common_queue(runs), ("c", 6))

    def test_marks(self):
        """Marks that would share a dot are one; the end of a pause is none."""
        run = self.run_of({"notices": {"sent": 4}, "pfc": {"pauses": 1}, "end_ns": 10 ** 6}, [
            ("notice", "q", [(0, 1), (500, 1), (5000, 2), (10 ** 6, 1)]), ("pause", "h.3", [(7000, 1), (9000, 0)])])
        picture = over_time.OverTime("/tmp", "over-time", "", "", 0, 10 ** 6)
        self.assertEqual(list(over_time.kinds_of(picture, run)), [("Fast CNP made (4)", "#d55e00", [0, 5000, 10 ** 6]),
                                                                  ("host paused (1)", "#cc79a7", [7000])])

    def test_marks_of_other_queues(self):
        """A notice about a queue that is not drawn is not among those about the queue that is."""
        run = self.run_of({"notices": {"sent": 3}, "end_ns": 10 ** 6}, [
            ("notice", "s1.q.3", [(500, 1), (5000, 2)]), ("notice", "s1.r.3", [(9000, 1)])])
        picture = over_time.OverTime("/tmp", "over-time", "", "", 0, 10 ** 6)
        self.assertEqual([(name, times) for name, _, times in over_time.kinds_of(picture, run, ["s1.r.3"])],
                         [("Fast CNP made (1)", [9000]), ("... for other queues (2)", [500, 5000])])
        self.assertEqual([name for name, _, _ in over_time.kinds_of(picture, run, ["s1.x.3"])], ["... for other queues (3)"])
        run.series.append(series.Series("queue", "s1.r.3", [(0, 0), (9000, 100)]))
        text = "".join(over_time.of_run(run, "/tmp", "over-time", "", 0, 10 ** 6).text)
        self.assertIn("... for other queues (2)", text)

    def test_same_lines(self):
        """Lines that lie on others are thinner: equal rates, and equal queues of several runs, are all seen."""
        points = [("rate", "a/%d" % i, [(0, 5)]) for i in range(4)]
        runs = [self.run_of({}, points + [("queue", "s1.r.3", [(0, 9)])], "r%d" % i) for i in range(3)]
        one, several = over_time.of_run(runs[0], "/tmp", "x", "", 0, 1000), over_time.of_runs(runs, "/tmp", "x", 0, 1000)
        for picture, name, count in ((one, "rate", 4), (several, "rate", 3), (several, "queue", 3)):
            found = re.findall(r"\$%s\d using 1:2 with steps .*? linewidth ([0-9.]+)" % name, "".join(picture.text))
            self.assertEqual(len(found), count)
            self.assertEqual(len(set(found)), count)
            self.assertEqual(found, sorted(found, reverse=True))

    def test_limits(self):
        """Thresholds are those of one queue; where others that are drawn have different ones, its name is at them."""
        rows = [{"port": "r", "class": 3, "thresholds": {"enter_bytes": 500}}, {"port": "q", "class": 3, "thresholds": {"enter_bytes": 7}},
                {"port": "p", "class": 3, "thresholds": {"enter_bytes": 500}}]
        found = {"switch": {"s1": {"queues": rows}}}
        self.assertEqual(over_time.limits_of(found, ["s1.r.3", "s1.p.3"], 1000, 10), [("K", 50)])
        self.assertEqual(over_time.limits_of(found, ["s1.r.3", "s1.q.3"], 1000, 10), [("K (s1.r.3)", 50)])
        self.assertEqual(over_time.limits_of(found, [], 1000, 10), [])

    def test_closer(self):
        """The first congestion, if it is a small part of the run: from 100 to its peak at 120."""
        queue = {"s1": {"r": {"3": {"first_congested_ns": 100, "first_peak_ns": 120}}}}
        self.assertEqual(over_time.closer([self.run_of({"queue": queue}, [])], 1000), (80, 200))
        self.assertIsNone(over_time.closer([self.run_of({"queue": queue}, [])], 399))
        self.assertIsNone(over_time.closer([self.run_of({"queue": {}}, [])], 1000))
        # Of the queues that are drawn, if any are: not of another one.
        queue["s1"]["q"] = {"3": {"first_congested_ns": 10, "first_peak_ns": 15}}
        self.assertEqual(over_time.closer([self.run_of({"queue": queue}, [("queue", "s1.r.3", [(0, 9)])])], 1000), (80, 200))
        self.assertEqual(over_time.closer([self.run_of({"queue": queue}, [])], 1000), (5, 35))

    def test_slowdown(self):
        """The set of bins that is filled better, bins that are empty left out, with the number of messages."""
        bins = {"websearch": {"10K": {"messages": 5, "p50": 1.5, "p95": 2, "p99": 3}},
                "hadoop": {"100": {"messages": 2, "p50": 1.5, "p95": 2, "p99": 3}, "300": {"messages": 0}, "1K": {"messages": 3, "p50": 1, "p99": 9}}}
        picture = charts.slowdown([self.run_of({"slowdown": bins}, [])], "/tmp")
        text = "".join(picture.text)
        self.assertIn("$bins << END\n1.5 2 3\n1 NaN 9\nEND\n", text)
        self.assertIn('set xtics ("100\\n(2)" 1, "1K\\n(3)" 2)\n', text)
        other = {"hadoop": {"100": {"messages": 7, "p50": 1, "p99": 1}, "1K": {"messages": 3, "p50": 1, "p99": 9}}}
        for n, said in ((1, "2/7"), (3, "2-7")):
            text = "".join(charts.slowdown([self.run_of({"slowdown": one}, []) for one in [bins] + n * [other]], "/tmp").text)
            self.assertIn('set xtics ("100\\n(%s)" 1, "1K\\n(3)" 2)\n' % said, text)
        # No two lines are at the same place, whatever their values: equal ones would hide each other.
        for runs in ([{"slowdown": bins}], [{"slowdown": bins}] * 4):
            text = "".join(charts.slowdown([self.run_of(one, [], "r%d" % i) for i, one in enumerate(runs)], "/tmp").text)
            places = re.findall(r"using \(\$0 \+ 1 \+ ([-0-9.]+)\):(\d+) with", text)
            self.assertEqual(len(places), 3 if len(runs) == 1 else 8)
            self.assertEqual(len({float(x) for x, _ in places}), len(places))
            self.assertTrue(all(abs(float(x)) < 0.3 for x, _ in places))
        del bins["hadoop"]
        self.assertIsNone(charts.slowdown([self.run_of({"slowdown": bins}, [])], "/tmp"))

    def test_units_of_metrics(self):
        for name, top, want in (("peak", 3e6, ("highest queue (MB)", 1e6)), ("queue.s1.r.3.p99", 3e3, ("queue.s1.r.3.p99 (KB)", 1e3)),
                                ("queue.s1.r.3.notices", 3e3, ("queue.s1.r.3.notices", 1)), ("traffic.goodput_bps", 3e9, ("traffic.goodput_bps (Gb/s)", 1e9)),
                                ("notices.latency_ns.p99", 3e3, ("notices.latency_ns.p99 (\u00b5s)", 1e3)), ("jain", 1, ("fairness of goodput (Jain)", 1))):
            self.assertEqual(charts.label_of(name, top), want)

    def test_text(self):
        """What means something to gnuplot is written so that it does not."""
        self.assertEqual(over_time.quoted('a_b^{c}@&~ "d" \\ \x07e\n'), r"""
"a\\_b\\^\\{c\\}\\@\\&\\~ 'd' ' e\n"
""".strip())


if __name__ == "__main__":
    unittest.main()
