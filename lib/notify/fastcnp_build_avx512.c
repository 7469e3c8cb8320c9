/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Fast CNPs as build_by_fold() of fcn_notice_fastcnp.c makes them, with AVX-512. The carry-less
 * products of the ICRC take two cycles each, however wide they are, so they are made for four
 * notices at a time, and the UDP checksums with them. For that, all notices of a piece are written
 * first, without these two fields. What the products are made of goes to memory meanwhile: if it
 * were gathered at once, the products would have to wait for it.
 */

#include "fastcnp_vectors.h"

#ifdef RTE_ARCH_X86

/* fcn_x86_vectors.h keeps the declarations of wide vectors out of other files. */
#undef _IMMINTRIN_H_INCLUDED
#undef __IMMINTRIN_H
#include <immintrin.h>

#define TARGET                                                                                   \
	__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,vpclmulqdq,pclmul,sse4.1,bmi," \
			      "bmi2")))

#define LANES 4 /* notices in a vector of 512 bits */

/* Notices of a piece, as far as the fields that are left depend on them. */
struct piece {
	__m128i sender[FCN_FASTCNP_KIND_PIECE]; /* destination address */
	__m128i fields[FCN_FASTCNP_KIND_PIECE]; /* variable fields of UDP and BTH */
	/* ICRC of such a notice whose variable fields are zero, in the upper half */
	uint64_t zero[FCN_FASTCNP_KIND_PIECE];
	uint8_t *udp[FCN_FASTCNP_KIND_PIECE];
} __rte_aligned(64);

/* What is the same in all notices. */
struct wide {
	struct fcn_fastcnp_fold fold;
	__m128i source, ext; /* the words of `fold`, in the lower and the upper half */
	__m256i plain, kept; /* the first 32 octets of the metadata, and mask: those of the cause */
	uint64_t rest;       /* of the metadata */
};

TARGET static __rte_always_inline struct wide
begin(const struct fcn_fastcnp_kind_conf *conf)
{
	const uint8_t *plain = (const uint8_t *)&conf->plain;
	struct wide w = {
			.fold = fcn_fastcnp_fold_begin(&conf->fastcnp),
			.plain = _mm256_loadu_si256((const __m256i_u *)plain),
			.kept = _mm256_setr_epi32(0, 0, 0, 0, 0, 0xFFFF, 0, ~0),
	};

	w.source = _mm_cvtsi64_si128((long long)w.fold.source);
	w.ext = _mm_slli_si128(_mm_cvtsi64_si128((long long)w.fold.ext), 8);
	/* the length and the offset of most notices: option 1 behind an Ethernet header */
	w.plain = _mm256_insert_epi16(w.plain, RTE_ETHER_HDR_LEN, 5);
	w.plain = _mm256_insert_epi16(w.plain, FCN_FASTCNP_OPT1_LEN, 7);
	memcpy(&w.rest, plain + FCN_FASTCNP_INFO_REST, sizeof(w.rest));
	return w;
}

/* Write the headers of a notice with option 1, without ICRC and checksum. */
TARGET static __rte_always_inline void
put_opt1(const struct wide *w, uint8_t *ip, __m128i to, __m128i fields, const uint8_t *receiver)
{
	const __m128i second = _mm_unpacklo_epi64(w->source, to);
	const __m128i third = _mm_unpackhi_epi64(to, w->ext);
	const __m128i fourth = _mm_loadu_si128((const __m128i_u *)receiver);
	const __m128i l4 = _mm_or_si128(fields, w->fold.udp);

	_mm256_storeu_si256((__m256i_u *)ip,
			_mm256_inserti128_si256(_mm256_castsi128_si256(w->fold.ip), second, 1));
	_mm256_storeu_si256((__m256i_u *)(ip + 32),
			_mm256_inserti128_si256(_mm256_castsi128_si256(third), fourth, 1));
	_mm256_storeu_si256((__m256i_u *)(ip + 64), _mm256_zextsi128_si256(l4));
}

/* The same for one with option 2. @return length of the extension header */
TARGET static __rte_always_inline unsigned int
put_opt2(const struct wide *w, uint8_t *ip, const struct fcn_notice_order *o)
{
	const struct fcn_wire_info *about = o->about;
	const uint8_t *trace = o->data + about->ioam_off;
	const __m128i to = _mm_loadu_si128((const __m128i_u *)fcn_notify_sender(o->data, about));
	const __m128i l4 = _mm_loadu_si128((const __m128i_u *)(o->data + about->l4_off));
	const unsigned int ext_len = fcn_fastcnp_fold_opt2(&w->fold, ip,
			o->data + about->final_dst_off, trace[3], trace + 4, about->ioam_len - 2u);
	const rte_be16_t len = fcn_cnp_be16((uint16_t)(ext_len + FCN_CNP_UDP_LEN));

	_mm256_storeu_si256(
			(__m256i_u *)ip, _mm256_inserti128_si256(_mm256_castsi128_si256(w->fold.ip),
							 _mm_unpacklo_epi64(w->source, to), 1));
	memcpy(ip + 4, &len, sizeof(len));
	_mm_storel_epi64((__m128i_u *)(ip + 32), _mm_unpackhi_epi64(to, to));
	_mm256_storeu_si256((__m256i_u *)(ip + 40 + ext_len),
			_mm256_zextsi128_si256(_mm_or_si128(
					_mm_and_si128(l4, w->fold.fields), w->fold.udp)));
	return ext_len;
}

/* Write the Ethernet header, if there is one, and the metadata of a notice and of its buffer. */
TARGET static __rte_always_inline void
describe(const struct wide *w, const struct fcn_notice_order *o, uint8_t *ip, unsigned int len)
{
	const __m256i about = _mm256_loadu_si256((const __m256i_u *)o->about);
	uint8_t *info = (uint8_t *)o->info;
	const struct rte_ether_hdr *head = o->head;
	struct rte_mbuf *m = o->mbuf;

	_mm256_storeu_si256((__m256i_u *)info,
			_mm256_or_si256(_mm256_and_si256(about, w->kept), w->plain));
	memcpy(info + FCN_FASTCNP_INFO_REST, &w->rest, sizeof(w->rest));
	if (unlikely(len != FCN_FASTCNP_OPT1_LEN))
		o->info->ip_len = (uint16_t)len;
	if (likely(head != NULL)) {
		fcn_fastcnp_put_head(m, ip, head);
		len += sizeof(*head);
	} else {
		o->info->l3_off = 0;
	}
	fcn_fastcnp_put_lengths(m, len);
}

/* Write notice i of a piece, without ICRC and checksum. */
TARGET static __rte_always_inline void
put(const struct wide *w, const struct fcn_notice_order *o, struct piece *piece, unsigned int i)
{
	const struct fcn_wire_info *about = o->about;
	uint8_t *ip = rte_pktmbuf_mtod(o->mbuf, uint8_t *);
	const __m128i to = _mm_loadu_si128((const __m128i_u *)fcn_notify_sender(o->data, about));
	const __m128i fields = _mm_and_si128(
			_mm_loadu_si128((const __m128i_u *)(o->data + about->l4_off)),
			w->fold.fields);
	unsigned int ext_len = FCN_FASTCNP_OPT1_EXT_LEN;

	if (likely(o->form != FCN_FASTCNP_KIND_OPT2 ||
			    !fcn_fastcnp_trace_fits(about->ioam_len - 2)))
		put_opt1(w, ip, to, fields, o->data + about->final_dst_off);
	else
		ext_len = put_opt2(w, ip, o);
	_mm_store_si128(&piece->sender[i], to);
	_mm_store_si128(&piece->fields[i], fields);
	piece->zero[i] = (uint64_t)w->fold.tmpl->zero_crc[ext_len / 8] << 32;
	piece->udp[i] = ip + 40 + ext_len;
	describe(w, o, ip, ext_len + FCN_FASTCNP_OPT1_LEN - FCN_FASTCNP_OPT1_EXT_LEN);
}

/* Multiply the four pairs of words at `words` by their factors, and add the products of a pair. */
TARGET static __rte_always_inline __m512i
fold_pairs(__m512i words, __m512i factors)
{
	return _mm512_xor_si512(_mm512_clmulepi64_epi128(words, factors, 0x00),
			_mm512_clmulepi64_epi128(words, factors, 0x11));
}

/* fcn_crc_fold_reduce() of four sums. The result is in the upper half of the first word of each. */
TARGET static __rte_always_inline __m512i
reduce(__m512i sum)
{
	const __m512i low = _mm512_set1_epi64(UINT32_MAX);
	const __m512i x64 = _mm512_set1_epi64(0x163cd6124);
	const __m512i poly = _mm512_broadcast_i32x4(_mm_set_epi64x(0x1f7011641, 0x1db710641));
	__m512i t = _mm512_bsrli_epi128(sum, 4);

	sum = _mm512_xor_si512(t, _mm512_clmulepi64_epi128(_mm512_and_si512(sum, low), x64, 0x00));
	t = _mm512_clmulepi64_epi128(_mm512_and_si512(sum, low), poly, 0x10);
	return _mm512_xor_si512(
			sum, _mm512_clmulepi64_epi128(_mm512_and_si512(t, low), poly, 0x00));
}

/* Add the halves of each word. */
TARGET static __rte_always_inline __m512i
halves(__m512i word)
{
	const __m512i low = _mm512_set1_epi64(UINT32_MAX);

	return _mm512_add_epi64(_mm512_and_si512(word, low), _mm512_srli_epi64(word, 32));
}

/* Write ICRC and checksum of notices `from` to from + LANES of a piece, as far as there are n. */
TARGET static __rte_always_inline void
finish(const struct fcn_fastcnp_template *tmpl, const struct piece *piece, unsigned int from,
		unsigned int n)
{
	const __m512i sender = _mm512_load_si512((const void *)&piece->sender[from]);
	const __m512i fields = _mm512_load_si512((const void *)&piece->fields[from]);
	const __m512i sender_factor = _mm512_broadcast_i32x4(
			_mm_loadu_si128((const __m128i_u *)tmpl->sender_factor));
	const __m512i l4_factor = _mm512_broadcast_i32x4(
			_mm_loadu_si128((const __m128i_u *)tmpl->l4_factor));
	const __m512i upper = _mm512_set1_epi64((long long)(UINT64_MAX << 32));
	const __m512i ones = _mm512_set1_epi64(0xFFFF);
	/* the first word of each lane; the others do not matter */
	const __m512i spread = _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3);
	const __m512i zero = _mm512_permutexvar_epi64(spread,
			_mm512_castsi256_si512(_mm256_load_si256(
					(const __m256i *)(const void *)&piece->zero[from])));
	const __m512i crc = reduce(_mm512_xor_si512(
			fold_pairs(sender, sender_factor), fold_pairs(fields, l4_factor)));
	/* The ICRC stands behind four reserved octets. */
	const __m512i tail = _mm512_xor_si512(_mm512_and_si512(crc, upper), zero);
	/* Octets at even places may be added up in any width. */
	__m512i sum = _mm512_add_epi64(halves(sender), halves(fields));
	uint64_t tails[2 * LANES] __rte_aligned(64), checksums[2 * LANES] __rte_aligned(64);

	sum = _mm512_add_epi64(sum, _mm512_shuffle_epi32(sum, (_MM_PERM_ENUM)0x4E));
	sum = _mm512_add_epi64(sum, _mm512_srli_epi64(tail, 32));
	sum = _mm512_add_epi64(sum, _mm512_set1_epi64(tmpl->checksum_base));
	/*
	 * It is made of ten words of 32 bits. The sum of its halves is below 2^32, or at most 8
	 * more: after one step at most 0x1FFFE, and after two at most 0xFFFF.
	 */
	sum = halves(sum);
	for (unsigned int i = 0; i < 2; i++)
		sum = _mm512_add_epi64(_mm512_and_si512(sum, ones), _mm512_srli_epi64(sum, 16));
	/* 0 is written as ones. The sum is not 0, as some of what it is made of is not. */
	sum = _mm512_mask_mov_epi64(
			_mm512_sub_epi64(ones, sum), _mm512_cmpeq_epi64_mask(sum, ones), ones);
	_mm512_store_si512(tails, tail);
	_mm512_store_si512(checksums, sum);
	n = RTE_MIN(n - from, (unsigned int)LANES);
	for (unsigned int i = 0; i < n; i++) {
		uint8_t *udp = piece->udp[from + i];
		const uint16_t checksum = (uint16_t)checksums[2 * i];

		memcpy(udp + FCN_CNP_ICRC_OFF - 4, &tails[2 * i], sizeof(tails[0]));
		memcpy(udp + FCN_UDP_CKSUM_OFF, &checksum, sizeof(checksum));
	}
}

TARGET void
fcn_fastcnp_build_avx512(const struct fcn_fastcnp_kind_conf *conf,
		const struct fcn_notice_order *order, unsigned int n)
{
	const struct wide w = begin(conf);
	struct piece piece;

	for (unsigned int done = 0, now; done < n; done += now) {
		now = RTE_MIN(n - done, (unsigned int)FCN_FASTCNP_KIND_PIECE);
		for (unsigned int i = 0; i < now; i++)
			put(&w, &order[done + i], &piece, i);
		/* The last vector is filled up. */
		for (unsigned int i = now; i % LANES != 0; i++) {
			piece.sender[i] = piece.fields[i] = _mm_setzero_si128();
			piece.zero[i] = 0;
		}
		for (unsigned int i = 0; i < now; i += LANES)
			finish(&conf->fastcnp, &piece, i, now);
	}
}

#endif
