/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Halts that are passed on to those who send the packets: by messages, by PFC and by Fast CNPs. */

#include "arn_order.h"
#include "fcn_arn_flow.h"
#include "fcn_pfc.h"
#include "one_worker.h"
#include "testbed.h"

#define US UINT64_C(1000)
#define CLASS 3
#define ENOUGH 5000
#define ARN_OFF (14 + 40 + 8)
#define PACKET 1000 /* bytes of a frame */

static void
neighbour(unsigned int i, uint8_t number, uint16_t port)
{
	struct fcn_arn_conf *arn = &bench.snap.arn;
	uint8_t *addr = arn->neighbour[i].addr;

	memset(addr, 0, 16);
	memcpy(addr, (uint8_t[]){0x20, 0x01, 0x0d, 0xb8, 0, 0xf}, 6);
	addr[15] = number;
	arn->neighbour[i].port = port;
	memcpy(arn->sender.neighbour_addr[i], addr, 16);
	arn->n_neighbours = i + 1;
	arn->sender.n_neighbours = i + 1;
}

/* Packets go from ports 0 and 2 to port 1, messages to port 3. */
static int
setup(void **state)
{
	struct fcn_arn_conf *arn;

	bench_setup(state);
	bench_route("2001:db8:1::/48", 5);
	bench_route("2001:db8:0::/48", 4);
	bench_route("2001:db8:f::/48", 7);
	bench_routes_done();
	arn = &bench.snap.arn;
	arn->port = 1022;
	arn->send = true;
	arn->receive = true;
	arn->class = 6;
	arn->pass_on_bytes = ENOUGH;
	arn->held = (struct fcn_held_flows_conf){
			.flows = 16,
			.packets = 1000,
			.bytes = 1000000,
			.flow_packets = 1000,
			.flow_bytes = 20000,
			.max_ns = 1000000 * US,
	};
	memcpy(arn->source, (uint8_t[]){0x20, 0x01, 0x0d, 0xb8, 0, 0xf}, 6);
	arn->source[15] = 2;
	neighbour(0, 1, 0);
	neighbour(1, 3, 2);
	bench_queue_conf(1, CLASS)->arn_time_us = 20;
	bench_queue_conf(1, CLASS)->limit_bytes = 40000;
	bench_new_snapshot();
	return 0;
}

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

static void
packets_in(uint64_t now, uint16_t port, unsigned int n)
{
	struct frame f;

	frame_roce6(&f, 1, 1, 2, PACKET - 14 - 40 - 8 - 12 - 4);
	frame_to_port(&f, port, 1);
	assert_int_equal(f.len, PACKET);
	for (unsigned int i = 0; i < n; i++)
		bench_in(port, &f);
	bench_poll(now);
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

static void
expect_none(void)
{
	assert_int_equal(bench.port[3].n_out, 0);
}

/* The neighbours of the port that receives the packets are asked from 5000 bytes on, until the halt
 * ends. */
static void
test_class_by_message(void **state)
{
	const struct fcn_arn_edge_state *e = bench.worker->arn_edge;
	struct fcn_event ev[4];

	RTE_SET_USED(state);
	bench_poll(1 * US);
	halt_class(100);
	bench_poll(2 * US);
	packets_in(3 * US, 0, 4);
	expect_none();
	packets_in(4 * US, 0, 1); /* 5000 of 40000 bytes are an eighth */
	expect_class(1, 1, 1);
	assert_int_equal(bench.worker->arn->halt[0].cause.reason, FCN_ARN_REASON_HELD);
	packets_in(5 * US, 2, 5); /* which has another neighbour */
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
	packets_in(16 * US, 0, 1);
	expect_none();
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
static void
test_class_expires(void **state)
{
	RTE_SET_USED(state);
	bench_poll(1 * US);
	halt_class(100);
	bench_poll(2 * US);
	packets_in(95 * US, 0, 5);
	expect_class(1, 1, 1);
	assert_int_equal(fcn_worker_next_event(bench.worker, 95 * US), 101 * US);
	bench_poll(101 * US);
	bench_poll(101 * US);
	expect_class(2, 0, 1);
	assert_int_equal(bench.worker->arn_edge->n, 0);
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
}

static void
edge(enum fcn_arn_edge how, uint32_t xoff)
{
	bench.snap.port[0].arn_edge = how;
	if (xoff != 0)
		bench_lossless(0, CLASS, xoff, xoff / 2, 40000);
	bench_new_snapshot();
}

/* At an edge port the link partner is asked to pause the class, and again after half the time. */
static void
test_class_by_pfc(void **state)
{
	const struct fcn_arn_edge_state *e = bench.worker->arn_edge;
	const uint64_t half = fcn_pfc_quanta_to_ns(65535, BENCH_LINK_BPS) / 2;

	RTE_SET_USED(state);
	edge(FCN_ARN_EDGE_PFC, 20000);
	bench_poll(1 * US);
	halt_class(5000);
	bench_poll(2 * US);
	packets_in(3 * US, 0, 4);
	assert_int_equal(bench.port[0].n_out, 0);
	packets_in(4 * US, 0, 1);
	expect_pfc(true);
	assert_int_equal(bench.worker->ingress[0][CLASS].xoff, false);
	packets_in(5 * US, 0, 1);
	assert_int_equal(bench.port[0].n_out, 0);
	bench_poll(4 * US + half);
	expect_pfc(true);
	expect_none();
	halt_class(0);
	bench_poll(4 * US + half + 1);
	assert_int_equal(bench.port[1].n_out, 6);
	bench_poll(4 * US + half + 1);
	expect_pfc(false);
	assert_int_equal(e->pfc, 1);
	assert_int_equal(e->begun, 1);
	assert_int_equal(e->ended, 1);
	assert_int_equal(bench_all_drops(), 0);
}

/* A pause that the account of the port needs, too, goes on with the account. */
static void
test_account_too(void **state)
{
	RTE_SET_USED(state);
	bench_set_ops(1, &bench_gate_ops);
	edge(FCN_ARN_EDGE_PFC, 7000);
	bench_poll(1 * US);
	halt_class(5000);
	bench_poll(2 * US);
	packets_in(3 * US, 0, 5);
	expect_pfc(true);
	packets_in(4 * US, 0, 3);
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
	expect_pfc(false);
}

/* PFC is for lossless classes only. */
static void
test_not_lossless(void **state)
{
	RTE_SET_USED(state);
	edge(FCN_ARN_EDGE_PFC, 0);
	bench_poll(1 * US);
	halt_class(5000);
	bench_poll(2 * US);
	packets_in(3 * US, 0, 6);
	assert_int_equal(bench.port[0].n_out, 0);
	expect_none();
	assert_int_equal(bench.worker->arn_edge->not_lossless, 2);
	assert_int_equal(bench.worker->arn_edge->begun, 0);
	halt_class(0);
	bench_poll(4 * US);
}

/* It ends when the configuration does not want it any more. */
static void
test_reconfigured(void **state)
{
	RTE_SET_USED(state);
	for (unsigned int k = 0; k < 3; k++) {
		const uint64_t t = 100 * (k + 1) * US;

		edge(FCN_ARN_EDGE_PFC, 20000);
		bench_poll(t);
		halt_class(5000);
		bench_poll(t + 1);
		packets_in(t + 2, 0, 5);
		expect_pfc(true);
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
		expect_pfc(false);
		bench.snap.arn.pass_on_bytes = ENOUGH;
		halt_class(0);
		bench_poll(t + 4);
	}
}

/* A Fast CNP to the sender, by the decision that detectors ask for. */
static void
test_class_by_notice(void **state)
{
	RTE_SET_USED(state);
	bench_notices(1, 30000);
	edge(FCN_ARN_EDGE_FAST_CNP, 0);
	bench_poll(1 * US);
	halt_class(5000);
	bench_poll(2 * US);
	packets_in(3 * US, 0, 4);
	assert_int_equal(bench.port[0].n_out, 0);
	packets_in(4 * US, 0, 2);
	assert_int_equal(bench.port[0].n_out, 2);
	assert_int_equal(bench.worker->arn_edge->notified, 2);
	/* With a limit of one notice for a flow in a millisecond. */
	bench.snap.notify.kind[0].interval_ns = 1000 * US;
	bench_new_snapshot();
	packets_in(5 * US, 0, 3);
	assert_true(bench.port[0].n_out <= 1);
	packets_in(6 * US, 0, 3);
	assert_int_equal(bench.port[0].n_out, 0);
	halt_class(0);
	bench_poll(7 * US);
}

/* A packet about which the detector of its queue has asked for that decision gets no second one. */
static void
test_class_by_one_notice(void **state)
{
	RTE_SET_USED(state);
	bench_notices(1, 2500);
	edge(FCN_ARN_EDGE_FAST_CNP, 0);
	bench_poll(1 * US);
	halt_class(5000);
	bench_poll(2 * US);
	packets_in(3 * US, 0, 2);
	assert_int_equal(bench.port[0].n_out, 0);
	packets_in(4 * US, 0, 4);
	assert_int_equal(bench.port[0].n_out, 4);
	assert_int_equal(bench.worker->arn_edge->notified, 0);
	halt_class(0);
	bench_poll(5 * US);
}

/* ---- held flows ---- */

/* A downstream switch asks to halt the flow of packets_in(). */
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

/* Check that port 3 has sent one message, about the flow of packets_in(). */
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

static void
test_flow_by_message(void **state)
{
	const struct fcn_arn_edge_state *e = bench.worker->arn_edge;

	RTE_SET_USED(state);
	bench_poll(1 * US);
	halt_flow(100);
	packets_in(3 * US, 0, 4);
	expect_none();
	packets_in(4 * US, 0, 1); /* 5000 of 20000 bytes are two eighths */
	expect_flow(1, 2, 1);
	packets_in(5 * US, 2, 5);
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
	packets_in(20 * US, 0, 4);
	expect_none();
	packets_in(21 * US, 0, 1);
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
static void
test_flow_ends_first(void **state)
{
	RTE_SET_USED(state);
	bench_set_ops(1, &bench_gate_ops);
	bench.port[1].accept = 0;
	bench_queue_conf(1, CLASS)->limit_bytes = 2000;
	bench_new_snapshot();
	bench_poll(1 * US);
	halt_flow(1000);
	packets_in(2 * US, 0, 6);
	expect_flow(1, 2, 1);
	halt_flow(0);
	bench_poll(3 * US);
	assert_true(bench.worker->arn_held.flows.bytes >= ENOUGH / 2);
	bench_poll(3 * US);
	expect_flow(2, 0, 1);
	packets_in(4 * US, 0, 1); /* which waits behind the others, but is not halted */
	expect_none();
	bench.port[1].accept = 256;
	for (unsigned int i = 0; i < 8; i++)
		bench_poll(5 * US + i);
}

static void
test_flow_by_pfc(void **state)
{
	const uint64_t half = fcn_pfc_quanta_to_ns(65535, BENCH_LINK_BPS) / 2;

	RTE_SET_USED(state);
	edge(FCN_ARN_EDGE_PFC, 30000);
	bench_poll(1 * US);
	halt_flow(100000);
	packets_in(3 * US, 0, 4);
	assert_int_equal(bench.port[0].n_out, 0);
	packets_in(4 * US, 0, 1);
	expect_pfc(true);
	bench_poll(4 * US + half);
	expect_pfc(true);
	expect_none();
	halt_flow(0);
	bench_poll(5 * US + half);
	assert_int_equal(bench.port[1].n_out, 5);
	bench_poll(5 * US + half);
	expect_pfc(false);
	assert_int_equal(bench_all_drops(), 0);
}

/* Packets of another flow come and go: the pause goes on, as the held flow needs it. */
static void
test_flow_and_account(void **state)
{
	struct frame f;

	RTE_SET_USED(state);
	bench_set_ops(1, &bench_gate_ops);
	edge(FCN_ARN_EDGE_PFC, 9000);
	bench.snap.port[0].ingress[CLASS].xon = 6000;
	bench_new_snapshot();
	bench_poll(1 * US);
	halt_flow(100000);
	packets_in(2 * US, 0, 5);
	expect_pfc(true);
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
	expect_pfc(false);
}

static void
test_flow_by_notice(void **state)
{
	RTE_SET_USED(state);
	bench_notices(1, 30000);
	bench.snap.notify.kind[0].interval_ns = 50 * US;
	edge(FCN_ARN_EDGE_FAST_CNP, 0);
	bench_poll(1 * US);
	halt_flow(1000);
	packets_in(100 * US, 0, 4);
	assert_int_equal(bench.port[0].n_out, 0);
	packets_in(101 * US, 0, 3);
	assert_int_equal(bench.port[0].n_out, 1);
	packets_in(150 * US, 0, 1);
	assert_int_equal(bench.port[0].n_out, 0);
	packets_in(152 * US, 0, 1);
	assert_int_equal(bench.port[0].n_out, 1);
	assert_int_equal(bench.worker->arn_edge->notified, 2);
	halt_flow(0);
	bench_poll(160 * US);
	assert_int_equal(bench.port[1].n_out, 9);
}

/* Small packets: half of those that may wait do, although there are few bytes. */
static void
test_flow_of_small_packets(void **state)
{
	struct frame f;

	RTE_SET_USED(state);
	bench.snap.arn.held.flow_packets = 8;
	bench_new_snapshot();
	bench_poll(1 * US);
	halt_flow(100);
	frame_roce6(&f, 1, 1, 2, 100);
	frame_to_port(&f, 0, 1);
	for (unsigned int i = 0; i < 3; i++)
		bench_in(0, &f);
	bench_poll(3 * US);
	expect_none();
	bench_in(0, &f);
	bench_poll(4 * US);
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
static void
test_no_neighbour(void **state)
{
	RTE_SET_USED(state);
	neighbour(0, 1, 3);
	neighbour(1, 3, 2);
	bench_new_snapshot();
	bench_poll(1 * US);
	halt_flow(100);
	packets_in(3 * US, 0, 6);
	expect_none();
	assert_int_equal(bench.worker->arn->no_neighbour, 2);
	assert_int_equal(bench.worker->arn_edge->n, 0);
	packets_in(4 * US, 2, 1);
	expect_flow(1, 2, 3);
	packets_in(5 * US, 0, 1);
	assert_int_equal(bench.worker->arn_edge->n, 1);
	halt_flow(0);
	bench_poll(6 * US);
	bench_poll(6 * US);
	assert_int_equal(bench.worker->arn_edge->begun, 1);
	assert_int_equal(bench.worker->arn_edge->ended, 1);
}

/* Packets that wait for a port that goes are lost, and what was asked for ends. */
static void
test_port_gone(void **state)
{
	RTE_SET_USED(state);
	edge(FCN_ARN_EDGE_PFC, 30000);
	bench_poll(1 * US);
	halt_flow(100000);
	packets_in(3 * US, 0, 5);
	expect_pfc(true);
	fcn_worker_port_remove(bench.worker, 1);
	bench_poll(4 * US);
	bench_poll(4 * US);
	expect_pfc(false);
	assert_int_equal(bench_drops(FCN_DROP_PORT_GONE), 5);
}

/* A port that takes the place of one that was paused is paused, too, when it sends more. */
static void
test_port_replaced(void **state)
{
	const uint32_t slots[FCN_CLASSES] = {64, 64, 64, 64, 64, 64, 64, 64};

	RTE_SET_USED(state);
	edge(FCN_ARN_EDGE_PFC, 30000);
	bench_poll(1 * US);
	halt_flow(100000);
	packets_in(3 * US, 0, 5);
	expect_pfc(true);
	fcn_worker_port_remove(bench.worker, 0);
	assert_int_equal(
			one_worker_port_add(bench.worker, 0, &bench_ops, &bench.port[0], slots), 0);
	bench_new_snapshot();
	bench_poll(4 * US);
	assert_int_equal(bench.port[0].n_out, 0);
	packets_in(5 * US, 0, 1);
	expect_pfc(true);
	halt_flow(0);
	bench_poll(6 * US);
	bench_poll(6 * US);
	expect_pfc(false);
	assert_int_equal(bench_all_drops(), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, bench_teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(test_class_by_message),
			TEST(test_class_expires),
			TEST(test_class_by_pfc),
			TEST(test_account_too),
			TEST(test_not_lossless),
			TEST(test_reconfigured),
			TEST(test_class_by_notice),
			TEST(test_class_by_one_notice),
			TEST(test_flow_by_message),
			TEST(test_flow_ends_first),
			TEST(test_flow_by_pfc),
			TEST(test_flow_and_account),
			TEST(test_flow_by_notice),
			TEST(test_flow_of_small_packets),
			TEST(test_no_neighbour),
			TEST(test_port_gone),
			TEST(test_port_replaced),
	};

	return cmocka_run_group_tests_name(
			"arn_pass_on", tests, fcn_test_eal_init, fcn_test_eal_cleanup);
}
