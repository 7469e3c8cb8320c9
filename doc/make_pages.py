#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""make_pages.py [--mkdocs MKDOCS] [--depfile FILE] OUT

Make the directory OUT of documentation as it is installed: the pages as Markdown, with their pictures, and with
--mkdocs the same as HTML in OUT/html. A link to a page leads to where that page is installed; one to an example
in config/ to the installed examples, which are OUT/examples; one to a script of users to OUT/scripts; one to anything
else of the sources becomes plain text. The groups of README.md are the menu of the HTML pages.
"""

import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

DOC = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(DOC)
TOP = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md")
# Of config/, what meson does not install as an example.
NO_EXAMPLES = re.compile(r"config/(meson\.build|completion|.*\.service)$")
# The scripts that meson installs.
SCRIPTS = re.compile(r"'([a-z-]+(?:\.\w+)?)'")
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
CODE = re.compile(r"(`[^`\n]*`)")


def places():
    """{path in the sources: path below OUT} of pages and pictures."""
    found = {name: name for name in TOP}
    for pattern in ("*.md", "*.schema.json", "notes/*.md", "pictures/*"):
        for path in glob.glob(os.path.join(DOC, pattern)):
            name = os.path.relpath(path, DOC)
            found["doc/" + name] = name
    return found


def scripts():
    """The paths in the sources of scripts that are installed, and their folder."""
    with open(os.path.join(ROOT, "scripts/meson.build"), encoding="utf-8") as f:
        names = re.findall(r"install_data\(([^)]*?)(?:install_dir|\))", f.read(), re.S)
    return {"scripts"} | {"scripts/" + x for part in names for x in SCRIPTS.findall(part)}


def moved(text, source, where, up):
    """A page with links as they have to be at its new place. @param up the way from OUT to examples and scripts"""
    here = os.path.dirname(where[source])
    installed = scripts()

    def link(match):
        picture, words, target = match.groups()
        path, hash_sign, anchor = target.partition("#")
        if "://" in target or not path:
            return match.group(0)
        path = os.path.normpath(os.path.join(os.path.dirname(source), path))
        if path in where:
            to = os.path.relpath(where[path], here or ".")
        elif path.split("/")[0] == "config" and not NO_EXAMPLES.match(path) and os.path.exists(os.path.join(ROOT, path)):
            to = os.path.relpath(os.path.normpath(os.path.join(up, "examples", os.path.relpath(path, "config"))), here or ".")
        elif path in installed:
            to = os.path.relpath(os.path.join(up, path), here or ".")
        else:
            return words
        return f"{picture}[{words}]({to}{hash_sign}{anchor})"

    lines = []
    for line in text.splitlines():
        parts = [line] if line.startswith("    ") else re.split(r"(?<!\[)(`[^`\n]*`)(?!\])", line)
        lines.append("".join(x if CODE.fullmatch(x) else LINK.sub(link, x) for x in parts))
    return "\n".join(lines) + "\n"


def write_pages(out, where, up):
    for source, name in where.items():
        path = os.path.join(out, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if source.endswith(".md"):
            with open(os.path.join(ROOT, source), encoding="utf-8") as f:
                text = f.read()
            with open(path, "w", encoding="utf-8") as f:
                f.write(moved(text, source, where, up))
        else:
            shutil.copyfile(os.path.join(ROOT, source), path)


def title_of(page):
    with open(os.path.join(ROOT, page), encoding="utf-8") as f:
        return f.readline().lstrip("# ").strip()


def groups():
    """[(group, pages)] of README.md: below "Documentation", the pages that each part links to first."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as f:
        text = f.read().partition("\n## Documentation\n")[2].partition("\n## ")[0]
    found = []
    for part in text.split("\n### ")[1:]:
        name, _, rest = part.partition("\n")
        pages = re.findall(r"\]\(([^)#]+\.md)\)", rest)
        found.append((name.strip(), list(dict.fromkeys(pages))))
    return found


def menu(where):
    """The menu of the HTML pages. Notes have no line in README.md, but in their own list."""
    found = [{"fastcn": "README.md"}]
    for name, pages in groups():
        found.append({name: [{title_of(p): where[p]} for p in pages]})
    notes = sorted(p for p in where if p.startswith("doc/notes/") and not p.endswith("README.md"))
    found.append({"Notes": [{title_of(p): where[p]} for p in notes]})
    return found


def write_html(mkdocs, out, where):
    with tempfile.TemporaryDirectory(prefix="fastcn-pages-") as directory:
        write_pages(os.path.join(directory, "docs"), where, "..")
        settings = {
            "site_name": "fastcn", "docs_dir": "docs", "site_dir": os.path.abspath(out), "use_directory_urls": False,
            "nav": menu(where), "theme": {"name": None, "custom_dir": os.path.join(DOC, "html/theme"), "static_templates": ["search.html"]},
            "plugins": ["search"], "hooks": [os.path.join(DOC, "html/hooks.py")],
        }
        with open(os.path.join(directory, "mkdocs.yml"), "w", encoding="utf-8") as f:
            json.dump(settings, f)  # JSON is YAML, too
        done = subprocess.run([mkdocs, "build", "--quiet", "--clean", "-f", f.name], stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    # mkdocs does not know the examples, to which pages link outside of what it makes.
    said = [x for x in done.stdout.splitlines() if "/examples/" not in x and "/scripts" not in x]
    print("\n".join(said), end="\n" if said else "", file=sys.stderr)
    if done.returncode != 0:
        raise SystemExit(f"{mkdocs}: exit status {done.returncode}")


def main():
    parser = argparse.ArgumentParser(description="Make the documentation as it is installed.")
    parser.add_argument("--mkdocs", help="also as HTML, by this program")
    parser.add_argument("--depfile", help="write there, for ninja, of which files the documentation is made")
    parser.add_argument("out")
    args = parser.parse_args()
    where = places()
    shutil.rmtree(args.out, ignore_errors=True)
    os.makedirs(args.out)
    write_pages(args.out, where, ".")
    if args.mkdocs:
        write_html(args.mkdocs, os.path.join(args.out, "html"), where)
    if args.depfile:
        sources = [os.path.join(ROOT, x) for x in where] + glob.glob(os.path.join(DOC, "html/**/*.*"), recursive=True)
        with open(args.depfile, "w", encoding="utf-8") as f:
            f.write(f"{args.out}: " + " ".join(sorted(sources)) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
