# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Packets that enter an SRv6 domain, with what must leave: made of the test vectors by arithmetic on octets.

The outer headers are written after RFC 8986 sections 5.1 and 5.2, RFC 8754 and RFC 6040 here. What scapy made of the same
packet, where the vectors have that, is compared with it.
"""

import struct
from ipaddress import ip_address

import cases
import srv6
from fcnoracle import sums

ROUTER, STATION, OUR_PORT = "02:00:00:00:01:01", "02:00:00:00:02:01", "02:00:00:00:01:02"
LOOPBACK, ENDCON = "2001:db8:ff::1", "2001:db8:e1:1::c"
FIRST, LAST = "2001:db8:e2:1::1", "2001:db8:e4:1::d6"

# Policies of the case: destination -> mode, segments, ECN is copied, DSCP (None: copied), hop limit (None: the inner one).
POLICIES = {
    "2001:db8:2::20": ("encaps", (FIRST, LAST), True, None, 64),
    "2001:db8:3::20": ("encaps-red", (FIRST, LAST), True, None, 64),
    "2001:db8:4::20": ("encaps-red", (LAST,), True, None, 64),
    "2001:db8:5::20": ("no-srh", (LAST,), False, 46, 33),
    "2001:db8:6::20": ("encaps", (LAST,), True, None, None),
    "198.51.100.20": ("encaps-red", (FIRST, LAST), True, None, 64),
    "198.51.100.21": ("no-srh", (LAST,), False, 46, 33),
}


def fold(a, b):
    """Both halves of a product of 64 bits each, and the sum."""
    product = a * b
    return (product ^ product >> 64 ^ a + b) & (1 << 64) - 1


def flow_hash4(frame):
    """Flow label of an IPv4 packet: the switch's hash of addresses and UDP ports, with the fixed key of virtual time."""
    a = int.from_bytes(frame[26:34], "little") ^ 0x9E3779B97F4A7C15
    b = int.from_bytes(frame[34:38], "big") ^ 0xC2B2AE3D27D4EB4F
    return fold(a, b) >> 32 & 0xFFFFF


def flow_hash6(frame):
    """The same hash of an IPv6 packet, which chooses among paths."""
    words = struct.unpack("<4Q", frame[22:54])
    ports = int.from_bytes(frame[54:58], "big")
    pair = fold(words[0] ^ 0x9E3779B97F4A7C15, words[1] ^ 0xC2B2AE3D27D4EB4F)
    return (pair ^ fold(words[2] ^ ports ^ 0xD6E8FEB86659FD93, words[3] ^ 0xA0761D6478BD642F)) >> 32


def outer(frame, policy, source):
    """The outer IPv6 header, and the Segment Routing Header if there is one, for a frame that was routed already."""
    mode, segments, copies_ecn, dscp, hops = policy
    six = frame[12:14] == b"\x86\xdd"
    inner = (frame[14] << 4 | frame[15] >> 4) & 0xFF if six else frame[15]
    listed = () if mode == "no-srh" else segments if mode == "encaps" else segments[1:]
    srh = b""
    if listed:
        srh = bytes((41 if six else 4, 2 * len(listed), 4, len(segments) - 1, len(listed) - 1, 0, 0, 0))
        srh += b"".join(ip_address(s).packed for s in reversed(listed))
    octet = (inner & 0xFC if dscp is None else dscp << 2) | (inner & 3 if copies_ecn else 0)
    label = six and int.from_bytes(frame[14:18], "big") & 0xFFFFF or (flow_hash6(frame) if six else flow_hash4(frame)) & 0xFFFFF
    limit = hops or (frame[21] if six else frame[22])
    header = struct.pack("!IHBB", 6 << 28 | octet << 20 | label, len(srh) + len(frame) - 14, 43 if srh else 41 if six else 4, limit)
    return header + ip_address(source).packed + ip_address(segments[0]).packed + srh


def encapsulated(frame, policy, source):
    """The frame in its tunnel, with one hop less inside and the MAC addresses of the next hop."""
    inner = cases.routed(frame, OUR_PORT, STATION)
    return inner[:12] + b"\x86\xdd" + outer(inner, policy, source) + inner[14:]


def as_scapy(ours, vector, dst):
    """Assert that the frame is the vector's, which has another inner destination and so another UDP checksum."""
    f = bytearray(vector)
    assert len(f) == len(ours)
    at = len(f) - 144 + 24  # the inner packet has 144 octets, and this is its destination
    f[at:at + 16] = ip_address(dst).packed
    checksum = at + 16 + 6
    f[checksum:checksum + 2] = ours[checksum:checksum + 2]
    f[-4:] = ours[-4:]
    assert ours[14:] == bytes(f)[14:]
    return ours


def entries(vector):
    """The case srv6-headend: (frame, what leaves)."""
    w6, w4 = vector("01_roce6_write.pcap")[0], vector("02_roce4_write.pcap")[0]
    known = {"2001:db8:2::20": vector("06_srv6_encaps_srh.pcap")[0], "2001:db8:3::20": vector("08_srv6_encaps_red.pcap")[0],
             "2001:db8:4::20": vector("07_srv6_encaps_nosrh.pcap")[0]}
    out = []
    for dst, policy in POLICIES.items():
        base = w6 if ":" in dst else w4
        for ecn in range(4):  # RFC 6040 figure 3
            octet = (base[14] << 4 | base[15] >> 4) & 0xFC if base is w6 else base[15] & 0xFC
            frame = cases.variant(base, dst=dst, dmac=ROUTER, traffic_class=octet | ecn)
            # Compatibility mode is not for an ingress PE, so there is no END.CON SID in that policy.
            leaves = encapsulated(frame, policy, ENDCON if policy[2] else LOOPBACK)
            if dst in known and ecn == 2:
                as_scapy(leaves, known[dst], dst)
            out.append((frame, leaves))
    # Not RoCEv2: another UDP port, so the outer source is the loopback.
    other = bytearray(cases.variant(w6, dst="2001:db8:3::20", dmac=ROUTER))
    other[56:58] = struct.pack("!H", 4792)
    out.append((bytes(other), encapsulated(bytes(other), POLICIES["2001:db8:3::20"], LOOPBACK)))
    return out


def too_big(frame, mtu):
    """The message to the sender of an IPv6 packet: RFC 4443 section 3.2, of 1280 octets at most."""
    message = bytes((2, 0)) + struct.pack("!HI", 0, mtu) + frame[14:14 + 1280 - 48]
    return srv6.icmpv6("2001:db8:11::1", frame[22:38], 64, message, "p2")


def fragmentation_needed(frame, mtu):
    """The same for IPv4: RFC 1191 section 4, of 576 octets at most (RFC 1812 section 4.3.2.3)."""
    message = bytearray(struct.pack("!BBHHH", 3, 4, 0, 0, mtu) + frame[14:14 + 576 - 28])
    message[2:4] = struct.pack("!H", 0xFFFF - sums.ones_sum(bytes(message)))
    header = bytearray(struct.pack("!BBHHHBBH", 0x45, 0xC0, 20 + len(message), 0, 0x4000, 64, 1, 0))
    header += ip_address("10.0.11.1").packed + frame[26:30]
    header[10:12] = struct.pack("!H", sums.ipv4_checksum(header))
    return cases.mac(STATION) + cases.mac(OUR_PORT) + b"\x08\x00" + bytes(header) + bytes(message)


def lengths(vector):
    """The case srv6-headend-mtu: (frame, what leaves). The longest packet of each policy, and one octet more."""
    w6, w4 = vector("01_roce6_write.pcap")[0], vector("02_roce4_write.pcap")[0]
    out = []
    for dst, mtu in (("2001:db8:2::20", 1500 - 80), ("2001:db8:3::20", 1500 - 64), ("2001:db8:4::20", 1500 - 40), ("198.51.100.20", 1500 - 64)):
        fits, longer = (cases.variant(w6 if ":" in dst else w4, dst=dst, dmac=ROUTER, length=14 + mtu + n) for n in (0, 1))
        message = too_big(longer, mtu) if ":" in dst else fragmentation_needed(longer, mtu)
        # The message leaves first in any case: its class is strict.
        out += [(longer, message), (fits, encapsulated(fits, POLICIES[dst], ENDCON))]
    return out


def shares(vector):
    """The case srv6-weights: 64 flows, of which three quarters take the first list, and the rest the second."""
    w6 = vector("01_roce6_write.pcap")[0]
    lists = ((FIRST, LAST),) * 3 + (("2001:db8:e3:1::1", LAST),)
    out = []
    for i in range(64):
        frame = cases.variant(w6, dmac=ROUTER, sport=0xC000 + i)
        segments = lists[flow_hash6(frame) * len(lists) >> 32]
        out.append((frame, encapsulated(frame, ("encaps-red", segments, True, None, 64), LOOPBACK)))
    first = sum(leaves[38:54] == ip_address(FIRST).packed for _, leaves in out)
    assert 38 <= first <= 58  # 48 and three standard deviations of a fair choice
    return out


def captures(vector):
    """name -> frames."""
    found, long, flows = entries(vector), lengths(vector), shares(vector)
    announced = [srv6.announcement(address, "p2") for address in ("fe80::ff:fe00:102", "2001:db8:12::1")]
    return {"srv6-headend": [f for f, _ in found], "srv6-headend-out": [f for _, f in found],
            "srv6-headend-mtu": [f for f, _ in long], "srv6-headend-mtu-out": announced + [f for _, f in long],
            "srv6-weights": [f for f, _ in flows], "srv6-weights-out": [f for _, f in flows]}
