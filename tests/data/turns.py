# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Packets that come at one time, so that a switch handles them together: one that has a hop limit of 1, or is longer than
the next link takes, behind and before others; and DSCPs that differ in one bit.

What must leave is written here by the rules for each packet alone.
"""

import random
import struct
from ipaddress import ip_address

import cases
import traces

US = 1000
GAP = 20 * US   # between turns: more than four frames take at 10 Gbit/s
PLACES = (0, 1, 3)
MTU = 1280      # of the port that they leave by
SHORT = 150     # octets of the others
OUT = ("02:00:00:00:01:02", "02:00:00:00:02:01")
STATIONS = ("02:00:00:00:0a:01", "02:00:00:00:0b:01")


def trace(frame):
    """The frame with an IOAM trace that has room for a node."""
    return traces.with_options(frame, traces.trace_option(0xC00000))


def tunnel(frame, to, hops=64):
    """The packet of an IPv6 frame in a tunnel with the same traffic class."""
    outer = frame[14:18] + struct.pack("!HBB", len(frame) - 14, 41, hops)
    return frame[:14] + outer + ip_address("2001:db8:9::9").packed + ip_address(to).packed + frame[14:]


class Packets:
    """Packets of each kind, with numbers."""

    def __init__(self, w6, w4):
        self.w6, self.w4, self.number = w6, w4, 0

    def packet(self, kind, hops=64, length=SHORT, dscp=26, macs=(cases.SWITCH_MAC, "02:00:00:00:00:01")):
        """A frame, and the one that is in the tunnel, if it has one that is taken off."""
        self.number += 1
        changes = {"hops": hops, "dmac": macs[0], "smac": macs[1], "qp": self.number, "traffic_class": dscp << 2 | 2}
        if kind == "ip4":
            return cases.variant(self.w4, dst="198.51.100.1", length=length, **changes), None
        extra = len(trace(self.w6)) - len(self.w6) if kind == "trace" else 40 if kind == "passing" else 0
        changes["hops"] = 64 if kind == "passing" else hops
        f = cases.variant(self.w6, dst="2001:db8:2::20", length=length - extra, **changes)
        if kind == "trace":
            return trace(f), None
        if kind == "passing":
            return tunnel(f, "2001:db8:2::99", hops), None
        return (tunnel(f, "2001:db8:51::1"), f) if kind == "ends" else (f, None)


def routed(w6, w4):
    """[(time, frame, fate, frame that leaves)]: four packets at a time, one of which is special."""
    out, packets, t = [], Packets(w6, w4), 0
    for kind in ("ip6", "ip4", "trace", "ends", "passing"):
        for others in ("ip6", "ip4", "trace"):
            for changes, fate in (({"hops": 0}, "hop_limit"), ({"hops": 1}, "hop_limit"), ({"hops": 2}, "forwarded"),
                                  ({"length": MTU + 14}, "forwarded"), ({"length": MTU + 15}, "mtu")):
                for at in PLACES:
                    for i in range(4):
                        f, inner = packets.packet(kind, **changes) if i == at else packets.packet(others)
                        out.append((t, f, fate if i == at else "forwarded", cases.routed(inner or f, *OUT)
                                    if i != at or fate == "forwarded" else None))
                    t += GAP
    return out


def bridged(w6, w4):
    """The same in a bridge, which only looks at the length."""
    out, packets, t = [], Packets(w6, w4), GAP
    for kind in ("ip6", "ip4", "trace"):
        for others in ("ip6", "ip4", "trace"):
            for length in (MTU + 14, MTU + 15):
                for at in PLACES:
                    for i in range(4):
                        f, _ = packets.packet(kind if i == at else others, length=length if i == at else SHORT,
                                              macs=(STATIONS[1], STATIONS[0]))
                        out.append((t, f, "mtu" if len(f) > MTU + 14 else "forwarded"))
                    t += GAP
    return out


def classes():
    """A class for each DSCP: by chance, but no two DSCPs that differ in one bit have the same."""
    dice, found = random.Random(1), []
    for dscp in range(64):
        near = {found[dscp ^ 1 << bit] for bit in range(6) if dscp ^ 1 << bit < dscp}
        found.append(dice.choice([c for c in range(8) if c not in near]))
    return found


def pairs(w6, w4, kind, macs, start=0):
    """Three packets at a time, of two DSCPs that differ in one bit."""
    packets = Packets(w6, w4)
    turns = [(d, d | 1 << bit) for d in range(64) for bit in range(6) if not d >> bit & 1]
    return [(start + GAP * n, packets.packet(kind, dscp=dscp, length=86, macs=macs)[0])
            for n, (a, b) in enumerate(turns) for dscp in (a, b, a)]


def captures(w6, w4):
    """All of them: name -> [(ns, frame)]."""
    to_router = (cases.SWITCH_MAC, "02:00:00:00:00:01")
    to_station = (STATIONS[1], STATIONS[0])
    hello = cases.variant(w6, dmac=STATIONS[0], smac=STATIONS[1], length=86, traffic_class=2)
    six = pairs(w6, w4, "ip6", to_router)
    return {
        "turns-routed": [(t, f) for t, f, _, _ in routed(w6, w4)],
        "turns-routed-out": [(t, left) for t, _, _, left in routed(w6, w4) if left],
        "turns-bridged": [(t, f) for t, f, _ in bridged(w6, w4)],
        "turns-hello": [(0, hello)],
        "dscp-routed": six + pairs(w6, w4, "ip4", to_router, six[-1][0] + GAP),
        "dscp-bridged": pairs(w6, w4, "ip6", to_station, GAP),
    }
