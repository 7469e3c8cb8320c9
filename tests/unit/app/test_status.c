/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* `show status` and `show summary`: what the program notes, and what is done on the console. */

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <jansson.h>

#include "app_util.h"
#include "fcn_exports.h"
#include "fcn_test.h"

static struct fcn_exports *exports;

static struct fcn_exports *
get_exports(void *arg)
{
	RTE_SET_USED(arg);
	return exports;
}

static int
start(void *arg)
{
	RTE_SET_USED(arg);
	fcn_exports_forwarding(exports, true);
	return 0;
}

static int
stop(void *arg)
{
	RTE_SET_USED(arg);
	fcn_exports_forwarding(exports, false);
	return 0;
}

static const struct fcn_session_hooks hooks = {
		.start = start, .stop = stop, .exports = get_exports};

static int
setup(void **state)
{
	char err[256];

	if (app_setup(state) != 0)
		return -1;
	exports = fcn_exports_create(platform.ctl, NULL, err, sizeof(err));
	session.hooks = &hooks;
	app_ok("port add p1");
	app_ok("port add p2");
	return exports != NULL ? 0 : -1;
}

static int
teardown(void **state)
{
	fcn_exports_free(exports);
	session.hooks = NULL;
	return app_teardown(state);
}

TEST_FIXTURE(APP_TEST, .setup = setup, .teardown = teardown);

/* The value of a `show` as the console gives it. */
static json_t *
shown(const char *line)
{
	json_t *v;

	app_ok(line);
	v = json_loads(app_output(), 0, NULL);
	assert_non_null(v);
	return v;
}

static bool
is_saved(const char *file)
{
	json_t *v = shown("show status json"), *c = json_object_get(v, "configuration");
	const char *name = json_string_value(json_object_get(c, "file"));
	bool saved = json_is_true(json_object_get(c, "saved"));

	assert_non_null(name);
	assert_string_equal(strrchr(name, '/') + 1, file);
	json_decref(v);
	return saved;
}

TEST(saved)
{
	json_t *v = shown("show status json");

	assert_true(json_is_null(json_object_get(v, "configuration")));
	json_decref(v);
	app_ok("save a.conf"); /* the first file becomes the configuration file */
	assert_true(is_saved("a.conf"));
	app_ok("show port");
	assert_int_not_equal(app_line("set port p1 mtu 1"), 0); /* refused: nothing was changed */
	assert_true(is_saved("a.conf"));
	app_ok("set port p1 mtu 1400");
	assert_false(is_saved("a.conf"));
	app_ok("save b.conf"); /* another file */
	assert_false(is_saved("a.conf"));
	app_ok("set port p1 mtu 1500");
	app_ok("set port p1 mtu 1400");
	app_ok("save ./a.conf");
	assert_true(is_saved("a.conf"));
	app_ok("load b.conf replace");
	assert_false(is_saved("a.conf"));
	app_ok("load a.conf replace");
	assert_true(is_saved("a.conf"));
	unlink("a.conf");
	unlink("b.conf");
}

TEST(forwarding)
{
	json_t *v = shown("show status json");
	struct tm tm;

	assert_true(json_is_false(json_object_get(v, "forwarding")));
	assert_non_null(strptime(json_string_value(json_object_get(v, "started")),
			"%Y-%m-%dT%H:%M:%SZ", &tm));
	assert_int_equal(timegm(&tm), json_integer_value(json_object_get(v, "started_unix")));
	assert_int_equal(json_integer_value(json_object_get(v, "workers")), 1);
	assert_int_equal(
			json_integer_value(json_object_get(json_object_get(v, "ports"), "all")), 2);
	assert_int_equal(json_integer_value(json_object_get(json_object_get(v, "ports"), "up")), 2);
	json_decref(v);
	app_ok("start");
	v = shown("show status json");
	assert_true(json_is_true(json_object_get(v, "forwarding")));
	assert_non_null(json_object_get(v, "since"));
	json_decref(v);
	app_ok("stop");
	assert_non_null(strstr(app_output(), "conservation:"));
	v = shown("show status json");
	assert_true(json_is_false(json_object_get(v, "forwarding")));
	json_decref(v);
}

/* A program without metrics and log, such as replay, does not know whether it forwards. */
TEST(no_live_switch)
{
	json_t *v;

	session.hooks = NULL;
	v = shown("show status json");
	assert_null(json_object_get(v, "forwarding"));
	assert_int_equal(
			json_integer_value(json_object_get(json_object_get(v, "ports"), "all")), 2);
	assert_true(json_is_null(json_object_get(v, "notices_per_second")));
	json_decref(v);
}

TEST(summary)
{
	static const char *const keys[] = {"received", "sent", "dropped", "notices"};
	json_t *v = shown("show summary json"), *ports = json_object_get(v, "ports"), *port;
	size_t i;

	assert_int_equal(json_array_size(ports), 2);
	json_array_foreach (ports, i, port) {
		for (size_t k = 0; k < RTE_DIM(keys); k++)
			assert_true(json_is_integer(json_object_get(port, keys[k])));
	}
	assert_true(json_is_true(json_object_get(json_object_get(v, "conservation"), "ok")));
	json_decref(v);
}
