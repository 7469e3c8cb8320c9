/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdio.h>
#include <stdlib.h>

#include "fcn_next_hop.h"
#include "route_set_private.h"

/* Room for gateways and groups that later sets, which are built of this one, may add. */
#define SPARE(n) ((n) / 4 + 64)

static void
add_host_route(struct fcn_route_builder *b, const struct fcn_addr *addr, uint32_t next_hop)
{
	struct fcn_prefix p = {.addr = *addr, .len = addr->version == 6 ? 128 : 32};

	fcn_route_builder_add(b, &p, next_hop);
}

/* Collect the gateways of all routes, the configured neighbours, the stations of local SIDs, and
 * the segment lists of policies, sorted and each once. */
static void
collect_gateways(struct fcn_route_builder *b)
{
	const struct fcn_config *cfg = b->cfg;
	struct fcn_route_set *set = b->set;
	uint32_t n = 0, kept = 0;

	for (size_t i = 0; i < cfg->routes.n; i++) {
		const struct fcn_config_route *r = &cfg->routes.item[i];

		if (fcn_config_route_has_gateway(r) && r->table == set->table)
			set->gateway[n++] = (struct fcn_gateway){r->port, r->via};
	}
	for (size_t i = 0; i < cfg->neighbours.n; i++) {
		const struct fcn_config_neighbour *neighbour = &cfg->neighbours.item[i];

		if (fcn_config_is_in_table(cfg, neighbour->port, set->table))
			set->gateway[n++] = (struct fcn_gateway){neighbour->port, neighbour->addr};
	}
	for (size_t i = 0; i < set->n_sids; i++) {
		const struct fcn_config_srv6_sid *sid = &cfg->srv6.sids.item[i];

		if (fcn_srv6_behaviors[sid->behavior].argument == FCN_SRV6_ARGUMENT_VIA)
			set->gateway[n++] = (struct fcn_gateway){sid->port, sid->via};
	}
	for (size_t i = 0; i < cfg->srv6.segments.n; i++)
		set->gateway[n++] = fcn_gateway_of_segments(cfg->srv6.segments.item[i].serial);
	for (size_t i = 0; i < b->kernel->n; i++) {
		const struct fcn_kernel_path *p = &b->kernel->path[i];

		if (p->type == FCN_KERNEL_SID ||
				(fcn_kernel_path_is_shared(p) && fcn_route_set_has_path(cfg, p)))
			set->gateway[n++] = (struct fcn_gateway){p->port, p->via};
	}
	for (size_t i = 0; i < b->kernel->n_sids; i++)
		n += fcn_kernel_sid_station(cfg, &b->kernel->sid[i], &set->gateway[n]);
	qsort(set->gateway, n, sizeof(set->gateway[0]), fcn_route_compare_gateways);
	for (uint32_t i = 0; i < n; i++) {
		if (kept == 0 || fcn_route_compare_gateways(
						 &set->gateway[kept - 1], &set->gateway[i]) != 0)
			set->gateway[kept++] = set->gateway[i];
	}
	set->n_gateways = kept;
	set->n_sorted = kept;
	set->gateway_room = kept + SPARE(kept);
}

/* Add configured routes. Sorting makes those to one prefix adjacent. */
static int
add_static(struct fcn_route_builder *b)
{
	size_t n = 0;

	for (size_t i = 0; i < b->cfg->routes.n; i++) {
		if (b->cfg->routes.item[i].table == b->set->table)
			b->sorted[n++] = &b->cfg->routes.item[i];
	}
	qsort(b->sorted, n, sizeof(b->sorted[0]), fcn_route_compare);
	b->n_sorted = n;
	for (size_t from = 0, to; from < n; from = to) {
		int nh;

		to = fcn_route_builder_end_of_paths(b, from);
		nh = fcn_route_builder_paths(b, from, to);
		if (nh < 0)
			return -1;
		fcn_route_builder_add(b, &b->sorted[from]->prefix, nh);
	}
	return 0;
}

/* Add the routes of the kernel. They come first, since of equal prefixes the last one counts, and
 * every other route has priority. */
static void
add_kernel(struct fcn_route_builder *b)
{
	const struct fcn_kernel_path *path = b->kernel->path;
	size_t n = b->kernel->n;

	for (size_t from = 0, to; from < n; from = to) {
		int nh;

		for (to = from + 1;
				to < n && fcn_prefix_equal(&path[to].prefix, &path[from].prefix);
				to++)
			;
		nh = fcn_route_builder_kernel(b, &path[from], to - from);
		if (nh > 0) /* It is 0 without a path that can be used; there is room for all. */
			fcn_route_builder_add(b, &path[from].prefix, nh);
	}
}

/* Add all routes by ascending priority: routes of the kernel, connected networks, configured
 * routes, neighbours, steered prefixes, local SIDs, and the switch's own addresses. */
static int
fill(struct fcn_route_builder *b)
{
	const struct fcn_config *cfg = b->cfg;
	struct fcn_route_set *set = b->set;

	set->n_sids = set->table == FCN_TABLE_MAIN ? cfg->srv6.sids.n : 0;
	if (fcn_route_builder_count_steered(b) != 0)
		return -1;
	collect_gateways(b);
	for (size_t i = 0; i < cfg->addresses.n; i++)
		set->connected[set->n_connected++] = cfg->addresses.item[i].port;
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (cfg->port[p].kernel[0] != '\0')
			set->connected[set->n_connected++] = p;
	}
	add_kernel(b); /* This needs what is counted so far: the indices of gateways follow. */
	for (size_t i = 0; i < cfg->addresses.n; i++) {
		if (fcn_config_is_in_table(cfg, cfg->addresses.item[i].port, set->table))
			fcn_route_builder_add(b, &cfg->addresses.item[i].prefix,
					fcn_route_set_connected(set, i));
	}
	if (add_static(b) != 0)
		return -1;
	for (size_t i = 0; i < cfg->neighbours.n; i++) {
		const struct fcn_config_neighbour *n = &cfg->neighbours.item[i];

		if (!fcn_route_is_link_local(&n->addr) &&
				fcn_config_is_in_table(cfg, n->port, set->table))
			add_host_route(b, &n->addr,
					fcn_route_set_gateway(
							set, fcn_route_builder_gateway(set, n->port,
									     &n->addr)));
	}
	if (fcn_route_builder_add_steered(b) != 0)
		return -1;
	for (size_t i = 0; i < set->n_sids; i++)
		fcn_route_builder_add(b, &cfg->srv6.sids.item[i].prefix, fcn_route_set_sid(set, i));
	for (size_t i = 0; i < cfg->addresses.n; i++) {
		if (fcn_config_is_in_table(cfg, cfg->addresses.item[i].port, set->table))
			add_host_route(b, &cfg->addresses.item[i].prefix.addr, FCN_NH_LOCAL);
	}
	if (set->table == FCN_TABLE_MAIN && cfg->loopback.version != 0)
		add_host_route(b, &cfg->loopback, FCN_NH_LOCAL);
	if (set->table == FCN_TABLE_MAIN && cfg->loopback4.version != 0)
		add_host_route(b, &cfg->loopback4, FCN_NH_LOCAL);
	for (size_t i = 0; i < b->kernel->n_own; i++) {
		if (b->kernel->own[i].table == set->table)
			add_host_route(b, &b->kernel->own[i].addr, FCN_NH_LOCAL);
	}
	return 0;
}

static size_t
count_members(const struct fcn_kernel_routes *kernel)
{
	size_t n = 0;

	for (size_t i = 0; i < kernel->n; i++)
		n += kernel->path[i].weight;
	return n;
}

struct fcn_route_set *
fcn_route_set_allocate(const struct fcn_config *cfg, size_t gateways, size_t groups, size_t members)
{
	struct fcn_route_set *set = calloc(1, sizeof(*set));

	if (set == NULL)
		return NULL;
	set->refs = 1;
	set->connected = calloc(cfg->addresses.n + FCN_MAX_PORTS, sizeof(*set->connected));
	set->gateway = calloc(gateways + 1, sizeof(*set->gateway));
	set->gateway_room = gateways;
	set->group = calloc(groups + 1, sizeof(*set->group));
	set->group_room = groups;
	set->member = calloc(members + 1, sizeof(*set->member));
	if (set->connected == NULL || set->gateway == NULL || set->group == NULL ||
			set->member == NULL) {
		fcn_route_set_release(set);
		return NULL;
	}
	return set;
}

struct fcn_route_set *
fcn_route_set_create(const struct fcn_config *cfg, unsigned int table,
		const struct fcn_kernel_routes *kernel, const char *name, int socket, char *err,
		size_t err_size)
{
	size_t n_gateways = cfg->routes.n + cfg->neighbours.n + kernel->n + cfg->srv6.sids.n +
			    cfg->srv6.segments.n + kernel->n_sids;
	size_t max_routes = 2 * cfg->addresses.n + n_gateways + cfg->srv6.steering.n +
			    kernel->n_own + 2;
	struct fcn_route_builder b = {.cfg = cfg,
			.table = table,
			.kernel = kernel,
			.err = err,
			.err_size = err_size};
	bool done = false;

	b.set = fcn_route_set_allocate(cfg, n_gateways + SPARE(n_gateways),
			cfg->routes.n + kernel->n + cfg->srv6.policies.n,
			cfg->routes.n + count_members(kernel) +
					(cfg->srv6.policies.n + 1) * FCN_NEXT_HOP_MAX_SLOTS);
	b.route = malloc(max_routes * sizeof(*b.route));
	b.sorted = malloc((cfg->routes.n + 1) * sizeof(*b.sorted));
	if (b.set == NULL || b.route == NULL || b.sorted == NULL ||
			fcn_route_builder_make_buckets(&b) != 0) {
		snprintf(err, err_size, "routes: out of memory");
		fcn_route_set_release(b.set);
		b.set = NULL;
	} else {
		b.set->table = table;
	}
	if (b.set != NULL && fill(&b) == 0) {
		b.set->group_room = b.set->n_groups + SPARE(b.set->n_groups);
		done = fcn_route_builder_tables(&b, name, socket) == 0;
		if (!done)
			snprintf(err, err_size, "route table: out of memory");
	}
	free(b.route);
	free(b.sorted);
	free(b.bucket);
	if (!done) {
		fcn_route_set_release(b.set);
		return NULL;
	}
	return b.set;
}

void
fcn_route_set_release(struct fcn_route_set *set)
{
	if (set == NULL || --set->refs > 0)
		return;
	fcn_fib_free(set->fib);
	fcn_fib_free(set->normal);
	free(set->steered);
	free(set->rule_next_hop);
	free(set->connected);
	free(set->gateway);
	free(set->group);
	free(set->member);
	free(set->used);
	free(set);
}
