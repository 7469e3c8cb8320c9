#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A folder with a configuration, a README.md and a capture is a regression case, and all default oracles judge it.

Usage: test_folder.py FASTCN
The folder is made in a temporary place and run through fastcn. Then fastcn is replaced by a program that spoils one
thing of what fastcn wrote, and the default oracle that watches over this thing, asked alone, must say no.
"""

import contextlib
import io
import json
import os
import shutil
import sys
import tempfile
import unittest
import unittest.mock

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import run  # noqa: E402
from fcnoracle import defaults  # noqa: E402

FASTCN = "fastcn"

# 64 packets that come faster than p2 can send, each of them congestion.
CONFIGURATION = """set loopback 2001:db8:f::5
port add p1
port add p2
set port p1 mac 02:00:00:00:01:01
set port p2 mac 02:00:00:00:01:02
set port p2 link 100M
bridge add br0
bridge br0 port add p1
bridge br0 port add p2
set queue p2 class 3 detector step 2K
set queue p2 class 3 notify on
sender default capable
set notify fast-cnp on
"""

# fastcn, and then the fault.
SPOILT = """#!%s
import json, subprocess, sys
sys.path.insert(0, %r)
from fcnoracle import capture
status = subprocess.run([%r] + sys.argv[1:]).returncode

def change(path, number, octet=None, late=0):
    records = capture.load(path).records
    r = records[number]
    data = r.data if octet is None else r.data[:octet] + bytes([r.data[octet] ^ 1]) + r.data[octet + 1:]
    records[number] = capture.Record.of(r.time + late, data)
    capture.save(path, records, nano=True)

%s
sys.exit(status)
"""
FAULTS = {
    "check_counters.py": ("report = json.load(open('counters.json'))\n"
                          "report['ports'][1]['tx_packets'] += 1\n"
                          "json.dump(report, open('counters.json', 'w'))", "the captures hold 64"),
    "check_forward.py": ("change('p2.pcap', 3, octet=100)", "altered: differs from what came in at octets [100]"),
    "check_notices.py": ("change('p1.pcap', 1, octet=60)", "nearest expected notice differs"),
    "switch_model.py": ("change('p2.pcap', 3, late=1)", "the model says"),
    "queue_model.py": ("change('p2.pcap', 3, late=1)", "the model says"),
}


class Folder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.cases = os.path.join(scratch.name, "cases")
        self.path = os.path.join(self.cases, "new")
        self.spoilt = os.path.join(scratch.name, "spoilt")
        os.makedirs(self.path)
        self.write("fastcn.conf", CONFIGURATION)
        self.write("README.md", "# A new case\n")
        shutil.copy(os.path.join(run.DATA, "limits.pcap"), os.path.join(self.path, "p1.pcap"))

    def write(self, name, text):
        with open(os.path.join(self.path, name), "w", encoding="ascii") as f:
            f.write(text)

    def run_it(self, *words, fastcn=None):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = run.main(["--fastcn", fastcn or FASTCN, "--cases", self.cases, "--once", *words])
        return status, said.getvalue()

    def spoil(self, fault):
        with open(self.spoilt, "w", encoding="ascii") as f:
            f.write(SPOILT % (sys.executable, run.ORACLE, os.path.abspath(FASTCN), fault))
        os.chmod(self.spoilt, 0o755)

    def test_a_folder_is_enough(self):
        self.assertIn("expected/p1.pcap is missing", self.run_it()[1])
        self.assertEqual(self.run_it("--regenerate"), (0, "ok   new (regenerated)\n1 passed, 0 failed\n"))
        self.assertEqual(self.run_it(), (0, "ok   new\n1 passed, 0 failed\n"))
        self.assertEqual(sorted(os.listdir(os.path.join(self.path, "expected"))), ["p1.pcap", "p2.pcap"])

    def test_a_build_that_does_not_know_it_runs_it(self):
        os.makedirs(os.path.join(self.cases, "known"))
        shutil.copy(os.path.join(self.path, "fastcn.conf"), os.path.join(self.cases, "known"))
        self.run_it("--case", "new", "--regenerate")
        self.assertEqual(self.run_it("--but", "known"), (0, "ok   new\n1 passed, 0 failed\n"))
        self.assertEqual(self.run_it("--but", "known", "new"), (0, "0 passed, 0 failed\n"))
        with self.assertRaises(SystemExit):
            self.run_it("--but", "known", "gone")

    def test_what_was_accepted_is_not_judged_again(self):
        accepted = os.path.join(self.path, os.pardir, os.pardir, "accepted")
        self.assertEqual(self.run_it("--regenerate", "--accepted", accepted)[0], 0)
        self.run_it("--accepted", accepted)
        with unittest.mock.patch("run.ask_oracles", side_effect=run.Failed("asked")):
            self.assertIn("FAIL new: asked", self.run_it()[1])
            for more in ([], ["--same"]):
                self.assertEqual(self.run_it("--accepted", accepted, *more), (0, "ok   new\n1 passed, 0 failed\n"))
            self.spoil(FAULTS["check_counters.py"][0])
            self.assertIn("FAIL new: asked", self.run_it("--accepted", accepted, fastcn=self.spoilt)[1])
            self.assertIn("FAIL new: not the run", self.run_it("--accepted", accepted, "--same", fastcn=self.spoilt)[1])
            self.write("README.md", "# Another case\n")
            self.assertIn("FAIL new: asked", self.run_it("--accepted", accepted)[1])

    def test_every_default_oracle_is_asked(self):
        """Each says no to its fault when it is asked alone, and yes when nothing is spoilt."""
        self.assertEqual(set(FAULTS), set(defaults.NAMES))
        for name, (fault, text) in FAULTS.items():
            others = [other for other in defaults.NAMES if other != name]
            self.write("case.json", json.dumps({"without": others}))
            self.write("README.md", "".join("Without `%s`: to see one alone.\n" % other for other in others))
            with self.subTest(name):
                self.assertEqual(self.run_it("--regenerate")[0], 0)
                self.spoil(fault)
                status, said = self.run_it(fastcn=self.spoilt)
                self.assertEqual(status, 1, said)
                self.assertIn("default oracle %s says no" % name, said)
                self.assertIn(text, said)

    def test_a_reason_is_asked_for(self):
        self.write("case.json", json.dumps({"without": ["switch_model.py"]}))
        self.assertIn('README.md does not say why: "Without `switch_model.py`: ..."', self.run_it()[1])
        self.write("case.json", json.dumps({"without": ["sched_model.py"]}))
        self.assertIn("sched_model.py is no default oracle", self.run_it()[1])

    def test_more_words(self):
        """A case adds a figure to a default oracle; for one that is not asked, that is an error."""
        for words, text in ((["--expect", "3"], "notices, expected 3"), (["--at-least", "3"], None)):
            self.write("case.json", json.dumps({"more": {"check_notices.py": words}}))
            status, said = self.run_it("--regenerate")
            self.assertEqual(status, 0 if text is None else 1, said)
            self.assertIn(text or "ok", said)
        self.write("case.json", json.dumps({"more": {"check_forward.py p3": ["--fifo"]}}))
        self.assertIn("more words for oracles that are not asked: check_forward.py p3", self.run_it()[1])


if __name__ == "__main__":
    FASTCN = sys.argv[1]    # run.py's options, which meson may add, mean nothing here
    unittest.main(argv=sys.argv[:1])
