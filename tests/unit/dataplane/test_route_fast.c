/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * What the stage `route` forwards by its cache against what it looks up, by bursts of any mixture:
 * plain packets of IPv6 and IPv4, tunnels to local SIDs, and packets that enter a tunnel, also by
 * one of several paths. A burst belongs to a table that has no cache, then to the main table: it
 * finds the caches empty, then filled, then not in use; without the stage `fast_path`, and with
 * each of its functions. The same packets leave in the same order, and the same is counted.
 */

#include <arpa/inet.h>
#include <netinet/in.h>

#include "fast_widths.h"
#include "fcn_inet.h"
#include "reference.h"
#include "srv6_bench.h"

#define TURNS fcn_test_effort(4000)
#define BURST 16
#define PORTS 4
#define HOP_LIMIT_OFF (ETHER_LEN + 7)
#define DST_OFF (ETHER_LEN + 24)

/* Next hops behind those of the testbed. */
enum {
	TO_SID = 30,
	TO_LIST = 32,
	TO_LIST_BY_GROUP,
	TO_GROUP,
	TO_LISTS,
	TO_SELECT,
	TO_CONNECTED,
};

/* First octet of the destination MAC address of a frame that is not for the switch. */
#define ASTRAY 0x06

static const char *const destination[] = {"2001:db8:a::/48", "2001:db8:b::/48", "2001:db8:c::/48",
		"2001:db8:d::/48", "2001:db8:e::/48", "2001:db8:f::/48", "2001:db8:10::/48",
		"2001:db8:11::/48"};
static const char *const destination4[] = {"10.1.10.0/24", "10.1.11.0/24", "10.1.12.0/24",
		"10.1.13.0/24", "10.1.14.0/24", "10.1.15.0/24", "10.1.16.0/24", "10.1.17.0/24"};
static const uint32_t next_hop_of[] = {
		5, TO_LIST, TO_LIST_BY_GROUP, TO_GROUP, TO_LISTS, 1, TO_SELECT, TO_CONNECTED};

/* Of the connected networks, hosts 1 and 2 are known. */
static const struct fcn_neighbour_entry neighbours[] = {
		{.addr = {10, 1, 17, 1}, .port = 3, .version = 4, .next_hop = 7},
		{.addr = {10, 1, 17, 2}, .port = 3, .version = 4, .next_hop = 5},
		{.addr = {0x20, 1, 0xd, 0xb8, 0, 0x11, [15] = 1},
				.port = 3,
				.version = 6,
				.next_hop = 7},
		{.addr = {0x20, 1, 0xd, 0xb8, 0, 0x11, [15] = 2},
				.port = 3,
				.version = 6,
				.next_hop = 5},
};

/* The rules of the last destination, of which some have policies of several lists, or none. */
static struct fcn_steering rules[] = {
		{.next_hop = TO_LIST, .port = 0, .dscp = 1, .is_live = true},
		{.next_hop = TO_LIST, .port = 0, .dscp = 2, .is_live = false},
		{.next_hop = TO_LISTS, .port = FCN_SRV6_ANY, .dscp = 2, .is_live = true},
		{.next_hop = TO_LIST_BY_GROUP,
				.port = FCN_SRV6_ANY,
				.dscp = 3,
				.roce = FCN_STEERING_ROCE_ON,
				.is_live = true},
		{.next_hop = TO_LIST, .port = 1, .dscp = FCN_SRV6_ANY, .is_live = true},
};

static struct fcn_srv6_sid sids[2];
static struct fcn_encaps encaps[2];
static struct vectors tunnels;
static uint64_t seed;

static unsigned int
below(unsigned int n)
{
	return (unsigned int)(ref_random(&seed) % n);
}

static void
set_encaps(unsigned int i, uint32_t via, enum fcn_srv6_encaps_mode mode)
{
	static const uint8_t segments[3][16] = {{0x20, 1, 1}, {0x20, 1, 2}, {0x20, 1, 3}};
	const struct fcn_srv6_encaps_conf conf = {.mode = mode,
			.source = {0x20, 1, 9},
			.segments = segments,
			.n_segments = mode == FCN_SRV6_NO_SRH ? 1 : 2 + i};
	struct fcn_srv6_encaps_conf roce = conf;

	roce.source[15] = 1;
	memset(&encaps[i], 0, sizeof(encaps[i]));
	assert_int_equal(fcn_srv6_encaps_init(&encaps[i].other, &conf), 0);
	assert_int_equal(fcn_srv6_encaps_init(&encaps[i].roce, &roce), 0);
	encaps[i].via = via;
	encaps[i].slot = (uint16_t)(3 + i);
	encaps[i].tclass_copied = i == 0 ? 0xFF : 0x03;
	encaps[i].tclass = i == 0 ? 0 : 0x48;
	encaps[i].hop_limit = i == 0 ? FCN_SRV6_INNER : 77;
}

/* Change what the policies write, and whether the first list is by a group. */
static void
set_lists(unsigned int turn)
{
	const enum fcn_srv6_encaps_mode modes[] = {
			FCN_SRV6_H_ENCAPS, FCN_SRV6_H_ENCAPS_RED, FCN_SRV6_NO_SRH};

	set_encaps(0, 5, modes[turn % 3]);
	set_encaps(1, TO_GROUP, modes[turn / 3 % 3]);
	encaps[0].flow_label = (uint8_t)(turn / 5 % (FCN_SRV6_FLOW_LABEL_ZERO + 1));
	encaps[1].flow_label = (uint8_t)(turn % (FCN_SRV6_FLOW_LABEL_ZERO + 1));
}

static void
set_sid(unsigned int i, enum fcn_srv6_behavior behavior, unsigned int frame)
{
	const struct fcn_srv6_behavior_row *row = &fcn_srv6_behaviors[behavior];
	char text[INET6_ADDRSTRLEN + 4];

	sids[i] = (struct fcn_srv6_sid){.behavior = (uint8_t)behavior,
			.inner = row->inner,
			.argument = row->argument,
			.slot = (uint16_t)i,
			.serial = 1 + i,
			.is_fast_step = behavior == FCN_SRV6_END,
			.is_fast_decaps = behavior == FCN_SRV6_END_DT6};
	bench.next_hop[TO_SID + i] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_LOCAL, .local = FCN_LOCAL_SRV6, .first_member = i};
	inet_ntop(AF_INET6, tunnels.data[frame] + DST_OFF, text, INET6_ADDRSTRLEN);
	bench_route(strcat(text, "/128"), TO_SID + i);
}

static int
setup(void **state)
{
	static const uint32_t members[] = {5, 6, TO_LIST, TO_LIST_BY_GROUP, 7};

	srv6_bench_setup(state);
	vectors_load(&tunnels, "06_srv6_encaps_srh");
	seed = 2460;
	bench.snap.srv6.sid = sids;
	bench.snap.srv6.n_sids = RTE_DIM(sids);
	bench.snap.srv6.encaps = encaps;
	bench.snap.srv6.n_encaps = RTE_DIM(encaps);
	memcpy(bench.member, members, sizeof(members));
	/* One class for all: the order among classes depends on what was sent before. */
	memset(bench.snap.class_map.dscp, 0, sizeof(bench.snap.class_map.dscp));
	for (unsigned int i = 0; i < 2; i++)
		bench.next_hop[TO_LIST + i] = (struct fcn_next_hop){
				.type = FCN_NEXT_HOP_ENCAPS, .first_member = i, .mtu = 1300};
	bench.next_hop[TO_GROUP] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_GROUP, .first_member = 0, .n_members = 2};
	bench.next_hop[TO_LISTS] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_GROUP, .first_member = 1, .n_members = 4};
	bench.next_hop[TO_SELECT] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_SELECT, .n_members = RTE_DIM(rules)};
	bench.next_hop[TO_CONNECTED] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_CONNECTED, .port = 3, .interface = 3, .mtu = 1500};
	bench.snap.neighbours = (struct fcn_neighbour_table){
			.entry = neighbours, .n = RTE_DIM(neighbours)};
	bench.snap.srv6.select = rules;
	bench.snap.srv6.n_select = RTE_DIM(rules);
	for (unsigned int i = 0; i < RTE_DIM(rules); i++)
		rules[i].slot = (uint16_t)(5 + i);
	bench.n_routes = 0;
	bench_route("::/0", 6);
	bench_route("10.0.0.0/8", 6);
	for (unsigned int i = 0; i < RTE_DIM(destination); i++) {
		bench_route(destination[i], next_hop_of[i]);
		bench_route(destination4[i], next_hop_of[i]);
	}
	set_sid(0, FCN_SRV6_END, 0);
	set_sid(1, FCN_SRV6_END_DT6, 1);
	set_lists(0);
	bench_routes_done();
	bench.snap.table[1] = bench.snap.table[FCN_TABLE_MAIN];
	bench_new_snapshot();
	return 0;
}

static int
teardown(void **state)
{
	vectors_free(&tunnels);
	return srv6_bench_teardown(state);
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

/* A packet to one of the destinations: mostly usual ones, some with a hop limit that ends here,
 * long, padded, a fragment, or other than RoCEv2. */
static void
make_plain(struct frame *f)
{
	const unsigned int what = below(16);

	memset(f, 0, sizeof(*f));
	frame_ether(f, RTE_ETHER_TYPE_IPV6);
	frame_ip6(f, what == 0 ? IPPROTO_FRAGMENT : IPPROTO_UDP);
	if (what == 0) {
		uint8_t *fragment = frame_zero(f, 8);

		fragment[0] = IPPROTO_UDP;
		fragment[3] = (uint8_t)below(2);
	}
	frame_roce(f, what == 1 ? 1250 + below(60) : below(300));
	frame_finish(f);
	if (what == 2)
		f->data[HOP_LIMIT_OFF] = (uint8_t)below(3);
	if (what == 3)
		frame_zero(f, 1 + below(20));
	if (what == 4)
		f->data[f->udp + 2] ^= 1;
	if (what == 5)
		f->data[0] = ASTRAY;
	fcn_put_be32(f->data + ETHER_LEN, 6u << 28 | (uint32_t)ref_random(&seed) % (1u << 28));
	if (below(4) != 0) /* a DSCP of the steering rules */
		fcn_put_be16(f->data + ETHER_LEN,
				(uint16_t)(0x6000 | below(5) << 6 | below(4) << 4));
	if (below(3) == 0) { /* no flow label */
		f->data[ETHER_LEN + 1] &= 0xF0;
		memset(f->data + ETHER_LEN + 2, 0, 2);
	}
	fcn_put_be16(f->data + f->udp, (uint16_t)ref_random(&seed));
	inet_pton(AF_INET6, "2001:db8:1::1", f->data + ETHER_LEN + 8);
	inet_pton(AF_INET6, "2001:db8:a::1", f->data + DST_OFF);
	f->data[DST_OFF + 5] = (uint8_t)(0xa + (below(3) == 0 ? 6 : below(RTE_DIM(destination))));
	f->data[DST_OFF + 15] = (uint8_t)below(4);
}

/* The same over IPv4, with options, a wrong checksum, or an address that no host has. */
static void
make_ip4(struct frame *f)
{
	const unsigned int what = below(16);
	uint8_t *ip = f->data + ETHER_LEN;

	memset(f, 0, sizeof(*f));
	frame_ether(f, RTE_ETHER_TYPE_IPV4);
	frame_ip4(f, IPPROTO_UDP, what == 0 ? 24 : 20);
	frame_roce(f, what == 1 ? 1450 + below(60) : below(300));
	fcn_put_be32(ip + 12, 10u << 24 | 1);
	fcn_put_be32(ip + 16, 10u << 24 | 1u << 16 | (10 + below(9)) << 8 | below(4));
	fcn_put_be16(f->data + f->udp, (uint16_t)ref_random(&seed));
	if (what == 2)
		ip[8] = (uint8_t)below(3);
	if (what == 4)
		f->data[f->udp + 2] ^= 1;
	if (what == 5)
		ip[7] = 1; /* a later fragment */
	if (what == 6)
		ip[12 + 4 * below(2)] = (uint8_t)(below(2) ? 127 : 224);
	if (what == 8)
		fcn_put_be16(ip + 12 + 4 * below(2), 0xa9fe); /* 169.254.0.0/16 */
	if (what == 9)
		f->data[0] = ASTRAY;
	frame_finish(f);
	if (what == 3)
		frame_zero(f, 1 + below(20));
	if (what == 7)
		ip[10] ^= 1;
}

/* A packet in a tunnel, with some octets changed. */
static void
make_tunnel(struct frame *f)
{
	const unsigned int frame = below(2);

	memset(f, 0, sizeof(*f));
	f->len = tunnels.len[frame];
	memcpy(f->data, tunnels.data[frame], f->len);
	for (unsigned int k = below(8) / 6; k > 0; k--) {
		const unsigned int at = ETHER_LEN + below(130);

		f->data[at] = below(2) ? (uint8_t)below(8) : (uint8_t)ref_random(&seed);
	}
}

/* What became of a burst. */
struct fate {
	unsigned int n_out[PORTS];
	struct {
		uint32_t len;
		uint8_t bytes[1516];
	} out[PORTS][BURST];
	uint64_t drops[FCN_DROP_REASON_COUNT];
	unsigned int punted;
	struct fcn_srv6_sid_counters sid[2];
	struct fcn_segment_list_counters list[2];
	struct fcn_steering_counters steering[RTE_DIM(rules)];
	uint64_t ecn[FCN_TUNNEL_ECN_COMBINATION_COUNT];
};

static void
run(const struct frame *burst, unsigned int n, struct fate *f)
{
	struct fcn_punt punt;

	memset(f, 0, sizeof(*f));
	fcn_worker_clear_counters(bench.worker);
	for (unsigned int i = 0; i < n; i++) {
		struct frame copy = burst[i];

		frame_to_port(&copy, 0, 1);
		if (burst[i].data[0] == ASTRAY)
			copy.data[0] = ASTRAY;
		bench_in(0, &copy);
	}
	bench_poll(bench.worker->now + 1000000);
	for (uint16_t p = 0; p < PORTS; p++) {
		f->n_out[p] = bench.port[p].n_out;
		for (unsigned int i = 0; i < f->n_out[p]; i++) {
			f->out[p][i].len = bench_out_len(p, i);
			assert_true(f->out[p][i].len <= sizeof(f->out[p][i].bytes));
			memcpy(f->out[p][i].bytes, bench_out(p, i), f->out[p][i].len);
		}
	}
	for (unsigned int r = 0; r < FCN_DROP_REASON_COUNT; r++)
		f->drops[r] = bench_drops(r);
	while (srv6_take(&punt))
		f->punted++;
	memcpy(f->sid, bench.worker->srv6.sid, sizeof(f->sid));
	memcpy(f->list, &bench.worker->srv6.segments[3], sizeof(f->list));
	memcpy(f->steering, &bench.worker->srv6.steering[5], sizeof(f->steering));
	memcpy(f->ecn, bench.worker->srv6.ecn, sizeof(f->ecn));
	bench_forget_out();
}

TEST(same_fate)
{
	static struct fate slow, fast;
	struct frame burst[BURST];
	uint64_t sent = 0, taken = 0, tunnelled = 0, by_sid = 0, steered = 0;

	for (unsigned int turn = 0; turn < TURNS; turn++) {
		const unsigned int n = 1 + below(BURST);
		unsigned int tunnel = below(2);

		for (unsigned int i = 0; i < n; i++) {
			if (below(4) == 0)
				tunnel ^= 1;
			if (tunnel)
				make_tunnel(&burst[i]);
			else if (below(3) == 0)
				make_ip4(&burst[i]);
			else
				make_plain(&burst[i]);
		}
		set_lists(turn);
		bench.snap.port[0].table = 1;
		bench_new_snapshot();
		run(burst, n, &slow);
		bench.snap.port[0].table = FCN_TABLE_MAIN;
		for (unsigned int i = 0; i < 6; i++) {
			bench.worker->fast = i < 3 ? NULL : fast_width(turn % FAST_WIDTHS);
			fast_try();
			if (i % 3 == 0)
				bench_new_snapshot(); /* empties the caches, which the burst then
							 fills */
			bench.worker->dest_cache.skip = i % 3 == 2 ? 2 : 0;
			run(burst, n, &fast);
			taken += fast_taken();
			assert_memory_equal(&slow, &fast, sizeof(slow));
		}
		for (unsigned int i = 0; i < 2; i++) {
			tunnelled += fast.list[i].packets;
			by_sid += fast.sid[i].packets;
		}
		for (unsigned int i = 0; i < RTE_DIM(rules); i++)
			steered += fast.steering[i].packets;
		for (unsigned int p = 0; p < PORTS; p++)
			sent += fast.n_out[p];
	}
	assert_true(sent > 4 * TURNS && tunnelled > TURNS && by_sid > TURNS);
	assert_true(steered > TURNS / 4 && taken > TURNS / 20);
}

/* Make a plain packet, of 200 octets, to a destination. */
static void
make_usual(struct frame *f, unsigned int to, unsigned int flow)
{
	memset(f, 0, sizeof(*f));
	frame_ether(f, RTE_ETHER_TYPE_IPV6);
	frame_ip6(f, IPPROTO_UDP);
	frame_roce(f, 200 - f->len - 24);
	frame_finish(f);
	assert_int_equal(f->len, 200);
	frame_to_port(f, 0, 1);
	fcn_put_be16(f->data + f->udp, (uint16_t)(0xC000 + flow));
	memcpy(f->data + DST_OFF, (uint8_t[]){0x20, 1, 0xd, 0xb8, 0, (uint8_t)(0xa + to)}, 6);
	f->data[DST_OFF + 15] = 1;
}

/* The fast path is what lets packets enter tunnels, from the first one on, by any way to a segment
 * list: otherwise the test above compares the stages with themselves. */
TEST(tunnels_are_fast)
{
	struct frame f;

	rules[0].dscp = FCN_SRV6_ANY;
	for (unsigned int to = 0; to < RTE_DIM(next_hop_of); to++) {
		if (next_hop_of[to] == 1) /* there is no route */
			continue;
		for (unsigned int n = 1; n < 33; n += 8) {
			uint64_t entered = 0;

			fcn_worker_clear_counters(bench.worker);
			for (unsigned int i = 0; i < n; i++) {
				make_usual(&f, to, i);
				bench_in(0, &f);
			}
			bench_poll(bench.worker->now + 1000000);
			assert_int_equal(fast_taken(), n);
			for (unsigned int i = 0; i < 2; i++)
				entered += bench.worker->srv6.segments[3 + i].packets;
			if (next_hop_of[to] == TO_LIST || next_hop_of[to] == TO_LIST_BY_GROUP ||
					next_hop_of[to] == TO_SELECT)
				assert_int_equal(entered, n);
			else if (next_hop_of[to] != TO_LISTS)
				assert_int_equal(entered, 0);
		}
	}
	rules[0].dscp = 1;
}

/* A queue that has room for all packets but for one octet of their outer headers drops the last
 * one. */
TEST(growth)
{
	const unsigned int n = BURST;
	struct frame f;

	for (unsigned int lacks = 0; lacks < 2; lacks++) {
		bench_queue_conf(1, 0)->limit_bytes = n * (200 + encaps[0].roce.len) - lacks;
		bench_new_snapshot();
		fcn_worker_clear_counters(bench.worker);
		for (unsigned int i = 0; i < n; i++) {
			make_usual(&f, 1, i);
			bench_in(0, &f);
		}
		bench_poll(bench.worker->now + 1000000);
		assert_int_equal(bench.port[1].n_out, n - lacks);
		assert_int_equal(bench_drops(FCN_DROP_QUEUE_BYTES), lacks);
		assert_int_equal(bench_all_drops(), lacks);
		assert_int_equal(bench.worker->srv6.segments[3].packets, n);
	}
}
