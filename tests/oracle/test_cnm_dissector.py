#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The Wireshark dissector of Congestion Notification Messages and of the option with a proxy's address says of vectors 13 and 14 what
their octets are, and finds what is wrong in changed copies of them."""

import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
VECTORS = ROOT / "tests/data/vectors"
FILE_HEADER, RECORD_HEADER = 24, 16

FIELDS = "version level flow.src4 flow.dst4 flow.src6 flow.dst6 flow.proto flow.srcport flow.dstport quote.p_key quote.qp".split()
SEEN = [
    "6,5,,,2001:db8:1::10,2001:db8:2::20,17,49374,4791,0xffff,0x0001a7,",
    "4,7,192.0.2.10,198.51.100.20,,,17,49374,4791,0xffff,0x0001a7,",
    "4,0,192.0.2.10,198.51.100.20,,,17,49374,4791,0xffff,0x0001a7,",
    "6,3,,,2001:db8:1::10,2001:db8:2::20,17,49374,4791,0xffff,0x0001a7,",
]


def tshark(path, fields, *words):
    asked = [word for f in fields for word in ("-e", f)] + ["-e", "_ws.expert.message"]
    done = subprocess.run(["tshark", "-X", "lua_script:%s" % (ROOT / "scripts/wireshark/cnm.lua"), *words, "-r", str(path),
                           "-T", "fields", "-E", "separator=,", *asked], check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def changed(name, changes):
    """Rows of the first frame of a vector, each time with other octets: offset in the frame and value."""
    whole = (VECTORS / name).read_bytes()
    record = whole[FILE_HEADER:FILE_HEADER + RECORD_HEADER]
    length = int.from_bytes(record[8:12], "little")
    frame = whole[FILE_HEADER + RECORD_HEADER:FILE_HEADER + RECORD_HEADER + length]
    with tempfile.NamedTemporaryFile(suffix=".pcap") as file:
        file.write(whole[:FILE_HEADER])
        for offset, value in changes:
            file.write(record + frame[:offset] + bytes([value]) + frame[offset + 1:])
        file.flush()
        fields = ["cnm.level", "proxyopt.address"]
        return [row.split(",", 2) for row in tshark(file.name, fields)]


@unittest.skipUnless(shutil.which("tshark"), "there is no tshark")
class Dissector(unittest.TestCase):
    def test_messages(self):
        self.assertEqual(tshark(VECTORS / "14_cnm.pcap", ["cnm." + f for f in FIELDS]), SEEN)

    def test_other_port(self):
        self.assertEqual(tshark(VECTORS / "14_cnm.pcap", ["cnm.level"], "-o", "cnm.port:1023"), [","] * 4)

    def test_option(self):
        path = VECTORS / "13_roce6_write_proxyopt.pcap"
        self.assertEqual(tshark(path, ["proxyopt.address"]), ["2001:db8:3::99,"])
        self.assertEqual(tshark(path, ["proxyopt.address"], "-o", "proxyopt.type:29"), [","])

    def test_defects(self):
        # The flow begins behind Ethernet, IPv6 and UDP, 62 octets; the quote 40 octets later.
        malformed, other = "Malformed message", "The quoted packet is not of this flow"
        rows = changed("14_cnm.pcap", [(62, 0x5A), (62, 0x6B), (65, 1), (66, 0), (70, 0x21), (62 + 40, 0x46), (62 + 40 + 6, 6),
                                       (62 + 40 + 40, 0)])
        self.assertEqual([(row[0], row[2]) for row in rows], [("5", malformed)] * 3 + [("5", other)] * 5)

    def test_option_of_other_length(self):
        rows = changed("13_roce6_write_proxyopt.pcap", [(61, 15)])
        self.assertEqual(rows[0][1], "")
        self.assertIn("The length is not 16", rows[0][2])


if __name__ == "__main__":
    unittest.main()
