#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""scripts/nic-check on machines that are made of files: one that lacks nothing, and the same without one thing after the other,
each of which has to be named with the command that mends it. tests/interop/test_pci.py runs it in a virtual machine."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ICE, MLX, VIRTIO = "0000:03:00.0", "0000:41:00.0", "0000:00:05.0"
SHELLS = [x for x in (["dash"], ["bash"], ["busybox", "sh"]) if shutil.which(x[0])]


class Machine:
    """Files below a directory, as Linux has them: a card bound to vfio-pci, another of mlx5, two NUMA nodes with four CPUs each."""

    def __init__(self, root):
        self.root = root
        self.write("proc/cmdline", "quiet intel_iommu=on iommu=pt isolcpus=1-3 hugepages=512")
        self.write("proc/cpuinfo", "vendor_id : GenuineIntel")
        self.write("proc/mounts", "proc /proc proc rw 0 0", "none /dev/hugepages hugetlbfs rw 0 0")
        self.write("proc/net/route", "Iface Destination Gateway", "eno1 00000000 010200C0", "eno1 000200C0 00000000")
        self.write("proc/net/ipv6_route", "20010db8000000000000000000000000 40 " + "0 " * 7 + "eth1")
        self.write("etc/passwd", "root:x:0:0::/root:/bin/sh", f"fastcn:x:{os.getuid()}:995::/:/bin/false")
        self.write("etc/default/fastcn", "# FASTCN_EAL=-l 6,7 -a 0000:03:00.0", f"FASTCN_EAL=-l 0-3 -a {ICE}")
        self.write("usr/lib/x86_64-linux-gnu/dpdk/pmds-23.0/librte_net_mlx5.so.23", "")
        self.write("dev/hugepages/.keep", "")
        self.write("dev/vfio/17", "")
        for file in ("dev/hugepages", "dev/vfio/17"):
            os.chmod(self.path(file), 0o700)
        for module in ("vfio_pci", "mlx5_ib", "ib_uverbs", "mlx5_core"):
            self.write(f"sys/module/{module}/refcnt", "1")
        for node, cpus in ((0, range(4)), (1, range(4, 8))):
            self.write(f"sys/devices/system/node/node{node}/cpulist", f"{cpus[0]}-{cpus[-1]}")
            for size, pages in ((2048, 512), (1048576, 0)):
                self.write(f"sys/devices/system/node/node{node}/hugepages/hugepages-{size}kB/nr_hugepages", pages)
                self.write(f"sys/devices/system/node/node{node}/hugepages/hugepages-{size}kB/free_hugepages", pages)
            for cpu in cpus:
                self.write(f"sys/devices/system/cpu/cpu{cpu}/cpufreq/scaling_governor", "performance")
        self.write("sys/devices/system/cpu/isolated", "1-3,7")
        self.card(ICE, "0x020000", "vfio-pci", 17)
        self.card(MLX, "0x020000", "mlx5_core", 18, interface="eth1")
        self.card("0000:02:00.0", "0x060400", "pcieport", 17)
        self.card("0000:00:1f.2", "0x010601", "ahci", 3)

    def path(self, name):
        return os.path.join(self.root, name)

    def write(self, name, *lines):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w", encoding="ascii") as f:
            f.write("".join(f"{x}\n" for x in lines))

    def remove(self, name):
        path = self.path(name)
        shutil.rmtree(path) if os.path.isdir(path) and not os.path.islink(path) else os.remove(path)

    def link(self, name, target):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        if os.path.lexists(self.path(name)):
            os.remove(self.path(name))
        os.symlink(os.path.relpath(self.path(target), os.path.dirname(self.path(name))), self.path(name))

    def bind(self, address, driver):
        os.makedirs(self.path(f"sys/bus/pci/drivers/{driver}"), exist_ok=True)
        self.link(f"sys/devices/pci0000:00/{address}/driver", f"sys/bus/pci/drivers/{driver}")

    def card(self, address, kind, driver, group, interface=None, node=0, below=""):
        device = f"sys/devices/pci0000:00/{address}"
        for name, value in (("class", kind), ("numa_node", node), ("current_link_width", 16), ("max_link_width", 16),
                            ("current_link_speed", "16.0 GT/s PCIe")):
            self.write(f"{device}/{name}", value)
        self.bind(address, driver)
        self.link(f"sys/bus/pci/devices/{address}", device)
        self.link(f"{device}/iommu_group", f"sys/kernel/iommu_groups/{group}")
        self.link(f"sys/kernel/iommu_groups/{group}/devices/{address}", device)
        if interface:
            self.interface(address, interface, below)

    def interface(self, address, name, below=""):
        device = f"sys/devices/pci0000:00/{address}" + (f"/{below}" if below else "")
        for key, value in (("carrier", 1), ("speed", 100000), ("operstate", "up")):
            self.write(f"{device}/net/{name}/{key}", value)
        self.link(f"{device}/net/{name}/device", device)
        self.link(f"sys/class/net/{name}", f"{device}/net/{name}")


PASSES = """\
ok       iommu       on, with 3 groups
ok       vfio        vfio-pci is loaded
ok       hugepages   node 0: 1024 MB are free
ok       hugetlbfs   mounted on /dev/hugepages
ok       cpus        workers have 1,2,3 for themselves
ok       governor    workers' CPUs stay fast, or only the machine below decides
ok       driver      0000:03:00.0: vfio-pci
ok       numa        0000:03:00.0: node 0, as the workers
ok       slot        0000:03:00.0: x16, 16.0 GT/s PCIe
note     link        0000:03:00.0: the kernel does not know; fastcnctl show port does
ok       driver      0000:41:00.0: mlx5_core, beside which that of DPDK works
ok       numa        0000:41:00.0: node 0, as the workers
ok       slot        0000:41:00.0: x16, 16.0 GT/s PCIe
ok       link        0000:41:00.0: eth1, 100000 Mb/s
"""
GRUB = "add to GRUB_CMDLINE_LINUX in /etc/default/grub: {}; update-grub && reboot"
NODE = "sys/devices/system/node/node0/hugepages/hugepages-2048kB/"


def no_iommu(machine):
    machine.remove("sys/kernel/iommu_groups")
    os.makedirs(machine.path("sys/kernel/iommu_groups"))


def no_iommu_on(machine, vendor, arguments="quiet"):
    no_iommu(machine)
    machine.write("proc/cpuinfo", "vendor_id : " + vendor)
    machine.write("proc/cmdline", arguments)


# What is done to the machine, which line comes of it, and its command.
LACKS = [
    (lambda m: no_iommu_on(m, "GenuineIntel"), "iommu       off", GRUB.format("intel_iommu=on iommu=pt")),
    (lambda m: no_iommu_on(m, "GenuineIntel", "intel_iommu=on"), "iommu       the kernel was asked for one and found none",
     "switch VT-d on in the firmware; in a virtual machine, add one"),
    (lambda m: no_iommu_on(m, "AuthenticAMD"), "iommu       off",
     "switch the IOMMU (AMD-Vi, SVM) on in the firmware, and " + GRUB.format("iommu=pt")),
    (lambda m: m.remove("sys/module/vfio_pci"), "vfio        vfio-pci is not loaded",
     "echo vfio-pci >/etc/modules-load.d/vfio-pci.conf && modprobe vfio-pci"),
    (lambda m: (m.write(NODE + "nr_hugepages", 0), m.write(NODE + "free_hugepages", 0)), "hugepages   node 0: none",
     f"echo 512 >/{NODE}nr_hugepages; or " + GRUB.format("hugepagesz=1G hugepages=4")),
    (lambda m: m.write("proc/mounts", "proc /proc proc rw 0 0"), "hugetlbfs   not mounted",
     "systemctl start dev-hugepages.mount, or mount -t hugetlbfs none /dev/hugepages"),
    (lambda m: m.write("sys/devices/system/cpu/isolated", "2"), "cpus        other programs may run on 1,3, which are for workers",
     GRUB.format("isolcpus=1,3 nohz_full=1,3 rcu_nocbs=1,3")),
    (lambda m: m.write("etc/default/fastcn", "FASTCN_EAL=-l 0,1,9"), "cpus        there is no CPU 9",
     "choose other ones by -l in FASTCN_EAL of /etc/default/fastcn"),
    (lambda m: m.write("sys/devices/system/cpu/cpu2/cpufreq/scaling_governor", "schedutil"),
     "governor    CPU 2 may become slower than it can be", "cpupower -c 2 frequency-set -g performance"),
    (lambda m: (m.bind(ICE, "ice"), m.interface(ICE, "eth0")),
     "driver      0000:03:00.0: ice; its interface eth0, which is up, goes away", "driverctl set-override 0000:03:00.0 vfio-pci"),
    (lambda m: m.remove(f"sys/devices/pci0000:00/{ICE}/driver"), "driver      0000:03:00.0: no driver",
     "driverctl set-override 0000:03:00.0 vfio-pci"),
    (lambda m: m.card("0000:03:00.1", "0x010000", "nvme", 17), "group       0000:03:00.1 (nvme) is in the IOMMU group of 0000:03:00.0",
     "driverctl set-override 0000:03:00.1 vfio-pci"),
    (lambda m: m.write(f"sys/devices/pci0000:00/{ICE}/numa_node", 1), "numa        0000:03:00.0 is on node 1, CPU 1,2,3 is not",
     "choose of 4-7, by -l in FASTCN_EAL of /etc/default/fastcn"),
    (lambda m: m.write(f"sys/devices/pci0000:00/{MLX}/current_link_width", 4),
     "slot        0000:41:00.0: 4 of its 16 lanes are connected", "put it into a slot with x16"),
    (lambda m: m.write("sys/class/net/eth1/carrier", 0), "link        0000:41:00.0: eth1 has none",
     "ip link set eth1 up; then see to the cable, and to the other end"),
    (lambda m: m.remove("sys/module/ib_uverbs"), "mlx5        ib_uverbs is not loaded", "modprobe ib_uverbs"),
    (lambda m: m.remove("usr/lib"), "mlx5        DPDK's driver is not installed", "apt-get install librte-meta-net"),
]
NOTES = [
    (lambda m: (no_iommu(m), m.write("sys/module/vfio/parameters/enable_unsafe_noiommu_mode", "Y")),
     "iommu       none: vfio works without, the switch needs root and the drop-in no-iommu.conf (doc/install.md)"),
    (lambda m: m.write(NODE + "free_hugepages", 3), "hugepages   node 0: only 6 MB are free; a switch that runs has the rest"),
    (lambda m: m.remove("etc/default/fastcn"),
     "cpus        which ones are the switch's is not known: --cpus LIST, or -l in FASTCN_EAL of /etc/default/fastcn"),
    (lambda m: m.bind(ICE, "uio_pci_generic"), "driver      0000:03:00.0: uio_pci_generic, without an IOMMU: needs root and the "
     "drop-in no-iommu.conf (doc/install.md)"),
    (lambda m: m.card("0000:00:19.0", "0x020000", "e1000e", 5, interface="eno1"),
     "driver      0000:00:19.0 is eno1, which has the default route: not one for the switch"),
    (lambda m: m.write(f"sys/devices/pci0000:00/{MLX}/infiniband/mlx5_0/ports/1/gids/0", "fe80:0000:0000:0000:0000:00ff:fe00:0001"),
     "roce        0000:41:00.0: RoCE is on, so its packets may not reach the switch: devlink dev param set pci/0000:41:00.0 name "
     "enable_roce value false cmode driverinit && devlink dev reload pci/0000:41:00.0"),
]


class NicCheck(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="fcn-nic-")
        self.addCleanup(directory.cleanup)
        self.machine = Machine(directory.name)

    def check(self, *words, shell=()):
        p = subprocess.run([*shell, os.path.join(ROOT, "scripts/nic-check"), "--root", self.machine.root, *words],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
        return p.returncode, p.stdout, p.stderr

    def test_nothing_is_missing(self):
        for shell in SHELLS:
            self.assertEqual(self.check(shell=shell), (0, PASSES, ""), shell)

    def test_each_thing(self):
        for number, (spoil, line, command) in enumerate(LACKS):
            with self.subTest(line=line, number=number), tempfile.TemporaryDirectory(prefix="fcn-nic-") as directory:
                self.machine = Machine(directory)
                spoil(self.machine)
                status, out, err = self.check(shell=SHELLS[number % len(SHELLS)])
                self.assertEqual((status, err), (1, ""), out)
                missing = re.findall(r"(?m)^missing +(.*)\n +# (.*)$", out)
                self.assertEqual(missing, [(line, command)])

    def test_notes(self):
        """What is said, but is not missing."""
        for number, (spoil, line) in enumerate(NOTES):
            with self.subTest(line=line), tempfile.TemporaryDirectory(prefix="fcn-nic-") as directory:
                self.machine = Machine(directory)
                spoil(self.machine)
                status, out, err = self.check(shell=SHELLS[number % len(SHELLS)])
                self.assertEqual((status, err), (0, ""), out)
                self.assertIn("note     " + line + "\n", out)

    def test_chosen(self):
        """One card by its address, or by its interface, also that of virtio; only what it needs is looked at."""
        no_iommu(self.machine)
        self.machine.remove("sys/module/vfio_pci")
        for name in (MLX, "eth1"):
            status, out, _ = self.check(name)
            self.assertEqual(status, 0, out)
            self.assertNotIn(ICE, out)
            self.assertNotIn("vfio", out)
        self.machine.card(VIRTIO, "0x020000", "virtio-pci", 9, interface="ens5", below="virtio2")
        status, out, _ = self.check("ens5")
        self.assertEqual(status, 1)
        self.assertIn("0000:00:05.0: virtio-pci; its interface ens5, which is up, goes away", out)

    def test_no_lanes(self):
        """Cards of virtual machines do not know how many they have."""
        self.machine.write(f"sys/devices/pci0000:00/{MLX}/current_link_width", 0)
        self.machine.write(f"sys/devices/pci0000:00/{ICE}/max_link_width", 255)
        status, out, _ = self.check()
        self.assertEqual((status, "slot" in out), (0, False))

    def test_no_card(self):
        for address in (ICE, MLX):
            self.machine.write(f"sys/devices/pci0000:00/{address}/class", "0x010000")
        status, out, _ = self.check()
        self.assertEqual((status, out), (0, "note     cards       no network card on the PCI bus; kernel interfaces are "
                                            "net_af_packet0,iface=NAME\n"))

    def test_user(self):
        status, out, _ = self.check("--user", "fastcn")
        self.assertEqual(status, 0, out)
        self.assertTrue(out.endswith(PASSES[-80:] + "ok       user        fastcn: /dev/hugepages is its own\n"
                                     "ok       user        fastcn: /dev/vfio/17, 0000:03:00.0, is its own\n"), out)
        self.machine.write("etc/passwd", f"fastcn:x:{os.getuid() + 1}:995::/:/bin/false")
        status, out, _ = self.check("--user", "fastcn")
        self.assertEqual((status, re.findall(r"(?m)^missing +(.*)\n +# (.*)$", out)), (1, [
            ("user        fastcn cannot take hugepages of /dev/hugepages",
             "mount -t hugetlbfs -o uid=fastcn,mode=0700 none /dev/hugepages"),
            ("user        fastcn cannot open /dev/vfio/17, 0000:03:00.0",
             "echo 'SUBSYSTEM==\"vfio\", OWNER=\"fastcn\"' >/etc/udev/rules.d/60-fastcn.rules && udevadm control --reload && "
             "udevadm trigger")]))
        self.assertIn("there is no user nobody", self.check("--user", "nobody")[1])

    def test_options(self):
        for words, said in ((("--frob",), 'what is "--frob"'), (("--cpus",), "needs a value"), (("--cpus", "1-x"), "is no list"),
                            (("--cpus", "4"), "need two CPUs"), (("eth9",), "there is no device eth9")):
            status, out, err = self.check(*words)
            self.assertEqual(status, 2, out)
            self.assertIn(said, err)
        self.machine.write("sys/devices/virtual/net/veth0/carrier", 1)
        self.machine.link("sys/class/net/veth0", "sys/devices/virtual/net/veth0")
        self.assertIn("veth0 is no card: a port of it is net_af_packet0,iface=veth0", self.check("veth0")[2])
        self.assertIn("workers have 2,3 for themselves", self.check("--cpus", "0,2-3")[1])


if __name__ == "__main__":
    sys.exit(unittest.main())
