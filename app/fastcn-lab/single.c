/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* One run of a scenario, its report and its files. */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "fcn_render.h"
#include "main.h"
#include "present.h"
#include "progress.h"
#include "python_part.h"
#include "report.h"
#include "run.h"
#include "series.h"

/* The signal that ended the run early; 0: none. */
static volatile sig_atomic_t stopped;

static void
stop(int signal)
{
	stopped = signal;
}

/* The first Ctrl-C ends the run, and its files are complete. A second one ends the program. */
static void
catch_signals(void)
{
	struct sigaction action = {.sa_handler = stop, .sa_flags = (int)SA_RESETHAND};

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
}

static int
write_json(const char *file, const json_t *result)
{
	FILE *out;
	int failed;

	if (strcmp(file, "-") == 0) {
		fcn_render_json(result, stdout);
		return fflush(stdout) == 0 ? 0 : -1;
	}
	out = fopen(file, "we");
	if (out == NULL) {
		fprintf(stderr, "%s: %s\n", file, strerror(errno));
		return -1;
	}
	fcn_render_json(result, out);
	failed = ferror(out);
	if (fclose(out) == 0 && !failed)
		return 0;
	fprintf(stderr, "%s: could not be written\n", file);
	return -1;
}

/* Where the report goes, opened before the run: an error is told now and not in an hour. */
static int
open_report(const struct lab_options *opt, FILE **out)
{
	*out = NULL;
	if (opt->report == NULL || strcmp(opt->report, "-") == 0)
		return 0;
	*out = fopen(opt->report, "w");
	if (*out != NULL)
		return 0;
	fprintf(stderr, "fastcn-lab: %s: %s\n", opt->report, strerror(errno));
	return -1;
}

static int
write_report(struct lab_measure *m, const json_t *result, FILE *out)
{
	FILE *of_result = tmpfile(), *of_series = tmpfile();
	bool written = of_result != NULL && of_series != NULL;
	int rc = -1;

	if (written) {
		fcn_render_json(result, of_result);
		written = lab_series_write(lab_measure_series(m), of_series) == 0 &&
			  fflush(of_result) == 0 && fflush(of_series) == 0;
	}
	if (written)
		rc = python_part_report("fastcn-lab", "lab", of_result, of_series, out);
	else
		fprintf(stderr, "fastcn-lab: no report: temporary files: %s\n", strerror(errno));
	if (of_result != NULL)
		fclose(of_result);
	if (of_series != NULL)
		fclose(of_series);
	return rc;
}

/* @return exit status */
static int
show(const struct lab_options *opt, const struct lab_scenario *sc, struct lab_measure *m,
		json_t *result, FILE *report)
{
	bool failed = lab_check_expectations(sc, result) > 0;

	lab_warn_unfair(sc, result);
	failed |= json_array_size(json_object_get(result, "violations")) > 0;
	if (json_is_true(json_object_get(result, "out_of_memory"))) {
		fputs("fastcn-lab: out of memory: the result is incomplete\n", stderr);
		failed = true;
	}
	if (!opt->quiet && (opt->json == NULL || strcmp(opt->json, "-") != 0))
		lab_report(result, stdout);
	if (opt->json != NULL)
		failed |= write_json(opt->json, result) != 0;
	failed |= lab_save(m, result, stderr) != 0;
	if (opt->out != NULL && !opt->no_plots)
		failed |= lab_present_run(opt->out, stderr) != 0;
	if (opt->report != NULL)
		failed |= write_report(m, result, report) != 0;
	if (json_is_true(json_object_get(result, "interrupted")))
		return LAB_EXIT_SIGNAL + stopped;
	return failed ? LAB_EXIT_FAILED : LAB_EXIT_OK;
}

static int
run(const struct lab_options *opt, const struct lab_scenario *sc, FILE *report)
{
	struct lab_progress_bar bar;
	char why[512];
	struct lab_measure *m = lab_measure_create(sc, opt->out, why, sizeof(why));
	json_t *result;
	int status = LAB_EXIT_USAGE;

	if (m == NULL) {
		fprintf(stderr, "fastcn-lab: %s\n", why);
		return LAB_EXIT_USAGE;
	}
	if (opt->report != NULL && lab_measure_keep_series(m) != 0) {
		fputs("fastcn-lab: out of memory\n", stderr);
		lab_measure_free(m);
		return LAB_EXIT_USAGE;
	}
	catch_signals();
	lab_progress_begin(&bar, stderr);
	result = lab_run(sc, m, &stopped, opt->quiet ? NULL : lab_progress_run, &bar, true, stderr);
	lab_progress_end(&bar);
	if (result != NULL)
		status = show(opt, sc, m, result, report);
	json_decref(result);
	lab_measure_free(m);
	return status;
}

int
lab_single(const struct lab_options *opt)
{
	struct lab_scenario *sc = lab_scenario_load(
			opt->scenario, NULL, opt->set, opt->n_set, stderr);
	int status = LAB_EXIT_USAGE;
	FILE *report = NULL;

	if (sc == NULL)
		return LAB_EXIT_USAGE;
	sc->threads = (unsigned int)opt->threads;
	if (open_report(opt, &report) == 0 && lab_eal_init(sc->n_switches, lab_queues_mb(sc)) == 0)
		status = run(opt, sc, report);
	if (report != NULL)
		fclose(report);
	lab_scenario_free(sc);
	return status;
}
