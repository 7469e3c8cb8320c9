# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Small captures for single questions: which VLAN, which route, which class. make_data.py writes them; README.md tells what
each holds. Frames are the RoCEv2 WRITEs of vectors 01 and 02 with some fields changed, ICRC and checksums right.

Files named *-out-PORT are what a bridge must send by that port: made from the same frames by the lists here, not by fastcn.
"""

import struct
from ipaddress import ip_address

from fcnoracle import sums, walker

US, MS = 1000, 10**6
SWITCH_MAC = "02:00:00:00:01:01"


def mac(text):
    return bytes.fromhex(text.replace(":", ""))


def finish(frame):
    """Put IPv4 checksum, ICRC (convention skip) and UDP checksum right."""
    f = bytearray(frame)
    p = walker.walk(f)
    if p.ip.version == 4:
        f[p.l3 + 10:p.l3 + 12] = struct.pack("!H", sums.ipv4_checksum(f[p.l3:p.l3 + 20]))
    f[p.end - 4:p.end] = sums.icrc(f, p.ip.offset, p.udp, p.end)
    f[p.udp + 6:p.udp + 8] = struct.pack("!H", sums.udp_checksum(f, p.ip.offset, p.udp, p.end))
    return bytes(f)


def variant(frame, src=None, dst=None, smac=None, dmac=None, sport=None, qp=None, hops=None, traffic_class=None, length=None):
    """An untagged RoCEv2 frame of the vectors with fields changed. length: of the frame, by its payload."""
    f = bytearray(frame)
    six = f[12:14] == b"\x86\xdd"
    udp = 54 if six else 34
    if length is not None:
        grow = length - len(f)
        f = f[:-4] + bytes(grow) + f[-4:] if grow >= 0 else f[:grow - 4] + f[-4:]
        f[udp + 4:udp + 6] = struct.pack("!H", length - udp)
        f[18:20] = struct.pack("!H", length - 54) if six else f[18:20]
        f[16:18] = f[16:18] if six else struct.pack("!H", length - 14)
    f[0:6] = mac(dmac) if dmac else f[0:6]
    f[6:12] = mac(smac) if smac else f[6:12]
    at, size = (22, 16) if six else (26, 4)
    f[at:at + size] = ip_address(src).packed if src else f[at:at + size]
    f[at + size:at + 2 * size] = ip_address(dst).packed if dst else f[at + size:at + 2 * size]
    f[udp:udp + 2] = struct.pack("!H", sport) if sport is not None else f[udp:udp + 2]
    f[udp + 13:udp + 16] = qp.to_bytes(3, "big") if qp is not None else f[udp + 13:udp + 16]
    if hops is not None:
        f[21 if six else 22] = hops
    if traffic_class is not None and six:
        f[14] = 0x60 | traffic_class >> 4
        f[15] = f[15] & 0x0F | (traffic_class & 15) << 4
    elif traffic_class is not None:
        f[15] = traffic_class
    return finish(f)


def tag(frame, vid, pcp=0, ethertype=0x8100):
    return frame[:12] + struct.pack("!HH", ethertype, pcp << 13 | vid) + frame[12:]


def fragment(frame):
    """The frame as the first fragment of a packet: IPv6 with a Fragment header, IPv4 with More Fragments."""
    f = bytearray(frame)
    if f[12:14] == b"\x86\xdd":
        f = f[:54] + bytes([f[20], 0, 0, 1, 0, 0, 0, 7]) + f[54:]
        f[20] = walker.FRAGMENT
        f[18:20] = struct.pack("!H", len(f) - 54)
        return bytes(f)
    f[20:22] = b"\x20\x00"
    f[24:26] = struct.pack("!H", sums.ipv4_checksum(f[14:34]))
    return bytes(f)


# ---- routing ----

def flows(w6, w4):
    """48 flows over IPv6 and 16 over IPv4, four packets of each, taking turns."""
    one = [variant(w6, src="2001:db8:1::%x" % (0x100 + i), sport=0xC000 + 37 * i, qp=0x100 + i) for i in range(48)]
    one += [variant(w4, src="192.0.2.%d" % (16 + i), sport=0xD000 + 41 * i, qp=0x200 + i) for i in range(16)]
    return one * 4


def bad(frame, at, octets):
    f = bytearray(frame)
    f[at:at + len(octets)] = octets
    return bytes(f)


def jumbogram(w6):
    """A packet as Linux hands them out with BIG TCP (RFC 2675): the length is in an option."""
    options = bytes((17, 0, 0xC2, 4)) + struct.pack("!I", 8 + len(w6) - 54)
    return w6[:18] + bytes(2) + b"\0" + w6[21:54] + options + w6[54:]


def odd_routed(w6, w4):
    """One packet for each thing a router must say no to, and some it must not: (what becomes of it, frame)."""
    big = variant(w6, length=1400 + 14)
    return [
        ("forwarded", w6),
        ("forwarded", w4),
        ("hop_limit", variant(w6, hops=1)),
        ("hop_limit", variant(w6, hops=0)),
        ("forwarded", variant(w6, hops=2)),
        ("hop_limit", variant(w4, hops=1)),
        ("forwarded", variant(w4, hops=2)),
        ("no_route", variant(w6, dst="2001:db8:3::1")),
        ("no_route", variant(w4, dst="203.0.113.1")),
        ("blackhole", variant(w6, dst="2001:db8:66::1")),
        ("blackhole", variant(w4, dst="198.18.0.1")),
        ("no_neighbour", variant(w6, dst="2001:db8:12::77")),
        ("no_neighbour", variant(w4, dst="10.0.12.77")),
        ("no_neighbour", variant(w6, dst="2001:db8:77::1")),
        ("local", variant(w6, dst="2001:db8:f::5")),
        ("local", variant(w6, dst="2001:db8:11::1")),
        ("local", variant(w4, dst="10.0.11.1")),
        ("not_my_mac", variant(w6, dmac="02:00:00:00:01:99")),
        ("not_my_mac", variant(w4, dmac="02:00:00:00:01:99")),
        ("multicast", variant(w6, dst="ff02::1", dmac="33:33:00:00:00:01")),
        ("multicast", variant(w6, dst="ff0e::1")),
        ("multicast", variant(w4, dst="224.0.0.5")),
        ("ether_type", mac("ff:ff:ff:ff:ff:ff") + w6[6:12] + b"\x08\x06" + bytes(28)),
        ("ether_type", w6[:12] + b"\x88\xb5" + bytes(46)),
        ("martian", variant(w6, src="::1")),
        ("martian", variant(w6, src="ff02::5")),
        ("martian", variant(w6, src="::")),
        ("martian", variant(w4, src="127.0.0.1")),
        ("martian", variant(w4, src="240.0.0.1")),
        ("link_local", variant(w6, src="fe80::1")),
        ("link_local", variant(w6, dst="fe80::1")),
        ("link_local", variant(w4, src="169.254.0.1")),
        ("vlan_unexpected", tag(w6, 5)),
        ("forwarded", tag(w6, 0, pcp=3)),
        ("mtu", variant(w6, length=1401 + 14)),
        ("forwarded", big),
        ("mtu", variant(w4, length=1401 + 14)),
        ("rx_oversize", variant(w6, length=1501 + 14)),
        ("forwarded", w6 + bytes(10)),
        ("forwarded", fragment(w6)),
        ("forwarded", fragment(w4)),
        ("ipv6_truncated", w6[:14 + 20]),
        ("ipv6_version", bad(w6, 14, b"\x50")),
        ("ipv6_length", bad(w6, 18, b"\x02")),
        ("ipv6_jumbogram", jumbogram(w6)),
        ("ipv4_truncated", w4[:14 + 19]),
        ("ipv4_version", bad(w4, 14, b"\x65")),
        ("ipv4_ihl", bad(w4, 14, b"\x44")),
        ("ipv4_length", bad(w4, 16, b"\x02")),
        ("ipv4_checksum", bad(w4, 24, b"\x00\x00")),
        ("eth_truncated", tag(w6, 5)[:17]),
    ]


def routed(frame, smac, dmac):
    """The frame as a router sends it on: no tag, no padding, new MACs, one hop less, IPv4 checksum anew."""
    if frame[12:14] == b"\x81\x00":
        frame = frame[:12] + frame[16:]
    f = bytearray(frame[:walker.walk(frame).end])
    f[0:12] = mac(dmac) + mac(smac)
    if f[12:14] == b"\x86\xdd":
        f[21] -= 1
    else:
        f[22] -= 1
        f[24:26] = struct.pack("!H", sums.ipv4_checksum(f[14:34]))
    return bytes(f)


def to_router(frames):
    """Frames that all go to the switch's own MAC."""
    return [mac(SWITCH_MAC) + f[6:] for f in frames]


# ---- bridging ----

A, B, C, OTHER = ("02:00:00:00:0a:01", "02:00:00:00:0b:01", "02:00:00:00:0c:01", "02:00:00:00:0a:02")


def vlans(w6):
    """(time, port it comes in by, frame, {port it must leave by: frame}). The configuration is that of the case `vlan`:
    p1 has VLAN 1 untagged, 10 and 20 tagged; p2 10 untagged, 20 tagged; p3 nothing untagged, 10 tagged."""
    def f(src, dst, n):
        return variant(w6, smac=src, dmac=dst, qp=n)
    q = lambda frame, inner, **kw: tag(tag(frame, inner), 10, **kw)
    to_all, some = "ff:ff:ff:ff:ff:ff", "33:33:00:00:00:05"
    found = [
        # DSCP 26 is class 3: a tag that is put on carries it as priority.
        ("p2", f(B, A, 1), {"p1": tag(f(B, A, 1), 10, 3), "p3": tag(f(B, A, 1), 10, 3)}),
        ("p1", tag(f(A, B, 2), 10, 5), {"p2": f(A, B, 2)}),
        ("p1", f(A, B, 3), {}),                       # VLAN 1 has no other port: no_flood_port
        ("p1", tag(f(A, B, 4), 30), {}),              # vlan_not_member
        ("p3", f(C, A, 5), {}),                       # untagged refused: vlan_not_member
        ("p3", tag(f(C, A, 6), 10, 7), {"p1": tag(f(C, A, 6), 10, 7)}),
        ("p1", tag(f(A, B, 7), 20, 1), {"p2": tag(f(A, B, 7), 20, 1)}),
        ("p2", tag(f(B, A, 8), 20, 2), {"p1": tag(f(B, A, 8), 20, 2)}),
        ("p2", f(B, C, 9), {"p3": tag(f(B, C, 9), 10, 3)}),
        ("p1", q(f(A, B, 10), 77, pcp=6), {"p2": tag(f(A, B, 10), 77)}),
        ("p2", tag(f(B, A, 11), 0, 4), {"p1": tag(f(B, A, 11), 10, 4)}),   # priority tag: port's own VLAN
        ("p2", tag(f(B, A, 12), 10, 1), {"p1": tag(f(B, A, 12), 10, 1)}),
        ("p1", tag(f(OTHER, A, 13), 10), {}),         # same_port
        ("p1", f(A, "01:80:c2:00:00:0e", 14), {}),    # reserved_mac
        ("p1", tag(f("03:00:00:00:0a:01", B, 15), 10), {}),  # source_mac
        ("p1", tag(f(A, to_all, 16), 10, 2), {"p2": f(A, to_all, 16), "p3": tag(f(A, to_all, 16), 10, 2)}),
        ("p1", tag(f(A, some, 17), 20, 2), {"p2": tag(f(A, some, 17), 20, 2)}),
        ("p3", tag(f(C, B, 18), 20), {}),             # vlan_not_member
        ("p2", tag(f(B, C, 19), 20, 3), {"p1": tag(f(B, C, 19), 20, 3)}),  # C is known in VLAN 10 only
        ("p1", tag(f(A, B, 20), 1, 3), {}),           # tagged with the port's own VLAN, again alone in it
    ]
    return [(n * 100 * US, *entry) for n, entry in enumerate(found)]


def router_on_a_stick(w6, w4):
    """Like vlans(); the configuration is that of the case `vlan-router`: p1 has no VLAN for itself, p1.100 and p1.200 are
    VLANs of it; p2 is a port without VLANs. By doc/vlan.md."""
    hosts = {"p1": ("02:00:00:00:01:09", "2001:db8:1::9", "10.0.1.9"),
             "p1.100": ("02:00:00:00:01:64", "2001:db8:100::9", "10.0.100.9"),
             "p1.200": ("02:00:00:00:01:c8", "2001:db8:200::9", "10.0.200.9"),
             "p2": ("02:00:00:00:02:09", "2001:db8:2::9", "10.0.2.9")}
    vid = {"p1.100": 100, "p1.200": 200}
    line = {name: name[:2] for name in hosts}
    switch = {"p1": SWITCH_MAC, "p2": "02:00:00:00:01:02"}

    def f(source, to, n, frame=w6, **changes):
        at = 1 if frame is w6 else 2
        return variant(frame, src=hosts[source][at], dst=hosts[to][at], smac=hosts[source][0], qp=n,
                       **{"dmac": switch[line[source]], **changes})

    def out(frame, to, c=3):
        """As it leaves; the priority is the class."""
        sent = routed(frame, switch[line[to]], hosts[to][0])
        return {line[to]: tag(sent, vid[to], c) if to in vid else sent}

    def solicitation(vlan):
        """For p1.100's address, from whoever is in the VLAN."""
        target = ip_address("2001:db8:100::1").packed
        body = struct.pack("!BBHI", 135, 0, 0, 0) + target + b"\x01\x01" + mac(hosts["p1.100"][0])
        ip = struct.pack("!IHBB", 6 << 28, len(body), 58, 255) + ip_address(hosts["p1.100"][1]).packed
        ip += ip_address("ff02::1:ff00:1").packed
        body = body[:2] + struct.pack("!H", sums.ones_sum(ip[8:40] + struct.pack("!II", len(body), 58) + body) ^ 0xFFFF) + body[4:]
        return tag(mac("33:33:ff:00:00:01") + mac(hosts["p1.100"][0]) + b"\x86\xdd" + ip + body, vlan)

    one = [f("p1.100", "p1.200", n) for n in range(30)]
    found = [
        ("p1", tag(one[1], 100), out(one[1], "p1.200")),
        ("p1", tag(f("p1.200", "p1.100", 2, w4), 200), out(f("p1.200", "p1.100", 2, w4), "p1.100")),
        ("p1", tag(f("p1.100", "p2", 3), 100), out(f("p1.100", "p2", 3), "p2")),
        ("p2", f("p2", "p1.200", 4), out(f("p2", "p1.200", 4), "p1.200")),
        ("p2", f("p2", "p1.100", 5, w4), out(f("p2", "p1.100", 5, w4), "p1.100")),
        ("p1", f("p1", "p1.100", 6), out(f("p1", "p1.100", 6), "p1.100")),
        ("p1", tag(f("p1.100", "p1", 7), 100), out(f("p1.100", "p1", 7), "p1")),
        ("p1", tag(one[8], 100 | 0x1000, 7), out(one[8], "p1.200")),       # DEI and priority are not kept
        ("p1", tag(f("p1.100", "p1.200", 9, traffic_class=46 << 2), 100), out(f("p1.100", "p1.200", 9, traffic_class=46 << 2),
                                                                              "p1.200", 5)),
        ("p1", tag(one[10], 300), {}),                                     # vlan_unexpected, until the next comment
        ("p1", tag(one[11], 4095), {}),
        ("p1", tag(one[12], 1), {}),
        ("p1", tag(tag(one[13], 200), 100, ethertype=0x88A8), {}),
        ("p1", tag(tag(one[14], 200), 100), {}),
        ("p1", tag(one[15], 100, ethertype=0x88A8), {}),
        ("p1", tag(tag(one[16], 100), 0), {}),
        ("p1", solicitation(300), {}),
        ("p2", tag(f("p2", "p1.200", 18), 100), {}),
        ("p1", tag(f("p1", "p2", 19), 0, 6), out(f("p1", "p2", 19), "p2")),            # priority tags
        ("p1", tag(f("p1", "p2", 20, w4), 0, 6), out(f("p1", "p2", 20, w4), "p2")),
        ("p1", tag(f("p1.100", "p1.200", 21, dmac="02:00:00:00:01:99"), 100), {}),     # not_my_mac
        ("p1", tag(f("p1.100", "p1.200", 22, hops=1), 100), {}),                       # hop_limit
        ("p1", tag(f("p1.100", "p1.200", 23, length=1401 + 14), 100), {}),             # mtu
        ("p1", tag(f("p1.100", "p1.200", 24, length=1400 + 14), 100), out(f("p1.100", "p1.200", 24, length=1400 + 14), "p1.200")),
        ("p1", tag(f("p1.200", "p1.100", 25, length=1401 + 14), 200), {}),             # rx_oversize
        ("p1", tag(f("p1.200", "p1.100", 26, length=1400 + 14), 200), out(f("p1.200", "p1.100", 26, length=1400 + 14), "p1.100")),
        ("p1", tag(f("p1.100", "p2", 27, length=1500 + 14), 100), out(f("p1.100", "p2", 27, length=1500 + 14), "p2")),
        ("p2", f("p2", "p1.100", 28, length=1500 + 14), out(f("p2", "p1.100", 28, length=1500 + 14), "p1.100")),
    ]
    return [(n * 100 * US, *entry) for n, entry in enumerate(found)]


def learning(w6):
    """Like vlans(); ageing time is 10 ms, no tags."""
    def f(src, dst, n):
        return variant(w6, smac=src, dmac=dst, qp=n)
    found = [
        (0, "p1", f(A, B, 1), ("p2", "p3")),          # B unknown
        (1000, "p2", f(B, A, 2), ("p1",)),
        (2000, "p1", f(A, B, 3), ("p2",)),
        (3000, "p3", f(A, B, 4), ("p2",)),            # A has moved
        (4000, "p2", f(B, A, 5), ("p3",)),
        (12000, "p2", f(B, C, 6), ("p1", "p3")),      # C unknown
        (12900, "p1", f(C, A, 7), ("p3",)),           # A was seen 9.9 ms ago
        (13100, "p1", f(C, A, 8), ("p2", "p3")),      # 10.1 ms ago: forgotten
        (13200, "p2", f(B, C, 9), ("p1",)),
        (23000, "p3", f(A, B, 10), ("p2",)),          # B was seen 9.8 ms ago, at 13.2 ms
        (23300, "p3", f(A, B, 11), ("p1", "p2")),     # 10.1 ms ago
    ]
    return [(us * US, port, frame, {out: frame for out in outs}) for us, port, frame, outs in found]


def loop(w6):
    """Like learning(): p1 and p2 are the two ends of a loop. From three moves a second on a port is closed, for a second."""
    def f(src, dst, n):
        return variant(w6, smac=src, dmac=dst, qp=n)
    found = [
        (0, "p3", f(B, A, 1), ("p1", "p2")),          # A unknown
        (1000, "p2", f(A, B, 2), ("p3",)),
        (2000, "p1", f(A, B, 2), ("p3",)),            # it comes back: A moves to p1
        (3000, "p2", f(A, B, 2), ("p3",)),            # and back, and so on
        (4000, "p1", f(A, B, 2), ("p3",)),
        (5000, "p2", f(A, B, 2), ("p3",)),
        (6000, "p1", f(A, B, 2), ("p3",)),            # the third move to p1, which stays open
        (7000, "p2", f(A, B, 2), ("p3",)),            # the third move to p2: it is closed behind this frame
        (8000, "p2", f(A, B, 2), ()),
        (9000, "p3", f(B, A, 3), ("p1",)),            # A was behind p2, which is forgotten, and p2 is not flooded to
        (10000, "p1", f(A, B, 4), ("p3",)),
        (11000, "p2", f(C, B, 5), ()),                # not even learned
        (12000, "p3", f(B, C, 6), ("p1",)),
        (1006999, "p2", f(C, B, 7), ()),
        (1007001, "p2", f(C, B, 8), ("p3",)),         # 1 s after it was closed p2 is open again
        (1007100, "p3", f(B, C, 9), ("p2",)),
        (1007200, "p3", f(B, OTHER, 10), ("p1", "p2")),  # OTHER unknown
    ]
    return [(us * US, port, frame, {out: frame for out in outs}) for us, port, frame, outs in found]


FLOODED = (78, 127, 128, 129, 1514, 2047, 2048, 3000)


def flooding(w6):
    """Like vlans(), flooded frames of many lengths. VLAN 1 is untagged at p1 and p3 and tagged at p2 and p4; VLAN 10 is untagged
    at p2 and tagged at p1 and p4. Frames to groups, to all and to nobody that is known."""
    to = ("ff:ff:ff:ff:ff:ff", "33:33:00:00:00:05", OTHER)
    found = []
    for i, length in enumerate(FLOODED):
        f = lambda n: variant(w6, smac=(A, B, C)[n], dmac=to[i % 3], qp=4 * i + n, length=length)
        found += [
            ("p1", f(0), {"p2": tag(f(0), 1, 3), "p3": f(0), "p4": tag(f(0), 1, 3)}),
            ("p2", tag(f(1), 1, 5), {"p1": f(1), "p3": f(1), "p4": tag(f(1), 1, 5)}),
            ("p2", f(2), {"p1": tag(f(2), 10, 3), "p4": tag(f(2), 10, 3)}),
            ("p4", tag(f(0), 1, 2), {"p1": f(0), "p2": tag(f(0), 1, 2), "p3": f(0)}),
        ]
    return [(n * 100 * US, *entry) for n, entry in enumerate(found)]


def by_port(entries, base):
    """Inputs and what must leave: {"p1": [(time, frame)]}, the same with "out-p1"."""
    out = {}
    for time, port, frame, sent in entries:
        out.setdefault(port, []).append((base + time, frame))
        for other, rewritten in sent.items():
            out.setdefault("out-" + other, []).append((base + time, rewritten))
    return out


def tagged_burst(w6):
    """Data in VLAN 10, a microsecond apart."""
    return [tag(variant(w6, smac=A, dmac=B, qp=0x300 + i % 4), 10, 3) for i in range(64)]


def vlan_flows(w6):
    """32 flows from VLAN 100 to 200 and 32 back, of four senders each; by turns, four packets of each."""
    senders = [variant(w6, src="2001:db8:%d::%x" % (vid, 0x10 + i % 4), dst="2001:db8:%d::20" % (300 - vid), dmac=SWITCH_MAC,
                       smac="02:00:00:00:01:%02x" % vid, sport=0xC000 + 37 * i, qp=vid << 8 | i)
               for i in range(32) for vid in (100, 200)]
    return [tag(f, vid, 1) for f, vid in zip(senders, 32 * (100, 200))] * 4


# ---- classes and limits ----

def limits(w6):
    """64 flows of two senders, taking turns: a flow is a queue pair."""
    return [variant(w6, src="2001:db8:1::%x" % (0x10 + i % 2), smac="02:00:00:00:00:0%d" % (1 + i % 2), qp=0x400 + i)
            for i in range(64)]


def classes(w6):
    """A long frame of class 7 that holds the line, then classes 0 to 3, frames of one length a class, mixed; two of class 6 late.

    Class by DSCP / 8; ECN field ECT(0).
    """
    of = lambda number, n, length: variant(w6, traffic_class=number << 5 | 2, qp=number << 12 | n, length=length)
    out = [(0, of(7, 0, 1514))]
    lengths = {0: 200, 1: 600, 2: 1000, 3: 1514}
    counts = {0: 80, 1: 40, 2: 40, 3: 40}
    order = sorted((place(n, counts[c]), c, n) for c in counts for n in range(counts[c]))
    for k, (_, c, n) in enumerate(order):
        out.append(((1 + k) * US, of(c, n, lengths[c])))
    return out + [(20000 * US, of(6, 0, 300)), (20001 * US, of(6, 1, 300))]


def place(n, count):
    """Evenly between the others: 240ths of the way."""
    return (2 * n + 1) * 240 // (2 * count)


def class_marks(w6):
    """Frames for the maps: (DSCP, PCP or None for untagged), ten of each; and ten that are not IP, tagged with priority 5."""
    out = []
    for n in range(10):
        for dscp, pcp in ((0, None), (26, None), (46, None), (48, None), (0, 5), (26, 1), (63, 0)):
            f = variant(w6, traffic_class=dscp << 2, qp=dscp << 8 | n)
            out.append(f if pcp is None else tag(f, 1, pcp))
        out.append(tag(w6[:12] + b"\x88\xb5" + bytes(46), 1, 5))
    return out
