/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <string.h>

#include "summary.h"
#include "picture.h"
#include "sweep_private.h"

#define PANELS_MAX 4
#define LINES_MAX 21 /* maximum number of lines: 7 colours times 3 dash styles */
#define PANEL_HIGH 320

static bool
ends_in(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && strcmp(text + n - m, end) == 0;
}

static double
highest(const struct sweep *s, const char *name)
{
	struct sweep_mean m;
	double top = 0;

	for (unsigned int g = 0; g < sweep_groups(s); g++)
		if (sweep_group_mean(s, g, name, &m) && m.mean > top)
			top = m.mean;
	return top;
}

/* Whether a metric of a queue is a number of events, not of bytes. */
static bool
is_count(const char *name)
{
	return ends_in(name, ".notices") || ends_in(name, ".suppressed") ||
	       ends_in(name, ".episodes");
}

/*
 * Get the unit of a metric by its name: names of times end in _ns and those of rates in _bps, and
 * queues are in bytes.
 */
static struct lab_unit
unit_of(const struct sweep *s, const char *name)
{
	const char *text = lab_summary_text(name);
	double top = highest(s, name);

	if (ends_in(name, "_bps"))
		return lab_unit_rate(top);
	if (ends_in(name, "_ns") || strstr(name, "_ns.") != NULL)
		return lab_unit_time(top);
	if ((text != NULL && strstr(text, "(bytes)") != NULL) ||
			(strncmp(name, "queue.", 6) == 0 && !is_count(name)))
		return lab_unit_bytes(top);
	return (struct lab_unit){"", 1};
}

/* Number of values of the first parameter: the groups of a sweep over seeds alone are one point. */
static unsigned int
columns(const struct sweep *s)
{
	return sweep_axes(s) > 0 ? s->grid.vary[0].n : 1;
}

/* Write the mean of a group and the ends of its confidence interval, NaN where there is none. */
static void
write_mean(struct lab_picture *p, const struct sweep *s, unsigned int group, const char *name,
		double divisor)
{
	struct sweep_mean m;

	if (!sweep_group_mean(s, group, name, &m))
		fputs("NaN NaN NaN ", p->out);
	else if (m.ci95 < 0)
		fprintf(p->out, "%.6g NaN NaN ", m.mean / divisor);
	else
		fprintf(p->out, "%.6g %.6g %.6g ", m.mean / divisor, (m.mean - m.ci95) / divisor,
				(m.mean + m.ci95) / divisor);
}

static void
write_panel(struct lab_picture *p, const struct sweep *s, unsigned int panel, const char *name,
		unsigned int lines)
{
	struct lab_unit unit = unit_of(s, name);
	const char *text = lab_summary_text(name) != NULL ? lab_summary_text(name) : name;
	unsigned int stride = sweep_groups(s) / columns(s);
	char key[32], label[160];

	snprintf(key, sizeof(key), "metric%u", panel);
	lab_picture_data(p, key);
	for (unsigned int x = 0; x < columns(s); x++) {
		lab_picture_cell(p, sweep_axes(s) > 0 ? s->grid.vary[0].value[x] : "all seeds");
		for (unsigned int i = 0; i < lines; i++)
			write_mean(p, s, x * stride + i, name, unit.divisor);
		fputc('\n', p->out);
	}
	lab_picture_data_end(p);
	snprintf(label, sizeof(label), unit.name[0] != '\0' ? "%.*s (%s)" : "%.*s",
			(int)(unit.name[0] != '\0' ? strcspn(text, "(") -
									(strchr(text, '(') != NULL)
						   : strlen(text)),
			text, unit.name);
	snprintf(key, sizeof(key), "panel_%u", panel);
	lab_picture_text(p, key, label);
}

/* Choose the metrics to draw: those of the options, or those of the summary that a run has. */
static unsigned int
choose(const struct sweep *s, const char **name)
{
	static const char *const usual[] = {"peak", "p99", "goodput_bps", "slowdown_p99"};
	struct sweep_mean mean;
	unsigned int n = 0;

	for (unsigned int i = 0; i < s->n_metrics && n < PANELS_MAX; i++)
		name[n++] = s->metric[i];
	for (unsigned int i = 0; s->n_metrics == 0 && i < PANELS_MAX; i++)
		for (unsigned int g = 0; g < sweep_groups(s); g++)
			if (sweep_group_mean(s, g, usual[i], &mean)) {
				name[n++] = usual[i];
				break;
			}
	return n;
}

static const char *
title_of(const struct sweep *s)
{
	for (unsigned int i = 0; i < s->n_points; i++) {
		const char *title = json_string_value(json_object_get(s->run[i].result, "title"));

		if (title != NULL && *title != '\0')
			return title;
	}
	return s->scenario;
}

int
sweep_plot(const struct sweep *s, const char *dir, FILE *err)
{
	unsigned int lines = sweep_groups(s) / columns(s), panels;
	const char *name[PANELS_MAX];
	struct lab_picture p;
	char text[160], key[32];

	panels = choose(s, name);
	if (panels == 0)
		return 0;
	if (lab_picture_begin(&p, dir, "sweep", err) != 0)
		return -1;
	lines = lines < LINES_MAX ? lines : LINES_MAX;
	lab_picture_text(&p, "heading", title_of(s));
	snprintf(text, sizeof(text),
			"means of %u seeds with 95 %% confidence intervals; virtual time",
			s->n_seeds);
	lab_picture_text(&p, "subheading", s->means ? text : "virtual time");
	lab_picture_count(&p, "high", PANEL_HIGH * ((panels + 1) / 2) + (panels == 1 ? 240 : 100));
	for (unsigned int i = 0; i < panels; i++)
		write_panel(&p, s, i + 1, name[i], lines);
	lab_picture_count(&p, "panels", panels);
	for (unsigned int i = 0; i < lines; i++) {
		sweep_grid_label(&s->grid, i * s->n_seeds, 1, sweep_axes(s), " ", text,
				sizeof(text));
		snprintf(key, sizeof(key), "line_%u", i + 1);
		lab_picture_text(&p, key, text);
	}
	lab_picture_count(&p, "lines", lines);
	lab_picture_count(&p, "points", columns(s));
	lab_picture_text(&p, "x_label", sweep_axes(s) > 0 ? s->grid.vary[0].name : "");
	return lab_picture_end(&p, lab_gp_sweep);
}
