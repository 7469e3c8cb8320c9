#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""CNPs of a switch to senders: the oracle's module against the vectors, and what the checks say of wrong ones."""

import os
import sys
import tempfile
import unittest
from ipaddress import ip_address

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data")
sys.path[:0] = [HERE, DATA]

import check_forward  # noqa: E402
import check_notices  # noqa: E402
from fcnoracle import capture, cnp, config, switch, walker  # noqa: E402

BASE = 1700000000 * 10**9
QPS = {("2001:db8:2::20", 0x1A7): 0xB2, ("198.51.100.20", 0x1A7): 0xB2}
WORDS = ["--qp"] + ["%s/%d=%d" % (to, qp, own) for (to, qp), own in QPS.items()]
PROFILE = cnp.Profile({(ip_address(to).packed, qp): own for (to, qp), own in QPS.items()})


def vector(name, number=0):
    return capture.load(os.path.join(DATA, "vectors", name)).records[number].data


def data(name):
    """A data packet with the UDP source port of vector 04."""
    frame = bytearray(vector(name))
    udp = walker.walk(bytes(frame)).udp
    frame[udp:udp + 2] = b"\xd0\x0d"
    return bytes(frame)


SIX, FOUR = data("01_roce6_write.pcap"), data("02_roce4_write.pcap")
PAIRS = ((SIX, vector("04_cnp.pcap", 0)), (FOUR, vector("04_cnp.pcap", 1)))


class Build(unittest.TestCase):
    def test_vectors(self):
        for frame, want in PAIRS:
            self.assertEqual(cnp.build(PROFILE, walker.walk(frame)).hex(), want[14:].hex())

    def test_undue(self):
        for frame, _ in PAIRS:
            p = walker.walk(frame)
            self.assertIsNone(cnp.undue(p, PROFILE))
            self.assertEqual(cnp.undue(p, cnp.Profile()), "no_qp")
            odd = bytearray(frame)
            odd[p.udp + 8] = walker.ACK
            self.assertEqual(cnp.undue(walker.walk(bytes(odd)), PROFILE), "not_data")
            odd = bytearray(frame)
            odd[p.udp - (32 if frame is SIX else 8)] = 0xFF
            self.assertEqual(cnp.undue(walker.walk(bytes(odd)), PROFILE), "source")
        self.assertEqual(cnp.undue(walker.walk(vector("06_srv6_encaps_srh.pcap")), PROFILE), "tunnelled")


class Check(unittest.TestCase):
    """Of what came in and what left. A CNP that came in is none of the switch."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, name, frames, later=0):
        path = os.path.join(self.folder.name, name)
        capture.save(path, [(BASE + later + n * 1000, f) for n, f in enumerate(frames)], nano=True)
        return path

    def notices(self, came, left, *words):
        args = check_notices.parse(["--data", self.write("in.pcap", came), "--notices", self.write("out.pcap", left, 10**6),
                                    "--source", "2001:db8:f::5", "--no-plain", "--no-tshark", "--strict", *words])
        return check_notices.check(args)[2]

    def test_each_octet(self):
        for frame, want in PAIRS:
            self.assertEqual(self.notices([frame], [want], *WORDS, "--expect-cnps", "1"), [])
            for n in range(14, len(want)):
                wrong = bytearray(want)
                wrong[n] ^= 1
                self.assertNotEqual(self.notices([frame], [bytes(wrong)], *WORDS), [], n)

    def test_number(self):
        self.assertNotEqual(self.notices([SIX], [PAIRS[0][1]] * 2, *WORDS), [])
        self.assertNotEqual(self.notices([SIX], [PAIRS[0][1]], "--qp"), [])
        self.assertNotEqual(self.notices([FOUR], [PAIRS[0][1]], *WORDS), [])
        self.assertNotEqual(self.notices([SIX] * 2, [PAIRS[0][1]] * 2, *WORDS, "--min-interval", "2000"), [])
        self.assertEqual(self.notices([SIX] * 2, [PAIRS[0][1]] * 2, *WORDS, "--min-interval", "1000"), [])

    def test_forward(self):
        def check(came, left, *words):
            args = check_forward.parse(["--in", self.write("in.pcap", came), "--out", self.write("out.pcap", left, 10**6), *words])
            return check_forward.check(args)[1]

        six = PAIRS[0][1]
        self.assertEqual(check([SIX], [SIX, six], "--ignore-cnps"), [])
        self.assertNotEqual(check([SIX], [SIX, six]), [])
        self.assertNotEqual(check([SIX], [SIX, SIX], "--ignore-cnps"), [])
        # One that came in leaves once.
        self.assertNotEqual(check([SIX, six], [SIX, six, six], "--ignore-cnps"), [])


LEAF = """
port add p1
port add p2
set port p1 mac 02:00:00:00:01:01
set port p2 mac 02:00:00:00:01:02
address add p1 2001:db8:11::1/64
address add p1 10.0.11.1/24
address add p2 2001:db8:12::1/64
address add p2 10.0.12.1/24
neighbour add p1 2001:db8:11::2 02:00:00:00:0a:01
neighbour add p1 10.0.11.2 02:00:00:00:0a:01
neighbour add p2 2001:db8:12::2 02:00:00:00:02:01
neighbour add p2 10.0.12.2 02:00:00:00:02:01
route add 2001:db8:1::/48 via 2001:db8:11::2 port p1
route add 192.0.2.0/24 via 10.0.11.2 port p1
route add 2001:db8:2::/48 via 2001:db8:12::2 port p2
route add 198.51.100.0/24 via 10.0.12.2 port p2
set loopback 2001:db8:f::5
set queue p2 class 3 detector step 1
set queue p2 class 3 ecn on
set queue p2 class 3 notify on
set notify cnp on
"""
KNOWN = "".join("proxy qp add %s 0x%x sender-qp 0x%x\n" % (to, qp, own) for (to, qp), own in QPS.items())


class Model(unittest.TestCase):
    """What the model of the switch says of one packet: (verdicts by kind, frames to the sender, whether it is marked)."""

    @staticmethod
    def run_one(frame, text):
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as f:
            f.write(LEAF + text)
            f.flush()
            settings = config.read(f.name)
        assert not settings.other, settings.other
        model = switch.Switch(settings)
        model.run([(0, "p1", frame)])
        left = walker.walk(model.ports["p2"].sent[0].item.frame)
        return ({kind: verdict for _, _, kind, verdict in model.verdicts}, [s.item.frame[12:] for s in model.ports["p1"].sent],
                left.outer.ecn == walker.CE)

    def test_known(self):
        for frame, want in PAIRS:
            self.assertEqual(self.run_one(frame, KNOWN), ({"cnp": "sent_cnp"}, [want[12:]], False))
            self.assertEqual(self.run_one(frame, ""), ({"cnp": "no_qp"}, [], True))

    def test_precedence(self):
        fast = "set notify fast-cnp on\n"
        sent = lambda text, frame=SIX: self.run_one(frame, fast + text)
        verdicts, frames, marked = sent(KNOWN)
        self.assertEqual((verdicts, frames, marked), ({"cnp": "sent_cnp", "fast_cnp": "other_kind"}, [PAIRS[0][1][12:]], False))
        verdicts, frames, marked = sent("")
        self.assertEqual((verdicts, len(frames), marked), ({"cnp": "no_qp", "fast_cnp": "sent_option1"}, 1, True))
        verdicts, frames, marked = sent(KNOWN + "sender default capable\n")
        self.assertEqual((verdicts, len(frames[0]), marked), ({"cnp": "other_kind", "fast_cnp": "sent_option1"}, 106, False))
        self.assertEqual(sent(KNOWN + "sender default capable\n", FOUR)[0], {"cnp": "sent_cnp", "fast_cnp": "other_kind"})
        self.assertEqual(sent(KNOWN + "sender default none\n")[0], {"cnp": "sent_cnp", "fast_cnp": "other_kind"})
        self.assertEqual(sent("", FOUR)[0], {"cnp": "no_qp", "fast_cnp": "ipv4"})


if __name__ == "__main__":
    unittest.main()
