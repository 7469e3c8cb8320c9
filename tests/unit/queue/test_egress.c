/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Scheduler of a port: which class goes before which, and which waits. */

#include "test_egress.h"

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

TEST(strict_order)
{
	set_strict(1 << 7 | 1 << 5 | 1 << 0);
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
	assert_int_equal(pull(0), -1);
	assert_int_equal(egress.backlog, 0);
	assert_int_equal(fcn_egress_packets(&egress), 0);
}

/* Urgent, committed, strict, the rest: in this order, also within one burst. */
TEST(order)
{
	static const uint8_t order[] = {1, 1, 4, 2, 7, 7, 6, 6, 0, 2, 4, 0};
	struct fcn_queue_entry e[FCN_EGRESS_BURST];

	set_strict(1 << 7 | 1 << 6);
	conf.urgent = 1 << 1;
	set_committed(2, 1000000, 0);
	set_committed(4, 1000000, 0);
	for (unsigned int once = 0; once < 2; once++) {
		fill(0, 2, 1600);
		fill(1, 2, 1600);
		fill(2, 2, 1600);
		fill(4, 2, 1600);
		fill(6, 2, 1600);
		fill(7, 2, 1600);
		/* A committed packet each: 13 ms to the next. The rest take turns from class 0 on.
		 */
		if (once == 0) {
			for (unsigned int i = 0; i < RTE_DIM(order); i++)
				assert_int_equal(pull(0), order[i]);
			continue;
		}
		assert_int_equal(fcn_egress_pull(&egress, &conf, e, FCN_EGRESS_BURST, 1000000000),
				RTE_DIM(order));
		for (unsigned int i = 0; i < RTE_DIM(order); i++)
			assert_int_equal(e[i].flags & FCN_ENTRY_CLASS, order[i]);
	}
	assert_int_equal(egress.backlog, 0);
}

/* Before class 7 too, strict or due as it may be; in bursts as one by one. */
TEST(urgent)
{
	unsigned int urgent;

	conf.urgent = 1 << 0;
	set_strict(1 << 7);
	set_committed(7, 10000000000, 1000000);
	fill(7, 40, 100);
	fill(0, 3, 100);
	assert_int_equal(pull(0), 0);
	assert_int_equal(pull(0), 0);
	assert_int_equal(pull_many(0, 0, &urgent), 32);
	assert_int_equal(urgent, 1);
	fill(0, 1, 100);
	assert_int_equal(pull(0), 0);
	assert_int_equal(pull(0), 7);
}

/* The port's shaper is all the urgent class obeys: not its own peak, not `held`. */
TEST(urgent_obeys_port_alone)
{
	struct fcn_queue_entry e[FCN_EGRESS_BURST];

	conf.urgent = 1 << 6;
	set_peak(6, 1000, 0);
	set_committed(6, 1000, 0);
	egress.held = 0xff;
	fill(6, 20, 226);
	fill(7, 20, 226);
	assert_int_equal(fcn_egress_next(&egress, &conf, 5), 5);
	assert_int_equal(fcn_egress_pull(&egress, &conf, e, 10, 5), 10);
	for (unsigned int i = 0; i < 10; i++)
		assert_int_equal(e[i].flags & FCN_ENTRY_CLASS, 6);
	/* It runs up no debts: the class may not be the urgent one for ever. */
	assert_int_equal(egress.peak[6].next_ns, 0);
	assert_int_equal(egress.committed[6].next_ns, 0);
	/* 1 Gbit/s: 250 octets on the wire take 2 us. */
	conf.shaper.bps = 1000000000;
	assert_int_equal(pull(5), 6);
	assert_int_equal(pull(5), -1);
	assert_int_equal(fcn_egress_next(&egress, &conf, 5), 2005);
	assert_int_equal(pull(2004), -1);
	assert_int_equal(pull(2005), 6);
	assert_int_equal(egress.peak[6].next_ns, 0);
	assert_int_equal(egress.committed[6].next_ns, 0);
}

/* A held class waits, whatever its rank, and takes up where it was. */
TEST(held)
{
	unsigned int n3;

	set_strict(1 << 7);
	set_committed(5, 1000000000, 1000000);
	fill(7, 40, 100);
	fill(5, 40, 100);
	fill(3, 40, 100);
	egress.held = 1 << 7 | 1 << 5;
	assert_int_equal(pull_many(0, 3, &n3), 32);
	assert_int_equal(n3, 32);
	assert_int_equal(pull_many(0, 3, &n3), 8);
	assert_int_equal(n3, 8);
	assert_int_equal(pull_many(0, 3, &n3), 0);
	assert_true(fcn_egress_next(&egress, &conf, 0) == UINT64_MAX);
	assert_int_equal(egress.backlog, 1 << 7 | 1 << 5);
	egress.held = 1 << 7;
	assert_int_equal(fcn_egress_next(&egress, &conf, 0), 0);
	assert_int_equal(pull(0), 5);
	egress.held = 0;
	assert_int_equal(pull(0), 5);
	egress.held = 1 << 5;
	assert_int_equal(pull(0), 7);
	/* All held: nothing goes, and the loop ends. */
	egress.held = 0xff;
	assert_int_equal(pull(0), -1);
	assert_int_equal(fcn_egress_packets(&egress), 38 + 39);
}

/* Bursts of a strict class, or of the last one left, are cut to what is asked for. */
TEST(burst)
{
	struct fcn_queue_entry e[FCN_EGRESS_BURST];

	set_strict(1 << 4);
	fill(4, 5, 100);
	fill(1, 50, 100);
	assert_int_equal(fcn_egress_pull(&egress, &conf, e, 0, 0), 0);
	assert_int_equal(fcn_egress_pull(&egress, &conf, e, 3, 0), 3);
	assert_int_equal(e[2].flags & FCN_ENTRY_CLASS, 4);
	assert_int_equal(fcn_egress_pull(&egress, &conf, e, 32, 0), 32);
	assert_int_equal(e[1].flags & FCN_ENTRY_CLASS, 4);
	assert_int_equal(e[2].flags & FCN_ENTRY_CLASS, 1);
	assert_int_equal(fcn_egress_pull(&egress, &conf, e, 0, 0), 0);
	assert_int_equal(fcn_egress_pull(&egress, &conf, e, 32, 0), 20);
	assert_int_equal(fcn_egress_pull(&egress, &conf, e, 32, 0), 0);
	assert_int_equal(egress.backlog, 0);
}

/* What the port had no room for counts as there, and as ready, held or not. */
TEST(staged)
{
	assert_true(fcn_egress_next(&egress, &conf, 5) == UINT64_MAX);
	egress.n_staged = 1;
	egress.held = 0xff;
	assert_int_equal(fcn_egress_next(&egress, &conf, 5), 5);
	assert_int_equal(fcn_egress_packets(&egress), 1);
	fill(2, 3, 60);
	assert_int_equal(fcn_egress_packets(&egress), 4);
	assert_int_equal(fcn_egress_next(&egress, &conf, 5), 5);
	egress.n_staged = 0;
	assert_true(fcn_egress_next(&egress, &conf, 5) == UINT64_MAX);
	egress.held = 0;
	assert_int_equal(fcn_egress_next(&egress, &conf, 5), 5);
	assert_int_equal(fcn_egress_packets(&egress), 3);
}

/* A refused packet leaves no trace in the backlog. */
TEST(refused)
{
	conf.queue[3].limit_bytes = 99;
	assert_int_equal(push(3, 100, 0, 0), FCN_REFUSED_QUEUE_BYTES);
	assert_int_equal(egress.backlog, 0);
	assert_int_equal(pull(0), -1);
}

/* The entry says its class besides what it was given. */
TEST(entry)
{
	struct fcn_queue_entry e;

	push(5, 77, FCN_ENTRY_NOTICE | FCN_ENTRY_TRACED, 1000);
	assert_int_equal(fcn_egress_pull(&egress, &conf, &e, 1, 1001), 1);
	assert_int_equal(e.flags, FCN_ENTRY_NOTICE | FCN_ENTRY_TRACED | 5);
	assert_int_equal(e.len, 77);
	assert_int_equal(e.enqueued_ns, 1000);
	assert_int_equal(egress.queue[5].stats.sojourn[1], 1);
}
