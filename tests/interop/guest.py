# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A virtual machine in which fastcn has real PCI drivers: QEMU without KVM, Debian's kernel, and a root file system that is
made here, of fastcn, its libraries, and busybox. scripts/setup fetches the kernel."""

import glob
import json
import os
import re
import select
import shutil
import socket
import subprocess
import time

import testbed

PLUGINS = ("bus_pci", "bus_vdev", "mempool_ring", "net_e1000", "net_vmxnet3", "net_virtio")
# The network devices are vfio-pci's before virtio_pci could take one of them.
MODULES = {"network": ("vfio-pci", "vfio_iommu_type1"), "terminal": ("virtio_pci", "virtio_console")}

INIT = """#!/bin/sh
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/hugepages /var/run /tmp
mount -t hugetlbfs huge /dev/hugepages
{before}
for module in {network}; do insmod $module; done
for device in {devices}; do
	echo vfio-pci >/sys/bus/pci/devices/$device/driver_override
	echo $device >/sys/bus/pci/drivers_probe
done
for module in {terminal}; do insmod $module; done
until [ -c /dev/vport*p1 ]; do sleep 0.1; done
terminal=$(echo /dev/vport*p1)
{after}
fastcn {arguments} <>$terminal >&0
echo "fastcn ended"
poweroff -f
"""


class Archive:
    """A root file system as the kernel takes it: cpio, "newc". Directories come of themselves."""

    def __init__(self):
        self.data = bytearray()
        self.names = set()

    def add(self, name, mode, content=b""):
        name = name.strip("/")
        if name in self.names:
            return
        if "/" in name:
            self.add(os.path.dirname(name), 0o040755)
        self.names.add(name)
        text = name.encode() + b"\0"
        fields = (len(self.names), mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(text), 0)
        self.data += b"070701" + b"".join(b"%08x" % f for f in fields) + text
        self.pad()
        self.data += content
        self.pad()

    def pad(self):
        self.data += bytes(-len(self.data) % 4)

    def link(self, name, target):
        self.add(name, 0o120777, target.encode())

    def write(self, name, text):
        self.add(name, 0o100755, text.encode())

    def copy(self, path, name=None):
        """A file, and what symbolic link leads to it. /lib is /usr/lib here."""
        real = os.path.realpath(path)
        name = re.sub(r"^/(lib|lib64|bin|sbin)/", r"/usr/\1/", name or path)
        if name != real:
            self.link(name, real)
        with open(real, "rb") as f:
            self.add(real, 0o100755, f.read())

    def bytes(self):
        self.add("TRAILER!!!", 0)
        return bytes(self.data)


def libraries(program):
    """What a program or library needs, as ldd has it."""
    out = testbed.run("ldd", program)
    return re.findall(r"(/\S+) \(0x", out)


def kernel(directory):
    """Where scripts/setup has put kernel and modules; None when it has not."""
    images = sorted(glob.glob(os.path.join(directory, "boot", "vmlinuz-*")))
    return images[-1] if images else None


def module_files(directory, names):
    """Modules, each behind those it needs itself."""
    files = {os.path.basename(f)[:-3].replace("-", "_"): f
             for f in glob.glob(os.path.join(directory, "lib/modules/**/*.ko"), recursive=True)}
    order = []

    def add(name):
        path = files[name.replace("-", "_")]
        if path in order:
            return
        with open(path, "rb") as f:
            needs = re.search(rb"\0depends=([^\0]*)", f.read()).group(1).decode()
        for need in filter(None, needs.split(",")):
            add(need)
        order.append(path)
    for name in names:
        add(name)
    return order


def missing(directory):
    """What there is not of all that is needed, or None."""
    if kernel(directory) is None:
        return f"no kernel in {directory}: scripts/setup fetches it"
    tools = [t for t in ("qemu-system-x86_64", "busybox") if shutil.which(t) is None]
    return "needs " + ", ".join(tools) if tools else None


# What scripts/nic-check uses.
APPLETS = ("awk", "cat", "grep", "ls", "readlink", "sed", "stat", "tail", "tr", "wc")


def root_file_system(directory, devices, arguments):
    archive = Archive()
    archive.add(".", 0o040755)
    for name in ("lib", "lib64", "bin", "sbin"):
        archive.link(name, "usr/" + name)
    for name in ("proc", "sys", "dev"):
        archive.add(name, 0o040755)
    busybox = shutil.which("busybox")
    archive.copy(busybox)
    for applet in ("sh", "mount", "mkdir", "insmod", "sleep", "poweroff", *APPLETS):
        archive.link("/usr/bin/" + applet, os.path.realpath(busybox))
    files = [busybox]
    with open(testbed.options.fastcn, "rb") as f:
        archive.add("/usr/bin/fastcn", 0o100755, f.read())
    files.append(testbed.options.fastcn)
    for name in PLUGINS:
        plugin = sorted(glob.glob(f"/usr/lib/*/dpdk/pmds-*/librte_{name}.so.*"))
        if not plugin:
            raise FileNotFoundError(f"DPDK's librte_{name}")
        for path in plugin:
            archive.copy(path)
        files.append(plugin[-1])
    for path in sorted(set(sum((libraries(f) for f in files if f != busybox), []))):
        archive.copy(path)
    modules = {kind: module_files(directory, names) for kind, names in MODULES.items()}
    for path in sum(modules.values(), []):
        with open(path, "rb") as f:
            archive.add("/modules/" + os.path.basename(path), 0o100644, f.read())
    names = {kind: " ".join("/modules/" + os.path.basename(p) for p in paths) for kind, paths in modules.items()}
    with open(os.path.join(os.path.dirname(__file__), "../../scripts/nic-check"), encoding="ascii") as f:
        archive.write("/nic-check", f.read())
    check = f"echo \"nic-check begins\"; /nic-check --cpus 0-2 {' '.join(devices)}; echo \"nic-check ends: $?\""
    archive.write("/init", INIT.format(devices=" ".join(devices), arguments=arguments, before=check, after=check, **names))
    return archive.bytes()


class Line:
    """A UNIX socket of QEMU's."""

    def __init__(self, path, timeout=20):
        def connect():
            s = socket.socket(socket.AF_UNIX)
            try:
                s.connect(path)
            except OSError:
                s.close()
                return None
            return s
        self.socket = testbed.wait_until(connect, timeout)

    def until(self, done, timeout, what):
        """All that comes until done(it); what: said when it does not come."""
        end, out = time.monotonic() + testbed.seconds(timeout), b""
        while not done(out):
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.socket], [], [], left)[0]:
                raise TimeoutError(f"{what}: {out.decode(errors='replace')}")
            more = self.socket.recv(65536)
            if not more:
                raise EOFError(f"{what}: {out.decode(errors='replace')}")
            out += more
        return out

    def send(self, text):
        self.socket.sendall(text.encode())

    def close(self):
        self.socket.close()


class Guest:
    """fastcn in a machine with PCI devices.

    nics: for each device, by name, the words of QEMU's -device, its options; tap: the name of the interface, which QEMU opens in
    the namespace; say() and json() are as of testbed.Switch.
    """

    def __init__(self, directory, kernel_directory, nics, namespace, queues=4):
        self.directory = directory
        self.marks = 0
        address = {name: f"0000:00:{5 + n:02x}.0" for n, name in enumerate(nics)}
        self.address = address
        arguments = ("-l 0-2 -m 400 --no-telemetry --no-shconf --log-level=*:error " +
                     " ".join(f"-a {a}" for a in address.values()) + " -- --no-socket -i")
        initrd = os.path.join(directory, "initrd")
        with open(initrd, "wb") as f:
            f.write(root_file_system(kernel_directory, address.values(), arguments))
        path = {n: os.path.join(directory, n) for n in ("monitor", "terminal", "console")}
        self.console = path["console"]
        words = ["qemu-system-x86_64", "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                 "-machine", "q35,accel=tcg,kernel-irqchip=split", "-cpu", "max", "-smp", "3", "-m", "1536",
                 "-device", "intel-iommu,intremap=on,caching-mode=on",
                 "-kernel", kernel(kernel_directory), "-initrd", initrd,
                 "-append", f"console=ttyS0 quiet intel_iommu=on no_timer_check hugepages=220 isolcpus=1-2 panic=-1 mitigations=off rdinit=/init",
                 "-qmp", f"unix:{path['monitor']},server=on,wait=off",
                 "-serial", f"file:{path['console']}",
                 "-device", "virtio-serial-pci",
                 "-chardev", f"socket,id=terminal,path={path['terminal']},server=on,wait=off",
                 "-device", "virtserialport,chardev=terminal"]
        for n, (name, (tap, device)) in enumerate(nics.items()):
            many = f",queues={queues}" if "mq=on" in device else ""
            words += ["-netdev", f"tap,id=n{n},ifname={tap},script=no,downscript=no{many}",
                      "-device", f"{device},id={name},netdev=n{n},addr={5 + n:#x}"]
        with open(os.path.join(directory, "qemu"), "wb") as errors:
            self.process = subprocess.Popen(["ip", "netns", "exec", namespace, *words], stdin=subprocess.DEVNULL,
                                            stdout=errors, stderr=subprocess.STDOUT)
        try:
            self.monitor = Line(path["monitor"])
            self.monitor.until(lambda out: b"\n" in out, 10, "QEMU's greeting")
            self.command("qmp_capabilities")
            self.terminal = Line(path["terminal"])
        except BaseException:
            self.process.kill()
            self.process.wait()
            raise

    def command(self, execute, **arguments):
        """A command of QEMU's; what it returns."""
        self.monitor.send(json.dumps({"execute": execute, "arguments": arguments}))
        out = self.monitor.until(lambda out: re.search(rb'"(return|error)":.*\n', out), 10, execute)
        for line in out.splitlines():
            answer = json.loads(line)
            if "error" in answer:
                raise AssertionError(f"{execute}: {answer['error']}")
            if "return" in answer:
                return answer["return"]
        return None

    def wait(self, timeout=120):
        """Until fastcn answers. What is typed before is lost in the terminal."""
        end = time.monotonic() + testbed.seconds(timeout)
        while True:
            try:
                self.say("show version", 2)
                return
            except (TimeoutError, EOFError, OSError) as e:
                if self.process.poll() is not None or time.monotonic() > end:
                    raise AssertionError(f"the guest does not come up: {e} {self.said()}") from e

    def say(self, line, timeout=20):
        self.marks += 1
        mark = f"mark{self.marks}"
        self.terminal.send(f"{line}\n{mark}\n")
        out = self.terminal.until(lambda out: f'found "{mark}"'.encode() in out, timeout, line)
        return "".join(x for x in out.decode().splitlines(keepends=True) if mark not in x)

    def json(self, line):
        return json.loads(self.say(line + " json"))

    def said(self):
        """The console: fastcn's log, and the kernel's."""
        with open(self.console, encoding="utf-8", errors="replace") as f:
            return f.read()

    def end(self):
        for line in (self.monitor, self.terminal):
            line.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
