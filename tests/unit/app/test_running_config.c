/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * What `show running-config` shows: loaded, it gives the same configuration; and without any one of
 * its lines another one, or none, which is checked for every third file. The arguments are
 * configuration files.
 */

#include <stdlib.h>

#include <jansson.h>

#include "app_util.h"
#include "config_same.h"

static char *
shown(const char *line)
{
	app_ok(line);
	return strdup(app_output());
}

/* Write a text without its line i. @return that line, allocated; NULL: it has no such line */
static char *
write_without(const char *text, unsigned int i)
{
	char *without = NULL;
	FILE *out = fopen("less.conf", "w");
	unsigned int line = 0;
	size_t len;

	assert_non_null(out);
	for (; *text != '\0'; text += len + 1, line++) {
		len = strcspn(text, "\n");
		if (line != i)
			fprintf(out, "%.*s\n", (int)len, text);
		else
			without = strndup(text, len);
	}
	assert_int_equal(fclose(out), 0);
	return without;
}

static void
check_lines(const char *before, const char *text)
{
	char *line, *after;

	for (unsigned int i = 0; (line = write_without(text, i)) != NULL; i++) {
		if (app_line("load less.conf replace") == 0) {
			after = app_config();
			if (strcmp(after, before) == 0)
				fail_msg("not needed: %s", line);
			free(after);
		}
		free(line);
	}
}

/* @param each whether each line is checked, too, which takes a while */
static void
check(bool each)
{
	struct fcn_config *was = fcn_config_copy(fcn_control_config(platform.ctl));
	char *before = app_config(), *text = shown("show running-config"), *after;

	app_write("running.conf", text);
	app_ok("load running.conf replace");
	after = app_config();
	assert_string_equal(after, before);
	assert_same_config(was, fcn_control_config(platform.ctl));
	if (each)
		check_lines(before, text);
	free(after);
	free(text);
	free(before);
	fcn_config_free(was);
}

TEST_FIXTURE(APP_TEST, .setup = app_setup, .teardown = app_teardown);

TEST(files)
{
	char line[4096];

	app_write("empty.conf", "");
	for (unsigned int i = 0; i < fcn_test_n_args; i++) {
		snprintf(line, sizeof(line), "load %s replace", fcn_test_args[i]);
		app_ok("load empty.conf replace");
		app_ok(line);
		check(i % 3 == 0);
	}
	assert_true(fcn_test_n_args > 5);
}

TEST(everything)
{
	app_all(app_everything);
	check(false);
}

TEST(nothing)
{
	app_ok("show running-config");
	assert_string_equal(app_output(), "");
	app_ok("set notify interval 77us");
	app_ok("show run");
	assert_string_equal(app_output(), "set notify interval 77us\n");
	app_ok("set notify interval 50us");
	app_ok("show config | include interval");
	assert_int_equal(strncmp(app_output(), "set notify interval ", 20), 0);
}

TEST(json)
{
	json_t *value;
	char *text;
	size_t i, len;
	const char *p;

	app_ok("port add p0");
	app_ok("set port p0 mtu 4000");
	text = shown("show config");
	app_ok("show config | json");
	value = json_loads(app_output(), 0, NULL);
	assert_true(json_is_array(value));
	/* each line but the first, which is a comment */
	for (p = strchr(text, '\n') + 1, i = 0; *p != '\0'; p += len + 1, i++) {
		const char *command = json_string_value(json_array_get(value, i));

		len = strcspn(p, "\n");
		assert_non_null(command);
		assert_int_equal(strlen(command), len);
		assert_memory_equal(command, p, len);
	}
	assert_int_equal(json_array_size(value), i);
	json_decref(value);
	app_ok("show running-config json");
	value = json_loads(app_output(), 0, NULL);
	assert_int_equal(json_array_size(value), 1);
	assert_string_equal(json_string_value(json_array_get(value, 0)), "port add p0 mtu 4000");
	json_decref(value);
	free(text);
}
