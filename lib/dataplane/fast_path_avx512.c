/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The fast path with AVX-512: one register holds the start of a frame. */

#include "fast_path_bridge.h"

#ifdef FCN_CLASSIFY_AVX

/* fcn_x86_vectors.h keeps the declarations of wide vectors out of other files. */
#undef _IMMINTRIN_H_INCLUDED
#undef __IMMINTRIN_H
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw")))

struct head {
	__m512i value, mask;
};

TARGET static __rte_always_inline struct head
head_of(const struct fcn_plain_head *head, const struct rte_ether_addr *mac)
{
	uint8_t value[sizeof(__m512i)];

	memcpy(value, head->value, sizeof(value));
	memcpy(value, mac, sizeof(*mac));
	return (struct head){
			.value = _mm512_loadu_si512(value), .mask = _mm512_loadu_si512(head->mask)};
}

TARGET static __rte_always_inline bool
matches6(const void *head, const uint8_t *data)
{
	const struct head *h = head;
	const __m512i front = _mm512_loadu_si512(data);

	return _mm512_test_epi32_mask(_mm512_xor_si512(front, h->value), h->mask) == 0;
}

/* A frame of RoCEv2 over IPv4 may be shorter than a register. */
TARGET static __rte_always_inline bool
matches4(const void *head, const uint8_t *data)
{
	const __mmask16 words = (1 << FCN_FAST_IP4_HEAD / sizeof(uint32_t)) - 1;
	const struct head *h = head;
	const __m512i front = _mm512_maskz_loadu_epi32(words, data);

	return _mm512_test_epi32_mask(_mm512_xor_si512(front, h->value), h->mask) == 0;
}

#include "fast_path_width.h"

const struct fcn_fast_functions fcn_fast_avx512 = {
		.ip6 = take_ip6, .ip4 = take_ip4, .admit = admit};

#endif
