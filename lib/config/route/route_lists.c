/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Addresses, neighbours and routes of a configuration. */

#include <errno.h>
#include <string.h>

#include "list_table.h"

#define THING struct fcn_config_address
static const struct fcn_list_member address[] = {
		{PORT("port", port), KEY},
		{ADDR_LEN("prefix", prefix), KEY},
};
#undef THING

/* Ports of different tables can have the same address. */
static int
check_address(const struct fcn_config *cfg, const void *thing, struct fcn_list_error *error)
{
	const struct fcn_config_address *a = thing;

	for (size_t i = 0; i < cfg->addresses.n; i++) {
		const struct fcn_config_address *other = &cfg->addresses.item[i];

		if (fcn_addr_equal(&other->prefix.addr, &a->prefix.addr) &&
				strcmp(cfg->port[other->port].table, cfg->port[a->port].table) == 0)
			return fcn_list_refuse(error, -EEXIST, "prefix",
					"the address is configured already");
	}
	return 0;
}

#define THING struct fcn_config_neighbour
static const struct fcn_list_member neighbour[] = {
		{PORT("port", port, SHOW("port")), KEY},
		{ADDR("address", addr, SHOW("address")), KEY},
		{MAC("mac", mac, SHOW("mac"))},
};
#undef THING

enum {
	GATEWAY,
	POLICY,
	BLACKHOLE
};

#define THING struct fcn_config_route
static const struct fcn_list_member route[] = {
		{PREFIX("prefix", prefix), KEY},
		{ADDR("via", via, .word = "via"), KEY, .any = true, .forms = 1 << GATEWAY,
				.help = "Only the path by this next hop"},
		{PORT("port", port, .word = "port"), KEY, .any = true, .joined = true,
				.forms = 1 << GATEWAY, .help = "The port of that next hop"},
		{POLICY("policy", policy, .word = "policy", .least = 1), .forms = 1 << POLICY},
		IN_TABLE(KEY),
};
static const struct fcn_list_form route_forms[] = {
		[GATEWAY] = {.help = "Add a path to a route of a table, or of the main table. If a "
				     "prefix has several paths, its flows are shared among them. "
				     "The gateway of an IPv4 prefix may have an IPv6 address, also "
				     "a link-local one"},
		[POLICY] = {.help = "Add a route whose packets take an SRv6 policy. It is the only "
				    "path to its prefix"},
		[BLACKHOLE] = {"blackhole", "Add a route that drops the packets to a prefix",
				FCN_SETTING_SELECTS(struct fcn_config_route, blackhole, true)},
};
#undef THING

static int
check_route(const struct fcn_config *cfg, const void *thing, struct fcn_list_error *error)
{
	const struct fcn_config_route *r = thing;

	RTE_SET_USED(cfg);
	if (!r->blackhole && fcn_prefix_why_not_forwarded(&r->prefix) != NULL)
		return fcn_list_refuse(error, -EINVAL, "prefix",
				"no packet is forwarded to these addresses: %s",
				fcn_prefix_why_not_forwarded(&r->prefix));
	if (r->via.version == 4 && r->prefix.addr.version == 6)
		return fcn_list_refuse(error, -EINVAL, "via", "IPv6 packets need an IPv6 gateway");
	return 0;
}

static const struct fcn_list lists[] = {
		{"address", "address of the port", FCN_LIST_IN(addresses),
				FCN_LIST_MEMBERS_OF(address), .check = check_address,
				.add_help = "Add an IP address with its prefix length to a routed "
					    "port",
				.remove_help = "Remove an IP address from a port"},
		{"neighbour", "neighbour", FCN_LIST_IN(neighbours), FCN_LIST_MEMBERS_OF(neighbour),
				.replaces = true,
				.add_help = "Add a static neighbour with its MAC address",
				.remove_help = "Remove a static neighbour"},
		{"route", "route", FCN_LIST_IN(routes), FCN_LIST_MEMBERS_OF(route),
				FCN_LIST_FORMS_OF(route_forms), .repeats = true,
				.check = check_route,
				.remove_help = "Remove a path of a route, or the whole route"},
};

FCN_LIST_GROUP(route, "Addresses and routes", lists, OPERATE);
