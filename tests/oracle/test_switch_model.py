#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The switch model against arithmetic on paper."""

import os
import sys
import tempfile
import unittest
from fractions import Fraction

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data")
sys.path[:0] = [HERE, DATA]

import congestion  # noqa: E402
from fcnoracle import capture, config, pause  # noqa: E402
from fcnoracle.detector import Rate, Red, Sojourn  # noqa: E402
from fcnoracle.egress import Scheduler, Shaper  # noqa: E402
from fcnoracle.memory import Ingress, Memory  # noqa: E402
from fcnoracle.switch import Switch  # noqa: E402

W6 = capture.load(os.path.join(DATA, "vectors", "01_roce6_write.pcap")).records[0].data
PFC = [r.data for r in capture.load(os.path.join(DATA, "vectors", "12_pfc.pcap")).records]
BRIDGE = """
port add p1
port add p2
set port p1 mac 02:00:00:00:01:01
set port p2 mac 02:00:00:00:01:02
bridge add br0
bridge br0 port add p1
bridge br0 port add p2
set port p2 link 1G
set loopback 2001:db8:f::5
"""


def switch(text):
    with tempfile.NamedTemporaryFile("w", suffix=".conf") as f:
        f.write(BRIDGE + text)
        f.flush()
        settings = config.read(f.name)
    assert not settings.other, settings.other
    return Switch(settings)


def run(text, arrivals):
    """Frames of 976 octets take 8 us on the line of p2."""
    model = switch(text)
    model.run(sorted(arrivals, key=lambda a: a[0]))
    return model


def data(time, number, c=3, length=976):
    return (time, "p1", congestion.data(W6, number, c, length))


class Frames(unittest.TestCase):
    def test_vectors(self):
        source = bytes.fromhex("020000000101")
        self.assertEqual(pause.pfc_frame(source, {3: 65535}), PFC[0])
        self.assertEqual(pause.pfc_frame(source, {3: 0}), PFC[1])
        self.assertEqual(pause.pfc_frame(source, {3: 4096, 4: 8192}), PFC[2])
        self.assertEqual(pause.pause_frame(source, 65535), PFC[3])
        self.assertEqual(pause.pause_frame(source, 0), PFC[4])
        self.assertEqual(pause.read(PFC[2]), (pause.PFC, {3: 4096, 4: 8192}))
        self.assertEqual(pause.read(PFC[3])[1], {c: 65535 for c in range(8)})

    def test_times(self):
        self.assertEqual([pause.quanta_ns(q, 10**10) for q in (1, 5, 65535)], [52, 256, 3355392])


PNODE = """
port add p1
port add p2
set port p1 mac 02:00:00:00:01:01
set port p2 link 1G
set loopback 2001:db8:f::2
address add p1 2001:db8:11::1/64
address add p2 2001:db8:12::1/64
neighbour add p1 2001:db8:11::2 02:00:00:00:0a:01
neighbour add p2 2001:db8:12::2 02:00:00:00:02:01
route add 2001:db8:e1::/48 via 2001:db8:11::2 port p1
route add 2001:db8:e0::/44 via 2001:db8:12::2 port p2
srv6 endcon add 2001:db8:e1:1::c/128
set queue p2 class 3 detector step 1
set queue p2 class 3 ecn on
set queue p2 class 3 notify on
set notify endcon on
sender default capable
"""


class EndCon(unittest.TestCase):
    """A notice of a P node is vector 11, from its IPv6 header on, in whichever form the tunnel of vectors 06 to 08 is."""

    @staticmethod
    def settings(text):
        with tempfile.NamedTemporaryFile("w", suffix=".conf") as f:
            f.write(text)
            f.flush()
            return config.read(f.name)

    def run_one(self, frame, text=PNODE):
        model = Switch(self.settings(text))
        model.run([(0, "p1", frame)])
        return model

    def test_vectors(self):
        load = lambda name: capture.load(os.path.join(DATA, "vectors", name)).records[0].data
        want = load("11_fastcnp_srv6_endcon.pcap")
        for name in ("06_srv6_encaps_srh.pcap", "07_srv6_encaps_nosrh.pcap", "08_srv6_encaps_red.pcap"):
            frame = load(name)
            model = self.run_one(frame)
            self.assertEqual([s.item.frame[14:] for s in model.ports["p1"].sent], [want[14:]])
            self.assertEqual([s.item.frame[15] for s in model.ports["p2"].sent], [frame[15]])
            self.assertEqual(dict(model.verdicts), {("p2", 3, "endcon", "sent_option1"): 1})
            unknown = self.run_one(frame, PNODE.replace("e1:1::c/128", "e1:1::d/128"))
            self.assertEqual(unknown.ports["p1"].sent, [])
            self.assertEqual([s.item.frame[15] for s in unknown.ports["p2"].sent], [frame[15] | 0x30])
            self.assertEqual(dict(unknown.verdicts), {("p2", 3, "endcon", "no_endcon"): 1})

    def test_route(self):
        """The longest prefix; a connected network before a route to the same prefix."""
        settings = self.settings(PNODE + "route add 2001:db8:12::/64 via 2001:db8:11::2 port p1\n")
        hop = lambda text: settings.next_hop(text)[0]
        self.assertEqual([hop(a) for a in ("2001:db8:e1::1", "2001:db8:e2::1", "2001:db8:12::9")], ["p1", "p2", "p2"])
        self.assertIsNone(settings.next_hop("2001:db8:99::1"))


class Pause(unittest.TestCase):
    def test_stops(self):
        """Two quanta at 1 Gbit/s: 1024 ns from the arrival at 9000, while frame 2 is on the line until 16000."""
        model = run("set pfc p2 class 3 receive on", [data(0, 1), data(1, 2), data(2, 3), (15500, "p2", pause.pfc_frame(b"123456", {3: 2}))])
        self.assertEqual([s.time for s in model.ports["p2"].sent], [8000, 16000, 16524 + 8000])

    def test_others_go_on(self):
        stop = (1, "p2", pause.pfc_frame(b"123456", {3: 1000}))
        model = run("set pfc p2 class 3 receive on", [data(0, 1), stop, data(2, 2), data(3, 3, 4)])
        self.assertEqual([s.time for s in model.ports["p2"].sent], [8000, 16000, 512001 + 8000])

    def test_off(self):
        model = run("", [data(0, 1), (1, "p2", PFC[0]), data(2, 2)])
        self.assertEqual([s.time for s in model.ports["p2"].sent], [8000, 16000])
        self.assertEqual((model.consumed, model.ports["p2"].taken.counts), (1, {("ignored", 3): 1}))

    def test_sends(self):
        """XOFF at 2000: the third frame crosses it at 2 us and stands in the headroom. Half the pause of 100 quanta at 10
        Gbit/s: 2560 ns. Frame 3 is taken at 16 us: XON, from 1000 on."""
        model = run("set pfc p1 class 3 send on\nset pfc p1 class 3 xoff 1953 xon 1000\nset pfc p1 class 3 headroom 976\n"
                    "set pfc p1 quanta 100", [data(0, 0), data(1, 1), data(2, 2), data(3, 3), data(4, 4)])
        sent = model.ports["p1"].given.sent
        self.assertEqual(sent[0], (3, {3: 100}))
        self.assertEqual(sent[1], (3 + 2560, {3: 100}))
        self.assertEqual(sent[-1], (16000, {3: 0}))
        self.assertEqual(len(sent), 1 + 6 + 1)
        self.assertEqual(dict(model.ports["p1"].drops), {"lossless_headroom": 1})

    def test_storm(self):
        """Stopped from 1 us on, 100 us at a time; at 51 us it is believed no more; at 201 + 300 us it is again."""
        for action, times in (("drop", [8000, 608000]), ("forward", [8000, 59000, 67000, 608000])):
            model = run("set pfc p2 class 3 receive on\nset pfc p2 watchdog %s detect 50us restore 300us" % action,
                        [data(0, 0), (1000, "p2", pause.pfc_frame(b"123456", {3: 195})), data(1001, 1)] +
                        [(t * 1000, "p2", pause.pfc_frame(b"123456", {3: 195})) for t in (90, 180)] +
                        [data(52000, 2), data(600000, 3)])
            self.assertEqual([s.time for s in model.ports["p2"].sent], times)
            self.assertEqual([e[0] for e in model.events], [51000, 480000])
            self.assertEqual(model.ports["p2"].taken.counts, {("xoff", 3): 3, ("ignored_storm", 3): 2})


class Buffer(unittest.TestCase):
    def test_threshold(self):
        m, n = Memory(12000, 0, 0), 0
        while m.admits(0, Fraction(1), 250 * n, 250):
            m.move(0, 250 * n, 250 * (n + 1))
            n += 1
        self.assertEqual((n, m.used), (24, 6000))

    def test_reserve(self):
        m = Memory(3000, 1000, 0)
        self.assertTrue(m.admits(1000, Fraction(0), 750, 250))
        self.assertFalse(m.admits(1000, Fraction(0), 751, 250))
        self.assertTrue(m.admits(1000, Fraction(1), 1000, 2000))
        self.assertFalse(m.admits(1000, Fraction(2), 1000, 2001))

    def test_headroom(self):
        m, i = Memory(0, 0, 0), Ingress(headroom=500, xoff=1000, xon=400)
        self.assertEqual([m.charge(i, 250) for _ in range(7)], [True] * 6 + [False])
        self.assertEqual((i.used, i.inside, i.lost, i.stop), (1500, 500, 1, True))
        states = []
        for _ in range(5):
            m.release(i, 250)
            states.append((i.inside, i.used, i.stop))
        self.assertEqual(states, [(250, 1250, True), (0, 1000, True), (0, 750, True), (0, 500, True), (0, 250, False)])


class Detectors(unittest.TestCase):
    def test_red(self):
        red = Red(1000, 3000, Fraction(1, 2), 500)
        self.assertEqual([red.probability(q) for q in (999, 1000, 2000, 2999, 3000)],
                         [0, 0, Fraction(1, 4), Fraction(1, 2) * Fraction(1999, 2000), 1])

    def test_sojourn(self):
        d = Sojourn(100, 50, 30)
        say = lambda head, now: d.arrival(head, Fraction(now)) is not None
        self.assertEqual([say(0, 99), say(0, 100), say(20, 149), say(50, 150)], [False, False, False, True])
        self.assertEqual(d.departure(125, Fraction(155)), None)     # the next has waited 30
        self.assertEqual(d.departure(126, Fraction(155)), 155)

    def test_sojourn_hold(self):
        """Below 30 for 20: a head that is 15 old and waits on is not, one that is 9 old is."""
        for head, end in ((140, None), (146, 175)):
            d = Sojourn(100, 0, 30, hold=20)
            d.arrival(0, Fraction(100))
            self.assertEqual(d.departure(head, Fraction(155)), None)
            self.assertEqual(d.elapse(head, Fraction(180)), end)

    def test_rate(self):
        """125 octets fill a window of 1 us at 1 Gbit/s; 250 in each: averages are 2 * (1 - (7/8)^k): 1.11 after six."""
        d, entered = Rate(Fraction(1), 1000, 10**9, Fraction(1, 2)), None
        for n in range(20):
            if d.arrival(125, Fraction(500 * n)) is not None and entered is None:
                entered = 500 * n
        self.assertEqual(entered, 6000)
        # After ten windows 1.47, times 7/8 each: below 1/2 after nine more.
        self.assertEqual(d.elapse(Fraction(100000)), 19000)


class Order(unittest.TestCase):
    class Length:
        def __init__(self, length):
            self.length = length

    def test_burst(self):
        s, out = Shaper(10**9, burst=2000, overhead=24), []
        for _ in range(4):
            out.append(s.ready())
            s.charge(976, max(0, s.ready()))
        self.assertEqual(out, [-16000, -8000, 0, 8000])

    def test_order(self):
        s = Scheduler((7,), urgent=6, committed={0: Shaper(10**9)}, peak={7: Shaper(10**9)})
        queues = [[self.Length(976)] * 9 if c in (0, 1, 6, 7) else [] for c in range(8)]
        self.assertEqual(s.pick(queues, (), 0), 6)
        self.assertEqual([s.pick(queues, {6}, 0) for _ in range(3)], [0, 7, 0])
        self.assertEqual([s.pick(queues, {6, 0}, t) for t in (7999, 8000, 8001)], [1, 7, 1])


if __name__ == "__main__":
    unittest.main()
