/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A stream for messages whose writers never wait. What the descriptor does not accept at once is
 * buffered and written by a thread. When the buffer is full, lines are dropped and counted, and a
 * line says how many as soon as there is room again.
 */

#ifndef LOG_STREAM_H
#define LOG_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct fcn_log_stream;

/**
 * Create a stream and start its thread.
 *
 * @param fd   where to write; the caller closes it after fcn_log_stream_free()
 * @param room size of the buffer, bytes; 0: 64 KiB
 * @return NULL with errno set on failure
 */
struct fcn_log_stream *fcn_log_stream_create(int fd, size_t room);

/** @return the stream. Any thread may write to it; fcn_log_stream_free() closes it */
FILE *fcn_log_stream_file(struct fcn_log_stream *ls);

/**
 * Have a function called with everything that is written to the stream, also with what is dropped.
 * Whoever writes calls it, so it may be called by several threads at once.
 *
 * @param text one or more lines, without a zero at the end
 */
void fcn_log_stream_watch(struct fcn_log_stream *ls,
		void (*written)(void *arg, const char *text, size_t len), void *arg);

/** @return number of lines dropped so far */
uint64_t fcn_log_stream_lost(struct fcn_log_stream *ls);

/** Write what is buffered, for one second at most, and end the thread. NULL is allowed. */
void fcn_log_stream_free(struct fcn_log_stream *ls);

#endif /* LOG_STREAM_H */
