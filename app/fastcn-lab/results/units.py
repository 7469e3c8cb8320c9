# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Units: those of axes, and numbers as text."""

import math

BYTES = (("bytes", 1), ("KB", 1e3), ("MB", 1e6), ("GB", 1e9))
TIME = (("ns", 1), ("µs", 1e3), ("ms", 1e6), ("s", 1e9))
RATE = (("b/s", 1), ("Kb/s", 1e3), ("Mb/s", 1e6), ("Gb/s", 1e9))
SHORT = {"_ns": (("s", 9), ("ms", 6), ("us", 3), ("ns", 0)), "_bps": (("G", 9), ("M", 6), ("K", 3), ("", 0))}
WHOLE = 2 ** 53  # beyond it, numbers with a fraction have no place for ones


def axis(largest, units):
    """(name, divisor) of the unit in which numbers up to the largest one are easy to read."""
    if units is not RATE:
        largest /= 2
    return [u for u in units if largest >= u[1] or u[1] == 1][-1]


def ending(name):
    """_ns of a time, _bps of a rate, None of other numbers."""
    return next((end for end in SHORT if name.endswith(end) and name != end), None)


def significant(x, digits):
    """Round to so many digits; what has more digits before the point becomes a whole number."""
    if x == 0 or not math.isfinite(x):
        return x
    places = digits - 1 - math.floor(math.log10(abs(x)))
    step = 10 ** max(-places, 0)
    return round(x, places) if places > 0 else (round(x) + step // 2) // step * step


def quantity(name, x, digits=4):
    """A time or a rate as text, such as 12.34us; the unit follows from the name."""
    x = int(significant(round(x), digits))
    suffix, power = next(u for u in SHORT[ending(name)] if x >= 10 ** u[1] or u[1] == 0)
    text = str(x // 10 ** power)
    fraction = str(x % 10 ** power).zfill(power).rstrip("0") if power else ""
    return text + ("." + fraction if fraction else "") + (suffix if x else "")


def short(name, x, digits=4):
    """A number with so many digits, and a unit if its name asks for one."""
    if not math.isfinite(x):
        return str(x)
    if ending(name) and 0 <= x < WHOLE:
        return quantity(name, x, digits)
    return "%.0f" % significant(x, digits) if abs(x) >= 10 ** (digits - 1) else "%.*g" % (digits, x)


def exact(x):
    """A number as JSON has it: whole if it is, with 15 digits otherwise; text for what JSON has no number for."""
    if not math.isfinite(x):
        return "nan" if math.isnan(x) else "inf"
    return int(x) if abs(x) <= WHOLE and x == int(x) else float("%.15g" % x)
