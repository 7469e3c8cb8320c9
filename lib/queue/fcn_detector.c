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

/*
 * floor(log2(q / enter) * 7 / log2(limit / enter)) without floating point: the
 * largest level l with (q / enter)^7 >= (limit / enter)^l. Ratios are taken in
 * steps of 1/1024 of an octave, by squaring (the binary logarithm, bit by bit).
 */
static uint32_t
log2_ratio_q10(uint32_t num, uint32_t den)
{
	uint32_t log = 0;
	uint64_t x; /* num / den in 1..2, 31 fraction bits */

	while (num / 2 >= den) {
		num /= 2;
		log += 1024;
	}
	x = ((uint64_t)num << 31) / den;
	if (x >= (uint64_t)2 << 31) {
		x >>= 1;
		log += 1024;
	}
	for (uint32_t bit = 512; bit != 0; bit >>= 1) {
		x = (uint64_t)(((unsigned __int128)x * x) >> 31);
		if (x >= (uint64_t)2 << 31) {
			x >>= 1;
			log += bit;
		}
	}
	return log;
}

int
fcn_step_level(const struct fcn_detector_conf *conf, uint32_t q)
{
	uint32_t scale;

	if (q <= conf->enter || conf->enter == 0)
		return 0;
	if (q >= conf->limit || conf->limit <= conf->enter)
		return FCN_LEVEL_MAX;
	scale = log2_ratio_q10(conf->limit, conf->enter);
	if (scale == 0)
		return FCN_LEVEL_MAX;
	return RTE_MIN(log2_ratio_q10(q, conf->enter) * FCN_LEVEL_MAX / scale,
			(uint32_t)FCN_LEVEL_MAX);
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

/* A rise counts at once, a fall only after a while. */
static void
set_level(struct fcn_detector *d, const struct fcn_detector_conf *conf, int level, uint64_t now)
{
	if (level == d->level)
		return;
	if (level < d->level && now - d->level_ns < conf->level_hold_ns)
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
