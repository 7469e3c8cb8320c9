/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A stream for messages that never holds up who writes to it. What the descriptor does not take at
 * once waits in a buffer for a thread; when the buffer is full, lines are left out and counted, and
 * a line says how many as soon as there is room again.
 */

#ifndef LOG_STREAM_H
#define LOG_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct fcn_log_stream;

/**
 * @param fd   stays the caller's
 * @param room bytes of the buffer; 0: 64 KB
 * @return NULL with errno on failure
 */
struct fcn_log_stream *fcn_log_stream_create(int fd, size_t room);

/** The stream, for any thread; closed by fcn_log_stream_free(). */
FILE *fcn_log_stream_file(struct fcn_log_stream *ls);

/** Lines left out so far. */
uint64_t fcn_log_stream_lost(struct fcn_log_stream *ls);

/** Write what still waits, for a second at most, and end. NULL is allowed. */
void fcn_log_stream_free(struct fcn_log_stream *ls);

#endif /* LOG_STREAM_H */
