#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""fastcn-check finds each fault of a switch, names the rule that it breaks and no other, and finds none where all is right.

The packets are built by tests/data/vendor.py with the sums of the oracles, which share no code with the program, or are vectors.
What is expected of times follows from the moments in vendor.py.
"""

import gzip
import json
import pathlib
import random
import re
import runpy
import struct
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests/data"), str(ROOT / "tests/oracle")]

import vendor  # noqa: E402
from fcnoracle import capture, sums  # noqa: E402

PROGRAM = [sys.executable, sys.argv.pop(1)] if len(sys.argv) > 1 and sys.argv[1].endswith("fastcn-check") else [
    sys.executable, str(ROOT / "app/fastcn-check")]
DATA, VECTORS = ROOT / "tests/data", ROOT / "tests/data/vectors"
AGREED = ["--switch", "2001:db8:ff::1", "--option1", "0x9e", "--option2", "0x9f"]
BEFORE, AFTER, US = DATA / "vendor-before.pcap", DATA / "vendor-right.pcap", vendor.US
BASE = 1700000000 * 10**9   # the time of the first packet, as in all files of tests/data
LAST = vendor.PACKETS * vendor.GAP
KNOWN = set()   # rules that a test has seen broken


def run(*words):
    done = subprocess.run([*PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, entries, **how):
        path = self.folder / name
        capture.save(path, [(BASE + t, frame) for t, frame in entries], nano=True, **how)
        return path

    def check(self, *words):
        """The report as an object; a fault is a status of 1."""
        status, out, err = run("--json", *words)
        self.assertEqual(err, "")
        found = json.loads(out)
        self.assertEqual(status, 1 if found["faults"] else 3 if found["result"] == "nothing to check" else 0)
        return found

    def broken(self, *words):
        """Rules that are broken."""
        rules = {f["rule"] for f in self.check(*words)["findings"]}
        KNOWN.update(rules)
        return rules


class Right(Case):
    def test_nothing_is_found(self):
        found = self.check(*AGREED, "--before", BEFORE, "--after", AFTER, "--capable", "2001:db8:a::/48", "--min-interval", "40us",
                           "--max-rate", "5", "--icrc", "skip")
        self.assertEqual((found["findings"], found["result"]), ([], "conforms"))
        self.assertEqual(found["notices"], {"checked": 10, "option1": 5, "option2": 5, "trimmed": 0, "by_receiver": 0, "in_tunnels": 0,
                                            "seen_twice": 0, "cut": 0})
        self.assertEqual((found["switches"], found["flows"], found["option_types"]), (["2001:db8:ff::1"], 2, ["0x9e", "0x9f"]))
        self.assertEqual(found["data"], {"before": 40, "after": 40, "marked": 5, "not_before": 0})
        self.assertEqual(list(found["icrc"]), ["skip"])
        same = lambda count, ns: {"count": count, "min_ns": ns, "median_ns": ns, "p99_ns": ns, "max_ns": ns}  # noqa: E731
        self.assertEqual(found["times"], {"interval": same(8, 40 * US), "delay": same(10, 2 * US), "lead": None})
        flow = {"sender": "2001:db8:a::1", "receiver": "2001:db8:cc::1", "qp": 0x51, "notices": 5, "time_ns": 160 * US, "interval_min_ns": 40 * US}
        self.assertEqual(found["busiest"], [flow, {**flow, "sender": "2001:db8:b::1", "qp": 0x52}])
        self.assertEqual(len(found["not_checked"]), 3)

    def test_text(self):
        status, out, _ = run(*AGREED, "--before", BEFORE, "--after", AFTER)
        self.assertEqual(status, 0)
        for words in ("10 Fast CNPs (5 with option 1, 5 with option 2) of 1 switch about 2 flows", "min 2 us, median 2 us, 99% 2 us, max 2 us",
                      "between notices about one flow: min 40 us", "conforms: 0 faults, 0 warnings"):
            self.assertIn(words, out)

    def test_vectors(self):
        """Vectors 09, 10 and 11 hold right notices, in several readings of the ICRC; 13 an option, 14 and 15 messages."""
        for name, agreed in (("09_fastcnp_opt1", {"icrc-varies"}), ("10_fastcnp_opt2", {"icrc-varies"}), ("11_fastcnp_srv6_endcon", set()),
                             ("14_cnm", set()), ("15_arn", set()), ("13_roce6_write_proxyopt", set())):
            with self.subTest(name=name):
                words = ["--cnm-port", 1021, "--arn-port", 1022, "--proxy-option", "0x1e"]
                self.assertEqual(self.broken(VECTORS / (name + ".pcap"), *words), agreed)

    def test_readings(self):
        for reading in sums.CONVENTIONS:
            path = self.file(reading, [(0, vendor.notice(vendor.option1(), icrc=reading))])
            self.assertEqual(list(self.check(path)["icrc"]), [reading])
            other = "norm" if reading == "skip" else "skip"
            self.assertEqual(self.broken(path, "--icrc", other), {"icrc"})

    def test_placements(self):
        """Both readings of figure 3: 4n+2 and 8n+6."""
        frames = [vendor.notice(vendor.option1()), vendor.notice(vendor.option1(before=b"", after=b"\1\2\0\0"))]
        self.assertEqual(self.broken(self.file("x", enumerate(frames))), set())

    def test_kind_of_member(self):
        """The highest bit of a P_Key tells full from limited members, which may talk to each other."""
        path = self.file("x", [(LAST, vendor.notice(vendor.option1(), pkey=vendor.P_KEY & 0x7FFF))])
        self.assertEqual(self.broken("--before", BEFORE, path), set())

    def test_by_receiver(self):
        """The draft permits receivers to send Fast CNPs; no rule about a switch's loopback binds them."""
        path = self.file("x", [(LAST, vendor.notice(vendor.option1(), source=vendor.RECEIVER))])
        found = self.check(*AGREED, "--before", BEFORE, path)
        self.assertEqual((found["findings"], found["notices"]["by_receiver"], found["switches"]), ([], 1, []))

    def test_seen_twice(self):
        """At the sender and behind the switch, one hop further, there are the same notices."""
        further = [(t + US, frame[:21] + b"\x3f" + frame[22:]) for t, frame in vendor.right() if frame[20] == 60]
        found = self.check(*AGREED, "--before", self.file("x", sorted(vendor.before() + further)), "--after", AFTER)
        self.assertEqual((found["findings"], found["notices"]["checked"], found["notices"]["seen_twice"]), ([], 10, 10))

    def test_lead(self):
        """The receiver's own CNP for flow A comes at 30 us, 28 us after the first notice."""
        cnp = vendor.ipv6(vendor.RECEIVER, vendor.A, [], struct.pack("!HH", 1, 4791) + vendor.bth(0x81, vendor.SENDER_QP, 0, congestion=0x40)
                          + bytes(16), 48 << 2)
        found = self.check("--before", self.file("x", sorted(vendor.before() + [(30 * US, cnp)])), AFTER)
        self.assertEqual((found["findings"], found["times"]["lead"]["median_ns"]), ([], 28 * US))

    def test_formats_of_captures(self):
        records = [capture.Record.of(BASE + t, frame) for t, frame in vendor.right()]
        files = {n: self.folder / n for n in ("ng", "raw", "gz", "big", "sll")}
        capture.save_pcapng(files["ng"], records)
        capture.save(files["raw"], [capture.Record.of(r.time, r.data[14:]) for r in records], nano=True, linktype=capture.RAW_IP)
        files["gz"].write_bytes(gzip.compress(AFTER.read_bytes()))
        capture.save(files["sll"], [capture.Record.of(r.time, bytes(14) + r.data[12:]) for r in records], nano=True, linktype=113)
        files["big"].write_bytes(struct.pack(">IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1) + b"".join(
            struct.pack(">IIII", r.time // 10**9, r.time % 10**9, len(r.data), r.length) + r.data for r in records))
        for name, path in files.items():
            with self.subTest(name=name):
                found = self.check(*AGREED, "--before", BEFORE, path)
                self.assertEqual((found["findings"], found["notices"]["checked"], found["times"]["delay"]["max_ns"]), ([], 10, 2 * US))

    def test_fcs(self):
        """The FCS that a capture says is there is no part of a frame, in each format and byte order."""
        read = runpy.run_path(str(ROOT / "app/fastcn-check/capture.py"))["read"]
        frames = [frame for _, frame in vendor.right()][:5]
        path = self.folder / "x"

        def option(order, code, value):
            return struct.pack(order + "HH", code, len(value)) + value + bytes(-len(value) % 4)

        def block(order, kind, body):
            size = 12 + len(body)
            return struct.pack(order + "II", kind, size) + body + struct.pack(order + "I", size)

        for order in "<>":
            records = b"".join(struct.pack(order + "IIII", 1, n, len(f) + 4, len(f) + 4) + f + b"\1\2\3\4" for n, f in enumerate(frames))
            for word, fcs in ((0x24000001, b""), (1, b"\1\2\3\4"), (0x20000001, b"\1\2\3\4")):
                path.write_bytes(struct.pack(order + "IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, word) + records)
                self.assertEqual([(r.data, r.length) for r in read(path)], [(f + fcs, len(f + fcs)) for f in frames])
            for value, flags, fcs in ((b"\x04", b"", b""), (b"\x20", b"", b""), (b"\0", b"", b"\1\2\3\4"), (None, b"", b"\1\2\3\4"),
                                      (None, struct.pack(order + "I", 4 << 5), b""), (b"\x04", struct.pack(order + "I", 2 << 5), b"\1\2")):
                out = block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
                out += block(order, 1, struct.pack(order + "HHI", 1, 0, 0) + (option(order, 13, value) if value else b""))
                for f in frames:
                    f += b"\1\2\3\4"
                    out += block(order, 6, struct.pack(order + "IIIII", 0, 0, 1, len(f), len(f)) + f + bytes(-len(f) % 4) +
                                 (option(order, 2, flags) if flags else b""))
                path.write_bytes(out)
                self.assertEqual([(r.data, r.length) for r in read(path)], [(f + fcs, len(f + fcs)) for f in frames])

    def test_cut_by_the_capture(self):
        path = self.folder / "x"
        frames = [frame for _, frame in vendor.right() if frame[20] == 60]
        self.assertEqual(len(frames), 10)
        capture.save(path, [capture.Record(n, frame[:100], len(frame)) for n, frame in enumerate(frames)])
        found = self.check(path)
        self.assertEqual((found["findings"], found["notices"]["cut"], found["result"]), ([], 10, "nothing to check"))


class Faults(Case):
    def test_each(self):
        """Each fault of vendor.faulty() alone, behind a switch whose other notices are right."""
        for rule, what, frame in vendor.faulty():
            with self.subTest(rule=rule, what=what):
                path = self.file("x", sorted(vendor.right()) + [(LAST, frame)])
                found = self.check(*AGREED, "--before", BEFORE, "--after", path)
                self.assertEqual([(f["rule"], f["count"]) for f in found["findings"]], [(rule, 1)])
                self.assertIn("x, frame 51", found["findings"][0]["examples"][0]["place"])
                KNOWN.add(rule)

    def test_all(self):
        """The capture for readers of the manual: every rule of faulty() is found in it."""
        rules = self.broken(*AGREED, "--before", BEFORE, "--after", DATA / "vendor-wrong.pcap")
        self.assertEqual(rules, {rule for rule, _, _ in vendor.faulty()})

    def test_over_ipv4(self):
        words = ["--switch", "198.51.100.20"]
        self.assertEqual(self.broken(VECTORS / "04_cnp.pcap", *words), {"ipv6"})

    def test_no_option_and_no_switch_named(self):
        """It is no receiver's CNP, as the sender sends no data to its source."""
        self.assertEqual(self.broken(self.file("x", sorted(vendor.before()) + [(LAST, vendor.notice([]))])), {"one-option"})

    def test_trimmed(self):
        """Notices about each of three packets, which no draft knows, in less than the agreed interval; other second options are faults."""
        option = b"\1\0" + bytes([0x9D, 12, 1, 7, 4, 0, 4, 0, 0, 9]) + bytes(4)
        entries = sorted(vendor.before()) + [(LAST + n, vendor.notice(vendor.option1(after=option))) for n in range(3)]
        path = self.file("x", entries)
        found = self.check(path, "--min-interval", "4us")
        self.assertEqual((found["findings"], found["notices"]["trimmed"], found["notices"]["option1"]), ([], 3, 3))
        self.assertEqual(self.broken(path, "--trimmed", "0x9c"), {"one-option"})
        short = option[:3] + bytes([8]) + option[4:12]
        self.assertEqual(self.broken(self.file("y", entries[:-3] + [(LAST, vendor.notice(vendor.option1(after=short)))])), {"one-option"})

    def test_before_its_cause(self):
        entries = [(t + US, frame) for t, frame in vendor.before()]
        self.assertEqual(self.broken(self.file("x", [(0, vendor.notice(vendor.option1()))] + entries)), {"cause"})

    def test_about_acknowledgements(self):
        entries = vendor.before() + [(LAST, vendor.write(vendor.A, 0x99, 1, opcode=vendor.ACK)), (LAST + US, vendor.notice(vendor.option1(), qp=0x99))]
        self.assertEqual(self.broken(self.file("x", entries)), {"cause"})

    def test_ce(self):
        """All packets of A are marked, so the ones it was told about are, too; C ensures that it is A's being capable that counts."""
        marked = {(vendor.QP_A, n) for n in range(vendor.PACKETS)}
        told = [(t, vendor.notice(vendor.option1())) for t in vendor.moments()]
        path = self.file("x", sorted(vendor.passed(marked) + told))
        words = ["--before", BEFORE, "--after", path]
        self.assertEqual(self.broken(*words, "--capable", "2001:db8:b::/48"), set())
        self.assertEqual(self.broken(*words, "--capable", "2001:db8:a::1"), {"ce"})
        self.assertEqual(self.broken(*words, "--capable", "all"), {"ce"})

    def test_ce_of_dropped(self):
        """Of packets that are lost nobody can say that they were marked."""
        told = [(t, vendor.notice(vendor.option1())) for t in vendor.moments()]
        self.assertEqual(self.broken("--before", BEFORE, "--after", self.file("x", sorted(told + vendor.passed()[1::2])), "--capable", "all"), set())

    def test_ce_likely(self):
        """Only the packets right in front of notices are marked: others could be the causes, but it is not likely."""
        marked = {(vendor.QP_A, n) for n in range(vendor.EVERY, vendor.PACKETS, vendor.EVERY)}
        told = [(t, vendor.notice(vendor.option1())) for t in vendor.moments()]
        path = self.file("x", sorted(vendor.passed(marked) + told))
        self.assertEqual(self.broken("--before", BEFORE, "--after", path, "--capable", "all"), {"ce-likely"})

    def test_rate(self):
        words = ["--before", BEFORE, "--after", AFTER]
        for more, faults in ((["--min-interval", "40us"], 0), (["--min-interval", "41us"], 8), (["--max-rate", "5"], 0), (["--max-rate", "4"], 2)):
            with self.subTest(more=more):
                self.assertEqual(self.check(*words, *more)["faults"], faults)
        self.assertEqual(self.broken(*words, "--min-interval", "41us"), {"rate"})
        # A notice for each packet, 500 ns apart.
        entries = [e for n in range(20) for e in ((500 * n, vendor.write(vendor.A, vendor.QP_A, n)), (500 * n + 100, vendor.notice(vendor.option1())))]
        path = self.file("x", entries)
        self.assertEqual(self.broken(path), {"rate"})
        self.assertEqual((run(path)[0], run(path, "--strict")[0]), (0, 1))

    def test_border(self):
        self.assertEqual(self.broken("--outside", AFTER), {"border"})
        self.assertEqual(self.broken("--outside", VECTORS / "14_cnm.pcap", "--cnm-port", 1021), {"cnm-border"})
        self.assertEqual(self.broken("--outside", VECTORS / "01_roce6_write.pcap"), set())

    def test_endcon(self):
        data, wrapped = VECTORS / "06_srv6_encaps_srh.pcap", VECTORS / "11_fastcnp_srv6_endcon.pcap"
        later = [(LAST, r.data) for r in capture.load(wrapped).records]
        self.assertEqual(self.broken("--before", data, self.file("x", later)), set())
        # The outer destination is 24 octets behind the beginning of the packet.
        elsewhere = [(t, f[:53] + b"\x0d" + f[54:]) for t, f in later]
        self.assertEqual(self.broken("--before", data, self.file("y", elsewhere)), {"endcon"})
        bare = [(t, f[:14] + f[54:]) for t, f in later]
        self.assertEqual(self.broken("--before", data, self.file("z", bare)), {"endcon"})

    def changed(self, name, number, changes, length=None):
        """A frame of a vector with other octets: its name and UDP checksum made right again if there is a place for it."""
        frame = bytearray(capture.load(VECTORS / name).records[number - 1].data)
        for at, octets in changes:
            frame[at:at + len(octets)] = octets
        if length is not None:
            frame = frame[:length]
            frame[18:20] = struct.pack("!H", length - 54)
            frame[58:60] = struct.pack("!H", length - 54)
        if frame[20] == 17:
            frame[60:62] = struct.pack("!H", sums.udp_checksum(frame, 14, 54, len(frame)))
        return self.file("%s-%d" % (name, number), [(LAST, bytes(frame))])

    def test_messages(self):
        # Ethernet 14, IPv6 40, UDP 8: the flow identifier is at 62, its addresses at 70 and 86, the quote at 102.
        port = ["--cnm-port", 1021]
        for rule, changes, length in (("cnm-format", [(62, b"\x5a")], None), ("cnm-format", [(64, b"\1")], None), ("cnm-tuple", [(85, b"\7")], None),
                                      ("cnm-tuple", [(66, b"\1")], None), ("cnm-quote", [], 180), ("cnm-quote", [], 102)):
            with self.subTest(rule=rule, changes=changes):
                self.assertEqual(self.broken(self.changed("14_cnm.pcap", 1, changes, length), *port), {rule})

    def test_message_too_long(self):
        """Vector 14, frame 4, quotes up to 1280 octets; 40 more are too many however the limit is read."""
        frame = bytearray(capture.load(VECTORS / "14_cnm.pcap").records[3].data) + bytes(41)
        frame[18:20] = frame[58:60] = struct.pack("!H", len(frame) - 54)
        frame[60:62] = struct.pack("!H", sums.udp_checksum(frame, 14, 54, len(frame)))
        self.assertEqual(self.broken(self.file("x", [(0, bytes(frame))]), "--cnm-port", 1021), {"cnm-quote"})

    def test_message_to_whom(self):
        """The data of vector 13 names the proxy 2001:db8:3::99."""
        data = capture.load(VECTORS / "13_roce6_write_proxyopt.pcap").records[0].data
        words = ["--cnm-port", 1021, "--proxy-option", "0x1e"]
        message = capture.load(VECTORS / "14_cnm.pcap").records[0].data
        for last, rules in ((0x99, set()), (0x98, {"cnm-to"})):
            frame = bytearray(message)
            frame[38:54] = bytes.fromhex("20010db8000300000000000000000000")
            frame[53] = last
            frame[60:62] = struct.pack("!H", sums.udp_checksum(frame, 14, 54, len(frame)))
            self.assertEqual(self.broken(self.file("x", [(0, data), (1, bytes(frame))]), *words), rules)

    def test_proxy_option(self):
        words = ["--proxy-option", "0x1e"]
        for rule, at, value in (("proxy-option", 60, 0x5E), ("proxy-option", 60, 0x3E), ("proxy-option-length", 61, 12)):
            self.assertIn(rule, self.broken(self.changed("13_roce6_write_proxyopt.pcap", 1, [(at, bytes([value]))]), *words))

    def test_notifications(self):
        port = ["--arn-port", 1022]
        for rule, changes in (("arn-format", [(65, b"\x91")]), ("arn-format", [(65, b"\xb0")]), ("arn-format", [(66, b"\x50")]),
                              ("arn-mode", [(65, b"\xc0")])):
            with self.subTest(changes=changes):
                self.assertEqual(self.broken(self.changed("15_arn.pcap", 1, changes), *port), {rule})
        self.assertEqual(self.broken(self.changed("15_arn.pcap", 3, [(69, b"\x08")]), *port), {"arn-format"})

    def test_zz_every_rule(self):
        """Each rule that the program lists was broken by one of the tests above."""
        listed = {line.split()[0] for line in run("--rules")[1].splitlines() if not line.startswith(" ")}
        self.assertEqual(listed - KNOWN, set())


class Use(Case):
    def test_errors(self):
        for words, said in (([], "no capture is given"), ([self.folder / "none"], "No such file"), ([DATA / "broken/not-a-capture.pcap"], "neither pcap"),
                            ([DATA / "broken/truncated.pcap"], "is cut off"), (["--min-interval", "4", AFTER], "a time is a number"),
                            (["--option1", "256", AFTER], "an option type is a number from 1 to 255"), (["--switch", "x", AFTER], "x"),
                            ([DATA / "broken/empty.pcap"], "neither pcap")):
            with self.subTest(words=words):
                status, out, err = run(*words)
                self.assertEqual((status, out), (2, ""))
                self.assertIn(said, err)

    def test_manual(self):
        """The manual page has the options of --help, and doc/check.md shows what the program prints."""
        page = (ROOT / "doc/man/fastcn-check.1").read_text(encoding="utf-8")
        described = {option for line in re.findall(r"^\.It (Fl .*)", page, re.M) for option in re.findall(r"Fl -([a-z0-9-]+)", line)}
        offered = set(re.findall(r"(?:^ +|, )--([a-z0-9-]+)", run("--help")[1], re.M))
        self.assertEqual(described, offered - {"help"})
        words = ["--switch", "2001:db8:ff::1", "--capable", "2001:db8:a::/48", "--before", BEFORE, "--after"]
        text = re.sub("^    ", "", (ROOT / "doc/check.md").read_text(encoding="utf-8"), flags=re.M)
        self.assertIn(run(*words, AFTER)[1], text)
        wrong = run(*words, DATA / "vendor-wrong.pcap")[1]
        shown = text[text.index("FAULT qp"):text.index("\n\n## Where to capture")]
        self.assertIn(shown, wrong)

    def test_archive(self):
        """The installed program is the same as that of the sources."""
        words = ["--before", BEFORE, "--after", DATA / "vendor-wrong.pcap"]
        other = subprocess.run([sys.executable, str(ROOT / "app/fastcn-check"), *map(str, words)], capture_output=True, text=True, check=False)
        self.assertEqual(run(*words)[:2], (other.returncode, other.stdout))

    def test_nothing(self):
        self.assertEqual(run(BEFORE)[0], 3)

    def test_json_and_text(self):
        """The same findings in both."""
        words = [*AGREED, "--before", BEFORE, "--after", DATA / "vendor-wrong.pcap"]
        _, out, _ = run(*words, "--verbose")
        found = self.check(*words)
        for f in found["findings"]:
            self.assertIn("%s %s (%d time" % (f["level"].upper(), f["rule"], f["count"]), out)
        self.assertIn("%d faults, %d warnings" % (found["faults"], found["warnings"]), out)

    def test_garbage(self):
        """Whatever is in a capture, the program ends with a report."""
        rng, entries = random.Random(2), []
        for path in sorted(VECTORS.glob("*.pcap")):
            for r in capture.load(path).records:
                for n in range(0, min(len(r.data), 250)):
                    entries.append((len(entries), r.data[:n]))
                    entries.append((len(entries), r.data[:n] + bytes([rng.choice((0, 1, 60, 0x9E, 0xFF, rng.randrange(256)))]) + r.data[n + 1:]))
        path = self.file("x", entries)
        status, out, err = run(path, "--cnm-port", 1021, "--arn-port", 1022, "--proxy-option", "0x1e", "--capable", "all", "--after", path,
                               "--outside", path)
        self.assertEqual((status, err), (1, ""))


if __name__ == "__main__":
    unittest.main()
