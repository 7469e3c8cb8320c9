/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_common.h>
#include <rte_errno.h>
#include <rte_malloc.h>

#include "ranges.h"

#define MAX_NESTING 129 /* prefixes inside each other all differ in length */

struct builder {
	struct fcn_range_step *starts;
	uint32_t n;
};

static uint64_t
mask_hi(unsigned int len)
{
	return fcn_range_mask(len < 64 ? len : 64);
}

static uint64_t
mask_lo(unsigned int len)
{
	return fcn_range_mask(len > 64 ? len - 64 : 0);
}

int
fcn_range_prefix_set(struct fcn_range_prefix *item, const struct fcn_prefix *prefix, uint64_t value,
		uint32_t order)
{
	uint64_t half[2] = {0, 0};

	if (prefix->addr.version == 4 && prefix->len <= 32)
		memcpy(half, prefix->addr.bytes, 4);
	else if (prefix->addr.version == 6 && prefix->len <= 128)
		memcpy(half, prefix->addr.bytes, 16);
	else
		return -EINVAL;
	item->hi = rte_be_to_cpu_64(half[0]) & mask_hi(prefix->len);
	item->lo = rte_be_to_cpu_64(half[1]) & mask_lo(prefix->len);
	item->len = prefix->len;
	item->value = value;
	item->order = order;
	return 0;
}

int
fcn_range_prefix_compare(const struct fcn_range_prefix *a, const struct fcn_range_prefix *b)
{
	if (a->hi != b->hi)
		return a->hi < b->hi ? -1 : 1;
	if (a->lo != b->lo)
		return a->lo < b->lo ? -1 : 1;
	return a->len - b->len;
}

/*
 * Compare two prefixes for qsort(). Of equal prefixes, the one that is earlier in the list sorts
 * first.
 */
static int
prefix_compare(const void *left, const void *right)
{
	const struct fcn_range_prefix *a = left;
	const struct fcn_range_prefix *b = right;
	int d = fcn_range_prefix_compare(a, b);

	if (d != 0)
		return d;
	return a->order < b->order ? -1 : a->order > b->order;
}

unsigned int
fcn_range_prefix_sort(struct fcn_range_prefix *items, unsigned int n)
{
	unsigned int kept = 0;
	unsigned int i;

	if (n == 0)
		return 0;
	qsort(items, n, sizeof(*items), prefix_compare);
	for (i = 1; i < n; i++) {
		if (fcn_range_prefix_compare(&items[i], &items[kept]) != 0)
			kept++;
		items[kept] = items[i];
	}
	return kept + 1;
}

/*
 * Start a range: value applies from this address on. It replaces a range that starts at the same
 * address.
 */
static void
range_start(struct builder *builder, uint64_t hi, uint64_t lo, uint64_t value)
{
	struct fcn_range_step *last = builder->n == 0 ? NULL : &builder->starts[builder->n - 1];

	if (last != NULL && last->hi == hi && last->lo == lo) {
		builder->n--;
		last = builder->n == 0 ? NULL : last - 1;
	}
	if (last != NULL && last->value == value)
		return;
	builder->starts[builder->n++] = (struct fcn_range_step){.hi = hi, .lo = lo, .value = value};
}

/* End a prefix: after its last address, the value of the enclosing prefix applies again. */
static void
prefix_end(struct builder *builder, const struct fcn_range_prefix *prefix, uint64_t outer_value)
{
	uint64_t lo = prefix->lo | ~mask_lo(prefix->len);
	uint64_t hi = prefix->hi | ~mask_hi(prefix->len);

	if (++lo == 0 && ++hi == 0)
		return; /* there is no address after it */
	range_start(builder, hi, lo, outer_value);
}

static void
ranges_collect(struct builder *builder, const struct fcn_range_prefix *items, unsigned int n,
		uint64_t miss)
{
	const struct fcn_range_prefix *nest[MAX_NESTING];
	unsigned int depth = 0;
	unsigned int i;

	range_start(builder, 0, 0, miss);
	for (i = 0; i < n; i++) {
		while (depth > 0 && !fcn_range_prefix_holds(
						    nest[depth - 1], items[i].hi, items[i].lo)) {
			depth--;
			prefix_end(builder, nest[depth],
					depth == 0 ? miss : nest[depth - 1]->value);
		}
		nest[depth++] = &items[i];
		range_start(builder, items[i].hi, items[i].lo, items[i].value);
	}
	while (depth > 0) {
		depth--;
		prefix_end(builder, nest[depth], depth == 0 ? miss : nest[depth - 1]->value);
	}
}

/* Build the ranges. A single allocation holds the header, the starts and the values. */
static struct fcn_ranges *
ranges_of_steps(const struct fcn_range_step *steps, uint32_t n, int socket)
{
	size_t start_size = sizeof(uint64_t);
	struct fcn_ranges *ranges;
	fcn_range_start *wide;
	uint64_t *narrow, *value;
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (steps[i].lo != 0)
			start_size = sizeof(fcn_range_start);
	}
	ranges = rte_zmalloc_socket("fcn_ranges",
			RTE_CACHE_LINE_SIZE + n * (start_size + sizeof(uint64_t)),
			RTE_CACHE_LINE_SIZE, socket);
	if (ranges == NULL)
		return NULL;
	narrow = RTE_PTR_ADD(ranges, RTE_CACHE_LINE_SIZE);
	wide = RTE_PTR_ADD(ranges, RTE_CACHE_LINE_SIZE);
	value = RTE_PTR_ADD(narrow, n * start_size);
	ranges->n = n;
	ranges->value = value;
	if (start_size == sizeof(uint64_t))
		ranges->narrow = narrow;
	else
		ranges->wide = wide;
	for (i = 0; i < n; i++) {
		const struct fcn_range_step *start = &steps[i];

		if (ranges->wide != NULL)
			wide[i] = (fcn_range_start)start->hi << 64 | start->lo;
		else
			narrow[i] = start->hi;
		value[i] = start->value;
	}
	return ranges;
}

struct fcn_range_step *
fcn_range_steps(const struct fcn_range_prefix *items, unsigned int n, uint64_t miss,
		uint32_t *n_steps)
{
	struct builder builder = {0};

	/* Every prefix starts at most one range and resumes one. */
	builder.starts = calloc(2 * (size_t)n + 1, sizeof(*builder.starts));
	if (builder.starts == NULL)
		return NULL;
	ranges_collect(&builder, items, n, miss);
	*n_steps = builder.n;
	return builder.starts;
}

struct fcn_ranges *
fcn_ranges_create(const struct fcn_range_prefix *items, unsigned int n, uint64_t miss, int socket)
{
	struct fcn_ranges *ranges = NULL;
	struct fcn_range_step *steps;
	uint32_t n_steps;

	RTE_BUILD_BUG_ON(sizeof(struct fcn_ranges) > RTE_CACHE_LINE_SIZE);
	steps = fcn_range_steps(items, n, miss, &n_steps);
	if (steps != NULL) {
		ranges = ranges_of_steps(steps, n_steps, socket);
		free(steps);
	}
	if (ranges == NULL)
		rte_errno = ENOMEM;
	return ranges;
}

void
fcn_ranges_free(struct fcn_ranges *ranges)
{
	rte_free(ranges);
}
