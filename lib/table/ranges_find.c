/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <rte_byteorder.h>

#include "ranges.h"

/*
 * A search is a chain of dependent loads; four interleaved searches take hardly longer than one.
 * The addresses of a packet burst are unpredictable, so a step must not branch: gcc makes a
 * conditional move of the plain expression, clang a branch unless the condition is hidden from it.
 */
#define LANES 4

#ifdef __clang__
#define RANGES_STEP(at, half, key)                             \
	do {                                                   \
		size_t take_ = -(size_t)((at)[half] <= (key)); \
		__asm__("" : "+r"(take_));                     \
		(at) += (half)&take_;                          \
	} while (0)
#else
#define RANGES_STEP(at, half, key) \
	((at) = __builtin_expect_with_probability((at)[half] <= (key), 1, 0.5) ? &(at)[half] : (at))
#endif

/* Find the last of n starts that does not exceed the key. @return its index */
static inline size_t
search_narrow(const uint64_t *starts, size_t n, uint64_t key)
{
	const uint64_t *at = starts;

	while (n > 1) {
		size_t half = n / 2;

		RANGES_STEP(at, half, key);
		n -= half;
	}
	return (size_t)(at - starts);
}

static inline size_t
search_wide(const fcn_range_start *starts, size_t n, fcn_range_start key)
{
	const fcn_range_start *at = starts;

	while (n > 1) {
		size_t half = n / 2;

		RANGES_STEP(at, half, key);
		n -= half;
	}
	return (size_t)(at - starts);
}

/* Do the same for each of LANES keys. */
static inline void
search_narrow_lanes(const uint64_t *starts, size_t n, const uint64_t key[LANES], size_t pos[LANES])
{
	const uint64_t *at0 = starts, *at1 = starts, *at2 = starts, *at3 = starts;
	uint64_t key0 = key[0], key1 = key[1], key2 = key[2], key3 = key[3];

	while (n > 1) {
		size_t half = n / 2;

		RANGES_STEP(at0, half, key0);
		RANGES_STEP(at1, half, key1);
		RANGES_STEP(at2, half, key2);
		RANGES_STEP(at3, half, key3);
		n -= half;
	}
	pos[0] = (size_t)(at0 - starts);
	pos[1] = (size_t)(at1 - starts);
	pos[2] = (size_t)(at2 - starts);
	pos[3] = (size_t)(at3 - starts);
}

static inline void
search_wide_lanes(const fcn_range_start *starts, size_t n, const fcn_range_start key[LANES],
		size_t pos[LANES])
{
	const fcn_range_start *at0 = starts, *at1 = starts, *at2 = starts, *at3 = starts;
	fcn_range_start key0 = key[0], key1 = key[1], key2 = key[2], key3 = key[3];

	while (n > 1) {
		size_t half = n / 2;

		RANGES_STEP(at0, half, key0);
		RANGES_STEP(at1, half, key1);
		RANGES_STEP(at2, half, key2);
		RANGES_STEP(at3, half, key3);
		n -= half;
	}
	pos[0] = (size_t)(at0 - starts);
	pos[1] = (size_t)(at1 - starts);
	pos[2] = (size_t)(at2 - starts);
	pos[3] = (size_t)(at3 - starts);
}

/*
 * Do the same with ranges of its own for each key. A search that needs fewer steps than others
 * stays at its result.
 */
static inline void
search_narrow_each(const struct fcn_ranges *const ranges[LANES], const uint64_t key[LANES],
		uint64_t value[LANES])
{
	const uint64_t *at0 = ranges[0]->narrow, *at1 = ranges[1]->narrow;
	const uint64_t *at2 = ranges[2]->narrow, *at3 = ranges[3]->narrow;
	size_t n0 = ranges[0]->n, n1 = ranges[1]->n, n2 = ranges[2]->n, n3 = ranges[3]->n;
	uint64_t key0 = key[0], key1 = key[1], key2 = key[2], key3 = key[3];
	size_t longer = n0 > n1 ? n0 : n1, other = n2 > n3 ? n2 : n3;
	size_t n = longer > other ? longer : other;

	for (; n > 1; n -= n / 2) {
		RANGES_STEP(at0, n0 / 2, key0);
		RANGES_STEP(at1, n1 / 2, key1);
		RANGES_STEP(at2, n2 / 2, key2);
		RANGES_STEP(at3, n3 / 2, key3);
		n0 -= n0 / 2;
		n1 -= n1 / 2;
		n2 -= n2 / 2;
		n3 -= n3 / 2;
	}
	value[0] = ranges[0]->value[at0 - ranges[0]->narrow];
	value[1] = ranges[1]->value[at1 - ranges[1]->narrow];
	value[2] = ranges[2]->value[at2 - ranges[2]->narrow];
	value[3] = ranges[3]->value[at3 - ranges[3]->narrow];
}

static inline bool
all_narrow(const struct fcn_ranges *const ranges[LANES])
{
	return ranges[0]->narrow != NULL && ranges[1]->narrow != NULL &&
	       ranges[2]->narrow != NULL && ranges[3]->narrow != NULL;
}

static inline uint64_t
key_narrow(const uint8_t *addr)
{
	uint64_t half;

	memcpy(&half, addr, sizeof(half));
	return rte_be_to_cpu_64(half);
}

static inline fcn_range_start
key_wide(const uint8_t *addr)
{
	return (fcn_range_start)key_narrow(addr) << 64 | key_narrow(addr + 8);
}

static inline void
find6_lanes(const struct fcn_ranges *ranges, const uint8_t addr[LANES][16], uint64_t value[LANES])
{
	size_t pos[LANES];
	unsigned int i;

	if (ranges->wide == NULL) {
		uint64_t key[LANES];

		for (i = 0; i < LANES; i++)
			key[i] = key_narrow(addr[i]);
		search_narrow_lanes(ranges->narrow, ranges->n, key, pos);
	} else {
		fcn_range_start key[LANES];

		for (i = 0; i < LANES; i++)
			key[i] = key_wide(addr[i]);
		search_wide_lanes(ranges->wide, ranges->n, key, pos);
	}
	for (i = 0; i < LANES; i++)
		value[i] = ranges->value[pos[i]];
}

static inline void
find4_lanes(const struct fcn_ranges *ranges, const uint32_t addr[LANES], uint64_t value[LANES])
{
	uint64_t key[LANES];
	size_t pos[LANES];
	unsigned int i;

	for (i = 0; i < LANES; i++)
		key[i] = (uint64_t)addr[i] << 32;
	search_narrow_lanes(ranges->narrow, ranges->n, key, pos);
	for (i = 0; i < LANES; i++)
		value[i] = ranges->value[pos[i]];
}

uint64_t
fcn_ranges_find6_one(const struct fcn_ranges *ranges, const uint8_t *addr)
{
	if (ranges->wide == NULL)
		return ranges->value[search_narrow(ranges->narrow, ranges->n, key_narrow(addr))];
	return ranges->value[search_wide(ranges->wide, ranges->n, key_wide(addr))];
}

uint64_t
fcn_ranges_find4_one(const struct fcn_ranges *ranges, uint32_t addr)
{
	return ranges->value[search_narrow(ranges->narrow, ranges->n, (uint64_t)addr << 32)];
}

void
fcn_ranges_find6(const struct fcn_ranges *ranges, const uint8_t (*addrs)[16], uint64_t *values,
		unsigned int n)
{
	unsigned int i = 0;

	for (; i + LANES <= n; i += LANES)
		find6_lanes(ranges, &addrs[i], &values[i]);
	for (; i < n; i++)
		values[i] = fcn_ranges_find6_one(ranges, addrs[i]);
}

void
fcn_ranges_find4(const struct fcn_ranges *ranges, const uint32_t *addrs, uint64_t *values,
		unsigned int n)
{
	unsigned int i = 0;

	for (; i + LANES <= n; i += LANES)
		find4_lanes(ranges, &addrs[i], &values[i]);
	for (; i < n; i++)
		values[i] = fcn_ranges_find4_one(ranges, addrs[i]);
}

void
fcn_ranges_find6_each(const struct fcn_ranges *const *ranges, const uint8_t (*addrs)[16],
		uint64_t *values, unsigned int n)
{
	unsigned int i = 0;

	while (i < n) {
		uint64_t key[LANES];

		if (i + LANES > n || !all_narrow(&ranges[i])) {
			values[i] = fcn_ranges_find6_one(ranges[i], addrs[i]);
			i++;
			continue;
		}
		for (unsigned int k = 0; k < LANES; k++)
			key[k] = key_narrow(addrs[i + k]);
		search_narrow_each(&ranges[i], key, &values[i]);
		i += LANES;
	}
}

void
fcn_ranges_find4_each(const struct fcn_ranges *const *ranges, const uint32_t *addrs,
		uint64_t *values, unsigned int n)
{
	unsigned int i = 0;

	for (; i + LANES <= n; i += LANES) {
		uint64_t key[LANES];

		for (unsigned int k = 0; k < LANES; k++)
			key[k] = (uint64_t)addrs[i + k] << 32;
		search_narrow_each(&ranges[i], key, &values[i]);
	}
	for (; i < n; i++)
		values[i] = fcn_ranges_find4_one(ranges[i], addrs[i]);
}
