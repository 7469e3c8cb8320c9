# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The page of a sweep: numbers over a parameter, a chart each, and the table of all runs."""

import html

import page
from charts import label_of
from page import escape
from units import exact

WIDE, HIGH, LEFT, RIGHT, TOP, FOOT = 480, 270, 52, 14, 12, 46
APART = 5  # pixels between lines
COLOURS, DASHES = 8, ("", "7 4", "2 3")  # lines that can be told apart: 24


def steps(top):
    """Numbers at an axis from 0 to a top: about five."""
    power = 1.0
    while top / power >= 10:
        power *= 10
    while top / power < 1:
        power /= 10
    step = next(s * power for s in (0.2, 0.5, 1, 2, 5) if top / (s * power) <= 6)
    return [step * k for k in range(int(top / step + 1e-9) + 1)]


def look(line):
    return "stroke:var(--c%d);stroke-dasharray:%s" % (line % COLOURS, DASHES[line // COLOURS % len(DASHES)] or "none")


class Chart:
    """A number over the values of a parameter: spreads has, for each value, one Spread or None for each line."""

    def __init__(self, name, x_label, columns, lines, spreads):
        self.name, self.x_label, self.columns, self.lines, self.spreads = name, x_label, columns, lines, spreads
        top = max((s.mean + (s.ci95 or 0) for row in spreads for s in row if s), default=0)
        self.text, self.divisor = label_of(name, top)
        self.top = top / self.divisor * 1.06 or 1

    def x(self, column, line=None):
        """Lines are a little beside each other, so that each is seen where several have the same values."""
        beside = 0 if line is None else APART * (line - (len(self.lines) - 1) / 2)
        return LEFT + (column + 0.5) * (WIDE - LEFT - RIGHT) / len(self.columns) + beside

    def y(self, value):
        return HIGH - FOOT - max(0, value / self.divisor) / self.top * (HIGH - FOOT - TOP)

    def axes(self):
        for v in steps(self.top):
            y = self.y(v * self.divisor)
            yield '<line class="grid" x1="%d" x2="%d" y1="%.1f" y2="%.1f"/><text x="%d" y="%.1f" text-anchor="end">%.6g</text>' % (
                LEFT, WIDE - RIGHT, y, y, LEFT - 7, y + 4, v)
        yield '<line class="axis" x1="%d" x2="%d" y1="%d" y2="%d"/>' % (LEFT, WIDE - RIGHT, HIGH - FOOT, HIGH - FOOT)
        apart = -(-sum(len(str(value)) + 2 for value in self.columns) * 7 // (WIDE - LEFT - RIGHT))
        for i, value in enumerate(self.columns):
            if i % apart == 0:
                yield '<text x="%.1f" y="%d" text-anchor="middle">%s</text>' % (self.x(i), HIGH - FOOT + 17, escape(value))
        yield '<text x="%d" y="%d" text-anchor="middle">%s</text>' % ((LEFT + WIDE - RIGHT) // 2, HIGH - 8, escape(self.x_label))

    def line(self, line):
        points = [(i, row[line]) for i, row in enumerate(self.spreads) if row[line]]
        band = [(i, s) for i, s in points if s.ci95]
        if len(band) > 1:
            edge = ["%.1f,%.1f" % (self.x(i, line), self.y(s.mean + s.ci95)) for i, s in band] + [
                "%.1f,%.1f" % (self.x(i, line), self.y(s.mean - s.ci95)) for i, s in reversed(band)]
            yield '<polygon points="%s" style="fill:var(--c%d);opacity:.14"/>' % (" ".join(edge), line % COLOURS)
        yield '<polyline points="%s" fill="none" stroke-width="2" style="%s"/>' % (
            " ".join("%.1f,%.1f" % (self.x(i, line), self.y(s.mean)) for i, s in points), look(line))
        for i, s in points:
            yield self.point(i, line, s)

    def point(self, column, line, s):
        """A point, and what is said when the pointer or the focus is on it: numbers in full."""
        said = ["%s = %s" % (self.x_label, self.columns[column])] if self.x_label else []
        said += [self.lines[line]] if self.lines[line] else []
        said.append("%s: %s" % (self.name, exact(s.mean)))
        if s.ci95 is not None:
            said += ["95 %% confidence: \u00b1 %s" % exact(s.ci95), "%s to %s in %d runs" % (exact(s.least), exact(s.greatest), s.n)]
        x, y, bars = self.x(column, line), self.y(s.mean), ""
        if s.ci95:
            bars = '<line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" style="%s"/>' % (x, x, self.y(s.mean - s.ci95), self.y(s.mean + s.ci95), look(line))
        return '<g tabindex="0" role="img" aria-label="%s" data-metric="%s" data-mean="%s">%s<circle cx="%.1f" cy="%.1f" r="11" fill="transparent"/>' \
            '<circle cx="%.1f" cy="%.1f" r="4" style="fill:var(--c%d)"/></g>' % (
                html.escape("; ".join(said), quote=True), escape(self.name), exact(s.mean), bars, x, y, x, y, line % COLOURS)

    def figure(self):
        inside = "\n".join([*self.axes(), *(part for line in range(len(self.lines)) for part in self.line(line))])
        return '<figure><figcaption>%s</figcaption><svg viewBox="0 0 %d %d" role="group" aria-label="%s">%s</svg></figure>\n' % (
            escape(self.text), WIDE, HIGH, escape(self.text), inside)


def page_of(title, about, x_label, columns, lines, metrics, table):
    """metrics are (name, spreads), as of Chart; table has a row for each point of the sweep."""
    lines = lines or [""]
    still = [name for name, spreads in metrics if not any(s.least or s.greatest for row in spreads for s in row if s)]
    if len(still) < len(metrics):
        metrics = [(name, spreads) for name, spreads in metrics if name not in still]
    else:
        still = []
    body = page.top(title, about, ["0 in all runs: %s." % ", ".join(label_of(name, 0)[0] for name in still)] if still else [], [])
    if len(lines) > 1:
        body += '<ul class="keys">%s</ul>\n' % "".join('<li><svg width="26" height="6"><line x1="0" x2="26" y1="3" y2="3" stroke-width="2.5" style="%s"/></svg> %s</li>' % (
            look(i), escape(line)) for i, line in enumerate(lines))
    body += '<div class="charts">%s</div>\n<div id="tip" role="status" hidden></div>\n' % "".join(
        Chart(name, x_label, columns, lines, spreads).figure() for name, spreads in metrics)
    body += page.table(table)
    body += "<footer>Made by fastcn-lab. Times are virtual. This file is complete: it loads nothing.</footer>\n"
    return page.page(title, body, ["sweep.js", "tables.js"])
