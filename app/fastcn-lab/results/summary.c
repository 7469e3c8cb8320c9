/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "metric.h"
#include "summary.h"

/* The queue with the highest peak, the first one when several are equal. */
static const json_t *
highest_queue(const json_t *result, char *name, size_t size)
{
	const char *sw, *port, *class;
	json_t *ports, *classes, *queue;
	const json_t *found = NULL;
	json_int_t peak = -1;

	json_object_foreach (json_object_get(result, "queue"), sw, ports)
		json_object_foreach (ports, port, classes)
			json_object_foreach (classes, class, queue) {
				json_int_t p = json_integer_value(json_object_get(queue, "peak"));

				if (p <= peak)
					continue;
				peak = p;
				found = queue;
				snprintf(name, size, "%s.%s.%s", sw, port, class);
			}
	return found;
}

static const json_t *
member(const json_t *o, const char *a, const char *b)
{
	o = json_object_get(o, a);
	return b == NULL ? o : json_object_get(o, b);
}

static const json_t *
number_of(const json_t *r, const json_t *queue, const char *name)
{
	static const char *const where[][4] = {{"goodput_bps", "traffic", "goodput_bps"},
			{"jain", "traffic", "jain"}, {"paused_ns", "pfc", "paused_ns"},
			{"switch_paused_ns", "pfc", "switch_paused_ns"},
			{"notices", "notices", "accepted"},
			{"first_notice_ns", "notices", "first_ns"}, {"cnps", "cnps", "received"},
			{"first_cnp_ns", "cnps", "first_ns"}, {"repeats", "traffic", "repeats"}};
	const json_t *all = member(r, "slowdown", "all");

	for (size_t i = 0; i < sizeof(where) / sizeof(where[0]); i++)
		if (strcmp(name, where[i][0]) == 0)
			return member(r, where[i][1], where[i][2]);
	if (strncmp(name, "slowdown_", 9) == 0)
		return member(all, name + 9, NULL);
	return member(queue, name, NULL);
}

#define NAME(name, text) #name,
static const char *const names[] = {LAB_SUMMARY(NAME) NULL};
#undef NAME

#define TEXT(name, text) text,
static const char *const texts[] = {LAB_SUMMARY(TEXT) NULL};
#undef TEXT

json_t *
lab_summary(const json_t *result)
{
	char name[128] = "";
	const json_t *queue = highest_queue(result, name, sizeof(name)), *value;
	json_t *o = json_object();

	if (queue != NULL)
		json_object_set_new(o, "queue", json_string(name));
	for (unsigned int i = 0; names[i] != NULL; i++) {
		value = number_of(result, queue, names[i]);
		if (value != NULL)
			json_object_set(o, names[i], (json_t *)(uintptr_t)value);
	}
	return o;
}

const char *
lab_summary_text(const char *name)
{
	for (unsigned int i = 0; names[i] != NULL; i++)
		if (strcmp(names[i], name) == 0)
			return texts[i];
	return NULL;
}

int
lab_summary_metric(const json_t *result, const json_t *summary, const char *name, double *value,
		char *err, size_t err_size)
{
	const json_t *v = json_object_get(summary, name);

	if (!json_is_number(v))
		return lab_metric(result, name, value, err, err_size);
	*value = json_number_value(v);
	return 0;
}

json_t *
lab_number(double x)
{
	if (x >= -0x1p53 && x <= 0x1p53 && trunc(x) >= x && trunc(x) <= x)
		return json_integer((json_int_t)x);
	return isfinite(x) ? json_real(x) : json_string(isnan(x) ? "nan" : "inf");
}

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

json_t *
lab_summary_expectations(const json_t *result, bool *hold)
{
	const json_t *list = json_object_get(result, "expectations");
	size_t n = json_array_size(list), ok = 0, i;
	char text[48];
	json_t *e;

	json_array_foreach (list, i, e)
		ok += json_is_true(json_object_get(e, "ok"));
	if (hold != NULL)
		*hold = ok == n;
	snprintf(text, sizeof(text), "%zu of %zu", ok, n);
	return n == 0 ? NULL : json_string(text);
}
