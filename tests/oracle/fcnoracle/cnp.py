# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Plain CNPs that a switch sends to a sender in the name of the receiver: which packets call for one, and building it."""

import struct
from dataclasses import dataclass, field

from . import sums, walker


@dataclass(frozen=True)
class Profile:
    """What a switch is configured with."""
    qps: dict = field(default_factory=dict)  # (packed receiver, its queue pair) -> queue pair of the sender
    dscp: int = 48
    hop_limit: int = 64


def undue(p, profile):
    """Why there is no CNP about a packet, None if there may be one."""
    if not p.is_roce:
        return "not_roce"
    if p.bth.opcode in (walker.ACK, walker.ATOMIC_ACK, walker.CNP):
        return "not_data"
    if len(p.layers) > 1:
        return "tunnelled"
    source = p.ip.src
    # Multicast, reserved, unspecified, loopback: nobody has such an address.
    if p.ip.version == 4 and (source[0] in (0, 127) or source[0] >= 224):
        return "source"
    if p.ip.version == 6 and (source[0] == 0xFF or not any(source[:15]) and source[15] <= 1):
        return "source"
    return None if (p.ip.receiver, p.bth.qp) in profile.qps else "no_qp"


def build(profile, p):
    """The IP packet that answers a data packet (walker.Packet): from its receiver, to its sender."""
    qp = profile.qps[p.ip.receiver, p.bth.qp]
    if p.ip.version == 6:
        packet = bytearray(struct.pack("!IHBB", 6 << 28 | profile.dscp << 22, 40, walker.UDP, profile.hop_limit))
    else:
        packet = bytearray(struct.pack("!BBHHHBBH", 0x45, profile.dscp << 2, 60, 0, 0x4000, profile.hop_limit, walker.UDP, 0))
    packet += p.ip.receiver + p.ip.src
    udp = len(packet)
    packet += struct.pack("!HHHH", p.sport, walker.ROCE_PORT, 40, 0)
    packet += struct.pack("!BBHII", walker.CNP, 0, p.bth.pkey, 0x40 << 24 | qp, 0)
    packet += bytes(16 + 4)
    end = len(packet)
    if p.ip.version == 4:
        packet[10:12] = struct.pack("!H", sums.ipv4_checksum(packet[:20]))
    packet[-4:] = sums.icrc(packet, 0, udp, end)
    packet[udp + 6:udp + 8] = struct.pack("!H", sums.udp_checksum(packet, 0, udp, end))
    return bytes(packet)


def fields(packet):
    """Names and places of the fields of a packet that build() made: (name, first, after last)."""
    udp = 40 if packet[0] >> 4 == 6 else 20
    half = (udp - 8) // 2 if udp == 40 else 4
    out = [("IP header", 0, udp - 2 * half), ("source", udp - 2 * half, udp - half), ("destination", udp - half, udp)]
    at = udp
    for name, size in (("UDP source port", 2), ("UDP destination port", 2), ("UDP length", 2), ("UDP checksum", 2),
                       ("BTH opcode", 1), ("BTH flags", 1), ("P_Key", 2), ("BECN octet", 1), ("destination QP", 3),
                       ("AckReq octet", 1), ("PSN", 3), ("reserved octets", 16), ("ICRC", 4)):
        out.append((name, at, at + size))
        at += size
    return out


def is_plain(p):
    """Whether a frame is a CNP without an option, outside of tunnels."""
    return p.bth is not None and p.bth.opcode == walker.CNP and len(p.layers) == 1 and not p.ip.extensions
