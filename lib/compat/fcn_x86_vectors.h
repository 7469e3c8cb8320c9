/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Exclude the declarations of vectors wider than 128 bits, which slow the build down. The
 * meson.build of this folder makes every file that uses DPDK begin with this header.
 *
 * DPDK includes <x86intrin.h> or <immintrin.h> for the vectors of 128 bits. The compiler's headers
 * of these names also declare those of 256 and 512 bits. Reading these takes twice as long as
 * reading everything else that most files here include: without this header, a build takes three
 * times as long. Therefore the include guards of the compiler's headers are defined here, unless
 * the code is compiled for AVX.
 *
 * The macros are the include guards of GCC and Clang. With a compiler that has other ones, the
 * whole headers are read, which is slower, but correct.
 *
 * DPDK 23.11 and later also take __rdtsc() and transactional memory from these headers. GCC has
 * them in x86gprintrin.h, which is short; with Clang, the whole headers are read.
 */

#ifndef FCN_X86_VECTORS_H
#define FCN_X86_VECTORS_H

#include <rte_build_config.h>

#if defined(__x86_64__) && !defined(__AVX__) && !(RTE_VER_YEAR > 22 && defined(__clang__))
#include <nmmintrin.h>
#if RTE_VER_YEAR > 22
#include <x86gprintrin.h>
#endif
#ifdef __clang__
#define __IMMINTRIN_H
#define __X86INTRIN_H
#else
#define _IMMINTRIN_H_INCLUDED
#define _X86INTRIN_H_INCLUDED
#endif
#endif

#endif /* FCN_X86_VECTORS_H */
