/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>

#include <rte_common.h>

#include "endpoint_heap.h"
#include "fcn_compat.h"

#define ROOM_MIN 16

int
endpoint_heap_reserve(struct endpoint_heap *heap, uint32_t room)
{
	struct endpoint_heap_entry *entry;

	if (room <= heap->room)
		return 0;
	room = RTE_MAX(rte_align32pow2(room), (uint32_t)ROOM_MIN);
	entry = realloc(heap->entry, room * sizeof(*entry));
	if (entry == NULL)
		return -ENOMEM;
	heap->entry = entry;
	heap->room = room;
	return 0;
}

void
endpoint_heap_fini(struct endpoint_heap *heap)
{
	free(heap->entry);
	*heap = (struct endpoint_heap){0};
}

static inline bool
before(const struct endpoint_heap_entry *a, const struct endpoint_heap_entry *b)
{
	return a->time != b->time ? a->time < b->time : a->order < b->order;
}

static inline void
put(struct endpoint_heap *heap, uint32_t *place, uint32_t i, const struct endpoint_heap_entry *e)
{
	heap->entry[i] = *e;
	place[e->slot] = i;
}

/* Place an entry, starting at the free position i. */
static void
settle(struct endpoint_heap *heap, uint32_t *place, uint32_t i, struct endpoint_heap_entry e)
{
	while (i > 0 && before(&e, &heap->entry[(i - 1) / 2])) {
		put(heap, place, i, &heap->entry[(i - 1) / 2]);
		i = (i - 1) / 2;
	}
	while (2 * i + 1 < heap->n) {
		uint32_t child = 2 * i + 1;

		if (child + 1 < heap->n && before(&heap->entry[child + 1], &heap->entry[child]))
			child++;
		if (!before(&heap->entry[child], &e))
			break;
		put(heap, place, i, &heap->entry[child]);
		i = child;
	}
	put(heap, place, i, &e);
}

void
endpoint_heap_set(struct endpoint_heap *heap, uint32_t *place, uint32_t slot, uint64_t time,
		uint64_t order)
{
	uint32_t i = place[slot];

	if (i == ENDPOINT_HEAP_NONE)
		i = heap->n++;
	settle(heap, place, i,
			(struct endpoint_heap_entry){.time = time, .order = order, .slot = slot});
}

void
endpoint_heap_remove(struct endpoint_heap *heap, uint32_t *place, uint32_t slot)
{
	uint32_t i = place[slot];

	place[slot] = ENDPOINT_HEAP_NONE;
	heap->n--;
	if (i != heap->n)
		settle(heap, place, i, heap->entry[heap->n]);
}
