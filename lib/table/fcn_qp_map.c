/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_malloc.h>

#include "fcn_qp_map.h"

struct entry {
	uint8_t version;
	uint8_t addr[16]; /* bytes that IPv4 does not use are 0 */
	uint32_t receiver_qp;
	uint32_t sender_qp;
};

struct fcn_qp_map {
	unsigned int n;
	struct entry entry[]; /* in the order of compare() */
};

static int
compare(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int rc;

	if (x->version != y->version)
		return x->version < y->version ? -1 : 1;
	rc = memcmp(x->addr, y->addr, sizeof(x->addr));
	if (rc != 0 || x->receiver_qp == y->receiver_qp)
		return rc;
	return x->receiver_qp < y->receiver_qp ? -1 : 1;
}

static struct entry
entry_of(uint8_t version, const uint8_t *addr, uint32_t receiver_qp)
{
	struct entry e = {.version = version, .receiver_qp = receiver_qp};

	memcpy(e.addr, addr, version == 4 ? 4 : 16);
	return e;
}

struct fcn_qp_map *
fcn_qp_map_create(const char *name, const struct fcn_qp_pair *items, unsigned int n, int socket)
{
	struct fcn_qp_map *map = rte_malloc_socket(name, sizeof(*map) + n * sizeof(map->entry[0]),
			RTE_CACHE_LINE_SIZE, socket);

	if (map == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	map->n = n;
	for (unsigned int i = 0; i < n; i++) {
		map->entry[i] = entry_of(items[i].receiver.version, items[i].receiver.bytes,
				items[i].receiver_qp);
		map->entry[i].sender_qp = items[i].sender_qp;
	}
	qsort(map->entry, n, sizeof(map->entry[0]), compare);
	return map;
}

void
fcn_qp_map_free(struct fcn_qp_map *map)
{
	rte_free(map);
}

bool
fcn_qp_map_find(const struct fcn_qp_map *map, uint8_t version, const uint8_t *receiver,
		uint32_t receiver_qp, uint32_t *sender_qp)
{
	const struct entry key = entry_of(version, receiver, receiver_qp);
	const struct entry *found;

	if (map == NULL)
		return false;
	found = bsearch(&key, map->entry, map->n, sizeof(key), compare);
	if (found == NULL)
		return false;
	*sender_qp = found->sender_qp;
	return true;
}
