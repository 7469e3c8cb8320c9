/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Waiting for another thread: short waits spin, longer ones leave the core to
 * others. The thread waited for may need this very core.
 */

#ifndef FCN_SPIN_H
#define FCN_SPIN_H

#include <sched.h>

#include <rte_pause.h>

/** Waits before the core is given away: some ten microseconds, longer than a turn. */
#define FCN_SPINS 256

/** Once around the loop. For control: a worker never waits. @param spins 0 at first */
static inline void
fcn_spin_wait(unsigned int *spins)
{
	if (++*spins < FCN_SPINS)
		rte_pause();
	else
		sched_yield();
}

#endif /* FCN_SPIN_H */
