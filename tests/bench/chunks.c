/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <err.h>
#include <stdlib.h>

#include "chunks.h"

void
bench_chunks_add(struct bench_chunks *c, double sample)
{
	if (c->n == c->room) {
		c->room = c->room * 2 + 64;
		c->sample = realloc(c->sample, c->room * sizeof(*c->sample));
		if (c->sample == NULL)
			err(1, "samples");
	}
	c->sample[c->n++] = sample;
}

static int
compare(const void *va, const void *vb)
{
	double a = *(const double *)va, b = *(const double *)vb;

	return (a > b) - (a < b);
}

double
bench_chunks_quantile(struct bench_chunks *c, double q)
{
	if (c->n == 0)
		return 0;
	qsort(c->sample, c->n, sizeof(*c->sample), compare);
	return c->sample[(size_t)(q * (c->n - 1) + 0.5)];
}

void
bench_chunks_free(struct bench_chunks *c)
{
	free(c->sample);
	*c = (struct bench_chunks){0};
}
