# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Pictures of queues, notices and rates over virtual time, of one run or of several."""

import units
from gnuplot import LINES, Picture, dash, paint, quoted
from result import items, member, number, parameters, queues, title
from series import sampled, together

QUEUES = 6  # of one run, in the picture
RATES = 8  # flows of one run that have a colour of their own; of more there is a mean, and
CROWD = 64  # so many thin lines
STRETCHES, CROWD_STRETCHES = 1000, 200  # parts of a line, which have up to 4 points each
SAMPLES = 600
MARKS = (("notice", "Fast CNP made", "#d55e00", ("notices", "sent")), ("accepted", "Fast CNP accepted", "#0072b2", ("notices", "accepted")),
         ("cnp", "CNP received", "#009e73", ("cnps", "received")), ("pause", "host paused", "#cc79a7", ("pfc", "pauses")),
         ("xoff", "pause asked for", "#cc79a7", ("pfc", "xoffs")))
OTHER = "#999999"
THRESHOLDS = (("K", "enter_bytes"), ("Kmin", "kmin_bytes"), ("Kmax", "kmax_bytes"), ("Qeq", "qeq_bytes"))
LEFT, RIGHT, LOWER = 0.085, 0.8, 0.105


def steps(name, colour, width=1.6, dashes=1, label=""):
    return '$%s using 1:2 with steps linecolor rgb "%s" linewidth %g dashtype %d title %s' % (name, colour, width, dashes, quoted(label))


def width(i, n):
    """Of the i-th of n lines: each lies on wider ones, so that it is seen that several have the same values."""
    return 1.3 + 0.35 * (n - 1 - i)


class OverTime(Picture):
    """Panels above one another, with one axis of time."""

    def __init__(self, folder, name, heading, subheading, begin, end):
        super().__init__(folder, name, heading, subheading)
        self.begin, self.end = begin, max(end, begin + 1)
        self.unit, self.divisor = units.axis(self.end, units.TIME)
        self.ceiling = 0.9 if subheading else 0.93

    def line(self, name, points, divisor):
        """A line up to the end of the time; None in place of a point interrupts it."""
        rows = [(p[0] / self.divisor, p[1] / divisor) if p else () for p in points]
        self.data(name, rows + [(self.end / self.divisor, rows[-1][1] if rows and rows[-1] else 0)])

    def panel(self, bottom, top, label, highest, lowest_panel):
        self.margins(LEFT, RIGHT, bottom, top)
        self.say('set ylabel "%s"' % label, "set yrange [0:%.9g]" % highest)
        self.say('set xlabel "virtual time (%s)"\nset format x "%%h"' % self.unit if lowest_panel else 'set xlabel\nset format x ""')

    def begin_panels(self):
        self.say('set multiplot title above textcolor rgb "#111111"',
                 "set xrange [%.9g:%.9g]" % (self.begin / self.divisor, self.end / self.divisor),
                 "set key at graph 1.005, graph 1 left top vertical reverse Left samplen 1.5 noautotitle")

    def marks(self, bottom, top, kinds, lowest_panel):
        """A row of marks for each kind of event: its name, its colour, and the times."""
        for i, (_, _, times) in enumerate(kinds, 1):
            self.data("mark%d" % i, [(time / self.divisor,) for time in times] or [(None,)])
        self.panel(bottom, top, "", len(kinds), lowest_panel)
        self.say("unset ytics", "unset grid", "set border %d" % lowest_panel, "unset key")
        if not lowest_panel:
            self.say("unset xtics")
        for i, (name, _, _) in enumerate(kinds):
            self.say('set label %d %s at graph 1.01, first %g left textcolor rgb "#333333"' % (i + 1, quoted(name), len(kinds) - i - 0.5))
        self.plot(['$mark%d using 1:(%g):(0):(0.7) with vectors nohead linecolor rgb "%s" linewidth 1' % (
            i + 1, len(kinds) - i - 0.85, colour) for i, (_, colour, _) in enumerate(kinds)])
        self.say("unset label", "set border 3", 'set ytics nomirror out textcolor rgb "#333333"',
                 'set xtics nomirror out textcolor rgb "#333333"', "set grid", "set key")

    def limits(self, found, beside):
        """Thresholds across a queue: their names, and where they are. Names are beside the panel where that is below the legend."""
        for i, (name, at) in enumerate(found, 1):
            place = "at graph 1.01, first %.9g left" if at < beside else "at graph 0.995, first %.9g right offset 0, 0.45"
            self.say('set arrow %d from graph 0, first %.9g to graph 1, first %.9g nohead linecolor rgb "#555555" linewidth 0.9 '
                     "dashtype 3 front" % (i, at, at),
                     'set label %d %s %s font small textcolor rgb "#555555" front' % (i, quoted(name), place % at))

    def panels(self, queue_lines, rate_lines, kinds, limits, byte_unit, highest, rate_unit, highest_rate):
        """All of them: the lines of queues on top, marks, rates at the bottom, where there are some."""
        share, rug = 0.36 * bool(rate_lines), 0.035 * len(kinds) + 0.03 * bool(kinds)
        self.begin_panels()
        if rate_lines:
            self.panel(LOWER, LOWER + share - 0.03, "rate (%s)" % rate_unit, highest_rate, True)
            self.plot(rate_lines)
        if kinds:
            self.marks(LOWER + share, LOWER + share + rug - 0.03, kinds, not rate_lines)
        self.panel(LOWER + share + rug, self.ceiling, "queue (%s)" % byte_unit, highest, not rate_lines and not kinds)
        self.limits(limits, highest * (1 - 0.035 * (len(queue_lines) + 1) / (self.ceiling - LOWER - share - rug)))
        self.plot(queue_lines)
        self.say("unset multiplot")


def collect(run, what, begin, end, stretches=STRETCHES):
    return [one.cut(begin, end, stretches) for one in run.series if one.what == what]


def part_of(result, where):
    """The switch, port and class of a queue such as s1.r.3: what the result has of the switch, and the names."""
    name, _, rest = where.partition(".")
    port, _, number_of_class = rest.rpartition(".")
    return member(result, "switch", name), port, int(number_of_class) if number_of_class.isdecimal() else -1


def thresholds(result, where):
    """Where congestion of a queue begins, and XOFF of flow control if all ingress ports have the same: {name: bytes}."""
    switch, port, queue_class = part_of(result, where)
    row = next((r for r in items(member(switch, "queues")) if member(r, "port") == port and number(r, "class") == queue_class), None)
    found = {name: number(row, "thresholds", key) for name, key in THRESHOLDS}
    xoffs = {number(r, "xoff") for r in items(member(switch, "pfc", "classes"))
             if number(r, "class") == queue_class and member(r, "send") is True}
    found["XOFF of an ingress port"] = xoffs.pop() if len(xoffs) == 1 else 0
    return {name: size for name, size in found.items() if size}


def headroom(top, divisor):
    """The end of an axis, a little above what is drawn."""
    return top * 1.08 / divisor if top else 1


def fair_share(run, where, rates, begin, end):
    """The rate of the link behind a queue, if it leads to a host, shared by the flows that send to that host at the time."""
    switch, port, _ = part_of(run.result, where)
    to = {member(flow, "name"): member(flow, "to") for flow in items(member(run.result, "flows"))}
    mine = [one for one in rates if to.get(one.where) == port]
    row = next((r for r in items(member(switch, "ports")) if member(r, "port") == port), None)
    bps = number(row, "link_bps")
    if len(mine) < 2 or not bps:
        return []
    found, last = [], 0
    for time, _, active in sampled(together(mine), begin, end, SAMPLES):
        # Few points, so that the dashes of the line are seen.
        if active and (active != last or time == end):
            found.append((time, bps / active))
        elif last and not active:
            found.append(None)
        last = active
    return found


def mean(rates, begin, end):
    """The mean of the rates that are not 0."""
    return [(time, total / active if active else 0) for time, total, active in sampled(together(rates), begin, end, SAMPLES)]


def rates_of(picture, run, where):
    """The lines of rates: of each flow when there are few, else their mean with some thin lines; goodput, and the fair share."""
    begin, end = picture.begin, picture.end
    all_rates = [one for one in run.series if one.what == "rate"]
    rates, goodput = (collect(run, what, begin, end, n) for what, n in (("rate", CROWD_STRETCHES), ("goodput", STRETCHES)))
    top = max((one.top() for one in rates + goodput), default=0)
    unit, divisor = units.axis(top, units.RATE)
    lines, few = [], len(rates) <= RATES

    def add(points, *look):
        picture.line("rate%d" % (len(lines) + 1), points, divisor)
        lines.append(steps("rate%d" % (len(lines) + 1), *look))
    for i, one in enumerate(rates if few else rates[:CROWD]):
        if few:
            add(one.points, paint(i), width(i, len(rates)), dash(i), one.where)
        else:
            name = "" if i else "each flow" if len(rates) <= CROWD else "%d of %d flows" % (CROWD, len(rates))
            add(one.points, "#c8c8c8", 0.6, 1, name)
    if not few:
        add(mean(all_rates, begin, end), paint(0), 1.6, 1, "mean of %d" % len(rates))
    if goodput and lines:
        add(goodput[0].points, "#000000", 1.6, 1, "goodput of all")
        fair = fair_share(run, where, all_rates, begin, end)
        if fair:
            add(fair, "#666666", 1.6, 2, "fair share")
    return lines, unit, headroom(top, divisor)


def kinds_of(picture, run, drawn=()):
    """The events that the run has: a name with their number, and when they were, but for those that would share a dot.

    Notices about the queues that are drawn, if any are, are told from those about other queues.
    """
    def shown(some, what):
        # The end of a pause is an event of its series, with the value 0.
        found = []
        for time in sorted(time for one in some for time, value in one.points
                           if picture.begin <= time <= picture.end and (value or what not in ("pause", "xoff"))):
            if not found or time - found[-1] > (picture.end - picture.begin) // STRETCHES:
                found.append(time)
        return found
    for what, text, colour, path in MARKS:
        total, some = number(run.result, *path), [one for one in run.series if one.what == what]
        if not total:
            continue
        others = [one for one in some if one.where not in drawn] if what == "notice" and drawn else []
        elsewhere = sum(len(one.points) for one in others)
        if total > elsewhere:
            yield "%s (%d)" % (text, total - elsewhere), colour, shown([one for one in some if one not in others], what)
        if elsewhere:
            yield "... for other queues (%d)" % elsewhere, OTHER, shown(others, what)


def subheading(result):
    """As many parameters as fit into a line."""
    text = ""
    for key, value in parameters(result).items():
        if len(text) + len(key) + len(value) > 100:
            return text + ", ..."
        text += "%s%s = %s" % (", " if text else "", key, value)
    return text


def limits_of(result, drawn, top, divisor):
    """Thresholds of the first of the queues that are drawn; with its name, if those of others differ."""
    all_limits = [thresholds(result, where) for where in drawn]
    named = " (%s)" % drawn[0] if any(limits != all_limits[0] for limits in all_limits) else ""
    return [(name + named, size / divisor) for name, size in all_limits[0].items() if size <= top] if drawn else []


def of_run(run, folder, name, part, begin, end):
    picture = OverTime(folder, name, title(run.result) + part, subheading(run.result), begin, end)
    found = sorted(collect(run, "queue", begin, end), key=lambda one: (-one.top(), one.where))[:QUEUES]
    top, where = (found[0].top(), found[0].where) if found else (0, "")
    unit, divisor = units.axis(top, units.BYTES)
    for i, one in enumerate(found, 1):
        picture.line("queue%d" % i, one.points, divisor)
    lines = [steps("queue%d" % (i + 1), paint(i), width(i, len(found)), dash(i), one.where) for i, one in enumerate(found)]
    if len(found) == 1:
        lines.insert(0, '$queue1 using 1:2 with fillsteps linecolor rgb "#d6e6f2" fillstyle solid 1 noborder notitle')
    rates, rate_unit, highest_rate = rates_of(picture, run, where)
    kinds = list(kinds_of(picture, run, [one.where for one in found]))
    picture.panels(lines, rates, kinds, limits_of(run.result, [one.where for one in found], top, divisor), unit, headroom(top, divisor), rate_unit, highest_rate)
    return picture


def common_queue(runs):
    """The queue that most runs have, and among equals the one with the highest peak in any run: its name and peak."""
    have = {}
    for run in runs:
        for one in run.series:
            if one.what == "queue":
                n, top = have.get(one.where, (0, 0))
                have[one.where] = n + 1, max(top, one.top())
    where = max(have, key=have.get, default=None)
    return where, have[where][1] if have else 0


def of_runs(runs, folder, name, begin, end):
    """One queue of several runs, and the mean rates of their flows. None if no run has a queue's series."""
    where, top = common_queue(runs)
    if where is None:
        return None
    picture = OverTime(folder, name, title(runs[0].result), "queue %s, and the mean rate that flows were allowed; virtual time" % where,
                       begin, end)
    drawn = [run for run in runs if any(one.what == "queue" and one.where == where for one in run.series)]
    rates = [[one for one in run.series if one.what == "rate"] for run in drawn]
    highest = max((cut.top() for run in drawn for cut in collect(run, "rate", begin, end)), default=0)
    (unit, divisor), (rate_unit, rate_divisor) = units.axis(top, units.BYTES), units.axis(highest, units.RATE)
    queue_lines, rate_lines = [], []
    for i, (run, mine) in enumerate(zip(drawn, rates)):
        cut = next(one for one in collect(run, "queue", begin, end) if one.where == where)
        picture.line("queue%d" % (i + 1), cut.points, divisor)
        picture.line("rate%d" % (i + 1), mean(mine, begin, end), rate_divisor)
        queue_lines.append(steps("queue%d" % (i + 1), paint(i), width(i, len(drawn)), dash(i), run.label))
        rate_lines.append(steps("rate%d" % (i + 1), paint(i), width(i, len(drawn)), dash(i)))
    # Thresholds are drawn where all runs have the same ones.
    all_limits = [thresholds(run.result, where) for run in runs]
    limits = [(name, size / divisor) for name, size in all_limits[0].items() if size <= top] if all(
        limits == all_limits[0] for limits in all_limits) else []
    picture.panels(queue_lines, rate_lines, [], limits, unit, headroom(top, divisor), rate_unit, headroom(highest, rate_divisor))
    return picture


def first_congestion(run):
    """When the first of the queues that are drawn, or of all if none is, became congested, and its first peak; None if none did."""
    drawn = [one.where for one in run.series if one.what == "queue"]
    return min(((number(queue, "first_congested_ns"), number(queue, "first_peak_ns")) for name, queue in queues(run.result)
                if member(queue, "first_congested_ns") is not None and (not drawn or name in drawn)), default=None)


def closer(runs, end):
    """The first congestion of any run in more detail, if it is a small part of the time: when that begins and ends."""
    found = [times for times in (first_congestion(run) for run in runs) if times]
    if not found:
        return None
    begin, rise = min(times[0] for times in found), max(1, *(peak - begin for begin, peak in found))
    return (max(begin - rise, 0), begin + 5 * rise) if begin + 5 * rise < end / 2 else None


def pictures(runs, folder):
    """The pictures over time of one run, or of several."""
    drawn = [run for run in runs if run.series][:LINES]
    end = int(max((number(run.result, "end_ns") for run in runs), default=0))
    if not drawn:
        return []
    spans = [("over-time", "", 0, end)]
    detail = closer(drawn, end)
    if detail:
        spans.append(("congestion", ": the first congestion", int(detail[0]), int(detail[1])))
    if len(runs) == 1:
        return [of_run(runs[0], folder, *span) for span in spans]
    return [picture for picture in (of_runs(drawn, folder, name, begin, stop) for name, _, begin, stop in spans) if picture]
