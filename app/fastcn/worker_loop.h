/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The threads of a live switch's workers: a turn of fcn_poll_once() after the
 * other, by the TSC, which all of them read from the same start.
 */

#ifndef WORKER_LOOP_H
#define WORKER_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_control.h"

struct fcn_loops;

/**
 * Start a thread a worker, on the lcores that fcn_control_lcore() says; they rest until told to
 * forward.
 *
 * @return NULL with a line in err on failure
 */
struct fcn_loops *fcn_loops_start(struct fcn_control *ctl, char *err, size_t err_size);

/** End all threads and wait for them. NULL is allowed. */
void fcn_loops_stop(struct fcn_loops *loops);

/** Have the workers forward packets, or rest. */
void fcn_loops_forward(struct fcn_loops *loops, bool forward);
bool fcn_loops_is_forwarding(const struct fcn_loops *loops);

/** Nanoseconds of the workers' clock, now. Any thread. */
uint64_t fcn_loops_now(const struct fcn_loops *loops);

#endif /* WORKER_LOOP_H */
