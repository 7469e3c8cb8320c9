/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Longest match over few prefixes, private to lib/table: the prefixes are
 * flattened into consecutive address ranges with one value each, and a lookup
 * is a binary search without branches. Immutable; any number of readers.
 *
 * Keys are the 128 bits of an IPv6 address as two numbers in host byte order;
 * an IPv4 address stands in the upper 32 bits of the first.
 */

#ifndef FCN_RANGES_H
#define FCN_RANGES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rte_byteorder.h>

#include "fcn_addr.h"

/** A prefix as a number. */
struct fcn_range_prefix {
	uint64_t hi;
	uint64_t lo;
	uint64_t value;
	uint32_t order; /**< position in the caller's list: of equal prefixes the last wins */
	uint8_t len;
};

/** Ranges in ascending order; the first starts at zero, each ends where the next starts. */
struct fcn_ranges {
	uint32_t n;
	bool wide;          /**< starts differ behind the first 64 bits */
	const uint64_t *hi; /**< first 64 bits of the starts */
	const uint64_t *lo; /**< the other 64 bits; used if wide */
	const uint64_t *value;
};

/** The numeric form of a prefix, bits behind its length cleared. @return 0, or -EINVAL. */
int fcn_range_prefix_set(struct fcn_range_prefix *item, const struct fcn_prefix *prefix,
		uint64_t value, uint32_t order);

/** Sort by address, then length, and drop all but the last of equal ones. @return how many stay. */
unsigned int fcn_range_prefix_sort(struct fcn_range_prefix *items, unsigned int n);

/**
 * @param items sorted prefixes of one family
 * @param miss  value where no prefix matches
 * @return NULL with rte_errno ENOMEM
 */
struct fcn_ranges *fcn_ranges_create(
		const struct fcn_range_prefix *items, unsigned int n, uint64_t miss, int socket);
void fcn_ranges_free(struct fcn_ranges *ranges);

/** Value of the range that holds the key, where no start differs behind the first 64 bits. */
static inline uint64_t
fcn_ranges_find_narrow(const struct fcn_ranges *ranges, uint64_t hi)
{
	uint32_t left = ranges->n;
	uint32_t base = 0;

	while (left > 1) {
		uint32_t half = left / 2;

		base += half & -(uint32_t)(ranges->hi[base + half] <= hi);
		left -= half;
	}
	return ranges->value[base];
}

/** Value of the range that holds the key. */
static inline uint64_t
fcn_ranges_find_wide(const struct fcn_ranges *ranges, uint64_t hi, uint64_t lo)
{
	uint32_t left = ranges->n;
	uint32_t base = 0;

	while (left > 1) {
		uint32_t half = left / 2;
		uint64_t at_hi = ranges->hi[base + half];
		uint64_t at_lo = ranges->lo[base + half];

		base += half & -(uint32_t)((at_hi < hi) | ((at_hi == hi) & (at_lo <= lo)));
		left -= half;
	}
	return ranges->value[base];
}

static inline uint64_t
fcn_ranges_find6(const struct fcn_ranges *ranges, const uint8_t *addr)
{
	uint64_t half[2];

	memcpy(half, addr, sizeof(half));
	if (!ranges->wide)
		return fcn_ranges_find_narrow(ranges, rte_be_to_cpu_64(half[0]));
	return fcn_ranges_find_wide(ranges, rte_be_to_cpu_64(half[0]), rte_be_to_cpu_64(half[1]));
}

static inline uint64_t
fcn_ranges_find4(const struct fcn_ranges *ranges, uint32_t addr)
{
	return fcn_ranges_find_narrow(ranges, (uint64_t)addr << 32);
}

#endif /* FCN_RANGES_H */
