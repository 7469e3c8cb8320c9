/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Pause storms: the watchdog drops what waits, or sends it; when it begins, and when it is over. */

#include "testbed.h"

#define UNTIL (1000 + 3355392) /* a pause of 65535 quanta at 10 Gbit/s, from 1000 on */

static int
setup(void **state)
{
	bench_setup_two_ports(state);
	bench_pfc_rx(1, 1 << 3 | 1 << 4);
	bench.snap.port[1].pause.action = FCN_STORM_DROP;
	bench.snap.port[1].pause.detect_ns = 10000;
	bench.snap.port[1].pause.restore_ns = 50000;
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

static void
send_some(unsigned int n, unsigned int class)
{
	struct frame f;

	frame_roce6(&f, 1, 1, 2, 122); /* 200 bytes */
	frame_class(&f, class, 1);
	for (unsigned int i = 0; i < n; i++)
		bench_in(0, &f);
}

static void
pfc_in(uint8_t classes, uint16_t quanta)
{
	struct frame f;

	frame_pfc(&f, classes, quanta);
	bench_in(1, &f);
}

static void
assert_event(enum fcn_event_type type, uint64_t time, uint32_t occupancy)
{
	struct fcn_event ev[4];

	assert_int_equal(bench_events(ev, 4), 1);
	assert_int_equal(ev[0].type, type);
	assert_int_equal(ev[0].time_ns, time);
	assert_int_equal(ev[0].port, 1);
	assert_int_equal(ev[0].class, 3);
	assert_int_equal(ev[0].level, FCN_LEVEL_NONE);
	assert_int_equal(ev[0].occupancy, occupancy);
}

TEST(drop)
{
	const struct fcn_queue *q = bench_queue(1, 3);

	pfc_in(1 << 3, 65535);
	send_some(20, 3);
	bench_poll(1000);
	assert_int_equal(fcn_worker_next_event(bench.worker, 1000), 11000);
	bench_poll(10999);
	assert_int_equal(fcn_queue_packets(q), 20);
	bench_poll(11000);
	assert_event(FCN_EVENT_STORM, 11000, 4000);
	assert_true(fcn_queue_is_empty(q));
	/* Lost behind the push: on the port they waited for. */
	assert_int_equal(bench.worker->counters[1].drop[FCN_DROP_PAUSE_STORM], 20);
	assert_int_equal(q->stats.drop[FCN_REFUSED_PAUSE_STORM], 20);
	assert_int_equal(q->stats.drop_bytes, 4000);
	assert_int_equal(q->stats.deq_packets, 0);
	/* Over when no pause came for 50000 from 1000 on. */
	assert_int_equal(fcn_worker_next_event(bench.worker, 11000), 51000);
	/* What comes now is refused, of this class alone. */
	send_some(3, 3);
	send_some(2, 4);
	bench_poll(20000);
	assert_int_equal(bench.port[1].n_out, 2);
	assert_int_equal(bench.worker->counters[0].drop[FCN_DROP_PAUSE_STORM], 3);
	assert_int_equal(q->stats.drop[FCN_REFUSED_PAUSE_STORM], 23);
	/* One more pause makes it longer. */
	pfc_in(1 << 3, 65535);
	bench_poll(30000);
	assert_int_equal(fcn_worker_next_event(bench.worker, 30000), 80000);
	bench_poll(79999);
	send_some(1, 3);
	bench_poll(79999);
	assert_int_equal(bench_drops(FCN_DROP_PAUSE_STORM), 24);
	/* Then what is left of the pause is obeyed. */
	bench_poll(80000);
	assert_event(FCN_EVENT_STORM_OVER, 80000, 0);
	send_some(5, 3);
	bench_poll(80001);
	assert_int_equal(bench.port[1].n_out, 0);
	assert_int_equal(fcn_queue_packets(q), 5);
	assert_int_equal(fcn_worker_next_event(bench.worker, 80001), 30000 + 3355392);
	bench_poll(30000 + 3355392);
	assert_int_equal(bench.port[1].n_out, 5);
	assert_true(fcn_worker_next_event(bench.worker, 30000 + 3355392) == FCN_TIME_NEVER);
	assert_int_equal(bench.worker->port[1].pause.stats[3].storms, 1);
}

/* Without packets to wait there is no storm; the first that waits sets it off. */
TEST(nothing_waits)
{
	pfc_in(1 << 3, 65535);
	bench_poll(1000);
	assert_int_equal(fcn_worker_next_event(bench.worker, 1000), UNTIL);
	bench_poll(12000);
	send_some(1, 4);
	bench_poll(13000);
	assert_int_equal(bench.port[1].n_out, 1);
	send_some(1, 3);
	bench_poll(14000);
	assert_event(FCN_EVENT_STORM, 14000, 200);
	assert_int_equal(bench_drops(FCN_DROP_PAUSE_STORM), 1);
}

/* More than is dropped in a turn: the rest follows without delay, and nothing is kept. */
TEST(long_queue)
{
	unsigned int turns = 0;

	pfc_in(1 << 3, 65535);
	for (unsigned int i = 0; i < 25; i++) {
		send_some(32, 3);
		bench_poll(1000 + i);
	}
	assert_int_equal(fcn_queue_packets(bench_queue(1, 3)), 800);
	do
		bench_poll(11000);
	while (++turns < 100 && fcn_worker_next_event(bench.worker, 11000) == 11000);
	assert_true(fcn_queue_is_empty(bench_queue(1, 3)));
	assert_int_equal(bench_drops(FCN_DROP_PAUSE_STORM), 800);
	assert_true(turns > 1 && turns < 10);
	assert_event(FCN_EVENT_STORM, 11000, 160000);
}

TEST(forward)
{
	bench.snap.port[1].pause.action = FCN_STORM_FORWARD;
	pfc_in(1 << 3, 65535);
	send_some(20, 3);
	bench_poll(1000);
	assert_int_equal(bench.port[1].n_out, 0);
	assert_int_equal(fcn_worker_next_event(bench.worker, 1000), 11000);
	bench_poll(11000);
	assert_event(FCN_EVENT_STORM, 11000, 4000);
	assert_int_equal(bench.port[1].n_out, 20);
	pfc_in(1 << 3, 65535);
	send_some(3, 3);
	bench_poll(20000);
	assert_int_equal(bench.port[1].n_out, 3);
	assert_int_equal(fcn_worker_next_event(bench.worker, 20000), 70000);
	bench_poll(70000);
	assert_event(FCN_EVENT_STORM_OVER, 70000, 0);
	send_some(3, 3);
	bench_poll(70001);
	assert_int_equal(bench.port[1].n_out, 0);
	assert_int_equal(fcn_worker_next_event(bench.worker, 70001), 20000 + 3355392);
	bench_poll(20000 + 3355392);
	assert_int_equal(bench.port[1].n_out, 3);
	assert_int_equal(bench_all_drops(), 0);
	/* Stopped all the time, as far as the other end is concerned. */
	assert_int_equal(bench.worker->port[1].pause.stats[3].rx_pause_ns, 19000 + 3355392);
}

/* What a storm loses is off the accounts: the sender behind the ingress port goes on. */
TEST(accounts)
{
	struct fcn_event ev[4];

	bench.snap.buffer.size = 100000;
	bench.snap.buffer.shared = 80000;
	for (unsigned int c = 0; c < FCN_CLASSES; c++)
		bench_queue_conf(1, c)->slow_path = true;
	bench_lossless(0, 3, 2000, 1000, 10000);
	bench_queue_conf(1, 3)->policy.heavy_flows = true;
	pfc_in(1 << 3 | 1 << 4, 65535);
	send_some(20, 3);
	send_some(12, 4);
	bench_poll(1000);
	assert_int_equal(bench.worker->ingress[0][3].used, 4000);
	assert_int_equal(bench_queue(1, 4)->charged, 2400);
	assert_int_equal(bench.worker->port[0].pause.sent_xoff, 1 << 3);
	bench_poll(11000);
	assert_int_equal(bench.worker->ingress[0][3].used, 0);
	assert_int_equal(bench.worker->buffer.shared_used, 0);
	assert_int_equal(bench.worker->buffer.headroom_used, 0);
	bench_poll(11000);
	assert_int_equal(bench.worker->port[0].pause.sent_xoff, 0);
	/* XOFF, a storm, XON, the other storm */
	assert_int_equal(bench_events(ev, 4), 4);
	assert_int_equal(ev[2].type, FCN_EVENT_PFC_XON);
	assert_int_equal(ev[2].port, 0);
	/* Refused at the door, they stand on no account. */
	send_some(5, 3);
	send_some(5, 4);
	bench_poll(12000);
	assert_int_equal(bench.worker->buffer.shared_used, 0);
	assert_int_equal(bench_drops(FCN_DROP_PAUSE_STORM), 42);
}

/* Switched off in a storm: what is left of the pause is obeyed, nothing is dropped any more. */
TEST(switched_off)
{
	pfc_in(1 << 3, 65535);
	send_some(1, 3);
	bench_poll(1000);
	bench_poll(11000);
	assert_event(FCN_EVENT_STORM, 11000, 200);
	bench.snap.port[1].pause.action = FCN_STORM_OFF;
	bench_new_snapshot();
	bench_poll(12000);
	send_some(2, 3);
	bench_poll(13000);
	assert_int_equal(bench.port[1].n_out, 0);
	assert_int_equal(bench_drops(FCN_DROP_PAUSE_STORM), 1);
	assert_int_equal(fcn_worker_next_event(bench.worker, 13000), UNTIL);
	bench_poll(UNTIL);
	assert_int_equal(bench.port[1].n_out, 2);
}

/* What was ever taken never becomes less. */
TEST(taken_is_monotonic)
{
	pfc_in(1 << 3, 65535);
	send_some(20, 3);
	bench_poll(1000);
	assert_int_equal(bench_accepted(bench_queue(1, 3)), 20);
	assert_int_equal(bench_accepted_bytes(bench_queue(1, 3)), 4000);
	bench_poll(11000);
	assert_int_equal(bench_accepted(bench_queue(1, 3)), 20);
	assert_int_equal(bench_accepted_bytes(bench_queue(1, 3)), 4000);
}
