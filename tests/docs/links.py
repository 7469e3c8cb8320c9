# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Links and pictures of pages, Markdown or HTML, that lead to nothing. It shares no code with what makes the pages."""

import glob
import html.parser
import os
import re
import urllib.parse


class Page:
    """Where its links lead to, its pictures among them, and which names of its own can be linked to."""

    def __init__(self):
        self.links, self.names = [], set()


def name_of(heading):
    """As GitHub names the heading of a Markdown page."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
    return "".join("-" if c == " " else c for c in text.strip().lower() if c.isalnum() or c in " -_")


def read_markdown(path):
    page, fenced, before = Page(), False, ""
    with open(path, encoding="utf-8") as f:
        lines = f.read().splitlines()
    for line in lines:
        if line.startswith("```"):
            fenced = not fenced
        code = fenced or (line.startswith("    ") and not before.strip())
        if code:
            continue  # `before` stays what it was: code goes on to the next line that is not indented
        before = line
        if heading := re.match(r"#{1,6} +(.*)", line):
            page.names.add(name_of(heading.group(1)))
        page.links += re.findall(r"\]\(([^()\s]+)\)", re.sub(r"`[^`]*`", "``", line))
    return page


class Reader(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.page = Page()

    def handle_starttag(self, tag, attrs):
        for key, value in attrs:
            if key in ("href", "src", "action") and value:
                self.page.links.append(value)
            elif key in ("id", "name") and value:
                self.page.names.add(value)


def read_html(path):
    reader = Reader()
    with open(path, encoding="utf-8") as f:
        reader.feed(f.read())
    return reader.page


def read(path, known):
    if path not in known:
        known[path] = (read_html if path.endswith(".html") else read_markdown)(path)
    return known[path]


def broken(pages, root):
    """["page: link", ...] of links that lead nowhere, or out of root. Links to other sites are not followed."""
    found, known = [], {}
    root = os.path.realpath(root)
    for path in sorted(pages):
        for link in read(path, known).links:
            url = urllib.parse.urlsplit(link)
            if url.scheme or url.netloc:
                continue
            to = os.path.normpath(os.path.join(os.path.dirname(path), urllib.parse.unquote(url.path))) if url.path else path
            real = os.path.realpath(to)
            good = os.path.exists(to) and (real + "/").startswith(root + "/") and not link.startswith("/")
            if good and url.fragment and to.endswith((".md", ".html")):
                good = urllib.parse.unquote(url.fragment) in read(to, known).names
            if not good:
                found.append(f"{os.path.relpath(path, root)}: {link}")
    return found


def fetched(pages):
    """["page: address", ...] of what a browser would fetch from other sites to show a page."""
    found = []
    for path in sorted(pages):
        with open(path, encoding="utf-8") as f:
            for tag, address in re.findall(r"<(script|img|link|iframe)\b[^>]*?(?:src|href)=[\"']((?:https?:)?//[^\"']+)", f.read()):
                found.append(f"{path}: {tag} {address}")
    return found


def pages_below(directory):
    return [p for end in ("md", "html") for p in glob.glob(os.path.join(directory, "**", "*." + end), recursive=True)]
