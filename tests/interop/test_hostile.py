#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A host that sends what it should not: in the classes of the switch, and messages that only switches send. Another host keeps what it has without the
attack, but for 2 % at most, and the switch counts the attack by its name. Hosts are network namespaces with Linux. Needs root.

test_hostile.py --fastcn PROGRAM [unittest options]
"""

import contextlib
import select
import socket
import struct
import sys
import tempfile
import threading
import time
import unittest

import testbed

ATTACKER, VICTIM, SERVER = 1, 2, 3
HOSTS = (ATTACKER, VICTIM, SERVER)
PACKETS, EVERY = 200, 0.005     # of the victim, and the seconds between two
WANTED = PACKETS * 98 // 100
PORT = 9                        # to which the victim sends
CNM_PORT, ARN_PORT = 1021, 1022
LOOPBACK, SID = "2001:db8:f::1", "2001:db8:51::1"


def mac_of(n):
    return f"02:00:00:00:02:{n:02x}"


def octets_of(mac):
    return bytes.fromhex(mac.replace(":", ""))


def address(text):
    return socket.inet_pton(socket.AF_INET6, text)


CONFIG = "".join(f"""
port add p{n} device net_af_packet{n}
address add p{n} 2001:db8:{n}::1/64
neighbour add p{n} 2001:db8:{n}::2 {mac_of(n)}
set port p{n} class-trust on
""" for n in HOSTS) + f"""
set port p{SERVER} rate 20M
set loopback {LOOPBACK}
set cnm port {CNM_PORT}
set arn port {ARN_PORT}
proxy node add 2001:db8:f:2::/64
proxy sender add 2001:db8:{VICTIM}::/64 translate cnp
set proxy receive on
arn source add 2001:db8:f:3::/64
set arn receive on
srv6 sid add {SID}/128 end.dt6
"""


class Net(testbed.Namespaces):
    def __init__(self):
        super().__init__("sw", *(f"h{n}" for n in HOSTS))

    def create(self):
        super().create()
        for n in HOSTS:
            host = f"h{n}"
            self.ip("sw", "link", "add", f"s{n}", "type", "veth", "peer", "name", "eth0", "netns", self.name[host])
            self.sysctl("sw", f"net.ipv6.conf.s{n}.disable_ipv6=1")
            self.sysctl(host, "net.ipv6.conf.eth0.disable_ipv6=1")
            self.ip(host, "link", "set", "eth0", "address", mac_of(n))
            self.ip("sw", "link", "set", f"s{n}", "up")
            self.ip(host, "link", "set", "eth0", "up")


def ip6(source, destination, protocol, body, dscp=0):
    return struct.pack("!IHBB", 6 << 28 | dscp << 22, len(body), protocol, 255) + address(source) + address(destination) + body


def checksum(source, destination, protocol, body):
    words = address(source) + address(destination) + struct.pack("!II", len(body), protocol) + body + bytes(len(body) % 2)
    total = sum(struct.unpack(f"!{len(words) // 2}H", words))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return struct.pack("!H", ~total & 0xFFFF or 0xFFFF)


def refusal(source, notice):
    """An ICMPv6 Parameter Problem (RFC 4443 section 3.4, code 2) about the option of a Fast CNP, which it quotes whole."""
    at = notice.index(b"\x9e", 40)
    body = struct.pack("!I", at) + notice
    return ip6(source, LOOPBACK, 58, b"\x04\x02" + checksum(source, LOOPBACK, 58, b"\x04\x02\x00\x00" + body) + body)


def roce(n, host=VICTIM):
    """RoCEv2 of a host to a queue pair of the server: a BTH of SEND only, a payload and room for the ICRC."""
    bth = struct.pack("!BBHII", 0x04, 0x40, 0xFFFF, 0x100 + n, 0)
    return udp(f"2001:db8:{host}::2", f"2001:db8:{SERVER}::2", 4791, bth + bytes(68), dscp=26)


def udp(source, destination, to, body, dscp=0, options=b""):
    """UDP with its checksum, over IPv6; options: a destination options header, whose first octet is written."""
    head = struct.pack("!HHHH", to, to, 8 + len(body), 0)
    packet = head[:6] + checksum(source, destination, 17, head + body) + body
    if options:
        return ip6(source, destination, 60, b"\x11" + options[1:] + packet, dscp)
    return ip6(source, destination, 17, packet, dscp)


class Hostile(unittest.TestCase):
    def setUp(self):
        self.net = Net()
        self.addCleanup(self.net.destroy)
        self.net.create()
        directory = tempfile.TemporaryDirectory(prefix="fcn-hostile-")
        self.addCleanup(directory.cleanup)
        self.switch = testbed.Switch(directory.name, testbed.write(directory.name, "switch.conf", CONFIG),
                                     namespace=self.net.name["sw"], vdevs=[f"net_af_packet{n},iface=s{n}" for n in HOSTS])
        self.addCleanup(self.switch.end)
        self.switch.wait()
        testbed.wait_until(lambda: all(p["link_up"] for p in self.switch.json("show port")))
        self.mac = {p["port"]: octets_of(p["mac"]) for p in self.switch.json("show port")}
        self.socket = {}
        for n in HOSTS:
            self.socket[n] = self.net.packet_socket(f"h{n}", "eth0")
            self.addCleanup(self.socket[n].close)

    def say(self, *lines):
        for line in lines:
            self.assertEqual(self.switch.say(line), "")

    def frame(self, n, packet):
        return self.mac[f"p{n}"] + octets_of(mac_of(n)) + b"\x86\xdd" + packet

    def drops(self, port="p1"):
        return {d["reason"]: d["packets"] for d in self.switch.json("show drops") if d["port"] == port}

    @contextlib.contextmanager
    def attack(self, packets, each):
        """The packets again and again: `each` of them every 2 ms."""
        frames, over = [self.frame(ATTACKER, p) for p in packets], threading.Event()

        def send():
            n = 0
            while not over.wait(0.002):
                for _ in range(each):
                    self.socket[ATTACKER].send(frames[n % len(frames)])
                    n += 1

        sender = threading.Thread(target=send)
        sender.start()
        try:
            time.sleep(0.2)
            yield
        finally:
            over.set()
            sender.join()

    def victim_reaches_server(self, dscp):
        """Of the victim's packets, those that the server gets."""
        body, found = b"victim" + bytes(94), set()
        s = self.socket[SERVER]
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 23)

        def read(until):
            while (left := until - time.monotonic()) > 0 and len(found) < PACKETS and select.select([s], [], [], left)[0]:
                got = s.recv(2048)
                if got[22:38] == address(f"2001:db8:{VICTIM}::2") and got[62:68] == b"victim":
                    found.add(got[68:72])

        begin = time.monotonic()
        for n in range(PACKETS):
            packet = udp(f"2001:db8:{VICTIM}::2", f"2001:db8:{SERVER}::2", PORT, body[:6] + struct.pack("!I", n) + body[10:], dscp)
            self.socket[VICTIM].send(self.frame(VICTIM, packet))
            read(begin + (n + 1) * EVERY)
        read(time.monotonic() + testbed.seconds(1))
        return len(found)

    def flood(self):
        """60 Mb/s for the line of 20 Mb/s, in the class that is served first."""
        return self.attack([udp(f"2001:db8:{ATTACKER}::2", f"2001:db8:{SERVER}::2", 7, bytes(1400), dscp=56)], 10)

    def test_class(self):
        self.say("set port p1 class-trust off")
        with self.flood():
            kept = self.victim_reaches_server(dscp=26)
        moved = next(p["moved"] for p in self.switch.json("show border")["ports"] if p["port"] == "p1")
        sys.stderr.write(f"{kept} of {PACKETS} kept, {moved} moved\n")
        self.assertGreaterEqual(kept, WANTED)
        self.assertGreater(moved, PACKETS // 4)
        # The attack is one: with trust, it takes the line.
        self.say("set port p1 class-trust on")
        with self.flood():
            self.assertLess(self.victim_reaches_server(dscp=26), PACKETS // 2)

    def forged(self):
        """What only switches send, of the domain's own addresses and of others."""
        option = bytes([17, 2, 1, 2, 0, 0, 0x9E, 16]) + bytes(16)
        to_switch, server, victim = LOOPBACK, f"2001:db8:{SERVER}::2", f"2001:db8:{VICTIM}::2"
        return [udp("2001:db8:f:9::1", to_switch, CNM_PORT, bytes(40)), udp("2001:db8:f:9::1", to_switch, ARN_PORT, bytes(12)),
                udp("2001:db8:f:3::1", to_switch, ARN_PORT, bytes(12)), udp(LOOPBACK, server, 7, bytes(40)),
                udp(server, victim, 4791, b"\x81" + bytes(31), options=option),
                udp("2001:db8:f:2::1", server, CNM_PORT, bytes(40)),
                ip6(f"2001:db8:{ATTACKER}::2", SID, 41, udp(f"2001:db8:{ATTACKER}::2", server, 7, bytes(40)))]

    def assert_kept(self):
        with self.attack(self.forged(), 7):
            kept = self.victim_reaches_server(dscp=26)
        drops = self.drops()
        sys.stderr.write(f"{kept} of {PACKETS} kept; {drops}\n")
        self.assertGreaterEqual(kept, WANTED)
        self.assertIs(self.switch.json("show conservation")["ok"], True)
        return drops

    def test_host(self):
        """A host at a port inside: what it forges is refused by what the switch knows of it."""
        self.say("set port p1 source-check strict")
        drops = self.assert_kept()
        self.assertGreater(drops["own_source"], PACKETS // 4)
        # Messages, and a notice in the name of the server, are from elsewhere.
        self.assertGreater(drops["source_no_route"] + drops["source_other_port"], 5 * PACKETS // 4)
        # Without the check of sources: who is not listed is refused, and who is, by its port.
        self.say("set port p1 source-check off", "route add 2001:db8:f:3::/64 via 2001:db8:3::2 port p3", "clear counters")
        drops = self.assert_kept()
        for reason in ("cnm_access", "arn_access", "arn_port", "own_source"):
            self.assertGreater(drops[reason], PACKETS // 4, reason)

    def notices(self):
        """Of the victim's packets to the server, each of which meets congestion: the notices that it gets."""
        s, found = self.socket[VICTIM], []

        def read(until):
            while (left := until - time.monotonic()) > 0 and len(found) < PACKETS and select.select([s], [], [], left)[0]:
                got = s.recv(2048)
                if got[:6] == octets_of(mac_of(VICTIM)) and got[12:14] == b"\x86\xdd" and got[20] == 60 and got[22:38] == address(LOOPBACK):
                    found.append(got[14:])

        begin = time.monotonic()
        for n in range(PACKETS):
            s.send(self.frame(VICTIM, roce(n)))
            read(begin + (n + 1) * EVERY)
        read(time.monotonic() + testbed.seconds(1))
        return found

    CONGESTED = ("set notify fast-cnp on", "set queue p3 class 3 detector step 1", "set queue p3 class 3 notify on")

    def test_notices(self):
        """Who floods a queue takes the notices of no other port: of 500 a second, half are kept for the victim, which needs 200."""
        self.say(*self.CONGESTED, "set notify bucket queue 500 burst 16")
        before = len(self.notices())
        self.assertGreaterEqual(before, WANTED)
        with self.attack([roce(n, ATTACKER) for n in range(1000)], 5):
            kept = len(self.notices())
        self.assertGreaterEqual(kept, before * 98 // 100)
        self.assertGreater(self.switch.json("show notify")["total"]["suppressed_bucket_queue"], 2 * PACKETS)

    def test_refusals(self):
        """Who refuses a notice in the name of its receiver, word for word, silences nobody: it comes by the wrong port."""
        self.say(*self.CONGESTED)
        before = self.notices()
        self.assertGreaterEqual(len(before), WANTED)
        forged = [refusal(f"2001:db8:{VICTIM}::2", before[-1])]
        with self.attack(forged, 1):
            kept = len(self.notices())
        self.assertGreaterEqual(kept, len(before) * 98 // 100)
        self.assertGreater(self.switch.json("show host")["counters"]["capability_other_port"], PACKETS // 4)
        # The attack is one: from the port of the victim, the same message is believed.
        self.socket[VICTIM].send(self.frame(VICTIM, forged[0]))
        testbed.wait_until(lambda: any(s["capability"] == "none" for s in self.switch.json("show sender")))
        self.assertEqual(self.notices(), [])

    def test_outside(self):
        """From outside: nothing that belongs to the domain comes in, and its SIDs are not reached."""
        self.say("set port p1 border on")
        drops = self.assert_kept()
        for reason, at_least in (("border_cnm", 2), ("border_arn", 2), ("border_fast_cnp", 1), ("border_sid_destination", 1),
                                 ("own_source", 1)):
            self.assertGreater(drops[reason], at_least * PACKETS // 4, reason)


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, net=Net, tools=("ip", "sysctl")))
