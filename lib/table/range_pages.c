/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_cpuflags.h>
#include <rte_errno.h>
#include <rte_malloc.h>
#include <rte_vect.h>

#include "range_pages.h"

/* Pages of a new table are filled to this number of prefixes, so that they have room for more. */
#define FILL (FCN_RANGE_PAGE_ITEMS * 3 / 4)

/* Neighbouring pages with fewer prefixes than this together are merged. */
#define TOO_FEW (FCN_RANGE_PAGE_ITEMS / 2)

/* Prefixes that contain the same address all differ in length. */
#define MAX_NESTING 129

/* When more than this part of all prefixes changes (one in 8), building a new table is as cheap. */
#define MANY_CHANGES 8

/*
 * A page holds the prefixes that begin at or after an address and before the next page. In front of
 * these it holds the prefixes that begin earlier and contain that address; they apply where no
 * other prefix does.
 */
struct fcn_range_page {
	unsigned int refs;
	uint64_t hi, lo; /* first address of the page */
	struct fcn_range_tree tree;
	uint32_t n_cover;
	uint32_t n; /* number of its own prefixes */
	struct fcn_range_prefix item[];
};

/* A table that is being built. */
struct builder {
	struct fcn_range_pages *pages;
	const struct fcn_range_pages *old; /* the one that it differs from; NULL: none */
	uint32_t room;
	uint64_t miss;
	int socket;
};

static bool
is_before(const struct fcn_range_prefix *item, uint64_t hi, uint64_t lo)
{
	return item->hi < hi || (item->hi == hi && item->lo < lo);
}

static void
page_release(struct fcn_range_page *page)
{
	if (--page->refs > 0)
		return;
	fcn_range_tree_clear(&page->tree);
	free(page);
}

/* Flatten the prefixes of a page, and build its tree. @return 0, or -1 when memory is exhausted */
static int
page_fill(struct fcn_range_page *page, uint64_t miss, int socket)
{
	struct fcn_range_step *steps;
	uint32_t n;
	int rc;

	steps = fcn_range_steps(page->item, page->n_cover + page->n, miss, &n);
	if (steps == NULL)
		return -1;
	rc = fcn_range_tree_build(&page->tree, steps, n, socket);
	free(steps);
	return rc;
}

static struct fcn_range_page *
page_create(const struct builder *b, uint64_t hi, uint64_t lo, const struct fcn_range_prefix *items,
		uint32_t n_cover, uint32_t n)
{
	struct fcn_range_page *page = malloc(sizeof(*page) + (n_cover + n) * sizeof(*items));

	if (page == NULL)
		return NULL;
	page->refs = 1;
	page->hi = hi;
	page->lo = lo;
	page->n_cover = n_cover;
	page->n = n;
	memcpy(page->item, items, (n_cover + n) * sizeof(*items));
	if (page_fill(page, b->miss, b->socket) != 0) {
		free(page);
		return NULL;
	}
	return page;
}

/* Append a page; the caller's reference passes to the table. */
static int
append(struct builder *b, struct fcn_range_page *page)
{
	struct fcn_range_pages *pages = b->pages;

	if (page == NULL)
		return -1;
	if (pages->n == b->room) {
		uint32_t room = 2 * b->room + 8;
		struct fcn_range_page **grown = realloc(pages->page, room * sizeof(*grown));

		if (grown == NULL) {
			page_release(page);
			return -1;
		}
		pages->page = grown;
		b->room = room;
	}
	pages->page[pages->n++] = page;
	pages->n_items += page->n;
	return 0;
}

/*
 * Append one or more pages of sorted prefixes: first those that begin earlier and contain the first
 * address, then the others.
 */
static int
append_items(struct builder *b, uint64_t hi, uint64_t lo, const struct fcn_range_prefix *items,
		uint32_t n_cover, uint32_t n)
{
	struct fcn_range_prefix piece[MAX_NESTING + FCN_RANGE_PAGE_ITEMS];
	uint32_t cover = n_cover, at = n_cover, end = n_cover + n;

	memcpy(piece, items, n_cover * sizeof(*items));
	for (;;) {
		uint32_t next = end - at <= FCN_RANGE_PAGE_ITEMS ? end : at + FILL, kept = 0;

		/* Prefixes that begin at the same address belong into the same page. */
		while (next < end && items[next].hi == items[next - 1].hi &&
				items[next].lo == items[next - 1].lo)
			next--;
		memcpy(&piece[cover], &items[at], (next - at) * sizeof(*items));
		if (append(b, page_create(b, hi, lo, piece, cover, next - at)) != 0)
			return -1;
		if (next == end)
			return 0;
		hi = items[next].hi;
		lo = items[next].lo;
		for (uint32_t i = 0; i < cover + next - at; i++) {
			if (fcn_range_prefix_holds(&piece[i], hi, lo))
				piece[kept++] = piece[i];
		}
		cover = kept;
		at = next;
	}
}

/*
 * Choose the functions for look-ups, by the CPU and what the EAL allows. In a virtual machine, to
 * ask the CPU may take longer than all the rest of a change, which therefore keeps those of the old
 * table.
 */
static void
choose_find(struct fcn_range_pages *pages, const struct fcn_range_pages *old)
{
	if (old != NULL) {
		pages->find6 = old->find6;
		pages->find4 = old->find4;
		return;
	}
	pages->find6 = fcn_range_any_find6;
	pages->find4 = fcn_range_any_find4;
#ifdef FCN_RANGE_AVX
	const unsigned int bits = rte_vect_get_max_simd_bitwidth();

	if (bits >= RTE_VECT_SIMD_512 && rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512F) == 1 &&
			rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512DQ) == 1) {
		pages->find6 = fcn_range_avx512_find6;
		pages->find4 = fcn_range_avx512_find4;
	} else if (bits >= RTE_VECT_SIMD_256 && rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX2) == 1) {
		pages->find6 = fcn_range_avx2_find6;
		pages->find4 = fcn_range_avx2_find4;
	}
#endif
}

/* Build the tree that maps an address to its page. */
static int
finish(struct builder *b)
{
	struct fcn_range_pages *pages = b->pages;
	struct fcn_range_step *steps;
	int rc = 0;

	choose_find(pages, b->old);
	pages->tree = rte_malloc_socket("fcn_range_pages", pages->n * sizeof(*pages->tree),
			RTE_CACHE_LINE_SIZE, b->socket);
	steps = malloc(pages->n * sizeof(*steps));
	if (steps == NULL || pages->tree == NULL) {
		free(steps);
		return -1;
	}
	for (uint32_t i = 0; i < pages->n; i++) {
		const struct fcn_range_page *page = pages->page[i];

		steps[i] = (struct fcn_range_step){page->hi, page->lo, i};
		pages->tree[i] = page->tree;
	}
	if (pages->n > 1)
		rc = fcn_range_tree_build(&pages->top, steps, pages->n, b->socket);
	free(steps);
	return rc;
}

static struct fcn_range_pages *
result(struct builder *b, int rc)
{
	if (rc == 0 && finish(b) == 0)
		return b->pages;
	fcn_range_pages_free(b->pages);
	rte_errno = ENOMEM;
	return NULL;
}

struct fcn_range_pages *
fcn_range_pages_create(
		const struct fcn_range_prefix *items, unsigned int n, uint64_t miss, int socket)
{
	struct builder b = {.pages = calloc(1, sizeof(*b.pages)), .miss = miss, .socket = socket};

	if (b.pages == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	return result(&b, append_items(&b, 0, 0, items, 0, n));
}

/* Merge two sorted lists; of equal prefixes the changed one counts. @return number of prefixes */
static uint32_t
merge(const struct fcn_range_prefix *a, uint32_t n_a, const struct fcn_range_prefix *change,
		uint32_t n_changes, uint64_t miss, struct fcn_range_prefix *out)
{
	uint32_t i = 0, k = 0, n = 0;

	while (i < n_a || k < n_changes) {
		int d = i == n_a         ? 1
			: k == n_changes ? -1
					 : fcn_range_prefix_compare(&a[i], &change[k]);

		if (d < 0) {
			out[n++] = a[i++];
			continue;
		}
		i += d == 0;
		if (change[k].value != miss)
			out[n++] = change[k];
		k++;
	}
	return n;
}

/* The changes that affect a page, in two groups. */
struct relevant {
	/* those that begin before the page and contain its first address */
	struct fcn_range_prefix change[MAX_NESTING];
	uint32_t n_cover;
	uint32_t from, to; /* index range of those that begin in the page */
};

static void
keep_cover(struct relevant *r, const struct fcn_range_page *page,
		const struct fcn_range_prefix *changes)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < r->n_cover; i++) {
		if (fcn_range_prefix_holds(&r->change[i], page->hi, page->lo))
			r->change[kept++] = r->change[i];
	}
	for (uint32_t i = r->from; i < r->to; i++) {
		if (fcn_range_prefix_holds(&changes[i], page->hi, page->lo))
			r->change[kept++] = changes[i];
	}
	r->n_cover = kept;
}

/*
 * Append a page after its changes; if few prefixes are left, they are merged into the page before.
 */
static int
append_changed(struct builder *b, const struct fcn_range_page *page,
		const struct fcn_range_prefix *items, uint32_t n_all,
		struct fcn_range_prefix *scratch)
{
	struct fcn_range_pages *pages = b->pages;
	uint32_t n_cover = 0, n;
	struct fcn_range_page *last;
	int rc;

	while (n_cover < n_all && is_before(&items[n_cover], page->hi, page->lo))
		n_cover++;
	n = n_all - n_cover;
	if (pages->n == 0 || (n > 0 && pages->page[pages->n - 1]->n + n > TOO_FEW))
		return append_items(b, page->hi, page->lo, items, n_cover, n);
	last = pages->page[--pages->n];
	pages->n_items -= last->n;
	memcpy(scratch, last->item, (last->n_cover + last->n) * sizeof(*items));
	memcpy(&scratch[last->n_cover + last->n], &items[n_cover], n * sizeof(*items));
	rc = append_items(b, last->hi, last->lo, scratch, last->n_cover, last->n + n);
	page_release(last);
	return rc;
}

static int
change_pages(struct builder *b, const struct fcn_range_pages *old,
		const struct fcn_range_prefix *changes, uint32_t n,
		struct fcn_range_prefix *scratch)
{
	struct relevant r = {.n_cover = 0};
	int rc = 0;

	for (uint32_t i = 0; i < old->n && rc == 0; i++) {
		struct fcn_range_page *page = old->page[i];
		const struct fcn_range_page *next = i + 1 < old->n ? old->page[i + 1] : NULL;
		struct fcn_range_prefix *merged = scratch + MAX_NESTING + FCN_RANGE_PAGE_ITEMS;
		uint32_t n_all;

		keep_cover(&r, page, changes);
		r.from = r.to;
		while (r.to < n && (next == NULL || is_before(&changes[r.to], next->hi, next->lo)))
			r.to++;
		if (r.n_cover == 0 && r.from == r.to) {
			page->refs++;
			rc = append(b, page);
			continue;
		}
		/* All changes of the first group begin before those of the second group. */
		memcpy(merged, r.change, r.n_cover * sizeof(*merged));
		memcpy(merged + r.n_cover, &changes[r.from], (r.to - r.from) * sizeof(*merged));
		n_all = merge(page->item, page->n_cover + page->n, merged,
				r.n_cover + r.to - r.from, b->miss,
				merged + r.n_cover + r.to - r.from);
		rc = append_changed(b, page, merged + r.n_cover + r.to - r.from, n_all, scratch);
	}
	return rc;
}

/* Rebuild the whole table, when there are very many changes. */
static struct fcn_range_pages *
change_whole(const struct fcn_range_pages *old, const struct fcn_range_prefix *changes, uint32_t n,
		uint64_t miss, int socket)
{
	struct fcn_range_prefix *all = malloc(((size_t)2 * old->n_items + n + 1) * sizeof(*all));
	struct fcn_range_pages *pages = NULL;
	uint32_t have = 0;

	if (all == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	for (uint32_t i = 0; i < old->n; i++) {
		const struct fcn_range_page *page = old->page[i];

		memcpy(&all[have], &page->item[page->n_cover], page->n * sizeof(*all));
		have += page->n;
	}
	n = merge(all, have, changes, n, miss, all + have);
	pages = fcn_range_pages_create(all + have, n, miss, socket);
	free(all);
	return pages;
}

struct fcn_range_pages *
fcn_range_pages_change(const struct fcn_range_pages *old, const struct fcn_range_prefix *changes,
		unsigned int n, uint64_t miss, int socket)
{
	/* Room for a page to be merged, the changes that affect a page, and the result. */
	size_t room = 3 * (MAX_NESTING + FCN_RANGE_PAGE_ITEMS) + 2 * ((size_t)n + MAX_NESTING);
	struct builder b = {.old = old, .miss = miss, .socket = socket};
	struct fcn_range_prefix *scratch;
	struct fcn_range_pages *pages = NULL;

	if ((size_t)n * MANY_CHANGES > old->n_items)
		return change_whole(old, changes, n, miss, socket);
	scratch = malloc(room * sizeof(*scratch));
	b.pages = calloc(1, sizeof(*b.pages));
	if (scratch != NULL && b.pages != NULL)
		pages = result(&b, change_pages(&b, old, changes, n, scratch));
	else
		free(b.pages);
	free(scratch);
	if (pages == NULL)
		rte_errno = ENOMEM;
	return pages;
}

void
fcn_range_pages_free(struct fcn_range_pages *pages)
{
	if (pages == NULL)
		return;
	for (uint32_t i = 0; i < pages->n; i++)
		page_release(pages->page[i]);
	fcn_range_tree_clear(&pages->top);
	rte_free(pages->tree);
	free(pages->page);
	free(pages);
}
