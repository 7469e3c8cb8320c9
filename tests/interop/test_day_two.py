#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What operators do with a switch that runs: differences between configurations, changes on trial, configurations to go
back to, and events as they come. Needs no root.

test_day_two.py --fastcn PROGRAM --fastcnctl PROGRAM --random_lines PROGRAM [unittest options]
"""

import difflib
import json
import os
import pwd
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import testbed
from testbed import Switch, wait_until
from test_fastcnctl import Terminal

CONFIG = """port add p1 device net_ring0
port add p2 device net_ring1
bridge add br0
bridge br0 port add p1
bridge br0 port add p2
"""
ME = pwd.getpwuid(os.geteuid()).pw_name

# Random lines that do not change the configuration, that end or stop the switch, or that name files and devices.
LEFT_OUT = re.compile(r"\s*(no\s+)?(set (log|metrics|kernel|worker)|port add .* device|set port \S+ kernel|proxy learned|"
                      r"srv6 endcon learned|#)")
WORDS_LEFT_OUT = ("show", "help", "load", "save", "commit", "rollback", "capture", "trace", "clear", "start", "stop", "restart",
                  "handover", "shutdown", "quit", "exit", "explain")


def is_left_out(line):
    """Words may be abbreviated."""
    words = line.split()
    first = words[1] if words[:1] == ["no"] and len(words) > 1 else words[0]
    return LEFT_OUT.match(line) is not None or any(word.startswith(first) for word in WORDS_LEFT_OUT)


def random_lines(seed, n):
    """Lines that may change a configuration with ports p1 and p2 and the bridge br0; some are wrong."""
    with subprocess.Popen([testbed.options.random_lines, str(seed), "p1", "p2", "br0", "red", "toward"],
                          stdout=subprocess.PIPE, text=True) as p:
        lines = []
        for line in p.stdout:
            if line.strip() and not is_left_out(line) and "|" not in line:
                lines.append(line.rstrip("\n"))
            if len(lines) == n:
                break
        p.kill()
    return lines


def applied(before, difference):
    """The lines of a text after a difference was applied to it."""
    gone = set()
    for d in difference:
        if d["change"] == "-":
            if before[d["line"] - 1] != d["command"]:
                raise AssertionError(d)
            gone.add(d["line"])
    lines = [text for number, text in enumerate(before, 1) if number not in gone]
    for d in difference:
        if d["change"] == "+":
            lines.insert(d["line"] - 1, d["command"])
    return lines


class DayTwo(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="fcn-day-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.config = self.file("fastcn.conf", CONFIG)
        self.kept = os.path.join(self.directory, "kept")

    def file(self, name, text):
        return testbed.write(self.directory, name, text)

    def read(self, name):
        with open(os.path.join(self.directory, name), encoding="utf8") as f:
            return f.read()

    def start(self, *more, **named):
        switch = Switch(self.directory, self.config, "--rollback-dir", self.kept, *more,
                        vdevs=("net_ring0", "net_ring1"), sleep=None, **named)
        self.addCleanup(switch.end)
        return switch.wait()

    def path(self, name):
        return os.path.join(self.directory, name)

    def test_diff(self):
        """Each difference, applied to what was saved before, gives what is saved now, and is not longer than difflib's."""
        switch = self.start()
        client, taken = switch.connect(), 0
        for seed in range(1, 9):
            client.say(f"load {self.config} replace")
            for name in ("a", "b"):
                for line in random_lines(seed * 7 + ord(name), 120):
                    taken += client.ask(line)[0]
                client.say("save " + self.path(name))
            before, after = self.read("a").splitlines(), self.read("b").splitlines()
            found = client.json("show diff " + self.path("b"))
            self.assertEqual(found, [])
            client.say(f"load {self.path('a')} replace")
            found = client.json("show diff " + self.path("b"))
            self.assertEqual(applied(before, found), after)
            theirs = [x for x in difflib.ndiff(before, after) if x[0] in "+-"]
            self.assertLessEqual(len(found), len(theirs))
            self.assertEqual(bool(found), bool(theirs))
            # As text, the same lines.
            text = client.say("show diff " + self.path("b")).splitlines()
            if found:
                self.assertEqual(text[2:], [f"{d['change']} {d['command']}" for d in found])
            self.assertEqual(client.say(f"load {self.path('b')} replace check").splitlines()[:len(text)], text)
            self.file("c", "\n".join(applied(before, found)) + "\n")
            client.say(f"load {self.path('c')} replace")
            client.say("save " + self.path("d"))
            self.assertEqual(self.read("d"), self.read("b"))
        self.assertGreater(taken, 100)

    def test_saved_and_save(self):
        switch = self.start()
        self.assertIn("no difference", switch.say("show diff"))
        switch.say("set port p1 mtu 1400")
        text = switch.say("show diff")
        self.assertIn(f"--- {self.config}\n+++ running\n", text)
        self.assertIn("\n+ port add p1 mtu 1400 device net_ring0\n", text)
        self.assertEqual(switch.say("save"), f"saved to {self.config}\n")
        self.assertIn("no difference", switch.say("show diff"))
        self.assertIn("mtu 1400", self.read("fastcn.conf"))
        for typed, meant in (("write", "save"), ("copy running-config startup-config", "save"), ("compare", "show diff"),
                             ("show | compare", "show diff"), ("show compare", "show diff"),
                             ("commit confirmed 5", "commit confirm SECONDS")):
            self.assertIn(f"did you mean {meant}", switch.say(typed), typed)

    def test_console_gone(self):
        """The time of a trial passes although nobody is there any more."""
        switch = self.start()
        client = switch.connect()
        client.say("commit confirm 2")
        client.say("set port p1 mtu 1400")
        client.close()
        self.assertIn("mtu 1400", switch.say("show config"))
        self.assertIn("goes back to the configuration of before", switch.say("show warnings"))
        wait_until(lambda: "mtu 1400" not in switch.say("show config"))
        events = [e for e in switch.json("show events")["events"] if e["event"] in ("configured", "reverted")]
        self.assertEqual([(e["user"], e["text"]) for e in events],
                         [(ME, "commit confirm 2"), (ME, "set port p1 mtu 1400"), (ME, "commit confirm 2")])
        self.assertEqual([c["comment"] for c in switch.json("show rollback")["configurations"]],
                         ["gone back to, as nothing was confirmed", "not confirmed", "start"])
        self.assertNotIn("goes back", switch.say("show warnings"))

    def test_device_of_another_port(self):
        """Within a trial, ports have changed places and names: they come back."""
        switch = self.start()
        config = lambda: sorted(switch.say("show config").splitlines())    # ports that come back are the last ones
        before = config()
        for lines in (("port remove p1", "port add uplink device net_ring0"),
                      ("port remove p1", "port remove p2", "port add p1 device net_ring1", "port add p9 device net_ring0")):
            with self.subTest(lines=lines):
                switch.say("commit confirm 1")
                for line in lines:
                    switch.say(line)
                self.assertNotEqual(config(), before)
                wait_until(lambda: config() == before)
                self.assertEqual(switch.json("show warnings")["warnings"], [])

    def test_restarted(self):
        """The file of the start was changed and loaded on trial, and the power went: the next start has that file, and
        goes back at the end of the time."""
        switch = self.start()
        switch.say("set port p2 mtu 1300")
        self.file("fastcn.conf", CONFIG + "set port p1 mtu 1400\n")
        self.assertIn("within 30 s", switch.say(f"load {self.config} replace confirm 30"))
        switch.stop(signal.SIGKILL)
        switch.end()
        switch = self.start()
        self.assertIn("mtu 1400", switch.say("show config"))
        self.assertRegex(switch.said(), r"ended within the time of a trial, of which \d+ s are left")
        self.assertLess(switch.json("show rollback")["on_trial"]["left_s"], 31)
        self.assertIn("on trial", switch.say("save"))
        switch.say("commit confirm 1")
        wait_until(lambda: "mtu 1400" not in switch.say("show config"))
        self.assertIn("mtu 1300", switch.say("show config"))
        # Ended in good order, it is the same; and `commit` of another process ends it.
        switch.say("commit confirm 60")
        switch.stop()
        switch.end()
        switch = self.start()
        self.assertIsNotNone(switch.json("show rollback")["on_trial"])
        self.assertIn("confirmed", switch.say("commit"))
        self.assertIn("mtu 1400", switch.say("show config"))
        switch.stop()
        switch.end()
        self.assertIsNone(self.start().json("show rollback")["on_trial"])

    def test_power_cut(self):
        """Whenever the process is killed, what is kept is whole."""
        seen = 0
        for turn in range(4):
            switch = self.start()
            self.assertNotIn("not whole", switch.said())
            rows = switch.json("show rollback")["configurations"]
            self.assertGreaterEqual(len(rows), min(10, seen))
            for row in rows:
                switch.say(f"rollback {row['rollback']}")
            client = switch.connect()
            client.send("".join(f"set port p1 mtu {1200 + turn * 100 + i}\ncommit\n" for i in range(80)))
            time.sleep(0.05 + 0.05 * turn)
            switch.stop(signal.SIGKILL)
            switch.end()
            names = [n for n in os.listdir(self.kept) if not n.startswith(".")]
            seen = len(names)
            self.assertTrue(all(re.fullmatch(r"\d{8}\.conf", n) for n in names), names)
            self.assertTrue(all(os.stat(os.path.join(self.kept, n)).st_mode & 0o777 == 0o600 for n in names))
        victim = os.path.join(self.kept, sorted(names)[-1])
        os.truncate(victim, os.stat(victim).st_size // 2)
        switch = self.start()
        self.assertIn(f"{victim} is not whole, and is ignored", switch.said())
        self.assertNotIn("no configuration is kept", switch.say("rollback 0"))

    def test_device_gone(self):
        """A port whose device cannot be made any more is left out; the others are as they were."""
        pcap = self.path("in.pcap")
        with open(pcap, "wb") as f:
            f.write(bytes.fromhex("d4c3b2a1020004000000000000000000ffff000001000000"))
        switch = self.start()
        switch.say(f"port add p3 device net_pcap7,rx_pcap={pcap},tx_pcap={self.path('out.pcap')}")
        switch.say("address add p3 2001:db8:3::1/64")
        if "p3" not in switch.say("show port"):
            self.skipTest("no net_pcap here")
        self.assertIn("kept", switch.say("commit"))
        switch.say("port remove p3")
        switch.say("set port p1 mtu 1400")
        os.unlink(pcap)
        text = switch.say("rollback 0")
        self.assertIn("warning: port p3: ", text)
        self.assertIn("is in force", text)
        config = switch.say("show config")
        self.assertNotIn("p3", config)
        self.assertNotIn("mtu 1400", config)
        self.assertEqual([w["warning"] for w in switch.json("show warnings")["warnings"]].count("left_out"), 1)
        self.assertIn("up", switch.say("show status"))

    def ctl(self, switch, *words):
        return subprocess.Popen([testbed.options.fastcnctl, "--socket", switch.path, *words], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def test_follow(self):
        """Events come while they are followed, until Ctrl-C; also as lines of JSON."""
        switch = self.start()
        for words, want in ((("show", "events", "follow"), f' configured user {ME} role full text "set port p1 mtu 1400"'),
                            (("--json", "sh", "ev", "fol"), '"text":"set port p1 mtu 1400"')):
            with self.ctl(switch, *words) as p:
                while "started" not in (line := p.stdout.readline()):
                    self.assertNotEqual(line, "")
                switch.say("set port p1 mtu 1400")
                for line in p.stdout:
                    if want in line:
                        break
                self.assertIn(want, line)
                if words[0] == "--json":
                    self.assertEqual(json.loads(line)["user"], ME)
                p.send_signal(signal.SIGINT)
                rest, err = p.communicate(timeout=testbed.seconds(10))
            self.assertEqual((p.returncode, err), (0, ""))
            self.assertNotIn("next", rest)
            switch.say("set port p1 mtu 1500")

    def test_follow_on_terminals(self):
        """In fastcnctl's console and in the switch's own one, Ctrl-C ends it and not the console."""
        switch = self.start()
        ctl = Terminal([testbed.options.fastcnctl, "--socket", switch.path],
                       {"FASTCNCTL_HISTORY": self.path("history")})
        self.addCleanup(ctl.end)
        ctl.until("fastcn> ")
        ctl.type("show events follow\r")
        ctl.until("started")
        switch.say("set port p1 mtu 1400")
        ctl.until("set port p1 mtu 1400")
        ctl.type("\x03")
        ctl.until("fastcn> ")
        ctl.type("show version\r")
        ctl.until("dpdk")
        switch.end()
        own = Terminal([testbed.options.fastcn, *testbed.eal("--no-telemetry", "--vdev", "net_ring0", "--vdev",
                                                            "net_ring1"), "--", "--socket", switch.path, "-f", self.config,
                        "-i", "--mbufs", "16383"], {"FASTCN_HISTORY": self.path("history")})
        self.addCleanup(own.end)
        own.until(r"fastcn\(stopped\)> ", 60)
        own.type("show events follow\r")
        own.until("started")
        other = testbed.Client(switch.path)
        self.addCleanup(other.close)
        other.say("set port p1 mtu 1400")
        own.until("set port p1 mtu 1400")
        own.type("\x03")
        own.until(r"fastcn\(stopped\)> ")
        own.type("set port p1 mtu 1401\r")
        own.until(r"fastcn\(stopped\)> ")
        events = [e for e in other.json("show events")["events"] if e["event"] == "configured"]
        self.assertEqual([e["user"] for e in events], [ME, "console"])
        own.type("quit\r")
        self.assertEqual(own.wait(), 0)

    def test_log(self):
        """The log of a short life: who did what, with reloads, forwarding and the end."""
        log = self.path("events.json")
        switch = self.start("--log-events", log)
        switch.say("set port p1 mtu 1400")
        self.file("fastcn.conf", CONFIG + "nonsense\n")
        switch.process.send_signal(signal.SIGHUP)
        wait_until(lambda: "reload_failed" in self.read("events.json"))
        self.file("fastcn.conf", CONFIG)
        switch.process.send_signal(signal.SIGHUP)
        wait_until(lambda: '"reloaded"' in self.read("events.json"))
        switch.say("stop")
        switch.say("start")
        switch.stop()
        lines = [json.loads(line) for line in self.read("events.json").splitlines()]
        names = [e["event"] for e in lines if e["event"] in ("started", "stopped", "configured", "reloaded", "reload_failed",
                                                            "forwarding", "paused")]
        self.assertEqual(names, ["started", "forwarding", "configured", "reload_failed", "reloaded", "paused", "forwarding",
                                 "stopped"])
        self.assertEqual([(e["user"], e["role"], e["text"]) for e in lines if e["event"] == "configured"],
                         [(ME, "full", "set port p1 mtu 1400")])
        self.assertNotIn(None, [e["time"] for e in lines])


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, programs=("fastcn", "fastcnctl", "random_lines")))
