/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include <rte_malloc.h>

#include "fcn_limit_cache.h"

int
fcn_limit_cache_init(struct fcn_limit_cache *cache, uint32_t sets, int socket)
{
	RTE_BUILD_BUG_ON(sizeof(struct fcn_limit_cache_set) != 64);

	cache->set = NULL;
	cache->mask = 0;
	cache->aged_ns = 0;
	if (sets == 0 || (sets & (sets - 1)) != 0)
		return -EINVAL;
	cache->set = rte_calloc_socket(
			"fcn_limit_cache", sets, sizeof(*cache->set), RTE_CACHE_LINE_SIZE, socket);
	if (cache->set == NULL)
		return -ENOMEM;
	cache->mask = sets - 1;
	return 0;
}

void
fcn_limit_cache_fini(struct fcn_limit_cache *cache)
{
	rte_free(cache->set);
	cache->set = NULL;
	cache->mask = 0;
}

void
fcn_limit_cache_clear(struct fcn_limit_cache *cache)
{
	if (cache->set != NULL)
		memset(cache->set, 0, ((size_t)cache->mask + 1) * sizeof(*cache->set));
}

bool
fcn_limit_cache_interval_add(
		struct fcn_limit_cache_set *set, uint64_t hash, uint64_t now, uint32_t interval_ns)
{
	const unsigned int way = fcn_limit_cache_victim(set, (uint32_t)now);
	const bool forgotten = set->sig[way] != 0 && (uint32_t)now - set->time[way] < interval_ns;

	set->sig[way] = fcn_limit_cache_sig(hash);
	set->time[way] = (uint32_t)now;
	return forgotten;
}

void
fcn_limit_cache_bucket_add(struct fcn_limit_cache_set *set, uint64_t hash, uint64_t now,
		const struct fcn_limit_cache_rate *rate)
{
	/*
	 * Relative to the horizon, times that lie ahead are recent and times beyond the horizon are
	 * old.
	 */
	const unsigned int way = fcn_limit_cache_victim(set, (uint32_t)now + rate->horizon);

	set->sig[way] = fcn_limit_cache_sig(hash);
	set->time[way] = (uint32_t)now + rate->cost_ns;
}

/* All entries are examined within 2^30 ns, a quarter of the range of 32 bits. */
#define AGE_BITS 30

/* After a longer time without a call, the whole cache is examined once for each such period. */
#define AGE_STEP_NS (UINT64_C(1) << 29)

/*
 * After this number of periods every entry has expired: it was at most 2^31 ns ahead, and has an
 * effect for at most 2^30 ns more.
 */
#define AGE_STEPS 8

static void
age_set(struct fcn_limit_cache_set *set, uint64_t now, uint32_t keep_ns, uint32_t horizon_ns)
{
	for (unsigned int way = 0; way < FCN_LIMIT_CACHE_WAYS; way++) {
		/* An entry that still has an effect has 1 to keep_ns + horizon_ns left. */
		uint32_t left = set->time[way] + keep_ns - (uint32_t)now;

		if (left - 1 >= keep_ns + horizon_ns)
			set->sig[way] = 0;
	}
}

/* Get the number of sets, counted from time 0 on, that are examined up to a time. */
static uint64_t
position(const struct fcn_limit_cache *cache, uint64_t now)
{
	return (uint64_t)((unsigned __int128)now * ((uint64_t)cache->mask + 1) >> AGE_BITS);
}

void
fcn_limit_cache_age(
		struct fcn_limit_cache *cache, uint64_t now, uint32_t keep_ns, uint32_t horizon_ns)
{
	uint64_t end;

	if (now - cache->aged_ns >= AGE_STEPS * AGE_STEP_NS) {
		fcn_limit_cache_clear(cache);
		cache->aged_ns = now;
		return;
	}
	while (now - cache->aged_ns >= AGE_STEP_NS) {
		cache->aged_ns += AGE_STEP_NS;
		for (uint64_t i = 0; i <= cache->mask; i++)
			age_set(&cache->set[i], cache->aged_ns, keep_ns, horizon_ns);
	}
	end = position(cache, now);
	for (uint64_t i = position(cache, cache->aged_ns); i < end; i++)
		age_set(&cache->set[i & cache->mask], now, keep_ns, horizon_ns);
	cache->aged_ns = now;
}
