/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Destination cache: the next hops of IPv6 destinations that a worker has looked up recently. It is
 * direct mapped. A hit costs a quarter of a search in the route table. All entries are from one
 * snapshot, and a new snapshot empties the cache. It is used by one worker.
 */

#ifndef FCN_DEST_CACHE_H
#define FCN_DEST_CACHE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include "fcn_hash_key.h"

#define FCN_DEST_CACHE_BITS 8
#define FCN_DEST_CACHE_ENTRIES \
	(1 << FCN_DEST_CACHE_BITS) /* 8 KB: stays in the first-level cache beside the packets */

struct fcn_dest_cache_entry {
	uint64_t dst[2];   /**< IPv6 address, network byte order */
	uint32_t next_hop; /**< index of the next hop */
	bool used;
} __rte_aligned(32);

struct fcn_dest_cache {
	uint64_t factor[2];  /**< odd factors of the hash function */
	uint64_t generation; /**< generation of the snapshot that the entries are from */
	uint32_t skip;       /**< look-ups of bursts for which the caller does not use the cache */
	struct fcn_dest_cache_entry entry[FCN_DEST_CACHE_ENTRIES];
};

/** Initialise an empty cache. The key selects the hash function: see fcn_hash_key.h. */
static inline void
fcn_dest_cache_init(struct fcn_dest_cache *cache, const struct fcn_hash_key *key)
{
	memset(cache, 0, sizeof(*cache));
	cache->factor[0] = (FCN_HASH_WORD0 ^ key->word[0]) | 1;
	cache->factor[1] = (FCN_HASH_WORD2 ^ key->word[1]) | 1;
}

/** Empty the cache if the snapshot has changed. To be called in each turn before other functions.
 */
static inline void
fcn_dest_cache_begin(struct fcn_dest_cache *cache, uint64_t generation)
{
	if (unlikely(cache->generation != generation)) {
		memset(cache->entry, 0, sizeof(cache->entry));
		cache->generation = generation;
	}
}

/** Get the index of the entry for a destination. */
static inline unsigned int
fcn_dest_cache_place(const struct fcn_dest_cache *cache, const uint64_t dst[2])
{
	uint64_t hash = dst[0] * cache->factor[0] ^ dst[1] * cache->factor[1];

	return hash >> (64 - FCN_DEST_CACHE_BITS);
}

/**
 * Look up a destination.
 *
 * @param dst      IPv6 address, network byte order
 * @param next_hop written: index of the next hop; without meaning when nothing was found
 * @return whether it was found
 */
static inline bool
fcn_dest_cache_find(const struct fcn_dest_cache *cache, const uint8_t *dst, uint32_t *next_hop)
{
	const struct fcn_dest_cache_entry *e;
	uint64_t key[2];

	memcpy(key, dst, sizeof(key));
	e = &cache->entry[fcn_dest_cache_place(cache, key)];
	*next_hop = e->next_hop;
	return ((e->dst[0] ^ key[0]) | (e->dst[1] ^ key[1])) == 0 && e->used;
}

/** Store the next hop of a destination; it displaces the entry that has the same index. */
static inline void
fcn_dest_cache_add(struct fcn_dest_cache *cache, const uint8_t *dst, uint32_t next_hop)
{
	struct fcn_dest_cache_entry e = {.next_hop = next_hop, .used = true};

	memcpy(e.dst, dst, sizeof(e.dst));
	cache->entry[fcn_dest_cache_place(cache, e.dst)] = e;
}

#endif /* FCN_DEST_CACHE_H */
