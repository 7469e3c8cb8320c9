#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
#
# usage: test_lab_results.py FASTCN-LAB SCENARIO DOC
#
# What runs of fastcn-lab leave behind: every number is in the documentation, the same seed gives
# the same bytes, runs can be compared, sweeps say what failed and end what they started.

import csv
import json
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

LAB, SCENARIO, DOC = sys.argv[1:4]


def lab(*args, **more):
    return subprocess.run([LAB, *args], capture_output=True, text=True, timeout=120, **more)


def leaves(value, path=""):
    if isinstance(value, dict):
        members = value.items()
    elif isinstance(value, list):
        members = ((str(i), v) for i, v in enumerate(value))
    else:
        yield path
        return
    for name, member in members:
        yield from leaves(member, f"{path}.{name}" if path else name)


def documented():
    """Paths of the documentation's table as regular expressions."""
    patterns = []
    with open(DOC) as f:
        lines = f.readlines()
    for line in lines:
        if line.startswith("| `"):
            for path in re.findall(r"`([^`]+)`", line.split("|")[1]):
                path = re.escape(path).replace(r"\*", ".+")
                patterns.append(re.compile(re.sub(r"\b(?!FROM\\-TO)[A-Z]+\b|FROM\\-TO", "[^.]+", path)))
    return patterns


class Results(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.dir = tempfile.TemporaryDirectory()
        cls.a, cls.b = os.path.join(cls.dir.name, "a"), os.path.join(cls.dir.name, "b")
        for out, more in (cls.a, []), (cls.b, ["--set", "dr=5us"]):
            run = lab(SCENARIO, "--out", out, "--quiet", "--no-plots", *more)
            assert run.returncode == 0, run.stderr

    @classmethod
    def tearDownClass(cls):
        cls.dir.cleanup()

    def result(self):
        with open(os.path.join(self.a, "result.json")) as f:
            return json.load(f)

    def test_documented(self):
        patterns = documented()
        self.assertGreater(len(patterns), 80)
        result = self.result()
        for path in leaves(result):
            self.assertTrue(any(p.fullmatch(path) for p in patterns), path)

    def test_same_bytes(self):
        again = os.path.join(self.dir.name, "again")
        self.assertEqual(lab(SCENARIO, "--out", again, "--quiet", "--no-plots").returncode, 0)
        for name in os.listdir(self.a):
            with open(os.path.join(self.a, name), "rb") as x, open(os.path.join(again, name), "rb") as y:
                self.assertEqual(x.read(), y.read(), name)

    def test_series_is_in_order(self):
        with open(os.path.join(self.a, "series.csv")) as f:
            self.assertEqual(f.readline(), "time_ns,what,where,value\n")
            rows = [line.rstrip("\n").split(",") for line in f]
        times = [int(r[0]) for r in rows]
        self.assertEqual(times, sorted(times))
        result = self.result()
        queue = [int(r[3]) for r in rows if r[1] == "queue" and r[2] == "s1.r.3"]
        self.assertEqual(max(queue), result["queue"]["s1"]["r"]["3"]["peak"])
        self.assertEqual(sum(r[1] == "notice" for r in rows), result["notices"]["sent"])
        self.assertEqual(sum(r[1] == "cnp" for r in rows), result["cnps"]["received"])

    def test_compare(self):
        run = lab("compare", self.a, self.b, "--json", "-", "--metric", "cnps.first_ns")
        self.assertEqual(run.returncode, 0, run.stderr)
        rows = json.loads(run.stdout)
        self.assertEqual([r["run"] for r in rows], ["dr=1us", "dr=5us"])
        # 4 us there and 4 us back
        self.assertAlmostEqual(rows[1]["cnps.first_ns"] - rows[0]["cnps.first_ns"], 8000, delta=100)

    def test_lines_of_pictures(self):
        """Two senders over a link of 100 Gb/s, and K of 100 KB: lines of a picture's data, which need no gnuplot."""
        out = os.path.join(self.dir.name, "picture")
        self.assertEqual(lab(SCENARIO, "--out", out, "--quiet").returncode, 0)
        with open(os.path.join(out, "over-time.gp"), encoding="utf-8") as f:
            text = f.read()
        unit = {"bytes": 1, "KB": 1e3, "MB": 1e6}[re.search(r'^set ylabel "queue \((\w+)\)"$', text, re.M).group(1)]
        limits = re.findall(r'^set label \d+ "(\w+)" at graph [0-9.]+, first (\S+) .*small', text, re.M)
        self.assertEqual([name for name, _ in limits], ["K"])
        self.assertAlmostEqual(float(limits[0][1]) * unit, 100e3)
        lines = re.findall(r'\$(rate\d+) using 1:2 with steps .* title "([^"]*)"', text)
        self.assertEqual([name for _, name in lines[-2:]], ["goodput of all", "fair share"])
        self.assertIn('set ylabel "rate (Gb/s)"', text)
        fair = re.search(r"^\$%s << END\n(.*?)END$" % lines[-1][0], text, re.M | re.S).group(1).split()
        self.assertEqual(fair[:2], ["0", "50"])
        self.assertIn("virtual time", text)

    def test_sweep_of_what_is_set(self):
        """One of the values would be ignored."""
        for name in ("ds", "seed"):
            run = lab("sweep", SCENARIO, "--vary", "dr=1us,5us", "--vary", name + "=1,2", "--set", name + "=3")
            self.assertEqual((run.returncode, run.stdout, run.stderr), (2, "", "fastcn-lab sweep: --set %s=3: --vary has it, too\n" % name))
        self.assertEqual(lab("sweep", SCENARIO, "--vary", "dr=1us", "--set", "ds=2us", "--json", "-").returncode, 0)

    def test_sweep_first_error(self):
        """What a row says is the first error of a scenario, from which others follow."""
        run = lab("sweep", os.path.join(os.path.dirname(SCENARIO), "x13-recovery.lab"), "--vary", "N=256", "--metric", "pfc.xoffs", "--json", "-")
        self.assertEqual(run.returncode, 1)
        self.assertIn("switch s1 has 256 links already, as many as a switch can have", json.loads(run.stdout)[0]["failed"])

    def test_sweep(self):
        out = os.path.join(self.dir.name, "new", "folders", "sweep")
        run = lab("sweep", SCENARIO, "--vary", "dr=1us,never,5us", "--vary", "rate=10G,100G", "--set",
                  "ds=2us", "--metric", "notices.first_ns", "--json", "-", "--out", out)
        self.assertEqual(run.returncode, 1)
        self.assertIn("2 of 6 runs failed", run.stderr)
        rows = json.loads(run.stdout)
        self.assertEqual([(r["dr"], r["rate"]) for r in rows],
                         [(d, c) for d in ("1us", "never", "5us") for c in ("10G", "100G")])
        for r in rows:
            self.assertEqual("failed" in r, r["dr"] == "never")
            if "failed" not in r:
                # the switch's 2 us, a Fast CNP of 142 bytes, and 2 us
                want = 2000 + 2000 + 142 * 8 / {"10G": 10, "100G": 100}[r["rate"]]
                self.assertAlmostEqual(r["notices.first_ns"], want, delta=1)
        names = os.listdir(out)
        self.assertIn("dr=1us,rate=10G.json", names)
        self.assertNotIn("dr=never,rate=10G.json", names)
        with open(os.path.join(out, "sweep.csv")) as f:
            self.assertEqual(len(f.readlines()), 7)

    def test_sweep_seeds(self):
        """Means and intervals, by the statistics module and the table of Student's t for 4 degrees of freedom."""
        path = os.path.join(self.dir.name, "seeds.lab")
        with open(path, "w") as f:
            f.write("param x 1\nswitch add s1\nhost add a,b\nlink add a,b s1\nflow add f from a to b size 40K\n")
        out = os.path.join(self.dir.name, "seeds")
        words = ["sweep", path, "--vary", "seed=1..5", "--vary", "x=a,b", "--line", "link a s1 loss 5%", "--metric",
                 "traffic.repeats", "--out", out]
        run = lab(*words, "--json", "-")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        rows = json.loads(run.stdout)
        self.assertEqual([(r["x"], r["runs"]) for r in rows], [("a", 5), ("b", 5)])
        with open(os.path.join(out, "runs.csv"), newline="") as f:
            runs = list(csv.DictReader(f))
        self.assertEqual([(r["x"], r["seed"]) for r in runs], [(x, str(s)) for x in "ab" for s in range(1, 6)])
        for row in rows:
            values = [int(r["traffic.repeats"]) for r in runs if r["x"] == row["x"]]
            self.assertGreater(len(set(values)), 1)
            self.assertAlmostEqual(row["traffic.repeats"], statistics.mean(values))
            self.assertEqual((row["traffic.repeats_min"], row["traffic.repeats_max"]), (min(values), max(values)))
            self.assertAlmostEqual(row["traffic.repeats_ci95"], 2.77645 * statistics.stdev(values) / 5**0.5, places=4)
        with open(os.path.join(out, "sweep.csv"), newline="") as f:
            self.assertEqual(next(csv.reader(f)), ["x", "runs"] + ["traffic.repeats" + end for end in ("", "_ci95", "_min", "_max")])
        with open(os.path.join(out, "x=a,seed=1.json")) as f:
            result = json.load(f)
        self.assertEqual(result["lines"], ["link a s1 loss 5%"])
        self.assertIn(" +- ", lab(*words).stdout)

    def test_sweep_strict(self):
        path = os.path.join(self.dir.name, "strict.lab")
        with open(path, "w") as f:
            f.write("param x 1\nswitch add s1\nhost add a,b\nlink add a,b s1\nflow add f from a to b size 4K\n"
                    "expect traffic.bytes > $x * 1024\n")
        words = ["sweep", path, "--vary", "x=3,4,5", "--json", "-"]
        run = lab(*words)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertEqual([r.get("expectations") for r in json.loads(run.stdout)], [None, "0 of 1", "0 of 1"])
        run = lab(*words, "--strict")
        self.assertEqual((run.returncode, run.stderr), (1, "fastcn-lab sweep: 2 of 3 runs are not as expected\n"))

    def test_interrupted(self):
        """A run that is ended early has complete files, and the exit status of a program that the signal has ended."""
        slow = os.path.join(self.dir.name, "long.lab")
        with open(slow, "w") as f:
            f.write("switch add s1\nhost add a,b\nlink add a,b s1 rate 100G delay 1us\n"
                    "flow add f from a to b size 1000M endless\nduration 1000s\n")
        for number in signal.SIGINT, signal.SIGTERM:
            run = subprocess.Popen([LAB, slow, "--quiet", "--json", "-"], stdout=subprocess.PIPE, text=True)
            caught = 0
            while not caught >> (number - 1) & 1 and run.poll() is None:
                time.sleep(0.02)
                with open(f"/proc/{run.pid}/status") as f:
                    caught = next(int(line.split()[1], 16) for line in f if line.startswith("SigCgt"))
            run.send_signal(number)
            out, _ = run.communicate(timeout=60)
            self.assertEqual(run.returncode, 128 + number)
            self.assertTrue(json.loads(out)["interrupted"])

    def test_sweep_interrupted(self):
        slow = os.path.join(self.dir.name, "slow.lab")
        with open(slow, "w") as f:
            f.write("param x 1\nswitch add s1\nhost add a,b\nlink add a,b s1 rate 100G delay 1us\n"
                    "flow add f from a to b size 1000M endless\nduration 1000s\n")
        sweep = subprocess.Popen([LAB, "sweep", slow, "--vary", "x=1,2,3", "-j", "2", "--json", "-"],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                 start_new_session=True)
        children = []
        while len(children) < 2 and sweep.poll() is None:
            with open(f"/proc/{sweep.pid}/task/{sweep.pid}/children") as f:
                children = f.read().split()
            time.sleep(0.02)
        # twice, as an impatient person does; and to it alone: it is to see to its children
        sweep.send_signal(signal.SIGINT)
        sweep.send_signal(signal.SIGINT)
        out, err = sweep.communicate(timeout=60)
        self.assertEqual(sweep.returncode, 128 + signal.SIGINT, err)
        self.assertIn("interrupted after ", err)
        self.assertEqual(len(children), 2)
        self.assertEqual(len(json.loads(out)), 3)
        for pid in children:
            self.assertFalse(os.path.exists(f"/proc/{pid}"), pid)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
