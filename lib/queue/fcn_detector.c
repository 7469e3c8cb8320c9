/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The functions of all detectors, and the detectors off, step and red, which are short. */

#include <string.h>

#include "detector_state.h"
#include "fcn_names.h"

#define NAME(sym, name) #name,
FCN_NAME_FUNCTION(fcn_detector_type_name, enum fcn_detector_type, FCN_DETECTORS(NAME))

void
fcn_detector_reset(struct fcn_detector *d)
{
	memset(d, 0, sizeof(*d));
	d->level = FCN_LEVEL_NONE;
}

/*
 * Adapt the state when the configuration has changed the type of the detector. The state of the old
 * measure is of no use for the new one. A congested queue stays congested until the new detector
 * finds that it is not.
 */
static void
change_type(struct fcn_detector *d, const struct fcn_detector_conf *conf)
{
	d->type = conf->type;
	d->below = false;
	d->above = false;
	d->windowed = false;
	d->rate = 0;
	d->rate_sum = 0;
}

/* Update the state with a measure. @return whether the queue is congested */
static bool
is_congested(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t measure,
		uint64_t now)
{
	fcn_detector_follow(d, conf, measure, now);
	if (!d->congested && measure >= conf->enter)
		fcn_detector_enter(d, conf, measure, now);
	return d->congested;
}

int
fcn_detector_evaluate_off(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		const struct fcn_detector_view *view)
{
	RTE_SET_USED(d);
	RTE_SET_USED(conf);
	RTE_SET_USED(view);
	return FCN_LEVEL_NONE;
}

void
fcn_detector_tick_off(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		uint32_t occupancy, uint32_t age_ns, uint64_t now)
{
	RTE_SET_USED(conf);
	RTE_SET_USED(occupancy);
	RTE_SET_USED(age_ns);
	if (d->congested)
		fcn_detector_leave(d, now);
}

static int
choose_step(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		const struct fcn_detector_view *view)
{
	uint32_t q = view->occupancy;

	if (!is_congested(d, conf, q, view->now))
		return FCN_LEVEL_NONE;
	fcn_detector_set_level(d, conf, fcn_detector_level(conf, q), view->now);
	return d->level;
}

void
fcn_detector_tick_step(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		uint32_t occupancy, uint32_t age_ns, uint64_t now)
{
	RTE_SET_USED(age_ns);
	fcn_detector_follow(d, conf, occupancy, now);
}

uint64_t
fcn_red_probability(const struct fcn_detector_conf *conf, uint32_t q)
{
	if (q < conf->enter)
		return 0;
	if (q >= conf->kmax)
		return UINT64_C(1) << 32;
	return conf->pmax * (q - conf->enter) / (conf->kmax - conf->enter);
}

static int
choose_red(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		const struct fcn_detector_view *view)
{
	uint32_t q = view->occupancy;
	uint64_t p;

	if (!is_congested(d, conf, q, view->now))
		return FCN_LEVEL_NONE;
	fcn_detector_set_level(d, conf, fcn_detector_level(conf, q), view->now);
	p = fcn_red_probability(conf, q);
	if (p == 0 || (p >> 32 == 0 && fcn_random32(view->random) >= p))
		return FCN_LEVEL_NONE;
	return d->level;
}

/*
 * An arrival at a detector that chooses packets when they leave. It chooses none, but can keep the
 * queue congested.
 */
static int
arrive(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		const struct fcn_detector_view *view)
{
	fcn_detector_follow(d, conf, view->occupancy, view->now);
	return FCN_LEVEL_NONE;
}

int
fcn_detector_evaluate_step(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		const struct fcn_detector_view *view)
{
	return conf->at_dequeue ? arrive(d, conf, view) : choose_step(d, conf, view);
}

int
fcn_detector_evaluate_red(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		const struct fcn_detector_view *view)
{
	return conf->at_dequeue ? arrive(d, conf, view) : choose_red(d, conf, view);
}

void
fcn_detector_tick_red(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		uint32_t occupancy, uint32_t age_ns, uint64_t now)
{
	RTE_SET_USED(age_ns);
	fcn_detector_follow(d, conf, occupancy, now);
}

int
fcn_detector_evaluate(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		const struct fcn_detector_view *view)
{
	if (unlikely(d->type != conf->type))
		change_type(d, conf);
	switch (conf->type) {
#define EVALUATE(sym, name)      \
	case FCN_DETECTOR_##sym: \
		return fcn_detector_evaluate_##name(d, conf, view);
		FCN_DETECTORS(EVALUATE)
#undef EVALUATE
	default:
		return FCN_LEVEL_NONE;
	}
}

int
fcn_detector_departure(struct fcn_detector *d, const struct fcn_detector_conf *conf,
		const struct fcn_detector_view *view)
{
	if (!conf->at_dequeue ||
			(conf->type != FCN_DETECTOR_RED && conf->type != FCN_DETECTOR_STEP))
		return FCN_LEVEL_NONE;
	if (likely(view->occupancy < conf->enter && !d->congested))
		return FCN_LEVEL_NONE;
	if (unlikely(d->type != conf->type))
		change_type(d, conf);
	return conf->type == FCN_DETECTOR_RED ? choose_red(d, conf, view)
					      : choose_step(d, conf, view);
}

void
fcn_detector_tick(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t occupancy,
		uint32_t age_ns, uint64_t now)
{
	if (unlikely(d->type != conf->type))
		change_type(d, conf);
	switch (conf->type) {
#define TICK(sym, name)                                                    \
	case FCN_DETECTOR_##sym:                                           \
		fcn_detector_tick_##name(d, conf, occupancy, age_ns, now); \
		break;
		FCN_DETECTORS(TICK)
#undef TICK
	default:
		break;
	}
}

uint64_t
fcn_detector_next(const struct fcn_detector *d, const struct fcn_detector_conf *conf)
{
	uint64_t next = FCN_DETECTOR_NEVER;

	if (!d->congested)
		return next;
	if (d->type != conf->type)
		return 0; /* The new type has to look at the queue at once. */
	if (d->below && conf->hold_ns < FCN_DETECTOR_NEVER - d->below_ns)
		next = d->below_ns + conf->hold_ns;
	if (conf->type == FCN_DETECTOR_SOJOURN && next > d->ripe_ns)
		next = FCN_DETECTOR_NEVER;
	if (conf->type == FCN_DETECTOR_RATE && d->windowed)
		next = RTE_MIN(next, d->window_ns + conf->interval_ns);
	return next;
}
