/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Packets without room over several workers: the worker that has the queue trims what others have
 * received, and the notices about it leave by ports of others. Port p is worker p's.
 */

#include "fcn_notice_trimmed.h"
#include "workers_bench.h"

#define KIND FCN_NOTICE_TRIMMED
#define CLASS 3
#define KEPT 128
#define FULL 4 /* packets that the queue has room for */

static struct fcn_notice_trimmed_conf own;

static int
setup(void **state)
{
	const struct fcn_fastcnp_conf fc = {.source = {0x20, 1, 0xd, 0xb8, [15] = 0xFE},
			.opt1_type = 0x9E,
			.opt2_type = 0x9F,
			.dscp = 48,
			.hop_limit = 64};

	workers_setup(state);
	own = (struct fcn_notice_trimmed_conf){.fast_cnp = {.trimmed_type = 0x9D}};
	assert_int_equal(fcn_fastcnp_kind_init(&own.fast_cnp, &fc), 0);
	bench.snap.notify.n_kinds = KIND + 1;
	bench.snap.notify.kind[KIND].kind = &fcn_notice_trimmed;
	bench.snap.notify.kind[KIND].own = &own;
	bench.snap.notify.on_loss = 1 << KIND;
	bench_queue_conf(1, CLASS)->limit_bytes = FULL * WORKERS_LEN;
	bench_queue_conf(1, CLASS)->trim_return = true;
	bench.snap.port[1].trim = (struct fcn_trim_conf){.class = 5, .dscp = FCN_TRIM_DSCP_KEEP};
	bench_new_snapshot();
	return 0;
}

static int
teardown(void **state)
{
	fcn_fastcnp_kind_fini(&own.fast_cnp);
	return workers_teardown(state);
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

/* Let n packets to port 1 arrive by port 0 and as many by port 2, and pass them on to worker 1. */
static void
arrive(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		workers_arrive(0, 1, CLASS, 1);
		workers_arrive(2, 1, CLASS, 2);
	}
	workers_poll(0, 1);
	workers_poll(2, 1);
	workers_poll(1, 1);
}

static const struct fcn_queue_stats *
stats(void)
{
	return &workers[1]->port[1].egress->queue[CLASS].stats;
}

/* What the notices say: each names a packet of this network, and they go back to it. */
static void
assert_notices(uint16_t port, unsigned int n)
{
	assert_int_equal(bench.port[port].n_out, n);
	for (unsigned int i = 0; i < n; i++) {
		const uint8_t *out = bench_out(port, i) + 14;

		assert_int_equal(bench_out_len(port, i), 14 + 120);
		assert_int_equal(out[24 + 5], port); /* destination */
		assert_int_equal(out[70] << 8 | out[71], WORKERS_LEN - 14);
	}
}

TEST(returned)
{
	arrive(8);
	assert_int_equal(stats()->returned, 16 - FULL);
	assert_int_equal(workers[1]->counters[1].notices[KIND], 16 - FULL);
	workers_poll(0, 2);
	workers_poll(2, 2);
	assert_int_equal(bench.port[0].n_out + bench.port[2].n_out, 16 - FULL);
	assert_notices(0, bench.port[0].n_out);
	assert_notices(2, bench.port[2].n_out);
	assert_int_equal(workers[0]->counters[0].drop[FCN_DROP_QUEUE_BYTES] +
					 workers[1]->counters[0].drop[FCN_DROP_QUEUE_BYTES] +
					 workers[1]->counters[2].drop[FCN_DROP_QUEUE_BYTES],
			16 - FULL);
}

/* The headers go on, too, and none is lost. */
TEST(both)
{
	bench_queue_conf(1, CLASS)->trim_size = KEPT;
	bench_new_snapshot();
	arrive(8);
	assert_int_equal(stats()->returned, 16 - FULL);
	assert_int_equal(stats()->trimmed, 16 - FULL);
	workers_poll_all(2);
	assert_int_equal(bench.port[0].n_out + bench.port[2].n_out, 16 - FULL);
	assert_int_equal(bench.port[1].n_out, 16);
}

/* The worker that has the queue lets each ingress port have its part of the link by which their
 * notices leave, although it has none of these ports. */
TEST(parts_of_ingress_ports)
{
	struct frame f;

	bench.snap.notify.common.loss_link[0] = (struct fcn_notify_link){
			.cost = 1u << FCN_NOTIFY_LINK_SHIFT, .burst_ns = 20 * (14 + 120 + 24)};
	bench_new_snapshot();
	/* Somebody at port 2 sends with an address of port 0. */
	frame_roce6(&f, 1, 1, 9, WORKERS_LEN - 14 - 64);
	frame_class(&f, CLASS, 1);
	frame_to_port(&f, 2, 1);
	for (unsigned int i = 0; i < 30; i++)
		bench_in(2, &f);
	workers_poll(2, 1);
	workers_poll(1, 1);
	assert_int_equal(stats()->returned, 11);
	for (unsigned int i = 0; i < 9; i++)
		workers_arrive(0, 1, CLASS, 1);
	workers_poll(0, 1);
	workers_poll(1, 1);
	assert_int_equal(stats()->returned, 11 + 4);
	workers_poll_all(2);
	workers_poll_all(3);
	assert_int_equal(bench.port[0].n_out, 15);
}
