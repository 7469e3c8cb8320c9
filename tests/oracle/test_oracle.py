#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The tools of this directory against the packet vectors, captured hardware and arithmetic on paper.

Usage: python3 -m unittest discover -s tests/oracle
"""

import os
import struct
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from fcnoracle import bpf, capture, ioam, notice, sums, walker  # noqa: E402

VECTORS = os.path.join(HERE, "..", "data", "vectors")
SOURCE = bytes.fromhex("20010db8000f00000000000000000005")
SENDER = bytes.fromhex("20010db8000100000000000000000010")
RECEIVER = bytes.fromhex("20010db8000200000000000000000020")
PROFILE = notice.Profile(SOURCE)


def vector(name):
    return [r.data for r in capture.load(os.path.join(VECTORS, name)).records]


def conventions(p):
    """Conventions under which a packet's ICRC is right."""
    return [c for c in sums.CONVENTIONS
            if sums.icrc(p.frame, p.ip.offset, p.udp, p.end, c) == p.frame[p.end - 4:p.end]]


class Captures(unittest.TestCase):
    RECORDS = [capture.Record.of(1700000000123456789, b"a" * 61), capture.Record(1700000001999999999, b"b" * 5, 1500)]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "x.pcap")

    def test_nanoseconds(self):
        capture.save(self.path, self.RECORDS, nano=True)
        cap = capture.load(self.path)
        self.assertEqual((cap.records, cap.nano, cap.linktype), (self.RECORDS, True, capture.ETHERNET))

    def test_microseconds_cut(self):
        capture.save(self.path, self.RECORDS)
        self.assertEqual([r.time for r in capture.load(self.path).records], [1700000000123456000, 1700000001999999000])

    def test_pcapng(self):
        capture.save_pcapng(self.path, self.RECORDS)
        self.assertEqual(capture.load(self.path).records, self.RECORDS)

    def test_big_endian(self):
        with open(self.path, "wb") as f:
            f.write(struct.pack(">IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
            f.write(struct.pack(">IIII", 7, 5, 3, 9) + b"xyz")
        self.assertEqual(capture.load(self.path).records, [capture.Record(7 * 10**9 + 5, b"xyz", 9)])

    def test_pcapng_big_endian_microseconds(self):
        with open(self.path, "wb") as f:
            f.write(struct.pack(">IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28))
            f.write(struct.pack(">IIHHII", 1, 20, 1, 0, 0, 20))
            f.write(struct.pack(">IIIIIII", 6, 36, 0, 1, 5, 3, 9) + b"xyz\0" + struct.pack(">I", 36))
        self.assertEqual(capture.load(self.path).records, [capture.Record(((1 << 32) + 5) * 1000, b"xyz", 9)])

    def test_broken_tail(self):
        capture.save(self.path, self.RECORDS)
        with open(self.path, "r+b") as f:
            f.truncate(24 + 16 + 61 + 16 + 3)
        with self.assertRaises(capture.CaptureError):
            capture.load(self.path)
        cap = capture.load(self.path, partial=True)
        self.assertEqual((len(cap.records), cap.error), (1, "record cut short"))

    def test_filter(self):
        frames = [capture.Record.of(0, f) for f in vector("01_roce6_write.pcap") + vector("02_roce4_write.pcap")]
        self.assertEqual(len(bpf.select(frames, "ip6")), 2)
        self.assertEqual(len(bpf.select(frames, "ip and udp dst port 4791")), 1)
        with self.assertRaises(ValueError):
            bpf.select(frames, "no such filter")


class Sums(unittest.TestCase):
    def test_crc32(self):
        self.assertEqual(sums.crc32(0xFFFFFFFF, b"123456789") ^ 0xFFFFFFFF, 0xCBF43926)
        self.assertEqual(sums.ICRC_SEED, 0xDEBB20E3)

    def test_hardware(self):
        """A CNP whose ICRC an adapter made."""
        p = walker.walk(vector("04_cnp.pcap")[2])
        self.assertEqual(sums.icrc(p.frame, p.ip.offset, p.udp, p.end).hex(), "82fd002a")

    def test_internet_checksum(self):
        # RFC 1071, section 3
        self.assertEqual(sums.ones_sum(bytes.fromhex("0001f203f4f5f6f7")), 0xDDF2)
        self.assertEqual(sums.ones_sum(b"\x12"), 0x1200)

    def test_conventions(self):
        every = list(sums.CONVENTIONS)
        for name, want in (("01_roce6_write", [every] * 2), ("02_roce4_write", [every]), ("03_roce6_ack", [every]),
                           ("04_cnp", [every] * 3), ("05_roce6_write_ioam", [["skip"]] * 5),
                           ("06_srv6_encaps_srh", [every] * 2), ("07_srv6_encaps_nosrh", [every]),
                           ("08_srv6_encaps_red", [every]),
                           ("09_fastcnp_opt1", [["skip"], ["cover"], ["norm"], ["skip"]]),
                           ("10_fastcnp_opt2", [["skip"], ["skip"], ["cover"], ["skip"]]),
                           ("11_fastcnp_srv6_endcon", [["skip"]]), ("13_roce6_write_proxyopt", [["skip"]])):
            got = [conventions(walker.walk(f)) for f in vector(name + ".pcap")]
            self.assertEqual(got, want, name)

    def test_published_values(self):
        frames = vector("05_roce6_write_ioam.pcap")
        for convention, want in ((sums.SKIP, ["e611e893"] * 5), (sums.NORM, ["1d2ea1bf"] * 5),
                                 (sums.COVER, ["992bedcd", "f548ede9", "0993b73f", "4eef35a1", "61dae20a"])):
            got = []
            for p in map(walker.walk, frames):
                got.append(sums.icrc(p.frame, p.ip.offset, p.udp, p.end, convention).hex())
            self.assertEqual(got, want)

    def test_udp_checksums(self):
        count = 0
        for name in sorted(os.listdir(VECTORS)):
            if not name.endswith(".pcap") or name.startswith("16"):
                continue
            for n, f in enumerate(vector(name)):
                p = walker.walk(f)
                if not p.udp:
                    continue
                have = f[p.udp + 6] << 8 | f[p.udp + 7]
                if (name, n) == ("04_cnp.pcap", 2):
                    self.assertEqual(have, 0)  # the adapter sent none
                    continue
                final = p.ip.receiver if p.ip.version == 6 else None
                self.assertEqual(have, sums.udp_checksum(f, p.ip.offset, p.udp, p.end, final), name)
                count += 1
        self.assertGreaterEqual(count, 25)


class Walker(unittest.TestCase):
    def test_data_packet(self):
        p = walker.walk(vector("01_roce6_write.pcap")[1])
        self.assertEqual((p.error, p.ip.src, p.ip.dst, p.ip.dscp, p.ip.ecn, p.ip.hop_limit, p.ip.flow_label),
                         ("", SENDER, RECEIVER, 26, walker.CE, 63, 0x3A5C1))
        self.assertEqual((p.sport, p.bth.opcode, p.bth.qp, p.bth.psn, p.bth.pkey), (0xC0DE, 10, 0x1A7, 0x4D2A11, 0xFFFF))

    def test_tunnel(self):
        for name, outer in (("06_srv6_encaps_srh.pcap", 1), ("07_srv6_encaps_nosrh.pcap", 0),
                            ("08_srv6_encaps_red.pcap", 1), ("11_fastcnp_srv6_endcon.pcap", 0)):
            p = walker.walk(vector(name)[0])
            self.assertEqual((p.error, len(p.layers), len(p.outer.extensions)), ("", 2, outer), name)
            self.assertIsNotNone(p.bth)

    def test_malformed(self):
        want = ["BTH cut short", "CNP length", "", "option overruns header", "option overruns header",
                "extension header overruns packet", "", "option overruns header", "", "", "", "SRH Segments Left",
                "SRH Last Entry", "SRH length", "IPv6 length", "UDP length"]
        frames = vector("16_malformed.pcap")
        self.assertEqual([walker.walk(f).error for f in frames], want)
        # What the walker has nothing against: ICRC, padding, trace.
        self.assertEqual(conventions(walker.walk(frames[2])), [])
        with self.assertRaisesRegex(walker.Fault, "PadN"):
            notice.read(walker.walk(frames[6]), PROFILE)
        self.assertEqual([ioam.from_option(walker.walk(f).options(0)[0]).error for f in frames[8:11]],
                         ["NodeLen 0", "RemainingLen larger than the option", "NodeLen does not match the trace type"])

    def test_every_cut(self):
        """No cut of any vector is read past its end or taken for the whole."""
        for name in sorted(os.listdir(VECTORS)):
            if name.endswith(".pcap"):
                for f in vector(name):
                    for size in range(len(f)):
                        self.assertFalse(walker.walk(f[:size]).is_roce)

    def test_vlan_and_padding(self):
        f = vector("03_roce6_ack.pcap")[0]
        p = walker.walk(f[:12] + b"\x81\x00\x60\x64" + f[12:] + bytes(7))
        self.assertEqual((p.error, p.vlans, p.end), ("", [0x6064], len(f) + 4))
        self.assertEqual(conventions(p), list(sums.CONVENTIONS))

    def test_fragment(self):
        f = bytearray(vector("02_roce4_write.pcap")[0])
        f[20] = 0x20
        p = walker.walk(f)
        self.assertTrue(p.ip.fragment)
        self.assertIsNone(p.bth)

    def test_may_trigger(self):
        data = bytearray(vector("01_roce6_write.pcap")[0])
        for opcode in range(256):
            data[62] = opcode
            want = opcode not in (0x11, 0x12, 0x81)
            self.assertEqual(walker.may_trigger(walker.walk(data)), want, opcode)
        data[62] = 10
        for source, want in ((bytes(16), False), (b"\xff\x02" + bytes(14), False), (SENDER, True)):
            data[22:38] = source
            self.assertEqual(walker.may_trigger(walker.walk(data)), want)
        self.assertFalse(walker.may_trigger(walker.walk(vector("02_roce4_write.pcap")[0])))
        got = [walker.may_trigger(walker.walk(f)) for f in vector("16_malformed.pcap")]
        self.assertEqual([n + 1 for n, may in enumerate(got) if may], [3, 9, 10, 11])


class Traces(unittest.TestCase):
    def test_hops(self):
        got = []
        for f in vector("05_roce6_write_ioam.pcap"):
            t = ioam.from_option(walker.walk(f).options(0)[0])
            got.append((t.error, t.hops, t.remaining, t.flags, t.words))
        self.assertEqual(got, [("", 0, 21, 0, 21), ("", 1, 14, 0, 21), ("", 2, 7, 0, 21), ("", 3, 0, 0, 21),
                               ("", 3, 0, 8, 21)])

    def test_node_element(self):
        t = ioam.from_option(walker.walk(vector("05_roce6_write_ioam.pcap")[2]).options(0)[0])
        self.assertEqual(t.nodes()[1].hex(), "3f0001016553f100075bcd15000186a0000010000000001122334455")

    def test_node_words(self):
        self.assertEqual(ioam.node_words(0xB62000), 7)
        self.assertEqual(ioam.node_words(0x800000), 1)
        self.assertEqual(ioam.node_words(0x008000), 2)
        self.assertEqual(ioam.node_words(0x000003), 0)

    def test_ragged(self):
        self.assertEqual(ioam.read_trace(0, bytes.fromhex("007b380100b62000") + bytes(4)).error,
                         "NodeLen does not match the trace type")
        self.assertEqual(ioam.read_trace(0, bytes.fromhex("007b3801b6200000") + bytes(12)).error,
                         "node data list is no multiple of NodeLen")


class Notices(unittest.TestCase):
    def test_read(self):
        for name, frame, option, words in (("09_fastcnp_opt1.pcap", 0, 1, None), ("09_fastcnp_opt1.pcap", 3, 1, None),
                                           ("10_fastcnp_opt2.pcap", 0, 2, 21), ("10_fastcnp_opt2.pcap", 1, 2, 14),
                                           ("10_fastcnp_opt2.pcap", 3, 2, 56), ("11_fastcnp_srv6_endcon.pcap", 0, 1, None)):
            n = notice.read(walker.walk(vector(name)[frame]), PROFILE)
            self.assertEqual((n.option, n.sender, n.receiver, n.sport, n.pkey, n.qp),
                             (option, SENDER, RECEIVER, 0xC0DE, 0xFFFF, 0x1A7))
            self.assertEqual(n.trace and n.trace.words, words)

    def test_one_type_for_both(self):
        f = bytearray(vector("10_fastcnp_opt2.pcap")[1])
        f[58] = 0x9E
        n = notice.read(walker.walk(f), notice.Profile(SOURCE, 0x9E, 0x9E))
        self.assertEqual((n.option, n.trace.words), (2, 14))

    def test_build_option_1(self):
        data = walker.walk(vector("01_roce6_write.pcap")[0])
        for n, convention in enumerate(sums.CONVENTIONS):
            built = notice.build(notice.Profile(SOURCE, icrc=convention), data)
            self.assertEqual(built.hex(), vector("09_fastcnp_opt1.pcap")[n][14:].hex())

    def test_build_option_2(self):
        data = walker.walk(vector("05_roce6_write_ioam.pcap")[2])
        for n, convention in ((0, sums.SKIP), (2, sums.COVER)):
            built = notice.build(notice.Profile(SOURCE, icrc=convention), data)
            self.assertEqual(built.hex(), vector("10_fastcnp_opt2.pcap")[n][14:].hex())

    def test_build_from_tunnel(self):
        built = notice.build(PROFILE, walker.walk(vector("06_srv6_encaps_srh.pcap")[0]))
        self.assertEqual(built.hex(), vector("09_fastcnp_opt1.pcap")[0][14:].hex())

    def test_malformed_traces_call_for_option_1(self):
        for f in vector("16_malformed.pcap")[8:11]:
            self.assertIsNone(notice.trace_of(walker.walk(f)))

    def test_fields_cover_all(self):
        for f in (vector("09_fastcnp_opt1.pcap")[0], vector("10_fastcnp_opt2.pcap")[0]):
            packet = f[14:]
            for i in range(len(packet)):
                changed = bytearray(packet)
                changed[i] ^= 1
                self.assertEqual(len(notice.differences(packet, bytes(changed))), 1, i)


if __name__ == "__main__":
    unittest.main()
