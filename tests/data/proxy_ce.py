# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A proxy that tells a sender by CE marks: messages that come to it, packets of the sender, and these packets as they leave.

make_data.py writes them. At level L, (L + 1) / 8 of the packets of the flow that are ECT are marked: a sum grows by L + 1 with each packet,
and each time that it reaches eight, eight are taken off and the packet is marked. The marking ends CE_TIME after the message.
"""

import cases
import proxy

US = 1000
MS = 1000 * US
CE_TIME = 500 * US
MARKED, MARKED4 = "2001:db8:1::14", "192.0.2.14"
NOT_ECT, ECT1, ECT0, CE = 0, 1, 2, 3
PORT, OTHER_PORT = 0xC100, 0xC101
PACKETS = 24             # of the flow after each message, 10 us apart; what follows comes when the time is over
LATE = range(50, 54)
EACH = 10 * US


def with_ecn(frame, ecn):
    """The frame with this ECN field, which neither ICRC nor UDP checksum covers."""
    f = bytearray(frame)
    if f[12:14] == b"\x86\xdd":
        f[15] = f[15] & 0xCF | ecn << 4
    else:
        f[15] = f[15] & 0xFC | ecn
    return cases.finish(f)


def numbered(frame, number):
    """The frame with this PSN, so that no two are equal."""
    f = bytearray(frame)
    at = (54 if f[12:14] == b"\x86\xdd" else 34) + 17
    f[at:at + 3] = number.to_bytes(3, "big")
    return bytes(f)


def flow_packets(sender, level):
    """(ns after the message, source port, ECN field) of what the sender sends."""
    found = [(EACH * (k + 1), PORT, (ECT0, ECT1)[k % 2]) for k in range(PACKETS)]
    found += [(EACH * k, PORT, ECT0) for k in LATE]
    found += [(EACH * k + 5 * US, OTHER_PORT, ECT0) for k in range(4)]       # another flow
    if level == 7:
        found += [(EACH * 30, PORT, NOT_ECT), (EACH * 31, PORT, CE)]
    return sorted(found)


def captures(w6, w4):
    """name -> [(ns, frame)]: messages by p2, packets of the sender by p1, and these as they leave by p2."""
    found = {"proxy-ce": [], "proxy-ce-data": [], "proxy-ce-out": []}
    for level in range(8):
        for start, frame, sender, receiver in ((2 * level * MS, w6, MARKED, proxy.RECEIVER),
                                               (2 * level * MS + MS, w4, MARKED4, proxy.RECEIVER4)):
            packet = proxy.about(frame, sender, receiver, PORT, 16)
            message = proxy.to_proxy(packet, level, (17, PORT, 4791))
            # The five-tuple alone is enough: every third message has no quote, and another third one that ends in its IP header.
            if level % 3 != 0:
                message = proxy.cut_to(message, (40 if frame is w6 else 16) + (10 if level % 3 == 1 else 0))
            found["proxy-ce"].append((start, message))
            total = 0
            for after, port, ecn in flow_packets(sender, level):
                f = numbered(cases.variant(frame, src=sender, dst=receiver, sport=port, qp=16, smac=proxy.SENDERS, dmac=proxy.P1),
                             len(found["proxy-ce-data"]))
                came = with_ecn(f, ecn)
                if port == PORT and after < CE_TIME:
                    total += level + 1
                    if total >= 8:
                        total -= 8
                        ecn = CE if ecn != NOT_ECT else ecn
                left = cases.variant(with_ecn(f, ecn), smac=proxy.P2, dmac=proxy.UPSTREAM, hops=f[21 if f[12:14] == b"\x86\xdd" else 22] - 1)
                found["proxy-ce-data"].append((start + after, came))
                found["proxy-ce-out"].append((start + after, left))
    return found
