# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A strict reader of OpenMetrics 1.0 text, as far as fastcn has use for it: counter, gauge, histogram, info.

parse() returns {family: Family} or raises ValueError that names the line.
"""

import math
import re

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf"({NAME})(?:\{{(.*)\}})? (\S+)")
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)')
NUMBER = re.compile(r"[+-]?(?:Inf|NaN|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)")
SUFFIXES = {"counter": ("_total",), "gauge": ("",), "info": ("_info",), "histogram": ("_bucket", "_count", "_sum")}


class Family:
    def __init__(self, name):
        self.name, self.type, self.unit, self.help = name, None, None, None
        self.samples = {}  # (suffix, frozenset of labels) -> value

    def value(self, **labels):
        """Of a counter, gauge or info."""
        return self.samples[(SUFFIXES[self.type][0], frozenset(labels.items()))]


def unescape(text):
    return re.sub(r"\\(.)", lambda m: {"n": "\n"}.get(m[1], m[1]), text)


def parse_labels(text):
    labels, at = {}, 0
    while at < len(text):
        m = LABEL.match(text, at)
        if m is None or m[1] in labels or (m[3] == "," and m.end() == len(text)):
            raise ValueError("labels")
        labels[m[1]], at = unescape(m[2]), m.end()
    return labels


def parse_number(text):
    if not NUMBER.fullmatch(text):
        raise ValueError("number")
    return float(text)


def check_histogram(family):
    by_labels = {}
    for (suffix, labels), value in family.samples.items():
        labels = dict(labels)
        if suffix == "_bucket":
            le = parse_number(labels.pop("le"))
            by_labels.setdefault(frozenset(labels.items()), {"": {}})[""][le] = value
        else:
            by_labels.setdefault(frozenset(labels.items()), {"": {}})[suffix] = value
    for parts in by_labels.values():
        bounds = list(parts[""])
        counts = list(parts[""].values())
        if bounds != sorted(bounds) or not bounds or bounds[-1] != math.inf or counts != sorted(counts):
            raise ValueError(f"{family.name}: buckets")
        if ("_sum" in parts) != ("_count" in parts) or parts.get("_count", counts[-1]) != counts[-1]:
            raise ValueError(f"{family.name}: count and sum go together")


def check(family):
    if family.type is None:
        raise ValueError(f"{family.name}: no TYPE")
    if family.unit and not family.name.endswith("_" + family.unit):
        raise ValueError(f"{family.name}: unit is not in the name")
    if family.name.endswith(("_total", "_info", "_bucket", "_count", "_sum", "_created")):
        raise ValueError(f"{family.name}: a suffix that families cannot have")
    for (suffix, _), value in family.samples.items():
        if family.type != "gauge" and (math.isnan(value) or value < 0):
            raise ValueError(f"{family.name}: {value}")
        if suffix == "_info" and value != 1:
            raise ValueError(f"{family.name}: an info is 1")
    if family.type == "histogram":
        check_histogram(family)


def add_sample(family, line):
    m = SAMPLE.fullmatch(line)
    if m is None or family is None or not m[1].startswith(family.name):
        raise ValueError("sample")
    suffix, labels = m[1][len(family.name):], parse_labels(m[2] or "")
    if family.type is None or suffix not in SUFFIXES[family.type] or (suffix == "_bucket") != ("le" in labels):
        raise ValueError("sample of another type")
    key = (suffix, frozenset(labels.items()))
    if key in family.samples:
        raise ValueError("sample twice")
    family.samples[key] = parse_number(m[3])


def parse(text):
    if not text.endswith("\n# EOF\n"):
        raise ValueError("no # EOF at the end")
    families, family = {}, None
    for n, line in enumerate(text.split("\n")[:-2], 1):
        try:
            if not line.startswith("#"):
                add_sample(family, line)
                continue
            m = re.fullmatch(rf"# (TYPE|UNIT|HELP) ({NAME}) (.*)", line)
            if m is None:
                raise ValueError("comment")
            if family is None or family.name != m[2]:
                if m[2] in families:
                    raise ValueError("family in two parts")
                family = families[m[2]] = Family(m[2])
            key, value = m[1].lower(), m[3]
            if family.samples or getattr(family, key) is not None or (key == "type" and value not in SUFFIXES):
                raise ValueError("metadata")
            setattr(family, key, value)
        except ValueError as e:
            raise ValueError(f"line {n}: {e}: {line}") from None
    for family in families.values():
        check(family)
    return families
