/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file Fletcher's checksum (RFC 905 annex B) is written into LSPs and LSAs that tests make or
 * change. */

#ifndef FLETCHER_WRITE_H
#define FLETCHER_WRITE_H

#include <stddef.h>
#include <stdint.h>

/** Write the checksum of data into the two octets at `at`. */
static inline void
fletcher_write(uint8_t *data, size_t len, size_t at)
{
	const uint32_t behind = (uint32_t)((len - at - 1) % 255);
	uint32_t c0 = 0, c1 = 0, x, y;

	data[at] = 0;
	data[at + 1] = 0;
	for (size_t i = 0; i < len; i++) {
		c0 = (c0 + data[i]) % 255;
		c1 = (c1 + c0) % 255;
	}
	/* The two octets that make both sums 0. */
	x = (behind * c0 + 255 - c1) % 255;
	y = (2 * 255 - c0 - x) % 255;
	data[at] = (uint8_t)(x == 0 ? 255 : x);
	data[at + 1] = (uint8_t)(y == 0 ? 255 : y);
}

#endif /* FLETCHER_WRITE_H */
