# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Check whether the Fast CNPs of a switch are what the drafts say.

Reads captures of any switch. Give what arrived at the switch by --before and what left it by --after, or a capture at a sender by
--before and one at a receiver by --after. A capture that has both, such as that of a mirror port, is given without an option.
"""

import argparse
import collections
import ipaddress
import json
import os
import pkgutil
import re
import sys

import capture
import checksum
import flows
import messages
import notice
import packet
import report
from rules import FAULT, RULES, WARNING

BEFORE, BOTH, AFTER, OUTSIDE = "before", "both", "after", "outside"
CONFORMS, FAULTY, USAGE, NOTHING = 0, 1, 2, 3


def version():
    """The version of fastcn whose archive this is."""
    try:
        return pkgutil.get_data("report", "version.txt").decode()
    except OSError:
        return "(from the sources)"


class Check:
    """All captures of one run, and what was found in them."""

    def __init__(self, profile):
        self.profile = profile
        self.findings = report.Findings(profile.examples)
        self.flows = flows.Flows(profile)
        self.messages = messages.Messages(profile)
        self.captures, self.notices, self.plain = [], [], []
        self.cut = self.twice = self.timeless = 0

    def read(self, path, role):
        """Read a capture: notices of all, data in front of the switch or behind it."""
        count = 0
        for record in capture.read(path):
            count += 1
            place = "%s, frame %d" % (os.path.basename(path), record.number)
            self.timeless += record.time is None
            self._packet(packet.parse(record), record.time or 0, place, role)
        self.captures.append({"file": path, "role": role, "packets": count})

    def _packet(self, p, time, place, role):
        fault = lambda rule, what: self.findings.add(place, rule, what)  # noqa: E731
        if p.ip is None:
            return
        if notice.is_notice(p, self.profile):
            if role == OUTSIDE:
                fault("border", "a Fast CNP outside of the domain: %s" % notice.Notice(place, time, p).about)
            elif p.short:
                self.cut += 1
            else:
                self.notices.append(notice.Notice(place, time, p))
            return
        if self.messages.is_cnm(p) and not p.short:
            if role == OUTSIDE:
                fault("cnm-border", "a message outside of the domain: %s > %s" % (packet.text(p.ip.src), packet.text(p.ip.dst)))
            else:
                self.messages.check_cnm(p, fault)
            return
        if self.messages.is_arn(p) and not p.short:
            self.messages.check_arn(p, fault)
            return
        if role in (BEFORE, BOTH):
            self.flows.add_before(time, p)
            self.messages.add_data(p, fault)
        elif role == AFTER:
            self.flows.add_after(time, p)
        if role != OUTSIDE and notice.is_cnp(p) and p.ip.version == 6:
            self.flows.add_cnp(time, p)
            self.plain.append((place, p.ip.src, p.ip.dst))

    def finish(self):
        """Check the notices, when all captures were read."""
        self._once()
        self.flows.sort()
        for n in sorted(self.notices, key=lambda n: n.time):
            fault = lambda rule, what, n=n: self.findings.add(n.place, rule, what + " (" + n.about + ")")  # noqa: E731
            notice.check(n, self.profile, fault)
            if not n.by_receiver:
                self.flows.check_cause(n, fault)
        self._without_option()
        self._readings()
        self.flows.check_ce(self.findings.add)
        self.flows.check_rate(self.findings.add)

    def _once(self):
        """Of a notice that was captured in several places, keep those of the place with the most copies."""
        copies = collections.defaultdict(lambda: collections.defaultdict(list))
        for n in self.notices:
            octets = bytearray(n.p.frame[n.p.layers[0].offset:n.p.end])
            if n.p.layers[0].version == 6:
                octets[7] = 0  # the hop limit
            copies[bytes(octets)][n.place.rsplit(",", 1)[0]].append(n)
        kept = [max(places.values(), key=len) for places in copies.values()]
        self.twice = len(self.notices) - sum(len(found) for found in kept)
        self.notices = [n for found in kept for n in found]

    def _without_option(self):
        """CNPs that only a switch can have sent, as the sender has no data for their source."""
        pairs = {flow[:2] for flow in self.flows.data}
        senders = {sender for sender, _ in pairs}
        for place, source, sender in self.plain:
            if sender in senders and (sender, source) not in pairs:
                self.findings.add(place, "one-option", "a CNP without an option from %s, to which %s sends no data" % (
                    packet.text(source), packet.text(sender)))

    def _readings(self):
        """One reading of the rule for extension headers has to fit all notices of a switch."""
        self.icrc = {}
        for source in sorted({n.p.ip.src for n in self.notices}):
            mine = [n for n in self.notices if n.p.ip.src == source and n.readings]
            if not mine:
                continue
            common = set(checksum.READINGS).intersection(*(n.readings for n in mine))
            if not common:
                odd = [n for n in mine if set(n.readings).isdisjoint(mine[0].readings)] or mine
                self.findings.add(odd[0].place, "icrc-varies", "of %s: %s" % (
                    packet.text(source), "; ".join("%s: %d" % item for item in sorted(
                        collections.Counter(" or ".join(n.readings) for n in mine).items()))))
            elif self.profile.icrc and self.profile.icrc not in common:
                self.findings.add(mine[0].place, "icrc", "%s was agreed, and it is right as %s" % (self.profile.icrc, " or ".join(sorted(common))))
            for name in checksum.READINGS:
                if name in common:
                    self.icrc[name] = checksum.READINGS[name]

    def missing(self):
        """Rules that could not be checked, and what it takes."""
        out, data = {}, self.flows.before_count
        if not data:
            for name in ("cause", "destination", "qp", "option1-when", "option2-when"):
                out[name] = "needs data in front of the switch (--before)"
        if not self.profile.switches:
            out["source"] = "whether the source is the loopback of a switch: needs --switch"
        if not (data and self.flows.after_count and self.profile.capable):
            out["ce"] = "needs --before, --after and --capable"
        if not self.profile.outside:
            out["border"] = "needs a capture outside of the domain (--outside)"
        return out

    def result(self):
        """The report as an object."""
        seen, f = self.notices, self.findings
        faults, warnings = f.count(FAULT), f.count(WARNING)
        things = len(seen) + sum(self.messages.count.values())
        sources = sorted({n.p.ip.src for n in seen if not n.by_receiver})
        return {
            "program": "fastcn-check", "version": version(), "captures": self.captures,
            "notices": {"checked": len(seen), "option1": sum(n.number == 1 for n in seen), "option2": sum(n.number == 2 for n in seen),
                        "trimmed": sum(n.trimmed is not None for n in seen), "by_receiver": sum(n.by_receiver for n in seen),
                        "in_tunnels": sum(n.tunnel is not None for n in seen), "seen_twice": self.twice, "cut": self.cut},
            "switches": [packet.text(s) for s in sources], "flows": len(self.flows.notices),
            "option_types": ["0x%02x" % kind for kind in sorted({n.option.kind for n in seen if n.option})], "icrc": self.icrc,
            "data": {"before": self.flows.before_count, "after": self.flows.after_count, "marked": self.flows.marked,
                     "not_before": self.flows.unpaired},
            "times": self.flows.figures() if not self.timeless else {"interval": None, "delay": None, "lead": None},
            "busiest": self.flows.busiest(), "messages": self.messages.count["messages"], "notifications": self.messages.count["notifications"],
            "proxy_options": self.messages.count["proxy_options"],
            "findings": f.as_list(), "not_checked": report.not_checked(self.missing()), "faults": faults, "warnings": warnings,
            "result": "does not conform" if faults else "conforms" if things else "nothing to check",
        }


def nanoseconds(word):
    """A time such as 4us."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(ns|us|ms|s)", word)
    if not found:
        raise argparse.ArgumentTypeError("'%s': a time is a number and ns, us, ms or s" % word)
    return round(float(found.group(1)) * {"ns": 1, "us": 1000, "ms": 10**6, "s": 10**9}[found.group(2)])


def ranged(least, most, what):
    """A parser of a number."""
    def parse(word):
        try:
            number = int(word, 0)
        except ValueError:
            number = least - 1
        if not least <= number <= most:
            raise argparse.ArgumentTypeError("'%s': %s is a number from %d to %d" % (word, what, least, most))
        return number
    return parse


def address(word):
    """An address as octets."""
    try:
        return ipaddress.ip_address(word).packed
    except ValueError as e:
        raise argparse.ArgumentTypeError(str(e))


def prefix(word):
    """A prefix of senders, or all."""
    try:
        return ipaddress.ip_network("::/0" if word == "all" else word)
    except ValueError as e:
        raise argparse.ArgumentTypeError(str(e))


def parser():
    """The command line."""
    out = argparse.ArgumentParser(prog="fastcn-check", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter,
                                  epilog="Exit status: 0 no fault, 1 a fault, 2 wrong use or unreadable capture, 3 nothing to check.")
    kind, port = ranged(1, 255, "an option type"), ranged(1, 65535, "a port")
    out.add_argument("captures", nargs="*", metavar="CAPTURE", help="pcap or pcapng, with data and notices")
    out.add_argument("--before", action="append", default=[], metavar="CAPTURE", help="in front of the switch, or at a sender")
    out.add_argument("--after", action="append", default=[], metavar="CAPTURE", help="behind the switch, or at a receiver")
    out.add_argument("--outside", action="append", default=[], metavar="CAPTURE", help="outside of the domain, where no notice may be")
    out.add_argument("--switch", dest="switches", action="append", default=[], type=address, metavar="ADDRESS",
                     help="loopback of a switch; without one, any unicast source is right")
    out.add_argument("--capable", action="append", default=[], type=prefix, metavar="PREFIX",
                     help="senders that the switch knows to understand Fast CNPs, or 'all'")
    out.add_argument("--option1", type=kind, metavar="TYPE", help="option type that was agreed (default 0x9e, others are accepted)")
    out.add_argument("--option2", type=kind, metavar="TYPE", help="option type that was agreed (default 0x9f, others are accepted)")
    out.add_argument("--trimmed", type=kind, default=0x9D, metavar="TYPE", help="option type by which a notice names a packet (default 0x9d)")
    out.add_argument("--icrc", choices=sorted(checksum.READINGS), help="reading that was agreed (default: any, the same for all)")
    out.add_argument("--min-interval", type=nanoseconds, default=0, metavar="TIME", help="that was agreed between notices about a flow")
    out.add_argument("--max-rate", type=ranged(1, 10**9, "a rate"), default=0, metavar="N", help="notices about a flow that were agreed a second")
    out.add_argument("--cnm-port", type=port, default=0, metavar="PORT", help="check Congestion Notification Messages to this UDP port")
    out.add_argument("--arn-port", type=port, default=0, metavar="PORT", help="check Adaptive Routing Notifications to this UDP port")
    out.add_argument("--proxy-option", type=kind, default=0, metavar="TYPE", help="check the option with a proxy's address in data (0x1e)")
    out.add_argument("--examples", type=ranged(0, 10**9, "a number of examples"), default=3, metavar="N", help="of each fault (default 3)")
    out.add_argument("--strict", action="store_true", help="warnings are faults for the exit status")
    out.add_argument("--verbose", action="store_true", help="list what could not be checked")
    out.add_argument("--json", action="store_true", help="print the report as JSON")
    out.add_argument("--rules", action="store_true", help="print all sentences that are checked, and end")
    out.add_argument("--version", action="version", version="fastcn-check " + version())
    return out


def main(argv=None):
    """Run. Returns the exit status."""
    command = parser()
    profile = command.parse_args(argv)
    if profile.rules:
        for rule in RULES.values():
            entry = rule._asdict()
            print("%-20s %-8s %s:\n    %s" % (rule.name, rule.level, report.source_of(entry), report.sentence(entry)))
        return CONFORMS
    if not (profile.captures or profile.before or profile.after or profile.outside):
        command.error("no capture is given")
    profile.types_given = profile.option1 is not None or profile.option2 is not None
    profile.option1 = 0x9E if profile.option1 is None else profile.option1
    profile.option2 = 0x9F if profile.option2 is None else profile.option2
    profile.types, profile.switches = {profile.option1, profile.option2}, set(profile.switches)
    check = Check(profile)
    try:
        for role, paths in ((BEFORE, profile.before), (BOTH, profile.captures), (AFTER, profile.after), (OUTSIDE, profile.outside)):
            for path in paths:
                check.read(path, role)
    except (capture.CaptureError, OSError) as e:
        print("fastcn-check: %s" % e, file=sys.stderr)
        return USAGE
    check.finish()
    result = check.result()
    print(json.dumps(result, indent=2) if profile.json else report.text(result, profile.verbose))
    if result["faults"] or profile.strict and result["warnings"]:
        return FAULTY
    return NOTHING if result["result"] == "nothing to check" else CONFORMS


if __name__ == "__main__":
    sys.exit(main())
