/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The last lines of a log, in the order in which they came. */

#include <string.h>

#include "fcn_log_lines.h"
#include "fcn_test.h"

static struct fcn_log_lines *lines;

static int
setup(void **state)
{
	RTE_SET_USED(state);
	lines = fcn_log_lines_create();
	return lines == NULL ? -1 : 0;
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_log_lines_free(lines);
	return 0;
}

TEST_FIXTURE(.setup = setup, .teardown = teardown);

static void
add(const char *text, uint64_t epoch_ns)
{
	fcn_log_lines_add(lines, text, strlen(text), epoch_ns);
}

static void
check(unsigned int last, json_t *want)
{
	json_t *v = fcn_log_lines_show(lines, last);

	assert_non_null(want);
	assert_true(json_equal(v, want));
	json_decref(v);
	json_decref(want);
}

/* 1700000000 s are 2023-11-14T22:13:20Z, as date -u -d @1700000000 says. */
TEST(lines)
{
	check(10, json_array());
	add("first\nsecond\n\n", 1700000000123456789);
	add("no end", 1700000001000000000);
	add("p1: \x1b[31m\xff\n", 1700000001999999999);
	check(10, json_pack("[{s:s, s:s}, {s:s, s:s}, {s:s, s:s}, {s:s, s:s}]", "time",
				  "2023-11-14T22:13:20.123Z", "message", "first", "time",
				  "2023-11-14T22:13:20.123Z", "message", "second", "time",
				  "2023-11-14T22:13:21.000Z", "message", "no end", "time",
				  "2023-11-14T22:13:21.999Z", "message", "p1: ?[31m?"));
	check(1, json_pack("[{s:s, s:s}]", "time", "2023-11-14T22:13:21.999Z", "message",
				 "p1: ?[31m?"));
	check(0, json_array());
}

/* What is too long is cut off, and of too many lines the last are there. */
TEST(bounds)
{
	char text[2 * FCN_LOG_LINE_MAX];
	json_t *v;

	memset(text, 'x', sizeof(text));
	fcn_log_lines_add(lines, text, sizeof(text), 0);
	v = fcn_log_lines_show(lines, 1);
	assert_int_equal(json_string_length(json_object_get(json_array_get(v, 0), "message")),
			FCN_LOG_LINE_MAX - 1);
	json_decref(v);
	for (unsigned int i = 0; i < 3 * FCN_LOG_LINES + 5; i++) {
		snprintf(text, sizeof(text), "%u\n", i);
		add(text, 0);
	}
	v = fcn_log_lines_show(lines, UINT32_MAX);
	assert_int_equal(json_array_size(v), FCN_LOG_LINES);
	for (unsigned int i = 0; i < FCN_LOG_LINES; i++) {
		snprintf(text, sizeof(text), "%u", 2 * FCN_LOG_LINES + 5 + i);
		assert_string_equal(
				json_string_value(json_object_get(json_array_get(v, i), "message")),
				text);
	}
	json_decref(v);
	v = fcn_log_lines_show(NULL, 5); /* a program without a log */
	assert_int_equal(json_array_size(v), 0);
	json_decref(v);
}
