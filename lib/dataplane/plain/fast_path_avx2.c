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

#define HAS_PLAIN6
#define HAS_PLAIN4

/*
 * Octets of a frame that are checked by more than a comparison with a value. Both registers are
 * combined by OR: none of these octets stands where the other register has one that is compared. So
 * one comparison is enough: after XOR with `value`, which has the opcode of a CNP, and AND with
 * `mask`, and after XOR with the lengths, each octet has to be from `least` to `least` + `range`:
 * the opcode 1 to 255, the hop limit 2 to 255, the others 0.
 *
 * `value` also has what the switch's addresses have in common, where `mask` has no bits: at octets
 * of the source. Without a difference there, the source may be an address of the switch.
 */
#define SECOND(off) ((off) - sizeof(__m256i))
#define HOP_LIMIT6 (RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv6_hdr, hop_limits))
#define HOP_LIMIT4 (RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv4_hdr, time_to_live))
#define OPCODE6 SECOND(FCN_PLAIN_BTH)
#define OPCODE4 SECOND(FCN_PLAIN_BTH4)
/* The two lengths over IPv6, which are the same number. */
#define PAYLOAD_LEN (RTE_ETHER_HDR_LEN + offsetof(struct rte_ipv6_hdr, payload_len))
#define UDP_LEN SECOND(FCN_PLAIN_UDP + offsetof(struct rte_udp_hdr, dgram_len))

struct plain_head {
	struct head head;
	__m256i lengths, least, range;
	__m256i own0, own1; /* octets of the source, in the two registers */
};

TARGET static __rte_always_inline struct plain_head
plain_head_of(const struct fcn_plain_head *head, const struct rte_ether_addr *mac,
		const struct fcn_own_hull *own)
{
	static const uint8_t front[sizeof(__m256i)] = {
			[HOP_LIMIT6] = 0xff, [PAYLOAD_LEN] = 0xff, [PAYLOAD_LEN + 1] = 0xff};
	static const uint8_t back[sizeof(__m256i)] = {
			[OPCODE6] = 0xff, [UDP_LEN] = 0xff, [UDP_LEN + 1] = 0xff};
	static const uint8_t cnp[sizeof(__m256i)] = {[OPCODE6] = FCN_BTH_OPCODE_CNP};
	static const uint8_t lengths[sizeof(__m256i)] = {[PAYLOAD_LEN] = 0xff,
			[PAYLOAD_LEN + 1] = 0xff,
			[UDP_LEN] = 0xff,
			[UDP_LEN + 1] = 0xff};
	static const uint8_t least[sizeof(__m256i)] = {[HOP_LIMIT6] = 2, [OPCODE6] = 1};
	static const uint8_t range[sizeof(__m256i)] = {[HOP_LIMIT6] = 253, [OPCODE6] = 254};
	const struct head same = head_of(head, mac);
	const __m256i value1 = _mm256_or_si256(same.value1, load(cnp));

	return (struct plain_head){
			.head = {.value0 = _mm256_or_si256(same.value0, load(own->frame_value6)),
					.value1 = _mm256_or_si256(value1,
							load(own->frame_value6 + sizeof(__m256i))),
					.mask0 = _mm256_or_si256(same.mask0, load(front)),
					.mask1 = _mm256_or_si256(same.mask1, load(back))},
			.lengths = load(lengths),
			.least = load(least),
			.range = load(range),
			.own0 = load(own->frame_mask6),
			.own1 = load(own->frame_mask6 + sizeof(__m256i))};
}

TARGET static __rte_always_inline struct plain_head
plain_head4_of(const struct fcn_plain_head *head, const struct rte_ether_addr *mac,
		const struct fcn_own_hull *own)
{
	static const uint8_t front[sizeof(__m256i)] = {[HOP_LIMIT4] = 0xff};
	static const uint8_t back[sizeof(__m256i)] = {[OPCODE4] = 0xff};
	static const uint8_t cnp[sizeof(__m256i)] = {[OPCODE4] = FCN_BTH_OPCODE_CNP};
	static const uint8_t least[sizeof(__m256i)] = {[HOP_LIMIT4] = 2, [OPCODE4] = 1};
	static const uint8_t range[sizeof(__m256i)] = {[HOP_LIMIT4] = 253, [OPCODE4] = 254};
	const struct head same = head_of(head, mac);

	return (struct plain_head){
			.head = {.value0 = _mm256_or_si256(same.value0, load(own->frame_value4)),
					.value1 = _mm256_or_si256(same.value1, load(cnp)),
					.mask0 = _mm256_or_si256(same.mask0, load(front)),
					.mask1 = _mm256_or_si256(same.mask1, load(back))},
			.least = load(least),
			.range = load(range),
			.own0 = load(own->frame_mask4)};
}

TARGET static __rte_always_inline bool
is_in_range(const struct plain_head *h, __m256i octets)
{
	octets = _mm256_subs_epu8(_mm256_sub_epi8(octets, h->least), h->range);
	return _mm256_testz_si256(octets, octets);
}

TARGET static __rte_always_inline enum fcn_fast_kind
plain6(const void *head, const uint8_t *data, uint32_t len)
{
	const struct plain_head *h = head;
	const uint16_t payload_len = fcn_swap_be16((uint16_t)(len - FCN_PLAIN_UDP));
	const __m256i front = _mm256_xor_si256(load(data), h->head.value0);
	const __m256i back = _mm256_xor_si256(load(data + sizeof(__m256i)), h->head.value1);
	const __m256i lengths = _mm256_and_si256(_mm256_set1_epi16((short)payload_len), h->lengths);
	const __m256i octets = _mm256_or_si256(_mm256_and_si256(front, h->head.mask0),
			_mm256_and_si256(back, h->head.mask1));

	if (unlikely(!is_in_range(h, _mm256_xor_si256(octets, lengths))))
		return FCN_FAST_ODD;
	return unlikely(_mm256_testz_si256(front, h->own0)) && _mm256_testz_si256(back, h->own1)
			       ? FCN_FAST_MAY_BE_OWN
			       : FCN_FAST_PLAIN;
}

TARGET static __rte_always_inline enum fcn_fast_kind
plain4(const void *head, const uint8_t *data, uint32_t len)
{
	const struct plain_head *h = head;
	const __m128i rest = _mm_loadu_si128((const void *)(data + sizeof(__m256i)));
	const __m256i front = _mm256_xor_si256(load(data), h->head.value0);
	const __m256i back = _mm256_xor_si256(_mm256_zextsi128_si256(rest), h->head.value1);
	const __m256i octets = _mm256_or_si256(_mm256_and_si256(front, h->head.mask0),
			_mm256_and_si256(back, h->head.mask1));

	if (unlikely(!fcn_fast_lengths4_agree(data, len) || !is_in_range(h, octets) ||
			    !fcn_fast_is_sound4(data)))
		return FCN_FAST_ODD;
	return unlikely(_mm256_testz_si256(front, h->own0)) ? FCN_FAST_MAY_BE_OWN : FCN_FAST_PLAIN;
}

#include "fast_path_width.h"

const struct fcn_fast_functions fcn_fast_avx2 = {.ip6 = take_ip6,
		.ip4 = take_ip4,
		.admit = admit,
		.classify6 = classify6,
		.classify4 = classify4,
		.count = count};

#endif
