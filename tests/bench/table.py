# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
"""From rounds to figures, and from figures to tables."""

import statistics

from cases import ABOVE, CYCLES, DELAY, OVER, RATE, RATIO, TIMES, UNITS
from latency import QUANTILES, WIRE
from workers import COUNTS

SPREAD = 0.10  # between the quartiles of the rounds: more is uncertain
DISTURBED = 1.25  # times bare ports
BEGIN, END = "<!-- figures: scripts/bench --write-doc -->", "<!-- end of figures -->"
STAGES_BEGIN, STAGES_END = "<!-- stages: scripts/bench --write-doc -->", "<!-- end of stages -->"
INSTRUCTIONS_BEGIN, INSTRUCTIONS_END = "<!-- instructions: tests/bench/instructions.py --page -->", "<!-- end of instructions -->"
WORKERS_BEGIN, WORKERS_END = "<!-- workers: scripts/bench --write-doc -->", "<!-- end of workers -->"
LATENCY_BEGIN, LATENCY_END = "<!-- latency: scripts/bench --write-doc -->", "<!-- end of latency -->"
WORKERS = {"apart": "ports apart", "next": "all to the next worker", "any": "any to any",
           "apart notified": "notices, ports apart", "any notified": "notices, any to any",
           "testpmd": "testpmd io, as many cores"}
# Ratios of two of these; a number is that of the workers.
WORKERS_RATIOS = {"any to any over ports apart": ("any", "apart", None), "any to any over one worker": ("any", "apart", 1),
                  "ports apart over one worker": ("apart", "apart", 1),
                  "notices, any to any over ports apart": ("any notified", "apart notified", None),
                  "ports apart over testpmd io": ("apart", "testpmd", None),
                  "any to any over testpmd io": ("any", "testpmd", None)}
WORKERS_PORTS = {"pcap": "net_pcap", "headers": "only headers written"}
STAGES = {"rx": "receive", "fast_path": "fast path", "classify": "classify", "bridge": "bridge", "route": "route",
          "enqueue": "enqueue", "transmit": "transmit"}


def spread(values):
    if len(values) < 2:
        return 0.0
    low, _, high = statistics.quantiles(values, n=4)
    return high / low - 1 if low > 0 else 0.0


def figure(case, rounds):
    """The figure of a case.

    @param rounds of its run: [{variant: {"median": cycles, "hz": ...}}], or of a program: [number]
    """
    row = {"name": case.name, "kind": case.kind, "goal": case.goal}
    if not rounds:
        return {**row, "value": None}
    if not isinstance(rounds[0], dict):
        best = min(rounds) if UNITS[case.kind][1] else max(rounds)
        row.update(value=best, median=statistics.median(rounds), spread=spread(rounds))
    elif case.kind in (TIMES, OVER):
        there = [r for r in rounds if case.variant in r and case.base in r]
        if not there:
            return {**row, "value": None}
        ratios = [r[case.variant]["rate"] / r[case.base]["rate"] for r in there]
        row.update(value=statistics.median(ratios), median=statistics.median(ratios), spread=spread(ratios))
    elif case.kind == DELAY:
        delays = [r[case.variant][case.base] / 1e3 for r in rounds if case.variant in r]
        if not delays:
            return {**row, "value": None}
        row.update(value=min(delays), median=statistics.median(delays), spread=spread(delays))
    else:
        cycles = [r[case.variant]["median"] for r in rounds]
        row["cycles"] = min(cycles)
        if case.kind == RATIO:
            io = [r["testpmd io"]["median"] for r in rounds]
            # The lesser of two ways to measure the same, as other programs only add.
            floor = [min(i, r["bare"]["median"]) if "bare" in r else i for i, r in zip(io, rounds)]
            ratios = [c / i for c, i in zip(cycles, floor)]
            if "bare" in rounds[0]:
                row["bare"] = min(r["bare"]["median"] for r in rounds)
            row.update(io=min(io), value=min(cycles) / min(floor), median=statistics.median(ratios),
                       spread=spread(ratios))
        elif case.kind == ABOVE:
            base = [r[case.base]["median"] for r in rounds]
            above = [c - b for c, b in zip(cycles, base)]
            row.update(value=min(cycles) - min(base), median=statistics.median(above),
                       spread=spread(cycles))
        elif case.kind == RATE:
            rates = [r[case.variant]["hz"] / r[case.variant]["median"] / 1e6 for r in rounds]
            row.update(value=max(rates), median=statistics.median(rates), spread=spread(rates))
        else:
            row.update(value=min(cycles), median=statistics.median(cycles), spread=spread(cycles))
    if case.goal:
        row["met"] = row["value"] <= case.goal if UNITS[case.kind][1] else row["value"] >= case.goal
    return row


def number(kind, value):
    if value is None:
        return "-"
    return f"{value:.2f}" if kind in (RATIO, RATE, TIMES, OVER, DELAY) else f"{value:.0f}"


def is_uncertain(row):
    """Rounds that differ much, or a testpmd that something disturbed: it does what the bare ports do."""
    return row["spread"] > SPREAD or row.get("io", 0) > row.get("bare", float("inf")) * DISTURBED


def verdict(row):
    if row["value"] is None:
        return "not measured"
    words = ["met" if row["met"] else "missed"] if "met" in row else []
    return ", ".join(words + ["uncertain"] * is_uncertain(row))


def plain(report):
    """The table for a terminal."""
    out = [f"{report['cpu']}, {report['memory']}, {report['rounds']} rounds; cycles of the TSC", ""]
    out.append(f"{'case':38} {'goal':>6} {'value':>7} {'median':>7} {'spread':>7} {'cycles':>7} "
               f"{'io':>6} {'bare':>6}  unit")
    for r in report["cases"]:
        goal = f"{r['goal']:g}" if r["goal"] else "-"
        if r["value"] is None:
            out.append(f"{r['name']:38} {goal:>6} {'-':>7}  not measured: {r.get('why', '')}")
            continue
        out.append(f"{r['name']:38} {goal:>6} {number(r['kind'], r['value']):>7} "
                   f"{number(r['kind'], r['median']):>7} {r['spread']:7.0%} "
                   f"{r.get('cycles', 0):7.1f} {r.get('io', 0):6.1f} {r.get('bare', 0):6.1f}  "
                   f"{UNITS[r['kind']][0]}; "
                   f"{verdict(r)}")
    return "\n".join([*out, "", *report["notes"]])


def machine(report):
    return (f"{report['cpu']}, TSC {report['hz'] / 1e9:.1f} GHz, {report['memory']}, {report['rounds']} rounds, "
            f"{report['date']}, build of {report['commit']}.")


def markdown(report, cases):
    """The table for the guide."""
    before = {c.name: c.before for c in cases}
    out = [machine(report), "",
           "| case | before | goal | figure | | median of rounds, spread | cycles | testpmd io | bare ports | |",
           "|---|---|---|---|---|---|---|---|---|---|"]
    for r in report["cases"]:
        goal = f"{r['goal']:g}" if r["goal"] else ""
        cells = [r["name"], before.get(r["name"], ""), goal]
        if r["value"] is None:
            cells += ["", "", "", "", "", "", "not measured" + (": " + r["why"] if r.get("why") else "")]
        else:
            cells += [number(r["kind"], r["value"]), UNITS[r["kind"]][0],
                      f"{number(r['kind'], r['median'])}, {r['spread']:.0%}",
                      *(f"{r[k]:.1f}" if k in r else "" for k in ("cycles", "io", "bare")), verdict(r)]
        out.append("| " + " | ".join(cells) + " |")
    return "\n".join([*out, "", *report["notes"]])


def stages_markdown(stages):
    """The table of cycles by stage. @param stages {path: {stage: cycles}}"""
    out = ["| path | " + " | ".join(STAGES.values()) + " |", "|---" * (1 + len(STAGES)) + "|"]
    for path, found in stages.items():
        cells = (f"{found[s]:.1f}" if s in found else "" for s in STAGES)
        out.append(f"| {path} | " + " | ".join(cells) + " |")
    return "\n".join(out)


def workers_cell(rounds, name, base=None):
    """A rate, or a ratio of two, if it was measured: the median of the rounds and the spread, and what was dropped."""
    found = [(r[name], r[base or name]) for r in rounds if name in r and (base or name) in r]
    if not found:
        return ""
    values = [a["rate"] / b["rate"] if base else a["rate"] / 1e6 for a, b in found]
    text = f"{statistics.median(values):.{2 if base else 1}f}, {spread(values):.0%}"
    dropped = statistics.median(a["dropped"] for a, _ in found)
    if not base and dropped >= 0.005:
        text += f"; {dropped:.0%} dropped"
    return text


def workers_markdown(rounds):
    """Rates and ratios by the number of workers. What was not measured has no cell, no row, no column."""
    counts = [n for n in COUNTS if any(f"pcap apart {n}" in r for r in rounds)]
    out = ["| | " + " | ".join("1 worker" if n == 1 else str(n) for n in counts) + " |", "|---" * (1 + len(counts)) + "|"]

    def add(name, cells):
        if any(cells):
            out.append(f"| {name} | " + " | ".join(cells) + " |")

    for source, ports in WORKERS_PORTS.items():
        for way, name in WORKERS.items():
            add(f"{ports}: {name}", [workers_cell(rounds, f"{source} {way} {n}") for n in counts])
        for name, (over, base, one) in WORKERS_RATIOS.items():
            add(f"{ports}: *{name}*", ["" if n == one else workers_cell(
                rounds, f"{source} {over} {n}", f"{source} {base} {one or n}") for n in counts])
    return "\n".join(out)


def latency_markdown(rounds):
    """Quantiles in us by load: of the round with the least p99, and the median of all rounds. What was not measured has no row."""
    out = ["| workers | load | " + " | ".join(QUANTILES) + " | notices |", "|---" * (3 + len(QUANTILES)) + "|"]
    for name in sorted({name for r in rounds for name in r},
                       key=lambda n: (n.split()[0], n.split()[1] != "apart", int(n.split()[2]), len(n.split()))):
        found = [r[name] for r in rounds if name in r]
        best = min(found, key=lambda line: line["p99"])
        workers, way, load, *bare = name.split()
        cells = [f"{best[q] / 1e3:.2f}; {statistics.median(line[q] for line in found) / 1e3:.2f}" for q in QUANTILES]
        where = ", net_memif" if way == WIRE else "" if workers == "1" else ", ports apart" if way == "apart" else ", any to any"
        where += ", *no switch*" if bare else ""
        out.append(f"| {workers}{where} | {load} % | " + " | ".join(cells) + f" | {best['answered']} |")
    return "\n".join(out)


def put(text, table, begin=BEGIN, end=END):
    """A guide with the table between the markers."""
    head, found, rest = text.partition(begin)
    _, found_end, tail = rest.partition(end)
    if not found or not found_end:
        raise SystemExit("the guide has no markers for the table")
    return f"{head}{begin}\n\n{table.strip()}\n\n{end}{tail}"


def put_into(page, *what):
    """The same in a file."""
    with open(page, encoding="utf-8") as f:
        text = put(f.read(), *what)
    with open(page, "w", encoding="utf-8") as f:
        f.write(text)


def compare(old, new):
    """Figures of two reports, side by side."""
    before = {r["name"]: r for r in old["cases"]}
    out = [f"{'case':38} {'old':>8} {'new':>8} {'change':>8}"]
    for r in new["cases"]:
        was = before.get(r["name"], {}).get("value")
        if was is None or r["value"] is None:
            out.append(f"{r['name']:38} {number(r['kind'], was):>8} {number(r['kind'], r['value']):>8}")
            continue
        # differences of cycles may be 0 or less
        change = f"{r['value'] - was:+.1f}" if r["kind"] in (ABOVE, CYCLES) else f"{r['value'] / was - 1:+.1%}"
        out.append(f"{r['name']:38} {number(r['kind'], was):>8} {number(r['kind'], r['value']):>8} "
                   f"{change:>8}")
    if old["cpu"] != new["cpu"]:
        out.append(f"Of other CPUs: {old['cpu']}, {new['cpu']}.")
    return "\n".join(out)
