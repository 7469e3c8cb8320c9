/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A program that tells a switch what it has learned: the connection to its control socket
 * (doc/remote.md), which is made again whenever it has ended. Lines are gathered: many are sent
 * without waiting for answers. What the lines say is up to the program, which is asked for them.
 *
 * One thread makes all calls, and none of them waits. Messages go to standard error.
 */

#ifndef FCN_REMOTE_FEED_H
#define FCN_REMOTE_FEED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fcn_remote_frame.h"

#define FCN_REMOTE_FEED_WINDOW 256 /**< maximum number of lines that are not answered yet */
#define FCN_REMOTE_FEED_LINE 320   /**< size of a line, terminator included */

/* X(member, text) */
#define FCN_REMOTE_FEED_COUNTERS(X)                              \
	X(connected, "connections to the switch that were made") \
	X(lost, "connections to the switch that have ended")     \
	X(silent, "of these, as the switch did not answer for 30 s")

struct fcn_remote_feed_counters {
#define FCN_REMOTE_FEED_MEMBER(member, text) uint64_t member;
	FCN_REMOTE_FEED_COUNTERS(FCN_REMOTE_FEED_MEMBER)
#undef FCN_REMOTE_FEED_MEMBER
};

/** What the program knows of lines. */
struct fcn_remote_feed_ops {
	/** Write the next line, without its end. @return false: there is none to be sent now */
	bool (*next)(void *arg, uint64_t now_ns, char line[FCN_REMOTE_FEED_LINE]);
	/**
	 * Note the answer to the first line that has none yet.
	 *
	 * @param text the beginning of the answer's text
	 * @return whether a refusal of this line is to be reported
	 */
	bool (*answered)(void *arg, uint64_t now_ns, bool is_ok, const char *text);
	/** The connection has ended: what has no answer gets none, and the next one may be to
	 * another switch. */
	void (*again)(void *arg);
	/** Get the time when next() has a line; 0: now; UINT64_MAX: not before a change. */
	uint64_t (*due)(const void *arg);
};

struct fcn_remote_feed {
	const char *program; /**< its name, for messages */
	const struct fcn_remote_feed_ops *ops;
	void *arg; /**< of ops */
	char path[FCN_REMOTE_PATH_SIZE];
	bool is_printed;      /**< lines go to standard output, and not to a switch */
	int print_error;      /**< why lines cannot be written there; 0: they can */
	unsigned int waiting; /**< number of lines that have no answer yet */
	int fd;               /**< -1: there is no connection */
	int error;            /**< why there is none, as it was reported */
	uint64_t retry_ns;    /**< when to try again */
	uint64_t heard_ns;    /**< when the switch answered, or had nothing to answer */
	uint64_t refused_ns;  /**< when a refusal was reported */
	size_t out_len, out_sent;
	size_t head_len, body_left, text_len;
	bool is_answer_ok;
	char head[FCN_REMOTE_HEADER_SIZE];
	char text[256]; /**< the beginning of an answer */
	char out[FCN_REMOTE_FEED_WINDOW * FCN_REMOTE_FEED_LINE];
	struct fcn_remote_feed_counters counters;
};

/** Begin without a connection. `path` is to be set before the first run. */
void fcn_remote_feed_init(struct fcn_remote_feed *feed, const char *program,
		const struct fcn_remote_feed_ops *ops, void *arg);
void fcn_remote_feed_close(struct fcn_remote_feed *feed);

/** Get the events that poll() or epoll is to wait for: POLLIN, POLLOUT. */
short fcn_remote_feed_events(const struct fcn_remote_feed *feed);

/** Get the time when fcn_remote_feed_run() has something to do; UINT64_MAX: not before an event. */
uint64_t fcn_remote_feed_due(const struct fcn_remote_feed *feed);

/** Do what can be done without waiting. */
void fcn_remote_feed_run(struct fcn_remote_feed *feed, uint64_t now_ns);

#endif /* FCN_REMOTE_FEED_H */
