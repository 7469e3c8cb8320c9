/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The fast path with AVX-512: one register holds the start of a frame. */

#include "fast_path_bridge.h"

#ifdef FCN_FAST_AVX

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
	const __mmask16 words = (1 << FCN_PLAIN_HEAD4 / sizeof(uint32_t)) - 1;
	const struct head *h = head;
	const __m512i front = _mm512_maskz_loadu_epi32(words, data);

	return _mm512_test_epi32_mask(_mm512_xor_si512(front, h->value), h->mask) == 0;
}

#define HAS_PLAIN6

/* Octets of a frame that are checked by more than a comparison with a value. */
#define HOP_LIMIT (RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv6_hdr, hop_limits))
#define OPCODE FCN_PLAIN_BTH
/* The two lengths, by words of 16 bits. */
#define PAYLOAD_LEN ((RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv6_hdr, payload_len)) / 2)
#define UDP_LEN ((FCN_PLAIN_UDP + offsetof(struct rte_udp_hdr, dgram_len)) / 2)
#define LENGTHS (UINT32_C(1) << PAYLOAD_LEN | UINT32_C(1) << UDP_LEN)

/*
 * After XOR with `value`, which has the opcode of a CNP, and AND with `mask`, each octet has to be
 * from `least` to `least` + `range`: the opcode 1 to 255, the hop limit 2 to 255, the others 0.
 */
struct plain_head {
	__m512i value, mask, least, range;
	/* `value` has what the switch's addresses have in common at the octets of the source, too,
	 * where `mask` has no bits; `own` has them. */
	__m512i own;
};

TARGET static __rte_always_inline struct plain_head
plain_head_of(const struct fcn_plain_head *head, const struct rte_ether_addr *mac,
		const struct fcn_own_hull *own)
{
	static const uint8_t cnp[sizeof(__m512i)] = {[OPCODE] = FCN_BTH_OPCODE_CNP};
	static const uint8_t checked[sizeof(__m512i)] = {[2 * PAYLOAD_LEN] = 0xff,
			[2 * PAYLOAD_LEN + 1] = 0xff,
			[HOP_LIMIT] = 0xff,
			[2 * UDP_LEN] = 0xff,
			[2 * UDP_LEN + 1] = 0xff,
			[OPCODE] = 0xff};
	static const uint8_t least[sizeof(__m512i)] = {[HOP_LIMIT] = 2, [OPCODE] = 1};
	static const uint8_t range[sizeof(__m512i)] = {[HOP_LIMIT] = 253, [OPCODE] = 254};
	const struct head same = head_of(head, mac);
	const __m512i value = _mm512_or_si512(same.value, _mm512_loadu_si512(cnp));

	return (struct plain_head){
			.value = _mm512_or_si512(value, _mm512_loadu_si512(own->frame_value6)),
			.own = _mm512_loadu_si512(own->frame_mask6),
			.mask = _mm512_or_si512(same.mask, _mm512_loadu_si512(checked)),
			.least = _mm512_loadu_si512(least),
			.range = _mm512_loadu_si512(range)};
}

TARGET static __rte_always_inline enum fcn_fast_kind
plain6(const void *head, const uint8_t *data, uint32_t len)
{
	const uint16_t payload_len = fcn_swap_be16((uint16_t)(len - FCN_PLAIN_UDP));
	const struct plain_head *h = head;
	const __m512i value = _mm512_mask_set1_epi16(h->value, LENGTHS, (short)payload_len);
	const __m512i frame = _mm512_loadu_si512(data);
	__m512i octets;

	octets = _mm512_ternarylogic_epi32(frame, value, h->mask, 0x28); /* XOR, then AND */
	octets = _mm512_sub_epi8(octets, h->least);
	if (unlikely(_mm512_cmpgt_epu8_mask(octets, h->range) != 0))
		return FCN_FAST_ODD;
	return unlikely(_mm512_test_epi32_mask(_mm512_xor_si512(frame, h->value), h->own) == 0)
			       ? FCN_FAST_MAY_BE_OWN
			       : FCN_FAST_PLAIN;
}

#include "fast_path_width.h"

const struct fcn_fast_functions fcn_fast_avx512 = {.ip6 = take_ip6,
		.ip4 = take_ip4,
		.admit = admit,
		.classify6 = classify6,
		.classify4 = classify4,
		.count = count};

#endif
