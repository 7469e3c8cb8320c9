/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Destination cache: the next hops of destinations that a worker has looked up recently, IPv6 and
 * IPv4. A hit costs a quarter of a search in the route table. All entries that are found are from
 * one snapshot. It is used by one worker.
 *
 * An entry also has what the fast path needs to send a packet on, so that it reads one cache line
 * for each destination. A destination has a place of its own, by a hash, and three others beside it
 * in the same two cache lines, in which it stands when its own place is taken.
 */

#ifndef FCN_DEST_CACHE_H
#define FCN_DEST_CACHE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include "fcn_hash_key.h"
#include "fcn_next_hop.h"

/** Number of places for one destination. */
#define FCN_DEST_CACHE_WAYS 4

/**
 * Number of calls of fcn_dest_cache_begin(), of which there may be several in a turn, until the
 * cache is used again after it had no room for many destinations.
 */
#define FCN_DEST_CACHE_SKIP 256

/**
 * First word of the key of an IPv4 address, which is in the second one. No packet is forwarded to
 * an IPv6 address that begins so: it is one of a group.
 */
#define FCN_DEST_CACHE_IP4 UINT64_MAX

struct fcn_dest_cache_entry {
	/** IPv6 address, network byte order, or the key of an IPv4 address; the first word is
	 * combined with fcn_dest_cache.salt by XOR */
	uint64_t dst[2];
	uint32_t next_hop;  /**< index of the next hop */
	uint8_t generation; /**< fcn_dest_cache.recent when it was written; 0: it is empty */
	/* For the fast path. */
	uint8_t port; /**< egress port; valid if max_frame is not 0 */
	/** longest frame in bytes, without tags, that may be sent there; 0: the next hop is a
	 * group, or none that the fast path can send to */
	uint16_t max_frame;
	/** First octets of the frame: the MAC address of the next hop, and two octets of that of
	 * the port. With a max_frame of 0: the group, as in fcn_dest_cache_group(), or 0. */
	uint64_t front;
} __rte_aligned(32);

struct fcn_dest_cache {
	uint64_t factor[2]; /**< odd factors of the hash function */
	/**
	 * It is different each time that the snapshot changes, and secret, so that no entry of
	 * another snapshot equals the key of a look-up, unless by a chance of 1 in 2^55. So nothing
	 * has to be deleted when there is a new snapshot.
	 */
	uint64_t salt;
	uint64_t n_salts; /**< number of salts so far, from which the salt is made */
	struct fcn_dest_cache_entry *entry;
	uint64_t generation;     /**< generation of the snapshot that the entries are from */
	struct fcn_hash_key key; /**< with which the salt is made */
	uint32_t skip;  /**< with another value than 0, it is not used: see FCN_DEST_CACHE_SKIP */
	uint8_t shift;  /**< 64 less the binary logarithm of the number of entries */
	uint8_t recent; /**< n_salts, as a number of 1 to 255 */
	uint32_t displaced; /**< entries of the same snapshot that others displaced, modulo 2^32 */
};

/**
 * Initialise an empty cache.
 *
 * @param key   selects the hash function: see fcn_hash_key.h
 * @param entry memory for 2^bits entries, aligned to two cache lines; it is cleared
 * @param bits  at least 2
 */
void fcn_dest_cache_init(struct fcn_dest_cache *cache, const struct fcn_hash_key *key,
		struct fcn_dest_cache_entry *entry, unsigned int bits);

/** The part of fcn_dest_cache_begin() that is not inline: forget all entries, because the snapshot
 * has changed. */
void fcn_dest_cache_renew(struct fcn_dest_cache *cache, uint64_t generation);

/** Forget all entries if the snapshot has changed, and count down `skip`. To be called in each turn
 * before other functions. */
static inline void
fcn_dest_cache_begin(struct fcn_dest_cache *cache, uint64_t generation)
{
	if (unlikely(cache->generation != generation))
		fcn_dest_cache_renew(cache, generation);
	if (unlikely(cache->skip != 0))
		cache->skip--;
}

/** Get the index of the own place of a destination. */
static inline size_t
fcn_dest_cache_place(const struct fcn_dest_cache *cache, const uint64_t dst[2])
{
	uint64_t hash = dst[0] * cache->factor[0] ^ dst[1] * cache->factor[1];

	return hash >> cache->shift;
}

/**
 * Look for a destination, which is not in its own place, in the others.
 *
 * @param key0 first word of the key, and @param key1 the second one: they stay in registers
 * @return NULL: it is in none
 */
const struct fcn_dest_cache_entry *fcn_dest_cache_find_beside(
		const struct fcn_dest_cache *cache, size_t place, uint64_t key0, uint64_t key1);

/** Find the entry of a key. @return NULL: there is none */
static __rte_always_inline const struct fcn_dest_cache_entry *
fcn_dest_cache_find_entry(const struct fcn_dest_cache *cache, const uint64_t key[2])
{
	const size_t place = fcn_dest_cache_place(cache, key);
	const struct fcn_dest_cache_entry *e = &cache->entry[place];

	if (likely(((e->dst[0] ^ cache->salt ^ key[0]) | (e->dst[1] ^ key[1])) == 0))
		return e;
	return fcn_dest_cache_find_beside(cache, place, key[0], key[1]);
}

/** Look up a destination as fcn_dest_cache_find() does, by its key: an IPv6 address, or what
 * fcn_dest_cache_key4() makes of an IPv4 address. */
static inline bool
fcn_dest_cache_find_key(
		const struct fcn_dest_cache *cache, const uint64_t key[2], uint32_t *next_hop)
{
	const struct fcn_dest_cache_entry *e = fcn_dest_cache_find_entry(cache, key);

	if (unlikely(e == NULL))
		return false;
	*next_hop = e->next_hop;
	return true;
}

/**
 * Look up a destination.
 *
 * @param dst      IPv6 address, network byte order
 * @param next_hop written if it was found: index of the next hop
 * @return whether it was found
 */
static inline bool
fcn_dest_cache_find(const struct fcn_dest_cache *cache, const uint8_t *dst, uint32_t *next_hop)
{
	uint64_t key[2];

	memcpy(key, dst, sizeof(key));
	return fcn_dest_cache_find_key(cache, key, next_hop);
}

/** Make the key of an IPv4 address of 4 bytes in network byte order. */
static inline void
fcn_dest_cache_key4(const uint8_t *dst, uint64_t key[2])
{
	uint32_t addr;

	memcpy(&addr, dst, sizeof(addr));
	key[0] = FCN_DEST_CACHE_IP4;
	key[1] = addr;
}

/**
 * Store a destination. If there is no room for it, it displaces another one.
 *
 * @param index index of its next hop
 * @return its entry, which has nothing for the fast path
 */
struct fcn_dest_cache_entry *fcn_dest_cache_add_key(
		struct fcn_dest_cache *cache, const uint64_t key[2], uint32_t index);

/** Store an IPv6 address; as fcn_dest_cache_add_key(). */
static inline struct fcn_dest_cache_entry *
fcn_dest_cache_add(struct fcn_dest_cache *cache, const uint8_t *dst, uint32_t index)
{
	uint64_t key[2];

	memcpy(key, dst, sizeof(key));
	return fcn_dest_cache_add_key(cache, key, index);
}

/**
 * Decide whether the cache is used in the next turns: not if it has no room for an eighth of the
 * destinations of a burst.
 *
 * @param displaced `displaced` before they were stored
 * @param n         number of packets that were looked up
 */
static inline void
fcn_dest_cache_judge(struct fcn_dest_cache *cache, uint32_t displaced, uint32_t n)
{
	if (unlikely((cache->displaced - displaced) * 8 > RTE_MAX(n, 16u)))
		cache->skip = FCN_DEST_CACHE_SKIP;
}

/** The next hops of a group. */
struct fcn_dest_cache_group {
	uint32_t first; /**< index of the first one in fcn_snapshot.member */
	uint32_t n;     /**< their number */
};

/** Get the next hops of an entry whose max_frame is 0. @return n is 0 if it has no group */
static inline struct fcn_dest_cache_group
fcn_dest_cache_group(const struct fcn_dest_cache_entry *e)
{
	return (struct fcn_dest_cache_group){(uint32_t)e->front, (uint32_t)(e->front >> 32)};
}

/**
 * Let the fast path use an entry, if its next hop is a station behind a port without a tag, or a
 * group. An entry that it cannot use has a max_frame and a front of 0.
 *
 * @param port_mac MAC address of the port of the next hop: the fast path sends with it
 */
void fcn_dest_cache_set_fast(struct fcn_dest_cache_entry *e, const struct fcn_next_hop *nh,
		const struct rte_ether_addr *port_mac);

#endif /* FCN_DEST_CACHE_H */
