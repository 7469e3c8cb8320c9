/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The table of a sweep, and the number of its runs that do not meet their expectations. */

#include "summary.h"
#include "sweep_private.h"

size_t
sweep_broken(const struct sweep_run *run)
{
	return json_array_size(json_object_get(run->result, "violations"));
}

bool
sweep_as_expected(const struct sweep_run *run)
{
	bool hold;

	json_decref(lab_summary_expectations(run->result, &hold));
	return hold;
}

/*
 * Make the row of a run. If the run failed, the row has its parameters and the reason. If
 * expectations do not hold, the row says how many do.
 */
static json_t *
row_of(const struct sweep *s, unsigned int point)
{
	const struct sweep_run *run = &s->run[point];
	json_t *row = json_object(), *summary, *expected;
	char err[256];
	double value;
	bool hold;

	for (unsigned int v = 0; v < s->grid.n; v++)
		json_object_set_new(row, s->grid.vary[v].name,
				json_string(sweep_grid_value(&s->grid, point, v)));
	if (run->result == NULL) {
		json_object_set_new(row, "failed",
				json_string(run->failure != NULL ? run->failure : "not run"));
		return row;
	}
	summary = lab_summary(run->result);
	if (s->n_metrics == 0)
		json_object_update_missing(row, summary);
	for (unsigned int i = 0; i < s->n_metrics; i++)
		if (lab_summary_metric(run->result, summary, s->metric[i], &value, err,
				    sizeof(err)) == 0)
			json_object_set_new(row, s->metric[i], lab_number(value));
		else
			json_object_set_new(row, "failed", json_string(err));
	json_decref(summary);
	expected = lab_summary_expectations(run->result, &hold);
	if (expected != NULL && !hold)
		json_object_set(row, "expectations", expected);
	json_decref(expected);
	if (sweep_broken(run) > 0)
		json_object_set_new(row, "violations", json_integer((json_int_t)sweep_broken(run)));
	return row;
}

json_t *
sweep_rows(const struct sweep *s)
{
	json_t *list = json_array();

	for (unsigned int i = 0; i < s->n_points; i++)
		json_array_append_new(list, row_of(s, i));
	return list;
}
