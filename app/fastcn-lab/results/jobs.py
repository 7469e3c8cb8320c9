# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Runs of the lab, several at a time, each in a process of its own."""

import ctypes
import os
import signal
import subprocess
import sys
import time

WANTED = {signal.SIGINT, signal.SIGTERM, signal.SIGCHLD}
PR_SET_PDEATHSIG = 1
WIDTH = 40  # of the progress bar


class Progress:
    """A bar that shows how many of the runs are done; nothing if standard error is not a terminal."""

    def __init__(self, count):
        self.count, self.on, self.drawn = count, sys.stderr.isatty(), 0

    def show(self, done, failed):
        if self.on and (done == self.count or time.monotonic() > self.drawn + 0.1):
            self.drawn = time.monotonic()
            sys.stderr.write("\r[%s] %3.0f%%  %d of %d runs%s\x1b[K" % (("#" * (done * WIDTH // self.count)).ljust(WIDTH),
                             100 * done / self.count, done, self.count, ", %d failed" % failed if failed else ""))
            sys.stderr.flush()

    def end(self):
        if self.drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


class Job:
    """A process; what it writes is kept in memory and read when it has ended."""

    def __init__(self, index, command, before, parent, libc):
        def child():
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
            if os.getppid() != parent:
                os._exit(1)
        self.index = index
        self.out, self.err = (open(os.memfd_create(name), "w+b") for name in ("out", "err"))
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.err, preexec_fn=child)

    def ended(self):
        """What it wrote to standard output, the text of its errors, and its status."""
        texts = []
        for file in (self.out, self.err):
            file.seek(0)
            texts.append(file.read())
            file.close()
        return texts[0], texts[1].decode(errors="replace"), self.process.returncode


def run_all(commands, at_once, ended):
    """Run all commands, so many at once; ended(index, out, err, status) of each returns whether it is good.

    The first Ctrl-C ends those that run; where one cannot be started, those that run go on. Returns how many have ended, and why not
    all have begun: None (they have), the number of the signal, or 0 if one could not be started.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, WANTED)
    waiting, running = list(enumerate(commands))[::-1], []
    progress, done, failed, interrupted = Progress(len(commands)), 0, 0, None
    try:
        while (waiting or running) and (interrupted is None or running):
            while waiting and len(running) < at_once and interrupted is None:
                try:
                    running.append(Job(*waiting.pop(), before, os.getpid(), ctypes.CDLL(None)))
                except OSError as e:
                    print("fastcn-lab sweep: cannot start a process: %s" % e.strerror, file=sys.stderr)
                    interrupted = 0
            over = [job for job in running if job.process.poll() is not None]
            for job in over:
                running.remove(job)
                if interrupted and job.process.returncode == -signal.SIGTERM:
                    job.ended()
                    continue  # it was told to end before it had begun: it did not fail
                done, failed = done + 1, failed + (not ended(job.index, *job.ended()))
                progress.show(done, failed)
            if not over and running and (number := signal.sigwait(WANTED)) != signal.SIGCHLD and interrupted is None:
                interrupted = number
                for job in running:
                    job.process.terminate()
    finally:
        for job in running:
            job.process.kill()
            job.process.wait()
        progress.end()
        # A second Ctrl-C must not keep the results so far from being shown.
        while signal.sigtimedwait(WANTED, 0) is not None:
            pass
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return done, interrupted
