/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Functions that all detectors share: they begin and end congestion, and raise and lower the level.
 * Only the files of the detectors include this header.
 */

#ifndef DETECTOR_STATE_H
#define DETECTOR_STATE_H

#include "fcn_detector.h"

/* Begin congestion. The measure may already be below leave, as growth alone can be congestion to
 * qcn. */
static inline void
fcn_detector_enter(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t measure,
		uint64_t now)
{
	d->congested = true;
	d->below = measure < conf->leave;
	d->below_ns = now;
	d->entered_ns = now;
	d->enters++;
}

/* End congestion, at the time `at`. */
static inline void
fcn_detector_leave(struct fcn_detector *d, uint64_t at)
{
	d->congested = false;
	d->below = false;
	d->level = FCN_LEVEL_NONE;
	d->left_ns = at;
	d->leaves++;
}

/* End congestion if the measure has been below leave for the hold time by now. @return whether
 * congestion ended */
static inline bool
fcn_detector_expire(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint64_t now)
{
	if (!d->below || now - d->below_ns < conf->hold_ns)
		return false;
	fcn_detector_leave(d, d->below_ns + conf->hold_ns);
	return true;
}

/*
 * Update a congested state with the measure that is valid from now on. @return whether congestion
 * ended
 */
static inline bool
fcn_detector_follow(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t measure,
		uint64_t now)
{
	if (!d->congested)
		return false;
	if (fcn_detector_expire(d, conf, now))
		return true;
	if (measure >= conf->leave) {
		d->below = false;
		return false;
	}
	if (!d->below) {
		d->below = true;
		d->below_ns = now;
	}
	return fcn_detector_expire(d, conf, now);
}

/*
 * Set the level. A rise, and the absence of a level, take effect at once; a fall takes effect only
 * after the hold time.
 */
static inline void
fcn_detector_set_level(struct fcn_detector *d, const struct fcn_detector_conf *conf, int level,
		uint64_t now)
{
	if (level == d->level)
		return;
	if (level < d->level && level != FCN_LEVEL_NONE && now - d->level_ns < conf->level_hold_ns)
		return;
	d->level = level;
	d->level_ns = now;
}

/*
 * The functions of each detector: fcn_detector_evaluate_<name>() does the work of
 * fcn_detector_evaluate(), and fcn_detector_tick_<name>() that of fcn_detector_tick(). Before
 * either is called, the state has been adapted to the detector if its type was another.
 */
#define FCN_DETECTOR_FUNCTIONS(sym, name)                                                          \
	int fcn_detector_evaluate_##name(struct fcn_detector *d,                                   \
			const struct fcn_detector_conf *conf,                                      \
			const struct fcn_detector_view *view);                                     \
	void fcn_detector_tick_##name(struct fcn_detector *d,                                      \
			const struct fcn_detector_conf *conf, uint32_t occupancy, uint32_t age_ns, \
			uint64_t now);
FCN_DETECTORS(FCN_DETECTOR_FUNCTIONS)
#undef FCN_DETECTOR_FUNCTIONS

#endif /* DETECTOR_STATE_H */
