/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The test bench of testbed.h with three workers on one thread: port p belongs to worker p % 3, and
 * a worker runs a turn when the test calls workers_poll().
 */

#ifndef WORKERS_BENCH_H
#define WORKERS_BENCH_H

#include "testbed.h"

#define N_WORKERS 3
#define WORKERS_LEN 500 /* bytes of a packet of workers_arrive() */

extern struct fcn_worker *workers[N_WORKERS];
/** Number of times that the workers' counters were cleared. */
extern uint64_t workers_clears;

/** Test setup: the route to 2001:db8:<p>::/48 leads to port p. */
int workers_setup(void **state);
int workers_teardown(void **state);

/** Check that the packet accounting of all workers together balances. */
void workers_check(void);
/** Run one turn of a worker. @return as fcn_poll_once() */
unsigned int workers_poll(unsigned int i, uint64_t now);
/** Run one turn of each worker. */
void workers_poll_all(uint64_t now);
/** Add a port, which belongs to worker `owner`. */
void workers_place(uint16_t port, unsigned int owner, const struct fcn_port_ops *ops);

/** Let a packet from 2001:db8:<from>::<n> to 2001:db8:<to>::9 arrive by port `from`. */
void workers_arrive(uint16_t from, uint16_t to, unsigned int class, uint8_t n);

#endif /* WORKERS_BENCH_H */
