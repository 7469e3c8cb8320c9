/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include "session_private.h"

int
fcn_session_table(struct fcn_session *session, const struct fcn_args *args)
{
	const char *name = fcn_args_str(args, "table");
	int table = name == NULL ? FCN_TABLE_MAIN : fcn_config_table_find(session->candidate, name);

	if (table < 0)
		return fcn_command_error(args, -ENOENT, "table", "there is no table %s", name);
	return table;
}

static int
table_add(struct fcn_session *session, const struct fcn_args *args)
{
	if (fcn_session_check_name(args, "table") != 0)
		return -EINVAL;
	return fcn_session_added(args, "table", "tables", FCN_MAX_TABLES,
			fcn_config_table_add(
					fcn_session_edit(session), fcn_args_str(args, "table")));
}

static int
table_remove(struct fcn_session *session, const struct fcn_args *args)
{
	int table = fcn_session_table(session, args);
	char by[FCN_PREFIX_STRLEN + 16];

	if (table < 0)
		return table;
	if (table == FCN_TABLE_MAIN)
		return fcn_command_error(
				args, -EINVAL, "table", "the main table cannot be removed");
	if (fcn_config_table_is_used(session->candidate, table, by, sizeof(by)))
		return fcn_command_error(args, -EBUSY, "table", "it is still used: %s", by);
	fcn_config_table_remove(fcn_session_edit(session), table);
	return 0;
}

static const struct fcn_command commands[] = {
		{"table add <table:name>",
				"Add a route table. Ports can belong to it, and it has routes of "
				"its own",
				FCN_COMMAND_CONFIG, table_add, .role = FCN_ROLE_OPERATE},
		{"table remove <table:name>", "Remove a route table that nothing uses",
				FCN_COMMAND_CONFIG, table_remove, .role = FCN_ROLE_OPERATE},
};

const struct fcn_command_group fcn_table_commands = {
		"Addresses and routes", commands, RTE_DIM(commands)};

void
fcn_save_tables(const struct fcn_config *cfg, FILE *out)
{
	for (unsigned int t = FCN_TABLE_MAIN + 1; t < FCN_MAX_TABLES; t++) {
		if (cfg->table[t].name[0] != '\0')
			fprintf(out, "table add %s\n", cfg->table[t].name);
	}
}
