/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Look-ups in trees against binary searches in sorted starts, with each set of instructions. */

#include <string.h>

#include <rte_cpuflags.h>
#include <rte_memory.h>
#include <rte_vect.h>

#include "range_pages.h"
#include "table_test.h"

#define MISS 0
#define MAX_ITEMS 3000
#define BURST 96
#define EDGES 4

static struct fcn_range_prefix item[MAX_ITEMS];

/* Random prefixes near each other, some of them at the end of the address space. */
static unsigned int
random_items(uint64_t *seed, unsigned int n, unsigned int longest, uint8_t version)
{
	const unsigned int bits = version == 4 ? 32 : longest;

	for (unsigned int i = 0; i < n; i++) {
		struct fcn_prefix prefix = {.addr.version = version};

		for (unsigned int k = 0; k < (version == 4 ? 4 : 16); k++)
			prefix.addr.bytes[k] = fcn_test_random(seed) >> 24;
		if (fcn_test_random(seed) % 8 == 0)
			memset(prefix.addr.bytes, 0xff, 1 + fcn_test_random(seed) % 16);
		else
			prefix.addr.bytes[0] = 0x20;
		prefix.len = fcn_test_random(seed) % 4 == 0
					     ? fcn_test_random(seed) % (bits + 1)
					     : bits - fcn_test_random(seed) % (bits / 2);
		assert_int_equal(fcn_range_prefix_set(&item[i], &prefix,
						 1 + (uint32_t)fcn_test_random(seed) % 1000, i),
				0);
	}
	return fcn_range_prefix_sort(item, n);
}

/* An address at or next to the first one of a prefix, anywhere, or the last of all. */
static void
random_address(uint64_t *seed, unsigned int n, uint8_t addr[16])
{
	const struct fcn_range_prefix *p = &item[fcn_test_random(seed) % n];
	uint64_t hi = p->hi, lo = p->lo;

	switch (fcn_test_random(seed) % (EDGES + 1)) {
	case 0:
		break;
	case 1:
		hi -= lo-- == 0;
		break;
	case 2:
		hi |= fcn_test_random(seed);
		lo |= fcn_test_random(seed);
		break;
	case 3:
		hi = UINT64_MAX;
		lo = UINT64_MAX - fcn_test_random(seed) % 2;
		break;
	default:
		hi = fcn_test_random(seed) << 32 ^ fcn_test_random(seed);
		lo = fcn_test_random(seed) << 32 ^ fcn_test_random(seed);
	}
	hi = rte_cpu_to_be_64(hi);
	lo = rte_cpu_to_be_64(lo);
	memcpy(addr, &hi, sizeof(hi));
	memcpy(addr + 8, &lo, sizeof(lo));
}

typedef void (*find6_function)(const struct fcn_range_pages *pages, const uint8_t (*addrs)[16],
		uint64_t *values, unsigned int n);
typedef void (*find4_function)(const struct fcn_range_pages *pages, const uint32_t *addrs,
		uint64_t *values, unsigned int n);

static void
compare6(const struct fcn_ranges *ranges, const struct fcn_range_pages *pages, find6_function find,
		uint64_t *seed, unsigned int n_items)
{
	uint8_t addr[BURST][16];
	uint64_t value[BURST];
	unsigned int n = 1 + fcn_test_random(seed) % BURST;

	for (unsigned int i = 0; i < n; i++)
		random_address(seed, n_items, addr[i]);
	find(pages, (const uint8_t(*)[16])addr, value, n);
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(value[i], fcn_ranges_find6_one(ranges, addr[i]));
}

static void
compare4(const struct fcn_ranges *ranges, const struct fcn_range_pages *pages, find4_function find,
		uint64_t *seed, unsigned int n_items)
{
	uint32_t addr[BURST];
	uint64_t value[BURST];
	unsigned int n = 1 + fcn_test_random(seed) % BURST;

	for (unsigned int i = 0; i < n; i++) {
		uint8_t bytes[16];

		random_address(seed, n_items, bytes);
		addr[i] = table_ip4(bytes);
	}
	find(pages, addr, value, n);
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(value[i], fcn_ranges_find4_one(ranges, addr[i]));
}

/* Functions of one set of instructions, and the width that the EAL must allow for them. */
struct variant {
	find6_function find6;
	find4_function find4;
	uint16_t bits;
	bool there; /* the CPU has the instructions */
};

static unsigned int
variants(struct variant *v)
{
	unsigned int n = 0;

	v[n++] = (struct variant){
			fcn_range_any_find6, fcn_range_any_find4, RTE_VECT_SIMD_128, true};
#ifdef FCN_RANGE_AVX
	v[n++] = (struct variant){fcn_range_avx2_find6, fcn_range_avx2_find4, RTE_VECT_SIMD_256,
			rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX2) == 1};
	v[n++] = (struct variant){fcn_range_avx512_find6, fcn_range_avx512_find4, RTE_VECT_SIMD_512,
			rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512F) == 1 &&
					rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512DQ) == 1};
#endif
	return n;
}

static void
compare(uint64_t *seed, unsigned int n, unsigned int longest, uint8_t version)
{
	const unsigned int n_items = random_items(seed, n, longest, version);
	struct fcn_range_pages *pages = fcn_range_pages_create(item, n_items, MISS, SOCKET_ID_ANY);
	struct fcn_ranges *ranges = fcn_ranges_create(item, n_items, MISS, SOCKET_ID_ANY);
	struct variant variant[3];
	const unsigned int n_variants = variants(variant);

	assert_non_null(pages);
	assert_non_null(ranges);
	for (unsigned int i = 0; i < 20 * n_variants; i++) {
		const struct variant *v = &variant[i % n_variants];

		if (v->there && version == 6)
			compare6(ranges, pages, v->find6, seed, n_items);
		else if (v->there)
			compare4(ranges, pages, v->find4, seed, n_items);
	}
	fcn_range_pages_free(pages);
	fcn_ranges_free(ranges);
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST(look_up)
{
	static const unsigned int sizes[] = {1, 2, 3, 7, 20, 100, 256, 257, 700, MAX_ITEMS};
	uint64_t seed = 1;

	for (unsigned int i = 0; i < RTE_DIM(sizes); i++) {
		for (unsigned int round = 0; round < 10; round++) {
			compare(&seed, sizes[i], 64, 6);
			compare(&seed, sizes[i], 128, 6);
			compare(&seed, sizes[i], 32, 4);
		}
	}
}

/* Prefixes of one address each at the very end: the nodes have no unused place above them. */
TEST(last_addresses)
{
	static const uint8_t end[2][16] = {
			{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff},
			{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
					0xff, 0xff, 0xff, 0xff},
	};
	struct fcn_range_pages *pages;
	uint64_t value[2];

	for (unsigned int len = 64; len <= 128; len += 64) {
		item[0] = (struct fcn_range_prefix){.hi = UINT64_MAX,
				.lo = len == 64 ? 0 : UINT64_MAX,
				.value = 5,
				.len = len};
		pages = fcn_range_pages_create(item, 1, MISS, SOCKET_ID_ANY);
		assert_non_null(pages);
		pages->find6(pages, end, value, 2);
		assert_int_equal(value[0], len == 64 ? 5 : MISS);
		assert_int_equal(value[1], 5);
		fcn_range_pages_free(pages);
	}
}

/* One step of a search, over starts that are equal to, next to and far from the key. */
TEST(step)
{
	uint64_t seed = 7;

	for (unsigned int round = 0; round < 10000; round++) {
		int64_t node[2 * FCN_RANGE_NODE] __rte_aligned(64), at = INT64_MIN, low = INT64_MIN;
		struct fcn_range_key key;

		for (unsigned int i = 0; i < FCN_RANGE_NODE; i++) {
			int64_t up = (int64_t)(fcn_test_random(&seed) % 3) *
				     (round % 2 ? INT64_C(1) << 57 : 1);

			at += up;
			low = up != 0 ? INT64_MIN : low + (int64_t)(fcn_test_random(&seed) % 3);
			node[i] = at;
			node[FCN_RANGE_NODE + i] = low;
		}
		key.hi = node[fcn_test_random(&seed) % FCN_RANGE_NODE];
		key.hi += (int64_t)(fcn_test_random(&seed) % 3) - (key.hi > INT64_MIN);
		key.lo = INT64_MIN + (int64_t)(fcn_test_random(&seed) % 9);
		for (unsigned int n = FCN_RANGE_LEAF; n <= FCN_RANGE_NODE;
				n += FCN_RANGE_NODE - FCN_RANGE_LEAF) {
			assert_int_equal(fcn_range_step_narrow(node, key.hi, n),
					fcn_range_step_narrow_portable(node, key.hi, n));
			assert_int_equal(fcn_range_step_wide(node, &key, n),
					fcn_range_step_wide_portable(node, &key, n));
		}
	}
}

/* A table uses the instructions that the EAL allows when it is built, and the CPU has. */
TEST(choice)
{
	const uint16_t allowed = rte_vect_get_max_simd_bitwidth();
	struct variant variant[3];
	const unsigned int n = variants(variant);

	item[0] = (struct fcn_range_prefix){.value = 1};
	for (unsigned int i = 0; i < n; i++) {
		struct fcn_range_pages *pages;

		assert_int_equal(rte_vect_set_max_simd_bitwidth(variant[i].bits), 0);
		pages = fcn_range_pages_create(item, 1, MISS, SOCKET_ID_ANY);
		assert_non_null(pages);
		assert_true((pages->find6 == variant[i].find6) == variant[i].there);
		assert_true((pages->find4 == variant[i].find4) == variant[i].there);
		fcn_range_pages_free(pages);
	}
	rte_vect_set_max_simd_bitwidth(allowed);
}
