# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Frames for a bridge that floods within limits, and for the interface of a bridge. make_data.py writes them.

What is to leave is made here by hand, from the RFCs and on paper, beside what comes in.
"""

import struct

US, MS = 1000, 10**6


def mac(text):
    return bytes.fromhex(text.replace(":", ""))


ALL = mac("ff:ff:ff:ff:ff:ff")
GROUP = mac("01:00:5e:01:02:03")


# ---- storm control ----

TALKER, KNOWN, NOBODY = mac("02:00:00:00:0a:01"), mac("02:00:00:00:0b:01"), mac("02:00:00:00:99:99")


def plain(dst, src, number):
    return dst + src + b"\x88\xb5" + struct.pack("!H", number) + bytes(44)


def storm():
    """Frames of p1 and p2, and those that p3 gets: lists of (time, frame).

    The limits of p1: 1000 broadcasts a second, 10 at once; 100 frames to unknown stations a second, 2 at once; multicasts as
    many as there are. A bucket of 10 tokens gets one each millisecond.
    """
    p1, out = [], []

    def send(at, dst, passes):
        frame = plain(dst, TALKER, len(p1))
        p1.append((at, frame))
        if passes:
            out.append((at, frame))

    p2 = [(0, plain(ALL, KNOWN, 0xFFFF))]   # p2 has no limits; from now on the station is known
    out.append(p2[0])
    for i in range(30):                     # the bucket is full: 10 pass
        send(1 * MS + i * US, ALL, i < 10)
    for i in range(5):                      # 2 pass
        send(2 * MS + i * US, NOBODY, i < 2)
    for i in range(7):                      # no limit for these
        send(3 * MS + i * US, GROUP, True)
    for i in range(15):                     # full again, 20 ms later: 10 pass
        send(21 * MS + i * US, ALL, i < 10)
    for i in range(5):                      # 3.5 ms later: 3 pass
        send(24 * MS + 500 * US + i * US, ALL, i < 3)
    for i in range(40):                     # to a station that is known: nothing is flooded, and p2 gets them alone
        p1.append((30 * MS + i * US, plain(KNOWN, TALKER, 1000 + i)))
    known = p1[-40:]
    return {"flood-p1": p1, "flood-p2": p2, "flood-out-p1": p2, "flood-out-p2": out[1:] + known, "flood-out-p3": out}


# ---- the interface of a bridge ----

HOST, STATION, OTHER = mac("02:00:00:00:0f:01"), mac("02:00:00:00:0a:01"), mac("02:00:00:00:0b:01")
HOST6, STATION6 = bytes.fromhex("20010db8000900000000000000000001"), bytes.fromhex("20010db800090000000000000000000a")
HOST4, STATION4, OTHER4 = bytes([192, 0, 2, 1]), bytes([192, 0, 2, 10]), bytes([192, 0, 2, 11])
SOLICITED = bytes.fromhex("ff0200000000000000000001ff000001")
NODES = bytes.fromhex("ff020000000000000000000000000001")


def total(data):
    """Internet checksum (RFC 1071)."""
    data += bytes(len(data) % 2)
    words = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while words >> 16:
        words = (words & 0xFFFF) + (words >> 16)
    return ~words & 0xFFFF


def icmp6(src, dst, hop_limit, message, traffic_class=0):
    pseudo = src + dst + struct.pack("!II", len(message), 58)
    message = message[:2] + struct.pack("!H", total(pseudo + message)) + message[4:]
    return struct.pack("!IHBB", 6 << 28 | traffic_class << 20, len(message), 58, hop_limit) + src + dst + message


def icmp4(src, dst, ttl, message, flags=0):
    message = message[:2] + struct.pack("!H", total(message)) + message[4:]
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(message), 0, flags, ttl, 1, 0) + src + dst
    return head[:10] + struct.pack("!H", total(head)) + head[12:] + message


def arp(operation, sender, sender4, target, target4):
    return struct.pack("!HHBBH", 1, 0x0800, 6, 4, operation) + sender + sender4 + target + target4


def frame(dst, src, kind, payload):
    return (dst + src + struct.pack("!H", kind) + payload).ljust(60, b"\0")


IP6, IP4, ARP = 0x86DD, 0x0800, 0x0806
SOURCE_LLADDR, TARGET_LLADDR = b"\1\1", b"\2\1"
DATA = bytes(range(0x40, 0x60))


def echo(kind, number):
    return struct.pack("!BBHHH", kind, 0, 0, 0x1234, number) + DATA


def station():
    """Frames of p1, and what leaves by p1 and p2: lists of (time, frame)."""
    ask = frame(ALL, STATION, ARP, arp(1, STATION, STATION4, bytes(6), HOST4))
    ask_other = frame(ALL, STATION, ARP, arp(1, STATION, STATION4, bytes(6), OTHER4))
    solicit = frame(mac("33:33:ff:00:00:01"), STATION, IP6,
                    icmp6(STATION6, SOLICITED, 255, b"\x87" + bytes(7) + HOST6 + SOURCE_LLADDR + STATION))
    ping6 = frame(HOST, STATION, IP6, icmp6(STATION6, HOST6, 64, echo(128, 1)))
    ping4 = frame(HOST, STATION, IP4, icmp4(STATION4, HOST4, 64, echo(8, 2)))
    elsewhere = frame(HOST, STATION, IP4, icmp4(STATION4, bytes([203, 0, 113, 9]), 64, echo(8, 3)))
    stolen = frame(OTHER, HOST, IP4, icmp4(HOST4, OTHER4, 64, echo(8, 4)))
    passing = frame(OTHER, STATION, IP4, icmp4(STATION4, OTHER4, 64, echo(8, 5)))
    p1 = [(n * MS, f) for n, f in enumerate((ask, ask_other, solicit, ping6, ping4, elsewhere, stolen, passing), 1)]
    # Announced at the start: unsolicited advertisements with the Override flag (RFC 4861 7.2.6) of both addresses, the
    # link-local one from the MAC address (RFC 4291 appendix A), and ARP (RFC 5227 2.3).
    link = bytes.fromhex("fe80000000000000000000fffe000f01")
    told = [frame(mac("33:33:00:00:00:01"), HOST, IP6,
                  icmp6(address, NODES, 255, b"\x88\0\0\0\x20\0\0\0" + address + TARGET_LLADDR + HOST, 48 << 2))
            for address in (HOST6, link)]
    told.append(frame(ALL, HOST, ARP, arp(1, HOST, HOST4, bytes(6), HOST4)))
    answers = told + [
        frame(STATION, HOST, ARP, arp(2, HOST, HOST4, STATION, STATION4)),
        # solicited, override; precedence 6 (doc/decisions.md, traffic class)
        frame(STATION, HOST, IP6, icmp6(HOST6, STATION6, 255, b"\x88\0\0\0\x60\0\0\0" + HOST6 + TARGET_LLADDR + HOST, 48 << 2)),
        frame(STATION, HOST, IP6, icmp6(HOST6, STATION6, 64, echo(129, 1))),
        # never a fragment, so Don't Fragment goes with an identification of 0 (RFC 6864 section 4)
        frame(STATION, HOST, IP4, icmp4(HOST4, STATION4, 64, echo(0, 2), 0x4000)),
    ]
    return {"station-p1": p1, "station-out-p1": [(0, f) for f in answers],
            "station-out-p2": [(0, f) for f in (*told, ask, ask_other, solicit, passing)]}


def captures():
    """Name -> list of (time, frame)."""
    return {**storm(), **station()}
