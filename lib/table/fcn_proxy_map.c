/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_errno.h>
#include <rte_malloc.h>

#include "fcn_names.h"
#include "fcn_prefix_list.h"
#include "fcn_proxy_map.h"

/* Value of an address that no prefix contains. */
#define NONE UINT32_MAX

struct fcn_proxy_map {
	struct fcn_prefix_list *prefixes; /* the value is an index of proxy[] */
	unsigned int n_proxies;
	uint8_t proxy[][16]; /* IPv6, or IPv4-mapped */
};

FCN_NAME_FUNCTION(fcn_proxy_origin_name, unsigned int, FCN_PROXY_ORIGINS(FCN_ITEM_WORD))

static bool
is_valid(const struct fcn_proxy_prefix *item)
{
	return (item->proxy.version == 4 || item->proxy.version == 6) &&
	       item->origin < FCN_PROXY_ORIGIN_COUNT;
}

static void
put_proxy(uint8_t *to, const struct fcn_addr *proxy)
{
	if (proxy->version == 6)
		memcpy(to, proxy->bytes, 16);
	else
		fcn_addr_map(proxy->bytes, to);
}

static int
map_fill(struct fcn_proxy_map *map, const char *name, const struct fcn_proxy_prefix *items,
		unsigned int n, int socket)
{
	struct fcn_prefix_value *v = calloc((size_t)n + 1, sizeof(*v));
	unsigned int used = 0;

	if (v == NULL)
		return -ENOMEM;
	/* Of equal prefixes the last one of the list counts, so what has precedence comes last. */
	for (unsigned int origin = FCN_PROXY_ORIGIN_COUNT; origin-- > 0;) {
		for (unsigned int i = n; i-- > 0;) {
			if (items[i].origin != origin)
				continue;
			put_proxy(map->proxy[i], &items[i].proxy);
			v[used++] = (struct fcn_prefix_value){items[i].prefix, i};
		}
	}
	map->prefixes = fcn_prefix_list_create(name, v, used, socket);
	free(v);
	return map->prefixes == NULL ? -rte_errno : 0;
}

struct fcn_proxy_map *
fcn_proxy_map_create(
		const char *name, const struct fcn_proxy_prefix *items, unsigned int n, int socket)
{
	struct fcn_proxy_map *map;
	int ret;

	for (unsigned int i = 0; i < n; i++) {
		if (!is_valid(&items[i])) {
			rte_errno = EINVAL;
			return NULL;
		}
	}
	map = rte_zmalloc_socket(name, sizeof(*map) + (size_t)n * sizeof(map->proxy[0]),
			RTE_CACHE_LINE_SIZE, socket);
	if (map == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	map->n_proxies = n;
	ret = map_fill(map, name, items, n, socket);
	if (ret != 0) {
		fcn_proxy_map_free(map);
		rte_errno = -ret;
		return NULL;
	}
	return map;
}

void
fcn_proxy_map_free(struct fcn_proxy_map *map)
{
	if (map == NULL)
		return;
	fcn_prefix_list_free(map->prefixes);
	rte_free(map);
}

const uint8_t *
fcn_proxy_map_find6(const struct fcn_proxy_map *map, const uint8_t *sender)
{
	uint32_t i = fcn_prefix_list_lookup6(map->prefixes, sender, NONE);

	return i == NONE ? NULL : map->proxy[i];
}

const uint8_t *
fcn_proxy_map_find4(const struct fcn_proxy_map *map, uint32_t sender)
{
	uint32_t i = fcn_prefix_list_lookup4(map->prefixes, sender, NONE);

	return i == NONE ? NULL : map->proxy[i];
}

bool
fcn_proxy_map_has(const struct fcn_proxy_map *map, const uint8_t *proxy)
{
	for (unsigned int i = 0; i < map->n_proxies; i++) {
		if (memcmp(map->proxy[i], proxy, sizeof(map->proxy[i])) == 0)
			return true;
	}
	return false;
}
