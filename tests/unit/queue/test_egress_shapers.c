/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Shapers of a port and of a class: to the bit over 10 ms, and when the next packet may leave. */

#include "test_egress.h"

#define RUN_NS 10000000 /* 10 ms */

/* First whole nanosecond at which so many octets are paid for. */
static uint64_t
paid_at(uint64_t octets, uint64_t bps)
{
	return ((unsigned __int128)octets * 8000000000 + bps - 1) / bps;
}

/* Octets in a time, of a rate: a fraction counts as none. */
static uint64_t
octets_in(uint64_t ns, uint64_t bps)
{
	return (unsigned __int128)ns * bps / 8000000000;
}

/*
 * One class, polled when it says: each packet starts at the first nanosecond
 * at which those before it are paid for, less the burst.
 */
static void
check_exact(const struct fcn_shaper_conf *shaper)
{
	uint64_t now = 0, octets = 0, seed = 7;
	unsigned int n = 0;

	while (now < RUN_NS) {
		uint32_t len = 14 + fcn_test_random(&seed) % 1501;
		uint64_t paid = paid_at(octets, shaper->bps);

		fill(2, 1, len);
		now = fcn_egress_next(&egress, &conf, now);
		assert_int_equal(now, paid > shaper->slack_ns ? paid - shaper->slack_ns : 0);
		if (now > 0)
			assert_int_equal(pull(now - 1), -1);
		assert_int_equal(pull(now), 2);
		/* On the wire when this one starts: rate * t + burst, and not an octet more. */
		assert_true(octets <= octets_in(now + shaper->slack_ns, shaper->bps));
		octets += RTE_MAX(len, 60u) + shaper->overhead;
		/* With it, after the first burst: as much as may be. */
		assert_true(now == 0 || octets >= octets_in(now + shaper->slack_ns, shaper->bps));
		n++;
	}
	assert_true(n > 1000);
}

static const uint64_t rates[] = {1000000000, 3000000000, 2345678901, 9999999967};
static const uint32_t overheads[] = {0, 20, 24};

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

TEST(port_exact)
{
	for (unsigned int i = 0; i < RTE_DIM(rates) * RTE_DIM(overheads) * 2; i++) {
		conf.shaper.bps = rates[i / 2 % RTE_DIM(rates)];
		conf.shaper.overhead = overheads[i / 2 % RTE_DIM(overheads)];
		conf.shaper.slack_ns = i % 2 * 12345;
		check_exact(&conf.shaper);
		teardown(state);
		setup(state);
	}
}

TEST(peak_exact)
{
	for (unsigned int i = 0; i < RTE_DIM(rates) * RTE_DIM(overheads) * 2; i++) {
		set_peak(2, rates[i / 2 % RTE_DIM(rates)], i % 2 * 12345);
		conf.queue[2].peak.overhead = overheads[i / 2 % RTE_DIM(overheads)];
		check_exact(&conf.queue[2].peak);
		teardown(state);
		setup(state);
	}
}

/* Alone on the line a class is charged as beside others: no right is saved up. */
TEST(committed_alone)
{
	struct fcn_queue_entry e[FCN_EGRESS_BURST];

	set_committed(1, 1000000000, 10000);
	fill(1, 32, 226);
	assert_int_equal(fcn_egress_pull(&egress, &conf, e, 32, 0), 32);
	/* Six by right, 2 us each. */
	assert_int_equal(egress.committed[1].next_ns, 12000);
	fill(1, 10, 226);
	fill(3, 10, 226);
	set_strict(1 << 3);
	assert_int_equal(pull(0), 3);
	assert_int_equal(pull(1999), 3);
	assert_int_equal(pull(2000), 1);
	assert_int_equal(pull(2000), 3);
}

/* The committed rate is counted with its own overhead, the peak with its own. */
TEST(overheads)
{
	set_committed(1, 1000000000, 0);
	conf.queue[1].committed.overhead = 0;
	set_peak(1, 1000000000, 1000000);
	conf.queue[1].peak.overhead = 20;
	conf.shaper.bps = 1000000000;
	conf.shaper.slack_ns = 1000000;
	fill(1, 1, 40);
	assert_int_equal(pull(0), 1);
	assert_int_equal(egress.committed[1].next_ns, 60 * 8);
	assert_int_equal(egress.peak[1].next_ns, 80 * 8);
	assert_int_equal(egress.shaper.next_ns, 84 * 8);
}

/* Bursts of a class: what its slack is worth at once, then at its rate, in one call and in many. */
TEST(peak_burst)
{
	unsigned int n5;

	set_peak(5, 1000000000, 10000);
	set_strict(1 << 5);
	fill(5, 100, 226);
	fill(0, 100, 226);
	assert_int_equal(pull_many(1000000, 5, &n5), 32);
	assert_int_equal(n5, 6);
	assert_int_equal(pull_many(1001999, 5, &n5), 32);
	assert_int_equal(n5, 0);
	assert_int_equal(pull_many(1002000, 5, &n5), 32);
	assert_int_equal(n5, 1);
	assert_int_equal(pull_many(1013000, 5, &n5), 16);
	assert_int_equal(n5, 5);
	assert_int_equal(fcn_egress_next(&egress, &conf, 1013000), 1014000);
}

/*
 * A class or a port that owes when its rate changes goes on owing octets, not time: a frame of 1226
 * octets is 10 us at 1 Gbit/s. Of that, 4 us are over, so 750 octets are left: 12 us at half the
 * rate, 1.5 us at four times the rate.
 */
TEST(debt_at_another_rate)
{
	static const struct {
		uint64_t bps, at;
	} cases[] = {{500000000, 16000}, {4000000000, 5500}, {1000000000, 10000}};

	for (size_t i = 0; i < 3 * RTE_DIM(cases); i++) {
		const uint64_t at = cases[i / 3].at;
		struct fcn_shaper_conf *shaper = &conf.shaper;

		teardown(state);
		setup(state);
		if (i % 3 == 1) {
			set_peak(5, 1, 0);
			shaper = &conf.queue[5].peak;
		} else if (i % 3 == 2) {
			set_committed(5, 1, 0);
			shaper = &conf.queue[5].committed;
			set_strict(1 << 7); /* goes first, unless class 5 has a right to */
			fill(7, 3, 100);
		}
		shaper->bps = 1000000000;
		fcn_egress_reconfigure(&egress, &conf, 0);
		fill(5, 2, 1226);
		assert_int_equal(pull(0), 5);
		shaper->bps = cases[i / 3].bps;
		fcn_egress_reconfigure(&egress, &conf, 4000);
		if (i % 3 != 2)
			assert_int_equal(fcn_egress_next(&egress, &conf, 4000), at);
		assert_int_equal(pull(at - 1), i % 3 == 2 ? 7 : -1);
		assert_int_equal(pull(at), 5);
	}
}

/* Of several classes that wait the first, and not before the port. */
TEST(next)
{
	set_peak(1, 1000000000, 0);
	set_peak(2, 500000000, 0);
	set_peak(3, 100000000, 0);
	fill(1, 3, 226); /* 2 us */
	fill(2, 2, 226); /* 4 us */
	fill(3, 2, 226); /* 20 us */
	for (unsigned int i = 0; i < 3; i++)
		pull(0);
	assert_int_equal(pull(0), -1);
	assert_int_equal(fcn_egress_next(&egress, &conf, 0), 2000);
	assert_int_equal(fcn_egress_next(&egress, &conf, 1999), 2000);
	assert_int_equal(pull(1999), -1);
	assert_int_equal(pull(2000), 1);
	assert_int_equal(fcn_egress_next(&egress, &conf, 2000), 4000);
	/* A held one does not count. */
	egress.held = 1 << 1;
	assert_int_equal(fcn_egress_next(&egress, &conf, 2000), 4000);
	egress.held = 1 << 1 | 1 << 2;
	assert_int_equal(fcn_egress_next(&egress, &conf, 2000), 20000);
	egress.held = 1 << 1 | 1 << 2 | 1 << 3;
	assert_true(fcn_egress_next(&egress, &conf, 2000) == UINT64_MAX);
	egress.held = 0;
	/* One that is late may go now. */
	assert_int_equal(fcn_egress_next(&egress, &conf, 5000), 5000);
	/* The port: busy until 5 us, or 30. */
	conf.shaper.bps = 1000000000;
	egress.shaper.next_ns = 5000;
	assert_int_equal(fcn_egress_next(&egress, &conf, 3000), 5000);
	egress.held = 1 << 1 | 1 << 2;
	assert_int_equal(fcn_egress_next(&egress, &conf, 3000), 20000);
	egress.shaper.next_ns = 30000;
	egress.shaper.rem = 1;
	assert_int_equal(fcn_egress_next(&egress, &conf, 3000), 30001);
	/* A class without a peak goes as soon as the port lets it. */
	egress.shaper.next_ns = 7000;
	fill(0, 1, 60);
	assert_int_equal(fcn_egress_next(&egress, &conf, 3000), 7001);
}
