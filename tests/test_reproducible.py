#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What makes a build come out the same wherever and whenever it is made, on small parts of it; scripts/reproduce makes all of it
twice.

usage: test_reproducible.py BUILD
"""

import hashlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOURCE = "lib/cli/command_value.c"
BUILD = ""


def run(*command, where=ROOT, **more):
    return subprocess.run(command, cwd=where, stdout=subprocess.PIPE, check=True, text=True,
                          env={**os.environ, "CCACHE_DISABLE": "1", **more}).stdout


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


class Reproducible(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="fcn-reproducible-")
        self.addCleanup(directory.cleanup)
        self.places = [os.path.join(directory.name, x) for x in ("a", "another/and/longer")]

    def copy(self, place, *names):
        """Parts of the sources, touched an hour ago."""
        for name in names:
            to = os.path.join(place, name)
            if os.path.isdir(os.path.join(ROOT, name)):
                shutil.copytree(os.path.join(ROOT, name), to, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                os.makedirs(os.path.dirname(to), exist_ok=True)
                shutil.copyfile(os.path.join(ROOT, name), to)
                os.utime(to, (1, 1))

    def test_no_time_of_compilation(self):
        """Not in sources, so that no object has it."""
        for folder in ("app", "drivers", "lib"):
            for at, _, names in os.walk(os.path.join(ROOT, folder)):
                for name in names:
                    if name.endswith((".c", ".h")):
                        with open(os.path.join(at, name), encoding="utf-8") as f:
                            self.assertNotRegex(f.read(), r"__(DATE|TIME|TIMESTAMP)__", os.path.join(at, name))

    def compile(self, place, flags):
        """An object with what a debugger wants to know, as the build compiles it; its digest."""
        with open(os.path.join(BUILD, "compile_commands.json"), encoding="utf-8") as f:
            (entry, *_) = [x for x in json.load(f) if x["file"].endswith(SOURCE)]
        below = os.path.relpath(entry["directory"], ROOT)
        if below.startswith(".."):
            self.skipTest("a build outside of the sources")
        where = os.path.join(place, below)
        os.makedirs(where, exist_ok=True)
        words, out = [], os.path.join(where, "x.o")
        command = iter(shlex.split(entry["command"]))
        for word in command:
            if word in ("-o", "-MF", "-MQ"):
                next(command)
            elif word not in ("-MD", "-MMD", "ccache") and not word.startswith("-g"):
                words.append(word)
        run(*words, "-g", *flags, "-o", out, where=where)
        return digest(out)

    def test_objects(self):
        """With the flags that dpkg-buildpackage gives (which a package is compiled with), an object is the same from both
        places. Without them it is not, or this test tests nothing."""
        if shutil.which("dpkg-buildflags") is None:
            self.skipTest("needs dpkg-buildflags")
        with_flags, without = set(), set()
        for place in self.places:
            self.copy(place, "lib")
            flags = shlex.split(run("dpkg-buildflags", "--get", "CFLAGS", where=place))
            maps = [x for x in flags if re.match("-f(file|debug|macro)-prefix-map=", x)]
            with_flags.add(self.compile(place, maps))
            without.add(self.compile(place, []))
        self.assertEqual(len(with_flags), 1)
        self.assertEqual(len(without), 2)

    def test_archive(self):
        """A program in Python."""
        made = set()
        for number, place in enumerate(self.places):
            self.copy(place, "app/archive", "app/fastcn-check/report.py", "app/fastcn-check/rules.py")
            out = os.path.join(place, "program")
            run(sys.executable, "app/archive", out, "1.0", "app/fastcn-check/report.py", "app/fastcn-check/rules.py", where=place,
                TZ=("UTC", "Asia/Kathmandu")[number])
            made.add(digest(out))
        self.assertEqual(len(made), 1)

    def test_sbom(self):
        """The bill of materials has no date but that of the changelog, or the one that is given."""
        made = set()
        for number, place in enumerate(self.places):
            self.copy(place, "app", "lib", "drivers", "config", "scripts", "debian/changelog")
            # What somebody preloads is nothing that the programs were built with.
            made.add(run(sys.executable, "scripts/sbom", sys.executable, where=place, TZ=("UTC", "Asia/Kathmandu")[number],
                         LD_PRELOAD=("", "libz.so.1 libbz2.so.1.0")[number]))
        self.assertEqual(len(made), 1)
        dated = json.loads(run(sys.executable, "scripts/sbom", sys.executable, where=place, SOURCE_DATE_EPOCH="86400"))
        self.assertEqual(dated["creationInfo"]["created"], "1970-01-02T00:00:00Z")


if __name__ == "__main__":
    BUILD = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
