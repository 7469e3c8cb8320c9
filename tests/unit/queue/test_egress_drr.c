/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Deficit round robin: quanta, bounds, and what waiting and emptying do to a class's turn. */

#include <time.h>

#include "test_egress.h"

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

TEST_WITH(quanta, NULL, NULL)
{
	static const uint16_t equal[] = {7, 7, 7, 7, 7, 7, 7, 7};
	static const uint16_t mixed[] = {10, 20, 5, 100, 30, 0xffff, 15, 40};
	static const uint16_t big[] = {65535, 65534, 1, 1, 1, 1, 1, 1};
	static const uint16_t zero[] = {0, 4, 6, 0, 2, 2, 2, 2};
	uint32_t q[FCN_CLASSES];

	fcn_egress_quanta(equal, 0, q);
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		assert_int_equal(q[c], 1600);
	/* gcd 5 of all but class 5, which is strict: 2, 4, 1, 20, 6, -, 3, 8 */
	fcn_egress_quanta(mixed, 1 << 5, q);
	assert_int_equal(q[0], 3200);
	assert_int_equal(q[1], 6400);
	assert_int_equal(q[2], 1600);
	assert_int_equal(q[3], 32000);
	assert_int_equal(q[4], 9600);
	assert_in_range(q[5], 1, UINT32_MAX); /* not used, and fit to be */
	assert_int_equal(q[6], 4800);
	assert_int_equal(q[7], 12800);
	fcn_egress_quanta(big, 0, q);
	assert_int_equal(q[0], 104856000);
	assert_int_equal(q[1], 104854400);
	assert_int_equal(q[2], 1600);
	/* One class left, or none: weight 1 of 1. */
	fcn_egress_quanta(mixed, 0xff & ~(1 << 3), q);
	assert_int_equal(q[3], 1600);
	fcn_egress_quanta(mixed, 0xff, q);
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		assert_in_range(q[c], 1, UINT32_MAX);
	/* A weight of 0 is taken for 1. */
	fcn_egress_quanta(zero, 0xf0, q);
	assert_int_equal(q[0], 1600);
	assert_int_equal(q[1], 6400);
	assert_int_equal(q[2], 9600);
	assert_int_equal(q[3], 1600);
}

/* Equal weights and lengths: one after the other, each within one packet of its share. */
TEST(shares_equal)
{
	unsigned int sent[FCN_CLASSES] = {0};

	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		fill(c, 100, FCN_DRR_QUANTUM);
	for (unsigned int i = 1; i <= 800; i++) {
		sent[pull(0)]++;
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			assert_true(sent[c] >= i / FCN_CLASSES);
			assert_true(sent[c] <= i / FCN_CLASSES + 1);
		}
	}
}

/*
 * Quanta of a byte and frames of 64 KB: 65535 rounds to a packet, and a moment
 * all the same. Were each round walked, 16000 packets would take 10^9 steps.
 */
TEST(small_quanta)
{
	clock_t start;

	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		conf.queue[c].quantum = c % 3; /* 0 is no valid quantum; it does no harm */
		fill(c, 4000, UINT16_MAX - c);
	}
	start = clock();
	for (unsigned int i = 0; i < 16000; i++)
		assert_in_range(pull(0), 0, 7);
	assert_true(clock() - start < CLOCKS_PER_SEC / 4);
	/* 2 and 5 have double quanta: of ten packets they get two each, the others one. */
	assert_in_range(fcn_queue_packets(&egress.queue[0]), 4000 - 1602, 4000 - 1598);
	assert_in_range(fcn_queue_packets(&egress.queue[1]), 4000 - 1602, 4000 - 1598);
	assert_in_range(fcn_queue_packets(&egress.queue[2]), 4000 - 3202, 4000 - 3198);
	assert_in_range(fcn_queue_packets(&egress.queue[5]), 4000 - 3202, 4000 - 3198);
	assert_in_range(fcn_queue_packets(&egress.queue[7]), 4000 - 1602, 4000 - 1598);
}

/* The largest quantum there can be is counted without overflow. */
TEST(large_quanta)
{
	conf.queue[0].quantum = conf.queue[1].quantum = UINT32_MAX;
	fill(0, 3000, 65535);
	fill(1, 3000, 65535);
	for (unsigned int i = 0; i < 3000; i++)
		assert_int_equal(pull(0), 0);
	assert_int_equal(pull(0), 1);
}

/* Long packets of a light class beside short ones of a heavy class: it waits, but it comes. */
TEST(no_starvation)
{
	unsigned int heavy = 0;

	conf.queue[1].quantum = 1000 * FCN_DRR_QUANTUM;
	fill(0, 3, 9600);
	fill(1, 4000, 9600);
	/* Six quanta of 1600 make 9600; each round class 1 may send 1600000 bytes, 166 packets. */
	for (unsigned int n = 0; n < 3;) {
		if (pull(0) == 0)
			n++;
		else
			heavy++;
		assert_true(heavy <= 6u * 167 * (n + 1));
	}
	assert_true(heavy >= 3 * 5 * 166);
}

/* A class alone on the line needs no quantum, and saves none up. */
TEST(one_class)
{
	unsigned int sent[2] = {0};

	fill(0, 1100, 1600);
	for (unsigned int i = 0; i < 1000; i++)
		assert_int_equal(pull(0), 0);
	fill(1, 100, 1600);
	for (unsigned int i = 0; i < 100; i++)
		sent[pull(0)]++;
	assert_in_range(sent[0], 49, 51);
	assert_in_range(sent[1], 49, 51);
}

/* An emptied class starts its next turn without what was left of the last. */
TEST(no_saved_deficit)
{
	unsigned int burst = 0;

	conf.queue[0].quantum = 10 * FCN_DRR_QUANTUM;
	for (unsigned int i = 0; i < 20; i++) {
		fill(0, 1, 60);
		fill(1, 1, 60);
		pull(0);
		pull(0);
	}
	fill(0, 1000, 1600);
	fill(1, 1000, 1600);
	while (pull(0) != 0)
		;
	for (burst = 1; pull(0) == 0; burst++)
		;
	assert_int_equal(burst, 10);
}

/* A class that is emptied by right of its committed rate loses its deficit all the same. */
TEST(no_saved_deficit_committed)
{
	fill(0, 2, 800);
	fill(1, 2, 1600);
	assert_int_equal(pull(0), 0); /* 800 left of the quantum */
	set_committed(0, 1000000000, 0);
	assert_int_equal(pull(0), 0);
	assert_int_equal(egress.queue[0].deficit, 0);
}

/* The others do not wait for a held class, nor does it gain anything by waiting. */
TEST(held_turn)
{
	unsigned int sent[3] = {0};

	conf.queue[0].quantum = 4 * FCN_DRR_QUANTUM;
	for (unsigned int c = 0; c < 3; c++)
		fill(c, 2000, 1600);
	/* In the middle of its turn, with three packets still to send. */
	assert_int_equal(pull(0), 0);
	egress.held = 1 << 0;
	for (unsigned int i = 1; i <= 1000; i++) {
		sent[pull(0)]++;
		assert_in_range(sent[1] - sent[2], 0, 1);
	}
	assert_int_equal(sent[0], 0);
	assert_int_equal(egress.queue[0].deficit, 3 * 1600);
	/* Back: the three that it was owed and the four of its new turn, then by fours. */
	egress.held = 0;
	for (unsigned int i = 0; i < 7; i++)
		assert_int_equal(pull(0), 0);
	for (unsigned int i = 0; i < 100; i++) {
		assert_int_equal(pull(0), 1);
		assert_int_equal(pull(0), 2);
		for (unsigned int k = 0; k < 4; k++)
			assert_int_equal(pull(0), 0);
	}
}

/* Held again and again in the middle of its turn, a class hoards no more than a quantum. */
TEST(held_hoards_nothing)
{
	conf.queue[0].quantum = 1000 * FCN_DRR_QUANTUM;
	for (unsigned int c = 0; c < 3; c++)
		fill(c, 2000, 1600);
	for (unsigned int i = 0; i < 400; i++) {
		egress.held = 0;
		while (pull(0) != 0)
			;
		egress.held = 1 << 0;
		assert_int_not_equal(pull(0), pull(0));
		assert_in_range(egress.queue[0].deficit, 0, 1001 * FCN_DRR_QUANTUM);
	}
}
