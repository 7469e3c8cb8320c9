#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A model of one congested egress port in virtual time: one FIFO class queue, detector, suppression.

Definitions, each a parameter where it could be otherwise:
- A packet arrives at (stamp - base) / speed. Packets of one instant are enqueued one after the other before the
  port takes the next (--departures-first: the port takes first).
- Occupancy is in frame octets as captured, no overhead. The frame in service has left the queue. A packet is
  dropped when the queue would exceed the limit with it.
- A frame occupies the line for max(length, 60) + 24 octet times (FCS 4, preamble 8, gap 12); it departs at the end
  of that time (--gap-after: the gap of 12 is not part of the departure time but still of the occupancy).
- A shaper spaces the starts of frames by the same octets at its own rate, with a burst allowance in octets.
- The detector sees each arrival with the occupancy that includes it (--blind-drops: only those that are stored).
- step: congested from occupancy >= threshold until an arrival finds less than leave; arrivals with occupancy >= threshold
  are notified (--notify-state: all arrivals while congested).
- qcn: Fb = -((q - Qeq) + w * (q - q_old)) after every `sample` octets of arrivals, q_old the q of the
  evaluation before; level = min(7, floor(8 * |Fb| / (Qeq * (2w + 1)))) when Fb < 0. Arrivals are notified while the level
  last found is at least min level (--notify-sample: only the arrival at which Fb was evaluated).
- A flow (sender, receiver, QP) is notified at most once per min interval; only packets that may be answered are.
"""

import argparse
import json
import os
import sys
from dataclasses import dataclass, field
from fractions import Fraction
from ipaddress import ip_address

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fcnoracle import capture, traffic, walker  # noqa: E402

GAP = 12
SECOND = 10**9


@dataclass
class Offer:
    """A packet offered to the queue."""
    time: Fraction     # ns of virtual time
    length: int        # octets without FCS
    flow: object       # None: never notified
    index: int


@dataclass
class Step:
    threshold: int
    leave: int = None
    notify_state: bool = False
    congested: bool = False

    def __post_init__(self):
        self.leave = self.threshold // 2 if self.leave is None else self.leave

    def arrival(self, occupancy, length):
        """Returns the level to notify with, None for nothing."""
        if occupancy >= self.threshold:
            self.congested = True
        elif occupancy < self.leave:
            self.congested = False
        notify = self.congested if self.notify_state else occupancy >= self.threshold
        return 0 if notify else None


@dataclass
class Qcn:
    qeq: int
    weight: int = 2
    sample: int = 4096
    min_level: int = 1
    carry: bool = False          # octets beyond a sample count for the next
    notify_sample: bool = False
    old: int = 0
    octets: int = 0
    level: int = None
    congested: bool = False
    leave: int = None

    def __post_init__(self):
        self.leave = self.qeq // 2 if self.leave is None else self.leave

    def feedback(self, occupancy):
        """Level for a queue length, None when Fb asks for nothing."""
        fb = -((occupancy - self.qeq) + self.weight * (occupancy - self.old))
        self.old = occupancy
        if fb >= 0:
            return None
        return min(7, 8 * -fb // (self.qeq * (2 * self.weight + 1)))

    def arrival(self, occupancy, length):
        self.octets += length
        due = self.octets >= self.sample
        if due:
            self.octets = self.octets - self.sample if self.carry else 0
            self.level = self.feedback(occupancy)
            if self.level is not None and self.level >= self.min_level:
                self.congested = True
        if occupancy < self.leave:
            self.congested = False
        if self.level is None or self.level < self.min_level or self.notify_sample and not due:
            return None
        return self.level


@dataclass
class Port:
    link: int                    # bits/s
    limit: int = 1 << 62         # octets
    shaper: int = None           # bits/s
    burst: int = 0               # octets the shaper lets through at once
    overhead: int = 24
    minimum: int = 60
    room: int = 0                # frames the port takes beyond the one in service
    departures_first: bool = False
    gap_after: bool = False
    rounding: str = "exact"      # of a frame's line time: exact, up, down (to whole ns)

    def line_time(self, length, rate):
        ns = Fraction((max(length, self.minimum) + self.overhead) * 8 * SECOND, rate)
        if self.rounding == "exact":
            return ns
        return Fraction(-(-ns.numerator // ns.denominator) if self.rounding == "up" else int(ns))


@dataclass
class Outcome:
    departures: list = field(default_factory=list)  # (ns, index)
    drops: list = field(default_factory=list)       # (ns, index)
    notices: list = field(default_factory=list)     # (ns, index, level)
    suppressed: list = field(default_factory=list)  # (ns, index): asked for within the flow's interval
    episodes: list = field(default_factory=list)    # (ns, entered): congestion seen to begin and end
    watermark: int = 0                              # octets, arriving packet included when stored
    left: list = field(default_factory=list)        # [[ns, octets]] occupancy after each arrival


def simulate(offers, port, detector=None, min_interval=0, blind_drops=False):
    """Run all offers (sorted by time) through the port; everything is sent in the end."""
    out, queue, inside = Outcome(), [], []  # inside: (start, end, index) of frames the port has taken
    state = {"occupancy": 0, "line": Fraction(0), "shaper": Fraction(0)}
    last_notice = {}

    def next_take():
        """When the port can take the head of the queue, as far as the port is concerned."""
        ready = Fraction(0)
        if len(inside) > port.room:
            # Room appears when the frame in service, room places before the newest, is out.
            ready = inside[-port.room - 1][1]
        if port.shaper:
            ready = max(ready, state["shaper"] - port.line_time_of_burst)
        return ready

    def take(now):
        offer = queue.pop(0)
        state["occupancy"] -= offer.length
        start = max(now, state["line"])
        end = start + port.line_time(offer.length, port.link)
        state["line"] = end
        if port.shaper:
            state["shaper"] = max(state["shaper"], now) + port.line_time(offer.length, port.shaper)
        inside.append((start, end, offer.index))
        stamp = end - (Fraction(GAP * 8 * SECOND, port.link) if port.gap_after else 0)
        out.departures.append((int(stamp), offer.index))

    def drain(until, inclusive):
        """Let the port take what it can before (or at) a time. The head waits since its own arrival."""
        while queue:
            at = max(next_take(), queue[0].time)
            if until is not None and (at > until or at == until and not inclusive):
                return
            take(at)

    port.line_time_of_burst = Fraction(port.burst * 8 * SECOND, port.shaper) if port.shaper else 0
    for offer in offers:
        drain(offer.time, port.departures_first)
        stored = state["occupancy"] + offer.length <= port.limit
        occupancy = state["occupancy"] + offer.length
        if stored:
            queue.append(offer)
            state["occupancy"] = occupancy
            out.watermark = max(out.watermark, occupancy)
        else:
            out.drops.append((int(offer.time), offer.index))
        out.left.append([int(offer.time), state["occupancy"]])
        if detector is None or blind_drops and not stored:
            continue
        was = detector.congested
        level = detector.arrival(occupancy, offer.length)
        if detector.congested != was:
            out.episodes.append((int(offer.time), detector.congested))
        if level is None or offer.flow is None:
            continue
        last = last_notice.get(offer.flow)
        if last is not None and offer.time - last < min_interval:
            out.suppressed.append((int(offer.time), offer.index))
            continue
        last_notice[offer.flow] = offer.time
        out.notices.append((int(offer.time), offer.index, level))
    drain(None, True)
    return out


def offers_of(arrivals, base, speed, wanted):
    """Offers of the arrivals that go to the port; flow None for packets that may not be answered."""
    factor = Fraction(speed)
    out = []
    for a in arrivals:
        if wanted(a.packet):
            flow = traffic.roce_key(a.packet) if walker.may_trigger(a.packet) else None
            # Virtual time is whole nanoseconds.
            out.append(Offer(Fraction(int((a.time - base) / factor)), len(a.packet.frame), flow, a.index))
    return out


def size(text):
    """200K and 1.5M as in the configuration; K is 1000, Ki 1024."""
    for suffix, factor in (("Ki", 2**10), ("Mi", 2**20), ("Gi", 2**30), ("K", 10**3), ("M", 10**6), ("G", 10**9)):
        if text.endswith(suffix):
            return int(Fraction(text[:-len(suffix)]) * factor)
    return int(text, 0)


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--in", dest="inputs", nargs="+", required=True, metavar="IN.pcap", help="all inputs")
    parser.add_argument("--to-mac", nargs="+", default=[], metavar="MAC", help="packets that leave by the port")
    parser.add_argument("--to", nargs="+", default=[], metavar="ADDR", help="packets that leave by the port")
    parser.add_argument("--speed", default="1")
    parser.add_argument("--base", type=int, help="stamp of virtual time 0, ns (default: first of the inputs)")
    parser.add_argument("--link", type=size, required=True, metavar="BPS")
    parser.add_argument("--shaper", type=size, metavar="BPS")
    parser.add_argument("--burst", type=size, default=0, metavar="OCTETS", help="of the shaper")
    parser.add_argument("--limit", type=size, default=1 << 62, metavar="OCTETS")
    parser.add_argument("--overhead", type=int, default=24)
    parser.add_argument("--room", type=int, default=0, metavar="FRAMES", help="the port takes beyond the one in service")
    parser.add_argument("--rounding", choices=("exact", "up", "down"), default="exact")
    parser.add_argument("--departures-first", action="store_true")
    parser.add_argument("--gap-after", action="store_true")
    parser.add_argument("--step", type=size, metavar="THRESHOLD")
    parser.add_argument("--qcn", type=size, metavar="QEQ")
    parser.add_argument("--leave", type=size)
    parser.add_argument("--weight", type=int, default=2)
    parser.add_argument("--sample", type=size, default=4096)
    parser.add_argument("--min-level", type=int, default=1)
    parser.add_argument("--carry", action="store_true", help="octets beyond a sample count for the next")
    parser.add_argument("--notify-state", action="store_true")
    parser.add_argument("--notify-sample", action="store_true")
    parser.add_argument("--blind-drops", action="store_true")
    parser.add_argument("--min-interval", type=int, default=0, metavar="NS")
    parser.add_argument("--json", metavar="FILE", help="write everything (- for standard output)")
    parser.add_argument("--pcap", metavar="FILE", help="write the departures")
    parser.add_argument("--compare", metavar="OUT.pcap", help="the port's output in the replay: same packets, same times")
    parser.add_argument("--ignore", nargs="+", default=[], metavar="LOOPBACK", help="packets of the output from these")
    parser.add_argument("--tolerance", type=int, default=1, metavar="NS", help="of times when comparing (default 1)")
    parser.add_argument("--expect-notices", type=int, metavar="N")
    parser.add_argument("--expect-drops", type=int, metavar="N")
    return parser.parse_args(argv)


def compare(path, arrivals, out, base, args):
    """Differences between the model's departures and an output, the first few."""
    ignore = {ip_address(s).packed for s in args.ignore}
    wrong, by_index = [], {a.index: a for a in arrivals}
    records = [r for r in capture.load(path).records
               if not any(layer.src in ignore for layer in walker.walk(r.data).layers)]
    if len(records) != len(out.departures):
        wrong.append("%d packets left, the model says %d" % (len(records), len(out.departures)))
    for n, (r, (time, index)) in enumerate(zip(records, out.departures), 1):
        want, p = by_index[index].packet, walker.walk(r.data)
        if traffic.canonical(want.frame, "route", True, True) != traffic.canonical(r.data, "route", True, True):
            wrong.append("packet %d is %s, the model says %s" % (n, p.describe(), want.describe()))
        elif abs(r.time - base - time) > args.tolerance:
            wrong.append("packet %d left at %d ns, the model says %d ns (%s)" % (
                n, r.time - base, time, p.describe()))
        if len(wrong) > 10:
            return wrong + ["..."]
    return wrong


def main(argv=None):
    args = parse(argv)
    arrivals = traffic.arrivals(args.inputs, args.speed, args.base)
    base = args.base if args.base is not None else min(a.time for a in arrivals)
    macs, addresses = {m.lower() for m in args.to_mac}, {ip_address(s).packed for s in args.to}
    offers = offers_of(arrivals, base, args.speed, lambda p: (
        (not macs or walker.mac_text(p.dmac) in macs) and not traffic.never_forwarded(p) and
        (not addresses or p.outer is not None and p.outer.dst in addresses)))
    detector = None
    if args.step:
        detector = Step(args.step, args.leave, args.notify_state)
    elif args.qcn:
        detector = Qcn(args.qcn, args.weight, args.sample, args.min_level, args.carry, args.notify_sample,
                       leave=args.leave)
    port = Port(args.link, args.limit, args.shaper, args.burst, args.overhead, 60, args.room,
                args.departures_first, args.gap_after, args.rounding)
    out = simulate(offers, port, detector, args.min_interval, args.blind_drops)
    if args.json:
        with (sys.stdout if args.json == "-" else open(args.json, "w", encoding="ascii")) as f:
            json.dump(vars(out), f, indent=1)
            f.write("\n")
    if args.pcap:
        frames = {a.index: a.packet.frame for a in arrivals}
        capture.save(args.pcap, [(base + t, frames[i]) for t, i in out.departures], nano=True)
    wrong = compare(args.compare, arrivals, out, base, args) if args.compare else []
    for name, have, want in (("notices", len(out.notices), args.expect_notices),
                             ("drops", len(out.drops), args.expect_drops)):
        if want is not None and have != want:
            wrong.append("the model has %d %s, not %d" % (have, name, want))
    for w in wrong:
        print(w)
    print("%d packets: %d left, %d dropped, watermark %d, %d notices, %d suppressed, %d failures" % (
        len(offers), len(out.departures), len(out.drops), out.watermark, len(out.notices), len(out.suppressed),
        len(wrong)))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
