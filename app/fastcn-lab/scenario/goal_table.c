/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "goal_table.h"
#include "scenario_private.h"

#define FIRST_ROOM 64u

/* Tables are at most half full, and their room is a power of two. */
static bool
is_full(uint32_t n, uint32_t room)
{
	return 2 * (n + 1) > room;
}

static uint32_t
hash_of(const char *text, size_t len)
{
	uint32_t hash = 0x811c9dc5; /* FNV-1a */

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (uint8_t)text[i]) * 0x01000193;
	return hash;
}

/* Find a label of a rank, or the entry for it. Those of other ranks count as free. */
static struct lab_goal_label *
label_entry(struct lab_goal_label *table, uint32_t room, uint32_t rank, const char *text,
		size_t len)
{
	for (uint32_t i = hash_of(text, len);; i++) {
		struct lab_goal_label *l = &table[i & (room - 1)];

		if (l->text == NULL || l->rank != rank ||
				(l->len == len && memcmp(l->text, text, len) == 0))
			return l;
	}
}

int
lab_goal_labels_add(struct lab_goal_labels *labels, const struct lab_goal_label *new)
{
	const uint32_t room = RTE_MAX(2 * labels->room, FIRST_ROOM);
	struct lab_goal_label *table;

	if (is_full(labels->n, labels->room)) {
		table = calloc(room, sizeof(*table));
		if (table == NULL)
			return -ENOMEM;
		for (uint32_t i = 0; i < labels->room; i++) {
			const struct lab_goal_label *l = &labels->label[i];

			if (l->text != NULL && l->rank == new->rank)
				*label_entry(table, room, l->rank, l->text, l->len) = *l;
		}
		free(labels->label);
		labels->label = table;
		labels->room = room;
	}
	*label_entry(labels->label, labels->room, new->rank, new->text, new->len) = *new;
	labels->n++;
	return 0;
}

const struct lab_goal_label *
lab_goal_labels_find(
		const struct lab_goal_labels *labels, uint32_t rank, const char *text, size_t len)
{
	const struct lab_goal_label *l = labels->room == 0
							 ? NULL
							 : label_entry(labels->label, labels->room,
									   rank, text, len);

	return l == NULL || l->text == NULL || l->rank != rank ? NULL : l;
}

/* Find the slot of a pair, which has its index and 1, or the free slot for it. */
static uint32_t *
pair_slot(const struct lab_goal *g, uint32_t *table, uint32_t room, uint32_t from, uint32_t to)
{
	uint64_t h = (((uint64_t)from << 32) | to) * 0x9e3779b97f4a7c15;

	for (uint32_t i = (uint32_t)(h >> 32);; i++) {
		uint32_t *slot = &table[i & (room - 1)];

		if (*slot == 0 || (g->pair[*slot - 1].from == from && g->pair[*slot - 1].to == to))
			return slot;
	}
}

static int
grow_pairs(struct lab_goal_pairs *pairs, const struct lab_goal *g)
{
	const uint32_t room = RTE_MAX(2 * pairs->room, FIRST_ROOM);
	uint32_t *table = calloc(room, sizeof(*table));

	if (table == NULL)
		return -ENOMEM;
	for (uint32_t p = 0; p < g->n_pairs; p++)
		*pair_slot(g, table, room, g->pair[p].from, g->pair[p].to) = p + 1;
	free(pairs->slot);
	pairs->slot = table;
	pairs->room = room;
	return 0;
}

uint32_t
lab_goal_pairs_take(struct lab_goal_pairs *pairs, struct lab_goal *g, uint32_t from, uint32_t to)
{
	struct lab_goal_pair *pair;
	uint32_t *slot;

	if (is_full(g->n_pairs, pairs->room) && grow_pairs(pairs, g) != 0)
		return LAB_GOAL_NONE;
	slot = pair_slot(g, pairs->slot, pairs->room, from, to);
	if (*slot == 0) {
		pair = lab_push(&g->pair, &g->n_pairs, sizeof(*pair));
		if (pair == NULL)
			return LAB_GOAL_NONE;
		pair->from = from;
		pair->to = to;
		*slot = g->n_pairs;
	}
	return *slot - 1;
}

uint32_t
lab_goal_pairs_find(const struct lab_goal_pairs *pairs, const struct lab_goal *g, uint32_t from,
		uint32_t to)
{
	return pairs->room == 0 ? LAB_GOAL_NONE
				: *pair_slot(g, pairs->slot, pairs->room, from, to) - 1;
}
