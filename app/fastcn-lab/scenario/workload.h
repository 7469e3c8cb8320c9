/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Workloads as data centres have them: messages whose sizes follow a distribution and that begin at
 * random times. The same seed gives the same messages.
 */

#ifndef LAB_WORKLOAD_H
#define LAB_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "fcn_random.h"

/** A point of a distribution. */
struct lab_size_point {
	double bytes;
	/** that a message has at most so many bytes; 1 in the last point */
	double probability;
};

/**
 * The cumulative distribution function of the sizes of messages, given by points. It is linear
 * between them, and begins with 0 bytes at probability 0.
 */
struct lab_sizes {
	unsigned int n;
	const struct lab_size_point *point;
};

/** Find a predefined distribution by its name. @return NULL: there is none of that name */
const struct lab_sizes *lab_sizes_find(const char *name);

/**
 * Read one from text: a point a line, "BYTES PERCENT", with the units of the console if wanted; a
 * line may be empty or a comment (#).
 *
 * @return 0, -ENOMEM, or -EINVAL with a line in err, "LINE: message"
 */
int lab_sizes_read(const char *text, struct lab_sizes *d, char *err, size_t err_size);

/** Free the points of a distribution that was read. */
void lab_sizes_free(struct lab_sizes *d);

/** Get the mean size. */
double lab_sizes_mean(const struct lab_sizes *d);

/** Get the quantile for a probability from 0 to 1: a size of at least 1 byte. */
uint64_t lab_sizes_at(const struct lab_sizes *d, double probability);

/** Get a random number, evenly distributed in the interval from 0 (included) to 1 (excluded). */
double lab_random_unit(struct fcn_random *random);

/** Get the random time to the next event of a Poisson process. @param mean average of these times
 */
double lab_random_gap(struct fcn_random *random, double mean);

#endif /* LAB_WORKLOAD_H */
