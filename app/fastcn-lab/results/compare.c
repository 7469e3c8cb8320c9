/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "folder.h"
#include "summary.h"
#include "fcn_render.h"
#include "plot.h"
#include "report.h"
#include "table.h"

#define NAME "fastcn-lab compare"
#define METRICS_MAX 32

struct compare {
	struct lab_plot_run *run;
	struct lab_series_set **series;
	json_t **result;
	char **label;
	unsigned int n;
	const char *metric[METRICS_MAX];
	unsigned int n_metrics;
	const char *out, *json; /* json: a file, "-": instead of the text */
};

static void
usage(FILE *out)
{
	fputs("usage: fastcn-lab compare DIR|RESULT.json... [--metric PATH]... [--json] [--out "
	      "DIR]\n"
	      "\n"
	      "Compare the results of several runs in one table and one picture. A run is named "
	      "by\n"
	      "the parameters in which the runs differ, or by its directory.\n"
	      "\n"
	      "  --metric PATH  add a column: a number in the results, such as queue.s1.p1.3.mean\n"
	      "  --json FILE    write the table as JSON ('-': to standard output, instead of the "
	      "text)\n"
	      "  --out DIR      directory for compare.json, compare.txt and the pictures\n",
			out);
}

static bool
is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Read the result, and the series in the same directory if there are any. */
static int
load(struct compare *c, unsigned int i, const char *path)
{
	bool dir = is_directory(path);
	char name[4096], err[256];
	json_error_t why;
	struct stat st;

	snprintf(name, sizeof(name), dir ? "%s/result.json" : "%s", path);
	c->result[i] = json_load_file(name, JSON_REJECT_DUPLICATES, &why);
	if (c->result[i] == NULL) {
		if (why.line > 0)
			fprintf(stderr, NAME ": %s:%d: %s\n", name, why.line, why.text);
		else
			fprintf(stderr, NAME ": %s: %s\n", name,
					stat(name, &st) != 0 ? strerror(errno) : why.text);
		return -1;
	}
	if (!json_is_object(json_object_get(c->result[i], "queue")) ||
			!json_is_object(json_object_get(c->result[i], "traffic"))) {
		fprintf(stderr, NAME ": %s: is not a result of fastcn-lab\n", name);
		return -1;
	}
	if (!dir)
		return 0;
	snprintf(name, sizeof(name), "%s/series.csv", path);
	if (stat(name, &st) != 0)
		return 0;
	c->series[i] = lab_series_read(name, err, sizeof(err));
	if (c->series[i] == NULL)
		fprintf(stderr, NAME ": %s\n", err);
	return c->series[i] == NULL ? -1 : 0;
}

static const char *
parameter(const json_t *result, const char *key)
{
	const char *v = json_string_value(
			json_object_get(json_object_get(result, "parameters"), key));

	return v != NULL ? v : "";
}

/*
 * Make a text of the parameters that differ between runs, such as "mode=fast n=16".
 *
 * @return "" when all parameters are equal
 */
static char *
differing(const struct compare *c, unsigned int i)
{
	size_t size = 0;
	const char *key;
	json_t *value;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (out == NULL)
		return NULL;
	json_object_foreach (json_object_get(c->result[i], "parameters"), key, value) {
		bool same = true;

		for (unsigned int k = 0; k < c->n; k++)
			same &= strcmp(parameter(c->result[k], key),
						parameter(c->result[i], key)) == 0;
		if (!same)
			fprintf(out, "%s%s=%s", ftell(out) == 0 ? "" : " ", key,
					parameter(c->result[i], key));
	}
	fclose(out);
	return text;
}

static bool
all_differ(char *const *label, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		for (unsigned int k = 0; k < i; k++)
			if (label[i] == NULL || label[k] == NULL || strcmp(label[i], label[k]) == 0)
				return false;
	return true;
}

/* Get the last component of a path, without its suffix. */
static char *
base_name(const char *path)
{
	char *copy = strdup(path), *slash, *name;
	size_t n;

	if (copy == NULL)
		return NULL;
	n = strlen(copy);
	while (n > 1 && copy[n - 1] == '/')
		copy[--n] = '\0';
	if (n > 12 && strcmp(copy + n - 12, "/result.json") == 0)
		copy[n - 12] = '\0';
	slash = strrchr(copy, '/');
	name = strdup(slash != NULL ? slash + 1 : copy);
	free(copy);
	return name;
}

static void
relabel(struct compare *c, char *const *path, char *(*label)(const char *))
{
	for (unsigned int i = 0; i < c->n; i++) {
		free(c->label[i]);
		c->label[i] = label(path[i]);
	}
}

static char *
whole(const char *path)
{
	return strdup(path);
}

static int
name_runs(struct compare *c, char *const *path)
{
	for (unsigned int i = 0; i < c->n; i++)
		c->label[i] = differing(c, i);
	if (c->n == 1 || !all_differ(c->label, c->n))
		relabel(c, path, base_name);
	if (!all_differ(c->label, c->n))
		relabel(c, path, whole);
	for (unsigned int i = 0; i < c->n; i++) {
		if (c->label[i] == NULL)
			return -1;
		c->run[i] = (struct lab_plot_run){c->label[i], c->result[i], c->series[i]};
	}
	return 0;
}

static int
allocate(struct compare *c, unsigned int n)
{
	c->n = n;
	c->run = calloc(n, sizeof(*c->run));
	c->series = calloc(n, sizeof(struct lab_series_set *));
	c->result = calloc(n, sizeof(json_t *));
	c->label = calloc(n, sizeof(char *));
	return c->run != NULL && c->series != NULL && c->result != NULL && c->label != NULL ? 0
											    : -1;
}

static void
release(struct compare *c)
{
	for (unsigned int i = 0; i < c->n; i++) {
		if (c->series != NULL)
			lab_series_free(c->series[i]);
		if (c->result != NULL)
			json_decref(c->result[i]);
		if (c->label != NULL)
			free(c->label[i]);
	}
	free(c->run);
	free(c->series);
	free(c->result);
	free(c->label);
}

/*
 * Make the table, with a row for each run.
 *
 * @return NULL when a run lacks a metric, with a message on stderr
 */
static json_t *
table(const struct compare *c)
{
	json_t *list = json_array(), *row, *summary, *expected;
	char err[256];
	double value;

	for (unsigned int i = 0; i < c->n; i++) {
		row = json_pack("{s:s}", "run", c->label[i]);
		summary = lab_summary(c->result[i]);
		json_object_update(row, summary);
		for (unsigned int m = 0; m < c->n_metrics; m++) {
			if (lab_summary_metric(c->result[i], summary, c->metric[m], &value, err,
					    sizeof(err)) != 0) {
				fprintf(stderr, NAME ": %s: %s\n", c->label[i], err);
				json_decref(summary);
				json_decref(row);
				json_decref(list);
				return NULL;
			}
			json_object_set_new(row, c->metric[m], lab_number(value));
		}
		expected = lab_summary_expectations(c->result[i], NULL);
		if (expected != NULL)
			json_object_set_new(row, "expectations", expected);
		json_decref(summary);
		json_array_append_new(list, row);
	}
	return list;
}

static int
save(const struct compare *c, const json_t *list)
{
	char err[4200];
	int rc;

	if (lab_make_folder(c->out, err, sizeof(err)) != 0) {
		fprintf(stderr, NAME ": %s\n", err);
		return -1;
	}
	if (lab_write_table(c->out, "compare.json", list, fcn_render_json, NAME) != 0 ||
			lab_write_table(c->out, "compare.txt", list, lab_table_text, NAME) != 0)
		return -1;
	rc = lab_plot_compare(c->run, c->n, c->out, stderr);
	if (rc == LAB_NO_GNUPLOT)
		fputs(LAB_NO_GNUPLOT_TEXT, stderr);
	return rc < 0 ? -1 : 0;
}

static int
compare(struct compare *c, char *const *path, unsigned int n)
{
	json_t *list;
	int rc = 0;

	if (allocate(c, n) != 0)
		return -1;
	for (unsigned int i = 0; i < n; i++)
		if (load(c, i, path[i]) != 0)
			return -1;
	if (name_runs(c, path) != 0)
		return -1;
	list = table(c);
	if (list == NULL)
		return -1;
	rc = lab_print_table(list, list, c->json, NAME);
	if (c->out != NULL && save(c, list) != 0)
		rc = -1;
	json_decref(list);
	return rc;
}

/* Read the options. @return 0 to continue; otherwise 1 + the exit status */
static int
options(struct compare *c, int argc, char **argv)
{
	static const struct option longopts[] = {{"metric", required_argument, NULL, 'm'},
			{"json", required_argument, NULL, 'j'},
			{"out", required_argument, NULL, 'o'}, {"help", no_argument, NULL, 'h'},
			{NULL, 0, NULL, 0}};
	int opt;

	optind = 0;
	while ((opt = getopt_long(argc, argv, "h", longopts, NULL)) != -1) {
		switch (opt) {
		case 'm':
			if (c->n_metrics == METRICS_MAX) {
				fprintf(stderr, NAME ": more than %u metrics\n", METRICS_MAX);
				return 3;
			}
			c->metric[c->n_metrics++] = optarg;
			break;
		case 'j':
			c->json = optarg;
			break;
		case 'o':
			c->out = optarg;
			break;
		case 'h':
			usage(stdout);
			return 1;
		default:
			usage(stderr);
			return 3;
		}
	}
	if (optind == argc) {
		usage(stderr);
		return 3;
	}
	return 0;
}

int
lab_compare_main(int argc, char **argv)
{
	struct compare c = {0};
	int rc = options(&c, argc, argv);

	if (rc != 0)
		return rc - 1;
	rc = compare(&c, argv + optind, (unsigned int)(argc - optind));
	release(&c);
	return rc == 0 ? 0 : 1;
}
