/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdio.h>
#include <string.h>

#include "fcn_list.h"
#include "fcn_route_set.h"
#include "show_private.h"

const char *
fcn_show_port_name(const struct fcn_control *ctl, unsigned int port)
{
	if (port >= FCN_MAX_PORTS || fcn_control_config(ctl)->port[port].name[0] == '\0')
		return "-";
	return fcn_control_config(ctl)->port[port].name;
}

json_t *
fcn_show_addr(const struct fcn_addr *addr)
{
	char buf[FCN_ADDR_STRLEN];

	if (addr->version == 0)
		return json_null();
	return json_string(fcn_addr_format(addr, buf, sizeof(buf)));
}

json_t *
fcn_show_addr6(const uint8_t *bytes)
{
	const struct fcn_addr addr = fcn_addr_unmap(bytes);

	return fcn_show_addr(&addr);
}

json_t *
fcn_show_prefix(const struct fcn_prefix *prefix)
{
	char buf[FCN_PREFIX_STRLEN];

	return json_string(fcn_prefix_format(prefix, buf, sizeof(buf)));
}

json_t *
fcn_show_mac(const struct rte_ether_addr *mac)
{
	const uint8_t *b = mac->addr_bytes;

	return json_sprintf("%02x:%02x:%02x:%02x:%02x:%02x", b[0], b[1], b[2], b[3], b[4], b[5]);
}

json_t *
fcn_show_flow_addr(const struct fcn_flow_descriptor *flow, const uint8_t *bytes)
{
	struct fcn_addr addr = {.version = flow->version};

	memcpy(addr.bytes, bytes, flow->version == 4 ? 4 : 16);
	return fcn_show_addr(&addr);
}

/* The time that a check still takes is shown in whole milliseconds, rounded up, to be read easily.
 */
#define LEFT_UNIT_NS UINT64_C(1000000)

/* The state of duplicate address detection (RFC 4862 section 5.4). */
static void
set_status(struct fcn_control *ctl, json_t *o, uint16_t port, const struct fcn_addr *addr)
{
	struct fcn_host_address_status status = fcn_host_address_status(
			fcn_control_host(ctl), port, addr, fcn_control_now(ctl));

	fcn_show_set_str(o, "state", status.state);
	fcn_show_set_known(o, "left_ns", status.left_ns != 0,
			RTE_ALIGN_MUL_CEIL(status.left_ns, LEFT_UNIT_NS));
}

/* Append an address that belongs to no port, if there is one. */
static void
append_own(struct fcn_control *ctl, json_t *list, const char *of, const struct fcn_addr *addr)
{
	json_t *o;

	if (addr->version == 0)
		return;
	o = fcn_show_row(list);
	fcn_show_set_str(o, "port", of);
	json_object_set_new(o, "address", fcn_show_addr(addr));
	set_status(ctl, o, FCN_HOST_LOOPBACK, addr);
}

json_t *
fcn_show_addresses(struct fcn_control *ctl)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	const struct fcn_build_env *env = fcn_control_build_env(ctl);
	json_t *list = json_array();

	append_own(ctl, list, "loopback", &cfg->loopback);
	append_own(ctl, list, "loopback", &cfg->loopback4);
	for (size_t i = 0; i < cfg->addresses.n; i++) {
		json_t *o = fcn_show_port_row(ctl, list, cfg->addresses.item[i].port);

		json_object_set_new(o, "address", fcn_show_prefix(&cfg->addresses.item[i].prefix));
		set_status(ctl, o, cfg->addresses.item[i].port,
				&cfg->addresses.item[i].prefix.addr);
	}
	for (size_t i = 0; i < env->n_kernel_own; i++)
		append_own(ctl, list, "kernel", &env->kernel_own[i].addr);
	return list;
}

json_t *
fcn_show_neighbours(struct fcn_control *ctl)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	json_t *list = json_array();

	for (size_t i = 0; i < cfg->neighbours.n; i++) {
		json_t *o = fcn_show_row(list);

		fcn_list_show(fcn_list_of("neighbour"), cfg, &cfg->neighbours.item[i], o);
		fcn_show_set_str(o, "state", "static");
	}
	fcn_show_kernel_neighbours(ctl, list);
	fcn_show_found_neighbours(ctl, list);
	return list;
}

const char *
fcn_show_next_hop(const struct fcn_control *ctl, unsigned int table, uint16_t port,
		const struct fcn_addr *via)
{
	const struct fcn_snapshot *s = fcn_control_snapshot(ctl);
	uint32_t nh = fcn_route_set_find(s->table[table].routes, port, via);

	return nh != FCN_NH_NO_ROUTE && fcn_next_hop_is_forward(
							&s->next_hop[s->table[table].first + nh])
			       ? "resolved"
			       : "no neighbour";
}

static void
set_table(const struct fcn_control *ctl, json_t *o, unsigned int table)
{
	fcn_show_set_str(o, "table", fcn_control_config(ctl)->table[table].name);
}

static bool
is_in(const struct fcn_route_query *q, unsigned int table)
{
	return q->table == FCN_SHOW_ALL_TABLES || q->table == (int)table;
}

static void
show_connected(const struct fcn_control *ctl, const struct fcn_config_address *a,
		const struct fcn_prefix *prefix, json_t *list)
{
	json_t *o = fcn_show_row(list);

	json_object_set_new(o, "prefix", fcn_show_prefix(prefix));
	set_table(ctl, o, fcn_config_port_table(fcn_control_config(ctl), a->port));
	fcn_show_set_str(o, "origin", "connected");
	fcn_show_set_str(o, "kind", "connected");
	fcn_show_set_str(o, "port", fcn_show_port_name(ctl, a->port));
}

static json_t *
show_route(const struct fcn_control *ctl, const struct fcn_config_route *r)
{
	json_t *o = json_object();

	json_object_set_new(o, "prefix", fcn_show_prefix(&r->prefix));
	set_table(ctl, o, r->table);
	fcn_show_set_str(o, "origin", "config");
	if (r->blackhole) {
		fcn_show_set_str(o, "kind", "blackhole");
		return o;
	}
	if (r->policy != 0) {
		fcn_show_set_str(o, "kind", "policy");
		fcn_show_set_str(o, "policy",
				fcn_config_srv6_policy_of(fcn_control_config(ctl), r->policy - 1u)
						->name);
		return o;
	}
	fcn_show_set_str(o, "kind", "static");
	json_object_set_new(o, "via", fcn_show_addr(&r->via));
	fcn_show_set_str(o, "port", fcn_show_port_name(ctl, r->port));
	fcn_show_set_str(o, "next_hop", fcn_show_next_hop(ctl, r->table, r->port, &r->via));
	return o;
}

bool
fcn_show_is_wanted(struct fcn_route_query *q, const struct fcn_prefix *route)
{
	if (q->limit == 0)
		return false;
	if (q->prefix != NULL &&
			!fcn_prefix_contains(route->len <= q->prefix->len ? route : q->prefix,
					route->len <= q->prefix->len ? &q->prefix->addr
								     : &route->addr))
		return false;
	if (q->skip > 0) {
		q->skip--;
		return false;
	}
	q->limit--;
	return true;
}

json_t *
fcn_show_some_routes(struct fcn_control *ctl, const struct fcn_route_query *query)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	struct fcn_route_query q = *query;
	json_t *list = json_array();

	for (size_t i = 0; i < cfg->addresses.n; i++) {
		struct fcn_prefix p = cfg->addresses.item[i].prefix;

		fcn_prefix_normalise(&p);
		if (is_in(&q, fcn_config_port_table(cfg, cfg->addresses.item[i].port)) &&
				fcn_show_is_wanted(&q, &p))
			show_connected(ctl, &cfg->addresses.item[i], &p, list);
	}
	for (size_t i = 0; i < cfg->routes.n && q.limit > 0; i++) {
		const struct fcn_config_route *r = &cfg->routes.item[i];

		if (i % FCN_SHOW_PORTION == 0)
			fcn_control_attend(ctl);
		if (is_in(&q, r->table) && fcn_show_is_wanted(&q, &r->prefix))
			json_array_append_new(list, show_route(ctl, r));
	}
	fcn_show_kernel_routes(ctl, &q, list);
	return list;
}

json_t *
fcn_show_tables(struct fcn_control *ctl)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	json_t *list = json_array();
	struct fcn_kernel_info kernel;

	fcn_kernel_info(fcn_control_kernel(ctl), &kernel);
	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++) {
		json_t *o, *ports;
		uint64_t routes = 0;

		if (cfg->table[t].name[0] == '\0')
			continue;
		for (size_t i = 0; i < cfg->routes.n; i++)
			routes += cfg->routes.item[i].table == t;
		o = fcn_show_row(list);
		ports = json_array();
		for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
			if (cfg->port[p].name[0] != '\0' && cfg->port[p].bridge < 0 &&
					!fcn_config_is_bridge_interface(cfg, p) &&
					fcn_config_is_in_table(cfg, p, t))
				json_array_append_new(ports, json_string(cfg->port[p].name));
		}
		fcn_show_set_str(o, "table", cfg->table[t].name);
		fcn_show_set(o, "static", routes);
		fcn_show_kernel_table(ctl, t, &kernel, o);
		json_object_set_new(o, "ports", ports);
	}
	return list;
}

json_t *
fcn_show_route_count(struct fcn_control *ctl)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	uint64_t blackholes = 0;
	json_t *o = json_object();

	for (size_t i = 0; i < cfg->routes.n; i++)
		blackholes += cfg->routes.item[i].blackhole;
	fcn_show_set(o, "connected", cfg->addresses.n);
	fcn_show_set(o, "static", cfg->routes.n - blackholes);
	fcn_show_set(o, "blackhole", blackholes);
	fcn_show_set(o, "kernel", fcn_control_build_env(ctl)->n_kernel_paths);
	fcn_show_set(o, "total",
			cfg->addresses.n + cfg->routes.n +
					fcn_control_build_env(ctl)->n_kernel_paths);
	return o;
}

json_t *
fcn_show_class_map(struct fcn_control *ctl)
{
	const struct fcn_class_map *map = &fcn_control_config(ctl)->class_map;
	json_t *list = json_array();

	for (unsigned int c = 0; c < FCN_CLASSES; c++) {
		json_t *o = fcn_show_row(list), *dscp = json_array(), *pcp = json_array();

		for (unsigned int d = 0; d < RTE_DIM(map->dscp); d++) {
			if (map->dscp[d] == c)
				json_array_append_new(dscp, json_integer(d));
		}
		for (unsigned int p = 0; p < RTE_DIM(map->pcp); p++) {
			if (map->pcp[p] == c)
				json_array_append_new(pcp, json_integer(p));
		}
		fcn_show_set(o, "class", c);
		json_object_set_new(o, "dscp", dscp);
		json_object_set_new(o, "pcp", pcp);
	}
	return list;
}
