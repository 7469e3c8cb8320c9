# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What must hold of a switch that is to endure: after each action, and when it is at rest."""

import glob
import json
import os
import re
import socket
import time

import testbed

MB = 1 << 20
# What may become more until the end, beyond what there was at the second rest, without any ports: memory of the program, and that
# which DPDK manages. Tables of what was learned, caches of threads and holes between allocations are some of it; a leak becomes
# more at each rest. And descriptors: helpers of libraries, such as the kernel's sockets, come with the first use.
PROGRAM_GROWS, DPDK_GROWS, DESCRIPTORS_GROW = 24 * MB, 1 * MB, 8
# Packets that neighbours are waited for, and what a burst of Linux hosts leaves for a moment; threads' caches count as free.
BUFFERS_GROW = 64
SECONDS = 10  # for an answer, on an idle machine


class Fault(AssertionError):
    """Something that must not be."""


def balance(c):
    """Both sides of the packet accounting, added up here."""
    came = sum(c.get(k, 0) for k in ("carried", "received", "generated", "returned", "replicated"))
    return came, sum(c[k] for k in ("transmitted", "dropped", "consumed", "queued"))


class Watch:
    def __init__(self, switch, runtime):
        self.switch, self.runtime = switch, runtime
        self.client, self.slowest, self.rests = None, 0.0, []

    def connect(self):
        return testbed.Client(self.switch.path, testbed.seconds(SECONDS))

    def alive(self):
        status = self.switch.process.poll()
        if status is not None:
            raise Fault(f"the switch has ended with status {status}")

    def ask(self, line):
        """The answer to a line, which has to come in time."""
        begin = time.monotonic()
        for attempt in (1, 2):
            try:
                if self.client is None:
                    self.client = self.connect()
                answer = self.client.ask(line)
                break
            except TimeoutError:
                raise Fault(f"no answer to \"{line}\" in {time.monotonic() - begin:.0f} s") from None
            except (OSError, EOFError) as e:
                self.alive()
                self.client = None  # sessions that were idle for long are ended
                if attempt == 2:
                    raise Fault(f"no session for \"{line}\": {e!r}") from None
        self.slowest = max(self.slowest, time.monotonic() - begin)
        return answer

    def say(self, line):
        """The same of a line that has to succeed. On a busy machine, a worker's thread may stand still for a moment."""
        for _ in range(3):
            ok, text = self.ask(line)
            if ok:
                return text
            if " is stalled" not in text:
                break
            self.wait_for_workers()
        raise Fault(f"\"{line}\" was refused: {text}")

    def stalled(self):
        return self.json("show status")["stalled_workers"]

    def wait_for_workers(self):
        self.wait(lambda: not self.stalled(), "a worker is stalled, and does not go on")

    def json(self, line):
        text = self.say(line + " json")
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            raise Fault(f"\"{line} json\" is no JSON: {text[:200]}") from None

    def conservation(self):
        c = self.json("show conservation")
        came, went = balance(c)
        if (not c["ok"] or came != went) and self.stalled():  # in the middle of a turn
            self.wait_for_workers()
            c = self.json("show conservation")
            came, went = balance(c)
        if not c["ok"] or came != went:
            raise Fault(f"packets are missing: {came} came, {went} are accounted for: {c}")
        return c

    def always(self):
        """After each action."""
        self.alive()
        self.conservation()

    # ---- at rest ----

    def wait(self, condition, what, timeout=10):
        end = time.monotonic() + testbed.seconds(timeout)
        while not (result := condition()):
            self.alive()
            if time.monotonic() > end:
                raise Fault(what() if callable(what) else what)
            time.sleep(0.1)
        return result

    def buffers(self):
        return sum(pool["in_use"] for pool in self.json("show mempool"))

    def program_memory(self):
        """Pages of the program, without those that DPDK manages: one mapping of hundreds of megabytes."""
        total = size = 0
        with open(f"/proc/{self.switch.process.pid}/smaps", encoding="ascii", errors="replace") as f:
            for line in f:
                if m := re.match(r"(Size|Rss):\s+(\d+) kB", line):
                    if m[1] == "Size":
                        size = int(m[2]) * 1024
                    elif size < 200 * MB:
                        total += int(m[2]) * 1024
        return total

    def dpdk_memory(self):
        """What is allocated of the memory that DPDK manages, by its telemetry."""
        path = glob.glob(os.path.join(self.runtime, "**", "dpdk_telemetry.v2*"), recursive=True)[0]
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
            s.settimeout(testbed.seconds(SECONDS))
            s.connect(path)
            room = json.loads(s.recv(1024))["max_output_len"]
            s.send(b"/eal/heap_info,0")
            answer = json.loads(s.recv(room))["/eal/heap_info"]
        return answer["Alloc_size"]

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.switch.process.pid}/fd"))

    def rest(self, empty, full):
        """Nothing is sent, and the configuration is that of the beginning: nothing waits, and nothing was kept. Queues keep the
        memory of what they could hold, so that is looked at when there is none: `empty` and `full` are files to be loaded."""
        self.wait_for_workers()
        self.wait(lambda: self.conservation()["queued"] == 0,
                  lambda: f"packets stay in queues: {self.conservation()}")
        first = self.rests[0] if self.rests else None
        if first:
            self.wait(lambda: self.buffers() <= first["buffers"] + BUFFERS_GROW,
                      lambda: f"{self.buffers()} packet buffers are in use at rest; at first it were {first['buffers']}")
            self.wait(lambda: self.descriptors() <= first["descriptors"] + DESCRIPTORS_GROW,
                      lambda: f"{self.descriptors()} descriptors are open at rest; at first it were {first['descriptors']}: "
                      f"{self.open_files()}")
        now = {"buffers": self.buffers(), "descriptors": self.descriptors()}
        self.say(f"load {empty} replace")
        now |= {"program": self.program_memory(), "dpdk": self.dpdk_memory()}
        self.say(f"load {full} replace")
        second = self.rests[1] if len(self.rests) > 1 else now
        for which, bound in (("program", PROGRAM_GROWS), ("dpdk", DPDK_GROWS)):
            if now[which] > second[which] + bound:
                raise Fault(f"memory of {which} grows: {second[which] >> 10} KiB at the second rest, {now[which] >> 10} KiB now")
        self.rests.append(now)

    def open_files(self):
        where = f"/proc/{self.switch.process.pid}/fd"
        names = []
        for fd in os.listdir(where):
            try:
                names.append(os.readlink(os.path.join(where, fd)))
            except OSError:
                pass
        return sorted(names)
