#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Many switches: what doc/fleet.md and config/fleet say, run with the programs of others. Needs no root; what a test needs
and is not there makes it skip.

test_fleet.py --fastcn PROGRAM --fastcn_lab PROGRAM [unittest options]
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import unittest
import urllib.parse
import urllib.request

import testbed

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FLEET = os.path.join(ROOT, "config", "fleet")
PAGE = os.path.join(ROOT, "doc", "fleet.md")
CAPTURE = os.path.join(ROOT, "tests/data/talkers.pcap")
CONFIG = """
port add in device net_pcap0
port add out device net_null0
set port out rate 20M
bridge add br0
bridge br0 port add in
bridge br0 port add out
set queue out class 3 detector step 10K leave 5K
set queue out class 3 limit 30K
set queue out class 3 notify on
set loopback 2001:db8:f::5
set notify interval 1us
set notify fast-cnp on
"""
# A stand-in for ssh, for machines that are this one: it drops options and the name. As sshd does, it gives the command a
# SHELL, which GNU parallel needs at the far end.
SSH = """#!/bin/sh
export SHELL=/bin/sh
while case $1 in -*) ;; *) false ;; esac; do shift; done
echo "$1" >>"$MACHINES_USED"
[ "$2" = -- ] && shift
shift
exec sh -c "$*"
"""


def read(name):
    with open(os.path.join(FLEET, name), encoding="ascii") as f:
        return f.read()


def block(word):
    """The indented block of the page whose first line begins with a word."""
    with open(PAGE, encoding="utf-8") as f:
        blocks = re.findall(r"(?:^    .*\n)+", f.read(), re.M)
    return next(re.sub("^    ", "", b, flags=re.M) for b in blocks if b.startswith(f"    {word} "))


def lines_of(path):
    """The lines of a file, without a last one that is still being written."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="ascii") as f:
        return f.read().split("\n")[:-1]


class Fleet(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="fcn-fleet-")
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.directory, name)

    def begin(self, *words, **more):
        """A program that runs until the test ends."""
        p = subprocess.Popen(words, stdin=subprocess.DEVNULL, **more)
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        return p

    @unittest.skipUnless(shutil.which("promtool"), "no promtool")
    def test_prometheus(self):
        os.mkdir(self.path("fleet"))
        for name in ("prometheus.yml", "switches.yml"):
            shutil.copy(os.path.join(FLEET, name), self.path("fleet"))
        shutil.copy(os.path.join(ROOT, "config", "prometheus-alerts.yml"), self.directory)
        out = testbed.run("promtool", "check", "config", self.path("fleet/prometheus.yml"))
        self.assertIn("SUCCESS", out)
        with open(self.path("fleet/switches.yml"), "a", encoding="ascii") as f:
            f.write("- target: [x]\n")  # a word that is wrong
        self.assertNotEqual(subprocess.run(["promtool", "check", "config", self.path("fleet/prometheus.yml")], check=False,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode, 0)

    def switch(self):
        # The capture is as many packets as the test forwards by `start`.
        switch = testbed.Switch(self.directory, testbed.write(self.directory, "fastcn.conf", CONFIG), "--log-events",
                                self.path("events.json"), own_console=True,
                                vdevs=(f"net_pcap0,rx_pcap={CAPTURE},tx_pcap=/dev/null,infinite_rx=1", "net_null0,no-rx=1"))
        self.addCleanup(switch.end)
        switch.say("show version", 60)
        return switch

    def events(self, switch):
        """Some more of them in the file."""
        before = len(lines_of(self.path("events.json")))
        switch.say("start")
        testbed.wait_until(lambda: len(lines_of(self.path("events.json"))) > before + 5, 20)
        switch.say("stop")

    def kafka(self):
        """A mock cluster in a consumer, which writes what comes; the address of its broker."""
        log = self.path("kafka.log")
        with open(self.path("consumed"), "wb") as out, open(log, "wb") as err:
            self.begin("kcat", "-C", "-u", "-b", "127.0.0.1:1", "-t", "fastcn", "-o", "beginning", "-X",
                       "test.mock.num.brokers=1", "-X", "allow.auto.create.topics=true", "-X", "debug=mock", stdout=out,
                       stderr=err)

        def address():
            with open(log, encoding="utf-8", errors="replace") as f:
                return re.search(r"bootstrap\.servers=(127\.0\.0\.1:\d+)", f.read())
        return testbed.wait_until(address, 20).group(1)

    def rsyslog(self, broker):
        text = read("rsyslog.conf").replace("/var/lib/fastcn/events.json", self.path("events.json"))
        self.assertEqual(text.count("kafka.example.net:9092"), 1)
        text = f'global(workDirectory="{self.directory}")\n' + text.replace("kafka.example.net:9092", broker)
        config = testbed.write(self.directory, "rsyslog.conf", text)
        self.assertEqual(subprocess.run(["rsyslogd", "-N1", "-f", config], stderr=subprocess.PIPE, check=False,
                                        text=True).returncode, 0)
        with open(self.path("rsyslog.log"), "wb") as log:
            self.begin("rsyslogd", "-n", "-f", config, "-i", self.path("pid"), stdout=log, stderr=log)

    @unittest.skipUnless(shutil.which("rsyslogd") and shutil.which("kcat"), "needs rsyslogd with omkafka, and kcat")
    def test_events(self):
        """Every line of the log, once, with the name of the host; over a rotation, too."""
        broker = self.kafka()
        switch = self.switch()
        self.events(switch)
        self.rsyslog(broker)
        self.arrived(switch, [self.path("events.json")])
        os.rename(self.path("events.json"), self.path("events.json.1"))
        self.assertEqual(switch.say("set log events reopen"), "")
        self.events(switch)
        self.arrived(switch, [self.path("events.json.1"), self.path("events.json")])
        self.clickhouse(len(lines_of(self.path("consumed"))))

    def arrived(self, switch, files):
        """All events of the files. What a broker refused, as it may while it makes the topic, rsyslog sends again together
        with later events: so there are later ones."""
        def both():
            wanted = sorted(json.dumps({**json.loads(x), "switch": socket.gethostname().split(".")[0]}, sort_keys=True)
                            for f in files for x in lines_of(f))
            got = sorted(json.dumps(json.loads(x), sort_keys=True) for x in lines_of(self.path("consumed")))
            return got, wanted

        def same():
            got, wanted = both()
            return got == wanted
        for _ in range(3):
            try:
                testbed.wait_until(same, 8)
                return
            except TimeoutError:
                self.events(switch)
        try:
            testbed.wait_until(same, 20)
        except TimeoutError as e:
            got, wanted = both()
            missing = sorted(set(wanted) - set(got))[:1]
            raise AssertionError(f"{len(got)} of {len(wanted)}; missing {missing}; too many "
                                 f"{sorted(set(got) - set(wanted))[:1]}; {lines_of(self.path('rsyslog.log'))[-5:]}") from e

    def clickhouse(self, events):
        """What has arrived, into ClickHouse, if there is one."""
        if not shutil.which("clickhouse-server"):
            return
        with socket.socket() as a, socket.socket() as b:
            a.bind(("127.0.0.1", 0))
            b.bind(("127.0.0.1", 0))
            http, tcp = a.getsockname()[1], b.getsockname()[1]
        users = ("<profiles><default/></profiles><users><default><password/><networks><ip>127.0.0.1</ip></networks>"
                 "<profile>default</profile><quota>default</quota></default></users><quotas><default/></quotas>")
        testbed.write(self.directory, "users.xml", f"<yandex>{users}</yandex>")
        config = testbed.write(self.directory, "clickhouse.xml", f"""<yandex><logger><level>warning</level>
            <console>1</console></logger><http_port>{http}</http_port><tcp_port>{tcp}</tcp_port>
            <listen_host>127.0.0.1</listen_host><path>{self.directory}/data/</path><tmp_path>{self.directory}/tmp/</tmp_path>
            <users_config>{self.directory}/users.xml</users_config><mark_cache_size>5000000</mark_cache_size></yandex>""")
        for name in ("data", "tmp"):
            os.mkdir(self.path(name))
        with open(self.path("clickhouse.log"), "wb") as log:
            self.begin("clickhouse-server", f"--config-file={config}", stdout=log, stderr=log)

        def ask(query, body=b""):
            words = urllib.parse.urlencode({"query": query, "input_format_skip_unknown_fields": "1"})
            with urllib.request.urlopen(f"http://127.0.0.1:{http}/?{words}", data=body, timeout=20) as answer:
                return answer.read().decode()

        def up():
            try:
                return ask("SELECT 1") == "1\n"
            except OSError:
                return False
        testbed.wait_until(up, 30)
        ask(read("clickhouse.sql").split("\n\n", 1)[1])
        with open(self.path("consumed"), "rb") as f:
            ask("INSERT INTO fastcn_events FORMAT JSONEachRow", f.read())
        self.assertEqual(ask("SELECT count() FROM fastcn_events"), f"{events}\n")
        query = block("SELECT").replace("today() - 1", "toDate('2000-01-01')")
        rows = [x.split("\t") for x in ask(query).splitlines()]
        self.assertGreater(len(rows), 0)
        for sender, notices, switches in rows:
            self.assertIn(":", sender)
            self.assertGreater(int(notices), 0)
            self.assertEqual(switches, "1")

    @unittest.skipUnless(shutil.which("parallel"), "no GNU parallel")
    def test_parallel(self):
        ssh = testbed.write(self.directory, "ssh", SSH)
        os.chmod(ssh, 0o755)
        testbed.write(self.directory, "machines", "1/one\n1/two\n")
        command = block("parallel").replace("/usr/share/fastcn/examples/lab", os.path.join(ROOT, "config/lab"))
        command = re.sub(r"(?<= )fastcn-lab(?= )", testbed.options.fastcn_lab, command)
        env = {**os.environ, "PARALLEL_SSH": ssh, "MACHINES_USED": self.path("used"), "HOME": self.directory}
        begin = time.monotonic()
        p = subprocess.run(["bash", "-c", command], cwd=self.directory, env=env, stdout=subprocess.PIPE, text=True,
                           stderr=subprocess.PIPE, timeout=testbed.seconds(60), check=False)
        self.assertEqual(p.returncode, 0, p.stderr)
        self.assertLess(time.monotonic() - begin, testbed.seconds(60))
        self.assertEqual(set(lines_of(self.path("used"))), {"one", "two"}, p.stderr)
        for n in (2, 4):
            for seed in (1, 2, 3):
                name = self.path(f"N={n},seed={seed}.result")
                with open(name, encoding="utf-8") as f, open(f"{name}.err", encoding="utf-8") as errors:
                    text = f.read()
                    self.assertTrue(text.startswith("{"), f"{text!r} {errors.read()!r} {lines_of(self.path('runs.log'))}")
                    result = json.loads(text)
                self.assertEqual((result["parameters"]["N"], result["seed"]), (str(n), seed))
        if shutil.which("jq"):
            out = subprocess.run(["bash", "-c", block("jq")], cwd=self.directory, stdout=subprocess.PIPE, text=True,
                                 check=True).stdout
            self.assertEqual(len(out.splitlines()), 6)
            self.assertRegex(out, r"^2\t1\t\d+\t\d+\n")


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, programs=("fastcn", "fastcn_lab")))
