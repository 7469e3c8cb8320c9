# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
"""What scripts/bench measures: runs of programs, and the figures that are taken from them.

A run has ports of one kind with one mix of packets; one or more variants of the switch take turns
on them within the run, and testpmd follows. A figure belongs to a run, or to a program that needs no
testpmd.
"""

from dataclasses import dataclass

RATIO, CYCLES, ABOVE, RATE, TIMES, OVER, DELAY = "ratio", "cycles", "above", "rate", "times", "over", "delay"

# What the figure of each kind means, and whether less is better.
UNITS = {
    RATIO: ("times testpmd io", True),
    CYCLES: ("cycles", True),
    ABOVE: ("cycles more", True),
    RATE: ("M a second", False),
    TIMES: ("times one worker", False),
    OVER: ("times ports apart", False),
    DELAY: ("us", True),
}


@dataclass(frozen=True)
class Run:
    """Ports, packets, and what takes turns on them."""
    name: str
    packets: tuple = ()           # options for the packets and the switch
    source: str = "pcap"          # net_pcap, net_ring; "incast": the captures of tests/data
    program: str = "path"         # bench_path, bench_notice
    variants: tuple = ("step", "bare")  # of bench_path
    options: tuple = ()           # further options of the program
    simd: int = 512               # bits
    mbufs: int = 16384            # for testpmd, besides those of the packets
    room: int = 2176              # bytes of a buffer of testpmd

    @property
    def ports(self):
        """How many there are."""
        return int(self.packets[self.packets.index("--ports") + 1]) if "--ports" in self.packets else 2

    @property
    def pmd(self):
        """Whether testpmd is measured on the same ports."""
        return self.program == "path"


@dataclass(frozen=True)
class Case:
    """A figure of the table."""
    name: str
    kind: str
    goal: float
    run: str                # name of a Run, or of a function of others.py
    variant: str = "step"
    base: str = ""          # ABOVE, TIMES, OVER: the variant that it is compared with; DELAY: a quantile
    before: str = ""        # what the figure was before all this was measured


MANY = ("--hosts", "2048", "--flows", "2048")
# Groups of next hops: of the hosts behind one port, or spread over four ports as those of a leaf.
GROUPS = ("--groups", "4")
SPREAD = ("--ports", "4", "--spread", *GROUPS)
SPREAD_MANY = ("--ports", "4", "--spread", "--groups", "8", "--hosts", "1024", "--flows", "1024")
TABLE = ("--routes", "100000", "--to-routes", "--flows", "8192")
BRIDGE = ("--bridged", "--hosts", "128")
LARGE_BRIDGE = ("--bridged", "--hosts", "8000", "--flows", "8000")

RUNS = [
    Run("ipv6", variants=("off", "step", "shared", "lossless", "bare")),
    Run("ipv6-many", MANY),
    Run("ipv6-table", TABLE, mbufs=49152),
    Run("ipv6-1000", ("--routes", "1000", *TABLE[2:]), mbufs=49152),
    Run("ipv6-200000", ("--routes", "200000", *TABLE[2:]), mbufs=49152),
    Run("groups", GROUPS),
    Run("ports-4", ("--ports", "4")),
    Run("groups-ports-4", SPREAD, variants=("step", "lossless", "bare")),
    Run("groups-many", SPREAD_MANY),
    Run("groups-ipv4", ("--ipv4", *SPREAD)),
    Run("ipv4", ("--ipv4",)),
    Run("ipv4-many", ("--ipv4", *MANY)),
    Run("ipv4-table", ("--ipv4", *TABLE), mbufs=49152),
    Run("tcp", ("--flows", "400", "--tcp", "100")),
    Run("bridge", BRIDGE),
    Run("bridge-large", LARGE_BRIDGE, mbufs=49152),
    Run("incast", ("--bridged",), source="incast"),
    Run("ioam", ("--transit",)),
    Run("end", ("--srv6", "end")),
    Run("encaps-red", ("--srv6", "encaps_red")),
    Run("end-dt6", ("--srv6", "end_dt6")),
    Run("end-con", ("--srv6", "end_con")),
    Run("ring", source="ring", variants=("step", "bare")),
    Run("bytes-258", ("--payload", "180")),
    Run("bytes-1082", ("--payload", "1004")),
    Run("bytes-4178", ("--payload", "4100"), room=4608),
    Run("notice", program="notice"),
    Run("notice-sse", program="notice", simd=128),
    Run("notice-events", program="notice", options=("--events",)),
    Run("notice-option2", ("--trace",), program="notice"),
]

CASES = [
    Case("IPv6, 256 flows to 32 hosts", RATIO, 1.5, "ipv6", before="77, 1.95"),
    Case("IPv6, 4096 flows to 4096 hosts", RATIO, 2.0, "ipv6-many", before="150 to 230, about 4"),
    Case("IPv6, 100000 routes at random", RATIO, 2.5, "ipv6-table"),
    Case("IPv6, 1000 routes at random", RATIO, 0, "ipv6-1000"),
    Case("IPv6, 200000 routes at random", RATIO, 0, "ipv6-200000"),
    Case("IPv6, groups of 4 next hops", RATIO, 0, "groups"),
    Case("IPv6, groups of 4 by 4 ports", RATIO, 0, "groups-ports-4"),
    Case("IPv6, groups of 8, 4096 hosts", RATIO, 0, "groups-many"),
    Case("IPv4, groups of 4 by 4 ports", RATIO, 0, "groups-ipv4"),
    Case("IPv6, 4 ports without groups", RATIO, 0, "ports-4"),
    Case("groups, all classes lossless", ABOVE, 0, "groups-ports-4", "lossless", "step"),
    Case("IPv4, 256 flows to 32 hosts", RATIO, 1.5, "ipv4"),
    Case("IPv4, 4096 flows to 4096 hosts", RATIO, 2.0, "ipv4-many"),
    Case("IPv4, 100000 routes at random", RATIO, 2.5, "ipv4-table"),
    Case("IPv6, one packet in a hundred is TCP", RATIO, 0, "tcp"),
    Case("bridge, 256 MAC addresses", RATIO, 1.5, "bridge", before="166, 4.4"),
    Case("bridge, 16000 MAC addresses", RATIO, 2.2, "bridge-large"),
    Case("bridge, incast of captured RoCEv2", RATIO, 0, "incast"),
    Case("IOAM transit, three hops before", RATIO, 2.2, "ioam", before="143, 3.6"),
    Case("shared buffer on", ABOVE, 8, "ipv6", "shared", "step", before="32"),
    Case("all classes lossless", ABOVE, 12, "ipv6", "lossless", "step", before="48"),
    Case("SRv6 End", RATIO, 2.2, "end"),
    Case("SRv6 H.Encaps.Red", RATIO, 2.5, "encaps-red"),
    Case("SRv6 End.DT6", RATIO, 2.5, "end-dt6"),
    Case("SRv6 END.CON", RATIO, 2.5, "end-con"),
    Case("net_ring, above bare ports", ABOVE, 22, "ring", "step", "bare", before="37"),
    Case("Fast CNP option 1, AVX-512", CYCLES, 100, "notice", "all_in", before="176"),
    Case("Fast CNP option 1, SSE", CYCLES, 140, "notice-sse", "all_in"),
    Case("Fast CNP option 1, with events", CYCLES, 110, "notice-events", "all_in", before="216"),
    Case("Fast CNP option 2, three hops", CYCLES, 130, "notice-option2", "all_in", before="210"),
    Case("notices, every packet notified", RATE, 12, "notice", "congested_packet"),
    # 2 ns, whatever the clock: cycles of 2.3 GHz, which is what the figures are of.
    Case("detector and ECN on", ABOVE, 4.6, "ipv6", "step", "off", before="within noise"),
    Case("IPv6, frames of 258 bytes", RATIO, 0, "bytes-258"),
    Case("IPv6, frames of 1082 bytes", RATIO, 0, "bytes-1082"),
    Case("IPv6, frames of 4178 bytes", RATIO, 0, "bytes-4178"),
    Case("bare ports, nothing between them", RATIO, 0, "ipv6", "bare"),
    Case("workers 1 to 2, ports apart", TIMES, 1.95, "workers", "headers apart 2", "headers apart 1",
         before="1.8 to 1.95"),
    Case("workers 1 to 2, any to any", TIMES, 0, "workers", "headers any 2", "headers apart 1"),
    Case("workers 1 to 2, apart, net_pcap", TIMES, 0, "workers", "pcap apart 2", "pcap apart 1"),
    Case("workers 1 to 2, any to any, net_pcap", TIMES, 1.1, "workers", "pcap any 2", "pcap apart 1"),
    Case("2 workers, any to any", OVER, 0.6, "workers", "headers any 2", "headers apart 2"),
    Case("2 workers, any to any, net_pcap", OVER, 0, "workers", "pcap any 2", "pcap apart 2"),
    Case("2 workers, all notified, any to any", OVER, 0, "workers", "pcap any notified 2",
         "pcap apart notified 2"),
    Case("notice, load of 10 %, median", DELAY, 0, "latency", "1 apart 10", "p50"),
    Case("notice, load of 80 %, median", DELAY, 2, "latency", "1 apart 80", "p50"),
    Case("notice, load of 80 %, p99", DELAY, 10, "latency", "1 apart 80", "p99"),
    Case("replay, pcap in and out", RATE, 2, "replay"),
    Case("lab", RATE, 2, "lab", before="0.6 to 1.0"),
]

# The runs whose stages are measured, by bench_path_stages, and what the guide calls them.
STAGES = {
    "ipv6": "IPv6, 256 flows",
    "ipv6-many": "IPv6, 4096 hosts",
    "ipv6-table": "IPv6, 100000 routes",
    "ipv4": "IPv4, 256 flows",
    "bridge": "bridge, 256 addresses",
    "bridge-large": "bridge, 16000 addresses",
    "ioam": "IOAM transit",
    "end": "SRv6 End",
    "end-con": "SRv6 END.CON",
}


def choose(only, cases=None):
    """Cases whose name has this in it, and the names of what they are taken from."""
    chosen = [c for c in (cases or CASES) if only.lower() in c.name.lower()]
    return chosen, {c.run for c in chosen}
