/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * DPDK includes the compiler's header of this name for vectors of 128 bits. Those of 256 and 512
 * bits, which come with it, take longer to read than all the rest of what most files here
 * include; so they are left out where the code may not use them anyway.
 *
 * DPDK 23.11 and later also take __rdtsc() and transactional memory from it. GCC has these in
 * x86gprintrin.h, which is short; with clang, the whole header is read.
 */

#include <rte_build_config.h>

#if defined(__AVX__) || (RTE_VER_YEAR > 22 && defined(__clang__))
#include_next <x86intrin.h>
#else
#include <nmmintrin.h>
#if RTE_VER_YEAR > 22
#include <x86gprintrin.h>
#endif
#endif
