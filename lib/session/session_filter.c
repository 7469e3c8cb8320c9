/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Run a line, and the filters behind it: "show port | include p1". */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_filter.h"
#include "session_private.h"

/* Filtering an answer. Another thread does it, as a long answer takes a while. */
struct filtering {
	const struct fcn_filters *filters;
	const char *text;
	size_t len;
	FILE *out;
	int rc;
};

static void
filter(void *arg)
{
	struct filtering *f = arg;

	f->rc = fcn_filters_apply(f->filters, f->text, f->len, f->out);
}

/* Run the command in front of the filters, with its answer in memory. */
static int
run_command(struct fcn_session *session, const char *line, bool json, struct fcn_diag *diag)
{
	char *command = strndup(line, fcn_filters_find(line));
	int rc;

	if (command == NULL)
		return -ENOMEM;
	session->json = json;
	session->json_written = false;
	rc = fcn_command_run(session->table, session, command, FCN_COMMAND_ALLOW_SHORT, diag);
	session->json = false;
	free(command);
	if (rc != 0 || !json || session->json_written)
		return rc;
	diag->column = 0;
	snprintf(diag->message, sizeof(diag->message), "this command has no answer in JSON");
	return -ENOTSUP;
}

int
fcn_session_run(struct fcn_session *session, const char *line, struct fcn_diag *diag)
{
	struct fcn_filters filters;
	struct filtering f = {.filters = &filters, .out = session->out};
	char *text = NULL;
	int rc = fcn_filters_read(line, &filters, diag);

	if (rc != 0)
		return rc;
	if (filters.n == 0 && !filters.json)
		return fcn_command_run(
				session->table, session, line, FCN_COMMAND_ALLOW_SHORT, diag);
	session->out = open_memstream(&text, &f.len);
	if (session->out == NULL) {
		session->out = f.out;
		return -ENOMEM;
	}
	rc = run_command(session, line, filters.json, diag);
	if (fclose(session->out) != 0 && rc == 0)
		rc = -ENOMEM;
	session->out = f.out;
	if (rc == 0) {
		f.text = text;
		fcn_control_aside(session->ctl, filter, &f);
		rc = f.rc;
	}
	free(text);
	return rc;
}
