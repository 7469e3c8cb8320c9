/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Build local SIDs and END.CON of a snapshot. */

#include <inttypes.h>

#include <rte_malloc.h>

#include "build_parts.h"
#include "fcn_route_set.h"

/* Check that no SID is an address of the switch, and that packets can be sent by its port. */
static int
check_sid(const struct fcn_config *cfg, const struct fcn_config_srv6_sid *sid, char *err,
		size_t size)
{
	char text[FCN_PREFIX_STRLEN];
	bool is_own = sid->prefix.len == 128 && fcn_addr_equal(&cfg->loopback, &sid->prefix.addr);

	fcn_prefix_format(&sid->prefix, text, sizeof(text));
	for (size_t i = 0; sid->prefix.len == 128 && i < cfg->addresses.n; i++)
		is_own |= fcn_addr_equal(&cfg->addresses.item[i].prefix.addr, &sid->prefix.addr);
	if (is_own)
		return fcn_build_fail(
				err, size, "srv6 sid %s: it is an address of the switch", text);
	if (fcn_srv6_behaviors[sid->behavior].argument != FCN_SRV6_ARGUMENT_VIA)
		return 0;
	if (cfg->port[sid->port].bridge >= 0)
		return fcn_build_fail(err, size,
				"srv6 sid %s: port %s is in bridge %s and cannot be routed to",
				text, cfg->port[sid->port].name,
				cfg->bridge[cfg->port[sid->port].bridge].name);
	if (fcn_config_is_bridge_interface(cfg, sid->port))
		return fcn_build_fail(err, size,
				"srv6 sid %s: port %s is an interface of a bridge and cannot be "
				"routed to",
				text, cfg->port[sid->port].name);
	return 0;
}

static int
build_p_nodes(const struct fcn_config_srv6 *from, const struct fcn_build_env *env,
		struct fcn_srv6_conf *to, char *err, size_t size)
{
	struct fcn_prefix_value *v;
	char name[32];

	if (from->p_nodes.n == 0)
		return 0;
	v = rte_calloc("fcn_p_nodes", from->p_nodes.n, sizeof(*v), 0);
	for (size_t i = 0; v != NULL && i < from->p_nodes.n; i++) {
		v[i].prefix = from->p_nodes.item[i];
		v[i].value = 1;
	}
	snprintf(name, sizeof(name), "%s_p_nodes", env->name);
	if (v != NULL)
		to->p_nodes = fcn_prefix_list_create(name, v, from->p_nodes.n, env->socket);
	rte_free(v);
	return to->p_nodes == NULL ? fcn_build_fail(err, size, "srv6 p-node: out of memory") : 0;
}

static void
build_sid(const struct fcn_config_srv6_sid *from, const struct fcn_route_set *routes,
		struct fcn_srv6_sid *to)
{
	const struct fcn_srv6_behavior_row *row = &fcn_srv6_behaviors[from->behavior];

	*to = (struct fcn_srv6_sid){
			.behavior = from->behavior,
			.flavors = from->flavors,
			.inner = row->inner,
			.argument = row->argument,
			.slot = from->slot,
			.has_csid = from->has_csid,
			.csid = from->csid,
			.serial = from->serial,
	};
	if (row->inner == 0 && from->flavors & FCN_SRV6_FLAVOR_USD)
		to->inner = FCN_SRV6_INNER_IPV6 | FCN_SRV6_INNER_IPV4;
	/* The fast path is that of the main table. */
	to->is_fast_step = from->behavior == FCN_SRV6_END && !from->has_csid;
	to->is_fast_decaps = (from->behavior == FCN_SRV6_END_DT6 ||
					     from->behavior == FCN_SRV6_END_DT46) &&
			     from->table == 0;
	to->is_fast_endcon = from->behavior == FCN_SRV6_END_CON && !from->has_csid &&
			     from->table == 0;
	if (row->argument == FCN_SRV6_ARGUMENT_TABLE)
		to->table = from->table;
	if (row->argument == FCN_SRV6_ARGUMENT_VIA) {
		to->port = from->port;
		to->via = from->via;
		to->next_hop = fcn_route_set_find(routes, from->port, &from->via);
	}
}

/* Build the local SIDs of the kernel. Those that the switch cannot do have no next hop. */
static void
build_kernel_sids(const struct fcn_config *cfg, const struct fcn_build_env *env,
		const struct fcn_snapshot *s, struct fcn_srv6_sid *to)
{
	for (size_t i = 0; i < env->n_kernel_sids; i++) {
		const struct fcn_kernel_sid *from = &env->kernel_sids[i];
		struct fcn_config_srv6_sid sid;
		const char *why;

		to[i].slot = FCN_SRV6_SIDS + from->slot;
		to[i].serial = from->serial;
		if (fcn_build_kernel_sid(cfg, env->kernel_table, from, &sid, &why))
			build_sid(&sid, s->table[FCN_TABLE_MAIN].routes, &to[i]);
	}
}

/* Say that there is an END.CON, and that nobody may use it. */
static void
warn(const struct fcn_config_srv6 *from, struct fcn_warnings *warnings)
{
	for (size_t i = 0; from->p_nodes.n == 0 && i < from->sids.n; i++) {
		if (from->sids.item[i].behavior == FCN_SRV6_END_CON)
			fcn_warn(warnings, FCN_WARNING_EMPTY_LIST, FCN_MAX_PORTS, "srv6 p-node",
					"END.CON takes Fast CNPs of no P node: srv6 p-node add "
					"PREFIX");
	}
}

int
fcn_build_srv6_sids(const struct fcn_config *cfg, const struct fcn_build_env *env,
		struct fcn_snapshot *s, char *err, size_t size)
{
	const struct fcn_config_srv6 *from = &cfg->srv6;
	const struct fcn_build_received received = {
			.each = &from->endcon_source,
			.all = &from->endcon_total,
			.each_name = "srv6 endcon-rate",
			.all_name = "srv6 endcon-total",
	};
	struct fcn_srv6_conf *to = &s->srv6;

	to->echo = from->echo;
	to->ecn_event = from->ecn_event;
	to->icrc = cfg->notify.icrc;
	if (fcn_build_source_limits(&received, env->n_workers, s, &to->endcon, err, size) != 0 ||
			build_p_nodes(from, env, to, err, size) != 0)
		return -1;
	to->n_sids = (uint32_t)(from->sids.n + env->n_kernel_sids);
	if (to->n_sids == 0)
		return 0;
	to->sid = rte_calloc_socket("fcn_srv6_sid", to->n_sids, sizeof(*to->sid), 0, env->socket);
	if (to->sid == NULL)
		return fcn_build_fail(err, size, "srv6 sid: out of memory");
	warn(from, env->warnings);
	for (size_t i = 0; i < from->sids.n; i++) {
		if (check_sid(cfg, &from->sids.item[i], err, size) != 0)
			return -1;
		build_sid(&from->sids.item[i], s->table[FCN_TABLE_MAIN].routes, &to->sid[i]);
	}
	build_kernel_sids(cfg, env, s, &to->sid[from->sids.n]);
	return 0;
}

void
fcn_build_srv6_sids_free(struct fcn_snapshot *s)
{
	fcn_prefix_list_free(s->srv6.p_nodes);
	rte_free(s->srv6.sid);
}
