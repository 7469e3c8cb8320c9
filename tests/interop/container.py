# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A Debian with systemd in a container, which scripts/setup has made of Debian's packages. What a test changes in it is in
memory, and gone with it."""

import os
import shutil
import subprocess
import time

import testbed


def missing(directory):
    """What there is not of all that is needed, or None. While scripts/setup makes the Debian, there is a log; wait for its
    end."""
    if os.geteuid() != 0:
        return "needs root"
    if shutil.which("systemd-nspawn") is None:
        return "needs systemd-nspawn"
    end = time.monotonic() + testbed.seconds(90)
    while os.path.exists(directory + ".log") and time.monotonic() < end:
        time.sleep(1)
    if not os.path.exists(os.path.join(directory, "sbin", "init")):
        return f"no Debian in {directory}: scripts/setup makes it"
    return None


class Container:
    """A machine with its own systemd and network; `shared` is /shared in it."""

    def __init__(self, directory, shared):
        self.log = open(os.path.join(shared, "console"), "w+b")
        words = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--volatile=overlay", "--private-network",
                 "--capability=all", "--link-journal=no", "--machine=fastcn-test", f"--directory={directory}",
                 f"--bind={shared}:/shared", "--bind=/dev/net/tun", "--bind-ro=/sys/module", "--console=pipe", "--boot"]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT,
                                        start_new_session=True)
        try:
            self.init = testbed.wait_until(self.child, 20)
            testbed.wait_until(self.booted, 60)
        except BaseException:
            self.end()
            raise

    def child(self):
        """The container's systemd, a child of systemd-nspawn."""
        if self.process.poll() is not None:
            raise AssertionError(f"systemd-nspawn ended: {self.said()}")
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="ascii") as f:
            pids = f.read().split()
        for pid in pids:  # there is another one before
            with open(f"/proc/{pid}/comm", encoding="ascii") as f:
                if f.read() == "systemd\n":
                    return pid
        return None

    def booted(self):
        if self.process.poll() is not None:
            raise AssertionError(f"systemd-nspawn ended: {self.said()}")
        return self.ask("systemctl is-system-running")[1].strip() in ("running", "degraded")

    def ask(self, command, timeout=60):
        """A command of the shell: its status, and all that it prints."""
        p = subprocess.run(["nsenter", "-t", self.init, "-a", "env", "-i", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C",
                            "sh", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, timeout=testbed.seconds(timeout), check=False)
        return p.returncode, p.stdout

    def say(self, command, timeout=60):
        """The same of a command that has to succeed; what it prints."""
        status, out = self.ask(command, timeout)
        if status != 0:
            raise AssertionError(f"{command}: status {status}: {out}")
        return out

    def wait(self, command, timeout=20):
        """Until a command succeeds; what it prints."""
        end = time.monotonic() + testbed.seconds(timeout)
        while True:
            status, out = self.ask(command)
            if status == 0:
                return out
            if time.monotonic() > end:
                raise TimeoutError(f"{command}: {out}")
            time.sleep(0.2)

    def said(self):
        return testbed.written(self.log)

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()  # systemd-nspawn ends its container
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.process.wait()
        self.log.close()
