#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The runner of tests/pcap, with a small stand-in for fastcn that forwards everything and can be told to misbehave."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "pcap"))

import run  # noqa: E402
from fcnoracle import capture  # noqa: E402

# A file beside the configuration lists the faults it shall have. The default oracles are not asked here:
# tests/pcap/test_folder.py asks them, with the real program.
WITHOUT = run.defaults.NAMES
README = "".join("Without `%s`: a stand-in makes no report.\n" % name for name in WITHOUT)
CONFIGURATION = "port add p1\nport add p2\n"
STAND_IN = '''#!%s
import json, os, sys
sys.path.insert(0, %r)
from fcnoracle import bpf, capture
assert sys.argv[1] == "replay"
faults = open(os.path.join(os.path.dirname(sys.argv[2]), "faults")).read().split()
records, outputs, options, words = [], [], {}, sys.argv[3:]
words.remove("--quiet")
while words:
    key, value = words.pop(0), words.pop(0)
    if key == "--in":
        got = capture.load(value.split("=", 1)[1]).records
        if words[:1] == ["--filter"]:
            got = bpf.select(got, words[1])
            del words[:2]
        records += got
    elif key == "--out":
        outputs.append(value.split("=", 1)[1])
    else:
        options[key] = value
if "refuse" in faults:
    sys.exit("fastcn: port x: no such thing")
if "chatter" in faults:
    print("something", file=sys.stderr)
if "hang" in faults:
    import time
    time.sleep(60)
records = [capture.Record.of(r.time + 1000, r.data) for r in records]
if "flip" in faults:
    r = records[3]
    records[3] = capture.Record.of(r.time, r.data[:60] + bytes([r.data[60] ^ 1]) + r.data[61:])
if "late" in faults:
    records[2] = capture.Record.of(records[2].time + 1, records[2].data)
if "lose" in faults:
    del records[-1]
if "random" in faults:
    records[0] = capture.Record.of(records[0].time + os.getpid(), records[0].data)
open("series", "w").close()
for path in outputs:
    capture.save(path, records, nano=True)
if "no-json" not in faults:
    json.dump({"conservation": {"ok": "leak" not in faults, "queued": 0}, "speed": options["--speed"],
               "ports": [{"name": "a/b", "tx": len(records)}], "pid": os.getpid() if "random-json" in faults else 0},
              open(options["--json"], "w"))
''' % (sys.executable, HERE)


class Runner(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.fastcn = os.path.join(self.folder, "fastcn")
        with open(self.fastcn, "w", encoding="ascii") as f:
            f.write(STAND_IN)
        os.chmod(self.fastcn, 0o755)
        self.cases = os.path.join(self.folder, "cases")
        os.mkdir(self.cases)

    def case(self, name, faults="", readme=True, **spec):
        path = os.path.join(self.cases, name)
        os.makedirs(path, exist_ok=True)
        for file, text in [("fastcn.conf", CONFIGURATION), ("faults", faults)] + ([("README.md", README)] if readme else []):
            with open(os.path.join(path, file), "w", encoding="ascii") as f:
                f.write(text)
        want = {"inputs": {"p1": [{"file": "softroce-v6-cm.pcap"}]}, "outputs": ["p2"], "speed": 1, "without": list(WITHOUT),
                "oracle": [["check_forward.py", "--in", "{in:p1}", "--out", "{out:p2}"]],
                "counters": ["/ports/0/tx", "/conservation/queued"]}
        want.update(spec)
        with open(os.path.join(path, "case.json"), "w", encoding="ascii") as f:
            json.dump(want, f)
        return path

    def run_it(self, *more):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            status = run.main(["--fastcn", self.fastcn, "--cases", self.cases, *more])
        return status, said.getvalue()

    def regenerated(self, *args, **kw):
        path = self.case(*args, **kw)
        status, said = self.run_it("--regenerate")
        self.assertEqual(status, 0, said)
        return path

    def red(self, *more):
        status, said = self.run_it(*more)
        self.assertEqual(status, 1, said)
        return said

    def test_round(self):
        path = self.case("one")
        self.assertIn("expected/p2.pcap is missing", self.red())
        self.assertEqual(self.run_it("--regenerate"), (0, "ok   one (regenerated)\n1 passed, 0 failed\n"))
        self.assertEqual(self.run_it(), (0, "ok   one\n1 passed, 0 failed\n"))
        self.assertEqual(sorted(os.listdir(os.path.join(path, "expected"))), ["counters.json", "p2.pcap"])
        with open(os.path.join(path, "expected", "counters.json"), encoding="ascii") as f:
            self.assertEqual(json.load(f), {"/ports/0/tx": 78, "/conservation/queued": 0})

    def test_octets_and_times(self):
        for fault, text in (("flip", "record 4 differs"), ("late", "record 3 differs"), ("lose", "77 records, expected 78")):
            path = self.regenerated("one", oracle=[])
            self.case("one", fault, oracle=[])
            said = self.red()
            self.assertIn(text, said)
            self.assertIn("2001:db8:ab::", said)
            if fault == "flip":
                self.assertIn("1 octets differ, the first at 60", said)
            # A regeneration that no oracle stops takes it over.
            self.assertEqual(self.run_it("--regenerate")[0], 0)
            self.assertEqual(self.run_it()[0], 0)
            self.assertTrue(os.path.exists(path))

    def test_oracle_stops_regeneration(self):
        path = self.regenerated("one")
        before = capture.load(os.path.join(path, "expected", "p2.pcap")).records
        self.case("one", "flip")
        said = self.red("--regenerate")
        self.assertIn("oracle check_forward.py --in {in:p1} --out {out:p2} says no", said)
        self.assertEqual(capture.load(os.path.join(path, "expected", "p2.pcap")).records, before)

    def test_determinism(self):
        self.case("one", "random")
        self.assertIn("two runs differ in p2.pcap", self.red("--regenerate"))
        self.case("one", "random-json")
        self.assertIn("two runs differ in counters.json", self.red("--regenerate"))

    def test_conservation(self):
        self.case("one", "leak")
        self.assertIn("not accounted for", self.red("--regenerate"))
        self.case("one", "no-json")
        self.assertIn("counters.json was not written", self.red("--regenerate"))

    def test_counters(self):
        path = self.regenerated("one")
        with open(os.path.join(path, "expected", "counters.json"), "w", encoding="ascii") as f:
            json.dump({"/ports/0/tx": 79, "/conservation/queued": 0}, f)
        self.assertIn("counter /ports/0/tx is 78, expected 79", self.red())
        self.case("one", counters=["/ports/1/tx"])
        self.assertIn("counters.json has no /ports/1/tx", self.red())

    def test_digest(self):
        """Where expected/ has a digest, or the capture is long, a digest is kept."""
        say = {"counters": [], "oracle": []}
        path = self.regenerated("one", **say)
        self.assertEqual(os.listdir(os.path.join(path, "expected")), ["p2.pcap"])
        os.remove(os.path.join(path, "expected", "p2.pcap"))
        with open(os.path.join(path, "expected", "p2.digest"), "w", encoding="ascii") as f:
            f.write("0 packets, SHA-256 0\n")
        self.assertIn("SHA-256", self.red())
        path = self.regenerated("one", **say)
        self.assertEqual(os.listdir(os.path.join(path, "expected")), ["p2.digest"])
        self.assertEqual(self.run_it()[0], 0)
        for fault in ("flip", "late", "lose"):
            self.case("one", fault, **say)
            self.assertIn("SHA-256", self.red())
        path = self.regenerated("long", inputs={"p1": [{"file": "softroce-v6-rc.pcap"}]}, **say)
        self.assertEqual(os.listdir(os.path.join(path, "expected")), ["p2.digest"])

    def test_stderr(self):
        say = {"status": 1, "outputs": [], "oracle": [], "counters": []}
        path = self.case("one", "refuse", **say)
        for text, status in (("fastcn: port x: no such thing\n", 0), ("fastcn: port y: no such thing\n", 1), ("", 1)):
            with open(os.path.join(path, "stderr"), "w", encoding="ascii") as f:
                f.write(text)
            self.assertEqual(self.run_it()[0], status)
        self.case("two", "chatter")
        self.assertIn("stderr is not empty: something", self.red("--case", "two", "--regenerate"))

    def test_list(self):
        """Folders with a configuration are cases; the files beside them are none."""
        self.case("one")
        self.case("two")
        os.mkdir(os.path.join(self.cases, "three"))
        self.assertEqual(self.run_it("--list"), (0, "one\ntwo\n"))

    def test_pointer(self):
        document = {"a/b": [{"c~d": 5}], "": 1}
        self.assertEqual(run.report.select(document, "/a~1b/0/c~0d"), 5)
        self.assertEqual(run.report.select(document, ""), document)
        for pointer in ("/x", "/a~1b/1", "/a~1b/x", "/a~1b/0/c~0d/e"):
            self.assertIs(run.report.select(document, pointer), run.MISSING)

    def test_status(self):
        self.case("one", "refuse")
        said = self.red()
        self.assertIn("exit status 1, expected 0", said)
        self.assertIn("no such thing", said)
        self.case("one", "refuse", status=1, stderr=["port x"], outputs=[], oracle=[], counters=[])
        self.assertEqual(self.run_it()[0], 0)
        self.case("one", "refuse", status=1, stderr=["port y"], outputs=[], oracle=[], counters=[])
        self.assertIn("stderr does not say 'port y'", self.red())
        self.case("one", status=1, stderr=["port x"])
        self.assertIn("exit status 0, expected 1", self.red())

    def test_timeout(self):
        self.case("one", "hang", timeout=1)
        self.assertIn("no end after 1 s", self.red())

    def test_filter(self):
        """The oracle sees what the filter let through."""
        one = {"file": "softroce-v6-cm.pcap", "filter": "ether src 02:00:00:00:0b:01"}
        self.regenerated("one", inputs={"p1": [one]})
        self.assertEqual(self.run_it()[0], 0)
        self.case("one", inputs={"p1": [dict(one, filter="ether src 02:00:00:00:0a:01")]})
        self.assertIn("p2.pcap: ", self.red())

    def test_defects_of_a_case(self):
        self.case("one", no_such_key=1)
        self.assertIn("unknown keys ['no_such_key']", self.red())
        self.case("one", inputs={"p1": [{"file": "nothing.pcap"}]})
        self.assertIn("neither in the case nor in tests/data", self.red())
        self.case("one", oracle=[["check_forward.py", "--in", "{in:p7}", "--out", "{out:p2}"]])
        self.assertIn("no input of port p7", self.red())
        self.case("two", readme=False)
        self.assertIn("README.md is missing", self.red("--case", "two"))

    def test_selection(self):
        self.case("one")
        self.case("two", "leak")
        self.assertIn("1 passed, 1 failed", self.red("--regenerate"))
        self.assertEqual(self.run_it("--case", "one")[0], 0)
        with self.assertRaises(SystemExit):
            self.run_it("--case", "three")

    def test_keep(self):
        self.regenerated("one")
        keep = os.path.join(self.folder, "kept")
        for _ in range(2):
            self.assertEqual(self.run_it("--keep", keep)[0], 0)
        self.assertEqual(sorted(os.listdir(os.path.join(keep, "one", "2"))), ["counters.json", "p2.pcap", "series", "stderr", "stdout"])

    def test_nothing_to_run(self):
        self.assertEqual(self.run_it(), (1, "0 passed, 0 failed\n"))


if __name__ == "__main__":
    unittest.main()
