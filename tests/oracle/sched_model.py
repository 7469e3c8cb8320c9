#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A model of the classes of one port: strict priority, deficit round robin (Shreedhar and Varghese, 1995), no loss.

A packet's class is DSCP / 8. Strict classes go first, the highest number first. The others take turns in rising order: at
its turn a class that has packets is given quantum * weight octets, and sends while its first packet fits what it has
left; a class that runs empty loses the rest. The turn that ran out goes on behind the class. Times are those of queue_model.py
with --whole-ns: packets of one instant are queued before the line takes the next. --compare holds all this against an
output, packet by packet, to the nanosecond. A class that is alone needs no turn.

--shares: while all classes of --weights have packets, a class that was given R turns has sent no more than R * quantum * weight
octets, and less than that by no more than its longest packet; by one turn more when that turn is going on.
"""

import argparse
import collections
import math
import os
import sys
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fcnoracle import capture, traffic, walker  # noqa: E402

CLASSES = 8


class RoundRobin:
    def __init__(self, weights, quantum):
        self.given = [weights.get(c, 1) * quantum for c in range(CLASSES)]
        self.left, self.turn, self.fresh, self.rounds = [0] * CLASSES, 0, True, collections.Counter()

    def pick(self, queues, strict):
        while True:
            c, queue = self.turn, queues[self.turn]
            if c not in strict and queue:
                if self.fresh:
                    self.left[c] += self.given[c]
                    self.rounds[c] += 1
                    self.fresh = False
                if len(queue[0].packet.frame) <= self.left[c]:
                    self.left[c] -= len(queue[0].packet.frame)
                    return c
            else:
                self.left[c] = 0
            self.turn, self.fresh = (c + 1) % CLASSES, True


def simulate(arrivals, base, link, strict, weights, quantum):
    """Returns ([(ns, arrival)] of departures, [(rounds, octets)] by class when the first of the weighted ran empty)."""
    queues, out = [collections.deque() for _ in range(CLASSES)], []
    robin, line, waiting = RoundRobin(weights, quantum), Fraction(0), collections.deque(arrivals)
    octets, shares, all_there = collections.Counter(), None, False
    while waiting or any(queues):
        busy = Fraction(math.ceil(line))
        now = busy if any(queues) else max(busy, Fraction(waiting[0].virtual - base))
        while waiting and waiting[0].virtual - base <= now:
            a = waiting.popleft()
            queues[a.packet.outer.dscp // 8].append(a)
        all_there = all_there or all(queues[c] for c in weights)
        urgent = [c for c in strict if queues[c]]
        c = max(urgent) if urgent else None
        if c is None:
            robust = [n for n in range(CLASSES) if queues[n]]
            c = robin.pick(queues, strict) if len(robust) > 1 else robust[0]
        a = queues[c].popleft()
        if not queues[c]:
            robin.left[c] = 0
        length = len(a.packet.frame)
        start = line if now <= busy and line > 0 else now
        line = start + Fraction((max(length, 60) + 24) * 8 * 10**9, link)
        out.append((math.ceil(line), a))
        octets[c] += length
        if all_there and shares is None and not all(queues[n] for n in weights):
            shares = [(n, robin.rounds[n], octets[n]) for n in sorted(weights)]
    return out, shares


def pairs(text):
    return {int(k): int(v) for k, v in (word.split("=") for word in text.split(","))} if text else {}


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--in", dest="inputs", nargs="+", required=True, metavar="IN.pcap", help="all that leaves by the port")
    parser.add_argument("--link", type=int, required=True, metavar="BPS")
    parser.add_argument("--strict", default="6,7", metavar="C,C")
    parser.add_argument("--weights", default="", metavar="C=W,C=W", help="of classes that are not strict (default 1)")
    parser.add_argument("--quantum", type=int, default=1600, metavar="OCTETS")
    parser.add_argument("--shares", action="store_true")
    parser.add_argument("--compare", metavar="OUT.pcap")
    args = parser.parse_args(argv)
    arrivals = traffic.arrivals(args.inputs)
    base = arrivals[0].virtual
    strict = {int(c) for c in args.strict.split(",") if c}
    weights, wrong = pairs(args.weights), []
    out, shares = simulate(arrivals, base, args.link, strict, weights, args.quantum)
    if args.compare:
        records = capture.load(args.compare).records
        if len(records) != len(out):
            wrong.append("%d packets left, the model says %d" % (len(records), len(out)))
        for n, (r, (time, a)) in enumerate(zip(records, out), 1):
            if r.data != a.packet.frame:
                wrong.append("packet %d is %s, the model says %s" % (n, walker.walk(r.data).describe(), a.packet.describe()))
            elif r.time - base != time:
                wrong.append("packet %d left at %d ns, the model says %d" % (n, r.time - base, time))
            if len(wrong) > 10:
                break
    if args.shares:
        longest = collections.Counter()
        for a in arrivals:
            c = a.packet.outer.dscp // 8
            longest[c] = max(longest[c], len(a.packet.frame))
        for c, rounds, sent in shares or []:
            due = rounds * args.quantum * weights[c]
            print("class %d: %d rounds of %d octets, %d sent" % (c, rounds, args.quantum * weights[c], sent))
            # The class whose turn it is may be anywhere in it.
            if not due - args.quantum * weights[c] - longest[c] < sent <= due:
                wrong.append("class %d sent %d octets in %d rounds" % (c, sent, rounds))
        if not shares or min(r for _, r, _ in shares) < 5:
            wrong.append("less than five rounds with packets in all classes: %s" % shares)
    for w in wrong:
        print(w)
    print("%d packets, %d failures" % (len(out), len(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
