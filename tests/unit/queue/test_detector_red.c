/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* RED: the probability to the last bit, the choices by chance, arrivals and departures. */

#include <math.h>

#include "test_detector.h"

#define ONE (UINT64_C(1) << 32)
#define GAMMA UINT64_C(0x9e3779b97f4a7c15) /* a number drawn moves splitmix64 on by this */

/* 100 KB, 400 KB and 0.2, the customary ones at 25G; levels double from enter to limit. */
static struct fcn_detector_conf
red_conf(void)
{
	struct fcn_detector_conf conf = {
			.type = FCN_DETECTOR_RED,
			.enter = 100000,
			.leave = 50000,
			.limit = 12800000,
			.kmax = 400000,
			.pmax = ONE / 5, /* 858993459 */
	};

	fcn_detector_levels(&conf);
	return conf;
}

static int
meet(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t occupancy,
		struct fcn_random *random, bool leaves)
{
	const struct fcn_detector_view view = {
			.occupancy = occupancy, .len = 1000, .now = 1, .random = random};

	return leaves ? fcn_detector_departure(d, conf, &view)
		      : fcn_detector_arrival(d, conf, &view);
}

TEST(probability)
{
	struct fcn_detector_conf conf = red_conf();

	assert_int_equal(fcn_red_probability(&conf, 0), 0);
	assert_int_equal(fcn_red_probability(&conf, 99999), 0);
	assert_int_equal(fcn_red_probability(&conf, 100000), 0);
	assert_int_equal(fcn_red_probability(&conf, 100001), 2863);      /* 2863.31 */
	assert_int_equal(fcn_red_probability(&conf, 250000), 429496729); /* 429496729.5 */
	assert_int_equal(fcn_red_probability(&conf, 399999), 858990595); /* - 2863.31 */
	assert_int_equal(fcn_red_probability(&conf, 400000), ONE);
	assert_int_equal(fcn_red_probability(&conf, UINT32_MAX), ONE);
	/* A full ramp of 2^16 bytes: each is worth 2^16. */
	conf.kmax = conf.enter + 65536;
	conf.pmax = ONE;
	for (uint64_t q = 0; q < 65536; q++)
		assert_int_equal(fcn_red_probability(&conf, conf.enter + q), q << 16);
	assert_int_equal(fcn_red_probability(&conf, conf.enter + 65536), ONE);
	/* The longest: 2^32 * (2^32 - 2) / (2^32 - 1) = 2^32 - 1 - 1 / (2^32 - 1) */
	conf.enter = 0;
	conf.kmax = UINT32_MAX;
	assert_int_equal(fcn_red_probability(&conf, UINT32_MAX - 1), ONE - 2);
	assert_int_equal(fcn_red_probability(&conf, 1), 1); /* 1 + 2^-32 */
	/* Nothing between: all from there on. */
	conf.enter = conf.kmax = 1000;
	assert_int_equal(fcn_red_probability(&conf, 999), 0);
	assert_int_equal(fcn_red_probability(&conf, 1000), ONE);
}

/* Shares of 100000 packets within 4 sigma, and a number drawn for each. */
TEST(share)
{
	static const struct {
		uint32_t occupancy;
		double p;
	} points[] = {
			{100300, 0.0002}, /* 0.2 * 300 / 300000 */
			{115000, 0.01},
			{175000, 0.05},
			{250000, 0.1},
			{325000, 0.15},
			{399999, 0.2 * 299999 / 300000},
	};
	static const uint64_t seeds[] = {0, 1, 2, UINT64_C(0xfeedfacecafebeef)};
	const struct fcn_detector_conf conf = red_conf();
	const unsigned int n = 100000;

	for (size_t s = 0; s < RTE_DIM(seeds); s++) {
		for (size_t i = 0; i < RTE_DIM(points); i++) {
			struct fcn_random random = {seeds[s]};
			struct fcn_detector d;
			double p = points[i].p;
			unsigned int chosen = 0;

			fcn_detector_reset(&d);
			for (unsigned int k = 0; k < n; k++)
				chosen += meet(&d, &conf, points[i].occupancy, &random, false) !=
					  NONE;
			assert_true(fabs(chosen - n * p) <= 4 * sqrt(n * p * (1 - p)));
			assert_true(chosen > 0);
			assert_true(random.state == seeds[s] + n * GAMMA);
			assert_int_equal(d.enters, 1);
		}
	}
}

/* A packet is chosen when 32 bits of chance are below its probability. */
TEST(choice)
{
	const struct fcn_detector_conf conf = red_conf();
	struct fcn_random random = {42};
	struct fcn_detector d;
	uint64_t seed = 42;

	fcn_detector_reset(&d);
	for (uint32_t q = 100001; q < 400000; q += 7) {
		bool want = fcn_test_random(&seed) >> 32 < fcn_red_probability(&conf, q);

		assert_int_equal(meet(&d, &conf, q, &random, false) != NONE, want);
	}
}

/* At the ends nothing is left to chance: no number is drawn. */
TEST(ends)
{
	const struct fcn_detector_conf conf = red_conf();
	struct fcn_random random = {7};
	struct fcn_detector d;

	fcn_detector_reset(&d);
	for (unsigned int k = 0; k < 1000; k++)
		assert_int_equal(meet(&d, &conf, 99999, &random, false), NONE);
	assert_false(d.congested);
	/* At Kmin: congested, and none chosen. Below it, while congested: none either. */
	for (unsigned int k = 0; k < 1000; k++)
		assert_int_equal(meet(&d, &conf, 100000, &random, false), NONE);
	assert_true(d.congested);
	assert_int_equal(d.enters, 1);
	for (unsigned int k = 0; k < 1000; k++)
		assert_int_equal(meet(&d, &conf, 50000 + k, &random, false), NONE);
	assert_true(d.congested);
	/* From Kmax on all: 400000 is 2^2 * enter. */
	for (unsigned int k = 0; k < 1000; k++)
		assert_int_equal(meet(&d, &conf, 400000 + k, &random, false), 2);
	assert_int_equal(meet(&d, &conf, 799999, &random, false), 2);
	assert_int_equal(meet(&d, &conf, 800000, &random, false), 3);
	assert_int_equal(meet(&d, &conf, 12799999, &random, false), 6);
	assert_int_equal(meet(&d, &conf, 12800000, &random, false), 7);
	assert_true(random.state == 7);
	/* No probability anywhere on the ramp: nothing is drawn there. */
	struct fcn_detector_conf flat = conf;

	flat.pmax = 0;
	for (uint32_t q = 100000; q < 400000; q += 1000)
		assert_int_equal(meet(&d, &flat, q, &random, false), NONE);
	assert_true(random.state == 7);
	/* The next byte above Kmin is left to chance. */
	meet(&d, &conf, 100001, &random, false);
	assert_true(random.state == 7 + GAMMA);
}

/* The level follows occupancy whether or not a packet is chosen; a fall waits. */
TEST(level)
{
	struct fcn_detector_conf conf = red_conf();
	struct fcn_random random = {3};
	struct fcn_detector d;
	unsigned int chosen = 0;

	conf.pmax = ONE / 2;
	fcn_detector_reset(&d);
	/* 2 * enter: level 1; p = 1 / 6 */
	for (unsigned int k = 0; k < 1000; k++) {
		int level = meet(&d, &conf, 200000, &random, false);

		assert_true(level == NONE || level == 1);
		chosen += level == 1;
		assert_int_equal(d.level, 1);
	}
	assert_true(chosen >= 120 && chosen <= 213); /* 1000 / 6, 4 sigma of 11.8 */
	conf.level_hold_ns = 10;
	assert_int_equal(meet(&d, &conf, 12800000, &random, false), 7);
	meet(&d, &conf, 100000, &random, false);
	assert_int_equal(d.level, 7);
}

TEST(at_dequeue)
{
	struct fcn_detector_conf conf = red_conf();
	struct fcn_random random = {9};
	struct fcn_detector d, before;

	conf.at_dequeue = true;
	conf.hold_ns = 500;
	fcn_detector_reset(&d);
	before = d;
	/* Arrivals choose nothing and begin nothing. */
	assert_int_equal(meet(&d, &conf, 12800000, &random, false), NONE);
	assert_int_equal(fcn_detector_bounds(&d, &conf, 0, 1).occupancy, UINT32_MAX);
	assert_int_equal(meet(&d, &conf, 99999, &random, true), NONE);
	assert_memory_equal(&d, &before, sizeof(d));
	assert_int_equal(meet(&d, &conf, 100000, &random, true), NONE);
	assert_true(d.congested);
	assert_int_equal(meet(&d, &conf, 400000, &random, true), 2);
	assert_int_equal(meet(&d, &conf, 12800000, &random, false), NONE);
	assert_true(random.state == 9);
	meet(&d, &conf, 100001, &random, true);
	assert_true(random.state == 9 + GAMMA);
	/* While congested an arrival may keep it so ... */
	fcn_detector_tick(&d, &conf, 49999, 0, 1000);
	assert_int_equal(arrive(&d, &conf, 50000, 1000, 1400), NONE);
	fcn_detector_tick(&d, &conf, 49999, 0, 1500);
	assert_true(d.congested);
	/* ... and may notice that it is over, but not begin it anew. */
	assert_int_equal(arrive(&d, &conf, 12800000, 1000, 9000), NONE);
	assert_false(d.congested);
	assert_int_equal(d.left_ns, 2000);
	assert_int_equal(d.enters, 1);
	assert_int_equal(d.leaves, 1);
}

/* Departures mean nothing to any other. */
TEST(departure_of_others)
{
	struct fcn_random random = {5};

	for (int type = FCN_DETECTOR_OFF; type <= FCN_DETECTOR_RATE; type++) {
		struct fcn_detector_conf conf = red_conf();
		struct fcn_detector d, before;

		conf.type = type;
		conf.at_dequeue = type != FCN_DETECTOR_RED && type != FCN_DETECTOR_STEP;
		conf.interval_ns = conf.bps = 1000;
		fcn_detector_reset(&d);
		before = d;
		assert_int_equal(meet(&d, &conf, UINT32_MAX, &random, true), NONE);
		assert_memory_equal(&d, &before, sizeof(d));
	}
	assert_true(random.state == 5);
}
