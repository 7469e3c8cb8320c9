# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The page of a run: queues, notices, drops and rates over time, to be zoomed, and tables."""

import base64
import json
import zlib

import page
import slices
from page import escape, whole

TOOLS = (("closer", "+", "Zoom in (+)"), ("farther", "\u2212", "Zoom out (-)"), ("whole", "Whole run", "Show the whole run (0)"),
         ("earlier", "\u25c0", "Earlier (Shift and left)"), ("later", "\u25b6", "Later (Shift and right)"), ("peak", "Peak", "Go to the highest queue (p)"),
         ("notice", "Next notice", "Go to the next notice (n)"), ("drop", "Next drop", "Go to the next drop (d)"))
HINT = ("Drag to zoom, double-click for the whole run. Click into the picture, or press <kbd>Tab</kbd>, for keys: <kbd>\u2190</kbd> <kbd>\u2192</kbd> move the cursor, "
        "with <kbd>Shift</kbd> the picture; <kbd>+</kbd> <kbd>\u2212</kbd> zoom, <kbd>0</kbd> whole run, <kbd>p</kbd> peak, <kbd>n</kbd> next notice, <kbd>d</kbd> next drop. "
        "The wheel zooms with <kbd>Ctrl</kbd>.")
SHOWN, LEAST = 6, 0.05  # queues that are shown at first: so many, if they are this part of the highest


def numbers(run):
    """All that is over time, as the scripts of the page read it."""
    begins, exact = slices.begins(run.series(), run.end)

    def level(one):
        return {**one.cut(begins), "peak": one.peak(), "start": one.start()}

    def rows(group):
        return [{"name": row.name, "tone": row.tone, "total": row.total(), "parts": [{"name": name, **count.cut(begins)} for name, count in row.parts.items()]}
                for row in group.rows]
    return {"end": run.end, "exact": exact, "begins": slices.distances(begins),
            "queues": [{"name": q.name, "limits": q.limits, "levels": q.levels, "level": level(q.level), "rows": rows(q)} for q in run.queues],
            "lines": [{"name": name, "unit": unit, "of": [{"name": one, "level": level(found)} for one, found in some]}
                      for name, (unit, some, _) in run.lines.items()],
            "groups": [{"name": group.name, "rows": rows(group)} for group in run.groups]}


def packed(value):
    return base64.b64encode(zlib.compress(json.dumps(value, separators=(",", ":")).encode(), 9)).decode()


def is_shown(run, number):
    queue, top = run.queues[number], max(q.level.peak()[0] for q in run.queues)
    return number == 0 or number < SHOWN and (queue.rows or queue.level.peak()[0] >= LEAST * top)


def level_key(rows):
    """The colours of congestion levels, where there are any."""
    used = {name for row in rows for name in row.parts if name.startswith("level ")}
    if not used:
        return ""
    return '<div class="levels" role="img" aria-label="colours of congestion levels 0 to 7">level%s</div>' % "".join(
        '<i style="border-color:var(--level%d)">%d</i>' % (n, n) for n in range(8))


def side(name, text, rows, swatches=()):
    """What is to the left of a panel: its name, what it is about, and the names of its rows of marks with their totals."""
    lines = "".join("<p>%s</p>" % escape(line) for line in text if line)
    key = '<ul class="key">%s</ul>' % "".join('<li><i style="background:var(--c%d)"></i>%s</li>' % (i, escape(one)) for i, one in enumerate(swatches)) if swatches else ""
    labels = "".join('<div class="label" title="%s"><span>%s</span><b>%s</b></div>' % (escape(row.name), escape(row.name), whole(row.total())) for row in rows)
    return '<div class="side"><div class="text"><h3>%s</h3>%s%s%s</div>%s</div>' % (escape(name), lines, key, level_key(rows), labels)


def panel(of, number, beside, about, hidden=False):
    return '<section class="panel" data-of="%s" data-n="%d"%s>%s<canvas role="img" aria-label="%s"></canvas></section>\n' % (
        of, number, " hidden" if hidden else "", beside, escape(about))


def panels(run):
    for i, queue in enumerate(run.queues):
        top, when = queue.level.peak()
        limit = dict(queue.limits).get("limit")
        text = ["highest %s\u202fB%s" % (whole(top), " (%.3g\u202f%% of the limit)" % (100 * top / limit) if limit else ""), "at %s\u202fns" % whole(when), queue.setting]
        about = "%s over time: %s" % (queue.name, ", ".join(filter(None, text + ["%s %s" % (name, whole(size)) for name, size in queue.limits])))
        yield panel("queues", i, side(queue.name, text, queue.rows), about, not is_shown(run, i))
    for i, (name, (_, some, text)) in enumerate(run.lines.items()):
        names = [one for one, _ in some]
        yield panel("lines", i, side(name, [text], [], names), "%s over time: %s" % (name, ", ".join(names)))
    for i, group in enumerate(run.groups):
        about = ", ".join("%s %s" % (row.name, whole(row.total())) for row in group.rows)
        yield panel("groups", i, side(group.name, [], group.rows), "%s over time: %s" % (group.name, about))


def choices(run):
    """Which queues are in the picture."""
    if len(run.queues) < 2:
        return ""
    boxes = "".join('<label><input type="checkbox" value="%d"%s> %s</label>' % (i, " checked" if is_shown(run, i) else "", escape(queue.name))
                    for i, queue in enumerate(run.queues))
    return '<details><summary>Queues in the picture</summary><div class="choices">%s</div></details>\n' % boxes


def picture(run):
    buttons = "".join('<button type="button" id="%s" title="%s">%s</button>' % (i, title, text) for i, text, title in TOOLS
                      if i != "drop" or any(row.tone == "drop" for group in run.queues + run.groups for row in group.rows))
    return """<noscript><p class="notes">The picture needs JavaScript; the tables below do not.</p></noscript>
<div class="sticky"><div class="tools" role="toolbar" aria-label="Part of the run">%s<output id="shown" aria-live="polite"></output></div>
<div class="time"><span>time since the beginning</span><canvas id="axis" style="height:56px" role="img" aria-label="The part of the run that is shown"></canvas></div></div>
<div id="plots" tabindex="0" role="application" aria-label="Queues, notices and drops over time. Arrow keys move the cursor; plus and minus zoom." aria-describedby="hint tip">
<div id="cursor" hidden></div><div id="chosen" hidden></div>
%s</div>
<div id="tip" role="status" hidden></div>
<p class="hint" id="hint">%s</p>
%s""" % (buttons, "".join(panels(run)), HINT, choices(run))


def html(run):
    body = page.top(run.title, run.about, run.notes, run.tiles)
    scripts = ["tables.js"]
    if run.queues or run.lines or run.groups:
        body += picture(run) + '<script type="text/plain" id="data">%s</script>\n' % packed(numbers(run))
        scripts = ["lanes.js", "run.js"] + scripts
    body += "".join(map(page.table, run.tables))
    body += "<footer>Made by fastcn. Times are virtual, in ns since the beginning. This file is complete: it loads nothing.</footer>\n"
    return page.page(run.title, body, scripts)
