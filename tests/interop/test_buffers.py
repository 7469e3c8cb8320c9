#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""One host fills all queues of three slow ports with short packets, of all classes. A host at another port still reaches
its server and the switch, and the drops have a name. Hosts are network namespaces with Linux. Needs root.

test_buffers.py --fastcn PROGRAM [unittest options]
"""

import contextlib
import struct
import sys
import tempfile
import threading
import time
import unittest

import testbed

ATTACKER, VICTIM, SERVER, SLOW = 1, 2, 3, (4, 5, 6)
HOSTS = (ATTACKER, VICTIM, SERVER, *SLOW)
BUFFERS = 16383
LIMIT = 4096    # packets of a class queue by default: 24 queues may have far more than there are buffers
PINGS = 50
WANTED = 49     # 98 %


def mac_of(n):
    return f"02:00:00:00:02:{n:02x}"


CONFIG = "".join(f"""
port add p{n} device net_af_packet{n}
address add p{n} 2001:db8:{n}::1/64
neighbour add p{n} 2001:db8:{n}::2 {mac_of(n)}
""" for n in HOSTS) + "".join(f"set port p{n} rate 100K\n" for n in SLOW)


class Net(testbed.Namespaces):
    def __init__(self):
        super().__init__("sw", *(f"h{n}" for n in HOSTS))

    def create(self):
        super().create()
        for n in HOSTS:
            host = f"h{n}"
            self.ip("sw", "link", "add", f"s{n}", "type", "veth", "peer", "name", "eth0", "netns", self.name[host])
            self.sysctl("sw", f"net.ipv6.conf.s{n}.disable_ipv6=1")
            self.ip(host, "link", "set", "eth0", "address", mac_of(n))
            self.ip("sw", "link", "set", f"s{n}", "up")
            self.ip(host, "link", "set", "lo", "up")
            self.ip(host, "link", "set", "eth0", "up")
            self.ip(host, "addr", "add", f"2001:db8:{n}::2/64", "dev", "eth0", "nodad")
            self.ip(host, "route", "add", "default", "via", f"2001:db8:{n}::1")


def attack_frame(to_mac, slow, class_):
    """UDP over IPv6, 62 octets; the class is DSCP / 8."""
    source, destination = (bytes.fromhex(f"20010db8{n:04x}") + bytes(9) + b"\2" for n in (ATTACKER, slow))
    udp = struct.pack("!HHHH", 7, 7, 8, 0xFFFF)
    ip = struct.pack("!IHBB", 6 << 28 | class_ << 25, len(udp), 17, 64) + source + destination
    return to_mac + bytes.fromhex(mac_of(ATTACKER).replace(":", "")) + b"\x86\xdd" + ip + udp


class Buffers(unittest.TestCase):
    def setUp(self):
        self.net = Net()
        self.addCleanup(self.net.destroy)
        self.net.create()
        directory = tempfile.TemporaryDirectory(prefix="fcn-buffers-")
        self.addCleanup(directory.cleanup)
        self.switch = testbed.Switch(directory.name, testbed.write(directory.name, "switch.conf", CONFIG), "--mbufs", str(BUFFERS),
                                     namespace=self.net.name["sw"],
                                     vdevs=[f"net_af_packet{n},iface=s{n}" for n in HOSTS])
        self.addCleanup(self.switch.end)
        self.switch.wait()
        testbed.wait_until(lambda: all(p["link_up"] for p in self.switch.json("show port")))
        # Both know each other's MAC address, and that of the switch.
        testbed.wait_until(lambda: self.reached("2001:db8:2::1", 1) and self.reached("2001:db8:3::2", 1))

    def reached(self, whom, count):
        return len(self.net.ping(f"h{VICTIM}", "2001:db8:2::2", whom, count))

    def assert_reached(self, whom):
        lost = 0
        for n in range(PINGS):
            lost += self.reached(whom, 1) != 1
            self.assertLessEqual(lost, PINGS - WANTED, f"{lost} of the first {n + 1} to {whom}")

    def dropped(self):
        return sum(d["packets"] for d in self.switch.json("show drops") if d["reason"] == "packet_buffers")

    @contextlib.contextmanager
    def attack(self, frames):
        """Up to some 60,000 frames a second."""
        over = threading.Event()

        def send(s):
            while not over.wait(0.008):
                for frame in frames * 20:
                    s.send(frame)

        with self.net.packet_socket(f"h{ATTACKER}", "eth0") as s:
            sender = threading.Thread(target=send, args=(s,))
            sender.start()
            try:
                yield
            finally:
                over.set()
                sender.join()

    def test_victim(self):
        mac = bytes.fromhex(next(p["mac"] for p in self.switch.json("show port") if p["port"] == "p1").replace(":", ""))
        frames = [attack_frame(mac, slow, class_) for slow in SLOW for class_ in range(8)]
        with self.attack(frames):
            # A switch without a budget has no buffers left long before the time is over.
            end = time.monotonic() + testbed.seconds(5)
            while self.dropped() < BUFFERS // 4 and time.monotonic() < end:
                time.sleep(0.1)
            self.assert_reached("2001:db8:3::2")
            self.assert_reached("2001:db8:2::1")
        buffer = self.switch.json("show buffer")
        queues = {(q["port"], q["class"]): q["packets"] for q in buffer["queues"]}
        sys.stderr.write(f"{sum(queues.values())} packets in {len(queues)} queues, {buffer['buffers_free']} buffers free\n")
        self.assertGreaterEqual(self.dropped(), BUFFERS // 4)
        # All queues of the slow ports have as many as they may, and none has its limit.
        self.assertEqual(len(queues), 8 * len(SLOW))
        self.assertLess(max(queues.values()), LIMIT)
        self.assertLessEqual(sum(queues.values()), buffer["packets_size"])
        self.assertGreater(buffer["buffers_free"], 0)
        self.assertEqual(self.switch.json("show conservation")["ok"], True)
        self.assertEqual([w["pool_empty"] for w in self.switch.json("show worker")], [0] * testbed.options.workers)
        self.assertEqual(self.switch.json("show warnings")["warnings"], [])


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, net=Net, tools=("ip", "sysctl")))
