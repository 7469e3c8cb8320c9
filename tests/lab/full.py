#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Run the shipped scenarios in full, as full.json lists them, and print tables of what came of it.

Usage: full.py --lab PATH [--out DIR] [-j N] [NAME]...
Each entry is a scenario with all combinations of values of some of its parameters. Expectations that fail are shown with the
command that runs that one alone. With --out, results of entries that have a "table" are kept, with pictures. An entry with
"seeds": N is run with N seeds from "first seed" on, which is 1 by default; its table has means and their 95 % confidence
intervals (Student's t), and of the runs only that of the first seed is kept. "lines" are added to the scenario.
"""

import argparse
import concurrent.futures
import itertools
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "app", "fastcn-lab", "results"))

from result import Wrong, metric  # noqa: E402
from spread import Spread  # noqa: E402

UNITS = ((10**9, "G"), (10**6, "M"), (10**3, "K"))


class Run:
    """A scenario with settings; what came of it."""

    def __init__(self, entry, scenario, settings, lines=()):
        self.entry, self.settings, self.lines = entry, settings, lines
        self.scenario = os.path.join("config", "lab", scenario)
        self.result, self.said, self.seconds = None, "", 0

    def arguments(self):
        return [self.scenario] + [word for name, value in self.settings.items() for word in ("--set", "%s=%s" % (name, value))] + \
            [word for line in self.lines for word in ("--line", line)]

    def run(self, lab, out):
        begin = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            where = folder if out is None else os.path.join(out, "-".join([self.entry] + list(self.settings.values())))
            command = [lab] + self.arguments() + ["--out", where, "--quiet"] + (["--no-plots"] if out is None else [])
            done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            self.said = done.stdout.decode(errors="replace").strip()
            try:
                with open(os.path.join(where, "result.json"), encoding="utf-8") as f:
                    self.result = json.load(f)
            except (OSError, ValueError):
                pass
        self.seconds = time.monotonic() - begin

    def kept(self, entry):
        return "table" in entry and ("seeds" not in entry or self.settings["seed"] == str(entry.get("first seed", 1)))

    def failures(self):
        if self.result is None:
            return [self.said or "no result"]
        return ["%s: %s against %s" % (e["text"], e.get("left"), e.get("right", e.get("error")))
                for e in self.result["expectations"] if not e["ok"]] + self.result["violations"]


def runs_of(name, entry):
    vary = dict(entry.get("vary", {}))
    if "seeds" in entry:
        first = entry.get("first seed", 1)
        vary["seed"] = [str(seed) for seed in range(first, first + entry["seeds"])]
    for values in itertools.product(*vary.values()):
        yield Run(name, entry["scenario"], dict(entry.get("set", {}), **dict(zip(vary, values))), entry.get("lines", ()))


def number(result, path):
    """A number of a result; None if it has none."""
    try:
        return metric(result, path)
    except Wrong:
        return None


def shown(path, value):
    if path.endswith("_ns"):
        return "0" if value == 0 else "%.4g us" % (value / 1e3) if value < 10**6 else "%.4g ms" % (value / 1e6)
    for unit, letter in UNITS:
        if abs(value) >= unit:
            return "%.4g %s" % (value / unit, letter)
    return "%.3f" % value if isinstance(value, float) else str(value)


def cell(results, path):
    """A number, or the mean of several and half of its confidence interval."""
    values = [number(result, path) for result in results]
    if None in values:
        return "-"
    if len(values) == 1:
        return shown(path, values[0])
    spread = Spread(values)
    return shown(path, spread.mean) + (" +- " + shown(path, spread.ci95) if spread.ci95 else "")


def table(entry, runs):
    """Rows of an entry, each of the runs that differ in their seed only."""
    yield tuple(entry["vary"]) + tuple(entry["table"])
    for values, group in itertools.groupby(runs, lambda run: tuple(run.settings[v] for v in entry["vary"])):
        results = [run.result for run in group]
        yield values + tuple(cell(results, path) for path in entry["table"].values())


def columns(rows):
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        print("  ".join([row[0].ljust(widths[0])] + [text.rjust(width) for text, width in zip(row[1:], widths[1:])]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lab", required=True)
    parser.add_argument("--out")
    parser.add_argument("-j", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("name", nargs="*")
    options = parser.parse_args()
    with open(os.path.join(HERE, "full.json"), encoding="utf-8") as f:
        entries = json.load(f)
    unknown = set(options.name) - set(entries)
    if unknown:
        parser.error("there is no %s; there are %s" % (", ".join(sorted(unknown)), ", ".join(entries)))
    chosen = {name: entry for name, entry in entries.items() if not options.name or name in options.name}
    lab, out = os.path.abspath(options.lab), options.out and os.path.abspath(options.out)
    if out is not None:
        os.makedirs(out, exist_ok=True)
    runs = [run for name, entry in chosen.items() for run in runs_of(name, entry)]
    with concurrent.futures.ThreadPoolExecutor(max_workers=options.j) as pool:
        list(pool.map(lambda run: run.run(lab, out if run.kept(chosen[run.entry]) else None), runs))
    rows, bad = [("scenario", "runs", "expectations", "failed", "frames", "seconds")], 0
    for name in chosen:
        mine = [run for run in runs if run.entry == name]
        failed = sum(len(run.failures()) for run in mine)
        results = [run.result for run in mine if run.result]
        rows.append((name, str(len(mine)), str(sum(len(r["expectations"]) for r in results)), str(failed),
                     str(sum(r["frames"] for r in results)), "%.1f" % sum(run.seconds for run in mine)))
        bad += failed
    columns(rows)
    for run in runs:
        for failure in run.failures():
            print("\nFAILED  fastcn-lab %s\n        %s" % (shlex.join(run.arguments()), failure))
    for name, entry in chosen.items():
        if "table" not in entry:
            continue
        print("\n%s, virtual time" % entry["title"])
        columns(list(table(entry, [run for run in runs if run.entry == name and run.result])))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
