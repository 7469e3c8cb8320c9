/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <string.h>

#include "fcn_exports.h"
#include "session_private.h"

struct fcn_exports *
fcn_session_exports(const struct fcn_session *session)
{
	const struct fcn_session_hooks *hooks = session->hooks;

	return hooks != NULL && hooks->exports != NULL ? hooks->exports(hooks->arg) : NULL;
}

static int
not_here(const struct fcn_args *args)
{
	return fcn_command_error(args, -ENOTSUP, NULL, "only a live switch has exports");
}

static int
set_metrics(struct fcn_session *session, const struct fcn_args *args)
{
	static const struct fcn_addr loopback = {.version = 4, .bytes = {127, 0, 0, 1}};
	struct fcn_exports *exports = fcn_session_exports(session);
	uint64_t port = fcn_args_u64(args, "port", 0);
	const struct fcn_addr *addr = &loopback;
	char err[256];

	if (exports == NULL)
		return not_here(args);
	if (fcn_args_has(args, "address"))
		addr = fcn_args_addr(args, "address");
	if (port > UINT16_MAX)
		return fcn_command_error(args, -ERANGE, "port", "a port must be 0 to 65535");
	if (fcn_exports_listen(exports, fcn_args_has(args, "off") ? NULL : addr, port, err,
			    sizeof(err)) != 0)
		return fcn_command_error(args, -EIO, "port", "%s", err);
	return 0;
}

static int
set_log_events(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_exports *exports = fcn_session_exports(session);
	char err[600];

	if (exports == NULL)
		return not_here(args);
	/* `off` has no argument "file": NULL turns the log off. */
	if (fcn_exports_log(exports, fcn_args_str(args, "file"), err, sizeof(err)) != 0)
		return fcn_command_error(args, -EIO, "file", "%s", err);
	return 0;
}

static int
reopen(struct fcn_session *session, const struct fcn_args *args)
{
	struct fcn_exports *exports = fcn_session_exports(session);
	int rc = exports != NULL ? fcn_exports_reopen(exports) : -ENOENT;

	if (rc == -ENOENT)
		return fcn_command_error(args, rc, NULL, "there is no log of events");
	return rc == 0 ? 0
		       : fcn_command_error(args, rc, NULL, "%s; the old file stays open",
					 strerror(-rc));
}

static const struct fcn_command commands[] = {
		{"set metrics listen <port:number> [on <address:addr>]",
				"Serve metrics over HTTP (GET /metrics) at this TCP port and "
				"address (default 127.0.0.1). With port 0, the system chooses "
				"a free port",
				FCN_COMMAND_ACTION, set_metrics},
		{"set metrics off", "Do not (default)", FCN_COMMAND_ACTION, set_metrics},
		{"set log events <file:name>",
				"Append each event as a line of JSON to a file, or write it to "
				"standard output (-)",
				FCN_COMMAND_ACTION, set_log_events},
		{"set log events off", "Do not (default)", FCN_COMMAND_ACTION, set_log_events},
		{"set log events reopen",
				"Close and open the file of the event log again, after it was "
				"renamed",
				FCN_COMMAND_ACTION, reopen},
};

const struct fcn_command_group fcn_export_commands = {"Exports", commands, RTE_DIM(commands)};
