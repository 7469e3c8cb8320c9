/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* How long packets waited in a class queue, and in which bucket that is counted. */

#include "queue_fixture.h"

TEST_FIXTURE(FCN_TEST_EAL, QUEUE_TEST);

/* Time waited until it shows in bucket k: 2^(k-1) up to 2^k - 1 ns. */
TEST_WITH(sojourn_buckets, NULL, NULL)
{
	assert_int_equal(fcn_sojourn_bucket(0), 0);
	assert_int_equal(fcn_sojourn_bucket(1), 1);
	for (unsigned int k = 2; k <= 32; k++) {
		assert_int_equal(fcn_sojourn_bucket(1u << (k - 1)), k);
		assert_int_equal(fcn_sojourn_bucket((1u << (k - 1)) - 1), k - 1);
	}
	assert_int_equal(fcn_sojourn_bucket(UINT32_MAX), 32);
	assert_int_equal(FCN_SOJOURN_BUCKETS, 33);
}

/* 0, 1, 3, 4, 1000 (2^9 up to 1023) and 10^6 ns (2^19 up to 1048575). */
TEST(sojourn_pop)
{
	static const struct {
		uint64_t waited;
		unsigned int bucket;
	} v[] = {{0, 0}, {1, 1}, {3, 2}, {4, 3}, {1000, 10}, {1000000, 20}, {0xffffffff, 32}};
	const struct fcn_queue_conf conf = {.limit_bytes = 1000000, .limit_packets = 8};
	const uint64_t since = 0xfffffffe; /* the clock passes 2^32 meanwhile */

	for (unsigned int i = 0; i < RTE_DIM(v); i++) {
		queue_push(&queue, &conf, tag(i), 60, 0, since);
		fcn_queue_pop(&queue, since + v[i].waited);
		for (unsigned int k = 0; k < FCN_SOJOURN_BUCKETS; k++)
			assert_int_equal(queue.stats.sojourn[k], k == v[i].bucket);
		memset(queue.stats.sojourn, 0, sizeof(queue.stats.sojourn));
	}
}

/* One by one or in bulk: the same packets, the same counters, for waits below 2^32 ns. */
TEST(sojourn_bulk)
{
	const struct fcn_queue_conf conf = {.limit_bytes = 1000000, .limit_packets = 8};
	uint64_t now = 5, seed = 4, packets = 0, sum = 0;

	for (unsigned int i = 0; i < 20000; i++) {
		struct fcn_queue one;
		struct fcn_queue_entry e[8];
		unsigned int n;
		uint32_t bytes = 0;

		if (i % 1000 == 999) /* at least one packet in each bucket from time to time */
			now += UINT64_C(1) << 31;
		while (fcn_test_random(&seed) % 4 != 0 &&
				queue_push(&queue, &conf, tag(i), 60 + i % 100, 0, now) ==
						FCN_QUEUE_ACCEPTED)
			now += fcn_test_random(&seed) % (1u << fcn_test_random(&seed) % 20);
		if (fcn_queue_is_empty(&queue))
			continue;
		now += fcn_test_random(&seed) % (1u << fcn_test_random(&seed) % 20);
		n = 1 + fcn_test_random(&seed) % fcn_queue_packets(&queue);
		one = queue;
		for (unsigned int k = 0; k < n; k++)
			bytes += fcn_queue_pop(&one, now).len;
		assert_int_equal(fcn_queue_pop_bulk(&queue, e, n, now), bytes);
		for (unsigned int k = 0; k < n; k++)
			assert_memory_equal(&e[k], &one.ring[(one.head - n + k) & one.mask],
					sizeof(e[k]));
		assert_memory_equal(&one.stats, &queue.stats, sizeof(one.stats));
		assert_int_equal(one.head, queue.head);
		assert_int_equal(one.bytes, queue.bytes);
		assert_int_equal(one.wm_min, queue.wm_min);
		assert_true(one.wm_integral == queue.wm_integral);
		packets += n;
	}
	assert_int_equal(queue.stats.deq_packets, packets);
	for (unsigned int k = 0; k < FCN_SOJOURN_BUCKETS; k++)
		sum += queue.stats.sojourn[k];
	assert_int_equal(sum, packets);
	assert_true(packets > 10000);
}

/* How long the head has waited; an empty queue has none. */
TEST(age)
{
	const struct fcn_queue_conf conf = {.limit_bytes = 1000000, .limit_packets = 8};

	assert_int_equal(fcn_queue_age(&queue, 1000), 0);
	queue_push(&queue, &conf, tag(1), 60, 0, 0xffffff00);
	queue_push(&queue, &conf, tag(2), 60, 0, 0x100000010);
	assert_int_equal(fcn_queue_age(&queue, 0xffffff00), 0);
	assert_int_equal(fcn_queue_age(&queue, 0x100000020), 0x120);
	fcn_queue_pop(&queue, 0x100000020);
	assert_int_equal(fcn_queue_age(&queue, 0x100000020), 0x10);
	fcn_queue_pop(&queue, 0x100000020);
	assert_int_equal(fcn_queue_age(&queue, 0x100000020), 0);
}
