/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Filters behind a `show`. */

#include <errno.h>
#include <stdlib.h>

#include <rte_common.h>

#include "commands.h"
#include "fcn_filter.h"

static const char text[] = "port  state\n"
			   "p1    up\n"
			   "p2    down\n"
			   "p3    up\n"
			   "last, without an end";

static void
expect(const char *line, const char *expected)
{
	struct fcn_filters filters;
	struct fcn_diag diag = {0};
	char *out = NULL;
	size_t len;
	FILE *stream = open_memstream(&out, &len);

	assert_non_null(stream);
	if (fcn_filters_read(line, &filters, &diag) != 0)
		fail_msg("\"%s\": column %u: %s", line, diag.column, diag.message);
	assert_int_equal(fcn_filters_apply(&filters, text, strlen(text), stream), 0);
	fclose(stream);
	assert_string_equal(out, expected);
	free(out);
}

static void
refuse(const char *line, unsigned int column, const char *message)
{
	struct fcn_filters filters;
	struct fcn_diag diag = {0};

	if (fcn_filters_read(line, &filters, &diag) == 0 || diag.column != column ||
			strstr(diag.message, message) != diag.message)
		fail_msg("\"%s\": column %u: %s", line, diag.column, diag.message);
}

TEST(lines)
{
	expect("show port", text);
	expect("show port | include p1", "p1    up\n");
	expect("show port | include p1|p2", "p1    up\np2    down\n");
	expect("show port | include ^p[12] +(up|down)$", "p1    up\np2    down\n");
	expect("show port | exclude up$ | exclude ^port", "p2    down\nlast, without an end");
	expect("show port | include p. | exclude down | inc 3 # none but it", "p3    up\n");
	expect("show port | include last", "last, without an end");
	expect("show port | include nothing", "");
	expect("show port | include \\{", "");
	expect("\tsh port\t|\tex\tp", "last, without an end");
	/* one bar, and not a bar that stands alone */
	expect("show port |include p1", text);
	expect("show port a| include p1", text);
	/* no other command has filters: a text may have a bar */
	expect("capture start filter a | include p1", text);
}

TEST(find)
{
	static const struct {
		const char *line;
		size_t at;
	} lines[] = {
			{"show port | include p1", 10},
			{"show port # | include p1", 24},
			{"s | json", 2},
			{"shows | json", 12},
			{"| json", 6},
			{"", 0},
			{"show port |", 10},
	};

	for (unsigned int i = 0; i < RTE_DIM(lines); i++)
		assert_int_equal(fcn_filters_find(lines[i].line), lines[i].at);
}

TEST(json)
{
	struct fcn_filters filters;
	struct fcn_diag diag;

	assert_int_equal(fcn_filters_read("show port | j | include p", &filters, &diag), 0);
	assert_true(filters.json);
	assert_int_equal(filters.n, 1);
	assert_int_equal(fcn_filters_read("show port | include json", &filters, &diag), 0);
	assert_false(filters.json);
}

TEST(refused)
{
	char line[256];

	refuse("show port |", 11, "expected include, exclude or json behind |");
	refuse("show port | | json", 11, "expected include, exclude or json behind |");
	refuse("show port | # json", 11, "expected include, exclude or json behind |");
	refuse("show port | includ", 19, "expected <regex:text>");
	refuse("show port | grep p1", 13,
			"did you mean include? expected include, exclude or json, found \"grep\"");
	refuse("show port | json now", 18, "expected end of line, found \"now\"");
	refuse("show port | include (p1", 21, "not a regular expression: ");
	refuse("show port | include p | exclude [", 33, "not a regular expression: ");
	/* what may take without limit */
	refuse("show port | include (a{1,255}){1,255}", 21, "repetition counts");
	refuse("show port | include (a*)\\1", 21, "repetition counts");
	snprintf(line, sizeof(line), "show port | include %0128d", 1);
	refuse(line, 21, "a regular expression has at most 127 bytes");
	refuse("show x | json | json | json | inc 1 | inc 2 | inc 3 | inc 4 | inc 5 | inc 6 | "
	       "inc 7 | inc 8 | inc 9",
			93, "there are more than 8 filters");
}

/* More lines than one cache of the expression is for. */
TEST(many_lines)
{
	const struct fcn_filters filters = {.list = {{false, "^[0-9]*7$"}}, .n = 1};
	char *in = NULL, *out = NULL;
	size_t in_len, out_len, lines = 0;
	FILE *stream = open_memstream(&in, &in_len);

	for (int i = 0; i < 20000; i++)
		fprintf(stream, "%d\n", i);
	fclose(stream);
	stream = open_memstream(&out, &out_len);
	assert_int_equal(fcn_filters_apply(&filters, in, in_len, stream), 0);
	fclose(stream);
	for (size_t i = 0; i < out_len; i++)
		lines += out[i] == '\n';
	assert_int_equal(lines, 2000);
	free(in);
	free(out);
}
