#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Hosts of another simulator at a switch of fastcn-lab, by SimBricks' protocol.

Usage: test_simbricks.py LAB
The other simulator is simbricks_peer.py. Times of arrival are arithmetic on paper, Fast CNPs those of the oracle.
"""

import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest
from fractions import Fraction
from ipaddress import ip_address
from math import ceil

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests" / folder) for folder in ("lab", "oracle", "data")]

import cases  # noqa: E402
import simbricks_peer as peer  # noqa: E402
from fcnoracle import capture, notice, walker  # noqa: E402

LAB = os.path.abspath(sys.argv.pop())
SCENARIO = ROOT / "tests/lab/simbricks.lab"
WRITE = capture.load(ROOT / "tests/data/vectors/01_roce6_write.pcap").records[0].data
NS = 1000  # ps
LATENCY_A, LATENCY_B = 500 * NS, 900 * NS  # of the peer; the lab has 700 ns to a, 500 ns to b
US = 1000 * NS


def frame(length, source, qp=0x1A7):
    """A RoCEv2 frame of a (1) to b (2), or the other way round."""
    return cases.variant(WRITE, src="2001:db8:0:%d::1" % source, dst="2001:db8:0:%d::1" % (3 - source), qp=qp,
                         smac="02:00:00:00:00:0%d" % source, dmac="02:f1:00:0%d:00:01" % (source - 1),
                         length=length, traffic_class=26 << 2 | 2)


def wire(frames, length, gbps):
    """Nanoseconds that frames take on a line: preamble, FCS and gap are 24 octets."""
    return Fraction(frames * (length + 24) * 8, gbps)


def until(true):
    """Wait for something that another program does."""
    late = time.monotonic() + 60
    while not true():
        if time.monotonic() > late:
            raise TimeoutError
        time.sleep(0.01)


class Lab:
    """fastcn-lab with a directory for its sockets."""

    def __init__(self, test, *options, scenario=SCENARIO):
        self.dir = tempfile.TemporaryDirectory()
        test.addCleanup(self.close)
        self.a, self.b, self.json = (os.path.join(self.dir.name, name) for name in ("a", "b", "json"))
        self.run, self.listened_by_test = None, False
        self.words = [LAB, str(scenario), "--set", "dir=" + self.dir.name, "--check", "--set", "buffers=2047",
                      "--no-plots", "--json", self.json, *options]

    def start(self):
        self.run = subprocess.Popen(self.words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        return self

    def end(self):
        """Status, and what it said on stderr."""
        _, err = self.run.communicate(timeout=120)
        return self.run.returncode, err

    def result(self):
        with open(self.json) as f:
            return json.load(f)

    def close(self):
        if self.run is not None:
            self.run.kill()
            self.run.communicate()
        self.dir.cleanup()


def together(test, a_frames, b_frames, until=80 * US, options=(), **listens):
    """A run of both hosts, a connects and b listens."""
    lab = Lab(test, *options)
    a, b = peer.Host(LATENCY_A, 400 * NS, a_frames), peer.Host(LATENCY_B, LATENCY_B, b_frames)
    b.listen(lab.b, **listens)
    lab.start()
    a.connect(lab.a)
    b.accept()
    peer.run([a, b], until)
    status, err = lab.end()
    test.assertEqual((status, err), (0, ""))
    return lab, a, b


class Runs(unittest.TestCase):
    N, LENGTH, SEND, BACK = 40, 1070, 1 * US, 30 * US

    def frames(self):
        return ([(self.SEND, frame(self.LENGTH, 1, qp)) for qp in range(self.N)],
                [(self.BACK, frame(200, 2)), (self.BACK, frame(300, 2))])

    def test_times(self):
        """Both directions, and the Fast CNP of the frame that crosses the threshold, to the nanosecond."""
        sent_a, sent_b = self.frames()
        lab, a, b = together(self, sent_a, sent_b)
        begin = (self.SEND + LATENCY_A) // NS
        arrivals = [begin + ceil(wire(k, self.LENGTH, 100)) + 1000 for k in range(1, self.N + 1)]  # at s1
        first = arrivals[0]
        self.assertEqual([t for t, _ in b.got], [(first + ceil(wire(k, self.LENGTH, 25)) + 2000 + 500) * NS for k in range(1, self.N + 1)])
        for (_, data), (_, was) in zip(b.got, sent_a):
            self.assertEqual((data[:12].hex(), data[14:21], data[21], data[22:]),
                             ("02000000000202f100010001", was[14:21], was[21] - 1, was[22:]))
        # Begun is the frame that is sent; all that have come and not begun are in the queue.
        begun = [ceil(first + wire(k, self.LENGTH, 25)) for k in range(self.N)]
        queued = [sum(t <= now for t in arrivals) - sum(t < now for t in begun) for now in arrivals]
        crossing = next(i for i, n in enumerate(queued) if n * self.LENGTH > 10000)
        self.assertNotIn(arrivals[crossing], begun)
        expected = notice.build(notice.Profile(ip_address("2001:db8:f::1").packed), walker.walk(sent_a[crossing][1]))
        told = arrivals[crossing] + ceil(wire(1, len(expected) + 14, 100)) + 1000 + 700
        back = (self.BACK + LATENCY_B) // NS
        on_way = [back + ceil(wire(1, 200, 25)), back + ceil(Fraction(224 * 8 + 324 * 8, 25))]
        came = [on_way[0] + 2000 + ceil(wire(1, 200, 100)) + 1000 + 700, on_way[1] + 2000 + ceil(wire(1, 300, 100)) + 1000 + 700]
        notices = [(t, d) for t, d in a.got if walker.walk(d).bth.opcode == walker.CNP]
        self.assertEqual([t for t, d in a.got if walker.walk(d).bth.opcode != walker.CNP], [t * NS for t in came])
        self.assertEqual(notices[0][0], told * NS)
        self.assertEqual(notice.differences(expected, notices[0][1][14:]), [])
        self.assertEqual(notices[0][1][:14].hex(), "02000000000102f10000000186dd")
        counted = lab.result()["host"]
        self.assertEqual(counted["a"]["simbricks"]["received"], self.N)
        self.assertEqual(counted["a"]["simbricks"]["sent"], len(a.got))
        self.assertEqual((counted["b"]["simbricks"]["received"], counted["b"]["simbricks"]["sent"]), (2, self.N))
        self.assertEqual(set(counted["a"]["simbricks"]["dropped"].values()), {0})

    def test_picoseconds(self):
        """The lab counts nanoseconds: what comes within one is there at its end."""
        for ps in (0, 1, 999):
            _, a, b = together(self, [(US + ps, frame(1070, 1))], [])
            begin = (US + LATENCY_A) // NS + (ps > 0)
            leaves = begin + ceil(wire(1, 1070, 100)) + 1000
            self.assertEqual(b.got[0][0], (leaves + ceil(wire(1, 1070, 25)) + 2000 + 500) * NS)

    def test_same_twice(self):
        """Two runs have the same messages and the same result, byte for byte, however fast the peer is."""
        seen = []
        for pause in (0, 0.0005):
            lab = Lab(self)
            a, b = (peer.Host(*t, f) for t, f in zip(((LATENCY_A, 400 * NS), (LATENCY_B, LATENCY_B)), self.frames()))
            if pause:
                promise = a.promise
                a.promise = lambda now, p=promise: (time.sleep(pause), p(now))
            b.listen(lab.b)
            lab.start()
            a.connect(lab.a)
            b.accept()
            peer.run([a, b], 80 * US)
            self.assertEqual(lab.end(), (0, ""))
            result = pathlib.Path(lab.json).read_text().replace(lab.dir.name, "DIR")
            seen.append((a.heard, a.got, b.heard, b.got, result))
        self.assertEqual(seen[0], seen[1])

    def test_sync(self):
        """At least every 300 ns of virtual time a hears something, and time never goes backwards."""
        _, a, b = together(self, *self.frames())
        for host, latency, most in ((a, 700, 300), (b, 500, 500)):
            times = [t for kind, t in host.heard]
            self.assertEqual(times[0], latency * NS)
            self.assertTrue(all(0 <= y - x <= most * NS for x, y in zip(times, times[1:])))
            self.assertEqual(host.heard[-1], (peer.IS_END, (60000 + latency) * NS))

    def test_promise(self):
        """The run does not go past what it was promised, and waits as long as it takes."""
        lab = Lab(self)
        a, b = peer.Host(LATENCY_A, LATENCY_A), peer.Host(LATENCY_B, LATENCY_B)
        b.listen(lab.b)
        lab.start()
        a.connect(lab.a)
        b.accept()
        a.promise(0)
        b.promise(0)
        times = []

        def all_heard(n):
            while (head := a.inward.peek()) is not None:
                times.append(head[1])
                a.inward.take()
            return len(times) >= n

        until(lambda: all_heard(2))
        time.sleep(0.5)
        all_heard(2)
        # a's promise is for 500 ns; s1 says that it is there, and goes on only when a does
        self.assertEqual(times, [700 * NS, 1000 * NS])
        self.assertIsNone(lab.run.poll())
        peer.run([a, b], 80 * US, 500 * NS)
        self.assertEqual(lab.end(), (0, ""))

    def test_limits(self):
        """Frames that cannot pass are counted by reason, those before and after them pass."""
        good = frame(200, 2)
        odd = [(US, bytes(13)), (US, bytes(5000)), (2 * US, good)]
        lab, a, b = together(self, [(5 * US, frame(1082, 1)), (6 * US, frame(400, 1))], odd, size=8192)
        self.assertEqual(len(a.got), 1)
        self.assertEqual([len(data) for _, data in b.got], [1082, 400])
        dropped = lab.result()["host"]["b"]["simbricks"]["dropped"]
        self.assertEqual((dropped["too_short"], dropped["too_long"]), (1, 1))
        lab, a, b = together(self, [(5 * US, frame(1082, 1)), (6 * US, frame(400, 1))], [], size=464)
        self.assertEqual([len(data) for _, data in b.got], [400])
        self.assertEqual(lab.result()["host"]["b"]["simbricks"]["dropped"]["entry_short"], 1)

    def test_two_labs(self):
        """Two programs that are each other's other simulator: neither waits for ever."""
        records = [capture.Record.of(i * 1000, frame(1070, 1, i)) for i in range(30)]
        labs = [Lab(self), Lab(self)]
        file, name = os.path.join(labs[0].dir.name, "pcap"), os.path.join(labs[0].dir.name, "socket")
        capture.save(file, records)
        texts = ("switch add s1\nhost add h\nlink add h s1\nsimbricks add far listen %s latency 300ns\nlink add far s1\n"
                 "traffic pcap h file %s\nduration 50us\n" % (name, file),
                 "simbricks add near connect %s latency 2us sync 1us\nhost add r\nlink add near r\nduration 60us\n" % name)
        for lab, text in zip(labs, texts):
            lab.words[1] = os.path.join(lab.dir.name, "lab")
            pathlib.Path(lab.words[1]).write_text("param dir /tmp\n" + text)
            lab.start()
        for lab in labs:
            self.assertEqual(lab.end(), (0, ""))
        self.assertEqual(labs[0].result()["host"]["far"]["simbricks"]["sent"], 30)
        self.assertEqual(labs[1].result()["host"]["near"]["simbricks"]["received"], 30)
        self.assertEqual(labs[1].result()["link"]["near-r"]["delivered"], 30)

    def test_late_reader(self):
        """What has no room in the queue waits, and the run does not: b reads only when the run has long been over for it."""
        sent = [(self.SEND + qp * 400 * NS, frame(self.LENGTH, 1, qp)) for qp in range(self.N)]
        lab, a, b = Lab(self), peer.Host(LATENCY_A, LATENCY_A), peer.Host(LATENCY_B, LATENCY_B)
        b.listen(lab.b, count=4)
        lab.start()
        a.connect(lab.a)
        b.accept()
        for when, data in sent:
            a.outward.put(peer.IS_FRAME, when + LATENCY_A, data)
        for host in (a, b):
            host.outward.put(peer.IS_SYNC, 100 * US)
        a.turn(200 * US)
        self.assertTrue(a.ended)
        self.assertIsNone(lab.run.poll())
        b.turn(200 * US)
        self.assertEqual(lab.end(), (0, ""))
        _, a2, b2 = together(self, sent, [])
        self.assertEqual((a.heard, a.got, b.heard, b.got), (a2.heard, a2.got, b2.heard, b2.got))
        for host in (a, b):
            host.socket.close()

    def test_line_full(self):
        """Of more frames at once than can wait for the link, the last ones are dropped."""
        many = [(US, frame(1082, 1))] * 4200
        lab, _, b = together(self, many, [], until=2000 * US, options=("--set", "duration=1900us", "--set", "buffers=8000",
                             "--line", "switch s1 do set queue b class 3 limit 8M packets 8192"))
        counted = lab.result()["host"]["a"]["simbricks"]
        # one is on the link at once, 4096 wait
        self.assertEqual((counted["received"], counted["dropped"]["line_full"]), (4200, 4200 - 4097))
        self.assertEqual(len(b.got), 4097)

    def test_end_of_peer(self):
        """A simulator that ends in order: the run goes on without it. Without a duration, it ends with all of them."""
        sent_a, _ = self.frames()
        lab = Lab(self, "--line", "duration 1s")
        a, b = peer.Host(LATENCY_A, LATENCY_A, sent_a), peer.Host(LATENCY_B, LATENCY_B)
        text = SCENARIO.read_text().replace("duration 60us", "")
        scenario = os.path.join(lab.dir.name, "scenario.lab")
        pathlib.Path(scenario).write_text(text)
        lab.words[1] = scenario
        del lab.words[-2:]
        b.listen(lab.b)
        lab.start()
        a.connect(lab.a)
        b.accept()
        now, half = 0, 8 * US
        while now < 40 * US:
            for h in (a, b):
                h.promise(now)
            now = min([40 * US] + [h.turn(now) for h in (a, b)])
            if half is not None and now >= half:  # b has had some of them
                b.say(now, peer.IS_END)
                b.ended, half = True, None
        a.say(now, peer.IS_END)
        for h in (a, b):
            h.socket.close()
        self.assertEqual(lab.end(), (0, ""))
        dropped = lab.result()["host"]["b"]["simbricks"]["dropped"]["ended"]
        self.assertTrue(0 < dropped < self.N)
        self.assertEqual(lab.result()["host"]["b"]["simbricks"]["sent"] + dropped, self.N)


class Demonstration(unittest.TestCase):
    def test_demo(self):
        p = subprocess.run([str(ROOT / "scripts/demo-simbricks"), "--build", str(pathlib.Path(LAB).parents[2])],
                           capture_output=True, text=True, timeout=60)
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        self.assertEqual((p.stdout.count(" b gets 1070 bytes"), p.stdout.count(" a gets 118 bytes")), (40, 1))


class Faults(unittest.TestCase):
    """What is wrong ends the run with status 2, and a line that says what."""

    def fails(self, lab, *texts, status=2):
        code, err = lab.end()
        self.assertEqual(code, status, err)
        self.assertNotIn("Sanitizer", err)
        for text in texts:
            self.assertIn(text, err)
        self.assertEqual(os.path.exists(lab.b), lab.listened_by_test)

    def intro(self, **changed):
        fields = {"version": 1, "flags": 3, "l2c": 0, "l2c_size": 2048, "l2c_count": 64, "c2l": 2048 * 64, "c2l_size": 2048,
                  "c2l_count": 64, "protocol": 1, "rest": 80}
        fields.update(changed)
        return struct.pack("=10QI", *fields.values(), 0)

    def listener(self, intro, memory=2 * 2048 * 64, fds=None, size=None, wait="60s"):
        """fastcn-lab connects to a listener with this introduction."""
        lab = Lab(self, "--line", "link add x s1", "--line", "simbricks add x connect $dir/b wait " + wait)
        lab.words[1] = os.path.join(lab.dir.name, "scenario")
        pathlib.Path(lab.words[1]).write_text("param dir /tmp\nswitch add s1\nduration 1ms\n")
        at = socket.socket(socket.AF_UNIX)
        at.bind(lab.b)
        lab.listened_by_test = True
        at.listen(1)
        lab.start()
        end, _ = at.accept()
        self.addCleanup(end.close)
        at.close()
        fd = os.memfd_create("peer")
        os.ftruncate(fd, memory)
        socket.send_fds(end, [intro], [fd] if fds is None else fds)
        if size is not None:
            # It has mapped the memory, and has sent its first message.
            until(lambda: os.pread(fd, 1, 2048 * 64 + 63) == b"\x80")
            os.ftruncate(fd, size)
        os.close(fd)
        return lab, end

    def test_listeners(self):
        some = "its introduction makes no sense: "
        for intro, options, text in (
                (self.intro(version=2), {}, "it has version 2 of SimBricks, not 1"),
                (self.intro(protocol=2), {}, "it has the protocol 2 of SimBricks"),
                (self.intro(flags=0), {}, "it does not synchronise time"),
                (self.intro(l2c_size=63), {}, some + "an entry"),
                (self.intro(c2l_size=1 << 40), {}, some + "an entry"),
                (self.intro(l2c_count=0), {}, some + "a queue must have"),
                (self.intro(c2l_count=(1 << 64) - 1), {}, some + "a queue must have"),
                (self.intro(l2c=(1 << 64) - 2048), {}, some + "a queue is longer"),
                (self.intro(c2l=2048 * 64 + 1), {}, some + "a queue is longer"),
                (self.intro(c2l_count=1 << 20), {}, some + "a queue is longer"),
                (self.intro(c2l=2048), {"memory": 1 << 20}, some + "the queues overlap"),
                (self.intro(), {"memory": 0}, "its shared memory is no file"),
                (self.intro(), {"fds": []}, "its introduction has no shared memory"),
                (self.intro(), {"fds": [0]}, "its shared memory is no file"),
                (self.intro(), {"size": 0}, "its shared memory was made shorter")):
            with self.subTest(text=text, options=options):
                self.fails(self.listener(intro, **options)[0], "x: ", text)

    def test_short_introduction(self):
        lab, end = self.listener(self.intro()[:40])
        end.close()
        self.fails(lab, "it went away before it had introduced itself")
        lab, _ = self.listener(self.intro()[:40], wait="2s")
        self.fails(lab, "it did not introduce itself in 2000 ms")

    def alone(self, wait="60s"):
        """fastcn-lab that listens at x."""
        lab = Lab(self, "--line", "link add x s1", "--line", "simbricks add x listen $dir/b wait " + wait)
        lab.words[1] = os.path.join(lab.dir.name, "scenario")
        pathlib.Path(lab.words[1]).write_text("param dir /tmp\nswitch add s1\nduration 1ms\n")
        lab.start()
        return lab

    def met(self, wait="60s"):
        lab, host = self.alone(wait), peer.Host(LATENCY_A, LATENCY_A)
        host.connect(lab.b)
        self.addCleanup(host.socket.close)
        return lab, host

    def test_connecters(self):
        for intro, text in ((struct.pack("=4QI", 2, 3, 1, 32, 0), "it has version 2"),
                            (struct.pack("=4QI", 1, 0, 1, 32, 0), "it does not synchronise"),
                            (struct.pack("=4QI", 1, 3, 0, 32, 0), "it has the protocol 0")):
            with self.subTest(text=text):
                lab, end = self.alone(), socket.socket(socket.AF_UNIX)
                until(lambda: end.connect_ex(lab.b) == 0)
                end.sendall(intro)
                self.fails(lab, "x: ", text)
                end.close()

    def test_messages(self):
        def raw(host, kind, when, length=0):
            host.outward.put(kind, when)
            at = host.outward.offset + (host.outward.turn - 1) * host.outward.size
            host.outward.memory[at:at + 2] = struct.pack("=H", length)

        for messages, text in (
                ([(0x02, 500)], "sent a message of an unknown type"),
                ([(0x7F, 500)], "sent a message of an unknown type"),
                ([(peer.IS_SYNC, 500), (peer.IS_SYNC, 499)], "the time of its simulator goes backwards"),
                ([(peer.IS_SYNC, 500 * NS), (peer.IS_FRAME, 400 * NS)], "the time of its simulator goes backwards")):
            with self.subTest(text=text):
                lab, host = self.met()
                for message in messages:
                    raw(host, *message)
                self.fails(lab, "x: ", text)
        lab, host = self.met()
        at = host.outward.offset
        host.outward.memory[at:at + 2] = struct.pack("=H", 65535)
        host.outward.memory[at + 48:at + 56] = struct.pack("=Q", 500)
        host.outward.memory[at + 63] = 0x80 | peer.IS_FRAME
        self.fails(lab, "x: ", "sent a frame that is longer than its entry")

    def test_death(self):
        """A simulator that goes away without a word, or keeps silent, after some virtual time."""
        for close, text in ((True, "its simulator cannot be waited for: it went away"),
                            (False, "its simulator cannot be waited for: it said nothing for 2000 ms")):
            with self.subTest(text=text):
                lab, host = self.met("60s" if close else "2s")
                now = 0
                while now < 20 * US:
                    host.promise(now)
                    now = host.turn(now)
                if close:
                    host.socket.close()
                self.fails(lab, "x: ", text)

    def test_nobody(self):
        lab = self.alone("1s")
        self.fails(lab, "nobody connected in 1000 ms")
        lab = Lab(self, "--line", "simbricks add c connect $dir/c wait 100ms", "--line", "link add c s1")
        lab.start()
        self.fails(lab, "nobody listened in 100 ms")

    def test_sockets(self):
        lab = Lab(self)
        pathlib.Path(lab.a).write_text("mine")
        lab.start()
        self.assertEqual(lab.end(), (2, "a: %s: Address already in use\n" % lab.a))
        self.assertEqual(pathlib.Path(lab.a).read_text(), "mine")
        os.unlink(lab.a)
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(lab.a)
            other.listen(1)
            lab.start()
            self.assertEqual(lab.end(), (2, "a: %s: Address already in use\n" % lab.a))
        # Nobody listens at it any more, so it is what a run that was killed has left.
        lab.start()
        host = peer.Host(LATENCY_A, LATENCY_A)
        host.connect(lab.a)
        self.addCleanup(host.socket.close)
        lab.run.send_signal(signal.SIGINT)
        self.assertEqual(lab.end(), (130, ""))
        lab = Lab(self, "--set", "dir=/tmp/" + "x" * 120)
        self.fails(lab.start(), "the name of a socket has at most 107 characters")

    def test_interrupted(self):
        """Ctrl-C ends a run that waits, for somebody to come or to go on, with status 130."""
        lab = self.alone()
        until(lambda: os.path.exists(lab.b))
        lab.run.send_signal(signal.SIGINT)
        self.assertEqual(lab.end(), (130, ""))
        lab, host = self.met()
        host.promise(0)
        time.sleep(0.3)
        lab.run.send_signal(signal.SIGINT)
        self.assertEqual(lab.end(), (130, ""))
        while (head := host.inward.peek()) and head[0] == peer.IS_SYNC:
            host.inward.take()
        self.assertEqual(head[0], peer.IS_END)

    def test_scenarios(self):
        for line, text in (("simbricks add c listen x latency 0ns", "the latency must be"),
                           ("simbricks add c listen x sync 501ns", "the time between two messages must be"),
                           ("simbricks add c listen x wait 1us", "the time to wait must be"),
                           ("simbricks add c listen x", "host c has no link"),
                           ("simbricks add a listen x", "there is a host a already"),
                           ("simbricks add h[1-2] listen x", "a name"),
                           ("flow add f from a to b size 1K", "host a is in another simulator, and cannot be an end of a flow"),
                           ("traffic generator g from a to b flows 4", "cannot send packets of a generator here"),
                           ("traffic pcap a file " + str(ROOT / "tests/data/vectors/01_roce6_write.pcap"), "cannot send a capture here"),
                           ("at 1us host a spoof 1 to b", "cannot be told what to send here")):
            with self.subTest(line=line):
                self.fails(Lab(self, "--line", line).start(), text)


if __name__ == "__main__":
    unittest.main()
