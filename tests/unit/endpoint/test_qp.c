/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Endpoints and queue pairs made, connected, given back; what is refused. */

#include <errno.h>

#include <rte_errno.h>

#include "fcn_test.h"
#include "pair.h"

static struct pair p;

static struct fcn_endpoint_peer
peer_of(uint32_t qp)
{
	return (struct fcn_endpoint_peer){
			.addr = {0x20, 1, 0xd, 0xb8, [15] = 2},
			.mac = {.addr_bytes = {2, 0, 0, 0, 0, 2}},
			.qp = qp,
			.src_port = 0xC000,
			.p_key = 0xFFFF,
			.dscp = 26,
	};
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST(parameters)
{
	struct fcn_endpoint_conf good, bad;
	struct fcn_endpoint *ep;

	pair_init(&p);
	good = p.conf[0];
	ep = fcn_endpoint_create(&good);
	assert_non_null(ep);
	fcn_endpoint_free(ep);
	fcn_endpoint_free(NULL);
#define REFUSED(field, value)                           \
	do {                                            \
		bad = good;                             \
		bad.field = (value);                    \
		rte_errno = 0;                          \
		assert_null(fcn_endpoint_create(&bad)); \
		assert_int_equal(rte_errno, EINVAL);    \
	} while (0)
	REFUSED(addr[0], 0xFF);
	REFUSED(mac.addr_bytes[0], 1);
	REFUSED(line_bps, 0);
	REFUSED(max_qps, 0);
	REFUSED(max_qps, 65537);
	REFUSED(payload, 0);
	REFUSED(payload, 128);
	REFUSED(payload, 1000);
	REFUSED(payload, 8192);
	REFUSED(hop_limit, 0);
	REFUSED(window, 0);
	REFUSED(operation, FCN_OPERATION_DEFAULT);
	REFUSED(operation, FCN_OPERATION_WRITE + 1);
	REFUSED(ack_dscp, 64);
	REFUSED(ack_dscp, -2);
	REFUSED(cnp_dscp, 64);
	REFUSED(n_access, FCN_ENDPOINT_MAX_SWITCHES + 1);
	REFUSED(reaction.kind, FCN_REACTION_COUNT);
	good.n_access = 1;
	good.access[0] = (struct fcn_prefix){.addr = {.version = 6}, .len = 129};
	REFUSED(seed, 1);
	good.n_access = 0;
	good.ioam = true;
	REFUSED(ioam_type, 0);
	REFUSED(ioam_type, 0x1000000);
	REFUSED(ioam_type, FCN_IOAM_TYPE_OPAQUE | 0x800000);
	REFUSED(ioam_hops, 0);
	REFUSED(ioam_hops, 9); /* of 7 words */
#undef REFUSED
}

TEST(numbers)
{
	enum {
		QPS = 1024
	};
	struct fcn_endpoint_peer peer = peer_of(9);
	uint32_t before[QPS];

	pair_init(&p);
	p.conf[0].max_qps = QPS;
	pair_start(&p);
	for (unsigned int i = 0; i < QPS; i++)
		before[i] = (uint32_t)fcn_endpoint_qp_add(p.ep[0]);
	for (unsigned int i = 0; i < QPS; i++)
		assert_int_equal(before[i], FCN_ENDPOINT_FIRST_QP + i);
	assert_int_equal(fcn_endpoint_qp_add(p.ep[0]), -ENOSPC);
	/* One that was given back comes under another number, and its old one is nobody's. */
	fcn_endpoint_qp_close(p.ep[0], before[1]);
	fcn_endpoint_qp_close(p.ep[0], before[1]);
	assert_int_equal(fcn_endpoint_qp_add(p.ep[0]), before[1] + QPS);
	assert_int_equal(fcn_endpoint_qp_connect(p.ep[0], before[1], &peer, 0), -ENOENT);
	/* 24 bits go round. */
	for (unsigned int i = 2; i < (1u << 24) / QPS; i++) {
		fcn_endpoint_qp_close(p.ep[0], before[1] + QPS * (i - 1));
		assert_int_equal(fcn_endpoint_qp_add(p.ep[0]), before[1] + QPS * i);
	}
	fcn_endpoint_qp_close(p.ep[0], before[1] + (1u << 24) - QPS);
	assert_int_equal(fcn_endpoint_qp_add(p.ep[0]), before[1]);
	pair_stop(&p);
}

TEST(connect)
{
	struct fcn_endpoint_peer peer = peer_of(9), bad;
	struct fcn_endpoint_qp_info info;
	uint32_t a, b;

	pair_init(&p);
	pair_start(&p);
	a = (uint32_t)fcn_endpoint_qp_add(p.ep[0]);
	b = (uint32_t)fcn_endpoint_qp_add(p.ep[0]);
	assert_int_equal(fcn_endpoint_post(p.ep[0], a, 1, 0, 0), -ENOTCONN);
	assert_int_equal(fcn_endpoint_qp_info(p.ep[0], a, &info), 0);
	assert_int_equal(info.alpha, 0);
#define REFUSED(field, value)                                                            \
	do {                                                                             \
		bad = peer;                                                              \
		bad.field = (value);                                                     \
		assert_int_equal(fcn_endpoint_qp_connect(p.ep[0], a, &bad, 0), -EINVAL); \
	} while (0)
	REFUSED(addr[0], 0xFF);
	REFUSED(mac.addr_bytes[0], 1);
	REFUSED(qp, 0);
	REFUSED(qp, 0x1000000);
	REFUSED(dscp, 64);
#undef REFUSED
	assert_int_equal(fcn_endpoint_qp_connect(p.ep[0], a, &peer, 0), 0);
	assert_int_equal(fcn_endpoint_qp_connect(p.ep[0], a, &peer, 0), -EISCONN);
	assert_int_equal(fcn_endpoint_qp_connect(p.ep[0], b, &peer, 0), -EEXIST);
	peer.addr[15] = 3; /* the same number elsewhere */
	assert_int_equal(fcn_endpoint_qp_connect(p.ep[0], b, &peer, 0), 0);
	assert_int_equal(fcn_endpoint_post(p.ep[0], a, 0, 0, 0), -EINVAL);
	assert_int_equal(fcn_endpoint_post(p.ep[0], a, (UINT64_C(1) << 40) + 1, 0, 0), -EINVAL);
	assert_int_equal(fcn_endpoint_post(p.ep[0], a, UINT64_C(1) << 40, 0, 0), 0);
	assert_int_equal(fcn_endpoint_qp_info(p.ep[0], a, &info), 0);
	assert_int_equal(info.posted, UINT64_C(1) << 40);
	assert_int_equal(info.rate_bps, PAIR_BPS);
	assert_int_equal(info.src_port, 0xC000);
	/* Given back in the middle of its work. */
	fcn_endpoint_qp_close(p.ep[0], a);
	assert_int_equal(fcn_endpoint_qp_info(p.ep[0], a, &info), -ENOENT);
	assert_int_equal(fcn_endpoint_next(p.ep[0], 0), FCN_ENDPOINT_NEVER);
	peer.addr[15] = 2;
	a = (uint32_t)fcn_endpoint_qp_add(p.ep[0]);
	assert_int_equal(fcn_endpoint_qp_connect(p.ep[0], a, &peer, 0), 0);
	pair_stop(&p);
}

/* What is in flight when a queue pair goes, and when it begins anew. */
TEST(close_in_flight)
{
	struct fcn_endpoint_counters n;
	uint32_t qp[2];

	for (unsigned int selective = 0; selective < 2; selective++) {
		pair_init(&p);
		p.conf[0].selective_repeat = p.conf[1].selective_repeat = selective != 0;
		pair_start(&p);
		pair_connect(&p, qp, 26, 0);
		fcn_endpoint_post(p.ep[0], qp[0], 100000, 0, 0);
		pair_run(&p, 3000);
		if (selective)
			assert_int_equal(fcn_endpoint_qp_reset(p.ep[1], qp[1]), 0);
		else
			fcn_endpoint_qp_close(p.ep[1], qp[1]);
		pair_run(&p, 6000);
		n = pair_counters(&p, 1);
		assert_true(n.rx_unknown_qp > 0);
		assert_int_equal(n.data_received + n.rx_unknown_qp, n.rx_packets);
		fcn_endpoint_qp_close(p.ep[0], qp[0]);
		assert_true(pair_run(&p, 100000));
		assert_int_equal(pair_counters(&p, 0).data_sent, p.data[0].sent);
		pair_stop(&p);
	}
}

/* Too little room, frames to others, frames of nobody's. */
TEST(edges)
{
	uint8_t frame[FCN_ENDPOINT_MAX_FRAME], other[FCN_ENDPOINT_MAX_FRAME];
	struct fcn_endpoint_counters n;
	uint32_t qp[2], len;

	pair_init(&p);
	pair_start(&p);
	pair_connect(&p, qp, 26, 0);
	fcn_endpoint_post(p.ep[0], qp[0], 1, 0, 0);
	assert_int_equal(fcn_endpoint_send(p.ep[0], frame, fcn_endpoint_longest(&p.conf[0]) - 1, 0),
			0);
	len = fcn_endpoint_send(p.ep[0], frame, fcn_endpoint_longest(&p.conf[0]), 0);
	assert_int_equal(len, 82);
	memcpy(other, frame, len);
	other[5] ^= 1; /* MAC */
	fcn_endpoint_receive(p.ep[1], other, len, 0);
	other[5] ^= 1;
	other[53] ^= 4; /* address */
	fcn_endpoint_receive(p.ep[1], other, len, 0);
	other[53] ^= 4;
	for (uint32_t cut = 0; cut < len; cut++)
		fcn_endpoint_receive(p.ep[1], other, cut, 0);
	other[20] = 58; /* no RoCEv2 */
	fcn_endpoint_receive(p.ep[1], other, len, 0);
	other[12] = 8; /* ARP, say */
	other[13] = 6;
	fcn_endpoint_receive(p.ep[1], other, len, 0);
	n = pair_counters(&p, 1);
	assert_int_equal(n.rx_not_mine, 2);
	assert_int_equal(n.rx_malformed, len);
	assert_int_equal(n.rx_other, 2);
	assert_int_equal(n.data_received, 0);
	fcn_endpoint_receive(p.ep[1], frame, len, 0);
	assert_int_equal(pair_counters(&p, 1).data_delivered, 1);
	pair_stop(&p);
}

/* An options header put in on the way: the ICRC as it was does not fit any more. */
TEST(inserted_header)
{
	static const uint8_t padding[] = {17, 0, 1, 4, 0, 0, 0, 0};
	uint8_t frame[FCN_ENDPOINT_MAX_FRAME], other[FCN_ENDPOINT_MAX_FRAME];
	uint32_t qp[2], len;

	pair_init(&p);
	pair_start(&p);
	pair_connect(&p, qp, 26, 0);
	for (unsigned int i = 0; i < 2; i++) {
		uint64_t now = i * 1000;

		fcn_endpoint_post(p.ep[0], qp[0], 1024, 0, now);
		len = fcn_endpoint_send(p.ep[0], frame, sizeof(frame), now);
		memcpy(other, frame, 54);
		memcpy(other + 54, padding, sizeof(padding));
		memcpy(other + 62, frame + 54, len - 54);
		other[20] = 60;
		other[19] += sizeof(padding);
		fcn_endpoint_receive(p.ep[1], other, len + sizeof(padding), now);
		assert_int_equal(pair_counters(&p, 1).rx_malformed, i + 1);
		fcn_endpoint_receive(p.ep[1], frame, len, now);
		assert_int_equal(pair_counters(&p, 1).data_delivered, i + 1);
	}
	pair_stop(&p);
}

/* As it is, but with another opcode (0: the same) and DMA length, and an ICRC for that. */
static void
feed_changed(const uint8_t *frame, uint32_t len, uint8_t opcode, uint32_t written, uint64_t now)
{
	uint8_t other[FCN_ENDPOINT_MAX_FRAME];
	struct fcn_crc32 crc;
	uint32_t icrc;

	memcpy(other, frame, len);
	if (opcode != 0)
		other[62] = opcode;
	else
		for (unsigned int i = 0; i < 4; i++)
			other[74 + 12 + i] = (uint8_t)(written >> (24 - 8 * i));
	assert_int_equal(fcn_crc32_init(&crc), 0);
	icrc = fcn_icrc(&crc, other + 14, 40, len - 14, FCN_ICRC_SKIP);
	for (unsigned int i = 0; i < 4; i++)
		other[len - 4 + i] = (uint8_t)(icrc >> (8 * i));
	fcn_crc32_fini(&crc);
	fcn_endpoint_receive(p.ep[1], other, len, now);
}

/* The RETH of a WRITE: the length of an Only, more than there is in a First. */
TEST(reth)
{
	static const struct {
		uint64_t bytes;
		uint8_t opcode;
		uint32_t written;
		bool good;
	} cases[] = {
			{100, 0, 100, true},
			{100, 0, 99, false},
			{100, 0, 101, false},
			{100, 0, 0, false},
			{98, 0, 98, true}, /* padded */
			{98, 0, 100, false},
			{100, 0x06, 0, false}, /* a First of all there is */
			{2048, 0, 2048, true},
			{2048, 0, 1025, true},
			{2048, 0, 1024, false},
			{2048, 0x0A, 0, false}, /* an Only of 2048 that has 1024 */
			{2048, 0, 0xFFFFFFFF, true},
	};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		uint8_t frame[FCN_ENDPOINT_MAX_FRAME];
		struct fcn_endpoint_counters n;
		uint32_t qp[2], len;

		pair_init(&p);
		p.conf[0].operation = FCN_OPERATION_WRITE;
		pair_start(&p);
		pair_connect(&p, qp, 26, 0);
		assert_int_equal(fcn_endpoint_post(p.ep[0], qp[0], cases[i].bytes, 0, 0), 0);
		len = fcn_endpoint_send(p.ep[0], frame, sizeof(frame), 0);
		feed_changed(frame, len, cases[i].opcode, cases[i].written, 0);
		n = pair_counters(&p, 1);
		assert_int_equal(n.data_delivered, cases[i].good);
		assert_int_equal(n.rx_malformed, !cases[i].good);
		assert_int_equal(n.payload_delivered,
				cases[i].good ? RTE_MIN(cases[i].bytes, UINT64_C(1024)) : 0);
		pair_stop(&p);
	}
	/* A WRITE Only or First without room for a RETH, or with nothing behind it. */
	for (unsigned int i = 1; i <= 16; i++) {
		uint8_t frame[FCN_ENDPOINT_MAX_FRAME];
		uint32_t qp[2], len;

		pair_init(&p);
		pair_start(&p);
		pair_connect(&p, qp, 26, 0);
		assert_int_equal(fcn_endpoint_post(p.ep[0], qp[0], i, 0, 0), 0);
		len = fcn_endpoint_send(p.ep[0], frame, sizeof(frame), 0);
		feed_changed(frame, len, i % 2 ? 0x0A : 0x06, 0, 0);
		assert_int_equal(pair_counters(&p, 1).rx_malformed, 1);
		assert_int_equal(pair_counters(&p, 1).data_received, 0);
		pair_stop(&p);
	}
}

/* What the endpoint says, and a queue pair instead; how long a WRITE may be. */
TEST(operations)
{
	static const struct {
		enum fcn_operation all, one;
		bool write;
	} cases[] = {
			{FCN_OPERATION_SEND, FCN_OPERATION_DEFAULT, false},
			{FCN_OPERATION_SEND, FCN_OPERATION_WRITE, true},
			{FCN_OPERATION_WRITE, FCN_OPERATION_DEFAULT, true},
			{FCN_OPERATION_WRITE, FCN_OPERATION_SEND, false},
	};
	const uint64_t most = UINT64_C(1) << 31;

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		uint8_t frame[FCN_ENDPOINT_MAX_FRAME];
		struct fcn_endpoint_peer peer = {.qp = 2,
				.src_port = 0xC000,
				.p_key = 0xFFFF,
				.operation = cases[i].one};
		int qp;

		pair_init(&p);
		p.conf[0].operation = cases[i].all;
		pair_start(&p);
		memcpy(peer.addr, p.conf[1].addr, 16);
		peer.mac = p.conf[1].mac;
		qp = fcn_endpoint_qp_add(p.ep[0]);
		assert_int_equal(fcn_endpoint_qp_connect(p.ep[0], qp, &peer, 0), 0);
		assert_int_equal(fcn_endpoint_post(p.ep[0], qp, most + 1, 0, 0),
				cases[i].write ? -EINVAL : 0);
		assert_int_equal(fcn_endpoint_post(p.ep[0], qp, most, 0, 0), 0);
		assert_int_equal(fcn_endpoint_send(p.ep[0], frame, sizeof(frame), 0),
				1102 + (cases[i].write ? 16 : 0));
		assert_int_equal(frame[62], cases[i].write ? 0x06 : 0x00);
		pair_stop(&p);
	}
}

/* All queue pairs that an endpoint has room for can be connected, each to another host. */
TEST(full)
{
	static const uint32_t sizes[] = {16, 63, 64, 256, 512, 1000, 1024, 4096};
	struct fcn_endpoint_conf conf;

	pair_init(&p);
	conf = p.conf[0];
	for (unsigned int s = 0; s < RTE_DIM(sizes); s++) {
		struct fcn_endpoint *ep;

		conf.max_qps = sizes[s];
		ep = fcn_endpoint_create(&conf);
		assert_non_null(ep);
		for (uint32_t i = 0; i < sizes[s]; i++) {
			struct fcn_endpoint_peer peer = peer_of(FCN_ENDPOINT_FIRST_QP + i);
			int number = fcn_endpoint_qp_add(ep);

			assert_true(number > 0);
			peer.addr[14] = i >> 8;
			peer.addr[13] = i;
			assert_int_equal(fcn_endpoint_qp_connect(ep, number, &peer, 0), 0);
		}
		assert_true(fcn_endpoint_qp_add(ep) < 0);
		fcn_endpoint_free(ep);
	}
}
