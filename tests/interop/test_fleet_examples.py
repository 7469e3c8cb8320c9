#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""The examples for many switches: the playbook of config/ansible is run by ansible-playbook against a live switch on this
machine; the manifest of config/kubernetes is compared with the API's models of Debian's python3-kubernetes, and its
configuration, its arguments and its probes are tried on a live switch. No cluster is run. Needs no root.

test_fleet_examples.py --fastcn PROGRAM --fastcnctl PROGRAM [unittest options]
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import testbed
from test_exports import scrape

sys.path.append("/usr/lib/python3/dist-packages")  # those of Debian, whichever python3 runs this
try:
    import yaml
except ImportError:
    yaml = None
try:
    import kubernetes.client as kubernetes
except ImportError:
    kubernetes = None

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PLAYBOOK = os.path.join(ROOT, "config/ansible/fastcn.yml")
MANIFEST = os.path.join(ROOT, "config/kubernetes/fastcn.yml")


def switch(test, directory, config, *more):
    """A switch with two ports that receive nothing."""
    s = testbed.Switch(directory, config, *more, eal_options=("--no-telemetry", f"--file-prefix=fcnfleet{os.getpid()}"),
                       vdevs=("net_null0,no-rx=1", "net_null1,no-rx=1"))
    test.addCleanup(s.end)
    return s.wait()


def http_port(s):
    return int(s.json("show export")["metrics"]["listen"].rsplit(":", 1)[1])


@unittest.skipIf(shutil.which("ansible-playbook") is None, "needs ansible-core")
class Ansible(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="fcn-ansible-")
        self.addCleanup(directory.cleanup)
        self.directory = directory.name
        self.config = testbed.write(self.directory, "fastcn.conf", "set metrics listen 0\n")
        self.switch = switch(self, self.directory, self.config)
        # The play names the port: take the one that was free.
        self.port = http_port(self.switch)
        self.switch.say("set metrics off")
        self.switch.say("start")

    def play(self, **ports):
        """Run the playbook; returns its exit status and what it prints."""
        values = {"name": "p1", "device": "net_null0", "address": "2001:db8:1::fe/64", "rate": "10G"}
        inventory = {"switches": {"hosts": {"localhost": {
            "ansible_connection": "local", "ansible_python_interpreter": sys.executable, "fastcn_directory": self.directory,
            "fastcn_socket": self.switch.path, "fastcn_ctl": testbed.options.fastcnctl, "fastcn_http_port": self.port,
            "fastcn_ports": [{**values, **ports},
                             {**values, "name": "p2", "device": "net_null1", "address": "2001:db8:2::fe/64"}]}}}}
        path = testbed.write(self.directory, "inventory.json", json.dumps(inventory))
        done = subprocess.run(["ansible-playbook", "-i", path, PLAYBOOK], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False, timeout=testbed.seconds(600),
                              env={**os.environ, "HOME": self.directory, "ANSIBLE_LOCAL_TEMP": self.directory,
                                   "ANSIBLE_HOME": self.directory, "ANSIBLE_NOCOLOR": "1", "LC_ALL": "C.UTF-8"})
        return done.returncode, done.stdout

    def kept(self):
        with open(self.config, encoding="ascii") as f:
            return f.read()

    def test_play(self):
        status, said = self.play()
        self.assertEqual(status, 0, said)
        self.assertRegex(said, r"changed=4 .* failed=0 ")
        self.assertIn("set port p1 rate 10G", self.kept())
        self.assertEqual([p["rate_bps"] for p in self.switch.json("show port")], [10 ** 10, 10 ** 10])
        self.assertTrue(self.switch.json("show status")["configuration"]["saved"])
        # Once more: there is nothing to write. But the switch has an interface that nobody meant.
        self.switch.say("port add p9 vlan 9 of p1")
        status, said = self.play()
        self.assertNotEqual(status, 0, said)
        self.assertRegex(said, r"Assertion failed")
        self.assertRegex(said, r"changed=0 .* failed=1 ")
        # A mistake: the play says which, and all is as before.
        before, running = self.kept(), self.switch.say("show running-config")
        status, said = self.play(rate="much")
        self.assertNotEqual(status, 0, said)
        self.assertRegex(said, r"fastcn\.conf\.new:\d+:\d+: ")
        self.assertIn("much", said)
        self.assertEqual((self.kept(), self.switch.say("show running-config")), (before, running))


def mismatches(value, kind, where):
    """Where a value is not what the API's model of its kind has: unknown members, missing ones, other types."""
    if kind.startswith("list["):
        if not isinstance(value, list):
            yield f"{where}: no list"
            return
        for i, element in enumerate(value):
            yield from mismatches(element, kind[5:-1], f"{where}[{i}]")
    elif kind.startswith("dict("):
        of = kind[5:-1].partition(", ")[2]
        for name, element in value.items():
            yield from mismatches(element, of, f"{where}.{name}")
    elif kind in ("str", "int", "bool", "float"):
        if type(value).__name__ != kind:
            yield f"{where}: {value!r} is no {kind}"
    elif kind == "object":  # a number or a name, as of a port
        if not isinstance(value, (int, str)):
            yield f"{where}: {value!r}"
    else:
        model = getattr(kubernetes, kind)
        names = {name: member for member, name in model.attribute_map.items()}
        for name, element in value.items():
            if name not in names:
                yield f"{where}.{name}: {kind} has no such member"
            else:
                yield from mismatches(element, model.openapi_types[names[name]], f"{where}.{name}")
        try:
            model(**{names[n]: v for n, v in value.items() if n in names})
        except ValueError as e:  # a member that has to be there
            yield f"{where}: {e}"


@unittest.skipIf(yaml is None, "needs python3-yaml")
class Kubernetes(unittest.TestCase):
    def setUp(self):
        with open(MANIFEST, encoding="utf-8") as f:
            self.parts = {part["kind"]: part for part in yaml.safe_load_all(f)}

    @unittest.skipIf(kubernetes is None, "needs python3-kubernetes")
    def test_models(self):
        for kind, part in self.parts.items():
            self.assertEqual(list(mismatches(part, "V1" + kind, kind)), [])
        # It finds what is wrong.
        container = self.parts["DaemonSet"]["spec"]["template"]["spec"]["containers"][0]
        container["livenessProbe"]["httpget"] = container["livenessProbe"].pop("httpGet")
        container["resources"]["requests"]["cpu"] = 2
        del self.parts["DaemonSet"]["spec"]["selector"]
        found = "\n".join(mismatches(self.parts["DaemonSet"], "V1DaemonSet", "DaemonSet"))
        for words in ("httpget: V1Probe has no such member", "cpu: 2 is no str", "Invalid value for `selector`"):
            self.assertIn(words, found)

    def test_names(self):
        """What is named is there."""
        daemon = self.parts["DaemonSet"]
        pod = daemon["spec"]["template"]
        self.assertEqual(daemon["spec"]["selector"]["matchLabels"], pod["metadata"]["labels"])
        volumes = {v["name"]: v for v in pod["spec"]["volumes"]}
        self.assertEqual({m["name"] for m in pod["spec"]["containers"][0]["volumeMounts"]}, set(volumes))
        self.assertEqual(volumes["configuration"]["configMap"]["name"], self.parts["ConfigMap"]["metadata"]["name"])
        self.assertEqual({part["metadata"].get("namespace", part["metadata"]["name"]) for part in self.parts.values()}, {"fastcn"})

    def test_run(self):
        """The container's configuration and arguments on a switch with other devices, asked what the probes ask."""
        container = self.parts["DaemonSet"]["spec"]["template"]["spec"]["containers"][0]
        config = self.parts["ConfigMap"]["data"]["fastcn.conf"]
        self.assertIn("set metrics listen 9750\n", config)
        args = container["args"]
        eal, more = args[:args.index("--")], args[args.index("--") + 1:]
        self.assertEqual([a.split(",")[0] for a in eal if a.startswith("net_")], ["net_af_packet0", "net_af_packet1"])
        with tempfile.TemporaryDirectory(prefix="fcn-kubernetes-") as directory:
            path = testbed.write(directory, "fastcn.conf",
                                 config.replace("net_af_packet", "net_null").replace("listen 9750", "listen 0"))
            more = [directory if a in ("/etc/fastcn", "/var/lib/fastcn") else path if a == "/etc/fastcn/fastcn.conf" else a
                    for a in more]
            self.assertEqual(more.pop(more.index("-f") + 1), path)
            more.remove("-f")
            # An output directory has to be another one.
            os.mkdir(os.path.join(directory, "out"))
            more[more.index("--output-dir") + 1] = os.path.join(directory, "out")
            s = switch(self, directory, path, *more)
            for probe in ("startupProbe", "livenessProbe", "readinessProbe"):
                asked = container[probe]["httpGet"]
                self.assertEqual((asked["host"], asked["port"]), ("127.0.0.1", 9750))
                self.assertEqual(scrape(http_port(s), asked["path"])[::2], (200, "ok\n"), probe)


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, ("fastcn", "fastcnctl")))
