/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The connection to the control socket of the switch (doc/remote.md). It is made again whenever it
 * has ended. Lines are gathered: many are sent without waiting for answers.
 */

#ifndef PNC_CONTROL_H
#define PNC_CONTROL_H

#include "fcn_remote_frame.h"
#include "learned.h"

/* X(member, text) */
#define CONTROL_COUNTERS(X)                                      \
	X(connected, "connections to the switch that were made") \
	X(lost, "connections to the switch that have ended")     \
	X(silent, "of these, as the switch did not answer for 30 s")

struct control_counters {
#define CONTROL_MEMBER(member, text) uint64_t member;
	CONTROL_COUNTERS(CONTROL_MEMBER)
#undef CONTROL_MEMBER
};

struct control {
	char path[FCN_REMOTE_PATH_SIZE];
	bool is_printed; /**< lines go to standard output, and not to a switch */
	int print_error; /**< why lines cannot be written there; 0: they can */
	struct learned *learned;
	int fd;              /**< -1: there is no connection */
	int error;           /**< why there is none, as it was reported */
	uint64_t retry_ns;   /**< when to try again */
	uint64_t heard_ns;   /**< when the switch answered, or had nothing to answer */
	uint64_t refused_ns; /**< when a refusal was reported */
	size_t out_len, out_sent;
	size_t head_len, body_left, text_len;
	bool is_answer_ok;
	char head[FCN_REMOTE_HEADER_SIZE];
	char text[256]; /**< the beginning of an answer */
	char out[LEARNED_WINDOW * LEARNED_LINE];
	struct control_counters counters;
};

void control_init(struct control *c, struct learned *learned);
void control_close(struct control *c);

/** Get the events that poll() is to wait for. */
short control_events(const struct control *c);

/** Get the time when control_run() has something to do; UINT64_MAX: not before an event. */
uint64_t control_due(const struct control *c);

/** Do what can be done without waiting. */
void control_run(struct control *c, uint64_t now_ns);

#endif /* PNC_CONTROL_H */
