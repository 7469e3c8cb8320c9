#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A model of one congested egress port in virtual time: one FIFO class queue, detector, suppression.

Definitions, each a parameter where it could be otherwise:
- A packet arrives at (stamp - base) / speed, to the nearest nanosecond. Packets of one instant are enqueued one after
  the other before the port takes the next (--departures-first: the port takes first).
- Occupancy is in frame octets as captured, no overhead. The frame in service has left the queue. A packet is
  dropped when the queue would exceed the limit with it.
- A frame occupies the line for max(length, 60) + 24 octet times (FCS 4, preamble 8, gap 12); it departs at the end
  of that time (--gap-after: the gap of 12 is not part of the departure time but still of the occupancy).
- A shaper spaces the starts of frames by the same octets at its own rate, with a burst allowance in octets (--whole-ns: as a
  time of whole nanoseconds, rounded down).
- --whole-ns: the switch has a clock of whole nanoseconds. The port takes a frame at the first of them at which it can;
  a frame taken then is back to back with the one before, to the fraction. Departures are rounded up.
- The detector sees each arrival with the occupancy that includes it (--blind-drops: only those that are stored).
- Congestion ends when occupancy has been below leave for --hold, whether anything arrives then or not: counted from the
  departure (the port takes the packet) or the arrival that left so little. What ends at the instant of an arrival has ended before it.
- step: congested from occupancy >= threshold on; arrivals with occupancy >= threshold are notified (--notify-state: all
  arrivals while congested).
- qcn: Fb = -((q - Qeq) + w * (q - q_old)) after every `sample` octets of arrivals, q_old the q of the
  evaluation before; level = min(7, floor(8 * |Fb| / (Qeq * (2w + 1)))) when Fb < 0. Arrivals are notified while the level
  last found is at least min level (--notify-sample: only the arrival at which Fb was evaluated).
  With --notify-state the state is kept: congested from a level of min level on; notified are arrivals while congested and
  Fb asks for anything, level 0 included. A level rises at once; it falls (to "nothing asked for", too) no sooner than
  --level-hold after it last changed, and not by one while the 6-bit value floor(64 * |Fb| / full scale), one added, is in it
  still. When congestion ends the sampling begins afresh, with the occupancy then.
- The level of step is the greatest l <= 7 with (q / threshold)^7 >= (limit / threshold)^l, at least 0; it falls like qcn's.
- A flow (sender, receiver, QP) is notified at most once per min interval; only packets that may be answered are.
- --queue-bucket, --global-bucket, --dest-bucket RATE:BURST: notices of the queue, all notices, and those to one sender,
  take a token each; one comes every 1 s / RATE (rounded up to ns), BURST are there at first and at most. Who asks is
  refused by the interval, else by --heavy-flows, else by the queue's bucket, the global one, the sender's; a refusal
  takes nothing from the others.
- --unreachable: there is no way back to any sender. A packet that neither the interval nor --heavy-flows refuses is refused
  for that; it begins no interval and takes no token.
- --heavy-flows: packets of flows that hold less than 1 / (2 n) of the queue, the packet included, are refused; n flows
  have packets in it, the packet's included.
"""

import argparse
import collections
import json
import math
import os
import sys
from dataclasses import dataclass, field
from fractions import Fraction
from ipaddress import ip_address

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fcnoracle import capture, report, traffic, walker  # noqa: E402
from fcnoracle.detector import Bucket, Qcn, Step  # noqa: E402

GAP = 12
NO_LIMIT = 1 << 62
# What becomes of a packet that met congestion. other: it may not be answered.
REFUSALS = ("interval", "light_flow", "unreachable", "bucket_queue", "bucket_global", "bucket_destination")
FATES = ("notified", "other") + REFUSALS
SECOND = 10**9


@dataclass
class Offer:
    """A packet offered to the queue."""
    time: Fraction     # ns of virtual time
    length: int        # octets without FCS
    flow: object       # None: never notified
    index: int


@dataclass
class Port:
    link: int                    # bits/s
    limit: int = NO_LIMIT         # octets
    shaper: int = None           # bits/s
    burst: int = 0               # octets the shaper lets through at once
    overhead: int = 24
    minimum: int = 60
    room: int = 0                # frames the port takes beyond the one in service
    departures_first: bool = False
    gap_after: bool = False
    rounding: str = "exact"      # of a frame's line time: exact, up, down (to whole ns)
    whole_ns: bool = False

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
    suppressed: list = field(default_factory=list)  # (ns, index, why of REFUSALS)
    met: dict = field(default_factory=dict)         # index of a packet that met congestion -> notified, why not, other
    episodes: list = field(default_factory=list)    # (ns, entered): congestion begins and ends
    watermark: int = 0                              # octets, arriving packet included when stored
    left: list = field(default_factory=list)        # [[ns, octets]] occupancy after each arrival


def whole(time):
    """The first whole nanosecond that is not before a time."""
    return Fraction(math.ceil(time))


def simulate(offers, port, detector=None, min_interval=0, blind_drops=False, buckets=(None, None, None), heavy_flows=False,
             unreachable=False):
    """Run all offers (sorted by time) through the port; everything is sent in the end.

    buckets: (cost in ns, burst) of the queue, of all notices, and of each sender, or None.
    """
    out, queue, inside = Outcome(), [], []  # inside: (start, end, index) of frames the port has taken
    state = {"occupancy": 0, "line": Fraction(0), "shaper": Fraction(0)}
    last_notice, held = {}, collections.Counter()
    common = [(why, Bucket(*b)) for why, b in zip(("bucket_queue", "bucket_global"), buckets) if b]
    sender_bucket = collections.defaultdict(lambda: Bucket(*buckets[2])) if buckets[2] else None

    def refused(offer, had, occupancy):
        """Why a notice that is asked for is not sent, None when it is."""
        last = last_notice.get(offer.flow)
        if last is not None and offer.time - last < min_interval:
            return "interval"
        if heavy_flows:
            others = sum(1 for flow in held if held[flow] and flow != offer.flow)
            if 2 * (others + 1) * (had + offer.length) < occupancy:
                return "light_flow"
        if unreachable:
            return "unreachable"
        asked = common + ([("bucket_destination", sender_bucket[offer.flow[0]])] if sender_bucket is not None else [])
        for why, tokens in asked:
            if not tokens.has(offer.time):
                return why
        last_notice[offer.flow] = offer.time
        for _, tokens in asked:
            tokens.take()
        return None

    def ended(at):
        if at is not None:
            out.episodes.append((int(at), False))

    def next_take():
        """When the port can take the head of the queue, as far as the port is concerned."""
        ready = Fraction(0)
        if len(inside) > port.room:
            # Room appears when the frame in service, room places before the newest, is out.
            ready = inside[-port.room - 1][1]
        if port.shaper:
            ready = max(ready, state["shaper"] - port.line_time_of_burst)
        return whole(ready) if port.whole_ns else ready

    def take(now):
        offer = queue.pop(0)
        state["occupancy"] -= offer.length
        if port.whole_ns:
            # A clock of whole nanoseconds cannot come sooner than this.
            start = state["line"] if now <= whole(state["line"]) else now
        else:
            start = max(now, state["line"])
        end = start + port.line_time(offer.length, port.link)
        state["line"] = end
        if port.shaper:
            free = state["shaper"] - port.line_time_of_burst
            late = now - port.line_time_of_burst > (whole(free) if port.whole_ns else free)
            state["shaper"] = (now if late else state["shaper"]) + port.line_time(offer.length, port.shaper)
        inside.append((start, end, offer.index))
        held[offer.flow] -= offer.length
        if detector is not None:
            ended(detector.departure(state["occupancy"], now))
        stamp = end - (Fraction(GAP * 8 * SECOND, port.link) if port.gap_after else 0)
        out.departures.append((int(whole(stamp) if port.whole_ns else stamp), offer.index))

    def drain(until, inclusive):
        """Let the port take what it can before (or at) a time. The head waits since its own arrival."""
        while queue:
            at = max(next_take(), queue[0].time)
            if until is not None and (at > until or at == until and not inclusive):
                return
            if detector is not None:
                ended(detector.elapse(state["occupancy"], at))
            take(at)

    port.line_time_of_burst = Fraction(port.burst * 8 * SECOND, port.shaper) if port.shaper else 0
    if port.whole_ns:
        port.line_time_of_burst = int(port.line_time_of_burst)
    for offer in offers:
        drain(offer.time, port.departures_first)
        if detector is not None:
            ended(detector.elapse(state["occupancy"], offer.time))
        stored = state["occupancy"] + offer.length <= port.limit
        occupancy = state["occupancy"] + offer.length
        if stored:
            queue.append(offer)
            state["occupancy"] = occupancy
            out.watermark = max(out.watermark, occupancy)
        else:
            out.drops.append((int(offer.time), offer.index))
        out.left.append([int(offer.time), state["occupancy"]])
        had, held[offer.flow] = held[offer.flow], held[offer.flow] + (offer.length if stored else 0)
        if detector is None or blind_drops and not stored:
            continue
        was = detector.congested
        level = detector.arrival(occupancy, offer.length, offer.time)
        if detector.congested != was:
            out.episodes.append((int(offer.time), detector.congested))
        if level is None:
            continue
        why = "other" if offer.flow is None else refused(offer, had, occupancy)
        out.met[offer.index] = why or "notified"
        if why == "other":
            continue
        if why:
            out.suppressed.append((int(offer.time), offer.index, why))
        else:
            out.notices.append((int(offer.time), offer.index, level))
    drain(None, True)
    if detector is not None:
        ended(detector.elapse(state["occupancy"], state["line"] + SECOND))
    return out


def offers_of(arrivals, base, speed, wanted):
    """Offers of the arrivals that go to the port; flow None for packets that may not be answered."""
    factor = Fraction(speed)
    out = []
    for a in arrivals:
        if wanted(a.packet):
            flow = traffic.roce_key(a.packet) if walker.may_trigger(a.packet) else None
            # Virtual time is whole nanoseconds.
            out.append(Offer(Fraction(traffic.scaled(a.time - base, factor)), len(a.packet.frame), flow, a.index))
    return out


def size(text):
    """200K and 1.5M as in the configuration; K is 1000, Ki 1024."""
    for suffix, factor in (("Ki", 2**10), ("Mi", 2**20), ("Gi", 2**30), ("K", 10**3), ("M", 10**6), ("G", 10**9)):
        if text.endswith(suffix):
            return int(Fraction(text[:-len(suffix)]) * factor)
    return int(text, 0)


def bucket(text):
    """RATE:BURST as (ns a token, tokens)."""
    rate, burst = text.split(":")
    return -(-SECOND // size(rate)), size(burst)      # rounded up: the rate is a limit


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
    parser.add_argument("--limit", type=size, default=NO_LIMIT, metavar="OCTETS")
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
    parser.add_argument("--whole-ns", action="store_true")
    parser.add_argument("--hold", type=int, default=0, metavar="NS")
    parser.add_argument("--level-hold", type=int, default=0, metavar="NS")
    parser.add_argument("--blind-drops", action="store_true")
    parser.add_argument("--min-interval", type=int, default=0, metavar="NS")
    parser.add_argument("--queue-bucket", type=bucket, metavar="RATE:BURST")
    parser.add_argument("--global-bucket", type=bucket, metavar="RATE:BURST")
    parser.add_argument("--heavy-flows", action="store_true")
    parser.add_argument("--unreachable", action="store_true", help="there is no way back to any sender")
    parser.add_argument("--dest-bucket", type=bucket, metavar="RATE:BURST")
    parser.add_argument("--json", metavar="FILE", help="write everything (- for standard output)")
    parser.add_argument("--pcap", metavar="FILE", help="write the departures")
    parser.add_argument("--compare", metavar="OUT.pcap", help="the port's output in the replay: same packets, same times")
    parser.add_argument("--marks", nargs="*", choices=FATES,
                        help="with --compare: ECT packets that met congestion and these leave as CE, and no others")
    parser.add_argument("--never-notify", action="store_true", help="no packet may be answered")
    parser.add_argument("--ignore", nargs="+", default=[], metavar="LOOPBACK", help="packets of the output from these")
    parser.add_argument("--tolerance", type=int, default=1, metavar="NS", help="of times when comparing (default 1)")
    parser.add_argument("--notices", nargs="+", default=[], metavar="OUT.pcap",
                        help="outputs of the ports that notices leave by: the model's notices and no others, each as soon as "
                             "its line, strict priority and order allow")
    parser.add_argument("--notice-link", type=size, default=10**10, metavar="BPS", help="speed of those ports (default 10G)")
    parser.add_argument("--source", metavar="LOOPBACK", help="of the notices")
    parser.add_argument("--counters", metavar="JSON", help="the replay's: those of the port must be the model's")
    parser.add_argument("--queue", metavar="PORT:CLASS", help="whose counters")
    parser.add_argument("--moments", action="store_true",
                        help="with --counters: flows and times of the report, too; no other port may be congested")
    parser.add_argument("--expect-notices", type=int, metavar="N")
    parser.add_argument("--expect-drops", type=int, metavar="N")
    args = parser.parse_args(argv)
    if args.notices and not args.source:
        parser.error("--notices needs --source")
    if args.counters and not args.queue:
        parser.error("--counters needs --queue")
    return args


def flow_of_notice(p):
    """The flow a Fast CNP is about, as traffic.roce_key() has it of data packets."""
    options = p.options(walker.DEST_OPTIONS)
    return (p.ip.dst, options[0].data[-16:], p.bth.qp) if options and p.bth else None


def notice_times(paths, source, link, base):
    """Flow -> [(earliest, latest) ns of the decision, by the time the notice left], in order of departure.

    A notice in a class of its own, strict above all else, starts when it is made, or as soon as the frame or
    notice before it is over. So the moment it was made is known to the nanosecond when its line was idle, else it lies
    between the start of the frame before and the end of that.
    """
    line = lambda frame: Fraction((max(len(frame), 60) + 24) * 8 * SECOND, link)
    out = collections.defaultdict(list)
    for path in paths:
        before, floor = None, Fraction(0)
        for r in capture.load(path).records:
            p, left = walker.walk(r.data), r.time - base
            start = left - line(r.data)  # at most 1 ns early: departures are rounded up
            ours = any(layer.src == source for layer in p.layers)
            idle = before is None or start > before + 1
            if ours:
                made = (start - 1, start + 1) if idle else (floor, start + 1)
                out[flow_of_notice(p)].append(made)
            # Notices that follow this frame at once were made after it began, or after the first of them did.
            if not ours or idle:
                floor = start - 1
            before = Fraction(left)
    return out


def compare_notices(arrivals, out, base, args):
    """Differences between the model's notices and those that left."""
    by_index = {a.index: a for a in arrivals}
    want, wrong = collections.defaultdict(list), []
    for time, index, _ in out.notices:
        want[traffic.roce_key(by_index[index].packet)].append(time)
    have = notice_times(args.notices, ip_address(args.source).packed, args.notice_link, base)
    for flow in sorted(set(want) | set(have)):
        name = "%s > %s QP %06x" % (walker.ip_text(flow[0]), walker.ip_text(flow[1]), flow[2])
        if len(want[flow]) != len(have[flow]):
            wrong.append("%s: %d notices, the model says %d" % (name, len(have[flow]), len(want[flow])))
        for n, (t, (first, last)) in enumerate(zip(want[flow], have[flow]), 1):
            if not first <= t <= last:
                wrong.append("%s: notice %d was made between %d and %d ns, the model says %d" % (
                    name, n, first, last, t))
                break
    return wrong


def counters_of(out, offers, port):
    """What the switch's counters of the queue must say: {pointer: value}."""
    length = {o.index: o.length for o in offers}
    taken = [o for o in offers if o.index not in {i for _, i in out.drops}]
    why = collections.Counter(w for _, _, w in out.suppressed)
    name, number = port.split(":")
    queue = "/queues/port=%s,class=%s/" % (name, number)
    want = {queue + "packets": len(taken), queue + "bytes": sum(length[o.index] for o in taken),
            queue + "sent": len(out.departures), queue + "tail_drops": len(out.drops), queue + "occ_max": out.watermark,
            queue + "congested_packets": len(out.met),
            queue + "enters": sum(1 for _, entered in out.episodes if entered),
            queue + "leaves": sum(1 for _, entered in out.episodes if not entered)}
    want["/ports/port=%s/notices" % name] = len(out.notices)
    for reason in REFUSALS:
        want["/notify/verdicts/port=%s,class=%s,verdict=%s/packets" % (name, number, reason)] = why[reason]
    return want


def compare_counters(out, offers, args):
    with open(args.counters, encoding="utf-8") as f:
        document = json.load(f)
    wrong = []
    for pointer, want in counters_of(out, offers, args.queue).items():
        have = report.number(document, pointer)
        if have != want:
            wrong.append("counter %s is %s, the model says %d" % (pointer, have, want))
    sent = sum(v["packets"] for v in report.select(document, "/notify/verdicts")
               if [v["port"], str(v["class"])] == args.queue.split(":") and v["outcome"] == "sent")
    if sent != len(out.notices):
        wrong.append("%d notices counted, the model says %d" % (sent, len(out.notices)))
    return wrong


SHOWN_FLOWS = 10


def flows_of(arrivals, out):
    """(sender, receiver, QP) as the report writes them -> notices, first, last, highest level."""
    by_index, found = {a.index: a for a in arrivals}, {}
    for time, index, level in out.notices:
        sender, receiver, qp = traffic.roce_key(by_index[index].packet)
        key = (walker.ip_text(sender), walker.ip_text(receiver), "0x%06x" % qp)
        n, first, _, highest = found.get(key, (0, time, time, level))
        found[key] = (n + 1, first, time, max(highest, level))
    return found


def compare_moments(arrivals, out, args):
    """What the report says of flows and of when things happened; the port must be the only one that is congested."""
    with open(args.counters, encoding="utf-8") as f:
        document = json.load(f)
    wrong, want = [], flows_of(arrivals, out)
    have = {(f["sender"], f["receiver"], f["qp"]): (f["notices"], f["first_ns"], f["last_ns"], f["max_level"])
            for f in document["flows"]}
    if len(have) != min(len(want), SHOWN_FLOWS):
        wrong.append("%d flows reported, the model has %d" % (len(have), len(want)))
    most = sorted((v[0] for v in want.values()), reverse=True)[:SHOWN_FLOWS]
    if sorted((v[0] for v in have.values()), reverse=True) != most:
        wrong.append("flows with the most notices have %s, the model says %s" % ([v[0] for v in have.values()], most))
    for key, value in have.items():
        if want.get(key) != value:
            wrong.append("flow %s: notices, first, last, level %s, the model says %s" % (key, value, want.get(key)))
    entered = [t for t, e in out.episodes if e]
    moments = {"congestion_entered": len(entered), "congestion_left": len(out.episodes) - len(entered),
               "notices": len(out.notices), "first_congested_ns": entered[0] if entered else report.MISSING,
               "first_notice_ns": out.notices[0][0] if out.notices else report.MISSING}
    for name, value in moments.items():
        found = report.select(document, "/latency/" + name)
        if found != value:
            wrong.append("latency %s is %s, the model says %s" % (name, found, value))
    return wrong


def marked(p, fate, args):
    """Whether a packet must leave as CE."""
    return p.outer.ecn == walker.CE or p.outer.ecn != walker.NOT_ECT and fate in args.marks


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
        elif args.marks is not None and (p.outer.ecn == walker.CE) != marked(want, out.met.get(index), args):
            wrong.append("packet %d (%s) came with ECN %d, congestion: %s" % (
                n, p.describe(), want.outer.ecn, out.met.get(index)))
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
    if args.never_notify:
        offers = [Offer(o.time, o.length, None, o.index) for o in offers]
    detector = None
    if args.step:
        detector = Step(args.step, args.leave, args.notify_state, hold=args.hold, level_hold=args.level_hold,
                        limit=args.limit if args.limit < NO_LIMIT else None)
    elif args.qcn:
        detector = Qcn(args.qcn, args.weight, args.sample, args.min_level, args.carry, args.notify_sample,
                       leave=args.leave, notify_state=args.notify_state, hold=args.hold, level_hold=args.level_hold)
    port = Port(args.link, args.limit, args.shaper, args.burst, args.overhead, 60, args.room,
                args.departures_first, args.gap_after, args.rounding, args.whole_ns)
    out = simulate(offers, port, detector, args.min_interval, args.blind_drops,
                   (args.queue_bucket, args.global_bucket, args.dest_bucket), args.heavy_flows, args.unreachable)
    if args.json:
        text = json.dumps(vars(out), indent=1) + "\n"
        if args.json == "-":
            sys.stdout.write(text)
        else:
            with open(args.json, "w", encoding="ascii") as f:
                f.write(text)
    if args.pcap:
        frames = {a.index: a.packet.frame for a in arrivals}
        capture.save(args.pcap, [(base + t, frames[i]) for t, i in out.departures], nano=True)
    wrong = compare(args.compare, arrivals, out, base, args) if args.compare else []
    if args.notices:
        wrong += compare_notices(arrivals, out, base, args)
    if args.counters:
        wrong += compare_counters(out, offers, args)
    if args.moments:
        wrong += compare_moments(arrivals, out, args)
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
