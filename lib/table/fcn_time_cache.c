/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include <rte_malloc.h>

#include "fcn_time_cache.h"

int
fcn_time_cache_init(struct fcn_time_cache *cache, uint32_t sets, int socket)
{
	RTE_BUILD_BUG_ON(sizeof(struct fcn_time_cache_set) != 64);

	cache->set = NULL;
	cache->mask = 0;
	if (sets == 0 || (sets & (sets - 1)) != 0)
		return -EINVAL;
	cache->set = rte_calloc_socket(
			"fcn_time_cache", sets, sizeof(*cache->set), RTE_CACHE_LINE_SIZE, socket);
	if (cache->set == NULL)
		return -ENOMEM;
	cache->mask = sets - 1;
	return 0;
}

void
fcn_time_cache_fini(struct fcn_time_cache *cache)
{
	rte_free(cache->set);
	cache->set = NULL;
	cache->mask = 0;
}

void
fcn_time_cache_clear(struct fcn_time_cache *cache)
{
	if (cache->set != NULL)
		memset(cache->set, 0, ((size_t)cache->mask + 1) * sizeof(*cache->set));
}
