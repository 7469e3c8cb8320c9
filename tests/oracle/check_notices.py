#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Check every Fast CNP, Congestion Notification Message and CNP a replay sent against the data packets that went in.

Each notice must be, octet for octet, the one that some data packet of the inputs calls for: a packet
that may be answered (any RoCEv2 opcode but ACK, ATOMIC ACK and CNP, no fragment, unicast source; outside of tunnels, or
in a tunnel that begins at an END.CON, which the notice goes to), of the same sender, receiver, destination QP, P_Key and UDP source port, with the trace the notice carries or
without one. Each message to a proxy must be, octet for octet, one that a data packet of any protocol calls for: no fragment, no
acknowledgement, CNP, message or ICMP error, and one whose proxy is known by its option or its sender's prefix. Its level may be any.
With --qp, each CNP that did not come in must be, octet for octet, one that a data packet outside of tunnels calls for, over IPv6 or
IPv4: from its receiver to its sender, with the queue pair of the sender that belongs to the receiver's.
No data packet may cause two notices of a kind, and none a notice before it arrived. Prints
"N notices checked, M failures"; exit status 1 when anything is wrong.
"""

import argparse
import collections
import os
import sys
from ipaddress import ip_address, ip_network

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fcnoracle import capture, cnm, cnp, notice, shark, traffic, walker  # noqa: E402


class Cause:
    """Data packets that call for the same notice."""

    def __init__(self, arrivals):
        self.packet = arrivals[0].packet
        self.times = [a.virtual for a in arrivals]
        self.macs = {(a.packet.smac, tuple(tag & 0xFFF for tag in a.packet.vlans)) for a in arrivals}


def told_by_proxy(p, args):
    """Whether the sender of a packet is told by a proxy, so that no Fast CNP may tell it, too."""
    if args.cnm is None or args.direct == "always":
        return False
    return args.direct == "never" or cnm.undue(p, args.cnm) is None and cnm.proxy_of(p, args.cnm) is not None


def message_causes(arrivals, profile):
    """Expected message with level 0 -> Cause, of all data packets that may cause a message."""
    out = {}
    for a in arrivals:
        to = None if cnm.undue(a.packet, profile) else cnm.proxy_of(a.packet, profile)
        if to is None or cnm.quoted(a.packet, 4 if len(to) == 4 else 6) is None:
            continue
        sources = [s for s in profile.sources if len(s) == len(to)]
        for packet in {cnm.build(profile, form, 0, to, s) for form in cnm.as_queued(a.packet) for s in sources}:
            out.setdefault(packet, []).append(a)
    return {packet: Cause(found) for packet, found in out.items()}


def cnp_causes(arrivals, profile):
    """Expected CNP -> Cause, of all data packets that may cause one."""
    out = collections.defaultdict(list)
    for a in arrivals:
        if cnp.undue(a.packet, profile) is None:
            out[cnp.build(profile, a.packet)].append(a)
    return {packet: Cause(found) for packet, found in out.items()}


def check_cnp(p, expected):
    """(expected CNP or None, what is wrong) of a CNP that did not come in."""
    packet = p.frame[p.l3:p.end]
    if packet in expected:
        return packet, []
    best = min(expected, default=None, key=lambda e: sum(a != b for a, b in zip(e, packet)) + 8 * abs(len(e) - len(packet)))
    return None, ["no data packet calls for this CNP" + ("; the nearest differs: " + "; ".join(
        notice.differences(best, packet, cnp.fields)) if best else "")]


def flow_of(p):
    """What the interval is for."""
    return traffic.roce_key(p) if p.is_roce else traffic.flow_key(p)


def causes(arrivals, profile, traces, plain, end_con):
    """(END.CON or None, expected IPv6 packet) -> Cause, of all data packets that may be answered. plain: those outside of
    tunnels may. end_con: networks; those in a tunnel may that begins in one of them."""
    by_tunnel = collections.defaultdict(list)
    for a in arrivals:
        layers = a.packet.layers
        if len(layers) == 1 and plain:
            by_tunnel[None].append(a)
        elif len(layers) == 2 and layers[0].version == 6 and any(ip_address(layers[0].src) in net for net in end_con):
            by_tunnel[layers[0].src].append(a)
    return {(tunnel, packet): Cause(found) for tunnel, group in by_tunnel.items()
            for packet, found in traffic.notice_classes(group, profile, traces).items()}


def is_notice(p, profile, passing):
    """Whether a frame of the outputs is one to check: from the switch, or a Fast CNP that did not come in."""
    ip = p.ip
    if ip is None:
        return False
    if any(layer.src == profile.source for layer in p.layers):
        return True
    roce_cnp = p.bth is not None and p.bth.opcode == walker.CNP
    fast = any(x.type == walker.DEST_OPTIONS for x in ip.extensions)
    return roce_cnp and fast and p.frame[p.l3 + 8:] not in passing


def explain(p, expected, profile):
    """Why a packet is none of the expected notices: the differences to the most similar one."""
    found = p.frame[p.ip.offset:p.ip.end or len(p.frame)]
    try:
        notice.read(p, profile)
        head = ""
    except walker.Fault as e:
        head = "%s; " % e
    best = None
    for _, packet in expected:
        said = notice.differences(packet, found)
        near = sum(a != b for a, b in zip(packet, found)) + abs(len(packet) - len(found)) * 8
        if best is None or near < best[0]:
            best = (near, said)
    return head + ("nearest expected notice differs: " + "; ".join(best[1]) if best else "no data packet may be answered")


def check_frame(p, cause, args):
    """What is wrong around the IPv6 packet: Ethernet, tunnel, length."""
    out = []
    if p.end != len(p.frame):
        out.append("%d octets behind the packet" % (len(p.frame) - p.end))
    if args.l2 == "bridge" and cause and (p.dmac, tuple(tag & 0xFFF for tag in p.vlans)) not in cause.macs:
        out.append("goes to %s vlan %s, not to the MAC and VLAN the data came from" % (
            walker.mac_text(p.dmac), [tag & 0xFFF for tag in p.vlans]))
    if p.smac[0] & 1 or not any(p.smac) or args.src_mac and walker.mac_text(p.smac) not in args.src_mac:
        out.append("source MAC %s" % walker.mac_text(p.smac))
    if p.dmac[0] & 1 or not any(p.dmac) or args.dst_mac and walker.mac_text(p.dmac) not in args.dst_mac:
        out.append("destination MAC %s" % walker.mac_text(p.dmac))
    if len(p.layers) == 2:
        outer = p.layers[0]
        want = (args.profile.source, args.profile.dscp << 2, 0, [])
        if (outer.src, outer.traffic_class, outer.flow_label, outer.extensions) != want:
            out.append("outer header")
        elif outer.hop_limit != args.profile.hop_limit:
            out.append("outer hop limit %d" % outer.hop_limit)
    return out


def most(times, interval):
    """How many of some arrival times can lie at least an interval apart from one another."""
    count, last = 0, None
    for t in times:
        if last is None or t - last >= interval:
            count, last = count + 1, t
    return count


def is_message(p, profile):
    """Whether a frame of the outputs is a message to a proxy that the switch made."""
    return profile is not None and p.outer is not None and p.udp and p.dport == profile.port and p.outer.src in profile.sources


def check_message(p, expected, args):
    """(expected message with level 0 or None, what is wrong) of a message to a proxy."""
    packet, out = p.frame[p.l3:p.end], []
    try:
        said = cnm.read(packet, args.cnm.port)
    except walker.Fault as e:
        return None, [str(e)]
    if said.level < args.levels[0] or said.level > args.levels[1]:
        out.append("level %d" % said.level)
    zero = cnm.with_level(packet, 0)
    if cnm.with_level(zero, said.level) != packet:
        out.append("UDP source port %d does not belong to the flow" % said.sport)
    if zero not in expected:
        best = min(expected, default=None, key=lambda e: sum(a != b for a, b in zip(e, zero)) + 8 * abs(len(e) - len(zero)))
        out.append("no data packet calls for it" + ("; the nearest differs: " + "; ".join(
            notice.differences(best, zero, cnm.fields)) if best else ""))
        zero = None
    return zero, out


def check_counts(found, all_causes, args):
    """Notices against arrivals, over time: none early, none twice, none too close."""
    failures = []
    flows = collections.defaultdict(list)  # flow -> departures, arrivals
    for cause, departures in found.values():
        for n, t in enumerate(departures):
            arrived = sum(1 for x in cause.times if x <= t)
            if n >= arrived:
                failures.append("%s: notice %d left when %d packets that call for it had arrived (%s)" % (
                    traffic.text(t), n + 1, arrived, cause.packet.describe()))
    if args.min_interval:
        for cause in all_causes.values():
            flows[flow_of(cause.packet)] += [(t, 0) for t in cause.times]
        for cause, departures in found.values():
            flows[flow_of(cause.packet)] += [(t, 1) for t in departures]
        for key, events in flows.items():
            came, left = [], 0
            for t, kind in sorted(events):
                if kind == 0:
                    came.append(t)
                    continue
                left += 1
                if left > most(came, args.min_interval):
                    failures.append("%s: notice %d of the flow %s > %s %s is too many for one every %d ns" % (
                        traffic.text(t), left, walker.ip_text(key[0]), walker.ip_text(key[1]), key[2:], args.min_interval))
                    break
    return failures


def golden_frames(words):
    """Frames of captures named FILE or FILE:NUMBER,NUMBER (from 1)."""
    out = []
    for word in words:
        path, _, numbers = word.partition(":")
        records = capture.load(path).records
        out += [walker.walk(records[int(n) - 1].data) for n in numbers.split(",")] if numbers else [
            walker.walk(r.data) for r in records]
    return out


def check(args):
    """Returns (number of notices, Counter of options and messages, list of failures)."""
    profile = args.profile
    arrivals = traffic.arrivals(args.data, args.speed, args.base)
    direct = [a for a in arrivals if not told_by_proxy(a.packet, args)]
    expected = causes(direct, profile, not args.no_traces, args.plain, args.end_con)
    messages = message_causes(arrivals, args.cnm) if args.cnm else {}
    cnps, plain = cnp_causes(arrivals, args.cnp) if args.cnp else {}, {}
    passing = {a.packet.frame[a.packet.l3 + 8:] for a in arrivals}
    golden = {p.frame[p.ip.offset:p.end]: p.frame for p in golden_frames(args.golden)}
    came_in = collections.Counter(traffic.canonical(a.packet.frame, "route", True, True) for a in arrivals)
    failures, notices, options, found, told = [], 0, collections.Counter(), {}, {}
    complaints = shark.complaints_of(args.notices) if args.tshark and shark.available() else [{}] * len(args.notices)
    for path, said in zip(args.notices, complaints):
        for number, r in enumerate(capture.load(path).records, 1):
            p = walker.walk(r.data)
            where = "%s frame %d (%s)" % (os.path.basename(path), number, p.describe())
            if is_message(p, args.cnm):
                notices += 1
                options["message"] += 1
                zero, wrong = check_message(p, messages, args)
                if zero is not None:
                    cause, departures = told.setdefault(zero, (messages[zero], []))
                    departures.append(r.time)
                wrong += ["tshark: " + s for s in said.get(number, [])] + check_frame(p, None, args)
                failures += ["%s: %s" % (where, w) for w in wrong]
                continue
            if args.cnp and cnp.is_plain(p) and not came_in[traffic.canonical(r.data, "route", True, True)]:
                notices += 1
                options["CNP"] += 1
                packet, wrong = check_cnp(p, cnps)
                if packet is not None:
                    cause, departures = plain.setdefault(packet, (cnps[packet], []))
                    departures.append(r.time)
                wrong += ["tshark: " + s for s in said.get(number, [])] + check_frame(p, cnps.get(packet), args)
                failures += ["%s: %s" % (where, w) for w in wrong]
                continue
            if not is_notice(p, profile, passing):
                if came_in[traffic.canonical(r.data, "route", True, True)]:
                    continue
                # What came in may have come in malformed. What did not is the switch's own.
                if args.strict:
                    failures.append("%s: neither a notice nor a packet of the inputs" % where)
                failures += ["%s: tshark: %s" % (where, s) for s in said.get(number, []) if s != "UDP checksum absent"]
                continue
            notices += 1
            wrong = ["tshark: " + s for s in said.get(number, [])]
            packet = p.frame[p.ip.offset:p.end]
            key = p.outer.dst if len(p.layers) > 1 else None, packet
            if key not in expected:
                if any(packet == other for _, other in expected):
                    wrong.append("is sent to %s, which no tunnel of such a packet begins at" % walker.ip_text(key[0]) if key[0] else
                                 "is not in a tunnel to END.CON")
                else:
                    wrong.append(explain(p, expected, profile))
            else:
                cause, departures = found.setdefault(key, (expected[key], []))
                departures.append(r.time)
                wrong += check_frame(p, cause, args)
                options[1 if p.frame[p.ip.offset + 43] == 2 else 2] += 1
                if golden and packet not in golden:
                    wrong.append("is none of the golden packets")
                elif golden and args.golden_frames and golden[packet] != r.data:
                    wrong.append("is not the golden frame: Ethernet header %s, expected %s" % (
                        r.data[:14].hex(), golden[packet][:14].hex()))
            if r.length != len(r.data):
                wrong.append("record cut short")
            failures += ["%s: %s" % (where, w) for w in wrong]
    for _, departures in [*found.values(), *told.values(), *plain.values()]:
        departures.sort()
    failures += check_counts(found, expected, args) + check_counts(told, messages, args) + check_counts(plain, cnps, args)
    never = set(golden) - {packet for _, packet in found}
    if never:
        failures.append("%d golden packets never came" % len(never))
    for name, want in (("notices", args.expect), ("option 1", args.expect_opt1), ("option 2", args.expect_opt2),
                       ("messages", args.expect_messages), ("CNPs", args.expect_cnps)):
        have = notices if name == "notices" else options[{"messages": "message", "CNPs": "CNP"}.get(name) or int(name[-1])]
        if want is not None and have != want:
            failures.append("%d %s, expected %d" % (have, name, want))
    if args.at_least is not None and notices < args.at_least:
        failures.append("%d notices, expected at least %d" % (notices, args.at_least))
    return notices, options, failures


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", required=True, metavar="IN.pcap", help="inputs of the replay")
    parser.add_argument("--notices", nargs="+", required=True, metavar="OUT.pcap", help="outputs of the replay")
    notice.add_arguments(parser)
    parser.add_argument("--l2", choices=("bridge", "routed"), help="bridge: notices go to the MAC the data came from")
    parser.add_argument("--src-mac", nargs="+", metavar="MAC", help="notices come from one of these")
    parser.add_argument("--dst-mac", nargs="+", metavar="MAC", help="notices go to one of these")
    parser.add_argument("--end-con", nargs="+", default=[], metavar="PREFIX",
                        help="data packets in tunnels that begin there are answered, in a tunnel to there")
    parser.add_argument("--no-plain", dest="plain", action="store_false", help="data packets outside of tunnels are not answered")
    parser.add_argument("--speed", default="1", help="the replay's")
    parser.add_argument("--base", type=int, help="stamp of virtual time 0, ns (default: first of the inputs)")
    parser.add_argument("--min-interval", type=int, default=0, metavar="NS", help="between notices of a flow")
    parser.add_argument("--golden", nargs="+", default=[], metavar="PCAP[:N,N]",
                        help="notices must be among these packets (those numbered), and each of these must come")
    parser.add_argument("--golden-frames", action="store_true", help="their Ethernet headers, too")
    parser.add_argument("--no-traces", action="store_true",
                        help="notices leave by an edge of the IOAM domain: all have option 1")
    parser.add_argument("--strict", action="store_true",
                        help="every frame that is no notice must have come in (name all inputs)")
    parser.add_argument("--expect", type=int, metavar="N", help="exactly so many notices")
    parser.add_argument("--cnm-port", type=int, default=0, metavar="PORT", help="of messages to proxies; without it there are none")
    parser.add_argument("--cnm-source", nargs="+", default=[], metavar="ADDRESS", help="messages come from one of these, too")
    parser.add_argument("--proxy", nargs="+", default=[], metavar="PREFIX=ADDRESS", help="of senders, and their proxy")
    parser.add_argument("--allowed", nargs="*", type=ip_network, default=[ip_network("::/0")], metavar="NETWORK",
                        help="networks of proxies that options in packets may name (all of IPv6)")
    parser.add_argument("--address-from", choices=sorted(cnm.ORDERS), default="option-prefix")
    parser.add_argument("--direct", choices=("otherwise", "always", "never"), default="otherwise",
                        help="whether senders with a proxy have Fast CNPs")
    parser.add_argument("--levels", type=int, nargs=2, default=(0, 7), metavar=("LOWEST", "HIGHEST"), help="of messages")
    parser.add_argument("--expect-messages", type=int, metavar="N")
    parser.add_argument("--qp", nargs="*", metavar="RECEIVER/QP=QP",
                        help="queue pairs of receivers, and those of the senders at the other end; without it there are no CNPs")
    parser.add_argument("--expect-cnps", type=int, metavar="N")
    parser.add_argument("--expect-opt1", type=int, metavar="N")
    parser.add_argument("--expect-opt2", type=int, metavar="N")
    parser.add_argument("--at-least", type=int, metavar="N")
    parser.add_argument("--no-tshark", dest="tshark", action="store_false")
    args = parser.parse_args(argv)
    args.profile = notice.profile_of(args)
    prefixes = tuple((ip_network(a), ip_address(b).packed) for a, b in (word.split("=") for word in args.proxy))
    args.cnm = cnm.Profile(args.cnm_port, (args.profile.source, *(ip_address(a).packed for a in args.cnm_source)), prefixes,
                           cnm.ORDERS[args.address_from], dscp=args.dscp, hop_limit=args.hop_limit,
                           allowed=tuple(args.allowed)) if args.cnm_port else None
    args.end_con = [ip_network(s) for s in args.end_con]
    pairs = [(to.rsplit("/", 1), qp) for to, qp in (word.split("=") for word in args.qp or [])]
    args.cnp = cnp.Profile({(ip_address(to).packed, int(qp, 0)): int(own, 0) for (to, qp), own in pairs},
                           args.dscp, args.hop_limit) if args.qp is not None else None
    return args


def main(argv=None):
    args = parse(argv)
    try:
        notices, options, failures = check(args)
    except (capture.CaptureError, OSError) as e:
        sys.exit("check_notices: %s" % e)
    for f in failures:
        print(f)
    print("%d notices checked, %d failures (%d of option 1, %d of option 2, %d messages, %d CNPs)" % (
        notices, len(failures), options[1], options[2], options["message"], options["CNP"]))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
