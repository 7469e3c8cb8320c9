/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Packets that were to be sent and never will be: no link, too long for the device, a device that
 * takes nothing. */

#include "testbed.h"

#define SECOND UINT64_C(1000000000)

static uint32_t max_frame;

/* A device that takes nothing any more once a packet in front is longer than it likes. */
static uint16_t
picky_tx_burst(void *priv, struct rte_mbuf **pkts, uint16_t n, uint64_t now)
{
	uint16_t fit = 0;

	while (fit < n && pkts[fit]->pkt_len <= max_frame)
		fit++;
	return bench_ops.tx_burst(priv, pkts, fit, now);
}

static uint32_t
tx_max_frame(void *priv)
{
	RTE_SET_USED(priv);
	return max_frame;
}

static struct fcn_port_ops picky_ops;

static int
setup(void **state)
{
	bench_setup(state);
	bench_route("2001:db8:3::/48", 3); /* a gateway whose MAC address is unknown */
	bench_port_routes(2);
	picky_ops = bench_ops;
	picky_ops.tx_burst = picky_tx_burst;
	max_frame = UINT32_MAX;
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

/* n packets of class 3 to port 1, so many bytes long, numbered from `first` on */
static void
send_some(unsigned int first, unsigned int n, uint32_t len)
{
	struct frame f;

	for (unsigned int i = 0; i < n; i++) {
		frame_roce6(&f, 1, 1, 2, len - 78);
		f.data[f.len - 1] = first + i;
		bench_in(0, &f);
	}
}

/* A turn receives 32 of them. */
static void
take(unsigned int n, uint64_t now)
{
	for (unsigned int i = 0; i < n; i += 32)
		bench_poll(now);
}

static void
assert_numbers(unsigned int first, unsigned int n)
{
	assert_int_equal(bench.port[1].n_out, n);
	for (unsigned int i = 0; i < n; i++)
		assert_int_equal(bench_out(1, i)[bench_out_len(1, i) - 1], first + i);
}

static void
set_down(bool down)
{
	bench.snap.port[1].down = down;
	bench_new_snapshot();
}

/* What is queued goes, staged or not; what comes is refused; nothing is offered to the device. */
TEST(down)
{
	struct fcn_queue *q = bench_queue(1, 3);

	bench_lossless(0, 3, 2000, 1000, 100000);
	bench.port[1].accept = 0;
	send_some(0, 100, 200);
	take(100, 1000);
	assert_int_equal(bench.worker->port[1].egress->n_staged, FCN_EGRESS_BURST);
	assert_int_equal(fcn_queue_packets(q), 100 - FCN_EGRESS_BURST);
	bench.port[1].accept = 1000;
	set_down(true);
	send_some(0, 5, 200);
	assert_true(bench_poll(2000) > 0);
	assert_int_equal(bench.port[1].n_out, 0);
	assert_int_equal(bench.worker->counters[0].drop[FCN_DROP_PORT_DOWN], 5);
	assert_int_equal(bench.worker->counters[1].drop[FCN_DROP_PORT_DOWN], 100);
	assert_int_equal(q->stats.drop[FCN_REFUSED_PORT_DOWN], 5 + 100 - FCN_EGRESS_BURST);
	assert_true(fcn_queue_is_empty(q));
	assert_int_equal(bench.worker->port[1].egress->n_staged, 0);
	assert_int_equal(bench.worker->ingress[0][3].used, 0);
	bench_check();
	assert_int_equal(fcn_worker_next_event(bench.worker, 2000), 2000); /* XON for port 0 */
	bench_poll(3000);
	set_down(false);
	send_some(7, 5, 200);
	bench_poll(4000);
	assert_numbers(7, 5);
	assert_int_equal(bench_all_drops(), 105);
}

/* A long queue takes some turns to go. */
TEST(down_bounded)
{
	unsigned int turns = 0;

	bench.port[1].accept = 0;
	for (unsigned int i = 0; i < 10; i++) {
		send_some(0, 80, 200);
		take(80, 1000 + i);
	}
	set_down(true);
	do
		bench_poll(2000);
	while (++turns < 100 && fcn_worker_next_event(bench.worker, 2000) == 2000);
	assert_true(turns > 1 && turns < 10);
	assert_int_equal(bench_drops(FCN_DROP_PORT_DOWN), 800);
}

/* Pauses that were asked for end with the link. */
TEST(down_ends_pauses)
{
	struct frame f;

	bench_pfc_rx(1, 1 << 3);
	frame_pfc(&f, 1 << 3, 65535);
	bench_send(1, &f, 1000);
	send_some(0, 1, 200);
	bench_poll(2000);
	assert_int_equal(bench.port[1].n_out, 0);
	set_down(true);
	bench_poll(3000);
	set_down(false);
	send_some(1, 1, 200);
	bench_poll(4000);
	assert_numbers(1, 1);
	assert_int_equal(bench_drops(FCN_DROP_PORT_DOWN), 1);
}

/* Nobody can be asked for a MAC address without a link. */
TEST(down_unresolved)
{
	struct frame f;

	bench.next_hop[3].port = 2;
	frame_roce6(&f, 1, 3, 2, 122);
	bench_send(0, &f, 1000);
	assert_int_equal(bench_drops(FCN_DROP_NO_NEIGHBOUR), 1);
	bench.snap.port[2].down = true;
	bench_new_snapshot();
	bench_send(0, &f, 2000);
	assert_int_equal(bench_drops(FCN_DROP_PORT_DOWN), 1);
}

/* One packet too long among others: it is dropped, the others leave, in order. */
TEST(oversize)
{
	picky_ops.tx_max_frame = tx_max_frame;
	bench_set_ops(1, &picky_ops);
	max_frame = 1000;
	send_some(0, 3, 1000);
	send_some(200, 1, 1001);
	send_some(3, 2, 200);
	send_some(200, 2, 1400);
	bench_poll(1000);
	assert_numbers(0, 5);
	assert_int_equal(bench.worker->counters[1].drop[FCN_DROP_TX_OVERSIZE], 3);
	/* nothing but such ones */
	send_some(200, 40, 1400);
	send_some(0, 1, 200);
	take(41, 2000);
	assert_numbers(0, 1);
	assert_int_equal(bench_all_drops(), 43);
}

/* The limit falls while packets wait that were within it. */
TEST(oversize_staged)
{
	picky_ops.tx_max_frame = tx_max_frame;
	bench_set_ops(1, &picky_ops);
	bench.port[1].accept = 0;
	send_some(200, 2, 1400);
	send_some(0, 3, 200);
	send_some(200, 1, 1400);
	send_some(3, 70, 200);
	take(76, 1000);
	assert_int_equal(bench.worker->port[1].egress->n_staged, FCN_EGRESS_BURST);
	bench.port[1].accept = 1000;
	max_frame = 1000;
	bench_poll(2000);
	assert_numbers(0, 73);
	assert_int_equal(bench_drops(FCN_DROP_TX_OVERSIZE), 3);
	/* all that was staged is too long */
	bench.port[1].accept = 0;
	max_frame = 1400;
	send_some(200, 4, 1400);
	bench_poll(3000);
	max_frame = 1000;
	bench.port[1].accept = 1000;
	bench_poll(4000);
	assert_int_equal(bench.port[1].n_out, 0);
	assert_int_equal(bench_all_drops(), 7);
	assert_int_equal(fcn_worker_next_event(bench.worker, 4000), FCN_TIME_NEVER);
}

/* A device of which nobody knew that it stops at a long packet: a second later it goes on. */
TEST(stalled_by_one)
{
	struct fcn_worker_port *port = &bench.worker->port[1];

	bench_set_ops(1, &picky_ops);
	max_frame = 1000;
	send_some(0, 1, 200);
	send_some(200, 1, 1400);
	send_some(1, 60, 200);
	bench_poll(1000);
	assert_numbers(0, 1);
	bench_poll(2000);
	bench_poll(2000 + SECOND - 1);
	assert_false(port->stalled);
	assert_int_equal(bench_all_drops(), 0);
	assert_int_equal(bench.port[1].n_out, 0);
	bench_poll(2000 + SECOND);
	assert_true(port->stalled);
	assert_int_equal(bench.worker->counters[1].drop[FCN_DROP_TX_STALLED], 1);
	bench_poll(2001 + SECOND);
	assert_numbers(1, 60);
	assert_false(port->stalled);
	assert_int_equal(bench_all_drops(), 1);
}

/* A device that takes nothing at all: one packet a turn, until it takes some again. */
TEST(stalled)
{
	bench.port[1].accept = 0;
	send_some(0, 50, 200);
	bench_poll(1000);
	bench_poll(2000);
	for (unsigned int i = 0; i < 10; i++)
		bench_poll(2000 + SECOND + i);
	assert_int_equal(bench_drops(FCN_DROP_TX_STALLED), 10);
	bench.port[1].accept = 1;
	bench_poll(3000 + SECOND);
	assert_numbers(10, 1);
	assert_false(bench.worker->port[1].stalled);
	bench.port[1].accept = 0;
	bench_poll(4000 + SECOND);
	bench_poll(3999 + 2 * SECOND);
	assert_int_equal(bench_all_drops(), 10);
	bench_poll(4000 + 2 * SECOND);
	assert_int_equal(bench_all_drops(), 11);
	bench.port[1].accept = 1000;
	bench_poll(5000 + 2 * SECOND);
	assert_numbers(12, 38);
	assert_int_equal(bench_all_drops(), 11);
}
