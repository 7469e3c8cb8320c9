#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""fastcn-pnc as a process: what it learns from routers that speak the BGP Monitoring Protocol and from captures of IS-IS
and OSPF, and what it tells a switch, which is played by this test. The messages are those of bmp.py and of
tests/data/pnc_messages.py, which share no code with fastcn. Needs neither root nor a network but loopback.

test_pnc.py --fastcn PROGRAM --fastcn_pnc PROGRAM [unittest options]
"""

import json
import os
import re
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import bmp
import testbed

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data"))
import pnc_messages as pnc  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ADD = re.compile(r"proxy learned add (\S+) address (\S+) protocol (\S+) lifetime (\d+)$")
REMOVE = re.compile(r"proxy learned remove (\S+) protocol (\S+)$")
ADD_SID = re.compile(r"srv6 endcon learned add (\S+) protocol (\S+) lifetime (\d+)$")
REMOVE_SID = re.compile(r"srv6 endcon learned remove (\S+) protocol (\S+)$")


class StubSwitch:
    """The control socket of a switch: keeps what it is told. `answer` makes the answer to a line."""

    def __init__(self, path):
        self.path = path
        self.lines, self.proxies, self.sids = [], {}, {}
        self.answer = lambda line: (True, "")
        self.connections = 0
        self.clients = []
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(path)
        self.socket.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client = self.socket.accept()[0]
            except OSError:
                return
            self.connections += 1
            self.clients.append(client)
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, client.makefile("rb") as f:
            try:
                for line in f:
                    ok, text = self.take(line.decode().rstrip("\n"))
                    client.sendall(f"{'ok' if ok else 'error'} {len(text)}\n{text}".encode())
            except OSError:
                return

    def take(self, line):
        self.lines.append((time.monotonic(), line))
        ok, text = self.answer(line)
        if not ok:
            return ok, text
        if m := ADD.match(line):
            self.proxies[m[1], m[3]] = m[2]
        elif m := REMOVE.match(line):
            self.proxies.pop((m[1], m[2]), None)
        elif m := ADD_SID.match(line):
            self.sids[m[1], m[2]] = int(m[3])
        elif m := REMOVE_SID.match(line):
            self.sids.pop((m[1], m[2]), None)
        else:
            raise AssertionError(line)
        return ok, text

    def close(self):
        self.socket.close()
        for client in self.clients:
            try:
                client.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        os.unlink(self.path)


class Pnc:
    def __init__(self, directory, *options, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, **more):
        self.errors = tempfile.TemporaryFile(dir=directory)
        self.process = subprocess.Popen([testbed.options.fastcn_pnc, *options], stdin=stdin, stdout=stdout,
                                        stderr=self.errors, **more)

    def said(self):
        return testbed.written(self.errors)

    def end(self, number=signal.SIGTERM):
        """Exit status, and seconds until the end."""
        begin = time.monotonic()
        if self.process.poll() is None:
            self.process.send_signal(number)
        status = self.process.wait(timeout=testbed.seconds(20))
        self.errors.close()
        if self.process.stdout is not None:
            self.process.stdout.close()
        return status, time.monotonic() - begin


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Router:
    """A router's end of a BMP session, with a peer that is up."""

    def __init__(self, port, name="r1", address="127.0.0.1", peer="192.0.2.9"):
        self.peer = peer
        self.socket = testbed.wait_until(lambda: self.connect(address, port))
        self.say(bmp.initiation(name) + bmp.peer_up(peer))

    @staticmethod
    def connect(address, port):
        try:
            return socket.create_connection((address, port))
        except ConnectionRefusedError:
            return None

    def say(self, data):
        self.socket.sendall(data)

    def announce(self, prefixes, hop, **more):
        self.say(bmp.route(self.peer, bmp.update(prefixes, hop, **more)))

    def withdraw(self, prefixes):
        self.say(bmp.route(self.peer, bmp.withdraw(prefixes)))

    def close(self):
        self.socket.close()


class Program(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="fastcn-pnc-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.socket = os.path.join(self.directory, "switch.sock")
        self.port = free_port()

    def switch(self):
        switch = StubSwitch(self.socket)
        self.addCleanup(lambda: os.path.exists(self.socket) and switch.close())
        return switch

    def start(self, *options, **more):
        pnc = Pnc(self.directory, "--socket", self.socket, "--bmp", "127.0.0.1", str(self.port), *options, **more)
        self.addCleanup(lambda: pnc.process.poll() is None and pnc.end(signal.SIGKILL))
        return pnc

    def router(self, **more):
        router = Router(self.port, **more)
        self.addCleanup(router.close)
        return router

    def state(self, pnc, path):
        """The state that it writes on request, as JSON."""
        if os.path.exists(path):
            os.unlink(path)
        pnc.process.send_signal(signal.SIGUSR1)
        testbed.wait_until(lambda: os.path.exists(path))
        with open(path, encoding="ascii") as f:
            return json.load(f)

    def test_routes(self):
        """Announced, changed, withdrawn; each of it reaches the switch."""
        switch, pnc = self.switch(), self.start()
        router = self.router()
        router.announce(["2001:db8:a::/48", "2001:db8:b::/48"], "2001:db8::1")
        router.announce(["198.51.100.0/24"], "192.0.2.1", flags=0xE0)
        router.announce(["203.0.113.0/24"], "192.0.2.1", pnc=False)
        testbed.wait_until(lambda: switch.proxies == {
            ("2001:db8:a::/48", "bgp"): "2001:db8::1", ("2001:db8:b::/48", "bgp"): "2001:db8::1",
            ("198.51.100.0/24", "bgp"): "192.0.2.1"})
        router.announce(["2001:db8:a::/48"], "2001:db8::2")
        router.withdraw(["2001:db8:b::/48"])
        router.withdraw(["198.51.100.0/24"])
        testbed.wait_until(lambda: switch.proxies == {("2001:db8:a::/48", "bgp"): "2001:db8::2"})
        self.assertTrue(all(ADD.match(line)[4] == "300" for _, line in switch.lines if " add " in line))
        router.say(bmp.peer_down(router.peer))
        testbed.wait_until(lambda: not switch.proxies)
        status, took = pnc.end()
        self.assertEqual(status, 0)
        self.assertLess(took, testbed.seconds(1))

    def test_own_table(self):
        """A router's own table without Peer Up is read. What is ignored, and why, is one line for each router."""
        switch, pnc = self.switch(), self.start()
        router, own = self.router(), "0.0.0.0"
        router.say(bmp.route(own, bmp.update(["10.101.0.0/24"], "192.0.2.1"), bmp.LOCAL))
        testbed.wait_until(lambda: switch.proxies == {("10.101.0.0/24", "bgp"): "192.0.2.1"})
        self.assertNotIn("ignored", pnc.said())
        # gobgp up to 4.7: path identifiers that the Peer Up does not announce.
        router.say(bmp.peer_up(own, bmp.LOCAL))
        for number in range(3):
            router.say(bmp.route(own, bmp.update([f"10.10{number}.0.0/24"], "192.0.2.1", path_id=1), bmp.LOCAL))
        router.announce(["198.51.100.0/24"], "192.0.2.1")
        testbed.wait_until(lambda: ("198.51.100.0/24", "bgp") in switch.proxies)
        self.assertEqual(set(switch.proxies), {("10.101.0.0/24", "bgp"), ("198.51.100.0/24", "bgp")})
        self.assertEqual(pnc.said().count("ignored"), 1)
        self.assertRegex(pnc.said(), r"router 127\.0\.0\.1: ignored: .*path identifiers \(ADD-PATH\)")

    def test_signals(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            pnc = self.start()
            testbed.wait_until(lambda: "trying again" in pnc.said())
            status, took = pnc.end(number)
            self.assertEqual(status, 0)
            self.assertLess(took, testbed.seconds(1))

    def test_refresh(self):
        """The switch is told again at half of the lifetime."""
        switch = self.switch()
        self.start("--lifetime", "2s")
        router = self.router()
        router.announce(["2001:db8:a::/48"], "2001:db8::1")
        testbed.wait_until(lambda: len(switch.lines) >= 4, 20)
        times = [when for when, line in switch.lines if ADD.match(line)[4] == "2"]
        self.assertEqual(len(times), len(switch.lines))
        for before, after in zip(times, times[1:]):
            self.assertGreater(after - before, 0.9)
            self.assertLess(after - before, 1 + testbed.seconds(1))

    def test_switch_restarts(self):
        """Everything is told again to a switch that comes back, and withdrawals of the meantime as well."""
        switch, pnc = self.switch(), self.start()
        router = self.router()
        router.announce([f"2001:db8:{n:x}::/48" for n in range(500)], "2001:db8::1")
        testbed.wait_until(lambda: len(switch.proxies) == 500)
        switch.close()
        testbed.wait_until(lambda: "the connection to the switch has ended" in pnc.said())
        router.withdraw(["2001:db8:0::/48"])
        router.announce(["2001:db8:1::/48"], "2001:db8::2")
        switch = self.switch()
        testbed.wait_until(lambda: len(switch.proxies) == 499)
        self.assertEqual(switch.proxies["2001:db8:1::/48", "bgp"], "2001:db8::2")
        testbed.wait_until(lambda: any(REMOVE.match(line) for _, line in switch.lines))

    def test_killed(self):
        """A new process tells everything again; nothing is removed meanwhile."""
        switch, pnc = self.switch(), self.start()
        router = self.router()
        router.announce(["2001:db8:a::/48"], "2001:db8::1")
        testbed.wait_until(lambda: switch.proxies)
        pnc.end(signal.SIGKILL)
        self.start()
        self.router().announce(["2001:db8:a::/48"], "2001:db8::1")
        testbed.wait_until(lambda: len(switch.lines) == 2)
        self.assertEqual([bool(ADD.match(line)) for _, line in switch.lines], [True, True])

    def test_session_ends(self):
        """The routes of a router whose connection ended stay for the time that is set, and no longer."""
        switch = self.switch()
        self.start("--bmp-hold", "2s")
        router = self.router()
        router.announce(["2001:db8:a::/48", "2001:db8:b::/48"], "2001:db8::1")
        testbed.wait_until(lambda: len(switch.proxies) == 2)
        begin = time.monotonic()
        router.close()
        time.sleep(0.3)
        self.assertEqual(len(switch.proxies), 2)
        router = self.router()
        router.announce(["2001:db8:a::/48"], "2001:db8::1")
        testbed.wait_until(lambda: len(switch.proxies) == 1)
        self.assertGreater(time.monotonic() - begin, 2)
        self.assertIn(("2001:db8:a::/48", "bgp"), switch.proxies)

    def test_state(self):
        """JSON and text come from one value; what is refused, and what is not accepted, is counted."""
        switch, path = self.switch(), os.path.join(self.directory, "state")
        switch.answer = lambda line: ("198.51" not in line, "no\n" if "198.51" in line else "")
        pnc = self.start("--status", path, "--json", "--accept", "2001:db8:a::/48", "--accept", "198.51.100.0/24")
        router = self.router()
        router.announce(["2001:db8:a::/48", "2001:db8:b::/48", "2001:db8:a:1::/64", "2001:db8::/32"], "2001:db8::1")
        router.announce(["198.51.100.0/24"], "192.0.2.1")
        testbed.wait_until(lambda: len(switch.lines) == 3)
        router.announce(["198.51.100.0/24"], "192.0.2.1", flags=0x80)
        testbed.wait_until(lambda: len(switch.lines) == 4)
        testbed.wait_until(lambda: self.state(pnc, path)["switch"]["unanswered"] == 0)
        state = self.state(pnc, path)
        self.assertEqual(state["proxies"], {"isis": 0, "ospf": 0, "ospf3": 0, "bgp": 2})
        self.assertTrue(state["switch"]["is_connected"])
        self.assertEqual(state["switch"]["not_accepted"], 2)
        self.assertEqual([state["switch"][name] for name in ("refused", "remove_unknown", "told_add", "told_remove")],
                         [1, 1, 3, 1])
        self.assertIn("the switch refuses a line: no", pnc.said())
        self.assertEqual(state["bmp"]["nhc_flags"], 1)
        self.assertEqual(state["bmp"]["learned"], 5)
        [router_state] = state["bmp"]["routers"]
        self.assertEqual((router_state["address"], router_state["name"], router_state["peers"], router_state["routes"]),
                         ("127.0.0.1", "r1", 1, 4))

    def test_state_text(self):
        """As text, on standard error."""
        self.switch()
        pnc = self.start()
        router = self.router()
        router.announce(["2001:db8:a::/48"], "2001:db8::1")

        def said():
            pnc.process.send_signal(signal.SIGUSR1)
            time.sleep(0.05)
            return re.search(r"routes: +1\n", pnc.said())

        testbed.wait_until(said)
        for line in (r"is_connected: +yes", r"bgp: +1", r"nhc_flags: +0"):
            self.assertRegex(pnc.said(), line)

    def test_refused_router(self):
        """Routers outside of --bmp-from, and what is not BMP."""
        path = os.path.join(self.directory, "state")
        self.switch()
        pnc = self.start("--status", path, "--json", "--bmp-from", "198.51.100.0/24", "--bmp-from", "127.0.0.2/32")
        with testbed.wait_until(lambda: Router.connect("127.0.0.1", self.port)) as s:
            self.assertEqual(s.recv(1), b"")
        self.assertEqual(self.state(pnc, path)["bmp"]["refused"], 1)
        s = socket.create_connection(("127.0.0.1", self.port), source_address=("127.0.0.2", 0))
        with s:
            s.sendall(b"GET / HTTP/1.1\r\n\r\n")
            self.assertIn(s.recv(1), (b"",))
        self.assertEqual(self.state(pnc, path)["bmp"]["ends"]["version"], 1)

    def test_refused_lines(self):
        """What the switch has refused is said again long before half of the lifetime."""
        switch, path, begin = self.switch(), os.path.join(self.directory, "state"), time.monotonic()
        switch.answer = lambda line: (len(switch.lines) > 2, "")
        pnc = self.start("--status", path, "--json")
        self.router().announce(["2001:db8:a::/48"], "2001:db8::1")
        # Between two attempts; when this program is slow, not between the first two.
        self.assertTrue(testbed.wait_until(lambda: self.state(pnc, path)["switch"]["to_retry"] == 1))
        testbed.wait_until(lambda: switch.proxies, 60)
        self.assertGreater(time.monotonic() - begin, 2.9)  # 1 s and 2 s
        testbed.wait_until(lambda: self.state(pnc, path)["switch"]["unanswered"] == 0)
        state = self.state(pnc, path)["switch"]
        self.assertEqual([state[name] for name in ("told_add", "told_retry", "refused", "to_retry")], [1, 2, 2, 0])

    def test_silent_routers(self):
        """Connections without an Initiation: a quarter of the sessions for a source, and not for long."""
        path = os.path.join(self.directory, "state")
        self.switch()
        pnc = self.start("--status", path, "--json", "--bmp-wait", "2s", "--bmp-routers", "8")
        first = testbed.wait_until(lambda: Router.connect("127.0.0.1", self.port))
        with first, socket.create_connection(("127.0.0.1", self.port)):
            testbed.wait_until(lambda: self.state(pnc, path)["bmp"]["accepted"] == 2)
            with socket.create_connection(("127.0.0.1", self.port)) as third:
                self.assertEqual(third.recv(1), b"")
            with socket.create_connection(("127.0.0.1", self.port), source_address=("127.0.0.2", 0)) as other:
                other.sendall(bmp.initiation("r2"))
                testbed.wait_until(lambda: any(r["name"] == "r2" for r in self.state(pnc, path)["bmp"]["routers"]))
                self.assertEqual(first.recv(1), b"")  # after 2 s
                testbed.wait_until(lambda: self.state(pnc, path)["bmp"]["idle"] == 2)
                state = self.state(pnc, path)["bmp"]
                self.assertEqual((state["full_silent"], state["full_source"], state["accepted"]), (1, 0, 3))
                self.assertTrue(any(r["is_connected"] for r in state["routers"]))
        # With an Initiation: three quarters of them.
        routers = [self.router(name=f"r{n}") for n in range(3, 9)]
        testbed.wait_until(lambda: sum(r["is_connected"] for r in self.state(pnc, path)["bmp"]["routers"]) == 6)
        with socket.create_connection(("127.0.0.1", self.port)) as last:
            self.assertEqual(last.recv(1), b"")
        self.assertEqual(self.state(pnc, path)["bmp"]["full_source"], 1)
        routers[0].close()
        self.router(name="r9")
        testbed.wait_until(lambda: any(r["name"] == "r9" for r in self.state(pnc, path)["bmp"]["routers"]))

    def test_two_addresses_have_all(self):
        """A router of a third address comes all the same: the connection of the address with the most that was silent for
        longest ends for it."""
        path = os.path.join(self.directory, "state")
        self.switch()
        pnc = self.start("--status", path, "--json", "--bmp-routers", "8")

        def names():
            return {r["name"] for r in self.state(pnc, path)["bmp"]["routers"] if r["is_connected"]}

        def router(address, name):
            s = socket.create_connection(("127.0.0.1", self.port), source_address=(address, 0))
            self.addCleanup(s.close)
            s.sendall(bmp.initiation(name) + bmp.peer_up("192.0.2.9"))
            testbed.wait_until(lambda: name in names())
            return s

        first = testbed.wait_until(lambda: Router.connect("127.0.0.1", self.port))
        first.close()
        one = [router("127.0.0.2", f"one{n}") for n in range(6)]
        two = [router("127.0.0.3", f"two{n}") for n in range(2)]
        one[0].sendall(bmp.route("192.0.2.9", bmp.update(["203.0.113.0/24"], "192.0.2.1", pnc=False)))
        testbed.wait_until(lambda: self.state(pnc, path)["bmp"]["updates"] == 1)
        third = router("127.0.0.4", "three")
        self.assertEqual(one[1].recv(1), b"")
        self.assertEqual(names(), {"one0", "one2", "one3", "one4", "one5", "two0", "two1", "three"})
        state = self.state(pnc, path)["bmp"]
        self.assertEqual((state["ended_for_other"], state["full_sessions"]), (1, 0))
        self.assertIn("its address has the most of all, and another one has no room", pnc.said())
        for s in (*one, *two, third):
            s.close()

    def test_no_descriptors(self):
        """Without free descriptors it does not try to accept without end, and accepts when there are some again."""
        def few():
            resource.setrlimit(resource.RLIMIT_NOFILE, (10, 10))

        pnc = Pnc(self.directory, "--print", "--bmp", "127.0.0.1", str(self.port), preexec_fn=few)
        self.addCleanup(lambda: pnc.process.poll() is None and pnc.end(signal.SIGKILL))

        def state(name):
            """From the latest state on standard error: a file would need a descriptor."""
            said = pnc.said()
            pnc.process.send_signal(signal.SIGUSR1)
            testbed.wait_until(lambda: re.search(r"\n *lost: .*\n", pnc.said()[len(said):]))
            found = re.search(rf"\n *{name}: +(\d+)\n", pnc.said()[len(said):])
            return int(found[1]) if found else 0  # what it says may not be whole yet

        routers = [self.router(name=f"r{n}") for n in range(8)]
        begin = time.monotonic()
        testbed.wait_until(lambda: state("no_descriptor") > 0)
        accepted = state("accepted")
        self.assertLess(accepted, 8)
        time.sleep(1)
        tries = state("no_descriptor")
        self.assertLessEqual(tries, (time.monotonic() - begin) / 0.25 + 1)
        routers[0].close()
        testbed.wait_until(lambda: state("accepted") == accepted + 1)

    def test_print(self):
        """Without a switch: the lines go to standard output."""
        pnc = Pnc(self.directory, "--print", "--bmp", "127.0.0.1", str(self.port), stdout=subprocess.PIPE)
        self.addCleanup(lambda: pnc.process.poll() is None and pnc.end(signal.SIGKILL))
        router = self.router()
        router.announce(["2001:db8:a::/48"], "2001:db8::1")
        self.assertEqual(pnc.process.stdout.readline(),
                         b"proxy learned add 2001:db8:a::/48 address 2001:db8::1 protocol bgp lifetime 300\n")
        router.withdraw(["2001:db8:a::/48"])
        self.assertEqual(pnc.process.stdout.readline(), b"proxy learned remove 2001:db8:a::/48 protocol bgp\n")
        pnc.end()

    def test_many(self):
        """10,000 prefixes: gathered lines, bounded memory."""
        switch, pnc = self.switch(), self.start()
        router = self.router()
        begin = time.monotonic()
        for n in range(0, 10000, 250):
            router.announce([f"2001:db8:{k:x}::/48" for k in range(n, n + 250)], "2001:db8::1")
        testbed.wait_until(lambda: len(switch.proxies) == 10000, 30)
        took = time.monotonic() - begin
        with open(f"/proc/{pnc.process.pid}/status", encoding="ascii") as f:
            resident = int(re.search(r"VmRSS:\s+(\d+)", f.read())[1])
        print(f"10,000 prefixes after {took:.3f} s, resident {resident} KiB", file=sys.stderr)
        self.assertLess(resident, 65536)

    @staticmethod
    def pcap(frames, order="<"):
        return struct.pack(order + "IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1) + b"".join(
            struct.pack(order + "IIII", n, 0, len(f), len(f)) + f for n, f in enumerate(frames))

    @staticmethod
    def pcapng(frames, order="<"):
        """Two interfaces, of which the first one is no Ethernet, and an unknown block."""
        def block(kind, body):
            body += bytes(-len(body) % 4)
            return struct.pack(order + "II", kind, 12 + len(body)) + body + struct.pack(order + "I", 12 + len(body))
        interfaces = b"".join(block(1, struct.pack(order + "HHI", link, 0, 0)) for link in (113, 1))
        packets = b"".join(block(6, struct.pack(order + "IIIII", n, 0, 0, len(f), len(f)) + f)
                           for n in (0, 1) for f in frames)
        return (block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1)) + interfaces
                + block(0x777, b"what") + packets)

    FRAMES = {"isis-l1": {("10.1.0.0/16", "isis"): "192.0.2.1", ("10.3.0.0/17", "isis"): "198.51.100.7",
                          ("10.4.4.0/22", "isis"): "192.0.2.1", ("2001:db8:1::/48", "isis"): "2001:db8:ffff::1",
                          ("2001:db8:2::/47", "isis"): "2001:db8::8"},
              "ospf": {("10.21.0.0/16", "ospf"): "192.0.2.121"},
              "ospf3": {("2001:db8:31::/48", "ospf3"): "2001:db8:ffff::31"}}

    def frames(self, *more):
        known = dict([*pnc.isis(), *pnc.ospf(), *pnc.ospf3()])
        return [known[name] for name in (*self.FRAMES, *more)]

    def test_lifetimes(self):
        """The switch is told how long link-state messages are valid, and the lifetime of BGP."""
        switch, path = self.switch(), os.path.join(self.directory, "capture")
        with open(path, "wb") as f:
            f.write(self.pcap(self.frames()))
        self.start("--pcap", path, "--lifetime", "4s")
        self.router().announce(["2001:db8:a::/48"], "2001:db8::1")
        testbed.wait_until(lambda: len(switch.lines) >= 2 * 8, 20)
        least = {"isis": (1190, 1200), "ospf": (3590, 3599), "ospf3": (3590, 3599), "bgp": (4, 4)}
        for _, line in switch.lines:
            protocol, lifetime = ADD.match(line)[3], int(ADD.match(line)[4])
            self.assertTrue(least[protocol][0] <= lifetime <= least[protocol][1], line)

    def printed(self, *words, given=None):
        """What it would tell a switch, of captures."""
        done = subprocess.run([testbed.options.fastcn_pnc, "--print", "--once", *words], check=False, input=given,
                              capture_output=True, timeout=60)
        proxies = {}
        for line in done.stdout.decode().splitlines():
            if m := ADD.match(line):
                proxies[m[1], m[3]] = m[2]
            else:
                proxies.pop(REMOVE.match(line).groups())
        return done.returncode, proxies, done.stderr.decode()

    def test_endcon(self):
        """END.CON SIDs are told with their lifetimes, besides proxies, if a code is given, and only those that are accepted."""
        switch, path = self.switch(), os.path.join(self.directory, "capture")
        known = dict([*pnc.isis(), *pnc.ospf3()])
        os.mkfifo(path)
        state = os.path.join(self.directory, "state")
        started = self.start("--pcap", path, "--endcon-code", "32768", "--status", state, "--json", "--endcon-accept", "2001:db8:e1::/48",
                             "--endcon-accept", "2001:db8:e3::/48")

        def give(*names):
            with open(path, "wb") as f:
                f.write(self.pcap([known[name] for name in names]))

        give("isis-endcon", "ospf3-endcon")
        both = {("2001:db8:e1:1::c", "isis"), ("2001:db8:e1:3::c", "isis"), ("2001:db8:e1:1::c", "ospf3"), ("2001:db8:e1:3::c", "ospf3"),
                ("2001:db8:e3::c", "ospf3")}
        testbed.wait_until(lambda: set(switch.sids) == both)
        self.assertTrue(all((1190 if protocol == "isis" else 3590) <= left <= 3600 for (_, protocol), left in switch.sids.items()))
        # The same address is a prefix with PNC in the LSP.
        testbed.wait_until(lambda: switch.proxies == {("2001:db8:e1:1::c/128", "isis"): "2001:db8:ffff::11"})
        said = self.state(started, state)
        self.assertEqual((said["proxies"]["isis"], said["endcons"]), (1, {"isis": 2, "ospf3": 3}))
        self.assertEqual((said["isis"]["endcons"], said["ospf3"]["endcons"]), (2, 3))
        give("isis-endcon-newer", "ospf3-endcon-flush", "isis-endcon-bad")
        testbed.wait_until(lambda: set(switch.sids) == {("2001:db8:e1:1::d", "isis"), ("2001:db8:e3::c", "ospf3")})
        testbed.wait_until(lambda: not switch.proxies)
        self.assertEqual(self.state(started, state)["switch"]["not_accepted"], 1)

    def test_no_endcon(self):
        """Without a code of END.CON, no SID is learned."""
        path = os.path.join(self.directory, "capture")
        with open(path, "wb") as f:
            f.write(self.pcap([dict([*pnc.ospf3()])["ospf3-endcon"], *self.frames()]))
        self.assertEqual(self.printed("--pcap", path), (0, {k: v for part in self.FRAMES.values() for k, v in part.items()}, ""))

    def test_captures(self):
        """pcap and pcapng, of either byte order, as a file and as a stream."""
        wanted = {k: v for part in self.FRAMES.values() for k, v in part.items()}
        for make in (self.pcap, self.pcapng):
            for order in "<>":
                path = os.path.join(self.directory, "capture")
                with open(path, "wb") as f:
                    f.write(make(self.frames(), order))
                self.assertEqual(self.printed("--pcap", path), (0, wanted, ""))
                self.assertEqual(self.printed("--pcap", "-", given=make(self.frames(), order)), (0, wanted, ""))
        self.assertEqual(self.printed("--pcap", path, "--only", "ospf3"), (0, self.FRAMES["ospf3"], ""))
        self.assertEqual(self.printed("--pcap", path, "--isis-bit", "6", "--ospf-bit", "5", "--ospf3-flags", "38"), (0, {}, ""))
        # A purge takes back what was learned.
        with open(path, "wb") as f:
            flush = pnc.lsa(0xA029, 1, pnc.attached("192.0.2.31"), router="192.0.2.31", seq=0x80000004, age=3600)
            f.write(self.pcap(self.frames("isis-l1-newer", "isis-l1-purge", "ospf-malformed") + [pnc.update3([flush])]))
        self.assertEqual(self.printed("--pcap", path), (0, {}, ""))

    def test_broken_captures(self):
        whole = self.pcap(self.frames())
        status, proxies, said = self.printed("--pcap", "-", given=whole[:-10])
        self.assertEqual((status, len(proxies)), (0, 6))
        self.assertIn("-: it ends within a frame", said)
        for given, message in ((b"x" * 40, "not a capture"), (whole[:20] + b"\x71\0\0\0" + whole[24:], "another link type"),
                               (whole[:32] + b"\xff" * 4 + whole[36:], "a damaged one"),
                               (self.pcapng(self.frames())[:32] + b"\x01\0\0\0\xff\xff\xff\xff" * 4, "a damaged one")):
            status, _, said = self.printed("--pcap", "-", given=given)
            self.assertEqual(status, 1)
            self.assertIn(message, said)

    def test_fifo(self):
        """A capture while it is written, by one program after the other."""
        switch, path = self.switch(), os.path.join(self.directory, "fifo")
        os.mkfifo(path)
        process = Pnc(self.directory, "--socket", self.socket, "--pcap", path)
        self.addCleanup(lambda: process.process.poll() is None and process.end(signal.SIGKILL))
        frames = self.frames()
        with open(path, "wb", buffering=0) as f:
            whole = self.pcap(frames[:1])
            f.write(whole[:50])
            time.sleep(0.1)
            f.write(whole[50:])
            testbed.wait_until(lambda: switch.proxies == self.FRAMES["isis-l1"])
        time.sleep(0.1)
        with open(path, "wb", buffering=0) as f:
            f.write(self.pcap(frames[1:]))
            testbed.wait_until(lambda: len(switch.proxies) == 7)
        self.assertEqual(process.end()[0], 0)

    def test_silent_input(self):
        """Standard input that brings nothing does not keep it from anything else."""
        switch = self.switch()
        process = self.start("--pcap", "-", stdin=subprocess.PIPE)
        self.router().announce(["2001:db8:a::/48"], "2001:db8::1")
        testbed.wait_until(lambda: len(switch.proxies) == 1)
        process.process.stdin.write(self.pcap(self.frames())[:-1])
        process.process.stdin.flush()
        testbed.wait_until(lambda: len(switch.proxies) == 7)
        status, took = process.end()
        self.assertEqual(status, 0)
        self.assertLess(took, testbed.seconds(1))
        process.process.stdin.close()

    def test_keys(self):
        """With keys for a protocol, what has none of them is not believed."""
        known = dict([*pnc.isis(), *pnc.ospf(), *pnc.ospf3()])
        given = self.pcap([known["isis-auth-sha256"], known["isis-l1"], known["ospf"]])
        keys = testbed.write(self.directory, "keys", f"# of tests\n\nisis sha256 300 {'-'.join(pnc.LONG.decode().split())}\n")
        learned = {("10.10.0.0/16", "isis"): "192.0.2.4"}
        self.assertEqual(self.printed("--pcap", "-", given=given)[1], {**learned, **self.FRAMES["isis-l1"], **self.FRAMES["ospf"]})
        self.assertEqual(self.printed("--pcap", "-", "--keys", keys, given=given)[1], self.FRAMES["ospf"])
        keys = testbed.write(self.directory, "keys", "isis password 0 x\nisis md5 0 md5\\040secret\nospf sha1 7 y\n")
        self.assertEqual(self.printed("--pcap", "-", "--keys", keys, given=given)[1], {})

    def run_program(self, *words):
        return subprocess.run([testbed.options.fastcn_pnc, *words], check=False, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)

    def test_usage(self):
        """Each mistake has its message, and status 2."""
        for words, message in (
                ((), "there is nothing to learn from"), (("--bmp", "127.0.0.1"), "needs two values"),
                (("--bmp", "127.0.0.1", "0"), "--bmp 0: the port must be 1 to 65535"),
                (("--json=x",), "--json=x: the option has no value"), (("--bmp", "nowhere", "1790"), "nowhere"),
                (("--bmp", "192.0.2.1", "1790"), "--bmp 192.0.2.1 1790: "), (("--what",), "no such option"),
                (("--only", "bgp,rip", "--bmp", "::1", "1"), "expected isis, ospf, ospf3 or bgp"),
                (("--only", "isis", "--bmp", "::1", "1"), "--only does not have bgp"),
                (("--only", "bgp", "--pcap", "-"), "neither isis, ospf nor ospf3"),
                (("--only", "ospf", "--pcap", "-", "--endcon-code", "32768"), "neither IS-IS nor OSPFv3"),
                (("--endcon-code", "65536", "--pcap", "-"), "1 to 65535"),
                (("--pcap", "-", "--endcon-accept", "2001:db8::/32"), "--endcon-accept needs --endcon-code"),
                (("--once", "--interface", "lo"), "--once is for captures alone"),
                (("--pcap", "/nowhere"), "No such file"), (("--pcap", "/dev/null", "--isis-bit", "32"), "0 to 31"),
                (("--keys", "/nowhere"), "No such file"), (("--keys", "/"), "Is a directory"),
                (("--keys", "/dev/null", "--pcap", "/dev/null"), "there are no keys in it"), (("--keys", "/etc/hostname"), "line 1: expected protocol"),
                (("--bmp", "::1", "1", "--lifetime", "1s"), "2s to 86400s"),
                (("--bmp", "::1", "1", "--accept", "2001:db8::1/32"), "host bits"),
                (("--bmp-from", "::/0"), "nothing to learn from"), (("--socket", "x" * 108), "107 bytes"),
                (("--name", "../x", "--bmp", "::1", "1"), "not a valid name")):
            done = self.run_program(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(message, done.stderr, words)
            self.assertEqual(done.stdout, "", words)
        done = self.run_program("--help")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("--bmp ADDRESS PORT", done.stdout)
        with open(os.path.join(ROOT, "doc", "man", "fastcn-pnc.1"), encoding="utf-8") as f:
            described = re.findall(r"^\.It Fl -([a-z-]+)", f.read(), re.M)
        self.assertEqual(sorted(described), sorted(re.findall(r"^  --([a-z-]+)", done.stdout, re.M)))
        said = self.run_program("--counters").stdout
        for name in ("nhc_next_hop", "told_refresh", "purge_unknown", "distant", "isis (IS-IS), ospf (OSPFv2)"):
            self.assertIn(name, said)
        self.assertRegex(self.run_program("--version").stdout, r"^fastcn-pnc \d")

    def test_closed(self):
        """Standard descriptors that are closed: what the program says of itself does not go to the switch. Nobody reads what it
        prints: it ends."""
        path, port = os.path.join(self.directory, "closed.sock"), free_port()
        switch = StubSwitch(path)
        self.addCleanup(switch.close)
        with subprocess.Popen(["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", testbed.options.fastcn_pnc, "--bmp", "127.0.0.1",
                               str(port), "--socket", path]) as process:
            router = Router(port)
            router.announce(["2001:db8:a::/48"], "2001:db8::1")
            testbed.wait_until(lambda: switch.lines)
            router.close()
            process.terminate()
        self.assertRegex(switch.lines[0][1], ADD)

        pnc = subprocess.Popen([testbed.options.fastcn_pnc, "--bmp", "127.0.0.1", str(port), "--print"],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        pnc.stdout.close()
        router = Router(port)
        router.announce(["2001:db8:a::/48"], "2001:db8::1")
        self.assertEqual(pnc.wait(timeout=testbed.seconds(20)), 1)
        self.assertIn("standard output: Broken pipe", pnc.stderr.read())
        pnc.stderr.close()
        router.close()

    def test_encode(self):
        """The attribute of `encode` is that which this test writes by itself."""
        def encode(*words, status=0):
            done = self.run_program("encode", "bgp", *words)
            self.assertEqual(done.returncode, status)
            return done.stdout.strip() if status == 0 else done.stderr

        six, hop = "2001:db8:a::/48", "2001:db8::1"
        self.assertEqual(encode("attribute", six, "next-hop", hop), bmp.attribute(0xC0, 39, bmp.nhc(2, hop)).hex())
        self.assertEqual(encode("attribute", "10.0.0.0/8", "next-hop", "192.0.2.1", "attribute", "40", "code", "7", "partial"),
                         bmp.attribute(0xE0, 40, bmp.nhc(1, "192.0.2.1", 7)).hex())
        self.assertEqual(encode("exabgp", six, "next-hop", hop),
                         f"route {six} next-hop {hop} attribute [0x27 0xc0 0x{bmp.nhc(2, hop).hex()}];")
        for words, said in (((six, "next-hop", "192.0.2.1"), "IPv6 prefixes have an IPv6 next hop"),
                            (("10.0.0.1/8", "next-hop", "192.0.2.1"), "the prefix has host bits"),
                            (("10.0.0.0/8", "next-hop", "192.0.2.1", "attribute", "256"), "at most 255"),
                            (("10.0.0.0/8", "next-hop", "192.0.2.1", "code", "65536"), "at most 65535")):
            self.assertIn(said, encode("attribute", *words, status=2))

    @unittest.skipUnless(shutil.which("tshark") and shutil.which("text2pcap"), "needs tshark")
    def test_tshark(self):
        """tshark reads the messages of bmp.py, with the attribute of `encode`, without complaint."""
        six, hop = "2001:db8:a::/48", "2001:db8::1"
        made = bytes.fromhex(self.run_program("encode", "bgp", "attribute", six, "next-hop", hop, "partial").stdout)
        route = bmp.route("192.0.2.9", bmp.update([six], hop, flags=0xE0))
        self.assertIn(made, route)
        dump = os.path.join(self.directory, "dump")
        with open(dump, "w", encoding="ascii") as f:
            for octets in (bmp.initiation("r1"), bmp.peer_up("192.0.2.9"), route):
                for at in range(0, len(octets), 16):
                    f.write(f"{at:06x} {octets[at:at + 16].hex(' ')}\n")
                f.write("\n")
        testbed.run("text2pcap", "-q", "-T", "40000,1790", dump, dump + ".pcap")
        said = testbed.run("tshark", "-r", dump + ".pcap", "-d", "tcp.port==1790,bmp", "-V")
        self.assertNotIn("Malformed", said)
        for text in ("sysName", "Peer Up Notification", "Route Monitoring", six, "65000", "Partial: Set"):
            self.assertIn(text, said)


class WithSwitch(unittest.TestCase):
    """A real switch, whose console says what it has learned."""

    MANY = 10000

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="fastcn-pnc-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.switch = self.start_switch()
        self.port = free_port()

    def start_switch(self):
        switch = testbed.Switch(self.directory, None)
        self.addCleanup(switch.end)
        return switch.wait()

    def start(self, *options):
        process = Pnc(self.directory, "--socket", self.switch.path, "--bmp", "127.0.0.1", str(self.port), *options)
        self.addCleanup(lambda: process.process.poll() is None and process.end(signal.SIGKILL))
        return process

    def router(self):
        router = Router(self.port)
        self.addCleanup(router.close)
        return router

    def proxies(self, switch=None):
        return {row["prefix"]: row["address"] for row in (switch or self.switch).json("show pnc") if row["used"]}

    def test_learned(self):
        """What is announced is shown; a withdrawal removes it."""
        self.start()
        router = self.router()
        router.announce(["2001:db8:a::/48"], "2001:db8::1")
        router.announce(["203.0.113.0/24"], "192.0.2.1", flags=0xE0)
        testbed.wait_until(lambda: self.proxies() == {"2001:db8:a::/48": "2001:db8::1", "203.0.113.0/24": "192.0.2.1"})
        [row] = [r for r in self.switch.json("show pnc") if r["prefix"] == "203.0.113.0/24"]
        self.assertEqual(row["protocol"], "bgp")
        self.assertTrue(0 < row["left_s"] <= 300, row)
        router.withdraw(["2001:db8:a::/48"])
        testbed.wait_until(lambda: self.proxies() == {"203.0.113.0/24": "192.0.2.1"})

    def test_captures(self):
        """IS-IS, OSPFv2 and OSPFv3 from a capture."""
        path = os.path.join(self.directory, "capture")
        with open(path, "wb") as f:
            f.write(Program.pcap([f for name, f in [*pnc.isis(), *pnc.ospf(), *pnc.ospf3()] if name in Program.FRAMES]))
        process = Pnc(self.directory, "--socket", self.switch.path, "--pcap", path, "--once")
        self.addCleanup(lambda: process.process.poll() is None and process.end(signal.SIGKILL))
        self.assertEqual(process.process.wait(timeout=testbed.seconds(20)), 0)
        wanted = {prefix: proxy for part in Program.FRAMES.values() for (prefix, _), proxy in part.items()}
        testbed.wait_until(lambda: self.proxies() == wanted)

    def test_killed(self):
        """fastcn-pnc is killed and started again, within the lifetime and after it."""
        process = self.start("--lifetime", "4s")
        router = self.router()
        router.announce([f"2001:db8:{n:x}::/48" for n in range(100)], "2001:db8::1")
        testbed.wait_until(lambda: len(self.proxies()) == 100)
        process.end(signal.SIGKILL)
        router.close()
        least, end = 100, time.monotonic() + 0.3
        while time.monotonic() < end:
            least = min(least, len(self.proxies()))
        process = self.start("--lifetime", "4s")
        router = self.router()
        router.announce([f"2001:db8:{n:x}::/48" for n in range(100)], "2001:db8::1")
        end = time.monotonic() + 4.5
        while time.monotonic() < end:
            least = min(least, len(self.proxies()))
        self.assertEqual(least, 100)
        process.end(signal.SIGKILL)
        testbed.wait_until(lambda: not self.proxies(), 20)

    def test_switch_restarts(self):
        self.start()
        router = self.router()
        router.announce(["2001:db8:a::/48"], "2001:db8::1")
        testbed.wait_until(self.proxies)
        self.switch.process.kill()
        self.switch.process.wait()
        self.switch.end()
        self.switch = self.start_switch()
        testbed.wait_until(lambda: self.proxies() == {"2001:db8:a::/48": "2001:db8::1"})

    def test_many(self):
        """10,000 prefixes: how long it takes from the messages to the switch's snapshot."""
        process = self.start()
        router = self.router()
        begin = time.monotonic()
        for n in range(0, self.MANY, 250):
            router.announce([f"2001:db8:{k:x}::/48" for k in range(n, n + 250)], "2001:db8::1")

        def is_built():
            state = self.switch.json("show pnc protocols")
            return state if state["learned"] == self.MANY and not state["pending"] else None

        builds = testbed.wait_until(is_built, 60)["builds"]
        took = time.monotonic() - begin
        self.assertEqual(len(self.proxies()), self.MANY)
        with open(f"/proc/{process.process.pid}/status", encoding="ascii") as f:
            resident = int(re.search(r"VmRSS:\s+(\d+)", f.read())[1])
        print(f"{self.MANY} prefixes in the switch's snapshot after {took:.3f} s and {builds} builds, fastcn-pnc resident "
              f"{resident} KiB", file=sys.stderr)
        self.assertLess(builds, self.MANY / 20)
        self.assertLess(resident, 65536)


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, programs=("fastcn", "fastcn_pnc")))
