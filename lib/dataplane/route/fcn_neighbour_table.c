/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdbool.h>

#include <rte_bitops.h>
#include <rte_common.h>

#include "fcn_neighbour_table.h"

/*
 * Factors of the hash function. Somebody on a link may choose addresses that collide with one of
 * them. Addresses that collide with all of them are found by a search, as if there were no hash
 * table.
 */
static const uint64_t factors[] = {
		0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f, 0xd6e8feb86659fd93, 0xa0761d6478bd642f};

/* @return whether all entries have found a place */
static bool
fill(const struct fcn_neighbour_table *t, struct fcn_neighbour_slot *slots)
{
	for (uint32_t i = 0; i < t->n; i++) {
		const struct fcn_neighbour_entry *e = &t->entry[i];
		struct fcn_neighbour_slot new = {.next_hop = e->next_hop,
				.where = fcn_neighbour_where(e->version, e->port)};
		struct fcn_neighbour_slot *slot;
		unsigned int k = 0;

		memcpy(new.addr, e->addr, sizeof(new.addr));
		slot = &slots[fcn_neighbour_place(t, new.addr, new.where)];
		while (k < FCN_NEIGHBOUR_PROBES && slot[k].next_hop != 0)
			k++;
		if (k == FCN_NEIGHBOUR_PROBES)
			return false;
		slot[k] = new;
	}
	return true;
}

void
fcn_neighbour_hash(struct fcn_neighbour_table *t, struct fcn_neighbour_slot *slots)
{
	const uint32_t n = fcn_neighbour_slots(t->n);

	t->slot = NULL;
	t->shift = 64 - rte_log2_u32(n);
	for (unsigned int i = 0; i < RTE_DIM(factors); i++) {
		t->factor = factors[i];
		memset(slots, 0, (n + FCN_NEIGHBOUR_PROBES) * sizeof(*slots));
		if (fill(t, slots)) {
			t->slot = slots;
			return;
		}
	}
}

uint32_t
fcn_neighbour_search(const struct fcn_neighbour_table *t, uint8_t version, uint16_t port,
		const uint8_t addr[16])
{
	uint32_t low = 0, high = t->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int d = fcn_neighbour_compare(&t->entry[middle], version, port, addr);

		if (d == 0)
			return t->entry[middle].next_hop;
		if (d < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}
