# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Numbers over time, thinned out so that no peak and no count is lost.

The time of a run is cut into slices, the same ones for everything in it. Of a number that holds until it changes (bytes in a queue),
each slice in which it changes has the least, the greatest and the last value; of what happens (notices, drops), how many. So what a
page says about whole slices is exact, and where there is room for it, each moment at which anything changes has a slice of its own.

A run may be too long to hold all its changes in memory. Those that are behind are then joined in cells of time, the same ones for
everything, and slices begin with cells.
"""

import array
import bisect
import itertools

ROOM = 240_000  # numbers of changes, of all series together, that a page has room for
SLICES, LEAST = 50_000, 1000  # at most and at least, where there is not enough
KEPT = 1_000_000  # changes that are held in memory, of all series together
WIDER = 8  # how many times wider cells become when there are too many
GAPS = 2000  # a pause of more than this part of the run is not in a slice with what is around it


class Level:
    """A number that holds until it changes: its values, and from when on. Before the first one it is 0 if known, or there is none.

    Once cells were joined, each has the time at which it begins, its last value, and the greatest and the least one that held in it.
    """

    def __init__(self, known=False):
        self.known, self.first, self.top = known, 0, (0, 0)
        self.times, self.values = array.array("Q"), array.array("Q")
        self.high = self.low = self.values

    def put(self, time, value):
        if not self.times:
            self.first, self.top = time, (value, time)
        elif value > self.top[0]:
            self.top = value, time
        self.times.append(time)
        self.values.append(value)
        if self.high is not self.values:
            self.high.append(value)
            self.low.append(value)

    def start(self):
        """From when on there is a number."""
        return 0 if self.known else self.first

    def peak(self):
        """The highest value, and when it was first reached."""
        return self.top

    def parts(self, begins):
        """Of each of these spans in which it changes: index, greatest, least and last value."""
        times, at, held = self.times, 0, None if not self.known else 0
        while at < len(times):
            i = bisect.bisect_right(begins, times[at]) - 1
            to = len(times) if i + 1 == len(begins) else bisect.bisect_left(times, begins[i + 1], at)
            most, least = max(self.high[at:to]), min(self.low[at:to])
            if times[at] > begins[i] and held is not None:  # until then, what held before
                most, least = max(most, held), min(least, held)
            held = self.values[to - 1]
            yield i, most, least, held
            at = to

    def join(self, width):
        """Join what is in the same cell, of so many nanoseconds."""
        cells = sorted({time // width * width for time in self.times})
        high, low, last = array.array("Q"), array.array("Q"), array.array("Q")
        for _, most, least, end in self.parts(cells):
            high.append(most)
            low.append(least)
            last.append(end)
        self.times, self.values, self.high, self.low = array.array("Q", cells), last, high, low

    def cut(self, begins):
        """{"i": slices in which it changes, as distances; "hi", "lo", "end" of each}: hi as it is, lo and end as what they are less."""
        slices, high, low, end, before = [], [], [], [], 0
        for i, most, least, held in self.parts(begins):
            slices.append(i - before)
            high.append(most)
            low.append(most - least)
            end.append(most - held)
            before = i
        return {"i": slices, "hi": high, "lo": low, "end": end}


class Count:
    """What happened, and how often at each time, or in each cell once they were joined."""

    def __init__(self):
        self.first = self.last = 0
        self.times, self.values = array.array("Q"), array.array("Q")

    def put(self, time, n=1):
        self.first = self.first if self.times else time
        self.last = time
        self.times.append(time)
        self.values.append(n)

    def total(self):
        return sum(self.values)

    def parts(self, begins):
        """Of each of these spans in which it happens: index, and how often."""
        times, at = self.times, 0
        while at < len(times):
            i = bisect.bisect_right(begins, times[at]) - 1
            to = len(times) if i + 1 == len(begins) else bisect.bisect_left(times, begins[i + 1], at)
            yield i, sum(self.values[at:to])
            at = to

    def join(self, width):
        """Join what is in the same cell, of so many nanoseconds."""
        cells = sorted({time // width * width for time in self.times})
        self.values = array.array("Q", [n for _, n in self.parts(cells)])
        self.times = array.array("Q", cells)

    def cut(self, begins):
        """{"i": slices in which it happens, as distances; "n": how often}."""
        slices, count, before = [], [], 0
        for i, n in self.parts(begins):
            slices.append(i - before)
            count.append(n)
            before = i
        return {"i": slices, "n": count}


class Cells:
    """Keeps the series of a run short while they are read, in the order of time."""

    def __init__(self):
        self.width, self.most = 1, KEPT

    def shorten(self, series):
        """Join cells if there is too much, until half of the room is free."""
        kept = sum(len(one.times) for one in series)
        if kept <= self.most:
            return
        last = max(one.times[-1] for one in series if one.times)
        while True:
            for one in series:
                one.join(self.width)
            kept = sum(len(one.times) for one in series)
            if kept <= KEPT // 2 or self.width > last:
                break
            self.width *= WIDER
        self.most = max(KEPT, 2 * kept)


def begins(series, end, room=ROOM):
    """When slices begin, and whether each has one moment only. The last one ends at end."""
    moments = sorted(itertools.chain((0,), *(one.times for one in series)))
    moments = [time for time, _ in itertools.groupby(moments)]
    if sum(len(one.times) for one in series) <= room:
        return moments, True
    n = SLICES
    while n > LEAST and sum(min(len(one.times), n) for one in series) > room:
        n = n * 3 // 4
    each, wide = -(-len(moments) // n), max(end, moments[-1]) // GAPS
    found, in_it = [], each
    for at, time in enumerate(moments):
        last = at + 1 < len(moments) and moments[at + 1] - time > wide  # holds for long
        first = at > 0 and time - moments[at - 1] > wide
        if in_it >= each or first or last:
            found.append(time)
            in_it = 0
        in_it += 1
    return found, False


def distances(times):
    """Each number as what it is more than the one before."""
    return [times[0]] + [b - a for a, b in itertools.pairwise(times)] if times else []
