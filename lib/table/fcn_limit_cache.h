/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Rate-limit cache: a set-associative cache from a key's hash to a time, for the rate limits of
 * many keys. The time is when a flow was last notified, or how far the token bucket of a
 * destination runs ahead of the clock.
 *
 * A set has eight ways and takes one cache line: 8 x (32-bit signature, 32-bit time). The key
 * itself is not stored: two keys with the same set and signature share an entry (probability about
 * 2e-9 for a lookup). A new key replaces the way with the oldest time. With an average of L live
 * keys in a set, the share of keys that find no way is 1e-6 for L = 1, 0.015 % for 2, 0.84 % for 4
 * and 14 % for 8 (more if evicted keys return and evict others). Provide at least twice as many
 * ways as live keys.
 *
 * Times are stored modulo 2^32 ns. fcn_limit_cache_age() frees entries whose time has passed, so
 * that an old time never appears to be recent again. Each call examines a part of the entries; all
 * are examined within 2^30 ns.
 *
 * Only the worker that owns a cache reads and writes it. The caller passes the time, in
 * nanoseconds.
 */

#ifndef FCN_LIMIT_CACHE_H
#define FCN_LIMIT_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_prefetch.h>

#include "fcn_ways8.h"

#define FCN_LIMIT_CACHE_WAYS 8

struct fcn_limit_cache_set {
	uint32_t sig[FCN_LIMIT_CACHE_WAYS];  /**< 0: way is free */
	uint32_t time[FCN_LIMIT_CACHE_WAYS]; /**< nanoseconds modulo 2^32 */
} __rte_cache_aligned;

struct fcn_limit_cache {
	uint32_t mask; /**< number of sets - 1 */
	struct fcn_limit_cache_set *set;
	uint64_t aged_ns; /**< when fcn_limit_cache_age() was last called */
};

/**
 * Allocate an empty cache; to be called by the control thread.
 *
 * @param sets power of two; 64 bytes each
 * @return 0, -EINVAL or -ENOMEM
 */
int fcn_limit_cache_init(struct fcn_limit_cache *cache, uint32_t sets, int socket);

/** Free the memory of a cache that no worker uses any more; also after a failed init. */
void fcn_limit_cache_fini(struct fcn_limit_cache *cache);

/** Remove every key. */
void fcn_limit_cache_clear(struct fcn_limit_cache *cache);

/**
 * Free entries that have no effect any more. To be called before the cache is used, whenever a few
 * milliseconds have passed. The work is proportional to the time since the last call, and after a
 * long time a few passes over the whole cache.
 *
 * @param keep_ns    how long an entry has an effect after its time: the interval of
 *                   fcn_limit_cache_interval(), 0 for buckets
 * @param horizon_ns how far ahead a time can be: cost_ns * (burst + 1) of fcn_limit_cache_bucket(),
 *                   0 for intervals. The sum of both is below 2^31.
 */
void fcn_limit_cache_age(
		struct fcn_limit_cache *cache, uint64_t now, uint32_t keep_ns, uint32_t horizon_ns);

/** In place of fcn_limit_cache_age(): the cache has been empty since it was initialised. */
static inline void
fcn_limit_cache_skip(struct fcn_limit_cache *cache, uint64_t now)
{
	cache->aged_ns = now;
}

/** Get the set of a key. */
static inline struct fcn_limit_cache_set *
fcn_limit_cache_set_of(const struct fcn_limit_cache *cache, uint64_t hash)
{
	return &cache->set[(uint32_t)hash & cache->mask];
}

/** Get the set of a key, and prefetch it. Call it for all keys of a burst before the lookups. */
static inline struct fcn_limit_cache_set *
fcn_limit_cache_prefetch(const struct fcn_limit_cache *cache, uint64_t hash)
{
	struct fcn_limit_cache_set *set = fcn_limit_cache_set_of(cache, hash);

	rte_prefetch0(set);
	return set;
}

/* Get the signature of a key, which is never 0. */
static inline uint32_t
fcn_limit_cache_sig(uint64_t hash)
{
	uint32_t sig = (uint32_t)(hash >> 32);

	return sig + (sig == 0); /* 0 marks a free way */
}

/* Get the way for a new key: a free one, or else the one whose time is furthest before ref. */
static inline unsigned int
fcn_limit_cache_victim(const struct fcn_limit_cache_set *set, uint32_t ref)
{
	unsigned int way = fcn_ways8_find(set->sig, 0);

	return way < FCN_LIMIT_CACHE_WAYS ? way : fcn_ways8_oldest(set->time, ref);
}

/**
 * Apply a minimum interval: if interval_ns have passed since the key was last granted, or the key
 * is not in the cache, grant it now.
 *
 * @param hash        64-bit hash of the key: low half chooses the set, high half is the signature
 * @param interval_ns below 2^30
 * @return whether the key was granted
 */
static inline bool
fcn_limit_cache_interval(
		struct fcn_limit_cache *cache, uint64_t hash, uint64_t now, uint32_t interval_ns)
{
	struct fcn_limit_cache_set *set = fcn_limit_cache_set_of(cache, hash);
	uint32_t sig = fcn_limit_cache_sig(hash);
	unsigned int way = fcn_ways8_find(set->sig, sig);
	uint32_t time;
	bool granted;

	if (unlikely(way == FCN_LIMIT_CACHE_WAYS)) {
		way = fcn_limit_cache_victim(set, (uint32_t)now);
		set->sig[way] = sig;
		set->time[way] = (uint32_t)now;
		return true;
	}
	/* The result is unpredictable, so this function has no branch; the caller has one. */
	time = set->time[way];
	granted = (uint32_t)now - time >= interval_ns;
	set->time[way] = granted ? (uint32_t)now : time;
	return granted;
}

/**
 * Check whether fcn_limit_cache_interval() would grant the key, without changing the cache.
 *
 * @param set  fcn_limit_cache_set_of() the key
 * @param time written: argument for fcn_limit_cache_interval_grant(), valid until the cache is
 *             changed
 */
static inline bool
fcn_limit_cache_interval_check(struct fcn_limit_cache_set *set, uint64_t hash, uint64_t now,
		uint32_t interval_ns, uint32_t **time)
{
	const unsigned int way = fcn_ways8_find(set->sig, fcn_limit_cache_sig(hash));

	if (unlikely(way == FCN_LIMIT_CACHE_WAYS)) {
		*time = NULL;
		return true;
	}
	*time = &set->time[way];
	return (uint32_t)now - **time >= interval_ns;
}

/**
 * The part of fcn_limit_cache_interval_grant() that is not inline: the key is not in its set.
 *
 * @return as fcn_limit_cache_interval_grant()
 */
bool fcn_limit_cache_interval_add(
		struct fcn_limit_cache_set *set, uint64_t hash, uint64_t now, uint32_t interval_ns);

/**
 * Grant the key that fcn_limit_cache_interval_check() has looked up.
 *
 * @return whether the key replaced another one that was granted less than interval_ns ago, which
 * may now be granted too early once
 */
static __rte_always_inline bool
fcn_limit_cache_interval_grant(struct fcn_limit_cache_set *set, uint64_t hash, uint32_t *time,
		uint64_t now, uint32_t interval_ns)
{
	if (unlikely(time == NULL))
		return fcn_limit_cache_interval_add(set, hash, now, interval_ns);
	*time = (uint32_t)now;
	return false;
}

/** Check whether fcn_limit_cache_interval() would grant the key, without changing the cache. */
static inline bool
fcn_limit_cache_interval_peek(const struct fcn_limit_cache *cache, uint64_t hash, uint64_t now,
		uint32_t interval_ns)
{
	uint32_t *time;

	return fcn_limit_cache_interval_check(
			fcn_limit_cache_set_of(cache, hash), hash, now, interval_ns, &time);
}

/** Get how far ahead of now the time of a bucket can be, see fcn_limit_cache_bucket(). */
static inline uint32_t
fcn_limit_cache_horizon(uint32_t cost_ns, uint32_t burst)
{
	return RTE_MIN(cost_ns * burst + cost_ns, (uint32_t)INT32_MAX);
}

/** The limit of many keys, as fcn_limit_cache_bucket_ahead() needs it. */
struct fcn_limit_cache_rate {
	uint32_t cost_ns; /**< nanoseconds for each token */
	uint32_t horizon; /**< fcn_limit_cache_horizon() */
	/** how far ahead the time may be for a token to be there: cost_ns * (burst - 1) */
	uint32_t most;
};

/** Get the limit of a token bucket; see fcn_limit_cache_bucket(). */
static inline struct fcn_limit_cache_rate
fcn_limit_cache_rate_of(uint32_t cost_ns, uint32_t burst)
{
	return (struct fcn_limit_cache_rate){
			cost_ns, fcn_limit_cache_horizon(cost_ns, burst), cost_ns * (burst - 1)};
}

/** The part of fcn_limit_cache_bucket_ahead() that is not inline: the key is not in its set. */
void fcn_limit_cache_bucket_add(struct fcn_limit_cache_set *set, uint64_t hash, uint64_t now,
		const struct fcn_limit_cache_rate *rate);

/**
 * Take a token as fcn_limit_cache_bucket() does. For callers that have many keys with the same
 * limit: they compute the set and the rate once, in advance.
 *
 * @param set fcn_limit_cache_set_of() the key
 */
static __rte_always_inline bool
fcn_limit_cache_bucket_ahead(struct fcn_limit_cache_set *set, uint64_t hash, uint64_t now,
		const struct fcn_limit_cache_rate *rate)
{
	const unsigned int way = fcn_ways8_find(set->sig, fcn_limit_cache_sig(hash));
	uint32_t ahead;

	if (unlikely(way == FCN_LIMIT_CACHE_WAYS)) {
		fcn_limit_cache_bucket_add(set, hash, now, rate);
		return true;
	}
	/* As an unsigned number, a time that has passed is far beyond the horizon, too. */
	ahead = set->time[way] - (uint32_t)now;
	ahead = ahead > rate->horizon ? 0 : ahead;
	if (unlikely(ahead > rate->most))
		return false;
	set->time[way] = (uint32_t)now + ahead + rate->cost_ns;
	return true;
}

/**
 * Apply a token bucket of the key: take a token if there is one. The bucket gains a token every
 * cost_ns, and holds at most burst tokens (GCRA in its virtual scheduling form, ITU-T I.371).
 *
 * The stored time is the theoretical arrival time, at which the bucket is full again. A time
 * further ahead than this bucket can reach, burst + 1 tokens, is from an earlier period of the
 * 32-bit clock, and counts as a full bucket.
 *
 * @param cost_ns nanoseconds for each token
 * @param burst   tokens that are available at once after a long time, at least 1; cost_ns * burst
 *                is below 2^31
 * @return whether there was a token
 */
static inline bool
fcn_limit_cache_bucket(struct fcn_limit_cache *cache, uint64_t hash, uint64_t now, uint32_t cost_ns,
		uint32_t burst)
{
	const struct fcn_limit_cache_rate rate = fcn_limit_cache_rate_of(cost_ns, burst);

	return fcn_limit_cache_bucket_ahead(fcn_limit_cache_set_of(cache, hash), hash, now, &rate);
}

/** Check whether fcn_limit_cache_bucket() would find a token, without changing the cache. */
static inline bool
fcn_limit_cache_bucket_peek(const struct fcn_limit_cache *cache, uint64_t hash, uint64_t now,
		uint32_t cost_ns, uint32_t burst)
{
	const struct fcn_limit_cache_set *set = fcn_limit_cache_set_of(cache, hash);
	const uint32_t horizon = fcn_limit_cache_horizon(cost_ns, burst);
	const unsigned int way = fcn_ways8_find(set->sig, fcn_limit_cache_sig(hash));
	uint32_t ahead;

	if (way == FCN_LIMIT_CACHE_WAYS)
		return true;
	ahead = set->time[way] - (uint32_t)now;
	return ahead > horizon || ahead <= cost_ns * (burst - 1);
}

/**
 * Check whether fcn_limit_cache_bucket() would find a token in each of n calls at this time,
 * without changing the cache.
 */
static inline bool
fcn_limit_cache_bucket_has(const struct fcn_limit_cache *cache, uint64_t hash, uint64_t now,
		uint32_t cost_ns, uint32_t burst, uint32_t n)
{
	const struct fcn_limit_cache_set *set = fcn_limit_cache_set_of(cache, hash);
	const uint32_t horizon = fcn_limit_cache_horizon(cost_ns, burst);
	const unsigned int way = fcn_ways8_find(set->sig, fcn_limit_cache_sig(hash));
	uint32_t ahead;

	if (unlikely(n > burst))
		return false;
	if (unlikely(way == FCN_LIMIT_CACHE_WAYS))
		return true;
	ahead = set->time[way] - (uint32_t)now;
	return ahead > horizon || ahead <= cost_ns * (burst - n);
}

/**
 * Take n tokens that fcn_limit_cache_bucket_has() has found at this time: as n calls of
 * fcn_limit_cache_bucket().
 *
 * @param n at least 1
 */
static inline void
fcn_limit_cache_bucket_take(struct fcn_limit_cache *cache, uint64_t hash, uint64_t now,
		uint32_t cost_ns, uint32_t burst, uint32_t n)
{
	struct fcn_limit_cache_set *set = fcn_limit_cache_set_of(cache, hash);

	/* The first one may have to find a place for the bucket. */
	fcn_limit_cache_bucket(cache, hash, now, cost_ns, burst);
	set->time[fcn_ways8_find(set->sig, fcn_limit_cache_sig(hash))] += cost_ns * (n - 1);
}

#endif /* FCN_LIMIT_CACHE_H */
