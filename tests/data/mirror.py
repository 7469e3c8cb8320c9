# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Mirror captures of an incast: RoCEv2 flows of several senders to one receiver, with acknowledgements and CNPs.

The frames are made by hand, so who sent what, which queue pairs belong together, and when the receiver told the senders, is
known without any program.
"""

import gzip
import random
import struct
import subprocess
from dataclasses import dataclass, replace

US = 1000
BASE = 1_700_000_000 * 10**9
ROUTER = bytes.fromhex("020000000fff")
WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, ACK, CNP = 0x06, 0x07, 0x08, 0x11, 0x81
PAYLOAD = 1024
SNAP = 128  # octets of each frame in tests/data/mirror.pcap
IN, OUT = 1, 2


@dataclass(frozen=True)
class Host:
    mac: bytes
    ip: bytes  # 4 or 16 bytes
    port: str


@dataclass(frozen=True)
class Flow:
    sender: Host
    receiver: Host
    sender_qp: int
    receiver_qp: int
    first_psn: int


@dataclass(frozen=True)
class Frame:
    time: int
    data: bytes
    source: Host
    destination: Host
    kind: str
    flow: Flow = None


def hosts(count, version=6):
    """The receiver first, then the senders."""
    def ip(n):
        return bytes.fromhex("20010db8000a") + bytes(9) + bytes([n]) if version == 6 else bytes([192, 0, 2, n])
    return [Host(bytes([2, 0, 0, 0, 0, n + 1]), ip(n + 1), "h%d" % n) for n in range(count + 1)]


def checksum(data):
    total = sum(struct.unpack("!%dH" % (len(data) // 2), data))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def frame(source, destination, bth, tclass, hops=64, smac=None, dmac=None):
    """Ethernet, IP, UDP, BTH and what follows, with an invariant CRC of zeros."""
    udp_len = 8 + len(bth) + 4
    udp = struct.pack("!HHHH", 0xC000, 4791, udp_len, 0) + bth + bytes(4)
    if len(source.ip) == 16:
        ip = struct.pack("!IHBB", 6 << 28 | tclass << 20, udp_len, 17, hops) + source.ip + destination.ip
        kind = b"\x86\xdd"
    else:
        ip = struct.pack("!BBHHHBBH", 0x45, tclass, 20 + udp_len, 0, 0x4000, hops, 17, 0) + source.ip + destination.ip
        ip = ip[:10] + struct.pack("!H", checksum(ip)) + ip[12:]
        kind = b"\x08\x00"
    return (dmac or destination.mac) + (smac or source.mac) + kind + ip + udp


def bth(opcode, qp, psn, ask=False, more=b""):
    return struct.pack("!BBHII", opcode, 0x40, 0xFFFF, qp, (0x80000000 if ask else 0) | psn & 0xFFFFFF) + more


def incast(senders=4, flows=2, packets=120, version=6, told_after=264 * US, seed=1, same_psn=False):
    """[Frame] by time. Each sender sends at some 9 Gb/s, the flows in turn; all begin at once.

    From told_after on, with a spread by flow, the receiver sends CNPs, each 50 us.
    """
    rng = random.Random(seed)
    everyone = hosts(senders, version)
    receiver = everyone[0]
    out = []
    for s, sender in enumerate(everyone[1:]):
        pairs = [Flow(sender, receiver, 0x1000 + 16 * s + k, 0x2000 + 64 * s + rng.randrange(32) * 2 + k % 2,
                      100 if same_psn else rng.randrange(1 << 24)) for k in range(flows)]
        for n in range(packets * flows):
            flow, i = pairs[n % flows], n // flows
            time = BASE + n * US + s * 100 + (0 if same_psn else n % 7)
            last = i == packets - 1
            opcode = WRITE_FIRST if i == 0 else WRITE_LAST if last else WRITE_MIDDLE
            body = struct.pack("!QII", 0, 1, packets * PAYLOAD) if i == 0 else b""
            ask = last or i % 8 == 7
            psn = flow.first_psn + i
            out.append(Frame(time, frame(sender, receiver, bth(opcode, flow.receiver_qp, psn, ask, body + bytes(PAYLOAD)), 26 << 2 | 2),
                             sender, receiver, "data", flow))
            if ask:
                out.append(Frame(time + 15 * US, frame(receiver, sender, bth(ACK, flow.sender_qp, psn, more=struct.pack("!I", 0x1F000001)),
                                                       26 << 2), receiver, sender, "ack", flow))
        for k, flow in enumerate(pairs):
            first = BASE + told_after + 1000 * (7 * s + 3 * k)
            for n in range(3):
                out.append(Frame(first + 50 * US * n, frame(receiver, sender, bth(CNP, flow.sender_qp, 0, more=bytes(16)), 48 << 2),
                                 receiver, sender, "cnp", flow))
    out.sort(key=lambda f: (f.time, f.data))
    return out


def l2_copies(frames, late=20 * US):
    """A mirror of both directions of all ports of a bridge: each frame twice, the second one with a CE mark if it is data."""
    out = []
    for f in frames:
        out.append(f)
        data = bytearray(f.data)
        if f.kind == "data" and len(f.source.ip) == 16:
            data[15] |= 0x30
        out.append(replace(f, time=f.time + late, data=bytes(data), kind="copy"))
    return sorted(out, key=lambda f: f.time)


def routed(frames, late=20 * US):
    """A mirror of both directions of all ports of a router: each packet to the router, and from it with one hop less."""
    out = []
    for f in frames:
        out.append(replace(f, data=ROUTER + f.data[6:]))
        data = bytearray(f.destination.mac + ROUTER + f.data[12:])
        data[21] -= 1
        out.append(replace(f, time=f.time + late, data=bytes(data), kind="copy"))
    return sorted(out, key=lambda f: f.time)


def save_pcap(path, frames, snap=65535):
    with open(path, "wb") as f:
        f.write(pcap(frames, snap))


def pcap(frames, snap=65535):
    out = [struct.pack("<IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, snap, 1)]
    for f in frames:
        data = f.data[:snap]
        out += [struct.pack("<IIII", f.time // 10**9, f.time % 10**9, len(data), len(f.data)), data]
    return b"".join(out)


def save_gzip(path, frames):
    """Two members, as of a file that was continued."""
    whole = pcap(frames)
    with open(path, "wb") as f:
        f.write(gzip.compress(whole[:1000]) + gzip.compress(whole[1000:]))


def save_zstd(path, frames):
    with open(path, "wb") as f:
        subprocess.run(["zstd", "-q", "-c"], input=pcap(frames), stdout=f, check=True)


def block(kind, body):
    body += bytes(-len(body) % 4)
    return struct.pack("<II", kind, len(body) + 12) + body + struct.pack("<I", len(body) + 12)


def option(code, value):
    return struct.pack("<HH", code, len(value)) + value + bytes(-len(value) % 4)


def save_pcapng(path, records, names, bps=None):
    """records: [(Frame, interface number, direction)]; the interfaces have different limits of what they capture."""
    with open(path, "wb") as f:
        f.write(block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)))
        for n, name in enumerate(names):
            options = option(2, name.encode()) + option(9, b"\x09")
            if bps:
                options += option(8, struct.pack("<Q", bps))
            f.write(block(1, struct.pack("<HHI", 1, 0, 65535 + n) + options + option(0, b"")))
        for r, interface, direction in records:
            flags = option(2, struct.pack("<I", direction)) + option(0, b"") if direction else b""
            f.write(block(6, struct.pack("<IIIII", interface, r.time >> 32, r.time & 0xFFFFFFFF, len(r.data), len(r.data)) +
                          r.data + bytes(-len(r.data) % 4) + flags))


def by_interface(frames, late=20 * US):
    """Records of a capture of all ports, received and sent: ([(Frame, interface, direction)], [name])."""
    names = sorted({f.source.port for f in frames} | {f.destination.port for f in frames})
    out = []
    for f in frames:
        out.append((f, names.index(f.source.port), IN))
        out.append((replace(f, time=f.time + late), names.index(f.destination.port), OUT))
    return sorted(out, key=lambda r: r[0].time), names
