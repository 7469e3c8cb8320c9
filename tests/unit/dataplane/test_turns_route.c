/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Frames that are routed in one turn: what leaves of them, in what order, and what is counted. */

#include "turns.h"

#define BURST 9

/* Networks 1 and 2 are behind ports 1 and 2, and network 6 by a group behind port 1. */
static int
setup(void **state)
{
	turns_set_width();
	bench_setup(state);
	turns_routes((uint32_t[]){5, 5}, 2);
	return 0;
}

/* Where the frames of a burst go: all to one queue, to two in turn, or by a group. */
enum spread {
	ONE_QUEUE,
	TWO_QUEUES,
	BY_GROUP,
	SPREADS
};

static uint8_t
net_of(enum spread spread, unsigned int i)
{
	return spread == BY_GROUP ? 6 : spread == TWO_QUEUES ? 1 + i % 2 : 1;
}

/*
 * One frame of a kind among plain ones of another kind, at each place of a burst. Either all leave,
 * or all but this one, which is dropped for the reason; in their order, as a router changes them.
 */
static void
check_burst(struct turns_frame special, enum turns_kind others, enum spread spread,
		enum fcn_drop_reason why, bool adds_traces)
{
	for (unsigned int at = 0; at < BURST; at++) {
		const uint64_t drops = bench_all_drops(), before = bench_drops(why);
		unsigned int left[4] = {0};
		struct turns_frame f[BURST];

		turns_settle(0, 1);
		for (unsigned int i = 0; i < BURST; i++) {
			f[i] = TURNS_PLAIN(others, net_of(spread, i), i);
			if (i == at) {
				f[i] = special;
				f[i].net = net_of(spread, i);
				f[i].number = i;
			}
			turns_in(0, &f[i]);
		}
		bench_poll(bench.worker->now + 1);
		for (unsigned int i = 0; i < BURST; i++) {
			const uint16_t port = f[i].net == 2 ? 2 : 1;

			if (i != at || why == FCN_DROP_NONE)
				turns_routed(port, left[port]++, &f[i], adds_traces);
		}
		assert_int_equal(bench.port[1].n_out, left[1]);
		assert_int_equal(bench.port[2].n_out, left[2]);
		assert_int_equal(bench_drops(why) - before, why != FCN_DROP_NONE);
		assert_int_equal(bench_all_drops() - drops, why != FCN_DROP_NONE);
	}
}

TEST_FIXTURE(BENCH_LARGE_EAL, .setup = setup, .teardown = bench_teardown, .each = turns_widths);

/* Wherever it is, a packet whose hop limit would be 0 is not forwarded (RFC 8200 section 3). */
TEST(hop_limit)
{
	static const uint8_t limits[] = {0, 1, 2, 255};

	for (unsigned int i = 0; i < RTE_DIM(limits) * TURNS_KINDS * 3 * SPREADS * 2; i++) {
		const uint8_t limit = limits[i % 4];
		const enum turns_kind kind = i / 4 % TURNS_KINDS, others = i / 16 % 3;
		struct turns_frame special = TURNS_PLAIN(kind, 1, 0);

		turns_transit(i / 48 % 2);
		special.hop_limit = limit;
		check_burst(special, others, i / 96,
				limit <= 1 ? FCN_DROP_HOP_LIMIT : FCN_DROP_NONE, i / 48 % 2);
	}
}

/* A packet of as many octets as the next hop's link takes leaves, one of one more does not. */
TEST(mtu)
{
	for (unsigned int p = 0; p < 4; p++)
		bench.snap.port[p].mtu = 9000;
	for (unsigned int i = 0; i < 4 * TURNS_KINDS * 3 * SPREADS; i++) {
		const enum turns_kind kind = i / 4 % TURNS_KINDS, others = i / 16 % 3;
		const uint32_t over = i & 1, mtu = 1300 + (i >> 1 & 1);
		struct turns_frame special = TURNS_PLAIN(kind, 1, 0);

		special.len = 14 + mtu + over;
		bench.next_hop[5].mtu = bench.next_hop[6].mtu = (uint16_t)mtu;
		bench_new_snapshot();
		check_burst(special, others, i / 48, over ? FCN_DROP_MTU : FCN_DROP_NONE, false);
	}
}

/* Let a burst of numbered frames with these DSCPs arrive, and count those in each class queue. */
static void
check_classes(enum turns_kind kind, enum spread spread, const uint8_t *dscp, unsigned int n)
{
	unsigned int of_class[3][FCN_CLASSES] = {0};

	for (unsigned int p = 1; p <= 2; p++)
		bench.port[p].accept = 0;
	for (unsigned int i = 0; i < n; i++) {
		struct turns_frame f = TURNS_PLAIN(kind, net_of(spread, i), i);

		f.dscp = dscp[i];
		turns_in(0, &f);
		of_class[f.net == 2 ? 2 : 1][bench.snap.class_map.dscp[f.dscp]]++;
	}
	bench_poll(bench.worker->now + 1);
	for (uint16_t p = 1; p <= 2; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			assert_int_equal(fcn_queue_packets(bench_queue(p, c)), of_class[p][c]);
		bench.port[p].accept = UINT16_MAX;
	}
	bench_poll(bench.worker->now + 1);
	assert_int_equal(bench.port[1].n_out + bench.port[2].n_out, n);
}

/* Each bit of the DSCP counts: two that differ in one bit are of different classes here. */
TEST(dscp)
{
	uint64_t seed = 1;

	bench_set_ops(1, &bench_gate_ops);
	bench_set_ops(2, &bench_gate_ops);
	for (unsigned int i = 0; i < TURNS_KINDS * SPREADS * 64; i++) {
		const enum turns_kind kind = i / 64 % TURNS_KINDS;
		const enum spread spread = i / 64 / TURNS_KINDS;
		const uint8_t d = i % 64;
		uint8_t dscp[30];

		for (unsigned int bit = 0; bit < 6; bit++) {
			assert_int_not_equal(bench.snap.class_map.dscp[d],
					bench.snap.class_map.dscp[d ^ 1 << bit]);
			for (unsigned int k = 0; k < 5; k++)
				dscp[5 * bit + k] = k % 2 == 0 ? d : d ^ 1 << bit;
		}
		check_classes(kind, spread, dscp, RTE_DIM(dscp));
		for (unsigned int k = 0; k < RTE_DIM(dscp); k++)
			dscp[k] = fcn_test_random(&seed) % 64;
		check_classes(kind, spread, dscp, RTE_DIM(dscp));
	}
}

/*
 * Two ports receive in one turn. Whichever is first, none of the other's packets comes in between,
 * although one of the first port's is unusual.
 */
TEST(ports_in_order)
{
	for (unsigned int i = 0; i < BURST * TURNS_KINDS * 4; i++) {
		const unsigned int at = i % BURST, kind = i / BURST % TURNS_KINDS;
		const enum turns_kind others = i & 1 ? TURNS_IP4 : TURNS_IP6;
		unsigned int first;

		turns_settle(0, 1);
		turns_settle(3, 1);
		for (unsigned int k = 0; k < 2 * BURST; k++) {
			const struct turns_frame f = TURNS_PLAIN(
					k % BURST == at ? kind : others, 1, k);

			turns_in(k < BURST ? 0 : 3, &f);
		}
		bench_poll(bench.worker->now + 1);
		assert_int_equal(bench.port[1].n_out, 2 * BURST);
		first = turns_number(1, 0) / BURST;
		for (unsigned int k = 0; k < 2 * BURST; k++)
			assert_int_equal(turns_number(1, k), (k + first * BURST) % (2 * BURST));
	}
}

/* Packets of a class that is lossless at both ports, or at one, come by two ports in one turn: each
 * is charged to the port it came in by. */
TEST(charged_to_their_ports)
{
	bench_set_ops(1, &bench_gate_ops);
	bench_set_ops(2, &bench_gate_ops);
	for (unsigned int i = 0; i < TURNS_KINDS * SPREADS * 3; i++) {
		const enum turns_kind kind = i % TURNS_KINDS;
		const enum spread spread = i / TURNS_KINDS % SPREADS;
		const unsigned int which = i / TURNS_KINDS / SPREADS;

		bench_lossless(0, 3, 100000, 50000, 50000);
		bench_lossless(3, 3, 100000, 50000, 50000);
		bench.snap.port[0].lossless = which != 1 ? 1 << 3 : 0;
		bench.snap.port[3].lossless = which != 2 ? 1 << 3 : 0;
		bench_new_snapshot();
		bench.port[1].accept = bench.port[2].accept = 0;
		for (unsigned int k = 0; k < 12; k++) {
			struct turns_frame f = TURNS_PLAIN(kind, net_of(spread, k), k);

			f.len = 140 + 4 * k;
			turns_in(k < 5 ? 0 : 3, &f);
		}
		bench_poll(bench.worker->now + 1);
		assert_int_equal(bench.worker->ingress[0][3].used,
				which != 1 ? 5 * 140 + 4 * 10 : 0);
		assert_int_equal(bench.worker->ingress[3][3].used,
				which != 2 ? 7 * 140 + 4 * 56 : 0);
		assert_int_equal(bench.worker->ingress[1][3].used, 0);
		bench.port[1].accept = bench.port[2].accept = UINT16_MAX;
		bench_poll(bench.worker->now + 1);
		assert_int_equal(bench.port[1].n_out + bench.port[2].n_out, 12);
		assert_int_equal(bench.worker->ingress[0][3].used, 0);
		assert_int_equal(bench.worker->ingress[3][3].used, 0);
	}
}

/*
 * Bursts that begin at any place of a queue and fill it to the last packet: all that it has room
 * for leave in their order, and the others are dropped.
 */
TEST(any_place_of_a_queue)
{
	uint32_t sent = 0;

	bench_set_ops(1, &bench_gate_ops);
	for (unsigned int i = 0; i < 3 * 2 * 40; i++) {
		const enum turns_kind kind = i % 3;
		const enum spread spread = i / 3 % 2 == 0 ? ONE_QUEUE : BY_GROUP;
		const unsigned int n = i % 8 == 7 ? BENCH_QUEUE + 10 : 7 + i % 25;
		const uint64_t drops = bench_drops(FCN_DROP_QUEUE_PACKETS);

		bench.port[1].accept = 0;
		for (unsigned int k = 0; k < n; k++) {
			const struct turns_frame f = TURNS_PLAIN(kind, net_of(spread, k), k);

			turns_in(0, &f);
			if (k % 30 == 29 || k + 1 == n)
				bench_poll(bench.worker->now + 1);
		}
		sent = RTE_MIN(n, (unsigned int)BENCH_QUEUE);
		assert_int_equal(fcn_queue_packets(bench_queue(1, 3)), sent);
		assert_int_equal(bench_drops(FCN_DROP_QUEUE_PACKETS) - drops, n - sent);
		bench.port[1].accept = UINT16_MAX;
		for (uint32_t number = 0; number < sent;) {
			bench_poll(bench.worker->now + 1);
			assert_true(bench.port[1].n_out > 0);
			for (unsigned int k = 0; k < bench.port[1].n_out; k++)
				assert_int_equal(turns_number(1, k), number++);
		}
	}
}
