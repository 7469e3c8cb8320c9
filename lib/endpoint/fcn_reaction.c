/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Reaction points: dispatch to the kinds, and default parameters. */

#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include "reaction_private.h"

#define MBPS UINT64_C(1000000)
#define US UINT64_C(1000)

void
fcn_dcqcn_connectx(struct fcn_dcqcn_conf *conf, uint64_t line_bps)
{
	*conf = (struct fcn_dcqcn_conf){
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
fcn_dcqcn_paper(struct fcn_dcqcn_conf *conf, uint64_t line_bps)
{
	*conf = (struct fcn_dcqcn_conf){
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
fcn_dcqcn_fast_recovery(struct fcn_dcqcn_conf *conf, uint64_t line_bps)
{
	fcn_dcqcn_connectx(conf, line_bps);
	conf->time_reset_ns = 55 * US;
	conf->threshold = 5;
}

int
fcn_dcqcn_profile(struct fcn_dcqcn_conf *conf, const char *name, uint64_t line_bps)
{
#define PROFILE(word, set)             \
	if (strcmp(name, word) == 0) { \
		set(conf, line_bps);   \
		return 0;              \
	}
	FCN_DCQCN_PROFILES(PROFILE)
#undef PROFILE
	return -ENOENT;
}

void
fcn_reaction_defaults(struct fcn_reaction_conf *conf, uint64_t line_bps)
{
	*conf = (struct fcn_reaction_conf){
			.kind = FCN_REACTION_NONE,
			.hpcc =
					{
							.base_rtt_ns = 8 * US,
							.eta_permille = 950,
							.max_stage = 0,
							.flows = 16,
							.min_rate_bps = line_bps / 100,
					},
			.simple =
					{
							/* Closest to the reaction to a CNP. */
							.default_level = 7,
							.beta_permille = 800,
							.increase_bps = line_bps / 10000,
							.rtt_ns = 8 * US,
							.quiet_rounds = 5,
							.byte_counter = 4096,
							.min_rate_bps = line_bps / 1000,
					},
	};
	fcn_dcqcn_connectx(&conf->dcqcn, line_bps);
}

static uint64_t
possible(uint64_t line_bps)
{
	line_bps = RTE_MAX(line_bps, UINT64_C(1));
	return RTE_MIN(line_bps, REACTION_MAX_BPS);
}

void
fcn_reaction_line(struct fcn_reaction *r, uint64_t line_bps, uint64_t now)
{
	const uint64_t before = r->line_bps;

	fcn_reaction_timers(r, now);
	r->line_bps = possible(line_bps);
	if (r->dcqcn.target_bps == before || r->dcqcn.target_bps > r->line_bps)
		r->dcqcn.target_bps = r->line_bps;
	if (r->rate_bps == before || r->rate_bps > r->line_bps)
		r->rate_bps = r->line_bps;
	if (r->conf->kind == FCN_REACTION_HPCC)
		reaction_hpcc_line(r, before);
}

void
fcn_reaction_init(struct fcn_reaction *r, const struct fcn_reaction_conf *conf, uint64_t line_bps,
		uint64_t now)
{
	RTE_SET_USED(now);
	line_bps = possible(line_bps);
	*r = (struct fcn_reaction){
			.rate_bps = line_bps,
			.window = FCN_WINDOW_NONE,
			.line_bps = line_bps,
			.conf = conf,
	};
	reaction_dcqcn_init(r);
	if (conf->kind == FCN_REACTION_HPCC)
		reaction_hpcc_init(r);
}

void
fcn_reaction_cnp(struct fcn_reaction *r, int level, uint64_t now)
{
	fcn_reaction_timers(r, now);
	switch (r->conf->kind) {
	case FCN_REACTION_DCQCN:
		reaction_dcqcn_cnp(r, now);
		break;
	case FCN_REACTION_BETA:
		reaction_beta_cnp(r, now);
		break;
	case FCN_REACTION_LEVEL:
		reaction_level_cnp(r, level, now);
		break;
	default:
		break;
	}
}

int
fcn_reaction_level(const struct fcn_reaction *r, const struct fcn_ioam_trace *trace)
{
	return r->conf->kind == FCN_REACTION_LEVEL ? reaction_level_of(r, trace) : -1;
}

void
fcn_reaction_trace(struct fcn_reaction *r, const struct fcn_ioam_trace *trace, bool early,
		bool full, uint64_t now)
{
	if (r->conf->kind == FCN_REACTION_HPCC)
		reaction_hpcc_trace(r, trace, early, full, now);
}

void
fcn_reaction_sent(struct fcn_reaction *r, uint32_t bytes, uint64_t now)
{
	fcn_reaction_timers(r, now);
	switch (r->conf->kind) {
	case FCN_REACTION_DCQCN:
	case FCN_REACTION_LEVEL:
		reaction_dcqcn_sent(r, bytes);
		break;
	case FCN_REACTION_BETA:
		reaction_beta_sent(r, bytes, now);
		break;
	default:
		break;
	}
}

uint64_t
fcn_reaction_next(const struct fcn_reaction *r)
{
	switch (r->conf->kind) {
	case FCN_REACTION_DCQCN:
	case FCN_REACTION_LEVEL:
		return reaction_dcqcn_next(r);
	case FCN_REACTION_BETA:
		return reaction_beta_next(r);
	default:
		return FCN_REACTION_NEVER;
	}
}

void
fcn_reaction_timers(struct fcn_reaction *r, uint64_t now)
{
	switch (r->conf->kind) {
	case FCN_REACTION_DCQCN:
	case FCN_REACTION_LEVEL:
		reaction_dcqcn_timers(r, now);
		break;
	case FCN_REACTION_BETA:
		reaction_beta_timers(r, now);
		break;
	default:
		break;
	}
}
