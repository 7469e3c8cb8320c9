# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
"""Cycles per packet of DPDK's testpmd, as it counts them itself."""

import os
import pty
import re
import select
import statistics
import subprocess
import time

CYCLES = re.compile(rb"total cycles=(\d+) / total \w+ packets=(\d+)")
TIMEOUT = 20  # seconds for an answer


class Testpmd:
    """An interactive testpmd; use as a context."""

    def __init__(self, program, eal, mbufs, room=2176, cores=1):
        self.command = [program, *eal, "--", "-i", "--record-core-cycles", "--burst=32",
                        "--mbcache=256", f"--total-num-mbufs={mbufs}", f"--mbuf-size={room}", f"--nb-cores={cores}",
                        "--no-lsc-interrupt"]
        self.buffer = b""

    def __enter__(self):
        # Into a terminal, so that answers and prompts come in order.
        self.output, theirs = pty.openpty()
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE,
                                        stdout=theirs, stderr=theirs)
        os.close(theirs)
        try:
            self.wait(b"testpmd> ")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc):
        try:
            self.process.stdin.write(b"stop\nquit\n")
            self.process.stdin.close()
            while self.read(TIMEOUT):
                pass
            self.process.wait(TIMEOUT)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.output)

    def read(self, timeout):
        """What it says next; nothing when it has ended or keeps silent."""
        if timeout <= 0 or not select.select([self.output], [], [], timeout)[0]:
            return b""
        try:
            return os.read(self.output, 65536)
        except OSError:  # the other side is closed
            return b""

    def wait(self, text):
        """Everything up to and with text."""
        end = time.monotonic() + TIMEOUT
        while text not in self.buffer:
            data = self.read(end - time.monotonic())
            if not data:
                raise RuntimeError("testpmd: " + self.buffer.decode(errors="replace")[-2000:])
            self.buffer += data
        head, self.buffer = self.buffer.split(text, 1)
        return head + text

    def say(self, line):
        """A command's answer."""
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()
        return self.wait(b"testpmd> ")

    def totals(self):
        """(cycles, packets) since the start, or None before the first packet."""
        found = CYCLES.search(self.say("show fwd stats all"))
        return (int(found[1]), int(found[2])) if found else None

    def measure(self, mode, start, samples, interval):
        """Cycles per packet in each of many short intervals."""
        self.say(f"set fwd {mode}")
        self.say(start)
        time.sleep(0.2)
        result, before = [], self.totals()
        end = time.monotonic() + TIMEOUT + 2 * samples * interval
        while len(result) < samples:
            if time.monotonic() > end:
                raise RuntimeError(f"testpmd: no packets in mode {mode}")
            time.sleep(interval)
            after = self.totals()
            if before and after and after[1] > before[1]:
                result.append((after[0] - before[0]) / (after[1] - before[1]))
            before = after
        self.say("stop")
        return result


def quantiles(values):
    """p10, median and p90, as the programs give them."""
    values = sorted(values)
    at = lambda q: values[int(q * (len(values) - 1) + 0.5)]
    return {"p10": at(0.1), "median": statistics.median(values), "p90": at(0.9),
            "chunks": len(values)}
