/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The look-ups of a table of pages, private to lib/table: this file is included once for each set
 * of instructions, with the macros
 *
 * RANGE_SEARCH(name): name of a function for these instructions
 * RANGE_TARGET: attribute of functions that may use them
 * RANGE_STEP_NARROW(node, key, n), RANGE_STEP_WIDE(node, key, n): number of the first n starts,
 * FCN_RANGE_NODE or FCN_RANGE_LEAF, up to the key
 *
 * A search waits for one line after the other, but the searches of a burst do not depend on each
 * other. Therefore each part of the searches is done for all addresses before the next part: the
 * tree of all pages, the tree of the page down to the leaf, which in a large table is seldom in a
 * cache near the CPU, and the leaf.
 */

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_prefetch.h>

#include "range_pages.h"

/* Addresses of which each part is searched before the next part. */
#define BURST 64

/* Find the leaf for a key. */
RANGE_TARGET static inline const int64_t *
RANGE_SEARCH(leaf_narrow)(const struct fcn_range_tree *tree, int64_t key)
{
	const int64_t *nodes = tree->node;
	size_t node = 0;

	for (unsigned int level = tree->levels; level > 1; level--)
		node = node * (FCN_RANGE_NODE + 1) + 1 +
		       RANGE_STEP_NARROW(&nodes[node * FCN_RANGE_NODE], key, FCN_RANGE_NODE);
	return &nodes[node * FCN_RANGE_NODE];
}

RANGE_TARGET static inline const int64_t *
RANGE_SEARCH(leaf_wide)(const struct fcn_range_tree *tree, const struct fcn_range_key *key)
{
	const int64_t *nodes = tree->node;
	size_t node = 0;

	if (unlikely(fcn_range_is_last(key)))
		return nodes;
	for (unsigned int level = tree->levels; level > 1; level--)
		node = node * (FCN_RANGE_NODE + 1) + 1 +
		       RANGE_STEP_WIDE(&nodes[node * 2 * FCN_RANGE_NODE], key, FCN_RANGE_NODE);
	return &nodes[node * 2 * FCN_RANGE_NODE];
}

RANGE_TARGET static inline const int64_t *
RANGE_SEARCH(leaf6)(const struct fcn_range_tree *tree, const uint8_t *addr)
{
	if (tree->wide) {
		const struct fcn_range_key key = fcn_range_key_wide(addr);

		return RANGE_SEARCH(leaf_wide)(tree, &key);
	}
	return RANGE_SEARCH(leaf_narrow)(tree, fcn_range_key_narrow(addr));
}

RANGE_TARGET static inline uint32_t
RANGE_SEARCH(value_narrow)(const int64_t *leaf, int64_t key)
{
	return fcn_range_leaf_value(leaf, RANGE_STEP_NARROW(leaf, key, FCN_RANGE_LEAF));
}

RANGE_TARGET static inline uint32_t
RANGE_SEARCH(value_wide)(const struct fcn_range_tree *tree, const int64_t *leaf,
		const struct fcn_range_key *key)
{
	if (unlikely(fcn_range_is_last(key)))
		return tree->last_value;
	return fcn_range_leaf_value(leaf, RANGE_STEP_WIDE(leaf, key, FCN_RANGE_LEAF));
}

/* Get the value from the leaf of an address. */
RANGE_TARGET static inline uint32_t
RANGE_SEARCH(value6)(const struct fcn_range_tree *tree, const int64_t *leaf, const uint8_t *addr)
{
	if (tree->wide) {
		const struct fcn_range_key key = fcn_range_key_wide(addr);

		return RANGE_SEARCH(value_wide)(tree, leaf, &key);
	}
	return RANGE_SEARCH(value_narrow)(leaf, fcn_range_key_narrow(addr));
}

RANGE_TARGET static inline uint32_t
RANGE_SEARCH(one6)(const struct fcn_range_tree *tree, const uint8_t *addr)
{
	return RANGE_SEARCH(value6)(tree, RANGE_SEARCH(leaf6)(tree, addr), addr);
}

RANGE_TARGET static inline uint32_t
RANGE_SEARCH(one4)(const struct fcn_range_tree *tree, uint32_t addr)
{
	const int64_t key = fcn_range_key4(addr);

	return RANGE_SEARCH(value_narrow)(RANGE_SEARCH(leaf_narrow)(tree, key), key);
}

/* Look up at most BURST addresses in several pages. */
RANGE_TARGET static void
RANGE_SEARCH(burst6)(const struct fcn_range_pages *pages, const uint8_t (*addrs)[16],
		uint64_t *values, unsigned int n)
{
	const struct fcn_range_tree *tree[BURST];
	const int64_t *leaf[BURST];

	for (unsigned int i = 0; i < n; i++) {
		tree[i] = &pages->tree[RANGE_SEARCH(one6)(&pages->top, addrs[i])];
		rte_prefetch0(tree[i]->node);
	}
	for (unsigned int i = 0; i < n; i++) {
		leaf[i] = RANGE_SEARCH(leaf6)(tree[i], addrs[i]);
		rte_prefetch0(leaf[i]);
	}
	for (unsigned int i = 0; i < n; i++)
		values[i] = RANGE_SEARCH(value6)(tree[i], leaf[i], addrs[i]);
}

RANGE_TARGET static void
RANGE_SEARCH(burst4)(const struct fcn_range_pages *pages, const uint32_t *addrs, uint64_t *values,
		unsigned int n)
{
	const struct fcn_range_tree *tree[BURST];
	const int64_t *leaf[BURST];

	for (unsigned int i = 0; i < n; i++) {
		tree[i] = &pages->tree[RANGE_SEARCH(one4)(&pages->top, addrs[i])];
		rte_prefetch0(tree[i]->node);
	}
	for (unsigned int i = 0; i < n; i++) {
		leaf[i] = RANGE_SEARCH(leaf_narrow)(tree[i], fcn_range_key4(addrs[i]));
		rte_prefetch0(leaf[i]);
	}
	for (unsigned int i = 0; i < n; i++)
		values[i] = RANGE_SEARCH(value_narrow)(leaf[i], fcn_range_key4(addrs[i]));
}

RANGE_TARGET void
RANGE_SEARCH(find6)(const struct fcn_range_pages *pages, const uint8_t (*addrs)[16],
		uint64_t *values, unsigned int n)
{
	for (unsigned int i = 0; pages->n == 1 && i < n; i++)
		values[i] = RANGE_SEARCH(one6)(&pages->tree[0], addrs[i]);
	for (unsigned int from = 0; pages->n > 1 && from < n; from += BURST)
		RANGE_SEARCH(burst6)
	(pages, &addrs[from], &values[from], RTE_MIN(n - from, (unsigned int)BURST));
}

RANGE_TARGET void
RANGE_SEARCH(find4)(const struct fcn_range_pages *pages, const uint32_t *addrs, uint64_t *values,
		unsigned int n)
{
	for (unsigned int i = 0; pages->n == 1 && i < n; i++)
		values[i] = RANGE_SEARCH(one4)(&pages->tree[0], addrs[i]);
	for (unsigned int from = 0; pages->n > 1 && from < n; from += BURST)
		RANGE_SEARCH(burst4)
	(pages, &addrs[from], &values[from], RTE_MIN(n - from, (unsigned int)BURST));
}
