#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Check that an output holds exactly the frames of a capture that was written by hand, in its order.

With --link each frame must leave an idle line of that speed just when its stamp in the golden capture plus its line time
says: max(length, 60) + 24 octets, to the next whole nanosecond.
"""

import argparse
import math
import os
import sys
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fcnoracle import capture, walker  # noqa: E402


def check(out, golden, link):
    have, want = (capture.load(path).records for path in (out, golden))
    wrong = []
    for n, (x, y) in enumerate(zip(have, want), 1):
        if x.data != y.data:
            changed = [i for i, (a, b) in enumerate(zip(x.data, y.data)) if a != b]
            wrong.append("frame %d is %s\n    expected %s\n    octets %s differ" % (
                n, walker.walk(x.data).describe(), walker.walk(y.data).describe(), changed[:12]))
        left = y.time + math.ceil(Fraction((max(len(y.data), 60) + 24) * 8 * 10**9, link)) if link else x.time
        if x.time != left:
            wrong.append("frame %d left at %d, expected %d" % (n, x.time, left))
    if len(have) != len(want):
        wrong.append("%d frames, expected %d" % (len(have), len(want)))
    return wrong


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, metavar="OUT.pcap")
    parser.add_argument("--golden", required=True, metavar="PCAP")
    parser.add_argument("--link", type=int, metavar="BPS")
    args = parser.parse_args(argv)
    wrong = check(args.out, args.golden, args.link)
    for w in wrong:
        print(w)
    print("%s: %d failures" % (os.path.basename(args.out), len(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
