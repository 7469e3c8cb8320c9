/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bsd/string.h>

#include "show_request.h"

/* Copy up to a character, or n characters. */
static void
copy(char *to, const char *from, size_t n)
{
	snprintf(to, FCN_SHOW_PARAM_NAME, "%.*s", (int)n, from);
}

/* Read "[port <port:name>]", "[<port:name>]" or "[all]". */
static void
read_param(const char *text, size_t len, struct fcn_show_param *p)
{
	const char *open = memchr(text, '<', len), *colon;
	size_t word = open != NULL ? (size_t)(open - text) : len;

	while (word > 0 && text[word - 1] == ' ')
		word--;
	*p = (struct fcn_show_param){.key = ""};
	if (open != NULL) {
		colon = memchr(open, ':', len - (size_t)(open - text));
		copy(p->key, open + 1, colon != NULL ? (size_t)(colon - open - 1) : 0);
	}
	if (word > 0)
		copy(p->name, text, word);
	else
		memcpy(p->name, p->key, sizeof(p->name));
}

bool
fcn_show_param_next(const char **at, struct fcn_show_param *p)
{
	const char *open, *end;

	while ((open = strchr(*at, '[')) != NULL && (end = strchr(open, ']')) != NULL) {
		*at = end + 1;
		read_param(open + 1, (size_t)(end - open - 1), p);
		/* These are about the form of the text on the console. */
		if (strcmp(p->name, "detail") != 0 && strcmp(p->name, "json") != 0)
			return true;
	}
	return false;
}

static bool
find_param(const struct fcn_show *show, const char *name, struct fcn_show_param *p)
{
	const char *at = show->syntax;

	while (fcn_show_param_next(&at, p)) {
		if (strcmp(p->name, name) == 0)
			return true;
	}
	return false;
}

/* Write which parameters there are. */
static void
write_params(const struct fcn_show *show, char *text, size_t size)
{
	const char *at = show->syntax;
	struct fcn_show_param p;
	bool first = true;

	while (fcn_show_param_next(&at, &p)) {
		strlcat(text, first ? "; it has " : ", ", size);
		strlcat(text, p.name, size);
		first = false;
	}
	if (first)
		strlcat(text, "; it has none", size);
}

static bool
read_number(const char *text, uint64_t most, uint64_t *value)
{
	char *end;

	if (text[0] < '0' || text[0] > '9' || strlen(text) > 18)
		return false;
	*value = strtoull(text, &end, 10);
	return *end == '\0' && *value <= most;
}

/* Find what a name stands for. @return its number; -1: there is none */
static int
find(const struct fcn_config *cfg, const char *key, const char *name)
{
	if (strcmp(key, "port") == 0)
		return fcn_config_port_find(cfg, name);
	if (strcmp(key, "bridge") == 0)
		return fcn_config_bridge_find(cfg, name);
	return fcn_config_table_find(cfg, name);
}

static bool
read_flag(const char *value, bool *flag)
{
	*flag = strcmp(value, "0") != 0 && strcmp(value, "false") != 0;
	return !*flag || value[0] == '\0' || strcmp(value, "1") == 0 || strcmp(value, "true") == 0;
}

/* What the query of a `show` needs beside itself. */
struct query {
	struct fcn_show_query q;
	struct fcn_prefix prefix;
};

/* @return NULL, or what is wrong with the value */
static const char *
read_value(const struct fcn_config *cfg, const struct fcn_show_param *p, const char *value,
		struct query *query)
{
	struct fcn_show_query *q = &query->q;
	const char *key = p->key[0] != '\0' ? p->key : p->name;
	uint64_t n = 0;
	int *name = strcmp(key, "port") == 0     ? &q->port
		    : strcmp(key, "bridge") == 0 ? &q->bridge
		    : strcmp(key, "table") == 0  ? &q->table
						 : NULL;

	if (name != NULL) {
		*name = find(cfg, key, value);
		return *name >= 0 ? NULL : "there is none of this name";
	}
	if (strcmp(key, "class") == 0) {
		q->class = read_number(value, FCN_CLASSES - 1, &n) ? (int)n : -1;
		return q->class >= 0 ? NULL : "a class must be 0 to 7";
	}
	if (strcmp(key, "n") == 0)
		return read_number(value, UINT32_MAX, &q->number) ? NULL : "not a number";
	if (strcmp(key, "skip") == 0)
		return read_number(value, UINT32_MAX, &q->skip) ? NULL : "not a number";
	if (strcmp(key, "prefix") == 0) {
		q->prefix = &query->prefix;
		return fcn_prefix_parse(value, &query->prefix) == 0 ? NULL : "not a prefix";
	}
	if (strcmp(key, "all") == 0)
		return read_flag(value, &q->all) ? NULL : "it takes no value";
	if (strcmp(key, "bytes") == 0)
		return read_flag(value, &q->bytes) ? NULL : "it takes no value";
	return "it cannot be asked for here";
}

static bool
read_request(const struct fcn_config *cfg, const struct fcn_show_request *request,
		struct query *query, struct fcn_show_result *result)
{
	for (unsigned int i = 0; i < request->n; i++) {
		const char *name = request->param[i].name, *wrong;
		struct fcn_show_param p;

		if (!find_param(request->show, name, &p)) {
			snprintf(result->error, sizeof(result->error),
					"show %s has no parameter %s", request->show->name, name);
			write_params(request->show, result->error, sizeof(result->error));
			return false;
		}
		wrong = read_value(cfg, &p, request->param[i].value, query);
		if (wrong != NULL) {
			snprintf(result->error, sizeof(result->error), "%s=%s: %s", name,
					request->param[i].value, wrong);
			return false;
		}
	}
	return true;
}

void
fcn_show_request_run(const struct fcn_show_source *source, const struct fcn_show_request *request,
		struct fcn_show_result *result)
{
	struct query query = {.q = FCN_SHOW_QUERY_ANY};
	struct fcn_show_param skip;
	bool in_parts = false;
	uint64_t limit;

	*result = (struct fcn_show_result){.value = NULL};
	if (!read_request(fcn_control_config(source->ctl), request, &query, result))
		return;
	in_parts = find_param(request->show, "skip", &skip);
	if (in_parts && query.q.number == UINT64_MAX)
		query.q.number = FCN_SHOW_ROWS;
	if (in_parts)
		query.q.number = RTE_MIN(query.q.number, (uint64_t)FCN_SHOW_MOST_ROWS);
	limit = query.q.number;
	if (in_parts)
		query.q.number++; /* one more tells whether these are all */
	result->value = fcn_show_get(source, request->show, &query.q);
	if (in_parts && json_array_size(result->value) > limit) {
		json_array_remove(result->value, limit);
		if (limit != 0)
			result->next = query.q.skip + limit;
	}
}
