# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The fastcn authors

"""What is checked: one rule for each sentence, with the document that has it.

Sentences of drafts are quoted. Those of RFCs and of the InfiniBand specification are told in other words; they are in square brackets.
"""

from collections import namedtuple

FAST = "draft-xiao-rtgwg-rocev2-fast-cnp-02"
WAN = "draft-hu-rtgwg-rocev2-fcn-00"
PROXY = "draft-xiao-rtgwg-proxy-congestion-notification-00"
ROCE = "InfiniBand Architecture Specification, annex on RoCEv2"

# A fault breaks a sentence that leaves no choice; a warning one that recommends, or that has an alternative (a node may also learn its
# proxy from routing), or a convention that others rely on.
FAULT, WARNING = "fault", "warning"

Rule = namedtuple("Rule", "name level document section text")

_LIST = (
    # The packet: what can be seen on a notice alone.
    Rule("ipv6", FAULT, FAST, "3", "In this document, only IPv6 is taken into account while IPv4 is beyond the scope."),
    Rule("one-option", FAULT, FAST, "4", "Fast CNP adds an IPv6 extension header [RFC8200] to the RoCEv2 CNP, specifically, an IPv6 "
         "Destination Options header with one IPv6 destination option is added."),
    Rule("option-action", FAULT, FAST, "4", "for this Option, these two bits MUST be set to 10"),
    Rule("option-change", FAULT, FAST, "4", "for this Option, the value of this bit MUST be set to 0 (Option Data does not change en route)."),
    Rule("option-type", FAULT, FAST, "6", "TBD1      10   0  tbd1 Fast CNP Destination Option1 [This draft]"),
    Rule("option1-length", FAULT, FAST, "4", "Opt Data Len: 16."),
    Rule("option2-length", FAULT, FAST, "4", "Option Data: IOAM Trace Option Data and Destination IPv6 address of the RoCEv2 data packet that "
         "was subject to forward congestion."),
    Rule("option2-ioam", FAULT, FAST, "4", "IOAM Trace Option Data is copied from the IPv6 Hop-by-Hop Options header of the RoCEv2 data packet."),
    Rule("option-address", FAULT, FAST, "4", "Option Data: Destination IPv6 address of the RoCEv2 data packet that was subject to forward "
         "congestion."),
    Rule("option-place", WARNING, FAST, "4, figures 3 and 4", "[Option 1 begins in the second half of a 32-bit word, option 2 at its beginning.]"),
    Rule("option-bounds", FAULT, "RFC 8200", "4.2", "[The data of an option ends within its header.]"),
    Rule("padding-zero", FAULT, "RFC 8200", "4.2", "[The data of a PadN option consists of octets of zero.]"),
    Rule("padding-form", WARNING, "RFC 8200", "4.2", "[Padding of more than one octet should be one PadN, rather than several Pad1; Linux drops "
         "packets with more than 7 octets of padding in one place.]"),
    Rule("option2-reserved", FAULT, "RFC 9486", "3", "[The octet in front of the IOAM option type is 0.]"),
    Rule("trace", FAULT, "RFC 9197", "4.4.1", "[NodeLen is that of the fields in Trace-Type, RemainingLen does not exceed the room, and the node "
         "data is a multiple of NodeLen.]"),
    Rule("udp-port", FAULT, FAST, "3", "RoCEv2 packets use a well-known UDP Destination Port number 4791 that unambiguously distinguishes them "
         "in a stateless manner."),
    Rule("length", FAULT, FAST, "3, figure 2", "In a RoCEv2 CNP, following the IP/UDP headers, only the InfiniBand Base Transport Header but no "
         "any other InfiniBand Transport Header is present."),
    Rule("udp-checksum", FAULT, "RFC 8200", "8.1", "[UDP packets that an IPv6 node originates have a checksum, which is not 0.]"),
    Rule("opcode", FAULT, ROCE, "", "[The opcode of a CNP is 0x81, and its transport header version 0.]"),
    Rule("becn", FAULT, ROCE, "", "[A CNP has BECN set.]"),
    Rule("bth-zero", WARNING, ROCE, "", "[Solicited event, migration state, pad count, FECN, acknowledge request, PSN and reserved bits of a CNP "
         "are 0.]"),
    Rule("reserved", FAULT, FAST, "3, figure 2", "[16 reserved octets follow the Base Transport Header; they are 0.]"),
    Rule("icrc", FAULT, FAST, "3, figure 2", "[The packet ends with the invariant CRC.]"),
    Rule("icrc-varies", FAULT, FAST, "3, figure 2", "[No reading of the rule for extension headers fits the invariant CRCs of all notices of a switch.]"),
    Rule("ecn", WARNING, FAST, "3", "[A notice is no data that queues are to mark: it is Not-ECT.]"),
    Rule("source", FAULT, FAST, "4", "Fast CNP's Source IPv6 address is set to the IPv6 loopback address of the switch which sends the Fast CNP"),
    # The packet and the data that it is about.
    Rule("cause", FAULT, FAST, "4", "The switch would send Fast CNP to the sender of RoCEv2 data packet causing congestion."),
    Rule("destination", FAULT, FAST, "4", "the Destination IPv6 address of the Fast CNP is copied from the Source IPv6 address of the RoCEv2 "
         "data packet causing congestion."),
    Rule("qp", FAULT, FAST, "4", "Fast CNP's Destination QP within the InfiniBand Base Transport Header is copied from the Destination QP within "
         "the InfiniBand Base Transport Header of the RoCEv2 data packet causing congestion."),
    Rule("p_key", WARNING, ROCE, "", "[A queue pair accepts only packets of its P_Key, so a CNP has that of the data packet.]"),
    Rule("option1-when", FAULT, FAST, "4", "When the RoCEv2 data packet causing congestion doesn't carry an IPv6 In situ OAM (IOAM) Hop-by-Hop "
         "Trace Option [RFC9486], the following IPv6 destination option is carried in the Fast CNP."),
    Rule("option2-when", FAULT, FAST, "4", "When the RoCEv2 data packet causing congestion carries an IPv6 IOAM Hop-by-Hop Trace Option, the "
         "following IPv6 destination option is carried in the Fast CNP."),
    Rule("ce", FAULT, FAST, "4", "If the switch knows that the sender is able to process the Fast CNP, then the switch MUST NOT mark the ECN bits "
         "of the RoCEv2 data packet at the same time of sending Fast CNP."),
    Rule("ce-likely", WARNING, FAST, "4", "If the switch knows that the sender is able to process the Fast CNP, then the switch MUST NOT mark the "
         "ECN bits of the RoCEv2 data packet at the same time of sending Fast CNP."),
    Rule("rate", WARNING, FAST, "5", "To avoid potential Denial-of-Service (DoS) attacks, it is RECOMMENDED that implementations apply "
         "rate-limiting policies when generating Fast CNPs."),
    Rule("border", FAULT, FAST, "5", "A deployment MUST ensure that border-filtering drops inbound Fast CNP from outside of the domain and that "
         "drops outbound Fast CNP leaving the domain."),
    # In an SRv6 domain.
    Rule("endcon", FAULT, WAN, "4.2.2", "When WAN devices detect congestion, they encapsulate an outer IP header (destination address is set to "
         "END.CON) outside the Fast CNP and send it back to the ingress PE."),
    # To a proxy.
    Rule("proxy-option", FAULT, PROXY, "5.2", "for this Option, these two bits MUST be set to 00 (skip over this option and continue processing "
         "the header)."),
    Rule("proxy-option-length", FAULT, PROXY, "5.2", "This field MUST be set to 16."),
    Rule("cnm-format", FAULT, PROXY, "4", "The congestion notification message sent from the congested network node to the proxy network node is "
         "a UDP message which is formatted as follows:"),
    Rule("cnm-tuple", FAULT, PROXY, "4", "The IP five-tuple is copied from the data packet causing congestion"),
    Rule("cnm-quote", FAULT, PROXY, "4, figure 6", "As much of the invoking packet as possible without the UDP packet exceeding 576 bytes in IPv4 "
         "or the minimum MTU in IPv6"),
    Rule("cnm-to", WARNING, PROXY, "5.2", "The congested network node would copy the IPv6 address of the proxy network node from the IPv6 "
         "destination option of data packet causing congestion to the destination address field of the congestion notification packet."),
    Rule("cnm-border", FAULT, PROXY, "6", "A deployment MUST ensure that border-filtering drops inbound congestion notification message from "
         "outside of the domain and that drops outbound congestion notification message leaving the domain."),
    # To the switches upstream.
    Rule("arn-format", FAULT, WAN, "4.1.1", "This document further defines the Para-Type Bit 2 for priority identifier and the Para-Type Bit 3 for "
         "compression time."),
    Rule("arn-mode", FAULT, WAN, "4.1.2", "the router will pass on ARN packet carrying flow identifier (identify the corresponding flow based on "
         "the five-tuple of inner IP header) and compression time to upstream devices."),
)

RULES = {rule.name: rule for rule in _LIST}

# What captures cannot show.
NEVER_SEEN = (
    (FAST, "5", "implementations MUST provide a means of checking the source addresses of Fast CNP against an access list before accepting the "
     "packet."),
    (FAST, "5", "By default, the Fast CNP feature MUST be disabled."),
)
