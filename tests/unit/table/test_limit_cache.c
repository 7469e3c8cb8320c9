/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include <rte_memory.h>

#include "fcn_limit_cache.h"
#include "table_test.h"

#define INTERVAL 50000u
#define WRAP (UINT64_C(1) << 32)

static struct fcn_limit_cache
cache_create(uint32_t sets)
{
	struct fcn_limit_cache cache;

	assert_int_equal(fcn_limit_cache_init(&cache, sets, SOCKET_ID_ANY), 0);
	return cache;
}

/* Key number i of set 0. */
static uint64_t
key_of(uint32_t i)
{
	return (uint64_t)(i + 1) << 32;
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST(init)
{
	size_t before = table_heap_used();
	struct fcn_limit_cache cache;

	assert_int_equal(fcn_limit_cache_init(&cache, 0, SOCKET_ID_ANY), -EINVAL);
	assert_int_equal(fcn_limit_cache_init(&cache, 3, SOCKET_ID_ANY), -EINVAL);
	assert_int_equal(fcn_limit_cache_init(&cache, 1u << 31, SOCKET_ID_ANY), -ENOMEM);
	fcn_limit_cache_fini(&cache);
	assert_int_equal(fcn_limit_cache_init(&cache, 1024, SOCKET_ID_ANY), 0);
	assert_int_equal(cache.mask, 1023);
	assert_int_equal((uintptr_t)cache.set % 64, 0);
	fcn_limit_cache_fini(&cache);
	fcn_limit_cache_fini(&cache);
	assert_int_equal(table_heap_used(), before);
}

TEST(interval_edges)
{
	struct fcn_limit_cache cache = cache_create(16);
	uint64_t key = 0x123456789abcdef0;
	uint64_t start = 77;

	assert_true(fcn_limit_cache_interval_peek(&cache, key, start, INTERVAL));
	assert_true(fcn_limit_cache_interval(&cache, key, start, INTERVAL));
	assert_false(fcn_limit_cache_interval(&cache, key, start, INTERVAL));
	assert_false(fcn_limit_cache_interval_peek(&cache, key, start + INTERVAL - 1, INTERVAL));
	assert_false(fcn_limit_cache_interval(&cache, key, start + INTERVAL - 1, INTERVAL));
	/* Neither the refusals nor the look counted. */
	assert_true(fcn_limit_cache_interval_peek(&cache, key, start + INTERVAL, INTERVAL));
	assert_true(fcn_limit_cache_interval(&cache, key, start + INTERVAL, INTERVAL));
	assert_false(fcn_limit_cache_interval(&cache, key, start + 2 * INTERVAL - 1, INTERVAL));
	assert_true(fcn_limit_cache_interval(&cache, key, start + 2 * INTERVAL, INTERVAL));
	/* No interval, no refusal. */
	assert_true(fcn_limit_cache_interval(&cache, key, start + 2 * INTERVAL, 0));
	fcn_limit_cache_fini(&cache);
}

/* Asking changes nothing; taking is what the next one who asks meets. */
TEST(ask_and_take)
{
	struct fcn_limit_cache cache = cache_create(1);
	uint32_t *time;

	for (unsigned int i = 0; i < 8; i++) {
		assert_true(fcn_limit_cache_interval_check(
				cache.set, key_of(i), 1000 + i, INTERVAL, &time));
		assert_true(fcn_limit_cache_interval_check(
				cache.set, key_of(i), 1000 + i, INTERVAL, &time));
		assert_false(fcn_limit_cache_interval_grant(
				cache.set, key_of(i), time, 1000 + i, INTERVAL));
		assert_false(fcn_limit_cache_interval(&cache, key_of(i), 1000 + i, INTERVAL));
	}
	/* Known: its own place. */
	assert_false(fcn_limit_cache_interval_check(
			cache.set, key_of(0), 999 + INTERVAL, INTERVAL, &time));
	assert_true(fcn_limit_cache_interval_check(
			cache.set, key_of(0), 1000 + INTERVAL, INTERVAL, &time));
	assert_false(fcn_limit_cache_interval_grant(
			cache.set, key_of(0), time, 1000 + INTERVAL, INTERVAL));
	for (unsigned int i = 0; i < 8; i++)
		assert_int_equal(fcn_limit_cache_interval_peek(
						 &cache, key_of(i), 1007 + INTERVAL, INTERVAL),
				i != 0);
	/* Unknown, and no place is free: that of the oldest, which is key 1 now. */
	assert_true(fcn_limit_cache_interval_check(
			cache.set, key_of(8), 1001 + INTERVAL, INTERVAL, &time));
	/* it was granted an interval ago, to the nanosecond: not too early */
	assert_false(fcn_limit_cache_interval_grant(
			cache.set, key_of(8), time, 1001 + INTERVAL, INTERVAL));
	for (unsigned int i = 0; i < 9; i++)
		assert_int_equal(fcn_limit_cache_interval_peek(
						 &cache, key_of(i), 1002 + INTERVAL, INTERVAL),
				i == 1 || i == 2);
	/* Key 2 goes a nanosecond before its interval has passed: it is forgotten. */
	assert_true(fcn_limit_cache_interval_check(
			cache.set, key_of(9), 1001 + INTERVAL, INTERVAL, &time));
	assert_true(fcn_limit_cache_interval_grant(
			cache.set, key_of(9), time, 1001 + INTERVAL, INTERVAL));
	fcn_limit_cache_fini(&cache);
}

TEST(keys_are_apart)
{
	struct fcn_limit_cache cache = cache_create(16);

	assert_true(fcn_limit_cache_interval(&cache, 0x0000000100000001, 0, INTERVAL));
	/* Another set, the same set with another signature. */
	assert_true(fcn_limit_cache_interval(&cache, 0x0000000100000002, 0, INTERVAL));
	assert_true(fcn_limit_cache_interval(&cache, 0x0000000200000001, 0, INTERVAL));
	assert_false(fcn_limit_cache_interval(&cache, 0x0000000100000001, 1, INTERVAL));
	assert_false(fcn_limit_cache_interval(&cache, 0x0000000100000002, 1, INTERVAL));
	assert_false(fcn_limit_cache_interval(&cache, 0x0000000200000001, 1, INTERVAL));
	/* Bits between set and signature are not looked at: a shared entry. */
	assert_false(fcn_limit_cache_interval(&cache, 0x0000000100000011, 1, INTERVAL));
	/* Signature 0 is kept as 1; at time 0 it must not pass for a free way. */
	assert_false(fcn_limit_cache_interval(&cache, 0x0000000000000001, 1, INTERVAL));
	assert_true(fcn_limit_cache_interval(&cache, 0x0000000000000003, 0, INTERVAL));
	assert_false(fcn_limit_cache_interval(&cache, 0x0000000000000003, 0, INTERVAL));
	fcn_limit_cache_clear(&cache);
	assert_true(fcn_limit_cache_interval(&cache, 0x0000000100000001, 2, INTERVAL));
	fcn_limit_cache_fini(&cache);
}

TEST(interval_wrap)
{
	struct fcn_limit_cache cache = cache_create(1);
	uint32_t longest = INT32_MAX;

	assert_true(fcn_limit_cache_interval(&cache, key_of(0), WRAP - 10, INTERVAL));
	assert_false(fcn_limit_cache_interval(&cache, key_of(0), WRAP, INTERVAL));
	assert_false(fcn_limit_cache_interval(&cache, key_of(0), WRAP - 11 + INTERVAL, INTERVAL));
	assert_true(fcn_limit_cache_interval(&cache, key_of(0), WRAP - 10 + INTERVAL, INTERVAL));
	/* The longest interval, from just before a wrap. */
	assert_true(fcn_limit_cache_interval(&cache, key_of(1), 5 * WRAP - 1, longest));
	assert_false(fcn_limit_cache_interval(&cache, key_of(1), 5 * WRAP + longest - 2, longest));
	assert_true(fcn_limit_cache_interval(&cache, key_of(1), 5 * WRAP + longest - 1, longest));
	/* As documented: exactly one wrap later an entry looks fresh, an interval later not. */
	assert_true(fcn_limit_cache_interval(&cache, key_of(2), 100, INTERVAL));
	assert_false(fcn_limit_cache_interval_peek(&cache, key_of(2), WRAP + 100, INTERVAL));
	assert_true(fcn_limit_cache_interval_peek(&cache, key_of(2), WRAP + 99, INTERVAL));
	assert_true(fcn_limit_cache_interval_peek(
			&cache, key_of(2), WRAP + 100 + INTERVAL, INTERVAL));
	fcn_limit_cache_fini(&cache);
}

/* Of nine keys of one set the one not granted for longest has to go. */
TEST(interval_eviction)
{
	/* Around a wrap, so that the oldest is not the smallest number. */
	uint64_t start = WRAP - 350;
	unsigned int oldest, i;

	for (oldest = 0; oldest < 8; oldest++) {
		struct fcn_limit_cache cache = cache_create(1);

		for (i = 0; i < 8; i++) {
			uint64_t now = start + 100 * ((i + 8 - oldest) % 8);

			assert_true(fcn_limit_cache_interval(&cache, key_of(i), now, INTERVAL));
		}
		assert_true(fcn_limit_cache_interval(&cache, key_of(8), start + 800, INTERVAL));
		for (i = 0; i < 9; i++)
			assert_int_equal(fcn_limit_cache_interval_peek(
							 &cache, key_of(i), start + 801, INTERVAL),
					i == oldest);
		fcn_limit_cache_fini(&cache);
	}
}

/* A free way is taken before even the oldest entry. */
TEST(free_way_first)
{
	struct fcn_limit_cache cache = cache_create(1);
	unsigned int i;

	for (i = 0; i < 8; i++)
		assert_true(fcn_limit_cache_interval(
				&cache, key_of(i), 3000000000u + i, INT32_MAX));
	for (i = 0; i < 8; i++)
		assert_false(fcn_limit_cache_interval_peek(
				&cache, key_of(i), 3000000100u, INT32_MAX));
	fcn_limit_cache_fini(&cache);
}

/* Take a token. Whether there is one can be seen before, and by looking none is taken. */
static bool
take(struct fcn_limit_cache *cache, uint64_t hash, uint64_t now, uint32_t cost_ns, uint32_t burst)
{
	const bool seen = fcn_limit_cache_bucket_peek(cache, hash, now, cost_ns, burst);
	const bool has = fcn_limit_cache_bucket_has(cache, hash, now, cost_ns, burst, 1);
	const bool granted = fcn_limit_cache_bucket(cache, hash, now, cost_ns, burst);

	assert_int_equal(seen, granted);
	assert_int_equal(has, granted);
	return granted;
}

/* Every 1000 ns a token, four saved: worked out by hand. */
TEST(bucket_by_hand)
{
	struct fcn_limit_cache cache = cache_create(16);
	uint64_t t = 10 * WRAP - 2500; /* the clock wraps on the way */
	uint64_t key = 0xfeed000000000003;
	unsigned int i;

	for (i = 0; i < 4; i++)
		assert_true(take(&cache, key, t, 1000, 4));
	assert_false(take(&cache, key, t, 1000, 4));
	assert_false(take(&cache, key, t + 999, 1000, 4));
	assert_true(take(&cache, key, t + 1000, 1000, 4));
	assert_false(take(&cache, key, t + 1999, 1000, 4));
	/* Two and a half tokens by now: two at once, the third half a token later. */
	assert_true(take(&cache, key, t + 3500, 1000, 4));
	assert_true(take(&cache, key, t + 3500, 1000, 4));
	assert_false(take(&cache, key, t + 3500, 1000, 4));
	assert_false(take(&cache, key, t + 3999, 1000, 4));
	assert_true(take(&cache, key, t + 4000, 1000, 4));
	/* However long it rests, four. */
	for (i = 0; i < 4; i++)
		assert_true(take(&cache, key, t + 50000, 1000, 4));
	assert_false(take(&cache, key, t + 50000, 1000, 4));
	/* A bucket of one is a minimum interval. */
	key++;
	assert_true(take(&cache, key, t, 1000, 1));
	assert_false(take(&cache, key, t + 999, 1000, 1));
	assert_true(take(&cache, key, t + 1000, 1000, 1));
	fcn_limit_cache_fini(&cache);
}

/* Against a bucket that counts saved nanoseconds, idle times far beyond half a wrap included. */
TEST(bucket_model)
{
	static const struct {
		uint32_t cost, burst;
	} kind[] = {{1000, 4}, {1, 1}, {333, 64}, {200000000, 3}, {1000000, 1}};
	uint64_t seed = 5;
	unsigned int k, step, granted;

	for (k = 0; k < RTE_DIM(kind); k++) {
		struct fcn_limit_cache cache = cache_create(1);
		uint64_t full = (uint64_t)kind[k].cost * kind[k].burst;
		uint64_t saved = full, now = 123;

		granted = 0;
		for (step = 0; step < 20000; step++) {
			uint64_t idle = fcn_test_random(&seed) % kind[k].cost;
			bool wanted;

			if (step % 100 == 0)
				idle = fcn_test_random(&seed) % 3000000000u;
			now += idle;
			saved = RTE_MIN(saved + idle, full);
			wanted = saved >= kind[k].cost;
			assert_int_equal(take(&cache, key_of(0), now, kind[k].cost, kind[k].burst),
					wanted);
			if (wanted) {
				saved -= kind[k].cost;
				granted++;
			}
		}
		assert_in_range(granted, 200, 20000);
		fcn_limit_cache_fini(&cache);
	}
}

/* Some tokens at once are the same as one after the other, in a set whose ways are all in use. */
TEST(bucket_some)
{
	struct fcn_limit_cache some = cache_create(1), one = cache_create(1);
	uint64_t seed = 7, now = 123;
	unsigned int had = 0;

	for (unsigned int step = 0; step < 20000; step++) {
		const uint64_t hash = key_of((unsigned int)(fcn_test_random(&seed) % 10));
		const uint32_t n = 1 + (uint32_t)(fcn_test_random(&seed) % 6);
		bool has, granted = true;

		now += fcn_test_random(&seed) % 1000;
		has = fcn_limit_cache_bucket_has(&some, hash, now, 1000, 5, n);
		if (has)
			fcn_limit_cache_bucket_take(&some, hash, now, 1000, 5, n);
		for (uint32_t i = 0; i < n; i++) {
			granted &= fcn_limit_cache_bucket(&one, hash, now, 1000, 5);
			if (!has)
				fcn_limit_cache_bucket(&some, hash, now, 1000, 5);
		}
		assert_int_equal(granted, has);
		assert_memory_equal(some.set, one.set, sizeof(*some.set));
		had += has;
	}
	assert_in_range(had, 2000, 18000);
	fcn_limit_cache_fini(&some);
	fcn_limit_cache_fini(&one);
}

/*
 * Cost 100, burst 4: the bucket can be at most 400 ahead. What lies more than
 * 500 ahead is left from another wrap and counts as full; up to 500 it passes,
 * once, for recent, as documented.
 */
TEST(bucket_leftover)
{
	struct fcn_limit_cache cache = cache_create(1);
	unsigned int i;

	assert_true(take(&cache, key_of(0), 0, 100, 4)); /* full again at 100 */
	assert_false(take(&cache, key_of(0), WRAP + 100 - 500, 100, 4));
	for (i = 0; i < 4; i++)
		assert_true(take(&cache, key_of(0), WRAP + 100 - 501, 100, 4));
	assert_false(take(&cache, key_of(0), WRAP + 100 - 501, 100, 4));
	fcn_limit_cache_clear(&cache);
	/* The dearest bucket allowed: a time that has passed must not look ahead. */
	assert_true(take(&cache, key_of(0), 0, INT32_MAX, 1));
	assert_false(take(&cache, key_of(0), INT32_MAX - 1, INT32_MAX, 1));
	assert_true(take(&cache, key_of(0), INT32_MAX, INT32_MAX, 1));
	assert_true(take(&cache, key_of(0), UINT64_C(2) * INT32_MAX + 1000, INT32_MAX, 1));
	fcn_limit_cache_fini(&cache);
}

/* The bucket that has been full for longest goes; those still ahead of time stay. */
TEST(bucket_eviction)
{
	uint64_t start = 3 * WRAP - 1500;
	unsigned int oldest, i;

	for (oldest = 0; oldest < 8; oldest++) {
		struct fcn_limit_cache cache = cache_create(1);

		/* Touched at one time, with one to eight tokens taken. */
		for (i = 0; i < 8; i++) {
			unsigned int tokens = 1 + (i + 8 - oldest) % 8;

			while (tokens-- > 0)
				assert_true(take(&cache, key_of(i), start, 1000, 8));
		}
		assert_true(take(&cache, key_of(8), start + 3000, 1000, 8));
		for (i = 0; i < 9; i++) {
			struct fcn_limit_cache copy = {.mask = 0};
			struct fcn_limit_cache_set set = cache.set[0];
			unsigned int left = 0;
			unsigned int saved = 7;

			copy.set = &set;
			while (take(&copy, key_of(i), start + 3000, 1000, 8))
				left++;
			/* Eight less those taken, three come back; evicted: eight. */
			if (i < 8)
				saved = RTE_MIN(7 - (i + 8 - oldest) % 8 + 3, 8u);
			if (i == oldest)
				assert_true(set.sig[0] != 0 && left == 8);
			assert_int_equal(left, i == oldest ? 8 : saved);
		}
		/* Full ones look like evicted ones from outside: see who is really gone. */
		for (i = 0; i < 8; i++)
			assert_int_equal(fcn_ways8_find(cache.set[0].sig, i + 1) == 8, i == oldest);
		fcn_limit_cache_fini(&cache);
	}
}

/* The SIMD forms against the portable ones. */
TEST(ways8)
{
	uint32_t number[8] __rte_aligned(16);
	uint64_t seed = 9;
	unsigned int step, i;

	for (step = 0; step < 20000; step++) {
		/* Few different numbers, so that equal ones meet; or any. */
		uint32_t modulus = step % 2 ? 3 : UINT32_MAX;
		uint32_t wanted = (uint32_t)fcn_test_random(&seed) % modulus;
		unsigned int first = 8, oldest = 0;

		for (i = 0; i < 8; i++)
			number[i] = (uint32_t)fcn_test_random(&seed) % modulus;
		if (step % 5 == 0)
			wanted = number[step / 5 % 8];
		for (i = 8; i-- > 0;) {
			if (number[i] == wanted)
				first = i;
		}
		for (i = 1; i < 8; i++) {
			if ((uint32_t)(wanted - number[i]) > (uint32_t)(wanted - number[oldest]))
				oldest = i;
		}
		assert_int_equal(fcn_ways8_find_portable(number, wanted), first);
		assert_int_equal(fcn_ways8_find(number, wanted), first);
		assert_int_equal(fcn_ways8_oldest_portable(number, wanted), oldest);
		assert_int_equal(fcn_ways8_oldest(number, wanted), oldest);
	}
}

/* Flows that are granted though a grant was noted, and flows refused at first sight. */
static void
losses(uint32_t flows, uint32_t sets, unsigned int *lost, unsigned int *refused)
{
	struct fcn_limit_cache cache = cache_create(sets);
	uint64_t seed = 4711;
	uint32_t i;

	*lost = 0;
	*refused = 0;
	for (i = 0; i < flows; i++)
		*refused += !fcn_limit_cache_interval(&cache, fcn_test_random(&seed), i, 1u << 30);
	seed = 4711;
	for (i = 0; i < flows; i++)
		*lost += fcn_limit_cache_interval_peek(
				&cache, fcn_test_random(&seed), flows, 1u << 30);
	fcn_limit_cache_fini(&cache);
}

/*
 * Keys fall into sets as by chance, so the number in a set is Poisson with
 * mean L, and of X keys in a set X - 8 are lost. E[max(X - 8, 0)] / L is
 * 0.84 % for L = 4 and 14 % for L = 8; for L = 1 it is 1.3e-6. First sights are
 * refused with probability L / 2^32 at most.
 */
TEST(losses)
{
	unsigned int lost, refused;

	losses(65536, 65536, &lost, &refused);
	assert_int_equal(refused, 0);
	assert_in_range(lost, 0, 2);
	losses(65536, 16384, &lost, &refused);
	assert_int_equal(refused, 0);
	assert_in_range(lost, 65536 * 0.0084 * 0.8, 65536 * 0.0084 * 1.2);
	losses(65536, 8192, &lost, &refused);
	assert_int_equal(refused, 0);
	assert_in_range(lost, 65536 * 0.1396 * 0.95, 65536 * 0.1396 * 1.05);
}

/* Keys with 64-bit times beside it, through jumps of all sizes: granted exactly as these say. */
TEST(age_interval)
{
	static const uint64_t jump[] = {1, 1000, 50000, 1000000, 400000000, 999999999, 1000000000,
			1073741824, 2200000000, 4294967296, 4400000000, 8589934593, 20000000000};
	const uint32_t interval = 1000000000;
	struct fcn_limit_cache cache = cache_create(16);
	uint64_t last[16] = {0}, now = 5, seed = 3, granted = 0;
	bool known[16] = {false};

	for (unsigned int turn = 0; turn < 30000; turn++) {
		uint32_t k = fcn_test_random(&seed) % RTE_DIM(last);
		/* one key a set, so that none displaces another */
		uint64_t key = key_of(k) | k;
		bool want = !known[k] || now - last[k] >= interval;

		fcn_limit_cache_age(&cache, now, interval, 0);
		assert_int_equal(fcn_limit_cache_interval(&cache, key, now, interval), want);
		if (want) {
			last[k] = now;
			known[k] = true;
			granted++;
		}
		now += turn % 8 != 0 ? fcn_test_random(&seed) % 40000000
				     : jump[fcn_test_random(&seed) % RTE_DIM(jump)];
	}
	assert_in_range(granted, 1000, 29000);
	fcn_limit_cache_fini(&cache);
}

/* The same of buckets with the longest horizon there is: a token in 700 ms, two at once. */
TEST(age_bucket)
{
	static const uint64_t jump[] = {1, 1000, 700000000, 1400000000, 2100000000, 2147483648,
			3000000000, 4294967296, 4300000000, 5000000000, 8589934592};
	const uint32_t cost = 700000000, burst = 2;
	struct fcn_limit_cache cache = cache_create(16);
	uint64_t full[16] = {0}, now = 5, seed = 4, granted = 0;

	for (unsigned int turn = 0; turn < 30000; turn++) {
		uint32_t k = fcn_test_random(&seed) % RTE_DIM(full);
		uint64_t at = RTE_MAX(full[k], now);
		bool want = at - now <= cost * (burst - 1);

		fcn_limit_cache_age(&cache, now, 0, cost * (burst + 1));
		assert_int_equal(take(&cache, key_of(k) | k, now, cost, burst), want);
		if (want) {
			full[k] = at + cost;
			granted++;
		}
		now += turn % 8 != 0 ? fcn_test_random(&seed) % 40000000
				     : jump[fcn_test_random(&seed) % RTE_DIM(jump)];
	}
	assert_in_range(granted, 1000, 29000);
	fcn_limit_cache_fini(&cache);
}
