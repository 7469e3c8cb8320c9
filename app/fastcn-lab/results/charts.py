# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Pictures without a time axis: slowdown by size of message, numbers of runs as bars, numbers over a parameter."""

import units
from gnuplot import LINES, Picture, dash, paint, quoted
from over_time import subheading
from result import SUMMARY, member, members, number, summary, title

BINS = {"websearch": "10K 20K 30K 50K 80K 200K 1M 2M 5M 10M 30M".split(),
        "hadoop": "100 300 350 500 700 1K 2K 7K 30K 50K 80K 120K 300K 1M 2M 10M".split()}
BARS = (("peak", "highest queue", units.BYTES), ("p99", "99th percentile of it", units.BYTES),
        ("goodput_bps", "goodput of all flows", units.RATE), ("paused_ns", "hosts paused by PFC", units.TIME),
        ("switch_paused_ns", "switches paused by PFC", units.TIME))
PANELS, PANEL_HIGH = 4, 320  # of a sweep
USUAL = ("peak", "p99", "goodput_bps", "slowdown_p99")
FEW = 3  # runs of which a bin says each one's number of messages
BESIDE = 0.045  # between the lines of a bin, of its width
COUNTS = (".notices", ".suppressed", ".episodes")  # of a queue, in events and not in bytes


def slowdown(runs, folder):
    """Slowdown by size of message, of the set of bins of which the runs fill more. None if there are less than two sizes."""
    runs = runs[:LINES]
    filled = {name: [len(members(member(run.result, "slowdown", name))) for run in runs] for name in BINS}
    name = max(BINS, key=lambda name: sum(filled[name]))
    if max(filled[name]) < 2:
        return None
    parts = ("p50", "p95", "p99") if len(runs) == 1 else ("p50", "p99")
    picture = Picture(folder, "slowdown", *((title(runs[0].result), subheading(runs[0].result)) if len(runs) == 1 else
                                            ("Slowdown by size of message", "runs side by side; virtual time")))
    rows, labels, most = [], [], 1
    for size in BINS[name]:
        messages = [int(number(run.result, "slowdown", name, size, "messages")) for run in runs]
        if sum(messages):
            values = [member(run.result, "slowdown", name, size, part) for run in runs for part in parts]
            values = [value if isinstance(value, (int, float)) else None for value in values]
            most = max([most] + [value for value in values if value is not None])
            # Of each run, in their order; of many the least and the greatest number.
            counts = ["%d" % messages[0]] if len(set(messages)) == 1 else ["%d" % n for n in messages]
            text = "/".join(counts) if len(counts) <= FEW else "%d-%d" % (min(messages), max(messages))
            labels.append("%s %d" % (quoted("%s\n(%s)" % (size, text)), len(labels) + 1))
            rows.append(values)
    picture.data("bins", rows)
    picture.say("set xtics (%s)" % ", ".join(labels))
    picture.say('set title above textcolor rgb "#111111"', "set logscale y", "set xrange [0.5:%g]" % (len(rows) + 0.5),
                "set yrange [0.9:%.9g]" % (most * 1.5), 'set xlabel "size of message, up to (bytes), and number of messages" offset 0, -0.6', "set bmargin 5",
                'set ylabel "slowdown (time / time alone)"', "set key outside right top vertical reverse Left samplen 2 noautotitle" + (" invert" if len(runs) > 1 else ""),
                "set xtics scale 0" + (" font small" if len(rows) > 11 else ""), "unset mytics",
                "set ytics (1, 2, 3, 5, 10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000, 5000, 10000, 100000)")
    clauses, count = [], len(runs) * len(parts)
    # Lines are beside each other, so that each is seen where several have the same values.
    for line in reversed(range(count)):
        run, part = runs[line // len(parts)], parts[line % len(parts)]
        colour, dashes = (line, line + 1) if len(runs) == 1 else (line // 2, 2 - line % 2)
        label = part if len(runs) == 1 else "%s, %s" % (run.label, part)
        clauses.append('$bins using ($0 + 1 + %.4g):%d with linespoints linecolor rgb "%s" linewidth %g dashtype %d pointtype %d '
                       "pointsize %g title %s" % (BESIDE * (line - (count - 1) / 2), line + 1, paint(colour), 1.5 if dashes > 1 else 2.2, (1, 2, 4)[(dashes - 1) % 3],
                                                  (7, 5, 9)[line % len(parts)], 0.8 + 0.3 * (line % len(parts)), quoted(label)))
    picture.plot(clauses)
    return picture


def bars(runs, folder):
    """Summary numbers as bars, a panel each."""
    runs = runs[:LINES]
    high, longest = 3 * (100 + 35 * len(runs)) + 60, max(len(run.label) for run in runs)
    picture = Picture(folder, "bars", title(runs[0].result), "runs side by side; virtual time", high)
    left, ceiling = 0.04 + 0.0078 * min(longest, 40), 1 - 45 / high
    wide, tall = (0.98 - left) / 2, (1 - 45 / high) / 3
    picture.say('set multiplot title above textcolor rgb "#111111"', "unset key", "unset grid", "set grid xtics",
                "set style fill solid 1 noborder", "set yrange [%g:0.4]" % (len(runs) + 0.6), "set border 2")
    summaries = [summary(run.result) for run in runs]
    for i, (name, text, choice) in enumerate(BARS):
        unit, divisor = units.axis(max(one.get(name, 0) for one in summaries), choice)
        values = [one.get(name, 0) / divisor for one in summaries]
        top = max(values) * 1.2
        picture.data("bars%d" % (i + 1), [(run.label, value, units.short("", value, 3)) for run, value in zip(runs, values)])
        x, y = left + i % 2 * wide, ceiling - i // 2 * tall
        picture.margins(x, x + wide - 0.04, y - tall + 40 / high, y - 40 / high)
        picture.say('set title "%s (%s)" textcolor rgb "#111111" offset 0, -0.4' % (text, unit), "set xrange [0:%.9g]" % (top or 1),
                    "set xtics autofreq scale 0" if top else "set xtics (0) scale 0",
                    'set format y "%s"' % ("" if i % 2 else "%h"), 'set ytics%s scale 0' % (' ("" 0)' if i % 2 else " autofreq"))
        picture.plot(['$bars%d using 2:($0 + 1):(0):2:($0 + 0.7):($0 + 1.3)%s with boxxyerror linecolor rgb "%s"' % (
            i + 1, "" if i % 2 else ":ytic(1)", paint(0)),
            '"" using 2:($0 + 1):3 with labels left offset 0.5, 0 textcolor rgb "#333333"'])
    picture.say("unset multiplot")
    return picture


def label_of(name, top):
    """The text of a metric with its unit, and the unit's divisor: by its name, in which times end in _ns and rates in _bps."""
    text = SUMMARY[name][0] if name in SUMMARY else name
    if name.endswith("_bps"):
        unit, divisor = units.axis(top, units.RATE)
    elif name.endswith("_ns") or "_ns." in name:
        unit, divisor = units.axis(top, units.TIME)
    elif "(bytes)" in text or (name.startswith("queue.") and not name.endswith(COUNTS)):
        unit, divisor = units.axis(top, units.BYTES)
    else:
        return text, 1
    return "%s (%s)" % (text.partition(" (")[0], unit), divisor


def over_parameter(folder, heading, about, x_label, columns, lines, metrics):
    """Metrics over a parameter, a panel each, as lines with the bands of their confidence intervals.

    columns are the values of the parameter, lines the names of lines; metrics are (name, spreads), with a list of one Spread or
    None for each line in each column.
    """
    metrics, lines = metrics[:PANELS], lines[:LINES]
    if not metrics:
        return None
    down = (len(metrics) + 1) // 2
    high = PANEL_HIGH * down + (240 if len(metrics) == 1 else 100)
    picture = Picture(folder, "sweep", heading, about, high)
    # In pixels of the SVG, so that panels are as far apart in every picture.
    ceiling, foot = 1 - 45 / high, (50 if len(lines) > 1 else 10) / high
    tall, wide = (ceiling - foot) / down, 0.98 / min(len(metrics), 2)
    apart = len(columns) // 10 + 1 if len(columns) > 14 else 1  # values that there is room to write
    picture.say('set multiplot title above textcolor rgb "#111111"', "set xrange [0.6:%g]" % (len(columns) + 0.4), "set xtics scale 0",
                "set yrange [0:*]", "set offsets 0, 0, graph 0.08, 0", "set xlabel %s offset 0, 0.3" % quoted(x_label), "unset key")
    for i, (name, spreads) in enumerate(metrics):
        text, divisor = label_of(name, max((s.mean for row in spreads for s in row if s), default=0))
        rows = []
        for k, (value, row) in enumerate(zip(columns, spreads)):
            cells = [value if k % apart == 0 else ""]
            for s in row[:LINES]:
                ends = (None, None) if s is None or s.ci95 is None else ((s.mean - s.ci95) / divisor, (s.mean + s.ci95) / divisor)
                cells += [None if s is None else s.mean / divisor, *ends]
            rows.append(cells)
        picture.data("metric%d" % (i + 1), rows)
        x, y = 0.01 + i % 2 * wide, ceiling - i // 2 * tall
        picture.margins(x + 0.07, x + wide - 0.02, y - tall + 62 / high, y - 40 / high)
        picture.say('set title %s textcolor rgb "#111111" offset 0, -0.4' % quoted(text))
        if i == len(metrics) - 1 and len(lines) > 1:
            picture.say("set key at screen 0.5, %.5g center center horizontal maxrows 1 samplen 2.5 width 2 noautotitle" % (25 / high))
        clauses = []
        for k in range(len(lines)):
            clauses.append("$metric%d using ($0 + 1):%d:%d with filledcurves linecolor rgb \"%s\" fillstyle transparent solid 0.18 noborder "
                           "notitle" % (i + 1, 3 * k + 3, 3 * k + 4, paint(k)))
        for k in range(len(lines)):
            clauses.append("$metric%d using ($0 + 1):%d:%d:%d with yerrorbars linecolor rgb \"%s\" linewidth 0.8 pointsize 0 notitle" % (
                i + 1, 3 * k + 2, 3 * k + 3, 3 * k + 4, paint(k)))
        for k, label in enumerate(lines):
            clauses.append("$metric%d using ($0 + 1):%d:xtic(1) with linespoints linecolor rgb \"%s\" dashtype %d linewidth 1.5 pointtype 7 "
                           "pointsize 0.9 title %s" % (i + 1, 3 * k + 2, paint(k), dash(k), quoted(label)))
        picture.plot(clauses)
    picture.say("unset multiplot")
    return picture
