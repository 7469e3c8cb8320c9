#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Check that every frame of an output is the same one: frame N of a capture, octet for octet (but for an IPv6 hop limit)."""

import argparse
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fcnoracle import capture  # noqa: E402


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True, metavar="OUT.pcap")
    parser.add_argument("--frame", required=True, metavar="PCAP:N")
    parser.add_argument("--any-hop-limit", action="store_true", help="of an untagged IPv6 frame")
    args = parser.parse_args(argv)
    view = lambda f: f[:21] + f[22:] if args.any_hop_limit else f
    path, number = args.frame.rsplit(":", 1)
    want = capture.load(path).records[int(number) - 1].data
    records = capture.load(args.out).records
    odd = [n for n, r in enumerate(records, 1) if view(r.data) != view(want)]
    print("%d frames, %d differ%s" % (len(records), len(odd), ", the first is %d" % odd[0] if odd else ""))
    return 1 if odd or not records else 0


if __name__ == "__main__":
    sys.exit(main())
