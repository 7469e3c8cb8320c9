# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""fastcn-lab compare: the results of several runs in one table, and on pictures."""

import charts
import gnuplot
import over_time
import result
import table
import units


def row_of(run, metrics):
    found = result.summary(run.result)
    row = {"run": run.label, **found}
    for name in metrics:
        try:
            row[name] = units.exact(found[name] if result.is_number(found.get(name)) else result.metric(run.result, name))
        except result.Wrong as e:
            raise result.Wrong("%s: %s" % (run.label, e)) from e
    text, _ = result.expectations(run.result)
    return row if text is None else {**row, "expectations": text}


def arguments(parser):
    parser.description = ("Compare the results of several runs in one table and one picture. A run is named by the parameters in which "
                          "the runs differ, or by its directory.")
    parser.add_argument("run", nargs="+", metavar="DIR|RESULT.json")
    parser.add_argument("--metric", action="append", default=[], metavar="PATH",
                        help="add a column: a number in the results, such as queue.s1.p1.3.mean")
    parser.add_argument("--json", metavar="FILE", help="write the table as JSON ('-': to standard output, instead of the text)")
    parser.add_argument("--out", metavar="DIR", help="directory for compare.json, compare.txt and the pictures")


def main(options):
    runs = result.load(options.run)
    rows = [row_of(run, options.metric) for run in runs]
    table.show(rows, rows, options.json)
    if options.out is None:
        return 0
    table.make_folder(options.out)
    table.save(options.out + "/compare.json", rows, table.write_json)
    table.save(options.out + "/compare.txt", rows, table.write_text)
    found = over_time.pictures(runs, options.out) + [charts.slowdown(runs, options.out), charts.bars(runs, options.out)]
    gnuplot.draw([picture for picture in found if picture])
    return 0
