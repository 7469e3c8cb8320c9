/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/**
 * @file
 * Samples from chunks of a run. A chunk is short, so that other programs on the CPU disturb only a
 * few of them, and the median is not affected.
 */

#ifndef BENCH_CHUNKS_H
#define BENCH_CHUNKS_H

#include <stddef.h>

#define BENCH_CHUNK_US 75

struct bench_chunks {
	double *sample;
	size_t n;
	size_t room;
};

/** Add a sample; ends the program when there is no memory. */
void bench_chunks_add(struct bench_chunks *c, double sample);

/**
 * Get a quantile of the samples. @param q 0 to 1 @return the quantile, 0 when there is no sample
 */
double bench_chunks_quantile(struct bench_chunks *c, double q);

void bench_chunks_free(struct bench_chunks *c);

#endif /* BENCH_CHUNKS_H */
