#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What scripts/demo-host shows: two virtual machines with rdma_rxe and perftest through a switch that is there, fastcn-host in the one that
sends, and a capture of its line, read by tests/oracle. Called by that script, in the network namespace of the switch."""

import argparse
import collections
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from ipaddress import ip_address

import host_guest
import testbed

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "tests", "oracle"))

from fcnoracle import capture, cnp, walker  # noqa: E402

PROGRAMS = ("ip", "rdma", "ibv_rc_pingpong", "ib_write_bw", "ib_send_bw", "ucmatose")
MAC = {"h1": "02:00:00:00:01:01", "h2": "02:00:00:00:02:01"}
ADDRESSES = {"h1": ("192.0.2.1", "2001:db8:1::1"), "h2": ("192.0.2.129", "2001:db8:2::1")}
GATEWAYS = {"h1": ("192.0.2.126", "2001:db8:1::fe"), "h2": ("192.0.2.254", "2001:db8:2::fe")}
# QEMU's own network leads to the namespace's loopback by this address.
SWITCH = "10.0.2.2"
PORT = 9751
BEGIN = """
/usr/bin/ip link set lo up
/usr/bin/ip addr add {four}/25 dev eth0
/usr/bin/ip addr add {six}/64 dev eth0 nodad
/usr/bin/ip link set eth0 up
/usr/bin/ip route add default via {gateway4}
/usr/bin/ip route add default via {gateway6}
rdma link add rxe0 type rxe netdev eth0
"""
# Some numbers of queue pairs are used up, so that those of both ends are different.
REPORT = f"""
for port in 7001 7002 7003; do timeout 5 ibv_rc_pingpong -d rxe0 -g 0 -p $port >/dev/null & done
/usr/bin/ip addr add 10.0.2.15/24 dev eth1
/usr/bin/ip link set eth1 up
fastcn-host --switch {SWITCH} --port {PORT} --ca /host/ca.crt --certificate /host/h1.crt --key /host/h1.key 2>/host/log &
"""
# Two queue pairs of DSCP 26, which is class 3, and ECN-capable. There are always more messages under way than the line takes in a
# quarter of a second, so the queue stays congested; a queue pair waits for an acknowledgement for two seconds.
PERFTEST = "-F -d rxe0 -s 4096 -t 16 -Q 1 -u 19 -D 3 -q 2"
# Of each run: the name, the program at both ends, how h1 is told the other end, and the number of the IP version. perftest of today knows
# RDMA CM over IPv4 only.
RUNS = (("ib_write_bw, out of band, IPv4", f"ib_write_bw {PERFTEST} --tclass 106 -x {{gid}}", "192.0.2.129", 4),
        ("ib_send_bw, out of band, IPv6", f"ib_send_bw {PERFTEST} --tclass 106 -x {{gid}}", "192.0.2.129", 6),
        ("ib_write_bw -R, IPv4", f"ib_write_bw {PERFTEST} -R -T 106", "192.0.2.129", 4),
        ("ucmatose (RDMA CM), IPv6", "ucmatose -c 2 -C 150 -S 4096 -t 106", "-s 2001:db8:2::1", 6))
QPS = 2
# A listening socket of perftest's port; or one of RDMA CM.
LISTENS = ":4853 .* 0A |state LISTEN"
# Fewer packets are those by which both ends agree what to do.
FEW = 50

Flow = collections.namedtuple("Flow", "qp remote remote_qp")  # of the sender: address as bytes


def text(address):
    return str(ip_address(address))


def quantile(values, share):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


# ---- the reader of the capture ----

def cause(times, told, interval):
    """When the packet came about which a CNP was sent.

    times: of the packets of the flow up to the CNP; told: when the last CNP was sent, or None; interval: least time between two CNPs. The
    first packet for which the interval was over has its CNP. If there is none, one of those has it that came within the interval, and waited
    until it was over: the first of them is taken, so no time is too short.
    """
    for since in () if told is None else (told + interval, told):
        found = next((t for t in times if t > since), None)
        if found is not None:
            return found
    return times[-1]


def judge(records, flows, interval):
    """What a capture of the sender's line shows, by its kernel's flows: {Flow: [ns from packet to CNP]}, and reasons against CNPs: [text].

    The flow of a CNP is found by receiver and UDP source port, which data has, too; what the CNP has to be follows from this data and the
    kernel's queue pair, octet for octet.
    """
    by_receiver = {(f.remote, f.remote_qp): f for f in flows}
    last, times, told = {}, collections.defaultdict(list), {}
    found, wrong, packets = {f: [] for f in flows}, [], collections.Counter()
    for r in records:
        p = walker.walk(r.data)
        if not p.is_roce or p.bth.opcode in (walker.ACK, walker.ATOMIC_ACK):
            continue
        if not cnp.is_plain(p):
            flow = by_receiver.get((p.ip.dst, p.bth.qp))
            if flow and walker.mac_text(p.smac) == MAC["h1"]:
                last[p.ip.dst, p.sport, flow] = p
                times[flow].append(r.time)
                packets[flow] += 1
            continue
        if walker.mac_text(p.dmac) != MAC["h1"]:
            continue
        sent = {flow: data for (receiver, sport, flow), data in last.items() if (receiver, sport) == (p.ip.src, p.sport)}
        flow = next((f for f in sent if f.qp == p.bth.qp), None)
        if flow is None:
            wrong.append(f"CNP to queue pair {p.bth.qp}, {text(p.ip.src)} > {text(p.ip.dst)}, but the data is of {[f.qp for f in sent]}")
        elif cnp.build(cnp.Profile({(flow.remote, flow.remote_qp): flow.qp}), sent[flow]) != r.data[p.l3:p.end]:
            wrong.append(f"CNP to queue pair {p.bth.qp} is not what the oracle builds: {r.data.hex()}")
        else:
            found[flow].append(r.time - cause(times[flow], told.get(flow), interval))
            told[flow], times[flow] = r.time, times[flow][-1:]
    return {f: ns for f, ns in found.items() if ns or packets[f] > FEW}, wrong


# ---- the machines ----

class Demo:
    def __init__(self, options, stack):
        self.options = options
        self.switch = testbed.Client(options.socket)
        stack.callback(self.switch.close)
        self.guests = {}
        for name in ("h1", "h2"):
            directory = os.path.join(options.work, name)
            os.mkdir(directory)
            begin = BEGIN.format(four=ADDRESSES[name][0], six=ADDRESSES[name][1], gateway4=GATEWAYS[name][0], gateway6=GATEWAYS[name][1])
            nics = [(f"tap,ifname=host{name[1]},script=no,downscript=no,vnet_hdr=off", MAC[name])]
            files, programs = {}, PROGRAMS
            if name == "h1":
                nics.append(("user,ipv6=off", "02:00:00:00:09:01"))
                begin, programs = begin + REPORT, (*PROGRAMS, options.fastcn_host)
                for f in ("ca.crt", "h1.crt", "h1.key"):
                    with open(os.path.join(options.work, f), encoding="ascii") as opened:
                        files["/host/" + f] = opened.read()
            self.guests[name] = host_guest.HostGuest(directory, options.guest, programs, begin, files, nics, cpus=1)
            stack.callback(self.guests[name].end)

    def boot(self):
        begin = time.monotonic()
        for guest in self.guests.values():
            guest.wait(300)
        print(f"(two machines without KVM, up after {time.monotonic() - begin:.0f} s)", flush=True)
        # The switch asks for their MAC addresses, and they for its own.
        for i, to in enumerate(ADDRESSES["h2"]):
            self.until(lambda i=i: not self.guests["h1"].ask(f"ping -c 1 -W 1 {ADDRESSES['h2'][i]}")[1], f"h1 does not reach {to}")

    def until(self, condition, what, timeout=60):
        try:
            return testbed.wait_until(condition, timeout)
        except TimeoutError:
            said = "".join(g.ask("cat /host/log /tmp/said; rdma resource show")[0] for g in self.guests.values())
            raise SystemExit(f"{what}: {said}") from None

    def gid(self, name, address):
        """The index of an address in the kernel's table of GIDs."""
        rows = self.guests[name].say("cd /sys/class/infiniband/rxe0/ports/1/gids && for i in 0 1 2 3 4 5 6 7; do echo $i $(cat $i); done")
        for n, gid in map(str.split, rows.splitlines()):
            a = ip_address(gid)
            if text(a.ipv4_mapped or a) == address:
                return n
        raise SystemExit(f"{name}: the adapter has no GID of {address}")

    def queue_pairs(self):
        """The kernel's, as `rdma resource` says."""
        return [r for r in json.loads(self.guests["h1"].say("rdma -j resource show qp")) if r["type"] == "RC" and r["state"] == "RTS"]

    def start(self, command, other_end, version):
        """A program at both ends. @return the flows of h1, once all are connected and the switch knows them."""
        to = ADDRESSES["h2"][version == 6]
        for name, peer in (("h2", "-b " + to if command.startswith("ucmatose") else ""), ("h1", other_end)):
            gid = self.gid(name, ADDRESSES[name][version == 6])
            self.guests[name].say(f"{command.format(gid=gid)} {peer} >/tmp/said 2>&1 &")
            if name == "h2":
                self.until(lambda: re.search(LISTENS, self.guests["h2"].say("cat /proc/net/tcp /proc/net/tcp6; rdma resource show cm_id")),
                           f"{command} does not begin")
        self.until(lambda: len(self.queue_pairs()) >= QPS and self.known() == set(self.flows(to)), f"{command}: the map of the switch "
                   "is not the kernel's")
        return self.flows(to)

    def flows(self, to):
        return [Flow(r["lqpn"], ip_address(to).packed, r["rqpn"]) for r in self.queue_pairs()]

    def known(self):
        return {Flow(r["sender_qp"], ip_address(r["receiver"]).packed, r["receiver_qp"]) for r in self.switch.json("show proxy qp")}

    def ended(self):
        return not self.queue_pairs()


def show(name, found):
    for flow, ns in sorted(found.items()):
        us = [x / 1000 for x in ns]
        quantiles = (f"{quantile(us, 0.5):8.1f} {quantile(us, 0.99):8.1f}" if us else f"{'-':>8} {'-':>8}")
        print(f"{name:32} {flow.qp:6} {flow.remote_qp:9} {flow.qp if us else '-':>9} {len(us):6} {quantiles}", flush=True)
        name = ""


def run(demo, options, number):
    """One of the runs. @return ns from packet to CNP by flow, and reasons against CNPs"""
    name, command, other_end, version = RUNS[number]
    file = os.path.join(options.work, f"{number}.pcapng")
    process = subprocess.Popen(["tshark", "-Q", "-i", "host1", "-B", "64", "-w", file, "-f", "udp port 4791"],
                               stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    testbed.wait_until(lambda: os.path.exists(file) and os.path.getsize(file), 60)
    flows = demo.start(command, other_end, version)
    demo.until(demo.ended, f"{name} does not end", 60)
    time.sleep(1)  # what was captured reaches the file a while later
    process.send_signal(signal.SIGINT)
    process.wait()
    found, wrong = judge(capture.load(file, partial=True).records, flows, options.interval)
    show(name, found)
    for reason in wrong[:3]:
        print("WRONG: " + reason)
    demo.until(lambda: not demo.known(), "queue pairs that are gone are still in the map of the switch")
    return found, wrong


def shows(demo, options):
    """All runs. @return whether each queue pair that sent data got CNPs, and no CNP was wrong"""
    print(f"\n{'':32} {'h1: qp':>6} {'remote-qp':>9} {'CNP to qp':>9} {'CNPs':>6} {'us: p50':>8} {'p99':>8}", flush=True)
    good, us = True, []
    for number in range(len(RUNS)):
        found, wrong = run(demo, options, number)
        good = good and not wrong and len(found) >= QPS and all(found.values())
        us += [x / 1000 for ns in found.values() for x in ns]
    if us:
        print(f"{'all':32} {'':6} {'':9} {'':9} {len(us):6} {quantile(us, 0.5):8.1f} {quantile(us, 0.99):8.1f}", flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--socket", "--guest", "--work", "--fastcn-host"):
        parser.add_argument(name, required=True)
    parser.add_argument("--interval", type=int, default=10**6, help="between two CNPs of a flow, as configured, ns")
    parser.add_argument("--once", action="store_true")
    options = parser.parse_args()
    why = host_guest.missing(options.guest, PROGRAMS)
    if why:
        raise SystemExit(why)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with ExitStack() as stack:
        demo = Demo(options, stack)
        demo.boot()
        good = shows(demo, options)
        print("\nNothing was shown." if not good else
              "\nEach CNP is what the oracle builds of the data and of the kernel's queue pair, octet for octet, ICRC included.", flush=True)
        if good and not options.once:
            print("\n== up until Ctrl-C, with ib_write_bw again and again", flush=True)
            while True:
                demo.start(*RUNS[0][1:])
                demo.until(demo.ended, "ib_write_bw does not end", 180)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
