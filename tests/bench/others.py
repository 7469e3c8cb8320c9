# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
"""Figures of programs that are no runs of one worker. Each function returns one of each round, or None and
why there is none."""

import os
import sys
import types

import lab
import latency
import workers
from programs import lines

HERE = os.path.dirname(os.path.abspath(__file__))


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
    "workers": workers.measure,
    "latency": latency.measure,
    "replay": replay,
    "lab": lab_frames,
}

# What has to be built for each.
TARGETS = {
    "workers": ("tests/bench/bench_workers",),
    "latency": ("tests/bench/bench_latency",),
    "replay": ("app/fastcn/fastcn",),
    "lab": ("app/fastcn-lab/fastcn-lab", "tests/bench/bench_clock"),
}
