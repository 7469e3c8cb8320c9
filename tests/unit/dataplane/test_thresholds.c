/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Who of those that met congestion is marked and notified for: by level, occupancy, share. */

#include "testbed.h"

static int
setup(void **state)
{
	bench_setup_two_ports(state);
	bench_set_ops(1, &bench_gate_ops);
	bench.port[1].accept = 0;
	/* Levels double: 128 times 1000 is the limit. */
	bench_queue_conf(1, 3)->limit_bytes = 128000;
	bench_notices(1, 1000);
	bench_queue_conf(1, 3)->slow_path = true;
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = bench_teardown);

/* A packet of so many bytes of a flow; whether its sender was notified. */
static bool
arrives(uint8_t flow, uint32_t len)
{
	uint64_t made = bench.worker->counters[1].generated;
	struct frame f;

	frame_roce6(&f, flow, 1, 2, len - 14 - 64);
	bench_send(0, &f, bench.worker->now + 1);
	return bench.worker->counters[1].generated != made;
}

/* Whether the packet at this place of the queue is CE-marked. */
static bool
is_marked(unsigned int place)
{
	const struct fcn_queue *q = bench_queue(1, 3);
	const struct fcn_queue_entry *e = &q->ring[(q->head + place) & q->mask];

	return (rte_pktmbuf_mtod(e->mbuf, const uint8_t *)[15] >> 4 & 3) == 3;
}

/* Packets of 1000: the k-th finds 1000 k; level l holds from 1000 * 2^l on. */
TEST(levels_and_bytes)
{
	static const struct {
		int mark_level, notify_level;
		uint32_t mark_bytes, notify_bytes;
		unsigned int marked_from, notified_from;
	} cases[] = {
			{0, 0, 0, 0, 1, 1},
			{1, 2, 0, 0, 2, 4},
			{3, 0, 0, 0, 8, 1},
			{0, 0, 3000, 6000, 3, 6},
			{0, 0, 3001, 5999, 4, 6},
			{2, 1, 3000, 7000, 4, 7},
			{1, 2, 5000, 1000, 5, 4},
			{7, 7, 0, 0, 99, 99},
			{0, 0, 10001, 10000, 99, 10},
	};

	for (size_t i = 0; i < RTE_DIM(cases); i++) {
		struct fcn_queue_conf *q = bench_queue_conf(1, 3);
		uint64_t wanted = 0;

		q->policy.mark_level = cases[i].mark_level;
		q->policy.notify_level = cases[i].notify_level;
		q->policy.mark_bytes = cases[i].mark_bytes;
		q->policy.notify_bytes = cases[i].notify_bytes;
		fcn_worker_clear_counters(bench.worker);
		for (unsigned int k = 1; k <= 10; k++) {
			assert_int_equal(arrives(k, 1000), k >= cases[i].notified_from);
			assert_int_equal(is_marked(k - 1), k >= cases[i].marked_from);
			wanted += k >= cases[i].notified_from;
		}
		assert_int_equal(bench_queue(1, 3)->stats.congested_packets, 10);
		assert_int_equal(bench_verdict(1, 3, FCN_FASTCNP_SENT_OPT1), wanted);
		assert_int_equal(bench_verdict(1, 3, FCN_NOTIFY_NONE), 0);
		bench.port[1].accept = UINT16_MAX;
		bench_poll(bench.worker->now + 1);
		bench.port[1].accept = 0;
		assert_false(bench_queue(1, 3)->detector.congested);
	}
}

/* A capable sender that is below the threshold of notices is below it for ECN as well or not. */
TEST(capable)
{
	bench.fastcnp.default_capability = FCN_SENDER_CAPABLE;
	bench_queue_conf(1, 3)->policy.notify_bytes = 5000;
	bench_queue_conf(1, 3)->policy.mark_bytes = 3000;
	for (unsigned int k = 1; k <= 10; k++) {
		assert_int_equal(arrives(k, 1000), k >= 5);
		assert_int_equal(is_marked(k - 1), k == 3 || k == 4);
	}
}

/* A share of half of what would be fair: with two flows a quarter of the queue. */
TEST(heavy_flows)
{
	static const struct {
		uint8_t flow;
		uint32_t len;
		bool notified;
	} paper[] = {
			{1, 1000, true},                  /* alone */
			{1, 1000, true}, {1, 1000, true}, /* 3000 */
			{2, 999, false},                  /* 4 * 999 < 3999 */
			{2, 1000, true},                  /* 4 * 1999 >= 4999 */
			{3, 500, false},                  /* 6 * 500 < 5499 */
			{3, 599, true},                   /* 6 * 1099 = 6594 >= 6098 */
			{4, 871, false},                  /* 8 * 871 = 6968 < 6969 */
			{1, 1000, true},                  /* 8 * 4000 */
			{4, 268, true},                   /* 8 * 1139 = 9112 >= 8237 */
			{5, 915, false},                  /* 10 * 915 = 9150 < 9152 */
	};
	struct fcn_queue *q = bench_queue(1, 3);

	bench_queue_conf(1, 3)->policy.heavy_flows = true;
	for (size_t i = 0; i < RTE_DIM(paper); i++) {
		assert_int_equal(arrives(paper[i].flow, paper[i].len), paper[i].notified);
		/* Of unknown senders: marked in either case. */
		assert_true(is_marked(i));
	}
	assert_int_equal(q->flows->n, 5);
	assert_int_equal(bench_verdict(1, 3, FCN_NOTIFY_LIGHT_FLOW), 4);
	assert_int_equal(bench_verdict(1, 3, FCN_FASTCNP_SENT_OPT1), 7);
}

/* Shares follow what leaves. */
TEST(shares_shrink)
{
	struct fcn_queue *q = bench_queue(1, 3);
	struct frame f;

	bench_queue_conf(1, 3)->policy.heavy_flows = true;
	for (unsigned int i = 0; i < 3; i++)
		arrives(1, 1000);
	assert_true(arrives(2, 1000));
	assert_int_equal(q->flows->n, 2);
	/* The queue loses those of flow 1: 2 is alone, and a third one is measured by it. */
	bench.port[1].accept = UINT16_MAX;
	bench_poll(bench.worker->now + 1);
	bench.port[1].accept = 0;
	assert_int_equal(q->flows->n, 0);
	arrives(2, 1000);
	assert_int_equal(q->flows->n, 1);
	assert_false(arrives(3, 300)); /* 4 * 300 < 1300 */
	assert_true(arrives(3, 200));  /* 4 * 500 >= 1500 */
	/* What is lost holds nothing. */
	bench_queue_conf(1, 3)->limit_bytes = 1500;
	arrives(4, 1000);
	assert_int_equal(bench_drops(FCN_DROP_QUEUE_BYTES), 1);
	assert_int_equal(q->flows->n, 2);
	/* All that is not RoCEv2 counts by its addresses and ports. */
	bench_queue_conf(1, 3)->limit_bytes = 128000;
	frame_roce6(&f, 9, 1, 2, 100);
	f.data[f.udp + 3] = 1;
	bench_send(0, &f, bench.worker->now + 1);
	assert_int_equal(q->flows->n, 3);
	/* Switched off with packets queued, and on again: their shares leave with them. */
	bench_queue_conf(1, 3)->policy.heavy_flows = false;
	bench_new_snapshot();
	arrives(5, 1000);
	assert_int_equal(q->flows->n, 3);
	bench_queue_conf(1, 3)->policy.heavy_flows = true;
	bench_new_snapshot();
	arrives(6, 1000);
	assert_int_equal(q->flows->n, 4);
	bench.port[1].accept = UINT16_MAX;
	bench_poll(bench.worker->now + 1);
	assert_int_equal(q->flows->n, 0);
}

/* Notices are of no flow that could be held to account. */
TEST(notices_hold_nothing)
{
	bench_queue_conf(0, 6)->policy.heavy_flows = true;
	bench_queue_conf(0, 6)->slow_path = true;
	bench_set_ops(0, &bench_gate_ops);
	bench.port[0].accept = 0;
	assert_true(arrives(1, 1000));
	assert_int_equal(fcn_queue_packets(bench_queue(0, 6)), 1);
	assert_int_equal(bench_queue(0, 6)->flows->n, 0);
}

/* At departures the packet is gone from its share, and counts with itself. */
TEST(heavy_flows_at_departure)
{
	for (unsigned int k = 0; k < 2; k++) {
		struct fcn_queue_conf *q = bench_queue_conf(1, 3);

		q->policy.heavy_flows = true;
		q->detector.type = FCN_DETECTOR_RED;
		q->detector.at_dequeue = true;
		q->detector.enter = q->detector.leave = q->detector.kmax = 1900;
		bench.snap.port[1].egress.at_dequeue = 1 << 3;
		/* of 2000 with two flows a quarter: 500 */
		arrives(2, 500 - k);
		arrives(1, 1500 + k);
		fcn_worker_clear_counters(bench.worker);
		bench.port[1].accept = UINT16_MAX;
		bench_poll(bench.worker->now + 1);
		bench.port[1].accept = 0;
		assert_int_equal(bench.port[1].n_out, 2);
		assert_int_equal(bench_verdict(1, 3, FCN_FASTCNP_SENT_OPT1), 1 - k);
		assert_int_equal(bench_verdict(1, 3, FCN_NOTIFY_LIGHT_FLOW), k);
	}
}
