/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Routes, neighbours and tables of a configuration, as the snapshot has them. */

#include "build_util.h"

TEST_FIXTURE(FCN_TEST_EAL, .setup = build_setup, .teardown = build_teardown);

/* The neighbour table says which stations are attached, those that are configured, too. */
TEST(neighbour_table)
{
	static const struct fcn_build_neighbour found = {.port = 1,
			.addr = {.version = 6, .bytes = {0x20, 1, 0xd, 0xb8, 0, 1, [15] = 9}},
			.mac = {{2, 0, 0, 0, 7, 9}}};
	static const struct {
		const char *addr;
		uint16_t port;
		uint8_t n; /* last octet of the MAC address */
	} wanted[] = {{"2001:db8:1::9", 1, 9}, {"2001:db8:1::2", 1, 2}, {"192.0.2.2", 2, 4},
			{"2001:db8:7::7", 2, 3}};
	struct fcn_snapshot *s;

	build_add_address(1, "2001:db8:1::1/64");
	build_add_neighbour(1, "2001:db8:1::2", 2);
	build_add_neighbour(2, "2001:db8:7::7", 3); /* on no connected network */
	build_add_neighbour(2, "192.0.2.2", 4);
	build_add_route("2001:db8:8::/48", "2001:db8:7::7", 2);
	build_env.neighbours = &found;
	build_env.n_neighbours = 1;
	s = build_snapshot();
	assert_int_equal(s->neighbours.n, RTE_DIM(wanted));
	for (unsigned int i = 0; i < RTE_DIM(wanted); i++) {
		const struct fcn_addr a = build_addr(wanted[i].addr);
		uint32_t nh = fcn_neighbour_find(
				&s->neighbours, a.version, wanted[i].port, a.bytes);

		assert_int_not_equal(nh, 0);
		build_assert_forward(&s->next_hop[nh], wanted[i].port, wanted[i].n);
		/* By another port, it is none. */
		assert_int_equal(fcn_neighbour_find(&s->neighbours, a.version, 0, a.bytes), 0);
	}
	build_assert_forward(build_look_up(s, "2001:db8:8::1"), 2, 3);
	fcn_snapshot_free(s);
}

/* Own addresses before neighbours before static routes before what is connected. */
TEST(precedence)
{
	struct fcn_snapshot *s;

	build_add_address(0, "2001:db8:1::1/64");
	build_add_address(1, "192.0.2.1/24");
	s = build_snapshot();
	assert_int_equal(build_look_up(s, "2001:db8:1::1")->type, FCN_NEXT_HOP_LOCAL);
	assert_int_equal(build_look_up(s, "192.0.2.1")->type, FCN_NEXT_HOP_LOCAL);
	assert_int_equal(build_look_up(s, "2001:db8:1::2")->type, FCN_NEXT_HOP_CONNECTED);
	assert_int_equal(build_look_up(s, "192.0.2.2")->type, FCN_NEXT_HOP_CONNECTED);
	assert_int_equal(build_look_up(s, "192.0.3.1")->type, FCN_NEXT_HOP_NO_ROUTE);
	assert_int_equal(build_look_up(s, "2001:db8:2::1")->type, FCN_NEXT_HOP_NO_ROUTE);
	fcn_snapshot_free(s);
	/* a static route as long as the connected one wins */
	build_add_route("2001:db8:1::/64", NULL, 0);
	build_add_route("192.0.2.0/24", NULL, 0);
	build_add_neighbour(0, "2001:db8:1::2", 2);
	s = build_snapshot();
	assert_int_equal(build_look_up(s, "2001:db8:1::3")->type, FCN_NEXT_HOP_BLACKHOLE);
	assert_int_equal(build_look_up(s, "192.0.2.3")->type, FCN_NEXT_HOP_BLACKHOLE);
	build_assert_forward(build_look_up(s, "2001:db8:1::2"), 0, 2);
	assert_int_equal(build_look_up(s, "2001:db8:1::1")->type, FCN_NEXT_HOP_LOCAL);
	fcn_snapshot_free(s);
	/* a neighbour wins against a host route, our own address against a neighbour */
	build_add_route("2001:db8:1::2/128", NULL, 0);
	build_add_neighbour(0, "2001:db8:1::1", 1);
	build_cfg->loopback = build_addr("2001:db8:1::9");
	build_add_neighbour(0, "2001:db8:1::9", 9);
	s = build_snapshot();
	build_assert_forward(build_look_up(s, "2001:db8:1::2"), 0, 2);
	assert_int_equal(build_look_up(s, "2001:db8:1::1")->type, FCN_NEXT_HOP_LOCAL);
	assert_int_equal(build_look_up(s, "2001:db8:1::9")->type, FCN_NEXT_HOP_LOCAL);
	fcn_snapshot_free(s);
}

/* Link-local neighbours serve as gateways, on their port; no host route leads to them. */
TEST(link_local)
{
	struct fcn_snapshot *s;

	build_add_neighbour(0, "fe80::1", 1);
	build_add_neighbour(1, "fe80::1", 2);
	build_add_route("2001:db8:1::/48", "fe80::1", 0);
	build_add_route("2001:db8:2::/48", "fe80::1", 1);
	build_add_route("2001:db8:3::/48", "fe80::1", 2);
	s = build_snapshot();
	build_assert_forward(build_look_up(s, "2001:db8:1::1"), 0, 1);
	build_assert_forward(build_look_up(s, "2001:db8:2::1"), 1, 2);
	assert_int_equal(build_look_up(s, "2001:db8:3::1")->type, FCN_NEXT_HOP_NO_NEIGHBOUR);
	assert_int_equal(build_look_up(s, "fe80::1")->type, FCN_NEXT_HOP_NO_ROUTE);
	fcn_snapshot_free(s);
}

/* A path whose gateway has no MAC address takes no share of the flows while another has one. */
TEST(group_without_neighbour)
{
	struct fcn_snapshot *s;

	build_add_route("2001:db8:1::/48", "2001:db8::1", 0);
	build_add_route("2001:db8:1::/48", "2001:db8::2", 1);
	s = build_snapshot();
	assert_int_equal(build_look_up(s, "2001:db8:1::1")->type, FCN_NEXT_HOP_NO_NEIGHBOUR);
	fcn_snapshot_free(s);
	build_add_neighbour(1, "2001:db8::2", 2);
	s = build_snapshot();
	build_assert_forward(build_look_up(s, "2001:db8:1::1"), 1, 2);
	fcn_snapshot_free(s);
}

TEST(groups)
{
	const struct fcn_next_hop *nh;
	struct fcn_snapshot *s;

	build_cfg->port[1].mtu = 9000;
	build_add_neighbour(0, "2001:db8::1", 1);
	build_add_neighbour(1, "2001:db8::2", 2);
	build_add_neighbour(2, "2001:db8::3", 3);
	/* given in disorder, among others, one of them three times */
	build_add_route("2001:db8:8::/48", "2001:db8::3", 2);
	build_add_route("2001:db8:9::/48", "2001:db8::1", 0);
	build_add_route("2001:db8:8:7::/48", "2001:db8::1",
			0); /* the same prefix, not normalised */
	build_add_route("2001:db8:8::/48", "2001:db8::3", 2);
	build_add_route("2001:db8:8::/48", "2001:db8::2", 1);
	build_add_route("2001:db8:8::/48", "2001:db8::3", 2);
	build_add_route("2001:db8:8::/64", "2001:db8::2", 1); /* longer: on its own */
	s = build_snapshot();
	nh = build_look_up(s, "2001:db8:8:1::1");
	assert_int_equal(nh->type, FCN_NEXT_HOP_GROUP);
	assert_int_equal(nh->n_members, 3);
	for (unsigned int i = 0; i < 3; i++) {
		const struct fcn_next_hop *m = &s->next_hop[s->member[nh->first_member + i]];

		build_assert_forward(m, i, i + 1);
		assert_int_equal(m->mtu, i == 1 ? 9000 : 1500);
	}
	build_assert_forward(build_look_up(s, "2001:db8:9::1"), 0, 1);
	build_assert_forward(build_look_up(s, "2001:db8:8::1"), 1, 2);
	fcn_snapshot_free(s);
	/* the same path twice is one path, no group */
	build_cfg->routes.n = 0;
	build_add_route("2001:db8:8::/48", "2001:db8::3", 2);
	build_add_route("2001:db8:8::/48", "2001:db8::3", 2);
	s = build_snapshot();
	build_assert_forward(build_look_up(s, "2001:db8:8::1"), 2, 3);
	fcn_snapshot_free(s);
	/* a blackhole hides any path, however many */
	build_add_route("2001:db8:8::/48", "2001:db8::1", 0);
	build_add_route("2001:db8:8::/48", NULL, 0);
	s = build_snapshot();
	assert_int_equal(build_look_up(s, "2001:db8:8::1")->type, FCN_NEXT_HOP_BLACKHOLE);
	fcn_snapshot_free(s);
}

/* As many routes as take the large tables; the order they are given in makes no difference. */
TEST(many_routes)
{
	struct fcn_snapshot *s;
	uint64_t seed = 1;

	build_add_neighbour(0, "2001:db8::1", 1);
	build_add_neighbour(1, "2001:db8::2", 2);
	for (unsigned int i = 0; i < 600; i++) {
		unsigned int net = (i * 7919) % 600;
		char text[64];

		snprintf(text, sizeof(text), "2001:db8:%x::/48", 0x1000 + net);
		build_add_route(text, net % 2 == 0 ? "2001:db8::1" : "2001:db8::2", net % 2);
		if (net % 3 == 0)
			build_add_route(text, net % 2 != 0 ? "2001:db8::1" : "2001:db8::2",
					1 - net % 2);
	}
	s = build_snapshot();
	for (unsigned int i = 0; i < 200; i++) {
		unsigned int net = fcn_test_random(&seed) % 600;
		const struct fcn_next_hop *nh;
		char text[64];

		snprintf(text, sizeof(text), "2001:db8:%x::77", 0x1000 + net);
		nh = build_look_up(s, text);
		if (net % 3 != 0) {
			build_assert_forward(nh, net % 2, net % 2 + 1);
			continue;
		}
		assert_int_equal(nh->type, FCN_NEXT_HOP_GROUP);
		assert_int_equal(nh->n_members, 2);
		for (unsigned int k = 0; k < 2; k++)
			build_assert_forward(
					&s->next_hop[s->member[nh->first_member + k]], k, k + 1);
	}
	fcn_snapshot_free(s);
}

static void
add_route_in(unsigned int table, const char *text, const char *via, uint16_t port)
{
	build_add_route(text, via, port);
	build_cfg->routes.item[build_cfg->routes.n - 1].table = (uint8_t)table;
}

/* The same prefixes and addresses in two tables, which have different next hops. */
TEST(tables)
{
	const struct fcn_next_hop *nh;
	struct fcn_snapshot *s;

	assert_int_equal(fcn_config_table_add(build_cfg, "red"), 1);
	strcpy(build_cfg->port[1].table, "red");
	strcpy(build_cfg->port[2].table, "red");
	build_add_address(0, "2001:db8::fe/64");
	build_add_address(1, "2001:db8::fe/64");
	build_add_neighbour(0, "2001:db8::1", 1);
	build_add_neighbour(1, "2001:db8::1", 2);
	build_add_neighbour(2, "2001:db8:2::1", 3);
	build_add_route("2001:db8:8::/48", "2001:db8::1", 0);
	build_add_route("10.0.0.0/8", NULL, 0);
	add_route_in(1, "2001:db8:8::/48", "2001:db8::1", 1);
	add_route_in(1, "2001:db8:9::/48", "2001:db8::1", 1);
	add_route_in(1, "2001:db8:9::/48", "2001:db8:2::1", 2);
	s = build_snapshot();
	assert_int_equal(s->port[0].table, FCN_TABLE_MAIN);
	assert_int_equal(s->port[1].table, 1);
	assert_true(s->table[1].first > 0);
	build_assert_forward(build_look_up(s, "2001:db8:8::7"), 0, 1);
	build_assert_forward(build_look_up_in(s, 1, "2001:db8:8::7"), 1, 2);
	build_assert_forward(build_look_up(s, "2001:db8::1"), 0, 1);
	build_assert_forward(build_look_up_in(s, 1, "2001:db8::1"), 1, 2);
	assert_int_equal(build_look_up_in(s, 1, "2001:db8::fe")->type, FCN_NEXT_HOP_LOCAL);
	assert_int_equal(build_look_up(s, "10.1.2.3")->type, FCN_NEXT_HOP_BLACKHOLE);
	assert_int_equal(build_look_up_in(s, 1, "10.1.2.3")->type, FCN_NEXT_HOP_NO_ROUTE);
	assert_int_equal(build_look_up(s, "2001:db8:9::7")->type, FCN_NEXT_HOP_NO_ROUTE);
	assert_int_equal(build_look_up(s, "2001:db8:2::1")->type, FCN_NEXT_HOP_NO_ROUTE);
	nh = build_look_up_in(s, 1, "2001:db8:9::7");
	assert_int_equal(nh->type, FCN_NEXT_HOP_GROUP);
	assert_int_equal(nh->n_members, 2);
	for (unsigned int k = 0; k < 2; k++)
		build_assert_forward(&s->next_hop[s->member[nh->first_member + k]], k + 1, k + 2);
	fcn_snapshot_free(s);
}

TEST(tables_refused)
{
	char by[FCN_PREFIX_STRLEN + 16];

	strcpy(build_cfg->port[1].table, "red");
	build_assert_refused("port p1: there is no table red");
	assert_int_equal(fcn_config_table_add(build_cfg, "red"), 1);
	assert_true(fcn_config_table_is_used(build_cfg, 1, by, sizeof(by)));
	assert_string_equal(by, "port p1");
	build_add_address(0, "2001:db8::fe/64");
	build_add_address(1, "2001:db8::fe/64");
	fcn_snapshot_free(build_snapshot());
	build_cfg->port[1].table[0] = '\0';
	assert_false(fcn_config_table_is_used(build_cfg, 1, by, sizeof(by)));
	build_assert_refused("address 2001:db8::fe: ports p0 and p1 of table main both have it");
	build_cfg->addresses.n = 0;
	add_route_in(1, "2001:db8:9::/48", NULL, 0);
	assert_true(fcn_config_table_is_used(build_cfg, 1, by, sizeof(by)));
	assert_string_equal(by, "route 2001:db8:9::/48");
	strcpy(build_cfg->port[2].table, "red");
	assert_int_equal(fcn_config_bridge_add(build_cfg, "br0"), 0);
	build_cfg->port[2].bridge = 0;
	build_assert_refused("port p2: it is in bridge br0 and cannot belong to table red");
}
