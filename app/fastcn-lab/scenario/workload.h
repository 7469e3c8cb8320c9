/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Workloads as data centres have them: messages whose sizes follow a distribution, at times by
 * chance. The same seed gives the same messages.
 */

#ifndef LAB_WORKLOAD_H
#define LAB_WORKLOAD_H

#include <stddef.h>
#include <stdint.h>

#include "fcn_random.h"

#define LAB_MAX_POINTS 256

/**
 * Sizes of messages, by points of their distribution function; linear between them, from 0 bytes
 * at probability 0 on.
 */
struct lab_sizes {
	unsigned int n;
	struct {
		double bytes;
		double probability; /**< of at most so many bytes; the last one's is 1 */
	} point[LAB_MAX_POINTS];
};

/** A distribution known by its name. @return NULL: there is none of that name */
const struct lab_sizes *lab_sizes_find(const char *name);

/**
 * Read one from text: a point a line, "BYTES PERCENT", with the units of the console if wanted; a
 * line may be empty or a comment (#).
 *
 * @return 0, or -EINVAL with a line in err, "LINE: message"
 */
int lab_sizes_read(const char *text, struct lab_sizes *d, char *err, size_t err_size);

/** Mean size. */
double lab_sizes_mean(const struct lab_sizes *d);

/** The size at a probability from 0 to 1; at least 1 byte. */
uint64_t lab_sizes_at(const struct lab_sizes *d, double probability);

/** Evenly distributed from 0 up to, not with, 1. */
double lab_random_unit(struct fcn_random *random);

/** Time to the next of events that come by chance, each so long after the one before on average. */
double lab_random_gap(struct fcn_random *random, double mean);

#endif /* LAB_WORKLOAD_H */
