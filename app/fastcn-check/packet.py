# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Headers of a packet, from the link layer to the Base Transport Header of InfiniBand.

parse() never raises. It goes on behind what is wrong as far as it can, so that a malformed notice is still recognised as one.
"""

import ipaddress
import struct

import capture

HOP_BY_HOP, IPV4, UDP, IPV6, ROUTING, FRAGMENT, DESTINATION = 0, 4, 17, 41, 43, 44, 60
ROCE_PORT = 4791
ACK, ATOMIC_ACK, CNP = 0x11, 0x12, 0x81
ECT1, ECT0, CE = 1, 2, 3
_TAGS = (0x8100, 0x88A8, 0x9100)
_HEADERS, _TUNNELS = 8, 2


class Option:
    """An option of an extension header; offset from the beginning of that."""

    def __init__(self, kind, offset, data, whole=True):
        self.kind, self.offset, self.data, self.whole = kind, offset, data, whole

    @property
    def padding(self):
        return self.kind <= 1


class Extension:
    """An IPv6 extension header; offset from the beginning of the frame."""

    def __init__(self, kind, offset, length):
        self.kind, self.offset, self.length = kind, offset, length
        self.options, self.final = [], None


class Ip:
    """An IP header."""

    def __init__(self, version, offset):
        self.version, self.offset = version, offset
        self.src = self.dst = b""
        self.traffic_class = self.hop_limit = self.flow_label = 0
        self.next, self.end, self.fragment, self.extensions = -1, offset, False, []

    @property
    def ecn(self):
        return self.traffic_class & 3

    @property
    def receiver(self):
        """Where the packet ends up, with a routing header the last segment."""
        finals = [x.final for x in self.extensions if x.final]
        return finals[0] if finals else self.dst


class Bth:
    """Base Transport Header."""

    def __init__(self, octets):
        self.opcode, self.flags, self.pkey, word, self.psn_word = struct.unpack("!BBHII", octets)
        self.congestion, self.qp = word >> 24, word & 0xFFFFFF


class Packet:
    """What was read of a frame; .error says what is wrong with its headers."""

    def __init__(self, frame):
        self.frame, self.layers, self.error = frame, [], ""
        self.udp = self.sport = self.dport = self.udp_length = self.end = 0
        self.bth = None
        self.cut = False    # the capture lacks the end of the frame
        self.short = False  # and that end is part of the packet

    @property
    def ip(self):
        """The innermost IP header."""
        return self.layers[-1] if self.layers else None

    @property
    def payload(self):
        """Octets behind UDP's header."""
        return self.frame[self.udp + 8:self.end]

    def options(self, kind):
        """Options of the innermost packet's extension headers of a kind, without padding."""
        return [o for x in (self.ip.extensions if self.ip else []) if x.kind == kind for o in x.options if not o.padding]


class _Wrong(Exception):
    """The walk ends here."""


def text(address):
    """An address for people."""
    return str(ipaddress.ip_address(bytes(address))) if len(address) in (4, 16) else "?"


def parse(record):
    """Read a record of a capture."""
    p = Packet(bytes(record.data))
    p.cut = record.length > len(record.data)
    try:
        at, kind = _link(p.frame, record.link)
        _walk(p, at, kind)
    except _Wrong as e:
        p.error = str(e)
    return p


def parse_quoted(octets):
    """Read an IP packet that a message quotes, of which the end may be missing."""
    p = Packet(bytes(octets))
    p.cut = True
    if octets:
        try:
            _walk(p, 0, {4: IPV4, 6: IPV6}.get(octets[0] >> 4))
        except _Wrong as e:
            p.error = str(e)
    return p


def _u16(octets, at):
    return octets[at] << 8 | octets[at + 1]


def _link(frame, link):
    """Offset of the network layer, and what it is (IPV4, IPV6 or None)."""
    if link == capture.ETHERNET:
        at = 12
    elif link == capture.LINUX_SLL:
        at = 14
    elif link == capture.LINUX_SLL2:
        return 20, {0x0800: IPV4, 0x86DD: IPV6}.get(_u16(frame, 0)) if len(frame) >= 20 else None
    else:
        return 0, {4: IPV4, 6: IPV6}.get(frame[0] >> 4) if frame else None
    while len(frame) >= at + 6 and _u16(frame, at) in _TAGS:
        at += 4
    if len(frame) < at + 2:
        return 0, None
    return at + 2, {0x0800: IPV4, 0x86DD: IPV6}.get(_u16(frame, at))


def _walk(p, at, kind):
    end = len(p.frame)
    while kind is not None:
        if len(p.layers) == _TUNNELS:
            raise _Wrong("more than two IP headers")
        ip = Ip(4 if kind == IPV4 else 6, at)
        p.layers.append(ip)
        at = (_ipv4 if kind == IPV4 else _ipv6)(p, ip, end)
        p.end = end = ip.end
        if ip.version == 6:
            at = _extensions(p, ip, at, end)
        if ip.fragment:
            return
        kind = ip.next if ip.next in (IPV4, IPV6) else None
    if p.layers and p.ip.next == UDP:
        _udp(p, at, end)


def _limit(p, at, length, end):
    """End of a packet that says it has this length."""
    if at + length > end:
        if not p.cut:
            raise _Wrong("IP length past the end of the frame")
        p.short = True
        return end
    return at + length


def _ipv4(p, ip, end):
    f, at = p.frame, ip.offset
    if end - at < 20 or f[at] >> 4 != 4 or f[at] & 15 < 5:
        raise _Wrong("no IPv4 header")
    ip.src, ip.dst = f[at + 12:at + 16], f[at + 16:at + 20]
    ip.traffic_class, ip.hop_limit, ip.next = f[at + 1], f[at + 8], f[at + 9]
    ip.fragment = bool(_u16(f, at + 6) & 0x3FFF)
    ip.end = _limit(p, at, _u16(f, at + 2), end)
    return at + (f[at] & 15) * 4


def _ipv6(p, ip, end):
    f, at = p.frame, ip.offset
    if end - at < 40 or f[at] >> 4 != 6:
        raise _Wrong("no IPv6 header")
    word, length, ip.next, ip.hop_limit = struct.unpack("!IHBB", f[at:at + 8])
    ip.traffic_class, ip.flow_label = word >> 20 & 0xFF, word & 0xFFFFF
    ip.src, ip.dst = f[at + 8:at + 24], f[at + 24:at + 40]
    ip.end = _limit(p, at + 40, length, end)
    return at + 40


def _extensions(p, ip, at, end):
    f = p.frame
    while ip.next in (HOP_BY_HOP, ROUTING, DESTINATION, FRAGMENT):
        if ip.next == FRAGMENT:
            ip.fragment = True
            return at
        if len(ip.extensions) == _HEADERS:
            raise _Wrong("more than %d extension headers" % _HEADERS)
        if end - at < 8:
            raise _Wrong("extension header cut off")
        x = Extension(ip.next, at, min((f[at + 1] + 1) * 8, end - at))
        ip.extensions.append(x)
        if x.kind != ROUTING:
            _options(f, x)
        elif f[at + 2] == 4 and f[at + 3] and x.length >= 24:
            x.final = f[at + 8:at + 24]
        if (f[at + 1] + 1) * 8 > end - at:
            raise _Wrong("extension header runs past the packet")
        ip.next = f[at]
        at += x.length
    return at


def _options(f, x):
    at, end = x.offset + 2, x.offset + x.length
    while at < end:
        if f[at] == 0:
            x.options.append(Option(0, at - x.offset, b""))
            at += 1
            continue
        length = f[at + 1] if at + 1 < end else 0
        whole = at + 2 + length <= end and at + 1 < end
        x.options.append(Option(f[at], at - x.offset, f[at + 2:min(at + 2 + length, end)], whole))
        at += 2 + length


def _udp(p, at, end):
    if end - at < 8:
        raise _Wrong("UDP header cut off")
    p.udp = at
    p.sport, p.dport, p.udp_length = struct.unpack("!HHH", p.frame[at:at + 6])
    if end - at >= 20:
        p.bth = Bth(p.frame[at + 8:at + 20])


def is_roce(p):
    """Whether a packet is to RoCEv2's port and whole enough to be read."""
    return p.bth is not None and p.dport == ROCE_PORT and not p.error


def is_data(p):
    """Whether a packet is RoCEv2 whose sender can slow down: neither acknowledgement nor CNP."""
    return is_roce(p) and p.bth.opcode not in (ACK, ATOMIC_ACK, CNP)
