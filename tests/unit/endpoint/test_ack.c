/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * What the reaction point is told of acknowledgements and losses: its functions are watched. The
 * packets and times are those of the wire of pair.c.
 */

#include "fcn_test.h"
#include "pair.h"

#define FOREVER UINT64_C(1000000000)
#define PACKETS 600 /* more than the first ring of times */
#define WIRE 1126   /* 14 + 40 + 8 + 12 + 1024 + 4 + 24 */
#define BITS_A_NS 100
#define ACK_WIRE 106
#define HOPS 2

static struct {
	unsigned int n, losses;
	struct fcn_reaction_ack ack[2 * PACKETS];
	bool timeout;
	uint64_t lost;
} told;

static unsigned int drop; /* number of the data packet that is lost, from 1 on; 0: none */

void __wrap_fcn_reaction_ack(
		struct fcn_reaction *r, const struct fcn_reaction_ack *ack, uint64_t now);
void __wrap_fcn_reaction_loss(struct fcn_reaction *r, bool timeout, uint64_t bytes, uint64_t now);

void
__wrap_fcn_reaction_ack(struct fcn_reaction *r, const struct fcn_reaction_ack *ack, uint64_t now)
{
	RTE_SET_USED(r);
	RTE_SET_USED(now);
	assert_true(told.n < RTE_DIM(told.ack));
	told.ack[told.n++] = *ack;
}

void
__wrap_fcn_reaction_loss(struct fcn_reaction *r, bool timeout, uint64_t bytes, uint64_t now)
{
	RTE_SET_USED(r);
	RTE_SET_USED(now);
	told.losses++;
	told.timeout = timeout;
	told.lost = bytes;
}

/* Each third packet gets a CE mark, each acknowledgement crosses two routers. */
static bool
path(struct pair *p, unsigned int from, uint8_t *frame, uint32_t len)
{
	RTE_SET_USED(len);
	if (from == 1)
		frame[14 + 7] -= HOPS;
	else if (p->data[0].sent % 3 == 0)
		frame[15] |= 0x30;
	return from == 1 || p->data[0].sent != drop;
}

static struct pair p;

static void
run(enum fcn_reaction_kind kind, bool echo, uint64_t window, bool selective)
{
	uint32_t qp[2];

	memset(&told, 0, sizeof(told));
	pair_init(&p);
	p.tap = path;
	for (unsigned int i = 0; i < 2; i++) {
		p.conf[i].reaction.kind = kind;
		p.conf[i].ecn_echo = echo;
		p.conf[i].window = window;
		p.conf[i].cnp = false;
		p.conf[i].selective_repeat = selective;
	}
	pair_start(&p);
	pair_connect(&p, qp, 26, 0);
	assert_int_equal(fcn_endpoint_post(p.ep[0], qp[0], PACKETS * 1024, 0, 0), 0);
	assert_true(pair_run(&p, FOREVER));
	assert_int_equal(pair_n_events(&p, 0, FCN_ENDPOINT_COMPLETE), 1);
}

static uint64_t
packets_told(void)
{
	uint64_t n = 0;

	for (unsigned int i = 0; i < told.n; i++)
		n += told.ack[i].packets;
	return n;
}

TEST_FIXTURE(FCN_TEST_EAL);

/* Each packet is acknowledged by itself, though the receiver only acknowledges each 16th. */
TEST(each_packet)
{
	const uint64_t rtt = 2 * PAIR_DELAY + (WIRE + ACK_WIRE) * 8 / BITS_A_NS;

	drop = 0;
	run(FCN_REACTION_NSCC, true, 3 * 1024, false);
	assert_int_equal(told.n, PACKETS);
	for (unsigned int i = 0; i < PACKETS; i++) {
		const struct fcn_reaction_ack *ack = &told.ack[i];

		assert_int_equal(ack->packets, 1);
		assert_int_equal(ack->bytes, WIRE);
		assert_in_range(ack->rtt_ns, rtt, rtt + 2);
		assert_int_equal(ack->hops, HOPS);
		assert_int_equal(ack->marked, i % 3 == 2);
		assert_int_equal(ack->in_flight, RTE_MIN(2u, PACKETS - 1 - i) * WIRE);
	}
	assert_int_equal(told.losses, 0);
	assert_int_equal(pair_counters(&p, 0).ack_marked, PACKETS / 3);
	pair_stop(&p);
}

/* As many as there are in flight: the times of all are kept. */
TEST(many_in_flight)
{
	drop = 0;
	for (unsigned int kind = 0; kind < FCN_REACTION_COUNT; kind++) {
		const bool wants = fcn_reaction_type((enum fcn_reaction_kind)kind)->ack != NULL;

		run((enum fcn_reaction_kind)kind, true, FCN_WINDOW_NONE, false);
		assert_int_equal(told.n, wants ? PACKETS : 0);
		for (unsigned int i = 0; i < told.n; i++)
			assert_in_range(told.ack[i].rtt_ns, 2 * PAIR_DELAY, FOREVER);
		pair_stop(&p);
	}
}

/* Marks are told by receivers that have the setting. */
TEST(no_echo)
{
	drop = 0;
	run(FCN_REACTION_NSCC, false, 3 * 1024, false);
	assert_int_equal(told.n, PACKETS);
	for (unsigned int i = 0; i < PACKETS; i++)
		assert_false(told.ack[i].marked);
	assert_int_equal(pair_counters(&p, 1).data_ce, PACKETS / 3);
	assert_int_equal(pair_counters(&p, 0).ack_marked, 0);
	pair_stop(&p);
}

/* What is sent again has no round-trip time: one packet, or with go-back-N those behind it, too. */
TEST(gap)
{
	for (unsigned int selective = 0; selective < 2; selective++) {
		unsigned int untimed = 0;

		drop = 100;
		run(FCN_REACTION_SWIFT, true, 10 * 1024, selective != 0);
		assert_int_equal(told.losses, 1);
		assert_false(told.timeout);
		assert_int_equal(told.lost, WIRE);
		assert_int_equal(packets_told(), PACKETS);
		for (unsigned int i = 0; i < told.n; i++)
			untimed += told.ack[i].rtt_ns == FCN_REACTION_NO_RTT;
		assert_in_range(untimed, 1, 10);
		for (unsigned int i = 0; i < told.n; i++)
			assert_true(told.ack[i].rtt_ns == FCN_REACTION_NO_RTT ||
					told.ack[i].rtt_ns >= 2 * PAIR_DELAY);
		pair_stop(&p);
	}
}

/* The last packet of the message is lost: only the timeout tells. */
TEST(timeout)
{
	drop = PACKETS;
	run(FCN_REACTION_SWIFT, true, 10 * 1024, false);
	assert_int_equal(told.losses, 1);
	assert_true(told.timeout);
	assert_int_equal(told.lost, WIRE);
	assert_int_equal(told.ack[told.n - 1].rtt_ns, FCN_REACTION_NO_RTT);
	assert_int_equal(packets_told(), PACKETS);
	pair_stop(&p);
}
