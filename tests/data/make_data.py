#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Derive the traffic files of this directory from the captures and the test vectors.

Usage: make_data.py [--out DIR] [--vectors DIR] [--check]
Deterministic: the same bytes on every run. --check compares with the files in DIR instead of
writing them and exits 1 when one differs. What each file holds is told in README.md.
"""

import argparse
import os
import struct
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "oracle")]

import arn  # noqa: E402
import arn_held  # noqa: E402
import arn_received  # noqa: E402
import border  # noqa: E402
import bridges  # noqa: E402
import cases  # noqa: E402
import cnm  # noqa: E402
import congestion  # noqa: E402
import headend  # noqa: E402
import mirror  # noqa: E402
import pnode  # noqa: E402
import proxy  # noqa: E402
import proxy_ce  # noqa: E402
import proxy_edge  # noqa: E402
import srv6  # noqa: E402
import steering  # noqa: E402
import tables  # noqa: E402
import turns  # noqa: E402
import vendor  # noqa: E402
from fcnoracle import capture, ioam, sums, walker  # noqa: E402

BASE = 1700000000 * 10**9  # stamp of the first packet of files that have no captured times
US, MS = 1000, 10**6
DSCP_ROCE, ECT0 = 26, 2
VECTORS = os.path.join(HERE, "vectors")

# Where a captured conversation goes: QP -> (number of the sender, start in the incast in ns).
# The sender gets what the host with the data sent, the receiver the opposite direction.
INCAST = {
    0x12: (1, 0),          # RDMA WRITE
    0x14: (2, 150 * US),   # SEND of three and more packets
    0x13: (3, 300 * US),   # responses to RDMA READ
    0x11: (4, 450 * US),   # SEND ping-pong, both directions have data
    0x15: (4, 600 * US),   # FETCH ADD requests
}
READ_QP = 0x13  # its data flows from ::b to ::a in the capture
HOST_A = bytes.fromhex("20010db800ab0000000000000000000a")
RECEIVER = bytes.fromhex("20010db800ab0000000000000000000b")
RECEIVER_MAC = bytes.fromhex("020000000b01")


def sender_address(number):
    return RECEIVER[:15] + bytes([0x10 + number])


def sender_mac(number):
    return bytes.fromhex("020000000a") + bytes([0x10 + number])


def ect(frame):
    """DSCP 26 and ECT(0) on a RoCEv2 packet; the ICRC does not cover the traffic class."""
    p = walker.walk(frame)
    if not p.is_roce:
        return frame
    f, traffic_class = bytearray(frame), DSCP_ROCE << 2 | ECT0
    if p.ip.version == 4:
        f[p.l3 + 1] = traffic_class
        f[p.l3 + 10:p.l3 + 12] = struct.pack("!H", sums.ipv4_checksum(f[p.l3:p.l3 + 20]))
    else:
        f[p.l3] = 0x60 | traffic_class >> 4
        f[p.l3 + 1] = f[p.l3 + 1] & 0x0F | (traffic_class & 15) << 4
    return bytes(f)


def ect_records(name):
    return [capture.Record.of(r.time, ect(r.data)) for r in capture.load(os.path.join(HERE, name)).records]


def incast():
    """Conversations of one capture, re-addressed so that four senders meet at one receiver."""
    first, out = {}, {1: [], 2: [], 3: [], 4: [], "receiver": []}
    for r in capture.load(os.path.join(HERE, "softroce-v6-rc.pcap")).records:
        p = walker.walk(r.data)
        if not p.is_roce or p.bth.qp not in INCAST:
            continue
        number, start = INCAST[p.bth.qp]
        time = BASE + start + r.time - first.setdefault(p.bth.qp, r.time)
        to_receiver = (p.ip.src == HOST_A) != (p.bth.qp == READ_QP)
        ends = [(sender_mac(number), sender_address(number)), (RECEIVER_MAC, RECEIVER)]
        if not to_receiver:
            ends.reverse()
        f = bytearray(ect(r.data))
        f[0:6], f[6:12] = ends[1][0], ends[0][0]
        f[22:38], f[38:54] = ends[0][1], ends[1][1]
        out[number if to_receiver else "receiver"].append(capture.Record.of(time, cases.finish(f)))
    for records in out.values():
        records.sort(key=lambda r: r.time)
    return out


def spread(frames, gap=US):
    return [capture.Record.of(BASE + i * gap, f) for i, f in enumerate(frames)]


def vector(name):
    return [r.data for r in capture.load(os.path.join(VECTORS, name)).records]


def with_trace(frame, slots, hops, trace_type):
    """A frame whose Hop-by-Hop header is replaced by one with a trace of so many slots, all or partly used.

    hops: node data, path order (first hop first).
    """
    p = walker.walk(frame)
    old = ioam.from_option(p.options(walker.HOP_BY_HOP)[0])
    node_len = ioam.node_words(trace_type)
    free = slots * node_len - len(b"".join(hops)) // 4
    trace = struct.pack("!HHI", old.namespace, node_len << 11 | free, trace_type << 8)
    trace += bytes(4 * free) + b"".join(reversed(hops))
    body = b"\x01\x00" + bytes([ioam.OPTION_CHANGEABLE, 2 + len(trace), 0, ioam.PREALLOCATED]) + trace
    pad = -(len(body) + 2) % 8
    body += b"\x01" + bytes([pad - 2]) + bytes(pad - 2) if pad else b""
    header = bytes([walker.UDP, (len(body) + 2) // 8 - 1]) + body
    f = bytearray(frame[:54] + header + frame[p.udp:])
    f[18:20] = struct.pack("!H", len(f) - 54)
    return cases.finish(f)


def traces():
    """Data packets that cause the Fast CNPs of the vectors: 3 slots after 2 hops, 2 of 2, 8 of 8."""
    three = vector("05_roce6_write_ioam.pcap")[2]
    trace = ioam.from_option(walker.walk(three).options(walker.HOP_BY_HOP)[0])
    hops = list(reversed(trace.nodes()))
    return [three, with_trace(three, 2, hops, trace.type), with_trace(three, 8, hops * 4, trace.type)]


def long_traces():
    """Data packets with traces of 57, 58 and 61 words, one word a hop, after 2 hops: option 2 can hold 57."""
    frame = vector("05_roce6_write_ioam.pcap")[2]
    return [with_trace(frame, words, [b"\x3f\0\1\1", b"\x3e\0\1\2"], 0x800000) for words in (57, 58, 61)]


def case_traffic():
    """Captures of cases.py: name -> records."""
    w6, w4 = vector("01_roce6_write.pcap")[0], vector("02_roce4_write.pcap")[0]
    odd = cases.odd_routed(w6, w4)
    timed = lambda entries: [capture.Record.of(t, f) for t, f in entries]
    out = {
        "flows": spread(cases.flows(w6, w4)),
        "route-odd": spread([f for _, f in odd]),
        "route-odd-out": [capture.Record.of(r.time, cases.routed(r.data, "02:00:00:00:01:02", "02:00:00:00:02:01"))
                          for r, (fate, _) in zip(spread([f for _, f in odd]), odd) if fate == "forwarded"],
        "malformed-routed": spread(cases.to_router(vector("16_malformed.pcap"))),
        "vlan-burst": spread(cases.tagged_burst(w6)),
        "vlan-flows": spread(cases.vlan_flows(w6)),
        "limits": spread(cases.limits(w6)),
        "one-flow": spread([w6] * 64),
        "classes-burst": timed((BASE + t, f) for t, f in cases.classes(w6)),
        "class-marks": spread(cases.class_marks(w6)),
    }
    for name, entries in (("vlan", cases.vlans(w6)), ("vlan-router", cases.router_on_a_stick(w6, w4)), ("learn", cases.learning(w6)),
                          ("loop", cases.loop(w6)), ("copies", cases.flooding(w6))):
        for port, found in cases.by_port(entries, BASE).items():
            out["%s-%s" % (name, port)] = timed(found)
    return out


def border_traffic():
    """Captures of border.py: name -> records."""
    found = border.captures(vector)
    found.update(border.untrusted(vector, cases.variant))
    return {name: spread(frames) for name, frames in found.items()}


def srv6_traffic():
    """Captures of srv6.py, headend.py and steering.py: name -> records, with the time at which a packet came."""
    return {name: [r for r in spread([f or b"" for f in frames]) if r.data] for name, frames in {**srv6.captures(vector), **headend.captures(vector), **steering.captures(vector)}.items()}


def arn_traffic():
    """Captures of arn.py, arn_received.py and arn_held.py: name -> records, nanoseconds."""
    return {name: [capture.Record.of(BASE + t, f) for t, f in entries]
            for name, entries in {**arn.captures(), **arn_received.captures(), **arn_held.captures()}.items()}


def pnode_traffic():
    """Captures of pnode.py: name -> records."""
    found = pnode.captures(vector("01_roce6_write.pcap")[0], vector("02_roce4_write.pcap")[0], traces()[0], long_traces()[2])
    return {name: [capture.Record.of(BASE + t, f) for t, f in entries] for name, entries in found.items()}


def cnm_traffic():
    """Captures of cnm.py, proxy.py, proxy_ce.py and proxy_edge.py: name -> records, nanoseconds."""
    w6, w4, traced = vector("01_roce6_write.pcap")[0], vector("02_roce4_write.pcap")[0], vector("05_roce6_write_ioam.pcap")[2]
    trace = ioam.from_option(walker.walk(traced).options(walker.HOP_BY_HOP)[0]).data
    found = {**cnm.captures(w6, w4), **proxy.captures(w6, w4, traced, trace), **proxy_edge.captures(w6, w4, traced), **proxy_ce.captures(w6, w4)}
    return {name: [capture.Record.of(BASE + t, f) for t, f in entries] for name, entries in found.items()}


def table_traffic():
    """Captures of tables.py: name -> records."""
    return {name: [capture.Record.of(BASE + t, f) for t, f in entries] for name, entries in tables.captures(vector).items()}


def bridge_traffic():
    """Captures of bridges.py: name -> records."""
    return {name: [capture.Record.of(BASE + t, f) for t, f in entries] for name, entries in bridges.captures().items()}


def congestion_traffic():
    """Captures of congestion.py: name -> records, nanoseconds."""
    w6, w4 = vector("01_roce6_write.pcap")[0], vector("02_roce4_write.pcap")[0]
    found = congestion.traffic(w6, w4, vector("12_pfc.pcap"))
    return {name: [capture.Record.of(BASE + t, f) for t, f in entries] for name, entries in found.items()}


def turns_traffic():
    """Captures of turns.py: name -> records, nanoseconds."""
    found = turns.captures(vector("01_roce6_write.pcap")[0], vector("02_roce4_write.pcap")[0])
    return {name: [capture.Record.of(BASE + t, f) for t, f in entries] for name, entries in found.items()}


def vendor_traffic():
    """Captures of vendor.py: name -> records, nanoseconds."""
    return {name: [capture.Record.of(BASE + t, f) for t, f in entries] for name, entries in vendor.traffic().items()}


def mirror_traffic():
    """Captures of mirror.py: name -> records, nanoseconds."""
    frames = mirror.l2_copies(mirror.incast(packets=60))
    return {"mirror": [capture.Record(f.time, f.data[:mirror.SNAP], len(f.data)) for f in frames]}


def broken(out):
    """Files for tests of error messages."""
    good = ect_records("softroce-v6-rc.pcap")[:8]
    save = lambda name, *args, **kw: capture.save(os.path.join(out, "broken", name), *args, **kw)
    save("header-only.pcap", [])
    open(os.path.join(out, "broken", "empty.pcap"), "wb").close()
    with open(os.path.join(out, "broken", "not-a-capture.pcap"), "wb") as f:
        f.write(b"This is text, not a capture.\n")
    save("truncated.pcap", good)
    with open(os.path.join(out, "broken", "truncated.pcap"), "r+b") as f:
        f.truncate(24 + 5 * 16 + sum(len(r.data) for r in good[:4]) + 100)
    save("raw-ip.pcap", [capture.Record.of(r.time, r.data[14:]) for r in good], linktype=capture.RAW_IP)
    save("snapped.pcap", [r if i % 2 else capture.Record(r.time, r.data[:64], r.length) for i, r in enumerate(good)])
    save("backwards.pcap", [capture.Record.of(good[i ^ 1].time, r.data) for i, r in enumerate(good)])
    save("runt.pcap", [good[0], capture.Record.of(good[1].time, good[1].data[:13]), good[2]])
    huge = bytearray(good[1].data[:54]) + bytes(65536 - 54)
    huge[18:20] = b"\xff\xca"  # the payload of a frame of 65536 octets
    save("huge.pcap", [good[0], capture.Record.of(good[1].time, huge), good[2]])


def make(out):
    """Write everything into a directory; returns the names."""
    os.makedirs(os.path.join(out, "broken"), exist_ok=True)
    save = lambda name, records: capture.save(os.path.join(out, name), records)
    save("softroce-v6-rc-ect.pcap", ect_records("softroce-v6-rc.pcap"))
    save("softroce-v4-rc-ect.pcap", ect_records("softroce-v4-rc.pcap"))
    capture.save_pcapng(os.path.join(out, "softroce-v6-rc-ect.pcapng"), ect_records("softroce-v6-rc.pcap"))
    for key, records in incast().items():
        save("incast-receiver.pcap" if key == "receiver" else "incast-h%d.pcap" % key, records)
    save("ioam-hops-burst.pcap", spread(vector("05_roce6_write_ioam.pcap") * 64))
    save("ioam-traces-burst.pcap", spread(traces() * 64))
    save("ioam-long-burst.pcap", spread(long_traces() * 16))
    save("malformed.pcap", spread(vector("16_malformed.pcap")))
    save("malformed-burst.pcap", spread(vector("16_malformed.pcap") * 16))
    for name, records in case_traffic().items():
        save(name + ".pcap", records)
    for name, records in border_traffic().items():
        save(name + '.pcap', records)
    for name, records in srv6_traffic().items():
        save(name + ".pcap", records)
    for name, records in pnode_traffic().items():
        save(name + ".pcap", records)
    for name, records in cnm_traffic().items():
        capture.save(os.path.join(out, name + ".pcap"), records, nano=True)
    for name, records in table_traffic().items():
        save(name + ".pcap", records)
    for name, records in bridge_traffic().items():
        save(name + ".pcap", records)
    for name, records in arn_traffic().items():
        capture.save(os.path.join(out, name + ".pcap"), records, nano=True)
    for name, records in congestion_traffic().items():
        capture.save(os.path.join(out, name + ".pcap"), records, nano=True)
    for name, records in turns_traffic().items():
        capture.save(os.path.join(out, name + ".pcap"), records, nano=True)
    for name, records in vendor_traffic().items():
        capture.save(os.path.join(out, name), records, nano=True)
    for name, records in mirror_traffic().items():
        capture.save(os.path.join(out, name + ".pcap"), records, nano=True)
    broken(out)
    names = [n for n in sorted(os.listdir(out)) if n.endswith((".pcap", ".pcapng"))]
    return names + [os.path.join("broken", n) for n in sorted(os.listdir(os.path.join(out, "broken")))]


def check(out):
    """Names of generated files that differ from those in a directory."""
    with tempfile.TemporaryDirectory() as fresh:
        bad = []
        for name in make(fresh):
            with open(os.path.join(fresh, name), "rb") as f:
                want = f.read()
            try:
                with open(os.path.join(out, name), "rb") as f:
                    same = f.read() == want
            except FileNotFoundError:
                same = False
            if not same:
                bad.append(name)
        return bad


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default=HERE, metavar="DIR")
    parser.add_argument("--vectors", default=VECTORS, metavar="DIR", help="the test vectors (default: vectors here)")
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    args = parser.parse_args()
    globals()["VECTORS"] = args.vectors
    if args.check:
        bad = check(args.out)
        for name in bad:
            print("%s is not what make_data.py makes" % name)
        sys.exit(1 if bad else 0)
    print("%d files" % len(make(args.out)))


if __name__ == "__main__":
    main()
