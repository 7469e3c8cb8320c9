/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Keyed hash functions over packet fields. An attacker who does not know the key cannot choose
 * addresses and ports that collide in one bucket of a table, or flows that all take the same path.
 * A CRC is not sufficient, because it is linear: keys that collide with one start value collide
 * with every start value.
 */

#ifndef FCN_HASH_KEY_H
#define FCN_HASH_KEY_H

#include <stdint.h>

#include "fcn_random.h"

/** A hash key; all zero is the fixed key. */
struct fcn_hash_key {
	uint64_t word[4];
};

/**
 * Make a key from a secret number.
 *
 * @param secret 0 gives the fixed key, with which the same packets give the same results in every
 *               run
 */
static inline void
fcn_hash_key_make(struct fcn_hash_key *key, uint64_t secret)
{
	struct fcn_random random = {.state = secret};

	for (unsigned int i = 0; i < 4; i++)
		key->word[i] = secret != 0 ? fcn_random64(&random) : 0;
}

/* Odd constants without pattern, to which the key is added by XOR. */
#define FCN_HASH_WORD0 0x9e3779b97f4a7c15
#define FCN_HASH_WORD1 0xc2b2ae3d27d4eb4f
#define FCN_HASH_WORD2 0xd6e8feb86659fd93
#define FCN_HASH_WORD3 0xa0761d6478bd642f

/**
 * Combine two words: XOR of both halves of their product, so that every bit of either word affects
 * the whole result. The addition prevents a zero word from cancelling the other one.
 */
static inline uint64_t
fcn_hash_fold(uint64_t a, uint64_t b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64) ^ (a + b);
}

/** A key together with the constants, so that loops need not add one to the other. */
struct fcn_hash_mask {
	uint64_t word[4];
};

static inline struct fcn_hash_mask
fcn_hash_mask(const struct fcn_hash_key *key)
{
	return (struct fcn_hash_mask){{FCN_HASH_WORD0 ^ key->word[0], FCN_HASH_WORD1 ^ key->word[1],
			FCN_HASH_WORD2 ^ key->word[2], FCN_HASH_WORD3 ^ key->word[3]}};
}

/** Do the work of fcn_hash_pair() with the mask of a key. */
static inline uint64_t
fcn_hash_masked_pair(const struct fcn_hash_mask *mask, uint64_t a, uint64_t b)
{
	return fcn_hash_fold(a ^ mask->word[0], b ^ mask->word[1]);
}

/** Do the work of fcn_hash_other_pair() with the mask of a key. */
static inline uint64_t
fcn_hash_other_masked_pair(const struct fcn_hash_mask *mask, uint64_t a, uint64_t b)
{
	return fcn_hash_fold(a ^ mask->word[2], b ^ mask->word[3]);
}

/** Compute the hash of two words. */
static inline uint64_t
fcn_hash_pair(const struct fcn_hash_key *key, uint64_t a, uint64_t b)
{
	const struct fcn_hash_mask mask = fcn_hash_mask(key);

	return fcn_hash_masked_pair(&mask, a, b);
}

/** Compute another hash of two words, by the other half of the key. It is independent of
 * fcn_hash_pair(), so that both can be combined by XOR. */
static inline uint64_t
fcn_hash_other_pair(const struct fcn_hash_key *key, uint64_t a, uint64_t b)
{
	const struct fcn_hash_mask mask = fcn_hash_mask(key);

	return fcn_hash_other_masked_pair(&mask, a, b);
}

#endif /* FCN_HASH_KEY_H */
