# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The invariant CRC of RoCEv2 in the readings that are possible beside extension headers, and UDP's checksum."""

import struct
import zlib

# No specification says how IPv6 extension headers enter the invariant CRC.
READINGS = {
    "skip": "extension headers are left out, the IPv6 header is as on the wire",
    "cover": "extension headers are covered as they are on the wire",
    "norm": "extension headers are left out, and payload length and next header are those of the packet without them",
}


def _icrc(p, reading):
    """The CRC as four octets on the wire."""
    f, at = p.frame, p.ip.offset
    if p.ip.version == 4:
        head = bytearray(f[at:at + 20])
        for masked in (1, 8, 10, 11):
            head[masked] = 0xFF
    else:
        head = bytearray(f[at:at + 40])
        if reading == "norm":
            head[4:7] = struct.pack("!HB", p.end - p.udp, 17)
        head[0] |= 0x0F
        head[1:4] = b"\xff\xff\xff"
        head[7] = 0xFF
        if reading == "cover":
            head += f[at + 40:p.udp]
    rest = bytearray(f[p.udp:p.end - 4])
    rest[6:8] = b"\xff\xff"
    rest[12] = 0xFF
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(head) + bytes(rest)))


def readings(p):
    """Names of the readings in which the invariant CRC of a packet is right."""
    wire = p.frame[p.end - 4:p.end]
    return [name for name in READINGS if _icrc(p, name) == wire]


def icrc_hint(p):
    """A likely reason of a wrong CRC, or "" if there is none."""
    wire = p.frame[p.end - 4:p.end]
    if wire == bytes(4):
        return "it is 0"
    if any(_icrc(p, name) == wire[::-1] for name in READINGS):
        return "its octets are in reverse order"
    if any(bytes(b ^ 0xFF for b in _icrc(p, name)) == wire for name in READINGS):
        return "it is not complemented"
    return ""


def udp_right(p):
    """Whether UDP's checksum is right; None if there is none."""
    if p.frame[p.udp + 6:p.udp + 8] == b"\0\0":
        return None
    octets = p.ip.src + p.ip.receiver + struct.pack("!II", p.end - p.udp, 17) + p.frame[p.udp:p.end]
    octets += bytes(len(octets) % 2)
    total = sum(struct.unpack("!%dH" % (len(octets) // 2), octets))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total == 0xFFFF
