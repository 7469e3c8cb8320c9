/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* What load does: with what is in force already, with bad files, and with large ones. */

#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "app_util.h"
#include "load_file.h"

TEST_FIXTURE(APP_TEST, .setup = app_setup, .teardown = app_teardown);

/* Loading what is in force on top of itself is refused where it adds, and changes nothing. */
TEST(load_on_top)
{
	char *text, *after;

	app_all(app_everything);
	text = app_config();
	app_ok("save now.conf");
	assert_int_not_equal(app_line("load now.conf"), 0);
	assert_non_null(strstr(app_output(), "there is a port p0 already"));
	after = app_config();
	assert_string_equal(after, text);
	free(after);
	free(text);
}

/* In place of what is: the saved configuration again, whatever came since; ports keep their number.
 */
TEST(load_in_place)
{
	char *text, *after;
	int number;

	app_all(app_everything);
	text = app_config();
	number = fcn_config_port_find(fcn_control_config(platform.ctl), "p1");
	app_ok("save now.conf");
	app_ok("load now.conf replace");
	app_ok("port add new");
	app_ok("set port p1 mtu 4000");
	app_ok("load now.conf replace");
	after = app_config();
	assert_string_equal(after, text);
	assert_int_equal(fcn_config_port_find(fcn_control_config(platform.ctl), "p1"), number);
	free(after);
	/* A file with an error takes nothing away. */
	assert_int_not_equal(app_line("load missing.conf replace"), 0);
	after = app_config();
	assert_string_equal(after, text);
	free(after);
	free(text);
}

TEST(bad_files)
{
	static const struct {
		const char *text, *want;
	} bad[] = {
			{"port add p9\nset port p9 mtu 9000\nset port p9 mtu 99\n",
					"bad.conf:3:17: an MTU must be 1280 to 9600 "
					"bytes\n"},
			{"port add p9\nshow port\n", "bad.conf:2:1: "},
			{"port add p9\nport ad p8\n", "bad.conf:2:6: "},
			{"set class-map dscp 1 class 7\nset notify fast-cnp on\nset loopback "
			 "none\n",
					"bad.conf: notify fast-cnp needs a source address"},
			{"port add p9\nport add broken\n", "bad.conf: port broken: does not open"},
			{"set port p0 mtu 2000\nset port p1 mtu 6666\n",
					"bad.conf: port p1: MTU refused"},
	};
	static const char *const start[] = {"port add p0", "port add p1", NULL};
	const struct fcn_snapshot *published;
	const struct fcn_config *config;
	char *text, *after;

	app_all(start);
	text = app_config();
	config = fcn_control_config(platform.ctl);
	published = fcn_control_snapshot(platform.ctl);
	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		app_write("bad.conf", bad[i].text);
		assert_int_not_equal(app_line("load bad.conf"), 0);
		if (strstr(app_output(), bad[i].want) == NULL)
			fail_msg("%s\nis not in\n%s", bad[i].want, app_output());
		assert_non_null(strstr(app_output(), "bad.conf: nothing was changed"));
		after = app_config();
		assert_string_equal(after, text);
		free(after);
		assert_ptr_equal(fcn_control_config(platform.ctl), config);
		assert_ptr_equal(fcn_control_snapshot(platform.ctl), published);
		assert_int_equal(platform.port[0].mtu, 1500);
		assert_false(platform.port[2].open);
	}
	assert_int_equal(app_line("load missing.conf"), -ENOENT);
	assert_non_null(strstr(app_output(), "missing.conf: No such file or directory"));
	free(text);
}

static uint64_t
peak_memory(void)
{
	struct rusage usage;

	assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
	return (uint64_t)usage.ru_maxrss * 1024;
}

/* A file that is too large is refused before its lines are run, a regular one before it is read. */
TEST(large_file)
{
	uint64_t before = peak_memory();
	FILE *in;

	app_write("large.conf", "port add p1\n");
	assert_int_equal(truncate("large.conf", 300000000), 0);
	assert_int_equal(fcn_load_file(platform.ctl, "large.conf", &in), -EFBIG);
	assert_in_range(peak_memory() - before, 0, FCN_COMMAND_MAX_FILE / 2);
	assert_int_equal(app_line("load large.conf"), -EFBIG);
	assert_string_equal(app_output(), "large.conf: File too large\n"
					  "large.conf: nothing was changed\n"
					  "column 6: large.conf was not loaded\n");
	assert_int_equal(fcn_load_file(platform.ctl, "/dev/zero", &in), -EFBIG);
	/* the largest that may be */
	assert_int_equal(truncate("large.conf", FCN_COMMAND_MAX_FILE), 0);
	assert_int_equal(fcn_load_file(platform.ctl, "large.conf", &in), 0);
	fclose(in);
	assert_int_equal(truncate("large.conf", FCN_COMMAND_MAX_FILE + 1), 0);
	assert_int_equal(fcn_load_file(platform.ctl, "large.conf", &in), -EFBIG);
	assert_int_equal(unlink("large.conf"), 0);
}

/* A single line that cannot be put in force: said, and nothing is changed. */
TEST(bad_line)
{
	assert_int_equal(app_line("set notify fast-cnp on"), -EINVAL);
	assert_string_equal(app_output(), "notify fast-cnp needs a source address: set loopback "
					  "ADDRESS\nnothing was changed\n");
	assert_false(fcn_control_config(platform.ctl)->notify.on);
	assert_int_equal(app_line("set port nope mtu 1500"), -ENOENT);
	assert_string_equal(app_output(), "column 10: there is no port nope\n");
}
