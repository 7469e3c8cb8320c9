# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Capture files: pcap of both precisions and byte orders, pcapng; times in integer nanoseconds."""

import struct
from dataclasses import dataclass, field

ETHERNET = 1
RAW_IP = 101

_PCAP_MAGICS = {
    b"\xd4\xc3\xb2\xa1": ("<", 1000),
    b"\xa1\xb2\xc3\xd4": (">", 1000),
    b"\x4d\x3c\xb2\xa1": ("<", 1),
    b"\xa1\xb2\x3c\x4d": (">", 1),
}
_NG_SECTION, _NG_INTERFACE, _NG_ENHANCED = 0x0A0D0D0A, 1, 6


class CaptureError(Exception):
    """The file is not a capture, or breaks off."""


@dataclass(frozen=True)
class Record:
    time: int    # ns since 1970
    data: bytes  # what was captured
    length: int  # what was on the wire

    @classmethod
    def of(cls, time, data):
        return cls(time, bytes(data), len(data))


@dataclass
class Capture:
    path: str
    linktype: int
    nano: bool
    records: list = field(default_factory=list)
    error: str = ""  # why reading stopped early, when it did


def load(path, partial=False):
    """Read a whole capture. With partial, a broken tail is told in .error instead of raised."""
    with open(path, "rb") as f:
        blob = f.read()
    if blob[:4] in _PCAP_MAGICS:
        cap = _load_pcap(path, blob)
    elif blob[:4] == b"\x0a\x0d\x0d\x0a":
        cap = _load_pcapng(path, blob)
    else:
        raise CaptureError("%s: not a capture file" % path)
    if cap.error and not partial:
        raise CaptureError("%s: after %d packets: %s" % (path, len(cap.records), cap.error))
    return cap


def _load_pcap(path, blob):
    order, unit = _PCAP_MAGICS[blob[:4]]
    if len(blob) < 24:
        raise CaptureError("%s: file header cut short" % path)
    major, linktype = struct.unpack(order + "H14xI", blob[4:24])
    if major != 2:
        raise CaptureError("%s: pcap version %d" % (path, major))
    cap = Capture(path, linktype & 0xFFFF, unit == 1)
    at = 24
    while at < len(blob):
        if len(blob) - at < 16:
            cap.error = "record header cut short"
            break
        seconds, part, caplen, length = struct.unpack(order + "IIII", blob[at:at + 16])
        if len(blob) - at - 16 < caplen:
            cap.error = "record cut short"
            break
        data = blob[at + 16:at + 16 + caplen]
        cap.records.append(Record(seconds * 10**9 + part * unit, data, length))
        at += 16 + caplen
    return cap


def _ng_options(order, body):
    """Yield (code, value) of a pcapng option list."""
    at = 0
    while at + 4 <= len(body):
        code, size = struct.unpack(order + "HH", body[at:at + 4])
        if code == 0:
            return
        yield code, body[at + 4:at + 4 + size]
        at += 4 + (size + 3 & ~3)


def _load_pcapng(path, blob):
    cap = Capture(path, ETHERNET, True)
    interfaces, order, at, linktypes = [], "<", 0, set()
    while at < len(blob):
        if len(blob) - at < 12:
            cap.error = "block header cut short"
            break
        kind = struct.unpack(order + "I", blob[at:at + 4])[0]
        if kind == _NG_SECTION:
            order = "<" if blob[at + 8:at + 12] == b"\x4d\x3c\x2b\x1a" else ">"
            interfaces = []
        size = struct.unpack(order + "I", blob[at + 4:at + 8])[0]
        if size < 12 or size % 4 or len(blob) - at < size:
            cap.error = "block cut short"
            break
        body = blob[at + 8:at + size - 4]
        if kind == _NG_INTERFACE:
            link = struct.unpack(order + "H", body[:2])[0]
            linktypes.add(link)
            resolution, offset = 6, 0
            for code, value in _ng_options(order, body[8:]):
                if code == 9:
                    resolution = value[0]
                elif code == 14:
                    offset = struct.unpack(order + "q", value)[0]
            ticks = 2**(resolution & 0x7F) if resolution & 0x80 else 10**resolution
            interfaces.append((ticks, offset))
        elif kind == _NG_ENHANCED:
            number, high, low, caplen, length = struct.unpack(order + "IIIII", body[:20])
            if number >= len(interfaces) or 20 + caplen > len(body):
                cap.error = "packet block damaged"
                break
            ticks, offset = interfaces[number]
            time = (high << 32 | low) * 10**9 // ticks + offset * 10**9
            cap.records.append(Record(time, body[20:20 + caplen], length))
        at += size
    if linktypes:
        cap.linktype = min(linktypes)
    if len(linktypes) > 1:
        cap.error = cap.error or "several link types"
    return cap


def save(path, records, nano=False, linktype=ETHERNET, snaplen=262144):
    """Write a little-endian pcap. records: Record, or (time ns, bytes)."""
    unit = 1 if nano else 1000
    with open(path, "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xA1B23C4D if nano else 0xA1B2C3D4, 2, 4, 0, 0, snaplen, linktype))
        for r in records:
            if not isinstance(r, Record):
                r = Record.of(*r)
            f.write(struct.pack("<IIII", r.time // 10**9, r.time % 10**9 // unit, len(r.data), r.length))
            f.write(r.data)


def save_pcapng(path, records, linktype=ETHERNET, snaplen=262144):
    """Write a little-endian pcapng with nanosecond stamps."""
    def block(kind, body):
        body += b"\0" * (-len(body) % 4)
        return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)
    with open(path, "wb") as f:
        f.write(block(_NG_SECTION, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)))
        f.write(block(_NG_INTERFACE, struct.pack("<HHI", linktype, 0, snaplen) +
                      struct.pack("<HHB3xHH", 9, 1, 9, 0, 0)))
        for r in records:
            f.write(block(_NG_ENHANCED, struct.pack("<IIIII", 0, r.time >> 32, r.time & 0xFFFFFFFF,
                                                    len(r.data), r.length) + r.data))


def merge(paths):
    """Records of several captures by time; equal times keep the order of the files.

    Returns a list of (record, file number).
    """
    out = []
    for number, path in enumerate(paths):
        newest = 0
        for r in load(path).records:
            # A stamp before its predecessor's happens at that one's time.
            newest = max(newest, r.time)
            out.append((Record(newest, r.data, r.length), number))
    out.sort(key=lambda item: item[0].time)
    return out
