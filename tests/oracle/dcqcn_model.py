#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A model of DCQCN's reaction point that runs each tick of each timer; prints its sequences as C for the unit test.

Definitions:
- Rates are whole bits per second, times whole nanoseconds.
- The first CNP sets alpha and starts three timers of fixed phase: alpha's, the cut's, the increase's. At one instant
  they run in this order; a CNP or bytes sent at that instant come after them.
- alpha is a ten bit number with 20 more bits below, rounded down after each multiplication: alpha * G / 1024, and
  (1024 - G) added when a CNP came since the tick before; never above 1023.
- With alpha_on_arrival the timer only lowers alpha: a CNP raises it when it arrives, after its cut, and restarts the timer.
- With cut_on_arrival, or with a period of 0, a CNP cuts when it arrives, or else one period after the last cut.
- A cut takes the ten bits: R * alpha / 2^GD, rounded down; at most (100 - MIN_DEC_FAC) percent of R, rounded down. It restarts the
  timer of increases, stages and the byte counter.
- The target follows R before a cut with CLAMP_TGT_RATE, or when the byte counter has increased since the last cut, or with
  CLAMP_TGT_RATE_AFTER_TIME_INC when the timer has.
- Hyper increase needs both stages above the threshold, additive increase one at it; a counter that is 0 has no stages and is
  not asked.
- With alpha_before_cut a CNP raises alpha before its cut. With target_cut an increase that makes one of the stages 1 divides a target
  of more than ten times R by 8, instead of adding to it.
- An increase looks at the stages as they were before it. R becomes the mean of R and target, rounded up.
"""

import argparse
import random

US = 1000
MS = 1000 * US
MBPS = 10**6
GBPS = 10**9
FINE = 1 << 20


def connectx(line):
    """ConnectX defaults; increases of 5 and 50 Mb/s at 25 Gb/s."""
    return {
        "initial_alpha": 1023, "tcp_g": 1019, "tcp_rtt_ns": 1 * US, "gd": 11, "monitor_ns": 4 * US, "min_dec_fac": 50,
        "time_reset_ns": 300 * US, "byte_reset": 2097088, "threshold": 1, "ai_bps": 5 * MBPS * line // (25 * GBPS),
        "hai_bps": 50 * MBPS * line // (25 * GBPS), "min_rate_bps": 1 * MBPS, "clamp": 0, "clamp_after_time": 1,
        "first_rate_bps": 0, "cut_on_arrival": 0, "alpha_on_arrival": 0,
    }


def paper(line):
    """Of SIGCOMM 2015; increases of 40 and 200 Mb/s at 40 Gb/s."""
    return {
        "initial_alpha": 1023, "tcp_g": 1020, "tcp_rtt_ns": 55 * US, "gd": 11, "monitor_ns": 50 * US, "min_dec_fac": 0,
        "time_reset_ns": 55 * US, "byte_reset": 10000000, "threshold": 5, "ai_bps": 40 * MBPS * line // (40 * GBPS),
        "hai_bps": 200 * MBPS * line // (40 * GBPS), "min_rate_bps": 100 * MBPS, "clamp": 1, "clamp_after_time": 0,
        "first_rate_bps": 0, "cut_on_arrival": 1, "alpha_on_arrival": 1,
    }


def fast_recovery(line):
    """ConnectX with the two parameters of the paper that make recovery fast."""
    return dict(connectx(line), time_reset_ns=55 * US, threshold=5)


class Sender:
    def __init__(self, conf, line):
        self.conf = conf
        self.line = self.rate = self.target = line
        self.first = True
        self.alpha = 0  # in 1/FINE of ten bits
        self.a_seen = self.d_seen = False
        self.tstage = self.bstage = self.bytes = 0
        self.due = {}
        self.at_once = conf["cut_on_arrival"] or conf["monitor_ns"] == 0
        self.last_cut = None
        self.changes = []  # (time, rate)

    def set_rate(self, rate, now):
        if rate != self.rate:
            self.rate = rate
            if self.changes and self.changes[-1][0] == now:  # several bytes' increases at once
                self.changes.pop()
            self.changes.append((now, rate))

    def cnp(self, now):
        c = self.conf
        self.a_seen = self.d_seen = True
        if self.first:
            self.first = False
            self.alpha = c["initial_alpha"] * FINE
            self.a_seen = False
            if c["first_rate_bps"]:
                self.set_rate(c["first_rate_bps"], now)
                self.target = c["first_rate_bps"]
                self.d_seen = False
            self.due = {"alpha": now + c["tcp_rtt_ns"]}
            if c["time_reset_ns"]:
                self.due["increase"] = now + c["time_reset_ns"]
            if not self.at_once:
                self.due["cut"] = now + c["monitor_ns"]
            elif c["first_rate_bps"]:
                self.last_cut = now
        if c["alpha_on_arrival"] and c.get("alpha_before_cut"):
            self.a_seen = True
            self.tick_alpha(now)
        if self.at_once and self.d_seen:
            if self.last_cut is None or now - self.last_cut >= c["monitor_ns"]:
                self.cut(now)
            else:
                self.due["cut"] = self.last_cut + c["monitor_ns"]
        if c["alpha_on_arrival"] and not c.get("alpha_before_cut"):
            self.a_seen = True
            self.tick_alpha(now)

    def sent(self, size, now):
        if self.first or not self.conf["byte_reset"]:
            return
        self.bytes += size
        while self.bytes >= self.conf["byte_reset"]:
            self.increase(now, self.tstage, self.bstage + 1)
            self.bytes -= self.conf["byte_reset"]
            self.bstage += 1

    def increase(self, now, tstage, bstage):
        """tstage, bstage: the stages after it."""
        c = self.conf
        stages = [s for s, counter in ((self.tstage, "time_reset_ns"), (self.bstage, "byte_reset")) if c[counter]]
        if c.get("target_cut") and 1 in (tstage, bstage) and self.target // 10 > self.rate:
            self.target //= 8
        elif min(stages) > c["threshold"]:
            self.target += c["hai_bps"]
        elif max(stages) >= c["threshold"]:
            self.target += c["ai_bps"]
        self.target = min(self.target, self.line)
        self.set_rate(-(-(self.rate + self.target) // 2), now)

    def tick_alpha(self, now):
        c = self.conf
        self.alpha = self.alpha * c["tcp_g"] // 1024
        if self.a_seen:
            self.alpha += (1024 - c["tcp_g"]) * FINE
        self.alpha = min(self.alpha, 1023 * FINE)
        self.a_seen = False
        self.due["alpha"] = now + c["tcp_rtt_ns"]

    def tick_cut(self, now):
        if self.at_once:
            del self.due["cut"]
        else:
            self.due["cut"] = now + self.conf["monitor_ns"]
        if self.d_seen:
            self.cut(now)

    def cut(self, now):
        c = self.conf
        self.last_cut = now
        if c["clamp"] or self.bstage > 0 or (c["clamp_after_time"] and self.tstage > 0):
            self.target = self.rate
        by = min((self.rate * (self.alpha // FINE)) // 2 ** c["gd"], self.rate * (100 - c["min_dec_fac"]) // 100)
        self.set_rate(max(self.rate - by, c["min_rate_bps"]), now)
        self.d_seen = False
        self.tstage = self.bstage = self.bytes = 0
        if c["time_reset_ns"]:
            self.due["increase"] = now + c["time_reset_ns"]

    def tick_increase(self, now):
        self.increase(now, self.tstage + 1, self.bstage)
        self.tstage += 1
        self.due["increase"] = now + self.conf["time_reset_ns"]

    def run(self, now):
        """All ticks up to and including now."""
        while self.due:
            at = min(self.due.values())
            if at > now:
                break
            for name in ("alpha", "cut", "increase"):
                if self.due.get(name) == at:
                    getattr(self, "tick_" + name)(at)

    def state(self):
        return (self.rate, self.target, self.alpha // FINE, self.alpha % FINE, self.tstage, self.bstage)


def simulate(conf, line, script):
    """script: (time, "cnp" | "sent" | "look", bytes). Returns the sender and its state after each line."""
    sender, states = Sender(conf, line), []
    for now, what, size in script:
        sender.run(now)
        if what == "cnp":
            sender.cnp(now)
        elif what == "sent":
            sender.sent(size, now)
        states.append(sender.state())
    return sender, states


def cnps(*times):
    return [(t, "cnp", 0) for t in times]


def looks(*times):
    return [(t, "look", 0) for t in times]


def sends(first, last, step, size):
    return [(t, "sent", size) for t in range(first, last, step)]


def chance(seed, until, gap, byte_gap, size):
    """CNPs and bytes at random times, in bursts with quiet between them."""
    rnd, now, script = random.Random(seed), 0, []
    while now < until:
        for _ in range(rnd.randrange(1, 40)):
            now += rnd.randrange(1, gap)
            script.append((now, "cnp", 0))
        quiet = now + rnd.randrange(1, 3 * MS)
        while now < quiet:
            now += rnd.randrange(1, byte_gap)
            script.append((now, "sent", rnd.randrange(1, size)))
    return script


def cases():
    """(name, configuration, line, script)"""
    c100, c25, p40 = connectx(100 * GBPS), connectx(25 * GBPS), paper(40 * GBPS)
    quiet = looks(*range(0, 6 * MS, 50 * US))

    def mix(*scripts):
        return sorted((s for script in scripts for s in script), key=lambda s: s[0])

    yield "first_cut", c100, 100 * GBPS, mix(cnps(1000), looks(4999, 5000, 6000))
    yield "one_cut_a_period", c100, 100 * GBPS, mix(cnps(*range(0, 20 * US, 100)), looks(30 * US))
    yield "cnps_at_ticks", c100, 100 * GBPS, mix(cnps(*range(0, 40 * US, 4 * US)), cnps(304 * US, 308 * US), quiet)
    yield "half_life", c100, 100 * GBPS, mix(cnps(0), looks(141 * US, 142 * US, 143 * US, 284 * US), cnps(290 * US), quiet)
    yield "jump", c100, 100 * GBPS, mix(cnps(*range(0, 17 * US, 4 * US)), quiet)
    yield "first_rate", dict(c100, first_rate_bps=85 * GBPS), 100 * GBPS, mix(cnps(0, 50 * US), quiet)
    yield "hyper", c25, 25 * GBPS, mix(cnps(*range(0, 60 * US, 4 * US)), sends(0, 40 * MS, 200 * US, 500000))
    yield "bytes", dict(c25, time_reset_ns=10**10), 25 * GBPS, mix(
        cnps(*range(0, 60 * US, 4 * US)), sends(0, 20 * MS, 1 * MS, 7000000), cnps(11 * MS))
    for clamp in (0, 1):
        for after in (0, 1):
            yield "clamp_%d_%d" % (clamp, after), dict(c25, clamp=clamp, clamp_after_time=after), 25 * GBPS, mix(
                cnps(0, 10 * US, 700 * US, 1500 * US, 1510 * US), sends(1510 * US, 4 * MS, 100 * US, 300000),
                cnps(3 * MS), quiet)
    yield "least_rate", connectx(10 * GBPS), 10 * GBPS, mix(cnps(*range(0, 300 * US, 1 * US)), quiet)
    yield "least_share", dict(c100, min_dec_fac=80), 100 * GBPS, mix(cnps(*range(0, 50 * US, 3 * US)), quiet)
    yield "deep", dict(c100, gd=10, min_dec_fac=1), 100 * GBPS, mix(cnps(*range(0, 50 * US, 3 * US)), quiet)
    yield "paper", p40, 40 * GBPS, mix(cnps(*range(0, 400 * US, 50 * US)), sends(0, 20 * MS, 100 * US, 400000))
    yield "paper_quiet", p40, 40 * GBPS, mix(cnps(7), quiet)
    yield "long_idle", c100, 100 * GBPS, mix(cnps(0), looks(50 * MS), cnps(50 * MS + 1), looks(60 * MS))
    fast, arrival = fast_recovery(100 * GBPS), dict(c25, cut_on_arrival=1)
    yield "fast_recovery", fast, 100 * GBPS, mix(cnps(*range(0, 60 * US, 4 * US)), sends(0, 4 * MS, 20 * US, 200000))
    yield "arrival", arrival, 25 * GBPS, mix(cnps(1000, 2000, 5000, 5001, 20 * US, 23 * US, 24 * US - 1, 2 * MS), quiet)
    yield "arrival_ticks", arrival, 25 * GBPS, mix(cnps(*range(0, 40 * US, 4 * US)), cnps(304 * US, 308 * US), quiet)
    yield "arrival_first_rate", dict(arrival, first_rate_bps=20 * GBPS), 25 * GBPS, mix(
        cnps(0, 1000, 5000, 50 * US), quiet)
    yield "each_cuts", dict(c25, monitor_ns=0), 25 * GBPS, mix(cnps(7, 8, 9, 900, 40 * US), quiet)
    yield "each_cuts_arrival", dict(arrival, monitor_ns=0), 25 * GBPS, mix(cnps(7, 8, 9, 900, 40 * US), quiet)
    yield "alpha_arrival", dict(c25, alpha_on_arrival=1), 25 * GBPS, mix(
        cnps(0, 300, 1300, *range(10 * US, 500 * US, 7700)), quiet)
    yield "no_bytes", dict(c25, byte_reset=0), 25 * GBPS, mix(
        cnps(*range(0, 60 * US, 4 * US)), cnps(400 * US), sends(0, 20 * MS, 200 * US, 500000))
    yield "no_time", dict(c25, time_reset_ns=0), 25 * GBPS, mix(
        cnps(*range(0, 60 * US, 4 * US)), cnps(3 * MS), sends(0, 20 * MS, 200 * US, 500000))
    for seed in range(4):
        yield "chance_%d" % seed, c25, 25 * GBPS, chance(seed, 30 * MS, 9 * US, 40 * US, 120000)
    yield "chance_paper", p40, 40 * GBPS, chance(9, 30 * MS, 90 * US, 40 * US, 150000)
    yield "chance_arrival", dict(fast_recovery(25 * GBPS), cut_on_arrival=1, clamp=1), 25 * GBPS, chance(
        11, 30 * MS, 9 * US, 40 * US, 120000)
    far = dict(c100, target_cut=1)
    yield "target_cut", far, 100 * GBPS, mix(cnps(*range(0, 100 * US, 4 * US)), quiet)
    yield "target_cut_bytes", dict(far, time_reset_ns=10**9), 100 * GBPS, mix(
        cnps(*range(0, 100 * US, 4 * US)), sends(100 * US, 4 * MS, 100 * US, 900000))
    yield "chance_target_cut", dict(p40, target_cut=1, alpha_before_cut=1, byte_reset=200000, clamp=0), 40 * GBPS, chance(
        12, 30 * MS, 90 * US, 40 * US, 150000)
    yield "alpha_before_cut", dict(p40, alpha_before_cut=1, initial_alpha=512), 40 * GBPS, mix(
        cnps(7, 60 * US, 400 * US), quiet)
    yield "chance_odd", dict(c25, tcp_rtt_ns=1300, monitor_ns=3700, time_reset_ns=51234, byte_reset=99991, threshold=3,
                             tcp_g=900), 25 * GBPS, chance(10, 30 * MS, 9 * US, 40 * US, 60000)


def c_conf(conf):
    return "{" + ", ".join(".%s = %d" % item for item in conf.items()) + "}"


def print_c():
    print("/* Made by dcqcn_model.py. */")
    table = []
    for name, conf, line, script in cases():
        sender, states = simulate(conf, line, script)
        print("static const struct line lines_%s[] = {" % name)
        for (now, what, size), state in zip(script, states):
            print("{%d, %s, %d, %s}," % (now, what.upper(), size, ", ".join(map(str, state))))
        print("};\nstatic const struct change changes_%s[] = {" % name)
        for change in sender.changes:
            print("{%d, %d}," % change)
        print("};")
        table.append('{"%s", %d, %s, lines_%s, %d, changes_%s, %d},' % (
            name, line, c_conf(conf), name, len(script), name, len(sender.changes)))
    print("static const struct scene scenes[] = {", *table, "};", sep="\n")
    print("static const struct preset presets[] = {")
    for line in (10 * GBPS, 25 * GBPS, 40 * GBPS, 100 * GBPS, 400 * GBPS):
        for name, preset in (("connectx", connectx), ("paper", paper), ("fast-recovery", fast_recovery)):
            print('{"%s", %d, %s},' % (name, line, c_conf(preset(line))))
    print("};")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--case", help="print the rates of this one only, time and bit/s")
    args = parser.parse_args()
    if args.case is None:
        print_c()
        return
    for name, conf, line, script in cases():
        if name == args.case:
            for change in simulate(conf, line, script)[0].changes:
                print(*change)


if __name__ == "__main__":
    main()
