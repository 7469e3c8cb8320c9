/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Checks of the properties that every packet must have after IOAM options were removed, with a
 * parser that is independent of lib/wire.
 */

#ifndef IOAM_REMOVE_H
#define IOAM_REMOVE_H

#include <stdint.h>

#include "fcn_ioam_remove.h"
#include "frame.h"
#include "reference.h"

/**
 * Write the ICRC that a RoCEv2 frame of frame.h has in this mode, and the UDP
 * checksum, or 0 for none; the destination is that of the innermost IPv6 header.
 */
void ioam_finish(struct frame *f, enum ref_mode mode, bool checksum);

/**
 * Remove the IOAM options of a copy of a frame, in one segment, and check all properties that do
 * not depend on its contents.
 *
 * @param out room for len bytes: the frame afterwards, from its new beginning; or NULL
 * @param out_len written if out is; or NULL
 */
enum fcn_ioam_remove_result ioam_remove_check(const uint8_t *data, uint32_t len,
		enum fcn_icrc_mode mode, uint8_t *out, uint32_t *out_len);

#endif /* IOAM_REMOVE_H */
