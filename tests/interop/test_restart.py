#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""How long nothing is forwarded when the switch is restarted: two hosts in network namespaces of their own, a packet each
millisecond from one to the other, and the switch between them ended and started, killed and started, or taken over by a new
process. What was learned survives. Needs root; without it, or without namespaces, exit 77.

The lines with milliseconds that it prints are the figures of doc/install.md.

test_restart.py --fastcn PROGRAM [unittest options]
"""

import json
import os
import re
import select
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
from testbed import Client, Switch, options, wait_until

# What a machine may take that does other things at the same time. doc/install.md has what it takes on one that does not.
HANDOVER_SECONDS = 0.5
RATE = 1000

VDEVS = ("net_af_packet0,iface=s1", "net_af_packet1,iface=s2")

ROUTED = """
port add p1 device net_af_packet0
port add p2 device net_af_packet1
address add p1 2001:db8:1::fe/64
address add p2 2001:db8:2::fe/64
"""

BRIDGED = """
port add p1 device net_af_packet0
port add p2 device net_af_packet1
bridge add br0
bridge br0 port add p1
bridge br0 port add p2
"""


def note(what, hole, lost):
    print(f"{what}: {hole * 1000:.0f} ms, {lost} lost, load {os.getloadavg()[0]:.1f}", file=sys.stderr)


class Net(testbed.Namespaces):
    def __init__(self):
        super().__init__("h1", "h2", "sw")

    def create(self):
        super().create()
        for n, host in ((1, "h1"), (2, "h2")):
            self.ip(host, "link", "add", "eth0", "type", "veth", "peer", "name", f"s{n}", "netns", self.name["sw"])
            self.ip(host, "addr", "add", f"2001:db8:b::{n}/64", "dev", "eth0", "nodad")
            self.ip(host, "addr", "add", f"2001:db8:{n}::1/64", "dev", "eth0", "nodad")
            self.run(host, "ethtool", "-K", "eth0", "tx", "off")
            self.ip(host, "link", "set", "eth0", "up")
            self.ip("sw", "link", "set", f"s{n}", "up")
            self.ip(host, "route", "add", f"2001:db8:{3 - n}::/64", "via", f"2001:db8:{n}::fe")


class Traffic:
    """A numbered packet each millisecond from h1 to h2."""

    def __init__(self, net, source, destination):
        self.sender = net.socket("h1", socket.AF_INET6, socket.SOCK_DGRAM)
        self.receiver = net.socket("h2", socket.AF_INET6, socket.SOCK_DGRAM)
        self.receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        self.sender.bind((source, 0))
        self.receiver.bind((destination, 5000))
        self.destination = destination
        self.sent = 0
        self.got = []  # time and number
        self.ends = False
        self.threads = [threading.Thread(target=self.send), threading.Thread(target=self.receive)]
        for t in self.threads:
            t.start()

    def send(self):
        due = time.monotonic()
        while not self.ends:
            try:
                self.sender.sendto(struct.pack("!Q", self.sent), (self.destination, 5000))
            except OSError:
                pass
            self.sent += 1
            due += 1 / RATE
            time.sleep(max(0, due - time.monotonic()))

    def receive(self):
        while not self.ends:
            if select.select([self.receiver], [], [], 0.1)[0]:
                data = self.receiver.recv(64)
                self.got.append((time.monotonic(), struct.unpack("!Q", data)[0]))

    def end(self):
        self.ends = True
        for t in self.threads:
            t.join()
        self.sender.close()
        self.receiver.close()

    def passes(self):
        """Whether packets have come in the last moment."""
        return bool(self.got) and time.monotonic() - self.got[-1][0] < 0.05

    def since(self, begin):
        """Of what has come since then: the longest run of packets that were lost, in seconds, how many were lost, and how
        many came twice. A packet stands for a millisecond: so a machine that stops sender or receiver for a moment does
        not make the hole longer."""
        numbers = [g[1] for g in self.got if g[0] >= begin]
        known = sorted(set(numbers))
        run = max((b - a - 1 for a, b in zip(known, known[1:])), default=0)
        return run / RATE, known[-1] - known[0] + 1 - len(known), len(numbers) - len(known)


class Service:
    """Plays the service manager."""

    def __init__(self, directory):
        self.path = os.path.join(directory, "notify")
        if os.path.exists(self.path):
            os.remove(self.path)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(self.path)
        self.socket.setblocking(False)
        self.said = []

    def read(self):
        while True:
            try:
                self.said.append(self.socket.recv(4096).decode())
            except BlockingIOError:
                return self.said

    def main_pid(self):
        pids = [int(m) for text in self.read() for m in re.findall(r"^MAINPID=(\d+)$", text, re.M)]
        return pids[-1] if pids else None


class Restart(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.net = Net()
        cls.addClassCleanup(cls.net.destroy)
        cls.net.create()

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="fcn-restart-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.state = os.path.join(self.directory, "state")
        self.service = Service(self.directory)
        self.addCleanup(self.service.socket.close)
        self.others = []
        self.addCleanup(self.end_others)

    def end_others(self):
        """The processes that have taken over."""
        for pid in self.others:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def switch(self, config, *more, vdevs=VDEVS):
        switch = Switch(self.directory, testbed.write(self.directory, "fastcn.conf", config), "--state-file", self.state, *more,
                        vdevs=vdevs, namespace=self.net.name["sw"], env={"NOTIFY_SOCKET": self.service.path}, sleep=None)
        self.addCleanup(switch.end)
        return switch

    def traffic(self, bridged=False):
        t = Traffic(self.net, *(("2001:db8:b::1", "2001:db8:b::2") if bridged else ("2001:db8:1::1", "2001:db8:2::1")))
        self.addCleanup(lambda: t.ends or t.end())
        wait_until(t.passes, 5)
        time.sleep(0.3)
        return t

    def after(self, traffic, begin):
        """The hole, once packets pass again."""
        wait_until(lambda: traffic.got[-1][0] > begin + 0.3 and traffic.passes(), 5)
        time.sleep(0.5)
        return traffic.since(begin - 0.2)

    def ask(self, line):
        client = Client(self.switch_path())
        try:
            return client.ask(line)
        finally:
            client.close()

    def switch_path(self):
        return os.path.join(self.directory, "fastcn.sock")

    def hand_over(self, switch, traffic):
        before = self.service.main_pid()
        begin = time.monotonic()
        ok, said = self.ask("restart")
        self.assertTrue(ok, said)
        pid = int(re.search(r"process (\d+) prepares", said).group(1))
        self.others.append(pid)
        wait_until(lambda: self.service.main_pid() not in (before, None), 30)
        self.assertEqual(self.service.main_pid(), pid)
        return self.after(traffic, begin)

    def restart(self, config, number, bridged=False):
        first = self.switch(config).wait()
        traffic = self.traffic(bridged)
        if number == signal.SIGKILL:
            time.sleep(11)  # the file is written each ten seconds
        begin = time.monotonic()
        first.stop(number)
        first.end()
        second = self.switch(config).wait()
        hole = self.after(traffic, begin)
        traffic.end()
        self.assertTrue(second.json("show conservation")["ok"])
        self.assertEqual(second.stop()[0], 0)
        second.end()
        return hole

    def test_routed(self):
        for name, number in (("ended", signal.SIGTERM), ("killed", signal.SIGKILL)):
            with self.subTest(name):
                hole, lost, twice = self.restart(ROUTED, number)
                note(f"af_packet, routed, {name}", hole, lost)
                self.assertEqual(twice, 0)

    def test_bridged(self):
        hole, lost, _ = self.restart(BRIDGED, signal.SIGTERM, bridged=True)
        note("af_packet, bridged, ended", hole, lost)

    def test_without_file(self):
        """As it was before: addresses are checked, and neighbours asked for."""
        self.state = "/dev/null"
        hole, lost, _ = self.restart(ROUTED, signal.SIGTERM)
        note("af_packet, routed, ended, without a file", hole, lost)

    def test_file(self):
        """What is in the file is known at once; a file that is not whole is told, and keeps nothing from starting."""
        first = self.switch(ROUTED).wait()
        traffic = self.traffic()
        known = {(n["port"], n["address"], n["mac"]) for n in first.json("show neighbour")}
        self.assertEqual(first.stop()[0], 0)
        first.end()
        traffic.end()
        with open(self.state, encoding="ascii") as f:
            text = f.read()
        lines = text.splitlines()
        self.assertRegex(lines[0], r"^fastcn-state 1 \d+$")
        self.assertIn("address p1 2001:db8:1::fe", lines)
        self.assertEqual({tuple(x.split()[1:]) for x in lines if x.startswith("neighbour ")}, known)
        for content, said in ((text[:-1], "it is not whole"), (text.replace("p1", "p2", 1), "it is not whole"),
                              ("", "it is not whole"), (text.replace(" 1 ", " 2 ", 1), "it is not whole")):
            testbed.write(self.directory, "state", content)
            switch = self.switch(ROUTED).wait()
            testbed.wait_until(lambda: f"state: {said}" in switch.said(), 10)
            self.assertEqual(switch.stop(signal.SIGKILL)[0], -signal.SIGKILL)
            switch.end()
        testbed.write(self.directory, "state", text)
        switch = self.switch(ROUTED).wait()
        self.assertRegex(switch.said(), rf"state, \d+\.\d+ s old: {len(lines) - 2} entries used, 0 too old, 0 not")
        self.assertEqual(switch.stop()[0], 0)

    def test_handed_over(self):
        for name, config, bridged in (("routed", ROUTED, False), ("bridged", BRIDGED, True)):
            with self.subTest(name):
                switch = self.switch(config).wait()
                traffic = self.traffic(bridged)
                for _ in range(2):
                    hole, lost, twice = self.hand_over(switch, traffic)
                    note(f"af_packet, {name}, handed over", hole, lost)
                    self.assertLess(hole, testbed.seconds(HANDOVER_SECONDS))
                    self.assertEqual(twice, 0)
                self.finish(switch, traffic)

    def finish(self, switch, traffic):
        """The one that was started has ended in order, the last one accounts for each packet and ends when it is told."""
        self.assertEqual(switch.process.wait(testbed.seconds(10)), 0, switch.said())
        self.assertRegex(self.ask("show conservation")[1], r"ok: +yes")
        traffic.end()
        os.kill(self.others[-1], signal.SIGTERM)
        wait_until(lambda: not os.path.exists(switch.path), 30)
        switch.end()

    def test_signal(self):
        switch = self.switch(ROUTED).wait()
        traffic = self.traffic()
        switch.process.send_signal(signal.SIGUSR2)
        wait_until(lambda: self.service.main_pid() is not None, 30)
        self.others.append(self.service.main_pid())
        wait_until(traffic.passes)
        self.finish(switch, traffic)

    def test_new_one_fails(self):
        """Then the old one goes on, and no packet is lost; the next try succeeds."""
        switch = self.switch(ROUTED).wait()
        traffic = self.traffic()
        begin = time.monotonic()
        for lines in ("nonsense\n", ROUTED + "port add p3 device net_af_packet9,iface=nosuch\n"):
            marks = switch.said().count("did not take over")
            testbed.write(self.directory, "fastcn.conf", lines)
            self.assertTrue(self.ask("restart")[0])
            ok, said = self.ask("restart")
            self.assertFalse(ok)
            self.assertIn("a new process is about to take over already", said)
            wait_until(lambda marks=marks: switch.said().count("did not take over") > marks, 30)
        self.assertIsNone(self.service.main_pid())
        self.assertIsNone(switch.process.poll())
        self.assertLess(traffic.since(begin)[0], testbed.seconds(0.05))
        testbed.write(self.directory, "fastcn.conf", ROUTED)
        self.hand_over(switch, traffic)
        self.finish(switch, traffic)

    def test_who_may(self):
        """Users of the socket that are neither root nor that of the switch may not."""
        os.chmod(self.directory, 0o755)
        switch = self.switch(ROUTED, "--socket-mode", "0666").wait()
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            client = Client(switch.path)
            said = [client.ask(line) for line in ("restart", "handover state", "handover release pid 1")]
            os.write(writer, json.dumps(said).encode())
            os._exit(0)
        os.waitpid(child, 0)
        said = json.loads(os.read(reader, 65536))
        os.close(reader)
        os.close(writer)
        self.assertEqual([ok for ok, _ in said], [False] * 3)
        for _, text in said:
            self.assertIn("only root and the user of the switch may hand it over", text)
        self.assertTrue(switch.json("show status")["forwarding"])

    def test_tap(self):
        """A tap interface, and that of a port in the kernel, goes and comes back: only one process can have it."""
        for vdevs, line in ((("net_tap0,iface=t2",), "port add p2 device net_tap0\n"),
                            ((), "port add p2 device net_tap0,iface=t2\n"),
                            ((), "port add p2 device net_af_packet1,iface=s2\nset port p2 kernel t2\n")):
            with self.subTest(line):
                switch = self.switch("port add p1 device net_af_packet0\n" + line, vdevs=(*vdevs, VDEVS[0])).wait()
                before = json.loads(self.net.ip("sw", "-j", "link", "show", "t2"))[0]["ifindex"]
                self.assertTrue(self.ask("restart")[0])
                wait_until(lambda: self.service.main_pid() is not None, 30)
                self.others.append(self.service.main_pid())
                wait_until(lambda: any("READY=1" in x for x in self.service.read()[-1:]))
                self.assertNotEqual(json.loads(self.net.ip("sw", "-j", "link", "show", "t2"))[0]["ifindex"], before)
                self.assertIn('"p2"', self.ask("show port json")[1])
                os.kill(self.others[-1], signal.SIGTERM)
                wait_until(lambda: not os.path.exists(switch.path), 30)
                switch.end()
                self.service.said.clear()

    def test_memif(self):
        """Behind the switch, by net_memif, is another one, to which nothing happens. It is the server: a client of DPDK does
        not connect again when its server has gone."""
        far_directory = os.path.join(self.directory, "far")
        os.mkdir(far_directory)
        bridge = "bridge add br0\nbridge br0 port add p1\nbridge br0 port add p2\n"
        memif = f"net_memif0,socket={self.directory}/memif.sock,socket-abstract=no,role="
        far = Switch(far_directory, testbed.write(far_directory, "fastcn.conf", "port add p1 device net_memif0\n"
                     "port add p2 device net_af_packet1\n" + bridge), vdevs=(memif + "server", VDEVS[1]),
                     namespace=self.net.name["sw"], sleep=None)
        self.addCleanup(far.end)
        far.wait()
        switch = self.switch("port add p1 device net_af_packet0\nport add p2 device net_memif0\n" + bridge,
                             vdevs=(VDEVS[0], memif + "client")).wait()
        traffic = self.traffic(bridged=True)
        for _ in range(2):
            hole, lost, _ = self.hand_over(switch, traffic)
            note("memif, handed over", hole, lost)
        self.finish(switch, traffic)


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, net=Net, tools=("ethtool",)))
