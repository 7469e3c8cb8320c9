#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Frames of the regression cases, each explained by the console command `explain` and then really received by the same port of the
same configuration: the packet trace of the real one has the same stages with the same decisions, and what `explain` said of the
ports by which packets leave is what they have sent. The captures are read and written by the functions of the oracles.

Usage: test_explain.py FASTCN [CASE...]
"""

import concurrent.futures
import json
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "oracle"))
sys.path.insert(0, HERE)

from fcnoracle import capture  # noqa: E402
import run  # noqa: E402

# Cases, and how many different frames of each are tried.
CASES = {
    "route-odd": 60, "malformed-route": 12, "route-ecmp": 8, "srv6-endcon": 12, "srv6-end": 8, "srv6-dt": 8, "srv6-errors": 12,
    "srv6-headend": 4, "srv6-steering": 6, "srv6-pnode": 2, "border": 12, "border-cnp": 3, "border-local-sids": 4, "untrusted": 6,
    "vlan": 8, "vlan-router": 6, "bridge-v6": 2, "bridge-interface": 4, "malformed-bridge": 8, "flood-clone": 2, "storm-drop": 2,
    "dscp-routed": 3, "class-map": 3, "tables": 4, "proxy-option": 6, "ioam-strip": 3, "ioam-odd": 6, "ioam-routed": 2,
    "arn-receive": 6, "proxy-refused": 6, "pfc-receive": 2, "buffer-one": 1, "opt2-vectors": 3, "cnm-send": 3,
}
MIN_FRAME = 60


def frames_of(case, most):
    """Pairs of a port and a frame that it receives, no two the same."""
    seen, frames = set(), []
    for port, files in case.inputs.items():
        for item in files:
            for record in capture.load(case.input_file(item["file"])).records:
                if (port, record.data) not in seen and 0 < len(record.data):
                    seen.add((port, record.data))
                    frames.append((port, record.data))
    step = max(1, len(frames) // most)
    return frames[::step][:most]


def values_of(text):
    """The JSON values that follow each other in a text."""
    decoder, at, values = json.JSONDecoder(), 0, []
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        value, at = decoder.raw_decode(text, at)
        values.append(value)
    return values


def steps_of(packet):
    return [(s["stage"], s["decision_text"]) for s in packet["steps"] if s["stage"] != "transmit"]


def sent_by(folder, port):
    path = os.path.join(folder, port + ".out")
    return sorted(max(len(r.data), MIN_FRAME) for r in capture.load(path).records)


def compare(case, fastcn, port, data):
    """One frame. @return what is wrong, or None"""
    with tempfile.TemporaryDirectory() as d:
        one = os.path.join(d, "one.pcap")
        with open(one, "wb") as f:
            f.write(struct.pack("<IHHiIIIIIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1, 0, 0, len(data), len(data)) + data)
        conf = os.path.join(case.path, run.CONF)
        command = [fastcn, "replay", conf, "--in", "%s=%s" % (port, one), "--quiet", "--mbufs", run.MBUFS,
                   "--before", "explain in %s capture %s frame 1 json; trace add 1" % (port, one), "--after", "show trace json"]
        for out in case.outputs:
            command += ["--out", "%s=%s" % (out, os.path.join(d, out + ".out"))]
        done = subprocess.run(command, cwd=d, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode not in (0, 4):  # 4: the packet was dropped
            return "exit status %d: %s%s" % (done.returncode, done.stdout[-400:], done.stderr[-400:])
        explained, traced = values_of(done.stdout)
        want, got = steps_of(traced[0]), steps_of(explained)
        if want != got:
            return "explained as\n      %s\n    but it was\n      %s" % (got, want)
        with open(conf, encoding="utf-8") as f:
            text = f.read()
        # The host functions and neighbours have more to send, and some notices wait for their time.
        if "set host on" in text or "arn" in text or "proxy receive" in text or explained["outcome"] != "forwarded":
            return None
        for out in case.outputs:
            said = sorted(max(o["bytes"], MIN_FRAME) for o in explained["outputs"] if o["port"] == out)
            if said != sent_by(d, out):
                return "%s: %s bytes are said, %s were sent" % (out, said, sent_by(d, out))
    return None


def main():
    fastcn = os.path.abspath(sys.argv[1])
    wanted = sys.argv[2:] or list(CASES)
    work = []
    for name in wanted:
        case = run.Case(os.path.join(HERE, name))
        work += [(case, port, data) for port, data in frames_of(case, CASES.get(name, 1000))]
    failed, outcomes = 0, set()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda w: compare(w[0], fastcn, w[1], w[2]), work)
        for (case, port, data), wrong in zip(work, results):
            if wrong:
                failed += 1
                print("%s: %s, %s: %s" % (case.name, port, data[:128].hex(), wrong))
            outcomes.add(case.name)
    print("%d frames of %d cases, %d failed" % (len(work), len(outcomes), failed))
    return 1 if failed or not work else 0


if __name__ == "__main__":
    sys.exit(main())
