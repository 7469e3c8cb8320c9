/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Following events as they come. */

#include <errno.h>
#include <inttypes.h>

#include "session_private.h"

static int
follow(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_exports *exports = fcn_session_exports(session);
	const bool json = session->json || fcn_args_has(args, "json");
	uint64_t next;

	if (exports == NULL)
		return fcn_command_error(args, -ENOTSUP, NULL, "no events come here");
	session->json_written = json;
	if (session->follow != NULL && !fcn_args_given(args, "n")) {
		session->follow(session->follow_arg, json);
		return 0;
	}
	next = fcn_exports_follow(exports, fcn_args_u64(args, "n", UINT64_MAX), json, session->out);
	fprintf(session->out, json ? "{\"next\":%" PRIu64 "}\n" : "next %" PRIu64 "\n", next);
	return 0;
}

static const struct fcn_command commands[] = {
		{"show events follow [json]",
				"Show the last events, and others as they come, until Ctrl-C. "
				"Notices are not among them. In JSON, each is a line as in the "
				"event log",
				FCN_COMMAND_ACTION, follow, .role = FCN_ROLE_READ},
		{"show events follow after <n:number> [json]",
				"Show the events that came since another answer, whose last line "
				"has the number: for programs, which ask again and again",
				FCN_COMMAND_ACTION, follow, .role = FCN_ROLE_READ},
};

const struct fcn_command_group fcn_event_commands = {"Show", commands, RTE_DIM(commands)};
