# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Congestion detectors and token buckets of the queue model; its docstring defines them."""

from dataclasses import dataclass
from fractions import Fraction


@dataclass
class Level:
    """A congestion level: rises at once, falls only after it stood for a while. None, nothing is asked for, counts at once."""
    hold: int = 0
    value: int = None
    since: Fraction = Fraction(0)

    def follow(self, wanted, now):
        have, want = (-1 if v is None else v for v in (self.value, wanted))
        if want > have or want < have and (wanted is None or now - self.since >= self.hold):
            self.value, self.since = wanted, now


@dataclass
class Quiet:
    """How long a measure has been below a mark."""
    mark: int
    hold: int = 0
    since: Fraction = None

    def see(self, measure, now):
        if measure >= self.mark:
            self.since = None
        elif self.since is None:
            self.since = now

    def end(self, now):
        """When it had been below for long enough, None when it has not by now."""
        return self.since + self.hold if self.since is not None and now >= self.since + self.hold else None


class Recovery:
    """Congestion that ends by time: `quiet` is what it waits for."""

    def elapse(self, occupancy, now):
        """Time passes without anything else. Returns when congestion ended, None when it did not."""
        at = self.quiet.end(now) if self.congested else None
        if at is not None:
            self.congested = False
            self.recovered(occupancy)
        return at

    def departure(self, occupancy, now):
        """The port has taken a packet, so much is left behind. The caller has let time pass up to now."""
        if self.congested:
            self.quiet.see(occupancy, now)
        return self.elapse(occupancy, now)

    def recovered(self, occupancy):
        """Congestion is over."""


@dataclass
class Step(Recovery):
    threshold: int
    leave: int = None
    notify_state: bool = False
    congested: bool = False
    hold: int = 0                # ns below leave until congestion ends
    level_hold: int = 0          # ns until a level falls
    limit: int = None            # of the queue, for the scale of levels

    def __post_init__(self):
        self.leave = self.threshold // 2 if self.leave is None else self.leave
        self.quiet, self.level = Quiet(self.leave, self.hold), Level(self.level_hold)

    def recovered(self, occupancy):
        self.level.value = None

    def place(self, occupancy):
        """The level of an occupancy between threshold and limit, by exact powers."""
        if self.limit is None or self.limit <= self.threshold:
            return 7 if self.limit is not None and occupancy > self.threshold else 0
        here, whole = Fraction(occupancy, self.threshold) ** 7, Fraction(self.limit, self.threshold)
        return max((n for n in range(1, 8) if here >= whole ** n), default=0)

    def arrival(self, occupancy, length, now=Fraction(0)):
        """Returns the level to notify with, None for nothing. The caller has let time pass up to now."""
        if self.congested:
            self.departure(occupancy, now)
        elif occupancy >= self.threshold:
            self.congested, self.quiet.since = True, None
        if self.congested:
            self.level.follow(self.place(occupancy), now)
        notify = self.congested if self.notify_state else occupancy >= self.threshold
        return self.level.value if notify else None


@dataclass
class Qcn(Recovery):
    qeq: int
    weight: int = 2
    sample: int = 4096
    min_level: int = 1
    carry: bool = False          # octets beyond a sample count for the next
    notify_sample: bool = False
    old: int = 0
    octets: int = 0
    level: int = None            # last found
    congested: bool = False
    leave: int = None
    notify_state: bool = False
    hold: int = 0
    level_hold: int = 0

    def __post_init__(self):
        self.leave = self.qeq // 2 if self.leave is None else self.leave
        self.quiet, self.kept = Quiet(self.leave, self.hold), Level(self.level_hold)

    def recovered(self, occupancy):
        self.kept.value = None
        if self.notify_state:
            self.old, self.octets = occupancy, 0

    def sixty_fourths(self, occupancy):
        """|Fb| in 64ths of full scale, not rounded; None when Fb asks for nothing. Takes the occupancy for the next."""
        fb = -((occupancy - self.qeq) + self.weight * (occupancy - self.old))
        self.old = occupancy
        return None if fb >= 0 else Fraction(64 * -fb, self.qeq * (2 * self.weight + 1))

    def feedback(self, occupancy):
        """Level for a queue length, None when Fb asks for nothing."""
        found = self.sixty_fourths(occupancy)
        return None if found is None else min(7, int(found / 8))

    def arrival(self, occupancy, length, now=Fraction(0)):
        return (self.stateful if self.notify_state else self.plain)(occupancy, length, now)

    def plain(self, occupancy, length, now):
        self.octets += length
        due = self.octets >= self.sample
        if due:
            self.octets = self.octets - self.sample if self.carry else 0
            self.level = self.feedback(occupancy)
            if self.level is not None and self.level >= self.min_level:
                self.congested, self.quiet.since = True, None
        if self.congested and not due:
            self.departure(occupancy, now)
        if self.level is None or self.level < self.min_level or self.notify_sample and not due:
            return None
        return self.level

    def stateful(self, occupancy, length, now):
        self.octets += length
        if self.congested and self.departure(occupancy, now) is not None:
            return None
        if self.octets >= self.sample:
            self.octets = self.octets - self.sample if self.carry else 0
            found = self.sixty_fourths(occupancy)
            six = None if found is None else min(63, int(found))
            self.level = None if six is None else six // 8
            kept = self.kept.value
            if six is not None and kept is not None and self.level < kept and (six + 1) // 8 == kept:
                self.level = kept
            if not self.congested and self.level is not None and self.level >= self.min_level:
                self.congested, self.quiet.since = True, None
            if self.congested:
                self.kept.follow(self.level, now)
        return self.kept.value if self.congested else None


@dataclass
class Bucket:
    """Tokens: one every `cost` ns, `burst` at first and at most."""
    cost: int
    burst: int
    tokens: Fraction = None
    at: Fraction = Fraction(0)

    def has(self, now):
        if self.tokens is None:
            self.tokens = Fraction(self.burst)
        self.tokens = min(Fraction(self.burst), self.tokens + (now - self.at) / self.cost)
        self.at = now
        return self.tokens >= 1

    def take(self):
        self.tokens -= 1
