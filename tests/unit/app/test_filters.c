/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Filters and abbreviations in a session. */

#include <jansson.h>

#include "app_util.h"

static void
setup_ports(void)
{
	app_ok("port add p0");
	app_ok("port add p1");
}

static unsigned int
lines(void)
{
	unsigned int n = 0;

	for (const char *p = app_output(); *p != '\0'; p++)
		n += *p == '\n';
	return n;
}

TEST_FIXTURE(APP_TEST, .setup = app_setup, .teardown = app_teardown);

TEST(lines)
{
	setup_ports();
	app_ok("show config | include ^port.add");
	assert_string_equal(app_output(), "port add p0\nport add p1\n");
	app_ok("sh conf | inc ^port | exc p0$");
	assert_string_equal(app_output(), "port add p1\n");
	app_ok("show config | include nothing at all");
	assert_string_equal(app_output(), "");
	app_ok("show drops # | include nothing");
	assert_true(lines() > 0);
}

TEST(json)
{
	json_t *value;

	setup_ports();
	app_ok("show port | json");
	value = json_loads(app_output(), 0, NULL);
	assert_non_null(value);
	assert_int_equal(json_array_size(value), 2);
	json_decref(value);
	app_ok("show port | json | include \"port\": ");
	assert_int_equal(lines(), 2);
	app_ok("show port"); /* it is for one line */
	assert_null(json_loads(app_output(), 0, NULL));
}

TEST(errors)
{
	setup_ports();
	assert_int_not_equal(app_line("show prot | json"), 0);
	assert_ptr_equal(strstr(app_output(), "column 6: did you mean port? "), app_output());
	assert_non_null(strstr(app_output(), "found \"prot\"\n"));
	assert_int_not_equal(app_line("show | json"), 0);
	assert_non_null(strstr(app_output(), "found end of line\n"));
	assert_int_not_equal(app_line("show port p9 | json"), 0);
	assert_string_equal(app_output(), "column 11: there is no port p9\n");
	assert_int_not_equal(app_line("show port | include ("), 0);
	assert_ptr_equal(strstr(app_output(), "column 21: not a regular expression"), app_output());
	/* only a show has filters, and it is not run if they are wrong */
	assert_int_not_equal(app_line("clear counters | include x"), 0);
	assert_non_null(strstr(app_output(), "found \"|\""));
	assert_int_not_equal(app_line("st"), 0);
	assert_string_equal(app_output(), "column 1: \"st\" is ambiguous: start or stop\n");
}

/* Who knows other switches is told what a command is called here. What they type is no command, and
 * a mistake in a command that there is, is told as before. */
TEST(words_of_others)
{
	static const char *const said[][2] = {
			{"show interfaces", "column 6: did you mean show port? expected "},
			{"show interf p0", "column 6: did you mean show port? expected "},
			{"write memory", "column 1: did you mean save, or save FILE? expected "},
			{"configure terminal", "column 1: did you mean set? expected "},
			{"port stop all", "column 6: did you mean stop? expected "},
			{"show prot", "column 6: did you mean port? expected "},
			{"wr", "column 1: expected "},
	};

	for (size_t i = 0; i < RTE_DIM(said); i++) {
		assert_int_not_equal(app_line(said[i][0]), 0);
		if (strncmp(app_output(), said[i][1], strlen(said[i][1])) != 0)
			fail_msg("%s: %s", said[i][0], app_output());
	}
}
