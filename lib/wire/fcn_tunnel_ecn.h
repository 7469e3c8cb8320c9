/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The ECN field at both ends of an IP tunnel (RFC 6040 section 4, draft-hu-rtgwg-rocev2-fcn section
 * 4.2.1).
 *
 * Pure functions, safe from any thread.
 */

#ifndef FCN_TUNNEL_ECN_H
#define FCN_TUNNEL_ECN_H

#include <stdbool.h>
#include <stdint.h>

/* Values of the ECN field (RFC 3168 section 5). */
#define FCN_ECN_NOT_ECT 0x0
#define FCN_ECN_ECT1 0x1
#define FCN_ECN_ECT0 0x2
#define FCN_ECN_CE 0x3
#define FCN_ECN_MASK 0x3 /**< the field in a traffic class or TOS octet */

/** What the ingress writes into the outer header (RFC 6040 section 4.1). */
enum fcn_tunnel_ecn_mode {
	/** The field is that of the inner header. An ingress PE for RoCEv2 must use this mode. */
	FCN_TUNNEL_ECN_NORMAL,
	/** The field is Not-ECT: for an egress that does not know ECN. */
	FCN_TUNNEL_ECN_COMPATIBILITY,
};

/*
 * X(symbol, dangerous, name, text): combinations of inner and outer field that no standard uses
 * (RFC 6040 section 4.2, figure 4). Dangerous are those marked (!!!); (!) is possibly dangerous.
 * The symbol is the inner field, then the outer one. With the inner field Not-ECT and the outer
 * one CE the packet is dropped.
 */
#define FCN_TUNNEL_ECN_COMBINATIONS(X)                                               \
	X(NOT_ECT_ECT0, true, "tunnel_ecn_not_ect_ect0",                             \
			"tunnel egress: inner ECN field Not-ECT, outer ECT(0)")      \
	X(NOT_ECT_ECT1, true, "tunnel_ecn_not_ect_ect1",                             \
			"tunnel egress: inner ECN field Not-ECT, outer ECT(1)")      \
	X(NOT_ECT_CE, true, "tunnel_ecn_not_ect_ce",                                 \
			"tunnel egress: inner ECN field Not-ECT, outer CE; dropped") \
	X(ECT1_ECT0, false, "tunnel_ecn_ect1_ect0",                                  \
			"tunnel egress: inner ECN field ECT(1), outer ECT(0)")       \
	X(CE_ECT1, true, "tunnel_ecn_ce_ect1", "tunnel egress: inner ECN field CE, outer ECT(1)")

/** A combination of fields at the egress: one in use, or one of the list. */
enum fcn_tunnel_ecn_combination {
	FCN_TUNNEL_ECN_USED,
#define FCN_TUNNEL_ECN_ENUM(sym, dangerous, name, text) FCN_TUNNEL_ECN_##sym,
	FCN_TUNNEL_ECN_COMBINATIONS(FCN_TUNNEL_ECN_ENUM)
#undef FCN_TUNNEL_ECN_ENUM
	FCN_TUNNEL_ECN_COMBINATION_COUNT,
};

/** Short name of a combination, as used in counters and JSON; never NULL. */
const char *fcn_tunnel_ecn_name(enum fcn_tunnel_ecn_combination c);

/** One line of text that explains a combination; never NULL. */
const char *fcn_tunnel_ecn_text(enum fcn_tunnel_ecn_combination c);

/** Whether RFC 6040 calls a combination dangerous, not only possibly so. */
bool fcn_tunnel_ecn_is_dangerous(enum fcn_tunnel_ecn_combination c);

/** Whether a packet with this combination has to be dropped. */
static inline bool
fcn_tunnel_ecn_is_drop(enum fcn_tunnel_ecn_combination c)
{
	return c == FCN_TUNNEL_ECN_NOT_ECT_CE;
}

/**
 * Field of the outer header at the ingress; the inner one stays (RFC 6040 section 4.1, figure 3).
 *
 * @param inner ECN field, or the whole traffic class or TOS octet, of the packet
 */
static inline uint8_t
fcn_tunnel_ecn_encaps(enum fcn_tunnel_ecn_mode mode, uint8_t inner)
{
	return mode == FCN_TUNNEL_ECN_NORMAL ? inner & FCN_ECN_MASK : FCN_ECN_NOT_ECT;
}

/** What becomes of the fields at the egress. */
struct fcn_tunnel_ecn_egress {
	uint8_t ecn;         /**< field of the packet that leaves the tunnel */
	uint8_t combination; /**< enum fcn_tunnel_ecn_combination */
};

/**
 * Combine the fields of the inner and the outer header at the egress (RFC 6040 section 4.2, figure
 * 4).
 *
 * @param inner,outer ECN field, or the whole traffic class or TOS octet
 */
struct fcn_tunnel_ecn_egress fcn_tunnel_ecn_egress(uint8_t inner, uint8_t outer);

/**
 * Write the field of the packet that leaves the tunnel, at the egress (RFC 6040 section 4.2, figure
 * 4). Of an IPv4 header the checksum is corrected (RFC 1624).
 *
 * @param inner the inner IPv4 or IPv6 header, of which the whole is present; its version has been
 *              checked
 * @param outer ECN field, or the whole traffic class or TOS octet, of the outer header
 * @return the combination. When fcn_tunnel_ecn_is_drop() says so, the header is unchanged.
 */
enum fcn_tunnel_ecn_combination fcn_tunnel_ecn_decaps(uint8_t *inner, uint8_t outer);

#endif /* FCN_TUNNEL_ECN_H */
