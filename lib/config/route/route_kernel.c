/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>

#include "fcn_next_hop.h"
#include "route_set_private.h"

bool
fcn_route_set_has_path(const struct fcn_config *cfg, const struct fcn_kernel_path *path)
{
	const struct fcn_config_port *port;

	if (path->type != FCN_KERNEL_GATEWAY && path->type != FCN_KERNEL_CONNECTED)
		return true;
	port = &cfg->port[path->port];
	return port->name[0] != '\0' && port->bridge < 0 && port->kernel[0] != '\0';
}

static uint32_t
connected_by(const struct fcn_route_builder *b, uint16_t port)
{
	for (uint32_t i = b->cfg->addresses.n; i < b->set->n_connected; i++) {
		if (b->set->connected[i] == port)
			return fcn_route_set_connected(b->set, i);
	}
	return FCN_FIB_NO_ROUTE;
}

/* Get the next hop for paths by gateways and segment lists. One of weight w is w times in the
 * group.
 */
static int
by_gateways(struct fcn_route_builder *b, const struct fcn_kernel_path *path, size_t n)
{
	struct fcn_route_set *set = b->set;
	struct fcn_path_group group = {.first = set->n_members};
	int found;

	for (size_t i = 0; i < n; i++) {
		if (!fcn_route_set_has_path(b->cfg, &path[i]))
			continue;
		found = fcn_route_builder_gateway(set, path[i].port, &path[i].via);
		if (found < 0)
			return -1;
		for (unsigned int k = 0; k < path[i].weight && group.n < FCN_NEXT_HOP_MAX_SLOTS;
				k++, group.n++)
			set->member[set->n_members++] = found;
	}
	if (group.n == 0)
		return FCN_FIB_NO_ROUTE;
	if (group.n == 1)
		return fcn_route_set_gateway(set, set->member[--set->n_members]);
	found = fcn_route_builder_group(b, &group);
	return found < 0 ? -1 : (int)fcn_route_set_group(set, found);
}

/* Get the next hop for a local SID. The station that it sends packets to becomes a gateway, too. */
static int
by_sid(struct fcn_route_builder *b, const struct fcn_kernel_path *path)
{
	const struct fcn_kernel_sid *sid = fcn_kernel_sid_find(
			b->kernel->sid, b->kernel->n_sids, fcn_kernel_path_serial(path));
	struct fcn_gateway station;
	int found;

	if (sid != NULL && fcn_kernel_sid_station(b->cfg, sid, &station) &&
			fcn_route_builder_gateway(b->set, station.port, &station.addr) < 0)
		return -1;
	found = fcn_route_builder_gateway(b->set, path->port, &path->via);
	return found < 0 ? -1 : (int)fcn_route_set_gateway(b->set, found);
}

int
fcn_route_builder_kernel(struct fcn_route_builder *b, const struct fcn_kernel_path *path, size_t n)
{
	switch (path->type) {
	case FCN_KERNEL_GATEWAY:
	case FCN_KERNEL_SEGMENTS:
		return by_gateways(b, path, n);
	case FCN_KERNEL_SID:
		return b->table == FCN_TABLE_MAIN ? by_sid(b, path) : FCN_FIB_NO_ROUTE;
	case FCN_KERNEL_CONNECTED:
		return fcn_route_set_has_path(b->cfg, path) ? (int)connected_by(b, path->port)
							    : FCN_FIB_NO_ROUTE;
	case FCN_KERNEL_BLACKHOLE:
		return FCN_NH_BLACKHOLE;
	default:
		return FCN_NH_UNREACHABLE;
	}
}

static void
mark(struct fcn_route_set *set, uint16_t port, const struct fcn_addr *addr)
{
	uint32_t nh = fcn_route_set_find(set, port, addr);

	if (nh != FCN_NH_NO_ROUTE)
		set->used[nh - fcn_route_set_gateway(set, 0)] = true;
}

static void
mark_station(struct fcn_route_set *set, const struct fcn_config *cfg,
		const struct fcn_kernel_routes *kernel, const struct fcn_kernel_path *path)
{
	const struct fcn_kernel_sid *sid = fcn_kernel_sid_find(
			kernel->sid, kernel->n_sids, fcn_kernel_path_serial(path));
	struct fcn_gateway station;

	if (sid != NULL && fcn_kernel_sid_station(cfg, sid, &station))
		mark(set, station.port, &station.addr);
}

static void
find_used(struct fcn_route_set *set, const struct fcn_config *cfg,
		const struct fcn_kernel_routes *kernel)
{
	const struct fcn_kernel_path *last = NULL;

	for (size_t i = 0; i < cfg->routes.n; i++) {
		if (fcn_config_route_has_gateway(&cfg->routes.item[i]) &&
				cfg->routes.item[i].table == set->table)
			mark(set, cfg->routes.item[i].port, &cfg->routes.item[i].via);
	}
	for (size_t i = 0; i < cfg->neighbours.n; i++)
		mark(set, cfg->neighbours.item[i].port, &cfg->neighbours.item[i].addr);
	for (size_t i = 0; i < cfg->srv6.sids.n; i++) {
		const struct fcn_config_srv6_sid *sid = &cfg->srv6.sids.item[i];

		if (fcn_srv6_behaviors[sid->behavior].argument == FCN_SRV6_ARGUMENT_VIA)
			mark(set, sid->port, &sid->via);
	}
	for (size_t i = 0; i < cfg->srv6.segments.n; i++) {
		struct fcn_gateway g = fcn_gateway_of_segments(cfg->srv6.segments.item[i].serial);

		mark(set, g.port, &g.addr);
	}
	for (size_t i = 0; i < kernel->n; i++) {
		const struct fcn_kernel_path *p = &kernel->path[i];

		if (p->type == FCN_KERNEL_SID)
			mark_station(set, cfg, kernel, p);
		if ((!fcn_kernel_path_is_shared(p) && p->type != FCN_KERNEL_SID) ||
				(last != NULL && fcn_kernel_path_is_same_way(p, last)))
			continue;
		mark(set, p->port, &p->via);
		last = p;
	}
}

/* When memory is exhausted, every gateway counts as used. */
bool
fcn_route_set_is_used(struct fcn_route_set *set, const struct fcn_config *cfg,
		const struct fcn_kernel_routes *kernel, uint32_t gateway)
{
	if (!set->is_changed)
		return true;
	if (set->used == NULL) {
		set->used = calloc(set->n_gateways + 1, sizeof(*set->used));
		if (set->used == NULL)
			return true;
		find_used(set, cfg, kernel);
	}
	return set->used[gateway];
}
