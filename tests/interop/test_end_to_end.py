#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Linux hosts around the running switch, and what both sides counted: packet by packet, fastcn and Linux agree. Once with
net_af_packet over veth, once with net_tap. Then the switch under load: it reloads, is asked and abused without losing a
packet, ends in time, and comes back as it was saved. Needs root, ping, traceroute, iperf3, nstat, ethtool and tshark, or is
skipped.

test_end_to_end.py --fastcn PROGRAM [--workers N] [--long SECONDS] [unittest options]

--long: how long traffic of all kinds goes on between hosts in each of the tests of counters (default 3 s).
"""

import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import testbed

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))

from fcnoracle import capture, notice, walker  # noqa: E402

TOOLS = ("ping", "traceroute", "iperf3", "nstat", "ethtool", "tshark")
MAC = {"h1": "02:00:00:00:01:01", "h2": "02:00:00:00:02:01", "p1": "02:00:00:00:01:fe", "p2": "02:00:00:00:02:fe"}
ADDRESS = {"h1": ("2001:db8:1::1", "192.0.2.1"), "h2": ("2001:db8:2::1", "192.0.2.129")}
LONG_DEFAULT = 3
SO_RCVBUFFORCE = 33  # socket(7); not in Python

# Room for a second of what is sent here: a worker that does not run for a while costs nothing.
AF_PACKET = "net_af_packet{0},iface=s{1},blocksz=65536,framesz=2048,framecnt=16384"
TAP = "net_tap{0},iface=tap{1}"

ROUTED = """
set host dad off
port add p1 device {0}
port add p2 device {1}
set port p1 mac 02:00:00:00:01:fe
set port p2 mac 02:00:00:00:02:fe
set loopback 2001:db8:f::5
address add p1 2001:db8:1::fe/64
address add p2 2001:db8:2::fe/64
address add p1 192.0.2.126/25
address add p2 192.0.2.254/25
"""

# RoCEv2 of the long test has 8 Mb/s: the class is congested, other classes are not.
CONGESTED = """
set queue p2 class 3 peak 4M
set queue p2 class 3 limit 60K
set queue p2 class 3 detector step 15K leave 8K
set queue p2 class 3 ecn on
set queue p2 class 3 notify on
set notify interval 1ms
set notify fast-cnp on
"""


class Net(testbed.Namespaces):
    """Two hosts whose interface is eth0, and the switch's side, where the kernel is silent."""

    def __init__(self):
        super().__init__("h1", "h2", "sw")

    def create(self):
        super().create()
        self.sysctl("sw", "net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1")

    def add_veth(self):
        for n, host in ((1, "h1"), (2, "h2")):
            self.ip(host, "link", "add", "eth0", "type", "veth", "peer", "name", f"s{n}", "netns", self.name["sw"])
            self.ip("sw", "link", "set", f"s{n}", "up")
            self.run(host, "ethtool", "-K", "eth0", "tx", "off", "gso", "off", "tso", "off", "gro", "off")

    def move_taps(self):
        for n, host in ((1, "h1"), (2, "h2")):
            self.ip("sw", "link", "set", f"tap{n}", "netns", self.name[host], "name", "eth0")

    def remove_devices(self):
        """What veth leaves; taps are gone with the switch."""
        for host in ("h1", "h2"):
            subprocess.run(["ip", "-n", self.name[host], "link", "del", "eth0"], stderr=subprocess.DEVNULL, check=False)

    def configure(self, host):
        n = int(host[1])
        v6, v4 = ADDRESS[host]
        # Of a tap, what waits for a worker: as much as in the ring of a packet socket.
        self.ip(host, "link", "set", "eth0", "address", MAC[host], "txqueuelen", "16384")
        self.ip(host, "addr", "add", v6 + "/64", "dev", "eth0", "nodad")
        self.ip(host, "addr", "add", v4 + "/25", "dev", "eth0")
        self.ip(host, "link", "set", "eth0", "up")
        self.ip(host, "link", "set", "lo", "up")
        self.ip(host, "route", "add", "default", "via", f"2001:db8:{n}::fe")
        self.ip(host, "route", "add", "default", "via", "192.0.2.126" if n == 1 else "192.0.2.254")

    def link(self, host):
        """What Linux counted at eth0: (packets, bytes) out and in, and what it dropped."""
        s = json.loads(self.ip(host, "-s", "-j", "link", "show", "eth0"))[0]["stats64"]
        lost = sum(s[d][k] for d in ("rx", "tx") for k in ("errors", "dropped"))
        return (s["tx"]["packets"], s["tx"]["bytes"]), (s["rx"]["packets"], s["rx"]["bytes"]), lost

    def nstat(self, host):
        return json.loads(self.run(host, "nstat", "-asz", "--json"))["kernel"]


class Sink:
    """RoCEv2 packets that h2 receives: an ordinary socket, so that h2 does not say that the port is closed."""

    def __init__(self, net):
        self.socket = net.socket("h2", socket.AF_INET6, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 26)
        self.socket.bind(("::", 4791))

    def close(self):
        self.socket.close()

    def take(self):
        """How many there are."""
        self.socket.setblocking(False)
        n = 0
        try:
            while True:
                self.socket.recv(4096)
                n += 1
        except BlockingIOError:
            return n


class Flow:
    """Numbered datagrams from h1 to h2, two thousand a second, until end()."""

    def __init__(self, net):
        self.tx, self.rx = (net.socket(h, socket.AF_INET6, socket.SOCK_DGRAM) for h in ("h1", "h2"))
        self.rx.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 26)
        self.rx.bind((ADDRESS["h2"][0], 0))
        self.rx.settimeout(0.1)
        self.tx.connect((ADDRESS["h2"][0], self.rx.getsockname()[1]))
        self.sent, self.received, self.over = 0, [], threading.Event()
        self.sender, self.receiver = threading.Thread(target=self.send), threading.Thread(target=self.receive)
        self.sender.start()
        self.receiver.start()

    def send(self):
        begin = time.monotonic()
        while not self.over.is_set():
            while self.sent < (time.monotonic() - begin) * 2000:
                self.tx.send(struct.pack("!I", self.sent) + bytes(100))
                self.sent += 1
            time.sleep(0.005)

    def receive(self):
        quiet = 0
        while quiet < 50 and not (self.over.is_set() and len(self.received) == self.sent):
            try:
                self.received.append(struct.unpack("!I", self.rx.recv(2048)[:4])[0])
                quiet = 0
            except TimeoutError:
                quiet += self.over.is_set()

    def end(self):
        """What was lost, in words; nothing when all of it came, in order."""
        self.over.set()
        self.sender.join()
        self.receiver.join()
        self.tx.close()
        self.rx.close()
        if self.received == list(range(self.sent)):
            return ""
        missing = sorted(set(range(self.sent)) - set(self.received))
        return f"of {self.sent} datagrams {len(missing)} are missing, {missing[:1]} to {missing[-1:]}; or the order is wrong"


class Capture:
    """What comes in at a host's eth0, until end()."""

    def __init__(self, net, host):
        self.socket = net.packet_socket(host, "eth0")
        self.socket.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 26)
        self.socket.settimeout(0.2)
        self.frames, self.over = [], threading.Event()
        self.thread = threading.Thread(target=self.receive)
        self.thread.start()

    def receive(self):
        while True:
            try:
                frame, address = self.socket.recvfrom(4096)
            except TimeoutError:
                if self.over.is_set():
                    return
            else:
                self.frames.append((time.time_ns(), frame, address[2] == socket.PACKET_OUTGOING))

    def end(self, path):
        """In a file, both ways; returns the frames that came in."""
        self.over.set()
        self.thread.join()
        self.socket.close()
        capture.save(path, [(t, f) for t, f, _ in self.frames], nano=True)
        return [f for _, f, out in self.frames if not out]


class EndToEnd(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.net = Net()
        cls.addClassCleanup(cls.net.destroy)
        cls.net.create()

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="fcn-e2e-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def switch(self, config, kind, *more):
        """A switch that forwards between the hosts, who know each other; counters are those since then."""
        devices = [kind.format(n - 1, n) for n in (1, 2)]
        self.addCleanup(self.net.remove_devices)
        if kind is AF_PACKET:
            self.net.add_veth()
        config = testbed.write(self.directory, "fastcn.conf", config.format(*devices))
        switch = testbed.Switch(self.directory, config, *more, namespace=self.net.name["sw"])
        self.addCleanup(switch.end)
        switch.wait()
        if kind is TAP:
            self.net.move_taps()
        for host in ("h1", "h2"):
            self.net.configure(host)
        self.know_each_other(switch)
        return switch

    def know_each_other(self, switch):
        """The switch uses its addresses after a while, and neighbours are known when there was an answer."""
        for host, others in (("h1", ("2001:db8:f::5", *ADDRESS["h2"])), ("h2", ADDRESS["h1"])):
            for to in others:
                testbed.wait_until(lambda: " 0% packet loss" in self.net.run(host, "ping", "-n", "-c", "1", "-W", "1", to,
                                                                             check=False), 60)

    # ---- what both sides counted ----

    def look(self, switch):
        """Counters of both sides, once nothing moves any more."""
        def both():
            return [self.net.link(h) for h in ("h1", "h2")], switch.json("show port"), switch.json("show conservation")

        def still():
            looks = [both()]
            time.sleep(0.3)
            looks.append(both())
            return looks[0] == looks[1] and looks[0][2]["queued"] == 0 and looks[0]
        return testbed.wait_until(still, 30)

    def check_links(self, before, after, linux_may_drop=False):
        """From one look to the next, each packet and byte that Linux sent was received, and the other way round."""
        for n, host in enumerate(("h1", "h2")):
            with self.subTest(host=host):
                (out, into, lost), (out_before, into_before, lost_before) = after[0][n], before[0][n]
                ours, ours_before = after[1][n], before[1][n]
                if not linux_may_drop:
                    self.assertEqual(lost, lost_before)
                for what, linux, linux_before in (("rx", out, out_before), ("tx", into, into_before)):
                    for i, unit in ((0, "packets"), (1, "bytes")):
                        name = f"{what}_{unit}"
                        padding = linux[i] - linux_before[i] - (ours[name] - ours_before[name])
                        # An ARP packet has 42 octets, a segment of TCP without data 54, and each 60 on its way.
                        frames = ours["tx_packets"] - ours_before["tx_packets"]
                        short = range(18 * frames + 1) if name == "tx_bytes" else (0,)
                        self.assertIn(padding, short, f"{host}: {name}")
                # Not device_tx_errors: net_tap counts what it refused there, which is sent later.
                for name in ("device_rx_missed", "device_rx_errors", "device_rx_no_mbuf"):
                    self.assertEqual(ours[name], 0, name)
        self.assertTrue(after[2]["ok"])

    def check_conservation_stopped(self, switch):
        """Stopped, the packet accounting holds as well, and the sum of its parts is done here."""
        self.assertIn("conservation:", switch.say("stop"))
        c = switch.json("show conservation")
        self.assertTrue(c["ok"], c)
        self.assertEqual(c["received"] + c["generated"] + c.get("returned", 0) + c["replicated"],
                         c["transmitted"] + c["dropped"] + c["consumed"] + c["queued"], c)
        self.assertEqual(switch.say("start"), "")

    # ---- traffic ----

    def iperf(self, to, *words, seconds):
        """h1 to h2; what iperf3 found. Not faster than what nobody has to drop."""
        server = self.net.popen("h2", "iperf3", "-s", "-1", "-B", to, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            def go():
                result = json.loads(self.net.run("h1", "iperf3", "-c", to, "-t", str(seconds), "-J", *words, check=False,
                                                 timeout=seconds + 60))
                return "error" not in result and result
            return testbed.wait_until(go, 30 + seconds)["end"]
        finally:
            server.kill()
            server.wait()

    def datagrams(self, number):
        """UDP from h1 to h2, of many sizes, IPv6 and then IPv4. Returns the numbers of those that h2's sockets got."""
        got = []
        for family, to, source in ((socket.AF_INET6, *(ADDRESS[h][0] for h in ("h2", "h1"))),
                                   (socket.AF_INET, *(ADDRESS[h][1] for h in ("h2", "h1")))):
            with self.net.socket("h1", family, socket.SOCK_DGRAM) as tx, self.net.socket("h2", family,
                                                                                         socket.SOCK_DGRAM) as rx:
                rx.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 26)
                rx.bind((to, 0))
                tx.bind((source, 0))
                tx.connect((to, rx.getsockname()[1]))
                for i in range(number):
                    tx.send(struct.pack("!I", i) + bytes(14 + i * 7 % 1386))  # no frame needs padding
                    if i % 20 == 0:
                        time.sleep(0.005)
                rx.settimeout(testbed.seconds(5))
                try:
                    for i in range(number):
                        got.append(struct.unpack("!I", rx.recv(2048)[:4])[0])
                except TimeoutError:
                    pass  # less than all: seen later
        return got

    def roce(self, seconds):
        """In h1's namespace, an ordinary program; how many packets it sent."""
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "scripts", "roce-send")
        return int(self.net.run("h1", script, ADDRESS["h1"][0], ADDRESS["h2"][0], "--rate", "8M", "--seconds",
                                str(seconds), timeout=seconds + 60).split()[0])

    def all_kinds(self, seconds):
        """Ping, TCP both ways, UDP and RoCEv2 for a while. Returns what was sent and arrived for sure."""
        done = {"pings": int(seconds * 30)}
        with_ping = self.net.popen("h2", "ping", "-q", "-n", "-i", "0.02", "-c", str(done["pings"]), "-W", "5",
                                   ADDRESS["h1"][0], stdout=subprocess.DEVNULL)
        roce = threading.Thread(target=lambda: done.update(roce=self.roce(seconds)))
        roce.start()
        try:
            each = max(seconds / 5, 1)
            for version in (0, 1):
                for words in ((), ("-R",)):
                    end = self.iperf(ADDRESS["h2"][version], "-b", "30M", *words, seconds=each)
                    self.assertGreater(end["sum_received"]["bytes"], 50_000)  # that it goes on, however slowly
            done["udp"] = self.datagrams(int(seconds * 100))
            done["udp_sent"] = 2 * list(range(int(seconds * 100)))
        finally:
            roce.join()
            with_ping.wait(timeout=seconds * 2 + 60)
        return done

    def check_all_kinds(self, kind):
        """The counters agree at each look; all that h2's kernel counts in IPv6 agrees with the switch's queues."""
        switch = self.switch(ROUTED + CONGESTED, kind)
        sink = Sink(self.net)
        self.addCleanup(sink.close)
        whole, rounds = testbed.options.long or LONG_DEFAULT, 0
        end = time.monotonic() + whole
        while rounds == 0 or time.monotonic() < end:
            rounds += 1
            before, nstat, queue = self.look(switch), self.net.nstat("h2"), self.queue(switch)
            h1 = self.net.nstat("h1")
            done = self.all_kinds(min(whole, 30))
            after, nstat_after, queue_after = self.look(switch), self.net.nstat("h2"), self.queue(switch)
            h1_after = self.net.nstat("h1")
            self.check_links(before, after)
            # What roce-send sent was sent on or dropped by the class's queue; what was sent on, h2 received.
            grown = {k: queue_after[k] - queue[k] for k in queue}
            self.check_arrived(switch, done, grown, {"h1": (h1, h1_after), "h2": (nstat, nstat_after)})
            self.assertEqual(sink.take(), grown["sent"])
            self.assertGreater(grown["ce_marked"], 0)
            for host_counter, ours in (("Ip6InCEPkts", grown["ce_marked"]), ("Ip6InECT0Pkts", None), ("Udp6InErrors", 0),
                                       ("UdpInErrors", 0), ("Ip6InHdrErrors", 0), ("TcpInCsumErrors", 0),
                                       ("Udp6InCsumErrors", 0)):
                if ours is not None:
                    self.assertEqual(nstat_after[host_counter] - nstat[host_counter], ours, host_counter)
            self.assertEqual(h1_after["Icmp6InCsumErrors"], h1["Icmp6InCsumErrors"])
            self.assertEqual(h1_after["TcpInCsumErrors"], h1["TcpInCsumErrors"])
            self.check_conservation_stopped(switch)
            total = sum(after[1][n]["rx_packets"] - before[1][n]["rx_packets"] for n in (0, 1))
            print(f"round {rounds}: {total} packets received, {grown['ce_marked']} marked; all agree", file=sys.stderr)
        status, seconds = switch.stop()
        self.assertEqual(status, 0)
        self.assertLess(seconds, testbed.seconds(1))

    def check_arrived(self, switch, done, grown, nstats):
        """Pings, datagrams and RoCEv2: each that no named counter of the switch has. If not, counters are told.

        Of several workers that share a CPU one may not run for so long that another cannot hand packets over to it.
        """
        linux = {host: {k: after[k] - before[k] for k in before} for host, (before, after) in nstats.items()}
        # ping itself may be too late to take an answer
        pings = linux["h2"]["Icmp6InEchoReplies"]
        missing = len(done["udp_sent"]) - len(done["udp"]) + done["roce"] - grown["packets"] - grown["dropped"]
        if grown["cross_core_full"] == 0 and pings == done["pings"] and missing == 0 and done["udp"] == done["udp_sent"]:
            return
        if testbed.options.workers > 1 and missing + done["pings"] - pings <= grown["cross_core_full"]:
            return  # the rest were of TCP
        told = [f"pings: {done['pings']}, answers {pings}", f"datagrams: {len(done['udp_sent'])}, received {len(done['udp'])}",
                f"RoCEv2: {done['roce']}, at the queue {grown}", switch.say("show drops"), switch.say("show neighbour")]
        for host, counters in linux.items():
            told += [host, self.net.ip(host, "-s", "neigh"), str({k: v for k, v in counters.items() if v})]
        self.fail("\n".join(told))

    @staticmethod
    def queue(switch):
        q = switch.json("show queue p2 class 3")
        counts = {k: q[0][k] if q else 0 for k in ("packets", "sent", "dropped", "ce_marked", "notices")}
        counts["cross_core_full"] = sum(d["packets"] for d in switch.json("show drops") if d["reason"] == "cross_core_full")
        return counts

    def test_counters_over_veth(self):
        self.check_all_kinds(AF_PACKET)

    def test_counters_over_taps(self):
        self.check_all_kinds(TAP)

    # ---- the switch as a host, at a tap; test_host.py has the same over veth ----

    def test_host_over_taps(self):
        switch = self.switch(ROUTED, TAP)
        before = self.look(switch)
        for to, first in ((ADDRESS["h2"][0], "2001:db8:1::fe"), (ADDRESS["h2"][1], "192.0.2.126")):
            hops = re.findall(r"(?m)^ *\d+ +(\S+)", self.net.run("h1", "traceroute", "-n", "-q", "1", "-w", "2", "-m", "4", to))
            self.assertEqual(hops, [first, to])
        self.assertTrue(self.net.answered("h1", "-c20", "-i0.01", "192.0.2.126"))
        for to in ADDRESS["h2"]:
            for words in ((), ("-R",)):
                end = self.iperf(to, *words, seconds=1)  # as fast as it goes
                self.assertGreater(end["sum_received"]["bits_per_second"], 1e6)
        self.check_links(before, self.look(switch), linux_may_drop=True)

    def check_path_mtu(self, kind):
        """TCP finds out that packets are too long, and goes on; Linux and the switch count as many answers."""
        switch = self.switch(ROUTED + "set port p2 mtu 1300\n", kind)
        self.net.ip("h2", "link", "set", "eth0", "mtu", "1500")  # of a tap, the switch has set that, too
        told, sent = self.net.nstat("h1"), switch.json("show host")["counters"]["error_tx"]
        for to in ADDRESS["h2"]:
            self.assertGreater(self.iperf(to, seconds=1)["sum_received"]["bytes"], 10_000)
            self.assertIn("mtu 1300", self.net.ip("h1", "route", "get", to))
        told_after = self.net.nstat("h1")
        heard = [told_after[k] - told[k] for k in ("Icmp6InPktTooBigs", "IcmpInDestUnreachs")]
        self.assertGreater(min(heard), 0)
        self.assertEqual(sum(heard), switch.json("show host")["counters"]["error_tx"] - sent)

    def test_path_mtu_over_veth(self):
        self.check_path_mtu(AF_PACKET)

    def test_path_mtu_over_taps(self):
        self.check_path_mtu(TAP)

    # ---- congestion ----

    def congest(self, switch, sink):
        """RoCEv2 for a while: what the queue, h1, h2 and tshark say of it."""
        queue, h1, h2 = self.queue(switch), self.net.nstat("h1"), self.net.nstat("h2")
        kept = Capture(self.net, "h1")
        try:
            sent = self.roce(1)
            self.look(switch)
        finally:
            path = os.path.join(self.directory, "h1.pcap")
            frames = kept.end(path)
        queue_after, h1_after, h2_after = self.queue(switch), self.net.nstat("h1"), self.net.nstat("h2")
        grown = {k: queue_after[k] - queue[k] for k in queue}
        self.assertEqual(grown["packets"] + grown["dropped"], sent)
        self.assertEqual(sink.take(), grown["sent"])
        self.assertEqual(h2_after["Ip6InCEPkts"] - h2["Ip6InCEPkts"], grown["ce_marked"])
        found = testbed.run("tshark", "-n", "-r", path, "-Y", "ipv6.src == 2001:db8:f::5 && udp.dstport == 4791 && !icmpv6",
                            "-T", "fields", "-e", "infiniband.bth.opcode", "-e", "infiniband.bth.destqp").splitlines()
        answers = testbed.run("tshark", "-n", "-r", path, "-Y", "icmpv6.type == 4 && icmpv6.code == 2").splitlines()
        self.assertEqual(len(found), grown["notices"])
        self.assertEqual(set(found), {"129\t0x000011"} if found else set())
        self.assertEqual(len(answers), h1_after["Icmp6OutParmProblems"] - h1["Icmp6OutParmProblems"])
        profile = notice.Profile(socket.inet_pton(socket.AF_INET6, "2001:db8:f::5"))
        read = [notice.read(walker.walk(f), profile) for f in frames if f[12:14] == b"\x86\xdd" and f[20] == 60]
        self.assertEqual(len(read), len(found))
        receiver = socket.inet_pton(socket.AF_INET6, ADDRESS["h2"][0])
        self.assertTrue(all(n.receiver == receiver and n.qp == 0x11 for n in read))
        return grown, len(answers)

    def test_congestion_over_taps(self):
        """A sender of which nobody knows, that turns out not to understand, and one that does."""
        switch = self.switch(ROUTED + CONGESTED, TAP)
        sink = Sink(self.net)
        self.addCleanup(sink.close)
        grown, answers = self.congest(switch, sink)
        # The answer takes a while, and as long as it does there may be another notice.
        self.assertGreaterEqual(min(answers, grown["notices"]), 1)
        self.assertLess(grown["notices"], 100)
        self.assertGreater(grown["ce_marked"], 10)
        self.assertEqual([(s["prefix"], s["capability"]) for s in switch.json("show sender")], [(ADDRESS["h1"][0] + "/128",
                                                                                              "none")])
        grown, answers = self.congest(switch, sink)
        self.assertEqual((grown["notices"], answers), (0, 0))
        self.assertGreater(grown["ce_marked"], 10)
        switch.say(f"sender add {ADDRESS['h1'][0]}/128 capable")
        grown, _ = self.congest(switch, sink)
        self.assertGreater(grown["notices"], 10)
        self.assertEqual(grown["ce_marked"], 0)
        self.check_conservation_stopped(switch)

    # ---- under load ----

    def abuse(self, switch):
        """Clients that do not read, stop in the middle of a word, and a hundred that behave."""
        for _ in range(3):
            switch.connect().send("show queue all json\n" * 200)
        switch.connect().send("set port p1 rate 7")
        clients = [switch.connect() for _ in range(100)]
        for c in clients:
            c.send("show port json\n")
        for c in clients:
            self.assertEqual([p["port"] for p in json.loads(c.answer()[1])], ["p1", "p2"])
            c.close()

    def test_control_under_load(self):
        """Reloaded, reloaded with changes, asked and abused: no packet is lost, none changes places."""
        switch = self.switch(ROUTED, AF_PACKET)
        config = switch.say("show config")
        before = self.look(switch)
        flow = Flow(self.net)
        try:
            for n in range(5):
                testbed.write(self.directory, "fastcn.conf", config + (f"set notify interval {n + 1}ms\n" if n % 2 else ""))
                switch.process.send_signal(signal.SIGHUP)
                testbed.wait_until(lambda: (f"notify interval {n + 1}ms\n" in switch.say("show config")) if n % 2 else
                                   (switch.say("show config") == config))
                if n == 2:
                    self.abuse(switch)
                seen = len(flow.received)
                testbed.wait_until(lambda: len(flow.received) > seen + 400)
        finally:
            lost = flow.end()
        if lost:  # where?
            self.check_links(before, self.look(switch))
            if self.queue(switch)["cross_core_full"] == 0 or testbed.options.workers == 1:
                self.fail(f"{lost}; {switch.json('show drops')}, {self.net.nstat('h2')}")
        self.assertGreater(flow.sent, 2000)
        self.check_links(before, self.look(switch))
        self.assertEqual(switch.say("show config"), config)

    def test_stop_and_start_under_load(self):
        """At each stop the packet accounting balances, whatever is on its way."""
        switch = self.switch(ROUTED + CONGESTED, AF_PACKET)
        sink = Sink(self.net)
        self.addCleanup(sink.close)
        flow = Flow(self.net)
        roce = threading.Thread(target=lambda: self.roce(3))
        roce.start()
        try:
            while roce.is_alive():
                seen = len(flow.received)
                testbed.wait_until(lambda: len(flow.received) > seen + 50)
                self.check_conservation_stopped(switch)
        finally:
            roce.join()
            flow.end()
        self.check_conservation_stopped(switch)

    def test_end_under_load_and_restart(self):
        switch = self.switch(ROUTED + CONGESTED, AF_PACKET)
        saved = os.path.join(self.directory, "saved.conf")
        self.assertEqual(switch.say("set port p1 rate 500M burst 9000"), "")
        self.assertEqual(switch.say(f"save {saved}"), "")
        config = switch.say("show config")
        flow = Flow(self.net)
        try:
            testbed.wait_until(lambda: len(flow.received) > 500)
            status, seconds = switch.stop()
        finally:
            flow.end()
        self.assertEqual(status, 0)
        self.assertLess(seconds, testbed.seconds(1))
        switch.end()
        again = testbed.Switch(self.directory, saved, namespace=self.net.name["sw"])
        self.addCleanup(again.end)
        again.wait()
        self.assertEqual(again.say("show config"), config)
        self.know_each_other(again)
        flow = Flow(self.net)
        try:
            testbed.wait_until(lambda: len(flow.received) > 500)
        finally:
            lost = flow.end()
        self.assertEqual(lost, "")


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, net=Net, tools=TOOLS))
