/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Collector of event records: drains a worker's ring and keeps what a person
 * asks about notices: how many, when the first, how long they waited, which
 * flows were told most; and the last events of queues and classes. Bounded memory.
 *
 * One thread owns a collector.
 */

#ifndef FCN_COLLECTOR_H
#define FCN_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_event.h"
#include "fcn_worker.h"

#define FCN_COLLECTOR_FLOWS 4096 /**< flows kept; further ones are only counted */
#define FCN_COLLECTOR_EVENTS 256 /**< state events kept, the last ones */

/** A notified flow. */
struct fcn_collector_flow {
	uint8_t sender[16];
	uint8_t receiver[16];
	uint32_t dest_qp;
	uint64_t notices;
	uint64_t first_ns;
	uint64_t last_ns;
	int8_t max_level;
};

struct fcn_collector;

/**
 * Who else wants each event, in order: called from within every drain.
 *
 * @param fn NULL: nobody any more
 */
void fcn_collector_listen(struct fcn_collector *c,
		void (*fn)(void *arg, const struct fcn_event *ev), void *arg);

/**
 * What control looks out for: called before the listener, from within every drain, wherever that
 * is. It may do no more than remember what it saw.
 *
 * @param fn NULL: nobody any more
 */
void fcn_collector_watch(struct fcn_collector *c, void (*fn)(void *arg, const struct fcn_event *ev),
		void *arg);

/** @return NULL with rte_errno set on failure. @param name unique in the process, at most 20
 * characters. @param key of its hash function; 0: the same in every run */
struct fcn_collector *fcn_collector_create(const char *name, uint32_t key);
void fcn_collector_free(struct fcn_collector *c);
void fcn_collector_clear(struct fcn_collector *c);

/**
 * Drain a worker's events.
 *
 * @param fn called with each event, in order; NULL for none
 * @return events taken
 */
unsigned int fcn_collector_drain(struct fcn_collector *c, struct fcn_worker *w,
		void (*fn)(void *arg, const struct fcn_event *ev), void *arg);

/** Note an event that no worker pushed: one of FCN_CONTROL_EVENTS. */
void fcn_collector_note(struct fcn_collector *c, const struct fcn_event *ev);

/** Summary of what was collected. Times in nanoseconds of the worker's clock. */
struct fcn_collector_summary {
	uint64_t records;     /**< taken from workers' rings, of all kinds */
	uint64_t notices;     /**< notices made */
	uint64_t sent;        /**< notices handed to their port */
	uint64_t first_ns;    /**< when the first was made */
	uint64_t wait_min_ns; /**< from the decision to the hand-over to the port */
	uint64_t wait_max_ns;
	uint64_t wait_sum_ns;
	uint64_t congested; /**< times a queue became congested */
	uint64_t recovered; /**< times one recovered */
	uint64_t first_congested_ns;
	uint64_t flows;     /**< flows kept */
	uint64_t untracked; /**< notices of flows that were not kept */
};

void fcn_collector_summary(const struct fcn_collector *c, struct fcn_collector_summary *s);

/**
 * The flows notified most, most first; equal ones by address and queue pair,
 * so that the order is always the same.
 *
 * @return flows written to top
 */
unsigned int fcn_collector_top(
		const struct fcn_collector *c, struct fcn_collector_flow *top, unsigned int n);

/**
 * The last state events (FCN_STATE_EVENTS), oldest first, in the order in which they were
 * pushed: the end of congestion may be seen later than it was.
 *
 * @return events written, at most n
 */
unsigned int fcn_collector_events(
		const struct fcn_collector *c, struct fcn_event *event, unsigned int n);

#endif /* FCN_COLLECTOR_H */
