/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The pictures of a run, and of several: which data they show.
 */

#ifndef LAB_PLOT_H
#define LAB_PLOT_H

#include <jansson.h>

#include "picture.h"
#include "series.h"

/** A run, read back or just ended. */
struct lab_plot_run {
	const char *label;
	const json_t *result;
	const struct lab_series_set *series; /**< NULL: none are there */
};

/**
 * Queues, notices and rates over time (over-time), the beginning of congestion closer
 * (congestion), slowdown by size (slowdown).
 *
 * @return 0, LAB_NO_GNUPLOT, -1 with a line on err
 */
int lab_plot_one(const struct lab_plot_run *run, const char *dir, FILE *err);

/** The same queue of several runs over time, slowdown by size, the summary numbers as bars. */
int lab_plot_compare(const struct lab_plot_run *run, unsigned int n, const char *dir, FILE *err);

/** An integer of a result by its keys, 0 if it is not there; the last argument is NULL. */
json_int_t lab_result_integer(const json_t *o, ...);

#endif /* LAB_PLOT_H */
