# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Traffic that downstream switches ask to halt, the messages, and when each packet leaves, by arithmetic on octets.

A packet comes by p1 each microsecond and leaves by p2, a port of 10 Gbit/s, where 976 octets take (976 + 24) * 8 / 10 = 800 ns.
Every second packet is of what is halted; the others must not wait for it. In each of three phases, a millisecond apart, it is
halted first from 10.5 us for 25 us, at 20.5 us for 30 us more, and at 45.5 us a message ends that; then from 50.5 us for 5 us,
and no message ends that. So packets of a flow or a service that come from 10.5 us on go to the class queue at 45.5 us, and those
from 50.5 us on at 55.5 us. Of a class, nothing leaves in these times, not even what was in the queue. There, the packets of the
other class end at 43 us, as the two classes would take turns.
"""

import struct
from ipaddress import ip_address

import cases
from arn_received import FLOW, PRIORITY, TIME, frame, message, word

PACKETS, OCTETS, GAP_NS, LINE_NS = 60, 976, 1000, 800
HALTS = ((10500, 25), (20500, 30), (45500, 0), (50500, 5))  # when a message comes, microseconds of the halt; 0: it ends
WAITS = ((10500, 45500), (50500, 55500))                    # packets of the halted traffic that come then wait until then
PHASE_NS = 10**6
SENDER, RECEIVER = ip_address("2001:db8:1::10").packed, ip_address("2001:db8:2::20").packed
PE, NEAR, FAR = (ip_address(a).packed for a in ("2001:db8:e2:1::c", "2001:db8:e4:1::d6", "2001:db8:e4:2::d6"))


def flow(src, dst, proto, ports=(0, 0)):
    """A flow identifier of IPv6."""
    return bytes([0x60, proto, 0, 0]) + struct.pack("!HH", *ports) + src + dst


def packet(number, dscp, port, octets, tunnel=None):
    """A RoCEv2 packet of some length, without its Ethernet header; in a tunnel it is that much longer."""
    payload = bytes.fromhex("0a40ffff000001a7") + struct.pack("!I", number) + bytes(octets - 14 - 40 - 8 - 12)
    udp = struct.pack("!HHHH", port, 4791, 8 + len(payload), 0) + payload
    ip = struct.pack("!IHBB", 0x60000000 | dscp << 22, len(udp), 17, 64) + SENDER + RECEIVER + udp
    if tunnel is not None:
        ip = struct.pack("!IHBB", 0x60000000 | dscp << 22, len(ip), 41, 64) + PE + tunnel + ip
    return ip


def phases():
    """(what a message names, the packets); of these, every second one is named."""
    flows = [packet(i, 26, 0xc0de if i % 2 == 0 else 0xbeef, OCTETS) for i in range(PACKETS)]
    tunnels = [packet(i, 26, 0xc0de, OCTETS - 40, NEAR if i % 2 == 0 else FAR) for i in range(PACKETS)]
    classes = [packet(i, 26 if i % 2 == 0 else 0, 0xc0de, OCTETS) for i in range(PACKETS)]
    return ((FLOW, flow(SENDER, RECEIVER, 17, (0xc0de, 4791)), flows), (FLOW, flow(PE, NEAR, 41), tunnels), (PRIORITY, word(3), classes))


def waiting(at):
    """The time until which what is halted waits at a time."""
    return next((until for since, until in WAITS if since <= at < until), at)


def times(mode, packets):
    """(time at which a packet begins to leave, number) of the packets that come; those of a flow wait before the class queue."""
    line, found = 0, []
    for at, i in sorted((waiting(i * GAP_NS) if mode == FLOW and i % 2 == 0 else i * GAP_NS, i) for i in packets):
        line = max(line, at)
        if mode == PRIORITY and i % 2 == 0:
            line = waiting(line)
        elif mode == PRIORITY:
            found.append((at, i))
            continue
        found.append((line, i))
        line += LINE_NS
    return sorted(found)


def captures():
    """name -> list of (time in ns, frame)."""
    come, messages, leave = [], [], []
    for phase, (mode, identifier, packets) in enumerate(phases()):
        begin = phase * PHASE_NS
        for at, us in HALTS:
            messages.append((begin + at, frame(2, message(1 if us else 2, mode | TIME, identifier, word(us)))))
        numbers = [i for i in range(PACKETS) if mode == FLOW or i % 2 == 0 or i < 45]
        for i in numbers:
            come.append((begin + i * GAP_NS, cases.mac("02:00:00:00:01:01") + cases.mac("02:00:00:00:0a:01") + b"\x86\xdd" + packets[i]))
        for at, i in times(mode, numbers):
            ip = bytearray(packets[i])
            ip[7] -= 1
            leave.append((begin + at, cases.mac("02:00:00:00:02:02") + cases.mac("02:00:00:00:01:02") + b"\x86\xdd" + bytes(ip)))
    return {"arn-hold": come, "arn-hold-messages": messages, "arn-hold-out": leave}
