/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "expression.h"
#include "scenario_private.h"
#include "workload.h"

#define MAX_LINE 128
#define MAX_BYTES 1099511627776. /* of a message */

/* Of the simulations published with HPCC (SIGCOMM 2019): the files WebSearch_distribution.txt,
 * FbHdp_distribution.txt and AliStorage2019.txt of their repository. */
static const struct lab_size_point websearch[] = {{10e3, .15}, {20e3, .2}, {30e3, .3}, {50e3, .4},
		{80e3, .53}, {200e3, .6}, {1e6, .7}, {2e6, .8}, {5e6, .9}, {10e6, .97}, {30e6, 1}};
static const struct lab_size_point hadoop[] = {{100, .01}, {300, .05}, {350, .15}, {500, .3},
		{700, .5}, {1e3, .6}, {2e3, .67}, {7e3, .7}, {30e3, .72}, {50e3, .82}, {80e3, .87},
		{120e3, .9}, {300e3, .95}, {1e6, .975}, {2e6, .99}, {10e6, 1}};
static const struct lab_size_point alistorage[] = {{4e3, .2293}, {8e3, .6921}, {16e3, .8061},
		{32e3, .9047}, {64e3, .9353}, {128e3, .9677}, {256e3, .9753}, {2e6, 1}};

static const struct {
	const char *name;
	struct lab_sizes distribution;
} known[] = {
		{"websearch", {RTE_DIM(websearch),
					      websearch}}, /* web search, from the DCTCP paper */
		{"hadoop", {RTE_DIM(hadoop), hadoop}},     /* Hadoop at Facebook */
		{"alistorage", {RTE_DIM(alistorage), alistorage}}, /* storage at Alibaba, 2019 */
};

const struct lab_sizes *
lab_sizes_find(const char *name)
{
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strcmp(known[i].name, name) == 0)
			return &known[i].distribution;
	return NULL;
}

/* A number at *text; percent when it has the sign. */
static int
read_value(const char **text, double *value, bool *percent)
{
	size_t len = strcspn(*text, " \t");
	struct lab_expression_error unused;
	char word[MAX_LINE];

	*percent = len > 0 && (*text)[len - 1] == '%';
	if (len >= sizeof(word))
		return -EINVAL;
	memcpy(word, *text, len);
	word[len] = '\0';
	*text += len + strspn(*text + len, " \t");
	return lab_expression_value(word, NULL, value, &unused);
}

static const char no_memory[] = "out of memory";

/* The points of a distribution that is being read. */
struct points {
	struct lab_size_point *point;
	unsigned int n;
};

/* @return NULL, or what is wrong with the line */
static const char *
read_point(struct points *d, const char *line)
{
	struct lab_size_point *point;
	double bytes, probability, last_bytes = 0, last = 0;
	bool percent;

	if (d->n > 0) {
		last_bytes = d->point[d->n - 1].bytes;
		last = d->point[d->n - 1].probability;
	}
	if (read_value(&line, &bytes, &percent) != 0 || percent ||
			read_value(&line, &probability, &percent) != 0 || *line != '\0')
		return "a size and a percentage are expected";
	if (!percent)
		probability /= 100;
	if (bytes == 0 && probability == 0 && d->n == 0)
		return NULL; /* every distribution begins so */
	if (!(bytes >= last_bytes) || !(probability >= last))
		return "sizes and percentages rise";
	if (bytes < 1 || bytes > MAX_BYTES)
		return "the size of a message must be 1 to 1Ti bytes";
	if (probability > 1)
		return "a percentage is at most 100";
	point = lab_push(&d->point, &d->n, sizeof(*point));
	if (point == NULL)
		return no_memory;
	point->bytes = bytes;
	point->probability = probability;
	return NULL;
}

/* Read the lines of a text. @return 0, -ENOMEM, or -EINVAL with a line in err */
static int
read_points(const char *text, struct points *d, char *err, size_t err_size)
{
	unsigned int number = 0;
	char line[MAX_LINE];
	const char *why;

	while (*text != '\0') {
		size_t len = strcspn(text, "\n"), kept = strcspn(text, "#\r\n");

		number++;
		while (kept > 0 && (text[kept - 1] == ' ' || text[kept - 1] == '\t'))
			kept--;
		if (kept >= sizeof(line)) {
			snprintf(err, err_size, "%u: the line is too long", number);
			return -EINVAL;
		}
		memcpy(line, text, kept);
		line[kept] = '\0';
		why = kept > 0 ? read_point(d, line + strspn(line, " \t")) : NULL;
		if (why != NULL) {
			snprintf(err, err_size, "%u: %s", number, why);
			return why == no_memory ? -ENOMEM : -EINVAL;
		}
		text += len + (text[len] == '\n');
	}
	if (d->n == 0 || d->point[d->n - 1].probability < 1) {
		snprintf(err, err_size, "%u: the last point is not at 100%%", number);
		return -EINVAL;
	}
	d->point[d->n - 1].probability = 1;
	return 0;
}

int
lab_sizes_read(const char *text, struct lab_sizes *d, char *err, size_t err_size)
{
	struct points points = {.n = 0};
	int rc = read_points(text, &points, err, err_size);

	if (rc != 0) {
		free(points.point);
		points = (struct points){.n = 0};
	}
	d->n = points.n;
	d->point = points.point;
	return rc;
}

void
lab_sizes_free(struct lab_sizes *d)
{
	free((void *)(uintptr_t)d->point);
	*d = (struct lab_sizes){.n = 0};
}

double
lab_sizes_mean(const struct lab_sizes *d)
{
	double mean = 0, bytes = 0, probability = 0;

	for (unsigned int i = 0; i < d->n; i++) {
		mean += (d->point[i].probability - probability) * (d->point[i].bytes + bytes) / 2;
		bytes = d->point[i].bytes;
		probability = d->point[i].probability;
	}
	return mean;
}

uint64_t
lab_sizes_at(const struct lab_sizes *d, double probability)
{
	double bytes = 0, below = 0, size;
	unsigned int i = 0, high = d->n - 1;

	/* the first point above the probability, or the last one */
	while (i < high) {
		unsigned int middle = i + (high - i) / 2;

		if (d->point[middle].probability <= probability)
			i = middle + 1;
		else
			high = middle;
	}
	if (i > 0) {
		bytes = d->point[i - 1].bytes;
		below = d->point[i - 1].probability;
	}
	size = d->point[i].bytes;
	if (d->point[i].probability > below)
		size = bytes +
		       (size - bytes) * (probability - below) / (d->point[i].probability - below);
	return size < 1 ? 1 : (uint64_t)size;
}

double
lab_random_unit(struct fcn_random *random)
{
	return (double)(fcn_random64(random) >> 11) / 9007199254740992.;
}

double
lab_random_gap(struct fcn_random *random, double mean)
{
	return -log(1 - lab_random_unit(random)) * mean;
}
