# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A running switch without root, network and hugepages, and a client of its socket that shares no code with it."""

import os
import select
import signal
import socket
import subprocess
import time

EAL = ["--no-pci", "--no-huge", "-m", "512", "-l", "0,1", "--no-shconf", "--no-telemetry", "--log-level=*:error"]


def wait_until(condition, timeout=10):
    end = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(condition)
        time.sleep(0.02)


class Client:
    """A session, as doc/remote.md describes it."""

    def __init__(self, path, timeout=20):
        self.socket = socket.socket(socket.AF_UNIX)
        try:
            self.socket.connect(path)
        except OSError:
            self.socket.close()
            raise
        self.socket.settimeout(timeout)
        self.buffer = b""

    def send(self, text):
        self.socket.sendall(text.encode())

    def more(self):
        data = self.socket.recv(1 << 20)
        if not data:
            raise EOFError(self.buffer)
        self.buffer += data

    def answer(self):
        """The next answer: whether the command succeeded, and its text."""
        while b"\n" not in self.buffer:
            self.more()
        head, _, self.buffer = self.buffer.partition(b"\n")
        word, length = head.decode().split(" ")
        if word not in ("ok", "error"):
            raise ValueError(head)
        while len(self.buffer) < int(length):
            self.more()
        text, self.buffer = self.buffer[:int(length)], self.buffer[int(length):]
        return word == "ok", text.decode()

    def ask(self, line):
        self.send(line + "\n")
        return self.answer()

    def say(self, line):
        """As ask(), of a line that has to succeed; returns the text."""
        ok, text = self.ask(line)
        if not ok:
            raise AssertionError(f"{line}: {text}")
        return text

    def ended(self, timeout=5):
        """Whether the switch closes the session, with nothing more said."""
        if not select.select([self.socket], [], [], timeout)[0]:
            return False
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True

    def close(self):
        self.socket.close()


class Switch:
    """A running fastcn; ends it by its process."""

    def __init__(self, program, directory, config, vdevs, *options, env=None, stdin=subprocess.DEVNULL):
        self.path = os.path.join(directory, "fastcn.sock")
        self.config = config
        self.errors = open(os.path.join(directory, "stderr"), "w+b")
        words = [program, *EAL]
        for v in vdevs:
            words += ["--vdev", v]
        words += ["--", "--socket", self.path, *(["-f", config] if config else []), *options]
        self.process = subprocess.Popen(words, stdin=stdin, stdout=subprocess.DEVNULL,
                                        stderr=self.errors, env={**os.environ, **(env or {})})
        self.clients = []

    def connect(self):
        client = Client(self.path)
        self.clients.append(client)
        return client

    def wait(self, timeout=60):
        """Until it answers."""
        def up():
            if self.process.poll() is not None:
                raise AssertionError(f"it ended: {self.said()}")
            try:
                client = Client(self.path, timeout)
            except (FileNotFoundError, ConnectionRefusedError):
                return False
            try:
                client.say("show version")
            except (EOFError, ConnectionResetError):
                return False
            finally:
                client.close()
            return True
        wait_until(up, timeout)
        return self

    def said(self):
        self.errors.seek(0)
        return self.errors.read().decode()

    def stop(self, number=signal.SIGTERM):
        """Send a signal; returns exit status and seconds until the end."""
        begin = time.monotonic()
        self.process.send_signal(number)
        return self.process.wait(timeout=20), time.monotonic() - begin

    def end(self):
        for client in self.clients:
            client.close()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.process.stdin is not None:
            self.process.stdin.close()
        self.errors.close()
