/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Local SIDs, and END.CON at a PE. */

#include <stdlib.h>

#include "fcn_learned.h"
#include "fcn_route_set.h"
#include "fcn_list.h"
#include "show_private.h"

#define MOST_KNOWN 256 /* the answer is bounded */
#define SECOND 1000000000u

static json_t *
flavors(unsigned int set)
{
	json_t *list = json_array();

#define APPEND(sym, word, bit, text) \
	if (set & (bit))             \
		json_array_append_new(list, json_string(word));
	FCN_SRV6_FLAVORS(APPEND)
#undef APPEND
	return list;
}

static json_t *
csid(const struct fcn_config_srv6_sid *sid)
{
	return !sid->has_csid ? json_null()
			      : json_pack("{s:i, s:i}", "block_bits", sid->csid.block_bits,
						"node_bits", sid->csid.node_function_bits);
}

/* @param why why the switch cannot do what it does; NULL: it can */
static void
show_sid(const struct fcn_control *ctl, const struct fcn_config_srv6_sid *sid, const char *origin,
		const char *why, const struct fcn_srv6_sid_counters *c, json_t *list)
{
	const struct fcn_srv6_behavior_row *row = &fcn_srv6_behaviors[sid->behavior];
	const bool is_via = row->argument == FCN_SRV6_ARGUMENT_VIA && why == NULL;
	const bool is_table = row->argument == FCN_SRV6_ARGUMENT_TABLE && why == NULL;
	const struct fcn_config *cfg = fcn_control_config(ctl);
	json_t *o = fcn_show_row(list);

	json_object_set_new(o, "sid", fcn_show_prefix(&sid->prefix));
	fcn_show_set_str(o, "origin", origin);
	fcn_show_set_str(o, "behavior", row->word);
	/* The flavor NEXT-CSID has code points of its own. */
	fcn_show_set_known(o, "code", !sid->has_csid,
			fcn_srv6_behavior_code(sid->behavior, sid->flavors));
	json_object_set_new(o, "flavors", flavors(sid->flavors));
	json_object_set_new(o, "next_csid", csid(sid));
	fcn_show_set_str(o, "table", is_table ? cfg->table[sid->table].name : NULL);
	fcn_show_set_str(o, "port", is_via ? fcn_show_port_name(ctl, sid->port) : NULL);
	json_object_set_new(o, "via", is_via ? fcn_show_addr(&sid->via) : json_null());
	fcn_show_set_str(o, "state",
			is_via ? fcn_show_next_hop(ctl, FCN_TABLE_MAIN, sid->port, &sid->via)
			       : why);
	FCN_SHOW_COUNTERS(o, c, FCN_SRV6_SID_COUNTERS);
}

/* Show a local SID that the paths of a prefix of the kernel name. */
static void
show_kernel_sid(const struct fcn_control *ctl, const struct fcn_kernel_path *path,
		const struct fcn_srv6_sid_counters *c, json_t *list)
{
	const struct fcn_build_env *env = fcn_control_build_env(ctl);
	const struct fcn_kernel_sid *from = fcn_kernel_sid_find(
			env->kernel_sids, env->n_kernel_sids, fcn_kernel_path_serial(path));
	struct fcn_config_srv6_sid sid;
	const char *why;

	if (from == NULL)
		return;
	fcn_build_kernel_sid(fcn_control_config(ctl), env->kernel_table, from, &sid, &why);
	sid.prefix = path->prefix;
	show_sid(ctl, &sid, "kernel", why, &c[sid.slot], list);
}

/* The local SIDs of the kernel's routes. */
static void
show_kernel_sids(struct fcn_control *ctl, const struct fcn_srv6_sid_counters *c, json_t *list)
{
	const struct fcn_build_env *env = fcn_control_build_env(ctl);

	/* The paths of the main table come first. */
	for (size_t i = 0; env->n_kernel_sids > 0 && i < env->n_kernel_paths; i++) {
		if (i % FCN_SHOW_PORTION == 0) {
			fcn_control_attend(ctl);
			if (i >= env->n_kernel_paths)
				break;
		}
		if (env->kernel_paths[i].table != FCN_TABLE_MAIN)
			break;
		if (env->kernel_paths[i].type == FCN_KERNEL_SID)
			show_kernel_sid(ctl, &env->kernel_paths[i], c, list);
	}
}

static json_t *
show_ecn(struct fcn_control *ctl)
{
	uint64_t *packets = FCN_SHOW_SUM(ctl, srv6.ecn);
	json_t *list = json_array();

	for (unsigned int i = FCN_TUNNEL_ECN_USED + 1;
			packets != NULL && i < FCN_TUNNEL_ECN_COMBINATION_COUNT; i++) {
		json_t *o = fcn_show_row(list);

		fcn_show_set_str(o, "combination", fcn_tunnel_ecn_name(i));
		fcn_show_set_bool(o, "dangerous", fcn_tunnel_ecn_is_dangerous(i));
		fcn_show_set(o, "packets", packets[i]);
	}
	free(packets);
	return list;
}

json_t *
fcn_show_srv6_sids(struct fcn_control *ctl)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	json_t *o = json_object(), *list = json_array();
	struct fcn_srv6_sid_counters *c = FCN_SHOW_SUM(ctl, srv6.sid);

	fcn_setting_show(&fcn_srv6_scope, "srv6 sid", cfg, NULL, o);
	for (size_t i = 0; c != NULL && i < cfg->srv6.sids.n; i++) {
		const struct fcn_config_srv6_sid *sid = &cfg->srv6.sids.item[i];

		show_sid(ctl, sid, "config", NULL, &c[sid->slot], list);
	}
	if (c != NULL)
		show_kernel_sids(ctl, c, list);
	json_object_set_new(o, "sids", list);
	json_object_set_new(o, "ecn", show_ecn(ctl));
	free(c);
	return o;
}

static json_t *
append_known(json_t *list, const struct fcn_prefix *prefix, const char *origin)
{
	json_t *o = fcn_show_row(list);

	json_object_set_new(o, "prefix", fcn_show_prefix(prefix));
	fcn_show_set_str(o, "origin", origin);
	json_object_set_new(o, "age_s", json_null());
	json_object_set_new(o, "left_s", json_null());
	return o;
}

/* SIDs that were learned: how long they have been known, and will be. */
static void
append_learned(struct fcn_control *ctl, json_t *list)
{
	const uint64_t now = fcn_control_now(ctl);
	uint32_t n;
	struct fcn_learned *learned = fcn_learned_list(ctl, FCN_LEARNED_ENDCON, &n);

	for (uint32_t i = 0; learned != NULL && i < n && json_array_size(list) < MOST_KNOWN; i++) {
		const struct fcn_learned *l = &learned[i];
		json_t *o = append_known(
				list, &l->item.prefix, fcn_proxy_origin_name(l->item.origin));

		fcn_show_set(o, "age_s", (now - l->since_ns) / SECOND);
		fcn_show_set(o, "left_s", (RTE_MAX(l->expires_ns, now) - now) / SECOND);
	}
	free(learned);
}

/* The prefixes of END.CON addresses to which a P node sends Fast CNPs: those that are configured,
 * those of routes of the kernel for the main table, which come first there, and the SIDs that were
 * learned. The paths of a route are adjacent. */
static json_t *
show_known(struct fcn_control *ctl)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	const struct fcn_build_env *env = fcn_control_build_env(ctl);
	const struct fcn_prefix *last = NULL;
	json_t *list = json_array();

	for (size_t i = 0; i < cfg->srv6.endcons.n; i++)
		append_known(list, &cfg->srv6.endcons.item[i], "configured");
	for (size_t i = 0; cfg->srv6.endcon_protocol != FCN_SRV6_NO_PROTOCOL &&
			   i < env->n_kernel_paths && json_array_size(list) < MOST_KNOWN &&
			   env->kernel_paths[i].table == FCN_TABLE_MAIN;
			i++) {
		const struct fcn_kernel_path *path = &env->kernel_paths[i];

		if (!fcn_config_srv6_is_endcon_route(cfg, path->protocol, &path->prefix) ||
				(last != NULL && fcn_prefix_equal(last, &path->prefix)))
			continue;
		append_known(list, &path->prefix, "kernel");
		last = &path->prefix;
	}
	append_learned(ctl, list);
	return list;
}

/* What each protocol has said of END.CON SIDs. */
static json_t *
show_learned(const struct fcn_control *ctl)
{
	struct fcn_learned_state state;
	json_t *list = json_array();

	fcn_learned_state(ctl, FCN_LEARNED_ENDCON, &state);
	for (unsigned int p = 0; p < FCN_PROXY_ORIGIN_COUNT; p++) {
		json_t *row;

		if (!fcn_learned_has_protocol(FCN_LEARNED_ENDCON, p))
			continue;
		row = fcn_show_row(list);
		fcn_show_set_str(row, "protocol", fcn_proxy_origin_name(p));
		fcn_show_set(row, "sids", state.n_of[p]);
		fcn_show_set(row, "room", state.room[p]);
		FCN_SHOW_COUNTERS(row, &state.count[p], FCN_LEARNED_ENDCON_COUNTERS);
	}
	return list;
}

json_t *
fcn_show_srv6_endcon(struct fcn_control *ctl)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	json_t *o = json_object(), *sids = json_array();
	struct fcn_endcon_counters *c = FCN_SHOW_SUM(ctl, srv6.endcon);

	fcn_setting_show(&fcn_srv6_scope, "srv6 endcon", cfg, NULL, o);
	for (size_t i = 0; i < cfg->srv6.sids.n; i++) {
		if (cfg->srv6.sids.item[i].behavior == FCN_SRV6_END_CON)
			json_array_append_new(
					sids, fcn_show_prefix(&cfg->srv6.sids.item[i].prefix));
	}
	json_object_set_new(o, "sids", sids);
	fcn_list_show_all(cfg, "srv6 endcon", o);
	json_object_set_new(o, "known", show_known(ctl));
	json_object_set_new(o, "learned", show_learned(ctl));
	json_object_set_new(o, "notices", fcn_show_endcon_notices(ctl));
	if (c != NULL)
		FCN_SHOW_COUNTERS(o, c, FCN_ENDCON_COUNTERS);
	free(c);
	return o;
}
