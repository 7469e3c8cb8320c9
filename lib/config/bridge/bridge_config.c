/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Bridges of a configuration, and their interfaces. */

#include <errno.h>
#include <string.h>

#include "fcn_config_scopes.h"

int
fcn_config_bridge_find(const struct fcn_config *cfg, const char *name)
{
	for (unsigned int b = 0; b < FCN_MAX_BRIDGES; b++) {
		if (cfg->bridge[b].name[0] != '\0' && strcmp(cfg->bridge[b].name, name) == 0)
			return b;
	}
	return -ENOENT;
}

int
fcn_config_bridge_add(struct fcn_config *cfg, const char *name)
{
	if (!fcn_config_is_name(name))
		return -EINVAL;
	if (fcn_config_bridge_find(cfg, name) >= 0)
		return -EEXIST;
	for (unsigned int b = 0; b < FCN_MAX_BRIDGES; b++) {
		if (cfg->bridge[b].name[0] != '\0')
			continue;
		memcpy(cfg->bridge[b].name, name, strlen(name) + 1);
		fcn_setting_defaults(&fcn_bridge_scope, &cfg->bridge[b]);
		return b;
	}
	return -ENOSPC;
}

int
fcn_config_bridge_interface_find(const struct fcn_config *cfg, unsigned int bridge, uint16_t vlan)
{
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (fcn_config_is_bridge_interface(cfg, p) &&
				cfg->port[p].of_bridge == (int)bridge && cfg->port[p].vlan == vlan)
			return p;
	}
	return -ENOENT;
}

int
fcn_config_bridge_interface_add(
		struct fcn_config *cfg, const char *name, unsigned int bridge, uint16_t vlan)
{
	int p;

	if (fcn_config_bridge_interface_find(cfg, bridge, vlan) >= 0)
		return -EADDRINUSE;
	p = fcn_config_port_add(cfg, name);
	if (p < 0)
		return p;
	cfg->port[p].vlan = vlan;
	cfg->port[p].of_bridge = bridge;
	return p;
}

int
fcn_config_bridge_remove(struct fcn_config *cfg, unsigned int bridge)
{
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (fcn_config_is_bridge_interface(cfg, p) &&
				cfg->port[p].of_bridge == (int)bridge &&
				fcn_config_port_remove(cfg, p) != 0)
			return -ENOMEM;
	}
	memset(&cfg->bridge[bridge], 0, sizeof(cfg->bridge[bridge]));
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (cfg->port[p].bridge == (int)bridge)
			fcn_config_bridge_leave(cfg, p);
	}
	return 0;
}

void
fcn_config_bridge_leave(struct fcn_config *cfg, unsigned int port)
{
	cfg->port[port].bridge = -1;
	cfg->port[port].pvid = FCN_DEFAULT_PVID;
	cfg->port[port].mac_limit = FCN_AUTO;
	memset(cfg->port[port].tagged, 0, sizeof(cfg->port[port].tagged));
	memset(cfg->port[port].storm, 0, sizeof(cfg->port[port].storm));
}
