/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "fcn_names.h"
#include "fcn_route_set.h"
#include "fcn_list.h"
#include "show_private.h"

static bool
is_hidden(const struct fcn_config *cfg, unsigned int table, const struct fcn_prefix *prefix)
{
	for (size_t i = 0; i < cfg->routes.n; i++) {
		if (cfg->routes.item[i].table == table &&
				fcn_prefix_equal(&cfg->routes.item[i].prefix, prefix))
			return true;
	}
	for (size_t i = 0; i < cfg->addresses.n; i++) {
		const struct fcn_prefix *a = &cfg->addresses.item[i].prefix;

		if (fcn_config_is_in_table(cfg, cfg->addresses.item[i].port, table) &&
				a->len == prefix->len && fcn_prefix_contains(prefix, &a->addr))
			return true;
	}
	return false;
}

FCN_STATIC_NAME_FUNCTION(kind_name,
		uint8_t, [FCN_KERNEL_GATEWAY] = "gateway", [FCN_KERNEL_SEGMENTS] = "segments",
		[FCN_KERNEL_SID] = "sid", [FCN_KERNEL_CONNECTED] = "connected",
		[FCN_KERNEL_BLACKHOLE] = "blackhole", [FCN_KERNEL_UNREACHABLE] = "unreachable")

static json_t *
show_protocol(uint8_t protocol)
{
	const char *name = fcn_rtnl_protocol_name(protocol);

	return name != NULL ? json_string(name) : json_sprintf("%u", protocol);
}

/* The segments of a path, in the order in which they are visited. */
static json_t *
show_segments(const struct fcn_control *ctl, const struct fcn_kernel_path *p)
{
	const struct fcn_build_env *env = fcn_control_build_env(ctl);
	const uint64_t serial = fcn_kernel_path_serial(p);

	for (size_t i = 0; i < env->n_kernel_segments; i++) {
		if (env->kernel_segments[i].serial == serial)
			return fcn_list_segments_json(&env->kernel_segments[i].list);
	}
	return json_null();
}

static void
show_path(const struct fcn_control *ctl, const struct fcn_kernel_path *p, json_t *list)
{
	json_t *o = fcn_show_row(list);

	json_object_set_new(o, "prefix", fcn_show_prefix(&p->prefix));
	fcn_show_set_str(o, "table", fcn_control_config(ctl)->table[p->table].name);
	fcn_show_set_str(o, "origin", "kernel");
	fcn_show_set_str(o, "kind", kind_name(p->type));
	if (p->type == FCN_KERNEL_GATEWAY)
		json_object_set_new(o, "via", fcn_show_addr(&p->via));
	if (p->type == FCN_KERNEL_GATEWAY || p->type == FCN_KERNEL_CONNECTED)
		fcn_show_set_str(o, "port", fcn_show_port_name(ctl, p->port));
	if (p->type == FCN_KERNEL_GATEWAY)
		fcn_show_set_str(o, "next_hop", fcn_show_next_hop(ctl, p->table, p->port, &p->via));
	if (p->type == FCN_KERNEL_SEGMENTS)
		json_object_set_new(o, "segments", show_segments(ctl, p));
	json_object_set_new(o, "protocol", show_protocol(p->protocol));
	if (fcn_kernel_path_is_shared(p))
		fcn_show_set(o, "weight", p->weight);
}

/* Routes of the kernel that are used: a configured route of the same prefix hides the kernel's.
 */
void
fcn_show_kernel_routes(struct fcn_control *ctl, struct fcn_route_query *q, json_t *list)
{
	for (size_t i = 0; i < fcn_control_build_env(ctl)->n_kernel_paths && q->limit > 0; i++) {
		const struct fcn_kernel_path *p = &fcn_control_build_env(ctl)->kernel_paths[i];

		if (i % FCN_SHOW_PORTION == 0)
			fcn_control_attend(ctl);
		if ((q->table == FCN_SHOW_ALL_TABLES || q->table == p->table) &&
				fcn_control_config(ctl)->table[p->table].name[0] != '\0' &&
				fcn_route_set_has_path(fcn_control_config(ctl), p) &&
				!is_hidden(fcn_control_config(ctl), p->table, &p->prefix) &&
				fcn_show_is_wanted(q, &p->prefix))
			show_path(ctl, p, list);
	}
}

void
fcn_show_kernel_neighbours(struct fcn_control *ctl, json_t *list)
{
	for (size_t i = 0; i < fcn_control_build_env(ctl)->n_kernel_neighbours; i++) {
		const struct fcn_kernel_neighbour *n =
				&fcn_control_build_env(ctl)->kernel_neighbours[i];
		json_t *o = fcn_show_port_row(ctl, list, n->port);

		json_object_set_new(o, "address", fcn_show_addr(&n->addr));
		json_object_set_new(o, "mac", fcn_show_mac(&n->mac));
		fcn_show_set_str(o, "state", "kernel");
	}
}

static json_t *
show_interfaces(const struct fcn_control *ctl)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	json_t *list = json_array();

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_config_port *port = &cfg->port[p];
		struct fcn_kernel_interface_info info;
		json_t *o;

		if (port->name[0] == '\0' || port->kernel[0] == '\0')
			continue;
		fcn_kernel_interface(fcn_control_kernel(ctl), p, &info);
		o = fcn_show_row(list);
		fcn_show_set_str(o, "port", port->name);
		fcn_setting_show(&fcn_kernel_port_scope, "kernel.interfaces", port, NULL, o);
		fcn_show_set_bool(o, "there", info.is_there);
		FCN_SHOW_COUNTERS(o, &info.counts, FCN_KERNEL_INTERFACE_COUNTERS);
		if (info.is_open)
			FCN_SHOW_COUNTERS(o, &info.tap, FCN_KERNEL_TAP_COUNTERS);
	}
	return list;
}

static json_t *
show_counters(const struct fcn_kernel_info *info, const struct fcn_control_kernel_builds *builds)
{
	json_t *o = json_object();

	FCN_SHOW_COUNTERS(o, &info->netlink, FCN_NETLINK_COUNTERS);
	FCN_SHOW_COUNTERS(o, &info->store, FCN_KERNEL_STORE_COUNTERS);
	FCN_SHOW_COUNTERS(o, &info->store, FCN_RTNL_UNUSABLE);
	FCN_SHOW_COUNTERS(o, builds, FCN_CONTROL_KERNEL_COUNTERS);
	return o;
}

static const char *
state_of(const struct fcn_control *ctl, unsigned int table, const struct fcn_kernel_info *info)
{
	if (fcn_config_table_follow(fcn_control_config(ctl), table).mode != FCN_KERNEL_OFF &&
			!fcn_control_build_env(ctl)->kernel)
		return "no kernel here";
	return fcn_netlink_state_name(info->table_state[table]);
}

void
fcn_show_kernel_table(const struct fcn_control *ctl, unsigned int table,
		const struct fcn_kernel_info *info, json_t *o)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);

	fcn_show_set_str(o, "kernel_state", state_of(ctl, table, info));
	fcn_show_set_known(o, "kernel_table", info->table[table] != 0, info->table[table]);
	if (table == FCN_TABLE_MAIN)
		fcn_show_set_str(o, "kernel_vrf",
				cfg->kernel.vrf[0] != '\0' ? cfg->kernel.vrf : NULL);
	else
		fcn_setting_show(&fcn_kernel_table_scope, "table", &cfg->table[table], NULL, o);
	fcn_show_set(o, "kernel_routes", info->store.table_routes[table]);
}

json_t *
fcn_show_kernel(struct fcn_control *ctl)
{
	const struct fcn_build_env *env = fcn_control_build_env(ctl);
	struct fcn_control_kernel_builds builds;
	struct fcn_kernel_info info;
	json_t *o = json_object();

	fcn_kernel_info(fcn_control_kernel(ctl), &info);
	fcn_control_kernel_builds(ctl, &builds);
	fcn_show_set_str(o, "state", state_of(ctl, FCN_TABLE_MAIN, &info));
	fcn_show_set_known(o, "table", info.table[FCN_TABLE_MAIN] != 0, info.table[FCN_TABLE_MAIN]);
	fcn_setting_show(&fcn_kernel_scope, "kernel", fcn_control_config(ctl), NULL, o);
	fcn_show_set(o, "routes", info.store.routes);
	fcn_show_set(o, "nexthops", info.store.nexthops);
	fcn_show_set(o, "neighbours", info.store.neighbours);
	fcn_show_set(o, "segment_lists", info.store.segment_lists);
	fcn_show_set(o, "sids", info.store.sids);
	fcn_show_set(o, "paths", env->n_kernel_paths);
	fcn_show_set(o, "paths_left_out", builds.left_out);
	json_object_set_new(o, "counters", show_counters(&info, &builds));
	fcn_show_set_str(o, "last_error", info.last_error[0] != '\0' ? info.last_error : NULL);
	json_object_set_new(o, "interfaces", show_interfaces(ctl));
	return o;
}
