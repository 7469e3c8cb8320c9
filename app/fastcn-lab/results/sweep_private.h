/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A sweep: a scenario run with all combinations of values of some parameters.
 */

#ifndef SWEEP_PRIVATE_H
#define SWEEP_PRIVATE_H

#include <stdbool.h>

#include <jansson.h>

#include "scenario.h"

#define SWEEP_VARY_MAX 8
#define SWEEP_POINTS_MAX 100000
#define SWEEP_METRICS_MAX 32
#define SWEEP_NAME "fastcn-lab sweep"

/** A parameter and its values. */
struct sweep_vary {
	char *name, **value;
	unsigned int n;
};

/** All combinations: the last parameter changes fastest. */
struct sweep_grid {
	struct sweep_vary vary[SWEEP_VARY_MAX];
	unsigned int n;
};

/** Add a parameter, "NAME=V1,V2". @return 0, or -1 with a message in err */
int sweep_grid_add(struct sweep_grid *g, const char *text, char *err, size_t err_size);
void sweep_grid_free(struct sweep_grid *g);
/** Number of combinations; 0 when there are too many. */
unsigned int sweep_grid_points(const struct sweep_grid *g);
/** Value of a parameter in a combination. */
const char *sweep_grid_value(const struct sweep_grid *g, unsigned int point, unsigned int vary);
/** Write "NAME=V" for the parameters from the given one on, with a separator between them. */
void sweep_grid_label(const struct sweep_grid *g, unsigned int point, unsigned int from,
		const char *separator, char *label, size_t size);

/** The outcome of a combination: a result, or the reason why there is none. */
struct sweep_run {
	json_t *result;
	char *failure;
};

struct sweep {
	const char *scenario;
	struct sweep_grid grid;
	const char **set; /**< further settings, "NAME=VALUE" */
	unsigned int n_set;
	bool strict; /**< an expectation that does not hold fails the sweep */
	/** Metrics to show; if there are none, the numbers of the summary. */
	const char *metric[SWEEP_METRICS_MAX];
	unsigned int n_metrics;
	unsigned int jobs;
	const char *out, *json; /**< json: a file, "-": instead of the text */
	struct sweep_run *run;
	unsigned int n_points;
};

/**
 * Run each combination in a process of its own. When interrupted, end the processes it started.
 *
 * @return 0, -1 when it was interrupted or no process could be made
 */
int sweep_run_all(struct sweep *s);

/**
 * Make the rows of the table. A row has the parameters and metrics of a run, or the reason why it
 * has no result. It also has the number of expectations that hold, unless all do, and the number of
 * violations of invariants, if there are any.
 */
json_t *sweep_rows(const struct sweep *s);

/** Get the number of violations of invariants in a run. */
size_t sweep_broken(const struct sweep_run *run);

/** Whether all expectations of a run hold. A run without a result has no expectations. */
bool sweep_as_expected(const struct sweep_run *run);

/** Draw the metrics over the first parameter. @return the same as lab_picture_end() */
int sweep_plot(const struct sweep *s, const char *dir, FILE *err);

#endif /* SWEEP_PRIVATE_H */
