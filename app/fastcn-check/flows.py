# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Notices compared with the data that they are about: causes, copied fields, traces, CE marks, rates, delays.

A notice carries no sequence number, so nobody can say which data packet it was sent for. What is said here is certain: it holds for
every assignment of notices to data packets. Where it is only likely, it is a warning.
"""

import bisect
import collections
import ipaddress

import notice
import packet
import trace
from packet import CE, ECT0, ECT1, text

LIMITLESS, MEAN = 16, 1000  # notices one after the other for each data packet, on average less than these ns apart
SECOND = 10**9
PARTITION = 0x7FFF      # of a P_Key; the highest bit says what kind of member one is
BUSIEST = 10            # flows in the report


class Data:
    """A data packet in front of the switch."""

    __slots__ = ("time", "pkey", "trace", "tunnel", "ecn", "marked", "paired")

    def __init__(self, time, p):
        self.time, self.pkey, self.trace = time, p.bth.pkey, trace.of_data(p)
        self.tunnel = p.layers[0].src if len(p.layers) > 1 else None
        self.ecn = p.layers[0].ecn
        self.marked = self.paired = False


def percentile(values, part):
    """The nearest-rank percentile of sorted values."""
    return values[max(0, -(-len(values) * part // 100) - 1)]


def spread(values):
    """Smallest, median, 99th percentile and largest of some times, None without any."""
    if not values:
        return None
    values = sorted(values)
    return {"count": len(values), "min_ns": values[0], "median_ns": percentile(values, 50), "p99_ns": percentile(values, 99),
            "max_ns": values[-1]}


def flow_text(flow):
    """A flow for people."""
    sender, receiver, qp = flow
    return "%s to %s, queue pair 0x%06x" % (text(sender), text(receiver), qp)


class Flow:
    """Data packets of one flow, by time, and since when there are such with some property."""

    def __init__(self, packets):
        packets.sort(key=lambda d: d.time)
        self.packets, self.times = packets, [d.time for d in packets]
        self.pkeys, self.tunnels, self.states = {}, {}, {}   # value -> index of the first packet that has it
        self.traced = self.plain = len(packets)              # the first with a trace, the first without one that fits option 2
        for i, d in enumerate(packets):
            self.pkeys.setdefault(d.pkey, i)
            self.tunnels.setdefault(d.tunnel, i)
            if d.trace is not None:
                self.traced = min(self.traced, i)
                self.states.setdefault(d.trace.states()[0], i)
            if d.trace is None or d.trace.error or d.trace.words > trace.LONGEST:
                self.plain = min(self.plain, i)

    def until(self, time):
        """How many packets came up to a time."""
        return bisect.bisect_right(self.times, time)


def seen(first, count):
    """Keys of a dictionary whose index is among the first ones."""
    return [key for key, i in first.items() if i < count]


class Flows:
    """All flows of the captures."""

    def __init__(self, profile):
        self.profile = profile
        self.data = collections.defaultdict(list)      # flow -> Data in front of the switch
        self.undue = set()                             # flows of which only acknowledgements were seen
        self.copies = collections.defaultdict(list)    # of the same packet, in front of the switch
        self.after_traces = collections.defaultdict(set)
        self.cnps = collections.defaultdict(list)      # (receiver, sender) -> times of the receiver's CNPs
        self.notices = collections.defaultdict(list)   # flow -> Notice
        self.before_count = self.after_count = self.marked = self.unpaired = 0

    @staticmethod
    def _flow(p):
        return p.ip.src, p.ip.receiver, p.bth.qp

    @staticmethod
    def _identity(p):
        return p.ip.src, p.ip.receiver, p.bth.opcode, p.bth.qp, p.bth.psn_word

    def add_before(self, time, p):
        """A packet in front of the switch."""
        if not packet.is_data(p):
            if packet.is_roce(p):
                self.undue.add(self._flow(p))
            return
        self.before_count += 1
        d = Data(time, p)
        self.data[self._flow(p)].append(d)
        self.copies[self._identity(p)].append(d)

    def add_after(self, time, p):
        """A packet behind the switch, after all packets in front of it."""
        if not packet.is_data(p):
            return
        self.after_count += 1
        t = trace.of_data(p)
        if t is not None:
            self.after_traces[self._flow(p)].add(t.data)
        # Of several copies the newest that came before; what was sent again was not seen before it was sent.
        came = [d for d in self.copies.get(self._identity(p), ()) if d.time <= time and not d.paired]
        if not came:
            self.unpaired += 1
            return
        d = max(came, key=lambda x: x.time)
        d.paired = True
        if d.ecn in (ECT0, ECT1) and p.layers[0].ecn == CE:
            d.marked = True
            self.marked += 1

    def add_cnp(self, time, p):
        """A CNP of a receiver."""
        self.cnps[p.ip.src, p.ip.dst].append(time)

    def sort(self):
        """Prepare for checks, when all packets of captures were added."""
        self.data = {flow: Flow(packets) for flow, packets in self.data.items()}
        for times in self.cnps.values():
            times.sort()

    def check_cause(self, n, fault):
        """Check one notice against the data. fault(rule, what)."""
        if n.receiver is None or n.p.bth is None or notice.unusable(n.receiver) or notice.unusable(n.sender):
            return
        flow = n.sender, n.receiver, n.p.bth.qp
        if n.trimmed is None:   # one about each lost packet, in addition: no rate is agreed for these
            self.notices[flow].append(n)
        if not self.before_count:
            return
        found = self.data.get(flow)
        if found is None:
            fault(*self._nearest(flow))
            return
        count = found.until(n.time)
        if not count:
            fault("cause", "it came %d ns before the first data packet of its flow (do all captures have one clock?)" % (
                found.times[0] - n.time))
            return
        pkeys, tunnels = seen(found.pkeys, count), seen(found.tunnels, count)
        if n.p.bth.pkey & PARTITION not in {k & PARTITION for k in pkeys}:
            fault("p_key", "P_Key 0x%04x; the data has %s" % (n.p.bth.pkey, ", ".join("0x%04x" % k for k in sorted(pkeys))))
        self._trace(n, flow, found, count, fault)
        outer = n.tunnel.dst if n.tunnel else None
        if n.tunnel and outer not in tunnels:
            fault("endcon", "it is sent to %s; the data came in tunnels from %s" % (
                text(outer), ", ".join(text(t) for t in tunnels if t) or "nowhere"))
        elif not n.tunnel and None not in tunnels:
            fault("endcon", "it is in no tunnel, and all data of its flow came in tunnels from " + ", ".join(text(t) for t in tunnels))

    def _nearest(self, flow):
        """What is wrong with a notice about a flow that sent no data: rule and words."""
        sender, receiver, qp = flow
        if flow in self.undue:
            return "cause", "its flow sent acknowledgements or CNPs, and no data: %s" % flow_text(flow)
        others = [f for f in self.data if f[0] == sender and f[2] == qp]
        if others:
            return "option-address", "the option has %s; %s sent data with queue pair 0x%06x to %s" % (
                text(receiver), text(sender), qp, ", ".join(text(f[1]) for f in others))
        others = [f for f in self.data if f[:2] == (sender, receiver)]
        if others:
            back = [f for f in list(self.data) + list(self.undue) if f[:2] == (receiver, sender) and f[2] == qp]
            return "qp", "queue pair 0x%06x; the data has %s%s" % (
                qp, ", ".join("0x%06x" % f[2] for f in others), "; that is the queue pair of the sender, as in a receiver's CNP" if back else "")
        others = [f for f in self.data if f[1:] == (receiver, qp)]
        if others:
            return "destination", "it is sent to %s; data with queue pair 0x%06x to %s came from %s" % (
                text(sender), qp, text(receiver), ", ".join(text(f[0]) for f in others))
        return "cause", "there is no data of this flow: %s" % flow_text(flow)

    def _trace(self, n, flow, found, count, fault):
        if n.number == 1 and n.trimmed is None and found.plain >= count:
            fault("option1-when", "option 1, and each of the %d data packets of the flow before it has a trace" % count)
        if n.number != 2 or n.trace is None:
            return
        if found.traced >= count:
            fault("option2-when", "option 2, and no data packet of the flow has a trace")
        elif not n.trace.error and n.trace.data not in self.after_traces[flow]:
            if all(found.states.get(state, count) >= count for state in n.trace.states()):
                fault("option2-ioam", "the trace is that of no data packet of the flow before the notice, also if the switch has added to it")

    def check_ce(self, fault):
        """Check the rule about CE marks, when all notices are known. fault(place, rule, what)."""
        if not self.after_count:
            return
        for flow, notices in self.notices.items():
            if not any(ipaddress.ip_address(flow[0]) in net for net in self.profile.capable):
                continue
            found = self.data.get(flow) or Flow([])
            unmarked = [d.time for d in found.packets if not d.marked]
            certain, likely = [], []
            for count, n in enumerate(sorted(notices, key=lambda n: n.time), 1):
                newest = found.until(n.time) - 1
                if bisect.bisect_right(unmarked, n.time) < count:
                    certain.append(n)
                elif newest >= 0 and found.packets[newest].marked:
                    likely.append(n)
            for n in certain:
                fault(n.place, "ce", "more notices than unmarked data packets up to here: %s" % flow_text(flow))
            if not certain and 2 * len(likely) > len(notices):
                fault(likely[0].place, "ce-likely", "the newest data packet in front of %d of %d notices was marked CE: %s" % (
                    len(likely), len(notices), flow_text(flow)))

    def check_rate(self, fault):
        """Check rates, when all notices are known. fault(place, rule, what, level)."""
        limit, shortest = self.profile.max_rate, self.profile.min_interval
        for flow, notices in self.notices.items():
            notices = sorted(notices, key=lambda n: n.time)
            for i, n in enumerate(notices):
                if i and n.time - notices[i - 1].time < shortest:
                    fault(n.place, "rate", "%d ns after the last notice about its flow" % (n.time - notices[i - 1].time), "fault")
                if limit and i >= limit and n.time - notices[i - limit].time < SECOND:
                    fault(n.place, "rate", "more than %d notices about its flow in a second" % limit, "fault")
            first, last = notices[0].time, notices[-1].time
            sent = self.data[flow].until(last) - self.data[flow].until(first) if flow in self.data else 0
            if len(notices) >= LIMITLESS and 0 < sent < len(notices) and last - first < MEAN * len(notices):
                fault(notices[0].place, "rate", "a notice for every data packet, %d in %d ns: no limit is to be seen" % (
                    len(notices), last - first))

    def busiest(self):
        """Flows with the most notices."""
        out = []
        for flow, notices in sorted(self.notices.items(), key=lambda item: -len(item[1]))[:BUSIEST]:
            times = sorted(n.time for n in notices)
            out.append({"sender": text(flow[0]), "receiver": text(flow[1]), "qp": flow[2], "notices": len(times),
                        "time_ns": times[-1] - times[0], "interval_min_ns": min((b - a for a, b in zip(times, times[1:])), default=None)})
        return out

    def figures(self):
        """Times of all notices: intervals, delays, leads over the receivers' CNPs."""
        gaps, delays, leads = [], [], []
        for flow, notices in self.notices.items():
            times = sorted(n.time for n in notices)
            gaps += [b - a for a, b in zip(times, times[1:])]
            found = self.data.get(flow) or Flow([])
            for t in times:
                count = found.until(t)
                if count:
                    delays.append(t - found.times[count - 1])
            answers = self.cnps.get((flow[1], flow[0]))
            if answers:
                leads.append(answers[0] - times[0])
        return {"interval": spread(gaps), "delay": spread(delays), "lead": spread(leads)}
