/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* SRv6 policies and their segment lists. */

#include <errno.h>
#include <string.h>

#include "list_table.h"

int
fcn_config_srv6_policy_find(const struct fcn_config *cfg, const char *name)
{
	for (size_t i = 0; i < cfg->srv6.policies.n; i++) {
		if (strcmp(cfg->srv6.policies.item[i].name, name) == 0)
			return (int)i;
	}
	return -ENOENT;
}

const struct fcn_config_srv6_policy *
fcn_config_srv6_policy_of(const struct fcn_config *cfg, unsigned int slot)
{
	for (size_t i = 0; i < cfg->srv6.policies.n; i++) {
		if (cfg->srv6.policies.item[i].slot == slot)
			return &cfg->srv6.policies.item[i];
	}
	return NULL;
}

#define THING struct fcn_config_srv6_policy
static const struct fcn_list_member policy[] = {{NAME("policy", name, "a name"), KEY}};
#undef THING

#define THING struct fcn_config_srv6_segments
static const struct fcn_list_member segments[] = {
		{POLICY("policy", policy), KEY},
		{SEGMENTS("segments", list), KEY},
		{NUMBER("weight", weight, 1, FCN_SRV6_MAX_WEIGHT, "a weight", .word = "weight",
				 .initial = 1, OPTIONAL),
				.help = "Share of the flows of the policy"},
		{WORD("path-id", has_path_id), .help = "Number of the path in ARN messages"},
		{NUMBER("path-id", path_id, 0, UINT32_MAX, "a path identifier"), .joined = true},
};
#undef THING

static const struct fcn_list policy_lists[] = {
		{"srv6 policy", "policy", "policies", FCN_SRV6_POLICIES, FCN_LIST_IN(srv6.policies),
				FCN_LIST_MEMBERS_OF(policy), .scope = &fcn_srv6_policy_scope,
				.slot = offsetof(struct fcn_config_srv6_policy, slot),
				.referred = FCN_SETTING_POLICY,
				.add_help = "Add an SRv6 policy, which routes can name: the "
					    "packets enter the SRv6 domain by one of its segment "
					    "lists",
				.remove_help = "Remove an SRv6 policy, its segment lists, and the "
					       "routes and steering rules that name it"},
};

FCN_LIST_GROUP(srv6_policy, "SRv6", policy_lists, OPERATE);

static const struct fcn_list segment_lists[] = {
		{"srv6 segments", "segment list of the policy", "segment lists",
				FCN_SRV6_SEGMENT_LISTS, FCN_LIST_IN(srv6.segments),
				FCN_LIST_MEMBERS_OF(segments),
				.slot = offsetof(struct fcn_config_srv6_segments, slot),
				.serial = offsetof(struct fcn_config_srv6_segments, serial),
				.add_help = "Add a segment list to an SRv6 policy: SIDs in the "
					    "order in which they are visited, separated by commas. "
					    "Flows are shared among the lists of a policy by their "
					    "weights, default 1. ARN messages name the path "
					    "identifier",
				.remove_help = "Remove a segment list from an SRv6 policy"},
};

FCN_LIST_GROUP(srv6_segments, "SRv6", segment_lists, OPERATE);
