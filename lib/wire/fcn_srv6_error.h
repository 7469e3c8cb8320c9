/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Reasons for which a node that owns a SID refuses a packet to it (RFC 8754 section 4.3, RFC 8986
 * section 4), and the ICMPv6 error that it sends about the packet. The list is the only source of
 * the enumeration, the names in counters and traces, and the texts in the documentation.
 */

#ifndef FCN_SRV6_ERROR_H
#define FCN_SRV6_ERROR_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_icmp6.h"

/** Code of an ICMPv6 Parameter Problem: SR Upper-layer Header Error (RFC 8986 section 10.1). */
#define FCN_ICMP6_SR_UPPER_LAYER 4

/*
 * X(arg, symbol, name, text, ICMPv6 type, ICMPv6 code). `arg` is passed on, for lists that this one
 * is a part of. Type 0 means that no error is sent. For HMAC
 * TLVs the error is that of RFC 8754 section 2.1.2.1; for other TLVs no document defines one.
 */
#define FCN_SRV6_REFUSALS_FOR(X, arg)                                                              \
	X(arg, EXT_TRUNCATED, "srv6_ext_truncated",                                                \
			"to a SID: extension header runs past the packet", 0, 0)                   \
	X(arg, EXT_LIMIT, "srv6_ext_limit", "to a SID: more extension headers than fastcn reads",  \
			0, 0)                                                                      \
	X(arg, ROUTING_TYPE, "srv6_routing_type",                                                  \
			"to a SID: Routing header with segments left that is no, or a second, "    \
			"Segment Routing Header",                                                  \
			FCN_ICMP6_PARAM_PROBLEM, FCN_ICMP6_BAD_FIELD)                              \
	X(arg, SRH_TRUNCATED, "srv6_srh_truncated", "Segment Routing Header runs past the packet", \
			0, 0)                                                                      \
	X(arg, SRH_LENGTH, "srv6_srh_length", "Segment Routing Header ends inside a segment",      \
			FCN_ICMP6_PARAM_PROBLEM, FCN_ICMP6_BAD_FIELD)                              \
	X(arg, SRH_LAST_ENTRY, "srv6_srh_last_entry",                                              \
			"Segment Routing Header: Last Entry past the list",                        \
			FCN_ICMP6_PARAM_PROBLEM, FCN_ICMP6_BAD_FIELD)                              \
	X(arg, SRH_SEGMENTS_LEFT, "srv6_srh_segments_left",                                        \
			"Segment Routing Header: Segments Left above Last Entry + 1",              \
			FCN_ICMP6_PARAM_PROBLEM, FCN_ICMP6_BAD_FIELD)                              \
	X(arg, SRH_TLV_OVERRUN, "srv6_srh_tlv_overrun",                                            \
			"Segment Routing Header: TLV runs past the header", 0, 0)                  \
	X(arg, SRH_HMAC_LENGTH, "srv6_srh_hmac_length",                                            \
			"Segment Routing Header: HMAC not of 8, 16, 24 or 32 octets",              \
			FCN_ICMP6_PARAM_PROBLEM, FCN_ICMP6_BAD_FIELD)                              \
	X(arg, SRH_HMAC_ALIGNMENT, "srv6_srh_hmac_alignment",                                      \
			"Segment Routing Header: HMAC TLV not at a multiple of 8 octets",          \
			FCN_ICMP6_PARAM_PROBLEM, FCN_ICMP6_BAD_FIELD)                              \
	X(arg, SRH_HMAC_DUPLICATE, "srv6_srh_hmac_duplicate",                                      \
			"Segment Routing Header: more than one HMAC TLV", FCN_ICMP6_PARAM_PROBLEM, \
			FCN_ICMP6_BAD_FIELD)                                                       \
	X(arg, SRH_HMAC_DESTINATION, "srv6_srh_hmac_destination",                                  \
			"Segment Routing Header with HMAC: destination is not the active "         \
			"segment",                                                                 \
			FCN_ICMP6_PARAM_PROBLEM, FCN_ICMP6_BAD_FIELD)                              \
	X(arg, HOP_LIMIT, "srv6_hop_limit", "to a SID: hop limit exceeded",                        \
			FCN_ICMP6_TIME_EXCEEDED, FCN_ICMP6_HOP_LIMIT)                              \
	X(arg, SEGMENTS_LEFT, "srv6_segments_left",                                                \
			"to a SID that ends a policy: there are segments left",                    \
			FCN_ICMP6_PARAM_PROBLEM, FCN_ICMP6_BAD_FIELD)                              \
	X(arg, UPPER_LAYER, "srv6_upper_layer",                                                    \
			"to a SID: upper-layer header that its behavior does not process",         \
			FCN_ICMP6_PARAM_PROBLEM, FCN_ICMP6_SR_UPPER_LAYER)                         \
	X(arg, INNER_HEADER, "srv6_inner_header",                                                  \
			"to a SID: inner IP header malformed or cut short", 0, 0)

/* X(symbol, name, text, ICMPv6 type, ICMPv6 code) */
#define FCN_SRV6_REFUSALS(X) FCN_SRV6_REFUSALS_FOR(FCN_SRV6_REFUSAL, X)
#define FCN_SRV6_REFUSAL(X, ...) X(__VA_ARGS__)

#define FCN_SRV6_ERRORS(X)         \
	X(OK, "ok", "valid", 0, 0) \
	FCN_SRV6_REFUSALS(X)

enum fcn_srv6_error {
#define FCN_SRV6_ERROR_ENUM(sym, name, text, type, code) FCN_SRV6_##sym,
	FCN_SRV6_ERRORS(FCN_SRV6_ERROR_ENUM)
#undef FCN_SRV6_ERROR_ENUM
	FCN_SRV6_ERROR_COUNT,
};

/** Short name of a reason, as used in counters and JSON; never NULL. */
const char *fcn_srv6_error_name(enum fcn_srv6_error e);

/** One line of text that explains a reason; never NULL. */
const char *fcn_srv6_error_text(enum fcn_srv6_error e);

/**
 * The ICMPv6 error to send about a packet that was refused.
 *
 * @param e       reason
 * @param pointer offset from the IPv6 header of the field that caused it; used for Parameter
 *                Problem only
 * @param out     written when the result is true
 * @return false when no error is to be sent
 */
bool fcn_srv6_icmp_error(enum fcn_srv6_error e, uint32_t pointer, struct fcn_icmp6_error *out);

#endif /* FCN_SRV6_ERROR_H */
