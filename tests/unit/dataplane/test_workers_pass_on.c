/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Halts that are passed on by the worker that owns the egress port, while other workers own the
 * ports of the senders and of the upstream neighbours. Worker p % 3 owns port p.
 */

#include "arn_order.h"
#include "fcn_arn_flow.h"
#include "fcn_pfc.h"
#include "pass_on_bench.h"
#include "workers_bench.h"

#define IP6_DST (14 + 24)

/* Packets leave by port 1, and messages to the upstream neighbour at port 0 by port 2. */
static int
setup(void **state)
{
	workers_setup(state);
	bench_route("2001:db8:f::/48", 6);
	bench_routes_done();
	pass_on_configure();
	pass_on_neighbour(0, 1, 0);
	for (uint16_t port = 1; port < 3; port++)
		bench_queue_conf(port, CLASS)->arn_time_us = 20;
	bench_new_snapshot();
	workers_poll_all(1 * US);
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = workers_teardown);

/* A packet to a network, and its flow. */
static void
packet(struct frame *f, uint16_t to, struct fcn_flow_descriptor *flow)
{
	struct fcn_wire_info info;

	frame_roce6(f, 1, to, 2, PACKET - 14 - 40 - 8 - 12 - 4);
	fcn_parse(f->data, f->len, f->len, &bench.snap.codes, &info);
	assert_true(fcn_arn_flow_of(f->data, f->len, &info, FCN_ARN_MODE_FLOW, flow));
}

/* Worker 2 receives a message: halt the packets to a network, or with 0 let them go on. */
static void
halt(uint16_t to, uint32_t time_us)
{
	struct fcn_arn_order order = {
			.arn = {.type = time_us != 0 ? FCN_ARN_CONGESTION : FCN_ARN_ENDED,
					.parameters = FCN_ARN_FLOW | FCN_ARN_TIME,
					.time_us = time_us},
			.port = FCN_PORT_NONE};
	struct frame f;

	packet(&f, to, &order.arn.flow);
	fcn_arn_distribute(workers[2], &order);
}

/* Packets to a network arrive by port 0, and at the worker of their egress port. */
static void
packets_in(uint64_t now, uint16_t to, unsigned int n)
{
	struct fcn_flow_descriptor flow;
	struct frame f;

	packet(&f, to, &flow);
	frame_to_port(&f, 0, 1);
	for (unsigned int i = 0; i < n; i++)
		bench_in(0, &f);
	workers_poll(0, now);
	workers_poll(to, now);
}

/* Check what port 2 has sent: one message about the flow, of this type. */
static void
expect_message(uint8_t type)
{
	const uint8_t *d;

	assert_int_equal(bench.port[2].n_out, 1);
	d = bench_out(2, 0);
	assert_int_equal(d[IP6_DST + 15], 1);
	assert_int_equal(d[ARN_OFF], type);
	assert_int_equal(d[ARN_OFF + 3], FCN_ARN_FLOW | FCN_ARN_TIME);
	bench_forget_out();
}

/* The message of worker 1 leaves by the port of worker 2. */
TEST(message)
{
	halt(1, 100);
	packets_in(2 * US, 1, 4);
	workers_poll_all(3 * US);
	assert_int_equal(bench.port[2].n_out, 0);
	packets_in(4 * US, 1, 1);
	assert_int_equal(bench.port[2].n_out, 0);
	assert_int_equal(workers[1]->arn_edge->n, 1);
	workers_poll(2, 4 * US);
	expect_message(FCN_ARN_CONGESTION);
	assert_int_equal(bench.port[1].n_out, 0);
	halt(1, 0);
	workers_poll(1, 5 * US); /* it takes the order */
	workers_poll(1, 6 * US);
	assert_int_equal(bench.port[1].n_out, 5);
	workers_poll(2, 6 * US);
	expect_message(FCN_ARN_ENDED);
	for (unsigned int i = 0; i < N_WORKERS; i++) {
		assert_int_equal(workers[i]->arn_edge->begun, i == 1);
		assert_int_equal(workers[i]->arn_edge->ended, i == 1);
		assert_true(fcn_arn_sender_is_idle(workers[i]->arn));
	}
}

/* Check that port 0 has sent one PFC frame about the class. */
static void
expect_pfc(bool xoff)
{
	const uint8_t *d;

	assert_int_equal(bench.port[0].n_out, 1);
	d = bench_out(0, 0);
	assert_int_equal(d[12] << 8 | d[13], 0x8808);
	assert_int_equal(d[17], 1 << CLASS);
	assert_int_equal(d[18 + 2 * CLASS] << 8 | d[19 + 2 * CLASS], xoff ? 65535 : 0);
	bench_forget_out();
}

/*
 * Workers 1 and 2 each hold a flow of the sender behind port 0, which worker 0 pauses: from the
 * first flow that has enough waiting until the last one goes on.
 */
TEST(pfc)
{
	bench.snap.port[0].arn_edge = FCN_ARN_EDGE_PFC;
	bench_lossless(0, CLASS, 100000, 50000, 100000);
	bench_new_snapshot();
	workers_poll_all(1 * US);
	halt(1, 5000);
	halt(2, 5000);
	packets_in(2 * US, 1, 4);
	workers_poll(0, 2 * US);
	assert_int_equal(bench.port[0].n_out, 0);
	packets_in(3 * US, 1, 1);
	assert_int_equal(bench.port[0].n_out, 0);
	assert_int_equal(workers[1]->arn_edge->n_paused[0][CLASS], 1);
	workers_poll(0, 3 * US);
	expect_pfc(true);
	packets_in(4 * US, 2, 5); /* it is paused already */
	workers_poll(0, 4 * US);
	assert_int_equal(bench.port[0].n_out, 0);
	assert_int_equal(workers[2]->arn_edge->n_paused[0][CLASS], 1);
	halt(1, 0);
	for (uint64_t t = 5 * US; t < 7 * US; t += US) {
		workers_poll_all(t);
		assert_int_equal(bench.port[0].n_out, 0);
	}
	assert_int_equal(workers[1]->arn_edge->n_paused[0][CLASS], 0);
	halt(2, 0);
	workers_poll_all(7 * US);
	workers_poll(2, 8 * US);
	assert_int_equal(workers[2]->arn_edge->n_paused[0][CLASS], 0);
	workers_poll(0, 9 * US);
	expect_pfc(false);
}

/* The Fast CNP of worker 1 leaves by the port of worker 0, where the sender is. */
TEST(notice)
{
	bench_notices(1, 100000);
	bench.snap.port[0].arn_edge = FCN_ARN_EDGE_FAST_CNP;
	bench_new_snapshot();
	workers_poll_all(1 * US);
	halt(1, 5000);
	packets_in(2 * US, 1, 4);
	workers_poll(0, 2 * US);
	assert_int_equal(bench.port[0].n_out, 0);
	packets_in(3 * US, 1, 1);
	workers_poll(0, 3 * US);
	assert_int_equal(workers[1]->arn_edge->notified, 1);
	assert_int_equal(bench.port[0].n_out, 1);
	assert_int_equal(bench_out(0, 0)[IP6_DST + 15], 1);
	halt(1, 0);
	workers_poll_all(4 * US);
	workers_poll_all(5 * US);
}
