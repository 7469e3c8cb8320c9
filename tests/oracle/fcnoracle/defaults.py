# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The default oracles of a regression case: which programs are asked, and with which words.

Everything is derived from the case's configuration and captures, so that a case names no port, address or limit
again. ../README.md says what each default oracle checks and when it applies.
"""

import json
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network

from . import capture, config, traffic, walker

NAMES = ("check_counters.py", "check_forward.py", "check_notices.py", "switch_model.py", "queue_model.py")


@dataclass
class Run:
    """A replay that is to be judged."""
    conf: str                    # path of the configuration
    inputs: dict                 # port -> captures that its packets came from
    outputs: dict                # port -> capture of what it sent
    speed: str
    json: str                    # the report
    series: str = None           # the series, if one was written
    events: str = None           # what `show events json` printed
    more: dict = field(default_factory=dict)  # further words of an oracle, by its name, or by its name and a port


def mac(octets):
    return octets.hex(":")


def address(octets):
    return walker.ip_text(octets)


def commands(run, without=()):
    """[[program, word, ...]] of the default oracles that apply, but those the case does without."""
    settings = config.read(run.conf)
    found = counters(run, "switch_model.py" not in without)
    found += [["switch_model.py", "--conf", run.conf] + ports_of("--in", run.inputs) + ports_of("--out", run.outputs)
              + ["--speed", run.speed, "--counters", run.json]
              + (["--series", run.series] if run.series else []) + (["--events", run.events] if run.events else [])]
    if not writes_ioam(settings):
        found += forward(run, settings) + notices(run, settings)
    found += queue(run, settings)
    found = [words + run.more.get(words[0], []) for words in found if words[0] not in without]
    asked = {words[0] for words in found} - {"check_forward.py"}
    asked |= {"check_forward.py " + port for port, path in run.outputs.items() for words in found
              if words[0] == "check_forward.py" and path in words}
    idle = set(run.more) - asked
    if idle:
        raise ValueError("more words for oracles that are not asked: %s" % ", ".join(sorted(idle)))
    return found


def ports_of(option, captures):
    """OPTION PORT FILE... for each port."""
    out = []
    for port, paths in captures.items():
        out += [option, port] + ([paths] if isinstance(paths, str) else paths)
    return out


def all_of(captures):
    return [path for paths in captures.values() for path in ([paths] if isinstance(paths, str) else paths)]


def writes_ioam(settings):
    """Whether the switch changes packets by more than a bridge or router does: their traces."""
    return any(p.transit or p.edge != "off" for p in settings.ports.values())


def counters(run, modelled):
    """The report against the captures. What was dropped the switch's model says, or else the case, or it is nothing."""
    words = ["check_counters.py", "--json", run.json] + ports_of("--rx", run.inputs) + ports_of("--tx", run.outputs)
    said = run.more.get("check_counters.py", [])
    if "--errors" not in said and "--any-errors" not in said:
        words += ["--errors"]
    if "--drops" not in said and not modelled:
        words += ["--drops"]
    return [words]


def base_of(run):
    """Virtual time 0 as words for a program that is given some of the inputs only."""
    times = [r.time for path in all_of(run.inputs) for r in capture.load(path, partial=True).records]
    return ["--speed", run.speed] + (["--base", str(min(times))] if times else [])


def forward(run, settings):
    """What each port sent came in by another one. That nothing is missing follows from the counters."""
    out, base = [], base_of(run)
    tags = settings.vlans or any(a.packet.vlans for a in traffic.arrivals(all_of(run.inputs)))
    fifo = all(p.trust == "dscp" for p in settings.ports.values())
    for name, path in run.outputs.items():
        port, bridged = settings.ports[name], name in settings.bridged
        source = all_of({k: v for k, v in run.inputs.items() if not bridged or k in settings.bridged and k != name})
        if not source:
            source = all_of(run.inputs)
        words = ["check_forward.py", "--in"] + source + ["--out", path, "--mode", "bridge" if bridged else "route", "--allow-drops"]
        words += ["--fifo"] * fifo + ["--allow-ce"] * any(q.ecn for q in port.queues) + ["--any-vlan"] * tags
        own = [settings.loopback] * bool(settings.loopback) + list(settings.own_ipv4.values()) * settings.cnm_on
        words += ["--ignore-notices"] * bool(own) + [address(a) for a in own] + ["--ignore-cnps"] * settings.cnp_on
        words += ["--ignore-pause", mac(port.mac)] * any(port.mac)
        words += ["--src-mac", mac(port.mac)] * (any(port.mac) and not bridged)
        out.append(words + base + run.more.get("check_forward.py " + name, []))
    return out


def notices(run, settings):
    """Each notice is one that an input packet calls for; without a kind that is on there is none."""
    if not settings.loopback:
        return []
    words = ["check_notices.py", "--data"] + all_of(run.inputs) + ["--notices"] + all_of(run.outputs)
    words += ["--source", address(settings.loopback), "--icrc", settings.icrc, "--speed", run.speed, "--strict"]
    words += ["--min-interval", str(settings.interval)] if settings.notifies else ["--expect", "0"]
    words += ["--end-con"] + [str(net) for net in settings.endcons] if settings.endcon_on and settings.endcons else []
    if settings.cnm_on and settings.cnm_port:
        words += ["--cnm-port", str(settings.cnm_port), "--address-from", settings.address_from, "--direct", settings.direct]
        words += ["--cnm-source"] * bool(settings.own_ipv4) + sorted(address(a) for a in settings.own_ipv4.values())
        words += ["--allowed"] + [str(net) for net in settings.allowed]
        words += ["--proxy"] * bool(settings.proxies) + ["%s=%s" % (net, address(a)) for net, a in settings.proxies]
    words += ["--dscp", str(settings.notify_dscp)]
    if settings.cnp_on:
        words += ["--qp"] + ["%s/%d=%d" % (address(to), qp, own) for (to, qp), own in settings.qps.items()]
    others = settings.endcon_on or settings.cnm_on or settings.cnp_on
    words += ["--no-plain"] if others and not settings.fast_cnp else []
    ports = [p for name, p in settings.ports.items() if name in run.outputs]
    if all(any(p.mac) for p in ports):
        words += ["--src-mac"] + [mac(p.mac) for p in ports]
    if set(run.outputs) <= settings.bridged:
        words += ["--l2", "bridge"]
    elif not settings.bridged and settings.neighbours:
        words += ["--l2", "routed", "--dst-mac"] + sorted({mac(m) for m in settings.neighbours.values()})
    return [words]


# ---- one congested queue ----

def queue(run, settings):
    """The model of one queue, where the configuration and the packets make just one of them interesting."""
    where = watched(settings)
    if settings.endcon_on or settings.cnm_on or settings.cnp_on or where is None or where[0] not in run.outputs:
        return []
    name, number = where
    port = settings.ports[name]
    found = offered(run, settings, name)
    if number is None and found:
        number = settings.class_of(found[0])
    if not found or any(settings.class_of(p) != number for p in found):
        return []
    q = port.queues[number]
    words = ["queue_model.py", "--in"] + all_of(run.inputs) + ["--speed", run.speed]
    if name in settings.bridged:
        words += ["--to-mac"] + sorted({mac(p.dmac) for p in found})
    words += ["--whole-ns", "--notify-state", "--tolerance", "0", "--link", str(port.link), "--limit", str(q.limit)]
    words += ["--shaper", str(port.rate), "--burst", str(port.burst)] if port.rate else []
    words += ["--compare", run.outputs[name], "--counters", run.json, "--queue", "%s:%d" % (name, number), "--moments"]
    if q.detector:
        told = limits(run, settings, name, q, found)
        if told is None or shares_bite(run):
            return []
        words += detector(q.detector, settings.interval) + told
    return [words]


def shares_bite(run):
    """Whether notices used up their share of a link, which the queue model does not know; the model of the switch does."""
    with open(run.json, encoding="utf-8") as f:
        return any(v["verdict"] == "bucket_link" for v in json.load(f)["notify"]["verdicts"])


def watched(settings):
    """(port, class) of the only queue with a detector, or (port, None) of the only port that is slow; None: no such queue."""
    unknown = [text for text in settings.other if not text.startswith("route add ")]
    if unknown or settings.subs or settings.vlans or settings.buffer or writes_ioam(settings) or settings.class_map:
        return None
    if any(p.pfc != config.Pfc() or p.trust != "dscp" for p in settings.ports.values()):
        return None
    found = [(name, c) for name, p in settings.ports.items() for c, q in enumerate(p.queues) if q.detector]
    if not found:
        found = [(name, None) for name, p in settings.ports.items() if p.link != config.Port(name).link or p.rate]
    if len(found) != 1:
        return None
    port = settings.ports[found[0][0]]
    if port.overhead != 24 or any(q.committed or q.peak for q in port.queues):
        return None
    q = port.queues[found[0][1] or 0]
    at_arrival = q.detector is None or q.detector[0] in ("step", "qcn") and q.detector[1].get("at") != "dequeue"
    plain = q.mark_from == q.notify_from == (0, 0) and at_arrival
    return found[0] if plain else None


def offered(run, settings, name):
    """Packets that leave by a port: those for stations behind it, or, routed, all there are. Empty: not to be told."""
    by_port = {port: traffic.arrivals(paths) for port, paths in run.inputs.items()}
    packets = [a.packet for port, found in by_port.items() if port != name for a in found
               if not traffic.never_forwarded(a.packet)]
    if name in settings.bridged:
        if set(settings.ports) != settings.bridged:
            return []
        elsewhere = {a.packet.smac for port, found in by_port.items() if port != name for a in found}
        return [p for p in packets if p.dmac not in elsewhere]
    # A router of two ports whose next hops are all known.
    hops = {(name, address(via)) for _, via, name in settings.routes}
    known = {(port, address(octets)) for port, octets in settings.neighbours}
    others = set(settings.ports) - {name}
    return packets if len(others) == 1 and not settings.bridged and hops <= known and set(run.inputs) <= others else []


def detector(said, interval):
    kind, words = said
    out = ["--" + kind, words["threshold"] if kind == "step" else words.get("qeq", "26000"), "--level-hold", str(interval)]
    for name in ("leave", "weight", "sample"):
        out += ["--" + name, words[name]] if name in words else []
    hold = words.get("hold", "20us" if kind == "qcn" else "0")
    return out + ["--hold", str(config.time(hold))]


def reachable(settings, name, packets):
    """Whether there is a way back to the senders of packets that may be answered; None: to some of them."""
    if name in settings.bridged:
        return True
    nets = [n for n, _ in settings.connected] + [n for n, _, _ in settings.routes]
    found = {any(ip_address(p.ip.src) in net for net in nets) for p in packets if walker.may_trigger(p)}
    return True if not found else found.pop() if len(found) == 1 else None


def limits(run, settings, name, q, packets):
    """Which packets are answered, refused, marked. None: that differs from sender to sender, or the links for notices do."""
    able = {settings.sender(p.ip.src) for p in packets if walker.may_trigger(p)} or {settings.sender_default}
    back = reachable(settings, name, packets)
    if len(able) != 1 or back is None:
        return None
    able = able.pop()
    words, told = [], settings.fast_cnp and q.notify and able != "none"
    if told and not back:
        words += ["--unreachable"]
    if told:
        others = [p for other, p in settings.ports.items() if other != name]
        links = {p.link for p in others}
        if len(links) != 1:
            return None
        outs = [path for other, path in run.outputs.items() if other != name]
        words += ["--notices"] + outs + ["--source", address(settings.loopback), "--notice-link", str(links.pop())]
        words += ["--min-interval", str(settings.interval)] + ["--heavy-flows"] * q.heavy_flows
        for bucket, option in ((settings.queue_bucket(settings.ports[name], q), "queue"), (settings.buckets["global"], "global"),
                               (settings.destination_bucket(others[0]), "dest")):
            if bucket:
                words += ["--%s-bucket" % option, "%d:%d" % bucket]
    else:
        words += ["--never-notify"]
    marks = []
    if q.ecn:
        marks = ["other", "light_flow", "unreachable", "bucket_queue", "bucket_global", "bucket_destination"]
        # A sender that may not understand notices is told by ECN, too.
        marks += ["notified", "interval"] * (able == "unknown" and settings.mark_unknown)
    return words + ["--marks"] + marks

