#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Check the packets that a switch sent which turns Fast CNPs into CNPs where it knows the sender's queue pair.

Each packet that came in has to leave once, in order, and nothing else. A Fast CNP outside of tunnels whose option names, with its
destination queue pair, one of the receivers of --qp leaves as the CNP of this flow, octet for octet: from the receiver that the option
names, to the sender, with the sender's queue pair, and with the source port and the P_Key of the Fast CNP. All others leave as a
router forwards them. --left-alone says how many well-formed Fast CNPs do not become CNPs. Prints "N CNPs, M others, K failures"; exit status 1 when
anything is wrong.
"""

import argparse
import os
import sys
from ipaddress import ip_address

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fcnoracle import capture, cnp, notice, sums, traffic, walker  # noqa: E402


def receiver_of(p):
    """The receiver that a Fast CNP names, by whichever convention its ICRC is; None if the frame is none, or is malformed."""
    if len(p.layers) != 1:
        return None
    try:
        receiver = notice.read(p, notice.Profile(bytes(16))).receiver
    except walker.Fault:
        return None
    packet = bytearray(p.frame[p.ip.offset:p.ip.end])
    udp = p.bth.offset - 8 - p.ip.offset
    right = [sums.icrc(packet, 0, udp, len(packet), convention) for convention in sums.CONVENTIONS]
    return receiver if bytes(packet[-4:]) in right else None


def translated(p, receiver, profile):
    """The CNP that takes the place of a Fast CNP: that of the data packet which it is about."""
    data = walker.walk(p.frame)
    data.layers[-1].src, data.layers[-1].dst, data.layers[-1].extensions = p.ip.dst, receiver, []
    return cnp.build(profile, data)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--in", dest="inputs", nargs="+", required=True, metavar="IN.pcap")
    parser.add_argument("--out", required=True, metavar="OUT.pcap")
    parser.add_argument("--qp", nargs="+", default=[], metavar="RECEIVER,QP,SENDER_QP[,SENDER]")
    parser.add_argument("--dscp", type=int, default=48)
    parser.add_argument("--hop-limit", type=int, default=64)
    parser.add_argument("--left-alone", type=int, default=0, metavar="N")
    args = parser.parse_args(argv)
    pairs = [q.split(",") for q in args.qp]
    profile = cnp.Profile({(ip_address(q[0]).packed, int(q[1], 0)): int(q[2], 0) for q in pairs}, args.dscp, args.hop_limit)
    senders = {(ip_address(q[0]).packed, int(q[1], 0)): ip_address(q[3]).packed for q in pairs if len(q) > 3}
    failures, cnps, others, alone = [], 0, 0, 0
    sent = [r.data for r in capture.load(args.out).records]
    came = [a.packet for a in traffic.arrivals(args.inputs, "1", None)]
    for number, (p, frame) in enumerate(zip(came, sent), 1):
        receiver = receiver_of(p)
        key = (receiver, p.bth.qp) if receiver is not None else None
        if key in profile.qps and senders.get(key, p.ip.dst) == p.ip.dst:
            cnps += 1
            if frame[14:] != translated(p, receiver, profile):
                failures.append("frame %d is not the CNP of %s" % (number, p.describe()))
            continue
        others += 1
        alone += receiver is not None
        out = walker.walk(frame)
        if traffic.canonical(frame, "route", False, False) != traffic.canonical(p.frame, "route", False, False) or \
                traffic.legal_rewrite(p, out, "route", False):
            failures.append("frame %d is not %s" % (number, p.describe()))
    if len(sent) != len(came):
        failures.append("%d packets came, and %d left" % (len(came), len(sent)))
    if alone != args.left_alone:
        failures.append("%d Fast CNPs were left alone, expected %d" % (alone, args.left_alone))
    if cnps == 0:
        failures.append("there is no CNP")
    for f in failures:
        print(f)
    print("%d CNPs, %d others, %d failures" % (cnps, others, len(failures)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
