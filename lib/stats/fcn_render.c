/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "fcn_notice_kind.h"
#include "fcn_render.h"

#define NUMBER_SIZE 32
#define INDENT 2
/* A table that is wider than this many characters is split into several, one below the other. */
#define LINE_WIDTH 110

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

/* Format value / unit with as many decimals as an exact result needs. */
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
	/* The unit is a power of ten. Adding it keeps the leading zeros of the remainder. */
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

/* Round a value to a number of significant digits, but not coarser than to a multiple of a power of
 * ten. */
static uint64_t
round_to(uint64_t value, uint64_t digits_end, uint64_t coarsest)
{
	uint64_t step = 1;

	while (value / step >= digits_end && step < coarsest)
		step *= 10;
	if (value <= UINT64_MAX - step / 2)
		value += step / 2;
	return value / step * step;
}

const char *
fcn_format_short_rate(uint64_t bps, char *buf, size_t size)
{
	return fcn_format_rate(round_to(bps, 10000, 1000000000), buf, size);
}

const char *
fcn_format_short_time(uint64_t ns, char *buf, size_t size)
{
	return fcn_format_time(round_to(ns, 1000, 1000000000), buf, size);
}

const char *
fcn_format_moment(uint64_t ns, char *buf, size_t size)
{
	return fcn_format_time(ns < 1000000000 ? ns : round_to(ns, 1, 1000), buf, size);
}

const char *
fcn_format_ratio(uint64_t ratio, char *buf, size_t size)
{
	return format_unit(ratio, 1000000000, "", buf, size);
}

/* Get the length of the name that a member has in text, where it has no unit at the end. */
static int
title_len(const char *key)
{
	int len = strlen(key);

	if (is_prose(key))
		return 0;
	if (ends_with(key, "_bps"))
		return len - 4;
	return ends_with(key, "_ns") ? len - 3 : len;
}

/* Tell whether a member is a moment, and not the length of a time. */
static bool
is_moment(const char *key)
{
	static const char *const keys[] = {
			"time_ns", "start_ns", "end_ns", "first_ns", "last_ns", "peak_ns"};

	for (size_t i = 0; i < RTE_DIM(keys); i++) {
		if (strcmp(key, keys[i]) == 0)
			return true;
	}
	return false;
}

/* Format a number as its name asks for. @return buf */
static const char *
format_integer(const char *key, json_int_t value, char *buf, size_t size)
{
	if (ends_with(key, "_bps"))
		return fcn_format_short_rate(value, buf, size);
	if (is_moment(key))
		return fcn_format_moment(value, buf, size);
	if (ends_with(key, "_ns"))
		return fcn_format_short_time(value, buf, size);
	snprintf(buf, size, "%" JSON_INTEGER_FORMAT, value);
	return buf;
}

/*
 * Tell whether a member is a setting that commands turn on and off, and not a state. Each kind of
 * notice is one. A test goes through the settings of the switch.
 */
static bool
is_switch(const char *key)
{
	static const char *const keys[] = {"any_port", "border", "cycle_share", "dad", "echo",
			"ecn", "ecn_events", "entropy", "from_pfc", "hardware", "heavy_flows",
			"intercept", "link_pause", "mark_unknown", "measure", "mld", "notify", "on",
			"own_rate", "receive", "sched", "send", "transit"};

	for (unsigned int kind = 0; kind < fcn_notice_kind_count; kind++) {
		if (strcmp(key, fcn_notice_kinds[kind]->name) == 0)
			return true;
	}
	for (size_t i = 0; i < RTE_DIM(keys); i++) {
		if (strcmp(key, keys[i]) == 0)
			return true;
	}
	return false;
}

/* Write one value of a table or after a name; the elements of an array are separated by commas. */
static void
put_scalar(const char *key, const json_t *v, FILE *out)
{
	char buf[NUMBER_SIZE];
	size_t i;
	json_t *item;

	switch (json_typeof(v)) {
	case JSON_STRING:
		fputs(json_string_value(v), out);
		break;
	case JSON_INTEGER:
		fputs(format_integer(key, json_integer_value(v), buf, sizeof(buf)), out);
		break;
	case JSON_REAL:
		fprintf(out, "%.9g", json_real_value(v));
		break;
	case JSON_TRUE:
		fputs(is_switch(key) ? "on" : "yes", out);
		break;
	case JSON_FALSE:
		fputs(is_switch(key) ? "off" : "no", out);
		break;
	case JSON_NULL:
		fputc('-', out);
		break;
	case JSON_ARRAY:
		if (json_array_size(v) == 0)
			fputc('-', out);
		json_array_foreach (v, i, item) {
			if (i > 0)
				fputc(',', out);
			put_scalar(key, item, out);
		}
		break;
	default: /* an object, which put_nested() writes */
		break;
	}
}

/* The text of a scalar. It is in buf, in the JSON value itself or, for an array, in memory of its
 * own. */
struct text {
	const char *s;
	char *own; /* memory to be freed, or NULL */
	char buf[NUMBER_SIZE];
};

/* Make the text of an array, which the caller frees. @return NULL on lack of memory */
static char *
list_text(const char *key, const json_t *v)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	put_scalar(key, v, out);
	return fclose(out) == 0 ? text : NULL;
}

/*
 * Make the text that put_scalar() writes. This is faster than writing to a stream, because tables
 * may be long, and each field is needed twice: for its width, and to be written.
 */
static void
scalar_text(const char *key, const json_t *v, struct text *t)
{
	t->own = NULL;
	t->s = t->buf;
	t->buf[0] = '\0';
	switch (json_typeof(v)) {
	case JSON_STRING:
		t->s = json_string_value(v);
		break;
	case JSON_INTEGER:
		format_integer(key, json_integer_value(v), t->buf, sizeof(t->buf));
		break;
	default:
		t->own = list_text(key, v);
		t->s = t->own == NULL ? "" : t->own;
		break;
	}
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

/* Check whether a member is itself a table or an object, which is written below the row it belongs
 * to. */
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

struct columns {
	struct column *col;
	size_t n;
};

/* Get the column of a member, and add it if there is none. @return NULL on lack of memory */
static struct column *
column_of(struct columns *cols, const char *key)
{
	struct column *grown;

	for (size_t c = 0; c < cols->n; c++) {
		if (strcmp(cols->col[c].key, key) == 0)
			return &cols->col[c];
	}
	grown = realloc(cols->col, (cols->n + 1) * sizeof(*grown));
	if (grown == NULL)
		return NULL;
	cols->col = grown;
	grown[cols->n] = (struct column){.key = key, .width = title_len(key), .right = true};
	return &grown[cols->n++];
}

static void
find_columns(const json_t *table, struct columns *cols)
{
	json_t *row, *v;
	const char *key;
	size_t i;

	json_array_foreach (table, i, row) {
		json_object_foreach ((json_t *)(uintptr_t)row, key, v) {
			struct column *col = is_nested(v) ? NULL : column_of(cols, key);
			struct text text;

			if (col == NULL)
				continue;
			scalar_text(key, v, &text);
			col->width = RTE_MAX(col->width, (int)strlen(text.s));
			free(text.own);
			if (!json_is_number(v) && !json_is_null(v))
				col->right = false;
		}
	}
}

static void
put_cell(FILE *out, const struct column *col, const char *text, int len, bool last)
{
	if (col->right)
		fprintf(out, "%*.*s", col->width, len, text);
	else if (last)
		fprintf(out, "%.*s", len, text);
	else
		fprintf(out, "%-*.*s", col->width, len, text);
	fputs(last ? "\n" : "  ", out);
}

/* A part of a table that fits the line: the columns that identify a row, then some of the others.
 */
struct slice {
	size_t n_keys;
	size_t from, to;
};

static size_t
slice_columns(const struct slice *s)
{
	return s->n_keys + s->to - s->from;
}

static const struct column *
slice_column(const struct columns *cols, const struct slice *s, size_t i)
{
	return &cols->col[i < s->n_keys ? i : s->from + i - s->n_keys];
}

static void
put_header(const struct columns *cols, const struct slice *s, FILE *out, int depth)
{
	indent(out, depth);
	for (size_t i = 0; i < slice_columns(s); i++) {
		const struct column *col = slice_column(cols, s, i);

		put_cell(out, col, col->key, title_len(col->key), i + 1 == slice_columns(s));
	}
}

static void
put_row(const json_t *row, const struct columns *cols, const struct slice *s, FILE *out, int depth)
{
	indent(out, depth);
	for (size_t i = 0; i < slice_columns(s); i++) {
		const struct column *col = slice_column(cols, s, i);
		json_t *v = json_object_get(row, col->key);
		struct text text = {.s = ""};

		if (v != NULL && !is_nested(v))
			scalar_text(col->key, v, &text);
		put_cell(out, col, text.s, (int)strlen(text.s), i + 1 == slice_columns(s));
		free(text.own);
	}
}

/* Write the objects and tables within a row below it. */
static void
put_nested(const json_t *row, FILE *out, int depth)
{
	const char *key;
	json_t *v;

	json_object_foreach ((json_t *)(uintptr_t)row, key, v) {
		if (!is_nested(v))
			continue;
		indent(out, depth + 1);
		fprintf(out, "%s:\n", key);
		render(v, out, depth + 2);
	}
}

static bool
is_same_in(const json_t *a, const json_t *b, const struct columns *cols, size_t n)
{
	for (size_t c = 0; c < n; c++) {
		if (!json_equal(json_object_get(a, cols->col[c].key),
				    json_object_get(b, cols->col[c].key)))
			return false;
	}
	return true;
}

/* Get the number of columns that identify a row: two if neighbouring rows have the same first
 * column, otherwise one. */
static size_t
key_columns(const json_t *table, const struct columns *cols)
{
	for (size_t i = 1; i < json_array_size(table); i++) {
		if (is_same_in(json_array_get(table, i - 1), json_array_get(table, i), cols, 1))
			return RTE_MIN(cols->n, (size_t)2);
	}
	return RTE_MIN(cols->n, (size_t)1);
}

/* Find how many columns from s->from on fit the line, at least one. A sentence in the last column
 * may be longer than the line. */
static void
fit_slice(const struct columns *cols, struct slice *s, int depth)
{
	int width = depth * INDENT;

	for (size_t c = 0; c < s->n_keys; c++)
		width += cols->col[c].width + 2;
	for (s->to = s->from; s->to < cols->n; s->to++) {
		const struct column *col = &cols->col[s->to];
		bool prose = s->to + 1 == cols->n && !col->right;

		width += (prose ? title_len(col->key) : col->width) + 2;
		if (s->to > s->from && width > LINE_WIDTH)
			break;
	}
}

static void
render_table(const json_t *table, FILE *out, int depth)
{
	struct columns cols = {0};
	struct slice s;
	json_t *row;
	size_t i;

	find_columns(table, &cols);
	s.n_keys = key_columns(table, &cols);
	s.from = s.n_keys;
	do {
		if (s.from > s.n_keys)
			fputc('\n', out);
		fit_slice(&cols, &s, depth);
		put_header(&cols, &s, out, depth);
		json_array_foreach (table, i, row) {
			put_row(row, &cols, &s, out, depth);
			if (s.to == cols.n)
				put_nested(row, out, depth);
		}
		s.from = s.to;
	} while (s.from < cols.n);
	free(cols.col);
}

static void
render_object(const json_t *object, FILE *out, int depth)
{
	const char *key;
	json_t *v;
	int width = 0;

	json_object_foreach ((json_t *)(uintptr_t)object, key, v) {
		if (!is_nested(v))
			width = RTE_MAX(width, title_len(key));
	}
	json_object_foreach ((json_t *)(uintptr_t)object, key, v) {
		indent(out, depth);
		if (is_nested(v)) {
			fprintf(out, "%s:\n", key);
			render(v, out, depth + 1);
		} else {
			fprintf(out, "%.*s%c%*s ", title_len(key), key, is_prose(key) ? ' ' : ':',
					width - title_len(key), "");
			put_scalar(key, v, out);
			fputc('\n', out);
		}
	}
}

static void
render(const json_t *v, FILE *out, int depth)
{
	if (is_table(v)) {
		render_table(v, out, depth);
	} else if (json_is_object(v)) {
		render_object(v, out, depth);
	} else if (json_is_array(v) && json_array_size(v) == 0) {
		indent(out, depth);
		fputs("none\n", out);
	} else {
		indent(out, depth);
		put_scalar("", v, out);
		fputc('\n', out);
	}
}

void
fcn_render_text(const json_t *value, FILE *out)
{
	render(value, out, 0);
}

static bool
has_member(const json_t *list, const char *key)
{
	json_t *row;
	size_t i;

	json_array_foreach (list, i, row) {
		if (json_object_get(row, key) != NULL)
			return true;
	}
	return false;
}

void
fcn_render_columns(const json_t *list, const char *const *keys, FILE *out)
{
	json_t *rows = json_array(), *row;
	size_t i;

	json_array_foreach (list, i, row) {
		json_t *some = json_object();

		for (const char *const *k = keys; *k != NULL; k++) {
			json_t *v = json_object_get(row, *k);

			if (v != NULL)
				json_object_set(some, *k, v);
			else if (has_member(list, *k))
				json_object_set_new(some, *k, json_null());
		}
		json_array_append_new(rows, some);
	}
	fcn_render_text(rows, out);
	json_decref(rows);
}

void
fcn_render_each(const json_t *list, FILE *out)
{
	json_t *row;
	size_t i;

	if (json_array_size(list) == 0)
		fcn_render_text(list, out);
	json_array_foreach (list, i, row) {
		if (i > 0)
			fputc('\n', out);
		fcn_render_text(row, out);
	}
}

void
fcn_render_json(const json_t *value, FILE *out)
{
	json_dumpf(value, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
	fputc('\n', out);
}
