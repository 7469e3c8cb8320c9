/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Limits of a class queue at the byte and the packet, its order, its watermarks. */

#include <errno.h>

#include <rte_malloc.h>

#include "queue_fixture.h"

TEST_FIXTURE(FCN_TEST_EAL, QUEUE_TEST);

TEST(bytes_limit)
{
	const struct fcn_queue_conf conf = {.limit_bytes = 3000, .limit_packets = 100};

	assert_int_equal(queue_push(&queue, &conf, tag(1), 1500, 0, 0), FCN_QUEUE_ACCEPTED);
	assert_int_equal(queue_push(&queue, &conf, tag(2), 1501, 0, 0), FCN_REFUSED_QUEUE_BYTES);
	assert_int_equal(queue_push(&queue, &conf, tag(3), 1500, 0, 0), FCN_QUEUE_ACCEPTED);
	assert_int_equal(queue.bytes, 3000);
	assert_int_equal(queue_push(&queue, &conf, tag(4), 1, 0, 0), FCN_REFUSED_QUEUE_BYTES);
	assert_int_equal(queue.stats.drop[FCN_REFUSED_QUEUE_BYTES], 2);
	assert_int_equal(queue.stats.drop_bytes, 1501 + 1);
	assert_int_equal(fcn_queue_packets(&queue), 2);
	assert_int_equal(queue.bytes, 3000);
	fcn_queue_pop(&queue, 0);
	assert_int_equal(queue_push(&queue, &conf, tag(4), 1500, 0, 0), FCN_QUEUE_ACCEPTED);
}

TEST(packets_limit)
{
	struct fcn_queue_conf conf = {.limit_bytes = 1000000, .limit_packets = 3};

	for (uintptr_t i = 1; i <= 3; i++)
		assert_int_equal(queue_push(&queue, &conf, tag(i), 60, 0, 0), FCN_QUEUE_ACCEPTED);
	assert_int_equal(queue_push(&queue, &conf, tag(4), 60, 0, 0), FCN_REFUSED_QUEUE_PACKETS);
	/* A limit above the room: the room counts, and nothing is overwritten. */
	conf.limit_packets = 100;
	for (uintptr_t i = 4; i <= 8; i++)
		assert_int_equal(queue_push(&queue, &conf, tag(i), 60, 0, 0), FCN_QUEUE_ACCEPTED);
	assert_int_equal(queue_push(&queue, &conf, tag(9), 60, 0, 0), FCN_REFUSED_QUEUE_PACKETS);
	assert_int_equal(queue.stats.drop[FCN_REFUSED_QUEUE_PACKETS], 2);
	assert_int_equal(queue.stats.drop_bytes, 2 * 60);
	assert_int_equal(fcn_queue_packets(&queue), 8);
	/* A limit lowered under what is there: nothing comes in until it has drained. */
	conf.limit_packets = 2;
	for (uintptr_t i = 1; i <= 6; i++) {
		assert_int_equal(queue_push(&queue, &conf, tag(9), 60, 0, 0),
				FCN_REFUSED_QUEUE_PACKETS);
		assert_ptr_equal(fcn_queue_pop(&queue, 0).mbuf, tag(i));
	}
	assert_int_equal(queue_push(&queue, &conf, tag(9), 60, 0, 0), FCN_REFUSED_QUEUE_PACKETS);
	assert_ptr_equal(fcn_queue_pop(&queue, 0).mbuf, tag(7));
	assert_int_equal(queue_push(&queue, &conf, tag(9), 60, 0, 0), FCN_QUEUE_ACCEPTED);
}

/* More memory, with packets across the end of the old ring and of the numbers: none is lost. */
TEST(growth)
{
	const struct fcn_queue_conf conf = {.limit_bytes = 1000000, .limit_packets = 100};
	struct fcn_queue_entry *ring = fcn_queue_ring_create(17, SOCKET_ID_ANY);
	uintptr_t n = 0;

	assert_non_null(ring);
	queue.head = queue.tail = UINT32_MAX - 3;
	for (; n < 8; n++)
		assert_int_equal(queue_push(&queue, &conf, tag(n), 60 + n, n, n),
				FCN_QUEUE_ACCEPTED);
	assert_int_equal(queue_push(&queue, &conf, tag(n), 60, 0, n), FCN_REFUSED_QUEUE_PACKETS);
	fcn_queue_grow(&queue, ring, 17);
	assert_ptr_equal(queue.ring, ring);
	rte_free(queue.before);
	queue.before = NULL;
	assert_int_equal(fcn_queue_slots(&queue), 32);
	assert_int_equal(fcn_queue_packets(&queue), 8);
	assert_int_equal(queue.bytes, 8 * 60 + 28);
	for (; n < 32; n++)
		assert_int_equal(queue_push(&queue, &conf, tag(n), 60 + n, n, n),
				FCN_QUEUE_ACCEPTED);
	assert_int_equal(queue_push(&queue, &conf, tag(n), 60, 0, n), FCN_REFUSED_QUEUE_PACKETS);
	for (uintptr_t i = 0; i < n; i++) {
		struct fcn_queue_entry e = fcn_queue_pop(&queue, n);

		assert_ptr_equal(e.mbuf, tag(i));
		assert_int_equal(e.len, 60 + i);
	}
	assert_true(fcn_queue_is_empty(&queue));
	assert_int_equal(queue.bytes, 0);
}

/* First in, first out, past the end of the ring and past 2^32 packets. */
TEST(order)
{
	const struct fcn_queue_conf conf = {.limit_bytes = 1000000, .limit_packets = 8};
	uintptr_t in = 0, out = 0;
	uint64_t seed = 1;

	queue.head = queue.tail = UINT32_MAX - 100;
	for (unsigned int i = 0; i < 2000; i++) {
		if (fcn_test_random(&seed) % 2 != 0) {
			uint64_t now = (1ull << 32) + in;

			if (queue_push(&queue, &conf, tag(in), 60 + in % 7, in % 1021, now) ==
					FCN_QUEUE_ACCEPTED)
				in++;
			else
				assert_int_equal(in - out, 8);
		} else if (!fcn_queue_is_empty(&queue)) {
			struct fcn_queue_entry e = fcn_queue_pop(&queue, (1ull << 32) + in);

			assert_ptr_equal(e.mbuf, tag(out));
			assert_int_equal(e.len, 60 + out % 7);
			assert_int_equal(e.flags, out % 1021);
			assert_int_equal(e.enqueued_ns, (uint32_t)out);
			out++;
		}
		assert_int_equal(fcn_queue_packets(&queue), in - out);
	}
	assert_true(out > 500);
}

TEST(watermarks)
{
	const struct fcn_queue_conf conf = {.limit_bytes = 1000000, .limit_packets = 8};
	struct fcn_watermarks wm;

	fcn_queue_clear_watermarks(&queue, 1000);
	/* 0 until 1100, 1000 until 1300, 3000 until 1400, 2000 until 2000:
	 * (200 * 1000 + 100 * 3000 + 600 * 2000) / 1000 = 1700 */
	queue_push(&queue, &conf, tag(1), 1000, 0, 1100);
	queue_push(&queue, &conf, tag(2), 2000, 0, 1300);
	fcn_queue_pop(&queue, 1400);
	fcn_queue_watermarks(&queue, 2000, &wm);
	assert_int_equal(wm.min, 0);
	assert_int_equal(wm.max, 3000);
	assert_int_equal(wm.last, 2000);
	assert_int_equal(wm.avg, 1700);
	/* Reading changes nothing. */
	fcn_queue_watermarks(&queue, 2000, &wm);
	assert_int_equal(wm.min, 0);
	assert_int_equal(wm.max, 3000);
	assert_int_equal(wm.avg, 1700);
	/* Once cleared, they begin with what is there. */
	fcn_queue_clear_watermarks(&queue, 2000);
	fcn_queue_watermarks(&queue, 2001, &wm);
	assert_int_equal(wm.min, 2000);
	assert_int_equal(wm.max, 2000);
	assert_int_equal(wm.avg, 2000);
	/* At the same instant: no division by zero. */
	fcn_queue_clear_watermarks(&queue, 2001);
	fcn_queue_watermarks(&queue, 2001, &wm);
	assert_int_equal(wm.avg, 2000);
	/* The minimum is that of the interval. */
	queue_push(&queue, &conf, tag(3), 500, 0, 2100);
	fcn_queue_pop(&queue, 2100);
	fcn_queue_watermarks(&queue, 2101, &wm);
	assert_int_equal(wm.min, 500);
	assert_int_equal(wm.max, 2500);
	assert_int_equal(wm.last, 500);
	assert_int_equal(wm.avg, 1985); /* (99 * 2000 + 1 * 500) / 100 */
}

/* A full queue of 1 GB for 30 hours does not overflow. */
TEST(watermarks_long)
{
	const struct fcn_queue_conf conf = {.limit_bytes = 1000000000, .limit_packets = 8};
	struct fcn_watermarks wm;

	fcn_queue_clear_watermarks(&queue, 0);
	queue_push(&queue, &conf, tag(1), 60000, 0, 0);
	queue.bytes = 1000000000;
	fcn_queue_watermarks(&queue, 108000000000000, &wm);
	assert_int_equal(wm.avg, 1000000000);
}

static bool
has_room(const struct fcn_queue_fill *f, uint32_t len)
{
	return fcn_queue_fill_slots(f) != 0 && fcn_queue_fill_fits(f, len);
}

static void
fill_add(struct fcn_queue_fill *f, struct rte_mbuf *m, uint32_t len, uint64_t meta)
{
	struct fcn_queue_entry *e = fcn_queue_fill_slot(f);

	e->mbuf = m;
	e->meta = meta;
	f->bytes += len;
	fcn_queue_fill_advance(f, 1);
}

/* Packets taken as a run; bytes and places up to the limits, and none beyond. */
TEST(fill)
{
	struct fcn_queue_conf conf = {.limit_bytes = 1000, .limit_packets = 100};
	struct fcn_queue_fill fill;
	struct fcn_queue_entry e;

	assert_int_equal(queue_push(&queue, &conf, tag(1), 400, 3, 7), FCN_QUEUE_ACCEPTED);
	fill = fcn_queue_fill_begin(&queue, &conf, FCN_PACKETS_ANY, 10);
	assert_true(has_room(&fill, 600));
	assert_false(has_room(&fill, 601));
	fill_add(&fill, tag(2), 250, fcn_queue_meta(10, 250, 0x8003));
	assert_true(has_room(&fill, 350));
	assert_false(has_room(&fill, 351));
	fill_add(&fill, tag(3), 350, fcn_queue_meta(10, 350, 3));
	assert_false(has_room(&fill, 1));
	fcn_queue_fill_end(&fill, &queue);
	assert_int_equal(queue.bytes, 1000);
	assert_int_equal(queue.wm_max, 1000);
	assert_int_equal(fcn_queue_packets(&queue), 3);
	/* 400 bytes stood from 7 to 10: by the integral, not only by the clock */
	assert_int_equal((uint64_t)queue.wm_integral, 3 * 400);
	assert_int_equal(queue.wm_at, 10);

	assert_ptr_equal(fcn_queue_pop(&queue, 10).mbuf, tag(1));
	e = fcn_queue_pop(&queue, 10);
	assert_ptr_equal(e.mbuf, tag(2));
	assert_int_equal(e.len, 250);
	assert_int_equal(e.enqueued_ns, 10);
	assert_int_equal(e.flags, 0x8003);
	assert_ptr_equal(fcn_queue_pop(&queue, 10).mbuf, tag(3));
}

/* The packet limit, the ring's own eight slots, and a limit that is below what is there. */
TEST(fill_packets)
{
	struct fcn_queue_conf conf = {.limit_bytes = 1000, .limit_packets = 2};
	struct fcn_queue_fill fill;

	fill = fcn_queue_fill_begin(&queue, &conf, FCN_PACKETS_ANY, 0);
	for (unsigned int i = 0; i < 2; i++) {
		assert_true(has_room(&fill, 1));
		fill_add(&fill, tag(i), 1, fcn_queue_meta(0, 1, 0));
	}
	assert_false(has_room(&fill, 1));
	fcn_queue_fill_end(&fill, &queue);

	conf.limit_packets = 1;
	fill = fcn_queue_fill_begin(&queue, &conf, FCN_PACKETS_ANY, 0);
	assert_false(has_room(&fill, 1));

	conf.limit_packets = 100;
	fill = fcn_queue_fill_begin(&queue, &conf, FCN_PACKETS_ANY, 0);
	for (unsigned int i = 2; i < 8; i++) {
		assert_true(has_room(&fill, 1));
		fill_add(&fill, tag(i), 1, fcn_queue_meta(0, 1, 0));
	}
	assert_false(has_room(&fill, 1));
	fcn_queue_fill_end(&fill, &queue);
	for (unsigned int i = 0; i < 8; i++)
		assert_ptr_equal(fcn_queue_pop(&queue, 0).mbuf, tag(i));
}

/* The slots up to the end of the ring, and those at its beginning. */
TEST(fill_wraps)
{
	const struct fcn_queue_conf conf = {.limit_bytes = 1000, .limit_packets = 100};
	struct fcn_queue_entry out[8];
	struct fcn_queue_fill fill;

	for (unsigned int i = 0; i < 6; i++)
		queue_push(&queue, &conf, tag(i), 1, 0, 0);
	assert_int_equal(fcn_queue_pop_bulk(&queue, out, 5, 0), 5);
	fill = fcn_queue_fill_begin(&queue, &conf, FCN_PACKETS_ANY, 0);
	assert_int_equal(fcn_queue_fill_slots(&fill), 2);
	for (unsigned int i = 6; i < 10; i++)
		fill_add(&fill, tag(i), i, fcn_queue_meta(0, i, 0));
	assert_int_equal(fcn_queue_fill_slots(&fill), 3);
	fcn_queue_fill_end(&fill, &queue);
	assert_int_equal(fcn_queue_pop_bulk(&queue, out, 5, 0), 1 + 6 + 7 + 8 + 9);
	for (unsigned int i = 0; i < 5; i++)
		assert_ptr_equal(out[i].mbuf, tag(5 + i));
	assert_true(fcn_queue_is_empty(&queue));
}

/* What entries have in common, computed two at a time, is what it is one by one. */
TEST_WITH(sum, NULL, NULL)
{
	struct fcn_queue_entry e[32];
	struct rte_mbuf *mbufs[33];
	uint64_t seed = 1;

	for (unsigned int n = 0; n <= 32; n++) {
		uint32_t bytes = 0, max_len = 0, min_len = UINT16_MAX, flags = 0;
		struct fcn_queue_sum sum;

		for (unsigned int i = 0; i < n; i++) {
			e[i].mbuf = tag(fcn_test_random(&seed) % 1000);
			e[i].meta = fcn_test_random(&seed) << 32 | fcn_test_random(&seed);
			bytes += e[i].len;
			max_len = RTE_MAX(max_len, e[i].len);
			min_len = RTE_MIN(min_len, e[i].len);
			flags |= e[i].flags;
		}
		mbufs[n] = tag(1);
		sum = fcn_queue_sum(e, n, mbufs);
		assert_int_equal(sum.bytes, bytes);
		assert_int_equal(sum.max_len, max_len);
		assert_int_equal(sum.min_len, min_len);
		assert_int_equal(sum.flags, flags);
		for (unsigned int i = 0; i < n; i++)
			assert_ptr_equal(mbufs[i], e[i].mbuf);
		assert_ptr_equal(mbufs[n], tag(1));
	}
}

/* Fresh memory of a queue is zero, whatever stood there; without the memory there is no queue. */
TEST_WITH(init, NULL, NULL)
{
	static const struct fcn_episodes no_episodes;
	static const struct fcn_flow_occupancy no_flows;
	struct rte_malloc_socket_stats before, after;
	struct fcn_queue q;

	assert_int_equal(rte_malloc_get_socket_stats(0, &before), 0);
	for (unsigned int i = 0; i < 2; i++) {
		assert_int_equal(fcn_queue_init(&q, 5, SOCKET_ID_ANY), 0);
		assert_int_equal(q.mask, 7);
		assert_memory_equal(q.episodes, &no_episodes, sizeof(no_episodes));
		assert_memory_equal(q.flows, &no_flows, sizeof(no_flows));
		memset(q.episodes, 0xff, sizeof(*q.episodes));
		memset(q.flows, 0xff, sizeof(*q.flows));
		fcn_queue_fini(&q);
		assert_null(q.ring);
		assert_null(q.episodes);
		assert_null(q.flows);
		fcn_queue_fini(&q); /* nothing left to free */
	}
	assert_int_equal(fcn_queue_init(&q, 1u << 30, SOCKET_ID_ANY), -ENOMEM);
	assert_null(q.ring);
	assert_null(q.episodes);
	assert_null(q.flows);
	assert_int_equal(rte_malloc_get_socket_stats(0, &after), 0);
	assert_int_equal(before.alloc_count, after.alloc_count);
}
