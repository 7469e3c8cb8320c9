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

/**
 * A key that the constants have been added to, for loops over many packets. It is passed on from a
 * function that is not inlined, or else the compiler adds key and constant one after the other to
 * each word.
 */
struct fcn_hash_prepared {
	uint64_t word[4];
};

/** Add the constants to a key. */
static inline struct fcn_hash_prepared
fcn_hash_prepare(const struct fcn_hash_key *key)
{
	return (struct fcn_hash_prepared){{
			FCN_HASH_WORD0 ^ key->word[0],
			FCN_HASH_WORD1 ^ key->word[1],
			FCN_HASH_WORD2 ^ key->word[2],
			FCN_HASH_WORD3 ^ key->word[3],
	}};
}

/** Compute fcn_hash_pair() with a prepared key. */
static inline uint64_t
fcn_hash_prepared_pair(const struct fcn_hash_prepared *key, uint64_t a, uint64_t b)
{
	return fcn_hash_fold(a ^ key->word[0], b ^ key->word[1]);
}

/** Compute fcn_hash_other_pair() with a prepared key. */
static inline uint64_t
fcn_hash_prepared_other_pair(const struct fcn_hash_prepared *key, uint64_t a, uint64_t b)
{
	return fcn_hash_fold(a ^ key->word[2], b ^ key->word[3]);
}

/** Compute the hash of two words. */
static inline uint64_t
fcn_hash_pair(const struct fcn_hash_key *key, uint64_t a, uint64_t b)
{
	const struct fcn_hash_prepared prepared = fcn_hash_prepare(key);

	return fcn_hash_prepared_pair(&prepared, a, b);
}

/** Compute another hash of two words, by the other half of the key. It is independent of
 * fcn_hash_pair(), so that both can be combined by XOR. */
static inline uint64_t
fcn_hash_other_pair(const struct fcn_hash_key *key, uint64_t a, uint64_t b)
{
	const struct fcn_hash_prepared prepared = fcn_hash_prepare(key);

	return fcn_hash_prepared_other_pair(&prepared, a, b);
}

#endif /* FCN_HASH_KEY_H */
