/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The ways of a proxy network node to senders: routes, paths and policies of what it sends, and the
 * links that it pauses.
 */

#include "proxy_bench.h"
#include "port_bits.h"

#define GROUP 40
#define SELECT 41
#define POLICY 42

TEST_FIXTURE(FCN_TEST_EAL, .setup = proxy_setup, .teardown = proxy_teardown);

TEST(unreachable)
{
	proxy_translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	bench_route("2001:db8:1::10/128", NO_NEIGHBOUR);
	bench_routes_done();
	bench_new_snapshot();
	proxy_report(FLOW6, US);
	bench_route("2001:db8:1::10/128", 1); /* blackhole */
	bench_routes_done();
	bench_new_snapshot();
	proxy_report(FLOW6, US);
	bench_route("2001:db8:1::10/128", TO_PORT(1));
	bench_routes_done();
	bench.snap.port[1].down = true;
	bench_new_snapshot();
	proxy_report(FLOW6, US);
	bench.snap.port[1].down = false;
	bench.snap.border.ports = ports_of(
			1u << 1); /* no CNP in the name of others leaves the domain */
	bench_new_snapshot();
	proxy_report(FLOW6, US);
	assert_int_equal(proxy_counters()->unreachable, 4);
	bench.snap.border.ports = ports_of(0);
	bench_new_snapshot();
	proxy_report(FLOW6, US);
	proxy_assert_sent(proxy_vectors.fast_cnp.data[0], proxy_vectors.fast_cnp.len[0]);
	proxy_assert_accounted();
}

/* A message is not translated: the sender cannot be reached. Nothing is made and then dropped. */
static void
assert_unreachable(void)
{
	const uint64_t before = proxy_counters()->unreachable;

	proxy_report(FLOW6, 60 * US);
	assert_int_equal(proxy_counters()->unreachable, before + 1);
	proxy_assert_nothing_sent();
	assert_int_equal(bench.worker->counters[0].generated, proxy_counters()->fast_cnps);
	assert_int_equal(bench_all_drops(), 0);
	proxy_assert_accounted();
}

/* A policy leads to the sender if something leads to its first segment. */
TEST(policy)
{
	static const uint8_t segment[1][16] = {{0x20, 1, 0xd, 0xb8, 5}};
	const struct fcn_srv6_encaps_conf conf = {.mode = FCN_SRV6_NO_SRH,
			.segments = segment,
			.n_segments = 1,
			.source = {0x20, 1, 0xd, 0xb8, 0xff}};
	struct fcn_encaps encaps = {.via = NO_NEIGHBOUR, .tclass_copied = 0xFF, .hop_limit = 33};

	proxy_translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	assert_int_equal(fcn_srv6_encaps_init(&encaps.other, &conf), 0);
	encaps.roce = encaps.other;
	bench.snap.srv6.encaps = &encaps;
	bench.snap.srv6.n_encaps = 1;
	bench.next_hop[POLICY] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_ENCAPS, .port = 1, .interface = 1, .mtu = 1400};
	proxy_host_route(POLICY);
	assert_unreachable();
	encaps.via = 0; /* no route */
	bench_new_snapshot();
	assert_unreachable();
	encaps.via = TO_PORT(1);
	bench.snap.border.ports = ports_of(1u << 1);
	bench_new_snapshot();
	assert_unreachable();
	bench.snap.border.ports = ports_of(0);
	bench_new_snapshot();
	proxy_report(FLOW6, 60 * US);
	assert_int_equal(bench_out_len(1, 0), proxy_vectors.fast_cnp.len[0] + 40);
	assert_int_equal(proxy_counters()->fast_cnps, 1);
	bench.snap.srv6.encaps = NULL;
	bench.snap.srv6.n_encaps = 0;
}

/* Report 40 flows to a sender behind ports 1 and 3, with both open, and with port 3 closed. */
static void
report_group(unsigned int which)
{
	const uint64_t before = proxy_counters()->unreachable;
	uint64_t sent[2] = {0, 0};

	for (unsigned int closed = 0; closed < 2; closed++) {
		bench.snap.border.ports = ports_of(closed << 3);
		bench_new_snapshot();
		for (unsigned int i = 0; i < 40; i++) {
			proxy_set_flow(which, (uint16_t)(1000 + i));
			proxy_report(which, 60 * US);
			assert_true(!closed || bench.port[3].n_out == 0);
			sent[closed] += bench.port[closed ? 1 : 3].n_out;
			assert_int_equal(bench_all_drops(), 0);
			proxy_assert_accounted();
		}
	}
	/* What left by port 3 with both paths open is what cannot be reached without it. */
	assert_in_range(sent[0], 5, 35);
	assert_int_equal(proxy_counters()->unreachable, before + sent[0]);
	assert_int_equal(sent[1], 40 - sent[0]);
	bench.snap.border.ports = ports_of(1u << 1 | 1u << 3);
	bench_new_snapshot();
	for (unsigned int i = 0; i < 40; i++) {
		proxy_set_flow(which, (uint16_t)(1000 + i));
		proxy_report(which, 60 * US);
		proxy_assert_nothing_sent();
	}
	bench.snap.border.ports = ports_of(0);
}

/* Of several paths, the one that the packet takes says whether the sender can be reached. */
TEST(group)
{
	uint32_t member[2] = {TO_PORT(1), TO_PORT(3)};

	proxy_translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	proxy_translate("192.0.2.0/24", FCN_PROXY_CNP);
	bench.snap.member = member;
	bench.next_hop[GROUP] = (struct fcn_next_hop){.type = FCN_NEXT_HOP_GROUP, .n_members = 2};
	bench_route("192.0.2.10/32", GROUP);
	proxy_host_route(GROUP);
	report_group(FLOW6);
	proxy_add_qp("198.51.100.20", 0x1a7, 0xb2);
	report_group(FLOW4_OVER6);
	proxy_translate("2001:db8:1::10/128", FCN_PROXY_CNP);
	proxy_add_qp("2001:db8:2::20", 0x1a7, 0xb2);
	report_group(FLOW6);
}

/* Let a prefix of senders be steered to port 3, if the rule is met, and lead to a next hop else. */
static void
steer(struct fcn_steering *rule, const char *prefix, uint32_t next_hop)
{
	bench.snap.table[0].normal = NULL;
	fcn_fib_free(proxy_normal);
	bench_route(prefix, next_hop);
	bench_routes_done();
	proxy_normal = bench.snap.table[0].fib;
	bench.snap.table[0].fib = NULL;
	bench_route(prefix, SELECT);
	bench_routes_done();
	bench.snap.table[0].normal = proxy_normal;
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
TEST(steered)
{
	struct fcn_steering rule;

	proxy_translate("2001:db8:1::/48", FCN_PROXY_FAST_CNP);
	steer(&rule, "2001:db8:1::/64", NO_NEIGHBOUR);
	proxy_report(FLOW6, 60 * US);
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
	proxy_report(FLOW6, 60 * US);
	proxy_assert_sent(proxy_vectors.fast_cnp.data[0], proxy_vectors.fast_cnp.len[0]);
	proxy_assert_accounted();
}

/* ---- pauses ---- */

/* Class 3 of port 2, to which the sender is attached, is lossless; its flows have DSCP 26. */
static void
attach(void)
{
	bench.snap.class_map.dscp[26] = 3;
	proxy_translate("2001:db8:1::/48", FCN_PROXY_PFC);
	bench_lossless(2, 3, 50000, 40000, 50000);
	bench_route("2001:db8:1::/64", CONNECTED);
	bench_routes_done();
	bench_new_snapshot();
	proxy_turn(bench.worker->now + 1);
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
TEST(pfc_closed_port)
{
	attach();
	bench.snap.port[2].down = true;
	proxy_publish();
	proxy_report(FLOW6, 1 * US);
	bench.snap.port[2].down = false;
	bench.snap.border.ports = ports_of(1u << 2);
	proxy_publish();
	proxy_report(FLOW6, 1 * US);
	proxy_assert_nothing_sent();
	assert_int_equal(proxy_counters()->pauses, 0);
	assert_int_equal(proxy_counters()->unreachable, 2);
	bench.snap.border.ports = ports_of(0);
	proxy_publish();
	proxy_report(FLOW6, 1 * US);
	assert_int_equal(proxy_counters()->pauses, 1);
	proxy_assert_accounted();
}

/* At level L the link is paused for (L + 1) / 8 of 800 us, and then told to go on. */
TEST(pfc)
{
	attach();
	for (unsigned int level = 0; level <= 7; level++) {
		const uint64_t from = bench.worker->now + 1 * US,
			       to = from + 100 * US * (level + 1);

		proxy_set_level(FLOW6, level);
		proxy_report(FLOW6, 1 * US);
		assert_int_equal(pause_time(), 65535);
		assert_int_equal(fcn_worker_next_event(bench.worker, from) <= to, 1);
		proxy_turn(to - 1);
		assert_int_not_equal(pause_time(), 0);
		proxy_turn(to);
		assert_int_equal(pause_time(), 0);
		proxy_turn(to + 1);
		assert_int_equal(pause_time(), -1);
	}
	assert_int_equal(proxy_counters()->pauses, 8);
	proxy_assert_accounted();
}

/* A higher level within the interval makes the pause longer, from its beginning on; a lower one
 * and a second flow do not make it shorter. */
TEST(pfc_raised)
{
	const uint64_t from = 10 * US;

	attach();
	proxy_set_level(FLOW6, 0);
	srv6_arrive(proxy_vectors.cnm.data[FLOW6], proxy_vectors.cnm.len[FLOW6]);
	proxy_turn(from);
	assert_int_equal(pause_time(), 65535);
	proxy_set_level(FLOW6, 3);
	proxy_report(FLOW6, 10 * US);
	proxy_set_flow(FLOW6, 77);
	proxy_set_level(FLOW6, 0);
	proxy_report(FLOW6, 10 * US);
	proxy_set_flow(FLOW6, 0xc0de);
	proxy_report(FLOW6, 10 * US);
	proxy_turn(from + 400 * US - 1);
	assert_int_not_equal(pause_time(), 0);
	proxy_turn(from + 400 * US);
	assert_int_equal(pause_time(), 0);
	assert_int_equal(proxy_counters()->pauses, 2);
	assert_int_equal(proxy_counters()->raised, 1);
	assert_int_equal(proxy_counters()->paced, 1);
	proxy_assert_accounted();
}

/* Only where that class of the port sends PFC, and the sender is attached. */
TEST(pfc_not_possible)
{
	attach();
	bench.snap.port[2].pause.tx_classes = 0;
	bench_new_snapshot();
	proxy_report(FLOW6, US);
	assert_int_equal(proxy_counters()->not_lossless, 1);
	bench.snap.port[2].pause.tx_classes = 1 << 3;
	bench.snap.port[2].trust = FCN_TRUST_PCP;
	bench_new_snapshot();
	proxy_report(FLOW6, US);
	assert_int_equal(proxy_counters()->not_lossless, 2);
	bench.snap.port[2].trust = FCN_TRUST_DSCP;
	bench_route("2001:db8:1::/64", TO_PORT(2));
	bench_routes_done();
	bench_new_snapshot();
	proxy_report(FLOW6, US);
	assert_int_equal(proxy_counters()->not_attached, 1);
	proxy_assert_nothing_sent();
	proxy_assert_accounted();
}

/* A sender with a route of its own is attached if the route leads to the neighbour that it is. */
TEST(pfc_host_route)
{
	struct fcn_neighbour_entry entry[2] = {
			{.addr = {192, 0, 2, 10}, .port = 2, .version = 4, .next_hop = TO_PORT(2)},
			{.addr = {0x20, 1, 0x0d, 0xb8, 0, 1, [15] = 0x10},
					.port = 2,
					.version = 6,
					.next_hop = TO_PORT(2)},
	};

	attach();
	proxy_translate("192.0.2.0/24", FCN_PROXY_PFC);
	bench.next_hop[TO_PORT(2)].interface = 2;
	bench_route("192.0.2.10/32", TO_PORT(2));
	proxy_host_route(TO_PORT(2));
	proxy_report(FLOW6, US);
	proxy_report(FLOW4_OVER6, US);
	assert_int_equal(proxy_counters()->not_attached, 2); /* behind a gateway */
	bench.snap.neighbours = (struct fcn_neighbour_table){.entry = entry, .n = 2};
	bench_new_snapshot();
	proxy_report(FLOW6, US);
	assert_int_equal(proxy_counters()->pauses, 1);
	proxy_report(FLOW4_OVER6, US);
	assert_int_equal(proxy_counters()->pauses, 2);
	assert_int_equal(proxy_counters()->not_attached, 2);
	/* It is a neighbour at another port than the one that its route leads to. */
	entry[1].port = 3;
	bench_new_snapshot();
	proxy_report(FLOW6, 100 * US);
	assert_int_equal(proxy_counters()->not_attached, 3);
	/* The MAC address of what the route leads to is not known yet. */
	proxy_host_route(NO_NEIGHBOUR);
	proxy_report(FLOW6, 100 * US);
	assert_int_equal(proxy_counters()->unreachable, 1);
	bench.snap.neighbours.n = 0;
	bench_new_snapshot();
	proxy_assert_accounted();
}

/* Steering rules are about packets, and not about where the sender is. */
TEST(pfc_steered)
{
	struct fcn_steering rule;

	attach();
	steer(&rule, "2001:db8:1::/64", CONNECTED);
	proxy_report(FLOW6, US);
	assert_int_equal(proxy_counters()->pauses, 1);
	assert_int_equal(pause_time(), 65535);
	steer(&rule, "2001:db8:1::/64", TO_PORT(2));
	proxy_report(FLOW6, 100 * US);
	assert_int_equal(proxy_counters()->not_attached, 1);
	proxy_assert_accounted();
}

/* A pause ends when the proxy is turned off. */
TEST(pfc_off)
{
	attach();
	proxy_report(FLOW6, US);
	assert_int_equal(pause_time(), 65535);
	bench.snap.proxy.receive = false;
	bench_new_snapshot();
	proxy_turn(bench.worker->now + US);
	assert_int_equal(pause_time(), 0);
	assert_int_equal(fcn_worker_next_event(bench.worker, bench.worker->now), FCN_TIME_NEVER);
	bench.snap.proxy.receive = true;
	bench_new_snapshot();
	bench.worker->proxy.counters.refused = 0;
}
