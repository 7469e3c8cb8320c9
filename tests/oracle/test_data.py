#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""tests/data is what make_data.py makes, and what its README says."""

import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data")
sys.path.insert(0, HERE)
sys.path.insert(0, DATA)

import make_data  # noqa: E402
import turns  # noqa: E402
from fcnoracle import capture, ioam, notice, sums, walker  # noqa: E402

RECORDINGS = ("softroce-v6-rc.pcap", "softroce-v4-rc.pcap", "softroce-v6-cm.pcap")
INCAST = ("incast-h1.pcap", "incast-h2.pcap", "incast-h3.pcap", "incast-h4.pcap", "incast-receiver.pcap")


def packets(name):
    return [walker.walk(r.data) for r in capture.load(os.path.join(DATA, name)).records]


def icrc_right(p, convention=sums.SKIP):
    return sums.icrc(p.frame, p.ip.offset, p.udp, p.end, convention) == p.frame[p.end - 4:p.end]


class Data(unittest.TestCase):
    def test_as_made(self):
        self.assertEqual(make_data.check(DATA), [])

    def test_recordings(self):
        for name, count in zip(RECORDINGS, (642, 640, 78)):
            found = packets(name)
            self.assertEqual(len(found), count)
            for p in found:
                self.assertTrue(p.is_roce and all(icrc_right(p, c) for c in sums.CONVENTIONS), p.describe())
                self.assertEqual((p.frame[p.udp + 6:p.udp + 8], p.ip.traffic_class, p.ip.extensions), (b"\0\0", 0, []))

    def test_ect(self):
        for before, after in (("softroce-v6-rc.pcap", "softroce-v6-rc-ect.pcap"),
                              ("softroce-v4-rc.pcap", "softroce-v4-rc-ect.pcap")):
            for p, q in zip(packets(before), packets(after), strict=True):
                self.assertTrue(icrc_right(q))
                self.assertEqual(q.ip.traffic_class, 26 << 2 | 2)
                changed = {i for i, (a, b) in enumerate(zip(p.frame, q.frame)) if a != b}
                self.assertLessEqual(changed, {15, 24, 25} if q.ip.version == 4 else {14, 15})
                if q.ip.version == 4:
                    self.assertEqual(sums.ones_sum(q.frame[14:34]), 0xFFFF)
        load = lambda n: capture.load(os.path.join(DATA, n)).records
        self.assertEqual(load("softroce-v6-rc-ect.pcap"), load("softroce-v6-rc-ect.pcapng"))

    def test_incast(self):
        """Every packet of the capture is there once, its BTH and payload untouched."""
        seen, first = [], {}
        for name, count in zip(INCAST, (80, 80, 80, 171, 231)):
            found = packets(name)
            self.assertEqual(len(found), count, name)
            for p, r in zip(found, capture.load(os.path.join(DATA, name)).records):
                self.assertTrue(p.is_roce and icrc_right(p))
                self.assertEqual(p.frame[p.udp + 6] << 8 | p.frame[p.udp + 7],
                                 sums.udp_checksum(p.frame, p.ip.offset, p.udp, p.end))
                self.assertEqual((p.ip.dscp, p.ip.ecn), (26, walker.ECT0))
                seen.append((p.sport, p.frame[p.bth.offset:p.end - 4]))
                first[p.bth.qp] = min(r.time - make_data.BASE, first.get(p.bth.qp, r.time))
                here, there = (p.ip.src, p.smac), (p.ip.dst, p.dmac)
                if name == "incast-receiver.pcap":
                    here, there = there, here
                else:
                    number = int(name[8])
                    self.assertEqual(walker.ip_text(here[0]), "2001:db8:ab::1%d" % number)
                    self.assertEqual(walker.mac_text(here[1]), "02:00:00:00:0a:1%d" % number)
                self.assertEqual(walker.ip_text(there[0]), "2001:db8:ab::b")
                self.assertEqual(walker.mac_text(there[1]), "02:00:00:00:0b:01")
        want = [(p.sport, p.frame[p.bth.offset:p.end - 4]) for p in packets("softroce-v6-rc.pcap")]
        self.assertEqual(sorted(seen), sorted(want))
        self.assertEqual(first, {0x12: 0, 0x14: 150000, 0x13: 300000, 0x11: 450000, 0x15: 600000})

    def test_traces_cause_the_vectors(self):
        """The data packets call for frames 1, 2 and 4 of vector 10."""
        profile = notice.Profile(bytes.fromhex("20010db8000f00000000000000000005"))
        found = packets("ioam-traces-burst.pcap")
        self.assertEqual(len(found), 3 * 64)
        for p, want in zip(found, [packets("vectors/10_fastcnp_opt2.pcap")[i] for i in (0, 1, 3)] * 64):
            self.assertTrue(icrc_right(p))
            self.assertEqual(notice.build(profile, p).hex(), want.frame[14:].hex())
        slots = [ioam.from_option(p.options(0)[0]).words // 7 for p in found[:3]]
        self.assertEqual(slots, [3, 2, 8])

    def test_long_traces(self):
        found = packets("ioam-long-burst.pcap")
        self.assertEqual(len(found), 48)
        for p, words, fits in zip(found, (57, 58, 61) * 16, (True, False, False) * 16):
            t = ioam.from_option(p.options(0)[0])
            self.assertTrue(icrc_right(p))
            self.assertEqual((t.error, t.words, t.hops, len(p.options(0)[0].data)), ("", words, 2, 10 + 4 * words))
            self.assertEqual(notice.trace_of(p) is not None, fits)

    def test_cases(self):
        """Right sums wherever nothing is wrong on purpose, and as many packets as the README says."""
        for name, count in (("one-flow", 64), ("limits", 64), ("flows", 256), ("classes-burst", 203), ("class-marks", 80),
                            ("vlan-burst", 64), ("dscp-routed", 1152), ("dscp-bridged", 576), ("turns-bridged", 216),
                            ("turns-hello", 1), ("route-odd", 51), ("route-odd-out", 9), ("malformed-routed", 16)):
            found = packets(name + ".pcap")
            self.assertEqual(len(found), count, name)
            if name in ("route-odd", "malformed-routed"):
                continue
            for p in found:
                if p.ethertype == 0x88B5 or p.ip.fragment:
                    continue
                self.assertTrue(p.is_roce and icrc_right(p), p.describe())
                self.assertEqual(p.frame[p.udp + 6] << 8 | p.frame[p.udp + 7],
                                 sums.udp_checksum(p.frame, p.ip.offset, p.udp, p.end))
                if p.ip.version == 4:
                    self.assertEqual(sums.ones_sum(p.frame[14:34]), 0xFFFF)
        key = lambda p: (p.ip.src, p.ip.dst, p.sport, p.bth.qp)
        self.assertEqual(len({key(p) for p in packets("flows.pcap")}), 64)
        self.assertEqual(len({(p.ip.src, p.bth.qp) for p in packets("limits.pcap")}), 64)
        for kind, came, went in (("vlan", 20, 14), ("learn", 11, 15)):
            total = lambda prefix: sum(len(packets("%s-%sp%d.pcap" % (kind, prefix, n))) for n in (1, 2, 3))
            self.assertEqual((total(""), total("out-")), (came, went))

    def test_turns(self):
        """Four packets at each time; of a frame of 1294 octets there is one that is an octet longer. Every pair of DSCPs
        that differ in one bit, and no two of one class."""
        times = [r.time for r in capture.load(os.path.join(DATA, "turns-routed.pcap")).records]
        self.assertEqual(times[::4], sorted(set(times)))
        self.assertEqual(times[::4], times[3::4])
        lengths = [len(p.frame) for p in packets("turns-bridged.pcap")]
        self.assertEqual((lengths.count(1294), lengths.count(1295)), (27, 27))
        dscps = [p.ip.dscp for p in packets("dscp-bridged.pcap")]
        self.assertEqual(sorted(zip(dscps[::3], dscps[1::3])), sorted((d, d | b) for d in range(64)
                                                                      for b in (1, 2, 4, 8, 16, 32) if not d & b))
        found = turns.classes()
        self.assertFalse([d for d in range(64) for bit in range(6) if found[d] == found[d ^ 1 << bit]])
        for case in ("dscp-bridged", "dscp-routed"):
            with open(os.path.join(HERE, "..", "pcap", case, "fastcn.conf"), encoding="ascii") as f:
                lines = [line.strip() for line in f if line.startswith("set class-map")]
            self.assertEqual(lines, ["set class-map dscp %d class %d" % entry for entry in enumerate(found)])

    def test_broken(self):
        def load(name):
            return capture.load(os.path.join(DATA, "broken", name), partial=True)
        for name in ("empty.pcap", "not-a-capture.pcap"):
            with self.assertRaises(capture.CaptureError):
                load(name)
        self.assertEqual((load("header-only.pcap").records, load("header-only.pcap").error), ([], ""))
        cap = load("truncated.pcap")
        self.assertEqual((len(cap.records), cap.error), (4, "record cut short"))
        self.assertEqual(load("raw-ip.pcap").linktype, 101)
        self.assertEqual([len(r.data) == r.length for r in load("snapped.pcap").records], [False, True] * 4)
        times = [r.time for r in load("backwards.pcap").records]
        self.assertTrue(all(times[i] > times[i + 1] for i in range(0, 8, 2)))
        self.assertEqual([len(r.data) for r in load("runt.pcap").records], [1102, 13, 82])
        self.assertEqual([len(r.data) for r in load("huge.pcap").records], [1102, 65536, 82])
        self.assertEqual(walker.walk(load("huge.pcap").records[1].data).error, "UDP length")

    def test_size(self):
        total = sum(os.path.getsize(os.path.join(path, n)) for path, _, names in os.walk(DATA) for n in names)
        self.assertLess(total, 7 * 2**20)


if __name__ == "__main__":
    unittest.main()
