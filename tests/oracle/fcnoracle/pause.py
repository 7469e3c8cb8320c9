# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""MAC Control frames, and flow control of a port both ways. switch_model.py defines them."""

import struct
from dataclasses import dataclass, field

SECOND = 10**9
ADDRESS = bytes.fromhex("0180c2000001")
PAUSE, PFC = 0x0001, 0x0101


def quanta_ns(quanta, bps):
    return -(-quanta * 512 * SECOND // bps)


def pfc_frame(source, quanta):
    """quanta: {priority: time}; those are enabled."""
    frame = ADDRESS + source + struct.pack("!HHH", 0x8808, PFC, sum(1 << c for c in quanta))
    return (frame + struct.pack("!8H", *(quanta.get(c, 0) for c in range(8)))).ljust(60, b"\0")


def pause_frame(source, quanta):
    return (ADDRESS + source + struct.pack("!HHH", 0x8808, PAUSE, quanta)).ljust(60, b"\0")


def read(frame):
    """(opcode, {priority: quanta}) of a frame that says something to us, None of any other. A reserved octet is ignored."""
    if frame[:6] != ADDRESS or frame[12:14] != b"\x88\x08" or len(frame) < 18:
        return None
    opcode, word = struct.unpack("!HH", frame[14:18])
    if opcode == PAUSE:
        return PAUSE, {c: word for c in range(8)}
    if opcode == PFC and len(frame) >= 34:
        times = struct.unpack("!8H", frame[18:34])
        return PFC, {c: times[c] for c in range(8) if word >> c & 1}
    return None


@dataclass
class Taken:
    """What the other end asked for. Times in ns; a class is stopped while until > now."""
    bps: int
    classes: set = field(default_factory=set)
    link: bool = False
    exempt: set = field(default_factory=set)
    action: str = None           # of the watchdog: drop, forward
    detect: int = 0
    restore: int = 0
    until: dict = field(default_factory=dict)
    since: dict = field(default_factory=dict)    # stopped without a break
    last: dict = field(default_factory=dict)     # last frame that stops it
    storm: dict = field(default_factory=dict)    # class -> when it began
    storms: list = field(default_factory=list)   # classes
    counts: dict = field(default_factory=dict)   # (what, class) -> frames
    spans: list = field(default_factory=list)    # (class, from, to)

    def count(self, what, c):
        self.counts[what, c] = self.counts.get((what, c), 0) + 1

    def close_span(self, c, at):
        self.spans.append((c, self.since[c], at))
        self.since[c] = at

    def close(self, c, at):
        self.spans.append((c, self.since[c], at))
        del self.until[c], self.since[c]

    def elapse(self, now):
        """Pauses end."""
        for c in [c for c, t in self.until.items() if t <= now]:
            self.close(c, self.until[c])

    def receive(self, frame, now):
        """Returns whether it is a frame that says something."""
        found = read(frame)
        if found is None:
            return False
        self.elapse(now - 1)  # who asks again when the time is up leaves no break
        opcode, quanta = found
        for c, q in quanta.items():
            obeyed = (self.link if opcode == PAUSE else c in self.classes) and c not in self.exempt
            if not obeyed:
                self.count("ignored", c)
                continue
            self.count("xoff" if q else "xon", c)
            if q:
                if c in self.storm:
                    self.count("ignored_storm", c)
                self.since.setdefault(c, now)
                self.until[c] = now + quanta_ns(q, self.bps)
                self.last[c] = now
            elif c in self.until:
                self.close(c, now)
        return True

    def watch(self, backlog, now):
        """Storms begin and end. backlog: {class: since when it has packets without a break}. Returns (began, ended)."""
        began, ended = set(), set()
        for c in [c for c in self.storm if self.last[c] + self.restore <= now]:
            ended.add(c)
            del self.storm[c]
            if c in self.until:
                self.close_span(c, now)   # stopped still, and believed again: watched from now on
        for c in self.until if self.action else ():
            if c in backlog and c not in self.storm and max(self.since[c] + self.detect, backlog[c]) <= now:
                self.storm[c] = now
                self.storms.append(c)
                began.add(c)
        return began, ended

    def held(self):
        return {c for c in self.until if not (c in self.storm)}

    def next(self, backlog):
        """When something changes by itself, None when never."""
        times = list(self.until.values()) + [self.last[c] + self.restore for c in self.storm]
        if self.action:
            times += [max(self.since[c] + self.detect, backlog[c]) for c in self.until if c in backlog and c not in self.storm]
        return min(times, default=None)


@dataclass
class Given:
    """What the other end is told."""
    bps: int
    source: bytes
    quanta: int = 65535
    stop: set = field(default_factory=set)       # classes whose sender is to pause
    told: set = field(default_factory=set)       # what the last frame said
    refresh_at: int = None
    sent: list = field(default_factory=list)     # (ns, {class: quanta})

    since: dict = field(default_factory=dict)
    spans: list = field(default_factory=list)    # (class, from, to) by the frames that say so

    def due(self, now):
        return self.stop != self.told or self.refresh_at is not None and self.refresh_at <= now

    def tell(self, now):
        """The frame that leaves now."""
        for c in self.stop - self.told:
            self.since[c] = now
        for c in self.told - self.stop:
            self.spans.append((c, self.since.pop(c), now))
        said = {c: self.quanta for c in self.stop}
        said.update({c: 0 for c in self.told - self.stop})
        self.told = set(self.stop)
        self.refresh_at = now + quanta_ns(self.quanta, self.bps) // 2 if self.stop else None
        self.sent.append((now, said))
        return pfc_frame(self.source, dict(sorted(said.items())))
