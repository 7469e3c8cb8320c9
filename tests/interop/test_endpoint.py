#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Two live endpoints, `fastcn-endpoint`, load a live switch and react to its notices; what each of the three counted
agrees. Linux pings the endpoints. Needs root, or is skipped.

test_endpoint.py --fastcn PROGRAM --fastcn_endpoint PROGRAM [unittest options]
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import testbed

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BOTTLENECK = 4e6
LINE = 20e6
SWITCH = "2001:db8:f::5"
ADDRESS = {"h1": "2001:db8:1::1", "h2": "2001:db8:2::1", "linux": "2001:db8:3::1"}
# A second of what is sent here fits.
DEVICE = "net_af_packet{0},iface={1},blocksz=65536,framesz=2048,framecnt=8192"

CONFIG = "".join(f"port add p{n} device {DEVICE.format(n, f's{n}')}\naddress add p{n} 2001:db8:{n}::fe/64\n"
                 for n in (1, 2, 3)) + f"""
set loopback {SWITCH}
set host dad off
set queue p2 class 3 peak 4M
set queue p2 class 3 limit 1M
set queue p2 class 3 detector step 15K leave 8K
set queue p2 class 3 ecn on
set queue p2 class 3 notify on
set notify interval 1ms
set notify fast-cnp on
set ioam node 1 wide 1
ioam namespace add 1 profile hpcc
set ioam port all transit on
"""

# A machine that is busy with other things answers late: nothing is sent again for that, and the rate is cut at most five
# times a second, to recover slowly.
REACTION = ["--reaction", "dcqcn", "--set", "clamp-tgt-rate on", "--set", "rate-reduce-monitor-period 200ms",
            "--set", "dce-tcp-rtt 100ms", "--set", "rpg-time-reset 500ms", "--set", "rpg-byte-reset 1G",
            "--set", "rpg-ai-rate 20K", "--set", "rpg-hai-rate 20K", "--set", "rpg-min-rate 100K"]
SENDER = ["--gateway", "2001:db8:1::fe", "--peer", ADDRESS["h2"], "--rate", "20M", "--set", "timeout 5s",
          "--set", "window 40K", "--wait", "60s"]
ACCEPT = ["--set", f"fast-cnp accept from {SWITCH}/128"]


class Net(testbed.Namespaces):
    """Two namespaces with a device each and no IPv6 of their own, for endpoints; one that is a Linux host; the switch."""

    def __init__(self):
        super().__init__("h1", "h2", "linux", "sw")

    def create(self):
        super().create()
        for n, host in enumerate(("h1", "h2", "linux"), 1):
            self.ip("sw", "link", "add", f"s{n}", "type", "veth", "peer", "name", "eth0", "netns", self.name[host])
        for where in ("h1", "h2", "sw"):
            self.sysctl(where, "net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1")
        for n, host in enumerate(("h1", "h2", "linux"), 1):
            self.ip(host, "link", "set", "eth0", "up")
            self.ip("sw", "link", "set", f"s{n}", "up")
        self.ip("linux", "addr", "add", ADDRESS["linux"] + "/64", "dev", "eth0", "nodad")
        self.ip("linux", "route", "add", "default", "via", "2001:db8:3::fe")


class Host:
    """A `fastcn-endpoint`; what it says is in files, a JSON object a line."""

    def __init__(self, net, directory, where, *words, address=None):
        self.path = os.path.join(directory, f"{where}-{time.monotonic_ns()}")
        self.out, self.errors = open(self.path + ".out", "w+b"), open(self.path + ".err", "w+b")
        self.process = net.popen(where, testbed.options.fastcn_endpoint, "--no-pci", "--no-huge", "-m", "64", "-l",
                                 "0", "--no-shconf", "--no-telemetry", "--log-level=*:error", "--", "--port",
                                 DEVICE.format(0, "eth0"), "--addr", f"{address or ADDRESS[where]}/64", "--json", *words,
                                 stdout=self.out, stderr=self.errors)

    def lines(self):
        with open(self.path + ".out", encoding="ascii") as f:
            return [json.loads(line) for line in f if line.endswith("\n")]

    def said(self):
        with open(self.path + ".err", encoding="utf-8") as f:
            return f.read()

    def ends(self, number=None, timeout=90):
        """By itself, or by a signal: exit status and summary."""
        if number is not None:
            self.process.send_signal(number)
        status = self.process.wait(timeout)
        lines = self.lines()
        if not lines:
            raise AssertionError(f"status {status}, no summary: {self.said()}")
        return status, lines[-1]

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.out.close()
        self.errors.close()


class Endpoint(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.net = Net()
        cls.addClassCleanup(cls.net.destroy)
        cls.net.create()
        directory = tempfile.TemporaryDirectory(prefix="fcn-endpoint-")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = directory.name
        cls.switch = testbed.Switch(cls.directory, testbed.write(cls.directory, "fastcn.conf", CONFIG),
                                    namespace=cls.net.name["sw"])
        cls.addClassCleanup(cls.switch.end)
        cls.switch.wait()

    def host(self, *words, **more):
        host = Host(self.net, self.directory, *words, **more)
        self.addCleanup(host.end)
        return host

    def reach(self, host):
        """Linux's ping is answered: then the switch knows the endpoint, and nothing waits for that any more."""
        def answered():
            self.assertIsNone(host.process.poll(), host.said())
            return self.net.ping("linux", ADDRESS["linux"], ADDRESS["h2"], count=1)
        return testbed.wait_until(answered, 60)

    def listener(self, *words):
        host = self.host("h2", "--listen", "--rate", "20M", *words)
        self.assertEqual(self.reach(host), [63])  # the switch is between
        return host

    def queue(self):
        return {k: self.switch.json("show queue p2 class 3")[0][k] for k in ("packets", "dropped", "notices", "ce_marked")}

    def unreachable(self):
        """Packets that met congestion while the switch did not know the way to their sender."""
        return sum(row["packets"] for row in self.switch.json("show notify")["verdicts"] if row["verdict"] == "unreachable")

    def until_slow(self, sender):
        """Its queue pairs together are about as fast as the bottleneck; statistics of that second."""
        def slow():
            self.assertIsNone(sender.process.poll(), sender.said())
            last = [x for x in sender.lines() if x["messages_posted"] > 0][-1:]
            return last and sum(q["rate_bps"] for q in last[0]["qps"]) <= 1.25 * BOTTLENECK and last[0]
        return testbed.wait_until(slow, 90)

    def check_sums(self, sender, listener, before, after):
        """What the sender sent went through the queue to the listener; each message that is complete was received."""
        sent, got = sender["counters"], listener["counters"]
        self.assertEqual(after["dropped"], before["dropped"])
        self.assertEqual(sent["data_sent"], after["packets"] - before["packets"])
        self.assertEqual(sent["data_sent"], got["data_received"])
        self.assertEqual(sender["messages_complete"], sender["messages_posted"])
        self.assertEqual(sender["messages_complete"], listener["messages_delivered"])
        self.assertEqual(sender["acked"], got["payload_delivered"])
        self.assertLessEqual(sent["data_repeated"], sent["data_sent"] / 10)

    def test_accepts(self):
        """A sender that understands Fast CNPs: as many as were sent are taken, it slows down. Its packets are marked
        only while the switch has not found its MAC address yet: then no notice can reach it."""
        self.switch.say(f"sender add {ADDRESS['h1']}/128 capable")
        self.addCleanup(self.switch.say, f"sender remove {ADDRESS['h1']}/128")
        listener, before, lost = self.listener(), self.queue(), self.unreachable()
        sender = self.host("h1", *SENDER, *REACTION, *ACCEPT, "--send", "20000", "--qps", "2")
        at = self.until_slow(sender)
        self.assertGreater(min(q["rate_bps"] for q in at["qps"]), 99e3)
        status, summary = sender.ends(signal.SIGINT)
        self.assertEqual((status, summary["type"], summary["ok"]), (0, "summary", True), sender.said())
        after = self.queue()
        status, heard = listener.ends(signal.SIGTERM)
        self.assertEqual((status, heard["type"]), (0, "summary"))
        self.check_sums(summary, heard, before, after)
        counters, notices = summary["counters"], after["notices"] - before["notices"]
        self.assertGreater(counters["fastcnp_accepted"], 2)
        self.assertLessEqual(counters["fastcnp_accepted"], notices)
        self.assertLessEqual(notices - counters["fastcnp_accepted"], 3)
        self.assertEqual(summary["notices"], [{"source": SWITCH, "fast_cnps": counters["fastcnp_accepted"]}])
        self.assertEqual([q["qp"] for q in summary["qps"]], [2, 3])
        lost = self.unreachable() - lost
        self.assertEqual(after["ce_marked"] - before["ce_marked"], lost)
        self.assertLessEqual(counters["cnp_received"], lost)
        self.assertLess(lost, notices)

    def test_guide(self):
        """The receiver and the sender of doc/fastcn-endpoint.md, to the letter."""
        with open(os.path.join(ROOT, "doc", "fastcn-endpoint.md"), encoding="utf-8") as f:
            lines = re.sub(r" *\\\n *", " ", f.read()).splitlines()
        program = testbed.options.fastcn_endpoint
        receive, send = (x.strip().replace("fastcn-endpoint", program, 1) for x in lines if x.startswith("    fastcn-endpoint "))
        self.switch.say(f"sender add {ADDRESS['h1']}/128 capable")
        self.addCleanup(self.switch.say, f"sender remove {ADDRESS['h1']}/128")
        listener = self.net.popen("h2", "bash", "-c", "exec " + receive, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(listener.wait)
        self.addCleanup(listener.terminate)
        testbed.wait_until(lambda: self.net.ping("linux", ADDRESS["linux"], ADDRESS["h2"], count=1), 60)
        before = self.queue()
        said = self.net.run("h1", "bash", "-c", f"exec {send} --json --quiet", timeout=120)
        summary = json.loads(said.splitlines()[-1])
        self.assertEqual((summary["type"], summary["ok"]), ("summary", True), said)
        self.assertEqual(summary["messages_complete"], summary["messages_posted"])
        counters, after = summary["counters"], self.queue()
        self.assertGreater(counters["fastcnp_accepted"], 2)
        self.assertEqual(after["dropped"], before["dropped"])
        self.assertLessEqual(counters["data_repeated"], counters["data_sent"] / 10, said)

    def test_refuses(self):
        """One that does not: the switch finds out and marks; CNPs of the listener slow the sender down. It ends with its
        last message. The listener takes the next sender on the same queue pairs."""
        listener, before = self.listener(), self.queue()
        sender = self.host("h1", *SENDER, *REACTION, "--send", "30000", "--messages", "20", "--qps", "2")
        status, summary = sender.ends()
        self.assertEqual((status, summary["ok"], summary["messages_complete"]), (0, True, 40), sender.said())
        self.assertEqual(summary["acked"], 40 * 30000)
        self.assertGreaterEqual(summary["counters"]["fastcnp_refused"], 1)
        self.assertEqual(summary["counters"]["fastcnp_accepted"], 0)
        self.assertGreater(summary["counters"]["cnp_received"], 0)
        self.assertLess(summary["rate_max_bps"], LINE)
        self.assertEqual([(s["prefix"], s["capability"]) for s in self.switch.json("show sender")],
                         [(ADDRESS["h1"] + "/128", "none")])
        after = self.queue()
        self.assertGreater(after["ce_marked"], before["ce_marked"])
        again = self.host("h1", *SENDER, "--operation", "write", "--send", "5000", "--messages", "2", "--qps", "2")
        status, second = again.ends()
        self.assertEqual((status, second["messages_complete"]), (0, 4), again.said())
        status, heard = listener.ends(signal.SIGINT)
        self.assertEqual((status, heard["messages_delivered"]), (0, 44))
        self.assertEqual(heard["counters"]["data_ce"], self.queue()["ce_marked"] - before["ce_marked"])
        self.assertEqual(heard["counters"]["cnp_sent"],
                         summary["counters"]["cnp_received"] + second["counters"]["cnp_received"])
        self.assertEqual(heard["counters"]["listened"], 4)
        self.switch.say("clear sender")

    def test_traces(self):
        """HPCC++: data carries a trace, which comes back with each acknowledgement and with each notice."""
        self.switch.say(f"sender add {ADDRESS['h1']}/128 capable")
        self.addCleanup(self.switch.say, f"sender remove {ADDRESS['h1']}/128")
        listener, before = self.listener(), self.queue()
        sender = self.host("h1", *SENDER, *ACCEPT, "--set", "ioam on hops 4 namespace 1", "--reaction",
                           "hpcc base-rtt 50ms min-rate 200K fallback 4M", "--send", "30000", "--messages", "15", "--qps",
                           "2")
        status, summary = sender.ends()
        self.assertEqual((status, summary["messages_complete"]), (0, 30), sender.said())
        after = self.queue()
        _, heard = listener.ends(signal.SIGINT)
        self.check_sums(summary, heard, before, after)
        counters = summary["counters"]
        self.assertGreater(counters["fastcnp_accepted"], 0)
        self.assertEqual(counters["fastcnp_trace"], counters["fastcnp_accepted"])
        self.assertEqual(counters["trace_received"], counters["ack_received"])
        self.assertEqual(counters["trace_malformed"], 0)
        self.assertEqual(sum(q["notices"] for q in summary["qps"]), counters["fastcnp_accepted"])

    def test_nobody_answers(self):
        host = self.host("h1", "--peer", "2001:db8:1::77", "--send", "1000", "--messages", "1", "--wait", "300ms")
        status, summary = host.ends()
        self.assertEqual((status, summary["ok"]), (1, False))
        self.assertIn("no answer to neighbour solicitations for 2001:db8:1::77\n", host.said())
        # The switch answers, the peer does not.
        host = self.host("h1", "--gateway", "2001:db8:1::fe", "--peer", "2001:db8:2::77", "--send", "1000", "--messages",
                         "1", "--wait", "3s")
        status, summary = host.ends()
        self.assertEqual((status, summary["messages_complete"]), (1, 0))
        self.assertIn("nothing was acknowledged by 2001:db8:2::77\n", host.said())
        self.assertIn("listens on queue pairs 2 to 2, and that no other sender uses them\n", host.said())

    def test_twice(self):
        """A listener that still runs: neighbour discovery could not tell two on one interface apart."""
        self.listener()
        process = self.net.popen("h2", testbed.options.fastcn_endpoint, "--no-pci", "--no-huge", "-m", "64", "-l", "0",
                                 "--no-shconf", "--no-telemetry", "--", "--port", "net_af_packet1,iface=eth0", "--addr",
                                 ADDRESS["h2"], "--listen", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        out, said = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 2)
        self.assertNotIn("messages", out)
        self.assertIn(f"another fastcn-endpoint uses eth0 with {ADDRESS['h2']}\n", said)

    def test_address_in_use(self):
        """It is the switch's."""
        host = self.host("h1", "--listen", address="2001:db8:1::fe")
        status, _ = host.ends()
        self.assertEqual(status, 1)
        self.assertIn("somebody else on the link has 2001:db8:1::fe\n", host.said())

    def test_interrupt(self):
        """Ctrl-C at any time ends it with its summary: at the beginning, and with messages under way for ever."""
        host = self.host("h1", "--peer", "2001:db8:1::77", "--send", "1000")
        testbed.wait_until(lambda: "tell its speed" in host.said(), 60)
        status, summary = host.ends(signal.SIGINT)
        self.assertEqual((status, summary["type"], summary["messages_posted"]), (1, "summary", 0))
        host = self.host("h1", "--gateway", "2001:db8:1::fe", "--peer", "2001:db8:2::77", "--send", "1000")
        testbed.wait_until(lambda: any(x["messages_posted"] > 0 for x in host.lines()), 60)
        host.process.send_signal(signal.SIGINT)
        with self.assertRaises(subprocess.TimeoutExpired):  # what was sent may still be acknowledged
            host.process.wait(0.3)
        self.assertIn("waiting for started messages", host.said())
        status, summary = host.ends(signal.SIGINT)
        self.assertEqual((status, summary["ok"], summary["messages_complete"]), (1, False, 0))

    def test_one_way(self):
        """Selective repeat at one end only, and a queue that loses packets: everything arrives, and it is told of."""
        self.switch.say("set queue p2 class 3 limit 20K")
        self.addCleanup(self.switch.say, "set queue p2 class 3 limit 1M")
        self.addCleanup(self.switch.say, "clear sender")  # which refused notices
        selective = ["--set", "selective-repeat on"]
        for here, there in ((selective, []), ([], selective)):
            with self.subTest(sender=bool(here)):
                listener = self.listener(*there)
                sender = self.host("h1", *SENDER, *here, "--set", "timeout 500ms", "--send", "40000", "--messages", "10")
                status, summary = sender.ends()
                self.assertEqual((status, summary["ok"], summary["messages_complete"]), (0, True, 10), sender.said())
                self.assertGreater(summary["counters"]["nak_other_way"], 0)
                self.assertIn("set it at both ends or at neither\n", sender.said())
                _, heard = listener.ends(signal.SIGINT)
                self.assertEqual((heard["messages_delivered"], heard["counters"]["payload_delivered"]), (10, 400000))

    def test_trimmed(self):
        """A queue that trims: what it has no room for is asked for by its headers, or returned to the sender, and is there long before
        any timeout. Nothing is dropped, and nothing else is sent again."""
        self.switch.say(f"sender add {ADDRESS['h1']}/128 capable")
        self.addCleanup(self.switch.say, f"sender remove {ADDRESS['h1']}/128")
        self.switch.say("set queue p2 class 3 limit 20K")
        self.addCleanup(self.switch.say, "set queue p2 class 3 limit 1M")
        self.switch.say("set queue p2 class 3 notify off")
        self.addCleanup(self.switch.say, "set queue p2 class 3 notify on")
        self.addCleanup(self.switch.say, "set queue p2 class 3 trim off")
        self.switch.say("set trim link-share off")  # a busy machine has packets come many at once
        self.addCleanup(self.switch.say, "set trim link-share 0.1")
        trim = ["--set", "trim on", "--set", "selective-repeat on", "--set", "cnp off"]
        for way in ("forward", "return"):
            with self.subTest(way=way):
                self.switch.say(f"set queue p2 class 3 trim {way}")
                before = self.switch.json("show queue p2 class 3 detail")[0]
                listener = self.listener(*trim)
                sender = self.host("h1", *SENDER, *trim, *ACCEPT, "--set", "timeout 30s", "--set", "window none", "--send",
                                   "30000", "--messages", "4")
                status, summary = sender.ends()
                self.assertEqual((status, summary["ok"], summary["messages_complete"]), (0, True, 4), sender.said())
                _, heard = listener.ends(signal.SIGINT)
                after = self.switch.json("show queue p2 class 3 detail")[0]
                count = {k: after[k] - before[k] for k in ("trimmed", "returned", "trim_limited", "dropped")}
                sent, got = summary["counters"], heard["counters"]
                self.assertEqual((sent["timeouts"], count["trim_limited"], got["rx_malformed"]), (0, 0, 0), count)
                self.assertEqual(got["data_duplicate"], 0)
                if way == "forward":
                    self.assertGreater(count["trimmed"], 0)
                    self.assertEqual(count["dropped"], 0)
                    self.assertEqual(got["trim_received"], count["trimmed"])
                    self.assertEqual(got["trim_nak_sent"], count["trimmed"])
                    self.assertEqual(sent["data_repeated"], count["trimmed"])
                    # A round trip, and the queue, which is 40 ms long.
                    self.assertLess(heard["repaired_ns"]["min"], 5e8)
                else:
                    self.assertGreater(count["returned"], 0)
                    self.assertEqual(sent["trim_returned"], count["returned"])
                    self.assertEqual(sent["data_repeated"], count["returned"])

    def test_link_down(self):
        """For a second, with messages under way: they are sent again, and it says what there was."""
        listener = self.listener()
        sender = self.host("h1", *SENDER, "--set", "timeout 500ms", "--send", "20000", "--duration", "4s")
        testbed.wait_until(lambda: any(x["messages_complete"] > 0 for x in sender.lines()), 60)
        self.addCleanup(self.net.ip, "h1", "link", "set", "eth0", "up")
        self.addCleanup(self.switch.say, "clear sender")
        self.net.ip("h1", "link", "set", "eth0", "down")
        testbed.wait_until(lambda: "the link is down\n" in sender.said(), 60)
        self.net.ip("h1", "link", "set", "eth0", "up")
        status, summary = sender.ends()
        self.assertEqual((status, summary["ok"]), (0, True), sender.said())
        self.assertIn("the link is up again\n", sender.said())
        _, heard = listener.ends(signal.SIGINT)
        self.assertEqual(heard["messages_delivered"], summary["messages_complete"])

    def test_command_line(self):
        good = ["--port", "net_null0", "--addr", "2001:db8::1/64"]
        for words, complaint in ((["--prot", "x"], "--prot: no such option"),
                                 (["--port"], "--port: needs a value"),
                                 ([], "--port is needed"),
                                 (good[:2], "--addr is needed"),
                                 (good, "--peer or --listen is needed"),
                                 ([*good, "--listen", "--rate", "10X"], "--rate 10X: 10X is not a rate"),
                                 ([*good, "--listen", "--qps=0"], "1 to 4096"),
                                 ([*good, "--peer", "192.0.2.1"], "--peer 192.0.2.1: "),
                                 ([*good, "--peer", "2001:db8:1::1"], "--gateway is needed"),
                                 ([*good, "--listen", "--send", "1K"], "--send needs --peer"),
                                 ([*good, "--listen", "--set", "fast-cnp acept"], "did you mean accept?"),
                                 ([*good, "--listen", "--set", "window 0"], "--set 'window 0': "),
                                 ([*good, "--listen", "--reaction", "dcqn"], "did you mean dcqcn?"),
                                 ([*good, "--listen", "--operation", "read"], "expected send or write"),
                                 ([*good, "--peer", "2001:db8::2", "--operation=write", "--send", "3G"], "at most 2 GiB"),
                                 ([*good[:3], "2001:db8::1", "--peer", "2001:db8::2"], "--addr has no length")):
            with self.subTest(words=words):
                p = subprocess.run([testbed.options.fastcn_endpoint, "--", *words], check=False, text=True,
                                   capture_output=True, timeout=30)
                self.assertEqual(p.returncode, 2)
                self.assertIn(complaint, p.stderr)
                self.assertEqual(p.stdout, "")
        p = subprocess.run([testbed.options.fastcn_endpoint, *good], check=False, text=True, capture_output=True,
                           timeout=30)
        self.assertEqual(p.returncode, 2)
        self.assertIn('own options after "--"', p.stderr)
        for words in (["--help"], ["--", "--help"]):
            p = subprocess.run([testbed.options.fastcn_endpoint, *words], check=False, text=True, capture_output=True,
                               timeout=30)
            self.assertEqual((p.returncode, p.stderr), (0, ""))
            self.assertIn("usage: fastcn-endpoint", p.stdout)
            self.assertIn("--first-qp NUMBER", p.stdout)
        with open(os.path.join(ROOT, "doc", "man", "fastcn-endpoint.1"), encoding="utf-8") as f:
            described = re.findall(r"^\.It Fl -([a-z-]+)", f.read(), re.M)
        self.assertEqual(sorted(described), sorted(re.findall(r"^  --([a-z-]+)", p.stdout, re.M)))


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, programs=("fastcn", "fastcn_endpoint"), net=Net))
