# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Congestion Notification Messages to a proxy: which packets may cause one, whom it goes to, building and reading it.

The draft leaves the packing of the flow and its level open; it is that of doc/decisions.md.
"""

import struct
import zlib
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

from . import sums, walker

TCP = 6
WITH_PORTS = (TCP, walker.UDP)    # others have ports, too, but a switch reads these only
CONTROL = (1, 2, 58, 89)         # ICMP, IGMP, ICMPv6, OSPF: nobody would slow down
LIMITS = {4: 576, 6: 1280}       # octets of the whole IP packet
PORT_BASE, PORT_MASK = 0xC000, 0x3FFF
OPTION, PREFIX = "option", "prefix"
ORDERS = {"option": (OPTION,), "prefix": (PREFIX,), "option-prefix": (OPTION, PREFIX), "prefix-option": (PREFIX, OPTION)}


@dataclass(frozen=True)
class Profile:
    """What a switch is configured with."""
    port: int = 0                # UDP destination port; 0: no messages
    sources: tuple = ()          # addresses of the switch that messages may come from
    prefixes: tuple = ()         # (network of senders, packed address of their proxy)
    order: tuple = ORDERS["option-prefix"]
    option: int = 0x1E           # type of the option with the proxy's address
    allowed: tuple = (ip_network("::/0"),)   # networks of proxies that the option may name
    dscp: int = 48
    hop_limit: int = 64


@dataclass(frozen=True)
class Message:
    source: bytes
    destination: bytes
    sport: int
    level: int
    flow: tuple      # protocol, source port, destination port, source, destination
    quote: bytes


def transport(p):
    """Offset in the frame of what the innermost IP header carries."""
    ip = p.ip
    return ip.offset + (20 if ip.version == 4 else 40) + sum(x.length for x in ip.extensions)


def flow_of(p):
    """Five-tuple of a packet, by its innermost IP header. Ports are 0 where the protocol has none."""
    ip, at, ports = p.ip, transport(p), (0, 0)
    if ip.next in WITH_PORTS and p.end >= at + 4:
        ports = struct.unpack("!HH", p.frame[at:at + 4])
    return (ip.next, *ports, ip.src, ip.receiver)


def descriptor(flow, level):
    protocol, sport, dport, source, destination = flow
    version = 4 if len(source) == 4 else 6
    return struct.pack("!BBHHH", version << 4 | level << 1, protocol, 0, sport, dport) + source + destination


def source_port(described):
    """Entropy for paths of equal cost: 14 bits of the CRC-32 of the flow descriptor."""
    return PORT_BASE | zlib.crc32(described) & PORT_MASK


def usable(address):
    """Whether a message can go to an address at all."""
    a = ip_address(address)
    return not (a.is_multicast or a.is_unspecified or a.is_link_local)


def named(p, kind):
    """The address that a packet carries itself, None without one that a message could go to."""
    found = [o.data for o in p.options(walker.DEST_OPTIONS) if o.type == kind and len(o.data) == 16 and usable(o.data)]
    return found[0] if found else None


def option_of(p, profile):
    """The proxy that a packet names and may name, None without one."""
    address = named(p, profile.option)
    return address if address is not None and any(ip_address(address) in net for net in profile.allowed) else None


def prefix_of(p, prefixes):
    """The proxy of the longest prefix that the sender is in, None without one."""
    found = [(net.prefixlen, address) for net, address in prefixes
             if net.version == p.ip.version and ip_address(p.ip.src) in net]
    return max(found, key=lambda f: f[0])[1] if found else None


def proxy_of(p, profile):
    """Whom to tell about a packet, None if no proxy is known."""
    for where in profile.order:
        address = option_of(p, profile) if where == OPTION else prefix_of(p, profile.prefixes)
        if address is not None:
            return address
    return None


def undue(p, profile):
    """Why there is no message about a packet, whatever is known of proxies; None if there may be one."""
    if p.ip is None or p.error or any(ip.fragment for ip in p.layers):
        return "no_flow"
    if p.bth is not None and p.bth.opcode in (walker.ACK, walker.ATOMIC_ACK, walker.CNP):
        return "not_data"
    if p.udp and p.dport == profile.port or p.ip.next in CONTROL:
        return "not_data"        # a message never is about a message
    if p.ip.src[0] >= (0xFF if p.ip.version == 6 else 224) or not any(p.ip.src):
        return "source"
    return None


def quoted(p, version):
    """What a message over an IP version quotes of a packet, None when its headers do not fit."""
    room = LIMITS[version] - (20 if version == 4 else 40) - 8 - (16 if p.ip.version == 4 else 40)
    invoking = p.frame[p.ip.offset:p.end]
    need = transport(p) - p.ip.offset + (20 if p.bth is not None else 4 if p.ip.next in WITH_PORTS else 0)
    return invoking[:room] if need <= room else None


def build(profile, p, level, destination, source):
    """The IP packet that tells a proxy about a data packet (walker.Packet)."""
    version = 4 if len(destination) == 4 else 6
    described = descriptor(flow_of(p), level)
    udp = struct.pack("!HHHH", source_port(described), profile.port, 0, 0) + described + quoted(p, version)
    udp = udp[:4] + struct.pack("!H", len(udp)) + udp[6:]
    if version == 6:
        head = struct.pack("!IHBB", 6 << 28 | profile.dscp << 22, len(udp), walker.UDP, profile.hop_limit)
    else:
        head = struct.pack("!BBHHHBBH", 0x45, profile.dscp << 2, 20 + len(udp), 0, 0x4000, profile.hop_limit, walker.UDP, 0)
    packet = bytearray(head + source + destination + udp)
    at = len(packet) - len(udp)
    if version == 4:
        packet[10:12] = struct.pack("!H", sums.ipv4_checksum(packet[:20]))
    packet[at + 6:at + 8] = struct.pack("!H", sums.udp_checksum(packet, 0, at, len(packet)))
    return bytes(packet)


def with_level(packet, level):
    """A message with another level, and the source port and checksum that belong to that."""
    out, at = bytearray(packet), 40 if packet[0] >> 4 == 6 else 20
    out[at + 8] = out[at + 8] & 0xF1 | level << 1
    size = 16 if out[at + 8] >> 4 == 4 else 40
    out[at:at + 2] = struct.pack("!H", source_port(bytes(out[at + 8:at + 8 + size])))
    out[at + 6:at + 8] = struct.pack("!H", sums.udp_checksum(out, 0, at, len(out)))
    return bytes(out)


def marked(p):
    """A packet with CE in its outermost header, None where it cannot be marked."""
    if p.outer.ecn in (walker.NOT_ECT, walker.CE):
        return None
    f = bytearray(p.frame)
    if p.outer.version == 6:
        f[p.l3 + 1] |= 0x30
    else:
        f[p.l3 + 1] |= 3
        f[p.l3 + 10:p.l3 + 12] = struct.pack("!H", sums.ipv4_checksum(f[p.l3:p.l3 + 20]))
    return walker.walk(f)


def as_queued(p):
    """The forms that a data packet can have in the switch, as walker.Packet: bridged, and routed by one hop; both without and with
    a mark."""
    f, at = bytearray(p.frame), p.l3 + (7 if p.outer.version == 6 else 8)
    f[at] -= f[at] > 0
    if p.outer.version == 4:
        f[p.l3 + 10:p.l3 + 12] = struct.pack("!H", sums.ipv4_checksum(f[p.l3:p.l3 + 20]))
    forms = [p, walker.walk(f)]
    return forms + [m for m in map(marked, forms) if m is not None]


def read(packet, port):
    """Read a message from its IP header on as a proxy does. Raises walker.Fault."""
    p = walker.walk(bytes(12) + (b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\x00") + packet)
    if p.error or not p.udp or len(p.layers) != 1 or p.dport != port:
        raise walker.Fault(p.error or "not UDP to port %d" % port)
    checksum = p.frame[p.udp + 6:p.udp + 8]
    none = checksum == b"\0\0" and packet[0] >> 4 == 4  # RFC 768
    if not none and struct.pack("!H", sums.udp_checksum(p.frame, p.l3, p.udp, p.end)) != checksum:
        raise walker.Fault("UDP checksum")
    body = p.frame[p.udp + 8:p.end]
    version = body[0] >> 4 if body else 0
    size = {4: 4, 6: 16}.get(version)
    if size is None or len(body) < 8 + 2 * size:
        raise walker.Fault("flow descriptor")
    if body[0] & 1 or body[2:4] != b"\0\0":
        raise walker.Fault("reserved bits of the flow descriptor")
    sport, dport = struct.unpack("!HH", body[4:8])
    flow = (body[1], sport, dport, body[8:8 + size], body[8 + size:8 + 2 * size])
    return Message(p.ip.src, p.ip.dst, p.sport, body[0] >> 1 & 7, flow, body[8 + 2 * size:])


FIELDS6 = (("traffic class", 0, 2), ("flow label", 1, 4), ("payload length", 4, 6), ("next header", 6, 7), ("hop limit", 7, 8),
           ("source", 8, 24), ("destination", 24, 40))
FIELDS4 = (("version", 0, 1), ("type of service", 1, 2), ("total length", 2, 4), ("identification", 4, 6), ("flags", 6, 8),
           ("time to live", 8, 9), ("protocol", 9, 10), ("header checksum", 10, 12), ("source", 12, 16), ("destination", 16, 20))


def fields(packet):
    """Names and places of the fields of a message that build() made: (name, first, after last)."""
    out = list(FIELDS6 if packet[0] >> 4 == 6 else FIELDS4)
    at = 40 if packet[0] >> 4 == 6 else 20
    size = 4 if packet[at + 8] >> 4 == 4 else 16
    for name, length in (("UDP source port", 2), ("UDP destination port", 2), ("UDP length", 2), ("UDP checksum", 2),
                         ("version and level", 1), ("protocol", 1), ("reserved", 2), ("source port of the flow", 2),
                         ("destination port of the flow", 2), ("source of the flow", size), ("destination of the flow", size)):
        out.append((name, at, at + length))
        at += length
    return out + [("quote", at, len(packet))]
