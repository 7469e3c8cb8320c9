# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Who filled a queue: bytes, marks and drops of each flow while the queue was congested, with room for all flows.

RoCEv2 is told apart by sender, receiver and destination QP, all else by its ends and the kind of packet. A row of the report is held
against this: to the octet where it says that it is exact, and has not taken the place of another flow; else within chance.
"""

import collections
import datetime
from dataclasses import dataclass, field

from . import walker

SHOWN = 10           # rows of the report
CHANCE = 0.15        # of all octets of the queue, that a row which is not exact may be off
TRANSPORTS = {6: "tcp", 17: "udp"}


@dataclass
class Flow:
    octets: int = 0
    packets: int = 0
    marked: int = 0
    dropped: int = 0
    first: int = None
    last: int = None


@dataclass
class Flows:
    """Those of one queue."""
    packets: int = 0
    octets: int = 0
    chance: bool = False         # who is marked is chance
    of: dict = field(default_factory=lambda: collections.defaultdict(Flow))

    def note(self, packet, length, now, marked=False, dropped=False):
        """A packet that came while the queue was congested, or that the queue refused."""
        self.packets += 1
        self.octets += length
        flow = self.of[key_of(packet)]
        flow.octets += length
        flow.packets += 1
        flow.marked += marked
        flow.dropped += dropped
        flow.first = now if flow.first is None else flow.first
        flow.last = now


def key_of(p):
    """(sender, receiver, what the report says of the flow, without ports)."""
    if p.ip is None:
        return (walker.mac_text(p.smac), walker.mac_text(p.dmac), "type 0x%04x" % p.ethertype)
    ends = (walker.ip_text(p.ip.src), walker.ip_text(p.ip.receiver))
    if (p.is_roce or p.cut) and not p.ip.fragment:
        return (*ends, "qp 0x%06x" % p.bth.qp)
    return (*ends, TRANSPORTS.get(p.ip.next, "proto %d" % p.ip.next))


def key_of_row(row):
    words = row["flow"]
    return (row["sender"], row["receiver"], words.split()[0] if words[0] in "tu" and words[1] != "y" else words)


def stamp(ns):
    moment = datetime.datetime.fromtimestamp(ns // 10**9, datetime.timezone.utc)
    return "%s.%09dZ" % (moment.strftime("%Y-%m-%dT%H:%M:%S"), ns % 10**9)


def compare(rows, queues, base):
    """Differences between the report's rows and the model.

    queues: {(port, class): Flows}. base: time 0 in ns since 1970.
    """
    rows = [row for row in rows if row["bytes"] is not None]
    wrong = ["flow %s has less than the one behind it" % (key_of_row(a),)
             for a, b in zip(rows, rows[1:]) if a["bytes"] < b["bytes"]]
    found = collections.defaultdict(list)
    for row in rows:
        found[row["port"], row["class"], key_of_row(row)].append(row)
    for (port, c, key), same in found.items():
        flows = queues[port, c]
        if key not in flows.of:
            wrong.append("flow %s of %s class %d is not in the model" % (key, port, c))
        elif len(same) == 1 or len(rows) < SHOWN:
            wrong += ["flow %s of %s class %d: %s" % (key, port, c, text)
                      for text in compare_flow(same, flows.of[key], flows, base)]
    if len(rows) < SHOWN:
        # One that brought little may not have been drawn.
        drawn = {(row["port"], row["class"]) for row in rows if not row["exact"]}
        missing = {(*where, key) for where, flows in queues.items() for key, flow in flows.of.items()
                   if where not in drawn or flow.octets > CHANCE * flows.octets} - set(found)
        wrong += ["flow %s of %s class %d is missing" % (key, port, c) for port, c, key in sorted(missing)]
    return wrong[:10]


def compare_flow(rows, want, flows, base):
    have = {k: sum(row[k] for row in rows) for k in ("bytes", "packets", "marked", "dropped")}
    model = {"bytes": want.octets, "packets": want.packets, "marked": want.marked, "dropped": want.dropped}
    more = sum(row["more_bytes_at_most"] for row in rows)
    if flows.chance:
        del model["marked"]
    if not all(row["exact"] for row in rows) or more:
        if not want.octets - more - CHANCE * flows.octets <= have["bytes"] <= want.octets + CHANCE * flows.octets:
            return ["%d bytes, the model says %d" % (have["bytes"], want.octets)]
        return []
    have["first_seen"] = min(row["first_seen"] for row in rows)
    have["last_seen"] = max(row["last_seen"] for row in rows)
    model.update(first_seen=stamp(base + want.first), last_seen=stamp(base + want.last))
    if len(rows) == 1:
        have["percent"] = rows[0]["percent"]
        model["percent"] = (2000 * want.octets + flows.octets) // (2 * flows.octets) / 10
    return ["%s is %s, the model says %s" % (k, have[k], v) for k, v in model.items() if have[k] != v]
