/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Routes and nexthop objects that are seldom, and messages that contradict themselves. */

#include <errno.h>
#include <net/if.h>
#include <sys/socket.h>

#include <linux/lwtunnel.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>

#include "talk.h"

#define PATHS 70

/* RTA_MULTIPATH: each by interface 7 and a gateway 192.0.2.N, whose last octet is given. */
static size_t
paths(uint8_t *to, const uint8_t *last, const uint8_t *weight, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++) {
		struct rtnexthop nh = {
				.rtnh_len = 16, .rtnh_hops = weight[i] - 1, .rtnh_ifindex = 7};
		struct nlattr a = {8, RTA_GATEWAY};

		memcpy(to + 16 * i, &nh, 8);
		memcpy(to + 16 * i + 8, &a, 4);
		memcpy(to + 16 * i + 12, (const uint8_t[]){192, 0, 2, last[i]}, 4);
	}
	return 16 * n;
}

static void
begin_route(uint16_t type, uint8_t n)
{
	struct rtmsg rtm = {.rtm_family = AF_INET,
			.rtm_dst_len = 16,
			.rtm_type = RTN_UNICAST,
			.rtm_table = RT_TABLE_MAIN};

	begin(type, 0, &rtm, sizeof(rtm));
	put(RTA_DST, (const uint8_t[]){10, n, 0, 0}, 4);
}

/* Say that there is a route to N.0.0.0/16, or that it is gone. */
static void
say_first_octet(struct netlink_player *p, uint16_t type, uint8_t n)
{
	struct rtmsg rtm = {.rtm_family = AF_INET,
			.rtm_dst_len = 16,
			.rtm_type = RTN_UNICAST,
			.rtm_table = RT_TABLE_MAIN};

	begin(type, 0, &rtm, sizeof(rtm));
	put(RTA_DST, (const uint8_t[]){n, 0, 0, 0}, 4);
	put(RTA_OIF, (const uint8_t[]){7, 0, 0, 0}, 4);
	put(RTA_GATEWAY, (const uint8_t[]){192, 0, 2, 1}, 4);
	say(p, NETLINK_CHANGE);
}

static void
begin_nexthop(uint16_t type, uint32_t id)
{
	struct nhmsg nhm = {.nh_family = AF_INET};

	begin(type, 0, &nhm, sizeof(nhm));
	put(NHA_ID, &id, sizeof(id));
}

TEST(many_paths)
{
	uint8_t last[PATHS], weight[PATHS], data[16 * PATHS];
	struct netlink_player p;

	start(&p);
	for (unsigned int i = 0; i < PATHS; i++) {
		last[i] = PATHS - i;
		weight[i] = 1 + i % 5;
	}
	begin_route(RTM_NEWROUTE, 1);
	put(RTA_MULTIPATH, data, paths(data, last, weight, PATHS));
	say(&p, NETLINK_CHANGE);
	netlink_player_apply(&p);
	assert_int_equal(p.list.n, FCN_RTNL_MAX_PATHS);
	assert_int_equal(p.left_out, PATHS - FCN_RTNL_MAX_PATHS);
	begin_route(RTM_DELROUTE, 1);
	put(RTA_MULTIPATH, data, paths(data, last, weight, PATHS));
	say(&p, NETLINK_CHANGE);
	netlink_player_apply(&p);
	assert_int_equal(p.list.n, 0);
	assert_int_equal(p.left_out, 0);
	netlink_player_close(&p);
}

/* The same gateway twice counts for both. */
TEST(same_path_twice)
{
	uint8_t data[48];
	struct netlink_player p;
	const struct fcn_kernel_path *found;
	struct fcn_kernel_prefix key;
	size_t n;

	start(&p);
	begin_route(RTM_NEWROUTE, 1);
	put(RTA_MULTIPATH, data,
			paths(data, (const uint8_t[]){1, 2, 1}, (const uint8_t[]){3, 1, 2}, 3));
	say(&p, NETLINK_CHANGE);
	netlink_player_apply(&p);
	key = (struct fcn_kernel_prefix){p.list.path[0].prefix, 0};
	found = fcn_kernel_list_find(p.list.path, p.list.n, &key, &n);
	assert_int_equal(n, 2);
	assert_int_equal(found[0].weight, 5);
	assert_int_equal(found[1].weight, 1);
	netlink_player_close(&p);
}

/* Routes to 240.0.0.0/4 are not used, and counted for as long as they are there. */
TEST(reserved)
{
	struct fcn_kernel_counts counts;
	struct netlink_player p;

	start(&p);
	say_first_octet(&p, RTM_NEWROUTE, 223);
	say_first_octet(&p, RTM_NEWROUTE, 240);
	say_first_octet(&p, RTM_NEWROUTE, 240);
	say_first_octet(&p, RTM_NEWROUTE, 255);
	netlink_player_apply(&p);
	assert_int_equal(p.list.n, 1);
	fcn_kernel_store_counts(p.store, &counts);
	assert_int_equal(counts.routes, 3);
	assert_int_equal(counts.reserved_routes, 2);
	say_first_octet(&p, RTM_DELROUTE, 240);
	fcn_kernel_store_counts(p.store, &counts);
	assert_int_equal(counts.reserved_routes, 1);
	fcn_kernel_store_clear(p.store);
	fcn_kernel_store_counts(p.store, &counts);
	assert_int_equal(counts.reserved_routes, 0);
	netlink_player_close(&p);
}

/* Paths behind an encapsulation are none of the switch; a blackhole object drops. */
TEST(encapsulated)
{
	uint16_t encap = LWTUNNEL_ENCAP_MPLS;
	uint32_t oif = 7;
	struct netlink_player p;

	start(&p);
	route(RTM_NEWROUTE, 0, 1, RT_TABLE_MAIN);
	put(RTA_NEWDST, "\0\1\1\0", 4);
	say(&p, NETLINK_CHANGE);
	begin_nexthop(RTM_NEWNEXTHOP, 1);
	put(NHA_OIF, &oif, sizeof(oif));
	put(NHA_ENCAP_TYPE, &encap, sizeof(encap));
	say(&p, NETLINK_CHANGE);
	begin_nexthop(RTM_NEWNEXTHOP, 2);
	put(NHA_OIF, &oif, sizeof(oif));
	put(NHA_FDB, NULL, 0);
	say(&p, NETLINK_CHANGE);
	begin_nexthop(RTM_NEWNEXTHOP, 3);
	put(NHA_BLACKHOLE, NULL, 0);
	say(&p, NETLINK_CHANGE);
	for (uint32_t id = 1; id <= 4; id++) { /* the fourth is not there */
		begin_route(RTM_NEWROUTE, 10 + id);
		put(RTA_NH_ID, &id, sizeof(id));
		say(&p, NETLINK_CHANGE);
	}
	netlink_player_apply(&p);
	assert_int_equal(p.list.n, 1);
	assert_int_equal(p.list.path[0].type, FCN_KERNEL_BLACKHOLE);
	assert_int_equal(p.list.path[0].prefix.addr.bytes[1], 13);
	netlink_player_close(&p);
}

/* Each is left out, and counts; nothing of it is kept. */
TEST(contradictions)
{
	static const struct {
		uint16_t type;
		uint16_t len;
		uint8_t data[16];
	} routes[] = {
			{RTA_VIA, 1, {0}},
			{RTA_VIA, 4, {AF_INET6, 0, 1, 2}},
			{RTA_VIA, 6, {AF_UNIX, 0, 1, 2, 3, 4}},
			{RTA_GATEWAY, 3, {1, 2, 3}},
			{RTA_OIF, 2, {7}},
			{RTA_NH_ID, 1, {7}},
			{RTA_PRIORITY, 3, {7}},
			{RTA_TABLE, 3, {7}},
			{RTA_DST, 2, {10}},
			{RTA_ENCAP_TYPE, 1, {0}},
			{RTA_MULTIPATH, 8, {7}},
			{RTA_MULTIPATH, 8, {9}},
			{RTA_MULTIPATH, 16, {16, 0, 0, 0, 7, 0, 0, 0, 5, 0, RTA_GATEWAY, 0, 1}},
			{RTA_MULTIPATH, 16, {16, 0, 0, 0, 7, 0, 0, 0, 99, 0, RTA_GATEWAY, 0, 1}},
	};
	static const struct {
		uint16_t type;
		uint16_t len;
		uint8_t data[16];
	} nexthops[] = {
			{NHA_GROUP, 7, {1}},
			{NHA_OIF, 1, {1}},
			{NHA_GATEWAY, 3, {1}},
			{NHA_ENCAP_TYPE, 1, {1}},
			{NHA_ID, 4, {0}},
	};
	struct netlink_player p;
	unsigned int n = 0;

	start(&p);
	for (unsigned int i = 0; i < RTE_DIM(routes); i++) {
		begin_route(RTM_NEWROUTE, i);
		put(routes[i].type, routes[i].data, routes[i].len);
		say(&p, NETLINK_CHANGE);
		assert_int_equal(counts_of(&p).malformed, ++n);
	}
	for (unsigned int i = 0; i < RTE_DIM(nexthops); i++) {
		begin_nexthop(RTM_NEWNEXTHOP, 1);
		put(nexthops[i].type, nexthops[i].data, nexthops[i].len);
		say(&p, NETLINK_CHANGE);
		assert_int_equal(counts_of(&p).malformed, ++n);
	}
	netlink_player_apply(&p);
	assert_int_equal(p.list.n, 0);
	netlink_player_close(&p);
}

/* A group of more than are kept. */
TEST(great_group)
{
	uint8_t group[8 * PATHS] = {0};
	struct netlink_player p;
	uint32_t oif = 7;

	start(&p);
	begin_nexthop(RTM_NEWNEXTHOP, 1);
	put(NHA_OIF, &oif, sizeof(oif));
	put(NHA_GATEWAY, (const uint8_t[]){192, 0, 2, 1}, 4);
	say(&p, NETLINK_CHANGE);
	for (unsigned int i = 0; i < PATHS; i++)
		group[8 * i] = 1;
	begin_nexthop(RTM_NEWNEXTHOP, 2);
	put(NHA_GROUP, group, sizeof(group));
	say(&p, NETLINK_CHANGE);
	begin_route(RTM_NEWROUTE, 1);
	put(RTA_NH_ID, &(uint32_t){2}, 4);
	say(&p, NETLINK_CHANGE);
	netlink_player_apply(&p);
	assert_int_equal(p.list.n, 1);
	assert_int_equal(p.list.path[0].weight, 1);
	assert_int_equal(p.left_out, PATHS - FCN_RTNL_MAX_PATHS);
	netlink_player_close(&p);
}

/* Losses while all is read; the same configuration again; an interrupted look for a VRF. */
TEST(interrupted)
{
	struct netlink_player p;

	start(&p);
	pass(&p, 31 * S);
	assert_int_equal(fcn_netlink_state(p.nl), FCN_NETLINK_READING);
	netlink_player_record(&p, NETLINK_ERROR, (const uint8_t[]){ENOBUFS, 1}, 2);
	assert_int_equal(fcn_netlink_state(p.nl), FCN_NETLINK_LISTENING);
	done(&p, 0); /* to a question that was given up */
	assert_int_equal(counts_of(&p).syncs, 1);
	pass(&p, 60);
	answer_all(&p);
	assert_int_equal(counts_of(&p).checks, 0); /* it was not time, it was needed */
	configure(&p, 254, "");
	assert_int_equal(fcn_netlink_state(p.nl), FCN_NETLINK_LISTENING);
	configure(&p, 0, "red");
	begin(NLMSG_DONE, NLM_F_DUMP_INTR, "\0\0\0", 4);
	say(&p, NETLINK_ANSWER);
	assert_int_equal(fcn_netlink_state(p.nl), FCN_NETLINK_LISTENING);
	pass(&p, 60);
	done(&p, 0);
	assert_int_equal(fcn_netlink_state(p.nl), FCN_NETLINK_NO_VRF);
	netlink_player_close(&p);
}
