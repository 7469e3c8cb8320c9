/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include "session_private.h"

static int
bridge_add(struct fcn_session *session, const struct fcn_args *args)
{
	if (fcn_session_check_name(args, "bridge") != 0)
		return -EINVAL;
	return fcn_session_added(args, "bridge", "bridges", FCN_MAX_BRIDGES,
			fcn_config_bridge_add(
					fcn_session_edit(session), fcn_args_str(args, "bridge")));
}

static int
bridge_remove(struct fcn_session *session, const struct fcn_args *args)
{
	int bridge = fcn_setting_bridge(session->candidate, args);

	if (bridge < 0)
		return bridge;
	return fcn_config_bridge_remove(fcn_session_edit(session), bridge);
}

static int
bridge_port_add(struct fcn_session *session, const struct fcn_args *args)
{
	int bridge = fcn_setting_bridge(session->candidate, args);
	int port;

	if (bridge < 0)
		return bridge;
	port = fcn_setting_link_port(session->candidate, args, "port");
	if (port < 0)
		return port;
	if (session->candidate->port[port].bridge >= 0)
		return fcn_command_error(args, -EEXIST, "port", "port %s is in bridge %s",
				fcn_args_str(args, "port"),
				session->candidate->bridge[session->candidate->port[port].bridge]
						.name);
	fcn_session_edit(session)->port[port].bridge = bridge;
	return 0;
}

static int
bridge_port_remove(struct fcn_session *session, const struct fcn_args *args)
{
	int port = fcn_setting_bridge_port(session->candidate, args);

	if (port < 0)
		return port;
	fcn_config_bridge_leave(fcn_session_edit(session), port);
	return 0;
}

static const struct fcn_command commands[] = {
		{"bridge add <bridge:name>", "Add a bridge", FCN_COMMAND_CONFIG, bridge_add,
				.role = FCN_ROLE_OPERATE},
		{"bridge remove <bridge:name>",
				"Remove a bridge and its interfaces. Its ports are routed ports "
				"afterwards",
				FCN_COMMAND_CONFIG, bridge_remove, .role = FCN_ROLE_OPERATE},
		{"bridge <bridge:name> port add <port:name>", "Add a port to a bridge",
				FCN_COMMAND_CONFIG, bridge_port_add, .role = FCN_ROLE_OPERATE},
		{"bridge <bridge:name> port remove <port:name>",
				"Remove a port from a bridge. It is a routed port afterwards",
				FCN_COMMAND_CONFIG, bridge_port_remove, .role = FCN_ROLE_OPERATE},
};

const struct fcn_command_group fcn_bridge_commands = {"Bridges", commands, RTE_DIM(commands)};

void
fcn_save_bridges(const struct fcn_config *cfg, FILE *out)
{
	for (unsigned int b = 0; b < FCN_MAX_BRIDGES; b++) {
		const char *name = cfg->bridge[b].name;

		if (name[0] == '\0')
			continue;
		fprintf(out, "bridge add %s\n", name);
		for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
			const struct fcn_config_port *port = &cfg->port[p];

			if (port->name[0] == '\0' || port->bridge != (int)b)
				continue;
			fprintf(out, "bridge %s port add %s\n", name, port->name);
		}
	}
}
