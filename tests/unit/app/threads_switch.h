/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A switch whose two workers run on threads of their own, without devices: its ports make frames
 * and take some of those that are sent.
 */

#ifndef THREADS_SWITCH_H
#define THREADS_SWITCH_H

#include "fcn_control.h"
#include "fcn_session.h"
#include "fcn_test.h"
#include "worker_loop.h"

#define WORKERS 2
#define PORTS 4   /* routed */
#define FLOODED 4 /* of a bridge: what the first receives the others send */

/** A worker stands still as long as this is wanted. */
struct stop {
	int wanted, stands; /* atomic */
};

struct threads_port {
	uint16_t number;
	uint64_t received; /**< by its worker */
	uint64_t sent;     /**< of the bridge; by its worker */
	uint32_t sum;      /**< of what it sent: it is read */
};

struct threads_switch {
	struct threads_port port[FCN_MAX_PORTS];
	struct rte_mempool *pool;
	struct fcn_control *ctl;
	struct fcn_loops *loops;
	struct fcn_session session;
	char *said;
	size_t said_size;
	bool impatient;      /**< workers are not waited for as long as it takes */
	uint64_t impatience; /**< times that somebody asked how long he has waited */
	struct stop in_turn; /**< of worker 1, when it receives */
};

extern struct threads_switch threads;

int threads_setup(void **state);
int threads_teardown(void **state);
/** Run a line that has to succeed. */
void threads_line(const char *text);
/** Configure all ports. Ports with an even number are worker 0's. */
void threads_configure(void);
/** Stand still while it is wanted. */
void threads_stand(struct stop *stop);
/** Milliseconds of a clock that never goes back. */
uint64_t threads_milliseconds(void);

void threads_stand_in_turn(void);
void threads_stand_in_call(void);
void threads_stand_unasked(void);

#endif /* THREADS_SWITCH_H */
