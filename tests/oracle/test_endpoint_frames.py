#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The frames of the endpoints' exchange against lengths on paper, a packet of other hands, and tshark."""

import os
import struct
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

    def test_write_lengths(self):
        sends, acknowledged = endpoint_frames.exchange(sums.SKIP, False)
        writes, back = endpoint_frames.exchange(sums.SKIP, False, True)
        # A RETH of 16 in the first packet of each message; what comes back is the same
        self.assertEqual([len(w) - len(s) for w, s in zip(writes, sends)], [16, 16, 0, 0, 16, 16, 0, 16, 16, 0])
        self.assertEqual(back, acknowledged)

    def test_write_of_the_vectors(self):
        vector = capture.load(os.path.join(HERE, "../data/vectors/01_roce6_write.pcap")).records[0].data
        ours = endpoint_frames.data(endpoint_frames.WRITES[endpoint_frames.ONLY], 0x4D2A11, 64, sums.SKIP, False, True,
                                    struct.pack("!QII", 0x7F0011223300, 0xC0FFEE, 64))
        self.assertEqual(len(ours), len(vector))
        # opcode, flags and P_Key; AckReq and PSN; RETH
        for first, last in ((62, 66), (70, 74), (74, 90)):
            self.assertEqual(ours[first:last], vector[first:last])

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

    @unittest.skipUnless(shark.available(), "no tshark")
    def test_tshark_writes(self):
        fields = ["infiniband.bth.opcode", "infiniband.reth.va", "infiniband.reth.r_key", "infiniband.reth.dmalen"]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "frames.pcap")
            frames = endpoint_frames.exchange(sums.SKIP, False, True)[0]
            capture.save(path, [capture.Record.of(n, one) for n, one in enumerate(frames)])
            # A short payload may look like one of RPC over RDMA
            command = ["tshark", "-n", "-r", path, "--disable-protocol", "rpcordma", "-T", "fields"]
            done = subprocess.run(command + [w for f in fields for w in ("-e", f)], capture_output=True, text=True,
                                  timeout=120, check=True)
        said = [[int(v, 0) for v in line.split("\t") if v != ""] for line in done.stdout.splitlines()]
        last, again = [[8]], [[10, 3001, 2, 1024], [6, 4025, 2, 2048], [8]]
        self.assertEqual(said, [[10, 0, 2, 1], [6, 1, 2, 3000], [7]] + last + again + again)


if __name__ == "__main__":
    unittest.main()
