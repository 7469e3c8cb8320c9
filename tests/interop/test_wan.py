#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""SRv6 between Linux and fastcn: the network of wanbed.py. First all routers are Linux, which shows that the network
itself is right; then fastcn takes the place of one of them. Needs root, and a kernel with seg6; else exit 77.

Without VRFs in the kernel, Linux decapsulates IPv4 by End.DX4 here, as its End.DT4 and End.DT46 need one.

test_wan.py --fastcn PROGRAM [unittest options]
"""

import os
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import testbed
import wanbed
from wanbed import FASTCN, LINUX, NOTHING, Wan

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(os.path.join(TESTS, "oracle"))

from fcnoracle import capture, notice, shark, sums, walker  # noqa: E402

NOT_ECT, ECT1, ECT0, CE = range(4)
ECN_NAMES = ("Not-ECT", "ECT(1)", "ECT(0)", "CE")
DROP = None
# RFC 6040 figure 4: by inner field, what comes out for the outer fields Not-ECT, ECT(0), ECT(1), CE.
RFC6040 = {
    NOT_ECT: (NOT_ECT, NOT_ECT, NOT_ECT, DROP),
    ECT0: (ECT0, ECT0, ECT1, CE),
    ECT1: (ECT1, ECT1, ECT1, CE),
    CE: (CE, CE, CE, CE),
}
FIGURE_COLUMNS = (NOT_ECT, ECT0, ECT1, CE)


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def data_packet(version, number, ecn, dscp=26, ttl=64, size=60):
    """UDP from h1 to h2, by another protocol's port; the number is in its payload, of which no two are alike."""
    payload = b"packet %08d" % number * (size // 15)
    udp = struct.pack("!HHHH", 50000, 9, 8 + len(payload), 0 if version == 4 else 0x1234) + payload
    if version == 6:
        head = struct.pack("!IHBB", 6 << 28 | (dscp << 2 | ecn) << 20 | 0x5A5A5, len(udp), 17, ttl)
        return head + addresses("h1", "h2", 6) + udp
    head = struct.pack("!BBHHHBBH", 0x45, dscp << 2 | ecn, 20 + len(udp), number, 0x4000, ttl, 17, 0)
    head += addresses("h1", "h2", 4)
    return head[:10] + struct.pack("!H", checksum(head)) + head[12:] + udp


def addresses(source, destination, version):
    return b"".join(wanbed.packed(wanbed.address(host, "eth0", version)) for host in (source, destination))


def with_ecn(packet, ecn):
    """An IPv6 packet with another ECN field."""
    word = struct.unpack("!I", packet[:4])[0] & ~(3 << 20) | ecn << 20
    return struct.pack("!I", word) + packet[4:]


def ecn_of(packet):
    return packet[1] & 3 if packet[0] >> 4 == 4 else packet[1] >> 4 & 3


def hops_less(packet, n=1):
    """The packet after so many hops."""
    at = 7 if packet[0] >> 4 == 6 else 8
    out = bytearray(packet)
    out[at] -= n
    if at == 8:
        out[10:12] = bytes(2)
        out[10:12] = struct.pack("!H", checksum(bytes(out[:20])))
    return bytes(out)


class WanTest(unittest.TestCase):
    """Each test has a network of its own, one at a time."""

    def network(self, more=None, **what):
        self.doCleanups()
        net = Wan(**what)
        self.addCleanup(net.destroy)
        net.create()
        directory = tempfile.TemporaryDirectory(prefix="fcn-wan-")
        self.addCleanup(directory.cleanup)
        net.start(self, directory.name, more)
        return net

    def check_balance(self, net):
        for name, switch in net.switches.items():
            self.assertTrue(switch.json("show conservation")["ok"], name)

    @staticmethod
    def know_p(net):
        """pe1, of Linux, sends to a P node that is not there to be asked."""
        if net.what["pe1"] == LINUX:
            net.ip("pe1", "neigh", "replace", wanbed.address("p", "west"), "lladdr", wanbed.MAC["p", "west"], "dev", "core",
                   "nud", "permanent")

    def ends_meet(self, net):
        """Once a host reaches the other, with all neighbours resolved."""
        testbed.wait_until(lambda: net.ping("h1", "2001:db8:1::1", "2001:db8:2::1", count=1, timeout=0.3), 20)

    def check_traffic(self, net, left):
        """Ping, TCP, and what soft-RoCE hosts said. left: hop limit that is left of 64 in echo replies at h1."""
        self.ends_meet(net)
        self.assertEqual(net.ping("h1", "2001:db8:1::1", "2001:db8:2::1"), [left] * 5)
        self.assertTrue(net.answered("h1", "-c", "3", "-i", "0.2", "192.0.2.129"))
        # As large as fits, without fragments.
        self.assertTrue(net.answered("h1", "-c", "3", "-i", "0.2", "-M", "do", "-s", str(wanbed.HOST_MTU - 48), "2001:db8:2::1"))
        self.assertTrue(net.answered("h1", "-c", "3", "-i", "0.2", "-M", "do", "-s", str(wanbed.HOST_MTU - 28), "192.0.2.129"))
        for destination in ("2001:db8:2::1", "192.0.2.129"):
            self.check_tcp(net, destination)
        for name, other in (("softroce-v6-rc-ect.pcap", "v6"), ("softroce-v4-rc-ect.pcap", "v4")):
            with self.subTest(capture=other):
                self.check_roce(net, name)

    def check_tcp(self, net, destination):
        server = net.popen("h2", "iperf3", "-s", "-1", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        try:
            said = ""
            for _ in range(20):  # until it listens
                said = net.run("h1", "iperf3", "-c", destination, "-n", "4M", check=False, timeout=testbed.seconds(60))
                if "Connection refused" not in said:
                    break
                time.sleep(0.1)
            self.assertRegex(said, r"4\.\d+ MBytes .*sender")
            self.assertIn("iperf Done", said)
        finally:
            server.kill()
            server.wait()

    def check_roce(self, net, name):
        """Each packet of a capture from its host, at the other: the same octets but for hop limit and sums over it."""
        frames = [r.data for r in capture.load(os.path.join(TESTS, "data", name)).records][:200]
        for number, frame in enumerate(frames):
            packet = wanbed.ip_packet(frame)
            source = "h1" if frame[6:12] == bytes.fromhex("020000000a01") else "h2"
            got = net.through(packet, source, (wanbed.OTHER[source], "eth0"))
            self.assertIsNotNone(got, f"packet {number} of {name} was lost")
            at = 7 if packet[0] >> 4 == 6 else 8
            self.assertEqual(got, hops_less(packet, packet[at] - got[at]), f"packet {number} of {name}")


class Linux(WanTest):
    """The network itself."""

    def test_baseline(self):
        # Linux leaves the inner hop limit alone where it encapsulates; only pe1 counts one, behind the tunnel.
        net = self.network()
        for mode in (wanbed.ENCAPS_RED, wanbed.ENCAPS):
            with self.subTest(mode=mode):
                for pe in ("pe1", "pe2"):
                    net.steer(pe, mode, [wanbed.END])
                self.check_traffic(net, 63)

    def test_single_segment(self):
        net = self.network()
        for pe in ("pe1", "pe2"):
            net.steer(pe, wanbed.ENCAPS_RED)
        self.ends_meet(net)
        packet = data_packet(6, 1, ECT0)
        got = net.through(packet, "h1", ("p", "west"))
        # No SRH, RFC 8986 section 5.2: the outer header stands right before the inner one.
        self.assertEqual((got[6], len(got)), (41, 40 + len(packet)))


class FastcnP(WanTest):
    """Linux, fastcn, Linux."""

    def test_traffic(self):
        net = self.network(p=FASTCN)
        for mode in (wanbed.ENCAPS_RED, wanbed.ENCAPS):
            with self.subTest(mode=mode):
                for pe in ("pe1", "pe2"):
                    net.steer(pe, mode, [wanbed.END])
                self.check_traffic(net, 63)
                self.check_balance(net)

    def test_end_is_linux(self):
        """What Linux' End and fastcn's make of the same packets is the same, octet for octet."""
        sent = [data_packet(version, 100 + n, ecn) for version in (6, 4) for n, ecn in enumerate(range(4))]
        seen = {}
        for what in (LINUX, FASTCN):
            net = self.network(p=what)
            self.ends_meet(net)
            self.assertTrue(net.answered("h1", "-c", "1", "192.0.2.129"))
            seen[what] = []
            for mode in (wanbed.ENCAPS_RED, wanbed.ENCAPS):
                net.steer("pe1", mode, [wanbed.END])
                seen[what] += [net.through(packet, "h1", ("pe2", "core")) for packet in sent]
        self.assertNotIn(None, seen[LINUX])
        for n, (linux, own) in enumerate(zip(seen[LINUX], seen[FASTCN])):
            self.assertEqual(linux.hex(" ", 4), (own or b"").hex(" ", 4), f"packet {n}")


class FastcnEgress(WanTest):
    """fastcn as pe2; between Linux as pe1 and it, the test itself carries packets and changes outer ECN fields."""

    def carry(self, net, packet, outer, due):
        """From h1 to h2, with this outer ECN field on the way: what came, None when nothing did. due: whether it should."""
        tunnelled = net.through(packet, "h1", ("p", "west"))
        self.assertIsNotNone(tunnelled)
        self.assertEqual(walker.walk(bytes(12) + b"\x86\xdd" + tunnelled).error, "")
        net.forget("h2", "eth0")
        frame = wanbed.octets(wanbed.MAC["pe2", "core"]) + wanbed.octets(wanbed.MAC["p", "east"]) + b"\x86\xdd"
        net.socket_at("p", "east").send(frame + with_ecn(tunnelled, outer))
        got = net.hear("h2", "eth0", lambda f: packet[-16:] in f, timeout=2 if due else 0.3)
        return None if got is None else wanbed.ip_packet(got)

    def test_rfc6040(self):
        """All 16 cells, for IPv6 and IPv4 in the tunnel."""
        net = self.network(p=NOTHING, pe2=FASTCN)
        self.know_p(net)
        net.steer("pe1", wanbed.ENCAPS_RED)
        switch, number, lost = net.switches["pe2"], 1000, 0
        for version in (6, 4):
            switch_address = wanbed.address("pe2", "host", version)
            self.assertTrue(net.answered("h2", "-c", "1", switch_address))  # h2 is a neighbour it knows
            for inner, row in RFC6040.items():
                for outer, out in zip(FIGURE_COLUMNS, row):
                    with self.subTest(version=version, inner=ECN_NAMES[inner], outer=ECN_NAMES[outer]):
                        packet = data_packet(version, number, inner)
                        number += 1
                        got = self.carry(net, packet, outer, out is not DROP)
                        if out is DROP:
                            lost += 1
                            self.assertIsNone(got)
                            continue
                        self.assertIsNotNone(got, "nothing came")
                        want = bytearray(packet)
                        if version == 6:
                            want = bytearray(with_ecn(packet, out))
                        else:
                            want[1] = want[1] & ~3 | out
                        self.assertEqual(got.hex(" ", 4), hops_less(bytes(want)).hex(" ", 4))
        self.assertEqual(lost, 2)
        drops = {d["reason"]: d for d in switch.json("show drops")}
        self.assertIn("tunnel_ecn", drops)
        self.check_balance(net)


class FastcnPe(WanTest):
    """fastcn as PE, beside Linux and with itself."""

    def check(self, left, **what):
        net = self.network(**what)
        for mode in (wanbed.ENCAPS_RED, wanbed.ENCAPS):
            with self.subTest(mode=mode):
                for pe in ("pe1", "pe2"):
                    net.steer(pe, mode, [wanbed.END])
                self.check_traffic(net, left)
        self.check_balance(net)

    # An echo reply loses a hop where it leaves the tunnel, and, unlike Linux, where it enters it at fastcn (RFC 8986
    # section 5.1, S05).
    def test_pe1(self):
        self.check(63, pe1=FASTCN)

    def test_pe2(self):
        self.check(62, pe2=FASTCN)

    def test_all(self):
        self.check(62, pe1=FASTCN, p=FASTCN, pe2=FASTCN)

    def test_headend_is_linux(self):
        """What both put around the same packets is the same but for two octets: Linux leaves the inner hop limit alone
        and gives the outer header one less; RFC 8986 counts the hop in the inner header, and the outer one has 64."""
        sent = [data_packet(6, 200 + n, ecn, ttl=40) for n, ecn in enumerate(range(4))]
        frames = capture.load(os.path.join(TESTS, "data", "softroce-v6-rc-ect.pcap")).records
        sent.append(next(wanbed.ip_packet(r.data) for r in frames if r.data[6:12] == wanbed.octets("02:00:00:00:0a:01")))
        ways = ((wanbed.ENCAPS_RED, [wanbed.END]), (wanbed.ENCAPS, [wanbed.END]), (wanbed.ENCAPS_RED, []))
        seen = {}
        for what in (LINUX, FASTCN):
            # Linux as P node would change what the socket there has not read yet.
            net = self.network({"pe1": f"neighbour add core {wanbed.address('p', 'west')} {wanbed.MAC['p', 'west']}\n"},
                               pe1=what, p=NOTHING)
            self.know_p(net)
            seen[what] = []
            for mode, before in ways:
                net.steer("pe1", mode, before)
                seen[what] += [net.through(packet, "h1", ("p", "west")) for packet in sent]
        for n, (linux, own) in enumerate(zip(seen[LINUX], seen[FASTCN])):
            packet = sent[n % len(sent)]
            inner = len(linux) - len(packet)
            self.assertEqual((linux[7], linux[inner + 7]), (packet[7] - 1, packet[7]))
            self.assertIsNotNone(own, f"packet {n}")
            want = bytearray(linux)
            want[7], want[inner + 7] = 64, packet[7] - 1
            self.assertEqual(own.hex(" ", 4), want.hex(" ", 4), f"packet {n}")

    def test_ecn_ingress(self):
        """All 8 cells of RFC 6040 figure 3, for IPv6 and IPv4: the outer field, and the inner one as it was."""
        net = self.network(pe1=FASTCN)
        self.ends_meet(net)
        number = 3000
        for mode in ("normal", "compatibility"):
            for policy in ("far6", "far4"):
                net.switches["pe1"].connect().say(f"set srv6 policy {policy} ecn {mode}")
            for version in (6, 4):
                for ecn in range(4):
                    with self.subTest(mode=mode, version=version, ecn=ECN_NAMES[ecn]):
                        number += 1
                        packet = data_packet(version, number, ecn)
                        got = net.through(packet, "h1", ("p", "west"))
                        self.assertEqual(ecn_of(got), ecn if mode == "normal" else NOT_ECT)
                        self.assertEqual(got[-len(packet):], hops_less(packet))


class MarkedOnTheWay(WanTest):
    """A line that is too slow behind a fastcn P node, and what the receiver hears of it: Linux, fastcn, fastcn."""

    SLOW = """
set port east rate 400K
set queue east class 3 limit 120K
set queue east class 3 detector step 15K leave 8K
set queue east class 3 ecn on
"""
    PACKETS = 60

    def check_marks(self, ecn):
        """The P node marks the outer header, pe2 carries the mark over, h2 gets it: of each ECN field that h1 can send."""
        net = self.network({"p": self.SLOW}, p=FASTCN, pe2=FASTCN)
        self.assertTrue(net.answered("h2", "-c", "1", wanbed.address("pe2", "host")))
        # pe1 and p find each other with a packet that need not arrive.
        testbed.wait_until(lambda: net.through(data_packet(6, 1, NOT_ECT), "h1", ("h2", "eth0"), 0.5), 20)
        net.forget("h2", "eth0")
        sent = [data_packet(6, 5000 + n, ecn, size=1000) for n in range(self.PACKETS)]
        for packet in sent:
            net.send("h1", packet)
        got = []
        while len(got) < len(sent):
            frame = net.hear("h2", "eth0", lambda f: b"packet 0000" in f)
            self.assertIsNotNone(frame, f"{len(got)} packets came")
            got.append(wanbed.ip_packet(frame))
        marks = [ecn_of(packet) for packet in got]
        # Order, and every octet but for the ECN field and the hop that pe2 counts.
        self.assertEqual([with_ecn(packet, ecn) for packet in got], [hops_less(packet) for packet in sent])
        for switch in ("p", "pe2"):
            self.assertTrue(net.switches[switch].json("show conservation")["ok"])
        queue = next(q for q in net.switches["p"].json("show queue") if (q["port"], q["class"]) == ("east", 3))
        return marks, queue["ce_marked"]

    def test_capable(self):
        for ecn in (ECT0, ECT1):
            with self.subTest(ecn=ECN_NAMES[ecn]):
                marks, counted = self.check_marks(ecn)
                # The first ten have fewer than 15 KB together. All have 65 KB, more than a second of the line.
                self.assertEqual(marks[:10], [ecn] * 10)
                self.assertEqual(set(marks), {ecn, CE})
                self.assertEqual(marks.count(CE), counted)

    def test_not_capable(self):
        marks, counted = self.check_marks(NOT_ECT)
        self.assertEqual((set(marks), counted), ({NOT_ECT}, 0))


def wrapped_notice(source):
    """The Fast CNP that a P node with this address sends for a packet that is on its way to h2, to END.CON of pe1."""
    data = walker.walk(capture.load(os.path.join(TESTS, "data", "softroce-v6-rc-ect.pcap")).records[0].data)
    packet = notice.build(notice.Profile(wanbed.packed(source)), data)
    outer = struct.pack("!IHBB", 6 << 28 | 48 << 22, len(packet), 41, 64)
    return packet, outer + wanbed.packed(source) + wanbed.packed(wanbed.CON["pe1"]) + packet


class EndCon(WanTest):
    """A notice of a P node reaches h1 by way of pe1: by End.DT6 of Linux and by END.CON of fastcn."""

    def deliver(self, net, tunnelled, timeout=2.0):
        net.forget("h1", "eth0")
        frame = wanbed.octets(wanbed.MAC["pe1", "core"]) + wanbed.octets(wanbed.MAC["p", "west"]) + b"\x86\xdd"
        net.socket_at("p", "west").send(frame + tunnelled)
        got = net.hear("h1", "eth0", lambda f: f[12:14] == b"\x86\xdd" and f[20] == walker.DEST_OPTIONS, timeout)
        return None if got is None else wanbed.ip_packet(got)

    def test_delivered(self):
        packet, tunnelled = wrapped_notice(wanbed.LOOPBACK["p"])
        # 158 octets with the Ethernet header: a Fast CNP of 118, and 40 around it.
        self.assertEqual(14 + len(tunnelled), 158)
        for what in (LINUX, FASTCN):
            with self.subTest(pe1=what):
                net = self.network(p=NOTHING, pe1=what)
                self.assertTrue(net.answered("h1", "-c", "1", wanbed.address("pe1", "host")))
                self.assertEqual(self.deliver(net, tunnelled), hops_less(packet))
                if what == FASTCN:
                    self.check_refused(net)
    
    def check_refused(self, net):
        """Only of P nodes that it knows, and only as it was made; each for a reason that it names."""
        _, stranger = wrapped_notice("2001:db8:f::66")
        self.assertIsNone(self.deliver(net, stranger, 0.3))
        _, forged = wrapped_notice(wanbed.LOOPBACK["p"])
        forged = forged[:-1] + bytes([forged[-1] ^ 1])  # the ICRC
        self.assertIsNone(self.deliver(net, forged, 0.3))
        reasons = [d["reason"] for d in net.switches["pe1"].json("show drops")]
        self.assertIn("endcon_access", reasons)
        self.assertIn("endcon_notice", reasons)
        self.check_balance(net)


class LinuxP(WanTest):
    """The P node is Linux: who makes Fast CNPs there leaves the way to END.CON to the kernel's H.Encaps, and follows any reading
    of what no specification says: how extension headers enter the ICRC, whether there is a UDP checksum, from which
    address of the node the Fast CNP is."""

    SOURCES = (wanbed.LOOPBACK["p"], "2001:db8:f::20")

    def test_delivered(self):
        net = self.network({"pe1": "".join(f"srv6 p-node add {source}/128\n" for source in self.SOURCES[1:])}, pe1=FASTCN)
        self.ends_meet(net)
        net.ip("p", "sr", "tunsrc", "set", wanbed.LOOPBACK["p"])
        taken = 0
        for mode in (wanbed.ENCAPS_RED, wanbed.ENCAPS):
            net.ip("p", "-6", "route", "replace", wanbed.CAPTURED["h1"] + "/128", "encap", "seg6", "mode", mode, "segs",
                   wanbed.CON["pe1"], "dev", "west")
            for source in self.SOURCES:
                for reading in sums.CONVENTIONS:
                    for has_sum in (True, False):
                        packet = self.notice(source, reading, has_sum)
                        with self.subTest(mode=mode, source=source, reading=reading, checksum=has_sum):
                            self.assertEqual(self.deliver(net, packet), hops_less(packet))
                        taken += 1
        endcon = net.switches["pe1"].json("show srv6 endcon")
        self.assertEqual(endcon["taken"], taken)
        # Whoever encapsulates it: the Fast CNP of a node that is not in the list is refused.
        self.assertIsNone(self.deliver(net, self.notice("2001:db8:f::66", sums.SKIP, True), 0.3))
        self.assertIn("endcon_source", [d["reason"] for d in net.switches["pe1"].json("show drops")])
        self.check_balance(net)

    @staticmethod
    def notice(source, reading, has_sum):
        packet = bytearray(wrapped_notice(source)[0])
        udp, end = len(packet) - 40, len(packet)
        packet[-4:] = sums.icrc(packet, 0, udp, end, reading)
        packet[udp + 6:udp + 8] = struct.pack("!H", sums.udp_checksum(packet, 0, udp, end) if has_sum else 0)
        return bytes(packet)

    def deliver(self, net, packet, timeout=2.0):
        """Say it at p, as a program there does, and hear it at h1."""
        net.forget("h1", "eth0")
        net.say("p", packet)
        got = net.hear("h1", "eth0", lambda f: f[12:14] == b"\x86\xdd" and f[20] == walker.DEST_OPTIONS, timeout)
        return None if got is None else wanbed.ip_packet(got)


class CongestedP(WanTest):
    """A congested P node of fastcn: RoCEv2 of h1 crosses it on the way to h2, and its Fast CNPs reach h1 through pe1.
    tests/oracle builds the Fast CNP of each data packet; tshark reads what h1 got."""

    QUEUE = """
set port east rate 1M
set queue east class 3 limit 200K
set queue east class 3 detector step 15K leave 8K
set queue east class 3 ecn on
set queue east class 3 notify on
set notify interval 0
set notify bucket queue off
set notify bucket source off
set notify bucket destination off
set notify endcon on
"""
    KNOWN = f"srv6 endcon add {wanbed.CON['pe1']}/128\n"
    ABLE = f"sender add {wanbed.CAPTURED['h1']}/128 capable\n"
    SENT = 120
    WHERE, KIND = "p", "endcon"
    HOPS = 1  # between END.CON and the host

    def data(self):
        """The first packets of h1 that a soft-RoCE host sent, which are ECT(0)."""
        frames = [r.data for r in capture.load(os.path.join(TESTS, "data", "softroce-v6-rc-ect.pcap")).records]
        return [wanbed.ip_packet(f) for f in frames if f[6:12] == wanbed.octets("02:00:00:00:0a:01")][:self.SENT]

    def congest(self, net):
        """Send them all at once. Returns them, the notices that h1 got (frames) and what h2 got (packets)."""
        self.ends_meet(net)
        # The way back to the addresses in the capture is not to be found out while it matters.
        self.assertTrue(net.answered("h2", "-c", "1", "-I", wanbed.CAPTURED["h2"], wanbed.CAPTURED["h1"]))
        for where in (("h1", "eth0"), ("h2", "eth0"), ("p", "west")):
            net.forget(*where)
        sent, got, notices = self.data(), [], []
        for packet in sent:
            net.send("h1", packet)
        while len(got) < len(sent):
            frame = net.hear("h2", "eth0", lambda f: f[12:14] == b"\x86\xdd" and f[20] == walker.UDP and f[22:38] == sent[0][8:24])
            self.assertIsNotNone(frame, f"{len(got)} packets came")
            got.append(wanbed.ip_packet(frame))
        # What is sent last comes last, and all notices were sent before.
        while (frame := net.hear("h1", "eth0", lambda f: f[12:14] == b"\x86\xdd" and f[20] == walker.DEST_OPTIONS, 0.5)) is not None:
            notices.append(frame)
        return sent, notices, got

    def kind(self, net):
        return next(k for k in net.switches[self.WHERE].json("show notify")["kinds"] if k["kind"] == self.KIND)

    @staticmethod
    def verdicts(net):
        return {v["verdict"]: v["packets"] for v in net.switches["p"].json("show notify")["verdicts"]}

    def check_notices(self, net, sent, notices):
        """Each is, octet for octet, the one that a data packet calls for; as many as the P node counts."""
        profile = notice.Profile(wanbed.packed(wanbed.LOOPBACK[self.WHERE]))
        due = [hops_less(notice.build(profile, walker.walk(bytes(12) + b"\x86\xdd" + packet)), self.HOPS) for packet in sent
               if walker.may_trigger(walker.walk(bytes(12) + b"\x86\xdd" + packet))]
        left = list(due)
        for frame in notices:
            self.assertIn(wanbed.ip_packet(frame), left)
            left.remove(wanbed.ip_packet(frame))
        self.assertGreater(len(notices), 10)
        counted = self.kind(net)
        self.assertEqual((counted["made"], counted["transmitted"]), (len(notices), len(notices)))
        if shark.available():
            with tempfile.NamedTemporaryFile(suffix=".pcap") as f:
                capture.save(f.name, [capture.Record.of(n, frame) for n, frame in enumerate(notices)])
                self.assertEqual(shark.complaints(f.name), {})
                fields = testbed.run("tshark", "-n", "-r", f.name, "-T", "fields", "-e", "ipv6.src", "-e", "ipv6.dst",
                                     "-e", "ipv6.opt.type", "-e", "infiniband.bth.opcode", "-e", "udp.dstport").splitlines()
            for line in fields:
                source, destination, options, opcode, port = line.split("\t")
                self.assertEqual((source, destination, int(opcode), port),
                                 (wanbed.LOOPBACK[self.WHERE], wanbed.CAPTURED["h1"], walker.CNP, "4791"))
                self.assertIn(0x9E, [int(x, 0) for x in options.split(",")])  # option 1

    def test_delivered(self):
        """By End.DT6 of Linux, and by END.CON of fastcn. With a sender that is able to read them, nothing is said twice."""
        for what in (LINUX, FASTCN):
            with self.subTest(pe1=what):
                net = self.network({"p": self.QUEUE + self.KNOWN + self.ABLE}, p=FASTCN, pe1=what)
                sent, notices, got = self.congest(net)
                self.check_notices(net, sent, notices)
                # Data of which h1 was told is not marked, the rest of what was congested is.
                verdicts = self.verdicts(net)
                self.assertEqual(verdicts.pop("sent_option1"), len(notices))
                self.assertLessEqual(set(verdicts), {"not_data"})
                queue = next(q for q in net.switches["p"].json("show queue") if (q["port"], q["class"]) == ("east", 3))
                self.assertEqual(queue["ce_marked"], verdicts.get("not_data", 0))
                # Linux as pe2 does not look at the marks. But for the hops, h2 gets what h1 sent, in order.
                self.assertEqual([p[:7] + p[8:] for p in got], [p[:7] + p[8:] for p in sent])
                if what == FASTCN:
                    self.assertEqual(net.switches["pe1"].json("show srv6 endcon")["taken"], len(notices))
                self.check_balance(net)

    def test_refused(self):
        """Linux at h1 does not know the option: its Parameter Problem comes to P through pe1, and h1 is told no more."""
        net = self.network({"p": self.QUEUE + self.KNOWN}, p=FASTCN, pe1=FASTCN, pe2=FASTCN)
        _, notices, _ = self.congest(net)
        self.assertGreater(len(notices), 0)
        self.assertIn({"prefix": wanbed.CAPTURED["h1"] + "/128", "capability": "none"},
                      [{k: s[k] for k in ("prefix", "capability")} for s in net.switches["p"].json("show sender")])
        before = self.kind(net)["made"]
        _, notices, got = self.congest(net)
        self.assertEqual((notices, self.kind(net)["made"]), ([], before))
        self.assertIn(CE, [ecn_of(packet) for packet in got])
        self.check_balance(net)

    def test_not_listed(self):
        """END.CON of pe1 does not know P, and says so: P notifies no more by it, and marks instead."""
        more = {"p": self.QUEUE + self.KNOWN + self.ABLE + "set loopback 2001:db8:f::77\n"}
        net = self.network(more, p=FASTCN, pe1=FASTCN, pe2=FASTCN)
        _, notices, _ = self.congest(net)
        self.assertEqual(notices, [])
        before = self.kind(net)["made"]
        self.assertGreater(before, 0)
        # The refusal may have come while the first packets still waited, so some of them count here already.
        refused = self.verdicts(net).get("no_endcon", 0)
        self.assertIn({"prefix": wanbed.CON["pe1"] + "/128", "capability": "none"},
                      [{k: s[k] for k in ("prefix", "capability")} for s in net.switches["p"].json("show sender")])
        self.assertIn("endcon_access", [d["reason"] for d in net.switches["pe1"].json("show drops")])
        sent, notices, got = self.congest(net)
        self.assertEqual((notices, self.kind(net)["made"]), ([], before))
        refused = self.verdicts(net)["no_endcon"] - refused
        self.assertGreater(refused, 10)
        self.assertGreaterEqual([ecn_of(packet) for packet in got].count(CE), refused)
        self.check_balance(net)

    def test_unknown(self):
        """Without a known END.CON there is no Fast CNP, and the outer header is marked, which h2 hears of."""
        net = self.network({"p": self.QUEUE}, p=FASTCN, pe2=FASTCN)
        _, notices, got = self.congest(net)
        self.assertEqual((notices, self.kind(net)["made"]), ([], 0))
        verdicts = {v["verdict"]: v["packets"] for v in net.switches["p"].json("show notify")["verdicts"]}
        self.assertGreater(verdicts["no_endcon"], 10)
        self.assertLessEqual(set(verdicts), {"no_endcon", "not_data"})
        self.assertEqual([ecn_of(packet) for packet in got].count(CE), sum(verdicts.values()))
        self.check_balance(net)


class CongestedPe(CongestedP):
    """The congested port is that of pe1 into the WAN: h1 is told directly, by no tunnel, and no list of P nodes."""

    QUEUE = CongestedP.QUEUE.replace("east", "core").replace("notify endcon on", "notify fast-cnp on")
    WHERE, KIND, HOPS = "pe1", "fast_cnp", 0

    def test_delivered(self):
        net = self.network({"pe1": self.QUEUE + self.ABLE}, pe1=FASTCN)
        sent, notices, got = self.congest(net)
        self.check_notices(net, sent, notices)
        verdicts = {v["verdict"]: v["packets"] for v in net.switches["pe1"].json("show notify")["verdicts"]}
        self.assertEqual(verdicts.pop("sent_option1"), len(notices))
        self.assertLessEqual(set(verdicts), {"not_data"})
        self.check_balance(net)

    test_refused = test_not_listed = test_unknown = None


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, net=Wan, tools=("ping", "ethtool", "sysctl", "iperf3")))
