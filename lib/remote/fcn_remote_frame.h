/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The switch and its remote consoles share the path of the socket and the format of answers.
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
#define FCN_REMOTE_PATH_SIZE 108    /**< size of the path of a UNIX socket, terminator included */
#define FCN_REMOTE_HEADER_SIZE 32   /**< size of a header line, "\n" and terminator included */
#define FCN_REMOTE_LENGTH_DIGITS 16 /**< maximum number of digits of LENGTH */

/**
 * Get the path of the socket of a switch: /run/fastcn/NAME.sock for root, otherwise
 * fastcn/NAME.sock in $XDG_RUNTIME_DIR.
 *
 * @param name name of the switch
 * @param path result
 * @return 0 on success; -EINVAL if the name is empty, begins with '.' or has a '/'; -ENOENT if
 *         XDG_RUNTIME_DIR is not set to an absolute path; -ENAMETOOLONG if the path does not fit
 */
int fcn_remote_path(const char *name, char path[FCN_REMOTE_PATH_SIZE]);

/**
 * Write the header of an answer.
 *
 * @param ok       whether the command succeeded
 * @param body_len bytes of text that follow the header
 * @return length of the header in bytes, its "\n" included
 */
size_t fcn_remote_header(char buf[FCN_REMOTE_HEADER_SIZE], bool ok, size_t body_len);

/**
 * Read the header of an answer.
 *
 * @param len      bytes in buf; those after the header are ignored
 * @param ok       result: whether the command succeeded
 * @param body_len result: bytes of text that follow the header
 * @return length of the header in bytes; 0 if more bytes are needed; -EBADMSG if this is not a
 * header
 */
int fcn_remote_header_parse(const char *buf, size_t len, bool *ok, size_t *body_len);

#endif /* FCN_REMOTE_FRAME_H */
