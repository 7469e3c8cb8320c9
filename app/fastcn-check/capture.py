# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Capture files: pcap of both precisions and byte orders, and pcapng, also compressed by gzip. Times in nanoseconds.

A frame check sequence that the file says is there is left out: it is no part of the packet."""

import gzip
import struct

ETHERNET, RAW, RAW_OLD, LINUX_SLL, RAW_IPV4, RAW_IPV6, LINUX_SLL2 = 1, 101, 12, 113, 228, 229, 276
LINK_TYPES = (ETHERNET, RAW, RAW_OLD, LINUX_SLL, RAW_IPV4, RAW_IPV6, LINUX_SLL2)

_PCAP = {
    b"\xd4\xc3\xb2\xa1": ("<", 1000), b"\xa1\xb2\xc3\xd4": (">", 1000),
    b"\x4d\x3c\xb2\xa1": ("<", 1), b"\xa1\xb2\x3c\x4d": (">", 1),
}
_SECTION, _INTERFACE, _SIMPLE, _ENHANCED = 0x0A0D0D0A, 1, 3, 6
_TSRESOL, _FCSLEN, _TSOFFSET = 9, 13, 14
_FLAGS = 2  # of a packet


class CaptureError(Exception):
    """The file is no capture, or is damaged."""


class Record:
    """One packet of a capture."""

    __slots__ = ("number", "time", "data", "length", "link")

    def __init__(self, number, time, data, length, link):
        self.number = number  # from 1, as Wireshark counts
        self.time = time      # ns since 1970, None if the file has no time of it
        self.data = data
        self.length = length  # on the wire
        self.link = link


def read(path):
    """Yield the records of a file. Raises CaptureError, and OSError."""
    with open(path, "rb") as file:
        blob = file.read()
    if blob[:2] == b"\x1f\x8b":
        try:
            blob = gzip.decompress(blob)
        except (OSError, EOFError) as e:
            raise CaptureError("%s: %s" % (path, e))
    if blob[:4] in _PCAP:
        records = _pcap(path, blob)
    elif blob[:4] == b"\x0a\x0d\x0d\x0a":
        records = _pcapng(path, blob)
    else:
        raise CaptureError("%s: neither pcap nor pcapng" % path)
    for record in records:
        if record.link not in LINK_TYPES:
            raise CaptureError("%s: frame %d has link type %d, which is not supported" % (path, record.number, record.link))
        yield record


def _pcap(path, blob):
    order, unit = _PCAP[blob[:4]]
    if len(blob) < 24:
        raise CaptureError("%s: the file header is cut off" % path)
    word = struct.unpack(order + "I", blob[20:24])[0]
    link, fcs = word & 0xFFFF, 2 * (word >> 28) if word & 0x04000000 else 0  # in units of 16 bits
    at, number = 24, 0
    while at < len(blob):
        number += 1
        if len(blob) - at < 16:
            raise CaptureError("%s: the header of frame %d is cut off" % (path, number))
        seconds, part, captured, length = struct.unpack(order + "IIII", blob[at:at + 16])
        at += 16
        if len(blob) - at < captured:
            raise CaptureError("%s: frame %d is cut off" % (path, number))
        yield Record(number, seconds * 10**9 + part * unit, *_without(fcs, blob[at:at + captured], length), link)
        at += captured


def _without(fcs, data, length):
    """What was captured of a frame, and its length, without its FCS."""
    length = max(length - fcs, 0)
    return data[:length], length


def _options(order, body, at):
    """The options of a block: code -> value."""
    found = {}
    while at + 4 <= len(body):
        code, size = struct.unpack(order + "HH", body[at:at + 4])
        if code == 0:
            break
        found.setdefault(code, body[at + 4:at + 4 + size])
        at += 4 + (size + 3 & ~3)
    return found


def _interface(order, body):
    """Link type, ticks a second, offset in seconds and octets of the FCS of an interface."""
    ticks, offset, fcs, options = 10**6, 0, 0, _options(order, body, 8)
    value = options.get(_TSRESOL, b"")
    if len(value) == 1:
        ticks = 2**(value[0] & 0x7F) if value[0] & 0x80 else 10**value[0]
    value = options.get(_TSOFFSET, b"")
    if len(value) == 8:
        offset = struct.unpack(order + "q", value)[0]
    value = options.get(_FCSLEN, b"")
    if len(value) == 1:  # bits, says the standard, but its example and Wireshark mean octets
        fcs = value[0] // 8 if value[0] >= 8 else value[0]
    return struct.unpack(order + "H", body[:2])[0], ticks, offset, fcs


def _pcapng(path, blob):
    order, interfaces, at, number = "<", [], 0, 0
    while at < len(blob):
        if len(blob) - at < 12:
            raise CaptureError("%s: a block is cut off at octet %d" % (path, at))
        kind = struct.unpack(order + "I", blob[at:at + 4])[0]
        if kind == _SECTION:
            order = "<" if blob[at + 8:at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            interfaces = []
        size = struct.unpack(order + "I", blob[at + 4:at + 8])[0]
        if size < 12 or size % 4 or len(blob) - at < size:
            raise CaptureError("%s: a block is damaged at octet %d" % (path, at))
        body = blob[at + 8:at + size - 4]
        at += size
        if kind == _INTERFACE and len(body) >= 8:
            interfaces.append(_interface(order, body))
        elif kind == _ENHANCED and len(body) >= 20:
            number += 1
            interface, high, low, captured, length = struct.unpack(order + "IIIII", body[:20])
            if interface >= len(interfaces) or 20 + captured > len(body):
                raise CaptureError("%s: frame %d is damaged" % (path, number))
            link, ticks, offset, fcs = interfaces[interface]
            time = (high << 32 | low) * 10**9 // ticks + offset * 10**9
            flags = _options(order, body, 20 + (captured + 3 & ~3)).get(_FLAGS, b"")
            if len(flags) == 4:
                fcs = struct.unpack(order + "I", flags)[0] >> 5 & 0xF or fcs
            yield Record(number, time, *_without(fcs, body[20:20 + captured], length), link)
        elif kind == _SIMPLE and len(body) >= 4 and interfaces:
            number += 1
            length = struct.unpack(order + "I", body[:4])[0]
            yield Record(number, None, *_without(interfaces[0][3], body[4:4 + length], length), interfaces[0][0])
