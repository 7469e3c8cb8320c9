#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
"""Instructions of fastcn a packet, compared with those in instructions.json.

valgrind counts the same turns of a worker in every run, so the figures are the same on a busy
machine. What drivers and the C library execute is not counted. A path that takes over 2 % more
than it did fails. To accept that: instructions.py --update, and say why in the commit. The figures
are in doc/performance-paths.md, too.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile

import table

HERE = os.path.dirname(os.path.abspath(__file__))
FIGURES = os.path.join(HERE, "instructions.json")
PAGE = os.path.join(HERE, "../../doc/performance-paths.md")
LIMIT = 0.02
SKIPPED = 77  # what meson takes for a skipped test
COUNTED = "bench_counted_turns"
SPREAD = ["--ports", "4", "--spread"]
# path: options of the packets, then of the switch
PATHS = {
    "IPv6": ([], []),
    "IPv6, 2048 hosts": (["--hosts", "2048", "--flows", "2048"], []),
    "IPv6, one packet in 256 is TCP": (["--flows", "256", "--tcp", "256"], []),
    "IPv6, one packet in 40 is TCP": (["--flows", "40", "--tcp", "40"], []),
    "IPv6, one packet in 40 is TCP of another class":
        (["--flows", "40", "--tcp", "40", "--best-effort"], []),
    "IPv4": (["--ipv4"], []),
    "IPv4, 2048 hosts": (["--ipv4", "--hosts", "2048", "--flows", "2048"], []),
    "IPv6, groups of 4": (["--groups", "4"], []),
    "IPv6, groups of 4 by 4 ports": ([*SPREAD, "--groups", "4"], []),
    "IPv6, 4096 hosts, groups of 8 by 4 ports":
        ([*SPREAD, "--groups", "8", "--hosts", "1024", "--flows", "1024"], []),
    "IPv4, groups of 4 by 4 ports": (["--ipv4", *SPREAD, "--groups", "4"], []),
    "IPv6, groups of 4 by 4 ports, lossless class":
        ([*SPREAD, "--groups", "4"], ["--variant", "lossless"]),
    "IPv6, 4 ports": (["--ports", "4"], []),
    "IPv6, shared buffer": ([], ["--variant", "shared"]),
    "IPv6, lossless class": ([], ["--variant", "lossless"]),
    "IPv6, border ports": ([], ["--variant", "border"]),
    "IPv4, border ports": (["--ipv4"], ["--variant", "border"]),
    "IPv6, groups of 4, border ports": (["--groups", "4"], ["--variant", "border"]),
    "bridge": (["--bridged"], []),
    "bridge, one packet in 40 is TCP": (["--bridged", "--flows", "40", "--tcp", "40"], []),
    "bridge, one packet in 40 is TCP of another class":
        (["--bridged", "--flows", "40", "--tcp", "40", "--best-effort"], []),
    "bridge, IPv4": (["--bridged", "--ipv4"], []),
    "bridge, TCP": (["--bridged", "--tcp", "1"], []),
    "IOAM trace": (["--trace"], []),
    "IOAM transit": (["--transit"], []),
    "SRv6 End": (["--srv6", "end"], []),
    "SRv6 End.DT6": (["--srv6", "end_dt6"], []),
    "SRv6 End, groups of 4 by 4 ports": ([*SPREAD, "--groups", "4", "--srv6", "end"], []),
    "SRv6 End.DT6, groups of 4 by 4 ports": ([*SPREAD, "--groups", "4", "--srv6", "end_dt6"], []),
    "SRv6 END.CON": (["--srv6", "end_con"], []),
    "SRv6 H.Encaps.Red": (["--srv6", "encaps_red"], []),
    "IPv6, congested queue, nobody to tell": ([], ["--variant", "untold"]),
    "Fast CNP, option 1, and its packet": ([], ["--variant", "congested"]),
    "Fast CNP, option 2, and its packet": (["--trace"], ["--variant", "congested"]),
    "CNP, and its packet": ([], ["--cnp", "--variant", "congested"]),
    "CNP, and its packet, IPv4": (["--ipv4"], ["--cnp", "--variant", "congested"]),
    "tail drop": ([], ["--variant", "full"]),
    "tail drop, trimmed to go on": (["--payload", "1004"], ["--variant", "trim"]),
    "tail drop, and a notice to the sender": ([], ["--variant", "return"]),
}


def simd_bits():
    """The widest registers that valgrind simulates on this CPU, of those that paths differ by."""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as f:
        return 256 if re.search(r"^flags\s*:.*\bavx2\b", f.read(), re.M) else 128


def count_by_function(file, program):
    """{function: instructions} of the program's own in what callgrind wrote."""
    names = {"ob": {}, "fn": {}}
    counts = collections.Counter()
    ob = fn = None
    passed_on = False

    def name_of(kind, text):
        number, _, name = re.match(r"(\(\d+\))( (.*))?$", text).groups()
        if name:
            names[kind][number] = name.strip()
        return names[kind][number]

    with open(file, encoding="utf-8", errors="replace") as f:
        for line in f:
            key, equals, value = line.rstrip("\n").partition("=")
            if equals:
                if key == "ob":
                    ob = name_of("ob", value)
                elif key == "cob":
                    name_of("ob", value)
                elif key == "fn":
                    fn = name_of("fn", value)
                elif key == "cfn":
                    name_of("fn", value)
                passed_on = key == "calls"
            elif line[:1] in "0123456789+-*":
                # the line after calls= is what the called function took
                if not passed_on and ob == program:
                    counts[fn] += int(line.split()[1])
                passed_on = False
    return counts


def ports_of(packets):
    """The number of ports that options of the packets say."""
    return int(packets[packets.index("--ports") + 1]) if "--ports" in packets else 2


def run(command, **more):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=150, **more)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit status {done.returncode}\n{done.stderr}")
    return done.stdout


def count(program, path, directory):
    """What the program says of itself, and {function: instructions a packet} of a path."""
    packets, switch = PATHS[path]
    prefix = os.path.join(directory, re.sub(r"\W+", "-", path))
    cpus = ",".join(str(c) for c in sorted(os.sched_getaffinity(0)))
    run([program, "--write-pcap", prefix, *packets])
    # A program that was built without the headers of valgrind does not say when counting begins.
    for at_start in ("no", "yes"):
        out = run(["valgrind", "--tool=callgrind", f"--instr-atstart={at_start}",
                   f"--toggle-collect={COUNTED}", f"--callgrind-out-file={prefix}.out", program,
                   f"--lcores=(0,1)@({cpus})", "--no-pci", "--no-telemetry", "--no-huge",
                   "--no-shconf", "-m", "256", f"--force-max-simd-bitwidth={simd_bits()}",
                   "--log-level=*:error",
                   *(a for p in range(ports_of(packets))
                     for a in ("--vdev", f"net_pcap{p},rx_pcap={prefix}{p}.pcap,infinite_rx=1")),
                   "--", "--source", "pcap", *packets, *switch])
        counts = count_by_function(prefix + ".out", program)
        if counts:
            break
    said = json.loads(out)
    if not counts:
        raise SystemExit(f"{path}: no instructions were counted")
    return said, {fn: n / said["packets"] for fn, n in counts.most_common()}


def environment(said):
    return f"{said['compiler']}, {said['dpdk']}, {platform.machine()}, SIMD {simd_bits()} bits"


def compare(path, now, before):
    """Print a line. @return whether the path takes too many."""
    if before is None:
        print(f"{path}: {now:.1f} instructions a packet; nothing is kept to compare it with:"
              " tests/bench/instructions.py --update")
        return False
    change = now / before - 1
    print(f"{path}: {now:.1f} instructions a packet, kept {before:.1f} ({change:+.1%})")
    if change > LIMIT:
        print(f"  more than {LIMIT:.0%} above: make it cheaper, or accept it by"
              " tests/bench/instructions.py --update and say why in the commit."
              f" Where they are: tests/bench/instructions.py --functions --only \"{path}\"")
    elif change < -LIMIT:
        print("  fewer: tests/bench/instructions.py --update keeps it so")
    return change > LIMIT


def load():
    try:
        with open(FIGURES, encoding="ascii") as f:
            return json.load(f)
    except FileNotFoundError:
        return {}


def markdown(kept):
    """The table of what is kept, with a column for each environment."""
    out = ["| path | " + " | ".join(kept) + " |", "|---" * (1 + len(kept)) + "|"]
    for path in PATHS:
        cells = (f"{of[path]:.1f}" if path in of else "" for of in kept.values())
        out.append(f"| {path} | " + " | ".join(cells) + " |")
    return "\n".join(out)


def write_page(kept):
    table.put_into(PAGE, markdown(kept), table.INSTRUCTIONS_BEGIN, table.INSTRUCTIONS_END)


def print_functions(path, functions):
    print(f"{path}: {sum(functions.values()):.1f} instructions a packet")
    for fn, n in functions.items():
        if n >= 0.05:
            print(f"{n:10.1f}  {fn}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--build", default=os.path.join(HERE, "../../build-gcc"),
                        help="directory of a build with gcc -O2, default build-gcc")
    parser.add_argument("--only", default="", help="only paths whose name has this in it")
    parser.add_argument("--update", action="store_true", help="keep the figures of today")
    parser.add_argument("--page", action="store_true",
                        help="write the figures that are kept into doc/performance-paths.md; nothing is counted")
    parser.add_argument("--functions", action="store_true",
                        help="print what each function takes; nothing is compared")
    args = parser.parse_args()
    if args.page:
        write_page(load())
        return 0
    program = os.path.realpath(os.path.join(args.build, "tests/bench/bench_instructions"))
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is needed")
        return SKIPPED
    if not os.path.exists(program):
        raise SystemExit(f"{program} is not there: "
                         f"ninja -C {args.build} tests/bench/bench_instructions")

    paths = [p for p in PATHS if args.only in p]
    kept = load()
    with tempfile.TemporaryDirectory() as directory, \
            concurrent.futures.ThreadPoolExecutor(2) as pool:
        futures = {p: pool.submit(count, program, p, directory) for p in paths}
        found = {p: f.result() for p, f in futures.items()}
    if args.functions:
        for path in paths:
            print_functions(path, found[path][1])
        return 0
    figures = {p: round(sum(found[p][1].values()), 1) for p in paths}
    here = environment(found[paths[0]][0])
    if args.update:
        kept[here] = {p: n for p in PATHS
                      if (n := figures.get(p, kept.get(here, {}).get(p))) is not None}
        with open(FIGURES, "w", encoding="ascii") as f:
            json.dump(kept, f, indent=2)
            f.write("\n")
        write_page(kept)
        print("\n".join(f"{p}: {n:.1f} instructions a packet" for p, n in figures.items()))
        return 0
    if here not in kept:
        print(f"skipped: the figures kept are of {' and of '.join(kept)}, this is {here}")
        return SKIPPED
    return int(any([compare(p, figures[p], kept[here].get(p)) for p in paths]))


if __name__ == "__main__":
    sys.exit(main())
