#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
"""What a copy and a clone of a packet cost on each kind of virtual device, the device included, as Markdown tables.

bench_copy and bench_capture send by eight devices of a kind, in a network namespace of its own whose interfaces nobody
listens at. Needs root. egress.py --build BUILD [--only KIND] [--use NAME] [--json FILE]
"""

import argparse
import json
import math
import os
import signal
import subprocess
import sys
import tempfile

from run import Memory

PORTS = 8
SPREAD = 0.03  # of a figure between runs
FRAME = 9018  # the longest that the interfaces are set to


def each(*patterns):
    """Options that open the devices of a kind. {n} is a number, {dir} a directory for sockets."""
    return lambda directory: [word for n in range(PORTS) for pattern in patterns
                              for word in pattern.format(n=n, dir=directory).split()]


def memif(size):
    """Each frame has to fit into one of its buffers; see doc/ports.md."""
    arguments = f"id={{n}},bsize={size},socket={{dir}}/memif,socket-abstract=no"
    return each("--peer net_memif1{n},role=server," + arguments, "--device net_memif{n},role=client," + arguments)


# Devices, and the longest frame that they can send.
KINDS = {
    "net_null": (each("--device net_null{n}"), FRAME),
    "net_ring": (each("--device net_ring{n}"), FRAME),
    "net_pcap, file": (each("--device net_pcap{n},tx_pcap=/dev/null"), FRAME),
    "net_pcap, interface": (each("--device net_pcap{n},tx_iface=v{n}"), FRAME),
    "net_af_packet": (each("--device net_af_packet{n},iface=v{n}"), 2016),
    "net_tap": (each("--device net_tap{n},iface=t{n}"), 1514),
    "net_memif": (memif(2048), 2048),
    "net_memif, bsize 9216": (memif(9216), FRAME),
    "net_vhost": (each("--device net_vhost{n},iface={dir}/v{n}",
                       "--peer net_virtio_user{n},path={dir}/v{n},queues=1"), FRAME),
    "net_virtio_user": (each("--peer net_vhost{n},iface={dir}/v{n}",
                             "--device net_virtio_user{n},path={dir}/v{n},queues=1"), FRAME),
}

# What is measured, by programs. Each has a process of its own, which begins with fresh rings and pools.
USES = [*(("copy", use) for use in ("flooded to 2", "flooded to 4", "flooded to 8", "message", "trace")),
        ("capture", "captured")]

# Kinds whose packets are system calls: fewer have to do, and the kernel uses the CPU caches in between anyway.
SYSTEM_CALLS = ("net_pcap, interface", "net_af_packet", "net_tap")
FEWER = ["--bursts", "100", "--at-once"]


class Namespace:
    """A network namespace with a veth pair for each port, both ends up and without addresses."""

    def __init__(self):
        self.name = f"fcn-egress-{os.getpid()}"

    def __enter__(self):
        subprocess.run(["ip", "netns", "add", self.name], check=True)
        self.run("sysctl", "-qw", "net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1")
        for n in range(PORTS):
            self.run("ip", "link", "add", f"v{n}", "type", "veth", "peer", "name", f"w{n}")
            for end in "vw":
                self.run("ip", "link", "set", f"{end}{n}", "mtu", str(FRAME), "up")
        return self

    def __exit__(self, *exc):
        subprocess.run(["ip", "netns", "del", self.name], check=False)

    def run(self, *words):
        subprocess.run(["ip", "netns", "exec", self.name, *words], check=True)

    def command(self, words):
        return ["ip", "netns", "exec", self.name, *words]


def measure(args, kind, eal):
    """Lines of JSON of a kind of devices, or None and why there are none."""
    devices, longest = KINDS[kind]
    found = []
    with tempfile.TemporaryDirectory() as directory, Namespace() as namespace:
        for program, use in USES:
            if not use.startswith(args.use):
                continue
            words = [os.path.join(args.build, "tests/bench/bench_" + program), "-l", args.lcore, "--no-pci",
                     "--no-telemetry", "--log-level=*:error", *eal, "--", *devices(directory), "--use", use,
                     "--longest", str(longest), *(FEWER if kind in SYSTEM_CALLS else [])]
            done = subprocess.run(namespace.command(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, timeout=300)
            if done.returncode != 0:
                return None, (done.stderr.strip().splitlines() or ["no message"])[-1]
            found += [dict(json.loads(line), kind=kind) for line in done.stdout.splitlines() if line.startswith("{")]
    return found, ""


def merge(figures, lines):
    """Of several runs, the least and the most of each figure."""
    for line in lines:
        key = (line["bench"], line["queued"], line["bytes"], line["kind"], line["variant"])
        known = figures.setdefault(key, dict(line))
        known["least"] = min(known["least"], line["least"])
        known["median"] = min(known["median"], line["median"])
        known["lost"] = max(known["lost"], line["lost"])


def table(figures, bench, queued):
    """A table of a use: lengths by kinds, and from which length on the second way is the better one."""
    keys = [k for k in figures if k[0] == bench and k[1] == queued]
    if not keys:
        return ""
    lens = sorted({k[2] for k in keys})
    kinds = [k for k in KINDS if any(key[3] == k for key in keys)]
    ways = list(dict.fromkeys(k[4] for k in keys))
    out = [f"{bench}{', queued' if queued else ''}: {' / '.join(ways)}", "",
           "| bytes | " + " | ".join(kinds) + " |", "|---" * (len(kinds) + 1) + "|"]
    least = {k: figures[k]["least"] for k in keys}
    for n in lens:
        cells = []
        for kind in kinds:
            values = [figures.get((bench, queued, n, kind, w)) for w in ways]
            sent = all(v is not None and v["lost"] == 0 for v in values)
            cells.append(" / ".join(f"{v['least']:.0f}" for v in values) if sent else "")
        out.append(f"| {n} | " + " | ".join(cells) + " |")
    cells = []
    for kind in kinds:
        there = [n for n in lens if (bench, queued, n, kind, ways[0]) in least]
        cells.append(threshold({n: [least[bench, queued, n, kind, w] for w in ways] for n in there}))
    out.append("| cheaper from | " + " | ".join(cells) + " |")
    return "\n".join(out) + "\n"


def threshold(by_len):
    """The length from which on the second way has to be taken so that the sum of all relative costs is the least;
    "" for never. Differences within SPREAD are none."""
    lens = sorted(by_len)

    def gain(n):
        ratio = by_len[n][1] / by_len[n][0]
        return 0 if abs(ratio - 1) <= SPREAD else -math.log(ratio)

    gains = {n: sum(gain(k) for k in lens if k >= n) for n in lens}
    best = max(gains, key=lambda n: (gains[n], n))
    return str(best) if gains[best] > 0 else "never"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--only", action="append", choices=list(KINDS))
    parser.add_argument("--use", default="", help="beginning of the name of what is measured")
    parser.add_argument("--runs", type=int, default=2)
    parser.add_argument("--lcore", default="1")
    parser.add_argument("--json", help="file for all figures, added to those that are there")
    args = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    figures, why = {}, {}
    with Memory("auto", megabytes=384) as memory:
        eal = [*memory.eal, "--single-file-segments"] if memory.name != "no-huge" else memory.eal
        for _ in range(args.runs):
            for kind in args.only or KINDS:
                lines, reason = measure(args, kind, eal)
                if lines is None:
                    why[kind] = reason
                    continue
                merge(figures, lines)
                if args.json:
                    with open(args.json, "a", encoding="utf-8") as f:
                        f.writelines(json.dumps(line) + "\n" for line in lines)
    for bench in dict.fromkeys(k[0] for k in figures):
        for queued in (False, True):
            print(table(figures, bench, queued))
    for kind, reason in why.items():
        print(f"{kind} is not measured: {reason}")


if __name__ == "__main__":
    sys.exit(main())
