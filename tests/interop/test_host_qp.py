#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""fastcn-host in a virtual machine with rdma_rxe: what it knows of queue pairs is what the programs that use them print, and
what `rdma resource` and the kernel's table of GIDs say; and so is what a switch knows by it and fastcn-qpd, which run beside the machine.
Needs QEMU, the kernel that scripts/setup fetches, rdma-core's programs, certtool. Needs no root.

test_host_qp.py --fastcn PROGRAM --fastcn_host PROGRAM --fastcn_qpd PROGRAM --guest DIRECTORY --connect_qps PROGRAM [unittest options]
"""

import ipaddress
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import host_guest
import report
import testbed

PROGRAMS = ("ip", "rdma", "ibv_rc_pingpong", "rping", "script", "setpriv")
ADDRESSES = ("192.0.2.1", "192.0.2.2", "2001:db8::1", "2001:db8::2")
BEGIN = """
mkdir -p /dev/pts
mount -t devpts pts /dev/pts
/usr/bin/ip link set lo up
/usr/bin/ip link set eth0 name report
/usr/bin/ip addr add 10.0.2.15/24 dev report
/usr/bin/ip link set report up
/usr/bin/ip link add eth0 address 02:00:00:00:00:05 type dummy
for address in 192.0.2.1/24 192.0.2.2/24; do /usr/bin/ip addr add $address dev eth0; done
for address in 2001:db8::1/64 2001:db8::2/64; do /usr/bin/ip addr add $address dev eth0 nodad; done
/usr/bin/ip link set eth0 up
rdma link add rxe0 type rxe netdev eth0
"""
# QEMU's own network leads to this machine's loopback by this address.
SWITCH = "10.0.2.2"
NOBODY = "/usr/bin/setpriv --reuid 65534 --regid 65534 --clear-groups"
LINE = re.compile(r"(local|remote) address: .*QPN 0x([0-9a-f]+),.*GID (\S+)")
CORE = ("ib_core", "ib_cm", "iw_cm", "ib_uverbs", "rdma_cm", "rdma_ucm", "rdma_rxe")
OTHERS_PROBES = "CAP_SYS_ADMIN, too, where kernel.perf_event_paranoid is above 2"


def as_text(address):
    """Of a GID or an address, as the agent prints it."""
    a = ipaddress.ip_address(address)
    return str(a.ipv4_mapped or a) if a.version == 6 else str(a)


class HostQp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        why = host_guest.missing(testbed.options.guest, PROGRAMS)
        if why:
            raise unittest.SkipTest(why)
        directory = tempfile.TemporaryDirectory(prefix="fcn-host-")
        cls.addClassCleanup(directory.cleanup)
        cls.directory = directory.name
        cls.guest = host_guest.HostGuest(directory.name, testbed.options.guest, (*PROGRAMS, testbed.options.fastcn_host,
                                                                                 testbed.options.connect_qps), BEGIN,
                                         cls.certificates(), [("user,ipv6=off", "02:00:00:00:09:01")])
        cls.addClassCleanup(cls.guest.end)
        cls.guest.wait()
        cls.say = cls.guest.say
        cls.wait(lambda: len(cls.gids()) >= len(ADDRESSES), "GIDs")

    @classmethod
    def certificates(cls):
        """Of the host, whose addresses are those of its adapter, and of the switch. @return files of the host."""
        c = report.Certificates(cls.directory)
        cls.qpd_files = ("--ca", c.file("ca", "crt"), *(w for pair in zip(("--certificate", "--key"), c.issue(
            "leaf1", [SWITCH], "tls_www_server")) for w in pair))
        files = {"ca.crt": c.file("ca", "crt"), **dict(zip(("h1.crt", "h1.key"), c.issue("h1", ADDRESSES)))}
        found = {}
        for name, path in files.items():
            with open(path, encoding="ascii") as f:
                found["/host/" + name] = f.read()
        return found

    @classmethod
    def wait(cls, condition, what):
        try:
            return testbed.wait_until(condition, 20)
        except TimeoutError:
            raise AssertionError(f"{what}: {cls.guest.ask('dmesg | tail -5; cat /tmp/*.err')[0]}") from None

    @classmethod
    def gids(cls):
        """The kernel's table: index by address."""
        rows = cls.guest.say("cd /sys/class/infiniband/rxe0/ports/1/gids && for i in 0 1 2 3 4 5 6 7; do echo $i $(cat $i); done")
        return {as_text(gid): int(n) for n, gid in map(str.split, rows.splitlines()) if int(gid.replace(":", ""), 16) != 0}

    def background(self, name, words):
        """Begin a program; its process. It prints into /tmp/NAME."""
        return int(self.say(f"{{ {words}; }} >/tmp/{name} 2>/tmp/{name}.err & echo $!").split()[-1])

    def show(self, how="", words=""):
        return json.loads(self.say(f"{how} fastcn-host show json {words}", 60))

    @staticmethod
    def rows(shown):
        """Of a list of `show`: what is known of each queue pair."""
        return {r["qp"]: (r["local"], r["remote"], r["remote_qp"]) for r in shown}

    def kernel(self):
        """What `rdma resource` says of RC queue pairs: remote one, state, process, by number."""
        return {r["lqpn"]: (r.get("rqpn"), r["state"], r.get("pid")) for r in json.loads(self.say("rdma -j resource show qp"))
                if r["type"] == "RC"}

    def cm(self):
        """Connections, as `rdma resource` says: addresses and remote number by the number of their queue pair."""
        found = {}
        for r in json.loads(self.say("rdma -j resource show cm_id")):
            if r.get("lqpn") and r["state"] == "CONNECT":
                found[r["lqpn"]] = tuple(as_text(r[k].rpartition(":")[0].strip("[]")) for k in ("src-addr", "dst-addr"))
        qps = self.kernel()
        return {n: (*found[n], qps[n][0]) for n in found}

    def pingpong(self):
        """A connection without RDMA CM, which stands still once it is there; as the two programs print it."""
        index, pids, known = self.gids()[ADDRESSES[1]], [], {}
        for name, peer in (("server", ""), ("client", "127.0.0.1")):
            # At a terminal it prints what it knows at once.
            self.background(name, f"/usr/bin/script -q -f -c 'ibv_rc_pingpong -d rxe0 -g {index} -n 100000000 {peer}' /tmp/{name}.tty </dev/null")
            self.wait(lambda name=name: "local address" in self.guest.ask(f"cat /tmp/{name}.tty")[0], name)
        for name in ("server", "client"):
            self.wait(lambda name=name: "remote address" in self.say(f"cat /tmp/{name}.tty"), name)
            ends = {side: (int(qp, 16), as_text(gid)) for side, qp, gid in LINE.findall(self.say(f"cat /tmp/{name}.tty"))}
            known[ends["local"][0]] = (ends["local"][1], ends["remote"][1], ends["remote"][0])
        self.wait(lambda: all(self.kernel()[n][1] == "RTS" for n in known), "pingpong")
        pids = [self.kernel()[n][2] for n in known]
        self.say("kill -STOP " + " ".join(map(str, pids)))
        return known, pids

    def rping(self, local, remote, port):
        """A connection of RDMA CM, which stands still once it is there: numbers of its queue pairs, and processes."""
        before = set(self.cm())
        pids = [self.background("rping-s", f"exec rping -s -a {remote} -p {port} -C 100000000")]
        self.wait(lambda: f"{remote}:{port}" in self.say("rdma resource show cm_id").replace("[", "").replace("]", ""), "rping")
        pids.append(self.background("rping-c", f"exec rping -c -a {remote} -I {local} -p {port} -C 100000000"))
        self.wait(lambda: len(set(self.cm()) - before) == 2, "rping")
        new = set(self.cm()) - before
        self.wait(lambda: all(self.kernel()[n][1] == "RTS" for n in new), "rping")
        self.say("kill -STOP " + " ".join(map(str, pids)))
        return new, pids

    def connect(self, name, pairs, turns=1, wait=True):
        """Queue pairs of a program of the tests: what it prints of them, in its order. Its input is /tmp/NAME.in."""
        a, b = (self.gids()[x] for x in ADDRESSES[2:])
        self.say(f"rm -f /tmp/{name}.in; mkfifo /tmp/{name}.in")
        pid = self.background(name, f"exec connect_qps rxe0 {a} {b} {pairs} {turns} </tmp/{name}.in")
        self.say(f"exec 7>/tmp/{name}.in")
        return self.connected(name) if wait else pid

    def connected(self, name):
        by_index = {n: gid for gid, n in self.gids().items()}
        self.wait(lambda: "ready" in self.say(f"cat /tmp/{name}"), name)
        rows = [tuple(map(int, x.split())) for x in self.say(f"cat /tmp/{name}").splitlines() if x.count(" ") == 3]
        return [(qp, (by_index[gid], by_index[remote_gid], remote_qp)) for qp, remote_qp, gid, remote_gid in rows]

    def kill(self, pids):
        self.say(f"kill -KILL {' '.join(map(str, pids))}")
        self.wait(lambda: not {q[2] for q in self.kernel().values()} & set(pids), "destruction")

    def changes(self, name="watch"):
        """What `watch json` has printed."""
        return [json.loads(x) for x in self.say(f"cat /tmp/{name}").splitlines()]

    def balance(self):
        """What was added and not removed, as rows(); nothing is removed that was not added in the very same way."""
        now = {}
        for c in self.changes():
            key = (c["local"], c["qp"], c["remote"], c["remote_qp"])
            if c["change"] == "added":
                self.assertNotIn(key, now)
                now[key] = True
            else:
                now.pop(key)
        return {qp: (local, remote, remote_qp) for local, qp, remote, remote_qp in now}

    def watch(self, words="--interval 600s", how="", probes=True):
        pid = self.background("watch", f"exec {how} fastcn-host watch json {words}")
        self.wait(lambda: not probes or "CapEff:\t0000000000000000" in self.say(f"cat /proc/{pid}/status"), "probes")
        self.addCleanup(self.guest.ask, f"kill {pid}")
        return pid

    def end_watch(self, pid):
        """SIGTERM ends it, and it says that all went well."""
        self.say(f"kill -TERM {pid}; wait {pid}")

    def test_1_map(self):
        """Queue pairs that were there before: all of them with probes, those of RDMA CM without; with which privileges."""
        pingpong, pids = self.pingpong()
        new, more = self.rping(*ADDRESSES[1::-1], 7174)
        new6, more6 = self.rping(*ADDRESSES[:1:-1], 7175)
        own = dict(self.connect("own", 1))
        cm, kernel = self.cm(), self.kernel()
        self.assertEqual(set(cm), new | new6)
        everything = {**pingpong, **cm, **own}
        self.assertEqual(len(everything), 8)

        def check_all(shown):
            self.assertTrue(shown["probes"])
            self.assertIsNone(shown["why_no_probes"])
            self.assertEqual(self.rows(shown["queue_pairs"]), everything)
            self.assertEqual({r["qp"]: (r["remote_qp"], r["state"], r["pid"]) for r in shown["queue_pairs"]}, kernel)
            self.assertEqual({r["source"] for r in shown["queue_pairs"]}, {"probe"})
            self.assertEqual(shown["unresolved"] + shown["not_connected"], [])

        def check_cm(shown, why):
            self.assertFalse(shown["probes"])
            self.assertIn(why, shown["why_no_probes"] or "")
            self.assertEqual(self.rows(shown["queue_pairs"]), cm)
            self.assertEqual({r["source"] for r in shown["queue_pairs"]}, {"rdma-cm"})
            self.assertEqual({r["qp"]: (r["remote_qp"], r["reason"]) for r in shown["unresolved"]},
                             {n: (x[2], "out_of_band") for n, x in {**pingpong, **own}.items()})
        check_all(self.show())
        check_cm(self.show(words="--no-probes"), "")
        check_cm(self.show(NOBODY), "CAP_BPF and CAP_PERFMON are needed")
        capable = NOBODY + " --inh-caps +bpf,+perfmon{0} --ambient-caps +bpf,+perfmon{0}"
        self.say("echo 3 >/proc/sys/kernel/perf_event_paranoid")
        check_cm(self.show(capable.format("")), OTHERS_PROBES)
        check_all(self.show(capable.format(",+sys_admin")))
        self.say("echo 2 >/proc/sys/kernel/perf_event_paranoid")
        check_all(self.show(capable.format("")))
        self.assertIn(f"rxe0       {min(cm):8} ", self.say("fastcn-host show --no-probes"))
        self.say("exec 7>&-")
        self.kill(pids + more + more6)
        self.assertEqual(self.show(words="--no-probes")["queue_pairs"], [])

    def test_2_changes(self):
        """Connection, error, reset and destruction, as probes tell them, without another look at what there is."""
        pid = self.watch()
        own = self.connect("own", 2)
        self.wait(lambda: self.balance() == dict(own), "added")
        begin = time.monotonic()
        self.say("echo error 0 >&7")
        self.wait(lambda: self.balance() == dict(own[1:]), "error")
        self.say("echo reset 2 >&7")
        self.wait(lambda: self.balance() == dict((own[1], own[3])), "reset")
        self.assertLess(time.monotonic() - begin, testbed.seconds(10))
        self.say("exec 7>&-")
        self.wait(lambda: self.balance() == {}, "destroyed")
        self.assertEqual(len(self.changes()), 8)
        # Made and destroyed as fast as this machine can; at the end the program is killed, and destroys nothing itself.
        program = self.connect("own", 6, 4, wait=False)
        last = self.connected("own")
        self.wait(lambda: self.balance() == dict(last), "the last ones")
        self.assertEqual(len(self.changes()), 8 + 2 * 12 * 4 - 12)
        self.say(f"kill -USR1 {pid}")
        self.wait(lambda: "12 told" in self.say("cat /tmp/watch.err"), "the counts")
        self.assertIn(" 0 lost, 0 without room, 0 malformed", self.say("cat /tmp/watch.err"))
        self.kill([program])
        self.say("exec 7>&-")
        self.wait(lambda: self.balance() == {}, "destroyed")
        self.end_watch(pid)

    def test_3_without_probes(self):
        """The same of RDMA CM, by looking again and again."""
        pid = self.watch("--no-probes --interval 100ms", NOBODY, probes=False)
        new, pids = self.rping(*ADDRESSES[1::-1], 7176)
        self.wait(lambda: set(self.balance()) == new, "added")
        self.assertEqual(self.balance(), self.cm())
        self.kill(pids)
        self.wait(lambda: self.balance() == {}, "removed")
        self.end_watch(pid)

    def test_4_adapters(self):
        """An adapter goes with its queue pairs, and comes back with another index. Probes go with ib_core, and the service has
        to begin anew. Before ib_core is there, it waits."""
        pid = self.watch("--interval 300ms")
        for more in ("; rdma link add rxe0 type rxe netdev eth0", ""):
            own = self.connect("own", 1)
            self.wait(lambda own=own: self.balance() == dict(own), "added")
            self.say("exec 7>&-")
            self.wait(lambda: self.balance() == {}, "removed")
            self.say("rdma link delete rxe0" + more)
            self.wait(lambda more=more: not more or len(self.gids()) >= len(ADDRESSES), "GIDs")
        for module in reversed(CORE):
            self.say(f"rmmod {module}")
        self.assertEqual(self.guest.ask(f"wait {pid}")[1], 1)
        self.assertIn("was unloaded", self.say("cat /tmp/watch.err"))
        pid = self.watch("--interval 300ms", probes=False)
        self.wait(lambda: "ib_core is not loaded" in self.say("cat /tmp/watch.err"), "the reason")
        for module in CORE:
            self.say(f"insmod /modules/{module}.ko")
        self.say("rdma link add rxe0 type rxe netdev eth0")
        self.wait(lambda: len(self.gids()) >= len(ADDRESSES), "GIDs")
        self.wait(lambda: "CapEff:\t0000000000000000" in self.say(f"cat /proc/{pid}/status"), "probes")
        own = self.connect("own", 1)
        self.wait(lambda: self.balance() == dict(own), "added")
        self.say("exec 7>&-")
        self.end_watch(pid)

    # ---- the way to a switch ----

    def start_switch(self):
        directory = tempfile.mkdtemp(dir=self.directory)
        switch = testbed.Switch(directory, None)
        self.addCleanup(switch.end)
        switch.wait()
        self.assertEqual(switch.say("set proxy reported 65536 per-host 65536"), "")
        return switch

    def start_qpd(self, switch, port):
        with open(os.path.join(self.directory, "qpd"), "ab") as errors:
            qpd = subprocess.Popen([testbed.options.fastcn_qpd, "--listen", "127.0.0.1", str(port), "--socket", switch, *self.qpd_files],
                                   stderr=errors)
        self.addCleanup(qpd.wait)
        self.addCleanup(qpd.kill)
        return qpd

    def start_agent(self, port):
        return self.background("agent", f"exec fastcn-host --switch {SWITCH} --port {port} --ca /host/ca.crt --certificate /host/h1.crt "
                                        "--key /host/h1.key")

    @staticmethod
    def at_switch(switch):
        """The map there, by the host's queue pair."""
        return {r["sender_qp"]: (r["sender"], r["receiver"], r["receiver_qp"]) for r in switch.json("show proxy qp")}

    def right(self, switch, wanted, since, what):
        """The map becomes that of the programs and of the kernel; how long it took."""
        self.wait(lambda: self.at_switch(switch) == wanted, what)
        took = time.monotonic() - since
        live = {n: q[0] for n, q in self.kernel().items() if q[1] == "RTS"}
        self.assertEqual(live, {n: w[2] for n, w in wanted.items()})
        print(f"{what}: right after {took:.2f} s", file=sys.stderr)
        return took

    def test_5_switch(self):
        """What the switch knows, while queue pairs come and go as fast as this machine can, and once each part was killed."""
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        switch = self.start_switch()
        path = os.path.join(self.directory, "switch.sock")
        os.symlink(switch.path, path)
        qpd, agent = self.start_qpd(path, port), self.start_agent(port)
        for turns in (1, 10, 20):
            begin = time.monotonic()
            program = self.connect("own", 50, turns, wait=False)
            wanted = dict(self.connected("own"))
            quiet = time.monotonic()
            print(f"{100 * turns / (quiet - begin):.0f} queue pairs a second", file=sys.stderr)
            took = self.right(switch, wanted, quiet, f"{turns} turns of 100 queue pairs")
            self.assertLess(took, testbed.seconds(20 if turns == 1 else 1))  # first the agent has to begin
            if turns < 20:
                self.kill([program])
                self.say("exec 7>&-")
        # Who is killed is started again at once, by whoever does that, and queue pairs end meanwhile.
        order = list(wanted)

        def killed(what, kill, start):
            kill()
            for _ in range(2):
                n = order.index(next(q for q in order if q in wanted))
                self.say(f"echo error {n} >&7")
                del wanted[order[n]]
            begin = time.monotonic()
            result = start()
            self.assertLess(self.right(switch, wanted, begin, what), testbed.seconds(2))
            return result
        agent = killed("the agent", lambda: self.say(f"kill -KILL {agent}"), lambda: self.start_agent(port))

        def kill_qpd():
            qpd.kill()
            qpd.wait()
        killed("fastcn-qpd", kill_qpd, lambda: self.start_qpd(path, port))
        switch.stop(signal.SIGKILL)
        switch.end()
        os.unlink(path)

        def restart():
            nonlocal switch
            switch = self.start_switch()
            os.symlink(switch.path, path)
        killed("the switch", lambda: None, restart)
        self.say("exec 7>&-")
        self.kill([program])
        self.wait(lambda: self.at_switch(switch) == {}, "destroyed")
        self.say(f"kill -TERM {agent}")


if __name__ == "__main__":
    sys.exit(testbed.main(__doc__, programs=("fastcn", "fastcn_host", "fastcn_qpd", "guest", "connect_qps"),
                          tools=(*PROGRAMS, "certtool")))
