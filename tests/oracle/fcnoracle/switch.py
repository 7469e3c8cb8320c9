# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A model of the whole switch in virtual time: bridge, class queues, buffer, detectors, notices, marks, flow control.

Switch.run() plays arrivals; what came of them stands in its fields. switch_model.py tells the definitions.
"""

import collections
import struct
from dataclasses import dataclass, field
from fractions import Fraction
from ipaddress import ip_address

from . import cnm, cnp
from . import config as conf
from . import detector, egress, memory, notice, pause, sums, top_flows, traffic, transit, trim, walker
from .egress import CLASSES, SECOND, whole


@dataclass
class Item:
    """A packet in a queue."""
    frame: bytes
    queued: int
    source: str = None           # port it came in by; None: the switch's own
    flow: object = None
    arrival: int = None          # its number among the arrivals
    ingress: object = None       # lossless account it stands on
    chance: Fraction = None      # probability with which red chose it; None: not asked
    packet: object = None        # walker's view
    delay: int = None            # where the transit delay goes in the frame
    interface: str = None        # sub-interface it came in by
    marked: bool = False         # the switch has marked it
    trimmed: bool = False        # by this switch

    @property
    def length(self):
        return len(self.frame)

    @property
    def stands(self):
        """Whether it stands on an account: neither the switch's own packets nor what it has trimmed do."""
        return self.source is not None and not self.trimmed


@dataclass
class Sent:
    time: int                    # last bit, rounded up
    item: Item
    kind: str                    # data, notice, pfc
    taken: int                   # when the port took it


@dataclass
class Episode:
    start: int
    peak: int = 0
    peak_at: int = 0
    level: int = -1
    packets: int = 0
    octets: int = 0
    over: int = 0
    notices: int = 0
    marked: int = 0
    dropped: int = 0
    flows: set = field(default_factory=set)
    end: int = None


class ClassQueue:
    def __init__(self, config, port):
        self.config, self.items, self.occupancy = config, collections.deque(), 0
        self.charged = 0         # octets that stand on the queue's own account
        self.held = collections.Counter()        # flow -> octets
        self.detector = make_detector(config, port)
        self.kind = config.detector[0] if config.detector else None
        self.at_dequeue = self.kind in ("step", "red") and config.detector[1].get("at") == "dequeue"
        self.backlog_since = None
        self.packets = self.octets = self.sent = self.watermark = self.met = self.marked = self.seen = self.not_ect = 0
        self.trimmed = self.trimmed_octets = self.trim_limited = self.returned = 0
        self.told = None        # when an event about trimming came
        self.drops = collections.Counter()
        self.episodes, self.open = [], None
        self.changes = []        # (ns, occupancy)
        self.waited = []         # ns in the queue, of each packet that was sent
        self.flows = top_flows.Flows(chance=self.kind == "red")      # that came while it was congested

    @property
    def head(self):
        return Fraction(self.items[0].queued) if self.items else None

    def is_heavy(self, item, occupancy):
        flows = sum(1 for f, n in self.held.items() if n and f != item.flow) + 1
        # Who leaves is in the queue still.
        more = 0 if self.at_dequeue else item.length
        return 2 * flows * (self.held[item.flow] + more) >= occupancy

    def over(self, occupancy, now):
        """Whether the measure is at the threshold or above: what an episode counts octets by."""
        d = self.detector
        if self.kind == "sojourn":
            return self.items and now - self.items[0].queued >= d.target
        if self.kind == "rate":
            return d.average >= d.threshold
        return occupancy >= getattr(d, {"step": "threshold", "red": "kmin", "qcn": "qeq"}[self.kind])


def make_detector(config, port):
    if not config.detector:
        return None
    kind, words = config.detector
    hold, limit = words.get("hold"), config.limit
    level_hold = port["interval"]
    size, ns = conf.size, conf.time
    if kind == "step":
        threshold = size(words["threshold"])
        return detector.Step(threshold, size(words["leave"]) if "leave" in words else None, True, hold=ns(hold or "0"),
                             level_hold=level_hold, limit=limit)
    if kind == "qcn":
        # 4 us of the port's rate, at least 26 KB
        qeq = size(words["qeq"]) if "qeq" in words else max(26000, port["bps"] * 4 // (8 * 10**6))
        return detector.Qcn(qeq, int(words.get("weight", 2)), size(words.get("sample", "4096")), notify_state=True,
                            leave=size(words["leave"]) if "leave" in words else None, hold=ns(hold or "20us"),
                            level_hold=level_hold)
    if kind == "red":
        kmin = size(words["kmin"])
        return detector.Red(kmin, size(words["kmax"]), conf.ratio(words.get("pmax", "0.2")),
                            max(1, size(words["leave"]) if "leave" in words else kmin // 2), ns(hold or "0"), level_hold, limit)
    if kind == "sojourn":
        target = ns(words.get("target", "20us"))
        return detector.Sojourn(target, ns(words.get("interval", "100us")), max(1, ns(words["leave"]) if "leave" in words else target // 2),
                                ns(hold or "0"), level_hold, limit * 8 * SECOND // port["bps"])
    if kind == "rate":
        threshold = conf.ratio(words.get("threshold", "0.95"))
        return detector.Rate(threshold, ns(words.get("window", "10us")), port["bps"],
                             conf.ratio(words["leave"]) if "leave" in words else threshold * 9 / 10, ns(hold or "0"),
                             level_hold, 8)
    raise ValueError("detector %s" % kind)


class Port:
    def __init__(self, config, switch):
        self.config, self.line = config, Fraction(0)
        c = config
        rates = [c.link] + [c.rate] * bool(c.rate)
        lowest = lambda q: min(rates + ([q.peak[0]] if q.peak else []))
        self.queues = [ClassQueue(q, {"bps": lowest(q), "interval": switch.interval}) for q in c.queues]
        shaper = lambda words: egress.Shaper(words[0], words[1], c.overhead)
        self.scheduler = egress.Scheduler(
            [n for n, q in enumerate(c.queues) if q.strict], {n: q.weight for n, q in enumerate(c.queues)},
            switch.notify_class if switch.config.notifies else None,
            {n: shaper(q.committed) for n, q in enumerate(c.queues) if q.committed},
            {n: shaper(q.peak) for n, q in enumerate(c.queues) if q.peak})
        self.shaper = egress.Shaper(c.rate, c.burst, c.overhead) if c.rate else None
        w = c.pfc.watchdog
        self.taken = pause.Taken(c.link, set(c.pfc.receive), c.pfc.link_pause,
                                 {switch.notify_class} if switch.config.notifies else set(), *(w or ()))
        self.given = pause.Given(c.link, c.mac, c.pfc.quanta)
        self.ingress = {}
        for n in c.pfc.send:
            x = c.pfc.xoff.get(n, {})
            self.ingress[n] = memory.Ingress(
                c.pfc.headroom[n], x.get("xoff"), x.get("xon", xon_of(x.get("xoff", 0))), x.get("dynamic"), x.get("below", 3000),
                c.pfc.reserve.get(n, 0))
        self.sent, self.tx_octets, self.drops, self.made, self.unknown = [], 0, collections.Counter(), 0, 0
        self.ioam = collections.Counter()

    def line_time(self, length):
        return Fraction((max(length, 60) + 24) * 8 * SECOND, self.config.link)


class Switch:
    def __init__(self, config, base=0):
        self.config, self.base, self.now = config, base, 0
        self.interval, self.notify_class = config.interval, config.notify_class
        self.ports = {name: Port(p, self) for name, p in config.ports.items()}
        lossless = [i for p in self.ports.values() for i in p.ingress.values()]
        self.memory = memory.Memory(config.buffer, sum(i.reserve for i in lossless) + sum(
            q.reserve for p in config.ports.values() for q in p.queues), sum(i.headroom for i in lossless))
        self.budget = memory.Budget(config.packets, sum(len(p.queues) for p in config.ports.values()))
        self.macs, self.last_notice = {}, {}
        self.sub_drops = {name: collections.Counter() for name in config.subs}
        self.sub_sent = {name: [] for name in config.subs}   # octets of frames without tag, left to the queues
        self.kinds = [k for k, on in ((FAST_CNP, config.fast_cnp), (ENDCON, config.endcon_on), (CNM, config.cnm_on),
                                      (CNP, config.cnp_on)) if on]
        # Those that others depend on come first.
        self.kinds.sort(key=lambda k: (k != CNM or config.direct == "always", k != CNP))
        self.verdicts = collections.Counter()    # (port, class, kind, verdict)
        self.notices = []                        # (ns, port, class, arrival, level)
        self.events = []                         # (ns, port, class, what)
        self.consumed = self.replicated = 0
        bucket = lambda b: detector.Bucket(-(-SECOND // b[0]), b[1]) if b else None
        self.global_buckets = collections.defaultdict(lambda: bucket(config.buckets["global"]))
        self.queue_buckets = {(k, p.name, c): bucket(config.queue_bucket(p, q)) for k in self.kinds for p in config.ports.values()
                              for c, q in enumerate(p.queues)}
        self.destination_bucket = lambda port: bucket(config.destination_bucket(port))
        self.destination_buckets = {}
        self.source_buckets = collections.defaultdict(lambda: bucket(config.buckets["source"]))
        shares = {p.name: config.share(p) for p in config.ports.values()}
        self.shares = {name: detector.Share(*s) if s else None for name, s in shares.items()}     # for all kinds
        self.profile = notice.Profile(config.loopback, icrc=config.icrc, dscp=config.notify_dscp, trimmed=config.trim_type,
                                      entropy=config.entropy) if config.loopback else None
        shares = {p.name: config.trim_limit(p) for p in config.ports.values()}
        self.trim_shares = {name: detector.PartedShare(*s) if s else None for name, s in shares.items()}
        self.return_shares = {name: detector.PartedShare(*s) if s else None for name, s in shares.items()}
        self.cnm = cnm.Profile(config.cnm_port, (), tuple(config.proxies), cnm.ORDERS[config.address_from],
                               allowed=tuple(config.allowed), dscp=config.notify_dscp)
        self.cnp = cnp.Profile(config.qps, config.notify_dscp)

    # ---- time ----

    def run(self, arrivals):
        """arrivals: [(ns, port, frame)], sorted by time."""
        waiting = collections.deque((t, port, frame, n) for n, (t, port, frame) in enumerate(arrivals))
        while True:
            times = [waiting[0][0]] if waiting else []
            times += [t for p in self.ports.values() for t in self.next_times(p)]
            if not times:
                break
            self.now = now = max(self.now, min(times))
            for p in self.ports.values():
                self.elapse(p)
            while waiting and waiting[0][0] <= now:
                self.arrive(*waiting.popleft()[1:])
            for p in self.ports.values():
                p.taken.elapse(now)
                self.watch(p)
            moved = True
            while moved:
                moved = any([self.send(p) for p in self.ports.values()])
            self.budget.count(sum(i.ingress is None for i in q.items) for p in self.ports.values() for q in p.queues)
        self.now += SECOND
        for p in self.ports.values():
            self.elapse(p)

    def next_times(self, p):
        """When a port has something to do; only times ahead, or now for what has just come about."""
        out, free = [], max(self.now, whole(p.line))
        if p.given.due(free) or p.given.refresh_at is not None:
            out.append(free if p.given.due(free) else max(free, p.given.refresh_at))
        ready = p.scheduler.next([q.items for q in p.queues], p.taken.held())
        if ready is not None:
            out.append(max(free, ready, p.shaper.ready() if p.shaper else 0))
        change = p.taken.next(self.backlog(p))
        if change is not None:
            out.append(max(self.now, change))
        return out

    def elapse(self, p):
        """Congestion ends by time."""
        for c, q in enumerate(p.queues):
            if q.detector is None or not q.detector.congested:
                continue
            if q.kind == "rate":
                at = q.detector.elapse(Fraction(self.now))
            else:
                at = q.detector.elapse(q.head if q.kind == "sojourn" else q.occupancy, Fraction(self.now))
            self.recovered(p, c, q, at)

    def recovered(self, p, c, q, at):
        if at is None:
            return
        q.open.end = int(at)
        q.episodes.append(q.open)
        q.open = None
        self.events.append((int(at), p.config.name, c, "recovered"))

    # ---- in ----

    def arrive(self, name, frame, number):
        port, p = self.ports[name], walker.walk(frame)
        if p.ethertype == 0x8808 and p.dmac == pause.ADDRESS:
            self.consumed += 1
            if not port.taken.receive(frame, self.now):
                port.unknown += 1
            return
        if traffic.never_forwarded(p) and name in self.config.bridged:
            port.drops["reserved_mac"] += 1
            return
        if name not in self.config.bridged:
            self.route(port, p, number)
            return
        self.macs[p.smac] = name
        out = self.macs.get(p.dmac)
        if p.dmac[0] & 1 or out is None:
            outs = [o for o in self.ports if o != name and o in self.config.bridged]
        else:
            outs = [] if out == name else [out]
        if not outs:
            port.drops["same_port" if out == name else "no_flood_port"] += 1
        self.replicated += max(0, len(outs) - 1)
        for o in outs:
            self.enqueue(self.ports[o], port, p, number)

    def route(self, port, p, number):
        """Only what cases here need: by a known neighbour. Tags as doc/vlan.md tells."""
        interface = None
        if p.vlans:
            vlan = p.vlans[0] & 0xFFF
            of = {where: name for name, where in self.config.subs.items()}
            interface = of.get((port.config.name, vlan))
            if len(p.vlans) > 1 or vlan and (interface is None or p.frame[12:14] != b"\x81\x00"):
                port.drops["vlan_unexpected"] += 1
                return
            p = walker.walk(p.frame[:12] + p.frame[16:])
        if p.outer is None:
            port.drops["ether_type"] += 1
            return
        f = bytearray(p.frame[:p.end])
        f[p.l3 + (7 if p.outer.version == 6 else 8)] -= 1
        if p.outer.version == 4:
            f[p.l3 + 10:p.l3 + 12] = struct.pack("!H", sums.ipv4_checksum(f[p.l3:p.l3 + 20]))
        out, frame = self.next_hop(bytes(f[12:]), p.outer.dst, self.config.class_of(p))
        self.count_sub(p.outer.dst, frame)
        self.enqueue(out, port, walker.walk(frame), number, interface)

    def next_hop(self, rest, destination, c):
        """Port, and frame for the neighbour, of what stands behind the MAC addresses."""
        name, via = self.config.next_hop(destination)
        line, vlan = self.config.subs.get(name, (name, None))
        tag = b"" if vlan is None else struct.pack("!HH", 0x8100, c << 13 | vlan)
        return self.ports[line], self.config.neighbours[name, via] + self.config.ports[line].mac + tag + rest

    def count_sub(self, destination, frame):
        """A frame to a destination that may be behind a sub-interface, whose tag does not count."""
        name, _ = self.config.next_hop(destination)
        if name in self.config.subs:
            self.sub_sent[name].append(len(frame) - 4)

    def transit(self, out, source, p, q):
        """IOAM: this node's data, or the edge of the domain. Returns (frame, offset of the delay), None when it is dropped."""
        a, b, trace = source.config, out.config, transit.find(p)
        source.ioam["malformed"] += trace is not None and trace[1].error != ""
        if "off" != (a.edge if a.edge != "off" else b.edge):
            if not any(o.type in transit.OPTIONS for x in (p.ip.extensions if p.ip else []) for o in x.options):
                return p.frame, None
            if "drop" in (a.edge, b.edge):
                source.drops["ioam_edge"] += 1
                source.ioam["dropped"] += 1
                return None
            source.ioam["stripped"] += 1
            return transit.strip(p), None
        if not a.transit:
            return p.frame, None
        c, number = self.config, {name: (n + 1, n + 1) for n, name in enumerate(self.config.ports)}

        def make(namespace, trace_type):
            n = c.namespaces.get(namespace, conf.Namespace())
            short = struct.pack("!I", b.link // 10**6) if n.short == "link-speed" else n.short
            wide = struct.pack("!Q", out.tx_octets) if n.wide == "tx-bytes" else n.wide
            node = {"id": c.node[0], "id_wide": c.node[1], "time": c.time[0], "tai": c.time[1], "schema": n.schema}
            return transit.element(trace_type, node, {
                "hop_limit": p.ip.hop_limit, "ingress": a.ioam_id or number[a.name], "egress": b.ioam_id or number[b.name],
                "received": self.base + self.now, "depth": q.occupancy, "short": short, "wide": wide,
                "occupancy": self.buffered(out)})

        what, frame, delay = transit.write(p, {0, *c.namespaces}, make)
        source.ioam[what] += what != "malformed"
        return frame, delay

    def buffered(self, out):
        """Occupancy of the buffer pool: the shared one with its headrooms, else the queues of the port."""
        if not self.memory.size:
            return sum(q.occupancy for q in out.queues)
        return self.memory.used + sum(i.inside for p in self.ports.values() for i in p.ingress.values())

    def enqueue(self, out, source, p, number, interface=None):
        c = self.config.class_of(p)
        q = out.queues[c]
        found = self.transit(out, source, p, q)
        if found is None:
            return
        if found[0] != p.frame:
            p = walker.walk(found[0])
        flow = traffic.roce_key(p) if p.is_roce or p.cut else cnm.flow_of(p) if p.ip and p.ip.end and not p.ip.fragment else traffic.flow_key(p)
        item = Item(p.frame, self.now, source.config.name, flow, number, source.ingress.get(c), packet=p, delay=found[1],
                    interface=interface)
        looks = q.detector is not None and not p.cut     # what another switch has trimmed is no reason for anything
        level = self.met(out, c, q, item) if looks and not q.at_dequeue else None
        lost = q.config.returns and not p.cut and item.ingress is None and self.refusal(out, c, q, item) in NO_ROOM
        told = level is not None and self.congested(out, c, q, item, level, q.occupancy + item.length, lost)
        # Who is lost is not marked.
        why = self.push(out, source, c, q, item)
        stored = why is None
        if stored and told:
            self.mark(q, item)
        if stored and looks and not q.at_dequeue and q.detector.congested:
            q.flows.note(p, item.length, self.now, marked=item.marked)
        elif not stored and why != "pause_storm" and not p.cut:
            q.flows.note(p, item.length, self.now, dropped=why != TRIMMED)
        if stored and q.at_dequeue and q.detector.congested:
            # Only departures are chosen from, but what arrives ends a quiet time.
            q.detector.quiet.see(q.occupancy, Fraction(self.now))

    def refusal(self, out, c, q, item):
        """Why a queue has no place for a packet that stands on no account of a lossless class, None if it has."""
        if c in out.taken.storm and out.taken.action == "drop":
            return "pause_storm"
        if q.occupancy + item.length > q.config.limit:
            return "queue_bytes"
        if not self.budget.admits(sum(i.ingress is None for i in q.items)):
            return "packet_buffers"
        if item.stands and not self.memory.admits(q.config.reserve, q.config.alpha, q.charged, item.length):
            return "buffer"
        return None

    def push(self, out, source, c, q, item):
        """Queue a packet. Returns why not, or None. TRIMMED: its headers went on."""
        why = None
        if item.ingress is None:
            why = self.refusal(out, c, q, item)
        elif c in out.taken.storm and out.taken.action == "drop":
            why = "pause_storm"
        else:
            if not self.memory.charge(item.ingress, item.length):
                why = "lossless_headroom"
                item.ingress.lost_octets += item.length
                if item.ingress.told is None or self.now - item.ingress.told >= TELL_AGAIN:
                    item.ingress.told = self.now
                    self.events.append((self.now, source.config.name, c, "lossless_loss"))
            self.update_given(source, c)
        if why and why != "pause_storm" and q.config.returns and item.source and not item.trimmed and not item.packet.cut:
            self.lost(out, c, q, item)
        if why and why != "pause_storm" and q.config.trim and item.source and self.trim(out, source, c, q, item):
            return TRIMMED
        if why:
            q.drops[why] += 1
            (self.sub_drops[item.interface] if item.interface else source.drops)[why] += 1
            if q.open:
                q.open.dropped += 1
            return why
        if item.ingress is None and item.stands:
            self.charge(q, item.length)
        q.items.append(item)
        q.backlog_since = self.now if q.backlog_since is None else q.backlog_since
        q.occupancy += item.length
        q.held[item.flow] += item.length
        q.packets += 1
        q.octets += item.length
        q.watermark = max(q.watermark, q.occupancy)
        q.changes.append((self.now, q.occupancy))
        if q.open and item.source is not None and not item.trimmed and not item.packet.cut and not q.at_dequeue:
            self.peak(q, q.occupancy)
        return None

    def lost(self, out, c, q, item):
        """The sender of a packet that found no room is told, or the proxy that stands for it."""
        occupancy, told, said = q.occupancy + item.length, False, {}
        asked = [TRIMMED]
        if CNM in self.kinds and self.config.direct != "always":
            asked = [CNM, TRIMMED]
        for kind in asked:
            verdict = "other_kind" if self.yields(kind, said) else self.verdict(kind, out, c, q, item, occupancy)
            self.verdicts[out.config.name, c, kind, verdict] += 1
            said[kind] = verdict
            if verdict.startswith("sent"):
                told = True
                self.notify(kind, out, c, q, item, 7, False)
        q.returned += told
        if told:
            self.trim_event(out, c, q)

    def trim_event(self, out, c, q):
        if q.told is None or self.now - q.told >= TELL_AGAIN:
            q.told = self.now
            self.events.append((self.now, out.config.name, c, "trimmed"))

    def trim(self, out, source, c, q, item):
        """The headers of a packet that found no room go on in a class of their own. Returns whether they do."""
        p = walker.walk(item.frame)
        if item.trimmed or p.cut or not trim.can_be(p):
            return False
        share, kept = self.trim_shares[out.config.name], trim.length(p, q.config.trim_size)
        if share is not None and not share.grants(self.now, item.source, kept):
            q.trim_limited += 1
            return False
        self.trim_event(out, c, q)
        q.trimmed += 1
        q.trimmed_octets += item.length - kept
        dscp = self.config.trim_dscp if out.config.trim_dscp is None else out.config.trim_dscp
        frame = trim.trimmed(p, q.config.trim_size, dscp)
        rest = Item(frame, self.now, item.source, item.flow, item.arrival, packet=item.packet, delay=item.delay,
                    interface=item.interface, trimmed=True)
        self.push(out, source, self.config.trim_class, out.queues[self.config.trim_class], rest)
        return True

    def peak(self, q, occupancy):
        if occupancy > q.open.peak:
            q.open.peak, q.open.peak_at = occupancy, self.now

    def charge(self, q, octets):
        self.memory.move(q.config.reserve, q.charged, q.charged + octets)
        q.charged += octets

    def update_given(self, port, c):
        stop = port.ingress[c].stop
        if stop != (c in port.given.stop):
            (port.given.stop.add if stop else port.given.stop.discard)(c)
            self.events.append((self.now, port.config.name, c, "pfc_xoff" if stop else "pfc_xon"))

    # ---- congestion ----

    def met(self, out, c, q, item):
        """What the detector says of a packet that arrives (at dequeue: leaves). Keeps the episode."""
        now, was, d = Fraction(self.now), q.detector.congested, q.detector
        occupancy = q.occupancy + (0 if q.at_dequeue else item.length)
        if q.kind == "sojourn":
            level = d.arrival(q.head, now)
        elif q.kind == "rate":
            level = d.arrival(item.length, now)
        else:
            level = d.arrival(occupancy, item.length, now)
        if was and not d.congested:
            self.recovered(out, c, q, now)
        elif d.congested and not was:
            q.open = Episode(self.now)
            self.events.append((self.now, out.config.name, c, "congested"))
        if d.congested:
            e = q.open
            # What is refused never was in the queue.
            self.peak(q, q.occupancy)
            e.level = max(e.level, -1 if level is None else level)
            e.packets += 1
            e.octets += item.length
            e.over += item.length if q.over(occupancy, self.now) else 0
        if q.kind == "red":
            item.chance = d.probability(occupancy)
            level = level if item.chance else None
        return level

    def congested(self, out, c, q, item, level, occupancy, lost=False):
        """A packet is chosen: it may be notified for. Returns whether it is to be marked."""
        p = item.packet
        q.met += 1
        q.seen += p.outer is not None and p.outer.ecn == walker.CE
        told, said, sent = False, {}, []
        if q.config.notify and reaches(q.config.notify_from, occupancy, level):
            for kind in self.kinds:
                verdict = "other_kind" if self.yields(kind, said) else self.verdict(kind, out, c, q, item, occupancy)
                self.verdicts[out.config.name, c, kind, verdict] += 1
                sent += [kind] * verdict.startswith("sent")
                said[kind] = verdict
                told |= self.replaces_mark(kind, p, verdict)
        marks = q.config.ecn and reaches(q.config.mark_from, occupancy, level) and not told
        for kind in sent:
            self.notify(kind, out, c, q, item, 7 if lost else level, marks and not lost)
        return marks

    def mark(self, q, item):
        p = item.packet
        if p.outer is None or p.outer.ecn == walker.NOT_ECT:
            q.not_ect += 1
        elif p.outer.ecn == walker.CE:
            pass
        elif item.chance is None or item.chance == 1:
            item.frame = mark_ce(item.frame)
            item.marked = True
            q.marked += 1
            q.open.marked += 1

    def yields(self, kind, said):
        """Whether a kind leaves a packet to another one, given the verdicts of those before it."""
        if kind != CNM and CNM in self.kinds and self.config.direct != "always":
            if self.config.direct == "never" or has_receiver(said[CNM]):
                return True
        return kind in (FAST_CNP, ENDCON) and CNP in self.kinds and has_receiver(said[CNP])

    def replaces_mark(self, kind, p, verdict):
        """Whether a packet is not marked, given what became of a notice about it."""
        if not verdict.startswith("sent") and verdict != "interval":
            return False
        if kind == CNP:
            return True     # every adapter understands it
        # What a proxy makes of a message is not known.
        return not self.config.mark_unknown or kind != CNM and self.config.sender(p.ip.src) != "unknown"

    def undue(self, kind, p):
        """Why no notice of a kind is due, None if one is."""
        if kind == CNM:
            why, to = cnm.undue(p, self.cnm), None
            if why is None:
                to = cnm.proxy_of(p, self.cnm)
                if to is None:
                    named = cnm.OPTION in self.cnm.order and cnm.named(p, self.cnm.option) is not None
                    return "proxy_unusable" if named else "no_proxy"
                why = None if cnm.quoted(p, 4 if len(to) == 4 else 6) else "no_flow"
            return why
        if kind == CNP:
            why = cnp.undue(p, self.cnp)
            capable = FAST_CNP in self.kinds and p.is_roce and p.ip.version == 6 and self.config.sender(p.ip.src) == "capable"
            return "other_kind" if why in (None, "no_qp") and capable else why
        if not p.is_roce:
            return "not_roce"
        if p.bth.opcode in (walker.ACK, walker.ATOMIC_ACK, walker.CNP):
            return "not_data"
        if kind == ENDCON and len(p.layers) == 1:
            return "not_tunnelled"
        if kind == FAST_CNP and len(p.layers) > 1:
            return "tunnelled"
        if p.ip.version == 4:
            return "ipv4"
        if kind == TRIMMED and len(p.layers) > 1:
            if not self.config.endcon_on:
                return "tunnelled"
            kind = ENDCON
        if kind == ENDCON and not (p.outer.version == 6 and self.config.is_endcon(p.outer.src)):
            return "no_endcon"
        return None if walker.may_trigger(p) else "source"

    def verdict(self, kind, out, c, q, item, occupancy):
        p = item.packet
        why = self.undue(kind, p)
        if why is not None:
            return why
        if kind not in (CNM, CNP) and self.config.sender(p.ip.src) == "none":
            return "sender_none"
        now = Fraction(self.now)
        last, to = self.last_notice.get((kind, item.flow)), self.to_whom(kind, p)
        if kind != TRIMMED and last is not None and self.now - last < self.interval:
            return "interval"
        if kind != TRIMMED and q.config.heavy_flows and not q.is_heavy(item, occupancy):
            return "light_flow"
        if not self.way_back(kind, item):
            return "unreachable"
        back, frame = self.notice_frame(kind, item, 0, False)
        if kind == TRIMMED:     # one about each packet, so only a share of the link limits them
            share = self.return_shares[back.config.name]
            if share is not None and not share.grants(self.now, item.source, len(frame)):
                return "bucket_link"
            return "sent_trimmed_endcon" if len(p.layers) > 1 else "sent_trimmed"
        share = self.shares[back.config.name]
        if share is not None and not share.has(now):
            return "bucket_link"
        if (kind, to, back.config.name) not in self.destination_buckets:
            self.destination_buckets[kind, to, back.config.name] = self.destination_bucket(back.config)
        asked = [("bucket_queue", self.queue_buckets[kind, out.config.name, c]), ("bucket_global", self.global_buckets[kind]),
                 ("bucket_source", self.source_buckets[kind, p.ip.src] if kind in (ENDCON, CNM) else None),
                 ("bucket_destination", self.destination_buckets[kind, to, back.config.name])]
        for why, bucket in asked:
            if bucket is not None and not bucket.has(now):
                return why
        for _, bucket in asked:
            if bucket is not None:
                bucket.take()
        if share is not None:
            share.take(now, len(frame))
        self.last_notice[kind, item.flow] = self.now
        if kind == CNM:
            return "sent_by_option" if to == cnm.option_of(p, self.cnm) and to != cnm.prefix_of(p, self.cnm.prefixes) or \
                self.cnm.order[0] == cnm.OPTION and cnm.option_of(p, self.cnm) is not None else "sent_by_prefix"
        if kind == CNP:
            return "sent_cnp"
        if notice.trace_of(p) is not None:
            return "sent_ioam_edge" if self.back_over_edge(kind, item) else "sent_option2"
        found = transit.find(p)
        return "sent_option1" if found is None or found[1].error else "sent_ioam_too_long"

    def to_whom(self, kind, p):
        if kind == CNM:
            return cnm.proxy_of(p, self.cnm)
        return p.outer.src if kind == ENDCON or kind == TRIMMED and len(p.layers) > 1 else p.ip.src

    def way_back(self, kind, item):
        """Whether a notice gets there: to the sender of a bridged packet by the port that it came in by, else to a known neighbour."""
        if item.source in self.config.bridged and kind != CNM:
            return kind in (FAST_CNP, CNP) or kind == TRIMMED and len(item.packet.layers) == 1
        hop = self.config.next_hop(self.to_whom(kind, item.packet))
        if kind == CNM and hop is not None and len(hop[1]) == 4 and hop[0] not in self.config.own_ipv4:
            return False
        return hop is not None and hop in self.config.neighbours

    def back_over_edge(self, kind, item):
        """Whether a notice leaves by a port where the IOAM domain ends."""
        name = item.source
        if name not in self.config.bridged:
            name, _ = self.config.next_hop(self.to_whom(kind, item.packet))
            name, _ = self.config.subs.get(name, (name, None))
        return self.config.ports[name].edge != "off"

    def notice_frame(self, kind, item, level, marks):
        """Port that a notice leaves by, and its frame."""
        back, to = self.ports.get(item.source), self.to_whom(kind, item.packet)
        if kind == CNM:
            source = self.config.loopback if len(to) == 16 else self.config.own_ipv4[self.config.next_hop(to)[0]]
            # What is quoted is as it leaves, with its mark.
            about = cnm.marked(item.packet) if marks and item.chance in (None, 1) else None
            packet = cnm.build(self.cnm, about or item.packet, max(level, 0), to, source)
        elif kind == CNP:
            packet = cnp.build(self.cnp, item.packet)
        else:
            packet = notice.build(self.profile, item.packet, not self.back_over_edge(kind, item), kind == TRIMMED)
        if kind == ENDCON or kind == TRIMMED and len(item.packet.layers) > 1:
            packet = notice.wrap(self.profile, to, packet)
        packet = (b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\x00") + packet
        if item.source in self.config.bridged and kind != CNM:
            return back, item.packet.smac + back.config.mac + packet
        return self.next_hop(packet, to, self.notify_class)

    def notify(self, kind, out, c, q, item, level, marks):
        self.notices.append((self.now, out.config.name, c, item.arrival, level))
        out.made += 1
        if q.open:
            q.open.notices += 1
            q.open.flows.add(item.flow)
        back, frame = self.notice_frame(kind, item, level, marks)
        if item.source not in self.config.bridged or kind == CNM:
            self.count_sub(self.to_whom(kind, item.packet), frame)
        mine = back.queues[self.notify_class]
        self.push(back, out, self.notify_class, mine, Item(frame, self.now))

    # ---- out ----

    def backlog(self, p):
        return {c: q.backlog_since for c, q in enumerate(p.queues) if q.items}

    def watch(self, p):
        began, ended = p.taken.watch(self.backlog(p), self.now)
        for c in sorted(ended):
            self.events.append((self.now, p.config.name, c, "storm_over"))
        for c in sorted(began):
            self.events.append((self.now, p.config.name, c, "storm"))
            while p.taken.action == "drop" and p.queues[c].items:
                self.take(p, c)
                p.queues[c].drops["pause_storm"] += 1
                p.drops["pause_storm"] += 1

    def take(self, p, c):
        """The head leaves its queue."""
        q = p.queues[c]
        item = q.items.popleft()
        if not q.items:
            p.scheduler.emptied(c)
            q.backlog_since = None
        if item.ingress is not None:
            self.memory.release(item.ingress, item.length)
            self.update_given(self.ports[item.source], c)
        elif item.stands:
            self.charge(q, -item.length)
        q.occupancy -= item.length
        q.held[item.flow] -= item.length
        q.changes.append((self.now, q.occupancy))
        if q.detector is not None and q.kind != "rate":
            at = q.detector.departure(q.head if q.kind == "sojourn" else q.occupancy, Fraction(self.now))
            self.recovered(p, c, q, at)
        return item

    def on_line(self, p, frame):
        start = p.line if self.now <= whole(p.line) and p.line > 0 else Fraction(self.now)
        p.line = start + p.line_time(len(frame))
        p.tx_octets += len(frame)
        return whole(p.line)

    def send(self, p):
        """The port takes one frame if it can. Returns whether it did."""
        if self.now < whole(p.line):
            return False
        if p.given.due(self.now):
            frame = p.given.tell(self.now)
            p.sent.append(Sent(self.on_line(p, frame), Item(frame, self.now), "pfc", self.now))
            return True
        if p.shaper and p.shaper.ready() > self.now:
            return False
        c = p.scheduler.pick([q.items for q in p.queues], p.taken.held(), self.now)
        if c is None:
            return False
        q = p.queues[c]
        if q.at_dequeue and q.detector is not None and not q.items[0].trimmed and \
                not (q.items[0].packet and q.items[0].packet.cut):
            item = q.items[0]
            level = self.met(p, c, q, item)
            if level is not None and self.congested(p, c, q, item, level, q.occupancy):
                self.mark(q, item)
            if q.detector.congested and item.source is not None:
                q.flows.note(item.packet, item.length, self.now, marked=item.marked)
        item = self.take(p, c)
        q.sent += 1
        q.waited.append(self.now - item.queued)
        if item.delay is not None:
            item.frame = item.frame[:item.delay] + struct.pack("!I", min(self.now - item.queued, 1 << 31)) + item.frame[item.delay + 4:]
        if p.shaper:
            p.shaper.charge(item.length, self.now)
        p.sent.append(Sent(self.on_line(p, item.frame), item, "data" if item.source else "notice", self.now))
        return True


def xon_of(xoff):
    """3 KB below, at least half."""
    return max(xoff - 3000, xoff // 2)


TELL_AGAIN = 10**6    # ns between two events about loss in a lossless class, or about trimming


TRIMMED = "trimmed"     # also the kind of notice about such a packet
NO_ROOM = ("queue_bytes", "packet_buffers", "buffer")


# Kinds of notices: to the sender, to the END.CON where the tunnel of the packet begins, to the proxy of the sender, and to the sender
# in the name of the receiver.
FAST_CNP, ENDCON, CNM, CNP = "fast_cnp", "endcon", "cnm", "cnp"


def has_receiver(verdict):
    """Whether a notice has somebody to go to. A limit that keeps it back makes its receiver neither unknown nor unreachable."""
    return verdict in ("interval", "light_flow", "no_mbuf") or verdict.startswith(("sent", "bucket_"))


def reaches(wanted, occupancy, level):
    return occupancy >= wanted[0] and level >= wanted[1]


def mark_ce(frame):
    f = bytearray(frame)
    p = walker.walk(frame)
    if p.outer.version == 6:
        f[p.l3 + 1] |= 0x30
    else:
        f[p.l3 + 1] |= 3
        f[p.l3 + 10:p.l3 + 12] = struct.pack("!H", sums.ipv4_checksum(f[p.l3:p.l3 + 20]))
    return bytes(f)
