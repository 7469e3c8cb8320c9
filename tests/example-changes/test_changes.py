#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What an addition to fastcn takes is what the table "What to touch" in doc/architecture.md says.

For each row of the table whose number of files is given, there is an example of such a change here. Each has a place in
the sources, and touches as many files as the table says. All are applied to a copy, which is built once, and the
program must have what each example adds: its command, help and defaults, its JSON, its metric, its lines in the
generated references.

test_changes.py [unittest options]
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.append(os.path.join(ROOT, "tests", "oracle"))

from fcnoracle import capture  # noqa: E402

# The example of each row.
EXAMPLES = {
    "a setting": "setting.change",
    "a list": "list.change",
    "a counter": "counter.change",
    "a kind of notice": "notice-kind.change",
    "a detector": "detector.change",
    "a command": "command.change",
    "a `show`": "show.change",
    "a local behaviour": "local-behaviour.change",
    "a reaction of senders": "reaction.change",
}
# The row whose proof is tests/pcap/test_folder.py.
FOLDER = "a regression case"
# What the copy needs to be built.
SOURCES = ["app", "config", "doc", "drivers", "lib", "meson.build", "meson_options.txt", "scripts"]

# Packets of limits.pcap come to a bridge faster than p2 can send them.
CONGESTED = """set loopback 2001:db8:f::5
port add p1
port add p2
set port p2 link 100M
bridge add br0
bridge br0 port add p1
bridge br0 port add p2
set queue p2 class 3 limit 8000
set queue p2 class 3 detector half
set queue p2 class 3 mark every 7
set queue p2 class 3 notify on
sender default capable
set notify report on
"""
# Two senders come to one line, and one CNP each in 4 us halves their rate; the longer the time between two cuts, the less.
HALVE = """switch add s
host add h[1-3]
link add h[1-3] s rate 10G
duration 200us
host h1 reaction halve guard 500us
host h2 reaction halve guard 4us
switch s do set queue h3 class 3 detector step threshold 10K
switch s do set queue h3 class 3 ecn on
flow add f1 from h1 to h3 size 1G
flow add f2 from h2 to h3 size 1G
expect flow.f1.rate_bps = 5G within 15%
expect flow.f2.rate_bps < 5G
expect flow.f1.goodput_bps > flow.f2.goodput_bps
"""
# A packet to the switch itself.
ROUTED = """set loopback 2001:db8:f::5
port add p1
set port p1 mac 02:00:00:00:01:01
address add p1 2001:db8:1::1/64
"""
TO_SWITCH = bytes.fromhex("020000000101 020000000001 86dd 60000000 0000 3b 40"
                          "20010db8000100000000000000000002 20010db8000f00000000000000000005")


def table():
    """The rows of the table: the number of files of each, None where it is no number."""
    rows = {}
    with open(os.path.join(ROOT, "doc", "architecture.md"), encoding="utf-8") as page:
        text = page.read().split("### What to touch\n", 1)[1].split("\n#", 1)[0]
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if len(cells) == 4 and cells[0].startswith("a "):
            rows[cells[0]] = int(cells[1]) if cells[1].isdigit() else None
    return rows


def edits_of(change):
    """The edits of an example: (operation, file, text of a line, lines). What stands before the first file says what
    it is an example of; the operations are explained in README.md."""
    edits = []
    path, operation, text = None, None, None
    with open(os.path.join(HERE, change), encoding="utf-8") as f:
        lines = f.read().splitlines()
    for number, line in enumerate(lines, 1):
        word, _, rest = line.partition(" ")
        if line.startswith("+"):
            edits[-1][3].append(line[1:] + "\n")
        elif word == "file":
            path = rest
        elif word == "new":
            edits.append((word, rest, None, []))
        elif path and word in ("after", "before", "end"):
            edits.append((word, path, rest, []))
        elif path and word == "replace":
            operation, text = word, rest
        elif path and word == "with" and operation:
            edits.append((operation, path, text, [rest]))
        elif path and line:
            raise AssertionError("%s:%d: what is this: %s" % (change, number, line))
    return edits


def files_of(change):
    return {path for _, path, _, _ in edits_of(change)}


def run(*words, status=0, **options):
    """A program that must end with this status. @return what it wrote to stdout"""
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", errors="replace", **options)
    if done.returncode != status:
        raise AssertionError("%s: status %d\n%s" % (" ".join(words), done.returncode, done.stdout[-4000:]))
    return done.stdout


def edited(old, operation, text, lines):
    """A file, old, after an edit; None when the edit has no place in it."""
    if operation == "new":
        return "".join(lines) if old is None else None
    if old is None:
        return None
    if operation == "end":
        return old + "".join(lines)
    if operation == "replace":
        return old.replace(text, lines[0]) if old.count(text) == 1 else None
    before = old.splitlines(keepends=True)
    for i, line in enumerate(before):
        if line.lstrip().startswith(text):
            i += operation == "after"
            return "".join(before[:i] + lines + before[i:])
    return None


def apply(change, where, dry=False):
    """Apply an example to a copy; dry: only find out whether that can be done."""
    now = {}
    for operation, path, text, lines in edits_of(change):
        place = os.path.join(where, path)
        if path not in now:
            now[path] = None
            if os.path.exists(place):
                with open(place, encoding="utf-8") as f:
                    now[path] = f.read()
        now[path] = edited(now[path], operation, text, lines)
        if now[path] is None:
            raise AssertionError("%s: no place in %s to %s %s" % (change, path, operation, text))
    for path, content in now.items():
        if not dry:
            with open(os.path.join(where, path), "w", encoding="utf-8") as f:
                f.write(content)


def copy(where):
    for name in SOURCES:
        source = os.path.join(ROOT, name)
        if os.path.isdir(source):
            shutil.copytree(source, os.path.join(where, name))
        else:
            shutil.copy(source, where)


class Table(unittest.TestCase):
    def test_each_row_has_a_proof(self):
        rows = table()
        self.assertEqual({row for row, n in rows.items() if n is not None}, set(EXAMPLES))
        self.assertIn(FOLDER, rows)
        self.assertEqual(sorted(name for name in os.listdir(HERE) if name.endswith(".change")),
                         sorted(EXAMPLES.values()))

    def test_numbers_of_files(self):
        rows = table()
        for row, change in EXAMPLES.items():
            with self.subTest(row):
                self.assertEqual(rows[row], len(files_of(change)), files_of(change))
                for name in files_of(change):
                    self.assertTrue(name.startswith("lib/"), name)


    def test_each_has_its_place(self):
        for change in EXAMPLES.values():
            with self.subTest(change):
                apply(change, ROOT, dry=True)


class Changed(unittest.TestCase):
    """The program with all examples."""

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        where = cls.where = os.path.join(cls.scratch.name, "fastcn")
        build = os.path.join(cls.scratch.name, "build")
        os.mkdir(where)
        copy(where)
        for change in EXAMPLES.values():
            apply(change, where)
        run("meson", "setup", build, where, "-Dtests=false", "-Dwerror=true", "-Doptimization=0", "-Ddebug=false")
        run("ninja", "-C", build, "-j", str(min(2, os.cpu_count() or 1)), "app/fastcn/fastcn",
            "app/fastcn-lab/fastcn-lab")
        cls.fastcn = os.path.join(build, "app", "fastcn", "fastcn")
        cls.lab = os.path.join(build, "app", "fastcn-lab", "fastcn-lab")
        for name, text in (("congested.conf", CONGESTED), ("routed.conf", ROUTED)):
            with open(os.path.join(cls.scratch.name, name), "w", encoding="ascii") as f:
                f.write(text)
        capture.save(os.path.join(cls.scratch.name, "to-switch.pcap"), [capture.Record.of(1000, TO_SWITCH)])

    def replay(self, conf, pcap, after, before="", status=0):
        return run(self.fastcn, "replay", conf, "--in", "p1=" + pcap, "--quiet", "--before", before, "--after", after,
                   cwd=self.scratch.name, status=status)

    def after(self, commands):
        """What commands say after congestion."""
        return self.replay("congested.conf", os.path.join(ROOT, "tests", "data", "limits.pcap"), commands)

    def show(self, what):
        return json.loads(self.after("show %s json" % what))

    def assert_listed(self, text, *what):
        """A generated reference has a text; it is too long to be shown."""
        self.assertTrue(text in run(self.fastcn, "reference", *what), "%s: no %s" % (" ".join(what) or "console", text))

    def test_names_of_files(self):
        run(sys.executable, os.path.join(self.where, "scripts", "check-names"), self.where)

    def test_setting(self):
        self.assertEqual(self.show("queue p2 class 3 detail")[0]["mark_every"], 7)
        self.assertEqual(self.show("queue p2 class 2 detail")[0]["mark_every"], 1)
        self.assertIn("set queue p2 class 3 mark every 7\n", self.after("show config"))
        self.assertRegex(self.after("help set queue"), r"(?s)mark every <packets:number>\s+Mark one of so many packets"
                         r" with CE \(default 1\)")
        self.assert_listed("mark every <packets:number>")
        with self.assertRaisesRegex(AssertionError, "a number of packets must be 1 to 1000"):
            self.after("set queue p2 class 3 mark every 1001")

    def test_list(self):
        add = "arn guest add 2001:db8:9::1 port p2 level 5"
        self.assertIn(add + "\n", self.after(add + "; show config"))
        self.assertEqual(json.loads(self.after(add + "; arn guest add 2001:db8:9::2; show arn json"))["guests"],
                         [{"address": "2001:db8:9::1", "port": "p2", "level": 5},
                          {"address": "2001:db8:9::2", "port": None, "level": 2}])
        for last in ("arn guest remove 2001:db8:9::1", "no arn guest 2001:db8:9::1", "port remove p2"):
            self.assertNotIn("guest", self.after(add + "; %s; show config" % last))
        self.assert_listed("arn guest add <address:addr6> [port <port:name>] [level <level:number>]")
        self.assert_listed("arn guest remove <address:addr6>")
        for line, said in (("arn guest add 2001:db8:9::1 level 8", "a level must be 0 to 7"),
                           ("arn guest add 2001:db8:9::1 port p9", "there is no port p9"),
                           ("arn guest add ff02::1", "not the address of a host: a multicast address"),
                           ("arn guest remove 2001:db8:9::9", "there is no such guest"),
                           ("; ".join("arn guest add 2001:db8:9::%d" % i for i in range(1, 6)),
                            "there are 4 guests already, the most there can be")):
            with self.assertRaisesRegex(AssertionError, said):
                self.after(line)

    def test_counter(self):
        self.assertEqual(self.show("port p2")[0]["roce_reads"], 0)
        line = "`fastcn_port_roce_read_packets_total` | %sRDMA READ requests received |"
        self.assert_listed("| `roce_reads` | " + line % "", "counters")
        self.assert_listed("| " + line % "counter | port | ", "metrics")

    def test_notice_kind(self):
        kinds = {kind["kind"]: kind for kind in self.show("notify")["kinds"]}
        self.assertEqual(kinds["fast_cnp"]["made"], 0)
        self.assertGreater(kinds["report"]["made"], 0)
        self.assertEqual(kinds["report"]["made"], kinds["report"]["sent"])
        self.assertIn("set notify report on\n", self.after("show config"))
        self.assert_listed("| `sent_report` | report made |", "counters")

    def test_detector(self):
        queue = self.show("queue p2 class 3 detail")[0]
        self.assertEqual((queue["detector"], queue["thresholds"]["enter_bytes"], queue["thresholds"]["leave_bytes"]),
                         ("half", 4000, 2000))
        self.assertEqual((queue["enters"], queue["leaves"]), (1, 1))
        self.assertIn("set queue p2 class 3 detector half\n", self.after("show config"))
        self.assert_listed("detector half [enter <enter:size>] [leave <leave:size>] [hold <hold:time>]")

    def test_command(self):
        self.assertEqual(self.after("count ports"), "2 ports\n")
        self.assert_listed("`count ports`")

    def test_show(self):
        self.assertEqual(self.show("room"), {"ports": 254})
        self.assert_listed("`show room [json]`")
        self.assert_listed("| `/fastcn/room` |", "metrics")

    def test_local_behaviour(self):
        # All packets are dropped, which a replay tells by its status.
        trace = self.replay("routed.conf", "to-switch.pcap", "show trace json", before="trace add 1", status=4)
        self.assertIn("for the switch: to an address of the switch, discarded", trace)
        self.assertIn("dropped: local (", trace)

    def test_reaction(self):
        self.assertIn("### `host <hosts:names> reaction halve [guard <guard:time>]`\n\nEach notice halves the rate. guard is "
                      "the minimum time between two cuts.\n", run(self.lab, "reference"))
        scenario = os.path.join(self.scratch.name, "halve.lab")
        with open(scenario, "w", encoding="ascii") as f:
            f.write(HALVE)
        self.assertIn("All 3 expectations hold", run(self.lab, scenario, "--no-plots"))
        with self.assertRaisesRegex(AssertionError, "guard must be 1 to 1000000000000"):
            run(self.lab, scenario, "--line", "host h1 reaction halve guard 0")


if __name__ == "__main__":
    unittest.main()
