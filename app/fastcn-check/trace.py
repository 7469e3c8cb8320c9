# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""IOAM traces: as data packets carry them (RFC 9486), and as option 2 of a Fast CNP does."""

import struct

import packet

IOAM_OPTIONS = (0x31, 0x11)
PREALLOCATED, INCREMENTAL = 0, 1
LONGEST = 57  # words that fit option 2, whose length is one octet: 2 + 8 + 4 * 57 + 16 = 254

_ONE_WORD, _TWO_WORDS, _SNAPSHOT = 0xFF1FFC, 0x00E000, 0x000002


class Trace:
    """A trace option, without the two octets in front of it; .error says what is malformed."""

    def __init__(self, kind, data):
        self.kind, self.data, self.error = kind, bytes(data), ""
        self.node_words = self.remaining = self.type = 0
        if len(data) < 8:
            self.error = "the trace is cut off"
            return
        word, second = struct.unpack("!HI", data[2:8])
        self.node_words, self.remaining, self.type = word >> 11, word & 0x7F, second >> 8
        words = bin(self.type & _ONE_WORD).count("1") + 2 * bin(self.type & _TWO_WORDS).count("1")
        free = self.remaining if kind == PREALLOCATED else 0
        if len(data) % 4:
            self.error = "the node data is no multiple of 4 octets"
        elif self.node_words == 0 or self.node_words != words:
            self.error = "NodeLen is %d, and the fields of Trace-Type have %d words" % (self.node_words, words)
        elif free > self.words:
            self.error = "RemainingLen is %d, and there is room for %d words" % (self.remaining, self.words)
        elif not self.type & _SNAPSHOT and (self.words - free) % self.node_words:
            self.error = "%d words of node data are no multiple of NodeLen %d" % (self.words - free, self.node_words)

    @property
    def words(self):
        """Words of node data, with free ones."""
        return (len(self.data) - 8) // 4

    def states(self):
        """What identifies this trace, and the same one without the newest node, which may be the one that reports it.

        Flags are left out, as a node without room only sets one.
        """
        if self.error:
            return [(self.kind, self.data)]
        at = 8 + (4 * self.remaining if self.kind == PREALLOCATED else 0)
        newest = 4 * self.node_words
        if self.type & _SNAPSHOT and at + newest < len(self.data):
            newest += 4 + 4 * self.data[at + newest]
        places = [at] if at + newest > len(self.data) else [at, at + newest]
        return [(self.kind, self.data[:2], self.data[4:7], len(self.data) if self.kind == PREALLOCATED else 0, self.data[place:])
                for place in places]


def of_data(p):
    """The first trace of a data packet, None without one."""
    for o in p.options(packet.HOP_BY_HOP):
        if o.kind in IOAM_OPTIONS and len(o.data) >= 2 and o.data[1] in (PREALLOCATED, INCREMENTAL):
            return Trace(o.data[1], o.data[2:])
    return None
