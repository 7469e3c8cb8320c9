/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Lines that queues and rates are compared with: thresholds, goodput, the fair share. */

#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "plot_private.h"

#define POINTS 600

uint64_t
plot_top(const struct lab_series_set *set, const char *what, const struct plot_span *t)
{
	struct plot_cut *line;
	int n = plot_collect(set, what, t, PLOT_STRETCHES, &line);
	uint64_t top = 0;

	for (int i = 0; i < n; i++)
		top = RTE_MAX(top, line[i].top);
	if (n >= 0)
		plot_lines_free(line, (unsigned int)n);
	return top;
}

/* Find the row of a list, such as "queues" of a switch, about a port and a class (-1: any). */
static const json_t *
row_of(const json_t *list, const char *port, int class)
{
	json_t *row;
	size_t i;

	json_array_foreach (list, i, row) {
		const char *name = json_string_value(json_object_get(row, "port"));

		if (name != NULL && strcmp(name, port) == 0 &&
				(class < 0 || lab_result_integer(row, "class", NULL) == class))
			return row;
	}
	return NULL;
}

/* Split "s1.r.3" into the switch's part of the result, port and class. */
static const json_t *
switch_of(const json_t *result, const char *where, char *port, size_t size, int *class)
{
	const char *dot = strchr(where, '.'), *last = strrchr(where, '.');
	char name[64];

	if (dot == NULL || last == dot || (size_t)(dot - where) >= sizeof(name))
		return NULL;
	snprintf(name, sizeof(name), "%.*s", (int)(dot - where), where);
	snprintf(port, size, "%.*s", (int)(last - dot - 1), dot + 1);
	*class = atoi(last + 1);
	return json_object_get(json_object_get(result, "switch"), name);
}

static void
add_limit(struct lab_picture *p, unsigned int *n, const char *text, uint64_t bytes, uint64_t top,
		double divisor)
{
	char name[32];

	if (bytes == 0 || bytes > top)
		return;
	snprintf(name, sizeof(name), "limit_%u", ++*n);
	lab_picture_number(p, name, (double)bytes / divisor);
	plot_name(p, "limit_name", *n, text);
}

/* Get the XOFF threshold of a class if all ingress ports with flow control have the same. */
static uint64_t
xoff_of(const json_t *sw, int class)
{
	const json_t *list = json_object_get(json_object_get(sw, "pfc"), "classes");
	uint64_t xoff = 0, one;
	json_t *row;
	size_t i;

	json_array_foreach (list, i, row) {
		if (lab_result_integer(row, "class", NULL) != class ||
				!json_is_true(json_object_get(row, "send")))
			continue;
		one = (uint64_t)lab_result_integer(row, "xoff", NULL);
		if (xoff != 0 && one != xoff)
			return 0;
		xoff = one;
	}
	return xoff;
}

/* Thresholds of a detector, and their names; XOFF follows them. */
static const char *const limit_names[][2] = {{"enter_bytes", "K"}, {"kmin_bytes", "Kmin"},
		{"kmax_bytes", "Kmax"}, {"qeq_bytes", "Qeq"}};

#define LIMITS (RTE_DIM(limit_names) + 1)

/* Read the thresholds of a queue, 0 for those that it does not have. */
static void
read_limits(const json_t *result, const char *where, uint64_t bytes[LIMITS])
{
	const json_t *sw, *thresholds;
	char port[64];
	int class;

	memset(bytes, 0, LIMITS * sizeof(*bytes));
	sw = switch_of(result, where, port, sizeof(port), &class);
	if (sw == NULL)
		return;
	thresholds = json_object_get(
			row_of(json_object_get(sw, "queues"), port, class), "thresholds");
	for (unsigned int i = 0; i < RTE_DIM(limit_names); i++)
		bytes[i] = (uint64_t)lab_result_integer(thresholds, limit_names[i][0], NULL);
	bytes[LIMITS - 1] = xoff_of(sw, class);
}

bool
plot_same_limits(const json_t *a, const json_t *b, const char *where)
{
	uint64_t x[LIMITS], y[LIMITS];

	read_limits(a, where, x);
	read_limits(b, where, y);
	return memcmp(x, y, sizeof(x)) == 0;
}

void
plot_limits(struct lab_picture *p, const json_t *result, const char *where, uint64_t top,
		double divisor)
{
	uint64_t bytes[LIMITS];
	unsigned int n = 0;

	read_limits(result, where, bytes);
	for (unsigned int i = 0; i < LIMITS; i++)
		add_limit(p, &n,
				i < RTE_DIM(limit_names) ? limit_names[i][1]
							 : "XOFF of an ingress port",
				bytes[i], top, divisor);
	lab_picture_count(p, "limits", n);
}

/* The queue with the highest peak. */
static const char *
highest_queue(const struct lab_series_set *set, const struct plot_span *t, char *where, size_t size)
{
	struct plot_cut *line;
	int n = plot_collect(set, "queue", t, PLOT_STRETCHES, &line);
	uint64_t top = 0;

	where[0] = '\0';
	for (int i = 0; i < n; i++) {
		if (line[i].top <= top)
			continue;
		top = line[i].top;
		snprintf(where, size, "%s", line[i].label);
	}
	if (n >= 0)
		plot_lines_free(line, (unsigned int)n);
	return where;
}

/* Whether a flow, by the name of its rate, sends to a host. */
static bool
sends_to(const json_t *result, const char *label, const char *host)
{
	json_t *flow;
	size_t i;

	json_array_foreach (json_object_get(result, "flows"), i, flow) {
		const char *name = json_string_value(json_object_get(flow, "name"));
		const char *to = json_string_value(json_object_get(flow, "to"));

		if (name != NULL && to != NULL && strcmp(name, label) == 0)
			return strcmp(to, host) == 0;
	}
	return false;
}

/* Number of flows whose rate is not 0 at a time. at[] has the points that were passed. */
static unsigned int
active(const struct plot_cut *line, unsigned int n, const bool *counts, uint32_t *at, uint64_t time)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < n; i++) {
		const struct lab_series *s = &line[i].cut;

		while (at[i] < s->n && s->point[at[i]].time_ns <= time)
			at[i]++;
		sum += counts[i] && at[i] > 0 && s->point[at[i] - 1].value != 0;
	}
	return sum;
}

/* Write the rate of a link, shared by the flows that send over it. */
static void
write_fair(struct lab_picture *p, unsigned int number, uint64_t bps, const struct plot_cut *line,
		unsigned int n, const bool *counts, const struct plot_span *t, double divisor)
{
	uint32_t *at = calloc(n + 1, sizeof(*at));
	unsigned int last = 0;
	char name[32];

	snprintf(name, sizeof(name), "extra%u", number);
	lab_picture_data(p, name);
	for (unsigned int k = 0; at != NULL && k <= POINTS; k++) {
		uint64_t time = t->from + (uint64_t)((double)(t->to - t->from) * k / POINTS);
		unsigned int flows = active(line, n, counts, at, time);

		/* Few points, so that the dashes of the line are seen. */
		if (flows > 0 && (k == 0 || flows != last || k == POINTS))
			fprintf(p->out, "%.9g %.6g\n", (double)time / t->unit.divisor,
					(double)bps / flows / divisor);
		else if (flows == 0 && last > 0)
			fputc('\n', p->out); /* the line is interrupted */
		last = flows;
	}
	lab_picture_data_end(p);
	free(at);
	plot_name(p, "extra", number, "fair share");
}

/* Write the fair share of flows to a host, if the highest queue leads there. */
static void
fair_share(struct lab_picture *p, unsigned int *extras, const json_t *result,
		const struct lab_series_set *set, const struct plot_cut *line, unsigned int n,
		const struct plot_span *t, double divisor)
{
	bool *counts = calloc(n + 1, sizeof(*counts));
	char where[128], port[64];
	unsigned int flows = 0;
	const json_t *sw;
	uint64_t bps;
	int class;

	highest_queue(set, t, where, sizeof(where));
	sw = switch_of(result, where, port, sizeof(port), &class);
	for (unsigned int i = 0; counts != NULL && sw != NULL && i < n; i++) {
		counts[i] = sends_to(result, line[i].label, port);
		flows += counts[i];
	}
	bps = (uint64_t)lab_result_integer(
			row_of(json_object_get(sw, "ports"), port, -1), "link_bps", NULL);
	if (flows > 1 && bps > 0)
		write_fair(p, ++*extras, bps, line, n, counts, t, divisor);
	free(counts);
}

void
plot_extras(struct lab_picture *p, const json_t *result, const struct lab_series_set *set,
		const struct plot_cut *line, unsigned int n, const struct plot_span *t,
		double divisor)
{
	struct plot_cut *goodput;
	int lines = plot_collect(set, "goodput", t, PLOT_STRETCHES, &goodput);
	unsigned int extras = 0;

	if (lines > 0) {
		plot_line(p, "extra", ++extras, &goodput[0].cut, t, divisor);
		plot_name(p, "extra", extras, "goodput of all");
		fair_share(p, &extras, result, set, line, n, t, divisor);
	}
	if (lines >= 0)
		plot_lines_free(goodput, (unsigned int)lines);
	lab_picture_count(p, "extras", extras);
}
