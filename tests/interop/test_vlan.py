#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A router on a stick between Linux hosts: two hosts in two VLANs of one line, a third on a line without VLANs. The switch
that tags and untags between the hosts and the line is a thread of this test, so that no 8021q module is needed; hosts,
their counters and the line are the kernel's. Needs root, ping, traceroute and ethtool; without, exit 77.

test_vlan.py --fastcn PROGRAM [--workers N] [unittest options]
"""

import json
import os
import select
import socket
import struct
import sys
import tempfile
import threading
import time
import unittest

import testbed

ORACLE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle")
DATA = os.path.join(os.path.dirname(ORACLE), "data")
sys.path += [ORACLE, DATA]

import cases  # noqa: E402
from fcnoracle import capture  # noqa: E402

TOOLS = ("ping", "traceroute", "ethtool")
VLAN = {"h1": 100, "h2": 200}
INTERFACE = {"h1": "p1.100", "h2": "p1.200", "h3": "p2"}
MAC = {"h1": "02:00:00:00:01:01", "h2": "02:00:00:00:02:01", "h3": "02:00:00:00:03:01", "p1": "02:00:00:00:01:fe",
       "p2": "02:00:00:00:02:fe"}
# of the host, and of the switch there
ADDRESS = {"h1": ("2001:db8:100::1", "192.0.2.1"), "h2": ("2001:db8:200::1", "192.0.2.65"),
           "h3": ("2001:db8:3::1", "192.0.2.129")}
GATEWAY = {"h1": ("2001:db8:100::fe", "192.0.2.62"), "h2": ("2001:db8:200::fe", "192.0.2.126"),
           "h3": ("2001:db8:3::fe", "192.0.2.190")}
ROCE = 4791

CONFIG = f"""
set host dad off
port add p1 device net_af_packet0,iface=s1
port add p2 device net_af_packet1,iface=s2
port add p1.100 vlan 100 of p1
port add p1.200 vlan 200 of p1
set port p1 mac {MAC["p1"]}
set port p2 mac {MAC["p2"]}
""" + "".join(f"address add {INTERFACE[h]} {GATEWAY[h][0]}/64\naddress add {INTERFACE[h]} {GATEWAY[h][1]}/26\n"
              for h in INTERFACE)

# packet(7), linux/if_packet.h; not in Python
SOL_PACKET = 263
PACKET_AUXDATA = 8
PACKET_IGNORE_OUTGOING = 23
TP_STATUS_VLAN_VALID = 1 << 4
TP_STATUS_VLAN_TPID_VALID = 1 << 6


class Net(testbed.Namespaces):
    """Hosts with eth0; `line` with the trunk t1 and, for the VLANs, v100 and v200; the switch's side."""

    def __init__(self):
        super().__init__("h1", "h2", "h3", "line", "sw")

    def create(self):
        super().create()
        for quiet in ("line", "sw"):
            self.sysctl(quiet, "net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1")
        self.add("line", "t1", "sw", "s1")
        self.add("h3", "eth0", "sw", "s2")
        for host, vlan in VLAN.items():
            self.add(host, "eth0", "line", f"v{vlan}")
        for host in INTERFACE:
            self.ip(host, "link", "set", "eth0", "address", MAC[host])
            self.ip(host, "link", "set", "lo", "up")
            for address, prefix, gateway in zip(ADDRESS[host], (64, 26), GATEWAY[host]):
                self.ip(host, "addr", "add", f"{address}/{prefix}", "dev", "eth0", *(["nodad"] if prefix == 64 else []))
                self.ip(host, "route", "add", "default", "via", gateway)

    def add(self, where, name, other, peer):
        self.ip(where, "link", "add", name, "type", "veth", "peer", "name", peer, "netns", self.name[other])
        for ns, device in ((where, name), (other, peer)):
            self.ip(ns, "link", "set", device, "up")
            # No segments that nobody has cut, no checksum that nobody has computed.
            self.run(ns, "ethtool", "-K", device, "tx", "off", "gso", "off", "tso", "off", "gro", "off")

    def counters(self, where, device):
        """What Linux counted: {rx_packets, rx_bytes, tx_packets, tx_bytes}."""
        s = json.loads(self.ip(where, "-s", "-j", "link", "show", device))[0]["stats64"]
        return {f"{d}_{u}": s[d][u] for d in ("rx", "tx") for u in ("packets", "bytes")}


class VlanSwitch:
    """Between the trunk t1 and the hosts: tags what comes from a host, untags what is for it. Keeps the tags it saw."""

    def __init__(self, net):
        self.trunk = net.packet_socket("line", "t1")
        self.access = {vlan: net.packet_socket("line", f"v{vlan}") for vlan in VLAN.values()}
        for s in (self.trunk, *self.access.values()):
            s.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        # The kernel has taken the tag off a frame before a socket sees it.
        self.trunk.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
        self.tags, self.untagged, self.over = [], [], threading.Event()
        self.thread = threading.Thread(target=self.forward)
        self.thread.start()

    def forward(self):
        of = {s: vlan for vlan, s in self.access.items()}
        while not self.over.is_set():
            for s in select.select([self.trunk, *of], [], [], 0.1)[0]:
                if s is self.trunk:
                    self.from_trunk()
                else:
                    self.send(cases.tag(s.recv(4096), of[s]))

    def from_trunk(self):
        frame, ancillary, _, _ = self.trunk.recvmsg(4096, 256)
        status, _, _, _, _, tci, tpid = struct.unpack("=IIIHHHH", ancillary[0][2])
        if not status & TP_STATUS_VLAN_VALID:
            self.untagged.append(frame)
            return
        self.tags.append((tpid if status & TP_STATUS_VLAN_TPID_VALID else 0x8100, tci))
        if tci & 0xFFF in self.access:
            self.access[tci & 0xFFF].send(frame)

    def send(self, frame):
        """On the trunk, as it is."""
        self.trunk.send(frame)

    def end(self):
        self.over.set()
        self.thread.join()
        for s in (self.trunk, *self.access.values()):
            s.close()


class Vlans(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="fcn-vlan-")
        self.addCleanup(directory.cleanup)
        self.net = Net()
        self.addCleanup(self.net.destroy)
        self.net.create()
        self.line = VlanSwitch(self.net)
        self.addCleanup(self.line.end)
        self.switch = testbed.Switch(directory.name, testbed.write(directory.name, "fastcn.conf", CONFIG),
                                     namespace=self.net.name["sw"])
        self.addCleanup(self.switch.end)
        self.switch.wait()
        # It uses its addresses after a while, and neighbours are known when there was an answer.
        for host in INTERFACE:
            for to in GATEWAY[host] + tuple(a for other in INTERFACE if other != host for a in ADDRESS[other]):
                testbed.wait_until(lambda: self.ping(host, to, 1) == 1, testbed.seconds(30))

    def ping(self, host, to, count=3, size=56):
        """How many answers."""
        said = self.net.run(host, "ping", "-n", "-i", "0.05", "-c", str(count), "-W", "5", "-M", "do", "-s", str(size), to,
                            check=False)
        return sum(f"bytes from {to}" in line for line in said.splitlines())

    def still(self, look):
        """What look() gives, once that is the same twice."""
        def same():
            looks = [look()]
            time.sleep(0.3)
            looks.append(look())
            return looks[0] == looks[1] and looks
        return testbed.wait_until(same, testbed.seconds(30))[0]

    def counters(self):
        """fastcn's and Linux's, of the same interface or line."""
        ours = {p["port"]: p for p in self.switch.json("show port")}
        names = ("rx_packets", "rx_bytes", "tx_packets", "tx_bytes")
        fastcn = {name: {k: p[k] for k in names} for name, p in ours.items()}
        linux = {INTERFACE[h]: self.net.counters(h, "eth0") for h in INTERFACE}
        linux["p1"] = self.net.counters("line", "t1")
        return fastcn, linux

    def dropped(self):
        return {(d["port"], d["reason"]): d["packets"] for d in self.switch.json("show drops")}

    def test_hosts_reach_each_other(self):
        """IPv4 and IPv6, up to the MTU; the switch itself; its address on the way; neighbours by VLAN."""
        for host in INTERFACE:
            for n, header in ((0, 48), (1, 28)):
                for to in (GATEWAY[host][n], *(ADDRESS[h][n] for h in INTERFACE if h != host)):
                    with self.subTest(host=host, to=to):
                        self.assertEqual(self.ping(host, to), 3, self.switch.say("show drops"))
                        self.assertEqual(self.ping(host, to, size=1500 - header), 3, self.switch.say("show drops"))
        for n, (host, to) in enumerate((("h1", "h2"), ("h2", "h3"), ("h3", "h1"))):
            for family in (0, 1):
                said = self.net.run(host, "traceroute", "-6" if family == 0 else "-4", "-n", "-q", "1", "-w", "2",
                                    ADDRESS[to][family])
                hops = [line.split()[1] for line in said.splitlines()[1:]]
                self.assertEqual(hops, [GATEWAY[host][family], ADDRESS[to][family]], said)
        found = {(n["port"], n["address"]): n["mac"] for n in self.switch.json("show neighbour")}
        for host, name in INTERFACE.items():
            for address in ADDRESS[host]:
                self.assertEqual(found.get((name, address)), MAC[host], (name, address))
        # Whatever the switch sent to a host of the trunk had the tag of one of its VLANs; p1 itself has none.
        self.assertEqual([f for f in self.line.untagged if not f[0] & 1], [])
        self.assertEqual({(tpid, tci & 0xFFF) for tpid, tci in self.line.tags}, {(0x8100, 100), (0x8100, 200)})

    def test_counters(self):
        """Packets and bytes of sub-interfaces, without the tag, are those of the hosts; those of their port, with it, are
        those of the line."""
        fastcn, linux = self.still(self.counters)
        for host, to, count in (("h1", "h2", 20), ("h2", "h3", 15), ("h3", "h1", 10)):
            for n in (0, 1):
                self.assertEqual(self.ping(host, ADDRESS[to][n], count, 300 + count), count)
        fastcn_after, linux_after = self.still(self.counters)
        other = {"rx": "tx", "tx": "rx"}
        for name, before in fastcn.items():
            for counter, value in before.items():
                theirs = other[counter[:2]] + counter[2:]
                grown = linux_after[name][theirs] - linux[name][theirs]
                # An ARP packet of the switch is padded on its way, by up to 18 octets; there are few of them.
                padding = grown - (fastcn_after[name][counter] - value)
                self.assertIn(padding, range(18 * 10) if counter == "tx_bytes" else (0,), (name, counter))
                self.assertGreater(grown, 0)
        self.assertTrue(self.switch.json("show conservation")["ok"])

    def test_tags(self):
        """A VLAN nobody has, two tags, a priority tag: from the line, to h3."""
        data = capture.load(os.path.join(DATA, "vectors", "01_roce6_write.pcap")).records[0].data
        frame = cases.variant(data, src=ADDRESS["h1"][0], dst=ADDRESS["h3"][0], smac=MAC["h1"], dmac=MAC["p1"])
        tag, before = cases.tag, self.dropped()
        with self.net.socket("h3", socket.AF_INET6, socket.SOCK_DGRAM) as got:
            got.bind(("::", ROCE))
            got.settimeout(testbed.seconds(5))
            wrong = [tag(frame, 300), tag(frame, 4095), tag(tag(frame, 200), 100), tag(tag(frame, 200), 0),
                     tag(tag(frame, 200), 100, ethertype=0x88A8), tag(frame, 1)]
            for f in wrong:
                self.line.send(f)
            unexpected = ("p1", "vlan_unexpected")
            testbed.wait_until(lambda: self.dropped().get(unexpected, 0) - before.get(unexpected, 0) == len(wrong),
                               testbed.seconds(5))
            for f in (tag(frame, 100, 5), tag(frame, 0, 5), frame):
                self.line.send(f)
                self.assertEqual(len(got.recv(4096)), len(frame) - 62)
            # what was wrong did not come
            got.setblocking(False)
            self.assertRaises(BlockingIOError, got.recv, 4096)
        self.assertEqual({k: n - before.get(k, 0) for k, n in self.dropped().items() if n != before.get(k, 0)},
                         {unexpected: len(wrong)})


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, net=Net, tools=TOOLS))
