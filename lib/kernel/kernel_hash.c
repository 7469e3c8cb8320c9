/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>

#include "kernel_hash.h"

#define FIRST_BUCKETS 256

int
fcn_kernel_hash_init(struct fcn_kernel_hash *h)
{
	*h = (struct fcn_kernel_hash){.bucket = calloc(FIRST_BUCKETS, sizeof(*h->bucket)),
			.mask = FIRST_BUCKETS - 1};
	return h->bucket == NULL ? -ENOMEM : 0;
}

void
fcn_kernel_hash_fini(struct fcn_kernel_hash *h)
{
	free(h->bucket);
	h->bucket = NULL;
}

/* Grow the table. When memory is exhausted it stays as it is, with longer chains. */
static void
grow(struct fcn_kernel_hash *h)
{
	uint32_t mask = h->mask * 2 + 1;
	struct fcn_kernel_node **bucket = calloc((size_t)mask + 1, sizeof(*bucket));
	struct fcn_kernel_node *node, *after;

	if (bucket == NULL)
		return;
	FCN_KERNEL_HASH_EACH(h, node, after)
	{
		node->next = bucket[node->hash & mask];
		bucket[node->hash & mask] = node;
	}
	free(h->bucket);
	h->bucket = bucket;
	h->mask = mask;
}

void
fcn_kernel_hash_add(struct fcn_kernel_hash *h, struct fcn_kernel_node *node, uint32_t hash)
{
	if (h->n > h->mask)
		grow(h);
	node->hash = hash;
	node->next = h->bucket[hash & h->mask];
	h->bucket[hash & h->mask] = node;
	h->n++;
}

void
fcn_kernel_hash_remove(struct fcn_kernel_hash *h, struct fcn_kernel_node *node)
{
	struct fcn_kernel_node **at = &h->bucket[node->hash & h->mask];

	while (*at != node)
		at = &(*at)->next;
	*at = node->next;
	h->n--;
}
