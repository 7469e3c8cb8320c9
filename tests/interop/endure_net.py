# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Where the endurance test takes place: hosts in network namespaces around a switch, traffic between them that does not end,
and floods."""

import glob
import os
import socket
import struct
import threading
import time

import testbed

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HOSTS = ("h1", "h2", "h3", "h4")
MAC = {"h1": "020000000101", "h2": "020000000201", "h3": "020000000301", "h4": "020000000401",
       "p1": "0200000001fe", "p2": "0200000002fe", "gw": "0200000003fe"}
ADDRESS = {"h1": "2001:db8::2", "h2": "2001:db8:1::2", "h3": "2001:db8:b::3", "h4": "2001:db8:b::4",
           "p1": "2001:db8::1", "p2": "2001:db8:1::1", "gw": "2001:db8:b::1"}
# The port, or interface, by which a host reaches what is not on its link.
GATEWAY = {"h1": "p1", "h2": "p2", "h3": "gw", "h4": "gw"}
DEVICES = [f"net_af_packet{n},iface=s{n + 1}" for n in range(4)]
SPEEDS = (10, 100, 1000, 10000, 100000)  # Mb/s
METRICS = 9750


def colons(mac):
    return ":".join(mac[i:i + 2] for i in range(0, 12, 2))


def packed(address):
    return socket.inet_pton(socket.AF_INET6, address)


def checksum(data):
    """RFC 1071."""
    total = sum(struct.unpack(f"!{(len(data) + 1) // 2}H", data + bytes(len(data) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def ethernet(to, source, kind, payload):
    return bytes.fromhex(to + source) + struct.pack("!H", kind) + payload


def ip6(source, to, proto, payload, hops=64, dscp=0):
    return struct.pack("!IHBB", 0x60000000 | dscp << 22, len(payload), proto, hops) + source + to + payload


def icmp6(source, to, kind, code, rest, hops=255):
    message = bytes((kind, code, 0, 0)) + rest
    pseudo = source + to + struct.pack("!II", len(message), 58)
    message = message[:2] + struct.pack("!H", checksum(pseudo + message)) + message[4:]
    return ip6(source, to, 58, message, hops)


def roce(source, to, size, dscp=24):
    """A packet of RoCEv2 whose ICRC nobody checks: UDP, and a BTH of an RDMA WRITE ONLY."""
    bth = bytes.fromhex("0a40ffff000012b700000001") + bytes(size)
    return ip6(source, to, 17, struct.pack("!HHHH", 49152, 4791, 8 + len(bth), 0xFFFF) + bth, dscp=dscp)


def captured():
    """Frames of all captures of the tests: malformed ones, tunnels, traces, notices, messages of neighbours."""
    frames = []
    for path in sorted(glob.glob(os.path.join(ROOT, "tests/data/*.pcap"))):
        with open(path, "rb") as f:
            data = f.read(1 << 16)
        at = 24
        while data[:4] in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") and at + 16 <= len(data) and len(frames) < 20000:
            size = struct.unpack_from("<I", data, at + 8)[0]
            frame = data[at + 16:at + 16 + size]
            if len(frame) == size and 14 <= size <= 1514:
                frames.append(frame)
            at += 16 + size
    return frames


class Net(testbed.Namespaces):
    """Hosts h1 and h2 at routed ports, h3 and h4 at the ports of a bridge, and the switch's side, where the kernel is
    silent."""

    def __init__(self):
        super().__init__("sw", *HOSTS)

    def create(self):
        super().create()
        for where in self.name:
            self.sysctl(where, "net.ipv6.conf.default.router_solicitations=0", "net.ipv6.conf.all.accept_ra=0",
                        "net.ipv6.conf.default.accept_ra=0")
        self.sysctl("sw", "net.ipv6.conf.default.disable_ipv6=1")
        self.ip("sw", "link", "set", "lo", "up")
        for n, host in enumerate(HOSTS, 1):
            self.ip("sw", "link", "add", f"s{n}", "type", "veth", "peer", "name", "eth0", "netns", self.name[host])
            self.run(host, "ethtool", "-K", "eth0", "tx", "off")
            self.ip("sw", "link", "set", f"s{n}", "mtu", "9000", "up")
            self.ip(host, "link", "set", "eth0", "address", colons(MAC[host]), "mtu", "9000")
            self.configure(host)

    def configure(self, host):
        """Linux forgets IPv6 addresses and routes of an interface that goes down."""
        gateway = GATEWAY[host]
        self.ip(host, "link", "set", "eth0", "up")
        self.ip(host, "address", "replace", ADDRESS[host] + "/64", "dev", "eth0", "nodad")
        self.ip(host, "neighbour", "replace", ADDRESS[gateway], "lladdr", colons(MAC[gateway]), "dev", "eth0", "nud",
                "permanent")
        self.ip(host, "route", "replace", "2001:db8::/32", "via", ADDRESS[gateway])


class Traffic:
    """Packets of RoCEv2 between hosts, all the time until end(), but for pauses; more than the congested queue can send."""

    PAIRS = (("h1", "h2"), ("h2", "h1"), ("h3", "h4"), ("h4", "h3"), ("h1", "h4"))

    def __init__(self, net):
        self.sockets = {h: net.packet_socket(h, "eth0") for h in HOSTS}
        for s in self.sockets.values():
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.going, self.over, self.sent = threading.Event(), threading.Event(), 0
        self.going.set()
        self.frames = []
        for source, to in self.PAIRS:
            direct = {source, to} == {"h3", "h4"}
            packet = roce(packed(ADDRESS[source]), packed(ADDRESS[to]), 1000 if source == "h1" else 200)
            self.frames.append((source, ethernet(MAC[to if direct else GATEWAY[source]], MAC[source], 0x86DD, packet)))
        self.thread = threading.Thread(target=self.send, daemon=True)
        self.thread.start()

    def send(self):
        while not self.over.is_set():
            if self.going.wait(0.5):
                for source, frame in self.frames:
                    self.burst(source, [frame] * 20)
            time.sleep(0.02)

    def burst(self, host, frames):
        """Frames of a host; what does not fit into its queue, or has no link, is not sent."""
        s = self.sockets[host]
        for frame in frames:
            try:
                s.send(frame, socket.MSG_DONTWAIT)
                self.sent += 1
            except OSError:
                pass

    def end(self):
        self.over.set()
        self.thread.join()
        for s in self.sockets.values():
            s.close()


class Floods:
    """Each method makes the frames of a flood from one host."""

    KINDS = ("solicitations", "advertisements", "arp", "punts", "refusals", "jumbo", "short", "sources", "pauses", "captured",
             "spoilt", "random")

    def __init__(self, chance):
        self.chance, self.known = chance, captured()

    def make(self, kind, host, count):
        frames = getattr(self, kind)
        return [frames(host) for _ in range(count)]

    def to_gateway(self, host, packet, kind=0x86DD):
        return ethernet(MAC[GATEWAY[host]], MAC[host], kind, packet)

    def address(self):
        return packed("2001:db8::")[:6] + self.chance.randbytes(2) + self.chance.randbytes(8)

    def neighbour(self, host):
        return packed(ADDRESS[host])[:8] + self.chance.randbytes(8)

    def solicitations(self, host):
        source, to = self.neighbour(host), packed(ADDRESS[GATEWAY[host]])
        return self.to_gateway(host, icmp6(source, to, 135, 0, bytes(4) + to + b"\1\1" + self.chance.randbytes(6)))

    def advertisements(self, host):
        source, to = self.neighbour(host), packed(ADDRESS[GATEWAY[host]])
        flags = self.chance.choice((b"\x60", b"\x20", b"\xe0")) + bytes(3)
        return self.to_gateway(host, icmp6(source, to, 136, 0, flags + source + b"\2\1" + self.chance.randbytes(6)))

    def arp(self, host):
        sender = self.chance.randbytes(6)
        body = struct.pack("!HHBBH", 1, 0x800, 6, 4, self.chance.randint(1, 2)) + sender + bytes((192, 0, 2)) + \
            self.chance.randbytes(1) + bytes(6) + bytes((192, 0, 2, self.chance.choice((1, 129, 7))))
        return ethernet("ff" * 6, MAC[host], 0x806, body)

    def punts(self, host):
        """To the switch, to neighbours that are not there, to prefixes that are not, and with the last hop limit."""
        source = packed(ADDRESS[host])
        to, hops = self.chance.choice(((packed(ADDRESS[GATEWAY[host]]), 64), (packed("2001:db8:f::5"), 64),
                                       (self.neighbour("h2"), 64), (self.neighbour("h1"), 64), (self.address(), 64),
                                       (packed(ADDRESS["h2"]), 1)))
        return self.to_gateway(host, icmp6(source, to, 128, 0, self.chance.randbytes(60), hops))

    def refusals(self, host):
        """Parameter Problems that quote a notice which the switch is said to have sent."""
        source, switch = packed(ADDRESS[self.chance.choice(HOSTS)]), packed("2001:db8:f::5")
        notice = ip6(switch, source, 60, bytes.fromhex("1100") + self.chance.randbytes(30))
        return self.to_gateway(host, icmp6(source, switch, 4, 2, struct.pack("!I", 42) + notice, 64))

    def jumbo(self, host):
        size = self.chance.choice((1500, 1900, 2034, 4000, 8900))
        return self.to_gateway(host, roce(packed(ADDRESS[host]), packed(ADDRESS["h2"]), size - 60))

    def short(self, host):
        return (bytes.fromhex(MAC[GATEWAY[host]] + MAC[host]) + self.chance.randbytes(60))[:self.chance.randint(14, 60)]

    def sources(self, host):
        """MAC addresses to learn, of others, too; in VLANs."""
        source = self.chance.choice((self.chance.randbytes(6).hex(), MAC[self.chance.choice(HOSTS)]))
        tag = self.chance.choice((b"", struct.pack("!HH", 0x8100, self.chance.randint(0, 4095))))
        to = self.chance.choice(("ff" * 6, MAC["h4"], "3333" + self.chance.randbytes(4).hex(), self.chance.randbytes(6).hex()))
        return bytes.fromhex(to + source) + tag + struct.pack("!H", 0x88B5) + bytes(46)

    def pauses(self, host):
        vector, quanta = self.chance.randint(0, 255), self.chance.choice((0, 1, 100, 65535))
        return ethernet("0180c2000001", MAC[host], 0x8808, struct.pack("!HH8H", 0x0101, vector, *([quanta] * 8)) + bytes(26))

    def captured(self, host):
        frame = self.chance.choice(self.known)
        return bytes.fromhex(MAC[GATEWAY[host]]) + frame[6:] if self.chance.random() < 0.8 else frame

    def spoilt(self, host):
        frame = bytearray(self.captured(host))
        for _ in range(self.chance.randint(1, 4)):
            frame[self.chance.randrange(len(frame))] = self.chance.randrange(256)
        return bytes(frame[:self.chance.randint(14, len(frame))]) if self.chance.random() < 0.3 else bytes(frame)

    def random(self, host):
        kind = self.chance.choice((0x86DD, 0x800, 0x8100, 0x8808, 0x88CC, self.chance.randrange(65536)))
        return self.to_gateway(host, self.chance.randbytes(self.chance.randint(0, 200)), kind)
