/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Binary heap of slots by time; of equal times, who was put there first is first. A slot is in it
 * once, and its place is known: time changes and removals cost as much as insertions.
 * Internal to lib/endpoint.
 */

#ifndef ENDPOINT_HEAP_H
#define ENDPOINT_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#define ENDPOINT_HEAP_NONE UINT32_MAX

struct endpoint_heap_entry {
	uint64_t time;
	uint64_t order; /**< of insertion */
	uint32_t slot;
};

struct endpoint_heap {
	struct endpoint_heap_entry *entry;
	uint32_t n, room;
};

/** Make room for so many slots. @return 0 or -ENOMEM */
int endpoint_heap_reserve(struct endpoint_heap *heap, uint32_t room);
void endpoint_heap_fini(struct endpoint_heap *heap);

/**
 * Put a slot in, or give it another time and place.
 *
 * @param place of each slot, ENDPOINT_HEAP_NONE: in no heap. Heaps may share it if a slot is in
 *              one of them only.
 * @param order higher than all before
 */
void endpoint_heap_set(struct endpoint_heap *heap, uint32_t *place, uint32_t slot, uint64_t time,
		uint64_t order);

/** Take a slot out that is in. */
void endpoint_heap_remove(struct endpoint_heap *heap, uint32_t *place, uint32_t slot);

/** Earliest time, UINT64_MAX when empty. */
static inline uint64_t
endpoint_heap_time(const struct endpoint_heap *heap)
{
	return heap->n == 0 ? UINT64_MAX : heap->entry[0].time;
}

#endif /* ENDPOINT_HEAP_H */
