/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Look-ups with AVX2: a node is two registers. */

#include "range_pages.h"

#ifdef FCN_RANGE_AVX

/* fcn_x86_vectors.h keeps the declarations of wide vectors out of other files. */
#undef _IMMINTRIN_H_INCLUDED
#undef __IMMINTRIN_H
#include <immintrin.h>

#define TARGET __attribute__((target("avx2,popcnt")))

/*
 * Count the numbers that are 0, of the first n of eight that are 0 or -1. Packing exchanges the
 * third and fourth number of the first register with the first two of the second one.
 */
TARGET static inline unsigned int
count_zeros(__m256i a, __m256i b, unsigned int n)
{
	const __m256 both = _mm256_castsi256_ps(_mm256_packs_epi32(a, b));
	const unsigned int bits = (unsigned int)_mm256_movemask_ps(both);

	return n - (unsigned int)_mm_popcnt_u32(n == FCN_RANGE_LEAF ? bits & 0x37 : bits);
}

TARGET static inline unsigned int
step_narrow(const int64_t *node, int64_t key, unsigned int n)
{
	const __m256i *start = (const __m256i *)(const void *)node, k = _mm256_set1_epi64x(key);

	return count_zeros(_mm256_cmpgt_epi64(start[0], k), _mm256_cmpgt_epi64(start[1], k), n);
}

/* Compare four starts with a key. @return -1 for those that exceed it, otherwise 0 */
TARGET static inline __m256i
exceed(const __m256i *start, __m256i hi, __m256i lo)
{
	return _mm256_or_si256(_mm256_cmpgt_epi64(start[0], hi),
			_mm256_and_si256(_mm256_cmpeq_epi64(start[0], hi),
					_mm256_cmpgt_epi64(start[FCN_RANGE_NODE / 4], lo)));
}

TARGET static inline unsigned int
step_wide(const int64_t *node, const struct fcn_range_key *key, unsigned int n)
{
	const __m256i *start = (const __m256i *)(const void *)node;
	const __m256i hi = _mm256_set1_epi64x(key->hi), lo = _mm256_set1_epi64x(key->lo);

	return count_zeros(exceed(&start[0], hi, lo), exceed(&start[1], hi, lo), n);
}

#define RANGE_SEARCH(name) fcn_range_avx2_##name
#define RANGE_TARGET TARGET
#define RANGE_STEP_NARROW(node, key, n) step_narrow(node, key, n)
#define RANGE_STEP_WIDE(node, key, n) step_wide(node, key, n)

#include "range_search.h"

#endif
