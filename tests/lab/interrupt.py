#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
#
# usage: interrupt.py LAB-RANDOM
#
# A random run that is ended by SIGTERM says so, and takes no seed for broken. The first seed takes seconds.

import signal
import subprocess
import sys
import time

run = subprocess.Popen([sys.argv[1], "--seeds", "10569-1000000"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
# until it catches the signal, which it does before the first seed
while run.poll() is None:
    with open(f"/proc/{run.pid}/status") as f:
        caught = next(int(line.split()[1], 16) for line in f if line.startswith("SigCgt"))
    if caught >> (signal.SIGTERM - 1) & 1:
        break
    time.sleep(0.02)
time.sleep(0.3)
run.send_signal(signal.SIGTERM)
out, err = run.communicate(timeout=120)
if run.returncode != 128 + signal.SIGTERM or "nothing was broken; interrupted" not in out or "run it again" in err:
    sys.exit(f"status {run.returncode}: {out}{err}")
