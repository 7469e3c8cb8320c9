/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * DPDK includes the compiler's header of this name for vectors of 128 bits. Those of
 * 256 and 512 bits, which come with it, take longer to read than all the rest of what
 * most files here include; so they are left out where the code may not use them anyway.
 */

#ifdef __AVX__
#include_next <x86intrin.h>
#else
#include <nmmintrin.h>
#endif
