/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fletcher.h"

bool
pnc_fletcher_is_right(const uint8_t *data, size_t len, size_t at)
{
	uint32_t c0 = 0, c1 = 0;

	for (size_t i = 0; i < len; i++) {
		c0 = (c0 + data[i]) % 255;
		c1 = (c1 + c0) % 255;
	}
	return c0 == 0 && c1 == 0 && (data[at] != 0 || data[at + 1] != 0);
}
