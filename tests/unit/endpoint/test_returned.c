/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Notices that return the headers of a packet for which a queue had no room, at its sender. */

#include "fcn_fastcnp.h"
#include "fcn_icrc.h"
#include "fcn_inet.h"
#include "fcn_test.h"
#include "pair.h"

#define FOREVER UINT64_C(1000000000000)
#define BTH_OFF (14 + 40 + 8)
#define PSN_OFF (BTH_OFF + 9)
#define AETH_OFF (BTH_OFF + 12)
#define OPCODE_ACK 0x11
#define NAK 0x60
#define NOTICE_LEN (14 + 120)
#define OPTION_OFF (14 + 40 + 26)

static struct fcn_crc32 crc;
static const uint8_t switch_addr[16] = {0x20, 0x01, 0x0d, 0xb8, 0, 0x0f, [15] = 5};

static struct {
	uint8_t packet;     /* for which there is no room, */
	unsigned int times; /* so many times */
	bool forward;       /* the receiver has its headers, too */
	unsigned int naks;
	_Alignas(2) uint8_t notice[NOTICE_LEN];
} plan;

/* The notice about a data packet, field by field. Its ICRC leaves out extension headers. */
static void
make_notice(const struct pair *p, const uint8_t *data, uint8_t *n)
{
	uint8_t *ip = n + 14, *ext = ip + 40, *udp = ext + 40;
	uint32_t icrc;

	memset(n, 0, NOTICE_LEN);
	memcpy(n, &p->conf[0].mac, 6);
	n[6] = 2;
	fcn_put_be16(n + 12, 0x86DD);
	ip[0] = 0x6C; /* DSCP 48 */
	ip[5] = 80;
	ip[6] = 60;
	ip[7] = 64;
	memcpy(ip + 8, switch_addr, 16);
	memcpy(ip + 24, data + 14 + 8, 16);
	ext[0] = 17;
	ext[1] = 4;
	ext[2] = 1; /* PadN of 4 */
	ext[3] = 2;
	ext[6] = 0x9E;
	ext[7] = 16;
	memcpy(ext + 8, data + 14 + 24, 16);
	ext[24] = 1; /* PadN of 2 */
	ext[26] = 0x9D;
	ext[27] = 12;
	ext[28] = 1; /* no room */
	ext[29] = 7;
	fcn_put_be16(ext + 30, (uint16_t)(fcn_get_be16(data + 18) + 40));
	ext[32] = data[BTH_OFF];
	memcpy(ext + 33, data + PSN_OFF, 3);
	memcpy(udp, data + 54, 2);
	fcn_put_be16(udp + 2, 4791);
	udp[5] = 40;
	udp[8] = 0x81; /* CNP */
	udp[9] = 0x40;
	memcpy(udp + 10, data + BTH_OFF + 2, 2);
	memcpy(udp + 13, data + BTH_OFF + 5, 3);
	icrc = fcn_icrc(&crc, ip, 80, 120, FCN_ICRC_SKIP);
	for (unsigned int i = 0; i < 4; i++)
		ip[116 + i] = (uint8_t)(icrc >> 8 * i);
}

static bool
return_some(struct pair *p, unsigned int from, uint8_t *frame, uint32_t len)
{
	RTE_SET_USED(len);
	if (from == 1) {
		plan.naks += frame[BTH_OFF] == OPCODE_ACK && frame[AETH_OFF] == NAK;
		return true;
	}
	if (frame[PSN_OFF + 2] != plan.packet || plan.times == 0)
		return true;
	plan.times--;
	make_notice(p, frame, plan.notice);
	fcn_endpoint_receive(p->ep[0], plan.notice, NOTICE_LEN, p->now);
	p->trim = plan.forward;
	return plan.forward;
}

static void
begin(struct pair *p, bool selective, uint8_t packet, unsigned int times)
{
	memset(&plan, 0, sizeof(plan));
	plan.packet = packet;
	plan.times = times;
	pair_init(p);
	p->tap = return_some;
	for (unsigned int i = 0; i < 2; i++) {
		p->conf[i].timeout_ns = 0;
		p->conf[i].selective_repeat = selective;
		p->conf[i].trim = true;
		p->conf[i].fastcnp = FCN_FASTCNP_ACCEPT;
		p->conf[i].access[0] = (struct fcn_prefix){.addr = {.version = 6}};
		p->conf[i].n_access = 1;
	}
}

static void
transfer(struct pair *p, uint64_t n)
{
	uint32_t qp[2];

	pair_start(p);
	pair_connect(p, qp, 26, 0);
	/* Messages of two packets and a byte: the last packet of each is short. */
	for (uint64_t i = 0; i < n / 3; i++)
		assert_int_equal(fcn_endpoint_post(p->ep[0], qp[0], 2049, i, 0), 0);
	assert_true(pair_run(p, FOREVER));
	assert_int_equal(pair_n_events(p, 0, FCN_ENDPOINT_COMPLETE), n / 3);
	assert_int_equal(pair_counters(p, 1).payload_delivered, n / 3 * 2049);
}

static int
setup(void **state)
{
	RTE_SET_USED(state);
	return fcn_crc32_init(&crc);
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_crc32_fini(&crc);
	return 0;
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

/* Exactly this one is sent again, at once, whatever the receiver says later. */
TEST(selective)
{
	for (unsigned int forward = 0; forward < 2; forward++) {
		static struct pair p;

		begin(&p, true, 4, 1);
		plan.forward = forward != 0;
		transfer(&p, 12);
		assert_int_equal(pair_counters(&p, 0).trim_returned, 1);
		assert_int_equal(pair_counters(&p, 0).fastcnp_accepted, 1);
		assert_int_equal(pair_n_events(&p, 0, FCN_ENDPOINT_FASTCNP), 1);
		assert_int_equal(pair_counters(&p, 0).data_repeated, 1);
		assert_int_equal(pair_counters(&p, 1).data_duplicate, 0);
		assert_int_equal(pair_counters(&p, 0).trim_nak_received, forward);
		pair_stop(&p);
	}
}

/* From this one on; a NAK of the receiver for the same gap is no reason to go back again. */
TEST(go_back_n)
{
	for (unsigned int forward = 0; forward < 2; forward++) {
		static struct pair p;

		begin(&p, false, 4, 1);
		plan.forward = forward != 0;
		transfer(&p, 12);
		assert_int_equal(pair_counters(&p, 0).trim_returned, 1);
		assert_int_equal(pair_counters(&p, 0).data_repeated, 1);
		assert_int_equal(pair_counters(&p, 0).timeouts, 0);
		assert_int_equal(plan.naks, forward);
		pair_stop(&p);
	}
}

/* The last one, again and again. */
TEST(again_and_again)
{
	for (unsigned int kinds = 0; kinds < 4; kinds++) {
		static struct pair p;

		begin(&p, kinds & 1, 11, 4);
		plan.forward = kinds & 2;
		transfer(&p, 12);
		assert_int_equal(pair_counters(&p, 0).trim_returned, 4);
		assert_int_equal(pair_counters(&p, 0).data_repeated, 4);
		pair_stop(&p);
	}
}

/* One that comes late: all behind it is sent again with go-back-N, once. */
TEST(late)
{
	for (unsigned int selective = 0; selective < 2; selective++) {
		static struct pair p;
		_Alignas(2) uint8_t notice[NOTICE_LEN];
		uint32_t qp[2];

		begin(&p, selective != 0, 4, 1);
		pair_start(&p);
		pair_connect(&p, qp, 26, 0);
		assert_int_equal(fcn_endpoint_post(p.ep[0], qp[0], 12 * 1024, 0, 0), 0);
		assert_false(pair_run(&p, 600));
		/* The one that was made came at once; it is not lost again. */
		assert_int_equal(pair_counters(&p, 0).data_repeated, 1);
		memcpy(notice, plan.notice, sizeof(notice));
		notice[OPTION_OFF + 9] = 2; /* packet 2 is in flight; its headers come back */
		fcn_endpoint_receive(p.ep[0], notice, sizeof(notice), p.now);
		assert_int_equal(pair_counters(&p, 0).trim_returned, 2);
		assert_true(pair_run(&p, FOREVER));
		assert_int_equal(pair_n_events(&p, 0, FCN_ENDPOINT_COMPLETE), 1);
		if (selective)
			assert_int_equal(pair_counters(&p, 0).data_repeated, 2);
		/* Of a packet that is acknowledged. */
		fcn_endpoint_receive(p.ep[0], notice, sizeof(notice), p.now);
		assert_true(pair_run(&p, FOREVER));
		assert_int_equal(pair_counters(&p, 0).trim_returned, 3);
		assert_int_equal(pair_counters(&p, 0).data_sent, p.data[0].sent);
		pair_stop(&p);
	}
}

static unsigned int
cuts(enum fcn_trim_reaction reaction)
{
	static struct pair p;
	unsigned int n;

	begin(&p, true, 4, 1);
	p.conf[0].reaction.kind = FCN_REACTION_DCQCN;
	p.conf[0].trim_reaction = reaction;
	transfer(&p, 240);
	n = pair_n_events(&p, 0, FCN_ENDPOINT_RATE) - 1;
	pair_stop(&p);
	return n;
}

TEST(reaction)
{
	assert_int_equal(cuts(FCN_TRIM_REACTION_NONE), 0);
	assert_int_not_equal(cuts(FCN_TRIM_REACTION_CNP), 0);
}

/* A sender that accepts Fast CNPs, but not these, says which option it does not know. */
TEST(refused)
{
	static struct pair p;
	uint8_t frame[FCN_ENDPOINT_MAX_FRAME];
	uint32_t len;

	begin(&p, true, 0, 1);
	transfer(&p, 3);
	pair_stop(&p);
	p.conf[0].trim = false;
	p.ep[0] = fcn_endpoint_create(&p.conf[0]);
	assert_non_null(p.ep[0]);
	fcn_endpoint_receive(p.ep[0], plan.notice, NOTICE_LEN, 0);
	len = fcn_endpoint_send(p.ep[0], frame, sizeof(frame), 0);
	assert_int_equal(len, 14 + 40 + 8 + 120);
	assert_int_equal(frame[54], 4); /* Parameter Problem */
	assert_int_equal(frame[55], 2); /* unrecognised option */
	assert_int_equal(fcn_get_be32(frame + 58), 66);
	fcn_endpoint_free(p.ep[0]);
}

/* A wrong length of the option, and a wrong ICRC. */
TEST(malformed)
{
	static struct pair p;

	begin(&p, true, 0, 1);
	transfer(&p, 3);
	plan.notice[OPTION_OFF + 1] = 10;
	plan.notice[OPTION_OFF + 12] = 1; /* the rest is padding */
	plan.notice[OPTION_OFF + 13] = 0;
	fcn_endpoint_receive(p.ep[0], plan.notice, NOTICE_LEN, p.now);
	assert_int_equal(pair_counters(&p, 0).fastcnp_malformed, 1);
	plan.notice[OPTION_OFF + 1] = 12;
	plan.notice[NOTICE_LEN - 1] ^= 1;
	fcn_endpoint_receive(p.ep[0], plan.notice, NOTICE_LEN, p.now);
	assert_int_equal(pair_counters(&p, 0).fastcnp_malformed, 2);
	assert_int_equal(pair_counters(&p, 0).trim_returned, 1);
	pair_stop(&p);
}
