/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep_private.h"

#define RANGE_DIGITS 18 /* maximum length of a number in a range, which fits into 64 bits */

void
sweep_grid_free(struct sweep_grid *g)
{
	for (unsigned int v = 0; v < g->n; v++) {
		for (unsigned int i = 0; i < g->vary[v].n; i++)
			free(g->vary[v].value[i]);
		free(g->vary[v].value);
		free(g->vary[v].name);
	}
	g->n = 0;
}

static int
add_value(struct sweep_vary *v, const char *text, size_t len)
{
	char **list = realloc(v->value, (v->n + 1) * sizeof(char *));

	if (list == NULL)
		return -ENOMEM;
	v->value = list;
	v->value[v->n] = strndup(text, len);
	if (v->value[v->n] == NULL)
		return -ENOMEM;
	v->n++;
	return 0;
}

/* Read "A..B", two whole numbers. @return whether the text is a range */
static bool
is_range(const char *text, size_t len, uint64_t *first, uint64_t *last)
{
	size_t a = strspn(text, "0123456789"), b;

	if (a == 0 || a > RANGE_DIGITS || len < a + 3 || strncmp(text + a, "..", 2) != 0)
		return false;
	b = strspn(text + a + 2, "0123456789");
	if (b > RANGE_DIGITS || a + 2 + b != len)
		return false;
	*first = strtoull(text, NULL, 10);
	*last = strtoull(text + a + 2, NULL, 10);
	return true;
}

/* Add a value, or all values of a range. */
static int
take_value(struct sweep_vary *v, const char *text, size_t len)
{
	uint64_t first, last;
	char number[24];
	int rc = 0;

	if (!is_range(text, len, &first, &last))
		return add_value(v, text, len);
	if (first > last || last - first >= SWEEP_POINTS_MAX)
		return -ERANGE;
	for (uint64_t i = first; rc == 0 && i <= last; i++) {
		snprintf(number, sizeof(number), "%" PRIu64, i);
		rc = add_value(v, number, strlen(number));
	}
	return rc;
}

static int
take_values(struct sweep_vary *v, const char *text)
{
	size_t len;
	int rc;

	for (;; text += len + 1) {
		len = strcspn(text, ",");
		rc = take_value(v, text, len);
		if (rc != 0 || text[len] == '\0')
			return rc;
	}
}

static bool
is_good(const struct sweep_vary *v)
{
	for (unsigned int i = 0; i < v->n; i++) {
		if (v->value[i][0] == '\0')
			return false;
		for (unsigned int k = 0; k < i; k++)
			if (strcmp(v->value[i], v->value[k]) == 0)
				return false;
	}
	return true;
}

int
sweep_grid_add(struct sweep_grid *g, const char *text, char *err, size_t err_size)
{
	const char *equals = strchr(text, '=');
	struct sweep_vary *v = &g->vary[g->n];
	int rc;

	if (equals == NULL || equals == text) {
		snprintf(err, err_size, "--vary %s: the argument must be NAME=V1,V2,...", text);
		return -1;
	}
	if (g->n == SWEEP_VARY_MAX) {
		snprintf(err, err_size, "--vary: more than %u parameters", SWEEP_VARY_MAX);
		return -1;
	}
	for (unsigned int i = 0; i < g->n; i++)
		if (strncmp(g->vary[i].name, text, (size_t)(equals - text)) == 0 &&
				g->vary[i].name[equals - text] == '\0') {
			snprintf(err, err_size, "--vary %s: the parameter is varied twice",
					g->vary[i].name);
			return -1;
		}
	g->n++;
	*v = (struct sweep_vary){.name = strndup(text, (size_t)(equals - text))};
	rc = v->name == NULL ? -ENOMEM : take_values(v, equals + 1);
	if (rc != 0) {
		if (rc == -ERANGE)
			snprintf(err, err_size,
					"--vary %s: a range must have 1 to %u values, the "
					"smallest first",
					text, SWEEP_POINTS_MAX);
		else
			snprintf(err, err_size, "out of memory");
		return -1;
	}
	if (!is_good(v)) {
		snprintf(err, err_size, "--vary %s: a value is empty or given twice", text);
		return -1;
	}
	return 0;
}

unsigned int
sweep_grid_seeds_last(struct sweep_grid *g)
{
	struct sweep_vary seeds;

	for (unsigned int v = 0; v < g->n; v++) {
		if (strcmp(g->vary[v].name, "seed") != 0)
			continue;
		seeds = g->vary[v];
		for (; v + 1 < g->n; v++)
			g->vary[v] = g->vary[v + 1];
		g->vary[v] = seeds;
		return seeds.n;
	}
	return 1;
}

unsigned int
sweep_grid_points(const struct sweep_grid *g)
{
	unsigned int n = 1;

	for (unsigned int v = 0; v < g->n; v++) {
		if (g->vary[v].n > SWEEP_POINTS_MAX / n)
			return 0;
		n *= g->vary[v].n;
	}
	return n;
}

const char *
sweep_grid_value(const struct sweep_grid *g, unsigned int point, unsigned int vary)
{
	for (unsigned int v = g->n - 1; v > vary; v--)
		point /= g->vary[v].n;
	return g->vary[vary].value[point % g->vary[vary].n];
}

void
sweep_grid_label(const struct sweep_grid *g, unsigned int point, unsigned int from, unsigned int to,
		const char *separator, char *label, size_t size)
{
	size_t n = 0;

	label[0] = '\0';
	for (unsigned int v = from; v < to && n < size; v++)
		n += (size_t)snprintf(label + n, size - n, "%s%s=%s", v == from ? "" : separator,
				g->vary[v].name, sweep_grid_value(g, point, v));
}
