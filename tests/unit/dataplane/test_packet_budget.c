/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The budget of packet buffers: what queues and lossless classes may have of it, and that others
 * keep theirs while some hold as many as they can get. The numbers are worked out on paper.
 */

#include "testbed.h"

#define RESERVE 4

/* A budget on, the way control does it. @param shared packets of the shared part */
static void
budget_on(uint32_t shared, uint32_t reserve)
{
	bench.snap.budget = (struct fcn_packet_budget){
			.packets = {.size = shared + 8 * FCN_CLASSES * reserve, .shared = shared},
			.reserve = reserve};
	bench_new_snapshot();
}

static int
setup(void **state)
{
	bench_setup(state);
	bench_route("2001:db8:2::/48", 6);
	bench_route("2001:db8:3::/48", 7);
	bench_port_routes(2);
	for (uint16_t p = 1; p < 3; p++) {
		bench_set_ops(p, &bench_gate_ops);
		bench.port[p].accept = 0;
	}
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

static void
turn(void)
{
	bench_poll(bench.worker->now + 1);
}

/* A packet that takes the fast path, or one that passes through the stages. */
static void
make(struct frame *f, unsigned int class, uint16_t to, bool odd)
{
	frame_roce6(f, 1, to, 2, 64);
	frame_class(f, class, 1);
	if (odd) /* another UDP port */
		f->data[14 + 40 + 3] ^= 1;
}

/* Packets of a class to a port, so many a turn. @return how many were queued */
static unsigned int
send_some(unsigned int n, unsigned int class, uint16_t to, unsigned int a_turn, bool odd)
{
	const uint64_t before = bench_all_drops();
	struct frame f;

	make(&f, class, to, odd);
	for (unsigned int i = 0; i < n; i++) {
		bench_in(0, &f);
		if (i % a_turn == a_turn - 1 || i == n - 1)
			turn();
	}
	return n - (unsigned int)(bench_all_drops() - before);
}

static void
drain(uint16_t port)
{
	bench.port[port].accept = UINT16_MAX;
	turn();
	turn();
	bench.port[port].accept = 0;
	assert_int_equal(fcn_egress_packets(bench.worker->port[port].egress), 0);
}

/*
 * 100 are shared. Packet n of a queue alone finds n - 1 there, of which n - 1 - 4 are of the shared
 * part: it fits if n - 1 < 4 + 100 - (n - 1 - 4), so 54 do. A second queue finds 50 free: packet n
 * fits if n - 1 < 4 + 50 - (n - 1 - 4), so 29 do; and a third one finds 25 free: n - 1 < 4 + 25 -
 * (n - 1 - 4), so 17 do.
 */
static void
shares(bool odd)
{
	budget_on(100, RESERVE);
	assert_int_equal(send_some(80, 3, 1, 1, odd), 54);
	assert_int_equal(bench_drops(FCN_DROP_PACKET_BUFFERS), 26);
	assert_int_equal(bench_queue(1, 3)->stats.drop[FCN_REFUSED_PACKET_BUFFERS], 26);
	assert_int_equal(bench.worker->packets.packets.shared_used, 50);
	assert_int_equal(send_some(80, 4, 1, 1, odd), 29);
	assert_int_equal(send_some(80, 4, 2, 1, odd), 17);
	/* What leaves is free again, of whatever queue. */
	drain(1);
	assert_int_equal(bench.worker->packets.packets.shared_used, 13);
	drain(2);
	assert_int_equal(bench.worker->packets.packets.shared_used, 0);
	assert_int_equal(bench.worker->packets.packets.shared_max, 50 + 25 + 13);
	assert_int_equal(send_some(80, 4, 2, 1, odd), 54);
}

TEST(shares_fast)
{
	shares(false);
}

TEST(shares_of_stages)
{
	shares(true);
}

/* With nothing free, each queue has its reserve. */
TEST(reserves)
{
	budget_on(0, 5);
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		assert_int_equal(send_some(9, c, 1, 3, false), 5);
		assert_int_equal(send_some(9, c, 2, 3, true), 5);
	}
	assert_int_equal(bench.worker->packets.packets.shared_used, 0);
}

/* The threshold holds for a turn: a burst to a queue ends at it. */
TEST(bursts)
{
	budget_on(20, RESERVE);
	/* 24 of the first 32; then none is free. */
	assert_int_equal(send_some(32, 3, 1, 32, false), 24);
	assert_int_equal(bench.worker->packets.packets.shared_used, 20);
	assert_int_equal(send_some(32, 4, 1, 32, false), 4);
	assert_int_equal(send_some(32, 5, 1, 32, true), 4);
	assert_int_equal(bench_drops(FCN_DROP_PACKET_BUFFERS), 8 + 28 + 28);
}

/* No budget: limits are those of the queues. */
TEST(no_budget)
{
	assert_int_equal(send_some(1100, 3, 1, 32, false), 1024);
	assert_int_equal(bench_drops(FCN_DROP_QUEUE_PACKETS), 76);
}

/* A budget comes and goes under queued packets. */
TEST(on_and_off)
{
	assert_int_equal(send_some(300, 3, 1, 32, false), 300);
	budget_on(100, RESERVE);
	assert_int_equal(send_some(64, 3, 1, 32, false), 0);
	/* 296 are of the shared part, so nothing is free. */
	assert_int_equal(send_some(64, 4, 1, 32, false), 4);
	bench.snap.budget = (struct fcn_packet_budget){0};
	bench_new_snapshot();
	assert_int_equal(send_some(64, 4, 1, 32, false), 64);
}

/*
 * One host fills the 16 queues of two slow ports, which may have 1024 packets each, of a pool of
 * 4095. What others send to a third port all arrives, and the pool never runs out of buffers.
 */
TEST(attack)
{
	unsigned int arrived = 0;
	struct frame f;

	budget_on(2000, RESERVE);
	for (unsigned int round = 0; round < 400; round++) {
		for (unsigned int i = 0; i < 32; i++) {
			const unsigned int q = (round * 32 + i) % 16;

			make(&f, q / 2, 1 + q % 2, i % 8 == 0);
			bench_in(0, &f);
		}
		make(&f, 3, 3, round % 2 == 0);
		frame_to_port(&f, 1, 1);
		bench_in(1, &f);
		turn();
		arrived += bench.port[3].n_out;
		assert_true(rte_mempool_in_use_count(bench.pool) <=
				2000 + 16 * RESERVE + FCN_BURST_MAX);
	}
	assert_int_equal(arrived, 400);
	assert_true(bench_drops(FCN_DROP_PACKET_BUFFERS) > 10000);
	assert_int_equal(bench_drops(FCN_DROP_PACKET_BUFFERS), bench_all_drops());
	/* 16 queues with alpha 1 leave a 17th part free, and what is sent in a turn. */
	assert_in_range(bench.worker->packets.packets.shared_used, 2000 * 16 / 17, 2000);
}

/* Make class 3 lossless for port 0, with a part in packets. */
static void
lossless(uint32_t shared, uint32_t reserve, uint32_t headroom)
{
	bench_lossless(0, 3, 1000000, 900000, 100000);
	bench.snap.port[0].ingress_packets[3] = (struct fcn_ingress_conf){.lossless = true,
			.dynamic = true,
			.reserve = reserve,
			.alpha = FCN_ALPHA_ONE / 8,
			.xon_below = 2,
			.headroom = headroom};
	budget_on(shared, RESERVE);
}

/*
 * 90 are shared, and an eighth of what is free may be had: the sender is to pause with packet n if
 * n >= 5 + (90 - (n - 5)) / 8, which is 15. 7 of headroom are taken after that, none of which is
 * lost. Only what is beyond them is. It resumes when 13 are left, 2 below 15 = 5 + (90 - 8) / 8.
 */
static void
pauses(bool odd)
{
	const struct fcn_ingress *in = &bench.worker->ingress_packets[0][3];

	lossless(90, 5, 7);
	assert_int_equal(send_some(14, 3, 1, 1, odd), 14);
	assert_int_equal(bench.worker->xoff[0], 0);
	assert_int_equal(send_some(1, 3, 1, 1, odd), 1);
	assert_int_equal(bench.worker->xoff[0], 1 << 3);
	assert_int_equal(send_some(7, 3, 1, 1, odd), 7);
	assert_int_equal(in->headroom, 7);
	assert_int_equal(bench.worker->ingress[0][3].lost_packets, 0);
	assert_int_equal(send_some(3, 3, 1, 1, odd), 0);
	assert_int_equal(bench_drops(FCN_DROP_LOSSLESS_BUFFERS), 3);
	assert_int_equal(bench.worker->ingress[0][3].lost_packets, 3);
	assert_int_equal(in->used, 22);
	/* Of these, 10 are of the shared part; none is counted at the queue a second time. */
	assert_int_equal(bench.worker->packets.packets.shared_used, 10);
	/* One packet for each of 8 calls in a turn. */
	bench.port[1].accept = 1;
	turn();
	assert_int_equal(in->used, 14);
	assert_int_equal(bench.worker->xoff[0], 1 << 3);
	turn();
	assert_int_equal(in->used, 6);
	assert_int_equal(bench.worker->xoff[0], 0);
	turn();
	bench.port[1].accept = 0;
	assert_int_equal(in->used, 0);
	assert_int_equal(bench.worker->packets.packets.shared_used, 0);
	assert_int_equal(bench.worker->packets.packets.headroom_used, 0);
}

TEST(pauses_fast)
{
	pauses(false);
}

TEST(pauses_of_stages)
{
	pauses(true);
}

/* Lossless packets have their buffers from the account of the port: queues that are full of others
 * do not keep them out, nor do they keep others out of the queue that they wait in. */
TEST(lossless_beside_others)
{
	struct frame f;

	lossless(0, 5, 7);
	for (unsigned int i = 0; i < 8; i++)
		send_some(64, 4 + i % 4, 1 + i / 4, 32, false);
	assert_int_equal(send_some(12, 3, 2, 1, false), 12);
	assert_int_equal(bench_drops(FCN_DROP_LOSSLESS_BUFFERS), 0);
	/* Of port 1, the same class is not lossless: the queue has its reserve for it. */
	make(&f, 3, 2, false);
	frame_to_port(&f, 1, 1);
	for (unsigned int i = 0; i < 6; i++) {
		bench_in(1, &f);
		turn();
	}
	assert_int_equal(fcn_queue_packets(bench_queue(2, 3)), 12 + 4);
	assert_int_equal(bench_queue(2, 3)->lossless, 12);
}
