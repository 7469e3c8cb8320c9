# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Facts about traffic that the checks share: arrivals in virtual time, rewrites a switch may make."""

import math
from dataclasses import dataclass
from fractions import Fraction

from . import capture, notice, sums, walker


LONGEST = 16000    # octets of a frame that a replay takes


@dataclass
class Arrival:
    time: int          # stamp, ns since 1970
    virtual: int       # stamp it has in the outputs of a replay at the given speed
    packet: walker.Packet
    source: int        # which of the files
    index: int         # place among all arrivals


def scaled(delta, factor):
    """A captured gap divided by the speed: to the nearest nanosecond, halves up."""
    return math.floor(delta / factor + Fraction(1, 2))


def arrivals(paths, speed="1", base=None):
    """All packets of the inputs, merged by time, as a replay plays them.

    base: stamp of virtual time 0, ns; the earliest stamp when not given. Packets cut short by the
    capture and those longer than any port takes are left out, as the replay does.
    """
    merged = capture.merge(paths)
    if not merged:
        return []
    base = merged[0][0].time if base is None else base
    factor = Fraction(speed)
    out = []
    for r, number in merged:
        if r.length == len(r.data) and 14 <= len(r.data) <= LONGEST:
            virtual = base + scaled(r.time - base, factor)
            out.append(Arrival(r.time, virtual, walker.walk(r.data), number, len(out)))
    return out


def flow_key(p):
    """Packets of one flow stay in order: addresses, ports and DSCP, MACs for what is not IP."""
    if p.ip is None:
        return (p.dmac, p.smac, p.ethertype)
    return (p.ip.src, p.ip.dst, p.ip.next, p.sport, p.dport, p.outer.dscp)


def roce_key(p):
    """What a Fast CNP tells of the flow that caused it: sender, receiver, destination QP."""
    return (p.ip.src, p.ip.receiver, p.bth.qp)


def notice_classes(found, profile, traces=True):
    """The Fast CNP a data packet calls for -> the arrivals that call for it.

    found: arrivals. Packets that may not be answered are in none. traces: whether traces may go along.
    """
    out, built = {}, {}
    for a in found:
        p = a.packet
        if not walker.may_trigger(p):
            continue
        trace = notice.trace_of(p) if traces else None
        same = (roce_key(p), p.sport, p.bth.pkey, trace and (trace.kind, trace.data))
        if same not in built:
            built[same] = notice.build(profile, p, traces)
        out.setdefault(built[same], []).append(a)
    return out


def strip_vlans(frame):
    while len(frame) >= 18 and (frame[12] << 8 | frame[13]) in walker.VLAN_TYPES:
        frame = frame[:12] + frame[16:]
    return frame


def ecn_of(frame):
    """ECN field of the outermost IP header, None without one."""
    p = walker.walk(frame)
    return p.outer.ecn if p.outer is not None else None


def canonical(frame, mode="bridge", ce=False, any_vlan=False):
    """A frame with everything blanked that the switch may rewrite.

    mode: bridge (nothing), route4, route6 or route for both (MACs, TTL or hop limit, IPv4 checksum; padding goes). ce: ECT(0), ECT(1) and CE
    of the outermost header look the same. What is blanked must be checked by legal_rewrite().
    """
    f = bytearray(strip_vlans(frame) if any_vlan else frame)
    p = walker.walk(f)
    if p.outer is None:
        return bytes(f)
    l3, version = p.l3, p.outer.version
    routed = mode in ("route", "route%d" % version)
    if routed and p.end:
        del f[p.end:]  # Ethernet padding is not part of what is routed
    if routed:
        f[0:12] = bytes(12)
        f[l3 + (8 if version == 4 else 7)] = 0
    if ce and p.outer.ecn:
        if version == 4:
            f[l3 + 1] |= 3
        else:
            f[l3 + 1] |= 0x30
    if version == 4 and (routed or ce) and len(f) >= l3 + 12:
        f[l3 + 10:l3 + 12] = b"\0\0"
    return bytes(f)


def legal_rewrite(before, after, mode="bridge", ce=False):
    """What is wrong between two packets that are canonically equal, "" when nothing is."""
    a, b = before.outer, after.outer
    if a is None:
        return ""
    if b.ecn != a.ecn and not (ce and a.ecn and b.ecn == walker.CE):
        return "ECN field %d became %d" % (a.ecn, b.ecn)
    if mode in ("route", "route%d" % a.version) and b.hop_limit != a.hop_limit - 1:
        return "hop limit %d became %d" % (a.hop_limit, b.hop_limit)
    if b.version == 4:
        head = after.frame[b.offset:b.offset + 20]
        was = before.frame[a.offset:a.offset + 20]
        good = sums.ipv4_checksum(was) == (was[10] << 8 | was[11])
        if good and sums.ipv4_checksum(head) != (head[10] << 8 | head[11]):
            return "IPv4 header checksum"
    return ""


def never_forwarded(p):
    """MAC control frames and the other bridge-local addresses end at the switch."""
    return p.ethertype == 0x8808 or p.dmac[:5] == b"\x01\x80\xc2\x00\x00" and p.dmac[5] < 0x10


def text(ns):
    """A time for a person."""
    return "%d.%09d" % divmod(ns, 10**9)
