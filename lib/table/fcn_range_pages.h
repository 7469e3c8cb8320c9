/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Longest match over any number of prefixes of one family, private to
 * lib/table. The address space is cut into pages of up to
 * FCN_RANGE_PAGE_ITEMS prefixes, each flattened into ranges, with one more set
 * of ranges that finds the page. All of it is immutable; what differs from it
 * in some prefixes is made of the same pages but for those that the change
 * lies in, so a change costs as much in a large table as in a small one.
 *
 * Pages count how many tables they are part of; tables are made and freed by
 * one thread. Any number of readers.
 */

#ifndef FCN_RANGE_PAGES_H
#define FCN_RANGE_PAGES_H

#include "fcn_ranges.h"

/** Prefixes that begin in a page, at most; fewer are one page without anything above it. */
#define FCN_RANGE_PAGE_ITEMS 256

struct fcn_range_page;

struct fcn_range_pages {
	uint32_t n;
	uint32_t n_items; /**< prefixes in all */
	struct fcn_range_page **page;
	const struct fcn_ranges *only; /**< ranges of the one page; NULL: there are several */
	struct fcn_ranges *top;        /**< address of a page's ranges, where there are several */
};

/**
 * @param items sorted prefixes of one family, at least one
 * @param miss  value where no prefix matches
 * @return NULL with rte_errno ENOMEM
 */
struct fcn_range_pages *fcn_range_pages_create(
		const struct fcn_range_prefix *items, unsigned int n, uint64_t miss, int socket);

/**
 * What another table becomes by changes; that one stays as it is.
 *
 * @param changes sorted prefixes with their new values; miss: removed
 * @return NULL with rte_errno ENOMEM
 */
struct fcn_range_pages *fcn_range_pages_change(const struct fcn_range_pages *old,
		const struct fcn_range_prefix *changes, unsigned int n, uint64_t miss, int socket);

/** NULL is allowed. */
void fcn_range_pages_free(struct fcn_range_pages *pages);

/** As fcn_ranges_find6(). */
void fcn_range_pages_find6(const struct fcn_range_pages *pages, const uint8_t (*addrs)[16],
		uint64_t *values, unsigned int n);

/** As fcn_ranges_find4(). */
void fcn_range_pages_find4(const struct fcn_range_pages *pages, const uint32_t *addrs,
		uint64_t *values, unsigned int n);

#endif /* FCN_RANGE_PAGES_H */
