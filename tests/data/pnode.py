# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What comes to a P node: RoCEv2 in tunnels of SRv6 headends, and what looks like it. make_data.py writes it; README.md
tells what each capture holds. The outer headers are those of headend.py; entries are (ns, frame).
"""

import struct

import cases
import headend
from fcnoracle import sums, walker

P_NODE, HEADEND = "02:00:00:00:01:01", "02:00:00:00:0a:01"
# END.CON addresses: of two headends, of one that the P node does not know, and of one that it has no route to.
CON, SECOND, UNKNOWN, FAR = "2001:db8:e1:1::c", "2001:db8:e3:1::c", "2001:db8:e9:1::c", "2001:db8:ee:1::c"
FIRST, LAST = "2001:db8:e2:1::1", "2001:db8:e4:1::d6"
SENDER, OLD_SENDER = "2001:db8:1::10", "2001:db8:1::99"
LENGTH = 500


def arriving(packet):
    kind = b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\x00"
    return cases.mac(P_NODE) + cases.mac(HEADEND) + kind + packet


def tunnelled(frame, source=CON, segments=(LAST,), mode="encaps-red"):
    """A frame of a host, or of another tunnel, as a headend sends it."""
    return arriving(headend.outer(frame, (mode, segments, True, None, 64), source) + frame[14:])


def over_ipv4(frame):
    """In a tunnel of IPv4, whose Type of Service is DSCP 26, ECT(0)."""
    packet = frame[14:]
    header = struct.pack("!BBHHHBBH4s4s", 0x45, 0x6A, 20 + len(packet), 1, 0x4000, 64, 41 if packet[0] >> 4 == 6 else 4, 0,
                         bytes((198, 51, 100, 1)), bytes((198, 51, 100, 130)))
    return arriving(header[:10] + struct.pack("!H", sums.ipv4_checksum(header)) + header[12:] + packet)


def with_ecn(frame, ecn):
    """Another ECN field in the outer header."""
    f = bytearray(frame)
    f[15] = f[15] & 0xCF | ecn << 4
    return bytes(f)


def behind_options(frame, options):
    """Another extension header right behind the outer IPv6 header; its Next Header is set."""
    f = bytearray(frame)
    options = bytearray(options)
    options[0], f[20] = f[20], 0
    f[18:20] = struct.pack("!H", struct.unpack("!H", f[18:20])[0] + len(options))
    return bytes(f[:54] + options + f[54:])


def hop_by_hop(frame):
    """The Hop-by-Hop Options header of a frame."""
    return frame[54:62 + 8 * frame[55]]


def options_headers(frame, n):
    """n Destination Options headers with padding in front of UDP."""
    f = bytearray(frame)
    f[20] = 60
    f[18:20] = struct.pack("!H", struct.unpack("!H", f[18:20])[0] + 8 * n)
    headers = b"".join(bytes((60 if k < n - 1 else 17, 0, 1, 4, 0, 0, 0, 0)) for k in range(n))
    return bytes(f[:54]) + headers + bytes(f[54:])


def of_flow(frame, n):
    """A frame with extension headers as one of a flow, DSCP 26 and ECT(0)."""
    f, udp = bytearray(frame), walker.walk(frame).udp
    f[14:16] = bytes((0x66, f[15] & 0x0F | 0xA0))
    f[udp:udp + 2] = struct.pack("!H", 0xC000 + n)
    f[udp + 13:udp + 16] = n.to_bytes(3, "big")
    return cases.finish(f)


def opcode(frame, number):
    f = bytearray(frame)
    f[62] = number
    return cases.finish(f)


def other_port(frame):
    """Not RoCEv2."""
    f = bytearray(frame)
    f[56:58] = struct.pack("!H", 4792)
    return bytes(f)


def one_of_each(w6, w4, traced, long_trace, n):
    """(verdict of a congested P node, frame) for each thing that it tells apart; n makes flows of them."""
    roce = lambda **fields: cases.variant(w6, sport=0xC000 + n, qp=n, traffic_class=0x6A, length=LENGTH, **fields)
    four = cases.variant(w4, sport=0xC000 + n, qp=n, traffic_class=0x6A, length=LENGTH)
    deep = ["2001:db8:e2:%x::1" % k for k in range(2, 17)] + [LAST]
    return [
        ("sent_option1", tunnelled(roce(), segments=(FIRST, LAST), mode="encaps")),
        ("sent_option2", tunnelled(of_flow(traced, 0x100 + n))),
        ("sent_ioam_too_long", tunnelled(of_flow(long_trace, 0x200 + n))),
        ("ipv4", tunnelled(four)),
        ("no_endcon", tunnelled(roce(), source=UNKNOWN)),
        ("not_data", tunnelled(opcode(roce(), 0x11))),
        ("not_tunnelled", arriving(roce()[14:])),
        ("not_roce", tunnelled(other_port(roce()))),
        ("sender_none", tunnelled(roce(src=OLD_SENDER))),
        # A trace of the tunnel is not the sender's.
        ("sent_option1", behind_options(tunnelled(roce(src="2001:db8:1::11")), hop_by_hop(traced))),
        # More headers than are read: a second tunnel, nine extension headers, more than 512 octets.
        ("not_roce", tunnelled(tunnelled(roce()))),
        ("not_roce", tunnelled(options_headers(roce(), 9))),
        ("sent_option1", tunnelled(options_headers(roce(src="2001:db8:1::12"), 8))),
        ("not_roce", tunnelled(of_flow(long_trace, n), segments=deep, mode="encaps")),
        ("unreachable", tunnelled(roce(), source=FAR)),
        ("source", tunnelled(roce(src="ff0e::10"))),
        ("sent_option1", tunnelled(roce(), source=SECOND, segments=(FIRST, "2001:db8:e2:2::1", LAST))),
        ("not_roce", tunnelled(cases.fragment(roce()))),
        # Marked before, and not to be marked.
        ("sent_option1", with_ecn(tunnelled(roce(src="2001:db8:1::13")), 3)),
        ("no_endcon", with_ecn(tunnelled(roce(), source=UNKNOWN), 0)),
        ("no_endcon", over_ipv4(roce())),
        ("ipv4", over_ipv4(four)),
    ]


def limits(w6, n):
    """The same few flows again and again: three by each of two headends, and one without a tunnel."""
    roce = lambda flow: cases.variant(w6, sport=0xC000 + n, qp=flow, traffic_class=0x6A, length=LENGTH)
    return [tunnelled(roce(flow), source=source) for source in (CON, SECOND) for flow in (1, 2, 3)] + [arriving(roce(4)[14:])]


def captures(w6, w4, traced, long_trace):
    """name -> [(ns, frame)]; 2 us apart, of which the slow port needs more."""
    each = [f for n in range(8) for _, f in one_of_each(w6, w4, traced, long_trace, n)]
    few = [f for n in range(24) for f in limits(w6, n)]
    return {"pnode": [(2000 * k, f) for k, f in enumerate(each)], "pnode-limits": [(2000 * k, f) for k, f in enumerate(few)]}
