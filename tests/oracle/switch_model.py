#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A model of the whole switch in virtual time, held against a replay: every frame of every output, to the octet and the
nanosecond, notices and PFC frames included, and the counters. It reads the case's fastcn.conf by itself.

Definitions beyond those of queue_model.py (--whole-ns, --notify-state) and sched_model.py:
- A bridge learns; what it does not know goes to all other ports. Class is DSCP / 8, or what `class-map dscp` says.
- At one instant: congestion that is over by then ends; all frames that arrive then are taken in; pauses that are over end,
  storms begin and end; then each port takes frames. A port takes a frame when the one before has left the line.
- VLANs of a routed port as doc/vlan.md tells. A notice leaves by the route to the sender; in the queues a tag counts.
- Order of what leaves: a PFC frame; the class of the notices (while there can be any); classes that have not had their committed rate, highest
  first; strict classes, highest first; the others by deficit round robin, 1600 octets for the greatest common divisor of their
  weights. The committed rate is charged with what goes by right of it alone, the peak rate with all.
- A shaper (port, committed, peak) spaces starts by max(length, 60) + overhead octets at its rate, up to as many whole ns ahead as
  the burst takes.
- Shared buffer: a queue that has used octets beyond its reserve may take a packet when it then has at most alpha * free beyond its
  reserve, free being the shared part that nobody uses, as it is before the packet. Packets that come by a port and class with
  `pfc send` stand on the account of these instead: on its threshold (xoff, or alpha * free) while all of them are at most
  that with the packet, else in its headroom, else they are lost; the egress queue's limit in octets
  does not count. The sender is to pause from then on, or when the threshold, as the packet has left it, is reached; until the headroom, first to be given back, is empty and the rest is at most xon. Given back is what the port takes.
- Packets of a budget (`set buffer packets`): each queue has a reserve, a quarter of them among all queues but at most 32, and shares the
  rest. It takes a packet while it has fewer than its reserve and what was free at the end of the instant before. Lossless classes are not
  modelled.
- Trimming: fcnoracle/trim.py. A trimmed packet neither runs a detector nor stands on an account; its share of the link is a bucket of
  octets of which each ingress port has its part. What another switch has trimmed runs no detector either, and stands on accounts.
- What found no room is returned: a Fast CNP with a further option about this packet, without an interval or a bucket but a share of the
  link for itself; to END.CON for what is in a tunnel of a known one; as a message of level 7 where a proxy stands for the sender.
- A PFC frame that is received stops the classes it names for ceil(quanta * 512e9 / bps) ns from its arrival, the newest
  counts, 0 ends it; what the line carries is finished. The notices' class is not stopped (while there can be any). One that is sent names all classes whose sender is to pause with
  the quanta, and with 0 those that may go on since the last; again after half of its time.
- What a watchdog drops from a queue is a drop of that port, not of the one it came in by.
- Watchdog: a class that has been stopped without a break for the detection time, and has packets, is believed no more: its packets are
  dropped, or sent, until no frame stopped it for the restoration time.
- step: by arrivals, or (at dequeue) by what the queue holds with the packet that leaves.
- red: Kmin below, Kmax above, pmax * (q - Kmin) / (Kmax - Kmin) between, by arrivals or (at dequeue) by what leaves with it.
  Which packet is chosen is chance: outputs are compared without that mark, and their number must be within four
  standard deviations of the mean, of all and of each quarter of the probabilities.
- sojourn: the time the head has waited, seen by arrivals; congested when at least the target at each for the interval.
  Level 7 is what the queue's limit takes at the port's rate.
- rate: octets in windows from the first arrival on, by what the port's rate carries; average += (window - average) / 8. Level 7
  is eight times the rate.
- IOAM: fcnoracle/transit.py. Buffer occupancy is what the shared buffer holds beyond reserves, headrooms included; without one
  what the queues of the egress port hold.
- Notices to END.CON: wire-formats as in fcnoracle/notice.py, about RoCEv2 over IPv6 in a tunnel of IPv6 whose source is in
  `srv6 endcon`. The flow is the inner one; the bucket for destinations and the way back are those of the outer source. Each kind of notice has intervals and
  buckets of its own. Only the outer header is marked.
- Whether there is a way back to the sender is asked behind interval and heavy-flow filter, before any bucket: a bridged packet
  has one, a routed one when the next hop towards the sender is a known neighbour. Without one the packet is marked as if nobody had been notified.
- Who filled a queue: fcnoracle/top_flows.py. What arrives while the queue is congested (at dequeue: what leaves then) counts, and what
  the queue refuses, but not because of a pause storm.
- Heavy-flow filter: n flows have packets in the queue, the packet's included; refused is who with the packet holds less than 1 / (2 n).
"""

import argparse
import collections
import json
import math
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fcnoracle import capture, config, report, switch, top_flows, traffic, walker  # noqa: E402

SIGMAS = 4


def arrivals_of(inputs, speed):
    """[(virtual ns, port, frame)] of all inputs, merged as a replay does, and the stamp of virtual time 0."""
    ports = [words[0] for words in inputs for _ in words[1:]]
    found = traffic.arrivals([path for words in inputs for path in words[1:]], speed)
    base = found[0].virtual if found else 0
    return [(a.virtual - base, ports[a.source], a.packet.frame) for a in found], base


class Chances:
    """Packets that chance marks."""

    def __init__(self):
        self.bins = collections.defaultdict(lambda: [0, 0.0, 0.0, 0])   # marks, mean, variance, packets

    def note(self, chance, marked):
        for key in ("all", "quarter %d" % min(3, int(chance * 4))):
            b = self.bins[key]
            b[0] += marked
            b[1] += float(chance)
            b[2] += float(chance * (1 - chance))
            b[3] += 1

    def check(self):
        wrong = []
        for key, (marks, mean, variance, packets) in sorted(self.bins.items()):
            print("marked by chance, %s: %d of %d, mean %.2f, standard deviation %.2f" % (
                key, marks, packets, mean, math.sqrt(variance)))
            if abs(marks - mean) > SIGMAS * math.sqrt(variance):
                wrong.append("%d of %d marked (%s), the mean is %.2f" % (marks, packets, key, mean))
        return wrong


def compare_port(name, want, path, base, chances):
    """Differences between what the model's port sent and an output, the first few."""
    wrong, records = [], capture.load(path).records
    if len(records) != len(want):
        wrong.append("%s sent %d frames, the model says %d" % (name, len(records), len(want)))
    for n, (r, s) in enumerate(zip(records, want), 1):
        frame, data = s.item.frame, r.data
        chance = s.item.chance
        if s.kind == "data" and chance and chance < 1 and walker.walk(frame).outer.ecn in (walker.ECT0, walker.ECT1):
            chances.note(chance, walker.walk(data).outer.ecn == walker.CE)
            if traffic.canonical(frame, "bridge", True) == traffic.canonical(data, "bridge", True):
                frame = data
        if data != frame:
            wrong.append("%s: frame %d is %s\n   the model says %s: %s" % (
                name, n, describe(data), s.kind, describe(frame)))
        elif r.time - base != s.time:
            wrong.append("%s: frame %d left at %d ns, the model says %d (%s)" % (name, n, r.time - base, s.time, s.kind))
        if len(wrong) > 5:
            return wrong + ["..."]
    return wrong


def describe(frame):
    if frame[12:14] == b"\x88\x08":
        return frame.rstrip(b"\0").hex(" ", 2)
    return walker.walk(frame).describe()


def rows(document, pointer, *keys):
    out = collections.Counter()
    for row in report.select(document, pointer):
        out[tuple(row[k] for k in keys)] += row["packets"]
    return out


def compare_rows(what, have, want):
    return ["%s %s: %d, the model says %d" % (what, ":".join(str(w) for w in k), have[k], want[k])
            for k in sorted(set(have) | set(want), key=str) if have[k] != want[k]]


def queue_counters(q):
    sent = {"packets": q.packets, "bytes": q.octets, "sent": q.sent, "occ_max": q.watermark,
            "arrived_congested": q.flows.packets, "arrived_congested_bytes": q.flows.octets,
            "trimmed": q.trimmed, "trimmed_bytes": q.trimmed_octets, "trim_limited": q.trim_limited,
            "returned": q.returned}
    if q.detector is not None:
        chance = q.kind == "red"
        sent.update({"enters": len(q.episodes) + (q.open is not None), "leaves": len(q.episodes)})
        if not chance:
            sent.update({"congested_packets": q.met, "ce_marked": q.marked, "ce_seen": q.seen, "not_ect": q.not_ect})
    return sent


def compare_counters(model, path):
    with open(path, encoding="utf-8") as f:
        document = json.load(f)
    wrong = compare_episodes(model, document["episodes"]) + compare_pfc(model, document["pfc"])
    wrong += compare_buffer(model, document["buffer"]) + compare_ioam(model, document["ioam"])
    wrong += top_flows.compare(document["congested_flows"], {(name, c): q.flows for name, p in model.ports.items()
                                                             for c, q in enumerate(p.queues)}, model.base)
    for name, port in model.ports.items():
        want = {"/ports/port=%s/notices" % name: port.made, "/ports/port=%s/tx_packets" % name: len(port.sent)}
        for c, q in enumerate(port.queues):
            want.update({"/queues/port=%s,class=%d/%s" % (name, c, k): v for k, v in queue_counters(q).items()})
            bins = report.select(document, "/queues/port=%s,class=%d/sojourn" % (name, c))
            waited = {b["from_ns"]: b["packets"] for b in bins} if bins is not report.MISSING else {}
            if waited != sojourn_of(q):
                wrong.append("%s class %d: times waited are %s, the model says %s" % (name, c, waited, dict(sojourn_of(q))))
        for pointer, value in want.items():
            have = report.number(document, pointer)
            if have != value:
                wrong.append("counter %s is %s, the model says %d" % (pointer, have, value))
    for name, sent in model.sub_sent.items():
        for key, value in (("tx_packets", len(sent)), ("tx_bytes", sum(sent))):
            have = report.number(document, "/ports/port=%s/%s" % (name, key))
            if have != value:
                wrong.append("port %s counts %s %s, the model says %d" % (name, key, have, value))
    by_interface = {**{n: p.drops for n, p in model.ports.items()}, **model.sub_drops}
    drops = collections.Counter({(n, why): k for n, found in by_interface.items() for why, k in found.items() if k})
    wrong += compare_rows("drops", rows(document, "/drops", "port", "reason"), drops)
    wrong += compare_rows("verdicts", rows(document, "/notify/verdicts", "port", "class", "kind", "verdict"), model.verdicts)
    accounting = document["conservation"]
    for key, value in (("consumed", model.consumed), ("replicated", model.replicated)):
        if accounting.get(key, 0) != value:
            wrong.append("the packet accounting says %s %s, the model %d" % (accounting.get(key, 0), key, value))
    return wrong


def sojourn_of(q):
    """How long packets waited, by powers of two: {first ns of the bin: packets}."""
    out = collections.Counter()
    for ns in q.waited:
        out[0 if ns == 0 else 1 << (ns.bit_length() - 1)] += 1
    return out


def differences(what, have, want):
    """Differences between two lists of dicts, in the keys of the model's, the first few."""
    wrong = []
    if len(have) != len(want):
        wrong.append("%d %s, the model has %d" % (len(have), what, len(want)))
    for n, (h, w) in enumerate(zip(have, want), 1):
        wrong += ["%s %d: %s is %s, the model says %s (%s)" % (what, n, k, h.get(k), v, w)
                  for k, v in w.items() if h.get(k) != v]
    return wrong[:6]


# Episodes that ended and are kept of a queue.
KEPT = 16


def compare_episodes(model, have):
    want = []
    for name, p in model.ports.items():
        for c, q in enumerate(p.queues):
            for e in q.episodes[-KEPT:] + ([q.open] if q.open else []):
                want.append({"port": name, "class": c, "start_ns": e.start, "end_ns": e.end, "peak_bytes": e.peak,
                             "peak_ns": e.peak_at, "packets": e.packets, "bytes": e.octets, "over_bytes": e.over,
                             "notices": e.notices, "dropped": e.dropped, "flows": len(e.flows),
                             "max_level": e.level if e.level >= 0 else None})
                if q.kind != "red":
                    want[-1]["marked"] = e.marked
    want.sort(key=lambda e: (e["start_ns"], e["port"], e["class"]))
    have.sort(key=lambda e: (e["start_ns"], e["port"], e["class"]))
    return differences("episodes", have, want)


# Events that `show events` remembers.
EVENTS = 256


def compare_events(model, have):
    """Events, without an order of those of one instant."""
    if have["records_lost"]:
        return ["%d records of events were lost" % have["records_lost"]]
    key = lambda e: (e["time_ns"], e["port"] or "", -1 if e["class"] is None else e["class"], e["event"])
    want = [dict(zip(("time_ns", "port", "class", "event"), e)) for e in model.events]
    if len(have["events"]) == EVENTS:
        # The newest are kept. Of the oldest instant of these, some may be missing.
        first = min(e["time_ns"] for e in have["events"])
        have["events"] = [e for e in have["events"] if e["time_ns"] > first]
        want = [e for e in want if e["time_ns"] > first]
    return differences("events", sorted(({k: e.get(k) for k in ("time_ns", "port", "class", "event")} for e in have["events"]),
                                        key=key), sorted(want, key=key))


def compare_pfc(model, have):
    """Flow control of ports and classes."""
    wrong = []
    ports = {row["port"]: row for row in have["ports"]}
    classes = {(row["port"], row["class"]): row for row in have["classes"]}
    for name, p in model.ports.items():
        want = {"frames_sent": len(p.given.sent), "frames_unknown": p.unknown}
        wrong += ["pfc %s: %s is %s, the model says %d" % (name, k, ports.get(name, {}).get(k, 0), v)
                  for k, v in want.items() if ports.get(name, {}).get(k, 0) != v]
        for c in range(8):
            count = lambda what: p.taken.counts.get((what, c), 0)
            time = lambda spans: sum(end - start for n, start, end in spans if n == c)
            said = [q[c] for _, q in p.given.sent if c in q]
            want = {"rx_xoff": count("xoff"), "rx_xon": count("xon"), "rx_ignored": count("ignored"),
                    "rx_ignored_storm": count("ignored_storm"),
                    "rx_pause_ns": time(p.taken.spans), "storms": p.taken.storms.count(c), "tx_pause_ns": time(p.given.spans),
                    "tx_xoff": sum(1 for q in said if q), "tx_xon": sum(1 for q in said if not q)}
            i = p.ingress.get(c)
            if i:
                want.update({"used": i.used, "used_max": i.used_max, "headroom_max": i.inside_max, "lost_packets": i.lost,
                             "lost_bytes": i.lost_octets})
            row = classes.get((name, c), {})
            wrong += ["pfc %s class %d: %s is %s, the model says %d" % (name, c, k, row.get(k, 0), v)
                      for k, v in want.items() if row.get(k, 0) != v]
    return wrong


def compare_ioam(model, have):
    wrong = []
    for row in have["ports"]:
        # It is the port's, and so are its counters: a sub-interface has none.
        want = collections.Counter() if row["port"] in model.config.subs else model.ports[row["port"]].ioam
        wrong += ["ioam %s: %s is %d, the model says %d" % (row["port"], k, row[k], want[k])
                  for k in ("written", "overflow", "full", "foreign", "malformed", "stripped", "dropped") if row[k] != want[k]]
    return wrong


def compare_buffer(model, have):
    want = {"shared": model.memory.shared, "shared_used": model.memory.used, "shared_max": model.memory.used_max}
    wrong = ["buffer: %s is %s, the model says %d" % (k, have.get(k), v) for k, v in want.items()
             if model.memory.size and have.get(k) != v]
    if model.budget.size is not None:
        want = {"packets_shared": model.budget.shared, "packets_shared_used": model.budget.used,
                "packets_shared_max": model.budget.used_max}
        wrong += ["buffer: %s is %s, the model says %d" % (k, have.get(k), v) for k, v in want.items() if have.get(k) != v]
    return wrong


def compare_series(model, path):
    """Occupancies and notices over time."""
    wrong, have, notices = [], collections.defaultdict(dict), []
    with open(path, encoding="utf-8") as f:
        next(f)
        for text in f:
            time, what, port, c, octets, level = text.split("\t")[:6]
            if what == "notice":
                notices.append((int(time), port, int(c), int(level)))
            elif what == "occupancy":
                have[port, int(c)][int(time)] = int(octets)
    for name, p in model.ports.items():
        for c, q in enumerate(p.queues):
            want, last = {}, 0
            for time, octets in dict(q.changes).items():
                if octets != last:
                    want[time] = last = octets
            found, last = {}, 0
            for time, octets in have[name, c].items():
                if octets != last:
                    found[time] = last = octets
            odd = sorted(set(found.items()) ^ set(want.items()))
            if odd:
                wrong.append("%s class %d: occupancies differ at %d moments, first at %d ns: %s, the model says %s" % (
                    name, c, len(odd), odd[0][0], found.get(odd[0][0]), want.get(odd[0][0])))
    want = [(t, port, c, level) for t, port, c, _, level in model.notices]
    if notices != want:
        odd = [n for n, (x, y) in enumerate(zip(notices, want)) if x != y] or [min(len(notices), len(want))]
        wrong.append("%d notices in the series, the model has %d; first difference: %s, %s" % (
            len(notices), len(want), notices[odd[0]:odd[0] + 1], want[odd[0]:odd[0] + 1]))
    return wrong


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conf", required=True, metavar="FILE")
    parser.add_argument("--in", dest="inputs", nargs="+", action="append", required=True, metavar=("PORT", "IN.pcap"))
    parser.add_argument("--out", nargs=2, action="append", default=[], metavar=("PORT", "OUT.pcap"))
    parser.add_argument("--speed", default="1")
    parser.add_argument("--counters", metavar="JSON", help="the replay's report")
    parser.add_argument("--series", metavar="TSV", help="the replay's")
    parser.add_argument("--events", metavar="FILE", help="what `show events json` printed")
    parser.add_argument("--show", action="store_true", help="print what happened")
    args = parser.parse_args(argv)
    settings = config.read(args.conf)
    if settings.other:
        print("\n".join("the model does not know: %s" % text for text in settings.other))
        return 1
    wrong = []
    arrivals, base = arrivals_of(args.inputs, args.speed)
    model = switch.Switch(settings, base)
    model.run(arrivals)
    chances = Chances()
    for name, path in args.out:
        wrong += compare_port(name, model.ports[name].sent, path, base, chances)
    wrong += chances.check()
    if args.counters:
        wrong += compare_counters(model, args.counters)
    if args.series:
        wrong += compare_series(model, args.series)
    if args.events:
        with open(args.events, encoding="utf-8") as f:
            wrong += compare_events(model, json.load(f))
    if args.show:
        show(model)
    for w in wrong:
        print(w)
    print("%d frames came, %d left, %d notices, %d failures" % (
        len(arrivals), sum(len(p.sent) for p in model.ports.values()), len(model.notices), len(wrong)))
    return 1 if wrong else 0


def show(model):
    for name, p in model.ports.items():
        for c, q in enumerate(p.queues):
            if q.packets or q.drops:
                print("%s class %d: %s drops %s" % (name, c, queue_counters(q), dict(q.drops)))
            for e in q.episodes:
                print("   episode %s" % {k: v for k, v in vars(e).items() if k != "flows"}, "flows", len(e.flows))
        if p.given.sent:
            print("%s pause frames: %s" % (name, p.given.sent))
        if p.taken.counts:
            print("%s pause taken: %s %s storms %s" % (name, p.taken.counts, p.taken.spans, p.taken.storms))
        for c, i in p.ingress.items():
            print("%s lossless %d: used max %d, headroom max %d, lost %d" % (name, c, i.used_max, i.inside_max, i.lost))
    print("events %s" % model.events[:60])
    print("verdicts %s" % dict(model.verdicts))


if __name__ == "__main__":
    sys.exit(main())
