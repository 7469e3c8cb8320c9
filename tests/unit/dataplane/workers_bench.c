/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_worker_group.h"
#include "workers_bench.h"

struct fcn_worker *workers[N_WORKERS];
uint64_t workers_clears;

void
workers_check(void)
{
	struct fcn_conservation c = {0};

	for (unsigned int i = 0; i < N_WORKERS; i++)
		fcn_worker_conservation(workers[i], &c);
	for (unsigned int k = 0; k < fcn_notice_kind_count; k++) {
		struct fcn_notice_accounting n = {0};

		for (unsigned int i = 0; i < N_WORKERS; i++)
			fcn_worker_notice_accounting(workers[i], k, &n);
		assert_int_equal(n.carried + n.made,
				n.transmitted + fcn_notice_accounting_lost(&n) + n.queued +
						n.cross_core_tx - n.cross_core_rx);
	}
	assert_true(fcn_conservation_holds(&c));
	assert_int_equal(c.waiting, c.between); /* no worker runs while this thread runs */
}

unsigned int
workers_poll(unsigned int i, uint64_t now)
{
	unsigned int n = fcn_poll_once(workers[i], now);

	workers_check();
	return n;
}

void
workers_poll_all(uint64_t now)
{
	for (unsigned int i = 0; i < N_WORKERS; i++)
		workers_poll(i, now);
}

void
workers_place(uint16_t port, unsigned int owner, const struct fcn_port_ops *ops)
{
	const struct fcn_placement place = {.owner = owner, .n_rx_queues = 1, .rx_worker = {owner}};
	uint32_t slots[FCN_CLASSES];

	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		slots[c] = BENCH_QUEUE;
	assert_int_equal(fcn_worker_group_port_add(workers, N_WORKERS, &place, port, ops,
					 &bench.port[port], slots),
			0);
}

int
workers_setup(void **state)
{
	struct fcn_worker_conf conf = {.socket = SOCKET_ID_ANY,
			.published = &bench.published,
			.mac_entries = 1024,
			.flow_sets = 1024,
			.dest_sets = 64,
			.events = 256,
			.injects = 64,
			.clears = &workers_clears};
	char name[16];

	bench_setup(state);
	for (uint16_t p = 0; p < 4; p++)
		fcn_worker_port_remove(bench.worker, p);
	conf.pool = bench.pool;
	for (unsigned int i = 0; i < N_WORKERS; i++) {
		snprintf(name, sizeof(name), "w%u", i);
		conf.name = name;
		conf.id = i;
		workers[i] = fcn_worker_create(&conf);
		assert_non_null(workers[i]);
	}
	assert_int_equal(fcn_worker_group_connect(workers, N_WORKERS), 0);
	for (uint16_t p = 0; p < 4; p++)
		workers_place(p, p % N_WORKERS, &bench_ops);
	bench_port_routes(4);
	return 0;
}

int
workers_teardown(void **state)
{
	workers_check();
	bench_forget_out();
	fcn_worker_group_free(workers, N_WORKERS);
	return bench_teardown(state);
}

void
workers_arrive(uint16_t from, uint16_t to, unsigned int class, uint8_t n)
{
	struct frame f;

	frame_roce6(&f, n, to, 9, WORKERS_LEN - 14 - 64);
	f.data[14 + 8 + 5] = from; /* source network */
	frame_class(&f, class, 1);
	frame_to_port(&f, from, 1);
	bench_in(from, &f);
}
