/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * How congestion begins and ends, the same with every type whose measure can be
 * set at will: to the byte (or nanosecond) of the measure, to the nanosecond of time.
 */

#include "test_detector.h"

/* qcn: qeq 8000, w 0: level 1 from |Fb| = 1000 on, that is from 9000. */
#define ENTER 9000
#define LEAVE 4500

static struct fcn_random chance = {1};

/* A packet of 1000 bytes: with qcn each is a sample. */
static struct fcn_detector_view
view_of(uint32_t measure, uint64_t now)
{
	return (struct fcn_detector_view){.occupancy = measure,
			.len = 1000,
			.age_ns = measure,
			.now = now,
			.random = &chance};
}

/* What the type looks at: an arrival, or a departure. */
static int
see(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t measure, uint64_t now)
{
	const struct fcn_detector_view view = view_of(measure, now);

	return conf->at_dequeue ? fcn_detector_departure(d, conf, &view)
				: fcn_detector_arrival(d, conf, &view);
}

static void
tick(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint32_t measure, uint64_t now)
{
	fcn_detector_tick(d, conf, measure, measure, now);
}

/*
 * Below leave, by a byte or a nanosecond, and drained at once: a head left there
 * would grow old.
 */
static void
drain(struct fcn_detector *d, const struct fcn_detector_conf *conf, uint64_t now)
{
	tick(d, conf, LEAVE - 1, now);
	tick(d, conf, 0, now);
}

static const struct {
	enum fcn_detector_type type;
	bool at_dequeue;
} kinds[] = {
		{FCN_DETECTOR_STEP, false},
		{FCN_DETECTOR_RED, false},
		{FCN_DETECTOR_RED, true},
		{FCN_DETECTOR_QCN, false},
		{FCN_DETECTOR_SOJOURN, false},
		{FCN_DETECTOR_STEP, true},
};

static struct fcn_detector_conf
conf_of(size_t kind, uint64_t hold)
{
	struct fcn_detector_conf conf = {
			.type = kinds[kind].type,
			.at_dequeue = kinds[kind].at_dequeue,
			.enter = ENTER,
			.leave = LEAVE,
			.limit = ENTER * 128,
			.kmax = ENTER * 2,
			.pmax = UINT64_C(1) << 31,
			.qeq = 8000,
			.sample = 1000,
			.hold_ns = hold,
	};

	fcn_detector_levels(&conf);
	return conf;
}

/* Congested since 1000. */
static void
begin(struct fcn_detector *d, const struct fcn_detector_conf *conf)
{
	fcn_detector_reset(d);
	see(d, conf, ENTER, 1000);
	assert_true(d->congested);
	assert_int_equal(d->entered_ns, 1000);
}

static void
assert_left(const struct fcn_detector *d, const struct fcn_detector_conf *conf, uint64_t at,
		uint64_t times)
{
	assert_false(d->congested);
	assert_false(d->below);
	assert_int_equal(d->level, NONE);
	assert_int_equal(d->left_ns, at);
	assert_int_equal(d->leaves, times);
	assert_true(fcn_detector_next(d, conf) == FCN_DETECTOR_NEVER);
}

TEST(measure_edges)
{
	for (size_t kind = 0; kind < RTE_DIM(kinds); kind++) {
		const struct fcn_detector_conf conf = conf_of(kind, 500);
		struct fcn_detector d;

		fcn_detector_reset(&d);
		assert_int_equal(see(&d, &conf, ENTER - 1, 999), NONE);
		assert_false(d.congested);
		assert_int_equal(d.enters, 0);
		see(&d, &conf, ENTER, 1000);
		assert_true(d.congested);
		assert_int_equal(d.entered_ns, 1000);
		assert_int_equal(d.enters, 1);
		see(&d, &conf, ENTER, 1001);
		assert_int_equal(d.entered_ns, 1000);
		assert_int_equal(d.enters, 1);
		/* At leave it is not below, seen by either. */
		see(&d, &conf, LEAVE, 1100);
		tick(&d, &conf, LEAVE, 1101);
		assert_false(d.below);
		assert_true(fcn_detector_next(&d, &conf) == FCN_DETECTOR_NEVER);
		tick(&d, &conf, LEAVE, 1000000);
		see(&d, &conf, LEAVE, 1000001);
		assert_true(d.congested);
		/* A byte less is: seen by a packet, and by a tick. */
		see(&d, &conf, LEAVE - 1, 1000002);
		assert_true(d.below);
		assert_int_equal(d.below_ns, 1000002);
		see(&d, &conf, LEAVE, 1000003);
		assert_false(d.below);
		tick(&d, &conf, LEAVE - 1, 1000004);
		assert_true(d.below);
		assert_int_equal(d.below_ns, 1000004);
		tick(&d, &conf, LEAVE, 1000005); /* not without an arrival, but why not */
		assert_false(d.below);
		assert_int_equal(d.leaves, 0);
	}
}

TEST(hold_edges)
{
	for (size_t kind = 0; kind < RTE_DIM(kinds); kind++) {
		const struct fcn_detector_conf conf = conf_of(kind, 500);
		struct fcn_detector d;

		/* By departures: what each leaves behind. */
		begin(&d, &conf);
		tick(&d, &conf, LEAVE, 1999);
		tick(&d, &conf, LEAVE - 1000, 2000);
		assert_int_equal(fcn_detector_next(&d, &conf), 2500);
		tick(&d, &conf, LEAVE - 2000, 2100);
		tick(&d, &conf, 0, 2499);
		assert_true(d.congested);
		assert_int_equal(d.below_ns, 2000);
		assert_int_equal(fcn_detector_next(&d, &conf), 2500);
		tick(&d, &conf, 0, 2500);
		assert_left(&d, &conf, 2500, 1);
		/* Exactly once. */
		for (uint64_t now = 2500; now < 5000; now += 100)
			tick(&d, &conf, 0, now);
		assert_left(&d, &conf, 2500, 1);
		/* By packets that arrive, or leave. */
		begin(&d, &conf);
		see(&d, &conf, LEAVE - 1, 2000);
		tick(&d, &conf, 0, 2000);
		see(&d, &conf, LEAVE - 1, 2499);
		assert_true(d.congested);
		assert_int_equal(see(&d, &conf, LEAVE - 1, 2500), NONE);
		assert_left(&d, &conf, 2500, 1);
	}
}

TEST(noticed_late)
{
	for (size_t kind = 0; kind < RTE_DIM(kinds); kind++) {
		const struct fcn_detector_conf conf = conf_of(kind, 500);
		struct fcn_detector d;

		begin(&d, &conf);
		drain(&d, &conf, 2000);
		tick(&d, &conf, LEAVE - 1, 70000);
		assert_left(&d, &conf, 2500, 1);
		/* By a packet that asks for nothing. */
		begin(&d, &conf);
		drain(&d, &conf, 2000);
		assert_int_equal(see(&d, &conf, ENTER - 1, 70000), NONE);
		assert_left(&d, &conf, 2500, 1);
		/* By one that begins it anew. */
		begin(&d, &conf);
		drain(&d, &conf, 2000);
		see(&d, &conf, ENTER * 128, 2500);
		assert_true(d.congested);
		assert_int_equal(d.left_ns, 2500);
		assert_int_equal(d.leaves, 1);
		assert_int_equal(d.entered_ns, 2500);
		assert_int_equal(d.enters, 2);
		assert_int_equal(d.level, 7);
		/* A nanosecond earlier it goes on. */
		begin(&d, &conf);
		drain(&d, &conf, 2000);
		see(&d, &conf, ENTER * 128, 2499);
		assert_int_equal(d.leaves, 0);
		assert_int_equal(d.entered_ns, 1000);
	}
}

TEST(interrupted)
{
	for (size_t kind = 0; kind < RTE_DIM(kinds); kind++) {
		const struct fcn_detector_conf conf = conf_of(kind, 500);
		struct fcn_detector d;
		const struct fcn_detector_view back = view_of(LEAVE, 2499);

		/* An arrival, also with a detector that looks at departures. */
		begin(&d, &conf);
		drain(&d, &conf, 2000);
		fcn_detector_arrival(&d, &conf, &back);
		assert_false(d.below);
		drain(&d, &conf, 2600);
		assert_int_equal(fcn_detector_next(&d, &conf), 3100);
		tick(&d, &conf, LEAVE - 1, 3099);
		assert_true(d.congested);
		tick(&d, &conf, LEAVE - 1, 4000);
		assert_left(&d, &conf, 3100, 1);
	}
}

TEST(no_hold)
{
	for (size_t kind = 0; kind < RTE_DIM(kinds); kind++) {
		const struct fcn_detector_conf conf = conf_of(kind, 0);
		struct fcn_detector d;

		begin(&d, &conf);
		tick(&d, &conf, LEAVE, 2000);
		assert_true(d.congested);
		tick(&d, &conf, LEAVE - 1, 2001);
		assert_left(&d, &conf, 2001, 1);
		begin(&d, &conf);
		see(&d, &conf, LEAVE, 2000);
		assert_true(d.congested);
		assert_int_equal(see(&d, &conf, LEAVE - 1, 2001), NONE);
		assert_left(&d, &conf, 2001, 1);
	}
}

TEST(hold_for_ever)
{
	for (size_t kind = 0; kind < RTE_DIM(kinds); kind++) {
		const struct fcn_detector_conf conf = conf_of(kind, UINT64_MAX);
		struct fcn_detector d;

		begin(&d, &conf);
		tick(&d, &conf, 0, 2000);
		assert_true(fcn_detector_next(&d, &conf) == FCN_DETECTOR_NEVER);
		tick(&d, &conf, 0, UINT64_MAX);
		assert_true(d.congested);
	}
}

/* A new configuration has no detector: the next tick ends congestion. */
TEST(turned_off)
{
	const struct fcn_detector_conf off = {.type = FCN_DETECTOR_OFF};

	for (size_t kind = 0; kind < RTE_DIM(kinds); kind++) {
		const struct fcn_detector_conf conf = conf_of(kind, 500);
		struct fcn_detector d;

		begin(&d, &conf);
		drain(&d, &conf, 2000);
		assert_int_equal(see(&d, &off, ENTER * 128, 3000), NONE);
		assert_int_equal(fcn_detector_next(&d, &off), 0);
		tick(&d, &off, ENTER * 128, 3001);
		assert_left(&d, &off, 3001, 1);
		tick(&d, &off, ENTER * 128, 3002);
		assert_left(&d, &off, 3001, 1);
		/* And on again. */
		assert_int_equal(see(&d, &conf, ENTER - 1, 4000), NONE);
		assert_false(d.congested);
		see(&d, &conf, ENTER, 4001);
		assert_int_equal(d.entered_ns, 4001);
		assert_int_equal(d.enters, 2);
	}
}

/*
 * Another type while congested: what was below, above or counted before means
 * nothing any more; congestion lasts until the new measure says that it is over.
 */
TEST(other_type)
{
	for (size_t from = 0; from < RTE_DIM(kinds); from++) {
		for (size_t to = 0; to < RTE_DIM(kinds); to++) {
			const struct fcn_detector_conf old = conf_of(from, 500);
			const struct fcn_detector_conf new = conf_of(to, 500);
			struct fcn_detector d;

			if (old.type == new.type)
				continue;
			/* The tick does not count the time below by the old measure. */
			begin(&d, &old);
			drain(&d, &old, 2000);
			assert_int_equal(fcn_detector_next(&d, &new), 0);
			drain(&d, &new, 9000);
			assert_true(d.congested);
			assert_int_equal(fcn_detector_next(&d, &new), 9500);
			tick(&d, &new, LEAVE - 1, 9600);
			assert_left(&d, &new, 9500, 1);
			/* Nor does a packet; the level is that of the new measure. */
			begin(&d, &old);
			drain(&d, &old, 2000);
			see(&d, &new, ENTER * 128, 9000);
			assert_int_equal(d.enters, 1);
			assert_int_equal(d.leaves, 0);
			assert_int_equal(d.level, 7);
			assert_false(d.below);
		}
	}
}

/* Rate knows nothing at first, so congestion ends a hold later. */
TEST(other_type_rate)
{
	struct fcn_detector_conf rate = {.type = FCN_DETECTOR_RATE,
			.enter = 900,
			.leave = 500,
			.limit = 2000,
			.interval_ns = 1000,
			.bps = 8000000000,
			.hold_ns = 500};
	const struct fcn_detector_conf sojourn = conf_of(4, 500);
	const struct fcn_detector_conf step = conf_of(0, 500);
	struct fcn_detector d;

	fcn_detector_levels(&rate);
	begin(&d, &step);
	tick(&d, &rate, ENTER, 2000);
	assert_int_equal(fcn_detector_next(&d, &rate), 2500);
	tick(&d, &rate, ENTER, 2500);
	assert_left(&d, &rate, 2500, 1);
	/* And the other way: a rate, its windows, a target missed long ago are forgotten. */
	arrive_bytes(&d, &rate, 8000, 3000);
	arrive_bytes(&d, &rate, 100, 4000); /* 8000 / 8 = 1000 per mille */
	assert_true(d.congested);
	see(&d, &sojourn, ENTER, 5000);
	assert_false(d.windowed);
	assert_int_equal(d.above_ns, 5000);
	see(&d, &step, ENTER, 6000);
	assert_false(d.above);
	assert_int_equal(arrive_bytes(&d, &rate, 100, 9000), 0); /* congested; 0 per mille */
	assert_int_equal(d.rate, 0);
	assert_int_equal(d.window_ns, 9000);
	assert_int_equal(d.arrived, 100);
	assert_int_equal(d.enters, 2);
	assert_true(d.below);
}
