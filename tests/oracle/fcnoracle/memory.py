# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The shared buffer: reserves, dynamic thresholds, headroom of lossless classes. switch_model.py defines them.

Without one (size 0) everything is counted as shared, and nothing is refused.
"""

import math
from dataclasses import dataclass
from fractions import Fraction


def over(octets, reserve):
    return max(0, octets - reserve)


@dataclass
class Ingress:
    """A lossless class: port and priority that packets come in by."""
    headroom: int = 0
    xoff: int = None             # static threshold; None: dynamic
    xon: int = 0
    alpha: Fraction = None
    below: int = 0               # dynamic: so far below the threshold XON
    reserve: int = 0
    used: int = 0                # octets, those in the headroom included
    inside: int = 0              # of them in the headroom
    stop: bool = False           # the sender is to pause
    used_max: int = 0
    inside_max: int = 0
    lost: int = 0
    lost_octets: int = 0
    told: int = None             # when loss was last told


class Budget:
    """Packets that queues may hold together (switch_model.py defines it). The threshold of an instant follows from the one before."""
    RESERVE = 32

    def __init__(self, packets, queues):
        self.size, self.used, self.used_max = packets, 0, 0
        if packets is not None:
            self.reserve = max(1, min(self.RESERVE, packets // 4 // queues))
            self.shared = packets - queues * self.reserve

    def count(self, queued):
        """An instant ends, with so many packets in the queues."""
        if self.size is not None:
            self.used = sum(over(n, self.reserve) for n in queued)
            self.used_max = max(self.used_max, self.used)

    def admits(self, queued):
        return self.size is None or queued < self.reserve + max(0, self.shared - self.used)


class Memory:
    def __init__(self, size, reserves, headrooms):
        self.shared = size - reserves - headrooms if size else 0
        self.size, self.used, self.used_max = size, 0, 0

    def free(self):
        return max(0, self.shared - self.used)

    def threshold(self, alpha):
        return math.floor(alpha * self.free())

    def move(self, reserve, before, after):
        self.used += over(after, reserve) - over(before, reserve)
        self.used_max = max(self.used_max, self.used)

    def admits(self, reserve, alpha, charged, length):
        """Whether a queue with so much may take a packet, by the threshold as it is before it."""
        if not self.size:
            return True
        grows = over(charged + length, reserve) - over(charged, reserve)
        after = over(charged + length, reserve)
        return after == 0 or after <= self.threshold(alpha) and grows <= self.free()

    def limit(self, ingress):
        if ingress.alpha is None:
            return ingress.xoff
        return ingress.reserve + self.threshold(ingress.alpha)

    def charge(self, ingress, length):
        """A packet of a lossless class comes. False when it is lost."""
        threshold, account = self.limit(ingress), ingress.used - ingress.inside
        grows = over(account + length, ingress.reserve) - over(account, ingress.reserve)
        fits = ingress.used + length <= threshold and (not self.size or grows <= self.free())
        if not fits and ingress.inside + length > ingress.headroom:
            ingress.lost += 1
            ingress.stop = True
            return False
        if fits:
            self.move(ingress.reserve, account, account + length)
        else:
            ingress.inside += length
        ingress.used += length
        # By the threshold as the packet has left it.
        ingress.stop = ingress.stop or ingress.inside > 0 or ingress.used >= self.limit(ingress)
        ingress.used_max = max(ingress.used_max, ingress.used)
        ingress.inside_max = max(ingress.inside_max, ingress.inside)
        return True

    def release(self, ingress, length):
        """It leaves, out of the headroom first."""
        account = ingress.used - ingress.inside
        first = min(length, ingress.inside)
        ingress.inside -= first
        ingress.used -= length
        self.move(ingress.reserve, account, account - (length - first))
        xon = ingress.xon if ingress.alpha is None else max(0, self.limit(ingress) - ingress.below)
        if ingress.inside == 0 and (ingress.used <= xon or ingress.used == 0):
            ingress.stop = False
