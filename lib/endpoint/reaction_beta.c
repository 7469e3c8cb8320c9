/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Beta: each notice multiplies the rate by a factor, at most once in a guard time; each round trip
 * without one adds to it. It is not modelled on an adapter.
 */

#include "reaction_beta.h"

#define PERMILLE 1000u
#define FAST_SHARE 1000 /* divisor of the line rate: increase after quiet_rounds */

static void
beta_cnp(struct fcn_reaction *r, int level, uint64_t now)
{
	const struct beta_conf *conf = beta_conf(r);
	struct beta *b = beta_state(r);
	uint64_t least = reaction_min_rate(r, conf->min_rate_bps);

	RTE_SET_USED(level);
	b->quiet_since = now;
	b->rounds = 0;
	b->bytes = 0;
	if (!reaction_guard_pass(&b->guard_until, conf->guard_ns, conf->rtt_ns, now))
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
	const struct beta_conf *conf = beta_conf(r);
	struct beta *s = beta_state(r);
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
	return RTE_MAX(beta_conf(r)->rtt_ns, UINT64_C(1));
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
	return reaction_after(beta_seen(r)->quiet_since, round_ns(r));
}

static void
beta_sent(struct fcn_reaction *r, uint32_t bytes, uint64_t now)
{
	beta_state(r)->bytes += bytes;
	if (beta_seen(r)->bytes >= beta_conf(r)->byte_counter && round_end(r) <= now)
		increase(r, 1, now);
}

static uint64_t
beta_next(const struct fcn_reaction *r)
{
	if (beta_seen(r)->bytes < beta_conf(r)->byte_counter)
		return FCN_REACTION_NEVER; /* decided when more has been sent */
	return round_end(r);
}

static void
beta_timers(struct fcn_reaction *r, uint64_t now)
{
	uint64_t end = beta_next(r), times = 1;

	if (end > now || end == FCN_REACTION_NEVER)
		return;
	if (beta_conf(r)->byte_counter == 0)
		times += (now - end) / round_ns(r);
	increase(r, times, end + (times - 1) * round_ns(r));
}

static void
beta_defaults(struct fcn_reaction_conf *conf, uint64_t line_bps)
{
	*beta_own(conf) = (struct beta_conf){
			.beta_permille = 800,
			.increase_bps = line_bps / 10000,
			.rtt_ns = 8 * REACTION_US,
			.quiet_rounds = 5,
			.byte_counter = 4096,
			.min_rate_bps = line_bps / 1000,
	};
}

#define PARAMETER(word, unit, member, least, most, help) \
	REACTION_PARAMETER(beta, word, unit, member, least, most, help)

static const struct fcn_reaction_parameter arguments[] = {
		PARAMETER("factor", RATIO, beta_permille, 1, PERMILLE,
				"the rate after a notice, as a share of the rate before it"),
		PARAMETER("increase", RATE, increase_bps, 0, REACTION_MOST_BPS,
				"what each round trip without a notice adds to the rate"),
		PARAMETER("base-rtt", TIME, rtt_ns, 1, REACTION_MAX_NS,
				"the duration of such a round trip"),
		PARAMETER("quiet-rounds", NUMBER, quiet_rounds, 0, REACTION_MAX_NUMBER,
				"the number of such round trips after which each adds 1/1000 of "
				"the line rate"),
		PARAMETER("bytes", SIZE, byte_counter, 0, REACTION_MAX_BYTES,
				"the number of bytes without which there is no increase"),
		PARAMETER("min-rate", RATE, min_rate_bps, 0, REACTION_MOST_BPS, "the minimum rate"),
};

const struct fcn_reaction_type reaction_type_beta = {
		.help = "Each notice multiplies the rate by factor. Each round trip without a "
			"notice adds to it",
		.arguments = arguments,
		.n_arguments = RTE_DIM(arguments),
		.defaults = beta_defaults,
		.cnp = beta_cnp,
		.sent = beta_sent,
		.next = beta_next,
		.timers = beta_timers,
};
