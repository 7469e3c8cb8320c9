/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Pools of elements of one type, named by their index, and hash tables of such elements. An element
 * begins with a uint32_t, which links it to the next in its chain; index 0 is none. A pool that is
 * allocated but not yet used takes no physical memory.
 */

#ifndef FCN_PNC_POOL_H
#define FCN_PNC_POOL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct pnc_pool {
	uint8_t *base;
	size_t size;    /* of an element */
	uint32_t max;   /* elements at most */
	uint32_t used;  /* elements that have ever been used */
	uint32_t spare; /* first of those that were given back */
	uint32_t n;     /* in use */
};

struct pnc_table {
	uint32_t *bucket;
	uint32_t mask;
};

static inline bool
pnc_pool_init(struct pnc_pool *pool, uint32_t max, size_t size)
{
	*pool = (struct pnc_pool){.base = calloc((size_t)max + 1, size), .size = size, .max = max};
	return pool->base != NULL;
}

static inline void *
pnc_pool_at(const struct pnc_pool *pool, uint32_t i)
{
	return pool->base + pool->size * i;
}

/* An element of zeros. Returns 0 when all are in use. */
static inline uint32_t
pnc_pool_get(struct pnc_pool *pool)
{
	uint32_t i = pool->spare;

	if (i != 0) {
		memcpy(&pool->spare, pnc_pool_at(pool, i), sizeof(uint32_t));
		memset(pnc_pool_at(pool, i), 0, pool->size);
	} else if (pool->used < pool->max) {
		i = ++pool->used;
	} else {
		return 0;
	}
	pool->n++;
	return i;
}

static inline void
pnc_pool_put(struct pnc_pool *pool, uint32_t i)
{
	memcpy(pnc_pool_at(pool, i), &pool->spare, sizeof(uint32_t));
	pool->spare = i;
	pool->n--;
}

static inline bool
pnc_table_init(struct pnc_table *table, uint32_t max)
{
	table->mask = 1;
	while (table->mask < max)
		table->mask = table->mask * 2 + 1;
	table->bucket = calloc((size_t)table->mask + 1, sizeof(*table->bucket));
	return table->bucket != NULL;
}

static inline void
pnc_table_add(struct pnc_table *table, const struct pnc_pool *pool, uint64_t hash, uint32_t i)
{
	uint32_t *first = &table->bucket[hash & table->mask];

	memcpy(pnc_pool_at(pool, i), first, sizeof(*first));
	*first = i;
}

static inline void
pnc_table_remove(struct pnc_table *table, const struct pnc_pool *pool, uint64_t hash, uint32_t i)
{
	uint32_t *link = &table->bucket[hash & table->mask];

	while (*link != i)
		link = pnc_pool_at(pool, *link);
	memcpy(link, pnc_pool_at(pool, i), sizeof(*link));
}

#endif /* FCN_PNC_POOL_H */
