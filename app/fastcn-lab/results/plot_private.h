/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * What pictures over time have in common.
 */

#ifndef PLOT_PRIVATE_H
#define PLOT_PRIVATE_H

#include <stdbool.h>

#include "plot.h"

#define PLOT_STRETCHES 1000 /* of a line, with up to 4 points each */

/** A span of time with its unit. */
struct plot_span {
	uint64_t from, to;
	struct lab_unit unit;
};

/** A line that a picture has. */
struct plot_cut {
	struct lab_series cut;
	const char *label;
	uint64_t top; /**< highest number */
};

struct plot_span plot_make_span(uint64_t from, uint64_t to);
void plot_set_span(struct lab_picture *p, const struct plot_span *t);

/** Data of a line, $whatI, to the end of the span. */
void plot_line(struct lab_picture *p, const char *what, unsigned int i, const struct lab_series *s,
		const struct plot_span *t, double divisor);
/** Its name, what_I. */
void plot_name(struct lab_picture *p, const char *what, unsigned int i, const char *text);

/** All series of a kind within a span. @return how many, with list; -1 on lack of memory */
int plot_collect(const struct lab_series_set *set, const char *what, const struct plot_span *t,
		unsigned int stretches, struct plot_cut **list);
void plot_lines_free(struct plot_cut *line, unsigned int n);

/** Data $rateI: the mean of the rates that are not 0. */
void plot_mean(struct lab_picture *p, unsigned int i, const struct plot_cut *line, unsigned int n,
		const struct plot_span *t, double divisor);

/** Of the queue that was congested first: when that was (UINT64_MAX: never), and its first peak. */
void plot_first_congestion(const json_t *result, uint64_t *begin, uint64_t *peak);

/** Heading, and parameters below it. */
void plot_heading(struct lab_picture *p, const char *heading, const json_t *result);
const char *plot_title(const json_t *result);

/** Slowdown by size of one run or several; none when there are less than two sizes. */
int plot_slowdown(const struct lab_plot_run *run, unsigned int n, const char *dir, FILE *err);

#endif /* PLOT_PRIVATE_H */
