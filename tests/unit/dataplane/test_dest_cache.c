/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What a worker remembers of routes: its own keys, one snapshot's answers. */

#include "fcn_dest_cache.h"
#include "fcn_test.h"
#include "reference.h"

static struct fcn_dest_cache cache;

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
	fcn_dest_cache_init(&cache, &(struct fcn_hash_key){0});
	fcn_dest_cache_begin(&cache, 1);
	return 0;
}

static void
test_find(void **state)
{
	uint8_t zero[16] = {0}, addr[16];
	uint32_t found;

	RTE_SET_USED(state);
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
static void
test_empty(void **state)
{
	const uint64_t half = UINT64_C(1) << 63;
	const uint64_t keys[][2] = {{0, 0}, {half, 0}, {0, half}, {half, half},
			{FCN_DEST_CACHE_IP4, 0}, {FCN_DEST_CACHE_IP4, UINT32_MAX}};
	uint64_t seed = 3;
	uint32_t found;

	RTE_SET_USED(state);
	for (unsigned int n = 0; n < 10000; n++) {
		const struct fcn_hash_key key = {.word = {ref_random(&seed), ref_random(&seed)}};

		fcn_dest_cache_init(&cache, &key);
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

/* IPv4 addresses are others than all IPv6 addresses that packets are forwarded to. */
static void
test_ip4(void **state)
{
	const uint8_t mapped[16] = {[10] = 0xff, 0xff, 10, 1, 2, 3},
		      compatible[16] = {[12] = 10, 1, 2, 3};
	const uint8_t addr[4] = {10, 1, 2, 3};
	uint32_t found;

	RTE_SET_USED(state);
	fcn_dest_cache_add(&cache, mapped, 6);
	fcn_dest_cache_add(&cache, compatible, 7);
	assert_false(fcn_dest_cache_find4(&cache, addr, &found));
	fcn_dest_cache_add4(&cache, addr, 4);
	assert_true(fcn_dest_cache_find4(&cache, addr, &found));
	assert_int_equal(found, 4);
	for (unsigned int i = 0; i < 32; i++) {
		uint8_t other[4];

		memcpy(other, addr, sizeof(other));
		other[i / 8] ^= (uint8_t)(1 << i % 8);
		assert_false(fcn_dest_cache_find4(&cache, other, &found));
	}
	fcn_dest_cache_begin(&cache, 2);
	assert_false(fcn_dest_cache_find4(&cache, addr, &found));
}

/* Of more addresses than places, the one that came last to a place is known, and no other. */
static void
test_places(void **state)
{
	const uint32_t n = 4 * FCN_DEST_CACHE_ENTRIES;
	unsigned int known = 0;

	RTE_SET_USED(state);
	for (uint32_t i = 0; i < n; i++) {
		keep(i, i + 1000);
		assert_true(knows(i, i + 1000));
	}
	for (uint32_t i = 0; i < n; i++) {
		uint8_t addr[16];
		uint32_t found;

		address(addr, i);
		if (fcn_dest_cache_find(&cache, addr, &found)) {
			assert_int_equal(found, i + 1000);
			known++;
		}
	}
	assert_in_range(known, 1, FCN_DEST_CACHE_ENTRIES);
}

static void
test_generation(void **state)
{
	RTE_SET_USED(state);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup(test_find, setup),
			cmocka_unit_test_setup(test_empty, setup),
			cmocka_unit_test_setup(test_ip4, setup),
			cmocka_unit_test_setup(test_places, setup),
			cmocka_unit_test_setup(test_generation, setup),
	};

	return cmocka_run_group_tests_name("dest_cache", tests, NULL, NULL);
}
