#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The pages themselves: their list in README.md, for whom each is, and that no link and no picture leads to nothing, in the
sources and in what is installed, Markdown and HTML.

test_pages.py [--mkdocs PROGRAM] [unittest options]
"""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import links

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GROUPS = ["Run it", "Operate it", "Research with it", "Change it"]
mkdocs = None


def source(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as f:
        return f.read()


def names(pattern):
    return {os.path.relpath(p, ROOT) for p in glob.glob(os.path.join(ROOT, pattern))}


class Sources(unittest.TestCase):
    def test_links(self):
        """Of all pages of the repository, those of folders of code, too."""
        tops = ("app", "config", "debian", "doc", "drivers", "lib", "scripts", "tests")
        pages = [p for top in tops for p in glob.glob(os.path.join(ROOT, top, "**", "*.md"), recursive=True)]
        self.assertEqual(links.broken(pages + glob.glob(os.path.join(ROOT, "*.md")), ROOT), [])

    def test_groups(self):
        """Each page is in one of the four groups of README.md, and in no second one."""
        part = source("README.md").partition("\n## Documentation\n")[2].partition("\n## ")[0]
        groups = {g.partition("\n")[0]: g for g in part.split("\n### ")[1:]}
        self.assertEqual(list(groups), GROUPS)
        listed = [p for g in groups.values() for p in re.findall(r"\]\(([^)#]+\.md)\)", g)]
        self.assertEqual(sorted(listed), sorted(names("doc/*.md") | {"doc/notes/README.md", "CONTRIBUTING.md", "CHANGELOG.md"}))

    def test_reactions(self):
        """The table of reactions of senders has each of the list, in its order."""
        listed = re.findall(r"^\tX\(\w+, (\w+)\)", source("lib/endpoint/fcn_reaction_list.h"), re.M)
        table = source("doc/endpoint.md").partition("| kind | input |")[2].partition("\n\n")[0]
        self.assertEqual(re.findall(r"^\| (\w+) \|", table, re.M), listed)

    def test_commands(self):
        """What troubleshooting.md tells people to type is there, and so are the conditions of `show notify missing`."""
        page = source("doc/troubleshooting.md")
        known = re.findall(r"^### `([^`]+)`", source("doc/console.md"), re.M)
        named = re.findall(r"`((?:show|set|capture|trace) [^`]+)`", page) + re.findall(r"^    ((?:show|trace) .*)", page, re.M)
        self.assertGreater(len(named), 40)
        for name in named:
            words = name.split()
            fits = lambda form: all(f.startswith(("<", "[")) or f == w for f, w in zip(form.split(), words))
            self.assertTrue(any(len(form.split()) >= min(2, len(words)) and fits(form) for form in known), name)
        conditions = re.findall(r'X\(\w+, "(\w+)",', source("lib/show/show_notify_missing.c"))
        first = page.partition("\n## 1. ")[2].partition("\n## 2. ")[0]
        self.assertEqual(re.findall(r"^\| `(\w+)` \|", first, re.M), conditions)

    def test_notes(self):
        listed = re.findall(r"^\| \[[^\]]+\]\(([^)]+)\)", source("doc/notes/README.md"), re.M)
        self.assertEqual(sorted("doc/notes/" + p for p in listed), sorted(names("doc/notes/*.md") - {"doc/notes/README.md"}))

    def test_for_whom(self):
        """A title, and below it one sentence that says for whom the page is and what they find."""
        for page in sorted(names("doc/*.md") | names("doc/notes/*.md") | {"CONTRIBUTING.md", "CHANGELOG.md"}):
            with self.subTest(page=page):
                title, empty, sentence, after = source(page).split("\n")[:4]
                self.assertRegex(title, r"^# \S")
                self.assertRegex(sentence, r"^\*For [^:]+: .*[^.]\.\*$")
                self.assertNotRegex(sentence, r"\. [A-Z]")
                self.assertEqual((empty, after), ("", ""))


class Installed(unittest.TestCase):
    """What doc/make_pages.py makes, where it is installed, beside the examples."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="fcn-pages-")
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        cls.out = os.path.join(cls.directory, "share/doc/fastcn")
        command = [sys.executable, os.path.join(ROOT, "doc/make_pages.py"), *(["--mkdocs", mkdocs] if mkdocs else []), cls.out]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode != 0:
            raise AssertionError(done.stdout)
        # As config/meson.build installs them.
        shutil.copytree(os.path.join(ROOT, "config"), os.path.join(cls.directory, "share/fastcn/examples"),
                        ignore=shutil.ignore_patterns("meson.build", "*.service", "completion"))
        shutil.copytree(os.path.join(ROOT, "scripts"), os.path.join(cls.directory, "share/fastcn/scripts"))
        for name in ("examples", "scripts"):
            os.symlink("../../fastcn/" + name, os.path.join(cls.out, name))
        cls.pages = [p for p in links.pages_below(cls.out) if "/examples/" not in p and "/scripts/" not in p]

    def below(self, name, end):
        directory = os.path.join(self.out, name)
        return [p for p in self.pages if p.startswith(directory) and p.endswith(end)]

    def test_markdown(self):
        self.assertGreater(len(self.below("", ".md")), 40)
        self.assertEqual(links.broken(self.below("", ".md"), self.directory), [])

    def test_html(self):
        if not mkdocs:
            self.skipTest("no mkdocs")
        pages = self.below("html/", ".html")
        sources = {os.path.relpath(p, self.out)[:-3] for p in self.below("", ".md")}
        made = {os.path.relpath(p, os.path.join(self.out, "html"))[:-5] for p in pages}
        self.assertEqual({x.replace("README", "index") for x in sources} | {"search"}, made)
        self.assertEqual(links.broken(pages, self.directory), [])
        self.assertEqual(links.fetched(pages), [])

    def test_every_picture_is_there(self):
        for where in ("", "html") if mkdocs else ("",):
            for picture in names("doc/pictures/*"):
                self.assertTrue(os.path.exists(os.path.join(self.out, where, "pictures", os.path.basename(picture))), picture)

    def test_html_has_what_markdown_means(self):
        """No table, list or heading is left as plain text, and the search finds each page."""
        if not mkdocs:
            self.skipTest("no mkdocs")
        index = source(os.path.join(self.out, "html/search-index.js"))
        for path in self.below("html/", ".html"):
            name = os.path.relpath(path, os.path.join(self.out, "html"))
            text = re.sub(r"(?s)<(pre|code)\b.*?</\1>", "", source(path))
            self.assertEqual(re.findall(r"(?m)^\s*(?:<p>)?(?:\||- |#+ ).*", text), [], name)
            self.assertTrue(name == "search.html" or f'"location": "{name}' in index, name)

    def test_a_fault_is_found(self):
        """A page with a link to nothing, one to no heading, one out of the package, and without its picture."""
        with tempfile.TemporaryDirectory(prefix="fcn-pages-") as directory:
            for name in ("a.md", "a.html"):
                path = os.path.join(directory, name)
                faults = ["b." + name[2:], f"{name}#nothing", "../" + os.path.basename(directory) + "-else", "no.svg"]
                with open(path, "w", encoding="utf-8") as f:
                    for fault in [*faults, name + "#here"]:
                        f.write(f"[x]({fault})\n\n# Here\n\n" if name == "a.md" else f'<h1 id="here"><a href="{fault}">x</a></h1>\n')
                self.assertEqual(links.broken([path], directory), [f"{name}: {x}" for x in faults])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--mkdocs", default=shutil.which("mkdocs"))
    options, rest = parser.parse_known_args()
    mkdocs = options.mkdocs
    unittest.main(argv=[sys.argv[0], *rest])
