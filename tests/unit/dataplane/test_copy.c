/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Bytes of a packet are put into another one by copy and by clone. Both give the same bytes, and no
 * mbuf is left when the packets are freed.
 */

#include <errno.h>

#include "fcn_copy.h"
#include "fcn_test.h"

#define MBUFS 255
#define ROOM 512 /* of a buffer: 9000 bytes are many segments */
#define LONGEST 9000

static struct rte_mempool *pool;
static uint8_t bytes[LONGEST]; /* of the packet that is copied */

static int
setup(void **state)
{
	RTE_SET_USED(state);
	pool = rte_pktmbuf_pool_create(
			"copy", MBUFS, 0, 0, RTE_PKTMBUF_HEADROOM + ROOM, SOCKET_ID_ANY);
	return pool == NULL ? -1 : 0;
}

static int
teardown(void **state)
{
	unsigned int left = rte_mempool_in_use_count(pool);

	RTE_SET_USED(state);
	rte_mempool_free(pool);
	return left == 0 ? 0 : -1;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

static struct rte_mbuf *
alloc(void)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(pool);

	assert_non_null(m);
	return m;
}

/* A packet of len bytes in segments of 0 to most bytes; every third of them is attached to a buffer
 * that nobody else has. bytes[] has what it holds. */
static struct rte_mbuf *
make_packet(uint32_t len, uint32_t most, uint64_t *seed)
{
	struct rte_mbuf *head = NULL, *last = NULL;
	uint32_t done = 0;

	for (uint32_t i = 0; i < len; i++)
		bytes[i] = fcn_test_random(seed);
	while (done < len || head == NULL) {
		struct rte_mbuf *seg = alloc();
		uint32_t n = fcn_test_random(seed) % (most + 1);

		seg->data_off = fcn_test_random(seed) % (RTE_PKTMBUF_HEADROOM + ROOM - most + 1);
		n = RTE_MIN(n, len - done);
		memcpy(rte_pktmbuf_append(seg, n), bytes + done, n);
		done += n;
		if (fcn_test_random(seed) % 3 == 0) {
			struct rte_mbuf *mi = alloc();

			rte_pktmbuf_attach(mi, seg);
			rte_pktmbuf_free(seg);
			seg = mi;
		}
		if (head == NULL) {
			head = seg;
		} else {
			last->next = seg;
			head->nb_segs++;
			head->pkt_len += n;
		}
		last = seg;
	}
	return head;
}

static void
assert_bytes(const struct rte_mbuf *m, uint32_t off, const uint8_t *want, uint32_t len)
{
	static uint8_t copy[2 * LONGEST];
	const uint8_t *is = rte_pktmbuf_read(m, off, len, copy);
	const char *why = NULL;

	assert_int_equal(rte_mbuf_check(m, 1, &why), 0);
	assert_non_null(is);
	assert_memory_equal(is, want, len);
}

typedef int append_fn(struct rte_mbuf *m, struct rte_mbuf *from, uint32_t off, uint32_t len,
		struct rte_mempool *segments);

static int
by_copy(struct rte_mbuf *m, struct rte_mbuf *from, uint32_t off, uint32_t len,
		struct rte_mempool *segments)
{
	return fcn_copy_append(m, from, off, len, segments);
}

static append_fn *const ways[] = {by_copy, fcn_copy_append_clone};

#define HEADER 62 /* bytes of a message before the copied bytes */

/* A message of a header in a buffer with some headroom, which can have more of it than usual. */
static struct rte_mbuf *
make_message(uint64_t *seed)
{
	struct rte_mbuf *m = alloc();
	uint8_t *header;

	m->data_off = fcn_test_random(seed) % (RTE_PKTMBUF_HEADROOM + ROOM - HEADER + 1);
	header = (uint8_t *)rte_pktmbuf_append(m, HEADER);
	for (unsigned int i = 0; i < HEADER; i++)
		header[i] = i;
	return m;
}

static void
assert_message(const struct rte_mbuf *m, uint32_t off, uint32_t n)
{
	uint8_t header[HEADER];

	for (unsigned int i = 0; i < HEADER; i++)
		header[i] = i;
	assert_int_equal(m->pkt_len, HEADER + n);
	assert_bytes(m, 0, header, HEADER);
	if (n > 0)
		assert_bytes(m, HEADER, bytes + off, n);
}

/*
 * Two messages contain the same bytes of a packet, one by copy and one by clone. Both hold these
 * bytes, also when the packet is freed. The packet itself does not change.
 */
static void
append_both_ways(uint32_t len, uint32_t most, uint32_t off, uint32_t n, uint64_t *seed)
{
	struct rte_mbuf *from = make_packet(len, most, seed), *m[RTE_DIM(ways)];

	for (size_t way = 0; way < RTE_DIM(ways); way++) {
		uint16_t headroom;

		m[way] = make_message(seed);
		headroom = rte_pktmbuf_headroom(m[way]);
		assert_int_equal(ways[way](m[way], from, off, n, pool), 0);
		assert_int_equal(rte_pktmbuf_headroom(m[way]), headroom);
		assert_bytes(from, 0, bytes, len);
	}
	rte_pktmbuf_free(from);
	for (size_t way = 0; way < RTE_DIM(ways); way++) {
		assert_message(m[way], off, n);
		rte_pktmbuf_free(m[way]);
	}
	assert_int_equal(rte_mempool_in_use_count(pool), 0);
}

/* Segments of a length with which the pool has enough mbufs for a packet and its quotations. */
static uint32_t
longest_segment(uint32_t len, uint64_t *seed)
{
	uint32_t least = RTE_MAX(len / 20, 8u);

	return least + fcn_test_random(seed) % (ROOM - least + 1);
}

/* Quotations of each length up to the longest packet, at a random offset of a longer packet. */
TEST(same_bytes)
{
	uint64_t seed = 12;

	for (uint32_t n = 0; n <= LONGEST; n++) {
		uint32_t off = fcn_test_random(&seed) % 300;
		uint32_t after = fcn_test_random(&seed) % 2 * (fcn_test_random(&seed) % 300);
		uint32_t len;

		off = RTE_MIN(off, LONGEST - n);
		len = RTE_MIN(off + n + after, (uint32_t)LONGEST);
		append_both_ways(len, longest_segment(len, &seed), off, n, &seed);
	}
}

/* Part of a packet of a usual length, in segments of any length. */
TEST(part)
{
	static const uint32_t lens[] = {78, 128, 256, 512, 1024, 1192, 1500, 2048, 4096, LONGEST};
	uint64_t seed = 13;

	for (size_t i = 0; i < RTE_DIM(lens); i++) {
		for (unsigned int k = 0; k < 300; k++) {
			uint32_t off = fcn_test_random(&seed) % (lens[i] + 1);
			uint32_t n = fcn_test_random(&seed) % (lens[i] - off + 1);

			append_both_ways(lens[i], longest_segment(lens[i], &seed), off, n, &seed);
		}
	}
}

/* Several quotations one after the other, each by copy or by clone. */
TEST(mixed)
{
	uint64_t seed = 5;

	for (unsigned int k = 0; k < 500; k++) {
		struct rte_mbuf *from = make_packet(1500, 300, &seed), *m = alloc();
		uint8_t want[8 * 200];
		uint32_t n = 0;

		for (unsigned int i = 0; i < 8; i++) {
			uint32_t len = fcn_test_random(&seed) % 200;
			uint32_t off = fcn_test_random(&seed) % (1500 - len);
			append_fn *append = ways[fcn_test_random(&seed) % RTE_DIM(ways)];

			assert_int_equal(append(m, from, off, len, pool), 0);
			memcpy(want + n, bytes + off, len);
			n += len;
		}
		/* Bytes that are copied are never written to a buffer that others share. */
		assert_bytes(from, 0, bytes, 1500);
		assert_int_equal(m->pkt_len, n);
		assert_bytes(m, 0, want, n);
		rte_pktmbuf_free(m);
		rte_pktmbuf_free(from);
	}
	assert_int_equal(rte_mempool_in_use_count(pool), 0);
}

/* The room after the data of a buffer is not used while others share the buffer. */
TEST(shared_tailroom)
{
	struct rte_mbuf *m = alloc(), *from = alloc(), *other;

	memset(rte_pktmbuf_append(m, 10), 1, 10);
	memset(rte_pktmbuf_append(from, 20), 2, 20);
	other = rte_pktmbuf_clone(m, pool);
	assert_non_null(other);
	assert_int_equal(fcn_copy_append(m, from, 0, 20, pool), 0);
	assert_int_equal(fcn_copy_append(other, from, 0, 20, pool), 0);
	assert_int_equal(m->nb_segs, 2);
	assert_int_equal(other->nb_segs, 2);
	rte_pktmbuf_free(m);
	rte_pktmbuf_free(other);
	m = alloc();
	memset(rte_pktmbuf_append(m, 10), 1, 10);
	assert_int_equal(fcn_copy_append(m, from, 0, 20, pool), 0);
	assert_int_equal(m->nb_segs, 1);
	rte_pktmbuf_free(m);
	rte_pktmbuf_free(from);
	assert_int_equal(rte_mempool_in_use_count(pool), 0);
}

/* Leave so many buffers in the pool. @return how many are held */
static unsigned int
hold_all_but(unsigned int left, struct rte_mbuf *held[MBUFS])
{
	unsigned int n = rte_mempool_avail_count(pool) - left;

	for (unsigned int i = 0; i < n; i++)
		held[i] = alloc();
	return n;
}

/* When a buffer is missing at any step, the message stays as it was. */
TEST(no_buffers)
{
	struct rte_mbuf *held[MBUFS], *from, *m;
	uint64_t seed = 7;

	for (size_t way = 0; way < RTE_DIM(ways); way++) {
		from = make_packet(4000, 400, &seed);
		m = alloc();
		memset(rte_pktmbuf_append(m, 50), 9, 50);
		for (unsigned int left = 0;; left++) {
			unsigned int n = hold_all_but(left, held);
			int rc = ways[way](m, from, 3, 3990, pool);

			if (rc == 0) {
				assert_true(left >= 4000 / ROOM);
				assert_int_equal(rte_mempool_avail_count(pool), 0);
				rte_pktmbuf_free_bulk(held, n);
				break;
			}
			assert_int_equal(rc, -ENOMEM);
			assert_int_equal(rte_mempool_avail_count(pool), left);
			assert_int_equal(m->nb_segs, 1);
			assert_int_equal(m->pkt_len, 50);
			assert_int_equal(m->data_len, 50);
			assert_null(m->next);
			rte_pktmbuf_free_bulk(held, n);
		}
		rte_pktmbuf_free(m);
		rte_pktmbuf_free(from);
		assert_int_equal(rte_mempool_in_use_count(pool), 0);
	}
}

TEST(refused)
{
	uint64_t seed = 8;

	for (size_t way = 0; way < RTE_DIM(ways); way++) {
		struct rte_mbuf *from = make_packet(1000, 300, &seed), *m = alloc();

		assert_int_equal(ways[way](m, from, 0, 1001, pool), -EINVAL);
		assert_int_equal(ways[way](m, from, 1000, 1, pool), -EINVAL);
		assert_int_equal(ways[way](m, from, UINT32_MAX, 2, pool), -EINVAL);
		assert_int_equal(ways[way](m, from, 1000, 0, pool), 0);
		assert_int_equal(m->nb_segs, 1);
		m->nb_segs = UINT16_MAX; /* as if it had so many */
		assert_int_equal(ways[way](m, from, 0, 1000, pool), -EOVERFLOW);
		assert_int_equal(m->nb_segs, UINT16_MAX);
		m->nb_segs = 1;
		assert_int_equal(m->pkt_len, 0);
		rte_pktmbuf_free(m);
		rte_pktmbuf_free(from);
		assert_int_equal(rte_mempool_in_use_count(pool), 0);
	}
}

/* A packet with bytes of its own in front: neither sees what the other writes there. */
TEST(packet)
{
	uint64_t seed = 9;

	for (unsigned int k = 0; k < 1000; k++) {
		uint32_t len = 78 + fcn_test_random(&seed) % 4000;
		uint32_t own = 1 + fcn_test_random(&seed) % ROOM;
		struct rte_mbuf *from = make_packet(len, ROOM, &seed), *m;
		uint32_t owned = RTE_MIN(own, len);

		from->port = 17;
		m = fcn_copy_packet(from, own, pool);
		assert_non_null(m);
		assert_int_equal(m->port, 17);
		assert_int_equal(m->pkt_len, len);
		assert_int_equal(m->data_len, owned);
		assert_int_equal(m->data_off, RTE_PKTMBUF_HEADROOM);
		assert_true(RTE_MBUF_DIRECT(m) && rte_mbuf_refcnt_read(m) == 1);
		assert_bytes(m, 0, bytes, len);
		memset(rte_pktmbuf_mtod(m, uint8_t *), 0, owned);
		assert_bytes(from, 0, bytes, len);
		if (from->data_len > 0) {
			memset(rte_pktmbuf_mtod(from, uint8_t *), 0xFF,
					RTE_MIN(owned, from->data_len));
			if (len > own)
				assert_bytes(m, own, bytes + own, len - own);
		}
		rte_pktmbuf_free(from);
		if (len > own)
			assert_bytes(m, own, bytes + own, len - own);
		rte_pktmbuf_free(m);
	}
	assert_int_equal(rte_mempool_in_use_count(pool), 0);
}

TEST(packet_no_buffers)
{
	struct rte_mbuf *held[MBUFS], *from, *m = NULL;
	uint64_t seed = 10;
	unsigned int left = 0;

	from = make_packet(3000, 400, &seed);
	for (; m == NULL; left++) {
		unsigned int n = hold_all_but(left, held);

		m = fcn_copy_packet(from, 100, pool);
		assert_int_equal(rte_mempool_avail_count(pool), m == NULL ? left : 0);
		rte_pktmbuf_free_bulk(held, n);
	}
	assert_true(left > 1 + 3000 / ROOM);
	assert_bytes(m, 0, bytes, 3000);
	rte_pktmbuf_free(m);
	rte_pktmbuf_free(from);
	assert_int_equal(rte_mempool_in_use_count(pool), 0);
}

TEST_WITH(mode, NULL, NULL)
{
	/* what fits into one buffer of the switch is copied */
	assert_false(fcn_copy_shares(FCN_COPY_AUTO, 2048));
	assert_true(fcn_copy_shares(FCN_COPY_AUTO, 2049));
	assert_false(fcn_copy_shares(FCN_COPY_BYTES, LONGEST));
	assert_true(fcn_copy_shares(FCN_COPY_CLONE, 1));
	assert_string_equal(fcn_copy_mode_name(FCN_COPY_AUTO), "auto");
	assert_string_equal(fcn_copy_mode_name(FCN_COPY_MODES), "unknown");
}
