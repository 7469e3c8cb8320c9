/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* A binary heap of items; the one whose lifetime ends first is at index 1. */

#include "lsdb_parts.h"

static uint64_t
end_of(const struct lsdb *db, uint32_t place)
{
	return item_at(db, db->heap[place])->expires_ns;
}

static void
put(struct lsdb *db, uint32_t place, uint32_t i)
{
	db->heap[place] = i;
	item_at(db, i)->place = place;
}

static void
swap(struct lsdb *db, uint32_t a, uint32_t b)
{
	const uint32_t i = db->heap[a], j = db->heap[b];

	put(db, a, j);
	put(db, b, i);
}

static void
settle(struct lsdb *db, uint32_t place)
{
	while (place > 1 && end_of(db, place) < end_of(db, place / 2)) {
		swap(db, place, place / 2);
		place /= 2;
	}
	for (;;) {
		uint32_t child = place * 2;

		if (child + 1 <= db->n_heap && end_of(db, child + 1) < end_of(db, child))
			child++;
		if (child > db->n_heap || end_of(db, place) <= end_of(db, child))
			return;
		swap(db, place, child);
		place = child;
	}
}

void
lsdb_heap_add(struct lsdb *db, uint32_t i)
{
	put(db, ++db->n_heap, i);
	settle(db, db->n_heap);
}

void
lsdb_heap_move(struct lsdb *db, uint32_t i)
{
	settle(db, item_at(db, i)->place);
}

void
lsdb_heap_remove(struct lsdb *db, uint32_t i)
{
	const uint32_t place = item_at(db, i)->place, last = db->heap[db->n_heap--];

	if (last == i)
		return;
	put(db, place, last);
	settle(db, place);
}
