/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Plain packets with AVX2: one comparison of two registers checks all that is constant in their
 * headers. */

#include "classify.h"

#ifdef FCN_CLASSIFY_AVX

/* fcn_x86_vectors.h keeps the declarations of wide vectors out of other files. */
#undef _IMMINTRIN_H_INCLUDED
#undef __IMMINTRIN_H
#include <immintrin.h>

#define TARGET __attribute__((target("avx2")))

TARGET unsigned int
fcn_classify_avx2(struct fcn_burst *b, unsigned int from, unsigned int to,
		const struct fcn_classify_run *run)
{
	const struct fcn_plain_head *head = run->head;
	const __m128i mac = _mm_cvtsi64_si128((int64_t)(run->mac >> 16));
	const __m256i value0 = _mm256_or_si256(
			_mm256_loadu_si256((const void *)head->value), _mm256_zextsi128_si256(mac));
	const __m256i value1 = _mm256_loadu_si256((const void *)(head->value + 32));
	const __m256i mask0 = _mm256_loadu_si256((const void *)head->mask);
	const __m256i mask1 = _mm256_loadu_si256((const void *)(head->mask + 32));
	const uint8_t *class_of_dscp = run->class_of_dscp;
	const uint16_t flags = run->fast_route_flags;
	const uint32_t range = fcn_classify_range(run);
	unsigned int i;

	for (i = from; i < to; i++) {
		const struct rte_mbuf *m = b->mbuf[i];
		const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
		struct fcn_packet *p = &b->pkt[i];
		__m256i front, back;

		if (unlikely(!fcn_classify_has_length(m, data, range)))
			break;
		/* Compilers make two loads of others that may not be aligned. */
		front = _mm256_lddqu_si256((const void *)data);
		back = _mm256_lddqu_si256((const void *)(data + 32));
		front = _mm256_and_si256(_mm256_xor_si256(front, value0), mask0);
		back = _mm256_and_si256(_mm256_xor_si256(back, value1), mask1);
		front = _mm256_or_si256(front, back);
		if (unlikely(!_mm256_testz_si256(front, front) ||
				    data[FCN_PLAIN_BTH] == FCN_BTH_OPCODE_CNP))
			break;
		fcn_parse_fast_info(data, fcn_get_be64(data + RTE_ETHER_HDR_LEN), &p->info);
		p->flags = flags;
		p->class = class_of_dscp[p->info.tclass >> 2];
	}
	return i;
}

#endif
