#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""scripts/release, in repositories made of the files that are here: what it makes of them, twice, and what it refuses. In place of
dpkg-buildpackage, which would compile everything, a few lines make a package; tests/interop/test_package.py has the real one.
"""

import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VERSION = "9.8.7"
DAY = "2026-02-03"
TOOLS = ("git", "dpkg-buildpackage", "dpkg-deb", "dh", "meson", "mkdocs", "xz")
# A package of the version and of the sources that it is made of.
BUILDER = """#!/bin/sh -e
version=$(dpkg-parsechangelog -S Version)
mkdir -p tree/DEBIAN tree/usr/share/doc/fastcn
printf 'Package: fastcn\\nVersion: %s\\nArchitecture: all\\nMaintainer: x <x@x.example>\\nDescription: x\\n' "$version" >tree/DEBIAN/control
echo "{\\"versionInfo\\": \\"$(sed -n "s/^ *version: '\\(.*\\)',/\\1/p" meson.build)\\"}" >tree/usr/share/doc/fastcn/fastcn.spdx.json
cp CHANGELOG.md tree/usr/share/doc/fastcn
chmod -R u=rwX,go=rX tree
dpkg-deb --root-owner-group -b tree ../fastcn_${version}_all.deb
"""


def run(*words, where, **more):
    return subprocess.run(words, cwd=where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          check=False, env={**os.environ, **more})


def git(where, *words):
    p = run("git", "-c", "user.name=A Developer", "-c", "user.email=a@developer.example", *words, where=where,
            GIT_AUTHOR_DATE=DAY + "T23:30:00+0000", GIT_COMMITTER_DATE=DAY + "T23:30:00+0000")
    if p.returncode != 0:
        raise AssertionError(p.stdout)
    return p.stdout


def content(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def digest(path):
    with open(path, "rb") as f:
        return hashlib.sha256(f.read()).hexdigest()


@unittest.skipUnless(all(map(shutil.which, TOOLS)) and os.path.exists(os.path.join(ROOT, ".git")), "needs a clone, and " + ", ".join(TOOLS))
class Release(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="fcn-release-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.programs = os.path.join(self.directory, "bin")
        os.mkdir(self.programs)
        with open(os.path.join(self.programs, "dpkg-buildpackage"), "w", encoding="ascii") as f:
            f.write(BUILDER)
        os.chmod(f.name, 0o755)

    def repository(self, name="repository"):
        """A new one, of the files that git knows here as they are now."""
        where = os.path.join(self.directory, name)
        os.makedirs(where)
        for path in subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout.split(b"\0"):
            source, target = os.path.join(os.fsencode(ROOT), path), os.path.join(os.fsencode(where), path)
            # Most of the octets, and a release does no more with them than with the others: with all of them, git and xz take
            # most of the time.
            if path and os.path.lexists(source) and not path.startswith((b"tests/", b"lib/", b"drivers/", b"doc/")):
                os.makedirs(os.path.dirname(target), exist_ok=True)
                shutil.copy2(source, target, follow_symlinks=False)
        changes = content(where, "CHANGELOG.md")
        if "\n## Not released yet\n" not in changes:  # this is the commit of a version
            with open(os.path.join(where, "CHANGELOG.md"), "w", encoding="utf-8") as f:
                f.write(changes.replace("\n## ", "\n## Not released yet\n\n- Something.\n\n## ", 1))
        git(where, "init", "-q", "-b", "main")
        git(where, "add", "-A")
        git(where, "commit", "-q", "-m", "all")
        return where

    def release(self, where, *words, **more):
        return run(os.path.join(where, "scripts/release"), *words, where="/",
                   PATH=f"{self.programs}:{os.environ['PATH']}", **more)

    def test_release(self):
        where = self.repository()
        before = content(where, "CHANGELOG.md"), content(where, "debian/changelog"), git(where, "rev-parse", "HEAD")
        out = os.path.join(self.directory, "out")
        p = self.release(where, VERSION, "--out", out, TZ="Asia/Kathmandu")
        self.assertEqual(p.returncode, 0, p.stdout)
        self.the_commit(where, out, before)
        self.the_files(out, p.stdout)
        # Elsewhere, in another time zone and by somebody else, all of it is the same.
        again = os.path.join(self.directory, "elsewhere", "again")
        p = self.release(where, "--out", again, VERSION, TZ="America/St_Johns", LC_ALL="C", GIT_AUTHOR_NAME="somebody")
        self.assertEqual(p.returncode, 0, p.stdout)
        self.assertEqual(content(out, "SHA256SUMS"), content(again, "SHA256SUMS"))
        # Here, nothing has changed.
        self.assertEqual(before, (content(where, "CHANGELOG.md"), content(where, "debian/changelog"), git(where, "rev-parse", "HEAD")))
        self.assertEqual((git(where, "status", "--porcelain"), git(where, "tag"), git(where, "branch")), ("", "", "* main\n"))

    def the_commit(self, where, out, before):
        """One commit, which changes the version where it stands and nothing else."""
        clone = os.path.join(out, "clone")
        self.assertEqual(git(clone, "rev-parse", f"release-{VERSION}^"), before[2])
        self.assertEqual(git(clone, "diff", "--name-only", "HEAD^").split(), ["CHANGELOG.md", "app/python-fastcn/pyproject.toml",
                                                                                 "config/kubernetes/fastcn.yml", "debian/changelog", "meson.build"])
        self.assertIn(f"/fastcn:{VERSION}\n", content(clone, "config/kubernetes/fastcn.yml"))
        self.assertEqual(content(clone, "CHANGELOG.md"), before[0].replace("## Not released yet\n", f"## {VERSION} ({DAY})\n"))
        entry = content(clone, "debian/changelog").removesuffix(before[1])
        self.assertRegex(entry, rf"\Afastcn \({VERSION}\) unstable; urgency=medium\n\n  \* .*\n\n -- .* <.*>  "
                                r"Tue, 03 Feb 2026 23:30:00 \+0000\n\n\Z")
        changed = [x for x in git(clone, "diff", "-U0", "HEAD^", "--", "meson.build").splitlines() if re.match(r"[-+] ", x)]
        self.assertEqual(len(changed), 2)
        self.assertEqual(changed[1], f"+    version: '{VERSION}',")

    def the_files(self, out, said):
        names = {f"fastcn-{VERSION}.tar.xz", f"fastcn-{VERSION}.spdx.json"} | {os.path.basename(x) for x in glob.glob(out + "/*.deb")}
        self.assertEqual({x for x in os.listdir(out) if os.path.isfile(os.path.join(out, x))}, names | {"SHA256SUMS"})
        sums = dict(reversed(x.split("  ")) for x in content(out, "SHA256SUMS").splitlines())
        self.assertEqual(sums, {x: digest(os.path.join(out, x)) for x in names})
        for line in content(out, "SHA256SUMS").splitlines():
            self.assertIn(line, said)
        (package,) = glob.glob(os.path.join(out, f"fastcn_{VERSION}_*.deb"))
        self.assertEqual(run("dpkg-deb", "-f", package, "Version", where=out).stdout.strip(), VERSION)
        unpacked = os.path.join(self.directory, "unpacked")
        run("dpkg-deb", "-x", package, unpacked, where=out)
        self.assertEqual(content(out, f"fastcn-{VERSION}.spdx.json"), '{"versionInfo": "%s"}\n' % VERSION)
        self.assertEqual(content(unpacked, "usr/share/doc/fastcn/CHANGELOG.md"), content(out, "clone/CHANGELOG.md"))
        with tarfile.open(os.path.join(out, f"fastcn-{VERSION}.tar.xz")) as archive:
            members = {m.name.removeprefix(f"fastcn-{VERSION}/"): m for m in archive.getmembers() if not m.isdir()}
            clone = os.path.join(out, "clone")
            self.assertEqual(set(members), set(git(clone, "ls-files").splitlines()))
            self.assertEqual({m.name.split("/")[0] for m in members.values()}, {f"fastcn-{VERSION}"})
            for name in ("CHANGELOG.md", "meson.build", "scripts/release"):
                self.assertEqual(archive.extractfile(members[name]).read().decode(), content(clone, name))

    def test_refused(self):
        where = self.repository()
        out = os.path.join(self.directory, "out")

        def refused(pattern, *words):
            p = self.release(where, *words, "--out", out)
            self.assertNotEqual(p.returncode, 0)
            self.assertRegex(p.stdout, pattern)
            self.assertFalse(os.path.exists(os.path.join(out, "clone")))
        refused("a version has three numbers")
        for version in ("1.2", "v1.2.3", "1.2.3-rc1", "1.02.3", "1.2.3\n"):
            refused("a version has three numbers", version)
        refused("one version", "1.2.3", "1.2.4")
        refused(r"0\.0\.1 is not newer than", "0.0.1")
        refused(r"what is \"--frob\"", "--frob")
        git(where, "tag", "v9.9.9")
        refused("the tag v9.9.9 is there", "9.9.9")
        os.makedirs(out)
        with open(os.path.join(out, "x"), "w", encoding="ascii"):
            pass
        refused("is not empty", VERSION)
        shutil.rmtree(out)
        with open(os.path.join(where, "new"), "w", encoding="ascii"):
            pass
        refused("not committed", VERSION)
        os.remove(os.path.join(where, "new"))
        text = content(where, "CHANGELOG.md")
        for changed, pattern in ((text.replace("## Not released yet", "## 7.0.0"), "has no section"),
                                 (text.replace("## Not released yet\n", "## Not released yet\n\n## 7.0.0\n"), "is empty")):
            with open(os.path.join(where, "CHANGELOG.md"), "w", encoding="utf-8") as f:
                f.write(changed)
            git(where, "commit", "-q", "-a", "-m", "changed")
            refused(pattern, VERSION)


if __name__ == "__main__":
    sys.exit(unittest.main())
