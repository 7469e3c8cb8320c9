/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Plain packets with AVX-512: the headers of a frame are one register. One comparison checks all
 * that is constant in them, and one permutation of octets makes the metadata.
 */

#include "classify.h"

#ifdef FCN_CLASSIFY_AVX

/* fcn_x86_vectors.h keeps the declarations of wide vectors out of other files. */
#undef _IMMINTRIN_H_INCLUDED
#undef __IMMINTRIN_H
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vbmi")))

#define FROM 6 /* octets of a frame in front of those that the metadata is from */
#define UDP FCN_PLAIN_UDP
#define BTH FCN_PLAIN_BTH

/*
 * Octets of the register for each octet of struct fcn_wire_info, and those that are not 0. In place
 * of proxy_off are the two octets that have the traffic class.
 */
static const uint8_t places[64] = {
		[14] = 19 - FROM, /* ip_len: payload length, in host byte order */
		[15] = 18 - FROM,
		[20] = UDP + 1 - FROM, /* src_port */
		[21] = UDP - FROM,
		[24] = BTH + 3 - FROM, /* p_key */
		[25] = BTH + 2 - FROM,
		[28] = BTH + 7 - FROM, /* dest_qp */
		[29] = BTH + 6 - FROM,
		[30] = BTH + 5 - FROM,
		[32] = BTH - FROM, /* opcode */
		[33] = 20 - FROM,  /* proto */
		[35] = 21 - FROM,  /* ttl */
		[36] = 15 - FROM,
		[37] = 14 - FROM,
};
#define PLACES UINT64_C(0x3B7330C000)

/* Bits to which each octet is shifted within its 64 bits: tclass is in the two octets above. */
#define SAME 0, 8, 16, 24, 32, 40, 48, 56
static const uint8_t shifts[64] = {
		SAME, SAME, SAME, SAME, 0, 8, 36, 24, 48, 48, 48, 48, SAME, SAME, SAME};

/* What the same fields of all packets have, and what the payload length lacks. */
static const union {
	struct fcn_wire_info info;
	uint8_t octets[64];
} constant = {
		.info = {.flags = FCN_PKT_IPV6 | FCN_PKT_UDP | FCN_PKT_ROCE | FCN_PKT_ROCE_PORT,
				.ether_type = RTE_ETHER_TYPE_IPV6,
				.l3_off = RTE_ETHER_HDR_LEN,
				.inner_l3_off = RTE_ETHER_HDR_LEN,
				.ip_len = sizeof(struct rte_ipv6_hdr),
				.l4_off = UDP,
				.final_dst_off = RTE_ETHER_HDR_LEN +
						 offsetof(struct rte_ipv6_hdr, dst_addr),
				.dst_port = FCN_ROCE_UDP_PORT},
};

TARGET unsigned int
fcn_classify_avx512(struct fcn_burst *b, unsigned int from, unsigned int to,
		const struct fcn_classify_run *run)
{
	const __m128i mac = _mm_cvtsi64_si128((int64_t)(run->mac >> 16));
	const __m512i value = _mm512_or_si512(
			_mm512_loadu_si512(run->head->value), _mm512_zextsi128_si512(mac));
	const __m512i mask = _mm512_loadu_si512(run->head->mask);
	const __m512i place = _mm512_loadu_si512(places), shift = _mm512_loadu_si512(shifts);
	const __m512i add = _mm512_loadu_si512(constant.octets);
	const uint8_t *class_of_dscp = run->class_of_dscp;
	const uint16_t flags = run->fast_route_flags;
	const uint32_t range = fcn_classify_range(run);
	unsigned int i;

	for (i = from; i < to; i++) {
		const struct rte_mbuf *m = b->mbuf[i];
		const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
		struct fcn_packet *p = &b->pkt[i];
		__m512i head, info;

		if (unlikely(!fcn_classify_has_length(m, data, range)))
			break;
		head = _mm512_loadu_si512(data);
		if (unlikely(_mm512_test_epi8_mask(_mm512_xor_si512(head, value), mask) != 0 ||
				    data[FCN_PLAIN_BTH] == FCN_BTH_OPCODE_CNP))
			break;
		info = _mm512_maskz_permutexvar_epi8(
				PLACES, place, _mm512_loadu_si512(data + FROM));
		info = _mm512_multishift_epi64_epi8(shift, info);
		info = _mm512_add_epi16(info, add);
		_mm256_store_si256((void *)&p->info, _mm512_castsi512_si256(info));
		_mm_storel_epi64((void *)&p->info.opcode, _mm512_extracti32x4_epi32(info, 2));
		p->flags = flags;
		p->class = class_of_dscp[p->info.tclass >> 2];
	}
	return i;
}

#endif
