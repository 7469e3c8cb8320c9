# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Packet trimming as doc/trim.md defines it: what is left of a frame that its queue had no room for."""

import struct

from . import sums, walker

UDP_AND_BTH = 8 + 12


def headers_end(p):
    """Where what the receiver needs ends: the BTH of RoCEv2, the IP headers of anything else."""
    last = p.ip
    at = last.offset + (40 + sum(x.length for x in last.extensions) if last.version == 6 else 20)
    return at + UDP_AND_BTH if p.is_roce else at


def can_be(p):
    """Whether a packet is one that is trimmed: IP whose headers could be read, and no fragment."""
    return p.outer is not None and bool(p.outer.end) and not p.ip.fragment


def length(p, size):
    """Octets of the frame that are left."""
    return min(len(p.frame), max(size, headers_end(p)))


def trimmed(p, size, dscp):
    """The frame that is left. dscp: None leaves it as it is."""
    f = bytearray(p.frame[:length(p, size)])
    for ip in p.layers:
        left = len(f) - ip.offset
        if ip.version == 6:
            f[ip.offset + 4:ip.offset + 6] = struct.pack("!H", min(ip.end - ip.offset, left) - 40)
        else:
            f[ip.offset + 2:ip.offset + 4] = struct.pack("!H", min(ip.end - ip.offset, left))
    outer = p.outer
    if dscp is not None:
        traffic_class = dscp << 2 | outer.ecn
        if outer.version == 6:
            word = struct.unpack_from("!I", f, outer.offset)[0] & ~(0xFF << 20) | traffic_class << 20
            struct.pack_into("!I", f, outer.offset, word)
        else:
            f[outer.offset + 1] = traffic_class
    for ip in p.layers:
        if ip.version == 4:
            f[ip.offset + 10:ip.offset + 12] = b"\0\0"
            f[ip.offset + 10:ip.offset + 12] = struct.pack("!H", sums.ipv4_checksum(f[ip.offset:ip.offset + 20]))
    return bytes(f)
