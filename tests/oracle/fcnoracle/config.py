# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""A fastcn.conf as the switch model understands it: words, with the defaults that the console reference tells."""

import collections
from dataclasses import dataclass, field
from fractions import Fraction
from ipaddress import ip_address, ip_network

SECOND = 10**9
SIZES = (("Ki", 2**10), ("Mi", 2**20), ("Gi", 2**30), ("K", 10**3), ("M", 10**6), ("G", 10**9), ("T", 10**12))
TIMES = (("ns", 1), ("us", 10**3), ("ms", 10**6), ("s", 10**9))


def size(text):
    for suffix, factor in SIZES:
        if text.endswith(suffix):
            return int(Fraction(text[:-len(suffix)]) * factor)
    return int(text, 0)


def time(text):
    for suffix, factor in TIMES:
        if text.endswith(suffix):
            return int(Fraction(text[:-len(suffix)]) * factor)
    return int(text)


def ratio(text):
    if text.endswith("%"):
        return Fraction(text[:-1]) / 100
    return Fraction(text)


@dataclass
class Queue:
    limit: int = None            # None: by the rate, see read()
    packets: int = None
    strict: bool = False
    weight: int = 1
    committed: tuple = None      # rate, burst
    peak: tuple = None
    reserve: int = 0
    alpha: Fraction = Fraction(1)
    detector: tuple = None       # name, {word: value}
    ecn: bool = False
    notify: bool = False
    mark_from: tuple = (0, 0)    # octets, level
    notify_from: tuple = (0, 0)
    heavy_flows: bool = False
    trim: bool = False           # forward
    returns: bool = False        # the headers of what is lost go back to the sender
    trim_size: int = 256


@dataclass
class Pfc:
    send: set = field(default_factory=set)
    receive: set = field(default_factory=set)
    xoff: dict = field(default_factory=dict)      # class -> words
    headroom: dict = field(default_factory=dict)
    reserve: dict = field(default_factory=dict)
    quanta: int = 65535
    link_pause: bool = False
    watchdog: tuple = ("drop", 200_000_000, 200_000_000)   # action, detect, restore; None: off


@dataclass
class Port:
    name: str
    mac: bytes = bytes(6)
    link: int = 10**10
    rate: int = None
    burst: int = 0
    overhead: int = 24
    trust: str = "dscp"
    queues: list = field(default_factory=lambda: [Queue(strict=c >= 6) for c in range(8)])
    pfc: Pfc = field(default_factory=Pfc)
    transit: bool = False
    edge: str = "off"
    ioam_id: tuple = ()          # short, wide; (): by the port's number
    trim_dscp: int = None        # None: that of the switch


@dataclass
class Namespace:
    short: object = None         # octets, "link-speed" or None
    wide: object = None          # octets, "tx-bytes" or None
    schema: tuple = None         # number, data


@dataclass
class Config:
    ports: dict = field(default_factory=dict)
    bridged: set = field(default_factory=set)
    loopback: bytes = None
    fast_cnp: bool = False
    endcon_on: bool = False      # Fast CNPs to END.CON
    endcons: list = field(default_factory=list)      # networks of END.CON addresses
    cnm_on: bool = False         # messages to proxies
    cnm_port: int = 0
    proxies: list = field(default_factory=list)      # (network of senders, address of their proxy)
    allowed: list = field(default_factory=list)      # networks of proxies that options may name
    address_from: str = "option-prefix"
    direct: str = "otherwise"
    cnp_on: bool = False         # CNPs to senders
    qps: dict = field(default_factory=dict)          # (receiver, its queue pair) -> queue pair of the sender
    interval: int = 4000
    buckets: dict = field(default_factory=lambda: {"queue": "auto", "destination": "auto", "source": (10**5, 32),
                                                            "global": (10**7, 1024)})
    link_share: Fraction = Fraction(1, 10)   # 0: no limit
    mark_unknown: bool = True
    notify_class: int = 6
    notify_dscp: int = 48
    entropy: bool = False        # notices have the flow label of the packet
    trim_class: int = 5
    trim_type: int = 0x9D        # of the option about a packet whose headers go back
    trim_dscp: int = None        # None: trimmed packets keep theirs
    trim_share: Fraction = Fraction(1, 10)   # 0: no limit
    icrc: str = "skip"
    sender_default: str = "unknown"
    senders: list = field(default_factory=list)
    class_map: dict = field(default_factory=dict)
    buffer: int = 0
    packets: int = None          # that queues may hold together; None: any number
    node: tuple = (None, None)   # id, wide
    time: tuple = ("ptp", 37)
    namespaces: dict = field(default_factory=dict)
    subs: dict = field(default_factory=dict)     # sub-interface -> (port, VLAN)
    connected: list = field(default_factory=list)    # (network, port or sub-interface)
    addresses: list = field(default_factory=list)    # (port or sub-interface, address)
    neighbours: dict = field(default_factory=dict)   # (port, address) -> MAC
    routes: list = field(default_factory=list)       # (network, address of the next hop, port)
    vlans: bool = False          # whether tags may come and go
    other: list = field(default_factory=list)    # lines that the model does not know

    @property
    def notifies(self):
        """Whether there can be notices, of any kind."""
        return self.fast_cnp or self.endcon_on or self.cnm_on or self.cnp_on or self.returns

    @property
    def returns(self):
        """Whether a queue has the headers of what is lost sent back."""
        return any(q.returns for p in self.ports.values() for q in p.queues)

    def queue_bucket(self, port, queue):
        """Rate and burst of the notices about a queue; None: no limit. By default one for each 1024 octets that the queue can
        send, 1M to half of the ceiling of all, and those of 64 us at once."""
        if self.buckets["queue"] != "auto":
            return self.buckets["queue"]
        rate = min([port.link] + [r for r in (port.rate, queue.peak and queue.peak[0]) if r]) // 8192
        if self.buckets["global"]:
            rate = min(rate, self.buckets["global"][0] // 2)
        rate = max(rate, 10**6)
        return rate, rate * 64 // 10**6

    def destination_bucket(self, port):
        """Rate and burst of the notices to one receiver that leave by a port; None: no limit. By default one for each 2048 octets that
        the link can carry, 1M to a quarter of the ceiling of all, and those of 64 us at once."""
        if self.buckets["destination"] != "auto":
            return self.buckets["destination"]
        rate = port.link // 16384
        if self.buckets["global"]:
            rate = min(rate, self.buckets["global"][0] // 4)
        rate = max(rate, 10**6)
        return rate, 64000 // -(-10**9 // rate)

    def share(self, port, share=None):
        """Time of an octet of notices on the link of a port, and the burst: 500 us, at least 10000 octets; None: no limit."""
        share = self.link_share if share is None else share
        if not share:
            return None
        octet = Fraction(8 * 10**9) / (port.link * share)
        return octet, max(Fraction(500000), 10000 * octet)

    def trim_limit(self, port):
        """The same of trimmed packets and of notices about them: the burst is what the line carries in 5 us, at least 10000 octets."""
        if not self.trim_share:
            return None
        octet = Fraction(8 * 10**9) / (port.link * self.trim_share)
        return octet, max(Fraction(5000) / self.trim_share, 10000 * octet)

    @property
    def own_ipv4(self):
        """The switch's addresses that messages over IPv4 can come from: port or sub-interface -> address, the first of each."""
        out = {}
        for name, address in self.addresses:
            if address.version == 4:
                out.setdefault(name, address.packed)
        return out

    def next_hop(self, address):
        """(port or sub-interface, address of the neighbour) on the way to an address; None without a route."""
        address = ip_address(address)
        found = [(net.prefixlen, 1, name, address.packed) for net, name in self.connected if address in net]
        found += [(net.prefixlen, 0, name, via) for net, via, name in self.routes if address in net]
        return max(found)[2:] if found else None

    def is_endcon(self, address):
        return any(ip_address(address) in net for net in self.endcons)

    def class_of(self, p):
        """Of a packet, by its DSCP."""
        if p.outer is None or not p.outer.end:
            return 0    # no IP, or a header that cannot be
        return self.class_map.get(p.outer.dscp, p.outer.dscp // 8)

    def sender(self, address):
        best = max(((n.prefixlen, c) for n, c in self.senders if ip_address(address) in n), default=(0, self.sender_default))
        return best[1]


def keyed(words):
    return dict(zip(words[::2], words[1::2]))


def queue_line(queue, words):
    """Words behind `set queue PORT class CLASS`. Returns whether they were understood."""
    name, args = words[0], words[1:]
    on = args and args[0] == "on"
    if name == "limit":
        queue.limit = size(args[0])
        if "packets" in args:
            queue.packets = size(keyed(args[1:])["packets"])
    elif name in ("strict", "ecn", "notify") and args[0] in ("on", "off"):
        setattr(queue, name, on)
    elif name == "heavy-flows":
        queue.heavy_flows = on
    elif name == "trim":
        queue.trim, queue.returns = args[0] in ("forward", "both"), args[0] in ("return", "both")
        queue.trim_size = size(keyed(args[1:]).get("size", str(queue.trim_size)))
    elif name == "weight":
        queue.weight = int(args[0])
    elif name in ("committed", "peak"):
        burst = size(keyed(args[1:]).get("burst", "0"))
        setattr(queue, name, None if args[0] == "off" else (size(args[0]), burst))
    elif name == "reserve":
        queue.reserve = size(args[0])
    elif name == "alpha":
        queue.alpha = ratio(args[0])
    elif name in ("mark", "notify"):
        words = keyed(args)
        setattr(queue, name + "_from", (size(words.get("from", "0")), int(words.get("level", "0"))))
    elif name == "detector":
        kind, args = args[0], args[1:]
        if kind == "step" and args[0] != "threshold":
            args = ["threshold"] + args
        queue.detector = None if kind == "off" else (kind, keyed(args))
    else:
        return False
    return True


def pfc_line(pfc, words):
    if words[0] == "class":
        c = int(words[1])
        name, args = words[2], words[3:]
        if name in ("send", "receive"):
            getattr(pfc, name).add(c) if args[0] == "on" else getattr(pfc, name).discard(c)
        elif name == "xoff":
            pfc.xoff[c] = {"dynamic": ratio(args[1]), **{k: size(v) for k, v in keyed(args[2:]).items()}} \
                if args[0] == "dynamic" else {"xoff": size(args[0]), **{k: size(v) for k, v in keyed(args[1:]).items()}}
        elif name in ("headroom", "reserve"):
            getattr(pfc, name)[c] = size(args[0])
        else:
            return False
    elif words[0] in ("delay", "react"):
        pass    # make the default headroom, which cases for the model do not use
    elif words[0] == "quanta":
        pfc.quanta = int(words[1], 0)
    elif words[0] == "link-pause":
        pfc.link_pause = words[1] == "on"
    elif words[0] == "watchdog":
        args = keyed(words[2:])
        pfc.watchdog = None if words[1] == "off" else (words[1], time(args["detect"]), time(args["restore"]))
    else:
        return False
    return True


def port_line(port, words):
    if words[0] == "mac":
        port.mac = bytes.fromhex(words[1].replace(":", ""))
    elif words[0] == "link":
        port.link = size(words[1])
    elif words[0] == "rate":
        args = keyed(words[2:])
        port.rate = None if words[1] == "off" else size(words[1])
        port.burst, port.overhead = size(args.get("burst", "0")), int(args.get("overhead", "24"))
    elif words[0] == "trust":
        port.trust = words[1]
    elif words[0] == "trim-dscp":
        port.trim_dscp = None if words[1] == "auto" else int(words[1])
    elif words[0] != "mtu":
        return False
    return True


def trim_line(config, words):
    if words[0] == "class":
        config.trim_class = int(words[1])
    elif words[0] == "dscp":
        config.trim_dscp = None if words[1] == "keep" else int(words[1])
    elif words[0] == "option-type":
        config.trim_type = int(words[1], 0)
    elif words[0] == "link-share":
        config.trim_share = Fraction(0) if words[1] == "off" else ratio(words[1])
    else:
        return False
    return True


def notify_line(config, words):
    if words[0] == "fast-cnp":
        config.fast_cnp = words[1] == "on"
    elif words[0] == "endcon":
        config.endcon_on = words[1] == "on"
    elif words[0] == "cnm":
        config.cnm_on = words[1] == "on"
    elif words[0] == "cnp":
        config.cnp_on = words[1] == "on"
    elif words[0] == "dscp":
        config.notify_dscp = int(words[1], 0)
    elif words[0] == "interval":
        config.interval = time(words[1])
    elif words[0] == "link-share":
        config.link_share = Fraction(0) if words[1] == "off" else ratio(words[1])
    elif words[0] == "mark-unknown":
        config.mark_unknown = words[1] == "on"
    elif words[0] == "class":
        config.notify_class = int(words[1])
    elif words[0] == "icrc":
        config.icrc = words[1]
    elif words[0] == "entropy":
        config.entropy = words[1] == "on"
    elif words[0] == "bucket":
        word = words[2]
        config.buckets[words[1]] = None if word == "off" else word if word == "auto" else (size(word), size(words[4]))
    else:
        return False
    return True


def cnm_line(config, words):
    if words[0] == "port":
        config.cnm_port = int(words[1])
    elif words[0] == "address-from":
        config.address_from = words[1]
    elif words[0] == "direct":
        config.direct = words[1]
    else:
        return False
    return True


def ioam_line(config, words):
    args = keyed(words[4:])
    if words[0] == "ioam":
        hpcc = args.get("profile") == "hpcc"
        config.namespaces[int(words[3], 0)] = Namespace("link-speed" if hpcc else None, "tx-bytes" if hpcc else None)
    elif words[2] == "node":
        args = keyed(words[4:])
        config.node = (int(words[3], 0), int(args["wide"], 0) if "wide" in args else None)
    elif words[2] == "time":
        config.time = (words[3], int(args.get("tai-offset", "37")))
    elif words[2] == "port":
        port = config.ports[words[3]]
        if words[4] == "transit":
            port.transit = words[5] == "on"
        elif words[4] == "edge":
            port.edge = words[5]
        elif words[4] == "id":
            short = None if words[5] == "off" else int(words[5], 0)
            port.ioam_id = (short, int(words[7], 0) if len(words) > 6 else short)
    elif words[2] == "namespace":
        n, what = config.namespaces.setdefault(int(words[3], 0), Namespace()), words[4]
        if what == "schema":
            n.schema = (int(words[5], 0), bytes.fromhex(words[7]) if len(words) > 6 else b"")
        elif words[5] == "value":
            setattr(n, what, int(words[6], 0).to_bytes(4 if what == "short" else 8, "big"))
        else:
            setattr(n, what, None if words[5] == "none" else words[5])
    else:
        return False
    return True


def line(config, words):
    """One line; returns whether it was understood."""
    two = words[:2]
    if two == ["port", "add"] and words[3:4] == ["vlan"]:
        config.subs[words[2]] = (words[6], int(words[4]))
    elif two == ["port", "add"]:
        config.ports[words[2]] = Port(words[2])
    elif two == ["set", "loopback"]:
        config.loopback = ip_address(words[2]).packed
    elif two == ["set", "port"]:
        return port_line(config.ports[words[2]], words[3:])
    elif two == ["address", "add"]:
        config.connected.append((ip_network(words[3], strict=False), words[2]))
        config.addresses.append((words[2], ip_address(words[3].split("/")[0])))
    elif two == ["neighbour", "add"]:
        config.neighbours[words[2], ip_address(words[3]).packed] = bytes.fromhex(words[4].replace(":", ""))
    elif two == ["route", "add"] and words[3:4] == ["via"] and words[5:6] == ["port"] and len(words) == 7:
        net = ip_network(words[2])
        config.routes.append((net, ip_address(words[4]).packed, words[6]))
        return all(net != other for other, _, _ in config.routes[:-1])    # equal paths are not known
    elif two == ["set", "cnm"]:
        return cnm_line(config, words[2:])
    elif words[:3] == ["proxy", "prefix", "add"] and words[4] == "address":
        config.proxies.append((ip_network(words[3], strict=False), ip_address(words[5]).packed))
    elif words[:3] == ["proxy", "qp", "add"] and words[5] == "sender-qp":
        config.qps[ip_address(words[3]).packed, int(words[4], 0)] = int(words[6], 0)
    elif words[:3] == ["proxy", "allowed", "add"]:
        config.allowed.append(ip_network(words[3]))
    elif words[:3] == ["srv6", "endcon", "add"]:
        config.endcons.append(ip_network(words[3]))
    elif two == ["bridge", "add"]:
        pass
    elif words[0] == "bridge" and words[2:4] == ["port", "add"]:
        config.bridged.add(words[4])
    elif two == ["set", "queue"]:
        queues = config.ports[words[2]].queues
        chosen = queues if words[4] == "all" else [queues[int(words[4])]]
        return all([queue_line(q, words[5:]) for q in chosen])
    elif two == ["set", "pfc"]:
        pfc = config.ports[words[2]].pfc
        if words[3:5] == ["class", "all"]:
            return all([pfc_line(pfc, ["class", str(c)] + words[5:]) for c in range(8)])
        return pfc_line(pfc, words[3:])
    elif two == ["set", "trim"]:
        return trim_line(config, words[2:])
    elif two == ["set", "notify"]:
        return notify_line(config, words[2:])
    elif two == ["set", "buffer"]:
        if words[2] == "packets":
            config.packets = int(words[3])
        else:
            config.buffer = size(words[3]) if words[2] == "size" else 0
    elif two == ["sender", "default"]:
        config.sender_default = words[2]
    elif two == ["sender", "add"]:
        config.senders.append((ip_network(words[2]), words[3]))
    elif words[:3] == ["set", "class-map", "dscp"]:
        config.class_map[int(words[3])] = int(words[5])
    elif "ioam" in two:
        return ioam_line(config, words)
    else:
        return False
    return True


def read(path):
    config = Config()
    with open(path, encoding="utf-8") as f:
        for text in f:
            words = []
            for word in text.split():
                if word.startswith("#"):
                    break
                words.append(word)
            config.vlans |= any(word in ("vlan", "pvid", "tagged", "untagged") for word in words)
            try:
                known = not words or line(config, words)
            except (LookupError, ValueError):    # the start is known, the rest is not
                known = False
            if not known:
                config.other.append(" ".join(words))
    for port in config.ports.values():
        for queue in port.queues:
            limits(port, queue)
        port.queues[config.trim_class].strict |= any(q.trim for q in port.queues)
    return config


def limits(port, queue):
    """Defaults of a queue's limits: what leaves in 320 us, at least 1 MB and twice each threshold; a packet for each 512 octets."""
    rate = min([port.link] + [port.rate] * bool(port.rate) + ([queue.peak[0]] if queue.peak else []))
    words = queue.detector[1] if queue.detector else {}
    octets = [size(words[w]) for w in ("threshold", "kmin", "kmax", "qeq") if w in words]
    if queue.limit is None:
        queue.limit = max(10**6, rate * 320 // (8 * 10**6), 2 * max(octets + [queue.mark_from[0], queue.notify_from[0]]))
    if queue.packets is None:
        queue.packets = 4096
        while queue.packets < min(queue.limit // 512, 65536):
            queue.packets *= 2


def ports_in_order(config):
    """Names as they were added; a flooded frame goes to them in this order."""
    return collections.OrderedDict((name, p) for name, p in config.ports.items())
