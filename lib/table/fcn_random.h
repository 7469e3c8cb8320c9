/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Seeded pseudo-random numbers: the same seed gives the same decisions. The generator is
 * splitmix64, which is not fit for cryptography. A generator is used by one thread; there are no
 * locks.
 */

#ifndef FCN_RANDOM_H
#define FCN_RANDOM_H

#include <stdint.h>

/** State of a generator. */
struct fcn_random {
	uint64_t state; /**< any value is a seed */
};

/** Get 64 evenly distributed bits. */
static inline uint64_t
fcn_random64(struct fcn_random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/** Get 32 evenly distributed bits. */
static inline uint32_t
fcn_random32(struct fcn_random *r)
{
	return (uint32_t)(fcn_random64(r) >> 32);
}

#endif /* FCN_RANDOM_H */
