#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The Debian package: made by dpkg-buildpackage of the programs that are built already, read by lintian, and installed by apt
from a repository, run by systemd, upgraded and removed in a Debian that has nothing else of fastcn; and in a container of
podman. What a test needs and is not there makes it skip.

test_package.py --fastcn PROGRAM --build DIRECTORY --container DIRECTORY [unittest options]
"""

import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

import container
import testbed

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests/docs"))
import links  # noqa: E402
TOOLS = ("dpkg-buildpackage", "dh", "meson", "mkdocs")

# What the package for hosts has; that for switches has none of it.
HOST_FILES = {"/usr/bin/fastcn-host", "/usr/share/man/man1/fastcn-host.1.gz", "/lib/systemd/system/fastcn-host.service",
              "/usr/lib/sysusers.d/fastcn-host.conf", "/usr/share/bash-completion/completions/fastcn-host"}
OLD = "0.0.9"  # the version before

DROP_IN = "/etc/systemd/system/fastcn.service.d"
HOST = "2001:db8:1::1"


def package_of(directory):
    """Make the package of what is built; its path."""
    source = os.path.join(directory, "fastcn")
    os.mkdir(source)
    for name in ("debian", "config"):
        shutil.copytree(os.path.join(ROOT, name), os.path.join(source, name))
    for name in ("CHANGELOG.md", "LICENSE"):
        shutil.copy(os.path.join(ROOT, name), source)
    for name in ("app", "lib", "scripts"):  # sources, none of which belongs into the package
        os.mkdir(os.path.join(source, name))
        testbed.write(os.path.join(source, name), "source.c", "")
    p = subprocess.run(["dpkg-buildpackage", "-b", "-us", "-uc"], cwd=source, stdin=subprocess.DEVNULL, text=True,
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=testbed.seconds(120), check=False,
                       env={**os.environ, "FASTCN_BUILD": os.path.abspath(testbed.options.build),
                            "DEB_BUILD_OPTIONS": "noautodbgsym", "LC_ALL": "C.UTF-8"})
    if p.returncode != 0:
        raise AssertionError(p.stdout)
    return glob.glob(os.path.join(directory, "fastcn_*.deb"))[0]


def older(package, directory):
    """The version before: the same programs, and another first configuration. Its path."""
    tree = os.path.join(directory, "old")
    testbed.run("dpkg-deb", "-R", package, tree)
    for name, old, new in (("DEBIAN/control", r"(?m)^Version: .*", "Version: " + OLD),
                           ("usr/share/fastcn/examples/service/fastcn.conf", "^", "# as it was before\n")):
        path = os.path.join(tree, name)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        testbed.write(tree, name, re.sub(old, new, text, count=1))
    out = os.path.join(directory, f"fastcn_{OLD}_old.deb")
    testbed.run("dpkg-deb", "--root-owner-group", "-Znone", "-b", tree, out)
    return out


def typed(heading, beginning):
    """The block of doc/install.md below a heading that begins so, as it is typed."""
    with open(os.path.join(ROOT, "doc", "install.md"), encoding="utf-8") as f:
        section = f.read().partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    for block in re.findall(r"(?:^    .*\n)(?:    .*\n|\n(?=    ))*", section, re.M):
        lines = [x[4:] for x in block.splitlines()]
        if lines[0].startswith(beginning):
            return "\n".join(lines)
    raise AssertionError(f"{heading}: no block begins with {beginning}")


class Repository:
    """Of reprepro, made by the lines of doc/install.md, in the folder that is /shared of the container."""

    def __init__(self, shared):
        self.shared = shared
        self.keys = os.path.join(shared, "keys")
        os.mkdir(self.keys, 0o700)
        self.run(typed("An apt repository", "gpg ").replace("gpg ", "gpg --batch --passphrase '' "))

    def run(self, lines):
        p = subprocess.run(["sh", "-e", "-c", lines], cwd=self.shared, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, check=False, timeout=testbed.seconds(60),
                           env={**os.environ, "GNUPGHOME": self.keys})
        if p.returncode != 0:
            raise AssertionError(p.stdout)

    def add(self, *packages):
        for old in glob.glob(os.path.join(self.shared, "fastcn*.deb")):
            os.remove(old)
        for package in packages:
            shutil.copy(package, self.shared)
        self.run(typed("An apt repository", "mkdir"))

    def end(self):
        subprocess.run(["gpgconf", "--kill", "all"], env={**os.environ, "GNUPGHOME": self.keys}, check=False)


@unittest.skipUnless(all(map(shutil.which, TOOLS)), "needs " + ", ".join(TOOLS))
class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="fcn-package-")
        cls.addClassCleanup(shutil.rmtree, cls.directory, ignore_errors=True)
        cls.package = package_of(cls.directory)
        cls.files, cls.host_files = ({x.split()[5].lstrip(".") for x in testbed.run("dpkg-deb", "--contents", package).splitlines()}
                                     for package in (cls.package, *glob.glob(os.path.join(cls.directory, "fastcn-host_*.deb"))))

    @unittest.skipUnless(shutil.which("lintian"), "no lintian")
    def test_lintian(self):
        """Nothing to say, and nobody has told it to be silent."""
        p = subprocess.run(["lintian", "--allow-root", "--no-cfg", "--show-overrides",
                            *glob.glob(os.path.join(self.directory, "*.changes"))],
                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                           timeout=testbed.seconds(60))
        self.assertEqual((p.returncode, [x for x in p.stdout.splitlines() if re.match(r"\w: ", x)]), (0, []))

    def test_contents(self):
        """All that is built and written for users, and nothing below /usr/local."""
        man = {os.path.basename(x) for x in glob.glob(os.path.join(ROOT, "doc", "man", "*.[1-9]"))}
        wanted = {f"/usr/share/man/man{x[-1]}/{x}.gz" for x in man}
        wanted |= {"/usr/bin/" + x[:-2] for x in man if x.endswith(".1")}
        wanted |= {"/lib/systemd/system/" + os.path.basename(x) for x in glob.glob(os.path.join(ROOT, "config", "*.service"))}
        wanted |= {"/usr/share/fastcn/scripts/" + x for x in ("demo-leaf", "demo-proxy", "demo-wan", "lib-demo.sh", "lib.sh",
                                                              "nic-check", "roce-send")}
        wanted |= {"/etc/default/fastcn", "/etc/logrotate.d/fastcn", "/usr/share/bash-completion/completions/fastcn",
                   "/usr/libexec/fastcn/lab-results", "/usr/lib/sysusers.d/fastcn.conf"}
        for pattern in ("*.conf", "*.json", "*.yml", "*.rules", "frr/*.conf", "lab/*.lab", "service/*.conf"):
            wanted |= {"/usr/share/fastcn/examples/" + os.path.relpath(x, os.path.join(ROOT, "config"))
                       for x in glob.glob(os.path.join(ROOT, "config", pattern))}
        plugins = os.path.join("/usr/lib", testbed.run("dpkg-architecture", "-qDEB_HOST_MULTIARCH").strip(),
                               "wireshark/plugins")
        wanted |= {f"{plugins}/{os.path.basename(x)}" for x in glob.glob(os.path.join(ROOT, "scripts/wireshark/*.lua"))}
        self.assertEqual((wanted | HOST_FILES) - self.files, HOST_FILES)
        self.assertEqual({x for x in self.host_files if not x.endswith("/") and not x.startswith("/usr/share/doc/fastcn-host/")},
                         HOST_FILES)
        self.assertNotRegex(testbed.run("dpkg-deb", "-f", glob.glob(os.path.join(self.directory, "fastcn-host_*.deb"))[0], "Depends"),
                            "rte|dpdk")
        self.assertEqual([x for x in self.files if "local" in x or x.endswith(("meson.build", ".c"))], [])
        if shutil.which("tshark"):
            self.assertIn(plugins, testbed.run("tshark", "-G", "folders"))

    def test_documentation(self):
        """Each page as Markdown and as HTML, the pictures, and no link to anything that the package does not have."""
        with tempfile.TemporaryDirectory(prefix="fcn-unpacked-") as directory:
            testbed.run("dpkg-deb", "-x", self.package, directory)
            out = os.path.join(directory, "usr/share/doc/fastcn")
            pages = links.pages_below(os.path.join(out, "html")) + glob.glob(os.path.join(out, "*.md"))
            pages += glob.glob(os.path.join(out, "notes", "*.md"))
            names = {os.path.relpath(x, out) for x in pages}
            for path in glob.glob(os.path.join(ROOT, "doc", "*.md")):
                name = os.path.basename(path)
                self.assertLessEqual({name, "html/" + name.replace(".md", ".html")}, names)
            for path in glob.glob(os.path.join(ROOT, "doc", "pictures", "*")):
                for where in ("", "html"):
                    self.assertTrue(os.path.exists(os.path.join(out, where, "pictures", os.path.basename(path))), path)
            self.assertEqual(links.broken(pages, directory), [])
            self.assertEqual(links.fetched(x for x in pages if x.endswith(".html")), [])

    def test_life(self):
        why = container.missing(testbed.options.container)
        if why is not None:
            self.skipTest(why)
        with tempfile.TemporaryDirectory(prefix="fcn-shared-") as shared:
            os.chmod(shared, 0o755)  # for apt's own user
            repository = Repository(shared)
            self.addCleanup(repository.end)
            machine = container.Container(testbed.options.container, shared)
            try:
                self.life(machine, repository)
            except BaseException:
                print(machine.ask("journalctl --no-pager -n 60 -u fastcn -u fastcn-netns@cp")[1])
                raise
            finally:
                machine.end()

    @unittest.skipUnless(shutil.which("podman"), "no podman")
    def test_image(self):
        """The image of config/Containerfile, but that its package is the one of this test, and the Debian below it the one of
        scripts/setup, without a network: podman builds it, and a switch forwards in it until it is stopped."""
        why = container.missing(testbed.options.container)
        if why is not None:
            self.skipTest(why)
        with tempfile.TemporaryDirectory(prefix="fcn-image-") as directory:
            # Both versions of control groups side by side, as in some containers, are too many for its runtimes.
            store = ["unshare", "--mount", "sh", "-c", 'mount -t cgroup2 none /sys/fs/cgroup; exec "$@"', "sh", "podman",
                     "--root", f"{directory}/root", "--runroot", f"{directory}/run", "--tmpdir", f"{directory}/tmp",
                     "--cgroup-manager", "cgroupfs", "--events-backend", "none"]
            # In others, nobody may have more than is had already.
            limits = ["--ulimit=nofile=4096:4096", "--ulimit=nproc=4096:4096"]

            def podman(*words, check=True, timeout=240):
                p = subprocess.run([*store, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, check=False, timeout=testbed.seconds(timeout))
                if check:
                    self.assertEqual(p.returncode, 0, p.stdout)
                return p.stdout

            def said(*words, **more):
                return podman("exec", "switch", "fastcnctl", "--timeout", "60", *words, **more)
            context = os.path.join(directory, "context")
            os.mkdir(context)
            shutil.copy(self.package, os.path.join(context, "fastcn.deb"))
            with open(os.path.join(ROOT, "config", "Containerfile"), encoding="ascii") as f:
                base, second = re.search(r"(?ms)^FROM (\S+)\n(.*)\Z", f.read()).groups()
            testbed.write(context, "Containerfile",
                          f"FROM scratch AS build\nCOPY fastcn.deb /package/fastcn.deb\nFROM {base}\n{second}")
            testbed.run("tar", "-c", "-f", f"{directory}/debian.tar", "-C", testbed.options.container, "--exclude=./etc/apt/sources.list*",
                        "--exclude=./packages", "--exclude=./dev/*", "--exclude=./proc/*", "--exclude=./sys/*", ".")
            podman("import", f"{directory}/debian.tar", base)
            podman("build", "--pull=never", "--network", "host", "--isolation", "chroot", "--build-arg", "DRIVERS=", "-t", "fastcn", context)
            try:
                podman("run", "-d", "--name", "switch", "--network", "none", "--cap-add", "NET_ADMIN,NET_RAW,IPC_LOCK", "--device",
                       "/dev/net/tun", "--cgroups", "disabled", *limits, "fastcn")
                testbed.wait_until(lambda: re.search(r"(?m)^forwarding: +yes$", said("show", "status", check=False)), 60)
                self.assertIn("port add p2 device net_tap1,iface=fcn2\n", said("show", "config"))
                podman("exec", "switch", "ip", "link", "show", "fcn1")
                podman("stop", "-t", "10", "switch")
                self.assertEqual(podman("inspect", "-f", "{{.State.ExitCode}}", "switch").strip(), "0")
            finally:
                podman("rm", "-f", "-i", "switch")

    def life(self, machine, repository):
        everything = "find / -xdev -path /proc -prune -o -path /sys -prune -o -path /var/log -prune -o -print | sort"
        before = machine.say(everything).splitlines()
        machine.say("rm -f /etc/apt/sources.list /etc/apt/sources.list.d/*")  # there is no network
        repository.add(older(self.package, self.directory))
        machine.say(typed("An apt repository", "cp fastcn.gpg").replace("cp fastcn.gpg", "cp /shared/repository/fastcn.gpg")
                    .replace("http://packages.example/fastcn", "file:/shared/repository"), timeout=120)
        self.assertEqual(machine.say("dpkg-query -W -f '${Version}' fastcn"), OLD)
        self.assertEqual(machine.ask("systemctl is-enabled fastcn fastcn-pnc; systemctl is-active fastcn fastcn-pnc")[1].split(),
                         ["disabled", "disabled", "inactive", "inactive"])
        self.upgraded(machine, repository)
        self.started(machine)
        self.logged(machine)
        self.demonstrated(machine)
        self.learning(machine)
        self.restricted(machine)
        self.own_user(machine)
        self.beside_frr(machine)
        machine.say("apt-get -q -y purge fastcn && rm /etc/apt/sources.list.d/fastcn.sources /etc/apt/keyrings/fastcn.gpg", timeout=120)
        self.assertNotEqual(machine.ask("systemctl is-active fastcn")[0], 0)
        after = machine.say(everything).splitlines()
        left = [x for x in set(after) - set(before) if re.search("fastcn|fcn", x)]
        self.assertEqual(left, [])

    def upgraded(self, machine, repository):
        """What was configured stays, without a question, and the switch goes on until it is told to be the new one."""
        machine.say("echo 'FASTCN_OPTIONS=--mbufs 8191' >>/etc/default/fastcn && systemctl start fastcn && "
                    "fastcnctl set bridge br0 ageing 77s && fastcnctl save fastcn.conf && "
                    "mkdir /root/etc && cp -a /etc/fastcn /root/etc/ && cp -a /etc/default/fastcn /root/etc/default")
        pid = machine.say("systemctl show -p MainPID --value fastcn").strip()
        repository.add(self.package, *glob.glob(os.path.join(self.directory, "fastcn-host_*.deb")))
        machine.say("apt-get -q update && apt-get -q -y upgrade </dev/null", timeout=120)
        self.assertIn("Candidate: " + testbed.run("dpkg-deb", "-f", self.package, "Version"),
                      machine.say("apt-cache policy fastcn-host"))
        self.assertNotEqual(machine.say("dpkg-query -W -f '${Version}' fastcn"), OLD)
        machine.say("diff -r /etc/fastcn /root/etc/fastcn && diff /etc/default/fastcn /root/etc/default")
        self.assertEqual(machine.say("ls /etc/fastcn /etc/default | grep -e dpkg -e ucf || true"), "")
        self.assertEqual(machine.say("systemctl show -p MainPID --value fastcn").strip(), pid)
        self.assertIn("(deleted)", machine.say(f"readlink /proc/{pid}/exe"))
        machine.say("fastcnctl restart")
        machine.wait(f"test $(systemctl show -p MainPID --value fastcn) != {pid} && systemctl is-active fastcn")
        machine.wait("fastcnctl show config | grep -q 'ageing 77s'")
        self.assertEqual(machine.say("readlink /proc/$(systemctl show -p MainPID --value fastcn)/exe").strip(), "/usr/bin/fastcn")
        # As it is installed, for what follows.
        machine.say("systemctl stop fastcn && rm -r /root/etc && "
                    "cp /usr/share/fastcn/examples/service/fastcn.conf /etc/fastcn/ && sed -i '/mbufs/d' /etc/default/fastcn")

    def logged(self, machine):
        """logrotate renames the log of events, and the switch goes on in a new file; without a switch, too."""
        if machine.ask("command -v logrotate")[0] != 0:
            self.skipTest("no logrotate in the Debian: scripts/setup makes it")
        machine.say("systemctl is-enabled logrotate.timer")
        log = "/var/lib/fastcn/events.json"
        rotate = "logrotate -s /root/state /etc/logrotate.d/fastcn"
        machine.say(f"fastcnctl set log events {log} && truncate -s 101M {log} && {rotate}")
        self.assertEqual(machine.say(f"stat -c %s {log}.1").strip(), str(101 << 20))
        self.assertLess(int(machine.say(f"stat -c %s {log}")), 1 << 20)
        pid = machine.say("systemctl show -p MainPID --value fastcn").strip()
        self.assertIn(f"{log}\n", machine.say(f"readlink /proc/{pid}/fd/*"))
        machine.say(f"{rotate} && test ! -e {log}.2.gz && truncate -s 102M {log} && systemctl stop fastcn && {rotate} && "
                    f"test -e {log}.2.gz && rm -r {log}.* /root/state && (systemctl start fastcn || :)")
        machine.wait("systemctl is-active fastcn", 60)

    def demonstrated(self, machine):
        """A demonstration of those that are installed, from anywhere. It says which packages it needs and are not there."""
        for name in ("demo-leaf", "demo-proxy", "demo-wan"):
            self.assertIn("--once", machine.say(f"/usr/share/fastcn/scripts/{name} --help"))
        self.assertIn("missing: apt-get install --no-install-recommends tshark",
                      machine.ask("/usr/share/fastcn/scripts/demo-leaf --once")[1])
        shown = machine.say("/usr/share/fastcn/scripts/demo-proxy --once", timeout=180)
        self.assertRegex(shown, r"(?m)^CNPs that it took +0 +[1-9]\d*$")
        self.assertEqual(machine.say("ip netns list"), "")

    def started(self, machine):
        """As it is installed."""
        machine.say("systemctl start fastcn")
        self.assertRegex(machine.say("fastcnctl show version"), "fastcn: ")
        for name in (x for x in self.files if x.startswith("/usr/bin/fastcn")):
            machine.say(f"{name} --help")
        machine.say("fastcn-lab compare --help")
        for name in ("fcn1", "fcn2"):
            machine.say(f"ip link show {name}")
        pid = machine.say("systemctl show -p MainPID --value fastcn")
        machine.say("fastcnctl set bridge br0 ageing 77s")
        machine.say("systemctl reload fastcn")
        machine.wait("fastcnctl show config | grep -q 'ageing 300s' || ! fastcnctl show config | grep -q 'ageing 77s'")
        self.assertEqual(machine.say("systemctl show -p MainPID --value fastcn"), pid)

    def learning(self, machine):
        """fastcn-pnc is a user of its own that reaches one socket, and may use a low port and raw packets."""
        machine.say("echo 'FASTCN_PNC_OPTIONS=--bmp 127.0.0.1 179 --interface fcn1 --status /run/fastcn-pnc/state' >/etc/default/fastcn-pnc "
                    "&& systemctl start fastcn-pnc")
        pid = machine.say("systemctl show -p MainPID --value fastcn-pnc").strip()
        # The process is there before systemd has made it that of the user.
        machine.wait(f"stat -c '%U %G' /proc/{pid} | grep -qx 'fastcn-pnc fastcn-pnc'")
        self.assertRegex(machine.say(f"cat /proc/{pid}/status"), r"(?m)^CapEff:\s+0000000000002400$")
        sessions = machine.wait("fastcnctl show sessions | grep fastcn-pnc")
        self.assertRegex(sessions, r"\sfastcn-pnc\s+\d+\s+learned\s+/run/fastcn/learned.sock\s")
        machine.wait("systemctl kill -s USR1 fastcn-pnc && grep -q 'is_connected: *yes' /run/fastcn-pnc/state")
        machine.say("systemctl stop fastcn-pnc && rm /etc/default/fastcn-pnc")

    def own_user(self, machine):
        """The switch as a user of its own, by the drop-in: it forwards, saves and captures."""
        machine.say(f"mkdir -p {DROP_IN} && cp /usr/share/fastcn/examples/service/user.conf {DROP_IN}/ && "
                    "cp -a /etc/fastcn /etc/fastcn.keep && chown -R fastcn: /etc/fastcn && systemctl daemon-reload && "
                    "systemctl start fastcn")
        pid = machine.say("systemctl show -p MainPID --value fastcn").strip()
        self.assertEqual(machine.say(f"stat -c %U /proc/{pid}").strip(), "fastcn")
        self.assertRegex(machine.say(f"cat /proc/{pid}/status"), r"(?m)^CapEff:\s+0000000000003000$")
        machine.say("fastcnctl save fastcn.conf && fastcnctl capture start port all both file x.pcapng && fastcnctl capture stop && "
                    "test -s /var/lib/fastcn/x.pcapng")
        machine.say(f"systemctl stop fastcn && rm -r /var/lib/fastcn {DROP_IN} /etc/fastcn && mv /etc/fastcn.keep /etc/fastcn && "
                    "systemctl daemon-reload")

    def restricted(self, machine):
        """Captures are where they are found, and the configuration can be saved."""
        machine.say("fastcnctl capture start port all both file x.pcapng && fastcnctl capture stop")
        machine.say("test -s /var/lib/fastcn/x.pcapng")
        self.assertIn("this session may use files in /var/lib/fastcn only",
                      machine.ask("fastcnctl capture start port all both file /tmp/x.pcapng")[1])
        self.assertIn("this session may use files in /etc/fastcn only", machine.ask("fastcnctl load /etc/shadow")[1])
        machine.say("fastcnctl save fastcn.conf && grep -q '^bridge add br0' /etc/fastcn/fastcn.conf")
        machine.say("systemctl stop fastcn && rm -r /var/lib/fastcn")

    def beside_frr(self, machine):
        """The steps of doc/install.md for a switch with a routing daemon: packets of the namespace of the control plane
        leave by the switch's port. With namespaces forbidden altogether, the switch does not start: systemd's filters
        are at work here."""
        with open(os.path.join(ROOT, "doc", "install.md"), encoding="utf-8") as f:
            text = f.read()
        steps = re.search(r"## With a routing daemon\n(?s:.*?)\n\n((?:    .*\n|\n)+)", text).group(1)
        machine.say("ip netns add host && for i in 1 2; do ip link add s$i type veth peer name h$i netns host && "
                    "ip link set s$i up && ip -n host link set h$i up || exit; done && "
                    f"ip -n host address add {HOST}/64 dev h1 nodad")
        machine.say("\n".join(x[4:] for x in steps.splitlines() if not x.startswith("    systemctl start")))
        machine.say(f"mkdir -p {DROP_IN} && printf '[Service]\\nRestrictNamespaces=yes\\n' >{DROP_IN}/zz-strict.conf && "
                    "systemctl daemon-reload")
        self.assertNotEqual(machine.ask("systemctl start fastcn")[0], 0)
        self.assertIn("kernel namespace cp: Operation not permitted", machine.say("journalctl --no-pager -u fastcn"))
        # systemd starts it again and again, also while that is mended.
        machine.say(f"systemctl stop fastcn && rm {DROP_IN}/zz-strict.conf && systemctl daemon-reload && "
                    "systemctl reset-failed fastcn || systemctl is-failed fastcn | grep -x inactive")
        machine.say("systemctl start fastcn")
        self.assertIn("2001:db8:1::fe/64", machine.wait("ip -n cp address show dev sw1 | grep -v tentative | grep 2001"))
        machine.wait(f"ip netns exec cp bash -c 'echo >/dev/udp/{HOST}/9'; ip -n cp neighbour show {HOST} | grep lladdr")
        machine.say(f"systemctl stop fastcn fastcn-netns@cp && rm -r {DROP_IN} && ip netns delete host")
        self.assertEqual(machine.say("ip netns list"), "")


class Files(unittest.TestCase):
    """What can be checked without the tools that use it."""

    def test_containerfile(self):
        """Its instructions are known, what it copies is there, and it needs what debian/control says."""
        with open(os.path.join(ROOT, "config", "Containerfile"), encoding="ascii") as f:
            text = re.sub(r"\\\n\s*", "", f.read())
        lines = [x.split(None, 1) for x in text.splitlines() if x.strip() and not x.startswith("#")]
        self.assertEqual(lines[0][0], "FROM")
        stages = [x[1].split()[-1] for x in lines if x[0] == "FROM" and " AS " in x[1]]
        for word, rest in lines:
            self.assertIn(word, {"FROM", "RUN", "COPY", "WORKDIR", "ENTRYPOINT", "CMD", "VOLUME", "LABEL", "ARG"})
            if word == "COPY" and "--from=" not in rest:
                for name in rest.split()[:-1]:
                    self.assertTrue(os.path.exists(os.path.join(ROOT, name)), name)
            if word == "COPY" and "--from=" in rest:
                self.assertIn(re.search(r"--from=(\S+)", rest).group(1), stages)
            if word == "RUN":
                p = subprocess.run(["sh", "-n", "-c", rest], stderr=subprocess.PIPE, text=True, check=False)
                self.assertEqual((p.returncode, p.stderr), (0, ""))

    @unittest.skipUnless(shutil.which("bash"), "no bash")
    def test_completion(self):
        """What is offered behind words, against the declarations in doc/console.md."""
        def offered(*words):
            code = (f". {shlex.quote(os.path.join(ROOT, 'config/completion/fastcn'))}; COMP_WORDS=(\"$@\"); "
                    "COMP_CWORD=$(($# - 1)); _fastcn; printf '%s\\n' \"${COMPREPLY[@]}\"")
            path = os.path.dirname(os.path.abspath(testbed.options.fastcn))
            out = subprocess.run(["bash", "-c", code, "-", *words], stdout=subprocess.PIPE, text=True, check=True,
                                 env={**os.environ, "PATH": f"{path}:{os.environ['PATH']}"}).stdout
            return set(out.split())
        with open(os.path.join(ROOT, "doc", "console.md"), encoding="utf-8") as f:
            syntaxes = re.findall(r"^### `(.*)`$", f.read(), re.M)
        self.assertEqual(offered("fastcnctl", ""), {x.split()[0] for x in syntaxes})
        self.assertEqual(offered("fastcnctl", "--json", "show", "p"),
                         {x.split()[1] for x in syntaxes if x.startswith("show p")})
        self.assertEqual(offered("fastcnctl", "set", "port", "p1", "trust", ""), {"dscp", "pcp", "none"})
        self.assertEqual(offered("fastcnctl", "route", "remove", "10.0.0.0/8", ""), {"via", "table"})
        self.assertEqual(offered("fastcnctl", "route", "remove", "10.0.0.0/8", "via", "10.0.0.1", ""), {"port"})
        self.assertLessEqual({"--socket-group", "--config-dir"}, offered("fastcn", "--"))
        self.assertEqual(offered("fastcn", "ref"), {"reference"})
        self.assertEqual(offered("fastcn-host", ""), {"show", "watch"})
        self.assertEqual(offered("fastcn-host", "watch", ""), {"json"})
        host = os.path.join(os.path.abspath(testbed.options.build), "app", "fastcn-host", "fastcn-host")
        self.assertLessEqual({"--switch", "--no-probes", "--version"}, offered(host, "--"))
        qpd = os.path.join(os.path.abspath(testbed.options.build), "app", "fastcn-qpd", "fastcn-qpd")
        self.assertEqual(offered(qpd, "--ce"), {"--certificate"})
        check = os.path.join(os.path.abspath(testbed.options.build), "app", "fastcn-check", "fastcn-check")
        self.assertEqual(offered(check, "--option"), {"--option1", "--option2"})


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, programs=("fastcn", "build", "container")))
