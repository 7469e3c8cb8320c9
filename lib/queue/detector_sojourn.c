/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The detector sojourn: the time that the packet at the head has waited. */

#include "detector_state.h"

/*
 * Update the state with the age of the head. This measure grows without arrivals: a head that was
 * younger than `leave` and stays in the queue reaches that age at ripe_ns, even if no packet
 * arrives then.
 */
static void
follow(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t age, uint64_t now)
{
	uint64_t ripe = d->ripe_ns;

	/* There was no head when ripe_ns was computed, but the present one is already older than
	 * leave. */
	if (ripe == FCN_DETECTOR_NEVER && age >= conf->leave)
		ripe = now - (age - conf->leave);
	if (d->below && now >= ripe && ripe - d->below_ns < conf->hold_ns)
		d->below = false;
	fcn_detector_follow(d, conf, age, now);
}

int
fcn_detector_evaluate_sojourn(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		const struct fcn_detector_view *view)
{
	uint32_t age = view->age_ns;
	uint64_t now = view->now;

	follow(d, conf, age, now);
	if (age < conf->enter) {
		d->above = false;
	} else if (!d->above) {
		d->above = true;
		d->above_ns = now;
	}
	if (!d->congested) {
		if (!d->above || now - d->above_ns < conf->interval_ns)
			return FCN_LEVEL_NONE;
		fcn_detector_enter(d, conf, age, now);
	}
	if (d->below)
		d->ripe_ns = now + (conf->leave - age);
	fcn_detector_set_level(d, conf, fcn_detector_level(conf, age), now);
	return d->level;
}

void
fcn_detector_tick_sojourn(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		uint32_t occupancy, uint32_t age_ns, uint64_t now)
{
	RTE_SET_USED(occupancy);
	follow(d, conf, age_ns, now);
	/*
	 * At age 0 the queue is empty, or its head has just arrived and the next call will see its
	 * age.
	 */
	if (d->below)
		d->ripe_ns = age_ns == 0 ? FCN_DETECTOR_NEVER : now + (conf->leave - age_ns);
}
