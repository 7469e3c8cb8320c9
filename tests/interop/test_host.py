#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The switch as a host among Linux hosts: neighbours, ICMP, and senders that do not understand a Fast CNP. The
namespaces of test_live.py; net_af_packet over veth and, for one test, net_tap. Needs root, ping, traceroute, iperf3
and ethtool; without, exit 77.

test_host.py --fastcn PROGRAM [unittest options]
"""

import json
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import test_live
import testbed

TOOLS = ("ping", "traceroute", "iperf3", "ethtool")
MAC = test_live.MAC

CONFIG = """
port add p1 device net_af_packet0
port add p2 device net_af_packet1
set loopback 2001:db8:f::5
address add p1 2001:db8:1::fe/64
address add p2 2001:db8:2::fe/64
address add p1 192.0.2.126/25
address add p2 192.0.2.254/25
"""

CONGESTED = CONFIG + """
set port p2 rate 2M
set queue p2 class 3 detector step 3K
set queue p2 class 3 ecn on
set queue p2 class 3 notify on
set notify fast-cnp on
set notify interval 1ms
"""


class HostNet(test_live.Net):
    """Nobody's MAC address is known to anybody, and checksums are whole."""

    def create(self):
        super().create()
        for n, host in ((1, "h1"), (2, "h2")):
            self.ip(host, "neigh", "flush", "dev", "eth0", "nud", "permanent")
            self.ip(host, "addr", "del", f"2001:db8:b::{n}/64", "dev", "eth0")
            self.ip(host, "addr", "add", f"192.0.2.{1 if n == 1 else 129}/25", "dev", "eth0")
            self.ip(host, "route", "add", "default", "via", f"192.0.2.{126 if n == 1 else 254}")
            self.ip(host, "-6", "route", "add", "default", "via", f"2001:db8:{n}::fe")
            self.run(host, "ethtool", "-K", "eth0", "tx", "off", "rx", "off", "gso", "off", "tso", "off", "gro", "off")
        # The kernel is not to speak on the switch's side of the veth pairs.
        for n in (1, 2):
            self.sysctl("sw", f"net.ipv6.conf.s{n}.disable_ipv6=1")



def icrc(ip, udp_and_behind):
    """ICRC of a RoCEv2 packet over IPv6 (rdma_rxe): CRC-32 over ones, masked headers and the rest."""
    import zlib
    ip = bytearray(ip)
    ip[0] |= 0x0F
    ip[1] = ip[2] = ip[3] = ip[7] = 0xFF
    rest = bytearray(udp_and_behind)
    rest[6] = rest[7] = 0xFF
    rest[12] = 0xFF
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(ip) + bytes(rest)) & 0xFFFFFFFF)


def roce(src, dst, qp, psn, payload, ecn=2):
    """A frame of RC SEND ONLY over IPv6, DSCP 26, from h1 to the switch."""
    tclass = 26 << 2 | ecn
    bth = struct.pack("!BBHII", 0x04, 0, 0xFFFF, qp, psn)
    length = 8 + len(bth) + len(payload) + 4
    ip = struct.pack("!IHBB", 6 << 28 | tclass << 20, length, 17, 64) + socket.inet_pton(
        socket.AF_INET6, src) + socket.inet_pton(socket.AF_INET6, dst)
    udp = struct.pack("!HHHH", 0xC000 + qp, 4791, length, 0) + bth + payload
    return ip + udp + icrc(ip, udp)


class Host(unittest.TestCase):
    NET = HostNet

    @classmethod
    def setUpClass(cls):
        cls.net = cls.NET()
        cls.addClassCleanup(cls.net.destroy)
        cls.net.create()
        directory = tempfile.TemporaryDirectory(prefix="fcn-host-")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = directory.name

    def start(self, config, checks_addresses=False):
        """Unless told so, the switch uses its addresses at once, which saves each test some seconds."""
        if not checks_addresses:
            config = "set host dad off\n" + config
        for host in ("h1", "h2"):
            self.net.ip(host, "neigh", "flush", "dev", "eth0")
        switch = testbed.Switch(self.directory, testbed.write(self.directory, "fastcn.conf", config), vdevs=test_live.VDEVS,
                                namespace=self.net.name["sw"], own_console=True)
        self.addCleanup(switch.end)
        switch.say("start")
        for address in ("2001:db8:1::fe", "2001:db8:f::5", "192.0.2.126"):
            self.wait_for("h1", address)
        return switch

    def wait_for(self, host, address):
        """The switch asks whether its addresses are taken before it uses them (RFC 4862, 5227)."""
        for _ in range(30):
            if "1 received" in self.ping(host, address, count=1):
                return
        self.fail(f"{address} does not answer")

    def ping(self, host, to, count=3, *more):
        return self.net.run(host, "ping", "-n", "-c", str(count), "-i", "0.2", "-W", "1", *more, to, check=False)

    def check_conservation(self, switch):
        counted = switch.json("show conservation")
        self.assertTrue(counted["ok"], counted)

    def test_ping(self):
        switch = self.start(CONFIG, checks_addresses=True)
        for to in ("2001:db8:1::fe", "2001:db8:2::fe", "2001:db8:f::5", "2001:db8:2::1", "192.0.2.126", "192.0.2.254",
                   "192.0.2.129"):
            self.assertTrue(self.net.answered("h1", "-c3", "-i0.2", to), to)
        found = {n["address"]: n for n in switch.json("show neighbour")}
        for address, mac in (("2001:db8:1::1", MAC["h1"]), ("2001:db8:2::1", MAC["h2"]), ("192.0.2.129", MAC["h2"])):
            self.assertEqual((found[address]["mac"], found[address]["state"]), (mac, "reachable"))
        self.assertIn("Address unreachable", self.ping("h1", "2001:db8:2::99", 5, "-i", "1"))
        self.assertIn("No route", self.ping("h1", "2001:db8:99::1", 1))
        self.assertIn("Destination Host Unreachable", self.ping("h1", "192.0.2.200", 5, "-i", "1"))
        self.check_conservation(switch)

    def test_traceroute(self):
        switch = self.start(CONFIG)
        for to, first in (("2001:db8:2::1", "2001:db8:1::fe"), ("192.0.2.129", "192.0.2.126")):
            self.ping("h1", to)  # neighbours are known: probes are not late
            hops = re.findall(r"^ *\d+ +(\S+)", self.net.run("h1", "traceroute", "-n", "-q", "1", "-w", "2", "-m", "4", to),
                              re.M)
            self.assertEqual(hops, [first, to])
        self.check_conservation(switch)

    def test_path_mtu(self):
        switch = self.start(CONFIG)
        self.ping("h1", "2001:db8:2::1")
        self.ping("h1", "192.0.2.129")
        switch.say("set port p2 mtu 1300")
        self.assertIn("mtu: 1300", self.ping("h1", "2001:db8:2::1", 2, "-M", "do", "-s", "1400"))
        self.assertIn("mtu=1300", self.ping("h1", "192.0.2.129", 2, "-M", "do", "-s", "1400"))
        self.net.ip("h1", "-6", "route", "flush", "cache")
        self.check_conservation(switch)

    def test_iperf(self):
        switch = self.start(CONFIG)
        for to, more in (("2001:db8:2::1", ()), ("2001:db8:2::1", ("-R",)), ("192.0.2.129", ()), ("192.0.2.129", ("-R",))):
            server = self.net.popen("h2", "iperf3", "-s", "-1", "-B", to, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL)
            try:
                for _ in range(20):
                    time.sleep(0.1)
                    out = self.net.run("h1", "iperf3", "-c", to, "-t", "1", "-J", *more, check=False)
                    result = json.loads(out)
                    if "error" not in result:
                        break
                self.assertNotIn("error", result)
                self.assertGreater(result["end"]["sum_received"]["bits_per_second"], 1e6)
            finally:
                server.kill()
                server.wait()
        self.check_conservation(switch)

    def flood(self, seconds, by="2001:db8:1::fe", to="2001:db8:2::1"):
        """RoCEv2 from h1 by a neighbour, twice what p2 sends, while what h1 receives is kept. Returns the frames
        received."""
        frames, end = [], threading.Event()
        sock = self.net.packet_socket("h1", "eth0")
        target = bytes.fromhex(self.net.run("h1", "ip", "-6", "neigh", "show", by).split("lladdr ")[1]
                               .split()[0].replace(":", ""))
        header = target + bytes.fromhex(MAC["h1"].replace(":", "")) + b"\x86\xdd"

        def listen():
            sock.settimeout(0.2)
            while not end.is_set():
                try:
                    frame, address = sock.recvfrom(4096)
                except socket.timeout:
                    continue
                if address[2] != socket.PACKET_OUTGOING:
                    frames.append(frame)

        listener = threading.Thread(target=listen)
        listener.start()
        try:
            until, psn = time.monotonic() + seconds, 0
            while time.monotonic() < until:
                for _ in range(5):
                    sock.send(header + roce("2001:db8:1::1", to, 0x12, psn, bytes(500)))
                    psn += 1
                time.sleep(0.005)
        finally:
            end.set()
            listener.join()
            sock.close()
        return frames

    @staticmethod
    def fast_cnps(frames, to="2001:db8:2::1"):
        """Those with Destination Option 1 from the switch's loopback, checked by hand."""
        loopback, receiver = (socket.inet_pton(socket.AF_INET6, a) for a in ("2001:db8:f::5", to))
        return [f for f in frames if len(f) == 118 and f[12:14] == b"\x86\xdd" and f[20] == 60 and f[22:38] == loopback and
                f[60] == 0x9E and f[62:78] == receiver and f[86] == 0x81 and
                f[114:118] == icrc(f[14:54], f[78:114])]

    def test_sender_that_does_not_understand(self):
        switch = self.start(CONGESTED)
        self.ping("h1", "2001:db8:2::1")
        # The host answers the first notice with Parameter Problem: that sender gets no more of them, but CE.
        self.assertGreaterEqual(len(self.fast_cnps(self.flood(2.0))), 1)
        senders = {s["prefix"]: s for s in switch.json("show sender")}
        self.assertEqual(senders["2001:db8:1::1/128"]["capability"], "none")
        before = switch.json("show queue p2 class 3")[0]["ce_marked"]
        self.assertEqual(self.fast_cnps(self.flood(1.0)), [])
        self.assertGreater(switch.json("show queue p2 class 3")[0]["ce_marked"], before)
        self.assertEqual(switch.json("show host")["counters"]["capability_forged"], 0)
        switch.say("clear sender")
        self.assertEqual(switch.json("show sender"), [])
        self.check_conservation(switch)

    @staticmethod
    def returned(frames):
        """PSNs that notices name: a Fast CNP with a further option, checked by hand."""
        loopback = socket.inet_pton(socket.AF_INET6, "2001:db8:f::5")
        return [int.from_bytes(f[87:90], "big") for f in frames if len(f) == 134 and f[20] == 60 and f[22:38] == loopback and
                f[60] == 0x9E and f[78:84] == bytes([1, 0, 0x9D, 12, 1, 7]) and f[102] == 0x81 and
                f[130:134] == icrc(f[14:54], f[94:130])]

    def test_headers_that_go_back(self):
        """A host that does not understand them answers with Parameter Problem; it is sent none of this kind then."""
        switch = self.start(CONFIG + "set port p2 rate 2M\nset queue p2 class 3 limit 8K\nset queue p2 class 3 trim return\n"
                            "set trim link-share off\n")  # a busy machine has packets come many at once
        self.ping("h1", "2001:db8:2::1")
        named = self.returned(self.flood(1.0))
        queue = switch.json("show queue p2 class 3 detail")[0]
        self.assertGreaterEqual(len(named), 1)
        self.assertEqual((len(set(named)), queue["returned"]), (len(named), len(named)))
        self.assertEqual([s["prefix"] for s in switch.json("show sender") if s.get("notice") == "trimmed"], ["2001:db8:1::1/128"])
        self.assertEqual(self.returned(self.flood(0.5)), [])
        dropped = switch.json("show queue p2 class 3 detail")[0]["dropped_bytes"]
        # One that understands them hears of each packet.
        switch.say("set host capability off")
        named = self.returned(self.flood(0.5))
        self.assertGreater(len(named), 20)
        self.assertEqual(len(set(named)), len(named))
        queue = switch.json("show queue p2 class 3 detail")[0]
        self.assertEqual((queue["dropped_bytes"] - dropped) // (14 + 40 + 8 + 12 + 500 + 4), len(named))
        self.check_conservation(switch)

    def test_capable_sender_gets_no_ce(self):
        switch = self.start(CONGESTED + "sender add 2001:db8:1::/64 capable\nset host capability off\n")
        self.ping("h1", "2001:db8:2::1")
        notices = self.fast_cnps(self.flood(1.5))
        self.assertGreater(len(notices), 10)
        self.assertEqual(switch.json("show queue p2 class 3")[0]["ce_marked"], 0)
        self.check_conservation(switch)

    def test_forged_answer(self):
        switch = self.start(CONGESTED)
        with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/vectors/23_linux_param_problem.pcap"),
                  "rb") as f:
            data = f.read()
        # The second frame: a host's Parameter Problem about a notice that this switch never sent.
        first = struct.unpack("<I", data[32:36])[0]
        at = 40 + first
        problem = bytearray(data[at + 16:at + 16 + struct.unpack("<I", data[at + 8:at + 12])[0]])
        target = self.net.run("h1", "ip", "-6", "neigh", "show", "2001:db8:1::fe").split("lladdr ")[1].split()[0]
        problem[0:12] = bytes.fromhex((target + MAC["h1"]).replace(":", ""))
        problem[38:54] = socket.inet_pton(socket.AF_INET6, "2001:db8:f::5")
        problem[62 + 8:62 + 24] = socket.inet_pton(socket.AF_INET6, "2001:db8:f::5")
        problem[56:58] = b"\0\0"
        total = sum(struct.unpack(f"!{(len(problem) - 22) // 2}H", problem[22:22 + (len(problem) - 22) // 2 * 2]))
        total += len(problem) - 54 + 58
        while total >> 16:
            total = (total & 0xFFFF) + (total >> 16)
        problem[56:58] = struct.pack("!H", ~total & 0xFFFF)
        sock = self.net.packet_socket("h1", "eth0")
        sock.send(problem)
        sock.close()
        time.sleep(0.3)
        self.assertEqual(switch.json("show sender"), [])
        self.assertEqual(switch.json("show host")["counters"]["capability_forged"], 1)

    def test_tap(self):
        """A device made while the switch runs: the kernel's side of a tap is a host of its own."""
        switch = self.start(CONFIG)
        self.assertEqual(switch.say("port add p3 device net_tap0,iface=fcntap"), "")
        self.assertEqual(switch.say("address add p3 2001:db8:3::fe/64"), "")
        # The driver gives both ends one MAC address: two hosts on a line cannot share it.
        self.net.ip("sw", "link", "set", "fcntap", "address", "02:00:00:00:03:01")
        self.net.ip("sw", "link", "set", "fcntap", "up")
        self.net.ip("sw", "addr", "add", "2001:db8:3::1/64", "dev", "fcntap", "nodad")
        self.wait_for("sw", "2001:db8:3::fe")
        self.assertTrue(self.net.answered("sw", "-c3", "-i0.2", "2001:db8:3::fe"))
        self.net.ip("sw", "-6", "route", "add", "2001:db8:1::/64", "via", "2001:db8:3::fe")
        self.assertTrue(self.net.answered("sw", "-c3", "-i0.2", "2001:db8:1::1"))
        self.assertEqual(switch.say("port remove p3"), "")
        self.assertNotIn("fcntap", self.net.run("sw", "ip", "-br", "link"))
        self.check_conservation(switch)


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, net=HostNet, tools=TOOLS))
