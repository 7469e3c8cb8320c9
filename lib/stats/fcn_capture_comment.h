/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The comment of a packet in a capture file, which gives the reason why the switch made or dropped
 * the packet.
 */

#ifndef FCN_CAPTURE_COMMENT_H
#define FCN_CAPTURE_COMMENT_H

#include <stddef.h>

#include "fcn_capture.h"

/** Maximum size of a comment in bytes, terminator included. */
#define FCN_CAPTURE_COMMENT_MAX 320

/** A callback that gives the names of ports. */
struct fcn_capture_names {
	const char *(*port)(void *arg, unsigned int port); /**< never returns NULL */
	void *arg;                                         /**< first argument of port() */
};

/**
 * Write the comment of a captured packet.
 *
 * @param r     the packet's capture record
 * @param names gives the names of the ports in it
 * @return buf, or NULL for a packet that needs no comment, as it was only received
 */
const char *fcn_capture_comment(const struct fcn_capture_record *r,
		const struct fcn_capture_names *names, char buf[FCN_CAPTURE_COMMENT_MAX]);

#endif /* FCN_CAPTURE_COMMENT_H */
