/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <getopt.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "summary.h"
#include "fcn_render.h"
#include "picture.h"
#include "report.h"
#include "sweep_private.h"
#include "table.h"

#define JOBS_MAX 1024

static void
usage(FILE *out)
{
	fputs("usage: fastcn-lab sweep SCENARIO --vary NAME=V1,V2,... [--vary ...] [--set "
	      "NAME=VALUE]...\n"
	      "                         [--line LINE]... [--metric PATH]... [-j N] [--strict] "
	      "[--json "
	      "FILE]\n"
	      "                         [--out DIR]\n"
	      "\n"
	      "Run a scenario with all combinations of the given values of its parameters.\n"
	      "\n"
	      "  --vary NAME=V1,V2  a parameter and its values. The first parameter is the x axis "
	      "of "
	      "the\n"
	      "                     picture, the others give its lines. A value 1..5 stands for "
	      "1,2,3,4,5.\n"
	      "                     With --vary seed=1..5, table and picture have the means of "
	      "all seeds,\n"
	      "                     with 95 % confidence intervals (Student's t)\n"
	      "  --set NAME=VALUE   set a parameter to the same value in all runs\n"
	      "  --line LINE        add a line to the end of the scenario\n"
	      "  --metric PATH      a number in the results, such as queue.s1.p1.3.mean or peak "
	      "(default:\n"
	      "                     the numbers of the summary)\n"
	      "  -j N               number of runs at the same time (default: one per CPU)\n"
	      "  --strict           fail if a run does not meet the expectations of the scenario\n"
	      "  --json FILE        write the table as JSON ('-': to standard output, instead of "
	      "the "
	      "text)\n"
	      "  --out DIR          directory for sweep.json, sweep.csv, sweep.txt, all results "
	      "and "
	      "the\n"
	      "                     picture; runs.csv has each run of a sweep over seeds\n",
			out);
}

/* The columns of the table, in the order in which rows first have them. */
static json_t *
columns(const json_t *rows)
{
	json_t *o = json_object(), *row, *value;
	const char *key;
	size_t i;

	json_array_foreach (rows, i, row)
		json_object_foreach (row, key, value)
			json_object_set_new(o, key, json_true());
	return o;
}

static void
csv_cell(const json_t *v, FILE *out)
{
	const char *text = json_string_value(v);

	if (json_is_integer(v))
		fprintf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
	else if (json_is_real(v))
		fprintf(out, "%.15g", json_real_value(v));
	else if (text != NULL && strpbrk(text, ",\"\n") == NULL)
		fputs(text, out);
	else if (text != NULL) {
		fputc('"', out);
		for (; *text != '\0'; text++)
			fprintf(out, *text == '"' ? "\"\"" : "%c", *text);
		fputc('"', out);
	}
}

static void
write_csv(const json_t *rows, FILE *out)
{
	json_t *names = columns(rows), *row, *value;
	const char *key, *comma = "";
	size_t i;

	json_object_foreach (names, key, value) {
		fprintf(out, "%s%s", comma, key);
		comma = ",";
	}
	fputc('\n', out);
	json_array_foreach (rows, i, row) {
		comma = "";
		json_object_foreach (names, key, value) {
			fputs(comma, out);
			csv_cell(json_object_get(row, key), out);
			comma = ",";
		}
		fputc('\n', out);
	}
	json_decref(names);
}

/* Write a file for each run, such as "interval=4us,n=16.json". */
static int
write_results(const struct sweep *s)
{
	char name[256];

	for (unsigned int i = 0; i < s->n_points; i++) {
		if (s->run[i].result == NULL)
			continue;
		sweep_grid_label(&s->grid, i, 0, s->grid.n, ",", name, sizeof(name) - 5);
		for (char *p = name; *p != '\0'; p++)
			if (*p == '/')
				*p = '_';
		strcat(name, ".json");
		if (lab_write_table(s->out, name, s->run[i].result, fcn_render_json, SWEEP_NAME) !=
				0)
			return -1;
	}
	return 0;
}

/* Write the table of the single runs, whose means the other tables have. */
static int
save_runs(const struct sweep *s)
{
	json_t *rows = sweep_rows(s);
	int rc = lab_write_table(s->out, "runs.csv", rows, write_csv, SWEEP_NAME);

	json_decref(rows);
	return rc;
}

static int
save(const struct sweep *s, const json_t *rows, const json_t *text)
{
	int rc;

	if (lab_write_table(s->out, "sweep.json", rows, fcn_render_json, SWEEP_NAME) != 0 ||
			lab_write_table(s->out, "sweep.csv", rows, write_csv, SWEEP_NAME) != 0 ||
			lab_write_table(s->out, "sweep.txt", text, lab_table_text, SWEEP_NAME) !=
					0 ||
			write_results(s) != 0 || (s->means && save_runs(s) != 0))
		return -1;
	rc = sweep_plot(s, s->out, stderr);
	if (rc == LAB_NO_GNUPLOT)
		fputs(LAB_NO_GNUPLOT_TEXT, stderr);
	return rc < 0 ? -1 : 0;
}

static unsigned int
cpus(void)
{
	cpu_set_t set;

	return sched_getaffinity(0, sizeof(set), &set) == 0 ? (unsigned int)CPU_COUNT(&set) : 1;
}

static int
fail(const char *text)
{
	fprintf(stderr, SWEEP_NAME ": %s\n", text);
	return 3;
}

static int
take_jobs(struct sweep *s, const char *text)
{
	char *end;
	long n = strtol(text, &end, 10);

	if (*text == '\0' || *end != '\0' || n < 1 || n > JOBS_MAX)
		return fail("-j: the value must be a number from 1 to 1024");
	s->jobs = (unsigned int)n;
	return 0;
}

static int
option(struct sweep *s, int opt, const char *value)
{
	char err[256];

	switch (opt) {
	case 'v':
		return sweep_grid_add(&s->grid, value, err, sizeof(err)) != 0 ? fail(err) : 0;
	case 's':
		s->set[s->n_set++] = value;
		return 0;
	case 'l':
		s->line[s->n_lines++] = value;
		return 0;
	case 'm':
		if (s->n_metrics == SWEEP_METRICS_MAX)
			return fail("more than 32 metrics");
		s->metric[s->n_metrics++] = value;
		return 0;
	case 'j':
		return take_jobs(s, value);
	case 'J':
		s->json = value;
		return 0;
	case 'o':
		s->out = value;
		return 0;
	case 'S':
		s->strict = true;
		return 0;
	case 'h':
		usage(stdout);
		return 1;
	default:
		usage(stderr);
		return 3;
	}
}

/* @return whether a parameter that --set gives is varied, too: the runs would ignore one of both */
static bool
is_set_and_varied(const struct sweep *s)
{
	size_t len;

	for (unsigned int i = 0; i < s->n_set; i++)
		for (unsigned int v = 0; v < s->grid.n; v++) {
			len = strlen(s->grid.vary[v].name);
			if (strncmp(s->set[i], s->grid.vary[v].name, len) == 0 &&
					s->set[i][len] == '=') {
				fprintf(stderr, SWEEP_NAME ": --set %s: --vary has it, too\n",
						s->set[i]);
				return true;
			}
		}
	return false;
}

/* Read the options. @return 0 to continue; otherwise 1 + the exit status */
static int
options(struct sweep *s, int argc, char **argv)
{
	static const struct option longopts[] = {{"vary", required_argument, NULL, 'v'},
			{"set", required_argument, NULL, 's'},
			{"line", required_argument, NULL, 'l'},
			{"metric", required_argument, NULL, 'm'},
			{"jobs", required_argument, NULL, 'j'},
			{"json", required_argument, NULL, 'J'},
			{"out", required_argument, NULL, 'o'}, {"strict", no_argument, NULL, 'S'},
			{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
	int opt, rc;

	optind = 0;
	while ((opt = getopt_long(argc, argv, "hj:", longopts, NULL)) != -1) {
		rc = option(s, opt, optarg);
		if (rc != 0)
			return rc;
	}
	if (argc - optind != 1 || s->grid.n == 0) {
		usage(stderr);
		return 3;
	}
	if (is_set_and_varied(s))
		return 3;
	s->scenario = argv[optind];
	s->n_seeds = sweep_grid_seeds_last(&s->grid);
	s->means = strcmp(s->grid.vary[s->grid.n - 1].name, "seed") == 0;
	s->n_points = sweep_grid_points(&s->grid);
	return s->n_points == 0 ? fail("more than 100000 combinations") : 0;
}

static void
say(const struct sweep *s, unsigned int n, const char *what)
{
	if (n > 0)
		fprintf(stderr, SWEEP_NAME ": %u of %u runs %s\n", n, s->n_points, what);
}

/* A sweep may go beyond the range where expectations hold; only --strict makes that a failure. */
static bool
verdict(const struct sweep *s)
{
	unsigned int failed = 0, broken = 0, unexpected = 0;

	for (unsigned int i = 0; i < s->n_points; i++) {
		failed += s->run[i].failure != NULL;
		broken += sweep_broken(&s->run[i]) > 0;
		unexpected += s->strict && !sweep_as_expected(&s->run[i]);
	}
	say(s, failed, "failed");
	say(s, broken, "broke an invariant");
	say(s, unexpected, "are not as expected");
	return failed + broken + unexpected == 0;
}

static int
sweep(struct sweep *s)
{
	json_t *rows, *text;
	char err[4200];
	int rc;

	/*
	 * The directory is created first, so that an error is reported now and not after hours of
	 * runs.
	 */
	if (s->out != NULL && lab_make_folder(s->out, err, sizeof(err)) != 0) {
		fprintf(stderr, SWEEP_NAME ": %s\n", err);
		return -1;
	}
	s->run = calloc(s->n_points, sizeof(*s->run));
	if (s->run == NULL)
		return -1;
	rc = sweep_run_all(s);
	rows = s->means ? sweep_mean_rows(s) : sweep_rows(s);
	text = s->means ? sweep_mean_text(rows) : json_incref(rows);
	if (lab_print_table(rows, text, s->json, SWEEP_NAME) != 0)
		rc = -1;
	if (s->out != NULL && save(s, rows, text) != 0)
		rc = -1;
	json_decref(text);
	json_decref(rows);
	return verdict(s) ? rc : -1;
}

int
lab_sweep_main(int argc, char **argv)
{
	struct sweep s = {.jobs = cpus()};
	int rc;

	s.set = calloc((size_t)argc + 1, sizeof(const char *));
	s.line = calloc((size_t)argc + 1, sizeof(const char *));
	rc = s.set == NULL || s.line == NULL ? 2 : options(&s, argc, argv);
	if (rc == 0)
		rc = sweep(&s) == 0 ? 1 : 2;
	for (unsigned int i = 0; s.run != NULL && i < s.n_points; i++) {
		json_decref(s.run[i].result);
		free(s.run[i].failure);
	}
	free(s.run);
	free(s.set);
	free(s.line);
	sweep_grid_free(&s.grid);
	return rc - 1;
}
