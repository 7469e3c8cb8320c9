/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Destination cache: the next hops of destinations that a worker has looked up recently, IPv6 and
 * IPv4. It is direct mapped. A hit costs a quarter of a search in the route table. All entries are
 * from one snapshot, and a new snapshot empties the cache. It is used by one worker.
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

/**
 * First word of the key of an IPv4 address, which is in the second one. No packet is forwarded to
 * an IPv6 address that begins so: it is one of a group.
 */
#define FCN_DEST_CACHE_IP4 UINT64_MAX

struct fcn_dest_cache_entry {
	uint64_t dst[2];   /**< IPv6 address, network byte order; or the key of an IPv4 address */
	uint32_t next_hop; /**< index of the next hop */
} __rte_aligned(32);

struct fcn_dest_cache {
	uint64_t factor[2];  /**< odd factors of the hash function */
	uint64_t generation; /**< generation of the snapshot that the entries are from */
	uint32_t skip;       /**< look-ups of bursts for which the caller does not use the cache */
	struct fcn_dest_cache_entry entry[FCN_DEST_CACHE_ENTRIES];
};

/**
 * Delete all entries. A look-up compares the key only, so what is in an empty place must have its
 * own place elsewhere. A key of zeros has place 0. As the factors are odd, 2^63 times a factor is
 * 2^63, whose place is another one.
 */
static inline void
fcn_dest_cache_clear(struct fcn_dest_cache *cache)
{
	memset(cache->entry, 0, sizeof(cache->entry));
	cache->entry[0].dst[0] = UINT64_C(1) << 63;
}

/** Initialise an empty cache. The key selects the hash function: see fcn_hash_key.h. */
static inline void
fcn_dest_cache_init(struct fcn_dest_cache *cache, const struct fcn_hash_key *key)
{
	memset(cache, 0, sizeof(*cache));
	cache->factor[0] = (FCN_HASH_WORD0 ^ key->word[0]) | 1;
	cache->factor[1] = (FCN_HASH_WORD2 ^ key->word[1]) | 1;
	fcn_dest_cache_clear(cache);
}

/** Empty the cache if the snapshot has changed. To be called in each turn before other functions.
 */
static inline void
fcn_dest_cache_begin(struct fcn_dest_cache *cache, uint64_t generation)
{
	if (unlikely(cache->generation != generation)) {
		fcn_dest_cache_clear(cache);
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

/** Do the work of fcn_dest_cache_find() for a key. */
static inline bool
fcn_dest_cache_find_key(
		const struct fcn_dest_cache *cache, const uint64_t key[2], uint32_t *next_hop)
{
	const struct fcn_dest_cache_entry *e = &cache->entry[fcn_dest_cache_place(cache, key)];

	*next_hop = e->next_hop;
	return ((e->dst[0] ^ key[0]) | (e->dst[1] ^ key[1])) == 0;
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
	uint64_t key[2];

	memcpy(key, dst, sizeof(key));
	return fcn_dest_cache_find_key(cache, key, next_hop);
}

/** Look up an IPv4 address of 4 bytes in network byte order; as fcn_dest_cache_find(). */
static inline bool
fcn_dest_cache_find4(const struct fcn_dest_cache *cache, const uint8_t *dst, uint32_t *next_hop)
{
	uint64_t key[2] = {FCN_DEST_CACHE_IP4, 0};
	uint32_t addr;

	memcpy(&addr, dst, sizeof(addr));
	key[1] = addr;
	return fcn_dest_cache_find_key(cache, key, next_hop);
}

static inline void
fcn_dest_cache_add_key(struct fcn_dest_cache *cache, const uint64_t key[2], uint32_t next_hop)
{
	cache->entry[fcn_dest_cache_place(cache, key)] = (struct fcn_dest_cache_entry){
			.dst = {key[0], key[1]}, .next_hop = next_hop};
}

/** Store the next hop of a destination; it displaces the entry that has the same index. */
static inline void
fcn_dest_cache_add(struct fcn_dest_cache *cache, const uint8_t *dst, uint32_t next_hop)
{
	uint64_t key[2];

	memcpy(key, dst, sizeof(key));
	fcn_dest_cache_add_key(cache, key, next_hop);
}

/** The same for an IPv4 address of 4 bytes in network byte order. */
static inline void
fcn_dest_cache_add4(struct fcn_dest_cache *cache, const uint8_t *dst, uint32_t next_hop)
{
	uint64_t key[2] = {FCN_DEST_CACHE_IP4, 0};
	uint32_t addr;

	memcpy(&addr, dst, sizeof(addr));
	key[1] = addr;
	fcn_dest_cache_add_key(cache, key, next_hop);
}

#endif /* FCN_DEST_CACHE_H */
