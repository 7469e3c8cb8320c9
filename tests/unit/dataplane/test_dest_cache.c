/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What a worker remembers of routes: its own keys, one snapshot's answers. */

#include "fcn_dest_cache.h"
#include "fcn_test.h"
#include "reference.h"

#define BITS 8
#define ENTRIES (1 << BITS)

static struct fcn_dest_cache cache;
static struct fcn_dest_cache_entry entries[ENTRIES] __rte_aligned(128);

static void
address(uint8_t addr[16], uint32_t n)
{
	memset(addr, 0, 16);
	addr[0] = 0x20;
	addr[12] = n >> 24;
	addr[13] = n >> 16;
	addr[14] = n >> 8;
	addr[15] = n;
}

static bool
knows(uint32_t n, uint32_t next_hop)
{
	uint8_t addr[16];
	uint32_t found;

	address(addr, n);
	return fcn_dest_cache_find(&cache, addr, &found) && found == next_hop;
}

static void
keep(uint32_t n, uint32_t next_hop)
{
	uint8_t addr[16];

	address(addr, n);
	fcn_dest_cache_add(&cache, addr, next_hop);
}

static int
setup(void **state)
{
	RTE_SET_USED(state);
	fcn_dest_cache_init(&cache, &(struct fcn_hash_key){0}, entries, BITS);
	fcn_dest_cache_begin(&cache, 1);
	return 0;
}

TEST_FIXTURE(.setup = setup);

TEST(find)
{
	uint8_t zero[16] = {0}, addr[16];
	uint32_t found;

	/* An empty place is no address of zeros. */
	assert_false(fcn_dest_cache_find(&cache, zero, &found));
	keep(1, 77);
	assert_true(knows(1, 77));
	assert_false(fcn_dest_cache_find(&cache, zero, &found));
	/* "No route" is an answer like any other. */
	keep(1, 0);
	assert_true(knows(1, 0));
	/* Each octet counts. */
	for (unsigned int i = 0; i < 16; i++) {
		address(addr, 1);
		addr[i] ^= 0x80;
		assert_false(fcn_dest_cache_find(&cache, addr, &found));
	}
}

/* Whatever the hash key: what is in a place that is empty is not the address of a look-up. */
TEST(empty)
{
	const uint64_t half = UINT64_C(1) << 63;
	const uint64_t keys[][2] = {{0, 0}, {half, 0}, {0, half}, {half, half},
			{FCN_DEST_CACHE_IP4, 0}, {FCN_DEST_CACHE_IP4, UINT32_MAX}};
	uint64_t seed = 3;
	uint32_t found;

	for (unsigned int n = 0; n < 10000; n++) {
		const struct fcn_hash_key key = {.word = {ref_random(&seed), ref_random(&seed)}};

		fcn_dest_cache_init(&cache, &key, entries, BITS);
		for (unsigned int i = 0; i < RTE_DIM(keys); i++) {
			assert_false(fcn_dest_cache_find_key(&cache, keys[i], &found));
			fcn_dest_cache_add_key(&cache, keys[i], 5);
			assert_true(fcn_dest_cache_find_key(&cache, keys[i], &found));
			fcn_dest_cache_begin(&cache, n * RTE_DIM(keys) + i + 1);
			for (unsigned int k = 0; k < RTE_DIM(keys); k++)
				assert_false(fcn_dest_cache_find_key(&cache, keys[k], &found));
		}
	}
}

static bool
find4(const uint8_t addr[4], uint32_t *next_hop)
{
	uint64_t key[2];

	fcn_dest_cache_key4(addr, key);
	return fcn_dest_cache_find_key(&cache, key, next_hop);
}

/* IPv4 addresses are others than all IPv6 addresses that packets are forwarded to. */
TEST(ip4)
{
	const uint8_t mapped[16] = {[10] = 0xff, 0xff, 10, 1, 2, 3},
		      compatible[16] = {[12] = 10, 1, 2, 3};
	const uint8_t addr[4] = {10, 1, 2, 3};
	uint64_t key[2];
	uint32_t found;

	fcn_dest_cache_add(&cache, mapped, 6);
	fcn_dest_cache_add(&cache, compatible, 7);
	assert_false(find4(addr, &found));
	fcn_dest_cache_key4(addr, key);
	fcn_dest_cache_add_key(&cache, key, 4);
	assert_true(find4(addr, &found));
	assert_int_equal(found, 4);
	for (unsigned int i = 0; i < 32; i++) {
		uint8_t other[4];

		memcpy(other, addr, sizeof(other));
		other[i / 8] ^= (uint8_t)(1 << i % 8);
		assert_false(find4(other, &found));
	}
	fcn_dest_cache_begin(&cache, 2);
	assert_false(find4(addr, &found));
}

static unsigned int
count_known(uint32_t n)
{
	unsigned int known = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint8_t addr[16];
		uint32_t found;

		address(addr, i);
		if (fcn_dest_cache_find(&cache, addr, &found)) {
			assert_int_equal(found, i + 1000);
			known++;
		}
	}
	return known;
}

/* Of more addresses than places, those that came last are known, and no other is taken for one. */
TEST(places)
{
	const uint32_t n = 4 * ENTRIES;

	for (uint32_t i = 0; i < n; i++) {
		keep(i, i + 1000);
		assert_true(knows(i, i + 1000));
	}
	/* Each place was taken, and what has displaced another is what is left of all. */
	assert_int_equal(count_known(n), ENTRIES);
	assert_int_equal(cache.displaced, n - ENTRIES);
}

/*
 * With a quarter of the places used, almost every address finds one of its four: as the numbers of
 * addresses in the groups of four places are those of a Poisson distribution with mean 1, 0.37 %
 * have more than four in theirs.
 */
TEST(room)
{
	const uint32_t n = ENTRIES / 4;
	unsigned int known = 0;

	for (unsigned int round = 0; round < 100; round++) {
		const struct fcn_hash_key key = {.word = {round * 77 + 1, round * 991 + 3}};

		fcn_dest_cache_init(&cache, &key, entries, BITS);
		for (uint32_t i = 0; i < n; i++)
			keep(i, i + 1000);
		known += count_known(n);
		assert_int_equal(cache.displaced, n - count_known(n));
	}
	assert_in_range(known, 100 * n * 98 / 100, 100 * n);
}

/* Entries of an old snapshot make room for those of a new one, and count as displaced by none. */
TEST(room_of_old)
{
	for (uint64_t generation = 2; generation < 600; generation++) {
		fcn_dest_cache_begin(&cache, generation);
		assert_int_equal(count_known(ENTRIES), 0);
		for (uint32_t i = 0; i < ENTRIES / 16; i++)
			keep(i, i + 1000);
		assert_int_equal(count_known(ENTRIES), ENTRIES / 16);
	}
	assert_int_equal(cache.displaced, 0);
}

/* Without room for an eighth of the destinations, the cache is not used for some time. */
TEST(skip)
{
	cache.displaced = 8;
	fcn_dest_cache_judge(&cache, 0, 64);
	assert_int_equal(cache.skip, 0);
	fcn_dest_cache_judge(&cache, UINT32_MAX, 64);
	assert_int_equal(cache.skip, FCN_DEST_CACHE_SKIP);
	for (unsigned int i = FCN_DEST_CACHE_SKIP; i > 0; i--) {
		assert_int_equal(cache.skip, i);
		fcn_dest_cache_begin(&cache, 1);
	}
	assert_int_equal(cache.skip, 0);
	/* A few packets say nothing about how many destinations there are. */
	fcn_dest_cache_judge(&cache, 6, 2);
	assert_int_equal(cache.skip, 0);
}

/* What the fast path needs of a next hop. */
TEST(fast)
{
	const struct rte_ether_addr mac = {{2, 0, 0, 0, 0, 9}}, other = {{2, 0, 0, 0, 0, 8}};
	struct fcn_next_hop nh = {.type = FCN_NEXT_HOP_FORWARD,
			.port = 255,
			.mtu = 1500,
			.l2 = {.dst_addr = {{6, 1, 2, 3, 4, 5}}, .src_addr = mac}};
	struct fcn_dest_cache_entry *e;
	uint8_t addr[16];

	address(addr, 1);
	e = fcn_dest_cache_add(&cache, addr, 7);
	assert_int_equal(e->max_frame, 0);
	fcn_dest_cache_set_fast(e, &nh, &other);
	assert_int_equal(e->max_frame, 0);
	fcn_dest_cache_set_fast(e, &nh, &mac);
	assert_int_equal(e->max_frame, 1514);
	assert_int_equal(e->port, 255);
	assert_memory_equal(&e->front, "\6\1\2\3\4\5\2\0", 8);
	/* A new answer for the same destination has nothing of the old one. */
	assert_ptr_equal(fcn_dest_cache_add(&cache, addr, 8), e);
	assert_int_equal(e->max_frame, 0);
	nh.mtu = UINT16_MAX;
	fcn_dest_cache_set_fast(e, &nh, &mac);
	assert_int_equal(e->max_frame, UINT16_MAX);
	e->max_frame = 0;
	for (nh.type = 0; nh.type <= FCN_NEXT_HOP_SELECT; nh.type++) {
		if (nh.type != FCN_NEXT_HOP_FORWARD)
			fcn_dest_cache_set_fast(e, &nh, &mac);
	}
	assert_int_equal(e->max_frame, 0);
	nh = (struct fcn_next_hop){.type = FCN_NEXT_HOP_GROUP,
			.first_member = UINT32_MAX - 1,
			.n_members = FCN_NEXT_HOP_MAX_MEMBERS};
	fcn_dest_cache_set_fast(e, &nh, &mac);
	assert_int_equal(e->max_frame, 0);
	assert_int_equal(fcn_dest_cache_group(e).first, UINT32_MAX - 1);
	assert_int_equal(fcn_dest_cache_group(e).n, FCN_NEXT_HOP_MAX_MEMBERS);
	nh.type = FCN_NEXT_HOP_BLACKHOLE;
	fcn_dest_cache_set_fast(e, &nh, &mac);
	assert_int_equal(fcn_dest_cache_group(e).n, 0);
}

TEST(generation)
{
	keep(1, 77);
	fcn_dest_cache_begin(&cache, 1);
	assert_true(knows(1, 77));
	fcn_dest_cache_begin(&cache, 2);
	assert_false(knows(1, 77));
	keep(1, 78);
	assert_true(knows(1, 78));
	/* Back is another one, too. */
	fcn_dest_cache_begin(&cache, 1);
	assert_false(knows(1, 78));
}

/* A number of a snapshot may come again, only not directly: what is left of its last time is not
 * found. */
TEST(generation_again)
{
	keep(1, 77);
	fcn_dest_cache_begin(&cache, 2);
	fcn_dest_cache_begin(&cache, 1);
	assert_false(knows(1, 77));
}
