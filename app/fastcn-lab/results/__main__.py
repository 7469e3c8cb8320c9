# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What fastcn-lab shows of results: it starts this for the pictures of a run, for compare and for sweep, and so does fastcn for reports.

usage: lab-results LAB draw DIR | report KIND RESULT SERIES OUT | compare ... | sweep ...
"""

import argparse
import os
import sys

import charts
import compare
import gnuplot
import over_time
import report
import result
import sweep
from grid import Usage


def draw(folder):
    """The pictures of one run: over time, its first congestion, slowdown by size of message."""
    runs = result.load([folder])
    found = over_time.pictures(runs, folder) + [charts.slowdown(runs, folder)]
    gnuplot.draw([picture for picture in found if picture])
    return 0


def main(lab, word, *words):
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    name = "fastcn-lab" if word == "draw" else "fastcn-lab " + word
    if word == "report":
        name = {"replay": "fastcn replay", "lab": "fastcn-lab"}[words[0]] + ": no report"
    try:
        if word == "draw":
            return draw(*words)
        if word == "report":
            return report.main(*words)
        module = {"compare": compare, "sweep": sweep}[word]
        parser = argparse.ArgumentParser(prog=name)
        module.arguments(parser)
        options = parser.parse_intermixed_args(words)
        options.lab = lab
        status = module.main(options)
        sys.stdout.flush()
        return status
    except Usage as e:
        print("%s: %s" % (name, e), file=sys.stderr)
        return 2
    except result.Wrong as e:
        print("%s: %s" % (name, e), file=sys.stderr)
        return 1
    except OSError as e:
        if not isinstance(e, BrokenPipeError):
            print("%s: %s" % (name, e.strerror), file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left is not written at the end, either
        return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
