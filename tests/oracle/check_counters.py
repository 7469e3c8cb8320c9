#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Check the counters of a replay's report against captures, against each other and against figures from paper.

Always: the packet accounting, added up anew from the ports' own rows, balances; wanted = sent + suppressed, in total and summed over
the verdicts; the notices of a queue are those of its verdicts; the notices of the ports are those sent, of each kind; each queue has sent what it took (but for storms). With --rx and --tx the ports' packets
and octets are those in the captures, and those of a port's sub-interfaces what has their tag there, without it. --drops, --errors and --verdicts list all that is not 0: what the report has
beyond them is wrong.
"""

import argparse
import collections
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fcnoracle import capture, report, traffic  # noqa: E402

LISTS = {"drops": ("/drops", "reason"), "errors": ("/errors", "error"), "verdicts": ("/notify/verdicts", "verdict")}


def wrong_kinds(notify):
    """What does not add up for a kind of notice, or of all kinds together."""
    wrong, sums = [], collections.Counter()
    for kind in notify.get("kinds", []):
        name, by = kind["kind"], collections.Counter()
        for v in notify["verdicts"]:
            if v.get("kind") == name:
                by[v["outcome"]] += v["packets"]
        if kind["wanted"] != kind["sent"] + kind["suppressed"]:
            wrong.append("%(kind)s: %(wanted)d wanted, %(sent)d sent, %(suppressed)d suppressed" % kind)
        for outcome in ("sent", "suppressed"):
            if kind[outcome] != by[outcome]:
                wrong.append("%s: %d %s, %d by verdict" % (name, kind[outcome], outcome, by[outcome]))
        if kind["sent"] != kind["made"]:
            wrong.append("%(kind)s: %(sent)d sent, %(made)d made" % kind)
        if kind["carried"] + kind["made"] != kind["transmitted"] + kind["taken"] + kind["lost"] + kind["queued"] + kind["between"]:
            wrong.append("%(kind)s: %(carried)d carried, %(made)d made; %(transmitted)d transmitted, %(taken)d taken, %(lost)d lost, "
                         "%(queued)d queued, %(between)d between workers" % kind)
        sums.update({key: n for key, n in kind.items() if isinstance(n, int) and not isinstance(n, bool)})
    for part, keys in (("total", ("wanted", "sent", "suppressed")), ("notices", ("made", "transmitted", "taken", "lost", "queued"))):
        for key in keys:
            if "kinds" in notify and notify[part].get(key, 0) != sums[key]:
                wrong.append("%d notices %s, %d by kind" % (notify[part].get(key, 0), key, sums[key]))
    return wrong


def check_sums(document, arn=0, proxied=0):
    """What must hold in any report."""
    wrong = []
    ports, accounting = document["ports"], document["conservation"]
    # What sub-interfaces received and sent, their ports did, too.
    lines = [p for p in ports if p.get("kind") not in ("vlan", "bridge")]
    made_by_switch = sum(p.get(key, 0) for p in ports for key in ("injected", "arn_sent", "proxy_sent"))
    added = {
        "received": sum(p["rx_packets"] for p in lines), "transmitted": sum(p["tx_packets"] for p in lines),
        "generated": sum(p["notices"] + p.get("pause_sent", 0) for p in lines) + made_by_switch, "dropped": sum(p["drops"] for p in ports),
    }
    for name, have in added.items():
        if accounting[name] != have:
            wrong.append("the packet accounting says %d %s, the ports %d" % (accounting[name], name, have))
    came = added["received"] + added["generated"] + accounting.get("returned", 0) + accounting["replicated"]
    consumed = sum(p.get("consumed", 0) for p in ports)
    if accounting.get("consumed", 0) != consumed:
        wrong.append("the packet accounting says %d consumed, the ports %d" % (accounting.get("consumed", 0), consumed))
    went = added["transmitted"] + added["dropped"] + consumed + accounting["queued"]
    if came != went:
        wrong.append("%d packets came, %d went or are queued" % (came, went))
    for port in ports:
        have = sum(d["packets"] for d in document["drops"] if d["port"] == port["port"])
        if have != port["drops"]:
            wrong.append("port %s has %d drops, %d by reason" % (port["port"], port["drops"], have))
    total, by = document["notify"]["total"], collections.Counter()
    for v in document["notify"]["verdicts"]:
        by[v["outcome"]] += v["packets"]
    if total["wanted"] != total["sent"] + total["suppressed"]:
        wrong.append("%(wanted)d notices wanted, %(sent)d sent, %(suppressed)d suppressed" % total)
    for name in ("sent", "suppressed"):
        if total[name] != by[name]:
            wrong.append("%d notices %s, %d by verdict" % (total[name], name, by[name]))
    made = sum(p["notices"] for p in lines)
    if total["sent"] != made:
        wrong.append("%d notices sent, %d made" % (total["sent"], made))
    of_ports = collections.Counter()
    for p in lines:
        of_ports.update(p.get("notices_by_kind", {}))
        if "notices_by_kind" in p and sum(p["notices_by_kind"].values()) != p["notices"]:
            wrong.append("port %s has %d notices, by kind %s" % (p["port"], p["notices"], p["notices_by_kind"]))
    for kind in document["notify"].get("kinds", []):
        if kind["sent"] != of_ports[kind["kind"]]:
            wrong.append("%s: %d sent, the ports made %d" % (kind["kind"], kind["sent"], of_ports[kind["kind"]]))
    for name, want in (("arn_sent", arn), ("proxy_sent", proxied)):
        have = sum(p.get(name, 0) for p in ports)
        if have != want:
            wrong.append("%s of the ports is %d, expected %d" % (name, have, want))
    fate = document["notify"]["notices"]
    if fate.get("made", 0) != made:
        wrong.append("%d notices sent, the audit begins with %d" % (made, fate.get("made", 0)))
    if fate["carried"] + fate["made"] != fate["transmitted"] + fate["taken"] + fate["lost"] + fate["queued"] + fate["between"]:
        wrong.append("notices: %(carried)d carried, %(made)d made; %(transmitted)d transmitted, %(lost)d lost, %(queued)d queued, "
                     "%(between)d between workers" % fate)
    if fate["lost"] != sum(n for key, n in fate.items() if key.startswith("lost_")):
        wrong.append("%d notices lost, %s by reason" % (fate["lost"], {k: n for k, n in fate.items() if k.startswith("lost_")}))
    wrong.extend(wrong_kinds(document["notify"]))
    notices = collections.Counter()
    for v in document["notify"]["verdicts"]:
        if v["outcome"] == "sent":
            notices[v["port"], v.get("class")] += v["packets"]
    for q in document["queues"]:
        if "notices" in q and q["notices"] != notices[q["port"], q["class"]]:
            wrong.append("queue %s class %d caused %d notices, %d by verdict" % (
                q["port"], q["class"], q["notices"], notices[q["port"], q["class"]]))
        # What a watchdog dropped had been queued; what came during its storm had not.
        flushed = q["packets"] - q["sent"] - q["queued_packets"]
        if not 0 <= flushed <= q.get("drops", {}).get("pause_storm", 0):
            wrong.append("queue %s class %d took %d packets and sent %d" % (
                q["port"], q["class"], q["packets"], q["sent"]))
    return wrong


def check_captures(document, words, direction):
    """Counters of a port against captures: words are the port, then files."""
    records = [r for path in words[1:] for r in capture.load(path, partial=True).records
               if r.length == len(r.data) and 14 <= len(r.data) <= traffic.LONGEST]
    wrong = check_port(document, words[0], direction, [len(r.data) for r in records])
    for row in document["ports"]:
        # A sub-interface counts what it gave to the queues of its port, so what they dropped, too.
        lost = direction == "tx" and any(q.get("drops") for q in document["queues"] if q["port"] == words[0])
        if row.get("parent") == words[0] and not lost:
            found = [r.data for r in records if vlans_of(r.data) == [(0x8100, row["vlan"])]]
            wrong += check_port(document, row["port"], direction, [len(f) - 4 for f in found])
    return wrong


def vlans_of(frame):
    """[(EtherType, VLAN ID)], the outermost tag first."""
    out, at = [], 12
    while frame[at:at + 2] in (b"\x81\x00", b"\x88\xa8"):
        out.append((int.from_bytes(frame[at:at + 2], "big"), int.from_bytes(frame[at + 2:at + 4], "big") & 0xFFF))
        at += 4
    return out


def check_port(document, port, direction, lengths):
    wrong = []
    for name, want in (("packets", len(lengths)), ("bytes", sum(lengths))):
        have = report.select(document, "/ports/port=%s/%s_%s" % (port, direction, name))
        if have != want:
            wrong.append("port %s counts %s_%s %s, the captures hold %d" % (port, direction, name, have, want))
    return wrong


def check_list(document, name, words):
    """A list of the report against PORT:NAME=N words, both ways."""
    pointer, key = LISTS[name]
    have = collections.Counter()
    for row in report.select(document, pointer):
        have["%s:%s" % (row["port"], row[key])] += row["packets"]
    want = {word.rsplit("=", 1)[0]: int(word.rsplit("=", 1)[1]) for word in words}
    return ["%s %s: %d, expected %d" % (name, k, have[k], want.get(k, 0))
            for k in sorted(set(have) | set(want)) if have[k] != want.get(k, 0)]


def check(args):
    with open(args.json, encoding="utf-8") as f:
        document = json.load(f)
    wrong = check_sums(document, args.arn, args.proxied)
    for words in args.rx:
        wrong += check_captures(document, words, "rx")
    for words in args.tx:
        wrong += check_captures(document, words, "tx")
    for name in LISTS:
        if getattr(args, name) is not None:
            wrong += check_list(document, name, getattr(args, name))
    for pointer, text in getattr(args, "is"):
        have = report.number(document, pointer)
        if have != json.loads(text):
            wrong.append("%s is %s, expected %s" % (pointer, json.dumps(have), text))
    return wrong


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", required=True, metavar="FILE", help="the report")
    for name in ("rx", "tx"):
        parser.add_argument("--" + name, nargs="+", action="append", default=[], metavar=("PORT", "CAPTURE"),
                            help="what the port %s" % {"rx": "received", "tx": "sent"}[name])
    for name, (pointer, key) in LISTS.items():
        parser.add_argument("--" + name, nargs="*", metavar="PORT:%s=N" % key.upper(), help="all of %s that is not 0" % pointer)
    parser.add_argument("--arn", type=int, default=0, metavar="N", help="Adaptive Routing Notifications that the ports have made")
    parser.add_argument("--proxied", type=int, default=0, metavar="N", help="packets of a proxy to senders that the ports have made")
    parser.add_argument("--any-errors", action="store_true", help="nothing is said of errors; for who asks with --errors else")
    parser.add_argument("--is", nargs=2, action="append", default=[], metavar=("POINTER", "JSON"),
                        help="a value; what is not there counts as 0")
    wrong = check(parser.parse_args(argv))
    for w in wrong:
        print(w)
    print("counters checked, %d failures" % len(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
