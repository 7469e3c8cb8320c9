/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * A distribution of numbers, from which percentiles are computed. Percentiles are exact for up to
 * 4096 numbers with weight 1; with more numbers, or with other weights, numbers are counted in
 * log-linear steps of less than 1 %. Minimum, maximum and mean are always exact. Memory is bounded.
 */

#ifndef LAB_DISTRIBUTION_H
#define LAB_DISTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#define LAB_DISTRIBUTION_EXACT 4096 /**< maximum number of single numbers that are stored */
/** Number of octaves: one for 0..127, and one for each further power of two up to 2^64. */
#define LAB_DISTRIBUTION_OCTAVES 58
#define LAB_DISTRIBUTION_STEPS 128 /**< number of steps of an octave */

/** An empty distribution is all zero. */
struct lab_distribution {
	uint64_t weight; /**< sum of all weights */
	unsigned __int128 sum;
	uint64_t min, max;
	uint64_t *list; /**< the single numbers, as long as there are few of them */
	uint32_t n_list;
	bool stepped;                               /**< numbers are counted in octaves */
	bool failed;                                /**< numbers are missing, for lack of memory */
	uint64_t *octave[LAB_DISTRIBUTION_OCTAVES]; /**< weight by step */
};

void lab_distribution_free(struct lab_distribution *d);

/** Add a number with weight 1. */
void lab_distribution_add(struct lab_distribution *d, uint64_t value);

/** Add a number with a weight, such as the time for which a queue had this length. */
void lab_distribution_weigh(struct lab_distribution *d, uint64_t value, uint64_t weight);

/** The mean, rounded to the nearest whole number; 0 when the distribution is empty. */
uint64_t lab_distribution_mean(const struct lab_distribution *d);

/**
 * A percentile by nearest rank: the least number such that it and the numbers below it have at
 * least that part of the weight.
 *
 * @param permille 500 is the median
 */
uint64_t lab_distribution_percentile(struct lab_distribution *d, unsigned int permille);

/**
 * The distribution as a JSON object of min, mean, p50, p95, p99 and max.
 *
 * @param divisor numbers are written as parts of it, with three digits: 1000 for a ratio that was
 *                added as thousandths; 1: as they are
 * @return NULL when the distribution is empty
 */
json_t *lab_distribution_json(struct lab_distribution *d, uint64_t divisor);

/** A ratio given in thousandths, or, with divisor 1, the number itself. */
json_t *lab_scaled(uint64_t value, uint64_t divisor);

#endif /* LAB_DISTRIBUTION_H */
