/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Commands that show the configuration in force. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "session_private.h"

/* The lines of a text. */
struct lines {
	char *text;
	size_t len;
};

/* Save a configuration to memory. @return 0; -ENOMEM */
static int
save(const struct fcn_config *cfg, bool all, struct lines *lines)
{
	FILE *out;

	*lines = (struct lines){.text = NULL};
	out = cfg != NULL ? open_memstream(&lines->text, &lines->len) : NULL;
	if (out == NULL)
		return -ENOMEM;
	if (all)
		fcn_session_save(cfg, out);
	else
		fcn_session_save_lines(cfg, false, out);
	return fclose(out) == 0 ? 0 : -ENOMEM;
}

static bool
has_line(const struct lines *lines, const char *line, size_t len)
{
	const char *p = lines->text, *end;

	for (; *p != '\0'; p = end + 1) {
		end = strchr(p, '\n');
		if ((size_t)(end - p) == len && memcmp(p, line, len) == 0)
			return true;
	}
	return false;
}

/* Remove the lines that a configuration without any command has, too: they set defaults. */
static int
remove_defaults(struct lines *lines)
{
	struct fcn_config *empty = fcn_config_create();
	struct lines defaults;
	int rc = save(empty, false, &defaults);
	char *to = lines->text;
	size_t len;

	fcn_config_free(empty);
	for (const char *p = lines->text; rc == 0 && *p != '\0'; p += len + 1) {
		len = strcspn(p, "\n");
		if (has_line(&defaults, p, len))
			continue;
		memmove(to, p, len + 1);
		to += len + 1;
	}
	if (rc == 0)
		*to = '\0';
	free(defaults.text);
	return rc;
}

/* Make a list of the lines that are no comments. */
static json_t *
to_json(const struct lines *lines)
{
	json_t *list = json_array();
	size_t len;

	for (const char *p = lines->text; list != NULL && *p != '\0'; p += len + 1) {
		len = strcspn(p, "\n");
		if (p[0] != '#')
			json_array_append_new(list, json_stringn(p, len));
	}
	return list;
}

static int
put(struct fcn_session *session, const struct fcn_args *args, bool differences)
{
	struct lines lines;
	int rc = save(fcn_control_config(session->ctl), !differences, &lines);

	if (rc == 0 && differences)
		rc = remove_defaults(&lines);
	if (rc == 0 && (session->json || fcn_args_has(args, "json")))
		rc = fcn_session_put(session, args, to_json(&lines), NULL);
	else if (rc == 0)
		fputs(lines.text, session->out);
	free(lines.text);
	return rc;
}

static int
show_config(struct fcn_session *session, const struct fcn_args *args)
{
	return put(session, args, false);
}

static int
show_running_config(struct fcn_session *session, const struct fcn_args *args)
{
	return put(session, args, true);
}

static const struct fcn_command commands[] = {
		{"show config [json]",
				"Show the running configuration as commands, as save writes it. In "
				"JSON, it is a list of commands",
				FCN_COMMAND_ACTION, show_config, .role = FCN_ROLE_READ},
		{"show running-config [json]",
				"Show the commands of the running configuration that set what is "
				"not the default. Loaded in place of any configuration, they give "
				"the same one",
				FCN_COMMAND_ACTION, show_running_config, .role = FCN_ROLE_READ},
};

const struct fcn_command_group fcn_config_commands = {
		"Show", commands, sizeof(commands) / sizeof(commands[0])};
