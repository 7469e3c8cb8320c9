/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Search of the Destination Options headers in front of the upper layer for an option by its type.
 */

#ifndef FCN_DEST_OPTION_H
#define FCN_DEST_OPTION_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_parse.h"

/**
 * Find the first option of a type in the Destination Options headers (RFC 8200 section 4.6) of the
 * innermost IPv6 packet. Pure, safe from any thread.
 *
 * @param data the frame
 * @param len  bytes readable at data
 * @param info result of fcn_parse() on it
 * @param off  written when the result is true: offset of the Option Type octet in the frame
 * @return false when there is no such option, or when it is behind the place where fcn_parse()
 *         stopped. Nothing past len is read.
 */
bool fcn_dest_option_find(const uint8_t *data, uint32_t len, const struct fcn_wire_info *info,
		uint8_t type, uint32_t *off);

#endif /* FCN_DEST_OPTION_H */
