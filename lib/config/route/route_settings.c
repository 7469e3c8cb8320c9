/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The settings of the switch's own addresses. */

#include <errno.h>

#include "setting_table.h"

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, member)

/* `none`, and the command with `no` in front, take back the addresses of both versions. */
static int
check_loopback(const struct fcn_args *args, void *object)
{
	struct fcn_config *cfg = object;

	if (cfg->loopback.version == 0)
		cfg->loopback4 = (struct fcn_addr){0};
	if (cfg->loopback.version == 0 || !fcn_addr_is_link_local(&cfg->loopback))
		return 0;
	return fcn_command_error(args, -EINVAL, "address",
			"the loopback address must be reachable from everywhere, and "
			"cannot be link-local");
}

static int
check_loopback4(const struct fcn_args *args, void *object)
{
	const struct fcn_addr *addr = &((const struct fcn_config *)object)->loopback4;

	if (!fcn_addr_is_link_local(addr))
		return 0;
	return fcn_command_error(args, -EINVAL, "address",
			"the loopback address must be reachable from everywhere, and "
			"cannot be link-local");
}

static const struct fcn_setting settings[] = {
		{"loopback",
				"Set the IPv6 loopback address of the switch, which is the source "
				"address of its notices",
				{ADDR6("address", loopback, SHOW("source"),
						.special = {OR("none", 0,
								"The switch has no loopback "
								"address of either version")})},
				.finish = check_loopback},
		{"loopback",
				"Set the IPv4 loopback address of the switch, beside that of IPv6. "
				"ICMP errors have it as source where the port has no IPv4 address",
				{ADDR4("address", loopback4, NOT_SHOWN("`show address` has it"))},
				.finish = check_loopback4},
};

const struct fcn_setting_scope fcn_loopback_scope = {
		.title = "Addresses and routes",
		.syntax = "set",
		.show = "notify.policy",
		FCN_SETTING_TABLE(settings, OPERATE),
};
