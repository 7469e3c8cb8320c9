/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * A Fast CNP that is built in one pass is that which is built from a request, whose octets the
 * tests of lib/wire compare with those of other programs; with an Ethernet header in front, if it
 * is to have one.
 */

#include "notify_util.h"

#include "fcn_crc_fold.h"

#define BURST FCN_NOTICE_MAX
#define ROUNDS 300

static struct rte_mempool *pool;
static uint64_t seed = 11;

/* One burst, as it was built. */
struct built {
	struct fcn_notice_order order[BURST];
	struct rte_mbuf *m[BURST];
	struct fcn_wire_info info[BURST];
};

static uint64_t
random_below(uint64_t n)
{
	return fcn_test_random(&seed) % n;
}

static void
random_octets(uint8_t *p, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		p[i] = random_below(4) == 0 ? 0xFF * random_below(2) : random_below(256);
}

/* Make a data packet whose fields have any value, also those that a notice does not take over. */
static void
random_packet(struct packet *p)
{
	uint8_t *udp;

	if (random_below(3) == 0)
		packet_ioam(p, random_below(58));
	else
		packet_roce(p, 1, 2, 3);
	udp = p->f.data + p->f.udp;
	random_octets(p->f.data + 14 + 8 + 1, 15);
	random_octets(p->f.data + 14 + 24 + 1, 15);
	random_octets(udp, 2);
	random_octets(udp + 10, 7);
	packet_parse(p);
	assert_true(p->info.flags & FCN_PKT_ROCE);
}

static void
random_orders(const struct packet *p, unsigned int n, struct fcn_notice_order *order)
{
	for (unsigned int i = 0; i < n; i++) {
		const bool trace = p[i].info.flags & FCN_PKT_IOAM_TRACE;

		order[i] = (struct fcn_notice_order){.data = p[i].f.data, .about = &p[i].info};
		/* Forms other than option 2 are all with option 1. */
		order[i].form = random_below(4);
		if (order[i].form == 1 && !trace)
			order[i].form = 0;
	}
}

static void
build(struct built *b, const struct fcn_notice_order *order, unsigned int n, uint16_t folds,
		const struct rte_ether_hdr *head)
{
	const uint16_t before = fastcnp.fastcnp.folds;

	assert_int_equal(rte_pktmbuf_alloc_bulk(pool, b->m, n), 0);
	memset(b->info, 0xA5, sizeof(b->info));
	for (unsigned int i = 0; i < n; i++) {
		memset((uint8_t *)b->m[i]->buf_addr, 0xA5, b->m[i]->buf_len);
		b->order[i] = order[i];
		b->order[i].mbuf = b->m[i];
		b->order[i].info = &b->info[i];
		b->order[i].head = head != NULL && i % 3 != 0 ? &head[i] : NULL;
	}
	fastcnp.fastcnp.folds = folds;
	fcn_notice_fastcnp.build(&fastcnp, &conf.common, b->order, n);
	fastcnp.fastcnp.folds = before;
}

/* Compare a notice with one that has no Ethernet header. */
static void
compare(const struct built *with, const struct built *plain, unsigned int i)
{
	const struct rte_ether_hdr *head = with->order[i].head;
	const uint16_t extra = head != NULL ? sizeof(*head) : 0;
	const struct rte_mbuf *a = with->m[i], *b = plain->m[i];
	struct fcn_wire_info info = plain->info[i];

	assert_int_equal(a->pkt_len, b->pkt_len + extra);
	assert_int_equal(a->data_len, a->pkt_len);
	assert_int_equal(a->data_off, b->data_off - extra);
	if (head != NULL)
		assert_memory_equal(rte_pktmbuf_mtod(a, const void *), head, extra);
	assert_memory_equal(rte_pktmbuf_mtod_offset(a, const void *, extra),
			rte_pktmbuf_mtod(b, const void *), b->pkt_len);
	/* Nothing in front of it or behind it is written. */
	assert_int_equal(((const uint8_t *)a->buf_addr)[a->data_off - 1], 0xA5);
	assert_int_equal(((const uint8_t *)a->buf_addr)[a->data_off + a->pkt_len], 0xA5);
	info.l3_off = extra;
	assert_memory_equal(&with->info[i], &info, sizeof(info));
}

static void
assert_like_requests(void)
{
	static struct packet packet[BURST];
	static struct built one, two, three, four;
	const uint16_t narrow = fcn_crc_fold_bits() != 0 ? 128 : 0;
	const uint16_t wide = narrow != 0 && fcn_crc_fold_is_wide() ? 512 : narrow;
	struct fcn_notice_order order[BURST];
	struct rte_ether_hdr head[BURST];
	unsigned int long_ones = 0;

	for (unsigned int round = 0; round < ROUNDS; round++) {
		const unsigned int n = 1 + random_below(BURST);

		for (unsigned int i = 0; i < n; i++)
			random_packet(&packet[i]);
		random_octets((uint8_t *)head, sizeof(head));
		random_orders(packet, n, order);
		build(&one, order, n, 0, NULL);
		build(&two, order, n, narrow, head);
		build(&three, order, n, 0, head);
		build(&four, order, n, wide, head);
		for (unsigned int i = 0; i < n; i++) {
			compare(&two, &one, i);
			compare(&three, &one, i);
			compare(&four, &one, i);
			long_ones += one.m[i]->pkt_len > FCN_FASTCNP_OPT1_LEN;
		}
		rte_pktmbuf_free_bulk(one.m, n);
		rte_pktmbuf_free_bulk(two.m, n);
		rte_pktmbuf_free_bulk(three.m, n);
		rte_pktmbuf_free_bulk(four.m, n);
	}
	assert_true(long_ones > 0);
}

/* Add up 16-bit words (RFC 1071). */
static uint64_t
add_words(const uint8_t *p, unsigned int n)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < n; i += 2)
		sum += (uint64_t)(p[i] << 8 | p[i + 1]);
	return sum;
}

/* The UDP checksum of a notice, which ends a packet of IPv6: with the pseudo header of RFC 8200
 * section 8.1, all words add up to ones; and it is not 0, which would be none. */
static void
assert_checksum(const struct rte_mbuf *m)
{
	const uint8_t *ip = rte_pktmbuf_mtod(m, const uint8_t *);
	const unsigned int udp_len = 40;
	const uint8_t *udp = ip + m->pkt_len - udp_len;
	uint64_t sum = add_words(ip + 8, 32) + udp_len + 17 + add_words(udp, udp_len);

	assert_int_equal(udp[4] << 8 | udp[5], udp_len);
	while (sum > 0xFFFF)
		sum = (sum & 0xFFFF) + (sum >> 16);
	assert_int_equal(sum, 0xFFFF);
	assert_true((udp[6] | udp[7]) != 0);
}

/*
 * Adding up a checksum may need one carry more than in most cases, in one of some 30,000 notices,
 * and one in 65,536 has the checksum 0, which is sent as ones. Here are enough that both occur many
 * times, in each way to build them.
 */
static void
assert_checksums(void)
{
	static struct packet packet[BURST];
	static struct built built;
	const uint16_t narrow = fcn_crc_fold_bits() != 0 ? 128 : 0;
	const uint16_t wide = narrow != 0 && fcn_crc_fold_is_wide() ? 512 : narrow;
	const uint16_t folds[] = {0, narrow, wide};
	struct fcn_notice_order order[BURST];
	unsigned int ones = 0;

	for (unsigned int i = 0; i < BURST; i++)
		random_packet(&packet[i]);
	for (unsigned int round = 0; round < 1500000 / BURST; round++) {
		for (unsigned int i = 0; i < BURST; i++) {
			const uint64_t r = fcn_test_random(&seed);

			/* what the notice takes over: address of the sender, and queue pair */
			memcpy(packet[i].f.data + 14 + 8 + 8, &r, sizeof(r));
			memcpy(packet[i].f.data + packet[i].f.udp + 8 + 5, &r, 3);
			order[i] = (struct fcn_notice_order){.data = packet[i].f.data,
					.about = &packet[i].info,
					.form = (packet[i].info.flags & FCN_PKT_IOAM_TRACE) != 0};
		}
		build(&built, order, BURST, folds[round % RTE_DIM(folds)], NULL);
		for (unsigned int i = 0; i < BURST; i++) {
			const uint8_t *end = rte_pktmbuf_mtod_offset(
					built.m[i], const uint8_t *, built.m[i]->pkt_len);

			assert_checksum(built.m[i]);
			ones += end[-34] == 0xFF && end[-33] == 0xFF;
		}
		rte_pktmbuf_free_bulk(built.m, BURST);
	}
	assert_true(ones > 3);
}

/* The same with each way to compute the ICRC. */
static int
setup(void **state, enum fcn_icrc_mode mode)
{
	struct fcn_fastcnp_conf fc = {.opt1_type = 0x9E,
			.opt2_type = 0x9F,
			.dscp = 48,
			.hop_limit = 64,
			.icrc_mode = mode};

	assert_int_equal(notify_setup(state), 0);
	random_octets(fc.source, sizeof(fc.source));
	pool = rte_pktmbuf_pool_create("frames", 511, 0, 0, 1024, SOCKET_ID_ANY);
	assert_non_null(pool);
	return fcn_fastcnp_kind_init(&fastcnp, &fc);
}

static int
setup_skip(void **state)
{
	return setup(state, FCN_ICRC_SKIP);
}

static int
setup_cover(void **state)
{
	return setup(state, FCN_ICRC_COVER);
}

static int
setup_norm(void **state)
{
	return setup(state, FCN_ICRC_NORM);
}

static int
teardown(void **state)
{
	fcn_fastcnp_template_fini(&fastcnp.fastcnp);
	rte_mempool_free(pool);
	return notify_teardown(state);
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST_WITH(like_requests_skip, setup_skip, teardown)
{
	assert_like_requests();
}

TEST_WITH(like_requests_cover, setup_cover, teardown)
{
	assert_like_requests();
}

TEST_WITH(like_requests_norm, setup_norm, teardown)
{
	assert_like_requests();
}

TEST_WITH(checksums, setup_skip, teardown)
{
	assert_checksums();
}
