/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "summary.h"
#include "plot_private.h"

#define RUNS_MAX 21 /* lines that can be told apart: 7 colours, 3 kinds of dashes */

static const struct lab_series *
series_of(const struct lab_plot_run *run, const char *where)
{
	for (unsigned int i = 0; run->series != NULL && i < lab_series_count(run->series); i++) {
		const struct lab_series *s = lab_series_at(run->series, i);

		if (strcmp(s->what, "queue") == 0 &&
				(where == NULL || strcmp(s->where, where) == 0))
			return s;
	}
	return NULL;
}

static uint64_t
top_of(const struct lab_series *s)
{
	uint64_t top = 0;

	for (uint32_t i = 0; s != NULL && i < s->n; i++)
		top = s->point[i].value > top ? s->point[i].value : top;
	return top;
}

/* The queue that most runs have, and among equals the one with the highest peak in any run. */
static const char *
common_queue(const struct lab_plot_run *run, unsigned int n, uint64_t *top)
{
	const char *best = NULL;
	unsigned int most = 0;

	*top = 0;
	for (unsigned int r = 0; r < n; r++)
		for (unsigned int i = 0;
				run[r].series != NULL && i < lab_series_count(run[r].series); i++) {
			const struct lab_series *s = lab_series_at(run[r].series, i);
			unsigned int have = 0;
			uint64_t high = 0, t;

			if (strcmp(s->what, "queue") != 0)
				continue;
			for (unsigned int k = 0; k < n; k++) {
				const struct lab_series *other = series_of(&run[k], s->where);

				have += other != NULL;
				t = top_of(other);
				high = t > high ? t : high;
			}
			if (have < most || (have == most && high <= *top))
				continue;
			most = have;
			*top = high;
			best = s->where;
		}
	return best;
}

static int
write_run(struct lab_picture *p, unsigned int number, const struct lab_plot_run *run,
		const char *where, const struct plot_span *t, double divisor)
{
	const struct lab_series *s = series_of(run, where);
	struct lab_series cut;

	if (s == NULL || lab_series_cut(s, t->from, t->to, PLOT_STRETCHES, &cut) != 0)
		return -1;
	plot_line(p, "queue", number, &cut, t, divisor);
	plot_name(p, "queue", number, run->label);
	lab_series_clear(&cut);
	return 0;
}

/* Write the mean rate of each run's flows. The legend has the names of the runs already. */
static void
write_rates(struct lab_picture *p, const struct lab_plot_run *run, unsigned int n,
		const char *where, const struct plot_span *t)
{
	struct lab_unit unit = lab_unit_rate(1);
	unsigned int drawn = 0;
	struct plot_cut *line;
	uint64_t top = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (unsigned int i = 0; i < n; i++) {
			int lines;

			if (series_of(&run[i], where) == NULL)
				continue;
			lines = plot_collect(run[i].series, "rate", t, PLOT_STRETCHES, &line);
			if (lines < 0)
				continue;
			for (int k = 0; pass == 0 && k < lines; k++)
				top = line[k].top > top ? line[k].top : top;
			if (pass == 1) {
				plot_mean(p, ++drawn, line, (unsigned int)lines, t, unit.divisor);
				plot_name(p, "rate", drawn, "");
			}
			plot_lines_free(line, (unsigned int)lines);
		}
		unit = lab_unit_rate((double)top);
	}
	lab_picture_count(p, "rates", drawn);
	lab_picture_count(p, "extras", 0);
	lab_picture_count(p, "crowd", 0);
	lab_picture_text(p, "rate_unit", unit.name);
	lab_picture_number(p, "rate_top", top > 0 ? (double)top * 1.08 / unit.divisor : 1);
}

static bool
same_limits(const struct lab_plot_run *run, unsigned int n, const char *where)
{
	for (unsigned int i = 1; i < n; i++) {
		if (!plot_same_limits(run[0].result, run[i].result, where))
			return false;
	}
	return true;
}

static int
over_time(const struct lab_plot_run *run, unsigned int n, const char *name, uint64_t from,
		uint64_t to, const char *dir, FILE *err)
{
	struct plot_span t = plot_make_span(from, to);
	unsigned int drawn = 0;
	struct lab_unit unit;
	struct lab_picture p;
	char text[160];
	uint64_t top;
	const char *where = common_queue(run, n, &top);

	if (where == NULL)
		return 0;
	if (lab_picture_begin(&p, dir, name, err) != 0)
		return -1;
	lab_picture_text(&p, "heading", plot_title(run[0].result));
	snprintf(text, sizeof(text),
			"queue %s, and the mean rate that flows were allowed; virtual time", where);
	lab_picture_text(&p, "subheading", text);
	plot_set_span(&p, &t);
	unit = lab_unit_bytes((double)top);
	if (same_limits(run, n, where))
		plot_limits(&p, run[0].result, where, top, unit.divisor);
	else
		lab_picture_count(&p, "limits", 0);
	for (unsigned int i = 0; i < n; i++)
		drawn += write_run(&p, drawn + 1, &run[i], where, &t, unit.divisor) == 0;
	lab_picture_count(&p, "queues", drawn);
	lab_picture_text(&p, "byte_unit", unit.name);
	lab_picture_number(&p, "top", top > 0 ? (double)top * 1.08 / unit.divisor : 1);
	write_rates(&p, run, n, where, &t);
	lab_picture_count(&p, "marks", 0);
	return lab_picture_end(&p, lab_gp_over_time);
}

/* Write a panel of bars: one number of all runs. */
static void
write_bars(struct lab_picture *p, unsigned int number, const char *name, const char *text,
		const char *unit, double divisor, const struct lab_plot_run *run, unsigned int n)
{
	char key[32], label[96];
	double top = 0;

	snprintf(key, sizeof(key), "bars%u", number);
	lab_picture_data(p, key);
	for (unsigned int i = 0; i < n; i++) {
		json_t *summary = lab_summary(run[i].result);
		double value = json_number_value(json_object_get(summary, name)) / divisor;

		json_decref(summary);
		lab_picture_cell(p, run[i].label);
		fprintf(p->out, "%.6g \"%.3g\"\n", value, value);
		top = value > top ? value : top;
	}
	lab_picture_data_end(p);
	snprintf(label, sizeof(label), unit[0] != '\0' ? "%s (%s)" : "%s", text, unit);
	plot_name(p, "panel", number, label);
	snprintf(key, sizeof(key), "panel_top_%u", number);
	lab_picture_number(p, key, top * 1.2);
}

static unsigned int
longest_label(const struct lab_plot_run *run, unsigned int n)
{
	size_t longest = 0;

	for (unsigned int i = 0; i < n; i++)
		longest = strlen(run[i].label) > longest ? strlen(run[i].label) : longest;
	return (unsigned int)longest;
}

static double
highest(const struct lab_plot_run *run, unsigned int n, const char *name)
{
	double top = 0;

	for (unsigned int i = 0; i < n; i++) {
		json_t *summary = lab_summary(run[i].result);
		double v = json_number_value(json_object_get(summary, name));

		top = v > top ? v : top;
		json_decref(summary);
	}
	return top;
}

static int
bars(const struct lab_plot_run *run, unsigned int n, const char *dir, FILE *err)
{
	static const struct {
		const char *name, *text;
		struct lab_unit (*unit)(double);
	} panel[] = {{"peak", "highest queue", lab_unit_bytes},
			{"p99", "99th percentile of it", lab_unit_bytes},
			{"goodput_bps", "goodput of all flows", lab_unit_rate},
			{"paused_ns", "hosts paused by PFC", lab_unit_time},
			{"switch_paused_ns", "switches paused by PFC", lab_unit_time}};
	unsigned int panels = 0;
	struct lab_picture p;

	if (lab_picture_begin(&p, dir, "bars", err) != 0)
		return -1;
	lab_picture_text(&p, "heading", plot_title(run[0].result));
	lab_picture_text(&p, "subheading", "runs side by side; virtual time");
	lab_picture_count(&p, "runs", n);
	lab_picture_count(&p, "longest", longest_label(run, n));
	lab_picture_count(&p, "high", 3 * (100 + 35 * n) + 60);
	for (unsigned int i = 0; i < 5; i++) {
		struct lab_unit u = panel[i].unit(highest(run, n, panel[i].name));

		write_bars(&p, ++panels, panel[i].name, panel[i].text, u.name, u.divisor, run, n);
	}
	lab_picture_count(&p, "panels", panels);
	return lab_picture_end(&p, lab_gp_bars);
}

/* The span from the first congestion of any run to five times the longest time to a first peak. */
static bool
closer(const struct lab_plot_run *run, unsigned int n, uint64_t end, uint64_t *from, uint64_t *to)
{
	uint64_t first = UINT64_MAX, longest = 1, begin, peak;

	for (unsigned int i = 0; i < n; i++) {
		plot_first_congestion(run[i].result, &begin, &peak);
		if (begin == UINT64_MAX)
			continue;
		first = begin < first ? begin : first;
		longest = peak > begin && peak - begin > longest ? peak - begin : longest;
	}
	if (first == UINT64_MAX || first + 5 * longest >= end / 2)
		return false;
	*from = first > longest ? first - longest : 0;
	*to = first + 5 * longest;
	return true;
}

int
lab_plot_compare(const struct lab_plot_run *run, unsigned int n, const char *dir, FILE *err)
{
	uint64_t end = 0, from, to;
	int rc;

	n = n < RUNS_MAX ? n : RUNS_MAX;
	for (unsigned int i = 0; i < n; i++) {
		uint64_t t = (uint64_t)lab_result_integer(run[i].result, "end_ns", NULL);

		end = t > end ? t : end;
	}
	rc = over_time(run, n, "over-time", 0, end, dir, err);
	if (rc == 0 && closer(run, n, end, &from, &to))
		rc = over_time(run, n, "congestion", from, to, dir, err);
	if (rc == 0)
		rc = plot_slowdown(run, n, dir, err);
	return rc == 0 ? bars(run, n, dir, err) : rc;
}
