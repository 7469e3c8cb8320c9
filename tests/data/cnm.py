# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Packets about which a congested switch tells proxies, and its messages, by arithmetic on octets. make_data.py writes them.

The layout is that of section 4 of the draft on proxies for congestion notification, with the packing of doc/decisions.md. Nothing
here is shared with the oracle's module on these messages, and test_cnm.py compares both with each other and with the vectors.
"""

import struct
import zlib
from ipaddress import ip_address

import cases
import headend
from fcnoracle import sums

PORT, OPTION = 1021, 0x1E
SWITCH6, SWITCH4 = "2001:db8:f::5", "10.0.13.1"
PROXY, SECOND, BY_OPTION, PROXY4 = "2001:db8:3::99", "2001:db8:3::55", "2001:db8:3::1e", "203.0.113.99"
# Senders: of a prefix, of a longer one in it, with a proxy of the other IP version, without any proxy.
SENDER, LONGER, TO_IPV4, UNKNOWN = "2001:db8:1::10", "2001:db8:1:5::10", "2001:db8:6::10", "2001:db8:9::10"
SENDER4, TO_IPV6, UNKNOWN4 = "192.0.2.10", "192.0.2.200", "198.51.100.9"
RECEIVER, RECEIVER4 = "2001:db8:2::20", "198.51.100.20"
SENDERS = "02:00:00:00:0a:01"
# What fits behind the headers and the flow: (version of the message, of the flow) -> octets.
ROOM = {(6, 6): 1280 - 40 - 8 - 40, (6, 4): 1280 - 40 - 8 - 16, (4, 4): 576 - 20 - 8 - 16, (4, 6): 576 - 20 - 8 - 40}


def packed(text):
    return ip_address(text).packed


def arriving(packet):
    kind = b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\x00"
    return cases.mac(cases.SWITCH_MAC) + cases.mac(SENDERS) + kind + packet


def summed4(header):
    return header[:10] + struct.pack("!H", sums.ipv4_checksum(header)) + header[12:]


def carried(protocol, payload, source=SENDER, destination=RECEIVER):
    """A packet of any protocol in class 3."""
    if ip_address(source).version == 6:
        return arriving(struct.pack("!IHBB", 0x66A00000, len(payload), protocol, 64) + packed(source) + packed(destination) + payload)
    header = struct.pack("!BBHHHBBH", 0x45, 0x6A, 20 + len(payload), 7, 0x4000, 64, protocol, 0) + packed(source) + packed(destination)
    return arriving(summed4(header) + payload)


def with_option(frame, address, kind=OPTION, length=16, first=False):
    """A Destination Options header with the address of a proxy in front of UDP: PadN of four octets and the option, or the option
    first. length: what Opt Data Len says, with as much more padding."""
    f = bytearray(frame)
    option = bytes((kind, length)) + packed(address)[:length] + bytes(max(0, length - 16))
    pad = lambda n: b"" if n == 0 else b"\0" if n == 1 else bytes((1, n - 2)) + bytes(n - 2)
    body = option if first else pad(4) + option
    body += pad(-(2 + len(body)) % 8)
    header = bytes((f[20], (2 + len(body)) // 8 - 1)) + body
    f[20] = 60
    f[18:20] = struct.pack("!H", struct.unpack("!H", f[18:20])[0] + len(header))
    return cases.finish(bytes(f[:54]) + header + bytes(f[54:]))


def message(packet, level, to, flow, source=None):
    """The whole IP packet that tells a proxy. packet: the invoking one, from its IP header on, as it is in the switch.
    flow: protocol, source port, destination port."""
    version, inner = ip_address(to).version, packet[0] >> 4
    addresses = packet[8:40] if inner == 6 else packet[12:20]
    told = bytes((inner << 4 | level << 1, flow[0], 0, 0)) + struct.pack("!HH", flow[1], flow[2]) + addresses
    told += packet[:ROOM[version, inner]]
    described = told[:40 if inner == 6 else 16]
    source = packed(source or (SWITCH6 if version == 6 else SWITCH4))
    udp = struct.pack("!HHHH", 0xC000 + (zlib.crc32(described) & 0x3FFF), PORT, 8 + len(told), 0) + told
    if version == 6:
        head = struct.pack("!IHBB", 0x6C000000, len(udp), 17, 64) + source + packed(to)
    else:
        head = summed4(struct.pack("!BBHHHBBH", 0x45, 0xC0, 20 + len(udp), 0, 0x4000, 64, 17, 0) + source + packed(to))
    whole = bytearray(b"\0" * 14 + head + udp)
    at = 14 + len(head)
    whole[at + 6:at + 8] = struct.pack("!H", sums.udp_checksum(whole, 14, at, len(whole)))
    return bytes(whole[14:])


def one_of_each(w6, w4, n):
    """(proxy that is told, or why none is, (protocol, ports) of the flow, frame) for each thing that a congested switch tells apart;
    n makes flows of them."""
    sport = 0xC000 + n
    roce = lambda source=SENDER, **more: cases.variant(w6, src=source, dst=RECEIVER, dmac=cases.SWITCH_MAC, smac=SENDERS, sport=sport, qp=n,
                                                       traffic_class=0x6A, **{"length": 500, **more})
    four = lambda source=SENDER4, **more: cases.variant(w4, src=source, dst=RECEIVER4, dmac=cases.SWITCH_MAC, smac=SENDERS, sport=sport,
                                                        qp=n, traffic_class=0x6A, **{"length": 500, **more})
    ports = struct.pack("!HH", sport, 443)
    udp = lambda port, size: struct.pack("!HHHH", sport, port, 8 + size, 0xBEEF) + bytes(size)
    tcp = ports + struct.pack("!IIHHHH", 1, 2, 0x5010, 512, 0xBEEF, 0) + bytes(400)
    tunnel = lambda frame: arriving(headend.outer(frame, ("encaps", ("2001:db8:e2:1::1", "2001:db8:e4:1::d6"), True, None, 64),
                                                  "2001:db8:e1:1::c") + frame[14:])
    ib = (17, sport, 4791)
    found = [
        (PROXY, ib, roce()),
        (SECOND, ib, roce(LONGER)),
        (PROXY4, ib, roce(TO_IPV4)),
        (PROXY4, ib, four()),
        (PROXY, ib, four(TO_IPV6)),
        (BY_OPTION, ib, with_option(roce(UNKNOWN), BY_OPTION)),
        (BY_OPTION, ib, with_option(roce(UNKNOWN), BY_OPTION, first=True)),
        (BY_OPTION + " " + PROXY, ib, with_option(roce(), BY_OPTION)),
        (PROXY, (6, sport, 443), carried(6, tcp)),
        (PROXY4, (6, sport, 443), carried(6, tcp, SENDER4, RECEIVER4)),
        (PROXY, (17, sport, 5001), carried(17, udp(5001, 300))),
        (PROXY4, (17, sport, 5001), carried(17, udp(5001, 300), SENDER4, RECEIVER4)),
        (PROXY, (132, 0, 0), carried(132, ports + bytes(200))),
        (PROXY, (47, 0, 0), carried(47, b"\0\0\x08\0" + bytes(100 + n))),
        ("not_data", None, carried(58, bytes((128, 0, 0x12, 0x34)) + struct.pack("!HH", 7, n) + bytes(100))),
        (PROXY, ib, tunnel(roce())),
        (PROXY4, ib, tunnel(four())),
        # A node on the way of an SRv6 tunnel: the option is in the packet that entered it, and the message quotes that.
        (BY_OPTION, ib, tunnel(with_option(roce(UNKNOWN), BY_OPTION))),
        (BY_OPTION + " " + PROXY, ib, tunnel(with_option(roce(), BY_OPTION))),
        ("no_proxy", ib, roce(UNKNOWN)),
        ("no_proxy", ib, four(UNKNOWN4)),
        ("no_proxy", ib, with_option(roce(UNKNOWN), "ff0e::99")),
        ("no_proxy", ib, with_option(roce(UNKNOWN), "fe80::99")),
        ("no_proxy", ib, with_option(roce(UNKNOWN), "::")),
        ("no_proxy", ib, with_option(roce(UNKNOWN), BY_OPTION, length=8)),
        ("no_proxy", ib, with_option(roce(UNKNOWN), BY_OPTION, length=18)),
        ("no_proxy", ib, with_option(roce(UNKNOWN), BY_OPTION, kind=0x1F)),
        ("not_data", ib, opcode(roce(), 0x11)),
        ("not_data", ib, opcode(roce(), 0x12)),
        ("not_data", None, carried(17, udp(PORT, 100))),
        ("not_data", None, carried(58, bytes((1, 3, 0x12, 0x34)) + bytes(104))),
        ("fragment", ib, cases.fragment(roce())),
        ("fragment", ib, cases.fragment(four())),
        ("source", ib, tunnel(roce("ff0e::10"))),
    ]
    return found


def opcode(frame, number):
    f = bytearray(frame)
    f[62] = number
    return cases.finish(f)


def limits(w6, w4, n):
    """The same for packets that just fit into a message, or are an octet too long or too short for it: (proxy, flow, frame)."""
    found = []
    sport = 0xD000 + n
    for proxy, source, key in ((PROXY, SENDER, (6, 6)), (PROXY4, TO_IPV4, (4, 6)), (PROXY4, SENDER4, (4, 4)), (PROXY, TO_IPV6, (6, 4))):
        for more in (-1, 0, 1, 100):
            size = ROOM[key] + more
            if key[1] == 6:
                payload = struct.pack("!HHHH", sport, 5002, size - 40, 0xBEEF) + bytes(k & 0xFF for k in range(size - 48))
                found.append((proxy, (17, sport, 5002), carried(17, payload, source)))
            else:
                payload = struct.pack("!HHHH", sport, 5002, size - 20, 0xBEEF) + bytes(k & 0xFF for k in range(size - 28))
                found.append((proxy, (17, sport, 5002), carried(17, payload, source, RECEIVER4)))
            sport += 1
    return found


def captures(w6, w4):
    """name -> [(ns, frame)]; 5 us apart, of which the slow port needs more."""
    each = [f for n in range(1, 7) for _, _, f in one_of_each(w6, w4, n)]
    cut = [f for n in range(3) for _, _, f in limits(w6, w4, 16 * n)]
    return {"cnm-data": [(2000 * k, f) for k, f in enumerate(each)], "cnm-limits": [(5000 * k, f) for k, f in enumerate(cut)]}
