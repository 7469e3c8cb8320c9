/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Scheduler and shaper of a port: who leaves when. */

#include "fcn_egress.h"
#include "fcn_test.h"

static struct fcn_egress egress;
static struct fcn_egress_conf conf;

static int
setup(void **state)
{
	const uint32_t slots[FCN_CLASSES] = {4096, 4096, 4096, 4096, 4096, 4096, 4096, 4096};

	RTE_SET_USED(state);
	memset(&conf, 0, sizeof(conf));
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		conf.queue[c].limit_bytes = 100000000;
		conf.queue[c].limit_packets = 4096;
		conf.queue[c].weight = 1;
	}
	return fcn_egress_init(&egress, slots, SOCKET_ID_ANY);
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_egress_fini(&egress);
	return 0;
}

static void
fill(uint8_t class, unsigned int n, uint32_t len)
{
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(fcn_egress_push(&egress, &conf, class, NULL, len, 0, 0, 0),
				FCN_QUEUE_TAKEN);
}

/* The next packet's class. */
static unsigned int
pull(uint64_t now)
{
	struct fcn_queue_entry e;

	assert_int_equal(fcn_egress_pull(&egress, &conf, &e, 1, now), 1);
	return e.flags & FCN_ENTRY_CLASS;
}

static void
test_strict_order(void **state)
{
	RTE_SET_USED(state);
	conf.queue[7].strict = conf.queue[5].strict = conf.queue[0].strict = true;
	fill(0, 2, 100);
	fill(3, 2, 100);
	fill(5, 2, 100);
	fill(7, 2, 100);
	/* Highest strict class first, whatever its number; the rest last. */
	assert_int_equal(pull(0), 7);
	fill(7, 1, 100);
	assert_int_equal(pull(0), 7);
	assert_int_equal(pull(0), 7);
	assert_int_equal(pull(0), 5);
	fill(7, 1, 100);
	assert_int_equal(pull(0), 7);
	assert_int_equal(pull(0), 5);
	assert_int_equal(pull(0), 0);
	assert_int_equal(pull(0), 0);
	assert_int_equal(pull(0), 3);
	assert_int_equal(pull(0), 3);
	assert_int_equal(egress.backlog, 0);
	assert_int_equal(fcn_egress_packets(&egress), 0);
}

/*
 * Deficit round robin: after any number of packets, what a backlogged class
 * has sent differs from its share by less than a quantum of its own and the
 * longest packet.
 */
static void
test_shares(void **state)
{
	static const uint16_t weight[] = {1, 2, 3, 10};
	static const uint32_t len[] = {1500, 60, 9000, 777};
	uint64_t sent[4] = {0};
	uint64_t rounds;

	RTE_SET_USED(state);
	for (unsigned int c = 0; c < 4; c++) {
		conf.queue[c].weight = weight[c];
		fill(c, 4000, len[c]);
	}
	for (unsigned int i = 0; i < 4000; i++) {
		unsigned int c = pull(0);

		sent[c] += len[c];
		for (unsigned int k = 0; k < 4; k++) {
			/* Turns of k so far: as many quanta as it could have spent. */
			int64_t share = (int64_t)sent[0] / weight[0] * weight[k];
			int64_t slack = 2 * FCN_DRR_QUANTUM * (int64_t)weight[k] + 9000 +
					1500 * (int64_t)weight[k];

			assert_true(llabs((int64_t)sent[k] - share) <= slack);
		}
	}
	/* Over whole rounds exact to one packet each. */
	rounds = sent[0] / FCN_DRR_QUANTUM;
	assert_true(rounds > 50);
	for (unsigned int c = 0; c < 4; c++) {
		int64_t quantum = (int64_t)weight[c] * FCN_DRR_QUANTUM;

		assert_true(llabs((int64_t)sent[c] - (int64_t)rounds * quantum) <=
				quantum + (int64_t)len[c]);
	}
}

/* Equal weights and lengths: one after the other, each within one packet of its share. */
static void
test_shares_equal(void **state)
{
	unsigned int sent[FCN_CLASSES] = {0};

	RTE_SET_USED(state);
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

/* Long packets of a light class beside short ones of a heavy class: it waits, but it comes. */
static void
test_no_starvation(void **state)
{
	unsigned int heavy = 0;

	RTE_SET_USED(state);
	conf.queue[1].weight = 1000;
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
static void
test_one_class(void **state)
{
	unsigned int sent[2] = {0};

	RTE_SET_USED(state);
	conf.queue[0].weight = conf.queue[1].weight = 1;
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
static void
test_no_saved_deficit(void **state)
{
	unsigned int burst = 0;

	RTE_SET_USED(state);
	conf.queue[0].weight = 10;
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
	assert_in_range(burst, 9, 11);
}

/*
 * 3 Gbit/s, frames of 60..1514: the k-th start is at sum * 8 / 3 ns, rounded
 * up to the clock, over 10 ms without drift.
 */
static void
test_shaper_exact(void **state)
{
	uint64_t now = 0, octets = 0, seed = 7;
	unsigned int n = 0;

	RTE_SET_USED(state);
	conf.shaper.bps = 3000000000;
	while (now < 10000000) {
		uint32_t len = 60 + fcn_test_random(&seed) % 1455;
		struct fcn_queue_entry e;

		fill(0, 1, len);
		now = fcn_egress_next(&egress, &conf, now);
		assert_int_equal(now, (octets * 8 + 2) / 3);
		if (now > 0)
			assert_int_equal(fcn_egress_pull(&egress, &conf, &e, 1, now - 1), 0);
		assert_int_equal(fcn_egress_pull(&egress, &conf, &e, 1, now), 1);
		octets += len + 24;
		n++;
	}
	assert_true(n > 4000);
}

/* Frames below 60 are padded on the wire; 24 octets more for FCS, preamble and gap. */
static void
test_wire_bytes(void **state)
{
	RTE_SET_USED(state);
	assert_int_equal(fcn_wire_bytes(14), 84);
	assert_int_equal(fcn_wire_bytes(59), 84);
	assert_int_equal(fcn_wire_bytes(60), 84);
	assert_int_equal(fcn_wire_bytes(61), 85);
	assert_int_equal(fcn_wire_bytes(1514), 1538);
}

/* 1 Gbit/s, 125 octets a microsecond: a frame of 226 takes 2 us. */
static void
test_shaper_slack(void **state)
{
	struct fcn_queue_entry e[FCN_EGRESS_BURST];

	RTE_SET_USED(state);
	conf.shaper.bps = 1000000000;
	conf.shaper.slack_ns = 10000;
	fill(0, 100, 226);
	/* Idle for long: 10 us are made up for, 5 frames; then one more that is due now. */
	assert_int_equal(fcn_egress_pull(&egress, &conf, e, 32, 1000000), 6);
	assert_int_equal(fcn_egress_pull(&egress, &conf, e, 32, 1001999), 0);
	assert_int_equal(fcn_egress_next(&egress, &conf, 1001999), 1002000);
	assert_int_equal(fcn_egress_pull(&egress, &conf, e, 32, 1002000), 1);
	/* 9 us late: all of it is made up for. Starts at 1004000, 6000, 8000, 10000, 12000. */
	assert_int_equal(fcn_egress_pull(&egress, &conf, e, 32, 1013000), 5);
	/* Without slack nothing is. */
	conf.shaper.slack_ns = 0;
	assert_int_equal(fcn_egress_pull(&egress, &conf, e, 32, 1100000), 1);
	assert_int_equal(fcn_egress_next(&egress, &conf, 1100000), 1102000);
}

/* A fresh shaper, at the beginning of time, has all of its slack: 10 us, five frames, and one due.
 */
static void
test_shaper_start(void **state)
{
	struct fcn_queue_entry e[FCN_EGRESS_BURST];

	RTE_SET_USED(state);
	conf.shaper.bps = 1000000000;
	conf.shaper.slack_ns = 10000;
	fill(0, 100, 226);
	assert_int_equal(fcn_egress_pull(&egress, &conf, e, 32, 0), 6);
	assert_int_equal(fcn_egress_next(&egress, &conf, 0), 2000);
	assert_int_equal(fcn_egress_pull(&egress, &conf, e, 32, 1999), 0);
	assert_int_equal(fcn_egress_pull(&egress, &conf, e, 32, 4000), 2);
}

/* In no span does a shaper let through more than its rate and slack, polled at any times. */
static void
test_shaper_never_more(void **state)
{
	uint64_t now = 0, octets = 0, seed = 9;
	struct fcn_queue_entry e[FCN_EGRESS_BURST];

	RTE_SET_USED(state);
	conf.shaper.bps = 3000000000;
	conf.shaper.slack_ns = 5000;
	fill(0, 4000, 226);
	for (unsigned int i = 0; i < 1000; i++) {
		unsigned int n = fcn_egress_pull(&egress, &conf, e, 32, now);

		/* Sent before the last one: (now + slack) * 3 / 8 octets at most. */
		octets += n * 250;
		if (n > 0)
			assert_true((octets - 250) * 8 <= (now + 5000) * 3);
		now += fcn_test_random(&seed) % 1000;
	}
	assert_true(octets > 40000);
}

static void
test_next(void **state)
{
	RTE_SET_USED(state);
	assert_true(fcn_egress_next(&egress, &conf, 5) == UINT64_MAX);
	egress.n_staged = 1;
	assert_int_equal(fcn_egress_next(&egress, &conf, 5), 5);
	assert_int_equal(fcn_egress_packets(&egress), 1);
	egress.n_staged = 0;
	fill(2, 1, 60);
	assert_int_equal(fcn_egress_next(&egress, &conf, 5), 5);
	assert_int_equal(fcn_egress_packets(&egress), 1);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup_teardown(test_strict_order, setup, teardown),
			cmocka_unit_test_setup_teardown(test_shares, setup, teardown),
			cmocka_unit_test_setup_teardown(test_shares_equal, setup, teardown),
			cmocka_unit_test_setup_teardown(test_no_starvation, setup, teardown),
			cmocka_unit_test_setup_teardown(test_one_class, setup, teardown),
			cmocka_unit_test_setup_teardown(test_no_saved_deficit, setup, teardown),
			cmocka_unit_test_setup_teardown(test_shaper_exact, setup, teardown),
			cmocka_unit_test(test_wire_bytes),
			cmocka_unit_test_setup_teardown(test_shaper_slack, setup, teardown),
			cmocka_unit_test_setup_teardown(test_shaper_start, setup, teardown),
			cmocka_unit_test_setup_teardown(test_shaper_never_more, setup, teardown),
			cmocka_unit_test_setup_teardown(test_next, setup, teardown),
	};

	return cmocka_run_group_tests_name(
			"egress", tests, fcn_test_eal_init, fcn_test_eal_cleanup);
}
