# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""fastcn-lab sweep: a scenario run with all combinations of values of some parameters, and means over seeds."""

import argparse
import itertools
import os
import signal
import sys

import charts
import gnuplot
import jobs
import journal
import result
import sweep_page
import table
import units
from grid import Grid, Usage, words
from model import Table
from spread import Spread

NAME = "fastcn-lab sweep"


class Outcome:
    """What is kept of a run: its numbers, or the reason why there are none."""

    def __init__(self, point, metrics=(), found=None, failure=None):
        self.point, self.failure, self.ran = point, failure, found is not None
        self.title = result.member(found, "title")
        self.broken = len(result.items(result.member(found, "violations")))
        self.expected, self.holds = result.expectations(found)
        self.summary, self.numbers, self.missing = result.summary(found), {}, None
        self.queue = self.summary.pop("queue", None)
        for name in metrics if self.ran else ():
            try:
                self.numbers[name] = self.summary[name] if name in self.summary else units.exact(result.metric(found, name))
            except result.Wrong as e:
                self.missing = str(e)
        if not metrics:
            self.numbers = self.summary

    def row(self):
        """The row of a run: its parameters and numbers, or the reason why it has none, and what is not as it should be."""
        if not self.ran:
            return {**self.point, "failed": self.failure or "not run"}
        more = {"queue": self.queue} if self.queue is not None and self.numbers is self.summary else {}
        row = {**more, **self.numbers, **({"failed": self.missing} if self.missing else {})}
        row = {**self.point, **{key: value for key, value in row.items() if key not in self.point}}
        if not self.holds:
            row["expectations"] = self.expected
        if self.broken:
            row["violations"] = self.broken
        return row


def spread_of(group, name):
    return Spread.of([outcome.numbers.get(name) for outcome in group])


def mean_text(name, spread, runs):
    """Such as 12.3us +- 0.4us (3 of 5)."""
    text = units.short(name, spread.mean)
    if spread.ci95:
        text += " +- " + units.short(name, spread.ci95, 2)
    return text + (" (%d of %d)" % (spread.n, runs) if spread.n < runs else "")


def mean_rows(group):
    """The row of runs that differ in their seed only: means, confidence intervals, least and greatest; and the same as text."""
    names = list(dict.fromkeys(name for outcome in group for name in outcome.numbers))
    row = {**{name: value for name, value in group[0].point.items() if name != "seed"}, "runs": len(group)}
    if any(outcome.numbers is outcome.summary for outcome in group):
        queues = dict.fromkeys(outcome.queue for outcome in group if outcome.queue is not None)
        row.update({"queue": ",".join(queues)} if queues else {})
    text = dict(row)
    for name in names:
        spread = spread_of(group, name)
        row[name], text[name] = units.exact(spread.mean), mean_text(name, spread, len(group))
        if spread.ci95 is not None:
            row[name + "_ci95"] = units.exact(spread.ci95)
        row[name + "_min"], row[name + "_max"] = units.exact(spread.least), units.exact(spread.greatest)
        if spread.n < len(group):
            row[name + "_runs"] = spread.n
    failed = [outcome.failure or "not run" for outcome in group if not outcome.ran]
    met = sum(outcome.ran and outcome.holds for outcome in group)
    troubles = {}
    if failed:
        troubles["failed"] = "%d of %d: %s" % (len(failed), len(group), failed[0])
    if met + len(failed) < len(group):
        troubles["expectations"] = "met by %d of %d" % (met, len(group) - len(failed))
    if any(outcome.broken for outcome in group):
        troubles["violations"] = sum(outcome.broken for outcome in group)
    return {**row, **troubles}, {**text, **troubles}


def failure_of(scenario, err, status):
    """The first error of a scenario, from which others can follow; of other failures the last line, or how it ended."""
    lines = err.split("\n")
    if lines[0].startswith(scenario + ":"):
        return lines[0]
    last = next((line for line in reversed(lines) if line), None)
    if last is None and status < 0:
        return "ended by signal %d (%s)" % (-status, signal.strsignal(-status))
    return last or "ended with status %d and no result" % status


def file_of(point):
    """The name of the file with the result of a run."""
    return words(point, ",").replace("/", "_")[:240] + ".json"


class Sweep:
    """The runs of a sweep, in the order of its grid."""

    def __init__(self, options):
        self.options, self.grid = options, options.grid
        self.seeds, self.means = self.grid.seeds_last(), "seed" in self.grid.values
        self.outcomes = [Outcome(point) for point in self.grid.points()]
        self.unwritten = None  # why a result is not in the directory
        self.journal = None  # of the directory
        self.axes = [values for name, values in self.grid.values.items() if name != "seed"]
        self.report = None if options.report is None else table.open_to_write(options.report)

    def given(self):
        """The arguments that all runs have."""
        return [word for setting in self.options.set for word in ("--set", setting)] + [
            word for line in self.options.line for word in ("--line", line)]

    def command(self, point):
        return [self.options.lab, self.options.scenario, "--quiet", "--json", "-"] + self.given() + [
            word for pair in point.items() for word in ("--set", "%s=%s" % pair)]

    def go_on(self):
        """Take the results that an earlier sweep has left in the directory; the indices of the runs that are left."""
        if self.options.out is not None:
            self.journal = journal.Journal(self.options.out, self.options.lab, self.options.scenario, self.given())
        left = []
        for index, outcome in enumerate(self.outcomes):
            text = None
            if self.journal is not None and not self.options.again:
                text = self.journal.result(words(outcome.point), file_of(outcome.point))
            if text is not None:
                self.outcomes[index] = Outcome(outcome.point, self.options.metric, result.parse(text))
            else:
                left.append(index)
        if len(left) < len(self.outcomes):
            print("%s: %d of %d runs are those of before" % (NAME, len(self.outcomes) - len(left), len(self.outcomes)), file=sys.stderr)
        return left

    def ended(self, index, out, err, status):
        """Keep what came of a run. One whose expectations fail has a result, too; one that was ended early has none."""
        point = self.outcomes[index].point
        try:
            found = result.parse(out) if status >= 0 else None
        except ValueError:
            found = None
        if result.member(found, "interrupted") is True:
            return True
        if not isinstance(found, dict):
            self.outcomes[index] = Outcome(point, failure=failure_of(self.options.scenario, err, status))
            return False
        self.outcomes[index] = Outcome(point, self.options.metric, found)
        if self.journal is not None:
            try:
                self.journal.save(words(point), file_of(point), out, result.items(found.get("files")))
            except OSError as e:
                self.unwritten = "%s: %s" % (os.path.join(self.options.out, file_of(point)), e.strerror)
        return True

    def groups(self):
        return [self.outcomes[i:i + self.seeds] for i in range(0, len(self.outcomes), self.seeds)]

    def over_first(self, metrics):
        """Metrics over the first parameter; the others make the lines: columns, lines, (name, spreads) of each metric that runs have."""
        columns = self.axes[0] if self.axes else ["all seeds"]
        groups = self.groups()
        per_column = [groups[i:i + len(groups) // len(columns)] for i in range(0, len(groups), len(groups) // len(columns))]
        spreads = [(name, [[spread_of(group, name) for group in column] for column in per_column]) for name in metrics]
        spreads = [(name, found) for name, found in spreads if any(itertools.chain.from_iterable(found))]
        lines = [words({n: v for n, v in list(group[0].point.items())[1:] if n != "seed"}) for group in per_column[0]]
        return columns, lines, spreads

    def heading(self):
        return next((o.title for o in self.outcomes if isinstance(o.title, str) and o.title), self.options.scenario)

    def about(self):
        return "means of %d seeds with 95 %% confidence intervals; virtual time" % self.seeds if self.means else "virtual time"

    def x_label(self):
        return next(iter(self.grid.values)) if self.axes else ""

    def picture(self):
        return charts.over_parameter(self.options.out, self.heading(), self.about(), self.x_label(), *self.over_first(self.options.metric or charts.USUAL))

    def write_report(self, rows):
        """The page of the sweep."""
        about = [self.about(), "%d runs of %s" % (len(self.outcomes), os.path.basename(self.options.scenario))] + self.options.set
        names = table.columns(rows)
        text = sweep_page.page_of(self.heading(), about, self.x_label(), *self.over_first(self.options.metric or list(result.SUMMARY)),
                                  Table("All runs" if not self.means else "Means of all seeds", names, [[row.get(name) for name in names] for row in rows]))
        self.report.write(text)
        self.report.close()

    def verdict(self):
        """Say what went wrong. A sweep may go beyond the range where expectations hold; only --strict makes that a failure."""
        found = ((sum(o.failure is not None for o in self.outcomes), "failed"), (sum(o.broken > 0 for o in self.outcomes), "broke an invariant"),
                 (sum(self.options.strict and not o.holds for o in self.outcomes), "are not as expected"))
        for count, what in found:
            if count:
                print("%s: %d of %d runs %s" % (NAME, count, len(self.outcomes), what), file=sys.stderr)
        return not any(count for count, _ in found)

    def show(self):
        rows = [outcome.row() for outcome in self.outcomes]
        means, shown = zip(*map(mean_rows, self.groups())) if self.means else (rows, rows)
        table.show(means, shown, self.options.json)
        if self.report is not None:
            self.write_report(means)
        if self.options.out is None:
            return
        for name, some, write in (("json", means, table.write_json), ("csv", means, table.write_csv), ("txt", shown, table.write_text)):
            table.save("%s/sweep.%s" % (self.options.out, name), some, write)
        if self.means:
            table.save(self.options.out + "/runs.csv", rows, table.write_csv)
        picture = self.picture()
        gnuplot.draw([picture] if picture else [])


def jobs_of(text):
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 1024):
        raise argparse.ArgumentTypeError("the value must be a number from 1 to 1024")
    return int(text)


def arguments(parser):
    parser.description = "Run a scenario with all combinations of the given values of its parameters."
    parser.add_argument("scenario", metavar="SCENARIO")
    parser.add_argument("--vary", action="append", required=True, metavar="NAME=V1,V2", help="a parameter and its values. The first "
                        "parameter is the x axis of the picture, the others give its lines. A value 1..5 stands for 1,2,3,4,5. With "
                        "--vary seed=1..5, table and picture have the means of all seeds, with 95 %% confidence intervals (Student's t)")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="set a parameter to the same value in all runs")
    parser.add_argument("--line", action="append", default=[], metavar="LINE", help="add a line to the end of the scenario")
    parser.add_argument("--metric", action="append", default=[], metavar="PATH", help="a number in the results, such as "
                        "queue.s1.p1.3.mean or peak (default: the numbers of the summary)")
    parser.add_argument("-j", "--jobs", type=jobs_of, default=len(os.sched_getaffinity(0)), metavar="N",
                        help="number of runs at the same time (default: one per CPU)")
    parser.add_argument("--again", action="store_true", help="run all. Otherwise a sweep goes on with the results that an earlier one, "
                        "which may have been interrupted, has left in the directory, as far as program, arguments and files are the same")
    parser.add_argument("--strict", action="store_true", help="fail if a run does not meet the expectations of the scenario")
    parser.add_argument("--json", metavar="FILE", help="write the table as JSON ('-': to standard output, instead of the text)")
    parser.add_argument("--report", metavar="FILE", help="write a page for a browser with charts of the numbers and the table")
    parser.add_argument("--out", metavar="DIR", help="directory for sweep.json, sweep.csv, sweep.txt, all results and the picture; "
                        "runs.csv has each run of a sweep over seeds")


def main(options):
    options.grid = Grid(options.vary)
    for setting in options.set:
        if setting.partition("=")[0] in options.grid.values:
            raise Usage("--set %s: --vary has it, too" % setting)
    one = Sweep(options)
    # The directory is made first, so that an error is reported now and not after hours of runs.
    if options.out is not None:
        table.make_folder(options.out)
    left = one.go_on()
    _, interrupted = jobs.run_all([one.command(one.outcomes[index].point) for index in left], options.jobs,
                                  lambda index, *how: one.ended(left[index], *how))
    if interrupted is not None:
        done = sum(o.ran or o.failure is not None for o in one.outcomes)
        print("%s: interrupted after %d of %d runs" % (NAME, done, len(one.outcomes)), file=sys.stderr)
    one.show()
    good = one.verdict()
    if one.unwritten is not None:
        raise result.Wrong(one.unwritten)
    if interrupted:
        return 128 + interrupted
    return 0 if good and interrupted is None else 1
