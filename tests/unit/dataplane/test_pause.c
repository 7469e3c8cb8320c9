/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Pause frames taken: who is stopped, how long, and who is not. */

#include "fcn_pfc.h"
#include "testbed.h"

TEST_FIXTURE(FCN_TEST_EAL, .setup = bench_setup_two_ports, .teardown = bench_teardown);

/* Packets of each class in the set, by port 1. */
static void
send_classes(uint8_t classes)
{
	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		struct frame f;

		if (!(classes >> c & 1))
			continue;
		frame_roce6(&f, 1, 1, 2, 100);
		frame_class(&f, c, 1);
		bench_in(0, &f);
	}
}

/* Classes of the packets that left by port 1, one each. */
static uint8_t
classes_out(void)
{
	uint8_t classes = 0;

	for (unsigned int i = 0; i < bench.port[1].n_out; i++) {
		uint8_t bit = 1u << (bench_out(1, i)[14] >> 1 & 7);

		assert_false(classes & bit);
		classes |= bit;
	}
	return classes;
}

static void
pfc_in(uint16_t port, uint8_t classes, uint16_t quanta)
{
	struct frame f;

	frame_pfc(&f, classes, quanta);
	bench_in(port, &f);
}

static const struct fcn_pause_class_stats *
stats_of(uint16_t port, unsigned int class)
{
	return &bench.worker->port[port].pause.stats[class];
}

/* First whole nanosecond at which so many quanta of 512 bit times have passed. */
static uint64_t
quanta_ns(uint64_t quanta, uint64_t bps)
{
	return (uint64_t)(((unsigned __int128)quanta * 512 * 1000000000 + bps - 1) / bps);
}

/* For the ends of the line: taken on ports of either kind, whatever is configured, never sent on.
 */
TEST(consumed)
{
	struct frame f;

	for (unsigned int k = 0; k < 2; k++) {
		struct fcn_port_counters *c = &bench.worker->counters[k];

		if (k == 1)
			bench_bridge(4);
		pfc_in(k, 0xFF, 7);
		frame_pause(&f, 7);
		bench_in(k, &f);
		/* to the port's own address, not padded */
		frame_pfc(&f, 0xFF, 7);
		memcpy(f.data, bench.snap.port[k].mac.addr_bytes, 6);
		f.len = 34;
		bench_send(k, &f, 1 + k);
		assert_int_equal(c->consumed, 3);
		assert_int_equal(c->pause_received, 3);
		assert_int_equal(c->pause_unknown, 0);
		assert_int_equal(stats_of(k, 5)->rx_ignored, 3);
		/* another opcode, and frames too short for what they are */
		frame_pause(&f, 7);
		f.data[15] = 2;
		bench_in(k, &f);
		frame_pfc(&f, 0xFF, 7);
		f.len = 33;
		bench_in(k, &f);
		frame_pause(&f, 7);
		f.len = 17;
		bench_in(k, &f);
		f.len = 15;
		bench_send(k, &f, 1 + k);
		assert_int_equal(c->consumed, 7);
		assert_int_equal(c->pause_received, 7);
		assert_int_equal(c->pause_unknown, 4);
		assert_int_equal(stats_of(k, 5)->rx_ignored, 3);
		for (uint16_t p = 0; p < 4; p++)
			assert_int_equal(bench.port[p].n_out, 0);
	}
	assert_int_equal(bench_all_drops(), 0);
	/* On the bench's other ports nothing was noticed. */
	assert_int_equal(bench.worker->counters[2].consumed, 0);
}

/* Not for this end of the line: the bridge's and the router's business as ever. */
TEST(not_consumed)
{
	struct frame f, plain;

	frame_pfc(&f, 0xFF, 7);
	memcpy(f.data, (uint8_t[]){2, 0, 0, 0, 1, 7}, 6);
	bench_send(0, &f, 1);
	assert_int_equal(bench_drops(FCN_DROP_NOT_MY_MAC), 1);
	bench_bridge(4);
	bench_send(0, &f, 2);
	for (uint16_t p = 1; p < 4; p++) {
		assert_int_equal(bench.port[p].n_out, 1);
		assert_memory_equal(bench_out(p, 0), f.data, f.len);
	}
	/* Tagged: MAC Control frames are not; no bridge forwards to their address, though. */
	frame_pfc(&plain, 0xFF, 7);
	frame_ether(&f, 0x8808);
	frame_vlan(&f, 0x8100, 3 << 13 | 1);
	frame_put(&f, plain.data + 14, 46);
	memcpy(f.data, plain.data, 12);
	bench_send(0, &f, 3);
	assert_int_equal(bench_drops(FCN_DROP_RESERVED_MAC), 1);
	assert_int_equal(bench.worker->counters[0].consumed, 0);
}

/* A class is stopped from the frame's turn on, for its quanta and not a nanosecond more. */
TEST(exact_time)
{
	static const uint64_t bps[] = {10000000000, 25000000000, 100000000000, 1000000000,
			9999999967, 400000000000};
	static const uint16_t quanta[] = {1, 2, 3, 255, 65535};
	uint64_t now = 1000;

	bench_pfc_rx(1, 1 << 3 | 1 << 4);
	for (size_t b = 0; b < RTE_DIM(bps); b++) {
		for (size_t q = 0; q < RTE_DIM(quanta); q++) {
			uint64_t end = now + quanta_ns(quanta[q], bps[b]);

			bench.snap.port[1].pause.link_bps = bps[b];
			pfc_in(1, 1 << 3, quanta[q]);
			send_classes(0xFF);
			bench_poll(now);
			assert_int_equal(classes_out(), 0xFF & ~(1 << 3));
			assert_int_equal(fcn_worker_next_event(bench.worker, now), end);
			if (end - 1 > now) {
				bench_poll(end - 1);
				assert_int_equal(classes_out(), 0);
				assert_int_equal(fcn_worker_next_event(bench.worker, end - 1), end);
			}
			bench_poll(end);
			assert_int_equal(classes_out(), 1 << 3);
			assert_true(fcn_worker_next_event(bench.worker, end) == FCN_TIME_NEVER);
			now = end + 1000;
		}
	}
	assert_int_equal(stats_of(1, 3)->rx_xoff, RTE_DIM(bps) * RTE_DIM(quanta));
	assert_int_equal(stats_of(1, 4)->rx_xoff, 0);
}

/* The newest time counts, shorter or longer; 0 is "go on"; a class that is not taken goes on. */
TEST(newest_wins)
{
	bench_pfc_rx(1, 1 << 3);
	send_classes(1 << 3 | 1 << 5);
	pfc_in(1, 1 << 3 | 1 << 5, 1000); /* 51200 ns at 10 Gbit/s */
	bench_poll(1000);
	assert_int_equal(classes_out(), 1 << 5);
	assert_int_equal(fcn_worker_next_event(bench.worker, 1000), 52200);
	pfc_in(1, 1 << 3, 10);
	bench_poll(2000);
	assert_int_equal(fcn_worker_next_event(bench.worker, 2000), 2512);
	pfc_in(1, 1 << 3, 1000);
	bench_poll(2511);
	assert_int_equal(classes_out(), 0);
	assert_int_equal(fcn_worker_next_event(bench.worker, 2511), 53711);
	/* A frame that does not speak of it changes nothing. */
	pfc_in(1, 0xFF & ~(1 << 3), 0);
	bench_poll(3000);
	assert_int_equal(classes_out(), 0);
	pfc_in(1, 1 << 3, 0);
	bench_poll(4000);
	assert_int_equal(classes_out(), 1 << 3);
	assert_true(fcn_worker_next_event(bench.worker, 4000) == FCN_TIME_NEVER);
	assert_int_equal(stats_of(1, 3)->rx_pause_ns, 3000);
	assert_int_equal(stats_of(1, 3)->rx_xon, 1);
	assert_int_equal(stats_of(1, 5)->rx_ignored, 2);
	/* On another port it says nothing about this one. */
	bench_pfc_rx(0, 1 << 3);
	send_classes(1 << 3);
	pfc_in(0, 1 << 3, 1000);
	bench_poll(5000);
	assert_int_equal(classes_out(), 1 << 3);
}

/* PAUSE stops the port, but for the class of the notices; so does PFC never stop that. */
TEST(link_pause)
{
	const uint8_t notices = 1 << 6;
	struct frame f;

	bench_notices(0, 1); /* to be told of: packets to port 0, by notices to port 1 */
	bench.snap.port[1].pause_on = true;
	bench.snap.port[1].pause.link = true;
	bench.snap.port[1].pause.exempt = notices;
	bench.snap.port[1].pause.rx_classes = 0xFF & ~notices;
	frame_pause(&f, 100);
	bench_in(1, &f);
	send_classes(0xFF);
	frame_roce6(&f, 1, 0, 2, 100);
	f.data[14 + 8 + 5] = 1; /* from 2001:db8:1::1, behind port 1 */
	frame_to_port(&f, 2, 1);
	bench_send(2, &f, 1000);
	assert_int_equal(bench.worker->counters[0].generated, 1);
	/* A packet and the notice, both of class 6. */
	assert_int_equal(bench.port[1].n_out, 2);
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(bench_out(1, i)[14] >> 1 & 7, 6);
	assert_int_equal(fcn_worker_next_event(bench.worker, 1000), 1000 + 5120);
	bench_poll(6119);
	assert_int_equal(bench.port[1].n_out, 0);
	bench_poll(6120);
	assert_int_equal(classes_out(), 0xFF & ~notices);
	pfc_in(1, 0xFF, 100);
	send_classes(0xFF);
	bench_poll(7000);
	assert_int_equal(classes_out(), notices);
	assert_int_equal(stats_of(1, 6)->rx_ignored, 2);
	assert_int_equal(stats_of(1, 6)->rx_xoff, 0);
	assert_int_equal(stats_of(1, 0)->rx_xoff, 2);
	/* PAUSE of 0: go on. */
	frame_pause(&f, 0);
	bench_send(1, &f, 7100);
	assert_int_equal(classes_out(), 0xFF & ~notices);
	/* Not configured: only counted. */
	bench.snap.port[1].pause.link = false;
	frame_pause(&f, 100);
	bench_in(1, &f);
	send_classes(0xFF);
	bench_poll(8000);
	assert_int_equal(classes_out(), 0xFF);
	assert_int_equal(stats_of(1, 0)->rx_ignored, 1);
}

/* A new snapshot that takes no pause any more lets the class go on in its first turn. */
TEST(switched_off)
{
	bench_pfc_rx(1, 1 << 3);
	send_classes(1 << 3);
	pfc_in(1, 1 << 3, 65535);
	bench_poll(1000);
	assert_int_equal(classes_out(), 0);
	bench.snap.port[1].pause_on = false;
	bench.snap.port[1].pause.rx_classes = 0;
	bench_new_snapshot();
	bench_poll(2000);
	assert_int_equal(classes_out(), 1 << 3);
	assert_int_equal(stats_of(1, 3)->rx_pause_ns, 1000);
	assert_true(fcn_worker_next_event(bench.worker, 2000) == FCN_TIME_NEVER);
	/* And one that takes it again has its effect at once. */
	bench_pfc_rx(1, 1 << 3);
	bench_new_snapshot();
	send_classes(1 << 3);
	pfc_in(1, 1 << 3, 10);
	bench_poll(3000);
	assert_int_equal(classes_out(), 0);
	assert_int_equal(fcn_worker_next_event(bench.worker, 3000), 3512);
	bench_poll(3512);
	assert_int_equal(classes_out(), 1 << 3);
}

/* A line that is busy when the pause ends, and one whose pause ends while it is busy. */
TEST(line_and_pause)
{
	bench_set_ops(1, &bench_link_ops);
	bench_pfc_rx(1, 1 << 3);
	bench.port[1].ready_at = 5000;
	send_classes(1 << 3);
	pfc_in(1, 1 << 3, 10); /* until 1512 */
	bench_poll(1000);
	assert_int_equal(fcn_worker_next_event(bench.worker, 1000), 1512);
	bench_poll(1512);
	assert_int_equal(classes_out(), 0);
	assert_int_equal(fcn_worker_next_event(bench.worker, 1512), 5000);
	pfc_in(1, 1 << 3, 100); /* until 7120 */
	bench_poll(2000);
	bench_poll(5000);
	assert_int_equal(classes_out(), 0);
	assert_int_equal(fcn_worker_next_event(bench.worker, 5000), 7120);
	bench_poll(7120);
	assert_int_equal(classes_out(), 1 << 3);
}

/* Random pauses of random classes on two ports: each packet leaves exactly when a model says so. */
TEST(model)
{
	uint64_t until[FCN_CLASSES] = {0}, now = 0, seed = 4;
	unsigned int held = 0;

	bench_pfc_rx(1, 0x5A);
	for (unsigned int turn = 0; turn < 5000; turn++) {
		uint64_t r = fcn_test_random(&seed);
		uint8_t frame_classes = r & 0xFF, out;
		uint8_t stopped = 0;
		uint16_t quanta = (r >> 8 & 3) == 0 ? 0 : r >> 16 & 0x1FF;
		uint8_t waiting = 0;

		now += r >> 40 & 0xFFF;
		if ((r >> 12 & 3) == 0) {
			pfc_in(1, frame_classes, quanta);
			for (unsigned int c = 0; c < FCN_CLASSES; c++) {
				if (frame_classes & 0x5A & 1u << c)
					until[c] = now + quanta_ns(quanta, BENCH_LINK_BPS);
			}
		}
		/* One of each class that has none waiting. */
		for (unsigned int c = 0; c < FCN_CLASSES; c++) {
			waiting |= (fcn_queue_packets(bench_queue(1, c)) != 0) << c;
			stopped |= (until[c] > now) << c;
		}
		send_classes(~waiting);
		bench_poll(now);
		out = classes_out();
		assert_int_equal(out, 0xFF & ~stopped);
		held += stopped != 0;
		if (stopped != 0) {
			uint64_t next = FCN_TIME_NEVER;

			for (unsigned int c = 0; c < FCN_CLASSES; c++) {
				if (until[c] > now)
					next = RTE_MIN(next, until[c]);
			}
			assert_int_equal(fcn_worker_next_event(bench.worker, now), next);
		}
	}
	assert_true(held > 1000 && held < 4900);
}
