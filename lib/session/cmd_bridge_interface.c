/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The switch itself as a station of a bridge. */

#include <errno.h>
#include <inttypes.h>

#include "session_private.h"

static int
interface_add(struct fcn_session *session, const struct fcn_args *args)
{
	const char *name = fcn_args_str(args, "port");
	uint64_t vlan = fcn_args_u64(args, "vlan", FCN_DEFAULT_PVID);
	int bridge = fcn_setting_bridge(session->candidate, args), port;

	if (bridge < 0)
		return bridge;
	if (fcn_session_check_name(args, "port") != 0)
		return -EINVAL;
	if (vlan < 1 || vlan > 4094)
		return fcn_command_error(args, -ERANGE, "vlan", "a VLAN must be 1 to 4094");
	port = fcn_config_bridge_interface_add(fcn_session_edit(session), name, bridge, vlan);
	if (port == -EADDRINUSE)
		return fcn_command_error(args, port, "vlan",
				"the interface of bridge %s in VLAN %" PRIu64 " is %s",
				session->candidate->bridge[bridge].name, vlan,
				session->candidate
						->port[fcn_config_bridge_interface_find(
								session->candidate, bridge, vlan)]
						.name);
	return fcn_session_port_added(args, port);
}

static const struct fcn_command commands[] = {
		{"bridge <bridge:name> interface add <port:name> [vlan <vlan:number>]",
				"Add a bridge interface, which makes the switch a station in "
				"one VLAN of the bridge (default 1). The switch answers ARP, "
				"Neighbour Discovery and ping for the addresses of this "
				"interface, and for the loopback addresses. "
				"The command `port remove` removes it",
				FCN_COMMAND_CONFIG, interface_add, .role = FCN_ROLE_OPERATE},
};

const struct fcn_command_group fcn_bridge_interface_commands = {
		"Interfaces of bridges", commands, RTE_DIM(commands)};

void
fcn_save_bridge_interfaces(const struct fcn_config *cfg, FILE *out)
{
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_config_port *port = &cfg->port[p];

		if (!fcn_config_is_bridge_interface(cfg, p))
			continue;
		fprintf(out, "bridge %s interface add %s vlan %u\n",
				cfg->bridge[port->of_bridge].name, port->name, port->vlan);
	}
}
