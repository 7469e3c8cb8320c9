/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <rte_cpuflags.h>
#include <rte_vect.h>

#include "fcn_cnp_l4.h"
#include "fcn_endcon_plain.h"
#include "fcn_udp.h"

#define IP6_PLEN_OFF 4
#define IP6_NEXT_HEADER_OFF 6
#define IP6_SRC_OFF 8
#define IP6_DST_OFF 24
#define ADDR_LEN 16
#define LRH_LEN 8 /* octets of ones in place of InfiniBand's local route header */
/* Offset of the UDP header from the IPv6 header of a Fast CNP. */
#define UDP_OFF (FCN_TUNNEL_IP6_LEN + FCN_ENDCON_PLAIN_EXT_LEN)
/* Octets from the destination address to the ICRC that it covers, without extension headers. */
#define VARIABLE_LEN (ADDR_LEN + FCN_CNP_ICRC_OFF)

/* The multiplication is there, the user lets it be used, and it is written for this mode. */
static bool
can_multiply(enum fcn_icrc_mode mode)
{
#ifdef RTE_ARCH_X86_64
	return mode != FCN_ICRC_COVER && rte_vect_get_max_simd_bitwidth() >= RTE_VECT_SIMD_128 &&
	       rte_cpu_get_flag_enabled(RTE_CPUFLAG_PCLMULQDQ) > 0 &&
	       rte_cpu_get_flag_enabled(RTE_CPUFLAG_SSE4_1) > 0;
#else
	RTE_SET_USED(mode);
	return false;
#endif
}

void
fcn_endcon_node_init(const struct fcn_crc32 *crc, enum fcn_icrc_mode mode, const uint8_t *address,
		struct fcn_endcon_node *node)
{
	uint8_t covered[LRH_LEN + IP6_DST_OFF + VARIABLE_LEN] = {0}, *ip = covered + LRH_LEN;

	memset(covered, 0xFF, LRH_LEN + 4);
	ip[0] = 0x6F;
	fcn_put_be16(ip + IP6_PLEN_OFF,
			mode == FCN_ICRC_NORM ? FCN_CNP_UDP_LEN
					      : FCN_ENDCON_PLAIN_EXT_LEN + FCN_CNP_UDP_LEN);
	ip[IP6_NEXT_HEADER_OFF] = mode == FCN_ICRC_NORM ? IPPROTO_UDP : IPPROTO_DSTOPTS;
	ip[IP6_NEXT_HEADER_OFF + 1] = 0xFF;
	memcpy(ip + IP6_SRC_OFF, address, ADDR_LEN);
	memcpy(node->address, address, ADDR_LEN);
	node->icrc = (uint64_t)fcn_crc32(crc, covered, sizeof(covered)) << 32;
	node->sum = rte_raw_cksum(address, ADDR_LEN) + rte_cpu_to_be_16(FCN_CNP_UDP_LEN) +
		    rte_cpu_to_be_16(IPPROTO_UDP);
	node->is_clmul = can_multiply(mode);
}

bool
fcn_endcon_plain_is_intact_any(const struct fcn_crc32 *crc, enum fcn_icrc_mode mode,
		const struct fcn_endcon_node *node, const uint8_t *inner)
{
	const uint8_t *udp = inner + UDP_OFF;

	return fcn_endcon_node_is(node, inner + IP6_SRC_OFF) &&
	       fcn_icrc_ok(crc, inner, UDP_OFF, FCN_FASTCNP_OPT1_LEN, mode) &&
	       (udp[FCN_UDP_CKSUM_OFF] | udp[FCN_UDP_CKSUM_OFF + 1]) != 0 &&
	       fcn_udp_checksum_ok(inner + IP6_SRC_OFF, inner + IP6_DST_OFF, ADDR_LEN, udp,
			       FCN_CNP_UDP_LEN);
}

#ifdef RTE_ARCH_X86_64

#include <wmmintrin.h>

#define TARGET __attribute__((target("pclmul,sse4.1")))

/*
 * The ICRC is right if the polynomial of what it covers, with its own four octets behind, is a
 * multiple of that of CRC-32. A part of 64 bits in front of n other bits may be replaced by its
 * product with x^n modulo that polynomial, which has up to 96 bits, behind which nothing is left.
 * All such parts of a Fast CNP are multiplied at once, and what is in front of the destination
 * address is a constant of the node.
 *
 * The first bit on the wire is the least significant one of a number here and has the highest
 * power, which makes the product of two numbers x times too large: the numbers below are
 * x^(n - 1) modulo the polynomial, for the first and second half of each 16 octets.
 */
#define X_384_320 _mm_set_epi64x((int64_t)0x9570D49500000000, 0x2A28386200000000)
#define X_256_192 _mm_set_epi64x(0x65673B4600000000, 0x01B5FD1D00000000)
#define X_128_64 _mm_set_epi64x((int64_t)0xB8BC676500000000, (int64_t)0x9BA54C6F00000000)

/*
 * The inverse of the polynomial of CRC-32, its lowest power last, modulo x^64. With it, a number of
 * 64 bits is a multiple of the polynomial if the product of both, modulo x^64, has only the 32 bits
 * that such a quotient may have.
 */
#define INVERSE ((int64_t)0xB4E5B025F7011641)

/* Replace the two halves of 16 octets by what they are behind the last bit. */
static inline TARGET __m128i
shift(__m128i octets, __m128i powers)
{
	return _mm_xor_si128(_mm_clmulepi64_si128(octets, powers, 0x00),
			_mm_clmulepi64_si128(octets, powers, 0x11));
}

static inline uint64_t
load64(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return word;
}

/* The sum of two numbers modulo 2^64 - 1. */
static inline uint64_t
add(uint64_t a, uint64_t b)
{
	a += b;
	return a + (a < b);
}

/*
 * Whether a UDP checksum is there, and the sum of all that it covers is 0 modulo 2^16 - 1, as that
 * of numbers of 64 bits is then, too: 2^16 - 1 divides 2^64 - 1.
 */
static inline bool
is_sum_right(uint64_t constant, const uint8_t *dst, const uint8_t *udp)
{
	const uint64_t first = load64(udp);
	uint64_t sum = add(constant, first);

	sum = add(sum, load64(dst));
	sum = add(sum, load64(dst + 8));
	sum = add(sum, load64(udp + 8));
	sum = add(sum, load64(udp + 16));
	sum = add(sum, load64(udp + 24));
	sum = add(sum, load64(udp + 32));
	return sum % UINT16_MAX == 0 && first >> 48 != 0;
}

TARGET bool
fcn_endcon_plain_is_intact_clmul(const struct fcn_endcon_node *node, const uint8_t *inner)
{
	const uint8_t *udp = inner + UDP_OFF;
	const __m128i dst = _mm_loadu_si128((const void *)(inner + IP6_DST_OFF));
	const __m128i l4 = _mm_loadu_si128((const void *)udp);
	const __m128i rest = _mm_loadu_si128((const void *)(udp + 16));
	/* Reserved octets, and the ICRC. */
	const __m128i end = _mm_loadl_epi64((const void *)(udp + 32));
	/* The octets that the ICRC does not cover: UDP checksum, and those of FECN and BECN. */
	const __m128i masked = _mm_or_si128(
			l4, _mm_setr_epi8(0, 0, 0, 0, 0, 0, -1, -1, 0, 0, 0, 0, -1, 0, 0, 0));
	const __m128i sum = _mm_xor_si128(
			_mm_xor_si128(shift(dst, X_384_320), shift(masked, X_256_192)),
			shift(rest, X_128_64));
	/* Of the lower half, which has the upper powers, only 32 bits are not 0. */
	const __m128i upper = _mm_clmulepi64_si128(sum, X_128_64, 0x10);
	const __m128i number = _mm_xor_si128(
			_mm_xor_si128(_mm_srli_si128(_mm_xor_si128(sum, upper), 8), end),
			_mm_cvtsi64_si128((long long)node->icrc));
	const __m128i quotient = _mm_clmulepi64_si128(number, _mm_cvtsi64_si128(INVERSE), 0x00);

	return (uint64_t)_mm_cvtsi128_si64(quotient) >> 32 == 0 &&
	       fcn_endcon_node_is(node, inner + IP6_SRC_OFF) &&
	       is_sum_right(node->sum, inner + IP6_DST_OFF, udp);
}

#else

bool
fcn_endcon_plain_is_intact_clmul(const struct fcn_endcon_node *node, const uint8_t *inner)
{
	RTE_SET_USED(node);
	RTE_SET_USED(inner);
	return false;
}

#endif
