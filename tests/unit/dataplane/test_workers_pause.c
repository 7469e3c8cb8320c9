/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Pauses that one worker receives for a port whose queues another one has. */

#include "fcn_worker_group.h"
#include "workers_bench.h"

/* Nothing leaves by a port: what is for it stays in its queues. */
static void
shut(uint16_t port)
{
	fcn_worker_group_port_remove(workers, N_WORKERS, port);
	workers_place(port, port % N_WORKERS, &bench_gate_ops);
	bench.port[port].accept = 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = workers_setup, .teardown = workers_teardown);

/* A lossless class of port 0 is queued at two other workers: one account holds all of it. */
TEST(pause)
{
	bench_lossless(0, 3, 6 * WORKERS_LEN, 2 * WORKERS_LEN, 8 * WORKERS_LEN);
	bench_new_snapshot();
	shut(1);
	shut(2);
	for (unsigned int i = 0; i < 3; i++)
		workers_arrive(0, 1, 3, 1);
	workers_arrive(0, 2, 3, 1);
	workers_arrive(0, 2, 3, 1);
	workers_poll_all(100);
	workers_poll_all(101);
	assert_int_equal(bench.port[0].n_out, 0);
	assert_int_equal(workers[0]->ingress[0][3].used, 5 * WORKERS_LEN);
	workers_arrive(0, 2, 3, 1);
	workers_poll_all(200);
	assert_int_equal(workers[0]->xoff[0], 1 << 3);
	assert_int_equal(bench.port[0].n_out, 1); /* in the same turn: the port is its own */
	assert_int_equal(bench_out(0, 0)[12] << 8 | bench_out(0, 0)[13], 0x8808);
	assert_int_equal(bench_out(0, 0)[17], 1 << 3);
	bench_forget_out();
	/* what waits at one of them is gone: not enough */
	bench.port[1].accept = 100;
	workers_poll_all(300);
	workers_poll_all(301);
	assert_int_equal(workers[0]->ingress[0][3].used, 3 * WORKERS_LEN);
	assert_int_equal(bench.port[0].n_out, 0);
	bench.port[2].accept = 100;
	workers_poll_all(400);
	workers_poll_all(401);
	assert_int_equal(workers[0]->ingress[0][3].used, 0);
	assert_int_equal(bench.port[0].n_out, 1);
	assert_int_equal(bench_out(0, 0)[18 + 2 * 3] | bench_out(0, 0)[19 + 2 * 3], 0);
	for (unsigned int i = 1; i < N_WORKERS; i++)
		assert_int_equal(workers[i]->ingress[0][3].used_max, 0);
}

/* A port with the number of one that is gone: nothing at any worker is its predecessor's. */
TEST(number_again)
{
	bench_lossless(0, 3, 2 * WORKERS_LEN, WORKERS_LEN, 8 * WORKERS_LEN);
	bench_new_snapshot();
	shut(1);
	for (unsigned int i = 0; i < 4; i++)
		workers_arrive(0, 1, 3, 1);
	workers_poll_all(100);
	assert_int_equal(workers[0]->xoff[0], 1 << 3);
	assert_int_equal(workers[0]->counters[0].rx_packets, 4);
	fcn_worker_group_port_remove(workers, N_WORKERS, 0);
	workers_place(0, 2, &bench_ops);
	workers_check();
	assert_int_equal(workers[0]->xoff[0], 0);
	assert_int_equal(workers[0]->counters[0].rx_packets, 0);
	bench.port[1].accept = 100; /* its predecessor's packets leave their account */
	workers_poll_all(200);
	workers_poll_all(201);
	assert_int_equal(workers[0]->ingress[0][3].used, 0);
	assert_int_equal(workers[0]->xoff[0], 0);
}

/* A class that is lossless no more stops nobody, wherever its packets are. */
TEST(pause_off)
{
	bench_lossless(0, 3, 2 * WORKERS_LEN, WORKERS_LEN, 8 * WORKERS_LEN);
	bench_new_snapshot();
	shut(1);
	for (unsigned int i = 0; i < 4; i++)
		workers_arrive(0, 1, 3, 1);
	workers_poll_all(100);
	workers_poll(0, 101);
	assert_int_equal(bench.port[0].n_out, 1);
	bench_forget_out();
	bench.snap.port[0].lossless = 0;
	bench.snap.port[0].ingress[3].lossless = false;
	bench.snap.port[0].pause.tx_classes = 0;
	bench_new_snapshot();
	workers_poll_all(200);
	workers_poll_all(201);
	assert_int_equal(workers[0]->xoff[0], 0);
	assert_int_equal(workers[0]->port[0].pause.xoff, 0);
}
