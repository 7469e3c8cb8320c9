/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Fast CNPs in one pass, for the kinds of notices that build many: the same packets as those of
 * fcn_fastcnp_build_burst(). The functions are inlined into the caller, which has the attribute
 * FCN_FASTCNP_FOLD_TARGET, and keeps in registers what is the same in all of them.
 */

#ifndef FCN_FASTCNP_FOLD_H
#define FCN_FASTCNP_FOLD_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <netinet/in.h>

#include "fcn_cnp_l4.h"
#include "fcn_crc_fold.h"
#include "fcn_fastcnp.h"

/** The option PadN (RFC 8200 section 4.2). */
#define FCN_FASTCNP_PADN 1

/** Length of the extension header with option 1. */
#define FCN_FASTCNP_OPT1_EXT_LEN (FCN_FASTCNP_OPT1_LEN - 40 - FCN_CNP_UDP_LEN)

/** Check whether a template allows it: the CPU has the instructions, and the ICRC does not cover
 * extension headers. */
static inline bool
fcn_fastcnp_folds(const struct fcn_fastcnp_template *tmpl)
{
	return tmpl->folds != 0 && tmpl->conf.icrc_mode != FCN_ICRC_COVER;
}

#ifdef RTE_ARCH_X86

#define FCN_FASTCNP_FOLD_TARGET FCN_CRC_FOLD_TARGET

/** What is the same in all notices. */
struct fcn_fastcnp_fold {
	const struct fcn_fastcnp_template *tmpl;
	__m128i ip;            /**< first octets of the IPv6 header */
	__m128i udp;           /**< first octets of UDP and BTH, the variable fields zero */
	__m128i fields;        /**< mask: these fields */
	__m128i sender_factor; /**< as in struct fcn_fastcnp_template */
	__m128i l4_factor;
	uint64_t source; /**< last octets of the source address */
	uint64_t ext;    /**< first octets of the extension header with option 1 */
};

FCN_FASTCNP_FOLD_TARGET static __rte_always_inline struct fcn_fastcnp_fold
fcn_fastcnp_fold_begin(const struct fcn_fastcnp_template *tmpl)
{
	const uint8_t *p = tmpl->packet;
	struct fcn_fastcnp_fold f = {
			.tmpl = tmpl,
			.ip = _mm_loadu_si128((const __m128i_u *)p),
			.udp = _mm_loadu_si128((const __m128i_u *)(p + FCN_FASTCNP_OPT1_LEN -
								   FCN_CNP_UDP_LEN)),
			/* source port, P_Key, destination queue pair */
			.fields = _mm_setr_epi32(0xFFFF, 0, (int)0xFFFF0000, (int)0xFFFFFF00),
			.sender_factor = _mm_loadu_si128((const __m128i_u *)tmpl->sender_factor),
			.l4_factor = _mm_loadu_si128((const __m128i_u *)tmpl->l4_factor),
	};

	memcpy(&f.source, p + 16, sizeof(f.source));
	memcpy(&f.ext, p + 40, sizeof(f.ext));
	return f;
}

/** Write the extension header of a notice with option 1. @param receiver 16 bytes */
FCN_FASTCNP_FOLD_TARGET static __rte_always_inline void
fcn_fastcnp_fold_opt1(const struct fcn_fastcnp_fold *f, uint8_t *ip, const uint8_t *receiver)
{
	memcpy(ip + 40, &f->ext, sizeof(f->ext));
	memcpy(ip + 48, receiver, 16);
}

/**
 * Write the extension header of a notice with option 2, and the trace without a call of memcpy().
 *
 * @param receiver   16 bytes
 * @param trace_type,trace,trace_len as in struct fcn_fastcnp_request; the trace fits
 * @return length of the extension header
 */
FCN_FASTCNP_FOLD_TARGET static __rte_always_inline unsigned int
fcn_fastcnp_fold_opt2(const struct fcn_fastcnp_fold *f, uint8_t *ip, const uint8_t *receiver,
		uint8_t trace_type, const uint8_t *trace, unsigned int trace_len)
{
	const unsigned int used = FCN_FASTCNP_OPT2_FIXED_LEN - FCN_IOAM_TRACE_HDR_LEN + trace_len;
	const unsigned int len = RTE_ALIGN_CEIL(used, 8);
	uint8_t *ext = ip + 40, *to = ext + 8;
	/* Next Header and length, PadN of 2, option type and length, Reserved and IOAM Opt-Type */
	const uint64_t head = IPPROTO_UDP | (uint64_t)(len / 8 - 1) << 8 |
			      (uint64_t)FCN_FASTCNP_PADN << 16 |
			      (uint64_t)f->tmpl->conf.opt2_type << 32 |
			      (uint64_t)(2 + trace_len + 16) << 40 | (uint64_t)trace_type << 56;
	const uint32_t pad = FCN_FASTCNP_PADN | 2 << 8;

	memcpy(ext, &head, sizeof(head));
	/* Up to 15 octets behind the trace are copied, too: the packet has them, as UDP and BTH
	 * follow, and the receiver is written in their place. */
	for (unsigned int i = 0; i < trace_len; i += 16)
		memcpy(to + i, trace + i, 16);
	memcpy(ext + used - 16, receiver, 16);
	if (len != used)
		memcpy(ext + used, &pad, sizeof(pad));
	return len;
}

/**
 * Write all but the extension header of a notice.
 *
 * @param ip     where its IPv6 header goes
 * @param sender 16 bytes: source address of the data packet
 * @param l4     UDP header and BTH of the data packet
 */
FCN_FASTCNP_FOLD_TARGET static __rte_always_inline void
fcn_fastcnp_fold_end(const struct fcn_fastcnp_fold *f, uint8_t *ip, unsigned int ext_len,
		const uint8_t *sender, const uint8_t *l4)
{
	const __m128i to = _mm_loadu_si128((const __m128i_u *)sender);
	const __m128i fields = _mm_and_si128(_mm_loadu_si128((const __m128i_u *)l4), f->fields);
	const __m128i crc = _mm_xor_si128(fcn_crc_fold_pair(to, f->sender_factor),
			fcn_crc_fold_pair(fields, f->l4_factor));
	const uint32_t icrc = f->tmpl->zero_crc[ext_len / 8] ^ fcn_crc_fold_reduce(crc);
	const uint64_t word[] = {(uint64_t)_mm_extract_epi64(fields, 1),
			(uint64_t)_mm_cvtsi128_si64(to), (uint64_t)_mm_extract_epi64(to, 1), icrc};
	/* Octets at even places may be added up in any width. What is known first is added first.
	 */
	uint64_t sum = (uint64_t)f->tmpl->checksum_base + (uint64_t)_mm_cvtsi128_si64(fields);
	const uint64_t tail = (uint64_t)icrc << 32; /* behind four reserved octets */
	uint8_t *udp = ip + 40 + ext_len;
	uint16_t checksum;

	for (unsigned int i = 0; i < RTE_DIM(word); i++) {
		bool carry = __builtin_add_overflow(sum, word[i], &sum);

		sum += carry;
	}
	_mm_storeu_si128((__m128i_u *)ip, f->ip);
	memcpy(ip + 16, &f->source, sizeof(f->source));
	_mm_storeu_si128((__m128i_u *)(ip + 24), to);
	_mm_storeu_si128((__m128i_u *)udp, _mm_or_si128(fields, f->udp));
	_mm_storeu_si128((__m128i_u *)(udp + 16), _mm_setzero_si128());
	memcpy(udp + FCN_CNP_ICRC_OFF - 4, &tail, sizeof(tail));
	checksum = fcn_cnp_checksum(sum);
	memcpy(udp + FCN_UDP_CKSUM_OFF, &checksum, sizeof(checksum));
	if (unlikely(ext_len != FCN_FASTCNP_OPT1_EXT_LEN)) {
		rte_be16_t len = fcn_cnp_be16((uint16_t)(ext_len + FCN_CNP_UDP_LEN));

		memcpy(ip + 4, &len, sizeof(len));
	}
}

#endif

#endif /* FCN_FASTCNP_FOLD_H */
