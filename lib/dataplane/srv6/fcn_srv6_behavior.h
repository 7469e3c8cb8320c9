/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Behaviors of local SIDs (RFC 8986 section 4, draft-hu-rtgwg-rocev2-fcn section 4.2.2). The
 * commands of the configuration, `show`, traces and the documentation are made of the list below.
 * All functions may be called by any thread.
 */

#ifndef FCN_SRV6_BEHAVIOR_H
#define FCN_SRV6_BEHAVIOR_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_srv6_end.h"

/** What a behavior needs besides the SID. */
enum fcn_srv6_argument {
	FCN_SRV6_ARGUMENT_NONE,  /**< nothing */
	FCN_SRV6_ARGUMENT_VIA,   /**< a station that gets the packet: port and address */
	FCN_SRV6_ARGUMENT_TABLE, /**< the table in which the destination is looked up */
};

/*
 * X(symbol, word, code point, kind, inner, argument, text). The code point is that of the behavior
 * without flavors (RFC 8986 section 10.2); for END.CON, which has none, it is of the range for
 * private use. The kind is STEP (it goes on to the next segment, and can have flavors) or DECAPS
 * (it ends a policy). inner is what the behavior decapsulates, FCN_SRV6_INNER_*. The text is a
 * phrase without a full stop.
 */
#define FCN_SRV6_BEHAVIORS(X)                                                                      \
	X(END, "end", 1, STEP, 0, NONE,                                                            \
			"go on to the next segment by the routes of the main table")               \
	X(END_X, "end.x", 5, STEP, 0, VIA,                                                         \
			"go on to the next segment, and send the packet to a station")             \
	X(END_T, "end.t", 9, STEP, 0, TABLE, "go on to the next segment by the routes of a table") \
	X(END_DX6, "end.dx6", 16, DECAPS, FCN_SRV6_INNER_IPV6, VIA,                                \
			"decapsulate IPv6, and send the packet to a station")                      \
	X(END_DX4, "end.dx4", 17, DECAPS, FCN_SRV6_INNER_IPV4, VIA,                                \
			"decapsulate IPv4, and send the packet to a station")                      \
	X(END_DT6, "end.dt6", 18, DECAPS, FCN_SRV6_INNER_IPV6, TABLE,                              \
			"decapsulate IPv6, and route the packet by a table")                       \
	X(END_DT4, "end.dt4", 19, DECAPS, FCN_SRV6_INNER_IPV4, TABLE,                              \
			"decapsulate IPv4, and route the packet by a table")                       \
	X(END_DT46, "end.dt46", 20, DECAPS, FCN_SRV6_INNER_IPV6 | FCN_SRV6_INNER_IPV4, TABLE,      \
			"decapsulate IPv6 or IPv4, and route the packet by a table")               \
	X(END_CON, "end.con", 0x8000, DECAPS, FCN_SRV6_INNER_IPV6, TABLE,                          \
			"decapsulate Fast CNPs of P nodes in the access list, and route them by "  \
			"a table")

enum fcn_srv6_behavior {
#define FCN_SRV6_BEHAVIOR_ENUM(sym, ...) FCN_SRV6_##sym,
	FCN_SRV6_BEHAVIORS(FCN_SRV6_BEHAVIOR_ENUM)
#undef FCN_SRV6_BEHAVIOR_ENUM
	FCN_SRV6_BEHAVIOR_COUNT,
};

/*
 * X(symbol, word, bit, text). Flavors of the behaviors that go on to the next segment (RFC 8986
 * section 4.16). NEXT-CSID (RFC 9800 section 4.1) has parameters, struct fcn_srv6_csid.
 */
#define FCN_SRV6_FLAVORS(X)                                                                  \
	X(PSP, "psp", 0x1, "the last but one segment removes the Segment Routing Header")    \
	X(USP, "usp", 0x2, "the last segment removes the Segment Routing Header")            \
	X(USD, "usd", 0x4,                                                                   \
			"the last segment decapsulates, and routes the inner packet as the " \
			"behavior does")

#define FCN_SRV6_FLAVOR_ENUM(sym, word, bit, text) FCN_SRV6_FLAVOR_##sym = (bit),
enum fcn_srv6_flavor {
	FCN_SRV6_FLAVORS(FCN_SRV6_FLAVOR_ENUM)
};
#undef FCN_SRV6_FLAVOR_ENUM

/** A line of the list of behaviors. */
struct fcn_srv6_behavior_row {
	const char *word;
	const char *text;
	uint16_t code;    /**< code point without flavors */
	uint8_t inner;    /**< FCN_SRV6_INNER_*; 0: it goes on to the next segment */
	uint8_t argument; /**< enum fcn_srv6_argument */
};

/** The behaviors of the list, by enum fcn_srv6_behavior. */
extern const struct fcn_srv6_behavior_row fcn_srv6_behaviors[FCN_SRV6_BEHAVIOR_COUNT];

/** Get the word for a behavior; never NULL. */
const char *fcn_srv6_behavior_name(unsigned int behavior);

/**
 * Get the code point of a behavior with flavors (RFC 8986 section 10.2, table 4).
 *
 * @param flavors set of FCN_SRV6_FLAVOR_*
 */
uint16_t fcn_srv6_behavior_code(unsigned int behavior, unsigned int flavors);

#endif /* FCN_SRV6_BEHAVIOR_H */
