# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
"""Time from the packet that meets congestion to its Fast CNP, device to device, by load and number of workers."""

import os
import sys

from programs import Failure, lines
from workers import lcores

COUNTS = (1, 2, 4)  # of workers, as far as there are CPUs
LOADS = (10, 50, 80)  # percent of what the workers can carry
QUANTILES = ("p50", "p99", "p999")


def check(found):
    """Each packet that meets congestion has its notice, and none is lost."""
    if not found["balances"]:
        raise Failure("latency: the packet accounting does not balance")
    if found["answered"] < 0.99 * found["told"]:
        raise Failure("latency: not every packet was notified")


def one_round(bench):
    """{"WORKERS WAY LOAD": what was found}; a load that packets were lost at, as something else had a core, is left out."""
    found = {}
    there = len(os.sched_getaffinity(0))
    for workers in (n for n in COUNTS if n < there):
        for way in ("apart", "any") if workers > 1 else ("apart",):
            command = [bench.program("latency"), *bench.eal(512, lcores(workers)), "--", "--leave", way,
                       *(["--ms", "20"] if bench.args.quick else ()), *map(str, LOADS)]
            for line in lines(command):
                check(line)
                name = f"{workers} {way} {line['load']}" + (" bare" if line["bare"] else "")
                if line["lost"] == 0:
                    found[name] = line
                else:
                    print(f"latency {name}: something else had the CPU, and packets were lost", file=sys.stderr)
    return found


def measure(bench):
    if len(os.sched_getaffinity(0)) < 2:
        return None, "two CPUs are needed"
    return [one_round(bench) for _ in range(bench.rounds)], "something else had the CPUs in each round"
