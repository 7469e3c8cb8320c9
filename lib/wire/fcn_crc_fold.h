/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The part of a CRC-32 that a few words contribute to it. Used by lib/wire, and inlined by
 * fcn_fastcnp_fold.h.
 *
 * A CRC is linear: that of a message is the CRC of the same message with zeros in place of some
 * words, XOR what these words contribute. Where all other octets are constant, only the words have
 * to be multiplied, by powers of x that depend on their places, without reading the message. See
 * Intel, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ Instruction". Without this
 * instruction the whole CRC is computed instead.
 */

#ifndef FCN_CRC_FOLD_H
#define FCN_CRC_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_common.h>
#include <rte_vect.h>

#ifdef RTE_ARCH_X86
#include <wmmintrin.h>
#include <rte_cpuflags.h>

#define FCN_CRC_FOLD_TARGET __attribute__((target("pclmul,sse4.1")))

/** Check whether the CPU can multiply eight polynomials at once, and reorder the results. */
static inline bool
fcn_crc_fold_is_wide(void)
{
	return rte_cpu_get_flag_enabled(RTE_CPUFLAG_VPCLMULQDQ) > 0 &&
	       rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512F) > 0 &&
	       rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512BW) > 0 &&
	       rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512DQ) > 0 &&
	       rte_cpu_get_flag_enabled(RTE_CPUFLAG_AVX512VL) > 0 &&
	       rte_cpu_get_flag_enabled(RTE_CPUFLAG_BMI2) > 0;
}

/** Get the widest vectors of polynomials that the CPU can, and may, multiply: 512 bits or 128; 0:
 * it cannot, or may not. */
static inline uint16_t
fcn_crc_fold_bits(void)
{
	const uint16_t bits = rte_vect_get_max_simd_bitwidth();

	if (bits < RTE_VECT_SIMD_128 || rte_cpu_get_flag_enabled(RTE_CPUFLAG_PCLMULQDQ) <= 0 ||
			rte_cpu_get_flag_enabled(RTE_CPUFLAG_SSE4_1) <= 0)
		return 0;
	return bits >= RTE_VECT_SIMD_512 && fcn_crc_fold_is_wide() ? RTE_VECT_SIMD_512
								   : RTE_VECT_SIMD_128;
}

/** Get the factor of a word of eight octets that `octets` others follow. */
static inline uint64_t
fcn_crc_fold_factor(unsigned int octets)
{
	uint32_t power = UINT32_C(1) << 31; /* x^0 */

	for (unsigned int i = 0; i < 8 * octets + 32; i++)
		power = power >> 1 ^ (power & 1 ? UINT32_C(0xEDB88320) : 0);
	return (uint64_t)power << 1;
}

/** Reduce a sum of words times factors to the number that it contributes to the CRC. */
FCN_CRC_FOLD_TARGET static __rte_always_inline uint32_t
fcn_crc_fold_reduce(__m128i sum)
{
	const __m128i low = _mm_setr_epi32(~0, 0, ~0, 0);
	const __m128i x64 = _mm_cvtsi64_si128(0x163cd6124);
	/* the polynomial, and the quotient for Barrett's reduction */
	const __m128i poly = _mm_set_epi64x(0x1f7011641, 0x1db710641);
	__m128i t;

	t = _mm_srli_si128(sum, 4);
	sum = _mm_xor_si128(t, _mm_clmulepi64_si128(_mm_and_si128(sum, low), x64, 0x00));
	t = _mm_and_si128(_mm_clmulepi64_si128(_mm_and_si128(sum, low), poly, 0x10), low);
	sum = _mm_xor_si128(sum, _mm_clmulepi64_si128(t, poly, 0x00));
	return (uint32_t)_mm_extract_epi32(sum, 1);
}

/** Multiply the two words at `words` by their factors, and add the products. */
FCN_CRC_FOLD_TARGET static __rte_always_inline __m128i
fcn_crc_fold_pair(__m128i words, __m128i factors)
{
	return _mm_xor_si128(_mm_clmulepi64_si128(words, factors, 0x00),
			_mm_clmulepi64_si128(words, factors, 0x11));
}

#else

static inline bool
fcn_crc_fold_is_wide(void)
{
	return false;
}

static inline uint16_t
fcn_crc_fold_bits(void)
{
	return 0;
}

static inline uint64_t
fcn_crc_fold_factor(unsigned int octets)
{
	RTE_SET_USED(octets);
	return 0;
}

#endif

#endif /* FCN_CRC_FOLD_H */
