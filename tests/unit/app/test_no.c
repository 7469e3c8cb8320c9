/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* `no` in front of a command takes back what the command has set or added. */

#include <stdlib.h>

#include "app_util.h"
#include "config_same.h"
#include "fcn_command_form.h"

/* The command of a line. */
static const struct fcn_command *
command_of(const char *line)
{
	for (size_t i = 0; i < fcn_command_form_count(session.table); i++)
		if (fcn_command_form_matches(session.table, i, line))
			return fcn_command_form_command(session.table, i);
	return NULL;
}

/* Make the line that takes a line back: as many words of it as the syntax with `no` has. */
static void
make_no(const char *line, const char *syntax, char *no, size_t size)
{
	unsigned int words = 0;
	size_t len = 0;

	for (const char *p = syntax; *p != '\0'; p++)
		words += *p == ' ';
	while (words > 0 && line[len] != '\0') {
		len += strcspn(line + len, " ");
		words--;
		if (words > 0)
			len += line[len] == ' ';
	}
	snprintf(no, size, "no %.*s", (int)len, line);
}

static bool
is_shown(const char *line)
{
	size_t len = strlen(line);

	app_ok("show running-config");
	for (const char *p = app_output(); *p != '\0'; p += strcspn(p, "\n") + 1)
		if (strncmp(p, line, len) == 0 && p[len] == '\n')
			return true;
	return false;
}

TEST_FIXTURE(APP_TEST, .setup = app_setup, .teardown = app_teardown);

/* Each setting of a configuration that has everything. */
TEST(settings)
{
	char *text, *before, *after, *save = NULL, no[512];
	unsigned int taken_back = 0;

	app_all(app_everything);
	before = app_config();
	app_ok("show running-config");
	text = strdup(app_output());
	for (char *line = strtok_r(text, "\n", &save); line != NULL;
			line = strtok_r(NULL, "\n", &save)) {
		const struct fcn_command *command = command_of(line);

		assert_non_null(command);
		if (command->no == NULL)
			continue;
		make_no(line, command->no, no, sizeof(no));
		if (app_line(no) != 0) {
			/* Other settings need it: the commit has refused it. */
			assert_non_null(strstr(app_output(), "nothing was changed\n"));
			assert_true(is_shown(line));
			continue;
		}
		if (is_shown(line))
			fail_msg("%s: there is still %s", no, line);
		taken_back++;
		app_ok(line); /* as it was */
	}
	assert_true(taken_back > 60);
	after = app_config();
	assert_string_equal(after, before);
	free(after);
	free(before);
	free(text);
}

/* What was never set is not changed, by no command. */
TEST(defaults)
{
	static const char *const lines[] = {
			"no set port p0 rate",
			"no set port p0 mac",
			"no set queue p0 class all detector red",
			"no set queue p0 class 3 limit",
			"no set loopback",
			"no set notify interval",
			"no set buffer",
			"no set host",
			"no set pfc p0 class 3 xoff",
	};
	struct fcn_config *was;

	app_ok("port add p0");
	was = fcn_config_copy(fcn_control_config(platform.ctl));
	for (unsigned int i = 0; i < RTE_DIM(lines); i++) {
		app_ok(lines[i]);
		assert_same_config(was, fcn_control_config(platform.ctl));
	}
	fcn_config_free(was);
}

/* The loopback addresses of both versions are one setting to a person: one command takes both. */
TEST(loopback)
{
	static const char *const lines[] = {"no set loopback", "set loopback none"};

	for (unsigned int i = 0; i < RTE_DIM(lines); i++) {
		app_ok("set loopback 203.0.113.5");
		app_ok("set loopback 2001:db8:f::5");
		assert_int_equal(fcn_control_config(platform.ctl)->loopback4.version, 4);
		assert_int_equal(fcn_control_config(platform.ctl)->loopback.version, 6);
		app_ok(lines[i]);
		assert_int_equal(fcn_control_config(platform.ctl)->loopback4.version, 0);
		assert_int_equal(fcn_control_config(platform.ctl)->loopback.version, 0);
	}
}

/* Only the setting that is selected. */
TEST(selected)
{
	static const char line[] = "set queue p0 class 3 detector qcn qeq 30000";

	app_ok("port add p0");
	app_ok(line);
	app_ok("no set queue p0 class 3 detector red");
	app_ok("show running-config | include qcn qeq 30000");
	assert_true(app_output()[0] != '\0');
	app_ok("no set queue p0 class 3 detector qcn");
	app_ok("show running-config");
	assert_string_equal(app_output(), "port add p0\n");
}

/* The same of settings without a value. What is selected by none of them is none. */
TEST(selected_without_value)
{
	static const char *const words[] = {"short link-speed", "wide tx-bytes"};
	char line[80];

	app_ok("ioam namespace add 7");
	for (unsigned int i = 0; i < RTE_DIM(words); i++) {
		snprintf(line, sizeof(line), "no set ioam namespace 7 %s", words[i]);
		app_ok(line + 3);
		app_ok(i == 0 ? "no set ioam namespace 7 short value"
			      : "no set ioam namespace 7 wide value");
		app_ok("show running-config");
		assert_non_null(strstr(app_output(), words[i]));
		app_ok(line);
		app_ok("show running-config");
		assert_string_equal(app_output(), "ioam namespace add 7\n");
	}
	assert_int_not_equal(app_line("no set ioam namespace 7 short none"), 0);
}

TEST(objects)
{
	static const char *const pairs[][2] = {
			{"port add p1", "no port p1"},
			{"port add p1", "no port add p1"},
			{"bridge add br0", "no bridge br0"},
			{"table add red", "no table red"},
			{"address add p0 2001:db8::1/64", "no address p0 2001:db8::1/64"},
			{"route add 2001:db8:1::/48 blackhole", "no route 2001:db8:1::/48"},
			{"sender add 2001:db8:a::/48 none", "no sender 2001:db8:a::/48"},
			{"srv6 policy add east", "no srv6 policy add east"},
	};
	struct fcn_config *was;

	app_ok("port add p0");
	was = fcn_config_copy(fcn_control_config(platform.ctl));
	for (unsigned int i = 0; i < RTE_DIM(pairs); i++) {
		app_ok(pairs[i][0]);
		app_ok(pairs[i][1]);
		assert_same_config(was, fcn_control_config(platform.ctl));
		assert_int_not_equal(app_line(pairs[i][1]), 0); /* it is gone */
	}
	fcn_config_free(was);
	/* A value is not repeated, and what has no default is no such command. */
	assert_int_not_equal(app_line("no set port p0 rate 3G"), 0);
	assert_non_null(strstr(app_output(), "expected end of line, found \"3G\""));
	assert_int_not_equal(app_line("no clear counters"), 0);
}
