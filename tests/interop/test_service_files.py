#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The files of a service: man pages without a complaint and with the options that there are, the example in
fastcn-conf(5), the systemd unit. What a test needs and is not there makes it skip.

test_service_files.py --fastcn PROGRAM --fastcnctl PROGRAM --fastcn_host PROGRAM [unittest options]
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import testbed

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = ["fastcn.1", "fastcnctl.1", "fastcn-endpoint.1", "fastcn-host.1", "fastcn-pnc.1", "fastcn-qpd.1", "fastcn-check.1", "fastcn-conf.5"]


def run(*words, **more):
    return subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                          timeout=60, check=False, **more)


def page(name):
    return os.path.join(ROOT, "doc", "man", name)


class ServiceFiles(unittest.TestCase):
    @unittest.skipUnless(shutil.which("man") and shutil.which("groff"), "no man")
    def test_man(self):
        for name in PAGES:
            p = run("man", "--warnings", "-E", "UTF-8", "-l", page(name),
                    env={**os.environ, "MANWIDTH": "80", "LC_ALL": "C.UTF-8", "MANPAGER": "cat"})
            self.assertEqual((p.returncode, p.stderr), (0, ""), name)
            self.assertIn("SEE ALSO", p.stdout)

    @unittest.skipUnless(shutil.which("mandoc"), "no mandoc")
    def test_mandoc(self):
        for name in PAGES:
            p = run("mandoc", "-Tlint", "-Wwarning", page(name))
            self.assertEqual((p.returncode, p.stdout), (0, ""), name)

    def test_options(self):
        """Those of --help, and no others."""
        for program, name in ((testbed.options.fastcn, "fastcn.1"), (testbed.options.fastcnctl, "fastcnctl.1"),
                              (testbed.options.fastcn_host, "fastcn-host.1")):
            with open(page(name), encoding="utf-8") as f:
                text = f.read()
            described = {"--" + x for x in re.findall(r"^\.It Fl -([a-z-]+)", text, re.M)}
            described |= {"-" + x for x in re.findall(r"^\.It Fl ([a-z])\b", text, re.M)}
            lines = [x for x in run(program, "--help").stdout.splitlines() if re.match(r" +-", x)]
            offered = {w for x in lines for w in re.findall(r"(?:^ +|, )(--?[a-z][a-z-]*)", x)}
            self.assertEqual(described - {"--help", "--version"}, offered - {"--help", "--version"}, name)

    def test_example(self):
        """What fastcn-conf(5) shows loads, and is in force then."""
        with open(page("fastcn-conf.5"), encoding="utf-8") as f:
            example = re.search(r"\.Bd -literal.*\n((?s:.*?))\.Ed", f.read()).group(1)
        with tempfile.TemporaryDirectory() as directory:
            config = os.path.join(directory, "example.conf")
            with open(config, "w", encoding="ascii") as f:
                f.write(example)
            p = run(testbed.options.fastcn, "replay", config, "--in",
                    "p1=" + os.path.join(ROOT, "tests", "data", "broken", "header-only.pcap"), "--quiet", "--after",
                    "show config")
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        for line in example.splitlines():
            if not line.startswith("#"):
                # sizes are saved in bytes
                self.assertIn(re.sub(r"\b(\d+)K\b", r"\g<1>000", line), p.stdout.splitlines())

    @unittest.skipUnless(shutil.which("systemd-analyze"), "no systemd-analyze")
    def test_unit(self):
        for program in ("fastcn", "fastcn-host", "fastcn-pnc", "fastcn-qpd"):
            name = program + ".service"
            with open(os.path.join(ROOT, "config", name), encoding="ascii") as f:
                unit = f.read()
            self.assertEqual(len(re.findall(rf"^ExecStart=/usr/local/bin/{program} ", unit, re.M)), 1)
            with tempfile.TemporaryDirectory() as directory:
                path = os.path.join(directory, name)
                with open(path, "w", encoding="ascii") as f:
                    f.write(unit.replace("/usr/local/bin/" + program, testbed.options.fastcn))
                p = run("systemd-analyze", "verify", "--man=no", path)
            complaints = [x for x in p.stderr.splitlines() if name in x]
            self.assertEqual(complaints, [])
            self.assertEqual(p.returncode, 0, p.stderr)


    @unittest.skipUnless(shutil.which("systemd-analyze"), "no systemd-analyze")
    def test_exposure(self):
        """What systemd says about the privileges of the services: 10 is the worst. Also with each drop-in."""
        def exposure(name, *drop_ins):
            with tempfile.TemporaryDirectory() as directory:
                path = os.path.join(directory, name)
                with open(path, "w", encoding="ascii") as f:
                    for part in (name, *drop_ins):
                        with open(os.path.join(ROOT, "config", part), encoding="ascii") as g:
                            f.write(g.read() + "\n")
                out = run("systemd-analyze", "security", "--offline=true", "--no-pager", path).stdout
            return float(re.search(r"Overall exposure level for \S+: (\S+)", out)[1])

        self.assertLessEqual(exposure("fastcn.service"), 2.5)
        self.assertLessEqual(exposure("fastcn.service", "service/user.conf"), 2.3)
        self.assertLessEqual(exposure("fastcn.service", "service/namespace.conf"), 3.0)
        self.assertLessEqual(exposure("fastcn-pnc.service"), 1.6)
        self.assertLessEqual(exposure("fastcn-qpd.service"), 1.3)
        # With the capability to load probes, which it gives up.
        self.assertLessEqual(exposure("fastcn-host.service"), 2.1)

    @unittest.skipUnless(shutil.which("systemd-sysusers"), "no systemd-sysusers")
    def test_users(self):
        """The users that the units name are those that fastcn.sysusers and fastcn-host.sysusers make."""
        with tempfile.TemporaryDirectory() as directory:
            os.mkdir(os.path.join(directory, "etc"))
            p = run("systemd-sysusers", f"--root={directory}", os.path.join(ROOT, "config", "fastcn.sysusers"),
                    os.path.join(ROOT, "config", "fastcn-host.sysusers"))
            self.assertEqual(p.returncode, 0, p.stderr)
            with open(os.path.join(directory, "etc", "passwd"), encoding="ascii") as f:
                made = {x.split(":")[0] for x in f}
        named = set()
        for name in ("fastcn.service", "fastcn-host.service", "fastcn-pnc.service", "fastcn-qpd.service", "service/user.conf"):
            with open(os.path.join(ROOT, "config", name), encoding="ascii") as f:
                named |= set(re.findall(r"^(?:User|Group|SupplementaryGroups)=(.+)$|group=([a-z-]+)", f.read(), re.M))
        self.assertEqual({x or y for x, y in named}, made)


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, programs=("fastcn", "fastcnctl", "fastcn_host")))
