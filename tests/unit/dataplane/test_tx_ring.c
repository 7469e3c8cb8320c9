/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Bytes in a device's ring: counted from what was given to it, met by detectors as backlog. */

#include "tx_ring.h"
#include "testbed.h"

static int
setup(void **state)
{
	bench_setup_two_ports(state);
	bench_set_ops(1, &bench_ring_ops);
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

TEST_WITH(arithmetic, NULL, NULL)
{
	static struct fcn_tx_ring r;
	const struct fcn_queue_entry e[3] = {{.len = 100}, {.len = 20}, {.len = 3}};
	const uint16_t one[3] = {1, 1, 1}, chained[3] = {1, 3, 1};

	memset(&r, 0, sizeof(r));
	assert_int_equal(fcn_tx_ring_bytes(&r, 5), 0);
	assert_int_equal(fcn_tx_ring_bytes(&r, -1), 0);
	fcn_tx_ring_note(&r, e, one, 3);
	assert_int_equal(fcn_tx_ring_bytes(&r, -1), 0);
	assert_int_equal(fcn_tx_ring_bytes(&r, 0), 0);
	assert_int_equal(fcn_tx_ring_bytes(&r, 1), 3);
	assert_int_equal(fcn_tx_ring_bytes(&r, 2), 23);
	assert_int_equal(fcn_tx_ring_bytes(&r, 3), 123);
	assert_int_equal(fcn_tx_ring_bytes(&r, 4), 123);
	fcn_tx_ring_note(&r, e, one, 0);
	fcn_tx_ring_add(&r, 7, 1);
	assert_int_equal(fcn_tx_ring_bytes(&r, 1), 7);
	assert_int_equal(fcn_tx_ring_bytes(&r, 3), 30);
	assert_int_equal(fcn_tx_ring_bytes(&r, INT32_MAX), 130);
	/* A frame of three segments has three descriptors, and is there until the last has left. */
	fcn_tx_ring_note(&r, e, chained, 3);
	assert_int_equal(fcn_tx_ring_bytes(&r, 1), 3);
	for (int backlog = 2; backlog <= 4; backlog++)
		assert_int_equal(fcn_tx_ring_bytes(&r, backlog), 23);
	assert_int_equal(fcn_tx_ring_bytes(&r, 5), 123);
	assert_int_equal(fcn_tx_ring_bytes(&r, 6), 130);
}

/* Any number of packets, beyond 2^32 bytes: the last ones, as far as they are remembered. */
TEST_WITH(model, NULL, NULL)
{
	static struct fcn_tx_ring r;
	static uint16_t len[100000];
	uint64_t seed = 6;

	memset(&r, 0, sizeof(r));
	for (unsigned int i = 0; i < RTE_DIM(len); i++) {
		unsigned int ask = fcn_test_random(&seed) % 1200;
		uint32_t want = 0;

		len[i] = 60 + fcn_test_random(&seed) % 65000;
		fcn_tx_ring_add(&r, len[i], 1);
		if (i % 50 != 0)
			continue;
		for (unsigned int k = 0; k < ask && k <= i && k < FCN_TX_RING_PACKETS - 1; k++)
			want += len[i - k];
		assert_int_equal(fcn_tx_ring_bytes(&r, ask), want);
	}
	assert_true(r.n == RTE_DIM(len));
}

static void
send_some(unsigned int n)
{
	struct frame f;

	frame_roce6(&f, 1, 1, 2, 1000 - 14 - 64);
	for (unsigned int i = 0; i < n; i++)
		bench_in(0, &f);
}

/* The ring's bytes come on top of the queue's, one way and the other of queueing. */
TEST(detected)
{
	for (unsigned int slow_path = 0; slow_path < 2; slow_path++) {
		struct fcn_event ev[4];

		bench.port[1].backlog = 0;
		bench_set_ops(1, &bench_ring_ops);
		bench_notices(1, 5000);
		bench_queue_conf(1, 3)->slow_path = slow_path;
		send_some(4);
		bench_poll(1000 * slow_path + 1);
		assert_int_equal(bench.port[1].n_out, 4);
		/* 3 are still there: 3000, and two more make 5000 with the second */
		bench.port[1].backlog = 3;
		bench_poll(1000 * slow_path + 2);
		assert_int_equal(bench.worker->port[1].egress->ring_bytes, 3000);
		send_some(2);
		bench_poll(1000 * slow_path + 3);
		assert_int_equal(bench_queue(1, 3)->stats.congested_packets, 1);
		assert_int_equal(bench_events_of(FCN_EVENT_CONGESTED, ev, 4), 1);
		assert_int_equal(ev[0].occupancy, 5000);
		/* The two went into the ring, of which three are left: 3000 is not below 2500. */
		assert_true(bench_queue(1, 3)->detector.congested);
		bench.port[1].backlog = 2;
		bench_poll(1000 * slow_path + 4);
		assert_false(bench_queue(1, 3)->detector.congested);
		assert_int_equal(bench_events_of(FCN_EVENT_RECOVERED, ev, 4), 1);
		assert_int_equal(ev[0].time_ns, 1000 * slow_path + 4);
		/* A device that cannot tell any more adds nothing. */
		bench.port[1].backlog = -1;
		bench_poll(1000 * slow_path + 5);
		assert_int_equal(bench.worker->port[1].egress->ring_bytes, 0);
	}
}

/* What is in the ring is of nobody: a flow's part is measured by what is queued. */
TEST(heavy_flows)
{
	struct frame f;

	bench_notices(1, 5000);
	bench_queue_conf(1, 3)->policy.heavy_flows = true;
	bench_queue_conf(1, 3)->slow_path = true;
	send_some(4);
	bench_poll(1);
	bench.port[1].backlog = 3;
	bench_poll(2);
	send_some(1);
	frame_roce6(&f, 2, 1, 2, 1000 - 14 - 64);
	bench_send(0, &f, 3);
	/* 3000 in the ring; of 2000 queued it has half: 4 * 1000 >= 2000 */
	assert_int_equal(bench_queue(1, 3)->stats.congested_packets, 1);
	assert_int_equal(bench_verdict(1, 3, FCN_NOTIFY_LIGHT_FLOW), 0);
	assert_int_equal(bench_verdict(1, 3, FCN_FASTCNP_SENT_OPT1), 1);
}

/* One that could not tell when it came has no ring; nor has one without the operation. */
TEST(cannot_tell)
{
	bench.port[1].backlog = -1;
	bench_set_ops(1, &bench_ring_ops);
	assert_null(bench.worker->port[1].ring);
	assert_null(bench.worker->port[0].ring);
	bench.port[1].backlog = 5;
	send_some(5);
	bench_poll(1);
	bench_poll(2);
	assert_int_equal(bench.worker->port[1].egress->ring_bytes, 0);
}

/* What the port did not take is not in its ring; a pause frame is. */
TEST(taken)
{
	struct frame f;

	bench.port[1].accept = 2;
	bench.port[1].backlog = 100;
	send_some(8);
	bench_poll(1);
	assert_int_equal(bench.port[1].n_out, 2);
	assert_int_equal(bench.worker->port[1].egress->ring_bytes, 2000);
	bench_poll(2);
	assert_int_equal(bench.worker->port[1].egress->ring_bytes, 4000);
	bench.port[1].accept = UINT16_MAX;
	bench_poll(3);
	assert_int_equal(bench.worker->port[1].egress->ring_bytes, 8000);
	bench_lossless(1, 3, 1, 0, 1000000);
	bench_new_snapshot();
	bench_set_ops(0, &bench_gate_ops);
	bench.port[0].accept = 0;
	frame_roce6(&f, 1, 0, 2, 100);
	frame_to_port(&f, 1, 1);
	bench_in(1, &f);
	bench.port[1].backlog = 1;
	bench_poll(4);
	assert_int_equal(bench.worker->counters[1].pause_sent, 1);
	assert_int_equal(bench.worker->port[1].egress->ring_bytes, 60);
}

/* A queue that is empty is not waited in, whatever its device holds: congestion by time ends. */
TEST(sojourn)
{
	struct fcn_queue_conf *q = bench_queue_conf(1, 3);
	struct fcn_event ev[4];
	struct frame f;

	q->detector = (struct fcn_detector_conf){.type = FCN_DETECTOR_SOJOURN,
			.enter = 2000,
			.leave = 1000,
			.limit = 10000,
			.hold_ns = 5000};
	fcn_detector_levels(&q->detector);
	bench.port[1].backlog = 100;
	bench_pfc_rx(1, 1 << 3);
	frame_pfc(&f, 1 << 3, 65535);
	bench_in(1, &f);
	send_some(1);
	bench_poll(1000);
	send_some(1);
	bench_poll(3000); /* the head has waited for 2000 */
	assert_int_equal(bench_events_of(FCN_EVENT_CONGESTED, ev, 4), 1);
	frame_pfc(&f, 1 << 3, 0);
	bench_send(1, &f, 4000);
	assert_int_equal(bench.port[1].n_out, 2);
	assert_int_equal(bench.worker->port[1].egress->ring_bytes, 2000);
	for (uint64_t now = 4000; now < 9000; now += 500) {
		assert_int_equal(fcn_worker_next_event(bench.worker, now), 9000);
		bench_poll(now);
	}
	bench_poll(9000);
	assert_int_equal(bench_events_of(FCN_EVENT_RECOVERED, ev, 4), 1);
	assert_int_equal(ev[0].time_ns, 9000);
}
