/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Means over the runs of several seeds, with confidence intervals, and the table of them. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fcn_render.h"
#include "summary.h"
#include "sweep_private.h"

/* The 0.975 quantile of the normal distribution. */
#define NORMAL 1.959963985

/* The 0.975 quantiles of Student's t distribution for 1 to 10 degrees of freedom. */
static const double student[] = {12.7062, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462,
		2.30600, 2.26216, 2.22814};

/*
 * Get the 0.975 quantile of Student's t distribution. Beyond the table it is Fisher's expansion
 * by the quantile of the normal distribution (Abramowitz and Stegun, 26.7.5), whose error is less
 * than 0.0001 there.
 */
static double
quantile(unsigned int freedom)
{
	const double z = NORMAL, z2 = z * z, v = freedom;

	if (freedom <= sizeof(student) / sizeof(student[0]))
		return student[freedom - 1];
	return z + z * (z2 + 1) / (4 * v) + z * ((5 * z2 + 16) * z2 + 3) / (96 * v * v) +
	       z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * v * v * v);
}

struct sweep_mean
sweep_mean_of(const double *value, unsigned int n)
{
	struct sweep_mean m = {.ci95 = -1, .n = n};
	double sum = 0, squares = 0;

	for (unsigned int i = 0; i < n; i++)
		sum += value[i];
	m.mean = sum / n;
	for (unsigned int i = 0; i < n; i++)
		squares += (value[i] - m.mean) * (value[i] - m.mean);
	if (n > 1)
		m.ci95 = quantile(n - 1) * sqrt(squares / (n - 1) / n);
	return m;
}

bool
sweep_group_mean(const struct sweep *s, unsigned int group, const char *name,
		struct sweep_mean *mean)
{
	double *value = calloc(s->n_seeds, sizeof(*value));
	unsigned int n = 0;
	char err[256];

	for (unsigned int i = 0; value != NULL && i < s->n_seeds; i++) {
		const struct sweep_run *run = &s->run[group * s->n_seeds + i];
		json_t *summary = run->result != NULL ? lab_summary(run->result) : NULL;

		if (summary != NULL && lab_summary_metric(run->result, summary, name, &value[n],
						       err, sizeof(err)) == 0)
			n++;
		json_decref(summary);
	}
	if (n > 0)
		*mean = sweep_mean_of(value, n);
	free(value);
	return n > 0;
}

static void
add_mean(json_t *row, const struct sweep *s, unsigned int group, const char *name)
{
	struct sweep_mean m;
	char key[256];

	if (!sweep_group_mean(s, group, name, &m))
		return;
	json_object_set_new(row, name, lab_number(m.mean));
	if (m.ci95 >= 0) {
		snprintf(key, sizeof(key), "%s_ci95", name);
		json_object_set_new(row, key, lab_number(m.ci95));
	}
	if (m.n < s->n_seeds) {
		snprintf(key, sizeof(key), "%s_runs", name);
		json_object_set_new(row, key, json_integer(m.n));
	}
}

/* Write the names of the queues with the highest peak, which may differ between runs. */
static void
add_queues(json_t *row, json_t *names)
{
	const char *name;
	char text[256];
	size_t n = 0;
	json_t *value;

	json_object_foreach (names, name, value)
		if (n < sizeof(text))
			n += (size_t)snprintf(
					text + n, sizeof(text) - n, "%s%s", n > 0 ? "," : "", name);
	if (n > 0)
		json_object_set_new(row, "queue", json_string(text));
}

/* Add the means of all numbers that a run of the group has in its summary. */
static void
add_summary(json_t *row, const struct sweep *s, unsigned int group)
{
	json_t *all = json_object(), *queues = json_object(), *summary, *value;
	const char *key;

	for (unsigned int i = 0; i < s->n_seeds; i++) {
		const struct sweep_run *run = &s->run[group * s->n_seeds + i];

		if (run->result == NULL)
			continue;
		summary = lab_summary(run->result);
		key = json_string_value(json_object_get(summary, "queue"));
		if (key != NULL)
			json_object_set_new(queues, key, json_true());
		json_object_update_missing(all, summary);
		json_decref(summary);
	}
	add_queues(row, queues);
	json_object_foreach (all, key, value)
		if (json_is_number(value))
			add_mean(row, s, group, key);
	json_decref(queues);
	json_decref(all);
}

/* Add what went wrong in the runs of a group. */
static void
add_troubles(json_t *row, const struct sweep *s, unsigned int group)
{
	unsigned int failed = 0, met = 0;
	const char *why = NULL;
	size_t broken = 0;

	for (unsigned int i = 0; i < s->n_seeds; i++) {
		const struct sweep_run *run = &s->run[group * s->n_seeds + i];

		broken += sweep_broken(run);
		if (run->result != NULL) {
			met += sweep_as_expected(run);
			continue;
		}
		failed++;
		if (why == NULL)
			why = run->failure;
	}
	if (failed > 0)
		json_object_set_new(row, "failed",
				json_sprintf("%u of %u: %s", failed, s->n_seeds,
						why != NULL ? why : "not run"));
	if (met + failed < s->n_seeds)
		json_object_set_new(row, "expectations",
				json_sprintf("met by %u of %u", met, s->n_seeds - failed));
	if (broken > 0)
		json_object_set_new(row, "violations", json_integer((json_int_t)broken));
}

json_t *
sweep_mean_rows(const struct sweep *s)
{
	json_t *list = json_array(), *row;

	for (unsigned int g = 0; g < sweep_groups(s); g++) {
		row = json_object();
		for (unsigned int v = 0; v < sweep_axes(s); v++)
			json_object_set_new(row, s->grid.vary[v].name,
					json_string(sweep_grid_value(&s->grid, g * s->n_seeds, v)));
		json_object_set_new(row, "runs", json_integer(s->n_seeds));
		for (unsigned int i = 0; i < s->n_metrics; i++)
			add_mean(row, s, g, s->metric[i]);
		if (s->n_metrics == 0)
			add_summary(row, s, g);
		add_troubles(row, s, g);
		json_array_append_new(list, row);
	}
	return list;
}

/* ---- the table as text ---- */

static bool
ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n > m && strcmp(text + n - m, end) == 0;
}

/* Write a number with so many significant digits, and with a unit if the name has one. */
static void
number_text(const char *name, double x, int digits, char *text, size_t size)
{
	double step = 1;

	while (fabs(x) / step >= pow(10, digits))
		step *= 10;
	if (fabs(x) >= pow(10, digits - 1) || ends_in(name, "_ns") || ends_in(name, "_bps"))
		x = round(x / step) * step;
	if (x >= 0 && x < 0x1p53 && ends_in(name, "_ns"))
		fcn_format_time((uint64_t)x, text, size);
	else if (x >= 0 && x < 0x1p53 && ends_in(name, "_bps"))
		fcn_format_rate((uint64_t)x, text, size);
	else if (fabs(x) >= pow(10, digits - 1))
		snprintf(text, size, "%.0f", x);
	else
		snprintf(text, size, "%.*g", digits, x);
}

static json_t *
mean_text(const json_t *row, const char *name, const json_t *value)
{
	char mean[32], half[32], key[256];
	const json_t *ci, *runs;

	number_text(name, json_number_value(value), 4, mean, sizeof(mean));
	snprintf(key, sizeof(key), "%s_ci95", name);
	ci = json_object_get(row, key);
	if (json_number_value(ci) <= 0) /* all runs have the same number */
		ci = NULL;
	snprintf(key, sizeof(key), "%s_runs", name);
	runs = json_object_get(row, key);
	if (ci != NULL)
		number_text(name, json_number_value(ci), 2, half, sizeof(half));
	if (runs != NULL)
		return json_sprintf("%s%s%s (%lld of %lld)", mean, ci != NULL ? " +- " : "",
				ci != NULL ? half : "", json_integer_value(runs),
				json_integer_value(json_object_get(row, "runs")));
	return json_sprintf("%s%s%s", mean, ci != NULL ? " +- " : "", ci != NULL ? half : "");
}

json_t *
sweep_mean_text(const json_t *rows)
{
	json_t *list = json_array(), *row, *value, *text;
	const char *key;
	size_t i;

	json_array_foreach (rows, i, row) {
		text = json_object();
		json_object_foreach (row, key, value) {
			if (ends_in(key, "_ci95") || ends_in(key, "_runs"))
				continue;
			if (json_is_number(value) && strcmp(key, "runs") != 0 &&
					strcmp(key, "violations") != 0)
				json_object_set_new(text, key, mean_text(row, key, value));
			else
				json_object_set(text, key, value);
		}
		json_array_append_new(list, text);
	}
	return list;
}
