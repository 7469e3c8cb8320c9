/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The table of a sweep, of results made by hand: what went wrong in a run stands in its row. */

#include "fcn_test.h"

#include "sweep_private.h"

static void
test_rows(void **state)
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
	struct sweep s = {.run = run, .n_points = RTE_DIM(run)};
	char err[256];
	json_t *rows, *want;

	RTE_SET_USED(state);
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

int
main(void)
{
	static const struct CMUnitTest tests[] = {
			cmocka_unit_test(test_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
