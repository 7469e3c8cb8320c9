/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Configurations to go back to, trials, and differences. The clock is that of the test. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app_util.h"
#include "fcn_commits.h"
#include "fcn_exports.h"

#define DIRECTORY "kept"

static struct fcn_exports *exports;
static struct fcn_commits *commits;
static uint64_t clock_ms, clock_s; /* what the test says */
static bool gone;                  /* devices of ports p2 are not there */
static char logged[65536];
static int (*port_open)(void *arg, const struct fcn_config_port *port, uint16_t number,
		struct fcn_control_port *out, char *err, size_t err_size);

static struct fcn_exports *
get_exports(void *arg)
{
	RTE_SET_USED(arg);
	return exports;
}

static const struct fcn_session_hooks hooks = {.exports = get_exports};

static uint64_t
now_ms(void *arg)
{
	RTE_SET_USED(arg);
	return clock_ms;
}

static uint64_t
unix_s(void *arg)
{
	RTE_SET_USED(arg);
	return clock_s;
}

static void
note_log(void *arg, const char *line)
{
	RTE_SET_USED(arg);
	if (strlen(logged) + strlen(line) + 2 < sizeof(logged))
		strcat(strcat(logged, line), "\n");
}

static int
open_or_not(void *arg, const struct fcn_config_port *port, uint16_t number,
		struct fcn_control_port *out, char *err, size_t err_size)
{
	if (!gone || strcmp(port->name, "p2") != 0)
		return port_open(arg, port, number, out, err, err_size);
	snprintf(err, err_size, "the device is not there");
	return -ENODEV;
}

static void
begin_commits(const char *directory)
{
	commits = fcn_commits_create(&(const struct fcn_commits_conf){.ctl = platform.ctl,
			.directory = directory,
			.now_ms = now_ms,
			.unix_s = unix_s});
	assert_non_null(commits);
	session.commits = commits;
	fcn_exports_set_rollback(exports, fcn_commits_show, commits);
	fcn_commits_open(commits);
}

static int
setup(void **state)
{
	char err[256];

	if (app_setup(state) != 0)
		return -1;
	gone = false;
	logged[0] = '\0';
	clock_ms = 1000;
	clock_s = 1800000000;
	port_open = platform.ops.port_open;
	platform.ops.port_open = open_or_not;
	platform.ops.log = note_log;
	exports = fcn_exports_create(platform.ctl, NULL, err, sizeof(err));
	if (exports == NULL)
		return -1;
	session.hooks = &hooks;
	session.user = "alice";
	begin_commits(NULL);
	app_ok("port add p1");
	return 0;
}

static int
teardown(void **state)
{
	session.hooks = NULL;
	fcn_exports_free(exports);
	fcn_commits_free(commits);
	if (system("rm -rf " DIRECTORY) != 0)
		return -1;
	return app_teardown(state);
}

TEST_FIXTURE(APP_TEST, .setup = setup, .teardown = teardown);

/* The program ends, and another one begins in the same directory. */
static void
restart(const char *directory)
{
	fcn_commits_free(commits);
	begin_commits(directory);
}

static void
pass(uint64_t s)
{
	clock_ms += s * 1000;
	clock_s += s;
	fcn_commits_poll(commits, &session);
}

static bool
has(const char *line)
{
	char *text = app_config();
	const bool found = strstr(text, line) != NULL;

	free(text);
	return found;
}

static void
refused(const char *line, const char *want)
{
	assert_int_not_equal(app_line(line), 0);
	assert_string_equal(app_output(), want);
}

/* ---- what is kept ---- */

TEST(commit_and_rollback)
{
	char *first = app_config(), *now;

	app_ok("commit comment as it came");
	assert_string_equal(app_output(), "kept as rollback 0\n");
	app_ok("commit");
	assert_string_equal(app_output(), "nothing has changed since rollback 0\n");
	app_ok("set port p1 mtu 1400");
	app_ok("commit");
	app_ok("set port p1 mtu 1300");
	app_ok("show rollback json");
	platform_gives(json_loads(app_output(), 0, NULL),
			"{'directory': null, 'on_trial': null, 'configurations': ["
			"{'rollback': 0, 'time': '2027-01-15T08:00:00Z', 'user': 'alice',"
			" 'comment': 'commit'}, {'rollback': 1, 'comment': 'as it came'}]}");
	app_ok("rollback 1");
	now = app_config();
	assert_string_equal(now, first);
	free(now);
	/* What was not committed is not lost. */
	app_ok("show rollback json");
	platform_gives(json_loads(app_output(), 0, NULL),
			"{'configurations': [{'comment': 'rollback 1, as it came'}, {'comment': "
			"'before rollback 1'}, {'comment': 'commit'}, {'comment': 'as it came'}]}");
	app_ok("rollback 1");
	assert_true(has("mtu 1300"));
	refused("rollback 9", "column 10: there is no rollback 9, the last is 4\n");
	free(first);
}

TEST(nothing_kept)
{
	refused("rollback 0", "column 10: no configuration is kept yet\n");
	session.commits = NULL;
	refused("rollback 0", "column 1: this program keeps no configurations\n");
	refused("commit", "column 1: this program keeps no configurations\n");
	app_ok("save plain.conf");
	app_ok("load plain.conf replace");
	app_ok("show rollback");
	unlink("plain.conf");
}

TEST(ten)
{
	char line[64];

	restart(DIRECTORY);
	for (unsigned int i = 0; i < 14; i++) {
		snprintf(line, sizeof(line), "set port p1 mtu %u", 1300 + i);
		app_ok(line);
		app_ok("commit");
	}
	assert_int_equal(fcn_commits_count(commits), FCN_COMMITS_KEPT);
	assert_int_equal(system("test $(ls " DIRECTORY " | wc -l) = 10"), 0);
	restart(DIRECTORY);
	assert_int_equal(fcn_commits_count(commits), FCN_COMMITS_KEPT);
	app_ok("rollback 9");
	assert_true(has("mtu 1304"));
	/* The next one has a number of its own. */
	app_ok("set port p1 mtu 1290");
	app_ok("commit");
	restart(DIRECTORY);
	app_ok("rollback 0");
	assert_true(has("mtu 1290"));
}

TEST(files)
{
	struct stat st;

	restart(DIRECTORY);
	app_ok("commit comment with \"quotes\" and # in it");
	assert_int_equal(stat(DIRECTORY, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	assert_int_equal(stat(DIRECTORY "/00000001.conf", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	app_ok("set port p1 mtu 1400");
	app_ok("load " DIRECTORY "/00000001.conf replace"); /* it is a configuration file */
	assert_false(has("mtu 1400"));
}

/* The power went while a file was written, or it was damaged: the others are used. */
TEST(not_whole)
{
	struct stat st;

	restart(DIRECTORY);
	app_ok("commit");
	app_ok("set port p1 mtu 1400");
	app_ok("commit");
	app_ok("set port p1 mtu 1401");
	app_ok("commit");
	assert_int_equal(stat(DIRECTORY "/00000002.conf", &st), 0);
	for (off_t len = st.st_size - 1; len >= 0; len -= len > 40 ? 7 : 1) {
		assert_int_equal(truncate(DIRECTORY "/00000002.conf", len), 0);
		logged[0] = '\0';
		restart(DIRECTORY);
		assert_non_null(strstr(logged, DIRECTORY "/00000002.conf is not whole"));
		assert_int_equal(fcn_commits_count(commits), 2);
	}
	/* And a file that was being written has a name that is none of these. */
	app_write(DIRECTORY "/.00000004.conf.save-abcdef", "# fastcn rollback 1\n");
	logged[0] = '\0';
	restart(DIRECTORY);
	assert_int_equal(fcn_commits_count(commits), 2);
	app_ok("rollback 1");
	assert_false(has("mtu"));
}

TEST(no_directory)
{
	app_write(DIRECTORY, "");
	restart(DIRECTORY);
	app_ok("commit");
	assert_non_null(strstr(logged, "kept in memory only"));
	app_ok("set port p1 mtu 1400");
	app_ok("rollback 0");
	assert_false(has("mtu 1400"));
	app_ok("commit confirm 60");
	assert_non_null(strstr(app_output(),
			"no file has the configuration to go back to: if fastcn ends"));
	app_ok("commit");
}

/* ---- trials ---- */

TEST(confirmed)
{
	restart(DIRECTORY);
	app_ok("commit confirm 60");
	assert_non_null(strstr(app_output(),
			"unless `commit` confirms it within 60 s, the switch goes "
			"back to the configuration of before\n"));
	assert_null(strstr(app_output(), "no file has"));
	app_ok("set port p1 mtu 1400");
	refused("save", "column 1: the running configuration is on trial: confirm it by `commit` "
			"first, or the switch goes back in 60 s\n");
	app_ok("show warnings");
	assert_non_null(strstr(app_output(), "2027-01-15T08:01:00Z"));
	pass(59);
	app_ok("commit");
	assert_string_equal(app_output(), "confirmed: the running configuration stays\n"
					  "kept as rollback 0\n");
	pass(100);
	assert_true(has("mtu 1400"));
	assert_int_not_equal(access(DIRECTORY "/unconfirmed.conf", F_OK), 0);
	app_ok("show warnings");
	assert_null(strstr(app_output(), "08:01:00"));
	refused("commit confirm 0", "column 16: the time must be 1 to 86400 seconds\n");
}

TEST(not_confirmed)
{
	char *before = app_config(), *now;

	app_ok("commit confirm 60");
	app_ok("set port p1 mtu 1400");
	app_ok("port add p2");
	pass(59);
	assert_true(has("mtu 1400"));
	pass(1);
	now = app_config();
	assert_string_equal(now, before);
	assert_non_null(strstr(logged, "nothing was confirmed for 60 s"));
	app_ok("rollback 1"); /* what was tried */
	assert_true(has("mtu 1400"));
	pass(1000);
	assert_true(has("mtu 1400"));
	app_ok("show events json");
	assert_non_null(strstr(app_output(), "\"reverted\""));
	free(now);
	free(before);
}

TEST(load_on_trial)
{
	app_ok("save good.conf");
	app_write("new.conf", "port add p1 mtu 1400\nbridge add br0\n");
	app_write("bad.conf", "port add p1 mtu 1400\nnonsense\n");
	assert_int_not_equal(app_line("load bad.conf replace confirm 60"), 0);
	assert_null(fcn_commits_trial(commits));
	app_ok("load new.conf replace confirm 60");
	assert_true(has("bridge add br0"));
	pass(60);
	assert_false(has("bridge add br0"));
	app_ok("load new.conf replace confirm 60");
	app_ok("rollback 1 confirm 30"); /* on trial already: only the time changes */
	pass(30);
	assert_false(has("bridge add br0"));
	assert_null(fcn_commits_trial(commits));
	unlink("good.conf");
	unlink("new.conf");
	unlink("bad.conf");
}

/* Two sessions at once: one trial, whose first state is gone back to, and either can confirm it. */
TEST(two_sessions)
{
	app_ok("commit confirm 60");
	app_ok("set port p1 mtu 1400");
	pass(30);
	session.user = "bob";
	app_ok("commit confirm 100");
	assert_non_null(strstr(app_output(), "of before the first trial"));
	app_ok("set port p1 mtu 1300");
	pass(99);
	assert_true(has("mtu 1300"));
	pass(1);
	assert_false(has("mtu"));
	session.user = "alice";
	app_ok("commit confirm 60");
	app_ok("set port p1 mtu 1400");
	session.user = "bob";
	app_ok("commit");
	assert_non_null(strstr(app_output(), "begun by alice"));
	pass(100);
	assert_true(has("mtu 1400"));
}

/* The program ends within the time, and another one goes on with what is left of it. */
TEST(restarted)
{
	restart(DIRECTORY);
	app_ok("commit confirm 60");
	app_ok("set port p1 mtu 1400");
	pass(20);
	clock_ms = 7; /* of another boot */
	restart(DIRECTORY);
	assert_non_null(strstr(logged, "of which 40 s are left"));
	pass(39);
	assert_true(has("mtu 1400"));
	pass(1);
	assert_false(has("mtu"));
	assert_int_not_equal(access(DIRECTORY "/unconfirmed.conf", F_OK), 0);
	/* Much later: what was loaded stays. */
	app_ok("commit confirm 60");
	app_ok("set port p1 mtu 1400");
	clock_s += 100000;
	restart(DIRECTORY);
	assert_non_null(strstr(logged, "a trial ended while no switch ran"));
	pass(100);
	assert_true(has("mtu 1400"));
	assert_int_not_equal(access(DIRECTORY "/unconfirmed.conf", F_OK), 0);
	app_ok("no set port p1 mtu");
	/* The clock was set back: no longer than the time that was asked for. */
	app_ok("commit confirm 60");
	app_ok("set port p1 mtu 1400");
	clock_s -= 100000;
	restart(DIRECTORY);
	pass(60);
	assert_false(has("mtu"));
	/* A file that is not whole begins no trial. */
	app_write(DIRECTORY "/unconfirmed.conf", "# fastcn rollback 1\n# time 18000000");
	logged[0] = '\0';
	restart(DIRECTORY);
	assert_non_null(strstr(logged, "unconfirmed.conf is not whole"));
	assert_null(fcn_commits_trial(commits));
}

/* ---- what is not there any more ---- */

TEST(device_is_gone)
{
	app_ok("port add p2");
	app_ok("address add p2 2001:db8::1/64");
	app_ok("address add p1 2001:db8:1::1/64");
	app_ok("commit");
	app_ok("port remove p2");
	app_ok("set port p1 mtu 1400");
	gone = true;
	app_ok("rollback 0");
	assert_non_null(strstr(app_output(),
			"warning: port p2: port p2: the device is not there; it "
			"and what refers to it is left out\n"));
	assert_true(has("2001:db8:1::1"));
	assert_false(has("mtu"));
	assert_false(has("p2"));
	app_ok("show warnings json");
	platform_gives(json_loads(app_output(), 0, NULL),
			"{'warnings': [{'warning': 'left_out'}]}");
	gone = false;
	app_ok("port add p2");
	app_ok("show warnings json");
	platform_gives(json_loads(app_output(), 0, NULL), "{'warnings': []}");
	/* And by itself. */
	app_ok("commit confirm 60");
	app_ok("port remove p2");
	gone = true;
	pass(60);
	assert_null(fcn_commits_trial(commits));
	assert_false(has("p2"));
}

/* A port that has become another device is added anew. */
TEST(other_device)
{
	app_ok("port remove p1");
	app_ok("port add p1 queues 2 device net_ring0");
	app_ok("commit");
	app_ok("port remove p1");
	app_ok("port add p1 device net_ring1");
	assert_int_not_equal(fcn_commits_count(commits), 0);
	app_ok("rollback 0");
	assert_true(has("net_ring0"));
	assert_true(platform.port[0].open || platform.port[1].open);
}

/* ---- differences ---- */

TEST(diff)
{
	refused("show diff", "column 1: no configuration file was loaded: name a file\n");
	refused("save", "column 1: no configuration file was loaded: name a file\n");
	app_ok("save a.conf");
	app_ok("show diff");
	assert_non_null(strstr(app_output(), "no difference: "));
	app_ok("set port p1 mtu 1400");
	app_ok("show diff");
	assert_non_null(strstr(app_output(), "/a.conf\n+++ running\n"));
	assert_non_null(strstr(app_output(), "\n- port add p1\n"));
	assert_non_null(strstr(app_output(), "\n+ port add p1 mtu 1400"));
	app_ok("show diff a.conf");
	assert_non_null(strstr(app_output(), "--- running\n+++ a.conf\n"));
	assert_non_null(strstr(app_output(), "\n+ port add p1\n"));
	app_ok("save");
	assert_non_null(strstr(app_output(), "saved to "));
	app_ok("show diff json");
	assert_string_equal(app_output(), "[]\n");
	/* A file is compared by what it means. */
	app_write("b.conf", "# mine\n\nport add p1 mtu 1400 # as before\n");
	app_ok("show diff b.conf");
	assert_string_equal(app_output(), "no difference: running and b.conf\n");
	session.role = FCN_ROLE_READ;
	app_ok("show diff");
	assert_int_not_equal(app_line("show diff b.conf"), 0);
	assert_int_not_equal(app_line("rollback 0"), 0);
	app_ok("show diff rollback 0");
	session.role = FCN_ROLE_FULL;
	app_ok("show diff | include ^[+] | json");
	app_write("b.conf", "port add p1\nport ad p2\n");
	refused("show diff b.conf", "b.conf:2:6: did you mean add? expected add or remove, found "
				    "\"ad\"\ncolumn 11: b.conf cannot be compared\n");
	unlink("a.conf");
	unlink("b.conf");
}

TEST(check)
{
	char *before = app_config(), *now;
	const uint64_t n = fcn_control_commits(platform.ctl);

	app_write("c.conf", "port add p2\nset queue p2 class 3 notify on\n");
	app_ok("load c.conf check");
	assert_non_null(strstr(app_output(), "--- running\n+++ c.conf\n"));
	assert_non_null(strstr(app_output(), "\n+ port add p2"));
	assert_null(strstr(app_output(), "\n- "));
	assert_non_null(strstr(app_output(), "\nwarning: "));
	app_ok("load c.conf replace check");
	assert_non_null(strstr(app_output(), "\n- port add p1"));
	app_write("c.conf", "port add p2\nset queue p2 clas 3 notify on\nport add p2\n");
	assert_int_not_equal(app_line("load c.conf check"), 0);
	assert_non_null(strstr(app_output(), "c.conf:2:14: "));
	assert_non_null(strstr(app_output(), "c.conf:3:10: "));
	/* What only a commit finds. */
	app_write("c.conf", "port add p1 device net_ring7\n");
	assert_int_not_equal(app_line("load c.conf replace check"), 0);
	assert_string_equal(app_output(),
			"c.conf: port p1: remove it first, then add it with another device or "
			"number of queues or descriptors\ncolumn 6: c.conf would not be loaded\n");
	now = app_config();
	assert_string_equal(now, before);
	assert_int_equal(fcn_control_commits(platform.ctl), n);
	assert_int_equal(platform.port[1].opened, 0);
	free(now);
	free(before);
	unlink("c.conf");
}

/* ---- events ---- */

TEST(who_and_what)
{
	session.user = "carol";
	session.role = FCN_ROLE_OPERATE;
	app_ok("set port p1 mtu 1400");
	app_ok("show port");
	assert_int_not_equal(app_line("set port p1 mtu 1"), 0);
	session.role = FCN_ROLE_FULL;
	app_ok("commit confirm 5");
	app_ok("show events last 3 json");
	platform_gives(json_loads(app_output(), 0, NULL),
			"{'events': [{'event': 'configured', 'port': null, 'user': 'carol', "
			"'role': "
			"'operate', 'text': 'set port p1 mtu 1400'}, {'event': 'warning'}, "
			"{'event': 'configured', 'role': 'full', 'text': 'commit confirm 5'}]}");
}

TEST(follow)
{
	char line[64];
	const char *next;

	app_ok("set port p1 mtu 1400");
	app_ok("show events follow");
	assert_non_null(strstr(app_output(), " configured user alice role full text \"set port p1 "
					     "mtu 1400\"\nnext "));
	next = strstr(app_output(), "next ");
	snprintf(line, sizeof(line), "show events follow after %llu", strtoull(next + 5, NULL, 10));
	app_ok(line);
	assert_true(strncmp(app_output(), "next ", 5) == 0);
	app_ok("set port p1 mtu 1401");
	platform.port[0].down = true;
	fcn_control_link_poll(platform.ctl);
	app_ok(line);
	assert_non_null(strstr(app_output(), "mtu 1401\"\n"));
	assert_non_null(strstr(app_output(), " link_down port p1 mbps "));
	strcat(line, " json");
	app_ok(line);
	assert_non_null(strstr(app_output(), "\"event\":\"link_down\",\"port\":\"p1\""));
	assert_non_null(strstr(app_output(), "{\"next\":"));
}
