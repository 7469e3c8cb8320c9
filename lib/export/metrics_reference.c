/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The declarations of metrics as tables of the documentation: by metric, and by place in `show`. */

#include <stdbool.h>
#include <string.h>

#include "fcn_capture_control.h"
#include "fcn_episode.h"
#include "fcn_metrics.h"
#include "fcn_rates.h"

#define TYPE(m) ((const char *const[]){"counter", "gauge", "histogram", "info"}[(m)->type])

/* What OpenMetrics appends to the name of a sample. */
static const char *
suffix_of(const struct fcn_metric *m)
{
	if (m->type == FCN_METRIC_COUNTER)
		return "_total";
	return m->type == FCN_METRIC_INFO ? "_info" : "";
}

void
fcn_metrics_reference(FILE *out)
{
	const struct fcn_metric_rows *r;
	const struct fcn_metric *m;

	fputs("| metric | type | labels | meaning | from |\n|---|---|---|---|---|\n", out);
	FCN_METRIC_FOREACH (r, m) {
		fprintf(out,
				"| `" FCN_METRICS_PREFIX
				"%s%s` | %s | %s%s%s | %s | `show %s`%s%s%s%s |\n",
				m->name, suffix_of(m), TYPE(m), r->labels,
				m->each != NULL ? " " : "", m->each != NULL ? m->each : "", m->help,
				r->show, m->member != NULL ? ", " : "",
				r->rows != NULL ? r->rows : "", r->rows != NULL ? "." : "",
				m->member != NULL ? m->member : "");
	}
}

static bool
is_same(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Whether two rows are the same ones of a `show`. */
static bool
is_together(const struct fcn_metric_rows *a, const struct fcn_metric_rows *b)
{
	return is_same(a->show, b->show) && is_same(a->rows, b->rows) &&
	       is_same(a->labels, b->labels);
}

static void
print_heading(FILE *out, const struct fcn_metric_rows *r)
{
	fprintf(out, "\n### `show %s`", r->show);
	if (r->rows != NULL)
		fprintf(out, ", `%s`", r->rows);
	if (r->of == FCN_METRIC_OF_SUB_INTERFACE)
		fputs(" of sub-interfaces", out);
	if (r->of == FCN_METRIC_OF_BRIDGE_INTERFACE)
		fputs(" of interfaces of bridges", out);
	fputs("\n\n| name | metric | meaning |\n|---|---|---|\n", out);
}

void
fcn_counters_reference(FILE *out)
{
	const struct fcn_metric_rows *r, *last = NULL;
	const struct fcn_metric *m;

	FCN_METRIC_FOREACH (r, m) {
		if (m->member == NULL)
			continue;
		if (last == NULL || !is_together(last, r))
			print_heading(out, r);
		last = r;
		fprintf(out, "| `%s` | `" FCN_METRICS_PREFIX "%s%s` | %s |\n", m->member, m->name,
				suffix_of(m), m->help);
	}
#define NAMED(member, name, text) fprintf(out, "| `%s` | %s |\n", name, text);
	fputs("\n### `show episodes`\n\n| name | meaning |\n|---|---|\n", out);
	FCN_EPISODE_COUNTERS(NAMED)
	FCN_EPISODE_ARRIVAL_COUNTERS(NAMED)
	fputs("\n### `show capture`\n\n| name | meaning |\n|---|---|\n", out);
	FCN_CAPTURE_COUNTERS(NAMED)
	fputs("\n### `show rates`, `ports`\n\n| name | meaning, per second |\n|---|---|\n", out);
	FCN_PORT_RATES(NAMED)
	fputs("\n### `show rates`, `queues`\n\n| name | meaning, per second |\n|---|---|\n", out);
	FCN_QUEUE_RATES(NAMED)
#undef NAMED
}
