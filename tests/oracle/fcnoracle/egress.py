# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What leaves a port next, and when: shapers and the order of classes. switch_model.py defines them."""

import collections
import math
from fractions import Fraction

CLASSES = 8
SECOND = 10**9
QUANTUM = 1600


def whole(time):
    """The first whole nanosecond that is not before a time."""
    return math.ceil(time)


class Shaper:
    """Spaces what is charged by its octets at a rate; `burst` octets may come sooner, which is a time of whole ns."""

    def __init__(self, rate, burst=0, overhead=24, minimum=60):
        self.rate, self.overhead, self.minimum = rate, overhead, minimum
        self.ahead = burst * 8 * SECOND // rate
        self.next = Fraction(0)  # when all that was charged is paid for

    def ready(self):
        """From when on something may go."""
        return whole(self.next - self.ahead)

    def charge(self, length, now):
        octets = max(length, self.minimum) + self.overhead
        late = now - self.ahead > self.ready()
        self.next = (now if late else self.next) + Fraction(octets * 8 * SECOND, self.rate)


class Scheduler:
    """Class queues of a port. Queues are deques of anything with a length."""

    def __init__(self, strict=(6, 7), weights=None, urgent=None, committed=None, peak=None):
        self.strict, self.urgent = set(strict), urgent
        self.committed, self.peak = committed or {}, peak or {}
        weights = {c: (weights or {}).get(c, 1) for c in range(CLASSES) if c not in self.strict}
        common = math.gcd(*weights.values()) if weights else 1
        self.given = {c: QUANTUM * w // common for c, w in weights.items()}
        self.left, self.turn, self.fresh, self.rounds = [0] * CLASSES, 0, True, collections.Counter()

    def ready(self, c):
        return self.peak[c].ready() if c in self.peak else 0

    def next(self, queues, held):
        """When the first class may go at all, None when all that have packets are held."""
        return min((self.ready(c) for c in range(CLASSES) if queues[c] and c not in held), default=None)

    def pick(self, queues, held, now):
        """The class that goes now, None when none may; charges its shapers and its turn."""
        may = [c for c in range(CLASSES) if queues[c] and c not in held and self.ready(c) <= now]
        if not may:
            return None
        owed = [c for c in may if c in self.committed and self.committed[c].ready() <= now]
        strict = [c for c in may if c in self.strict]
        if self.urgent in may:
            c = self.urgent
        elif owed:
            c = max(owed)
            self.committed[c].charge(queues[c][0].length, now)
        elif strict:
            c = max(strict)
        else:
            c = self.robin(queues, may) if len(may) > 1 else may[0]
        if c in self.peak:
            self.peak[c].charge(queues[c][0].length, now)
        return c

    def robin(self, queues, may):
        while True:
            c = self.turn
            if c in may:
                if self.fresh:
                    self.left[c] += self.given[c]
                    self.rounds[c] += 1
                    self.fresh = False
                if queues[c][0].length <= self.left[c]:
                    self.left[c] -= queues[c][0].length
                    return c
            else:
                self.left[c] = 0
            self.turn, self.fresh = (c + 1) % CLASSES, True

    def emptied(self, c):
        """A class that runs empty loses the rest of its turn."""
        self.left[c] = 0
