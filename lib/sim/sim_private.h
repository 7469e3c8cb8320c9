/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What a group of simulations needs of each (fcn_sim_group.c).
 */

#ifndef SIM_PRIVATE_H
#define SIM_PRIVATE_H

#include "fcn_sim.h"

/** Get the place before all events of a time and a rank. */
static inline fcn_sim_order
fcn_sim_order_of(uint64_t time, enum fcn_sim_rank rank)
{
	return (fcn_sim_order)time << 64 | (uint64_t)rank << 56;
}

/** Get the place of the next event, while none runs. */
fcn_sim_order fcn_sim_first(const struct fcn_sim *sim);

/** Run the next event, if it comes before a place. @return whether there was one */
bool fcn_sim_step_before(struct fcn_sim *sim, fcn_sim_order before);

/** Number the events that are made from now on together with those of another simulation. */
void fcn_sim_number_as(struct fcn_sim *sim, struct fcn_sim *other);

#endif /* SIM_PRIVATE_H */
