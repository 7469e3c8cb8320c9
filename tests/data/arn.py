# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A queue that is congested for a while, and the Adaptive Routing Notifications of its switch, by arithmetic on octets.

Sixteen packets of 1058 octets, one a microsecond, leave by a port of 1 Gbit/s: one every 1082 * 8 = 8656 ns. The packet
at 11 us finds 2 packets gone and 9 waiting, so that 10 * 1058 octets reach the threshold of 10000. When the 12th packet
leaves, at 11 * 8656 ns, 4 * 1058 octets wait, which is below 5000. In between a message is due every 10 us, half of the
time of 20 us; the occupancy never reaches that of level 1, 10000 * 100 ** (1 / 7) = 19307.

In the mode "service" the switch is the headend: packets come with 64 octets less and get an outer header of 40 octets and a
Segment Routing Header with one segment, 8 + 16 octets. The segment list has the path identifier 0x12345678.

In "routed" and "steered" the messages of the mode "flow" go through policies of two segments and of one.
"""

import struct
from ipaddress import ip_address

import cases
import headend
from fcnoracle import sums

PACKETS, OCTETS, GAP_NS = 16, 1058, 1000
LEAVES_NS = (OCTETS + 24) * 8
SENDER, RECEIVER = ip_address("2001:db8:1::10").packed, ip_address("2001:db8:2::20").packed
SWITCH, NEIGHBOUR = ip_address("2001:db8:f::2").packed, ip_address("2001:db8:f::1").packed
PE, LAST = ip_address("2001:db8:e2:1::c").packed, ip_address("2001:db8:e4:1::d6").packed
OUTER = 40 + 8 + 16
MODES = {"flow": bytes([0x60, 17, 0, 0]) + struct.pack("!HH", 0xc0de, 4791) + SENDER + RECEIVER, "priority": struct.pack("!I", 3),
         "service": bytes([0x60, 41, 0, 0]) + bytes(4) + PE + LAST + struct.pack("!I", 0x12345678)}
ROUTED = ("2001:db8:e3:1::1", "2001:db8:e4:1::d6")
STEERED, STEERED_TO = ("2001:db8:e5:1::d6",), ip_address("2001:db8:f::3").packed
WHAT = {"flow": 0x90, "priority": 0x30, "service": 0xd0}


def data(octets=OCTETS):
    """The packets, with the times at which they come."""
    bth = bytes.fromhex("0a40ffff000001a7")
    entries = []
    for i in range(PACKETS):
        payload = bth + struct.pack("!I", i) + bytes(octets - 14 - 40 - 8 - 12)
        udp = struct.pack("!HHHH", 0xc0de, 4791, 8 + len(payload), 0) + payload
        ip = struct.pack("!IHBB", 0x66a00000, len(udp), 17, 64) + SENDER + RECEIVER
        entries.append((i * GAP_NS, cases.mac("02:00:00:00:01:01") + cases.mac("02:00:00:00:0a:01") + b"\x86\xdd" + ip + udp))
    return entries


def message(mode, ended, to=NEIGHBOUR, port=3):
    """A message in its frame: wire format of section 5 of the draft, with the numbers of doc/decisions.md."""
    arn = struct.pack("!BBBB", 2 if ended else 1, 0x10, 0, WHAT[mode]) + MODES[mode] + struct.pack("!I", 0 if ended else 20)
    udp = struct.pack("!HHHH", 1022, 1022, 8 + len(arn), 0) + arn
    frame = bytearray(cases.mac("02:00:00:00:02:%02x" % port) + cases.mac("02:00:00:00:01:%02x" % port) + b"\x86\xdd" +
                      struct.pack("!IHBB", 0x6c000000, len(udp), 17, 255) + SWITCH + to + udp)
    struct.pack_into("!H", frame, 14 + 40 + 6, sums.udp_checksum(frame, 14, 54, len(frame)))
    return bytes(frame)


def by_policy(segments, *arguments):
    """The same, as the headend sends it: a packet of the switch itself, of which no hop is counted."""
    frame = message("flow", *arguments)
    return frame[:14] + headend.outer(frame, ("encaps-red", segments, True, None, 64), ip_address(SWITCH)) + frame[14:]


def captures():
    """name -> list of (time in ns, frame)."""
    begins, ends = 11 * GAP_NS, 11 * LEAVES_NS
    found = {"arn-send": data(), "arn-send-inner": data(OCTETS - OUTER)}
    makers = {mode: lambda ended, mode=mode: message(mode, ended) for mode in MODES}
    makers["routed"] = lambda ended: by_policy(ROUTED, ended)
    makers["steered"] = lambda ended: by_policy(STEERED, ended, STEERED_TO, 1)
    for name, make in makers.items():
        found["arn-send-%s-out" % name] = [(at, make(False)) for at in range(begins, ends, 10000)] + [(ends, make(True))]
    return found
