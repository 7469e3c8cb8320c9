/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Whether the role of a session includes what a command needs. */

#include <errno.h>
#include <stdio.h>

#include "session_private.h"

int
fcn_session_gate(struct fcn_session *session, const struct fcn_command *command,
		struct fcn_diag *diag)
{
	if (!fcn_role_includes(session->role, command->role)) {
		session->refused = true;
		session->needs = command->role;
		snprintf(diag->message, sizeof(diag->message),
				"this needs the role %s, and the session has the role %s",
				fcn_role_name(command->role), fcn_role_name(session->role));
		return -EACCES;
	}
	/* A file that is loaded has commands of its own, so none takes this back. */
	session->acts |= command->role != FCN_ROLE_READ && command->role != FCN_ROLE_ANY;
	session->reports |= command->role == FCN_ROLE_LEARNED;
	return 0;
}

int
fcn_session_needs_full(struct fcn_session *session, const struct fcn_args *args, const char *key,
		const char *what)
{
	if (fcn_role_includes(session->role, FCN_ROLE_FULL))
		return 0;
	session->refused = true;
	session->needs = FCN_ROLE_FULL;
	return fcn_command_error(args, -EACCES, key,
			"%s needs the role %s, and the session has the role %s", what,
			fcn_role_name(FCN_ROLE_FULL), fcn_role_name(session->role));
}
