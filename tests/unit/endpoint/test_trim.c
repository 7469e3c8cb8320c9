/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Packets that a switch has trimmed: what their receiver asks for, and what the sender repeats. */

#include "fcn_test.h"
#include "pair.h"

#define FOREVER UINT64_C(1000000000000)
#define BTH_OFF (14 + 40 + 8)
#define PSN_OFF (BTH_OFF + 9)
#define AETH_OFF (BTH_OFF + 12)
#define OPCODE_ACK 0x11
#define NAK 0x60
/* A full packet has 1126 octets on the wire of 100 Gb/s, an acknowledgement 106. */
#define DATA_NS 91
#define ACK_NS 9
#define REPAIR_NS (ACK_NS + PAIR_DELAY + DATA_NS + PAIR_DELAY)

static struct {
	uint8_t packet;     /* which is trimmed, */
	unsigned int times; /* so many times */
	unsigned int naks;
	/* of the last NAK */
	uint8_t ack_req, named, expected;
	uint64_t nak_ns; /* when the first one was sent */
} plan;

static bool
trim_some(struct pair *p, unsigned int from, uint8_t *frame, uint32_t len)
{
	RTE_SET_USED(len);
	if (from == 1) {
		if (frame[BTH_OFF] != OPCODE_ACK || frame[AETH_OFF] != NAK)
			return true;
		if (plan.naks++ == 0)
			plan.nak_ns = p->now;
		plan.ack_req = frame[BTH_OFF + 8];
		plan.named = frame[AETH_OFF + 3];
		plan.expected = frame[PSN_OFF + 2];
		return true;
	}
	if (frame[PSN_OFF + 2] == plan.packet && plan.times > 0) {
		plan.times--;
		p->trim = true;
	}
	return true;
}

/* A message of full packets, of which one is trimmed. No timeout helps. */
static void
begin(struct pair *p, bool selective, uint8_t packet, unsigned int times)
{
	memset(&plan, 0, sizeof(plan));
	plan.packet = packet;
	plan.times = times;
	pair_init(p);
	p->tap = trim_some;
	for (unsigned int i = 0; i < 2; i++) {
		p->conf[i].timeout_ns = 0;
		p->conf[i].selective_repeat = selective;
		p->conf[i].trim = true;
	}
}

static void
transfer(struct pair *p, uint64_t n)
{
	uint32_t qp[2];

	pair_start(p);
	pair_connect(p, qp, 26, 0);
	assert_int_equal(fcn_endpoint_post(p->ep[0], qp[0], n * 1024, 0, 0), 0);
	assert_true(pair_run(p, FOREVER));
	assert_int_equal(pair_n_events(p, 0, FCN_ENDPOINT_COMPLETE), 1);
	assert_int_equal(pair_n_events(p, 1, FCN_ENDPOINT_DELIVER), 1);
	assert_int_equal(pair_counters(p, 1).payload_delivered, n * 1024);
}

TEST_FIXTURE(FCN_TEST_EAL);

/* One packet is asked for, one is sent again, and it is there a round trip after its headers. */
TEST(selective)
{
	static struct pair p;
	struct fcn_endpoint_counters s, r;

	begin(&p, true, 3, 1);
	transfer(&p, 8);
	s = pair_counters(&p, 0);
	r = pair_counters(&p, 1);
	assert_int_equal(s.data_repeated, 1);
	assert_int_equal(s.trim_nak_received, 1);
	assert_int_equal(r.trim_received, 1);
	assert_int_equal(r.trim_nak_sent, 1);
	assert_int_equal(r.trim_repaired, 1);
	assert_int_equal(r.trim_ignored, 0);
	assert_int_equal(r.data_kept, 4);
	assert_int_equal(r.data_duplicate, 0);
	assert_int_equal(r.rx_malformed, 0);
	/* Its NAK, and one for each of the packets behind it. */
	assert_int_equal(plan.naks, 5);
	assert_int_equal(pair_event(&p, 1, FCN_ENDPOINT_REPAIR, 0)->value, REPAIR_NS);
	pair_stop(&p);
}

/* The NAK says what is missing: reserved bit 1 of the AckReq octet, and the PSN in the AETH. */
TEST(names_what_is_missing)
{
	static struct pair p;

	begin(&p, true, 3, 1);
	transfer(&p, 4);
	assert_int_equal(plan.naks, 1);
	assert_int_equal(plan.ack_req, 0x02);
	assert_int_equal(plan.named, 3);
	assert_int_equal(plan.expected, 3);
	pair_stop(&p);
}

/* The usual NAK, once, and all from there on again. */
TEST(go_back_n)
{
	static struct pair p;
	struct fcn_endpoint_counters s, r;

	begin(&p, false, 3, 1);
	transfer(&p, 8);
	s = pair_counters(&p, 0);
	r = pair_counters(&p, 1);
	assert_int_equal(plan.naks, 1);
	assert_int_equal(plan.ack_req, 0);
	assert_int_equal(plan.expected, 3);
	assert_int_equal(s.data_repeated, 5);
	assert_int_equal(s.nak_received, 1);
	assert_int_equal(s.trim_nak_received, 0);
	assert_int_equal(r.trim_nak_sent, 0);
	assert_int_equal(r.trim_repaired, 1);
	assert_int_equal(pair_event(&p, 1, FCN_ENDPOINT_REPAIR, 0)->value, REPAIR_NS);
	pair_stop(&p);
}

/* The last packet, and its repetitions: nothing behind it would tell the receiver. */
TEST(again_and_again)
{
	for (unsigned int selective = 0; selective < 2; selective++) {
		static struct pair p;

		begin(&p, selective != 0, 7, 3);
		transfer(&p, 8);
		assert_int_equal(plan.naks, 3);
		assert_int_equal(pair_counters(&p, 0).data_repeated, 3);
		assert_int_equal(pair_counters(&p, 0).timeouts, 0);
		assert_int_equal(pair_counters(&p, 1).trim_received, 3);
		assert_int_equal(pair_counters(&p, 1).trim_repaired, 1);
		assert_int_equal(pair_event(&p, 1, FCN_ENDPOINT_REPAIR, 0)->value, 3 * REPAIR_NS);
		pair_stop(&p);
	}
}

/*
 * The headers overtake the packets before. A NAK of go-back-N acknowledges these, so it waits for
 * them; one of selective repeat is sent at once.
 */
TEST(overtakes)
{
	for (unsigned int selective = 0; selective < 2; selective++) {
		static struct pair p;

		begin(&p, selective != 0, 7, 1);
		p.overtake = 500;
		transfer(&p, 8);
		assert_int_equal(pair_counters(&p, 0).data_repeated, 1);
		assert_int_equal(plan.naks, 1);
		assert_int_equal(plan.nak_ns, selective ? 8 * DATA_NS + PAIR_DELAY - 500
							: 7 * DATA_NS + PAIR_DELAY);
		/* Of the other 7, two had come by then, and the third 45 ns later. */
		assert_int_equal(plan.expected, selective ? 2 : 7);
		pair_stop(&p);
	}
}

/* A receiver that does not understand it: malformed, and the gap tells. */
TEST(off)
{
	static struct pair p;

	begin(&p, true, 3, 1);
	p.conf[1].trim = false;
	transfer(&p, 8);
	assert_int_equal(pair_counters(&p, 1).rx_malformed, 1);
	assert_int_equal(pair_counters(&p, 1).trim_received, 0);
	assert_int_equal(pair_counters(&p, 0).trim_nak_received, 0);
	assert_int_equal(pair_counters(&p, 0).data_repeated, 1);
	pair_stop(&p);
}

/* The first rate after that of the line, with which it begins. */
static uint64_t
rate_after(enum fcn_trim_reaction reaction)
{
	static struct pair p;
	const struct fcn_endpoint_event *ev;
	uint64_t bps;

	begin(&p, true, 3, 1);
	p.conf[0].reaction.kind = FCN_REACTION_DCQCN;
	p.conf[0].trim_reaction = reaction;
	transfer(&p, 400);
	ev = pair_event(&p, 0, FCN_ENDPOINT_RATE, 1);
	bps = ev == NULL ? PAIR_BPS : ev->value;
	pair_stop(&p);
	return bps;
}

/* No signal of congestion, unless it is to be one: half the rate, after a few steps of alpha's
 * timer. */
TEST(reaction)
{
	assert_int_equal(rate_after(FCN_TRIM_REACTION_NONE), PAIR_BPS);
	assert_in_range(rate_after(FCN_TRIM_REACTION_CNP), PAIR_BPS / 2, PAIR_BPS / 100 * 52);
}

/* A frame without all the headers, of another length, or about something else. */
TEST(malformed)
{
	static struct pair p;
	_Alignas(2) uint8_t frame[FCN_ENDPOINT_MAX_FRAME], bad[74];
	uint32_t qp[2];

	begin(&p, true, 0, 0);
	pair_start(&p);
	pair_connect(&p, qp, 26, 0);
	assert_int_equal(fcn_endpoint_post(p.ep[0], qp[0], 1024, 0, 0), 0);
	assert_int_equal(fcn_endpoint_send(p.ep[0], frame, sizeof(frame), 0), 1102);
	assert_int_equal(pair_trim(frame), sizeof(bad));

	fcn_endpoint_receive(p.ep[1], frame, 73, 0); /* the BTH is not whole */
	memcpy(bad, frame, sizeof(bad));
	bad[19]--; /* and so says the IP header */
	fcn_endpoint_receive(p.ep[1], bad, sizeof(bad), 0);
	memcpy(bad, frame, sizeof(bad));
	bad[58] = 0;
	bad[59] = 19; /* shorter than what is there */
	fcn_endpoint_receive(p.ep[1], bad, sizeof(bad), 0);
	memcpy(bad, frame, sizeof(bad));
	bad[BTH_OFF] = OPCODE_ACK;
	fcn_endpoint_receive(p.ep[1], bad, sizeof(bad), 0);
	assert_int_equal(pair_counters(&p, 1).rx_malformed, 4);

	memcpy(bad, frame, sizeof(bad));
	bad[BTH_OFF + 7] ^= 1; /* another queue pair */
	fcn_endpoint_receive(p.ep[1], bad, sizeof(bad), 0);
	memcpy(bad, frame, sizeof(bad));
	bad[14 + 8 + 15] ^= 8; /* another peer */
	fcn_endpoint_receive(p.ep[1], bad, sizeof(bad), 0);
	assert_int_equal(pair_counters(&p, 1).rx_unknown_qp, 2);

	memcpy(bad, frame, sizeof(bad));
	bad[PSN_OFF + 1] = 0x10; /* 4096 packets ahead */
	fcn_endpoint_receive(p.ep[1], bad, sizeof(bad), 0);
	assert_int_equal(pair_counters(&p, 1).trim_received, 1);
	assert_int_equal(pair_counters(&p, 1).trim_ignored, 1);
	fcn_endpoint_receive(p.ep[1], frame, sizeof(bad), 0);
	assert_true(pair_run(&p, FOREVER));
	assert_int_equal(pair_counters(&p, 1).trim_nak_sent, 1);
	assert_int_equal(pair_counters(&p, 1).payload_delivered, 1024);
	pair_stop(&p);
}
