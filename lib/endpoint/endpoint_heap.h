/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Binary heap of slots, ordered by time; of equal times, the slot that was inserted first comes
 * first. Each slot is in the heap at most once, and its position is known, so changing its time and
 * removing it cost as much as inserting it. Internal to lib/endpoint.
 */

#ifndef ENDPOINT_HEAP_H
#define ENDPOINT_HEAP_H

#include <stdbool.h>
#include <stdint.h>

#define ENDPOINT_HEAP_NONE UINT32_MAX

struct endpoint_heap_entry {
	uint64_t time;
	uint64_t order; /**< number of the insertion */
	uint32_t slot;
};

struct endpoint_heap {
	struct endpoint_heap_entry *entry;
	uint32_t n, room;
};

/** Make room for a number of slots. @return 0 or -ENOMEM */
int endpoint_heap_reserve(struct endpoint_heap *heap, uint32_t room);
void endpoint_heap_fini(struct endpoint_heap *heap);

/**
 * Insert a slot, or change its time.
 *
 * @param place positions, indexed by slot; ENDPOINT_HEAP_NONE: in no heap. Several heaps may share
 *              the array if each slot is in one of them only.
 * @param order greater than in all calls before
 */
void endpoint_heap_set(struct endpoint_heap *heap, uint32_t *place, uint32_t slot, uint64_t time,
		uint64_t order);

/** Remove a slot that is in the heap. */
void endpoint_heap_remove(struct endpoint_heap *heap, uint32_t *place, uint32_t slot);

/** Earliest time in the heap; UINT64_MAX when it is empty. */
static inline uint64_t
endpoint_heap_time(const struct endpoint_heap *heap)
{
	return heap->n == 0 ? UINT64_MAX : heap->entry[0].time;
}

#endif /* ENDPOINT_HEAP_H */
