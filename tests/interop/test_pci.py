#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Ports on real PCI drivers: e1000e, vmxnet3 and virtio of a virtual machine, which fastcn has by vfio. The hosts are
network namespaces that have the other ends of the machine's network devices. Needs root, QEMU, and the kernel that
scripts/setup fetches.

test_pci.py --fastcn PROGRAM --guest DIRECTORY [unittest options]
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import guest
import testbed
from test_end_to_end import Capture

HERE = os.path.dirname(os.path.abspath(__file__))
ORACLE = os.path.join(os.path.dirname(HERE), "oracle")
sys.path.append(ORACLE)

from fcnoracle import capture  # noqa: E402

SEND = os.path.join(HERE, "..", "..", "scripts", "roce-send")
LOOPBACK = "2001:db8:f::5"
# Device, its receive queues, whether it spreads flows over them. The driver of
# vmxnet3 has RSS; QEMU's device takes the first queue all the same.
DEVICES = {
    "e1000e": ("e1000e", 2, False),
    "vmxnet3": ("vmxnet3", 2, False),
    "virtio": ("virtio-net-pci,iommu_platform=on,disable-legacy=on,mq=on,rss=on,vectors=12", 2, True),
}
NUMBER = {name: n + 1 for n, name in enumerate(DEVICES)}
# Each sends to the next one.
NEXT = {1: 2, 2: 3, 3: 1}
OTHER_TYPE = bytes.fromhex("88b5") + bytes(50)


def mac(n, switch=False):
    return f"02:00:00:00:0{n}:{'fe' if switch else '01'}"


def on_each(test):
    """A test of each driver in turn."""
    def run(self):
        for name, n in NUMBER.items():
            with self.subTest(driver=name):
                test(self, name, n)
    run.__doc__ = test.__doc__
    return run


class Net(testbed.Namespaces):
    """Hosts h1 to h3, and where QEMU runs."""

    def __init__(self):
        super().__init__("sw", "h1", "h2", "h3")

    def create(self):
        super().create()
        for name, n in NUMBER.items():
            more = ["multi_queue"] if "mq=on" in DEVICES[name][0] else []
            self.ip("sw", "tuntap", "add", f"t{n}", "mode", "tap", *more)

    def complaint(self):
        return guest.missing(testbed.options.guest)

    def give_out(self):
        """To each host its interface; QEMU keeps the other end."""
        for n in NUMBER.values():
            host = f"h{n}"
            self.ip("sw", "link", "set", f"t{n}", "netns", self.name[host], "name", "eth0")
            self.ip(host, "link", "set", "lo", "up")
            self.ip(host, "link", "set", "eth0", "address", mac(n), "mtu", "4200")
            self.ip(host, "link", "set", "eth0", "up")
            self.ip(host, "addr", "add", f"2001:db8:{n}::1/64", "dev", "eth0", "nodad")
            self.ip(host, "route", "add", "default", "via", f"2001:db8:{n}::fe", "dev", "eth0", "mtu", "1500")

    def packets(self, n):
        """Received and sent, as the kernel counts them."""
        stats = json.loads(self.ip(f"h{n}", "-s", "-j", "link", "show", "eth0"))[0]["stats64"]
        return stats["rx"]["packets"], stats["tx"]["packets"]


class Pci(unittest.TestCase):
    """One machine for all tests: it takes most of the time to start."""

    @classmethod
    def setUpClass(cls):
        cls.net = Net()
        cls.addClassCleanup(cls.net.destroy)
        cls.net.create()
        directory = tempfile.TemporaryDirectory(prefix="fcn-pci-")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = directory.name
        cls.guest = guest.Guest(cls.directory, testbed.options.guest,
                                {name: (f"t{n}", DEVICES[name][0]) for name, n in NUMBER.items()}, cls.net.name["sw"])
        cls.addClassCleanup(cls.guest.end)
        cls.guest.wait()
        cls.net.give_out()
        # The emulator takes ten times as long as a CPU for a worker that wakes up.
        for line in ("start", "set worker idle sleep 1ms", f"set loopback {LOOPBACK}", "set notify interval 1ms"):
            cls.run_line(line)
        for name in NUMBER:
            cls.add(name)

    @classmethod
    def run_line(cls, line):
        said = cls.guest.say(line)
        if said:
            raise AssertionError(f"{line}: {said}")

    @classmethod
    def add(cls, name, words=""):
        n = NUMBER[name]
        words = words or f"queues {DEVICES[name][1]}"
        for line in (f"port add p{n} {words} device {cls.guest.address[name]}", f"set port p{n} mac {mac(n, True)}",
                     f"set port p{n} class-trust on", f"address add p{n} 2001:db8:{n}::fe/64"):
            cls.run_line(line)

    def say(self, *lines):
        for line in lines:
            self.assertEqual(self.guest.say(line), "", line)

    def port(self, n):
        return self.guest.json(f"show port p{n}")[0]

    def ping(self, n, size=56, count=1, mtu=None):
        """Whether h1, h2, h3 reaches the next one."""
        words = ("-M", "do") if mtu else ()
        return " 0% packet loss" in self.net.run(f"h{n}", "ping", "-6", "-n", "-q", "-c", str(count), "-i", "0.05", "-W", "2",
                                                 "-s", str(size), *words, f"2001:db8:{NEXT[n]}::1", check=False)

    def wait_ping(self, n, **more):
        testbed.wait_until(lambda: self.ping(n, **more), 20)

    def check_conservation(self):
        accounting = self.guest.json("show conservation")
        self.assertTrue(accounting["ok"], accounting)

    def settled(self, read):
        last = [read()]

        def same():
            time.sleep(0.3)
            before, last[0] = last[0], read()
            return before == last[0]
        testbed.wait_until(same, 20)
        return last[0]

    def test_0_nic_check(self):
        """What scripts/nic-check finds in this machine, before the cards are bound to vfio-pci and afterwards."""
        before, after = re.findall(r"(?s)nic-check begins\s+(.*?)nic-check ends: (\d+)", self.guest.said())

        def found(text):
            return set(re.findall(r"(?m)^(ok|note|missing) +(\S+ +\S.*?)\r?$", text))
        machine = {("ok", "hugepages   node 0: 440 MB are free"), ("ok", "hugetlbfs   mounted on /dev/hugepages"),
                   ("ok", "cpus        workers have 1,2 for themselves")}
        self.assertEqual((before[1], after[1]), ("1", "0"), before[0] + after[0])
        self.assertLessEqual(machine | {("missing", "vfio        vfio-pci is not loaded")}, found(before[0]))
        self.assertLessEqual(machine | {("ok", "vfio        vfio-pci is loaded")}, found(after[0]))
        self.assertRegex(after[0], r"(?m)^ok +iommu +on, with \d+ groups")
        for address in self.guest.address.values():
            self.assertIn(("missing", f"driver      {address}: no driver"), found(before[0]))
            self.assertIn(("ok", f"driver      {address}: vfio-pci"), found(after[0]))
            self.assertRegex(before[0], rf"# driverctl set-override {address} vfio-pci")

    @on_each
    def test_1_limits(self, name, n):
        """What the drivers tell of themselves."""
        testbed.wait_until(lambda: self.port(n)["link_up"])
        port = self.port(n)
        self.assertEqual(port["link_bps"], 1_000_000_000 if name == "e1000e" else 10_000_000_000)
        self.assertEqual(port["rx_queues"], DEVICES[name][1])
        self.assertEqual(port["mac"], mac(n, True))
        self.assertEqual(port["limits"], "has no RSS: all packets may come by one queue" if name == "e1000e" else "")
        if name == "e1000e":
            self.say("port remove p1")
            self.assertIn("it has at most 2 receive queues, not 3",
                          self.guest.say(f"port add p1 queues 3 device {self.guest.address[name]}"))
            self.add(name)

    def test_2_counters(self):
        """Pings, and what kernel, driver and switch count of them."""
        for n in NUMBER.values():
            self.wait_ping(n)

        def count():
            ports = {n: self.port(n) for n in NUMBER.values()}
            return [((ports[n]["tx_packets"], ports[n]["rx_packets"]), self.net.packets(n)) for n in ports]
        before = self.settled(count)
        for n in NUMBER.values():
            self.assertTrue(self.ping(n, 1400, 20))
        grown = [[tuple(a - b for a, b in zip(*pair)) for pair in zip(*both)] for both in zip(self.settled(count), before)]
        for switch, kernel in grown:
            self.assertEqual(switch, kernel)
            self.assertGreaterEqual(min(kernel), 40)
        for n in NUMBER.values():
            port = self.port(n)
            self.assertEqual([port[k] for k in port if k.startswith("device_")], [0, 0, 0, 0])
        self.check_conservation()

    @on_each
    def test_3_queues(self, name, n):
        """Where the device has RSS, many flows come by several queues, and so to several workers."""
        before = {w["worker"]: w["packets"] for w in self.guest.json("show worker")}
        for source in range(64):
            with self.net.socket(f"h{n}", socket.AF_INET6, socket.SOCK_DGRAM) as s:
                s.bind((f"2001:db8:{n}::1", 50000 + source))
                s.sendto(bytes(60), (f"2001:db8:{n}::fe", 9))
        self.settled(lambda: self.port(n)["rx_packets"])
        grown = [w["packets"] - before[w["worker"]] for w in self.guest.json("show worker")]
        self.assertGreaterEqual(sum(grown), 60, grown)
        self.assertEqual(min(grown) >= 10, DEVICES[name][2], grown)

    @on_each
    def test_4_filters(self, name, n):
        """Off, a device hears its own address and groups, and nothing else."""
        def hears(n, destination):
            before = self.settled(lambda: self.port(n)["rx_packets"])
            with self.net.packet_socket(f"h{n}", "eth0") as s:
                for _ in range(40):
                    s.send(bytes.fromhex((destination + mac(n)).replace(":", "")) + OTHER_TYPE)
            return self.settled(lambda: self.port(n)["rx_packets"]) - before >= 40
        self.assertTrue(hears(n, "02:00:00:00:09:09"))
        self.say(f"set port p{n} promiscuous off")
        self.assertFalse(hears(n, "02:00:00:00:09:09"))
        self.assertTrue(hears(n, mac(n, True)))
        self.assertTrue(hears(n, "33:33:00:00:12:34"))
        self.say(f"set port p{n} promiscuous on")
        self.assertTrue(hears(n, "02:00:00:00:09:09"))

    @on_each
    def test_5_congestion(self, name, n):
        """Each direction: Fast CNPs, which the oracle finds to be what the packets call for. No ring is said to be occupied."""
        out = NEXT[n]
        self.wait_ping(n)
        self.say(f"sender add 2001:db8:{n}::1/128 capable", f"set queue p{out} class 3 peak 4M",
                 f"set queue p{out} class 3 limit 60K", f"set queue p{out} class 3 detector step 15K leave 8K",
                 f"set queue p{out} class 3 ecn on", "set notify fast-cnp on", f"set queue p{out} class 3 notify on")
        path = {k: os.path.join(self.directory, f"{name}-{k}.pcap") for k in ("data", "notices")}
        def counted():
            return {k: self.guest.json(f"show queue p{out} class 3")[0][k]
                    for k in ("packets", "dropped", "notices", "ce_marked")}
        before = counted()
        kept = Capture(self.net, f"h{n}")
        try:
            sent = int(self.net.run(f"h{n}", SEND, f"2001:db8:{n}::1", f"2001:db8:{out}::1", "--rate", "8M", "--seconds",
                                    "1", timeout=90).split()[0])
            after = self.settled(counted)
            queue = {k: after[k] - before[k] for k in after}
        finally:
            kept.end(os.path.join(self.directory, "all.pcap"))
        for k, outgoing in (("data", True), ("notices", False)):
            capture.save(path[k], [(t, f) for t, f, o in kept.frames if o == outgoing and f[12:14] == b"\x86\xdd" and
                                   f[20] in (17, 60)], nano=True)
        self.assertEqual(queue["packets"] + queue["dropped"], sent)
        self.assertGreater(queue["notices"], 3)  # so many also while other tests keep the guest waiting
        self.assertEqual(queue["ce_marked"], 0)
        checked = subprocess.run([sys.executable, os.path.join(ORACLE, "check_notices.py"), "--data", path["data"],
                                  "--notices", path["notices"], "--source", LOOPBACK, "--l2", "routed", "--src-mac",
                                  mac(n, True), "--dst-mac", mac(n), "--expect", str(queue["notices"])],
                                 check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout)
        # None of them tells it, or not right: an idle ring that seems to hold something would be congestion for nothing.
        self.assertIsNone(self.port(n)["ring_bytes"])
        self.say(f"set queue p{out} class 3 notify off", "set notify fast-cnp off", f"set queue p{out} class 3 peak off")
        self.check_conservation()

    def route_mtu(self, n, mtu):
        self.net.ip(f"h{n}", "-6", "route", "change", "default", "via", f"2001:db8:{n}::fe", "dev", "eth0", "mtu", str(mtu))

    def test_6_mtu(self):
        """A larger MTU lets jumbo frames through, whole; one port with a smaller one says so to who sends them."""
        for n in NUMBER.values():
            self.say(f"set port p{n} mtu 1400", f"set port p{n} mtu 1500")
            self.wait_ping(n)
        for name, n in NUMBER.items():
            with self.subTest(driver=name, way="set"):
                # What fits into a packet buffer most drivers take while they run; for more they are set up anew.
                said = self.guest.say(f"set port p{n} mtu 1800")
                if name == "vmxnet3":
                    self.assertIn("while it runs, the device takes none above 1500", said)
                else:
                    self.assertEqual(said, "")
                self.assertEqual(self.port(n)["mtu"], 1500 if name == "vmxnet3" else 1800)
                self.assertIn("add it with this MTU (port add NAME mtu 4000)", self.guest.say(f"set port p{n} mtu 4000"))
                self.say(f"port remove p{n}")
                self.add(name, f"queues {DEVICES[name][1]} mtu 4000")
                self.assertEqual(self.port(n)["mtu"], 4000)
                self.route_mtu(n, 4000)
        for n in NUMBER.values():
            self.wait_ping(n)
        # 40 of IPv6 and 8 of ICMPv6: an IP packet of 4000, a frame of 4014
        before = self.settled(lambda: [self.port(n) for n in (1, 3)])
        self.wait_ping(3, size=3952, count=10, mtu=4000)
        for old, new in zip(before, self.settled(lambda: [self.port(n) for n in (1, 3)])):
            for way in ("rx", "tx"):
                self.assertGreaterEqual(new[f"{way}_bytes"] - old[f"{way}_bytes"], 10 * 4014)
            self.assertEqual([new[k] for k in new if k.startswith("device_")], [0, 0, 0, 0])
        # QEMU's vmxnet3 sends them, too, but gives none that is longer than a packet buffer: the answers are its errors.
        before = self.settled(lambda: (self.net.packets(2)[0], self.port(2)["device_rx_errors"]))
        self.wait_ping(1, size=1900, count=3, mtu=4000)
        self.assertFalse(self.ping(1, 3952, 5, mtu=4000))
        after = self.settled(lambda: (self.net.packets(2)[0], self.port(2)["device_rx_errors"]))
        self.assertGreaterEqual(after[0] - before[0], 3 + 5)
        self.assertEqual(after[1] - before[1], 5)
        # A port whose MTU is smaller again: what is too big for it is answered with that MTU, what fits goes through.
        for name, n in NUMBER.items():
            with self.subTest(driver=name, way="too big"):
                self.say(f"set port p{n} mtu 1500")
                source = next(k for k, v in NEXT.items() if v == n)

                def told():
                    """A guest that other tests keep waiting may take longer for the answer than a ping waits."""
                    self.assertFalse(self.ping(source, 1900, 2, mtu=4000))
                    return " mtu 1500" in self.net.ip(f"h{source}", "-6", "route", "get", f"2001:db8:{n}::1")
                testbed.wait_until(told, 20)
                self.wait_ping(source, size=1452, mtu=1500)
                self.say(f"set port p{n} mtu 4000")
        for n in NUMBER.values():
            self.say(f"set port p{n} mtu 1500")
            self.route_mtu(n, 1500)
        self.check_conservation()

    @on_each
    def test_7_link(self, name, n):
        """The cable is pulled and put in again."""
        self.guest.command("set_link", name=name, up=False)
        testbed.wait_until(lambda: not self.port(n)["link_up"])
        testbed.wait_until(lambda: re.search(f"port p{n}: link down", self.guest.said()))
        self.guest.command("set_link", name=name, up=True)
        testbed.wait_until(lambda: self.port(n)["link_up"])
        self.wait_ping(n)
        self.check_conservation()

    @on_each
    def test_8_removal(self, name, n):
        """A port goes and comes back while packets for it and from it do not end."""
        self.wait_ping(n)
        over, pause = threading.Event(), threading.Event()

        def send():
            with self.net.socket(f"h{n}", socket.AF_INET6, socket.SOCK_DGRAM) as s:
                while not over.is_set():
                    if pause.is_set():
                        time.sleep(0.05)
                        continue
                    try:
                        for _ in range(16):
                            s.sendto(bytes(200), (f"2001:db8:{NEXT[n]}::1", 9))
                    except OSError:
                        pass
                    time.sleep(0.005)
        sender = threading.Thread(target=send)
        sender.start()
        try:
            for _ in range(2):
                # On a busy machine QEMU's virtio device at times gives nothing after a start in the middle of
                # traffic; there the packets wait until the port is back.
                if name == "virtio":
                    pause.set()
                    time.sleep(0.2)
                self.say(f"port remove p{n}")
                self.check_conservation()
                self.add(name)
                pause.clear()
                testbed.wait_until(lambda: self.port(n)["rx_packets"] > 0)
        finally:
            over.set()
            sender.join()
        self.wait_ping(n)
        self.check_conservation()

    def test_9_end(self):
        """It ends as it is told."""
        self.guest.terminal.send("quit\n")
        testbed.wait_until(lambda: "fastcn ended" in self.guest.said())


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, programs=("fastcn", "guest"), net=Net, tools=("ping", "ip")))
