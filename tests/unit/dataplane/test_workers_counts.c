/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What several workers count where a worker does not come in time, or clears its counters. */

#include "cross_core.h"
#include "workers_bench.h"

/* Get the sum of all workers' accounting of Fast CNPs. */
static struct fcn_notice_accounting
notices(void)
{
	struct fcn_notice_accounting sum = {0};

	for (unsigned int i = 0; i < N_WORKERS; i++)
		fcn_worker_notice_accounting(workers[i], 0, &sum);
	return sum;
}

TEST_FIXTURE(BENCH_LARGE_EAL, .setup = workers_setup, .teardown = workers_teardown);

/*
 * Notices for a port whose worker does not come: the ring takes as many as it has room for, and
 * the others are lost by name. workers_check() holds what is on its way against the sums.
 */
TEST(notices_full)
{
	struct fcn_notice_accounting n = {0};

	bench_notices(1, WORKERS_LEN); /* from the first packet on */
	bench_new_snapshot();
	for (unsigned int turn = 0; n.lost[FCN_DROP_CROSS_CORE_FULL] < 100; turn++) {
		/* Received by worker 1 itself; the senders are behind port 0 of worker 0. */
		for (unsigned int i = 0; i < FCN_RX_BURST; i++) {
			struct frame f;

			frame_roce6(&f, 1, 1, 9, WORKERS_LEN - 14 - 64);
			f.data[14 + 8 + 5] = 0;
			frame_to_port(&f, 1, 1);
			bench_in(1, &f);
		}
		workers_poll(1, 100 + turn);
		bench_forget_out();
		n = notices();
		assert_int_equal(n.made, (turn + 1) * FCN_RX_BURST);
		assert_int_equal(n.cross_core_tx + n.lost[FCN_DROP_CROSS_CORE_FULL], n.made);
		assert_true(turn < 1000);
	}
	assert_int_equal(workers[1]->counters[1].drop[FCN_DROP_CROSS_CORE_FULL],
			n.lost[FCN_DROP_CROSS_CORE_FULL]);
	assert_int_equal(workers[1]->cross_core_tx, n.cross_core_tx);
	for (unsigned int turn = 0; turn < 20; turn++)
		workers_poll(0, 2000 + turn);
	assert_int_equal(bench.port[0].n_out, n.cross_core_tx);
	n = notices();
	assert_int_equal(n.transmitted, n.cross_core_tx);
	assert_int_equal(n.cross_core_rx, n.cross_core_tx);
	assert_int_equal(n.queued, 0);
}

/* A packet of a class that is no RoCEv2, from port 0 to port 1. */
static void
arrive_odd(unsigned int class, uint8_t n)
{
	struct frame f;

	frame_roce6(&f, n, 1, 9, 100);
	f.data[14 + 8 + 5] = 0;
	frame_class(&f, class, 1);
	f.data[f.udp + 3]++; /* the destination port of UDP */
	frame_to_port(&f, 0, 1);
	bench_in(0, &f);
}

/*
 * A ring is full of packets of a low class, but has room for some of a high class, of which those
 * that are no RoCEv2 are put there in another way. All that is on the ring arrives, in its order.
 */
TEST(full_for_a_low_class)
{
	unsigned int low = 0, high = 0, next[FCN_CLASSES] = {0};

	for (unsigned int turn = 0; turn < 60; turn++) {
		for (unsigned int i = 0; i < FCN_RX_BURST - 4; i++)
			workers_arrive(0, 1, 1, (uint8_t)low++);
		for (unsigned int i = 0; i < 2 && turn > 50; i++)
			arrive_odd(7, (uint8_t)high++);
		for (unsigned int i = 0; i < 2 && turn > 50; i++)
			workers_arrive(0, 1, 7, (uint8_t)high++);
		workers_poll(0, 100 + turn);
	}
	assert_true(workers[0]->counters[0].drop[FCN_DROP_CROSS_CORE_FULL] > 100);
	low -= workers[0]->counters[0].drop[FCN_DROP_CROSS_CORE_FULL];
	assert_int_equal(workers[0]->cross_core_tx, low + high);
	for (unsigned int turn = 0; turn < 20; turn++)
		workers_poll(1, 1000 + turn);
	assert_int_equal(bench.port[1].n_out, low + high);
	for (unsigned int i = 0; i < low + high; i++) {
		const unsigned int class = bench_out(1, i)[14] >> 1 & 7;

		assert_int_equal(bench_out(1, i)[14 + 8 + 15], (uint8_t)next[class]++);
	}
	assert_int_equal(next[1], low);
	assert_int_equal(next[7], high);
}

/*
 * The counters are cleared while worker 1 takes packets from two rings: between the ring of
 * worker 0, which has not cleared its own yet, and that of worker 2, which has. For the number of
 * clearings to rise at that moment, worker 1 is shown its own counter of packets taken instead.
 * Two packets are no RoCEv2: they are handed over with more about them, and queued in another way.
 */
TEST(clear_between_rings)
{
	struct fcn_conservation c = {0};

	for (unsigned int i = 0; i < 3; i++)
		workers_arrive(0, 1, 3, (uint8_t)i);
	for (unsigned int i = 0; i < 2; i++)
		arrive_odd(2, (uint8_t)i);
	workers_poll(0, 100);
	workers_clears++;
	fcn_worker_clear_counters_once(workers[2]);
	for (unsigned int i = 0; i < 4; i++)
		workers_arrive(2, 1, 3, (uint8_t)i);
	workers_poll(2, 110);
	assert_int_equal(workers[1]->cleared, workers[1]->cross_core_rx);
	workers[1]->clears = &workers[1]->cross_core_rx;
	fcn_poll_once(workers[1], 120);
	workers[1]->clears = &workers_clears;
	workers[1]->cleared = workers_clears;
	for (unsigned int i = 0; i < N_WORKERS; i++)
		fcn_worker_clear_counters_once(workers[i]);
	for (unsigned int i = 0; i < N_WORKERS; i++)
		fcn_worker_conservation(workers[i], &c);
	assert_int_equal(c.carried, 5);
	assert_int_equal(c.received, 4);
	assert_int_equal(c.transmitted, 9);
	assert_int_equal(c.between, 0);
	assert_int_equal(bench.port[1].n_out, 9);
	workers_check();
	workers_clears = 0;
}
