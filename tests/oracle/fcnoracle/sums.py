# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The sums: RoCEv2 invariant CRC in its three conventions, the Internet checksum, UDP over IP."""

import struct

SKIP, COVER, NORM = "skip", "cover", "norm"
CONVENTIONS = (SKIP, COVER, NORM)


def _table():
    out = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0xEDB88320 if n & 1 else 0)
        out.append(n)
    return out


_CRC = _table()


def crc32(register, data):
    """Reflected CRC-32 of Ethernet, without the final complement."""
    for byte in data:
        register = register >> 8 ^ _CRC[(register ^ byte) & 0xFF]
    return register


# Eight octets of ones stand for the InfiniBand local route header.
ICRC_SEED = crc32(0xFFFFFFFF, b"\xff" * 8)


def icrc(frame, ip, udp, end, convention=SKIP):
    """The four ICRC octets, in wire order, of the packet at ip whose last octet is before end.

    frame[end - 4:end] is where they belong and is not read.
    """
    if frame[ip] >> 4 == 4:
        head = bytearray(frame[ip:ip + 20])
        for masked in (1, 8, 10, 11):
            head[masked] = 0xFF
    else:
        head = bytearray(frame[ip:ip + 40])
        if convention == NORM:
            head[4:6] = frame[udp + 4:udp + 6]
            head[6] = 17
        head[0] |= 0x0F
        head[1:4] = b"\xff\xff\xff"
        head[7] = 0xFF
        if convention == COVER:
            head += frame[ip + 40:udp]
    rest = bytearray(frame[udp:end - 4])
    rest[6:8] = b"\xff\xff"
    rest[12] = 0xFF
    register = crc32(crc32(ICRC_SEED, head), rest)
    return struct.pack("<I", register ^ 0xFFFFFFFF)


def ones_sum(data):
    """16-bit ones' complement sum, not complemented."""
    data = bytes(data)
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total


def ipv4_checksum(header):
    """Checksum for a 20-octet IPv4 header, whatever stands in its checksum field."""
    return ones_sum(bytes(header[:10]) + bytes(header[12:20])) ^ 0xFFFF


def udp_checksum(frame, ip, udp, end, destination=None):
    """Checksum for the UDP datagram, never 0; destination: final address under a routing header."""
    if frame[ip] >> 4 == 4:
        pseudo = bytes(frame[ip + 12:ip + 20]) + struct.pack("!HH", 17, end - udp)
    else:
        pseudo = bytes(frame[ip + 8:ip + 24]) + (destination or bytes(frame[ip + 24:ip + 40]))
        pseudo += struct.pack("!II", end - udp, 17)
    body = bytes(frame[udp:udp + 6]) + b"\0\0" + bytes(frame[udp + 8:end])
    return (ones_sum(pseudo + body) ^ 0xFFFF) or 0xFFFF
