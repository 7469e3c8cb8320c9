/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The last lines that a program has written to its log, for `show log`. Any thread may add lines
 * and read them; a lock is held for the time of a copy. Workers write no log.
 */

#ifndef FCN_LOG_LINES_H
#define FCN_LOG_LINES_H

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#define FCN_LOG_LINES 256      /**< number of lines that are kept */
#define FCN_LOG_LINE_MAX 512   /**< bytes of a line that are kept, with the zero at its end */
#define FCN_LOG_LINES_SHOWN 50 /**< lines that are shown unless a number is given */

struct fcn_log_lines;

/** Create an empty log. @return NULL on lack of memory */
struct fcn_log_lines *fcn_log_lines_create(void);

/** Free a log. NULL is allowed. */
void fcn_log_lines_free(struct fcn_log_lines *log);

/**
 * Add text. Each of its lines becomes one of the log, and so does text after the last newline.
 * Empty lines are left out, and lines of more than FCN_LOG_LINE_MAX - 1 bytes are cut off. Bytes
 * that are not printable ASCII become '?'.
 *
 * @param epoch_ns the present time, nanoseconds since 1970, UTC
 */
void fcn_log_lines_add(struct fcn_log_lines *log, const char *text, size_t len, uint64_t epoch_ns);

/**
 * Get the last lines, oldest first: objects with `time`, UTC to the millisecond, and `message`.
 *
 * @param log  NULL: there are no lines
 * @param last maximum number of lines
 * @return a new reference; NULL on lack of memory
 */
json_t *fcn_log_lines_show(struct fcn_log_lines *log, unsigned int last);

#endif /* FCN_LOG_LINES_H */
