/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Cuts that are not modelled on an adapter: "beta" by a factor, "level" by the congestion level of
 * the notice. Both cut at most once in a guard time. Otherwise the notices that arrive before the
 * first cut takes effect would reduce the rate to almost nothing.
 */

#include <rte_common.h>

#include "reaction_private.h"

#define PERMILLE 1000u
#define LEAST_GUARD_NS 4000u
#define HIGHEST_LEVEL 7
/* Defaults of switches: the queueing delays at which they begin to mark, and to drop. */
#define THRESHOLD_NS 32000
#define LIMIT_NS 320000
#define LIMIT_LEAST 1000000.0
#define BITS_NS 8e9     /* bits of a byte times nanoseconds of a second */
#define FAST_SHARE 1000 /* divisor of the line rate: increase after quiet_rounds */

/* Whether a cut is allowed now; if so, start the guard time. */
static bool
guard_pass(struct fcn_reaction *r, uint64_t now)
{
	const struct fcn_simple_conf *conf = &r->conf->simple;
	uint64_t guard = conf->guard_ns;

	if (now < r->simple.guard_until)
		return false;
	if (guard == 0)
		guard = RTE_MAX(conf->rtt_ns, LEAST_GUARD_NS);
	r->simple.guard_until = reaction_after(now, guard);
	return true;
}

void
reaction_beta_cnp(struct fcn_reaction *r, uint64_t now)
{
	const struct fcn_simple_conf *conf = &r->conf->simple;
	uint64_t least = reaction_min_rate(r, conf->min_rate_bps);

	r->simple.quiet_since = now;
	r->simple.rounds = 0;
	r->simple.bytes = 0;
	if (!guard_pass(r, now))
		return;
	r->rate_bps = r->rate_bps * RTE_MIN(conf->beta_permille, PERMILLE) / PERMILLE;
	r->rate_bps = RTE_MAX(r->rate_bps, least);
}

static void
grow(struct fcn_reaction *r, uint64_t times, uint64_t step)
{
	uint64_t room = r->line_bps - r->rate_bps;

	if (step != 0)
		r->rate_bps += times > room / step ? room : times * step;
}

/* Make the increases of a number of round trips without notices, the last one at the given time. */
static void
increase(struct fcn_reaction *r, uint64_t times, uint64_t at)
{
	const struct fcn_simple_conf *conf = &r->conf->simple;
	struct fcn_simple *s = &r->simple;
	uint64_t slow = conf->quiet_rounds > s->rounds ? conf->quiet_rounds - s->rounds : 0;

	slow = RTE_MIN(slow, times);
	grow(r, slow, conf->increase_bps);
	grow(r, times - slow, r->line_bps / FAST_SHARE);
	s->rounds = times > UINT32_MAX - s->rounds ? UINT32_MAX : s->rounds + (uint32_t)times;
	s->quiet_since = at;
	s->bytes = 0;
}

static uint64_t
round_ns(const struct fcn_reaction *r)
{
	return RTE_MAX(r->conf->simple.rtt_ns, UINT64_C(1));
}

/*
 * When the current round trip without notices ends; FCN_REACTION_NEVER when the rate cannot
 * increase.
 */
static uint64_t
round_end(const struct fcn_reaction *r)
{
	if (r->rate_bps == r->line_bps)
		return FCN_REACTION_NEVER;
	return reaction_after(r->simple.quiet_since, round_ns(r));
}

void
reaction_beta_sent(struct fcn_reaction *r, uint32_t bytes, uint64_t now)
{
	r->simple.bytes += bytes;
	if (r->simple.bytes >= r->conf->simple.byte_counter && round_end(r) <= now)
		increase(r, 1, now);
}

uint64_t
reaction_beta_next(const struct fcn_reaction *r)
{
	if (r->simple.bytes < r->conf->simple.byte_counter)
		return FCN_REACTION_NEVER; /* decided when more has been sent */
	return round_end(r);
}

void
reaction_beta_timers(struct fcn_reaction *r, uint64_t now)
{
	uint64_t end = reaction_beta_next(r), times = 1;

	if (end > now || end == FCN_REACTION_NEVER)
		return;
	if (r->conf->simple.byte_counter == 0)
		times += (now - end) / round_ns(r);
	increase(r, times, end + (times - 1) * round_ns(r));
}

/*
 * The same level as in the detectors of the switch: the greatest l up to 7 with (bytes /
 * threshold)^7 >= (limit / threshold)^l. Level 7 means that loss, or a pause, is imminent.
 */
int
reaction_level_of(const struct fcn_reaction *r, const struct fcn_ioam_trace *trace)
{
	const struct fcn_simple_conf *conf = &r->conf->simple;
	double threshold = (double)conf->level_threshold, limit = (double)conf->level_limit;
	double have = 1, need;
	uint64_t bps;
	uint32_t bytes;
	int level = 0;

	if (!reaction_hops_backlog(trace, r->line_bps, &bytes, &bps))
		return -1;
	if (threshold == 0)
		threshold = (double)bps * THRESHOLD_NS / BITS_NS;
	if (limit == 0)
		limit = RTE_MAX((double)bps * LIMIT_NS / BITS_NS, LIMIT_LEAST);
	if (limit <= threshold) /* the scale is empty */
		return bytes > threshold ? HIGHEST_LEVEL : 0;
	for (unsigned int i = 0; i < HIGHEST_LEVEL; i++)
		have *= bytes / threshold;
	for (need = limit / threshold; level < HIGHEST_LEVEL && have >= need; level++)
		need *= limit / threshold;
	return level;
}

void
reaction_level_cnp(struct fcn_reaction *r, int level, uint64_t now)
{
	if (!guard_pass(r, now))
		return;
	if (level < 0 || level > HIGHEST_LEVEL)
		level = (int)RTE_MIN(r->conf->simple.default_level, (uint32_t)HIGHEST_LEVEL);
	r->dcqcn.begun = true;
	reaction_dcqcn_cut(r, r->rate_bps * (8 * (uint64_t)level + 4) / 128, now);
}
