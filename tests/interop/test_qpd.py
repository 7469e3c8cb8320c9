#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""fastcn-qpd as a process between hosts and a switch: the hosts are those of report.py, and the code of fastcn-host with
queue pairs from its standard input; the switch is played by report.py, and once a real one that knows none of the commands.
Needs neither root nor a network but loopback.

test_qpd.py --fastcn PROGRAM --fastcn_qpd PROGRAM --fastcn_host PROGRAM --report_agent PROGRAM [unittest options]
"""

import json
import os
import re
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import unittest

import report
import testbed

A, B = "192.0.2.10", "2001:db8::a"  # addresses of host h1
LIFETIME = 2
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Process:
    """A program whose messages are kept."""

    def __init__(self, directory, *words, **more):
        self.errors = tempfile.TemporaryFile(dir=directory)
        self.process = subprocess.Popen(words, stderr=self.errors, **more)

    def said(self):
        return testbed.written(self.errors)

    def end(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(number)
        status = self.process.wait(timeout=testbed.seconds(20))
        for f in (self.process.stdin, self.process.stdout):
            if f is not None:
                try:
                    f.close()
                except BrokenPipeError:
                    pass
        return status


class Agent(Process):
    """A host that runs the code of fastcn-host."""

    def __init__(self, directory, at, port, ca, certificate, *more):
        super().__init__(directory, testbed.options.report_agent, at, str(port), ca, *certificate, *more,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def say(self, *lines):
        self.process.stdin.write("".join(x + "\n" for x in lines))
        self.process.stdin.flush()

    def set(self, pairs, verb="add"):
        self.say(*(f"{verb} {p[0]} {p[1]} {p[2]} {p[3]}" for p in pairs))

    def state(self):
        self.say("state")
        line = self.process.stdout.readline()
        return {k: int(v) for k, v in re.findall(r"(\w+) (\d+)", line.split(" problem")[0])}, line.split(" problem ")[1].strip()


def some_pairs(first, n, local=A):
    """(sender, its queue pair, receiver, its queue pair)"""
    return {(local, q, f"198.51.100.{1 + q % 200}" if local == A else f"2001:db8:1::{1 + q % 200:x}", 5000 + q)
            for q in range(first, first + n)}


class Qpd(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory(prefix="fastcn-qpd-")
        cls.certificates = c = report.Certificates(cls.kept.name)
        cls.ca = c.file("ca", "crt")
        cls.switch_files = c.issue("leaf1", ["127.0.0.1", "::1"], "tls_www_server")
        cls.h1 = c.issue("h1", [A, B])
        cls.h2 = c.issue("h2", ["192.0.2.20"])

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="fastcn-qpd-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.path = os.path.join(self.directory, "switch.sock")
        self.status = os.path.join(self.directory, "status")
        self.port = free_port()

    # ---- what takes part

    def switch(self):
        switch = report.StubSwitch(self.path)
        self.addCleanup(lambda: os.path.exists(self.path) and switch.close())
        return switch

    def start(self, *options, path=None):
        qpd = Process(self.directory, testbed.options.fastcn_qpd, "--listen", "127.0.0.1", str(self.port), "--ca", self.ca,
                      "--certificate", self.switch_files[0], "--key", self.switch_files[1], "--socket", path or self.path,
                      "--status", self.status, "--json", "--lifetime", f"{LIFETIME}s", *options)
        self.addCleanup(lambda: qpd.end(signal.SIGKILL))
        testbed.wait_until(self.is_listening)
        return qpd

    def is_listening(self):
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
            return True
        except ConnectionRefusedError:
            return False

    def host(self, certificate=None, **more):
        host = report.Host(self.port, self.ca, certificate or self.h1, **more)
        self.addCleanup(host.close)
        return host

    def agent(self, certificate=None, pairs=(), *more, at="127.0.0.1"):
        agent = Agent(self.directory, at, self.port, self.ca, certificate or self.h1, *more)
        self.addCleanup(lambda: agent.end(signal.SIGKILL))
        agent.set(pairs)
        agent.say("begin")
        return agent

    def state(self, qpd):
        if os.path.exists(self.status):
            os.unlink(self.status)
        qpd.process.send_signal(signal.SIGUSR1)
        testbed.wait_until(lambda: os.path.exists(self.status))
        with open(self.status, encoding="ascii") as f:
            return json.load(f)

    def wait_counter(self, qpd, part, name, least=1):
        testbed.wait_until(lambda: self.state(qpd)[part][name] >= least)

    # ---- what is reported

    def test_reported(self):
        """Of both IP versions; changes; the lines have the words that the switch knows."""
        switch, qpd = self.switch(), self.start()
        pairs = some_pairs(100, 20) | some_pairs(300, 20, B)
        agent = self.agent(pairs=pairs)
        testbed.wait_until(lambda: switch.known("h1") == pairs)
        testbed.wait_until(lambda: agent.state()[0]["in_force"])
        gone = some_pairs(100, 5)
        agent.set(gone, "remove")
        agent.set({(A, 999, "203.0.113.9", 77)})
        testbed.wait_until(lambda: switch.known("h1") == pairs - gone | {(A, 999, "203.0.113.9", 77)})
        # Another connection has the number: its own number here counts, and the end of the former one does not.
        agent.set({(A, 1000, "203.0.113.9", 77)})
        agent.set({(A, 999, "203.0.113.9", 77)}, "remove")
        testbed.wait_until(lambda: switch.known("h1") == pairs - gone | {(A, 1000, "203.0.113.9", 77)})
        testbed.wait_until(lambda: agent.state()[0]["in_force"])
        self.assertIn("proxy qp learned clear host h1", switch.lines[0][1])
        self.assertEqual(self.state(qpd)["hosts"], [
            {"host": "h1", "has_session": True, "left_seconds": 0, "queue_pairs": 36, "in_force": 36, "pending": 0}])
        self.assertEqual(qpd.end(), 0)

    def test_agent(self):
        """fastcn-host itself, here without adapters: its session, what it says of it, and its end."""
        switch, qpd = self.switch(), self.start()
        files = ("--ca", self.ca, "--certificate", self.h1[0], "--key", self.h1[1])
        host = Process(self.directory, testbed.options.fastcn_host, "--switch", "127.0.0.1", "--port", str(self.port), *files)
        self.addCleanup(lambda: host.end(signal.SIGKILL))
        testbed.wait_until(lambda: [(h["host"], h["has_session"]) for h in self.state(qpd)["hosts"]] == [("h1", True)])
        testbed.wait_until(lambda: any("clear host h1" in line for _, line in switch.lines))

        def is_in_force():
            host.process.send_signal(signal.SIGUSR1)
            return "the switch is connected; 0 queue pairs are in force there; 1 connections" in host.said()
        testbed.wait_until(is_in_force)
        self.assertEqual(host.end(), 0)
        host = Process(self.directory, testbed.options.fastcn_host, "--switch", "127.0.0.1", "--port", str(self.port),
                       *files[:4], "--key", "/nowhere")
        self.assertEqual(host.process.wait(timeout=testbed.seconds(20)), 2)
        self.assertIn("/nowhere", host.said())

    def quick(self, switch, change, who):
        """How long a change takes until the switch reads it."""
        times = []
        for n in range(50):
            before = len(switch.lines)
            begin = time.monotonic()
            change(n)
            times.append(testbed.wait_until(lambda: next((t for t, line in switch.lines[before:] if " add " in line), 0)) - begin)
        times.sort()
        print(f"a change takes {times[25] * 1e3:.2f} ms (median), {times[-1] * 1e3:.2f} ms at most, {who}", file=sys.stderr)
        self.assertLess(times[25], testbed.seconds(0.05))

    def test_quick(self):
        """A change from a host to the switch, and 10,000 queue pairs."""
        switch = self.switch()
        self.start("--entries", "10000", "--changes", "1000000")
        host = self.host()
        host.say(report.hello() + report.full([]) + report.sync(1))
        self.assertTrue(host.wait_in_force(1))
        self.quick(switch, lambda n: host.say(report.add(A, 10 + n, "198.51.100.1", 10 + n)), "of Python's ssl")
        pairs = sorted(some_pairs(1000, 10000))
        begin = time.monotonic()
        host.say(report.full(pairs) + report.sync(2))
        self.assertTrue(host.wait_in_force(2))
        print(f"10,000 take {time.monotonic() - begin:.2f} s", file=sys.stderr)
        self.assertEqual(switch.known(), set(pairs))
        agent = self.agent(self.h2)
        testbed.wait_until(lambda: agent.state()[0]["in_force"])
        self.quick(switch, lambda n: agent.set([("192.0.2.20", 10 + n, "198.51.100.1", 100000 + n)]), "of fastcn-host's code")

    @unittest.skipUnless(socket.has_ipv6 and os.path.exists("/proc/net/if_inet6"), "no IPv6")
    def test_ipv6(self):
        """Both IP versions at one port; the switch's certificate has both addresses."""
        switch = self.switch()
        self.start("--listen", "::1", str(self.port))
        self.agent(pairs=some_pairs(100, 3), at="::1")
        self.agent(self.h2, {("192.0.2.20", 7, "198.51.100.1", 9)})
        testbed.wait_until(lambda: switch.known() == some_pairs(100, 3) | {("192.0.2.20", 7, "198.51.100.1", 9)})

    # ---- who is killed

    def test_qpd_killed(self):
        """Changes of the meantime are told, and nothing that is gone is left."""
        switch, qpd = self.switch(), self.start()
        pairs = some_pairs(100, 200)
        agents = self.agent(pairs=pairs), self.agent(self.h2, {("192.0.2.20", 7, "198.51.100.1", 9)})
        testbed.wait_until(lambda: len(switch.known()) == 201)
        qpd.end(signal.SIGKILL)
        agents[0].set(some_pairs(100, 50), "remove")
        time.sleep(0.3)
        begin = time.monotonic()
        self.start()
        wanted = pairs - some_pairs(100, 50) | {("192.0.2.20", 7, "198.51.100.1", 9)}
        testbed.wait_until(lambda: switch.known() == wanted)
        print(f"right again {time.monotonic() - begin:.2f} s after fastcn-qpd was there again", file=sys.stderr)
        self.assertLess(time.monotonic() - begin, testbed.seconds(2))
        testbed.wait_until(lambda: all(a.state()[0]["in_force"] for a in agents))

    def test_switch_killed(self):
        """It is told everything again; what is removed meanwhile, and reported as in force only then."""
        switch, qpd = self.switch(), self.start()
        pairs = some_pairs(100, 200)
        agent = self.agent(pairs=pairs)
        testbed.wait_until(lambda: agent.state()[0]["in_force"])
        switch.close()
        testbed.wait_until(lambda: self.state(qpd)["switch"]["is_connected"] is False)
        agent.set(some_pairs(100, 50), "remove")
        agent.set({(A, 999, "203.0.113.9", 77)})
        time.sleep(0.5)
        self.assertFalse(agent.state()[0]["in_force"])
        begin = time.monotonic()
        switch = self.switch()
        testbed.wait_until(lambda: switch.known() == pairs - some_pairs(100, 50) | {(A, 999, "203.0.113.9", 77)})
        print(f"right again {time.monotonic() - begin:.2f} s after the switch was there again", file=sys.stderr)
        self.assertLess(time.monotonic() - begin, testbed.seconds(2))
        testbed.wait_until(lambda: agent.state()[0]["in_force"])
        self.assertEqual(self.state(qpd)["switch"]["lost"], 1)

    def test_agent_killed(self):
        """What it has reported stays for the lifetime; one that comes back says what there is now."""
        switch, qpd = self.switch(), self.start()
        pairs = some_pairs(100, 20)
        agent = self.agent(pairs=pairs)
        testbed.wait_until(lambda: switch.known() == pairs)
        agent.end(signal.SIGKILL)
        testbed.wait_until(lambda: self.state(qpd)["ends"]["lost"] == 1)
        self.assertEqual(switch.known(), pairs)
        agent = self.agent(pairs=some_pairs(110, 20))
        testbed.wait_until(lambda: switch.known() == some_pairs(110, 20))
        # What is there already is not said again.
        self.assertEqual(sum(" add " in line for _, line in switch.lines), 30)
        agent.end(signal.SIGKILL)
        begin = time.monotonic()
        testbed.wait_until(lambda: not switch.known())
        self.assertGreater(time.monotonic() - begin, LIFETIME / 3)
        testbed.wait_until(lambda: not self.state(qpd)["hosts"])

    def test_kept(self):
        """While the session lives, nothing is forgotten, and the host is told that it lives."""
        switch = self.switch()
        self.start()
        agent = self.agent(pairs=some_pairs(100, 20))
        testbed.wait_until(lambda: len(switch.known()) == 20)
        end = time.monotonic() + LIFETIME + 1
        while time.monotonic() < end:
            self.assertEqual(len(switch.known()), 20)
            time.sleep(0.05)
        self.assertEqual(agent.state()[0]["connections"], 1)
        self.assertEqual(sum(" add " in line for _, line in switch.lines), 20)
        self.assertGreaterEqual(sum(" keep " in line for _, line in switch.lines), 3)

    # ---- who is refused

    def refused(self, qpd, certificate, name, words, ca=None):
        """A host that gets no session."""
        try:
            host = report.Host(self.port, ca or self.ca, certificate)
            host.say(report.hello() + report.full([(A, 10, "198.51.100.1", 10)]))
            self.assertIsNone(host.record())
            host.close()
        except (ConnectionError, ssl.SSLError):
            pass
        testbed.wait_until(lambda: self.state(qpd)["connections"][name] == 1)
        self.assertRegex(qpd.said(), words)

    def test_certificates(self):
        """Each that is not what it should be is refused, with a counter and a line."""
        switch, qpd = self.switch(), self.start()
        with tempfile.TemporaryDirectory() as directory:
            other = report.Certificates(directory, "other")
            self.refused(qpd, None, "no_certificate", "it has no certificate")
            self.refused(qpd, other.issue("h1", [A]), "not_trusted", "not to be trusted")
            c = self.certificates
            self.refused(qpd, c.issue("nameless", [A], name=""), "no_name", "no common name")
            self.refused(qpd, c.issue("nowhere", []), "no_address", "no IP address.*: nowhere")
        self.assertEqual(switch.lines, [])
        self.assertEqual(self.state(qpd)["connections"]["sessions"], 0)

    def test_not_valid(self):
        """Certificates of a switch, of another time, revoked."""
        self.switch()
        c = self.certificates
        revoked = c.issue("revoked1", [A])
        qpd = self.start("--crl", c.revoke(revoked[0]))
        old = ('activation_date = "2020-01-01 00:00:00 UTC"', 'expiration_date = "2020-02-01 00:00:00 UTC"')
        for n, certificate in enumerate((c.issue("old", [A], more=old), c.issue("posing", [A], "tls_www_server"), revoked)):
            try:
                host = report.Host(self.port, self.ca, certificate)
                self.assertIsNone(host.record())
                host.close()
            except (ConnectionError, ssl.SSLError):
                pass
            self.wait_counter(qpd, "connections", "not_trusted", n + 1)
        said = qpd.said()
        self.assertIn("expired", said)
        self.assertIn("purpose", said)
        self.assertIn("revoked", said)
        self.host().say(report.hello())  # one that is not
        self.wait_counter(qpd, "connections", "sessions")

    def test_expires(self):
        """A session ends with its certificate."""
        self.switch()
        qpd = self.start()
        dates = [time.strftime(f'{what} = "%Y-%m-%d %H:%M:%S UTC"', time.gmtime(time.time() + seconds))
                 for what, seconds in (("activation_date", -3600), ("expiration_date", 3))]
        host = self.host(self.certificates.issue("short", [A], more=dates))
        host.say(report.hello())
        self.wait_counter(qpd, "connections", "sessions")
        for number in range(1, 20):  # it is not silent
            try:
                host.say(report.sync(number))
            except (ConnectionError, ssl.SSLError):
                break
            time.sleep(0.5)
        self.wait_counter(qpd, "ends", "expired")
        self.assertIn("the certificate has expired", qpd.said())

    def test_from(self):
        """Who comes from elsewhere gets no answer."""
        self.switch()
        qpd = self.start("--from", "192.0.2.0/24")
        with self.assertRaises((ConnectionError, ssl.SSLError)):
            self.host()
        self.assertGreaterEqual(self.state(qpd)["connections"]["not_from"], 2)
        self.assertIn("no --from contains its address", qpd.said())

    def test_agent_refused(self):
        """What the host's code says of a switch that is none, or does not want it."""
        self.switch()
        qpd = self.start()
        with tempfile.TemporaryDirectory() as directory:
            other = report.Certificates(directory, "other")
            agent = self.agent(other.issue("h1", [A]))
            testbed.wait_until(lambda: "refuses this host" in agent.said())
            self.wait_counter(qpd, "connections", "not_trusted")
            agent.end()
            agent = Agent(self.directory, "127.0.0.1", self.port, other.file("other", "crt"), self.h1)
            self.addCleanup(lambda: agent.end(signal.SIGKILL))
            agent.say("begin")
            testbed.wait_until(lambda: "switch's certificate is not to be trusted" in agent.said())
            self.assertEqual(agent.state()[0]["connected"], 0)
            named = self.agent(None, (), "leaf2")
            testbed.wait_until(lambda: "switch's certificate is not to be trusted" in named.said())
            named.end()

    def test_addresses(self):
        """A host speaks for the addresses of its certificate; what else it says is counted, and the rest is in force."""
        switch, qpd = self.switch(), self.start()
        agent = self.agent(pairs={(A, 10, "198.51.100.1", 10), ("192.0.2.20", 11, "198.51.100.1", 11),
                                  ("192.0.2.99", 12, "198.51.100.1", 12), (A, 1, "198.51.100.1", 13),
                                  (A, 14, "2001:db8::1", 14), (A, 15, "224.0.0.1", 15), (B, 16, "2001:db8::1", 16)})
        wanted = {(A, 10, "198.51.100.1", 10), (B, 16, "2001:db8::1", 16)}
        testbed.wait_until(lambda: switch.known() == wanted)
        testbed.wait_until(lambda: agent.state()[0]["in_force"])
        self.assertEqual(agent.state()[0]["refused"], 5)
        reports = self.state(qpd)["reports"]
        self.assertEqual((reports["address"], reports["invalid"]), (2, 3))
        self.assertRegex(qpd.said(), r"h1 at 127\.0\.0\.1: the certificate does not name the address of the queue pair: 192\.0\.2\.")

    def test_too_many(self):
        """Queue pairs of a host, and of all of them."""
        switch, qpd = self.switch(), self.start("--entries", "10", "--total", "15")
        first, second = self.host(), self.host(self.h2)
        first.say(report.hello() + report.full(sorted(some_pairs(100, 12))) + report.sync(1))
        self.assertEqual(first.until(report.REFUSED)[0], report.ENTRIES)
        self.assertTrue(first.wait_in_force(1))
        second.say(report.hello() + report.full([("192.0.2.20", 10 + n, "198.51.100.1", 10 + n) for n in range(7)]) + report.sync(1))
        self.assertEqual(second.until(report.REFUSED)[0], report.TOTAL)
        self.assertTrue(second.wait_in_force(1))
        self.assertEqual((len(switch.known("h1")), len(switch.known("h2"))), (10, 5))
        # There is room again.
        gone = sorted(some_pairs(100, 12))[:2]
        first.say(b"".join(report.remove(*p) for p in gone) + report.add(A, 500, "198.51.100.9", 500) + report.sync(2))
        self.assertTrue(first.wait_in_force(2))
        self.assertIn((A, 500, "198.51.100.9", 500), switch.known("h1"))
        reports = self.state(qpd)["reports"]
        self.assertEqual((reports["entries"], reports["total"]), (2, 2))
        self.assertIn("as many queue pairs as it may have", qpd.said())

    def test_too_fast(self):
        """A host that says too much has to wait, another one does not; nothing is lost."""
        switch, qpd = self.switch(), self.start("--changes", "500")
        first, second = self.host(), self.host(self.h2)
        pairs = sorted(some_pairs(100, 1500))
        begin = time.monotonic()
        first.say(report.hello() + report.full(pairs) + report.sync(1))
        second.say(report.hello() + report.full([("192.0.2.20", 10, "198.51.100.1", 10)]) + report.sync(1))
        self.assertTrue(second.wait_in_force(1))
        self.assertLess(len(switch.known("h1")), 1000)
        self.assertTrue(first.wait_in_force(1))
        self.assertGreater(time.monotonic() - begin, 1.5)
        self.assertEqual(switch.known("h1"), set(pairs))
        self.assertGreater(self.state(qpd)["reports"]["changes"], 0)
        self.assertIn("more than --changes permits", qpd.said())

    def test_silence(self):
        """After connecting, and in a session."""
        self.switch()
        qpd = self.start("--handshake", "1s", "--silence", "2s")
        silent = socket.create_connection(("127.0.0.1", self.port))
        self.addCleanup(silent.close)
        host = self.host()
        host.say(report.hello())
        self.wait_counter(qpd, "connections", "slow")
        self.assertIn("no certificate came within --handshake", qpd.said())
        self.wait_counter(qpd, "ends", "silent")
        self.assertIn("nothing came within --silence", qpd.said())
        while host.record() is not None:
            pass

    def test_garbage(self):
        """Before TLS, and in a session; another version."""
        switch, qpd = self.switch(), self.start()
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as s:
            s.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            try:
                s.recv(100)
            except ConnectionError:
                pass
        # Those that only looked whether it listens have failed, too.
        self.wait_counter(qpd, "connections", "handshake", 2)
        for n, (data, name) in enumerate(((b"GET / HTTP/1.1\r\n", "format"), (report.record(report.BEGIN), "order"),
                                          (report.hello(9), "version"), (report.hello() + report.sync(0), "order"),
                                          (report.hello() + report.add(A, 10, "198.51.100.1", 10), "order"))):
            host = self.host()
            host.say(data)
            got = host.until(report.REFUSED)
            self.assertEqual(got and got[0], report.VERSION if name == "version" else None)
            self.wait_counter(qpd, "ends", name, 2 if n > 2 and name == "order" and n == 3 else 1)
        self.assertEqual({k: v for k, v in self.state(qpd)["ends"].items() if v}, {"format": 1, "order": 3, "version": 1})
        self.assertIn("what came is no record", qpd.said())
        self.assertEqual(switch.known(), set())

    def test_many_silent(self):
        """Who connects and says nothing does not keep out a host."""
        switch, qpd = self.switch(), self.start()
        idle = [socket.create_connection(("127.0.0.1", self.port)) for _ in range(100)]
        self.addCleanup(lambda: [s.close() for s in idle])
        agent = self.agent(pairs=some_pairs(100, 5))
        testbed.wait_until(lambda: switch.known() == some_pairs(100, 5))
        self.assertGreaterEqual(self.state(qpd)["connections"]["too_many"], 30)
        self.assertTrue(agent.state()[0]["connected"])

    def test_too_many_hosts(self):
        self.switch()
        qpd = self.start("--hosts", "1")
        self.host().say(report.hello())
        self.wait_counter(qpd, "connections", "sessions")
        self.assertIsNone(self.host(self.h2).record())
        self.assertEqual(self.state(qpd)["connections"]["hosts"], 1)

    # ---- more than one

    def test_replaced(self):
        """The same host once more: the new session counts, as the old one may be one that nobody ends."""
        switch, qpd = self.switch(), self.start()
        first = self.host()
        first.say(report.hello() + report.full(some_pairs(100, 3)) + report.sync(1))
        self.assertTrue(first.wait_in_force(1))
        second = self.host()
        second.say(report.hello() + report.full(some_pairs(102, 3)) + report.sync(1))
        self.assertTrue(second.wait_in_force(1))
        self.assertIsNone(first.until(report.REFUSED))
        self.assertEqual(switch.known(), some_pairs(102, 3))
        self.assertEqual(self.state(qpd)["ends"]["replaced"], 1)

    def test_held(self):
        """What another host holds is refused, and taken once that is gone."""
        switch, qpd = self.switch(), self.start()
        first, second = self.host(), self.host(self.h2)
        first.say(report.hello() + report.full([(A, 10, "198.51.100.1", 10)]) + report.sync(1))
        self.assertTrue(first.wait_in_force(1))
        second.say(report.hello() + report.full([("192.0.2.20", 11, "198.51.100.1", 10)]) + report.sync(1))
        self.assertEqual(second.until(report.REFUSED)[0], report.SWITCH)
        self.assertEqual(switch.known(), {(A, 10, "198.51.100.1", 10)})
        self.assertRegex(qpd.said(), "h2 at 127.0.0.1: the switch refuses a queue pair: .*held by host h1")
        first.say(report.remove(A, 10, "198.51.100.1", 10))
        testbed.wait_until(lambda: switch.known() == {("192.0.2.20", 11, "198.51.100.1", 10)})

    def test_reload(self):
        """SIGHUP: hosts show their certificates again, and one that is revoked now stays out. Files with mistakes change nothing."""
        switch = self.switch()
        c = self.certificates
        crl, victim = os.path.join(self.directory, "crl.pem"), c.issue("victim", ["192.0.2.30"])
        with open(crl, "wb") as f, open(c.revoke(c.issue("revoked2", [A])[0]), "rb") as g:
            f.write(g.read())
        qpd = self.start("--crl", crl)
        agents = self.agent(pairs=some_pairs(100, 3)), self.agent(victim, {("192.0.2.30", 7, "198.51.100.1", 9)})
        testbed.wait_until(lambda: len(switch.known()) == 4)
        with open(crl, "wb") as f, open(c.revoke(victim[0]), "rb") as g:
            f.write(g.read())
        qpd.process.send_signal(signal.SIGHUP)
        self.wait_counter(qpd, "connections", "not_trusted")
        testbed.wait_until(lambda: agents[0].state()[0]["connections"] == 2)
        testbed.wait_until(lambda: switch.known() == some_pairs(100, 3))  # at the end of the lifetime
        with open(crl, "w", encoding="ascii") as f:
            f.write("nothing\n")
        qpd.process.send_signal(signal.SIGHUP)
        testbed.wait_until(lambda: "certificates of before stay in use" in qpd.said())
        self.assertEqual(self.state(qpd)["ends"]["reloaded"], 2)
        self.assertEqual(agents[0].state()[0]["connections"], 2)

    # ---- metrics

    @staticmethod
    def samples(path):
        """Of a file in the text format of Prometheus: (name, label) -> value. Each name has one TYPE, before its samples."""
        found, types = {}, {}
        with open(path, encoding="utf-8") as f:
            for line in f.read().splitlines():
                if line.startswith("# TYPE "):
                    name, what = line.split(" ")[2:]
                    assert name not in types and what == ("counter" if name.endswith("_total") else "gauge"), line
                    types[name] = what
                elif not line.startswith("# HELP "):
                    name, label, value = re.fullmatch(r'(\w+)(?:\{\w+="([^"]*)"\})? (\d+)', line).groups()
                    assert name in types and (name, label) not in found, line
                    found[name, label] = int(value)
        return found

    def test_metrics(self):
        """Every figure of the state, and no others; again without a signal; removed at the end, and by nobody else."""
        switch = self.switch()
        path = os.path.join(self.directory, "qpd.prom")
        qpd = self.start("--metrics", path)
        testbed.wait_until(lambda: os.path.exists(path))
        first = os.stat(path)
        self.assertEqual(first.st_mode & 0o777, 0o644)
        host = self.host()
        host.say(report.hello() + report.full(some_pairs(10, 3)) + report.sync(1))
        self.assertTrue(host.wait_in_force(1))
        other = self.host(self.h2)
        other.say(report.hello() + report.full([(A, 10, "198.51.100.1", 20)]))
        self.wait_counter(qpd, "reports", "address")
        self.assertEqual(len(switch.known()), 3)
        for _ in range(3):  # in case it is written once more, with other figures, before it is read
            os.unlink(path)
            state = self.state(qpd)
            testbed.wait_until(lambda: os.path.exists(path))
            found = self.samples(path)
            if found["fastcn_qpd_switch_told_keep_total", None] == state["switch"]["told_keep"]:
                break
        wanted = {("fastcn_qpd_queue_pairs", None): state["queue_pairs"]}
        for h in state["hosts"]:
            for name in ("has_session", "queue_pairs", "in_force", "pending"):
                wanted["fastcn_qpd_host_" + name, h["host"]] = int(h[name])
        for name, value in state["ends"].items():
            wanted["fastcn_qpd_ends_total", name] = value
        for part in ("switch", "connections", "reports"):
            for name, value in state[part].items():
                if name in ("is_connected", "unanswered", "to_retry"):
                    wanted["fastcn_qpd_switch_" + name, None] = int(value)
                elif name in ("open_sessions", "open_handshakes"):
                    wanted["fastcn_qpd_" + name, None] = value
                elif name != "socket":
                    wanted[f"fastcn_qpd_{part}_{name}_total", None] = value
        self.assertEqual(found, wanted)
        self.assertEqual(wanted["fastcn_qpd_host_in_force", "h1"], 3)
        if shutil.which("promtool"):
            with open(path, encoding="utf-8") as f:
                p = subprocess.run(["promtool", "check", "metrics"], stdin=f, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   check=False)
            self.assertEqual((p.returncode, p.stdout), (0, ""))
        number = os.stat(path).st_ino
        testbed.wait_until(lambda: os.stat(path).st_ino != number, 8)
        # Another one that cannot start leaves it.
        p = subprocess.run([*qpd.process.args], stderr=subprocess.DEVNULL, check=False, timeout=20)
        self.assertEqual((p.returncode, os.path.exists(path)), (2, True))
        self.assertEqual((qpd.end(), os.path.exists(path)), (0, False))
        # A file that cannot be written is named once.
        qpd = self.start("--metrics", os.path.join(self.directory, "none", "qpd.prom"))
        self.state(qpd)
        self.state(qpd)
        self.assertEqual(re.findall(r"--metrics .*", qpd.said()), [f"--metrics {self.directory}/none/qpd.prom: No such file or directory"])

    # ---- the program

    def test_usage(self):
        def say(*words):
            p = subprocess.run([testbed.options.fastcn_qpd, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               check=False, timeout=20)
            return p.returncode, p.stderr
        self.assertRegex(say()[1], "nowhere to listen: give --listen")
        listen = ("--listen", "127.0.0.1", str(self.port))
        self.assertRegex(say(*listen)[1], "give --ca")
        self.assertRegex(say(*listen, "--ca", self.ca)[1], "give --certificate FILE and --key FILE")
        files = ("--certificate", self.switch_files[0], "--key", self.switch_files[1])
        missing = os.path.join(self.directory, "missing")
        self.assertRegex(say(*listen, "--ca", missing, *files)[1], f"--ca {missing}: ")
        self.assertRegex(say(*listen, "--ca", self.ca, "--certificate", self.ca, "--key", missing)[1], "--key .*missing")
        self.assertEqual(say(*listen, "--ca", missing, *files)[0], 2)
        with socket.socket() as s:
            s.bind(("127.0.0.1", self.port))
            s.listen()
            self.assertRegex(say(*listen, "--ca", self.ca, *files, "--socket", "x")[1], f"--listen 127.0.0.1 {self.port}: Address")
        counters = subprocess.run([testbed.options.fastcn_qpd, "--counters"], stdout=subprocess.PIPE, text=True, check=True).stdout
        qpd = self.start()
        for part in ("switch", "connections", "reports", "ends"):
            for name in self.state(qpd)[part]:
                if name not in ("socket", "is_connected", "unanswered", "to_retry", "open_sessions", "open_handshakes"):
                    self.assertRegex(counters, rf"(?m)^  {name} ")

    def test_print(self):
        """Without a switch: the lines go to standard output."""
        path = os.path.join(self.directory, "lines")
        with open(path, "wb") as f:
            qpd = Process(self.directory, testbed.options.fastcn_qpd, "--listen", "127.0.0.1", str(self.port), "--ca", self.ca,
                          "--certificate", self.switch_files[0], "--key", self.switch_files[1], "--print", stdout=f)
        self.addCleanup(lambda: qpd.end(signal.SIGKILL))
        testbed.wait_until(self.is_listening)
        host = self.host()
        host.say(report.hello() + report.full([(A, 10, "198.51.100.1", 20)]) + report.sync(1))
        self.assertTrue(host.wait_in_force(1))
        with open(path, encoding="ascii") as f:
            self.assertEqual(f.read().splitlines(), [
                "proxy qp learned clear host h1",
                "proxy qp learned add 198.51.100.1 20 sender 192.0.2.10 sender-qp 10 host h1 lifetime 30"])

    def test_manual(self):
        """It describes the options of --help, and no others."""
        text = subprocess.run([testbed.options.fastcn_qpd, "--help"], stdout=subprocess.PIPE, text=True, check=True).stdout
        with open(os.path.join(ROOT, "doc", "man", "fastcn-qpd.1"), encoding="utf-8") as f:
            described = re.findall(r"^\.It Fl -([a-z]+)", f.read(), re.M)
        self.assertEqual(described, re.findall(r"^  --([a-z]+)", text, re.M))

    def test_guide(self):
        """The certificates that the lines of doc/hosts.md make are those that are needed."""
        with open(os.path.join(ROOT, "doc", "hosts.md"), encoding="utf-8") as f:
            lines = re.search(r"(?m)(?:^    (?:printf|for|certtool) .*\n)+", f.read())[0]
        self.assertEqual(len(lines.splitlines()), 6)
        subprocess.run(["bash", "-e", "-c", lines.replace("192.0.2.1'", "127.0.0.1'")], cwd=self.directory, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.ca, leaf1, h1 = os.path.join(self.directory, "ca.crt"), self.files("leaf1"), self.files("h1")
        self.switch_files = leaf1
        switch, _ = self.switch(), self.start()
        self.agent(h1, some_pairs(100, 3) | some_pairs(200, 3, B))
        testbed.wait_until(lambda: switch.known("h1") == some_pairs(100, 3) | some_pairs(200, 3, B))

    def files(self, name):
        return tuple(os.path.join(self.directory, f"{name}.{end}") for end in ("crt", "key"))

    def test_real_switch(self):
        """A switch that takes no reports of hosts refuses each line, which hurts nobody."""
        switch = testbed.Switch(self.directory, None)
        self.addCleanup(switch.end)
        switch.wait()
        qpd = self.start(path=switch.path)
        agent = self.agent(pairs=some_pairs(100, 300))
        self.wait_counter(qpd, "switch", "refused", 300)
        self.assertEqual(agent.state()[0]["connected"], 1)
        self.assertEqual(agent.state()[0]["connections"], 1)
        self.assertRegex(qpd.said(), "fastcn-qpd: the switch refuses a line: ")
        self.assertLess(len(qpd.said().splitlines()), 20)
        ok, _ = testbed.Client(switch.path).ask("set proxy reported 1000")
        if ok:
            testbed.wait_until(lambda: switch.json("show proxy hosts")["reported"] == 300)
            agent.set(some_pairs(100, 100), "remove")
            testbed.wait_until(lambda: switch.json("show proxy hosts")["reported"] == 200)
            testbed.wait_until(lambda: agent.state()[0]["in_force"])
        self.assertEqual(qpd.end(), 0)


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, programs=("fastcn", "fastcn_qpd", "fastcn_host", "report_agent"), tools=("certtool",)))
