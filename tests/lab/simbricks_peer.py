#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A simulator of hosts that speaks SimBricks: what fastcn-lab is connected with in tests, and in scripts/demo-simbricks.

It reads the protocol for itself (lib/simbricks/base and lib/simbricks/network of github.com/simbricks/simbricks), and shares
no code with fastcn-lab. A host sends frames at the times that it is given, and keeps what arrives. Times are in picoseconds.
"""

import mmap
import os
import socket
import struct
import time

VERSION, NETWORK, SYNC = 1, 1, 3
IS_SYNC, IS_END, IS_FRAME, MINE = 0x00, 0x01, 0x40, 0x80
HEADER, AT_TIME, AT_OWNER = 64, 48, 63
FOREVER = 1 << 63
PATIENCE = 60  # seconds of the clock


class Queue:
    """An array of entries in shared memory, used in turn."""

    def __init__(self, memory, offset, size, count):
        self.memory, self.offset, self.size, self.count, self.turn = memory, offset, size, count, 0

    def entry(self):
        return self.offset + self.turn * self.size

    def put(self, kind, when, frame=b""):
        at, late = self.entry(), time.monotonic() + PATIENCE
        while self.memory[at + AT_OWNER] & MINE:
            if time.monotonic() > late:
                raise TimeoutError("no room in the queue")
            os.sched_yield()
        self.memory[at:at + 2] = struct.pack("=H", len(frame))
        self.memory[at + AT_TIME:at + AT_TIME + 8] = struct.pack("=Q", when)
        self.memory[at + HEADER:at + HEADER + len(frame)] = frame
        self.memory[at + AT_OWNER] = kind | MINE  # the last one: the entry is the other end's now
        self.turn = (self.turn + 1) % self.count

    def peek(self):
        """Kind and time of the next entry; None: there is none yet."""
        at = self.entry()
        owner = self.memory[at + AT_OWNER]
        if not owner & MINE:
            return None
        return owner & ~MINE, struct.unpack("=Q", self.memory[at + AT_TIME:at + AT_TIME + 8])[0]

    def take(self):
        """The frame of the next entry, which is given back."""
        at = self.entry()
        frame = self.memory[at + HEADER:at + HEADER + struct.unpack("=H", self.memory[at:at + 2])[0]]
        self.memory[at + AT_OWNER] &= ~MINE & 0xFF
        self.turn = (self.turn + 1) % self.count
        return frame


class Host:
    """A host at the other end of a channel."""

    def __init__(self, latency, sync, frames=()):
        self.latency, self.sync = latency, sync
        self.frames = sorted(frames, key=lambda f: f[0])  # (time, octets) to send
        self.got = []    # (time, octets)
        self.heard = []  # (kind, time) of all messages
        self.next_sync = 0
        self.ended = False

    def connect(self, path):
        late = time.monotonic() + PATIENCE
        self.socket = socket.socket(socket.AF_UNIX)
        while self.socket.connect_ex(path) != 0:
            if time.monotonic() > late:
                raise TimeoutError("nobody listens at " + path)
            time.sleep(0.01)
        self.socket.sendall(struct.pack("=4QI", VERSION, SYNC, NETWORK, 32, 0))
        intro, fds, _, _ = socket.recv_fds(self.socket, 256, 1)
        version, _, *l2c_c2l, protocol, _ = struct.unpack("=10Q", intro[:80])
        assert (version, protocol) == (VERSION, NETWORK), intro
        memory = mmap.mmap(fds[0], 0)
        os.close(fds[0])
        self.inward, self.outward = Queue(memory, *l2c_c2l[:3]), Queue(memory, *l2c_c2l[3:])

    def listen(self, path, size=2048, count=64):
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(1)
        self.geometry = (size * count, size, count, 0, size, count)

    def accept(self):
        offset, size, count = self.geometry[:3]
        self.socket, _ = self.listener.accept()
        self.listener.close()
        fd = os.memfd_create("peer")
        os.ftruncate(fd, offset + size * count)
        intro = struct.pack("=10QI", VERSION, SYNC, *self.geometry, NETWORK, 80, 0)
        socket.send_fds(self.socket, [intro], [fd])
        assert self.socket.recv(256)[:8] == struct.pack("=Q", VERSION)
        memory = mmap.mmap(fd, 0)
        os.close(fd)
        self.outward, self.inward = Queue(memory, *self.geometry[:3]), Queue(memory, *self.geometry[3:])

    def say(self, now, kind, frame=b""):
        self.outward.put(kind, now + self.latency, frame)
        self.next_sync = now + self.sync

    def promise(self, now):
        """Nothing more is sent before now: what is sent at now arrives after the latency."""
        if not self.ended and now >= self.next_sync:
            self.say(now, IS_SYNC)

    def turn(self, now):
        """All that happens at this time. Return when the next thing can happen."""
        while not self.ended:
            late = time.monotonic() + PATIENCE
            while (head := self.inward.peek()) is None:
                if time.monotonic() > late:
                    raise TimeoutError("fastcn-lab says nothing")
                os.sched_yield()
            if head[0] == IS_END:
                self.ended = True
            elif head[1] > now:
                break
            self.heard.append(head)
            frame = self.inward.take()
            if head[0] == IS_FRAME:
                self.got.append((head[1], frame))
        while self.frames and self.frames[0][0] <= now and not self.ended:
            self.say(now, IS_FRAME, self.frames.pop(0)[1])
        if self.ended:
            return FOREVER
        return min(head[1], self.next_sync, self.frames[0][0] if self.frames else FOREVER)


def run(hosts, until, now=0):
    """Let time go on up to there, or until fastcn-lab ends."""
    while now < until and not all(h.ended for h in hosts):
        for h in hosts:
            h.promise(now)
        now = min([until] + [h.turn(now) for h in hosts])
    for h in hosts:
        if not h.ended:
            h.outward.put(IS_END, until + h.latency)
        h.socket.close()
