/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "session_private.h"

static int
clear_neighbour(struct fcn_session *session, const struct fcn_args *args)
{
	RTE_SET_USED(args);
	fprintf(session->out, "%u forgotten\n",
			fcn_host_clear_neighbours(fcn_control_host(session->ctl)));
	return 0;
}

static int
clear_sender(struct fcn_session *session, const struct fcn_args *args)
{
	RTE_SET_USED(args);
	fprintf(session->out, "%u forgotten\n",
			fcn_host_clear_senders(fcn_control_host(session->ctl)));
	return 0;
}

static const struct fcn_command commands[] = {
		{"clear neighbour", "Remove all neighbours that were learned", FCN_COMMAND_ACTION,
				clear_neighbour, .role = FCN_ROLE_OPERATE},
		{"clear sender",
				"Remove all that was learned about which senders support Fast "
				"CNPs",
				FCN_COMMAND_ACTION, clear_sender, .role = FCN_ROLE_OPERATE},
};

const struct fcn_command_group fcn_host_commands = {"Host functions", commands, RTE_DIM(commands)};
