#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What doc/security.md names is there: settings and lists of the console reference, counters, and tests that show each row."""

import glob
import os
import re
import unittest

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def read(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as f:
        return f.read()


def tables(text):
    """Each table: its head, and its rows."""
    lines = text.splitlines()
    for n, line in enumerate(lines):
        if line.startswith("|---"):
            rows = []
            for row in lines[n + 1:]:
                if not row.startswith("|"):
                    break
                rows.append([cell.strip() for cell in row.strip("|").split("|")])
            yield [cell.strip() for cell in lines[n - 1].strip("|").split("|")], rows


class Security(unittest.TestCase):
    def setUp(self):
        self.page = read("doc/security.md")
        self.threats = [(head, row) for head, rows in tables(self.page) if "shown by" in head for row in rows]
        self.assertGreater(len(self.threats), 20)

    def test_each_row_has_tests(self):
        for head, row in self.threats:
            self.assertEqual(len(row), len(head), row)
            shown = row[head.index("shown by")]
            self.assertTrue(shown, row)
            for path in shown.split(", "):
                self.assertTrue(os.path.exists(os.path.join(ROOT, path)), path)

    def test_commands_exist(self):
        commands = re.findall(r"^### `([^`]+)`", read("doc/console.md"), re.MULTILINE)
        named = re.findall(r"`((?:set|arn|proxy|border|source) [^`]+)`", self.page)
        self.assertGreater(len(named), 15)
        for name in named:
            self.assertTrue(any(c == name or c.startswith(name + " ") for c in commands), name)

    def test_counters_exist(self):
        counters = read("doc/counters.md")
        for head, row in self.threats:
            if "counter" not in head:
                continue
            named = re.findall(r"`([^`]+)`", row[head.index("counter")])
            self.assertTrue(named, row)
            for name in named:
                self.assertRegex(counters, r"`(?:[a-z_]+\.)?%s`" % name, row)

    def test_examples_say_whom_they_trust(self):
        """Each port of each example says whether what is there may use protected classes."""
        found = 0
        for path in glob.glob(os.path.join(ROOT, "config", "**", "*.conf"), recursive=True):
            text = read(os.path.relpath(path, ROOT))
            for port in re.findall(r"^port add (\S+)(?! vlan )(?: device .*)?$", text, re.MULTILINE):
                found += 1
                self.assertRegex(text, r"(?m)^set port %s (class-trust (on|off)|border on)$" % re.escape(port), path)
        self.assertGreater(found, 30)


if __name__ == "__main__":
    unittest.main()
