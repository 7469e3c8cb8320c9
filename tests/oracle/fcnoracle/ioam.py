# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""IOAM trace options as they stand in a Hop-by-Hop Options header or in a Fast CNP (RFC 9197, RFC 9486)."""

import struct
from dataclasses import dataclass

OPTION_CHANGEABLE = 0x31  # RFC 9486: data may change en route
PREALLOCATED, INCREMENTAL = 0, 1

ONE_WORD_FIELDS = 0xFF1FFC
TWO_WORD_FIELDS = 0x00E000
OPAQUE_SNAPSHOT = 0x000002


def node_words(trace_type):
    """NodeLen that a trace type asks for."""
    return (trace_type & ONE_WORD_FIELDS).bit_count() + 2 * (trace_type & TWO_WORD_FIELDS).bit_count()


@dataclass
class Trace:
    kind: int       # PREALLOCATED or INCREMENTAL
    data: bytes     # trace option header and node data list, as on the wire
    error: str = ""
    namespace: int = 0
    node_len: int = 0
    flags: int = 0
    remaining: int = 0
    type: int = 0

    @property
    def words(self):
        """Words of the node data list, free space included."""
        return (len(self.data) - 8) // 4

    @property
    def hops(self):
        """Nodes that have written, None when snapshots of unknown length are among the data."""
        if self.error or self.type & OPAQUE_SNAPSHOT:
            return None
        used = self.words - (self.remaining if self.kind == PREALLOCATED else 0)
        return used // self.node_len

    def nodes(self):
        """Node data of each hop, newest first."""
        free = self.remaining if self.kind == PREALLOCATED else 0
        size = 4 * self.node_len
        at = 8 + 4 * free
        return [self.data[at + i * size:at + (i + 1) * size] for i in range(self.hops or 0)]


def read_trace(kind, data):
    """Read a trace; .error says why it is malformed."""
    t = Trace(kind, bytes(data))
    if len(data) < 8:
        t.error = "trace header cut short"
        return t
    t.namespace, bits, word = struct.unpack("!HHI", data[:8])
    t.node_len, t.flags, t.remaining, t.type = bits >> 11, bits >> 7 & 15, bits & 127, word >> 8
    if (len(data) - 8) % 4:
        t.error = "node data list not a multiple of 4"
    elif t.node_len == 0:
        t.error = "NodeLen 0"
    elif t.node_len != node_words(t.type):
        t.error = "NodeLen does not match the trace type"
    # RemainingLen of an incremental trace counts room outside the option.
    elif kind == PREALLOCATED and t.remaining > t.words:
        t.error = "RemainingLen larger than the option"
    elif not t.type & OPAQUE_SNAPSHOT:
        used = t.words - (t.remaining if kind == PREALLOCATED else 0)
        if used % t.node_len:
            t.error = "node data list is no multiple of NodeLen"
    return t


def from_option(option):
    """The trace a Hop-by-Hop option holds, None when it holds none. option: walker.Option."""
    if option.type != OPTION_CHANGEABLE or len(option.data) < 2:
        return None
    kind = option.data[1]
    if kind not in (PREALLOCATED, INCREMENTAL):
        return None
    t = read_trace(kind, option.data[2:])
    if not t.error and option.offset % 4:
        t.error = "option not at a multiple of 4"
    return t
