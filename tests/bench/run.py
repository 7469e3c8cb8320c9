#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
"""Cycles per packet of fastcn beside those of DPDK's testpmd on the same ports.

Programs take turns, round after round; every figure is a median of short chunks,
and the best round stands. README.md says how to read the table.
"""

import argparse
import json
import os
import platform
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile

from testpmd import Testpmd, quantiles

HUGEPAGES = "/proc/sys/vm/nr_hugepages"
MEGABYTES = 256
PAGE = 2  # MB
SPARE = 44  # pages
EAL = ["-l", "0,1", "--no-pci", "--no-telemetry", "--log-level=*:error"]
ROUTE_TARGET = 2.0     # times testpmd io
NOTICE_TARGET = 165.0  # cycles
DETECTOR_TARGET = 5.0  # cycles that the detector may cost
VARIANTS = {
    "off": "detector off", "step": "detector step", "red": "detector red", "qcn": "detector qcn",
    "sojourn": "detector sojourn", "rate": "detector rate", "shared": "shared buffer",
    "lossless": "lossless class", "bare": "bare ports",
}
SRV6 = {
    "end": "End", "end_dt6": "End.DT6", "end_con": "END.CON", "p_node": "P node",
    "encaps": "H.Encaps", "encaps_red": "H.Encaps.Red", "no_srh": "single segment",
    "paths": "H.Encaps.Red, 3 lists",
}
SPREAD = 0.10          # between the quartiles of the rounds' ratios: more is uncertain


class Memory:
    """Hugepages for the duration, else none."""

    def __init__(self, wanted, megabytes=MEGABYTES):
        self.wanted = wanted
        self.megabytes = megabytes
        self.pages = 2 * megabytes // PAGE + SPARE  # both programs, for a moment
        self.before = None
        self.name = "no-huge"
        self.eal = ["--no-huge", "--no-shconf", "-m", str(2 * megabytes)]

    def __enter__(self):
        if self.wanted == "huge" or self.wanted == "auto":
            with open(HUGEPAGES) as f:
                there = int(f.read())
            if there < self.pages:
                try:
                    with open(HUGEPAGES, "w") as f:
                        f.write(str(self.pages))
                    self.before = there
                except OSError as e:
                    if self.wanted == "huge":
                        raise SystemExit(f"{HUGEPAGES}: {e}")
            with open(HUGEPAGES) as f:
                if int(f.read()) >= self.pages:
                    self.name = "2 MB pages"
                    self.eal = ["--in-memory", "-m", str(self.megabytes)]
        return self

    def __exit__(self, *exc):
        if self.before is not None:
            with open(HUGEPAGES, "w") as f:
                f.write(str(self.before))


class Case:
    """Ports, and what is measured on them."""

    def __init__(self, name, vdevs, options, mbufs, start="start", notice=()):
        self.name = name
        self.eal = [a for v in vdevs for a in ("--vdev", v)]
        self.options = options
        self.mbufs = mbufs
        self.start = start    # what testpmd is told
        self.notice = notice  # further options of bench_notice, one run for each
        self.rounds = []      # of {variant: quantiles}

    def run_program(self, program, eal, more):
        command = [program, *eal, *self.eal, "--", *self.options, *more]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=300)
        if done.returncode != 0:
            raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}")
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    def run_round(self, args, eal):
        found = {}
        for line in self.run_program(args.path, eal, ["--rounds", "4"]):
            found[line["variant"]] = line
        for more in self.notice:
            prefix = "notice" + "".join(o.replace("--", "_") for o in more)
            for line in self.run_program(args.notice, eal, ["--rounds", "4", *more]):
                found[f"{prefix}:{line['variant']}"] = line
        with Testpmd(args.testpmd, [*eal, *self.eal], self.mbufs) as pmd:
            for mode in ("io", "macswap"):
                found["testpmd " + mode] = quantiles(
                    pmd.measure(mode, self.start, args.samples, 0.001))
        self.rounds.append(found)

    def median(self, variant):
        return statistics.median(r[variant]["median"] for r in self.rounds)

    def best(self, variant):
        return min(r[variant]["median"] for r in self.rounds)

    def ratio(self, variant, base):
        """Of the best rounds, the median of the rounds' own ratios, and how far those lie apart."""
        ratios = sorted(r[variant]["median"] / r[base]["median"] for r in self.rounds)
        middle = statistics.quantiles(ratios, n=4) if len(ratios) > 1 else ratios * 3
        return (self.best(variant) / self.best(base), statistics.median(ratios),
                middle[2] / middle[0] - 1)


def pcap_devices(prefix):
    return [f"net_pcap{p},rx_pcap={prefix}{p}.pcap,infinite_rx=1" for p in range(2)]


def make_cases(args, directory):
    def written(name, *options):
        prefix = os.path.join(directory, name)
        subprocess.run([args.path, "--write-pcap", prefix, *options], check=True)
        return pcap_devices(prefix)

    size = 78 + args.payload
    payload = ["--payload", str(args.payload)]
    pcap = ["--source", "pcap"]
    plain = written("route", *payload)
    return [
        Case("route, net_pcap", plain, pcap, 16384, notice=((), ("--events",))),
        Case("route, net_pcap, 2000 routes", plain, [*pcap, "--routes", "2000"], 16384),
        Case("route, net_pcap, IOAM trace", written("trace", "--trace", *payload), pcap, 16384,
             notice=((),)),
        *(Case(f"{name}, net_pcap", written(kind, "--srv6", kind, *payload),
               [*pcap, "--srv6", kind], 16384, notice=((),) if kind == "p_node" else ())
          for kind, name in SRV6.items()),
        Case("route, net_null", [f"net_null{p},size={size}" for p in range(2)],
             ["--source", "null", *payload], 2048),
        Case("route, net_ring", ["net_ring0", "net_ring1"], ["--source", "ring", *payload], 16384,
             start="start tx_first 16"),
        Case("bridge, net_pcap", written("bridge", "--bridged", *payload),
             [*pcap, "--bridged"], 16384),
    ]


def path_rows(case):
    rows = []
    for variant, name in VARIANTS.items():
        io, io_median, spread = case.ratio(variant, "testpmd io")
        macswap, _, _ = case.ratio(variant, "testpmd macswap")
        rows.append({
            "path": case.name,
            "variant": name,
            "median": case.median(variant),
            "fastcn": case.best(variant),
            "testpmd_io": case.best("testpmd io"),
            "testpmd_macswap": case.best("testpmd macswap"),
            "ratio_io": io,
            "ratio_io_median": io_median,
            "ratio_macswap": macswap,
            "spread": spread,
        })
    return rows


def notice_rows(case):
    rows = []
    for key in case.rounds[0]:
        what, _, variant = key.partition(":")
        if variant in ("all_in", "build_option1", "build_option2"):
            rows.append({"path": case.name, "run": what, "variant": variant,
                         "median": case.median(key), "cycles": case.best(key)})
    return rows


def measure_cache(program, eal, rounds):
    """The best round of each variant of bench_cache."""
    best = {}
    for _ in range(rounds):
        done = subprocess.run([program, *eal], stdout=subprocess.PIPE, text=True, timeout=300,
                              check=True)
        for line in done.stdout.splitlines():
            if line.startswith("{"):
                found = json.loads(line)
                before = best.setdefault(found["variant"], found)
                if found["median"] < before["median"]:
                    best[found["variant"]] = found
    return list(best.values())


def judge(paths, notices):
    """The figures that matter, with their targets."""
    off, step = (next(r for r in paths
                      if r["path"] == "route, net_pcap" and r["variant"] == "detector " + d)
                 for d in ("off", "step"))
    notice = next(r for r in notices if r["path"] == "route, net_pcap" and r["run"] == "notice"
                  and r["variant"] == "all_in")
    return [
        {"what": "IPv6 path, detector on, net_pcap, times testpmd io",
         "value": step["ratio_io"], "target": ROUTE_TARGET,
         "met": step["ratio_io"] <= ROUTE_TARGET, "uncertain": step["spread"] > SPREAD},
        {"what": "detector step above detector off, cycles",
         "value": step["fastcn"] - off["fastcn"], "target": DETECTOR_TARGET,
         "met": step["fastcn"] - off["fastcn"] <= DETECTOR_TARGET,
         "uncertain": step["spread"] > SPREAD},
        {"what": "Fast CNP all in, cycles",
         "value": notice["cycles"], "target": NOTICE_TARGET,
         "met": notice["cycles"] <= NOTICE_TARGET, "uncertain": False},
    ]


def print_tables(report):
    print(f"\n{report['cpu']}, {report['memory']}, {report['rounds']} rounds, "
          f"frames of {report['frame_bytes']} bytes; cycles of the TSC per packet\n")
    print(f"{'path':30} {'variant':14} {'median':>7} {'fastcn':>7} {'io':>6} {'macswap':>8} "
          f"{'/io':>6} {'median':>6} {'/macswap':>8} {'spread':>7}")
    for r in report["paths"]:
        print(f"{r['path']:30} {r['variant']:14} {r['median']:7.1f} {r['fastcn']:7.1f} "
              f"{r['testpmd_io']:6.1f} {r['testpmd_macswap']:8.1f} {r['ratio_io']:6.2f} "
              f"{r['ratio_io_median']:6.2f} "
              f"{r['ratio_macswap']:8.2f} {r['spread']:7.0%}")
    print(f"\n{'notice on':30} {'run':14} {'figure':14} {'median':>7} {'cycles':>7}")
    for r in report["notices"]:
        print(f"{r['path']:30} {r['run']:14} {r['variant']:14} {r['median']:7.1f} {r['cycles']:7.1f}")
    if report["cache"]:
        print(f"\n{'suppression cache':30} {'flows':>9} {'MB':>4} {'cycles':>7} {'displaced':>10} "
              f"{'predicted':>10}")
    for r in report["cache"]:
        print(f"{r['variant']:30} {r['flows']:9} {r['megabytes']:4.0f} {r['median']:7.1f} "
              f"{r['displaced']:10.4%} {r['predicted']:10.4%}")
    print()
    for j in report["targets"]:
        print(f"{'met' if j['met'] else 'MISSED':6} {j['what']}: {j['value']:.2f}, "
              f"target at most {j['target']:g}" +
              (" (rounds differ much: run it again)" if j["uncertain"] else ""))


def cpu_name():
    try:
        with open("/proc/cpuinfo") as f:
            return next(line.split(":", 1)[1].strip() for line in f
                        if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--path", required=True, help="the program bench_path")
    parser.add_argument("--notice", required=True, help="the program bench_notice")
    parser.add_argument("--cache", help="the program bench_cache")
    parser.add_argument("--testpmd", default=shutil.which("dpdk-testpmd"))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--samples", type=int, default=200, help="of testpmd, each mode and round")
    parser.add_argument("--payload", type=int, default=0, help="bytes of RoCEv2 payload")
    parser.add_argument("--memory", choices=("auto", "huge", "none"), default="auto")
    parser.add_argument("--eal", default="--force-max-simd-bitwidth=512",
                        help="further EAL options, for both sides")
    parser.add_argument("--only", default="", help="only cases whose name has this in it")
    parser.add_argument("--json", metavar="FILE", help="write the figures there as well")
    parser.add_argument("--strict", action="store_true", help="fail when a target is missed")
    args = parser.parse_args()
    args.path, args.notice = os.path.abspath(args.path), os.path.abspath(args.notice)
    if args.testpmd is None:
        raise SystemExit("dpdk-testpmd is needed (package dpdk-dev)")

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # hugepages are given back
    with Memory(args.memory) as memory, tempfile.TemporaryDirectory() as directory:
        cases = [c for c in make_cases(args, directory) if args.only in c.name]
        eal = [*EAL, *memory.eal, *args.eal.split()]
        for n in range(args.rounds):
            for case in cases:
                print(f"round {n + 1}/{args.rounds}: {case.name}", file=sys.stderr)
                case.run_round(args, eal)
        cache = []
        if args.cache and args.only in "suppression cache":
            cache = measure_cache(os.path.abspath(args.cache), eal, args.rounds)

    report = {"cpu": cpu_name(), "memory": memory.name, "rounds": args.rounds,
              "frame_bytes": 78 + args.payload, "eal": eal,
              "paths": [r for c in cases for r in path_rows(c)],
              "notices": [r for c in cases for r in notice_rows(c)],
              "cache": cache}
    report["targets"] = judge(report["paths"], report["notices"]) if not args.only else []
    print_tables(report)
    if args.json:
        with open(args.json, "w") as f:
            json.dump(report, f, indent=2)
            f.write("\n")
    return 1 if args.strict and not all(j["met"] for j in report["targets"]) else 0


if __name__ == "__main__":
    sys.exit(main())
