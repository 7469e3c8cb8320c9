/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Searches over the eight ways of a set: eight 32-bit numbers aligned to 16 bytes. Each function
 * has a portable form, which defines the result, and where the CPU supports it, one with SIMD
 * instructions.
 */

#ifndef FCN_WAYS8_H
#define FCN_WAYS8_H

#include <stdint.h>

#ifdef __SSE4_1__
#include <smmintrin.h>
#endif

/** Find the lowest index of a number that equals wanted. @return the index, or 8 if none does */
static inline unsigned int
fcn_ways8_find_portable(const uint32_t *number, uint32_t wanted)
{
	uint32_t hits = 1u << 8;
	unsigned int i;

	for (i = 0; i < 8; i++)
		hits |= (uint32_t)(number[i] == wanted) << i;
	return (unsigned int)__builtin_ctz(hits);
}

/** Find the number that lies furthest before ref, modulo 2^32. @return its index, the lowest of
 * equal ones */
static inline unsigned int
fcn_ways8_oldest_portable(const uint32_t *number, uint32_t ref)
{
	uint64_t oldest = 0;
	unsigned int i;

	/*
	 * One number holds the age and the complement of the index, so that among equal ages the
	 * lowest index wins.
	 */
	for (i = 0; i < 8; i++) {
		uint64_t age = (uint64_t)(ref - number[i]) << 3 | (7 - i);

		oldest = age > oldest ? age : oldest;
	}
	return 7 - (unsigned int)(oldest & 7);
}

#ifdef __SSE4_1__

/* Get two bits for each of the eight lanes, the first lane in bits 0 and 1. */
static inline uint32_t
fcn_ways8_lanes(__m128i first, __m128i second)
{
	return (uint32_t)_mm_movemask_epi8(_mm_packs_epi32(first, second));
}

static inline unsigned int
fcn_ways8_find(const uint32_t *number, uint32_t wanted)
{
	const __m128i *half = (const __m128i *)(const void *)number;
	__m128i value = _mm_set1_epi32((int)wanted);
	uint32_t hits = fcn_ways8_lanes(_mm_cmpeq_epi32(_mm_load_si128(&half[0]), value),
			_mm_cmpeq_epi32(_mm_load_si128(&half[1]), value));

	return (unsigned int)__builtin_ctz(hits | 1u << 16) / 2;
}

static inline unsigned int
fcn_ways8_oldest(const uint32_t *number, uint32_t ref)
{
	const __m128i *half = (const __m128i *)(const void *)number;
	__m128i now = _mm_set1_epi32((int)ref);
	__m128i age0 = _mm_sub_epi32(now, _mm_load_si128(&half[0]));
	__m128i age1 = _mm_sub_epi32(now, _mm_load_si128(&half[1]));
	__m128i max = _mm_max_epu32(age0, age1);

	max = _mm_max_epu32(max, _mm_shuffle_epi32(max, _MM_SHUFFLE(1, 0, 3, 2)));
	max = _mm_max_epu32(max, _mm_shuffle_epi32(max, _MM_SHUFFLE(2, 3, 0, 1)));
	return (unsigned int)__builtin_ctz(fcn_ways8_lanes(
			       _mm_cmpeq_epi32(age0, max), _mm_cmpeq_epi32(age1, max))) /
	       2;
}

#else

static inline unsigned int
fcn_ways8_find(const uint32_t *number, uint32_t wanted)
{
	return fcn_ways8_find_portable(number, wanted);
}

static inline unsigned int
fcn_ways8_oldest(const uint32_t *number, uint32_t ref)
{
	return fcn_ways8_oldest_portable(number, ref);
}

#endif

#endif /* FCN_WAYS8_H */
