/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The proxy network node through a whole worker: messages of vector 14 become the Fast CNPs of
 * vector 09, the CNPs of vector 04, pauses and CE marks. Checksums are computed here.
 */

#include "fcn_cnm.h"
#include "proxy.h"
#include "srv6_bench.h"

#define PORT 1021
#define LOCAL 2 /* next hops of the bench */
#define NO_NEIGHBOUR 3
#define TO_PORT(n) (4 + (n))
#define CONNECTED 31 /* at port 2 */
#define GROUP 40
#define SELECT 41
#define POLICY 42
#define US UINT64_C(1000)
#define NODE "2001:db8:f::5/128" /* sources of the messages */
#define NODE4 "203.0.113.5/32"

enum {
	FLOW6,
	FLOW4_OVER6,
	FLOW4,
	CUT
}; /* messages of vector 14 */

static struct vectors cnm, fast_cnp, fast_cnp_trace, cnp, data, data_ioam;
static struct fcn_prefix_value sender[8];
static unsigned int n_senders;
static struct fcn_fib *normal; /* routes without steering; NULL: the same */

static struct fcn_prefix
prefix_of(const char *text)
{
	struct fcn_prefix p;

	assert_int_equal(fcn_prefix_parse(text, &p), 0);
	return p;
}

/* Make the lists anew. */
static void
publish(void)
{
	struct fcn_proxy_conf *conf = &bench.snap.proxy;

	fcn_prefix_list_free(conf->senders);
	conf->senders = fcn_prefix_list_create("senders", sender, n_senders, SOCKET_ID_ANY);
	assert_non_null(conf->senders);
	bench_new_snapshot();
	bench_poll(bench.worker->now + 1);
}

/* Set how the senders of a prefix are told. */
static void
translate(const char *prefix, enum fcn_proxy_translation translation)
{
	sender[n_senders++] = (struct fcn_prefix_value){
			.prefix = prefix_of(prefix), .value = translation};
	publish();
}

static void
add_qp(const char *receiver, uint32_t qp, uint32_t sender_qp)
{
	struct fcn_qp_pair pair = {.receiver_qp = qp, .sender_qp = sender_qp};

	assert_int_equal(fcn_addr_parse(receiver, &pair.receiver), 0);
	fcn_qp_map_free(bench.snap.proxy.qps);
	bench.snap.proxy.qps = fcn_qp_map_create("qps", &pair, 1, SOCKET_ID_ANY);
	publish();
}

static int
setup(void **state)
{
	struct fcn_proxy_conf *conf = &bench.snap.proxy;
	const struct fcn_prefix_value nodes[] = {{prefix_of(NODE), 1}, {prefix_of(NODE4), 1}};
	struct fcn_fastcnp_conf fast = {
			.opt1_type = 0x9e, .opt2_type = 0x9f, .dscp = 48, .hop_limit = 64};

	srv6_bench_setup(state);
	vectors_load(&cnm, "14_cnm");
	vectors_load(&fast_cnp, "09_fastcnp_opt1");
	vectors_load(&fast_cnp_trace, "10_fastcnp_opt2");
	vectors_load(&cnp, "04_cnp");
	vectors_load(&data, "01_roce6_write");
	vectors_load(&data_ioam, "05_roce6_write_ioam");
	memcpy(fast.source, fast_cnp.data[0] + ETHER_LEN + 8, 16);
	*conf = (struct fcn_proxy_conf){.receive = true,
			.port = PORT,
			.class = 6,
			.dscp = 48,
			.hop_limit = 64,
			.interval_ns = 50 * US,
			.least_interval_ns = 50 * US,
			.pfc_ns = 800 * US,
			.ce_ns = 1000 * US};
	assert_int_equal(fcn_fastcnp_template_init(&conf->fastcnp, &fast), 0);
	conf->nodes = fcn_prefix_list_create("nodes", nodes, RTE_DIM(nodes), SOCKET_ID_ANY);
	assert_non_null(conf->nodes);
	n_senders = 0;
	bench.next_hop[CONNECTED] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_CONNECTED, .port = 2, .interface = 2, .mtu = 1500};
	bench_route("2001:db8:1::/48", TO_PORT(1));
	bench_route("192.0.2.0/24", TO_PORT(1));
	bench_route("2001:db8:2::/48", TO_PORT(3));
	bench_route("198.51.100.0/24", TO_PORT(3));
	bench_route("2001:db8:3::99/128", LOCAL);
	bench_route("192.0.2.99/32", LOCAL);
	bench_routes_done();
	bench_new_snapshot();
	bench_poll(1000);
	return 0;
}

static int
teardown(void **state)
{
	struct fcn_proxy_conf *conf = &bench.snap.proxy;

	bench_check();
	bench.snap.srv6.select = NULL;
	fcn_fib_free(normal);
	normal = NULL;
	fcn_prefix_list_free(conf->nodes);
	fcn_prefix_list_free(conf->senders);
	fcn_qp_map_free(conf->qps);
	fcn_fastcnp_template_fini(&conf->fastcnp);
	vectors_free(&cnm);
	vectors_free(&fast_cnp);
	vectors_free(&fast_cnp_trace);
	vectors_free(&cnp);
	vectors_free(&data);
	vectors_free(&data_ioam);
	return srv6_bench_teardown(state);
}

/* Octets in front of the UDP header of a message. */
static uint32_t
udp_off(const uint8_t *frame)
{
	return ETHER_LEN + (frame[ETHER_LEN] >> 4 == 4 ? 20 : 40);
}

/* Set the lengths and checksums of a message (RFC 768, RFC 8200 section 8.1). */
static void
finish(uint8_t *frame, uint32_t len)
{
	const bool v4 = frame[ETHER_LEN] >> 4 == 4;
	const uint32_t udp = udp_off(frame), from = v4 ? ETHER_LEN + 12 : ETHER_LEN + 8;
	uint32_t sum = IPPROTO_UDP + len - udp;

	frame[udp + 4] = (uint8_t)((len - udp) >> 8);
	frame[udp + 5] = (uint8_t)(len - udp);
	if (v4) {
		struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)(frame + ETHER_LEN);

		ip->total_length = rte_cpu_to_be_16((uint16_t)(len - ETHER_LEN));
		ip->hdr_checksum = 0;
		ip->hdr_checksum = rte_ipv4_cksum(ip);
	} else {
		memcpy(frame + ETHER_LEN + 4, frame + udp + 4, 2);
	}
	frame[udp + 6] = frame[udp + 7] = 0;
	for (uint32_t i = from; i < len; i++)
		sum += (i - from) % 2 == 0 ? frame[i] * 256u : frame[i];
	while (sum >> 16 != 0)
		sum = (sum & 0xFFFF) + (sum >> 16);
	sum = sum == 0xFFFF ? sum : ~sum & 0xFFFF;
	frame[udp + 6] = (uint8_t)(sum >> 8);
	frame[udp + 7] = (uint8_t)sum;
}

static void
turn(uint64_t now)
{
	bench_poll(now);
}

/* Let a message arrive, after a time, and run a turn. */
static void
report(unsigned int which, uint64_t after)
{
	srv6_arrive(cnm.data[which], cnm.len[which]);
	turn(bench.worker->now + after);
}

/* Set the level of a message. */
static void
set_level(unsigned int which, unsigned int level)
{
	uint8_t *d = cnm.data[which] + udp_off(cnm.data[which]) + 8;

	*d = (uint8_t)((*d & 0xF1) | level << 1);
	finish(cnm.data[which], cnm.len[which]);
}

/* Set the source port of the flow of a message, in the descriptor and in the quote. */
static void
set_flow(unsigned int which, uint16_t port)
{
	uint8_t *frame = cnm.data[which], *d = frame + udp_off(frame) + 8;
	uint8_t *quote = d + (*d >> 4 == 4 ? 16 : 40);
	uint8_t *udp = quote + (*d >> 4 == 4 ? 20 : 40);

	d[4] = udp[0] = (uint8_t)(port >> 8);
	d[5] = udp[1] = (uint8_t)port;
	finish(frame, cnm.len[which]);
}

static const struct fcn_proxy_counters *
counters(void)
{
	return &bench.worker->proxy.counters;
}

/* Each accepted message counts once in the lists of what became of it, or waits. */
static void
assert_accounted(void)
{
	const struct fcn_proxy_counters *c = counters();
	uint64_t sum = c->lost + fcn_proxy_n_claims(&bench.worker->proxy);

#define SUM(member, ...) sum += c->member;
	FCN_PROXY_SENT_COUNTERS(SUM)
	FCN_PROXY_SUPPRESSED_COUNTERS(SUM)
#undef SUM
	assert_int_equal(sum, c->accepted);
	assert_int_equal(c->refused, bench_all_drops());
	bench_check();
}

/* The packet that left by port 1 is this one, from the IP header on. */
static void
assert_sent(const uint8_t *frame, uint32_t len)
{
	const uint8_t *out = bench_only_out(1);

	assert_int_equal(bench_out_len(1, 0), len);
	assert_memory_equal(out + 12, frame + 12, len - 12);
}

static void
assert_nothing_sent(void)
{
	for (unsigned int p = 0; p < 4; p++)
		assert_int_equal(bench.port[p].n_out, 0);
}

/* ---- translations ---- */

static void
test_fast_cnp(void **state)
{
	RTE_SET_USED(state);
	translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	report(FLOW6, 1 * US);
	assert_sent(fast_cnp.data[0], fast_cnp.len[0]);
	assert_int_equal(counters()->fast_cnps, 1);
	assert_int_equal(bench.worker->counters[0].consumed, 1);
	assert_int_equal(bench.worker->counters[0].generated, 1);
	/* A quote of 1192 octets is as good. */
	report(CUT, 60 * US);
	assert_sent(fast_cnp.data[0], fast_cnp.len[0]);
	assert_int_equal(counters()->accepted, 2);
	assert_accounted();
}

/* Put a packet into the message in place of the quote. */
static void
quote(unsigned int which, const uint8_t *frame, uint32_t len, uint8_t *out, uint32_t *out_len)
{
	const uint8_t *m = cnm.data[which];
	const uint32_t head = udp_off(m) + 8 + (m[udp_off(m) + 8] >> 4 == 4 ? 16 : 40);

	memcpy(out, m, head);
	memcpy(out + head, frame + ETHER_LEN, len - ETHER_LEN);
	*out_len = head + len - ETHER_LEN;
	finish(out, *out_len);
}

/* Whole traces are copied; the Fast CNP is that of vector 10, but for the trace and what is
 * computed of it. */
static void
test_trace(void **state)
{
	uint8_t frame[2048];
	const uint8_t *want = fast_cnp_trace.data[0], *out;
	uint32_t len;

	RTE_SET_USED(state);
	translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP_TRACE);
	quote(FLOW6, data_ioam.data[0], data_ioam.len[0], frame, &len);
	srv6_arrive(frame, len);
	turn(bench.worker->now + US);
	out = bench_only_out(1);
	assert_int_equal(bench_out_len(1, 0), fast_cnp_trace.len[0]);
	/* Up to the trace: Ethernet, IPv6, 8 octets of Destination Options and the option. */
	assert_memory_equal(out + 12, want + 12, ETHER_LEN + 40 + 8 - 12);
	/* The trace of L = 21 words; in the data it is behind IPv6, Hop-by-Hop and PadN. */
	assert_memory_equal(out + ETHER_LEN + 48, data_ioam.data[0] + ETHER_LEN + 48, 8 + 4 * 21);
	/* The receiver, padding, UDP but its checksum, BTH, reserved octets. */
	assert_memory_equal(out + ETHER_LEN + 140, want + ETHER_LEN + 140, 16 + 4 + 6);
	assert_memory_equal(out + ETHER_LEN + 168, want + ETHER_LEN + 168, 12 + 16);
	assert_int_equal(counters()->fast_cnps_trace, 1);
	/* Without a trace in the quote: option 1. */
	report(FLOW6, 60 * US);
	assert_sent(fast_cnp.data[0], fast_cnp.len[0]);
	assert_int_equal(counters()->fast_cnps_no_trace, 1);
	assert_int_equal(counters()->fast_cnps, 0);
	assert_accounted();
}

/* A trace does not leave its domain by an edge (RFC 9486 section 4), nor does one of a message that
 * came from outside. The sender is told with option 1, and not by ports that carry nothing. */
static void
test_trace_at_edge(void **state)
{
	uint8_t frame[2048];
	uint32_t len;

	RTE_SET_USED(state);
	translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP_TRACE);
	quote(FLOW6, data_ioam.data[0], data_ioam.len[0], frame, &len);
	bench.snap.ioam.any_edge = true;
	for (unsigned int edge = 0; edge < 2; edge++) { /* ports 0, of the message, and 1 */
		bench.snap.port[edge].ioam.edge = FCN_IOAM_EDGE_STRIP;
		bench.snap.port[!edge].ioam.edge = FCN_IOAM_EDGE_OFF;
		publish();
		srv6_arrive(frame, len);
		turn(bench.worker->now + 60 * US);
		assert_sent(fast_cnp.data[0], fast_cnp.len[0]);
		assert_int_equal(counters()->fast_cnps_no_trace, edge + 1);
	}
	bench.snap.port[1].err_disabled = true;
	publish();
	srv6_arrive(frame, len);
	turn(bench.worker->now + 60 * US);
	assert_nothing_sent();
	assert_int_equal(counters()->unreachable, 1);
	assert_int_equal(counters()->fast_cnps_trace, 0);
	assert_accounted();
}

static void
test_cnp(void **state)
{
	RTE_SET_USED(state);
	translate("2001:db8:1::/48", FCN_PROXY_CNP);
	translate("192.0.2.0/24", FCN_PROXY_CNP);
	set_flow(FLOW6, 0xd00d); /* the source port of vector 04 */
	set_flow(FLOW4, 0xd00d);
	set_flow(FLOW4_OVER6, 0xd00d);
	report(FLOW6, 1 * US);
	assert_nothing_sent();
	assert_int_equal(counters()->no_qp, 1);
	add_qp("2001:db8:2::20", 0x1a7, 0xb2);
	report(FLOW6, 1 * US);
	assert_sent(cnp.data[0], cnp.len[0]);
	add_qp("198.51.100.20", 0x1a7, 0xb2);
	memcpy(cnm.data[FLOW4] + ETHER_LEN + 12, (uint8_t[]){203, 0, 113, 5, 192, 0, 2, 99}, 8);
	finish(cnm.data[FLOW4], cnm.len[FLOW4]);
	report(FLOW4, 60 * US);
	assert_sent(cnp.data[1], cnp.len[1]);
	report(FLOW4_OVER6, 60 * US);
	assert_sent(cnp.data[1], cnp.len[1]);
	assert_int_equal(counters()->cnps, 3);
	assert_accounted();
}

/* What Fast CNPs cannot tell: flows over IPv4, and of other protocols; and acknowledgements. */
static void
test_untranslatable(void **state)
{
	uint8_t *d = cnm.data[FLOW6] + udp_off(cnm.data[FLOW6]) + 8;

	RTE_SET_USED(state);
	translate("::/0", FCN_PROXY_FAST_CNP);
	translate("0.0.0.0/0", FCN_PROXY_FAST_CNP);
	report(FLOW4_OVER6, US);
	assert_int_equal(counters()->untranslatable, 1);
	d[40 + 48] = 0x11; /* RC acknowledgement */
	finish(cnm.data[FLOW6], cnm.len[FLOW6]);
	report(FLOW6, US);
	assert_int_equal(counters()->untranslatable, 2);
	d[1] = d[40 + 6] = IPPROTO_TCP;
	finish(cnm.data[FLOW6], cnm.len[FLOW6]);
	report(FLOW6, US);
	assert_int_equal(counters()->untranslatable, 3);
	assert_nothing_sent();
	assert_accounted();
}

static void
test_unknown_and_none(void **state)
{
	RTE_SET_USED(state);
	report(FLOW6, US);
	assert_int_equal(counters()->unknown, 1);
	translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	translate("2001:db8:1::10/128", FCN_PROXY_NONE);
	report(FLOW6, US);
	assert_int_equal(counters()->none, 1);
	report(FLOW4_OVER6, US);
	assert_int_equal(counters()->unknown, 2);
	assert_nothing_sent();
	assert_accounted();
}

static void
test_unreachable(void **state)
{
	RTE_SET_USED(state);
	translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	bench_route("2001:db8:1::10/128", NO_NEIGHBOUR);
	bench_routes_done();
	bench_new_snapshot();
	report(FLOW6, US);
	bench_route("2001:db8:1::10/128", 1); /* blackhole */
	bench_routes_done();
	bench_new_snapshot();
	report(FLOW6, US);
	bench_route("2001:db8:1::10/128", TO_PORT(1));
	bench_routes_done();
	bench.snap.port[1].down = true;
	bench_new_snapshot();
	report(FLOW6, US);
	bench.snap.port[1].down = false;
	bench.snap.border.ports = 1u << 1; /* no CNP in the name of others leaves the domain */
	bench_new_snapshot();
	report(FLOW6, US);
	assert_int_equal(counters()->unreachable, 4);
	bench.snap.border.ports = 0;
	bench_new_snapshot();
	report(FLOW6, US);
	assert_sent(fast_cnp.data[0], fast_cnp.len[0]);
	assert_accounted();
}

/* A route of the sender's own, and nothing else new. */
static void
host_route(uint32_t next_hop)
{
	bench_route("2001:db8:1::10/128", next_hop);
	bench_routes_done();
	bench_new_snapshot();
}

/* A message is not translated: the sender cannot be reached. Nothing is made and then dropped. */
static void
assert_unreachable(void)
{
	const uint64_t before = counters()->unreachable;

	report(FLOW6, 60 * US);
	assert_int_equal(counters()->unreachable, before + 1);
	assert_nothing_sent();
	assert_int_equal(bench.worker->counters[0].generated, counters()->fast_cnps);
	assert_int_equal(bench_all_drops(), 0);
	assert_accounted();
}

/* A policy leads to the sender if something leads to its first segment. */
static void
test_policy(void **state)
{
	static const uint8_t segment[1][16] = {{0x20, 1, 0xd, 0xb8, 5}};
	const struct fcn_srv6_encaps_conf conf = {.mode = FCN_SRV6_NO_SRH,
			.segments = segment,
			.n_segments = 1,
			.source = {0x20, 1, 0xd, 0xb8, 0xff}};
	struct fcn_encaps encaps = {.via = NO_NEIGHBOUR, .tclass_copied = 0xFF, .hop_limit = 33};

	RTE_SET_USED(state);
	translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	assert_int_equal(fcn_srv6_encaps_init(&encaps.other, &conf), 0);
	encaps.roce = encaps.other;
	bench.snap.srv6.encaps = &encaps;
	bench.snap.srv6.n_encaps = 1;
	bench.next_hop[POLICY] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_ENCAPS, .port = 1, .interface = 1, .mtu = 1400};
	host_route(POLICY);
	assert_unreachable();
	encaps.via = 0; /* no route */
	bench_new_snapshot();
	assert_unreachable();
	encaps.via = TO_PORT(1);
	bench.snap.border.ports = 1u << 1;
	bench_new_snapshot();
	assert_unreachable();
	bench.snap.border.ports = 0;
	bench_new_snapshot();
	report(FLOW6, 60 * US);
	assert_int_equal(bench_out_len(1, 0), fast_cnp.len[0] + 40);
	assert_int_equal(counters()->fast_cnps, 1);
	bench.snap.srv6.encaps = NULL;
	bench.snap.srv6.n_encaps = 0;
}

/* Report 40 flows to a sender behind ports 1 and 3, with both open, and with port 3 closed. */
static void
report_group(unsigned int which)
{
	const uint64_t before = counters()->unreachable;
	uint64_t sent[2] = {0, 0};

	for (unsigned int closed = 0; closed < 2; closed++) {
		bench.snap.border.ports = closed << 3;
		bench_new_snapshot();
		for (unsigned int i = 0; i < 40; i++) {
			set_flow(which, (uint16_t)(1000 + i));
			report(which, 60 * US);
			assert_true(!closed || bench.port[3].n_out == 0);
			sent[closed] += bench.port[closed ? 1 : 3].n_out;
			assert_int_equal(bench_all_drops(), 0);
			assert_accounted();
		}
	}
	/* What left by port 3 with both paths open is what cannot be reached without it. */
	assert_in_range(sent[0], 5, 35);
	assert_int_equal(counters()->unreachable, before + sent[0]);
	assert_int_equal(sent[1], 40 - sent[0]);
	bench.snap.border.ports = 1u << 1 | 1u << 3;
	bench_new_snapshot();
	for (unsigned int i = 0; i < 40; i++) {
		set_flow(which, (uint16_t)(1000 + i));
		report(which, 60 * US);
		assert_nothing_sent();
	}
	bench.snap.border.ports = 0;
}

/* Of several paths, the one that the packet takes says whether the sender can be reached. */
static void
test_group(void **state)
{
	uint32_t member[2] = {TO_PORT(1), TO_PORT(3)};

	RTE_SET_USED(state);
	translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	translate("192.0.2.0/24", FCN_PROXY_CNP);
	bench.snap.member = member;
	bench.next_hop[GROUP] = (struct fcn_next_hop){.type = FCN_NEXT_HOP_GROUP, .n_members = 2};
	bench_route("192.0.2.10/32", GROUP);
	host_route(GROUP);
	report_group(FLOW6);
	add_qp("198.51.100.20", 0x1a7, 0xb2);
	report_group(FLOW4_OVER6);
	translate("2001:db8:1::10/128", FCN_PROXY_CNP);
	add_qp("2001:db8:2::20", 0x1a7, 0xb2);
	report_group(FLOW6);
}

/* Let a prefix of senders be steered to port 3, if the rule is met, and lead to a next hop else. */
static void
steer(struct fcn_steering *rule, const char *prefix, uint32_t next_hop)
{
	bench.snap.table[0].normal = NULL;
	fcn_fib_free(normal);
	bench_route(prefix, next_hop);
	bench_routes_done();
	normal = bench.snap.table[0].fib;
	bench.snap.table[0].fib = NULL;
	bench_route(prefix, SELECT);
	bench_routes_done();
	bench.snap.table[0].normal = normal;
	*rule = (struct fcn_steering){.next_hop = TO_PORT(3),
			.port = FCN_SRV6_ANY,
			.dscp = 48,
			.roce = FCN_STEERING_ROCE_ON,
			.is_live = true};
	bench.snap.srv6.select = rule;
	bench.next_hop[SELECT] = (struct fcn_next_hop){.type = FCN_NEXT_HOP_SELECT, .n_members = 1};
	bench_new_snapshot();
}

/* Steering rules are asked about the Fast CNP itself, and without them the normal route counts. */
static void
test_steered(void **state)
{
	struct fcn_steering rule;

	RTE_SET_USED(state);
	translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	steer(&rule, "2001:db8:1::/64", NO_NEIGHBOUR);
	report(FLOW6, 60 * US);
	assert_int_equal(bench.port[3].n_out, 1);
	bench.snap.port[3].down = true;
	bench_new_snapshot();
	assert_unreachable();
	bench.snap.port[3].down = false;
	rule.is_live = false;
	bench_new_snapshot();
	assert_unreachable();
	rule.is_live = true;
	rule.dscp = 47;
	bench_new_snapshot();
	assert_unreachable();
	steer(&rule, "2001:db8:1::/64", TO_PORT(1));
	rule.roce = FCN_STEERING_ROCE_OFF;
	bench_new_snapshot();
	report(FLOW6, 60 * US);
	assert_sent(fast_cnp.data[0], fast_cnp.len[0]);
	assert_accounted();
}

/* ---- pauses ---- */

/* Class 3 of port 2, to which the sender is attached, is lossless. */
static void
attach(void)
{
	translate("2001:db8:1::/48", FCN_PROXY_PFC);
	bench_lossless(2, 3, 50000, 40000, 50000);
	bench_route("2001:db8:1::/64", CONNECTED);
	bench_routes_done();
	bench_new_snapshot();
	turn(bench.worker->now + 1);
}

/* The PFC frames that left by port 2: the time of class 3 in the last one; -1: none has left. */
static int
pause_time(void)
{
	const unsigned int n = bench.port[2].n_out;
	const uint8_t *f;

	if (n == 0)
		return -1;
	f = bench_out(2, n - 1);
	assert_memory_equal(f, "\x01\x80\xc2\x00\x00\x01", 6);
	assert_int_equal(f[17], 1 << 3);
	return f[18 + 2 * 3] << 8 | f[19 + 2 * 3];
}

/* No link is paused that is down, or at the border of the domain: the sender is not told. */
static void
test_pfc_closed_port(void **state)
{
	RTE_SET_USED(state);
	attach();
	bench.snap.port[2].down = true;
	publish();
	report(FLOW6, 1 * US);
	bench.snap.port[2].down = false;
	bench.snap.border.ports = 1u << 2;
	publish();
	report(FLOW6, 1 * US);
	assert_nothing_sent();
	assert_int_equal(counters()->pauses, 0);
	assert_int_equal(counters()->unreachable, 2);
	bench.snap.border.ports = 0;
	publish();
	report(FLOW6, 1 * US);
	assert_int_equal(counters()->pauses, 1);
	assert_accounted();
}

/* At level L the link is paused for (L + 1) / 8 of 800 us, and then told to go on. */
static void
test_pfc(void **state)
{
	RTE_SET_USED(state);
	attach();
	for (unsigned int level = 0; level <= 7; level++) {
		const uint64_t from = bench.worker->now + 1 * US,
			       to = from + 100 * US * (level + 1);

		set_level(FLOW6, level);
		report(FLOW6, 1 * US);
		assert_int_equal(pause_time(), 65535);
		assert_int_equal(fcn_worker_next_event(bench.worker, from) <= to, 1);
		turn(to - 1);
		assert_int_not_equal(pause_time(), 0);
		turn(to);
		assert_int_equal(pause_time(), 0);
		turn(to + 1);
		assert_int_equal(pause_time(), -1);
	}
	assert_int_equal(counters()->pauses, 8);
	assert_accounted();
}

/* A higher level within the interval makes the pause longer, from its beginning on; a lower one
 * and a second flow do not make it shorter. */
static void
test_pfc_raised(void **state)
{
	const uint64_t from = 10 * US;

	RTE_SET_USED(state);
	attach();
	set_level(FLOW6, 0);
	srv6_arrive(cnm.data[FLOW6], cnm.len[FLOW6]);
	turn(from);
	assert_int_equal(pause_time(), 65535);
	set_level(FLOW6, 3);
	report(FLOW6, 10 * US);
	set_flow(FLOW6, 77);
	set_level(FLOW6, 0);
	report(FLOW6, 10 * US);
	set_flow(FLOW6, 0xc0de);
	report(FLOW6, 10 * US);
	turn(from + 400 * US - 1);
	assert_int_not_equal(pause_time(), 0);
	turn(from + 400 * US);
	assert_int_equal(pause_time(), 0);
	assert_int_equal(counters()->pauses, 2);
	assert_int_equal(counters()->raised, 1);
	assert_int_equal(counters()->paced, 1);
	assert_accounted();
}

/* Only where that class of the port sends PFC, and the sender is attached. */
static void
test_pfc_not_possible(void **state)
{
	RTE_SET_USED(state);
	attach();
	bench.snap.port[2].pause.tx_classes = 0;
	bench_new_snapshot();
	report(FLOW6, US);
	assert_int_equal(counters()->not_lossless, 1);
	bench.snap.port[2].pause.tx_classes = 1 << 3;
	bench.snap.port[2].trust = FCN_TRUST_PCP;
	bench_new_snapshot();
	report(FLOW6, US);
	assert_int_equal(counters()->not_lossless, 2);
	bench.snap.port[2].trust = FCN_TRUST_DSCP;
	bench_route("2001:db8:1::/64", TO_PORT(2));
	bench_routes_done();
	bench_new_snapshot();
	report(FLOW6, US);
	assert_int_equal(counters()->not_attached, 1);
	assert_nothing_sent();
	assert_accounted();
}

/* A sender with a route of its own is attached if the route leads to the neighbour that it is. */
static void
test_pfc_host_route(void **state)
{
	struct fcn_neighbour_entry entry[2] = {
			{.addr = {192, 0, 2, 10}, .port = 2, .version = 4, .next_hop = TO_PORT(2)},
			{.addr = {0x20, 1, 0x0d, 0xb8, 0, 1, [15] = 0x10},
					.port = 2,
					.version = 6,
					.next_hop = TO_PORT(2)},
	};

	RTE_SET_USED(state);
	attach();
	translate("192.0.2.0/24", FCN_PROXY_PFC);
	bench.next_hop[TO_PORT(2)].interface = 2;
	bench_route("192.0.2.10/32", TO_PORT(2));
	host_route(TO_PORT(2));
	report(FLOW6, US);
	report(FLOW4_OVER6, US);
	assert_int_equal(counters()->not_attached, 2); /* behind a gateway */
	bench.snap.neighbours = (struct fcn_neighbour_table){.entry = entry, .n = 2};
	bench_new_snapshot();
	report(FLOW6, US);
	assert_int_equal(counters()->pauses, 1);
	report(FLOW4_OVER6, US);
	assert_int_equal(counters()->pauses, 2);
	assert_int_equal(counters()->not_attached, 2);
	/* It is a neighbour at another port than the one that its route leads to. */
	entry[1].port = 3;
	bench_new_snapshot();
	report(FLOW6, 100 * US);
	assert_int_equal(counters()->not_attached, 3);
	/* The MAC address of what the route leads to is not known yet. */
	host_route(NO_NEIGHBOUR);
	report(FLOW6, 100 * US);
	assert_int_equal(counters()->unreachable, 1);
	bench.snap.neighbours.n = 0;
	bench_new_snapshot();
	assert_accounted();
}

/* Steering rules are about packets, and not about where the sender is. */
static void
test_pfc_steered(void **state)
{
	struct fcn_steering rule;

	RTE_SET_USED(state);
	attach();
	steer(&rule, "2001:db8:1::/64", CONNECTED);
	report(FLOW6, US);
	assert_int_equal(counters()->pauses, 1);
	assert_int_equal(pause_time(), 65535);
	steer(&rule, "2001:db8:1::/64", TO_PORT(2));
	report(FLOW6, 100 * US);
	assert_int_equal(counters()->not_attached, 1);
	assert_accounted();
}

/* A pause ends when the proxy is turned off. */
static void
test_pfc_off(void **state)
{
	RTE_SET_USED(state);
	attach();
	report(FLOW6, US);
	assert_int_equal(pause_time(), 65535);
	bench.snap.proxy.receive = false;
	bench_new_snapshot();
	turn(bench.worker->now + US);
	assert_int_equal(pause_time(), 0);
	assert_int_equal(fcn_worker_next_event(bench.worker, bench.worker->now), FCN_TIME_NEVER);
	bench.snap.proxy.receive = true;
	bench_new_snapshot();
	bench.worker->proxy.counters.refused = 0;
}

/* ---- CE marks ---- */

/* Let n packets of the flow arrive. @return how many left with CE */
static unsigned int
send_data(unsigned int n, unsigned int ecn)
{
	unsigned int marked = 0;

	bench_forget_out();
	data.data[0][ETHER_LEN + 1] = (uint8_t)((data.data[0][ETHER_LEN + 1] & 0xCF) | ecn << 4);
	for (unsigned int i = 0; i < n; i++)
		srv6_arrive(data.data[0], data.len[0]);
	turn(bench.worker->now + 1);
	assert_int_equal(bench.port[3].n_out, n);
	for (unsigned int i = 0; i < n; i++)
		marked += (bench_out(3, i)[ETHER_LEN + 1] & 0x30) == 0x30;
	return marked;
}

/* At level L, L + 1 of 8 packets are marked, until the time is over. */
static void
test_ce(void **state)
{
	RTE_SET_USED(state);
	translate("2001:db8:1::/48", FCN_PROXY_CE);
	assert_int_equal(send_data(16, 2), 0);
	for (unsigned int level = 0; level <= 7; level++) {
		const uint64_t end = bench.worker->now + 1001 * US;

		set_level(FLOW6, level);
		report(FLOW6, 1 * US);
		assert_int_equal(bench.worker->proxy.n_marks, 1);
		assert_int_equal(send_data(16, 2), 2 * (level + 1));
		assert_int_equal(send_data(16, 1), 2 * (level + 1));
		turn(end - 2);
		assert_int_equal(send_data(8, 2), level + 1);
		turn(end);
		assert_int_equal(send_data(16, 2), 0);
		assert_int_equal(bench.worker->proxy.n_marks, 0);
	}
	assert_int_equal(counters()->marks, 8);
	assert_int_equal(counters()->marked, 5 * 36);
	assert_int_equal(counters()->not_ect, 0);
	assert_accounted();
}

/* The highest level wins as long as it runs; a lower one that was reported later runs on. */
static void
test_ce_highest(void **state)
{
	const uint64_t from = bench.worker->now + 1 * US;

	RTE_SET_USED(state);
	translate("2001:db8:1::/48", FCN_PROXY_CE);
	set_level(FLOW6, 7);
	srv6_arrive(cnm.data[FLOW6], cnm.len[FLOW6]);
	turn(from);
	set_level(FLOW6, 2);
	srv6_arrive(cnm.data[FLOW6], cnm.len[FLOW6]);
	turn(from + 400 * US);
	set_level(FLOW6, 0);
	srv6_arrive(cnm.data[FLOW6], cnm.len[FLOW6]);
	turn(from + 800 * US);
	assert_int_equal(counters()->marks, 3);
	assert_int_equal(send_data(16, 2), 16);
	turn(from + 1000 * US - 2);
	assert_int_equal(send_data(16, 2), 16);
	turn(from + 1000 * US);
	assert_int_equal(send_data(16, 2), 6);
	turn(from + 1400 * US);
	assert_int_equal(send_data(16, 2), 2);
	turn(from + 1800 * US);
	assert_int_equal(send_data(16, 2), 0);
	assert_int_equal(bench.worker->proxy.n_marks, 0);
	/* A level that is over does not come back with another one. */
	set_level(FLOW6, 3);
	report(FLOW6, 1 * US);
	assert_int_equal(send_data(16, 2), 8);
	assert_accounted();
}

/* When messages are translated into something else, the marks end. */
static void
test_ce_reconfigured(void **state)
{
	RTE_SET_USED(state);
	translate("2001:db8:1::/48", FCN_PROXY_CE);
	set_level(FLOW6, 7);
	report(FLOW6, 1 * US);
	publish(); /* of no concern */
	assert_int_equal(send_data(16, 2), 16);
	translate("2001:db8:1::10/128", FCN_PROXY_NONE);
	assert_int_equal(send_data(16, 2), 0);
	assert_int_equal(bench.worker->proxy.n_marks, 0);
	n_senders--;
	publish();
	report(FLOW6, 60 * US);
	assert_int_equal(send_data(16, 2), 16);
	/* Without packets of the flow, too. */
	n_senders = 0;
	publish();
	for (unsigned int i = 0; i < FCN_PROXY_MARK_SETS; i++) {
		srv6_arrive(cnp.data[0], cnp.len[0]);
		turn(bench.worker->now + 1);
	}
	assert_int_equal(bench.worker->proxy.n_marks, 0);
	bench_forget_out();
	assert_accounted();
}

/* Not-ECT packets are counted; CE stays; other flows are left alone. */
static void
test_ce_not_ect(void **state)
{
	RTE_SET_USED(state);
	translate("2001:db8:1::/48", FCN_PROXY_CE);
	set_level(FLOW6, 7);
	report(FLOW6, US);
	assert_int_equal(send_data(5, 0), 0);
	assert_int_equal(counters()->not_ect, 5);
	assert_int_equal(send_data(5, 3), 5);
	assert_int_equal(counters()->marked, 0);
	data.data[0][ETHER_LEN + 41] ^= 1; /* UDP source port */
	assert_int_equal(send_data(5, 2), 0);
	data.data[0][ETHER_LEN + 41] ^= 1;
	assert_int_equal(send_data(5, 2), 5);
	assert_accounted();
}

/* More flows than the table holds: the one whose time is over first makes room. */
static void
test_ce_full(void **state)
{
	unsigned int n = 2 * FCN_PROXY_MARKS;

	RTE_SET_USED(state);
	bench.snap.proxy.ce_ns = 1000000 * US;
	translate("2001:db8:1::/48", FCN_PROXY_CE);
	for (unsigned int i = 0; i < n; i++) {
		set_flow(FLOW6, (uint16_t)i);
		report(FLOW6, 1);
	}
	assert_true(bench.worker->proxy.n_marks <= FCN_PROXY_MARKS);
	assert_int_equal(bench.worker->proxy.n_marks + counters()->mark_forgotten, n);
	bench.snap.proxy.receive = false;
	bench_new_snapshot();
	turn(bench.worker->now + US);
	assert_int_equal(bench.worker->proxy.n_marks, 0);
	bench.snap.proxy.receive = true;
	bench_new_snapshot();
	assert_accounted();
}

/* ---- pacing ---- */

/* One notification for a flow in the interval, from whatever node; other flows have their own. */
static void
test_interval(void **state)
{
	unsigned int sent = 0;

	RTE_SET_USED(state);
	translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	for (unsigned int i = 0; i < 1000; i++) {
		set_level(FLOW6, i % 8);
		report(FLOW6, 1 * US);
		sent += bench.port[1].n_out;
	}
	assert_int_equal(sent, 20);
	assert_int_equal(counters()->fast_cnps, 20);
	assert_int_equal(counters()->paced + counters()->raised, 980);
	set_flow(FLOW6, 99);
	report(FLOW6, 1);
	assert_int_equal(bench.port[1].n_out, 1);
	assert_accounted();
}

/* Levels raise the number in a time only if the configuration says so, and then evenly. */
static void
test_level_sweep(void **state)
{
	unsigned int before = 0;

	RTE_SET_USED(state);
	bench.snap.proxy.least_interval_ns = 15 * US;
	translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	for (unsigned int level = 0; level <= 7; level++) {
		unsigned int sent = 0;

		set_level(FLOW6, level);
		for (unsigned int i = 0; i < 2100; i++) {
			report(FLOW6, 1 * US);
			sent += bench.port[1].n_out;
		}
		assert_true(sent > before);
		assert_in_range(sent, 2100 / (50 - 5 * level) - 1, 2100 / (50 - 5 * level) + 1);
		before = sent;
		turn(bench.worker->now + 100 * US);
	}
	assert_accounted();
}

/* ---- refusals ---- */

static void
assert_refused(const uint8_t *frame, uint32_t len, enum fcn_drop_reason why)
{
	const uint64_t before = bench_drops(why), refused = counters()->refused;

	srv6_arrive(frame, len);
	turn(bench.worker->now + 100 * US);
	assert_int_equal(bench_drops(why), before + 1);
	assert_int_equal(counters()->refused, refused + 1);
	assert_nothing_sent();
}

static void
test_refused(void **state)
{
	uint8_t *f = cnm.data[FLOW6], copy[2048];
	const uint32_t len = cnm.len[FLOW6], udp = udp_off(f), d = udp + 8;

	RTE_SET_USED(state);
	translate("::/0", FCN_PROXY_FAST_CNP);
#define CHANGED(at, to, why)                    \
	do {                                    \
		memcpy(copy, f, len);           \
		copy[at] = to;                  \
		finish(copy, len);              \
		assert_refused(copy, len, why); \
	} while (0)
	CHANGED(ETHER_LEN + 23, 0x77, FCN_DROP_CNM_ACCESS); /* source */
	CHANGED(d, 0x5a, FCN_DROP_CNM_VERSION);
	CHANGED(d + 1, IPPROTO_TCP, FCN_DROP_CNM_MISMATCH);
	CHANGED(d + 5, 0, FCN_DROP_CNM_MISMATCH);
	CHANGED(d + 39, 0x21, FCN_DROP_CNM_MISMATCH);
	CHANGED(d + 40, 0x45, FCN_DROP_CNM_QUOTE); /* IP version of the quote */
	memcpy(copy, f, len);
	copy[udp + 6] ^= 1;
	assert_refused(copy, len, FCN_DROP_CNM_UDP_CHECKSUM);
	copy[udp + 6] = copy[udp + 7] = 0;
	assert_refused(copy, len, FCN_DROP_CNM_UDP_CHECKSUM);
	memcpy(copy, f, len);
	copy[udp + 5] -= 1;
	assert_refused(copy, len, FCN_DROP_CNM_UDP_LENGTH);
	for (uint32_t n = d; n < d + 40 + 40 + 8 + 12; n++) { /* cut short */
		memcpy(copy, f, n);
		finish(copy, n);
		assert_refused(copy, n, n < d + 40 ? FCN_DROP_CNM_TRUNCATED : FCN_DROP_CNM_QUOTE);
	}
	/* addresses that no host has: in the descriptor and in the quote */
	memcpy(copy, f, len);
	copy[d + 8] = copy[d + 40 + 8] = 0xff;
	finish(copy, len);
	assert_refused(copy, len, FCN_DROP_CNM_ADDRESS);
	assert_int_equal(counters()->accepted, 0);
	assert_accounted();
}

/* Messages about what proxies send would go round in circles. */
static void
test_loops(void **state)
{
	const uint32_t d = udp_off(cnm.data[FLOW6]) + 8;
	uint8_t copy[2048];
	uint32_t len;

	RTE_SET_USED(state);
	translate("::/0", FCN_PROXY_FAST_CNP);
	/* from the proxy's own address */
	memcpy(copy, cnm.data[FLOW6], cnm.len[FLOW6]);
	memcpy(copy + d + 8, cnm.data[FLOW6] + ETHER_LEN + 24, 16);
	memcpy(copy + d + 40 + 8, cnm.data[FLOW6] + ETHER_LEN + 24, 16);
	finish(copy, cnm.len[FLOW6]);
	assert_refused(copy, cnm.len[FLOW6], FCN_DROP_CNM_LOOP);
	/* a CNP */
	quote(FLOW6, cnp.data[0], cnp.len[0], copy, &len);
	memcpy(copy + d + 4, cnp.data[0] + ETHER_LEN + 40, 4);
	memcpy(copy + d + 8, cnp.data[0] + ETHER_LEN + 8, 32);
	finish(copy, len);
	assert_refused(copy, len, FCN_DROP_CNM_LOOP);
	/* another message */
	memcpy(copy, cnm.data[FLOW6], cnm.len[FLOW6]);
	copy[d + 6] = copy[d + 40 + 42] = PORT >> 8;
	copy[d + 7] = copy[d + 40 + 43] = (uint8_t)PORT;
	finish(copy, cnm.len[FLOW6]);
	assert_refused(copy, cnm.len[FLOW6], FCN_DROP_CNM_LOOP);
	assert_accounted();
}

/* The rates are asked before a message is read: one with a defect takes a token, too. */
static void
test_rates(void **state)
{
	RTE_SET_USED(state);
	bench.snap.proxy.each_source = (struct fcn_source_bucket){.cost_ns = 10 * US, .burst = 3};
	bench.snap.proxy.all_sources = (struct fcn_source_bucket){.cost_ns = 1000 * US, .burst = 5};
	translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	cnm.data[FLOW6][udp_off(cnm.data[FLOW6]) + 6] ^= 1;
	for (unsigned int i = 0; i < 4; i++)
		report(FLOW6, 1);
	assert_int_equal(bench_drops(FCN_DROP_CNM_UDP_CHECKSUM), 3);
	assert_int_equal(bench_drops(FCN_DROP_CNM_RATE), 1);
	turn(bench.worker->now + 30 * US);
	for (unsigned int i = 0; i < 3; i++)
		report(FLOW6, 1);
	assert_int_equal(bench_drops(FCN_DROP_CNM_UDP_CHECKSUM), 5);
	assert_int_equal(bench_drops(FCN_DROP_CNM_TOTAL), 1);
	/* A source that is not listed takes none. */
	assert_int_equal(counters()->refused, 7);
	assert_accounted();
}

/* What is no message to the proxy goes to the host functions. */
static void
test_not_a_message(void **state)
{
	uint8_t *f = cnm.data[FLOW6];
	struct fcn_punt punt;

	RTE_SET_USED(state);
	translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	f[udp_off(f) + 3] ^= 1; /* another port */
	report(FLOW6, US);
	assert_true(srv6_take(&punt));
	f[udp_off(f) + 3] ^= 1;
	bench.snap.proxy.receive = false;
	bench_new_snapshot();
	report(FLOW6, US);
	assert_true(srv6_take(&punt));
	bench.snap.proxy.receive = true;
	bench_new_snapshot();
	report(FLOW6, US);
	assert_false(srv6_take(&punt));
	assert_int_equal(counters()->accepted, 1);
}

/* More messages at once than a worker processes in a turn wait; those beyond what may wait are lost
 * and counted. */
static void
test_storm(void **state)
{
	const unsigned int n = FCN_PROXY_CLAIMS + 44;
	struct fcn_proxy_claim claim;
	unsigned int sent = 0, turns = 0;

	RTE_SET_USED(state);
	translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	memset(&claim, 0, sizeof(claim));
	fcn_flow_descriptor_read(cnm.data[FLOW6] + udp_off(cnm.data[FLOW6]) + 8, &claim.flow);
	claim.translation = FCN_PROXY_FAST_CNP;
	claim.is_data = true;
	for (unsigned int i = 0; i < n; i++) {
		claim.flow.src_port = (uint16_t)i;
		bench.worker->proxy.counters.accepted++;
		fcn_proxy_hand_over(bench.worker, &claim);
	}
	assert_int_equal(counters()->lost, 44);
	assert_accounted();
	while (fcn_worker_next_event(bench.worker, bench.worker->now) == bench.worker->now) {
		turn(bench.worker->now + 1);
		sent += bench.port[1].n_out;
		turns++;
		assert_true(turns <= 2 * FCN_PROXY_CLAIMS / FCN_NOTICE_MAX + 2);
		assert_accounted();
	}
	assert_true(turns >= FCN_PROXY_CLAIMS / FCN_NOTICE_MAX);
	assert_int_equal(sent, FCN_PROXY_CLAIMS);
	assert_int_equal(counters()->fast_cnps, FCN_PROXY_CLAIMS);
	assert_int_equal(bench.worker->proxy.flows.forgotten, 0);
}

static void
test_clear_and_event(void **state)
{
	struct fcn_event ev[8];

	RTE_SET_USED(state);
	translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	for (unsigned int i = 0; i < 30; i++)
		report(FLOW6, 50 * US); /* 1.5 ms */
	assert_int_equal(bench_events_of(FCN_EVENT_PROXY_NOTIFIED, ev, 8), 2);
	assert_int_equal(ev[0].level, 5);
	assert_int_equal(ev[0].verdict, FCN_PROXY_FAST_CNP);
	assert_int_equal(ev[0].port, 0);
	assert_int_equal(ev[0].dest_qp, 0x1a7);
	assert_memory_equal(ev[0].sender, fast_cnp.data[0] + ETHER_LEN + 24, 16);
	fcn_worker_clear_counters(bench.worker);
	assert_int_equal(counters()->accepted, 0);
	report(FLOW6, US); /* the flow is still known */
	assert_int_equal(counters()->paced, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int
main(void)
{
	const struct CMUnitTest tests[] = {
			TEST(test_fast_cnp),
			TEST(test_trace),
			TEST(test_trace_at_edge),
			TEST(test_cnp),
			TEST(test_untranslatable),
			TEST(test_unknown_and_none),
			TEST(test_unreachable),
			TEST(test_policy),
			TEST(test_group),
			TEST(test_steered),
			TEST(test_pfc),
			TEST(test_pfc_closed_port),
			TEST(test_pfc_raised),
			TEST(test_pfc_not_possible),
			TEST(test_pfc_host_route),
			TEST(test_pfc_steered),
			TEST(test_pfc_off),
			TEST(test_ce),
			TEST(test_ce_highest),
			TEST(test_ce_reconfigured),
			TEST(test_ce_not_ect),
			TEST(test_ce_full),
			TEST(test_interval),
			TEST(test_level_sweep),
			TEST(test_refused),
			TEST(test_loops),
			TEST(test_rates),
			TEST(test_not_a_message),
			TEST(test_storm),
			TEST(test_clear_and_event),
	};

	return cmocka_run_group_tests_name("proxy", tests, fcn_test_eal_init, fcn_test_eal_cleanup);
}
