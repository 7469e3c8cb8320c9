/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* SRv6 policies and steering rules, from the configuration to next hops. */

#include "build_util.h"

static void
add_neighbour(uint16_t port, const char *text)
{
	struct rte_ether_addr mac = {{2, 0, 0, 0, 7, (uint8_t)port}};
	struct fcn_addr a = build_prefix(text).addr;

	assert_int_equal(FCN_LIST_ADD(build_cfg, "neighbour", fcn_config_neighbour, port, a, mac),
			0);
}

static void
add_route(const char *to, const char *via, uint16_t port)
{
	struct fcn_config_route r = {
			.prefix = build_prefix(to), .port = port, .via = build_prefix(via).addr};

	assert_int_equal(fcn_list_add(build_cfg, fcn_list_of("route"), &r, NULL), 0);
}

static void
add_policy_route(const char *to, uint16_t policy)
{
	struct fcn_config_route r = {.prefix = build_prefix(to), .policy = 1 + policy};

	assert_int_equal(fcn_list_add(build_cfg, fcn_list_of("route"), &r, NULL), 0);
}

/* Add a policy. @return its slot */
static uint16_t
add_policy(const char *name)
{
	struct fcn_config_srv6_policy policy;
	int slot;

	memset(&policy, 0, sizeof(policy));
	snprintf(policy.name, sizeof(policy.name), "%s", name);
	policy.mode = FCN_SRV6_H_ENCAPS_RED;
	policy.dscp = FCN_SRV6_COPY;
	policy.hop_limit = 64;
	policy.source = build_prefix("2001:db8:ff::1").addr;
	assert_int_equal(fcn_list_add(build_cfg, fcn_list_of("srv6 policy"), &policy, NULL), 0);
	slot = build_cfg->srv6.policies.item[build_cfg->srv6.policies.n - 1].slot;
	assert_in_range(slot, 0, FCN_SRV6_POLICIES - 1);
	return (uint16_t)slot;
}

/* Add a segment list with one segment. */
static void
add_segment(uint16_t policy, const char *sid)
{
	struct fcn_config_srv6_segments s;

	memset(&s, 0, sizeof(s));
	s.policy = policy;
	s.weight = 1;
	s.list.n = 1;
	memcpy(s.list.segment[0], build_prefix(sid).addr.bytes, 16);
	assert_int_equal(fcn_list_add(build_cfg, fcn_list_of("srv6 segments"), &s, NULL), 0);
}

static int
add_rule(const char *to, uint16_t policy, uint16_t port, uint16_t dscp, uint8_t roce)
{
	struct fcn_config_srv6_steering r;

	memset(&r, 0, sizeof(r));
	r.prefix = build_prefix(to);
	r.policy = policy;
	r.port = port;
	r.dscp = dscp;
	r.roce = roce;
	return fcn_list_add(build_cfg, fcn_list_of("srv6 steering"), &r, NULL);
}

static struct fcn_snapshot *
build(void)
{
	char err[256] = "";
	struct fcn_snapshot *s = fcn_snapshot_build(build_cfg, &build_env, err, sizeof(err));

	assert_string_equal(err, "");
	assert_non_null(s);
	return s;
}

static const struct fcn_next_hop *
look_up(const struct fcn_snapshot *s, const char *text)
{
	uint8_t bytes[1][16];
	uint64_t nh;

	memcpy(bytes[0], build_prefix(text).addr.bytes, 16);
	fcn_fib6_lookup(s->table[0].fib, bytes, &nh, 1);
	return &s->next_hop[nh];
}

#define ANY FCN_SRV6_ANY

TEST_FIXTURE(FCN_TEST_EAL, .setup = build_setup, .teardown = build_teardown);

/* The list is in the order in which rules are tried, however they were added. */
TEST(order)
{
	static const struct {
		uint16_t port, dscp;
		uint8_t roce;
	} order[] = {
			{1, 26, FCN_STEERING_ROCE_ON},
			{2, 26, FCN_STEERING_ROCE_OFF},
			{1, 0, FCN_STEERING_ROCE_ANY},
			{1, ANY, FCN_STEERING_ROCE_ON},
			{ANY, 26, FCN_STEERING_ROCE_OFF},
			{0, ANY, FCN_STEERING_ROCE_ANY},
			{1, ANY, FCN_STEERING_ROCE_ANY},
			{ANY, 0, FCN_STEERING_ROCE_ANY},
			{ANY, 63, FCN_STEERING_ROCE_ANY},
			{ANY, ANY, FCN_STEERING_ROCE_ON},
			{ANY, ANY, FCN_STEERING_ROCE_OFF},
			{ANY, ANY, FCN_STEERING_ROCE_ANY},
	};
	const uint16_t a = add_policy("a"), b = add_policy("b");

	for (unsigned int i = 0; i < RTE_DIM(order); i++) {
		unsigned int k = i * 5 % RTE_DIM(order); /* 5 and 12 have no common factor */

		assert_int_equal(add_rule("2001:db8:2::77/48", a, order[k].port, order[k].dscp,
						 order[k].roce),
				0);
	}
	assert_int_equal(add_rule("2001:db8:1::/48", b, ANY, ANY, FCN_STEERING_ROCE_ANY), 0);
	assert_int_equal(add_rule("2001:db8:2::/48", b, 1, 26, FCN_STEERING_ROCE_ON), -EEXIST);
	assert_int_equal(build_cfg->srv6.steering.n, RTE_DIM(order) + 1);
	assert_int_equal(build_cfg->srv6.steering.item[0].policy, b);
	for (unsigned int i = 0; i < RTE_DIM(order); i++) {
		const struct fcn_config_srv6_steering *r = &build_cfg->srv6.steering.item[1 + i];

		assert_int_equal(r->port, order[i].port);
		assert_int_equal(r->dscp, order[i].dscp);
		assert_int_equal(r->roce, order[i].roce);
	}
	assert_int_equal(fcn_config_port_remove(build_cfg, 1), 0);
	assert_int_equal(build_cfg->srv6.steering.n, RTE_DIM(order) + 1 - 4);
	assert_int_equal(FCN_LIST_REMOVE(build_cfg, "srv6 policy", fcn_config_srv6_policy,
					 .name = "a"),
			0);
	assert_int_equal(build_cfg->srv6.steering.n, 1);
}

/* A prefix, and all of them, have a greatest number of rules. */
TEST(limits)
{
	const uint16_t a = add_policy("a");
	char text[64];

	for (unsigned int i = 0; i < FCN_SRV6_STEERING; i++) {
		snprintf(text, sizeof(text), "2001:db8:%x::/48", i / FCN_SRV6_STEERING_OF_PREFIX);
		assert_int_equal(add_rule(text, a, ANY, i % FCN_SRV6_STEERING_OF_PREFIX,
						 FCN_STEERING_ROCE_ANY),
				0);
		if (i == FCN_SRV6_STEERING_OF_PREFIX)
			assert_int_equal(add_rule("2001:db8::/48", a, 1, 7, FCN_STEERING_ROCE_ANY),
					-E2BIG);
	}
	assert_int_equal(add_rule("2001:db8:99::/48", a, ANY, 0, FCN_STEERING_ROCE_ANY), -ENOSPC);
	assert_int_equal(build_cfg->srv6.steering.item[FCN_SRV6_STEERING - 1].slot,
			FCN_SRV6_STEERING - 1);
}

/* A rule is live as long as packets can leave by its policy. */
TEST(live)
{
	const uint16_t a = add_policy("a"), b = add_policy("b"), empty = add_policy("empty");
	const struct fcn_steering *rule;
	const struct fcn_next_hop *nh;
	struct fcn_snapshot *s;

	add_neighbour(0, "2001:db8:10::2");
	add_route("2001:db8:e0::/44", "2001:db8:10::2", 0);
	add_route("2001:db8:f0::/44", "2001:db8:11::9", 1); /* its station is unknown */
	add_segment(a, "2001:db8:e1::1");
	add_segment(b, "2001:db8:f1::1");
	assert_int_equal(add_rule("2001:db8:2::/48", a, ANY, 1, 0), 0);
	assert_int_equal(add_rule("2001:db8:2::/48", b, ANY, 2, 0), 0);
	assert_int_equal(add_rule("2001:db8:2::/48", empty, ANY, 3, 0), 0);
	s = build();
	nh = look_up(s, "2001:db8:2::7");
	assert_int_equal(nh->type, FCN_NEXT_HOP_SELECT);
	assert_int_equal(nh->n_members, 3);
	rule = &s->srv6.select[nh->first_member];
	assert_true(rule[0].is_live);
	assert_int_equal(s->next_hop[rule[0].next_hop].type, FCN_NEXT_HOP_ENCAPS);
	assert_false(rule[1].is_live);
	assert_int_equal(s->next_hop[rule[1].next_hop].type, FCN_NEXT_HOP_ENCAPS);
	assert_false(rule[2].is_live);
	fcn_snapshot_free(s);
	build_env.port[0].down = true;
	s = build();
	rule = &s->srv6.select[look_up(s, "2001:db8:2::7")->first_member];
	assert_false(rule[0].is_live);
	fcn_snapshot_free(s);
	build_env.port[0].down = false;
	add_neighbour(1, "2001:db8:11::9");
	s = build();
	rule = &s->srv6.select[look_up(s, "2001:db8:2::7")->first_member];
	assert_true(rule[0].is_live);
	assert_true(rule[1].is_live);
	assert_false(rule[2].is_live);
	fcn_snapshot_free(s);
}

/* A first segment takes its normal route, though rules steer packets to its prefix. */
TEST(first_segment)
{
	const uint16_t a = add_policy("a");
	struct fcn_snapshot *s;

	add_neighbour(0, "2001:db8:10::2");
	add_route("::/0", "2001:db8:10::2", 0);
	add_segment(a, "2001:db8:e1::1");
	assert_int_equal(add_rule("::/0", a, ANY, ANY, 0), 0);
	s = build();
	assert_int_equal(look_up(s, "2001:db8:e1::1")->type, FCN_NEXT_HOP_SELECT);
	assert_true(s->srv6.select[0].is_live);
	assert_int_equal(s->next_hop[s->srv6.encaps[0].via].type, FCN_NEXT_HOP_FORWARD);
	fcn_snapshot_free(s);
}

/* Flows go by the segment lists whose first segment can be reached. */
TEST(failover)
{
	const uint16_t a = add_policy("a");
	const struct fcn_next_hop *nh;
	struct fcn_snapshot *s;

	add_neighbour(0, "2001:db8:10::2");
	add_neighbour(1, "2001:db8:11::2");
	add_route("2001:db8:e0::/44", "2001:db8:10::2", 0);
	add_route("2001:db8:f0::/44", "2001:db8:11::2", 1);
	add_segment(a, "2001:db8:e1::1");
	add_segment(a, "2001:db8:f1::1");
	add_segment(a, "2001:db8:dead::1"); /* no route */
	add_policy_route("2001:db8:2::/48", a);
	s = build();
	nh = look_up(s, "2001:db8:2::7");
	assert_int_equal(nh->type, FCN_NEXT_HOP_GROUP);
	assert_int_equal(nh->n_members, 2);
	for (unsigned int i = 0; i < 2; i++) {
		const struct fcn_next_hop *m = &s->next_hop[s->member[nh->first_member + i]];

		assert_int_equal(m->type, FCN_NEXT_HOP_ENCAPS);
		assert_int_equal(m->first_member, i);
		assert_int_equal(m->port, i);
	}
	fcn_snapshot_free(s);
	build_env.port[0].down = true; /* one list is left */
	s = build();
	nh = look_up(s, "2001:db8:2::7");
	assert_int_equal(nh->type, FCN_NEXT_HOP_ENCAPS);
	assert_int_equal(nh->first_member, 1);
	fcn_snapshot_free(s);
	/* None is left: one whose port has a link, so that its station is asked for. */
	build_cfg->neighbours.n = 0;
	s = build();
	nh = look_up(s, "2001:db8:2::7");
	assert_int_equal(nh->type, FCN_NEXT_HOP_ENCAPS);
	assert_int_equal(nh->first_member, 1);
	assert_int_equal(s->next_hop[s->srv6.encaps[1].via].type, FCN_NEXT_HOP_NO_NEIGHBOUR);
	fcn_snapshot_free(s);
	build_cfg->routes.item[0] = build_cfg->routes.item[2]; /* no first segment has a route */
	build_cfg->routes.n = 1;
	s = build();
	assert_int_equal(look_up(s, "2001:db8:2::7")->type, FCN_NEXT_HOP_NO_ROUTE);
	fcn_snapshot_free(s);
}

/* A policy whose first segment is reached by a policy is no path, whichever comes first, and also
 * in a circle. */
TEST(recursion)
{
	const uint16_t a = add_policy("a"), b = add_policy("b"), c = add_policy("c");
	struct fcn_snapshot *s;

	add_neighbour(0, "2001:db8:10::2");
	add_route("2001:db8:e0::/44", "2001:db8:10::2", 0);
	add_segment(a, "2001:db8:f1::1"); /* by b */
	add_segment(b, "2001:db8:e1::1");
	add_segment(c, "2001:db8:3::1"); /* by itself */
	add_policy_route("2001:db8:2::/48", a);
	add_policy_route("2001:db8:f0::/44", b);
	add_policy_route("2001:db8:3::/48", c);
	s = build();
	assert_int_equal(look_up(s, "2001:db8:2::7")->type, FCN_NEXT_HOP_NO_ROUTE);
	assert_int_equal(look_up(s, "2001:db8:f1::1")->type, FCN_NEXT_HOP_ENCAPS);
	assert_int_equal(look_up(s, "2001:db8:3::7")->type, FCN_NEXT_HOP_NO_ROUTE);
	fcn_snapshot_free(s);
}

/* A first segment with several paths: the list is one path, whose flows spread, and the shortest
 * MTU less the headers counts. */
TEST(equal_paths)
{
	const uint16_t a = add_policy("a");
	const struct fcn_next_hop *nh;
	struct fcn_snapshot *s;

	add_neighbour(0, "2001:db8:10::2");
	add_neighbour(1, "2001:db8:11::2");
	add_route("2001:db8:e0::/44", "2001:db8:10::2", 0);
	add_route("2001:db8:e0::/44", "2001:db8:11::2", 1);
	build_cfg->port[0].mtu = 9000;
	build_cfg->port[1].mtu = 4000;
	add_segment(a, "2001:db8:e1::1");
	add_policy_route("2001:db8:2::/48", a);
	s = build();
	nh = look_up(s, "2001:db8:2::7");
	assert_int_equal(nh->type, FCN_NEXT_HOP_ENCAPS);
	assert_int_equal(nh->mtu, 4000 - 40);
	nh = &s->next_hop[s->srv6.encaps[0].via];
	assert_int_equal(nh->type, FCN_NEXT_HOP_GROUP);
	assert_int_equal(nh->n_members, 2);
	fcn_snapshot_free(s);
	build_env.port[1].down = true;
	s = build();
	nh = look_up(s, "2001:db8:2::7");
	assert_int_equal(nh->type, FCN_NEXT_HOP_ENCAPS);
	assert_int_equal(nh->mtu, 9000 - 40);
	assert_int_equal(s->next_hop[s->srv6.encaps[0].via].type, FCN_NEXT_HOP_FORWARD);
	fcn_snapshot_free(s);
}
