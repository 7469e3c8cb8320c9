/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Packets that are ready (fcn_ready.h) enter their class queues: those that waited in this turn,
 * and those of other workers. Used by the walk only.
 */

#ifndef TAKE_H
#define TAKE_H

#include "fcn_stages.h"

/**
 * Queue the packets of w->ready that can be queued at once, and put the others into a burst, with
 * those that have passed through the stages: in the order in which they were received.
 *
 * @param passed burst of those that have passed through the stages; it is empty afterwards
 * @param b      burst to be put into; it is for the stages `hold` and `enqueue`
 */
void fcn_ready_take(struct fcn_worker *w, struct fcn_burst *passed, struct fcn_burst *b);

#endif /* TAKE_H */
