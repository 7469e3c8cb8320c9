/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Ports that are slow, come and go; counters; who is polled when. */

#include "one_worker.h"
#include "testbed.h"

TEST_FIXTURE(BENCH_LARGE_EAL, .setup = bench_setup_two_ports, .teardown = bench_teardown);

/* Packet number i to port 1, in the class. */
static void
send_numbered(unsigned int i, unsigned int class)
{
	struct frame f;

	frame_roce6(&f, 1, 1, 2, 60);
	f.data[14] = 0x60 | class << 1;
	f.data[15] = 0;
	f.data[f.len - 8] = i >> 8;
	f.data[f.len - 7] = i & 0xFF;
	bench_in(0, &f);
}

static unsigned int
number_of(uint16_t port, unsigned int i)
{
	const uint8_t *end = bench_out(port, i) + bench_out_len(port, i);

	return end[-8] << 8 | end[-7];
}

/*
 * A port that takes a part of what it is offered: packets and bytes count when it has taken them,
 * and what it refuses counts later, once. Frame i has 92 + 8 * i octets.
 */
TEST(counted_when_accepted)
{
	static const uint16_t accepts[] = {0, 5, 0, 1, 9, 32};
	uint64_t packets = 0, bytes = 0;
	struct frame f;

	for (unsigned int i = 0; i < 40; i++) {
		frame_roce6(&f, 1, 1, 2, 14 + 8 * i);
		bench_in(0, &f);
	}
	for (size_t k = 0; k < RTE_DIM(accepts); k++) {
		bench.port[1].accept = accepts[k];
		bench_poll(k);
		for (unsigned int i = 0; i < bench.port[1].n_out; i++) {
			assert_int_equal(bench_out_len(1, i), 92 + 8 * packets++);
			bytes += bench_out_len(1, i);
		}
		assert_int_equal(bench.worker->counters[1].tx_packets, packets);
		assert_int_equal(bench.worker->counters[1].tx_bytes, bytes);
	}
	assert_int_equal(packets, 40);
	assert_int_equal(bytes, 40 * 92 + 8 * (39 * 40 / 2));
}

/* A port that takes what it likes: nothing lost, order kept within a class, one class at a time. */
TEST(refusing_port)
{
	unsigned int in = 0, out = 0;
	uint64_t seed = 2;

	for (unsigned int turn = 0; turn < 3000 || out < in; turn++) {
		unsigned int n = turn < 3000 ? fcn_test_random(&seed) % 5 : 0;

		for (unsigned int i = 0; i < n && in - out < 900; i++)
			send_numbered(in++, 3);
		bench.port[1].accept = fcn_test_random(&seed) % 8;
		bench_poll(turn);
		assert_int_equal(bench_all_drops(), 0);
		for (unsigned int i = 0; i < bench.port[1].n_out; i++)
			assert_int_equal(number_of(1, i), out++ & 0xFFFF);
		assert_int_equal(fcn_egress_packets(bench.worker->port[1].egress), in - out);
		assert_int_equal(bench.worker->counters[1].tx_packets, out);
		assert_true(turn < 20000);
	}
	assert_true(in > 3000);
}

/* What was handed to a port that had no room stays in front of what came later, however urgent. */
TEST(staged_first)
{
	bench.port[1].accept = 0;
	for (unsigned int i = 0; i < 32; i++)
		send_numbered(i, 3);
	bench_poll(1);
	assert_int_equal(bench.worker->port[1].egress->n_staged, 32);
	send_numbered(100, 7);
	bench.port[1].accept = 5;
	bench_poll(2);
	assert_int_equal(bench.port[1].n_out, 5);
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(number_of(1, i), i);
	bench.port[1].accept = UINT16_MAX;
	bench_poll(3);
	assert_int_equal(bench.port[1].n_out, 28);
	assert_int_equal(number_of(1, 0), 5);
	assert_int_equal(number_of(1, 26), 31);
	assert_int_equal(number_of(1, 27), 100);
}

static uint16_t room;
static uint64_t ready_at;

static uint16_t
tx_room(void *priv, uint64_t now)
{
	RTE_SET_USED(priv);
	return now >= ready_at ? room : 0;
}

static uint64_t
tx_ready(void *priv, uint64_t now)
{
	RTE_SET_USED(priv);
	return RTE_MAX(now, ready_at);
}

/* A port that says how much room it has is never offered more. */
TEST(room)
{
	struct fcn_port_ops ops = bench_ops;

	ops.tx_room = tx_room;
	ops.tx_ready = tx_ready;
	bench.worker->port[1].ops = &ops;
	assert_true(fcn_worker_next_event(bench.worker, 0) == FCN_TIME_NEVER);
	for (unsigned int i = 0; i < 10; i++)
		send_numbered(i, 3);
	room = 3;
	ready_at = 500;
	bench_poll(1);
	assert_int_equal(bench.port[1].n_out, 0);
	assert_int_equal(bench.worker->port[1].egress->n_staged, 0);
	assert_int_equal(fcn_worker_next_event(bench.worker, 1), 500);
	/* A shaper may ask for later still. */
	bench.snap.port[1].egress.shaper.bps = 1000000;
	bench.worker->port[1].egress->shaper.next_ns = 700;
	assert_int_equal(fcn_worker_next_event(bench.worker, 1), 700);
	bench.snap.port[1].egress.shaper.bps = 0;
	room = 1;
	bench_poll(500);
	/* Room is asked for anew after each hand-over: this port always has one. */
	assert_int_equal(bench.worker->port[1].egress->n_staged, 0);
	assert_int_equal(bench.port[1].n_out, 8);
	bench_poll(501);
	assert_int_equal(bench.port[1].n_out, 2);
	assert_true(fcn_worker_next_event(bench.worker, 501) == FCN_TIME_NEVER);
	bench.worker->port[1].ops = &bench_ops;
}

/* A shaped port sends its frames at their times, in one turn or many. */
TEST(shaped)
{
	uint64_t now = 1000, sent = 0;

	bench.snap.port[1].egress.shaper.bps = 1000000000;
	for (unsigned int i = 0; i < 20; i++)
		send_numbered(i, 3);
	bench_poll(now);
	while (fcn_worker_next_event(bench.worker, now) != FCN_TIME_NEVER) {
		uint64_t next = fcn_worker_next_event(bench.worker, now);

		/* 14 + 64 + 60 = 138, 162 on the wire: 1296 ns */
		assert_int_equal(next, now + 1296);
		now = next;
		bench_poll(now);
		assert_int_equal(bench.port[1].n_out, 1);
		assert_int_equal(number_of(1, 0), ++sent);
	}
	assert_int_equal(sent, 19);
}

/* Removed with packets staged and queued in several classes: each is dropped under its name. */
TEST(port_removed)
{
	const uint32_t slots[FCN_CLASSES] = {8, 8, 8, 8, 8, 8, 8, 8};
	struct frame f;

	bench.port[1].accept = 1;
	for (unsigned int i = 0; i < 64; i++)
		send_numbered(i, i % 8);
	bench_poll(1);
	bench_poll(2);
	assert_int_equal(fcn_egress_packets(bench.worker->port[1].egress), 62);
	fcn_worker_port_remove(bench.worker, 1);
	bench_check();
	assert_int_equal(bench.worker->counters[1].drop[FCN_DROP_PORT_GONE], 62);
	/* Packets that a route still sends there. */
	send_numbered(99, 3);
	bench_poll(3);
	assert_int_equal(bench.worker->counters[0].drop[FCN_DROP_PORT_GONE], 1);
	/* Twice is once; the others go on. */
	fcn_worker_port_remove(bench.worker, 1);
	frame_roce6(&f, 1, 0, 2, 0);
	frame_to_port(&f, 3, 1);
	bench_send(3, &f, 4);
	bench_only_out(0);
	/* And back, with smaller queues. */
	assert_int_equal(
			one_worker_port_add(bench.worker, 1, &bench_ops, &bench.port[1], slots), 0);
	/* What was counted under its number is history: in packet accounting, and nowhere else. */
	assert_int_equal(bench.worker->counters[1].drop[FCN_DROP_PORT_GONE], 0);
	assert_int_equal(bench.worker->counters[1].tx_packets, 0);
	bench_check();
	bench.port[1].accept = 0;
	for (unsigned int i = 0; i < 16; i++)
		send_numbered(i, 3);
	bench_poll(5);
	assert_int_equal(bench_drops(FCN_DROP_QUEUE_PACKETS), 8);
}

/* What a bridge learned behind a port goes with it. */
TEST(port_removed_macs)
{
	struct frame f;

	bench_bridge(4);
	for (uint16_t p = 0; p < 4; p++) {
		frame_roce6(&f, 1, 1, 2, 0);
		frame_macs(&f, 200, p);
		bench_in(p, &f);
	}
	bench_poll(1);
	assert_int_equal(fcn_mac_table_count(bench.worker->macs), 4);
	fcn_worker_port_remove(bench.worker, 2);
	assert_int_equal(fcn_mac_table_count(bench.worker->macs), 3);
}

/* Counters cleared with packets on their way: the packet accounting carries them over. */
TEST(clear_counters)
{
	struct fcn_conservation c = {0};

	bench_notices(1, 500);
	bench.port[1].accept = 0;
	for (unsigned int i = 0; i < 40; i++)
		send_numbered(i, i % 8);
	bench_poll(1);
	bench_poll(2);
	fcn_worker_clear_counters(bench.worker);
	fcn_worker_conservation(bench.worker, &c);
	assert_int_equal(c.carried, 40);
	assert_int_equal(c.queued, 40);
	assert_int_equal(c.received, 0);
	assert_true(fcn_conservation_holds(&c));
	for (unsigned int k = 0; k < FCN_CLASSES; k++) {
		const struct fcn_queue *q = &bench.worker->port[1].egress->queue[k];
		static const struct fcn_queue_stats zero;

		assert_memory_equal(&q->stats, &zero, sizeof(zero));
		assert_int_equal(q->detector.enters, 0);
		assert_int_equal(q->detector.leaves, 0);
	}
	assert_int_equal(bench.worker->notify[0].stats[1][3].verdict[FCN_FASTCNP_SENT_OPT1], 0);
	/* One more in, all out; then a port goes with what is left. */
	send_numbered(41, 3);
	bench.port[1].accept = 30;
	bench_poll(3);
	assert_int_equal(bench.port[1].n_out, 30);
	fcn_worker_port_remove(bench.worker, 1);
	bench_check();
	memset(&c, 0, sizeof(c));
	fcn_worker_conservation(bench.worker, &c);
	assert_int_equal(
			c.carried + c.received + c.generated, c.transmitted + c.dropped + c.queued);
	assert_int_equal(c.queued, 0);
}

/* Ten busy ports, eight full bursts in the first turn and one in each of the others: each port has
 * its turn. */
TEST(every_port_is_polled)
{
	struct frame f;

	for (uint16_t p = 4; p < 10; p++)
		bench_add_port(p);
	frame_roce6(&f, 1, 9, 2, 0);
	for (uint16_t p = 0; p < 10; p++) {
		for (unsigned int i = 0; i < 32 * 8; i++)
			bench_in(p, &f);
	}
	for (unsigned int turn = 1; turn <= 50; turn++) {
		uint64_t least = UINT64_MAX, most = 0;

		assert_int_equal(bench_poll(turn), turn == 1 ? 256 : 32);
		for (uint16_t p = 0; p < 10; p++) {
			uint64_t n = bench.worker->counters[p].rx_packets;

			least = RTE_MIN(least, n);
			most = RTE_MAX(most, n);
		}
		assert_true(most - least <= 32);
	}
}

/* A queue's average begins when its port comes, not when the worker's clock began. */
TEST(watermarks_of_new_port)
{
	struct fcn_watermarks wm;
	struct fcn_queue *q;

	bench_poll(1000000);
	bench_add_port(4);
	bench_route("2001:db8:5::/48", 8);
	bench_routes_done();
	bench.port[4].accept = 0;
	/* 138 octets wait a while; those staged for the port have left the queue, so none is. */
	bench.snap.port[4].egress.shaper.bps = 1;
	bench.worker->port[4].egress->shaper.next_ns = UINT64_MAX / 2;
	for (unsigned int i = 0; i < 1; i++) {
		struct frame f;

		frame_roce6(&f, 1, 5, 2, 60);
		bench_in(0, &f);
	}
	bench_poll(1000000);
	q = &bench.worker->port[4].egress->queue[3];
	assert_int_equal(q->bytes, 138);
	fcn_queue_watermarks(q, 1001000, &wm);
	assert_int_equal(wm.avg, 138);
}

/* A turn of a stopped switch moves nothing. */
TEST(idle)
{
	send_numbered(1, 3);
	fcn_poll_idle(bench.worker, 7);
	assert_int_equal(bench.worker->now, 7);
	assert_int_equal(bench.worker->counters[0].rx_packets, 0);
	bench_poll(8);
	bench_only_out(1);
}
