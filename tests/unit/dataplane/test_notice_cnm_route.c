/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The ways of Congestion Notification Messages to proxies: over IPv4 beside IPv6 packets to
 * IPv4-mapped addresses, through steering, and through policies with a small MTU.
 */

#include "cnm_bench.h"

#define IP6_DST 24
#define SELECT 40
#define POLICY 41

static const uint8_t proxy4_mapped[16] = {[10] = 0xff, 0xff, 198, 51, 100, 21};

static struct fcn_fib *normal;

static int
setup(void **state)
{
	cnm_setup(state);
	bench_route("2001:db8:e::/48", SELECT);
	bench_route("203.0.113.0/24", SELECT);
	bench_route("2001:db8:d::/48", POLICY);
	bench_routes_done();
	return 0;
}

static int
teardown(void **state)
{
	fcn_fib_free(normal);
	normal = NULL;
	bench.snap.table[0].normal = NULL;
	return cnm_teardown(state);
}

TEST_FIXTURE(FCN_TEST_EAL, .setup = setup, .teardown = teardown);

/* A packet that meets congestion causes a message, which leaves by a port. */
static const uint8_t *
assert_told_by(uint16_t port, uint32_t payload)
{
	struct frame f;

	frame_roce6(&f, 1, 1, 2, payload);
	cnm_arrive(&f);
	assert_int_equal(bench.port[1].n_out, 1);
	for (uint16_t p = 2; p < 4; p++)
		assert_int_equal(bench.port[p].n_out, p == port);
	return bench_out(port, 0) + ETHER_LEN;
}

static void
assert_unreachable(void)
{
	const uint64_t before = cnm_verdict(FCN_NOTICE_CNM, FCN_NOTIFY_UNREACHABLE);
	struct frame f;

	frame_roce6(&f, 1, 1, 2, 64);
	cnm_arrive(&f);
	assert_int_equal(cnm_verdict(FCN_NOTICE_CNM, FCN_NOTIFY_UNREACHABLE), before + 1);
	assert_int_equal(bench.port[2].n_out + bench.port[3].n_out, 0);
	assert_int_equal(bench_all_drops(), 0);
}

/* An IPv6 packet to the IPv4-mapped address of the proxy. */
static void
arrive_mapped(void)
{
	struct frame f;

	frame_roce6(&f, 1, 1, 2, 64);
	memcpy(f.data + ETHER_LEN + IP6_DST, proxy4_mapped, 16);
	cnm_arrive(&f);
}

/* The way of messages over IPv4 is not that of IPv6 packets to the IPv4-mapped address. */
TEST(mapped)
{
	const uint8_t *ip;

	bench_route("::/0", 7);
	bench_routes_done();
	arrive_mapped();
	assert_int_equal(bench.port[3].n_out, 1);
	cnm_proxy_of("2001:db8::/32", "198.51.100.21");
	ip = assert_told_by(2, 64);
	assert_memory_equal(ip + 12, cnm_node4, 4);
	assert_memory_equal(ip + 16, cnm_proxy4, 4);
}

/* One steering rule, to port 3; without it the way is by port 2. */
static void
steer(struct fcn_steering *rule, uint8_t roce)
{
	struct fcn_fib_route route[2] = {{.next_hop = 6}, {.next_hop = 6}};

	assert_int_equal(fcn_prefix_parse("2001:db8:e::/48", &route[0].prefix), 0);
	assert_int_equal(fcn_prefix_parse("203.0.113.0/24", &route[1].prefix), 0);
	normal = fcn_fib_create("normal", route, 2, SOCKET_ID_ANY);
	assert_non_null(normal);
	bench.snap.table[0].normal = normal;
	*rule = (struct fcn_steering){.next_hop = 7,
			.port = FCN_SRV6_ANY,
			.dscp = FCN_SRV6_ANY,
			.roce = roce,
			.is_live = true};
	bench.snap.srv6.select = rule;
	bench.next_hop[SELECT] = (struct fcn_next_hop){.type = FCN_NEXT_HOP_SELECT, .n_members = 1};
	bench_new_snapshot();
}

/* A message is not RoCEv2, whatever it is about: steering has to see what it will see at the next
 * switch. */
TEST(steering_roce)
{
	struct fcn_steering rule;

	cnm_proxy_of("2001:db8::/32", "2001:db8:e::21");
	steer(&rule, FCN_STEERING_ROCE_ON);
	assert_told_by(2, 64);
	rule.roce = FCN_STEERING_ROCE_OFF;
	assert_told_by(3, 64);
	rule.roce = FCN_STEERING_ROCE_ANY;
	assert_told_by(3, 64);
}

/* A message over IPv4 whose prefix is steered needs an IPv4 address to come from, too. */
TEST(steering_source)
{
	struct fcn_steering rule;
	const uint8_t *ip;

	cnm_proxy_of("2001:db8::/32", "203.0.113.21");
	steer(&rule, FCN_STEERING_ROCE_ON);
	ip = assert_told_by(2, 64);
	assert_memory_equal(ip + 12, cnm_node4, 4);
	rule.roce = FCN_STEERING_ROCE_ANY;
	assert_unreachable(); /* port 3 has no IPv4 address */
	memcpy(bench.snap.notify.common.source4[3], cnm_node4, sizeof(cnm_node4));
	bench_new_snapshot();
	ip = assert_told_by(3, 64);
	assert_memory_equal(ip + 12, cnm_node4, 4);
	memset(bench.snap.notify.common.source4, 0, sizeof(bench.snap.notify.common.source4));
	rule.is_live = false;
	bench_new_snapshot();
	assert_unreachable();
}

/* A policy leaves less than 1280 octets where the MTU of a port is the least that IPv6 allows. The
 * message is cut, so that it gets through. */
TEST(policy_mtu)
{
	static const uint8_t segment[1][16] = {{0x20, 1, 0xd, 0xb8, 5}};
	const struct fcn_srv6_encaps_conf conf = {.mode = FCN_SRV6_NO_SRH,
			.segments = segment,
			.n_segments = 1,
			.source = {0x20, 1, 0xd, 0xb8, 0xff}};
	struct fcn_encaps encaps = {.via = 7, .tclass_copied = 0xFF, .hop_limit = 33};
	struct fcn_cnm got;
	const uint8_t *ip;

	assert_int_equal(fcn_srv6_encaps_init(&encaps.other, &conf), 0);
	encaps.roce = encaps.other;
	bench.snap.srv6.encaps = &encaps;
	bench.snap.srv6.n_encaps = 1;
	bench.next_hop[7].mtu = bench.snap.port[3].mtu = 1280;
	bench.next_hop[POLICY] = (struct fcn_next_hop){
			.type = FCN_NEXT_HOP_ENCAPS, .port = 3, .interface = 3, .mtu = 1280 - 40};
	bench_new_snapshot();
	cnm_proxy_of("2001:db8::/32", "2001:db8:d::21");
	ip = assert_told_by(3, 1300);
	assert_int_equal(bench_out_len(3, 0), ETHER_LEN + 1280);
	assert_int_equal(fcn_cnm_parse(ip + 40, 40, 1240, &fcn_parse_default_codes, &got),
			FCN_CNM_OK);
	assert_int_equal(got.quote_len, 1240 - 40 - 8 - 40);
	ip = assert_told_by(3, 64);
	assert_int_equal(bench_out_len(3, 0), ETHER_LEN + 40 + 88 + 40 + 8 + 12 + 64 + 4);
	assert_int_equal(bench_all_drops(), 0);
	bench.snap.srv6.encaps = NULL;
}

/* A message over IPv4 that leaves by a sub-interface. */
TEST(sub_interface)
{
	const uint8_t *ip;

	bench.next_hop[6].type = FCN_NEXT_HOP_FORWARD_TAGGED;
	bench.next_hop[6].vlan = 100;
	bench.next_hop[6].interface = 9;
	memset(bench.snap.notify.common.source4[2], 0, 4);
	bench_new_snapshot();
	cnm_proxy_of("2001:db8::/32", "198.51.100.21");
	assert_unreachable();
	memcpy(bench.snap.notify.common.source4[9], cnm_node4, sizeof(cnm_node4));
	bench_new_snapshot();
	ip = assert_told_by(2, 64) - 2;
	assert_memory_equal(ip, ((uint8_t[]){0x81, 0, 6 << 5, 100, 8, 0, 0x45}), 7);
	assert_memory_equal(ip + 6 + 12, cnm_node4, 4);
	assert_memory_equal(ip + 6 + 16, cnm_proxy4, 4);
}
