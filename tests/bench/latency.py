# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
"""Time from the packet that meets congestion to its Fast CNP, device to device, by load and number of workers."""

import os
import sys

from programs import Failure, lines
from workers import lcores

WIRE = "wire"  # beside the ways of packets: the ports are net_memif, with hosts at their other ends
COUNTS = (1, 2, 4)  # of workers, as far as there are CPUs
LOADS = (10, 50, 80)  # percent of what the workers can carry
QUANTILES = ("p50", "p99", "p999")


def whole(found):
    """No packet was lost, as when something else had a core; of a wire's hosts, also no notice."""
    return found["lost"] == 0 and (not found["wire"] or found["answered"] >= 0.99 * found["told"])


def check(found):
    """Each packet that meets congestion has its notice."""
    if not found["balances"]:
        raise Failure("latency: the packet accounting does not balance")
    if found["answered"] < 0.99 * found["told"] and not found["wire"]:
        raise Failure("latency: not every packet was notified")


def memif(directory, ports):
    """EAL arguments of the other ends of a switch's ports, and of the ports in the same order."""
    return [word for end, role in enumerate(("server", "client")) for p in range(ports)
            for word in ("--vdev", f"net_memif{end * ports + p},role={role},id={p},socket={directory}/memif,socket-abstract=no")]


def runs(bench, there):
    """(WORKERS, WAY, command) of all that is measured."""
    for workers in (n for n in COUNTS if n < there):
        eal = bench.eal(512, lcores(workers))
        for way in ("apart", "any") if workers > 1 else ("apart",):
            yield workers, way, [*eal, "--", "--leave", way]
        if workers == 1:
            # What two memifs share has to be one piece.
            yield workers, WIRE, [*eal, "--single-file-segments", *memif(bench.directory, 2), "--", "--wire"]


def one_round(bench):
    """{"WORKERS WAY LOAD": what was found}; a load that packets were lost at, as something else had a core, is left out."""
    found = {}
    for workers, way, arguments in runs(bench, len(os.sched_getaffinity(0))):
        command = [bench.program("latency"), *arguments, *(["--ms", "20"] if bench.args.quick else ()), *map(str, LOADS)]
        for line in lines(command):
            check(line)
            name = f"{workers} {way} {line['load']}" + (" bare" if line["bare"] else "")
            if whole(line):
                found[name] = line
            else:
                print(f"latency {name}: something else had the CPU, and packets were lost", file=sys.stderr)
    return found


def measure(bench):
    if len(os.sched_getaffinity(0)) < 2:
        return None, "two CPUs are needed"
    return [one_round(bench) for _ in range(bench.rounds)], "something else had the CPUs in each round"
