/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A CRC for the tests of a file, and the choice of DPDK's implementation of it: the argument of the
 * program is the width of the widest vector in bits, 64 for none. The library reads the width once
 * in a process, so each width needs a run of its own. If the CPU does not support a width, the next
 * narrower one is used. The width is set after the EAL was started, because that resets it.
 */

#ifndef CRC_H
#define CRC_H

#include <stdlib.h>

#include <rte_vect.h>

#include "fcn_compat.h"
#include "fcn_test.h"

static struct fcn_crc32 crc;

static inline int
crc_begin(void **state)
{
	if (fcn_test_eal_init(state) != 0)
		return -1;
	if (fcn_test_n_args > 0 &&
			rte_vect_set_max_simd_bitwidth((uint16_t)atoi(fcn_test_args[0])) != 0)
		return -1;
	return fcn_crc32_init(&crc);
}

static inline int
crc_end(void **state)
{
	fcn_crc32_fini(&crc);
	return fcn_test_eal_cleanup(state);
}

/** For TEST_FIXTURE(): the tests of this file run on an EAL of one lcore, and have crc. */
#define FCN_TEST_CRC .begin = crc_begin, .end = crc_end

#endif /* CRC_H */
