# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A virtual machine that is a host with an RDMA adapter, rdma_rxe: on an interface that has no line, where programs in it do what they
do on queue pairs among themselves, or on one that leads out. QEMU without KVM, the kernel that scripts/setup fetches, and a shell."""

import glob
import os
import re
import shutil
import subprocess
import time

import guest
import testbed

MODULES = ("crc32_generic", "rdma_rxe", "rdma_ucm", "dummy", "virtio_pci", "virtio_console", "virtio_net")
APPLETS = ("awk", "base64", "cat", "chmod", "cp", "cut", "dmesg", "echo", "grep", "head", "insmod", "kill", "ls", "mkdir", "mkfifo", "mount", "ping", "poweroff", "ps",
           "rm", "rmmod", "sed", "seq", "sh", "sleep", "tail", "test", "time", "timeout", "top", "tr", "usleep", "wc")

INIT = """#!/bin/sh
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /run /tmp /var/run
chmod 1777 /tmp
for module in {modules}; do insmod $module; done
{begin}
until [ -c /dev/vport*p1 ]; do sleep 0.1; done
terminal=$(echo /dev/vport*p1)
sh <>$terminal >&0 2>&1
poweroff -f
"""


def root_file_system(directory, programs, begin, extra=None):
    """programs: by path, or by name as they are found. begin: lines of the shell, run first. extra: other files, by name: text."""
    archive = guest.Archive()
    archive.add(".", 0o040755)
    for name in ("lib", "lib64", "bin", "sbin"):
        archive.link(name, "usr/" + name)
    for name in ("proc", "sys", "dev"):
        archive.add(name, 0o040755)
    busybox = shutil.which("busybox")
    archive.copy(busybox)
    for applet in APPLETS:
        archive.link("/usr/bin/" + applet, os.path.realpath(busybox))
    files = []
    for program in programs:
        path = shutil.which(program)
        with open(path, "rb") as f:
            archive.add("/usr/bin/" + os.path.basename(path), 0o100755, f.read())
        files.append(path)
    for path in glob.glob("/usr/lib/*/libibverbs/librxe-*.so") + ["/etc/libibverbs.d/rxe.driver"]:
        archive.copy(path)
        files += [path] if path.endswith(".so") else []
    for path in sorted(set(sum((guest.libraries(f) for f in files), []))):
        archive.copy(path)
    modules = guest.module_files(directory, MODULES)
    for path in modules:
        with open(path, "rb") as f:
            archive.add("/modules/" + os.path.basename(path), 0o100644, f.read())
    for name, text in (extra or {}).items():
        archive.write(name, text)
    archive.write("/init", INIT.format(begin=begin, modules=" ".join("/modules/" + os.path.basename(p) for p in modules)))
    return archive.bytes()


def missing(directory, programs):
    """What there is not of all that is needed, or None."""
    why = guest.missing(directory)
    for module in ("drivers/infiniband/sw/rxe/rdma_rxe", "drivers/net/virtio_net"):
        if why is None and not glob.glob(os.path.join(directory, f"lib/modules/*/kernel/{module}.ko")):
            why = f"no {os.path.basename(module)} in {directory}: scripts/setup fetches it"
    tools = [t for t in programs if shutil.which(t) is None]
    return why or ("needs " + ", ".join(tools) if tools else None)


class HostGuest:
    """say() runs a line in its shell, which is root's.

    extra: more files, by name: text; nics: of each interface, eth0 and on, the words of QEMU's -netdev and its MAC address. Nothing is
    left for the interface to compute, so that what leaves it is whole. cpus: how many it has.
    """

    def __init__(self, directory, kernel_directory, programs, begin="", extra=None, nics=(), cpus=2):
        self.marks = 0
        initrd = os.path.join(directory, "initrd")
        with open(initrd, "wb") as f:
            f.write(root_file_system(kernel_directory, programs, begin, extra))
        path = {n: os.path.join(directory, n) for n in ("terminal", "console")}
        self.console = path["console"]
        words = ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                 "-machine", "q35,accel=tcg", "-cpu", "max", "-smp", str(cpus), "-m", "768",
                 "-kernel", guest.kernel(kernel_directory), "-initrd", initrd,
                 "-append", "console=ttyS0 quiet no_timer_check panic=-1 mitigations=off rdinit=/init",
                 "-serial", f"file:{path['console']}",
                 "-device", "virtio-serial-pci",
                 "-chardev", f"socket,id=terminal,path={path['terminal']},server=on,wait=off",
                 "-device", "virtserialport,chardev=terminal"]
        for n, (netdev, mac) in enumerate(nics):
            words += ["-netdev", f"{netdev},id=n{n}",
                      "-device", f"virtio-net-pci,netdev=n{n},mac={mac},csum=off,guest_csum=off,gso=off,romfile="]
        with open(os.path.join(directory, "qemu"), "wb") as errors:
            self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=errors, stderr=subprocess.STDOUT)
        try:
            self.terminal = guest.Line(path["terminal"])
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise

    def wait(self, timeout=120):
        """Until the shell answers. What is typed before is lost."""
        end = time.monotonic() + testbed.seconds(timeout)
        while True:
            try:
                self.say("true", 0.5)
                return
            except (TimeoutError, EOFError, OSError) as e:
                if self.process.poll() is not None or time.monotonic() > end:
                    raise AssertionError(f"the guest does not come up: {e} {self.said()}") from e

    def ask(self, line, timeout=20):
        """What a line prints, and its status."""
        self.marks += 1
        # Not as it is typed, which the terminal may echo.
        self.terminal.send(f"{line}\necho mark{self.marks}''-$?.\n")
        mark = re.compile(rf"mark{self.marks}-(\d+)\.\r?\n".encode())
        out = self.terminal.until(mark.search, timeout, line)
        text = out[:mark.search(out).start()].decode(errors="replace").replace("\r", "")
        return text, int(mark.search(out).group(1))

    def say(self, line, timeout=20):
        """What a line prints that has to succeed."""
        text, status = self.ask(line, timeout)
        if status != 0:
            raise AssertionError(f"{line}: status {status}: {text} {self.said()[-1000:]}")
        return text

    def said(self):
        """The console: the kernel's log."""
        with open(self.console, encoding="utf-8", errors="replace") as f:
            return f.read()

    def end(self):
        self.terminal.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
