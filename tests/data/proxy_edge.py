# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Packets into which an edge switch puts the option with the address of a proxy, and from which it takes it, with what must leave.

make_data.py writes them. The headers are written after RFC 8200 sections 4.1, 4.2 and 4.6, and section 5.2 of the draft on proxies;
test vector 13 is one of the packets that leave.
"""

import struct
from ipaddress import ip_address

import cases
import cnm
import headend

SENDER, OTHER, RECEIVER = "2001:db8:1::10", "2001:db8:5::10", "2001:db8:2::20"
PROXY, FOREIGN = "2001:db8:3::99", "2001:db8:3::77"
HOST, STATION = "02:00:00:00:01:09", "02:00:00:00:02:09"      # at p1, and at p2
P1, P2 = "02:00:00:00:01:01", "02:00:00:00:01:02"
OPTION = bytes((0x1E, 16)) + ip_address(PROXY).packed
HEADER = 24     # octets by which a packet grows


def behind_hop_by_hop(frame):
    """The option in a header of its own behind the Hop-by-Hop Options header."""
    f = bytearray(frame)
    at = 54 + 8 * (f[55] + 1)
    header = bytes((f[54], 2, 1, 2, 0, 0)) + OPTION
    f[54] = 60
    f[18:20] = struct.pack("!H", struct.unpack("!H", f[18:20])[0] + HEADER)
    return cases.finish(bytes(f[:at]) + header + bytes(f[at:]))


def with_options(frame, body):
    """A Destination Options header with these octets in front of what follows the IPv6 header."""
    f = bytearray(frame)
    header = bytes((f[20], (2 + len(body)) // 8 - 1)) + body
    f[20] = 60
    f[18:20] = struct.pack("!H", struct.unpack("!H", f[18:20])[0] + len(header))
    return cases.finish(bytes(f[:54]) + header + bytes(f[54:]))


def inserted(w6, w4, traced):
    """(frame that comes in by p1, frame as p2 sends it but for the hop, what is counted)"""
    roce = lambda n, source=SENDER, **more: cases.variant(w6, src=source, dst=RECEIVER, smac=HOST, dmac=P1, qp=n, **more)
    four = cases.variant(w4, src="192.0.2.10", dst="198.51.100.20", smac=HOST, dmac=P1, qp=4)
    to_router = lambda frame: cases.mac(P1) + cases.mac(HOST) + frame[12:]
    option = lambda frame: cnm.with_option(frame, PROXY)
    tcp = to_router(cnm.carried(6, struct.pack("!HHIIHHHH", 5000, 443, 1, 2, 0x5010, 512, 0xBEEF, 0) + bytes(100), SENDER, RECEIVER))
    grown = bytearray(tcp[:20] + b"\x3c" + tcp[21:54] + bytes((6, 2, 1, 2, 0, 0)) + OPTION + tcp[54:])
    grown[18:20] = struct.pack("!H", len(grown) - 54)
    hbh = bytearray(to_router(traced))
    hbh[22:38], hbh[38:54] = ip_address(SENDER).packed, ip_address(RECEIVER).packed
    hbh = cases.finish(bytes(hbh))
    here = with_options(roce(5), bytes((0x5E, 2, 0xAB, 0xCD)) + b"\0\0")
    # Behind the option that is there, in place of the padding: the address is at the eighth octet.
    both = with_options(roce(5), bytes((0x5E, 2, 0xAB, 0xCD)) + OPTION)
    own = cnm.with_option(roce(6), FOREIGN)
    tunnel = cases.mac(P1) + cases.mac(HOST) + b"\x86\xdd" + headend.outer(
        roce(7), ("encaps", ("2001:db8:e2:1::1", RECEIVER), True, None, 64), SENDER) + roce(7)[14:]
    fits, too_long = roce(8, length=1500 - HEADER + 14), roce(9, length=1500 - HEADER + 15)
    return [
        (roce(1), option(roce(1)), "inserted"),
        (tcp, bytes(grown), "inserted"),
        (hbh, behind_hop_by_hop(hbh), "inserted"),
        (roce(2, OTHER), roce(2, OTHER), None),
        (four, four, None),
        (own, own, "present"),
        (cases.fragment(roce(3)), cases.fragment(roce(3)), "unfit"),
        (tunnel, tunnel, "unfit"),
        (fits, option(fits), "inserted"),
        (too_long, too_long, "omitted"),
        (here, both, "inserted"),
    ]


def removed(w6, traced):
    """(frame that comes in by p2, frame as p1 sends it but for the hop)"""
    back = lambda n, **more: cases.variant(w6, src=RECEIVER, dst=SENDER, smac=STATION, dmac=P2, qp=n, **more)
    hbh = bytearray(cases.mac(P2) + cases.mac(STATION) + traced[12:])
    hbh[22:38], hbh[38:54] = ip_address(RECEIVER).packed, ip_address(SENDER).packed
    hbh = cases.finish(bytes(hbh))
    return [
        (cnm.with_option(back(1), PROXY), back(1)),
        (cnm.with_option(back(2), FOREIGN, first=True), back(2)),
        (behind_hop_by_hop(hbh), hbh),
        (with_options(back(3), bytes((0x5E, 2, 0xAB, 0xCD)) + OPTION),
         with_options(back(3), bytes((0x5E, 2, 0xAB, 0xCD)) + b"\1\0")),
        (back(4), back(4)),
    ]


def captures(w6, w4, traced):
    """name -> [(ns, frame)]; 10 us apart. What leaves has the time at which it came."""
    found = {"proxy-edge-p1": [], "proxy-edge-p2": [], "proxy-edge-out-p1": [], "proxy-edge-out-p2": []}
    for n, (came, left, _) in enumerate(inserted(w6, w4, traced)):
        found["proxy-edge-p1"].append((10000 * n, came))
        found["proxy-edge-out-p2"].append((10000 * n, cases.routed(left, P2, STATION)))
    for n, (came, left) in enumerate(removed(w6, traced)):
        found["proxy-edge-p2"].append((10000 * n, came))
        found["proxy-edge-out-p1"].append((10000 * n, cases.routed(left, P1, HOST)))
    return found
