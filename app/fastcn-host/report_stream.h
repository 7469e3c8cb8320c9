/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What a host says to its switch in one session, and what it is answered (fcn_host_report.h). There
 * is no clock and no I/O in it: octets go in and out.
 */

#ifndef REPORT_STREAM_H
#define REPORT_STREAM_H

#include "report_table.h"

#define STREAM_OUT 4096          /**< octets that wait to be sent */
#define STREAM_IN 512            /**< octets that wait to be processed */
#define STREAM_SYNC_MS 1000      /**< a sign of life comes at least this often */
#define STREAM_SYNC_LEAST_MS 100 /**< and at most this often, after changes */
#define STREAM_AGAIN_MS 30000    /**< until all is said again, as there was no room at the switch */
#define STREAM_SILENCE_MS 5000   /**< the session ends when the switch says nothing for this time */

struct report_stream {
	struct report_table *table;
	uint64_t heard_ms; /**< when the switch said something */
	uint64_t sync_ms;  /**< when the last SYNC was written */
	uint64_t again_ms; /**< when all is to be said again; 0: it is not */
	uint64_t said;     /**< number of the last SYNC */
	uint64_t in_force; /**< number of the last one that is in force */
	bool is_heard;     /**< the switch has said something in this session */
	bool is_changed;   /**< something was said since the last SYNC */
	uint64_t refused;  /**< REFUSED records, of all sessions */
	uint8_t reason;    /**< of the last one */
	size_t in_len, out_len;
	uint8_t in[STREAM_IN], out[STREAM_OUT];
};

/** Begin a session. @param stream zeros before the first one, and `table` set */
void report_stream_begin(struct report_stream *s, uint64_t now_ms);

/** Write what is to be said now into `out`, as much as there is room for. */
void report_stream_write(struct report_stream *s, uint64_t now_ms);

/** Note that `len` octets of `out` were sent. */
void report_stream_sent(struct report_stream *s, size_t len);

/** Process octets that were put at in + in_len. @return 0; -EBADMSG: the switch speaks something
 * else */
int report_stream_input(struct report_stream *s, size_t len, uint64_t now_ms);

/** Tell whether the switch has said nothing for too long. */
bool report_stream_is_silent(const struct report_stream *s, uint64_t now_ms);

/** Tell whether all that there is is in force at the switch. */
bool report_stream_is_in_force(const struct report_stream *s);

/** Get the time when there is something to be done; at or before now: now. */
uint64_t report_stream_due(const struct report_stream *s);

#endif /* REPORT_STREAM_H */
