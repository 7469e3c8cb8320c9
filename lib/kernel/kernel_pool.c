/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_jhash.h>

#include "kernel_pool.h"

int
fcn_kernel_pool_init(struct fcn_kernel_pool *pool, uint64_t flags)
{
	pool->flags = flags;
	return fcn_kernel_hash_init(&pool->hash);
}

void
fcn_kernel_pool_fini(struct fcn_kernel_pool *pool)
{
	fcn_kernel_hash_fini(&pool->hash);
}

static struct fcn_kernel_item *
find_item(const struct fcn_kernel_pool *pool, const void *value, uint16_t len, uint32_t hash)
{
	struct fcn_kernel_node *node = fcn_kernel_hash_first(&pool->hash, hash);

	for (; node != NULL; node = node->next) {
		struct fcn_kernel_item *item = RTE_PTR_SUB(
				node, offsetof(struct fcn_kernel_item, node));

		if (item->len == len && memcmp(item->value, value, len) == 0)
			return item;
	}
	return NULL;
}

/* Add a value that is not there yet. @return NULL: there is no room */
static struct fcn_kernel_item *
add_item(struct fcn_kernel_pool *pool, const void *value, uint16_t len, uint32_t hash)
{
	struct fcn_kernel_item *item = NULL;

	if (pool->hash.n < FCN_KERNEL_POOL_SLOTS)
		item = calloc(1, sizeof(*item) + len);
	if (item == NULL)
		return NULL;
	item->len = len;
	memcpy(item->value, value, len);
	while (pool->used[item->slot])
		item->slot++;
	pool->used[item->slot] = true;
	item->serial = ++pool->last_serial | pool->flags;
	fcn_kernel_hash_add(&pool->hash, &item->node, hash);
	return item;
}

struct fcn_kernel_item *
fcn_kernel_pool_get(struct fcn_kernel_pool *pool, const void *value, uint16_t len)
{
	const uint32_t hash = rte_jhash(value, len, 0);
	struct fcn_kernel_item *item = find_item(pool, value, len, hash);

	if (item == NULL)
		item = add_item(pool, value, len, hash);
	if (item != NULL)
		item->refs++;
	return item;
}

void
fcn_kernel_pool_put(struct fcn_kernel_pool *pool, struct fcn_kernel_item *item)
{
	if (--item->refs > 0)
		return;
	pool->used[item->slot] = false;
	fcn_kernel_hash_remove(&pool->hash, &item->node);
	free(item);
}

static int
compare_serials(const void *va, const void *vb)
{
	const struct fcn_kernel_item *a = *(const struct fcn_kernel_item *const *)va;
	const struct fcn_kernel_item *b = *(const struct fcn_kernel_item *const *)vb;

	return a->serial < b->serial ? -1 : a->serial > b->serial;
}

const struct fcn_kernel_item **
fcn_kernel_pool_list(const struct fcn_kernel_pool *pool)
{
	const struct fcn_kernel_item **list = calloc(pool->hash.n + 1, sizeof(*list));
	struct fcn_kernel_node *node, *after;
	size_t n = 0;

	if (list == NULL)
		return NULL;
	FCN_KERNEL_HASH_EACH(&pool->hash, node, after)
	list[n++] = RTE_PTR_SUB(node, offsetof(struct fcn_kernel_item, node));
	if (n > 0)
		qsort(list, n, sizeof(*list), compare_serials);
	return list;
}
