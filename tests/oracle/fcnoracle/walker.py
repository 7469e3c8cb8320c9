# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Header walker: Ethernet, VLAN, IPv4, IPv6 with extension headers, tunnels, UDP, BTH.

walk() never raises: what is wrong with a frame is told in Packet.error, and what was read
before the fault stands in the other fields.
"""

import struct
from dataclasses import dataclass, field
from ipaddress import ip_address

HOP_BY_HOP, IPV4, UDP, IPV6, ROUTING, FRAGMENT, DEST_OPTIONS = 0, 4, 17, 41, 43, 44, 60
ROCE_PORT = 4791
ACK, ATOMIC_ACK, CNP = 0x11, 0x12, 0x81
NOT_ECT, ECT1, ECT0, CE = 0, 1, 2, 3
VLAN_TYPES = (0x8100, 0x88A8, 0x9100)
MAX_IP, MAX_EXT, MAX_HEADERS = 2, 8, 512    # octets of headers, from the start of the frame


class Fault(Exception):
    """What is wrong with a frame."""


@dataclass
class Option:
    type: int
    offset: int  # from the start of its extension header
    data: bytes


@dataclass
class Extension:
    type: int
    offset: int  # from the start of the frame
    length: int
    options: list = field(default_factory=list)  # padding included
    segments_left: int = 0
    final: bytes = b""  # last segment of a segment routing header


@dataclass
class Ip:
    offset: int
    version: int
    end: int = 0
    src: bytes = b""
    dst: bytes = b""
    traffic_class: int = 0
    flow_label: int = 0
    hop_limit: int = 0
    fragment: bool = False
    next: int = -1  # protocol after all extension headers
    extensions: list = field(default_factory=list)

    @property
    def dscp(self):
        return self.traffic_class >> 2

    @property
    def ecn(self):
        return self.traffic_class & 3

    @property
    def receiver(self):
        """Where the packet ends up, routing header considered."""
        for x in self.extensions:
            if x.type == ROUTING and x.segments_left and x.final:
                return x.final
        return self.dst


@dataclass
class Bth:
    offset: int
    opcode: int
    flags: int   # octet 1
    pkey: int
    congestion: int  # octet 4: FECN, BECN, reserved
    qp: int
    ack: int     # octet 8
    psn: int


@dataclass
class Packet:
    frame: bytes
    dmac: bytes = b""
    smac: bytes = b""
    vlans: list = field(default_factory=list)
    ethertype: int = 0
    l3: int = 0
    layers: list = field(default_factory=list)
    end: int = 0        # of the IP packet in the frame; Ethernet padding follows
    udp: int = 0        # offset, 0 when there is none
    sport: int = 0
    dport: int = 0
    bth: Bth = None
    cut: bool = False   # what another switch has left of a RoCEv2 packet: its payload and ICRC are gone
    error: str = ""

    @property
    def outer(self):
        return self.layers[0] if self.layers else None

    @property
    def ip(self):
        """The innermost IP header."""
        return self.layers[-1] if self.layers else None

    @property
    def is_roce(self):
        return self.bth is not None and not self.error and not self.cut

    def options(self, extension_type):
        """Options of the innermost header's extension headers of a type, padding left out."""
        return [o for x in (self.ip.extensions if self.ip else []) if x.type == extension_type
                for o in x.options if o.type > 1]

    def describe(self):
        """One line for a person."""
        parts = ["%d bytes" % len(self.frame), "%s > %s" % (mac_text(self.smac), mac_text(self.dmac))]
        parts += ["vlan %d" % (tag & 0xFFF) for tag in self.vlans]
        for ip in self.layers:
            parts.append("%s > %s dscp %d ecn %d hop limit %d" % (
                ip_text(ip.src), ip_text(ip.dst), ip.dscp, ip.ecn, ip.hop_limit))
            for x in ip.extensions:
                parts.append("ext %d[%s]" % (x.type, " ".join("%02x:%d" % (o.type, len(o.data))
                                                                for o in x.options)))
        if not self.layers:
            parts.append("type %04x" % self.ethertype)
        if self.udp:
            parts.append("udp %d > %d" % (self.sport, self.dport))
        if self.bth:
            parts.append("op %02x qp %06x psn %06x pkey %04x becn %d" % (
                self.bth.opcode, self.bth.qp, self.bth.psn, self.bth.pkey, self.bth.congestion >> 6 & 1))
        if self.cut:
            parts.append("trimmed before")
        if self.error:
            parts.append("(%s)" % self.error)
        return ", ".join(parts)


def mac_text(mac):
    return ":".join("%02x" % b for b in mac) or "-"


def ip_text(address):
    try:
        return str(ip_address(bytes(address)))
    except ValueError:
        return "-"


def _u16(frame, at):
    return frame[at] << 8 | frame[at + 1]


def walk(frame):
    """Read a frame from Ethernet to BTH."""
    p = Packet(bytes(frame))
    try:
        _walk(p)
    except Fault as e:
        p.error = str(e)
    return p


def _walk(p):
    f = p.frame
    if len(f) < 14:
        raise Fault("Ethernet header cut short")
    p.dmac, p.smac, p.ethertype = f[:6], f[6:12], _u16(f, 12)
    at = 14
    while p.ethertype in VLAN_TYPES:
        if len(f) < at + 4:
            raise Fault("VLAN tag cut short")
        p.vlans.append(_u16(f, at))
        p.ethertype = _u16(f, at + 2)
        at += 4
    p.l3 = at
    kind = {0x0800: IPV4, 0x86DD: IPV6}.get(p.ethertype)
    end = len(f)
    while kind is not None:
        if len(p.layers) == MAX_IP:
            raise Fault("too many IP headers")
        first = not p.layers
        ip = Ip(at, 4 if kind == IPV4 else 6)
        p.layers.append(ip)
        at = (_ipv4 if kind == IPV4 else _ipv6)(f, ip, end)
        # Only Ethernet pads behind a packet.
        if not first and ip.end != end:
            raise Fault("inner IP length")
        p.end = end = ip.end
        if ip.fragment:
            return
        if ip.version == 6:
            at = _extensions(f, ip, at, end)
        kind = ip.next if ip.next in (IPV4, IPV6) else None
    if p.layers and p.ip.next == UDP:
        _udp(p, at, end)


def _ipv4(f, ip, end):
    at = ip.offset
    if end - at < 20 or f[at] != 0x45:
        raise Fault("IPv4 header")
    ip.src, ip.dst = f[at + 12:at + 16], f[at + 16:at + 20]
    ip.traffic_class, ip.hop_limit, ip.next = f[at + 1], f[at + 8], f[at + 9]
    ip.fragment = bool(_u16(f, at + 6) & 0x3FFF)
    length = _u16(f, at + 2)
    if length < 20 or length > end - at:
        raise Fault("IPv4 length")
    ip.end = at + length
    return at + 20


def _ipv6(f, ip, end):
    at = ip.offset
    if end - at < 40 or f[at] >> 4 != 6:
        raise Fault("IPv6 header")
    word, length, ip.next, ip.hop_limit = struct.unpack("!IHBB", f[at:at + 8])
    ip.traffic_class, ip.flow_label = word >> 20 & 0xFF, word & 0xFFFFF
    ip.src, ip.dst = f[at + 8:at + 24], f[at + 24:at + 40]
    if length > end - at - 40:
        raise Fault("IPv6 length")
    ip.end = at + 40 + length
    return at + 40


def _extensions(f, ip, at, end):
    while ip.next in (HOP_BY_HOP, ROUTING, DEST_OPTIONS, FRAGMENT):
        if ip.next == FRAGMENT:
            ip.fragment = True
            return at
        if len(ip.extensions) == MAX_EXT:
            raise Fault("too many extension headers")
        if ip.next == HOP_BY_HOP and ip.extensions:
            raise Fault("Hop-by-Hop Options not first")
        if end - at < 8:
            raise Fault("extension header cut short")
        x = Extension(ip.next, at, (f[at + 1] + 1) * 8)
        if x.length > end - at:
            raise Fault("extension header overruns packet")
        if at + x.length > MAX_HEADERS:
            raise Fault("too many octets of headers")
        ip.extensions.append(x)
        if x.type == ROUTING:
            _routing(f, x)
        else:
            _options(f, x)
        ip.next = f[at]
        at += x.length
    return at


def _routing(f, x):
    x.segments_left = f[x.offset + 3]
    if f[x.offset + 2] != 4:
        return
    size, last = f[x.offset + 1], f[x.offset + 4]
    if size % 2:
        raise Fault("SRH length")
    if last > size // 2 - 1:
        raise Fault("SRH Last Entry")
    if x.segments_left > last + 1:
        raise Fault("SRH Segments Left")
    x.final = f[x.offset + 8:x.offset + 24]


def _options(f, x):
    at, end = x.offset + 2, x.offset + x.length
    while at < end:
        if f[at] == 0:
            x.options.append(Option(0, at - x.offset, b""))
            at += 1
            continue
        if at + 2 > end or at + 2 + f[at + 1] > end:
            raise Fault("option overruns header")
        data = f[at + 2:at + 2 + f[at + 1]]
        x.options.append(Option(f[at], at - x.offset, data))
        at += 2 + len(data)


def _udp(p, at, end):
    f = p.frame
    if end - at < 8:
        raise Fault("UDP header cut short")
    p.udp, p.sport, p.dport = at, _u16(f, at), _u16(f, at + 2)
    length = _u16(f, at + 4)
    longer = p.dport == ROCE_PORT and length > end - at >= 8 + 12 and length >= 8 + 12 + 4 and f[at + 8] != CNP and not f[at + 9] & 15
    if length != end - at and not longer:
        raise Fault("UDP length")
    if p.dport != ROCE_PORT:
        return
    if end - at < 8 + 12 + 4 and not longer:
        raise Fault("BTH cut short")
    p.cut = longer
    opcode, flags, pkey, qp, psn = struct.unpack("!BBHII", f[at + 8:at + 20])
    p.bth = Bth(at + 8, opcode, flags, pkey, qp >> 24, qp & 0xFFFFFF, psn >> 24, psn & 0xFFFFFF)
    if flags & 15:
        raise Fault("BTH version")
    if opcode == CNP and end - at != 40:
        raise Fault("CNP length")


def may_trigger(p):
    """Whether a data packet may be answered with a Fast CNP at all."""
    if not p.is_roce or any(ip.fragment for ip in p.layers) or p.ip.version != 6:
        return False
    if p.bth.opcode in (ACK, ATOMIC_ACK, CNP):
        return False
    return p.ip.src[0] != 0xFF and any(p.ip.src)
