/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What was learned from routing protocols: prefixes of traffic senders with their proxies
 * (draft-xiao-rtgwg-proxy-congestion-notification section 5.1), and END.CON SIDs
 * (draft-hu-rtgwg-rocev2-fcn section 4.2.2). A program that reads these protocols tells the
 * control; an entry is forgotten when its lifetime ends before it is told again. They are no part
 * of the configuration. Each kind has a table, limits and counters of its own.
 *
 * Changes are applied together: many of them in one snapshot.
 *
 * Not thread safe: the control thread makes all calls.
 */

#ifndef FCN_LEARNED_H
#define FCN_LEARNED_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_counter.h"
#include "fcn_proxy_map.h"

struct fcn_control;

/** Maximum number of learned prefixes, of all protocols together. */
#define FCN_LEARNED_MAX 65536
/** Number of these that each protocol can always have, whatever the others say. */
#define FCN_LEARNED_SHARE 8192
/** The same of END.CON SIDs, which IS-IS and OSPFv3 have: a PE node has one or a few. */
#define FCN_LEARNED_ENDCON_MAX 4096
#define FCN_LEARNED_ENDCON_SHARE 1024
#define FCN_LEARNED_MAX_LIFETIME 1000000 /**< longest lifetime, seconds */

/** What is learned. */
enum fcn_learned_kind {
	FCN_LEARNED_PROXY,  /**< a prefix of senders and its proxy */
	FCN_LEARNED_ENDCON, /**< an END.CON SID: a prefix of 128 bits, without a proxy */
	FCN_LEARNED_KIND_COUNT,
};

/* In `show pnc protocols`, for each protocol; the form of the list is described in fcn_counter.h.
 */
#define FCN_LEARNED_COUNTERS(X)                                                                   \
	X(added, "added", COUNTER, "pnc_added", "Prefixes of senders whose proxies were learned") \
	X(changed, "changed", COUNTER, "pnc_changed", "Learned prefixes that got another proxy")  \
	X(renewed, "renewed", COUNTER, "pnc_renewed",                                             \
			"Times that a learned prefix was told again with the same proxy")         \
	X(removed, "removed", COUNTER, "pnc_removed", "Learned prefixes that were withdrawn")     \
	X(expired, "expired", COUNTER, "pnc_expired",                                             \
			"Learned prefixes that were forgotten at the end of their lifetime")      \
	X(refused, "refused", COUNTER, "pnc_refused",                                             \
			"Prefixes that were not learned because the protocol had its share and "  \
			"all other room was used, or kept for other protocols")                   \
	X(memory, "memory", COUNTER, "pnc_memory",                                                \
			"Prefixes that were not learned because memory was used up")

/* The same in `show srv6 endcon`: the members but `changed`, as a SID has nothing to change. */
#define FCN_LEARNED_ENDCON_COUNTERS(X)                                                           \
	X(added, "added", COUNTER, "endcon_learned_added", "END.CON SIDs that were learned")     \
	X(renewed, "renewed", COUNTER, "endcon_learned_renewed",                                 \
			"Times that a learned END.CON SID was told again")                       \
	X(removed, "removed", COUNTER, "endcon_learned_removed",                                 \
			"Learned END.CON SIDs that were withdrawn")                              \
	X(expired, "expired", COUNTER, "endcon_learned_expired",                                 \
			"Learned END.CON SIDs that were forgotten at the end of their lifetime") \
	X(refused, "refused", COUNTER, "endcon_learned_refused",                                 \
			"END.CON SIDs that were not learned because the protocol had its share " \
			"and all other room was used, or kept for other protocols")              \
	X(memory, "memory", COUNTER, "endcon_learned_memory",                                    \
			"END.CON SIDs that were not learned because memory was used up")

/** What happened to what a protocol has said. */
struct fcn_learned_counters {
	FCN_LEARNED_COUNTERS(FCN_COUNTER_MEMBER)
};

/** What was learned. */
struct fcn_learned {
	struct fcn_proxy_prefix item; /**< its origin is the protocol; no proxy of END.CON SIDs */
	uint64_t since_ns;            /**< when it was learned, or got its proxy */
	uint64_t expires_ns;          /**< when it is forgotten */
};

/** All that is learned of a kind. */
struct fcn_learned_state {
	uint32_t n;                            /**< number of prefixes or SIDs */
	uint32_t n_of[FCN_PROXY_ORIGIN_COUNT]; /**< the same, by protocol */
	/** by protocol: how many more there is room for, without the shares of the others */
	uint32_t room[FCN_PROXY_ORIGIN_COUNT];
	struct fcn_learned_counters count[FCN_PROXY_ORIGIN_COUNT];
	/* Of all kinds: */
	uint64_t builds;         /**< snapshots that were built for changes */
	uint64_t events_skipped; /**< changes without an event, as there were too many at once */
	bool pending;            /**< some changes are not applied yet */
};

/** Check whether a protocol disseminates things of this kind. */
bool fcn_learned_has_protocol(enum fcn_learned_kind kind, enum fcn_proxy_origin protocol);

/**
 * Learn something, or renew it.
 *
 * @param item     its origin is one of the protocols of the kind; host bits of the prefix are
 *                 cleared
 * @param lifetime seconds after which it is forgotten, 1 to FCN_LEARNED_MAX_LIFETIME
 * @return 0; -EINVAL: no message can be sent to the address of the proxy, or to the SID; -ENOSPC:
 *         the protocol has its share, and what is left of the maximum is the shares of others;
 *         -ENOMEM
 */
int fcn_learned_add(struct fcn_control *ctl, enum fcn_learned_kind kind,
		const struct fcn_proxy_prefix *item, uint64_t lifetime);

/** Forget what a protocol has said of a prefix or SID. @return 0; -ENOENT */
int fcn_learned_remove(struct fcn_control *ctl, enum fcn_learned_kind kind,
		const struct fcn_prefix *prefix, enum fcn_proxy_origin protocol);

/** Forget all of a protocol. @return how many there were; -ENOMEM: none is forgotten */
int fcn_learned_clear(struct fcn_control *ctl, enum fcn_learned_kind kind,
		enum fcn_proxy_origin protocol);

/**
 * Forget what has reached the end of its lifetime, here and in fcn_reported.h, and apply changes.
 *
 * @param now the workers' clock
 * @return time of the next call; FCN_HOST_NEVER: none
 */
uint64_t fcn_learned_poll(struct fcn_control *ctl, uint64_t now);

/**
 * Get all that was learned of a kind, by ascending prefix and then by protocol.
 *
 * @param n result: their number
 * @return to be freed with free(); NULL when memory is exhausted
 */
struct fcn_learned *fcn_learned_list(
		const struct fcn_control *ctl, enum fcn_learned_kind kind, uint32_t *n);

/** Get counts. */
void fcn_learned_state(const struct fcn_control *ctl, enum fcn_learned_kind kind,
		struct fcn_learned_state *state);

#endif /* FCN_LEARNED_H */
