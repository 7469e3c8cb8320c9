#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Packet captures of a replayed incast, read by tshark and by a small reader here: counts, octets, times and comments
are those of the inputs, of the outputs and of fastcn's own counters. Needs neither root nor network; what fills a disk
needs root for a small one.

test_capture.py --fastcn PROGRAM [unittest options]
"""

import collections
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import unittest

import testbed

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data")
CASE = os.path.join(HERE, "..", "pcap", "incast", "fastcn.conf")
sys.path.insert(0, os.path.join(HERE, "..", "oracle"))

from fcnoracle import capture  # noqa: E402

PORTS = ("h1", "h2", "h3", "h4", "receiver")
LINE_BPS = {"receiver": 100_000_000}  # the others: 10 Gbit/s


def tshark(path, *fields):
    """A list of tuples, one a packet."""
    words = ["tshark", "-n", "-r", path, "-T", "fields"]
    for f in fields:
        words += ["-e", f]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    assert "cut short" not in done.stderr, done.stderr
    return [tuple(line.split("\t")) for line in done.stdout.splitlines()]


def nanoseconds(text):
    seconds, fraction = text.split(".")
    return int(seconds) * 10**9 + int(fraction)


def blocks(path):
    """Of a pcapng file in this machine's byte order: type and body of each block. It must end with one."""
    with open(path, "rb") as f:
        blob = f.read()
    at = 0
    while at < len(blob):
        kind, length = struct.unpack_from("=II", blob, at)
        assert length % 4 == 0 and length >= 12 and at + length <= len(blob), (path, at, length)
        assert struct.unpack_from("=I", blob, at + length - 4)[0] == length
        yield kind, blob[at + 8:at + length - 4]
        at += length


def options(blob):
    at, found = 0, {}
    while True:
        code, length = struct.unpack_from("=HH", blob, at)
        if code == 0:
            return found
        found[code] = blob[at + 4:at + 4 + length]
        at += 4 + (length + 3) // 4 * 4


def statistics(path):
    """Interface by name -> packets that were to be written, and missed."""
    names, found = [], {}
    for kind, body in blocks(path):
        if kind == 1:
            names.append(options(body[8:])[2].decode())
        if kind == 5:
            o = options(body[12:])
            found[names[struct.unpack_from("=I", body)[0]]] = (struct.unpack("=Q", o[4])[0],
                                                               struct.unpack("=Q", o[5])[0])
    return found


class Replayed(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="fcn-capture-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def path(self, name):
        return os.path.join(self.directory, name)

    def contents(self, *names):
        found = []
        for name in names:
            with open(self.path(name), "rb") as f:
                found.append(f.read())
        return found

    def replay(self, before, config=CASE, after="show capture json", status=0, wrap=(), more=()):
        """Replay the incast; standard output of --after as JSON, and standard error."""
        words = [*wrap, testbed.options.fastcn, "replay", config, "--quiet", "--mbufs", "4095", "--before", before, "--after", after, *more]
        for p in PORTS:
            words += ["--in", f"{p}={DATA}/incast-{p}.pcap", "--out", f"{p}={self.path(p)}.pcap"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False, cwd=self.directory)
        self.assertEqual(done.returncode, status, done.stderr + done.stdout)
        return done

    def small_queue(self):
        """The incast in front of a queue that overflows."""
        with open(CASE, encoding="ascii") as f:
            text = f.read()
        self.assertIn("limit 100K", text)
        return testbed.write(self.directory, "small.conf", text.replace("limit 100K", "limit 30K"))

    def test_received(self):
        done = self.replay("capture start port all rx file rx.pcapng")
        (shown,) = json.loads(done.stdout)
        rows = tshark(self.path("rx.pcapng"), "frame.interface_name", "frame.time_epoch", "frame.packet_flags_direction",
                      "frame.comment", "frame.len")
        records = capture.load(self.path("rx.pcapng")).records
        self.assertEqual(shown["packets"], len(rows))
        self.assertEqual(shown["bytes"], os.path.getsize(self.path("rx.pcapng")))
        self.assertEqual((shown["state"], shown["missed"], shown["error"]), ("stopped", 0, None))
        for p in PORTS:
            want = capture.load(f"{DATA}/incast-{p}.pcap").records
            got = [(nanoseconds(row[1]), r.data) for row, r in zip(rows, records) if row[0] == p]
            self.assertEqual(got, [(r.time, r.data) for r in want])
            self.assertEqual(statistics(self.path("rx.pcapng"))[p], (len(want), 0))
        self.assertEqual({row[2] for row in rows}, {"0x00000001"})
        self.assertEqual({row[3] for row in rows}, {""})

    def test_sent(self):
        series = self.path("series")
        self.replay("capture start port all tx file tx.pcapng; capture start port receiver tx file receiver.pcapng",
                    more=("--series", series))
        rows = tshark(self.path("tx.pcapng"), "frame.interface_name", "frame.time_epoch",
                      "frame.packet_flags_direction", "frame.comment")
        records = capture.load(self.path("tx.pcapng")).records
        self.assertEqual({row[2] for row in rows}, {"0x00000002"})
        for p in PORTS:
            # An output has the time of a frame's last bit: with preamble, FCS and gap, 24 octets more.
            want = [(r.time - -(-(max(len(r.data), 60) + 24) * 8 * 10**9 // LINE_BPS.get(p, 10**10)), r.data)
                    for r in capture.load(self.path(p + ".pcap")).records]
            got = [(nanoseconds(row[1]), r.data) for row, r in zip(rows, records) if row[0] == p]
            self.assertEqual([g[1] for g in got], [w[1] for w in want])
            # rounded up or down to a nanosecond
            self.assertTrue(all(abs(g[0] - w[0]) <= 1 for g, w in zip(got, want)), p)
        alone = capture.load(self.path("receiver.pcapng")).records
        self.assertEqual(alone, [r for row, r in zip(rows, records) if row[0] == "receiver"])
        # Notices say for what they were made: as the series has it, that the worker's events made.
        with open(series, encoding="ascii") as f:
            notices = [line.rstrip("\n").split("\t") for line in f if "\tnotice\t" in line]
        want = collections.Counter(f"Fast CNP for congestion of {n[2]} class {n[3]}, level {n[5]}, {n[4]} bytes queued"
                                   for n in notices)
        self.assertGreater(len(notices), 100)
        self.assertEqual(collections.Counter(row[3] for row in rows if row[3]), want)

    def test_dropped(self):
        done = self.replay("capture start port all drop file all.pcapng; capture start port h2 drop file h2.pcapng; "
                           "capture start port receiver drop file receiver.pcapng", self.small_queue(),
                           after="show drops json")
        drops = {(d["port"], d["reason"]): d["packets"] for d in json.loads(done.stdout)}
        rows = tshark(self.path("all.pcapng"), "frame.interface_name", "frame.packet_flags_direction", "frame.comment")
        self.assertGreater(len(rows), 20)
        self.assertEqual(collections.Counter(row[0] for row in rows),
                         {port: n for (port, reason), n in drops.items() if reason == "queue_bytes"})
        self.assertEqual({row[1:] for row in rows},
                         {("", "dropped: queue_bytes (tail drop: the queue is at its limit in bytes), port receiver class 3")})
        # A port's own: those counted there, and those on their way to it.
        self.assertEqual(len(tshark(self.path("h2.pcapng"), "frame.number")), drops["h2", "queue_bytes"])
        self.assertEqual(len(tshark(self.path("receiver.pcapng"), "frame.number")), len(rows))
        # What was received for the receiver is what left for it and what was dropped, but for ECN and copies.
        lost = collections.Counter(r.data for r in capture.load(self.path("all.pcapng")).records)
        came = collections.Counter(r.data for p in PORTS for r in capture.load(f"{DATA}/incast-{p}.pcap").records)
        self.assertFalse(lost - came)

    def test_same_every_time(self):
        before = ("capture start port all both file both.pcapng; capture start port all drop file drop.pcapng; "
                  "capture start port h1 rx file h1.pcapng snaplen 60 filter udp dst port 4791")
        files = []
        for _ in range(2):
            self.replay(before, self.small_queue())
            files.append(self.contents("both.pcapng", "drop.pcapng", "h1.pcapng"))
        self.assertEqual(files[0], files[1])
        # And what is captured changes nothing of what leaves.
        outputs = self.contents(*(p + ".pcap" for p in PORTS))
        self.replay("show capture", self.small_queue())
        self.assertEqual(outputs, self.contents(*(p + ".pcap" for p in PORTS)))

    def test_limits(self):
        done = self.replay("capture start port all rx file n.pcapng packets 10; "
                           "capture start port all rx file size.pcapng size 70000; "
                           "capture start port h1 rx file snap.pcapng snaplen 60 filter udp dst port 4791")
        n, size, snap = json.loads(done.stdout)
        self.assertEqual((n["state"], n["packets"]), ("full", 10))
        self.assertEqual(len(tshark(self.path("n.pcapng"), "frame.number")), 10)
        length = os.path.getsize(self.path("size.pcapng"))
        self.assertEqual((size["state"], size["bytes"]), ("full", length))
        self.assertTrue(70000 - 1200 < length <= 70000)  # no packet more
        self.assertEqual(len(tshark(self.path("size.pcapng"), "frame.number")), size["packets"])
        rows = tshark(self.path("snap.pcapng"), "frame.cap_len", "frame.len", "udp.dstport")
        want = [r for r in capture.load(f"{DATA}/incast-h1.pcap").records if r.data[12:14] == b"\x86\xdd" and
                r.data[20] == 17 and r.data[56:58] == b"\x12\xb7"]
        self.assertEqual([r[1] for r in rows], [str(len(w.data)) for w in want])
        self.assertEqual({r[0] for r in rows}, {"60"})
        (interface,) = [options(body[8:]) for kind, body in blocks(self.path("snap.pcapng")) if kind == 1]
        self.assertEqual(interface[2], b"h1")
        self.assertEqual(struct.unpack("=Q", interface[8])[0], 10**10)
        self.assertEqual(interface[9], b"\x09")
        self.assertEqual(interface[11], b"\0udp dst port 4791")

    def test_refused(self):
        os.mkdir(self.path("folder"))
        for line, want in (
                ("capture start port h9 rx file x", "there is no port h9"),
                ("capture start port h1 rx file x filter udp prot 5", "filter: "),
                ("capture start port h1 rx file folder", "folder: Is a directory"),
                ("capture start port h1 rx file none/x", "none/x: No such file or directory"),
                ("capture start port h1 rx file x snaplen 5", "14 to 262144 bytes"),
                ("capture start port h1 rx file x packets 0", "at least 1 packet"),
                ("capture start port h1 rx file x size 100", "at least 65536"),
                ("capture start port h1 rx file x; capture start port h2 tx file ./x", "another capture writes this file"),
                ("capture stop x", "there is no capture into x"),
                ("; ".join(f"capture start port h1 rx file {i}" for i in range(9)), "8 captures run already")):
            done = self.replay(line, status=2)
            self.assertIn(want, done.stdout, line)
        os.mkfifo(self.path("pipe"))
        self.assertIn("pipe: no process reads the pipe",
                      self.replay("capture start port h1 rx file pipe", status=2).stdout)

    def test_stopped_and_again(self):
        """A place is given to the next when all are taken; the same file can be begun anew."""
        lines = [f"capture start port h1 rx file {i}; capture stop {i}" for i in range(9)]
        done = self.replay("; ".join(lines) + "; capture start port h1 rx file 5; capture stop; capture stop")
        self.assertEqual([c["file"] for c in json.loads(done.stdout)], ["2", "3", "4", "6", "7", "8", "5"])
        self.assertEqual(statistics(self.path("5")), {"h1": (0, 0)})

    def test_pipe(self):
        os.mkfifo(self.path("pipe"))
        got = []

        def read():
            with open(self.path("pipe"), "rb") as f:
                got.append(f.read())
        reader = threading.Thread(target=read)
        reader.start()
        # opened without a reader it is refused: until it has one, a writer of ours lets the reader in
        guard = testbed.wait_until(lambda: self.open_pipe(self.path("pipe")))
        done = self.replay("capture start port all both file pipe; capture start port all both file plain")
        os.close(guard)
        reader.join(20)
        self.assertEqual([c["error"] for c in json.loads(done.stdout)], [None, None])
        self.assertEqual(got, self.contents("plain"))

    @staticmethod
    def open_pipe(path):
        try:
            return os.open(path, os.O_WRONLY | os.O_NONBLOCK)
        except OSError:
            return None

    def test_device_full(self):
        done = self.replay("capture start port all both file /dev/full; capture start port h1 rx file good", status=1)
        bad, good = json.loads(done.stdout)
        self.assertEqual((bad["state"], bad["error"], bad["packets"]), ("failed", "No space left on device", 0))
        self.assertEqual(done.stderr, "fastcn replay: capture /dev/full: No space left on device\n")
        self.assertEqual((good["state"], good["packets"]), ("stopped", len(tshark(self.path("good"), "frame.number"))))

    @unittest.skipIf(os.geteuid() != 0 or shutil.which("unshare") is None, "a small disk needs root")
    def test_disk_full(self):
        """What the file holds then is whole, and its end says what is missing."""
        os.mkdir(self.path("disk"))
        script = 'mount -t tmpfs -o size=640k none disk && "$@"; rc=$?; cp disk/x.pcapng .; exit $rc'
        done = self.replay("capture start port all both file disk/x.pcapng", status=1,
                           wrap=("unshare", "-m", "sh", "-c", script, "sh"))
        (shown,) = json.loads(done.stdout)
        self.assertEqual((shown["state"], shown["error"]), ("failed", "No space left on device"))
        self.assertIn("capture disk/x.pcapng: No space left on device", done.stderr)
        self.assertEqual(os.path.getsize(self.path("x.pcapng")), shown["bytes"])
        rows = tshark(self.path("x.pcapng"), "frame.interface_name")
        self.assertEqual(len(rows), shown["packets"])
        self.assertGreater(shown["packets"], 100)
        self.assertGreater(shown["missed"], 0)
        found = statistics(self.path("x.pcapng"))
        self.assertEqual({p: n - lost for p, (n, lost) in found.items() if n != lost},
                         dict(collections.Counter(row[0] for row in rows)))
        self.assertEqual(sum(lost for _, lost in found.values()), shown["missed"])


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, tools=("tshark",)))
