# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The result of a check: one object, which is JSON as it is, and from which the text is made."""

import collections
import textwrap

from rules import FAULT, NEVER_SEEN, RULES

WIDTH = 110
SHOWN = 3   # flows with the most notices; JSON has more


class Findings:
    """What is wrong, by rule, in the order in which it was found."""

    def __init__(self, examples):
        self.examples = examples
        self.found = collections.OrderedDict()

    def add(self, place, rule, what, level=None):
        """place: file and frame. level: another than the rule's own."""
        key = rule, level or RULES[rule].level
        entry = self.found.setdefault(key, {"count": 0, "examples": []})
        entry["count"] += 1
        if len(entry["examples"]) < self.examples:
            entry["examples"].append({"place": place, "what": what})

    def count(self, level):
        """How many there are of a level."""
        return sum(entry["count"] for (_, found), entry in self.found.items() if found == level)

    def as_list(self):
        """For the report: faults first."""
        out = []
        for (name, level), entry in sorted(self.found.items(), key=lambda item: item[0][1] != FAULT):
            rule = RULES[name]
            out.append({"rule": name, "level": level, "document": rule.document, "section": rule.section, "text": rule.text,
                        "count": entry["count"], "examples": entry["examples"]})
        return out


def not_checked(missing):
    """Rules that these captures could not show. missing: name of a rule -> what it takes."""
    out = [{"document": RULES[name].document, "section": RULES[name].section, "text": RULES[name].text, "reason": reason}
           for name, reason in missing.items()]
    return out + [{"document": document, "section": section, "text": words, "reason": "captures do not show it"}
                  for document, section, words in NEVER_SEEN]


def duration(ns):
    """A time for people."""
    for unit, size in (("s", 10**9), ("ms", 10**6), ("us", 1000)):
        if abs(ns) >= size:
            return "%.3g %s" % (ns / size, unit) if abs(ns) < 1000 * size else "%d %s" % (ns // size, unit)
    return "%d ns" % ns


def plural(number, what):
    """A number and what is counted."""
    return "%d %s%s" % (number, what, "" if number == 1 else "s")


def source_of(entry):
    """Where a sentence stands."""
    return entry["document"] + (", section " + entry["section"] if entry["section"] else "")


def sentence(entry):
    """A sentence: in quotation marks if it is one of a draft."""
    return entry["text"][1:-1] if entry["text"].startswith("[") else '"%s"' % entry["text"]


def _wrapped(words, indent):
    return textwrap.fill(words, WIDTH, initial_indent=indent, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


def _times(name, entry, remark=""):
    if entry is None:
        return []
    return ["  %s: min %s, median %s, 99%% %s, max %s%s" % (
        name, *(duration(entry[key]) for key in ("min_ns", "median_ns", "p99_ns", "max_ns")), remark)]


def text(r, verbose):
    """The report for people, from the object that --json prints."""
    n, data, times = r["notices"], r["data"], r["times"]
    lines = ["%s (%d with option 1, %d with option 2) of %s about %s" % (
        plural(n["checked"], "Fast CNP"), n["option1"], n["option2"], plural(len(r["switches"]), "switch").replace("switchs", "switches"),
        plural(r["flows"], "flow"))]
    if r["switches"]:
        lines.append("  from: " + ", ".join(r["switches"]))
    for key, words in (("trimmed", "about a packet that was trimmed, by an option that is in no draft"), ("by_receiver", "made by the receiver itself"), ("in_tunnels", "in a tunnel to an END.CON SID"),
                       ("seen_twice", "in several captures, checked once"), ("cut", "cut off by the capture, not checked")):
        if n[key]:
            lines.append("  %d %s" % (n[key], words))
    if r["option_types"]:
        lines.append("  option types: " + ", ".join(r["option_types"]))
    if r["icrc"]:
        lines.append("  invariant CRC: " + " or ".join("%s (%s)" % (name, words) for name, words in r["icrc"].items()))
    if data["before"] or data["after"]:
        lines.append("  data: %d packets in front of the switch%s" % (data["before"], "" if not data["after"] else ", %d behind it, %d of them "
                     "marked CE by it" % (data["after"], data["marked"])))
    lines += _times("after the newest data packet of the flow", times["delay"], " (which may be another than the one that caused it)")
    lines += _times("ahead of the receiver's first CNP, by flow", times["lead"])
    lines += _times("between notices about one flow", times["interval"])
    for flow in r["busiest"][:SHOWN]:
        lines.append("  %s to %s, queue pair 0x%06x: %s" % (flow["sender"], flow["receiver"], flow["qp"], plural(flow["notices"], "notice")) + (
            " in %s, the shortest interval is %s" % (duration(flow["time_ns"]), duration(flow["interval_min_ns"]))
            if flow["notices"] > 1 else ""))
    for key, words in (("messages", "Congestion Notification Message"), ("notifications", "Adaptive Routing Notification"),
                       ("proxy_options", "proxy option")):
        if r[key]:
            lines.append(plural(r[key], words))
    for entry in r["findings"]:
        lines += ["", "%s %s (%s)" % (entry["level"].upper(), entry["rule"], plural(entry["count"], "time")),
                  "  " + source_of(entry) + ":", _wrapped(sentence(entry), "    ")]
        lines += ["  %s: %s" % (example["place"], example["what"]) for example in entry["examples"]]
        if entry["count"] > len(entry["examples"]):
            lines.append("  and %d more" % (entry["count"] - len(entry["examples"])))
    if r["not_checked"] and verbose:
        lines += ["", "Not checked:"]
        for entry in r["not_checked"]:
            lines += ["  %s: %s" % (source_of(entry), entry["reason"]), _wrapped(sentence(entry), "    ")]
    elif r["not_checked"]:
        lines += ["", "%s could not be checked (--verbose lists them)" % plural(len(r["not_checked"]), "sentence")]
    lines += ["", "%s: %s, %s" % (r["result"], plural(r["faults"], "fault"), plural(r["warnings"], "warning"))]
    return "\n".join(lines)
