/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The collector takes event records from the rings of workers. It keeps statistics of notices
 * (their number, the time of the first one, their waiting times, and the flows with the most
 * notices), and the last state events. Its memory is bounded.
 *
 * One thread owns a collector and makes all calls. Times are in nanoseconds of the workers' clock.
 */

#ifndef FCN_COLLECTOR_H
#define FCN_COLLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_event.h"
#include "fcn_event_line.h"
#include "fcn_worker.h"

#define FCN_COLLECTOR_FLOWS \
	4096 /**< number of flows kept; notices of further flows are only counted */
#define FCN_COLLECTOR_EVENTS 256 /**< number of state events kept; the oldest are overwritten */

/** A flow for which notices were made. */
struct fcn_collector_flow {
	uint8_t sender[16];   /**< IPv6 source address of its packets */
	uint8_t receiver[16]; /**< IPv6 address of their last destination */
	uint32_t dest_qp;     /**< destination queue pair */
	uint64_t notices;     /**< number of notices */
	uint64_t first_ns;    /**< when the first was made */
	uint64_t last_ns;     /**< when the last was made */
	int8_t max_level;     /**< highest congestion level of these notices, 0 to 7 */
};

struct fcn_collector;

/**
 * Register a function that is called with each event, in order, while events are drained or noted.
 * It replaces the one that was registered before.
 *
 * @param fn  the function, or NULL for none
 * @param arg its first argument
 */
void fcn_collector_listen(struct fcn_collector *c,
		void (*fn)(void *arg, const struct fcn_event *ev), void *arg);

/**
 * Register a function that is called with each event before the one of fcn_collector_listen().
 * Events are drained in the middle of many operations of the control thread, so the function must
 * do nothing but store data for later.
 *
 * @param fn  the function, or NULL for none
 * @param arg its first argument
 */
void fcn_collector_watch(struct fcn_collector *c, void (*fn)(void *arg, const struct fcn_event *ev),
		void *arg);

/**
 * Create a collector.
 *
 * @param name unique in the process, at most 20 characters
 * @param key  initial value of its hash function; any constant makes runs repeatable
 * @return NULL on failure, with rte_errno set
 */
struct fcn_collector *fcn_collector_create(const char *name, uint32_t key);

/** Free a collector. NULL is allowed. */
void fcn_collector_free(struct fcn_collector *c);

/** Clear all statistics and events. Registered functions stay registered. */
void fcn_collector_clear(struct fcn_collector *c);

/**
 * Take the event records that are in a worker's ring at the time of the call, and collect them.
 * Records that the worker writes meanwhile are left for the next call, so the work is bounded by
 * the size of the ring.
 *
 * @param fn  called with each event, in order, after the registered functions; NULL for none
 * @param arg first argument of fn()
 * @return number of records taken
 */
unsigned int fcn_collector_drain(struct fcn_collector *c, struct fcn_worker *w,
		void (*fn)(void *arg, const struct fcn_event *ev), void *arg);

/** Collect an event that comes from the control thread and not from a worker: one of
 * FCN_CONTROL_EVENTS. */
void fcn_collector_note(struct fcn_collector *c, const struct fcn_event *ev);

/** Summary of what was collected. The wait of a notice is the time from the decision to send it to
 * its transmission to the port's device. */
struct fcn_collector_summary {
	uint64_t records;            /**< records taken from workers' rings, of all types */
	uint64_t notices;            /**< notices made */
	uint64_t sent;               /**< notices transmitted to the device of their port */
	uint64_t first_ns;           /**< when the first notice was made */
	uint64_t wait_min_ns;        /**< shortest wait of a notice */
	uint64_t wait_max_ns;        /**< longest wait of a notice */
	uint64_t wait_sum_ns;        /**< sum of the waits of all notices */
	uint64_t congested;          /**< number of times that a queue became congested */
	uint64_t recovered;          /**< number of times that a queue recovered */
	uint64_t first_congested_ns; /**< when a queue became congested for the first time */
	uint64_t flows;              /**< flows kept */
	uint64_t untracked;          /**< notices of flows for which there was no room */
};

/** Get the summary. */
void fcn_collector_summary(const struct fcn_collector *c, struct fcn_collector_summary *s);

/**
 * Get the flows with the most notices, in descending order. Flows with the same number are ordered
 * by addresses and queue pair, so that the order is always the same.
 *
 * @param n room in top
 * @return number of flows written to top; 0 also on lack of memory
 */
unsigned int fcn_collector_top(
		const struct fcn_collector *c, struct fcn_collector_flow *top, unsigned int n);

/**
 * Find what is kept of a flow.
 *
 * @param sender,receiver as struct fcn_collector_flow has them
 * @return NULL if it is not kept; otherwise valid until an event is collected
 */
const struct fcn_collector_flow *fcn_collector_find(const struct fcn_collector *c,
		const uint8_t sender[16], const uint8_t receiver[16], uint32_t dest_qp);

/**
 * Get the last state events (FCN_STATE_EVENTS), the oldest first. Their order is that in which they
 * were collected. It may differ from the order of their times, because the end of congestion may be
 * noticed late.
 *
 * @param n room in event
 * @return number of events written
 */
unsigned int fcn_collector_events(
		const struct fcn_collector *c, struct fcn_event *event, unsigned int n);

/** Get the number of state events so far, since the collector was created. Events have numbers from
 * 0 on, in their order. */
uint64_t fcn_collector_event_count(const struct fcn_collector *c);

/** Get the number of the first state event that is still kept. */
uint64_t fcn_collector_event_first(const struct fcn_collector *c);

/** Get a state event. @param number fcn_collector_event_first() to fcn_collector_event_count() - 1
 */
const struct fcn_event *fcn_collector_event(const struct fcn_collector *c, uint64_t number);

/**
 * Keep the words of an event that is about to be noted, until as many others are kept as there are
 * events.
 *
 * @param words copied
 * @return their number, for struct fcn_event.len; 0: there is no memory
 */
uint32_t fcn_collector_keep_words(struct fcn_collector *c, const struct fcn_event_text *words);

/** Get the words with a number. @return NULL: they are not kept any more, or never were */
const struct fcn_event_text *fcn_collector_words(const struct fcn_collector *c, uint32_t number);

#endif /* FCN_COLLECTOR_H */
