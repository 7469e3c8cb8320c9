/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/** @file Fletcher's checksum (ISO 8473 annex C, RFC 905 annex B) of LSPs and LSAs. */

#ifndef FCN_PNC_FLETCHER_H
#define FCN_PNC_FLETCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Whether the checksum in data is right. One of 0 says that there is none, and is wrong. */
bool pnc_fletcher_is_right(const uint8_t *data, size_t len, size_t at);

#endif /* FCN_PNC_FLETCHER_H */
