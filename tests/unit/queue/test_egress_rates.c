/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Classes with committed and peak rates share a line of 10 Gbit/s for 10 ms: who gets how much. */

#include "test_egress.h"

#define RUN_NS 10000000 /* 10 ms */
#define WARM_UP_NS 1000000

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

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

/* A strict class has 3 Gbit/s at most, and the line goes on meanwhile. */
TEST(peak_beside_others)
{
	static const uint32_t len[FCN_CLASSES] = {[0] = 1514, [5] = 777};
	uint64_t octets[FCN_CLASSES];

	conf.shaper.bps = 10000000000;
	set_strict(1 << 5);
	set_peak(5, 3000000000, 5000); /* waits of less than 5 us for the line cost it nothing */
	run_full(len, octets);
	assert_near(octets[5], 3750000, 801);
	assert_near(octets[0] + octets[5], LINE_OCTETS, 1538);
}

/* By weight what is below peak: 1 of 4 parts is more than 1 Gbit/s, the other three share the rest.
 */
TEST(peak_among_weights)
{
	static const uint32_t len[FCN_CLASSES] = {777, 777, 777, 777};
	uint64_t octets[FCN_CLASSES];

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
TEST(peak_counts_committed)
{
	static const uint32_t len[FCN_CLASSES] = {[0] = 1514, [5] = 777};
	uint64_t octets[FCN_CLASSES];

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
TEST(committed_exact)
{
	static const uint32_t len[FCN_CLASSES] = {[1] = 226, [2] = 9000, [4] = 1514, [7] = 1514};
	uint64_t octets[FCN_CLASSES];

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
TEST(committed_sum)
{
	static const uint32_t len[FCN_CLASSES] = {1514, 1514, 1514, 1514, 1514, 1514, 1514, 1514};
	uint64_t octets[FCN_CLASSES], sum = 0;

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
TEST(committed_and_share)
{
	static const uint32_t len[FCN_CLASSES] = {[0] = 777, [1] = 777};
	uint64_t octets[FCN_CLASSES];

	conf.shaper.bps = 10000000000;
	set_committed(0, 2000000000, 20000);
	conf.queue[1].quantum = 3 * FCN_DRR_QUANTUM;
	run_full(len, octets);
	/* 2 Gbit/s, and of the 8 that are left a quarter. */
	assert_near(octets[0], 2500000 + 2500000, 4 * 801);
	assert_near(octets[1], 7500000, 4 * 801);
}
