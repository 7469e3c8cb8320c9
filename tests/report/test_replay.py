#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The series of a replay against its counters, and its option --report.

test_replay.py FASTCN
"""

import collections
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FASTCN = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else None
PORTS = ("h1", "h2", "h3", "h4", "receiver")


class Replays(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="fcn-series-")
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def replay(self, *more, fastcn=None, path=None):
        command = [fastcn or FASTCN, "replay", os.path.join(ROOT, "config/incast.conf"), "--speed", "200", "--quiet", *more]
        for port in PORTS:
            command += ["--in", "%s=%s" % (port, os.path.join(ROOT, "tests/data/incast-%s.pcap" % port))]
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, cwd=self.folder.name,
                              env={**os.environ, **({} if path is None else {"PATH": path})})

    def run_with(self, before):
        done = self.replay("--before", before, "--series", "series", "--json", "report")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.path("series"), encoding="utf-8", newline="\n") as f:
            rows = list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))
        with open(self.path("report"), encoding="utf-8") as f:
            return rows, json.load(f)

    def test_counters(self):
        """What the series has of drops, of verdicts and of notices by flow adds up to what counters have."""
        for before in ("set queue receiver class 3 limit 100K; set notify interval 20us", "set queue receiver class 3 notify off",
                       "bridge br0 port remove h2; set queue receiver class 3 limit 100K packets 9; set queue all class 6 limit 118"):
            with self.subTest(before=before):
                rows, report = self.run_with(before)
                self.assertEqual([int(row["time_ns"]) for row in rows], sorted(int(row["time_ns"]) for row in rows))
                found = collections.Counter()
                for row in rows:
                    if row["what"] == "drop":
                        found["drop", row["port"], row["class"], row["name"]] += int(row["packets"])
                    elif row["what"] in ("verdict", "notice"):
                        found["verdict", row["port"], row["class"], row["kind"], row["name"]] += int(row["packets"])
                    if row["what"] == "notice":
                        found["flow", row["sender"], row["receiver"], "0x%06x" % int(row["dest_qp"])] += int(row["packets"])
                want = collections.Counter()
                of_queues = collections.Counter()
                for queue in report["queues"]:
                    for reason, n in queue["drops"].items():
                        want["drop", queue["port"], str(queue["class"]), reason] = n
                        of_queues[reason] += n
                for row in report["drops"]:
                    if row["reason"] not in of_queues:
                        want["drop", row["port"], "", row["reason"]] = row["packets"]
                for row in report["notify"]["verdicts"]:
                    want["verdict", row["port"], str(row["class"]), row["kind"], row["verdict"]] = row["packets"]
                for row in report["flows"]:
                    want["flow", row["sender"], row["receiver"], row["qp"]] = row["notices"]
                self.assertEqual(found, +want)
                self.assertEqual(sum(n for key, n in found.items() if key[0] == "drop"), report["conservation"]["dropped"])

    def test_report(self):
        """The page is there, also beside a series, and is the same each time; the limit is that of --before."""
        done = self.replay("--report", "a.html", "--before", "set queue receiver class 3 limit 150K")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        done = self.replay("--report", "b.html", "--series", "series", "--before", "set queue receiver class 3 limit 150K")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        with open(self.path("a.html"), encoding="utf-8") as a, open(self.path("b.html"), encoding="utf-8") as b:
            text = a.read()
            self.assertEqual(text, b.read())
        self.assertIn("limit 150\u202f000", text)
        self.assertGreater(os.path.getsize(self.path("series")), 10000)

    def test_sketch(self):
        done = self.replay("--report", "-")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^receiver, class 3: highest 177,784 B; threshold 30,000 B \(===\); limit 200,000 B; 44 notices")

    def test_errors(self):
        done = self.replay("--report", "none/a.html")
        self.assertEqual((done.returncode, done.stderr), (2, "fastcn replay: none/a.html: No such file or directory\n"))
        done = self.replay("--report", "a.html", "--series", "/dev/stdout")
        self.assertEqual((done.returncode, done.stderr), (2, "fastcn replay: --series /dev/stdout: with --report, it has to be a file that can be read again\n"))
        done = self.replay("--report", "/dev/full")
        self.assertEqual((done.returncode, done.stderr), (1, "fastcn replay: no report: the report: No space left on device\n"))
        done = self.replay("--report", "a.html", path="/nonexistent")
        self.assertEqual((done.returncode, done.stderr), (1, "fastcn replay: no report: python3 is not installed (Debian: python3)\n"))
        alone = shutil.copy(FASTCN, self.path("fastcn"))
        done = self.replay("--report", "a.html", fastcn=alone)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, re.compile("^fastcn replay: no report: .*/lab-results is not there: install fastcn as a whole\n$"))


if __name__ == "__main__":
    unittest.main()
