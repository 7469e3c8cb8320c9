/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * libFuzzer target: a worker that is a proxy receives Congestion Notification Messages, whole or in
 * segments. The first eight octets say which nodes and limits there are, what messages are
 * translated into, and what is corrected in the frame so that it gets further (struct setup); the
 * others are the frame. Each packet and each message must be accounted for, as must each buffer in
 * the end, and no link is paused for longer than is permitted.
 */

#include "fuzz_bench.h"
#include "reference.h"
#include "testbed.h"

#define PORT 1021
#define LOCAL 2 /* next hop of the bench */
#define CONNECTED 31
#define PFC_NS 300000
#define ETHER_LEN 14

/* Bits of setup.on. */
#define RECEIVE 0x01
#define NODES 0x02    /* everybody is a congested node */
#define LIMITS 0x04   /* few messages are permitted */
#define UDP 0x08      /* the headers are those of UDP to the port */
#define CHECKSUM 0x10 /* its lengths and checksum are right */
#define MATCH 0x20    /* the descriptor has the five-tuple of the quoted packet */
#define ATTACHED 0x40 /* senders are directly attached to port 2 */
#define IPV4 0x80     /* the message is IPv4 */

struct setup {
	uint8_t on;
	uint8_t segment; /* octets of a segment; 0: there is one segment */
	uint8_t copies;
	uint8_t change; /* each copy has another octet here... */
	uint8_t where;
	uint8_t translation; /* enum fcn_proxy_translation, or no sender is known */
	uint8_t interval;    /* of level 7, in microseconds */
	uint8_t step;        /* microseconds from one copy to the next */
};

_Static_assert(sizeof(struct setup) == FRAME_OFFSET,
		"the mutator must know where the frame begins");

static struct fcn_prefix_list *
everybody(uint32_t value)
{
	struct fcn_prefix_value v[2] = {{.value = value}, {.value = value}};
	struct fcn_prefix_list *list;

	v[0].prefix.addr.version = 6;
	v[1].prefix.addr.version = 4;
	list = fcn_prefix_list_create("all", v, 2, SOCKET_ID_ANY);
	assert_non_null(list);
	return list;
}

static void
set_up(const struct setup *s)
{
	struct fcn_fastcnp_conf fast = {
			.opt1_type = 0x9e, .opt2_type = 0x9f, .dscp = 48, .hop_limit = 64};
	struct fcn_proxy_conf *conf = &bench.snap.proxy;
	const unsigned int translation = s->translation % (FCN_PROXY_TRANSLATION_COUNT + 1);
	struct fcn_qp_pair pair = {.receiver.version = 6, .receiver_qp = 1, .sender_qp = 2};

	bench.next_hop[CONNECTED] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_CONNECTED, .port = 2, .interface = 2, .mtu = 1500};
	/* The switch has half of all addresses. */
	bench_route("::/0", s->on & ATTACHED ? CONNECTED : 5);
	bench_route("0.0.0.0/0", s->on & ATTACHED ? CONNECTED : 5);
	bench_route("8000::/1", LOCAL);
	bench_route("128.0.0.0/1", LOCAL);
	bench_routes_done();
	*conf = (struct fcn_proxy_conf){.receive = s->on & RECEIVE,
			.port = PORT,
			.class = 6,
			.dscp = 48,
			.hop_limit = 64,
			.interval_ns = 256000,
			.least_interval_ns = 1000u + 1000u * s->interval,
			.pfc_ns = PFC_NS,
			.ce_ns = 5000};
	assert_int_equal(fcn_fastcnp_template_init(&conf->fastcnp, &fast), 0);
	if (s->on & NODES)
		conf->nodes = everybody(1);
	if (translation < FCN_PROXY_TRANSLATION_COUNT)
		conf->senders = everybody(translation);
	conf->qps = fcn_qp_map_create("qps", 0, 1, 0, SOCKET_ID_ANY);
	assert_non_null(conf->qps);
	assert_int_equal(fcn_qp_map_put(conf->qps, &pair, 0, 0), 0);
	if (s->on & LIMITS) {
		conf->limits.each.port[0] = (struct fcn_source_bucket){1000, 2};
		conf->limits.all.port[0] = (struct fcn_source_bucket){700, 3};
	}
	for (unsigned int c = 0; c < FCN_CLASSES; c += 2)
		bench_lossless(2, c, 50000, 40000, 50000);
}

static void
tear_down(uint8_t *frame)
{
	struct fcn_proxy_conf *conf = &bench.snap.proxy;

	fcn_prefix_list_free(conf->nodes);
	fcn_prefix_list_free(conf->senders);
	fcn_qp_map_free(conf->qps);
	fcn_fastcnp_template_fini(&conf->fastcnp);
	fuzz_end(frame);
}

/* Write the descriptor of the packet behind it, as far as there is one. */
static void
match(uint8_t *d, uint32_t len)
{
	const uint32_t head = d[0] >> 4 == 4 ? 16 : 40, ip = d[0] >> 4 == 4 ? 20 : 40;
	uint8_t *quote = d + head;

	if ((d[0] >> 4 != 4 && d[0] >> 4 != 6) || len < head + ip + 4)
		return;
	quote[0] = ip == 20 ? 0x45 : (uint8_t)(0x60 | (quote[0] & 0x0F));
	d[1] = quote[ip == 20 ? 9 : 6];
	memcpy(d + 4, quote + ip, 4);
	memcpy(d + 8, quote + (ip == 20 ? 12 : 8), ip == 20 ? 8 : 32);
}

/* Correct the frame as far as the setup says. */
static void
correct(const struct setup *s, uint8_t *frame, uint32_t len)
{
	const bool v4 = s->on & IPV4;
	const uint32_t udp = ETHER_LEN + (v4 ? 20 : 40);

	memcpy(frame, &bench.snap.port[0].mac, RTE_ETHER_ADDR_LEN);
	if (len < udp + 8 || !(s->on & UDP))
		return;
	memcpy(frame + 12, v4 ? (uint8_t[]){0x08, 0x00} : (uint8_t[]){0x86, 0xDD}, 2);
	frame[ETHER_LEN] = v4 ? 0x45 : (uint8_t)(0x60 | (frame[ETHER_LEN] & 0x0F));
	frame[ETHER_LEN + (v4 ? 9 : 6)] = IPPROTO_UDP;
	frame[ETHER_LEN + (v4 ? 16 : 24)] |= 0x80; /* to the switch */
	frame[udp + 2] = PORT >> 8;
	frame[udp + 3] = PORT & 0xFF;
	if (s->on & MATCH && len > udp + 8)
		match(frame + udp + 8, len - udp - 8);
	if (!(s->on & CHECKSUM))
		return;
	if (v4)
		frame[ETHER_LEN + 6] = frame[ETHER_LEN + 7] = 0;
	ref_udp_finish(frame + ETHER_LEN, len - ETHER_LEN);
}

/* Each message that was accepted counts once more, and no pause is longer than permitted. */
static void
check(uint64_t now)
{
	const struct fcn_proxy_state *s = &bench.worker->proxy;
	const struct fcn_proxy_counters *c = &s->counters;
	uint64_t sum = c->lost + fcn_proxy_n_claims(s);

#define SUM(member, ...) sum += c->member;
	FCN_PROXY_SENT_COUNTERS(SUM)
	FCN_PROXY_SUPPRESSED_COUNTERS(SUM)
#undef SUM
	assert_true(sum == c->accepted);
	for (unsigned int p = 0; p < 4; p++) {
		for (unsigned int k = 0; k < FCN_CLASSES; k++)
			assert_true(s->pause_until[p][k] <= now + PFC_NS);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t now = 1000000;
	struct setup s;
	uint8_t *frame;
	uint32_t len;

	frame = fuzz_begin(data, size, ETHER_LEN + 40, 3000, &s, &len);
	if (frame == NULL)
		return 0;
	set_up(&s);
	bench_new_snapshot();
	for (unsigned int i = 0; i <= s.copies % 8; i++) {
		correct(&s, frame, len);
		fuzz_arrive(0, frame, len, s.segment, false);
		now += 1 + 1000 * s.step;
		bench_poll(now);
		bench_check();
		check(now);
		fuzz_change(frame, len, s.where, s.change);
	}
	tear_down(frame);
	return 0;
}
