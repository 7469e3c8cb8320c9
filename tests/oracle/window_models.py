#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Models of senders that go by acknowledgements, Swift and NSCC; prints their sequences as C for the unit test.

Swift is written from section 3 and Algorithm 1 of its paper (SIGCOMM 2020), in packets: TargetDelay() with alpha and beta of the
scaling by flows, additive increase for each packet, decreases at most once in a round trip, pacing below one packet. NSCC is written
from section 3.6.13 of the Ultra Ethernet specification 1.0, in bytes, with its names: scaling_a, scaling_b, alpha, fi, eta, inc_bytes,
achieved_bytes, QuickAdapt. What they leave open is as doc/decisions.md says:
- Swift begins with what the line carries in the base target, and has at most what it carries in base target and range. The time of
  the last decrease is set only when the window became smaller. Five timeouts in a row set the least window.
- NSCC's average delay forgets by time: a sample weighs like the time since the one before, in base round trips, at most 1. A gap that
  the receiver reports takes a packet out of the window and triggers QuickAdapt; a timeout does so with all bytes in flight.
"""

import math
import random

US = 1000
GBPS = 10**9


class Swift:
    defaults = {"target": 20 * US, "per-hop": 3053, "range": 100 * US, "swift-fs-min": 100, "swift-fs-max": 100000, "ai": 1000, "beta": 800,
                "max-mdf": 500, "min-window": 10, "max-window": 0}

    def __init__(self, conf, line, mtu):
        self.line, self.mtu = line, mtu
        self.base, self.h, self.fs_range = conf["target"], conf["per-hop"], conf["range"]
        fs_min, fs_max = conf["swift-fs-min"] / 1000, conf["swift-fs-max"] / 1000
        self.ai, self.beta, self.max_mdf = conf["ai"] / 1000, conf["beta"] / 1000, conf["max-mdf"] / 1000
        self.min_cwnd = conf["min-window"] / 1000
        self.max_cwnd = conf["max-window"] or line * (self.base + self.fs_range) / 8e9 / mtu
        self.max_cwnd = max(self.max_cwnd, 1.0)
        self.fs_alpha = self.fs_beta = None
        if fs_min < fs_max:
            self.fs_alpha = self.fs_range / (1 / math.sqrt(fs_min) - 1 / math.sqrt(fs_max))
            self.fs_beta = -self.fs_alpha / math.sqrt(fs_max)
        self.rtt = self.base
        self.t_last_decrease = None
        self.retransmit_cnt = 0
        self.cwnd = line * self.base / 8e9 / mtu
        self.clamp()

    def clamp(self):
        self.cwnd = max(self.min_cwnd, min(self.cwnd, self.max_cwnd))

    def target_delay(self, hops):
        fs = 0
        if self.fs_alpha is not None:
            fs = max(0, min(self.fs_alpha / math.sqrt(self.cwnd) + self.fs_beta, self.fs_range))
        return self.base + hops * self.h + fs

    def decrease(self, factor, now):
        prev = self.cwnd
        self.cwnd *= factor
        self.clamp()
        if self.cwnd < prev:
            self.t_last_decrease = now

    def can_decrease(self, now):
        return self.t_last_decrease is None or now - self.t_last_decrease >= self.rtt

    def ack(self, now, rtt, packets, _bytes, _in_flight, hops, _marked):
        if rtt is None:
            return
        self.rtt, self.retransmit_cnt = rtt, 0
        target = self.target_delay(hops)
        if rtt < target:
            if self.cwnd >= 1:
                self.cwnd += self.ai / self.cwnd * packets
            else:
                self.cwnd += self.ai * packets
            self.clamp()
        elif self.can_decrease(now):
            self.decrease(max(1 - self.beta * ((rtt - target) / rtt), 1 - self.max_mdf), now)

    def loss(self, now, timeout, _bytes):
        self.retransmit_cnt = self.retransmit_cnt + 1 if timeout else 0
        if self.retransmit_cnt >= 5:
            self.decrease(0, now)
        elif self.can_decrease(now):
            self.decrease(1 - self.max_mdf, now)

    def rate(self):
        if self.cwnd >= 1:
            return self.line
        pacing_delay = self.rtt / self.cwnd
        return max(1, min(self.line, self.mtu * 8e9 / pacing_delay))

    def window(self):
        return max(self.cwnd, 1) * self.mtu


class Nscc:
    defaults = {"base-rtt": 8 * US, "target": 0, "max-window": 1500, "gamma": 800, "nscc-max-md-jump": 500, "fi": 5000, "nscc-fi-scale": 250,
                "eta": 150, "alpha": 4000, "nscc-qa-gate": 3, "qa-threshold": 4000}

    def __init__(self, conf, line, mtu):
        self.line, self.mtu = line, mtu
        self.config_base_rtt = self.base_rtt = conf["base-rtt"]
        self.target_qdelay = conf["target"] or 0.75 * self.config_base_rtt
        scaling_a = line * self.config_base_rtt / 8e9 / (100 * GBPS / 8 * 12e-6)
        scaling_b = self.target_qdelay / (12 * US)
        self.alpha = conf["alpha"] / 1000 * scaling_a * scaling_b * mtu / self.target_qdelay
        self.fi = conf["fi"] / 1000 * mtu * scaling_a
        self.fi_scale = conf["nscc-fi-scale"] / 1000 * scaling_a
        self.eta = conf["eta"] / 1000 * mtu * scaling_a
        self.gamma, self.max_md_jump = conf["gamma"] / 1000, conf["nscc-max-md-jump"] / 1000
        self.qa_threshold = conf["qa-threshold"] / 1000 * self.target_qdelay or math.inf
        self.qa_gate, self.bdps = conf["nscc-qa-gate"], conf["max-window"] / 1000
        self.adjust_bytes_threshold, self.adjust_period_threshold = 8 * mtu, self.config_base_rtt
        self.achieved_bytes = self.received_bytes = self.inc_bytes = self.fi_count = 0
        self.bytes_ignored = self.bytes_to_ignore = 0
        self.last_dec_time = self.last_adjust_time = self.last_sample = 0
        self.avg_delay = 0
        self.qa_endtime = None
        self.trigger_qa = self.increase = False
        self.cwnd = self.maxwnd()

    def maxwnd(self):
        return max(self.bdps * self.line * self.base_rtt / 8e9, self.mtu)

    def bound(self):
        self.cwnd = max(self.mtu, min(self.cwnd, self.maxwnd()))

    def quick_adapt(self, now, marked, delay, in_flight):
        done = False
        if marked and self.bytes_ignored < self.bytes_to_ignore:
            done = True
        elif self.qa_endtime is None or now >= self.qa_endtime:
            little = self.achieved_bytes < self.maxwnd() / 2**self.qa_gate
            if self.qa_endtime is not None and little and (self.trigger_qa or delay > self.qa_threshold):
                self.cwnd = self.achieved_bytes
                self.bound()
                self.bytes_to_ignore, self.bytes_ignored = in_flight, 0
                self.trigger_qa = False
                done = True
            self.achieved_bytes = 0
            self.qa_endtime = now + int(self.base_rtt + self.target_qdelay)
        if done:
            self.inc_bytes = self.received_bytes = 0
        return done

    def ack(self, now, rtt, _packets, newly, in_flight, _hops, marked):
        self.bytes_ignored += newly
        self.received_bytes += newly
        self.achieved_bytes += newly
        if rtt is None:
            return
        if rtt < self.base_rtt:
            self.base_rtt = max(rtt, 1)
            self.bound()
        delay = max(rtt - self.base_rtt, 0)
        weight = min(1, (now - self.last_sample) / self.base_rtt)
        self.avg_delay = (1 - weight) * self.avg_delay + weight * delay
        self.last_sample = now
        if self.quick_adapt(now, marked, delay, in_flight):
            return
        if not marked and delay >= self.target_qdelay:
            self.inc_bytes += self.fi * newly
        elif not marked:
            self.fast_increase(newly, delay)
            if not self.increase:
                self.inc_bytes += self.alpha * newly * (self.target_qdelay - delay)
        elif delay >= self.target_qdelay:
            self.multiplicative_decrease(now)
        if now - self.last_adjust_time >= self.adjust_period_threshold or self.received_bytes > self.adjust_bytes_threshold:
            self.fulfill_adjustment(now)

    def fast_increase(self, newly, delay):
        if delay < 1 * US:
            self.fi_count += newly
            if self.fi_count > self.cwnd or self.increase:
                self.cwnd += newly * self.fi_scale
                self.bound()
                self.increase = True
                return
        else:
            self.fi_count = 0
        self.increase = False

    def multiplicative_decrease(self, now):
        self.increase, self.fi_count = False, 0
        if self.avg_delay > self.target_qdelay and now - self.last_dec_time > self.base_rtt:
            over = (self.avg_delay - self.target_qdelay) / self.avg_delay
            self.cwnd *= max(1 - self.gamma * over, self.max_md_jump)
            self.bound()
            self.last_dec_time = now

    def fulfill_adjustment(self, now):
        self.cwnd += self.inc_bytes / self.cwnd
        if now - self.last_adjust_time >= self.adjust_period_threshold:
            self.cwnd += self.eta
            self.last_adjust_time = now
        self.bound()
        self.inc_bytes = self.received_bytes = 0

    def loss(self, _now, _timeout, lost):
        self.bytes_ignored += lost
        self.trigger_qa = True
        self.cwnd -= lost
        self.bound()

    def rate(self):
        return self.line

    def window(self):
        return self.cwnd


MODELS = {"swift": Swift, "nscc": Nscc}


def chance(seed, events, base, spread, packet, losses=0, pace=1):
    """Acknowledgements at random times: (time, round trip, packets, bytes, in flight, hops, marked), or (time, timeout, bytes). Delays
    wander between none and spread beyond base; the more delay, the more marks."""
    rnd, now, level, script = random.Random(seed), 0, 0.2, []
    for _ in range(events):
        now += pace * rnd.choice((rnd.randrange(1, 300), rnd.randrange(1, 3000), rnd.randrange(1, 60 * US)))
        if losses and rnd.randrange(100) < losses:
            timeout = rnd.randrange(2)
            script.append((now, timeout, packet * (rnd.randrange(1, 40) if timeout else 1)))
            continue
        level = min(1, max(0, level + rnd.uniform(-0.08, 0.08)))
        if rnd.randrange(200) == 0:
            level = rnd.random()
        rtt = base + int(level**2 * spread) + rnd.randrange(0, 200)
        packets = rnd.choice((1, 1, 1, rnd.randrange(1, 30)))
        script.append((now, None if rnd.randrange(50) == 0 else rtt, packets, packets * packet, packet * rnd.randrange(0, 200),
                       rnd.choice((0, 0, 3)), int(rnd.random() < level)))
    return script


def cases():
    """(name, kind, parameters that are not the defaults, line, packet, script)"""
    for line in (10, 100, 400):
        yield "swift_%d" % line, "swift", {}, line * GBPS, 1126, chance(line, 1500, 8 * US, 200 * US, 1126)
    yield "swift_long", "swift", {"target": 5000 * US, "range": 0}, 100 * GBPS, 4174, chance(
        4, 800, 4900 * US, 9000 * US, 4174, pace=50)
    yield "swift_flows", "swift", {"swift-fs-max": 50000, "swift-fs-min": 250, "max-window": 64}, 25 * GBPS, 1126, chance(
        5, 1500, 6 * US, 400 * US, 1126)
    yield "swift_no_scale", "swift", {"swift-fs-max": 100}, 25 * GBPS, 1126, chance(6, 300, 6 * US, 60 * US, 1126)
    yield "swift_losses", "swift", {"beta": 500, "max-mdf": 300, "ai": 300}, 100 * GBPS, 1126, chance(
        7, 1000, 8 * US, 100 * US, 1126, losses=20)
    for line in (10, 100, 400):
        yield "nscc_%d" % line, "nscc", {}, line * GBPS, 1126, chance(line + 1, 1500, 8 * US, 50 * US, 1126)
    yield "nscc_short", "nscc", {"base-rtt": 20 * US}, 100 * GBPS, 1126, chance(11, 1500, 12 * US, 60 * US, 1126)
    yield "nscc_clear", "nscc", {"gamma": 500}, 100 * GBPS, 1126, chance(12, 1500, 8 * US, 3 * US, 1126, losses=1)
    yield "nscc_target", "nscc", {"target": 12 * US, "qa-threshold": 0, "nscc-qa-gate": 1}, 100 * GBPS, 4174, chance(
        13, 1500, 9 * US, 90 * US, 4174, losses=2)
    yield "nscc_losses", "nscc", {"nscc-qa-gate": 0, "fi": 1000, "eta": 1000, "alpha": 9000}, 200 * GBPS, 1126, chance(
        14, 1000, 8 * US, 70 * US, 1126, losses=15)
    yield "nscc_long", "nscc", {"base-rtt": 4000 * US}, 100 * GBPS, 1126, chance(
        15, 1000, 4000 * US, 20000 * US, 1126, pace=50)


def simulate(kind, conf, line, packet, script):
    """The model, and its rate and window after each event."""
    model, states = MODELS[kind](dict(MODELS[kind].defaults, **conf), line, packet), []
    for event in script:
        if len(event) == 3:
            model.loss(*event)
        else:
            model.ack(*event)
        states.append((model.rate(), model.window()))
    return model, states


def main():
    print("/* Made by window_models.py. */")
    table = []
    for name, kind, conf, line, packet, script in cases():
        _, states = simulate(kind, conf, line, packet, script)
        print("static const struct event events_%s[] = {" % name)
        for event, (rate, window) in zip(script, states):
            if len(event) == 3:
                print("{.time = %d, .loss = true, .timeout = %d, .ack.bytes = %d, .rate = %.17g, .window = %.17g}," % (
                    *event, rate, window))
            else:
                now, rtt, packets, size, in_flight, hops, marked = event
                print("{.time = %d, .ack = {%s, %d, %d, %d, %d, %d}, .rate = %.17g, .window = %.17g}," % (
                    now, "FCN_REACTION_NO_RTT" if rtt is None else rtt, packets, size, in_flight, hops, marked, rate, window))
        print("};")
        words = "".join('{"%s", %d}, ' % item for item in dict(MODELS[kind].defaults, **conf).items())
        given = "".join('{"%s", %d}, ' % item for item in conf.items())
        table.append('{"%s", FCN_REACTION_%s, %d, %d, {%s}, {%s}, events_%s, %d},' % (
            name, kind.upper(), line, packet, given, words, name, len(script)))
    print("static const struct scene scenes[] = {", *table, "};", sep="\n")


if __name__ == "__main__":
    main()
