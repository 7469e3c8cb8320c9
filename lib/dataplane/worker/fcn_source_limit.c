/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_source_limit.h"

#define AGE_NS 1000000 /* time after which times in the cache are aged again */

int
fcn_source_limit_init(struct fcn_source_limit *limit, int socket)
{
	return fcn_limit_cache_init(&limit->sources, FCN_SOURCE_SETS, socket);
}

void
fcn_source_limit_fini(struct fcn_source_limit *limit)
{
	fcn_limit_cache_fini(&limit->sources);
}

void
fcn_source_limit_reconfigure(
		struct fcn_source_limit *limit, const struct fcn_source_limits *conf, uint64_t now)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_source_bucket *all = &conf->all.port[p];
		const uint64_t most = now + (uint64_t)all->cost_ns * all->burst;

		if (limit->total_tat[p] > most)
			limit->total_tat[p] = most;
	}
}

/* Get which of the buckets are those of a port. */
static inline unsigned int
which(const struct fcn_source_buckets *buckets, uint16_t port)
{
	return buckets->by_port ? port : 0;
}

/* Get the key of the bucket of a source: it has one at each port. */
static inline uint64_t
key_of(uint64_t hash, unsigned int port)
{
	return hash + port * UINT64_C(0x9e3779b97f4a7c15);
}

/* Free the buckets that are full, now and then. Those of other ports take about as long to fill. */
static inline void
age(struct fcn_limit_cache *sources, const struct fcn_source_bucket *bucket, uint64_t now)
{
	if (unlikely(now - sources->aged_ns >= AGE_NS))
		fcn_limit_cache_age(sources, now, 0, bucket->cost_ns * (bucket->burst + 1));
}

static bool
take_of_source(struct fcn_limit_cache *sources, uint64_t hash,
		const struct fcn_source_buckets *buckets, uint16_t port, uint64_t now)
{
	const unsigned int i = which(buckets, port);
	const struct fcn_source_bucket *bucket = &buckets->port[i];

	if (bucket->cost_ns == 0)
		return true;
	age(sources, bucket, now);
	return fcn_limit_cache_bucket(
			sources, key_of(hash, i), now, bucket->cost_ns, bucket->burst);
}

static bool
take_of_all(struct fcn_source_limit *limit, const struct fcn_source_buckets *buckets, uint16_t port,
		uint64_t now)
{
	const unsigned int i = which(buckets, port);
	const struct fcn_source_bucket *bucket = &buckets->port[i];
	const uint64_t full = RTE_MAX(limit->total_tat[i], now);

	if (bucket->cost_ns == 0)
		return true;
	if (full - now > (uint64_t)bucket->cost_ns * (bucket->burst - 1))
		return false;
	limit->total_tat[i] = full + bucket->cost_ns;
	return true;
}

enum fcn_source_verdict
fcn_source_limit_take(struct fcn_source_limit *limit, const struct fcn_hash_key *key,
		const uint8_t source[16], const struct fcn_source_limits *conf, uint16_t port,
		uint64_t now)
{
	if (!take_of_source(&limit->sources, fcn_source_limit_hash(key, source), &conf->each, port,
			    now))
		return FCN_SOURCE_OVER_RATE;
	return take_of_all(limit, &conf->all, port, now) ? FCN_SOURCE_TAKEN : FCN_SOURCE_OVER_TOTAL;
}

bool
fcn_source_limit_has(struct fcn_source_limit *limit, uint64_t hash,
		const struct fcn_source_limits *conf, uint16_t port, uint64_t now, uint32_t n)
{
	const unsigned int i = which(&conf->each, port), j = which(&conf->all, port);
	const struct fcn_source_bucket *each = &conf->each.port[i], *all = &conf->all.port[j];
	const uint64_t full = RTE_MAX(limit->total_tat[j], now);

	if (all->cost_ns != 0 &&
			(n > all->burst || full - now > (uint64_t)all->cost_ns * (all->burst - n)))
		return false;
	if (each->cost_ns == 0)
		return true;
	age(&limit->sources, each, now);
	return fcn_limit_cache_bucket_has(
			&limit->sources, key_of(hash, i), now, each->cost_ns, each->burst, n);
}

void
fcn_source_limit_take_some(struct fcn_source_limit *limit, uint64_t hash,
		const struct fcn_source_limits *conf, uint16_t port, uint64_t now, uint32_t n)
{
	const unsigned int i = which(&conf->each, port), j = which(&conf->all, port);
	const struct fcn_source_bucket *each = &conf->each.port[i], *all = &conf->all.port[j];

	if (each->cost_ns != 0)
		fcn_limit_cache_bucket_take(&limit->sources, key_of(hash, i), now, each->cost_ns,
				each->burst, n);
	if (all->cost_ns != 0)
		limit->total_tat[j] = RTE_MAX(limit->total_tat[j], now) +
				      (uint64_t)all->cost_ns * n;
}
