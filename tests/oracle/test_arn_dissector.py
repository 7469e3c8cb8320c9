#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The Wireshark dissector of Adaptive Routing Notifications says of vector 15 what its octets are."""

import pathlib
import shutil
import subprocess
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
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


if __name__ == "__main__":
    unittest.main()
