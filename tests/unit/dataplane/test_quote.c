/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Bytes of a packet in another, by copy and by clone: the same bytes, and nothing left behind. */

#include <errno.h>

#include "fcn_quote.h"
#include "fcn_test.h"

#define MBUFS 127
#define ROOM 512 /* of a buffer: 9000 bytes are many segments */
#define LONGEST 9000

static struct rte_mempool *pool;
static uint8_t bytes[LONGEST]; /* of the packet that is quoted */

static int
setup(void **state)
{
	RTE_SET_USED(state);
	pool = rte_pktmbuf_pool_create(
			"quote", MBUFS, 0, 0, RTE_PKTMBUF_HEADROOM + ROOM, SOCKET_ID_ANY);
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

/* A message with a header, which quotes part of a packet, and stands when that is gone. */
static void
quote_once(uint32_t len, uint32_t most, uint64_t seed)
{
	struct rte_mbuf *from = make_packet(len, most, &seed), *m = alloc();
	uint32_t off = fcn_test_random(&seed) % (len + 1);
	uint32_t n = fcn_test_random(&seed) % (len - off + 1);
	static const uint8_t header[] = {1, 2, 3, 4, 5, 6, 7};

	memcpy(rte_pktmbuf_append(m, sizeof(header)), header, sizeof(header));
	assert_int_equal(fcn_quote_clone(m, from, off, n, pool), 0);
	assert_int_equal(m->pkt_len, sizeof(header) + n);
	assert_bytes(from, 0, bytes, len);
	rte_pktmbuf_free(from);
	assert_bytes(m, 0, header, sizeof(header));
	if (n > 0)
		assert_bytes(m, sizeof(header), bytes + off, n);
	rte_pktmbuf_free(m);
	assert_int_equal(rte_mempool_in_use_count(pool), 0);
}

static void
test_same_bytes(void **state)
{
	static const uint32_t lens[] = {78, 128, 256, 512, 1024, 1192, 1500, 2048, 4096, LONGEST};
	uint64_t seed = 12;

	RTE_SET_USED(state);
	for (size_t i = 0; i < RTE_DIM(lens); i++) {
		for (unsigned int k = 0; k < 300; k++) {
			/* as many segments as the pool bears, and fewer */
			uint32_t least = RTE_MAX(lens[i] / 15, 8u);
			uint32_t most = least + fcn_test_random(&seed) % (ROOM - least);
			uint64_t again = fcn_test_random(&seed);

			if (lens[i] > 4096)
				most = ROOM;
			quote_once(lens[i], most, again);
		}
	}
}

/* Several quotes one behind the other. */
static void
test_several(void **state)
{
	uint64_t seed = 5;

	RTE_SET_USED(state);
	for (unsigned int k = 0; k < 500; k++) {
		struct rte_mbuf *from = make_packet(1500, 300, &seed), *m = alloc();
		uint8_t want[8 * 200];
		uint32_t n = 0;

		for (unsigned int i = 0; i < 8; i++) {
			uint32_t len = fcn_test_random(&seed) % 200;
			uint32_t off = fcn_test_random(&seed) % (1500 - len);

			assert_int_equal(fcn_quote_clone(m, from, off, len, pool), 0);
			memcpy(want + n, bytes + off, len);
			n += len;
		}
		assert_bytes(from, 0, bytes, 1500);
		assert_int_equal(m->pkt_len, n);
		assert_bytes(m, 0, want, n);
		rte_pktmbuf_free(m);
		rte_pktmbuf_free(from);
	}
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

/* Without a buffer at any step: as before. */
static void
test_no_buffers(void **state)
{
	struct rte_mbuf *held[MBUFS], *from, *m;
	uint64_t seed = 7;

	RTE_SET_USED(state);
	from = make_packet(4000, 400, &seed);
	m = alloc();
	memset(rte_pktmbuf_append(m, 50), 9, 50);
	for (unsigned int left = 0;; left++) {
		unsigned int n = hold_all_but(left, held);
		int rc = fcn_quote_clone(m, from, 3, 3990, pool);

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

static void
test_refused(void **state)
{
	uint64_t seed = 8;
	struct rte_mbuf *from = make_packet(1000, 300, &seed), *m = alloc();

	RTE_SET_USED(state);
	assert_int_equal(fcn_quote_clone(m, from, 0, 1001, pool), -EINVAL);
	assert_int_equal(fcn_quote_clone(m, from, 1000, 1, pool), -EINVAL);
	assert_int_equal(fcn_quote_clone(m, from, UINT32_MAX, 2, pool), -EINVAL);
	assert_int_equal(fcn_quote_clone(m, from, 1000, 0, pool), 0);
	assert_int_equal(m->nb_segs, 1);
	m->nb_segs = UINT16_MAX; /* as if it had so many */
	assert_int_equal(fcn_quote_clone(m, from, 0, 1000, pool), -EOVERFLOW);
	assert_int_equal(m->nb_segs, UINT16_MAX);
	m->nb_segs = 1;
	assert_int_equal(m->pkt_len, 0);
	rte_pktmbuf_free(m);
	rte_pktmbuf_free(from);
	assert_int_equal(rte_mempool_in_use_count(pool), 0);
}

/* A packet with bytes of its own in front: neither sees what the other writes there. */
static void
test_packet(void **state)
{
	uint64_t seed = 9;

	RTE_SET_USED(state);
	for (unsigned int k = 0; k < 1000; k++) {
		uint32_t len = 78 + fcn_test_random(&seed) % 4000;
		uint32_t own = 1 + fcn_test_random(&seed) % ROOM;
		struct rte_mbuf *from = make_packet(len, ROOM, &seed), *m;
		uint32_t owned = RTE_MIN(own, len);

		from->port = 17;
		m = fcn_quote_packet(from, own, pool);
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

static void
test_packet_no_buffers(void **state)
{
	struct rte_mbuf *held[MBUFS], *from, *m = NULL;
	uint64_t seed = 10;
	unsigned int left = 0;

	RTE_SET_USED(state);
	from = make_packet(3000, 400, &seed);
	for (; m == NULL; left++) {
		unsigned int n = hold_all_but(left, held);

		m = fcn_quote_packet(from, 100, pool);
		assert_int_equal(rte_mempool_avail_count(pool), m == NULL ? left : 0);
		rte_pktmbuf_free_bulk(held, n);
	}
	assert_true(left > 1 + 3000 / ROOM);
	assert_bytes(m, 0, bytes, 3000);
	rte_pktmbuf_free(m);
	rte_pktmbuf_free(from);
	assert_int_equal(rte_mempool_in_use_count(pool), 0);
}

static void
test_mode(void **state)
{
	RTE_SET_USED(state);
	assert_false(fcn_quote_shares(FCN_QUOTE_AUTO, FCN_QUOTE_CLONE_MIN - 1));
	assert_true(fcn_quote_shares(FCN_QUOTE_AUTO, FCN_QUOTE_CLONE_MIN));
	assert_false(fcn_quote_shares(FCN_QUOTE_COPY, LONGEST));
	assert_true(fcn_quote_shares(FCN_QUOTE_CLONE, 1));
	assert_string_equal(fcn_quote_mode_name(FCN_QUOTE_AUTO), "auto");
	assert_string_equal(fcn_quote_mode_name(FCN_QUOTE_MODES), "unknown");
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
			cmocka_unit_test_setup_teardown(test_same_bytes, setup, teardown),
			cmocka_unit_test_setup_teardown(test_several, setup, teardown),
			cmocka_unit_test_setup_teardown(test_no_buffers, setup, teardown),
			cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
			cmocka_unit_test_setup_teardown(test_packet, setup, teardown),
			cmocka_unit_test_setup_teardown(test_packet_no_buffers, setup, teardown),
			cmocka_unit_test(test_mode),
	};

	return cmocka_run_group_tests(tests, fcn_test_eal_init, fcn_test_eal_cleanup);
}
