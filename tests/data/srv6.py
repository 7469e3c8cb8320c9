# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Packets to local SIDs, with what must become of each: made of the test vectors by arithmetic on octets.

What leaves is written after RFC 8986, RFC 9800 and RFC 6040 here, and is compared with what scapy and Linux made of the
same packets, where the vectors have that ("after" below).
"""

import struct
from ipaddress import ip_address

import cases
from fcnoracle import sums

SWITCH = "02:00:00:00:01:01"
OUT = {"p2": ("02:00:00:00:01:02", "02:00:00:00:02:01"), "p3": ("02:00:00:00:01:03", "02:00:00:00:03:01")}
SIDS = "2001:db8:51::%x"  # 1.. in the order of the configurations


def arriving(frame, dst=None, octets=()):
    """A frame for the switch, to this SID; octets: (offset from the IPv6 header, value) that are changed."""
    f = bytearray(cases.mac(SWITCH) + frame[6:])
    if dst:
        f[38:54] = ip_address(dst).packed
    for at, value in octets:
        f[14 + at] = value
    return bytes(f)


def sent(frame, port):
    """The frame with the MAC addresses of the port it leaves by."""
    ours, station = OUT[port]
    return cases.mac(station) + cases.mac(ours) + frame[12:]


def end(frame, psp=False):
    """End: the next segment, one hop and one segment less; the routing header goes with PSP and none left."""
    f = bytearray(frame)
    at, before, nh = 54, 20, f[20]
    while nh in (0, 60):
        nh, before, at = f[at], at, at + 8 * (f[at + 1] + 1)
    assert nh == 43 and f[at + 2] == 4 and f[at + 3] > 0 and f[21] > 1
    f[21] -= 1
    f[at + 3] -= 1
    f[38:54] = f[at + 8 + 16 * f[at + 3]:at + 24 + 16 * f[at + 3]]
    if psp and f[at + 3] == 0:
        size = 8 * (f[at + 1] + 1)
        f[before] = f[at]
        f[18:20] = struct.pack("!H", struct.unpack("!H", f[18:20])[0] - size)
        del f[at:at + size]
    return bytes(f)


def next_csid(frame, block, node):
    """NEXT-CSID: what follows the locator block moves over the node's part."""
    f = bytearray(frame)
    dst = int.from_bytes(f[38:54], "big")
    keep = dst >> 128 - block << 128 - block
    rest = dst << node & (1 << 128 - block) - 1
    f[38:54] = (keep | rest).to_bytes(16, "big")
    f[21] -= 1
    return bytes(f)


FIGURE_4 = {  # inner, outer -> outgoing; RFC 6040
    0: (0, 0, 0, None), 2: (2, 1, 2, 3), 1: (1, 1, 1, 3), 3: (3, 3, 3, 3)}


def decapsulated(frame):
    """What is in the tunnel, with the mark of the outer header and one hop less; None if it is dropped."""
    f = bytearray(frame)
    at, nh, outer = 54, f[20], f[15] >> 4 & 3
    while nh in (0, 60, 43):
        nh, at = f[at], at + 8 * (f[at + 1] + 1)
    inner = bytearray(f[at:])
    six = nh == 41
    ecn = FIGURE_4[inner[1] >> 4 & 3 if six else inner[1] & 3][outer]
    if ecn is None:
        return None
    inner[1] = inner[1] & 0xCF | ecn << 4 if six else inner[1] & 0xFC | ecn
    frame = bytes(12) + (b"\x86\xdd" if six else b"\x08\x00") + bytes(inner)
    return cases.routed(frame, SWITCH, SWITCH)


def same(ours, after, hops=0):
    """Assert that our arithmetic gives what the vectors say, which may have so many hops more."""
    f = bytearray(after)
    for _ in range(hops):
        f = bytearray(cases.routed(bytes(f), SWITCH, SWITCH))
    assert ours[14:] == bytes(f)[14:]
    return ours


def ends(vector):
    """The case srv6-end: (frame, port, what leaves) or (frame, None, drop reason)."""
    pairs, csid = vector("41_srv6_end.pcap"), vector("43_srv6_csid.pcap")
    policy, red = vector("06_srv6_encaps_srh.pcap"), vector("08_srv6_encaps_red.pcap")
    sid = lambda n: SIDS % n
    out = []
    for pair, n, port, psp in ((0, 1, "p2", False), (1, 1, "p2", False), (2, 1, "p2", False), (2, 2, "p2", True),
                               (3, 2, "p2", True), (4, 2, "p2", True), (0, 3, "p3", False), (3, 4, "p3", True), (0, 5, "p2", False)):
        f = arriving(pairs[2 * pair], sid(n))
        out.append((f, port, same(end(f, psp), pairs[2 * pair + 1])))
    for pair, block, node in ((0, 32, 16), (1, 32, 16), (2, 48, 32)):
        f = arriving(csid[2 * pair])
        out.append((f, "p2", same(next_csid(f, block, node), csid[2 * pair + 1])))
    # The next segment is a SID of this switch, too: 2001:db8:e4:1::d6 decapsulates.
    for frame in (policy[0], red[0]):
        f = arriving(frame, sid(1))
        out.append((f, "p2", decapsulated(end(f))))
    f, srh = pairs[0], 56  # behind the options; the SID's own refusals
    bad = lambda why, *octets: out.append((arriving(f, sid(1), octets), None, why))
    bad("srv6_hop_limit", (7, 1))
    bad("srv6_hop_limit", (7, 0))
    bad("srv6_srh_segments_left", (srh + 3, 4))
    bad("srv6_srh_last_entry", (srh + 4, 3))
    bad("srv6_srh_length", (srh + 1, 5))
    bad("srv6_routing_type", (srh + 2, 3))
    bad("srv6_srh_truncated", (srh + 1, 11))
    bad("srv6_ext_truncated", (41, 20))
    bad("srv6_upper_layer", (srh + 3, 0))
    # A routing header with segments left, to an address of the switch that is no SID.
    out.append((arriving(f, "2001:db8:11::1"), None, "srv6_no_sid"))
    return out


def tables(vector):
    """The case srv6-dt, in the same form."""
    pairs, ecn = vector("41_srv6_end.pcap"), vector("44_tunnel_ecn.pcap")
    roce, linux = vector("01_roce6_write.pcap")[0], vector("21_linux_srv6_encaps.pcap")
    sid = lambda n: SIDS % n
    out = []
    # SIDs: 1 end.dt6, 2 end.dt4, 3 end.dt46, 4 end.dx6, 5 end.dx4, 6 end usd, 7 end.x usd
    for pair, n, port in ((6, 1, "p2"), (7, 1, "p2"), (8, 2, "p2"), (9, 2, "p2"), (6, 3, "p2"), (8, 3, "p2"), (7, 4, "p3"),
                          (9, 5, "p3"), (6, 6, "p2"), (9, 6, "p2"), (7, 7, "p3")):
        f = arriving(pairs[2 * pair], sid(n))
        out.append((f, port, same(decapsulated(f), pairs[2 * pair + 1], 1)))
    for frame in (vector("07_srv6_encaps_nosrh.pcap")[0], vector("06_srv6_encaps_srh.pcap")[1]):
        f = arriving(frame, sid(1))
        out.append((f, "p2", decapsulated(f)))
    for frame in linux[1:]:
        last = bytearray(frame)
        last[57] = 0  # no segments left
        f = arriving(last, sid(1))
        out.append((f, "p2", same(decapsulated(f), linux[0], 1)))
    at = 0
    while at < len(ecn):
        f = arriving(ecn[at], sid(3))
        found = decapsulated(f)
        out.append((f, "p2", same(found, ecn[at + 1], 1)) if found else (f, None, "tunnel_ecn"))
        at += 2 if found else 1
    assert len(roce) == 158
    bad = lambda frame, n, why, *octets: out.append((arriving(frame, sid(n), octets), None, why))
    bad(pairs[12], 1, "srv6_segments_left", (59, 1))
    bad(pairs[14], 2, "srv6_upper_layer")
    bad(pairs[18], 4, "srv6_upper_layer")
    bad(pairs[14], 1, "srv6_upper_layer", (6, 59))
    bad(pairs[14], 3, "srv6_inner_header", (40, 0x45))
    bad(pairs[14], 1, "srv6_inner_header", (45, 24))
    bad(pairs[18], 5, "srv6_inner_header", (43, 44))
    return out


def endcon(vector):
    """The case srv6-endcon, in the same form: END.CON is 2001:db8:e1:1::c, the P nodes are 2001:db8:f::/64."""
    notice, linux = vector("11_fastcnp_srv6_endcon.pcap")[0], vector("22_linux_end_dt6.pcap")[1]
    inner = lambda frame: frame[:12] + b"\x86\xdd" + frame[54:]
    wrap = lambda frame, outer=notice: outer[:54] + frame[14:]
    good = arriving(notice)
    from_other = bytearray(inner(notice))
    from_other[22:38] = ip_address("2001:db8:f::3").packed
    other = bytearray(wrap(cases.finish(from_other)))
    other[22:38] = from_other[22:38]
    back = bytearray(inner(notice))
    back[38:54] = notice[38:54]
    group = bytearray(inner(notice))
    group[38:54] = ip_address("ff0e::1").packed
    out = [(good, "p2", same(decapsulated(good), linux)), (good, "p2", decapsulated(good)), (good, None, "endcon_rate"),
           (arriving(other), "p2", decapsulated(arriving(other)))]
    bad = lambda frame, why, *octets: out.append((arriving(frame, None, octets), None, why))
    foreign = bytearray(inner(notice))
    foreign[22:38] = ip_address("2001:db8:bad::1").packed
    bad(wrap(cases.finish(foreign)), "endcon_source")  # made by a node that is not in the list
    bad(notice, "endcon_access", (13, 1))          # not in the list
    bad(notice, "endcon_notice", (143, notice[157] ^ 1))  # the ICRC
    bad(notice, "endcon_notice", (86, 0x3E))       # the option
    bad(notice, "endcon_sid", (6, 17))
    bad(other, "tunnel_ecn", (1, other[15] | 0x30))
    bad(wrap(cases.finish(back)), "endcon_loop")
    bad(wrap(cases.finish(group)), "endcon_destination")
    data = bytearray(vector("07_srv6_encaps_nosrh.pcap")[0])
    data[22:54] = notice[22:54]
    bad(data, "endcon_notice")                     # RoCEv2 data, no notice
    return out


def icmpv6(source, destination, hop_limit, message, port, station=None):
    """A frame of the switch with an ICMPv6 message: DSCP 48, checksum (RFC 4443 section 2.3)."""
    ours, to = OUT[port]
    addresses = ip_address(source).packed + destination
    pseudo = addresses + struct.pack("!IHBB", len(message), 0, 0, 58)
    message = bytearray(message)
    message[2:4] = struct.pack("!H", 0xFFFF - sums.ones_sum(pseudo + bytes(message)))
    header = struct.pack("!IHBB", 0x6C000000, len(message), 58, hop_limit) + addresses
    return cases.mac(station or to) + cases.mac(ours) + b"\x86\xdd" + header + bytes(message)


def announcement(address, port):
    """The neighbour advertisement by which a port announces an address: router, override."""
    ours, _ = OUT[port]
    message = bytes((136, 0, 0, 0, 0xA0, 0, 0, 0)) + ip_address(address).packed + b"\2\1" + cases.mac(ours)
    return icmpv6(address, ip_address("ff02::1").packed, 255, message, port, "33:33:00:00:00:01")


# Reason -> type and code of the ICMPv6 error (RFC 8986 section 4.1, RFC 8754 section 4.3.2); no error about the others.
ERRORS = {"srv6_hop_limit": (3, 0), "srv6_srh_segments_left": (4, 0), "srv6_srh_last_entry": (4, 0), "srv6_srh_length": (4, 0),
          "srv6_routing_type": (4, 0), "srv6_upper_layer": (4, 4), "srv6_no_sid": (4, 0)}
# Where the errors point, from the IPv6 header: Segments Left, Routing Type, the upper layer.
POINTERS = {"srv6_srh_segments_left": 59, "srv6_srh_last_entry": 59, "srv6_srh_length": 59, "srv6_routing_type": 58,
            "srv6_upper_layer": 112, "srv6_no_sid": 58}


def errors(vector):
    """The case srv6-errors: (frame that a SID refuses, ICMPv6 error that leaves by p2 or None)."""
    out = []
    for f, port, why in ends(vector):
        if port:
            continue
        error = None
        if why in ERRORS:
            message = bytes(ERRORS[why]) + struct.pack("!HI", 0, POINTERS.get(why, 0)) + f[14:]
            error = icmpv6("2001:db8:11::1", f[22:38], 64, message, "p2")
        out.append((f, error))
    # An echo request to a SID, which is answered from it.
    request = bytes((128, 0)) + bytes(2) + b"\x12\x34\0\7ping"
    frame = icmpv6("2001:db8:e1:1::c", ip_address(SIDS % 1).packed, 64, request, "p2")
    reply = bytes((129, 0)) + bytes(2) + request[4:]
    answer = icmpv6(SIDS % 1, ip_address("2001:db8:e1:1::c").packed, 64, reply, "p2")
    out.append((arriving(frame), answer))
    return out


def captures(vector):
    """name -> frames, in the order in which they come or leave; None where nothing leaves."""
    out = {}
    for name, entries in (("srv6-end", ends(vector)), ("srv6-dt", tables(vector)), ("srv6-endcon", endcon(vector))):
        out[name] = [f for f, _, _ in entries]
        for port in OUT:
            leaves = [sent(what, port) if to == port else None for _, to, what in entries]
            if any(leaves):
                out["%s-out-%s" % (name, port)] = leaves
    found = errors(vector)
    out["srv6-errors"] = [f for f, _ in found]
    out["srv6-errors-out"] = [announcement("fe80::ff:fe00:102", "p2"), announcement("2001:db8:12::1", "p2")] + [e for _, e in found if e]
    return out


def drops(entries):
    """What the switch counts of them: reason -> packets."""
    found = {}
    for _, port, what in entries:
        if port is None:
            found[what] = found.get(what, 0) + 1
    return found
