# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A page: one HTML file that fetches nothing. Its parts as HTML, with what comes from files escaped."""

import html
import os

from model import whole
from result import is_number

ROWS = 300  # of a table
LONG = 48  # text that may take several lines
# Nothing is loaded, whatever a file would have a browser do.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def beside(name):
    """The text of a file that is beside this module, also in an archive."""
    with_data = globals().get("__loader__")
    return with_data.get_data(os.path.join(os.path.dirname(__file__), name)).decode()


def escape(value):
    return html.escape(str(value))


def heading_of(column):
    """Columns of times and rates say their unit."""
    for end, unit in (("_ns", "ns"), ("_bps", "b/s")):
        if column.endswith(end):
            return "%s, %s" % (column.removesuffix(end).replace("_", " "), unit)
    return column.replace("_", " ")


def cell(value):
    if value is None or value == [] or value == "":
        return "<td></td>"
    if is_number(value):
        text = whole(value) if value == int(value) else "%.6g" % value
        return '<td class="n" data-v="%r">%s</td>' % (value, text)
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    value = str(value)
    return "<td%s>%s</td>" % (' class="long"' if len(value) > LONG else "", escape(value))


def table(one):
    """A table, sorted as it is; columns without a value are left out. Nothing if it has no row."""
    used = [i for i in range(len(one.columns)) if any(row[i] not in (None, "", []) for row in one.rows)]
    if not used:
        return ""
    heads = "".join('<th scope="col"%s><button type="button">%s</button></th>' % (
        ' class="n"' if all(is_number(row[i]) or row[i] is None for row in one.rows) else "", escape(heading_of(one.columns[i]).strip())) for i in used)
    rows = "\n".join("<tr>%s</tr>" % "".join(cell(row[i]) for i in used) for row in one.rows[:ROWS])
    more = "<p>The first %d of %s rows; the files of the run have all.</p>" % (ROWS, whole(len(one.rows))) if len(one.rows) > ROWS else ""
    return '<h2>%s</h2>\n<div class="table" role="region" tabindex="0" aria-label="%s"><table><thead><tr>%s</tr></thead>\n<tbody>%s</tbody></table></div>%s\n' % (
        escape(one.heading), escape(one.heading), heads, rows, more)


def top(title, about, notes, tiles):
    """What the page begins with."""
    parts = ["<h1>%s</h1>\n" % escape(title), '<p class="about">%s</p>\n' % "".join("<span>%s</span>" % escape(text) for text in about if text)]
    if notes:
        parts.append('<div class="notes" role="note">%s</div>\n' % "".join("<p>%s</p>" % escape(note) for note in notes))
    if tiles:
        parts.append('<ul class="tiles">%s</ul>\n' % "".join(
            "<li><span>%s</span><b>%s</b><small>%s</small></li>" % tuple(map(escape, tile)) for tile in tiles))
    return "".join(parts)


def page(title, body, scripts):
    """The whole file."""
    return """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="%s">
<title>%s</title>
<style>
%s</style>
</head>
<body>
<main>
%s</main>
%s
</body>
</html>
""" % (POLICY, escape(title), beside("page.css"), body, "\n".join("<script>\n%s</script>" % beside(name) for name in scripts))
