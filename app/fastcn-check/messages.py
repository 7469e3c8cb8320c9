# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""Congestion Notification Messages to a proxy, the option that names a proxy, and Adaptive Routing Notifications.

The drafts fix what these messages contain, and not all of how it is packed. The packing assumed here is that of fastcn
(doc/proxy.md, doc/arn.md); no port is assumed, so these checks are off until one is given.
"""

import collections
import struct

import checksum
import packet
from packet import text

MINIMUM_MTU, IPV4_LIMIT = 1280, 576
CONGESTION, FLOW, PATH, PRIORITY, TIME = 1, 0x80, 0x40, 0x20, 0x10


def flow_identifier(octets):
    """(version, level, protocol, ports, addresses, length) of a flow identifier, or None if it is malformed."""
    version = octets[0] >> 4 if octets else 0
    width = {4: 4, 6: 16}.get(version)
    if width is None or len(octets) < 8 + 2 * width:
        return None
    return version, octets[0] >> 1 & 7, octets[1], octets[4:8], octets[8:8 + 2 * width], 8 + 2 * width


class Messages:
    """Checks of all messages, with what they are compared with."""

    def __init__(self, profile):
        self.profile = profile
        self.count = collections.Counter()
        self.proxies = collections.defaultdict(set)  # (source, destination) of data -> addresses in its options

    def add_data(self, p, fault):
        """A packet in front of the switch: its option with a proxy's address, if it has one."""
        if not self.profile.proxy_option or p.ip is None:
            return
        for o in p.options(packet.DESTINATION):
            if o.kind & 0x1F != self.profile.proxy_option & 0x1F or o.kind in self.profile.types:
                continue
            self.count["proxy_options"] += 1
            if o.kind >> 5:
                fault("proxy-option", "option type 0x%02x" % o.kind)
            if len(o.data) != 16:
                fault("proxy-option-length", "the option has %d octets" % len(o.data))
            else:
                self.proxies[p.ip.src, p.ip.receiver].add(o.data)

    def is_cnm(self, p):
        """Whether a packet goes to the port of Congestion Notification Messages."""
        return bool(self.profile.cnm_port) and p.udp > 0 and p.dport == self.profile.cnm_port

    def is_arn(self, p):
        """Whether a packet goes to the port of Adaptive Routing Notifications."""
        return bool(self.profile.arn_port) and p.udp > 0 and p.dport == self.profile.arn_port

    def check_cnm(self, p, fault):
        """Check a message to a proxy. fault(rule, what)."""
        self.count["messages"] += 1
        if not self._udp(p, "cnm-format", fault):
            return
        body = p.payload
        flow = flow_identifier(body)
        if flow is None or body[0] & 1 or any(body[2:4]):
            fault("cnm-format", "there is no flow identifier: %s" % body[:8].hex())
            return
        version, _, proto, ports, addresses, length = flow
        quote = packet.parse_quoted(body[length:])
        if not quote.layers or quote.layers[0].src == b"":
            fault("cnm-quote", "no packet is quoted")
            return
        quoted = quote.layers[0]
        if (quoted.version, quoted.src + quoted.dst) != (version, addresses) or quote.udp and (
                proto != 17 or quote.frame[quote.udp:quote.udp + 4] != ports):
            fault("cnm-tuple", "the flow is %s, protocol %d; the quoted packet goes from %s to %s" % (
                " > ".join(text(addresses[i:i + len(addresses) // 2]) for i in (0, len(addresses) // 2)), proto,
                text(quoted.src), text(quoted.dst)))
        self._quote(p, body[length:], quoted.version, fault)
        named = self.proxies.get((quoted.src, quoted.dst))
        if named and p.ip.dst not in named:
            fault("cnm-to", "it is sent to %s; the data names %s" % (text(p.ip.dst), ", ".join(text(a) for a in named)))

    def _quote(self, p, quote, version, fault):
        """The limit can count the IP header or not: wrong is what fits neither."""
        limit = MINIMUM_MTU if p.ip.version == 6 else IPV4_LIMIT
        size = struct.unpack("!H", quote[4:6] if version == 6 else quote[2:4])[0] + (40 if version == 6 else 0)
        udp = p.end - p.udp
        if udp > limit:
            fault("cnm-quote", "the message has %d octets from its UDP header on, more than %d" % (udp, limit))
        if len(quote) < size and p.end - p.ip.offset < limit:
            fault("cnm-quote", "%d of %d octets of the packet are quoted, and the message has %d of %d octets" % (
                len(quote), size, p.end - p.ip.offset, limit))
        if len(quote) > size:
            fault("cnm-quote", "%d octets follow the quoted packet" % (len(quote) - size))

    def _udp(self, p, rule, fault):
        """Lengths and checksum. Returns whether the payload can be read."""
        if p.error or p.udp_length != p.end - p.udp:
            fault(rule, p.error or "UDP length %d, with %d octets up to the end of the packet" % (p.udp_length, p.end - p.udp))
            return False
        right = checksum.udp_right(p)
        if right is False or right is None and p.ip.version == 6:
            fault("udp-checksum", "the UDP checksum is 0" if right is None else "the UDP checksum is wrong")
        return True

    def check_arn(self, p, fault):
        """Check a notification to a switch upstream. fault(rule, what)."""
        self.count["notifications"] += 1
        if not self._udp(p, "arn-format", fault):
            return
        body = p.payload
        if len(body) < 4:
            fault("arn-format", "%d octets" % len(body))
            return
        what, at = body[3], 4
        if what & FLOW:
            flow = flow_identifier(body[4:])
            if flow is None:
                fault("arn-format", "there is no flow identifier: %s" % body[4:12].hex())
                return
            at += flow[5]
        at += 4 * sum(1 for bit in (PATH, PRIORITY, TIME) if what & bit)
        if what & 0x0F or at != len(body):
            fault("arn-format", "Para-Type 0x%02x: %d octets, expected %d" % (what, len(body), at))
        elif body[0] == CONGESTION and (not what & TIME or not what & (FLOW | PRIORITY)):
            fault("arn-mode", "Para-Type 0x%02x: neither a flow nor a priority with a compression time" % what)
        elif what & PRIORITY:
            value = struct.unpack("!I", body[at - (8 if what & TIME else 4):][:4])[0]
            if value > 7:
                fault("arn-format", "priority %d" % value)
