# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What runs left: results, their numbers by path, their summary numbers, and the names of several runs."""

import json
import math
import os

import series

# Name, text, and path of the numbers of a summary, in the order of a table's columns. Those without a path are of the highest queue.
SUMMARY = {
    "peak": ("highest queue (bytes)", None),
    "first_peak": ("its first peak (bytes)", None),
    "p99": ("99th percentile of that queue (bytes)", None),
    "goodput_bps": ("goodput of all flows (b/s)", ("traffic", "goodput_bps")),
    "jain": ("fairness of goodput (Jain)", ("traffic", "jain")),
    "slowdown_p50": ("slowdown, median", ("slowdown", "all", "p50")),
    "slowdown_p99": ("slowdown, 99th percentile", ("slowdown", "all", "p99")),
    "paused_ns": ("hosts paused by PFC (ns, sum)", ("pfc", "paused_ns")),
    "switch_paused_ns": ("switches paused by PFC (ns, sum)", ("pfc", "switch_paused_ns")),
    "notices": ("Fast CNPs accepted", ("notices", "accepted")),
    "first_notice_ns": ("congestion to first Fast CNP accepted (ns)", ("notices", "first_ns")),
    "cnps": ("CNPs received", ("cnps", "received")),
    "first_cnp_ns": ("congestion to first CNP received (ns)", ("cnps", "first_ns")),
    "repeats": ("times a sender went back", ("traffic", "repeats")),
}


class Wrong(Exception):
    """What is wrong with a file or an argument, as the user is told."""


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def member(value, *keys):
    """A member by its keys; None if there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def number(value, *keys):
    """A number by its keys; 0 if there is none."""
    found = member(value, *keys)
    return found if is_number(found) else 0


def members(value):
    return value.items() if isinstance(value, dict) else ()


def items(value):
    return value if isinstance(value, list) else ()


def _number_of(convert, limit):
    def checked(text):
        value = convert(text)
        if not abs(value) < limit:
            raise ValueError("%s is not a number of a result" % text[:40])
        return value
    return checked


def parse(text):
    """A result of its text. Raises ValueError."""
    try:
        return json.loads(text, parse_constant=_number_of(float, 0), parse_float=_number_of(float, math.inf),
                          parse_int=_number_of(int, 2 ** 63))
    except RecursionError as e:
        raise ValueError("nested too deeply") from e


def _missing(path, done, at):
    if isinstance(at, list):
        return "; %s has %d members, counted from 0" % (path[:done], len(at))
    if not isinstance(at, dict) or not at:
        return "; %s has no members" % path[:done]
    return "; %s %s" % (path[:done] + " has" if done else "there is", ", ".join(at))


def _child(at, rest):
    """The name of the member that a path begins with, and the member. Names may contain dots: the longest one that matches is meant."""
    if isinstance(at, list):
        name = rest.partition(".")[0]
        known = name.isascii() and name.isdigit() and len(name) < 10 and int(name) < len(at)
        return (name, at[int(name)]) if known else None
    name = max((key for key, _ in members(at) if rest == key or rest.startswith(key + ".")), key=len, default=None)
    if name is None and rest.startswith("spray.") and "generator" in dict(members(at)):
        return "spray", at["generator"]  # its former name
    return None if name is None else (name, at[name])


def metric(result, path):
    """A number of a result by its path. The value of a list is the number of its members; true is 1, false is 0."""
    at, done = result, 0
    while True:
        found = _child(at, path[done + (done > 0):])
        if found is None:
            raise Wrong("%s: no such metric%s" % (path, _missing(path, done, at)))
        done, at = done + (done > 0) + len(found[0]), found[1]
        if done == len(path):
            break
    if isinstance(at, dict):
        raise Wrong("%s: is not a number%s" % (path, _missing(path, done, at)))
    if at is None or isinstance(at, str):
        raise Wrong('%s: is not a number but "%s"' % (path, "null" if at is None else at))
    return len(at) if isinstance(at, list) else int(at) if isinstance(at, bool) else at


def queues(result):
    """Each queue: its name, such as s1.r.3, and what the result has of it."""
    for switch, ports in members(member(result, "queue")):
        for port, classes in members(ports):
            for number_of_class, queue in members(classes):
                yield "%s.%s.%s" % (switch, port, number_of_class), queue


def summary(result):
    """The summary numbers that a result has, and the name of the queue with the highest peak: the first one when several are equal."""
    name, highest = max(queues(result), key=lambda q: number(q[1], "peak"), default=(None, None))
    row = {} if name is None else {"queue": name}
    for key, (_, path) in SUMMARY.items():
        value = member(highest, key) if path is None else member(result, *path)
        if is_number(value):
            row[key] = value
    return row


def expectations(result):
    """How many expectations hold, such as "3 of 4", and whether all of them do; the text is None when there are none."""
    found = items(member(result, "expectations"))
    hold = sum(member(e, "ok") is True for e in found)
    return "%d of %d" % (hold, len(found)) if found else None, hold == len(found)


def title(result):
    text = member(result, "title")
    return text if isinstance(text, str) and text else "fastcn-lab"


def parameters(result):
    return {key: value for key, value in members(member(result, "parameters")) if isinstance(value, str)}


class Run:
    """A run: its name among others, its result, and its series if there are any."""

    def __init__(self, path):
        folder = os.path.isdir(path)
        self.path, self.label = path, ""
        file = os.path.join(path, "result.json") if folder else path
        try:
            with open(file, "rb") as f:
                self.result = parse(f.read())
        except OSError as e:
            raise Wrong("%s: %s" % (file, e.strerror)) from e
        except json.JSONDecodeError as e:
            raise Wrong("%s:%d: %s" % (file, e.lineno, e.msg)) from e
        except ValueError as e:
            raise Wrong("%s: %s" % (file, e)) from e
        if not all(isinstance(member(self.result, part), dict) for part in ("queue", "traffic")):
            raise Wrong("%s: is not a result of fastcn-lab" % file)
        file = os.path.join(path, "series.csv")
        try:
            self.series = series.read(file) if folder and os.path.exists(file) else []
        except series.Unreadable as e:
            raise Wrong(str(e)) from e

    def base(self):
        """The last part of the path, of a directory."""
        path = self.path.removesuffix("/result.json").rstrip("/")
        return path.rpartition("/")[2] or self.path

    def differing(self, runs):
        """The parameters in which runs differ, such as "mode=fast n=16"."""
        own = parameters(self.result)
        return " ".join("%s=%s" % (key, value) for key, value in own.items()
                        if any(parameters(run.result).get(key, "") != value for run in runs))


def load(paths):
    """Runs with names: by the parameters in which they differ, else by their directories, else by their paths."""
    runs = [Run(path) for path in paths]
    for names in ([run.differing(runs) for run in runs], [run.base() for run in runs], [run.path for run in runs]):
        if len(set(names)) == len(runs) and all(names):
            break
    for run, name in zip(runs, names):
        run.label = name
    return runs
