/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * SIGINT and SIGTERM of the live switch. A thread of its own receives them, so that they end the
 * program at any time, whatever the control thread is waiting for:
 *
 * - before fcn_stop_in_order(), a signal ends the program at once, as if it were not handled;
 * - after that, the control thread has 0.7 seconds to begin to end the program in order, which is
 * to free fcn_live from its loop. While it does that, it calls fcn_stop_step() after each step;
 * - when it does not begin in time, when a step takes longer than 2 seconds, or when a second
 *   signal comes, the program ends at once by the signal.
 *
 * A program has one of these. The thread that created it makes all calls.
 */

#ifndef STOP_SIGNAL_H
#define STOP_SIGNAL_H

#include <stdbool.h>

struct fcn_stop;

/**
 * Block SIGINT and SIGTERM in the calling thread, and in all threads that it creates from now on,
 * and start the thread that receives them.
 *
 * @return NULL on failure, with errno set
 */
struct fcn_stop *fcn_stop_create(void);

/** From now on, the program is to be ended in order. */
void fcn_stop_in_order(struct fcn_stop *stop);

/** Get a descriptor that is readable after the first signal, and stays so. */
int fcn_stop_fd(const struct fcn_stop *stop);

/** Tell whether a signal has come. */
bool fcn_stop_wanted(const struct fcn_stop *stop);

/** A step of the end in order is done, or has begun. NULL is allowed. */
void fcn_stop_step(struct fcn_stop *stop);

/** Receive no more signals. NULL is allowed. */
void fcn_stop_free(struct fcn_stop *stop);

#endif /* STOP_SIGNAL_H */
