/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Rate: windows, the average against exact fractions, entering and leaving. */

#include "test_detector.h"

/* 8G is a byte a nanosecond: a window of 1000 ns has room for 1000 bytes, so bytes are 1/1000. */
static struct fcn_detector_conf
rate_conf(uint32_t enter, uint32_t leave, uint64_t hold)
{
	struct fcn_detector_conf conf = {
			.type = FCN_DETECTOR_RATE,
			.enter = enter,
			.leave = leave,
			.limit = enter * 128,
			.interval_ns = 1000,
			.bps = 8000000000,
			.hold_ns = hold,
	};

	fcn_detector_levels(&conf);
	return conf;
}

TEST(windows)
{
	const struct fcn_detector_conf conf = rate_conf(900, 450, 0);
	struct fcn_detector d;

	fcn_detector_reset(&d);
	/* Nothing begins before the first arrival, be it at time 0. */
	fcn_detector_tick(&d, &conf, 5000, 0, 0);
	assert_false(d.windowed);
	arrive_bytes(&d, &conf, 100, 0);
	assert_true(d.windowed);
	assert_int_equal(d.window_ns, 0);
	fcn_detector_reset(&d);
	arrive_bytes(&d, &conf, 100, 777);
	arrive_bytes(&d, &conf, 200, 777);
	arrive_bytes(&d, &conf, 500, 1776); /* the last nanosecond of the first window */
	assert_int_equal(d.window_ns, 777);
	assert_int_equal(d.arrived, 800);
	assert_int_equal(d.rate, 0);
	arrive_bytes(&d, &conf, 50, 1777);
	assert_int_equal(d.window_ns, 1777);
	assert_int_equal(d.arrived, 50);
	assert_int_equal(d.rate, 100); /* 800 / 8 */
	/* Windows stay where they are when some pass unseen. */
	arrive_bytes(&d, &conf, 1, 5776);
	assert_int_equal(d.window_ns, 4777);
	/* (7 * 100 + 50) / 8 = 93.75, then two empty ones: 82.03, 71.78 */
	assert_int_equal(d.rate, 71);
	/* Ticks let windows pass, too; so does each of them alone. */
	fcn_detector_tick(&d, &conf, 0, 0, 5776);
	assert_int_equal(d.window_ns, 4777);
	fcn_detector_tick(&d, &conf, 0, 0, 5777);
	assert_int_equal(d.window_ns, 5777);
	assert_int_equal(d.arrived, 0);
	assert_int_equal(d.rate, 62); /* (7 * 71.78 + 1) / 8 = 62.93 */
}

/* 8 times the average in bytes, as a fraction numerator / 8^k: 4096 bits, least word first. */
#define WORDS 64

struct big {
	uint64_t word[WORDS];
};

static void
big_multiply(struct big *b, uint64_t factor)
{
	unsigned __int128 carry = 0;

	for (size_t i = 0; i < WORDS; i++) {
		carry += (unsigned __int128)b->word[i] * factor;
		b->word[i] = (uint64_t)carry;
		carry >>= 64;
	}
	assert_true(carry == 0);
}

static void
big_add_shifted(struct big *b, uint64_t value, unsigned int shift)
{
	unsigned __int128 carry = (unsigned __int128)value << shift % 64;

	for (size_t i = shift / 64; i < WORDS && carry != 0; i++) {
		unsigned __int128 sum = (unsigned __int128)b->word[i] + (uint64_t)carry;

		b->word[i] = (uint64_t)sum;
		carry = (carry >> 64) + (sum >> 64);
	}
	assert_true(carry == 0);
}

static int
big_compare(const struct big *a, const struct big *b)
{
	for (size_t i = WORDS; i-- > 0;) {
		if (a->word[i] != b->word[i])
			return a->word[i] > b->word[i] ? 1 : -1;
	}
	return 0;
}

/* value * 8^k */
static struct big
big_of(uint64_t value, unsigned int k)
{
	struct big b = {0};

	big_add_shifted(&b, value, 3 * k);
	return b;
}

/*
 * r_(k+1) = (7 * r_k + s_k) / 8, r_0 = 0: with N_k = r_k * 8^k in bytes,
 * N_(k+1) = 7 * N_k + s_k * 8^k. Two things must hold in each window:
 * the sum kept is 8 * r in 2^-16 bytes, less than 8 too much and never too little,
 * and the rate is that average's, rounded down.
 */
static void
assert_exact(const struct fcn_detector *d, const struct fcn_detector_conf *conf,
		const struct big *n, unsigned int k)
{
	struct big exact = *n, low = big_of(d->rate_sum, k);
	struct big least, most;

	big_multiply(&exact, UINT64_C(8) << 16);
	assert_true(big_compare(&low, &exact) >= 0);
	big_add_shifted(&exact, 8, 3 * k);
	assert_true(big_compare(&low, &exact) < 0);
	/* rate <= (r + 2^-16) * 8 * 10^12 / (bps * interval), r * 8 * 10^12 / ... < rate + 1 */
	most = *n;
	big_multiply(&most, 65536);
	big_add_shifted(&most, 1, 3 * k);
	big_multiply(&most, 8000000000000);
	least = big_of(d->rate, k);
	big_multiply(&least, conf->bps);
	big_multiply(&least, conf->interval_ns);
	big_multiply(&least, 65536);
	assert_true(big_compare(&least, &most) <= 0);
	least = *n;
	big_multiply(&least, 8000000000000);
	most = big_of(d->rate + 1, k);
	big_multiply(&most, conf->bps);
	big_multiply(&most, conf->interval_ns);
	assert_true(big_compare(&least, &most) < 0);
}

TEST(exact_fractions)
{
	static const struct {
		uint64_t bps, interval_ns;
		uint32_t most; /* bytes a window */
	} ports[] = {
			{8000000000, 1000, 3000},
			{10000000000, 10000, 40000},
			{100000000000, 50000, 900000},
			{999999937, 12345, 5000},
			{1000000, 7, 2}, /* less than a byte a window */
			{400000000000, 1000000000, UINT32_MAX},
	};
	uint64_t seed = 11;

	for (size_t p = 0; p < RTE_DIM(ports); p++) {
		struct fcn_detector_conf conf = rate_conf(900, 450, 0);
		struct fcn_detector d;
		struct big n = {0};
		uint64_t now = 12345;
		uint64_t left = 0; /* of the bytes of this window: in packets of their own */

		conf.bps = ports[p].bps;
		conf.interval_ns = ports[p].interval_ns;
		fcn_detector_reset(&d);
		arrive_bytes(&d, &conf, 0, now);
		for (unsigned int k = 0; k < 600; k++) {
			uint32_t bytes = fcn_test_random(&seed) % ((uint64_t)ports[p].most + 1);

			/* runs of empty windows, too */
			if (k / 20 % 3 == 2)
				bytes = 0;
			left = bytes / 3;
			arrive_bytes(&d, &conf, bytes - left, now);
			arrive_bytes(&d, &conf, left, now + conf.interval_ns - 1);
			now += conf.interval_ns;
			big_multiply(&n, 7);
			big_add_shifted(&n, bytes, 3 * k);
			if (k % 2 == 0)
				fcn_detector_tick(&d, &conf, 0, 0, now);
			else
				arrive_bytes(&d, &conf, 0, now);
			assert_exact(&d, &conf, &n, k + 1);
		}
	}
}

/* The same load for ever: the average gets there, and stays. */
TEST(limit)
{
	const struct fcn_detector_conf conf = rate_conf(2000, 1, 0);
	struct fcn_detector d;
	uint64_t now = 1;

	fcn_detector_reset(&d);
	for (unsigned int k = 0; k < 300; k++, now += 1000)
		arrive_bytes(&d, &conf, 950, now);
	assert_int_equal(d.rate, 950);
	assert_int_equal(d.rate_sum, UINT64_C(8) * 950 << 16);
	for (unsigned int k = 0; k < 100000; k++, now += 1000)
		arrive_bytes(&d, &conf, 950, now);
	assert_int_equal(d.rate_sum, UINT64_C(8) * 950 << 16);
	/* From above. */
	for (unsigned int k = 0; k < 300; k++, now += 1000)
		arrive_bytes(&d, &conf, 1990, now);
	for (unsigned int k = 0; k < 300; k++, now += 1000)
		arrive_bytes(&d, &conf, 950, now);
	assert_int_equal(d.rate, 950);
	assert_true(d.rate_sum - (UINT64_C(8) * 950 << 16) < 8);
	/*
	 * 949 and 951 in turn: from y to x = (7 * y + 951) / 8 and back, so x = 14251 / 15 =
	 * 950.0667 and y = 949.9333.
	 */
	for (unsigned int k = 0; k < 100000; k++, now += 1000)
		arrive_bytes(&d, &conf, k % 2 == 0 ? 949 : 951, now);
	/* The window of the last 951 is open still: y. 8 * 65536 * 14249 / 15 = 498038647.47 */
	assert_int_equal(d.rate, 949);
	assert_in_range(d.rate_sum, 498038648, 498038655);
	arrive_bytes(&d, &conf, 0, now);
	assert_int_equal(d.rate, 950); /* 8 * 65536 * 14251 / 15 = 498108552.53 */
	assert_in_range(d.rate_sum, 498108553, 498108560);
}

/* One window with 8000 bytes is 1000, one byte less 999.875. */
TEST(enter)
{
	const struct fcn_detector_conf conf = rate_conf(1000, 500, 0);
	struct fcn_detector d;

	fcn_detector_reset(&d);
	arrive_bytes(&d, &conf, 7999, 0);
	assert_int_equal(arrive_bytes(&d, &conf, 0, 1000), NONE);
	assert_int_equal(d.rate, 999);
	assert_false(d.congested);
	fcn_detector_reset(&d);
	assert_int_equal(arrive_bytes(&d, &conf, 8000, 0), NONE);
	assert_int_equal(arrive_bytes(&d, &conf, 100, 999), NONE);
	fcn_detector_reset(&d);
	arrive_bytes(&d, &conf, 8000, 0);
	assert_int_equal(arrive_bytes(&d, &conf, 100, 1003), 0);
	assert_true(d.congested);
	assert_int_equal(d.entered_ns, 1003);
	assert_int_equal(d.enters, 1);
	/* Every arrival while congested. */
	assert_int_equal(arrive_bytes(&d, &conf, 100, 1004), 0);
	/* A tick lets the window pass but enters nothing: the next arrival does. */
	fcn_detector_reset(&d);
	arrive_bytes(&d, &conf, 8000, 0);
	fcn_detector_tick(&d, &conf, 0, 0, 1000);
	assert_int_equal(d.rate, 1000);
	assert_false(d.congested);
	assert_int_equal(fcn_detector_bounds(&d, &conf, 0, 1500).occupancy, 0);
	assert_int_equal(arrive_bytes(&d, &conf, 1, 1500), 0);
	assert_int_equal(d.entered_ns, 1500);
	/* What had been enough and is not any more when somebody looks: 875. */
	fcn_detector_reset(&d);
	arrive_bytes(&d, &conf, 8000, 0);
	assert_int_equal(arrive_bytes(&d, &conf, 1, 2000), NONE);
	assert_int_equal(d.enters, 0);
}

/* Levels double from 1000 to 128000; one window of 8000 * 2^l bytes from nothing is level l. */
TEST(levels)
{
	struct fcn_detector_conf conf = rate_conf(1000, 500, 0);
	struct fcn_detector d;

	for (int level = 0; level <= 7; level++) {
		fcn_detector_reset(&d);
		arrive_bytes(&d, &conf, 8000u << level, 0);
		assert_int_equal(arrive_bytes(&d, &conf, 1, 1000), level);
		if (level == 0)
			continue;
		fcn_detector_reset(&d);
		arrive_bytes(&d, &conf, (8000u << level) - 1, 0);
		assert_int_equal(arrive_bytes(&d, &conf, 1, 1000), level - 1);
	}
	/* Below enter but not below leave: level 0. A fall waits. */
	fcn_detector_reset(&d);
	arrive_bytes(&d, &conf, 16000, 0);
	assert_int_equal(arrive_bytes(&d, &conf, 0, 1000), 1);
	conf.level_hold_ns = 8000;
	assert_int_equal(arrive_bytes(&d, &conf, 0, 8999), 1); /* 2000 * (7/8)^7 = 785 */
	assert_int_equal(arrive_bytes(&d, &conf, 0, 9000), 0); /* 687 */
	assert_true(d.congested);
}

/* 1000 at 1000 ns; empty windows: 875, 765, 669, 586, 512, 448: below 500 at 7000. */
TEST(leave)
{
	struct fcn_detector_conf conf = rate_conf(1000, 500, 1500);
	struct fcn_detector d;

	for (unsigned int way = 0; way < 4; way++) {
		fcn_detector_reset(&d);
		arrive_bytes(&d, &conf, 8000, 0);
		arrive_bytes(&d, &conf, 0, 1000);
		assert_int_equal(fcn_detector_next(&d, &conf), 2000);
		if (way == 0) { /* as often as asked for */
			for (uint64_t now = 2000; now <= 7000; now += 1000) {
				assert_int_equal(fcn_detector_next(&d, &conf), now);
				fcn_detector_tick(&d, &conf, 0, 0, now);
			}
			assert_true(d.below);
			assert_int_equal(d.below_ns, 7000);
			assert_int_equal(d.rate, 448);
			assert_int_equal(fcn_detector_next(&d, &conf), 8000);
			fcn_detector_tick(&d, &conf, 0, 0, 8000);
			assert_int_equal(fcn_detector_next(&d, &conf), 8500);
			fcn_detector_tick(&d, &conf, 0, 0, 8499);
			assert_true(d.congested);
			fcn_detector_tick(&d, &conf, 0, 0, 8500);
		} else if (way == 1) { /* late */
			fcn_detector_tick(&d, &conf, 0, 0, 50000);
		} else if (way == 2) { /* late, and by an arrival */
			assert_int_equal(arrive_bytes(&d, &conf, 100, 50000), NONE);
		} else { /* very late */
			fcn_detector_tick(&d, &conf, 0, 0, UINT64_C(1) << 62);
		}
		assert_false(d.congested);
		assert_int_equal(d.left_ns, 8500);
		assert_int_equal(d.leaves, 1);
		assert_int_equal(d.enters, 1);
	}
	/* One byte short of the edge: 500 is not below leave. 4000 and 4000 from nothing. */
	conf.leave = 875;
	conf.hold_ns = 0;
	fcn_detector_reset(&d);
	arrive_bytes(&d, &conf, 8000, 0);
	arrive_bytes(&d, &conf, 0, 1000);
	arrive_bytes(&d, &conf, 0, 2000); /* 875 */
	assert_true(d.congested);
	assert_false(d.below);
	conf.leave = 876;
	fcn_detector_tick(&d, &conf, 0, 0, 2001);
	assert_false(d.congested);
	assert_int_equal(d.left_ns, 2001);
}

/* A window that brings the rate back to leave interrupts the hold at its end. */
TEST(interrupted)
{
	const struct fcn_detector_conf conf = rate_conf(1000, 500, 1500);
	struct fcn_detector d;

	fcn_detector_reset(&d);
	arrive_bytes(&d, &conf, 8000, 0);
	arrive_bytes(&d, &conf, 0, 1000);
	fcn_detector_tick(&d, &conf, 0, 0, 7000); /* 448.795 since 7000 */
	arrive_bytes(&d, &conf, 859, 7500);       /* (7 * 448.795 + 859) / 8 = 500.07 at 8000 */
	fcn_detector_tick(&d, &conf, 0, 0, 8600);
	assert_true(d.congested);
	assert_false(d.below);
	/* It falls to 437.6 at 9000. */
	fcn_detector_tick(&d, &conf, 0, 0, 20000);
	assert_int_equal(d.left_ns, 10500);
	/* With less it does not: 499.7 */
	fcn_detector_reset(&d);
	arrive_bytes(&d, &conf, 8000, 0);
	arrive_bytes(&d, &conf, 0, 1000);
	fcn_detector_tick(&d, &conf, 0, 0, 7000);
	arrive_bytes(&d, &conf, 856, 7500);
	fcn_detector_tick(&d, &conf, 0, 0, 20000);
	assert_int_equal(d.left_ns, 8500);
}

/* Empty windows one by one, up to 128 at once; what was before more than those is forgotten. */
TEST(idle)
{
	const struct fcn_detector_conf conf = rate_conf(4000000, 1, 0);

	for (unsigned int windows = 1; windows <= 140; windows++) {
		struct fcn_detector one, all;
		uint64_t end = UINT64_C(1000) * windows;

		fcn_detector_reset(&one);
		arrive_bytes(&one, &conf, 4000000, 0);
		all = one;
		for (uint64_t now = 1000; now <= end; now += 1000)
			fcn_detector_tick(&one, &conf, 0, 0, now);
		arrive_bytes(&one, &conf, 60, end + 999);
		arrive_bytes(&all, &conf, 60, end + 999);
		assert_int_equal(all.window_ns, end);
		if (windows <= 128)
			assert_int_equal(all.rate_sum, one.rate_sum);
		else
			assert_int_equal(all.rate_sum, 0);
		assert_int_equal(all.rate, one.rate);
		assert_int_equal(all.arrived, 60);
	}
}

/* More windows than could be looked at one by one. */
TEST(long_idle)
{
	struct fcn_detector_conf conf = rate_conf(1000, 500, 0);
	struct fcn_detector d;

	conf.interval_ns = 3;
	conf.bps = 1000000;
	fcn_detector_reset(&d);
	arrive_bytes(&d, &conf, 1500, 5);
	arrive_bytes(&d, &conf, 1500, UINT64_MAX - 1);
	assert_int_equal((UINT64_MAX - 1 - d.window_ns) / 3, 0);
	assert_int_equal((d.window_ns - 5) % 3, 0);
	assert_int_equal(d.rate, 0);
	/* A rate beyond all measure is the highest there is. */
	conf.bps = 1;
	fcn_detector_reset(&d);
	arrive_bytes(&d, &conf, UINT32_MAX, 5);
	assert_int_equal(arrive_bytes(&d, &conf, 0, 8), 7);
	assert_int_equal(d.rate, UINT32_MAX);
}

/* More than 2^32 bytes in a window: 5 * 2^30 of them in 10 s at 8G are 536. */
TEST(many_bytes)
{
	struct fcn_detector_conf conf = rate_conf(1000, 500, 0);
	struct fcn_detector d;

	conf.interval_ns = 10000000000;
	fcn_detector_reset(&d);
	for (uint64_t k = 0; k < 5; k++)
		arrive_bytes(&d, &conf, 1u << 30, k);
	fcn_detector_add_arrived(&d, &conf, 0);
	arrive_bytes(&d, &conf, 0, 10000000000);
	assert_int_equal(d.rate, 67); /* 536.87 / 8 = 67.1 */
}
