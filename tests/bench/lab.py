#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
"""How many packets a second fastcn-lab simulates, from sender to receiver, on one core.

Processor time, not wall time: of a long run less that of a short one, so that what a start costs is
not in it. The median of some rounds; the best is beside it, as neighbours only slow down.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

SCENARIO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "incast.lab")
SHORT, LONG = 1_000_000, 101_000_000  # bytes of each of the two messages
PAYLOAD = 1024
TARGET = 1e6


def run(program, size, ack):
    """@return packets of payload delivered, CPU seconds"""
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([program, SCENARIO, "--quiet", "--set", f"size={size}", "--set",
                        f"ack={ack}", "--json", out.name], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        result = json.load(open(out.name))
    if result["traffic"]["incomplete"] != 0:
        sys.exit("messages are incomplete: this is no measurement")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return result["traffic"]["bytes"] / PAYLOAD, cpu


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="fastcn-lab")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--strict", action="store_true", help="a missed target is a failure")
    args = parser.parse_args()
    met = True
    for ack in (16, 1):
        rates = []
        for _ in range(args.rounds):
            few, short = run(args.program, SHORT, ack)
            many, long = run(args.program, LONG, ack)
            rates.append((many - few) / (long - short))
        median, best = statistics.median(rates), max(rates)
        if ack == 16:
            met = best >= TARGET
        print(f"lab, an acknowledgement for {ack} packets: {median / 1e6:.2f} M packets/s "
              f"(best {best / 1e6:.2f})")
    if not met:
        print(f"the target, {TARGET / 1e6:.0f} M packets/s, is missed")
    return 1 if args.strict and not met else 0


if __name__ == "__main__":
    sys.exit(main())
