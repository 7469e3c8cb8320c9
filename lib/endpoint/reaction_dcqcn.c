/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * DCQCN. All timers run from the first CNP on. Of timers that expire at the same time, that of
 * alpha runs first, that of the cut second, that of the increase last; calls at that time come
 * after them. Timers that do not change the rate run later, with the next call.
 *
 * Rounding: alpha has ALPHA_SHIFT more bits than its ten, and is truncated at each step. With ten
 * bits it would fall to half in 126 steps of G = 1019 instead of 142. Cuts use the ten bits and are
 * rounded down to whole bits per second. Increases are rounded up, because otherwise the rate would
 * always stay one below its target.
 *
 * cut_at is the end of the current period of the cut timer. If CNPs cut when they arrive, it is the
 * time before which there is no further cut.
 */

#include <rte_common.h>

#include "reaction_private.h"

#define ALPHA_ONE 1024u
#define ALPHA_MAX 1023u
#define ALPHA_SHIFT 20
#define ALPHA_MASK ((UINT32_C(1) << ALPHA_SHIFT) - 1)

static const struct fcn_dcqcn_conf *
dcqcn_conf(const struct fcn_reaction *r)
{
	return &r->conf->dcqcn;
}

void
reaction_dcqcn_init(struct fcn_reaction *r)
{
	r->dcqcn = (struct fcn_dcqcn){
			.target_bps = r->line_bps,
			.alpha_at = FCN_REACTION_NEVER,
			.cut_at = FCN_REACTION_NEVER,
			.increase_at = FCN_REACTION_NEVER,
	};
}

/* Start a timer; a period of 0 ns means that there is none. */
static uint64_t
timer_start(uint64_t now, uint64_t period)
{
	return period == 0 ? FCN_REACTION_NEVER : reaction_after(now, period);
}

/* First expiry after until of a periodic timer that expires at `at`, which is not after until. */
static uint64_t
timer_skip(uint64_t at, uint64_t period, uint64_t until)
{
	return reaction_after(at + (until - at) / period * period, period);
}

/* Alpha with all its bits, after one step. */
static uint32_t
alpha_step(const struct fcn_dcqcn_conf *conf, uint32_t alpha, bool seen)
{
	uint32_t keep = RTE_MIN(conf->tcp_g, ALPHA_ONE);
	uint32_t gain = (ALPHA_ONE - keep) << ALPHA_SHIFT;

	alpha = (uint32_t)((uint64_t)alpha * keep / ALPHA_ONE) + (seen ? gain : 0);
	return RTE_MIN(alpha, ALPHA_MAX << ALPHA_SHIFT);
}

static uint32_t
alpha_get(const struct fcn_dcqcn *d)
{
	return d->alpha << ALPHA_SHIFT | d->alpha_fraction;
}

static void
alpha_set(struct fcn_dcqcn *d, uint32_t alpha)
{
	d->alpha = alpha >> ALPHA_SHIFT;
	d->alpha_fraction = alpha & ALPHA_MASK;
}

static void
run_alpha(struct fcn_reaction *r, uint64_t until)
{
	const struct fcn_dcqcn_conf *conf = dcqcn_conf(r);
	struct fcn_dcqcn *d = &r->dcqcn;
	uint32_t alpha = alpha_get(d), next;

	while (d->alpha_at <= until && d->alpha_at != FCN_REACTION_NEVER) {
		next = alpha_step(conf, alpha, d->alpha_seen);
		if (next == alpha && !d->alpha_seen) { /* and so it stays */
			d->alpha_at = timer_skip(d->alpha_at, conf->tcp_rtt_ns, until);
			break;
		}
		alpha = next;
		d->alpha_seen = false;
		d->alpha_at = reaction_after(d->alpha_at, conf->tcp_rtt_ns);
	}
	alpha_set(d, alpha);
}

/* A CNP has arrived: alpha rises at once, and its timer restarts. */
static void
raise_alpha(struct fcn_reaction *r, uint64_t now)
{
	const struct fcn_dcqcn_conf *conf = dcqcn_conf(r);
	struct fcn_dcqcn *d = &r->dcqcn;

	alpha_set(d, alpha_step(conf, alpha_get(d), true));
	d->alpha_seen = false;
	d->alpha_at = timer_start(now, conf->tcp_rtt_ns);
}

/* Whether no increase can change the rate. */
static bool
settled(const struct fcn_reaction *r)
{
	const struct fcn_dcqcn_conf *conf = dcqcn_conf(r);

	if (r->rate_bps != r->dcqcn.target_bps)
		return false;
	return r->rate_bps == r->line_bps || (conf->ai_bps == 0 && conf->hai_bps == 0);
}

/*
 * Increase the rate. The stages reached so far decide between fast recovery, additive and hyper
 * increase. Hyper increase needs both stages, as in the paper; without one of the two counters the
 * stage of the other one decides alone.
 */
static void
increase(struct fcn_reaction *r)
{
	const struct fcn_dcqcn_conf *conf = dcqcn_conf(r);
	struct fcn_dcqcn *d = &r->dcqcn;
	uint32_t by_time = conf->time_reset_ns != 0 ? d->time_stage : d->byte_stage;
	uint32_t by_bytes = conf->byte_reset != 0 ? d->byte_stage : d->time_stage;
	uint64_t step = 0;

	if (RTE_MIN(by_time, by_bytes) > conf->threshold)
		step = conf->hai_bps;
	else if (RTE_MAX(by_time, by_bytes) >= conf->threshold)
		step = conf->ai_bps;
	d->target_bps += RTE_MIN(step, r->line_bps - d->target_bps);
	r->rate_bps += (d->target_bps - r->rate_bps + 1) / 2;
}

static uint32_t
stage_add(uint32_t stage, uint64_t n)
{
	return n > UINT32_MAX - stage ? UINT32_MAX : stage + (uint32_t)n;
}

static void
run_increases(struct fcn_reaction *r, uint64_t until)
{
	uint64_t period = dcqcn_conf(r)->time_reset_ns;
	struct fcn_dcqcn *d = &r->dcqcn;

	while (d->increase_at <= until && d->increase_at != FCN_REACTION_NEVER) {
		if (settled(r)) {
			d->time_stage = stage_add(
					d->time_stage, (until - d->increase_at) / period + 1);
			d->increase_at = timer_skip(d->increase_at, period, until);
			break;
		}
		increase(r);
		d->time_stage = stage_add(d->time_stage, 1);
		d->increase_at = reaction_after(d->increase_at, period);
	}
}

void
reaction_dcqcn_cut(struct fcn_reaction *r, uint64_t by_bps, uint64_t now)
{
	const struct fcn_dcqcn_conf *conf = dcqcn_conf(r);
	struct fcn_dcqcn *d = &r->dcqcn;
	uint64_t least = reaction_min_rate(r, conf->min_rate_bps);

	if (conf->clamp || d->byte_stage > 0 || (conf->clamp_after_time && d->time_stage > 0))
		d->target_bps = r->rate_bps;
	r->rate_bps = by_bps < r->rate_bps ? RTE_MAX(r->rate_bps - by_bps, least) : least;
	d->time_stage = d->byte_stage = 0;
	d->bytes = 0;
	d->increase_at = timer_start(now, conf->time_reset_ns);
}

/* Whether a CNP need not wait for the end of a period of the cut timer. */
static bool
cuts_on_arrival(const struct fcn_dcqcn_conf *conf)
{
	return conf->cut_on_arrival || conf->monitor_ns == 0;
}

static void
cut_by_alpha(struct fcn_reaction *r, uint64_t now)
{
	const struct fcn_dcqcn_conf *conf = dcqcn_conf(r);
	uint64_t by = r->rate_bps * r->dcqcn.alpha >> RTE_MIN(conf->gd, 63u);
	uint64_t most = r->rate_bps * (100 - RTE_MIN(conf->min_dec_fac, 100u)) / 100;

	reaction_dcqcn_cut(r, RTE_MIN(by, most), now);
	r->dcqcn.decrease_seen = false;
	if (cuts_on_arrival(conf))
		r->dcqcn.cut_at = reaction_after(now, conf->monitor_ns);
}

void
reaction_dcqcn_timers(struct fcn_reaction *r, uint64_t now)
{
	struct fcn_dcqcn *d = &r->dcqcn;

	if (!d->begun)
		return;
	if (d->decrease_seen && d->cut_at <= now) {
		run_increases(r, d->cut_at - 1);
		run_alpha(r, d->cut_at);
		cut_by_alpha(r, d->cut_at);
	}
	run_increases(r, now);
	run_alpha(r, now);
	if (!cuts_on_arrival(dcqcn_conf(r)) && d->cut_at <= now && d->cut_at != FCN_REACTION_NEVER)
		d->cut_at = timer_skip(d->cut_at, dcqcn_conf(r)->monitor_ns, now);
}

/* The first CNP starts the timers. */
static void
begin(struct fcn_reaction *r, uint64_t now)
{
	const struct fcn_dcqcn_conf *conf = dcqcn_conf(r);
	struct fcn_dcqcn *d = &r->dcqcn;

	d->begun = true;
	d->alpha = RTE_MIN(conf->initial_alpha, ALPHA_MAX);
	d->alpha_seen = false;
	if (conf->first_rate_bps != 0) {
		r->rate_bps = RTE_MAX(
				conf->first_rate_bps, reaction_min_rate(r, conf->min_rate_bps));
		r->rate_bps = RTE_MIN(r->rate_bps, r->line_bps);
		d->target_bps = r->rate_bps;
		d->decrease_seen = false;
	}
	d->alpha_at = timer_start(now, conf->tcp_rtt_ns);
	/* A rate that the first CNP sets is its cut. */
	d->cut_at = cuts_on_arrival(conf) && d->decrease_seen
				    ? now
				    : reaction_after(now, conf->monitor_ns);
	d->increase_at = timer_start(now, conf->time_reset_ns);
}

void
reaction_dcqcn_cnp(struct fcn_reaction *r, uint64_t now)
{
	const struct fcn_dcqcn_conf *conf = dcqcn_conf(r);
	struct fcn_dcqcn *d = &r->dcqcn;

	d->alpha_seen = true;
	d->decrease_seen = true;
	if (!d->begun)
		begin(r, now);
	if (cuts_on_arrival(conf) && d->decrease_seen && d->cut_at <= now)
		cut_by_alpha(r, now);
	if (conf->alpha_on_arrival)
		raise_alpha(r, now);
}

void
reaction_dcqcn_sent(struct fcn_reaction *r, uint32_t bytes)
{
	uint64_t reset = dcqcn_conf(r)->byte_reset;
	struct fcn_dcqcn *d = &r->dcqcn;

	if (!d->begun || reset == 0)
		return;
	d->bytes += bytes;
	while (d->bytes >= reset) {
		if (settled(r)) {
			d->byte_stage = stage_add(d->byte_stage, d->bytes / reset);
			d->bytes %= reset;
			break;
		}
		increase(r);
		d->byte_stage = stage_add(d->byte_stage, 1);
		d->bytes -= reset;
	}
}

uint64_t
reaction_dcqcn_next(const struct fcn_reaction *r)
{
	const struct fcn_dcqcn *d = &r->dcqcn;
	uint64_t next = FCN_REACTION_NEVER;

	if (d->decrease_seen)
		next = d->cut_at;
	if (!settled(r))
		next = RTE_MIN(next, d->increase_at);
	return next;
}
