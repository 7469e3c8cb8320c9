/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the switch and its remote consoles share: where the socket is, and how
 * an answer is framed. Each line sent to the switch is answered, in order, by
 * one header line, "ok LENGTH" or "error LENGTH", and LENGTH bytes of text.
 *
 * Pure functions but for the path, which depends on user and environment; any
 * thread.
 */

#ifndef FCN_REMOTE_FRAME_H
#define FCN_REMOTE_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#define FCN_REMOTE_NAME "fastcn"    /**< of a switch that was given none */
#define FCN_REMOTE_PATH_SIZE 108    /**< what a UNIX socket's address can hold, with terminator */
#define FCN_REMOTE_HEADER_SIZE 32   /**< longest header line, with its "\n" and terminator */
#define FCN_REMOTE_LENGTH_DIGITS 16 /**< of a length that is read; more is refused */

/**
 * Where the socket of a switch is: /run/fastcn/NAME.sock for root, else
 * fastcn/NAME.sock in $XDG_RUNTIME_DIR.
 *
 * @param name without '/'
 * @return 0; -EINVAL: not a name; -ENOENT: XDG_RUNTIME_DIR is not set; -ENAMETOOLONG
 */
int fcn_remote_path(const char *name, char path[FCN_REMOTE_PATH_SIZE]);

/** @return length of the header, its "\n" included */
size_t fcn_remote_header(char buf[FCN_REMOTE_HEADER_SIZE], bool ok, size_t body_len);

/**
 * Read a header.
 *
 * @param len how many bytes are there; what stands behind the header is not looked at
 * @param ok whether the command succeeded
 * @param body_len bytes of text that follow
 * @return length of the header; 0: it is not complete; -EBADMSG: this is none
 */
int fcn_remote_header_parse(const char *buf, size_t len, bool *ok, size_t *body_len);

#endif /* FCN_REMOTE_FRAME_H */
