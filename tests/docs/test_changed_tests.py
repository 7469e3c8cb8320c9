#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""scripts/changed-tests leaves out what passed with the very same inputs, and nothing else.

test_changed_tests.py --build BUILD [unittest options]
"""

import argparse
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from unittest import mock

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPT = os.path.join(ROOT, "scripts/changed-tests")


class Changed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.kept, self.log = (os.path.join(folder.name, name) for name in ("kept", "log.json"))
        # The last two always run: threads, and a script.
        self.tests = [{"name": f"{folder}_{name}", "cmd": [f"{BUILD}/tests/unit/{folder}/test_{folder}", name]}
                      for folder, name in (("wire", "arn"), ("table", "fib"), ("app", "threads"))]
        self.tests.append({"name": "walk", "cmd": [os.path.join(ROOT, "scripts/check-walk")]})
        self.names = {test["name"] for test in self.tests}

    def script(self):
        with open(SCRIPT, encoding="utf-8") as f:
            code = compile(f.read(), SCRIPT, "exec")
        module = {"__file__": SCRIPT, "__name__": "changed_tests"}
        exec(code, module)
        module["tests_of"] = lambda build: self.tests
        return module

    def run_it(self, *more, script=None, **environment):
        """The names that it prints."""
        script, out = script or self.script(), io.StringIO()
        with mock.patch.dict(os.environ, environment), mock.patch("sys.argv", [SCRIPT, BUILD, self.kept, *more]), \
                contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()):
            script["main"]()
        return set(out.getvalue().split())

    def ended(self, **results):
        with open(self.log, "w", encoding="utf-8") as f:
            for name, result in results.items():
                f.write(json.dumps({"name": "fastcn:unit / " + name, "result": result}) + "\n")
        self.run_it("--passed", self.log)

    def test_life(self):
        self.assertEqual(self.run_it(), self.names)
        self.ended(wire_arn="OK", table_fib="FAIL", app_threads="OK", walk="OK")
        self.assertEqual(self.run_it(), self.names - {"wire_arn"})
        # With fewer rounds it is another test.
        self.assertEqual(self.run_it(FCN_TEST_EFFORT="7"), self.names)
        # One that fails is forgotten.
        self.ended(wire_arn="FAIL")
        self.assertEqual(self.run_it(), self.names)

    def test_inputs(self):
        """The program's octets, and those of the files whose paths it has."""
        program, vectors = self.tests[0]["cmd"][0], os.path.join(ROOT, "tests/data/vectors")
        self.ended(wire_arn="OK")
        with open(program, "rb") as f:
            self.assertEqual(self.script()["sources_in"](f.read(), BUILD), [vectors])
        for changed in (program, vectors):
            script = self.script()
            script["digests"][changed] = "another"
            self.assertEqual(self.run_it(script=script), self.names, changed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--build", required=True, type=os.path.abspath)
    options, rest = parser.parse_known_args()
    BUILD = options.build
    unittest.main(argv=[sys.argv[0], *rest])
