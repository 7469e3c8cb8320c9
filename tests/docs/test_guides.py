#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Runs what the guides tell the reader to type: the indented lines of README.md, CONTRIBUTING.md and doc/*.md. README.md of
this directory says which are run here, which elsewhere, and how what they print is checked. Needs no root.

test_guides.py --build DIRECTORY [unittest options]
"""

import argparse
import glob
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

from elsewhere import CONTEXT, ELSEWHERE, NOT_COMMANDS

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Written by programs, whose own tests cover them.
GENERATED = {"console.md", "counters.md", "events.md", "scenario.md"}
PROGRAMS = ("fastcn", "fastcnctl", "fastcn-lab", "fastcn-pnc", "fastcn-qpd", "fastcn-endpoint", "fastcn-check")
# First words of the lines of a configuration, of lines for a running switch, and of lines of scenarios.
CONFIGURATION = {"address", "arn", "border", "bridge", "ioam", "neighbour", "port", "proxy", "route", "set", "source", "srv6", "table"}
ACTIONS = {"show", "clear", "capture", "trace"}
SCENARIO = {"title", "param", "choice", "duration", "switch", "host", "link", "flow", "traffic", "at", "watch", "expect", "let",
            "topology", "record", "simbricks"}

# What a part of a scenario may lack, as it stands in another part.
MISSING = re.compile(r"there is no (switch or )?(host|switch)( |$)|: No such file or directory$|has no link$|the hosts have no links$")

build = None


class Block:
    """Indented lines in a page. Lines that end in a backslash are joined with the next."""

    def __init__(self, page, number, lines):
        self.page, self.number = page, number
        self.text = textwrap.dedent("\n".join(lines))  # what belongs to an item of a list stands further in
        self.lines = re.sub(r" *\\\n *", " ", self.text).splitlines()

    @property
    def place(self):
        return f"{self.page}:{self.number}"

    def first_words(self):
        return {line.split()[0] for line in self.lines if line.strip() and not line.startswith((" ", "#"))}


def blocks_of(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as f:
        lines = f.read().splitlines()
    found, here, before = [], [], ""
    for number, line in enumerate(lines + [""], 1):
        if line.startswith("    ") and (here or not before.strip()):
            if not here:
                begin = number
            here.append(line[4:])
        elif here and not line.strip() and number < len(lines) and lines[number].startswith("    "):
            here.append("")
        elif here:
            found.append(Block(page, begin, here))
            here = []
        before = line
    return found


def pages():
    guides = [p for p in sorted(glob.glob(os.path.join(ROOT, "doc", "*.md"))) if os.path.basename(p) not in GENERATED]
    return ["README.md", "CONTRIBUTING.md"] + [os.path.relpath(p, ROOT) for p in guides]


BLOCKS = [b for page in pages() for b in blocks_of(page)]


def without_remark(line):
    """Guides explain a line behind it, two blanks or more away."""
    return re.split(r" {2,}", line.strip())[0]


def is_elsewhere(line):
    return next((e for e in ELSEWHERE if re.match(e.pattern, line)), None)


def is_not_commands(block):
    return next((e for e in NOT_COMMANDS if re.search(e.pattern, block.text, re.M) and block.page.endswith(e.page)), None)


def kind_of(block):
    """console, scenario, shell or None."""
    words = block.first_words()
    if is_not_commands(block):
        return None
    if words and words <= CONFIGURATION | ACTIONS:
        return "console"
    if words and words <= SCENARIO:
        return "scenario"
    return "shell"


class Place(unittest.TestCase):
    """A directory that looks like the repository with programs built in build/."""

    def new_place(self):
        directory = tempfile.TemporaryDirectory(prefix="fcn-guides-")
        self.addCleanup(directory.cleanup)
        for name in ("config", "doc", "scripts", "tests"):
            os.symlink(os.path.join(ROOT, name), os.path.join(directory.name, name))
        os.symlink(build, os.path.join(directory.name, "build"))
        return directory.name

    def setUp(self):
        self.directory = self.new_place()
        path = [os.path.join(build, "app", name) for name in PROGRAMS]
        self.env = {**os.environ, "PATH": ":".join([*path, os.environ["PATH"]])}

    def path(self, *names):
        return os.path.join(self.directory, *names)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        return self.path(name)

    def run_line(self, line, timeout=120):
        return subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=self.directory, env=self.env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=timeout, check=False)


class Console(Place):
    """Lines of a configuration, and what is to be asked afterwards, in a replay of nothing."""

    def setUp(self):
        super().setUp()
        # pcap, version 2.4, Ethernet, without a packet.
        with open(self.path("empty.pcap"), "wb") as f:
            f.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))

    def replay(self, lines):
        """Exit status and output. Ports that the lines use without adding them are there."""
        added = set(re.findall(r"(?m)^port add (\S+)", "\n".join(lines)))
        used = set(re.findall(r"\bport (?!add|all\b)([a-z]+\d*)\b", "\n".join(lines)))
        used |= set(re.findall(r"\bport add ([a-z]+\d*)(?![.\w])", "\n".join(x for x in lines if x.startswith("bridge "))))
        used |= set(re.findall(r"\b(?:queue|pfc|address add|show police) (?!all\b)([a-z]+\d*)(?![.\w])", "\n".join(lines)))
        ports = sorted((used | {"p9"}) - added)
        is_action = lambda line: line.split()[0] in ACTIONS or line.startswith(("proxy learned ", "srv6 endcon learned "))
        config = [line for line in lines if not is_action(line)]
        self.write("guide.conf", "\n".join([f"port add {p}" for p in ports] + config) + "\n")
        actions = "; ".join(filter(is_action, lines))
        return self.run_line("fastcn replay guide.conf --quiet --mbufs 2048 --in p9=empty.pcap" + (f" --before '{actions}'" if actions else ""))

    def test_each(self):
        for page in sorted({b.page for b in BLOCKS}):
            before = []
            for block in (b for b in BLOCKS if b.page == page and kind_of(b) == "console"):
                with self.subTest(place=block.place):
                    lines = [without_remark(x) for x in block.lines if x.strip() and not is_elsewhere(x)]
                    if not lines:
                        continue
                    # A block stands for itself, or goes on from those before it on its page.
                    alone = self.replay(lines)
                    if alone.returncode != 0:
                        context = [x for page, begin, more in CONTEXT if (page, begin) == (block.page, block.lines[0]) for x in more]
                        after = self.replay(before + context + lines)
                        self.assertEqual(after.returncode, 0, f"alone:\n{alone.stdout}\nbehind those before:\n{after.stdout}")
                        before += lines
                    else:
                        before = lines if "loopback" in lines[0] else before + lines


class Shell(Place):
    def test_each(self):
        for page in pages():
            # A page is read from its beginning: what an earlier line wrote is there.
            self.directory, self.last = self.new_place(), None
            # What scripts/run leaves, which only installs and builds before it.
            os.mkdir(self.path("out"))
            os.symlink(os.path.join(ROOT, "tests/data/incast-h1.pcap"), self.path("out/h1.pcap"))
            for block in (b for b in BLOCKS if b.page == page):
                with self.subTest(place=block.place):
                    if kind_of(block) == "shell":
                        self.run_block(block)
                    elif kind_of(block) == "scenario":
                        self.read_scenario(block)

    def read_scenario(self, block):
        """A whole scenario is kept for the lines that follow; a part of one has no error but that what it names is not there."""
        name = "incast.lab" if block.lines[0].startswith("title ") else "part.lab"
        self.write(name, block.text)
        if name == "part.lab":
            said = self.run_line("fastcn-lab part.lab --check --quiet --no-plots").stdout
            errors = [x for x in said.splitlines() if not MISSING.search(x)]
            self.assertEqual(errors, [], block.text)

    def run_block(self, block):
        """Lines that run here, each followed by what it prints, if the guide has that."""
        todo = [x for x in block.lines if x.strip()]
        while todo:
            line = todo.pop(0)
            if is_elsewhere(line):
                continue
            command = without_remark(line[2:] if line.startswith("$ ") else line)
            if command.startswith("... "):
                command = self.last + command[3:]
            self.assertTrue(self.runs_here(command), f"neither run here nor in elsewhere.py: {line}")
            expected = []
            while todo and not self.runs_here(todo[0].replace("$ ", "", 1)) and not is_elsewhere(todo[0]):
                expected.append(todo.pop(0))
            p = self.run_line(command)
            self.assertEqual(p.returncode, 0, f"{line}\n{p.stdout}")
            self.assert_prints(p.stdout, expected)
            if " replay " in command and not line.startswith("... "):
                self.last = command

    @staticmethod
    def runs_here(line):
        return re.match(r"(\S*/)?(" + "|".join(PROGRAMS) + r"|lab-random)( |$)|tshark -(Y|X \S+ -Y) ", line) is not None

    def assert_prints(self, said, expected):
        """The lines that the guide shows, in this order; those that it cuts end in three dots."""
        rest = said.splitlines()
        for line in expected:
            if line == "...":
                continue
            same = (lambda x, y=line: x.startswith(y[:-3])) if line.endswith("...") else (lambda x, y=line: x == y)
            at = next((i for i, x in enumerate(rest) if same(x.rstrip())), None)
            self.assertIsNotNone(at, f"not printed: {line}\n{said}")
            rest = rest[at + 1:]


class GettingStarted(Place):
    """What the page says of figures and of the console."""

    PAGE = "doc/getting-started.md"

    def block(self, begin):
        return next(b for b in BLOCKS if b.page == self.PAGE and re.match(begin, b.text))

    def run_json(self, command):
        p = self.run_line(command.split(" --out ")[0] + " --json - --no-plots")
        self.assertEqual(p.returncode, 0, p.stdout)
        return json.loads(p.stdout)

    def rows(self, begin):
        """The cells of the table that follows the block, but for the first of each row."""
        with open(os.path.join(ROOT, self.PAGE), encoding="utf-8") as f:
            behind = f.read().split(begin)[1]
        table = [x for x in behind.split("\n\n")[1].splitlines() if x.startswith("| by ")]
        return [[c.strip() for c in row.strip("|").split("|")[1:]] for row in table]

    def test_report(self):
        """What scripts/run prints, without the picture: the replay by hand is the same one."""
        report = [x for x in self.block("Notices: ").text.split("receiver, class 3: highest")[0].splitlines() if x.strip()]
        p = self.run_line(self.block("build/app/fastcn/fastcn replay").lines[0])
        self.assertEqual(p.returncode, 0, p.stdout)
        said = [x.rstrip() for x in p.stdout.splitlines()]
        self.assertEqual([x for x in report if x.rstrip() not in said], [])

    def test_long_line(self):
        line = self.block("build/app/fastcn-lab/fastcn-lab config/lab/x5").lines[0]
        result = self.run_json(line)
        queue = {s: result["queue"][s][n]["3"]["peak"] for s, n in (("t1", "t2"), ("s1", "s2"))}
        goodput = {f: result["flow"][f]["goodput_bps"] for f in ("slow", "fast")}
        self.assertEqual(self.rows(line), [
            [f"{result['cnps']['first_ns'] / 1e6:.1f} ms", f"{queue['t1'] / 1e6:.0f} MB", f"{goodput['slow'] / 1e9:.1f} Gb/s"],
            [f"{result['notices']['first_ns'] / 1e3:.1f} us", f"{queue['s1'] / 1e3:.0f} KB", f"{goodput['fast'] / 1e9:.1f} Gb/s"]])

    def test_short_and_long(self):
        lines = self.block("build/app/fastcn-lab/fastcn-lab config/lab/x15").lines
        cells = []
        for line in lines[:2]:
            result = self.run_json(line)
            pauses = result["pfc"]["pauses"]
            cells.append([f"{result['flow']['short']['fct_ns']['p99'] / 1e6:.2f} ms", f"{result['queue']['leaf1']['spine1']['3']['p99'] / 1e6:.2f} MB",
                          f"{result['traffic']['goodput_bps'] / 1e9:.1f} Gb/s", f"{pauses} times" if pauses else "never"])
        self.assertEqual(self.rows(lines[-1]), cells)

    def test_where_it_loses(self):
        lines = self.block("build/app/fastcn-lab/fastcn-lab config/lab/x2-incast.lab --set mode=cnp\n").lines
        cnp, fast = (self.run_json(line) for line in lines)
        text = lambda r: (f"{r['queue']['s1']['r']['3']['first_peak'] / 1e6:.1f} MB", f"{r['traffic']['goodput_bps'] / 1e9:.1f} Gb/s")
        with open(os.path.join(ROOT, self.PAGE), encoding="utf-8") as f:
            page = " ".join(f.read().split())
        (peak_fast, goodput_fast), (peak_cnp, goodput_cnp) = text(fast), text(cnp)
        self.assertIn(f"The first peak is {peak_fast} instead of {peak_cnp}, but goodput is {goodput_fast} instead of {goodput_cnp}.", page)

    def test_transcript(self):
        """The console, at a terminal, with two ports in a bridge. Numbers may be others."""
        block = self.block(r"fastcn\S*> ")
        commands = [re.sub(r"^fastcn\S*> ", "", x) for x in block.lines if re.match(r"fastcn\S*> ", x)]
        self.write("two.conf", "port add p1 device net_null0\nport add p2 device net_null1\nbridge add br0\n"
                   "bridge br0 port add p1\nbridge br0 port add p2\n")
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.directory)
            os.execvpe(os.path.join(build, "app/fastcn/fastcn"), [
                "fastcn", "--no-pci", "--no-huge", "-m", "128", "-l", "0,1", "--no-shconf", "--no-telemetry", "--log-level=*:error",
                "--vdev", "net_null0,no-rx=1", "--vdev", "net_null1,no-rx=1", "--", "-i", "-f", "two.conf", "--no-socket"], self.env)
        self.addCleanup(os.close, terminal)
        self.addCleanup(os.waitpid, pid, 0)
        self.addCleanup(os.kill, pid, signal.SIGKILL)
        said = self.read_until_prompt(terminal, "")
        for command in commands:
            os.write(terminal, command.encode() + b"\n")
            said = self.read_until_prompt(terminal, said) if command != "quit" else said
        got = [re.sub(r"\d+", "N", x.rstrip()) for x in said.replace("\r", "").splitlines()]
        for line in block.lines:
            wanted = re.sub(r"\d+", "N", line.rstrip())
            if wanted != "..." and not line.endswith("> quit"):
                self.assertIn(wanted, got, said)

    @staticmethod
    def read_until_prompt(terminal, said):
        begin, end = len(said), time.monotonic() + 60
        while not re.search(r"\n?fastcn\S*> $", said[begin:]) and time.monotonic() < end:
            if select.select([terminal], [], [], 1)[0]:
                try:
                    said += os.read(terminal, 65536).decode()
                except OSError:
                    break
        return said


class List(unittest.TestCase):
    def test_no_stale_entry(self):
        lines = [x for b in BLOCKS for x in b.lines]
        self.assertEqual([e.pattern for e in ELSEWHERE if not any(re.match(e.pattern, x) for x in lines)], [])
        self.assertEqual([(e.page, e.pattern) for e in NOT_COMMANDS if not any(is_not_commands(b) == e for b in BLOCKS)], [])
        self.assertEqual([c for c in CONTEXT if not any((b.page, b.lines[0]) == c[:2] for b in BLOCKS)], [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--build", required=True)
    options, rest = parser.parse_known_args()
    build = os.path.abspath(options.build)
    unittest.main(argv=[sys.argv[0], *rest])
