/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_next_hop.h"
#include "fcn_route_set.h"

/* Work in progress. */
struct builder {
	const struct fcn_config *cfg;
	struct fcn_route_set *set;
	struct fcn_fib_route *route; /* the later of equal prefixes wins */
	size_t n_routes;
	const struct fcn_config_route **sorted;
	char *err;
	size_t err_size;
};

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

static int
compare_gateways(const void *va, const void *vb)
{
	const struct fcn_gateway *a = va, *b = vb;

	return a->port != b->port ? a->port - b->port : compare_addr(&a->addr, &b->addr);
}

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

/* Every router that a route names, and every neighbour that was configured, once. */
static void
collect_gateways(struct builder *b)
{
	const struct fcn_config *cfg = b->cfg;
	struct fcn_route_set *set = b->set;
	uint32_t n = 0, kept = 0;

	for (size_t i = 0; i < cfg->routes.n; i++) {
		const struct fcn_config_route *r = &cfg->routes.item[i];

		if (!r->blackhole)
			set->gateway[n++] = (struct fcn_gateway){r->port, r->via};
	}
	for (size_t i = 0; i < cfg->neighbours.n; i++)
		set->gateway[n++] = (struct fcn_gateway){
				cfg->neighbours.item[i].port, cfg->neighbours.item[i].addr};
	qsort(set->gateway, n, sizeof(set->gateway[0]), compare_gateways);
	for (uint32_t i = 0; i < n; i++) {
		if (kept == 0 || compare_gateways(&set->gateway[kept - 1], &set->gateway[i]) != 0)
			set->gateway[kept++] = set->gateway[i];
	}
	set->n_gateways = kept;
}

static uint32_t
find_gateway(const struct fcn_route_set *set, uint16_t port, const struct fcn_addr *addr)
{
	const struct fcn_gateway key = {port, *addr};
	const struct fcn_gateway *g = bsearch(&key, set->gateway, set->n_gateways,
			sizeof(set->gateway[0]), compare_gateways);

	return g - set->gateway; /* collect_gateways() had it */
}

/*
 * Paths of one prefix, sorted; a path given twice counts once.
 *
 * @return next hop, or -1
 */
static int
add_paths(struct builder *b, size_t from, size_t to)
{
	struct fcn_route_set *set = b->set;
	struct fcn_path_group group = {.first = set->n_members};
	char text[FCN_PREFIX_STRLEN];

	if (b->sorted[from]->blackhole)
		return FCN_NH_BLACKHOLE;
	for (size_t i = from; i < to; i++) {
		const struct fcn_config_route *r = b->sorted[i];

		if (i > from && compare_routes(&b->sorted[i - 1], &b->sorted[i]) == 0)
			continue;
		if (group.n == FCN_NEXT_HOP_MAX_MEMBERS) {
			snprintf(b->err, b->err_size, "route %s: more than %u paths",
					fcn_prefix_format(&r->prefix, text, sizeof(text)),
					FCN_NEXT_HOP_MAX_MEMBERS);
			return -1;
		}
		set->member[set->n_members++] = find_gateway(set, r->port, &r->via);
		group.n++;
	}
	if (group.n == 1)
		return fcn_route_set_gateway(set, set->member[--set->n_members]);
	set->group[set->n_groups] = group;
	return fcn_route_set_group(set, set->n_groups++);
}

/* Static routes; those to one prefix stand together once sorted. */
static int
add_static(struct builder *b)
{
	size_t n = b->cfg->routes.n;

	for (size_t i = 0; i < n; i++)
		b->sorted[i] = &b->cfg->routes.item[i];
	qsort(b->sorted, n, sizeof(b->sorted[0]), compare_routes);
	for (size_t from = 0, to; from < n; from = to) {
		int nh;

		for (to = from + 1; to < n && fcn_prefix_equal(&b->sorted[to]->prefix,
							      &b->sorted[from]->prefix);
				to++)
			;
		nh = add_paths(b, from, to);
		if (nh < 0)
			return -1;
		add_route(b, &b->sorted[from]->prefix, nh);
	}
	return 0;
}

/* From the least to the most particular: connected, static, neighbours, our own addresses. */
static int
fill(struct builder *b)
{
	const struct fcn_config *cfg = b->cfg;
	struct fcn_route_set *set = b->set;

	collect_gateways(b);
	for (size_t i = 0; i < cfg->addresses.n; i++)
		set->connected[set->n_connected++] = cfg->addresses.item[i].port;
	for (size_t i = 0; i < cfg->addresses.n; i++)
		add_route(b, &cfg->addresses.item[i].prefix, fcn_route_set_connected(set, i));
	if (add_static(b) != 0)
		return -1;
	for (size_t i = 0; i < cfg->neighbours.n; i++) {
		const struct fcn_config_neighbour *n = &cfg->neighbours.item[i];

		if (!is_link_local(&n->addr))
			add_host_route(b, &n->addr,
					fcn_route_set_gateway(
							set, find_gateway(set, n->port, &n->addr)));
	}
	for (size_t i = 0; i < cfg->addresses.n; i++)
		add_host_route(b, &cfg->addresses.item[i].prefix.addr, FCN_NH_LOCAL);
	if (cfg->loopback.version != 0)
		add_host_route(b, &cfg->loopback, FCN_NH_LOCAL);
	return 0;
}

static struct fcn_route_set *
allocate(const struct fcn_config *cfg)
{
	struct fcn_route_set *set = calloc(1, sizeof(*set));

	if (set == NULL)
		return NULL;
	set->refs = 1;
	set->connected = calloc(cfg->addresses.n + 1, sizeof(*set->connected));
	set->gateway = calloc(cfg->routes.n + cfg->neighbours.n + 1, sizeof(*set->gateway));
	set->group = calloc(cfg->routes.n + 1, sizeof(*set->group));
	set->member = calloc(cfg->routes.n + 1, sizeof(*set->member));
	if (set->connected == NULL || set->gateway == NULL || set->group == NULL ||
			set->member == NULL) {
		fcn_route_set_release(set);
		return NULL;
	}
	return set;
}

struct fcn_route_set *
fcn_route_set_create(const struct fcn_config *cfg, const char *name, int socket, char *err,
		size_t err_size)
{
	size_t max_routes = 2 * cfg->addresses.n + cfg->routes.n + cfg->neighbours.n + 1;
	struct builder b = {.cfg = cfg, .err = err, .err_size = err_size};
	bool done = false;

	b.set = allocate(cfg);
	b.route = malloc(max_routes * sizeof(*b.route));
	b.sorted = malloc((cfg->routes.n + 1) * sizeof(*b.sorted));
	if (b.set == NULL || b.route == NULL || b.sorted == NULL) {
		snprintf(err, err_size, "routes: out of memory");
	} else if (fill(&b) == 0) {
		b.set->fib = fcn_fib_create(name, b.route, b.n_routes, socket);
		done = b.set->fib != NULL;
		if (!done)
			snprintf(err, err_size, "route table: out of memory");
	}
	free(b.route);
	free(b.sorted);
	if (!done) {
		fcn_route_set_release(b.set);
		return NULL;
	}
	return b.set;
}

#define IS_SAME(a, b, list)                                                                         \
	((a)->list.n == (b)->list.n &&                                                              \
			((a)->list.n == 0 ||                                                        \
					memcmp((a)->list.item, (b)->list.item,                      \
							(a)->list.n * sizeof((a)->list.item[0])) == \
							0))

bool
fcn_route_set_is_same(const struct fcn_config *a, const struct fcn_config *b)
{
	/* Octets between members may differ where all is the same: then it is made anew. */
	return IS_SAME(a, b, addresses) && IS_SAME(a, b, routes) && IS_SAME(a, b, neighbours) &&
	       memcmp(&a->loopback, &b->loopback, sizeof(a->loopback)) == 0;
}

void
fcn_route_set_release(struct fcn_route_set *set)
{
	if (set == NULL || --set->refs > 0)
		return;
	fcn_fib_free(set->fib);
	free(set->connected);
	free(set->gateway);
	free(set->group);
	free(set->member);
	free(set);
}
