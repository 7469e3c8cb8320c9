#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Check that the packets of an output are those of the inputs, in order, once, and rewritten only as allowed.

Allowed rewrites: bridge: none; route4, route6 (route: both): MACs, TTL or hop limit less one, IPv4 checksum;
with --allow-ce the ECN field from ECT to CE and the IPv4 checksum. Packets of a flow (addresses, ports, DSCP) keep
their order. From a single input, or with --fifo, so do all packets of a DSCP; packets of different inputs with the
same time may come in any order. Prints the counts; exit status 1 when anything is wrong.
"""

import argparse
import collections
import os
import sys
from ipaddress import ip_address

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fcnoracle import capture, cnp, traffic, walker  # noqa: E402


def wanted(p, args):
    """Whether an input packet is one that has to leave by this output."""
    if traffic.never_forwarded(p):
        return False
    if args.to_mac and walker.mac_text(p.dmac) not in args.to_mac:
        return False
    if args.to and (p.outer is None or p.outer.dst not in args.to):
        return False
    return True


def explain(p, pool, args):
    """Why an output packet is no packet of the inputs."""
    near = []
    for arrivals in pool.values():
        for a in arrivals:
            q = a.packet
            if q.bth and p.bth and (q.ip.src, q.ip.dst, q.bth.qp, q.bth.psn, q.bth.opcode) == (
                    p.ip.src, p.ip.dst, p.bth.qp, p.bth.psn, p.bth.opcode):
                changed = [i for i, (x, y) in enumerate(zip(q.frame, p.frame)) if x != y]
                near.append((abs(len(q.frame) - len(p.frame)) * 100 + len(changed), changed, len(q.frame)))
    if not near:
        return "no such packet came in"
    _, changed, length = min(near)
    note = "" if length == len(p.frame) else ", length %d" % length
    return "altered: differs from what came in at octets %s%s%s" % (
        changed[:12], " ..." if len(changed) > 12 else "", note)


class Order:
    """Tells when packets of a group leave in another order than they came."""

    def __init__(self, name, single):
        self.name, self.single, self.newest = name, single, {}

    def check(self, key, a):
        """"" or what is wrong with arrival a leaving now."""
        last = self.newest.get(key)
        if last is None or a.index > last.index:
            self.newest[key] = a
            return ""
        # At one time any order goes, unless one file holds both.
        if a.virtual == last.virtual and a.source != last.source and not self.single:
            return ""
        return "overtaken: order within %s broken" % self.name


def take(candidates, order, group):
    """The arrival to pair a departure with: of identical packets the first that keeps the order.

    Any other choice would call an order broken that is not, when some of the copies were dropped.
    """
    newest = order.newest.get(group(candidates[0].packet))
    for i, a in enumerate(candidates):
        if newest is None or a.index > newest.index:
            del candidates[i]
            return a
    return candidates.popleft()


def check(args):
    """Returns (counts, failures, pairs of arrival and (departure, Packet))."""
    arrivals = traffic.arrivals(args.inputs, args.speed, args.base)
    pool = collections.defaultdict(collections.deque)
    used = collections.Counter()
    for a in arrivals:
        pool[traffic.canonical(a.packet.frame, args.mode, args.allow_ce, args.any_vlan)].append(a)
    orders = [(Order("the flow", True), traffic.flow_key)]
    if args.fifo or len(args.inputs) == 1:
        orders.append((Order("the DSCP", False), lambda p: p.outer.dscp if p.outer else -1))
    counts, failures, pairs = collections.Counter(), [], []
    path_of, flows = {}, collections.defaultdict(set)
    for path in args.out:
        if args.paths is not None:
            orders = [(Order(order.name, order.single), group) for order, group in orders]
        for number, r in enumerate(capture.load(path).records, 1):
            p = walker.walk(r.data)
            where = "%s frame %d (%s)" % (os.path.basename(path), number, p.describe())
            if any(layer.src in args.ignore for layer in p.layers) or (
                    p.ethertype == 0x8808 and walker.mac_text(p.smac) == args.ignore_pause):
                counts["ignored"] += 1
                continue
            key = traffic.canonical(r.data, args.mode, args.allow_ce, args.any_vlan)
            if args.ignore_cnps and cnp.is_plain(p) and key not in pool:
                counts["ignored"] += 1
                continue
            if not pool.get(key):
                failures.append("%s: %s" % (where, "duplicate" if used[key] else explain(p, pool, args)))
                continue
            a = take(pool[key], *orders[-1])
            used[key] += 1
            counts["forwarded"] += 1
            pairs.append((a, r.time, p))
            wrong = traffic.legal_rewrite(a.packet, p, args.mode, args.allow_ce)
            if wrong:
                failures.append("%s: %s" % (where, wrong))
            if args.mode != "bridge" and args.src_mac and walker.mac_text(p.smac) != args.src_mac:
                failures.append("%s: source MAC is not %s" % (where, args.src_mac))
            if args.mode != "bridge" and args.dst_mac and walker.mac_text(p.dmac) != args.dst_mac:
                failures.append("%s: destination MAC is not %s" % (where, args.dst_mac))
            if p.outer is not None and a.packet.outer.ecn != p.outer.ecn:
                counts["marked"] += 1
            if r.time < a.virtual:
                failures.append("%s: left at %s, before it came at %s" % (
                    where, traffic.text(r.time), traffic.text(a.virtual)))
            for order, group in orders:
                wrong = order.check(group(a.packet), a)
                if wrong:
                    failures.append("%s: %s" % (where, wrong))
            if args.paths is not None:
                flow = traffic.flow_key(a.packet)
                flows[path].add(flow)
                if path_of.setdefault(flow, path) != path:
                    failures.append("%s: its flow left by %s, too" % (where, os.path.basename(path_of[flow])))
            if not wanted(a.packet, args):
                failures.append("%s: does not belong here" % where)
    if args.paths is not None:
        for path in args.out:
            if len(flows[path]) < args.paths:
                failures.append("%s has %d flows, expected at least %d" % (
                    os.path.basename(path), len(flows[path]), args.paths))
    missing = [a for left in pool.values() for a in left if wanted(a.packet, args)]
    counts["missing"] = len(missing)
    if missing and not args.allow_drops:
        missing.sort(key=lambda a: a.index)
        failures.append("%d packets are missing, the first: %s %s" % (
            len(missing), traffic.text(missing[0].time), missing[0].packet.describe()))
    return counts, failures, pairs


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--in", dest="inputs", nargs="+", required=True, metavar="IN.pcap")
    parser.add_argument("--out", nargs="+", required=True, metavar="OUT.pcap")
    parser.add_argument("--mode", choices=("bridge", "route4", "route6", "route"), default="bridge")
    parser.add_argument("--allow-ce", action="store_true")
    parser.add_argument("--allow-drops", action="store_true")
    parser.add_argument("--any-vlan", action="store_true", help="tags may be added and taken off")
    parser.add_argument("--ignore-notices", dest="ignore", nargs="+", default=[], metavar="LOOPBACK",
                        help="packets from these addresses are the switch's own")
    parser.add_argument("--ignore-cnps", action="store_true", help="CNPs that did not come in are the switch's own")
    parser.add_argument("--ignore-pause", metavar="MAC", help="PFC frames from here are the switch's own")
    parser.add_argument("--to-mac", nargs="+", default=[], metavar="MAC", help="only packets to these belong here")
    parser.add_argument("--to", nargs="+", default=[], metavar="ADDR", help="only packets to these belong here")
    parser.add_argument("--src-mac", help="routed packets carry it")
    parser.add_argument("--dst-mac", help="routed packets carry it")
    parser.add_argument("--fifo", action="store_true", help="packets of all inputs keep their order within a DSCP")
    parser.add_argument("--paths", type=int, metavar="N",
                        help="the outputs are paths to choose from: a flow takes one, each has at least N flows")
    parser.add_argument("--speed", default="1", help="the replay's")
    parser.add_argument("--base", type=int, help="stamp of virtual time 0, ns (default: first of the inputs)")
    for name in ("forwarded", "missing", "marked"):
        parser.add_argument("--expect-" + name, type=int, metavar="N", help="exactly so many")
    args = parser.parse_args(argv)
    args.ignore = {ip_address(s).packed for s in args.ignore}
    args.to = {ip_address(s).packed for s in args.to}
    args.to_mac = {s.lower() for s in args.to_mac}
    return args


def main(argv=None):
    args = parse(argv)
    try:
        counts, failures, _ = check(args)
    except (capture.CaptureError, OSError) as e:
        sys.exit("check_forward: %s" % e)
    for name in ("forwarded", "missing", "marked"):
        want = getattr(args, "expect_" + name)
        if want is not None and counts[name] != want:
            failures.append("%d packets %s, expected %d" % (counts[name], name, want))
    for f in failures:
        print(f)
    print("%d forwarded, %d missing, %d CE-marked, %d ignored, %d failures" % (
        counts["forwarded"], counts["missing"], counts["marked"], counts["ignored"], len(failures)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
