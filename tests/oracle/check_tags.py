#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Check that every frame of an output carries just these VLAN tags: VID:PCP words, the outermost first, or none."""

import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fcnoracle import capture, walker  # noqa: E402


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True, metavar="OUT.pcap")
    parser.add_argument("--vlans", nargs="+", required=True, metavar="VID:PCP")
    args = parser.parse_args(argv)
    want = [] if args.vlans == ["none"] else [tuple(map(int, word.split(":"))) for word in args.vlans]
    wrong, records = 0, capture.load(args.out).records
    for n, r in enumerate(records, 1):
        have = [(tag & 0xFFF, tag >> 13) for tag in walker.walk(r.data).vlans]
        if have != want:
            wrong += 1
            print("frame %d has tags %s, expected %s" % (n, have, want))
    print("%d frames, %d failures" % (len(records), wrong))
    return 1 if wrong or not records else 0


if __name__ == "__main__":
    sys.exit(main())
