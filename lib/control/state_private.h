/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the writer and the reader of a state share.
 */

#ifndef STATE_PRIVATE_H
#define STATE_PRIVATE_H

#include "control_private.h"
#include "fcn_state.h"

#define STATE_VERSION "fastcn-state 1"
#define STATE_END "end"
#define STATE_SECOND UINT64_C(1000000000)

/* The lines: X(symbol, word, number of words with the first). */
#define STATE_LINES(X)               \
	X(address, "address", 3)     \
	X(neighbour, "neighbour", 4) \
	X(sender, "sender", 4)       \
	X(proxy, "proxy", 5)         \
	X(endcon, "sid", 4)          \
	X(mac, "mac", 6)

/** Sum over bytes (FNV-1a), by which a text that is not whole is recognised. */
static inline uint64_t
state_sum(const char *text, size_t len)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < len; i++)
		sum = (sum ^ (uint8_t)text[i]) * UINT64_C(0x100000001b3);
	return sum;
}

#endif /* STATE_PRIVATE_H */
