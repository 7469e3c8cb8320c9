/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "expression.h"
#include "workload.h"

#define MAX_LINE 128
#define MAX_BYTES 1099511627776. /* of a message */

/* Of the simulations published with HPCC (SIGCOMM 2019). */
static const struct {
	const char *name;
	struct lab_sizes distribution;
} known[] = {
		/* web search, from the DCTCP paper */
		{"websearch", {11, {{10e3, .15}, {20e3, .2}, {30e3, .3}, {50e3, .4}, {80e3, .53},
						   {200e3, .6}, {1e6, .7}, {2e6, .8}, {5e6, .9},
						   {10e6, .97}, {30e6, 1}}}},
		/* Hadoop at Facebook */
		{"hadoop", {16, {{100, .01}, {300, .05}, {350, .15}, {500, .3}, {700, .5},
						{1e3, .6}, {2e3, .67}, {7e3, .7}, {30e3, .72},
						{50e3, .82}, {80e3, .87}, {120e3, .9}, {300e3, .95},
						{1e6, .975}, {2e6, .99}, {10e6, 1}}}},
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

static const char *
read_point(struct lab_sizes *d, const char *line)
{
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
	if (d->n == LAB_MAX_POINTS)
		return "too many points";
	d->point[d->n].bytes = bytes;
	d->point[d->n].probability = probability;
	d->n++;
	return NULL;
}

int
lab_sizes_read(const char *text, struct lab_sizes *d, char *err, size_t err_size)
{
	unsigned int number = 0;
	char line[MAX_LINE];
	const char *why;

	d->n = 0;
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
			return -EINVAL;
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
	unsigned int i = 0;

	for (; i + 1 < d->n && d->point[i].probability <= probability; i++) {
		bytes = d->point[i].bytes;
		below = d->point[i].probability;
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
