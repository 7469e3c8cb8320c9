#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
"""Tests of scripts/bench: how figures come from rounds, what the guide says of each case, and a run."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.realpath(os.path.join(HERE, "../.."))
sys.path.insert(0, HERE)

import incast  # noqa: E402
import instructions  # noqa: E402
import latency  # noqa: E402
import table  # noqa: E402
import workers  # noqa: E402
from cases import ABOVE, CASES, DELAY, OVER, RATE, RATIO, RUNS, STAGES, TIMES, UNITS, Case, choose  # noqa: E402
from others import OTHERS, TARGETS  # noqa: E402
from programs import Failure  # noqa: E402

BENCH = os.path.join(ROOT, "scripts/bench")


def rounds(*cycles):
    """Rounds of one run, of (io, step, off)."""
    return [{"testpmd io": {"median": io}, "step": {"median": step, "hz": 2e9}, "off": {"median": off}}
            for io, step, off in cycles]


def by_workers(**rates):
    """Rounds of workers.py, of {name of a rate: millions a second}."""
    return [{name.replace("_", " "): {"rate": rate[n] * 1e6, "dropped": 0.25 if "any" in name else 0}
             for name, rate in rates.items()} for n in range(len(next(iter(rates.values()))))]


def report(rows):
    return {"cpu": "a CPU", "hz": 2e9, "memory": "2 MB pages", "rounds": 3, "date": "2026-01-31",
            "commit": "abc", "cases": rows, "notes": ["l3fwd is not compared."]}


class Tables(unittest.TestCase):
    def test_a_ratio_is_of_the_best_rounds(self):
        row = table.figure(Case("c", RATIO, 2.0, "r"), rounds((30, 60, 50), (40, 66, 50), (32, 64, 50)))
        self.assertEqual((row["cycles"], row["io"], row["value"], row["median"]), (60, 30, 2.0, 2.0))
        self.assertTrue(row["met"])
        self.assertFalse(table.figure(Case("c", RATIO, 1.9, "r"), rounds((30, 60, 50)))["met"])

    def test_above_is_a_difference_within_the_run(self):
        row = table.figure(Case("c", ABOVE, 8, "r", "step", "off"), rounds((30, 60, 50), (30, 66, 58)))
        self.assertEqual((row["value"], row["median"]), (10, 9))
        self.assertFalse(row["met"])

    def test_rates_are_better_when_higher(self):
        row = table.figure(Case("c", RATE, 30, "r"), rounds((30, 60, 50), (30, 50, 50)))
        self.assertAlmostEqual(row["value"], 40)
        self.assertTrue(row["met"])
        row = table.figure(Case("c", TIMES, 1.95, "r"), [1.9, 1.8])
        self.assertEqual((row["value"], row["met"]), (1.9, False))

    def test_rates_of_several_workers_are_compared_by_the_median_round(self):
        rounds = by_workers(pcap_any_2=(9, 30, 11), pcap_apart_1=(20, 20, 22))
        row = table.figure(Case("c", TIMES, 1.1, "workers", "pcap any 2", "pcap apart 1"), rounds)
        self.assertEqual((row["value"], row["median"], row["met"]), (0.5, 0.5, False))
        self.assertEqual(table.verdict(row), "missed, uncertain")
        row = table.figure(Case("c", OVER, 0, "workers", "pcap any 4", "pcap apart 4"), rounds)
        self.assertIsNone(row["value"])

    def test_the_table_by_workers_has_only_what_was_measured(self):
        rounds = by_workers(pcap_apart_1=(20, 20), pcap_apart_2=(40, 40), pcap_any_2=(10, 10))
        self.assertEqual(table.workers_markdown(rounds).splitlines(), [
            "| | 1 worker | 2 |", "|---|---|---|",
            "| net_pcap: ports apart | 20.0, 0% | 40.0, 0% |",
            "| net_pcap: any to any |  | 10.0, 0%; 25% dropped |",
            "| net_pcap: *any to any over ports apart* |  | 0.25, 0% |",
            "| net_pcap: *any to any over one worker* |  | 0.50, 0% |",
            "| net_pcap: *ports apart over one worker* |  | 2.00, 0% |"])

    def test_lost_packets_are_no_figure(self):
        good = {"balances": True, "chunks": 100, "received": 1000, "sent": 1000, "notices": 0,
                "refused": {}}
        some_dropped = {**good, "sent": 900}
        notified = {**good, "sent": 2000, "notices": 1000}
        for found, leave in ((good, "apart"), (some_dropped, "any"), (notified, "apart notified")):
            workers.check(found, leave, "c", 100)
        for found, leave in (({**good, "balances": False}, "any"), ({**good, "chunks": 99}, "any"), (some_dropped, "apart"),
                             ({**notified, "sent": 1900, "notices": 900}, "apart notified")):
            with self.assertRaises(Failure):
                workers.check(found, leave, "c", 100)
        with self.assertRaisesRegex(Failure, "interval"):
            workers.check({**notified, "notices": 900, "refused": {"interval": 100}}, "apart notified", "c", 100)

    def test_what_was_not_measured_says_so(self):
        row = table.figure(Case("c", TIMES, 1.95, "r"), None)
        row["why"] = "no program"
        self.assertIn("not measured: no program", table.plain(report([row])))
        self.assertIn("not measured: no program", table.markdown(report([row]), CASES))

    def test_uncertain_figures_are_marked(self):
        sure = table.figure(Case("c", RATIO, 2.5, "r"), rounds((30, 60, 50), (30, 61, 50), (30, 60, 50)))
        self.assertEqual(table.verdict(sure), "met")
        spread = table.figure(Case("c", RATIO, 2.5, "r"), rounds((30, 60, 50), (30, 90, 50), (30, 120, 50)))
        self.assertEqual(table.verdict(spread), "met, uncertain")
        disturbed = table.figure(Case("c", RATIO, 2.5, "r"), [{**rounds((60, 60, 50))[0], "bare": {"median": 30}}])
        self.assertEqual(table.verdict(disturbed), "met, uncertain")
        self.assertEqual(disturbed["value"], 2.0)

    def test_reports_are_compared_by_case(self):
        old = report([table.figure(Case("c", RATIO, 2, "r"), rounds((30, 90, 50)))])
        new = report([table.figure(Case("c", RATIO, 2, "r"), rounds((30, 60, 50))),
                      table.figure(Case("d", TIMES, 2, "r"), [1.5])])
        self.assertRegex(table.compare(old, new), r"(?m)^c +3\.00 +2\.00 +-33\.3%$")
        self.assertRegex(table.compare(old, new), r"(?m)^d +- +1\.50$")

    def test_latency_is_that_of_the_best_round(self):
        found = [{"1 apart 80": {"p50": 900 + n, "p99": 9000 - n, "p999": 50000, "answered": 7}} for n in (0, 100, 300)]
        row = table.figure(Case("c", DELAY, 1, "latency", "1 apart 80", "p50"), found)
        self.assertEqual((row["value"], row["median"], row["met"]), (0.9, 1.0, True))
        self.assertIsNone(table.figure(Case("c", DELAY, 1, "latency", "1 apart 50", "p50"), found)["value"])
        self.assertEqual(table.latency_markdown([{}, *found]).splitlines()[2:],
                         ["| 1 | 80 % | 1.20; 1.00 | 8.70; 8.90 | 50.00; 50.00 | 7 |"])
        self.assertIn("| 2, any to any, *no switch* | 10 % |", table.latency_markdown([{"2 any 10 bare": found[0]["1 apart 80"]}]))
        self.assertIn("| 1, net_memif | 80 % |", table.latency_markdown([{"1 wire 80": found[0]["1 apart 80"]}]))

    def test_the_table_is_put_between_the_markers(self):
        text = f"before\n{table.BEGIN}\nold\n{table.END}\nafter\n"
        self.assertEqual(table.put(text, "new\n"), f"before\n{table.BEGIN}\n\nnew\n\n{table.END}\nafter\n")
        self.assertEqual(table.put(table.put(text, "x"), "new"), table.put(text, "new"))
        with self.assertRaises(SystemExit):
            table.put("no markers", "new")

    def test_stages(self):
        out = table.stages_markdown({"a path": {"rx": 20.04, "route": 7}})
        self.assertEqual(out.splitlines()[0], "| path | receive | fast path | classify | bridge | route | enqueue | transmit |")
        self.assertEqual(out.splitlines()[2], "| a path | 20.0 |  |  |  | 7.0 |  |  |")
        self.assertLessEqual(STAGES.keys(), {r.name for r in RUNS})

    def test_cases_are_of_runs(self):
        names = {r.name for r in RUNS} | OTHERS.keys()
        self.assertLessEqual({c.run for c in CASES}, names)
        self.assertEqual(OTHERS.keys(), TARGETS.keys())
        self.assertEqual(len({c.name for c in CASES}), len(CASES))
        for c in CASES:
            self.assertIn(c.kind, UNITS)
            run = next((r for r in RUNS if r.name == c.run), None)
            if c.run == "workers":
                for name in (c.variant, c.base):
                    source, leave, n = re.fullmatch(r"(\w+) (.*) (\d+)", name).groups()
                    self.assertIn(leave, workers.LEAVE[source])
                    self.assertIn(int(n), workers.COUNTS)
            if run is not None and run.program == "path":
                self.assertIn(c.variant, run.variants, c.name)
                self.assertIn(c.base, (*run.variants, ""), c.name)
        self.assertEqual(choose("incast of")[1], {"incast"})

    def test_the_captured_incast_is_whole(self):
        with tempfile.TemporaryDirectory() as directory:
            incast.write(os.path.join(directory, "p"))
            lengths = [len(incast.records(os.path.join(directory, f"p{n}.pcap"))[1]) for n in range(2)]
        self.assertEqual(lengths, [80 + 80 + 80 + 171, 231])


class Guide(unittest.TestCase):
    def test_the_guide_names_each_case(self):
        with open(os.path.join(ROOT, "doc/performance.md"), encoding="utf-8") as f:
            text = f.read()
        figures = text.partition(table.BEGIN)[2].partition(table.END)[0]
        rows = dict(re.findall(r"(?m)^\| ([^|]+?) \|(?: *[^|]*\|) *([^|]*?) *\|", figures))
        for c in CASES:
            self.assertIn(c.name, rows, "scripts/bench --write-doc makes the table")
            self.assertEqual(rows[c.name], f"{c.goal:g}" if c.goal else "", c.name)

    def test_the_guide_has_the_instructions(self):
        with open(instructions.PAGE, encoding="utf-8") as f:
            text = f.read()
        kept = table.put(text, instructions.markdown(instructions.load()), table.INSTRUCTIONS_BEGIN, table.INSTRUCTIONS_END)
        self.assertEqual(text, kept, "tests/bench/instructions.py --page makes the table")

    def test_the_markers_are_there(self):
        for begin, end, page in ((table.BEGIN, table.END, "performance.md"),
                                 (table.WORKERS_BEGIN, table.WORKERS_END, "performance.md"),
                                 (table.LATENCY_BEGIN, table.LATENCY_END, "performance.md"),
                                 (table.STAGES_BEGIN, table.STAGES_END, "performance-paths.md")):
            with open(os.path.join(ROOT, "doc", page), encoding="utf-8") as f:
                text = f.read()
            self.assertNotEqual(text, table.put(text, "", begin, end), page)

    def test_list(self):
        out = subprocess.run([BENCH, "--list"], check=True, stdout=subprocess.PIPE, text=True).stdout
        self.assertEqual([line[:38].rstrip() for line in out.splitlines()], [c.name for c in CASES])

    def test_no_such_case(self):
        done = subprocess.run([BENCH, "--only", "nonsense"], stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("see --list", done.stderr)


@unittest.skipIf(len(os.sched_getaffinity(0)) < 2, "two CPUs are needed")
class Run(unittest.TestCase):
    """The programs fit together; the figures of a machine that does other work are not looked at."""

    def bench(self, only):
        """What a quick run found."""
        with tempfile.TemporaryDirectory() as directory:
            kept = os.path.join(directory, "figures.json")
            command = [BENCH, "--quick", "--only", only, "--build", os.environ["FASTCN_BUILD"], "--no-build",
                       "--memory", "none", "--json", kept]
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                  timeout=100)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(kept, encoding="utf-8") as f:
                return json.load(f)

    def test_quick(self):
        if shutil.which("dpdk-testpmd") is None:
            self.skipTest("dpdk-testpmd is not there")
        found = self.bench("IPv6, 256 flows")
        self.assertEqual([r["name"] for r in found["cases"]], ["IPv6, 256 flows to 32 hosts"])
        for r in found["cases"]:
            self.assertGreater(r["cycles"], 0)
        self.assertEqual(set(found["runs"]), {"ipv6"})

    def test_workers(self):
        """Also that no packet gets lost between two workers, and that there is a notice for each."""
        names = {f"{s} {leave} {n}" for s, ways in workers.LEAVE.items() for leave in ways for n in (1, 2)
                 if n == 2 or leave.startswith("apart")}
        for _ in range(3):  # there is no figure while something else has the CPUs
            found = self.bench("2 workers, any to any")
            one, = found["runs"]["workers"]
            seen = {n for n in one if "testpmd" not in n}
            if seen == names:
                break
        self.assertEqual(seen, names)
        self.assertEqual([r.get("why") for r in found["cases"]], [None, None])

    def test_latency(self):
        """Each packet that meets congestion has its notice, at each load that no packet is lost at; also through a driver."""
        program = os.path.join(os.environ["FASTCN_BUILD"], "tests/bench/bench_latency")
        with tempfile.TemporaryDirectory() as directory:
            for wire, devices, options in ((False, [], []), (True, latency.memif(directory, 2), ["--wire"])):
                with self.subTest(wire=wire):
                    done = subprocess.run([program, "--lcores=0,1", "--no-pci", "--no-telemetry", "--no-huge", "--no-shconf", "-m", "512",
                                           "--single-file-segments", "--log-level=*:error", *devices, "--", *options, "--ms", "50", "10"],
                                          check=True, stdout=subprocess.PIPE, text=True)
                    bare, found = map(json.loads, done.stdout.splitlines())
                    self.assertEqual((bare["bare"], found["bare"], found["wire"]), (True, False, wire))
                    latency.check(bare)
                    latency.check(found)
                    self.assertGreater(found["answered"], 0 if wire else 10)
                    self.assertLessEqual(found["p50"], found["p99"])
                    few = {**found, "answered": found["told"] / 2}
                    self.assertFalse(wire and latency.whole(few))
                    if not wire:
                        self.assertRaises(latency.Failure, latency.check, few)

    def test_the_ports_that_packets_leave_by(self):
        """The destinations in the captures, of 3 workers with two ports each."""
        program = os.path.join(os.environ["FASTCN_BUILD"], "tests/bench/bench_workers")
        flows, ports = 256, 6
        for leave in ("apart", "next", "any"):
            with tempfile.TemporaryDirectory() as directory:
                subprocess.run([program, "--write-pcap", os.path.join(directory, "p"), "--workers", "3",
                                "--leave", leave], check=True)
                for port in range(ports):
                    _, packets = incast.records(os.path.join(directory, f"p{port}.pcap"))
                    # 2001:db8:PORT:..., after 16 octets of the record and 14 of Ethernet
                    to = [packet[16 + 14 + 24 + 5] for packet in packets]
                    self.assertEqual(len(to), flows)
                    if leave == "apart":
                        self.assertEqual(set(to), {port ^ 1})
                    elif leave == "next":
                        self.assertEqual({t // 2 for t in to}, {(port // 2 + 1) % 3})
                    else:
                        self.assertEqual(set(to), set(range(ports)) - {port})
                        self.assertLessEqual(max(map(to.count, set(to))) - min(map(to.count, set(to))), 1)


if __name__ == "__main__":
    unittest.main()
