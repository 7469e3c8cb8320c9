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

#include "fcn_addr.h"

/** A prefix as a number. */
struct fcn_range_prefix {
	uint64_t hi;
	uint64_t lo;
	uint64_t value;
	uint32_t order; /**< position in the caller's list: of equal prefixes the last wins */
	uint8_t len;
};

/** The first n bits of 64. */
static inline uint64_t
fcn_range_mask(unsigned int n)
{
	return n == 0 ? 0 : UINT64_MAX << (64 - n);
}

/** Whether an address, as a number, lies in a prefix. */
static inline bool
fcn_range_prefix_holds(const struct fcn_range_prefix *prefix, uint64_t hi, uint64_t lo)
{
	unsigned int upper = prefix->len < 64 ? prefix->len : 64;

	return ((prefix->hi ^ hi) & fcn_range_mask(upper)) == 0 &&
	       ((prefix->lo ^ lo) & fcn_range_mask(prefix->len - upper)) == 0;
}

/** From this address on a value holds. */
struct fcn_range_step {
	uint64_t hi;
	uint64_t lo;
	uint64_t value;
};

__extension__ typedef unsigned __int128 fcn_range_start;

/**
 * Ranges in ascending order; the first starts at zero, each ends where the
 * next starts. The starts are kept in one of two forms.
 */
struct fcn_ranges {
	uint32_t n;
	const uint64_t *narrow;      /**< first 64 bits, if no start differs behind them; or NULL */
	const fcn_range_start *wide; /**< all 128 bits otherwise; or NULL */
	const uint64_t *value;
};

/** The numeric form of a prefix, bits behind its length cleared. @return 0, or -EINVAL. */
int fcn_range_prefix_set(struct fcn_range_prefix *item, const struct fcn_prefix *prefix,
		uint64_t value, uint32_t order);

/** Order by address, then length: enclosing prefixes come before those inside them. */
int fcn_range_prefix_compare(const struct fcn_range_prefix *a, const struct fcn_range_prefix *b);

/** Sort in that order, and drop all but the last of equal ones. @return how many stay. */
unsigned int fcn_range_prefix_sort(struct fcn_range_prefix *items, unsigned int n);

/**
 * @param items sorted prefixes of one family
 * @param miss  value where no prefix matches
 * @return NULL with rte_errno ENOMEM
 */
struct fcn_ranges *fcn_ranges_create(
		const struct fcn_range_prefix *items, unsigned int n, uint64_t miss, int socket);

/** Ranges that begin at these addresses, ascending, the first at zero. @return NULL: no memory */
struct fcn_ranges *fcn_ranges_of_steps(const struct fcn_range_step *steps, uint32_t n, int socket);
void fcn_ranges_free(struct fcn_ranges *ranges);

/** The value of the range that holds an IPv6 address of 16 bytes in network byte order. */
uint64_t fcn_ranges_find6_one(const struct fcn_ranges *ranges, const uint8_t *addr);

/** The same for an IPv4 address in host byte order. */
uint64_t fcn_ranges_find4_one(const struct fcn_ranges *ranges, uint32_t addr);

/**
 * For each of n IPv6 addresses, 16 bytes in network byte order one behind the
 * other, the value of the range that holds it.
 */
void fcn_ranges_find6(const struct fcn_ranges *ranges, const uint8_t (*addrs)[16], uint64_t *values,
		unsigned int n);

/** For each of n IPv4 addresses. */
void fcn_ranges_find4(const struct fcn_ranges *ranges, const uint32_t *addrs, uint64_t *values,
		unsigned int n);

/** As fcn_ranges_find6(), each address in ranges of its own. */
void fcn_ranges_find6_each(const struct fcn_ranges *const *ranges, const uint8_t (*addrs)[16],
		uint64_t *values, unsigned int n);

/** As fcn_ranges_find4(), each address in ranges of its own. */
void fcn_ranges_find4_each(const struct fcn_ranges *const *ranges, const uint32_t *addrs,
		uint64_t *values, unsigned int n);

#endif /* FCN_RANGES_H */
