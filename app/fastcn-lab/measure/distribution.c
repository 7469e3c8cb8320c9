/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>
#include <string.h>

#include "distribution.h"

#define LOG_STEPS 7 /* base-2 logarithm of LAB_DISTRIBUTION_STEPS */

_Static_assert(1 << LOG_STEPS == LAB_DISTRIBUTION_STEPS, "steps are a power of two");

void
lab_distribution_free(struct lab_distribution *d)
{
	for (unsigned int i = 0; i < LAB_DISTRIBUTION_OCTAVES; i++)
		free(d->octave[i]);
	free(d->list);
	memset(d, 0, sizeof(*d));
}

/*
 * Get the octave of a number. Octave 0 contains 0 to 127; octave i contains the numbers from
 * 2^(i+6) on, in steps of 2^(i-1).
 */
static unsigned int
octave_of(uint64_t value)
{
	return value < LAB_DISTRIBUTION_STEPS
			       ? 0
			       : 64 - LOG_STEPS - (unsigned int)__builtin_clzll(value);
}

static unsigned int
step_of(uint64_t value, unsigned int octave)
{
	return octave == 0 ? (unsigned int)value
			   : (unsigned int)(value >> (octave - 1)) & (LAB_DISTRIBUTION_STEPS - 1);
}

/* Get the number in the middle of a step. */
static uint64_t
value_of(unsigned int octave, unsigned int step)
{
	uint64_t low = (uint64_t)(LAB_DISTRIBUTION_STEPS + step);

	if (octave == 0)
		return step;
	return (low << (octave - 1)) + (octave > 1 ? 1ull << (octave - 2) : 0);
}

static void
count(struct lab_distribution *d, uint64_t value, uint64_t weight)
{
	unsigned int o = octave_of(value);

	if (d->octave[o] == NULL) {
		d->octave[o] = calloc(LAB_DISTRIBUTION_STEPS, sizeof(uint64_t));
		if (d->octave[o] == NULL) {
			d->failed = true;
			return;
		}
	}
	d->octave[o][step_of(value, o)] += weight;
}

static void
become_stepped(struct lab_distribution *d)
{
	for (uint32_t i = 0; i < d->n_list; i++)
		count(d, d->list[i], 1);
	free(d->list);
	d->list = NULL;
	d->n_list = 0;
	d->stepped = true;
}

static void
account(struct lab_distribution *d, uint64_t value, uint64_t weight)
{
	if (d->weight == 0 || value < d->min)
		d->min = value;
	if (d->weight == 0 || value > d->max)
		d->max = value;
	d->weight += weight;
	d->sum += (unsigned __int128)value * weight;
}

/*
 * Make room for one more number. The size of the list is a power of two and doubles when the list
 * is full.
 */
static bool
make_room(struct lab_distribution *d)
{
	uint32_t n = d->n_list;
	uint64_t *list;

	if (n != 0 && (n < 16 || (n & (n - 1)) != 0))
		return true;
	list = realloc(d->list, (n < 16 ? 16 : 2 * (size_t)n) * sizeof(*list));
	if (list == NULL)
		return false;
	d->list = list;
	return true;
}

void
lab_distribution_add(struct lab_distribution *d, uint64_t value)
{
	account(d, value, 1);
	if (!d->stepped && (d->n_list == LAB_DISTRIBUTION_EXACT || !make_room(d)))
		become_stepped(d);
	if (d->stepped)
		count(d, value, 1);
	else
		d->list[d->n_list++] = value;
}

void
lab_distribution_weigh(struct lab_distribution *d, uint64_t value, uint64_t weight)
{
	if (weight == 0)
		return;
	account(d, value, weight);
	if (!d->stepped)
		become_stepped(d);
	count(d, value, weight);
}

uint64_t
lab_distribution_mean(const struct lab_distribution *d)
{
	return d->weight == 0 ? 0 : (uint64_t)((d->sum + d->weight / 2) / d->weight);
}

static int
compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t
stepped_percentile(const struct lab_distribution *d, uint64_t rank)
{
	uint64_t seen = 0, value;

	for (unsigned int o = 0; o < LAB_DISTRIBUTION_OCTAVES; o++)
		for (unsigned int s = 0; d->octave[o] != NULL && s < LAB_DISTRIBUTION_STEPS; s++) {
			seen += d->octave[o][s];
			if (seen < rank)
				continue;
			value = value_of(o, s);
			return value < d->min ? d->min : value > d->max ? d->max : value;
		}
	return d->max;
}

uint64_t
lab_distribution_percentile(struct lab_distribution *d, unsigned int permille)
{
	uint64_t rank;

	if (d->weight == 0)
		return 0;
	rank = (uint64_t)(((unsigned __int128)d->weight * permille + 999) / 1000);
	if (rank == 0)
		rank = 1;
	if (rank == d->weight)
		return d->max;
	if (d->stepped)
		return stepped_percentile(d, rank);
	qsort(d->list, d->n_list, sizeof(*d->list), compare);
	return d->list[rank - 1];
}

json_t *
lab_scaled(uint64_t value, uint64_t divisor)
{
	return divisor == 1 ? json_integer((json_int_t)value)
			    : json_real((double)value / (double)divisor);
}

json_t *
lab_distribution_json(struct lab_distribution *d, uint64_t divisor)
{
	static const struct {
		const char *name;
		unsigned int permille;
	} part[] = {{"p50", 500}, {"p95", 950}, {"p99", 990}};
	json_t *o;

	if (d->weight == 0)
		return NULL;
	o = json_object();
	json_object_set_new(o, "min", lab_scaled(d->min, divisor));
	json_object_set_new(o, "mean", lab_scaled(lab_distribution_mean(d), divisor));
	for (unsigned int i = 0; i < sizeof(part) / sizeof(part[0]); i++)
		json_object_set_new(o, part[i].name,
				lab_scaled(lab_distribution_percentile(d, part[i].permille),
						divisor));
	json_object_set_new(o, "max", lab_scaled(d->max, divisor));
	return o;
}
