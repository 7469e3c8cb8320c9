# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Congestion detectors and token buckets of the queue model; its docstring defines them."""

import math
from dataclasses import dataclass, field
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


def place(measure, threshold, limit):
    """The level of a measure between threshold and limit, by exact powers; 0 without a limit."""
    if limit is None or limit <= threshold:
        return 7 if limit is not None and measure > threshold else 0
    here, whole = Fraction(measure) ** 7 / threshold ** 7, Fraction(limit, threshold)
    return max((n for n in range(1, 8) if here >= whole ** n), default=0)


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
        self.leave = max(1, self.threshold // 2 if self.leave is None else self.leave)
        self.quiet, self.level = Quiet(self.leave, self.hold), Level(self.level_hold)

    def recovered(self, occupancy):
        self.level.value = None

    def place(self, occupancy):
        return place(occupancy, self.threshold, self.limit)

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
        self.leave = max(1, self.qeq // 2 if self.leave is None else self.leave)
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
                self.quiet.see(occupancy, now)   # growth alone may have begun it
            if self.congested:
                self.kept.follow(self.level, now)
        return self.kept.value if self.congested else None


@dataclass
class Red(Recovery):
    """Chooses packets by chance: arrival() gives the level, probability() how likely it is chosen."""
    kmin: int
    kmax: int
    pmax: Fraction
    leave: int
    hold: int = 0
    level_hold: int = 0
    limit: int = None
    congested: bool = False

    def __post_init__(self):
        self.quiet, self.level = Quiet(self.leave, self.hold), Level(self.level_hold)

    def recovered(self, occupancy):
        self.level.value = None

    def probability(self, occupancy):
        if occupancy >= self.kmax:
            return Fraction(1)
        return self.pmax * Fraction(max(0, occupancy - self.kmin), self.kmax - self.kmin)

    def arrival(self, occupancy, length, now=Fraction(0)):
        """Also a departure with the packet that leaves, when that is what it looks at."""
        if self.congested:
            self.departure(occupancy, now)
        elif occupancy >= self.kmin:
            self.congested, self.quiet.since = True, None
        if self.congested and occupancy >= self.kmin:
            self.level.follow(place(occupancy, self.kmin, self.limit), now)
        return self.level.value if self.congested else None


@dataclass
class Sojourn:
    """How long the head of the queue has waited; `head` is when it came, None for an empty queue."""
    target: int
    interval: int
    leave: int
    hold: int = 0
    level_hold: int = 0
    limit: int = None
    congested: bool = False
    above: Fraction = None       # at or above the target at every arrival since
    below: Fraction = None

    def __post_init__(self):
        self.level = Level(self.level_hold)

    def see(self, head, now):
        age = 0 if head is None else now - head
        if age >= self.leave:
            self.below = None
        elif self.below is None:
            self.below = now

    def elapse(self, head, now):
        """Returns when congestion ended by now. A head that waits on does not stay below."""
        if not self.congested or self.below is None:
            return None
        at = self.below + self.hold
        if head is not None and head + self.leave <= min(at, now):
            self.below = None
        elif at <= now:
            self.congested, self.below, self.above, self.level.value = False, None, None, None
            return at
        return None

    def departure(self, head, now):
        if self.congested:
            self.see(head, now)
        return self.elapse(head, now)

    def arrival(self, head, now):
        age = 0 if head is None else now - head
        if self.congested:
            self.see(head, now)
            self.elapse(head, now)
        else:
            if age < self.target:
                self.above = None
            elif self.above is None:
                self.above = now
            if self.above is not None and now - self.above >= self.interval:
                self.congested, self.below = True, None
        if self.congested:
            self.level.follow(place(max(age, self.target), self.target, self.limit), now)
        return self.level.value if self.congested else None


@dataclass
class Rate:
    """Arrivals in windows, by what the port's rate carries in one; an average over windows, an eighth of each new one."""
    threshold: Fraction
    window: int
    rate: int                    # bits/s
    leave: Fraction
    hold: int = 0
    level_hold: int = 0
    limit: Fraction = None
    congested: bool = False
    began: Fraction = None
    octets: int = 0
    average: Fraction = Fraction(0)

    def __post_init__(self):
        self.quiet, self.level = Quiet(self.leave, self.hold), Level(self.level_hold)

    def close(self, now):
        """Windows that are over by now. Returns when congestion ended."""
        end = None
        while self.began is not None and self.began + self.window <= now:
            self.began += self.window
            self.average += (Fraction(self.octets * 8 * 10**9, self.rate * self.window) - self.average) / 8
            self.octets = 0
            if self.congested:
                end = self.quiet.end(self.began)
                self.quiet.see(self.average, self.began)
                end = self.quiet.end(self.began) if end is None else end
                if end is not None:
                    self.congested, self.level.value, self.quiet.since = False, None, None
                    break
        return end

    def elapse(self, now):
        end = self.close(now)
        if end is None and self.congested and self.quiet.end(now) is not None:
            end, self.congested, self.level.value = self.quiet.end(now), False, None
        return end

    def arrival(self, length, now):
        if self.began is None:
            self.began = now
        self.elapse(now)
        self.close(now)
        self.octets += length
        if not self.congested and self.average >= self.threshold:
            self.congested, self.quiet.since = True, None
        if self.congested:
            self.level.follow(place(max(self.average, self.threshold), self.threshold, self.limit), now)
        return self.level.value if self.congested else None


@dataclass
class Share:
    """Octets that notices may put on a link. It may be in debt by one notice. Times are in ns."""
    octet: Fraction
    burst: Fraction
    full: int = 0    # when it is full

    def has(self, now):
        return self.full <= now + self.burst

    def take(self, now, length):
        self.full = max(self.full, now) + math.ceil(self.octet * (max(length, 60) + 24))


@dataclass
class PartedShare(Share):
    """The same where each ingress port has its part: a half of the burst is for all, of the other one each port that has asked lately
    has as much as the next one would have, and the same of the rate."""
    parts: dict = field(default_factory=dict)    # port -> when it is full
    asked: list = field(default_factory=lambda: [0, set(), set()])      # since when, by whom, and by whom before

    def ask(self, now, port):
        """Number of ports that count."""
        lately = max(10**6, math.floor(self.burst))
        since, these, before = self.asked
        if now - since >= lately:
            before = these if now - since < 2 * lately else set()
            since, these = now, set()
        these.add(port)
        self.asked = [since, these, before]
        return len(these | before)

    def grants(self, now, port, length):
        """Take a frame for a port, if it may have it."""
        n, half = self.ask(now, port), now + math.floor(self.burst) // 2
        if not self.has(now) or self.full > half and self.parts.get(port, 0) > half:
            return False
        time = math.ceil(self.octet * (max(length, 60) + 24))
        self.parts[port] = min(max(self.parts.get(port, 0), now), half) + time * (n + 1)
        self.take(now, length)
        return True


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
