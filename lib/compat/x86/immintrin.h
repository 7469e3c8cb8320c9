/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file What DPDK includes as immintrin.h: see x86intrin.h. */

#ifdef __AVX__
#include_next <immintrin.h>
#else
#include "x86intrin.h"
#endif
