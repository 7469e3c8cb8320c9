#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Test the warnings of a run that is not a fair side of a comparison: each set-up with its fault, and without it.

Usage: test_fairness.py LAB
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

LAB = os.path.abspath(sys.argv.pop())

# Two senders at 10G whose line is shared. A bandwidth-delay product of 5 us is 6250 bytes.
NETWORK = """title Two senders, one receiver
duration 2ms
switch add s1
host add h[1-2],r
link add h[1-2],r s1 rate 10G delay 1us
host all set timeout 0ns
switch s1 do set queue r class 3 limit 10M packets 4096
flow add f from h[1-2] to r size 1G endless
watch s1 r class 3
"""
DCQCN = """host all reaction dcqcn
host all set rpg-min-rate 100M
"""
WINDOW = "host all set window 50K\nhost all set ack-every 1\n"
CNP = "switch s1 do set queue r class 3 ecn on\n"
FAST_CNP = """host all set fast-cnp accept
switch s1 do set notify fast-cnp on
switch s1 do set queue r class 3 notify on
"""
RED = "switch s1 do set queue r class 3 detector red kmin 20K kmax 40K at %s\n"
STEP = "switch s1 do set queue r class 3 detector step threshold %s at %s\n"
HPCC = "host all set ack-every 1\nhost all reaction hpcc base-rtt 5us flows 2\n"
TRACES = """host all set ioam on hops 1
switch s1 do ioam namespace add 0 profile hpcc
switch s1 do set ioam node 1
switch s1 do set ioam port all transit on
"""

NO_WINDOW = "host h1 and 1 more: DCQCN without a window"
ENQUEUE = "queue s1 r class 3: packets are marked when they arrive"
NEVER = "no detector found its queue congested: the highest occupancy of those that are watched was "
LATE = "flow f/1 and 1 more: acknowledgements are rare for this window"
MINIMUM = "flow f/1 and 1 more: the rate fell to the minimum"
NOT_TOLD = "flow f/1 and 1 more: NSCC is not told the marks"
BLIND = "host h1 and 1 more: HPCC++ without traces"


class Warnings(unittest.TestCase):
    def run_of(self, text, arguments=("--json", "-", "--quiet")):
        with tempfile.NamedTemporaryFile("w", suffix=".lab") as f:
            f.write(text)
            f.flush()
            done = subprocess.run([LAB, f.name, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout.decode()

    def assert_warned(self, text, *begins):
        """The warnings of a run are as many as `begins`, and begin with these."""
        warnings = json.loads(self.run_of(text))["warnings"]
        self.assertEqual([w[:len(b)] for w, b in zip(warnings, begins)], list(begins))
        self.assertEqual(len(warnings), len(begins), warnings)

    def test_fair(self):
        for detector in (RED % "dequeue", STEP % ("20K", "dequeue")):
            self.assert_warned(NETWORK + DCQCN + WINDOW + CNP + detector)
        for detector in (RED % "enqueue", STEP % ("20K", "enqueue")):
            self.assert_warned(NETWORK + DCQCN + WINDOW + FAST_CNP + detector)
        self.assert_warned(NETWORK + HPCC + TRACES)
        self.assert_warned(NETWORK)

    def test_no_window(self):
        self.assert_warned(NETWORK + DCQCN + CNP + RED % "dequeue", NO_WINDOW)
        self.assert_warned(NETWORK + DCQCN + FAST_CNP + RED % "enqueue", NO_WINDOW)
        self.assert_warned(NETWORK + DCQCN + "host h2,r set window 50K\nhost all set ack-every 1\n" + CNP + RED % "dequeue", "host h1: DCQCN without a window")

    def test_rare_acknowledgements(self):
        """One for 12 packets of 1024 bytes is a quarter of the window."""
        for every, begins in (("0", [LATE]), ("13", [LATE]), ("12", [])):
            self.assert_warned(NETWORK + DCQCN + WINDOW + "host r set ack-every %s\n" % every + CNP + RED % "dequeue", *begins)

    def test_marks_at_enqueue(self):
        self.assert_warned(NETWORK + DCQCN + WINDOW + CNP + RED % "enqueue", ENQUEUE)
        self.assert_warned(NETWORK + DCQCN + WINDOW + CNP + STEP % ("20K", "enqueue"), ENQUEUE)

    def test_threshold_never_met(self):
        """Two windows of 10 KB are what the queue can hold; each packet has 1102 bytes there."""
        small = NETWORK + DCQCN + "host all set window 10K\nhost all set ack-every 1\n"
        self.assert_warned(small + CNP + STEP % ("30K", "dequeue"), NEVER)
        self.assert_warned(small + FAST_CNP + STEP % ("30K", "enqueue"), NEVER)
        self.assert_warned(small + FAST_CNP + STEP % ("5K", "enqueue"))
        self.assert_warned(NETWORK + "switch s1 do set queue r class 3 detector off\n" + CNP)
        # Of another queue, to h1, nothing is expected, unless it is the one that is watched.
        self.assert_warned(small.replace("watch s1 r", "watch s1 h1") + CNP.replace(" r ", " all ") + STEP.replace(" r ", " all ") % ("5K", "dequeue"), NEVER)
        self.assert_warned(small.replace("watch s1 r class 3\n", "") + CNP.replace(" r ", " all ") + STEP.replace(" r ", " all ") % ("5K", "dequeue"))
        self.assert_warned(small.replace("watch s1 r class 3\n", "") + CNP.replace(" r ", " all ") + STEP.replace(" r ", " all ") % ("30K", "dequeue"), NEVER)

    def test_tiny_minimum_rate(self):
        """The first notice sets the minimum at once. 1/1000 of the line is 10 Mb/s."""
        first = NETWORK + DCQCN + WINDOW + CNP + RED % "dequeue" + "host all set rate-to-set-on-first-cnp %s\nhost all set rpg-min-rate %s\n"
        self.assert_warned(first % ("9M", "9M"), MINIMUM)
        self.assert_warned(first % ("10M", "10M"))
        self.assert_warned(first % ("5G", "9M"))

    def test_hpcc_without_traces(self):
        self.assert_warned(NETWORK + HPCC, BLIND)
        self.assert_warned(NETWORK + HPCC + "host all set ioam on hops 1\n", BLIND)

    def test_nscc_without_marks(self):
        """The reaction turns the report on, which the receiver needs."""
        marked = NETWORK + "host %s reaction nscc base-rtt 5us\n" + CNP + STEP % ("2K", "dequeue")
        self.assert_warned(marked % "h[1-2]", NOT_TOLD)
        self.assert_warned(marked % "h[1-2]" + "host r set ecn-echo on\n")
        self.assert_warned(marked % "all")

    def test_report(self):
        """They are in the report, and a run with them ends well."""
        self.assertIn("\nWarnings: not a fair side of a comparison\n  " + NO_WINDOW, self.run_of(NETWORK + DCQCN, ()))
        self.assertNotIn("Warnings", self.run_of(NETWORK + DCQCN + WINDOW + CNP + RED % "dequeue", ()))


if __name__ == "__main__":
    unittest.main()
