/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Waiting for another thread. A short wait spins; a longer one yields the core, because the other
 * thread may need this core.
 */

#ifndef SPIN_H
#define SPIN_H

#include <sched.h>

#include <rte_pause.h>

/** Number of pauses before the core is yielded: some ten microseconds, longer than a turn. */
#define FCN_SPINS 256

/**
 * Wait for a moment; to be called in a loop. For the control thread only: workers never wait.
 *
 * @param spins number of calls so far, 0 before the first; updated
 */
static inline void
fcn_spin_wait(unsigned int *spins)
{
	if (++*spins < FCN_SPINS)
		rte_pause();
	else
		sched_yield();
}

#endif /* SPIN_H */
