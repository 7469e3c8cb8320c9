/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The entries of a map: a hash table by device and number, and who is told of them. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "qp_map_private.h"

#define FIRST_ROOM 256
#define FIRST_CHAINS 1024

static uint32_t
hash(uint32_t device, uint32_t local_qp)
{
	return (local_qp ^ device << 20) * UINT32_C(0x9E3779B1);
}

static uint32_t *
chain_of(const struct qp_map *map, uint32_t device, uint32_t local_qp)
{
	return &map->chain[(hash(device, local_qp) >> 8) & (map->n_chains - 1)];
}

struct qp_map *
qp_map_create(const struct qp_map_conf *conf)
{
	struct qp_map *map = calloc(1, sizeof(*map));

	if (map == NULL)
		return NULL;
	map->conf = *conf;
	map->first_free = QP_MAP_NONE;
	map->n_chains = FIRST_CHAINS;
	while (map->n_chains < conf->most)
		map->n_chains *= 2;
	map->chain = malloc(map->n_chains * sizeof(*map->chain));
	if (map->chain == NULL) {
		free(map);
		return NULL;
	}
	memset(map->chain, 0xFF, map->n_chains * sizeof(*map->chain));
	return map;
}

void
qp_map_free(struct qp_map *map)
{
	if (map == NULL)
		return;
	free(map->entry);
	free(map->chain);
	free(map);
}

struct qp_entry *
qp_map_find(const struct qp_map *map, uint32_t device, uint32_t local_qp)
{
	uint32_t i = *chain_of(map, device, local_qp);

	while (i != QP_MAP_NONE &&
			(map->entry[i].qp.local_qp != local_qp || map->entry[i].device != device))
		i = map->entry[i].next;
	return i == QP_MAP_NONE ? NULL : &map->entry[i];
}

/* @return the place of an entry that is not used; QP_MAP_NONE: there are too many */
static uint32_t
take_place(struct qp_map *map)
{
	const uint32_t i = map->first_free;

	if (i != QP_MAP_NONE) {
		map->first_free = map->entry[i].next;
		return i;
	}
	if (map->n_entries == map->conf.most)
		return QP_MAP_NONE;
	if (map->n_entries == map->room) {
		uint32_t room = map->room == 0 ? FIRST_ROOM : 2 * map->room;
		struct qp_entry *more;

		if (room > map->conf.most)
			room = map->conf.most;
		more = realloc(map->entry, room * sizeof(*more));
		if (more == NULL)
			return QP_MAP_NONE;
		map->entry = more;
		map->room = room;
	}
	return map->n_entries++;
}

struct qp_entry *
qp_map_get(struct qp_map *map, uint32_t device, uint32_t local_qp)
{
	struct qp_entry *e = qp_map_find(map, device, local_qp);
	uint32_t *chain, i;

	if (e != NULL)
		return e;
	i = take_place(map);
	if (i == QP_MAP_NONE) {
		map->full++;
		return NULL;
	}
	chain = chain_of(map, device, local_qp);
	e = &map->entry[i];
	*e = (struct qp_entry){
			.device = device, .next = *chain, .qp.local_qp = local_qp, .is_used = true};
	*chain = i;
	map->n_used++;
	return e;
}

void
qp_map_drop(struct qp_map *map, struct qp_entry *e)
{
	const uint32_t i = (uint32_t)(e - map->entry);
	uint32_t *p = chain_of(map, e->device, e->qp.local_qp);

	while (*p != i)
		p = &map->entry[*p].next;
	*p = e->next;
	e->is_used = false;
	e->next = map->first_free;
	map->first_free = i;
	map->n_used--;
}

void
qp_map_untell(struct qp_map *map, struct qp_entry *e)
{
	if (!e->is_told)
		return;
	e->is_told = false;
	map->n_told--;
	map->removed++;
	map->conf.ops->removed(map->conf.arg, &e->qp);
}

void
qp_map_settle(struct qp_map *map, struct qp_entry *e)
{
	const bool is_known = (e->is_probed && e->is_roce_v2) ||
			      (e->has_cm && !e->is_pending && !e->cm_ambiguous);

	if (!is_known || e->is_gone || !qp_map_is_connected(e->state)) {
		qp_map_untell(map, e);
	} else if (!e->is_told) {
		e->is_told = true;
		map->n_told++;
		map->added++;
		map->conf.ops->added(map->conf.arg, &e->qp);
	}
}
