# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What `show queue json`, `show notify json` and their neighbours say of a switch, for people: limits, tables, tiles."""

import re

import units
from model import Table, Tile, whole
from result import items, member, number

THRESHOLDS = (("threshold", "enter_bytes"), ("Kmin", "kmin_bytes"), ("Kmax", "kmax_bytes"), ("Qeq", "qeq_bytes"))


def quantity(name, value, unit=""):
    """Such as 12.34 µs, by the end of the name: _ns or _bps."""
    return re.sub(r"(?<=[0-9])(?=[A-Za-z])", "\u202f", units.quantity(name, value) + unit).replace("us", "\u00b5s")


def time(ns):
    return quantity("x_ns", ns) if ns else "0"


def limits(row):
    """Of a queue, in the configuration that was in force: [(name, bytes)]."""
    found = [(name, number(row, "thresholds", key)) for name, key in THRESHOLDS] + [("limit", number(row, "limit_bytes"))]
    return [(name, int(size)) for name, size in found if size > 0]


def levels(row):
    """From how many bytes on each congestion level is; none where the detector does not measure bytes."""
    if not any(number(row, "thresholds", key) for _, key in THRESHOLDS):
        return []
    return [int(n) for n in items(member(row, "thresholds", "level_from")) if isinstance(n, int)]


def setting(row):
    """Such as "step 30000 B, limit 4096 packets, notices on"."""
    if not row:
        return ""
    found = ["detector " + str(member(row, "threshold"))]
    if number(row, "thresholds", "leave_bytes"):
        found.append("leave at %s B" % whole(number(row, "thresholds", "leave_bytes")))
    found.append("notices " + ("on" if member(row, "notify") is True else "off"))
    found.append("ECN " + ("on" if member(row, "ecn") is True else "off"))
    return ", ".join(found)


def notice_tile(total):
    return Tile("notices sent", whole(number(total, "sent")), "of %s wanted; %s suppressed" % (
        whole(number(total, "wanted")), whole(number(total, "suppressed"))))


def first_tiles(latency):
    """When the first notice was decided, from the first packet on, and how long it took until its last bit was sent."""
    if member(latency, "first_notice_ns") is None:
        return []
    after = number(latency, "first_notice_ns") - number(latency, "first_congested_ns")
    note = "%s after congestion began" % (time(after) if after else "0 ns")
    if member(latency, "first_latency_ns") is not None:
        note += "; sent in " + time(number(latency, "first_latency_ns"))
    return [Tile("first notice", time(number(latency, "first_notice_ns")), note)]


def drop_tile(accountings):
    """Of the packet accountings of switches. What was received and all that was made of it may be dropped."""
    dropped = sum(number(one, "dropped") for one in accountings)
    all_packets = sum(number(one, key) for one in accountings for key in ("received", "generated", "replicated"))
    return Tile("drops", whole(dropped), "%.3g %% of %s packets, with copies and notices" % (100 * dropped / all_packets, whole(all_packets)) if all_packets else "")


def pick(heading, rows, columns):
    """A table of some members of rows: columns are (key, name) or keys; a name that ends in _ns is of times."""
    columns = [(c, c) if isinstance(c, str) else c for c in columns]
    return Table(heading, [name for _, name in columns], [[member(row, *key.split(".")) for key, _ in columns] for row in rows])


def other_tables(result, known):
    """Lists of objects that a result has beside those that are known, also within an object: tables of their numbers and texts."""
    for key, value in result.items() if isinstance(result, dict) else ():
        if key in known:
            continue
        inside = [(key + ", " + name, rows) for name, rows in value.items()] if isinstance(value, dict) else [(key, value)]
        for name, rows in inside:
            rows = [row for row in items(rows) if isinstance(row, dict)]
            columns = dict.fromkeys(column for row in rows for column, cell in row.items() if not isinstance(cell, (dict, list)))
            if columns:
                yield pick(name.replace("_", " ").capitalize(), rows, list(columns))


def queue_table(rows):
    return pick("Queues (bytes; whole run)", rows, ("switch", "port", "class", ("threshold", "detector"), ("limit_bytes", "limit"), "packets", "dropped",
                ("occ_avg", "average"), ("occ_max", "highest"), ("occ_last", "at the end"), ("enters", "times congested"), "congested_packets",
                ("ce_marked", "CE-marked"), "notices"))


def verdict_table(rows):
    return pick("Notices by kind and verdict", rows, ("switch", "port", "class", "kind", "outcome", "verdict", "packets", ("verdict_text", "means")))


def drop_table(rows):
    return pick("Drops by port and reason", rows, ("switch", "port", "reason", "packets", ("queues", "at queues"), ("text", "means"), ("reason_text", "means ")))


def port_table(rows):
    return pick("Ports", rows, ("switch", "port", "mode", "link_bps", "rx_packets", "rx_bytes", "tx_packets", "tx_bytes", "drops", "notices"))


def input_table(rows):
    return pick("Packets of the inputs, and those left out", rows, ("port", "packets", "bytes", "filtered", "truncated", "oversize", "runt", "backwards",
                "no_mbuf", "file_errors"))


def episode_table(rows):
    return pick("Congestion episodes", rows, ("switch", "port", "class", "start_ns", "end_ns", "duration_ns", ("peak_bytes", "highest"), "notices", ("marked", "CE-marked"),
                "dropped", "flows", ("max_level", "highest level")))
