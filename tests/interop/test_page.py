#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The page of the switch: what its feed says, what it costs, and what a browser makes of it. Virtual devices: a capture file is
switched into a slow port. Needs no root. What needs a browser is left out without chromium, chromedriver and Selenium.

test_page.py --fastcn PROGRAM [--pictures DIRECTORY] [unittest options]
"""

import glob
import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import testbed

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    webdriver = None

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CAPTURE = os.path.join(ROOT, "tests/data/talkers.pcap")
POLICY = "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

CONFIG = """
port add in device net_pcap0
port add out device net_null0
set port out rate 20M
set port in class-trust on
set port out class-trust on
bridge add br0
bridge br0 port add in
bridge br0 port add out
set queue out class 3 detector step 10K leave 5K
set queue out class 3 limit 30K
set queue out class 3 ecn on
set queue out class 5 notify on
set loopback 2001:db8:f::5
set notify interval 1us
set notify fast-cnp on
set queue out class 3 notify on
"""


def no_browser():
    """Why there is none; None when there is one."""
    missing = [t for t in ("chromium", "chromedriver") if shutil.which(t) is None]
    if webdriver is None:
        missing.append("python3-selenium")
    return "needs " + ", ".join(missing) if missing else None


class Switch(testbed.Switch):
    """It has its configuration by lines, and forwards after `start`."""

    def __init__(self, directory, port=0, endless=False, more_ports=0):
        more = range(1, more_ports + 1)
        capture = f"net_pcap0,rx_pcap={CAPTURE}," + ("infinite_rx=1" if endless else "tx_pcap=/dev/null")
        super().__init__(directory, None, "--metrics", str(port), own_console=True,
                         eal_options=("--no-telemetry", f"--file-prefix=fcn{os.getpid()}"),
                         vdevs=(capture, "net_null0,no-rx=1", *(f"net_null{n},no-rx=1" for n in more)))
        lines = CONFIG.strip().splitlines()
        lines[2:2] = [line for n in more for line in (f"port add q{n} device net_null{n}", f"set port q{n} class-trust on")]
        lines += [f"set queue q{n} class {c} detector step 10K leave 5K" for n in more for c in range(8)]
        for line in ("set worker idle sleep 1ms", *lines):
            said = self.say(line)
            if [x for x in said.splitlines() if not x.startswith("warning: ")]:
                raise RuntimeError(f"{line}: {said}")

    def port(self):
        return int(self.json("show export")["metrics"]["listen"].rsplit(":", 1)[1])

    def hold(self):
        """Forward until there was congestion, and hold still: nothing that is shown changes any more."""
        self.say("start")
        testbed.wait_until(lambda: self.json("show notify")["total"]["sent"] > 0)
        self.say("stop")
        time.sleep(2.2)  # the rates are those of a second


def ask(port, path="/feed", **headers):
    c = http.client.HTTPConnection("127.0.0.1", port, timeout=15)
    try:
        c.request("GET", path, headers={k.replace("_", "-"): v for k, v in headers.items()})
        r = c.getresponse()
        return r.status, dict(r.getheaders()), r.read()
    finally:
        c.close()


def rows(table):
    return [dict(zip(table["columns"], row)) for row in table["rows"]]


class Tests(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="fcn-page-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def switch(self, **arguments):
        switch = Switch(self.directory, **arguments)
        self.addCleanup(switch.end)
        if switch.port() == 0:
            self.skipTest("built without libmicrohttpd")
        return switch


class Feed(Tests):
    def feed(self, switch):
        status, _, body = ask(switch.port())
        self.assertEqual(status, 200)
        return json.loads(body)

    def check_table(self, table, shown):
        """The rows are those of a show, with all their members."""
        self.assertEqual(rows(table), [{c: row.get(c) for c in table["columns"]} for row in shown])
        self.assertEqual({c for row in shown for c in row}, set(table["columns"]))

    def test_values(self):
        """At a quiet moment, they are those of the shows."""
        switch = self.switch()
        switch.hold()
        feed = self.feed(switch)
        queues = {(q["port"], q["class"]): q for q in switch.json("show queue all")}
        of_interest = [q for q in queues.values()
                       if q["packets"] or q["dropped"] or q["notify"] or q["ecn"] or q["detector"] != "off"]
        self.assertEqual([(q["port"], q["class"]) for q in rows(feed["queues"])],
                         [(q["port"], q["class"]) for q in of_interest])
        for q in rows(feed["queues"]):
            shown = queues[q["port"], q["class"]]
            for name in q:
                if name in shown:
                    self.assertEqual(q[name], shown[name], (q, name))
            self.assertEqual({n for n in q if n not in shown},
                             {"threshold_bytes", "rate_bps", "dropped_per_s", "ce_marked_per_s", "notices_per_s"})
        out = [q for q in rows(feed["queues"]) if (q["port"], q["class"]) == ("out", 3)][0]
        self.assertEqual((out["threshold_bytes"], out["limit_bytes"]), (10_000, 30_000))
        self.assertGreater(out["dropped"], 0)
        self.assertGreater(out["ce_marked"], 0)
        sums = {}
        for row in switch.json("show notify")["verdicts"]:
            key = row["kind"], row["outcome"], row["verdict"]
            sums[key] = sums.get(key, 0) + row["packets"]
        self.assertEqual({(r["kind"], r["outcome"], r["verdict"]): r["packets"] for r in rows(feed["verdicts"])}, sums)
        self.assertGreater(len(sums), 0)
        reasons = {}
        for row in switch.json("show drops"):
            reasons[row["reason"]] = reasons.get(row["reason"], 0) + row["packets"]
        self.assertEqual({r["reason"]: r["packets"] for r in rows(feed["drops"])}, reasons)
        self.assertIn("queue_bytes", reasons)
        self.check_table(feed["flows"], switch.json("show flows limit 20"))
        self.check_table(feed["missing"], switch.json("show notify missing"))
        self.check_table(feed["warnings"], switch.json("show warnings")["warnings"])
        self.check_table(feed["events"], switch.json("show events")["events"][-40:])
        self.assertEqual(feed["status"], switch.json("show status"))
        self.assertEqual({r["port"]: r["state"] for r in rows(feed["ports"])},
                         {p["port"]: p["state"] for p in switch.json("show port")})
        self.assertTrue(rows(feed["flows"]) and rows(feed["missing"]) and rows(feed["events"]))
        # the clock of its events
        last = rows(feed["events"])[-1]
        self.assertLess(abs(feed["epoch_ms"] + last["time_ns"] / 1e6 - 1000 * time.time()), 60_000)

    def test_once(self):
        """All get the same bytes within a second; who has them is told so; asking changes nothing but the count of requests."""
        switch = self.switch()
        switch.hold()
        port = switch.port()
        before = switch.json("show queue all"), switch.json("show notify"), switch.json("show drops")
        answers = [ask(port) for _ in range(5)]
        self.assertEqual({a[0] for a in answers}, {200})
        self.assertEqual(len({a[2] for a in answers}), 1)
        etag = answers[0][1]["ETag"]
        status, headers, body = ask(port, If_None_Match=etag)
        self.assertEqual((status, headers["ETag"], body), (304, etag, b""))
        time.sleep(1.1)
        # made again, and the same, as nothing happened
        self.assertEqual(ask(port, If_None_Match=etag)[0], 304)
        self.assertEqual(ask(port, If_None_Match='"0"')[0], 200)
        self.assertEqual(switch.json("show export")["metrics"]["feeds"], 8)
        after = switch.json("show queue all"), switch.json("show notify"), switch.json("show drops")
        for q in before[0] + after[0]:
            del q["occ_avg"]
        self.assertEqual(before, after)
        switch.say("clear counters")
        time.sleep(1.1)
        self.assertEqual(ask(port, If_None_Match=etag)[0], 200)

    def test_files(self):
        """They come with their type, and a policy that allows nothing from elsewhere; who calls by a strange name gets none."""
        port = self.switch().port()
        for path, kind in (("/", "text/html; charset=utf-8"), ("/page.css", "text/css; charset=utf-8"),
                           ("/page.js", "text/javascript; charset=utf-8"), ("/icon.svg", "image/svg+xml")):
            status, headers, body = ask(port, path)
            self.assertEqual((status, headers["Content-Type"], headers["Content-Security-Policy"]), (200, kind, POLICY))
            self.assertEqual(headers["X-Content-Type-Options"], "nosniff")
            name = "index.html" if path == "/" else path[1:]
            with open(os.path.join(ROOT, "lib/export/page", name), "rb") as f:
                self.assertEqual(body, f.read())
            self.assertEqual(ask(port, path, If_None_Match=headers["ETag"])[0::2], (304, b""))
        for path in ("/index.html", "/page", "/feed/", "/page.css/", "/../etc/passwd"):
            self.assertEqual(ask(port, path)[0], 404, path)
        for name in ("localhost", f"localhost:{port}", "127.0.0.1", f"127.0.0.1:{port}", "[::1]", f"[::1]:{port}"):
            self.assertEqual(ask(port, Host=name)[0], 200, name)
        for name in ("evil.example", f"evil.example:{port}", "127.0.0.1.evil.example", "[::1].evil", "localhost.evil", "[" * 99):
            self.assertEqual(ask(port, Host=name)[0], 421, name)
            self.assertEqual(ask(port, "/", Host=name)[0], 421, name)
            self.assertEqual(ask(port, "/api/v1/show/version", Host=name)[0], 421, name)
            self.assertEqual(ask(port, "/livez", Host=name)[0], 200, name)
        self.assertEqual(ask(port, "/metrics", Host="evil.example")[0], 200)

    def test_cost(self):
        """Twenty browsers cost little, with as many ports as DPDK has room for, all of whose queues are shown."""
        switch = self.switch(more_ports=30)
        switch.hold()
        switch.say("start")
        port, clients, seconds = switch.port(), 20, 10
        size = len(ask(port)[2])
        counts = [0] * clients

        def client(n, end):
            etag = None
            while time.monotonic() < end:
                status, headers, _ = ask(port, **({"If_None_Match": etag} if etag else {}))
                if status in (200, 304):
                    counts[n] += 1
                    etag = headers["ETag"]
                time.sleep(1.05)

        def used():
            """CPU seconds of each thread that is no worker."""
            seconds = {}
            for path in glob.glob(f"/proc/{switch.process.pid}/task/*"):
                with open(path + "/comm", encoding="ascii") as name, open(path + "/schedstat", encoding="ascii") as f:
                    if "worker" not in (comm := name.read().strip()):
                        seconds[comm] = seconds.get(comm, 0) + int(f.read().split()[0]) / 1e9
            return seconds

        def measure(n):
            before, end = used(), time.monotonic() + seconds
            threads = [threading.Thread(target=client, args=(i, end)) for i in range(n)]
            for thread in threads:
                thread.start()
                time.sleep(1 / clients)
            time.sleep(max(0, end - time.monotonic()))
            cost = {name: (s - before.get(name, 0)) / seconds for name, s in used().items()}
            for thread in threads:
                thread.join()
            return cost

        alone, with_clients = measure(0), measure(clients)
        by_thread = {name: f"{100 * (s - alone.get(name, 0)):.2f} %" for name, s in with_clients.items()}
        alone, with_clients = sum(alone.values()), sum(with_clients.values())
        print(f"feed of {size} bytes, {sum(counts)} answers in {seconds} s to {clients} clients: "
              f"{100 * (with_clients - alone):.2f} % of a core ({by_thread}; {100 * alone:.2f} % without)", file=sys.stderr)
        self.assertGreater(min(counts), seconds / 3)
        # Four times what it is on a quiet machine: what others do to the caches of a busy one counts in, and sanitizers.
        self.assertLess(with_clients - alone, 0.03 if not is_instrumented(switch) else 0.1)


def is_instrumented(switch):
    with open(f"/proc/{switch.process.pid}/maps", encoding="ascii") as f:
        return "libasan" in f.read()


@unittest.skipIf(no_browser(), no_browser())
class Page(Tests):
    """In one browser, which takes longer to start than a test: each has a window of its own, and what those before left is gone."""

    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory(prefix="fcn-page-browser-")
        cls.addClassCleanup(directory.cleanup)
        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update", "--hide-scrollbars",
                     f"--user-data-dir={directory.name}/browser"):
            options.add_argument(word)
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        environment = {**os.environ, "HOME": directory.name, "XDG_RUNTIME_DIR": directory.name}
        service = Service(shutil.which("chromedriver"), env=environment)
        cls.browser = webdriver.Chrome(options=options, service=service)
        cls.addClassCleanup(cls.browser.quit)

    def setUp(self):
        super().setUp()
        before = self.browser.window_handles
        self.browser.switch_to.new_window("window")
        own = self.browser.current_window_handle
        for window in before:
            self.browser.switch_to.window(window)
            self.browser.close()
        self.browser.switch_to.window(own)
        for kind in ("performance", "browser"):
            self.browser.get_log(kind)
        self.requested = []

    def device(self, width, height, scheme="light"):
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def open(self, port, width=1400, height=1000):
        self.device(width, height)
        self.browser.get(f"http://127.0.0.1:{port}/")
        self.until(lambda: self.text("#state").startswith(("Forwarding", "Not forwarding")))

    def until(self, condition, timeout=15):
        return testbed.wait_until(condition, timeout)

    def js(self, code, *arguments):
        return self.browser.execute_script("return " + code, *arguments)

    def text(self, selector):
        return self.js("(document.querySelector(arguments[0]) || {textContent: ''}).textContent", selector)

    def table(self, name):
        """The rows of a list, as the page has them."""
        return self.js("""(() => {
            const table = document.querySelector('#' + arguments[0] + ' table');
            const names = [...table.tHead.rows[0].cells].map((c) => c.textContent);
            return table.hidden ? [] : [...table.tBodies[0].rows].map((r) => Object.fromEntries(
                [...r.cells].map((c, i) => [names[i], c.textContent.replaceAll('\\u202f', ' ')])));
        })()""", name)

    def cell(self, queue):
        return self.js("""(() => {
            const b = document.querySelector(`button[data-queue="${arguments[0]}"]`);
            return b && [b.closest('td').className, b.querySelector('.value').textContent,
                b.querySelector('.sign').textContent, b.getAttribute('aria-label').replaceAll('\\u202f', ' ')];
        })()""", queue)

    def requests(self):
        """Whatever the browser asked anybody for."""
        for entry in self.browser.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] in ("Network.requestWillBeSent", "Network.webSocketCreated"):
                self.requested.append((message["params"].get("request") or message["params"])["url"])
        return self.requested

    def check_quiet(self):
        """No error, and nothing that the policy forbids; on a busy machine the switch may have had no time once."""
        said = [e["message"] for e in self.browser.get_log("browser") if e["level"] in ("SEVERE", "WARNING")
                and "status of 503" not in e["message"]]
        self.assertEqual(said, [])

    def picture(self, name):
        if testbed.options.pictures:
            self.browser.save_screenshot(os.path.join(testbed.options.pictures, name + ".png"))

    def test_values(self):
        """Values on the page are those of the shows; nothing comes from elsewhere."""
        switch = self.switch()
        switch.hold()
        port = switch.port()
        self.open(port)
        time.sleep(2.5)
        queues = switch.json("show queue all")
        q = [q for q in queues if (q["port"], q["class"]) == ("out", 3)][0]
        said = self.cell("out/3")[3]
        self.assertIn("out class 3: ", said)
        self.assertIn(f"threshold {q['threshold']}", said)
        self.js("document.querySelector('button[data-queue=\"out/3\"]').click()")
        facts = self.js("""Object.fromEntries([...document.querySelectorAll('#queue dl div')].map((d) =>
            [d.firstChild.textContent, d.lastChild.textContent.replaceAll('\\u202f', '')]))""")
        self.assertEqual(facts["Occupancy"], f"{q['occ_last']} B, highest {q['occ_max']} B")
        self.assertEqual(facts["Threshold"], q["threshold"])
        self.assertEqual(facts["Limit"], f"{q['limit_bytes']} B")
        self.assertEqual(facts["Packets"], str(q["packets"]))
        self.assertEqual(facts["Dropped"], f"{q['dropped']}, 0/s")
        self.assertEqual(facts["Marked CE"], f"{q['ce_marked']}, 0/s")
        self.assertEqual(facts["Notices"], f"on, {q['notices']}, 0/s")
        sums = {}
        for row in switch.json("show notify")["verdicts"]:
            sums[row["verdict"]] = sums.get(row["verdict"], 0) + row["packets"]
        self.assertEqual({r["verdict"]: int(r["packets"].replace(" ", "")) for r in self.table("verdicts")}, sums)
        drops = {}
        for row in switch.json("show drops"):
            drops[row["reason"]] = drops.get(row["reason"], 0) + row["packets"]
        self.assertEqual({r["reason"]: int(r["packets"].replace(" ", "")) for r in self.table("drops")}, drops)
        flows = switch.json("show flows")
        self.assertEqual([(r["sender"], r["flow"], int(r["notices"].replace(" ", ""))) for r in self.table("flows")][:10],
                         [(f["sender"], f["flow"], f["notices"]) for f in flows])
        missing = switch.json("show notify missing")
        self.assertEqual([(r["port"], r["class"], r["missing"], r["help"]) for r in self.table("missing")],
                         [(m["port"], str(m["class"]), m["missing"], m["help"]) for m in missing])
        events = switch.json("show events")["events"][-40:]
        self.assertEqual([r["event"] for r in self.table("events")], [e["event"] for e in reversed(events)])
        self.assertTrue(missing and flows and events and drops and sums)
        urls = self.requests()
        self.assertGreater(len(urls), 5)
        self.assertEqual([u for u in urls if not u.startswith((f"http://127.0.0.1:{port}/", "data:", "chrome:"))], [])
        self.check_quiet()

    def test_rates(self):
        """A table that is shown again keeps its rate; the next one has it by when both were made, and what has not grown has none."""
        self.open(self.switch().port())
        seen = self.browser.execute_async_script("""
            const done = arguments[0];
            import('/tables.js').then(({Table}) => {
                const t = new Table(document.createElement('div'), {caption: 'x', empty: 'x', key: ['name'], counter: 'packets'});
                done([[0, 1000], [3000, 4000], [3000, 4000], [6000, 7000], [6000, 8000], [10, 9000]].map(([packets, made]) => {
                    t.update({columns: ['name', 'packets'], rows: [['a', packets]]}, {made});
                    return t.body.rows[0].cells[2].textContent;
                }));
            });""")
        self.assertEqual([x.replace("\u202f", "").replace(" ", "") for x in seen], ["-", "1K/s", "1K/s", "1K/s", "-", "-"])

    def test_load(self):
        """A queue that is congested says so by class and by text; on a phone nothing is wider than the screen."""
        switch = self.switch(endless=True, more_ports=6)
        # what nobody has a MAC address for goes to all ports of the bridge, the slower the more congested
        for n, rate in enumerate(("100M", "5G", "50M", "5G", "10M", "5G"), 1):
            for line in (f"bridge br0 port add q{n}", f"set port q{n} rate {rate}", f"set queue q{n} class 3 limit 200K",
                         f"set queue q{n} class 3 ecn on", f"set queue q{n} class 3 notify on"):
                switch.say(line)
        switch.say("start")
        self.open(switch.port())
        seen = self.until(lambda: (c := self.cell("out/3")) and ("s-dropping" in c[0] or "s-congested" in c[0]) and c)
        self.assertRegex(seen[0], r"^h[4-8] s-(congested|dropping)$")
        self.assertRegex(seen[2], "^[\u25b2\u2715]")
        self.assertRegex(seen[3], "(congested|dropping packets), ")
        self.until(lambda: self.text("#tiles > div:nth-child(6) dd") > "1")
        self.assertRegex(self.browser.title, r"^\([1-9]\d*\) ")
        self.until(lambda: any(r["per s"] != "-" for r in self.table("verdicts")))
        time.sleep(testbed.options.pictures and 45 or 2)
        for scheme in ("light", "dark"):
            for name, width, height in (("desktop", 1400, 1000), ("phone", 360, 740)):
                self.device(width, height, scheme)
                time.sleep(0.5)
                self.assertLessEqual(self.js("document.documentElement.scrollWidth"), width, name)
                wide = self.js("""[...document.querySelectorAll('body *')].filter((e) => {
                    const box = e.getBoundingClientRect();
                    return box.width > 1 && box.right > innerWidth + 1 && !e.closest('#map');
                }).map((e) => e.outerHTML.slice(0, 80))""")
                self.assertEqual(wide, [], name)
                self.picture(f"{name}-{scheme}")
        self.check_quiet()

    def test_keyboard(self):
        """Tab leads to the map, arrows through it, Enter shows a queue; what has the focus has an outline."""
        switch = self.switch()
        switch.hold()
        self.open(switch.port())
        focus = lambda: self.js("document.activeElement.dataset.queue || document.activeElement.id || "
                                "document.activeElement.className")
        self.until(lambda: self.cell("out/3"))
        order = []
        for _ in range(12):
            self.browser.switch_to.active_element.send_keys(Keys.TAB)
            order.append(focus())
            if "/" in order[-1]:
                break
        self.assertEqual(order[:4], ["skip", "pause", "which", "map"])
        self.assertRegex(order[-1], "/")
        outline = self.js("getComputedStyle(document.activeElement).outlineWidth")
        self.assertEqual(outline, "3px")
        at = order[-1]
        reached = set()
        for key in (Keys.ARROW_RIGHT, Keys.ARROW_DOWN, Keys.ARROW_LEFT, Keys.ARROW_UP):
            self.browser.switch_to.active_element.send_keys(key)
            reached.add(focus())
        self.assertTrue(reached - {at})
        self.assertEqual([q for q in reached if "/" not in q], [])
        self.browser.switch_to.active_element.send_keys(Keys.ENTER)
        self.until(lambda: self.text("#queue-title") != "")
        port, number = focus().split("/")
        self.assertEqual(self.text("#queue-title"), f"Queue of {port}, class {number}")
        # what a screen reader goes by
        self.assertEqual(self.js("[...document.querySelectorAll('table')].filter((t) => !t.caption || !t.tHead).length"), 0)
        self.assertEqual(self.js("[...document.querySelectorAll('th')].filter((t) => !t.scope).length"), 0)
        self.assertEqual(self.js("[...document.querySelectorAll('[role=status], [aria-live]')].map((e) => e.id)"), ["state"])
        self.assertEqual(self.js("document.documentElement.lang"), "en")

    def test_restart(self):
        """When the switch ends, the page says since when; when there is one again, it goes on."""
        switch = self.switch()
        port = switch.port()
        switch.say("start")
        self.open(port)
        self.until(lambda: self.text("#state").startswith("Forwarding"))
        switch.end()
        self.until(lambda: self.text("#state").startswith("No answer since "), 20)
        self.assertIn("old", self.js("document.body.className"))
        again = self.switch(port=port)
        self.until(lambda: self.text("#state").startswith("Not forwarding"), 30)
        again.hold()
        self.until(lambda: any(r["verdict"].startswith("sent") for r in self.table("verdicts")), 20)
        self.assertNotIn("old", self.js("document.body.className"))

    def test_paused(self):
        """A page that is paused asks for nothing."""
        switch = self.switch()
        self.open(switch.port())
        self.js("document.getElementById('pause').click()")
        time.sleep(0.5)
        before = switch.json("show export")["metrics"]["feeds"]
        time.sleep(3)
        self.assertEqual(switch.json("show export")["metrics"]["feeds"], before)
        self.js("document.getElementById('pause').click()")
        self.until(lambda: switch.json("show export")["metrics"]["feeds"] > before)


def main():
    testbed.options.pictures = None
    if "--pictures" in sys.argv:
        at = sys.argv.index("--pictures")
        testbed.options.pictures = os.path.abspath(sys.argv[at + 1])
        del sys.argv[at:at + 2]
    return testbed.main(__doc__)


if __name__ == "__main__":
    sys.exit(main())
