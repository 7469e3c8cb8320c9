/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_malloc.h>

#include "fcn_build_routes.h"

/* Next hops that are always there, in front of those of ports, neighbours and groups. */
enum {
	NH_NO_ROUTE = FCN_FIB_NO_ROUTE,
	NH_BLACKHOLE,
	NH_LOCAL,
	NH_NO_NEIGHBOUR,
	NH_FIRST_NEIGHBOUR,
};

/* Work in progress. */
struct builder {
	const struct fcn_config *cfg;
	struct fcn_snapshot *s;
	struct fcn_fib_route *route; /* the later of equal prefixes wins */
	size_t n_routes;
	const struct fcn_config_route **sorted;
	size_t n_members;
};

static bool
is_link_local(const struct fcn_addr *a)
{
	return a->version == 6 && a->bytes[0] == 0xfe && (a->bytes[1] & 0xc0) == 0x80;
}

static void
add_route(struct builder *b, const struct fcn_prefix *prefix, uint32_t next_hop)
{
	b->route[b->n_routes++] = (struct fcn_fib_route){.prefix = *prefix, .next_hop = next_hop};
}

static void
add_host_route(struct builder *b, const struct fcn_addr *addr, uint32_t next_hop)
{
	struct fcn_prefix p = {.addr = *addr, .len = addr->version == 6 ? 128 : 32};

	add_route(b, &p, next_hop);
}

static void
build_neighbours(struct builder *b)
{
	const struct fcn_config *cfg = b->cfg;

	for (size_t i = 0; i < cfg->neighbours.n; i++) {
		const struct fcn_config_neighbour *n = &cfg->neighbours.item[i];
		struct fcn_next_hop *nh = &b->s->next_hop[NH_FIRST_NEIGHBOUR + i];

		nh->type = FCN_NEXT_HOP_FORWARD;
		nh->port = n->port;
		nh->mtu = cfg->port[n->port].mtu;
		nh->l2.dst_addr = n->mac;
		nh->l2.src_addr = b->s->port[n->port].mac;
		nh->l2.ether_type = RTE_BE16(RTE_ETHER_TYPE_IPV6);
	}
}

static uint32_t
find_neighbour(const struct builder *b, uint16_t port, const struct fcn_addr *addr)
{
	const struct fcn_config *cfg = b->cfg;

	for (size_t i = 0; i < cfg->neighbours.n; i++) {
		if (cfg->neighbours.item[i].port == port &&
				fcn_addr_equal(&cfg->neighbours.item[i].addr, addr))
			return NH_FIRST_NEIGHBOUR + i;
	}
	return NH_NO_NEIGHBOUR;
}

static int
compare_addr(const struct fcn_addr *a, const struct fcn_addr *b)
{
	if (a->version != b->version)
		return a->version - b->version;
	return memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

static int
compare_routes(const void *va, const void *vb)
{
	const struct fcn_config_route *a = *(const struct fcn_config_route *const *)va;
	const struct fcn_config_route *b = *(const struct fcn_config_route *const *)vb;
	int d = compare_addr(&a->prefix.addr, &b->prefix.addr);

	if (d == 0)
		d = a->prefix.len - b->prefix.len;
	/* a blackhole first: it hides any path */
	if (d == 0)
		d = b->blackhole - a->blackhole;
	if (d == 0)
		d = a->port - b->port;
	return d != 0 ? d : compare_addr(&a->via, &b->via);
}

/*
 * Paths of one prefix, sorted; a path given twice counts once, one whose
 * gateway has no MAC address not at all as long as another has.
 *
 * @return next hop, or -1 with err
 */
static int
build_paths(struct builder *b, size_t from, size_t to, uint32_t group, char *err, size_t size)
{
	struct fcn_snapshot *s = b->s;
	struct fcn_next_hop *nh = &s->next_hop[group];
	uint32_t first = b->n_members;
	unsigned int paths = 0;
	char text[FCN_PREFIX_STRLEN];

	if (b->sorted[from]->blackhole)
		return NH_BLACKHOLE;
	for (size_t i = from; i < to; i++) {
		const struct fcn_config_route *r = b->sorted[i];
		uint32_t nh_of_path;

		if (i > from && compare_routes(&b->sorted[i - 1], &b->sorted[i]) == 0)
			continue;
		if (paths++ == FCN_NEXT_HOP_MAX_MEMBERS) {
			snprintf(err, size, "route %s: more than %u paths",
					fcn_prefix_format(&r->prefix, text, sizeof(text)),
					FCN_NEXT_HOP_MAX_MEMBERS);
			return -1;
		}
		nh_of_path = find_neighbour(b, r->port, &r->via);
		if (nh_of_path != NH_NO_NEIGHBOUR)
			s->member[b->n_members++] = nh_of_path;
	}
	if (b->n_members == first)
		return NH_NO_NEIGHBOUR;
	if (b->n_members - first == 1)
		return s->member[--b->n_members];
	nh->type = FCN_NEXT_HOP_GROUP;
	nh->first_member = first;
	nh->n_members = b->n_members - first;
	return group;
}

/* Static routes; those to one prefix stand together once sorted. */
static int
build_static(struct builder *b, char *err, size_t size)
{
	const struct fcn_config *cfg = b->cfg;
	size_t n = cfg->routes.n;
	uint32_t group = NH_FIRST_NEIGHBOUR + cfg->neighbours.n;

	for (size_t i = 0; i < n; i++)
		b->sorted[i] = &cfg->routes.item[i];
	qsort(b->sorted, n, sizeof(b->sorted[0]), compare_routes);
	for (size_t from = 0, to; from < n; from = to) {
		int nh;

		for (to = from + 1; to < n && fcn_prefix_equal(&b->sorted[to]->prefix,
							      &b->sorted[from]->prefix);
				to++)
			;
		nh = build_paths(b, from, to, group, err, size);
		if (nh < 0)
			return -1;
		if (nh == (int)group)
			group++;
		add_route(b, &b->sorted[from]->prefix, nh);
	}
	return 0;
}

static int
check(const struct fcn_config *cfg, char *err, size_t size)
{
	char text[FCN_PREFIX_STRLEN];

	for (size_t i = 0; i < cfg->addresses.n; i++) {
		const struct fcn_config_address *a = &cfg->addresses.item[i];

		if (cfg->port[a->port].bridge < 0)
			continue;
		snprintf(err, size, "address %s: port %s is in bridge %s and cannot have one",
				fcn_prefix_format(&a->prefix, text, sizeof(text)),
				cfg->port[a->port].name,
				cfg->bridge[cfg->port[a->port].bridge].name);
		return -1;
	}
	for (size_t i = 0; i < cfg->neighbours.n; i++) {
		const struct fcn_config_neighbour *n = &cfg->neighbours.item[i];

		if (cfg->port[n->port].bridge < 0)
			continue;
		snprintf(err, size, "neighbour %s: port %s is in bridge %s and cannot have one",
				fcn_addr_format(&n->addr, text, sizeof(text)),
				cfg->port[n->port].name,
				cfg->bridge[cfg->port[n->port].bridge].name);
		return -1;
	}
	for (size_t i = 0; i < cfg->routes.n; i++) {
		const struct fcn_config_route *r = &cfg->routes.item[i];

		if (r->blackhole || cfg->port[r->port].bridge < 0)
			continue;
		snprintf(err, size, "route %s: port %s is in bridge %s and cannot be routed to",
				fcn_prefix_format(&r->prefix, text, sizeof(text)),
				cfg->port[r->port].name,
				cfg->bridge[cfg->port[r->port].bridge].name);
		return -1;
	}
	return 0;
}

/* From the least to the most particular: connected, static, neighbours, our own addresses. */
static int
build(struct builder *b, char *err, size_t size)
{
	const struct fcn_config *cfg = b->cfg;

	b->s->next_hop[NH_BLACKHOLE].type = FCN_NEXT_HOP_BLACKHOLE;
	b->s->next_hop[NH_LOCAL].type = FCN_NEXT_HOP_LOCAL;
	b->s->next_hop[NH_NO_NEIGHBOUR].type = FCN_NEXT_HOP_NO_NEIGHBOUR;
	build_neighbours(b);

	for (size_t i = 0; i < cfg->addresses.n; i++)
		add_route(b, &cfg->addresses.item[i].prefix, NH_NO_NEIGHBOUR);
	if (build_static(b, err, size) != 0)
		return -1;
	for (size_t i = 0; i < cfg->neighbours.n; i++) {
		if (!is_link_local(&cfg->neighbours.item[i].addr))
			add_host_route(b, &cfg->neighbours.item[i].addr, NH_FIRST_NEIGHBOUR + i);
	}
	for (size_t i = 0; i < cfg->addresses.n; i++)
		add_host_route(b, &cfg->addresses.item[i].prefix.addr, NH_LOCAL);
	if (cfg->loopback.version != 0)
		add_host_route(b, &cfg->loopback, NH_LOCAL);
	return 0;
}

int
fcn_build_routes(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size)
{
	size_t max_routes = 2 * cfg->addresses.n + cfg->routes.n + cfg->neighbours.n + 1;
	struct builder b = {.cfg = cfg, .s = s};
	char name[32];
	int rc = -1;

	if (check(cfg, err, size) != 0)
		return -1;
	s->n_next_hops = NH_FIRST_NEIGHBOUR + cfg->neighbours.n + cfg->routes.n;
	s->next_hop = rte_zmalloc_socket("fcn_next_hop", s->n_next_hops * sizeof(*s->next_hop),
			RTE_CACHE_LINE_SIZE, env->socket);
	s->member = rte_zmalloc_socket("fcn_member", (cfg->routes.n + 1) * sizeof(*s->member),
			RTE_CACHE_LINE_SIZE, env->socket);
	b.route = malloc(max_routes * sizeof(*b.route));
	b.sorted = malloc((cfg->routes.n + 1) * sizeof(*b.sorted));
	if (s->next_hop == NULL || s->member == NULL || b.route == NULL || b.sorted == NULL) {
		snprintf(err, size, "routes: out of memory");
		goto out;
	}
	if (build(&b, err, size) != 0)
		goto out;
	snprintf(name, sizeof(name), "%s_fib%u", env->name, (unsigned int)(env->generation % 2));
	s->fib = fcn_fib_create(name, b.route, b.n_routes, env->socket);
	if (s->fib == NULL) {
		snprintf(err, size, "route table: out of memory");
		goto out;
	}
	rc = 0;
out:
	free(b.route);
	free(b.sorted);
	return rc;
}
