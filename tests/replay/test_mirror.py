#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors
#
# usage: test_mirror.py FASTCN [unittest arguments]

"""`fastcn replay --mirror`: what it makes of captures of several ports, and CNPs beside Fast CNPs.

Expected are what the frames were made from, and what notice_times.py reads in the captures that the ports write.
"""

import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.join(HERE, "..", "data")
sys.path[:0] = [HERE, DATA]

import mirror as make  # noqa: E402
import notice_times as times  # noqa: E402

FASTCN = None
NOTHING = 4
MBUFS = ["--mbufs", "8192"]


def read(path):
    with open(path, "rb") as f:
        return f.read()


class Run:
    """A replay in a folder of its own."""

    def __init__(self, folder, words, stdin=None, outputs=(), quiet=False):
        self.outputs = [os.path.join(folder, name + ".out.pcap") for name in outputs]
        more = [w for name, path in zip(outputs, self.outputs) for w in ("--out", "%s=%s" % (name, path))]
        self.json, self.csv = os.path.join(folder, "report.json"), os.path.join(folder, "flows.csv")
        done = subprocess.run([FASTCN, "replay", *words, *MBUFS, *more, "--json", self.json, "--flows", self.csv,
                               *(["--quiet"] if quiet else [])], input=stdin, capture_output=True, timeout=120, cwd=folder, check=False)
        self.status, self.text, self.errors = done.returncode, done.stdout.decode(), done.stderr.decode()
        self.report = self.flows = None
        if os.path.exists(self.json) and os.path.getsize(self.json):
            with open(self.json, encoding="ascii") as f:
                self.report = json.load(f)
            with open(self.csv, encoding="ascii") as f:
                self.flows = list(csv.DictReader(io.StringIO(f.read())))

    def leads(self):
        return {(times.address(f["sender"]), times.address(f["receiver"]), int(f["qp"])): int(f["lead_ns"])
                for f in self.flows if f["lead_ns"] != ""}


class Mirror(unittest.TestCase):
    def setUp(self):
        self.folder_object = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder_object.cleanup)
        self.folder = self.folder_object.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_mirror(self, frames, *words, **more):
        make.save_pcap(self.path("mirror.pcap"), frames)
        return Run(self.folder, ["--mirror", "mirror.pcap", *words], **more)

    def check_leads(self, run, frames):
        """Figures of the table and of the summary, against what is in the captures."""
        want = times.first_leads(frames, run.outputs)
        self.assertGreater(len(want), 0, run.text)
        self.assertEqual(run.leads(), want)
        lead = run.report["cnps"]["lead"]
        self.assertEqual(lead["flows"], len(want))
        self.assertEqual(lead["median_ns"], times.median(want.values()))
        self.assertEqual((lead["min_ns"], lead["max_ns"]), (min(want.values()), max(want.values())))
        self.assertEqual(lead["earlier"], sum(v > 0 for v in want.values()))
        told, notified = times.cnps(frames), times.fast_cnps(run.outputs)
        for f in run.flows:
            key = times.address(f["sender"]), times.address(f["receiver"]), int(f["qp"])
            self.assertEqual(int(f["cnps"]), len(told.get(key, [])))
            self.assertEqual(int(f["fast_cnps"]), len(notified.get(key, [])))
            for name, found in (("first_cnp_ns", told), ("first_fast_cnp_ns", notified)):
                self.assertEqual(f[name], str(found[key][0] - make.BASE) if key in found else "")
        return want

    @staticmethod
    def queues(run):
        """Class queues by station, as ports are numbered in the order of their appearance."""
        macs = {p["port"]: p["mac"] for p in run.report["mirror"]["ports"]}
        return {(macs[q["port"]], q["class"]): {k: v for k, v in q.items() if k != "port"} for q in run.report["queues"]}

    def entered(self, run):
        mirror = run.report["mirror"]
        self.assertEqual(mirror["frames"], mirror["entered"] + sum(mirror["left_out"].values()))
        self.assertEqual(mirror["entered"], sum(mirror["entered_by_kind"].values()))
        self.assertEqual(mirror["entered"], run.report["conservation"]["received"])
        self.assertTrue(run.report["conservation"]["ok"])
        return mirror

    def test_one_direction_each(self):
        """Each frame once: ports by MAC address, nothing is left out or flooded."""
        frames = make.incast()
        run = self.run_mirror(frames, outputs=["p%d" % n for n in range(1, 6)])
        self.assertEqual((run.status, run.errors), (0, ""))
        mirror = self.entered(run)
        for kind, name in (("data", "data"), ("ack", "acks"), ("cnp", "cnps")):
            self.assertEqual(mirror["entered_by_kind"][name], sum(f.kind == kind for f in frames))
        self.assertEqual(mirror["entered"], len(frames))
        self.assertEqual(run.report["conservation"]["replicated"], 0)
        self.assertEqual(mirror["link_bps"], 10 * 10**9)
        senders = {f.source.mac.hex(":"): f.source for f in frames}
        self.assertEqual({p["mac"]: times.address(p["address"]) for p in mirror["ports"]}, {m: h.ip for m, h in senders.items()})
        want = self.check_leads(run, frames)
        self.assertEqual(len(want), 8)
        self.assertEqual({f["matched_by"] for f in run.flows}, {"acknowledgements"})
        self.assertIn("than their receivers did, median of 8 flows", run.text)
        self.assertIn("Senders do not react in a replay", run.text)

    def test_many_flows(self):
        """The tables of flows and of queue pairs begin small, and grow twice."""
        receiver, *senders = make.hosts(60)
        frames = []
        for n in range(9000):
            sender, when = senders[n % 60], make.BASE + 2 * n * make.US
            flow = make.Flow(sender, receiver, 0x1000 + n, 0x8000 + n, n)
            data = make.bth(make.WRITE_FIRST, flow.receiver_qp, n, True, bytes(16 + make.PAYLOAD))
            frames.append(make.Frame(when, make.frame(sender, receiver, data, 26 << 2 | 2), sender, receiver, "data", flow))
            for kind, late, body in (("ack", 5, make.bth(make.ACK, flow.sender_qp, n, more=bytes.fromhex("1f000001"))),
                                     ("cnp", 9, make.bth(make.CNP, flow.sender_qp, 0, more=bytes(16)))):
                frames.append(make.Frame(when + late * make.US, make.frame(receiver, sender, body, 26 << 2), receiver, sender, kind, flow))
        frames.sort(key=lambda f: (f.time, f.data))
        run = self.run_mirror(frames)
        self.assertEqual(run.errors, "")
        told = {(times.address(f["sender"]), int(f["qp"])): f for f in run.flows}
        self.assertEqual(len(told), 9000)
        for f in frames:
            if f.kind == "cnp":
                got = told[f.flow.sender.ip, f.flow.receiver_qp]
                self.assertEqual((got["matched_by"], int(got["first_cnp_ns"])), ("acknowledgements", f.time - make.BASE))

    def test_both_directions_of_a_bridge(self):
        """Each frame twice: the second copies are left out, and the rest is as if they were not there."""
        frames = make.incast()
        alone = self.run_mirror(frames)
        run = self.run_mirror(make.l2_copies(frames), outputs=["p%d" % n for n in range(1, 6)])
        self.assertEqual((run.status, run.errors), (0, ""))
        self.assertEqual(self.entered(run)["left_out"]["copies"], len(frames))
        self.assertEqual(run.report["queues"], alone.report["queues"])
        self.check_leads(run, frames)

    def test_both_directions_of_a_router(self):
        """To the router, and from it with one hop less: only what came in counts, and goes to the port of its destination."""
        frames = make.incast()
        alone = self.run_mirror(frames)
        run = self.run_mirror(make.routed(frames), outputs=["p%d" % n for n in range(1, 6)])
        self.assertEqual((run.status, run.errors), (0, ""))
        mirror = self.entered(run)
        self.assertEqual(mirror["left_out"]["forwarded"], len(frames))
        self.assertEqual(mirror["rerouted"], len(frames))
        self.assertNotIn(make.ROUTER.hex(":"), [p["mac"] for p in mirror["ports"]])
        self.assertEqual(self.queues(run), self.queues(alone))
        self.check_leads(run, frames)

    def test_snapped(self):
        """Captured in part: queues, drops and notices are those of whole frames."""
        frames = make.incast()
        whole = self.run_mirror(frames)
        make.save_pcap(self.path("snapped.pcap"), frames, snap=96)
        run = Run(self.folder, ["--mirror", "snapped.pcap"])
        self.assertEqual((run.status, run.errors), (0, ""))
        self.assertEqual(self.entered(run)["padded"], sum(len(f.data) > 96 for f in frames))
        for part in ("queues", "ports", "drops", "cnps"):
            self.assertEqual(run.report[part], whole.report[part])
        self.assertIn("were captured in part", run.text)

    def test_compressed_and_standard_input(self):
        frames = make.incast(senders=2, packets=40)
        plain = self.run_mirror(frames)
        make.save_gzip(self.path("c.pcap.gz"), frames)
        make.save_zstd(self.path("c.pcap.zst"), frames)
        with open(self.path("c.pcap.gz"), "rb") as f:
            packed = f.read()
        for words, stdin in ((["c.pcap.gz"], None), (["c.pcap.zst"], None), (["-"], make.pcap(frames)), (["-"], packed)):
            with self.subTest(words=words, compressed=stdin is packed):
                run = Run(self.folder, ["--mirror", *words], stdin=stdin)
                self.assertEqual((run.status, run.errors), (0, ""))
                self.assertEqual(run.report["mirror"]["files"], words)
                for part in ("queues", "ports", "cnps", "conservation"):
                    self.assertEqual(run.report[part], plain.report[part])
        with open(self.path("damaged.gz"), "wb") as f:
            f.write(packed[:len(packed) // 2])
        run = Run(self.folder, ["--mirror", "damaged.gz"])
        self.assertEqual(run.status, 1)
        self.assertIn("damaged.gz: after", run.errors)

    def test_interfaces(self):
        """pcapng with directions: ports are the interfaces, and what was sent is left out."""
        frames = make.incast()
        records, names = make.by_interface(frames)
        alone = self.run_mirror(frames)
        make.save_pcapng(self.path("c.pcapng"), records, names)
        run = Run(self.folder, ["--mirror", "c.pcapng", "--link", "10G"], outputs=names)
        self.assertEqual((run.status, run.errors), (0, ""))
        mirror = self.entered(run)
        self.assertEqual(mirror["ports_from"], "interfaces")
        self.assertEqual(sorted(p["port"] for p in mirror["ports"]), names)
        self.assertEqual(mirror["left_out"]["outbound"], len(frames))
        self.assertEqual(run.report["cnps"]["lead"], alone.report["cnps"]["lead"])
        self.check_leads(run, frames)

    def test_speed_of_interfaces(self):
        records, names = make.by_interface(make.incast())
        make.save_pcapng(self.path("c.pcapng"), records, names, bps=25 * 10**9)
        run = Run(self.folder, ["--mirror", "c.pcapng"])
        self.assertEqual({p["link_bps"] for p in run.report["ports"]}, {25 * 10**9})

    def test_odd_interfaces(self):
        """Names are words of anybody, and speeds may be in other units: neither gets into the configuration."""
        records, names = make.by_interface(make.incast(senders=2, packets=40))
        names[0], names[1] = "x\nset loopback 2001:db8:bad::1\n#", "\x1b[2Jy"
        make.save_pcapng(self.path("c.pcapng"), records, names, bps=10000)
        run = Run(self.folder, ["--mirror", "c.pcapng", "--save-config", "made.conf"])
        self.assertEqual((run.status, run.errors), (0, ""))
        made = read(self.path("made.conf")).decode("ascii")
        self.assertNotIn("\x1b", made + run.text)
        self.assertEqual([line for line in made.splitlines() if "bad" in line and not line.startswith("#")], [])
        self.assertGreaterEqual(min(p["link_bps"] for p in run.report["ports"]), 10**6)

    def test_several_files(self):
        """A frame that is in two files would come twice. Files of interfaces with directions tell which one it is."""
        frames = make.incast(senders=2, packets=40)
        run = self.run_mirror(frames, "--mirror", "mirror.pcap")
        self.assertEqual(run.status, 2)
        self.assertIn("merge them by time", run.errors)
        records, names = make.by_interface(frames)
        for i, name in enumerate(names):
            make.save_pcapng(self.path(name + ".pcapng"), [(r[0], 0, *r[2:]) for r in records if r[1] == i], [name])
        run = Run(self.folder, [w for name in names for w in ("--mirror", name + ".pcapng")])
        self.assertEqual((run.status, run.errors), (0, ""))
        self.assertEqual(self.entered(run)["entered"], len(frames))
        os.mkfifo(self.path("pipe"))
        run = Run(self.folder, ["--mirror", "pipe"])
        self.assertEqual(run.status, 2)
        self.assertIn("--mirror - reads standard input", run.errors)

    def test_one_interface(self):
        """--interface: by name and by number; one that is not there is an error."""
        frames = make.incast()
        records, names = make.by_interface(frames)
        make.save_pcapng(self.path("c.pcapng"), records, names)
        want = sum(names[i] == "h0" for _, i, _ in records)
        for word in ("h0", str(names.index("h0"))):
            run = Run(self.folder, ["--mirror", "c.pcapng", "--interface", word])
            self.assertEqual(run.report["mirror"]["entered"], want, run.text)
            self.assertEqual(run.report["mirror"]["left_out"]["other_interface"], len(records) - want)
        run = Run(self.folder, ["--mirror", "c.pcapng", "--interface", "nosuch"])
        self.assertEqual(run.status, 2)
        self.assertIn("no frames of that interface", run.errors)

    def test_own_capture(self):
        """What `capture start port all both` writes gives the same run again, by the same configuration."""
        frames = make.incast()
        make.save_pcap(self.path("mirror.pcap"), frames)
        first = Run(self.folder, ["--mirror", "mirror.pcap", "--save-config", "made.conf", "--before",
                                  "capture start port all both file own.pcapng"], outputs=["p1", "p2"])
        self.assertEqual((first.status, first.errors), (0, ""))
        before = [read(path) for path in first.outputs]
        again = Run(self.folder, ["made.conf", "--mirror", "own.pcapng"], outputs=["p1", "p2"])
        self.assertEqual((again.status, again.errors), (0, ""))
        self.assertEqual(again.report["mirror"]["ports_from"], "interfaces")
        self.assertEqual([read(path) for path in again.outputs], before)
        self.assertEqual(again.report["queues"], first.report["queues"])
        self.assertEqual(again.report["cnps"]["in_capture"], 2 * first.report["cnps"]["in_capture"])
        self.assertEqual(again.report["cnps"]["seen_twice"], first.report["cnps"]["in_capture"])
        for part in ("lead", "flows"):
            self.assertEqual(again.report["cnps"][part], first.report["cnps"][part])

    def test_ports_of_a_configuration(self):
        """Stations take the ports in order, or those that --port names; too many stations are an error."""
        frames = make.incast(senders=2)
        make.save_pcap(self.path("mirror.pcap"), frames)
        lines = ["bridge add br0"] + [line for p in ("a", "b", "c") for line in ("port add " + p, "bridge br0 port add " + p)]
        with open(self.path("three.conf"), "w", encoding="ascii") as f:
            f.write("\n".join(lines) + "\n")
        run = Run(self.folder, ["three.conf", "--mirror", "mirror.pcap"])
        self.assertEqual((run.status, run.errors), (0, ""))
        self.assertEqual([p["port"] for p in run.report["mirror"]["ports"]], ["a", "b", "c"])
        self.assertIn("sent no Fast CNPs in this replay", run.text)
        macs = {f.source.port: f.source.mac.hex(":") for f in frames}
        run = Run(self.folder, ["three.conf", "--mirror", "mirror.pcap", "--port", "c=%s" % macs["h0"],
                                "--port", "a=%s,%s" % (macs["h1"], macs["h2"])])
        self.assertEqual({p["mac"]: p["port"] for p in run.report["mirror"]["ports"]},
                         {macs["h0"]: "c", macs["h1"]: "a", macs["h2"]: "a"})
        with open(self.path("two.conf"), "w", encoding="ascii") as f:
            f.write("\n".join(lines[:5]) + "\n")
        run = Run(self.folder, ["two.conf", "--mirror", "mirror.pcap"])
        self.assertEqual(run.status, 2)
        self.assertIn("1 stations more than the configuration has ports", run.errors)

    def test_ambiguous(self):
        """Two flows of the same addresses with the same sequence numbers at the same times: their CNPs are counted, and not compared."""
        frames = make.incast(senders=2, same_psn=True)
        run = self.run_mirror(frames)
        cnps = run.report["cnps"]
        self.assertEqual(cnps["in_capture"], sum(f.kind == "cnp" for f in frames))
        self.assertEqual((cnps["ambiguous"], cnps["assigned"], cnps["lead"]), (cnps["in_capture"], 0, None))
        self.assertIn("No CNP could be assigned to a flow", run.text)
        # Without acknowledgements, one flow of its addresses is known by them.
        frames = [f for f in make.incast(senders=4, flows=1) if f.kind != "ack"]
        run = self.run_mirror(frames, outputs=["p%d" % n for n in range(1, 6)])
        self.assertEqual({f["matched_by"] for f in run.flows}, {"addresses"})
        self.check_leads(run, frames)

    def test_ipv4(self):
        """There are no Fast CNPs for IPv4, which is said; with --ipv6 they are IPv6 packets, 20 octets longer."""
        frames = make.incast(version=4)
        run = self.run_mirror(frames)
        self.assertIsNone(run.report["cnps"]["lead"])
        self.assertEqual(run.report["cnps"]["ipv4_without_fast_cnps"], 8)
        self.assertIn("8 flows with CNPs are IPv4", run.text)
        run = self.run_mirror(frames, "--ipv6", outputs=["p%d" % n for n in range(1, 6)])
        self.assertEqual(self.entered(run)["as_ipv6"], len(frames))
        self.assertEqual(sum(p["rx_bytes"] for p in run.report["ports"]), sum(len(f.data) + 20 for f in frames))
        self.check_leads(run, frames)

    def test_nothing_to_compare(self):
        frames = [f for f in make.incast() if f.kind != "cnp"]
        run = self.run_mirror(frames)
        self.assertEqual(run.status, 0)
        self.assertIn("The capture has no CNPs", run.text)
        self.assertIsNone(run.report["cnps"]["lead"])
        run = self.run_mirror(make.incast(), "--speed", "2")
        self.assertIn("Not compared: --speed", run.text)
        self.assertIsNone(run.report["cnps"]["lead"])

    def test_nothing_forwarded(self):
        """A capture of both directions at one port forwards nothing: the status says so, and the words what to do."""
        frames = make.l2_copies(make.incast())
        make.save_pcap(self.path("mirror.pcap"), frames)
        with open(self.path("one.conf"), "w", encoding="ascii") as f:
            f.write("port add p1\nbridge add br0\nbridge br0 port add p1\n")
        run = Run(self.folder, ["one.conf", "--in", "p1=mirror.pcap"])
        self.assertEqual(run.status, NOTHING)
        self.assertIn("nothing was forwarded", run.errors)
        self.assertEqual(self.report_drops(run), len(frames))
        run = Run(self.folder, ["--mirror", "mirror.pcap", "--filter", "ip proto 89"])
        self.assertEqual(run.status, 2)
        self.assertIn("no frames", run.errors)

    @staticmethod
    def report_drops(run):
        return run.report["conservation"]["dropped"]

    def test_inputs_by_port(self):
        """--in: snapped frames are delivered, and CNPs are compared as well."""
        frames = make.incast()
        make.save_pcap(self.path("mirror.pcap"), frames, snap=96)
        first = Run(self.folder, ["--mirror", "mirror.pcap", "--save-config", "made.conf"])
        words = [w for n, host in enumerate(sorted({f.source for f in frames}, key=lambda h: h.mac))
                 for w in ("--in", "%s=mirror.pcap" % next(p["port"] for p in first.report["mirror"]["ports"]
                                                            if p["mac"] == host.mac.hex(":")),
                           "--filter", "ether src %s" % host.mac.hex(":"))]
        run = Run(self.folder, ["made.conf", *words])
        self.assertEqual((run.status, run.errors), (0, ""))
        self.assertEqual(sum(i["padded"] for i in run.report["inputs"]), sum(len(f.data) > 96 for f in frames))
        self.assertEqual(run.report["cnps"]["in_capture"], first.report["cnps"]["in_capture"])
        self.assertIsNotNone(run.report["cnps"]["lead"])

    def test_wrong_options(self):
        for words, message in (
                (["--mirror", "nosuch.pcap"], "nosuch.pcap: No such file"),
                (["x.conf", "--mirror", "m.pcap", "--in", "p1=m.pcap"], "cannot be combined"),
                (["x.conf", "--in", "p1=m.pcap", "--ipv6"], "about --mirror"),
                (["x.conf", "--mirror", "m.pcap", "--link", "10G"], "without a configuration"),
                (["--mirror", "m.pcap", "--port", "p1=x"], "ports of a configuration"),
                (["--mirror", "m.pcap", "--port", "p1"], "must be PORT=MAC")):
            with self.subTest(words=words):
                run = Run(self.folder, words)
                self.assertEqual(run.status, 2)
                self.assertIn(message, run.errors)


if __name__ == "__main__":
    FASTCN = os.path.abspath(sys.argv.pop(1))
    unittest.main()
