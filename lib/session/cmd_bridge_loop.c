/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Commands about forwarding loops between ports of a bridge. */

#include <errno.h>

#include "session_private.h"

static int
clear_all(struct fcn_session *session, const struct fcn_args *args)
{
	const struct fcn_port_set all = fcn_port_set_all();
	int n = fcn_control_err_disable_clear(session->ctl, &all);

	if (n < 0)
		return fcn_command_error(args, n, NULL, "out of memory, no port was opened");
	fprintf(session->out, "%d opened\n", n);
	return 0;
}

static int
clear_port(struct fcn_session *session, const struct fcn_args *args)
{
	int port = fcn_setting_port(session->candidate, args, "port");
	struct fcn_port_set ports;
	int n;

	if (port < 0)
		return port;
	ports = fcn_port_set_of(port);
	n = fcn_control_err_disable_clear(session->ctl, &ports);
	if (n < 0)
		return fcn_command_error(args, n, "port", "out of memory, the port stays closed");
	if (n == 0)
		return fcn_command_error(args, -ENOENT, "port",
				"port %s is not closed because of a loop",
				fcn_args_str(args, "port"));
	return 0;
}

static const struct fcn_command commands[] = {
		{"clear err-disable", "Open all ports that were closed because of a loop",
				FCN_COMMAND_ACTION, clear_all, .role = FCN_ROLE_OPERATE},
		{"clear err-disable port <port:name>",
				"Open a port that was closed because of a loop", FCN_COMMAND_ACTION,
				clear_port, .role = FCN_ROLE_OPERATE},
};

const struct fcn_command_group fcn_bridge_loop_commands = {"Bridges", commands, RTE_DIM(commands)};
