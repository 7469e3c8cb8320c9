/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A chained hash table that grows with its number of nodes. Its user allocates the nodes. Internal
 * to lib/kernel.
 */

#ifndef KERNEL_HASH_H
#define KERNEL_HASH_H

#include <stdbool.h>
#include <stdint.h>

struct fcn_kernel_node {
	struct fcn_kernel_node *next;
	uint32_t hash;
};

struct fcn_kernel_hash {
	struct fcn_kernel_node **bucket;
	uint32_t mask;
	uint32_t n;
};

/** Initialise a table. @return 0 or -ENOMEM */
int fcn_kernel_hash_init(struct fcn_kernel_hash *h);
/** Free the table, but not its nodes, which belong to the user. */
void fcn_kernel_hash_fini(struct fcn_kernel_hash *h);
void fcn_kernel_hash_add(struct fcn_kernel_hash *h, struct fcn_kernel_node *node, uint32_t hash);
void fcn_kernel_hash_remove(struct fcn_kernel_hash *h, struct fcn_kernel_node *node);

/**
 * First node of the bucket of a hash. The caller follows ->next and compares the hash and the key
 * of each node.
 */
static inline struct fcn_kernel_node *
fcn_kernel_hash_first(const struct fcn_kernel_hash *h, uint32_t hash)
{
	return h->bucket[hash & h->mask];
}

/** Iterate over all nodes. The current node may be removed. */
#define FCN_KERNEL_HASH_EACH(h, node, after)                                                     \
	for (uint32_t b_ = 0; b_ <= (h)->mask; b_++)                                             \
		for ((node) = (h)->bucket[b_]; (node) != NULL && ((after) = (node)->next, true); \
				(node) = (after))

#endif /* KERNEL_HASH_H */
