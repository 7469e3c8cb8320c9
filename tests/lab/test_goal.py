#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Traces of group operations (traffic goal) against closed forms and a model that shares no code with the lab.

Usage: test_goal.py PATH_OF_FASTCN_LAB [unittest options]
"""

import heapq
import json
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
GENERATOR = os.path.join(HERE, "..", "..", "scripts", "lab-goal")
LAB = ""
RATE, DELAY, PAYLOAD, OVERHEAD = 100e9, 1000, 1024, 102  # Ethernet, IPv6, UDP, BTH, ICRC, FCS, preamble, gap
STAR = """switch add s latency 0ns
host add h[0-%d]
link add h[0-%d] s
host all set window 200K
switch s do set queue all class 3 limit 100M packets %d
traffic goal g file trace.goal hosts h[0-%d] %s
"""


def run(trace, ranks, more="", lines="", room=65536):
    """The result of a trace on hosts of one switch, whose queues have room for so many packets."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("trace.goal", trace), ("x.lab", STAR % (ranks - 1, ranks - 1, room, ranks - 1, more) + lines)):
            with open(os.path.join(folder, name), "wb") as f:
                f.write(text if isinstance(text, bytes) else text.encode())
        done = subprocess.run([LAB, os.path.join(folder, "x.lab"), "--json", "-", "--quiet"], capture_output=True, check=False)
    if done.returncode:
        raise AssertionError("status %d: %s" % (done.returncode, done.stderr.decode()))
    return json.loads(done.stdout)


def generated(*words):
    return subprocess.run([sys.executable, GENERATOR, *map(str, words)], capture_output=True, check=True, encoding="ascii").stdout


def wire(size):
    """ns that a message takes on the line."""
    return (size + OVERHEAD * -(-size // PAYLOAD)) * 8 / RATE * 1e9


def alone(size):
    """ns from posting a message until it has come, over two links: its last packet is sent once more."""
    last = (size - 1) % PAYLOAD + 1
    return wire(size) + wire(last) + 2 * DELAY


ANSWER = 2 * (DELAY + 106 * 8 / RATE * 1e9)


class Model:
    """A trace on ranks between which a message takes a given time; its acknowledgement takes another."""

    LINE = re.compile(r"(?:(\w+)\s*:\s*)?(calc|send|recv)\s+(\d+)\s*b?(?:\s+(?:to|from)\s+(-?\d+))?(?:\s+tag\s+(-?\d+))?(?:\s+cpu\s+(\d+))?")
    WAIT = re.compile(r"(\w+)\s+(i?requires)\s+(\w+)")

    def __init__(self, text, latency, answer):
        self.latency, self.answer = latency, answer
        self.ops, self.waiting, rank, labels = [], [], None, {}
        for line in map(str.strip, text.splitlines()):
            if line.startswith("rank"):
                rank, labels = int(line.split()[1]), {}
            elif m := self.WAIT.fullmatch(line):
                self.ops[labels[m[3]]]["next"].append((labels[m[1]], m[2] == "irequires"))
                self.ops[labels[m[1]]]["waits"] += 1
            elif m := self.LINE.fullmatch(line):
                labels[m[1]] = len(self.ops)
                self.ops.append({"rank": rank, "kind": m[2], "size": int(m[3]), "peer": int(m[4] or -2), "tag": int(m[5] or 0),
                                 "cpu": int(m[6] or 0), "next": [], "waits": 0})

    def release(self, i, begin):
        for j, only_begin in self.ops[i]["next"]:
            if only_begin == begin:
                self.ops[j]["waits"] -= 1
                if self.ops[j]["waits"] == 0:
                    self.ready(j)

    def ready(self, i):
        self.queue.setdefault((self.ops[i]["rank"], self.ops[i]["cpu"]), []).append(i)

    def end(self, i):
        self.left -= 1
        self.finish[self.ops[i]["rank"]] = self.now
        self.release(i, False)

    def later(self, after, what, i):
        self.order += 1
        heapq.heappush(self.events, (self.now + after, self.order, what, i))

    def fits(self, recv, send):
        r, s = self.ops[recv], self.ops[send]
        return s["peer"] == r["rank"] and r["peer"] in (-1, s["rank"]) and r["tag"] in (-1, s["tag"])

    def begin(self, i, cpu):
        op = self.ops[i]
        self.release(i, True)
        if op["kind"] == "calc":
            self.busy.add(cpu)
            self.later(op["size"], "calc", i)
        elif op["kind"] == "send":
            self.later(self.latency(op["size"]), "arrive", i)
            self.later(self.latency(op["size"]) + self.answer, "end", i)
        else:
            found = next((s for s in self.come if self.fits(i, s)), None)
            if found is None:
                self.posted.append(i)
            else:
                self.come.remove(found)
                self.end(i)

    def run(self):
        """{rank: when its last operation ends}."""
        self.now, self.order, self.left = 0, 0, len(self.ops)
        self.events, self.queue, self.busy, self.posted, self.come, self.finish = [], {}, set(), [], [], {}
        for i, op in enumerate(self.ops):
            if op["waits"] == 0:
                self.ready(i)
        while True:
            while ready := next(((cpu, q) for cpu, q in self.queue.items() if q and cpu not in self.busy), None):
                self.begin(ready[1].pop(0), ready[0])
            if not self.events:
                assert self.left == 0, "the trace does not end"
                return self.finish
            self.now, _, what, i = heapq.heappop(self.events)
            if what == "arrive":
                taker = next((r for r in self.posted if self.fits(r, i)), None)
                if taker is None:
                    self.come.append(i)
                else:
                    self.posted.remove(taker)
                    self.end(taker)
                continue
            if what == "calc":
                self.busy.remove((self.ops[i]["rank"], self.ops[i]["cpu"]))
            self.end(i)


def random_trace(rng):
    """Some ranks with calculations that take much longer than messages, which are matched in pairs."""
    n = rng.randint(2, 6)
    lines = [[] for _ in range(n)]
    count = [0] * n

    def add(rank, what):
        count[rank] += 1
        label = "l%d" % count[rank]
        lines[rank].append("%s: %s" % (label, what))
        for _ in range(rng.choice((0, 1, 1, 2))):
            if count[rank] > 1:
                lines[rank].append("%s %s l%d" % (label, rng.choice(("requires", "requires", "irequires")), rng.randint(max(1, count[rank] - 4), count[rank] - 1)))

    for _ in range(rng.randint(5, 60)):
        rank = rng.randrange(n)
        if rng.random() < 0.6:
            add(rank, "calc %d cpu %d" % (rng.randint(200000, 5000000), rng.randrange(3)))
            continue
        other, tag, size, cpu = rng.choice([r for r in range(n) if r != rank]), rng.randrange(3), rng.randint(1, 9000), rng.randrange(3)
        add(rank, "send %db to %d tag %d cpu %d" % (size, other, tag, cpu))
        add(other, "recv %db from %d tag %d cpu %d" % (size, rank, tag, cpu))
    return n, "num_ranks %d\n" % n + "".join("rank %d {\n%s\n}\n" % (r, "\n".join(own)) for r, own in enumerate(lines))


def binary(text):
    """The same trace as LogGOPSim's txt2bin writes it."""
    model, kinds = Model(text, None, None), {"send": 1, "recv": 2, "calc": 3}
    n = int(re.match(r"num_ranks (\d+)", text)[1])
    parts, at = [], 6 + 16 * n
    for rank in range(n):
        mine = [i for i, op in enumerate(model.ops) if op["rank"] == rank]
        first, listed, nodes = mine[0] if mine else 0, [], b""
        roots = [i - first for i in mine if model.ops[i]["waits"] == 0]
        for op in (model.ops[i] for i in mine):
            waits = [[to - first for to, begin in op["next"] if begin == which] for which in (False, True)]
            nodes += struct.pack("<IBIQIBB", op["waits"], kinds[op["kind"]], op["peer"] & 0xFFFFFFFF if op["kind"] != "calc" else 0, op["size"],
                                 op["tag"] & 0xFFFFFFFF, op["cpu"], 0)
            for some in waits:
                nodes += struct.pack("<II", len(some), len(listed))
                listed += some
        parts.append(struct.pack("<%dI" % (2 + len(roots)), len(mine), len(roots), *roots) + nodes + struct.pack("<%dI" % len(listed), *listed))
    table = b""
    for part in parts:
        table += struct.pack("<QQ", at, at + len(part))
        at += len(part)
    return struct.pack("<QIBB", 4223, n, max((op["cpu"] for op in model.ops), default=0), 0) + table + b"".join(parts)


class Traces(unittest.TestCase):
    def close(self, got, expected, part):
        self.assertLess(abs(got - expected), part * expected, "%s, expected %s" % (got, expected))

    def time_of(self, trace, ranks, more="", room=65536):
        goal = run(trace, ranks, more, room=room)["goal"]["g"]
        self.assertEqual(goal["incomplete"], 0)
        return goal

    def test_ring(self):
        """2 (n - 1) steps of a part of the line's time and the way, of 32 ranks."""
        goal = self.time_of(generated("ring", "--ranks", 32, "--size", 8 << 20), 32)
        self.close(goal["iteration_ns"]["max"], 62 * alone((8 << 20) // 32), 0.02)
        self.assertEqual(goal["operations"], 32 * 62 * 2)
        self.assertEqual(goal["rank"][5]["bytes"], 62 * (8 << 20) // 32)

    def test_ring_of_many_ports(self):
        """200 ranks at one switch: 398 steps of one packet, and its way."""
        goal = self.time_of(generated("ring", "--ranks", 200, "--size", 200 << 10), 200, room=256)
        self.close(goal["iteration_ns"]["max"], 398 * alone(1 << 10), 0.02)
        self.assertEqual(goal["operations"], 200 * 398 * 2)
        self.assertEqual(goal["rank"][199]["bytes"], 398 << 10)

    def test_ring_with_sums(self):
        """The first n - 1 steps wait for their sums, too; each iteration takes the same time."""
        goal = self.time_of(generated("ring", "--ranks", 4, "--size", 1 << 20, "--calc", 20000), 4, "iterations 3")
        self.close(goal["iteration_ns"]["min"], 6 * alone(1 << 18) + 3 * 20000, 0.02)
        self.assertEqual(goal["iteration_ns"]["min"], goal["iteration_ns"]["max"])
        self.assertEqual((goal["iterations"], goal["rank"][0]["calc_ns"]), (3, 3 * 3 * 20000))
        self.assertEqual(goal["end_ns"], 3 * goal["iteration_ns"]["max"])

    def test_tree(self):
        """Two children share the line of their parent: in each of 3 levels up, and down, two messages follow each other."""
        goal = self.time_of(generated("tree", "--ranks", 15, "--size", 1 << 20), 15)
        self.close(goal["iteration_ns"]["max"], 2 * 3 * (wire(1 << 20) + alone(1 << 20)), 0.02)

    def test_all_to_all(self):
        goal = self.time_of(generated("all-to-all", "--ranks", 8, "--size", 4 << 20), 8)
        self.close(goal["iteration_ns"]["max"], 7 * wire((4 << 20) // 8) + 2 * DELAY, 0.03)

    def test_pipeline(self):
        """GPipe: all batches go through all stages and back; messages travel while others are computed."""
        goal = self.time_of(generated("pipeline", "--ranks", 5, "--size", 100000, "--micro", 6), 5)
        self.close(goal["iteration_ns"]["max"], 10 * 300000 + 2 * 4 * alone(100000), 0.001)

    def test_storage(self):
        """A client alone: its block, copies to two servers at once over one line, the media, answers. The last one is acknowledged."""
        goal = self.time_of(generated("storage", "--ranks", 4, "--clients", 1, "--writes", 5, "--size", 65536), 4)
        answer = alone(64)
        self.close(goal["iteration_ns"]["max"], 5 * (alone(65536) + wire(65536) + alone(65536) + 10000 + 2 * answer) + ANSWER, 0.001)

    def test_random(self):
        """Whole traces: calculations are long, so that the time of messages hardly matters."""
        rng, compared = random.Random(7), 0
        while compared < 12:
            ranks, trace = random_trace(rng)
            model = Model(trace, alone, ANSWER)
            try:
                expected = model.run()
            except AssertionError:
                with self.assertRaisesRegex(AssertionError, "wait|never begins"):
                    run(trace, ranks)
                continue
            compared += 1
            goal = self.time_of(trace, ranks)
            for rank, finish in expected.items():
                self.assertLess(abs(goal["rank"][rank]["finish_ns"] - finish), 40000, trace)

    def test_binary(self):
        """The binary form of a trace is the same trace."""
        rng = random.Random(11)
        traces = [(5, generated("pipeline", "--ranks", 5, "--size", 20000, "--micro", 3)), (6, generated("storage", "--ranks", 6, "--clients", 2))]
        while len(traces) < 5:
            ranks, trace = random_trace(rng)
            try:
                Model(trace, alone, ANSWER).run()
            except AssertionError:
                continue
            traces.append((ranks, trace))
        for ranks, trace in traces:
            self.assertEqual(run(binary(trace), ranks)["goal"], run(trace, ranks)["goal"], trace)

    def test_broken_binary(self):
        """Octets that are changed, or missing: an error that names one, or another trace; never an end by a signal."""
        whole, told = binary(generated("tree", "--ranks", 3, "--size", 3000)), 0
        rng = random.Random(5)
        for i in range(60):
            data = bytearray(whole)
            if i % 2:
                del data[rng.randrange(8, len(data)):]
            else:
                data[rng.randrange(8, len(data))] = rng.choice((0, 1, 255))
            try:
                run(bytes(data), 3, lines="duration 1ms\n")
            except AssertionError as e:
                self.assertRegex(str(e), "^status (2: .*(trace.goal:(octet )?[0-9]+: |the trace has [0-9]+ ranks)|1: )")
                told += 1
        self.assertGreater(told, 25)

    def test_exactly(self):
        """To the nanosecond: calculation, message, calculation, answer. Links end a frame at the next whole ns."""
        goal = self.time_of("num_ranks 2\nrank 0 {\na: calc 777\nb: send 1000b to 1 tag 9\nb requires a\n}\n"
                            "rank 1 {\nc: recv 1000b from 0 tag 9\nd: calc 333\nd requires c\n}\n", 2)
        self.assertLessEqual(abs(goal["rank"][1]["finish_ns"] - (777 + alone(1000) + 333)), 2)
        self.assertLessEqual(abs(goal["rank"][0]["finish_ns"] - (777 + alone(1000) + ANSWER)), 4)

    def test_no_time(self):
        """Operations that take no time: neither do a million iterations."""
        goal = self.time_of("num_ranks 2\nrank 0 {\na: calc 0\nb: calc 0\nb requires a\n}\n", 2, "iterations 1000000")
        self.assertEqual((goal["iterations"], goal["iteration_ns"]["max"], goal["end_ns"]), (1000000, 0, 0))

    def test_many_at_once(self):
        """20000 messages of a byte: far more are acknowledged, or come out of what was kept, at once than by single packets."""
        n = 20000
        trace = "num_ranks 2\nrank 0 {\n%s}\nrank 1 {\n%s}\n" % (n * "send 1b to 1\n", n * "recv 1b from 0\n")
        goal = self.time_of(trace, 2)
        self.close(goal["iteration_ns"]["max"], n * wire(1) + ANSWER / 2, 0.05)

    def test_any_source(self):
        """The receive gets what comes first, which depends on the times; what nobody sends is found in the run."""
        trace = "num_ranks 3\nrank 0 {\na: calc %d\nb: send 10b to 2 tag 1\nb requires a\n}\nrank 1 {\na: calc 50000\nb: send 10b to 2 " \
                "tag 2\nb requires a\n}\nrank 2 {\na: recv 10b from -1 tag -1\nb: calc 1000000\nb requires a\nc: recv 10b from %s tag -1\n}\n"
        for first in (10000, 90000):
            goal = self.time_of(trace % (first, "-1"), 3)
            self.close(goal["rank"][2]["finish_ns"], min(first, 50000) + alone(10) + 1000000, 0.001)
        with self.assertRaisesRegex(AssertionError, "status 1"):
            run(trace % (10000, "0"), 3)


if __name__ == "__main__":
    LAB = sys.argv.pop(1)
    unittest.main()
