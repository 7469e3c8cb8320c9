/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Level: a notice cuts the rate by its congestion level, at most once in a guard time; the rate
 * recovers as DCQCN's. It is not modelled on an adapter.
 */

#include "reaction_level.h"
#include "reaction_hops.h"

#define HIGHEST_LEVEL 7
/* Defaults of switches: the queueing delays at which they begin to mark, and to drop. */
#define THRESHOLD_NS 32000
#define LIMIT_NS 320000
#define LIMIT_LEAST 1000000.0

/*
 * The same level as in the detectors of the switch: the greatest l up to 7 with (bytes /
 * threshold)^7 >= (limit / threshold)^l. Level 7 means that loss, or a pause, is imminent.
 */
static int
level_of(const struct fcn_reaction *r, const struct fcn_ioam_trace *trace)
{
	const struct level_conf *conf = level_conf(r);
	double threshold = (double)conf->level_threshold, limit = (double)conf->level_limit;
	double have = 1, need;
	uint64_t bps;
	uint32_t bytes;
	int level = 0;

	if (!reaction_hops_backlog(trace, r->line_bps, &bytes, &bps))
		return -1;
	if (threshold == 0)
		threshold = (double)bps * THRESHOLD_NS / REACTION_BITS_NS;
	if (limit == 0)
		limit = RTE_MAX((double)bps * LIMIT_NS / REACTION_BITS_NS, LIMIT_LEAST);
	if (limit <= threshold) /* the scale is empty */
		return bytes > threshold ? HIGHEST_LEVEL : 0;
	for (unsigned int i = 0; i < HIGHEST_LEVEL; i++)
		have *= bytes / threshold;
	for (need = limit / threshold; level < HIGHEST_LEVEL && have >= need; level++)
		need *= limit / threshold;
	return level;
}

static void
level_cnp(struct fcn_reaction *r, int level, uint64_t now)
{
	const struct level_conf *conf = level_conf(r);
	struct level *l = level_state(r);

	if (!reaction_guard_pass(&l->guard_until, conf->guard_ns, conf->rtt_ns, now))
		return;
	if (level < 0 || level > HIGHEST_LEVEL)
		level = (int)RTE_MIN(conf->default_level, (uint32_t)HIGHEST_LEVEL);
	l->recovery.begun = true;
	reaction_dcqcn_cut(r, r->rate_bps * (8 * (uint64_t)level + 4) / 128, now);
}

static void
level_defaults(struct fcn_reaction_conf *conf, uint64_t line_bps)
{
	RTE_SET_USED(line_bps);
	*level_own(conf) = (struct level_conf){
			.default_level = HIGHEST_LEVEL, /* closest to the reaction to a CNP */
			.rtt_ns = 8 * REACTION_US,
	};
}

#define PARAMETER(word, unit, member, least, most, help) \
	REACTION_PARAMETER(level, word, unit, member, least, most, help)

static const struct fcn_reaction_parameter arguments[] = {
		PARAMETER("default-level", NUMBER, default_level, 0, HIGHEST_LEVEL,
				"the level of a notice without a trace (default 7)"),
		PARAMETER("threshold", SIZE, level_threshold, 0, REACTION_MAX_BYTES,
				"the queue length at which level 0 begins (default: 32 us at the "
				"speed of its link)"),
		PARAMETER("limit", SIZE, level_limit, 1, REACTION_MAX_BYTES,
				"the queue length at which level 7 begins (default: 320 us at the "
				"speed of its link, at least 1 MB)"),
		PARAMETER("base-rtt", TIME, rtt_ns, 1, REACTION_MAX_NS,
				"the minimum time between two cuts, which is at least 4 us"),
};

const struct fcn_reaction_type reaction_type_level = {
		.help = "Each notice reduces the rate by 3% to 47%, depending on its congestion "
			"level, which is the position of the queue length in the notice's trace "
			"between threshold and limit; the rate recovers as in DCQCN",
		.arguments = arguments,
		.n_arguments = RTE_DIM(arguments),
		.profiles = reaction_dcqcn_profiles,
		.n_profiles = REACTION_DCQCN_PROFILES,
		.defaults = level_defaults,
		.init = reaction_dcqcn_init,
		.line = reaction_dcqcn_line,
		.cnp = level_cnp,
		.level = level_of,
		.sent = reaction_dcqcn_sent,
		.next = reaction_dcqcn_next,
		.timers = reaction_dcqcn_timers,
};
