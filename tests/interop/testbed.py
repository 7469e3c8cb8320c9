# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What the tests of the running switch share: starting and ending it, its console on pipes, a client of its socket that
shares no code with it, network namespaces as hosts around it, and the command line of the tests."""

import argparse
import ctypes
import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time
import unittest

SKIP = 77
# Programs by name ("fastcn", "fastcnctl") and other words of the command line, set by main().
options = argparse.Namespace(workers=1, long=None)


def lcores(workers):
    """Control and workers, each on whichever CPU is free: more workers than CPUs are possible, and a worker does not wait for
    one CPU that another test uses."""
    cpus = ",".join(map(str, sorted(os.sched_getaffinity(0))))
    return ",".join(f"{n}@({cpus})" for n in range(workers + 1))


def eal(*more):
    return ["--no-pci", "--no-huge", "-m", "512", "--lcores", lcores(options.workers), "--no-shconf",
            "--log-level=*:error", *more]


def seconds(n):
    """How long what takes n seconds at most may take here: longer on a machine that others keep busy."""
    return n * max(1.0, os.getloadavg()[0] / os.cpu_count())


def wait_until(condition, timeout=10):
    """Until something is so, in so many seconds(); returns what the condition gave."""
    end = time.monotonic() + seconds(timeout)
    while not (result := condition()):
        if time.monotonic() > end:
            raise TimeoutError(condition)
        time.sleep(0.02)
    return result


def run(*words):
    """A program that has to succeed; what it prints on standard output."""
    p = subprocess.run(words, check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    if p.returncode != 0:
        sys.stderr.write(p.stderr)
        p.check_returncode()
    return p.stdout


def write(directory, name, text):
    path = os.path.join(directory, name)
    with open(path, "w", encoding="ascii") as f:
        f.write(text)
    return path


def written(file):
    """What a program that is still running has written into a file, of which it has a duplicate: to seek would move where it
    writes next."""
    fd = file.fileno()
    return os.pread(fd, os.fstat(fd).st_size, 0).decode(errors="replace")


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

    def json(self, line):
        text = self.say(line + " json")
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            raise AssertionError(f"{line} json: {text}") from None

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
    """A running fastcn. It listens on fastcn.sock in its directory, where standard error is kept, too.

    config: a file, or None. With own_console=True, say() uses the console on standard input; the switch forwards after
    `start` then. Otherwise it forwards at once, and say() uses the socket.
    sleep: for how long its workers sleep at most once it answers; None: as configured. By default they wake up ten thousand
    times a second, which takes a tenth of a CPU, and tests run side by side.
    """

    running = []

    def __init__(self, directory, config, *more, vdevs=(), eal_options=("--no-telemetry",), namespace=None,
                 own_console=False, env=None, sleep="1ms"):
        self.path = os.path.join(directory, "fastcn.sock")
        self.config = config
        self.errors = open(os.path.join(directory, "stderr"), "w+b")
        # ip-netns execs the program: the process is fastcn's own.
        words = ["ip", "netns", "exec", namespace] if namespace else []
        words += [options.fastcn, *eal(*eal_options)]
        for v in vdevs:
            words += ["--vdev", v]
        # The kernel gives the memory of buffers page by page, which takes most of the time to start.
        buffers = () if "--mbufs" in more or "-m" in eal_options else ("--mbufs", "16383")
        words += ["--", "--socket", self.path, *(["-f", config] if config else []), *(["-i"] if own_console else []),
                  *buffers, *more]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE if own_console else subprocess.DEVNULL,
                                        stdout=subprocess.PIPE if own_console else subprocess.DEVNULL,
                                        stderr=self.errors, env={**os.environ, **(env or {})})
        self.clients = []
        self.session = None
        self.own_console = own_console
        self.sleep = sleep
        self.marks = 0
        self.running.append(self)

    def connect(self):
        """A session of one's own."""
        client = Client(self.path)
        self.clients.append(client)
        return client

    def wait(self, timeout=60):
        """Until it answers at its socket."""
        def up():
            if self.process.poll() is not None:
                raise AssertionError(f"it ended: {self.said()}")
            try:
                client = Client(self.path, timeout)
            except (FileNotFoundError, ConnectionRefusedError):
                return False
            try:
                client.say("show version")
                if self.sleep:
                    client.say(f"set worker idle sleep {self.sleep}")
            except (EOFError, ConnectionResetError):
                return False
            finally:
                client.close()
            return True
        wait_until(up, timeout)
        return self

    def say(self, line, timeout=10):
        """Run a line; returns what it printed, mistakes included."""
        if self.own_console:
            return self.type(line, timeout)
        if self.session is None:
            self.session = self.connect()
        return self.session.ask(line)[1]

    def type(self, line, timeout):
        """On the own console, a word that is no command marks the end."""
        self.marks += 1
        mark = f"mark{self.marks}"
        self.process.stdin.write(f"{line}\n{mark}\n".encode())
        self.process.stdin.flush()
        end, out = time.monotonic() + seconds(timeout), ""
        while f'found "{mark}"' not in out:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise TimeoutError(f"{line}: {out}")
            text = os.read(self.process.stdout.fileno(), 65536).decode()
            if not text:
                raise EOFError(f"{line}: {out} {self.said()}")
            out += text
        return "".join(x for x in out.splitlines(keepends=True) if mark not in x)

    def json(self, line):
        text = self.say(line + " json")
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            raise AssertionError(f"{line} json: {text}") from None

    def said(self):
        """On standard error."""
        return written(self.errors)

    def stop(self, number=signal.SIGTERM):
        """Send a signal; returns exit status and seconds until the end."""
        begin = time.monotonic()
        self.process.send_signal(number)
        return self.process.wait(timeout=seconds(20)), time.monotonic() - begin

    def end(self):
        if self in self.running:
            self.running.remove(self)
        for client in self.clients:
            client.close()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for f in (self.process.stdin, self.process.stdout, self.errors):
            if f is not None:
                f.close()


    def state(self):
        """What explains a failed test: the ports, what was lost and why, neighbours and routes, standard error."""
        text = []
        try:
            client = Client(self.path, 5)
            for line in ("show port", "show drops", "show neighbour", "show route", "show host police", "show host",
                         "show worker"):
                text.append(f"{line}\n{client.ask(line)[1]}")
            client.close()
        except (OSError, EOFError, ValueError) as e:
            text.append(f"no answer at its socket: {e}")
        return "\n".join([*text, "standard error", self.said()])


class Result(unittest.TextTestResult):
    """Of a failed test, the state of each switch that runs is shown, too."""

    def show_switches(self, test):
        for switch in Switch.running:
            self.stream.writeln(f"\nThe switch when {test} failed:\n{switch.state()}")

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.show_switches(test)

    def addError(self, test, err):
        super().addError(test, err)
        self.show_switches(test)


class Namespaces:
    """Network namespaces; gone again at the end whatever happens. They have short names here, and longer ones, which
    no other process uses, in Linux."""

    def __init__(self, *names):
        self.name = {n: f"fcn-{os.getpid()}-{n}" for n in names}
        self.made = []

    def create(self):
        for name in self.name.values():
            run("ip", "netns", "add", name)
            self.made.append(name)

    def destroy(self):
        while self.made:
            subprocess.run(["ip", "netns", "del", self.made.pop()], check=False)

    def complaint(self):
        """What is not here and needed, once created; None when all is."""
        return None

    def ip(self, where, *words):
        return run("ip", "-n", self.name[where], *words)

    def popen(self, where, *words, **more):
        return subprocess.Popen(["ip", "netns", "exec", self.name[where], *words], **more)

    def run(self, where, *words, check=True, timeout=60):
        """A program within; what it says."""
        p = subprocess.run(["ip", "netns", "exec", self.name[where], *words], check=False, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout)
        if check and p.returncode != 0:
            sys.stderr.write(p.stdout)
            p.check_returncode()
        return p.stdout

    def sysctl(self, where, *settings):
        self.run(where, "sysctl", "-qw", *settings)

    def socket(self, where, *arguments):
        """A socket that lives within."""
        libc = ctypes.CDLL(None, use_errno=True)
        with open("/proc/self/ns/net", "rb") as home, open("/var/run/netns/" + self.name[where], "rb") as there:
            if libc.setns(there.fileno(), 0):
                raise OSError(ctypes.get_errno(), "setns")
            try:
                return socket.socket(*arguments)
            finally:
                libc.setns(home.fileno(), 0)

    def packet_socket(self, where, device):
        """Every frame of a device, in and out."""
        s = self.socket(where, socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        s.bind((device, 0))
        return s

    def answered(self, where, *words):
        """Whether each echo request of the program ping is answered. It waits for the last answer only twice as long as
        the others took, and a virtual machine's CPU may stand still for longer: so it has three tries."""
        for _ in range(3):
            said = self.run(where, "ping", "-n", *words, check=False)
            if " 0% packet loss" in said:
                return True
            sys.stderr.write(said)
        return False

    def ping(self, where, source, destination, count=5, timeout=None):
        """ICMPv6 echo requests one after the other: hop limits of the answers."""
        hops, timeout = [], timeout or seconds(1)
        with self.socket(where, socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6) as s:
            s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVHOPLIMIT, 1)
            s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS, 64)
            s.bind((source, 0))
            for seq in range(count):
                request = struct.pack("!BBHHH", 128, 0, 0, os.getpid() & 0xFFFF, seq) + bytes(range(56))
                end = time.monotonic() + timeout
                s.sendto(request, (destination, 0))
                while (left := end - time.monotonic()) > 0 and select.select([s], [], [], left)[0]:
                    data, ancillary, _, peer = s.recvmsg(2048, 256)
                    if data[:2] == b"\x81\x00" and data[4:] == request[4:] and peer[0] == destination:
                        hops.append(struct.unpack("=i", ancillary[0][2])[0])
                        break
        return hops


def why_not(net, tools):
    """What a test needs and is not here; None when all is."""
    if net is not None and os.geteuid() != 0:
        return "needs root"
    missing = [t for t in tools if shutil.which(t) is None]
    if missing:
        return "needs " + ", ".join(missing)
    if net is None:
        return None
    probe = net()
    try:
        probe.create()
        return probe.complaint()
    except (OSError, subprocess.SubprocessError) as e:
        return f"no network namespaces or veth here ({e})"
    finally:
        probe.destroy()


def main(usage, programs=("fastcn",), net=None, tools=()):
    """Run the unittests of the main module.

    programs: whose paths the command line must give, as --NAME; net: class of the namespaces that are needed, with
    root; tools: programs that are needed. What is needed and missing makes the whole skip.
    """
    parser = argparse.ArgumentParser(description=usage, allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in programs:
        parser.add_argument("--" + name, required=True, type=os.path.abspath, metavar="PROGRAM")
    parser.add_argument("--workers", type=int, default=1, help="of the switch (default 1)")
    parser.add_argument("--long", type=float, metavar="SECONDS", help="the long form of tests that have one")
    _, rest = parser.parse_known_args(namespace=options)
    reason = why_not(net, tools)
    if reason is not None:
        print(reason + ": skipped")
        return SKIP
    runner = unittest.TextTestRunner(verbosity=2, resultclass=Result)
    result = unittest.main(argv=[sys.argv[0], *rest], exit=False, testRunner=runner).result
    return 0 if result.wasSuccessful() else 1
