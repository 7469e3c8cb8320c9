# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Adaptive Routing Notifications that a switch receives, octet by octet, and what becomes of each.

The switch is 2001:db8:f::1; sources are 2001:db8:f::/64, of which each may send two messages at once, and all together as many as
TOTAL. One message a microsecond comes, and a token a millisecond.
"""

import struct
from ipaddress import ip_address

import cases
from fcnoracle import sums

PORT = 1022
SWITCH, OTHER = ip_address("2001:db8:f::1").packed, ip_address("2001:db8:1::10").packed
SENDER, RECEIVER = ip_address("2001:db8:1::10").packed, ip_address("2001:db8:2::20").packed
PE, LAST = ip_address("2001:db8:e2:1::c").packed, ip_address("2001:db8:e4:1::d6").packed
FLOW6 = bytes([0x60, 17, 0, 0]) + struct.pack("!HH", 0xc0de, 4791) + SENDER + RECEIVER
FLOW4 = bytes([0x40, 6, 0, 0]) + struct.pack("!HH", 5000, 80) + bytes([10, 0, 1, 1, 10, 0, 2, 2])
SERVICE = bytes([0x60, 41, 0, 0]) + bytes(4) + PE + LAST
FLOW, PATH, PRIORITY, TIME = 0x80, 0x40, 0x20, 0x10
TAKEN, SENT_ON, HOST = "taken", "sent on", "local"
TOTAL = 30


def word(n):
    return struct.pack("!I", n)


def message(kind, what, *parameters, version=0x10, level=5):
    return struct.pack("!BBBB", kind, version, level, what) + b"".join(parameters)


def frame(source, arn, to=SWITCH, port=PORT, udp_length=0, checksum=None, pad=b"", hops=255):
    """A message in its frame. udp_length: how much more the UDP header says; checksum: what is added to the right one."""
    header = struct.pack("!IHBB", 0x6c000000, 8 + len(arn), 17, hops) + ip_address("2001:db8:f::%x" % source).packed + to
    f = bytearray(cases.mac("02:00:00:00:01:02") + cases.mac("02:00:00:00:02:02") + b"\x86\xdd" + header +
                  struct.pack("!HHHH", PORT, port, 8 + len(arn) + udp_length, 0) + arn)
    right = sums.udp_checksum(f, 14, 54, len(f))
    struct.pack_into("!H", f, 60, right if checksum is None else (right + checksum) & 0xFFFF if checksum else 0)
    return bytes(f) + pad


def entries():
    """(frame, what becomes of it)."""
    halt = message(1, FLOW | TIME, FLOW6, word(500))
    priority = message(1, PRIORITY | TIME, word(3), word(250))
    good = [
        halt,
        message(1, FLOW | TIME, SERVICE, word(500)),
        priority,
        message(1, FLOW | TIME, FLOW4, word(1)),
        message(1, FLOW | PATH | TIME, FLOW6, word(0x12345678), word(0xFFFFFFFF)),
        message(1, FLOW | PATH | PRIORITY | TIME, FLOW6, word(7), word(7), word(10)),
        message(1, FLOW | TIME, FLOW6, word(0)),                  # resume at once
        message(2, FLOW | TIME, FLOW6, word(0)),
        message(2, FLOW, SERVICE),                                # an end needs no time
        message(2, PRIORITY, word(3)),
        message(1, FLOW | TIME, FLOW6, word(500), version=0x1F),  # reserved bits
        message(1, FLOW | TIME, FLOW6, word(500), level=7),
    ]
    bad = [
        (halt[:3], "arn_truncated"),
        (halt[:-1], "arn_truncated"),
        (halt[:4], "arn_truncated"),
        (message(1, FLOW | PATH | TIME, FLOW6, word(500)), "arn_truncated"),
        (message(1, FLOW | TIME, FLOW6, word(500), version=0x20), "arn_version"),
        (message(0, FLOW | TIME, FLOW6, word(500)), "arn_type"),
        (message(3, FLOW | TIME, FLOW6, word(500)), "arn_type"),
        (message(1, FLOW | TIME, FLOW6, word(500), level=8), "arn_level"),
        (message(1, FLOW | TIME | 0x08, FLOW6, word(500), word(0)), "arn_unknown_parameter"),
        (message(1, FLOW | TIME | 0x01, FLOW6, word(500)), "arn_unknown_parameter"),
        (message(1, FLOW | TIME, b"\x50" + FLOW6[1:], word(500)), "arn_flow"),
        (message(1, PRIORITY | TIME, word(8), word(250)), "arn_priority"),
        (halt + b"\0", "arn_length"),
        (message(1, PATH | TIME, word(1), word(500)), "arn_no_flow"),
        (message(1, FLOW, FLOW6), "arn_no_time"),
    ]
    out, source = [], 0x10
    for arn in good:
        source += 1
        out.append((frame(source, arn), TAKEN))
    for arn, why in bad:
        source += 1
        out.append((frame(source, arn), why))
    # One that is refused takes a token of its source: here, and in all of those above.
    out += [(frame(source, halt), TAKEN), (frame(source, halt), "arn_rate")]
    # TOTAL has 2 tokens left.
    assert len(out) - 1 == TOTAL - 2
    out += [(frame(0x80, halt, hops=1, pad=bytes(9)), "arn_hop_limit"), (frame(0x81, priority), TAKEN)]
    out += [(frame(0x82, halt), TAKEN), (frame(0x83, priority), "arn_total")]
    # What is to another port or to another node is no message to the switch.
    out += [(frame(0x84, halt, port=PORT + 1), HOST), (frame(0x84, halt, to=OTHER), SENT_ON)]
    return out


def later():
    """(frame, what becomes of it), a second later, when all tokens are there again: UDP, and the access list."""
    halt = message(1, FLOW | TIME, FLOW6, word(500))
    forged = bytearray(frame(0x90, halt))
    forged[22 + 7] ^= 1  # 2001:db8:f:1::90
    struct.pack_into("!H", forged, 60, 0)
    struct.pack_into("!H", forged, 60, sums.udp_checksum(forged, 14, 54, len(forged)))
    return [(frame(0x91, halt, checksum=1), "arn_udp_checksum"), (frame(0x92, halt, checksum=0), "arn_udp_checksum"),
            (frame(0x93, halt, udp_length=-1), "arn_udp_length"), (frame(0x94, halt, udp_length=1), "arn_udp_length"),
            (bytes(forged), "arn_access"), (frame(0x95, halt), TAKEN)]


def captures():
    """name -> list of (time in ns, frame)."""
    came = [(i * 1000, f, what) for i, (f, what) in enumerate(entries())]
    came += [(10**9 + i * 1000, f, what) for i, (f, what) in enumerate(later())]
    sent = [(at, cases.mac("02:00:00:00:02:01") + cases.mac("02:00:00:00:01:01") + f[12:21] +
             bytes([f[21] - 1]) + f[22:]) for at, f, what in came if what == SENT_ON]
    return {"arn-receive": [(at, f) for at, f, _ in came], "arn-receive-out": sent}


def drops():
    """Reason -> packets."""
    found = {}
    for _, what in entries() + later():
        if what not in (TAKEN, SENT_ON):
            found[what] = found.get(what, 0) + 1
    return found


def taken():
    return sum(what == TAKEN for _, what in entries() + later())
