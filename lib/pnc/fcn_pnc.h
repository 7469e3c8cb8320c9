/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the readers of routing protocols (BGP, IS-IS, OSPF) have in common. A reader learns two
 * things from the messages of its protocol:
 *
 * - Which prefixes have a proxy for congestion notifications: a router advertises them with the
 *   Proxy Node Capability (draft-xiao-rtgwg-proxy-congestion-notification section 5.1).
 * - The END.CON SIDs of PE nodes. An IGP carries them (draft-hu-rtgwg-rocev2-fcn section 4.2.2) in
 *   the form of SRv6 End SIDs, of IS-IS (RFC 9352) and OSPFv3 (RFC 9513). IANA has assigned no code
 *   point to the END.CON behavior, so they are learned only if one is configured.
 *
 * The caller gives a reader the bytes of protocol messages and the time, and the reader calls the
 * functions of a sink with what it has learned. It owns its state, opens no files or sockets, and
 * reads no clock. A state is used by one thread at a time. All times
 * are nanoseconds of one clock that never goes back. Its memory is bounded by its limits.
 */

#ifndef FCN_PNC_H
#define FCN_PNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fcn_addr.h"

/* X(symbol, name, text): protocols that proxies are learned by. */
#define FCN_PNC_PROTOCOLS(X)        \
	X(ISIS, "isis", "IS-IS")    \
	X(OSPF, "ospf", "OSPFv2")   \
	X(OSPF3, "ospf3", "OSPFv3") \
	X(BGP, "bgp", "BGP, by BMP")

enum fcn_pnc_protocol {
#define FCN_PNC_ENUM(sym, name, text) FCN_PNC_##sym,
	FCN_PNC_PROTOCOLS(FCN_PNC_ENUM)
#undef FCN_PNC_ENUM
	FCN_PNC_PROTOCOL_COUNT,
};

/** Name of a protocol in commands and counters; never NULL. */
const char *fcn_pnc_protocol_name(enum fcn_pnc_protocol protocol);

/** Name of a protocol in texts; never NULL. */
const char *fcn_pnc_protocol_text(enum fcn_pnc_protocol protocol);

/* X(symbol, name, text): what is learned. */
#define FCN_PNC_KINDS(X)               \
	X(PROXY, "proxies", "proxies") \
	X(ENDCON, "endcons", "END.CON SIDs")

enum fcn_pnc_kind {
#define FCN_PNC_ENUM(sym, name, text) FCN_PNC_##sym,
	FCN_PNC_KINDS(FCN_PNC_ENUM)
#undef FCN_PNC_ENUM
	FCN_PNC_KIND_COUNT,
};

/** Name of a kind in JSON; never NULL. */
const char *fcn_pnc_kind_name(enum fcn_pnc_kind kind);

/**
 * A prefix of traffic senders, and the proxy that is to be told about their congestion; or an
 * END.CON SID.
 */
struct fcn_pnc_prefix {
	/** without host bits; FCN_PNC_ENDCON: the SID, of 128 bits */
	struct fcn_prefix prefix;
	/** of either IP version, whatever that of the prefix; FCN_PNC_ENDCON: the SID once more */
	struct fcn_addr proxy;
	uint8_t protocol;    /**< enum fcn_pnc_protocol */
	uint8_t kind;        /**< enum fcn_pnc_kind; equal prefixes of both are apart */
	uint64_t expires_ns; /**< the end of its lifetime unless it is renewed */
};

/**
 * Where a reader reports to. It calls these functions while it processes a message or a tick, and
 * they must not call the reader.
 */
struct fcn_pnc_sink {
	/**
	 * A prefix has come, or it has another proxy or another end of its lifetime. There is one
	 * proxy for a prefix: this one replaces an earlier one.
	 */
	void (*add)(void *arg, const struct fcn_pnc_prefix *prefix);
	/** A prefix has gone; its proxy is the one reported last. */
	void (*remove)(void *arg, const struct fcn_pnc_prefix *prefix);
	void *arg;
};

/** Bounds of a reader's memory and work. */
struct fcn_pnc_limits {
	uint32_t items;       /**< LSP fragments or LSAs that are remembered */
	uint32_t originators; /**< systems or routers that have such items */
	/** prefixes with the capability, and END.CON SIDs, counted for each item */
	uint32_t prefixes;
	uint32_t originator_items;    /**< items of one originator */
	uint32_t originator_prefixes; /**< prefixes of one originator */
};

#define FCN_PNC_MAX_LIMIT 1048576 /**< the highest value of a limit; the lowest is 1 */

/** Limits that are enough for a large network, in at most 30 MB for each protocol. */
#define FCN_PNC_DEFAULT_LIMITS                                           \
	{                                                                \
		.items = 65536, .originators = 16384, .prefixes = 65536, \
		.originator_items = 16384, .originator_prefixes = 16384, \
	}

/*
 * X(symbol, name, text): what a reader of a link-state protocol counts. Each message ends in one
 * counter of the first two groups; an LSA counts as a message of its own.
 */
#define FCN_PNC_ACCEPTED(X)                                           \
	X(NEW, "new", "accepted, newer than what was known")          \
	X(SAME, "same", "known already")                              \
	X(OLD, "old", "older than what is known")                     \
	X(PURGED, "purged", "withdrawn by its originator")            \
	X(PURGE_UNKNOWN, "purge_unknown", "withdrawn, but not known") \
	X(OTHER, "other", "another kind of message, which has no prefixes")

#define FCN_PNC_REFUSED(X)                                                                        \
	X(TRUNCATED, "truncated", "cut short")                                                    \
	X(HEADER, "header", "fields of the header that no such message has")                      \
	X(LENGTH, "length", "a length that does not agree with what contains it")                 \
	X(CHECKSUM, "checksum", "checksum wrong")                                                 \
	X(SEQUENCE, "sequence", "sequence number that no message has")                            \
	X(CONFLICT, "conflict",                                                                   \
			"the same sequence number with other contents; both are withdrawn")       \
	X(AUTH_MISSING, "auth_missing",                                                           \
			"no authentication, or another kind than that of the keys")               \
	X(AUTH_KEY, "auth_key", "authentication with a key that is not known")                    \
	X(AUTH_WRONG, "auth_wrong", "authentication wrong")                                       \
	X(AUTH_PURGE, "auth_purge", "an authentic LSP whose lifetime somebody may have set to 0") \
	X(MALFORMED, "malformed", "malformed in a way that makes all of it unusable")             \
	X(ITEMS_FULL, "items_full", "more LSP fragments or LSAs than the limit")                  \
	X(ORIGINATORS_FULL, "originators_full", "more originators than the limit")                \
	X(ORIGINATOR_ITEMS_FULL, "originator_items_full",                                         \
			"more LSP fragments or LSAs of one originator than the limit")

/* What happens besides, to messages and to prefixes in them. */
#define FCN_PNC_BESIDES(X)                                                                         \
	X(EXPIRED, "expired", "LSP fragments or LSAs whose lifetime ended")                        \
	X(EVICTED, "evicted", "LSP fragments or LSAs without prefixes that gave way to others")    \
	X(BAD_TLV, "bad_tlv", "TLVs that were ignored, as they are malformed")                     \
	X(BAD_PREFIX, "bad_prefix", "prefixes that no sender has")                                 \
	X(BAD_PROXY, "bad_proxy", "addresses of originators that no node has")                     \
	X(BAD_SID, "bad_sid", "END.CON SIDs that are not in their locator, or that no node has")   \
	X(UNREACHABLE, "unreachable",                                                              \
			"prefixes and locators of END.CON SIDs that are not reachable by their "   \
			"metric or options")                                                       \
	X(DUPLICATE, "duplicate", "prefixes that occur more than once in a message")               \
	X(PREFIXES_FULL, "prefixes_full", "more prefixes than the limit")                          \
	X(ORIGINATOR_PREFIXES_FULL, "originator_prefixes_full",                                    \
			"more prefixes of one originator than the limit")                          \
	X(ITEM_PREFIXES_FULL, "item_prefixes_full", "more prefixes in one message than the limit") \
	X(PREFIX_ORIGINATORS_FULL, "prefix_originators_full",                                      \
			"more LSP fragments or LSAs with one prefix than the limit")

#define FCN_PNC_COUNTERS(X) FCN_PNC_ACCEPTED(X) FCN_PNC_REFUSED(X) FCN_PNC_BESIDES(X)

enum fcn_pnc_counter {
#define FCN_PNC_ENUM(sym, name, text) FCN_PNC_COUNT_##sym,
	FCN_PNC_COUNTERS(FCN_PNC_ENUM)
#undef FCN_PNC_ENUM
	FCN_PNC_COUNTER_COUNT,
};

/** Name of a counter in JSON; never NULL. */
const char *fcn_pnc_counter_name(enum fcn_pnc_counter counter);

/** One line of text that explains a counter; never NULL. */
const char *fcn_pnc_counter_text(enum fcn_pnc_counter counter);

/** How much a reader of a link-state protocol knows now, and its counters. */
struct fcn_pnc_state {
	uint32_t items;       /**< LSP fragments or LSAs */
	uint32_t originators; /**< systems or routers */
	uint32_t prefixes;    /**< prefixes that are reported to the sink */
	uint32_t endcons;     /**< END.CON SIDs that are reported to the sink */
	uint32_t unresolved;  /**< prefixes without a known address of a proxy, so not reported */
	uint64_t count[FCN_PNC_COUNTER_COUNT];
};

#endif /* FCN_PNC_H */
