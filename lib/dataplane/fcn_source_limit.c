/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_source_limit.h"

#define SETS 128       /* of eight sources each */
#define AGE_NS 1000000 /* time after which times in the cache are aged again */

int
fcn_source_limit_init(struct fcn_source_limit *limit, int socket)
{
	return fcn_limit_cache_init(&limit->sources, SETS, socket);
}

void
fcn_source_limit_fini(struct fcn_source_limit *limit)
{
	fcn_limit_cache_fini(&limit->sources);
}

void
fcn_source_limit_reconfigure(
		struct fcn_source_limit *limit, const struct fcn_source_bucket *total, uint64_t now)
{
	const uint64_t most = now + (uint64_t)total->cost_ns * total->burst;

	limit->total_tat = RTE_MIN(limit->total_tat, most);
}

/* Free the buckets that are full, now and then. */
static inline void
age(struct fcn_limit_cache *sources, const struct fcn_source_bucket *bucket, uint64_t now)
{
	if (unlikely(now - sources->aged_ns >= AGE_NS))
		fcn_limit_cache_age(sources, now, 0, bucket->cost_ns * (bucket->burst + 1));
}

static bool
take_of_source(struct fcn_limit_cache *sources, const struct fcn_hash_key *key,
		const uint8_t source[16], const struct fcn_source_bucket *bucket, uint64_t now)
{
	if (bucket->cost_ns == 0)
		return true;
	age(sources, bucket, now);
	return fcn_limit_cache_bucket(sources, fcn_source_limit_hash(key, source), now,
			bucket->cost_ns, bucket->burst);
}

static bool
take_of_all(struct fcn_source_limit *limit, const struct fcn_source_bucket *bucket, uint64_t now)
{
	const uint64_t full = RTE_MAX(limit->total_tat, now);

	if (bucket->cost_ns == 0)
		return true;
	if (full - now > (uint64_t)bucket->cost_ns * (bucket->burst - 1))
		return false;
	limit->total_tat = full + bucket->cost_ns;
	return true;
}

enum fcn_source_verdict
fcn_source_limit_take(struct fcn_source_limit *limit, const struct fcn_hash_key *key,
		const uint8_t source[16], const struct fcn_source_bucket *each,
		const struct fcn_source_bucket *total, uint64_t now)
{
	if (!take_of_source(&limit->sources, key, source, each, now))
		return FCN_SOURCE_OVER_RATE;
	return take_of_all(limit, total, now) ? FCN_SOURCE_TAKEN : FCN_SOURCE_OVER_TOTAL;
}

bool
fcn_source_limit_has(struct fcn_source_limit *limit, uint64_t hash,
		const struct fcn_source_bucket *each, const struct fcn_source_bucket *total,
		uint64_t now, uint32_t n)
{
	const uint64_t full = RTE_MAX(limit->total_tat, now);

	if (total->cost_ns != 0 &&
			(n > total->burst ||
					full - now > (uint64_t)total->cost_ns * (total->burst - n)))
		return false;
	if (each->cost_ns == 0)
		return true;
	age(&limit->sources, each, now);
	return fcn_limit_cache_bucket_has(
			&limit->sources, hash, now, each->cost_ns, each->burst, n);
}

void
fcn_source_limit_take_some(struct fcn_source_limit *limit, uint64_t hash,
		const struct fcn_source_bucket *each, const struct fcn_source_bucket *total,
		uint64_t now, uint32_t n)
{
	if (each->cost_ns != 0)
		fcn_limit_cache_bucket_take(
				&limit->sources, hash, now, each->cost_ns, each->burst, n);
	if (total->cost_ns != 0)
		limit->total_tat = RTE_MAX(limit->total_tat, now) + (uint64_t)total->cost_ns * n;
}
