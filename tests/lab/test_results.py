#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What fastcn-lab shows of results (app/fastcn-lab/results): numbers by path, series, means of seeds, tables, pictures.

Usage: test_results.py LAB
Expected numbers are arithmetic on paper, and quantiles of Student's t distribution that tables have.
"""

import csv
import io
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "app/fastcn-lab/results"), str(ROOT / "app/report")]

import charts  # noqa: E402
import compare  # noqa: E402
import grid  # noqa: E402
import over_time  # noqa: E402
import result  # noqa: E402
import series  # noqa: E402
import spread  # noqa: E402
import sweep  # noqa: E402
import table  # noqa: E402
import units  # noqa: E402

LAB = os.path.abspath(sys.argv.pop())
GNUPLOT = shutil.which("gnuplot") is not None
HEAD = "time_ns,what,where,value\n"
# Two senders share a link, with notices, and messages of three sizes.
SCENARIO = """title two senders
param interval 4us
switch add s1
host add h[1-2],r
link add h[1-2],r s1 rate 10G delay 1us
host all reaction dcqcn
host all set fast-cnp accept
switch s1 do set queue r class 3 detector step threshold 20K
switch s1 do set notify fast-cnp on
switch s1 do set notify interval $interval
switch s1 do set queue r class 3 notify on
watch s1 r class 3
flow add a from h1 to r size 1K
flow add b from h1 to r size 15K
flow add c from h[1-2] to r size 100K
duration 1ms
"""


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="utf-8", errors="surrogatepass") as f:
            f.write(text)
        return self.path(name)

    def read(self, *names):
        with open(self.path(*names), encoding="utf-8") as f:
            return f.read()


class Metrics(unittest.TestCase):
    """Numbers of a result by their paths, and what is said of those that are not there: as test_metric.c has them of the C program."""

    SAMPLE = {"queue": {"s1": {"p1.100": {"peak": 20}, "p1": {"peak": 10}, "p1.1": {"peak": 30}}}, "flows": [{"jain": 0.5}, {"jain": 0.25}],
              "interrupted": True, "ok": False, "title": "x", "null": None, "empty": {}}

    def test_values(self):
        for path, value in (("queue.s1.p1.peak", 10), ("queue.s1.p1.100.peak", 20), ("queue.s1.p1.1.peak", 30), ("flows.0.jain", 0.5),
                            ("flows.1.jain", 0.25), ("flows", 2), ("interrupted", 1), ("ok", 0)):
            self.assertEqual(result.metric(self.SAMPLE, path), value, path)

    def test_old_name(self):
        sample = {"generator": {"many": {"early": 7}}}
        self.assertEqual(result.metric(sample, "generator.many.early"), 7)
        self.assertEqual(result.metric(sample, "spray.many.early"), 7)
        with self.assertRaises(result.Wrong):
            result.metric(sample, "sprays.many.early")

    def test_errors(self):
        there = "; there is queue, flows, interrupted, ok, title, null, empty"
        for path, why in (("queues.s1", "no such metric" + there), ("queue.s2.p1", "no such metric; queue has s1"),
                          ("queue.s1.p2", "no such metric; queue.s1 has p1.100, p1, p1.1"),
                          ("queue.s1.p1", "is not a number; queue.s1.p1 has peak"),
                          ("queue.s1.p1.peak.x", "no such metric; queue.s1.p1.peak has no members"),
                          ("flows.2.jain", "no such metric; flows has 2 members, counted from 0"),
                          ("flows.x", "no such metric; flows has 2 members, counted from 0"),
                          ("flows.99999999999", "no such metric; flows has 2 members, counted from 0"),
                          ("title", 'is not a number but "x"'), ("null", 'is not a number but "null"'),
                          ("empty", "is not a number; empty has no members"), ("", "no such metric" + there),
                          ("queue.", "no such metric; queue has s1"), ("queue..s1", "no such metric; queue has s1")):
            with self.assertRaises(result.Wrong) as caught:
                result.metric(self.SAMPLE, path)
            self.assertEqual(str(caught.exception), "%s: %s" % (path, why))


class Series(Folder):
    def test_read(self):
        text = HEAD + "0,queue,s1.p1.3,0\n0,rate,a,10000000000\n5,notice,s1.p1.3,2\n5,notice,s1.p1.3,3\n7,queue,s1.p1.3,40\n7,rate,a,5\n"
        found = series.read(self.write("series.csv", text))
        self.assertEqual([(s.what, s.where, s.points) for s in found],
                         [("queue", "s1.p1.3", [(0, 0), (7, 40)]), ("rate", "a", [(0, 10 ** 10), (7, 5)]), ("notice", "s1.p1.3", [(5, 2), (5, 3)])])

    def test_not_ours(self):
        for text, line in (("x\n", 1), (HEAD + "1,queue,q\n", 2), (HEAD + "1,queue,q,2,3\n", 2), (HEAD + "1,cat,q,2\n", 2),
                           (HEAD + "1x,queue,q,2\n", 2), (HEAD + "1,queue,q,2\n2,queue,q,y\n", 3), (HEAD + "5,queue,q,2\n2,queue,q,3\n", 3),
                           (HEAD + "\n", 2), ("", 1), (HEAD + "-1,queue,q,2\n", 2), (HEAD + " 1,queue,q,2\n", 2),
                           (HEAD + "1,queue,q,18446744073709551616\n", 2), (HEAD + "1,queue,\u00e9,2\n", None)):
            path = self.write("series.csv", text)
            with self.assertRaises(series.Unreadable, msg=text) as caught:
                series.read(path)
            self.assertIn("%s:%d: not a line as fastcn-lab writes it" % (path, line) if line else path, str(caught.exception))
        for path, why in (("/nonexistent/series.csv", "No such file or directory"), ("/", "Is a directory")):
            with self.assertRaises(series.Unreadable) as caught:
                series.read(path)
            self.assertEqual(str(caught.exception), "%s: %s" % (path, why))

    def test_cut(self):
        """What held before the span holds at its beginning."""
        points = [(10 * i, 100 + i) for i in range(10)]
        self.assertEqual(series.Series("queue", "q", points).cut(25, 50, 100).points, [(25, 102), (30, 103), (40, 104), (50, 105)])
        self.assertEqual(series.Series("cnp", "q", points).cut(20, 50, 100).points, [(20, 102), (30, 103), (40, 104), (50, 105)])

    def test_thin(self):
        """The highest and the lowest number of each tenth stay, with their times."""
        dice = random.Random(11)
        points = [(10 * i, dice.randrange(1000, 10 ** 6)) for i in range(100000)]
        thin = series.thin(points, 1000)
        self.assertTrue(1000 < len(thin) <= 4000)
        self.assertEqual((thin[0], thin[-1], sorted(thin)), (points[0], points[-1], thin))
        for part in range(0, len(points), 10000):
            for extreme in (min, max):
                self.assertIn(extreme(points[part:part + 10000], key=lambda point: point[1]), thin)

    def test_together(self):
        one, two = series.Series("rate", "a", [(0, 8), (20, 0)]), series.Series("rate", "b", [(10, 2), (20, 6)])
        self.assertEqual(series.together([one, two]), [(0, 8, 1), (10, 10, 2), (20, 6, 1)])
        self.assertEqual(list(series.sampled([(10, 5, 1)], 0, 20, 4)), [(0, 0, 0), (5, 0, 0), (10, 5, 1), (15, 5, 1), (20, 5, 1)])
        self.assertEqual(over_time.mean([one, two], 0, 20)[::300], [(0, 8), (10, 5), (20, 6)])


class Grid(unittest.TestCase):
    def test_combinations(self):
        found = grid.Grid(["n=2,4", "k=10K", "m=a,b,c"])
        points = found.points()
        self.assertEqual([grid.words(p) for p in points], ["n=%d k=10K m=%s" % (n, m) for n in (2, 4) for m in "abc"])
        self.assertEqual(grid.words(dict(list(points[5].items())[1:]), ","), "k=10K,m=c")

    def test_seeds(self):
        """A range stands for its numbers; the seed, wherever it is given, changes fastest."""
        found = grid.Grid(["n=2..3"])
        self.assertEqual(found.seeds_last(), 1)
        found.add("seed=9..11,40")
        found.add("k=x..y")
        self.assertEqual((found.seeds_last(), len(found.points())), (4, 8))
        self.assertEqual([grid.words(p) for p in found.points()[:5]],
                         ["n=2 k=x..y seed=%d" % seed for seed in (9, 10, 11, 40)] + ["n=3 k=x..y seed=9"])

    def test_mistakes(self):
        for text, why in (("n", "n: the argument must be NAME=V1,V2,..."), ("=1", "=1: the argument must be NAME=V1,V2,..."),
                          ("m=", "m=: a value is empty or given twice"), ("m=1,,2", "m=1,,2: a value is empty or given twice"),
                          ("m=1,2,1", "m=1,2,1: a value is empty or given twice"),
                          ("m=5..1", "m=5..1: a range must have 1 to 100000 values, the smallest first"),
                          ("m=1..100001", "m=1..100001: a range must have 1 to 100000 values, the smallest first"),
                          ("m=1..3,2", "m=1..3,2: a value is empty or given twice"), ("n=5", "n: the parameter is varied twice")):
            with self.assertRaises(grid.Usage) as caught:
                grid.Grid(["n=1", text])
            self.assertEqual(str(caught.exception), "--vary " + why)

    def test_too_many(self):
        """8 parameters of 10 values are more than anybody waits for."""
        found = grid.Grid()
        for i in range(8):
            found.add("p%d=0,1,2,3,4,5,6,7,8,9" % i)
            if i < 5:
                self.assertEqual(len(found.points()), 10 ** (i + 1))
        with self.assertRaisesRegex(grid.Usage, "more than 100000 combinations"):
            found.points()
        with self.assertRaises(grid.Usage) as caught:
            found.add("x=1")
        self.assertEqual(str(caught.exception), "--vary: more than 8 parameters")


class Rows(unittest.TestCase):
    """The rows of a sweep, of results made by hand."""

    def test_what_went_wrong(self):
        found = [{"expectations": [{"ok": True}]}, {"expectations": [{"ok": True}, {"ok": False}]}, {"violations": ["5 ns: one", "6 ns: another"]}]
        outcomes = [sweep.Outcome({"x": str(i + 1)}, (), one) for i, one in enumerate(found)]
        outcomes.append(sweep.Outcome({"x": "4"}, failure="no such value"))
        self.assertEqual([o.row() for o in outcomes], [{"x": "1"}, {"x": "2", "expectations": "1 of 2"}, {"x": "3", "violations": 2},
                                                       {"x": "4", "failed": "no such value"}])
        self.assertEqual([o.broken for o in outcomes], [0, 0, 2, 0])
        self.assertEqual([o.holds for o in outcomes], [True, False, True, True])

    def test_a_parameter_is_not_hidden(self):
        self.assertEqual(sweep.Outcome({"queue": "x"}, (), {"queue": {"s": {"p": {"3": {"peak": 5}}}}}).row(), {"queue": "x", "peak": 5})

    def test_means(self):
        """By hand: 10, 20, 30 have the mean 20 and the standard deviation 10, and t is 4.30265 for two degrees of freedom:
        4.30265 * 10 / sqrt(3) = 24.8414. 1 and 3 have the mean 2 and the standard deviation sqrt(2): 12.7062 * sqrt(2) / sqrt(2)."""
        metrics = ["peak", "some_ns"]
        results = [{"peak": 10, "some_ns": 1}, {"peak": 30, "expectations": [{"ok": False}]}, {"peak": 20, "some_ns": 3}, {"peak": 7}, None,
                   {"violations": ["5 ns: one"]}]
        group = [sweep.Outcome({"x": "ab"[i // 3], "seed": str(i % 3 + 1)}, metrics, r, None if r else "no such value")
                 for i, r in enumerate(results)]
        (first, text_first), (second, text_second) = sweep.mean_rows(group[:3]), sweep.mean_rows(group[3:])
        ci = first.pop("peak_ci95"), first.pop("some_ns_ci95")
        self.assertAlmostEqual(ci[0], 24.8414, delta=0.0001)
        self.assertAlmostEqual(ci[1], 12.7062, delta=0.0001)
        self.assertEqual(first, {"x": "a", "runs": 3, "peak": 20, "peak_min": 10, "peak_max": 30, "some_ns": 2, "some_ns_min": 1,
                                 "some_ns_max": 3, "some_ns_runs": 2, "expectations": "met by 2 of 3"})
        self.assertEqual(text_first, {"x": "a", "runs": 3, "peak": "20 +- 25", "some_ns": "2ns +- 13ns (2 of 3)",
                                      "expectations": "met by 2 of 3"})
        self.assertEqual(text_second, {"x": "b", "runs": 3, "peak": "7 (1 of 3)", "failed": "1 of 3: no such value", "violations": 1})
        self.assertEqual(second["peak_runs"], 1)
        self.assertNotIn("peak_ci95", second)

    def test_intervals(self):
        """The t distribution, against quantiles that tables have. One value is n, the others 0: the mean is 1, the variance n, that of the
        mean 1."""
        for n, t in ((2, 12.7062), (5, 2.77645), (11, 2.22814), (12, 2.20099), (21, 2.08596), (31, 2.04227), (61, 2.00030), (121, 1.97993)):
            found = spread.Spread([0] * (n // 2) + [n] + [0] * (n - n // 2 - 1))
            self.assertEqual((found.n, found.least, found.greatest), (n, 0, n))
            self.assertAlmostEqual(found.mean, 1, delta=1e-12)
            self.assertAlmostEqual(found.ci95, t, delta=0.0002)
        self.assertIsNone(spread.Spread([5]).ci95)
        self.assertEqual(spread.Spread([5, 5, 5]).ci95, 0)
        self.assertIsNone(spread.Spread.of([None, None]))

    def test_failures(self):
        """The first error of a scenario, from which others follow; of other failures the last line, or how it ended."""
        for err, status, told in (("a.lab:1:2: one\na.lab:3:4: two\n", 2, "a.lab:1:2: one"), ("EAL: x\nno memory\n\n", 1, "no memory"),
                                  ("", -9, "ended by signal 9 (Killed)"), ("", 3, "ended with status 3 and no result")):
            self.assertEqual(sweep.failure_of("a.lab", err, status), told)


class Tables(unittest.TestCase):
    def test_numbers(self):
        """Times and rates have four digits in tables, and units; the largest number there is has no greater one to be rounded to."""
        for key, value, text in (("a_ns", 123456, "123.5us"), ("b_bps", 99999, "100K"), ("c", 123456, "123456"), ("d_ns", 9999, "9.999us"),
                                 ("e_ns", -123456, "-123456"), ("f_bps", 2 ** 63 - 1, "9223000000G"), ("g_ns", 0, "0"), ("h_ns", 5, "5ns"),
                                 ("i_ns", 1000000, "1ms"), ("j_bps", 10 ** 11, "100G"), ("k_ns", 10050 * 10 ** 6, "10.05s"), ("_ns", 7, "7"),
                                 ("l", 0.123456789123, "0.123456789"), ("m", None, ""), ("n", "x", "x")):
            self.assertEqual(table.cell(key, value), text, key)
        for name, x, digits, text in (("p", 1234567, 4, "1235000"), ("p", 29.96, 2, "30"), ("p", 149.6667, 4, "149.7"), ("p", 0, 4, "0"),
                                      ("p", 0.012345, 2, "0.012"), ("t_ns", 2903.6, 4, "2.904us"), ("t_ns", 0.4, 4, "0"), ("r_bps", 4.4e8, 2, "440M"),
                                      ("p", float("nan"), 4, "nan"), ("p", -123456, 3, "-123000")):
            self.assertEqual(units.short(name, x, digits), text)

    def test_exact(self):
        for x, want in ((5.0, 5), (0.1, 0.1), (2 / 3, 0.666666666666667), (float("inf"), "inf"), (float("nan"), "nan"), (2.0 ** 53, 2 ** 53)):
            self.assertEqual(units.exact(x), want)
            self.assertIs(type(units.exact(x)), type(want))

    def test_axes(self):
        for largest, choice, unit in ((1999, units.BYTES, "bytes"), (2000, units.BYTES, "KB"), (2e6, units.TIME, "ms"), (1e9, units.RATE, "Gb/s"),
                                      (0, units.RATE, "b/s"), (9e12, units.TIME, "s")):
            self.assertEqual(units.axis(largest, choice)[0], unit)

    def test_text(self):
        self.assertEqual(table.text([]), "none\n")
        self.assertEqual(table.text([{"mode": "a", "peak": 5, "first_ns": 1500}, {"mode": "bc", "peak": 1000, "note": "x y"}]),
                         "mode  peak  first  note\na        5  1.5us\nbc    1000         x y\n")

    def test_wide_text(self):
        """A table that is too wide is split; two columns say which row it is where neighbours have the same first one."""
        rows = [{"n": "1", "mode": mode, **{"c%d" % i: 10 ** 9 + i for i in range(20)}} for mode in ("cnp", "fastcnp")]
        parts = table.text(rows).split("\n\n")
        self.assertGreater(len(parts), 1)
        for part in parts:
            lines = part.rstrip("\n").split("\n")
            self.assertTrue(lines[0].startswith("n  mode ") and lines[2].startswith("1  fastcnp "))
            self.assertTrue(all(len(line) <= table.WIDTH for line in lines))
        self.assertEqual([name for part in parts for name in part.split("\n")[0].split()[2:]], ["c%d" % i for i in range(20)])

    def test_csv(self):
        out = io.StringIO()
        table.write_csv([{"a": 1, "b": 'x,"y"'}, {"a": 0.5, "c": 3}], out)
        self.assertEqual(out.getvalue(), 'a,b,c\n1,"x,""y""",\n0.5,,3\n')
        self.assertEqual(list(csv.DictReader(io.StringIO(out.getvalue())))[0]["b"], 'x,"y"')


class Files(Folder):
    """What a run of the lab leaves, with and without what draws pictures, and comparisons of runs."""

    @classmethod
    def setUpClass(cls):
        cls.where = tempfile.TemporaryDirectory()
        cls.runs = {}
        scenario = os.path.join(cls.where.name, "two.lab")
        with open(scenario, "w", encoding="utf-8") as f:
            f.write(SCENARIO)
        for value in ("8us", "16us"):
            cls.runs[value] = os.path.join(cls.where.name, value)
            done = subprocess.run([LAB, scenario, "--out", cls.runs[value], "--quiet", "--no-plots", "--set", "interval=" + value],
                                  capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
        cls.scenario = scenario

    @classmethod
    def tearDownClass(cls):
        cls.where.cleanup()

    def lab(self, *words, path=None, program=LAB):
        where = dict(os.environ, **({"PATH": path} if path else {}))
        return subprocess.run([program, *words], capture_output=True, text=True, check=False, env=where, timeout=120)

    def assert_drawn(self, folder, names):
        for name in names:
            with open(os.path.join(folder, name + ".png"), "rb") as f:
                self.assertEqual(f.read(4), b"\x89PNG", name)
            with open(os.path.join(folder, name + ".svg"), encoding="utf-8") as f:
                self.assertIn("<svg", f.read())

    def test_no_plots(self):
        self.assertEqual(sorted(os.listdir(self.runs["8us"])), ["report.txt", "result.json", "series.csv"])

    @unittest.skipUnless(GNUPLOT, "there is no gnuplot")
    def test_pictures_of_a_run(self):
        done = self.lab(self.scenario, "--out", self.path("one"), "--quiet")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assert_drawn(self.path("one"), ("over-time", "congestion", "slowdown"))
        # The picture can be drawn again by its script alone.
        os.unlink(self.path("one", "slowdown.svg"))
        subprocess.run(["gnuplot", "slowdown.gp"], cwd=self.path("one"), check=True)
        self.assert_drawn(self.path("one"), ("slowdown",))

    def test_without_gnuplot(self):
        """A line, and everything but images."""
        os.makedirs(self.path("bin"))
        os.symlink(sys.executable, self.path("bin", "python3"))
        done = self.lab(self.scenario, "--out", self.path("bare"), "--quiet", path=self.path("bin"))
        self.assertEqual((done.returncode, done.stderr), (0, "no pictures: gnuplot is not installed (Debian: gnuplot-nox)\n"))
        names = os.listdir(self.path("bare"))
        self.assertTrue({"result.json", "report.txt", "series.csv", "over-time.gp"} <= set(names), names)
        self.assertFalse([name for name in names if name.endswith(("svg", "png"))])

    def test_without_python(self):
        done = self.lab(self.scenario, "--out", self.path("bare"), "--quiet", path="/nonexistent")
        self.assertEqual((done.returncode, done.stderr), (0, "no pictures: python3 is not installed (Debian: python3)\n"))
        self.assertEqual(sorted(os.listdir(self.path("bare"))), ["report.txt", "result.json", "series.csv"])
        done = self.lab("compare", self.runs["8us"], path="/nonexistent")
        self.assertEqual((done.returncode, done.stderr), (1, "fastcn-lab compare: python3 is not installed (Debian: python3)\n"))

    def test_without_the_python_part(self):
        alone = shutil.copy(LAB, self.path("fastcn-lab"))
        done = self.lab(self.scenario, "--out", self.path("bare"), "--quiet", program=alone)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "^no pictures: .*/lab-results is not there: install fastcn as a whole\n$")
        self.assertEqual(self.lab("sweep", "x", program=alone).returncode, 1)

    def test_installed(self):
        """The Python part is found where the package has it."""
        os.makedirs(self.path("usr", "bin"))
        os.makedirs(self.path("usr", "libexec", "fastcn"))
        program = shutil.copy(LAB, self.path("usr", "bin", "fastcn-lab"))
        shutil.copy(os.path.join(os.path.dirname(LAB), "results", "lab-results"), self.path("usr", "libexec", "fastcn"))
        done = self.lab("compare", self.runs["8us"], program=program)
        self.assertEqual((done.returncode, done.stderr, done.stdout.split()[0]), (0, "", "run"))

    def test_scripts_that_cannot_be_written(self):
        os.makedirs(self.path("out", "over-time.gp"))
        done = self.lab(self.scenario, "--out", self.path("out"), "--quiet")
        self.assertEqual(done.returncode, 1)
        self.assertIn("over-time.gp: Is a directory\n", done.stderr)

    def test_compare(self):
        """Runs that differ in a parameter are named by it. The mean of a queue is that of its series, by the area below it."""
        runs = [self.runs["8us"], os.path.join(self.runs["16us"], "result.json")]
        done = self.lab("compare", *runs, "--out", self.path("both"), "--metric", "queue.s1.r.3.mean", "--metric", "peak")
        self.assertEqual((done.returncode, done.stderr), (0, "") if GNUPLOT else (0, done.stderr))
        rows = json.loads(self.read("both", "compare.json"))
        self.assertEqual([row["run"] for row in rows], ["interval=8us", "interval=16us"])
        points = next(s.points for s in series.read(os.path.join(runs[0], "series.csv")) if s.what == "queue")
        area = sum(value * (after - time) for (time, value), (after, _) in zip(points, points[1:] + [(10 ** 6, 0)]))
        self.assertAlmostEqual(rows[0]["queue.s1.r.3.mean"], area / 10 ** 6, delta=1)
        self.assertEqual(rows[0]["peak"], max(value for _, value in points))
        self.assertEqual(self.read("both", "compare.txt"), done.stdout)
        # A picture says below its title that times are virtual.
        for name in ("bars", "over-time", "slowdown"):
            above = next(line for line in self.read("both", name + ".gp").split("\n") if line.startswith("above = "))
            self.assertIn("virtual time", above)
        if GNUPLOT:
            self.assert_drawn(self.path("both"), ("bars", "over-time", "slowdown"))

    def test_compare_mistakes(self):
        done = self.lab("compare", self.runs["8us"], "--metric", "nothing.there")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertRegex(done.stderr, "^fastcn-lab compare: 8us: nothing.there: no such metric; there is ")
        self.assertEqual(self.lab("compare").returncode, 2)
        for path, why in ((self.path("none"), "none: No such file or directory"), (self.write("a.json", "{}"), "a.json: is not a result of fastcn-lab"),
                          (self.write("b.json", '{\n"queue": }'), "b.json:2: "), (self.write("c.json", "NaN"), "c.json: NaN is not a number"),
                          (self.write("e.json", "1e400"), "e.json: 1e400 is not a number"),
                          (self.write("d.json", 100000 * "["), "d.json: nested too deeply")):
            done = self.lab("compare", path)
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertIn("fastcn-lab compare: ", done.stderr)
            self.assertIn(why, done.stderr)

    def test_nobody_reads(self):
        """Standard output that is closed, or full, is no reason for a traceback."""
        for where, said, why in (("| true", ("0\n", "1\n"), ""), (">/dev/full", ("1\n",), "fastcn-lab compare: No space left on device\n")):
            command = "%s compare %s %s; echo ${PIPESTATUS[0]}" % (LAB, self.runs["8us"], where)
            done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
            self.assertIn(done.stdout, said)
            self.assertEqual(done.stderr, why)

    def test_results_that_cannot_be_written(self):
        """A sweep says so at its end, and shows all numbers."""
        os.makedirs(self.path("out", "interval=8us.json"))
        done = self.lab("sweep", self.scenario, "--vary", "interval=8us,16us", "--out", self.path("out"), "--json", "-")
        self.assertEqual((done.returncode, len(json.loads(done.stdout))), (1, 2))
        self.assertIn("interval=8us.json: Is a directory\n", done.stderr)
        self.assertTrue(os.path.isfile(self.path("out", "sweep.csv")))

    def swept(self, *words):
        """A sweep into a directory: what it says, its table, and when its results were written."""
        done = self.lab("sweep", self.path("s.lab"), *words, "--out", self.path("out"), "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        written = {name: os.stat(self.path("out", name)).st_mtime_ns for name in os.listdir(self.path("out")) if "=" in name}
        return done.stderr, done.stdout, written

    def test_sweep_goes_on(self):
        """What is there and made of the same is not run again: program, arguments, scenario and the files that it read decide."""
        self.write("s.lab", SCENARIO + "traffic poisson p hosts h1,h2 load 10% distribution sizes until 10us\n"
                   "if $interval is 16us then traffic poisson q hosts h1,h2 load 10% distribution more until 10us\n")
        self.write("sizes", "1000 100\n")
        self.write("more", "1000 100\n")
        vary = ("--vary", "interval=8us,16us")
        said, table, first = self.swept(*vary)
        self.assertEqual((said, len(first)), ("", 2))
        said, again, second = self.swept(*vary)
        self.assertEqual((said, again, second), ("fastcn-lab sweep: 2 of 2 runs are those of before\n", table, first))
        said, again, _ = self.swept(*vary, "--metric", "peak")
        self.assertIn("2 of 2", said)
        self.assertEqual(list(json.loads(again)[0]), ["interval", "peak"])
        said, _, second = self.swept("--vary", "interval=16us,8us,4us")
        self.assertIn("2 of 3", said)
        self.write("more", "2000 100\n")  # one of them reads it
        said, changed, third = self.swept(*vary)
        self.assertIn("1 of 2", said)
        self.assertEqual(second["interval=8us.json"], third["interval=8us.json"])
        self.assertNotEqual(second["interval=16us.json"], third["interval=16us.json"])
        self.assertNotEqual(changed, table)
        with open(self.path("out", "interval=8us.json"), "r+b") as f:
            f.truncate(1000)
        self.assertIn("1 of 2", self.swept(*vary)[0])
        lines = self.read("out", "sweep.done").splitlines(keepends=True)
        self.write("out/sweep.done", "".join(lines[-2:])[:-20])  # as if this program had been killed
        self.assertIn("1 of 2", self.swept(*vary)[0])
        self.assertIn("2 of 2", self.swept(*vary)[0])
        self.assertEqual(self.swept(*vary, "--again")[:2], ("", changed))
        self.assertEqual(self.swept(*vary, "--line", "settle 1us")[0], "")
        self.write("s.lab", SCENARIO)
        self.assertEqual(self.swept(*vary)[0], "")

    def test_interrupted_sweep_goes_on(self):
        """Ctrl-C: status 130; runs that it cut off are not among those that are done."""
        self.write("s.lab", "param d 1ms\nduration $d\nswitch add s1\nhost add h1,h2\nlink add h1,h2 s1 rate 1G\n"
                   "flow add f from h1 to h2 size 1K endless interval 10us\n")
        whole = self.lab("sweep", self.path("s.lab"), "--vary", "d=1ms,2ms,3ms", "--json", "-").stdout
        command = [LAB, "sweep", self.path("s.lab"), "--vary", "d=1ms,2ms,1000s", "-j", "1", "--out", self.path("out")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            deadline = time.monotonic() + 60
            while not os.path.exists(self.path("out", "d=2ms.json")) and time.monotonic() < deadline:
                time.sleep(0.05)
            time.sleep(0.5)
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn("interrupted after 2 of 3 runs", err)
        self.assertFalse(os.path.exists(self.path("out", "d=1000s.json")))
        said, table, _ = self.swept("--vary", "d=1ms,2ms,3ms")
        self.assertIn("2 of 3 runs are those of before", said)
        self.assertEqual(table, whole)

    def test_interrupted_before_it_begins(self):
        """A run that the signal ends before it catches any, as on a busy machine, has not failed."""
        code = ("import os, signal, sys, threading, jobs\n"
                "ended = []\n"
                "def note(index, out, err, status):\n"
                "    ended.append(index)\n"
                "    child = os.fork()\n"
                "    if child == 0:\n"
                "        signal.pthread_sigmask(signal.SIG_SETMASK, [])\n"
                "        os.kill(os.getppid(), signal.SIGINT)\n"
                "        os._exit(0)\n"
                "    os.waitpid(child, 0)\n"
                "    return True\n"
                "print(*jobs.run_all([['true'], ['sleep', '100']], 2, note), ended)\n")
        done = subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.PIPE, text=True, timeout=60,
                              env={**os.environ, "PYTHONPATH": os.path.join(ROOT, "app/fastcn-lab/results")})
        self.assertEqual(done.stdout, f"1 {int(signal.SIGINT)} [0]\n")

    def test_processes_that_cannot_start(self):
        """With room for few open files, runs that cannot be started are told, and those that could have their rows."""
        done = subprocess.run(["bash", "-c", "ulimit -n 24; exec \"$@\"", "bash", LAB, "sweep", self.scenario, "--vary", "seed=1..40", "--vary",
                               "interval=8us", "-j", "40", "--metric", "peak", "--json", "-"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("fastcn-lab sweep: cannot start a process: Too many open files\n", done.stderr)
        self.assertRegex(done.stderr, "interrupted after [0-9]+ of 40 runs")
        self.assertRegex(json.loads(done.stdout)[0]["failed"], "^[0-9]+ of 40: ")

    def test_names_of_runs(self):
        both = list(self.runs.values())
        self.assertEqual([r.label for r in result.load(both)], ["interval=8us", "interval=16us"])
        self.assertEqual([r.label for r in result.load(both[:1])], ["8us"])
        copy = shutil.copytree(both[0], self.path("copy"))
        self.assertEqual([r.label for r in result.load([both[0], copy + "/result.json"])], ["8us", "copy"])
        same = shutil.copytree(both[0], self.path("8us"))
        self.assertEqual([r.label for r in result.load([both[0], same])], [both[0], same])

    def test_summary(self):
        with open(os.path.join(self.runs["8us"], "result.json"), encoding="utf-8") as f:
            found = result.summary(json.load(f))
        self.assertEqual(found["queue"], "s1.r.3")
        self.assertTrue({"peak", "first_peak", "p99", "goodput_bps", "jain", "slowdown_p50", "slowdown_p99", "notices"} <= set(found))

    def test_broken_files(self):
        """Results and series in which something was changed: a message, or a table and pictures, and nothing else."""
        dice, told = random.Random(1), 0
        kept = {name: self.read(self.runs["8us"], name) for name in ("result.json", "series.csv")}
        shutil.copytree(self.runs["8us"], self.path("run"))
        odd = ("0", "-1", "null", "[]", "{}", '"x"', "1e400", str(2 ** 64), "true", "1" + 400 * "0", '"\\ud800"', "", ",", "0.5")
        for i in range(200):
            name = ("result.json", "series.csv")[i % 2]
            text = kept[name]
            for _ in range(dice.choice((1, 1, 3, 30))):
                at = dice.choice([m.span() for m in re.finditer(r'-?[0-9.]+|"[^"]*"|true|\[[^\]\[]*\]', text)])
                text = text[:at[0]] + dice.choice(odd) + text[at[1]:]
            self.write("run/" + name, text[:dice.choice((len(text), len(text), dice.randrange(len(text)))) ])
            try:
                runs = result.load([self.path("run"), self.runs["16us"]])
                rows = [compare.row_of(run, ["title"] if i % 3 == 0 else []) for run in runs]
            except result.Wrong:
                told += 1
                self.write("run/" + name, kept[name])
                continue
            table.text(rows)
            for some in (runs, runs[:1]):
                for picture in over_time.pictures(some, self.folder) + [charts.slowdown(some, self.folder), charts.bars(some, self.folder)]:
                    if picture:
                        picture.write()
            self.write("run/" + name, kept[name])
        self.assertTrue(40 < told < 190, told)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
