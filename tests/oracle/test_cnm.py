#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Congestion Notification Messages: the oracle's module against the vectors and against the arithmetic of tests/data/cnm.py."""

import os
import sys
import tempfile
import unittest
from ipaddress import ip_address, ip_network

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data")
sys.path[:0] = [HERE, DATA]

import check_notices  # noqa: E402
import cnm as data  # noqa: E402
import proxy  # noqa: E402
from fcnoracle import capture, cnm, ioam, notice, sums, walker  # noqa: E402

BASE = 1700000000 * 10**9
PREFIXES = {"2001:db8:1::/48": data.PROXY, "2001:db8:1:5::/64": data.SECOND, "2001:db8:6::/48": data.PROXY4, "192.0.2.0/25": data.PROXY4,
            "192.0.2.128/25": data.PROXY}
ADDRESSES = (ip_address(data.SWITCH6).packed, ip_address(data.SWITCH4).packed)


def vector(name):
    return [r.data for r in capture.load(os.path.join(DATA, "vectors", name)).records]


def profile(order="option-prefix"):
    return cnm.Profile(data.PORT, ADDRESSES, tuple((ip_network(p), ip_address(a).packed) for p, a in PREFIXES.items()), cnm.ORDERS[order])


class Build(unittest.TestCase):
    def setUp(self):
        self.six, self.four = vector("01_roce6_write.pcap")[0], vector("02_roce4_write.pcap")[0]

    def test_vectors(self):
        """The first three messages of vector 14, and the lengths of the fourth."""
        frames = vector("14_cnm.pcap")
        for frame, about, level in zip(frames, (self.six, self.four, self.four), (5, 7, 0)):
            p = walker.walk(frame)
            made = cnm.build(profile(), walker.walk(about), level, p.ip.dst, p.ip.src)
            self.assertEqual(made.hex(), frame[14:p.end].hex())
            said = cnm.read(made, data.PORT)
            self.assertEqual((said.level, said.flow), (level, cnm.flow_of(walker.walk(about))))
            self.assertEqual(said.quote, about[14:])
        last = cnm.read(frames[3][14:], data.PORT)
        self.assertEqual((len(frames[3]) - 14, last.level, len(last.quote)), (1280, 3, 1192))

    def test_option(self):
        p = walker.walk(vector("13_roce6_write_proxyopt.pcap")[0])
        self.assertEqual(cnm.option_of(p, cnm.Profile()), ip_address("2001:db8:3::99").packed)
        self.assertIsNone(cnm.option_of(p, cnm.Profile(option=0x1F)))
        self.assertIsNone(cnm.option_of(p, cnm.Profile(allowed=(ip_network("2001:db8:4::/48"),))))
        self.assertIsNone(cnm.option_of(p, cnm.Profile(allowed=())))
        made = data.with_option(self.six, "2001:db8:3::99")
        self.assertEqual(made, p.frame)

    def test_arithmetic(self):
        """Both ways to a message agree, for all packets, levels and orders; and on which cause none."""
        for order in cnm.ORDERS:
            for want, flow, frame in data.one_of_each(self.six, self.four, 5) + data.limits(self.six, self.four, 0):
                p, by = walker.walk(frame), profile(order)
                with self.subTest(order=order, want=want, frame=p.describe()):
                    if want[0].isalpha():
                        said = cnm.undue(p, by) or ("no_proxy" if cnm.proxy_of(p, by) is None else None)
                        self.assertEqual(said, {"fragment": "no_flow"}.get(want, want))
                        continue
                    to = cnm.proxy_of(p, by)
                    both = dict(zip(("option", "prefix"), want.split())) if " " in want else \
                        {"option" if want == data.BY_OPTION else "prefix": want}
                    expected = next((both[o] for o in cnm.ORDERS[order] if o in both), None)
                    self.assertEqual(to and str(ip_address(to)), expected)
                    if to is None:
                        continue
                    self.assertEqual(cnm.flow_of(p)[:3], flow)
                    for level in (0, 3, 7):
                        source = ADDRESSES[0 if len(to) == 16 else 1]
                        packet = cnm.build(by, p, level, to, source)
                        self.assertEqual(packet.hex(), data.message(p.frame[p.ip.offset:p.end], level, str(ip_address(to)), flow).hex())
                        self.assertLessEqual(len(packet), cnm.LIMITS[packet[0] >> 4])
                        self.assertEqual(cnm.with_level(cnm.with_level(packet, 1), level), packet)

    def test_lengths(self):
        """Exactly at the limits of 576 and 1280 octets, and one below."""
        got = {}
        for to, flow, frame in data.limits(self.six, self.four, 0):
            packet = data.message(frame[14:], 0, to, flow)
            got.setdefault((packet[0] >> 4, frame[14] >> 4), []).append(len(packet))
        for (version, _), lengths in got.items():
            limit = cnm.LIMITS[version]
            self.assertEqual(lengths, [limit - 1, limit, limit, limit])
        self.assertEqual(len(got), 4)


class Check(unittest.TestCase):
    def check(self, frames, out, *more):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for name, found, start in (("in.pcap", frames, 0), ("out.pcap", out, 10**6)):
                files.append(os.path.join(folder, name))
                capture.save(files[-1], [(BASE + start + 1000 * k, f) for k, f in enumerate(found)], nano=True)
            argv = ["--data", files[0], "--notices", files[1], "--source", data.SWITCH6, "--cnm-port", "1021", "--cnm-source", data.SWITCH4,
                    "--no-tshark", "--strict", "--proxy", *["%s=%s" % item for item in PREFIXES.items()], *more]
            return check_notices.check(check_notices.parse(argv))[2]

    def setUp(self):
        self.six, self.four = vector("01_roce6_write.pcap")[0], vector("02_roce4_write.pcap")[0]
        self.found = [(to.split()[0], flow, f) for to, flow, f in data.one_of_each(self.six, self.four, 3) if to[0].isdigit()]

    @staticmethod
    def frame(packet):
        return bytes.fromhex("020000000301020000000103") + (b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\x00") + packet

    def test_right(self):
        for to, flow, frame in self.found:
            p = walker.walk(frame)
            for form in cnm.as_queued(p):
                told = self.frame(data.message(form.frame[p.ip.offset:p.end], 4, to, flow))
                self.assertEqual(self.check([frame], [told], "--expect-messages", "1"), [])
                self.assertNotEqual(self.check([frame], [told, told]), [])
                self.assertNotEqual(self.check([self.six], [told]), [])
                self.assertNotEqual(self.check([frame], [told], "--levels", "5", "7"), [])

    def test_every_octet(self):
        """Each octet changed, as it is and with the checksum put right, turns the check red, but for the level."""
        for to, flow, frame in (self.found[0], self.found[3]):
            p = walker.walk(frame)
            good = self.frame(data.message(p.frame[14:p.end], 4, to, flow))
            for i in range(12, len(good)):
                f = bytearray(good)
                f[i] ^= 0x81
                self.assertNotEqual(self.check([frame], [bytes(f)]), [], i)
                q = walker.walk(f)
                if q.udp and not q.error:
                    f[q.udp + 6:q.udp + 8] = sums.udp_checksum(f, q.l3, q.udp, q.end).to_bytes(2, "big")
                    if bytes(f) != good:
                        self.assertNotEqual(self.check([frame], [bytes(f)]), [], i)

    def test_who_is_told(self):
        """Nobody is told about what a message may not be about, nor another proxy than the one that is known."""
        for why, flow, frame in data.one_of_each(self.six, self.four, 3):
            if flow is None or why[0].isdigit() or why == "fragment":
                continue
            told = self.frame(data.message(frame[14:], 4, data.PROXY if frame[14] >> 4 == 6 else data.PROXY4, flow))
            self.assertNotEqual(self.check([frame], [told]), [], why)
        both = next(f for to, _, f in data.one_of_each(self.six, self.four, 3) if " " in to)
        flow = cnm.flow_of(walker.walk(both))[:3]
        for order, right, wrong in (("option-prefix", data.BY_OPTION, data.PROXY), ("prefix-option", data.PROXY, data.BY_OPTION)):
            tell = lambda to: [self.frame(data.message(both[14:], 4, to, flow))]
            self.assertEqual(self.check([both], tell(right), "--address-from", order), [])
            self.assertNotEqual(self.check([both], tell(wrong), "--address-from", order), [])

    def test_direct(self):
        """Fast CNPs for a sender with a proxy only if it is told directly, too."""
        fast = vector("09_fastcnp_opt1.pcap")[0]
        for direct, right in (("otherwise", False), ("never", False), ("always", True)):
            self.assertEqual(self.check([self.six], [fast], "--direct", direct) == [], right)
        self.assertEqual(self.check([self.six], [fast], "--proxy", "2001:db8:9::/48=2001:db8:3::99"), [])


class Translate(unittest.TestCase):
    """What a proxy is told and tells, by tests/data/proxy.py."""

    def setUp(self):
        self.six, self.four = vector("01_roce6_write.pcap")[0], vector("02_roce4_write.pcap")[0]
        self.traced = vector("05_roce6_write_ioam.pcap")[2]
        self.trace = ioam.from_option(walker.walk(self.traced).options(walker.HOP_BY_HOP)[0]).data

    def test_rows(self):
        kinds = dict.fromkeys(("fast", "trace", "plain", "none"), 0)
        for came, port, left in proxy.translated(self.six, self.four, self.traced, self.trace):
            said = cnm.read(came[14:], data.PORT)
            about = walker.walk(bytes(12) + (b"\x86\xdd" if said.quote[0] >> 4 == 6 else b"\x08\x00") + said.quote)
            self.assertEqual(cnm.flow_of(about), said.flow)
            if port is None:
                kinds["none"] += 1
                continue
            p = walker.walk(left)
            self.assertTrue(p.is_roce and p.bth.opcode == walker.CNP and p.bth.congestion == 0x40)
            self.assertEqual((p.ip.dst, p.bth.pkey), (said.flow[3], about.bth.pkey))
            self.assertEqual(left[p.end - 4:p.end], sums.icrc(left, p.l3, p.udp, p.end))
            if p.ip.src == ip_address(proxy.PROXY6).packed:
                with_trace = said.flow[3] == ip_address(proxy.TRACE).packed
                self.assertEqual(left[14:], notice.build(notice.Profile(p.ip.src), about, with_trace))
                kinds["trace" if left[54 + 4] == 0x9F else "fast"] += 1
            else:
                self.assertEqual((p.ip.src, p.bth.qp), (said.flow[4], proxy.SENDER_QP + about.bth.qp))
                kinds["plain"] += 1
        self.assertEqual(kinds, {"fast": 12, "trace": 1, "plain": 17, "none": 4})

    def test_refused(self):
        """Each is a message that has one thing wrong."""
        for why, came in proxy.refused(self.six, self.four):
            with self.subTest(why=why):
                try:
                    said = cnm.read(came[14:], data.PORT)
                except walker.Fault as e:
                    self.assertIn(why, {"UDP checksum": ("checksum",), "UDP length": ("length",), "flow descriptor": ("length", "version")}[str(e)])
                    continue
                about = walker.walk(bytes(12) + b"\x86\xdd" + said.quote)
                wrong = about.ip is None or about.ip.end == 0 or said.source == ip_address(proxy.STRANGER).packed
                self.assertTrue(wrong or cnm.flow_of(about) != said.flow or about.bth is None)


if __name__ == "__main__":
    unittest.main()
