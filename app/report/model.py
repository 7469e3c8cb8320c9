# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What a report shows, whatever it is about."""

import collections

from slices import Count, Level


def whole(n):
    """Digits in groups of three, separated by narrow blanks, as ISO 31 has it."""
    return "{:,}".format(int(n)).replace(",", "\u202f")


Tile = collections.namedtuple("Tile", ("name", "value", "note"))  # a number at the top of the page
Table = collections.namedtuple("Table", ("heading", "columns", "rows"))


class Row:
    """What happened, over time: one line of marks. It may have parts, such as congestion levels."""

    def __init__(self, name, tone):
        self.name, self.tone, self.parts = name, tone, {}

    def put(self, part, count):
        """Add counts; those of the same part are one."""
        if part not in self.parts:
            self.parts[part] = count
            return
        both = Count()
        mine = self.parts[part]
        for time, n in sorted([*zip(mine.times, mine.values), *zip(count.times, count.values)]):
            both.put(time, n)
        self.parts[part] = both

    def counts(self):
        return list(self.parts.values())

    def total(self):
        return sum(count.total() for count in self.counts())


class Group:
    """Rows of marks below a heading."""

    def __init__(self, name):
        self.name, self.rows = name, []

    def row(self, name, tone):
        """The row of this name. Its tone is sent, not sent, drop or other."""
        for row in self.rows:
            if row.name == name:
                return row
        self.rows.append(Row(name, tone))
        return self.rows[-1]

    def marks(self, tone):
        return sum(row.total() for row in self.rows if row.tone == tone)


class Queue(Group):
    """A queue: bytes over time, its limits as [(name, bytes)], from where each congestion level is, and what it is set to."""

    def __init__(self, name, level, limits=(), levels=(), setting=""):
        super().__init__(name)
        self.level, self.limits, self.levels, self.setting = level, list(limits), list(levels), setting

    def weight(self):
        """Queues that matter more are first."""
        return self.marks("drop") > 0, self.marks("sent") + self.marks("not sent") > 0, self.level.peak()[0]


class Run:
    """A run. Lines are numbers with one axis, such as rates: {heading: (unit, [(name, Level)], text)}."""

    FLOWS = 12  # that have a line of marks
    QUEUES = 48  # that are drawn
    LINES = 8  # in one panel

    def __init__(self, title, end, queues):
        self.title, self.end, self.about, self.notes, self.tiles = title, end, [], [], []
        self.queues = sorted((queue for queue in queues if queue.level.times or queue.rows), key=Queue.weight, reverse=True)
        if len(self.queues) > self.QUEUES:
            self.notes.append("The picture has %d of %d queues: those with drops, with notices, and the highest." % (self.QUEUES, len(self.queues)))
            del self.queues[self.QUEUES:]
        self.groups, self.lines, self.tables = [], {}, []

    def group(self, name):
        for group in self.groups:
            if group.name == name:
                return group
        self.groups.append(Group(name))
        return self.groups[-1]

    def peak_tile(self):
        top = max(self.queues, key=lambda queue: queue.level.peak()[0], default=None)
        if top is None:
            return Tile("highest queue", "none", "no queue was used")
        limit = dict(top.limits).get("limit")
        share = ", %.0f %% of its limit" % (100 * top.level.peak()[0] / limit) if limit else ""
        return Tile("highest queue", whole(top.level.peak()[0]) + "\u202fB", top.name + share)

    def series(self):
        """All that is over time."""
        found = [queue.level for queue in self.queues] + [level for _, some, _ in self.lines.values() for _, level in some]
        return found + [count for group in self.queues + self.groups for row in group.rows for count in row.counts()]


__all__ = ["Count", "Group", "Level", "Queue", "Row", "Run", "Table", "Tile", "whole"]
