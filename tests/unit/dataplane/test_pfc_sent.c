/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Pause frames given: their bytes, when they go, and what becomes of them on a port in trouble. */

#include "testbed.h"

#define LEN 1000 /* bytes of each packet */
#define FAR (UINT64_C(1) << 60)
#define HALF 1677696 /* half of 65535 quanta at 10 Gbit/s: 3355392 ns */

/* Packets from port 0 to port 1, whose line is never free: what is queued stays. */
static int
setup(void **state)
{
	bench_setup_two_ports(state);
	bench_set_ops(1, &bench_link_ops);
	bench.port[1].ready_at = FAR;
	bench_lossless(0, 3, 3000, 2000, 100000);
	bench_lossless(0, 4, 3000, 2000, 100000);
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

static void
send_some(unsigned int n, unsigned int class)
{
	struct frame f;

	frame_roce6(&f, 1, 1, 2, LEN - 14 - 64);
	frame_class(&f, class, 1);
	for (unsigned int i = 0; i < n; i++)
		bench_in(0, &f);
}

/* One packet leaves by port 1, which may be polled behind port 0: what follows goes at once. */
static void
let_one_go(uint64_t now)
{
	bench.port[1].line_bps = 1;
	bench.port[1].ready_at = now;
	bench_poll(now);
	assert_int_equal(bench.port[1].n_out, 1);
	bench.port[1].ready_at = FAR;
	assert_int_equal(bench.port[0].n_out, 0);
	if (fcn_worker_next_event(bench.worker, now) == now)
		bench_poll(now);
}

/* The one frame that left by port 0, whole: priorities and their quanta. */
static void
assert_told(uint8_t priorities, uint16_t quanta3, uint16_t quanta4)
{
	uint8_t want[60] = {0x01, 0x80, 0xC2, 0x00, 0x00, 0x01, 2, 0, 0, 0, 0, 10, 0x88, 0x08, 0x01,
			0x01, 0x00, priorities};

	want[18 + 6] = quanta3 >> 8;
	want[19 + 6] = quanta3 & 0xFF;
	want[18 + 8] = quanta4 >> 8;
	want[19 + 8] = quanta4 & 0xFF;
	assert_int_equal(bench.port[0].n_out, 1);
	assert_int_equal(bench_out_len(0, 0), 60);
	assert_memory_equal(bench_out(0, 0), want, 60);
}

/* At the packet that reaches the threshold; again at half the time; and the end of it. */
TEST(bytes_and_times)
{
	const struct fcn_port_counters *c = &bench.worker->counters[0];
	const struct fcn_pause_class_stats *st = &bench.worker->port[0].pause.stats[3];

	send_some(2, 3);
	bench_poll(1000);
	assert_int_equal(bench.port[0].n_out, 0);
	assert_int_equal(fcn_worker_next_event(bench.worker, 1000), FAR);
	send_some(1, 3);
	bench_poll(2000);
	assert_told(1 << 3, 65535, 0);
	assert_int_equal(bench.port[0].sent_at, 2000);
	assert_int_equal(fcn_worker_next_event(bench.worker, 2000), 2000 + HALF);
	/* More of the same needs no frame. */
	send_some(1, 3);
	bench_poll(3000);
	assert_int_equal(bench.port[0].n_out, 0);
	bench_poll(2000 + HALF - 1);
	assert_int_equal(bench.port[0].n_out, 0);
	bench_poll(2000 + HALF);
	assert_told(1 << 3, 65535, 0);
	assert_int_equal(fcn_worker_next_event(bench.worker, 2000 + HALF), 2000 + 2 * HALF);
	/* Seen late, it goes late, and the next half begins there. */
	bench_poll(2000 + 2 * HALF + 500);
	assert_told(1 << 3, 65535, 0);
	assert_int_equal(fcn_worker_next_event(bench.worker, 2000 + 2 * HALF + 500),
			2500 + 3 * HALF);
	/* 3000 is above XON, 2000 is not. */
	let_one_go(4000000);
	assert_int_equal(bench.port[0].n_out, 0);
	let_one_go(4100000);
	assert_told(1 << 3, 0, 0);
	assert_int_equal(c->pause_sent, 4);
	assert_int_equal(c->generated, 4);
	assert_int_equal(c->tx_packets, 4);
	assert_int_equal(c->tx_bytes, 240);
	assert_int_equal(st->tx_xoff, 3);
	assert_int_equal(st->tx_xon, 1);
	assert_int_equal(st->tx_pause_ns, 4100000 - 2000);
	bench_poll(60000000);
	assert_int_equal(bench.port[0].n_out, 0);
}

/* One frame says all: the class that goes on, and the one that does not yet. */
TEST(two_classes)
{
	struct fcn_event ev[8];

	send_some(4, 3);
	send_some(3, 4);
	bench_poll(1000);
	assert_told(1 << 3 | 1 << 4, 65535, 65535);
	/* Class 4 leaves: deficit round robin begins with class 3, whose quantum is one packet. */
	bench.snap.port[1].egress.strict |= 1 << 4;
	let_one_go(2000);
	assert_told(1 << 3 | 1 << 4, 65535, 0);
	assert_int_equal(fcn_worker_next_event(bench.worker, 2000), 2000 + HALF);
	bench_poll(2000 + HALF);
	/* Of class 4 nothing more has to be said. */
	assert_told(1 << 3, 65535, 0);
	assert_int_equal(bench_events(ev, 8), 3);
	for (unsigned int i = 0; i < 3; i++) {
		assert_int_equal(ev[i].type, i < 2 ? FCN_EVENT_PFC_XOFF : FCN_EVENT_PFC_XON);
		assert_int_equal(ev[i].time_ns, i < 2 ? 1000 : 2000);
		assert_int_equal(ev[i].port, 0);
		assert_int_equal(ev[i].class, i == 0 ? 3 : 4);
		assert_int_equal(ev[i].occupancy, i < 2 ? 3000 : 2000);
	}
}

/* The last frame said go on; that it was to stop came and went between two frames: nothing is said.
 */
TEST(taken_back)
{
	struct fcn_event ev[4];

	bench_set_ops(0, &bench_link_ops);
	bench.port[0].ready_at = 9000;
	send_some(3, 3);
	bench_poll(1000);
	assert_int_equal(fcn_worker_next_event(bench.worker, 1000), 9000);
	let_one_go(2000);
	assert_int_equal(fcn_worker_next_event(bench.worker, 2000), FAR);
	bench_poll(9000);
	assert_int_equal(bench.port[0].n_out, 0);
	assert_int_equal(bench.worker->counters[0].pause_sent, 0);
	/* What happened is told all the same. */
	assert_int_equal(bench_events(ev, 4), 2);
	assert_int_equal(ev[0].type, FCN_EVENT_PFC_XOFF);
	assert_int_equal(ev[1].type, FCN_EVENT_PFC_XON);
}

/* A line that is busy: as soon as it is free, in front of everything else. */
TEST(busy_line)
{
	struct frame f;

	bench_set_ops(0, &bench_link_ops);
	bench.port[0].ready_at = 5000;
	bench.port[0].line_bps = BENCH_LINK_BPS;
	for (unsigned int i = 0; i < 3; i++) {
		frame_roce6(&f, 1, 0, 2, 100);
		frame_class(&f, 7, 0);
		frame_to_port(&f, 2, 1);
		bench_in(2, &f);
	}
	send_some(3, 3);
	bench_poll(1000);
	assert_int_equal(bench.port[0].n_out, 0);
	assert_int_equal(fcn_worker_next_event(bench.worker, 1000), 5000);
	bench_poll(5000);
	assert_told(1 << 3, 65535, 0);
	/* 84 octets of the line: 67.2 ns, as the bench counts them 67. */
	assert_int_equal(fcn_worker_next_event(bench.worker, 5000), 5067);
	bench_poll(5067);
	assert_int_equal(bench.port[0].n_out, 1);
	assert_int_equal(bench_out(0, 0)[12], 0x86);
	assert_int_equal(bench.worker->port[0].pause.refresh_at, 5000 + HALF);
	/* The same again with a refresh that falls into a busy line. */
	bench.port[0].ready_at = 5000 + HALF + 77;
	bench_poll(5000 + HALF);
	assert_int_equal(bench.port[0].n_out, 0);
	assert_int_equal(fcn_worker_next_event(bench.worker, 5000 + HALF), 5000 + HALF + 77);
	bench_poll(5000 + HALF + 77);
	assert_told(1 << 3, 65535, 0);
}

/* A port without a line of its own that takes nothing: asked again, and told once. */
TEST(refusing_port)
{
	const struct fcn_port_counters *c = &bench.worker->counters[0];

	bench.port[0].accept = 0;
	send_some(3, 3);
	for (uint64_t now = 1000; now < 1005; now++) {
		bench_poll(now);
		assert_int_equal(fcn_worker_next_event(bench.worker, now), now);
	}
	assert_int_equal(c->pause_sent, 0);
	assert_int_equal(c->generated, 0);
	assert_int_equal(c->tx_packets, 0);
	assert_int_equal(bench.worker->port[0].pause.stats[3].tx_xoff, 0);
	bench.port[0].accept = 1;
	bench_poll(2000);
	assert_told(1 << 3, 65535, 0);
	assert_int_equal(fcn_worker_next_event(bench.worker, 2000), 2000 + HALF);
	assert_int_equal(bench.worker->port[0].pause.stats[3].tx_xoff, 1);
}

/* No buffer for the frame: counted each time, and tried again. */
TEST(no_buffer)
{
	static struct rte_mbuf *all[BENCH_POOL];
	const struct fcn_port_counters *c = &bench.worker->counters[0];
	unsigned int n = 0;

	send_some(3, 3);
	while ((all[n] = rte_pktmbuf_alloc(bench.pool)) != NULL)
		n++;
	bench_poll(1000);
	bench_poll(1001);
	assert_int_equal(c->pause_no_mbuf, 2);
	assert_int_equal(c->generated, 0);
	assert_int_equal(bench.port[0].n_out, 0);
	/* Until something else happens there is nothing to try. */
	assert_int_equal(fcn_worker_next_event(bench.worker, 1001), FAR);
	rte_pktmbuf_free_bulk(all, n);
	assert_int_equal(fcn_worker_next_event(bench.worker, 1001), 1001);
	bench_poll(1002);
	assert_told(1 << 3, 65535, 0);
	assert_int_equal(c->pause_no_mbuf, 2);
	assert_int_equal(c->pause_sent, 1);
}

/* The shaper does not hold it back, and is charged: the port as a whole keeps its rate. */
TEST(shaped_port)
{
	struct frame f;

	bench.snap.port[0].egress.shaper.bps = 1000000000;
	bench_poll(0);
	for (unsigned int i = 0; i < 2; i++) {
		frame_roce6(&f, 1, 0, 2, 122); /* 200 bytes: 224 octets, 1792 ns */
		frame_to_port(&f, 2, 1);
		bench_in(2, &f);
	}
	bench_poll(10000);
	assert_int_equal(bench.port[0].n_out, 1);
	send_some(3, 3);
	bench_poll(10100);
	assert_told(1 << 3, 65535, 0);
	/* 84 octets, 672 ns, behind the 1792 of the packet. */
	assert_int_equal(fcn_worker_next_event(bench.worker, 10100), 10000 + 1792 + 672);
	bench_poll(10000 + 1792 + 672 - 1);
	assert_int_equal(bench.port[0].n_out, 0);
	bench_poll(10000 + 1792 + 672);
	assert_int_equal(bench.port[0].n_out, 1);
	assert_int_equal(bench_out_len(0, 0), 200);
}

/* Paused itself, a port still tells its own end. */
TEST(both_ways)
{
	struct frame f;

	bench_pfc_rx(0, 0xFF);
	frame_pfc(&f, 0xFF, 65535);
	bench_in(0, &f);
	send_some(3, 3);
	frame_roce6(&f, 1, 0, 2, 100);
	frame_to_port(&f, 2, 1);
	bench_send(2, &f, 1000);
	assert_told(1 << 3, 65535, 0);
	assert_int_equal(fcn_worker_next_event(bench.worker, 1000), 1000 + HALF);
	/* And the same turn that lets the class go sends its packet behind the frame. */
	frame_pfc(&f, 0xFF, 0);
	bench_send(0, &f, 1000 + HALF);
	assert_int_equal(bench.port[0].n_out, 2);
	assert_int_equal(bench_out(0, 0)[12], 0x88);
	assert_int_equal(bench_out(0, 1)[12], 0x86);
}

/* Switched off while the other end is stopped: told so, once. */
TEST(switched_off)
{
	send_some(4, 3);
	bench_poll(1000);
	assert_told(1 << 3, 65535, 0);
	bench.snap.port[0].pause.tx_classes = 0;
	bench.snap.port[0].lossless = 0;
	bench.snap.port[0].pause_on = false;
	memset(bench.snap.port[0].ingress, 0, sizeof(bench.snap.port[0].ingress));
	bench_new_snapshot();
	bench_poll(2000);
	assert_told(1 << 3, 0, 0);
	assert_int_equal(fcn_worker_next_event(bench.worker, 2000), FAR);
	assert_false(bench.worker->port[0].pausing);
	bench_poll(60000000);
	assert_int_equal(bench.port[0].n_out, 0);
	/* On again: the bytes of before count, and the next packet tells. */
	bench_lossless(0, 3, 3000, 2000, 100000);
	bench_new_snapshot();
	bench_poll(60000001);
	send_some(1, 3);
	bench_poll(60000002);
	assert_told(1 << 3, 65535, 0);
}

/* The same with a line that is busy at that moment: told when it is free. */
TEST(switched_off_busy)
{
	bench_set_ops(0, &bench_link_ops);
	send_some(4, 3);
	bench_poll(1000);
	assert_told(1 << 3, 65535, 0);
	bench.port[0].ready_at = 9000;
	bench.snap.port[0].pause.tx_classes = 0;
	bench.snap.port[0].lossless = 0;
	bench.snap.port[0].pause_on = false;
	memset(bench.snap.port[0].ingress, 0, sizeof(bench.snap.port[0].ingress));
	bench_new_snapshot();
	bench_poll(2000);
	assert_int_equal(bench.port[0].n_out, 0);
	bench_poll(3000);
	assert_int_equal(fcn_worker_next_event(bench.worker, 3000), 9000);
	bench_poll(9000);
	assert_told(1 << 3, 0, 0);
	bench_poll(9001);
	assert_int_equal(bench.port[0].n_out, 0);
}

/* Counters begin anew, what is stopped stays so. */
TEST(cleared)
{
	struct fcn_pause_class_stats st[FCN_CLASSES];
	const struct fcn_pause_class_stats zero = {0};

	send_some(3, 3);
	bench_poll(1000);
	bench_poll(2000);
	fcn_worker_clear_counters(bench.worker);
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		assert_memory_equal(&bench.worker->port[0].pause.stats[c], &zero, sizeof(zero));
	bench_poll(1000 + HALF);
	assert_told(1 << 3, 65535, 0);
	fcn_pause_read(&bench.worker->port[0].pause, 1000 + HALF, st);
	assert_int_equal(st[3].tx_xoff, 1);
	assert_int_equal(st[3].tx_pause_ns, HALF - 1000);
}

/* A trace of a frame that ends here ends here. */
TEST(trace_ends)
{
	const struct fcn_trace_record *r = &bench.worker->trace.record[0];
	struct frame f;

	bench.worker->trace.wanted = 2;
	frame_pfc(&f, 0xFF, 0);
	bench_in(0, &f);
	send_some(1, 3);
	bench_poll(1000);
	assert_int_equal(bench.worker->trace.n, 2);
	assert_int_equal(r->n_steps, 3);
	assert_int_equal(r[1].n_steps, 4); /* the packet behind it goes on to its queue */
	assert_int_equal(r->step[0].stage, FCN_STAGE_RX);
	assert_int_equal(r->step[1].stage, FCN_STAGE_CLASSIFY);
	assert_int_equal(r->step[2].stage, FCN_STAGE_MAC_CONTROL);
	assert_true(r->step[2].left);
}
