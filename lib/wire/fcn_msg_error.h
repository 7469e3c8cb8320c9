/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Defects of a message to the switch itself (ARP, Neighbour Discovery, ICMP, MLD). This list is the
 * only source of the enumeration, the names and the texts.
 */

#ifndef FCN_MSG_ERROR_H
#define FCN_MSG_ERROR_H

/* X(symbol, name, text) */
#define FCN_MSG_ERRORS(X)                                                                         \
	X(OK, "ok", "valid")                                                                      \
	X(TRUNCATED, "truncated", "cut short")                                                    \
	X(IP_HEADER, "ip_header", "IP header malformed")                                          \
	X(IP_CHECKSUM, "ip_checksum", "IPv4 header checksum wrong")                               \
	X(PROTOCOL, "protocol", "another protocol")                                               \
	X(FRAGMENT, "fragment", "fragment")                                                       \
	X(CHECKSUM, "checksum", "ICMP checksum wrong")                                            \
	X(TYPE, "type", "another type of message")                                                \
	X(CODE, "code", "code that the type does not have")                                       \
	X(HOP_LIMIT, "hop_limit",                                                                 \
			"hop limit that the message may not have: came through a router")         \
	X(ROUTER_ALERT, "router_alert", "no Router Alert option for MLD")                         \
	X(SOURCE, "source", "source address that the message may not have")                       \
	X(DESTINATION, "destination", "destination address that the message may not have")        \
	X(TARGET, "target", "target address that no station has")                                 \
	X(SOLICITED, "solicited", "Solicited flag in an advertisement to a group")                \
	X(OPTION_LENGTH, "option_length",                                                         \
			"option of length 0, of the wrong length, or past the message")           \
	X(OPTION_LLADDR, "option_lladdr",                                                         \
			"link-layer address of no station, or of a sender without an address")    \
	X(OPTION_PREFIX, "option_prefix", "prefix longer than 128 bits")                          \
	X(ARP_FORMAT, "arp_format", "ARP for other than Ethernet and IPv4")                       \
	X(ARP_OPCODE, "arp_opcode", "ARP other than request and reply")                           \
	X(ARP_SENDER_MAC, "arp_sender_mac", "ARP sender's MAC address is none of a station")      \
	X(ARP_SENDER_IP, "arp_sender_ip", "ARP sender's IP address is none of a station")         \
	X(QUOTE, "quote", "quotes no Fast CNP of this switch, or not all of it")                  \
	X(REPORTER, "reporter", "about a Fast CNP, but not from the station that it was sent to") \
	X(POINTER, "pointer", "about a Fast CNP, but does not point at its option")

enum fcn_msg_error {
#define FCN_MSG_ERROR_ENUM(sym, name, text) FCN_MSG_##sym,
	FCN_MSG_ERRORS(FCN_MSG_ERROR_ENUM)
#undef FCN_MSG_ERROR_ENUM
	FCN_MSG_ERROR_COUNT,
};

/** Short name of a defect, as used in counters and JSON; never NULL. */
const char *fcn_msg_error_name(enum fcn_msg_error e);

/** One line of text that explains a defect; never NULL. */
const char *fcn_msg_error_text(enum fcn_msg_error e);

#endif /* FCN_MSG_ERROR_H */
