#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
"""Write 40_srh.pcap to 45_arn.pcap with scapy: packets before and after an SRv6 node, and ARN messages.

Usage: make_srv6.py [DIR]

Where the packet after the node is not simply built anew, the addresses in it are computed as
integers of 128 bits.
"""

import ipaddress
import os
import struct
import sys

from scapy.all import (IP, UDP, Ether, HBHOptUnknown, IPv6, IPv6ExtHdrDestOpt, IPv6ExtHdrHopByHop,
                       IPv6ExtHdrSegmentRouting, Raw, wrpcap)
from scapy.layers.inet6 import IPv6ExtHdrSegmentRoutingTLV, IPv6ExtHdrSegmentRoutingTLVPadN

HOST_A, HOST_B = "2001:db8:1::10", "2001:db8:2::20"
HOST_A4, HOST_B4 = "192.0.2.10", "198.51.100.20"
CON = "2001:db8:e1:1::c"  # END.CON of the headend
S = [f"2001:db8:e{n}:1::{n}" for n in range(2, 7)]
LONG = [f"2001:db8:f{n:x}::{n:x}" for n in range(16)]


def ether():
    return Ether(dst="02:00:00:00:0b:01", src="02:00:00:00:0a:01")


def outer(dst, hlim, **fields):
    return IPv6(src=CON, dst=dst, tc=0x6A, fl=0x3A5C1, hlim=hlim, **fields)


def upper():
    return UDP(sport=1000, dport=2000) / Raw(b"segment routing")


def inner6(hlim=63, tc=0x6A):
    return IPv6(src=HOST_A, dst=HOST_B, tc=tc, fl=0x12345, hlim=hlim) / upper()


def inner4(ttl=63, tos=0x6A):
    return IP(src=HOST_A4, dst=HOST_B4, tos=tos, id=7, ttl=ttl) / upper()


def srh(segments, left, **fields):
    """segments in the order in which they are visited"""
    return IPv6ExtHdrSegmentRouting(addresses=segments[::-1], segleft=left, lastentry=len(segments) - 1, **fields)


def hmac(length, key, reduced=0):
    """By hand: scapy writes a length of two octets."""
    return Raw(struct.pack("!BBHI", 5, 6 + length, reduced << 15, key) + bytes(range(length)))


def headers():
    """40: TLVs. scapy writes Pad1 with a length, so that one is written by hand."""
    def packet(left, *tlvs, dst=None):
        return ether() / outer(dst or S[2 - left], 64) / srh(S[:3], left, tag=0xBEEF, tlv_objects=list(tlvs)) / upper()

    unknown = IPv6ExtHdrSegmentRoutingTLV(type=200, len=4, value=b"four")
    pad = IPv6ExtHdrSegmentRoutingTLVPadN
    return [
        packet(1, hmac(32, 0xC0FFEE01)),
        packet(2, unknown, pad(len=0, padding=b""), hmac(8, 5)),
        packet(0, pad(len=3, padding=b"\1\2\3"), *[Raw(b"\0")] * 3, hmac(16, 0xFFFFFFFF), unknown,
               unknown, pad(len=2, padding=b"\0\0")),
        packet(3, hmac(24, 7, reduced=1), dst=S[4]),
    ]


def options(cls):
    return cls(options=[HBHOptUnknown(otype=0x1E, optdata=b"opt")])


def ends():
    """41: pairs of the packet before and after the node."""
    def both(before, after):
        return [ether() / before, ether() / after]

    def extensions():
        return options(IPv6ExtHdrHopByHop) / options(IPv6ExtHdrDestOpt)

    out = []
    # End, Segments Left 2 and 1, and in the reduced form
    out += both(outer(S[0], 64) / extensions() / srh(S[:3], 2) / upper(), outer(S[1], 63) / extensions() / srh(S[:3], 1) / upper())
    out += both(outer(S[1], 2) / srh(S[:3], 1) / inner6(), outer(S[2], 1) / srh(S[:3], 0) / inner6())
    out += both(outer(S[4], 64) / srh(S[:2], 2) / inner6(), outer(S[0], 63) / srh(S[:2], 1) / inner6())
    # End with PSP: to the last segment, behind options and directly behind the IPv6 header
    out += both(outer(S[1], 64) / extensions() / srh(S[:3], 1) / upper(), outer(S[2], 63) / extensions() / upper())
    out += both(outer(S[0], 64) / srh(S[:2], 1, tag=9) / inner4(), outer(S[1], 63) / inner4())
    # USP: no segments left
    out += both(outer(S[2], 64) / srh(S[:3], 0) / options(IPv6ExtHdrDestOpt) / upper(),
                outer(S[2], 64) / options(IPv6ExtHdrDestOpt) / upper())
    # decapsulation: IPv6 behind everything, IPv6 alone, IPv4 behind a header, IPv4 alone
    out += both(outer(S[2], 64) / extensions() / srh(S[:3], 0, tlv_objects=[hmac(32, 1)]) / inner6(), inner6())
    out += both(outer(S[2], 1) / inner6(), inner6())
    out += both(outer(S[2], 64) / srh(S[:1], 0) / inner4(), inner4())
    out += both(outer(S[2], 64) / inner4(), inner4())
    return out


def shifted(address, block, node_function):
    """The address after NEXT-CSID, as RFC 9800 section 4.1.1 says it, with integers."""
    value = int(ipaddress.IPv6Address(address))
    argument_bits = 128 - block - node_function
    argument = value & (1 << argument_bits) - 1
    block_value = value >> 128 - block
    return str(ipaddress.IPv6Address((block_value << argument_bits | argument) << node_function))


# address, LBL, LNFL
CSIDS = [("fcbb:bb00:100:200:300:400:500:600", 32, 16), ("fcbb:bb00:100::300", 32, 16),
         ("fcbb:bb00:aaaa:100:e000:200:f000:300", 48, 32), ("2001:db8:1234:5678:9abc:def0:1357:9bdf", 37, 19),
         ("2001:db8:1234:5678:9abc:def0:1357:9bdf", 64, 16), ("2001:db8:1234:5678:9abc:def0:1357:9bdf", 48, 16),
         ("2001:db8:1234:5678:9abc:def0:1357:9bdf", 16, 64), ("2001:db8:1234:5678:9abc:def0:1357:9bdf", 1, 126),
         ("2001:db8:1234:5678:9abc:def0:1357:9bdf", 126, 1), ("2001:db8:1234:5678:9abc:def0:1357:9bdf", 8, 96)]


def csids():
    """43: pairs of the packet before and after NEXT-CSID; Segments Left stays."""
    out = []
    for address, block, node_function in CSIDS:
        for dst, hlim in ((address, 64), (shifted(address, block, node_function), 63)):
            out.append(ether() / outer(dst, hlim) / srh(S[:2], 1) / inner6())
    return out


def encapsulations():
    """42: the inner packet, and after the headend."""
    def both(inner, header):
        return [ether() / inner, ether() / header / inner]

    out = []
    out += both(inner4(), outer(S[0], 64) / srh(S[:1], 0, tag=0x1234))
    out += both(inner4(), outer(S[0], 255))
    out += both(inner6(), outer(S[0], 1) / srh(S[1:5], 4))
    out += both(inner6(), IPv6(src=CON, dst=LONG[0], tc=0xFF, fl=0xFFFFF, hlim=64) / srh(LONG, 15))
    out += both(inner6(), IPv6(src=CON, dst=LONG[0], tc=0, fl=0, hlim=64) / srh(LONG[1:], 15))
    return out


# RFC 6040 figure 4, its lines as they stand there; columns are Not-ECT, ECT(0), ECT(1), CE. None is a drop.
NOT_ECT, ECT1, ECT0, CE = range(4)
EGRESS = {NOT_ECT: (NOT_ECT, NOT_ECT, NOT_ECT, None),
          ECT0: (ECT0, ECT0, ECT1, CE),
          ECT1: (ECT1, ECT1, ECT1, CE),
          CE: (CE, CE, CE, CE)}


def ecns():
    """44: a packet at the end of a tunnel, and after it; no second one where it is dropped."""
    out = []
    for make in (inner6, inner4):
        for inner, row in EGRESS.items():
            for outer_ecn, after in zip((NOT_ECT, ECT0, ECT1, CE), row):
                out.append(ether() / IPv6(src=CON, dst=S[0], tc=0xA8 | outer_ecn, hlim=9) / make(63, 0x68 | inner))
                if after is not None:
                    out.append(ether() / make(63, 0x68 | after))
    return out


def descriptor(source, destination, proto, source_port, destination_port):
    """A five-tuple: version, protocol, 0, ports, addresses."""
    source, destination = ipaddress.ip_address(source), ipaddress.ip_address(destination)
    return (struct.pack("!BBHHH", source.version << 4, proto, 0, source_port, destination_port) + source.packed +
            destination.packed)


def arns():
    """45: congestion and its end, with each set of parameters, the flow over IPv6, then over IPv4."""
    out = []
    for flow in (descriptor(HOST_A, HOST_B, 17, 0xC0DE, 4791), descriptor(HOST_A4, HOST_B4, 6, 1, 65535)):
        for mask in range(16):
            parameters = [flow, bytes.fromhex("01020304"), bytes.fromhex("00000007"), bytes.fromhex("fffefdfc")]
            body = b"".join(p for bit, p in enumerate(parameters) if mask & 8 >> bit)
            message = struct.pack("!BBBB", 1 + mask % 2, 0x10, mask % 8, mask << 4) + body
            out.append(ether() / IPv6(src="2001:db8:f::2", dst="2001:db8:f::1", tc=0xC0, hlim=255) /
                       UDP(sport=1022, dport=1022) / Raw(message))
    return out


def main():
    out = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    for name, make in (("40_srh", headers), ("41_srv6_end", ends), ("42_srv6_encaps", encapsulations),
                       ("43_srv6_csid", csids), ("44_tunnel_ecn", ecns), ("45_arn", arns)):
        frames = make()
        for i, frame in enumerate(frames):
            frame.time = i
        wrpcap(os.path.join(out, name + ".pcap"), frames)


if __name__ == "__main__":
    main()
