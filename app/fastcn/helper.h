/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A thread for calls to the kernel that may block for seconds, such as writing a file. While it
 * works, the calling thread does what cannot wait. The helper does one piece of work at a time.
 */

#ifndef HELPER_H
#define HELPER_H

#include <stdint.h>

struct fcn_helper;

/** Start the thread. @return NULL with errno set on failure */
struct fcn_helper *fcn_helper_create(void);

/** Wait for the present work and end the thread. NULL is allowed. */
void fcn_helper_free(struct fcn_helper *helper);

/**
 * Run work(arg) on the helper's thread and return when it is done. Always the same thread has to
 * call this.
 *
 * @param meanwhile is called on the calling thread when the work takes longer than about 50 us, and
 *                  again after as many milliseconds as it returned, until the work is done
 */
void fcn_helper_run(struct fcn_helper *helper, void (*work)(void *arg), void *arg,
		int (*meanwhile)(void *arg), void *meanwhile_arg);

#endif /* HELPER_H */
