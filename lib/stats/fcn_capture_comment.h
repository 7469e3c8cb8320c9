/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What a capture file says beside a packet: why the switch made it, why it
 * was dropped.
 */

#ifndef FCN_CAPTURE_COMMENT_H
#define FCN_CAPTURE_COMMENT_H

#include <stddef.h>

#include "fcn_capture.h"

/** No comment is longer, its terminator included. */
#define FCN_CAPTURE_COMMENT_MAX 320

/** Names of ports. */
struct fcn_capture_names {
	const char *(*port)(void *arg, unsigned int port); /**< never NULL */
	void *arg;
};

/** @return buf, or NULL for a packet that there is nothing to say about: one that was received */
const char *fcn_capture_comment(const struct fcn_capture_record *r,
		const struct fcn_capture_names *names, char buf[FCN_CAPTURE_COMMENT_MAX]);

#endif /* FCN_CAPTURE_COMMENT_H */
