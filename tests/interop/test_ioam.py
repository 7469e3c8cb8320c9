#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""IOAM transit by fastcn and by Linux: the same frames through a Linux router and through `fastcn replay` with the same ids must
come out the same, octet for octet, but for the fields of DIFFERENT. Needs root, network namespaces and a kernel with IOAM; else exit 77.

test_ioam.py --fastcn PROGRAM [unittest options]
"""

import os
import socket
import struct
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = os.path.dirname(HERE)
sys.path[:0] = [os.path.join(TESTS, "data"), os.path.join(TESTS, "oracle")]

import cases  # noqa: E402
import congestion  # noqa: E402
import traces  # noqa: E402
import testbed  # noqa: E402
from fcnoracle import capture, ioam, transit, walker  # noqa: E402

MAC = {"a0": "02:00:00:00:0a:01", "r0": "02:00:00:00:01:01", "r1": "02:00:00:00:01:02", "b0": "02:00:00:00:0b:01"}
# The same twice: for Linux and for fastcn.
NODE, NODE_WIDE = 0x0A0B0C, 0x11223344556677
INGRESS, EGRESS = (0x1111, 0x22223333), (0x4444, 0x55556666)
NAMESPACE, SHORT, WIDE = 123, 0x778899AA, 0x0123456789ABCDEF
SCHEMA, OPAQUE = 0xABCDEF, "opaque!!"

FASTCN_CONF = f"""
port add p1
port add p2
set port p1 mac {MAC["r0"]}
set port p2 mac {MAC["r1"]}
address add p1 2001:db8:1::1/64
address add p2 2001:db8:2::1/64
neighbour add p2 2001:db8:2::20 {MAC["b0"]}
set ioam time posix
set ioam node {NODE} wide {NODE_WIDE}
set ioam port p1 transit on
set ioam port p1 id {INGRESS[0]} wide {INGRESS[1]}
set ioam port p2 id {EGRESS[0]} wide {EGRESS[1]}
ioam namespace add {NAMESPACE}
set ioam namespace {NAMESPACE} short value {SHORT}
set ioam namespace {NAMESPACE} wide value {WIDE}
set ioam namespace {NAMESPACE} schema {SCHEMA} data {OPAQUE.encode().hex()}
"""

# Bits whose words may differ, and what each must say then.
DIFFERENT = {
    2: "seconds: when the packet came to each",
    3: "fraction: the same",
    4: "transit delay: Linux has all ones, fastcn nanoseconds",
    6: "queue depth: Linux has the backlog of its queueing discipline, fastcn that of the class queue; both empty here",
    11: "buffer occupancy: Linux has all ones, fastcn the queues of the port, empty here",
}
# A trace of opaque state alone has NodeLen 0. fastcn leaves it alone as malformed, like tshark; Linux writes.
OPAQUE_ALONE = ioam.OPAQUE_SNAPSHOT


class Net(testbed.Namespaces):
    """A sender, a router and a receiver."""

    def __init__(self):
        super().__init__("a", "r", "b")
        self.sockets = {}

    def create(self):
        super().create()
        for host, dev, peer in (("a", "a0", "r0"), ("b", "b0", "r1")):
            self.ip(host, "link", "add", dev, "address", MAC[dev], "type", "veth", "peer", "name", peer, "address", MAC[peer],
                    "netns", self.name["r"])
        settings = [f"net.ipv6.ioam6_id={NODE}", f"net.ipv6.ioam6_id_wide={NODE_WIDE}", "net.ipv6.conf.all.forwarding=1"]
        for dev, ids in (("r0", INGRESS), ("r1", EGRESS)):
            settings += [f"net.ipv6.conf.{dev}.accept_dad=0", f"net.ipv6.conf.{dev}.ioam6_id={ids[0]}",
                         f"net.ipv6.conf.{dev}.ioam6_id_wide={ids[1]}"]
        settings.append("net.ipv6.conf.r0.ioam6_enabled=1")
        self.sysctl("r", *settings)
        for host, dev in (("a", "a0"), ("b", "b0")):
            self.sysctl(host, f"net.ipv6.conf.{dev}.disable_ipv6=1")
            self.ip(host, "link", "set", dev, "up")
        for dev, address in (("r0", "2001:db8:1::1/64"), ("r1", "2001:db8:2::1/64")):
            self.ip("r", "link", "set", dev, "up")
            self.ip("r", "addr", "add", address, "dev", dev, "nodad")
        self.ip("r", "neigh", "add", "2001:db8:2::20", "lladdr", MAC["b0"], "dev", "r1", "nud", "permanent")
        self.ip("r", "ioam", "namespace", "add", str(NAMESPACE), "data", hex(SHORT), "wide", hex(WIDE))
        self.ip("r", "ioam", "namespace", "add", "0")
        self.ip("r", "ioam", "schema", "add", str(SCHEMA), OPAQUE)
        self.ip("r", "ioam", "namespace", "set", str(NAMESPACE), "schema", str(SCHEMA))
        self.sockets = {host: self.packet_socket(host, dev) for host, dev in (("a", "a0"), ("b", "b0"))}

    def through(self, frame, timeout=1.0):
        """The frame that the router sent on, None when it did not; and between which times."""
        tx, rx = self.sockets["a"], self.sockets["b"]
        before = time.time_ns()
        tx.send(frame)
        end = time.monotonic() + timeout
        while (left := end - time.monotonic()) > 0:
            rx.settimeout(left)
            try:
                got, address = rx.recvfrom(9000)
            except socket.timeout:
                break
            # The router says things of its own; ours is told by its addresses.
            if address[2] != socket.PACKET_OUTGOING and got[22:54] == frame[22:54]:
                return got, before, time.time_ns()
        return None, before, time.time_ns()

    def complaint(self):
        if self.through(to_router(traces.bits(vector_frame()))[0])[0] is None:
            return "this kernel does not forward IOAM traces"
        return None

    def destroy(self):
        for s in self.sockets.values():
            s.close()
        super().destroy()


def replay(timed):
    """What fastcn makes of frames: a frame or None for each. timed: [(ns since 1970, frame)]."""
    with tempfile.TemporaryDirectory() as folder:
        path = lambda name: os.path.join(folder, name)
        with open(path("fastcn.conf"), "w", encoding="ascii") as f:
            f.write(FASTCN_CONF)
        capture.save(path("in.pcap"), timed, nano=True)
        testbed.run(testbed.options.fastcn, "replay", path("fastcn.conf"), "--in", "p1=" + path("in.pcap"), "--out", "p2=" + path("out.pcap"), "--quiet")
        out = capture.load(path("out.pcap")).records
    # Each has a UDP source port of its own.
    port = lambda f: walker.walk(f).sport
    by_port = {port(r.data): r.data for r in out}
    return [by_port.get(port(f)) for _, f in timed]


def words_of(trace_type):
    """Bit -> (first octet, octets) in an element."""
    out, at = {}, 0
    for bit in range(22):
        if trace_type & 0x800000 >> bit:
            size = 8 if bit in (8, 9, 10) else 4
            out[bit] = (at, size)
            at += size
    return out


def vector_frame():
    return capture.load(os.path.join(TESTS, "data", "vectors", "01_roce6_write.pcap")).records[0].data


def to_router(found):
    return [cases.to_router([f])[0] for _, f in found]


class Same(unittest.TestCase):
    """Each test has a network of its own."""

    def setUp(self):
        self.net = Net()
        self.addCleanup(self.net.destroy)
        self.net.create()

    def both(self, frames):
        """[(frame, Linux' frame, times of it, fastcn's frame)]; fastcn gets each at the time Linux got it."""
        linux = [self.net.through(f) for f in frames]
        stamps = [before for _, before, _ in linux]
        ours = replay(list(zip(stamps, frames)))
        return [(f, got, (before, after), own) for f, (got, before, after), own in zip(frames, linux, ours)]

    def compare(self, frame, linux, times, own):
        """Every octet, but for DIFFERENT in this node's element. Returns the bits that did differ."""
        name = walker.walk(frame).describe()
        self.assertIsNotNone(linux, "Linux dropped " + name)
        self.assertIsNotNone(own, "fastcn dropped " + name)
        at, before = transit.find(walker.walk(frame))
        _, after = transit.find(walker.walk(own))
        linux_view, own_view, odd = bytearray(linux), bytearray(own), set()
        snapshot = 1 + len(OPAQUE) // 4 if before.type & ioam.OPAQUE_SNAPSHOT else 0
        if before.kind == ioam.PREALLOCATED and after.remaining == before.remaining - before.node_len - snapshot:
            start = at + 8 + 4 * after.remaining
            for bit, (first, size) in words_of(before.type).items():
                place = slice(start + first, start + first + size)
                if bit in DIFFERENT and linux_view[place] != own_view[place]:
                    self.check_different(bit, linux_view[place], own_view[place], times)
                    odd.add(bit)
                    linux_view[place] = own_view[place] = bytes(size)
        self.assertEqual(linux_view.hex(" ", 4), own_view.hex(" ", 4), name)
        return odd

    def check_different(self, bit, linux, own, times):
        theirs, ours = (struct.unpack("!I", x)[0] for x in (linux, own))
        if bit == 2:
            self.assertLessEqual(times[0] // 10**9, theirs)
            self.assertLessEqual(theirs, times[1] // 10**9)
            self.assertEqual(ours, times[0] // 10**9)
        elif bit == 3:
            self.assertLess(theirs, 10**6)
            self.assertEqual(ours, times[0] % 10**9 // 1000)
        elif bit in (4, 11):
            self.assertEqual((theirs, ours), (0xFFFFFFFF, 0))
        else:
            self.fail("%s: %08x and %08x" % (DIFFERENT[bit], theirs, ours))

    def test_every_bit(self):
        """Each bit of the Trace-Type alone, and sets of them: one element is there, one fits (with opaque state: Overflow)."""
        frames, met, written = to_router(traces.bits(vector_frame())), set(), 0
        frames = [f for f in frames if transit.find(walker.walk(f))[1].type != OPAQUE_ALONE]
        for frame, linux, times, own in self.both(frames):
            met |= self.compare(frame, linux, times, own)
            written += linux[54:] != frame[54:]
        self.assertEqual(written, len(frames))
        # What is said to differ does; seconds only when one just passes, queues are empty.
        self.assertEqual(met | {2, 6}, set(DIFFERENT))

    def test_opaque(self):
        """Room for the opaque state, too: exactly enough, and a word too little."""
        base = lambda n: congestion.data(vector_frame(), n)
        words = 1 + len(OPAQUE) // 4
        frames = [traces.with_options(base(n), traces.trace_option(t, slots=0, used=0, extra=ioam.node_words(t) + words - less))
                  for n, (t, less) in enumerate([(0x800002, 0), (0x800002, 1), (0xB62002, 0), (0xB62002, 1)])]
        for frame, linux, times, own in self.both([cases.to_router([f])[0] for f in frames]):
            self.compare(frame, linux, times, own)

    def test_left_alone(self):
        """Unknown namespace, the default one, flags, Overflow set already, no room, room for many, other IOAM options, a second
        option before the trace. Traces that are malformed are not here: Linux drops the packet, fastcn forwards it."""
        t, base = 0xB62000, vector_frame()
        option = traces.trace_option
        found = [option(t, namespace=321), option(t, namespace=0), option(t, flags=8), option(t, flags=4), option(t, used=2),
                 option(t, used=0, slots=1), option(t, used=0, slots=8), option(0x800000, slots=61, used=60), option(t, kind=1)]
        frames = [traces.with_options(congestion.data(base, n), o) for n, o in enumerate(found)]
        frames.append(traces.with_options(congestion.data(base, 20), b"\x1e\x02ab" + option(t)))
        for frame, linux, times, own in self.both([cases.to_router([f])[0] for f in frames]):
            self.compare(frame, linux, times, own)


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, net=Net))
