#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What fastcn sends in a replay conforms, says fastcn-check, which shares no code with it. Usage: test_replay.py FASTCN FASTCN-CHECK"""

import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASES, DATA = ROOT / "tests/pcap", ROOT / "tests/data"
FASTCN, CHECK = sys.argv.pop(1), sys.argv.pop(1)


def replay(name, folder):
    """The report of fastcn-check about a regression case."""
    config = CASES / name / "fastcn.conf"
    text = config.read_text(encoding="utf-8")
    inputs = json.loads((CASES / name / "case.json").read_text(encoding="utf-8"))["inputs"]
    words, check = [], []
    for port, files in inputs.items():
        for file in files:
            words += ["--in", "%s=%s" % (port, DATA / file["file"])]
            check += ["--before", str(DATA / file["file"])]
    for port in re.findall(r"^port add (\S+)", text, re.M):
        words += ["--out", "%s=%s" % (port, pathlib.Path(folder) / (port + ".pcap"))]
        check += ["--after", str(pathlib.Path(folder) / (port + ".pcap"))]
    subprocess.run([FASTCN, "replay", str(config), *words, "--quiet", "--mbufs", "4095"], check=True, timeout=60)
    check += [word for address in re.findall(r"^set loopback (\S+)", text, re.M) for word in ("--switch", address)]
    check += [word for prefix in re.findall(r"^sender add (\S+) capable", text, re.M) for word in ("--capable", prefix)]
    done = subprocess.run([sys.executable, CHECK, "--json", "--arn-port", "1022", "--cnm-port", "1021", *check], capture_output=True,
                          text=True, timeout=60, check=False)
    return json.loads(done.stdout)


class Replay(unittest.TestCase):
    def test_cases(self):
        """Cases with what each has to show: notices or messages of a kind, and the reading of the ICRC."""
        for name, kind, least, reading in (
                ("incast", "option1", 20, "skip"), ("sender-capable", "option1", 20, "skip"), ("mark-notify-capable", "option1", 20, "skip"),
                ("opt1-vector-cover", "option1", 1, "cover"), ("opt1-vector-norm", "option1", 1, "norm"), ("opt2-vectors", "option2", 20, "skip"),
                ("opt2-vectors-cover", "option2", 20, "cover"), ("ioam-hpcc", "option2", 20, "skip"), ("srv6-pnode", "in_tunnels", 20, "skip")):
            with self.subTest(name=name), tempfile.TemporaryDirectory() as folder:
                found = replay(name, folder)
                self.assertEqual([f for f in found["findings"] if f["level"] == "fault"], [])
                self.assertGreaterEqual(found["notices"][kind], least)
                self.assertEqual(list(found["icrc"]), [reading])

    def test_messages(self):
        for name, kind in (("arn-send-flow", "notifications"), ("cnm-limits", "messages")):
            with self.subTest(name=name), tempfile.TemporaryDirectory() as folder:
                found = replay(name, folder)
                self.assertEqual(found["findings"], [])
                self.assertGreaterEqual(found[kind], 10)


if __name__ == "__main__":
    unittest.main()
