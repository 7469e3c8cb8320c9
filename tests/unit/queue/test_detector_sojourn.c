/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Sojourn: target and interval to the nanosecond, levels of ages. */

#include "test_detector.h"

/* Levels double from 1000 ns to 128000 ns. */
static struct fcn_detector_conf
sojourn_conf(uint64_t interval)
{
	struct fcn_detector_conf conf = {
			.type = FCN_DETECTOR_SOJOURN,
			.enter = 1000,
			.leave = 400,
			.limit = 128000,
			.interval_ns = interval,
			.hold_ns = 300,
	};

	fcn_detector_levels(&conf);
	return conf;
}

TEST(target)
{
	const struct fcn_detector_conf conf = sojourn_conf(5000);
	struct fcn_detector d;

	fcn_detector_reset(&d);
	/* One ns below the target, for ever. */
	for (uint64_t now = 0; now < 50000; now += 100)
		assert_int_equal(arrive_aged(&d, &conf, 999, now), NONE);
	assert_false(d.above);
	assert_false(d.congested);
	/* At the target: above, from the first arrival that sees it. */
	assert_int_equal(arrive_aged(&d, &conf, 1000, 60000), NONE);
	assert_true(d.above);
	assert_int_equal(d.above_ns, 60000);
	assert_int_equal(arrive_aged(&d, &conf, 1001, 60001), NONE);
	assert_int_equal(d.above_ns, 60000);
}

TEST(interval)
{
	const struct fcn_detector_conf conf = sojourn_conf(5000);
	struct fcn_detector d;

	fcn_detector_reset(&d);
	assert_int_equal(arrive_aged(&d, &conf, 1000, 100), NONE);
	assert_int_equal(arrive_aged(&d, &conf, 4000, 5099), NONE); /* 4999 ns */
	/* One arrival that sees less: all begins anew. */
	assert_int_equal(arrive_aged(&d, &conf, 999, 5099), NONE);
	assert_int_equal(arrive_aged(&d, &conf, 4000, 5100), NONE);
	assert_int_equal(arrive_aged(&d, &conf, 4000, 10099), NONE);
	assert_int_equal(arrive_aged(&d, &conf, 4000, 10100), 2); /* 5000 ns; 2^2 * enter */
	assert_true(d.congested);
	assert_int_equal(d.entered_ns, 10100);
	assert_int_equal(d.enters, 1);
}

/* No arrival between: two are enough, an interval or more apart. */
TEST(two_arrivals)
{
	const struct fcn_detector_conf conf = sojourn_conf(5000);
	struct fcn_detector d;

	fcn_detector_reset(&d);
	assert_int_equal(arrive_aged(&d, &conf, 1000, 0), NONE);
	assert_int_equal(arrive_aged(&d, &conf, 1000, 1000000), 0);
	assert_int_equal(d.entered_ns, 1000000);
}

TEST(no_interval)
{
	const struct fcn_detector_conf conf = sojourn_conf(0);
	struct fcn_detector d;

	fcn_detector_reset(&d);
	assert_int_equal(arrive_aged(&d, &conf, 999, 1), NONE);
	assert_int_equal(arrive_aged(&d, &conf, 1000, 2), 0);
	assert_int_equal(d.entered_ns, 2);
}

/* Departures and the passing of time say nothing of what arrivals see. */
TEST(ticks_do_not_enter)
{
	const struct fcn_detector_conf conf = sojourn_conf(0);
	struct fcn_detector d;

	fcn_detector_reset(&d);
	fcn_detector_tick(&d, &conf, 5000, 128000, 10);
	assert_false(d.above);
	assert_false(d.congested);
}

TEST(levels)
{
	struct fcn_detector_conf conf = sojourn_conf(0);
	struct fcn_detector d;

	for (int level = 0; level <= 7; level++) {
		uint32_t edge = 1000u << level;

		fcn_detector_reset(&d);
		assert_int_equal(arrive_aged(&d, &conf, edge, 1), level);
		/* Every arrival while congested: also just below the edge, level 0 at least. */
		assert_int_equal(arrive_aged(&d, &conf, edge - 1, 2), RTE_MAX(level - 1, 0));
		assert_int_equal(arrive_aged(&d, &conf, 400, 3), 0);
	}
	assert_int_equal(arrive_aged(&d, &conf, UINT32_MAX, 4), 7);
	/* A fall waits, a rise does not. */
	conf.level_hold_ns = 4000;
	fcn_detector_reset(&d);
	assert_int_equal(arrive_aged(&d, &conf, 2000, 100), 1);
	assert_int_equal(arrive_aged(&d, &conf, 8000, 101), 3);
	assert_int_equal(arrive_aged(&d, &conf, 1000, 101 + 3999), 3);
	assert_int_equal(arrive_aged(&d, &conf, 1000, 101 + 4000), 0);
}

/*
 * Congestion ends with the age of the head below leave for 300 ns; the target
 * must be missed for an interval again, at every arrival.
 */
TEST(again)
{
	const struct fcn_detector_conf conf = sojourn_conf(5000);
	struct fcn_detector d;

	fcn_detector_reset(&d);
	arrive_aged(&d, &conf, 1000, 0);
	assert_int_equal(arrive_aged(&d, &conf, 1000, 5000), 0);
	assert_int_equal(arrive_aged(&d, &conf, 399, 6000), 0);
	fcn_detector_tick(&d, &conf, 0, 0, 6000);
	fcn_detector_tick(&d, &conf, 0, 0, 6300);
	assert_int_equal(d.left_ns, 6300);
	assert_int_equal(arrive_aged(&d, &conf, 1000, 7000), NONE);
	assert_int_equal(arrive_aged(&d, &conf, 1000, 11999), NONE);
	assert_int_equal(arrive_aged(&d, &conf, 1000, 12000), 0);
	assert_int_equal(d.enters, 2);
	/* Only departures saw less: arrivals have seen it missed since 7000. */
	fcn_detector_tick(&d, &conf, 100, 10, 13000);
	fcn_detector_tick(&d, &conf, 100, 310, 13300);
	assert_int_equal(d.left_ns, 13300);
	assert_int_equal(arrive_aged(&d, &conf, 1000, 14000), 0);
	assert_int_equal(d.enters, 3);
}

/* Congested, and left at 1000 with a head that has waited for 300 ns of 400. */
static void
leave_head(struct fcn_detector *d, const struct fcn_detector_conf *conf)
{
	fcn_detector_reset(d);
	assert_int_equal(arrive_aged(d, conf, 1000, 500), 0);
	fcn_detector_tick(d, conf, 3000, 300, 1000);
	assert_true(d->below);
	assert_int_equal(d->below_ns, 1000);
}

/* A head that stays grows old: at 1100 it is not below leave any more, seen or not. */
TEST(head_grows_old)
{
	struct fcn_detector_conf conf = sojourn_conf(0);
	struct fcn_detector d;

	for (unsigned int way = 0; way < 4; way++) {
		leave_head(&d, &conf);
		assert_true(fcn_detector_next(&d, &conf) == FCN_DETECTOR_NEVER);
		if (way & 1) {
			fcn_detector_tick(&d, &conf, 3000, 399, 1099);
			assert_true(d.below);
			fcn_detector_tick(&d, &conf, 3000, 400, 1100);
			assert_false(d.below);
		}
		if (way & 2)
			assert_int_equal(arrive_aged(&d, &conf, 4300, 5000), 2);
		/* The next head is young. */
		fcn_detector_tick(&d, &conf, 2000, 100, 5000);
		assert_true(d.congested);
		assert_int_equal(d.below_ns, 5000);
		assert_int_equal(fcn_detector_next(&d, &conf), 5300);
		fcn_detector_tick(&d, &conf, 2000, 400, 5300);
		assert_false(d.congested);
		assert_int_equal(d.left_ns, 5300);
	}
	/* It leaves in time, and so does the one behind it. */
	leave_head(&d, &conf);
	fcn_detector_tick(&d, &conf, 2000, 200, 1099);
	assert_int_equal(d.below_ns, 1000);
	assert_int_equal(arrive_aged(&d, &conf, 351, 1250), 0);
	fcn_detector_tick(&d, &conf, 2000, 0, 1298);
	fcn_detector_tick(&d, &conf, 2000, 5000, 6298);
	assert_int_equal(d.left_ns, 1300);
	/* Old at the very end of the hold: it had been below for all of it. */
	conf.hold_ns = 100;
	leave_head(&d, &conf);
	assert_int_equal(fcn_detector_next(&d, &conf), 1100);
	fcn_detector_tick(&d, &conf, 3000, 8300, 9000);
	assert_int_equal(d.left_ns, 1100);
	conf.hold_ns = 101;
	leave_head(&d, &conf);
	assert_true(fcn_detector_next(&d, &conf) == FCN_DETECTOR_NEVER);
	fcn_detector_tick(&d, &conf, 3000, 8300, 9000);
	assert_true(d.congested);
	/* A head that came at this very moment shows when it is seen: at leave at 1400. */
	for (uint64_t hold = 400; hold <= 401; hold++) {
		conf.hold_ns = hold;
		fcn_detector_reset(&d);
		assert_int_equal(arrive_aged(&d, &conf, 1000, 500), 0);
		fcn_detector_tick(&d, &conf, 3000, 0, 1000);
		assert_int_equal(fcn_detector_next(&d, &conf), 1000 + hold);
		fcn_detector_tick(&d, &conf, 3000, 8000, 9000);
		assert_int_equal(d.left_ns, hold == 400 ? 1400 : 0);
	}
	/* An arrival, too, has seen the head: 300 ns at 1000. */
	conf.hold_ns = 300;
	fcn_detector_reset(&d);
	arrive_aged(&d, &conf, 1000, 500);
	arrive_aged(&d, &conf, 300, 1000);
	assert_true(fcn_detector_next(&d, &conf) == FCN_DETECTOR_NEVER);
	/* An empty queue has none that grows old, for longer than leave. */
	conf.hold_ns = 1000;
	fcn_detector_tick(&d, &conf, 0, 0, 1050);
	assert_int_equal(fcn_detector_next(&d, &conf), 2000);
	fcn_detector_tick(&d, &conf, 0, 0, 9000);
	assert_int_equal(d.left_ns, 2000);
	/* What arrives at one will: it waits from now on. */
	leave_head(&d, &conf);
	fcn_detector_tick(&d, &conf, 0, 0, 1050);
	arrive_aged(&d, &conf, 0, 1500);
	assert_true(fcn_detector_next(&d, &conf) == FCN_DETECTOR_NEVER);
	assert_int_equal(d.ripe_ns, 1900);
	fcn_detector_tick(&d, &conf, 0, 0, 1899);
	assert_int_equal(fcn_detector_next(&d, &conf), 2000);
}
