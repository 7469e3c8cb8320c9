#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The frames of the endpoints' exchange against lengths on paper, a packet of other hands, and tshark."""

import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import endpoint_frames  # noqa: E402
from fcnoracle import capture, shark, sums  # noqa: E402


class Frames(unittest.TestCase):
    def test_lengths(self):
        sent, back = endpoint_frames.exchange(sums.SKIP, False)
        # Ethernet 14, IPv6 40, UDP 8, BTH 12, ICRC 4; 1 byte is padded to 4
        self.assertEqual([len(f) for f in sent], [82, 1102, 1102, 1030] + 6 * [1102])
        self.assertEqual([len(f) for f in back], [82, 94, 82, 82, 82, 82])

    def test_trace_lengths(self):
        sent, back = endpoint_frames.exchange(sums.SKIP, True)
        self.assertEqual(len(sent[1]), 1102 + 104)
        self.assertEqual(len(back[0]), 82 + 104)

    def test_acknowledgement_of_the_vectors(self):
        vector = capture.load(os.path.join(HERE, "../data/vectors/03_roce6_ack.pcap")).records[0].data
        ours = endpoint_frames.exchange(sums.SKIP, False)[1][0]
        same = [n for n in range(len(vector)) if vector[n] == ours[n]]
        # opcode, flags and P_Key; AckReq octet; syndrome
        for n in (12, 13, 20, 56, 57, 62, 63, 64, 65, 66, 70, 74):
            self.assertIn(n, same)

    @unittest.skipUnless(shark.available(), "no tshark")
    def test_tshark(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "frames.pcap")
            subprocess.run([sys.executable, os.path.join(HERE, "endpoint_frames.py"), "--pcap", path], check=True)
            for said in shark.complaints(path).values():
                self.assertEqual(said, ["UDP checksum absent"])


if __name__ == "__main__":
    unittest.main()
