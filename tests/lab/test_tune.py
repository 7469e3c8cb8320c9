#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Test the search of parameters (tune.py), on functions whose minimum is known, and with the lab.

Usage: test_tune.py LAB
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import unittest

import tune

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
LAB = os.path.abspath(sys.argv.pop())

# A lab whose results are arithmetic: cost is (a - 30)^2 + (b - 7)^2 + seed, times the load. It writes down each run.
TOY = """#!/usr/bin/python3
import json, os, sys, time
here = os.path.dirname(os.path.abspath(__file__))
given = dict(w.split("=") for o, w in zip(sys.argv, sys.argv[1:]) if o == "--set")
with open(os.path.join(here, "ran"), "a") as f:
    print(json.dumps(given, sort_keys=True), file=f)
if os.path.exists(os.path.join(here, "slow")):
    time.sleep(1000)
a, b = int(given["a"]), int(given["b"])
if a == 90:
    sys.exit("no such network")
cost = ((a - 30) ** 2 + (b - 7) ** 2 + int(given["seed"])) * int(given.get("load", 1))
print(json.dumps({"title": "Toy", "cost": {"mean": cost, "list": [1] * a}, "violations": ["broken"] if a == 80 else [], "interrupted": False}))
"""
VARY = ["--vary", "a=0,20,30,40,80,90", "--vary", "b=1,7,9", "--minimise", "cost.mean"]


def searched(axes, start, function, points):
    """The point that is found, and the points that were tried."""
    tried = []

    def evaluate(candidates):
        tried.extend(candidates)
        return [(0, function(*p)) for p in candidates]

    return tune.descend(axes, start, evaluate, points, random.Random(1)), tried


class Descent(unittest.TestCase):
    AXES = {"x": list(range(10)), "y": list(range(10)), "z": list(range(10))}

    def test_minimum_of_separate_parameters(self):
        """One round finds it: 1 + 3 * 9 points; a second one, of 27 less those known, shows that nothing is better."""
        found, tried = searched(self.AXES, (0, 0, 0), lambda x, y, z: abs(x - 7) + abs(y - 2) + abs(z - 5), 55)
        self.assertEqual(found, (7, 2, 5))
        self.assertEqual(len(tried), len(set(tried)))
        self.assertEqual(tried[27][:2], (7, 2))

    def test_minimum_along_a_valley(self):
        """Parameters that depend on each other need several rounds."""
        found, _ = searched({"x": list(range(10)), "y": list(range(10))}, (9, 0), lambda x, y: (x - y) ** 2 + 3 * abs(x + y - 8), 100)
        self.assertEqual(found, (4, 4))

    def test_points_are_a_limit(self):
        for points in (1, 2, 9, 10, 40, 1000, 2000):
            _, tried = searched(self.AXES, (5, 5, 5), lambda x, y, z: -x * y * z, points)
            self.assertEqual(len(tried), min(points, 1000))

    def test_another_start_leaves_a_local_minimum(self):
        """From (0, 0) each step along one parameter is worse; the least is at (3, 3)."""
        axes = {"x": [0, 1, 2, 3], "y": [0, 1, 2, 3]}
        worth = {(0, 0): 1, (3, 3): 0}
        found, tried = searched(axes, (0, 0), lambda x, y: worth.get((x, y), 2), 7)
        self.assertEqual((found, len(tried)), ((0, 0), 7))
        found, _ = searched(axes, (0, 0), lambda x, y: worth.get((x, y), 2), 16)
        self.assertEqual(found, (3, 3))


class Score(unittest.TestCase):
    def test_mean_of_seeds_and_geometric_mean_of_the_rest(self):
        runs = [[{"p": 1, "q": 10}, {"p": 3, "q": 30}], [{"p": 8, "q": 5}, {"p": 8, "q": 5}]]
        broken, value = tune.score(runs, ["p"], [])
        self.assertEqual((broken, round(value, 9)), (0, 4))
        # (2 * 8 * 20 * 5) ^ (1/4)
        self.assertAlmostEqual(tune.score(runs, ["p", "q"], [])[1], 1600 ** 0.25)

    def test_an_empty_queue_is_not_all_that_counts(self):
        self.assertLess(tune.score([[{"p": 0, "q": 4}]], ["p", "q"], []), tune.score([[{"p": 0, "q": 9}]], ["p", "q"], []))
        self.assertAlmostEqual(tune.score([[{"p": 0, "q": 9}]], ["p", "q"], [])[1], 3)

    def test_constraints_hold_in_each_run(self):
        runs = [[{"p": 1, "rate": 99e9}, {"p": 1, "rate": 80e9}]]
        self.assertEqual(tune.score(runs, ["p"], [tune.Constraint("rate >= 80G")]), (0, 1))
        broken, _ = tune.score(runs, ["p"], [tune.Constraint("rate >= 100G")])
        self.assertAlmostEqual(broken, 0.01 + 0.2)
        self.assertLess(tune.score([[{"p": 9}]], ["p"], []), (broken, 1))

    def test_what_is_missing_is_worst(self):
        self.assertEqual(tune.score([[None, {"p": 1}]], ["p"], []), tune.WORST)
        self.assertEqual(tune.score([[{"p": None}]], ["p"], [])[1], tune.math.inf)
        self.assertEqual(tune.score([[{"p": 1}]], ["p"], [tune.Constraint("q = 0")])[0], tune.math.inf)

    def test_units(self):
        for text, limit in (("x >= 89.1G", 89.1e9), ("x <= 5us", 5000), ("x = 0", 0), ("x>=95%", 0.95)):
            self.assertAlmostEqual(tune.Constraint(text).limit, limit)
        for text in ("x", "x > 1", "x >= 1 apple", ">= 1"):
            with self.assertRaises(tune.argparse.ArgumentTypeError):
                tune.Constraint(text)
        self.assertEqual(tune.Constraint("x = 0").broken_by(3), 3)
        self.assertEqual(tune.Constraint("x = 0").broken_by(0), 0)


class Program(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.lab, self.scenario, self.out = (os.path.join(self.folder, name) for name in ("lab", "some.lab", "out.json"))
        self.write("lab", TOY)
        os.chmod(self.lab, 0o755)
        self.write("some.lab", "title Toy\n")

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
            f.write(text)

    def command(self, *arguments):
        return [sys.executable, os.path.join(HERE, "tune.py"), "--lab", self.lab, self.scenario, "--out", self.out] + list(arguments)

    def tune(self, *arguments, status=0):
        done = subprocess.run(self.command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, cwd=ROOT)
        self.assertEqual(done.returncode, status, done.stdout.decode())
        return done.stdout.decode()

    def ran(self):
        with open(os.path.join(self.folder, "ran"), encoding="utf-8") as f:
            return f.read().splitlines()

    def kept(self):
        with open(self.out, encoding="utf-8") as f:
            return json.load(f)

    def test_finds_and_keeps(self):
        said = self.tune(*VARY, "--seeds", "1-2", "--points", "18", "--each", "load=2,8")
        # 0 + mean(1, 2), times the load: 3 and 12.
        self.assertIn("best of 18 points: 6\n", said)
        self.assertEqual(self.kept()["best"], {"a": "30", "b": "7"})
        self.assertEqual(len(set(self.ran())), 18 * 4)
        self.assertEqual(len(self.ran()), 18 * 4)
        self.assertIn("no such network", said)
        self.assertIn("broken invariants", said)
        self.assertEqual(len(self.kept()["runs"]), 12 * 4)

    def test_every_run_is_run_once(self):
        self.tune(*VARY, "--points", "8")
        before = self.ran()
        self.tune(*VARY, "--points", "12")
        self.assertEqual(len(set(self.ran()) - set(before)), 4 * 3)
        twice = [json.loads(run) for run in self.ran() if self.ran().count(run) > 1]
        self.assertEqual({run["a"] for run in twice}, {"80", "90"})  # those that failed
        # A number that the file does not have is a reason to run it again.
        self.tune(*VARY, "--points", "1", "--metric", "cost.list")
        self.assertEqual(self.kept()["runs"][0]["metrics"]["cost.list"], 0)

    def test_a_grid_and_a_constraint(self):
        """Lists count their members: of a >= 40 the best is 40."""
        said = self.tune(*VARY, "--grid", "--subject-to", "cost.list >= 40", "--seeds", "5-5")
        self.assertIn("best of 18 points: 105\n", said)
        self.assertEqual(self.kept()["best"], {"a": "40", "b": "7"})

    def test_an_edge_is_told(self):
        """With a at most 20 the best is 20, and more would be better; between the others nothing is told."""
        said = self.tune("--vary", "a=0,20,10", "--vary", "b=1,7,9", "--minimise", "cost.mean", "--seeds", "1-1", "--points", "9")
        self.assertIn("\n  a=20 is at the edge of the values that were searched: the best may be beyond\n", said)
        self.assertEqual(said.count("at the edge"), 1)
        self.assertNotIn("one round", said)

    def test_what_is_an_edge(self):
        for values, value, edge in (("4us,1us,10us", "1us", True), ("4us,1us,10us", "4us", False), ("55us,1ms,300us", "1ms", True),
                                    ("0,25G", "0", False), ("0,25G", "25G", True), ("20%,100%", "100%", False), ("20%,100%", "20%", True),
                                    ("dequeue,enqueue", "dequeue", False), ("5", "5", False), ("6250M,25G,1G", "6250M", False)):
            self.assertEqual(tune.at_edge(values.split(","), value), edge, (values, value))

    def test_few_points_are_told(self):
        """A round tries all values of each parameter once: 1 + 5 + 2."""
        self.assertIn("8 points are one round over all parameters; 7 are fewer\n", self.tune(*VARY, "--seeds", "1-1", "--points", "7"))
        self.assertNotIn("one round", self.tune(*VARY, "--seeds", "1-1", "--points", "8"))

    def test_another_scenario_is_refused(self):
        self.tune(*VARY, "--points", "1")
        self.write("some.lab", "title Another\n")
        self.assertIn("of another scenario", self.tune(*VARY, "--points", "1", status=1))

    def test_bad_arguments(self):
        for more, why in ((["--start", "a=5"], "no such value"), (["--start", "c=5"], "no such value"), (["--subject-to", "x"], "METRIC"),
                          (["--seeds", "3-1"], "at least one"), (["--points", "0"], "at least one"), (["--set", "a"], "NAME=VALUE")):
            self.assertIn(why, self.tune(*VARY, *more, status=2))

    def test_what_is_given_twice(self):
        """The run would take one of the values, and nobody would know which."""
        for more in (["--set", "a=5"], ["--each", "b=1,7"], ["--vary", "a=1"], ["--set", "seed=3"], ["--each", "seed=3,4"]):
            self.assertIn("is given twice", self.tune(*VARY, *more, status=2))
        self.tune(*VARY, "--set", "load=2", "--set", "load=8", "--points", "1", "--seeds", "1-1")
        self.assertEqual(self.kept()["runs"][0]["set"]["load"], "8")

    def test_no_score(self):
        """Nothing that was searched for was found: the reason is told, and there is no traceback."""
        minimum = ["--vary", "b=1,7", "--points", "4", "--seeds", "1-1", "--minimise"]
        for words, why in ((["--vary", "a=90", *minimum, "cost.mean"], "no point has a score: a run of each of them failed"),
                           (["--vary", "a=0,20", *minimum, "cost.none"], "no point has a score: no run has cost.none"),
                           (["--vary", "a=0,20", *minimum, "title"], "no point has a score: no run has title"),
                           (["--vary", "a=0,20", *minimum, "cost.mean", "--subject-to", "cost.none >= 1"], "no run has cost.none")):
            said = self.tune(*words, status=1)
            self.assertIn(why, said)
            self.assertNotIn("Traceback", said)
            os.unlink(self.out)
        said = self.tune("--vary", "a=0,20", *minimum, "cost.mean", "--metric", "cost.none", "--subject-to", "cost.mean >= 5000")
        self.assertIn("no point meets all constraints\n", said)
        self.assertRegex(said, r"cost.none +-\n")
        self.scenario = os.path.join(self.folder, "none.lab")
        self.assertIn("No such file", self.tune(*VARY, status=1))

    def test_interrupt_shows_the_best(self):
        self.tune(*VARY, "--points", "2", "--seeds", "1-1")
        self.write("slow", "")
        search = subprocess.Popen(self.command(*VARY, "--points", "9", "--seeds", "1-1"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  start_new_session=True)
        said = search.stdout.readline()
        while len(self.ran()) < 3:
            pass
        # To the search alone: a run that begins just then would not get a signal to all, either.
        search.send_signal(signal.SIGINT)
        said = (said + search.stdout.read()).decode()
        search.stdout.close()
        self.assertEqual(search.wait(), 130, said)
        self.assertIn("stopped\n\nbest of 2 points: 137\n", said)  # (20 - 30)^2 + (1 - 7)^2 + 1

    def test_with_the_lab(self):
        """The arguments that come with x13, and a run of the lab: 100 us are 1.25 MB of the line at most, less headers."""
        self.scenario = "@config/lab/x13.tune"
        self.lab = LAB
        said = self.tune("--set", "mode=fastcnp", "--set", "duration=100us", "--set", "settle=0ns", "--points", "1", "--seeds", "1-1")
        # Runs are kept in the order in which they end.
        runs = {run["set"]["N"]: run["metrics"] for run in self.kept()["runs"]}
        self.assertEqual(set(runs), {"4", "16"})
        metrics = runs["16"]
        self.assertTrue(50e9 < metrics["traffic.goodput_bps"] <= 100e9 * 1024 / 1126, said)
        self.assertEqual(metrics["pfc.xoffs"], 0)
        self.assertGreater(metrics["queue.s1.r.3.first_peak"], 200000)


if __name__ == "__main__":
    unittest.main()
