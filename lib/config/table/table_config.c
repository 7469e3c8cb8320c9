/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Route tables of a configuration. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fcn_list.h"

int
fcn_config_table_find(const struct fcn_config *cfg, const char *name)
{
	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++) {
		if (cfg->table[t].name[0] != '\0' && strcmp(cfg->table[t].name, name) == 0)
			return t;
	}
	return -ENOENT;
}

int
fcn_config_table_add(struct fcn_config *cfg, const char *name)
{
	if (!fcn_config_is_name(name))
		return -EINVAL;
	if (fcn_config_table_find(cfg, name) >= 0)
		return -EEXIST;
	for (unsigned int t = 0; t < FCN_MAX_TABLES; t++) {
		if (cfg->table[t].name[0] != '\0')
			continue;
		memcpy(cfg->table[t].name, name, strlen(name) + 1);
		return t;
	}
	return -ENOSPC;
}

void
fcn_config_table_remove(struct fcn_config *cfg, unsigned int table)
{
	memset(&cfg->table[table], 0, sizeof(cfg->table[table]));
}

struct fcn_config_follow
fcn_config_table_follow(const struct fcn_config *cfg, unsigned int table)
{
	struct fcn_config_follow main = {.mode = cfg->kernel.mode, .table = cfg->kernel.table};

	if (table != FCN_TABLE_MAIN)
		return cfg->table[table].follow;
	memcpy(main.vrf, cfg->kernel.vrf, sizeof(main.vrf));
	return main;
}

bool
fcn_config_table_is_used(const struct fcn_config *cfg, unsigned int table, char *by, size_t size)
{
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (cfg->port[p].name[0] == '\0' || !fcn_config_is_in_table(cfg, p, table))
			continue;
		snprintf(by, size, "port %s", cfg->port[p].name);
		return true;
	}
	return fcn_list_refers(cfg, FCN_SETTING_TABLE, table, by, size);
}

int
fcn_config_port_table(const struct fcn_config *cfg, unsigned int port)
{
	const char *name = cfg->port[port].table;

	return name[0] == '\0' ? FCN_TABLE_MAIN : fcn_config_table_find(cfg, name);
}

bool
fcn_config_is_in_table(const struct fcn_config *cfg, unsigned int port, unsigned int table)
{
	return fcn_config_port_table(cfg, port) == (int)table;
}
