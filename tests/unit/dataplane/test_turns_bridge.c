/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Frames that are bridged in one turn: what leaves, in what order, and what is counted. */

#include "turns.h"
#include "port_bits.h"

#define BURST 9

/* Ports 0 to 3 are in a bridge; station p + 1 is behind port p, and known there. */
static void
learn(void)
{
	struct frame f;

	for (uint16_t p = 0; p < 4; p++) {
		const struct turns_frame plain = TURNS_PLAIN(TURNS_IP6, 1, 0);

		turns_make(&f, &plain, p);
		frame_macs(&f, (uint8_t)((p + 1) % 4 + 1), (uint8_t)(p + 1));
		bench_in(p, &f);
	}
	bench_poll(bench.worker->now + 1);
}

static int
setup(void **state)
{
	turns_set_width();
	bench_setup(state);
	bench_bridge(4);
	bench_new_snapshot();
	learn();
	learn();
	return 0;
}

/* A frame from a station to another one arrives at a port. */
static void
arrive(uint16_t port, const struct turns_frame *want, uint8_t dst, uint8_t src)
{
	struct frame f;

	turns_make(&f, want, port);
	frame_macs(&f, dst, src);
	bench_in(port, &f);
}

/* Frame i that a port sent is this one, as it came. */
static void
bridged(uint16_t port, unsigned int i, const struct turns_frame *want, uint8_t dst, uint8_t src)
{
	struct frame f;

	turns_make(&f, want, port);
	frame_macs(&f, dst, src);
	assert_int_equal(bench_out_len(port, i), f.len);
	assert_memory_equal(bench_out(port, i), f.data, f.len);
}

/* The station that frame i of a burst is to: one, or two in turn. */
static uint8_t
station(bool two, unsigned int i)
{
	return two && i % 2 ? 3 : 2;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown, .each = turns_widths);

/* A hop limit is no matter of a bridge, but the length is: as many octets as the port takes. */
TEST(mtu)
{
	for (unsigned int p = 0; p < 4; p++)
		bench.snap.port[p].mtu = 9000;
	for (unsigned int i = 0; i < 4 * TURNS_KINDS * 3 * 2 * BURST; i++) {
		const uint32_t over = i & 1, mtu = 1300 + (i >> 1 & 1);
		const enum turns_kind kind = i / 4 % TURNS_KINDS, others = i / 16 % 3;
		const unsigned int two = i / 48 % 2, at = i / 96;
		const uint64_t drops = bench_drops(FCN_DROP_MTU);
		unsigned int left[4] = {0};
		struct turns_frame f[BURST];

		bench.snap.port[1].mtu = bench.snap.port[2].mtu = (uint16_t)mtu;
		bench_new_snapshot();
		learn();
		for (unsigned int k = 0; k < BURST; k++) {
			f[k] = TURNS_PLAIN(k == at ? kind : others, 1, k);
			f[k].hop_limit = (uint8_t)(k % 3);
			if (k == at)
				f[k].len = 14 + mtu + over;
			arrive(0, &f[k], station(two, k), 1);
		}
		bench_poll(bench.worker->now + 1);
		for (unsigned int k = 0; k < BURST; k++) {
			const uint16_t port = station(two, k) - 1;

			if (k != at || !over)
				bridged(port, left[port]++, &f[k], station(two, k), 1);
		}
		assert_int_equal(bench.port[1].n_out, left[1]);
		assert_int_equal(bench.port[2].n_out, left[2]);
		assert_int_equal(bench_drops(FCN_DROP_MTU) - drops, over);
	}
	assert_int_equal(bench_all_drops(), bench_drops(FCN_DROP_MTU));
}

/* Each bit of the DSCP counts: two that differ in one bit are of different classes here. */
TEST(dscp)
{
	bench_set_ops(1, &bench_gate_ops);
	bench_set_ops(2, &bench_gate_ops);
	learn();
	for (unsigned int i = 0; i < TURNS_KINDS * 2 * 64 * 6; i++) {
		const enum turns_kind kind = i / 6 / 64 % TURNS_KINDS;
		const bool two = i / 6 / 64 / TURNS_KINDS;
		const uint8_t d = i / 6 % 64, other = (uint8_t)(d ^ 1 << i % 6);
		unsigned int of_class[3][FCN_CLASSES] = {0};

		bench.port[1].accept = bench.port[2].accept = 0;
		for (unsigned int k = 0; k < BURST; k++) {
			struct turns_frame f = TURNS_PLAIN(kind, 1, k);

			f.dscp = k % 4 < 2 ? d : other;
			arrive(0, &f, station(two, k), 1);
			of_class[station(two, k) - 1][bench.snap.class_map.dscp[f.dscp]]++;
		}
		bench_poll(bench.worker->now + 1);
		for (uint16_t p = 1; p <= 2; p++) {
			for (unsigned int c = 0; c < FCN_CLASSES; c++)
				assert_int_equal(fcn_queue_packets(bench_queue(p, c)),
						of_class[p][c]);
			bench.port[p].accept = UINT16_MAX;
		}
		bench_poll(bench.worker->now + 1);
		assert_int_equal(bench.port[1].n_out + bench.port[2].n_out, BURST);
	}
}

/*
 * A station moves in a turn in which others send to it, by ports that were polled earlier and later
 * than its new one. All sources of a turn come before the first destination, so all these frames
 * follow it; and to a station that is heard of for the first time in that turn, none is flooded.
 */
TEST(moves)
{
	const unsigned int n = 4;

	for (unsigned int i = 0; i < 2 * 4 * TURNS_KINDS * 3 * 2; i++) {
		const uint16_t to = i / 2 % 4; /* the port behind which it is now */
		const enum turns_kind kind = i / 8 % TURNS_KINDS, others = i / 32 % 3;
		const bool early = i / 96; /* whether its frame is the first of its port */
		const uint8_t who = i % 2 ? 3 : (uint8_t)(100 + i / 2);
		unsigned int got = 0;

		learn();
		learn();
		for (uint16_t p = 0; p < 4; p++) {
			const struct turns_frame own = TURNS_PLAIN(kind, 1, 1000);

			if (p == to && early)
				arrive(p, &own, (uint8_t)((to + 1) % 4 + 1), who);
			for (unsigned int k = 0; k < n && p != to && (i % 2 == 0 || p != 2); k++) {
				const struct turns_frame f = TURNS_PLAIN(others, 1, k);

				arrive(p, &f, who, (uint8_t)(p + 1));
				got++;
			}
			if (p == to && !early)
				arrive(p, &own, (uint8_t)((to + 1) % 4 + 1), who);
		}
		bench_poll(bench.worker->now + 1);
		for (uint16_t p = 0; p < 4; p++) {
			unsigned int of_station = 0;

			for (unsigned int k = 0; k < bench.port[p].n_out; k++)
				of_station += bench_out(p, k)[5] == who;
			assert_int_equal(of_station, p == to ? got : 0);
		}
	}
}

/* Two ports receive in one turn. Whichever is first, none of the other's comes in between. */
TEST(ports_in_order)
{
	for (unsigned int i = 0; i < BURST * TURNS_KINDS * 3; i++) {
		const unsigned int at = i % BURST, kind = i / BURST % TURNS_KINDS;
		const enum turns_kind others = i / BURST / TURNS_KINDS;
		unsigned int first;

		learn();
		for (unsigned int k = 0; k < 2 * BURST; k++) {
			const struct turns_frame f = TURNS_PLAIN(
					k % BURST == at ? kind : others, 1, k);

			arrive(k < BURST ? 0 : 3, &f, 2, k < BURST ? 1 : 4);
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
	for (unsigned int i = 0; i < TURNS_KINDS * 2 * 3; i++) {
		const enum turns_kind kind = i % TURNS_KINDS;
		const bool two = i / TURNS_KINDS % 2;
		const unsigned int which = i / TURNS_KINDS / 2;

		bench_lossless(0, 3, 100000, 50000, 50000);
		bench_lossless(3, 3, 100000, 50000, 50000);
		bench.snap.port[0].lossless = which != 1 ? 1 << 3 : 0;
		bench.snap.port[3].lossless = which != 2 ? 1 << 3 : 0;
		bench_new_snapshot();
		learn();
		bench.port[1].accept = bench.port[2].accept = 0;
		for (unsigned int k = 0; k < 12; k++) {
			struct turns_frame f = TURNS_PLAIN(kind, 1, k);

			f.len = 140 + 4 * k;
			arrive(k < 5 ? 0 : 3, &f, station(two, k), k < 5 ? 1 : 4);
		}
		bench_poll(bench.worker->now + 1);
		assert_int_equal(bench.worker->ingress[0][3].used,
				which != 1 ? 5 * 140 + 4 * 10 : 0);
		assert_int_equal(bench.worker->ingress[3][3].used,
				which != 2 ? 7 * 140 + 4 * 56 : 0);
		bench.port[1].accept = bench.port[2].accept = UINT16_MAX;
		bench_poll(bench.worker->now + 1);
		assert_int_equal(bench.port[1].n_out + bench.port[2].n_out, 12);
		assert_int_equal(bench.worker->ingress[0][3].used, 0);
		assert_int_equal(bench.worker->ingress[3][3].used, 0);
	}
}

/*
 * One port routes, another one bridges, and packets of both go to one class queue in one turn:
 * those of the first stay in front of those of the second, and the limit counts them all. No
 * configuration does this today, as a port with addresses is in no bridge.
 */
TEST(routed_and_bridged)
{
	bench_set_ops(1, &bench_gate_ops);
	bench.snap.port[0].mode = FCN_PORT_ROUTED;
	bench.snap.bridge[0].members = ports_of(0xE);
	bench_route("2001:db8:1::/48", 5);
	bench_route("2001:db8:2::/48", 6);
	bench_route("10.1.0.0/16", 5);
	bench_route("10.2.0.0/16", 6);
	bench_routes_done();
	for (unsigned int i = 0; i < TURNS_KINDS * 2 * 8; i++) {
		const enum turns_kind kind = i % TURNS_KINDS;
		const bool two = i / TURNS_KINDS % 2;
		const unsigned int limit = 1 + i / TURNS_KINDS / 2 * 3;
		unsigned int number = 0, bridged_n = 0, to_queue = 0;
		uint64_t drops;

		bench_queue_conf(1, 3)->limit_packets = BENCH_QUEUE;
		bench.port[1].accept = UINT16_MAX;
		bench_new_snapshot();
		learn();
		for (unsigned int k = 0; k < 9; k++) {
			const struct turns_frame plain = TURNS_PLAIN(TURNS_IP6, 1, k);

			arrive(3, &plain, 3, 4);
			turns_settle(0, 2);
		}
		bench_queue_conf(1, 3)->limit_packets = limit;
		bench.port[1].accept = 0;
		bench_new_snapshot();
		drops = bench_all_drops();
		for (unsigned int k = 0; k < BURST; k++) {
			struct turns_frame f = TURNS_PLAIN(kind, two && k % 2 ? 2 : 1, k);

			turns_in(0, &f);
			to_queue += f.net == 1;
			f.net = 1;
			f.number = 100 + k;
			arrive(3, &f, 2, 4);
			to_queue++;
		}
		bench_poll(bench.worker->now + 1);
		assert_int_equal(fcn_queue_packets(bench_queue(1, 3)), RTE_MIN(limit, to_queue));
		assert_int_equal(bench_all_drops() - drops, to_queue - RTE_MIN(limit, to_queue));
		bench.port[1].accept = UINT16_MAX;
		bench_poll(bench.worker->now + 1);
		for (unsigned int k = 0; k < bench.port[1].n_out; k++) {
			if (turns_number(1, k) >= 100) {
				assert_int_equal(turns_number(1, k), 100 + bridged_n++);
				continue;
			}
			assert_int_equal(bridged_n, 0); /* port 0 is polled first */
			assert_int_equal(turns_number(1, k), number);
			number += two ? 2 : 1;
		}
	}
}
