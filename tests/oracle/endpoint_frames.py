#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The frames of one short exchange between two RoCEv2 endpoints, as C arrays or as a capture.

Endpoint 0 sends messages of 1, 3000, 1024 and 2048 bytes; packet 2 comes with CE, packet 4 is lost the first time.
Traces, where data has them, come with the words of one hop. Sent by SEND, and by RDMA WRITE: to memory one after
the other from 0 on, by the queue pair's number as the key.
"""

import argparse
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fcnoracle import capture, sums  # noqa: E402

FIRST, MIDDLE, LAST, ONLY, ACK, CNP = 0x00, 0x01, 0x02, 0x04, 0x11, 0x81
WRITES = {FIRST: 0x06, MIDDLE: 0x07, LAST: 0x08, ONLY: 0x0A}
IOAM_OPTION, ECHO_OPTION = 0x31, 0x1F
TRACE_TYPE, NODE_WORDS, HOPS = 0xB62000, 7, 3
DSCP, CNP_DSCP = 26, 48
PORT, QP = 0xC002, 2
MACS = [bytes([2, 0, 0, 0, 0, 1]), bytes([2, 0, 0, 0, 0, 2])]
ADDRESSES = [bytes.fromhex("20010db8") + bytes(11) + bytes([1]), bytes.fromhex("20010db8") + bytes(11) + bytes([2])]


def trace(hop):
    """Trace option header and node data: empty, or with what one hop wrote."""
    words = NODE_WORDS * HOPS
    left = words - NODE_WORDS if hop else words
    head = struct.pack("!HHI", 0, NODE_WORDS << 11 | left, TRACE_TYPE << 8)
    node = bytes(range(0xA0, 0xA0 + 4 * NODE_WORDS)) if hop else b""
    return head + bytes(4 * words - len(node)) + node


def options(kind, content):
    """An options header in front of UDP; the option at a multiple of 4."""
    body = b"\x01\x00" + bytes([kind, len(content) + 2, 0, 0]) + content
    pad = -(len(body) + 2) % 8
    body += b"" if pad == 0 else bytes([1, pad - 2]) + bytes(pad - 2)
    return bytes([17, (len(body) + 2) // 8 - 1]) + body


def frame(sender, tclass, extension, l4, mode, next_header=17):
    """Around UDP, BTH and all behind it: Ethernet, IPv6, ICRC."""
    plen = len(extension) + 8 + len(l4) + 4
    out = bytearray(MACS[1 - sender] + MACS[sender] + b"\x86\xdd")
    out += struct.pack("!IHBB", 6 << 28 | tclass << 20, plen, next_header, 64)
    out += ADDRESSES[sender] + ADDRESSES[1 - sender] + extension
    udp = len(out)
    out += struct.pack("!HHHH", PORT, 4791, 8 + len(l4) + 4, 0) + l4 + bytes(4)
    out[-4:] = sums.icrc(out, 14, udp, len(out), mode)
    return out, udp


def bth(opcode, psn, pad=0, ask=False):
    return struct.pack("!BBHIBBH", opcode, 0x40 | pad << 4, 0xFFFF, QP, 0x80 if ask else 0, psn >> 16, psn & 0xFFFF)


def data(opcode, psn, size, mode, ioam, ask=False, reth=b""):
    pad = -size % 4
    extension = options(IOAM_OPTION, trace(False)) if ioam else b""
    return bytes(frame(0, DSCP << 2 | 2, extension, bth(opcode, psn, pad, ask) + reth + bytes(size + pad), mode,
                       0 if ioam else 17)[0])


def reth(address, length):
    return struct.pack("!QII", address, QP, length)


def answer(syndrome, psn, messages, mode, ioam):
    extension = options(ECHO_OPTION, trace(mode != sums.COVER)) if ioam else b""
    l4 = bth(ACK, psn) + struct.pack("!I", syndrome << 24 | messages)
    return bytes(frame(1, DSCP << 2, extension, l4, mode, 60 if ioam else 17)[0])


def cnp():
    l4 = struct.pack("!BBHIBBH", CNP, 0, 0xFFFF, 0x40 << 24 | QP, 0, 0, 0) + bytes(16)
    out, udp = frame(1, CNP_DSCP << 2, b"", l4, sums.SKIP)
    out[udp + 6:udp + 8] = struct.pack("!H", sums.udp_checksum(out, 14, udp, len(out)))
    return bytes(out)


def exchange(mode, ioam, write=False):
    """What each of the two sends, in order."""
    packets = [(ONLY, 1, True), (FIRST, 1024, False), (MIDDLE, 1024, False), (LAST, 952, True), (ONLY, 1024, True),
               (FIRST, 1024, False), (LAST, 1024, True)]
    order = [0, 1, 2, 3, 4, 5, 6, 4, 5, 6]
    heads = {0: reth(0, 1), 1: reth(1, 3000), 4: reth(3001, 1024), 5: reth(4025, 2048)} if write else {}
    sent = [data(WRITES[packets[n][0]] if write else packets[n][0], n, packets[n][1], mode, ioam, packets[n][2],
                 heads.get(n, b"")) for n in order]
    back = [answer(0x1F, 0, 1, mode, ioam), cnp(), answer(0x1F, 3, 2, mode, ioam), answer(0x60, 4, 2, mode, ioam),
            answer(0x1F, 4, 3, mode, ioam), answer(0x1F, 6, 4, mode, ioam)]
    return sent, back


def variants():
    for mode in sums.CONVENTIONS:
        for ioam in (False, True):
            for write in (False, True):
                yield mode, ioam, write, exchange(mode, ioam, write)


def print_c():
    print("/* Made by endpoint_frames.py. */")
    table = []
    for mode, ioam, write, sides in variants():
        names = []
        for side, frames in enumerate(sides):
            name = "%s_%d_%d_%d" % (mode, ioam, write, side)
            for n, one in enumerate(frames):
                print("static const uint8_t %s_%d[] = {%s};" % (name, n, ",".join(map(str, one))))
            print("static const struct expected %s[] = {%s};" % (
                name, ",".join("{%s_%d, %d}" % (name, n, len(one)) for n, one in enumerate(frames))))
            names.append("{%s, %d}" % (name, len(frames)))
        table.append("{FCN_ICRC_%s, %s, %s, {%s}}," % (mode.upper(), str(ioam).lower(), str(write).lower(),
                                                       ", ".join(names)))
    print("static const struct variant variants[] = {", *table, "};", sep="\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pcap", help="write all frames to this file instead")
    args = parser.parse_args()
    if args.pcap is None:
        print_c()
        return
    frames = [one for _, _, _, sides in variants() for side in sides for one in side]
    capture.save(args.pcap, [capture.Record.of(n * 1000, one) for n, one in enumerate(frames)])


if __name__ == "__main__":
    main()
