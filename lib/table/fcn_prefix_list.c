/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>

#include <rte_errno.h>
#include <rte_malloc.h>

#include "fcn_prefix_list.h"
#include "ranges.h"

/* A prefix may have any 32-bit value, so this one means that none matches. */
#define NO_MATCH UINT64_MAX

struct fcn_prefix_list {
	struct fcn_ranges *v4;
	struct fcn_ranges *v6;
};

static int
family_create(struct fcn_ranges **ranges, const struct fcn_prefix_value *items, unsigned int n,
		uint8_t version, struct fcn_range_prefix *scratch, int socket)
{
	unsigned int used = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (items[i].prefix.addr.version != version)
			continue;
		if (fcn_range_prefix_set(&scratch[used++], &items[i].prefix, items[i].value, i) !=
				0)
			return -EINVAL;
	}
	if (used == 0)
		return 0;
	used = fcn_range_prefix_sort(scratch, used);
	*ranges = fcn_ranges_create(scratch, used, NO_MATCH, socket);
	return *ranges == NULL ? -ENOMEM : 0;
}

static int
list_fill(struct fcn_prefix_list *list, const struct fcn_prefix_value *items, unsigned int n,
		int socket)
{
	struct fcn_range_prefix *scratch;
	unsigned int i;
	int ret;

	for (i = 0; i < n; i++) {
		if (items[i].prefix.addr.version != 4 && items[i].prefix.addr.version != 6)
			return -EINVAL;
	}
	scratch = calloc((size_t)n + 1, sizeof(*scratch));
	if (scratch == NULL)
		return -ENOMEM;
	ret = family_create(&list->v4, items, n, 4, scratch, socket);
	if (ret == 0)
		ret = family_create(&list->v6, items, n, 6, scratch, socket);
	free(scratch);
	return ret;
}

struct fcn_prefix_list *
fcn_prefix_list_create(
		const char *name, const struct fcn_prefix_value *items, unsigned int n, int socket)
{
	struct fcn_prefix_list *list;
	int ret;

	list = rte_zmalloc_socket(name, sizeof(*list), RTE_CACHE_LINE_SIZE, socket);
	if (list == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	ret = list_fill(list, items, n, socket);
	if (ret != 0) {
		fcn_prefix_list_free(list);
		rte_errno = -ret;
		return NULL;
	}
	return list;
}

void
fcn_prefix_list_free(struct fcn_prefix_list *list)
{
	if (list == NULL)
		return;
	fcn_ranges_free(list->v4);
	fcn_ranges_free(list->v6);
	rte_free(list);
}

uint32_t
fcn_prefix_list_lookup6(const struct fcn_prefix_list *list, const uint8_t *addr, uint32_t fallback)
{
	uint64_t value;

	if (list->v6 == NULL)
		return fallback;
	value = fcn_ranges_find6_one(list->v6, addr);
	return value == NO_MATCH ? fallback : (uint32_t)value;
}

uint32_t
fcn_prefix_list_lookup4(const struct fcn_prefix_list *list, uint32_t addr, uint32_t fallback)
{
	uint64_t value;

	if (list->v4 == NULL)
		return fallback;
	value = fcn_ranges_find4_one(list->v4, addr);
	return value == NO_MATCH ? fallback : (uint32_t)value;
}
