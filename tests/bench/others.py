# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
"""Figures of programs that need no testpmd beside them. Each function returns one of each round, or None and
why there is none."""

import json
import os
import subprocess
import sys
import types

import lab

HERE = os.path.dirname(os.path.abspath(__file__))


class Failure(Exception):
    """A program that does not measure what it should."""


def lines(command):
    """What a program writes as lines of JSON."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
                              timeout=120)
    except (OSError, subprocess.TimeoutExpired) as e:
        raise Failure(str(e)) from None
    if done.returncode != 0:
        raise Failure(f"exit status {done.returncode} of {os.path.basename(command[0])}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def workers(bench):
    """Packets a second of two workers, each with two ports of its own, over those of one of them."""
    program = bench.program("workers")
    if os.cpu_count() < 2:
        return None, "two CPUs are needed"
    rates = []
    for _ in range(bench.rounds):
        found = {line["variant"]: line["rate"] for line in lines(
            [program, *bench.eal(512, lcores="--lcores=0@0,1@0,2@1"),
             *(a for p in range(4) for a in ("--vdev", f"net_ring{p}"))])}
        rates.append(found["two"] / found["one"])
    return rates, ""


BURST = "32"  # packets of a turn


def handover(bench, where):
    """Cycles of both workers together for a packet that leaves by the other worker's port."""
    program = bench.program("handover")
    if not os.path.exists(program):
        return None, "bench_handover is not there"
    costs = []
    for _ in range(bench.rounds):
        parts = [line["median"] for line in lines([program, *bench.eal(512)])
                 if line["bench"] == f"handover, {where}" and line["source"] == BURST and
                 line["variant"] in ("sender", "receiver")]
        if len(parts) != 2:
            return None, f"bench_handover says nothing of {where}"
        costs.append(sum(parts))
    return costs, ""


def replay(bench):
    """Millions of packets a second of processor time, routed, frames of 78 bytes."""
    script = os.path.join(HERE, "replay.py")
    if not os.path.exists(script):
        return None, "tests/bench/replay.py is not there"
    found = lines([sys.executable, script, bench.built("app/fastcn/fastcn"), "--json", "--only",
                   "routed", "--payload", "0", "--rounds", str(bench.rounds)])
    return [line[which] / 1e6 for line in found for which in ("best", "median")], ""


def lab_frames(bench):
    """Millions of frames a second of processor time, from sender to receiver."""
    args = types.SimpleNamespace(program=bench.built("app/fastcn-lab/fastcn-lab"),
                                 clock=bench.program("clock"), rounds=bench.rounds)
    rates, _, _ = lab.measure(args, 16)
    return [r / 1e6 for r in rates], ""


OTHERS = {
    "workers": workers,
    "handover-near": lambda bench: handover(bench, "one lcore"),
    "handover-far": lambda bench: handover(bench, "two lcores"),
    "replay": replay,
    "lab": lab_frames,
}

# What has to be built for each.
TARGETS = {
    "workers": ("tests/bench/bench_workers",),
    "handover-near": ("tests/bench/bench_handover",),
    "handover-far": ("tests/bench/bench_handover",),
    "replay": ("app/fastcn/fastcn",),
    "lab": ("app/fastcn-lab/fastcn-lab", "tests/bench/bench_clock"),
}
