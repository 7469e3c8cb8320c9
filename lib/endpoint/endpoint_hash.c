/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_bitops.h>
#include <rte_common.h>
#include <rte_jhash.h>

#include "endpoint_hash.h"

int
endpoint_hash_init(struct endpoint_hash *h, uint32_t n, uint32_t key_len)
{
	const uint32_t slots = rte_align32pow2(2 * n);

	h->slot = calloc(slots, sizeof(*h->slot));
	h->mask = slots - 1;
	h->key_len = key_len;
	return h->slot == NULL ? -ENOMEM : 0;
}

void
endpoint_hash_fini(struct endpoint_hash *h)
{
	free(h->slot);
	h->slot = NULL;
}

/* Find the slot of a key, or the free slot where it belongs. */
static uint32_t
place_of(const struct endpoint_hash *h, const void *key, uint32_t hash)
{
	uint32_t i = hash & h->mask;

	for (; h->slot[i].data != NULL; i = (i + 1) & h->mask) {
		if (h->slot[i].hash == hash && memcmp(h->slot[i].key, key, h->key_len) == 0)
			break;
	}
	return i;
}

static uint32_t
hash_of(const struct endpoint_hash *h, const void *key)
{
	return rte_jhash(key, h->key_len, 0);
}

void *
endpoint_hash_find(const struct endpoint_hash *h, const void *key)
{
	return h->slot[place_of(h, key, hash_of(h, key))].data;
}

void
endpoint_hash_add(struct endpoint_hash *h, const void *key, void *data)
{
	const uint32_t hash = hash_of(h, key);
	struct endpoint_hash_slot *slot = &h->slot[place_of(h, key, hash)];

	memcpy(slot->key, key, h->key_len);
	slot->hash = hash;
	slot->data = data;
}

void
endpoint_hash_remove(struct endpoint_hash *h, const void *key)
{
	uint32_t free_slot = place_of(h, key, hash_of(h, key)), i = free_slot;

	/*
	 * A later key is moved into the free slot, unless its search begins after that slot,
	 * because a search ends at a free slot.
	 */
	for (;;) {
		i = (i + 1) & h->mask;
		if (h->slot[i].data == NULL)
			break;
		if (((i - h->slot[i].hash) & h->mask) < ((i - free_slot) & h->mask))
			continue;
		h->slot[free_slot] = h->slot[i];
		free_slot = i;
	}
	h->slot[free_slot].data = NULL;
}
