#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Search the parameters of a scenario for the best ones: `scripts/lab tune`.

Usage: tune.py --lab PATH SCENARIO --vary NAME=V1,V2,... --minimise METRIC [--subject-to 'METRIC >= VALUE'] --out FILE
       [--each NAME=V1,V2] [--set NAME=VALUE] [--line LINE] [--start NAME=VALUE] [--seeds 1-3] [--points 60] [--metric METRIC]
       [--grid] [-j N] [@FILE]

A point is a value for each --vary. It is run with all seeds and with all combinations of --each. Its score is the mean of the
metric over the seeds; of several metrics, or several combinations of --each, it is their geometric mean, in which less than
1 counts as 1. A constraint has to hold in each run. A point that breaks none is better than one that does; of two that do, the
one that breaks them less.

The search is a coordinate descent: from the start (by default the first value of each --vary) it tries all values of one
parameter after the other, and takes the best, until a whole round brings nothing; then it starts again at random points. It
ends after --points points, so that searches of the same size are the same effort. With --grid it tries all combinations.

Of the best it says which values are at the edge of those that were searched, since the best may be beyond.

--out keeps every run; runs that are in the file are not run again, and a search that was stopped continues. @FILE has
arguments, as in a shell, with comments.
"""

import argparse
import concurrent.futures
import hashlib
import itertools
import json
import math
import operator
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "app", "fastcn-lab", "results"))

import result  # noqa: E402

SUFFIXES = {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "%": 0.01, "ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
COMPARE = {">=": operator.ge, "<=": operator.le, "=": operator.eq}
WORST = (math.inf, math.inf)


class Stopped(Exception):
    """The search is to end early."""


def metric(found, path):
    """A number of a result by its path; None if there is none, or no number."""
    try:
        return result.metric(found, path)
    except result.Wrong:
        return None


class Constraint:
    """What has to hold in each run: a metric, a comparison, a limit."""

    def __init__(self, text):
        found = re.fullmatch(r"\s*([^\s<>=]+)\s*(>=|<=|=)\s*([0-9.]+)(\D*?)\s*", text)
        if not found or found.group(4) not in SUFFIXES:
            raise argparse.ArgumentTypeError("%r is not of the form METRIC >= VALUE" % text)
        self.text, self.path, self.sign = text, found.group(1), found.group(2)
        self.limit = float(found.group(3)) * SUFFIXES[found.group(4)]

    def broken_by(self, value):
        """0 if it holds; else how far the value is from the limit, as a part of the limit where that is not 0."""
        if value is None:
            return math.inf
        if COMPARE[self.sign](value, self.limit):
            return 0
        return abs(value - self.limit) / (abs(self.limit) or 1)


def mean(values):
    return math.inf if None in values else sum(values) / len(values)


def geometric_mean(values):
    """What is less than 1, such as a queue that is empty most of the time, counts as 1: else nothing else would count beside it."""
    return math.exp(sum(math.log(max(value, 1)) for value in values) / len(values))


def score(runs_of_each, minimise, constraints):
    """(how much the constraints are broken, score) of a point, from the metrics of its runs by combination of --each."""
    if any(run is None for runs in runs_of_each for run in runs):
        return WORST
    broken = sum(c.broken_by(run.get(c.path)) for runs in runs_of_each for run in runs for c in constraints)
    return broken, geometric_mean([mean([run.get(path) for run in runs]) for path in minimise for runs in runs_of_each])


def descend(axes, start, evaluate, points, dice):
    """Coordinate descent with restarts. `evaluate` gives scores of a list of points; returns the best point of all.

    A point is a tuple of one value of each axis, in the order of `axes`.
    """
    known = {}

    def try_all(candidates):
        new = [p for p in dict.fromkeys(candidates) if p not in known][:points - len(known)]
        known.update(zip(new, evaluate(new)))
        return min((p for p in candidates if p in known), key=known.get, default=None)

    at, size = start, math.prod(len(values) for values in axes.values())
    while len(known) < min(points, size):
        try_all([at])
        improved = True
        while improved and len(known) < points:
            improved = False
            for i, values in enumerate(axes.values()):
                best = try_all([at] + [at[:i] + (value,) + at[i + 1:] for value in values])
                if known[best] < known[at]:
                    at, improved = best, True
        at = tuple(dice.choice(values) for values in axes.values())
    return min(known, key=known.get)


def grid(axes, evaluate):
    candidates = list(itertools.product(*axes.values()))
    return min(zip(evaluate(candidates), candidates))[1]


class Store:
    """All runs of a search, in a file."""

    def __init__(self, path, about):
        self.path, self.about, self.runs, self.best = path, about, {}, None
        if not os.path.exists(path):
            return
        with open(path, encoding="utf-8") as f:
            kept = json.load(f)
        if kept["about"] != about:
            raise SystemExit("%s is of another scenario or other lines: choose another file, or remove it" % path)
        for run in kept["runs"]:
            self.runs[self.key(run["set"])] = (run["set"], run["metrics"])

    @staticmethod
    def key(settings):
        return json.dumps(settings, sort_keys=True)

    def get(self, settings, paths):
        """Metrics of a run, if they are known: None otherwise."""
        found = self.runs.get(self.key(settings), (None, None))[1]
        return found if found is not None and all(path in found for path in paths) else None

    def put(self, settings, metrics):
        self.runs[self.key(settings)] = (settings, metrics)

    def save(self):
        folder = os.path.dirname(os.path.abspath(self.path))
        os.makedirs(folder, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=folder, delete=False, encoding="utf-8") as f:
            json.dump({"about": self.about, "best": self.best, "runs": [{"set": s, "metrics": m} for s, m in self.runs.values()]}, f,
                      indent=1)
        os.replace(f.name, self.path)


class Search:
    """A scenario, its parameters, and the runs of points."""

    def __init__(self, options):
        self.options = options
        self.axes, self.each = dict(options.vary), dict(options.each)
        self.paths = list(dict.fromkeys(options.minimise + [c.path for c in options.subject_to] + options.metric))
        try:
            with open(options.scenario, "rb") as f:
                digest = hashlib.sha256(f.read()).hexdigest()
        except OSError as e:
            raise SystemExit("tune: %s" % e)
        self.store = Store(options.out, {"scenario": os.path.basename(options.scenario), "sha256": digest, "lines": options.line})
        self.pool = concurrent.futures.ThreadPoolExecutor(max_workers=options.j)
        self.scores, self.stop = {}, False
        self.processes, self.lock = set(), threading.Lock()

    def settings(self, point):
        """Settings of all runs of a point: a list for each combination of --each, of one for each seed."""
        base = dict(self.options.set, **dict(zip(self.axes, point)))
        return [[dict(base, **dict(zip(self.each, values)), seed=str(seed)) for seed in self.options.seeds]
                for values in itertools.product(*self.each.values())]

    def command(self, settings):
        return ([self.options.lab, self.options.scenario] + [w for line in self.options.line for w in ("--line", line)] +
                [w for name, value in settings.items() for w in ("--set", "%s=%s" % (name, value))])

    def run(self, settings):
        """Metrics of a run; None if it failed."""
        known = self.store.get(settings, self.paths)
        if known is not None:
            return known
        with self.lock:
            if self.stop:
                raise Stopped
            process = subprocess.Popen(self.command(settings) + ["--json", "-", "--quiet"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.processes.add(process)
        out, err = process.communicate()
        with self.lock:
            self.processes.remove(process)
        try:
            result = json.loads(out)
        except ValueError:
            if not self.stop:
                print("failed: %s\n%s" % (shlex.join(self.command(settings)), err.decode(errors="replace").strip()), file=sys.stderr)
            return None
        if result.get("interrupted") or self.stop:
            raise Stopped
        if result["violations"]:
            print("broken invariants: %s" % shlex.join(self.command(settings)), file=sys.stderr)
            return None
        metrics = {path: metric(result, path) for path in self.paths}
        self.store.put(settings, metrics)
        return metrics

    def end(self):
        """End all runs, also those that began after the signal that the terminal sent to all."""
        with self.lock:
            self.stop = True
            for process in self.processes:
                process.terminate()

    def evaluate(self, points):
        waiting = [[[self.pool.submit(self.run, s) for s in seeds] for seeds in self.settings(point)] for point in points]
        try:
            for point, each in zip(points, waiting):
                runs = [[run.result() for run in seeds] for seeds in each]
                before = min(self.scores.values(), default=None)
                self.scores[point] = score(runs, self.options.minimise, self.options.subject_to)
                if before is None or self.scores[point] < before:
                    self.store.best = dict(zip(self.axes, point))
                    print("%4d  %s  %s" % (len(self.scores), told(self.scores[point]), words(self.axes, point)), flush=True)
                self.store.save()
        except (KeyboardInterrupt, Stopped):
            self.end()
            raise
        return [self.scores[point] for point in points]

    def missing(self):
        """Metrics that no run had."""
        return [path for path in self.paths if all(metrics.get(path) is None for _, metrics in self.store.runs.values())]

    def report(self, start):
        """The best point: its numbers beside those of the start, and what each parameter is worth. Returns whether there is one."""
        if not self.scores:
            print("no point was run")
            return False
        best = min(self.scores, key=self.scores.get)
        if math.inf in self.scores[best]:
            missing = self.missing() if self.store.runs else []
            print("no point has a score: " + ("no run has " + ", ".join(missing) if missing else "a run of each of them failed"))
            return False
        if self.scores[best][0]:
            print("\nno point meets all constraints")
        print("\nbest of %d points: %s" % (len(self.scores), told(self.scores[best])))
        one_round = 1 + sum(len(values) - 1 for values in self.axes.values())
        if not self.options.grid and self.options.points < one_round:
            print("  %d points are one round over all parameters; %d are fewer" % (one_round, self.options.points))
        for name, value, first in zip(self.axes, best, start):
            print("    %-20s %s%s" % (name, value, "" if value == first else "    (start: %s)" % first))
        for name, value in zip(self.axes, best):
            if at_edge(self.axes[name], value):
                print("  %s=%s is at the edge of the values that were searched: the best may be beyond" % (name, value))
        for values, seeds in zip(itertools.product(*self.each.values()), self.settings(best)):
            runs = [self.store.get(s, self.paths) for s in seeds]
            print("  %s" % (words(self.each, values) or "mean of the seeds"))
            for path in self.paths:
                print("    %-40s %s" % (path, "-" if path in self.missing() else "%.6g" % mean([run[path] for run in runs])))
        print("  one parameter moved from the best, as it was met:")
        for i, name in enumerate(self.axes):
            near = [(self.scores[p], p[i]) for p in self.scores if p[:i] + p[i + 1:] == best[:i] + best[i + 1:]]
            if len(near) > 1:
                print("    %-20s %s" % (name, ";  ".join("%s: %s" % (value, told(s)) for s, value in sorted(near))))
        print("  figures with other seeds:\n    %s" % shlex.join(
            [self.options.lab, "sweep"] + self.command(dict(self.options.set, **dict(zip(self.axes, best))))[1:] +
            [w for name, values in self.each.items() for w in ("--vary", "%s=%s" % (name, ",".join(values)))] +
            ["--vary", "seed=11..15"] + [w for path in self.paths for w in ("--metric", path)]))
        return True


def quantity(text):
    """The number that a value is; None if it is none."""
    found = re.fullmatch(r"([0-9.]+)(\D*)", text)
    return float(found.group(1)) * SUFFIXES[found.group(2)] if found and found.group(2) in SUFFIXES else None


def at_edge(values, value):
    """Whether a value is the lowest or the highest of several numbers, and there can be others beyond: 0 and 100 % are the last."""
    numbers = [quantity(v) for v in values]
    if None in numbers or len(numbers) < 2 or quantity(value) == 0 or value == "100%":
        return False
    return quantity(value) in (min(numbers), max(numbers))


def told(found):
    broken, value = found
    return "%.6g" % value if broken == 0 else "failed" if found == WORST else "%.6g, constraints broken by %.3g" % (value, broken)


def words(axes, point):
    return " ".join("%s=%s" % pair for pair in zip(axes, point))


def pair(text):
    name, sign, value = text.partition("=")
    if not (name and sign and value):
        raise argparse.ArgumentTypeError("%r is not of the form NAME=VALUE" % text)
    return name, value


def values_of(text):
    name, values = pair(text)
    return name, values.split(",")


def seeds_of(text):
    found = re.fullmatch(r"(\d+)-(\d+)", text)
    if not found:
        raise argparse.ArgumentTypeError("%r is not of the form FIRST-LAST" % text)
    return range(int(found.group(1)), int(found.group(2)) + 1)


def parse(arguments):
    parser = argparse.ArgumentParser(prog="scripts/lab tune", fromfile_prefix_chars="@")
    parser.convert_arg_line_to_args = lambda line: shlex.split(line, comments=True)
    parser.add_argument("--lab", required=True, help=argparse.SUPPRESS)
    parser.add_argument("scenario")
    parser.add_argument("--vary", action="append", type=values_of, required=True, metavar="NAME=V1,V2", help="a parameter to search")
    parser.add_argument("--minimise", action="append", required=True, metavar="METRIC")
    parser.add_argument("--subject-to", action="append", type=Constraint, default=[], metavar="'METRIC >= VALUE'", help="or <=, =")
    parser.add_argument("--each", action="append", type=values_of, default=[], metavar="NAME=V1,V2", help="every point runs with all")
    parser.add_argument("--set", action="append", type=pair, default=[], metavar="NAME=VALUE")
    parser.add_argument("--line", action="append", default=[])
    parser.add_argument("--metric", action="append", default=[], help="another number to show")
    parser.add_argument("--start", action="append", type=pair, default=[], metavar="NAME=VALUE")
    parser.add_argument("--seeds", type=seeds_of, default=range(1, 4), metavar="FIRST-LAST", help="default 1-3")
    parser.add_argument("--points", type=int, default=60, help="points to try at most (default 60)")
    parser.add_argument("--grid", action="store_true", help="all combinations")
    parser.add_argument("--out", required=True, metavar="FILE", help="keeps all runs, as JSON")
    parser.add_argument("-j", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args(arguments)
    axes = dict(options.vary)
    options.first = tuple(dict(options.start).get(name, values[0]) for name, values in options.vary)
    for name, value in options.start:
        if value not in axes.get(name, []):
            parser.error("--start %s=%s: no such value of a --vary" % (name, value))
    # The last --set of a name counts, so that one can follow those of a file.
    named = [name for name, _ in options.vary + options.each] + list(dict(options.set))
    for name in dict.fromkeys(named):
        if name == "seed" or named.count(name) > 1:
            parser.error("%s is given twice%s" % (name, ": --seeds gives it" if name == "seed" else ""))
    if len(options.seeds) == 0 or options.points < 1 or options.j < 1:
        parser.error("seeds, --points and -j: at least one")
    return options


def main():
    options = parse(sys.argv[1:])
    search = Search(options)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    status = 0
    try:
        if options.grid:
            grid(search.axes, search.evaluate)
        else:
            descend(search.axes, options.first, search.evaluate, options.points, random.Random(1))
    except (KeyboardInterrupt, Stopped):
        search.end()
        print("stopped")
        status = 130
    search.pool.shutdown(wait=True, cancel_futures=True)
    search.store.save()
    if not search.report(options.first) and status == 0:
        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
