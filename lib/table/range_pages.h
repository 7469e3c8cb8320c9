/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Longest match over any number of prefixes of one family, private to lib/table. The address space
 * is cut into pages of up to FCN_RANGE_PAGE_ITEMS prefixes, each flattened into ranges. Another set
 * of ranges maps an address to its page. A table is immutable. A table that differs from another in
 * a few prefixes shares all pages that the change does not affect, so a change costs no more in a
 * large table than in a small one.
 *
 * Pages are reference counted without atomics, so one thread makes and frees all tables. Any number
 * of threads may look up.
 */

#ifndef RANGE_PAGES_H
#define RANGE_PAGES_H

#include "ranges.h"

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
	/** ranges of the single page; NULL when there are several pages */
	const struct fcn_ranges *only;
	/** with several pages: ranges whose values are the addresses of the pages' ranges */
	struct fcn_ranges *top;
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

/** Look up IPv6 addresses, like fcn_ranges_find6(). */
void fcn_range_pages_find6(const struct fcn_range_pages *pages, const uint8_t (*addrs)[16],
		uint64_t *values, unsigned int n);

/** Look up IPv4 addresses, like fcn_ranges_find4(). */
void fcn_range_pages_find4(const struct fcn_range_pages *pages, const uint32_t *addrs,
		uint64_t *values, unsigned int n);

#endif /* RANGE_PAGES_H */
