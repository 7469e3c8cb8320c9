/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The setting of the route table that a routed port or a sub-interface belongs to. */

#include "setting_table.h"

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config_port, member)

static const struct fcn_setting settings[] = {
		{"table",
				"Route table that the port belongs to: its addresses are in it, "
				"and "
				"packets that the port receives are routed by it",
				{NAME("table", table, "a name of a table",
						NOT_SHOWN("`ports` of show table has it"),
						.special = {OR(FCN_TABLE_MAIN_NAME, 0,
								"The port belongs to the main "
								"table")})}},
};

const struct fcn_setting_scope fcn_table_port_scope = {
		.title = "Addresses and routes",
		OF_INTERFACES("set port"),
		FCN_SETTING_TABLE(settings, OPERATE),
};
