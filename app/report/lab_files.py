# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The files of fastcn-lab: result.json and series.csv."""

import series as series_file
import shown
from model import Queue, Run, Table, Tile, whole
from over_time import part_of
from replay_files import parsed
from result import Wrong, items, member, members, number, parameters, queues, title
from slices import Count, Level

MARKS = {"accepted": ("Fast CNPs accepted, by flow", "sent"), "cnp": ("CNPs received, by flow", "other")}
PAUSES = {"pause": "hosts paused", "xoff": "pauses asked for by switches"}


def level_of(points, known=False):
    """A level, which is 0 at first if known says so."""
    found = Level(known)
    for time, value in points:
        found.put(time, value)
    return found


def count_of(points, value=None):
    found = Count()
    for time, here in points:
        if value is None or here == value:
            found.put(time)
    return found


def row_of(result, where):
    """What `show queue json` says of a queue such as s1.r.3."""
    switch, port, number_of_class = part_of(result, where)
    return next((r for r in items(member(switch, "queues")) if member(r, "port") == port and number(r, "class") == number_of_class), {})


def queues_of(result, found):
    notices = {one.where: one for one in found if one.what == "notice"}
    for where in dict.fromkeys(one.where for one in found if one.what in ("queue", "notice")):
        level = next((level_of(one.points, True) for one in found if one.what == "queue" and one.where == where), Level(True))
        row = row_of(result, where)
        queue = Queue(where, level, shown.limits(row), shown.levels(row), shown.setting(row))
        points = notices[where].points if where in notices else []
        for value in sorted({value for _, value in points}):
            queue.row("Fast CNPs made", "sent").put("level %d" % value, count_of(points, value))
        yield queue


def whole_switches(result, *keys):
    """Rows of all switches, each with the name of its switch."""
    return [{"switch": name, **row} for name, switch in members(member(result, "switch")) for row in items(member(switch, *keys)) if isinstance(row, dict)]


def used(rows):
    return [row for row in rows if number(row, "packets") or number(row, "dropped")]


def flow_table(result):
    keys = ("name", "from", "to", "goodput_bps", "rate_bps", "rate_lowest_bps", "notices_sent", "notices_accepted", "cnps", "messages", "incomplete", "repeats",
            "first_notice_ns", "first_cnp_ns")
    rows = sorted(items(member(result, "flows")), key=lambda row: (-number(row, "notices_sent"), -number(row, "cnps")))
    return Table("Flows by notices", keys, [[member(row, key) for key in keys] for row in rows])


def expectation_table(result):
    return Table("Expectations of the scenario", ("expectation", "holds", "left", "right", "note"), [
        [member(e, "text"), "yes" if member(e, "ok") is True else "no", member(e, "left"), member(e, "right"), member(e, "note") or member(e, "error")]
        for e in items(member(result, "expectations"))])


def tiles_of(run, result):
    found = [run.peak_tile(), Tile("notices accepted", whole(number(result, "notices", "accepted")), "of %s made; %s suppressed" % (
        whole(number(result, "notices", "sent")), whole(number(result, "notices", "suppressed"))))]
    for name, key, text in (("first notice", "notices", "congestion to its acceptance"), ("first CNP", "cnps", "congestion to its receipt")):
        if member(result, key, "first_ns") is not None:
            found.append(Tile(name, shown.time(number(result, key, "first_ns")), text))
    found.append(Tile("goodput", shown.quantity("x_bps", number(result, "traffic", "goodput_bps"), "b/s"),
                      "fairness %.3g" % number(result, "traffic", "jain") if member(result, "traffic", "jain") is not None else "of all flows"))
    found.append(shown.drop_tile([member(switch, "conservation") for _, switch in members(member(result, "switch"))]))
    if number(result, "pfc", "pauses"):
        found.append(Tile("hosts paused", shown.time(number(result, "pfc", "paused_ns")), "%s times" % whole(number(result, "pfc", "pauses"))))
    text = items(member(result, "expectations"))
    if text:
        hold = sum(member(e, "ok") is True for e in text)
        found.append(Tile("expectations", "%d of %d" % (hold, len(text)), "hold" if hold == len(text) else "hold; the table below says which"))
    return found


def rates_of(run, found):
    rates = [one for one in found if one.what == "rate"]
    marks = {one.where: len(one.points) for one in found if one.what in MARKS}
    rates.sort(key=lambda one: -marks.get(one.where, 0))
    lines = [(one.where, level_of(one.points)) for one in rates[:run.LINES - 1]]
    lines += [("goodput of all", level_of(one.points)) for one in found if one.what == "goodput"]
    some = "the %d of %d flows that were told most often" % (run.LINES - 1, len(rates)) if len(rates) > run.LINES - 1 else ""
    if lines:
        run.lines["Rates that flows are allowed, and goodput"] = "bps", lines, some


def pauses_of(run, found):
    for what, name in PAUSES.items():
        some = [(one.where, level_of(one.points)) for one in found if one.what == what]
        some.sort(key=lambda entry: -len(entry[1].times))
        if some:
            run.lines["Flow control: " + name + " (1: paused)"] = "", some[:run.LINES], ""


def read(result_path, series_path):
    result = parsed(result_path)
    try:
        found = series_file.read(series_path)
    except series_file.Unreadable as e:
        raise Wrong(str(e)) from e
    end = int(number(result, "end_ns"))
    run = Run(title(result), end, list(queues_of(result, found)))
    run.about = [shown.time(end) + " of virtual time", "seed %d" % number(result, "seed")]
    run.about += ["%s = %s" % pair for pair in parameters(result).items()]
    if member(result, "interrupted") is True:
        run.notes.append("The run was ended early: what follows is what happened until then.")
    run.notes += [str(text) for text in items(member(result, "violations"))]
    run.notes += [str(text) for text in items(member(result, "warnings"))]
    rates_of(run, found)
    pauses_of(run, found)
    for what, (name, tone) in MARKS.items():
        some = sorted((one for one in found if one.what == what), key=lambda one: -len(one.points))
        for one in some[:run.FLOWS]:
            run.group(name).row(one.where, tone).put("", count_of(one.points))
    run.tiles = tiles_of(run, result)
    rows = [{"queue": name, **queue} for name, queue in queues(result)]
    run.tables = [shown.pick("Queues (bytes; whole run)", rows, ("queue", ("peak", "highest"), "peak_ns", ("first_peak", "first peak"), "mean", "p50", "p99",
                                                                  ("episodes", "times congested"), "congested_ns", "notices", "suppressed")),
                  shown.verdict_table(whole_switches(result, "notify", "verdicts")), flow_table(result),
                  shown.drop_table(whole_switches(result, "drops")), expectation_table(result),
                  shown.port_table(whole_switches(result, "ports"))]
    return run
