#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The Wireshark dissector of Adaptive Routing Notifications says of vector 15 what its octets are, and of the messages that a switch
receives in tests/data which are malformed."""

import pathlib
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/data"), str(ROOT / "tests/oracle")]

import arn_received  # noqa: E402

FIELDS = "type metric parameters flow.src6 flow.dst6 flow.proto flow.srcport flow.dstport priority time".split()
SEEN = [
    "1,5,0x90,2001:db8:1::10,2001:db8:2::20,17,49374,4791,,500,",
    "1,5,0x90,2001:db8:e1:1::c,2001:db8:e4:1::d6,41,0,0,,500,",
    "1,5,0x30,,,,,,3,250,",
    "2,0,0x90,2001:db8:1::10,2001:db8:2::20,17,49374,4791,,0,",
]


def tshark(*words):
    fields = [word for f in FIELDS for word in ("-e", "arn." + f)] + ["-e", "_ws.expert.message"]
    done = subprocess.run(["tshark", "-X", "lua_script:%s" % (ROOT / "scripts/wireshark/arn.lua"), *words,
                           "-r", str(ROOT / "tests/data/vectors/15_arn.pcap"), "-T", "fields", "-E", "separator=,", *fields],
                          check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


@unittest.skipUnless(shutil.which("tshark"), "there is no tshark")
class Dissector(unittest.TestCase):
    def test_vector(self):
        self.assertEqual(tshark(), SEEN)

    def test_other_port(self):
        self.assertEqual(tshark("-o", "arn.port:1023"), ["," * (len(FIELDS))] * 4)

    def test_received(self):
        done = subprocess.run(["tshark", "-X", "lua_script:%s" % (ROOT / "scripts/wireshark/arn.lua"), "-o", "udp.check_checksum:TRUE",
                               "-r", str(ROOT / "tests/data/arn-receive.pcap"), "-T", "fields", "-E", "separator=,", "-e", "arn.type",
                               "-e", "arn.metric", "-e", "arn.priority", "-e", "udp.checksum.status", "-e", "_ws.expert.message"],
                              check=True, capture_output=True, text=True)
        rows = [line.split(",", 4) for line in done.stdout.splitlines()]
        entries = arn_received.entries() + arn_received.later()
        self.assertEqual(len(rows), len(entries))
        for (kind, metric, priority, checksum, expert), (_, what) in zip(rows, entries):
            with self.subTest(what=what):
                if what in ("arn_truncated", "arn_unknown_parameter", "arn_flow", "arn_length"):
                    self.assertTrue(kind == "" or expert == "Malformed notification")
                elif what == "arn_udp_checksum":
                    self.assertIn(checksum, ("0", "4"))
                elif what == "arn_udp_length":
                    self.assertNotEqual(checksum, "1")
                else:
                    self.assertEqual((checksum, expert), ("1", ""))
                self.assertEqual(what == "arn_type", kind in ("0", "3"))
                self.assertEqual(what == "arn_level", metric == "8")
                self.assertEqual(what == "arn_priority", priority == "8")


if __name__ == "__main__":
    unittest.main()
