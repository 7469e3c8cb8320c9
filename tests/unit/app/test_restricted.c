/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Which files a restricted session can name. Files are in the tests' directory: "in" is permitted
 * for configurations, "out" for captures, and the rest is not. */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app_util.h"
#include "fcn_capture_control.h"
#include "fcn_test.h"

static const struct fcn_session_files only = {{"in", "out"}};
static const char secret[] = "root:secret-of-root\n";

static int
setup(void **state)
{
	int rc = app_setup(state);

	mkdir("in", 0755);
	mkdir("in/deeper", 0755);
	mkdir("out", 0755);
	mkdir("inside-out", 0755);
	app_write("secret", secret);
	session.files = &only;
	return rc;
}

static int
teardown(void **state)
{
	static const char *const files[] = {"in/link", "in/up", "in/dangling", "in/other.conf",
			"in/a.conf", "in/deeper/b.conf", "in/alias", "secret", "inside-out/x",
			"new.conf"};

	session.files = NULL;
	for (size_t i = 0; i < RTE_DIM(files); i++)
		unlink(files[i]);
	rmdir("in/deeper");
	rmdir("in");
	rmdir("out");
	rmdir("inside-out");
	return app_teardown(state);
}

TEST_FIXTURE(APP_TEST, .setup = setup, .teardown = teardown);

static void
assert_refused(const char *line)
{
	assert_int_equal(app_line(line), -EPERM);
	if (strstr(app_output(), "this session may use files in") == NULL)
		fail_msg("%s: %s", line, app_output());
	assert_null(strstr(app_output(), "secret-of-root"));
}

TEST(outside)
{
	static const char *const names[] = {"../secret", "deeper/../../secret", "/etc/hostname",
			"/nonexistent/secret", "nowhere/secret", "link", "up/secret", "dangling",
			"../inside-out/x", "..", ".", "deeper/", "/"};
	char line[200];

	assert_int_equal(symlink("../secret", "in/link"), 0);
	assert_int_equal(symlink("..", "in/up"), 0);
	assert_int_equal(symlink("../not-there", "in/dangling"), 0);
	app_write("inside-out/x", secret);
	for (size_t i = 0; i < RTE_DIM(names); i++) {
		snprintf(line, sizeof(line), "load %s", names[i]);
		assert_refused(line);
		snprintf(line, sizeof(line), "load %s replace", names[i]);
		assert_refused(line);
		snprintf(line, sizeof(line), "save %s", names[i]);
		assert_refused(line);
	}
	assert_int_equal(access("not-there", F_OK), -1);
	/* without the restriction, the same line is run, and fails in the file */
	session.files = NULL;
	assert_int_equal(app_line("load in/link"), -EINVAL);
	assert_non_null(strstr(app_output(), "in/link:1:1: "));
}

TEST(inside)
{
	static const char *const names[] = {
			"a.conf", "./a.conf", "deeper/../a.conf", "alias", "deeper/b.conf"};
	char line[2000], cwd[1000];

	app_write("in/a.conf", "port add p9\n");
	app_write("in/deeper/b.conf", "port add p9\n");
	assert_int_equal(symlink("a.conf", "in/alias"), 0);
	for (size_t i = 0; i < RTE_DIM(names); i++) {
		snprintf(line, sizeof(line), "load %s", names[i]);
		app_ok(line);
		app_ok("port remove p9");
	}
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	snprintf(line, sizeof(line), "load %s/in/a.conf", cwd);
	app_ok(line);
	app_ok("save other.conf");
	assert_int_equal(access("in/other.conf", R_OK), 0);
	app_ok("save alias"); /* the file behind a link in the directory */
	app_ok("load a.conf replace");
}

/* Captures and the event log have a directory of their own. */
TEST(output)
{
	app_ok("port add p1");
	session.captures = fcn_captures_create(&(struct fcn_captures_conf){.ctl = session.ctl});
	assert_non_null(session.captures);
	assert_refused("capture start port p1 both file ../in/x.pcapng");
	assert_refused("capture start port p1 both file /tmp/x.pcapng");
	app_ok("capture start port p1 both file x.pcapng");
	app_ok("capture stop x.pcapng");
	assert_int_equal(access("out/x.pcapng", R_OK), 0);
	unlink("out/x.pcapng");
	fcn_captures_free(session.captures);
	session.captures = NULL;
}

/* Some drivers open files that arguments of a device name. */
TEST(devices)
{
	static const char *const devices[] = {"net_pcap0,tx_pcap=/etc/x", "net_pcap0,tx_pcap=x",
			"bus=vdev,name=net_pcap0", "/dev/x"};
	char line[200];

	for (size_t i = 0; i < RTE_DIM(devices); i++) {
		snprintf(line, sizeof(line), "port add p1 device %s", devices[i]);
		assert_int_equal(app_line(line), -EPERM);
		assert_non_null(strstr(app_output(), "devices without arguments only"));
	}
	app_ok("port add p1 device 0000:03:00.0");
	app_ok("port remove p1");
	/* in a file of the directory, it is the choice of who wrote the file */
	app_write("in/a.conf", "port add p1 device net_pcap0,tx_pcap=x\n");
	app_ok("load a.conf");
	assert_int_equal(app_line("load ../secret"), -EPERM); /* restricted as before */
}

TEST(no_directory)
{
	static const struct fcn_session_files none = {{"not-there", "not-there"}};

	session.files = &none;
	assert_int_equal(app_line("save new.conf"), -EPERM);
	assert_non_null(strstr(app_output(), "there is no such directory"));
	assert_int_equal(access("new.conf", F_OK), -1);
}
