# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
"""Programs that write what they measure as lines of JSON."""

import json
import os
import subprocess


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
    try:
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    except ValueError:  # a figure is "nan": there was nothing to measure
        raise Failure(f"{os.path.basename(command[0])} had nothing to measure") from None
