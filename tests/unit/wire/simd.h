/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Choice of DPDK's CRC implementation for a test: the argument of its program is the width of the
 * widest vector in bits, 64 for none. The library reads the width once in a process, so each width
 * needs a run of its own. If the CPU does not support a width, the next narrower one is used. The
 * width is set after the EAL was started, because that resets it.
 */

#ifndef SIMD_H
#define SIMD_H

#include <stdlib.h>

#include <rte_vect.h>

#include "fcn_test.h"

static inline int
simd_begin(void **state)
{
	RTE_SET_USED(state);
	if (fcn_test_eal("0") != 0)
		return -1;
	return fcn_test_n_args == 0
			       ? 0
			       : rte_vect_set_max_simd_bitwidth((uint16_t)atoi(fcn_test_args[0]));
}

#endif /* SIMD_H */
