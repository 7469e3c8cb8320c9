/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include "session_private.h"

static int
end_session(struct fcn_session *session, const struct fcn_args *args)
{
	RTE_SET_USED(args);
	session->ended = true;
	return 0;
}

static int
end_program(struct fcn_session *session, const struct fcn_args *args)
{
	if (session->hooks == NULL || session->hooks->shutdown == NULL)
		return fcn_command_error(args, -ENOTSUP, NULL, "nothing to shut down here");
	fcn_session_summary(session);
	session->hooks->shutdown(session->hooks->arg);
	session->ended = true;
	return 0;
}

static const struct fcn_command commands[] = {
		{"quit",
				"End this session. At the console of the switch itself, this "
				"shows a summary and ends the switch",
				FCN_COMMAND_ACTION, end_session, .role = FCN_ROLE_ANY},
		{"exit", "End this session, as the command quit does", FCN_COMMAND_ACTION,
				end_session, .role = FCN_ROLE_ANY},
		{"shutdown", "Show a summary, and end the switch", FCN_COMMAND_ACTION, end_program,
				.role = FCN_ROLE_OPERATE},
};

const struct fcn_command_group fcn_exit_commands = {"End", commands, RTE_DIM(commands)};
