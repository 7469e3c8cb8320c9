/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Route sets made of others by changes lead packets as those made whole do. */

#include "fcn_list.h"
#include "fcn_build.h"
#include "fcn_kernel_list.h"
#include "fcn_local.h"
#include "fcn_route_set.h"
#include "fcn_test.h"

#define ROUTES 900 /* at first: a family of more than a page */
#define STEPS 250
#define GATEWAYS 6

static struct fcn_build_env env;
static const struct fcn_kernel_routes none;
static char err[256];

static struct fcn_prefix
prefix(const char *text)
{
	struct fcn_prefix p;

	assert_int_equal(fcn_prefix_parse(text, &p), 0);
	return p;
}

/* Out of few bytes, so that prefixes lie in each other and come again. */
static struct fcn_config_route
random_route(uint64_t *seed)
{
	static const uint8_t lengths6[] = {0, 16, 32, 40, 48, 56, 64, 64, 128};
	static const uint8_t lengths4[] = {0, 8, 16, 24, 24, 28, 32};
	static const char *const special[] = {"2001:db8:1::/64", "2001:db8:1::1/128",
			"2001:db8:1::9/128", "10.0.0.0/24", "10.0.0.1/32", "2001:db8:f::1/128"};
	struct fcn_config_route r = {.port = fcn_test_below(seed, 3)};
	bool v4 = fcn_test_below(seed, 2);
	uint8_t *b = r.prefix.addr.bytes;

	r.prefix.addr.version = v4 ? 4 : 6;
	r.prefix.len = v4 ? lengths4[fcn_test_below(seed, RTE_DIM(lengths4))]
			  : lengths6[fcn_test_below(seed, RTE_DIM(lengths6))];
	memcpy(b, v4 ? (const uint8_t[]){20, 0, 0, 0} : (const uint8_t[]){0x20, 1, 0xd, 0xb8}, 4);
	for (unsigned int i = v4 ? 1 : 4; i < (v4 ? 4 : 8); i++)
		b[i] = fcn_test_below(seed, 12);
	if (fcn_test_below(seed, 10) == 0)
		r.prefix = prefix(special[fcn_test_below(seed, RTE_DIM(special))]);
	r.blackhole = fcn_test_below(seed, 8) == 0;
	if (r.blackhole) {
		r.port = 0;
		return r;
	}
	r.via = r.prefix.addr.version == 4 ? prefix("10.0.0.1").addr : prefix("2001:db8:1::").addr;
	r.via.bytes[r.via.version == 4 ? 3 : 15] = 2 + fcn_test_below(seed, GATEWAYS);
	return r;
}

static void
random_change(struct fcn_config *cfg, uint64_t *seed)
{
	struct fcn_config_route r = random_route(seed);
	unsigned int what = fcn_test_below(seed, 6);

	if (cfg->routes.n > 0 && what < 4)
		r = cfg->routes.item[fcn_test_below(seed, cfg->routes.n)];
	if (what == 0)
		FCN_LIST_REMOVE_ANY(cfg, "route", fcn_config_route, .prefix = r.prefix);
	else if (what == 1 && !r.blackhole)
		FCN_LIST_REMOVE(cfg, "route", fcn_config_route, .prefix = r.prefix, .via = r.via,
				.port = r.port);
	if (what < 2)
		return;
	if (what < 4) { /* another path to the same prefix */
		r.port = (r.port + 1) % 3;
		r.blackhole = fcn_test_below(seed, 16) == 0;
		if (r.via.version == 0)
			r.blackhole = true;
	}
	assert_int_equal(fcn_list_add(cfg, fcn_list_of("route"), &r, NULL), 0);
}

/* A policy without segment lists, and prefixes whose packets it might get. Some are those of random
 * routes, a neighbour, and an own address. */
static void
add_steering(struct fcn_config *cfg)
{
	static const char *const steered[] = {"::/0", "2001:db8:300::/40", "2001:db8:1::9/128",
			"2001:db8:1::1/128", "20.3.0.0/16", "20.4.5.0/24", "10.0.0.0/24"};
	struct fcn_config_srv6_steering rule;
	struct fcn_config_srv6_policy policy;

	memset(&policy, 0, sizeof(policy));
	strcpy(policy.name, "a");
	assert_int_equal(fcn_list_add(cfg, fcn_list_of("srv6 policy"), &policy, NULL), 0);
	for (unsigned int i = 0; i < RTE_DIM(steered); i++) {
		memset(&rule, 0, sizeof(rule));
		rule.prefix = prefix(steered[i]);
		rule.port = FCN_SRV6_ANY;
		rule.dscp = 26;
		assert_int_equal(fcn_list_add(cfg, fcn_list_of("srv6 steering"), &rule, NULL), 0);
	}
}

static struct fcn_config *
first_config(uint64_t *seed)
{
	static const char *const address[] = {"2001:db8:1::1/64", "10.0.0.1/24"};
	struct fcn_config *cfg = fcn_config_create();
	struct rte_ether_addr mac = {{2, 0, 0, 0, 7, 9}};
	struct fcn_prefix p;

	for (unsigned int i = 0; i < 3; i++) {
		char name[8];

		snprintf(name, sizeof(name), "p%u", i);
		assert_int_equal(fcn_config_port_add(cfg, name), i);
	}
	for (unsigned int i = 0; i < RTE_DIM(address); i++) {
		p = prefix(address[i]);
		assert_int_equal(FCN_LIST_ADD(cfg, "address", fcn_config_address, 0, p), 0);
	}
	for (unsigned int i = 0; i < 3 * GATEWAYS; i++) { /* the last gateway has none */
		struct fcn_addr a = prefix(i % 2 ? "10.0.0.2" : "2001:db8:1::2").addr;

		a.bytes[a.version == 4 ? 3 : 15] += i / 3 % (GATEWAYS - 1);
		mac.addr_bytes[5] = i;
		assert_int_equal(
				FCN_LIST_ADD(cfg, "neighbour", fcn_config_neighbour, i % 3, a, mac),
				0);
	}
	p = prefix("2001:db8:1::9");
	assert_int_equal(FCN_LIST_ADD(cfg, "neighbour", fcn_config_neighbour, 0, p.addr, mac), 0);
	cfg->loopback = prefix("2001:db8:f::1").addr;
	add_steering(cfg);
	while (cfg->routes.n < ROUTES) {
		struct fcn_config_route r = random_route(seed);

		assert_int_equal(fcn_list_add(cfg, fcn_list_of("route"), &r, NULL), 0);
	}
	return cfg;
}

/* Look up an address in one of the two tables that steering makes of one. */
static uint32_t
look_up_in(const struct fcn_snapshot *s, const struct fcn_fib *fib, const struct fcn_addr *a)
{
	uint64_t nh;

	if (a->version == 6) {
		uint8_t bytes[1][16];

		memcpy(bytes[0], a->bytes, 16);
		fcn_fib6_lookup(fib, bytes, &nh, 1);
	} else {
		uint32_t v4 = (uint32_t)a->bytes[0] << 24 | a->bytes[1] << 16 | a->bytes[2] << 8 |
			      a->bytes[3];

		fcn_fib4_lookup(fib, &v4, &nh, 1);
	}
	assert_true(nh < s->n_next_hops);
	return nh;
}

static uint32_t
look_up(const struct fcn_snapshot *s, const struct fcn_addr *a)
{
	return look_up_in(s, s->table[0].fib, a);
}

/* One way to send, whatever its number; without a neighbour which gateway it is. */
static void
assert_same_hop(const struct fcn_snapshot *a, const struct fcn_next_hop *x,
		const struct fcn_snapshot *b, const struct fcn_next_hop *y)
{
	assert_int_equal(x->type, y->type);
	assert_int_equal(x->port, y->port);
	assert_memory_equal(&x->l2, &y->l2, sizeof(x->l2));
	if (x->type == FCN_NEXT_HOP_NO_NEIGHBOUR)
		assert_true(fcn_addr_equal(&a->table[0].routes->gateway[x->first_member].addr,
				&b->table[0].routes->gateway[y->first_member].addr));
}

static bool
is_same_l2(const struct fcn_next_hop *x, const struct fcn_next_hop *y)
{
	return x->port == y->port && memcmp(&x->l2, &y->l2, sizeof(x->l2)) == 0;
}

static void
assert_same_hops(const struct fcn_snapshot *a, const struct fcn_next_hop *x,
		const struct fcn_snapshot *b, const struct fcn_next_hop *y)
{
	if (x->type != FCN_NEXT_HOP_GROUP) {
		assert_same_hop(a, x, b, y);
		return;
	}
	assert_int_equal(y->type, FCN_NEXT_HOP_GROUP);
	assert_int_equal(x->n_members, y->n_members);
	for (unsigned int i = 0; i < x->n_members; i++) {
		const struct fcn_next_hop *m = &a->next_hop[a->member[x->first_member + i]];
		unsigned int k = 0;

		while (k < y->n_members &&
				!is_same_l2(m, &b->next_hop[b->member[y->first_member + k]]))
			k++;
		assert_int_not_equal(k, y->n_members);
	}
}

/* Whether steered or not, an address has the same normal route. */
static void
assert_same_way(const struct fcn_snapshot *a, const struct fcn_snapshot *b,
		const struct fcn_addr *addr)
{
	const struct fcn_next_hop *x = &a->next_hop[look_up(a, addr)];
	const struct fcn_next_hop *y = &b->next_hop[look_up(b, addr)];
	const struct fcn_next_hop *x_normal = &a->next_hop[look_up_in(a, a->table[0].normal, addr)];
	const struct fcn_next_hop *y_normal = &b->next_hop[look_up_in(b, b->table[0].normal, addr)];

	assert_same_hops(a, x, b, y);
	assert_same_hops(a, x_normal, b, y_normal);
	assert_int_not_equal(x_normal->type, FCN_NEXT_HOP_SELECT);
	if (x->type != FCN_NEXT_HOP_SELECT)
		assert_ptr_equal(x, x_normal);
	else
		assert_int_equal(x->first_member, y->first_member);
}

static void
assert_same(const struct fcn_snapshot *a, const struct fcn_snapshot *b,
		const struct fcn_config *cfg, uint64_t *seed)
{
	for (size_t i = 0; i < cfg->routes.n; i++) {
		struct fcn_addr addr = cfg->routes.item[i].prefix.addr;

		assert_same_way(a, b, &addr);
		addr.bytes[addr.version == 4 ? 3 : 7] ^= 1 + fcn_test_below(seed, 15);
		assert_same_way(a, b, &addr);
	}
	for (unsigned int i = 0; i < 200; i++) {
		struct fcn_config_route r = random_route(seed);

		assert_same_way(a, b, &r.prefix.addr);
	}
}

static struct fcn_snapshot *
build(const struct fcn_config *cfg)
{
	struct fcn_snapshot *s = fcn_snapshot_build(cfg, &env, err, sizeof(err));

	if (s == NULL)
		print_error("%s\n", err);
	assert_non_null(s);
	return s;
}

TEST_FIXTURE(FCN_TEST_EAL);

TEST(changes)
{
	uint64_t seed = 7;
	struct fcn_config *cfg = first_config(&seed);
	unsigned int by_change = 0;
	struct fcn_snapshot *s;

	env = (struct fcn_build_env){.name = "sets", .socket = SOCKET_ID_ANY};
	s = build(cfg);
	for (unsigned int step = 0; step < STEPS; step++) {
		struct fcn_config *next = fcn_config_copy(cfg);
		struct fcn_snapshot *changed, *whole;
		struct fcn_route_set *set;

		for (unsigned int i = 0; i <= step % 4; i++)
			random_change(next, &seed);
		env.generation++;
		set = fcn_route_set_change(
				s->table[0].routes, cfg, next, &none, "set", SOCKET_ID_ANY);
		by_change += set != NULL;
		fcn_route_set_release(set);
		env.routes_before[0] = s->table[0].routes;
		env.before = cfg;
		changed = build(next);
		env.routes_before[0] = NULL;
		whole = build(next);
		assert_same(changed, whole, next, &seed);
		fcn_snapshot_free(whole);
		fcn_snapshot_free(s);
		fcn_config_free(cfg);
		s = changed;
		cfg = next;
	}
	/* Changes far apart in the list, or no room for more groups: now and then a set is made
	 * whole. */
	assert_in_range(by_change, STEPS / 10, STEPS);
	fcn_snapshot_free(s);
	fcn_config_free(cfg);
}

/* Segment lists of the kernel. The second one has a first segment that routes may lead to by
 * segment lists, too. */
#define LISTS 3

static const struct fcn_kernel_segments lists[LISTS] = {
		{FCN_KERNEL_SERIAL | 5, 7,
				{FCN_SRV6_H_ENCAPS, 1, {{0x20, 1, 0xd, 0xb8, 0, 1, [15] = 3}}}},
		{FCN_KERNEL_SERIAL | 6, 0,
				{FCN_SRV6_H_ENCAPS, 1, {{0x20, 1, 0xd, 0xb8, 3, 4, 5, 6}}}},
		{FCN_KERNEL_SERIAL | 9, 1,
				{FCN_SRV6_H_ENCAPS, 1, {{0x20, 1, 0xd, 0xb8, 0, 1, [15] = 4}}}},
};

static void
by_segments(struct fcn_kernel_path *path, unsigned int list)
{
	path->type = FCN_KERNEL_SEGMENTS;
	path->port = FCN_KERNEL_NO_PORT;
	path->via = (struct fcn_addr){0};
	memcpy(path->via.bytes, &lists[list].serial, sizeof(lists[list].serial));
}

/* What the kernel may say of the prefix now: nothing, one kind, or several gateways or segment
 * lists. */
static void
random_paths(struct fcn_kernel_changes *c, const struct fcn_prefix *p, uint64_t *seed)
{
	unsigned int what = fcn_test_below(seed, 8), n = what >= 6 ? what - 4 : 1;

	c->prefix[c->n_prefixes++].prefix = *p;
	for (unsigned int i = 0; i < n && what != 0; i++) {
		struct fcn_config_route r = random_route(seed);
		struct fcn_kernel_path *path = &c->path[c->n_paths++];

		while (r.via.version != p->addr.version)
			r = random_route(seed);
		*path = (struct fcn_kernel_path){.prefix = *p,
				.type = what < 3 ? what + FCN_KERNEL_CONNECTED : FCN_KERNEL_GATEWAY,
				.protocol = 4,
				.port = r.port,
				.weight = 1 + fcn_test_below(seed, 3),
				.via = r.via};
		if (what == 7)
			by_segments(path, fcn_test_below(seed, LISTS));
	}
}

static int
compare_prefixes(const void *a, const void *b)
{
	return fcn_prefix_compare(a, b);
}

/* Some prefixes, of which a few are configured, too. @return to be freed */
static struct fcn_kernel_changes
random_kernel_changes(const struct fcn_config *cfg, uint64_t *seed, size_t n)
{
	struct fcn_prefix *prefix = calloc(n, sizeof(*prefix));
	struct fcn_kernel_changes c = {.prefix = calloc(n, sizeof(*c.prefix)),
			.path = calloc(3 * n, sizeof(*c.path))};

	for (size_t i = 0; i < n; i++) {
		prefix[i] = random_route(seed).prefix;
		if (fcn_test_below(seed, 4) == 0)
			prefix[i] = cfg->routes.item[fcn_test_below(seed, cfg->routes.n)].prefix;
		fcn_prefix_normalise(&prefix[i]);
	}
	qsort(prefix, n, sizeof(*prefix), compare_prefixes);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || fcn_prefix_compare(&prefix[i - 1], &prefix[i]) != 0)
			random_paths(&c, &prefix[i], seed);
	}
	free(prefix);
	return c;
}

/* Changes of the kernel, with and without some of the configuration, come to what all of it made
 * anew does. */
TEST(kernel_changes)
{
	uint64_t seed = 11;
	struct fcn_config *cfg = first_config(&seed);
	struct fcn_kernel_list list = {0};
	unsigned int by_change = 0;
	struct fcn_snapshot *s;

	strcpy(cfg->port[1].kernel, "sw1");
	strcpy(cfg->port[2].kernel, "sw2");
	env = (struct fcn_build_env){.name = "kernels",
			.socket = SOCKET_ID_ANY,
			.kernel_segments = lists,
			.n_kernel_segments = LISTS};
	s = build(cfg);
	for (unsigned int step = 0; step < STEPS; step++) {
		struct fcn_kernel_changes c = random_kernel_changes(
				cfg, &seed, step == 0 ? 200 : 1 + fcn_test_below(&seed, 12));
		struct fcn_config *next = step % 3 == 0 ? fcn_config_copy(cfg) : cfg;
		struct fcn_snapshot *changed, *whole;

		if (next != cfg)
			random_change(next, &seed);
		assert_int_equal(fcn_kernel_list_change(&list, &c), 0);
		env.generation++;
		env.kernel_paths = list.path;
		env.n_kernel_paths = list.n;
		env.kernel_changed = c.prefix;
		env.n_kernel_changed = c.n_prefixes;
		env.routes_before[0] = s->table[0].routes;
		env.before = cfg;
		changed = build(next);
		by_change += changed->table[0].routes->is_changed;
		env.routes_before[0] = NULL;
		whole = build(next);
		assert_false(whole->table[0].routes->is_changed);
		assert_same(changed, whole, next, &seed);
		for (size_t i = 0; i < list.n; i++)
			assert_same_way(changed, whole, &list.path[i].prefix.addr);
		fcn_snapshot_free(whole);
		fcn_snapshot_free(s);
		if (next != cfg)
			fcn_config_free(cfg);
		fcn_kernel_changes_free(&c);
		s = changed;
		cfg = next;
	}
	assert_in_range(by_change, STEPS / 2, STEPS);
	fcn_snapshot_free(s);
	fcn_config_free(cfg);
	fcn_kernel_list_free(&list);
}

/* A gateway that the last route left is not asked for any more. */
TEST(left_gateway)
{
	uint64_t seed = 12;
	struct fcn_config *cfg = first_config(&seed);
	struct fcn_kernel_path path = {.prefix = prefix("198.51.100.0/24"),
			.type = FCN_KERNEL_GATEWAY,
			.port = 1,
			.weight = 1,
			.via = prefix("10.0.0.77").addr};
	const struct fcn_kernel_prefix changed = {.prefix = path.prefix};
	struct fcn_kernel_routes with = {&path, 1, &changed, 1}, without = {NULL, 0, &changed, 1};
	struct fcn_snapshot *s;
	struct fcn_route_set *first, *second;
	uint32_t gateway;

	strcpy(cfg->port[1].kernel, "sw1");
	env = (struct fcn_build_env){.name = "left", .socket = SOCKET_ID_ANY};
	s = build(cfg);
	first = fcn_route_set_change(s->table[0].routes, cfg, cfg, &with, "set", SOCKET_ID_ANY);
	assert_non_null(first);
	gateway = fcn_route_set_find(first, 1, &path.via) - fcn_route_set_gateway(first, 0);
	assert_true(fcn_route_set_is_used(first, cfg, &with, gateway));
	second = fcn_route_set_change(first, cfg, cfg, &without, "set", SOCKET_ID_ANY);
	assert_non_null(second);
	assert_false(fcn_route_set_is_used(second, cfg, &without, gateway));
	assert_true(fcn_route_set_is_used(second, cfg, &without, 0));
	fcn_route_set_release(first);
	fcn_route_set_release(second);
	fcn_snapshot_free(s);
	fcn_config_free(cfg);
}

/* What only making it whole can do is not tried. */
TEST(other_changes)
{
	uint64_t seed = 8;
	struct fcn_config *cfg = first_config(&seed), *next = fcn_config_copy(cfg);
	struct fcn_config_route r = random_route(&seed);
	struct fcn_prefix p = prefix("2001:db8:77::1/64");
	struct fcn_snapshot *s;
	struct fcn_route_set *set;

	env = (struct fcn_build_env){.name = "others", .socket = SOCKET_ID_ANY};
	s = build(cfg);
	assert_int_equal(fcn_list_add(next, fcn_list_of("route"), &r, NULL), 0);
	set = fcn_route_set_change(s->table[0].routes, cfg, next, &none, "set", SOCKET_ID_ANY);
	assert_non_null(set);
	fcn_route_set_release(set);
	assert_int_equal(FCN_LIST_ADD(next, "address", fcn_config_address, 1, p), 0);
	assert_null(fcn_route_set_change(
			s->table[0].routes, cfg, next, &none, "set", SOCKET_ID_ANY));
	fcn_snapshot_free(s);
	fcn_config_free(next);
	fcn_config_free(cfg);
}

/* A static route hides a connected network, and no host of ours; when it goes all is as before. */
TEST(connected)
{
	uint64_t seed = 10;
	struct fcn_config *cfg = first_config(&seed), *with, *without;
	struct fcn_config_route r = {.blackhole = true, .prefix = prefix("2001:db8:1::/64")};
	struct fcn_addr network = prefix("2001:db8:1::77").addr, own = prefix("2001:db8:1::1").addr;
	struct fcn_snapshot *before, *s;

	FCN_LIST_REMOVE_ANY(cfg, "route", fcn_config_route, .prefix = r.prefix);
	with = fcn_config_copy(cfg);
	assert_int_equal(fcn_list_add(with, fcn_list_of("route"), &r, NULL), 0);
	without = fcn_config_copy(with);
	assert_int_equal(
			FCN_LIST_REMOVE_ANY(without, "route", fcn_config_route, .prefix = r.prefix),
			0);
	env = (struct fcn_build_env){.name = "nets", .socket = SOCKET_ID_ANY};
	before = build(cfg);
	env.routes_before[0] = before->table[0].routes;
	env.before = cfg;
	s = build(with);
	assert_int_equal(s->next_hop[look_up(s, &network)].type, FCN_NEXT_HOP_BLACKHOLE);
	assert_int_equal(s->next_hop[look_up(s, &own)].type, FCN_NEXT_HOP_LOCAL);
	fcn_snapshot_free(before);
	before = s;
	env.routes_before[0] = before->table[0].routes;
	env.before = with;
	s = build(without);
	assert_int_equal(s->next_hop[look_up(s, &network)].type, FCN_NEXT_HOP_CONNECTED);
	assert_int_equal(s->next_hop[look_up(s, &own)].type, FCN_NEXT_HOP_LOCAL);
	fcn_snapshot_free(before);
	fcn_snapshot_free(s);
	fcn_config_free(cfg);
	fcn_config_free(with);
	fcn_config_free(without);
}

/* A local SID hides a route to the same prefix, changed or not, and a change of SIDs builds the set
 * anew. The station of a SID has a next hop. */
TEST(sids)
{
	uint64_t seed = 12;
	struct fcn_config *cfg = first_config(&seed), *with, *more;
	struct fcn_config_route r = {.blackhole = true, .prefix = prefix("2001:db8:51::/64")};
	struct fcn_addr in = prefix("2001:db8:51::77").addr;
	struct fcn_snapshot *before, *s;
	struct fcn_config_srv6_sid sid;
	const struct fcn_next_hop *nh;

	memset(&sid, 0, sizeof(sid));
	sid.prefix = r.prefix;
	sid.behavior = FCN_SRV6_END_X;
	sid.via = prefix("fe80::99").addr;
	with = fcn_config_copy(cfg);
	assert_int_equal(fcn_list_add(with, fcn_list_of("srv6 sid"), &sid, NULL), 0);
	assert_int_equal(fcn_list_add(with, fcn_list_of("srv6 sid"), &sid, NULL), -EEXIST);
	assert_false(fcn_route_set_is_same(cfg, with));
	more = fcn_config_copy(with);
	assert_int_equal(fcn_list_add(more, fcn_list_of("route"), &r, NULL), 0);
	env = (struct fcn_build_env){.name = "sids", .socket = SOCKET_ID_ANY};
	before = build(cfg);
	env.routes_before[0] = before->table[0].routes;
	env.before = cfg;
	assert_null(fcn_route_set_change(before->table[0].routes, cfg, with,
			&(struct fcn_kernel_routes){.n = 0}, "none", SOCKET_ID_ANY));
	s = build(with);
	nh = &s->next_hop[look_up(s, &in)];
	assert_int_equal(nh->type, FCN_NEXT_HOP_LOCAL);
	assert_int_equal(nh->local, FCN_LOCAL_SRV6);
	assert_int_equal(nh->first_member, 0);
	assert_int_equal(s->srv6.n_sids, 1);
	assert_int_equal(s->next_hop[s->srv6.sid[0].next_hop].type, FCN_NEXT_HOP_NO_NEIGHBOUR);
	fcn_snapshot_free(before);
	before = s;
	env.routes_before[0] = before->table[0].routes;
	env.before = with;
	s = build(more); /* made of the set before */
	assert_true(s->table[0].routes->is_changed);
	assert_int_equal(s->next_hop[look_up(s, &in)].type, FCN_NEXT_HOP_LOCAL);
	assert_int_equal(s->table[0].routes->n_sids, 1);
	fcn_snapshot_free(before);
	fcn_snapshot_free(s);
	fcn_config_free(cfg);
	fcn_config_free(with);
	fcn_config_free(more);
}

/* Copies share lists; what changes in one does not change in the other. */
TEST(copies)
{
	uint64_t seed = 9;
	struct fcn_config *cfg = first_config(&seed), *copy = fcn_config_copy(cfg);
	struct fcn_config_route first = cfg->routes.item[0];
	struct rte_ether_addr mac = {{2, 0, 0, 0, 9, 9}};
	struct fcn_addr a = cfg->neighbours.item[0].addr;
	uint16_t port = cfg->neighbours.item[0].port;

	assert_ptr_equal(copy->routes.item, cfg->routes.item);
	assert_int_equal(FCN_LIST_ADD(copy, "neighbour", fcn_config_neighbour, port, a, mac), 0);
	assert_int_equal(FCN_LIST_REMOVE_ANY(
					 copy, "route", fcn_config_route, .prefix = first.prefix),
			0);
	assert_int_equal(fcn_config_port_remove(copy, 0), 0);
	assert_int_equal(copy->addresses.n, 0);
	assert_int_equal(cfg->addresses.n, 2);
	assert_int_equal(cfg->routes.n, ROUTES);
	assert_memory_equal(&cfg->routes.item[0], &first, sizeof(first));
	assert_false(rte_is_same_ether_addr(&cfg->neighbours.item[0].mac, &mac));
	fcn_config_free(cfg);
	assert_int_equal(fcn_list_add(copy, fcn_list_of("route"), &first, NULL), 0);
	fcn_config_free(copy);
}
