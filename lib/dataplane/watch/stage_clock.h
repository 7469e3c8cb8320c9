/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Counting the cycles of stages. Only turns with stage_clock.on call these functions.
 */

#ifndef STAGE_CLOCK_H
#define STAGE_CLOCK_H

#include "fcn_worker.h"

/** Adapt to a new snapshot: the turns that follow are measured, or not. */
void fcn_cycles_reconfigure(struct fcn_worker *w);

/** A turn begins. */
void fcn_cycles_begin(struct fcn_worker *w);

/**
 * A stage has processed packets: the cycles since the last call of this function are its own.
 *
 * @param stage   enum fcn_stage or FCN_CYCLES_OTHER
 * @param packets number of packets; the call counts only if it is not 0
 */
void fcn_cycles_lap(struct fcn_worker *w, unsigned int stage, unsigned int packets);

/**
 * Begin to measure other stages within a stage. @return the cycles of the stage until now, for
 * fcn_cycles_resume()
 */
uint64_t fcn_cycles_interrupt(struct fcn_worker *w);
/** Continue the stage that was interrupted. */
void fcn_cycles_resume(struct fcn_worker *w, uint64_t before);

/** A turn ends. @param busy it has moved packets */
void fcn_cycles_end(struct fcn_worker *w, bool busy);

#endif /* STAGE_CLOCK_H */
