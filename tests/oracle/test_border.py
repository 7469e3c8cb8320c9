# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""check_border.py: it agrees with what is written beside the packets by hand, and sees what is wrong."""

import collections
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data")
sys.path[:0] = [HERE, DATA]

import border  # noqa: E402
import check_border  # noqa: E402
from fcnoracle import capture  # noqa: E402

CONF = os.path.join(HERE, "..", "pcap", "border", "fastcn.conf")


def vector(name):
    return [r.data for r in capture.load(os.path.join(DATA, "vectors", name)).records]


class Border(unittest.TestCase):
    def setUp(self):
        self.config = check_border.Config(CONF)
        self.packets = border.packets(vector)

    def test_by_hand(self):
        """Two readings of the same packets, one by a person."""
        for number, (fate_in, fate_out, frame) in enumerate(self.packets):
            reading = check_border.Reading(frame, self.config)
            for way, fate in (("in", fate_in), ("out", fate_out)):
                reason = reading.reason(way)
                self.assertEqual("border_" + reason if reason else "", fate, "packet %d %s" % (number, way))

    def check(self, frames, drops):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.pcap")
            capture.save(path, [capture.Record.of(n * 1000, f) for n, f in enumerate(frames)])
            report = {"border": {"drops": [{"reason": r, "in": n, "out": 0} for r, n in drops.items()]}}
            return check_border.check_way("in", "in", os.path.join(DATA, "border-p2.pcap"), path, report, self.config)

    def test_sees_what_is_wrong(self):
        drops = dict(collections.Counter(fate for fate, _, _ in self.packets if fate))
        crosses = [r.data for r in capture.load(os.path.join(DATA, "border-out-p1.pcap")).records]
        self.assertEqual(self.check(crosses, drops), [])
        notice = capture.load(os.path.join(DATA, "border-p2.pcap")).records[10].data
        self.assertTrue(self.check(crosses[:-1], drops))                            # one is missing
        self.assertTrue(self.check(crosses + [notice], drops))                      # one too many
        self.assertTrue(self.check(crosses[:5] + [crosses[5][:-1] + b"x"] + crosses[6:], drops))
        self.assertTrue(self.check(crosses, {**drops, "border_cnp": 1}))


if __name__ == "__main__":
    unittest.main()
