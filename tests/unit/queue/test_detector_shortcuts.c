/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Arrivals by chance, at detectors that change their type, congested or not:
 * where a shortcut says that an arrival changes nothing, it changes nothing.
 */

#include "test_detector.h"

#define ARRIVALS 400000
#define OCCUPANCY_MAX 6000

static struct fcn_detector_conf
random_conf(uint64_t *seed)
{
	static const enum fcn_detector_type types[] = {
			FCN_DETECTOR_STEP, FCN_DETECTOR_STEP, FCN_DETECTOR_OFF, FCN_DETECTOR_QCN};
	struct fcn_detector_conf conf = {
			.type = types[fcn_test_below(seed, RTE_DIM(types))],
			.enter = 1 + fcn_test_below(seed, 3000),
			.qeq = 500,
			.weight = 2,
			.sample = 1000,
			.hold_ns = fcn_test_below(seed, 2) == 0 ? 0 : 500,
			.level_hold_ns = fcn_test_below(seed, 2) == 0 ? 0 : 300,
	};

	conf.leave = 1 + fcn_test_below(seed, conf.enter);
	conf.limit = conf.enter + fcn_test_below(seed, 2 * OCCUPANCY_MAX);
	fcn_detector_levels(&conf);
	return conf;
}

static void
assert_same(const struct fcn_detector *a, const struct fcn_detector *b)
{
	assert_int_equal(a->congested, b->congested);
	assert_int_equal(a->below, b->below);
	assert_int_equal(a->level, b->level);
	assert_int_equal(a->type, b->type);
	assert_true(a->level_ns == b->level_ns);
	assert_true(a->below_ns == b->below_ns);
	assert_true(a->arrived == b->arrived);
	assert_true(a->enters == b->enters);
	assert_true(a->leaves == b->leaves);
}

TEST(shortcuts)
{
	unsigned int congested = 0, uncongested = 0, neither = 0, levels = 0;
	struct fcn_detector_conf conf = {0};
	struct fcn_detector d, before;
	uint64_t seed = 7, now = 0;

	fcn_detector_reset(&d);
	for (unsigned int i = 0; i < ARRIVALS; i++) {
		bool stays_congested, stays_uncongested;
		uint32_t q;
		int level;

		if (fcn_test_below(&seed, 200) == 0)
			conf = random_conf(&seed);
		now += fcn_test_below(&seed, 100);
		q = 1 + fcn_test_below(&seed, fcn_test_below(&seed, 2) == 0 ? OCCUPANCY_MAX
									    : conf.enter + 10);
		stays_congested = fcn_detector_stays_congested(&d, &conf, q, now);
		stays_uncongested = fcn_detector_stays_uncongested(&d, &conf, q);
		before = d;
		level = arrive(&d, &conf, q, 1, now);
		assert_false(stays_congested && stays_uncongested);
		if (stays_congested || stays_uncongested) {
			assert_same(&before, &d);
			assert_int_equal(level, stays_congested ? before.level : NONE);
		}
		congested += stays_congested;
		uncongested += stays_uncongested;
		neither += !stays_congested && !stays_uncongested;
		levels |= stays_congested ? 1u << level : 0;
	}
	/* All of it was met, and every level. */
	assert_true(congested > ARRIVALS / 20);
	assert_true(uncongested > ARRIVALS / 20);
	assert_true(neither > ARRIVALS / 20);
	assert_int_equal(levels, (1u << (FCN_LEVEL_MAX + 1)) - 1);
}
