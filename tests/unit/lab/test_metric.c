/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Numbers of a result by their paths, and what is said of those that are not there. */

#include <errno.h>

#include "fcn_test.h"
#include "metric.h"
#include "report.h"

static json_t *
sample(void)
{
	return json_pack("{s:{s:{s:{s:i}, s:{s:i}, s:{s:i}}}, s:[{s:f}, {s:f}], s:b, s:b, s:s, "
			 "s:n, s:{}}",
			"queue", "s1", "p1.100", "peak", 20, "p1", "peak", 10, "p1.1", "peak", 30,
			"flows", "jain", 0.5, "jain", 0.25, "interrupted", 1, "ok", 0, "title", "x",
			"null", "empty");
}

TEST(values)
{
	static const struct {
		const char *path;
		double value;
	} want[] = {{"queue.s1.p1.peak", 10}, {"queue.s1.p1.100.peak", 20},
			{"queue.s1.p1.1.peak", 30}, {"flows.0.jain", 0.5}, {"flows.1.jain", 0.25},
			{"flows", 2}, {"interrupted", 1}, {"ok", 0}};
	json_t *r = sample();
	char err[256] = "";
	double value;

	assert_non_null(r);
	for (unsigned int i = 0; i < RTE_DIM(want); i++) {
		assert_int_equal(lab_metric(r, want[i].path, &value, err, sizeof(err)), 0);
		assert_true(value >= want[i].value && value <= want[i].value);
	}
	assert_string_equal(err, "");
	json_decref(r);
}

/* "generator" was called "spray" once. */
TEST(old_name)
{
	json_t *r = json_pack("{s:{s:{s:i}}}", "generator", "many", "early", 7);
	char err[256] = "";
	double value = 0;

	assert_int_equal(lab_metric(r, "generator.many.early", &value, err, sizeof(err)), 0);
	assert_true(value >= 7 && value <= 7);
	value = 0;
	assert_int_equal(lab_metric(r, "spray.many.early", &value, err, sizeof(err)), 0);
	assert_true(value >= 7 && value <= 7);
	assert_int_equal(lab_metric(r, "sprays.many.early", &value, err, sizeof(err)), -ENOENT);
	json_decref(r);
}

TEST(errors)
{
	static const struct {
		const char *path, *err;
	} want[] = {
			{"queues.s1", "queues.s1: no such metric; there is queue, flows, "
				      "interrupted, ok, title, null, empty"},
			{"queue.s2.p1", "queue.s2.p1: no such metric; queue has s1"},
			{"queue.s1.p2", "queue.s1.p2: no such metric; queue.s1 has p1.100, p1, "
					"p1.1"},
			{"queue.s1.p1", "queue.s1.p1: is not a number; queue.s1.p1 has peak"},
			{"queue.s1.p1.peak.x", "queue.s1.p1.peak.x: no such metric; "
					       "queue.s1.p1.peak has no members"},
			{"flows.2.jain", "flows.2.jain: no such metric; flows has 2 "
					 "members, counted from 0"},
			{"flows.x", "flows.x: no such metric; flows has 2 members, counted from 0"},
			{"flows.99999999999",
					"flows.99999999999: no such metric; flows has 2 members, "
					"counted from 0"},
			{"title", "title: is not a number but \"x\""},
			{"null", "null: is not a number but \"null\""},
			{"empty", "empty: is not a number; empty has no members"},
			{"", ": no such metric; there is queue, flows, interrupted, ok, title, "
			     "null, "
			     "empty"},
			{"queue.", "queue.: no such metric; queue has s1"},
			{"queue..s1", "queue..s1: no such metric; queue has s1"},
	};
	json_t *r = sample();
	char err[256];
	double value;

	for (unsigned int i = 0; i < RTE_DIM(want); i++) {
		assert_int_equal(lab_metric(r, want[i].path, &value, err, sizeof(err)), -ENOENT);
		assert_string_equal(err, want[i].err);
	}
	/* room for little */
	for (size_t size = 1; size < 60; size++) {
		memset(err, 'x', sizeof(err));
		lab_metric(r, "queue.s1.p2", &value, err, size);
		assert_true(strlen(err) < size);
	}
	json_decref(r);
}

/* Times and rates have four digits in tables; the largest number there is has no greater one to be
 * rounded to. */
TEST(rounded)
{
	static const struct {
		const char *key;
		json_int_t value, want;
	} row[] = {{"a_ns", 123456, 123500}, {"b_bps", 99999, 100000}, {"c", 123456, 123456},
			{"d_ns", 9999, 9999}, {"e_ns", -123456, -123456},
			{"f_bps", INT64_MAX, INT64_C(9223000000000000000)}};

	for (unsigned int i = 0; i < RTE_DIM(row); i++) {
		json_t *list = json_pack("[{s:I}]", row[i].key, row[i].value);
		json_t *rounded = lab_rounded(list);

		assert_int_equal(json_integer_value(json_object_get(
						 json_array_get(rounded, 0), row[i].key)),
				row[i].want);
		json_decref(rounded);
		json_decref(list);
	}
}
