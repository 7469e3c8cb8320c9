# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
"""Packets a second of switches with several workers, by whose ports the packets leave, and of testpmd.

Each worker has two ports. bench_workers counts only while all workers have their cores.
"""

import os
import sys

from programs import Failure, lines
from testpmd import Testpmd, quantiles

COUNTS = (1, 2, 4, 8, 14)  # of workers, as far as there are CPUs
CHUNKS = 100               # in which all workers had their cores, at least, for a figure
MBUFS = 65535
# What is measured, by kind of port. With one worker, ports are always apart.
LEAVE = {"pcap": ("apart", "next", "any", "apart notified", "any notified"),
         "headers": ("apart", "next", "any")}


class Busy(Failure):
    """There is no figure in this round."""


def counts(quick=False):
    """Numbers of workers that have a CPU each here."""
    there = len(os.sched_getaffinity(0))
    return [n for n in COUNTS if n <= (2 if quick else there)]


def megabytes():
    """Memory of a switch: buffers, and rings between any two workers for each port and class."""
    most = max(counts())
    return 512 + most * most * 12


def lcores(workers):
    """The first lcore, which forwards nothing, and one for each worker; it shares a CPU if it has to.

    Where there are CPUs for it, workers have every second one: neighbours may be threads of one core,
    also where a virtual machine does not say so."""
    cpus = sorted(os.sched_getaffinity(0))
    step = 2 if 2 * workers < len(cpus) else 1
    of_workers = cpus[::-1][:step * workers:step]
    return "--lcores=" + ",".join(f"{n}@{cpu}" for n, cpu in enumerate([cpus[0], *of_workers]))


def devices(bench, workers, leave):
    prefix = os.path.join(bench.directory, f"workers-{leave}-{workers}-")
    if not os.path.exists(prefix + "0.pcap"):
        lines([bench.program("workers"), "--write-pcap", prefix, "--workers", str(workers), "--leave", leave])
    return [a for p in range(2 * workers)
            for a in ("--vdev", f"net_pcap{p},rx_pcap={prefix}{p}.pcap,infinite_rx=1")]


def check(found, leave, name, chunks):
    """No packet may get lost. Where no worker waits for another, none is dropped, and each has its notice."""
    if not found["balances"]:
        raise Failure(f"{name}: the packet accounting does not balance")
    if found["chunks"] < chunks:
        raise Busy(f"{name}: something else had the CPUs nearly all the time")
    if leave.startswith("apart") and found["sent"] < 0.99 * (found["received"] + found["notices"]):
        raise Failure(f"{name}: packets were dropped")
    if leave == "apart notified" and found["notices"] < 0.99 * found["received"]:
        why = found["refused"] or "no limit refused any, so the queues were not always congested"
        raise Failure(f"{name}: not every packet was notified: {why}")


def switch(bench, workers, source, leave):
    """A figure of one round."""
    way, _, notify = leave.partition(" ")
    command = [bench.program("workers"), *bench.eal(512, lcores(workers)),
               *(devices(bench, workers, way) if source == "pcap" else ()),
               "--", "--source", source, "--leave", way, *(["--notify"] if notify else ())]
    if bench.args.quick:
        command += ["--chunks", "10"]
    found, = lines(command)
    check(found, leave, f"{source}, {leave}, {workers} workers", 1 if bench.args.quick else CHUNKS)
    return {"rate": found["notices" if notify else "sent"], "hz": found["hz"],
            "dropped": max(0, 1 - found["sent"] / (found["received"] + found["notices"]))}


def testpmd(bench, workers, hz):
    """The same for testpmd in mode io, on the same ports with as many cores."""
    command = [*bench.eal(512, lcores(workers)), *devices(bench, workers, "apart")]
    with Testpmd(bench.args.testpmd, command, MBUFS, cores=workers) as pmd:
        cycles = quantiles(pmd.measure("io", "start", 40 if bench.args.quick else 200, 0.001))["median"]
    return {"rate": workers * hz / cycles, "dropped": 0, "hz": hz}


def one_round(bench):
    found = {}
    for workers in counts(bench.args.quick):
        for source, ways in LEAVE.items():
            for leave in ways:
                if workers == 1 and not leave.startswith("apart"):
                    continue
                try:
                    found[f"{source} {leave} {workers}"] = switch(bench, workers, source, leave)
                except Busy as e:
                    print(e, file=sys.stderr)
        if bench.args.testpmd and found:
            found[f"pcap testpmd {workers}"] = testpmd(bench, workers, next(iter(found.values()))["hz"])
    return found


def measure(bench):
    if max(counts()) < 2:
        return None, "two CPUs are needed"
    return [one_round(bench) for _ in range(bench.rounds)], ""
