/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What a run measures. The network reports every event to a measure. At the end the measure makes
 * the result, one JSON value from which report, expectations and pictures are made. When it has a
 * directory, it also keeps series of numbers over time and writes captures of links.
 */

#ifndef LAB_MEASURE_H
#define LAB_MEASURE_H

#include <stdint.h>

#include <jansson.h>
#include <rte_mbuf.h>

#include "fcn_event.h"
#include "fcn_link.h"
#include "log.h"
#include "scenario.h"

struct lab_measure;
struct lab_series_set;

/**
 * @param dir directory of the files, which is created when there is none; NULL: no files are
 * written
 * @param err a message of one line, on failure
 * @return NULL on failure
 */
struct lab_measure *lab_measure_create(
		const struct lab_scenario *sc, const char *dir, char *err, size_t err_size);
void lab_measure_free(struct lab_measure *m);

/** Keep series of numbers over time, also without a directory. To be called before any event.
 * @return 0, or -1: out of memory */
int lab_measure_keep_series(struct lab_measure *m);

/**
 * The nodes are divided between threads. What their events report is in part kept in logs, and is
 * measured when these are replayed.
 *
 * @param of_switch log for each switch, of_host: for each host; NULL: they are not divided. The
 *                  arrays are used as long as the measure is.
 */
void lab_measure_divide(struct lab_measure *m, struct lab_log *const *of_switch,
		struct lab_log *const *of_host);

/** Report that something could not be measured, for lack of memory. */
void lab_measure_incomplete(struct lab_measure *m);

/**
 * Report the queue pairs of a flow, before any event of them. Events of hosts are matched to flows
 * by host and queue pair, those of switches by the receiver's address and queue pair in the data
 * packet.
 */
void lab_measure_flow(struct lab_measure *m, unsigned int flow, uint32_t sender_qp,
		uint32_t receiver_qp, const uint8_t receiver[16]);

/** Report that a flow begins, in an event of its sender. */
void lab_measure_flow_begins(struct lab_measure *m, unsigned int flow);

/** The flow whose packets have this receiver and queue pair; -1 when there is none. */
int lab_measure_flow_of(struct lab_measure *m, const uint8_t receiver[16], uint32_t qp);

/** The time of the next sample of all flows, in ns; FCN_ENDPOINT_NEVER: there is no further one. */
uint64_t lab_measure_sample_time(const struct lab_measure *m);

/**
 * Report a sample of a flow: bytes posted and acknowledged at its sender, delivered at its
 * receiver. To be called for every flow that is not closed at lab_measure_sample_time() and at the
 * end of the run, before lab_measure_result(), and for a flow before it is closed.
 */
void lab_measure_sample(struct lab_measure *m, unsigned int flow, uint64_t posted, uint64_t acked,
		uint64_t delivered, uint64_t now);

/** Report that all flows were sampled. */
void lab_measure_sampled(struct lab_measure *m, uint64_t now);

/** Report an event of a host's endpoint. */
void lab_measure_host(
		struct lab_measure *m, unsigned int host, const struct fcn_endpoint_event *ev);

/** Report an event of a switch (notices, congestion, flow control) at the port of this name. */
void lab_measure_switch(struct lab_measure *m, unsigned int node, const char *port,
		const struct fcn_event *ev);

/** Counters of a port's class at a switch. */
struct lab_counters {
	uint64_t suppressed; /**< notices for the class queue that were suppressed */
	uint64_t paused_ns;  /**< time for which the link partner paused the class */
};

/** Report what a switch has counted since the last report. */
void lab_measure_counters(struct lab_measure *m, unsigned int node, const char *port,
		unsigned int port_number, unsigned int class, const struct lab_counters *new);

/** Report that the bytes in a queue have changed. port_number is that of events. */
void lab_measure_queue(struct lab_measure *m, unsigned int node, const char *port,
		unsigned int port_number, unsigned int class, uint32_t bytes, uint64_t now);

/** Set what tells which frames are Congestion Notification Messages, so that lost ones are
 * counted; without it, none are. */
void lab_measure_set_cnm(struct lab_measure *m,
		bool (*is_cnm)(void *arg, const struct rte_mbuf *frame), void *arg);

/** Report a frame that was put on a link; departed is the time of its last bit, in ns. */
void lab_measure_frame(struct lab_measure *m, unsigned int link, unsigned int direction,
		const struct rte_mbuf *frame, enum fcn_link_fate fate, uint64_t departed);

/** Numbers of the network at the end of the run, which become part of the result as they are. */
struct lab_totals {
	uint64_t now;    /**< virtual time at the end of the run, ns */
	uint64_t frames; /**< number of frames sent on links */
	uint64_t events; /**< number of events of the simulation */
	bool interrupted;
	json_t *hosts;    /**< array, in the scenario's order: objects of counters */
	json_t *switches; /**< array: port counters, drops, notices, as `show ... json` has them */
	json_t *links;    /**< array: objects of counters, both directions of the scenario's first
			     link, of its second, ... */
	json_t *generators; /**< object: traffic of very many flows by its name, NULL: there is none
			     */
	json_t *goals;      /**< object: traces by name, NULL: there is none */
	json_t *violations; /**< array of text: broken invariants */
};

/**
 * Make the result. It takes over the references in totals. Nothing in it depends on the machine,
 * such as wall clock time, so results of runs can be compared byte by byte.
 */
json_t *lab_measure_result(struct lab_measure *m, struct lab_totals *totals);

/** The directory that the measure was made with; NULL: no files are written. */
const char *lab_measure_dir(const struct lab_measure *m);

/** The series of numbers over time; they belong to the measure. NULL: none are kept. */
const struct lab_series_set *lab_measure_series(const struct lab_measure *m);

/** Write the captures of links and the records of messages to the end, and close them. @return 0,
 * -1 when that failed */
int lab_measure_close_files(struct lab_measure *m);

#endif /* LAB_MEASURE_H */
