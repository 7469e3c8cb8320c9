#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What a live switch tells other programs: metrics over HTTP, telemetry, the log of events; and what hostile clients
can do to it. Virtual devices: a capture file is switched into a slow port. Needs no root.

test_exports.py --fastcn PROGRAM [unittest options]
"""

import fcntl
import glob
import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import openmetrics
import testbed

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CAPTURE = os.path.join(ROOT, "tests/data/talkers.pcap")
DASHBOARD = os.path.join(ROOT, "config/grafana-fastcn.json")

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
set loopback 2001:db8:f::5
set notify interval 1us
set notify fast-cnp on
set queue out class 3 notify on
set pfc in class 4 send on
set buffer size 10M
"""

# As the declarations name them: what show they come from, and what tells rows apart.
SHOWS = {"port": ("port",), "drops": ("port", "reason"), "queue": ("port", "class"), "notify":
         ("port", "class", "kind", "outcome", "verdict")}


class Switch(testbed.Switch):
    """It has no configuration from a file, but by lines; its run time directory is its own."""

    def __init__(self, directory, *options, more_ports=0):
        self.directory = directory
        os.makedirs(os.path.join(directory, "run"), exist_ok=True)
        more = range(1, more_ports + 1)
        super().__init__(directory, None, *options, own_console=True, eal_options=(f"--file-prefix=fcn{os.getpid()}",),
                         vdevs=(f"net_pcap0,rx_pcap={CAPTURE},tx_pcap=/dev/null", "net_null0,no-rx=1",
                                *(f"net_null{n},no-rx=1" for n in more)),
                         env={"RUNTIME_DIRECTORY": os.path.join(directory, "run")})
        lines = CONFIG.strip().splitlines()
        lines[2:2] = [line for n in more for line in (f"port add q{n} device net_null{n}", f"set port q{n} class-trust on")]
        for line in lines:
            said = self.say(line)
            if said:
                raise RuntimeError(f"{line}: {said}")

    def switch_all(self):
        """Forward until the capture is through, then hold still: what is shown does not change any more."""
        self.say("start")
        end, last = time.monotonic() + 15, None
        while time.monotonic() < end:
            now = self.json("show port")[0]["rx_packets"]
            if now == last and now > 0:
                break
            last = now
            time.sleep(0.1)
        self.say("stop")
        return last

    def port(self):
        return int(self.json("show export")["metrics"]["listen"].rsplit(":", 1)[1])

    def telemetry(self, command):
        path = glob.glob(os.path.join(self.directory, "run", "**", "dpdk_telemetry.v2*"), recursive=True)[0]
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as s:
            s.settimeout(10)
            s.connect(path)
            room = json.loads(s.recv(1024))["max_output_len"]
            s.send(command.encode())
            answer = json.loads(s.recv(room))
        return answer[command.split(",")[0]]

    def memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as f:
            return int(re.search(r"VmRSS:\s+(\d+)", f.read())[1])

    def is_instrumented(self):
        with open(f"/proc/{self.process.pid}/maps", encoding="ascii") as f:
            return "libasan" in f.read()



def scrape(port, path="/metrics", method="GET", address="127.0.0.1", **headers):
    c = http.client.HTTPConnection(address, port, timeout=15)
    try:
        c.request(method, path, headers=headers)
        r = c.getresponse()
        return r.status, r.getheader("Content-Type"), r.read().decode()
    finally:
        c.close()


def as_telemetry(value):
    """What telemetry has of a JSON value."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float):
        return f"{value:.9g}"
    if isinstance(value, str) and len(value) > 127:
        return value[:124] + "..."
    if isinstance(value, dict):
        return {k: as_telemetry(v) for k, v in value.items() if v is not None}
    if isinstance(value, list) and value and isinstance(value[0], (dict, list)):
        return {str(i): as_telemetry(v) for i, v in enumerate(value)}
    return value


def without_time(value):
    """Without what changes as time goes by."""
    if isinstance(value, dict):
        return {k: without_time(v) for k, v in value.items() if k not in ("occ_avg", "rx_bps", "tx_bps")}
    return value


def declared():
    """Names of metrics, as the program lists them."""
    page = testbed.run(testbed.options.fastcn, "reference", "metrics")
    return {m[1]: m[2] for m in re.finditer(r"^\| `(fastcn_\w+)` \| (\w+) \|", page, re.MULTILINE)}


class Exports(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="fcn-exports-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name

    def switch(self, *options, **arguments):
        switch = Switch(self.directory, *options, **arguments)
        self.addCleanup(switch.end)
        return switch

    def metrics_switch(self):
        switch = self.switch("--metrics", "0")
        if switch.port() == 0:
            self.skipTest("built without libmicrohttpd")
        return switch

    def path(self, name):
        return os.path.join(self.directory, name)

    def read_events(self, name="events.json"):
        with open(self.path(name), encoding="utf-8") as f:
            return [json.loads(line) for line in f]

    def wait_for(self, what, seconds=10):
        end = time.monotonic() + seconds
        while not what():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    # ---- metrics ----

    def check_rows(self, families, switch, show, name, member, each=None):
        """Every row of show is a sample of the same value."""
        rows = switch.json("show queue all" if show == "queue" else f"show {show}")
        rows = rows["verdicts"] if show == "notify" else rows
        self.assertTrue(rows)
        for row in rows:
            labels = {k: str(row[k]) for k in SHOWS[show]}
            values = {(): row[member]} if each is None else {((each, k),): v for k, v in row[member].items()}
            for more, value in values.items():
                self.assertEqual(families[name].value(**labels, **dict(more)), value, (name, labels, more))

    def check_sojourn(self, families, switch):
        samples = families["fastcn_queue_sojourn_seconds"].samples
        for q in switch.json("show queue"):
            for (_, labels), value in samples.items():
                labels = dict(labels)
                if (labels["port"], labels["class"]) != (q["port"], str(q["class"])):
                    continue
                # a bound in whole nanoseconds: everything below it, or at it
                limit = float(labels["le"]) * 1e9 + 0.5
                self.assertEqual(value, sum(b["packets"] for b in q["sojourn"] if b["below_ns"] - 1 <= limit), labels)

    def test_metrics(self):
        switch = self.metrics_switch()
        self.assertGreater(switch.switch_all(), 100)
        status, content, text = scrape(switch.port())
        self.assertEqual((status, content), (200, "application/openmetrics-text; version=1.0.0; charset=utf-8"))
        families = openmetrics.parse(text)
        self.assertEqual({f.name + {"counter": "_total", "info": "_info"}.get(f.type, ""): f.type
                          for f in families.values()}, declared())
        for f in families.values():
            self.assertTrue(f.help.endswith("."))
        self.check_rows(families, switch, "port", "fastcn_port_received_packets", "rx_packets")
        self.check_rows(families, switch, "port", "fastcn_port_transmitted_bytes", "tx_bytes")
        self.check_rows(families, switch, "drops", "fastcn_port_dropped_packets", "packets")
        self.check_rows(families, switch, "queue", "fastcn_queue_ce_marked_packets", "ce_marked")
        self.check_rows(families, switch, "queue", "fastcn_queue_congested", "congested")
        self.check_rows(families, switch, "queue", "fastcn_queue_dropped_packets", "drops", each="reason")
        self.check_rows(families, switch, "notify", "fastcn_notify_packets", "packets")
        self.check_sojourn(families, switch)
        self.assertEqual(families["fastcn_conservation_balanced"].value(), 1)
        self.assertEqual(families["fastcn_buffer_size_bytes"].value(), 10_000_000)
        self.assertEqual(families["fastcn_pfc_pausing_seconds"].value(port="in", **{"class": "4"}), 0)
        # what makes this test one: there were drops, marks and notices
        self.assertGreater(families["fastcn_queue_dropped_packets"].value(port="out", reason="queue_bytes",
                                                                          **{"class": "3"}), 0)
        self.assertGreater(families["fastcn_queue_notices"].value(port="out", **{"class": "3"}), 0)

    def test_promtool(self):
        if shutil.which("promtool") is None:
            self.skipTest("no promtool (Debian: prometheus)")
        switch = self.metrics_switch()
        switch.switch_all()
        status, content, text = scrape(switch.port(), Accept="text/plain")
        self.assertEqual((status, content), (200, "text/plain; version=0.0.4; charset=utf-8"))
        self.assertNotIn("# EOF", text)
        p = subprocess.run(["promtool", "check", "metrics"], input=text, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, check=False)
        self.assertEqual((p.stdout, p.returncode), ("", 0))

    def test_alert_rules(self):
        """They are about metrics that there are, with their labels."""
        rules = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../config/prometheus-alerts.yml")
        with open(rules, encoding="ascii") as f:
            text = f.read()
        families = openmetrics.parse(scrape(self.metrics_switch().port())[2])
        for expression in re.findall(r"expr: (.*)", text):
            for name in re.findall(r"fastcn_\w+", expression):
                self.assertIn(name.removesuffix("_total"), families, expression)
        self.assertGreater(text.count("- alert:"), 10)
        self.assertEqual(text.count("- alert:"), text.count("expr: "))
        if shutil.which("promtool") is not None:  # Debian: prometheus
            testbed.run("promtool", "check", "rules", rules)
            testbed.run("promtool", "check", "config", os.path.join(os.path.dirname(rules), "prometheus.yml"))

    def test_configuration_file(self):
        """Metrics and log are where it says, also after it was loaded again, and options hold above it."""
        log, other = self.path("events.json"), self.path("other.json")
        path = testbed.write(self.directory, "exports.conf", f"set metrics listen 0 on 127.0.0.2\nset log events {log}\n")
        switch = testbed.Switch(self.directory, path, eal_options=("--no-telemetry",), sleep=None)
        self.addCleanup(switch.end)
        shown = switch.wait().json("show export")
        self.assertRegex(shown["metrics"]["listen"], r"^127\.0\.0\.2:[1-9]")
        self.assertEqual(shown["events"]["file"], log)
        self.assertTrue(os.path.exists(log))
        self.assertTrue(switch.json("show status")["configuration"]["saved"])
        testbed.write(self.directory, "exports.conf", f"set log events {other}\n")
        switch.process.send_signal(signal.SIGHUP)
        testbed.wait_until(lambda: switch.json("show export")["events"]["file"] == other)
        self.assertEqual(switch.json("show export")["metrics"]["listen"], "off")
        self.assertEqual(switch.stop()[0], 0)
        switch = testbed.Switch(self.directory, path, "--metrics", "127.0.0.3:0", "--log-events", log,
                                eal_options=("--no-telemetry",))
        self.addCleanup(switch.end)
        shown = switch.wait().json("show export")
        self.assertRegex(shown["metrics"]["listen"], r"^127\.0\.0\.3:[1-9]")
        self.assertEqual(shown["events"]["file"], log)
        switch.process.send_signal(signal.SIGHUP)
        time.sleep(0.5)  # it must not change, whenever it is looked at
        self.assertEqual(switch.json("show export")["events"]["file"], log)
        self.assertEqual(switch.stop()[0], 0)

    def test_late(self):
        """The port is in use and the directory is not there when the switch starts: it forwards, and has them later."""
        log = self.path("late/events.json")
        with socket.socket() as taken:
            taken.bind(("127.0.0.4", 0))
            taken.listen()
            port = taken.getsockname()[1]
            path = testbed.write(self.directory, "late.conf", f"set metrics listen {port} on 127.0.0.4\n")
            switch = testbed.Switch(self.directory, path, "--log-events", log, eal_options=("--no-telemetry",))
            self.addCleanup(switch.end)
            warnings = lambda: sorted((w["warning"], w["place"]) for w in switch.json("show warnings")["warnings"])
            self.assertTrue(switch.wait().json("show status")["forwarding"])
            self.assertEqual(warnings(), [("export", "events"), ("export", "metrics")])
            self.assertEqual(switch.say("set worker idle sleep 50us"), "")
        testbed.wait_until(lambda: warnings() == [("export", "events")], 5)
        self.assertIn("\nfastcn_warnings 1\n", scrape(port, address="127.0.0.4")[2])
        os.mkdir(self.path("late"))
        testbed.wait_until(lambda: not warnings(), 5)
        self.assertTrue(os.path.exists(log))
        self.assertEqual(switch.stop()[0], 0)

    def test_http(self):
        switch = self.metrics_switch()
        port = switch.port()
        self.assertEqual(scrape(port, "/nothing")[0], 404)
        self.assertEqual(scrape(port, "/metrics/")[0], 404)
        self.assertEqual(scrape(port, method="POST")[0], 405)
        status, _, text = scrape(port, method="HEAD")
        self.assertEqual((status, text), (200, ""))
        # loopback alone, and nobody once it is off
        self.assertEqual(switch.json("show export")["metrics"]["listen"], f"127.0.0.1:{port}")
        self.assertEqual(switch.say("set metrics off"), "")
        with self.assertRaises(OSError):
            scrape(port)
        self.assertEqual(switch.say("set metrics listen 0 on ::1"), "")
        self.assertRegex(switch.json("show export")["metrics"]["listen"], r"^\[::1\]:[1-9]")
        self.assertIn("cannot listen at 192.0.2.1:9", switch.say("set metrics listen 9 on 192.0.2.1"))
        self.assertRegex(switch.json("show export")["metrics"]["listen"], r"^\[::1\]:[1-9]")

    def test_off(self):
        switch = self.switch()
        self.assertEqual(switch.json("show export"), {
            "metrics": {"listen": "off", "scrapes": 0, "feeds": 0, "failed": 0, "shows": 0, "shows_put_off": 0},
            "events": {"file": "off", "lines": 0, "lost": 0, "left_out": 0, "rate": 10}})
        tables = ""
        for t in ("tcp", "tcp6"):
            with open(f"/proc/{switch.process.pid}/net/{t}", encoding="ascii") as f:
                tables += f.read()
        sockets = {os.readlink(f)[8:-1] for f in glob.glob(f"/proc/{switch.process.pid}/fd/*")
                   if os.path.lexists(f) and os.readlink(f).startswith("socket:[")}
        self.assertFalse(sockets & {line.split()[9] for line in tables.splitlines() if " 0A " in line})

    # ---- hostile clients ----

    def test_hostile(self):
        switch = self.metrics_switch()
        port = switch.port()
        scrape(port)
        switch.say("start")
        before, clients = switch.memory(), []

        def connect(first):
            s = socket.create_connection(("127.0.0.1", port), timeout=5)
            clients.append(s)
            s.sendall(first)
            return s

        try:
            # garbage; a header without end; a method without end; a body that never comes
            for first in (b"\0\xff\x80" * 1000, b"GET /metrics HTTP/1.1\r\nX: " + b"y" * 100_000, b"G" * 50_000,
                          b"POST /metrics HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n",
                          b"GET /metrics HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n"):
                try:
                    connect(first)
                except (ConnectionError, TimeoutError):
                    pass
            # ones that say nothing more, and ones that ask and do not read: more of them than may connect
            dripping = [connect(b"GET /metrics HTTP/1.1\r\nHost: x\r\nX: ") for _ in range(20)]
            for _ in range(20):
                try:
                    connect(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n" * 50)
                except (ConnectionError, TimeoutError):
                    pass  # no room for it
            begin = time.monotonic()
            self.assertTrue(switch.json("show conservation")["ok"])
            self.assertLess(time.monotonic() - begin, 2, "the console waits for HTTP clients")
            # a byte now and then keeps nobody connected for longer than 10 s
            ended = set()
            while time.monotonic() - begin < 13:
                for s in dripping:
                    try:
                        s.send(b"z")
                        s.setblocking(False)
                        if not s.recv(1000):
                            ended.add(s)
                    except BlockingIOError:
                        pass
                    except OSError:
                        ended.add(s)
                time.sleep(0.5)
            self.assertGreaterEqual(len(ended), 10)
            status, _, text = scrape(port)
            self.assertEqual(status, 200)
            openmetrics.parse(text)
        finally:
            for s in clients:
                s.close()
        if not switch.is_instrumented():
            self.assertLess(switch.memory() - before, 16 * 1024, "KiB more than before")
        self.assertIsNone(switch.process.poll())

    def test_many_scrapes(self):
        """However often they ask, the control thread writes once a second."""
        switch = self.metrics_switch()
        port = switch.port()
        first = scrape(port)[2]
        texts = {first}
        begin = time.monotonic()
        for _ in range(50):
            texts.add(scrape(port)[2])
        seconds = time.monotonic() - begin
        self.assertLessEqual(len(texts), 2 + seconds)
        self.assertEqual(switch.json("show export")["metrics"]["scrapes"], 51)

    # ---- telemetry ----

    def test_telemetry(self):
        switch = self.switch()
        switch.switch_all()
        for command, line in (("port", "show port"), ("port,out", "show port out"), ("queue,out", "show queue out"),
                              ("queue,out,3", "show queue out class 3"), ("notify", "show notify"),
                              ("drops", "show drops"), ("errors", "show errors"), ("pfc", "show pfc"),
                              ("pfc,in", "show pfc in"), ("buffer", "show buffer"), ("ioam", "show ioam"),
                              ("episodes", "show episodes"), ("episodes,out,3", "show episodes out class 3"),
                              ("events,5", "show events last 5"), ("flows", "show flows"),
                              ("conservation", "show conservation")):
            answer = switch.telemetry("/fastcn/" + command)
            self.assertEqual(without_time(answer), without_time(as_telemetry(switch.json(line))), command)
        self.assertGreater(switch.telemetry("/fastcn/queue,out,3")["0"]["dropped"], 0)
        # every command of the documentation, and no other
        with open(os.path.join(ROOT, "doc", "metrics.md"), encoding="utf-8") as f:
            documented = re.findall(r"^\| `(/fastcn/\w+)` \|", f.read(), re.MULTILINE)
        self.assertEqual(sorted(documented), [c for c in sorted(switch.telemetry("/")) if c.startswith("/fastcn/")])
        for command in documented:
            self.assertNotIn("error", switch.telemetry(command), command)

    def test_telemetry_errors(self):
        switch = self.switch()
        for command, error in (("port,nope", "there is no port: nope"), ("queue,out,8", "not a class: 8"),
                               ("queue,out,3,4", "one parameter too many: 4"), ("drops,x", "one parameter too many: x"),
                               ("events,-1", "not a number: -1"), ("events,1;quit", "not a number: 1;quit")):
            self.assertEqual(switch.telemetry("/fastcn/" + command), {"error": error})

    def test_telemetry_limit(self):
        """What is more than telemetry sends is said, and not cut off."""
        switch = self.switch(more_ports=30)
        self.assertEqual(switch.telemetry("/fastcn/port,q7")["0"]["device"], "net_null7")
        warned = "^(warning: packet buffers: .*\n)?$"  # for so many lossless ports
        self.assertRegex(switch.say("set pfc all class 3 send on"), warned)
        self.assertRegex(switch.telemetry("/fastcn/pfc")["error"], r"^\d{5} bytes are more than telemetry sends")
        self.assertEqual(switch.telemetry("/fastcn/pfc,q7"), as_telemetry(switch.json("show pfc q7")))
        # nearly as much as there is room for: all of it
        for gone in range(30, 22, -1):
            rows = switch.telemetry("/fastcn/port")
            self.assertTrue("error" in rows or rows == as_telemetry(switch.json("show port")), rows)
            self.assertRegex(switch.say(f"port remove q{gone}"), warned)

    # ---- the log of events ----

    def test_events(self):
        switch = self.switch("--log-events", self.path("events.json"))
        switch.say("set log events rate all")
        before = time.time()
        switch.switch_all()
        notices = switch.json("show notify")["total"]["sent"]
        self.assertGreater(notices, 0)
        self.wait_for(lambda: len(self.read_events()) >= switch.json("show export")["events"]["lines"] > 0)
        events = self.read_events()
        made = [e for e in events if e["event"] == "notice"]
        self.assertEqual(len(made), notices)
        self.assertEqual(len([e for e in events if e["event"] == "congested"]), switch.json(
            "show queue out class 3")[0]["enters"])
        self.assertEqual(set(made[0]), {"time", "time_ns", "event", "port", "class", "notice", "occupancy", "level",
                                        "verdict", "in_port", "sender", "receiver", "qp"})
        self.assertEqual((made[0]["port"], made[0]["class"], made[0]["in_port"]), ("out", 3, "in"))
        self.assertGreaterEqual(made[0]["occupancy"], 10_000)
        flows = switch.json("show flows notified")
        self.assertEqual({(e["sender"], e["receiver"], e["qp"]) for e in made},
                         {(f["sender"], f["receiver"], f["qp"]) for f in flows})
        # the same moment on both clocks, and now
        events = [e for e in events if e["event"] not in ("started", "configured")]
        for e in events:
            self.assertRegex(e["time"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$")
        seconds = [time.mktime(time.strptime(e["time"][:19], "%Y-%m-%dT%H:%M:%S")) - time.timezone + float(
            "0" + e["time"][19:-1]) for e in (events[0], events[-1])]
        self.assertAlmostEqual(seconds[1] - seconds[0], (events[-1]["time_ns"] - events[0]["time_ns"]) / 1e9, delta=0.01)
        self.assertTrue(before - 0.1 <= seconds[0] <= time.time() + 0.1)

    def test_rotation(self):
        switch = self.switch("--log-events", self.path("events.json"))
        switch.switch_all()
        self.wait_for(lambda: os.path.getsize(self.path("events.json")) > 0)
        os.rename(self.path("events.json"), self.path("old.json"))
        switch.process.send_signal(signal.SIGHUP)
        self.wait_for(lambda: os.path.exists(self.path("events.json")))
        # nothing else came of the signal, and a command does the same
        os.rename(self.path("events.json"), self.path("older.json"))
        self.assertEqual(switch.say("set log events reopen"), "")
        self.assertEqual(self.read_events(), [])
        self.assertEqual(switch.say("set log events off"), "")
        self.assertEqual(switch.json("show export")["events"]["file"], "off")
        self.assertIn("there is no log of events", switch.say("set log events reopen"))
        self.assertIn("No such file or directory", switch.say(f"set log events {self.path('no/such/dir')}"))
        self.read_events("old.json")  # whole lines

    def test_stuck_log(self):
        """A reader that does not read: the switch goes on, and ends in time, with most lines unwritten."""
        os.mkfifo(self.path("fifo"))
        reader = os.open(self.path("fifo"), os.O_RDONLY | os.O_NONBLOCK)
        room = fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 4096)
        try:
            switch = self.switch("--log-events", self.path("fifo"))
            switch.switch_all()
            begin = time.monotonic()
            self.assertTrue(switch.json("show conservation")["ok"])
            self.assertLess(time.monotonic() - begin, testbed.seconds(2))
            switch.process.stdin.write(b"shutdown\n")
            switch.process.stdin.flush()
            self.assertEqual(switch.process.wait(timeout=testbed.seconds(10)), 0)
            written = os.read(reader, 1 << 20)
            self.assertTrue(0 < len(written) <= room)
            self.assertTrue(written.startswith(b'{"time":'))
        finally:
            os.close(reader)

    def test_rates(self):
        switch = self.switch()
        # of ports that were there at both looks
        self.wait_for(lambda: switch.json("show rates out")["ports"])
        self.assertEqual(switch.json("show rates")["queues"], [])
        switch.say("start")
        self.wait_for(lambda: any(p["tx_packets"] for p in switch.json("show rates out")["ports"]))
        rates = switch.json("show rates")
        self.assertTrue(0.9e9 < rates["over_ns"] < 3e9)
        self.assertEqual([p["port"] for p in rates["ports"]], ["in", "out"])
        # 20 Mbit/s on the line, of which frames have a little less
        self.assertLess(rates["ports"][1]["tx_bps"], 21_000_000)


class Files(unittest.TestCase):
    def test_dashboard(self):
        """Every metric that the dashboard asks for is one that there is."""
        with open(DASHBOARD, encoding="utf-8") as f:
            dashboard = json.load(f)
        expressions, names = [], set()

        def walk(v):
            if isinstance(v, dict):
                for key, item in v.items():
                    if key in ("expr", "query", "definition") and isinstance(item, str):
                        expressions.append(item)
                    walk(item)
            elif isinstance(v, list):
                for item in v:
                    walk(item)

        walk(dashboard)
        for e in expressions:
            names |= set(re.findall(r"\bfastcn_\w+", e))
        there = declared()
        # a histogram's samples
        there.update({n + "_bucket": t for n, t in there.items() if t == "histogram"})
        self.assertGreater(len(names), 10)
        self.assertEqual(names - set(there), set())
        # rate() is for what only grows
        for e in expressions:
            for inner in re.findall(r"rate\((fastcn_\w+)", e):
                self.assertIn(there[inner], ("counter", "histogram"), e)

    def test_parser(self):
        """The parser of these tests sees errors."""
        good = ('# TYPE a counter\n# HELP a A.\na_total{x="1"} 2\n# TYPE b_seconds histogram\n# UNIT b_seconds seconds\n'
                'b_seconds_bucket{le="1.0"} 1\nb_seconds_bucket{le="+Inf"} 2\n# EOF\n')
        self.assertEqual(openmetrics.parse(good)["a"].value(x="1"), 2)
        for old, new in (("# EOF\n", ""), ("a_total{", "a{"), ('x="1"', 'x="1'), ('x="1"', 'x="1",'), (" 2\n# TYPE b",
                         " -2\n# TYPE b"), ("+Inf", "2.0"), ('"+Inf"} 2', '"+Inf"} 0'), ("b_seconds sec", "b_seconds ms"),
                         ("# TYPE b_seconds histogram\n", ""), ("# TYPE b_seconds histogram\n", "# TYPE a histogram\n"),
                         ("a_total{x", "a_total{x} 1\na_total{x"), ("} 2\n# TYPE", "} 2\n\n# TYPE")):
            bad = good.replace(old, new, 1)
            self.assertNotEqual(bad, good)
            with self.assertRaises(ValueError, msg=bad):
                openmetrics.parse(bad)


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__))
