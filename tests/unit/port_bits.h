/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Sets of the ports below 64 as words of 64 bits, in which tests write sets of a few ports.
 */

#ifndef PORT_BITS_H
#define PORT_BITS_H

#include "fcn_port_set.h"
#include "fcn_test.h"

/** Get the set of the ports whose bits are set. */
static inline struct fcn_port_set
ports_of(uint64_t bits)
{
	struct fcn_port_set set = {0};

	for (; bits != 0; bits &= bits - 1)
		fcn_port_set_add(&set, __builtin_ctzll(bits));
	return set;
}

/** Get the bits of the ports of a set, which are below 64. */
static inline uint64_t
bits_of(struct fcn_port_set set)
{
	uint64_t bits = 0;

	FCN_PORT_SET_FOREACH (p, &set) {
		assert_in_range(p, 0, 63);
		bits |= UINT64_C(1) << p;
	}
	return bits;
}

#endif /* PORT_BITS_H */
