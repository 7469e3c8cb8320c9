/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The setting of the switch's own address. */

#include <errno.h>

#include "setting_table.h"

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, member)

static int
check_loopback(const struct fcn_args *args, void *object)
{
	const struct fcn_addr *addr = &((const struct fcn_config *)object)->loopback;

	if (addr->version == 0 || !fcn_addr_is_link_local(addr))
		return 0;
	return fcn_command_error(args, -EINVAL, "address",
			"the loopback address must be reachable from everywhere, and "
			"cannot be link-local");
}

static const struct fcn_setting settings[] = {
		{"loopback",
				"Set the loopback address of the switch, which is the source "
				"address of its notices",
				{ADDR6("address", loopback, SHOW("source"),
						.special = {OR("none", 0,
								"The switch has no loopback "
								"address")})},
				.finish = check_loopback},
};

const struct fcn_setting_scope fcn_loopback_scope = {
		.title = "Addresses and routes",
		.syntax = "set",
		.show = "notify.policy",
		FCN_SETTING_TABLE(settings),
};
