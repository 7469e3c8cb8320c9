/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_filter.h"

/* Matching caches states of the expression; they are freed after so many lines. */
#define LINES_OF_A_CACHE 4096

/* The session of the commands below is a struct fcn_filters. */
static struct fcn_filters *
filters_of(struct fcn_session *session)
{
	return (struct fcn_filters *)(void *)session;
}

static bool
is_costly(const char *re)
{
	for (; *re != '\0'; re++) {
		if (*re == '{')
			return true;
		if (*re != '\\' || re[1] == '\0')
			continue;
		re++;
		if (*re >= '1' && *re <= '9')
			return true;
	}
	return false;
}

static int
add(struct fcn_session *session, const struct fcn_args *args, bool exclude)
{
	struct fcn_filters *filters = filters_of(session);
	const char *re = fcn_args_str(args, "regex");
	char why[128];
	regex_t compiled;
	int rc;

	if (strlen(re) > FCN_FILTER_MAX_RE)
		return fcn_command_error(args, -EINVAL, "regex",
				"a regular expression has at most %d bytes", FCN_FILTER_MAX_RE);
	if (is_costly(re))
		return fcn_command_error(args, -EINVAL, "regex",
				"repetition counts, as {2}, and back-references, as \\1, are not "
				"possible here");
	rc = regcomp(&compiled, re, REG_EXTENDED | REG_NOSUB);
	if (rc != 0) {
		regerror(rc, &compiled, why, sizeof(why));
		return fcn_command_error(
				args, -EINVAL, "regex", "not a regular expression: %s", why);
	}
	regfree(&compiled);
	snprintf(filters->list[filters->n].re, sizeof(filters->list[0].re), "%s", re);
	filters->list[filters->n++].exclude = exclude;
	return 0;
}

static int
run_include(struct fcn_session *session, const struct fcn_args *args)
{
	return add(session, args, false);
}

static int
run_exclude(struct fcn_session *session, const struct fcn_args *args)
{
	return add(session, args, true);
}

static int
run_json(struct fcn_session *session, const struct fcn_args *args)
{
	RTE_SET_USED(args);
	filters_of(session)->json = true;
	return 0;
}

static const struct fcn_command commands[] = {
		{"include <regex:text>", "Show only lines that match a regular expression",
				FCN_COMMAND_ACTION, run_include},
		{"exclude <regex:text>", "Leave out lines that match a regular expression",
				FCN_COMMAND_ACTION, run_exclude},
		{"json", "Show the value as JSON", FCN_COMMAND_ACTION, run_json},
};

const struct fcn_command_group fcn_filter_commands = {"Filters", commands, RTE_DIM(commands)};

/* What filters of other switches are here. */
static const struct fcn_command_foreign foreign[] = {
		{"compare", "show diff"},
		{"except", "exclude"},
		{"grep", "include"},
		{"match", "include"},
		{NULL, NULL},
};

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\0';
}

/* Find the next '|' that stands alone, or the end of the line or the beginning of its comment. */
static size_t
find_bar(const char *line, size_t from)
{
	size_t i;

	for (i = from; line[i] != '\0'; i++) {
		if (i > 0 && !is_blank(line[i - 1]))
			continue;
		if (line[i] == '#' || (line[i] == '|' && is_blank(line[i + 1])))
			break;
	}
	return i;
}

size_t
fcn_filters_find(const char *line)
{
	static const char show[] = "show";
	size_t begin = strspn(line, " \t"), n, bar;

	for (n = 0; !is_blank(line[begin + n]); n++)
		;
	if (n == 0 || n > strlen(show) || memcmp(line + begin, show, n) != 0)
		return strlen(line);
	bar = find_bar(line, 0);
	return line[bar] == '|' ? bar : strlen(line);
}

size_t
fcn_filters_last(const char *line)
{
	size_t bar = fcn_filters_find(line), last = 0;

	for (; line[bar] == '|'; bar = find_bar(line, bar + 1))
		last = bar + 1;
	return last;
}

/* Read the filter behind a bar. */
static int
read_one(const struct fcn_command_table *table, const char *line, size_t bar, size_t end,
		struct fcn_filters *filters, struct fcn_diag *diag)
{
	char text[FCN_COMMAND_MAX_LINE + 1];
	int rc;

	diag->column = (unsigned int)bar + 1;
	if (end - bar > FCN_COMMAND_MAX_LINE ||
			strspn(line + bar + 1, " \t\r\n") >= end - bar - 1) {
		snprintf(diag->message, sizeof(diag->message),
				"expected include, exclude or json behind |");
		return -EINVAL;
	}
	if (filters->n == FCN_FILTERS) {
		snprintf(diag->message, sizeof(diag->message), "there are more than %d filters",
				FCN_FILTERS);
		return -E2BIG;
	}
	/* Blanks in front keep the columns. */
	memset(text, ' ', bar + 1);
	memcpy(text + bar + 1, line + bar + 1, end - bar - 1);
	text[end] = '\0';
	rc = fcn_command_run(table, (struct fcn_session *)(void *)filters, text,
			FCN_COMMAND_ALLOW_SHORT, diag);
	return rc;
}

int
fcn_filters_read(const char *line, struct fcn_filters *filters, struct fcn_diag *diag)
{
	struct fcn_command_table *table;
	size_t bar = fcn_filters_find(line), end;
	int rc = 0;

	memset(filters, 0, sizeof(*filters));
	if (line[bar] == '\0' || strlen(line) > FCN_COMMAND_MAX_LINE)
		return 0;
	table = fcn_command_table_create(&fcn_filter_commands, 1);
	if (table == NULL)
		return -ENOMEM;
	fcn_command_table_foreign(table, foreign);
	for (; rc == 0 && line[bar] == '|'; bar = end) {
		end = find_bar(line, bar + 1);
		rc = read_one(table, line, bar, end, filters, diag);
	}
	fcn_command_table_free(table);
	return rc;
}

/* Write the lines of a text that pass one filter. */
static int
apply(const char *re, bool exclude, const char *text, size_t len, FILE *out)
{
	regex_t compiled;
	unsigned int lines = 0;
	size_t n;

	if (regcomp(&compiled, re, REG_EXTENDED | REG_NOSUB) != 0)
		return -ENOMEM; /* the expression was checked */
	for (; len > 0; text += n, len -= n) {
		const char *end = memchr(text, '\n', len);
		regmatch_t part = {.rm_so = 0};

		n = end != NULL ? (size_t)(end - text) + 1 : len;
		part.rm_eo = (regoff_t)(end != NULL ? n - 1 : n);
		if ((regexec(&compiled, text, 1, &part, REG_STARTEND) == 0) != exclude)
			fwrite(text, 1, n, out);
		if (++lines % LINES_OF_A_CACHE == 0) {
			regfree(&compiled);
			if (regcomp(&compiled, re, REG_EXTENDED | REG_NOSUB) != 0)
				return -ENOMEM;
		}
	}
	regfree(&compiled);
	return 0;
}

int
fcn_filters_apply(const struct fcn_filters *filters, const char *text, size_t len, FILE *out)
{
	char *from = NULL, *to;
	size_t to_len;
	FILE *stream;
	int rc = 0;

	for (unsigned int i = 0; rc == 0 && i < filters->n; i++) {
		to = NULL;
		stream = open_memstream(&to, &to_len);
		if (stream == NULL) {
			rc = -ENOMEM;
			break;
		}
		rc = apply(filters->list[i].re, filters->list[i].exclude, text, len, stream);
		if (fclose(stream) != 0 && rc == 0)
			rc = -ENOMEM;
		free(from);
		text = from = to;
		len = to_len;
	}
	if (rc == 0)
		fwrite(text, 1, len, out);
	free(from);
	return rc;
}
