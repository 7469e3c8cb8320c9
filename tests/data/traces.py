# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Captures for questions about IOAM transit: data frames of congestion.py with traces in a Hop-by-Hop Options header."""

import struct

import cases
import congestion
from fcnoracle import ioam, walker

US = 1000
ROOM = 2     # elements that fit a trace


def trace_option(trace_type, namespace=123, used=1, slots=ROOM, flags=0, node_len=None, remaining=None, extra=0, kind=0):
    """A Hop-by-Hop header with a trace of so many slots, some used with a pattern. extra: words more than that."""
    words = ioam.node_words(trace_type)
    snapshot = 1 if trace_type & ioam.OPAQUE_SNAPSHOT else 0
    free = (slots - used) * (words + snapshot) + extra
    data = bytes(4 * free) + b"".join(bytes([0xA0 + i]) * (4 * words) + b"\0\0\0\x01" * snapshot for i in range(used))
    head = struct.pack("!HHI", namespace, (words if node_len is None else node_len) << 11 | flags << 7 |
                       (free if remaining is None else remaining), trace_type << 8)
    return bytes([ioam.OPTION_CHANGEABLE, 10 + len(data), 0, kind]) + head + data


def with_options(frame, options, before=b"\x01\x00"):
    """The frame with a Hop-by-Hop header of these octets, padded at the end."""
    body = before + options
    pad = -(len(body) + 2) % 8
    body += b"\0" if pad == 1 else b"\x01" + bytes([pad - 2]) + bytes(pad - 2) if pad else b""
    f = bytearray(frame[:54] + bytes([frame[20], (len(body) + 2) // 8 - 1]) + body + frame[54:])
    f[20] = walker.HOP_BY_HOP
    f[18:20] = struct.pack("!H", len(f) - 54)
    return cases.finish(bytes(f))


def bits(w6):
    """One packet for each bit of the trace type, then for sets of them; two elements fit, one is there."""
    types = [0x800000 >> bit for bit in range(23)] + [0xF00000, 0xFFF000, 0xFFFFFE, 0x0FF000, 0xB62001, 0xB62000]
    return [(10 * US * n, with_options(congestion.data(w6, n), trace_option(t, slots=ROOM if ioam.node_words(t) < 20 else 2)))
            for n, t in enumerate(types) if ioam.node_words(t) or t & ioam.OPAQUE_SNAPSHOT]


def odd(w6):
    """What a node must leave alone, or only set Overflow in; one right packet first and last."""
    t = 0xB62000
    found = [trace_option(t), trace_option(t, namespace=321), trace_option(t, namespace=0), trace_option(t, flags=8),
             trace_option(t, flags=4), trace_option(t, flags=3), trace_option(t, used=2), trace_option(t, used=1, extra=-1),
             trace_option(t, used=0, slots=1), trace_option(t, node_len=6), trace_option(t, node_len=0),
             trace_option(t, remaining=15), trace_option(t, remaining=127), trace_option(t, extra=1),
             trace_option(t, kind=1), trace_option(t, kind=3)[:4] + b"\0" * 8, trace_option(t)[:13],
             trace_option(0x800000, slots=61, used=60), trace_option(0x000002, used=0, slots=1, extra=3)]
    found = [o if o[1] == len(o) - 2 else o[:1] + bytes([len(o) - 2]) + o[2:] for o in found]
    out = [with_options(congestion.data(w6, n), o) for n, o in enumerate(found)]
    out += [with_options(congestion.data(w6, 50), trace_option(t), b""), with_options(congestion.data(w6, 51), trace_option(t), b"\x01\x01\0"),
            with_options(congestion.data(w6, 52), trace_option(t) + trace_option(0x800000)),
            with_options(congestion.data(w6, 53), b"\x1e\x02ab" + trace_option(t)), congestion.data(w6, 54), with_options(congestion.data(w6, 55), trace_option(t))]
    return [(10 * US * n, f) for n, f in enumerate(out)]


def ramp(w6):
    """Packets of the HPCC profile, transit delay and buffer occupancy with room for 6 nodes, 2 are there, faster than 100 Mbit/s: 200, each 20 us; classes 3 and 4."""
    return [(20 * US * n, with_options(congestion.data(w6, n, 3 + n % 2, flow=n % 4), trace_option(0xBE3000, slots=6, used=2)))
            for n in range(200)]
