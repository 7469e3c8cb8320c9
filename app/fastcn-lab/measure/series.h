/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Series of numbers over time, which a run writes to series.csv and which pictures show. A series
 * that grows too long is thinned out: it is cut into some thousand stretches of time, of each of
 * which the first, the last, the least and the greatest number are kept, so that no peak is lost.
 */

#ifndef LAB_SERIES_H
#define LAB_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define LAB_SERIES_MAX 32768 /**< maximum number of points of a series */
#define LAB_SERIES_STRETCHES \
	(LAB_SERIES_MAX / 8) /**< stretches that it is thinned out to, of up to 4 points each */

struct lab_series_point {
	uint64_t time_ns, value;
};

struct lab_series {
	const char *what; /**< kind: queue, rate, notice, accepted or cnp */
	char where[80];
	/** Each point is an event; otherwise a number is valid until the next point. */
	bool events;
	bool failed; /**< points are missing, for lack of memory */
	struct lab_series_point *point;
	uint32_t n, room;
};

/** All series of a run. */
struct lab_series_set;

struct lab_series_set *lab_series_create(void);
void lab_series_free(struct lab_series_set *set);

/** The series of this kind and place, which is created when there is none. @return NULL on lack of
 * memory */
struct lab_series *lab_series_add(
		struct lab_series_set *set, const char *what, const char *where, bool events);

/** Add a point: the number is value from now on. It replaces a point of the same time, except in
 * series of events. */
void lab_series_put(struct lab_series *s, uint64_t now, uint64_t value);

/** End a series: the number is 0 from this time on; later points are removed. */
void lab_series_end(struct lab_series *s, uint64_t end);

/**
 * Write all points as lines time_ns,what,where,value, ordered by time and, at the same time, by the
 * order in which the series were added.
 *
 * @return 0, -1 on lack of memory
 */
int lab_series_write(const struct lab_series_set *set, FILE *out);

#endif /* LAB_SERIES_H */
