# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A report: what a page shows of a run, from the files of `fastcn replay` or of fastcn-lab.

lab-results LAB report replay|lab RESULT SERIES OUT; OUT is the HTML file, or - for a sketch as text to standard output.
"""

import lab_files
import replay_files
import run_page
import sketch
from result import Wrong

KINDS = {"replay": replay_files.read, "lab": lab_files.read}


def main(kind, result_file, series_file, out):
    run = KINDS[kind](result_file, series_file)
    if out == "-":
        print(sketch.text(run))
        return 0
    html = run_page.html(run)
    try:
        with open(out, "w", encoding="utf-8", errors="replace") as f:
            f.write(html)
    except OSError as e:
        raise Wrong("the report: %s" % e.strerror) from e
    return 0
