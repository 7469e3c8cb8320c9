# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The queue of a run that matters most as text, for a terminal."""

import shutil

import units

HIGH, LEFT, TICK = 21, 8, 18  # lines, columns in front of them, columns between times


def text(run):
    """Its occupancy, with the notices that were sent as digits, their congestion level; its threshold and limit; and the drops."""
    if not run.queues:
        return "No queue was used."
    queue = run.queues[0]
    wide = max(40, min(140, shutil.get_terminal_size((100, 24)).columns) - LEFT - 2)
    end = max(1, min(run.end, last_use(queue, run.end)))
    begins = [end * i // wide for i in range(wide)]
    tops = columns(queue.level, begins)
    top = max([1, *tops] + [size for _, size in queue.limits if size < 1.5 * max(tops, default=0)])
    unit, divisor = units.axis(top, units.BYTES)
    lines = [[" "] * wide for _ in range(HIGH)]
    for name, size in queue.limits:
        if size <= top:
            lines[row_of(size, top)] = list(("- " if name == "limit" else "=") * wide)[:wide]
    for x, value in enumerate(tops):
        here, before = row_of(value, top), row_of(tops[x - 1] if x else 0, top)
        for y in [here, *range(min(here, before) + 1, max(here, before))]:
            lines[y][x] = "*"
    for row in queue.rows:
        for name, count in row.parts.items() if row.tone == "sent" else ():
            for x in {min(wide - 1, time * wide // end) for time in count.times if time <= end}:
                lines[row_of(tops[x], top)][x] = name.removeprefix("level ") or "o"
    out = [heading(queue)]
    for y, line in enumerate(lines):
        height = HIGH - 1 - y
        label = "%.4g" % (height * top / (HIGH - 1) / divisor) if height % 5 == 0 else unit if height == 12 else ""
        out.append(("%s |%s" % (label.rjust(LEFT - 2), "".join(line))).rstrip())
    return "\n".join([*out, *axis(wide, end), *drops(queue, wide, end)])


def axis(wide, end):
    """The time, with numbers at round ones."""
    unit, divisor = units.axis(end, units.TIME)
    power = 10 ** (len(str(end)) - 1)
    step = next(s for s in (power / 10, power / 5, power / 2, power, 2 * power, 5 * power) if end / s * TICK <= wide + TICK)
    line, times, k = ["-"] * wide, [" "] * (wide + TICK), 0
    while int(k * step * wide / end) < wide:
        x, label = int(k * step * wide / end), "%.4g" % (k * step / divisor)
        line[x] = "+"
        times[x:x + len(label)] = label
        k += 1
    yield " " * LEFT + "".join(line)
    yield " " * LEFT + "".join(times).rstrip() + " " + unit.replace("\u00b5", "u")


def heading(queue):
    sent, parts = queue.marks("sent"), ["%s: highest %s B" % (queue.name, format(queue.level.peak()[0], ","))]
    parts += ["%s %s B%s" % (name, format(size, ","), "" if name == "limit" else " (===)") for name, size in queue.limits]
    return "; ".join(parts + ["%s notices (digits: congestion level)" % format(sent, ",")] * bool(sent))


def drops(queue, wide, end):
    """A line of marks for each reason for which packets were dropped."""
    for row in queue.rows:
        if row.tone == "drop":
            counts = [0] * wide
            for count in row.counts():
                for time, n in zip(count.times, count.values):
                    counts[min(wide - 1, time * wide // end)] += n
            yield " " * LEFT + "".join(" " if n == 0 else str(n) if n < 10 else "#" for n in counts).rstrip()
            yield " " * LEFT + "%s: %s packets" % (row.name, format(row.total(), ","))


def row_of(value, top):
    return HIGH - 1 - round(min(value, top) * (HIGH - 1) / top)


def last_use(queue, end):
    """A little after the queue was last at a twentieth of its peak."""
    top, used = queue.level.peak()[0], 0
    for time, before in zip(queue.level.times[1:], queue.level.values):
        if before > top / 20:
            used = time
    return int(used * 1.06) + 1 if used else end


def columns(level, begins):
    """The highest value in each column."""
    cut, tops, held, k, at = level.cut(begins), [], 0, 0, 0
    for column in range(len(begins)):
        value = held
        if k < len(cut["i"]) and at + cut["i"][k] == column:
            at, value = column, cut["hi"][k]
            held = value - cut["end"][k]
            k += 1
        tops.append(value)
    return tops
