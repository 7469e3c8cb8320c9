/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Longest match over few prefixes, private to lib/table: the prefixes are flattened into
 * consecutive address ranges with one value each, and a lookup is a binary search without branches.
 * Ranges are immutable; any number of threads may look up.
 *
 * Keys are the 128 bits of an IPv6 address as two numbers in host byte order; an IPv4 address is
 * the upper 32 bits of the first number.
 */

#ifndef RANGES_H
#define RANGES_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_addr.h"

/** A prefix as a number, and its value. */
struct fcn_range_prefix {
	uint64_t hi;
	uint64_t lo;
	uint64_t value;
	uint32_t order; /**< position in the caller's list: of equal prefixes the last wins */
	uint8_t len;
};

/** Get a mask of the first n of 64 bits, n at most 64. */
static inline uint64_t
fcn_range_mask(unsigned int n)
{
	return n == 0 ? 0 : UINT64_MAX << (64 - n);
}

/** Check whether a prefix contains an address, which is given as two numbers. */
static inline bool
fcn_range_prefix_holds(const struct fcn_range_prefix *prefix, uint64_t hi, uint64_t lo)
{
	unsigned int upper = prefix->len < 64 ? prefix->len : 64;

	return ((prefix->hi ^ hi) & fcn_range_mask(upper)) == 0 &&
	       ((prefix->lo ^ lo) & fcn_range_mask(prefix->len - upper)) == 0;
}

/** Start of a range: value applies from this address on. */
struct fcn_range_step {
	uint64_t hi;
	uint64_t lo;
	uint64_t value;
};

__extension__ typedef unsigned __int128 fcn_range_start;

/**
 * Ranges in ascending order. The first starts at address zero, and each ends where the next starts.
 * The starts are stored in one of two forms.
 */
struct fcn_ranges {
	uint32_t n;
	/** first 64 bits of the starts, if all other bits are zero; otherwise NULL */
	const uint64_t *narrow;
	/** all 128 bits of the starts, if narrow is NULL; otherwise NULL */
	const fcn_range_start *wide;
	const uint64_t *value;
};

/** Convert a prefix into its numeric form, with the host bits cleared. @return 0 or -EINVAL */
int fcn_range_prefix_set(struct fcn_range_prefix *item, const struct fcn_prefix *prefix,
		uint64_t value, uint32_t order);

/**
 * Compare two prefixes by address, then by length, so that a prefix sorts before those that it
 * contains.
 *
 * @return as memcmp()
 */
int fcn_range_prefix_compare(const struct fcn_range_prefix *a, const struct fcn_range_prefix *b);

/**
 * Sort prefixes in the order of fcn_range_prefix_compare(), and remove all but the last of equal
 * prefixes.
 *
 * @return number of prefixes left
 */
unsigned int fcn_range_prefix_sort(struct fcn_range_prefix *items, unsigned int n);

/**
 * Flatten prefixes into the starts of ranges, which are in ascending order and begin at zero.
 *
 * @param items   sorted prefixes of one family
 * @param miss    value where no prefix matches
 * @param n_steps written: number of starts
 * @return the starts, which the caller frees; NULL when memory is exhausted
 */
struct fcn_range_step *fcn_range_steps(const struct fcn_range_prefix *items, unsigned int n,
		uint64_t miss, uint32_t *n_steps);

/**
 * Flatten prefixes into ranges.
 *
 * @param items sorted prefixes of one family
 * @param miss  value where no prefix matches
 * @return NULL with rte_errno ENOMEM
 */
struct fcn_ranges *fcn_ranges_create(
		const struct fcn_range_prefix *items, unsigned int n, uint64_t miss, int socket);

/** Free ranges. NULL is allowed. */
void fcn_ranges_free(struct fcn_ranges *ranges);

/** Get the value of the range that contains an IPv6 address of 16 bytes in network byte order. */
uint64_t fcn_ranges_find6_one(const struct fcn_ranges *ranges, const uint8_t *addr);

/** Get the value of the range that contains an IPv4 address in host byte order. */
uint64_t fcn_ranges_find4_one(const struct fcn_ranges *ranges, uint32_t addr);

#endif /* RANGES_H */
