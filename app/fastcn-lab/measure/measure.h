/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What a run measures: it is told of everything that happens, and makes the result of it at the
 * end: one JSON value, from which text, expectations and pictures come, and files of series and
 * frames in a directory.
 */

#ifndef LAB_MEASURE_H
#define LAB_MEASURE_H

#include <stdint.h>

#include <jansson.h>
#include <rte_mbuf.h>

#include "fcn_event.h"
#include "fcn_link.h"
#include "scenario.h"

struct lab_measure;
struct lab_series_set;

/**
 * @param dir where files go, made if it is not there; NULL: no files
 * @param err one line, on failure
 */
struct lab_measure *lab_measure_create(
		const struct lab_scenario *sc, const char *dir, char *err, size_t err_size);
void lab_measure_free(struct lab_measure *m);

/**
 * A flow has its queue pairs, before anything happens to them. Events are matched to flows by this:
 * those of hosts by host and queue pair, those of switches by the receiver's address and queue
 * pair, which the data packet had.
 */
void lab_measure_flow(struct lab_measure *m, unsigned int flow, uint32_t sender_qp,
		uint32_t receiver_qp, const uint8_t receiver[16]);

/** The flow whose packets have this receiver and queue pair, -1: none. */
int lab_measure_flow_of(struct lab_measure *m, const uint8_t receiver[16], uint32_t qp);

/** When it wants to know next how far the flows are; FCN_ENDPOINT_NEVER: not any more. */
uint64_t lab_measure_sample_time(const struct lab_measure *m);

/**
 * How far a flow is: posted and acknowledged at its sender, delivered at its receiver. Of all flows
 * that are not closed, at lab_measure_sample_time() and at the end of the run, before
 * lab_measure_result(); of one that is to be closed, before it is.
 */
void lab_measure_sample(struct lab_measure *m, unsigned int flow, uint64_t posted, uint64_t acked,
		uint64_t delivered, uint64_t now);

/** All flows were sampled that are. */
void lab_measure_sampled(struct lab_measure *m, uint64_t now);

/** An endpoint's event. */
void lab_measure_host(
		struct lab_measure *m, unsigned int host, const struct fcn_endpoint_event *ev);

/** A switch's event (notices, congestion, flow control). port: name of the port it is about. */
void lab_measure_switch(struct lab_measure *m, unsigned int node, const char *port,
		const struct fcn_event *ev);

/** A queue holds another number of bytes than before, from now on. port_number: as in events. */
void lab_measure_queue(struct lab_measure *m, unsigned int node, const char *port,
		unsigned int port_number, unsigned int class, uint32_t bytes, uint64_t now);

/** A frame was put on a link: departed is its last bit's time there. */
void lab_measure_frame(struct lab_measure *m, unsigned int link, unsigned int direction,
		const struct rte_mbuf *frame, enum fcn_link_fate fate, uint64_t departed);

/** What the run knows at its end, to be put into the result as it is. */
struct lab_totals {
	uint64_t now;    /**< virtual time of the end */
	uint64_t frames; /**< put on links */
	uint64_t events; /**< of the simulation */
	bool interrupted;
	json_t *hosts;    /**< array, in the scenario's order: objects of counters */
	json_t *switches; /**< array: port counters, drops, notices, as `show ... json` has them */
	json_t *links;    /**< array: objects of counters, both directions of the scenario's first
			     link, of its second, ... */
	json_t *generators; /**< object: traffic of very many flows by its name, NULL: there is none
			     */
	json_t *violations; /**< array of text: broken invariants */
};

/**
 * The result; takes the references in totals. Nothing of the machine is in it (no wall time), so
 * that runs can be compared byte by byte.
 */
json_t *lab_measure_result(struct lab_measure *m, struct lab_totals *totals);

/** The directory that the measure was made with; NULL: no files are written. */
const char *lab_measure_dir(const struct lab_measure *m);

/** The series of numbers over time; they belong to the measure. */
const struct lab_series_set *lab_measure_series(const struct lab_measure *m);

/** Write the captures of links to the end, and close them. @return 0, -1 when that failed */
int lab_measure_close_captures(struct lab_measure *m);

#endif /* LAB_MEASURE_H */
