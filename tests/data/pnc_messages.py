#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Frames with link-state messages that have the Proxy Node Capability, or SRv6 SIDs of END.CON, made from the RFCs alone.

Usage: pnc_messages.py [--check]. Writes pnc-messages.txt: a line for each frame, its name and its
octets in hexadecimal. --check compares instead, and exits 1 when they differ. Nothing here shares
code with fastcn; tests/oracle/test_pnc_messages.py shows each frame to tshark.
"""

import hashlib
import hmac
import ipaddress
import pathlib
import struct
import sys

OUT = pathlib.Path(__file__).with_name("pnc-messages.txt")
MAC = bytes.fromhex("020000000a01")
APAD = bytes.fromhex("878fe1f3")
P, N, R = 0x01, 0x20, 0x40  # Prefix Attribute Flags of IS-IS, first octet
END, CON = 1, 0x8000  # endpoint behaviors of SRv6; that of END.CON is not assigned


def ip(text):
    return ipaddress.ip_address(text).packed


def fletcher(data, at):
    """Set the checksum octets at `at` so that both sums are 0: by trying, not by a formula."""
    def sums(octets):
        a = b = 0
        for octet in octets:
            a = (a + octet) % 255
            b = (b + a) % 255
        return a, b
    behind = len(data) - at - 1
    data = data[:at] + b"\0\0" + data[at + 2:]
    a, b = sums(data)
    for x in range(1, 256):
        y = next(y for y in range(1, 256) if (a + x + y) % 255 == 0)
        if (b + x * (behind + 1) + y * behind) % 255 == 0:
            done = data[:at] + bytes((x, y)) + data[at + 2:]
            assert sums(done) == (0, 0)
            return done
    raise AssertionError


def ones(data):
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(">%dH" % (len(data) // 2), data))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def keyed(name, secret, data):
    """HMAC with the key of RFC 5310, 5709 and 7166: a longer one than the digest is hashed."""
    length = hashlib.new(name).digest_size
    key = hashlib.new(name, secret).digest() if len(secret) > length else secret
    return hmac.new(key, data, name).digest()


# IS-IS

def tlv(kind, value):
    return bytes((kind, len(value))) + value


def subs(flags, source4=None, source6=None):
    out = b"" if flags is None else tlv(4, bytes((flags,)))
    if source4:
        out += tlv(11, ip(source4))
    if source6:
        out += tlv(12, ip(source6))
    return out


def reach(prefix, flags=None, metric=10, down=0, **source):
    """An entry of TLV 135 or 236."""
    net = ipaddress.ip_network(prefix)
    octets = net.network_address.packed[:(net.prefixlen + 7) // 8]
    inner = subs(flags, **source)
    has = 1 if inner else 0
    tail = bytes((len(inner),)) + inner if has else b""
    if net.version == 4:
        return struct.pack(">IB", metric, down << 7 | has << 6 | net.prefixlen) + octets + tail
    return struct.pack(">IBB", metric, down << 7 | has << 5, net.prefixlen) + octets + tail


def end_sid(sid, behavior=CON, inner=tlv(1, bytes((48, 16, 16, 0)))):
    """An SRv6 End SID sub-TLV (RFC 9352 section 7.2), by default with the structure of the SID."""
    return tlv(5, struct.pack(">BH", 0, behavior) + ip(sid) + bytes((len(inner),)) + inner)


def locator(prefix, *sids, metric=10, down=0):
    """An entry of an SRv6 Locator TLV (RFC 9352 section 7.1)."""
    net = ipaddress.ip_network(prefix)
    octets = net.network_address.packed[:(net.prefixlen + 7) // 8]
    inner = b"".join(sids)
    return struct.pack(">IBBB", metric, down << 7, 0, net.prefixlen) + octets + bytes((len(inner),)) + inner


def locators(*entries, topology=0):
    return tlv(27, struct.pack(">H", topology) + b"".join(entries))


def lsp(body, level=1, system="192000000001", fragment=0, seq=5, life=1200, auth=None):
    """auth: (algorithm, key ID, secret)"""
    def whole(value, checksum=b"\0\0", lifetime=0):
        tlvs = (tlv(10, value) if auth else b"") + body
        head = struct.pack(">BBBBBBBB", 0x83, 27, 1, 0, 18 if level == 1 else 20, 1, 0, 0)
        head += struct.pack(">HH", 27 + len(tlvs), lifetime)
        head += bytes.fromhex(system) + bytes((0, fragment)) + struct.pack(">I", seq)
        return head + checksum + bytes((3 if level == 2 else 1,)) + tlvs
    value = b""
    if auth:
        name, key_id, secret = auth
        if name == "password":
            value = b"\x01" + secret
        elif name == "md5":
            value = b"\x36" + hmac.new(secret, whole(b"\x36" + bytes(16)), "md5").digest()
        else:
            start = b"\x03" + struct.pack(">H", key_id)
            pad = APAD * (hashlib.new(name).digest_size // 4)
            value = start + keyed(name, secret, whole(start + pad))
    pdu = whole(value, lifetime=life)
    if life:
        pdu = pdu[:12] + fletcher(pdu[12:], 12)
    return pdu


def llc(pdu, tag=b"", level=1, least=60):
    frame = bytes((1, 0x80, 0xC2, 0, 0, 0x13 + level)) + MAC + tag
    frame += struct.pack(">H", len(pdu) + 3) + b"\xfe\xfe\x03" + pdu
    return frame.ljust(least, b"\0")


AREA = tlv(1, bytes.fromhex("03490001"))
IDS = tlv(134, ip("192.0.2.1")) + tlv(140, ip("2001:db8:ffff::1"))
FIRST = AREA + IDS + tlv(135, reach("10.1.0.0/16", P) + reach("10.2.0.0/16", N) +
                         reach("10.3.0.0/17", P, source4="198.51.100.7", source6="2001:db8::7"))
FIRST += tlv(236, reach("2001:db8:1::/48", P) + reach("2001:db8:9::/48"))
FIRST += tlv(235, b"\0\0" + reach("10.4.4.0/22", P)) + tlv(237, b"\0\2" + reach("2001:db8:2::/47", P, source6="2001:db8::8"))


def isis():
    yield "isis-l1", llc(lsp(FIRST))
    yield "isis-l1-newer", llc(lsp(AREA + IDS + tlv(135, reach("10.1.0.0/16", P)), seq=6))
    yield "isis-l1-purge", llc(lsp(b"", seq=7, life=0))
    yield "isis-l1-conflict", llc(lsp(AREA + IDS, seq=6))
    two = dict(level=2, system="192000000002")
    yield "isis-l2-0", llc(lsp(AREA + tlv(135, reach("192.0.2.9/32", N, 0) + reach("192.0.2.8/31", N, 0)), **two), level=2)
    yield "isis-l2-1", llc(lsp(tlv(135, reach("10.9.0.0/16", P)), fragment=1, **two), level=2)
    yield "isis-leaked", llc(lsp(AREA + IDS + tlv(135, reach("10.5.0.0/16", P | R) + reach("10.6.0.0/16", P, down=1) +
                                                  reach("10.7.0.0/16", P | R, source4="192.0.2.77") +
                                                  reach("192.0.2.88/32", P | N | R) + reach("10.8.0.0/16", P, metric=0xFE000001)),
                                 system="192000000003"))
    tag = bytes.fromhex("8100e064")
    small = AREA + tlv(134, ip("192.0.2.4")) + tlv(135, reach("10.10.0.0/16", P))
    yield "isis-vlan", llc(lsp(small, system="192000000004"), tag, least=90)
    yield "isis-bad-tlv", llc(lsp(AREA + tlv(134, ip("192.0.2.5")) + tlv(135, reach("10.11.0.0/16", P) + b"\0\0\0\x0a\x21") +
                                  tlv(135, reach("10.12.0.0/16", P)), system="192000000005"))
    for name, key_id, secret in KEYS:
        yield "isis-auth-" + name, llc(lsp(small, system="192000000004", seq=9, auth=(name, key_id, secret)))
    # The flags of a prefix are the other sub-TLV of this locator.
    pe = locator("2001:db8:e1:1::/64", tlv(4, bytes((N,))), end_sid("2001:db8:e1:1::1", END), end_sid("2001:db8:e1:1::c"))
    who = dict(level=2, system="192000000011")
    yield "isis-endcon", llc(lsp(AREA + tlv(140, ip("2001:db8:ffff::11")) + locators(pe, locator(
        "2001:db8:e1:2::/63", end_sid("2001:db8:e1:3::c", inner=b""))) + tlv(236, reach("2001:db8:e1:1::c/128", P)), **who), level=2)
    yield "isis-endcon-newer", llc(lsp(AREA + locators(locator("2001:db8:e1:1::/64", end_sid("2001:db8:e1:1::d"), down=1),
                                                       topology=2), seq=6, **who), level=2)
    yield "isis-endcon-bad", llc(lsp(AREA + locators(
        locator("2001:db8:e5::/48", end_sid("2001:db8:e6::c")), locator("ff02::/16", end_sid("ff02::c")),
        locator("fe80::/10", end_sid("fe80::c")), locator("2001:db8:e6::/48", end_sid("2001:db8:e6::c"), metric=0xFE000001),
        locator("2001:db8:e7::/48", end_sid("2001:db8:e7::c"), end_sid("2001:db8:e7::c"))) +
        locators(locator("2001:db8:e8::/48", end_sid("2001:db8:e8::c"))[:-1]), level=2, system="192000000012"), level=2)
    yield "isis-auth-purge", llc(lsp(b"", system="192000000004", seq=10, life=0, auth=KEYS[1]))


LONG = b"a secret that is longer than the digests"
KEYS = (("password", 0, b"open sesame"), ("md5", 0, b"md5 secret"), ("sha1", 77, b"sha1 secret"), ("sha224", 77, b"x"),
        ("sha256", 300, LONG), ("sha384", 4, b"sha384 secret"), ("sha512", 5, b"sha512 secret"))


# OSPF, both versions

def pad4(data):
    return data + bytes(-len(data) % 4)


def otlv(kind, value):
    return struct.pack(">HH", kind, len(value)) + pad4(value)


def lsa(second, lsid, body, router="192.0.2.21", seq=0x80000003, age=1):
    """second: the octets 2 and 3, which are options and type, or the type of OSPFv3"""
    whole = struct.pack(">HHI", 0, second, lsid) + ip(router) + struct.pack(">IHH", seq, 0, 20 + len(body)) + body
    return struct.pack(">H", age) + fletcher(whole[2:], 14)


FLAG = bytes.fromhex("20000000")


def prefix2(prefix, route=1, flags=0, attributes=otlv(11, FLAG)):
    net = ipaddress.ip_network(prefix)
    return otlv(1, bytes((route, net.prefixlen, 0, flags)) + net.network_address.packed + attributes)


def area2(body, lsid=1, **more):
    return lsa(0x4200 | 10, 7 << 24 | lsid, body, **more)


def update2(lsas, auth=None, ttl=1, router="192.0.2.21", number=1234):
    body = struct.pack(">I", len(lsas)) + b"".join(lsas)
    head = struct.pack(">BBH", 2, 4, 24 + len(body)) + ip(router) + ip("0.0.0.0")
    tail = b""
    if auth is None or auth[0] == "password":
        kind, field = (0, bytes(8)) if auth is None else (1, auth[2].ljust(8, b"\0"))
        packet = head + struct.pack(">HH", ones(head + struct.pack(">HH", 0, kind) + body), kind) + field + body
    else:
        name, key_id, secret = auth
        size = hashlib.new(name).digest_size
        packet = head + struct.pack(">HHHBBI", 0, 2, 0, key_id, size, number) + body
        if name == "md5":
            tail = hashlib.md5(packet + secret.ljust(16, b"\0")).digest()
        else:
            tail = keyed(name, secret, packet + APAD * (size // 4))
    payload = packet + tail
    ip4 = struct.pack(">BBHHHBBH", 0x45, 0xC0, 20 + len(payload), 0, 0, ttl, 89, 0) + ip("198.51.100.1") + ip("224.0.0.5")
    ip4 = ip4[:10] + struct.pack(">H", ones(ip4)) + ip4[12:]
    return (bytes.fromhex("01005e000005") + MAC + b"\x08\0" + ip4 + payload).ljust(60, b"\0")


def te2(address, router):
    return lsa(0x420A, 1 << 24, otlv(1, ip(address)), router=router)


OSPF_KEYS = (("password", 0, b"8 octets"), ("md5", 7, b"md5 secret"), ("sha1", 77, b"sha1 secret"), ("sha256", 200, LONG),
             ("sha384", 4, b"sha384 secret"), ("sha512", 5, b"sha512 secret"))


def ospf():
    first = [te2("192.0.2.121", "192.0.2.21"), area2(prefix2("10.21.0.0/16") + prefix2("10.22.0.0/16", attributes=b""))]
    yield "ospf", update2(first)
    yield "ospf-named", update2([area2(prefix2("10.23.0.0/16", 3, attributes=otlv(11, FLAG) + otlv(5, ip("192.0.2.99"))) +
                                       prefix2("10.24.0.0/16", 3, attributes=otlv(4, ip("192.0.2.21")) + otlv(11, FLAG)) +
                                       prefix2("10.25.0.0/16", 3) + prefix2("192.0.2.66/32", 3), router="192.0.2.22")])
    yield "ospf-node", update2([area2(prefix2("192.0.2.123/32", 1, 0x40, b""), 1, router="192.0.2.23"),
                                area2(prefix2("10.26.0.0/16"), 2, router="192.0.2.23")])
    yield "ospf-id", update2([area2(prefix2("10.27.0.0/16"), router="192.0.2.24")])
    yield "ospf-scopes", update2([lsa(0x420B, 7 << 24, prefix2("10.28.0.0/16", 5), router="192.0.2.21"),
                                  lsa(0x4209, 7 << 24, prefix2("10.29.0.0/16"), router="192.0.2.21"),
                                  lsa(0x4201, 0, bytes(4), router="192.0.2.21")])
    yield "ospf-newer", update2([area2(prefix2("10.22.0.0/16"), seq=0x80000004)])
    yield "ospf-flush", update2([area2(prefix2("10.22.0.0/16"), seq=0x80000004, age=3600)])
    yield "ospf-malformed", update2([area2(prefix2("10.21.0.0/16", attributes=struct.pack(">HH", 11, 2) + b"\x20\0\0\0"),
                                           seq=0x80000009)])
    yield "ospf-distant", update2(first, ttl=17)
    for key in OSPF_KEYS:
        yield "ospf-auth-" + key[0], update2(first, key)


def prefix3(prefix, kind=6, metric=10, options=0, attributes=otlv(37, FLAG)):
    net = ipaddress.ip_network(prefix)
    octets = net.network_address.packed[:(net.prefixlen + 31) // 32 * 4]
    return otlv(kind, struct.pack(">IBBH", metric, net.prefixlen, options, 0) + octets + attributes)


def end_sid3(sid, behavior=CON, inner=otlv(10, bytes((48, 16, 16, 0)))):
    """An SRv6 End SID sub-TLV (RFC 9513 section 8)."""
    return otlv(1, struct.pack(">BBH", 0, 0, behavior) + ip(sid) + inner)


def locator3(prefix, *sids, metric=10, route=1, options=0):
    """An SRv6 Locator TLV (RFC 9513 section 7.1); the locator has as many words of 32 bits as it needs."""
    net = ipaddress.ip_network(prefix)
    octets = net.network_address.packed[:(net.prefixlen + 31) // 32 * 4]
    return otlv(1, struct.pack(">BBBBI", route, 0, net.prefixlen, options, metric) + octets + b"".join(sids))


def locators3(*entries, kind=0xA02A, **more):
    """An SRv6 Locator LSA (RFC 9513 section 7)."""
    return lsa(kind, 1, b"".join(entries), **more)


def attached(router):
    return struct.pack(">HHI", 0, 0xA021, 0) + ip(router)


def update3(lsas, auth=None, instance=0, router="192.0.2.31", number=99, protocol_id=b"\0\1"):
    src, dst = ip("fe80::31"), ip("ff02::5")
    body = struct.pack(">I", len(lsas)) + b"".join(lsas)
    packet = struct.pack(">BBH", 3, 4, 16 + len(body)) + ip(router) + ip("0.0.0.0") + struct.pack(">HBB", 0, instance, 0) + body
    tail = b""
    if auth is None:
        pseudo = src + dst + struct.pack(">II", len(packet), 89)
        packet = packet[:12] + struct.pack(">H", ones(pseudo + packet)) + packet[14:]
    else:
        name, key_id, secret = auth
        size = hashlib.new(name).digest_size
        head = struct.pack(">HHHHQ", 1, 16 + size, 0, key_id, number)
        pad = src + APAD * ((size - 16) // 4)
        tail = head + keyed(name, secret + protocol_id, packet + head + pad)
    ip6 = struct.pack(">IHBB", 6 << 28 | 0xC0 << 20, len(packet) + len(tail), 89, 1) + src + dst
    return bytes.fromhex("333300000005") + MAC + b"\x86\xdd" + ip6 + packet + tail


def ospf3():
    one = "192.0.2.31"
    te = lsa(0xA00A, 0, otlv(3, ip("2001:db8:ffff::31")), router=one)
    first = [te, lsa(0xA029, 1, attached(one) + prefix3("2001:db8:31::/48") + prefix3("2001:db8:32::/64", attributes=b""), router=one)]
    yield "ospf3", update3(first)
    yield "ospf3-named", update3([lsa(0xA023, 1, prefix3("2001:db8:33::/48", 3, attributes=otlv(37, FLAG) + otlv(28, ip("2001:db8::99"))) +
                                      prefix3("2001:db8:34::/48", 3, attributes=otlv(27, ip(one)) + otlv(37, FLAG)) +
                                      prefix3("2001:db8:35::/48", 3) + prefix3("2001:db8:36::/48", 3, metric=0xFFFFFF), router="192.0.2.32")])
    yield "ospf3-node", update3([lsa(0xA029, 1, attached("192.0.2.33") + prefix3("2001:db8:ffff::33/128", options=0x20, attributes=b"") +
                                     prefix3("2001:db8:8000::/33"), router="192.0.2.33")])
    yield "ospf3-external", update3([lsa(0xC025, 1, prefix3("2001:db8:38::/48", 5), router=one),
                                     lsa(0xA027, 1, prefix3("2001:db8:39::/48", 5), router=one),
                                     lsa(0xA021, 1, bytes(4), router=one)])
    yield "ospf3-ipv4", update3([lsa(0xA029, 1, attached(one) + prefix3("10.31.0.0/16", attributes=otlv(37, FLAG) + otlv(28, ip("192.0.2.131"))),
                                     router=one)], instance=64)
    pe = dict(router="192.0.2.34")
    yield "ospf3-endcon", update3([locators3(
        locator3("2001:db8:e1:1::/64", otlv(4, ip("192.0.2.34")), end_sid3("2001:db8:e1:1::1", END), end_sid3("2001:db8:e1:1::c")),
        locator3("2001:db8:e1:2::/63", end_sid3("2001:db8:e1:3::c", inner=b""), route=2), **pe),
        locators3(locator3("2001:db8:e2::/47", end_sid3("2001:db8:e3::c"), route=3), kind=0xC02A, **pe)])
    yield "ospf3-endcon-newer", update3([locators3(locator3("2001:db8:e1:1::/64", end_sid3("2001:db8:e1:1::d")), seq=0x80000004, **pe)])
    yield "ospf3-endcon-flush", update3([locators3(seq=0x80000005, age=3600, **pe)])
    yield "ospf3-endcon-bad", update3([locators3(
        locator3("2001:db8:e5::/48", end_sid3("2001:db8:e6::c")), locator3("ff02::/16", end_sid3("ff02::c")),
        locator3("2001:db8:e6::/48", end_sid3("2001:db8:e6::c"), metric=0xFFFFFFFF),
        locator3("2001:db8:e6::/48", end_sid3("2001:db8:e6::d"), options=1),
        locator3("2001:db8:e6::/48", end_sid3("2001:db8:e6::e"), route=7),
        locator3("2001:db8:e7::/48", end_sid3("2001:db8:e7::c"), end_sid3("2001:db8:e7::c")), router="192.0.2.35")])
    yield "ospf3-endcon-malformed", update3([locators3(locator3("2001:db8:e8::/48", end_sid3("2001:db8:e8::c"), otlv(1, bytes(19))),
                                                       router="192.0.2.35", seq=0x80000004)])
    yield "ospf3-endcon-ipv4", update3([locators3(locator3("2001:db8:e9::/48", end_sid3("2001:db8:e9::c")), router="192.0.2.36")],
                                       instance=64)
    yield "ospf3-flush", update3([lsa(0xA029, 1, attached(one), router=one, age=3600)])
    yield "ospf3-malformed", update3([lsa(0xA029, 1, attached(one) + prefix3("2001:db8:31::/48", attributes=otlv(37, bytes(6))), router=one,
                                          seq=0x80000004)])
    for key in OSPF_KEYS[2:]:
        yield "ospf3-auth-" + key[0], update3(first, key)
    # As FRRouting does it on a little-endian host.
    yield "ospf3-frr-sha384", update3(first, OSPF_KEYS[4], protocol_id=b"\1\0")


def built():
    """What fastcn builds from the same contents, octet for octet."""
    body = tlv(134, ip("192.0.2.7")) + tlv(140, ip("2001:db8:ffff::7"))
    body += tlv(135, reach("10.70.0.0/16", P) + reach("192.0.2.7/32", N) + reach("10.71.0.0/17", P | R, down=1, source4="192.0.2.70"))
    body += tlv(236, reach("2001:db8:70::/48", P, source6="2001:db8::70"))
    who = dict(level=2, system="192000000007", fragment=3, seq=9)
    yield "built-isis", llc(lsp(body, **who), level=2)
    for key in KEYS:
        yield "built-isis-" + key[0], llc(lsp(body, auth=key, **who), level=2)
    yield "built-isis-purge", llc(lsp(b"", life=0, auth=KEYS[4], **who), level=2, least=0)

    who = dict(router="192.0.2.8", seq=0x80000009, age=1)
    lsas = [lsa(0x420A, 1 << 24 | 3, otlv(1, ip("192.0.2.8")), **who),
            area2(prefix2("10.80.0.0/16") + prefix2("192.0.2.8/32", flags=0x40, attributes=b"") +
                  prefix2("10.81.0.0/17", 3, attributes=otlv(11, FLAG) + otlv(5, ip("192.0.2.80"))), 3, **who)]
    yield "built-ospf", update2(lsas, router="192.0.2.8")
    for key in OSPF_KEYS:
        yield "built-ospf-" + key[0], update2(lsas, key, router="192.0.2.8", number=0x80000009)
    who = dict(router="192.0.2.9", seq=0x80000009, age=1)
    lsas = [lsa(0xA00A, 3, otlv(3, ip("2001:db8:ffff::9")), **who),
            lsa(0xA029, 3, attached("192.0.2.9") + prefix3("2001:db8:90::/48") +
                prefix3("2001:db8:ffff::9/128", options=0x20, attributes=b""), **who),
            lsa(0xA023, 3, prefix3("2001:db8:91::/64", 3, attributes=otlv(37, FLAG) + otlv(28, ip("2001:db8::90"))), **who)]
    yield "built-ospf3", update3(lsas, router="192.0.2.9")
    for key in OSPF_KEYS[2:]:
        yield "built-ospf3-" + key[0], update3(lsas, key, router="192.0.2.9", number=0x80000009)


def text():
    frames = list(isis()) + list(ospf()) + list(ospf3()) + list(built())
    assert len({name for name, _ in frames}) == len(frames)
    return "".join("%s %s\n" % (name, frame.hex()) for name, frame in frames)


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        print(__doc__)
        return 1
    if sys.argv[1:]:
        if OUT.read_text() != text():
            print("%s is not what pnc_messages.py makes" % OUT.name)
            return 1
        return 0
    OUT.write_text(text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
