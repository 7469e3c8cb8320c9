#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Check what crossed the border of a domain in a bridge of two ports, one inside and one at the border.

Every frame of each input is read here, from the RFCs: whether it may cross, and if not, why. Those that may must come out at
the other port, all, unchanged and in order; of the others the report must have as many under each reason and way. tshark,
where it is installed, is asked whether an output holds any of it.
"""

import argparse
import collections
import json
import os
import shutil
import subprocess
import sys
from ipaddress import ip_address, ip_network

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fcnoracle import capture  # noqa: E402

# In the order in which one of several is the reason.
REASONS = ("fast_cnp", "cnm", "arn", "proxy", "ioam", "sid_destination", "sid_source", "cnp", "fragment", "unread")
LIMIT, MAX_HEADERS, MAX_TAGS = 512, 8, 4


class Unread(Exception):
    """The headers cannot be read to their end."""


class Config:
    def __init__(self, path):
        self.fast, self.proxy, self.cnm, self.arn = {0x9E, 0x9F}, 0x1E, None, None
        self.peers, self.sids, self.cnps_pass = [], [], True
        own, own_pass = [], False
        for line in open(path, encoding="utf-8"):
            words = line.split()
            if words[:2] == ["set", "border"] and words[2] == "cnm-port":
                self.cnm = int(words[3], 0)
            elif words[:2] == ["set", "border"] and words[2] == "arn-port":
                self.arn = int(words[3], 0)
            elif words[:2] == ["set", "border"] and words[2] == "proxy-type":
                self.proxy = int(words[3], 0)
            elif words[:3] == ["set", "border", "cnp"]:
                self.cnps_pass = words[3] == "pass"
            elif words[:3] == ["border", "peer", "add"]:
                self.peers.append(ip_network(words[3]))
            elif words[:3] == ["border", "sid", "add"]:
                self.sids.append(ip_network(words[3]))
            elif words[:3] == ["set", "border", "local-sids"]:
                own_pass = words[3] == "pass"
            elif words[:3] == ["srv6", "sid", "add"]:
                own.append(ip_network(words[3]))
                if "next-csid" in words:    # whatever begins with the locator block comes to it sooner or later
                    own[-1] = own[-1].supernet(new_prefix=int(words[words.index("next-csid") + 1]))
        if not own_pass:
            self.sids += own


def listed(address, networks):
    address = ip_address(address)
    return any(address.version == n.version and address in n for n in networks)


class Reading:
    """One frame: `found`, a set of reasons; `cnp`, source and destination of a CNP's packet."""

    def __init__(self, frame, config):
        self.frame, self.config, self.found, self.cnp = frame, config, set(), None
        try:
            self.ethernet()
        except Unread:
            self.found.add("unread")

    def part(self, at, size, end, whole=True):
        """Octets that must be there. whole: what is missing of a whole packet is missed by nobody."""
        if at + size > end and not whole:
            return None
        if at + size > min(end, LIMIT):
            raise Unread
        return self.frame[at:at + size]

    def ethernet(self):
        at, tags = 12, 0
        while True:
            kind = int.from_bytes(self.frame[at:at + 2], "big")
            if kind not in (0x8100, 0x88A8, 0x9100):
                break
            tags += 1
            if tags > MAX_TAGS:
                raise Unread
            at += 4
        if kind in (0x0800, 0x86DD):
            self.ip(at + 2, len(self.frame), 4 if kind == 0x0800 else 6, 1, False)

    def ip(self, at, end, version, depth, cut):
        """cut: the packet is the beginning of a longer one."""
        if depth > 2:
            raise Unread
        head = self.part(at, 20 if version == 4 else 40, end)
        if head[0] >> 4 != version:
            raise Unread
        if version == 4:
            length, size, protocol = int.from_bytes(head[2:4], "big"), (head[0] & 15) * 4, head[9]
            source, destination = head[12:16], head[16:20]
        else:
            length, size, protocol = 40 + int.from_bytes(head[4:6], "big"), 40, head[6]
            source, destination = head[8:24], head[24:40]
        self.address(source, destination)
        if at + length > end and not cut:
            raise Unread
        end, at = min(end, at + length), at + size
        if version == 4:
            where = int.from_bytes(head[6:8], "big")
            if where & 0x1FFF:
                return self.later((where & 0x1FFF) * 8)
            cut = cut or bool(where & 0x2000)
        return self.chain(at, end, protocol, depth, cut, (source, destination))

    def address(self, source, destination):
        if listed(source, self.config.sids):
            self.found.add("sid_source")
        if listed(destination, self.config.sids):
            self.found.add("sid_destination")

    def later(self, offset):
        if offset < 40:
            self.found.add("fragment")

    def chain(self, at, end, protocol, depth, cut, addresses):
        count = 0
        while protocol in (0, 43, 44, 51, 60, 135, 139, 140):
            count += 1
            if count > MAX_HEADERS:
                raise Unread
            head = self.part(at, 8, end)
            size = {44: 8, 51: (head[1] + 2) * 4}.get(protocol, (head[1] + 1) * 8)
            body = self.part(at, size, end)
            if protocol in (0, 60):
                self.options(body[2:])
            elif protocol == 43 and head[2] == 4:
                for segment in range(min(head[3], (size - 8) // 16)):
                    if listed(body[8 + 16 * segment:24 + 16 * segment], self.config.sids):
                        self.found.add("sid_destination")
            elif protocol == 44:
                where = int.from_bytes(head[2:4], "big")
                if where & ~7:
                    return self.later(where & ~7)
                cut = cut or bool(where & 1)
            protocol, at = head[0], at + size
        if protocol in (4, 41):
            return self.ip(at, end, 4 if protocol == 4 else 6, depth + 1, cut)
        if protocol == 17:
            self.udp(at, end, cut, addresses)
        return None

    def options(self, rest):
        while rest:
            if rest[0] == 0:
                rest = rest[1:]
                continue
            kind = rest[0]
            if kind in self.config.fast:
                self.found.add("fast_cnp")
            elif kind == self.config.proxy:
                self.found.add("proxy")
            elif kind in (0x11, 0x31):
                self.found.add("ioam")
            if len(rest) < 2 or len(rest) < 2 + rest[1]:
                raise Unread
            rest = rest[2 + rest[1]:]

    def udp(self, at, end, cut, addresses):
        head = self.part(at, 8, end, cut)
        if head is None:
            return
        port = int.from_bytes(head[2:4], "big")
        if port == self.config.cnm:
            self.found.add("cnm")
        if port == self.config.arn:
            self.found.add("arn")
        if port == 4791:
            opcode = self.part(at + 8, 1, end, cut)
            if opcode == b"\x81":
                self.found.add("cnp")
                self.cnp = addresses

    def reason(self, way):
        """Why it may not cross, or None."""
        found = set(self.found)
        if self.cnp and (self.config.cnps_pass or listed(self.cnp[0 if way == "in" else 1], self.config.peers)):
            found.discard("cnp")
        return next((r for r in REASONS if r in found), None)


def by_tshark(path, config):
    """Numbers of the frames in which tshark sees what may not be there."""
    seen = ["ipv6.opt.type == 0x%02x" % kind for kind in sorted(config.fast | {config.proxy, 0x11, 0x31})]
    seen += ["udp.dstport == %d" % port for port in (config.cnm, config.arn) if port]
    command = ["tshark", "-n", "-r", path, "-Y", " || ".join(seen), "-T", "fields", "-e", "frame.number"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return [int(n) for n in done.stdout.split()]


def check_way(name, way, came, left, report, config):
    """Failures of one direction."""
    wrong, want, drops = [], [], collections.Counter()
    for r in capture.load(came).records:
        reason = Reading(r.data, config).reason(way)
        if reason:
            drops["border_" + reason] += 1
        else:
            want.append(r.data)
    have = [r.data for r in capture.load(left).records]
    for number, (a, b) in enumerate(zip(want, have), 1):
        if a != b:
            wrong.append("%s: frame %d is not the one that crosses next" % (name, number))
            break
    if len(want) != len(have):
        wrong.append("%s: %d frames crossed, %d may" % (name, len(have), len(want)))
    told = {d["reason"]: d[way] for d in report["border"]["drops"] if d[way]}
    if told != dict(drops):
        wrong.append("%s: the report says %s, the frames %s" % (name, told, dict(drops)))
    if shutil.which("tshark"):
        wrong += ["%s: tshark sees in frame %d what may not cross" % (name, n) for n in by_tshark(left, config)]
    print("%s: %d of %d frames cross; %s" % (name, len(want), len(want) + sum(drops.values()),
                                             ", ".join("%s %d" % item for item in sorted(drops.items()))))
    return wrong


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conf", required=True)
    parser.add_argument("--json", required=True, help="report of the replay")
    parser.add_argument("--inside", nargs=2, required=True, metavar=("IN.pcap", "OUT.pcap"), help="of the port inside")
    parser.add_argument("--border", nargs=2, required=True, metavar=("IN.pcap", "OUT.pcap"), help="of the port at the border")
    args = parser.parse_args(argv)
    config = Config(args.conf)
    with open(args.json, encoding="utf-8") as f:
        report = json.load(f)
    wrong = check_way("in", "in", args.border[0], args.inside[1], report, config)
    wrong += check_way("out", "out", args.inside[0], args.border[1], report, config)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
