/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep_private.h"

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
take_values(struct sweep_vary *v, const char *text)
{
	size_t len;

	for (;; text += len + 1) {
		char **list = realloc(v->value, (v->n + 1) * sizeof(char *));

		len = strcspn(text, ",");
		if (list == NULL)
			return -1;
		v->value = list;
		v->value[v->n] = strndup(text, len);
		if (v->value[v->n] == NULL)
			return -1;
		v->n++;
		if (text[len] == '\0')
			return 0;
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
	if (v->name == NULL || take_values(v, equals + 1) != 0) {
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
sweep_grid_label(const struct sweep_grid *g, unsigned int point, unsigned int from,
		const char *separator, char *label, size_t size)
{
	size_t n = 0;

	label[0] = '\0';
	for (unsigned int v = from; v < g->n && n < size; v++)
		n += (size_t)snprintf(label + n, size - n, "%s%s=%s", v == from ? "" : separator,
				g->vary[v].name, sweep_grid_value(g, point, v));
}
