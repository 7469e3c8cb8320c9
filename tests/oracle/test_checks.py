#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The check programs must say yes to what is right and no to each thing that is wrong."""

import os
import struct
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import check_ecn  # noqa: E402
import check_forward  # noqa: E402
import check_notices  # noqa: E402
from fcnoracle import capture, shark, sums, walker  # noqa: E402

DATA = os.path.join(HERE, "..", "data")
VECTORS = os.path.join(DATA, "vectors")
SOURCE = "2001:db8:f::5"
BASE = 1700000000 * 10**9


def vector(name):
    return [r.data for r in capture.load(os.path.join(VECTORS, name)).records]


def repaired(frame):
    """The frame with ICRC and UDP checksum right again, the frame itself where that is impossible."""
    p = walker.walk(frame)
    if not p.udp or p.end - p.udp < 24 or p.ip.version != 6:
        return bytes(frame)
    f = bytearray(frame)
    f[p.end - 4:p.end] = sums.icrc(f, p.ip.offset, p.udp, p.end)
    f[p.udp + 6:p.udp + 8] = struct.pack("!H", sums.udp_checksum(f, p.ip.offset, p.udp, p.end))
    return bytes(f)


class Base(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def file(self, name, frames, start=0, gap=1000):
        """Write frames, or (ns, frame), and return the path."""
        path = os.path.join(self.folder, name)
        records = [(BASE + start + i * gap, f) if isinstance(f, bytes) else (BASE + f[0], f[1])
                   for i, f in enumerate(frames)]
        capture.save(path, records, nano=True)
        return path


class CheckNotices(Base):
    def check(self, data, notices, *more, tshark=False):
        argv = ["--data", self.file("in.pcap", data), "--notices", self.file("out.pcap", notices, 10**6),
                "--source", SOURCE, *more]
        return check_notices.check(check_notices.parse(argv if tshark else argv + ["--no-tshark"]))

    def green(self, *args, **kw):
        count, _, failures = self.check(*args, **kw)
        self.assertEqual(failures, [])
        return count

    def red(self, *args, **kw):
        _, _, failures = self.check(*args, **kw)
        self.assertNotEqual(failures, [])
        return " ".join(failures)

    def setUp(self):
        super().setUp()
        self.write = vector("01_roce6_write.pcap")[0]
        self.one = vector("09_fastcnp_opt1.pcap")[0]
        self.traced = vector("05_roce6_write_ioam.pcap")[2]
        self.two = vector("10_fastcnp_opt2.pcap")[0]

    def test_right(self):
        mac = ["--l2", "bridge", "--src-mac", "02:00:00:00:01:01", "--strict"]
        self.assertEqual(self.green([self.write], [self.one], *mac, tshark=True), 1)
        self.assertEqual(self.green([self.traced], [self.two], *mac, tshark=True), 1)
        self.assertEqual(self.green([self.write, self.traced], [self.two, self.one], *mac), 2)

    def test_conventions(self):
        for n, name in enumerate(sums.CONVENTIONS):
            frame = vector("09_fastcnp_opt1.pcap")[n]
            self.green([self.write], [frame], "--icrc", name)
            for other in sums.CONVENTIONS:
                if other != name:
                    self.assertIn("ICRC", self.red([self.write], [frame], "--icrc", other))

    def test_placement(self):
        """The option at offset 2 is legal to receive, but not what is to be sent."""
        self.assertIn("padding before the option", self.red([self.write], [vector("09_fastcnp_opt1.pcap")[3]]))

    def test_every_octet(self):
        """Each octet changed, as it is and with ICRC and UDP checksum put right, turns the check red."""
        mac = ["--l2", "bridge", "--src-mac", "02:00:00:00:01:01", "--strict"]
        for data, good in ((self.write, self.one), (self.traced, self.two)):
            for i in range(len(good)):
                for bit in (0x01, 0x80):
                    f = bytearray(good)
                    f[i] ^= bit
                    with self.subTest(octet=i, bit=bit):
                        self.red([data], [bytes(f)], *mac)
                        fixed = repaired(f)
                        if fixed != good:
                            self.red([data], [fixed], *mac)

    def test_named(self):
        """The report names the field that is wrong."""
        for at, name in ((14, "traffic class"), (17, "flow label"), (19, "length"), (21, "hop limit"), (53, "destination"),
                         (60, "option type"), (77, "option address"), (79, "UDP source port"), (89, "P_Key"),
                         (90, "BECN"), (93, "destination QP"), (97, "PSN"), (100, "reserved octets")):
            f = bytearray(self.one)
            f[at] ^= 1
            self.assertIn(name, self.red([self.write], [repaired(f)]))

    def test_becn_and_checksum(self):
        f = bytearray(self.one)
        f[90] = 0
        self.assertIn("BECN octet 00, expected 40", self.red([self.write], [repaired(f)]))
        f = bytearray(self.one)
        f[84:86] = b"\0\0"
        self.assertIn("UDP checksum 0000", self.red([self.write], [bytes(f)]))

    def test_length(self):
        self.red([self.write], [self.one + b"\0"])
        self.red([self.write], [self.one[:-1]])
        self.red([self.write], [self.one[:60]])

    def test_option_choice(self):
        """Option 1 for a packet with a trace, option 2 for one without, a trace of another hop."""
        self.red([self.traced], [self.one])
        self.red([self.write], [self.two])
        self.assertIn("trace", self.red([vector("05_roce6_write_ioam.pcap")[1]], [self.two]))
        bad_trace = vector("16_malformed.pcap")[8]
        self.green([bad_trace], [self.one])

    def test_who_may_be_answered(self):
        for opcode, ok in ((0x0A, True), (0x00, True), (0x0C, True), (0x10, True), (0x64, True), (0x11, False),
                           (0x12, False), (0x81, False)):
            f = bytearray(self.write)
            f[62] = opcode
            (self.green if ok else self.red)([repaired(f)], [self.one])
        f = bytearray(self.write)
        f[22] = 0xFF
        multicast = bytearray(self.one)
        multicast[38] = 0xFF
        self.red([repaired(f)], [repaired(multicast)])
        fragment = bytearray(self.write[:54]) + bytes([17, 0, 0, 1, 0, 0, 0, 1]) + self.write[54:]
        fragment[20], fragment[19] = 44, fragment[19] + 8
        self.red([bytes(fragment)], [self.one])

    def test_where_to(self):
        f = bytearray(self.one)
        f[5] = 2
        self.red([self.write], [bytes(f)], "--l2", "bridge")
        self.green([self.write], [bytes(f)], "--l2", "routed")
        tagged = lambda x, vlan: x[:12] + b"\x81\x00" + struct.pack("!H", vlan) + x[12:]
        self.green([tagged(self.write, 7)], [tagged(self.one, 0xC007)], "--l2", "bridge")
        self.red([tagged(self.write, 7)], [tagged(self.one, 8)], "--l2", "bridge")
        self.red([tagged(self.write, 7)], [self.one], "--l2", "bridge")

    def test_one_each(self):
        self.assertIn("notice 2 left when 1 packets", self.red([self.write], [self.one, self.one]))
        self.assertEqual(self.green([self.write, self.write], [self.one, self.one]), 2)

    def test_not_before_its_cause(self):
        self.red([(2 * 10**6, self.write)], [(10**6, self.one)])
        self.green([(0, self.traced), (10**6, self.write)], [(10**6, self.one)])
        # At twice the speed the packet comes at half the time.
        self.green([(0, self.traced), (2 * 10**6, self.write)], [(10**6, self.one)], "--speed", "2")

    def test_interval(self):
        data = [(n * 1000, self.write) for n in range(10)]
        # Arrivals 0, 4000, 8000 are 4 us apart: three notices at most, two until 7999.
        self.green(data, [(9000 + n, self.one) for n in range(3)], "--min-interval", "4000")
        self.red(data, [(9000 + n, self.one) for n in range(4)], "--min-interval", "4000")
        self.red(data, [(7000 + n, self.one) for n in range(3)], "--min-interval", "4000")

    def test_counts(self):
        self.green([self.write], [self.one], "--expect", "1", "--expect-opt1", "1", "--expect-opt2", "0",
                   "--at-least", "1")
        for more in (["--expect", "2"], ["--expect-opt1", "0"], ["--expect-opt2", "1"], ["--at-least", "2"]):
            self.red([self.write], [self.one], *more)

    def test_golden(self):
        golden = self.file("golden.pcap", [self.one])
        self.green([self.write, self.traced], [self.one], "--golden", golden)
        self.red([self.write, self.traced], [self.two], "--golden", golden)

    def test_tunnel_to_end_con(self):
        tunnelled = vector("11_fastcnp_srv6_endcon.pcap")
        data = [vector("06_srv6_encaps_srh.pcap")[0]]
        more = ["--source", "2001:db8:f::2", "--end-con", "2001:db8:e1:1::c"]
        self.green(data, tunnelled, *more)
        self.red(data, tunnelled, "--source", "2001:db8:f::2")
        self.red(data, tunnelled, "--source", "2001:db8:f::2", "--end-con", "2001:db8:e1:1::d")
        self.red(data, [self.one], "--end-con", "2001:db8:e1:1::c")
        # As if outside of tunnels; of a packet that is not in one; to a headend that it does not come from.
        self.red(data, [vector("09_fastcnp_opt1.pcap")[0]])
        self.red([vector("01_roce6_write.pcap")[0]], tunnelled, *more)
        other = bytearray(tunnelled[0])
        other[53] ^= 1
        self.red(data, [bytes(other)], "--source", "2001:db8:f::2", "--end-con", "2001:db8:e1::/48")
        self.green(data, tunnelled, "--source", "2001:db8:f::2", "--end-con", "2001:db8:e1::/48", "--no-plain")

    def test_others(self):
        """Fast CNPs of other switches and data pass; what did not come in is told with --strict."""
        foreign = bytearray(self.one)
        foreign[37] = 9
        foreign = repaired(foreign)
        self.assertEqual(self.green([self.write, foreign], [self.write, foreign], "--strict"), 0)
        self.red([self.write], [foreign])
        self.red([self.write], [vector("03_roce6_ack.pcap")[0]], "--strict")
        self.assertEqual(self.green([self.write], [vector("03_roce6_ack.pcap")[0]]), 0)

    @unittest.skipUnless(shark.available(), "no tshark")
    def test_tshark(self):
        said = shark.complaints(os.path.join(VECTORS, "16_malformed.pcap"))
        self.assertEqual(sorted(n for n in said if said[n] != ["UDP checksum absent"]), [1, 4, 5, 6, 8, 13, 14, 15, 16])
        self.assertEqual(shark.complaints(os.path.join(VECTORS, "10_fastcnp_opt2.pcap")), {})
        several = [os.path.join(VECTORS, name) for name in ("16_malformed.pcap", "10_fastcnp_opt2.pcap", "16_malformed.pcap")]
        self.assertEqual(shark.complaints_of(several), [said, {}, said])
        f = bytearray(self.one)
        f[84] ^= 1
        self.assertIn("tshark: UDP checksum bad", self.red([self.write], [bytes(f)], tshark=True))


class CheckForward(Base):
    def check(self, data, out, *more):
        """data: one list, or a list of lists for several inputs."""
        inputs = data if isinstance(data[0], list) else [data]
        paths = [self.file("in%d.pcap" % n, frames) for n, frames in enumerate(inputs)]
        args = check_forward.parse(["--in", *paths, "--out", self.file("out.pcap", out, 10**6), *more])
        return check_forward.check(args)[:2]

    def green(self, *args):
        counts, failures = self.check(*args)
        self.assertEqual(failures, [])
        return counts

    def red(self, *args):
        _, failures = self.check(*args)
        self.assertNotEqual(failures, [])
        return " ".join(failures)

    def setUp(self):
        super().setUp()
        load = lambda n: [r.data for r in capture.load(os.path.join(DATA, n)).records[:12]]
        self.six, self.four = load("softroce-v6-rc-ect.pcap"), load("softroce-v4-rc-ect.pcap")

    def test_same(self):
        self.assertEqual(self.green(self.six, self.six)["forwarded"], 12)
        self.assertEqual(self.green([self.six, self.four], self.six + self.four)["forwarded"], 24)

    def test_every_octet(self):
        for good in (vector("01_roce6_write.pcap")[0], vector("02_roce4_write.pcap")[0]):
            for i in range(len(good)):
                f = bytearray(good)
                f[i] ^= 1
                with self.subTest(octet=i):
                    self.red([good], [bytes(f)])

    def test_missing_and_more(self):
        self.assertIn("missing", self.red(self.six, self.six[1:]))
        self.assertEqual(self.green(self.six, self.six[1:], "--allow-drops")["missing"], 1)
        self.assertIn("duplicate", self.red(self.six, self.six + self.six[-1:]))
        self.assertIn("no such packet", self.red(self.six, self.six + self.four[:1]))

    def test_order(self):
        swapped = self.six[:]
        swapped[0], swapped[2] = swapped[2], swapped[0]
        self.assertIn("order", self.red(self.six, swapped))
        # From one input the order of a DSCP holds over flows too; from two at one time any order goes.
        flows = [self.six[0], vector("01_roce6_write.pcap")[0]]
        self.assertIn("order within the DSCP", self.red(flows, flows[::-1]))
        self.green([[self.six[0]], [flows[1]]], flows[::-1])
        self.green([[(0, self.six[0])], [(0, flows[1])]], flows[::-1], "--fifo")
        self.assertIn("order within the DSCP",
                      self.red([[(0, self.six[0])], [(1, flows[1])]], flows[::-1], "--fifo"))

    def test_copies(self):
        """Drops among identical copies do not look like a broken order."""
        a, b = self.six[0], vector("01_roce6_write.pcap")[0]
        self.green([a, b, a, b, a, b], [b, a, b], "--allow-drops")
        self.green([a, b, a, b, a, b], [b, b, a], "--allow-drops")
        self.assertIn("order", self.red([a, a, b, b], [a, b, a], "--allow-drops"))

    def routed(self, frame):
        p, f = walker.walk(frame), bytearray(frame)
        f[0:12] = bytes.fromhex("02000000aa0102000000bb01")
        at = 8 if p.ip.version == 4 else 7
        f[14 + at] -= 1
        if p.ip.version == 4:
            f[24:26] = struct.pack("!H", sums.ipv4_checksum(f[14:34]))
        return bytes(f)

    def test_routed(self):
        both = self.six + self.four
        self.green(self.six, [self.routed(f) for f in self.six], "--mode", "route6")
        self.green(self.four, [self.routed(f) for f in self.four], "--mode", "route4",
                   "--src-mac", "02:00:00:00:bb:01", "--dst-mac", "02:00:00:00:aa:01")
        self.green(both, [self.routed(f) for f in both], "--mode", "route")
        self.red(self.six, [self.routed(f) for f in self.six], "--mode", "bridge")
        self.assertIn("hop limit", self.red(self.six, self.six, "--mode", "route6"))
        self.red(self.four, [self.routed(f) for f in self.four], "--mode", "route4", "--src-mac", "02:00:00:00:bb:02")
        bad = bytearray(self.routed(self.four[0]))
        bad[25] ^= 1
        self.assertIn("IPv4 header checksum", self.red(self.four[:1], [bytes(bad)], "--mode", "route4"))

    def marked(self, frame):
        p, f = walker.walk(frame), bytearray(frame)
        f[15] |= 0x03 if p.ip.version == 4 else 0x30
        if p.ip.version == 4:
            f[24:26] = struct.pack("!H", sums.ipv4_checksum(f[14:34]))
        return bytes(f)

    def test_marks(self):
        for frames in (self.six, self.four):
            out = [self.marked(frames[0])] + frames[1:]
            self.assertIn("altered", self.red(frames, out))
            self.assertEqual(self.green(frames, out, "--allow-ce")["marked"], 1)
            self.red(out, frames, "--allow-ce")  # a mark taken away
        plain = [r.data for r in capture.load(os.path.join(DATA, "softroce-v6-rc.pcap")).records[:1]]
        self.red(plain, [self.marked(plain[0])], "--allow-ce")  # Not-ECT marked
        bad = bytearray(self.marked(self.four[0]))
        bad[25] ^= 1
        self.red(self.four[:1], [bytes(bad)], "--allow-ce")

    def test_time(self):
        self.assertIn("before it came", self.red([(2000, self.six[0])] + [(0, self.four[0])],
                                                 [(0, self.four[0]), (1999, self.six[0])]))

    def test_belongs(self):
        to = ["--to-mac", "02:00:00:00:0b:01"]
        there = [f for f in self.six if f[:6].hex() == "020000000b01"]
        self.assertTrue(0 < len(there) < len(self.six))
        self.green(self.six, there, *to)
        self.assertIn("does not belong", self.red(self.six, self.six, *to))
        self.green(self.six, there, "--to", "2001:db8:ab::b")

    def test_own_packets(self):
        one = vector("09_fastcnp_opt1.pcap")[0]
        self.red(self.six, self.six + [one])
        self.assertEqual(self.green(self.six, self.six + [one], "--ignore-notices", SOURCE)["ignored"], 1)

    def test_vlan(self):
        tagged = [f[:12] + b"\x81\x00\x00\x07" + f[12:] for f in self.six]
        self.red(self.six, tagged)
        self.green(self.six, tagged, "--any-vlan")

    def test_link_local_control(self):
        pause = bytes.fromhex("0180c2000001020000000101880801010008") + bytes(42)
        self.green(self.six + [pause], self.six)


class CheckEcn(Base):
    def setUp(self):
        super().setUp()
        self.write = vector("01_roce6_write.pcap")[0]
        self.one = vector("09_fastcnp_opt1.pcap")[0]
        self.data = [(n * 10**5, self.psn(n)) for n in range(10)]

    def psn(self, n, ecn=2):
        f = bytearray(self.write)
        f[73] = n
        f[15] = f[15] & 0xCF | ecn << 4
        return repaired(f)

    def out(self, marked, dropped=()):
        return [(t + 5 * 10**5, self.psn(n, 3 if n in marked else 2)) for n, (t, _) in enumerate(self.data)
                if n not in dropped]

    def check(self, sender, out, notices, *more, data=None):
        argv = ["--in", self.file("in.pcap", data or self.data), "--out", self.file("out.pcap", out),
                "--notices", self.file("notices.pcap", [(t, self.one) for t in notices]), "--source", SOURCE,
                "--sender", sender, *more]
        return check_ecn.check(check_ecn.parse(argv))

    def green(self, *args, **kw):
        counts, failures = self.check(*args, **kw)
        self.assertEqual(failures, [])
        return counts

    def red(self, *args, **kw):
        _, failures = self.check(*args, **kw)
        self.assertNotEqual(failures, [])
        return " ".join(failures)

    # 118 octets and 24 of overhead at 1 Gbit/s: 1136 ns from cause to departure.
    AFTER = 1136

    def test_capable(self):
        self.green("capable", self.out(()), [self.AFTER, 200000 + self.AFTER])
        self.red("capable", self.out(range(10)), [self.AFTER])
        # Packet 0 is marked: a notice before packet 1 came can only be its own.
        self.red("capable", self.out({0}), [self.AFTER])
        self.green("capable", self.out({0}), [100000 + self.AFTER])
        # Packet 1 is marked: the second notice may be late for packet 0, unless the port was idle.
        self.green("capable", self.out({1}), [100000 + self.AFTER])
        self.assertIn("was marked", self.red("capable", self.out({1}), [100000 + self.AFTER], "--link", "1000000000"))
        # One notice from the unmarked packet 0, but two have left.
        self.red("capable", self.out(range(1, 10)), [self.AFTER, 300000 + self.AFTER])

    def test_capable_dropped(self):
        self.green("capable", self.out({0}, {1}), [100000 + self.AFTER], "--link", "1000000000")

    def test_no_marks(self):
        self.green("capable", self.out({5}), [self.AFTER])
        self.red("capable", self.out({5}), [self.AFTER], "--no-marks")

    def test_unknown(self):
        self.green("unknown", self.out({0, 2}), [self.AFTER, 200000 + self.AFTER], "--link", "1000000000", "--tied")
        self.red("unknown", self.out({2}), [self.AFTER, 200000 + self.AFTER])
        self.red("unknown", self.out(()), [self.AFTER])
        self.assertIn("was kept", self.red("unknown", self.out({0}), [100000 + self.AFTER], "--link", "1000000000"))
        plain = [(t, self.psn(n, 0)) for n, (t, _) in enumerate(self.data)]
        self.green("unknown", [(t + 500000, f) for t, f in plain], [self.AFTER], data=plain)

    def test_tied(self):
        counts = self.green("capable", self.out(()), [self.AFTER, 200000 + 7777], "--link", "1000000000")
        self.assertEqual((counts["notices"], counts["tied"]), (2, 1))
        self.red("capable", self.out(()), [self.AFTER, 200000 + 7777], "--link", "1000000000", "--tied")

    def test_other_senders(self):
        self.red("capable", self.out(range(10)), [self.AFTER])
        self.green("capable", self.out(range(10)), [self.AFTER], "--senders", "2001:db8:1::11")

    def test_foreign_notice(self):
        f = bytearray(self.one)
        f[93] ^= 1
        self.one = repaired(f)
        self.assertIn("no data packet calls for it", self.red("capable", self.out(()), [self.AFTER]))


if __name__ == "__main__":
    unittest.main()
