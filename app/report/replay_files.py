# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The files of `fastcn replay`: its report as JSON (--json), and its series (--series)."""

import collections

import shown
from model import Queue, Run, Table, Tile, whole
from result import Wrong, items, member, number, parse
from slices import Cells, Count, Level

HEADER = "time_ns\twhat\tport\tclass\tbytes\tlevel\tpackets\tkind\tname\tsender\treceiver\tdest_qp\n"
LOOK = 1 << 16  # lines after which is seen whether there is room for more
# Members of the result that are shown in a form of their own, or are about settings and the whole.
SHOWN = {"inputs", "ports", "queues", "bridges", "drops", "flows", "episodes", "notify", "latency", "buffer", "pfc", "ioam", "border", "conservation"}


def parsed(path):
    try:
        with open(path, "rb") as f:
            return parse(f.read())
    except OSError as e:
        raise Wrong("the result: %s" % e.strerror) from e
    except ValueError as e:
        raise Wrong("the result: %s" % e) from e


class Series:
    """What the series has: occupancies by queue, notices by queue, kind and verdict and by flow, verdicts, drops."""

    def __init__(self, path):
        self.occupancy = collections.defaultdict(lambda: Level(True))
        self.notices = collections.defaultdict(Count)  # by queue, kind, verdict and level
        self.flows = collections.defaultdict(Count)
        self.highest = collections.defaultdict(int)  # level of each flow
        self.verdicts = collections.defaultdict(Count)
        self.drops = collections.defaultdict(Count)
        self.cells = Cells()
        line = 1
        try:
            with open(path, encoding="utf-8") as f:
                if f.readline() != HEADER:
                    raise ValueError
                for line, text in enumerate(f, 2):
                    self.take(text)
                    if line % LOOK == 0:
                        self.cells.shorten(self.all())
        except OSError as e:
            raise Wrong("the series: %s" % e.strerror) from e
        except (ValueError, IndexError, OverflowError) as e:
            raise Wrong("the series, line %d: not as fastcn replay writes it" % line) from e

    def all(self):
        return [one for some in (self.occupancy, self.notices, self.flows, self.verdicts, self.drops) for one in some.values()]

    def take(self, text):
        part = text.split("\t")
        time, what, queue = int(part[0]), part[1], (part[2], part[3])
        if what == "occupancy":
            self.occupancy[queue].put(time, int(part[4]))
        elif what == "notice":
            level, flow = int(part[5]), (part[9], part[10], part[11].rstrip("\n"))
            self.notices[queue, part[7], part[8], level].put(time, int(part[6]))
            self.flows[flow].put(time, int(part[6]))
            self.highest[flow] = max(self.highest[flow], level)
        elif what == "verdict":
            self.verdicts[queue, part[7], part[8]].put(time, int(part[6]))
        elif what == "drop":
            self.drops[queue, part[8]].put(time, int(part[6]))
        else:
            raise ValueError


def name_of(queue):
    return "%s, class %s" % queue if queue[1] else queue[0]


def queues_of(result, series):
    """All queues that the result or the series has."""
    of_result = {(str(member(row, "port")), "%d" % number(row, "class")): row for row in items(member(result, "queues"))}
    for queue in dict.fromkeys([*of_result, *series.occupancy]):
        row = of_result.get(queue, {})
        one = Queue(name_of(queue), series.occupancy.get(queue, Level(True)), shown.limits(row), shown.levels(row), shown.setting(row))
        for (where, kind, verdict, level), count in sorted(series.notices.items(), key=lambda entry: entry[0][3]):
            if where == queue:
                one.row("%s %s" % (kind, verdict), "sent").put("level %d" % level if level >= 0 else "", count)
        for (where, kind, verdict), count in series.verdicts.items():
            if where == queue:
                one.row("%s %s" % (kind, verdict), "not sent").put("", count)
        for (where, reason), count in series.drops.items():
            if where == queue:
                one.row("dropped: " + reason, "drop").put("", count)
        yield one


def flow_table(series):
    found = sorted(series.flows.items(), key=lambda entry: (-entry[1].total(), entry[1].first))
    rows = [[sender, receiver, "0x%06x" % int(qp), count.total(), count.first, count.last, series.highest[sender, receiver, qp]]
            for (sender, receiver, qp), count in found]
    return Table("Flows by notices", ("sender", "receiver", "queue pair", "notices", "first_ns", "last_ns", "highest level"), rows)


def read(result_file, series_file):
    result, series = parsed(result_file), Series(series_file)
    end = int(number(result, "virtual_ns"))
    run = Run("Replay", end, list(queues_of(result, series)))
    total, latency, kept = member(result, "notify", "total"), member(result, "latency"), member(result, "conservation")
    speed = member(result, "speed")
    run.about = ["fastcn %s" % member(result, "fastcn"), shown.time(end) + " of virtual time",
                 "gaps of the capture divided by %g" % speed if speed not in (None, 1) else "", "seed %d" % number(result, "seed")]
    if member(result, "complete") is False:
        run.notes.append("The replay was ended early: what follows is what happened until then.")
    if series.cells.width > 1:
        run.notes.append("The run is long: the picture tells what happened in spans of %s or more, and notices and drops where these begin. "
                         "No peak and no count is lost, and tables have the very times." % shown.time(series.cells.width))
    run.tiles = [run.peak_tile(), shown.notice_tile(total), *shown.first_tiles(latency), shown.drop_tile([kept])]
    if kept is not None:
        run.tiles.append(Tile("packet accounting", "balances" if member(kept, "ok") is True else "does not balance",
                              "%s received" % whole(number(kept, "received"))))
    for (where, reason), count in series.drops.items():
        if not where[1]:
            run.group("Drops at ports, before a queue").row("%s: %s" % (where[0], reason), "drop").put("", count)
    flows = flow_table(series)
    for sender, receiver, qp, *_ in flows.rows[:run.FLOWS]:
        run.group("Notices by flow").row("%s > QP %d of %s" % (sender, int(qp, 16), receiver), "sent").put("", series.flows[sender, receiver, str(int(qp, 16))])
    run.tables = [shown.queue_table(items(member(result, "queues"))), shown.verdict_table(items(member(result, "notify", "verdicts"))), flows,
                  shown.drop_table(items(member(result, "drops"))), shown.port_table(items(member(result, "ports"))),
                  shown.input_table(items(member(result, "inputs"))), shown.episode_table(items(member(result, "episodes"))),
                  *shown.other_tables(result, SHOWN)]
    return run
