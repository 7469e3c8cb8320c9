/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Halts of a class that are passed on to those who send the packets: by messages, by PFC and by
 * Fast CNPs. */

#include "arn_order.h"
#include "fcn_pfc.h"
#include "pass_on_bench.h"

/* A downstream switch asks to halt the class, or to let it go on with a time of 0. */
static void
halt_class(uint32_t time_us)
{
	const struct fcn_arn_order order = {
			.arn = {.type = time_us != 0 ? FCN_ARN_CONGESTION : FCN_ARN_ENDED,
					.parameters = FCN_ARN_PRIORITY | FCN_ARN_TIME,
					.priority = CLASS,
					.time_us = time_us},
			.port = 1,
	};

	fcn_arn_distribute(bench.worker, &order);
}

/* Check that port 3 has sent one message, about the class. */
static void
expect_class(uint8_t type, uint8_t level, uint8_t to)
{
	const uint8_t *d;

	assert_int_equal(bench.port[3].n_out, 1);
	d = bench_out(3, 0);
	assert_int_equal(d[14 + 39], to);
	assert_int_equal(d[ARN_OFF], type);
	assert_int_equal(d[ARN_OFF + 2], level);
	assert_int_equal(d[ARN_OFF + 3], FCN_ARN_PRIORITY | FCN_ARN_TIME);
	assert_int_equal(d[ARN_OFF + 7], CLASS);
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = pass_on_setup, .teardown = bench_teardown);

/* The neighbours of the port that receives the packets are asked from 5000 bytes on, until the halt
 * ends. */
TEST(class_by_message)
{
	const struct fcn_arn_edge_state *e = bench.worker->arn_edge;
	struct fcn_event ev[4];

	bench_poll(1 * US);
	halt_class(100);
	bench_poll(2 * US);
	pass_on_packets_in(3 * US, 0, 4);
	pass_on_expect_none();
	pass_on_packets_in(4 * US, 0, 1); /* 5000 of 40000 bytes are an eighth */
	expect_class(1, 1, 1);
	assert_int_equal(bench.worker->arn->halt[0].cause.reason, FCN_ARN_REASON_HELD);
	pass_on_packets_in(5 * US, 2, 5); /* which has another neighbour */
	expect_class(1, 2, 3);
	bench_poll(14 * US); /* half of 20 us later */
	assert_int_equal(bench.port[3].n_out, 2);
	halt_class(0);
	bench_poll(15 * US);
	assert_int_equal(fcn_worker_next_event(bench.worker, 15 * US), 15 * US);
	bench_poll(15 * US);
	assert_int_equal(bench.port[3].n_out, 2);
	assert_int_equal(bench_out(3, 0)[ARN_OFF], 2);
	assert_int_equal(bench_out(3, 1)[ARN_OFF], 2);
	assert_true(fcn_arn_sender_is_idle(bench.worker->arn));
	pass_on_packets_in(16 * US, 0, 1);
	pass_on_expect_none();
	assert_int_equal(e->begun, 1);
	assert_int_equal(e->ended, 1);
	assert_int_equal(bench_events_of(FCN_EVENT_ARN_PASSED_ON, ev, 4), 2);
	assert_int_equal(ev[0].time_ns, 4 * US);
	assert_int_equal(ev[0].port, 1);
	assert_int_equal(ev[0].in_port, 0);
	assert_int_equal(ev[0].class, CLASS);
	assert_int_equal(ev[0].level, 1);
	assert_int_equal(ev[0].occupancy, 5000);
	assert_int_equal(ev[1].in_port, 2);
}

/* A halt also ends when its time is over. */
TEST(class_expires)
{
	bench_poll(1 * US);
	halt_class(100);
	bench_poll(2 * US);
	pass_on_packets_in(95 * US, 0, 5);
	expect_class(1, 1, 1);
	assert_int_equal(fcn_worker_next_event(bench.worker, 95 * US), 101 * US);
	bench_poll(101 * US);
	bench_poll(101 * US);
	expect_class(2, 0, 1);
	assert_int_equal(bench.worker->arn_edge->n, 0);
}

/* At an edge port the link partner is asked to pause the class, and again after half the time. */
TEST(class_by_pfc)
{
	const struct fcn_arn_edge_state *e = bench.worker->arn_edge;
	const uint64_t half = fcn_pfc_quanta_to_ns(65535, BENCH_LINK_BPS) / 2;

	pass_on_edge(FCN_ARN_EDGE_PFC, 20000);
	bench_poll(1 * US);
	halt_class(5000);
	bench_poll(2 * US);
	pass_on_packets_in(3 * US, 0, 4);
	assert_int_equal(bench.port[0].n_out, 0);
	pass_on_packets_in(4 * US, 0, 1);
	pass_on_expect_pfc(true);
	assert_int_equal(bench.worker->ingress[0][CLASS].xoff, false);
	pass_on_packets_in(5 * US, 0, 1);
	assert_int_equal(bench.port[0].n_out, 0);
	bench_poll(4 * US + half);
	pass_on_expect_pfc(true);
	pass_on_expect_none();
	halt_class(0);
	bench_poll(4 * US + half + 1);
	assert_int_equal(bench.port[1].n_out, 6);
	bench_poll(4 * US + half + 1);
	pass_on_expect_pfc(false);
	assert_int_equal(e->pfc, 1);
	assert_int_equal(e->begun, 1);
	assert_int_equal(e->ended, 1);
	assert_int_equal(bench_all_drops(), 0);
}

/* A pause that the account of the port needs, too, goes on with the account. */
TEST(account_too)
{
	bench_set_ops(1, &bench_gate_ops);
	pass_on_edge(FCN_ARN_EDGE_PFC, 7000);
	bench_poll(1 * US);
	halt_class(5000);
	bench_poll(2 * US);
	pass_on_packets_in(3 * US, 0, 5);
	pass_on_expect_pfc(true);
	pass_on_packets_in(4 * US, 0, 3);
	assert_true(bench.worker->ingress[0][CLASS].xoff);
	assert_int_equal(bench.port[0].n_out, 0);
	bench.port[1].accept = 0;
	halt_class(0);
	bench_poll(5 * US);
	bench_poll(5 * US);
	assert_int_equal(bench.worker->arn_edge->n, 0);
	assert_int_equal(bench.port[0].n_out, 0);
	bench.port[1].accept = 256;
	bench_poll(6 * US);
	bench_poll(6 * US);
	pass_on_expect_pfc(false);
}

/* PFC is for lossless classes only. */
TEST(not_lossless)
{
	pass_on_edge(FCN_ARN_EDGE_PFC, 0);
	bench_poll(1 * US);
	halt_class(5000);
	bench_poll(2 * US);
	pass_on_packets_in(3 * US, 0, 6);
	assert_int_equal(bench.port[0].n_out, 0);
	pass_on_expect_none();
	assert_int_equal(bench.worker->arn_edge->not_lossless, 2);
	assert_int_equal(bench.worker->arn_edge->begun, 0);
	halt_class(0);
	bench_poll(4 * US);
}

/* It ends when the configuration does not want it any more. */
TEST(reconfigured)
{
	for (unsigned int k = 0; k < 3; k++) {
		const uint64_t t = 100 * (k + 1) * US;

		pass_on_edge(FCN_ARN_EDGE_PFC, 20000);
		bench_poll(t);
		halt_class(5000);
		bench_poll(t + 1);
		pass_on_packets_in(t + 2, 0, 5);
		pass_on_expect_pfc(true);
		switch (k) {
		case 0:
			bench.snap.port[0].arn_edge = FCN_ARN_EDGE_OFF;
			break;
		case 1:
			bench.snap.arn.pass_on_bytes = 0;
			break;
		default:
			bench.snap.port[0].lossless = 0;
			bench.snap.port[0].pause.tx_classes = 0;
			bench.snap.port[0].ingress[CLASS].lossless = false;
			break;
		}
		bench_new_snapshot();
		bench_poll(t + 3);
		pass_on_expect_pfc(false);
		bench.snap.arn.pass_on_bytes = ENOUGH;
		halt_class(0);
		bench_poll(t + 4);
	}
}

/* A Fast CNP to the sender, by the decision that detectors ask for. */
TEST(class_by_notice)
{
	bench_notices(1, 30000);
	pass_on_edge(FCN_ARN_EDGE_FAST_CNP, 0);
	bench_poll(1 * US);
	halt_class(5000);
	bench_poll(2 * US);
	pass_on_packets_in(3 * US, 0, 4);
	assert_int_equal(bench.port[0].n_out, 0);
	pass_on_packets_in(4 * US, 0, 2);
	assert_int_equal(bench.port[0].n_out, 2);
	assert_int_equal(bench.worker->arn_edge->notified, 2);
	/* With a limit of one notice for a flow in a millisecond. */
	bench.snap.notify.kind[0].interval_ns = 1000 * US;
	bench_new_snapshot();
	pass_on_packets_in(5 * US, 0, 3);
	assert_true(bench.port[0].n_out <= 1);
	pass_on_packets_in(6 * US, 0, 3);
	assert_int_equal(bench.port[0].n_out, 0);
	halt_class(0);
	bench_poll(7 * US);
}

/* A packet about which the detector of its queue has asked for that decision gets no second one. */
TEST(class_by_one_notice)
{
	bench_notices(1, 2500);
	pass_on_edge(FCN_ARN_EDGE_FAST_CNP, 0);
	bench_poll(1 * US);
	halt_class(5000);
	bench_poll(2 * US);
	pass_on_packets_in(3 * US, 0, 2);
	assert_int_equal(bench.port[0].n_out, 0);
	pass_on_packets_in(4 * US, 0, 4);
	assert_int_equal(bench.port[0].n_out, 4);
	assert_int_equal(bench.worker->arn_edge->notified, 0);
	halt_class(0);
	bench_poll(5 * US);
}
