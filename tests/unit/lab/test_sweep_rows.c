/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The table of a sweep, of results made by hand: what went wrong in a run stands in its row, and
 * means of several seeds have confidence intervals.
 */

#include "fcn_test.h"

#include <string.h>

#include "sweep_private.h"

TEST(rows)
{
	char reason[] = "no such value";
	struct sweep_run run[] = {
			{.result = json_pack("{s:[{s:b}]}", "expectations", "ok", 1)},
			{.result = json_pack(
					 "{s:[{s:b},{s:b}]}", "expectations", "ok", 1, "ok", 0)},
			{.result = json_pack(
					 "{s:[s,s]}", "violations", "5 ns: one", "6 ns: another")},
			{.failure = reason},
	};
	struct sweep s = {.run = run, .n_points = RTE_DIM(run), .n_seeds = 1};
	char err[256];
	json_t *rows, *want;

	assert_int_equal(sweep_grid_add(&s.grid, "x=1,2,3,4", err, sizeof(err)), 0);
	rows = sweep_rows(&s);
	want = json_pack("[{s:s},{s:s,s:s},{s:s,s:i},{s:s,s:s}]", "x", "1", "x", "2",
			"expectations", "1 of 2", "x", "3", "violations", 2, "x", "4", "failed",
			reason);
	assert_non_null(want);
	assert_true(json_equal(rows, want));
	json_decref(rows);
	json_decref(want);
	for (unsigned int i = 0; i < RTE_DIM(run); i++) {
		assert_int_equal(sweep_broken(&run[i]), i == 2 ? 2 : 0);
		assert_int_equal(sweep_as_expected(&run[i]), i != 1);
		json_decref(run[i].result);
	}
	sweep_grid_free(&s.grid);
}

/*
 * Means of two groups of three seeds. By hand: 10, 20, 30 have the mean 20 and the standard
 * deviation 10, and t is 4.30265 for two degrees of freedom: 4.30265 * 10 / sqrt(3) = 24.8414. 1
 * and 3 have the mean 2 and the standard deviation sqrt(2): 12.7062 * sqrt(2) / sqrt(2) = 12.7062.
 */
TEST(means)
{
	char reason[] = "no such value";
	struct sweep_run run[] = {
			{.result = json_pack("{s:i,s:i}", "peak", 10, "some_ns", 1)},
			{.result = json_pack(
					 "{s:i,s:[{s:b}]}", "peak", 30, "expectations", "ok", 0)},
			{.result = json_pack("{s:i,s:i}", "peak", 20, "some_ns", 3)},
			{.result = json_pack("{s:i}", "peak", 7)},
			{.failure = reason},
			{.result = json_pack("{s:[s]}", "violations", "5 ns: one")},
	};
	struct sweep s = {.run = run,
			.n_points = RTE_DIM(run),
			.metric = {"peak", "some_ns"},
			.n_metrics = 2};
	const json_t *row;
	char err[256];
	json_t *rows, *text, *want;

	assert_int_equal(sweep_grid_add(&s.grid, "seed=1..3", err, sizeof(err)), 0);
	assert_int_equal(sweep_grid_add(&s.grid, "x=a,b", err, sizeof(err)), 0);
	s.n_seeds = sweep_grid_seeds_last(&s.grid);
	s.means = true;
	rows = sweep_mean_rows(&s);
	assert_int_equal(json_array_size(rows), 2);
	row = json_array_get(rows, 0);
	assert_string_equal(json_string_value(json_object_get(row, "x")), "a");
	assert_int_equal(json_integer_value(json_object_get(row, "runs")), 3);
	assert_int_equal(json_integer_value(json_object_get(row, "peak")), 20);
	assert_float_equal(json_real_value(json_object_get(row, "peak_ci95")), 24.8414, 0.0001);
	assert_null(json_object_get(row, "peak_runs"));
	assert_int_equal(json_integer_value(json_object_get(row, "some_ns")), 2);
	assert_float_equal(json_real_value(json_object_get(row, "some_ns_ci95")), 12.7062, 0.0001);
	assert_int_equal(json_integer_value(json_object_get(row, "some_ns_runs")), 2);
	text = sweep_mean_text(rows);
	want = json_pack("[{s:s,s:i,s:s,s:s,s:s},{s:s,s:i,s:s,s:s,s:i}]", "x", "a", "runs", 3,
			"peak", "20 +- 25", "some_ns", "2ns +- 13ns (2 of 3)", "expectations",
			"met by 2 of 3", "x", "b", "runs", 3, "peak", "7 (1 of 3)", "failed",
			"1 of 3: no such value", "violations", 1);
	assert_non_null(want);
	if (!json_equal(text, want))
		json_dumpf(text, stderr, JSON_INDENT(2));
	assert_true(json_equal(text, want));
	json_decref(want);
	json_decref(text);
	json_decref(rows);
	for (unsigned int i = 0; i < RTE_DIM(run); i++)
		json_decref(run[i].result);
	sweep_grid_free(&s.grid);
}

/* The t distribution, against quantiles that tables have: the standard deviation is 1 or so. */
TEST(intervals)
{
	static const struct {
		unsigned int n;
		double t;
	} table[] = {{2, 12.7062}, {5, 2.77645}, {11, 2.22814}, {12, 2.20099}, {21, 2.08596},
			{31, 2.04227}, {61, 2.00030}, {121, 1.97993}};
	double value[121];

	for (unsigned int i = 0; i < RTE_DIM(table); i++) {
		const unsigned int n = table[i].n;
		struct sweep_mean m;

		/* One value is n, the others 0: the mean is 1, the variance n, that of the mean 1.
		 */
		memset(value, 0, sizeof(value));
		value[n / 2] = n;
		m = sweep_mean_of(value, n);
		assert_int_equal(m.n, n);
		assert_float_equal(m.mean, 1, 1e-12);
		assert_float_equal(m.ci95, table[i].t, 0.0002);
	}
	assert_true(sweep_mean_of(value, 1).ci95 < 0);
}
