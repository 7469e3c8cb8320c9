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
#include "report.h"
#include "run.h"

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

/* @return exit status */
static int
show(const struct lab_options *opt, const struct lab_scenario *sc, struct lab_measure *m,
		json_t *result)
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
	if (json_is_true(json_object_get(result, "interrupted")))
		return LAB_EXIT_SIGNAL + stopped;
	return failed ? LAB_EXIT_FAILED : LAB_EXIT_OK;
}

static int
run(const struct lab_options *opt, const struct lab_scenario *sc)
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
	catch_signals();
	lab_progress_begin(&bar, stderr);
	result = lab_run(sc, m, &stopped, opt->quiet ? NULL : lab_progress_run, &bar, true, stderr);
	lab_progress_end(&bar);
	if (result != NULL)
		status = show(opt, sc, m, result);
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

	if (sc == NULL)
		return LAB_EXIT_USAGE;
	sc->threads = (unsigned int)opt->threads;
	if (lab_eal_init(sc->n_switches, lab_queues_mb(sc)) == 0)
		status = run(opt, sc);
	lab_scenario_free(sc);
	return status;
}
