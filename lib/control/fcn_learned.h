/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Prefixes of traffic senders whose proxies were learned from routing protocols
 * (draft-xiao-rtgwg-proxy-congestion-notification section 5.1). A program that reads these
 * protocols tells the control; a prefix is forgotten when its lifetime ends before it is told
 * again. They are no part of the configuration.
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
#define FCN_LEARNED_MAX_LIFETIME 1000000 /**< longest lifetime, seconds */

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

/** What happened to the prefixes of a protocol. */
struct fcn_learned_counters {
	FCN_LEARNED_COUNTERS(FCN_COUNTER_MEMBER)
};

/** A learned prefix. */
struct fcn_learned {
	struct fcn_proxy_prefix item; /**< its origin is the protocol */
	uint64_t since_ns;            /**< when it was learned, or got its proxy */
	uint64_t expires_ns;          /**< when it is forgotten */
};

/** All that is learned. */
struct fcn_learned_state {
	uint32_t n;                            /**< number of prefixes */
	uint32_t n_of[FCN_PROXY_ORIGIN_COUNT]; /**< the same, by protocol */
	/** by protocol: how many more there is room for, without the shares of the others */
	uint32_t room[FCN_PROXY_ORIGIN_COUNT];
	struct fcn_learned_counters count[FCN_PROXY_ORIGIN_COUNT];
	uint64_t builds;         /**< snapshots that were built for changes */
	uint64_t events_skipped; /**< changes without an event, as there were too many at once */
	bool pending;            /**< some changes are not applied yet */
};

/**
 * Learn a prefix, or renew it.
 *
 * @param item     its origin is one of the protocols; host bits of the prefix are cleared
 * @param lifetime seconds after which it is forgotten, 1 to FCN_LEARNED_MAX_LIFETIME
 * @return 0; -EINVAL: no message can be sent to the address of the proxy; -ENOSPC: the
 *         protocol has FCN_LEARNED_SHARE, and what is left of FCN_LEARNED_MAX is the shares of
 *         others; -ENOMEM
 */
int fcn_learned_add(
		struct fcn_control *ctl, const struct fcn_proxy_prefix *item, uint64_t lifetime);

/** Forget a prefix of a protocol. @return 0; -ENOENT */
int fcn_learned_remove(struct fcn_control *ctl, const struct fcn_prefix *prefix,
		enum fcn_proxy_origin protocol);

/** Forget all prefixes of a protocol. @return how many there were; -ENOMEM: none is forgotten */
int fcn_learned_clear(struct fcn_control *ctl, enum fcn_proxy_origin protocol);

/**
 * Forget prefixes whose lifetime has ended, and apply changes.
 *
 * @param now the workers' clock
 * @return time of the next call; FCN_HOST_NEVER: none
 */
uint64_t fcn_learned_poll(struct fcn_control *ctl, uint64_t now);

/**
 * Get all learned prefixes, by ascending prefix and then by protocol.
 *
 * @param n result: their number
 * @return to be freed with free(); NULL when memory is exhausted
 */
struct fcn_learned *fcn_learned_list(const struct fcn_control *ctl, uint32_t *n);

/** Get counts. */
void fcn_learned_state(const struct fcn_control *ctl, struct fcn_learned_state *state);

#endif /* FCN_LEARNED_H */
