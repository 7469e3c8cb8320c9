/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The threads of the workers of a live switch. Each thread calls fcn_poll_once() again and again,
 * with the time of a clock that all workers share and that counts TSC cycles.
 */

#ifndef WORKER_LOOP_H
#define WORKER_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_control.h"

struct fcn_loops;

/**
 * Start one thread for each worker, on the lcores that fcn_control_lcore() returns. They forward
 * nothing before fcn_loops_forward() is called.
 *
 * @return NULL with a line in err on failure
 */
struct fcn_loops *fcn_loops_start(struct fcn_control *ctl, char *err, size_t err_size);

/** End all threads and wait for them. NULL is allowed. */
void fcn_loops_stop(struct fcn_loops *loops);

/** Have the workers forward packets, or pause. */
void fcn_loops_forward(struct fcn_loops *loops, bool forward);

/** @return whether workers forward packets */
bool fcn_loops_is_forwarding(const struct fcn_loops *loops);

/**
 * Have the workers receive what has come so far, and then only send what is queued. Afterwards they
 * are only to be stopped. No port is added or removed before.
 */
void fcn_loops_drain(struct fcn_loops *loops);

/** @return whether no worker receives any more, after fcn_loops_drain() */
bool fcn_loops_received_all(const struct fcn_loops *loops);

/** @return the time of the workers' clock, nanoseconds. Any thread. */
uint64_t fcn_loops_now(const struct fcn_loops *loops);

#endif /* WORKER_LOOP_H */
