/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The bench of testbed.h with three workers on one thread: port p is worker p % 3's, and turns are
 * taken when the test says so.
 */

#ifndef WORKERS_BENCH_H
#define WORKERS_BENCH_H

#include "testbed.h"

#define N_WORKERS 3

extern struct fcn_worker *workers[N_WORKERS];
/** How often the workers' counters were cleared. */
extern uint64_t workers_clears;

/** Test setup: routes to 2001:db8:<p>::/48 are by port p. */
int workers_setup(void **state);
int workers_teardown(void **state);

/** The packet accounting of all workers together holds. */
void workers_check(void);
/** One turn of a worker. @return as fcn_poll_once() */
unsigned int workers_poll(unsigned int i, uint64_t now);
/** One turn of each. */
void workers_poll_all(uint64_t now);
/** Add a port, which a worker polls and sends by. */
void workers_place(uint16_t port, unsigned int owner, const struct fcn_port_ops *ops);

#endif /* WORKERS_BENCH_H */
