/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_common.h>
#include <rte_malloc.h>

#include "range_tree.h"

#define CHILDREN (FCN_RANGE_NODE + 1)

/* A tree that is being built. */
struct builder {
	const struct fcn_range_step *steps;
	uint32_t n;
	uint32_t words; /* of a node */
	int64_t *node;
};

/* Write a start into a node. Behind the last start there are only unused places. */
static void
put(const struct builder *b, uint32_t node, unsigned int place, uint64_t start)
{
	int64_t *at = &b->node[(size_t)node * b->words + place];
	const bool used = start < b->n;

	at[0] = used ? (int64_t)(b->steps[start].hi ^ FCN_RANGE_BIAS) : INT64_MAX;
	if (b->words > FCN_RANGE_NODE)
		at[FCN_RANGE_NODE] = used ? (int64_t)(b->steps[start].lo ^ FCN_RANGE_BIAS)
					  : INT64_MAX;
}

/*
 * Write the nodes of a level above the leaves. Below each child of a node there are so many leaves;
 * between two children stands the first start of the second one.
 */
static void
put_level(const struct builder *b, uint32_t first, uint32_t n_nodes, uint64_t leaves)
{
	for (uint32_t i = 0; i < n_nodes; i++) {
		for (unsigned int k = 0; k < FCN_RANGE_NODE; k++)
			put(b, first + i, k,
					((uint64_t)i * CHILDREN + k + 1) * leaves * FCN_RANGE_LEAF);
	}
}

static void
put_leaves(const struct builder *b, uint32_t first, uint32_t n_leaves)
{
	for (uint32_t i = 0; i < n_leaves; i++) {
		struct fcn_range_leaf *leaf = (void *)&b->node[(size_t)(first + i) * b->words];

		for (unsigned int k = 0; k < FCN_RANGE_LEAF; k++) {
			const uint32_t start = i * FCN_RANGE_LEAF + k;

			put(b, first + i, k, start);
			if (start < b->n)
				leaf->value[k] = (uint32_t)b->steps[start].value;
		}
	}
}

int
fcn_range_tree_build(struct fcn_range_tree *tree, const struct fcn_range_step *steps, uint32_t n,
		int socket)
{
	const uint32_t n_leaves = (n + FCN_RANGE_LEAF - 1) / FCN_RANGE_LEAF;
	struct builder b = {.steps = steps, .n = n};
	uint32_t n_nodes = 1, first = 0, last = 0;
	uint64_t leaves = 1;

	RTE_BUILD_BUG_ON(sizeof(struct fcn_range_leaf) != FCN_RANGE_NODE * sizeof(int64_t));
	*tree = (struct fcn_range_tree){
			.last_value = (uint32_t)steps[n - 1].value,
			.levels = 1,
			/* The last of all upper halves means an unused place in narrow nodes. */
			.wide = steps[n - 1].hi == UINT64_MAX,
	};
	for (uint32_t i = 0; i < n; i++)
		tree->wide |= steps[i].lo != 0;
	b.words = tree->wide ? 2 * FCN_RANGE_NODE : FCN_RANGE_NODE;
	for (; leaves < n_leaves; leaves *= CHILDREN) {
		last = last * CHILDREN + 1;
		tree->levels++;
	}
	b.node = rte_zmalloc_socket("fcn_ranges",
			((size_t)last + n_leaves) * b.words * sizeof(*b.node), RTE_CACHE_LINE_SIZE,
			socket);
	if (b.node == NULL)
		return -1;
	for (unsigned int level = 1; level < tree->levels; level++) {
		leaves /= CHILDREN;
		put_level(&b, first, n_nodes, leaves);
		first = first * CHILDREN + 1;
		n_nodes *= CHILDREN;
	}
	put_leaves(&b, last, n_leaves);
	tree->node = b.node;
	return 0;
}

void
fcn_range_tree_clear(struct fcn_range_tree *tree)
{
	rte_free((void *)(uintptr_t)tree->node);
	*tree = (struct fcn_range_tree){0};
}
