/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_dest_cache.h"
#include "fcn_port_limit.h"

void
fcn_dest_cache_init(struct fcn_dest_cache *cache, const struct fcn_hash_key *key,
		struct fcn_dest_cache_entry *entry, unsigned int bits)
{
	memset(cache, 0, sizeof(*cache));
	memset(entry, 0, sizeof(*entry) << bits);
	cache->factor[0] = (FCN_HASH_WORD0 ^ key->word[0]) | 1;
	cache->factor[1] = (FCN_HASH_WORD2 ^ key->word[1]) | 1;
	cache->entry = entry;
	cache->key = *key;
	cache->shift = 64 - bits;
	fcn_dest_cache_renew(cache, 0);
}

/*
 * The salt does not depend on the generation: that only differs from the one before, and one that
 * came again would make its old entries valid again.
 *
 * The first word of an empty entry stands for an address that begins like the salt. This is the
 * address of a group, which nobody looks up, and it is not the key of an IPv4 address.
 */
void
fcn_dest_cache_renew(struct fcn_dest_cache *cache, uint64_t generation)
{
	const uint64_t secret = fcn_hash_other_pair(&cache->key, ++cache->n_salts, 1);
	uint8_t salt[sizeof(secret)];

	memcpy(salt, &secret, sizeof(salt));
	salt[0] = 0xFF;
	salt[1] &= 0xFE;
	memcpy(&cache->salt, salt, sizeof(salt));
	cache->generation = generation;
	cache->recent = 1 + cache->n_salts % UINT8_MAX;
}

const struct fcn_dest_cache_entry *
fcn_dest_cache_find_beside(
		const struct fcn_dest_cache *cache, size_t place, uint64_t key0, uint64_t key1)
{
	const uint64_t first = key0 ^ cache->salt;

	for (size_t i = 1; i < FCN_DEST_CACHE_WAYS; i++) {
		const struct fcn_dest_cache_entry *e = &cache->entry[place ^ i];

		if (((e->dst[0] ^ first) | (e->dst[1] ^ key1)) == 0)
			return e;
	}
	return NULL;
}

/* Choose the entry for a destination that has none: an empty one or one of another snapshot, if
 * there is any. */
static struct fcn_dest_cache_entry *
choose(struct fcn_dest_cache *cache, size_t place)
{
	for (size_t i = 0; i < FCN_DEST_CACHE_WAYS; i++) {
		struct fcn_dest_cache_entry *e = &cache->entry[place ^ i];

		if (e->generation != cache->recent)
			return e;
	}
	return &cache->entry[place ^ (cache->displaced++ % FCN_DEST_CACHE_WAYS)];
}

struct fcn_dest_cache_entry *
fcn_dest_cache_add_key(struct fcn_dest_cache *cache, const uint64_t key[2], uint32_t index)
{
	const struct fcn_dest_cache_entry *found = fcn_dest_cache_find_entry(cache, key);
	const size_t place = fcn_dest_cache_place(cache, key);
	struct fcn_dest_cache_entry *e = found != NULL ? &cache->entry[found - cache->entry]
						       : choose(cache, place);

	*e = (struct fcn_dest_cache_entry){
			.dst = {key[0] ^ cache->salt, key[1]},
			.next_hop = index,
			.generation = cache->recent,
	};
	return e;
}

void
fcn_dest_cache_set_fast(struct fcn_dest_cache_entry *e, const struct fcn_next_hop *nh,
		const struct rte_ether_addr *port_mac)
{
	e->max_frame = 0;
	e->front = 0;
	if (nh->type == FCN_NEXT_HOP_GROUP)
		e->front = (uint64_t)nh->n_members << 32 | nh->first_member;
	if (nh->type != FCN_NEXT_HOP_FORWARD || !rte_is_same_ether_addr(&nh->l2.src_addr, port_mac))
		return;
	_Static_assert(FCN_MAX_PORTS <= UINT8_MAX + 1, "a port number fits into 8 bits");
	e->port = (uint8_t)nh->port;
	e->max_frame = RTE_MIN(nh->mtu + RTE_ETHER_HDR_LEN, UINT16_MAX);
	memcpy(&e->front, &nh->l2, sizeof(e->front));
}
