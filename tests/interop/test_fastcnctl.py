#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""fastcnctl: commands, batches, JSON, watch, and the console on a pseudo terminal.

test_fastcnctl.py --fastcn PROGRAM --fastcnctl PROGRAM [unittest options]
"""

import fcntl
import json
import os
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

import testbed
from testbed import Switch, wait_until

CONFIG = """port add p1 device net_ring0
port add p2 device net_ring1
bridge add br0
bridge br0 port add p1
bridge br0 port add p2
"""


class Terminal:
    """A program on a pseudo terminal."""

    def __init__(self, words, env):
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 10, 60, 0, 0))
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        # A session of its own, so that Ctrl-C reaches it, and nobody else.
        self.process = subprocess.Popen(words, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
                                        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
                                        env={**os.environ, "TERM": "xterm", "PAGER": "cat", **env})

    def type(self, text):
        os.write(self.master, text.encode())

    def until(self, pattern, timeout=10):
        """What it shows, up to a pattern."""
        shown, end = "", time.monotonic() + testbed.seconds(timeout)
        while not re.search(pattern, shown):
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.master], [], [], left)[0]:
                raise TimeoutError(f"{pattern}: {shown!r}")
            shown += os.read(self.master, 65536).decode().replace("\r", "")
        return shown

    def wait(self):
        return self.process.wait(timeout=testbed.seconds(10))

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)


class Ctl(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="fcn-ctl-")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = directory.name
        config = cls.file("fastcn.conf", CONFIG)
        cls.switch = Switch(cls.directory, config, vdevs=("net_ring0", "net_ring1"))
        cls.addClassCleanup(cls.switch.end)
        cls.switch.wait()
        cls.env = {"FASTCNCTL_HISTORY": os.path.join(cls.directory, "history")}

    @classmethod
    def file(cls, name, text):
        return testbed.write(cls.directory, name, text)

    def setUp(self):
        if os.path.exists(self.env["FASTCNCTL_HISTORY"]):
            os.unlink(self.env["FASTCNCTL_HISTORY"])

    def words(self, *words):
        return [testbed.options.fastcnctl, "--socket", self.switch.path, *words]

    def run_ctl(self, *words, text=None):
        """Status, standard output and error."""
        p = subprocess.run(self.words(*words), input=text, stdin=subprocess.DEVNULL if text is None else None,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=20, check=False)
        return p.returncode, p.stdout, p.stderr

    def terminal(self, *words):
        terminal = Terminal(self.words(*words), self.env)
        self.addCleanup(terminal.end)
        return terminal

    def test_once(self):
        status, out, err = self.run_ctl("show", "version")
        self.assertEqual((status, err), (0, ""))
        self.assertIn("fastcn:", out)
        self.assertEqual(self.run_ctl("show version")[1], out)
        status, out, err = self.run_ctl("show", "prot")
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(err, r'^column 6: did you mean port\? expected (\S+ ){8}or \d+ more, found "prot"\n$')
        self.assertEqual(self.run_ctl("show\nversion")[0], 2)
        self.assertEqual(self.run_ctl("--nonsense")[0], 2)
        self.assertEqual(self.run_ctl("show", "--json")[0], 1)

    def test_options_anywhere(self):
        for words in (("show", "--json", "port"), ("show", "port", "--json"), ("show port", "--json", "--timeout", "60"),
                      ("--json", "--", "show", "port")):
            status, out, err = self.run_ctl(*words)
            self.assertEqual((status, err), (0, ""))
            self.assertEqual([p["port"] for p in json.loads(out)], ["p1", "p2"])
        self.assertEqual(self.run_ctl("--", "show", "port", "--json")[0], 1)  # behind --, it is a word
        self.assertEqual(self.run_ctl("show", "port", "-n", "1")[0], 2)
        self.assertEqual(self.run_ctl("watch", "show", "port", "-n", "0")[0], 2)
        for seconds in ("x", "-1", "0.01", "1e9", "nan", ""):
            self.assertEqual(self.run_ctl("show", "port", "--timeout", seconds)[0], 2)

    def silent_socket(self, backlog):
        """A socket at which nobody answers."""
        path = os.path.join(self.directory, f"silent-{backlog}")
        s = socket.socket(socket.AF_UNIX)
        self.addCleanup(s.close)
        s.bind(path)
        s.listen(backlog)
        return path

    def ask_silent(self, path, *words):
        begin = time.monotonic()
        p = subprocess.run([testbed.options.fastcnctl, "--socket", path, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True, timeout=testbed.seconds(60), check=False)
        return p.returncode, p.stderr, time.monotonic() - begin

    def test_timeout(self):
        path = self.silent_socket(8)
        status, err, took = self.ask_silent(path, "show", "port", "--timeout", "0.3")
        self.assertEqual(status, 1)
        self.assertIn(f"{path}: the switch has not answered for 0.3 s; it may still run the command", err)
        self.assertGreaterEqual(took, 0.3)
        status, err, took = self.ask_silent(path, "show", "port")
        self.assertEqual(status, 1)
        self.assertIn("has not answered for 5 s", err)
        self.assertGreaterEqual(took, 5)
        # Without a limit, it waits until it is ended.
        p = subprocess.Popen([testbed.options.fastcnctl, "--socket", path, "--timeout", "0", "show", "port"])
        with self.assertRaises(subprocess.TimeoutExpired):
            p.wait(timeout=1)
        p.kill()
        p.wait()
        # Connections that are never accepted.
        path = self.silent_socket(0)
        with socket.socket(socket.AF_UNIX) as other:
            other.connect(path)
            status, err, took = self.ask_silent(path, "show", "port", "--timeout", "0.3")
        self.assertEqual(status, 2)
        self.assertIn("the switch does not accept connections", err)

    def test_timeout_of_the_console(self):
        t = Terminal([testbed.options.fastcnctl, "--timeout", "0.3", "--socket", self.silent_socket(9)], self.env)
        self.addCleanup(t.end)
        t.until("fastcn> $")
        t.type("show port\n")
        t.until(r"(?s)has not answered for 0.3 s.*fastcn> $")  # and goes on
        t.type("\004")
        self.assertEqual(t.wait(), 0)

    def test_json(self):
        for words in (("--json", "show", "port"), ("--json", "show port json"), ("show", "port", "json")):
            status, out, _ = self.run_ctl(*words)
            self.assertEqual(status, 0)
            self.assertEqual([p["port"] for p in json.loads(out)], ["p1", "p2"])
        # No other command has it, nor has a comment.
        status, out, _ = self.run_ctl("--json", "-f", "-", text="set port p1 rate 2G\nshow version # versions\n")
        self.assertEqual(status, 0)
        self.assertIn("fastcn", json.loads(out))
        # A wrong command is told as it was typed.
        for words, said in ((("show", "prot"), 'did you mean port? '), (("show", "port", "p9"), "there is no port p9"),
                            (("show",), ", found end of line")):
            status, out, err = self.run_ctl("--json", *words)
            self.assertEqual((status, out), (1, ""))
            self.assertIn(said, err)
            self.assertNotIn("json", err)

    def test_filters(self):
        self.assertEqual(self.run_ctl("show", "config", "|", "include", "^port add")[1],
                         "".join(x + "\n" for x in CONFIG.splitlines() if x.startswith("port add")))
        status, out, _ = self.run_ctl("--json", "show", "port", "|", "include", '"port":')
        self.assertEqual(status, 0)
        self.assertEqual(len(out.splitlines()), 2)
        status, out, _ = self.run_ctl("watch", "sh po | json", "|", "inc", "(", "-n", "1")
        self.assertEqual(status, 1)
        # What is abbreviated ends the session, too.
        self.assertEqual(self.run_ctl(text="q\nshow prot"), (0, "", ""))

    def test_batch(self):
        lines = "# a comment\n\nset port p1 rate 3G\nset port p1 rate 10X\nset port p1 rate 4G\n"
        path = self.file("batch", lines)
        status, out, err = self.run_ctl("-f", path)
        self.assertEqual((status, out), (1, ""))
        self.assertTrue(err.startswith(f"{path}:4:18: "), err)
        self.assertIn("set port p1 rate 3G", self.run_ctl("show", "config")[1])
        # Goes on, and still says that something failed.
        status, _, err = self.run_ctl("-k", "-f", path)
        self.assertEqual(status, 1)
        self.assertEqual(len(err.splitlines()), 1)
        self.assertIn("set port p1 rate 4G", self.run_ctl("show", "config")[1])
        # From standard input, with no end of the last line; nothing behind quit.
        status, out, err = self.run_ctl(text="set port p1 rate 5G\nquit\nshow prot")
        self.assertEqual((status, out, err), (0, "", ""))
        status, out, err = self.run_ctl(text="show version\nshow prot")
        self.assertEqual(status, 1)
        self.assertIn("fastcn:", out)
        self.assertTrue(err.startswith("stdin:2:6: "), err)
        # Lines that no command can be: refused one by one.
        status, _, err = self.run_ctl("-k", text="x" * 100000 + "\nshow version\nshow \0version\n")
        self.assertEqual(status, 1)
        self.assertEqual([x.split(" ")[0] for x in err.splitlines()], ["stdin:1:1025:", "stdin:3:6:"])
        self.assertEqual(self.run_ctl("-f", path + "-none")[0], 2)

    def stale_socket(self):
        """The path of a socket that nobody listens at."""
        path = os.path.join(self.directory, "stale")
        with socket.socket(socket.AF_UNIX) as s:
            s.bind(path)
        return path

    def test_no_switch(self):
        for path, said in ((os.path.join(self.directory, "none"), "no switch runs here"),
                           (self.stale_socket(), "the switch of this socket has ended"),
                           (self.switch.config, "it is not a socket"), (self.directory, "it is not a socket")):
            begin = time.monotonic()
            p = subprocess.run([testbed.options.fastcnctl, "--socket", path, "show", "version"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, timeout=20, check=False)
            self.assertEqual((p.returncode, p.stdout), (2, ""))
            self.assertIn(f"{path}: {said}", p.stderr)
            self.assertLess(time.monotonic() - begin, testbed.seconds(5))

    def test_by_name(self):
        """Where neither is told a path."""
        name = f"fcn-test-{os.getpid()}"
        env = {**os.environ, "XDG_RUNTIME_DIR": self.directory}
        path = os.path.join("/run" if os.geteuid() == 0 else self.directory, "fastcn", name + ".sock")
        switch = subprocess.Popen([testbed.options.fastcn, *testbed.eal(), "--", "--name", name], stdin=subprocess.DEVNULL, env=env)
        try:
            wait_until(lambda: switch.poll() is not None or os.path.exists(path), 30)
            p = subprocess.run([testbed.options.fastcnctl, "--name", name, "--timeout", "60", "shutdown"], env=env, timeout=70,
                               check=False)
            self.assertEqual(p.returncode, 0)
            self.assertEqual(switch.wait(timeout=testbed.seconds(20)), 0)
        finally:
            switch.kill()
            switch.wait()
        self.assertFalse(os.path.exists(path))
        del env["XDG_RUNTIME_DIR"]
        p = subprocess.run([testbed.options.fastcnctl, "--name", name, "show", "version"], env=env, stderr=subprocess.PIPE, text=True,
                           timeout=20, check=False)
        self.assertEqual(p.returncode, 2)
        self.assertIn(path if os.geteuid() == 0 else "XDG_RUNTIME_DIR is not set", p.stderr)

    def test_no_fastcn(self):
        path = os.path.join(self.directory, "other")
        with socket.socket(socket.AF_UNIX) as other:
            other.bind(path)
            other.listen(1)
            p = subprocess.Popen([testbed.options.fastcnctl, "--socket", path, "show", "version"], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
            with other.accept()[0] as s:
                s.sendall(b"220 mail.example ESMTP\r\n")
                _, err = p.communicate(timeout=testbed.seconds(10))
        self.assertEqual(p.returncode, 1)
        self.assertIn("the program at this socket is not fastcn", err)

    def test_watch(self):
        p = subprocess.Popen(self.words("watch", "-n", "0.1", "show", "version"), stdout=subprocess.PIPE, text=True)
        lines = [p.stdout.readline() for _ in range(6)]  # three times two lines
        self.assertEqual(lines[:2] * 3, lines)
        p.send_signal(signal.SIGINT)
        p.communicate(timeout=testbed.seconds(10))
        self.assertEqual(p.returncode, 0)
        for words in (("watch", "clear", "counters"), ("watch", "-n", "0", "show", "port"), ("watch",)):
            self.assertEqual(self.run_ctl(*words)[0], 2)
        self.assertEqual(self.run_ctl("watch", "show", "prot")[0], 1)

    def test_watch_on_a_terminal(self):
        t = self.terminal("watch", "-n", "0.1", "show", "port", "detail")
        # Cleared once, then drawn over: no more lines than there are, none longer.
        shown = t.until(r"(?s)every 0.1s: show port detail.*every 0.1s: show port detail.*every")
        self.assertEqual(shown.count("\033[2J"), 1)
        frame = shown.split("\033[H")[1]
        self.assertEqual(len(frame.splitlines()), 10)
        self.assertLess(max(len(re.sub(r"\033\[[A-Z]", "", x)) for x in frame.splitlines()), 60)
        t.type("\003")
        self.assertEqual(t.wait(), 0)

    def test_console(self):
        t = self.terminal()
        t.until("fastcn> $")
        t.type("sho\tvers\t\n")
        shown = re.sub(r"\033\[0K", "", t.until(r"(?s)dpdk:.*fastcn> $"))
        self.assertRegex(shown, r"show version *\nfastcn:")
        t.type("set port p1 rate 10X\n")
        shown = t.until("fastcn> $").splitlines()
        self.assertEqual(shown[1], " " * (len("fastcn> ") + 17) + "^")
        self.assertTrue(shown[2].startswith("expected <rate> or off"), shown)
        t.type("show ?")
        self.assertRegex(t.until(r"version .*versions of"), r"conservation +Show the packet accounting")
        t.type("\003")  # throws the line away, ends nothing
        t.until("fastcn> $")
        t.type("watch -n 0.1 show version\n")
        t.until(r"(?s)every 0.1s.*every 0.1s")
        t.type("\003")
        t.until("fastcn> $")
        t.type("\033[A\033[A\033[A\n")  # up: the third line from the end
        self.assertIn("show version", t.until(r"(?s)dpdk:.*fastcn> $"))
        t.type("\004")
        self.assertEqual(t.wait(), 0)
        self.assertEqual(termios.tcgetattr(t.slave), t.before)
        # A later session remembers.
        with open(self.env["FASTCNCTL_HISTORY"], encoding="ascii") as f:
            self.assertEqual([x.strip() for x in f],
                             ["show version", "set port p1 rate 10X", "watch -n 0.1 show version", "show version"])
        self.assertEqual(os.stat(self.env["FASTCNCTL_HISTORY"]).st_mode & 0o777, 0o600)
        t = self.terminal()
        t.until("fastcn> $")
        t.type("\033[A\033[A\n")
        t.until("every 2s|every 0.1s")
        t.type("\003")
        t.until("fastcn> $")
        t.type("exit\n")
        self.assertEqual(t.wait(), 0)

    def test_search(self):
        """Ctrl-R finds lines of this session and of earlier ones."""
        testbed.write(self.directory, "history", "show version\nshow port\n")
        t = self.terminal()
        t.until("fastcn> $")
        t.type("\022vers")
        t.until(r"\(history\)`vers': show version$")
        t.type("\n")
        t.until(r"(?s)dpdk:.*fastcn> $")
        t.type("\022port\003")
        t.until("fastcn> ")
        t.type("\004")
        self.assertEqual(t.wait(), 0)

    PAGER = "sed 's/^/paged /'; echo \"less $LESS secure $LESSSECURE\"; read key </dev/tty; echo \"key $key\""

    def test_pager(self):
        """What has no room on the terminal is shown by $PAGER, which has the terminal until it ends."""
        self.env = {**self.env, "PAGER": self.PAGER}
        t = self.terminal()
        t.until("fastcn> $")
        t.type("show version\n")  # it has room
        self.assertNotIn("paged", t.until(r"(?s)dpdk:.*fastcn> $"))
        t.type("show config\n")
        shown = t.until("less FRX secure 1\n$")
        self.assertRegex(shown, r"(?m)^paged port add p1 device net_ring0")
        t.type("q\n")  # for the pager, not for the console
        self.assertEqual(t.until("fastcn> $").splitlines()[-2:], ["key q", "fastcn> "])
        t.type("show config | include ^bridge.add\n")
        self.assertNotIn("paged", t.until(r"(?s)bridge add br0\n.*fastcn> $"))
        t.type("\004")
        self.assertEqual(t.wait(), 0)
        # A command of the shell's, and Ctrl-C, which is the pager's.
        t = self.terminal("show", "config")
        t.until("less FRX secure 1\n$")
        t.type("\003")
        self.assertEqual(t.wait(), 0)

    def test_no_pager(self):
        """Nobody reads on a terminal, or wants none, or there is none."""
        self.env = {**self.env, "PAGER": self.PAGER}
        for env in ({"PAGER": "cat"}, {"PAGER": ""}, {"TERM": "dumb"}):
            t = Terminal(self.words("show", "config"), {**self.env, **env})
            self.addCleanup(t.end)
            self.assertEqual(t.wait(), 0)
            self.assertNotIn("paged", t.until("bridge br0 port add p2"))
        p = subprocess.run(self.words("show", "config"), stdout=subprocess.PIPE, text=True, check=True,
                           env={**os.environ, "TERM": "xterm", **self.env})
        self.assertRegex(p.stdout, r"(?m)^port add p1 device net_ring0")

    def test_prompt(self):
        """It tells whether the switch forwards, also when another session has stopped it."""
        t = self.terminal()
        t.until("fastcn> $")
        t.type("stop\n")
        self.assertRegex(t.until(r"fastcn\(stopped\)> $"), r"(?s)ports:.*conservation:.*ok: +yes")
        t.type("show prot\n")
        self.assertEqual(t.until(r"fastcn\(stopped\)> $").splitlines()[1], " " * (len("fastcn(stopped)> ") + 5) + "^")
        self.assertEqual(self.run_ctl("start")[0], 0)
        t.type("\n")
        t.until("fastcn> $")
        t.type("exit\n")
        self.assertEqual(t.wait(), 0)

    def test_completion_of_names(self):
        t = self.terminal()
        t.until("fastcn> $")
        t.type("show port \t")
        self.assertRegex(t.until(r"(?s)<port.* p1\n.* p2\n"), "detail|json")
        t.type("p2 \025show bri\tb\t")
        t.until(r"(?s)show bridge .*br0 ")
        t.type("\nset port p1 rate 1G ov?")
        t.until("Bytes counted for each frame")
        t.type("\025save " + self.directory + "/fastcn.c\t")
        t.until(re.escape(self.directory + "/fastcn.conf "))
        t.type("\025\004")
        self.assertEqual(t.wait(), 0)

    def built_in(self, directory, **env):
        """The console of a switch itself."""
        words = [testbed.options.fastcn, *testbed.eal(), "--vdev", "net_ring0", "--vdev", "net_ring1", "--", "-i", "--no-socket",
                 "-f", self.switch.config]
        t = Terminal(words, {"FASTCN_HISTORY": os.path.join(directory, "history"), **env})
        self.addCleanup(t.end)
        t.until(r"fastcn\(stopped\)> $", 60)
        return t

    def test_built_in_console(self):
        directory = os.path.join(self.directory, "built-in")
        os.mkdir(directory)
        testbed.write(directory, "some.conf", "set port p1 rate 1G\n")
        t = self.built_in(directory)
        t.type("set port p2 ra\t3G\n")
        t.until(r"\)> $")
        t.type("show por\tp\t")
        t.until(r"(?s) p1\n.* p2\n.*show port p")
        t.type("2 | inc ^p2\n")
        self.assertEqual(len([x for x in t.until(r"(?s)inc .*\)> $").splitlines() if x.startswith("p")]), 1)
        t.type("load " + directory + "/so\t\n")
        t.until(r"some.conf [^>]*\)> $")
        t.type("no set port p2 rate\n")
        t.until(r"\)> $")
        t.type("show run | exc ^bri\n")
        shown = t.until(r"\)> $")
        self.assertEqual([x for x in shown.splitlines() if x.startswith("set ")], ["set port p1 rate 1G"])
        t.type("qui\n")
        self.assertEqual(t.wait(), 0)
        self.assertEqual(os.stat(os.path.join(directory, "history")).st_mode & 0o777, 0o600)
        # A later session remembers.
        t = self.built_in(directory)
        t.type("\033[A\033[A\n")
        t.until(r"show run \| exc \^bri")
        t.type("\004")
        self.assertEqual(t.wait(), 0)

    def test_pager_of_the_built_in_console(self):
        """The switch goes on while somebody reads, and lines that were typed come afterwards."""
        directory = os.path.join(self.directory, "paged")
        os.mkdir(directory)
        t = self.built_in(directory, PAGER=self.PAGER)
        t.type("show config\n")
        self.assertRegex(t.until("less FRX secure 1\n$"), r"(?m)^paged port add p1 device net_ring0")
        t.type("q\n")
        self.assertEqual(t.until(r"\)> $").splitlines()[-2:], ["key q", "fastcn(stopped)> "])
        t.type("show version\nshow config\nstart\n")
        t.until(r"(?s)dpdk:.*less FRX")
        t.type("q\n")
        t.until(r"(?s)key q.*fastcn> $")
        t.type("\004")
        self.assertEqual(t.wait(), 0)

    def test_console_of_a_switch_that_ends(self):
        directory = os.path.join(self.directory, "second")
        os.mkdir(directory)
        switch = Switch(directory, None)
        self.addCleanup(switch.end)
        switch.wait()
        t = Terminal([testbed.options.fastcnctl, "--socket", switch.path], self.env)
        self.addCleanup(t.end)
        t.until("fastcn> $")
        self.assertEqual(switch.stop()[0], 0)
        t.until("the switch has ended the session")
        self.assertEqual(t.wait(), 1)
        self.assertEqual(termios.tcgetattr(t.slave), t.before)

    def test_console_that_is_idle(self):
        """The switch says why it ends the session."""
        directory = os.path.join(self.directory, "idle")
        os.mkdir(directory)
        switch = Switch(directory, None, "--session-idle", "1")
        self.addCleanup(switch.end)
        switch.wait()
        t = Terminal([testbed.options.fastcnctl, "--socket", switch.path], self.env)
        self.addCleanup(t.end)
        t.until("fastcn> $")
        t.until("the session has ended, as nothing was asked for 1 s")
        self.assertEqual(t.wait(), 1)


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, programs=("fastcn", "fastcnctl")))
