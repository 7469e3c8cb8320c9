# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Series of numbers over time, as series.csv has them, and parts of them for pictures."""

import bisect
import itertools
import re

EVENTS = ("notice", "accepted", "cnp", "goodput", "pause", "xoff")  # each point is something that happened, or a sample
VALUES = ("queue", "rate")  # a number is valid until the next point
HEADER = "time_ns,what,where,value\n"
LINE = re.compile(r"(\d{1,20}),(%s),([^,\n]+),(\d{1,20})\n?" % "|".join(VALUES + EVENTS), re.ASCII)


class Unreadable(Exception):
    """Why series cannot be read."""


class Series:
    """Numbers of one kind at one place: points are (time in ns, value)."""

    def __init__(self, what, where, points=()):
        self.what, self.where, self.points = what, where, list(points)

    def top(self):
        return max((value for _, value in self.points), default=0)

    def cut(self, begin, end, stretches):
        """The part of a span of time, thinned out for a picture. Its first point is the number that held when the span began."""
        if self.what in EVENTS:
            first, before = bisect.bisect_left(self.points, (begin,)), []
        else:
            first = bisect.bisect_right(self.points, (begin, float("inf")))
            before = [(begin, self.points[first - 1][1])] if first else []
        last = bisect.bisect_right(self.points, (end, float("inf")))
        return Series(self.what, self.where, thin(before + self.points[first:last], stretches))


def thin(points, stretches):
    """Of each of so many stretches of time the first, the last, the least and the greatest point, so that no peak is lost."""
    if len(points) <= 4 * stretches:
        return points
    begin, kept = points[0][0], []
    width = (points[-1][0] - begin) // stretches + 1
    for _, group in itertools.groupby(points, lambda point: (point[0] - begin) // width):
        group = list(group)
        values = [value for _, value in group]
        kept += [group[i] for i in sorted({0, values.index(min(values)), values.index(max(values)), len(group) - 1})]
    return kept


def together(several):
    """Of all series together: (time, sum, how many are not 0) from each change on."""
    changes, now, found = [], {}, []
    for i, one in enumerate(several):
        changes += [(time, i, value) for time, value in one.points]
    total = active = 0
    for time, group in itertools.groupby(sorted(changes), lambda change: change[0]):
        for _, i, value in group:
            before = now.get(i, 0)
            total, active, now[i] = total + value - before, active + (value > 0) - (before > 0), value
        found.append((time, total, active))
    return found


def sampled(steps, begin, end, samples):
    """What together() found, at times that are equally far apart."""
    for k in range(samples + 1):
        time = begin + (end - begin) * k // samples
        at = bisect.bisect_right(steps, (time, float("inf"))) - 1
        yield (time,) + (steps[at][1:] if at >= 0 else (0, 0))


def read(path):
    """All series of a file, in the order in which they first have a point."""
    found, number = {}, 1
    try:
        with open(path, encoding="ascii", newline="\n") as f:
            good = f.readline() == HEADER
            for number, line in enumerate(f, 2) if good else ():
                match = LINE.fullmatch(line)
                good = match is not None
                if not good:
                    break
                time, value = int(match[1]), int(match[4])
                points = found.setdefault((match[2], match[3]), [])
                good = max(time, value) < 2 ** 64 and (not points or points[-1][0] <= time)
                if not good:
                    break
                points.append((time, value))
    except OSError as e:
        raise Unreadable("%s: %s" % (path, e.strerror)) from e
    except UnicodeDecodeError:
        good = False
    if not good:
        raise Unreadable("%s:%d: not a line as fastcn-lab writes it" % (path, number))
    return [Series(what, where, points) for (what, where), points in found.items()]
