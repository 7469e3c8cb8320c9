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

#include "reaction_dcqcn.h"

#define TARGET_FAR 10 /* times the rate: a target that is far away */
#define TARGET_CUT 8
#define ALPHA_ONE 1024u
#define ALPHA_MAX 1023u
#define ALPHA_SHIFT 20
#define ALPHA_MASK ((UINT32_C(1) << ALPHA_SHIFT) - 1)

#define MBPS UINT64_C(1000000)
#define US REACTION_US

void
reaction_dcqcn_connectx(struct dcqcn_conf *conf, uint64_t line_bps)
{
	*conf = (struct dcqcn_conf){
			.initial_alpha = 1023,
			.tcp_g = 1019,
			.tcp_rtt_ns = 1 * US,
			.gd = 11,
			.monitor_ns = 4 * US,
			.min_dec_fac = 50,
			.time_reset_ns = 300 * US,
			.byte_reset = 32767 * 64, /* the device counts 64 bytes */
			.threshold = 1,
			.ai_bps = line_bps / 5000, /* 5 Mb/s at 25 Gb/s */
			.hai_bps = line_bps / 500,
			.min_rate_bps = 1 * MBPS,
			.clamp = false,
			.clamp_after_time = true,
			.first_rate_bps = 0,
	};
}

void
reaction_dcqcn_paper(struct dcqcn_conf *conf, uint64_t line_bps)
{
	*conf = (struct dcqcn_conf){
			.initial_alpha = 1023, /* 1, in ten bits */
			.tcp_g = 1020,         /* g = 1/256 */
			.tcp_rtt_ns = 55 * US,
			.gd = 11,
			.monitor_ns = 50 * US,
			.min_dec_fac = 0,
			.time_reset_ns = 55 * US,
			.byte_reset = 10000000,
			.threshold = 5,
			.ai_bps = line_bps / 1000, /* 40 Mb/s at 40 Gb/s */
			.hai_bps = line_bps / 200,
			.min_rate_bps = 100 * MBPS,
			.clamp = true,
			.clamp_after_time = false,
			.first_rate_bps = 0,
			.cut_on_arrival = true,
			.alpha_on_arrival = true,
	};
}

void
reaction_dcqcn_fast_recovery(struct dcqcn_conf *conf, uint64_t line_bps)
{
	reaction_dcqcn_connectx(conf, line_bps);
	conf->time_reset_ns = 55 * US;
	conf->threshold = 5;
}

static void
set_connectx(struct fcn_reaction_conf *conf, uint64_t line_bps)
{
	reaction_dcqcn_connectx(dcqcn_own(conf), line_bps);
}

static void
set_paper(struct fcn_reaction_conf *conf, uint64_t line_bps)
{
	reaction_dcqcn_paper(dcqcn_own(conf), line_bps);
}

static void
set_fast_recovery(struct fcn_reaction_conf *conf, uint64_t line_bps)
{
	reaction_dcqcn_fast_recovery(dcqcn_own(conf), line_bps);
}

const struct fcn_reaction_profile reaction_dcqcn_profiles[REACTION_DCQCN_PROFILES] = {
		{"connectx", set_connectx},
		{"paper", set_paper},
		{"fast-recovery", set_fast_recovery},
};

void
reaction_dcqcn_init(struct fcn_reaction *r, uint64_t now)
{
	RTE_SET_USED(now);
	*dcqcn_state(r) = (struct dcqcn){
			.target_bps = r->line_bps,
			.alpha_at = FCN_REACTION_NEVER,
			.cut_at = FCN_REACTION_NEVER,
			.increase_at = FCN_REACTION_NEVER,
	};
}

void
reaction_dcqcn_line(struct fcn_reaction *r, uint64_t before_bps, uint64_t now)
{
	struct dcqcn *d = dcqcn_state(r);

	RTE_SET_USED(now);
	if (d->target_bps == before_bps || d->target_bps > r->line_bps)
		d->target_bps = r->line_bps;
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
alpha_step(const struct dcqcn_conf *conf, uint32_t alpha, bool seen)
{
	uint32_t keep = RTE_MIN(conf->tcp_g, ALPHA_ONE);
	uint32_t gain = (ALPHA_ONE - keep) << ALPHA_SHIFT;

	alpha = (uint32_t)((uint64_t)alpha * keep / ALPHA_ONE) + (seen ? gain : 0);
	return RTE_MIN(alpha, ALPHA_MAX << ALPHA_SHIFT);
}

static uint32_t
alpha_get(const struct dcqcn *d)
{
	return d->alpha << ALPHA_SHIFT | d->alpha_fraction;
}

static void
alpha_set(struct dcqcn *d, uint32_t alpha)
{
	d->alpha = alpha >> ALPHA_SHIFT;
	d->alpha_fraction = alpha & ALPHA_MASK;
}

static void
run_alpha(struct fcn_reaction *r, uint64_t until)
{
	const struct dcqcn_conf *conf = dcqcn_conf(r);
	struct dcqcn *d = dcqcn_state(r);
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
	const struct dcqcn_conf *conf = dcqcn_conf(r);
	struct dcqcn *d = dcqcn_state(r);

	alpha_set(d, alpha_step(conf, alpha_get(d), true));
	d->alpha_seen = false;
	d->alpha_at = timer_start(now, conf->tcp_rtt_ns);
}

/* Whether no increase can change the rate. */
static bool
settled(const struct fcn_reaction *r)
{
	const struct dcqcn_conf *conf = dcqcn_conf(r);

	if (r->rate_bps != dcqcn_seen(r)->target_bps)
		return false;
	return r->rate_bps == r->line_bps || (conf->ai_bps == 0 && conf->hai_bps == 0);
}

/*
 * Increase the rate. The stages reached so far decide between fast recovery, additive and hyper
 * increase. Hyper increase needs both stages, as in the paper; without one of the two counters the
 * stage of the other one decides alone. The timer, or else the byte counter, is about to reach its
 * next stage.
 */
static void
increase(struct fcn_reaction *r, bool timer)
{
	const struct dcqcn_conf *conf = dcqcn_conf(r);
	struct dcqcn *d = dcqcn_state(r);
	bool first = d->time_stage == !timer || d->byte_stage == timer;
	uint32_t by_time = conf->time_reset_ns != 0 ? d->time_stage : d->byte_stage;
	uint32_t by_bytes = conf->byte_reset != 0 ? d->byte_stage : d->time_stage;
	uint64_t step = 0;

	if (RTE_MIN(by_time, by_bytes) > conf->threshold)
		step = conf->hai_bps;
	else if (RTE_MAX(by_time, by_bytes) >= conf->threshold)
		step = conf->ai_bps;
	if (conf->target_cut && first && d->target_bps / TARGET_FAR > r->rate_bps)
		d->target_bps /= TARGET_CUT;
	else
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
	struct dcqcn *d = dcqcn_state(r);

	while (d->increase_at <= until && d->increase_at != FCN_REACTION_NEVER) {
		if (settled(r)) {
			d->time_stage = stage_add(
					d->time_stage, (until - d->increase_at) / period + 1);
			d->increase_at = timer_skip(d->increase_at, period, until);
			break;
		}
		increase(r, true);
		d->time_stage = stage_add(d->time_stage, 1);
		d->increase_at = reaction_after(d->increase_at, period);
	}
}

void
reaction_dcqcn_cut(struct fcn_reaction *r, uint64_t by_bps, uint64_t now)
{
	const struct dcqcn_conf *conf = dcqcn_conf(r);
	struct dcqcn *d = dcqcn_state(r);
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
cuts_on_arrival(const struct dcqcn_conf *conf)
{
	return conf->cut_on_arrival || conf->monitor_ns == 0;
}

static void
cut_by_alpha(struct fcn_reaction *r, uint64_t now)
{
	const struct dcqcn_conf *conf = dcqcn_conf(r);
	uint64_t by = r->rate_bps * dcqcn_seen(r)->alpha >> RTE_MIN(conf->gd, 63u);
	uint64_t most = r->rate_bps * (100 - RTE_MIN(conf->min_dec_fac, 100u)) / 100;

	reaction_dcqcn_cut(r, RTE_MIN(by, most), now);
	dcqcn_state(r)->decrease_seen = false;
	if (cuts_on_arrival(conf))
		dcqcn_state(r)->cut_at = reaction_after(now, conf->monitor_ns);
}

void
reaction_dcqcn_timers(struct fcn_reaction *r, uint64_t now)
{
	struct dcqcn *d = dcqcn_state(r);

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
	const struct dcqcn_conf *conf = dcqcn_conf(r);
	struct dcqcn *d = dcqcn_state(r);

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

static void
dcqcn_cnp(struct fcn_reaction *r, int level, uint64_t now)
{
	const struct dcqcn_conf *conf = dcqcn_conf(r);
	struct dcqcn *d = dcqcn_state(r);

	RTE_SET_USED(level);
	d->alpha_seen = true;
	d->decrease_seen = true;
	if (!d->begun)
		begin(r, now);
	if (conf->alpha_on_arrival && conf->alpha_before_cut)
		raise_alpha(r, now);
	if (cuts_on_arrival(conf) && d->decrease_seen && d->cut_at <= now)
		cut_by_alpha(r, now);
	if (conf->alpha_on_arrival && !conf->alpha_before_cut)
		raise_alpha(r, now);
}

void
reaction_dcqcn_sent(struct fcn_reaction *r, uint32_t bytes, uint64_t now)
{
	uint64_t reset = dcqcn_conf(r)->byte_reset;
	struct dcqcn *d = dcqcn_state(r);

	RTE_SET_USED(now);
	if (!d->begun || reset == 0)
		return;
	d->bytes += bytes;
	while (d->bytes >= reset) {
		if (settled(r)) {
			d->byte_stage = stage_add(d->byte_stage, d->bytes / reset);
			d->bytes %= reset;
			break;
		}
		increase(r, false);
		d->byte_stage = stage_add(d->byte_stage, 1);
		d->bytes -= reset;
	}
}

uint64_t
reaction_dcqcn_next(const struct fcn_reaction *r)
{
	const struct dcqcn *d = dcqcn_seen(r);
	uint64_t next = FCN_REACTION_NEVER;

	if (d->decrease_seen)
		next = d->cut_at;
	if (!settled(r))
		next = RTE_MIN(next, d->increase_at);
	return next;
}

#define PARAMETER(word, unit, member, least, most, help) \
	REACTION_PARAMETER(dcqcn, word, unit, member, least, most, help)

/* The settings of adapters, each with a command of its own. */
static const struct fcn_reaction_parameter settings[] = {
		PARAMETER("initial-alpha", NUMBER, initial_alpha, 0, 1023,
				"DCQCN: alpha at the first CNP, in units of 1/1024 "
				"(INITIAL_ALPHA)"),
		PARAMETER("dce-tcp-g", NUMBER, tcp_g, 0, 1023,
				"DCQCN: weight of the old value when alpha is updated, in units of "
				"1/1024 (DCE_TCP_G)"),
		PARAMETER("dce-tcp-rtt", TIME, tcp_rtt_ns, 1, REACTION_MAX_NS,
				"DCQCN: period of the timer that updates alpha (DCE_TCP_RTT)"),
		PARAMETER("rpg-gd", NUMBER, gd, 0, 31,
				"DCQCN: a rate decrease is rate * alpha >> gd (RPG_GD)"),
		PARAMETER("rate-reduce-monitor-period", TIME, monitor_ns, 0, REACTION_MAX_NS,
				"DCQCN: minimum time between two rate decreases; 0: each CNP "
				"decreases the rate when it arrives (RATE_REDUCE_MONITOR_PERIOD)"),
		PARAMETER("rpg-min-dec-fac", NUMBER, min_dec_fac, 0, 100,
				"DCQCN: minimum rate after a decrease, in percent of the rate "
				"before it (RPG_MIN_DEC_FAC)"),
		PARAMETER("rpg-time-reset", TIME, time_reset_ns, 0, REACTION_MAX_NS,
				"DCQCN: period of the timer for rate increases; 0: none "
				"(RPG_TIME_RESET)"),
		PARAMETER("rpg-byte-reset", SIZE, byte_reset, 0, REACTION_MAX_BYTES,
				"DCQCN: number of bytes sent after which the rate is increased; 0: "
				"none (RPG_BYTE_RESET, but in bytes)"),
		PARAMETER("rpg-threshold", NUMBER, threshold, 0, 1000,
				"DCQCN: number of fast recovery steps (RPG_THRESHOLD)"),
		PARAMETER("rpg-ai-rate", RATE, ai_bps, 0, REACTION_MOST_BPS,
				"DCQCN: rate of an additive increase (RPG_AI_RATE)"),
		PARAMETER("rpg-hai-rate", RATE, hai_bps, 0, REACTION_MOST_BPS,
				"DCQCN: rate of a hyper increase (RPG_HAI_RATE)"),
		PARAMETER("rpg-min-rate", RATE, min_rate_bps, 1, REACTION_MOST_BPS,
				"DCQCN: minimum rate (RPG_MIN_RATE)"),
		PARAMETER("rate-to-set-on-first-cnp", RATE, first_rate_bps, 0, REACTION_MOST_BPS,
				"DCQCN: rate after the first CNP; 0: the same decrease as after "
				"any other CNP (RATE_TO_SET_ON_FIRST_CNP)"),
		PARAMETER("clamp-tgt-rate", SWITCH, clamp, 0, 1,
				"DCQCN: every rate decrease sets the target rate to the current "
				"rate (CLAMP_TGT_RATE)"),
		PARAMETER("clamp-tgt-rate-after-time-inc", SWITCH, clamp_after_time, 0, 1,
				"DCQCN: a rate decrease sets the target rate to the current rate "
				"if the timer has increased the rate since the last decrease "
				"(CLAMP_TGT_RATE_AFTER_TIME_INC)"),
		PARAMETER("cut-on-arrival", SWITCH, cut_on_arrival, 0, 1,
				"DCQCN: a CNP decreases the rate when it arrives, unless the "
				"minimum time since the last decrease has not passed (as in the "
				"paper); if off, at the end of the current period of that time, "
				"which begins with the first CNP (as in adapters)"),
		PARAMETER("alpha-on-arrival", SWITCH, alpha_on_arrival, 0, 1,
				"DCQCN: a CNP raises alpha when it arrives, and restarts the timer "
				"that lowers it (as in the paper); if off, the timer does both (as "
				"in adapters)"),
		PARAMETER("alpha-before-cut", SWITCH, alpha_before_cut, 0, 1,
				"DCQCN: with alpha-on-arrival on, a CNP raises alpha before its "
				"cut (as in the simulator of the paper's authors); if off, after "
				"it (as in the paper)"),
		PARAMETER("target-cut", SWITCH, target_cut, 0, 1,
				"DCQCN: an increase with which the timer or the byte counter "
				"reaches its first stage divides a target rate of more than ten "
				"times the rate by 8 (as in the simulator of the paper's authors)"),
};

static uint32_t
alpha_shown(const struct fcn_reaction *r)
{
	return dcqcn_seen(r)->alpha;
}

const struct fcn_reaction_type reaction_type_dcqcn = {
		.help = "React to CNPs and Fast CNPs as DCQCN does, with the default parameters of "
			"ConnectX adapters (default), with the algorithm and parameters of the "
			"DCQCN paper, or as ConnectX adapters but with a recovery as fast as in "
			"the paper",
		.settings = settings,
		.n_settings = RTE_DIM(settings),
		.profiles = reaction_dcqcn_profiles,
		.n_profiles = REACTION_DCQCN_PROFILES,
		.defaults = set_connectx,
		.init = reaction_dcqcn_init,
		.line = reaction_dcqcn_line,
		.cnp = dcqcn_cnp,
		.sent = reaction_dcqcn_sent,
		.next = reaction_dcqcn_next,
		.timers = reaction_dcqcn_timers,
		.alpha = alpha_shown,
};
