# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A switch of some vendor, captured in front of it and behind it: once all of its Fast CNPs are right, once each has a fault of its own.
make_data.py writes the captures; README.md tells what they hold. Entries are (ns, frame).

Two senders write to one receiver: sender A, whom the switch knows to understand Fast CNPs, without traces, and sender B with traces.
"""

import struct

from fcnoracle import ioam, sums

A, B, RECEIVER = (bytes.fromhex("20010db8" + s + "0000" * 4 + "0001") for s in ("000a", "000b", "00cc"))
SWITCH, OTHER = (bytes.fromhex("20010db800ff" + "0000" * 4 + s) for s in ("0001", "0002"))
OPTION1, OPTION2, IOAM_OPTION, PROXY_OPTION = 0x9E, 0x9F, 0x31, 0x1E
WRITE_ONLY, ACK, CNP = 0x0A, 0x11, 0x81
DATA_DSCP, NOTICE_DSCP, ECT0, CE = 26, 48, 2, 3
QP_A, QP_B, SENDER_QP, P_KEY, SPORT = 0x51, 0x52, 0x91, 0x8001, 0xC123
TRACE_TYPE, NODE_WORDS, SLOTS = 0xB62000, 7, 3
US = 1000
PACKETS, GAP, EVERY, DELAY, TRANSIT = 20, 10 * US, 4, 2 * US, 3 * US   # a notice for every fourth packet


def padded(options):
    """An options header without its first octet: length and options, with padding to a multiple of 8 octets."""
    pad = -(len(options) + 2) % 8
    options += b"" if pad == 0 else b"\0" if pad == 1 else bytes([1, pad - 2]) + bytes(pad - 2)
    return bytes([(len(options) + 2) // 8 - 1]) + options


def ipv6(source, destination, headers, l4, traffic_class, icrc=sums.SKIP, checksum=None, hop_limit=64):
    """A frame with UDP. headers: (next header value, header without its first octet); l4: UDP ports and all up to the ICRC, which is
    computed in a reading, or given as octets, or left out (None)."""
    kinds = [kind for kind, _ in headers] + [17]
    chain = b"".join(bytes([kinds[i + 1]]) + body for i, (_, body) in enumerate(headers))
    tail = b"" if icrc is None else bytes(4)
    udp = l4[:4] + struct.pack("!HH", len(l4) + 4 + len(tail), 0) + l4[4:] + tail
    packet = bytearray(struct.pack("!IHBB", 6 << 28 | traffic_class << 20, len(chain) + len(udp), kinds[0], hop_limit)
                       + source + destination + chain + udp)
    at, end = 40 + len(chain), len(packet)
    if icrc is not None:
        packet[-4:] = icrc if isinstance(icrc, bytes) else sums.icrc(packet, 0, at, end, icrc)
    sum_ = sums.udp_checksum(packet, 0, at, end) if checksum is None else checksum
    packet[at + 6:at + 8] = struct.pack("!H", sum_)
    macs = b"\x02\0\0\0\0" + destination[5:6] + b"\x02\0\0\0\0" + source[5:6]
    return macs + b"\x86\xdd" + bytes(packet)


def bth(opcode, qp, psn, pkey=P_KEY, flags=0, congestion=0):
    return struct.pack("!BBHII", opcode, flags, pkey, congestion << 24 | qp, psn)


def node(hop):
    """What one node writes into a trace."""
    return struct.pack("!IIIIIQ", (64 - hop) << 24 | hop, 1700000000, 1000 * hop, 100000, 4096 * hop, hop << 32)


def trace(hops, slots=SLOTS):
    """A trace option of data, without the reserved octet and the IOAM type."""
    head = struct.pack("!HHI", 0, NODE_WORDS << 11 | NODE_WORDS * (slots - hops), TRACE_TYPE << 8)
    return head + bytes(4 * NODE_WORDS * (slots - hops)) + b"".join(node(hop) for hop in range(hops, 0, -1))


def hop_by_hop(data):
    return [(0, padded(b"\1\0" + bytes([IOAM_OPTION, 2 + len(data), 0, 0]) + data))]


def write(sender, qp, psn, headers=(), ecn=ECT0, opcode=WRITE_ONLY, pkey=P_KEY):
    """A data packet."""
    body = struct.pack("!QII", 0x1000 * psn, 7, 64) + bytes(range(64)) if opcode == WRITE_ONLY else bytes(4)
    l4 = struct.pack("!HH", SPORT, 4791) + bth(opcode, qp, psn, pkey, 0x40) + body
    return ipv6(sender, RECEIVER, list(headers), l4, DATA_DSCP << 2 | ecn)


def option1(receiver=RECEIVER, kind=OPTION1, before=b"\1\2\0\0", after=b""):
    return [(60, padded(before + bytes([kind, len(receiver)]) + receiver + after))]


def option2(data, receiver=RECEIVER, kind=OPTION2, before=b"\1\0", reserved=0, ioam_type=ioam.PREALLOCATED):
    data = bytes([reserved, ioam_type]) + data + receiver
    return [(60, padded(before + bytes([kind, len(data)]) + data))]


def notice(headers, source=SWITCH, sender=A, qp=QP_A, opcode=CNP, pkey=P_KEY, flags=0, congestion=0x40, psn=0, dport=4791,
           reserved=bytes(16), traffic_class=NOTICE_DSCP << 2, icrc=sums.SKIP, checksum=None):
    """A Fast CNP."""
    l4 = struct.pack("!HH", SPORT, dport) + bth(opcode, qp, psn, pkey, flags, congestion) + reserved
    return ipv6(source, sender, headers, l4, traffic_class, icrc, checksum)


def before():
    """What arrives at the switch: both senders take turns."""
    out = []
    for n in range(PACKETS):
        out.append((n * GAP, write(A, QP_A, n)))
        out.append((n * GAP + GAP // 2, write(B, QP_B, n, hop_by_hop(trace(1)))))
    return out


def passed(marked=()):
    """The same packets behind the switch, which writes into traces. marked: (queue pair, PSN) of those that it marks CE."""
    out = []
    for n in range(PACKETS):
        ecn = {qp: CE if (qp, n) in marked else ECT0 for qp in (QP_A, QP_B)}
        out.append((n * GAP + TRANSIT, write(A, QP_A, n, ecn=ecn[QP_A])))
        out.append((n * GAP + GAP // 2 + TRANSIT, write(B, QP_B, n, hop_by_hop(trace(2)), ecn=ecn[QP_B])))
    return out


def moments(first=0):
    """When notices about a flow leave, whose first packet comes at a time."""
    return [first + n * GAP + DELAY for n in range(0, PACKETS, EVERY)]


def right():
    """Behind the switch, with notices that are right: about A with option 1, about B with option 2. The sender B may not know of Fast
    CNPs, so the packets that it is told about are marked, too."""
    out = passed({(QP_B, n) for n in range(0, PACKETS, EVERY)})
    out += [(t, notice(option1())) for t in moments()]
    out += [(t, notice(option2(trace(2)), sender=B, qp=QP_B)) for t in moments(GAP // 2)]
    return sorted(out)


# What can be wrong with one notice: rule, what it is, and the frame.
def faulty():
    one, two = option1(), option2(trace(2))
    second = bytes([0x9D, 0])
    about_b = {"sender": B, "qp": QP_B}
    short = padded(b"\1\2\0\0" + bytes([OPTION1, 17]) + RECEIVER)
    return [
        ("one-option", "two options", notice(option1(before=second + b"\1\0", after=b""))),
        ("one-option", "a Hop-by-Hop Options header, too", notice(hop_by_hop(trace(1)) + one)),
        ("one-option", "no option", notice([])),
        ("option-action", "type 0x1e: unknown options are skipped", notice(option1(kind=0x1E))),
        ("option-action", "type 0xde", notice(option1(kind=0xDE))),
        ("option-change", "type 0xbe", notice(option1(kind=0xBE))),
        ("option-type", "type 0x9d", notice(option1(kind=0x9D))),
        ("option1-length", "15 octets", notice(option1(RECEIVER[:15]))),
        ("option1-length", "20 octets", notice(option1(bytes(4) + RECEIVER))),
        ("option2-length", "a trace that is no multiple of 4 octets", notice(option2(trace(2) + b"\0"), **about_b)),
        ("option2-length", "a trace without its header", notice(option2(trace(2)[:4]), **about_b)),
        ("option-bounds", "the option ends behind its header", notice([(60, short)])),
        ("option2-reserved", "reserved octet 1", notice(option2(trace(2), reserved=1), **about_b)),
        ("option2-ioam", "a proof of transit", notice(option2(trace(2), ioam_type=2), **about_b)),
        ("option2-ioam", "the trace of another packet", notice(option2(trace(2)[:-1] + b"\7"), **about_b)),
        ("trace", "NodeLen 6", notice(option2(struct.pack("!HHI", 0, 6 << 11 | 7, TRACE_TYPE << 8) + trace(2)[8:]), **about_b)),
        ("trace", "RemainingLen 22", notice(option2(struct.pack("!HHI", 0, 7 << 11 | 22, TRACE_TYPE << 8) + trace(2)[8:]), **about_b)),
        ("option-address", "multicast", notice(option1(b"\xff\2" + RECEIVER[2:]))),
        ("option-address", "that of the sender", notice(option1(A))),
        ("option-place", "option 1 at a multiple of 4", notice(option1(before=b"\1\0", after=b"\1\0"))),
        ("padding-zero", "padding of ones", notice(option1(before=b"\1\2\xff\xff"))),
        ("padding-form", "several Pad1", notice(option1(before=b"\0\0\0\0"))),
        ("padding-form", "twelve octets of padding", notice(option1(before=b"\1\x0a" + bytes(10)))),
        ("udp-port", "port 4790", notice(one, dport=4790)),
        ("length", "without the reserved octets", notice(one, reserved=b"")),
        ("length", "without an invariant CRC", notice(one, icrc=None)),
        ("length", "20 reserved octets", notice(one, reserved=bytes(20))),
        ("udp-checksum", "0", notice(one, checksum=0)),
        ("udp-checksum", "wrong", notice(one, checksum=0x1234)),
        ("opcode", "an acknowledgement", notice(one, opcode=ACK)),
        ("opcode", "transport header version 1", notice(one, flags=1)),
        ("becn", "0", notice(one, congestion=0)),
        ("bth-zero", "a PSN", notice(one, psn=77)),
        ("bth-zero", "migration state", notice(one, flags=0x40)),
        ("reserved", "ones", notice(one, reserved=b"\xff" * 16)),
        ("icrc", "0", notice(one, icrc=bytes(4))),
        ("icrc", "something", notice(one, icrc=b"\1\2\3\4")),
        ("icrc-varies", "the header is covered once", notice(one, icrc=sums.COVER)),
        ("ecn", "ECT(0)", notice(one, traffic_class=NOTICE_DSCP << 2 | ECT0)),
        ("source", "link-local", notice(one, source=b"\xfe\x80" + SWITCH[2:])),
        ("source", "::1", notice(one, source=bytes(15) + b"\1")),
        ("source", "another loopback", notice(one, source=OTHER)),
        ("destination", "somebody who sends nothing", notice(one, sender=OTHER)),
        ("destination", "multicast", notice(one, sender=b"\xff\2" + A[2:])),
        ("qp", "that of the sender, as in an ordinary CNP", notice(one, qp=SENDER_QP)),
        ("qp", "0", notice(one, qp=0)),
        ("p_key", "0xfffe", notice(one, pkey=0xFFFE)),
        ("option1-when", "the data has a trace", notice(one, **about_b)),
        ("option2-when", "the data has no trace", notice(two)),
        ("cause", "no such flow", notice(option1(OTHER), sender=OTHER, qp=1)),
    ]


def wrong():
    """Behind the switch, with one notice for each fault."""
    faults = [frame for _, _, frame in faulty()]
    return sorted(passed() + [((PACKETS + n) * GAP, frame) for n, frame in enumerate(faults)], key=lambda item: item[0])


def traffic():
    """Files and what they hold."""
    return {"vendor-before.pcap": before(), "vendor-right.pcap": right(), "vendor-wrong.pcap": wrong()}
