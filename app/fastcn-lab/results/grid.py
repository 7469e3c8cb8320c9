# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""All combinations of values of some parameters."""

import itertools
import re

VARY = 8
POINTS = 100000
RANGE = re.compile(r"(\d{1,18})\.\.(\d{1,18})", re.ASCII)


class Usage(Exception):
    """What is wrong with the command line."""


class Grid:
    """Parameters and their values: the last parameter changes fastest."""

    def __init__(self, texts=()):
        self.values = {}
        for text in texts:
            self.add(text)

    def add(self, text):
        """Add a parameter, "NAME=V1,V2". A value "1..5" stands for the whole numbers from 1 to 5."""
        name, equals, values = text.partition("=")
        if not name or not equals:
            raise Usage("--vary %s: the argument must be NAME=V1,V2,..." % text)
        if len(self.values) == VARY:
            raise Usage("--vary: more than %d parameters" % VARY)
        if name in self.values:
            raise Usage("--vary %s: the parameter is varied twice" % name)
        found = []
        for value in values.split(","):
            ends = RANGE.fullmatch(value)
            if ends is None:
                found.append(value)
                continue
            first, last = int(ends[1]), int(ends[2])
            if not first <= last < first + POINTS:
                raise Usage("--vary %s: a range must have 1 to %d values, the smallest first" % (text, POINTS))
            found += [str(value) for value in range(first, last + 1)]
        if "" in found or len(set(found)) < len(found):
            raise Usage("--vary %s: a value is empty or given twice" % text)
        self.values[name] = found

    def seeds_last(self):
        """Make the seed the parameter that changes fastest: runs that differ in it only are neighbours then. The number of seeds."""
        if "seed" not in self.values:
            return 1
        self.values["seed"] = self.values.pop("seed")
        return len(self.values["seed"])

    def points(self):
        """Each combination as {name: value}."""
        count = 1
        for values in self.values.values():
            count *= len(values)
        if count > POINTS:
            raise Usage("more than %d combinations" % POINTS)
        return [dict(zip(self.values, values)) for values in itertools.product(*self.values.values())]


def words(point, separator=" "):
    return separator.join("%s=%s" % pair for pair in point.items())
