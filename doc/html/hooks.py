# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What mkdocs is to do otherwise for the pages of fastcn."""

import html
import json
import os


def on_post_build(config):
    """The index becomes a script, as a browser loads no other file into a page that was itself read from a file. So the
    search of mkdocs, which fetches the index, is of no use here, and neither is what search engines want to know."""
    site = config["site_dir"]
    search = os.path.join(site, "search")
    with open(os.path.join(search, "search_index.json"), encoding="utf-8") as f:
        sections = [{key: html.unescape(value) for key, value in section.items()} for section in json.load(f)["docs"]]
    for name in os.listdir(search):
        os.remove(os.path.join(search, name))
    os.rmdir(search)
    with open(os.path.join(site, "search-index.js"), "w", encoding="utf-8") as f:
        f.write("const sections = " + json.dumps(sections, ensure_ascii=False) + ";\n")
    for name in ("sitemap.xml", "sitemap.xml.gz"):
        if os.path.exists(os.path.join(site, name)):
            os.remove(os.path.join(site, name))
