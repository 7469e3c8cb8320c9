/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Combinations of a sweep. */

#include "fcn_test.h"
#include "sweep_private.h"

TEST(combinations)
{
	static const char *const want[] = {"n=2 k=10K m=a", "n=2 k=10K m=b", "n=2 k=10K m=c",
			"n=4 k=10K m=a", "n=4 k=10K m=b", "n=4 k=10K m=c"};
	struct sweep_grid g = {0};
	char err[256] = "", label[64];

	assert_int_equal(sweep_grid_add(&g, "n=2,4", err, sizeof(err)), 0);
	assert_int_equal(sweep_grid_add(&g, "k=10K", err, sizeof(err)), 0);
	assert_int_equal(sweep_grid_add(&g, "m=a,b,c", err, sizeof(err)), 0);
	assert_int_equal(sweep_grid_points(&g), 6);
	for (unsigned int i = 0; i < 6; i++) {
		sweep_grid_label(&g, i, 0, 3, " ", label, sizeof(label));
		assert_string_equal(label, want[i]);
	}
	sweep_grid_label(&g, 5, 1, 3, ",", label, sizeof(label));
	assert_string_equal(label, "k=10K,m=c");
	assert_string_equal(sweep_grid_value(&g, 4, 0), "4");
	sweep_grid_free(&g);
}

/* A range stands for its numbers; the seed, wherever it is given, changes fastest. */
TEST(seeds)
{
	static const char *const want[] = {"n=2 k=x..y seed=9", "n=2 k=x..y seed=10",
			"n=2 k=x..y seed=11", "n=2 k=x..y seed=40", "n=3 k=x..y seed=9"};
	struct sweep_grid g = {0};
	char err[256] = "", label[64];

	assert_int_equal(sweep_grid_add(&g, "n=2..3", err, sizeof(err)), 0);
	assert_int_equal(sweep_grid_seeds_last(&g), 1);
	assert_int_equal(sweep_grid_add(&g, "seed=9..11,40", err, sizeof(err)), 0);
	assert_int_equal(sweep_grid_add(&g, "k=x..y", err, sizeof(err)), 0);
	assert_int_equal(sweep_grid_seeds_last(&g), 4);
	assert_int_equal(sweep_grid_points(&g), 8);
	for (unsigned int i = 0; i < RTE_DIM(want); i++) {
		sweep_grid_label(&g, i, 0, 3, " ", label, sizeof(label));
		assert_string_equal(label, want[i]);
	}
	sweep_grid_free(&g);
}

TEST(mistakes)
{
	static const struct {
		const char *text, *err;
	} bad[] = {{"n", "--vary n: the argument must be NAME=V1,V2,..."},
			{"=1", "--vary =1: the argument must be NAME=V1,V2,..."},
			{"m=", "--vary m=: a value is empty or given twice"},
			{"m=1,,2", "--vary m=1,,2: a value is empty or given twice"},
			{"m=1,2,1", "--vary m=1,2,1: a value is empty or given twice"},
			{"m=5..1", "--vary m=5..1: a range must have 1 to 100000 values, the "
				   "smallest first"},
			{"m=1..100001", "--vary m=1..100001: a range must have 1 to 100000 values, "
					"the smallest first"},
			{"m=1..3,2", "--vary m=1..3,2: a value is empty or given twice"},
			{"n=5", "--vary n: the parameter is varied twice"}};
	char err[256];

	for (unsigned int i = 0; i < RTE_DIM(bad); i++) {
		struct sweep_grid g = {0};

		assert_int_equal(sweep_grid_add(&g, "n=1", err, sizeof(err)), 0);
		assert_int_equal(sweep_grid_add(&g, bad[i].text, err, sizeof(err)), -1);
		assert_string_equal(err, bad[i].err);
		sweep_grid_free(&g);
	}
}

/* 8 parameters of 10 values are more than anybody waits for. */
TEST(too_many)
{
	struct sweep_grid g = {0};
	char err[256], text[64];

	for (unsigned int i = 0; i < SWEEP_VARY_MAX; i++) {
		snprintf(text, sizeof(text), "p%u=0,1,2,3,4,5,6,7,8,9", i);
		assert_int_equal(sweep_grid_add(&g, text, err, sizeof(err)), 0);
		assert_int_equal(sweep_grid_points(&g), i == 0   ? 10
							: i == 1 ? 100
							: i == 2 ? 1000
							: i == 3 ? 10000
							: i == 4 ? 100000
								 : 0);
	}
	assert_int_equal(sweep_grid_add(&g, "x=1", err, sizeof(err)), -1);
	assert_string_equal(err, "--vary: more than 8 parameters");
	sweep_grid_free(&g);
}
