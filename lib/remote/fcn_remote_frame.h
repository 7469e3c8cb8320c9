/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What the switch and its remote consoles share: the path of the socket and the format of answers.
 * Each line that a console sends is answered, in order, by a header line, "ok LENGTH" or
 * "error LENGTH", and LENGTH bytes of text.
 *
 * Any thread may call these functions. fcn_remote_path() reads the user and the environment of the
 * process, the others depend on their arguments alone.
 */

#ifndef FCN_REMOTE_FRAME_H
#define FCN_REMOTE_FRAME_H

#include <stdbool.h>
#include <stddef.h>

#define FCN_REMOTE_NAME "fastcn"    /**< default name of a switch */
#define FCN_REMOTE_PATH_SIZE 108    /**< longest path of a UNIX socket, with terminator */
#define FCN_REMOTE_HEADER_SIZE 32   /**< longest header line, with its "\n" and terminator */
#define FCN_REMOTE_LENGTH_DIGITS 16 /**< most digits of LENGTH */

/**
 * Get the path of the socket of a switch: /run/fastcn/NAME.sock for root, else
 * fastcn/NAME.sock in $XDG_RUNTIME_DIR.
 *
 * @param name of the switch, without '/'
 * @return 0; -EINVAL: the name is empty or has a '/'; -ENOENT: XDG_RUNTIME_DIR is not set;
 * -ENAMETOOLONG
 */
int fcn_remote_path(const char *name, char path[FCN_REMOTE_PATH_SIZE]);

/** Write a header. @param body_len bytes of text that follow it @return length of the header with
 * its
 * "\n" */
size_t fcn_remote_header(char buf[FCN_REMOTE_HEADER_SIZE], bool ok, size_t body_len);

/**
 * Read a header.
 *
 * @param len bytes in buf; those behind the header are ignored
 * @param ok whether the command succeeded
 * @param body_len bytes of text that follow
 * @return length of the header; 0: more bytes are needed; -EBADMSG: this is no header
 */
int fcn_remote_header_parse(const char *buf, size_t len, bool *ok, size_t *body_len);

#endif /* FCN_REMOTE_FRAME_H */
