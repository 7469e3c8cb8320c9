/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>

#include "session_private.h"

static int
trace_add(struct fcn_session *session, const struct fcn_args *args)
{
	uint64_t n = fcn_args_u64(args, "packets", 0);
	char err[256];

	if (n < 1 || n > FCN_TRACE_MAX)
		return fcn_command_error(args, -ERANGE, "packets", "1 to %u packets at a time",
				FCN_TRACE_MAX);
	if (fcn_control_trace_add(
			    session->ctl, n, fcn_args_str(args, "filter"), err, sizeof(err)) != 0)
		return fcn_command_error(args, -EINVAL, "filter", "%s", err);
	return 0;
}

static int
trace_clear(struct fcn_session *session, const struct fcn_args *args)
{
	char err[256];

	if (fcn_control_trace_clear(session->ctl, err, sizeof(err)) != 0)
		return fcn_command_error(args, -EAGAIN, NULL, "%s", err);
	return 0;
}

static const struct fcn_command commands[] = {
		{"trace add <packets:number> [<filter:text>]",
				"Trace the next packets received, or the next packets that "
				"match a BPF filter",
				FCN_COMMAND_ACTION, trace_add, .role = FCN_ROLE_OPERATE},
		{"trace clear", "Remove traced packets and stop tracing", FCN_COMMAND_ACTION,
				trace_clear, .role = FCN_ROLE_OPERATE},
};

const struct fcn_command_group fcn_trace_commands = {"Packet trace", commands, RTE_DIM(commands)};
