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

/*
 * Notices for a port whose worker does not come: the ring takes as many as it has room for, and
 * the others are lost by name. workers_check() holds what is on its way against the sums.
 */
static void
test_notices_full(void **state)
{
	struct fcn_notice_accounting n = {0};

	RTE_SET_USED(state);
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

/*
 * The counters are cleared while worker 1 takes packets from two rings: between the ring of
 * worker 0, which has not cleared its own yet, and that of worker 2, which has. For the number of
 * clearings to rise at that moment, worker 1 is shown its own counter of packets taken instead.
 */
static void
test_clear_between_rings(void **state)
{
	struct fcn_conservation c = {0};

	RTE_SET_USED(state);
	for (unsigned int i = 0; i < 3; i++)
		workers_arrive(0, 1, 3, (uint8_t)i);
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
	assert_int_equal(c.carried, 3);
	assert_int_equal(c.received, 4);
	assert_int_equal(c.transmitted, 7);
	assert_int_equal(c.between, 0);
	assert_int_equal(bench.port[1].n_out, 7);
	workers_check();
	workers_clears = 0;
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, workers_setup, workers_teardown)
			TEST(test_notices_full),
			TEST(test_clear_between_rings),
#undef TEST
	};

	return cmocka_run_group_tests_name(
			"workers_counts", tests, fcn_test_eal_init, fcn_test_eal_cleanup);
}
