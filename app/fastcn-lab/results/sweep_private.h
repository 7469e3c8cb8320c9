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

/**
 * Add a parameter, "NAME=V1,V2". A value "1..5" stands for the whole numbers from 1 to 5.
 *
 * @return 0, or -1 with a message in err
 */
int sweep_grid_add(struct sweep_grid *g, const char *text, char *err, size_t err_size);
void sweep_grid_free(struct sweep_grid *g);
/**
 * Make the seed, if it is varied, the parameter that changes fastest: the runs of all seeds of a
 * combination of the other parameters are neighbours then.
 *
 * @return the number of seeds, 1 if the seed is not varied
 */
unsigned int sweep_grid_seeds_last(struct sweep_grid *g);
/** Number of combinations; 0 when there are too many. */
unsigned int sweep_grid_points(const struct sweep_grid *g);
/** Value of a parameter in a combination. */
const char *sweep_grid_value(const struct sweep_grid *g, unsigned int point, unsigned int vary);
/** Write "NAME=V" for the parameters [from, to), with a separator between them. */
void sweep_grid_label(const struct sweep_grid *g, unsigned int point, unsigned int from,
		unsigned int to, const char *separator, char *label, size_t size);

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
	const char **line; /**< further lines of the scenario */
	unsigned int n_lines;
	bool strict; /**< an expectation that does not hold fails the sweep */
	/** Metrics to show; if there are none, the numbers of the summary. */
	const char *metric[SWEEP_METRICS_MAX];
	unsigned int n_metrics;
	unsigned int jobs;
	const char *out, *json; /**< json: a file, "-": instead of the text */
	struct sweep_run *run;
	unsigned int n_points;
	/**
	 * Number of seeds, the fastest parameter of the grid; the points [i * n_seeds, (i + 1) *
	 * n_seeds) are the runs of group i.
	 */
	unsigned int n_seeds;
	bool means; /**< the seed is varied: rows and pictures have means of groups */
};

/** Number of groups of runs that differ in the seed only. */
static inline unsigned int
sweep_groups(const struct sweep *s)
{
	return s->n_points / s->n_seeds;
}

/** Number of varied parameters other than the seed. */
static inline unsigned int
sweep_axes(const struct sweep *s)
{
	return s->grid.n - s->means;
}

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

/**
 * Make the rows of a table with a row for each group: the number of runs, means (NAME), and half
 * the length of their confidence intervals (NAME_ci95). A number that not all runs have also has
 * the number of those that have it (NAME_runs).
 */
json_t *sweep_mean_rows(const struct sweep *s);

/** Make the rows of sweep_mean_rows() shorter, with a text such as "12.3us +- 0.4us" for a mean. */
json_t *sweep_mean_text(const json_t *rows);

/** A mean, and half the length of its 95 % confidence interval. */
struct sweep_mean {
	double mean, ci95; /**< ci95 is negative for a single value */
	unsigned int n;
};

/**
 * Compute the mean of n > 0 values, and its confidence interval by Student's t distribution: the
 * values are assumed to be independent and normally distributed.
 */
struct sweep_mean sweep_mean_of(const double *value, unsigned int n);

/** Compute the mean of a metric over the runs of a group that have it. @return whether one has it
 */
bool sweep_group_mean(const struct sweep *s, unsigned int group, const char *name,
		struct sweep_mean *mean);

/** Get the number of violations of invariants in a run. */
size_t sweep_broken(const struct sweep_run *run);

/** Whether all expectations of a run hold. A run without a result has no expectations. */
bool sweep_as_expected(const struct sweep_run *run);

/** Draw the metrics over the first parameter. @return the same as lab_picture_end() */
int sweep_plot(const struct sweep *s, const char *dir, FILE *err);

#endif /* SWEEP_PRIVATE_H */
