#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""How the live switch starts: wrong options, signals while it starts, and the memory it gets. Needs neither root nor a
network.

test_start.py --fastcn PROGRAM [unittest options]
"""

import glob
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

import testbed
from test_fastcnctl import Terminal
from testbed import Switch, options, wait_until

CONFIG = """
port add p1 device net_ring0
port add p2 device net_ring1
bridge add br0
bridge br0 port add p1
bridge br0 port add p2
"""
VDEVS = ("net_ring0", "net_ring1")
# Where Debian has the plug-ins of EAL.
PLUGINS = "/usr/lib/*/dpdk/pmds-*"

# For packets that pass: the addresses are checked by DAD for a second, which must not hold up what is not for the switch.
ROUTED = """
port add p1 device net_pcap0
port add p2 device net_pcap1
set port p1 mac 02:00:00:00:00:aa
address add p1 2001:db8:1::1/64
address add p2 2001:db8:2::1/64
neighbour add p2 2001:db8:2::2 02:00:00:00:00:02
route add 2001:db8:3::/48 via 2001:db8:2::2 port p2
"""
# An UDP packet over IPv6 without content, from 2001:db8:1::9 to 2001:db8:3::9.
PACKET = bytes.fromhex("0200000000aa" "020000000009" "86dd" "6000000000081140" "20010db8000100000000000000000009"
                       "20010db8000300000000000000000009" "03e807d000080000")
# What a switch may take at most until the first packet has passed, on an idle machine. It takes 0.3 s with hugepages and
# 0.7 s without, of which EAL needs a quarter of a second. The bound is for machines that do other things.
FIRST_PACKET_SECONDS = 5


def memory(megabytes):
    """Arguments of EAL; of two -m the last one holds."""
    return ["--no-telemetry", "-m", str(megabytes)]


@unittest.skipUnless(os.geteuid() == 0 and glob.glob(PLUGINS), "needs root, and DPDK's plug-ins in Debian's place")
class WithoutPlugins(unittest.TestCase):
    """EAL finds no plug-ins, so DPDK cannot create pools of packet buffers: each program says what is missing."""

    def run_without(self, *command):
        hide = 'for d in ' + PLUGINS + '; do mount -t tmpfs none "$d" || exit 99; done; exec "$@"'
        return subprocess.run(["unshare", "--mount", "sh", "-c", hide, "sh", *map(str, command)], capture_output=True, text=True, timeout=60)

    def test_programs(self):
        app = os.path.dirname(os.path.dirname(os.path.abspath(options.fastcn)))
        top = os.path.dirname(os.path.dirname(testbed.__file__))
        none = os.path.join(top, "data/broken/header-only.pcap")
        conf = os.path.join(top, "../config/bridge.conf")
        with open(conf, encoding="utf-8") as file:
            port = next(line.split()[2] for line in file if line.startswith("port add "))
        for command in (["fastcn/fastcn", "--no-huge", "--no-pci", "--no-shconf", "--", "-e", "show status"],
                        ["fastcn/fastcn", "replay", conf, "--in", f"{port}={none}"],
                        ["fastcn-lab/fastcn-lab", os.path.join(top, "../config/lab/x2-incast.lab"), "--no-plots"]):
            with self.subTest(command[0]):
                p = self.run_without(os.path.join(app, command[0]), *command[1:])
                self.assertNotIn(p.returncode, (0, 99), p.stderr)
                self.assertIn('DPDK has no mempool handler "ring_mp_mc"', p.stderr)
                self.assertNotIn("out of memory", p.stderr)


class Start(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="fcn-start-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.config = testbed.write(self.directory, "fastcn.conf", CONFIG)

    def switch(self, config=None, *more, **words):
        switch = Switch(self.directory, config, *more, vdevs=VDEVS, **words)
        self.addCleanup(switch.end)
        return switch

    def refused(self, *words, eal=(), status=2):
        """2: the command line or the configuration is wrong; 3: something of the system is not there, or in use."""
        buffers = () if "--mbufs" in words or eal[:1] == ("-m",) else ("--mbufs", "4095")
        p = subprocess.run([options.fastcn, *testbed.eal("--no-telemetry", *eal), "--", "--no-socket", *buffers, *words], check=False,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=testbed.seconds(60))
        self.assertEqual(p.returncode, status, p.stderr)
        return p.stderr

    def test_wrong_options(self):
        for words, said in ((("-f", "/nonexistent"), "fastcn: -f /nonexistent: No such file or directory\n"),
                            (("--mbufs", "1022"), "the number of packet buffers must be 1023 to 8388607"),
                            (("--mbufs", "8388608"), "the number of packet buffers must be 1023 to 8388607"),
                            (("--mbufs", "10k"), "--mbufs 10k: the number"),
                            (("--mbufs", "-1"), "--mbufs -1: the number"),
                            (("--seed", "x"), "--seed x: the value must be a number"),
                            (("more",), 'unexpected argument "more"')):
            with self.subTest(words=words):
                self.assertIn(said, self.refused(*words))
        # They are told before EAL has started, which would not start like this.
        self.assertIn("No such file", self.refused("-f", "/nonexistent", eal=("--nonsense",)))

    def test_options_without_dashes(self):
        """An option of the switch among those of EAL is told in one line, not with all options of EAL."""
        for words in (("-f", "x.conf"), ("-l", "0,1", "-i"), ("--no-pci", "--name=other"), ("--rollback-dir", "x", "--", "-i")):
            with self.subTest(words=words):
                p = subprocess.run([options.fastcn, *words], check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   timeout=testbed.seconds(60))
                self.assertEqual((p.returncode, p.stdout), (2, ""))
                self.assertRegex(p.stderr, r"\Afastcn: -\S+ is an option of the switch: these stand behind --.*\n\Z")

    def test_what_eal_says(self):
        """Of a start that succeeds it is in the log; of one that fails, and for who asks for it, on the screen."""
        def run(*more):
            return subprocess.run([options.fastcn, "-l", "0,1", "--no-huge", "-m", "128", "--no-pci", "--no-shconf", "--no-telemetry", *more,
                                   "--", "--no-socket", "--mbufs", "8191", "-e", "show log;shutdown"], check=False, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, text=True, timeout=testbed.seconds(60))
        said = "EAL: Detected CPU lcores: "
        p = run()
        self.assertEqual((p.returncode, p.stderr), (0, ""))
        self.assertIn(said, p.stdout)
        p = run("--log-level=lib.eal:info")
        self.assertEqual(p.returncode, 0)
        self.assertIn(said, p.stdout)
        self.assertIn(said, p.stderr)
        p = run("--vdev", "net_nothing")
        self.assertEqual((p.returncode, p.stdout), (3, ""))
        self.assertRegex(p.stderr, r"(?s)EAL: .*net_nothing.*\nfastcn: EAL: .*\n\Z")
        self.assertNotIn(said, p.stderr)

    def test_first_packet(self):
        """The time from the start of the program until a packet has left by the other port."""
        received, sent = (os.path.join(self.directory, name) for name in ("in.pcap", "out.pcap"))
        with open(received, "wb") as f:
            f.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
            f.write(struct.pack("<IIII", 0, 0, len(PACKET), len(PACKET)) + PACKET)
        config = testbed.write(self.directory, "routed.conf", ROUTED)
        for more in ((), ("--mbufs", "4095")):
            with self.subTest(more=more):
                begin = time.monotonic()
                switch = Switch(self.directory, config, *more,
                                vdevs=(f"net_pcap0,rx_pcap={received},infinite_rx=1", f"net_pcap1,tx_pcap={sent}"))
                self.addCleanup(switch.end)
                # The file has a header of 24 bytes; packets reach it by pages.
                wait_until(lambda: os.path.exists(sent) and os.path.getsize(sent) > 24, timeout=4 * FIRST_PACKET_SECONDS)
                took = time.monotonic() - begin
                self.assertEqual(switch.wait().stop()[0], 0)
                os.remove(sent)
                print(f"first packet after {took:.2f} s {' '.join(more)}, load {os.getloadavg()[0]:.1f}", file=sys.stderr)
                self.assertLess(took, testbed.seconds(FIRST_PACKET_SECONDS))

    def test_too_little_memory(self):
        self.assertIn("no memory for 65535 packet buffers on NUMA node 0: Cannot allocate memory; fewer are enough (--mbufs "
                      "N), or give EAL more memory (-m MB or hugepages)", self.refused("--mbufs", "65535", eal=("-m", "64"), status=3))
        self.assertIn("(-m 128 or more without hugepages), or choose the number of packet buffers (--mbufs N)",
                      self.refused(eal=("-m", "16"), status=3))
        # The buffers fit, what else the switch needs does not.
        self.assertIn("no memory for the workers: give EAL more memory (-m MB or hugepages), or choose fewer packet buffers "
                      "(--mbufs N)", self.refused("--mbufs", "14000", eal=("-m", "64"), status=3))

    def test_memory(self):
        # A buffer takes a page of 4 KB without hugepages; 28 MB are left for the rest.
        for megabytes, more, least, most in ((128, (), 16383, 100 << 8), (64, (), 4095, 36 << 8), (512, (), 65535, 65535),
                                             (64, ("--mbufs", "5000"), 5000, 5000)):
            with self.subTest(megabytes=megabytes, more=more):
                switch = self.switch(self.config, *more, eal_options=memory(megabytes)).wait()
                said = switch.said()
                n = int(said.split(" packet buffers, as EAL")[0].split()[-1]) if " packet buffers, as" in said else (
                    int(more[1]) if more else 65535)
                self.assertTrue(least <= n <= most, said)
                self.assertEqual(switch.say("port add p3 device net_null0"), "")
                self.assertEqual(switch.stop()[0], 0)

    def test_signal_while_it_starts(self):
        """At any time of the start. How far it has come by then depends on the machine, what is expected does not."""
        for number in (signal.SIGTERM, signal.SIGINT):
            for milliseconds in (0, 5, 10, 20, 30, 50, 75, 100, 150, 200, 300, 400, 500, 600, 700, 800, 1000):
                with self.subTest(number=number, milliseconds=milliseconds):
                    switch = self.switch(self.config)
                    time.sleep(milliseconds / 1000)
                    status, seconds = switch.stop(number)
                    self.assertIn(status, (0, -number), switch.said())
                    self.assertLess(seconds, testbed.seconds(2))
                    switch.end()

    def test_start_that_hangs(self):
        """Nobody writes to the pipe that is its configuration."""
        pipe = os.path.join(self.directory, "pipe")
        os.mkfifo(pipe)
        switch = self.switch(pipe)
        wait_until(lambda: os.path.exists(switch.path))  # the socket is there before the configuration is read
        status, seconds = switch.stop(signal.SIGTERM)
        self.assertEqual(status, -signal.SIGTERM, switch.said())
        self.assertLess(seconds, testbed.seconds(1))
        self.assertIn("fastcn: ended at once, as it could not be ended in order", switch.said())

    def test_second_signal(self):
        pipe = os.path.join(self.directory, "pipe")
        os.mkfifo(pipe)
        switch = self.switch(pipe)
        wait_until(lambda: os.path.exists(switch.path))
        switch.process.send_signal(signal.SIGINT)
        wait_until(lambda: self.pending(switch.process.pid) == 0)  # two of one kind would be one
        status, _ = switch.stop(signal.SIGINT)
        self.assertEqual(status, -signal.SIGINT)
        self.assertTrue(switch.said().endswith("ended at once by a second signal\n") or
                        "could not be ended in order" in switch.said())

    def configured(self, *lines):
        return testbed.write(self.directory, "other.conf", "".join(line + "\n" for line in lines))

    def test_killed(self):
        """What a switch that was killed leaves behind does not keep the next one from starting."""
        path = os.path.join(self.directory, "device.sock")
        for device, name in ((f"net_memif0,role=server,socket-abstract=no,socket={path}", "net_memif0"),
                             (f"net_vhost0,iface={path}", "net_vhost0")):
            for vdevs, line in (((), device), ((device,), name)):
                with self.subTest(device=device, vdevs=vdevs):
                    config = self.configured(f"port add p1 device {line}")
                    for _ in range(2):
                        switch = Switch(self.directory, config, vdevs=vdevs)
                        self.addCleanup(switch.end)
                        switch.wait()
                        self.assertEqual(switch.stop(signal.SIGKILL)[0], -signal.SIGKILL)
                        self.assertTrue(os.path.exists(path))
                        switch.end()
                    os.remove(path)

    def test_not_left_behind(self):
        """What another process serves, and what is no socket, stays, and the status says that a later try may succeed."""
        path = os.path.join(self.directory, "device.sock")
        device = f"port add p1 device net_memif0,role=server,socket-abstract=no,socket={path}"
        with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as other:
            other.bind(path)
            other.listen()
            self.refused("-f", self.configured(device), status=3)
            self.refused("-e", device, status=3)
            self.assertTrue(os.path.exists(path))
        os.remove(path)
        testbed.write(self.directory, "device.sock", "kept")
        self.refused("-f", self.configured(device), status=3)
        with open(path, encoding="ascii") as f:
            self.assertEqual(f.read(), "kept")

    def test_status(self):
        for lines, status in ((("port add p1 device net_af_packet0,iface=nosuch0",), 3),
                              (("port add p1 device net_null0,size=0",), 2),
                              (("port add p1 devic net_null0",), 2)):
            with self.subTest(lines=lines):
                self.refused("-f", self.configured(*lines), status=status)

    def test_too_many_ports(self):
        for n, said in ((40, "port p33: device net_null33: this DPDK has room for 32 Ethernet devices (RTE_MAX_ETHPORTS), and "
                             "all of them are in use"),
                        (300, "other.conf:257:1: a switch has at most 256 ports, sub-interfaces included")):
            with self.subTest(n=n):
                lines = self.refused("-f", self.configured(*(f"port add p{i} device net_null{i}" for i in range(1, n + 1))))
                self.assertIn(said, lines)
                self.assertLessEqual(len(lines.splitlines()), 4, lines)

    def test_failsafe(self):
        """EAL of DPDK 22.11 cannot free a net_failsafe itself."""
        for lines, status in ((("port add p1 devic net_failsafe0",), 2), (("port add p1 device net_failsafe0",
                              "port add p2 device net_af_packet0,iface=nosuch0"), 3)):
            with self.subTest(lines=lines):
                self.refused("-f", self.configured(*lines), eal=("--vdev", "net_failsafe0,dev(net_null8)"), status=status)
        switch = Switch(self.directory, self.configured("port add p1 device net_failsafe0"),
                        vdevs=("net_failsafe0,dev(net_null8)",))
        self.addCleanup(switch.end)
        self.assertEqual(switch.wait().stop()[0], 0)

    def test_own_console(self):
        """Its prompt, and the summary at its end."""
        for end in ("quit\n", "shutdown\n", "\004"):
            with self.subTest(end=end):
                t = Terminal([options.fastcn, *testbed.eal("--no-telemetry"), *(w for v in VDEVS for w in ("--vdev", v)),
                              "--", "--no-socket", "--mbufs", "4095", "-i", "-f", self.config], os.environ)
                self.addCleanup(t.end)
                t.until(r"fastcn\(stopped\)> $")
                t.type("start\n")
                t.until("fastcn> $")
                t.type("show status json\n")
                self.assertRegex(t.until("fastcn> $"), r'"forwarding": true')
                t.type("stop\n")
                self.assertIn("conservation:", t.until(r"fastcn\(stopped\)> $"))
                t.type("show prot\n")
                self.assertEqual(t.until(r"fastcn\(stopped\)> $").splitlines()[1], " " * (len("fastcn(stopped)> ") + 5) + "^")
                t.type(end)
                shown = t.until(r"(?s)ports:.*ok: +yes\r?\n")
                self.assertEqual(shown.count("conservation:"), 1)
                self.assertNotIn(">", shown.partition("ports:")[2])
                self.assertEqual(t.wait(), 0)

    @staticmethod
    def pending(pid):
        """Signals of the process that no thread has received."""
        with open(f"/proc/{pid}/status", encoding="ascii") as f:
            return next(int(line.split()[1], 16) for line in f if line.startswith("ShdPnd:"))


class Replay(unittest.TestCase):
    def test_the_cpus_it_may_use(self):
        """All that it might use before, not the one of DPDK's lcore: replays that run side by side would wait for each other.
        It is looked at while it waits for its input."""
        with tempfile.TemporaryDirectory() as directory:
            fifo = os.path.join(directory, "p1.pcap")
            os.mkfifo(fifo)
            config = testbed.write(directory, "fastcn.conf", "port add p1\n")
            process = subprocess.Popen([options.fastcn, "replay", config, "--in", "p1=" + fifo, "--quiet"])
            with open(fifo, "wb") as f:
                self.assertEqual(os.sched_getaffinity(process.pid), os.sched_getaffinity(0))
                f.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
            self.assertEqual(process.wait(testbed.seconds(20)), 0)

    def test_interrupted(self):
        """Ctrl-C while it waits for more packets: the report has those before, and the exit status tells it from a whole run."""
        with tempfile.TemporaryDirectory() as directory:
            fifo = os.path.join(directory, "p1.pcap")
            os.mkfifo(fifo)
            config = testbed.write(directory, "fastcn.conf", "port add p1\n")
            process = subprocess.Popen([options.fastcn, "replay", config, "--in", "p1=" + fifo, "--json", "-"], stdout=subprocess.PIPE, text=True)
            with open(fifo, "wb", buffering=0) as f:
                f.write(struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1) + struct.pack("<IIII", 0, 0, len(PACKET), len(PACKET)) + PACKET)
                wait_until(lambda: catches(process.pid, signal.SIGINT))
                process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=testbed.seconds(20))
            self.assertEqual(process.returncode, 128 + signal.SIGINT)
            self.assertFalse(json.loads(out)["complete"])


def catches(pid, number):
    """Whether a process has a handler for a signal."""
    with open(f"/proc/{pid}/status", encoding="ascii") as f:
        caught = next(int(line.split()[1], 16) for line in f if line.startswith("SigCgt"))
    return caught >> (number - 1) & 1


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__))
