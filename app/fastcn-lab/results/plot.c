/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "plot_private.h"

#define QUEUES_MAX 6 /* maximum number of queues in the picture */
#define RATES_MAX 8  /* maximum number of flows that have a colour of their own */
#define CROWD_MAX 64 /* maximum number of thin lines, if there are more flows than that */
#define CROWD_STRETCHES 200
#define MEAN_POINTS 600

static uint64_t
highest(const struct lab_series *s)
{
	uint64_t top = 0;

	for (uint32_t i = 0; i < s->n; i++)
		top = s->point[i].value > top ? s->point[i].value : top;
	return top;
}

static int
by_top(const void *a, const void *b)
{
	const struct plot_cut *x = a, *y = b;

	return x->top > y->top ? -1 : x->top < y->top ? 1 : strcmp(x->label, y->label);
}

void
plot_lines_free(struct plot_cut *line, unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		lab_series_clear(&line[i].cut);
	free(line);
}

int
plot_collect(const struct lab_series_set *set, const char *what, const struct plot_span *t,
		unsigned int stretches, struct plot_cut **list)
{
	unsigned int n = 0;

	*list = calloc(lab_series_count(set) + 1, sizeof(**list));
	if (*list == NULL)
		return -1;
	for (unsigned int i = 0; i < lab_series_count(set); i++) {
		const struct lab_series *s = lab_series_at(set, i);
		struct plot_cut *line = &(*list)[n];

		if (strcmp(s->what, what) != 0 || s->n == 0)
			continue;
		if (lab_series_cut(s, t->from, t->to, stretches, &line->cut) != 0) {
			plot_lines_free(*list, n);
			return -1;
		}
		line->label = s->where;
		line->top = highest(&line->cut);
		n++;
	}
	return (int)n;
}

/* Write the queues with the highest peaks. @return their number, or -1 */
static int
write_queues(struct lab_picture *p, const json_t *result, const struct lab_series_set *set,
		const struct plot_span *t)
{
	struct lab_unit unit;
	struct plot_cut *line;
	int n = plot_collect(set, "queue", t, PLOT_STRETCHES, &line), shown;

	if (n < 0)
		return -1;
	qsort(line, (size_t)n, sizeof(*line), by_top);
	shown = n < QUEUES_MAX ? n : QUEUES_MAX;
	unit = lab_unit_bytes(n > 0 ? (double)line[0].top : 0);
	for (int i = 0; i < shown; i++) {
		plot_line(p, "queue", (unsigned int)i + 1, &line[i].cut, t, unit.divisor);
		plot_name(p, "queue", (unsigned int)i + 1, line[i].label);
	}
	lab_picture_count(p, "queues", (unsigned int)shown);
	lab_picture_text(p, "byte_unit", unit.name);
	lab_picture_number(p, "top",
			n > 0 && line[0].top > 0 ? (double)line[0].top * 1.08 / unit.divisor : 1);
	if (n > 0)
		plot_limits(p, result, line[0].label, line[0].top, unit.divisor);
	else
		lab_picture_count(p, "limits", 0);
	plot_lines_free(line, (unsigned int)n);
	return shown;
}

void
plot_mean(struct lab_picture *p, unsigned int number, const struct plot_cut *line, unsigned int n,
		const struct plot_span *t, double divisor)
{
	uint32_t *at = calloc(n, sizeof(*at));
	char name[32];

	snprintf(name, sizeof(name), "rate%u", number);
	lab_picture_data(p, name);
	for (unsigned int k = 0; at != NULL && k <= MEAN_POINTS; k++) {
		uint64_t time = t->from + (uint64_t)((double)(t->to - t->from) * k / MEAN_POINTS);
		unsigned int active = 0;
		double sum = 0;

		for (unsigned int i = 0; i < n; i++) {
			const struct lab_series *s = &line[i].cut;

			while (at[i] < s->n && s->point[at[i]].time_ns <= time)
				at[i]++;
			if (at[i] == 0 || s->point[at[i] - 1].value == 0)
				continue;
			sum += (double)s->point[at[i] - 1].value;
			active++;
		}
		fprintf(p->out, "%.9g %.6g\n", (double)time / t->unit.divisor,
				active == 0 ? 0 : sum / active / divisor);
	}
	lab_picture_data_end(p);
	free(at);
}

/* Write the rates of flows: each one when there are few, else their mean with some thin lines. */
static int
write_rates(struct lab_picture *p, const json_t *result, const struct lab_series_set *set,
		const struct plot_span *t)
{
	unsigned int crowd, drawn;
	uint64_t top = plot_top(set, "goodput", t);
	struct lab_unit unit;
	struct plot_cut *line;
	char text[64];
	int n = plot_collect(set, "rate", t, CROWD_STRETCHES, &line);

	if (n < 0)
		return -1;
	for (int i = 0; i < n; i++)
		top = line[i].top > top ? line[i].top : top;
	unit = lab_unit_rate((double)top);
	crowd = n <= RATES_MAX ? 0 : n < CROWD_MAX ? (unsigned int)n : CROWD_MAX;
	drawn = crowd > 0 ? crowd : (unsigned int)n;
	for (unsigned int i = 0; i < drawn; i++) {
		plot_line(p, "rate", i + 1, &line[i].cut, t, unit.divisor);
		plot_name(p, "rate", i + 1, line[i].label);
	}
	if (crowd > 0) {
		snprintf(text, sizeof(text),
				crowd < (unsigned int)n ? "%u of %d flows" : "each flow", crowd, n);
		plot_name(p, "rate", crowd, text);
		plot_mean(p, ++drawn, line, (unsigned int)n, t, unit.divisor);
		snprintf(text, sizeof(text), "mean of %d", n);
		plot_name(p, "rate", drawn, text);
	}
	lab_picture_count(p, "rates", drawn);
	lab_picture_count(p, "crowd", crowd);
	lab_picture_text(p, "rate_unit", unit.name);
	lab_picture_number(p, "rate_top", top > 0 ? (double)top * 1.08 / unit.divisor : 1);
	plot_extras(p, result, set, line, (unsigned int)n, t, unit.divisor);
	plot_lines_free(line, (unsigned int)n);
	return n;
}

static int
by_time(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Write the times of all events of a kind, of those that would share a dot only the first. */
static int
write_mark(struct lab_picture *p, unsigned int number, const char *what, const char *text,
		const struct lab_series_set *set, const struct plot_span *t, uint64_t total)
{
	struct plot_cut *line;
	uint64_t *time, last = UINT64_MAX, spot = (t->to - t->from) / PLOT_STRETCHES;
	const bool is_pause = strcmp(what, "pause") == 0 || strcmp(what, "xoff") == 0;
	size_t n = 0, all = 0;
	char name[64];
	int lines = plot_collect(set, what, t, PLOT_STRETCHES, &line);

	if (lines < 0)
		return -1;
	for (int i = 0; i < lines; i++)
		all += line[i].cut.n;
	time = calloc(all + 1, sizeof(*time));
	for (int i = 0; time != NULL && i < lines; i++)
		for (uint32_t k = 0; k < line[i].cut.n; k++) {
			/* The end of a pause is an event of its series, with the value 0. */
			if (line[i].cut.point[k].value == 0 && is_pause)
				continue;
			time[n++] = line[i].cut.point[k].time_ns;
		}
	plot_lines_free(line, (unsigned int)lines);
	if (time == NULL)
		return -1;
	qsort(time, n, sizeof(*time), by_time);
	snprintf(name, sizeof(name), "mark%u", number);
	lab_picture_data(p, name);
	for (size_t i = 0; i < n; i++) {
		if (last != UINT64_MAX && time[i] - last <= spot && i > 0 && time[i] != time[0])
			continue;
		last = time[i];
		fprintf(p->out, "%.9g\n", (double)time[i] / t->unit.divisor);
	}
	if (n == 0)
		fprintf(p->out, "NaN\n");
	lab_picture_data_end(p);
	free(time);
	snprintf(name, sizeof(name), "%s (%llu)", text, (unsigned long long)total);
	plot_name(p, "mark", number, name);
	return 0;
}

static int
write_marks(struct lab_picture *p, const struct lab_plot_run *run, const struct plot_span *t)
{
	const struct {
		const char *what, *text;
		json_int_t total;
	} kind[] = {
			{"notice", "Fast CNP made",
					lab_result_integer(run->result, "notices", "sent", NULL)},
			{"accepted", "... accepted",
					lab_result_integer(
							run->result, "notices", "accepted", NULL)},
			{"cnp", "CNP received",
					lab_result_integer(run->result, "cnps", "received", NULL)},
			{"pause", "host paused",
					lab_result_integer(run->result, "pfc", "pauses", NULL)},
			{"xoff", "pause asked for",
					lab_result_integer(run->result, "pfc", "xoffs", NULL)},
	};
	unsigned int n = 0;

	for (unsigned int i = 0; i < RTE_DIM(kind); i++) {
		if (kind[i].total == 0)
			continue;
		if (write_mark(p, ++n, kind[i].what, kind[i].text, run->series, t,
				    (uint64_t)kind[i].total) != 0)
			return -1;
	}
	lab_picture_count(p, "marks", n);
	return 0;
}

static int
over_time(const struct lab_plot_run *run, const char *name, const char *part, uint64_t from,
		uint64_t to, const char *dir, FILE *err)
{
	struct plot_span t = plot_make_span(from, to);
	struct lab_picture p;
	char heading[160];

	if (lab_picture_begin(&p, dir, name, err) != 0)
		return -1;
	snprintf(heading, sizeof(heading), "%s%s", plot_title(run->result), part);
	plot_heading(&p, heading, run->result);
	plot_set_span(&p, &t);
	if (write_queues(&p, run->result, run->series, &t) < 0 ||
			write_rates(&p, run->result, run->series, &t) < 0 ||
			write_marks(&p, run, &t) < 0) {
		fprintf(err, "%s/%s.gp: out of memory\n", dir, name);
		fclose(p.out);
		return -1;
	}
	return lab_picture_end(&p, lab_gp_over_time);
}

void
plot_first_congestion(const json_t *result, uint64_t *begin, uint64_t *peak)
{
	const char *sw, *port, *class;
	json_t *ports, *classes, *queue;

	*begin = UINT64_MAX;
	json_object_foreach (json_object_get(result, "queue"), sw, ports)
		json_object_foreach (ports, port, classes)
			json_object_foreach (classes, class, queue) {
				json_t *first = json_object_get(queue, "first_congested_ns");
				uint64_t at = (uint64_t)json_integer_value(first);

				if (first == NULL || at >= *begin)
					continue;
				*begin = at;
				*peak = (uint64_t)lab_result_integer(queue, "first_peak_ns", NULL);
			}
}

int
lab_plot_one(const struct lab_plot_run *run, const char *dir, FILE *err)
{
	uint64_t end = (uint64_t)lab_result_integer(run->result, "end_ns", NULL);
	uint64_t begin = 0, peak = 0, before, to;
	int rc = 0;

	if (run->series != NULL)
		rc = over_time(run, "over-time", "", 0, end, dir, err);
	if (rc != 0)
		return rc;
	plot_first_congestion(run->result, &begin, &peak);
	if (run->series != NULL && begin != UINT64_MAX) {
		/* draw the congestion in more detail, if it is a small part of the run */
		before = peak > begin ? peak - begin : 1;
		to = begin + 5 * before;
		if (to < end / 2) {
			rc = over_time(run, "congestion", ": the first congestion",
					begin > before ? begin - before : 0, to, dir, err);
			if (rc != 0)
				return rc;
		}
	}
	return plot_slowdown(run, 1, dir, err);
}
