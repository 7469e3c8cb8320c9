# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Tables, which are lists of rows {column: value}: as text, as CSV and as JSON."""

import csv
import json
import os
import sys

import units
from result import Wrong, is_number

WIDTH = 110  # a table that is wider is split into several, one below the other


def columns(rows):
    """All columns, in the order in which rows first have them."""
    return list(dict.fromkeys(key for row in rows for key in row))


def cell(key, value):
    if isinstance(value, int) and units.ending(key) and value >= 0:
        return units.quantity(key, value)
    return "%.9g" % value if isinstance(value, float) else "" if value is None else str(value)


def slices(widths, keys):
    """Columns that fit a line, beside those that say which row it is."""
    first = keys
    while first < len(widths) or first == keys:
        last, width = first, sum(widths[:keys]) + 2 * keys
        while last < len(widths) and (last == first or width + widths[last] + 2 <= WIDTH):
            width, last = width + widths[last] + 2, last + 1
        yield list(range(keys)) + list(range(first, last))
        first = max(last, keys + 1)


def text(rows):
    """The table for people. Times and rates have units and four digits."""
    names = columns(rows)
    if not names:
        return "none\n"
    cells = [[cell(key, row.get(key)) for key in names] for row in rows]
    # Two columns say which row it is where neighbours have the same first one.
    keys = min(len(names), 2 if any(a[0] == b[0] for a, b in zip(cells, cells[1:])) else 1)
    cells.insert(0, [name.removesuffix(units.ending(name) or "") for name in names])
    right = [all(is_number(row.get(key, 0)) for row in rows) for key in names]
    parts = []
    for some in slices([max(len(row[i]) for row in cells) for i in range(len(names))], keys):
        wide = {i: max(len(row[i]) for row in cells) for i in some}
        parts.append("".join("  ".join(row[i].rjust(wide[i]) if right[i] else row[i].ljust(wide[i]) for i in some).rstrip() + "\n"
                             for row in cells))
    return "\n".join(parts)


def write_json(rows, out):
    json.dump(rows, out, indent=2, ensure_ascii=False)
    out.write("\n")


def write_csv(rows, out):
    writer = csv.DictWriter(out, columns(rows), lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows({key: "%.15g" % value if isinstance(value, float) else value for key, value in row.items()} for row in rows)


def write_text(rows, out):
    out.write(text(rows))


def open_to_write(path):
    try:
        return open(path, "w", encoding="utf-8", errors="backslashreplace", newline="")
    except OSError as e:
        raise Wrong("%s: %s" % (path, e.strerror)) from e


def save(path, rows, write):
    """Write a table into a file."""
    try:
        with open_to_write(path) as out:
            write(rows, out)
    except OSError as e:
        raise Wrong("%s: %s" % (path, e.strerror)) from e


def make_folder(path):
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as e:
        raise Wrong("%s: %s" % (e.filename, e.strerror)) from e


def show(rows, shown, file):
    """Write a table to standard output as text and, if there is a file, to it as JSON: - is standard output, without the text."""
    if file == "-":
        write_json(rows, sys.stdout)
        return
    write_text(shown, sys.stdout)
    if file is not None:
        save(file, rows, write_json)
