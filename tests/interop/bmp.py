# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Messages of BGP and of the BGP Monitoring Protocol, written from RFC 4271, RFC 4760, RFC 7854 and
draft-ietf-idr-nhc; shares no code with fastcn."""

import ipaddress
import struct

NHC, PNC = 39, 65500


def packed(address):
    return ipaddress.ip_address(address).packed


def attribute(flags, kind, value):
    if len(value) > 255:
        return struct.pack("!BBH", flags | 0x10, kind, len(value)) + value
    return struct.pack("!BBB", flags, kind, len(value)) + value


def nhc(afi, hop, code=PNC):
    return struct.pack("!HBB", afi, 1, len(packed(hop))) + packed(hop) + struct.pack("!HH", code, 0)


def prefix(text):
    network = ipaddress.ip_network(text)
    return bytes([network.prefixlen]) + network.network_address.packed[:(network.prefixlen + 7) // 8]


def message(kind, body):
    return b"\xff" * 16 + struct.pack("!HB", 19 + len(body), kind) + body


def update(prefixes, hop, pnc=True, flags=0xC0, path_id=None):
    """An UPDATE of prefixes of one family, with PNC or without, with a path identifier in front of each or without."""
    six = ":" in prefixes[0]
    encoded = b"".join((b"" if path_id is None else struct.pack("!I", path_id)) + prefix(p) for p in prefixes)
    attributes = attribute(0x40, 1, b"\0") + attribute(0x40, 2, b"") + attribute(0x40, 5, struct.pack("!I", 100))
    if six:
        attributes += attribute(0x80, 14, struct.pack("!HBB", 2, 1, 16) + packed(hop) + b"\0" + encoded)
    else:
        attributes += attribute(0x40, 3, packed(hop))
    if pnc:
        attributes += attribute(flags, NHC, nhc(2 if six else 1, hop))
    return message(2, struct.pack("!HH", 0, len(attributes)) + attributes + (b"" if six else encoded))


def withdraw(prefixes):
    encoded = b"".join(prefix(p) for p in prefixes)
    if ":" not in prefixes[0]:
        return message(2, struct.pack("!H", len(encoded)) + encoded + b"\0\0")
    attributes = attribute(0x80, 15, struct.pack("!HB", 2, 1) + encoded)
    return message(2, struct.pack("!HH", 0, len(attributes)) + attributes)


def bmp(kind, body):
    return struct.pack("!BIB", 3, 6 + len(body), kind) + body


def initiation(name):
    return bmp(4, struct.pack("!HH", 1, 4) + b"test" + struct.pack("!HH", 2, len(name)) + name.encode())


LOCAL = 3  # type of the peer: the router's own table (RFC 9069)


def peer(address, kind=0):
    """The per-peer header; its AS and its identifier do not matter."""
    four = ":" not in address
    return (struct.pack("!BB8x", kind, 0 if four else 0x80) + packed(address).rjust(16, b"\0")
            + struct.pack("!I", 65000) + packed("192.0.2.1") + bytes(8))


def peer_up(address, kind=0):
    capabilities = struct.pack("!BBHBB", 1, 4, 1, 0, 1) + struct.pack("!BBHBB", 1, 4, 2, 0, 1) + b"\x41\x04\0\0\xfd\xe8"
    option = struct.pack("!BB", 2, len(capabilities)) + capabilities
    opened = message(1, struct.pack("!BHH4sB", 4, 65000, 180, packed("192.0.2.1"), len(option)) + option)
    return bmp(3, peer(address, kind) + bytes(16) + struct.pack("!HH", 179, 179) + opened + opened)


def peer_down(address):
    return bmp(2, peer(address) + b"\x04")


def route(address, bgp, kind=0):
    return bmp(0, peer(address, kind) + bgp)
