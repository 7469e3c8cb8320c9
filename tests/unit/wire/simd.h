/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Which of DPDK's CRC implementations a test program runs with: its first
 * argument is the widest vector in bits, 64 for none. The library asks for it
 * once a process, so each needs a run of its own; what the CPU lacks falls
 * back to the next narrower. Starting the EAL resets the width, hence the order.
 */

#ifndef SIMD_H
#define SIMD_H

#include <stdlib.h>

#include <rte_vect.h>

#include "fcn_test.h"

static inline void
use_simd(int argc, char **argv)
{
	if (fcn_test_eal("0") != 0)
		exit(2);
	if (argc > 1 && rte_vect_set_max_simd_bitwidth((uint16_t)atoi(argv[1])) != 0)
		exit(2);
}

#endif /* SIMD_H */
