/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* MAC addresses that one worker learns: the others hear of them. */

#include "fcn_worker_group.h"
#include "port_bits.h"
#include "workers_bench.h"

TEST_FIXTURE(FCN_TEST_EAL, .setup = workers_setup, .teardown = workers_teardown);

/* What one worker learned the others know; a station that moves is found again. */
TEST(learning)
{
	struct frame f;

	bench_bridge(4);
	bench_new_snapshot();
	frame_roce6(&f, 1, 1, 2, 100);
	frame_macs(&f, 9, 1);
	bench_in(0, &f);
	workers_poll_all(1000);
	workers_poll_all(1001);
	assert_int_equal(bench.port[1].n_out + bench.port[2].n_out + bench.port[3].n_out, 3);
	bench_forget_out();
	frame_macs(&f, 1, 2); /* an answer, by another worker's port */
	bench_in(1, &f);
	workers_poll_all(1002);
	workers_poll_all(1003);
	assert_int_equal(bench.port[0].n_out, 1);
	assert_int_equal(bench.port[2].n_out + bench.port[3].n_out, 0);
	bench_forget_out();
	for (unsigned int i = 1; i < N_WORKERS; i++) { /* what was reported is not told on */
		const struct rte_ring *tell = workers[i]->peer[0].tx[FCN_PEER_LEARNED];

		assert_int_equal(rte_ring_count(tell), 0);
	}
	frame_macs(&f, 9, 1); /* the station is behind port 2 now */
	bench_in(2, &f);
	workers_poll_all(1004);
	workers_poll_all(1005);
	bench_forget_out();
	frame_macs(&f, 1, 2);
	bench_in(1, &f);
	workers_poll_all(1006);
	workers_poll_all(1007);
	assert_int_equal(bench.port[2].n_out, 1);
	assert_int_equal(bench.port[0].n_out, 0);
}

/* The bound of a port holds in the table of each worker, and what others learned stays. */
TEST(mac_limit)
{
	struct frame f;

	bench_bridge(4);
	bench.snap.port[0].mac_limit = 20;
	bench_new_snapshot();
	for (unsigned int n = 0; n < 100; n++) {
		frame_roce6(&f, 1, 1, 2, 100);
		frame_macs(&f, 200, n);
		bench_in(0, &f);
		frame_macs(&f, 200, 100 + n % 50);
		bench_in(1, &f);
		workers_poll_all(1000 + n);
		bench_forget_out();
	}
	workers_poll_all(2000);
	for (unsigned int i = 0; i < N_WORKERS; i++) {
		assert_int_equal(fcn_mac_table_count_port(workers[i]->macs, 0), 20);
		assert_int_equal(fcn_mac_table_count_port(workers[i]->macs, 1), 50);
		assert_int_equal(workers[i]->learn_lost, 0);
	}
	assert_int_equal(workers[0]->counters[0].mac_limit, 80);
	/* One that moves leaves room in each of them. */
	frame_macs(&f, 200, 3);
	bench_in(2, &f);
	workers_poll_all(2001);
	workers_poll_all(2002);
	bench_forget_out();
	for (unsigned int i = 0; i < N_WORKERS; i++) {
		assert_int_equal(fcn_mac_table_count_port(workers[i]->macs, 0), 19);
		assert_int_equal(fcn_mac_table_count_port(workers[i]->macs, 2), 1);
	}
}

/* Others forget by their own clocks: they are told again, before it is too late. */
TEST(retell)
{
	const uint64_t age = 300000000000;
	struct frame f;

	bench_bridge(4);
	bench_new_snapshot();
	for (uint64_t now = 1000; now < 4 * age; now += age / 10) {
		frame_roce6(&f, 1, 1, 2, 100);
		frame_macs(&f, 9, 1);
		bench_in(0, &f);
		workers_poll_all(now);
		workers_poll_all(now + 1);
		bench_forget_out();
	}
	frame_macs(&f, 1, 2);
	bench_in(1, &f);
	workers_poll_all(4 * age);
	workers_poll_all(4 * age + 1);
	assert_int_equal(bench.port[0].n_out, 1);
	assert_int_equal(bench.port[2].n_out + bench.port[3].n_out, 0);
}

/* The same for a station whose packets take the fast path, as both its port and that of the other
 * station are this worker's. */
TEST(retell_fast)
{
	const uint64_t age = 300000000000;
	const struct fcn_burst *b = workers[0]->rx;
	unsigned int n_fast = 0;
	struct frame f;

	bench_bridge(4);
	bench_new_snapshot();
	frame_roce6(&f, 1, 1, 2, 100);
	for (uint64_t now = 1000; now < 4 * age; now += age / 10) {
		frame_macs(&f, 1, 2);
		bench_in(3, &f);
		workers_poll(0, now);
		frame_macs(&f, 2, 1);
		bench_in(0, &f);
		workers_poll(0, now);
		n_fast += workers[0]->received.n == 1 && b->n_runs == 0;
		workers_poll_all(now + 1);
		bench_forget_out();
	}
	assert_in_range(n_fast, 20, 35);
	frame_macs(&f, 1, 3);
	bench_in(1, &f);
	workers_poll_all(4 * age);
	workers_poll_all(4 * age + 1);
	assert_int_equal(bench.port[0].n_out, 1);
	assert_int_equal(bench.port[2].n_out + bench.port[3].n_out, 0);
}

/* What was told of a port that is gone since, and not reported yet, is not of the next of its
 * number.
 */
TEST(learning_gone)
{
	struct frame f;

	bench_bridge(4);
	bench_new_snapshot();
	frame_roce6(&f, 1, 1, 2, 100);
	frame_macs(&f, 9, 1);
	bench_in(0, &f);
	workers_poll(0, 1000); /* the others are told; they have no turn */
	fcn_worker_group_port_remove(workers, N_WORKERS, 0);
	workers_place(0, 0, &bench_ops);
	workers_poll_all(1001);
	workers_poll_all(1002);
	bench_forget_out();
	frame_macs(&f, 1, 2);
	bench_in(1, &f);
	workers_poll_all(1003);
	workers_poll_all(1004);
	assert_int_equal(bench.port[0].n_out + bench.port[2].n_out + bench.port[3].n_out, 3);
}

/* An address that another worker learned, and told of, before the switch has it itself. */
TEST(learned_before_own)
{
	struct fcn_snapshot_port *interface = &bench.snap.port[9];
	struct frame f;

	bench_bridge(4);
	bench_new_snapshot();
	frame_roce6(&f, 1, 1, 2, 100);
	frame_macs(&f, 9, 1);
	bench_in(0, &f);
	workers_poll(0, 1000); /* the others are told; they have no turn */
	*interface = (struct fcn_snapshot_port){.mode = FCN_PORT_BRIDGE_INTERFACE,
			.mac = {{2, 0, 0, 0, 1, 1}},
			.mtu = 1500,
			.parent = 9,
			.vlan = 1};
	bench.snap.bridge[0].interfaces = ports_of(1ull << 9);
	bench_new_snapshot();
	workers_poll_all(1001);
	workers_poll_all(1002);
	bench_forget_out();
	for (unsigned int i = 0; i < N_WORKERS; i++) {
		assert_int_equal(fcn_mac_table_count(workers[i]->macs), 0);
		assert_int_equal(workers[i]->learn_lost, 0);
	}
	/* What is for that address is for the interface. */
	frame_macs(&f, 1, 2);
	bench_in(1, &f);
	workers_poll_all(1003);
	workers_poll_all(1004);
	assert_int_equal(bench.port[0].n_out, 0);
	assert_int_equal(workers[1]->counters[1].drop[FCN_DROP_BRIDGE_INTERFACE], 1);
}
