#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The running switch and its socket: sessions side by side, hostile ones, signals, restarts. Needs neither root nor
a network.

test_remote.py --fastcn PROGRAM [unittest options]
"""

import json
import os
import re
import select
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import testbed
from testbed import Client, Switch, wait_until

# Rings are silent; net_null receives as fast as the worker can, without end.
RINGS = ["net_ring0", "net_ring1"]
NULLS = ["net_null0", "net_null1"]
CONFIG = """
port add p1 device {0}
port add p2 device {1}
bridge add br0
bridge br0 port add p1
bridge br0 port add p2
"""
ROUTES = 10000


def routes():
    yield "port add p1 device net_ring0"
    yield "port add p2 device net_ring1"
    yield "address add p1 192.0.2.1/24"
    yield "neighbour add p1 192.0.2.9 02:00:00:00:01:01"
    for i in range(ROUTES):
        yield f"route add {10 + (i >> 16)}.{i >> 8 & 255}.{i & 255}.0/24 via 192.0.2.9 port p1"


class Remote(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="fcn-remote-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def file(self, name, text):
        return testbed.write(self.directory, name, text)

    def switch(self, config=None, vdevs=(), *options, **more):
        """config: a file"""
        switch = Switch(self.directory, config, *options, vdevs=vdevs, **more)
        self.addCleanup(switch.end)
        return switch.wait()

    def bridge(self, vdevs=(), *options, **more):
        vdevs = vdevs or RINGS
        return self.switch(self.file("fastcn.conf", CONFIG.format(*vdevs)), vdevs, *options, **more)

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to be another user")
    def test_socket_group(self):
        """A member of the group may use the socket, and only files in the directory of the configuration."""
        group, user = 54321, 65534
        os.chmod(self.directory, 0o755)
        secret = self.file("secret", "of-root\n")
        os.chmod(secret, 0o600)
        os.mkdir(os.path.join(self.directory, "etc"))
        config = self.file("etc/fastcn.conf", CONFIG.format(*RINGS))
        os.mkdir(os.path.join(self.directory, "out"))
        switch = self.switch(config, RINGS, "--socket-group", str(group), "--group-role", "54322=read")
        at = os.stat(switch.path)
        self.assertEqual((stat.S_IMODE(at.st_mode), at.st_gid), (0o660, group))

        def ask(line, gid):
            os.setegid(gid)
            os.seteuid(user)
            try:
                client = Client(switch.path)
            finally:
                os.seteuid(0)
                os.setegid(0)
            self.addCleanup(client.close)
            return client.ask(line)

        with self.assertRaises(PermissionError):
            ask("show version", user)
        self.assertTrue(ask("show version", group)[0])
        for line in (f"load {secret}", f"save {secret}", "load ../secret", "load /etc/shadow"):
            ok, answer = ask(line, group)
            self.assertFalse(ok)
            self.assertRegex(answer, r"^column \d+: .*this session may use files in .*/etc only\n")
            self.assertNotIn("of-root", answer)
        # Without --output-dir there is no place for captures, least of all that of the configuration.
        for line in ("capture start port all both file fastcn.conf", f"capture start port all both file {self.directory}/x.pcapng",
                     f"set log events {secret}"):
            ok, answer = ask(line, group)
            self.assertFalse(ok)
            self.assertRegex(answer, r"^column \d+: this session may write no such files, as fastcn was started without --output-dir\n")
        with open(secret, encoding="ascii") as f:
            self.assertEqual(f.read(), "of-root\n")
        self.assertIn("without arguments only", ask("port add p3 device net_pcap0,tx_pcap=/tmp/x", group)[1])
        self.assertTrue(ask("save again.conf", group)[0])
        self.assertTrue(ask("load again.conf replace", group)[0])
        self.assertTrue(ask(f"load {self.directory}/etc/fastcn.conf replace", group)[0])
        # root may do what it may do anyway
        self.assertIn("secret:1:1: ", switch.say(f"load {secret}"))

    def as_user(self, path, user, *groups):
        """A session of another user."""
        os.setgroups(groups[1:])
        os.setegid(groups[0])
        os.seteuid(user)
        try:
            client = Client(path)
        finally:
            os.seteuid(0)
            os.setegid(0)
            os.setgroups([])
        self.addCleanup(client.close)
        return client

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to be another user")
    def test_roles(self):
        """By socket, by group, and as `show sessions` and the log have them."""
        os.chmod(self.directory, 0o755)
        at = {role: os.path.join(self.directory, role + ".sock") for role in ("read", "learned", "operate")}
        switch = self.bridge((), *(word for role, path in at.items() for word in ("--socket", f"{path},role={role},mode=0666")),
                             "--socket-mode", "0666", "--group-role", "54321=operate", "--group-role", "54322=read")
        lines = {"read": "show version", "operate": "clear counters", "full": f"save {self.directory}/x.conf",
                 "learned": "proxy learned add 2001:db8::/32 address 2001:db8::1 protocol bgp lifetime 300"}
        may = {"read": {"read"}, "learned": {"learned"}, "operate": {"read", "learned", "operate"}, "full": set(lines)}

        def check(client, role):
            for needed, line in lines.items():
                ok, answer = client.ask(line)
                self.assertEqual(ok, needed in may[role], (role, line, answer))
                if not ok:
                    self.assertEqual(answer, f"column 1: this needs the role {needed}, and the session has the role {role}\n")

        for role, path in at.items():
            self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o666)
            client = Client(path)
            self.addCleanup(client.close)
            check(client, role)
        check(switch.connect(), "full")
        users = {"operate": self.as_user(switch.path, 65534, 54321), "read": self.as_user(switch.path, 65533, 65533, 54322)}
        for role, client in users.items():
            check(client, role)
        # The group has no more than the socket, and root has what the socket has.
        lesser = [self.as_user(at["read"], 65534, 54321), self.as_user(at["operate"], 65534, 54322)]
        for client in lesser:
            check(client, "read")
        nobody = self.as_user(switch.path, 65534, 54323)
        self.assertTrue(nobody.ask("clear counters")[0])
        shown = switch.json("show sessions")
        self.assertEqual([(x["socket"], x["role"], x["mode"]) for x in shown["sockets"]],
                         [(switch.path, "full", "0666"), *((path, role, "0666") for role, path in at.items())])
        sessions = {(x["uid"], x["role"], os.path.basename(x["socket"])) for x in shown["sessions"]}
        self.assertLessEqual({(65534, "operate", "fastcn.sock"), (65533, "read", "fastcn.sock"), (65534, "read", "read.sock"),
                              (0, "full", "fastcn.sock")}, sessions)
        self.assertIn("nobody", {x["user"] for x in shown["sessions"]})
        self.assertEqual(shown["counters"]["denied"], sum(x["denied"] for x in shown["sessions"]))
        said = switch.said()
        self.assertRegex(said, r"(?m)^fastcn: session \d+, user nobody \(65534\), role operate: clear counters$")
        self.assertRegex(said, r"(?m)^fastcn: session \d+, user \? \(65533\), role read: refused, needs the role operate: clear counters$")
        self.assertRegex(said, rf"(?m)^fastcn: session \d+, user root \(0\), role full: save {self.directory}/x.conf$")
        self.assertNotRegex(said, r"\), role \w+: show")
        self.assertIn("role operate: clear counters", switch.say("show log last 250"))

    @unittest.skipUnless(os.geteuid() == 0, "needs root, to be another user")
    def test_users_share_sessions(self):
        """No user has all of them, and root gets one in any case."""
        os.chmod(self.directory, 0o755)
        switch = self.bridge((), "--socket-mode", "0666")
        sessions = [self.as_user(switch.path, 60000 + n // 32, 60000) for n in range(128)]
        for s in sessions:
            s.say("show version")
        more = self.as_user(switch.path, 60000, 60000)
        self.assertEqual(more.answer(), (False, "too many sessions of this user\n"))
        root = switch.connect()
        self.assertIn("fastcn", root.say("show version"))
        self.assertTrue(sessions[0].ended())
        counters = root.json("show sessions")["counters"]
        self.assertEqual((counters["share"], counters["made_room"], counters["full"]), (1, 1, 0))

    def test_idle_sessions(self):
        switch = self.bridge((), "--session-idle", "2")
        idle, busy = switch.connect(), switch.connect()
        for _ in range(8):
            busy.say("show version")
            time.sleep(0.4)
        self.assertEqual(idle.answer(), (False, "the session has ended, as nothing was asked for 2 s\n"))
        self.assertTrue(idle.ended())
        self.assertEqual(busy.json("show sessions")["counters"]["idle"], 1)

    def test_directories(self):
        """Given by options, they hold for everybody."""
        for name in ("etc", "captures"):
            os.mkdir(os.path.join(self.directory, name))
        switch = self.bridge((), "--config-dir", os.path.join(self.directory, "etc"), "--output-dir",
                             os.path.join(self.directory, "captures"))
        self.assertIn("/etc only", switch.say(f"load {self.directory}/fastcn.conf"))
        self.assertIn("/captures only", switch.say("capture start port all both file ../x.pcapng"))
        self.assertEqual(switch.say("capture start port all both file x.pcapng"), "")
        self.assertEqual(switch.say("capture stop x.pcapng"), "")
        self.assertGreater(os.path.getsize(os.path.join(self.directory, "captures", "x.pcapng")), 0)

    def test_wrong_options(self):
        for words, message in ((("--socket-group", "no-such-group"), "there is no such group"),
                               (("--config-dir", os.path.join(self.directory, "missing")), "there is no such directory"),
                               (("--output-dir", self.file("x", "")), "there is no such directory"),
                               (("--socket", "/tmp/x,role=all"), "a role is full, operate, learned or read"),
                               (("--group-role", "root"), "the argument must be GROUP=ROLE"),
                               (("--user", "no-such-user"), "there is no user no-such-user")):
            p = subprocess.run([testbed.options.fastcn, *testbed.eal("--no-telemetry"), "--", *words], text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
            self.assertEqual((p.returncode, p.stderr), (2, f"fastcn: {words[0]} {words[1]}: {message}\n"))

    def test_output_is_not_the_configuration(self):
        """However it is written: a capture could replace the configuration that the next start reads."""
        os.makedirs(os.path.join(self.directory, "etc", "deeper"))
        config = self.file("etc/fastcn.conf", CONFIG.format(*RINGS))
        etc = os.path.dirname(config)
        os.symlink("etc", os.path.join(self.directory, "link"))

        def start(*words):
            return subprocess.run([testbed.options.fastcn, *testbed.eal("--no-telemetry"), "--", "--no-socket", "-f", config, *words],
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)

        for output, what in ((etc, "it is the directory of the configuration,"),
                             (os.path.join(self.directory, "link"), "it is the directory of the configuration,"),
                             (os.path.join(etc, "deeper", "..", "."), "it is the directory of the configuration,"),
                             (self.directory, "it contains the directory of the configuration,")):
            for more in ((), ("--config-dir", os.path.join(etc, "deeper"))):
                p = start("--output-dir", output, *more)
                self.assertEqual((p.returncode, p.stderr.splitlines()),
                                 (2, [f"fastcn: --output-dir {output}: {what} {os.path.realpath(etc)}, and captures could "
                                      "replace the configuration: give another directory"]))

    def test_sessions(self):
        switch = self.bridge()
        self.assertEqual(stat.S_IMODE(os.stat(switch.path).st_mode), 0o600)
        a, b = switch.connect(), switch.connect()
        self.assertEqual([p["port"] for p in json.loads(a.say("show port json"))], ["p1", "p2"])
        ok, text = a.ask("show prot")
        self.assertFalse(ok)
        self.assertRegex(text, r'^column 6: did you mean port\? expected (\S+ ){8}or \d+ more, found "prot"\n$')
        # In pieces, and several at once; comments and empty lines are answered, too.
        a.send("show ver")
        b.send("show version\n\n# nothing\nshow nothing\n")
        self.assertIn("fastcn:", b.answer()[1])
        self.assertEqual([b.answer(), b.answer(), b.answer()[0]], [(True, ""), (True, ""), False])
        a.send("sion\n")
        self.assertIn("fastcn:", a.answer()[1])
        # What one session changes, the other sees; a change that fails changes nothing.
        a.say("set port p1 rate 5G")
        self.assertIn("set port p1 rate 5G", b.say("show config"))
        before = b.say("show config")
        self.assertEqual(a.ask("port add p3 device nope")[0], False)
        self.assertEqual(b.say("show config"), before)
        # Nor does the switch wait for a file that never begins.
        fifo = os.path.join(self.directory, "fifo")
        os.mkfifo(fifo)
        self.assertEqual(a.ask(f"load {fifo}"), (False, f"column 6: {fifo} is not a regular file\n"))
        self.assertEqual(b.say("show config"), before)
        # Started already, as without -i.
        self.assertFalse(a.ask("start")[0])
        # Ends of sessions end nothing else.
        for word in ("quit", "exit"):
            c = switch.connect()
            c.say(word)
            self.assertTrue(c.ended())
        b.say("show version")
        self.assertIn("conservation:", b.say("shutdown"))
        self.assertEqual(switch.process.wait(timeout=testbed.seconds(10)), 0)
        self.assertTrue(a.ended())
        self.assertFalse(os.path.exists(switch.path))

    def test_beside_the_own_console(self):
        """The same commands; only the own console ends the switch."""
        switch = self.bridge((), own_console=True)
        c = switch.connect()
        self.assertEqual(c.say("start"), "")  # -i waits for it
        switch.process.stdin.write(b"set port p2 rate 7G\n")
        switch.process.stdin.flush()
        wait_until(lambda: "set port p2 rate 7G" in c.say("show config"))
        c.say("quit")
        switch.connect().say("show version")
        switch.process.stdin.write(b"exit\n")
        switch.process.stdin.flush()
        self.assertEqual(switch.process.wait(timeout=testbed.seconds(10)), 0)

    def test_documented_client(self):
        """The example of doc/remote.md."""
        switch = self.bridge()
        page = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "doc", "remote.md")
        with open(page, encoding="utf-8") as f:
            text = re.search(r"With Python:\n\n((?:    .*\n|\n)*)", f.read()).group(1)
        code = "".join(x[4:] or "\n" for x in text.splitlines(keepends=True))
        code = code.replace("/run/fastcn/fastcn.sock", switch.path)
        p = subprocess.run([sys.executable, "-"], input=code, stdout=subprocess.PIPE, text=True, timeout=30, check=True)
        self.assertRegex(p.stdout, r"^\d+\n$")

    def test_hundred_clients(self):
        switch = self.bridge()
        clients = [switch.connect() for _ in range(100)]
        for i, c in enumerate(clients):
            c.send(f"set port p1 rate {i + 1}M\nshow port p1 json\n")
        rates = []
        for c in clients:
            self.assertEqual(c.answer(), (True, ""))
            rates.append(json.loads(c.answer()[1])[0]["rate_bps"])
        # Each line is whole; between the two of one client others may have been.
        self.assertTrue(set(rates) <= {i * 1000000 for i in range(1, 101)}, rates)
        more = [switch.connect() for _ in range(28)]
        self.assertIn("fastcn", more[-1].say("show version"))
        full = switch.connect()
        self.assertEqual(full.answer(), (False, "too many sessions\n"))
        self.assertTrue(full.ended())
        for c in more:
            c.close()
        wait_until(lambda: self.answers(switch))

    def answers(self, switch):
        c = Client(switch.path)
        try:
            return c.ask("show version")[0]
        finally:
            c.close()

    def test_own_console_not_read(self):
        """Who stops the terminal stops the console, and nothing else; nothing of its output is lost."""
        asked = 60
        switch = self.switch(self.file("routes.conf", "\n".join(routes()) + "\n"), RINGS, own_console=True)
        switch.process.stdin.write(b"show version\n" + b"show route limit 1000\n" * asked + b"show version\n")
        switch.process.stdin.flush()
        good = switch.connect()
        end = time.monotonic() + 3
        while time.monotonic() < end:
            begin = time.monotonic()
            good.say("show version")
            self.assertLess(time.monotonic() - begin, testbed.seconds(2))
            time.sleep(0.1)
        self.assertTrue(select.select([switch.process.stdout], [], [], 0)[0])
        out = b""
        while out.count(b"fastcn:") < 2:
            self.assertTrue(select.select([switch.process.stdout], [], [], 20)[0])
            out += os.read(switch.process.stdout.fileno(), 65536)
        self.assertEqual(out.count(b"\n"), 2 * 2 + asked * 1001)
        switch.process.stdin.write(b"show route\n" * 20)
        switch.process.stdin.flush()
        good.say("show version")
        status, seconds = switch.stop()
        self.assertEqual(status, 0)
        self.assertLess(seconds, testbed.seconds(5))

    def test_hostile_clients(self):
        """Long answers that nobody reads, half a line, a flood: who behaves is served."""
        switch = self.switch(self.file("routes.conf", "\n".join(routes()) + "\n"), RINGS)
        good = switch.connect()
        begin = time.monotonic()
        self.assertEqual(len(good.say("show route").splitlines()), ROUTES + 2)  # with a heading, and that of p1
        making = time.monotonic() - begin
        before = good.say("show config")
        good.socket.settimeout(20 + 20 * making)
        for _ in range(3):
            switch.connect().send("show route\n" * 20)
        switch.connect().send("set port p1 rate 7")
        flood = switch.connect()
        flood.socket.settimeout(0.5)
        try:
            for _ in range(10000):
                flood.send("show version\n" * 100)
        except TimeoutError:
            pass  # nothing fits any more: it is held back
        worst = 0
        for _ in range(20):
            begin = time.monotonic()
            good.say("show version")
            worst = max(worst, time.monotonic() - begin)
        print(f"show route: {ROUTES} routes in {making:.2f} s; beside hostile clients: {worst:.3f} s", file=sys.stderr)
        # The three answers are each made once, and no more.
        self.assertLess(worst, 5 * making + 1)
        self.assertEqual(good.say("show config"), before)
        # A change takes effect in spite of all.
        good.say("set port p1 rate 8G")
        self.assertIn("set port p1 rate 8G", good.say("show config"))
        # Those who do not read are dropped after ten seconds, so that their memory is free again.
        status, seconds = switch.stop()
        self.assertEqual(status, 0)
        self.assertLess(seconds, 5 + making)  # the routes are freed, too

    def test_end_under_load_and_restart(self):
        switch = self.bridge(NULLS)
        c = switch.connect()
        for line in ("set port p1 rate 5G burst 9000", "set queue p2 class 3 detector step 30K leave 15K",
                     "set queue p2 class 3 ecn on", "set bridge br0 port p1 tagged 10-19",
                     "set loopback 2001:db8:f::5", "set notify interval 7us"):
            c.say(line)
        saved = os.path.join(self.directory, "saved.conf")
        c.say(f"save {saved}")
        config = c.say("show config")
        self.assertIn("tagged 10-19", config)
        packets = json.loads(c.say("show port p1 json"))[0]["rx_packets"]
        flood = switch.connect()

        def send():
            try:
                while True:
                    flood.send("show queue all json\n" * 50)
            except OSError:
                pass
        thread = threading.Thread(target=send)
        thread.start()
        time.sleep(0.3)
        self.assertGreater(json.loads(c.say("show port p1 json"))[0]["rx_packets"], packets)
        status, seconds = switch.stop()
        thread.join()
        print(f"ended under load in {seconds:.3f} s", file=sys.stderr)
        self.assertEqual(status, 0)
        self.assertLess(seconds, testbed.seconds(1))
        self.assertFalse(os.path.exists(switch.path))
        again = self.switch(saved, NULLS).connect()
        self.assertEqual(again.say("show config"), config)

    def test_reload(self):
        switch = self.bridge()
        c = switch.connect()
        first = c.say("show config")
        c.say("set port p1 rate 1G")  # not in the file: gone with it
        self.file("fastcn.conf", CONFIG.format(*RINGS) + "set port p2 rate 3G\n")
        switch.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "set port p2 rate 3G" in c.say("show config"))
        second = c.say("show config")
        self.assertEqual([x for x in second.splitlines() if x not in first.splitlines()], ["set port p2 rate 3G"])
        self.file("fastcn.conf", CONFIG.format(*RINGS) + "set port p2 rate 4G\nset port p9 rate 1G\nport ad x\n")
        switch.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "nothing was changed" in switch.said())
        self.assertIn(f"{switch.config}:8:10: there is no port p9", switch.said())
        self.assertIn(f"{switch.config}:9:6: ", switch.said())
        self.assertEqual(c.say("show config"), second)
        os.unlink(switch.config)
        switch.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "No such file" in switch.said())
        self.assertEqual(c.say("show config"), second)
        self.assertEqual(switch.stop(signal.SIGINT)[0], 0)

    def test_stale_and_live_sockets(self):
        switch = self.bridge()
        second = subprocess.run([testbed.options.fastcn, *testbed.eal(), "--", "--mbufs", "4095", "--socket", switch.path], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=30, check=False)
        self.assertEqual(second.returncode, 2)
        self.assertIn(f"socket {switch.path}: a running switch uses it", second.stderr)
        switch.connect().say("show version")
        switch.process.kill()
        switch.process.wait()
        self.assertTrue(os.path.exists(switch.path))
        again = self.bridge((), "--socket-mode", "660")
        again.connect().say("show version")
        self.assertEqual(stat.S_IMODE(os.stat(again.path).st_mode), 0o660)

    def test_service_manager(self):
        path = os.path.join(self.directory, "notify")
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
            manager.bind(path)
            manager.settimeout(20)
            switch = self.bridge(env={"NOTIFY_SOCKET": path})
            self.assertIn(b"READY=1\n", manager.recv(4096) + b"\n")
            switch.process.send_signal(signal.SIGHUP)
            said = manager.recv(4096)
            self.assertTrue(said.startswith(b"RELOADING=1\nMONOTONIC_USEC="), said)
            self.assertIn(b"READY=1\n", manager.recv(4096) + b"\n")
            switch.stop()
            self.assertIn(b"STOPPING=1", manager.recv(4096))


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__))
