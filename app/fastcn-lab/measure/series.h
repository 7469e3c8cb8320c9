/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Series of numbers over time: what a run writes to series.csv and pictures are made of. A series
 * that grows long is thinned out: of each of some thousand stretches of time the first, the last,
 * the least and the greatest number stay, so that no peak is lost.
 */

#ifndef LAB_SERIES_H
#define LAB_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define LAB_SERIES_MAX 32768                      /**< points of a series that are kept at most */
#define LAB_SERIES_STRETCHES (LAB_SERIES_MAX / 8) /**< that it is thinned out to, with 4 each */

struct lab_series_point {
	uint64_t time_ns, value;
};

struct lab_series {
	const char *what; /**< queue, rate, notice, accepted, cnp */
	char where[80];
	bool events; /**< numbers stand for themselves, not until the next */
	bool failed; /**< points are missing for want of memory */
	struct lab_series_point *point;
	uint32_t n, room;
};

/** All of a run. */
struct lab_series_set;

struct lab_series_set *lab_series_create(void);
void lab_series_free(struct lab_series_set *set);

/** Another one, or the one that is there. @return NULL on lack of memory */
struct lab_series *lab_series_add(
		struct lab_series_set *set, const char *what, const char *where, bool events);

/** All of a set, in the order they were added. */
unsigned int lab_series_count(const struct lab_series_set *set);
struct lab_series *lab_series_at(const struct lab_series_set *set, unsigned int i);

/**
 * Points of a time span, thinned out for a picture; the number that held before is at its
 * beginning.
 *
 * @param stretches that it is thinned out to, 4 points each
 * @param out       filled in, to be freed with lab_series_clear()
 * @return 0, -1 on lack of memory
 */
int lab_series_cut(const struct lab_series *s, uint64_t from, uint64_t to, unsigned int stretches,
		struct lab_series *out);
void lab_series_clear(struct lab_series *s);

/** Read what lab_series_write() wrote. @return NULL with a line in err */
struct lab_series_set *lab_series_read(const char *file, char *err, size_t err_size);

/** The number is value from now on. Points of the same time replace each other, but for events. */
void lab_series_put(struct lab_series *s, uint64_t now, uint64_t value);

/** The number is 0 from then on, whatever came later. */
void lab_series_end(struct lab_series *s, uint64_t end);

/**
 * Write all, by time (at the same time in the order they were added), as
 * time_ns,what,where,value.
 *
 * @return 0, -1 on lack of memory
 */
int lab_series_write(const struct lab_series_set *set, FILE *out);

#endif /* LAB_SERIES_H */
