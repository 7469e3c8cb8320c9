/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The scale of levels, and the step detector's states. */

#include <math.h>

#include "test_detector.h"

static struct fcn_detector_conf
step_conf(uint32_t enter, uint32_t leave, uint32_t limit)
{
	struct fcn_detector_conf conf = {
			.type = FCN_DETECTOR_STEP, .enter = enter, .leave = leave, .limit = limit};

	fcn_detector_levels(&conf);
	return conf;
}

TEST(step_states)
{
	struct fcn_detector_conf conf = step_conf(20000, 10000, 100000);
	struct fcn_detector d;

	fcn_detector_reset(&d);
	assert_int_equal(arrive(&d, &conf, 19999, 1, 1), NONE);
	assert_int_equal(arrive(&d, &conf, 20000, 1, 2), 0);
	assert_int_equal(d.entered_ns, 2);
	assert_int_equal(arrive(&d, &conf, 10000, 1, 3), 0); /* not below leave: still chosen */
	assert_int_equal(arrive(&d, &conf, 9999, 1, 4), NONE);
	assert_int_equal(d.left_ns, 4);
	assert_int_equal(arrive(&d, &conf, 19999, 1, 5), NONE);
	assert_int_equal(d.enters, 1);
	assert_int_equal(d.leaves, 1);
	/* leave = enter is allowed: no hysteresis */
	conf = step_conf(20000, 20000, 100000);
	assert_int_equal(arrive(&d, &conf, 20000, 1, 6), 0);
	assert_int_equal(arrive(&d, &conf, 20000, 1, 6), 0); /* the packet counts */
	assert_int_equal(arrive(&d, &conf, 19999, 1, 7), NONE);
	assert_int_equal(d.enters, 2);
}

TEST(step_hold)
{
	struct fcn_detector_conf conf = step_conf(20000, 10000, 100000);
	struct fcn_detector d;

	conf.hold_ns = 1000;
	conf.level_hold_ns = 4000;
	fcn_detector_reset(&d);
	assert_int_equal(arrive(&d, &conf, 100000, 1, 100), 7);
	assert_int_equal(arrive(&d, &conf, 50000, 1, 4099), 7);
	/* log2(50000 / 20000) * 7 / log2(5) = 3.98 */
	assert_int_equal(arrive(&d, &conf, 50000, 1, 4100), 3);
	assert_int_equal(arrive(&d, &conf, 9999, 1, 4200), 3);
	assert_int_equal(arrive(&d, &conf, 9999, 1, 5199), 3);
	assert_int_equal(arrive(&d, &conf, 9999, 1, 5200), NONE);
	assert_int_equal(d.leaves, 1);
	assert_int_equal(d.left_ns, 5200);
}

/* At dequeue, packets that leave are chosen by the same states; those that arrive are never chosen.
 */
TEST(step_at_dequeue)
{
	struct fcn_detector_conf conf = step_conf(20000, 10000, 100000);
	struct fcn_detector d;

	conf.at_dequeue = true;
	fcn_detector_reset(&d);
	assert_int_equal(arrive(&d, &conf, 50000, 1, 1), NONE);
	assert_false(d.congested);
	assert_int_equal(leave(&d, &conf, 19999, 1), NONE);
	assert_int_equal(leave(&d, &conf, 20000, 2), 0);
	assert_int_equal(d.entered_ns, 2);
	assert_int_equal(arrive(&d, &conf, 100000, 1, 3), NONE);
	assert_false(fcn_detector_stays_congested(&d, &conf, 20000, 3));
	assert_true(fcn_detector_congested_range(&d, &conf, 3).to <
			fcn_detector_congested_range(&d, &conf, 3).from);
	assert_int_equal(leave(&d, &conf, 100000, 3), 7);
	assert_int_equal(leave(&d, &conf, 10000, 4), 0);
	assert_int_equal(leave(&d, &conf, 9999, 5), NONE);
	assert_int_equal(d.left_ns, 5);
	assert_int_equal(d.enters, 1);
	assert_int_equal(d.leaves, 1);
}

/* Edges that are whole numbers: limit / enter = 2^7, (3/2)^7, (10/9)^7. */
TEST(level_exact)
{
	static const uint32_t two[] = {1000, 2000, 4000, 8000, 16000, 32000, 64000, 128000};
	static const uint32_t threehalf[] = {128, 192, 288, 432, 648, 972, 1458, 2187};
	static const uint32_t tenninth[] = {
			4782969, 5314410, 5904900, 6561000, 7290000, 8100000, 9000000, 10000000};
	static const uint32_t *const rows[] = {two, threehalf, tenninth};

	for (size_t r = 0; r < RTE_DIM(rows); r++) {
		struct fcn_detector_conf conf = step_conf(rows[r][0], 1, rows[r][7]);

		for (int l = 0; l <= 7; l++) {
			assert_int_equal(fcn_detector_level(&conf, rows[r][l]), l);
			assert_int_equal(fcn_detector_level(&conf, rows[r][l] - 1),
					RTE_MAX(l - 1, 0));
			assert_int_equal(fcn_detector_level(&conf, rows[r][l] + 1), l);
		}
		assert_int_equal(fcn_detector_level(&conf, UINT32_MAX), 7);
		assert_int_equal(fcn_detector_level(&conf, 0), 0); /* below enter: the lowest */
	}
}

static int
clamp_level(double exact)
{
	return exact < 0 ? 0 : exact >= 7 ? 7 : (int)floor(exact);
}

/* Elsewhere in floating point; where that is within 1e-9 of an edge it cannot tell. */
TEST(level_formula)
{
	static const uint32_t pairs[][2] = {{20000, 100000}, {1, 1000000000}, {1500, 1501},
			{26000, 1000000}, {999999999, 1000000000}, {100000, 101000}, {900, 2000},
			{5000, 4294967295}};
	unsigned int looked = 0;

	for (size_t i = 0; i < RTE_DIM(pairs); i++) {
		uint32_t enter = pairs[i][0], limit = pairs[i][1];
		struct fcn_detector_conf conf = step_conf(enter, 1, limit);
		uint64_t step = RTE_MAX((limit - enter) / 5000, 1u);

		for (uint64_t q = enter; q <= limit; q += step) {
			double exact = log2((double)q / enter) * 7 / log2((double)limit / enter);

			if (fabs(exact - round(exact)) < 1e-9)
				continue;
			assert_int_equal(fcn_detector_level(&conf, q), clamp_level(exact));
			looked++;
		}
	}
	assert_true(looked > 20000);
}

/* A threshold at or above the limit leaves no scale: above it loss is next. */
TEST(level_no_scale)
{
	struct fcn_detector_conf conf = step_conf(1000, 500, 1000);

	assert_int_equal(fcn_detector_level(&conf, 1000), 0);
	assert_int_equal(fcn_detector_level(&conf, 1001), 7);
	conf = step_conf(2000, 500, 1000);
	assert_int_equal(fcn_detector_level(&conf, 2000), 0);
	assert_int_equal(fcn_detector_level(&conf, 2001), 7);
}

TEST(off)
{
	const struct fcn_detector_conf off = {.type = FCN_DETECTOR_OFF};
	struct fcn_detector d;

	fcn_detector_reset(&d);
	assert_int_equal(arrive(&d, &off, UINT32_MAX, 65535, 1), NONE);
	fcn_detector_tick(&d, &off, UINT32_MAX, UINT32_MAX, 2);
	assert_false(d.congested);
	assert_int_equal(d.leaves, 0);
	assert_true(fcn_detector_next(&d, &off) == FCN_DETECTOR_NEVER);
}
