/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Declarations shared by the files that draw pictures over time.
 */

#ifndef PLOT_PRIVATE_H
#define PLOT_PRIVATE_H

#include <stdbool.h>

#include "plot.h"

#define PLOT_STRETCHES 1000 /* parts of a line; each has up to 4 points */

/** A span of time, and the unit in which it is shown. */
struct plot_span {
	uint64_t from, to;
	struct lab_unit unit;
};

/** A series, cut to the span of a picture. */
struct plot_cut {
	struct lab_series cut;
	const char *label;
	uint64_t top; /**< highest number */
};

struct plot_span plot_make_span(uint64_t from, uint64_t to);
void plot_set_span(struct lab_picture *p, const struct plot_span *t);

/** Write the data of a line as the block $whatN, up to the end of the span. */
void plot_line(struct lab_picture *p, const char *what, unsigned int i, const struct lab_series *s,
		const struct plot_span *t, double divisor);
/** Write the name of a line as the variable what_N. */
void plot_name(struct lab_picture *p, const char *what, unsigned int i, const char *text);

/** Cut all series of a kind to a span. @return how many are in list, or -1 on lack of memory */
int plot_collect(const struct lab_series_set *set, const char *what, const struct plot_span *t,
		unsigned int stretches, struct plot_cut **list);
void plot_lines_free(struct plot_cut *line, unsigned int n);

/** Write the mean of the rates that are not 0 as the block $rateN. */
void plot_mean(struct lab_picture *p, unsigned int i, const struct plot_cut *line, unsigned int n,
		const struct plot_span *t, double divisor);

/** The highest number of all series of a kind in a span. */
uint64_t plot_top(const struct lab_series_set *set, const char *what, const struct plot_span *t);

/** Whether plot_limits() draws the same lines of a queue for two results. */
bool plot_same_limits(const json_t *a, const json_t *b, const char *where);

/**
 * Write the thresholds of a queue ("s1.r.3") up to its highest occupancy: where congestion begins,
 * and XOFF of flow control.
 */
void plot_limits(struct lab_picture *p, const json_t *result, const char *where, uint64_t top,
		double divisor);

/**
 * Write further lines of the rates: the goodput of all flows; and, if the queue with the highest
 * peak leads to a host, the fair share of the flows that send to that host.
 *
 * @param line the rates of n flows
 */
void plot_extras(struct lab_picture *p, const json_t *result, const struct lab_series_set *set,
		const struct plot_cut *line, unsigned int n, const struct plot_span *t,
		double divisor);

/** When the first queue became congested (UINT64_MAX: none did), and the time of its first peak. */
void plot_first_congestion(const json_t *result, uint64_t *begin, uint64_t *peak);

/** Write the heading, and below it the parameters of the run. */
void plot_heading(struct lab_picture *p, const char *heading, const json_t *result);
const char *plot_title(const json_t *result);

/** Draw slowdown by size of message of one or several runs, unless there are less than two sizes.
 */
int plot_slowdown(const struct lab_plot_run *run, unsigned int n, const char *dir, FILE *err);

#endif /* PLOT_PRIVATE_H */
