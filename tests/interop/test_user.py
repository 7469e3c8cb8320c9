#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The users that the programs run as, as the kernel tells it in /proc: with --user, and with few capabilities from the
beginning. Needs root.

test_user.py --fastcn PROGRAM --fastcn_pnc PROGRAM [unittest options]
"""

import os
import pwd
import re
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

import testbed
from testbed import Namespaces, Switch, wait_until

USER = "nobody"
NET_ADMIN, NET_RAW = 1 << 12, 1 << 13  # capabilities(7)
RINGS = ["net_ring0", "net_ring1"]


def threads(pid):
    """Of each thread: what its status says."""
    for tid in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{tid}/status", encoding="ascii") as f:
            yield int(tid), dict(line.rstrip("\n").split(":\t", 1) for line in f if ":\t" in line)


def capabilities(status):
    return int(status["CapEff"], 16) | int(status["CapPrm"], 16) | int(status["CapInh"], 16)


@unittest.skipUnless(os.geteuid() == 0, "needs root")
class User(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="fcn-user-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        os.chmod(self.directory, 0o777)
        self.user = pwd.getpwnam(USER)

    def assert_is_user(self, pid, may):
        """All threads are the user's; those of `may` have its capabilities, and the others none."""
        having = {}
        for tid, status in threads(pid):
            self.assertEqual(status["Uid"].split(), [str(self.user.pw_uid)] * 4, status)
            self.assertEqual(status["Gid"].split(), [str(self.user.pw_gid)] * 4, status)
            self.assertEqual(set(status["Groups"].split()), {str(self.user.pw_gid)}, status)
            if capabilities(status):
                having[tid] = capabilities(status)
                self.assertEqual(status["NoNewPrivs"], "1")
        self.assertEqual(sorted(having.values()), may)
        return having

    def test_switch(self):
        """It works on, and can open interfaces of the kernel, but no files of root."""
        net = Namespaces("sw")
        self.addCleanup(net.destroy)
        net.create()
        net.ip("sw", "link", "add", "s1", "type", "veth", "peer", "name", "h1")
        for name in ("s1", "h1"):
            net.ip("sw", "link", "set", name, "up", "mtu", "1600")
        config = testbed.write(self.directory, "fastcn.conf",
                               "port add p1 device net_ring0\nport add p2 device net_ring1\n")
        secret = testbed.write(self.directory, "secret", "show version\n")
        os.chmod(secret, 0o600)
        switch = Switch(self.directory, config, "--user", USER, vdevs=RINGS, namespace=net.name["sw"])
        self.addCleanup(switch.end)
        switch.wait()
        pid = switch.process.pid
        having = self.assert_is_user(pid, [NET_ADMIN | NET_RAW] * 2)
        self.assertIn(pid, having)  # the control thread; the other one does what may take long
        self.assertEqual(int(dict(threads(pid))[pid]["CapAmb"], 16), NET_ADMIN | NET_RAW)  # for a process that takes over
        self.assertGreater(len(list(threads(pid))), 3)
        self.assertTrue(switch.json("show status")["forwarding"])
        # With another MTU, so that CAP_NET_ADMIN is used.
        self.assertEqual(switch.say("port add p3 mtu 1500 device net_af_packet0,iface=s1"), "")
        self.assertIn("mtu 1500", net.ip("sw", "link", "show", "s1"))
        self.assertIn("Permission denied", switch.say(f"load {secret}"))
        self.assertEqual(switch.say("port remove p3"), "")
        said = switch.said()
        for line in (rf"runs as user {USER} \({self.user.pw_uid}\) from now on", "keeps CAP_NET_ADMIN: .+", "keeps CAP_NET_RAW: .+"):
            self.assertRegex(said, rf"(?m)^fastcn: {line}$")
        self.assertNotIn("CAP_SYS_ADMIN", said)
        self.assertEqual(switch.stop()[0], 0)

    def test_namespace(self):
        """What cannot be given up is said."""
        net = Namespaces("cp")
        self.addCleanup(net.destroy)
        net.create()
        config = testbed.write(self.directory, "fastcn.conf", f"set kernel namespace {net.name['cp']}\n")
        switch = Switch(self.directory, config, "--user", USER)
        self.addCleanup(switch.end)
        switch.wait()
        self.assert_is_user(switch.process.pid, [NET_ADMIN | NET_RAW | 1 << 21] * 2)
        self.assertIn("keeps CAP_SYS_ADMIN: it enters the namespace of set kernel namespace", switch.said())

    def as_nobody(self, *capability):
        """The words that start a program as the user, with these capabilities and no others."""
        some = ",".join(["-all", *("+" + x for x in capability)])
        return ["setpriv", f"--reuid={USER}", f"--regid={self.user.pw_gid}", "--clear-groups", f"--inh-caps={some}",
                f"--ambient-caps={some}", f"--bounding-set={some}"]

    def test_no_way_up(self):
        words = [*self.as_nobody(), testbed.options.fastcn, *testbed.eal("--no-telemetry"), "--", "--no-socket", "--mbufs", "4095", "--user", "root",
                 "-e", "shutdown"]
        p = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False,
                           timeout=testbed.seconds(60), cwd=self.directory, env={**os.environ, "XDG_RUNTIME_DIR": self.directory})
        self.assertEqual(p.returncode, 2, p.stderr)
        self.assertIn("fastcn: --user root: Operation not permitted: only root, or who has CAP_SETUID and CAP_SETGID", p.stderr)

    def test_mtu_is_not_set_again(self):
        """Without CAP_NET_ADMIN, setting an MTU is the first thing that the kernel refuses; an interface that has it already gets
        farther. (DPDK's driver then fails as it sets the promiscuous mode.)"""
        net = Namespaces("sw")
        self.addCleanup(net.destroy)
        net.create()
        net.ip("sw", "link", "add", "s1", "type", "veth", "peer", "name", "h1")
        for name in ("s1", "h1"):
            net.ip("sw", "link", "set", name, "up")

        def start(mtu):
            line = f"port add p1 mtu {mtu} device net_af_packet0,iface=s1; shutdown"
            words = ["ip", "netns", "exec", net.name["sw"], *self.as_nobody("net_raw"), testbed.options.fastcn,
                     *testbed.eal("--no-telemetry"), "--", "--no-socket", "--mbufs", "4095", "-e", line]
            return subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  check=False, timeout=testbed.seconds(60), cwd=self.directory,
                                  env={**os.environ, "XDG_RUNTIME_DIR": self.directory}).stdout

        out = start(1500)
        self.assertIn("device net_af_packet0: cannot be started", out)
        self.assertNotIn("MTU", out)
        self.assertIn("device net_af_packet0: MTU 1400: ", start(1400))

    def pnc(self, *words):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = str(s.getsockname()[1])
        errors = tempfile.TemporaryFile(dir=self.directory)
        process = subprocess.Popen([testbed.options.fastcn_pnc, "--print", "--user", USER, "--bmp", "127.0.0.1", port, *words],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors)

        def end():
            process.send_signal(signal.SIGTERM)
            self.assertEqual(process.wait(timeout=testbed.seconds(20)), 0)
            errors.close()
        self.addCleanup(end)

        def dropped():
            self.assertIsNone(process.poll())
            with open(f"/proc/{process.pid}/status", encoding="ascii") as f:
                text = f.read()
            return re.search(rf"(?m)^Uid:\t{self.user.pw_uid}\t", text) and re.search(r"(?m)^NoNewPrivs:\t1", text)
        wait_until(dropped)
        return process.pid

    def test_pnc(self):
        self.assert_is_user(self.pnc(), [])

    def test_pnc_interface(self):
        """Interfaces may come later, and need CAP_NET_RAW."""
        self.assert_is_user(self.pnc("--interface", "nothing0"), [NET_RAW])


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, programs=("fastcn", "fastcn_pnc")))
