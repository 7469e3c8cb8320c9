#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Check IOAM traces of an output by tshark: it must read from each well-formed one the same header and, field by field, the same data
of the newest node as fcnoracle/ioam.py and the table here, and find nothing wrong. Passes without tshark, and says so.
"""

import argparse
import collections
import os
import struct
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from fcnoracle import capture, shark, transit, walker  # noqa: E402

HEAD = ("ns", "nodelen", "remlen", "type", "flag.o")
# Bit of the trace type -> octets, and what tshark calls them: (name, first octet, octets).
FIELDS = {
    0: (4, [("hlim", 0, 1), ("id", 1, 3)]), 1: (4, [("iif", 0, 2), ("eif", 2, 2)]), 2: (4, [("tss", 0, 4)]), 3: (4, [("tsf", 0, 4)]),
    4: (4, [("trdelay", 0, 4)]), 5: (4, [("nsdata", 0, 4)]), 6: (4, [("qdepth", 0, 4)]), 7: (4, [("csum", 0, 4)]),
    8: (8, [("hlim", 0, 1), ("id_wide", 1, 7)]), 9: (8, [("iif_wide", 0, 4), ("eif_wide", 4, 4)]), 10: (8, [("nsdata_wide", 0, 8)]),
    11: (4, [("bufoccup", 0, 4)]),
}
NAMES = sorted({name for _, fields in FIELDS.values() for name, _, _ in fields})


def node_fields(trace):
    """Name -> values of the newest node, in the order of bits, as tshark shows them."""
    out, node, at = collections.defaultdict(list), trace.nodes()[0], 0
    for bit, (size, fields) in FIELDS.items():
        if trace.type & 0x800000 >> bit:
            for name, first, octets in fields:
                out[name].append(int.from_bytes(node[at + first:at + first + octets], "big"))
            at += size
    return out


def read_by_tshark(path):
    command = ["tshark", "-n", "-r", path, "-T", "fields", "-e", "frame.number"]
    for name in HEAD + tuple("node." + n for n in NAMES):
        command += ["-e", "ipv6.opt.ioam.trace." + name]
    command += ["-e", "_ws.malformed", "-e", "ipv6.opt.ioam.trace.invalid_nodelen", "-e", "ipv6.opt.ioam.trace.invalid_remlen",
                "-e", "ipv6.opt.ioam.trace.invalid_type"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    for line in done.stdout.splitlines():
        words = line.split("\t")
        yield words[1:1 + len(HEAD)], dict(zip(NAMES, words[1 + len(HEAD):])), [w for w in words[-4:] if w]


def number(text):
    return int(text, 0)


def main(argv=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, metavar="OUT.pcap")
    args = parser.parse_args(argv)
    if not shark.available():
        print("no tshark")
        return 0
    records, wrong, count = capture.load(args.out).records, [], 0
    for n, (r, (head, said, complaints)) in enumerate(zip(records, read_by_tshark(args.out)), 1):
        p = walker.walk(r.data)
        found = transit.find(p)
        if found is None or found[1].error:
            continue
        t = found[1]
        count += 1
        wrong += ["frame %d: tshark complains: %s" % (n, c) for c in complaints]
        bits = struct.unpack("!H", t.data[2:4])[0]
        want = [t.namespace, t.node_len, bits & 127, t.type, bits >> 10 & 1]
        if [number(h.split(",")[0]) for h in head] != want:
            wrong.append("frame %d: tshark reads the header %s, it is %s" % (n, head, want))
        if not t.hops:
            continue
        # tshark lists the nodes of a trace from the first hop on or from the newest on; each must be ours.
        for name, values in node_fields(t).items():
            have = [number(x) for x in said[name].split(",") if x]
            if have[:len(values)] != values:
                wrong.append("frame %d: tshark reads %s %s, the newest node has %s" % (n, name, have, values))
    for w in wrong[:12]:
        print(w)
    print("%d traces, %d failures" % (count, len(wrong)))
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
