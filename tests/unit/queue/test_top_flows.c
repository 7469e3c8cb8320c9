/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The top flows of a queue against tables that have room for all flows: what came, and what of it
 * was drawn. The first holds for all within chance, the second for the algorithm without exception.
 */

#include <rte_common.h>

#include "fcn_test.h"
#include "fcn_top_flows.h"

#define FLOWS 4096 /* flows that the exact tables have room for */

/* A queue that is always congested, and what is known of its flows. */
static struct {
	struct fcn_top_flows top;
	struct fcn_random random;
	uint64_t next, position, packets, now;
	uint64_t longest; /* the longest stratum, bytes */
	uint64_t squares; /* of the lengths of all strata, in units of 2^16 bytes squared */
	struct {
		uint64_t bytes, packets, marked, dropped; /* that came */
		uint64_t drawn;                           /* bytes that were added in this period */
	} flow[FLOWS];
} q;

static int
setup(void **state)
{
	RTE_SET_USED(state);
	memset(&q, 0, sizeof(q));
	q.random.state = 1;
	q.now = 1000;
	fcn_top_flows_clear(&q.top, &q.next);
	return 0;
}

TEST_FIXTURE(.setup = setup);

static struct fcn_flow_key
key_of(uint32_t flow)
{
	struct fcn_flow_key key = {.form = FCN_FLOW_ROCE, .dest_qp = flow / 7};

	key.sender[0] = 0x20;
	key.sender[15] = flow % 7;
	memcpy(&key.receiver[8], &flow, sizeof(flow));
	return key;
}

static const struct fcn_flow_table *
present(void)
{
	return &q.top.table[q.top.present];
}

/* The sums of a table add up, and are those of the positions. */
static void
assert_sums(void)
{
	const struct fcn_flow_table *t = present();
	uint64_t count = 0, bytes = t->gone;

	assert_true(t->n <= FCN_TOP_FLOWS);
	for (uint32_t i = 0; i < t->n; i++) {
		assert_true(t->count[i] == t->flow[i].bytes + t->flow[i].over);
		count += t->count[i];
		bytes += t->flow[i].bytes;
	}
	assert_true(count == t->bytes);
	assert_true(bytes == t->bytes);
	assert_true(q.next >= q.position);
	assert_true(q.next >= q.top.end - q.top.size && q.next < q.top.end);
}

static void
arrive(uint32_t flow, uint32_t len, unsigned int fate)
{
	const struct fcn_flow_key key = key_of(flow);
	struct fcn_flow_arrival packet = {.len = len, .fate = fate};
	const uint64_t size = q.top.size, end = q.top.end - size;

	packet.end = q.position += len;
	packet.packets = ++q.packets;
	q.flow[flow].bytes += len;
	q.flow[flow].packets++;
	q.flow[flow].marked += fate == FCN_FLOW_MARKED;
	q.flow[flow].dropped += fate == FCN_FLOW_DROPPED;
	if (q.next >= packet.end)
		return;
	q.longest = RTE_MAX(q.longest, size);
	q.squares += size >> 8 == 0 ? 0 : (size >> 8) * (size >> 8);
	fcn_top_flows_add(&q.top, &q.next, &key, &packet, &q.random, q.now);
	/* All of the strata that this packet stands for. */
	q.flow[flow].drawn += q.top.end - q.top.size - end;
}

static const struct fcn_top_flow *
find(uint32_t flow)
{
	const struct fcn_flow_key key = key_of(flow);
	const struct fcn_top_flow *found = NULL;

	for (uint32_t i = 0; i < present()->n; i++) {
		if (memcmp(&present()->flow[i].key, &key, sizeof(key)) == 0) {
			assert_null(found);
			found = &present()->flow[i];
		}
	}
	return found;
}

/*
 * What Space-Saving promises of the bytes that were drawn, for each flow: those of a flow in the
 * table are between `bytes` and `bytes + over`; `over` is at most a 32nd of all; and a flow with
 * more than a 32nd of all is in the table.
 */
static void
assert_promise(void)
{
	const uint64_t all = present()->bytes;
	unsigned int large = 0;

	assert_sums();
	for (uint32_t flow = 0; flow < FLOWS; flow++) {
		const uint64_t drawn = q.flow[flow].drawn;
		const struct fcn_top_flow *f = find(flow);

		if (f == NULL) {
			assert_true(drawn * FCN_TOP_FLOWS <= all);
			continue;
		}
		assert_true(f->bytes <= drawn && drawn <= f->bytes + f->over);
		assert_true(f->over * FCN_TOP_FLOWS <= all);
		large += drawn * FCN_TOP_FLOWS > all;
	}
	assert_true(large <= FCN_TOP_FLOWS);
}

/*
 * What was drawn is what came, within chance: a stratum of s bytes adds at most s^2 / 4 to the
 * variance of a flow. Six standard deviations do not happen.
 */
static void
assert_close(uint32_t flow)
{
	const double variance = (double)q.squares * 65536 / 4;
	const double off = (double)q.flow[flow].drawn - (double)q.flow[flow].bytes;

	assert_true(off * off <= 36 * variance + (double)q.longest * (double)q.longest);
}

static bool
is_near(uint64_t have, uint64_t want)
{
	return have > want * 3 / 4 && have < want * 5 / 4;
}

/* As long as packets are few, each figure is exact. */
TEST(few_packets)
{
	struct fcn_top_flows_sum sum;
	uint64_t seed = 7;

	for (unsigned int i = 0; i < 255; i++) {
		arrive(fcn_test_random(&seed) % 20, 60 + fcn_test_random(&seed) % 4000,
				fcn_test_random(&seed) % 3);
		q.now += 10;
		assert_true(present()->bytes == q.position);
		assert_sums();
	}
	fcn_top_flows_sum(&q.top, &sum);
	assert_int_equal(sum.n, 20);
	assert_true(sum.exact);
	assert_true(sum.bytes == q.position);
	for (unsigned int i = 0; i < sum.n; i++) {
		const struct fcn_top_flow *f = &sum.flow[i];
		uint32_t flow;

		memcpy(&flow, &f->key.receiver[8], sizeof(flow));
		assert_true(f->bytes == q.flow[flow].bytes);
		assert_true(f->over == 0);
		assert_int_equal(f->packets, 256 * q.flow[flow].packets);
		assert_int_equal(f->marked, 256 * q.flow[flow].marked);
		assert_int_equal(f->dropped, 256 * q.flow[flow].dropped);
		assert_true(i == 0 || f->bytes <= sum.flow[i - 1].bytes);
	}
	/* From here on, not each is drawn. */
	for (unsigned int i = 0; i < 100; i++)
		arrive(3, 1000, 0);
	fcn_top_flows_sum(&q.top, &sum);
	assert_false(sum.exact);
}

/* Any lengths: between a byte and many strata. */
TEST(lengths)
{
	uint64_t seed = 5;

	for (unsigned int round = 0; round < 20000; round++) {
		const bool large = fcn_test_random(&seed) % 1000 == 0;

		arrive(large ? 1 : 2 + fcn_test_random(&seed) % 60,
				large ? 65000 : 1 + fcn_test_random(&seed) % 64, 0);
		assert_sums();
	}
	assert_promise();
	/* Two thirds of all bytes are in twenty packets. */
	assert_close(1);
	assert_non_null(find(1));
}

/* A flow by a Zipf distribution: 1 has most, k has 1 / k of that. */
static uint32_t
zipf(uint64_t *seed, uint32_t n)
{
	static double until[FLOWS];
	static uint32_t made;
	double at;

	if (made != n) {
		double sum = 0;

		for (uint32_t k = 0; k < n; k++)
			until[k] = sum += 1.0 / (k + 1);
		made = n;
	}
	at = (double)(fcn_test_random(seed) % (1u << 30)) / (1u << 30) * until[n - 1];
	for (uint32_t k = 0; k < n; k++) {
		if (at < until[k])
			return k;
	}
	return n - 1;
}

TEST(zipf)
{
	struct fcn_top_flows_sum sum;
	uint64_t seed = 3;

	for (unsigned int i = 0; i < 600000; i++) {
		arrive(zipf(&seed, 1000), 64 + fcn_test_random(&seed) % 4033, i % 2);
		if (i % 20000 == 0)
			assert_promise();
	}
	assert_promise();
	for (uint32_t flow = 0; flow < 1000; flow++)
		assert_close(flow);
	/* 1000 flows: the first has 13.4 %, the second half of it, the third a third. */
	fcn_top_flows_sum(&q.top, &sum);
	for (uint32_t flow = 0; flow < 3; flow++) {
		const struct fcn_flow_key key = key_of(flow);
		const struct fcn_top_flow *f = &sum.flow[flow];

		assert_memory_equal(&f->key, &key, sizeof(key));
		/* A twentieth of 3800 draws is off by a quarter when chance is large, and half of
		 * them by more. */
		assert_true(is_near(f->bytes, q.flow[flow].bytes));
		assert_true(is_near(f->packets, 256 * q.flow[flow].packets));
		assert_true(flow > 0 || is_near(f->marked, 256 * q.flow[flow].marked));
	}
}

/*
 * Mice without number, each with a flow of its own for a few packets, try to drive an elephant out.
 * It has a 20th of the bytes, in packets as small as theirs, and comes back after long breaks.
 */
TEST(churn)
{
	struct fcn_top_flows_sum sum;
	const struct fcn_flow_key elephant = key_of(0);
	uint64_t seed = 9;
	uint32_t mouse = 1;

	for (unsigned int i = 0; i < 1000000; i++) {
		if (i % 2000 < 100) {
			arrive(0, 100, FCN_FLOW_DROPPED);
			continue;
		}
		if (fcn_test_random(&seed) % 3 == 0)
			mouse = mouse % (FLOWS - 1) + 1;
		arrive(mouse, 100, 0);
		if (i % 50000 == 0)
			assert_promise();
	}
	assert_promise();
	assert_close(0);
	fcn_top_flows_sum(&q.top, &sum);
	assert_memory_equal(&sum.flow[0].key, &elephant, sizeof(elephant));
	assert_true(sum.flow[0].dropped == sum.flow[0].packets);
	/* It was in the table before a 32nd of the bytes of mice had come, and stayed. */
	assert_true(sum.flow[0].over < sum.bytes / 500);
	assert_true(sum.flow[0].bytes > sum.bytes / 25 && sum.flow[0].bytes < sum.bytes * 3 / 50);
}

/* A sender whose packets come in step with others is drawn as often as it should be, whatever the
 * step: in all runs together, its bytes are what they are. */
TEST(in_step)
{
	for (unsigned int step = 2; step <= 512; step *= 4) {
		double drawn = 0, came = 0;

		for (uint64_t run = 0; run < 100; run++) {
			setup(NULL);
			q.random.state = run * 1000 + step;
			for (unsigned int i = 0; i < 40960; i++)
				arrive(i % step == 0 ? 0 : 1 + i % 10, i % step == 0 ? 4000 : 1000,
						0);
			drawn += (double)q.flow[0].drawn;
			came += (double)q.flow[0].bytes;
		}
		assert_true(drawn > 0.8 * came && drawn < 1.2 * came);
	}
}

/* A table collects for a period; then it is kept for one more, with those that go on. */
TEST(periods)
{
	struct fcn_top_flows_sum sum;
	uint64_t began;

	for (unsigned int i = 0; i < 10; i++)
		arrive(i < 4 ? 1 : 2, 500, FCN_FLOW_MARKED);
	q.now += FCN_TOP_FLOWS_PERIOD_NS - 1;
	arrive(3, 100, 0);
	assert_int_equal(present()->n, 3);
	q.now++;
	began = q.now;
	arrive(2, 700, 0);
	assert_int_equal(present()->n, 1);
	q.now += 5;
	arrive(4, 900, FCN_FLOW_DROPPED);
	fcn_top_flows_sum(&q.top, &sum);
	assert_int_equal(sum.n, 4);
	assert_true(sum.exact);
	assert_int_equal(sum.bytes, 10 * 500 + 100 + 700 + 900);
	assert_int_equal(sum.flow[0].key.dest_qp, key_of(2).dest_qp);
	assert_int_equal(sum.flow[0].bytes, 6 * 500 + 700);
	assert_int_equal(sum.flow[0].packets, 7 * 256);
	assert_int_equal(sum.flow[0].marked, 6 * 256);
	assert_int_equal(sum.flow[0].first_ns, 1000);
	assert_true(sum.flow[0].last_ns == began);
	assert_int_equal(sum.flow[1].bytes, 2000);
	assert_int_equal(sum.flow[2].bytes, 900);
	assert_int_equal(sum.flow[2].dropped, 256);
	assert_int_equal(sum.flow[3].bytes, 100);
	/* Reading has changed nothing. */
	assert_int_equal(present()->n, 2);

	/* The third period has no room for the first; who stays has been there all the time. */
	q.now = began + FCN_TOP_FLOWS_PERIOD_NS;
	arrive(2, 100, 0);
	fcn_top_flows_sum(&q.top, &sum);
	assert_int_equal(sum.n, 2);
	assert_int_equal(sum.bytes, 700 + 900 + 100);
	assert_int_equal(sum.flow[0].bytes, 900);
	assert_int_equal(sum.flow[1].bytes, 800);
	assert_int_equal(sum.flow[1].first_ns, 1000);

	/* After a long rest, a flow of before is no part of what goes on. */
	q.now += 3 * FCN_TOP_FLOWS_PERIOD_NS;
	fcn_top_flows_sum(&q.top, &sum);
	assert_int_equal(sum.n, 2);
	arrive(5, 100, 0);
	fcn_top_flows_sum(&q.top, &sum);
	assert_int_equal(sum.n, 1);
	assert_true(sum.flow[0].first_ns == q.now);
}

/* What a flow may have brought in addition: the least count of a full table that does not have it.
 */
TEST(more_at_most)
{
	struct fcn_top_flows_sum sum;

	for (unsigned int i = 1; i <= FCN_TOP_FLOWS; i++)
		arrive(i, 100 * i, 0);
	arrive(99, 50, 0); /* takes the place of 1 */
	assert_null(find(1));
	assert_int_equal(find(99)->over, 100);
	assert_int_equal(find(99)->bytes, 50);
	assert_int_equal(present()->gone, 100);
	assert_sums();
	q.now += FCN_TOP_FLOWS_PERIOD_NS - 1;
	arrive(99, 1, 0);
	q.now++;
	arrive(1, 70, 0);
	arrive(99, 10, 0);
	fcn_top_flows_sum(&q.top, &sum);
	assert_int_equal(sum.n, FCN_TOP_FLOWS + 1);
	assert_int_equal(sum.flow[FCN_TOP_FLOWS - 1].bytes, 70);
	assert_int_equal(sum.flow[FCN_TOP_FLOWS - 1].over, 151);
	assert_int_equal(sum.flow[FCN_TOP_FLOWS].bytes, 61);
	assert_int_equal(sum.flow[FCN_TOP_FLOWS].over, 100);
}

/* The same packets and seed give the same; nothing is left after clearing. */
TEST(again)
{
	struct fcn_top_flows_sum sum[2];

	for (unsigned int round = 0; round < 2; round++) {
		uint64_t seed = 4;

		fcn_top_flows_clear(&q.top, &q.next);
		fcn_top_flows_sum(&q.top, &sum[round]);
		assert_int_equal(sum[round].n, 0);
		q.position = q.packets = 0;
		q.random.state = 77;
		for (unsigned int i = 0; i < 5000; i++)
			arrive(fcn_test_random(&seed) % 100, 64 + fcn_test_random(&seed) % 1000, 0);
		fcn_top_flows_sum(&q.top, &sum[round]);
	}
	assert_int_equal(sum[0].n, FCN_TOP_FLOWS);
	assert_int_equal(sum[1].n, FCN_TOP_FLOWS);
	assert_true(sum[0].bytes == sum[1].bytes);
	for (unsigned int i = 0; i < sum[0].n; i++) {
		const struct fcn_top_flow *a = &sum[0].flow[i], *b = &sum[1].flow[i];

		assert_memory_equal(&a->key, &b->key, sizeof(a->key));
		assert_true(a->bytes == b->bytes && a->over == b->over && a->packets == b->packets);
	}
}
