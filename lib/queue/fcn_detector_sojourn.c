/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* sojourn: how long the head has waited. */

#include "fcn_detector_state.h"

/*
 * The one measure that grows by itself: a head that was seen below leave and does
 * not leave the queue is at leave at ripe_ns, whether or not anybody looks.
 */
static void
follow(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t age, uint64_t now)
{
	uint64_t ripe = d->ripe_ns;

	/* None was known; but this one has been there for a while. */
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
		uint32_t age, uint64_t now)
{
	follow(d, conf, age, now);
	/* Age 0: there is none, or one that came just now, which shows in time. */
	if (d->below)
		d->ripe_ns = age == 0 ? FCN_DETECTOR_NEVER : now + (conf->leave - age);
}
