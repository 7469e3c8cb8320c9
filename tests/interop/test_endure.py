#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Endurance: a live switch between hosts in network namespaces, with traffic all the time, to which happens in random order what
may happen in years: lines of any command, right and wrong, links that go, come back and change their speed, floods, consoles and
collectors that are killed or do not read, full disks, reloads, restarts of fastcn-pnc. After each action it answers, and every
packet is accounted for; at rest, every few seconds, its configuration is again that of the file, hosts reach each other, and
neither memory, packet buffers nor descriptors have become more. Needs root, or is skipped.

test_endure.py --fastcn PROGRAM --fastcnctl PROGRAM --fastcn_pnc PROGRAM --random_lines PROGRAM --link_state MODULE
    [--long SECONDS] [--seed N] [--workers N]

The same seed does the same in the same order; how much of it happens in a second depends on the machine. scripts/endure builds
what it needs and runs it for longer than a test.
"""

import argparse
import collections
import contextlib
import ctypes
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import bmp
import testbed
from endure_net import ADDRESS, DEVICES, HOSTS, MAC, METRICS, SPEEDS, Floods, Net, Traffic, colons
from endure_watch import Fault, Watch

SECONDS = 30      # without --long
ROUND = 7         # seconds from one rest to the next
KEPT = 40         # actions that the report of a fault has
BMP_PORT = 1790
DISK = "1m"       # for captures and the log of events
CONFIG_DISK = "96k"
CLONE_NEWNS, MS_PRIVATE = 0x00020000, 1 << 18 | 1 << 14

# What would end or replace the process or the session, overwrite the file that it starts with, change the configuration later by
# itself, keep all processors busy, or fill the log; words may be abbreviated.
LEFT_OUT = re.compile(r"sh?u|q|ex|re|ha|sav?e?$|co|rol\S* \S+ c|set (l|lo|log|w.*|m|me.*)( |$)")
# The names of what there is, and of what there is not.
NAMES = ("p1", "p2", "p3", "p4", "br0", "gw", "red", "toward", "p1", "p2", "p3", "p4", "all", "p1.7", "br1", "nope")

CONFIG = f"""
set worker idle sleep 1ms
set host dad off
set loopback 2001:db8:f::5
bridge add br0
table add red
srv6 policy add toward
port add p1 device net_af_packet0
port add p2 device net_af_packet1
port add p3 device net_af_packet2
port add p4 device net_af_packet3
set port p1 mac {colons(MAC["p1"])}
set port p2 mac {colons(MAC["p2"])}
bridge br0 port add p3
bridge br0 port add p4
bridge br0 interface add gw
set port gw mac {colons(MAC["gw"])}
address add p1 {ADDRESS["p1"]}/64
address add p2 {ADDRESS["p2"]}/64
address add gw {ADDRESS["gw"]}/64
address add p1 192.0.2.1/25
address add p2 192.0.2.129/25
neighbour add p1 {ADDRESS["h1"]} {colons(MAC["h1"])}
neighbour add p2 {ADDRESS["h2"]} {colons(MAC["h2"])}
set queue p2 class 3 peak 4M
set queue p2 class 3 limit 60K
set queue p2 class 3 detector step threshold 15K leave 8K
set queue p2 class 3 ecn on
set queue p2 class 3 notify on
set notify interval 100us
set notify fast-cnp on
set pfc all class 4 send on
set pfc all class 4 receive on
set pfc all watchdog drop
set buffer size 4M
set metrics listen {METRICS}
"""


def private_mounts():
    """What is mounted from now on is gone with this process."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNS) or libc.mount(b"none", b"/", None, MS_PRIVATE, None):
        raise OSError(ctypes.get_errno(), "unshare")


class Endurance:
    """A switch, and what happens to it."""

    def __init__(self, directory, seed, stack):
        self.directory, self.chance = directory, random.Random(seed)
        self.stack = stack
        self.done, self.last = collections.Counter(), collections.deque(maxlen=KEPT)
        self.links = {n: [10000, 1] for n in range(4)}
        self.idle = []  # sessions of consoles and collectors that do not read
        self.pnc = self.router = None
        self.floods = Floods(self.chance)
        self.net = Net()
        stack.callback(self.net.destroy)
        self.net.create()
        for name, size in (("out", DISK), ("conf", CONFIG_DISK)):
            os.mkdir(self.path(name))
            testbed.run("mount", "-t", "tmpfs", "-o", f"size={size}", "none", self.path(name))
            stack.callback(testbed.run, "umount", "--lazy", self.path(name))
        self.file = testbed.write(self.path("conf"), "fastcn.conf",
                                  CONFIG + f"set log events {self.path('out/events')}\n")
        with open(self.file, encoding="ascii") as f:
            self.text = f.read()
        testbed.write(self.path("conf"), "empty.conf", "set worker idle sleep 1ms\n")
        self.set_links()
        runtime = self.path("run")
        os.mkdir(runtime)
        self.switch = testbed.Switch(directory, self.file, "--config-dir", self.path("conf"), "--output-dir", self.path("out"),
                                     vdevs=DEVICES, namespace=self.net.name["sw"], sleep=None,
                                     eal_options=(f"--file-prefix=fcn{os.getpid()}",),
                                     env={"RUNTIME_DIRECTORY": runtime, "LD_PRELOAD": testbed.options.link_state,
                                          "LINK_STATE_FILE": self.path("links")})
        stack.callback(self.switch.end)
        self.watch = Watch(self.switch.wait(), runtime)
        lines = subprocess.Popen([testbed.options.random_lines, str(seed), *NAMES], stdout=subprocess.PIPE, text=True)
        stack.callback(lines.wait)
        stack.callback(lines.kill)
        stack.callback(lines.stdout.close)
        self.lines = lines.stdout
        self.config = self.watch.say("show config")
        # The first capture makes rings, which stay.
        self.watch.say("capture start port all both file x0")
        self.watch.say("capture stop")
        self.traffic = Traffic(self.net)
        stack.callback(self.traffic.end)
        stack.callback(self.end_pnc)
        stack.callback(self.end_idle)

    def path(self, name):
        return os.path.join(self.directory, name)

    def note(self, what, more=""):
        """Count an action, and keep it for the report of a fault."""
        self.done[what] += 1
        self.last.append(f"{what} {more}".rstrip())

    # ---- lines ----

    def line(self):
        while True:
            line = self.lines.readline().rstrip("\n")
            if not LEFT_OUT.match(line):
                return line

    def act_lines(self):
        """A console types anything. What is refused says why."""
        client = self.watch.connect()
        try:
            for _ in range(self.chance.randint(1, 12)):
                line = self.line()
                self.note("lines", line)
                ok, text = client.ask(line)
                self.done["lines, accepted" if ok else "lines, refused"] += 1
                if not ok and len(text) < 3:
                    raise Fault(f"\"{line}\" was refused without a word")
                self.watch.conservation()
        except TimeoutError:
            raise Fault(f"no answer to \"{line}\"") from None
        except (EOFError, ConnectionError):
            pass  # a slip can make a line one that ends the session
        finally:
            client.close()

    def act_batch(self):
        """Some lines at once, the session killed before they are answered."""
        lines = [self.line() for _ in range(self.chance.randint(5, 40))]
        self.note("sessions killed", "; ".join(lines))
        client = self.watch.connect()
        client.send("\n".join(lines) + "\nset port p1 ra")
        time.sleep(self.chance.uniform(0, 0.05))
        client.close()

    def act_shows(self):
        for what in self.chance.sample(("port", "queue", "route", "mac", "neighbour", "notify", "pfc", "bridge", "events",
                                        "warnings", "worker", "host", "sender", "drops", "status", "rates"), 4):
            self.note("shows", what)
            self.watch.json("show " + what)

    def act_start(self):
        word = self.chance.choice(("stop", "start"))
        self.note("stop and start", word)
        self.watch.ask(word)

    def act_ports(self):
        """A port is removed, with the packets that wait at it, and comes back."""
        port = self.chance.choice(("p1", "p2", "p2", "p3", "p4"))
        self.note("ports removed", port)
        ok, _ = self.watch.ask(f"port remove {port}")
        if ok:
            self.watch.conservation()
        self.watch.say("load fastcn.conf replace")

    # ---- files ----

    def act_save(self):
        """On a disk that may be full: then nothing is lost, and it says so."""
        name = self.chance.choice(("a.conf", "b.conf"))
        self.note("saved", name)
        path = os.path.join(self.path("conf"), name)
        before = open(path, encoding="ascii").read() if os.path.exists(path) else None
        text = self.watch.say("show config")
        ok = self.watch.ask("save " + name)[0]
        after = open(path, encoding="ascii").read() if os.path.exists(path) else None
        if after != (text if ok else before):
            raise Fault(f"{name} is not whole behind save, which " + ("succeeded" if ok else "failed"))

    def act_disk(self):
        """Captures on a small disk, and another file beside them; the disk of the configuration, too."""
        where = self.chance.choice(("out", "conf"))
        self.note("full disk", where)
        try:
            with open(os.path.join(self.path(where), "ballast"), "wb", buffering=0) as f:
                for _ in range(32):
                    f.write(bytes(1 << 15))
        except OSError:
            pass
        self.watch.ask(f"capture start port all both file x{self.chance.randint(1, 3)}")
        self.watch.ask(f"save {self.chance.choice(('a.conf', 'fastcn.conf.new'))}")

    def empty_disks(self):
        for where in ("out", "conf"):
            for name in os.listdir(self.path(where)):
                if name not in ("fastcn.conf", "empty.conf", "events"):
                    os.unlink(os.path.join(self.path(where), name))

    def act_reload(self):
        """By signal; and files with an error, of which nothing is taken."""
        wrong = self.chance.random() < 0.3
        self.note("reload", "with errors" if wrong else "")
        before = self.watch.say("show config") if wrong else self.config
        if wrong:
            self.empty_disks()
            with open(self.file, "a", encoding="ascii") as f:
                f.write(f"{self.line()}\nport ad x\n")
        said = len(self.switch.said())
        try:
            self.switch.process.send_signal(signal.SIGHUP)
            if wrong:
                self.watch.wait(lambda: "nothing was changed" in self.switch.said()[said:], "a reload with errors is silent")
        finally:
            if wrong:
                with open(self.file, "w", encoding="ascii") as f:
                    f.write(self.text)
        self.watch.wait(lambda: self.watch.say("show config") == before,
                        lambda: f"behind a reload the configuration is another one:\n{self.watch.say('show config')}")

    # ---- links ----

    def set_links(self):
        text = "".join(f"net_af_packet{n} {mbps} {up}\n" for n, (mbps, up) in self.links.items())
        os.rename(testbed.write(self.directory, "links.new", text), self.path("links"))

    def act_links(self):
        for _ in range(self.chance.randint(1, 3)):
            n = self.chance.randrange(4)
            if self.chance.random() < 0.5:
                self.links[n][1] ^= 1
            else:
                self.links[n][0] = self.chance.choice(SPEEDS)
            self.note("link changes", f"p{n + 1} {self.links[n]}")
            self.set_links()
            time.sleep(self.chance.uniform(0, 0.1))

    def act_interfaces(self):
        """The kernel's side goes away, and comes back."""
        n = self.chance.randrange(4)
        self.note("interface flaps", f"s{n + 1}")
        for state in ("down", "up"):
            self.net.ip("sw", "link", "set", f"s{n + 1}", state)
            time.sleep(self.chance.uniform(0, 0.05))

    def act_flood(self):
        kind, host = self.chance.choice(Floods.KINDS), self.chance.choice(HOSTS)
        frames = self.floods.make(kind, host, self.chance.choice((100, 400)))
        times = self.chance.choice((1, 5, 20))
        self.note("flood of " + kind, f"from {host}, {len(frames)} frames {times} times")
        for _ in range(times):
            self.traffic.burst(host, frames)

    # ---- consoles and collectors ----

    def act_console(self):
        """fastcnctl is killed in mid session."""
        words = self.chance.choice((("show", "route"), ("watch", "-n", "0.01", "show", "queue"), ("help", "all"), ()))
        self.note("fastcnctl killed", " ".join(words))
        p = subprocess.Popen([testbed.options.fastcnctl, "--socket", self.switch.path, *words], stdin=subprocess.PIPE,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with contextlib.suppress(OSError):
            p.stdin.write(b"show port\nhelp all\nshow config\nset port p1 mtu 9")
            p.stdin.flush()
        time.sleep(self.chance.uniform(0, 0.1))
        p.kill()
        p.wait()
        with contextlib.suppress(OSError):
            p.stdin.close()

    def act_lazy_console(self):
        """Asks, and does not read."""
        self.note("consoles that do not read")
        client = self.watch.connect()
        client.socket.setblocking(False)
        with contextlib.suppress(OSError):
            client.send("help all\n" * 200)
        self.keep(client.socket)

    def act_collector(self):
        """Asks for metrics, and reads nothing, a part, or is gone."""
        what = self.chance.choice(("reads nothing", "half a request", "is gone", "reads all"))
        self.note("collectors", what)
        s = self.net.socket("sw", socket.AF_INET, socket.SOCK_STREAM)
        s.settimeout(testbed.seconds(10))
        try:
            s.connect(("127.0.0.1", METRICS))
            s.sendall(b"GET /metrics HTTP/1.1\r\nHost: x\r\n"[:17 if what == "half a request" else None])
            if what != "half a request":
                s.sendall(b"\r\n")
            while what == "reads all" and s.recv(65536):
                pass
        except OSError:
            pass  # it may be off, or have all of the connections that it takes
        if what in ("is gone", "reads all"):
            s.close()
        else:
            self.keep(s)

    def keep(self, s):
        self.idle.append(s)
        while len(self.idle) > 12:
            self.idle.pop(0).close()

    def end_idle(self):
        while self.idle:
            self.idle.pop().close()

    def act_pnc(self):
        """fastcn-pnc is killed, and started again; a router reports a route with a proxy."""
        self.end_pnc()
        self.note("fastcn-pnc restarted")
        self.pnc = self.net.popen("sw", testbed.options.fastcn_pnc, "--socket", self.switch.path, "--bmp", "127.0.0.1",
                                  str(BMP_PORT), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        end = time.monotonic() + 1
        while time.monotonic() < end:
            s = self.net.socket("sw", socket.AF_INET, socket.SOCK_STREAM)
            try:
                s.connect(("127.0.0.1", BMP_PORT))
            except OSError:
                s.close()
                time.sleep(0.05)
                continue
            self.router = s
            peer = "192.0.2.9"
            routes = [f"2001:db8:{self.chance.randrange(0x1000, 0xFFFF):x}::/48" for _ in range(50)]
            with contextlib.suppress(OSError):
                s.sendall(bmp.initiation("r1") + bmp.peer_up(peer) + bmp.route(peer, bmp.update(routes, "2001:db8::2")))
            return

    def end_pnc(self):
        if self.pnc is not None:
            self.pnc.kill()
            self.pnc.wait()
            self.pnc = None
        if self.router is not None:
            self.router.close()
            self.router = None

    # ---- rest ----

    def rest(self):
        """All is again as in the file; then it has to do what the file says."""
        self.note("rests")
        self.traffic.going.clear()
        self.end_idle()
        self.end_pnc()
        self.empty_disks()
        self.links = {n: [10000, 1] for n in range(4)}
        self.set_links()
        for line in ("start", "capture stop", "trace clear", "clear err-disable", "set log events reopen"):
            self.watch.ask(line)
        self.empty_disks()
        open(self.path("out/events"), "w", encoding="ascii").close()
        self.watch.say("load fastcn.conf replace")
        if (now := self.watch.say("show config")) != self.config:
            raise Fault(f"the file is loaded, and the configuration is another one:\n{now}")
        self.watch.say("clear mac")
        for source, to in (("h1", "h2"), ("h3", "h4"), ("h4", "gw"), ("h1", "gw")):
            self.watch.wait(lambda s=source, t=to: self.net.ping(s, ADDRESS[s], ADDRESS[t], 1, 0.5),
                            f"{source} does not reach {to}", 20)
        self.watch.rest("empty.conf", "fastcn.conf")
        self.traffic.going.set()

    ACTIONS = {"lines": 8, "batch": 2, "shows": 1, "start": 1, "ports": 1, "save": 1, "disk": 1, "reload": 2, "links": 3,
               "interfaces": 1, "flood": 6, "console": 1, "lazy_console": 1, "collector": 2, "pnc": 1}

    def run(self, seconds):
        names, weights = list(self.ACTIONS), list(self.ACTIONS.values())
        end = time.monotonic() + seconds
        self.rest()
        while time.monotonic() < end:
            round_over = time.monotonic() + ROUND
            while time.monotonic() < min(end, round_over):
                getattr(self, "act_" + self.chance.choices(names, weights)[0])()
                self.watch.always()
            self.rest()

    def report(self, out):
        w = self.watch
        print(f"sent {self.traffic.sent} frames; the slowest answer took {w.slowest:.2f} s", file=out)
        for what, n in sorted(self.done.items()):
            print(f"{n:8} {what}", file=out)
        for name, r in (("first", w.rests[:1]), ("second", w.rests[1:2]), ("last", w.rests[-1:])):
            for x in r:
                print(f"{name} rest: program {x['program'] >> 10} KiB, DPDK {x['dpdk'] >> 10} KiB, {x['buffers']} packet "
                      f"buffers, {x['descriptors']} descriptors", file=out)


class Endures(unittest.TestCase):
    def test_endures(self):
        seconds, seed = testbed.options.long or SECONDS, testbed.options.seed
        print(f"endurance: seed {seed}, {testbed.options.workers} workers, {seconds:.0f} s", flush=True)
        private_mounts()
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        endurance = Endurance(stack.enter_context(tempfile.TemporaryDirectory(prefix="fcn-endure-")), seed, stack)
        try:
            endurance.run(seconds)
            status, _ = endurance.switch.stop()
            self.assertEqual(status, 0, endurance.switch.said())
        except BaseException:
            print(f"the last actions before the fault, the newest at the end (--seed {seed}):")
            for line in endurance.last:
                print("  " + line)
            raise
        finally:
            endurance.report(sys.stdout)
            sys.stdout.flush()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(add_help=False)
    arguments.add_argument("--seed", type=int, default=1)
    _, sys.argv[1:] = arguments.parse_known_args(namespace=testbed.options)
    sys.exit(testbed.main(__doc__, programs=("fastcn", "fastcnctl", "fastcn_pnc", "random_lines", "link_state"), net=Net,
                          tools=("ip", "ethtool", "sysctl", "mount")))
