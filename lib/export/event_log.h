/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A log file whose writer never waits for the disk. Lines go into a buffer of limited size, and a
 * thread of the log writes them to the file. When the buffer is full, or writing fails, lines are
 * lost and counted, and a line in the file says how many were lost. That line itself is not
 * counted.
 *
 * Any thread may call these functions, but not while the log is being freed.
 */

#ifndef FCN_EVENT_LOG_H
#define FCN_EVENT_LOG_H

#include <stddef.h>
#include <stdint.h>

#include "fcn_counter.h"

struct fcn_event_log;

/* In `show export`; the form of the list is described in fcn_counter.h. */
#define FCN_EVENT_LOG_COUNTERS(X)                                                              \
	X(lines, "lines", COUNTER, "event_log_lines",                                          \
			"Lines of the event log passed to its writer")                         \
	X(lost, "lost", COUNTER, "event_log_lost_lines",                                       \
			"Lines of the event log lost because the file was written too slowly") \
	X(left_out, "left_out", COUNTER, "event_log_left_out_lines",                           \
			"Events without a line of their own in the event log, as there were "  \
			"more of their kind in a second than its rate allows")

/** Counters of a log. A line that was accepted and lost later is counted as lost alone. */
struct fcn_event_log_stats {
	FCN_EVENT_LOG_COUNTERS(FCN_COUNTER_MEMBER)
};

/**
 * Open a log and start its thread.
 *
 * @param file path of the file, which is created if it does not exist, and otherwise appended to;
 *             "-": standard output
 * @param room size of the buffer in bytes; 0: 1 MiB
 * @param err  one line, on failure
 * @return NULL on failure
 */
struct fcn_event_log *fcn_event_log_create(
		const char *file, size_t room, char *err, size_t err_size);

/** Write what is in the buffer, which takes one second at most, close the log and free it. NULL is
 * allowed. */
void fcn_event_log_free(struct fcn_event_log *log);

/** Add a line of len bytes. It ends in "\n" and has 2559 bytes at most. This never waits for the
 * file. */
void fcn_event_log_put(struct fcn_event_log *log, const char *line, size_t len);

/** Count an event that has no line. */
void fcn_event_log_left_out(struct fcn_event_log *log);

/**
 * Open the file by its name again, after it was renamed. Lines already in the buffer may go to
 * either file.
 *
 * @return 0, or a negative errno, and the old file stays open
 */
int fcn_event_log_reopen(struct fcn_event_log *log);

/** Get the name of the file. The string belongs to the log. */
const char *fcn_event_log_file(const struct fcn_event_log *log);
/** Read the counters. */
void fcn_event_log_stats(struct fcn_event_log *log, struct fcn_event_log_stats *stats);

#endif /* FCN_EVENT_LOG_H */
