#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Reports of a replay, of a run of the lab and of a sweep, in a browser: what the pointer and the keys say is read back from the page, and
compared with what an oracle here finds in the files of the run. Skipped where there is no chromium, or no Selenium.

test_browser.py FASTCN FASTCN_LAB
"""

import csv
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    from selenium import webdriver
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
    from selenium.webdriver.support.ui import WebDriverWait
except ImportError:
    webdriver = None

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FASTCN, LAB = (os.path.abspath(sys.argv.pop(1)) for _ in range(2)) if len(sys.argv) > 2 else (None, None)
PORTS = ("h1", "h2", "h3", "h4", "receiver")


def missing():
    if webdriver is None:
        return "no Selenium (Debian: python3-selenium)"
    return None if shutil.which("chromium") and shutil.which("chromedriver") else "no chromium (Debian: chromium, chromium-driver)"


def browser():
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium")
    for word in ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "window-size=1400,1000", "force-color-profile=srgb"):
        options.add_argument("--" + word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=webdriver.chrome.service.Service(shutil.which("chromedriver")), options=options)


def replay_rows(path):
    with open(path, encoding="utf-8") as f:
        return [{**row, "time": int(row["time_ns"])} for row in csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE)]


def level_in(points, begin, end):
    """The least and the greatest of a number from begin on and before end; points are (time, value)."""
    before = [v for t, v in points if t < begin]
    values = [v for t, v in points if begin <= t < end]
    if not any(t == begin for t, _ in points):
        values.append(before[-1] if before else 0)
    return min(values), max(values)


class Reports(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        why = missing()
        if why:
            raise unittest.SkipTest(why)
        cls.folder = tempfile.TemporaryDirectory(prefix="fcn-report-")
        cls.addClassCleanup(cls.folder.cleanup)
        os.environ["HOME"] = cls.folder.name  # where the browser keeps what it keeps
        try:
            cls.browser = browser()
        except WebDriverException as e:
            raise unittest.SkipTest("chromium does not start: %s" % str(e).splitlines()[0]) from e
        cls.addClassCleanup(cls.browser.quit)
        # A queue with too little room, so that there are drops.
        command = [FASTCN, "replay", os.path.join(ROOT, "config/incast.conf"), "--speed", "200", "--quiet", "--before", "set queue receiver class 3 limit 100K",
                   "--series", cls.path("series.tsv"), "--json", cls.path("report.json"), "--report", cls.path("replay.html")]
        for port in PORTS:
            command += ["--in", "%s=%s" % (port, os.path.join(ROOT, "tests/data/incast-%s.pcap" % port))]
        subprocess.run(command, check=True)
        cls.rows = replay_rows(cls.path("series.tsv"))

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def open(self, name, part=""):
        self.browser.get("about:blank")
        self.browser.get("file://" + self.path(name) + part)
        if self.browser.find_elements(By.ID, "data"):
            WebDriverWait(self.browser, 60).until(lambda b: b.find_elements(By.CSS_SELECTOR, "body[data-ready=yes]"))

    def tearDown(self):
        if self.browser.current_url.startswith("file:"):
            self.assertEqual([entry["message"] for entry in self.browser.get_log("browser")], [])
            self.assertEqual(self.browser.execute_script("return performance.getEntriesByType('resource').map(e => e.name)"), [])

    def said(self):
        """What is said of the place of the cursor: its span, and {key: numbers}. Numbers are those that are written."""
        tip = self.browser.find_element(By.ID, "tip")
        levels, counts = {}, {}
        for row in tip.find_elements(By.TAG_NAME, "tr"):
            data = {name: row.get_attribute("data-" + name) for name in ("series", "panel", "row", "part")}
            numbers = [int(re.sub(r"\D", "", text)) for text in row.find_element(By.TAG_NAME, "td").text.split(" to ")]
            if data["series"] is not None:
                levels[data["series"]] = (numbers[0], numbers[-1])
            else:
                counts[data["panel"], data["row"], data["part"]] = numbers[0]
        span = [int(re.sub(r"\D", "", text)) for text in tip.find_element(By.TAG_NAME, "caption").text.split(" to ")]
        return span, levels, counts

    def shown_queues(self):
        return [h.text for h in self.browser.find_elements(By.CSS_SELECTOR, '.panel[data-of="queues"]:not([hidden]) h3')]

    def expected(self, begin, end):
        """What the series has from begin on and before end, for the queues that are shown."""
        shown, levels, counts = self.shown_queues(), {}, {}
        for name in shown:
            port, _, number = name.partition(", class ")
            mine = [row for row in self.rows if (row["port"], row["class"]) == (port, number)]
            levels[name] = level_in([(row["time"], int(row["bytes"])) for row in mine if row["what"] == "occupancy"], begin, end)
            for row in mine:
                if row["what"] == "occupancy" or not begin <= row["time"] < end:
                    continue
                key = {"notice": (row["kind"] + " " + row["name"], "level " + row["level"]), "verdict": (row["kind"] + " " + row["name"], ""),
                       "drop": ("dropped: " + row["name"], "")}[row["what"]]
                counts[(name,) + key] = counts.get((name,) + key, 0) + int(row["packets"])
        for row in self.rows:
            if row["what"] == "notice" and begin <= row["time"] < end:
                key = "Notices by flow", "%(sender)s > QP %(dest_qp)s of %(receiver)s" % row, ""
                counts[key] = counts.get(key, 0) + int(row["packets"])
        return levels, counts

    def assert_true_here(self):
        (begin, end), levels, counts = self.said()
        self.assertLess(begin, end)
        self.assertEqual((levels, counts), self.expected(begin, end))
        return counts

    def test_hover(self):
        """What is said where the pointer is, in the whole run and closer, is what the series has."""
        seen = 0
        for part in ("", "#from=10000&to=60000", "#from=74000&to=75500"):
            self.open("replay.html", part)
            canvas = self.browser.find_element(By.CSS_SELECTOR, ".panel:not([hidden]) canvas")
            wide = canvas.size["width"]
            for where in (-0.35, -0.2, -0.05, 0.1, 0.25, 0.4):
                ActionChains(self.browser).move_to_element_with_offset(canvas, int(where * wide), 0).perform()
                seen += sum(self.assert_true_here().values())
        self.assertGreater(seen, 10)

    def test_many(self):
        """Of 300,000 changes, what is said of a place covers slices, and is exact all the same; the peak is found."""
        chance, now, held, top = random.Random(11), 0, 0, 0
        with open(self.path("many.tsv"), "w", encoding="utf-8") as f:
            f.write("time_ns\twhat\tport\tclass\tbytes\tlevel\tpackets\tkind\tname\tsender\treceiver\tdest_qp\n")
            for k in range(300_000):
                now += chance.randrange(1, 90)
                held = max(0, held + chance.randrange(-1500, 1501)) + (10 ** 6 if k == 123_457 else -10 ** 6 if k == 123_458 else 0)
                top = max(top, held)
                f.write("%d\toccupancy\tr\t3\t%d\t\t\t\t\t\t\t\n" % (now, held))
                if k % 7 == 0:
                    f.write("%d\tnotice\tr\t3\t%d\t%d\t1\tfast_cnp\tsent_option1\ts\tr\t1\n" % (now, held, k % 3))
                if k % 31 == 0:
                    f.write("%d\tdrop\tr\t3\t\t\t%d\t\tqueue_bytes\t\t\t\n" % (now, 1 + k % 2))
        with open(self.path("many.json"), "w", encoding="utf-8") as f:
            json.dump({"virtual_ns": now}, f)
        program = os.path.join(os.path.dirname(LAB), "results/lab-results")
        subprocess.run([sys.executable, program, LAB, "report", "replay", self.path("many.json"), self.path("many.tsv"), self.path("many.html")], check=True)
        self.rows, seen = replay_rows(self.path("many.tsv")), 0
        for part in ("", "#from=6000000&to=6020000", "#from=7000100&to=7000900"):
            self.open("many.html", part)
            self.assertFalse(self.browser.execute_script("return picture.data.exact"))
            canvas = self.browser.find_element(By.CSS_SELECTOR, ".panel canvas")
            for where in (-0.3, 0, 0.35):
                ActionChains(self.browser).move_to_element_with_offset(canvas, int(where * canvas.size["width"]), 0).perform()
                seen += sum(self.assert_true_here().values())
        self.assertGreater(seen, 100)
        self.browser.find_element(By.ID, "plots").send_keys("p")
        self.assert_true_here()
        self.assertEqual(self.said()[1]["r, class 3"][1], top)

    def test_keys(self):
        """By keys alone: to each notice in turn, to the peak, to drops; closer; and away."""
        self.open("replay.html")
        plots = self.browser.find_element(By.ID, "plots")
        plots.send_keys("p")
        top = max(int(row["bytes"]) for row in self.rows if row["what"] == "occupancy")
        (begin, end), levels, _ = self.said()
        self.assertEqual((end - begin, levels["receiver, class 3"]), (1, (top, top)))
        plots.send_keys(Keys.HOME)
        shown = self.shown_queues()
        times = sorted({row["time"] for row in self.rows if row["what"] == "notice" and "%(port)s, class %(class)s" % row in shown})
        for moment in times[:5]:
            plots.send_keys("n")
            self.assertEqual(self.said()[0], [moment, moment + 1])
            self.assertTrue(self.assert_true_here())
        plots.send_keys("N")
        self.assertEqual(self.said()[0][0], times[3])
        plots.send_keys("d")
        drops = sorted({row["time"] for row in self.rows if row["what"] == "drop" and row["time"] > times[3]})
        self.assertEqual(self.said()[0][0], drops[0])
        plots.send_keys("+++")
        self.assert_true_here()
        whole = self.browser.execute_script("return picture.data.end")
        self.assertAlmostEqual(self.view()[1] - self.view()[0], whole / 8, delta=2)
        plots.send_keys(Keys.ARROW_RIGHT)
        self.assert_true_here()
        plots.send_keys("0")
        self.assertEqual(self.view(), [0, whole])
        plots.send_keys(Keys.ESCAPE)
        self.assertFalse(self.browser.find_element(By.ID, "tip").is_displayed())

    def view(self):
        return self.browser.execute_script("return picture.view")

    def test_zoom(self):
        """By dragging; back by a double click; with buttons; a part by the page's address."""
        self.open("replay.html")
        canvas = self.browser.find_element(By.CSS_SELECTOR, ".panel:not([hidden]) canvas")
        begin, end = self.view()
        ActionChains(self.browser).move_to_element_with_offset(canvas, -200, 0).click_and_hold().move_by_offset(150, 0).release().perform()
        low, high = self.view()
        per = (end - begin) / (canvas.size["width"] - 58 - 12)
        self.assertAlmostEqual(high - low, 150 * per, delta=2 * per)
        self.assertIn("#from=%d&to=%d" % (round(low), round(high)), self.browser.current_url)
        ActionChains(self.browser).double_click(canvas).perform()
        self.assertEqual(self.view(), [begin, end])
        self.browser.find_element(By.ID, "closer").click()
        self.assertAlmostEqual(self.view()[1] - self.view()[0], (end - begin) / 2, delta=2)
        self.open("replay.html", "#from=100&to=5000")
        self.assertEqual(self.view(), [100, 5000])

    def pixels(self, panel):
        """How often each colour is in a picture."""
        return self.browser.execute_script("""
            const canvas = document.querySelectorAll(".panel:not([hidden]) canvas")[arguments[0]];
            const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data, found = {};
            for (let i = 0; i < data.length; i += 4) {
                const key = data.slice(i, i + 4).join(",");
                found[key] = (found[key] || 0) + 1;
            }
            return found;""", panel)

    def colour(self, name):
        """A colour of the page, as pixels have it."""
        return self.browser.execute_script("""
            const c = document.createElement("canvas").getContext("2d");
            c.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--" + arguments[0]);
            c.fillRect(0, 0, 1, 1);
            return c.getImageData(0, 0, 1, 1).data.join(",");""", name)

    def test_light_and_dark(self):
        """The queue is drawn in colours of the scheme, with its threshold and its limit; text can be read (WCAG: 4.5 to 1)."""
        def bright(colour):
            parts = [int(c) / 255 for c in colour.split(",")[:3]]
            return sum(w * (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4) for w, c in zip((0.2126, 0.7152, 0.0722), parts))
        grounds = []
        for scheme in ("light", "dark"):
            self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
            self.open("replay.html")
            found = self.pixels(0)
            for name, least in (("fill", 10000), ("accent", 500), ("threshold", 100), ("limit", 100), ("level3", 5)):
                self.assertGreater(found.get(self.colour(name), 0), least, (scheme, name))
            grounds.append(bright(self.colour("ground")))
            for name in ("text", "soft", "accent", "threshold", "drop"):
                light, dark = sorted((bright(self.colour(name)), grounds[-1]), reverse=True)
                self.assertGreater((light + 0.05) / (dark + 0.05), 4.5, (scheme, name))
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
        self.assertGreater(grounds[0], 0.9)
        self.assertLess(grounds[1], 0.05)

    def test_narrow(self):
        """On a telephone nothing is wider than the screen."""
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 800, "deviceScaleFactor": 2, "mobile": True})
        try:
            self.open("replay.html")
            self.assertEqual(self.browser.execute_script("return document.documentElement.scrollWidth"), 390)
            self.assertGreater(self.pixels(0).get(self.colour("fill"), 0), 1000)
        finally:
            self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    def test_queues_and_tables(self):
        """A queue that is ticked comes into the picture; a column that is clicked sorts its table; totals are those of the report."""
        self.open("replay.html")
        before = self.shown_queues()
        self.browser.find_element(By.TAG_NAME, "summary").click()
        box = next(b for b in self.browser.find_elements(By.CSS_SELECTOR, ".choices input") if not b.is_selected())
        box.click()
        self.assertEqual(len(self.shown_queues()), len(before) + 1)
        with open(self.path("report.json"), encoding="utf-8") as f:
            report = json.load(f)
        tables = {h.text: t for h, t in zip(self.browser.find_elements(By.TAG_NAME, "h2"), self.browser.find_elements(By.TAG_NAME, "table"))}
        table = tables["Notices by kind and verdict"]
        cells = [[td.text for td in row.find_elements(By.TAG_NAME, "td")] for row in table.find_elements(By.CSS_SELECTOR, "tbody tr")]
        self.assertEqual([(c[4], int(re.sub(r"\D", "", c[5]))) for c in cells], [(v["verdict"], v["packets"]) for v in report["notify"]["verdicts"]])
        table = tables["Flows by notices"]
        heads = table.find_elements(By.TAG_NAME, "th")
        at = [h.text for h in heads].index("first, ns")
        self.browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", table)
        heads[at].find_element(By.TAG_NAME, "button").click()
        column = [int(re.sub(r"\D", "", row.find_elements(By.TAG_NAME, "td")[at].text)) for row in table.find_elements(By.CSS_SELECTOR, "tbody tr")]
        self.assertEqual(column, sorted(column, reverse=True))
        self.assertEqual(column[0], max(flow["first_ns"] for flow in report["flows"]))

    def test_lab(self):
        """A run of the lab: queue, notices, rates and goodput, as series.csv has them."""
        scenario = os.path.join(ROOT, "config/lab/x2-incast.lab")
        subprocess.run([LAB, scenario, "--quiet", "--no-plots", "--out", self.path("run"), "--report", self.path("lab.html")], check=True)
        series = {}
        with open(self.path("run/series.csv"), encoding="utf-8") as f:
            for row in csv.DictReader(f):
                series.setdefault((row["what"], row["where"]), []).append((int(row["time_ns"]), int(row["value"])))
        end = max(t for points in series.values() for t, _ in points)
        seen = 0
        for part in ("", "#from=2000&to=%d" % (end // 4)):
            self.open("lab.html", part)
            canvas = self.browser.find_element(By.CSS_SELECTOR, ".panel canvas")
            for where in (-0.4, -0.3, -0.1, 0.2, 0.4):
                ActionChains(self.browser).move_to_element_with_offset(canvas, int(where * canvas.size["width"]), 0).perform()
                (begin, to), levels, counts = self.said()
                for name, found in levels.items():
                    points = series.get(("queue", name)) or series.get(("rate", name)) or next(p for (what, _), p in series.items() if what == "goodput")
                    if name == "goodput of all" or points[0][0] > begin:
                        continue  # has no number before its first one
                    self.assertEqual(found, level_in(points, begin, to), name)
                for (panel, row, part), n in counts.items():
                    if row == "Fast CNPs made":
                        self.assertEqual(n, sum(begin <= t < to and "level %d" % v == part for t, v in series["notice", panel]))
                        seen += n
                    elif panel.startswith("Fast CNPs accepted"):
                        self.assertEqual(n, sum(begin <= t < to for t, _ in series["accepted", row]))
        self.assertGreater(seen, 0)

    def test_sweep(self):
        """A sweep: what is said of a point is what the table of the sweep has."""
        scenario = os.path.join(ROOT, "config/lab/x2-incast.lab")
        done = subprocess.run([LAB, "sweep", scenario, "--vary", "N=2,4", "--vary", "mode=cnp,fastcnp", "--metric", "peak", "--metric", "notices.accepted", "--json", "-",
                               "--report", self.path("sweep.html")], check=True, stdout=subprocess.PIPE, text=True)
        rows = json.loads(done.stdout)
        self.open("sweep.html")
        points = self.browser.find_elements(By.CSS_SELECTOR, "g[data-metric]")
        self.assertEqual(len(points), 8)
        for point in points:
            self.browser.execute_script("arguments[0].focus()", point)
            said = self.browser.find_element(By.ID, "tip").text.split("\n")
            row = next(r for r in rows if "N = " + r["N"] == said[0] and "mode=" + r["mode"] == said[1])
            metric, value = said[2].split(": ")
            self.assertEqual(row[metric], int(value))


if __name__ == "__main__":
    unittest.main()
