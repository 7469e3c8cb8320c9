# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Packets to steered prefixes, with the policy that each must take by hand: the rules are not evaluated here.

The outer headers are those of headend.py.
"""

import struct
from ipaddress import ip_address

import cases
import headend
import srv6
from fcnoracle import sums

MACS = {"p1": "02:00:00:00:01:01", "p3": "02:00:00:00:01:03", "p4": "02:00:00:00:01:04"}

# Segments of the policies of the case; all are encaps-red with the defaults. The policy `dead` leads nowhere.
A, B, C = (headend.FIRST, headend.LAST), (headend.LAST,), ("2001:db8:e5:1::1", headend.LAST)
NORMAL, NO_ROUTE = "normal", None

# Port, destination, DSCP, RoCEv2: what the packet takes. The rules are in fastcn.conf of the case.
WANTED = [
    # One condition: of DSCP 26 -> b, roce off -> c, port p3 -> a; of two rules with one, the port comes first, then the DSCP.
    ("p1", "2001:db8:2::20", 26, True, B),
    ("p1", "2001:db8:2::20", 26, False, B),
    ("p1", "2001:db8:2::20", 10, False, C),
    ("p1", "2001:db8:2::20", 10, True, NORMAL),
    ("p3", "2001:db8:2::20", 10, False, A),
    ("p3", "2001:db8:2::20", 26, True, A),
    ("p3", "2001:db8:2::20", 46, True, C),      # port p3 and DSCP 46: more conditions
    ("p3", "2001:db8:2::20", 46, False, B),     # port p3, DSCP 46 and not RoCEv2: more still
    ("p1", "2001:db8:2::20", 46, True, NORMAL),
    # A longer steered prefix: the rules of the shorter one do not count.
    ("p3", "2001:db8:2:5::20", 46, True, B),
    ("p1", "2001:db8:2:5::20", 26, True, NORMAL),
    # A longer normal route.
    ("p3", "2001:db8:2:7::20", 26, True, NORMAL),
    # A policy that leads nowhere: the next rule, or the normal route.
    ("p1", "2001:db8:3::20", 26, True, C),
    ("p1", "2001:db8:3::20", 10, True, C),
    ("p1", "2001:db8:3::20", 26, False, NORMAL),
    ("p1", "2001:db8:4::20", 26, True, NORMAL),
    # A configured neighbour: rules come first, and it is the normal route.
    ("p1", "2001:db8:12::2", 10, False, A),
    ("p1", "2001:db8:12::2", 10, True, NORMAL),
    # All packets of a prefix.
    ("p1", "2001:db8:6::20", 0, True, A),
    ("p3", "2001:db8:6::20", 63, False, A),
    # IPv4: a longer prefix, the default route.
    ("p1", "198.51.100.20", 26, True, B),
    ("p1", "198.51.100.20", 10, True, NORMAL),
    ("p1", "203.0.113.9", 10, True, A),
    ("p1", "203.0.113.9", 10, False, NORMAL),
    # Another table has rules of its own. It has no route for what they leave over.
    ("p4", "2001:db8:2::20", 26, True, C),
    ("p4", "2001:db8:2::20", 26, False, NO_ROUTE),
    ("p4", "198.51.100.20", 26, True, NO_ROUTE),
]


def frame_of(base, port, dst, dscp, roce):
    frame = cases.variant(base, dst=dst, dmac=MACS[port], traffic_class=dscp << 2 | 2)
    if roce:
        return frame
    other = bytearray(frame)
    at = 56 if ":" in dst else 36
    other[at:at + 2] = struct.pack("!H", 4792)
    return bytes(other)


def leaving(frame, wanted, roce):
    if wanted == NO_ROUTE:
        return None
    if wanted == NORMAL:
        return cases.routed(frame, headend.OUR_PORT, headend.STATION)
    return headend.encapsulated(frame, ("encaps-red", wanted, True, None, 64), headend.ENDCON if roce else headend.LOOPBACK)


HOST, HOST4 = "2001:db8:1::10", "192.0.2.10"


def in_tunnel(frame, segments):
    """A packet of the switch itself: no hop is counted. ICMP has no ports; the flow hash has the protocol in their place, and
    over IPv6 the flow label, which is 0."""
    at, protocol = (54, frame[20]) if frame[12:14] == b"\x86\xdd" else (34, frame[23])
    flow = frame[:at] + struct.pack("!I", protocol << 20) + frame[at + 4:]
    return frame[:12] + b"\x86\xdd" + headend.outer(flow, ("encaps-red", segments, True, None, 64), headend.LOOPBACK) + frame[14:]


def time_exceeded(frame):
    message = b"\3\0" + bytes(6) + frame[14:]
    return srv6.icmpv6("2001:db8:11::1", frame[22:38], 64, message, "p2")


def time_exceeded4(frame):
    """As headend.fragmentation_needed(), but for type and code."""
    f = bytearray(headend.fragmentation_needed(frame, 0))
    f[34:38] = b"\x0b\0\0\0"
    f[36:38] = struct.pack("!H", 0xFFFF - sums.ones_sum(bytes(f[34:])))
    return bytes(f)


def own(vector):
    """The case srv6-own: (frame, what the switch says of it). It goes by policies, but for the last."""
    w6, w4 = vector("01_roce6_write.pcap")[0], vector("02_roce4_write.pcap")[0]
    out = []
    expired = cases.variant(w6, src=HOST, dmac=MACS["p1"], hops=1)
    out.append((expired, in_tunnel(time_exceeded(expired), A)))
    expired = cases.variant(w4, src=HOST4, dmac=MACS["p1"], hops=1)
    out.append((expired, in_tunnel(time_exceeded4(expired), B)))
    for host, segments in ((HOST, A), ("2001:db8:1:5::10", B), ("2001:db8:1:6::10", None)):
        body = b"\x12\x34\0\7ping"
        asks = srv6.icmpv6(host, ip_address("2001:db8:11::1").packed, 64, b"\x80\0\0\0" + body, "p2")
        answer = srv6.icmpv6("2001:db8:11::1", ip_address(host).packed, 64, b"\x81\0\0\0" + body, "p2")
        out.append((cases.mac(MACS["p1"]) + asks[6:], in_tunnel(answer, segments) if segments else answer))
    return out


def captures(vector):
    """name -> frames, in the order in which they come or leave; None where nothing does."""
    w6, w4 = vector("01_roce6_write.pcap")[0], vector("02_roce4_write.pcap")[0]
    came = [(port, frame_of(w6 if ":" in dst else w4, port, dst, dscp, roce)) for port, dst, dscp, roce, _ in WANTED]
    left = [leaving(frame, wanted, roce) for (_, frame), (_, _, _, roce, wanted) in zip(came, WANTED)]
    out = {"srv6-steering-%s" % port: [f if p == port else None for p, f in came] for port in MACS}
    out["srv6-steering-out"] = left
    found = own(vector)
    out["srv6-own"] = [f for f, _ in found]
    announced = [srv6.announcement(address, "p2") for address in ("fe80::ff:fe00:102", "2001:db8:12::1")]
    out["srv6-own-out"] = announced + [f for _, f in found]
    return out
