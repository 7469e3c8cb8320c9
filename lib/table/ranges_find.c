/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stddef.h>
#include <string.h>

#include <rte_byteorder.h>

#include "ranges.h"

/*
 * The addresses of a packet burst are unpredictable, so a step must not branch: gcc makes a
 * conditional move of the plain expression, clang a branch unless the condition is hidden from it.
 */
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
