/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The fast path with AVX2: two registers hold the start of a frame. */

#include "fast_path_bridge.h"

#ifdef FCN_FAST_AVX

/* fcn_x86_vectors.h keeps the declarations of wide vectors out of other files. */
#undef _IMMINTRIN_H_INCLUDED
#undef __IMMINTRIN_H
#include <immintrin.h>

#define TARGET __attribute__((target("avx2")))

struct head {
	__m256i value0, mask0, value1, mask1;
};

TARGET static inline __m256i
load(const uint8_t *octets)
{
	/* Compilers make two loads of others that may not be aligned. */
	return _mm256_lddqu_si256((const void *)octets);
}

TARGET static __rte_always_inline struct head
head_of(const struct fcn_plain_head *head, const struct rte_ether_addr *mac)
{
	uint8_t front[sizeof(__m256i)];

	memcpy(front, head->value, sizeof(front));
	memcpy(front, mac, sizeof(*mac));
	return (struct head){.value0 = load(front),
			.mask0 = load(head->mask),
			.value1 = load(head->value + sizeof(front)),
			.mask1 = load(head->mask + sizeof(front))};
}

TARGET static __rte_always_inline bool
are_same(const struct head *head, __m256i front, __m256i back)
{
	front = _mm256_and_si256(_mm256_xor_si256(front, head->value0), head->mask0);
	back = _mm256_and_si256(_mm256_xor_si256(back, head->value1), head->mask1);
	front = _mm256_or_si256(front, back);
	return _mm256_testz_si256(front, front);
}

TARGET static __rte_always_inline bool
matches6(const void *head, const uint8_t *data)
{
	return are_same(head, load(data), load(data + sizeof(__m256i)));
}

/* A frame of RoCEv2 over IPv4 may be shorter than two registers. */
TARGET static __rte_always_inline bool
matches4(const void *head, const uint8_t *data)
{
	const __m128i back = _mm_loadu_si128((const void *)(data + sizeof(__m256i)));

	return are_same(head, load(data), _mm256_zextsi128_si256(back));
}

#include "fast_path_width.h"

const struct fcn_fast_functions fcn_fast_avx2 = {.ip6 = take_ip6,
		.ip4 = take_ip4,
		.admit = admit,
		.classify6 = classify6,
		.classify4 = classify4,
		.count = count};

#endif
