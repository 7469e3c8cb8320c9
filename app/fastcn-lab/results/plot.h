/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * The pictures of one run and of several runs.
 */

#ifndef LAB_PLOT_H
#define LAB_PLOT_H

#include <jansson.h>

#include "picture.h"
#include "series.h"

/** A run that has just ended, or was read from its files. */
struct lab_plot_run {
	const char *label;
	const json_t *result;
	const struct lab_series_set *series; /**< NULL when there are none */
};

/**
 * Draw the pictures of a run: queues, notices and rates over time (over-time), the beginning of the
 * first congestion in more detail (congestion), slowdown by size of message (slowdown).
 *
 * @return 0, LAB_NO_GNUPLOT, LAB_NOT_DRAWN, or -1 with a message on err
 */
int lab_plot_one(const struct lab_plot_run *run, const char *dir, FILE *err);

/** Draw one queue of several runs over time, their slowdown by size, and summary numbers as bars.
 */
int lab_plot_compare(const struct lab_plot_run *run, unsigned int n, const char *dir, FILE *err);

/** An integer of a result by its keys, of which the last one is NULL; 0 when there is no such key.
 */
json_int_t lab_result_integer(const json_t *o, ...);

#endif /* LAB_PLOT_H */
