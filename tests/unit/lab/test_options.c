/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The command line of a run. */

#include "fcn_test.h"
#include "main.h"

#define PARSE(opt, ...)                                               \
	({                                                            \
		char *argv[] = {__VA_ARGS__, NULL};                   \
		lab_options_parse(opt, (int)RTE_DIM(argv) - 1, argv); \
	})

TEST(all)
{
	char one[] = "n=4", two[] = "rate=a=b", three[] = "none=";
	struct lab_options opt;

	assert_int_equal(PARSE(&opt, "fastcn-lab", "--set", one, "x.lab", "--seed", "7", "--set",
					 two, "--check", "--out", "dir", "--json", "-", "--quiet",
					 "--no-plots", "--report", "x.html", "--set", three),
			0);
	assert_string_equal(opt.scenario, "x.lab");
	assert_int_equal(opt.n_set, 5);
	assert_string_equal(opt.set[0].name, "n");
	assert_string_equal(opt.set[0].value, "4");
	assert_string_equal(opt.set[1].name, "seed");
	assert_string_equal(opt.set[1].value, "7");
	assert_string_equal(opt.set[2].name, "rate");
	assert_string_equal(opt.set[2].value, "a=b");
	assert_string_equal(opt.set[3].name, "check");
	assert_string_equal(opt.set[3].value, "on");
	assert_string_equal(opt.set[4].value, "");
	assert_string_equal(opt.out, "dir");
	assert_string_equal(opt.json, "-");
	assert_string_equal(opt.report, "x.html");
	assert_true(opt.quiet && opt.no_plots && !opt.help);
}

TEST(least)
{
	struct lab_options opt;

	assert_int_equal(PARSE(&opt, "fastcn-lab", "x.lab"), 0);
	assert_int_equal(opt.n_set, 0);
	assert_true(opt.out == NULL && opt.json == NULL && !opt.quiet && !opt.no_plots);
	assert_int_equal(PARSE(&opt, "fastcn-lab", "--help"), 0);
	assert_true(opt.help);
}

TEST(bad)
{
	char no_value[] = "n", no_name[] = "=4";
	struct lab_options opt;

	assert_int_equal(PARSE(&opt, "fastcn-lab", "--set", no_value, "x.lab"), -1);
	assert_int_equal(PARSE(&opt, "fastcn-lab", "--set", no_name, "x.lab"), -1);
	assert_int_equal(PARSE(&opt, "fastcn-lab", "--quiet"), -1);
	assert_int_equal(PARSE(&opt, "fastcn-lab", "x.lab", "y.lab"), -1);
	assert_int_equal(PARSE(&opt, "fastcn-lab", "--nonsense", "x.lab"), -1);
	assert_int_equal(PARSE(&opt, "fastcn-lab", "x.lab", "--out"), -1);
}
