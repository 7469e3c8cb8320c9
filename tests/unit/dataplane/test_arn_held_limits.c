/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Packets of held flows: who does not wait, and what becomes of limits, accounts and ports. */

#include "arn_order.h"
#include "held_bench.h"

TEST_FIXTURE(FCN_TEST_EAL, .setup = held_setup, .teardown = bench_teardown);

TEST(limits)
{
	bench.snap.arn.held.flow_packets = 3;
	bench.snap.arn.held.bytes = 4 * LEN;
	bench_lossless(2, 3, 100 * LEN, 50 * LEN, 100 * LEN);
	bench_new_snapshot();
	bench_poll(1000);
	held_message(1, 20);
	held_message(2, 20);
	for (unsigned int i = 0; i < 4; i++)
		held_arrive(1, i);
	bench_poll(2000);
	assert_int_equal(bench_drops(FCN_DROP_ARN_FLOW_LIMIT), 1);
	for (unsigned int i = 0; i < 3; i++)
		held_arrive(2, 10 + i);
	bench_poll(3000);
	assert_int_equal(bench_drops(FCN_DROP_ARN_TOTAL_LIMIT), 2);
	/* Of a lossless class, this is a loss. */
	for (unsigned int i = 0; i < 2; i++) {
		struct frame f;

		held_frame(&f, 1, 1, 20);
		frame_to_port(&f, 2, 1);
		bench_in(2, &f);
	}
	bench_poll(4000);
	assert_int_equal(bench_drops(FCN_DROP_ARN_FLOW_LIMIT), 3);
	assert_int_equal(bench.worker->ingress[2][3].lost_packets, 2);
	assert_int_equal(bench.worker->ingress[2][3].lost_bytes, 2 * LEN);
	assert_int_equal(bench.worker->ingress[2][3].used, 0);
	bench_poll(21000);
	OUT(0, 10, 1, 2);
}

/* A trace waits for what is dropped here, and lets go of what waits. */
TEST(trace_when_dropped)
{
	struct fcn_trace *t = &bench.worker->trace;

	bench.snap.arn.held.flow_packets = 3;
	bench_new_snapshot();
	bench_poll(1000);
	held_message(1, 20);
	t->condition = (struct fcn_trace_condition){
			.type = FCN_TRACE_DROPPED, .drop = FCN_DROP_ARN_FLOW_LIMIT};
	t->wanted = 2;
	for (unsigned int i = 0; i < 5; i++)
		held_arrive(1, i);
	bench_poll(2000);
	assert_int_equal(bench_drops(FCN_DROP_ARN_FLOW_LIMIT), 2);
	bench_poll(21000);
	assert_int_equal(t->wanted, 0);
	assert_int_equal(fcn_trace_room(t), FCN_TRACE_MAX - 2);
	OUT(0, 1, 2);
}

/* A lossless packet counts on its account from when it begins to wait until it leaves its queue. */
TEST(lossless)
{
	const struct fcn_ingress *in = &bench.worker->ingress[0][3];

	bench_set_ops(1, &bench_gate_ops);
	bench_lossless(0, 3, 4 * LEN, 2 * LEN, 4 * LEN);
	bench_new_snapshot();
	bench.port[1].accept = 0;
	bench_poll(1000);
	held_message(1, 20);
	for (unsigned int i = 0; i < 6; i++)
		held_arrive(1, i);
	bench_poll(2000);
	assert_int_equal(in->used, 6 * LEN);
	assert_int_equal(bench.worker->xoff[0], 1 << 3);
	bench_poll(21000);
	assert_int_equal(fcn_queue_packets(bench_queue(1, 3)), 6);
	assert_int_equal(in->used, 6 * LEN);
	/* No headroom: it is lost as a packet that does not wait. */
	held_message(1, 20);
	for (unsigned int i = 0; i < 3; i++)
		held_arrive(1, 10 + i);
	bench_poll(22000);
	assert_int_equal(in->used, 8 * LEN);
	assert_int_equal(bench_drops(FCN_DROP_LOSSLESS_HEADROOM), 1);
	assert_int_equal(in->lost_packets, 1);
	bench.port[1].accept = 8;
	bench_poll(23000);
	OUT(0, 1, 2, 3, 4, 5);
	assert_int_equal(in->used, 2 * LEN);
	assert_int_equal(bench.worker->xoff[0], 0);
	bench_poll(42000);
	OUT(10, 11);
	assert_int_equal(in->used, 0);
}

/* The port goes: what waits for it is dropped, and nothing else. */
TEST(port_gone)
{
	struct frame f;

	bench_lossless(0, 3, 100 * LEN, 50 * LEN, 100 * LEN);
	bench_new_snapshot();
	bench_poll(1000);
	held_message(1, 20);
	held_arrive(1, 1);
	held_arrive(1, 2);
	held_frame(&f, 1, 1, 3);
	bench.snap.port[1].down = false;
	bench_send(0, &f, 2000);
	assert_int_equal(bench.worker->ingress[0][3].used, 3 * LEN);
	bench_set_ops(2, &bench_gate_ops); /* another port goes and comes */
	assert_int_equal(bench.worker->arn_held.flows.packets, 3);
	bench_set_ops(1, &bench_gate_ops);
	assert_int_equal(bench.worker->arn_held.flows.packets, 0);
	assert_int_equal(bench_drops(FCN_DROP_PORT_GONE), 3);
	assert_int_equal(bench.worker->ingress[0][3].used, 0);
	bench_poll(21000);
	assert_int_equal(bench.port[1].n_out, 0);
}

/* The link goes: new packets do not wait, and those that do are dropped when their time comes. */
TEST(port_down)
{
	bench_poll(1000);
	held_message(1, 20);
	held_arrive(1, 1);
	bench_poll(2000);
	bench.snap.port[1].down = true;
	bench_new_snapshot();
	held_arrive(1, 2);
	bench_poll(3000);
	assert_int_equal(bench_drops(FCN_DROP_PORT_DOWN), 1);
	assert_int_equal(bench.worker->arn_held.flows.packets, 1);
	bench_poll(21000);
	assert_int_equal(bench_drops(FCN_DROP_PORT_DOWN), 2);
	assert_int_equal(bench.worker->arn_held.flows.packets, 0);
}

TEST(switched_off)
{
	struct fcn_arn_order o = {.arn = {.type = FCN_ARN_CONGESTION,
						  .parameters = FCN_ARN_PRIORITY | FCN_ARN_TIME,
						  .priority = 3,
						  .time_us = 1000},
			.port = 1};

	bench_poll(1000);
	held_message(1, 1000);
	fcn_arn_distribute(bench.worker, &o);
	held_arrive(1, 1);
	held_arrive(2, 2);
	bench_poll(2000);
	assert_int_equal(bench.port[1].n_out, 0);
	bench.snap.arn.receive = false;
	bench_new_snapshot();
	bench_poll(3000);
	OUT(2, 1);
	assert_int_equal(bench.worker->arn_held.flows.n_flows, 0);
	assert_int_equal(bench.worker->port[1].pause.halted, 0);
}

/* The class of the notices is never held. */
TEST(exempt)
{
	bench.snap.port[1].pause.exempt = 1 << 3;
	bench_new_snapshot();
	held_message(1, 20);
	held_arrive(1, 1);
	bench_poll(1000);
	OUT(1);
}
