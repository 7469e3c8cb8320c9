/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The `show` commands for programs, whose parameters are text such as "p1,3". */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_json_text.h"
#include "fcn_show_list.h"

void
fcn_show_telemetry_command(const struct fcn_show *show, char *cmd, size_t size)
{
	snprintf(cmd, size, FCN_SHOW_TELEMETRY_PREFIX "%s", show->name);
	for (char *c = cmd; *c != '\0'; c++) {
		if (*c == ' ' || *c == '-')
			*c = '_';
	}
}

static json_t *
error(const char *what, const char *param)
{
	char text[128];

	/* a parameter that is too long may be cut within a character */
	snprintf(text, sizeof(text), "%s: %.64s", what, param);
	return json_pack("{s:o}", "error", fcn_json_text(text));
}

/* Read a whole number of at most `most`. @return 0 on success, -1 otherwise */
static int
read_number(const char *text, unsigned long most, unsigned long *value)
{
	char *end;

	*value = strtoul(text, &end, 10);
	return text[0] >= '0' && text[0] <= '9' && *end == '\0' && *value <= most ? 0 : -1;
}

/*
 * Read the parameter that the table calls `kind`, which ends at a comma or at the end of the text.
 * @return NULL, or an object that says what is wrong
 */
static json_t *
read_parameter(const struct fcn_config *cfg, const char *kind, const char *text,
		struct fcn_show_query *query)
{
	unsigned long n;

	switch (kind[0]) {
	case 'p':
		query->port = fcn_config_port_find(cfg, text);
		return query->port >= 0 ? NULL : error("there is no port", text);
	case 'b':
		query->bridge = fcn_config_bridge_find(cfg, text);
		return query->bridge >= 0 ? NULL : error("there is no bridge", text);
	case 'c':
		if (read_number(text, FCN_CLASSES - 1, &n) != 0)
			return error("not a class", text);
		query->class = (int)n;
		return NULL;
	default:
		if (read_number(text, INT32_MAX, &n) != 0)
			return error("not a number", text);
		query->number = n;
		return NULL;
	}
}

/* @return NULL, or an object that says what is wrong */
static json_t *
read_parameters(const struct fcn_config *cfg, const struct fcn_show *show, const char *params,
		struct fcn_show_query *query)
{
	char copy[128], *save = NULL, *word;
	const char *kind = show->parameters;
	json_t *err = NULL;

	if (strlen(params) >= sizeof(copy))
		return error("parameters are too long", params);
	strcpy(copy, params);
	for (word = strtok_r(copy, ",", &save); word != NULL && err == NULL;
			word = strtok_r(NULL, ",", &save)) {
		if (kind == NULL)
			return error("one parameter too many", word);
		err = read_parameter(cfg, kind, word, query);
		kind = strchr(kind, ',');
		if (kind != NULL)
			kind++;
	}
	return err;
}

json_t *
fcn_show_by_name(const struct fcn_show_source *source, const char *name, const char *params)
{
	const struct fcn_show *show = fcn_show_find(name);
	struct fcn_show_query query = FCN_SHOW_QUERY_ANY;
	json_t *err = NULL;

	if (show == NULL || !show->bounded)
		return error("there is no show", name);
	if (params != NULL)
		err = read_parameters(fcn_control_config(source->ctl), show, params, &query);
	return err != NULL ? err : fcn_show_get(source, show, &query);
}
