/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_render.h"
#include "report.h"

/* Maximum number of queues in the table, which has those with the highest peaks. */
#define QUEUES_MAX 12

static bool
ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && strcmp(text + n - m, end) == 0;
}

static json_t *
rounded(const char *key, json_t *value)
{
	json_int_t x = json_integer_value(value), step = 1;

	if (!json_is_integer(value) || (!ends_in(key, "_ns") && !ends_in(key, "_bps")))
		return json_incref(value);
	while (x / step >= 10000)
		step *= 10;
	if (x > INT64_MAX - step / 2) /* rounding up would overflow */
		return json_integer(x / step * step);
	return json_integer((x + step / 2) / step * step);
}

json_t *
lab_rounded(const json_t *list)
{
	json_t *copy = json_array(), *row, *value, *o;
	const char *key;
	size_t i;

	json_array_foreach (list, i, row) {
		o = json_object();
		json_object_foreach (row, key, value)
			json_object_set_new(o, key, rounded(key, value));
		json_array_append_new(copy, o);
	}
	return copy;
}

static json_int_t
integer(const json_t *o, const char *key)
{
	return json_integer_value(json_object_get(o, key));
}

static void
heading(const char *text, FILE *out)
{
	fprintf(out, "\n%s\n", text);
}

static void
head(const json_t *r, FILE *out)
{
	const char *title = json_string_value(json_object_get(r, "title")), *key;
	char time[32];
	json_t *value;
	size_t i;

	fprintf(out, "%s\n", title != NULL && *title != '\0' ? title : "(no title)");
	json_object_foreach (json_object_get(r, "parameters"), key, value)
		fprintf(out, "  %s = %s\n", key, json_string_value(value));
	json_array_foreach (json_object_get(r, "lines"), i, value)
		fprintf(out, "  with: %s\n", json_string_value(value));
	fprintf(out,
			"\nseed %" JSON_INTEGER_FORMAT ", %s of virtual time, %" JSON_INTEGER_FORMAT
			" frames%s\n",
			integer(r, "seed"),
			fcn_format_time((uint64_t)integer(r, "end_ns"), time, sizeof(time)),
			integer(r, "frames"),
			json_is_true(json_object_get(r, "interrupted")) ? ", interrupted" : "");
}

/*
 * Make a row of a name and of members of an object. The key "a.b" selects member b of member a, and
 * is called "a_b" in the row.
 */
static json_t *
row(const char *what, const char *name, const json_t *o, const char *const *keys)
{
	json_t *r = json_object();

	json_object_set_new(r, what, json_string(name));
	for (; *keys != NULL; keys++) {
		const char *dot = strchr(*keys, '.');
		json_t *value = NULL;
		char key[64];

		if (dot == NULL) {
			snprintf(key, sizeof(key), "%s", *keys);
			value = json_object_get(o, key);
		} else {
			snprintf(key, sizeof(key), "%.*s", (int)(dot - *keys), *keys);
			value = json_object_get(json_object_get(o, key), dot + 1);
			/* the unit stays at the end of the name */
			if (ends_in(key, "_ns"))
				snprintf(key, sizeof(key), "%.*s_%s_ns",
						(int)(dot - *keys - strlen("_ns")), *keys, dot + 1);
			else
				snprintf(key, sizeof(key), "%.*s_%s", (int)(dot - *keys), *keys,
						dot + 1);
		}
		if (value != NULL)
			json_object_set(r, key, value);
	}
	return r;
}

/* Print a table and free it. */
static void
print_table(json_t *list, FILE *out)
{
	json_t *table = lab_rounded(list);

	fcn_render_text(table, out);
	json_decref(table);
	json_decref(list);
}

static int
by_peak(const void *a, const void *b)
{
	json_int_t x = integer(*(json_t *const *)a, "peak"),
		   y = integer(*(json_t *const *)b, "peak");

	return x > y ? -1 : x < y;
}

static json_t *
queue_rows(const json_t *r)
{
	static const char *const keys[] = {"peak", "first_peak", "mean", "p50", "p99", "p999",
			"episodes", "congested_ns", "notices", "suppressed", NULL};
	const char *sw, *port, *class;
	json_t *ports, *classes, *queue, *list = json_array();
	char name[128];

	json_object_foreach (json_object_get(r, "queue"), sw, ports)
		json_object_foreach (ports, port, classes)
			json_object_foreach (classes, class, queue) {
				snprintf(name, sizeof(name), "%s.%s.%s", sw, port, class);
				json_array_append_new(list, row("queue", name, queue, keys));
			}
	return list;
}

static void
queues(const json_t *r, FILE *out)
{
	json_t *all = queue_rows(r), *some = json_array(), **sorted;
	size_t n = json_array_size(all), shown = n < QUEUES_MAX ? n : QUEUES_MAX;

	heading("Queues (bytes)", out);
	sorted = calloc(n + 1, sizeof(json_t *));
	if (sorted == NULL)
		shown = 0;
	for (size_t i = 0; sorted != NULL && i < n; i++)
		sorted[i] = json_array_get(all, i);
	if (sorted != NULL)
		qsort(sorted, n, sizeof(json_t *), by_peak);
	for (size_t i = 0; i < shown; i++)
		json_array_append(some, sorted[i]);
	print_table(some, out);
	if (shown < n)
		fprintf(out, "and %zu with lower peaks\n", n - shown);
	free(sorted);
	json_decref(all);
}

static void
flows(const json_t *r, FILE *out)
{
	static const char *const keys[] = {"flows", "messages", "incomplete", "goodput_bps",
			"rate_bps", "jain", "repeats", "cnps", "notices_accepted", NULL};
	static const char *const times[] = {"fct_ns.min", "fct_ns.mean", "fct_ns.p50", "fct_ns.p99",
			"fct_ns.max", "slowdown.p50", "slowdown.p99", "slowdown.max", NULL};
	const char *name;
	json_t *o, *list = json_array(), *fct = json_array();

	json_object_foreach (json_object_get(r, "flow"), name, o) {
		json_array_append_new(list, row("flow", name, o, keys));
		if (json_object_get(o, "fct_ns") != NULL)
			json_array_append_new(fct, row("flow", name, o, times));
	}
	heading("Flows", out);
	print_table(list, out);
	if (json_array_size(fct) == 0) {
		json_decref(fct);
		return;
	}
	heading("Completion times", out);
	print_table(fct, out);
}

static void
goals(const json_t *r, FILE *out)
{
	static const char *const keys[] = {"ranks", "operations", "iterations", "incomplete",
			"iteration_ns.min", "iteration_ns.mean", "iteration_ns.max", NULL};
	json_t *o, *list = json_array();
	const char *name;

	json_object_foreach (json_object_get(r, "goal"), name, o)
		json_array_append_new(list, row("trace", name, o, keys));
	if (json_array_size(list) == 0) {
		json_decref(list);
		return;
	}
	heading("Traces of group operations", out);
	print_table(list, out);
}

/* Print slowdown by size, with that one of the two sets of bins of which more bins are filled. */
static void
slowdown(const json_t *r, FILE *out)
{
	static const char *const keys[] = {"messages", "mean", "p50", "p95", "p99", "max", NULL};
	const json_t *all = json_object_get(r, "slowdown");
	json_t *web = json_object_get(all, "websearch"), *bins = json_object_get(all, "hadoop"), *o;
	json_t *list = json_array();
	const char *name;

	if (json_object_size(web) >= json_object_size(bins))
		bins = web;
	if (json_object_size(bins) < 2) {
		json_decref(list);
		return;
	}
	json_object_foreach (bins, name, o)
		json_array_append_new(list, row("up_to", name, o, keys));
	heading("Slowdown by size of message", out);
	print_table(list, out);
}

static void
notices(const json_t *r, FILE *out)
{
	static const char *const keys[] = {
			"sent", "suppressed", "accepted", "duplicate", "lost", "first_ns", NULL};
	static const char *const times[] = {"min", "mean", "p50", "p95", "p99", "max", NULL};
	static const char *const kinds[][2] = {{"latency_ns", "decided to accepted"},
			{"episode_ns", "congested to accepted"}};
	const json_t *o = json_object_get(r, "notices"), *cnps = json_object_get(r, "cnps");
	json_t *list = json_array();

	if (integer(o, "sent") == 0 && integer(cnps, "received") == 0) {
		json_decref(list);
		return;
	}
	heading("Notices", out);
	json_array_append_new(list, row("kind", "Fast CNP", o, keys));
	json_array_append_new(list, json_pack("{s:s, s:O?, s:O?}", "kind", "CNP", "accepted",
						    json_object_get(cnps, "received"), "first_ns",
						    json_object_get(cnps, "first_ns")));
	print_table(list, out);
	list = json_array();
	for (unsigned int i = 0; i < 2; i++) {
		const json_t *d = json_object_get(o, kinds[i][0]);
		json_t *cells, *value;
		char name[16];

		if (d == NULL)
			continue;
		cells = json_pack("{s:s}", "Fast CNPs", kinds[i][1]);
		for (unsigned int k = 0; times[k] != NULL; k++) {
			value = json_object_get(d, times[k]);
			snprintf(name, sizeof(name), "%s_ns", times[k]);
			if (value != NULL)
				json_object_set(cells, name, value);
		}
		json_array_append_new(list, cells);
	}
	if (json_array_size(list) == 0) {
		json_decref(list);
		return;
	}
	fputc('\n', out);
	print_table(list, out);
}

/* Print how long it took until packets of which only the headers had come were there. */
static void
repairs(const json_t *r, FILE *out)
{
	static const char *const keys[] = {"min", "mean", "p50", "p95", "p99", "max", NULL};
	json_t *o = json_object_get(r, "repair_ns"), *list, *cells, *value;
	char name[16];

	if (o == NULL)
		return;
	heading("Repair of trimmed packets", out);
	cells = json_pack("{s:O?}", "trimmed",
			json_object_get(json_object_get(r, "hosts"), "trim_received"));
	for (unsigned int k = 0; keys[k] != NULL; k++) {
		value = json_object_get(o, keys[k]);
		snprintf(name, sizeof(name), "%s_ns", keys[k]);
		json_object_set(cells, name, value);
	}
	list = json_array();
	json_array_append_new(list, cells);
	print_table(list, out);
}

static void
pauses(const json_t *r, FILE *out)
{
	const json_t *pfc = json_object_get(r, "pfc");
	const struct {
		const char *name, *paused, *longest, *times;
	} kind[] = {{"hosts", "paused_ns", "paused_max_ns", "pauses"},
			{"switches", "switch_paused_ns", "switch_paused_max_ns", "switch_pauses"}};
	json_t *list;

	if (integer(pfc, "pauses") == 0 && integer(pfc, "xoffs") == 0 &&
			integer(pfc, "switch_paused_ns") == 0)
		return;
	heading("Priority flow control", out);
	list = json_array();
	for (unsigned int i = 0; i < 2; i++)
		json_array_append_new(list,
				json_pack("{s:s, s:O?, s:O?, s:O?}", "of", kind[i].name,
						"paused_ns", json_object_get(pfc, kind[i].paused),
						"longest_ns", json_object_get(pfc, kind[i].longest),
						"times", json_object_get(pfc, kind[i].times)));
	print_table(list, out);
}

/* Write what was dropped, "3 too_long, 1 no_mbuf", or 0. */
static void
write_drops(const json_t *dropped, char *text, size_t size)
{
	const char *reason;
	size_t used = 0;
	json_t *n;

	snprintf(text, size, "0");
	json_object_foreach ((json_t *)(uintptr_t)dropped, reason, n) {
		if (json_integer_value(n) > 0 && used < size)
			used += (size_t)snprintf(text + used, size - used,
					"%s%" JSON_INTEGER_FORMAT " %s", used > 0 ? ", " : "",
					json_integer_value(n), reason);
	}
}

/* Print what came from hosts in other simulators, and went to them. */
static void
simulators(const json_t *r, FILE *out)
{
	static const char *const keys[] = {"received", "sent", "waiting", NULL};
	json_t *list = json_array(), *host, *one;
	char text[256];
	const char *name;

	json_object_foreach (json_object_get(r, "host"), name, host) {
		const json_t *o = json_object_get(host, "simbricks");

		if (o == NULL)
			continue;
		one = row("host", name, o, keys);
		write_drops(json_object_get(o, "dropped"), text, sizeof(text));
		json_object_set_new(one, "dropped", json_string(text));
		json_array_append_new(list, one);
	}
	if (json_array_size(list) == 0) {
		json_decref(list);
		return;
	}
	heading("Hosts in other simulators (frames)", out);
	print_table(list, out);
}

static void
phases(const json_t *r, FILE *out)
{
	static const char *const keys[] = {
			"from_ns", "to_ns", "flows", "goodput_bps", "jain", "converged_ns", NULL};
	const json_t *list = json_object_get(r, "phase");

	if (json_array_size(list) < 2)
		return;
	heading("Phases", out);
	fcn_render_columns(list, keys, out);
}

static void
value(const json_t *v, FILE *out)
{
	if (json_is_integer(v))
		fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	else if (json_is_real(v))
		fprintf(out, "%.6g", json_real_value(v));
	else
		fputs(json_is_string(v) ? json_string_value(v) : "-", out);
}

static void
expectation(const json_t *e, FILE *out)
{
	const char *note = json_string_value(json_object_get(e, "note"));
	const json_t *tolerance = json_object_get(e, "tolerance");
	const char *error = json_string_value(json_object_get(e, "error"));

	fprintf(out, "  %-6s  %s\n", json_is_true(json_object_get(e, "ok")) ? "ok" : "FAILED",
			json_string_value(json_object_get(e, "text")));
	if (note != NULL)
		fprintf(out, "          %s\n", note);
	fputs("          ", out);
	if (error != NULL) {
		fprintf(out, "%s\n", error);
		return;
	}
	value(json_object_get(e, "left"), out);
	fputs(" against ", out);
	value(json_object_get(e, "right"), out);
	if (tolerance != NULL) {
		fputs(", tolerance ", out);
		value(tolerance, out);
	}
	fputc('\n', out);
}

static void
expectations(const json_t *r, FILE *out)
{
	const json_t *list = json_object_get(r, "expectations");
	size_t n = json_array_size(list), failed = 0, i;
	json_t *e;

	if (n > 0)
		heading("Expectations", out);
	json_array_foreach (list, i, e) {
		failed += !json_is_true(json_object_get(e, "ok"));
		expectation(e, out);
	}
	fputc('\n', out);
	if (n == 0)
		fputs("The scenario has no expectations.\n", out);
	else if (failed > 0)
		fprintf(out, "%zu of %zu expectations FAILED.\n", failed, n);
	else
		fprintf(out, n == 1 ? "The expectation holds.\n" : "All %zu expectations hold.\n",
				n);
}

/* Texts below a heading, if there are any. */
static void
texts(const json_t *list, const char *title, FILE *out)
{
	json_t *v;
	size_t i;

	if (json_array_size(list) == 0)
		return;
	heading(title, out);
	json_array_foreach (list, i, v)
		fprintf(out, "  %s\n", json_is_string(v) ? json_string_value(v) : "?");
}

void
lab_report(const json_t *result, FILE *out)
{
	head(result, out);
	queues(result, out);
	flows(result, out);
	goals(result, out);
	slowdown(result, out);
	notices(result, out);
	repairs(result, out);
	pauses(result, out);
	simulators(result, out);
	phases(result, out);
	texts(json_object_get(result, "violations"), "BROKEN INVARIANTS", out);
	texts(json_object_get(result, "warnings"), "Warnings: not a fair side of a comparison",
			out);
	expectations(result, out);
}
