# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Fast CNPs: which packets are meant to be one, and what is wrong with one by itself."""

import ipaddress

import checksum
import packet
import trace
from packet import CNP, DESTINATION, ROCE_PORT, text

LENGTH = 40         # of UDP
DISCARD, CHANGES = 2, 0x20
LINUX_PADDING = 7   # octets in one place
TRIMMED = 12        # octets of the option that names a packet


class Notice:
    """A Fast CNP of a capture."""

    def __init__(self, place, time, p):
        self.place, self.time, self.p = place, time, p
        self.option = None      # as it is on the wire
        self.number = 0         # 1 or 2, 0 without an option
        self.receiver = None    # the address in the option
        self.trace = None
        self.trimmed = None     # the option of fastcn that names a packet for which a queue had no room
        self.readings = []      # in which the invariant CRC is right

    @property
    def sender(self):
        """Whom it is for."""
        return self.p.ip.dst

    @property
    def by_receiver(self):
        """Whether the receiver made it, which the draft permits."""
        return self.receiver is not None and self.receiver == self.p.ip.src

    @property
    def tunnel(self):
        """The IP header around it, None if there is none."""
        return self.p.layers[0] if len(self.p.layers) > 1 else None

    @property
    def about(self):
        """One line for people."""
        return "%s > %s" % (text(self.p.ip.src), text(self.p.ip.dst))


def is_cnp(p):
    """Whether a packet is a CNP, or is most likely meant to be one."""
    return p.bth is not None and p.bth.opcode == CNP and (p.dport == ROCE_PORT or p.udp_length == LENGTH)


def is_notice(p, profile):
    """Whether a packet is meant to be a Fast CNP, however wrong it is."""
    ip = p.ip
    if ip is None:
        return False
    cnp = is_cnp(p)
    if cnp and ip.src in profile.switches:
        return True
    if ip.version != 6:
        return False
    options = [o for x in ip.extensions for o in x.options if not o.padding]
    if any(o.kind in profile.types for o in options):
        return p.udp == 0 or p.dport == ROCE_PORT or cnp
    return cnp and bool(p.options(DESTINATION))


def unusable(address):
    """Why an address cannot be that of a sender, a receiver or a switch, "" if it can."""
    a = ipaddress.ip_address(bytes(address))
    if a.is_unspecified:
        return "is unspecified"
    if a.is_loopback:
        return "is the loopback address of every host"
    if a.is_multicast:
        return "is a multicast address"
    if a.is_link_local:
        return "is link-local"
    if getattr(a, "ipv4_mapped", None):
        return "is an IPv4-mapped address"
    return ""


def check(n, profile, fault):
    """Check a notice by itself. fault(rule, what) takes what is wrong."""
    p = n.p
    if p.ip.version == 4:
        fault("ipv6", "a CNP over IPv4 from the switch %s" % text(p.ip.src))
        return
    _headers(n, profile, fault)
    if n.option is not None:
        _option(n, profile, fault)
    _padding(p, fault)
    why = unusable(p.ip.src)
    if why:
        fault("source", "the source %s %s" % (text(p.ip.src), why))
    elif profile.switches and p.ip.src not in profile.switches and not n.by_receiver:
        fault("source", "the source %s is the loopback of no switch that was named" % text(p.ip.src))
    why = unusable(p.ip.dst)
    if why:
        fault("destination", "the destination %s %s" % (text(p.ip.dst), why))
    if p.ip.ecn or n.tunnel and n.tunnel.ecn:
        fault("ecn", "the ECN field is %d" % (p.ip.ecn or n.tunnel.ecn))
    if p.error:
        fault("length", p.error)
    elif p.udp == 0:
        fault("length", "no UDP header follows the extension headers")
    else:
        _transport(n, fault)


def _headers(n, profile, fault):
    """The one header with the one option; finds the option."""
    headers = n.p.ip.extensions
    names = {packet.HOP_BY_HOP: "Hop-by-Hop Options", packet.ROUTING: "Routing", DESTINATION: "Destination Options"}
    options = [o for x in headers for o in x.options if not o.padding]
    named = [o for o in options[1:] if o.kind == profile.trimmed and len(o.data) == TRIMMED]
    if named:
        # No draft has it, so without it the notice is as they want one.
        n.trimmed = named[0]
        options.remove(n.trimmed)
    inside = n.p.options(DESTINATION)
    n.option = ([o for o in inside + options if o.kind in profile.types] + inside + options + [None])[0]
    if len(headers) != 1 or headers[0].kind != DESTINATION:
        fault("one-option", "its extension headers are: " + (", ".join(names[x.kind] for x in headers) or "none"))
    # Behind an option of a wrong length, no option begins where one seems to.
    elif len(options) != 1 and (n.option is None or _right_length(n.option, profile)):
        fault("one-option", "%d options" % len(options) + ("" if not options else ": " + ", ".join("0x%02x" % o.kind for o in options)))


def _number(o, profile):
    """Which option one is: by its type, else by its length."""
    one, two = o.kind == profile.option1, o.kind == profile.option2
    return 1 if one and not two or (one == two and len(o.data) == 16) else 2


def _right_length(o, profile):
    return len(o.data) == 16 if _number(o, profile) == 1 else len(o.data) >= 26 and len(o.data) % 4 == 2


def _option(n, profile, fault):
    o = n.option
    n.number = _number(o, profile)
    if o.kind >> 6 != DISCARD:
        fault("option-action", "option type 0x%02x: its highest bits are %s" % (o.kind, format(o.kind >> 6, "02b")))
    if o.kind & CHANGES:
        fault("option-change", "option type 0x%02x" % o.kind)
    if profile.types_given and o.kind >> 5 == DISCARD << 1 and o.kind not in profile.types:
        fault("option-type", "option type 0x%02x; 0x%02x and 0x%02x were agreed" % (o.kind, profile.option1, profile.option2))
    if o.offset % 4 != (2 if n.number == 1 else 0):
        fault("option-place", "option %d begins at octet %d of its header" % (n.number, o.offset))
    if not o.whole:
        fault("option-bounds", "option %d ends behind its header" % n.number)
        return
    right = _right_length(o, profile)
    if n.number == 1 and not right:
        fault("option1-length", "option 1 has %d octets" % len(o.data))
        return
    if n.number == 2:
        if not right:
            fault("option2-length", "option 2 has %d octets, which is not 26 and a multiple of 4" % len(o.data))
            return
        if o.data[0]:
            fault("option2-reserved", "the reserved octet is 0x%02x" % o.data[0])
        if o.data[1] not in (trace.PREALLOCATED, trace.INCREMENTAL):
            fault("option2-ioam", "IOAM option type %d is no trace" % o.data[1])
        else:
            n.trace = trace.Trace(o.data[1], o.data[2:-16])
            if n.trace.error:
                fault("trace", n.trace.error)
    n.receiver = o.data[-16:]
    why = unusable(n.receiver)
    if why:
        fault("option-address", "the address %s %s" % (text(n.receiver), why))


def _padding(p, fault):
    """Padding of the Destination Options headers."""
    for x in p.ip.extensions:
        run = single = 0
        for o in x.options:
            if not o.padding:
                run = single = 0
                continue
            run += 2 + len(o.data) if o.kind else 1
            single = single + 1 if not o.kind else 0
            if any(o.data):
                fault("padding-zero", "padding %s" % o.data.hex())
            if single == 2:
                fault("padding-form", "several Pad1 in a row")
            if run > LINUX_PADDING:
                fault("padding-form", "%d octets of padding in one place" % run)


def _transport(n, fault):
    p = n.p
    if p.dport != ROCE_PORT:
        fault("udp-port", "UDP destination port %d" % p.dport)
    if p.udp_length != LENGTH or p.end - p.udp != LENGTH:
        fault("length", "UDP length %d, with %d octets up to the end of the packet; a CNP has %d" % (p.udp_length, p.end - p.udp, LENGTH))
    right = checksum.udp_right(p)
    if not right:
        fault("udp-checksum", "the UDP checksum is 0" if right is None else "the UDP checksum is wrong")
    if p.bth is None:
        return
    if p.bth.opcode != CNP or p.bth.flags & 0x0F:
        fault("opcode", "opcode 0x%02x, transport header version %d" % (p.bth.opcode, p.bth.flags & 0x0F))
    if not p.bth.congestion & 0x40:
        fault("becn", "BECN is 0")
    wrong = [name for name, set_ in (("solicited event", p.bth.flags & 0x80), ("migration state", p.bth.flags & 0x40),
                                     ("pad count", p.bth.flags & 0x30), ("FECN", p.bth.congestion & 0x80),
                                     ("reserved bits of octet 4", p.bth.congestion & 0x3F), ("acknowledge request", p.bth.psn_word >> 31),
                                     ("reserved bits of octet 8", p.bth.psn_word >> 24 & 0x7F), ("PSN", p.bth.psn_word & 0xFFFFFF)) if set_]
    if wrong:
        fault("bth-zero", ", ".join(wrong) + ": not 0")
    if len(p.payload) != LENGTH - 8:
        return
    if any(p.payload[12:28]):
        fault("reserved", p.payload[12:28].hex())
    n.readings = checksum.readings(p)
    if not n.readings:
        hint = checksum.icrc_hint(p)
        fault("icrc", "0x%s is right in no reading%s" % (p.payload[28:].hex(), hint and "; " + hint))
