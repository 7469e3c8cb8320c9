#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Run shipped scenarios (config/lab) in short forms through `fastcn-lab`, as cases.json lists them.

Usage: run.py --lab PATH [--case NAME]... [--leave DIR] [--few [--like DIR]] [--list]
A case is a scenario with settings; the runner adds lines to it when the case has some. It must end with the status that the
case names (0), as many of its expectations must hold as it names, and a second run, by two or three threads, must leave the same
octets in all files: result, series, captures. With a "check" a function here holds the files against arithmetic of its own. With
"below", the metrics it names are not greater than in a run with the settings it names. "captures" names those of tests/data that its own folder of captures has instead of
others. With "same", the captures are octet by octet those of a run with its settings.
With --few, only those cases run that are the first of their scenario or of their mode, and once. With --leave DIR, digests of
the files of each case are left in DIR, and a case whose files have the digests that an earlier run left there needs no second
run; nor do those few, as --few --like DIR asks for the same files of another build: its run is the second one then.
Prints one line a case, then "N passed, N failed".
"""

import argparse
import concurrent.futures
import csv
import hashlib
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "app", "fastcn-lab", "results"))

from result import metric  # noqa: E402

SCENARIOS = os.path.normpath(os.path.join(HERE, "..", "..", "config", "lab"))
DATA = os.path.normpath(os.path.join(HERE, "..", "data"))
KEYS = {"scenario", "set", "captures", "lines", "status", "hold", "fail", "check", "below", "same"}


class Failed(Exception):
    """Why a case fails."""


def expect(truth, fmt, *args):
    if not truth:
        raise Failed(fmt % args)


def capture(path):
    """Frames of a pcap file of nanoseconds: (time in ns, octets)."""
    with open(path, "rb") as f:
        data = f.read()
    expect(data[:4] == b"\x4d\x3c\xb2\xa1", "%s: not a capture of nanoseconds", path)
    at = 24
    while at < len(data):
        sec, ns, captured, _ = struct.unpack_from("<IIII", data, at)
        yield sec * 10**9 + ns, data[at + 16:at + 16 + captured]
        at += 16 + captured


def series(path, what):
    """{where: [(time in ns, value)]} of one kind of series."""
    found = {}
    with open(path, encoding="ascii", newline="") as f:
        for row in csv.DictReader(f):
            if row["what"] == what:
                found.setdefault(row["where"], []).append((int(row["time_ns"]), int(row["value"])))
    return found


def check_latency(folder, result):
    """E1 by captures: when the first Fast CNP arrives at h1 or h2, from the packet that made the queue of r full enough."""
    param = result["parameters"]
    expect((param["rate"], param["ds"], param["K"]) == ("100G", "1us", "100K"), "not the case that is meant")
    # Each packet as s1 hears of it: 1 us after its last bit left. 1126 octets of it are 90.08 ns of the next line.
    arrivals = sorted((time + 1000, name) for name in ("h1", "h2") for time, _ in capture(os.path.join(folder, name + "-s1.pcap")))
    notices = sorted(time for name in ("h1", "h2") for time, frame in capture(os.path.join(folder, "s1-%s.pcap" % name))
                     if frame[12:14] == b"\x86\xdd" and frame[20] == 60 and len(frame) == 118)
    expect(notices, "no Fast CNP in the captures")
    # A notice of 142 octets on the line left 11.36 ns after it was decided, which is at an arrival.
    decided = notices[0] - 11.36
    expect(min(abs(time - decided) for time, _ in arrivals) <= 1, "the first notice is %s, no arrival was then", notices[0])
    came = sum(time <= decided + 1 for time, _ in arrivals)
    first = arrivals[0][0]
    left = (decided - first) / 90.08
    queued = (came - left) * 1102
    expect(100000 <= queued <= 100000 + 2 * 1102, "it was decided with about %d octets in the queue", queued)


def check_jump(folder, result):
    """DCQCN's step at the end of silence, of each sender: half the way to the line's rate, 300 us after its last cut."""
    expect(result["parameters"]["clamp"] == "off", "not the case that is meant")
    rates = series(os.path.join(folder, "series.csv"), "rate")
    expect(len(rates) == 8, "rates of %d senders", len(rates))
    times = []
    for where, points in rates.items():
        jumps = [i for i in range(1, len(points)) if points[i][1] > points[i - 1][1]]
        expect(jumps, "%s: no jump", where)
        (cut, low), (time, high) = points[jumps[0] - 1], points[jumps[0]]
        expect(time - cut == 300000, "%s: it jumps %d ns after its last cut", where, time - cut)
        expect(abs(high - (low + 100 * 10**9) // 2) <= 1, "%s: from %d to %d", where, low, high)
        times.append(time)
    expect(max(times) - min(times) < 300000, "jumps within %d ns are not together", max(times) - min(times))


def check_writes(folder, result):
    """Messages of h1 are RDMA WRITEs: 244 packets of 4096 bytes and one of 576 each, the first with a RETH of where and how much."""
    messages = 8 * int(result["parameters"]["messages"])
    frames = [f for _, f in capture(os.path.join(folder, "h1-s1.pcap")) if f[12:14] == b"\x86\xdd"]
    found = {(op, length): 0 for op, length in ((6, 4190), (7, 4174), (8, 654))}
    for frame in frames:
        key = (frame[62], len(frame))
        expect(key in found, "opcode %d of %d octets", *key)
        found[key] += 1
        if key[0] == 6:
            address, _, length = struct.unpack_from(">QII", frame, 74)
            expect(address % 10**6 == 0 and address < messages // 8 * 10**6 and length == 10**6, "%d octets to %d", length, address)
    expect(list(found.values()) == [messages, 243 * messages, messages], "packets of each kind: %s", found)


def check_held(folder, result):
    """A flow that is held, by captures: which packets wait, when the first of them leaves, and the order of all."""
    param = result["parameters"]
    expect((param["fault"], param["rate"], param["ds"], param["begin"], param["hold"]) == ("none", "10G", "1us", "100us", "200us"),
           "not the case that is meant")
    message = [time for time, frame in capture(os.path.join(folder, "x-s1.pcap")) if frame[20] == 17]
    expect(len(message) == 1, "%d messages", len(message))
    begin, end = message[0] + 1000, message[0] + 1000 + 200000
    came = [(time + 1000, frame[71:74]) for time, frame in capture(os.path.join(folder, "h-s1.pcap")) if len(frame) == 1102]
    left = [(time, frame[71:74]) for time, frame in capture(os.path.join(folder, "s1-r.pcap")) if len(frame) == 1102]
    expect([psn for _, psn in came] == [psn for _, psn in left], "not the same packets in the same order")
    waited = sum(begin <= time < end for time, _ in came)
    expect(waited == result["switch"]["s1"]["arn"]["held"]["packets_max"], "%d packets came while it was held", waited)
    before = sum(time < begin for time, _ in came)
    # A packet leaves 900.8 ns before its last bit has left.
    expect(abs(left[before][0] - 900.8 - end) <= 1, "the first packet leaves at %s, the hold ends at %s", left[before][0] - 900.8, end)
    for i in range(before + 1, before + waited):
        gap = left[i][0] - left[i - 1][0]
        expect(gap in (900, 901), "%d ns between packets that have waited", gap)


def roce(frame):
    """Of a RoCEv2 frame over IPv6: source, destination, UDP source port, opcode, P_Key, queue pair. Of any other: None."""
    if frame[12:14] != b"\x86\xdd" or frame[20] != 17 or frame[56:58] != b"\x12\xb7":
        return None
    return frame[22:38], frame[38:54], frame[54:56], frame[62], frame[64:66], int.from_bytes(frame[67:70], "big")


def icrc_of(frame):
    """The ICRC that a RoCEv2 frame over IPv6 should have: what routers change counts as ones."""
    masked = bytearray(b"\xff" * 8 + frame[14:-4])
    masked[8] |= 0x0F
    for at in (9, 10, 11, 15, 54, 55, 60):  # traffic class and flow label, hop limit, UDP checksum, resv8a of the BTH
        masked[at] = 0xFF
    return zlib.crc32(bytes(masked)).to_bytes(4, "little")


def check_queue_pairs(folder, result):
    """Each CNP that came to a host names one of its flows, by receiver and UDP source port, and the queue pair of this host to
    which the acknowledgements of the flow go. It is what this receiver would send; nothing else but RoCEv2 came."""
    expect((result["parameters"]["d"], result["parameters"]["latency"]) == ("1us", "2us"), "not the case that is meant")
    found = 0
    names = [name[:-5].split("-") for name in os.listdir(folder) if name.endswith(".pcap")]
    hosts = [(host, leaf) for host, leaf in names if host[0] in "ab"]
    expect(hosts, "no captures of senders")
    for host, leaf in hosts:
        sent = [f for _, f in capture(os.path.join(folder, "%s-%s.pcap" % (host, leaf)))]
        # What arrives after the end is in the capture, too.
        came = [(t, f) for t, f in capture(os.path.join(folder, "%s-%s.pcap" % (leaf, host))) if t + 3000 <= result["end_ns"]]
        data = {(roce(f)[1], roce(f)[2]): f for f in sent if roce(f) and roce(f)[3] < 6}
        own, cnps = {}, []
        for time, frame in came:
            if frame[12:14] == b"\x88\x08":  # a pause
                continue
            expect(roce(frame), "%s got a frame that is not RoCEv2", host)
            source, _, port, opcode, _, qp = roce(frame)
            if opcode == 0x81:
                cnps.append((time, frame))
            else:
                expect(opcode == 0x11 and own.setdefault((source, port), qp) == qp, "%s: one port, two queue pairs", host)
        for time, frame in cnps:
            source, destination, port, _, key, qp = roce(frame)
            expect((source, port) in data, "%s got a CNP about a flow that it does not have", host)
            expect((source, port) in own, "%s got no acknowledgement of a flow of which it got a CNP", host)
            about = data[source, port]
            expect(qp == own[source, port], "%s got a CNP to queue pair %d, the flow has %d", host, qp, own[source, port])
            expect((destination, key) == (about[22:38], about[64:66]), "%s got a CNP with another address or P_Key", host)
            is_closed = "brief" in result["flow"] and 10 <= qp <= 17
            expect(not is_closed or time <= 60000 + 100, "%s got a CNP %d ns after its queue pair was closed", host, time - 60000)
            found += not is_closed or time + 3000 < 60000
            expect(frame[-4:] == icrc_of(frame) and about[-4:] == icrc_of(about), "%s got a CNP with a wrong ICRC", host)
    received = sum(result["host"][host]["cnp_received"] for host, _ in hosts)
    expect(found == received > 0, "%d CNPs in captures, hosts counted %d", found, received)


CHECKS = {"latency": check_latency, "jump": check_jump, "writes": check_writes, "held": check_held, "queue pairs": check_queue_pairs}


def run(lab, case, scenario, folder, threads=1):
    command = [lab, scenario, "--out", folder, "--no-plots", "--quiet", "--threads", str(threads)]
    for name, value in case.get("set", {}).items():
        command += ["--set", "%s=%s" % (name, value)]
    for line in case.get("lines", []):
        command += ["--line", line]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300, check=False)
    expect(done.returncode == case.get("status", 0), "status %d: %s", done.returncode, told(folder, done.stdout.decode(errors="replace")))


def told(folder, said):
    """What went wrong: expectations that failed, or what the program said."""
    try:
        with open(os.path.join(folder, "result.json"), encoding="utf-8") as f:
            return "; ".join("%s: %s against %s" % (e["text"], e.get("left"), e.get("right", e.get("error")))
                             for e in json.load(f)["expectations"] if not e["ok"])
    except (OSError, ValueError, KeyError):
        return said


def check_below(lab, case, scenario, folder, result):
    """Claims that one way is better than another."""
    other = dict(case, set=case.get("set", {}) | case["below"]["set"])
    run(lab, other, scenario, folder)
    with open(os.path.join(folder, "result.json"), encoding="utf-8") as f:
        worse = json.load(f)
    for path in case["below"]["metrics"]:
        expect(metric(result, path) <= metric(worse, path), "%s: %s, with %s %s", path, metric(result, path), case["below"]["set"],
               metric(worse, path))


def check_same(lab, case, scenario, folder, other):
    """Claims that something changes nothing on any line that is captured."""
    run(lab, dict(case, set=case.get("set", {}) | case["same"]), scenario, other)
    first, second = ({name: octets for name, octets in files_of(f).items() if name.endswith(".pcap")} for f in (folder, other))
    expect(first and first.keys() == second.keys(), "captures %s against %s", sorted(first), sorted(second))
    for name, octets in first.items():
        expect(octets == second[name], "%s is another with %s", name, case["same"])


def files_of(folder):
    found = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), "rb") as f:
            found[name] = f.read()
    return found


def threads_of(name):
    """Threads of the second run of a case: two of half of them, and three of the others."""
    return 2 + hashlib.sha256(name.encode()).digest()[0] % 2


def check_repeat(lab, name, case, scenario, once, twice):
    run(lab, case, scenario, twice, threads_of(name))
    first, second = files_of(once), files_of(twice)
    expect(first.keys() == second.keys(), "the second run left other files: %s", sorted(first.keys() ^ second.keys()))
    for file, octets in first.items():
        expect(octets == second[file], "%s differs in the second run, of %d threads", file, threads_of(name))


def digests(folder):
    return {name: hashlib.sha256(octets).hexdigest() for name, octets in files_of(folder).items()}


def check_like(name, like, folder):
    """The files of a run are those that another build left."""
    with open(os.path.join(like, name + ".json"), encoding="utf-8") as f:
        first, second = json.load(f), digests(folder)
    expect(first.keys() == second.keys(), "the other build left other files: %s", sorted(first.keys() ^ second.keys()))
    other = sorted(name for name in first if first[name] != second[name])
    expect(not other, "not as the other build left them: %s", ", ".join(other))


def was_left(name, where, folder):
    """Whether an earlier run left the same files."""
    try:
        with open(os.path.join(where, name + ".json"), encoding="utf-8") as f:
            return json.load(f) == digests(folder)
    except FileNotFoundError:
        return False


def leave(name, where, folder):
    with open(os.path.join(where, name + ".json"), "w", encoding="utf-8") as f:
        json.dump(digests(folder), f)


def own_captures(case, scenario, where):
    """The case with a folder of captures under other names, as a user would give; and the scenario, copied to beside that folder.
    The path of the folder is relative to the scenario, so that a result, which tells it, is the same wherever this is."""
    folder = os.path.join(where, "captures")
    os.mkdir(folder)
    for name, source in case["captures"].items():
        shutil.copy(os.path.join(DATA, source + ".pcap"), os.path.join(folder, name + ".pcap"))
    return dict(case, set=case.get("set", {}) | {"captures": "captures"}), shutil.copy(scenario, where)


def try_case(options, name, case, folder):
    lab = options.lab
    unknown = set(case) - KEYS
    expect(not unknown, "unknown keys %s", sorted(unknown))
    scenario = os.path.join(SCENARIOS, case["scenario"])
    if "captures" in case:
        case, scenario = own_captures(case, scenario, folder)
    once = os.path.join(folder, "once")
    run(lab, case, scenario, once, threads_of(name) if options.like else 1)
    with open(os.path.join(once, "result.json"), encoding="utf-8") as f:
        result = json.load(f)
    held = sum(e["ok"] for e in result["expectations"])
    failed = len(result["expectations"]) - held
    expect(held == case["hold"], "%d expectations hold, not %d", held, case["hold"])
    expect(failed == case.get("fail", 0), "%d expectations fail, not %d", failed, case.get("fail", 0))
    expect(not result["violations"], "broken invariants: %s", result["violations"])
    check_accounting(result)
    if options.like:
        check_like(name, options.like, once)
    elif not options.few:
        if not options.leave or not (name in options.firsts or was_left(name, options.leave, once)):
            check_repeat(lab, name, case, scenario, once, os.path.join(folder, "twice"))
        if options.leave:
            leave(name, options.leave, once)
    if "check" in case:
        CHECKS[case["check"]](once, result)
    if "below" in case:
        check_below(lab, case, scenario, os.path.join(folder, "below"), result)
    if "same" in case:
        check_same(lab, case, scenario, once, os.path.join(folder, "same"))


def check_accounting(result):
    """Packets of each switch, from what it and the links say: what came in is somewhere, and drops have reasons."""
    came = {}
    for link in result["link"].values():
        came[link["to"]] = came.get(link["to"], 0) + link["delivered"]
    for name, switch in result["switch"].items():
        c = switch["conservation"]
        entered = c["received"] + c["generated"] + c["replicated"] + c.get("returned", 0) + c.get("carried", 0)
        left = c["transmitted"] + c["dropped"] + c["consumed"] + c["queued"]
        expect(c["ok"] and entered == left, "%s: %d packets entered, %d left: %s", name, entered, left, c)
        reasons = sum(row["packets"] for row in switch["drops"])
        expect(reasons == c["dropped"], "%s: %d packets were dropped, %d for a reason", name, c["dropped"], reasons)
        # Counters begin anew at a restart, and when they are cleared; a link without a port loses what it delivers.
        links = sum(link["to"] == name for link in result["link"].values())
        if not switch["restarts"] and "carried" not in c and len(switch["ports"]) == links:
            expect(c["received"] == came[name], "%s received %d of %d packets", name, c["received"], came[name])


def firsts(cases):
    """Names of the cases that are the first of their scenario or of their mode."""
    found, seen = [], set()
    for name, case in cases.items():
        what = {case["scenario"], case.get("set", {}).get("mode")}
        if what - seen:
            found.append(name)
        seen |= what
    return found


def outcome(options, cases, name):
    """The name, and why the case fails: None when it passes."""
    try:
        expect(name in cases, "there is no such case")
        with tempfile.TemporaryDirectory() as folder:
            try_case(options, name, cases[name], folder)
    except (Failed, OSError, subprocess.TimeoutExpired) as e:
        return name, e
    return name, None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--lab")
    parser.add_argument("--case", action="append")
    parser.add_argument("--few", action="store_true", help="a case of each scenario and of each mode, once")
    parser.add_argument("--leave", metavar="DIR", help="leave digests of the files of each case here")
    parser.add_argument("--like", metavar="DIR", help="the files of the few must have the digests that are here")
    parser.add_argument("--list", action="store_true", help="names of all cases")
    options = parser.parse_args()
    with open(os.path.join(HERE, "cases.json"), encoding="utf-8") as f:
        cases = json.load(f)
    options.firsts = firsts(cases)
    names = options.case or (options.firsts if options.few else list(cases))
    if options.list:
        print("\n".join(names))
        return 0
    if options.leave:
        os.makedirs(options.leave, exist_ok=True)
    missing = set(os.listdir(SCENARIOS)) - {case["scenario"] for case in cases.values()}
    missing = [name for name in missing if name.endswith(".lab")]
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() + 1) as pool:
        for name, why in pool.map(lambda name: outcome(options, cases, name), names):
            passed += why is None
            failed += why is not None
            print("ok      %s" % name if why is None else "FAILED  %s: %s" % (name, why), flush=True)
    if not options.case and missing:
        failed += 1
        print("FAILED  scenarios without a case: %s" % ", ".join(sorted(missing)))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
