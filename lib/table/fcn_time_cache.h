/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Set-associative cache from a key's hash to a time: when a flow was last
 * notified, or how far ahead of time a destination's token bucket runs.
 *
 * Eight ways a set, one cache line: 8 x (32-bit signature, 32-bit time). The
 * key itself is not stored: two keys that share set and signature share the
 * entry (about 2e-9 a lookup). A new key takes the way whose time lies
 * furthest back. Times are kept modulo 2^32 ns: an entry that nobody touched
 * for a multiple of 4.3 s may, once, look recent.
 *
 * One writer and reader: the worker that owns it. No clock but the caller's.
 */

#ifndef FCN_TIME_CACHE_H
#define FCN_TIME_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_common.h>
#include <rte_prefetch.h>

#define FCN_TIME_CACHE_WAYS 8

struct fcn_time_cache_set {
	uint32_t sig[FCN_TIME_CACHE_WAYS];  /**< 0: way is free */
	uint32_t time[FCN_TIME_CACHE_WAYS]; /**< nanoseconds modulo 2^32 */
} __rte_cache_aligned;

struct fcn_time_cache {
	uint32_t mask; /**< number of sets - 1 */
	struct fcn_time_cache_set *set;
};

/**
 * @param sets power of two; 64 bytes each
 * @return 0, -EINVAL or -ENOMEM
 */
int fcn_time_cache_init(struct fcn_time_cache *cache, uint32_t sets, int socket);
void fcn_time_cache_fini(struct fcn_time_cache *cache);
void fcn_time_cache_clear(struct fcn_time_cache *cache);

static inline void
fcn_time_cache_prefetch(const struct fcn_time_cache *cache, uint64_t hash)
{
	rte_prefetch0(&cache->set[(uint32_t)hash & cache->mask]);
}

/**
 * Minimum interval: whether interval_ns have passed since the key was last
 * granted; if so the key is granted now.
 *
 * @param hash        64-bit hash of the key: low half chooses the set, high half is the signature
 * @param interval_ns below 2^31
 */
bool fcn_time_cache_interval(struct fcn_time_cache *cache, uint64_t hash, uint64_t now,
	uint32_t interval_ns);

/**
 * Whether fcn_time_cache_interval() would grant, changing nothing.
 */
bool fcn_time_cache_interval_peek(const struct fcn_time_cache *cache, uint64_t hash, uint64_t now,
	uint32_t interval_ns);

/**
 * Token bucket, one a key (the virtual scheduling form of GCRA): a token each
 * cost_ns, at most burst of them saved up.
 *
 * @param cost_ns nanoseconds a token
 * @param burst   tokens a key that was quiet may take at once, at least 1; cost_ns * burst below 2^31
 * @return whether a token was there; it is taken
 */
bool fcn_time_cache_bucket(struct fcn_time_cache *cache, uint64_t hash, uint64_t now,
	uint32_t cost_ns, uint32_t burst);

#endif /* FCN_TIME_CACHE_H */
