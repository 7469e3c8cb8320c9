/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Halts of a flow that are passed on to those who send the packets: by messages, by PFC and by Fast
 * CNPs. */

#include "arn_order.h"
#include "fcn_arn_flow.h"
#include "fcn_pfc.h"
#include "one_worker.h"
#include "pass_on_bench.h"

/* A downstream switch asks to halt the flow of pass_on_packets_in(). */
static void
halt_flow(uint32_t time_us)
{
	struct fcn_arn_order order = {
			.arn = {.type = time_us != 0 ? FCN_ARN_CONGESTION : FCN_ARN_ENDED,
					.parameters = FCN_ARN_FLOW | FCN_ARN_TIME,
					.time_us = time_us},
			.port = 1,
	};
	struct fcn_wire_info info;
	struct frame f;

	frame_roce6(&f, 1, 1, 2, 100);
	fcn_parse(f.data, f.len, f.len, &bench.snap.codes, &info);
	assert_true(fcn_arn_flow_of(f.data, f.len, &info, FCN_ARN_MODE_FLOW, &order.arn.flow));
	fcn_arn_distribute(bench.worker, &order);
}

/* Check that port 3 has sent one message, about the flow of pass_on_packets_in(). */
static void
expect_flow(uint8_t type, uint8_t level, uint8_t to)
{
	const uint8_t *d;

	assert_int_equal(bench.port[3].n_out, 1);
	d = bench_out(3, 0);
	assert_int_equal(d[14 + 39], to);
	assert_int_equal(d[ARN_OFF], type);
	assert_int_equal(d[ARN_OFF + 2], level);
	assert_int_equal(d[ARN_OFF + 3], FCN_ARN_FLOW | FCN_ARN_TIME);
	assert_int_equal(d[ARN_OFF + 4 + 1], 17);
	assert_int_equal(d[ARN_OFF + 4 + 8 + 15], 1);
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = pass_on_setup, .teardown = bench_teardown);

TEST(flow_by_message)
{
	const struct fcn_arn_edge_state *e = bench.worker->arn_edge;

	bench_poll(1 * US);
	halt_flow(100);
	pass_on_packets_in(3 * US, 0, 4);
	pass_on_expect_none();
	pass_on_packets_in(4 * US, 0, 1); /* 5000 of 20000 bytes are two eighths */
	expect_flow(1, 2, 1);
	pass_on_packets_in(5 * US, 2, 5);
	expect_flow(1, 4, 3);
	assert_int_equal(bench.port[1].n_out, 0);
	bench_poll(14 * US);
	assert_int_equal(bench.port[3].n_out, 2);
	halt_flow(0);
	bench_poll(15 * US);
	assert_int_equal(bench.port[1].n_out, 10);
	bench_poll(15 * US);
	assert_int_equal(bench.port[3].n_out, 2);
	assert_int_equal(bench_out(3, 0)[ARN_OFF], 2);
	assert_int_equal(bench_out(3, 1)[ARN_OFF], 2);
	assert_true(fcn_arn_sender_is_idle(bench.worker->arn));
	assert_int_equal(e->begun, 1);
	assert_int_equal(e->ended, 1);
	/* The next flow with this number has nothing of the one before. */
	halt_flow(100);
	pass_on_packets_in(20 * US, 0, 4);
	pass_on_expect_none();
	pass_on_packets_in(21 * US, 0, 1);
	expect_flow(1, 2, 1);
	assert_int_equal(fcn_worker_next_event(bench.worker, 21 * US), 31 * US);
	for (uint64_t t = 31 * US; t < 115 * US; t += 10 * US)
		bench_poll(t);
	bench_poll(115 * US);
	assert_int_equal(bench.port[1].n_out, 5);
	bench_poll(115 * US);
	expect_flow(2, 0, 1);
	assert_int_equal(e->begun, 2);
	assert_int_equal(e->n, 0);
}

/* It ends with the halt, although many bytes still wait for room in the class queue. */
TEST(flow_ends_first)
{
	bench_set_ops(1, &bench_gate_ops);
	bench.port[1].accept = 0;
	bench_queue_conf(1, CLASS)->limit_bytes = 2000;
	bench_new_snapshot();
	bench_poll(1 * US);
	halt_flow(1000);
	pass_on_packets_in(2 * US, 0, 6);
	expect_flow(1, 2, 1);
	halt_flow(0);
	bench_poll(3 * US);
	assert_true(bench.worker->arn_held.flows.bytes >= ENOUGH / 2);
	bench_poll(3 * US);
	expect_flow(2, 0, 1);
	pass_on_packets_in(4 * US, 0, 1); /* which waits behind the others, but is not halted */
	pass_on_expect_none();
	bench.port[1].accept = 256;
	for (unsigned int i = 0; i < 8; i++)
		bench_poll(5 * US + i);
}

TEST(flow_by_pfc)
{
	const uint64_t half = fcn_pfc_quanta_to_ns(65535, BENCH_LINK_BPS) / 2;

	pass_on_edge(FCN_ARN_EDGE_PFC, 30000);
	bench_poll(1 * US);
	halt_flow(100000);
	pass_on_packets_in(3 * US, 0, 4);
	assert_int_equal(bench.port[0].n_out, 0);
	pass_on_packets_in(4 * US, 0, 1);
	pass_on_expect_pfc(true);
	bench_poll(4 * US + half);
	pass_on_expect_pfc(true);
	pass_on_expect_none();
	halt_flow(0);
	bench_poll(5 * US + half);
	assert_int_equal(bench.port[1].n_out, 5);
	bench_poll(5 * US + half);
	pass_on_expect_pfc(false);
	assert_int_equal(bench_all_drops(), 0);
}

/* Packets of another flow come and go: the pause goes on, as the held flow needs it. */
TEST(flow_and_account)
{
	struct frame f;

	bench_set_ops(1, &bench_gate_ops);
	pass_on_edge(FCN_ARN_EDGE_PFC, 9000);
	bench.snap.port[0].ingress[CLASS].xon = 6000;
	bench_new_snapshot();
	bench_poll(1 * US);
	halt_flow(100000);
	pass_on_packets_in(2 * US, 0, 5);
	pass_on_expect_pfc(true);
	bench.port[1].accept = 0;
	frame_roce6(&f, 2, 1, 2, PACKET - 14 - 40 - 8 - 12 - 4);
	frame_to_port(&f, 0, 1);
	for (unsigned int i = 0; i < 5; i++)
		bench_in(0, &f);
	bench_poll(3 * US);
	assert_true(bench.worker->ingress[0][CLASS].xoff);
	bench.port[1].accept = 256;
	bench_poll(4 * US);
	assert_int_equal(bench.port[1].n_out, 5);
	assert_false(bench.worker->ingress[0][CLASS].xoff);
	assert_int_equal(bench.port[0].n_out, 0);
	bench_poll(5 * US);
	assert_int_equal(bench.port[0].n_out, 0);
	halt_flow(0);
	bench_poll(6 * US);
	bench_poll(6 * US);
	pass_on_expect_pfc(false);
}

/*
 * The sender gets a Fast CNP with its limits, although the flow has nothing in the class queue, of
 * which only heavy flows are notified.
 */
TEST(flow_by_notice)
{
	struct fcn_event ev[4];

	bench_notices(1, 30000);
	bench_queue_conf(1, CLASS)->policy.heavy_flows = true;
	bench.snap.notify.kind[0].interval_ns = 50 * US;
	pass_on_edge(FCN_ARN_EDGE_FAST_CNP, 0);
	bench_poll(1 * US);
	halt_flow(1000);
	pass_on_packets_in(100 * US, 0, 4);
	assert_int_equal(bench.port[0].n_out, 0);
	pass_on_packets_in(101 * US, 0, 3);
	assert_int_equal(bench.port[0].n_out, 1);
	pass_on_packets_in(150 * US, 0, 1);
	assert_int_equal(bench.port[0].n_out, 0);
	pass_on_packets_in(152 * US, 0, 1);
	assert_int_equal(bench.port[0].n_out, 1);
	assert_int_equal(bench.worker->arn_edge->notified, 2);
	assert_int_equal(bench_events_of(FCN_EVENT_NOTICE, ev, 4), 2);
	assert_int_equal(ev[0].occupancy, 5000); /* bytes of the flow that wait */
	assert_int_equal(ev[1].occupancy, 9000);
	halt_flow(0);
	bench_poll(160 * US);
	assert_int_equal(bench.port[1].n_out, 9);
}

/* Small packets: half of those that may wait do, although there are few bytes. */
TEST(flow_of_small_packets)
{
	struct frame f;

	bench.snap.arn.held.flow_packets = 8;
	bench_new_snapshot();
	bench_poll(1 * US);
	halt_flow(100);
	frame_roce6(&f, 1, 1, 2, 100);
	frame_to_port(&f, 0, 1);
	for (unsigned int i = 0; i < 3; i++)
		bench_in(0, &f);
	bench_poll(3 * US);
	pass_on_expect_none();
	bench_send(0, &f, 4 * US);
	expect_flow(1, 4, 1);
	bench_poll(5 * US);
	assert_int_equal(bench.worker->arn_edge->n, 1);
	halt_flow(0);
	bench_poll(6 * US);
	bench_poll(6 * US);
	expect_flow(2, 0, 1);
	assert_int_equal(bench_all_drops(), 0);
}

/* Halts that nobody is asked for take no room from others. */
TEST(no_neighbour)
{
	pass_on_neighbour(0, 1, 3);
	pass_on_neighbour(1, 3, 2);
	bench_new_snapshot();
	bench_poll(1 * US);
	halt_flow(100);
	pass_on_packets_in(3 * US, 0, 6);
	pass_on_expect_none();
	assert_int_equal(bench.worker->arn->no_neighbour, 2);
	assert_int_equal(bench.worker->arn_edge->n, 0);
	pass_on_packets_in(4 * US, 2, 1);
	expect_flow(1, 2, 3);
	pass_on_packets_in(5 * US, 0, 1);
	assert_int_equal(bench.worker->arn_edge->n, 1);
	halt_flow(0);
	bench_poll(6 * US);
	bench_poll(6 * US);
	assert_int_equal(bench.worker->arn_edge->begun, 1);
	assert_int_equal(bench.worker->arn_edge->ended, 1);
}

/* Packets that wait for a port that goes are lost, and what was asked for ends. */
TEST(port_gone)
{
	pass_on_edge(FCN_ARN_EDGE_PFC, 30000);
	bench_poll(1 * US);
	halt_flow(100000);
	pass_on_packets_in(3 * US, 0, 5);
	pass_on_expect_pfc(true);
	fcn_worker_port_remove(bench.worker, 1);
	bench_poll(4 * US);
	bench_poll(4 * US);
	pass_on_expect_pfc(false);
	assert_int_equal(bench_drops(FCN_DROP_PORT_GONE), 5);
}

/* A port that takes the place of one that was paused is paused, too, when it sends more. */
TEST(port_replaced)
{
	const uint32_t slots[FCN_CLASSES] = {64, 64, 64, 64, 64, 64, 64, 64};

	pass_on_edge(FCN_ARN_EDGE_PFC, 30000);
	bench_poll(1 * US);
	halt_flow(100000);
	pass_on_packets_in(3 * US, 0, 5);
	pass_on_expect_pfc(true);
	fcn_worker_port_remove(bench.worker, 0);
	assert_int_equal(
			one_worker_port_add(bench.worker, 0, &bench_ops, &bench.port[0], slots), 0);
	bench_new_snapshot();
	bench_poll(4 * US);
	assert_int_equal(bench.port[0].n_out, 0);
	pass_on_packets_in(5 * US, 0, 1);
	pass_on_expect_pfc(true);
	halt_flow(0);
	bench_poll(6 * US);
	bench_poll(6 * US);
	pass_on_expect_pfc(false);
	assert_int_equal(bench_all_drops(), 0);
}
