/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "lsdb_parts.h"

static uint32_t
find_origin(const struct lsdb *db, uint64_t hash, const uint8_t key[LSDB_ORIGIN_LEN])
{
	uint32_t o = db->origin_table.bucket[hash & db->origin_table.mask];

	while (o != 0 && memcmp(origin_at(db, o)->key, key, LSDB_ORIGIN_LEN) != 0)
		o = origin_at(db, o)->next;
	return o;
}

uint32_t
lsdb_origin_find(const struct lsdb *db, const uint8_t key[LSDB_ORIGIN_LEN])
{
	return find_origin(db, lsdb_hash(db, key, LSDB_ORIGIN_LEN), key);
}

uint32_t
lsdb_origin_get(struct lsdb *db, const uint8_t key[LSDB_ORIGIN_LEN])
{
	const uint64_t hash = lsdb_hash(db, key, LSDB_ORIGIN_LEN);
	uint32_t o = find_origin(db, hash, key);

	if (o != 0)
		return o;
	o = pnc_pool_get(&db->origins);
	memcpy(origin_at(db, o)->key, key, LSDB_ORIGIN_LEN);
	pnc_table_add(&db->origin_table, &db->origins, hash, o);
	return o;
}

void
lsdb_origin_release(struct lsdb *db, uint32_t o)
{
	const struct origin *origin = origin_at(db, o);

	if (origin->n_items != 0 || origin->claim != 0)
		return;
	pnc_table_remove(&db->origin_table, &db->origins,
			lsdb_hash(db, origin->key, LSDB_ORIGIN_LEN), o);
	pnc_pool_put(&db->origins, o);
}

void
lsdb_origin_changed(struct lsdb *db, uint32_t o)
{
	for (uint32_t c = origin_at(db, o)->claim; c != 0; c = claim_at(db, c)->origin_next)
		lsdb_prefix_changed(db, claim_at(db, c)->prefix);
}

/* The lower of two addresses; any is lower than none. */
static const struct fcn_addr *
lower(const struct fcn_addr *a, const struct fcn_addr *b)
{
	if (a->version == 0 || b->version == 0)
		return a->version == 0 ? b : a;
	return memcmp(a->bytes, b->bytes, sizeof(a->bytes)) <= 0 ? a : b;
}

/* Returns whether an address has become another one. */
static bool
merge(struct fcn_addr to[LSDB_SOURCE_COUNT][2], struct fcn_addr from[LSDB_SOURCE_COUNT][2])
{
	bool changed = false;

	for (unsigned int s = 0; s < LSDB_SOURCE_COUNT; s++) {
		for (unsigned int v = 0; v < 2; v++) {
			const struct fcn_addr low = *lower(&to[s][v], &from[s][v]);

			changed |= !fcn_addr_equal(&low, &to[s][v]);
			to[s][v] = low;
		}
	}
	return changed;
}

void
lsdb_origin_add_addresses(struct lsdb *db, uint32_t i)
{
	struct item *item = item_at(db, i);
	struct origin *origin = origin_at(db, item->origin);

	if (!item->has_address)
		return;
	item->address_prev = 0;
	item->address_next = origin->item;
	if (origin->item != 0)
		item_at(db, origin->item)->address_prev = i;
	origin->item = i;
	if (merge(origin->address, item->address))
		lsdb_origin_changed(db, item->origin);
}

void
lsdb_origin_remove_addresses(struct lsdb *db, uint32_t i)
{
	struct item *item = item_at(db, i);
	struct origin *origin = origin_at(db, item->origin);
	struct fcn_addr before[LSDB_SOURCE_COUNT][2];
	bool was_used = false;

	if (!item->has_address)
		return;
	if (item->address_next != 0)
		item_at(db, item->address_next)->address_prev = item->address_prev;
	if (item->address_prev != 0)
		item_at(db, item->address_prev)->address_next = item->address_next;
	else
		origin->item = item->address_next;
	item->has_address = false;

	for (unsigned int s = 0; s < LSDB_SOURCE_COUNT; s++)
		for (unsigned int v = 0; v < 2; v++)
			was_used |= item->address[s][v].version != 0 &&
				    fcn_addr_equal(&item->address[s][v], &origin->address[s][v]);
	if (!was_used)
		return;
	memcpy(before, origin->address, sizeof(before));
	memset(origin->address, 0, sizeof(origin->address));
	for (uint32_t other = origin->item; other != 0; other = item_at(db, other)->address_next)
		merge(origin->address, item_at(db, other)->address);
	if (memcmp(before, origin->address, sizeof(before)) != 0)
		lsdb_origin_changed(db, item->origin);
}
