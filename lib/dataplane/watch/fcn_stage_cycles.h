/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Cycles that a worker spends in each stage, by a counter that the program hands in: a worker has
 * no clock of its own. While they are not counted, this costs one test in each turn.
 *
 * It belongs to the worker. The control thread reads it by fcn_worker_call().
 */

#ifndef FCN_STAGE_CYCLES_H
#define FCN_STAGE_CYCLES_H

#include <stdbool.h>
#include <stdint.h>

#include "fcn_trace.h"

/** After the elements for enum fcn_stage: work of busy turns outside of all stages. */
#define FCN_CYCLES_OTHER FCN_STAGE_COUNT
/** Turns that moved no packet. */
#define FCN_CYCLES_IDLE (FCN_STAGE_COUNT + 1)
#define FCN_CYCLES_COUNT (FCN_STAGE_COUNT + 2) /**< number of elements */

/**
 * A turn that takes more cycles than this is left out, because the operating system has most likely
 * interrupted the thread: 256 packets from and to the slowest devices take half of it.
 */
#define FCN_CYCLES_TURN_MAX 1000000

/** Work of a stage. */
struct fcn_stage_work {
	uint64_t cycles;
	/** Packets that the stage processed; for FCN_CYCLES_OTHER, packets that entered. */
	uint64_t packets;
	uint64_t calls; /**< bursts; for FCN_CYCLES_OTHER and FCN_CYCLES_IDLE, turns */
};

/** The clock with which a worker measures its stages. */
struct fcn_stage_clock {
	bool on; /**< the next turn is measured */
	/** struct fcn_worker_conf.read_cycles; NULL: there is no such counter */
	uint64_t (*read)(void);
};

/** Cycles of the stages of a worker, without those that reading the counter takes. */
struct fcn_stage_cycles {
	uint64_t last; /**< counter at the end of the previous stage */
	uint64_t cost; /**< least cycles between two readings, which the readings themselves take */
	struct fcn_stage_work turn[FCN_CYCLES_COUNT]; /**< of the current turn */
	struct fcn_stage_work sum[FCN_CYCLES_COUNT];  /**< of the turns before */
	uint64_t left_out; /**< turns of more than FCN_CYCLES_TURN_MAX cycles */
};

#endif /* FCN_STAGE_CYCLES_H */
