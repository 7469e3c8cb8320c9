/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* By which ports a refusal of a notice may come: those that the routes to its sender lead by. What
 * is expected follows from the configuration of each test. */

#include "build_util.h"
#include "control_private.h" /* the check alone, without a switch */

TEST_FIXTURE(FCN_TEST_EAL, .setup = build_setup, .teardown = build_teardown);

/* Check that refusals of an address may come by these ports (a bit set) of p0 to p2, and no other.
 */
static void
assert_comes_by(const char *sender, unsigned int ports)
{
	struct fcn_refused_notice notice = {0};
	const struct fcn_addr addr = build_addr(sender);

	if (addr.version == 6)
		memcpy(notice.sender, addr.bytes, sizeof(notice.sender));
	else
		fcn_addr_map(addr.bytes, notice.sender);
	for (uint16_t p = 0; p < 3; p++) {
		if (fcn_control_refusal_comes_by(built, &notice, p) != (ports >> p & 1))
			fail_msg("%s, port %u", sender, p);
	}
}

/* A station of a link, known or not, in both versions; the switch itself is no sender. */
TEST(connected)
{
	build_add_address(0, "2001:db8:0::fe/64");
	build_add_address(1, "2001:db8:1::fe/64");
	build_add_address(1, "192.0.2.254/24");
	build_add_neighbour(0, "2001:db8:0::1", 1);
	build_again();
	assert_comes_by("2001:db8:0::1", 1 << 0);
	assert_comes_by("2001:db8:0::2", 1 << 0);
	assert_comes_by("2001:db8:1::1", 1 << 1);
	assert_comes_by("192.0.2.1", 1 << 1);
	assert_comes_by("2001:db8:0::fe", 0);
	assert_comes_by("2001:db8:2::1", 0);
	assert_comes_by("198.51.100.1", 0);
}

/* A station behind routers, of which one is not resolved, and behind a group of them. A group has
 * no path by who is not resolved, as long as it has another. */
TEST(routed)
{
	build_add_address(0, "2001:db8:0::fe/64");
	build_add_address(1, "2001:db8:1::fe/64");
	build_add_neighbour(0, "2001:db8:0::1", 1);
	build_add_neighbour(1, "2001:db8:1::2", 2);
	build_add_route("2001:db8:a::/48", "2001:db8:0::1", 0);
	build_add_route("2001:db8:d::/48", "2001:db8:0::1", 0);
	build_add_route("2001:db8:d::/48", "2001:db8:1::1", 1);
	build_add_route("2001:db8:b::/48", "2001:db8:1::1", 1);
	build_add_route("2001:db8:c::/48", "2001:db8:0::1", 0);
	build_add_route("2001:db8:c::/48", "2001:db8:1::2", 1);
	build_add_route("2001:db8:c:1::/64", NULL, 0);
	build_again();
	assert_comes_by("2001:db8:a::1", 1 << 0);
	assert_comes_by("2001:db8:b::1", 1 << 1);
	assert_comes_by("2001:db8:c::1", 1 << 0 | 1 << 1);
	assert_comes_by("2001:db8:c:1::1", 0);
	assert_comes_by("2001:db8:d::1", 1 << 0);
}

/* The same address in two tables: the sender may be in either. */
TEST(tables)
{
	const struct fcn_config_route route = {.prefix = build_prefix("2001:db8:a::/48"),
			.port = 2,
			.table = 1,
			.via = build_addr("2001:db8:2::1")};

	assert_int_equal(fcn_config_table_add(build_cfg, "red"), 1);
	strcpy(build_cfg->port[2].table, "red");
	build_add_address(0, "2001:db8:0::fe/64");
	build_add_address(2, "2001:db8:2::fe/64");
	build_add_route("2001:db8:a::/48", "2001:db8:0::1", 0);
	assert_int_equal(fcn_list_add(build_cfg, fcn_list_of("route"), &route, NULL), 0);
	build_again();
	assert_comes_by("2001:db8:a::1", 1 << 0 | 1 << 2);
	assert_comes_by("2001:db8:0::1", 1 << 0);
	assert_comes_by("2001:db8:2::1", 1 << 2);
}

/* A rule steers some packets to the sender into a policy, others take the route. */
TEST(steered)
{
	struct fcn_config_srv6_policy policy;
	struct fcn_config_srv6_segments s;
	struct fcn_config_srv6_steering rule;

	build_add_address(0, "2001:db8:0::fe/64");
	build_add_address(2, "2001:db8:2::fe/64");
	build_add_neighbour(0, "2001:db8:0::1", 1);
	build_add_neighbour(2, "2001:db8:2::1", 2);
	build_add_route("2001:db8:a::/48", "2001:db8:0::1", 0);
	build_add_route("2001:db8:5d::/48", "2001:db8:2::1", 2);
	memset(&policy, 0, sizeof(policy));
	snprintf(policy.name, sizeof(policy.name), "P");
	policy.mode = FCN_SRV6_H_ENCAPS_RED;
	policy.dscp = FCN_SRV6_COPY;
	policy.hop_limit = 64;
	policy.source = build_addr("2001:db8:ff::1");
	assert_int_equal(fcn_list_add(build_cfg, fcn_list_of("srv6 policy"), &policy, NULL), 0);
	memset(&s, 0, sizeof(s));
	s.policy = (uint16_t)build_cfg->srv6.policies.item[0].slot;
	s.weight = 1;
	s.list.n = 1;
	memcpy(s.list.segment[0], build_addr("2001:db8:5d::1").bytes, 16);
	assert_int_equal(fcn_list_add(build_cfg, fcn_list_of("srv6 segments"), &s, NULL), 0);
	memset(&rule, 0, sizeof(rule));
	rule.prefix = build_prefix("2001:db8:a:1::/64");
	rule.policy = s.policy;
	rule.port = FCN_SRV6_ANY;
	rule.dscp = 26;
	assert_int_equal(fcn_list_add(build_cfg, fcn_list_of("srv6 steering"), &rule, NULL), 0);
	build_again();
	assert_comes_by("2001:db8:a::1", 1 << 0);
	assert_comes_by("2001:db8:a:1::1", 1 << 0 | 1 << 2);
}

/* END.CON passes notices on: the answer comes by any port inside the domain. */
TEST(passed_on)
{
	struct fcn_refused_notice notice = {.is_passed_on = true};

	build_cfg->port[1].border = true;
	build_again();
	assert_true(fcn_control_refusal_comes_by(built, &notice, 0));
	assert_false(fcn_control_refusal_comes_by(built, &notice, 1));
	assert_true(fcn_control_refusal_comes_by(built, &notice, 2));
}

/* What a bridge forwards returns by it, without a route; that of a station is told by MAC address.
 */
TEST(bridge_interface)
{
	struct fcn_refused_notice notice = {0};
	const int bridge = fcn_config_bridge_add(build_cfg, "br0");
	int interface;

	assert_int_equal(bridge, 0);
	build_cfg->port[0].bridge = build_cfg->port[1].bridge = bridge;
	interface = fcn_config_bridge_interface_add(build_cfg, "br0.1", bridge, 1);
	assert_int_equal(interface, 3);
	build_again();
	memcpy(notice.sender, build_addr("2001:db8:9::1").bytes, 16);
	assert_true(fcn_control_refusal_comes_by(built, &notice, (uint16_t)interface));
	assert_false(fcn_control_refusal_comes_by(built, &notice, 2));
}
