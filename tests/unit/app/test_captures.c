/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Captures under way: a file that does not keep up, one that fails, many at
 * once, and threads. What files hold is looked at by tests/interop/test_capture.py.
 */

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app_util.h"
#include "fcn_capture_control.h"
#include "port_bits.h"

#define UNITS 16384

static int
setup(void **state)
{
	static const char *const lines[] = {
			"port add p1", "port add p2", "set port p1 link 10G", NULL};
	int rc = app_setup(state);

	if (rc == 0) {
		session.captures = fcn_captures_create(
				&(struct fcn_captures_conf){.ctl = platform.ctl, .units = UNITS});
		rc = session.captures == NULL;
		app_all(lines);
		platform.source = true;
	}
	return rc;
}

static int
teardown(void **state)
{
	fcn_captures_free(session.captures);
	return app_teardown(state);
}

TEST_FIXTURE(APP_TEST, .setup = setup, .teardown = teardown);

static void
turns(unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		fcn_poll_once(fcn_control_worker(platform.ctl, 0),
				fcn_control_worker(platform.ctl, 0)->now + 1000);
}

/* The only capture, or the one into a file. */
static json_t *
shown(const char *file)
{
	json_t *list = fcn_captures_show(session.captures), *o, *found = NULL;
	size_t i;

	json_array_foreach (list, i, o) {
		if (strcmp(json_string_value(json_object_get(o, "file")), file) == 0)
			found = json_incref(o);
	}
	json_decref(list);
	assert_non_null(found);
	return found;
}

static uint64_t
figure(const char *file, const char *key)
{
	json_t *o = shown(file);
	uint64_t n = json_integer_value(json_object_get(o, key));

	json_decref(o);
	return n;
}

static void
assert_state(const char *file, const char *want)
{
	json_t *o = shown(file);

	assert_string_equal(json_string_value(json_object_get(o, "state")), want);
	json_decref(o);
}

static uint64_t
received(void)
{
	struct fcn_conservation sum;

	fcn_control_conservation(platform.ctl, &sum);
	assert_true(fcn_conservation_holds(&sum));
	return sum.received;
}

/* Nobody writes for a while: what found no room is told, and forwarding never noticed. */
TEST(behind)
{
	uint64_t missed, all;
	struct stat file;

	app_ok("capture start port all rx file behind");
	turns(400);
	missed = figure("behind", "missed");
	assert_true(missed > 0);
	fcn_captures_run(session.captures);
	turns(1);
	fcn_captures_run(session.captures);
	all = received();
	assert_int_equal(figure("behind", "missed"), missed); /* there is room again */
	app_ok("capture stop");
	assert_int_equal(figure("behind", "packets") + missed, all);
	assert_int_equal(stat("behind", &file), 0);
	assert_int_equal(figure("behind", "bytes"), file.st_size);
	assert_state("behind", "stopped");
	turns(5);
	assert_int_equal(figure("behind", "packets") + missed, all);
}

/* A file that fails ends its own capture alone, and workers stop copying for it. */
TEST(failing)
{
	app_ok("capture start port all rx file /dev/full");
	app_ok("capture start port p1 tx file good");
	for (unsigned int i = 0; i < 100; i++) {
		turns(10);
		fcn_captures_run(session.captures);
	}
	assert_state("/dev/full", "failed");
	assert_state("good", "running");
	assert_int_equal(
			bits_of(fcn_control_worker(platform.ctl, 0)->capture.ports[FCN_CAPTURE_RX]),
			0);
	assert_int_equal(
			bits_of(fcn_control_worker(platform.ctl, 0)->capture.ports[FCN_CAPTURE_TX]),
			1);
	assert_int_equal(figure("/dev/full", "packets"), 0);
	assert_true(figure("/dev/full", "missed") > 0);
	received();
}

/* A pipe's reader that takes nothing is not waited for without end. */
TEST(stalled_pipe)
{
	int fd;

	assert_int_equal(mkfifo("pipe", 0600), 0);
	fd = open("pipe", O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	app_ok("capture start port all rx file pipe");
	for (unsigned int i = 0; i < 200; i++) {
		turns(10);
		fcn_captures_run(session.captures);
	}
	assert_state("pipe", "failed");
	app_ok("show capture");
	assert_non_null(strstr(app_output(), "the reader of the pipe does not read"));
	close(fd);
	unlink("pipe");
}

/* Ports receive and send; drops may count for a sub-interface, as long as it is the same. */
TEST(sub_interface)
{
	const struct fcn_capture *c = &fcn_control_worker(platform.ctl, 0)->capture;

	app_ok("port add p1.7 vlan 7 of p1");
	assert_int_not_equal(app_line("capture start port p1.7 rx file x"), 0);
	assert_int_not_equal(app_line("capture start port p1.7 tx file x"), 0);
	assert_int_not_equal(app_line("capture start port p1.7 both file x"), 0);
	app_ok("capture start port p1.7 drop file drops");
	assert_true(fcn_capture_is_on(c, FCN_CAPTURE_DROP));
	app_ok("set port p1.7 mtu 1300");
	assert_true(fcn_capture_is_on(c, FCN_CAPTURE_DROP));
	app_ok("port remove p1.7");
	assert_false(fcn_capture_is_on(c, FCN_CAPTURE_DROP));
	app_ok("capture stop");
}

/* A port that goes, and another that gets its number, while it is captured. */
TEST(ports_come_and_go)
{
	uint64_t packets;

	app_ok("capture start port p1 rx file gone");
	app_ok("capture start port all rx file all");
	turns(2);
	fcn_captures_run(session.captures);
	packets = figure("gone", "packets");
	assert_true(packets > 0);
	app_ok("port remove p1");
	app_ok("port add other");
	turns(2);
	fcn_captures_run(session.captures);
	assert_int_equal(figure("gone", "packets"), packets);
	assert_true(figure("all", "packets") > packets);
	app_ok("capture stop");
	assert_int_equal(figure("all", "packets"), received());
}

TEST(not_saved)
{
	char *before = app_config(), *with;

	app_ok("capture start port all both file saved");
	with = app_config();
	assert_string_equal(before, with);
	free(before);
	free(with);
	app_write("capture.conf", "capture start port all rx file never\n");
	assert_int_not_equal(app_line("load capture.conf"), 0);
	assert_int_not_equal(access("never", F_OK), 0);
}

/* Without captures, as in a program that has none. */
TEST(nowhere)
{
	struct fcn_captures *kept = session.captures;

	session.captures = NULL;
	assert_int_not_equal(app_line("capture start port p1 rx file x"), 0);
	assert_non_null(strstr(app_output(), "nothing can be captured here"));
	assert_int_not_equal(app_line("capture stop"), 0);
	app_ok("show capture");
	session.captures = kept;
}

/* The writer is a thread: files are whole when a stop returns, and when all ends. */
TEST(thread)
{
	uint64_t all = 0;

	fcn_captures_free(session.captures);
	session.captures = fcn_captures_create(
			&(struct fcn_captures_conf){.ctl = platform.ctl, .threaded = true});
	for (unsigned int round = 0; round < 50; round++) {
		uint64_t before = received();

		app_ok("capture start port all rx file thread");
		turns(3);
		app_ok("capture stop thread");
		assert_state("thread", "stopped");
		all = received();
		assert_int_equal(figure("thread", "packets") + figure("thread", "missed"),
				all - before);
	}
	app_ok("capture start port all rx file thread packets 5");
	turns(3);
	app_ok("capture stop");
	assert_int_equal(figure("thread", "packets"), 5);
	assert_state("thread", "full");
	app_ok("capture start port all both file last");
	turns(3);
}
