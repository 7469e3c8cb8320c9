#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What a newcomer copies: the commands in the head of each configuration, those of doc/getting-started.md, and
scripts/demo-leaf. They are run to the letter, in network, mount and process namespaces of their own with an empty /run,
so that they meet nobody else's. Replays need nothing; the rest needs root, ping, tshark and ethtool, or is skipped.

test_examples.py --fastcn PROGRAM --fastcnctl PROGRAM --fastcn_endpoint PROGRAM [unittest options]
"""

import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
from ipaddress import ip_address

import testbed

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.append(os.path.join(ROOT, "tests", "oracle"))

from fcnoracle import capture, notice, shark, walker  # noqa: E402

CONFIGS = sorted(glob.glob(os.path.join(ROOT, "config", "*.conf")))
# Which outputs of its replays have notices.
NOTICES_IN = {"incast.conf": {"h1.pcap"}, "congestion.conf": {"h1.pcap"}, "router.conf": {"a.pcap"}, "senders.conf": set(),
              "bridge.conf": set(), "srv6-p.conf": {"west.pcap"}, "srv6-pe1.conf": {"west.pcap", "h1.pcap"},
              "srv6-pe2.conf": {"west.pcap"}}
ISOLATED = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", "-c",
            'mount -t tmpfs tmpfs /run && ip link set lo up && exec "$@"', "-"]
LIVE_TOOLS = ("unshare", "ip", "ping", "tshark", "ethtool")


def commands(text, begin):
    """Lines that begin with a number of blanks, as commands; a backslash joins lines. begin: what stands before."""
    lines = [x[len(begin):] for x in text.splitlines() if x.startswith(begin)]
    return re.sub(r"\\\n\s*", "", "\n".join(lines)).splitlines()


def commands_of(config):
    with open(config, encoding="utf-8") as f:
        head = f.read().split("\n\n")[0]
    return [x for x in commands(head, "#   ") if re.match("(fastcn|ip|scripts/\\S+) ?", x)]


def replays():
    for config in CONFIGS:
        for line in commands_of(config):
            if line.startswith("fastcn replay "):
                yield config, line


def is_notice(p):
    """Whether a packet is a Fast CNP, in a tunnel or not."""
    return bool(p.bth and p.bth.opcode == walker.CNP and p.ip.extensions)


def is_start(line):
    return re.match(r"\S*\bfastcn .* -- ", line) is not None


class Place(unittest.TestCase):
    """A directory that looks like the repository with programs built in build/."""

    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="fcn-examples-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        for name in ("app", "config", "doc", "meson.build", "scripts", "tests"):
            os.symlink(os.path.join(ROOT, name), self.path(name))
        for name, program in (("fastcn", testbed.options.fastcn), ("fastcnctl", testbed.options.fastcnctl),
                              ("fastcn-endpoint", testbed.options.fastcn_endpoint)):
            os.makedirs(self.path("build/app/" + name))
            os.symlink(program, self.path(f"build/app/{name}/{name}"))
        self.env = {**os.environ, "PATH": ":".join([os.path.dirname(testbed.options.fastcn), os.path.dirname(
            testbed.options.fastcnctl), os.environ["PATH"]])}

    def path(self, *names):
        return os.path.join(self.directory, *names)


class Replays(Place):
    def test_each(self):
        for config, line in replays():
            with self.subTest(config=os.path.basename(config)):
                p = subprocess.run(line, shell=True, cwd=self.directory, env=self.env, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, timeout=60, check=False)
                # Of this one, no packet is for the router, as its head says.
                status = 4 if config.endswith("router-on-a-stick.conf") else 0
                self.assertEqual((p.returncode, bool(p.stderr)), (status, status != 0), p.stderr)
                self.assertIn("it balances", p.stdout)
                written = re.findall(r"--out \w+=(\S+)", line)
                for name in written:
                    self.check_output(os.path.basename(config), name)

    def check_output(self, config, name):
        found = [walker.walk(r.data) for r in capture.load(self.path(name)).records]
        self.assertTrue(found or config == "bridge.conf" or name not in NOTICES_IN[config], name)
        self.assertEqual(any(map(is_notice, found)), name in NOTICES_IN[config], name)
        if shark.available():
            # Of a notice, the UDP checksum is 0.
            self.assertEqual({w for said in shark.complaints(self.path(name)).values() for w in said} - {
                "UDP checksum absent"}, set())

    def test_wan(self):
        """What the heads of config/srv6-*.conf say of one another: each packet of h1 that P did not lose leaves PE2 as it came,
        but for the hops and the marks; each Fast CNP that P sends reaches h1 as it was in its tunnel, but for a hop."""
        for config, line in replays():
            if "srv6" in config:
                subprocess.run(line, shell=True, cwd=self.directory, env=self.env, stdout=subprocess.DEVNULL, check=True)
        frames = lambda name: [r.data for r in capture.load(self.path(name)).records]
        sent = [f for f in frames("tests/data/softroce-v6-rc-ect.pcap") if f[6:12] == bytes.fromhex("020000000a01")]
        left = iter(sent)
        got = frames("h2.pcap")
        # Behind the hop limit, octet for octet and in order.
        self.assertTrue(got and all(any(f[22:] == g[22:] and f[21] == g[21] + 2 for f in left) for g in got))
        self.assertEqual({f[15] >> 4 & 3 for f in sent}, {2})
        self.assertEqual({g[15] >> 4 & 3 for g in got}, {2, 3})
        wrapped, inner = frames("west.pcap"), frames("h1.pcap")
        self.assertEqual([w[54:61] + w[62:] for w in wrapped], [n[14:21] + n[22:] for n in inner])
        self.assertEqual([w[61] - n[21] for w, n in zip(wrapped, inner)], [1] * len(wrapped))
        profile = notice.Profile(ip_address("2001:db8:f::2").packed)
        for f in inner:
            self.assertEqual(notice.read(walker.walk(f), profile).receiver, ip_address("2001:db8:ab::b").packed)

    def test_every_configuration_is_run(self):
        """By its head: replayed with real captures, or live."""
        run = {config for config, _ in replays()}
        run |= {config for config in CONFIGS for line in commands_of(config) if is_start(line)}
        # test_proxy runs this demonstration, with all configurations whose heads name it.
        run |= {config for config in CONFIGS for line in commands_of(config) if line.split()[0] == "scripts/demo-proxy"}
        self.assertEqual(run, set(CONFIGS))
        self.assertLessEqual({os.path.join(ROOT, "config", n) for n in NOTICES_IN}, {c for c, _ in replays()})


class Isolated(Place):
    """In namespaces of its own; skipped without root."""

    @classmethod
    def setUpClass(cls):
        missing = [t for t in LIVE_TOOLS if shutil.which(t) is None]
        if os.geteuid() != 0 or missing:
            raise unittest.SkipTest("needs root" if not missing else "needs " + ", ".join(missing))
        if subprocess.run([*ISOLATED, "ip", "link", "add", "v1", "type", "veth", "peer", "name", "v2"], check=False).returncode != 0:
            raise unittest.SkipTest("no namespaces or veth here")

    def start(self, *words, **more):
        p = subprocess.Popen([*ISOLATED, *words], cwd=self.directory, env=self.env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             # Whoever runs the tests may ignore it (nohup); a shell could not trap it then.
                             preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL), **more)
        self.addCleanup(p.stdout.close)
        self.addCleanup(p.wait)
        self.addCleanup(p.kill)
        return p

    def run_script(self, lines):
        """In bash, until the first that fails; what it prints."""
        script = testbed.write(self.directory, "script", "\n".join(lines) + "\n")
        p = self.start("bash", "-e", script)
        said = p.communicate(timeout=testbed.seconds(120))[0]
        self.assertEqual(p.returncode, 0, said)
        return said

    def lines_to_run(self, lines):
        """The switch starts in the background, and in the foreground what follows waits for it. It has a console when
        it has -i; there, forwarding is to be started."""
        out = []
        for line in lines:
            if not is_start(line):
                out.append(line)
                continue
            out += [f"{line} < <(echo start; exec sleep infinity) >switch.log 2>&1 &", "switch=$!",
                    "until fastcnctl show version >/dev/null 2>&1; do kill -0 $switch || { cat switch.log; exit 1; }; "
                    "sleep 0.1; done", "fastcnctl set worker idle sleep 1ms"]
        return [*out, "fastcnctl show conservation", "fastcnctl shutdown", "wait $switch"]

    def page(self, heading):
        with open(self.path("doc/getting-started.md"), encoding="utf-8") as f:
            return re.search(rf"(?ms)^## {heading}\n(.*?)^## ", f.read())[1]

    # Everything that the demo may leave behind, if it is there.
    LEFT = ["ip netns", "ps -e -o comm=", "ls /run/fastcn"]

    def until_said(self, demo, words, end, timeout, between=()):
        """A demonstration that says these words, then other commands, and its end by a signal: what the commands print, and
        what the demonstration did. It leaves nothing behind, not even what it was doing, and no namespace of others goes."""
        p = self.start("bash", testbed.write(self.directory, "script", "\n".join([
            "ip netns add mine", f"{demo} --no-install >log 2>&1 & demo=$!",
            f'until grep -q "{words}" log; do kill -0 $demo || {{ cat log; exit 1; }}; sleep 0.5; done',
            *between, f"kill -{end} $demo; wait $demo; echo status $?; echo ended", *self.LEFT])))
        said = p.communicate(timeout=testbed.seconds(timeout))[0]
        self.assertIn("status 143\n", said)
        self.check_tidy(said)
        with open(self.path("log"), encoding="utf-8") as f:
            return said, f.read()

    def check_tidy(self, said):
        self.assertEqual(re.findall(r"(?m)^(?:leaf-.*|wan-.*|mine|fastcn|tshark|dumpcap|.*sock)$", said.split("ended\n")[1]),
                         ["mine"])


class Live(Isolated):
    def test_each(self):
        for config in CONFIGS:
            lines = [x for x in commands_of(config) if not x.startswith(("fastcn replay", "scripts/"))]
            if not any(map(is_start, lines)):
                continue
            with self.subTest(config=os.path.basename(config)):
                said = self.run_script(self.lines_to_run(lines))
                self.assertRegex(said, r"(?m)^ok: +yes$")
                pings = sum(" ping " in x for x in lines)
                self.assertEqual(len(re.findall(r"[123] received", said)), pings)

    def test_getting_started(self):
        """The taps by hand."""
        lines = commands(self.page("Live"), "    ")
        begin = next(i for i, x in enumerate(lines) if is_start(x))
        said = self.run_script(self.lines_to_run(x for x in lines[begin:]))
        self.assertIn("3 received", said)


class DemoLeaf(Isolated):
    def test_demo(self):
        """The whole show; Linux at h1 and tshark say the same as the switch. Then the commands for another terminal; the Ctrl-C
        of a terminal that is gone."""
        lines = commands(self.page("Live"), "    ")
        lines = lines[1:next(i for i, x in enumerate(lines) if is_start(x))]
        self.assertEqual([bool(re.search(r"tshark.*&$", x)) for x in lines], [False, True, False, False])
        ping, tshark, send, show = lines
        # Once tshark listens is not said: send until it has what it waits for.
        typed, said = self.until_said("scripts/demo-leaf", "Ctrl-C. In another", "HUP", 350, [
            ping, tshark, f"tshark=$!; while kill -0 $tshark; do {send}; done", show])
        self.assertIn(" 0% packet loss", typed)
        self.assertEqual(len(re.findall(r"(?m) 2001:db8:f::5 \S+ 2001:db8:1::1 .* 118 ", typed)), 5, typed)
        self.assertRegex(typed, r"(?m)^h2 +3 ")
        self.check_reaction(said)
        self.assertEqual(len(re.findall(" 0% packet loss", said)), 3)
        self.assertRegex(said, r"(?m)^2001:db8:1::1/128 +none +answer ")
        first, second = said.split("understands")
        tshark = [int(n) for n in re.findall(r"\((\d+) Fast CNPs; the first packets:\)", said)]
        rows = [x.split() for x in re.findall(r"(?m)^h2 +3 .*$", said) if "no" in x.split()]
        notices, marked = [int(x[-2]) for x in rows], [int(x[-1]) for x in rows]
        # A live capture may end before the last of them, and never shows more.
        self.assertEqual(tshark[0], notices[0])
        self.assertIn(notices[1] - notices[0] - tshark[1], range(6))
        # The complaint stops them, as soon as it has come.
        self.assertIn(notices[0], range(1, 20))
        self.assertGreater(notices[1], 20)
        # Those that understand are told once, not twice.
        self.assertGreater(marked[0], 20)
        self.assertEqual(marked[1], marked[0])
        self.assertIn("Parameter Problem", first)
        self.assertRegex(second, r"(?m)^ok: +yes$")

    def check_reaction(self, said):
        """The table of the first part, by near and far receiver and switch: a CNP cannot come sooner than it is sent."""
        row = lambda text: [float(x) for x in re.search(rf"(?m)^{text} +([\d.]+) +([\d.]+) +([\d.]+)$", said).groups()]
        told, lost, goodput = (row(x) for x in ("first notice after the first packet, ms", "packets lost in the queue",
                                                "goodput, Mb/s"))
        self.assertGreaterEqual(told[1], 200, said)
        self.assertLess(max(told[0], told[2]), told[1], said)
        self.assertLessEqual(lost[2], lost[1], said)
        self.assertGreater(goodput[2], goodput[1], said)
        self.assertGreater(min(row("notices that the senders got")), 10, said)
        self.assertEqual(len(re.findall(r"(?m)^ \d\.\d s +\d+ KB .* KB .* KB", said)), 25, said)

    def test_demo_interrupted(self):
        self.until_said("scripts/demo-leaf --part 2", "ping it", "TERM", 100)

    def test_demo_beside_another(self):
        """Namespaces that it did not make are left alone."""
        said = self.run_script(["ip netns add leaf-h1", "! scripts/demo-leaf --no-install --once 2>&1", "ip netns"])
        self.assertIn("is another demo running? If not: ip netns del leaf-h1", said)
        self.assertEqual(said.split()[-1], "leaf-h1")
        self.assertNotIn("leaf-sw", said.splitlines())


class DemoWan(Isolated):
    def test_wan(self):
        """Each Fast CNP of P that it counts is taken out of its tunnel by PE1 and seen by tshark at h1. Of two flows, one loses packets
        without flow control, both with PFC, and none with ARN. Nothing of three switches is left."""
        _, said = self.until_said("scripts/demo-wan", "Ctrl-C. In another", "TERM", 350)
        self.assertEqual(len(re.findall(" 0% packet loss", said)), 2)
        sent = int(re.search(r"sent_option1 +(\d+)", said)[1])
        self.assertGreater(sent, 20)
        self.assertRegex(said, rf"\ntaken: +{sent}\n")
        # A live capture may end before the last of them, and never shows more.
        self.assertIn(sent - int(re.search(r"\((\d+) Fast CNPs; the first:\)", said)[1]), range(6))
        shares = [int(x) for x in re.findall(r"packets arrived \((\d+) %\)", said)]
        self.assertEqual(len(shares), 6)
        # Where they are lost.
        dropped = [(int(p), int(pe1)) for p, pe1 in re.findall(r"dropped by P: (\d+), by PE1: (\d+)", said)]
        self.assertEqual([p > 100 for p, _ in dropped], [True, False, False])
        self.assertEqual([pe1 > 100 for _, pe1 in dropped], [False, True, False])
        too_much, free = shares[::2], shares[1::2]
        self.assertLess(max(*too_much[:2], free[1]), 80)
        # As long as a machine has time for the switches, it is 100.
        self.assertGreater(min(free[0], free[2], too_much[2]), 90)
        self.assertEqual(len(re.findall(r"(?m)^ok: +yes$", said)), 3)


class DemoProxy(Isolated):
    def test_proxy(self):
        """Without a proxy, an adapter that knows CNPs only is not slowed down; with one it is, and next to nothing is lost."""
        p = self.start("scripts/demo-proxy", "--no-install", "--once")
        said = p.communicate(timeout=testbed.seconds(300))[0]
        self.assertEqual(p.returncode, 0, said)
        row = lambda text: tuple(int(x) for x in re.search(rf"(?m)^{text} +(\d+) +(\d+)$", said).groups())
        refused, taken = row("Fast CNPs that the adapter of h1 refused"), row("CNPs that it took")
        self.assertGreater(refused[0], 0)
        self.assertEqual((refused[1], taken[0]), (0, 0))
        self.assertGreater(taken[1], 10)
        lost = row("packets lost in the queue to h2")
        self.assertGreater(lost[0], 100)
        self.assertLess(lost[1], lost[0] / 4)
        # What the proxy counts is what the adapter took, but for what was on its way at the end.
        sent = int(re.search(r"(?m)^cnp:? +(\d+)", said)[1])
        self.assertIn(sent - taken[1], range(4))
        self.assertEqual(len(re.findall(r"(?m)^ok: +yes$", said)), 3)


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, programs=("fastcn", "fastcnctl", "fastcn_endpoint")))
