# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Packets for the border of a domain: one for each thing that may not cross it, in each place where it may stand, and what
anybody may send. make_data.py writes them.

What becomes of each is written beside it by hand, on the way in and on the way out: "" crosses it. The configuration that
goes with them: congestion notification messages at UDP port 1021, ARNs at 1022, segment identifiers 2001:db8:e1::/48, peer
2001:db8:2::/48, the default option types.
"""

import struct

from fcnoracle import sums

HOP_BY_HOP, IPV4, UDP, IPV6, ROUTING, FRAGMENT, AH, NONE, DEST, MOBILITY = 0, 4, 17, 41, 43, 44, 51, 59, 60, 135
INSIDE, OUTSIDE = "02:00:00:00:0a:01", "02:00:00:00:0b:01"

FAST, CNM, ARN, PROXY, IOAM = "border_fast_cnp", "border_cnm", "border_arn", "border_proxy", "border_ioam"
SID_TO, SID_FROM, CNP = "border_sid_destination", "border_sid_source", "border_cnp"
OVERLAY, UNREAD = "border_fragment", "border_unread"


def six(next_header, body, src="20010db8000500000000000000000001", dst="20010db8000600000000000000000001"):
    return struct.pack("!IHBB", 0x60000000, len(body), next_header, 64) + bytes.fromhex(src) + bytes.fromhex(dst) + body


def four(protocol, body, flags=0):
    head = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 20 + len(body), 1, flags, 64, protocol, 0,
                       bytes([198, 51, 100, 1]), bytes([203, 0, 113, 1]))
    return head[:10] + struct.pack("!H", sums.ipv4_checksum(head)) + head[12:] + body


def options(next_header, data, length=None):
    """Options header: the options, and Pad1 behind them. length: what it claims, octets."""
    body = data + bytes(-(len(data) + 2) % 8)
    return bytes([next_header, (len(body) + 2 if length is None else length) // 8 - 1]) + body


def option(kind, size):
    return bytes([kind, size]) + bytes(size)


def fragment(next_header, offset=0, more=0):
    return struct.pack("!BBHI", next_header, 0, offset | more, 7)


def ah(next_header):
    return bytes([next_header, 4]) + bytes(22)


def segments(next_header, left, *sids):
    return bytes([next_header, 2 * len(sids), ROUTING_TYPE, left, len(sids) - 1, 0, 0, 0]) + b"".join(map(bytes.fromhex, sids))


ROUTING_TYPE = 4
SID, OTHER = "20010db800e100010000000000000001", "20010db8000700000000000000000001"


def udp(port, opcode=4, length=40):
    body = bytes([opcode]) + bytes(31)
    return struct.pack("!HHHH", 0xC000, port, length, 0) + body


ROCE, CNP_UDP, TCP = udp(4791), udp(4791, 0x81), bytes(12) + b"\x50" + bytes(7)
OPT1, OPT2 = option(0x9E, 16), option(0x9F, 38)


def ether(packet, tags=()):
    kind = b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\x00"
    tags = b"".join(struct.pack("!HH", tpid, vid) for tpid, vid in tags)
    return bytes(12) + tags + kind + packet


def both(reason, frame):
    return (reason, reason, frame)


def packets(vector):
    """(what becomes of it on the way in, on the way out, frame). vector(name): frames of a file of test vectors."""
    notice = options(UDP, OPT1) + CNP_UDP
    found = [both("", f) for name in ("01_roce6_write", "02_roce4_write", "03_roce6_ack") for f in vector(name + ".pcap")[:1]]
    # CNPs: of the peer, to the peer, of nobody
    found += [("", CNP, vector("04_cnp.pcap")[0]), both(CNP, vector("04_cnp.pcap")[1]),
              both(CNP, ether(four(UDP, CNP_UDP))), both(CNP, ether(six(FRAGMENT, fragment(UDP) + CNP_UDP))),
              (CNP, "", ether(six(UDP, CNP_UDP, dst="20010db8000200000000000000000020"))),
              both(CNP, ether(six(IPV4, four(UDP, CNP_UDP)))), both(CNP, ether(four(IPV4, four(UDP, CNP_UDP))))]
    # Fast CNPs of the vectors, also that to END.CON
    found += [both(FAST, f) for name in ("09_fastcnp_opt1", "10_fastcnp_opt2", "11_fastcnp_srv6_endcon")
              for f in vector(name + ".pcap")]
    found += [both(IOAM, f) for f in vector("05_roce6_write_ioam.pcap")[:2]]
    found += [both(PROXY, vector("13_roce6_write_proxyopt.pcap")[0])]
    found += [both(reason, ether(packet)) for reason, packet in (
        # where an option may hide
        (FAST, six(HOP_BY_HOP, options(UDP, OPT1) + CNP_UDP)),
        (FAST, six(DEST, options(DEST, option(5, 2)) + notice)),
        (FAST, six(DEST, options(ROUTING, option(5, 2)) + segments(DEST, 0, OTHER) + notice)),
        (FAST, six(ROUTING, segments(DEST, 1, OTHER) + notice)),
        (FAST, six(DEST, options(HOP_BY_HOP, option(5, 2)) + notice)),
        (FAST, six(FRAGMENT, fragment(DEST) + notice)),
        (FAST, six(FRAGMENT, fragment(DEST) + options(UDP, OPT2) + CNP_UDP)),
        (FAST, six(FRAGMENT, fragment(DEST, more=1) + notice)),
        (FAST, six(FRAGMENT, fragment(FRAGMENT) + fragment(DEST) + notice)),
        (FAST, six(AH, ah(DEST) + notice)),
        (FAST, six(MOBILITY, bytes([DEST, 0]) + bytes(6) + notice)),
        (FAST, six(DEST, options(17, OPT1) + TCP)),
        # in a tunnel
        (FAST, six(IPV6, six(DEST, notice))),
        (FAST, four(IPV6, six(DEST, options(UDP, OPT2) + CNP_UDP))),
        (FAST, six(ROUTING, segments(IPV6, 1, OTHER, OTHER) + six(DEST, notice))),
        (FAST, six(HOP_BY_HOP, options(DEST, option(5, 2)) + options(ROUTING, option(5, 6)) + segments(IPV6, 1, OTHER) +
                   six(DEST, notice))),
        (FAST, six(IPV6, six(FRAGMENT, fragment(DEST) + notice))),
        (FAST, six(FRAGMENT, fragment(IPV6) + six(DEST, notice))),
        # messages
        (CNM, six(UDP, udp(1021))), (CNM, four(UDP, udp(1021))), (CNM, six(IPV4, four(UDP, udp(1021)))),
        (CNM, six(FRAGMENT, fragment(UDP) + udp(1021))),
        (ARN, six(UDP, udp(1022))), (ARN, four(IPV6, six(UDP, udp(1022)))),
        # the proxy's address
        (PROXY, four(IPV6, six(DEST, options(UDP, option(0x1E, 16)) + ROCE))),
        (PROXY, six(FRAGMENT, fragment(DEST) + options(UDP, option(0x1E, 16)) + ROCE)),
        # IOAM of all kinds and places
        (IOAM, six(HOP_BY_HOP, options(UDP, option(0x11, 12)) + ROCE)),
        (IOAM, six(DEST, options(6, option(0x11, 12)) + TCP)),
        (IOAM, six(IPV6, six(HOP_BY_HOP, options(6, option(0x31, 20)) + TCP))),
        (IOAM, six(FRAGMENT, fragment(DEST) + options(6, option(0x11, 12)) + TCP)),
        (IOAM, four(IPV6, six(HOP_BY_HOP, options(6, option(0x31, 20)) + TCP))),
        (IOAM, six(HOP_BY_HOP, options(FRAGMENT, option(0x31, 20)) + fragment(UDP, 1232) + bytes(40))),
        # segment identifiers
        (SID_TO, six(UDP, ROCE, dst=SID)), (SID_FROM, six(UDP, ROCE, src=SID)),
        (SID_TO, six(ROUTING, segments(UDP, 1, SID, OTHER) + ROCE)),
        ("", six(ROUTING, segments(UDP, 0, SID, OTHER) + ROCE)),
        (SID_TO, six(IPV6, six(UDP, ROCE, dst=SID))), (SID_FROM, six(IPV6, six(UDP, ROCE, src=SID))),
        # fragments
        ("", six(FRAGMENT, fragment(UDP, 1232) + bytes(64))), ("", six(FRAGMENT, fragment(UDP, 40, 1) + bytes(64))),
        (OVERLAY, six(FRAGMENT, fragment(UDP, 32, 1) + bytes(64))), (OVERLAY, six(FRAGMENT, fragment(DEST, 8) + bytes(64))),
        ("", four(UDP, bytes(64), 5)), (OVERLAY, four(UDP, bytes(64), 1)), (OVERLAY, four(UDP, bytes(64), 0x2004)),
        ("", six(FRAGMENT, fragment(UDP, more=1) + ROCE)), ("", four(UDP, ROCE, 0x2000)),
        (UNREAD, four(UDP, CNP_UDP[:8], 0x2000)), (UNREAD, six(FRAGMENT, fragment(DEST, more=1) + options(UDP, option(5, 4)))),
        # what cannot be read
        (UNREAD, six(IPV6, six(IPV6, six(UDP, ROCE)))),
        (UNREAD, six(DEST, options(DEST, option(5, 4)) * 8 + options(UDP, option(5, 4)) + ROCE)),
        ("", six(DEST, options(DEST, option(5, 4)) * 7 + options(UDP, option(5, 4)) + ROCE)),
        (UNREAD, six(DEST, options(DEST, option(5, 250)) + options(DEST, option(5, 190)) + notice)),
        (FAST, six(DEST, options(DEST, option(5, 250)) + options(DEST, option(5, 142)) + notice)),
        (UNREAD, six(DEST, options(UDP, bytes([5, 200, 0, 0])) + ROCE)),
        (UNREAD, six(DEST, options(DEST, option(5, 4), 2048) + notice)),
        (UNREAD, six(DEST, b"\x11")),
        # what anybody may send
        ("", six(6, TCP)), ("", four(6, TCP)), ("", six(58, bytes([128, 0]) + bytes(10))), ("", six(NONE, b"")),
        ("", six(HOP_BY_HOP, options(UDP, bytes([5, 2, 0, 0])) + udp(53))), ("", six(50, bytes(40))),
        ("", six(IPV6, six(UDP, ROCE))), ("", four(IPV6, six(6, TCP))), ("", six(UDP, udp(1023))),
        ("", six(FRAGMENT, fragment(UDP) + ROCE)), ("", six(AH, ah(UDP) + ROCE)),
    )]
    # behind tags
    found += [both(FAST, ether(six(DEST, notice), [(0x8100, 1)])),
              both(FAST, ether(six(DEST, notice), [(0x8100, 1), (0x8100, 2), (0x8100, 3)])),
              both(UNREAD, ether(six(DEST, notice), [(0x8100, 1)] + [(0x8100, 2)] * 4)),
              both("", ether(six(UDP, ROCE), [(0x8100, 1)]))]
    found += [both("", bytes(12) + b"\x08\x06" + bytes(46)), both("", bytes(12) + b"\x88\xb5" + bytes(46))]
    return found


def captures(vector):
    """Frames of p1, inside, and p2, the border, and what is to leave by each: name -> frames."""
    mac = lambda text: bytes.fromhex(text.replace(":", ""))
    found, out = packets(vector), {"border-p1": [], "border-p2": [], "border-out-p1": [], "border-out-p2": []}
    for fate_in, fate_out, frame in found:
        away, back = mac(OUTSIDE) + mac(INSIDE) + frame[12:], mac(INSIDE) + mac(OUTSIDE) + frame[12:]
        out["border-p1"].append(away)
        out["border-p2"].append(back)
        out["border-out-p2"] += [away] * (fate_out == "")
        out["border-out-p1"] += [back] * (fate_in == "")
    return out


def untrusted(vector, variant):
    """A packet of each DSCP, IPv6 and IPv4 in turns, and what an untrusted port makes of it that remarks those of classes 6 and 7
    to DSCP 8: name -> frames."""
    data = [vector("01_roce6_write.pcap")[0], vector("02_roce4_write.pcap")[0]]
    mark = lambda dscp, n: variant(data[n % 2], traffic_class=dscp << 2 | n % 4)
    return {"untrusted": [mark(d, d) for d in range(64)], "untrusted-out": [mark(d if d < 48 else 8, d) for d in range(64)]}
