/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Commands that compare configurations. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "line_diff.h"
#include "session_private.h"

/* Comparing two texts and writing the result, which another thread does. */
struct comparing {
	const char *from_name, *from, *to_name, *to;
	bool json;
	FILE *out;
	json_t *list;
	int rc;
};

static json_t *
to_json(const struct line_diff_line *line, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list,
				json_pack("{s:s, s:I, s:s%}", "change", line[i].added ? "+" : "-",
						"line", (json_int_t)line[i].number, "command",
						line[i].text, line[i].len));
	return list;
}

static void
put_lines(const struct comparing *c, const struct line_diff_line *line, size_t n)
{
	if (n == 0)
		fprintf(c->out, "no difference: %s and %s\n", c->from_name, c->to_name);
	else
		fprintf(c->out, "--- %s\n+++ %s\n", c->from_name, c->to_name);
	for (size_t i = 0; i < n; i++)
		fprintf(c->out, "%c %.*s\n", line[i].added ? '+' : '-', (int)line[i].len,
				line[i].text);
}

static void
compare(void *arg)
{
	struct comparing *c = arg;
	struct line_diff_line *line;
	size_t n;

	c->rc = line_diff(c->from, c->to, &line, &n);
	if (c->rc == 0 && c->json)
		c->list = to_json(line, n);
	else if (c->rc == 0)
		put_lines(c, line, n);
	free(line);
}

int
fcn_session_put_diff(struct fcn_session *session, const struct fcn_args *args,
		const char *from_name, const char *from, const char *to_name, const char *to)
{
	struct comparing c = {.from_name = from_name,
			.from = from,
			.to_name = to_name,
			.to = to,
			.json = session->json || fcn_args_has(args, "json"),
			.out = session->out};

	fcn_control_aside(session->ctl, compare, &c);
	if (c.rc != 0)
		return fcn_command_error(args, c.rc, NULL, "out of memory");
	return c.json ? fcn_session_put(session, args, c.list, NULL) : 0;
}

/* Compare the running configuration with that of a file. @param forward from the file to it */
static int
with_file(struct fcn_session *session, const struct fcn_args *args, const char *file, bool forward)
{
	const struct fcn_session_text text = {.name = file};
	char *of_file = NULL, *running = NULL;
	int rc = fcn_session_regular(session, args, file);

	if (rc != 0)
		return rc;
	rc = fcn_session_try(session, &text, true, NULL, &of_file, session->out);
	if (rc != 0)
		rc = fcn_command_error(args, rc, "file", "%s cannot be compared", file);
	if (rc == 0 && fcn_session_saved(fcn_control_config(session->ctl), &running) != 0)
		rc = fcn_command_error(args, -ENOMEM, NULL, "out of memory");
	if (rc == 0 && forward)
		rc = fcn_session_put_diff(session, args, file, of_file, "running", running);
	else if (rc == 0)
		rc = fcn_session_put_diff(session, args, "running", running, file, of_file);
	free(of_file);
	free(running);
	return rc;
}

static int
diff_saved(struct fcn_session *session, const struct fcn_args *args)
{
	const struct fcn_exports *exports = fcn_session_exports(session);
	const char *file = exports != NULL ? fcn_exports_saved_file(exports) : NULL;

	if (file == NULL)
		return fcn_command_error(args, -EINVAL, NULL,
				"no configuration file was loaded: name a file");
	return with_file(session, args, file, true);
}

static int
diff_file(struct fcn_session *session, const struct fcn_args *args)
{
	char *path;
	int rc = fcn_session_path(session, args, FCN_SESSION_CONFIG, &path);

	if (rc == 0)
		rc = with_file(session, args, path, false);
	free(path);
	return rc;
}

static int
diff_rollback(struct fcn_session *session, const struct fcn_args *args)
{
	char name[32], *text, *running = NULL;
	int rc = fcn_session_rollback_text(session, args, &text);

	if (rc != 0)
		return rc;
	snprintf(name, sizeof(name), "rollback %u", (unsigned int)fcn_args_u64(args, "n", 0));
	if (fcn_session_saved(fcn_control_config(session->ctl), &running) != 0)
		rc = fcn_command_error(args, -ENOMEM, NULL, "out of memory");
	else
		rc = fcn_session_put_diff(session, args, "running", running, name, text);
	free(running);
	free(text);
	return rc;
}

static const struct fcn_command commands[] = {
		{"show diff [json]",
				"Show in which commands the running configuration differs from "
				"the configuration file: - is in the file only, + is running only. "
				"In JSON, with the number of each line in what `save` writes",
				FCN_COMMAND_ACTION, diff_saved, .role = FCN_ROLE_READ},
		{"show diff <file:name> [json]",
				"Show what `load FILE replace` would change: - goes, + comes",
				FCN_COMMAND_ACTION, diff_file},
		{"show diff rollback <n:number> [json]",
				"Show what `rollback` would change: - goes, + comes",
				FCN_COMMAND_ACTION, diff_rollback, .role = FCN_ROLE_READ},
};

const struct fcn_command_group fcn_diff_commands = {"Show", commands, RTE_DIM(commands)};
