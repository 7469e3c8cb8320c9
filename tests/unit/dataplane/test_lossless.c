/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Lossless classes: accounts by where packets came in, until they leave. */

#include "one_worker.h"
#include "testbed.h"

#define LEN 1000
#define FAR (UINT64_C(1) << 60)

/* Ports 0 and 2 send class 3 to port 1, which lets go when it is told to. */
static int
setup(void **state)
{
	bench_setup_two_ports(state);
	bench_set_ops(1, &bench_link_ops);
	bench.port[1].ready_at = FAR;
	bench.port[1].line_bps = 1; /* one, and nothing more for hours */
	bench_lossless(0, 3, 5000, 3000, 3000);
	bench_lossless(2, 3, 9000, 1000, 0);
	return 0;
}

TEST_FIXTURE(BENCH_LARGE_EAL, .setup = setup, .teardown = bench_teardown);

static void
send_some(uint16_t port, unsigned int n, unsigned int class, uint16_t net)
{
	struct frame f;

	frame_roce6(&f, port, net, 2, LEN - 14 - 64);
	frame_class(&f, class, 1);
	frame_to_port(&f, port, 1);
	for (unsigned int i = 0; i < n; i++)
		bench_in(port, &f);
}

static void
turn(void)
{
	bench_poll(bench.worker->now + 1);
}

/* So many packets leave by port 1, one a turn. */
static void
let_go(unsigned int n)
{
	for (; n > 0; n--) {
		bench.port[1].ready_at = 0;
		turn();
		assert_int_equal(bench.port[1].n_out, 1);
		bench.port[1].ready_at = FAR;
	}
}

static const struct fcn_ingress *
in_of(uint16_t port)
{
	return &bench.worker->ingress[port][3];
}

static bool
is_stopped(uint16_t port)
{
	return bench.worker->port[port].pause.sent_xoff >> 3 & 1;
}

/* Each port its own account, of its lossless classes alone; a packet leaves the one it came by. */
TEST(accounts)
{
	send_some(0, 4, 3, 1);
	send_some(2, 8, 3, 1);
	send_some(0, 4, 4, 1); /* no lossless class */
	send_some(3, 4, 3, 1); /* no lossless port */
	turn();
	assert_int_equal(in_of(0)->used, 4000);
	assert_int_equal(in_of(2)->used, 8000);
	assert_int_equal(in_of(3)->used, 0);
	assert_int_equal(bench.worker->ingress[0][4].used, 0);
	assert_false(is_stopped(0) || is_stopped(2));
	send_some(0, 1, 3, 1);
	send_some(2, 1, 3, 1);
	turn();
	turn();
	assert_true(is_stopped(0));
	assert_true(is_stopped(2));
	assert_int_equal(in_of(0)->used_max, 5000);
	/*
	 * In their order: 4 of port 0, 8 of port 2, 4 of port 3, one each. Strict before
	 * class 4, so that no other leaves between.
	 */
	bench.snap.port[1].egress.strict |= 1 << 3;
	let_go(1);
	assert_int_equal(in_of(0)->used, 4000);
	turn();
	assert_true(is_stopped(0));
	let_go(1);
	turn();
	assert_false(is_stopped(0));
	let_go(1 + 1 + 7);
	turn();
	assert_int_equal(in_of(0)->used, 1000);
	assert_int_equal(in_of(2)->used, 2000);
	assert_true(is_stopped(2));
	let_go(1);
	turn();
	assert_false(is_stopped(2));
	let_go(6);
	assert_int_equal(in_of(0)->used, 0);
	assert_int_equal(in_of(2)->used, 0);
	assert_int_equal(bench_all_drops(), 0);
}

/* The queue's limit in bytes loses no packet of a lossless class; its slots do. */
TEST(limits)
{
	struct fcn_event ev[4];

	bench_queue_conf(1, 3)->limit_bytes = 2000;
	bench_queue_conf(1, 3)->limit_packets = 2;
	send_some(0, 4, 3, 1);
	send_some(3, 4, 3, 1);
	turn();
	assert_int_equal(fcn_queue_packets(bench_queue(1, 3)), 4);
	assert_int_equal(bench.worker->counters[0].drop[FCN_DROP_QUEUE_BYTES], 0);
	assert_int_equal(bench.worker->counters[3].drop[FCN_DROP_QUEUE_BYTES], 4);
	/* BENCH_QUEUE slots, small packets: none refused before, each behind it told by its name.
	 */
	bench.snap.port[0].ingress[3].headroom = 10000000;
	for (unsigned int i = 0; i < 33; i++) {
		struct frame f;

		frame_roce6(&f, 1, 1, 2, 0);
		for (unsigned int k = 0; k < 32; k++)
			bench_in(0, &f);
		turn();
	}
	assert_int_equal(fcn_queue_packets(bench_queue(1, 3)), BENCH_QUEUE);
	assert_int_equal(bench_drops(FCN_DROP_LOSSLESS_PACKETS), 33 * 32 + 4 - BENCH_QUEUE);
	assert_int_equal(in_of(0)->lost_packets, 36);
	assert_int_equal(bench_queue(1, 3)->stats.drop[FCN_REFUSED_LOSSLESS_PACKETS], 36);
	assert_int_equal(bench_events_of(FCN_EVENT_LOSSLESS_LOSS, ev, 4), 1);
}

/* Beyond the threshold there is the headroom, and beyond that loss: counted, told, once a ms. */
TEST(headroom_and_loss)
{
	struct fcn_event ev[4];

	bench_poll(5000000);
	bench_events(ev, 4);
	/* 5 up to the threshold, 3 of headroom, 4 lost */
	send_some(0, 12, 3, 1);
	turn();
	assert_int_equal(in_of(0)->used, 8000);
	assert_int_equal(in_of(0)->headroom, 3000);
	assert_int_equal(in_of(0)->headroom_max, 3000);
	assert_int_equal(in_of(0)->lost_packets, 4);
	assert_int_equal(in_of(0)->lost_bytes, 4000);
	assert_int_equal(bench.worker->counters[0].drop[FCN_DROP_LOSSLESS_HEADROOM], 4);
	assert_int_equal(bench_events_of(FCN_EVENT_LOSSLESS_LOSS, ev, 4), 1);
	assert_int_equal(ev[0].time_ns, 5000001);
	assert_int_equal(ev[0].port, 0);
	assert_int_equal(ev[0].in_port, 0);
	assert_int_equal(ev[0].class, 3);
	assert_int_equal(ev[0].occupancy, 8000);
	send_some(0, 1, 3, 1);
	bench_poll(6000000);
	assert_int_equal(bench_events_of(FCN_EVENT_LOSSLESS_LOSS, ev, 4), 0);
	send_some(0, 2, 3, 1);
	bench_poll(6000001);
	assert_int_equal(bench_events_of(FCN_EVENT_LOSSLESS_LOSS, ev, 4), 1);
	assert_int_equal(in_of(0)->lost_packets, 7);
	/* Of another port it is told as well: no headroom there at all. */
	send_some(2, 10, 3, 1);
	turn();
	assert_int_equal(in_of(2)->used, 9000);
	assert_int_equal(bench_events_of(FCN_EVENT_LOSSLESS_LOSS, ev, 4), 1);
	assert_int_equal(ev[0].port, 2);
	/* Out of the headroom first: XON only when it is empty and 3000 are left. */
	let_go(3);
	turn();
	assert_int_equal(in_of(0)->headroom, 0);
	assert_int_equal(in_of(0)->used, 5000);
	assert_true(is_stopped(0));
	let_go(2);
	turn();
	assert_false(is_stopped(0));
}

/* A flooded packet is as many as there are copies. */
TEST(flooded)
{
	struct frame f;

	bench_bridge(4);
	bench_set_ops(1, &bench_gate_ops);
	bench.port[1].accept = 0;
	bench_set_ops(3, &bench_gate_ops);
	bench.port[3].accept = 0;
	frame_roce6(&f, 1, 1, 2, LEN - 14 - 64);
	frame_macs(&f, 99, 1);
	bench_in(0, &f);
	bench_in(0, &f);
	turn();
	assert_int_equal(bench.port[2].n_out, 2);
	assert_int_equal(in_of(0)->used, 4000);
	bench_in(0, &f);
	turn();
	turn();
	assert_int_equal(in_of(0)->used, 6000);
	assert_true(is_stopped(0));
	bench.port[3].accept = bench.port[1].accept = 32;
	turn();
	turn();
	assert_int_equal(in_of(0)->used, 0);
	assert_false(is_stopped(0));
}

/* What is queued for a port that goes is off the accounts; the senders go on. */
TEST(egress_removed)
{
	send_some(0, 6, 3, 1);
	send_some(2, 9, 3, 1);
	send_some(0, 3, 3, 0); /* by the port it came in by: leaves at once */
	turn();
	turn();
	assert_true(is_stopped(0) && is_stopped(2));
	fcn_worker_port_remove(bench.worker, 1);
	bench_check();
	assert_int_equal(bench.worker->counters[1].drop[FCN_DROP_PORT_GONE], 15);
	assert_int_equal(in_of(0)->used, 0);
	assert_int_equal(in_of(2)->used, 0);
	assert_int_equal(fcn_worker_next_event(bench.worker, bench.worker->now), bench.worker->now);
	turn();
	assert_false(is_stopped(0) || is_stopped(2));
	assert_int_equal(bench.port[0].n_out, 1);
	assert_int_equal(bench.port[2].n_out, 1);
}

/* A port that goes while its packets wait elsewhere and on itself, and a new one with its number.
 */
TEST(ingress_removed)
{
	const uint32_t slots[FCN_CLASSES] = {64, 64, 64, 64, 64, 64, 64, 64};
	struct fcn_event ev[8];

	bench_set_ops(0, &bench_gate_ops);
	bench.port[0].accept = 0;
	send_some(0, 4, 3, 1);
	send_some(0, 3, 3, 0);
	send_some(2, 1, 3, 0);
	turn();
	assert_int_equal(in_of(0)->used, 7000);
	assert_true(in_of(0)->xoff);
	fcn_worker_port_remove(bench.worker, 0);
	bench_check();
	/* Those on itself are gone, the others wait. */
	assert_int_equal(in_of(0)->used, 4000);
	assert_int_equal(in_of(2)->used, 0);
	turn();
	assert_true(in_of(0)->xoff);
	/* Its number comes again: not stopped, and not forgotten what waits. */
	bench.port[0].accept = UINT16_MAX;
	assert_int_equal(
			one_worker_port_add(bench.worker, 0, &bench_ops, &bench.port[0], slots), 0);
	bench_new_snapshot();
	bench_events(ev, 8);
	turn();
	assert_int_equal(bench.port[0].n_out, 0);
	assert_false(is_stopped(0));
	assert_int_equal(in_of(0)->used, 4000);
	send_some(0, 1, 3, 1); /* 5000 with it */
	turn();
	turn();
	assert_true(is_stopped(0));
	assert_int_equal(bench_events_of(FCN_EVENT_PFC_XOFF, ev, 8), 1);
	let_go(2);
	turn();
	assert_int_equal(in_of(0)->used, 3000);
	assert_false(is_stopped(0));
	let_go(3);
	assert_int_equal(in_of(0)->used, 0);
}

/* Losses of a port that had the number before are not the new one's, nor do they silence its. */
TEST(losses_of_another)
{
	struct fcn_event ev[4];

	send_some(0, 9, 3, 1);
	turn();
	assert_int_equal(in_of(0)->lost_packets, 1);
	assert_int_equal(bench_events_of(FCN_EVENT_LOSSLESS_LOSS, ev, 4), 1);
	bench_set_ops(0, &bench_ops);
	assert_int_equal(in_of(0)->lost_packets, 0);
	assert_int_equal(in_of(0)->lost_bytes, 0);
	send_some(0, 1, 3, 1);
	turn();
	assert_int_equal(in_of(0)->lost_packets, 1);
	assert_int_equal(bench_events_of(FCN_EVENT_LOSSLESS_LOSS, ev, 4), 1);
	fcn_worker_clear_counters(bench.worker);
	assert_int_equal(in_of(0)->lost_packets, 0);
	assert_int_equal(in_of(0)->lost_bytes, 0);
	assert_int_equal(in_of(0)->used, 8000);
}

/* What was charged under one configuration is counted by the next, and leaves by it. */
TEST(configuration_changes)
{
	struct fcn_ingress_conf *conf = &bench.snap.port[0].ingress[3];
	const struct fcn_buffer *b = &bench.worker->buffer;

	send_some(0, 7, 3, 1);
	turn();
	/* 5 below the threshold, which is no part of any buffer; 2 in the headroom */
	assert_int_equal(b->shared_used, 5000);
	assert_int_equal(b->headroom_used, 2000);
	assert_true(in_of(0)->xoff);
	bench.snap.buffer = (struct fcn_buffer_conf){.size = 100000, .shared = 50000};
	for (uint16_t p = 0; p < 4; p++) {
		for (unsigned int c = 0; c < FCN_CLASSES; c++)
			bench_queue_conf(p, c)->slow_path = true;
	}
	conf->reserve = 4000;
	bench_new_snapshot();
	turn();
	assert_int_equal(b->shared_used, 1000);
	assert_int_equal(b->headroom_used, 2000);
	conf->reserve = 100;
	bench_new_snapshot();
	turn();
	assert_int_equal(b->shared_used, 4900);
	let_go(3);
	assert_int_equal(b->shared_used, 3900);
	assert_int_equal(b->headroom_used, 0);
	assert_int_equal(in_of(0)->used, 4000);
	/* No lossless class any more: what comes is the queue's, what is there leaves as it came.
	 */
	bench.snap.port[0].lossless = 0;
	bench.snap.port[0].pause.tx_classes = 0;
	memset(conf, 0, sizeof(*conf));
	bench_new_snapshot();
	send_some(0, 2, 3, 1);
	turn();
	assert_int_equal(in_of(0)->used, 4000);
	assert_int_equal(bench_queue(1, 3)->charged, 2000);
	assert_int_equal(b->shared_used, 6000);
	assert_false(is_stopped(0));
	let_go(6);
	assert_int_equal(in_of(0)->used, 0);
	assert_int_equal(bench_queue(1, 3)->charged, 0);
	assert_int_equal(b->shared_used, 0);
}
