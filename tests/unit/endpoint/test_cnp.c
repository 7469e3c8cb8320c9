/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * CNPs: which packets cause one, by what they are paced, when they leave, and whom they slow down.
 * Two senders with two queue pairs each, one receiver; frames go by hand.
 */

#include "fcn_test.h"
#include "pair.h"

#define SENDERS 2
#define QPS 4 /* 0 and 1 of the first sender */
#define OPCODE_OFF (14 + 40 + 8)

struct rig {
	struct fcn_endpoint *sender[SENDERS], *receiver;
	uint32_t from[QPS], to[QPS]; /* numbers at the sender and at the receiver */
};

static void
conf_of(struct fcn_endpoint_conf *conf, uint8_t last)
{
	fcn_endpoint_defaults(conf, PAIR_BPS);
	memcpy(conf->addr, (const uint8_t[16]){0x20, 1, 0xd, 0xb8, [15] = last}, 16);
	conf->mac = (struct rte_ether_addr){.addr_bytes = {2, 0, 0, 0, 0, last}};
	conf->cnp_interval_ns = 4000;
	conf->timeout_ns = 0;
}

static void
connect_qp(struct fcn_endpoint *ep, uint32_t qp, uint8_t peer_last, uint32_t peer_qp)
{
	struct fcn_endpoint_peer peer = {
			.addr = {0x20, 1, 0xd, 0xb8, [15] = peer_last},
			.mac = {.addr_bytes = {2, 0, 0, 0, 0, peer_last}},
			.qp = peer_qp,
			.src_port = 0xC000,
			.p_key = 0xFFFF,
			.dscp = 26,
	};

	assert_int_equal(fcn_endpoint_qp_connect(ep, qp, &peer, 0), 0);
}

static void
rig_start(struct rig *r, enum fcn_cnp_scope scope, uint64_t delay, enum fcn_reaction_kind kind)
{
	struct fcn_endpoint_conf conf;

	conf_of(&conf, 9);
	conf.cnp_scope = scope;
	conf.cnp_delay_ns = delay;
	conf.ack_every = 0;
	r->receiver = fcn_endpoint_create(&conf);
	for (uint8_t i = 0; i < SENDERS; i++) {
		conf_of(&conf, i);
		conf.addr[15] = i + 1;
		conf.mac.addr_bytes[5] = i + 1;
		conf.reaction.kind = kind;
		if (kind == FCN_REACTION_NONE)
			conf.line_bps *= 100; /* no pacing that shows */
		r->sender[i] = fcn_endpoint_create(&conf);
	}
	for (unsigned int q = 0; q < QPS; q++) {
		uint8_t s = (uint8_t)(q / 2);

		r->from[q] = (uint32_t)fcn_endpoint_qp_add(r->sender[s]);
		r->to[q] = (uint32_t)fcn_endpoint_qp_add(r->receiver);
		connect_qp(r->sender[s], r->from[q], 9, r->to[q]);
		connect_qp(r->receiver, r->to[q], s + 1, r->from[q]);
	}
}

static void
rig_stop(struct rig *r)
{
	for (unsigned int i = 0; i < SENDERS; i++)
		fcn_endpoint_free(r->sender[i]);
	fcn_endpoint_free(r->receiver);
}

/* A packet of a queue pair reaches the receiver, with an ECN field. */
static void
packet(struct rig *r, unsigned int q, uint8_t ecn, uint64_t now)
{
	uint8_t frame[FCN_ENDPOINT_MAX_FRAME];
	struct fcn_endpoint *sender = r->sender[q / 2];
	uint32_t len;

	assert_int_equal(fcn_endpoint_post(sender, r->from[q], 1024, 0, now), 0);
	len = fcn_endpoint_send(sender, frame, sizeof(frame), now);
	assert_int_equal(len, 1102);
	frame[15] = (uint8_t)((frame[15] & ~0x30) | ecn << 4);
	fcn_endpoint_receive(r->receiver, frame, len, now);
}

/* Give what the receiver has to send to whom it is for. @return CNPs among it */
static unsigned int
answers(struct rig *r, uint64_t now)
{
	uint8_t frame[FCN_ENDPOINT_MAX_FRAME];
	unsigned int cnps = 0;
	uint32_t len;

	while ((len = fcn_endpoint_send(r->receiver, frame, sizeof(frame), now)) != 0) {
		cnps += frame[OPCODE_OFF] == 0x81;
		fcn_endpoint_receive(r->sender[frame[5] - 1], frame, len, now);
	}
	return cnps;
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST(marks)
{
	struct fcn_endpoint_counters n;
	struct rig r;

	rig_start(&r, FCN_CNP_PER_QP, 0, FCN_REACTION_NONE);
	for (uint8_t ecn = 0; ecn < 3; ecn++) {
		packet(&r, 0, ecn, 10 * ecn);
		assert_int_equal(answers(&r, 10 * ecn), 0);
	}
	packet(&r, 0, 3, 1000);
	assert_int_equal(answers(&r, 1000), 1);
	fcn_endpoint_counters(r.sender[0], &n, 1000);
	assert_int_equal(n.cnp_received, 1);
	assert_int_equal(n.ack_received, 4);
	rig_stop(&r);
}

/* One packet with CE of each queue pair at once, and what the next 4 us let through. */
TEST(scopes)
{
	static const struct {
		enum fcn_cnp_scope scope;
		unsigned int cnps;
	} cases[] = {{FCN_CNP_PER_QP, 4}, {FCN_CNP_PER_IP_PAIR, 2}, {FCN_CNP_PER_PORT, 1}};

	for (unsigned int i = 0; i < RTE_DIM(cases); i++) {
		struct fcn_endpoint_counters n;
		struct rig r;

		rig_start(&r, cases[i].scope, 0, FCN_REACTION_NONE);
		for (unsigned int round = 0; round < 3; round++) {
			/* 0, 3999: too early, 4000 */
			uint64_t now = 1000 + (round == 0 ? 0 : 3998 + round);

			for (unsigned int q = 0; q < QPS; q++)
				packet(&r, q, 3, now);
			assert_int_equal(answers(&r, now), round == 1 ? 0 : cases[i].cnps);
		}
		fcn_endpoint_counters(r.receiver, &n, 9000);
		assert_int_equal(n.data_ce, 3 * QPS);
		assert_int_equal(n.cnp_sent, 2 * cases[i].cnps);
		assert_int_equal(n.cnp_suppressed, n.data_ce - n.cnp_sent);
		rig_stop(&r);
	}
}

TEST(delay)
{
	struct rig r;

	rig_start(&r, FCN_CNP_PER_QP, 1500, FCN_REACTION_NONE);
	packet(&r, 0, 3, 100);
	packet(&r, 2, 3, 300);
	answers(&r, 300);
	assert_int_equal(fcn_endpoint_next(r.receiver, 300), 1600);
	assert_int_equal(answers(&r, 1599), 0);
	assert_int_equal(answers(&r, 1600), 1);
	assert_int_equal(fcn_endpoint_next(r.receiver, 1600), 1800);
	/* Of a queue pair that was closed while it waited. */
	fcn_endpoint_qp_close(r.receiver, r.to[2]);
	assert_int_equal(answers(&r, 1800), 0);
	assert_int_equal(fcn_endpoint_next(r.receiver, 1800), FCN_ENDPOINT_NEVER);
	rig_stop(&r);
}

/* Only the queue pair it is for gets slower. */
TEST(reaction)
{
	struct fcn_endpoint_qp_info info;
	struct rig r;

	rig_start(&r, FCN_CNP_PER_QP, 0, FCN_REACTION_DCQCN);
	packet(&r, 1, 3, 1000);
	assert_int_equal(answers(&r, 1000), 1);
	/* The cut is made when the cut timer runs out, 4 us later. */
	assert_int_equal(fcn_endpoint_next(r.sender[0], 1000), 5000);
	assert_int_equal(fcn_endpoint_send(r.sender[0], (uint8_t[FCN_ENDPOINT_MAX_FRAME]){0},
					 FCN_ENDPOINT_MAX_FRAME, 5000),
			0);
	for (unsigned int q = 0; q < QPS; q++) {
		fcn_endpoint_qp_info(r.sender[q / 2], r.from[q], &info);
		assert_int_equal(info.notices, q == 1);
		/* alpha 1003 of 1024 after four steps: 1 - 1003 / 2048 */
		assert_int_equal(info.rate_bps,
				q == 1 ? PAIR_BPS - PAIR_BPS * 1003 / 2048 : PAIR_BPS);
	}
	rig_stop(&r);
}

/* Its source is whom the queue pair goes to; its ICRC is right. */
TEST(forged)
{
	uint8_t frame[FCN_ENDPOINT_MAX_FRAME];
	struct fcn_endpoint_counters n;
	struct rig r;
	uint32_t len;

	rig_start(&r, FCN_CNP_PER_QP, 0, FCN_REACTION_DCQCN);
	packet(&r, 0, 3, 1000);
	len = fcn_endpoint_send(r.receiver, frame, sizeof(frame), 1000);
	assert_int_equal(len, 94);
	for (uint32_t i = 12; i < len; i++) {
		bool masked = (i >= 15 && i < 18) || i == 21; /* class, label, hop limit */

		for (unsigned int bit = 0; bit < 8; bit++) {
			frame[i] ^= (uint8_t)(1u << bit);
			if (!masked && i != 14)
				fcn_endpoint_receive(r.sender[0], frame, len, 2000);
			frame[i] ^= (uint8_t)(1u << bit);
		}
	}
	fcn_endpoint_counters(r.sender[0], &n, 2000);
	assert_int_equal(n.cnp_received, 0);
	/* The other sender has no such queue pair, or one that goes elsewhere. */
	fcn_endpoint_qp_close(r.sender[0], r.from[0]);
	fcn_endpoint_receive(r.sender[0], frame, len, 2000);
	fcn_endpoint_counters(r.sender[0], &n, 2000);
	assert_int_equal(n.cnp_received, 0);
	assert_int_equal(n.notice_unknown_qp, 1);
	rig_stop(&r);
}
