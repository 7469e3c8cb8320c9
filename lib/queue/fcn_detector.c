/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "fcn_detector.h"

void
fcn_detector_reset(struct fcn_detector *d)
{
	memset(d, 0, sizeof(*d));
	d->level = FCN_LEVEL_NONE;
}

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

/* Numbers of 7 * 32 bits, least significant word first: exact where logarithms are not. */
#define WORDS FCN_LEVEL_MAX

static void
multiply(uint32_t number[WORDS], uint32_t factor)
{
	uint64_t carry = 0;

	for (unsigned int i = 0; i < WORDS; i++) {
		carry += (uint64_t)number[i] * factor;
		number[i] = (uint32_t)carry;
		carry >>= 32;
	}
}

/* Whether q^7 >= limit^level * enter^(7 - level). */
static bool
is_at_level(const struct fcn_detector_conf *conf, uint32_t q, unsigned int level)
{
	uint32_t have[WORDS] = {1}, need[WORDS] = {1};

	for (unsigned int i = 0; i < FCN_LEVEL_MAX; i++) {
		multiply(have, q);
		multiply(need, i < level ? conf->limit : conf->enter);
	}
	for (unsigned int i = WORDS; i-- > 0;) {
		if (have[i] != need[i])
			return have[i] > need[i];
	}
	return true;
}

void
fcn_step_levels(struct fcn_detector_conf *conf)
{
	conf->level_from[0] = 0;
	for (unsigned int level = 1; level <= FCN_LEVEL_MAX; level++) {
		uint32_t low = conf->enter,
			 high = conf->limit; /* low is not at the level, high is */

		if (high <= low) { /* no room for a scale: above the threshold loss is next */
			conf->level_from[level] = low + 1;
			continue;
		}
		while (high - low > 1) {
			uint32_t middle = low + (high - low) / 2;

			if (is_at_level(conf, middle, level))
				high = middle;
			else
				low = middle;
		}
		conf->level_from[level] = high;
	}
}

int
fcn_step_level(const struct fcn_detector_conf *conf, uint32_t q)
{
	int level = 0;

	while (level < FCN_LEVEL_MAX && q >= conf->level_from[level + 1])
		level++;
	return level;
}

/* Leave congestion once occupancy stayed below `leave` for `hold_ns`. */
static bool
has_recovered(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t q,
		uint64_t now)
{
	if (q >= conf->leave) {
		d->below = false;
		return false;
	}
	if (!d->below) {
		d->below = true;
		d->below_ns = now;
	}
	return now - d->below_ns >= conf->hold_ns;
}

static void
enter(struct fcn_detector *d, uint64_t now)
{
	d->congested = true;
	d->below = false;
	d->entered_ns = now;
	d->enters++;
}

static void
leave(struct fcn_detector *d)
{
	d->congested = false;
	d->below = false;
	d->level = FCN_LEVEL_NONE;
	d->leaves++;
}

/* A rise counts at once, and so does that nothing is asked for; a fall only after a while. */
static void
set_level(struct fcn_detector *d, const struct fcn_detector_conf *conf, int level, uint64_t now)
{
	if (level == d->level)
		return;
	if (level < d->level && level != FCN_LEVEL_NONE && now - d->level_ns < conf->level_hold_ns)
		return;
	d->level = level;
	d->level_ns = now;
}

static int
step_evaluate(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t q,
		uint64_t now)
{
	if (!d->congested) {
		if (q < conf->enter)
			return FCN_LEVEL_NONE;
		enter(d, now);
	} else if (has_recovered(d, conf, q, now)) {
		leave(d);
		return FCN_LEVEL_NONE;
	}
	set_level(d, conf, fcn_step_level(conf, q), now);
	return d->level;
}

static int
qcn_evaluate(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t q, uint64_t now)
{
	if (d->congested && has_recovered(d, conf, q, now)) {
		leave(d);
		d->q_old = q;
		d->arrived = 0;
		return FCN_LEVEL_NONE;
	}
	if (d->arrived >= conf->sample) {
		uint32_t x = fcn_qcn_quantise(conf, q, d->q_old);
		int level = fcn_qcn_is_negative(conf, q, d->q_old) ? (int)(x >> 3) : FCN_LEVEL_NONE;

		/* One step of hysteresis: just below the lower edge of a level is still in it. */
		if (level < d->level && (int)((x + 1) >> 3) == d->level && level >= 0)
			level = d->level;
		d->q_old = q;
		d->arrived = 0;
		if (!d->congested && level >= 1)
			enter(d, now);
		if (d->congested)
			set_level(d, conf, level, now);
	}
	return d->congested ? d->level : FCN_LEVEL_NONE;
}

int
fcn_detector_evaluate(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t q,
		uint64_t now)
{
	if (conf->type == FCN_DETECTOR_STEP)
		return step_evaluate(d, conf, q, now);
	return qcn_evaluate(d, conf, q, now);
}
