#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The API over HTTP and the Python client on a live switch: every show of a busy switch conforms to the schema, as
python3-jsonschema judges; the schema only grows; probes say what is wrong; shows leave the control thread its time. Virtual
devices: a capture file is switched into a slow port. Needs no root.

test_api.py --fastcn PROGRAM --fastcnctl PROGRAM [unittest options]
"""

import copy
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import testbed
from test_exports import scrape
from test_stall import held, worker_thread

sys.path.append("/usr/lib/python3/dist-packages")  # those of Debian, whichever python3 runs this
try:
    import jsonschema
except ImportError:
    jsonschema = None

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLIENT = os.path.join(ROOT, "app/python-fastcn")
BASELINE = os.path.join(ROOT, "doc/api-v1.schema.json")
sys.path.insert(0, CLIENT)
sys.dont_write_bytecode = True

import fastcn  # noqa: E402
import fastcn.client  # noqa: E402
import schema_additions  # noqa: E402

CAPTURE = os.path.join(ROOT, "tests/data/talkers.pcap")

# So that many shows have something to say.
CONFIG = """
port add in device net_pcap0
port add out device net_null0
port add r1 device net_null1
port add r2 device net_null2
port add r1.7 vlan 7 of r1
set port out rate 20M
set port in class-trust on
set port out class-trust on
bridge add br0
bridge br0 port add in
bridge br0 port add out
bridge br0 interface add irb
set queue out class 3 detector step 10K leave 5K
set queue out class 3 limit 30K
set queue out class 3 ecn on
set loopback 2001:db8:f::5
set notify interval 1us
set notify fast-cnp on
set queue out class 3 notify on
set pfc in class 4 send on
set buffer size 10M
set worker stage-cycles on
address add r1 2001:db8:1::1/64
address add r2 10.0.2.1/24
neighbour add r1 2001:db8:1::2 02:00:00:00:00:02
route add 2001:db8:9::/48 via 2001:db8:1::2 port r1
route add 2001:db8:a::/48 blackhole
sender add 2001:db8:77::/48 none
set metrics listen 0
"""


def strict(schema):
    """The same schema, which also refuses members that it does not name: what is said is declared."""
    if isinstance(schema, list):
        return [strict(x) for x in schema]
    if not isinstance(schema, dict):
        return schema
    found = {k: strict(v) for k, v in schema.items()}
    if isinstance(found.get("properties"), dict) and "type" in found and "object" in found["type"] \
            and "additionalProperties" not in found:
        found["additionalProperties"] = False
    return found


class Schema(unittest.TestCase):
    """Without a switch."""

    def setUp(self):
        self.now = json.loads(testbed.run(testbed.options.fastcn, "reference", "schema"))
        with open(BASELINE, encoding="utf-8") as f:
            self.old = json.load(f)

    @unittest.skipIf(jsonschema is None, "needs python3-jsonschema")
    def test_draft(self):
        self.assertEqual(self.now["$schema"], jsonschema.Draft202012Validator.META_SCHEMA["$id"])
        jsonschema.Draft202012Validator.check_schema(self.now)

    def test_only_grows(self):
        """Compared with the copy in doc/, which is what programs were written for."""
        self.assertEqual(list(schema_additions.all_taken_away(self.old, self.now)), [])

    def test_taken_away(self):
        """Each way to break programs is found."""
        def without(change):
            new = copy.deepcopy(self.now)
            change(new["$defs"])
            return "\n".join(schema_additions.all_taken_away(self.now, new))

        for words, change in (
                ("queue: is gone", lambda d: d.pop("queue")),
                ("queue[].occ_last: is gone", lambda d: d["queue"]["items"]["properties"].pop("occ_last")),
                ("queue[].level: was integer or null, is integer or null or string",
                 lambda d: d["queue"]["items"]["properties"]["level"]["type"].append("string")),
                ("queue[].occ_last: was integer, is number", lambda d: d["queue"]["items"]["properties"]["occ_last"].update(type="number")),
                ("queue[].occ_last: was always there", lambda d: d["queue"]["items"]["required"].remove("occ_last")),
                ("queue[].drops.*: was integer", lambda d: d["queue"]["items"]["properties"]["drops"]["additionalProperties"].update(type="string")),
                ("notify.total.suppressed_*: is gone", lambda d: d["notify"]["properties"]["total"].pop("patternProperties")),
                ("queue: was array, is object", lambda d: d["queue"].update(type="object")),
                ("queue: the parameter class is gone", lambda d: d["queue"]["x-parameters"].remove("class"))):
            with self.subTest(words):
                self.assertIn(words, without(change))
        self.assertEqual(without(lambda d: d["queue"]["items"]["properties"].update(new={"type": "string"})), "")
        self.assertEqual(without(lambda d: d.update(new={"type": "string", "x-parameters": []})), "")

    def test_version_of_client(self):
        """The package of Python has the version of the program."""
        with open(os.path.join(CLIENT, "pyproject.toml"), encoding="utf-8") as f:
            self.assertIn(f'version = "{testbed.run(testbed.options.fastcn, "--version").split()[1].rstrip(",")}"', f.read())

    def test_command_of(self):
        for words, want in (({"name": "queue"}, "show queue json"),
                            ({"name": "queue", "port": "p1", "class_": 3}, "show queue p1 class 3 json"),
                            ({"name": "queue", "all": True}, "show queue all json"),
                            ({"name": "queue", "all": False, "class": 0}, "show queue class 0 json"),
                            ({"name": "port xstats", "port": "p1"}, "show port p1 xstats json"),
                            ({"name": "route_count"}, "show route count json"),
                            ({"name": "events", "last": 3}, "show events last 3 json")):
            self.assertEqual(fastcn.client.command_of(**words), want)
        for words in ({"name": "nothing"}, {"name": "queue", "prot": "p1"}, {"name": "queue", "port": "p1 all"}):
            with self.assertRaises(fastcn.CommandError):
                fastcn.client.command_of(**words)


class Live(unittest.TestCase):
    """A busy switch."""

    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.TemporaryDirectory(prefix="fcn-api-")
        cls.addClassCleanup(cls.directory.cleanup)
        captures = os.path.join(cls.directory.name, "captures")
        os.mkdir(captures)
        cls.switch = testbed.Switch(
            cls.directory.name, testbed.write(cls.directory.name, "fastcn.conf", CONFIG), "--output-dir", captures,
            eal_options=("--no-telemetry", f"--file-prefix=fcnapi{os.getpid()}"),
            vdevs=(f"net_pcap0,rx_pcap={CAPTURE},infinite_rx=1,tx_pcap=/dev/null", *(f"net_null{n},no-rx=1" for n in range(3))))
        cls.addClassCleanup(cls.switch.end)
        cls.switch.wait()
        for line in ("trace add 5", "capture start port all drop file drops.pcapng"):
            cls.switch.say(line)
        testbed.wait_until(lambda: cls.switch.json("show notify")["total"]["wanted"] > 0)
        cls.port = int(cls.switch.json("show export")["metrics"]["listen"].rsplit(":", 1)[1])
        cls.url = f"http://127.0.0.1:{cls.port}"

    def control_ms(self):
        """CPU time of the control thread so far."""
        with open(f"/proc/{self.switch.process.pid}/task/{self.switch.process.pid}/stat", encoding="ascii") as f:
            fields = f.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * 1000 / os.sysconf("SC_CLK_TCK")

    @unittest.skipIf(jsonschema is None, "needs python3-jsonschema")
    def test_shows(self):
        """Each conforms, over HTTP and by fastcnctl --json, and both have the same members."""
        http = fastcn.Http(self.url, timeout=testbed.seconds(60))  # shows may be put off
        schema = http.schema()
        self.assertEqual(schema, json.loads(testbed.run(testbed.options.fastcn, "reference", "schema")))
        for name, show in schema["$defs"].items():
            with self.subTest(name):
                validator = jsonschema.Draft202012Validator(strict(show))
                words = fastcn.client.command_of(name).removesuffix(" json").split()
                console = json.loads(testbed.run(testbed.options.fastcnctl, "--socket", self.switch.path, "--json", *words))
                for value in (http.show(name), console):
                    self.assertEqual([f"{e.json_path}: {e.message}" for e in validator.iter_errors(value)], [])
        everything = json.loads(json.dumps(schema))  # the schema as a whole is of an object of all shows
        jsonschema.validate({"version": http.version(), "queue": http.queue()}, everything,
                            cls=jsonschema.Draft202012Validator)
        with self.assertRaises(jsonschema.ValidationError):
            jsonschema.validate({"version": {"fastcn": 1, "dpdk": ""}}, everything, cls=jsonschema.Draft202012Validator)

    def test_busy(self):
        """What is compared above is not empty."""
        with fastcn.Console(self.switch.path) as console:
            for show in ("port", "queue", "notify_missing", "drops", "flows", "events", "trace", "capture", "worker", "route",
                         "neighbour", "address", "sender", "bridge", "mac", "sessions", "table", "mempool"):
                with self.subTest(show):
                    self.assertTrue(console.show(show))
            self.assertTrue(console.events()["events"])
            self.assertTrue(console.notify()["verdicts"])

    def test_client(self):
        """The same by the socket and over HTTP."""
        http = fastcn.connect(self.url, timeout=testbed.seconds(60))
        with fastcn.connect(self.switch.path) as console:
            for name, parameters in (("queue", {"port": "out", "class_": 3}), ("port", {"port": "r1"}), ("route", {}),
                                     ("class_map", {}), ("address", {}), ("sender", {}), ("host police", {"port": "in"})):
                with self.subTest(name):
                    self.assertEqual([sorted(row) for row in console.show(name, **parameters)],
                                     [sorted(row) for row in http.show(name, **parameters)])
            self.assertEqual(console.version(), http.version())
            self.assertEqual(console.queue(port="out", class_=3)[0]["class"], 3)
            self.assertEqual(console.command("show version json").count("fastcn"), 1)
            for switch in (console, http):
                for wrong in ({"name": "nothing"}, {"name": "queue", "port": "nobody"}, {"name": "queue", "prot": "r1"}):
                    with self.assertRaises(fastcn.CommandError):
                        switch.show(**wrong)
            with self.assertRaisesRegex(fastcn.CommandError, "column 6"):
                console.command("show nothing")
        with self.assertRaises(fastcn.NoAnswer):
            fastcn.Console(self.switch.path + "x")
        with self.assertRaises(fastcn.NoAnswer):
            fastcn.Http("http://127.0.0.1:9").version()

    def test_parts(self):
        """A list of many rows comes in parts, which the client puts together."""
        lines = "".join(f"route add 2001:db8:{n >> 8:x}:{n & 0xff:x}::/64 blackhole\n" for n in range(0x1000, 0x1000 + 2500))
        path = testbed.write(self.directory.name, "routes.conf", lines)
        self.assertEqual(self.switch.say(f"load {path}"), "")
        answer = []  # it may be put off
        testbed.wait_until(lambda: answer.append(scrape(self.port, "/api/v1/show/route")) or answer[-1][0] == 200, 60)
        self.assertEqual(len(json.loads(answer[-1][2])), 1000)
        rows = [row["prefix"] for row in fastcn.Http(self.url, timeout=testbed.seconds(60)).route()]
        self.assertEqual(rows, [row["prefix"] for row in self.switch.json("show route")])
        self.assertEqual(len(set(rows)), len(rows))
        self.assertEqual(len(fastcn.Http(self.url, timeout=testbed.seconds(60)).route(limit=7)), 7)
        self.assertEqual(len(fastcn.Http(self.url, timeout=testbed.seconds(60)).route(prefix="2001:db8:9::/48")), 1)

    def test_script(self):
        """python3 -m fastcn"""
        def says(*words):
            done = subprocess.run([sys.executable, "-m", "fastcn", *words], env={**os.environ, "PYTHONPATH": CLIENT}, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            return done.returncode, done.stdout, done.stderr

        self.assertEqual(says(self.switch.path, "queue", "port=out", "class=3", ".port", ".class"), (0, "out\n3\n", ""))
        self.assertEqual(says(self.url, "table", ".table")[1], "main\n")
        self.assertEqual(json.loads(says(self.url, "version")[1]), self.switch.json("show version"))
        self.assertEqual(says(self.url, "version", ".nothing"), (1, "", "fastcn: there is no member nothing\n"))
        self.assertIn("has no parameter prot", says(self.url, "queue", "prot=x")[2])

    def test_control(self):
        """Clients without a pause get shows, all queues among them, and control gives a tenth of its time at most."""
        end, answers = time.monotonic() + 6, []

        def ask(n):
            while time.monotonic() < end:
                answers.append(scrape(self.port, f"/api/v1/show/queue?all&class={n}")[0])

        scrape(self.port, "/api/v1/show/queue?all")
        before, begin = self.control_ms(), time.monotonic()
        threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        took, passed = self.control_ms() - before, (time.monotonic() - begin) * 1000
        print(f"\n{len(answers)} answers, {answers.count(200)} of them 200, in {passed:.0f} ms: control {took:.0f} ms")
        self.assertGreater(answers.count(200), 0)
        # 200 ms at once, a tenth of the time, and what it does anyway
        self.assertLess(took, 200 + passed * 0.25)

    def test_bounds(self):
        """What a client cannot do."""
        for path, want in (("/api/v1/show/queue?port=nobody", 400), ("/api/v1/show/" + "x" * 600, 404), ("/api/v1/show/%00", 404),
                           ("/api/v1/", 404), ("/healthz?ports=" + "x," * 300, 400), ("/api/v1/show/queue?" + "a=1&" * 200, 400)):
            self.assertEqual(scrape(self.port, path)[0], want, path)
        self.assertEqual(scrape(self.port, "/api/v1/show/version", "POST")[0], 405)
        self.assertEqual(scrape(self.port, "/healthz", "DELETE")[0], 405)
        self.assertEqual(scrape(self.port, "/healthz", "HEAD")[::2], (200, ""))

    def test_health(self):
        http = fastcn.Http(self.url)
        self.assertEqual(http.health(), (True, []))
        self.assertEqual(http.health(["in", "out"]), (True, []))
        self.assertEqual(http.health(["in", "p9"]), (False, ["port p9 does not exist"]))
        self.switch.say("stop")
        try:
            testbed.wait_until(lambda: not http.health())
            self.assertEqual(http.health().lines, ["the switch is stopped: the command start has it forward"])
            self.assertEqual(scrape(self.port, "/livez")[::2], (200, "ok\n"))
        finally:
            self.switch.say("start")
        testbed.wait_until(http.health)

    def test_worker_stalled(self):
        http = fastcn.Http(self.url)
        with held(worker_thread(self.switch.process.pid, 0)):
            testbed.wait_until(lambda: not http.health())
            self.assertIn("worker 0 is stalled: its thread does not run", http.health().lines)
            testbed.wait_until(lambda: scrape(self.port, "/livez")[0] == 503)
        testbed.wait_until(http.health)


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, ("fastcn", "fastcnctl")))
