#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A worker whose thread does not run: what the rest of the switch does meanwhile, and what becomes of the worker when it
runs again. A debugger's system calls hold the one thread. Hosts of network namespaces: h1 and h2 are served by worker 0,
h3 is served by worker 1.

test_stall.py --fastcn PROGRAM [unittest options]
"""

import contextlib
import ctypes
import os
import re
import signal
import socket
import sys
import tempfile
import time
import unittest

import testbed
from testbed import Namespaces, Switch, wait_until

PTRACE_SEIZE, PTRACE_INTERRUPT, PTRACE_DETACH = 0x4206, 0x4207, 17
WALL = 0x40000000
HOSTS = ("h1", "h2", "h3")
CONFIG = "".join(f"""
port add p{n} worker {worker} device net_af_packet{n}
address add p{n} 2001:db8:{n}::1/64
""" for n, worker in ((1, 0), (2, 0), (3, 1)))


def ptrace(request, tid):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
    libc.ptrace.restype = ctypes.c_long
    if libc.ptrace(request, tid, None, None) != 0:
        raise OSError(ctypes.get_errno(), f"ptrace {request:#x}")


@contextlib.contextmanager
def held(tid):
    """Hold a thread of another process."""
    ptrace(PTRACE_SEIZE, tid)
    try:
        ptrace(PTRACE_INTERRUPT, tid)
        os.waitpid(tid, WALL)
        yield
    finally:
        try:
            ptrace(PTRACE_DETACH, tid)
        except ProcessLookupError:
            os.waitpid(tid, WALL)  # it has been ended


def worker_thread(pid, number):
    """The thread of a worker: lcore 0 is the control thread's."""
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/comm", encoding="ascii") as f:
            if f.read().strip() in (f"lcore-worker-{number + 1}", f"rte-worker-{number + 1}"):
                return int(tid)
    raise LookupError(number)


class Net(Namespaces):
    def __init__(self):
        super().__init__("sw", *HOSTS)

    def create(self):
        super().create()
        self.ip("sw", "link", "set", "lo", "up")
        for n, host in enumerate(HOSTS, 1):
            self.ip("sw", "link", "add", f"s{n}", "type", "veth", "peer", "name", "eth0", "netns", self.name[host])
            self.sysctl("sw", f"net.ipv6.conf.s{n}.disable_ipv6=1")
            self.run(host, "ethtool", "-K", "eth0", "tx", "off")
            self.ip("sw", "link", "set", f"s{n}", "up")
            self.ip(host, "link", "set", "lo", "up")
            self.ip(host, "link", "set", "eth0", "up")
            self.ip(host, "address", "add", f"2001:db8:{n}::2/64", "dev", "eth0", "nodad")
            self.ip(host, "route", "add", "2001:db8::/32", "via", f"2001:db8:{n}::1")


class Stall(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="fcn-stall-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.net = Net()
        self.addCleanup(self.net.destroy)
        self.net.create()
        self.events = os.path.join(self.directory, "events")
        self.service = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.addCleanup(self.service.close)
        self.service.bind(os.path.join(self.directory, "notify"))
        testbed.options.workers = 2
        self.switch = Switch(self.directory, testbed.write(self.directory, "fastcn.conf", CONFIG), "--metrics", "9750",
                             "--log-events", self.events, namespace=self.net.name["sw"],
                             vdevs=[f"net_af_packet{n},iface=s{n}" for n in (1, 2, 3)],
                             env={"NOTIFY_SOCKET": os.path.join(self.directory, "notify"), "WATCHDOG_USEC": "400000"})
        self.addCleanup(self.switch.end)
        self.switch.wait()
        self.tid = worker_thread(self.switch.process.pid, 1)
        for n, host in enumerate(HOSTS, 1):
            self.assertTrue(wait_until(lambda n=n, host=host: self.pings(host, n, n)))
        self.assertEqual(len(self.pings("h1", 1, 2, "::2")), 5)

    def pings(self, host, source, destination, end="::1"):
        return self.net.ping(host, f"2001:db8:{source}::2", f"2001:db8:{destination}{end}")

    def metrics(self):
        """As scraped within the switch's namespace."""
        text = self.net.run("sw", sys.executable, "-c", "import urllib.request as u; "
                            "print(u.urlopen('http://127.0.0.1:9750/metrics', timeout=10).read().decode())")
        return {name: float(value) for name, value in re.findall(r"^(fastcn_\S+) (\S+)$", text, re.M)}

    def stalled(self):
        return self.switch.json("show status")["stalled_workers"]

    def feeds(self, duration):
        """How often the watchdog was told in the last seconds and in those that come."""
        self.service.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            while True:
                self.service.recv(4096)
        time.sleep(duration)
        n = 0
        with contextlib.suppress(BlockingIOError):
            while True:
                n += self.service.recv(4096) == b"WATCHDOG=1"
        return n

    def refused(self, line):
        ok, said = self.switch.session.ask(line)
        self.assertFalse(ok, line)
        self.assertIn("worker 1 is stalled: its thread on lcore 2 does not run", said)

    def test_stall(self):
        self.assertEqual(self.stalled(), [])
        self.assertGreater(self.feeds(1), 0)
        before = self.metrics()
        with held(self.tid):
            self.through_it(before)
        self.after_it(before)

    def through_it(self, before):
        """While worker 1 does not run."""
        wait_until(lambda: self.stalled() == [1])
        # What needs it not goes on: forwarding, the switch as a host, its neighbours, consoles, metrics.
        self.assertEqual(len(self.pings("h1", 1, 2, "::2")), 5)
        self.assertEqual(len(self.pings("h1", 1, 1)), 5)
        self.assertEqual(len(self.pings("h2", 2, 1)), 5)
        self.net.ip("h1", "address", "add", "2001:db8:1::99/64", "dev", "eth0", "nodad")
        self.assertEqual(len(self.net.ping("h1", "2001:db8:1::99", "2001:db8:2::2")), 5)
        self.assertEqual(self.net.ping("h3", "2001:db8:3::2", "2001:db8:3::1", count=1), [])
        begin = time.monotonic()
        for line in ("show port", "show queue", "show worker", "show conservation", "show mac", "show trace", "show pfc",
                     "show events", "show buffer"):
            self.switch.json(line)
        self.assertLess(time.monotonic() - begin, testbed.seconds(1))
        self.assertIn("worker 1", [w["place"] for w in self.switch.json("show warnings")["warnings"]])
        worker = self.switch.json("show worker")
        self.assertEqual([w["state"] for w in worker], ["running", "stalled"])
        self.assertEqual([p["state"] for p in self.switch.json("show port")], ["up", "up", "stalled"])
        metrics = self.metrics()
        self.assertEqual(metrics['fastcn_worker_stalled{worker="0"}'], 0)
        self.assertEqual(metrics['fastcn_worker_stalled{worker="1"}'], 1)
        # Its counters are those that it has left: a counter never goes back.
        name = 'fastcn_port_received_packets_total{port="p3"}'
        self.assertGreaterEqual(metrics[name], before[name])
        self.assertGreater(metrics[name], 0)
        # What needs it is refused.
        for line in ("port remove p3", "port remove p1", "clear counters", "clear watermarks", "clear mac", "trace add 3",
                     "capture start port all rx file " + os.path.join(self.directory, "x.pcapng")):
            self.refused(line)
        # Changes of the configuration reach the workers that run, however many there are.
        for i in range(40):
            self.assertEqual(self.switch.say(f"route add 2001:db8:100:{i:x}::/64 via 2001:db8:2::2 port p2"), "")
        self.assertEqual(self.switch.say("set port p1 mtu 1400"), "")
        self.assertEqual(len(self.pings("h1", 1, 2, "::2")), 5)
        self.assertEqual(self.feeds(1), 0)

    def after_it(self, before):
        """When it runs again: nothing is lost, and it has all that was changed meanwhile."""
        wait_until(lambda: self.stalled() == [])
        self.assertTrue(wait_until(lambda: self.pings("h3", 3, 3)))
        self.assertNotIn("worker 1", [w["place"] for w in self.switch.json("show warnings")["warnings"]])
        self.assertEqual(len(self.pings("h3", 3, 2, "::2")), 5)
        self.net.ip("h2", "address", "add", "2001:db8:100:7::2/128", "dev", "lo")
        wait_until(lambda: len(self.pings("h3", 3, "100:7", "::2")) == 5)
        self.assertEqual(self.switch.say("clear counters"), "")
        self.assertTrue(self.switch.json("show conservation")["ok"])
        self.assertEqual(self.metrics()['fastcn_worker_stalls_total{worker="1"}'],
                         before['fastcn_worker_stalls_total{worker="1"}'] + 1)
        self.assertGreater(self.feeds(1), 0)
        said = self.switch.said()
        for word in ("warning", "over"):
            self.assertEqual(len(re.findall(f"^fastcn: {word}: worker 1: its thread on lcore 2 does not run, and its ports "
                                            "forward nothing$", said, re.M)), 1, said)
        events = [e for e in self.switch.json("show events")["events"] if "worker" in e]
        self.assertEqual(events, [])  # cleared with the counters
        wait_until(lambda: "worker_recovered" in self.logged())
        self.assertRegex(self.logged(), r'"event":"worker_stalled","worker":1}')
        self.assertRegex(self.logged(), r'"event":"worker_recovered","worker":1}')
        self.assertEqual(self.switch.say("port remove p3"), "")
        self.assertEqual(self.switch.stop()[0], 0)

    def logged(self):
        with open(self.events, encoding="ascii") as f:
            return f.read()

    def test_end(self):
        """The program ends also while a worker does not run."""
        with held(self.tid):
            wait_until(lambda: self.stalled() == [1])
            self.switch.process.send_signal(signal.SIGTERM)
            # The thread is one of the process until it is let go.
            wait_until(lambda: "ended at once, as it could not be ended in order" in self.switch.said())
        self.assertEqual(self.switch.process.wait(timeout=testbed.seconds(10)), -signal.SIGTERM)

    def test_all_stopped(self):
        """A process, or a machine, that is suspended as a whole has no stalled worker when it goes on."""
        self.switch.process.send_signal(signal.SIGSTOP)
        time.sleep(2)
        self.switch.process.send_signal(signal.SIGCONT)
        self.assertEqual(len(self.pings("h3", 3, 2, "::2")), 5)
        time.sleep(1)
        self.assertEqual([w["stalls"] for w in self.switch.json("show worker")], [0, 0])
        self.assertNotIn("does not run", self.switch.said())

    def test_again_and_again(self):
        """Short and long stalls, while the configuration changes."""
        for i in range(12):
            with held(self.tid):
                time.sleep(0.05 * (i % 5 + 1))
                self.switch.say(f"route add 2001:db8:200:{i:x}::/64 via 2001:db8:2::2 port p2")
                self.switch.json("show port")
            self.switch.say("clear mac" if i % 2 else "clear counters")
        wait_until(lambda: self.stalled() == [])
        self.assertEqual(len(self.pings("h3", 3, 2, "::2")), 5)
        self.assertTrue(self.switch.json("show conservation")["ok"])


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, net=Net, tools=("ip", "ethtool")))
