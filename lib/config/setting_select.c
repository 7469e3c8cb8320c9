/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Which ports a command is about. */

#include <errno.h>
#include <string.h>

#include "fcn_setting.h"

int
fcn_setting_port(const struct fcn_config *cfg, const struct fcn_args *args, const char *key)
{
	const char *name = fcn_args_str(args, key);
	int port = fcn_config_port_find(cfg, name);

	if (port < 0)
		return fcn_command_error(args, -ENOENT, key, "there is no port %s", name);
	return port;
}

int
fcn_setting_link_port(const struct fcn_config *cfg, const struct fcn_args *args, const char *key)
{
	int port = fcn_setting_port(cfg, args, key);
	const struct fcn_config_port *p;

	if (port < 0 || fcn_config_is_line(cfg, port))
		return port;
	p = &cfg->port[port];
	if (p->of_bridge >= 0)
		return fcn_command_error(args, -EINVAL, key,
				"%s is an interface of bridge %s and has no line", p->name,
				cfg->bridge[p->of_bridge].name);
	return fcn_command_error(args, -EINVAL, key,
			"%s is a sub-interface: this is set for its port, %s", p->name,
			cfg->port[p->parent].name);
}

int
fcn_setting_ports(const struct fcn_config *cfg, const struct fcn_args *args, const char *key,
		uint64_t *set)
{
	int port;

	*set = 0;
	if (strcmp(fcn_args_str(args, key), "all") != 0) {
		port = fcn_setting_link_port(cfg, args, key);
		*set = port < 0 ? 0 : 1ull << port;
		return port < 0 ? port : 0;
	}
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		if (fcn_config_is_line(cfg, p))
			*set |= 1ull << p;
	}
	return *set != 0 ? 0 : fcn_command_error(args, -ENOENT, key, "there is no port");
}

void
fcn_setting_add(struct fcn_setting_objects *objects, void *object)
{
	objects->object[objects->n++] = object;
}
