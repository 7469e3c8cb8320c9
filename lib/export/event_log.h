/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A file of lines that never keeps anybody waiting: lines go into a buffer of
 * bounded size, a thread writes them. When the buffer is full, or writing
 * fails, lines are lost and counted, and a line in the file says so (which is
 * not counted itself).
 *
 * All functions are for one thread, but the writer's own.
 */

#ifndef FCN_EVENT_LOG_H
#define FCN_EVENT_LOG_H

#include <stddef.h>
#include <stdint.h>

struct fcn_event_log;

struct fcn_event_log_stats {
	uint64_t lines; /**< put, and not lost */
	uint64_t lost;
};

/**
 * @param file appended to, made if need be; "-": standard output
 * @param room bytes of the buffer; 0: 1 MiB
 * @param err  one line, on failure
 * @return NULL on failure
 */
struct fcn_event_log *fcn_event_log_create(
		const char *file, size_t room, char *err, size_t err_size);

/** Writes what is in the buffer, for at most a second. */
void fcn_event_log_free(struct fcn_event_log *log);

/** Put a line, its "\n" included, of at most 1024 bytes. Never waits for the file. */
void fcn_event_log_put(struct fcn_event_log *log, const char *line, size_t len);

/** Open the file anew by its name, after it was renamed. @return 0, or a negative errno: the old
 * one stays. */
int fcn_event_log_reopen(struct fcn_event_log *log);

const char *fcn_event_log_file(const struct fcn_event_log *log);
void fcn_event_log_stats(struct fcn_event_log *log, struct fcn_event_log_stats *stats);

#endif /* FCN_EVENT_LOG_H */
