/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * `show notify missing`, as an operator uses it: RoCEv2 of all classes comes for a port that sends
 * nothing, and its sender gets no notice. Each time, the command that the row of the queue names is
 * run, and then the next condition is the first that is not met, until the sender gets notices.
 */

#include "app_util.h"

static uint64_t now;

static int
setup(void **state)
{
	int rc = app_setup(state);

	now = 0;
	app_ok("port add p0");
	app_ok("port add p1");
	app_ok("set port p0 mac 02:66:63:6e:00:00"); /* to which the packets are sent */
	app_ok("address add p1 2001:db8:1::fe/64");
	app_ok("neighbour add p1 2001:db8:1::1 02:00:00:00:00:01");
	platform.accept = 0;
	return rc;
}

static int
teardown(void **state)
{
	platform.source = false;
	return app_teardown(state);
}

TEST_FIXTURE(APP_TEST, .setup = setup, .teardown = teardown);

static void
turns(bool traffic)
{
	platform.source = traffic;
	for (unsigned int i = 0; i < 4; i++, now += 10000)
		fcn_poll_once(fcn_control_worker(platform.ctl, 0), now);
	platform.source = false;
}

/* Get the row of a class of p1. @return NULL: there is none; valid until the next call */
static const json_t *
row_of(unsigned int class)
{
	static json_t *rows;
	json_t *row;
	size_t i;

	json_decref(rows);
	rows = fcn_show_notify_missing(platform.ctl, 1);
	json_array_foreach (rows, i, row) {
		assert_string_equal(platform_string(row, "port"), "p1");
		if (platform_number(row, "class") == class)
			return row;
	}
	return NULL;
}

static const char *
missing(unsigned int class)
{
	const json_t *row = row_of(class);

	return row != NULL ? platform_string(row, "missing") : "nothing";
}

static const char *
help(unsigned int class)
{
	return platform_string(row_of(class), "help");
}

TEST(each_command_leads_to_the_next_condition)
{
	app_ok("set loopback 2001:db8:f::1");
	app_ok("set queue p1 class 3 notify on");
	assert_string_equal(missing(3), "no_kind");
	assert_string_equal(missing(2), "nothing"); /* nobody asked for it, and nothing came */
	turns(true);
	assert_string_equal(missing(2), "no_kind");

	app_ok(help(3)); /* set notify fast-cnp on */
	assert_string_equal(missing(3), "detector_off");
	assert_string_equal(missing(2), "notify_off");
	assert_string_equal(help(2), "set queue p1 class 2 notify on");

	app_ok(help(3)); /* set queue p1 class 3 detector step */
	assert_string_equal(missing(3), "not_congested");
	assert_non_null(strstr(help(3), "show queue p1 class 3 detail: it held at most "));
	app_ok("show queue p1 class 3 detail");

	/* There is no way back to the senders, 2001:db8::/64. */
	app_ok("set queue p1 class 3 detector step 1");
	turns(true);
	assert_string_equal(missing(3), "unreachable");
	assert_true(platform_number(row_of(3), "packets") > 0);
	assert_string_equal(platform_string(row_of(3), "kind"), "fast_cnp");

	app_ok("neighbour add p0 2001:db8:2::2 02:00:00:00:00:02");
	app_ok("route add 2001:db8::/64 via 2001:db8:2::2 port p0");
	app_ok("clear counters");
	turns(true);
	assert_string_equal(missing(3), "nothing");
	platform_gives(fcn_show_queues(platform.ctl, 0, 6, true),
			"[{'port': 'p0', 'class': 6, 'threshold': 'off'}]");
}

TEST(a_sender_that_is_said_to_know_no_notices)
{
	app_ok("set loopback 2001:db8:f::1");
	app_ok("sender add 2001:db8::/32 none");
	app_ok("set notify fast-cnp on");
	app_ok("set queue p1 class 3 notify on");
	app_ok("set queue p1 class 3 detector step 1");
	turns(true);
	assert_string_equal(missing(3), "sender_none");
	assert_non_null(strstr(help(3), "sender add PREFIX capable"));
}

TEST(the_class_of_the_traffic)
{
	char line[64];

	app_ok("set loopback 2001:db8:f::1");
	app_ok("set notify fast-cnp on");
	app_ok("set queue p1 class 3 notify on");
	app_ok("set queue p1 class 3 detector step 1");
	assert_string_equal(missing(3), "no_roce");
	for (unsigned int dscp = 0; dscp < 64; dscp++) {
		snprintf(line, sizeof(line), "set class-map dscp %u class 1", dscp);
		app_ok(line);
	}
	turns(true);
	assert_string_equal(missing(3), "other_class");
	assert_non_null(strstr(help(3), "or set queue p1 class 1 notify on"));
}

/* What is not RoCEv2 makes no queue one that is asked about. */
TEST(other_traffic)
{
	app_ok("set loopback 2001:db8:f::1");
	app_ok("set notify fast-cnp on");
	platform.not_roce = true;
	turns(true);
	platform.not_roce = false;
	for (unsigned int class = 0; class < FCN_CLASSES; class ++)
		assert_string_equal(missing(class), "nothing");
	turns(true);
	assert_string_equal(missing(3), "notify_off");
	app_ok("clear counters");
	assert_string_equal(missing(3), "nothing");
}

static const struct fcn_warning *
warning_at(const char *place)
{
	const struct fcn_warnings *set = fcn_control_warnings(platform.ctl);

	for (unsigned int i = 0; i < set->n; i++) {
		if (set->item[i].kind == FCN_WARNING_NOTICES &&
				strcmp(set->item[i].place, place) == 0)
			return &set->item[i];
	}
	return NULL;
}

/* What is begun and not complete is said at once, and no longer once it is. */
TEST(a_warning_until_it_is_complete)
{
	app_ok("set loopback 2001:db8:f::1");
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
	app_ok("set queue p1 class 3 notify on");
	app_ok("set queue p1 class 4 notify on");
	assert_string_equal(warning_at("port p1")->reason,
			"2 of its queues with notices on have no congestion detector: set queue "
			"p1 class 3 detector step");
	assert_non_null(warning_at("notify"));
	app_ok("set notify fast-cnp on");
	assert_null(warning_at("notify"));
	app_ok("set queue p1 class 3 detector step");
	app_ok("set queue p1 class 4 detector red");
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
}
