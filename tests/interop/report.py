# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The two ends of fastcn-qpd, written from doc/hosts.md and doc/remote.md: hosts that report their queue pairs by TLS, with
certificates of certtool, and a switch that keeps what it is told. It shares no code with fastcn."""

import ipaddress
import os
import re
import socket
import ssl
import struct
import subprocess
import threading
import time

HELLO, BEGIN, ADD, REMOVE, END, SYNC, CONFIRM, REFUSED = range(1, 9)
VERSION, ADDRESS, ENTRIES, TOTAL, SWITCH, INVALID = range(1, 7)


def record(kind, content=b""):
    return struct.pack("!BBH", kind, 0, 4 + len(content)) + content


def address(text):
    a = ipaddress.ip_address(text)
    return a.packed if a.version == 6 else bytes(10) + b"\xff\xff" + a.packed


def queue_pair(local, local_qp, remote, remote_qp):
    return address(local) + address(remote) + struct.pack("!II", local_qp, remote_qp)


def hello(version=1):
    return record(HELLO, b"FQPR" + bytes([version, 0, 0, 0]))


def add(*pair):
    return record(ADD, queue_pair(*pair))


def remove(*pair):
    return record(REMOVE, queue_pair(*pair))


def sync(number):
    return record(SYNC, struct.pack("!Q", number))


def full(pairs):
    return record(BEGIN) + b"".join(add(*p) for p in pairs) + record(END)


class Certificates:
    """One who signs, and what was signed, as files of a directory."""

    def __init__(self, directory, name="ca"):
        self.directory, self.name = directory, name
        self.key(name)
        self.certtool("--generate-self-signed", "--load-privkey", self.file(name, "key"), "--outfile", self.file(name, "crt"),
                      template=["cn = " + name, "ca", "cert_signing_key", "crl_signing_key", "expiration_days = 10"])

    def file(self, name, end):
        return os.path.join(self.directory, f"{name}.{end}")

    def certtool(self, *words, template=()):
        path = self.file("template", "cfg")
        with open(path, "w", encoding="ascii") as f:
            f.write("\n".join(template) + "\n")
        subprocess.run(["certtool", *words, "--template", path], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def key(self, name):
        subprocess.run(["certtool", "--generate-privkey", "--key-type", "ecdsa", "--curve", "secp256r1", "--outfile",
                        self.file(name, "key")], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def issue(self, file, addresses, purpose="tls_www_client", name=None, more=("expiration_days = 10",)):
        """A key and a certificate; returns their paths."""
        self.key(file)
        lines = [f'cn = "{name or file}"' if name != "" else 'organization = "nobody"', "signing_key", purpose, *more]
        self.certtool("--generate-certificate", "--load-privkey", self.file(file, "key"), "--load-ca-certificate",
                      self.file(self.name, "crt"), "--load-ca-privkey", self.file(self.name, "key"), "--outfile",
                      self.file(file, "crt"), template=lines + ["ip_address = " + a for a in addresses])
        return self.file(file, "crt"), self.file(file, "key")

    def revoke(self, certificate):
        path = self.file("revoked", "pem")
        self.certtool("--generate-crl", "--load-ca-certificate", self.file(self.name, "crt"), "--load-ca-privkey",
                      self.file(self.name, "key"), "--load-certificate", certificate, "--outfile", path,
                      template=["crl_next_update = 10"])
        return path


class Host:
    """A host's end of a session, by Python's ssl."""

    def __init__(self, port, ca, certificate=None, timeout=10):
        context = ssl.create_default_context(cafile=ca)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        if certificate is not None:
            context.load_cert_chain(*certificate)
        self.raw = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = context.wrap_socket(self.raw, server_hostname="127.0.0.1")
        self.data = b""

    def say(self, data):
        self.socket.sendall(data)

    def record(self):
        """The next record of the switch: type, content. None: it has ended the session."""
        try:
            while len(self.data) < 4 or len(self.data) < struct.unpack("!H", self.data[2:4])[0]:
                got = self.socket.recv(4096)
                if not got:
                    return None
                self.data += got
        except (ConnectionError, ssl.SSLError):
            return None
        kind, zero, length = struct.unpack("!BBH", self.data[:4])
        assert zero == 0
        content, self.data = self.data[4:length], self.data[length:]
        return kind, content

    def until(self, kind):
        while (got := self.record()) is not None and got[0] != kind:
            pass
        return got and got[1]

    def wait_in_force(self, number):
        while (got := self.until(CONFIRM)) is not None:
            if struct.unpack("!QQ", got)[1] >= number:
                return True
        return False

    def close(self):
        self.socket.close()


PAIR = r"(\S+) (\d+) sender (\S+)"
ADD_LINE = re.compile(rf"proxy qp learned add {PAIR} sender-qp (\d+) host (\S+) lifetime (\d+)$")
REMOVE_LINE = re.compile(rf"proxy qp learned remove {PAIR} host (\S+)$")
KEEP_LINE = re.compile(r"proxy qp learned keep host (\S+) lifetime (\d+)$")
CLEAR_LINE = re.compile(r"proxy qp learned clear host (\S+)$")


class StubSwitch:
    """The control socket of a switch: (receiver, queue pair) -> [sender, its queue pair, host, end]."""

    def __init__(self, path):
        self.path = path
        self.lines, self.entries = [], {}
        self.closed = False
        self.lock = threading.Lock()
        self.clients = []
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(path)
        self.socket.listen()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client = self.socket.accept()[0]
            except OSError:
                return
            if self.closed:
                client.close()
                return
            self.clients.append(client)
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        with client, client.makefile("rb") as f:
            try:
                for line in f:
                    ok, text = self.take(line.decode().rstrip("\n"))
                    client.sendall(f"{'ok' if ok else 'error'} {len(text)}\n{text}".encode())
            except OSError:
                return

    def take(self, line):
        now = time.monotonic()
        with self.lock:
            self.lines.append((now, line))
            self.entries = {k: e for k, e in self.entries.items() if e[3] > now} if len(self.lines) % 64 == 0 else self.entries
            if m := ADD_LINE.match(line):
                key, entry = (m[1], int(m[2])), [m[3], int(m[4]), m[5], now + int(m[6])]
                held = self.entries.get(key)
                if held and held[2] != entry[2] and held[3] > now:
                    return False, f"{m[1]} {m[2]}: held by host {held[2]}\n"
                self.entries[key] = entry
            elif m := REMOVE_LINE.match(line):
                entry = self.entries.get((m[1], int(m[2])))
                if not entry or entry[0] != m[3] or entry[2] != m[4]:
                    return False, "there is no such entry\n"
                del self.entries[m[1], int(m[2])]
            elif m := KEEP_LINE.match(line):
                mine = [e for e in self.entries.values() if e[2] == m[1] and e[3] > now]
                if not mine:
                    return False, f"host {m[1]}: no entries\n"
                for e in mine:
                    e[3] = now + int(m[2])
            elif m := CLEAR_LINE.match(line):
                self.entries = {k: e for k, e in self.entries.items() if e[2] != m[1]}
            else:
                raise AssertionError(line)
            return True, ""

    def known(self, host=None):
        """As a set of (sender, its queue pair, receiver, its queue pair)."""
        now = time.monotonic()
        with self.lock:
            return {(e[0], e[1], *key) for key, e in self.entries.items() if e[3] > now and host in (None, e[2])}

    def close(self):
        """As if it was killed."""
        self.closed = True
        self.socket.close()
        for client in self.clients:
            try:
                client.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        os.unlink(self.path)
