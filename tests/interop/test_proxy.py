#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A congested fastcn tells another one, the proxy of a Linux host, and that tells the host. Every octet of each message on
the line between both, and of what the host gets, is compared with what the oracle's modules build of the data packets, and read
by tshark. Needs root; else exit 77.

    h1 eth0 -- host proxy core -- core congested slow -- eth0 h2

test_proxy.py --fastcn PROGRAM [unittest options]
"""

import os
import select
import socket
import struct
import sys
import tempfile
import time
import unittest
from ipaddress import ip_address

import testbed

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(os.path.join(TESTS, "oracle"))
sys.path.append(os.path.join(TESTS, "data"))

import cases  # noqa: E402
import cnm as data  # noqa: E402
from fcnoracle import capture, cnm, ioam, notice, shark, sums, walker  # noqa: E402

LINKS = (("h1", "eth0", "proxy", "host"), ("proxy", "core", "congested", "core"), ("congested", "slow", "h2", "eth0"))
MAC = {end: f"02:00:00:00:{n // 2 + 1:02x}:{n % 2 + 1:02x}"
       for n, end in enumerate((node, dev) for link in LINKS for node, dev in (link[:2], link[2:]))}
SENDER, RECEIVER, SENDER4, RECEIVER4 = "2001:db8:1::1", "2001:db8:2::1", "192.0.2.1", "192.0.2.129"
PROXY, CONGESTED, PROXY4, CONGESTED4 = "2001:db8:f::1", "2001:db8:f::2", "10.0.12.1", "10.0.12.2"
PORT, QP, SENDER_QP = 1021, 0x21, 0x42
PACKETS = 80     # at once, one in a millisecond; the slow port sends one in 2 to 4


def packed(text):
    return ip_address(text).packed


def ports(*names):
    return "".join(f"port add {name} device net_af_packet{n},iface={name}\n" for n, name in enumerate(names))


PROXY_CONF = ports("host", "core") + f"""set port host mac {MAC["proxy", "host"]}
set port core mac {MAC["proxy", "core"]}
set port host link 1G
set pfc host class 3 send on
set pfc host class 3 xoff 60K xon 40K
set pfc host class 3 headroom 60K
set loopback {PROXY}
set host dad off
address add host 2001:db8:1::fe/64
address add host 192.0.2.126/25
address add core 2001:db8:c::1/64
address add core {PROXY4}/24
route add 2001:db8:2::/64 via 2001:db8:c::2 port core
route add {CONGESTED}/128 via 2001:db8:c::2 port core
route add 192.0.2.128/25 via {CONGESTED4} port core
set cnm port {PORT}
proxy node add {CONGESTED}/128
proxy node add {CONGESTED4}/32
proxy qp add {RECEIVER} {QP} sender-qp {SENDER_QP}
proxy qp add {RECEIVER4} {QP} sender-qp {SENDER_QP}
set proxy interval 1ms
set proxy pfc-time 1ms
set proxy ce-time 500ms
set proxy receive on
"""
CONGESTED_CONF = ports("core", "slow") + f"""set port core mac {MAC["congested", "core"]}
set port slow mac {MAC["congested", "slow"]}
set loopback {CONGESTED}
set host dad off
address add core 2001:db8:c::2/64
address add core {CONGESTED4}/24
address add slow 2001:db8:2::fe/64
address add slow 192.0.2.254/25
route add 2001:db8:1::/64 via 2001:db8:c::1 port core
route add {PROXY}/128 via 2001:db8:c::1 port core
route add 192.0.2.0/25 via {PROXY4} port core
set port slow rate 1M
set queue slow class 3 detector step 5K leave 2K
set queue slow class 3 notify on
set notify interval 100us
set cnm port {PORT}
set notify cnm on
"""


class Net(testbed.Namespaces):
    def __init__(self):
        super().__init__("h1", "proxy", "congested", "h2")

    def create(self):
        super().create()
        for a, a_dev, b, b_dev in LINKS:
            self.ip(a, "link", "add", a_dev, "address", MAC[a, a_dev], "type", "veth", "peer", "name", b_dev, "address",
                    MAC[b, b_dev], "netns", self.name[b])
            for node, dev in ((a, a_dev), (b, b_dev)):
                self.run(node, "ethtool", "-K", dev, "tx", "off", "rx", "off", "gso", "off", "tso", "off", "gro", "off")
                if node in ("proxy", "congested"):
                    self.sysctl(node, f"net.ipv6.conf.{dev}.disable_ipv6=1")
                self.ip(node, "link", "set", dev, "up")
        for host, addresses, gateways in (("h1", (SENDER + "/64", SENDER4 + "/25"), ("2001:db8:1::fe", "192.0.2.126")),
                                          ("h2", (RECEIVER + "/64", RECEIVER4 + "/25"), ("2001:db8:2::fe", "192.0.2.254"))):
            self.ip(host, "link", "set", "lo", "up")
            for address in addresses:
                self.ip(host, "address", "add", address, "dev", "eth0", *["nodad"] * (":" in address))
            for gateway in gateways:
                self.ip(host, "route", "add", "default", "via", gateway)


class Proxy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.net = Net()
        cls.addClassCleanup(cls.net.destroy)
        cls.net.create()
        directory = tempfile.TemporaryDirectory(prefix="fcn-proxy-")
        cls.addClassCleanup(directory.cleanup)
        cls.directory, cls.switches = directory.name, {}
        for name, text in (("proxy", PROXY_CONF), ("congested", CONGESTED_CONF)):
            folder = os.path.join(directory.name, name)
            os.makedirs(folder)
            switch = testbed.Switch(folder, testbed.write(folder, "fastcn.conf", text), namespace=cls.net.name[name])
            cls.addClassCleanup(switch.end)
            cls.switches[name] = switch.wait()
        cls.vectors = {name: capture.load(os.path.join(TESTS, "data", "vectors", name)).records[n].data for name, n in
                       (("01_roce6_write.pcap", 0), ("02_roce4_write.pcap", 0), ("05_roce6_write_ioam.pcap", 2))}
        cls.profile = cnm.Profile(PORT, (packed(CONGESTED), packed(CONGESTED4)))
        # All neighbours are known from now on.
        testbed.wait_until(lambda: cls.net.ping("h1", SENDER, RECEIVER, count=1, timeout=0.3), 20)
        testbed.wait_until(lambda: cls.net.answered("h1", "-c", "1", "-W", "1", RECEIVER4), 20)

    def setUp(self):
        self.told = self.net.packet_socket("proxy", "core")     # net_af_packet lets nobody hear what it sends
        self.addCleanup(self.told.close)
        self.at_host = self.net.packet_socket("h1", "eth0")
        self.addCleanup(self.at_host.close)
        self.say("congested", *[f"proxy prefix add {prefix} address {PROXY}" for prefix in ("2001:db8:1::/64", "192.0.2.0/25")])

    def say(self, name, *lines):
        for line in lines:
            self.switches[name].say(line)

    # ---- what is sent, and what is heard ----

    def packets(self, frame, count=PACKETS):
        """Copies with a PSN of their own, for the router; a packet of another protocol with a number in its last octets."""
        out = []
        for n in range(count):
            f = bytearray(cases.mac(MAC["proxy", "host"]) + cases.mac(MAC["h1", "eth0"]) + frame[12:])
            p = walker.walk(f)
            if p.bth is not None:
                f[p.bth.offset + 9:p.bth.offset + 12] = n.to_bytes(3, "big")
                out.append(cases.finish(bytes(f)))
            else:
                out.append(bytes(f[:-4]) + struct.pack("!I", n))
        return out

    def roce(self, version=6, size=500):
        if version == 6:
            return cases.variant(self.vectors["01_roce6_write.pcap"], src=SENDER, dst=RECEIVER, qp=QP, length=size, traffic_class=0x6A)
        return cases.variant(self.vectors["02_roce4_write.pcap"], src=SENDER4, dst=RECEIVER4, qp=QP, length=size, traffic_class=0x6A)

    def traced(self):
        f = bytearray(self.vectors["05_roce6_write_ioam.pcap"])
        f[14:16] = b"\x66\xa0"
        f[22:38], f[38:54] = packed(SENDER), packed(RECEIVER)
        udp = walker.walk(f).udp
        f[udp + 13:udp + 16] = QP.to_bytes(3, "big")
        return cases.finish(bytes(f))

    @staticmethod
    def heard(s, seconds, wanted):
        """Frames that came and that wanted() likes, until none came for so many seconds."""
        out = []
        while select.select([s], [], [], testbed.seconds(seconds))[0]:
            frame, where = s.recvfrom(9216)
            if where[2] != socket.PACKET_OUTGOING and wanted(frame):
                out.append(frame)
        return out

    def exchange(self, frames, wanted):
        """Send data packets from h1: (messages that the congested switch sent, what h1 got that wanted() likes)."""
        for s in (self.told, self.at_host):
            while select.select([s], [], [], 0)[0]:
                s.recv(9216)
        for frame in frames:
            self.at_host.send(frame)
            time.sleep(0.001)
        testbed.wait_until(lambda: self.switches["congested"].json("show queue slow class 3")[0]["occ_last"] == 0, 20)
        messages = self.heard(self.told, 0.3, lambda f: walker.walk(f).dport == PORT)
        return messages, self.heard(self.at_host, 0.3, wanted)

    def capture_of(self, frames):
        path = os.path.join(self.directory, "frames.pcap")
        capture.save(path, [(10**18 + n, f) for n, f in enumerate(frames)], nano=True)
        return path

    def check_messages(self, messages, frames, to):
        """Each is, octet for octet, the one that a data packet calls for, with one level or another."""
        self.assertGreater(len(messages), 5)
        expected = {}
        source = CONGESTED if ":" in to else CONGESTED4
        for frame in frames:
            # One hop less: the proxy's; and one more in the congested switch.
            p = cnm.as_queued(cnm.as_queued(walker.walk(frame))[1])[1]
            expected[cnm.build(self.profile, p, 0, packed(to), packed(source))] = p
        found = []
        for message in messages:
            p = walker.walk(message)
            packet = message[14:p.end]
            self.assertEqual(message[:12], cases.mac(MAC["proxy", "core"]) + cases.mac(MAC["congested", "core"]))
            zero = cnm.with_level(packet, 0)
            self.assertIn(zero, expected, p.describe())
            self.assertEqual(cnm.with_level(zero, cnm.read(packet, PORT).level), packet)
            found.append(expected.pop(zero))    # no packet causes two
        if shark.available():
            self.assertEqual(shark.complaints(self.capture_of(messages)), {})
        return found

    def cnp(self, p):
        """What the receiver of a data packet would send."""
        udp = struct.pack("!HHHH", p.sport, 4791, 40, 0) + struct.pack("!BBHII", 0x81, 0, p.bth.pkey, 0x40000000 | SENDER_QP, 0) + bytes(20)
        if p.ip.version == 6:
            head = struct.pack("!IHBB", 0x6C000000, 40, 17, 64) + p.ip.dst + p.ip.src
            return cases.finish(bytes(12) + b"\x86\xdd" + head + udp)[14:]
        head = struct.pack("!BBHHHBBH", 0x45, 0xC0, 60, 0, 0x4000, 64, 17, 0) + p.ip.dst + p.ip.src
        return cases.finish(bytes(12) + b"\x08\x00" + head + udp)[14:]

    def check_told(self, got, expected, most):
        """h1 got one or more of just this packet, and not more than messages were sent."""
        self.assertGreater(len(got), 0)
        self.assertLessEqual(len(got), most)
        for frame in got:
            self.assertEqual(frame[:12], cases.mac(MAC["h1", "eth0"]) + cases.mac(MAC["proxy", "host"]))
            self.assertEqual(frame[14:walker.walk(frame).end].hex(), expected.hex())
        if shark.available():
            self.assertEqual(shark.complaints(self.capture_of(got)), {})

    @staticmethod
    def is_cnp(frame):
        p = walker.walk(frame)
        return p.bth is not None and p.bth.opcode == walker.CNP

    # ---- translations ----

    def test_plain_cnp(self):
        for version in (6, 4):
            with self.subTest(version=version):
                self.say("proxy", f"proxy sender add {'2001:db8:1::/64' if version == 6 else '192.0.2.0/25'} translate cnp")
                frames = self.packets(self.roce(version))
                messages, got = self.exchange(frames, self.is_cnp)
                found = self.check_messages(messages, frames, PROXY)
                self.check_told(got, self.cnp(found[0]), len(messages))

    def test_fast_cnp(self):
        by_proxy = notice.Profile(packed(PROXY))
        for translation, frame, trace in (("fast-cnp", self.roce(), False), ("fast-cnp-trace", self.roce(), False),
                                          ("fast-cnp", self.traced(), False), ("fast-cnp-trace", self.traced(), True)):
            with self.subTest(translation=translation, trace=trace):
                self.say("proxy", f"proxy sender add 2001:db8:1::/64 translate {translation}")
                frames = self.packets(frame)
                messages, got = self.exchange(frames, self.is_cnp)
                found = self.check_messages(messages, frames, PROXY)
                self.check_told(got, notice.build(by_proxy, found[0], trace), len(messages))
                if trace:
                    self.assertEqual(notice.read(walker.walk(got[0]), by_proxy).trace.data,
                                     ioam.from_option(walker.walk(frame).options(walker.HOP_BY_HOP)[0]).data)

    def test_message_over_ipv4(self):
        """About IPv6 and IPv4, cut at 576 octets."""
        self.say("congested", *[f"proxy prefix add {prefix} address {PROXY4}" for prefix in ("2001:db8:1::/64", "192.0.2.0/25")])
        self.say("proxy", "proxy sender add 2001:db8:1::/64 translate cnp", "proxy sender add 192.0.2.0/25 translate cnp")
        for version in (6, 4):
            with self.subTest(version=version):
                frames = self.packets(self.roce(version, 900))
                messages, got = self.exchange(frames, self.is_cnp)
                self.assertEqual({walker.walk(m).end - 14 for m in messages}, {576})
                found = self.check_messages(messages, frames, PROXY4)
                self.check_told(got, self.cnp(found[0]), len(messages))

    def test_option(self):
        """The address in the packet counts, and nothing else is needed."""
        self.say("congested", *[f"proxy prefix remove {prefix}" for prefix in ("2001:db8:1::/64", "192.0.2.0/25")],
                 f"proxy allowed add {PROXY}/128")
        self.say("proxy", "proxy sender add 2001:db8:1::/64 translate cnp")
        frames = self.packets(data.with_option(self.roce(), PROXY))
        messages, got = self.exchange(frames, self.is_cnp)
        found = self.check_messages(messages, frames, PROXY)
        self.check_told(got, self.cnp(found[0]), len(messages))

    def test_pause(self):
        """A sender that is right behind the proxy is paused, by the level of each message."""
        self.say("proxy", "proxy sender add 2001:db8:1::/64 translate pfc")
        frames = self.packets(self.roce())
        messages, got = self.exchange(frames, lambda f: f[12:14] == b"\x88\x08")
        self.check_messages(messages, frames, PROXY)
        self.assertGreater(len(got), 0)
        quanta = []
        for frame in got:
            self.assertEqual(frame[:18], bytes.fromhex("0180c2000001") + cases.mac(MAC["proxy", "host"]) + bytes.fromhex("88080101") + b"\0\x08")
            self.assertEqual((len(frame), frame[18:24], frame[26:]), (60, bytes(6), bytes(34)))
            quanta.append(struct.unpack("!H", frame[24:26])[0])
        # Pauses, and their ends.
        self.assertEqual(set(quanta), {65535, 0})
        self.assertEqual(quanta[-1], 0)

    def test_marks(self):
        """TCP has nothing but ECN: the proxy marks what the sender sends on to its receiver."""
        self.say("proxy", "proxy sender add 2001:db8:1::/64 translate ce")
        payload = struct.pack("!HHIIHHHH", 5000, 443, 1, 2, 0x5010, 512, 0xBEEF, 0) + bytes(400)
        frame = data.carried(6, payload, SENDER, RECEIVER)
        frames = self.packets(frame)
        messages, _ = self.exchange(frames, lambda f: False)
        # What is marked by the proxy is quoted with the mark.
        marked = [f for f in frames] + [f[:15] + bytes([f[15] | 0x30]) + f[16:] for f in frames]
        self.check_messages(messages, marked, PROXY)
        ecn = {walker.walk(m[:0] + bytes(12) + b"\x86\xdd" + cnm.read(m[14:walker.walk(m).end], PORT).quote).ip.ecn for m in messages}
        self.assertIn(walker.CE, ecn)

    def test_nothing(self):
        """Counted, and nobody is told."""
        self.say("proxy", "proxy sender add 2001:db8:1::/64 translate none")
        frames = self.packets(self.roce())
        messages, got = self.exchange(frames, lambda f: self.is_cnp(f) or f[12:14] == b"\x88\x08")
        self.check_messages(messages, frames, PROXY)
        self.assertEqual(got, [])

    def test_forged(self):
        """A message of a host that is no congested node is refused, and so is a wrong checksum of one that is."""
        self.say("proxy", "proxy sender add 2001:db8:1::/64 translate cnp")
        p = walker.walk(self.packets(self.roce(), 1)[0])
        flow = cnm.flow_of(p)[:3]
        forged = [data.message(p.frame[14:p.end], 7, PROXY, flow, SENDER),
                  data.message(p.frame[14:p.end], 7, PROXY, flow, CONGESTED)[:-1] + b"\xff"]
        _, got = self.exchange([p.frame[:14] + m for m in forged], self.is_cnp)
        self.assertEqual(got, [])
        for switch in self.switches.values():
            self.assertTrue(switch.json("show conservation")["ok"])


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, net=Net, tools=("ip", "ethtool", "ping")))
