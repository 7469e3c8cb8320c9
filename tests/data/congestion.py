# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Captures for questions about congestion: shares, buffers, detectors, pause. make_data.py writes them; README.md tells what each
holds. All data frames are the RoCEv2 WRITE of vector 01 with some fields changed, ICRC and checksums right. Frames have a number
in the queue pair (`flow`) and in the UDP source port, so that no two of a file are the same where that matters.

The sender is 02:00:00:00:0a:01, behind p1, the receiver 02:00:00:00:0b:01, behind p2. Entries are (ns, frame).
"""

import math
from fractions import Fraction

import cases
import traces
from fcnoracle import pause, trim, walker

US, MS = 1000, 10**6
SENDER, SECOND_SENDER, RECEIVER = "02:00:00:00:0a:01", "02:00:00:00:0a:02", "02:00:00:00:0b:01"
NEIGHBOUR = bytes.fromhex("020000000b01")    # who sends PFC frames to p2
NOT_ECT, ECT1, ECT0, CE = 0, 1, 2, 3


def data(w6, number, traffic_class=3, length=None, flow=1, ecn=ECT0, smac=SENDER, dmac=RECEIVER, src="2001:db8:1::10",
         dst="2001:db8:2::20"):
    """A frame of a class (DSCP / 8)."""
    return cases.variant(w6, src=src, dst=dst, smac=smac, dmac=dmac, sport=0xC000 | number & 0x3FFF, qp=flow,
                         traffic_class=traffic_class << 5 | ecn, length=length)


def back(w6, number, traffic_class=3, length=None):
    """A frame of the receiver to the sender."""
    return data(w6, number, traffic_class, length, 9, NOT_ECT, RECEIVER, SENDER, "2001:db8:2::20", "2001:db8:1::10")


def dice(seed, count, low, high):
    """Lengths that look like chance, the same on every machine."""
    out = []
    for _ in range(count):
        seed = (seed * 1103515245 + 12345) % 2**31
        out.append(low + (seed >> 8) % (high - low + 1))
    return out


# ---- shares, buffers ----

def shares(w6):
    """Classes 0, 1, 2 with lengths of 130 to 500 octets, behind one long frame of class 7: 48 KB, 64 KB, 82 KB. 10 ns apart, in turns
    by what they have left, so that all three are there from the first microseconds on."""
    out = [(0, data(w6, 0, 7, 1514))]
    lengths = {c: dice(c + 1, n, 130, 500) for c, n in ((0, 60), (1, 110), (2, 220))}
    order = sorted((cases.place(n, len(ls)), c, n) for c, ls in lengths.items() for n in range(len(ls)))
    for k, (_, c, n) in enumerate(order):
        out.append((10 + 10 * k, data(w6, 1 + k, c, lengths[c][n], flow=c << 12 | n)))
    return out


def pile(w6):
    """100 frames of 250 octets of class 1 and as many of class 2, in turns, 1 us apart; then 100 of class 3."""
    out = [(US * n, data(w6, n, 1 + n % 2, 250, flow=1 + n % 2)) for n in range(200)]
    return out + [(US * n, data(w6, n, 3, 250, flow=3)) for n in range(200, 300)]


def trimmed_before(w6):
    """What a switch before has sent: of four frames of 400 octets two are whole, one was cut to 128 octets and has DSCP 45, and one
    has kept its DSCP and 100 octets. Three flows, 48 frames, 1 us apart."""
    out = []
    for n in range(48):
        frame = data(w6, n, length=400, flow=n % 3)
        if n % 4 > 1:
            frame = trim.trimmed(walker.walk(frame), 128 if n % 4 == 2 else 100, 45 if n % 4 == 2 else None)
        out.append((US * n, frame))
    return out


# ---- detectors ----

def ramp(w6, count=600, gap=80 * US):
    """Frames of 158 octets, each 80 us: 10 Mbit/s carry one each 145.6 us."""
    return [(gap * n, data(w6, n)) for n in range(count)]


def staircase(w6):
    """55 frames of 1000 octets, 1 us apart; then 120 of 500 octets, as many as a line of 10 Mbit/s carries in twice the time
    (419.2 us each): the queue is filled fast and runs empty slowly."""
    out = [(US * n, data(w6, n, length=1000)) for n in range(55)]
    return out + [(100 * US + 838400 * n, data(w6, 55 + n, length=500)) for n in range(120)]


def edges(w6):
    """Occupancies at and around 10000 (enter) and 5000 (leave); a line of 1 Mbit/s, on which the frames' times are paper work.

    A frame of 1226 octets takes (1226 + 24) * 8 us = 10 ms. The first holds the line.
    """
    at = lambda ms, number, length: (int(ms * MS), data(w6, number, length=length))
    out = [at(0, 0, 1226)]
    # 9999 octets at 1 ms: not congested. One more octet would be: at 1.5 ms 200 more.
    out += [at(1 + n / 100, 1 + n, 1226) for n in range(8)]          # 9808
    out += [at(1.2, 9, 191), at(1.5, 10, 200)]                      # 9999, 10199
    # Taken at 10, 20, ... ms: 8973, 7747, 6521, 5295 (40 ms), 4069 (50 ms)
    out += [at(50.5, 11, 931), at(50.6, 12, 300)]                   # 5000: not below; 5300
    # 60 ms: 4074. 60.999999 ms: still below. With a hold of 1 ms it is over at 61 ms.
    out += [(60 * MS + 999999, data(w6, 13, length=130)), at(61, 14, 130), at(61.5, 15, 130)]
    # Again over the threshold, to the octet: 10000.
    out += [at(62 + n / 100, 16 + n, 1226) for n in range(4)]
    out += [at(63, 20, 632), at(64, 21, 130)]
    return out


def bursts(w6):
    """Three bursts of 40 frames of 500 octets, 1 us apart, at 0, 40 and 90 ms: of 1, 3 and 8 flows."""
    out = []
    for start, flows in ((0, 1), (40, 3), (90, 8)):
        out += [(start * MS + US * n, data(w6, len(out) + n, length=500, flow=0x10 * flows + n % flows)) for n in range(40)]
    return out


def talkers(w6):
    """One flow with nine of ten packets, and nine flows that share the tenth: 300 frames of 250 octets, 2 us apart. Class 3, every fourth
    packet class 4; flows of odd numbers are a second sender's, behind the same port."""
    out = []
    for n in range(300):
        flow = 0x100 if n % 10 else 0x101 + n // 10 % 9
        who = {"src": "2001:db8:1::11", "smac": SECOND_SENDER} if flow & 1 else {}
        out.append((2 * US * n, data(w6, n, 3 + (n % 4 == 3), 250, flow, **who)))
    return out


def ecn_mixture(w6, w4):
    """IPv6 and IPv4, all ECN fields, classes 2 to 5, 320 frames, 1 us apart."""
    out = []
    for n in range(320):
        ecn, c = n % 4, 2 + n // 4 % 4
        if n // 16 % 2:
            f = cases.variant(w4, smac=SENDER, dmac=RECEIVER, sport=0xC000 + n, traffic_class=c << 5 | ecn, qp=c)
        else:
            f = data(w6, n, c, flow=c, ecn=ecn)
        out.append((US * n, f))
    return out


# ---- pause ----

def pfc(quanta, source=NEIGHBOUR):
    return pause.pfc_frame(source, quanta)


def steady(w6, count=450):
    """Frames of 158 octets of classes 3, 4 and 7 by turns, each 10 us."""
    return [(10 * US * n, data(w6, n, (3, 4, 7)[n % 3], flow=n % 3)) for n in range(count)]


def pauses(vectors):
    """What a neighbour says on p2 meanwhile. Times at 10 Gbit/s: a quantum is 51.2 ns."""
    stop3, go3, both, stop, go = vectors
    return [
        (100 * US, stop3),                               # 3 until 3455.392 us
        (300 * US + 77, both),                           # 3 for 4096 quanta (209715.2 ns), the newest; 4 for 8192 (419430.4)
        (1000 * US, pfc({3: 1})),                        # 51.2 ns: 52
        (1200 * US, stop3), (1500 * US + 5, go3),        # resume
        (1600 * US, pfc({3: 2000})), (1650 * US, pfc({3: 2000})),    # again before the end
        (1700 * US, pfc({c: 1000 for c in range(8)})),   # all, the notices' class among them
        (1900 * US, bytearray_of(pfc({4: 5000}), 18 + 6, b"\xff\xff")),     # a time of class 3, which is not enabled
        (2600 * US, stop), (3000 * US + 3, go),          # 802.3x
        (3100 * US, pfc({5: 65535})),                    # a class that has nothing
        (3200 * US, pfc({3: 8000})[:34]),                # no padding
        (3900 * US, pfc({3: 8000})[:33]),                # cut short
        (4000 * US, pfc({3: 8000}).replace(b"\x01\x01\0\x08", b"\x01\x02\0\x08", 1)),   # another opcode
        (4100 * US, bytearray_of(pfc({3: 8000}), 0, bytes.fromhex("0180c2000002"))),   # another address
        (4200 * US, pfc({3: 100})),
    ]


def bytearray_of(frame, at, octets):
    f = bytearray(frame)
    f[at:at + len(octets)] = octets
    return bytes(f)


def storm(w6):
    """Frames of class 3 each 100 us, of class 4 in between, for 20 ms."""
    return [(50 * US * n, data(w6, n, 3 + n % 2, flow=n % 2)) for n in range(400)]


def storm_pauses():
    """A neighbour that repeats a pause of 400 us each 200 us from 2 to 9 ms, and once at 15 ms."""
    quanta = 400 * US * 10 // 512
    return [(2 * MS + 200 * US * n, pfc({3: quanta})) for n in range(36)] + [(15 * MS, pfc({3: quanta}))]


def full_of_seven(w6):
    """Class 7 at line rate of 1 Gbit/s and more: 200 frames of 250 octets, one each 1.5 us; the receiver's answers meanwhile."""
    return [(1500 * n, data(w6, n, 7, 250, flow=n % 8)) for n in range(200)]


def answers(w6, count, gap, length=1000, start=0, traffic_class=0):
    """What the receiver sends back by p2: keeps the line of p1 busy."""
    return [(start + gap * n, back(w6, n, traffic_class, length)) for n in range(count)]


# ---- headroom ----

HEADROOM = {"bps": 10**10, "delay": 3000, "length": 1000, "below": 20}


def headroom_times(bps, delay, length, below):
    """When the frame that crosses the threshold has arrived, when the pause frame has left, when the sender knows.

    `below` frames stand below the threshold. The switch is just sending a frame as long as the sender's.
    """
    line = lambda octets: Fraction((octets + 24) * 8 * 10**9, bps)
    crossing = math.ceil(line(length) * (below + 1))
    left = crossing - 1 + line(length) + line(60)            # the frame on the line began 1 ns before
    return crossing, left, left + delay


def headroom_sender(w6, bps, delay, length, below):
    """A sender at line rate behind a line of `delay` ns, who ends the frame he is in when the pause frame has reached him.

    Stamps are arrivals of last bits at the switch. Frame n begins at the sender at n * line - delay.
    """
    line = Fraction((length + 24) * 8 * 10**9, bps)
    _, _, knows = headroom_times(bps, delay, length, below)
    count = math.ceil((knows + delay) / line)
    return [(math.ceil(line * (n + 1)), data(w6, n, length=length)) for n in range(count)]


def headroom_answer(w6, bps, delay, length, below):
    """The frame that is on the line to the sender when the pause frame is made; and one that says where the receiver is."""
    crossing, _, _ = headroom_times(bps, delay, length, below)
    return [(0, back(w6, 0, 3, 158)), (crossing - 1, back(w6, 1, 3, length))]


def traffic(w6, w4, pause_vectors):
    """Name -> [(ns, frame)]."""
    return {
        "shares": shares(w6), "pile": pile(w6), "trimmed-before": trimmed_before(w6), "ramp": ramp(w6), "staircase": staircase(w6), "edges": edges(w6),
        "bursts": bursts(w6), "talkers": talkers(w6), "ecn-mixture": ecn_mixture(w6, w4), "steady": steady(w6),
        "pauses": pauses(pause_vectors), "storm": storm(w6), "storm-pauses": storm_pauses(), "class-7": full_of_seven(w6),
        "answers": answers(w6, 64, 1 * MS), "answers-7": answers(w6, 60, 10 * US, 500, traffic_class=7),
        "pauses-p1": [(US, pause_vectors[3]), (2 * US, pfc({c: 200 for c in range(8)}))],
        "steady-routed": [(t, cases.to_router([f])[0]) for t, f in steady(w6)], "headroom": headroom_sender(w6, **HEADROOM),
        "headroom-answer": headroom_answer(w6, **HEADROOM),
        "ioam-bits": traces.bits(w6), "ioam-bits-routed": [(t, cases.to_router([f])[0]) for t, f in traces.bits(w6)],
        "ioam-odd": traces.odd(w6), "ioam-ramp": traces.ramp(w6),
    }
