/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Longest match over any number of prefixes of one family, private to lib/table. The address space
 * is cut into pages of up to FCN_RANGE_PAGE_ITEMS prefixes, each flattened into ranges with a
 * search tree. Another tree maps an address to its page. A table is immutable. A table that differs
 * from another in a few prefixes shares all pages that the change does not affect, so a change
 * costs no more in a large table than in a small one.
 *
 * Pages are reference counted without atomics, so one thread makes and frees all tables. Any number
 * of threads may look up.
 */

#ifndef RANGE_PAGES_H
#define RANGE_PAGES_H

#include "range_tree.h"

/** There are look-ups with AVX2 and AVX-512. */
#if defined(__x86_64__) && defined(__SSE4_2__)
#define FCN_RANGE_AVX 1
#endif

/**
 * Maximum number of prefixes that begin in a page. A table with no more than that is a single page.
 */
#define FCN_RANGE_PAGE_ITEMS 256

struct fcn_range_page;

/** A table. */
struct fcn_range_pages {
	uint32_t n;       /**< number of pages */
	uint32_t n_items; /**< prefixes in the whole table */
	struct fcn_range_page **page;
	struct fcn_range_tree *tree; /**< by page: its tree, which belongs to the page */
	struct fcn_range_tree top;   /**< with several pages: the values are indexes of pages */
	/** look-ups with the instructions chosen for this table */
	void (*find6)(const struct fcn_range_pages *pages, const uint8_t (*addrs)[16],
			uint64_t *values, unsigned int n);
	void (*find4)(const struct fcn_range_pages *pages, const uint32_t *addrs, uint64_t *values,
			unsigned int n);
};

/**
 * Build a table.
 *
 * @param items sorted prefixes of one family, at least one
 * @param miss  value where no prefix matches
 * @return NULL with rte_errno ENOMEM
 */
struct fcn_range_pages *fcn_range_pages_create(
		const struct fcn_range_prefix *items, unsigned int n, uint64_t miss, int socket);

/**
 * Build a new table from another table, which does not change, and a list of changes.
 *
 * @param changes sorted prefixes with their new values; the value miss removes a prefix
 * @return NULL with rte_errno ENOMEM
 */
struct fcn_range_pages *fcn_range_pages_change(const struct fcn_range_pages *old,
		const struct fcn_range_prefix *changes, unsigned int n, uint64_t miss, int socket);

/** Free a table. NULL is allowed. */
void fcn_range_pages_free(struct fcn_range_pages *pages);

/**
 * Look up n IPv6 addresses of 16 bytes in network byte order, contiguous; values[i] is the value of
 * the longest prefix that contains the address.
 */
void fcn_range_any_find6(const struct fcn_range_pages *pages, const uint8_t (*addrs)[16],
		uint64_t *values, unsigned int n);

/** Look up n IPv4 addresses in host byte order. */
void fcn_range_any_find4(const struct fcn_range_pages *pages, const uint32_t *addrs,
		uint64_t *values, unsigned int n);

#ifdef FCN_RANGE_AVX
/** The same with AVX2, which the CPU and the EAL must allow. */
void fcn_range_avx2_find6(const struct fcn_range_pages *pages, const uint8_t (*addrs)[16],
		uint64_t *values, unsigned int n);
void fcn_range_avx2_find4(const struct fcn_range_pages *pages, const uint32_t *addrs,
		uint64_t *values, unsigned int n);

/** The same with AVX-512, which the CPU and the EAL must allow. */
void fcn_range_avx512_find6(const struct fcn_range_pages *pages, const uint8_t (*addrs)[16],
		uint64_t *values, unsigned int n);
void fcn_range_avx512_find4(const struct fcn_range_pages *pages, const uint32_t *addrs,
		uint64_t *values, unsigned int n);
#endif

#endif /* RANGE_PAGES_H */
