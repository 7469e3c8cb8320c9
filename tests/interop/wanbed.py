# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""An SRv6 WAN between two hosts, a network namespace each:

    h1 eth0 -- host pe1 core -- west p east -- core pe2 host -- eth0 h2

pe1, p and pe2 are routers, of Linux or fastcn, or nothing at all: a test forwards frames itself then. Linux shares no
code with fastcn, so each tells of the other whether both follow RFC 8754 and RFC 8986."""

import ipaddress
import os
import select
import socket
import struct
import time

import testbed

LINUX, FASTCN, NOTHING = "linux", "fastcn", "nothing"
ROUTERS = ("pe1", "p", "pe2")
LINKS = (("h1", "eth0", "pe1", "host"), ("pe1", "core", "p", "west"), ("p", "east", "pe2", "core"),
         ("pe2", "host", "h2", "eth0"))
# net_af_packet has 1500 at most; hosts leave room for the outer header and an SRH of two segments.
CORE_MTU, HOST_MTU = 1500, 1420

ADDRESSES = {
    ("h1", "eth0"): ("2001:db8:1::1/64", "192.0.2.1/25"), ("pe1", "host"): ("2001:db8:1::fe/64", "192.0.2.126/25"),
    ("pe1", "core"): ("2001:db8:c1::1/64",), ("p", "west"): ("2001:db8:c1::2/64",),
    ("p", "east"): ("2001:db8:c2::2/64",), ("pe2", "core"): ("2001:db8:c2::1/64",),
    ("h2", "eth0"): ("2001:db8:2::1/64", "192.0.2.129/25"), ("pe2", "host"): ("2001:db8:2::fe/64", "192.0.2.254/25"),
}
MAC = {end: f"02:00:00:00:{n // 2 + 1:02x}:{n % 2 + 1:02x}"
       for n, end in enumerate((node, dev) for link in LINKS for node, dev in (link[:2], link[2:]))}
# The hosts of the captures in tests/data, which are h1 and h2 here.
CAPTURED = {"h1": "2001:db8:ab::a", "h2": "2001:db8:ab::b"}
LOOPBACK = {"pe1": "2001:db8:f::1", "p": "2001:db8:f::2", "pe2": "2001:db8:f::4"}
LOCATOR = {"pe1": "2001:db8:e1::/48", "p": "2001:db8:e2::/48", "pe2": "2001:db8:e4::/48"}
# Local SIDs: End of p; of each PE End.DT6, one for IPv4 (End.DX4 of Linux, whose End.DT4 needs VRFs; End.DT4 of fastcn),
# and END.CON.
END = "2001:db8:e2:1::1"
DT6 = {"pe1": "2001:db8:e1:1::d6", "pe2": "2001:db8:e4:1::d6"}
DT4 = {"pe1": "2001:db8:e1:1::d4", "pe2": "2001:db8:e4:1::d4"}
CON = {"pe1": "2001:db8:e1:1::c", "pe2": "2001:db8:e4:1::c"}
OTHER = {"h1": "h2", "h2": "h1", "pe1": "pe2", "pe2": "pe1"}
HOST = {"pe1": "h1", "pe2": "h2"}
# What Linux calls RFC 8986's H.Encaps and H.Encaps.Red.
ENCAPS, ENCAPS_RED = "encap", "encap.red"
MODES = {ENCAPS: "encaps", ENCAPS_RED: "encaps-red"}


def plain(address):
    return address.split("/")[0]


def address(node, dev, version=6):
    return next(plain(a) for a in ADDRESSES[node, dev] if ipaddress.ip_interface(a).version == version)


def networks(host):
    """What is reached at a host: its networks and its address in the captures, IPv6 and IPv4."""
    own = [str(ipaddress.ip_interface(a).network) for a in ADDRESSES[host, "eth0"]]
    return [own[0], CAPTURED[host] + "/128"], [own[1]]


def packed(text):
    return ipaddress.ip_address(text).packed


def octets(mac):
    return bytes.fromhex(mac.replace(":", ""))


def fastcn(name):
    """The configuration of a fastcn router, which does at its SIDs what a Linux one does here. No address is used twice."""
    devices = [dev for node, dev in ADDRESSES if node == name]
    lines = ["set host dad off"]
    for n, dev in enumerate(devices):
        lines += [f"port add {dev} device net_af_packet{n},iface={dev}", f"set port {dev} mac {MAC[name, dev]}",
                  f"set port {dev} mtu {HOST_MTU if dev == 'host' else CORE_MTU}"]
    for dev in devices:
        lines += [f"address add {dev} {a}" for a in ADDRESSES[name, dev]]
    lines.append(f"set loopback {LOOPBACK[name]}")
    if name == "p":
        lines.append(f"srv6 sid add {END}/128 end")
        for pe, dev in (("pe1", "west"), ("pe2", "east")):
            lines += [f"route add {prefix} via {address(pe, 'core')} port {dev}" for prefix in (LOCATOR[pe], LOOPBACK[pe] + "/128")]
    else:
        p = address("p", "west" if name == "pe1" else "east")
        lines += [f"route add {prefix} via {p} port core" for prefix in (LOCATOR["p"], LOCATOR[OTHER[name]], "2001:db8:f::/48")]
        lines.append(f"route add {CAPTURED[HOST[name]]}/128 via {address(HOST[name], 'eth0')} port host")
        lines += [f"srv6 sid add {DT6[name]}/128 end.dt6", f"srv6 sid add {DT4[name]}/128 end.dt4",
                  f"srv6 sid add {CON[name]}/128 end.con", f"srv6 p-node add {LOOPBACK['p']}/128"]
        six, four = networks(OTHER[HOST[name]])
        for policy, prefixes, last in (("far6", six, DT6[OTHER[name]]), ("far4", four, DT4[OTHER[name]])):
            lines += [f"srv6 policy add {policy}", f"set srv6 policy {policy} source {CON[name]}",
                      f"srv6 segments add {policy} {END},{last}"]
            lines += [f"route add {prefix} policy {policy}" for prefix in prefixes]
    return "\n".join(lines) + "\n"


class Wan(testbed.Namespaces):
    """what: of each router, what it is; those that are not named are Linux."""

    def __init__(self, **what):
        super().__init__("h1", *ROUTERS, "h2")
        self.what = {name: what.get(name, LINUX) for name in ROUTERS}
        self.sockets = {}
        self.switches = {}
        self.segments = {}  # of the policies of fastcn, by router and policy

    # ---- devices, hosts, Linux ----

    def create(self):
        super().create()
        for a, a_dev, b, b_dev in LINKS:
            self.ip(a, "link", "add", a_dev, "address", MAC[a, a_dev], "type", "veth", "peer", "name", b_dev, "address",
                    MAC[b, b_dev], "netns", self.name[b])
            for node, dev in ((a, a_dev), (b, b_dev)):
                core = {a, b} <= set(ROUTERS)
                self.run(node, "ethtool", "-K", dev, "tx", "off", "rx", "off", "gso", "off", "tso", "off", "gro", "off")
                self.ip(node, "link", "set", dev, "mtu", str(CORE_MTU if core else HOST_MTU))
        for node in self.name:
            self.ip(node, "link", "set", "lo", "up")
        for host in ("h1", "h2"):
            self.host(host)
        for name, what in self.what.items():
            if what == LINUX:
                self.linux(name)
            else:
                for dev in self.devices(name):
                    # The kernel is not to speak here.
                    self.sysctl(name, f"net.ipv6.conf.{dev}.disable_ipv6=1")
                    self.ip(name, "link", "set", dev, "up")

    @staticmethod
    def devices(node):
        return [dev for where, dev in ADDRESSES if where == node]

    def configure(self, node):
        for dev in self.devices(node):
            self.sysctl(node, f"net.ipv6.conf.{dev}.accept_dad=0", f"net.ipv6.conf.{dev}.seg6_enabled=1")
            self.ip(node, "link", "set", dev, "up")
            for a in ADDRESSES[node, dev]:
                self.ip(node, "addr", "add", a, "dev", dev, *(["nodad"] if ":" in a else []))

    def host(self, host):
        self.configure(host)
        pe = "pe1" if host == "h1" else "pe2"
        self.ip(host, "addr", "add", CAPTURED[host] + "/128", "dev", "lo", "nodad")
        self.ip(host, "-6", "route", "add", "default", "via", address(pe, "host"))
        self.ip(host, "-4", "route", "add", "default", "via", address(pe, "host", 4))

    def linux(self, name):
        self.sysctl(name, "net.ipv6.conf.all.forwarding=1", "net.ipv6.conf.all.seg6_enabled=1", "net.ipv4.ip_forward=1")
        self.configure(name)
        self.ip(name, "addr", "add", LOOPBACK[name] + "/128", "dev", "lo", "nodad")
        if name == "p":
            self.ip(name, "-6", "route", "add", END, "encap", "seg6local", "action", "End", "dev", "west")
            for pe, dev in (("pe1", "west"), ("pe2", "east")):
                for prefix in (LOCATOR[pe], LOOPBACK[pe]):
                    self.ip(name, "-6", "route", "add", prefix, "via", address(pe, "core"), "dev", dev)
            return
        p = address("p", "west" if name == "pe1" else "east")
        for prefix in (LOCATOR["p"], LOCATOR[OTHER[name]], "2001:db8:f::/48"):
            self.ip(name, "-6", "route", "add", prefix, "via", p, "dev", "core")
        self.ip(name, "-6", "route", "add", CAPTURED[HOST[name]], "via", address(HOST[name], "eth0"), "dev", "host")
        # A SID whose inner packet is looked up in the main table; of END.CON, Linux knows no more than that.
        for sid in (DT6[name], CON[name]):
            self.ip(name, "-6", "route", "add", sid, "encap", "seg6local", "action", "End.DT6", "table", "main", "dev", "core")
        self.ip(name, "-6", "route", "add", DT4[name], "encap", "seg6local", "action", "End.DX4", "nh4",
                address(HOST[name], "eth0", 4), "dev", "core")
        self.ip(name, "sr", "tunsrc", "set", CON[name])
        self.steer(name, ENCAPS_RED, [END])

    def steer(self, pe, mode, before=()):
        """All that is for the host at the other end takes these segments, and that of the other PE."""
        if self.what[pe] == FASTCN:
            say = self.switches[pe].connect().say
            for policy, last in (("far6", DT6[OTHER[pe]]), ("far4", DT4[OTHER[pe]])):
                old, new = self.segments.get((pe, policy), [END, last]), [*before, last]
                say(f"set srv6 policy {policy} mode {MODES[mode]}")
                say(f"set srv6 policy {policy} flow-label copy")  # as Linux does by default
                if new != old:
                    say(f"srv6 segments add {policy} {','.join(new)}")
                    say(f"srv6 segments remove {policy} {','.join(old)}")
                    self.segments[pe, policy] = new
            return
        six, four = networks(OTHER[HOST[pe]])
        for family, prefixes, last in (("-6", six, DT6[OTHER[pe]]), ("-4", four, DT4[OTHER[pe]])):
            for prefix in prefixes:
                self.ip(pe, family, "route", "replace", prefix, "encap", "seg6", "mode", mode, "segs",
                        ",".join([*before, last]), "dev", "core")

    def complaint(self):
        # The first packet waits for the neighbours to be resolved.
        if not self.ping("h1", address("h1", "eth0"), address("h2", "eth0"), count=1, timeout=3):
            return "this kernel has no SRv6"
        return None

    # ---- fastcn ----

    def start(self, case, directory, more=None):
        """The switches; case: the test with which they end. more: lines of configuration by router."""
        for name in [n for n in ROUTERS if self.what[n] == FASTCN]:
            folder = os.path.join(directory, name)
            os.makedirs(folder, exist_ok=True)
            text = fastcn(name) + (more or {}).get(name, "")
            switch = testbed.Switch(folder, testbed.write(folder, "fastcn.conf", text), namespace=self.name[name])
            case.addCleanup(switch.end)
            self.switches[name] = switch
        for switch in self.switches.values():
            switch.wait()

    # ---- frames ----

    def socket_at(self, node, dev):
        """A packet socket that hears every frame there from now on."""
        if (node, dev) not in self.sockets:
            self.sockets[node, dev] = self.packet_socket(node, dev)
        return self.sockets[node, dev]

    def hear(self, node, dev, wanted, timeout=2.0, outgoing=False):
        """The first frame that comes in there and that wanted() likes; None without one in time."""
        s = self.socket_at(node, dev)
        end = time.monotonic() + testbed.seconds(timeout)
        while (left := end - time.monotonic()) > 0 and select.select([s], [], [], left)[0]:
            frame, where = s.recvfrom(9216)
            if (where[2] == socket.PACKET_OUTGOING) == outgoing and wanted(frame):
                return frame
        return None

    def forget(self, node, dev):
        """What was heard there before is of no interest."""
        s = self.socket_at(node, dev)
        while select.select([s], [], [], 0)[0]:
            s.recv(9216)

    def send(self, host, packet):
        """An IP packet of a host to its router."""
        pe = "pe1" if host == "h1" else "pe2"
        kind = b"\x86\xdd" if packet[0] >> 4 == 6 else b"\x08\x00"
        self.socket_at(host, "eth0").send(octets(MAC[pe, "host"]) + octets(MAC[host, "eth0"]) + kind + packet)

    def say(self, node, packet):
        """An IPv6 packet that a program there makes, header and all; the kernel chooses its way."""
        with self.socket(node, socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_RAW) as s:
            s.sendto(packet, (str(ipaddress.IPv6Address(packet[24:40])), 0))

    def through(self, packet, sent_at, heard_at, timeout=2.0):
        """Send a packet from a host; the IP packet that comes at another place and ends like it."""
        self.forget(*heard_at)
        self.send(sent_at, packet)
        tail = packet[-16:]
        frame = self.hear(*heard_at, lambda f: f[12:14] in (b"\x86\xdd", b"\x08\x00") and tail in f, timeout)
        return None if frame is None else ip_packet(frame)

    def destroy(self):
        for s in self.sockets.values():
            s.close()
        self.sockets.clear()
        super().destroy()


def ip_packet(frame):
    """Without the padding of short frames."""
    packet = frame[14:]
    length = struct.unpack("!H", packet[2:4])[0] if packet[0] >> 4 == 4 else 40 + struct.unpack("!H", packet[4:6])[0]
    return packet[:length]
