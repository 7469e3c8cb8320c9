/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Defects of a packet. This list is the only source of the enumeration, the names in counters and
 * traces, and the texts in the documentation.
 */

#ifndef FCN_WIRE_ERROR_H
#define FCN_WIRE_ERROR_H

/*
 * X(symbol, name, text). With a defect of the first list, the packet cannot be forwarded as IP and
 * is dropped. With a defect of the second list it is forwarded, but not treated as RoCEv2 or as the
 * notification that it claims to be.
 */
#define FCN_WIRE_FATAL_ERRORS(X)                                                              \
	X(ETH_TRUNCATED, "eth_truncated", "Ethernet or VLAN header cut short")                \
	X(IPV4_TRUNCATED, "ipv4_truncated", "IPv4 header cut short")                          \
	X(IPV4_VERSION, "ipv4_version", "IPv4 EtherType, but another version in the header")  \
	X(IPV4_IHL, "ipv4_ihl", "IPv4 header length below 20 or past the packet")             \
	X(IPV4_LENGTH, "ipv4_length", "IPv4 total length past the frame or below its header") \
	X(IPV4_CHECKSUM, "ipv4_checksum", "IPv4 header checksum wrong")                       \
	X(IPV6_TRUNCATED, "ipv6_truncated", "IPv6 header cut short")                          \
	X(IPV6_VERSION, "ipv6_version", "IPv6 EtherType, but another version in the header")  \
	X(IPV6_LENGTH, "ipv6_length", "IPv6 payload length past the frame")                   \
	X(IPV6_JUMBOGRAM, "ipv6_jumbogram",                                                   \
			"IPv6 payload length 0 with Hop-by-Hop Options, as of a jumbogram")

#define FCN_WIRE_OTHER_ERRORS(X)                                                                  \
	X(TUNNEL_HEADER, "tunnel_header", "IP header inside a tunnel malformed")                  \
	X(EXT_TRUNCATED, "ext_truncated", "extension header cut short")                           \
	X(EXT_OVERRUN, "ext_overrun", "extension header runs past the packet")                    \
	X(EXT_ORDER, "ext_order", "Hop-by-Hop Options header not directly after the IPv6 header") \
	X(EXT_LIMIT, "ext_limit", "more headers, or longer ones, than fastcn reads")              \
	X(OPTION_OVERRUN, "option_overrun", "option runs past its header")                        \
	X(OPTION_LENGTH, "option_length", "option of the wrong length for its type")              \
	X(OPTION_DUPLICATE, "option_duplicate", "more than one Fast CNP option")                  \
	X(PADN_NONZERO, "padn_nonzero", "PadN option with bytes that are not zero")               \
	X(IOAM_OPT_TYPE, "ioam_opt_type", "Fast CNP option 2 with IOAM data other than a trace")  \
	X(IOAM_ALIGNMENT, "ioam_alignment", "IOAM option not at a multiple of 4 octets")          \
	X(IOAM_LENGTH, "ioam_length", "IOAM trace shorter than its header or not in whole words") \
	X(IOAM_NODELEN_ZERO, "ioam_nodelen_zero", "IOAM NodeLen 0")                               \
	X(IOAM_NODELEN_TYPE, "ioam_nodelen_type", "IOAM NodeLen does not match the trace type")   \
	X(IOAM_REMAINING_LEN, "ioam_remaining_len", "IOAM RemainingLen larger than the option")   \
	X(IOAM_RAGGED, "ioam_ragged", "IOAM node data list is not a whole number of nodes")       \
	X(SRH_LENGTH, "srh_length", "Segment Routing Header ends inside a segment")               \
	X(SRH_LAST_ENTRY, "srh_last_entry", "Segment Routing Header: Last Entry past the list")   \
	X(SRH_SEGMENTS_LEFT, "srh_segments_left",                                                 \
			"Segment Routing Header: Segments Left above Last Entry + 1")             \
	X(UDP_TRUNCATED, "udp_truncated", "UDP header cut short")                                 \
	X(UDP_LENGTH, "udp_length", "UDP length below 8 or not that of the packet")               \
	X(BTH_TRUNCATED, "bth_truncated", "RoCEv2 packet too short for BTH and ICRC")             \
	X(BTH_VERSION, "bth_version", "BTH transport header version not 0")                       \
	X(CNP_LENGTH, "cnp_length", "CNP whose UDP length is not 40")                             \
	X(ICRC, "icrc", "ICRC wrong")                                                             \
	X(UDP_CHECKSUM, "udp_checksum", "UDP checksum wrong or, over IPv6, absent")               \
	X(OPTION_MISSING, "option_missing", "no Fast CNP option in a packet that needs one")      \
	X(NOT_CNP, "not_cnp", "not a congestion notification packet")

#define FCN_WIRE_ERRORS(X)   \
	X(OK, "ok", "valid") \
	FCN_WIRE_FATAL_ERRORS(X) FCN_WIRE_OTHER_ERRORS(X)

enum fcn_wire_error {
#define FCN_WIRE_ERROR_ENUM(sym, name, text) FCN_WIRE_##sym,
	FCN_WIRE_ERRORS(FCN_WIRE_ERROR_ENUM)
#undef FCN_WIRE_ERROR_ENUM
	FCN_WIRE_ERROR_COUNT,
};

/** Check whether a packet with this defect cannot be forwarded as IP and has to be dropped. */
static inline int
fcn_wire_error_is_fatal(enum fcn_wire_error e)
{
	return e != FCN_WIRE_OK && e <= FCN_WIRE_IPV6_JUMBOGRAM;
}

/** Get the short name of a defect, as used in counters and JSON; never NULL. */
const char *fcn_wire_error_name(enum fcn_wire_error e);

/** Get one line of text that explains a defect; never NULL. */
const char *fcn_wire_error_text(enum fcn_wire_error e);

#endif /* FCN_WIRE_ERROR_H */
