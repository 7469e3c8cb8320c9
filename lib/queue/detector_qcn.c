/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The detector qcn: occupancy and its growth, as the feedback of IEEE 802.1Qau. */

#include "detector_state.h"

static int64_t
qcn_fb(const struct fcn_detector_conf *conf, uint32_t q, uint32_t q_old)
{
	int64_t offset = (int64_t)q - conf->qeq;
	int64_t growth = (int64_t)q - q_old;

	return -(offset + (int64_t)conf->weight * growth);
}

bool
fcn_qcn_is_negative(const struct fcn_detector_conf *conf, uint32_t q, uint32_t q_old)
{
	return qcn_fb(conf, q, q_old) < 0;
}

uint32_t
fcn_qcn_quantise(const struct fcn_detector_conf *conf, uint32_t q, uint32_t q_old)
{
	int64_t fb = qcn_fb(conf, q, q_old);
	uint64_t full = (uint64_t)conf->qeq * (2 * conf->weight + 1);

	if (fb >= 0 || full == 0)
		return 0;
	return RTE_MIN((uint64_t)-fb * 64 / full, (uint64_t)63);
}

/* Begin a new sample with an occupancy of q, and the bytes that have arrived of it. */
static void
restart(struct fcn_detector *d, uint32_t q, uint32_t arrived)
{
	d->q_old = q;
	d->arrived = arrived;
}

static void
take_sample(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t q, uint64_t now)
{
	int level = FCN_LEVEL_NONE;

	if (unlikely(fcn_qcn_is_negative(conf, q, d->q_old))) {
		uint32_t x = fcn_qcn_quantise(conf, q, d->q_old);

		level = (int)(x >> 3);
		/* Hysteresis of one step: a value just below the lower edge of a level keeps it. */
		if (level < d->level && (int)((x + 1) >> 3) == d->level)
			level = d->level;
	}
	restart(d, q, 0);
	if (!d->congested && level >= 1)
		fcn_detector_enter(d, conf, q, now);
	if (d->congested)
		fcn_detector_set_level(d, conf, level, now);
}

int
fcn_detector_evaluate_qcn(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		const struct fcn_detector_view *view)
{
	uint32_t q = view->occupancy;

	if (d->congested) {
		/* Congestion may have ended before this packet arrived. */
		if (fcn_detector_expire(d, conf, view->now))
			restart(d, q - view->len, view->len);
		if (fcn_detector_follow(d, conf, q, view->now))
			restart(d, q, 0);
	}
	if (d->arrived >= conf->sample)
		take_sample(d, conf, q, view->now);
	return d->congested ? d->level : FCN_LEVEL_NONE;
}

void
fcn_detector_tick_qcn(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		uint32_t occupancy, uint32_t age_ns, uint64_t now)
{
	RTE_SET_USED(age_ns);
	if (fcn_detector_follow(d, conf, occupancy, now))
		restart(d, occupancy, 0);
}
