#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Check the rule of notified packets and ECN marks.

--sender capable: a packet that was notified is not CE-marked as well.
--sender unknown: a notified packet that is ECN-capable is CE-marked too (the switch is set to do both).

A notice does not say which packet caused it: it carries no PSN. What it does tell is a class of packets that
call for exactly this notice (sender, receiver, QP, P_Key, port, trace), and that its cause had arrived before
the notice left. So two things are certain:

1. The run obeys the rule if and only if the notices can be assigned to different packets of their classes that
   the rule allows, each no later than its notice. Such an assignment exists exactly when at every notice's
   departure at least as many allowed packets of the class have arrived as notices have left. A failure of that
   count proves a breach; it is what is checked always. Packets that were dropped show no mark and are allowed;
   for `unknown`, so are packets that came as Not-ECT or as CE.
2. With --link (speed of the port the notices leave by), a notice that found its port idle left exactly one frame
   time after its cause arrived. Where a packet of its class arrived at that very moment it is the cause, and the
   rule is checked on that packet itself. --tied requires this of every notice.

--no-marks asks for more than the rule: no packet of the flows at all is marked by the switch.
"""

import argparse
import collections
import os
import sys
from ipaddress import ip_address

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import check_forward  # noqa: E402
from fcnoracle import capture, notice, traffic, walker  # noqa: E402

DROPPED, KEPT, MARKED = "dropped", "kept", "marked"


def fates(args):
    """Index of an arrival -> what became of it at the outputs; and all arrivals."""
    _, failures, pairs = check_forward.check(args)
    out = {}
    for a, _, p in pairs:
        before = a.packet.outer.ecn if a.packet.outer else None
        after = p.outer.ecn if p.outer else None
        out[a.index] = MARKED if after == walker.CE and before != walker.CE else KEPT
    return out, failures


def allowed(a, fate, sender):
    """Whether a packet may be the cause of a notice by the rule."""
    if fate == DROPPED:
        return True
    if sender == "capable":
        return fate == KEPT
    return fate == MARKED or a.packet.outer.ecn in (walker.NOT_ECT, walker.CE)


def frame_time(length, link, overhead):
    """ns for a frame on the port's line, rounded up."""
    return -(-(max(length, 60) + overhead) * 8 * 10**9 // link)


def check_class(found, departures, fate, args):
    """Rule 1 and 2 for one class. Returns (failures, number of notices tied to their packet)."""
    failures, tied = [], 0
    good = [a.virtual for a in found if allowed(a, fate.get(a.index, DROPPED), args.sender)]
    name = found[0].packet.describe()
    for n, (t, length) in enumerate(departures, 1):
        came = sum(1 for x in good if x <= t)
        if came < n:
            failures.append("%s: %d notices have left, but only %d packets that may be their causes had come (%s)" % (
                traffic.text(t), n, came, name))
        if args.link:
            moment = t - frame_time(length, args.link, args.overhead)
            exact = [a for a in found if abs(a.virtual - moment) <= args.slack]
            if exact:
                tied += 1
                if not any(allowed(a, fate.get(a.index, DROPPED), args.sender) for a in exact):
                    failures.append("%s: the notice's cause, packet %d at %s, was %s" % (
                        traffic.text(t), exact[0].index, traffic.text(exact[0].virtual),
                        fate.get(exact[0].index, DROPPED)))
            elif args.tied:
                failures.append("%s: no packet came at %s, which should have caused it (%s)" % (
                    traffic.text(t), traffic.text(moment), name))
    return failures, tied


def check(args):
    """Returns (counts, failures)."""
    counts, (fate, failures) = collections.Counter(), fates(args)
    arrivals = traffic.arrivals(args.inputs, args.speed, args.base)
    classes = traffic.notice_classes(arrivals, args.profile)
    departures = collections.defaultdict(list)
    for path in args.notices:
        for number, r in enumerate(capture.load(path).records, 1):
            p = walker.walk(r.data)
            if p.ip is None or p.ip.src != args.profile.source:
                continue
            counts["notices"] += 1
            packet = p.frame[p.ip.offset:p.end]
            if packet not in classes:
                failures.append("%s frame %d: no data packet calls for it (%s)" % (
                    os.path.basename(path), number, p.describe()))
                continue
            departures[packet].append((r.time, len(r.data)))
    for packet, found in classes.items():
        if args.senders and found[0].packet.ip.src not in args.senders:
            continue
        marked = sum(1 for a in found if fate.get(a.index) == MARKED)
        counts["marked"] += marked
        wrong, tied = check_class(found, sorted(departures[packet]), fate, args)
        counts["tied"] += tied
        failures += wrong
        if args.no_marks and marked:
            failures.append("%d packets marked (%s)" % (marked, found[0].packet.describe()))
    return counts, failures


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--in", dest="inputs", nargs="+", required=True, metavar="IN.pcap")
    parser.add_argument("--out", nargs="+", required=True, metavar="OUT.pcap", help="where the data leaves")
    parser.add_argument("--notices", nargs="+", required=True, metavar="OUT.pcap", help="where the notices leave")
    parser.add_argument("--sender", choices=("capable", "unknown"), required=True)
    parser.add_argument("--senders", nargs="+", metavar="ADDR", help="only flows of these")
    notice.add_arguments(parser)
    parser.add_argument("--mode", choices=("bridge", "route4", "route6", "route"), default="bridge")
    parser.add_argument("--any-vlan", action="store_true")
    parser.add_argument("--link", type=int, metavar="BPS", help="speed of the ports the notices leave by")
    parser.add_argument("--overhead", type=int, default=24, help="octets of line time beside a frame (default 24)")
    parser.add_argument("--slack", type=int, default=1, metavar="NS", help="of the exact moment (default 1)")
    parser.add_argument("--tied", action="store_true", help="every notice must be tied to the packet that caused it")
    parser.add_argument("--no-marks", action="store_true", help="no packet of the flows may be marked")
    parser.add_argument("--speed", default="1", help="the replay's")
    parser.add_argument("--base", type=int, help="stamp of virtual time 0, ns (default: first of the inputs)")
    args = parser.parse_args(argv)
    args.profile = notice.profile_of(args)
    args.senders = args.senders and {ip_address(s).packed for s in args.senders}
    # What check_forward wants to know; it pairs departures with arrivals.
    args.ignore, args.to, args.to_mac, args.src_mac, args.dst_mac = {args.profile.source}, set(), set(), "", ""
    args.ignore_cnps = False
    args.allow_ce = args.allow_drops = True
    args.fifo, args.paths = False, None
    return args


def main(argv=None):
    args = parse(argv)
    try:
        counts, failures = check(args)
    except (capture.CaptureError, OSError) as e:
        sys.exit("check_ecn: %s" % e)
    for f in failures:
        print(f)
    print("%d notices, %d of them tied to their packet, %d packets marked, %d failures" % (
        counts["notices"], counts["tied"], counts["marked"], len(failures)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
