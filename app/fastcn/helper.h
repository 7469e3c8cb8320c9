/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A thread for work that the kernel may hold up for seconds, while the thread that wants it done
 * goes on with what cannot wait. One piece of work at a time.
 */

#ifndef HELPER_H
#define HELPER_H

#include <stdint.h>

struct fcn_helper;

/** @return NULL with errno on failure */
struct fcn_helper *fcn_helper_create(void);

/** Wait for the work under way, and end the thread. NULL is allowed. */
void fcn_helper_free(struct fcn_helper *helper);

/**
 * Have work(arg) done by the helper's thread. To be called by one thread only.
 *
 * @param meanwhile called by the calling thread until the work is done: when it takes longer than
 *                  some 50 us, and then again after as many milliseconds as it returned
 */
void fcn_helper_run(struct fcn_helper *helper, void (*work)(void *arg), void *arg,
		int (*meanwhile)(void *arg), void *meanwhile_arg);

#endif /* HELPER_H */
