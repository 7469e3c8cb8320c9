/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The routes of IPv6 destinations that a worker met lately, direct mapped: a
 * hit costs a quarter of a search. What is remembered is what the table of one
 * snapshot says; with another snapshot all is forgotten.
 */

#ifndef FCN_ROUTE_MEMO_H
#define FCN_ROUTE_MEMO_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include "fcn_hash_key.h"

#define FCN_ROUTE_MEMO_BITS 8
#define FCN_ROUTE_MEMO_ENTRIES \
	(1 << FCN_ROUTE_MEMO_BITS) /* 8 KB: stays in the first-level cache beside the packets */

struct fcn_route_memo_entry {
	uint64_t dst[2]; /**< as in the packet */
	uint32_t next_hop;
	bool used;
} __rte_aligned(32);

struct fcn_route_memo {
	uint64_t factor[2];  /**< of the places; odd numbers, see fcn_route_memo_init() */
	uint64_t generation; /**< of the snapshot */
	struct fcn_route_memo_entry entry[FCN_ROUTE_MEMO_ENTRIES];
};

/** An empty memo, whose places follow from a key: see fcn_hash_key.h. */
static inline void
fcn_route_memo_init(struct fcn_route_memo *memo, const struct fcn_hash_key *key)
{
	memset(memo, 0, sizeof(*memo));
	memo->factor[0] = (FCN_HASH_WORD0 ^ key->word[0]) | 1;
	memo->factor[1] = (FCN_HASH_WORD2 ^ key->word[1]) | 1;
}

/** Forget everything if the snapshot is another one. Once a turn, before anything else. */
static inline void
fcn_route_memo_begin(struct fcn_route_memo *memo, uint64_t generation)
{
	if (unlikely(memo->generation != generation)) {
		memset(memo->entry, 0, sizeof(memo->entry));
		memo->generation = generation;
	}
}

static inline unsigned int
fcn_route_memo_place(const struct fcn_route_memo *memo, const uint64_t dst[2])
{
	uint64_t hash = dst[0] * memo->factor[0] ^ dst[1] * memo->factor[1];

	return hash >> (64 - FCN_ROUTE_MEMO_BITS);
}

/** @param dst 16 bytes in network byte order. @return whether next_hop was found. */
static inline bool
fcn_route_memo_find(const struct fcn_route_memo *memo, const uint8_t *dst, uint32_t *next_hop)
{
	const struct fcn_route_memo_entry *e;
	uint64_t key[2];

	memcpy(key, dst, sizeof(key));
	e = &memo->entry[fcn_route_memo_place(memo, key)];
	*next_hop = e->next_hop;
	return ((e->dst[0] ^ key[0]) | (e->dst[1] ^ key[1])) == 0 && e->used;
}

static inline void
fcn_route_memo_keep(struct fcn_route_memo *memo, const uint8_t *dst, uint32_t next_hop)
{
	struct fcn_route_memo_entry e = {.next_hop = next_hop, .used = true};

	memcpy(e.dst, dst, sizeof(e.dst));
	memo->entry[fcn_route_memo_place(memo, e.dst)] = e;
}

#endif /* FCN_ROUTE_MEMO_H */
