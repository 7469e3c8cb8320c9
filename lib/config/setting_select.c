/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Find the ports and bridges that a command names. */

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

	if (port < 0 || fcn_config_has_link(cfg, port))
		return port;
	p = &cfg->port[port];
	if (p->of_bridge >= 0)
		return fcn_command_error(args, -EINVAL, key,
				"%s is an interface of bridge %s and has no link", p->name,
				cfg->bridge[p->of_bridge].name);
	return fcn_command_error(args, -EINVAL, key,
			"%s is a sub-interface; this is set on its port, %s", p->name,
			cfg->port[p->parent].name);
}

int
fcn_setting_ports(const struct fcn_config *cfg, const struct fcn_args *args, const char *key,
		struct fcn_port_set *set)
{
	int port;

	*set = (struct fcn_port_set){0};
	if (strcmp(fcn_args_str(args, key), "all") != 0) {
		port = fcn_setting_link_port(cfg, args, key);
		if (port < 0)
			return port;
		fcn_port_set_add(set, port);
		return 0;
	}
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (fcn_config_has_link(cfg, p))
			fcn_port_set_add(set, p);
	}
	return !fcn_port_set_is_empty(set)
			       ? 0
			       : fcn_command_error(args, -ENOENT, key, "there is no port");
}

void
fcn_setting_add(struct fcn_setting_objects *objects, void *object)
{
	objects->object[objects->n++] = object;
}

int
fcn_setting_bridge(const struct fcn_config *cfg, const struct fcn_args *args)
{
	const char *name = fcn_args_str(args, "bridge");
	int bridge = fcn_config_bridge_find(cfg, name);

	if (bridge < 0)
		return fcn_command_error(args, -ENOENT, "bridge", "there is no bridge %s", name);
	return bridge;
}

int
fcn_setting_bridge_port(const struct fcn_config *cfg, const struct fcn_args *args)
{
	int bridge = fcn_setting_bridge(cfg, args), port;

	if (bridge < 0)
		return bridge;
	port = fcn_setting_port(cfg, args, "port");
	if (port < 0 || cfg->port[port].bridge == bridge)
		return port;
	return fcn_command_error(args, -ENOENT, "port", "port %s is not in bridge %s",
			fcn_args_str(args, "port"), fcn_args_str(args, "bridge"));
}

int
fcn_setting_select_ports(struct fcn_config *cfg, const struct fcn_args *args,
		struct fcn_setting_objects *objects)
{
	struct fcn_port_set ports;
	int rc = fcn_setting_ports(cfg, args, "port", &ports);

	FCN_PORT_SET_FOREACH (p, &ports)
		fcn_setting_add(objects, &cfg->port[p]);
	return rc;
}

static void
visit_port(const struct fcn_setting_scope *scope, const struct fcn_config_port *port,
		fcn_setting_visit visit, void *arg)
{
	char head[FCN_NAME_LEN + 32];

	snprintf(head, sizeof(head), "%s %s", scope->head, port->name);
	visit(arg, port, head);
}

void
fcn_setting_each_port(const struct fcn_setting_scope *scope, const struct fcn_config *cfg,
		fcn_setting_visit visit, void *arg)
{
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (fcn_config_has_link(cfg, p))
			visit_port(scope, &cfg->port[p], visit, arg);
	}
}

int
fcn_setting_select_interface(struct fcn_config *cfg, const struct fcn_args *args,
		struct fcn_setting_objects *objects)
{
	int port = fcn_setting_port(cfg, args, "port");

	if (port < 0)
		return port;
	fcn_setting_add(objects, &cfg->port[port]);
	return 0;
}

void
fcn_setting_each_virtual_interface(const struct fcn_setting_scope *scope,
		const struct fcn_config *cfg, fcn_setting_visit visit, void *arg)
{
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (fcn_config_is_sub_interface(cfg, p))
			visit_port(scope, &cfg->port[p], visit, arg);
	}
	for (unsigned int p = 0; p < cfg->n_ports; p++) {
		if (fcn_config_is_bridge_interface(cfg, p))
			visit_port(scope, &cfg->port[p], visit, arg);
	}
}

void
fcn_setting_each_interface(const struct fcn_setting_scope *scope, const struct fcn_config *cfg,
		fcn_setting_visit visit, void *arg)
{
	fcn_setting_each_port(scope, cfg, visit, arg);
	fcn_setting_each_virtual_interface(scope, cfg, visit, arg);
}
