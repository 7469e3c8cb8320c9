#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""CNPs of a switch while hosts report that queue pairs end, are connected anew, and have their numbers used by other connections: a
million packets of 1024 flows, and each CNP is judged. How soon CNPs come, in virtual time. Needs neither root nor a network.

test_qp_changes.py --fastcn PROGRAM [unittest options]
"""

import collections
import os
import random
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from ipaddress import ip_address

import testbed

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data")
sys.path[:0] = [os.path.join(HERE, "..", "oracle"), DATA]

import cases  # noqa: E402
from fcnoracle import capture, cnp, walker  # noqa: E402

HOSTS, FLOWS = 8, 1024
PACKETS, CHANGES = 10**6, 2000  # at least; fewer changes on a machine that is busy, where they take longer than packets
KNOWN = FLOWS // 2
CONFIG = """
port add p1 device net_pcap0
port add p2 device net_null0
set port p1 mac 02:00:00:00:01:01
set port p2 mac 02:00:00:00:01:02
address add p1 2001:db8:11::1/64
address add p1 10.0.11.1/24
address add p2 2001:db8:12::1/64
address add p2 10.0.12.1/24
neighbour add p1 2001:db8:11::2 02:00:00:00:00:01
neighbour add p1 10.0.11.2 02:00:00:00:00:01
neighbour add p2 2001:db8:12::2 02:00:00:00:02:01
neighbour add p2 10.0.12.2 02:00:00:00:02:01
route add 2001:db8:1::/64 via 2001:db8:11::2 port p1
route add 2001:db8:2::/64 via 2001:db8:12::2 port p2
route add 192.0.2.0/24 via 10.0.11.2 port p1
route add 198.51.100.0/24 via 10.0.12.2 port p2
set queue p2 class 3 detector step 1
set queue p2 class 3 notify on
set notify interval 1us
set notify link-share off
set notify bucket global off
set notify bucket queue off
set notify bucket destination off
set notify bucket source off
set notify cnp on
set proxy reported %d per-host %d
""" % (FLOWS, FLOWS)

Flow = collections.namedtuple("Flow", "host sender receiver qp frame")


def flows():
    """Of each host, with both IP versions in turn, and its packets."""
    data = [capture.load(os.path.join(DATA, "vectors", n)).records[0].data for n in ("01_roce6_write.pcap", "02_roce4_write.pcap")]
    found = []
    for i in range(FLOWS):
        host, four = i % HOSTS, i // HOSTS % 2
        sender = f"192.0.2.{10 + host}" if four else f"2001:db8:1::{0x10 + host:x}"
        receiver = f"198.51.100.{1 + i // 64}" if four else f"2001:db8:2::{1 + i // 64:x}"
        frame = cases.variant(data[four], src=sender, dst=receiver, smac="02:00:00:00:00:01", dmac="02:00:00:00:01:01", sport=0xC000 + i,
                              qp=0x100 + i % 64, traffic_class=26 << 2 | 2)
        found.append(Flow(f"h{host}", sender, receiver, 0x100 + i % 64, frame))
    return found


class Hosts:
    """What hosts report: one change after the other, each of which is in force before the next one is said."""

    def __init__(self, client):
        self.client = client
        self.random = random.Random(1)
        self.flows = flows()
        self.known, self.said = {}, {}  # number by flow; which change it was by flow and number
        self.free = collections.defaultdict(list)
        self.changes = 0
        self.number = 0x1000

    def add(self, flow, number):
        f = self.flows[flow]
        self.client.say(f"proxy qp learned add {f.receiver} {f.qp} sender {f.sender} sender-qp {number} host {f.host} lifetime 300")
        self.known[flow] = number
        self.said[flow, number] = self.changes
        self.changes += 1

    def new_number(self):
        self.number += 1
        return self.number

    def begin(self):
        for flow in self.random.sample(range(FLOWS), KNOWN):
            self.add(flow, self.new_number())

    def others(self, flow, number):
        """Flows of the same host that are not known, and never had this number."""
        return [f for f in range(flow % HOSTS, FLOWS, HOSTS) if f not in self.known and (f, number) not in self.said]

    def change(self):
        """A connection ends, and its number is another connection's at once; or a receiver's queue pair is connected anew."""
        flow = self.random.choice(list(self.known))
        if self.random.random() < 0.5:
            self.add(flow, self.new_number())
            return
        f, number = self.flows[flow], self.known.pop(flow)
        other = self.random.choice(self.others(flow, number))
        self.client.say(f"proxy qp learned remove {f.receiver} {f.qp} sender {f.sender} host {f.host}")
        self.add(other, number)


def frames(path):
    """Of a capture file, one after the other."""
    with open(path, "rb") as f:
        blob = f.read()
    at, end = 24, len(blob)
    while at < end:
        length = struct.unpack_from("=I", blob, at + 8)[0]
        yield blob[at + 16:at + 16 + length]
        at += 16 + length


class QpChanges(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="fcn-qps-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def flow_of(self, hosts, frame):
        """By addresses and UDP source port, which only one flow has. Each octet of a CNP is what the oracle builds of the flow's data."""
        p = walker.walk(frame)
        self.assertTrue(p.is_roce and cnp.is_plain(p), p.describe())
        flow = p.sport - 0xC000
        f = hosts.flows[flow]
        self.assertEqual((p.ip.src, p.ip.dst), (ip_address(f.receiver).packed, ip_address(f.sender).packed), p.describe())
        self.assertIn((flow, p.bth.qp), hosts.said, "this flow has never had this queue pair: " + p.describe())
        profile = cnp.Profile({(ip_address(f.receiver).packed, f.qp): p.bth.qp})
        self.assertEqual(frame[p.l3:p.end].hex(), cnp.build(profile, walker.walk(f.frame)).hex())
        return flow, p.bth.qp

    def judge(self, hosts, path):
        """Changes are in force one after the other: no CNP by an older one follows one by a newer one about the same flow, or to the same
        queue pair. Returns the number of CNPs."""
        known, latest = {}, {}
        n = 0
        for frame in frames(path):
            if frame[0] & 1:  # the switch's own, to the neighbours of its addresses
                continue
            n += 1
            if frame not in known:
                known[frame] = self.flow_of(hosts, frame)
            flow, number = known[frame]
            change = hosts.said[flow, number]
            for key in (("flow", flow), ("queue pair", hosts.flows[flow].host, number)):
                if latest.get(key, 0) > change:
                    self.fail(f"CNP {n} is by change {change}, and one by change {latest[key]} was before: {key}")
                latest[key] = change
        self.assertGreater(len(known), hosts.changes // 2)
        return n

    def test_million(self):
        hosts = Hosts(None)
        capture.save(self.path("in.pcap"), [(i, f.frame) for i, f in enumerate(hosts.flows)])
        vdevs = (f"net_pcap0,rx_pcap={self.path('in.pcap')},tx_pcap={self.path('out.pcap')},infinite_rx=1", "net_null0,no-rx=1")
        learned = self.path("learned.sock")
        switch = testbed.Switch(self.directory, testbed.write(self.directory, "fastcn.conf", CONFIG), "--socket", learned + ",role=learned",
                                vdevs=vdevs)
        self.addCleanup(switch.end)
        switch.wait()
        hosts.client = testbed.Client(learned)
        self.addCleanup(hosts.client.close)
        hosts.begin()
        begin, at_begin = time.monotonic(), hosts.changes

        def received():
            return switch.json("show port p1")[0]["rx_packets"]
        first = received()
        while received() < first + (PACKETS if hosts.changes >= CHANGES + at_begin else 3 * PACKETS):
            for _ in range(20):
                hosts.change()
        seconds, packets = time.monotonic() - begin, received() - first
        sent = switch.json("show notify")
        self.assertEqual(switch.stop()[0], 0)
        cnps = self.judge(hosts, self.path("out.pcap"))
        print(f"{packets} packets and {hosts.changes - at_begin} changes in {seconds:.1f} s: {cnps} CNPs, none to a wrong queue pair",
              file=sys.stderr)
        self.assertGreater(cnps, PACKETS // 8, sent)

    def test_when(self):
        """A leaf in front of 100 queue pairs, its lines to the receivers and to the senders at 80 % load: in virtual time, a CNP waits for
        what is on the line, and now and then for other CNPs. The packet that it is about is the last one of its flow."""
        chosen, size, bps = flows()[:100], 1082, 25 * 10**9
        gap = (size + 24) * 8 / (0.8 * bps) * 10**9  # ns between the packets of a line, in the mean
        out = random.Random(2)

        def arrivals(flow_of, count):
            at, found = 0.0, []
            for i in range(count):
                at += out.expovariate(1 / gap)
                found.append((10**18 + int(at), flow_of(i)))
            return found
        big = [cases.variant(f.frame, length=size) for f in chosen]
        back = cases.variant(big[0], src=chosen[0].receiver, dst=chosen[0].sender, dmac="02:00:00:00:01:02")
        came = arrivals(lambda i: big[out.randrange(100)], 40000)
        # One line that is as fast as that to the receivers brings no congestion; two do.
        capture.save(self.path("a.pcap"), came[::2], nano=True)
        capture.save(self.path("b.pcap"), came[1::2], nano=True)
        capture.save(self.path("back.pcap"), arrivals(lambda i: back, 40000), nano=True)
        lines = [x for x in CONFIG.splitlines() if not x.startswith(("port add", "set proxy"))]
        lines = ["port add p1", "port add p2", "port add p3", *lines, "set port p3 mac 02:00:00:00:01:01",
                 *(f"set port {p} link 25G" for p in ("p1", "p2", "p3")), "set queue p2 class 3 detector step 4K",
                 *(f"proxy qp add {f.receiver} {f.qp} sender-qp {0x1000 + i}" for i, f in enumerate(chosen))]
        config = testbed.write(self.directory, "leaf.conf", "\n".join(lines) + "\n")
        subprocess.run([testbed.options.fastcn, "replay", config, "--in", "p1=" + self.path("a.pcap"), "--in", "p3=" + self.path("b.pcap"),
                        "--in", "p2=" + self.path("back.pcap"), "--out", "p1=" + self.path("out.pcap"), "--quiet"], check=True)
        cnps = [(r.time, walker.walk(r.data)) for r in capture.load(self.path("out.pcap")).records if len(r.data) < 100 and r.data[0] & 1 == 0]
        cnps = [(t, p) for t, p in cnps if p.is_roce]
        at, last, waits, told = 0, {}, [], set()
        for t, p in cnps:
            while at < len(came) and came[at][0] + (len(p.frame) + 24) * 8 // 25 <= t:
                last[walker.walk(came[at][1]).sport] = came[at][0]
                at += 1
            waits.append(t - last[p.sport])
            told.add(p.sport)
        waits.sort()
        print(f"{len(waits)} CNPs for {len(told)} queue pairs: {waits[len(waits) // 2]} ns (median), {waits[len(waits) * 99 // 100]} ns (p99), "
              f"{waits[-1]} ns at most", file=sys.stderr)
        self.assertEqual(len(told), 100)
        self.assertLessEqual(waits[len(waits) * 99 // 100], (size + 24 + 94 + 24) * 8 / 25 + 1)
        self.assertLess(waits[-1], 1000)
        self.assertGreaterEqual(waits[0], (74 + 24) * 8 / 25 - 1)


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__))
