#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What reports (app/report) hold: files made here, thinned out, and read back from the page. test_browser.py looks at pages in a browser.

test_report.py LAB_RESULTS, the program that makes them.
"""

import base64
import bisect
import collections
import html.parser
import json
import os
import random
import re
import resource
import subprocess
import sys
import tempfile
import unittest
import zlib

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else None
COLUMNS = "time_ns what port class bytes level packets kind name sender receiver dest_qp".split()
REPORT = {"fastcn": "1", "speed": 1.0, "seed": 1, "complete": True, "inputs": [], "ports": [], "drops": [], "errors": [], "flows": [], "episodes": [],
          "notify": {"total": {"wanted": 0, "sent": 0, "suppressed": 0}, "verdicts": []}, "latency": {}, "conservation": {"received": 0, "dropped": 0, "ok": True}}


def queue_of(port, **more):
    """As `show queue json` has it, the least."""
    return {"port": port, "class": 3, "threshold": "step 30000 B", "limit_bytes": 200000, "notify": True, "ecn": False,
            "thresholds": {"enter_bytes": 30000, "level_from": [0, 40, 50, 60, 70, 80, 90, 100]}, **more}


def line(time_ns, what, port, **more):
    row = {"time_ns": time_ns, "what": what, "port": port, "class": 3, **more}
    return "\t".join(str(row.get(name, "")) for name in COLUMNS) + "\n"


class Page(html.parser.HTMLParser):
    """The text of a page, its data, and all that would be fetched or run."""

    def __init__(self, text):
        super().__init__()
        self.source, self.text, self.fetches, self.scripts, self.inside = text, [], [], 0, []
        self.feed(text)
        found = re.search(r'<script type="text/plain" id="data">([^<]*)</script>', text)
        self.data = json.loads(zlib.decompress(base64.b64decode(found[1]))) if found else None

    def handle_starttag(self, tag, attrs):
        self.inside.append(tag)
        self.scripts += tag == "script"
        self.fetches += [(tag, name, value) for name, value in attrs if name in ("src", "href", "srcset", "action", "poster", "background") or name.startswith("on")]

    def handle_endtag(self, tag):
        if tag in self.inside:
            while self.inside.pop() != tag:
                pass

    def handle_data(self, data):
        if not {"script", "style"} & set(self.inside):
            self.text.append(data)

    def queue(self, name):
        return next(q for q in self.data["queues"] if q["name"] == name)


def spread(distances):
    total, found = 0, []
    for d in distances:
        total += d
        found.append(total)
    return found


class Reports(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="fcn-report-")
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def make(self, lines, out="out.html", **report):
        with open(self.path("result.json"), "w", encoding="utf-8") as f:
            json.dump({**REPORT, "virtual_ns": 10 ** 6, "queues": [], **report}, f)
        with open(self.path("series.tsv"), "w", encoding="utf-8") as f:
            f.write("\t".join(COLUMNS) + "\n")
            f.writelines(lines)
        return subprocess.run([sys.executable, PROGRAM, "-", "report", "replay", self.path("result.json"), self.path("series.tsv"),
                               "-" if out == "-" else self.path(out)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)

    def page(self, lines, **report):
        done = self.make(lines, **report)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(self.path("out.html"), encoding="utf-8") as f:
            return Page(f.read())

    def test_numbers(self):
        """A queue, its limits of the configuration, and what is below it."""
        page = self.page([line(10, "occupancy", "r", bytes=500), line(20, "notice", "r", bytes=700, level=2, packets=1, kind="fast_cnp", name="sent_option1",
                                                                       sender="a", receiver="b", dest_qp=7),
                          line(20, "occupancy", "r", bytes=700), line(30, "verdict", "r", packets=4, kind="fast_cnp", name="interval"),
                          line(30, "drop", "r", packets=2, name="queue_bytes"), line(40, "drop", "p", packets=3, name="no_route", **{"class": ""}),
                          line(50, "occupancy", "r", bytes=0)], queues=[queue_of("r")], virtual_ns=60)
        queue = page.queue("r, class 3")
        self.assertEqual(queue["limits"], [["threshold", 30000], ["limit", 200000]])
        self.assertEqual(queue["level"]["peak"], [700, 20])
        self.assertTrue(page.data["exact"])
        self.assertEqual(spread(page.data["begins"]), [0, 10, 20, 30, 40, 50])
        self.assertEqual([(row["name"], row["tone"], row["total"]) for row in queue["rows"]],
                         [("fast_cnp sent_option1", "sent", 1), ("fast_cnp interval", "not sent", 4), ("dropped: queue_bytes", "drop", 2)])
        self.assertEqual([(g["name"], [(r["name"], r["total"]) for r in g["rows"]]) for g in page.data["groups"]],
                         [("Drops at ports, before a queue", [("p: no_route", 3)]), ("Notices by flow", [("a > QP 7 of b", 1)])])
        text = " ".join(page.text)
        self.assertIn("700\u202fB (0.35\u202f% of the limit)", text)
        self.assertIn("0x000007", text)

    def test_other_tables(self):
        """What a later version has beside what is known here is a table."""
        page = self.page([line(10, "occupancy", "r", bytes=500)], queues=[queue_of("r")], told_by={"flows": [{"sender": "xyz", "ahead_ns": 264000, "parts": [1]}]})
        text = " ".join(" ".join(page.text).split())
        self.assertIn("Told by, flows sender ahead, ns xyz 264 000", text)

    def test_nothing_is_fetched(self):
        """No part of the page is elsewhere, and what comes from files is text."""
        name = "<img src=x onerror=alert(1)>&\"'</script>"
        page = self.page([line(10, "occupancy", name, bytes=5), line(11, "drop", name, packets=1, name="queue_bytes")], queues=[queue_of(name)],
                         ports=[{"port": name, "drops": 1}])
        self.assertEqual(page.fetches, [])
        self.assertEqual(page.scripts, 4)
        self.assertIn("Content-Security-Policy", page.source)
        self.assertNotRegex(page.source.split('id="data"')[0] + page.source.split('id="data"')[1].split("<", 1)[1], "https?://|url\\(|@import|\\beval\\(|innerHTML")
        self.assertIn(name, "".join(page.text))

    def test_many(self):
        """600,000 packets: seconds, some MB, every peak, and no count lost; what a slice says is what the files say."""
        chance, now, held, lines, true = random.Random(7), 0, 0, [], collections.defaultdict(list)
        peaks = {chance.randrange(600_000): 10 ** 6 + k for k in range(20)}
        for packet in range(600_000):
            now += 5_000_000 if packet % 60_000 == 59_999 else chance.randrange(1, 120)
            held = max(0, held + chance.randrange(-1500, 1501))
            for value in (peaks.get(packet, held + 1100), held):
                lines.append(line(now, "occupancy", "r", bytes=value))
                true["level"].append((now, value))
                now += chance.randrange(1, 60)
            if chance.random() < 0.2:
                lines.append(line(now, "notice", "r", bytes=held, level=packet % 8, packets=1, kind="fast_cnp", name="sent_option1",
                                  sender="s%d" % (packet % 40), receiver="r", dest_qp=packet % 3))
                true["notice", packet % 8].append((now, 1))
            if chance.random() < 0.01:
                lines.append(line(now, "drop", "r", packets=2, name="queue_bytes"))
                true["drop"].append((now, 2))
        begun = resource.getrusage(resource.RUSAGE_CHILDREN)
        page = self.page(lines, queues=[queue_of("r")], virtual_ns=now)
        ended = resource.getrusage(resource.RUSAGE_CHILDREN)
        took, size = ended.ru_utime + ended.ru_stime - begun.ru_utime - begun.ru_stime, os.path.getsize(self.path("out.html"))
        print("600,000 packets: %.1f s of a processor, %d KB of %d KB" % (took, size // 1000, os.path.getsize(self.path("series.tsv")) // 1000), file=sys.stderr)
        self.assertLess(size, 2_000_000)
        self.assertLess(took, 60) # some 3 s where nothing else runs
        begins, queue = spread(page.data["begins"]), page.queue("r, class 3")
        self.assertFalse(page.data["exact"])
        self.assertEqual(begins, sorted(set(begins)))
        top = max(true["level"], key=lambda point: point[1])
        self.assertEqual(queue["level"]["peak"], [top[1], top[0]])
        self.assertEqual(top[1], max(peaks.values()))
        self.same_level(queue["level"], begins, true["level"])
        notices, drops = queue["rows"]
        for part in notices["parts"]:
            self.same_counts(part, begins, true["notice", int(part["name"].split()[1])])
        self.same_counts(drops["parts"][0], begins, true["drop"])
        # There are more than are held in memory, so cells of time were joined.
        width = int(re.search(r"in spans of ([0-9]+)\u202fns or more", "".join(page.text))[1])
        self.assertEqual({begin % width for begin in begins if begin < now // 2}, {0})
        # Where the run pauses for long, slices end.
        for (before, _), (after, _) in zip(true["level"], true["level"][1:]):
            if after - before > 4_000_000:
                self.assertGreater(begins[bisect.bisect_right(begins, after) - 1], before)

    def test_memory(self):
        """However long a run is, what is held of it is not: and it is, for each cell, what it would be with all of it."""
        sys.path.insert(0, os.path.join(ROOT, "app/report"))
        import slices
        room, slices.KEPT = slices.KEPT, 1000
        try:
            chance, cells, now = random.Random(3), slices.Cells(), 0
            level, late, count = slices.Level(True), slices.Level(), slices.Count()
            true = {level: [], late: [], count: []}
            for packet in range(60_000):
                now += chance.choice((0, 1, 9, 700, 40_000))
                for one in chance.sample((level, count, *([late] if packet > 100 else [])), 2):
                    value = chance.randrange(1, 1000)
                    one.put(now, value)
                    true[one].append((now, value))
                if packet % 50 == 0:
                    cells.shorten([level, late, count])
                    self.assertLessEqual(len(level.times) + len(late.times) + len(count.times), 1000)
        finally:
            slices.KEPT = room
        self.assertGreater(cells.width, 1000)
        for one in (level, late):
            self.assertEqual(one.peak()[0], max(value for _, value in true[one]))
            self.assertEqual(one.peak()[1], next(t for t, value in true[one] if value == one.peak()[0]))
        self.assertEqual((level.start(), late.start()), (0, true[late][0][0]))
        self.assertEqual((count.first, count.last, count.total()), (true[count][0][0], true[count][-1][0], sum(n for _, n in true[count])))
        begins, exact = slices.begins([level, late, count], now, room=100)
        self.assertFalse(exact)
        self.same_level(level.cut(begins), begins, true[level])
        self.same_level(late.cut(begins), begins, true[late], known=False)
        self.same_counts(count.cut(begins), begins, true[count])

    def same_level(self, found, begins, true, known=True):
        times, held, at = [t for t, _ in true], 0, 0
        slices = spread(found["i"])
        for i, high, low, end in zip(slices, found["hi"], found["lo"], found["end"]):
            to = bisect.bisect_left(times, begins[i + 1]) if i + 1 < len(begins) else len(times)
            values = [value for _, value in true[at:to]]
            self.assertTrue(values)
            self.assertGreaterEqual(times[at], begins[i])
            values += [held] if times[at] > begins[i] and (known or at) else []
            self.assertEqual((high, high - low), (max(values), min(values)))
            held, at = true[to - 1][1], to
            self.assertEqual(high - end, held)
        self.assertEqual(at, len(true))

    def same_counts(self, found, begins, true):
        count = collections.Counter()
        for now, n in true:
            count[bisect.bisect_right(begins, now) - 1] += n
        self.assertEqual(dict(zip(spread(found["i"]), found["n"])), dict(count))

    def test_wrong_files(self):
        for text in ("1\toccupancy\tr\t3\n", "x\toccupancy\tr\t3\t5" + "\t" * 7 + "\n", line(1, "what", "r"), line(-1, "occupancy", "r", bytes=5),
                     line(1, "occupancy", "r", bytes=1 << 70), "\n"):
            done = self.make([text])
            self.assertEqual((done.returncode, done.stderr), (1, "fastcn replay: no report: the series, line 2: not as fastcn replay writes it\n"), text)

    def test_nothing_happened(self):
        page = self.page([])
        self.assertIsNone(page.data)
        self.assertIn("no queue was used", " ".join(page.text))

    def test_sketch(self):
        """As text: the highest value is on the top line, the threshold is a line of its own."""
        done = self.make([line(100 * k, "occupancy", "r", bytes=2000 * k) for k in range(1, 21)] + [line(2100, "occupancy", "r", bytes=0)],
                         out="-", queues=[queue_of("r")], virtual_ns=2200)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        rows = done.stdout.splitlines()
        self.assertEqual(rows[0], "r, class 3: highest 40,000 B; threshold 30,000 B (===); limit 200,000 B")
        self.assertIn("*", rows[1])
        self.assertTrue(any("====" in row for row in rows))


if __name__ == "__main__":
    unittest.main()
