/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* DCQCN: whole sequences as the model has them, and single steps as paper has them. */

#include <errno.h>
#include <inttypes.h>

#include <string.h>

#include "fcn_test.h"

#include "reaction_dcqcn.h"

#define US UINT64_C(1000)
#define GBPS UINT64_C(1000000000)

enum what {
	CNP,
	SENT,
	LOOK
};

/* What is done at a time, and the state then. */
struct line {
	uint64_t time;
	enum what what;
	uint32_t bytes;
	uint64_t rate, target;
	uint32_t alpha, alpha_fraction, time_stage, byte_stage;
};

struct change {
	uint64_t time, rate;
};

struct scene {
	const char *name;
	uint64_t line_bps;
	struct dcqcn_conf conf;
	const struct line *lines;
	size_t n_lines;
	const struct change *changes;
	size_t n_changes;
};

struct preset {
	const char *name;
	uint64_t line_bps;
	struct dcqcn_conf conf;
};

#include "dcqcn_scenes.h"

static void
act(struct fcn_reaction *r, enum what what, uint32_t bytes, uint64_t now)
{
	switch (what) {
	case CNP:
		fcn_reaction_cnp(r, -1, now);
		break;
	case SENT:
		fcn_reaction_sent(r, bytes, now);
		break;
	case LOOK:
		fcn_reaction_timers(r, now);
		break;
	}
}

static void
check_state(const struct scene *scene, const struct line *line, const struct fcn_reaction *r)
{
	const struct dcqcn *d = dcqcn_seen(r);

	if (r->rate_bps != line->rate || d->target_bps != line->target || d->alpha != line->alpha ||
			d->alpha_fraction != line->alpha_fraction ||
			d->time_stage != line->time_stage || d->byte_stage != line->byte_stage)
		fail_msg("%s at %" PRIu64 " ns: rate %" PRIu64 " target %" PRIu64
			 " alpha %u+%u stages %u %u, not %" PRIu64 " %" PRIu64 " %u+%u %u %u",
				scene->name, line->time, r->rate_bps, d->target_bps, d->alpha,
				d->alpha_fraction, d->time_stage, d->byte_stage, line->rate,
				line->target, line->alpha, line->alpha_fraction, line->time_stage,
				line->byte_stage);
}

/* Nothing is called between the lines: what the timers did is caught up with. */
TEST(lazily)
{
	struct fcn_reaction_conf conf = {.kind = FCN_REACTION_DCQCN};
	struct fcn_reaction r;

	for (size_t s = 0; s < RTE_DIM(scenes); s++) {
		*dcqcn_own(&conf) = scenes[s].conf;
		fcn_reaction_init(&r, &conf, scenes[s].line_bps, 1126, 0);
		for (size_t i = 0; i < scenes[s].n_lines; i++) {
			const struct line *line = &scenes[s].lines[i];

			act(&r, line->what, line->bytes, line->time);
			check_state(&scenes[s], line, &r);
		}
	}
}

/* The next change of rate, if there was one. */
static void
check_change(const struct scene *scene, const struct fcn_reaction *r, uint64_t *rate, size_t *n,
		uint64_t now)
{
	if (r->rate_bps == *rate)
		return;
	*rate = r->rate_bps;
	if (*n == scene->n_changes || scene->changes[*n].time != now ||
			scene->changes[*n].rate != *rate)
		fail_msg("%s: change %zu to %" PRIu64 " at %" PRIu64 " ns is not the model's",
				scene->name, *n, *rate, now);
	++*n;
}

/* Called exactly when it says so: every change at its time, and no call that changes nothing. */
TEST(on_time)
{
	struct fcn_reaction_conf conf = {.kind = FCN_REACTION_DCQCN};
	struct fcn_reaction r;

	for (size_t s = 0; s < RTE_DIM(scenes); s++) {
		const struct scene *scene = &scenes[s];
		uint64_t rate = scene->line_bps;
		size_t n = 0, idle = 0;

		*dcqcn_own(&conf) = scene->conf;
		fcn_reaction_init(&r, &conf, scene->line_bps, 1126, 0);
		for (size_t i = 0; i < scene->n_lines; i++) {
			const struct line *line = &scene->lines[i];

			for (uint64_t at; (at = fcn_reaction_next(&r)) <= line->time;) {
				uint64_t before = r.rate_bps, target = dcqcn_state(&r)->target_bps;

				fcn_reaction_timers(&r, at);
				assert_true(fcn_reaction_next(&r) > at);
				idle += r.rate_bps == before &&
					dcqcn_state(&r)->target_bps == target;
				if (at < line->time) /* else the line's own may be added */
					check_change(scene, &r, &rate, &n, at);
			}
			act(&r, line->what, line->bytes, line->time);
			check_change(scene, &r, &rate, &n, line->time);
			check_state(scene, line, &r);
		}
		assert_int_equal(n, scene->n_changes);
		/* At the least rate a cut changes nothing, nor does an increase that only counts
		 * a stage. */
		assert_true(idle * 2 <= n + scene->n_lines);
	}
}

static void
set_profile(struct dcqcn_conf *conf, const char *name, uint64_t line_bps)
{
	const struct fcn_reaction_type *type = fcn_reaction_type(FCN_REACTION_DCQCN);
	struct fcn_reaction_conf all;

	fcn_reaction_defaults(&all, 1000000);
	for (unsigned int i = 0; i < type->n_profiles; i++)
		if (strcmp(type->profiles[i].name, name) == 0) {
			type->profiles[i].set(&all, line_bps);
			*conf = *dcqcn_own(&all);
			return;
		}
	fail_msg("no profile %s", name);
}

TEST(presets)
{
	struct dcqcn_conf conf = {0};

	for (size_t i = 0; i < RTE_DIM(presets); i++) {
		const struct dcqcn_conf *want = &presets[i].conf;

		set_profile(&conf, presets[i].name, presets[i].line_bps);
#define SAME(field) assert_int_equal(conf.field, want->field)
		SAME(initial_alpha);
		SAME(tcp_g);
		SAME(tcp_rtt_ns);
		SAME(gd);
		SAME(monitor_ns);
		SAME(min_dec_fac);
		SAME(time_reset_ns);
		SAME(byte_reset);
		SAME(threshold);
		SAME(ai_bps);
		SAME(hai_bps);
		SAME(min_rate_bps);
		SAME(clamp);
		SAME(clamp_after_time);
		SAME(first_rate_bps);
		SAME(cut_on_arrival);
		SAME(alpha_on_arrival);
#undef SAME
	}
}

static void
begin(struct fcn_reaction *r, struct fcn_reaction_conf *conf, uint64_t line_bps)
{
	fcn_reaction_defaults(conf, line_bps);
	conf->kind = FCN_REACTION_DCQCN;
	fcn_reaction_init(r, conf, line_bps, 1126, 0);
}

/*
 * The first cut: alpha is 1023 for four ticks, 1023 * (1019/1024)^4 = 1003.17, so the rate falls
 * by 1003/2048, to 51.0253 Gb/s; not at the CNP but when the cut's timer runs out.
 */
TEST(first_cut)
{
	struct fcn_reaction_conf conf;
	struct fcn_reaction r;

	begin(&r, &conf, 100 * GBPS);
	assert_int_equal(r.rate_bps, 100 * GBPS);
	assert_int_equal(fcn_reaction_next(&r), FCN_REACTION_NEVER);
	fcn_reaction_cnp(&r, -1, 10 * US);
	assert_int_equal(dcqcn_state(&r)->alpha, 1023);
	assert_int_equal(fcn_reaction_next(&r), 14 * US);
	fcn_reaction_timers(&r, 14 * US - 1);
	assert_int_equal(r.rate_bps, 100 * GBPS);
	fcn_reaction_timers(&r, 14 * US);
	assert_int_equal(dcqcn_state(&r)->alpha, 1003);
	assert_int_equal(r.rate_bps, 100 * GBPS - 100 * GBPS * 1003 / 2048);
	assert_int_equal(dcqcn_state(&r)->target_bps, 100 * GBPS);
	/* The increase's timer began again with the cut. */
	assert_int_equal(fcn_reaction_next(&r), 314 * US);
}

/* log(1/2) / log(1019/1024) = 141.6 steps. */
TEST(half_life)
{
	struct fcn_reaction_conf conf;
	struct fcn_reaction r;

	begin(&r, &conf, 100 * GBPS);
	fcn_reaction_cnp(&r, -1, 0);
	fcn_reaction_timers(&r, 141 * US);
	assert_int_equal(dcqcn_state(&r)->alpha, 513); /* 513.03 */
	fcn_reaction_timers(&r, 142 * US);
	assert_int_equal(dcqcn_state(&r)->alpha, 510); /* 510.53 */
	fcn_reaction_timers(&r, 284 * US);
	assert_int_equal(dcqcn_state(&r)->alpha, 254); /* 254.78 */
	fcn_reaction_timers(&r, UINT64_C(1000000000000000));
	assert_int_equal(dcqcn_state(&r)->alpha, 0);
	assert_int_equal(dcqcn_state(&r)->alpha_fraction, 0);
}

/* The defaults leave the target at the line's rate: all flows jump half way up after 300 us. */
TEST(jump)
{
	struct fcn_reaction_conf conf;
	struct fcn_reaction r;
	uint64_t rate;

	begin(&r, &conf, 100 * GBPS);
	for (uint64_t t = 0; t < 40; t += 4)
		fcn_reaction_cnp(&r, -1, t * US);
	fcn_reaction_timers(&r, 40 * US);
	rate = r.rate_bps;
	assert_in_range(rate, 1, GBPS);
	fcn_reaction_timers(&r, 340 * US - 1);
	assert_int_equal(r.rate_bps, rate);
	fcn_reaction_timers(&r, 340 * US);
	assert_int_equal(r.rate_bps, (rate + 100 * GBPS + 1) / 2);
}
