#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
"""How many packets a second `fastcn replay` takes from captures to captures, on one core.

Processor time of a long replay less that of a short one, so that what a start costs is not in it:
packets read, forwarded in virtual time, and written. Captures are made in memory. Routed and
bridged: two ports at 100 Gbit/s forward to each other. Incast: both send to a third port, at
10 Gbit/s and by a little more than that, so that its queue fills, packets are marked, senders are
notified, and some packets are dropped. The best of some rounds; a median beside it.
"""

import argparse
import json
import os
import resource
import statistics
import struct
import subprocess
import sys
import tempfile

SHORT, LONG = 30_000, 330_000  # packets
FLOWS = 256
TARGET = 2e6
ROUTER = bytes.fromhex("0200000000ff")
COMMON = """\
port add p0 device net_null0
port add p1 device net_null1
port add r device net_null2
set port p0 mac 02:00:00:00:00:ff
set port p1 mac 02:00:00:00:00:ff
set port r mac 02:00:00:00:00:ff
set port p0 link 100G
set port p1 link 100G
set class-map dscp 24 class 3
set queue all class 3 detector step 30K leave 15K
set queue all class 3 ecn on
set queue all class 3 notify on
set loopback 2001:db8:f::1
set notify interval 4us
set notify fast-cnp on
"""
ROUTED = COMMON + "".join(f"""\
address add {p} 2001:db8:{n}::fe/64
neighbour add {p} 2001:db8:{n}::1 02:00:00:00:00:0{n}
""" for n, p in enumerate(("p0", "p1", "r")))
BRIDGED = COMMON + """\
bridge add br0
bridge br0 port add p0
bridge br0 port add p1
bridge br0 port add r
"""


def host_mac(n):
    return bytes([2, 0, 0, 0, 0, n])


def address(n):
    return bytes.fromhex("20010db8") + bytes([0, n]) + bytes(9) + b"\1"


def frame(from_, to, flow, payload, bridged):
    """RoCEv2 over IPv6: DSCP 24, ECT(0)."""
    udp = 8 + 12 + payload + 4
    return ((host_mac(to) if bridged else ROUTER) + host_mac(from_) + b"\x86\xdd" +
            struct.pack("!IHBB", 6 << 28 | (24 << 2 | 2) << 20, udp, 17, 64) +
            address(from_) + address(to) + struct.pack("!HHHH", 49152 + flow, 4791, udp, 0) +
            struct.pack("!BBHII", 1, 0, 0xffff, flow, 0) + bytes(payload + 4))


class Case:
    def __init__(self, name, config, to, payload, nanoseconds):
        self.name, self.config, self.to, self.payload = name, config, to, payload
        self.nanoseconds = nanoseconds  # between the packets of a port

    def write(self, directory, count):
        """Write the capture of each of the two ports that receive. @return arguments"""
        arguments = []
        for port in range(2):
            file = os.path.join(directory, f"{count}-{port}.pcap")
            frames = [frame(port, self.to[port], flow, self.payload, self.config is BRIDGED)
                      for flow in range(FLOWS)]
            with open(file, "wb") as f:
                f.write(struct.pack("<IHHIIII", 0xa1b23c4d, 2, 4, 0, 0, 262144, 1))
                for i in range(count // 2):
                    # ports take turns
                    stamp = i * self.nanoseconds + port * self.nanoseconds // 2
                    data = frames[i * 7 % FLOWS]
                    f.write(struct.pack("<IIII", stamp // 10**9, stamp % 10**9, len(data),
                                        len(data)) + data)
            arguments += ["--in", f"p{port}={file}"]
        for name in ("p0", "p1", "r"):
            arguments += ["--out", f"{name}={os.path.join(directory, f'out-{name}.pcap')}"]
        return arguments

    def run(self, program, config, arguments):
        """@return packets received, processor seconds"""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        out = subprocess.run([program, "replay", config, *arguments, "--json", "-"], check=True,
                             stdout=subprocess.PIPE).stdout
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        report = json.loads(out)
        return (report["conservation"]["received"],
                after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    def measure(self, program, rounds):
        """@return packets a second of each round"""
        memory = "/dev/shm" if os.path.isdir("/dev/shm") else None
        rates = []
        with tempfile.TemporaryDirectory(dir=memory) as directory:
            config = os.path.join(directory, "fastcn.conf")
            with open(config, "w", encoding="ascii") as f:
                f.write(self.config)
            short, long = self.write(directory, SHORT), self.write(directory, LONG)
            for _ in range(rounds):
                few, start = self.run(program, config, short)
                many, all_ = self.run(program, config, long)
                if (few, many) != (SHORT, LONG):
                    sys.exit(f"{self.name}: {few} and {many} packets were received")
                rates.append((many - few) / (all_ - start))
        return rates


def cases(payload):
    bits = (74 + payload + 4 + 24) * 8
    both = max(bits // 10, 1)  # two ports together fill 20 Gbit/s at this interval
    return [
        Case("routed", ROUTED, (1, 0), payload, 100),
        Case("bridged", BRIDGED, (1, 0), payload, 100),
        Case("incast at 10 Gbit/s", ROUTED, (2, 2), payload, both * 19 // 10),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("program", help="fastcn")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--payload", type=int, action="append",
                        help="bytes of RoCEv2 payload; may be given again (default 0 and 1024)")
    parser.add_argument("--only", default="", help="only cases whose name has this in it")
    parser.add_argument("--json", action="store_true", help="a line of JSON each, instead of text")
    parser.add_argument("--keep", metavar="DIRECTORY",
                        help="measure nothing; leave the long captures and configurations there")
    parser.add_argument("--strict", action="store_true", help="a missed target is a failure")
    args = parser.parse_args()
    met = True
    for payload in args.payload or (0, 1024):
        for case in cases(payload):
            if args.only not in case.name:
                continue
            if args.keep:
                directory = os.path.join(args.keep, f"{case.name.split()[0]}-{payload}")
                os.makedirs(directory, exist_ok=True)
                with open(os.path.join(directory, "fastcn.conf"), "w", encoding="ascii") as f:
                    f.write(case.config)
                print(" ".join([args.program, "replay", f.name, *case.write(directory, LONG)]))
                continue
            rates = case.measure(args.program, args.rounds)
            met = met and max(rates) >= TARGET
            if args.json:
                print(json.dumps({"bench": "replay", "variant": case.name, "payload": payload,
                                  "best": max(rates), "median": statistics.median(rates)}))
            else:
                print(f"replay, {case.name}, frames of {78 + payload} bytes: "
                      f"{max(rates) / 1e6:.2f} M packets/s "
                      f"(median {statistics.median(rates) / 1e6:.2f})")
    if not met and not args.json:
        print(f"the target, {TARGET / 1e6:.0f} M packets/s, is missed")
    return 1 if args.strict and not met else 0


if __name__ == "__main__":
    sys.exit(main())
