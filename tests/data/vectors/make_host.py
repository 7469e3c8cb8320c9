#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
"""Write 30_arp.pcap to 33_icmp4.pcap with scapy: what the switch says and hears as a host.

Usage: make_host.py [DIR]
"""

import os
import sys

from scapy.all import (ARP, ICMP, ICMPv6DestUnreach, ICMPv6EchoReply, ICMPv6EchoRequest, ICMPv6ND_NA, ICMPv6ND_NS,
                       ICMPv6ND_RA, ICMPv6ND_RS, ICMPv6NDOptDstLLAddr, ICMPv6NDOptMTU, ICMPv6NDOptPrefixInfo,
                       ICMPv6NDOptSrcLLAddr, ICMPv6PacketTooBig, ICMPv6ParamProblem, ICMPv6TimeExceeded, IP, UDP, Ether,
                       IPv6, Raw, wrpcap)

# A: the switch. B: its neighbour.
MAC_A, MAC_B, ALL = "02:11:22:33:44:55", "02:aa:bb:cc:dd:ee", "ff:ff:ff:ff:ff:ff"
LINK_A, LINK_B = "fe80::11:22ff:fe33:4455", "fe80::aa:bbff:fecc:ddee"
A6, B6 = "2001:db8:1::1", "2001:db8:1::ab:cdef"
A4, B4 = "192.0.2.1", "192.0.2.9"
FAR6, FAR4 = "2001:db8:9::9", "198.51.100.20"
GROUP_B, MAC_GROUP_B = "ff02::1:ffab:cdef", "33:33:ff:ab:cd:ef"
ZERO = "00:00:00:00:00:00"
DATA = bytes(range(0x41, 0x41 + 13))


def arp(dst, src, **fields):
    return Ether(dst=dst, src=src) / ARP(**fields)


def arps():
    return [
        arp(ALL, MAC_A, op=1, hwsrc=MAC_A, psrc=A4, hwdst=ZERO, pdst=B4),
        arp(MAC_A, MAC_B, op=2, hwsrc=MAC_B, psrc=B4, hwdst=MAC_A, pdst=A4),
        arp(ALL, MAC_A, op=1, hwsrc=MAC_A, psrc="0.0.0.0", hwdst=ZERO, pdst=A4),
        arp(ALL, MAC_A, op=1, hwsrc=MAC_A, psrc=A4, hwdst=ZERO, pdst=A4),
        arp(MAC_B, MAC_A, op=1, hwsrc=MAC_A, psrc=A4, hwdst=MAC_B, pdst=B4),
        arp(MAC_A, MAC_B, op=2, hwsrc=MAC_B, psrc=B4, hwdst=MAC_A, pdst="0.0.0.0"),
    ]


def nd(mac_dst, mac_src, src, dst):
    return Ether(dst=mac_dst, src=mac_src) / IPv6(src=src, dst=dst, tc=0xC0, hlim=255)


def nds():
    slla, tlla = ICMPv6NDOptSrcLLAddr(lladdr=MAC_A), ICMPv6NDOptDstLLAddr(lladdr=MAC_B)
    ra = ICMPv6ND_RA(chlim=64, M=0, O=1, prf=0, routerlifetime=1800, reachabletime=30000, retranstimer=1000)
    return [
        nd(MAC_GROUP_B, MAC_A, LINK_A, GROUP_B) / ICMPv6ND_NS(tgt=B6) / slla,
        nd(MAC_B, MAC_A, LINK_A, B6) / ICMPv6ND_NS(tgt=B6) / slla,
        nd(MAC_GROUP_B, MAC_A, "::", GROUP_B) / ICMPv6ND_NS(tgt=B6),
        nd(MAC_A, MAC_B, B6, LINK_A) / ICMPv6ND_NA(R=1, S=1, O=1, tgt=B6) / tlla,
        nd("33:33:00:00:00:01", MAC_B, B6, "ff02::1") / ICMPv6ND_NA(R=0, S=0, O=1, tgt=B6) / tlla,
        nd("33:33:00:00:00:02", MAC_A, LINK_A, "ff02::2") / ICMPv6ND_RS() / slla,
        nd("33:33:00:00:00:02", MAC_A, "::", "ff02::2") / ICMPv6ND_RS(),
        nd("33:33:00:00:00:01", MAC_A, LINK_A, "ff02::1") / ra / slla / ICMPv6NDOptMTU(mtu=9000) /
        ICMPv6NDOptPrefixInfo(prefixlen=64, L=1, A=1, validlifetime=2592000, preferredlifetime=604800,
                              prefix="2001:db8:1::") /
        ICMPv6NDOptPrefixInfo(prefixlen=61, L=1, A=0, validlifetime=0xFFFFFFFF, preferredlifetime=0xFFFFFFFF,
                              prefix="2001:db8:2:8::"),
    ]


def to_switch6(dst=A6, **fields):
    return Ether(dst=MAC_A, src=MAC_B) / IPv6(src=B6, dst=dst, tc=0x6B, fl=0x12345, **fields)


def from_switch6(**fields):
    return Ether(dst=MAC_B, src=MAC_A) / IPv6(src=A6, dst=B6, hlim=64, **fields)


def icmp6s():
    small = to_switch6(dst=FAR6, hlim=1) / UDP(sport=1000, dport=2000) / Raw(DATA)
    big = to_switch6(dst=FAR6, hlim=60) / UDP(sport=1000, dport=2000) / Raw(bytes(i & 0xFF for i in range(1452)))

    def about(packet, error):
        quote = Raw(bytes(packet[IPv6])[:1280 - 48])
        return [packet, from_switch6(tc=0xC0) / error / quote]

    return [
        to_switch6(hlim=64) / ICMPv6EchoRequest(id=0x1234, seq=0xFFFE, data=DATA),
        from_switch6(tc=0x68) / ICMPv6EchoReply(id=0x1234, seq=0xFFFE, data=DATA),
    ] + about(small, ICMPv6TimeExceeded(code=0)) + about(big, ICMPv6PacketTooBig(mtu=1400)) + \
        about(small, ICMPv6DestUnreach(code=3)) + about(small, ICMPv6ParamProblem(code=1, ptr=6))


def to_switch4(dst=A4, **fields):
    return Ether(dst=MAC_A, src=MAC_B) / IP(src=B4, dst=dst, id=0x4242, **fields)


def from_switch4(**fields):
    return Ether(dst=MAC_B, src=MAC_A) / IP(src=A4, dst=B4, ttl=64, **fields)


def icmp4s():
    small = to_switch4(dst=FAR4, ttl=1, tos=0x6B) / UDP(sport=1000, dport=2000) / Raw(DATA)
    big = to_switch4(dst=FAR4, flags="DF") / UDP(sport=1000, dport=2000) / Raw(bytes(i & 0xFF for i in range(1472)))

    def about(packet, error):
        quote = Raw(bytes(packet[IP])[:576 - 28])
        return [packet, from_switch4(tos=0xC0, id=0, flags="DF") / error / quote]

    return [
        to_switch4(tos=0x6B) / ICMP(type=8, id=0x1234, seq=0xFFFE) / Raw(DATA),
        from_switch4(tos=0x68, id=0, flags="DF") / ICMP(type=0, id=0x1234, seq=0xFFFE) / Raw(DATA),
        from_switch4(tos=0x68, id=0x7777) / ICMP(type=0, id=0x1234, seq=0xFFFE) / Raw(DATA),
    ] + about(small, ICMP(type=11, code=0)) + about(big, ICMP(type=3, code=4, nexthopmtu=1400)) + \
        about(small, ICMP(type=3, code=1)) + about(small, ICMP(type=12, code=0, ptr=20))


def main():
    out = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    for name, make in (("30_arp", arps), ("31_nd", nds), ("32_icmp6", icmp6s), ("33_icmp4", icmp4s)):
        frames = make()
        for i, frame in enumerate(frames):
            frame.time = i
        wrpcap(os.path.join(out, name + ".pcap"), frames)


if __name__ == "__main__":
    main()
