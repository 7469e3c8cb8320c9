/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A scenario without a file: a network of two senders, a switch and a receiver, and the events that
 * a run of it would report.
 *
 *   h1 --10G 1us-- s1 --10G 2us-- h3, h2 --10G 1us-- s1; flows a: h1 > h3, b: h2 > h3 (twice)
 */

#ifndef MEASURED_H
#define MEASURED_H

#include "fcn_test.h"
#include "measure.h"

#define US 1000ull

enum {
	FLOW_A,
	FLOW_B1,
	FLOW_B2,
	FLOWS,
};

struct measured {
	struct lab_scenario sc;
	struct lab_switch node_switch[1];
	struct lab_host host[3];
	struct lab_link link[3];
	struct lab_flow flow[FLOWS];
	struct lab_watch watch[1];
	struct lab_param param[1];
	struct lab_measure *m;
};

/** Make the network. A test may change it before measured_begin(). */
void measured_init(struct measured *t);
/**
 * Begin to measure. The queue pairs at the senders are 17 for the flows a and b1, and 18 for b2.
 * @param dir folder for files; NULL: no files
 */
void measured_begin(struct measured *t, const char *dir);
/**
 * End the measurement, and free it. @return the result at that time, in which the parts that a run
 * adds are empty
 */
json_t *measured_end(struct measured *t, uint64_t now);

/** Report an event of the switch about the queue to h3, class 3. */
void measured_state(struct measured *t, enum fcn_event_type type, uint64_t now);
/** Report the decision about a notice for a flow. */
void measured_notice(struct measured *t, unsigned int flow, bool sent, uint64_t now);
/** Report the occupancy of the queue to h3, class 3. */
void measured_queue(struct measured *t, uint32_t bytes, uint64_t now);
/** Report an event of a sender. */
void measured_host(struct measured *t, unsigned int flow, enum fcn_endpoint_event_type type,
		uint64_t value, uint64_t created, uint64_t now);

/** Get a metric; the test fails when there is none. */
double metric(const json_t *result, const char *path);
/** Check that a metric does not exist. */
void assert_no_metric(const json_t *result, const char *path);

#endif /* MEASURED_H */
