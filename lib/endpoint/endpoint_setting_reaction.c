/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of the reaction of a sender to congestion. */

#include <errno.h>

#include "endpoint_setting_private.h"

#define PERMILLE 1000000u /* billionths */
#define MAX_LEVEL 7

/* Read a ratio in thousandths. */
static int
read_permille(const struct fcn_args *args, const char *key, uint32_t least, uint32_t most,
		uint32_t *value)
{
	uint64_t ratio = fcn_args_u64(args, key, (uint64_t)*value * PERMILLE);

	if (ratio % PERMILLE != 0)
		return fcn_command_error(args, -EINVAL, key,
				"a ratio of at most three decimals is expected");
	if (ratio / PERMILLE < least || ratio / PERMILLE > most)
		return fcn_command_error(args, -ERANGE, key, "%s must be %g to %g", key,
				least / 1e3, most / 1e3);
	*value = (uint32_t)(ratio / PERMILLE);
	return 0;
}

static int
read_u32(const struct fcn_args *args, const char *key, uint32_t least, uint32_t *value)
{
	uint64_t v = fcn_args_u64(args, key, *value);

	if (v < least || v > 1000000)
		return fcn_command_error(
				args, -ERANGE, key, "%s must be %u to 1000000", key, least);
	*value = (uint32_t)v;
	return 0;
}

static int
take_none(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	(void)args;
	conf->reaction.kind = FCN_REACTION_NONE;
	return 0;
}

static void
take_profile(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	const char *profile = fcn_args_str(args, "profile");

	if (profile != NULL)
		fcn_dcqcn_profile(&conf->reaction.dcqcn, profile, conf->line_bps);
}

static int
take_dcqcn(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	conf->reaction.kind = FCN_REACTION_DCQCN;
	take_profile(args, conf);
	return 0;
}

static int
take_level(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	struct fcn_simple_conf *simple = &conf->reaction.simple;
	uint64_t level = fcn_args_u64(args, "default-level", simple->default_level);

	conf->reaction.kind = FCN_REACTION_LEVEL;
	take_profile(args, conf);
	simple->level_threshold = fcn_args_u64(args, "threshold", simple->level_threshold);
	simple->level_limit = fcn_args_u64(args, "limit", simple->level_limit);
	if (level > MAX_LEVEL)
		return fcn_command_error(args, -ERANGE, "default-level", "a level must be 0 to %d",
				MAX_LEVEL);
	if (fcn_args_has(args, "limit") && simple->level_limit == 0)
		return fcn_command_error(args, -ERANGE, "limit", "a limit must be at least 1 byte");
	simple->default_level = (uint32_t)level;
	return 0;
}

static int
take_hpcc(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	struct fcn_hpcc_conf *hpcc = &conf->reaction.hpcc;
	int rc;

	conf->reaction.kind = FCN_REACTION_HPCC;
	conf->ioam = true;
	hpcc->base_rtt_ns = fcn_args_u64(args, "base-rtt", hpcc->base_rtt_ns);
	hpcc->wai_bytes = fcn_args_u64(args, "wai", hpcc->wai_bytes);
	hpcc->min_rate_bps = fcn_args_u64(args, "min-rate", hpcc->min_rate_bps);
	hpcc->fallback_bps = fcn_args_u64(args, "fallback", hpcc->fallback_bps);
	if (hpcc->base_rtt_ns == 0)
		return fcn_command_error(args, -ERANGE, "base-rtt",
				"a round-trip time must be at least 1ns");
	rc = read_permille(args, "eta", 1, 10000, &hpcc->eta_permille);
	if (rc == 0)
		rc = read_u32(args, "max-stage", 0, &hpcc->max_stage);
	return rc == 0 ? read_u32(args, "flows", 1, &hpcc->flows) : rc;
}

static int
take_beta(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	struct fcn_simple_conf *simple = &conf->reaction.simple;
	int rc;

	conf->reaction.kind = FCN_REACTION_BETA;
	simple->increase_bps = fcn_args_u64(args, "increase", simple->increase_bps);
	simple->rtt_ns = fcn_args_u64(args, "base-rtt", simple->rtt_ns);
	simple->byte_counter = fcn_args_u64(args, "bytes", simple->byte_counter);
	simple->min_rate_bps = fcn_args_u64(args, "min-rate", simple->min_rate_bps);
	if (simple->rtt_ns == 0)
		return fcn_command_error(args, -ERANGE, "base-rtt",
				"a round-trip time must be at least 1ns");
	rc = read_permille(args, "factor", 1, 1000, &simple->beta_permille);
	return rc == 0 ? read_u32(args, "quiet-rounds", 0, &simple->quiet_rounds) : rc;
}

int
fcn_endpoint_set_reaction(const struct fcn_args *args, struct fcn_endpoint_conf *conf)
{
	static int (*const take[FCN_REACTION_COUNT])(
			const struct fcn_args *args, struct fcn_endpoint_conf *conf) = {
			[FCN_REACTION_NONE] = take_none,
			[FCN_REACTION_DCQCN] = take_dcqcn,
			[FCN_REACTION_HPCC] = take_hpcc,
			[FCN_REACTION_BETA] = take_beta,
			[FCN_REACTION_LEVEL] = take_level,
	};
	static const char *const words[FCN_REACTION_COUNT] = {
#define WORD(sym, name, text) name,
			FCN_REACTIONS(WORD)
#undef WORD
	};

	for (unsigned int kind = 0; kind < FCN_REACTION_COUNT; kind++)
		if (fcn_args_has(args, words[kind]))
			return take[kind](args, conf);
	return -EINVAL;
}
