/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Policies of SRv6, and by which segment lists packets enter the SRv6 domain. */

#include <stdlib.h>
#include <string.h>

#include "fcn_list.h"
#include "show_private.h"

/* Get the segment list of a serial in the current snapshot; NULL: there is none. */
static const struct fcn_encaps *
find_encaps(const struct fcn_snapshot *s, uint64_t serial)
{
	for (uint32_t i = 0; i < s->srv6.n_encaps; i++) {
		if (s->srv6.encaps[i].serial == serial)
			return &s->srv6.encaps[i];
	}
	return NULL;
}

/* Tell whether packets can be sent towards the first segment by a next hop, and if not, why. */
static const char *
state_of(const struct fcn_snapshot *s, const struct fcn_next_hop *nh)
{
	switch (nh->type) {
	case FCN_NEXT_HOP_FORWARD:
	case FCN_NEXT_HOP_FORWARD_TAGGED:
		return s->port[nh->port].down ? "port down" : "live";
	case FCN_NEXT_HOP_GROUP:
		return "live";
	case FCN_NEXT_HOP_NO_NEIGHBOUR:
	case FCN_NEXT_HOP_CONNECTED:
		return s->port[nh->port].down ? "port down" : "no neighbour";
	case FCN_NEXT_HOP_LOCAL:
		return "own address";
	case FCN_NEXT_HOP_BLACKHOLE:
		return "blackhole";
	case FCN_NEXT_HOP_ENCAPS:
		return "recursive";
	default:
		return "no route";
	}
}

/* Show by which port and station packets leave towards the first segment. */
static void
show_path(const struct fcn_control *ctl, const struct fcn_encaps *e, json_t *o)
{
	const struct fcn_snapshot *s = fcn_control_snapshot(ctl);
	const struct fcn_next_hop *nh = e != NULL ? &s->next_hop[e->via] : NULL;
	const bool has_paths = nh != NULL && nh->type == FCN_NEXT_HOP_GROUP;
	const char *state = nh == NULL          ? "no route"
			    : e->other.len == 0 ? "no source"
						: state_of(s, nh);
	const bool is_one = nh != NULL && fcn_next_hop_is_forward(nh);

	fcn_show_set_bool(o, "live", strcmp(state, "live") == 0);
	fcn_show_set_str(o, "state", state);
	fcn_show_set(o, "paths", has_paths ? nh->n_members : is_one);
	fcn_show_set_str(o, "port", is_one ? fcn_show_port_name(ctl, nh->interface) : NULL);
	json_object_set_new(o, "next_hop", is_one ? fcn_show_mac(&nh->l2.dst_addr) : json_null());
	fcn_show_set_known(o, "overhead", e != NULL, e != NULL ? e->other.len : 0);
}

static json_t *
show_list(const struct fcn_control *ctl, const struct fcn_config_srv6_segments *from,
		const struct fcn_segment_list_counters *c)
{
	const struct fcn_config_srv6_policy *policy = fcn_config_srv6_policy_of(
			fcn_control_config(ctl), from->policy);
	json_t *o = json_object();

	fcn_show_set_str(o, "policy", policy->name);
	fcn_show_set_str(o, "origin", "config");
	fcn_show_set(o, "list", from->slot);
	fcn_show_set_str(o, "mode", fcn_srv6_mode_name(policy->mode));
	json_object_set_new(o, "segments", fcn_list_segments_json(&from->list));
	fcn_show_set(o, "weight", from->weight);
	fcn_show_set_known(o, "path_id", from->has_path_id, from->path_id);
	show_path(ctl, find_encaps(fcn_control_snapshot(ctl), from->serial), o);
	FCN_SHOW_COUNTERS(o, c, FCN_SEGMENT_LIST_COUNTERS);
	return o;
}

/* A segment list of the kernel. Its weight belongs to the route that names it. */
static json_t *
show_kernel_list(const struct fcn_control *ctl, const struct fcn_kernel_segments *from,
		const struct fcn_segment_list_counters *c)
{
	json_t *o = json_object();

	fcn_show_set_str(o, "policy", "kernel");
	fcn_show_set_str(o, "origin", "kernel");
	fcn_show_set(o, "list", FCN_SRV6_SEGMENT_LISTS + from->slot);
	fcn_show_set_str(o, "mode", fcn_srv6_mode_name(from->list.mode));
	json_object_set_new(o, "segments", fcn_list_segments_json(&from->list));
	json_object_set_new(o, "weight", json_null());
	json_object_set_new(o, "path_id", json_null());
	show_path(ctl, find_encaps(fcn_control_snapshot(ctl), from->serial), o);
	FCN_SHOW_COUNTERS(o, c, FCN_SEGMENT_LIST_COUNTERS);
	return o;
}

static json_t *
show_policies(const struct fcn_config *cfg)
{
	json_t *list = json_array();

	for (size_t i = 0; i < cfg->srv6.policies.n; i++) {
		json_t *o = fcn_show_row(list);

		fcn_show_set_str(o, "policy", cfg->srv6.policies.item[i].name);
		fcn_setting_show(&fcn_srv6_policy_scope, "srv6 policy.policies",
				&cfg->srv6.policies.item[i], NULL, o);
	}
	return list;
}

json_t *
fcn_show_srv6_policies(struct fcn_control *ctl)
{
	const struct fcn_config *cfg = fcn_control_config(ctl);
	const struct fcn_build_env *env = fcn_control_build_env(ctl);
	struct fcn_segment_list_counters *c = FCN_SHOW_SUM(ctl, srv6.segments);
	json_t *o = json_object(), *lists = json_array();

	fcn_setting_show(&fcn_srv6_scope, "srv6 policy", cfg, NULL, o);
	json_object_set_new(o, "policies", show_policies(cfg));
	for (size_t i = 0; c != NULL && i < cfg->srv6.segments.n; i++) {
		const struct fcn_config_srv6_segments *s = &cfg->srv6.segments.item[i];

		if (i % FCN_SHOW_PORTION == 0)
			fcn_control_attend(ctl);
		json_array_append_new(lists, show_list(ctl, s, &c[s->slot]));
	}
	for (size_t i = 0; c != NULL && i < env->n_kernel_segments; i++) {
		const struct fcn_kernel_segments *s;

		if (i % FCN_SHOW_PORTION == 0) {
			fcn_control_attend(ctl);
			if (i >= env->n_kernel_segments)
				break;
		}
		s = &env->kernel_segments[i];
		json_array_append_new(lists,
				show_kernel_list(ctl, s, &c[FCN_SRV6_SEGMENT_LISTS + s->slot]));
	}
	json_object_set_new(o, "segment_lists", lists);
	free(c);
	return o;
}
