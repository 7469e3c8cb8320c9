# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Fast CNPs: reading them as a sender would, and building the one a data packet must cause."""

import struct
from dataclasses import dataclass
from ipaddress import ip_address

from . import ioam, sums, walker

LONGEST_TRACE = 57  # words: 2 + 8 + 4 * 57 + 16 = 254 still fits Opt Data Len


@dataclass(frozen=True)
class Profile:
    """What no specification fixes."""
    source: bytes              # the switch's loopback
    opt1: int = 0x9E
    opt2: int = 0x9F
    dscp: int = 48
    hop_limit: int = 64
    icrc: str = sums.SKIP
    trimmed: int = 0x9D        # type of the option about a packet that was lost
    entropy: bool = False      # notices have the flow label of the packet


def add_arguments(parser):
    """Command line options that tell the profile of a run."""
    number = lambda s: int(s, 0)
    parser.add_argument("--source", required=True, metavar="LOOPBACK", help="of the switch")
    parser.add_argument("--icrc", choices=sums.CONVENTIONS, default=sums.SKIP)
    parser.add_argument("--opt1", type=number, default=0x9E, help="option type (default 0x9e)")
    parser.add_argument("--opt2", type=number, default=0x9F, help="option type (default 0x9f)")
    parser.add_argument("--dscp", type=number, default=48)
    parser.add_argument("--hop-limit", type=number, default=64)


def profile_of(args):
    return Profile(ip_address(args.source).packed, args.opt1, args.opt2, args.dscp, args.hop_limit, args.icrc)


@dataclass(frozen=True)
class FastCnp:
    option: int      # 1 or 2
    sender: bytes    # whom it is for
    receiver: bytes  # the address in the option
    sport: int
    pkey: int
    qp: int
    trace: ioam.Trace = None


def read(p, profile):
    """Read a Fast CNP, any placement and padding of the option. Raises walker.Fault."""
    if p.error:
        raise walker.Fault(p.error)
    if p.bth is None or p.bth.opcode != walker.CNP or p.ip.version != 6:
        raise walker.Fault("not a CNP over IPv6")
    headers = [x for x in p.ip.extensions if x.type == walker.DEST_OPTIONS]
    if len(headers) != 1 or len(p.ip.extensions) != 1:
        raise walker.Fault("needs one Destination Options header and nothing else")
    for pad in headers[0].options:
        if pad.type == 1 and any(pad.data):
            raise walker.Fault("PadN not zero")
    options = p.options(walker.DEST_OPTIONS)
    if len(options) != 1:
        raise walker.Fault("%d options, one expected" % len(options))
    o, trace = options[0], None
    # One type for both options is allowed: their lengths tell them apart.
    if o.type == profile.opt1 and (profile.opt1 != profile.opt2 or len(o.data) == 16):
        number = 1
        if len(o.data) != 16:
            raise walker.Fault("option 1 of length %d" % len(o.data))
    elif o.type == profile.opt2:
        number = 2
        if len(o.data) < 26 or (len(o.data) - 26) % 4:
            raise walker.Fault("option 2 of length %d" % len(o.data))
        trace = ioam.read_trace(o.data[1], o.data[2:-16])
        if trace.kind not in (ioam.PREALLOCATED, ioam.INCREMENTAL):
            raise walker.Fault("option 2 holds IOAM type %d" % trace.kind)
        if trace.error:
            raise walker.Fault(trace.error)
    else:
        raise walker.Fault("option type %02x" % o.type)
    return FastCnp(number, p.ip.dst, o.data[-16:], p.sport, p.bth.pkey, p.bth.qp, trace)


def trace_of(data):
    """The trace that the Fast CNP for a data packet must carry, None for option 1."""
    for o in data.options(walker.HOP_BY_HOP):
        t = ioam.from_option(o)
        if t is not None:
            return t if not t.error and t.words <= LONGEST_TRACE else None
    return None


def _pad(n):
    return b"" if n == 0 else b"\0" if n == 1 else bytes([1, n - 2]) + bytes(n - 2)


def lost_option(profile, data):
    """What a notice says of a packet that found no room: reason, level, length, opcode, PSN, flow label."""
    ip = data.ip
    psn = int.from_bytes(data.frame[data.udp + 17:data.udp + 20], "big")
    label = struct.unpack_from("!I", data.frame, ip.offset)[0] & 0xFFFFF
    return struct.pack("!BBBBHII", profile.trimmed, 12, 1, 7, ip.end - ip.offset, data.bth.opcode << 24 | psn, label)


def dest_options(profile, receiver, trace, lost=b""):
    """The Destination Options header of a Fast CNP; UDP follows it. lost: the option about a lost packet, if it is about one."""
    if trace is None:
        body = _pad(4) + bytes([profile.opt1, 16]) + receiver
        if lost:
            body += _pad(2) + lost
    else:
        data = bytes([0, trace.kind]) + trace.data + receiver
        body = _pad(2) + bytes([profile.opt2, len(data)]) + data
    body += _pad(-(len(body) + 2) % 8)
    return bytes([walker.UDP, (len(body) + 2) // 8 - 1]) + body


def build(profile, data, trace=True, lost=False):
    """The IPv6 packet that answers a data packet (walker.Packet). trace: whether its trace may go along. lost: that found no room."""
    if lost:
        options = dest_options(profile, data.ip.receiver, None, lost_option(profile, data))
    else:
        options = dest_options(profile, data.ip.receiver, trace_of(data) if trace else None)
    label = struct.unpack_from("!I", data.frame, data.ip.offset)[0] & 0xFFFFF if profile.entropy else 0
    packet = bytearray(struct.pack("!IHBB", 6 << 28 | profile.dscp << 22 | label, len(options) + 40,
                                   walker.DEST_OPTIONS, profile.hop_limit))
    packet += profile.source + data.ip.src + options
    udp = len(packet)
    packet += struct.pack("!HHHH", data.sport, walker.ROCE_PORT, 40, 0)
    packet += struct.pack("!BBHII", walker.CNP, 0, data.bth.pkey, 0x40 << 24 | data.bth.qp, 0)
    packet += bytes(16 + 4)
    end = len(packet)
    packet[-4:] = sums.icrc(packet, 0, udp, end, profile.icrc)
    packet[udp + 6:udp + 8] = struct.pack("!H", sums.udp_checksum(packet, 0, udp, end))
    return bytes(packet)


def wrap(profile, endcon, packet):
    """A Fast CNP in IPv6 to the END.CON of the headend: Not-ECT, no flow label, no routing header."""
    return struct.pack("!IHBB", 6 << 28 | profile.dscp << 22, len(packet), walker.IPV6, profile.hop_limit) + profile.source + endcon + packet


def fields(packet):
    """Names and places of the fields of a packet that build() made: (name, first, after last)."""
    doh = (packet[41] + 1) * 8
    udp = 40 + doh
    out = [("traffic class", 0, 2), ("flow label", 1, 4), ("payload length", 4, 6), ("next header", 6, 7),
           ("hop limit", 7, 8), ("source", 8, 24), ("destination", 24, 40), ("next header after the options", 40, 41),
           ("length of the options header", 41, 42)]
    if packet[43] == 2:
        out += [("padding before the option", 42, 46), ("option type", 46, 47), ("option length", 47, 48),
                ("option address", 48, 64)]
    else:
        end = 46 + packet[45]
        out += [("padding before the option", 42, 44), ("option type", 44, 45), ("option length", 45, 46),
                ("option reserved", 46, 47), ("IOAM type", 47, 48), ("trace", 48, end - 16),
                ("option address", end - 16, end), ("padding behind the option", end, udp)]
    names = (("UDP source port", 2), ("UDP destination port", 2), ("UDP length", 2), ("UDP checksum", 2),
             ("BTH opcode", 1), ("BTH flags", 1), ("P_Key", 2), ("BECN octet", 1), ("destination QP", 3),
             ("AckReq octet", 1), ("PSN", 3), ("reserved octets", 16), ("ICRC", 4))
    at = udp
    for name, size in names:
        out.append((name, at, at + size))
        at += size
    return out


def differences(expected, found, fields=fields):
    """What a person should look at, a list of "field: found, expected ...". fields: of the kind of packet."""
    if len(expected) != len(found):
        return ["length %d, expected %d" % (len(found), len(expected))]
    out, told = [], set()
    for name, first, last in fields(expected):
        changed = {i for i in range(first, last) if expected[i] != found[i]} - told
        if changed:
            told |= changed
            out.append("%s %s, expected %s" % (name, found[first:last].hex(), expected[first:last].hex()))
    return out
