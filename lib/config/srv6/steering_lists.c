/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Rules that steer packets into SRv6 policies. */

#include <errno.h>

#include "fcn_names.h"
#include "fcn_shape.h"
#include "list_table.h"

#define THING struct fcn_config_srv6_steering
#define NO_CONDITION .initial = FCN_SRV6_ANY, NULL_IF(FCN_SRV6_ANY)

FCN_STATIC_NAME_FUNCTION(roce_name,
		unsigned int, [FCN_STEERING_ROCE_OFF] = "off", [FCN_STEERING_ROCE_ON] = "on")

static json_t *
roce_json(const struct fcn_setting_value *v, const void *thing)
{
	const struct fcn_config_srv6_steering *r = thing;

	RTE_SET_USED(v);
	return r->roce == FCN_STEERING_ROCE_ANY ? json_null()
						: json_boolean(r->roce == FCN_STEERING_ROCE_ON);
}

static const struct fcn_list_member members[] = {
		{PREFIX("prefix", prefix, SHOW("prefix")), KEY},
		{POLICY("policy", policy, .word = "policy", SHOW("policy"))},
		IN_TABLE(KEY, .help = "Only packets routed by this table"),
		{PORT("port", port, .word = "port", OPTIONAL, NO_CONDITION, SHOW("port")), KEY,
				.help = "Only packets received by this port"},
		{NUMBER("dscp", dscp, 0, 63, "a DSCP", .word = "dscp", OPTIONAL, NO_CONDITION,
				 SHOW("dscp")),
				KEY, .help = "Only packets with this DSCP"},
		{CHOICE("state", roce, FCN_STEERING_ROCE_OFF, FCN_STEERING_ROCE_ON, roce_name,
				 .word = "roce", OPTIONAL, .form = roce_json,
				 .form_types = FCN_SHAPE_BOOLEAN | FCN_SHAPE_NULL, SHOW("roce")),
				KEY, .help = "Only RoCEv2 packets, or only others"},
};

/* A number that is greater for rules that are tried earlier: first the number of conditions, then
 * which ones. */
static unsigned int
weight(const struct fcn_config_srv6_steering *r)
{
	const bool port = r->port != FCN_SRV6_ANY, dscp = r->dscp != FCN_SRV6_ANY;
	const bool roce = r->roce != FCN_STEERING_ROCE_ANY;

	return (port + dscp + roce) * 8u + port * 4u + dscp * 2u + roce;
}

/* The order in which rules are tried. */
static int
compare(const void *x, const void *y)
{
	const struct fcn_config_srv6_steering *a = x, *b = y;
	int d = a->table - b->table;

	if (d == 0)
		d = fcn_prefix_compare(&a->prefix, &b->prefix);
	if (d == 0)
		d = (int)weight(b) - (int)weight(a);
	if (d == 0)
		d = a->port - b->port;
	if (d == 0)
		d = a->dscp - b->dscp;
	return d != 0 ? d : b->roce - a->roce;
}

static int
check(const struct fcn_config *cfg, const void *thing, struct fcn_list_error *error)
{
	const struct fcn_config_srv6_steering *r = thing;
	size_t n = 0;

	if (fcn_prefix_why_not_forwarded(&r->prefix) != NULL)
		return fcn_list_refuse(error, -EINVAL, "prefix",
				"no packet is forwarded to these addresses: %s",
				fcn_prefix_why_not_forwarded(&r->prefix));
	for (size_t i = 0; i < cfg->srv6.steering.n; i++)
		n += cfg->srv6.steering.item[i].table == r->table &&
		     fcn_prefix_equal(&cfg->srv6.steering.item[i].prefix, &r->prefix);
	return n < FCN_SRV6_STEERING_OF_PREFIX ? 0
					       : fcn_list_refuse(error, -E2BIG, "prefix",
								 "the prefix has %u rules already",
								 FCN_SRV6_STEERING_OF_PREFIX);
}

static const struct fcn_list lists[] = {
		{"srv6 steering", "rule", "steering rules", FCN_SRV6_STEERING,
				FCN_LIST_IN(srv6.steering), FCN_LIST_MEMBERS_OF(members),
				.compare = compare, .check = check,
				.slot = offsetof(struct fcn_config_srv6_steering, slot),
				.serial = offsetof(struct fcn_config_srv6_steering, serial),
				.add_help = "Add a steering rule: packets to a prefix take an SRv6 "
					    "policy if they meet each condition that is given: the "
					    "port by which they came in, their DSCP, and whether "
					    "they are RoCEv2. Of the rules of a prefix, the "
					    "one with the most conditions is tried first. A packet "
					    "that meets no rule takes its normal route",
				.remove_help = "Remove the steering rule of a prefix with these "
					       "conditions"},
};

FCN_LIST_GROUP(srv6_steering, "SRv6", lists, OPERATE);
