/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Look-ups with AVX-512: a node is one register, and a step one comparison or two. */

#include "range_pages.h"

#ifdef FCN_RANGE_AVX

/* fcn_x86_vectors.h keeps the declarations of wide vectors out of other files. */
#undef _IMMINTRIN_H_INCLUDED
#undef __IMMINTRIN_H
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512dq,popcnt")))

/* Count the set bits for the first n starts. The values of a leaf are compared, too. */
TARGET static inline unsigned int
count(__mmask8 mask, unsigned int n)
{
	const unsigned int bits = _cvtmask8_u32(mask);

	return (unsigned int)_mm_popcnt_u32(n == FCN_RANGE_LEAF ? bits & 0x1f : bits);
}

TARGET static inline unsigned int
step_narrow(const int64_t *node, int64_t key, unsigned int n)
{
	return count(_mm512_cmpge_epi64_mask(_mm512_set1_epi64(key), _mm512_load_si512(node)), n);
}

TARGET static inline unsigned int
step_wide(const int64_t *node, const struct fcn_range_key *key, unsigned int n)
{
	const __m512i start = _mm512_load_si512(node), hi = _mm512_set1_epi64(key->hi);
	const __mmask8 equal = _mm512_cmpeq_epi64_mask(start, hi);
	const __mmask8 lower = _mm512_mask_cmple_epi64_mask(equal,
			_mm512_load_si512(node + FCN_RANGE_NODE), _mm512_set1_epi64(key->lo));

	return count(_mm512_cmplt_epi64_mask(start, hi) | lower, n);
}

#define RANGE_SEARCH(name) fcn_range_avx512_##name
#define RANGE_TARGET TARGET
#define RANGE_STEP_NARROW(node, key, n) step_narrow(node, key, n)
#define RANGE_STEP_WIDE(node, key, n) step_wide(node, key, n)

#include "range_search.h"

#endif
