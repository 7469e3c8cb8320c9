# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What an IOAM transit node adds to a pre-allocated trace (RFC 9197, 4.4), and IOAM options taken out at a domain's edge.

Written at enqueue: the depth of the egress queue before the packet, bytes that the port has sent by then. The transit delay
is that from arrival to when the port takes the packet; until then, and so in a notice, the word is all ones.
"""

import struct

from . import ioam, sums, walker

SECOND = 10**9
NTP_EPOCH = 2208988800
OPTIONS = (0x31, 0x11)       # RFC 9486: data may change en route, or not
NONE4, NONE8 = b"\xff" * 4, b"\xff" * 8


def timestamp(ns, style, tai):
    """Seconds and fraction of a time since 1970 (UTC)."""
    seconds, rest = divmod(ns, SECOND)
    if style == "posix":
        rest //= 1000
    elif style == "ptp":
        seconds += tai
    elif style == "ntp":
        seconds, rest = seconds + NTP_EPOCH, (rest << 32) // SECOND
    return struct.pack("!I", seconds & 0xFFFFFFFF), struct.pack("!I", rest)


def low(value, octets):
    """A number in so many octets, all ones for None."""
    return b"\xff" * octets if value is None else (value & (1 << 8 * octets) - 1).to_bytes(octets, "big")


def element(trace_type, node, facts):
    """Node data of one hop, and where in it the transit delay stands (None: nowhere).

    node: id, id_wide, time, tai, schema (id, data) or None. facts: hop_limit, ingress and egress (short, wide), received
    (ns since 1970), depth, short, wide (octets or None), occupancy.
    """
    hops = bytes([facts["hop_limit"]])
    seconds, fraction = timestamp(facts["received"], node["time"], node["tai"])
    schema = b"\x00\xff\xff\xff"
    if node.get("schema"):
        number, data = node["schema"]
        schema = bytes([len(data) // 4]) + number.to_bytes(3, "big") + data
    fields = {
        0: hops + low(node["id"], 3),
        1: low(facts["ingress"][0], 2) + low(facts["egress"][0], 2),
        2: seconds, 3: fraction, 4: NONE4,
        5: facts["short"] or NONE4,
        6: low(facts["depth"], 4), 7: NONE4,
        8: hops + low(node["id_wide"], 7),
        9: low(facts["ingress"][1], 4) + low(facts["egress"][1], 4),
        10: facts["wide"] or NONE8,
        11: low(facts["occupancy"], 4),
        **{bit: NONE4 for bit in range(12, 22)}, 22: schema, 23: b"",
    }
    out, delay = b"", None
    for bit in range(24):
        if trace_type & 0x800000 >> bit:
            delay = len(out) if bit == 4 else delay
            out += fields[bit]
    return out, delay


def find(p):
    """(offset of the trace header in the frame, Trace) of the first trace in the innermost header, None without one."""
    for x in p.ip.extensions if p.ip else []:
        if x.type != walker.HOP_BY_HOP:
            continue
        for o in x.options:
            t = ioam.from_option(o)
            if t is not None:
                return x.offset + o.offset + 4, t
    return None


def write(p, namespaces, make):
    """A frame with this node's data. namespaces: those that are known; make(namespace, trace type) is the element.

    Returns (what became of it, frame, offset of the delay or None): written, overflow, full, foreign, malformed, none.
    """
    found = find(p) if not p.error or p.ip is not None and p.ip.extensions else None
    if found is None:
        return "none", p.frame, None
    at, t = found
    if t.error:
        return "malformed", p.frame, None
    if t.kind != ioam.PREALLOCATED:
        return "none", p.frame, None
    if t.namespace not in namespaces:
        return "foreign", p.frame, None
    if t.flags & 8:
        return "full", p.frame, None
    data, delay = make(t.namespace, t.type)
    need, f = len(data) // 4, bytearray(p.frame)
    bits = struct.unpack("!H", f[at + 2:at + 4])[0]
    if t.remaining < need:
        f[at + 2:at + 4] = struct.pack("!H", bits | 8 << 7)
        return "overflow", bytes(f), None
    place = at + 8 + 4 * (t.remaining - need)
    f[place:place + len(data)] = data
    f[at + 2:at + 4] = struct.pack("!H", bits - need)
    return "written", bytes(f), None if delay is None else place + delay


def strip(p):
    """A frame without IOAM options: the Hop-by-Hop header goes when nothing else is in it. ICRC and checksum right for it."""
    x = next((x for x in p.ip.extensions if x.type == walker.HOP_BY_HOP), None)
    if x is None or not any(o.type in OPTIONS for o in x.options):
        return p.frame
    rest = [o for o in x.options if o.type > 1 and o.type not in OPTIONS]
    if rest:
        raise ValueError("other options are in the header")
    f = bytearray(p.frame[:x.offset] + p.frame[x.offset + x.length:])
    f[p.ip.offset + 6] = p.frame[x.offset]
    f[p.ip.offset + 4:p.ip.offset + 6] = struct.pack("!H", struct.unpack("!H", f[p.ip.offset + 4:p.ip.offset + 6])[0] - x.length)
    q = walker.walk(bytes(f))
    if p.is_roce:
        f[q.end - 4:q.end] = sums.icrc(f, q.ip.offset, q.udp, q.end)
        f[q.udp + 6:q.udp + 8] = struct.pack("!H", sums.udp_checksum(f, q.ip.offset, q.udp, q.end))
    return bytes(f)
