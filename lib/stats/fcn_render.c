/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_render.h"

#define MAX_COLUMNS 24
#define CELL_SIZE 160
#define INDENT 2

static bool
ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);

	return len > n && strcmp(text + len - n, end) == 0;
}

static bool
is_prose(const char *key)
{
	return ends_with(key, "_text");
}

/* value / unit with as many decimals as it takes to be exact. */
static const char *
format_unit(uint64_t value, uint64_t unit, const char *suffix, char *buf, size_t size)
{
	uint64_t part = value % unit;
	char decimals[24];
	size_t n;

	if (part == 0) {
		snprintf(buf, size, "%" PRIu64 "%s", value / unit, suffix);
		return buf;
	}
	/* unit is a power of ten: the remainder with leading zeros */
	snprintf(decimals, sizeof(decimals), "%" PRIu64, part + unit);
	for (n = strlen(decimals); decimals[n - 1] == '0'; n--)
		;
	decimals[n] = '\0';
	snprintf(buf, size, "%" PRIu64 ".%s%s", value / unit, decimals + 1, suffix);
	return buf;
}

const char *
fcn_format_rate(uint64_t bps, char *buf, size_t size)
{
	if (bps >= 1000000000)
		return format_unit(bps, 1000000000, "G", buf, size);
	if (bps >= 1000000)
		return format_unit(bps, 1000000, "M", buf, size);
	if (bps >= 1000)
		return format_unit(bps, 1000, "K", buf, size);
	return format_unit(bps, 1, "", buf, size);
}

const char *
fcn_format_time(uint64_t ns, char *buf, size_t size)
{
	if (ns >= 1000000000)
		return format_unit(ns, 1000000000, "s", buf, size);
	if (ns >= 1000000)
		return format_unit(ns, 1000000, "ms", buf, size);
	if (ns >= 1000)
		return format_unit(ns, 1000, "us", buf, size);
	return format_unit(ns, 1, ns == 0 ? "" : "ns", buf, size);
}

/* The name a member has in text: without its unit. */
static const char *
title(const char *key, char *buf, size_t size)
{
	int len = strlen(key);

	if (is_prose(key))
		return "";
	if (ends_with(key, "_bps"))
		len -= 4;
	else if (ends_with(key, "_ns"))
		len -= 3;
	snprintf(buf, size, "%.*s", len, key);
	return buf;
}

/* One value as it stands in a table or behind a name; arrays of scalars with commas between. */
static const char *
format_scalar(const char *key, const json_t *v, char *buf, size_t size)
{
	size_t used = 0;
	size_t i;
	json_t *item;

	buf[0] = '\0';
	switch (json_typeof(v)) {
	case JSON_STRING:
		snprintf(buf, size, "%s", json_string_value(v));
		break;
	case JSON_INTEGER:
		if (ends_with(key, "_bps"))
			return fcn_format_rate(json_integer_value(v), buf, size);
		if (ends_with(key, "_ns"))
			return fcn_format_time(json_integer_value(v), buf, size);
		snprintf(buf, size, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
		break;
	case JSON_REAL:
		snprintf(buf, size, "%.3f", json_real_value(v));
		break;
	case JSON_TRUE:
		return "yes";
	case JSON_FALSE:
		return "no";
	case JSON_NULL:
		return "-";
	case JSON_ARRAY:
		if (json_array_size(v) == 0)
			return "-";
		json_array_foreach (v, i, item) {
			char one[CELL_SIZE];
			int n = snprintf(buf + used, size - used, "%s%s", i > 0 ? "," : "",
					format_scalar(key, item, one, sizeof(one)));

			if (n < 0 || (size_t)n >= size - used)
				break;
			used += n;
		}
		break;
	default:
		snprintf(buf, size, "{...}");
	}
	return buf;
}

static bool
is_table(const json_t *v)
{
	return json_is_array(v) && json_array_size(v) > 0 && json_is_object(json_array_get(v, 0));
}

static void
indent(FILE *out, int depth)
{
	fprintf(out, "%*s", depth * INDENT, "");
}

/* A row's members that are themselves tables or objects follow the row they belong to. */
static bool
is_nested(const json_t *v)
{
	return json_is_object(v) || is_table(v);
}

static void render(const json_t *v, FILE *out, int depth);

struct column {
	const char *key;
	int width;
	bool right;
};

static size_t
find_columns(const json_t *table, struct column *col)
{
	size_t n = 0, i;
	json_t *row, *v;
	const char *key;
	char cell[CELL_SIZE];

	json_array_foreach (table, i, row) {
		json_object_foreach ((json_t *)(uintptr_t)row, key, v) {
			size_t c = 0;
			int len;

			if (is_nested(v))
				continue;
			while (c < n && strcmp(col[c].key, key) != 0)
				c++;
			if (c == n) {
				if (n == MAX_COLUMNS)
					continue;
				col[n++] = (struct column){.key = key,
						.width = (int)strlen(
								title(key, cell, sizeof(cell))),
						.right = true};
			}
			len = strlen(format_scalar(key, v, cell, sizeof(cell)));
			col[c].width = RTE_MAX(col[c].width, len);
			if (!json_is_number(v) && !json_is_null(v))
				col[c].right = false;
		}
	}
	return n;
}

static void
put_cell(FILE *out, const struct column *col, const char *text, bool last)
{
	if (col->right)
		fprintf(out, "%*s", col->width, text);
	else if (last)
		fputs(text, out);
	else
		fprintf(out, "%-*s", col->width, text);
	fputs(last ? "\n" : "  ", out);
}

static void
render_table(const json_t *table, FILE *out, int depth)
{
	struct column col[MAX_COLUMNS];
	size_t n = find_columns(table, col);
	char cell[CELL_SIZE];
	const char *key;
	json_t *row, *v;
	size_t i;

	indent(out, depth);
	for (size_t c = 0; c < n; c++)
		put_cell(out, &col[c], title(col[c].key, cell, sizeof(cell)), c + 1 == n);
	json_array_foreach (table, i, row) {
		indent(out, depth);
		for (size_t c = 0; c < n; c++) {
			v = json_object_get(row, col[c].key);
			put_cell(out, &col[c],
					v == NULL ? ""
						  : format_scalar(col[c].key, v, cell,
								    sizeof(cell)),
					c + 1 == n);
		}
		json_object_foreach (row, key, v) {
			if (!is_nested(v))
				continue;
			indent(out, depth + 1);
			fprintf(out, "%s:\n", key);
			render(v, out, depth + 2);
		}
	}
}

static void
render_object(const json_t *object, FILE *out, int depth)
{
	char cell[CELL_SIZE];
	const char *key;
	json_t *v;
	int width = 0;

	json_object_foreach ((json_t *)(uintptr_t)object, key, v) {
		if (!is_nested(v))
			width = RTE_MAX(width, (int)strlen(title(key, cell, sizeof(cell))));
	}
	json_object_foreach ((json_t *)(uintptr_t)object, key, v) {
		indent(out, depth);
		if (is_nested(v)) {
			fprintf(out, "%s:\n", key);
			render(v, out, depth + 1);
		} else {
			char name[CELL_SIZE];

			title(key, name, sizeof(name));
			fprintf(out, "%s:%*s %s\n", name, width - (int)strlen(name), "",
					format_scalar(key, v, cell, sizeof(cell)));
		}
	}
}

static void
render(const json_t *v, FILE *out, int depth)
{
	char cell[CELL_SIZE];

	if (is_table(v)) {
		render_table(v, out, depth);
	} else if (json_is_object(v)) {
		render_object(v, out, depth);
	} else if (json_is_array(v) && json_array_size(v) == 0) {
		indent(out, depth);
		fputs("none\n", out);
	} else {
		indent(out, depth);
		fprintf(out, "%s\n", format_scalar("", v, cell, sizeof(cell)));
	}
}

void
fcn_render_text(const json_t *value, FILE *out)
{
	render(value, out, 0);
}

void
fcn_render_json(const json_t *value, FILE *out)
{
	json_dumpf(value, out, JSON_INDENT(2));
	fputc('\n', out);
}
