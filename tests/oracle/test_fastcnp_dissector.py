#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The Wireshark dissector of CNPs and Fast CNPs says of the vectors what their octets are, and finds what is wrong in changed copies
of them. What is expected stands in the README of the vectors. No dissector raises a Lua error, whatever is cut off or changed."""

import pathlib
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
VECTORS = ROOT / "tests/data/vectors"
SCRIPTS = sorted((ROOT / "scripts/wireshark").glob("*.lua"))
sys.path.insert(0, str(ROOT / "tests/oracle"))

from fcnoracle import capture  # noqa: E402

SENDER, RECEIVER, SWITCH = "2001:db8:1::10", "2001:db8:2::20", "2001:db8:f::5"
FAST = ["fastcnp.option", "fastcnp.switch", "fastcnp.sender", "fastcnp.receiver", "cnp.destqp", "cnp.becn", "cnp.icrc", "cnp.icrc.reading"]


def fast(number, icrc, reading, switch=SWITCH):
    return [str(number), switch, SENDER, RECEIVER, "0x0001a7", "1", "0x" + icrc, reading]


def tshark(path, fields, *words, scripts=("fastcnp",)):
    loaded = [word for s in scripts for word in ("-X", "lua_script:%s" % (ROOT / "scripts/wireshark" / (s + ".lua")))]
    asked = [word for f in fields for word in ("-e", f)]
    done = subprocess.run(["tshark", *loaded, *words, "-r", str(path), "-T", "fields", *asked], check=True, capture_output=True, text=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


def changed(name, number, changes):
    """Rows about frame `number` of a vector, each time with other octets: offset in the frame and value."""
    frame = capture.load(VECTORS / name).records[number - 1].data
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        capture.save(file.name, [(n, frame[:at] + bytes([value]) + frame[at + 1:]) for n, (at, value) in enumerate(changes)])
        return tshark(file.name, ["cnp.kind", "fastcnp.option", "cnp.icrc.reading", "_ws.expert.message"])


@unittest.skipUnless(shutil.which("tshark"), "there is no tshark")
class Dissector(unittest.TestCase):
    def test_cnp(self):
        fields = ["cnp." + f for f in "kind p_key destqp becn fecn psn icrc icrc.reading".split()] + ["fastcnp.option"]
        self.assertEqual(tshark(VECTORS / "04_cnp.pcap", fields), [
            ["CNP", "0xffff", "0x0000b2", "1", "0", "0", "0x8746c071", "none present", ""],
            ["CNP", "0xffff", "0x0000b2", "1", "0", "0", "0x4bde9875", "IPv4", ""],
            ["CNP", "0xffff", "0x000118", "1", "0", "0", "0x82fd002a", "IPv4", ""]])

    def test_option_1(self):
        self.assertEqual(tshark(VECTORS / "09_fastcnp_opt1.pcap", FAST), [
            fast(1, "9d7850cd", "skip"), fast(1, "163535df", "cover"), fast(1, "d540bdd7", "norm"), fast(1, "9d7850cd", "skip")])

    def test_option_2(self):
        trace = ["fastcnp.ioam." + f for f in ("nodelen", "remlen", "type", "hops")]
        rows = tshark(VECTORS / "10_fastcnp_opt2.pcap", FAST + trace)
        self.assertEqual([row[:6] for row in rows], [fast(2, "", "")[:6]] * 4)
        self.assertEqual([row[7] for row in rows], ["skip", "skip", "cover", "skip"])
        self.assertEqual([row[8:] for row in rows], [["7", remaining, "0xb62000", hops] for remaining, hops in
                                                     (("7", "2"), ("0", "2"), ("7", "2"), ("0", "8"))])

    def test_nodes(self):
        """The first node of vector 05 has written 3f000101 6553f100 075bcd15 000186a0 00001000 00000011 22334455."""
        fields = "hlim id tss tsf nsdata qdepth nsdata_wide".split()
        row = tshark(VECTORS / "10_fastcnp_opt2.pcap", ["fastcnp.ioam.node." + f for f in fields], "-E", "occurrence=l")[0]
        self.assertEqual(row, ["63", "0x000101", "1700000000", "123456789", "0x000186a0", "4096", "0x0000001122334455"])

    def test_all_kinds_of_fields(self):
        """A trace with every bit of its type: 12 fields, 10 without a definition, 3 of two words, and a snapshot of 2 words."""
        words = [0x3F000101, 0x00050006, 7, 8, 9, 10, 11, 12, 0x3E000000, 13, 14, 15, 0, 16, 17] + list(range(100, 110)) + [0x02ABCDEF, 18, 19]
        trace = struct.pack("!HHI%dI" % len(words), 1, 25 << 11, 0xFFFFFE << 8, *words)
        whole = capture.load(VECTORS / "10_fastcnp_opt2.pcap").records[0].data
        body = bytes([0, 0]) + trace + whole[14 + 40 + 16 + 84:][:16]
        header = bytes([1, 0, 0x9F, len(body)]) + body
        header += {0: b"", 4: b"\1\2\0\0"}[-(len(header) + 2) % 8]
        header = bytes([17, (len(header) + 2) // 8 - 1]) + header
        frame = whole[:18] + struct.pack("!H", len(header) + 40) + whole[20:54] + header + whole[-40:]
        names = ("hlim id iif eif tss tsf trdelay nsdata qdepth csum hlim_wide id_wide iif_wide eif_wide nsdata_wide bufoccup undefined "
                 "snapshot").split()
        with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
            capture.save(file.name, [(0, frame)])
            row = tshark(file.name, ["fastcnp.ioam.node." + n for n in names] + ["fastcnp.ioam.hops", "fastcnp.receiver"])[0]
        self.assertEqual(row, ["63", "0x000101", "5", "6", "7", "8", "9", "0x0000000a", "11", "0x0000000c", "62", "0000000000000d",
                               "14", "15", "0x0000000000000010", "17", ",".join("0x%08x" % n for n in range(100, 110)),
                               "02abcdef0000001200000013", "1", RECEIVER])

    def test_trimmed(self):
        """Vector 09 with an option behind option 1 that names a packet of PSN 0x123456: the ICRC covers its header or not."""
        whole = capture.load(VECTORS / "09_fastcnp_opt1.pcap").records[0].data
        option = bytes([1, 0, 0x9D, 12, 1, 7]) + struct.pack("!HII", 4150, 4 << 24 | 0x123456, 0xABCDE)
        frame = whole[:18] + struct.pack("!H", 80) + whole[20:55] + b"\4" + whole[56:78] + option + whole[78:]
        names = ["fastcnp.trimmed." + n for n in "reason level length opcode psn flow_label".split()]
        with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
            capture.save(file.name, [(0, frame)])
            self.assertEqual(tshark(file.name, FAST[:4] + names), [
                ["1", SWITCH, SENDER, RECEIVER, "1", "7", "4150", "4", "1193046", "0x0abcde"]])
            self.assertEqual(tshark(file.name, names[:1], "-o", "fastcnp.trimmed:156"), [[""]])

    def test_tunnel(self):
        row = tshark(VECTORS / "11_fastcnp_srv6_endcon.pcap", FAST + ["cnp.kind", "fastcnp.endcon.sid", "fastcnp.endcon.node"])[0]
        node = "2001:db8:f::2"
        self.assertEqual(row, fast(1, "1b6f2a6e", "skip", node) + ["Fast CNP, option 1, in a tunnel", "2001:db8:e1:1::c", node])

    def test_quoted(self):
        """ICMPv6 errors quote the notice; the column stays that of the error."""
        rows = tshark(VECTORS / "23_linux_param_problem.pcap", ["fastcnp.option", "cnp.icrc.reading", "_ws.col.Protocol"])
        self.assertEqual(rows, [["1", "skip", "Fast CNP"], ["1", "skip", "ICMPv6"], ["1", "skip", "Fast CNP"], ["1", "skip", "ICMPv6"],
                                ["2", "skip", "Fast CNP"], ["2", "skip", "ICMPv6"]])

    def test_other_types(self):
        path = VECTORS / "09_fastcnp_opt1.pcap"
        self.assertEqual([row[:2] for row in tshark(path, ["cnp.kind", "fastcnp.option"], "-o", "fastcnp.option1:157")], [["CNP", ""]] * 4)
        both = ("-o", "fastcnp.option2:158")
        self.assertEqual([row[0] for row in tshark(path, ["fastcnp.option"], *both)], ["1"] * 4)

    def test_defects(self):
        # The option begins behind Ethernet, IPv6 and 6 octets: 60; UDP at 78, BTH at 86, the reserved octets at 98.
        rows = changed("09_fastcnp_opt1.pcap", 1, [(60, 0x9D), (70, 0x21), (90, 0), (99, 1), (117, 0), (83, 41)])
        self.assertEqual(rows[0][:2], ["CNP", ""])
        # Neither octet of the address nor BECN is in the reading that leaves out extension headers and masks that octet.
        self.assertEqual(rows[1], ["Fast CNP, option 1", "1", "skip", ""])
        self.assertEqual(rows[2], ["Fast CNP, option 1", "1", "skip", "BECN is not set"])
        self.assertEqual(rows[3], ["Fast CNP, option 1", "1", "", "Reserved octets are not 0,Invariant CRC is wrong"])
        self.assertEqual(rows[4], ["Fast CNP, option 1", "1", "", "Invariant CRC is wrong"])
        self.assertIn("A CNP has a UDP length of 40", rows[5][3])

    def test_malformed(self):
        """The vectors that break an option."""
        rows = tshark(VECTORS / "16_malformed.pcap", ["fastcnp.option", "_ws.expert.message"])
        for number in (4, 5, 8):
            self.assertIn("The option has a wrong length", rows[number - 1][1])
        # NodeLen 0 and 6, and a RemainingLen larger than the option, in the trace of option 2: at 58 + 2 + 2.
        rows = changed("10_fastcnp_opt2.pcap", 1, [(64, 0), (64, 0x30), (65, 0x7F), (63 - 2, 4)])
        self.assertEqual([("Malformed IOAM trace" in row[3]) for row in rows], [True] * 4)

    def test_never_an_error(self):
        """Every vector cut off after each octet, and with each octet changed to something random."""
        names = [s.stem for s in SCRIPTS]
        self.assertIn("fastcnp", names)
        rng, records = random.Random(1), []
        for path in sorted(VECTORS.glob("*.pcap")):
            for r in capture.load(path).records:
                for n in range(14, min(len(r.data), 400)):
                    value = rng.choice((0, 1, 4, 0x10, 0x9E, 0x9F, 0xFF, rng.randrange(256)))
                    records.append(capture.Record(0, r.data[:n], r.length))
                    records.append(capture.Record.of(0, r.data[:n]))
                    records.append(capture.Record.of(0, r.data[:n] + bytes([value]) + r.data[n + 1:]))
        with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
            capture.save(file.name, records)
            rows = tshark(file.name, ["frame.number", "_ws.lua.error", "_ws.expert.message"], scripts=names)
        self.assertEqual(len(rows), len(records))
        self.assertEqual([row for row in rows if row[1:2] != [""] or "Lua" in row[2]], [])


if __name__ == "__main__":
    unittest.main()
