# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Congestion Notification Messages that come to a proxy, and what it tells the senders, by arithmetic on octets.

make_data.py writes them. The proxy is 2001:db8:f::2 and 10.0.12.1; senders are behind p1, one of them alone behind p3, and the
congested nodes behind p2. The translations are those of the table in doc/proxy.md.
"""

import struct
from ipaddress import ip_address

import cases
import cnm
from fcnoracle import sums, walker

US = 1000
PROXY6, PROXY4, NODE6, NODE4, STRANGER = "2001:db8:f::2", "10.0.12.1", "2001:db8:f::5", "10.0.13.1", "2001:db8:bad::1"
P1, P2, P3 = ("02:00:00:00:01:0%d" % n for n in (1, 2, 3))
UPSTREAM, SENDERS = "02:00:00:00:02:01", "02:00:00:00:0a:01"
# Senders by what they understand.
FAST, TRACE, PLAIN, PAUSE, NOTHING, NOBODY = ("2001:db8:1::%x" % n for n in (0x10, 0x11, 0x12, 0x13, 0x15, 0x19))
PAUSE = "2001:db8:3::13"
PLAIN4, NOTHING4 = "192.0.2.10", "192.0.2.15"
RECEIVER, RECEIVER4 = "2001:db8:2::20", "198.51.100.20"
SENDER_QP = 0x5000       # of a sender's queue pair that is connected to queue pair n: this and n
PFC_TIME = 400000        # ns, at level 7


def packed(text):
    return ip_address(text).packed


def to_proxy(packet, level, flow, source=None, to=None, port=None):
    """A message in its frame, as it comes in by p2."""
    version = 6 if source is None or ip_address(source).version == 6 else 4
    told = cnm.message(packet, level, to or (PROXY6 if version == 6 else PROXY4), flow, source or NODE6)
    if port is not None:
        told = bytearray(told)
        at = 40 if version == 6 else 20
        struct.pack_into("!H", told, at + 2, port)
        told[at + 6:at + 8] = struct.pack("!H", sums.udp_checksum(told, 0, at, len(told)))
    kind = b"\x86\xdd" if version == 6 else b"\x08\x00"
    return cases.mac(P2) + cases.mac(UPSTREAM) + kind + bytes(told)


def cut_to(frame, octets):
    """A message over IPv6 with so many octets behind its UDP header."""
    f = bytearray(frame[:14 + 40 + 8 + octets])
    f[18:20] = f[58:60] = struct.pack("!H", 8 + octets)
    f[60:62] = struct.pack("!H", sums.udp_checksum(f, 14, 54, len(f)))
    return bytes(f)


def without_checksum(frame):
    """A message over IPv4 as a node sends it that computes no checksum (RFC 768)."""
    return frame[:14 + 20 + 6] + b"\0\0" + frame[14 + 20 + 8:]


def about(frame, source, destination, sport, qp):
    """A data packet of a flow, as it is in the congested node."""
    f = cases.variant(frame, src=source, dst=destination, sport=sport, qp=qp) if len(walker.walk(frame).ip.extensions) == 0 else None
    if f is not None:
        return f[14:]
    f, udp = bytearray(frame), walker.walk(frame).udp
    f[22:38], f[38:54] = packed(source), packed(destination)
    f[udp:udp + 2] = struct.pack("!H", sport)
    f[udp + 13:udp + 16] = qp.to_bytes(3, "big")
    return cases.finish(f)[14:]


def at_sender(packet):
    kind = b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\x00"
    return cases.mac(SENDERS) + cases.mac(P1) + kind + packet


def bth_of_cnp(pkey, qp):
    return struct.pack("!BBHII", 0x81, 0, pkey, 0x40000000 | qp, 0) + bytes(16)


def fast_cnp(sender, receiver, sport, qp, trace=None, pkey=0xFFFF):
    """Fast CNP with option 1, or option 2 with the octets of a trace: header and node data."""
    if trace is None:
        options = bytes((17, 2, 1, 2, 0, 0, 0x9E, 16)) + packed(receiver)
    else:
        option = bytes((0x9F, 2 + len(trace) + 16, 0, 0)) + trace + packed(receiver)
        pad = -(4 + len(option)) % 8
        options = bytes((17, (4 + len(option) + pad) // 8 - 1, 1, 0)) + option + (bytes((1, pad - 2)) + bytes(pad - 2) if pad else b"")
    udp = struct.pack("!HHHH", sport, 4791, 40, 0) + bth_of_cnp(pkey, qp) + bytes(4)
    head = struct.pack("!IHBB", 0x6C000000, len(options) + 40, 60, 64) + packed(PROXY6) + packed(sender)
    return at_sender(cases.finish(bytes(14 - 2) + b"\x86\xdd" + head + options + udp)[14:])


def plain_cnp(sender, receiver, sport, qp, pkey=0xFFFF):
    """CNP as the receiver would send it."""
    udp = struct.pack("!HHHH", sport, 4791, 40, 0) + bth_of_cnp(pkey, qp) + bytes(4)
    if ip_address(sender).version == 6:
        head = struct.pack("!IHBB", 0x6C000000, 40, 17, 64) + packed(receiver) + packed(sender)
        kind = b"\x86\xdd"
    else:
        head = struct.pack("!BBHHHBBH", 0x45, 0xC0, 60, 0, 0x4000, 64, 17, 0) + packed(receiver) + packed(sender)
        kind = b"\x08\x00"
    return at_sender(cases.finish(bytes(12) + kind + head + udp)[14:])


def pause(classes, quanta):
    """PFC frame of p3; 0 quanta end a pause."""
    each = b"".join(struct.pack("!H", quanta if classes >> c & 1 else 0) for c in range(8))
    return bytes.fromhex("0180c2000001") + cases.mac(P3) + b"\x88\x08\x01\x01" + struct.pack("!H", classes) + each + bytes(26)


def translated(w6, w4, traced, trace):
    """(frame that comes in by p2, port it leaves by or None, frame) for each row of the table, and for what is refused.

    traced: a data packet with a trace; trace: the octets of its trace option behind the reserved octet and the IOAM Opt-Type."""
    found = []
    flow6 = lambda n: (17, 0xC000 + n, 4791)
    for level in range(8):
        n = 16 + level
        found += [
            (to_proxy(about(w6, FAST, RECEIVER, 0xC000 + n, n), level, flow6(n)), "p1", fast_cnp(FAST, RECEIVER, 0xC000 + n, n)),
            (to_proxy(about(w6, PLAIN, RECEIVER, 0xC000 + n, n), level, flow6(n)), "p1",
             plain_cnp(PLAIN, RECEIVER, 0xC000 + n, SENDER_QP + n)),
            (to_proxy(about(w4, PLAIN4, RECEIVER4, 0xC000 + n, n), level, flow6(n)), "p1",
             plain_cnp(PLAIN4, RECEIVER4, 0xC000 + n, SENDER_QP + n)),
        ]
    n = 32
    one, by4 = about(w6, FAST, RECEIVER, 0xC000 + n, n), about(w6, FAST, RECEIVER, 0xC001 + n, n + 1)
    found += [
        # By IPv4, about IPv6, and the other way round; hop limit and ECN field of the quote may differ.
        (without_checksum(to_proxy(by4, 3, flow6(n + 1), NODE4)), "p1", fast_cnp(FAST, RECEIVER, 0xC001 + n, n + 1)),
        (to_proxy(about(w4, PLAIN4, RECEIVER4, 0xC001 + n, n + 1), 3, flow6(n + 1), NODE4), "p1",
         plain_cnp(PLAIN4, RECEIVER4, 0xC001 + n, SENDER_QP + n + 1)),
        (to_proxy(one[:1] + b"\x33" + one[2:7] + b"\x01" + one[8:], 3, flow6(n)), "p1", fast_cnp(FAST, RECEIVER, 0xC000 + n, n)),
        # With the trace, and without one in a packet that has none.
        (to_proxy(about(traced, TRACE, RECEIVER, 0xC000 + n, n), 3, flow6(n)), "p1", fast_cnp(TRACE, RECEIVER, 0xC000 + n, n, trace)),
        (to_proxy(about(w6, TRACE, RECEIVER, 0xC001 + n, n + 1), 3, flow6(n + 1)), "p1", fast_cnp(TRACE, RECEIVER, 0xC001 + n, n + 1)),
        (to_proxy(about(traced, FAST, RECEIVER, 0xC002 + n, n + 2), 3, flow6(n + 2)), "p1", fast_cnp(FAST, RECEIVER, 0xC002 + n, n + 2)),
        # Nothing to translate into.
        (to_proxy(about(w6, NOTHING, RECEIVER, 0xC000 + n, n), 3, flow6(n)), None, None),
        (to_proxy(about(w6, NOBODY, RECEIVER, 0xC000 + n, n), 3, flow6(n)), None, None),
        (to_proxy(about(w6, PLAIN, RECEIVER, 0xC000 + n, 0x777), 3, flow6(n)), None, None),      # no queue pair is known
        (to_proxy(cnm.carried(6, struct.pack("!HH", 1, 2) + bytes(16), FAST, RECEIVER)[14:], 3, (6, 1, 2)), None, None),
    ]
    return found


def refused(w6, w4):
    """Messages that a proxy must not believe: (why, frame)."""
    n = 64
    flow = (17, 0xC000 + n, 4791)
    one = about(w6, FAST, RECEIVER, 0xC000 + n, n)
    good = to_proxy(one, 3, flow)
    udp, body = 54, 62

    def changed(at, octets, checksum=True, frame=good):
        f = bytearray(frame)
        f[at:at + len(octets)] = octets
        if checksum:
            f[udp + 6:udp + 8] = struct.pack("!H", sums.udp_checksum(f, 14, udp, len(f)))
        return bytes(f)

    def cut(octets):
        f = bytearray(good[:octets])
        f[18:20], f[udp + 4:udp + 6] = struct.pack("!H", octets - udp), struct.pack("!H", octets - udp)
        f[udp + 6:udp + 8] = struct.pack("!H", sums.udp_checksum(f, 14, udp, len(f)))
        return bytes(f)

    return [
        ("source", to_proxy(one, 3, flow, STRANGER)),
        ("checksum", changed(udp + 6, b"\x12\x34", False)),
        ("checksum", changed(udp + 6, b"\0\0", False)),
        ("length", changed(udp + 4, struct.pack("!H", len(good) - udp - 1))),
        ("length", cut(body + 39)),
        ("length", cut(body)),
        ("version", changed(body, b"\x56")),
        ("quote", changed(body + 40, b"\x45")),          # another version than the flow
        ("quote", changed(body + 40 + 8 + 15, b"\x99")),      # another source
        ("quote", changed(body + 40 + 24 + 15, b"\x99")),     # another destination
        ("quote", changed(body + 40 + 40, b"\xd0")),          # another port
        ("quote", changed(body + 1, b"\x06")),                # another protocol
        ("quote", cut(body + 40 + 30)),                  # not even an IP header
        ("quote", cut(body + 40 + 40 + 8 + 7)),          # no queue pair
    ]


def rates(w6):
    """What comes at once, or a microsecond later, and what comes when the buckets have a token each: (accepted or not, frame).

    A node may send 2 at once and 1000 a second, all nodes 3 and 1000: the third of a node is over its rate, and of what another
    node sends then, the second is over the rate of all. A stranger takes no token, and a damaged message one."""
    n = 80
    message = lambda k, node: to_proxy(about(w6, FAST, RECEIVER, 0xC000 + n + k, n + k), 3, (17, 0xC000 + n + k, 4791), node)
    damaged = bytearray(message(9, NODE6))
    damaged[60] ^= 0xFF                                  # of the UDP checksum
    at_once = [(False, message(0, STRANGER)), (True, message(1, NODE6)), (False, bytes(damaged)), (False, message(2, NODE6)),
               (True, message(3, NODE4)), (False, message(4, NODE4))]
    return at_once, [(True, message(5, NODE6))]


def captures(w6, w4, traced, trace):
    """name -> [(ns, frame)]; 100 us apart. What leaves has the time at which its message came."""
    found = {"proxy-in": [], "proxy-out": [], "proxy-refused": []}
    for k, (came, port, left) in enumerate(translated(w6, w4, traced, trace)):
        found["proxy-in"].append((100 * US * k, came))
        if port is not None:
            found["proxy-out"].append((100 * US * k, left))
    found["proxy-refused"] = [(100 * US * k, f) for k, (_, f) in enumerate(refused(w6, w4))]
    at_once, later = rates(w6)
    timed = [(US * (k > 3), row) for k, row in enumerate(at_once)] + [(1100 * US, row) for row in later]
    found["proxy-rates"] = [(ns, frame) for ns, (_, frame) in timed]
    told = {1: 0, 3: US, 5: 1100 * US}
    found["proxy-rates-out"] = [(ns, fast_cnp(FAST, RECEIVER, 0xC050 + k, 80 + k)) for k, ns in told.items()]
    # One level after the other: the pause of each, and its end.
    levels = [(level, about(w6, PAUSE, RECEIVER, 0xC000 + level, 16 + level)) for level in range(8)]
    found["proxy-pfc"] = [(1000 * US * k, to_proxy(packet, level, (17, 0xC000 + level, 4791))) for k, (level, packet) in enumerate(levels)]
    found["proxy-pfc-out"] = [(1000 * US * k + wait, pause(8, quanta)) for k, (level, _) in enumerate(levels)
                              for wait, quanta in ((0, 65535), (PFC_TIME * (level + 1) // 8, 0))]
    return found
