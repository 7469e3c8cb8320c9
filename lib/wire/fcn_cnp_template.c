/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_ip.h>

#include "fcn_cnp_l4.h"
#include "fcn_cnp_template.h"
#include "fcn_crc_fold.h"
#include "fcn_udp.h"

#define IPV4_LEN 20
#define IPV6_LEN 40
#define IPV4_CKSUM_OFF 10
#define IPV4_ADDR_OFF 12
#define IPV6_SRC_OFF 8
#define IPV6_DST_OFF 24

/* Octets that the ICRC covers from the UDP header on: UDP, BTH and 16 reserved ones. */
#define COVERED_L4 (FCN_CNP_UDP_LEN - FCN_ICRC_LEN)

/* Factors of the words, by the octets that follow each of them. */
static void
init_factors(struct fcn_cnp_template *tmpl)
{
	for (unsigned int i = 0; i < 2; i++) {
		tmpl->l4_factor[i] = fcn_crc_fold_factor(COVERED_L4 - 8 - 8 * i);
		tmpl->src_factor[i] = fcn_crc_fold_factor(COVERED_L4 + 16 + 8 - 8 * i);
		tmpl->dst_factor[i] = fcn_crc_fold_factor(COVERED_L4 + 8 - 8 * i);
	}
	if (tmpl->same.version == 4)
		tmpl->src_factor[0] = fcn_crc_fold_factor(COVERED_L4);
}

void
fcn_cnp_template_init(struct fcn_cnp_template *tmpl, const struct fcn_crc32 *crc, uint8_t version,
		uint8_t tclass, uint8_t hop_limit)
{
	const uint32_t l4 = version == 4 ? IPV4_LEN : IPV6_LEN;
	uint8_t *udp = tmpl->packet + l4;

	memset(tmpl, 0, sizeof(*tmpl));
	tmpl->same = (struct fcn_cnp){.version = version, .tclass = tclass, .hop_limit = hop_limit};
	tmpl->len = (uint16_t)fcn_cnp_build(crc, &tmpl->same, tmpl->packet, FCN_CNP_MAX_LEN);
	tmpl->zero_crc = fcn_icrc(crc, tmpl->packet, l4, tmpl->len, FCN_ICRC_SKIP);
	memset(udp + FCN_UDP_CKSUM_OFF, 0, 2);
	memset(udp + FCN_CNP_ICRC_OFF, 0, FCN_ICRC_LEN);
	tmpl->checksum_base = fcn_udp_sum(tmpl->same.src, tmpl->same.dst, version == 4 ? 4 : 16,
			udp, FCN_CNP_UDP_LEN);
	if (version == 4) {
		memset(tmpl->packet + IPV4_CKSUM_OFF, 0, 2);
		tmpl->ip_base = rte_raw_cksum(tmpl->packet, IPV4_LEN);
	}
	tmpl->folds = fcn_crc_fold_bits();
	init_factors(tmpl);
}

#ifdef RTE_ARCH_X86

FCN_CRC_FOLD_TARGET static inline __m128i
factors(const uint64_t pair[2])
{
	return _mm_loadu_si128((const __m128i_u *)pair);
}

/* Octets at even places may be added up in any width. */
static inline uint64_t
add(uint64_t sum, uint64_t word)
{
	const bool carry = __builtin_add_overflow(sum, word, &sum);

	return sum + carry;
}

FCN_CRC_FOLD_TARGET static inline uint64_t
add_both(uint64_t sum, __m128i words)
{
	return add(add(sum, (uint64_t)_mm_cvtsi128_si64(words)),
			(uint64_t)_mm_extract_epi64(words, 1));
}

/* The fields of UDP and BTH in their places, and zeros. */
FCN_CRC_FOLD_TARGET static inline __m128i
l4_words(const struct fcn_cnp_fields *f)
{
	return _mm_set_epi32((int)rte_cpu_to_be_32(f->dest_qp & 0xFFFFFF),
			(int)((uint32_t)fcn_cnp_be16(f->p_key) << 16), 0,
			fcn_cnp_be16(f->src_port));
}

/* Write what follows the IP header. @param sum of the pseudo-header and the constant octets */
FCN_CRC_FOLD_TARGET static inline void
put_l4(const struct fcn_cnp_template *tmpl, uint8_t *udp, uint32_t l4, __m128i words, uint32_t icrc,
		uint64_t sum)
{
	const __m128i constant = _mm_loadu_si128((const __m128i_u *)(tmpl->packet + l4));
	const uint64_t tail = (uint64_t)icrc << 32; /* behind four reserved octets */
	uint16_t checksum;

	_mm_storeu_si128((__m128i_u *)udp, _mm_or_si128(words, constant));
	_mm_storeu_si128((__m128i_u *)(udp + 16), _mm_setzero_si128());
	memcpy(udp + FCN_CNP_ICRC_OFF - 4, &tail, sizeof(tail));
	checksum = fcn_cnp_checksum(add(add_both(sum, words), icrc));
	memcpy(udp + FCN_UDP_CKSUM_OFF, &checksum, sizeof(checksum));
}

FCN_CRC_FOLD_TARGET static void
fold6(const struct fcn_cnp_template *tmpl, const struct fcn_cnp_fields *f, uint8_t *ip)
{
	const __m128i src = _mm_loadu_si128((const __m128i_u *)f->src);
	const __m128i dst = _mm_loadu_si128((const __m128i_u *)f->dst);
	const __m128i words = l4_words(f);
	const __m128i crc = _mm_xor_si128(fcn_crc_fold_pair(src, factors(tmpl->src_factor)),
			_mm_xor_si128(fcn_crc_fold_pair(dst, factors(tmpl->dst_factor)),
					fcn_crc_fold_pair(words, factors(tmpl->l4_factor))));

	memcpy(ip, tmpl->packet, IPV6_SRC_OFF);
	_mm_storeu_si128((__m128i_u *)(ip + IPV6_SRC_OFF), src);
	_mm_storeu_si128((__m128i_u *)(ip + IPV6_DST_OFF), dst);
	put_l4(tmpl, ip + IPV6_LEN, IPV6_LEN, words, tmpl->zero_crc ^ fcn_crc_fold_reduce(crc),
			add_both(add_both(tmpl->checksum_base, src), dst));
}

FCN_CRC_FOLD_TARGET static void
fold4(const struct fcn_cnp_template *tmpl, const struct fcn_cnp_fields *f, uint8_t *ip)
{
	const __m128i words = l4_words(f);
	uint32_t addr[2];
	uint64_t both;
	uint16_t checksum;
	__m128i crc;

	memcpy(&addr[0], f->src, 4);
	memcpy(&addr[1], f->dst, 4);
	both = addr[0] | (uint64_t)addr[1] << 32;
	crc = _mm_xor_si128(_mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)both),
					    factors(tmpl->src_factor), 0x00),
			fcn_crc_fold_pair(words, factors(tmpl->l4_factor)));
	memcpy(ip, tmpl->packet, IPV4_ADDR_OFF);
	memcpy(ip + IPV4_ADDR_OFF, &both, sizeof(both));
	/* Other than that of UDP, it may be 0; a header is not all zeros, so 0xFFFF is none. */
	checksum = fcn_cnp_checksum(add(tmpl->ip_base, both));
	checksum = checksum == 0xFFFF ? 0 : checksum;
	memcpy(ip + IPV4_CKSUM_OFF, &checksum, sizeof(checksum));
	put_l4(tmpl, ip + IPV4_LEN, IPV4_LEN, words, tmpl->zero_crc ^ fcn_crc_fold_reduce(crc),
			add(tmpl->checksum_base, both));
}

#endif

void
fcn_cnp_template_build(const struct fcn_cnp_template *tmpl, const struct fcn_crc32 *crc,
		const struct fcn_cnp_fields *f, uint8_t *buf)
{
	struct fcn_cnp cnp;

#ifdef RTE_ARCH_X86
	if (likely(tmpl->folds != 0)) {
		if (tmpl->same.version == 4)
			fold4(tmpl, f, buf);
		else
			fold6(tmpl, f, buf);
		return;
	}
#endif
	cnp = tmpl->same;
	memcpy(cnp.src, f->src, cnp.version == 4 ? 4 : 16);
	memcpy(cnp.dst, f->dst, cnp.version == 4 ? 4 : 16);
	cnp.src_port = f->src_port;
	cnp.p_key = f->p_key;
	cnp.dest_qp = f->dest_qp;
	fcn_cnp_build(crc, &cnp, buf, tmpl->len);
}
