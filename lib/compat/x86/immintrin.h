/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file What DPDK includes as immintrin.h: see x86intrin.h. */

#include <rte_build_config.h>

#if defined(__AVX__) || (RTE_VER_YEAR > 22 && defined(__clang__))
#include_next <immintrin.h>
#else
#include "x86intrin.h"
#endif
