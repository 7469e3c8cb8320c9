/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Settings of the Linux kernel beside the switch. */

#include <errno.h>

#include "setting_table.h"

#define LOCAL_TABLE 255 /* The table with the kernel's own addresses, RT_TABLE_LOCAL. */

/* Characters that the kernel permits in no name of an interface. */
#define INTERFACE .without = "/:"

/* ---- of the switch ---- */

#define IN(member) FCN_SETTING_MEMBER(struct fcn_config, kernel.member)
#define MODE(which) FCN_SETTING_SELECTS(struct fcn_config, kernel.mode, which)

static int
check_number(const struct fcn_args *args, const char *key, uint32_t number)
{
	if (number != LOCAL_TABLE)
		return 0;
	return fcn_command_error(
			args, -ERANGE, key, "table 255 (local) is reserved for the kernel");
}

static int
check_table(const struct fcn_args *args, void *object)
{
	return check_number(args, "table", ((struct fcn_config *)object)->kernel.table);
}

static const struct fcn_setting_value mode = SETTING_VALUE(NUMBER, "mode", mode,
		NOT_SHOWN("`state`, `table` and `vrf` of show kernel tell what is followed"));

static const struct fcn_setting settings[] = {
		{"namespace",
				"Network namespace (see ip-netns) that contains the kernel "
				"interfaces and routes",
				{NAME("namespace", netns, "a name of a namespace", .without = "/",
						SHOW("namespace"),
						.special = {OR("none", 0,
								"The kernel interfaces and routes "
								"are in the network namespace of "
								"the program")})}},
		{"table",
				"Import the routes of this routing table of the Linux kernel that "
				"lead through kernel interfaces of ports. A configured route to "
				"the same prefix takes precedence",
				{NUMBER("table", table, 1, UINT32_MAX, "a table",
						.initial_text = "",
						NOT_SHOWN("`table` of show kernel is the one that "
							  "is read, also of a VRF"),
						.special = {OR("main", FCN_KERNEL_TABLE_MAIN,
								"Import the routes of the kernel's "
								"main table (254)")})},
				MODE(FCN_KERNEL_TABLE), check_table},
		{"vrf",
				"Import the routes of a VRF, to which the kernel interfaces of "
				"ports of the main table are added",
				{NAME("vrf", vrf, "a name of an interface", INTERFACE, SHOW("vrf"),
						.show_unselected = true)},
				MODE(FCN_KERNEL_VRF)},
		{"off", "Import no routes of the kernel", MODE(FCN_KERNEL_OFF)},
};

const struct fcn_setting_scope fcn_kernel_scope = {
		.title = "The Linux kernel",
		.syntax = "set kernel",
		.show = "kernel",
		.selected = &mode,
		FCN_SETTING_TABLE(settings, FULL),
};

/* ---- of a route table ---- */

#undef IN
#undef MODE
#define IN(member) FCN_SETTING_MEMBER(struct fcn_config_table, follow.member)
#define MODE(which) FCN_SETTING_SELECTS(struct fcn_config_table, follow.mode, which)

static int
check_table_number(const struct fcn_args *args, void *object)
{
	return check_number(args, "number", ((struct fcn_config_table *)object)->follow.table);
}

static const struct fcn_setting_value table_mode = SETTING_VALUE(NUMBER, "mode", mode,
		NOT_SHOWN("`kernel_state` and `kernel_table` of show table tell what is in "
			  "force"));

static const struct fcn_setting table_settings[] = {
		{"table",
				"Import the routes of this routing table of the Linux kernel into "
				"a table other than main. A configured route to the same prefix "
				"takes precedence",
				{NUMBER("number", table, 1, UINT32_MAX, "a table",
						.initial_text = "",
						NOT_SHOWN("`kernel_table` of show table is the "
							  "one that is read, also of a VRF"))},
				MODE(FCN_KERNEL_TABLE), check_table_number},
		{"vrf",
				"Import the routes of a VRF, to which the kernel interfaces of "
				"ports of the table are added",
				{NAME("vrf", vrf, "a name of an interface", INTERFACE,
						SHOW("kernel_vrf"), .show_unselected = true)},
				MODE(FCN_KERNEL_VRF)},
		{"off", "Import no routes of the kernel into the table", MODE(FCN_KERNEL_OFF)},
};

static int
select_table(struct fcn_config *cfg, const struct fcn_args *args,
		struct fcn_setting_objects *objects)
{
	const char *name = fcn_args_str(args, "table");
	int table = fcn_config_table_find(cfg, name);

	if (table < 0)
		return fcn_command_error(args, table, "table", "there is no table %s", name);
	if (table == FCN_TABLE_MAIN)
		return fcn_command_error(
				args, -EINVAL, "table", "use `set kernel` for the main table");
	fcn_setting_add(objects, &cfg->table[table]);
	return 0;
}

static void
each_table(const struct fcn_setting_scope *scope, const struct fcn_config *cfg,
		fcn_setting_visit visit, void *arg)
{
	char head[FCN_NAME_LEN + 32];

	RTE_SET_USED(scope);
	for (unsigned int t = FCN_TABLE_MAIN + 1; t < FCN_MAX_TABLES; t++) {
		if (cfg->table[t].name[0] == '\0')
			continue;
		snprintf(head, sizeof(head), "set table %s kernel", cfg->table[t].name);
		visit(arg, &cfg->table[t], head);
	}
}

const struct fcn_setting_scope fcn_kernel_table_scope = {
		.title = "The Linux kernel",
		.syntax = "set table <table:name> kernel",
		.show = "table",
		.selected = &table_mode,
		FCN_SETTING_TABLE(table_settings, OPERATE),
		.select = select_table,
		.each = each_table,
};

/* ---- of a port or a sub-interface ---- */

#undef IN
#define IN(member) FCN_SETTING_MEMBER(struct fcn_config_port, member)

static const struct fcn_setting port_settings[] = {
		{"kernel",
				"Create a kernel interface with this name for a routed port, with "
				"the addresses of the port. Packets for the switch that the host "
				"functions do not process go to this interface, and packets that "
				"the kernel sends through it leave by the port",
				{NAME("interface", kernel, "a name of an interface", INTERFACE,
						SHOW("interface"),
						.special = {OR("off", 0,
								"The port has no kernel "
								"interface")})}},
};

const struct fcn_setting_scope fcn_kernel_port_scope = {
		.title = "The Linux kernel",
		OF_INTERFACES("set port"),
		.show = "kernel.interfaces",
		FCN_SETTING_TABLE(port_settings, FULL),
};
