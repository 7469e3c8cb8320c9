#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Check rates of an output over a time, by counting what left; no model.

Counted are frames whose last bit left after --from and by --to (ns of virtual time), max(length, 60) + overhead octets each. A
class (DSCP / 8), or all, must have had rate * time + burst octets, more or less by at most the slack, one frame. --busy: the line
must have carried its rate, 24 octets a frame counted, less at most one frame.
"""

import argparse
import os
import sys
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fcnoracle import capture, walker  # noqa: E402
from fcnoracle.config import size  # noqa: E402


def check(records, args):
    wrong, base = [], args.base if args.base is not None else 1700000000 * 10**9
    found = [r for r in records if args.start < r.time - base <= args.end]
    span = Fraction(args.end - args.start, 10**9)
    octets = lambda rs, overhead: sum(max(len(r.data), 60) + overhead for r in rs)
    asked = [(int(c), rate, burst, slack) for c, rate, burst, slack in args.classes]
    if args.all:
        asked.append((None, *args.all))
    for c, rate, burst, slack in asked:
        have = octets([r for r in found if c is None or walker.walk(r.data).outer.dscp // 8 == c], args.overhead)
        due = span * size(rate) / 8 + size(burst)
        print("%s: %d octets, %.1f due" % ("all" if c is None else "class %d" % c, have, due))
        if abs(have - due) > int(slack):
            wrong.append("%s had %d octets, %.1f were due" % ("all" if c is None else "class %d" % c, have, due))
    if args.busy:
        have, due = octets(found, 24), span * size(args.busy) / 8
        print("the line carried %d octets of %.1f" % (have, due))
        if not due - 1538 <= have <= due + 1538:
            wrong.append("the line carried %d octets, it could %.1f" % (have, due))
    return wrong


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, metavar="OUT.pcap")
    parser.add_argument("--from", dest="start", type=int, required=True, metavar="NS")
    parser.add_argument("--to", dest="end", type=int, required=True, metavar="NS")
    parser.add_argument("--base", type=int, metavar="NS", help="stamp of virtual time 0 (default 1700000000 s)")
    parser.add_argument("--overhead", type=int, default=24)
    parser.add_argument("--class", dest="classes", nargs=4, action="append", default=[],
                        metavar=("CLASS", "BPS", "BURST", "SLACK"))
    parser.add_argument("--all", nargs=3, metavar=("BPS", "BURST", "SLACK"))
    parser.add_argument("--busy", metavar="BPS")
    args = parser.parse_args(argv)
    wrong = check(capture.load(args.out).records, args)
    for w in wrong:
        print(w)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
