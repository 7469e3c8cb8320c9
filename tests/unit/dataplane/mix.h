/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Sums over what turns of a worker leave behind, which differ when anything in it does. */

#ifndef MIX_H
#define MIX_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void
mix(uint64_t *sum, uint64_t value)
{
	*sum = (*sum ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	*sum ^= *sum >> 29;
}

static inline void
mix_bytes(uint64_t *sum, const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	uint64_t eight;

	for (; len >= sizeof(eight); p += sizeof(eight), len -= sizeof(eight)) {
		memcpy(&eight, p, sizeof(eight));
		mix(sum, eight);
	}
	for (; len > 0; p++, len--)
		mix(sum, *p);
}

/* Get the sum of a frame. */
static inline uint64_t
mix_of(const void *bytes, size_t len)
{
	uint64_t sum = len;

	mix_bytes(&sum, bytes, len);
	return sum;
}

#endif /* MIX_H */
