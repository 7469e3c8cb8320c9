/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Rates of a port and its classes: to the bit over 10 ms, and when the next packet may leave. */

#include "test_egress.h"

#define RUN_NS 10000000 /* 10 ms */
#define WARM_UP_NS 1000000

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

static void
test_port_exact(void **state)
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

static void
test_peak_exact(void **state)
{
	for (unsigned int i = 0; i < RTE_DIM(rates) * RTE_DIM(overheads) * 2; i++) {
		set_peak(2, rates[i / 2 % RTE_DIM(rates)], i % 2 * 12345);
		conf.queue[2].peak.overhead = overheads[i / 2 % RTE_DIM(overheads)];
		check_exact(&conf.queue[2].peak);
		teardown(state);
		setup(state);
	}
}

/*
 * Octets on the wire by class, of packets started in 10 ms with the queues
 * always full. A millisecond goes before, in which the bursts are used up.
 */
static void
run_full(const uint32_t len[FCN_CLASSES], uint64_t octets[FCN_CLASSES])
{
	uint64_t now = 0;

	memset(octets, 0, FCN_CLASSES * sizeof(octets[0]));
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		if (len[c] != 0)
			fill(c, 2, len[c]);
	for (;;) {
		int c;

		now = fcn_egress_next(&egress, &conf, now);
		if (now >= WARM_UP_NS + RUN_NS)
			return;
		c = pull(now);
		assert_in_range(c, 0, 7);
		if (now >= WARM_UP_NS)
			octets[c] += RTE_MAX(len[c], 60u) + 24;
		fill(c, 1, len[c]);
	}
}

/* 10 ms of 10 Gbit/s are 12.5 MB: what a class takes, the others lack. */
#define LINE_OCTETS 12500000

static void
assert_near(uint64_t a, uint64_t b, uint64_t tolerance)
{
	assert_true(a <= b + tolerance);
	assert_true(a + tolerance >= b);
}

/* A strict class has 3 Gbit/s at most, and the line goes on meanwhile. */
static void
test_peak_beside_others(void **state)
{
	static const uint32_t len[FCN_CLASSES] = {[0] = 1514, [5] = 777};
	uint64_t octets[FCN_CLASSES];

	RTE_SET_USED(state);
	conf.shaper.bps = 10000000000;
	set_strict(1 << 5);
	set_peak(5, 3000000000, 5000); /* waits of less than 5 us for the line cost it nothing */
	run_full(len, octets);
	assert_near(octets[5], 3750000, 801);
	assert_near(octets[0] + octets[5], LINE_OCTETS, 1538);
}

/* By weight what is below peak: 1 of 4 parts is more than 1 Gbit/s, the other three share the rest.
 */
static void
test_peak_among_weights(void **state)
{
	static const uint32_t len[FCN_CLASSES] = {777, 777, 777, 777};
	uint64_t octets[FCN_CLASSES];

	RTE_SET_USED(state);
	conf.shaper.bps = 10000000000;
	set_peak(1, 1000000000, 20000);
	run_full(len, octets);
	assert_near(octets[1], 1250000, 801);
	for (unsigned int c = 0; c < 4; c++)
		if (c != 1) /* a quantum of two packets, and one */
			assert_near(octets[c], (LINE_OCTETS - octets[1]) / 3, 3 * 801);
	assert_near(octets[0] + octets[1] + octets[2] + octets[3], LINE_OCTETS, 801);
}

/* Charged with all a class sends, by right of its committed rate too. */
static void
test_peak_counts_committed(void **state)
{
	static const uint32_t len[FCN_CLASSES] = {[0] = 1514, [5] = 777};
	uint64_t octets[FCN_CLASSES];

	RTE_SET_USED(state);
	conf.shaper.bps = 10000000000;
	set_committed(5, 2000000000, 20000);
	set_peak(5, 3000000000, 20000);
	conf.queue[5].quantum = 100 * FCN_DRR_QUANTUM;
	run_full(len, octets);
	assert_near(octets[5], 3750000, 801);
	/* A peak below the committed rate: the lower one counts. */
	teardown(state);
	setup(state);
	conf.shaper.bps = 10000000000;
	set_committed(5, 2000000000, 20000);
	set_peak(5, 500000000, 20000);
	run_full(len, octets);
	assert_near(octets[5], 625000, 801);
}

/* Beside a strict class that takes all it can: their committed rates, the three of them. */
static void
test_committed_exact(void **state)
{
	static const uint32_t len[FCN_CLASSES] = {[1] = 226, [2] = 9000, [4] = 1514, [7] = 1514};
	uint64_t octets[FCN_CLASSES];

	RTE_SET_USED(state);
	conf.shaper.bps = 10000000000;
	set_strict(1 << 7 | 1 << 2);
	/* Waits for the line: 10 us at most, which is less than the burst. */
	set_committed(1, 1000000000, 50000);
	set_committed(2, 2000000000, 50000);
	set_committed(4, 500000000, 50000);
	run_full(len, octets);
	/* The rate, to a packet and what it is worth to wait. */
	assert_near(octets[1], 1250000, 250 + 1250);
	assert_near(octets[2], 2500000, 9024 + 2500);
	assert_near(octets[4], 625000, 1538 + 625);
	assert_near(octets[1] + octets[2] + octets[4] + octets[7], LINE_OCTETS, 9024);
}

/* All of the line committed: each has its own, and nothing is left. */
static void
test_committed_sum(void **state)
{
	static const uint32_t len[FCN_CLASSES] = {1514, 1514, 1514, 1514, 1514, 1514, 1514, 1514};
	uint64_t octets[FCN_CLASSES], sum = 0;

	RTE_SET_USED(state);
	conf.shaper.bps = 10000000000;
	set_strict(1 << 7);
	for (unsigned int c = 0; c < 4; c++)
		set_committed(c, (c + 1) * 1000000000ull, 20000);
	run_full(len, octets);
	for (unsigned int c = 0; c < 4; c++) {
		/* Three others may go first. */
		assert_near(octets[c], (c + 1) * 1250000, 4 * 1538);
		sum += octets[c];
	}
	assert_near(sum, LINE_OCTETS, 1538);
	for (unsigned int c = 4; c < FCN_CLASSES; c++)
		assert_int_equal(octets[c], 0);
}

/* Charged by what is sent by right of it alone: its share of the rest comes on top. */
static void
test_committed_and_share(void **state)
{
	static const uint32_t len[FCN_CLASSES] = {[0] = 777, [1] = 777};
	uint64_t octets[FCN_CLASSES];

	RTE_SET_USED(state);
	conf.shaper.bps = 10000000000;
	set_committed(0, 2000000000, 20000);
	conf.queue[1].quantum = 3 * FCN_DRR_QUANTUM;
	run_full(len, octets);
	/* 2 Gbit/s, and of the 8 that are left a quarter. */
	assert_near(octets[0], 2500000 + 2500000, 4 * 801);
	assert_near(octets[1], 7500000, 4 * 801);
}

/* Alone on the line a class is charged as beside others: no right is saved up. */
static void
test_committed_alone(void **state)
{
	struct fcn_queue_entry e[FCN_EGRESS_BURST];

	RTE_SET_USED(state);
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
static void
test_overheads(void **state)
{
	RTE_SET_USED(state);
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
static void
test_peak_burst(void **state)
{
	unsigned int n5;

	RTE_SET_USED(state);
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

/* Of several classes that wait the first, and not before the port. */
static void
test_next(void **state)
{
	RTE_SET_USED(state);
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

int
main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup_teardown(test_port_exact, setup, teardown),
			cmocka_unit_test_setup_teardown(test_peak_exact, setup, teardown),
			cmocka_unit_test_setup_teardown(test_peak_beside_others, setup, teardown),
			cmocka_unit_test_setup_teardown(test_peak_among_weights, setup, teardown),
			cmocka_unit_test_setup_teardown(
					test_peak_counts_committed, setup, teardown),
			cmocka_unit_test_setup_teardown(test_committed_exact, setup, teardown),
			cmocka_unit_test_setup_teardown(test_committed_sum, setup, teardown),
			cmocka_unit_test_setup_teardown(test_committed_and_share, setup, teardown),
			cmocka_unit_test_setup_teardown(test_committed_alone, setup, teardown),
			cmocka_unit_test_setup_teardown(test_overheads, setup, teardown),
			cmocka_unit_test_setup_teardown(test_peak_burst, setup, teardown),
			cmocka_unit_test_setup_teardown(test_next, setup, teardown),
	};

	return cmocka_run_group_tests_name(
			"egress_shapers", tests, fcn_test_eal_init, fcn_test_eal_cleanup);
}
