/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bsd/string.h>

#include "fcn_exports.h"
#include "session_private.h"

struct fcn_exports *
fcn_session_exports(const struct fcn_session *session)
{
	const struct fcn_session_hooks *hooks = session->hooks;

	return hooks != NULL && hooks->exports != NULL ? hooks->exports(hooks->arg) : NULL;
}

/* Get metrics and event log of the candidate for a change, which the commit puts into force. */
static struct fcn_config_exports *
edit(struct fcn_session *session)
{
	session->exports_dirty = true;
	return &fcn_session_edit(session)->exports;
}

static int
set_metrics(struct fcn_session *session, const struct fcn_args *args)
{
	static const struct fcn_addr loopback = {.version = 4, .bytes = {127, 0, 0, 1}};
	uint64_t port = fcn_args_u64(args, "port", 0);
	struct fcn_config_exports *exports;

	if (port > UINT16_MAX)
		return fcn_command_error(args, -ERANGE, "port", "a port must be 0 to 65535");
	exports = edit(session);
	exports->metrics = fcn_args_has(args, "address") ? *fcn_args_addr(args, "address")
							 : loopback;
	exports->port = (uint16_t)port;
	if (fcn_args_has(args, "off"))
		exports->metrics = (struct fcn_addr){0};
	return 0;
}

static int
set_log_events(struct fcn_session *session, const struct fcn_args *args)
{
	const char *file = fcn_args_has(args, "file") ? fcn_args_str(args, "file") : "";
	char *path = NULL;
	int rc = 0;

	/* "-" is standard output. */
	if (file[0] != '\0' && strcmp(file, "-") != 0)
		rc = fcn_session_path(session, args, FCN_SESSION_OUTPUT, &path);
	if (rc != 0)
		return rc;
	if (path != NULL)
		file = path;
	if (strlen(file) >= FCN_EXPORT_FILE_LEN)
		rc = fcn_command_error(args, -ENAMETOOLONG, "file",
				"the name of a file has at most %u characters",
				FCN_EXPORT_FILE_LEN - 1);
	else
		strlcpy(edit(session)->events, file, FCN_EXPORT_FILE_LEN);
	free(path);
	return rc;
}

void
fcn_save_exports(const struct fcn_config *cfg, FILE *out)
{
	const struct fcn_config_exports *x = &cfg->exports;
	char address[FCN_ADDR_STRLEN];

	if (x->metrics.version != 0)
		fprintf(out, "set metrics listen %u on %s\n", x->port,
				fcn_addr_format(&x->metrics, address, sizeof(address)));
	if (x->events[0] != '\0')
		fprintf(out, "set log events %s\n", x->events);
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
				"Serve metrics (GET /metrics) and a page of the switch for "
				"people (/) over HTTP at this TCP port and "
				"address (default 127.0.0.1). With port 0, the system chooses "
				"a free port. The option --metrics of the program takes "
				"precedence over a configuration file",
				FCN_COMMAND_CONFIG, set_metrics, .role = FCN_ROLE_OPERATE},
		{"set metrics off", "Serve no metrics, and no page, over HTTP (default)",
				FCN_COMMAND_CONFIG, set_metrics, .role = FCN_ROLE_OPERATE},
		{"set log events <file:name>",
				"Append each event as a line of JSON to a file, or write it to "
				"standard output (-). The option --log-events of the program "
				"takes precedence over a configuration file",
				FCN_COMMAND_CONFIG, set_log_events},
		{"set log events off", "Write no log of events (default)", FCN_COMMAND_CONFIG,
				set_log_events},
		{"set log events reopen",
				"Close and open the file of the event log again, after it was "
				"renamed",
				FCN_COMMAND_ACTION, reopen},
};

const struct fcn_command_group fcn_export_commands = {"Exports", commands, RTE_DIM(commands)};
