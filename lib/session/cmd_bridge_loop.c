/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What is done when frames go round in a loop between ports of a bridge. */

#include <errno.h>

#include "fcn_render.h"
#include "session_private.h"

#define MIN_RECOVER_NS 1000000000ull
#define MAX_RECOVER_NS 1000000000000000ull

static int
set_log(struct fcn_session *session, const struct fcn_args *args)
{
	int bridge = fcn_session_bridge(session, args);
	struct fcn_config_bridge *b;

	if (bridge < 0)
		return bridge;
	b = &fcn_session_edit(session)->bridge[bridge];
	b->loop_action = FCN_LOOP_LOG;
	b->recover_ns = FCN_DEFAULT_RECOVER_NS;
	return 0;
}

static int
set_disable(struct fcn_session *session, const struct fcn_args *args)
{
	int bridge = fcn_session_bridge(session, args);
	const uint64_t ns = fcn_args_u64(args, "time", FCN_DEFAULT_RECOVER_NS);
	struct fcn_config_bridge *b;

	if (bridge < 0)
		return bridge;
	if (ns < MIN_RECOVER_NS || ns > MAX_RECOVER_NS)
		return fcn_command_error(args, -ERANGE, "time",
				"a port is opened again after 1s to 1000000s, or never");
	b = &fcn_session_edit(session)->bridge[bridge];
	b->loop_action = FCN_LOOP_DISABLE;
	b->recover_ns = fcn_args_has(args, "never") ? 0 : ns;
	return 0;
}

static int
clear_all(struct fcn_session *session, const struct fcn_args *args)
{
	int n = fcn_control_err_disable_clear(session->ctl, UINT64_MAX);

	if (n < 0)
		return fcn_command_error(args, n, NULL, "out of memory, no port was opened");
	fprintf(session->out, "%d opened\n", n);
	return 0;
}

static int
clear_port(struct fcn_session *session, const struct fcn_args *args)
{
	int port = fcn_session_port(session, args, "port");
	int n;

	if (port < 0)
		return port;
	n = fcn_control_err_disable_clear(session->ctl, 1ull << port);
	if (n < 0)
		return fcn_command_error(args, n, "port", "out of memory, the port stays closed");
	if (n == 0)
		return fcn_command_error(args, -ENOENT, "port",
				"port %s is not closed because of a loop",
				fcn_args_str(args, "port"));
	return 0;
}

static const struct fcn_command commands[] = {
		{"set bridge <bridge:name> loop-action log",
				"When MAC addresses move between two ports as often as move-limit "
				"says, the switch tells it and does nothing else (default)",
				FCN_COMMAND_CONFIG, set_log},
		{"set bridge <bridge:name> loop-action disable [recover <time:time>]",
				"When MAC addresses move between two ports as often as move-limit "
				"says, the switch closes the one that show bridge lists last, and "
				"opens it again after this time (default 300s). Who can send "
				"frames with another's source address can have the other's port "
				"closed",
				FCN_COMMAND_CONFIG, set_disable},
		{"set bridge <bridge:name> loop-action disable recover never",
				"The same, and a closed port stays closed until it is opened by "
				"clear err-disable",
				FCN_COMMAND_CONFIG, set_disable},
		{"clear err-disable", "Open all ports that were closed because of a loop",
				FCN_COMMAND_ACTION, clear_all},
		{"clear err-disable port <port:name>",
				"Open a port that was closed because of a loop", FCN_COMMAND_ACTION,
				clear_port},
};

const struct fcn_command_group fcn_bridge_loop_commands = {
		"Loops in bridges", commands, RTE_DIM(commands)};

void
fcn_save_bridge_loops(const struct fcn_config *cfg, FILE *out)
{
	for (unsigned int b = 0; b < FCN_MAX_BRIDGES; b++) {
		const struct fcn_config_bridge *bridge = &cfg->bridge[b];
		char text[32];

		if (bridge->name[0] == '\0')
			continue;
		fprintf(out, "set bridge %s loop-action %s", bridge->name,
				fcn_loop_action_name(bridge->loop_action));
		if (bridge->loop_action == FCN_LOOP_DISABLE)
			fprintf(out, " recover %s",
					bridge->recover_ns != 0
							? fcn_format_time(bridge->recover_ns, text,
									  sizeof(text))
							: "never");
		fputc('\n', out);
	}
}
