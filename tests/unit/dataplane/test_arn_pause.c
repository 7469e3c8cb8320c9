/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Pauses of a link partner that become requests to upstream neighbours. */

#include "testbed.h"

#define US UINT64_C(1000)
#define CLASS 3
#define AFTER_US 10
#define QUANTA 1000 /* at 10 Gbit/s one is 51.2 ns */
#define PAUSE_NS 51200
#define ARN_OFF (14 + 40 + 8)

static void
neighbour(unsigned int i, uint8_t number, uint16_t port)
{
	struct fcn_arn_conf *arn = &bench.snap.arn;
	uint8_t *addr = arn->neighbour[i].addr;

	memset(addr, 0, 16);
	addr[0] = 0x20;
	addr[1] = 0x01;
	addr[2] = 0x0d;
	addr[3] = 0xb8;
	addr[5] = 0xf;
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
	struct fcn_arn_conf *arn = &bench.snap.arn;

	bench_setup(state);
	bench_route("2001:db8:1::/48", 5);
	bench_route("2001:db8:f::/48", 7);
	bench_routes_done();
	bench_pfc_rx(1, 1 << CLASS);
	arn->port = 1022;
	arn->send = true;
	arn->class = 6;
	arn->from_pfc = true;
	arn->from_pfc_ns = AFTER_US * US;
	memcpy(arn->source, (uint8_t[]){0x20, 0x01, 0x0d, 0xb8, 0, 0xf}, 6);
	arn->source[15] = 2;
	neighbour(0, 1, 0);
	neighbour(1, 3, 2);
	bench_queue_conf(1, CLASS)->policy.arn = 1 + FCN_ARN_MODE_FLOW;
	bench_queue_conf(1, CLASS)->arn_time_us = 20;
	bench_new_snapshot();
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

static void
pfc_in(uint64_t now, uint16_t quanta)
{
	struct frame f;

	frame_pfc(&f, 1 << CLASS, quanta);
	bench_send(1, &f, now);
}

static void
packet_in(uint64_t now, uint16_t port, uint8_t sender)
{
	struct frame f;

	frame_roce6(&f, sender, 1, 2, 100);
	frame_to_port(&f, port, sender);
	bench_send(port, &f, now);
}

/* Check that the only message is this one, about the flow of a sender. */
static void
expect(uint8_t type, uint8_t neighbour, uint8_t sender)
{
	const uint8_t *d;

	assert_int_equal(bench.port[3].n_out, 1);
	d = bench_out(3, 0);
	assert_int_equal(d[14 + 39], neighbour);
	assert_int_equal(d[ARN_OFF], type);
	assert_int_equal(d[ARN_OFF + 4 + 8 + 15], sender);
}

static void
expect_none(void)
{
	assert_int_equal(bench.port[3].n_out, 0);
}

/* From when the pause has lasted long enough, until it ends; again after half of the time. */
TEST(pause)
{
	packet_in(1 * US, 0, 1);
	pfc_in(2 * US, QUANTA);
	packet_in(3 * US, 0, 1);
	expect_none();
	packet_in(12 * US - 1, 0, 1);
	expect_none();
	packet_in(12 * US, 0, 1);
	expect(1, 1, 1);
	packet_in(13 * US, 0, 1);
	expect_none();
	packet_in(13 * US, 2, 4); /* it came by another port, and has another neighbour */
	expect(1, 3, 4);
	assert_int_equal(fcn_worker_next_event(bench.worker, 13 * US), 22 * US);
	bench_poll(22 * US);
	expect(1, 1, 1);
	bench_poll(23 * US);
	expect(1, 3, 4);
	pfc_in(25 * US, 0);
	assert_int_equal(fcn_worker_next_event(bench.worker, 25 * US), 25 * US);
	bench_poll(25 * US);
	assert_int_equal(bench.port[3].n_out, 2);
	assert_int_equal(bench_out(3, 0)[ARN_OFF], 2);
	assert_int_equal(bench_out(3, 1)[ARN_OFF], 2);
	assert_true(fcn_arn_sender_is_idle(bench.worker->arn));
	packet_in(26 * US, 0, 1);
	expect_none();
}

/* A pause also ends when its time is over, and a frame prolongs it. */
TEST(expiry)
{
	pfc_in(2 * US, QUANTA);
	packet_in(20 * US, 0, 1);
	expect(1, 1, 1);
	pfc_in(25 * US, QUANTA);
	for (uint64_t t = 30 * US; t <= 70 * US; t += 10 * US) {
		bench_poll(t);
		expect(1, 1, 1);
	}
	bench_poll(25 * US + PAUSE_NS);
	bench_poll(25 * US + PAUSE_NS);
	expect(2, 1, 1);
	assert_true(fcn_arn_sender_is_idle(bench.worker->arn));
}

/* A halt that has two reasons ends with the last of them. */
TEST(congested_too)
{
	struct fcn_queue_conf *q = bench_queue_conf(1, CLASS);

	q->detector.type = FCN_DETECTOR_STEP;
	q->detector.enter = 1;
	q->detector.leave = 1;
	bench_new_snapshot();
	pfc_in(2 * US, QUANTA);
	packet_in(3 * US, 0, 1);
	expect(1, 1, 1);
	packet_in(12 * US, 0, 1);
	expect_none();
	assert_int_equal(bench.worker->arn->halt[0].cause.reason,
			FCN_ARN_REASON_CONGESTED | FCN_ARN_REASON_PAUSED);
	pfc_in(12 * US, 0);
	bench_poll(13 * US);
	expect(2, 1, 1);
}

/* What is not configured: from-pfc, arn of the queue, pauses of the class. */
TEST(off)
{
	struct fcn_queue_conf *q = bench_queue_conf(1, CLASS);

	for (unsigned int k = 0; k < 3; k++) {
		bench.snap.arn.from_pfc = k != 0;
		q->policy.arn = k != 1 ? 1 + FCN_ARN_MODE_FLOW : 0;
		bench.snap.port[1].pause.rx_classes = k != 2 ? 1 << CLASS : 1 << 4;
		bench_new_snapshot();
		pfc_in((100 * k + 2) * US, QUANTA);
		packet_in((100 * k + 20) * US, 0, 1);
		expect_none();
	}
}

/* It ends when it is switched off, or the port has no link any more. */
TEST(ends_by_configuration)
{
	for (unsigned int k = 0; k < 2; k++) {
		bench.snap.arn.from_pfc = true;
		bench.snap.port[1].down = false;
		bench_new_snapshot();
		pfc_in((100 * k + 2) * US, QUANTA);
		packet_in((100 * k + 20) * US, 0, 1);
		expect(1, 1, 1);
		if (k == 0)
			bench.snap.arn.from_pfc = false;
		else
			bench.snap.port[1].down = true;
		bench_new_snapshot();
		bench_poll((100 * k + 21) * US);
		expect(2, 1, 1);
		pfc_in((100 * k + 22) * US, 0);
	}
}

/* In a pause storm packets leave, or are dropped; there is nothing to wait for. */
TEST(storm)
{
	struct fcn_pause_conf *pause = &bench.snap.port[1].pause;

	pause->action = FCN_STORM_DROP;
	pause->detect_ns = 15 * US;
	pause->restore_ns = 1000 * US;
	bench_new_snapshot();
	pfc_in(2 * US, QUANTA);
	packet_in(12 * US, 0, 1);
	expect(1, 1, 1);
	bench_poll(17 * US);
	bench_poll(17 * US);
	expect(2, 1, 1);
	packet_in(20 * US, 0, 1);
	expect_none();
}

/* Packets of a sub-interface concern the neighbour at its port. */
TEST(sub_interface)
{
	static uint16_t vlans[FCN_VLANS];
	const uint16_t number = 10, vlan = 100;
	struct frame f;

	memset(vlans, 0xFF, sizeof(vlans));
	vlans[vlan] = number;
	bench.snap.port[2].sub = vlans;
	bench.snap.port[number] = (struct fcn_snapshot_port){.mode = FCN_PORT_ROUTED,
			.mac = bench.snap.port[2].mac,
			.mtu = 1500,
			.parent = 2,
			.vlan = vlan};
	bench_new_snapshot();
	pfc_in(2 * US, QUANTA);
	frame_roce6(&f, 4, 1, 2, 100);
	frame_to_port(&f, 2, 4);
	memmove(f.data + 16, f.data + 12, f.len - 12);
	memcpy(f.data + 12, (uint8_t[]){0x81, 0, 0, vlan}, 4);
	f.len += 4;
	bench_send(2, &f, 20 * US);
	assert_int_equal(bench.worker->counters[number].sub_rx_packets, 1);
	expect(1, 3, 4);
}

/* A message is routed by the table of its neighbour, whatever that of the port is. */
TEST(tables)
{
	struct fcn_fib_route routes[2];

	assert_int_equal(fcn_prefix_parse("2001:db8:1::/48", &routes[0].prefix), 0);
	assert_int_equal(fcn_prefix_parse("2001:db8:f::3/128", &routes[1].prefix), 0);
	routes[0].next_hop = 1;
	routes[1].next_hop = 2;
	bench.next_hop[9] = bench.next_hop[5];  /* by port 1 */
	bench.next_hop[10] = bench.next_hop[6]; /* by port 2 */
	bench.snap.table[1].fib = fcn_fib_create("red", routes, 2, SOCKET_ID_ANY);
	bench.snap.table[1].first = 8;
	assert_non_null(bench.snap.table[1].fib);
	bench.snap.port[0].table = 1;
	bench.snap.arn.neighbour[1].table = 1;
	bench.snap.arn.sender.neighbour_table[1] = 1;
	bench_new_snapshot();
	pfc_in(2 * US, QUANTA);
	packet_in(20 * US, 0, 1);
	expect(1, 1, 1);
	packet_in(21 * US, 2, 4);
	expect_none();
	assert_int_equal(bench.port[2].n_out, 1);
	assert_int_equal(bench_out(2, 0)[14 + 39], 3);
	assert_int_equal(bench.worker->arn->unreachable, 0);
	bench.snap.port[0].table = 0;
	bench.snap.arn.send = false;
	bench_new_snapshot();
	bench_poll(22 * US);
	fcn_fib_free(bench.snap.table[1].fib);
	bench.snap.table[1].fib = NULL;
}
