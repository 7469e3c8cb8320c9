# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Numbers over time, thinned out so that no peak and no count is lost.

The time of a run is cut into slices, the same ones for everything in it. Of a number that holds until it changes (bytes in a queue),
each slice in which it changes has the least, the greatest and the last value; of what happens (notices, drops), how many. So what a
page says about whole slices is exact, and where there is room for it, each moment at which anything changes has a slice of its own.
"""

import array
import bisect
import itertools

ROOM = 240_000  # numbers of changes, of all series together, that a page has room for
SLICES, LEAST = 50_000, 1000  # at most and at least, where there is not enough
GAPS = 2000  # a pause of more than this part of the run is not in a slice with what is around it


class Level:
    """A number that holds until it changes: its values, and from when on. Before the first one it is 0 if known, or there is none."""

    def __init__(self, known=False):
        self.known = known
        self.times, self.values = array.array("Q"), array.array("Q")

    def put(self, time, value):
        self.times.append(time)
        self.values.append(value)

    def start(self):
        """From when on there is a number."""
        return 0 if self.known or not self.times else self.times[0]

    def peak(self):
        """The highest value, and when it was first reached."""
        if not self.values:
            return 0, 0
        top = max(self.values)
        return top, self.times[self.values.index(top)]

    def cut(self, begins):
        """{"i": slices in which it changes, as distances; "hi", "lo", "end" of each}: hi as it is, lo and end as what they are less."""
        times, values = self.times, self.values
        slices, high, low, end = [], [], [], []
        at, held, before = 0, 0, 0
        while at < len(times):
            i = bisect.bisect_right(begins, times[at]) - 1
            to = len(times) if i + 1 == len(begins) else bisect.bisect_left(times, begins[i + 1], at)
            part = values[at:to]
            most, least = max(part), min(part)
            if times[at] > begins[i] and (slices or self.known):  # until then, what held before
                most, least = max(most, held), min(least, held)
            held = part[-1]
            slices.append(i - before)
            high.append(most)
            low.append(most - least)
            end.append(most - held)
            at, before = to, i
        return {"i": slices, "hi": high, "lo": low, "end": end}


class Count:
    """What happened, and how often at each time."""

    def __init__(self):
        self.times, self.values = array.array("Q"), array.array("Q")

    def put(self, time, n=1):
        self.times.append(time)
        self.values.append(n)

    def total(self):
        return sum(self.values)

    def cut(self, begins):
        """{"i": slices in which it happens, as distances; "n": how often}."""
        times, values = self.times, self.values
        slices, count = [], []
        at, before = 0, 0
        while at < len(times):
            i = bisect.bisect_right(begins, times[at]) - 1
            to = len(times) if i + 1 == len(begins) else bisect.bisect_left(times, begins[i + 1], at)
            slices.append(i - before)
            count.append(sum(values[at:to]))
            at, before = to, i
        return {"i": slices, "n": count}


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
