/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A network of two senders, a switch and a receiver as a scenario, without a file, and events of it
 * as a run would tell them.
 *
 *   h1 --10G 1us-- s1 --10G 2us-- h3,  h2 --10G 1us-- s1;  flows a: h1 > h3, b: h2 > h3 (twice)
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

/** The network; change what is to be different, then measured_begin(). */
void measured_init(struct measured *t);
/** dir: NULL, no files. Flows' queue pairs are 17 at senders' ends for a and b1, 18 for b2. */
void measured_begin(struct measured *t, const char *dir);
/** The result at that time, with what the run hands in empty; the measure is freed. */
json_t *measured_end(struct measured *t, uint64_t now);

/** A switch's event about the queue to h3, class 3. */
void measured_state(struct measured *t, enum fcn_event_type type, uint64_t now);
/** A notice is decided on for a flow. */
void measured_notice(struct measured *t, unsigned int flow, bool sent, uint64_t now);
/** The queue to h3, class 3. */
void measured_queue(struct measured *t, uint32_t bytes, uint64_t now);
/** A sender's event. */
void measured_host(struct measured *t, unsigned int flow, enum fcn_endpoint_event_type type,
		uint64_t value, uint64_t created, uint64_t now);

/** A metric that is there. */
double metric(const json_t *result, const char *path);
/** It is not there. */
void assert_no_metric(const json_t *result, const char *path);

#endif /* MEASURED_H */
