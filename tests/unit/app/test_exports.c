/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Commands and options of what is exported; shows by name; a scrape over HTTP. */

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app_util.h"
#include "fcn_event_line.h"
#include "fcn_exports.h"
#include "fcn_notify.h"
#include "fcn_show_list.h"

static struct fcn_exports *exports;

static struct fcn_exports *
get_exports(void *arg)
{
	assert_ptr_equal(arg, &exports);
	return exports;
}

static const struct fcn_session_hooks hooks = {.arg = &exports, .exports = get_exports};

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
	return exports == NULL ? -1 : 0;
}

static int
teardown(void **state)
{
	fcn_exports_free(exports);
	exports = NULL;
	return app_teardown(state);
}

TEST_FIXTURE(APP_TEST, .setup = setup, .teardown = teardown);

static void
assert_said(const char *line, const char *want)
{
	assert_int_not_equal(app_line(line), 0);
	assert_string_equal(app_output(), want);
}

/* "listen" of show export; until the next call. */
static const char *
listens(void)
{
	static char text[128];
	json_t *v = fcn_exports_show(exports);

	snprintf(text, sizeof(text), "%s",
			json_string_value(
					json_object_get(json_object_get(v, "metrics"), "listen")));
	json_decref(v);
	return text;
}

/* Do what the option --metrics does. */
static int
option_metrics(const char *arg, char *err, size_t err_size)
{
	struct fcn_config_exports conf = {0};

	if (fcn_exports_option_metrics(arg, &conf, err, err_size) != 0)
		return -1;
	return fcn_exports_apply(exports, &conf, err, err_size);
}

static bool
has_metrics(void)
{
	char err[256];

	if (option_metrics("0", err, sizeof(err)) == 0)
		return true;
	assert_string_equal(err, "fastcn was built without libmicrohttpd");
	return false;
}

/* In a replay. */
TEST(nothing)
{
	session.hooks = NULL;
	app_ok("set metrics listen 9750"); /* kept, and nothing is done with it */
	app_ok("set log events file");
	app_ok("show config");
	assert_non_null(strstr(app_output(), "set metrics listen 9750 on 127.0.0.1\n"
					     "set log events file\n"));
	assert_int_not_equal(access("file", F_OK), 0);
	assert_said("set log events reopen", "column 1: there is no log of events\n");
	app_ok("show export");
	assert_non_null(strstr(app_output(), "off"));
}

/* Of a flood of one kind, ten lines a second are written, and how many more there were. */
TEST(rate_of_log)
{
	const struct fcn_event notice = {.type = FCN_EVENT_NOTICE, .verdict = FCN_NOTIFY_SENT};
	struct fcn_collector *collector = fcn_control_collector(platform.ctl);
	char line[FCN_EVENT_LINE_MAX];
	unsigned int lines[2] = {0};
	json_t *v, *more = NULL;
	FILE *in;

	app_ok("set log events rate.json");
	for (unsigned int i = 0; i < 940; i++)
		fcn_collector_note(collector, &notice);
	v = fcn_exports_show(exports);
	assert_int_equal(platform_number(json_object_get(v, "events"), "left_out"), 930);
	json_decref(v);
	app_ok("set log events rate all");
	fcn_collector_note(collector, &notice);
	app_ok("set log events off");
	in = fopen("rate.json", "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in) != NULL) {
		v = json_loads(line, JSON_REJECT_DUPLICATES, NULL);
		assert_non_null(v);
		lines[0] += strcmp(platform_string(v, "event"), "notice") == 0;
		if (strcmp(platform_string(v, "event"), "more_like_this") == 0) {
			lines[1]++;
			more = json_incref(v);
		}
		json_decref(v);
	}
	fclose(in);
	assert_int_equal(lines[0], 11);
	assert_int_equal(lines[1], 1);
	assert_string_equal(platform_string(more, "of"), "notice");
	assert_int_equal(platform_number(more, "lines"), 930);
	json_decref(more);
	unlink("rate.json");
}

/* The same port again: at the same address, at one that includes it, and back. */
static void
test_metrics_moves(void)
{
	char line[128], port[16];

	snprintf(port, sizeof(port), "%s", strchr(listens(), ':') + 1);
	snprintf(line, sizeof(line), "set metrics listen %s on 127.0.0.2", port);
	app_ok(line);
	app_ok(line);
	snprintf(line, sizeof(line), "set metrics listen %s on 0.0.0.0", port);
	app_ok(line);
	assert_int_equal(strncmp(listens(), "0.0.0.0:", 8), 0);
	assert_string_equal(strchr(listens(), ':') + 1, port);
	snprintf(line, sizeof(line), "set metrics listen %s on 127.0.0.2", port);
	app_ok(line);
	assert_int_equal(strncmp(listens(), "127.0.0.2:", 10), 0);
	/* an address that cannot be had, on the port that is in use: the old one listens again */
	snprintf(line, sizeof(line), "set metrics listen %s on 192.0.2.1", port);
	assert_int_not_equal(app_line(line), 0);
	assert_int_equal(strncmp(listens(), "127.0.0.2:", 10), 0);
	assert_string_equal(strchr(listens(), ':') + 1, port);
}

TEST(metrics_commands)
{
	assert_string_equal(listens(), "off");
	app_ok("set metrics off");
	assert_said("set metrics listen 65536", "column 20: a port must be 0 to 65535\n");
	if (!has_metrics())
		skip();
	assert_int_equal(strncmp(listens(), "127.0.0.1:", 10), 0);
	app_ok("set metrics listen 0 on 127.0.0.2");
	assert_int_equal(strncmp(listens(), "127.0.0.2:", 10), 0);
	/* what cannot be leaves what was */
	assert_said("set metrics listen 1 on 192.0.2.1",
			"cannot listen at 192.0.2.1:1: Cannot assign requested address\n"
			"nothing was changed\n");
	assert_int_equal(strncmp(listens(), "127.0.0.2:", 10), 0);
	test_metrics_moves();
	app_ok("set metrics off");
	assert_string_equal(listens(), "off");
	/* log types of DPDK are still there, and their levels */
	app_ok("set log lib.eal error");
}

/* Check that just this warning about exports is in force. */
static void
assert_warning(const char *place, const char *reason)
{
	const struct fcn_warnings *set = fcn_control_warnings(platform.ctl);

	assert_int_equal(set->n, 1);
	assert_int_equal(set->item[0].kind, FCN_WARNING_EXPORT);
	assert_string_equal(set->item[0].place, place);
	assert_string_equal(set->item[0].reason, reason);
}

/* What cannot be opened when the program starts is opened later, and keeps nothing else from being
 * done, then or later. */
TEST(start)
{
	session.starting = true;
	app_ok("set log events none/events");
	session.starting = false;
	assert_warning("events", "none/events: No such file or directory");
	app_ok("set port p1 trust pcp");
	app_ok("set metrics off"); /* the log is not asked for again */
	assert_warning("events", "none/events: No such file or directory");
	app_ok("show config");
	assert_non_null(strstr(app_output(), "set log events none/events\n"));
	assert_int_equal(mkdir("none", 0755), 0);
	fcn_exports_run(exports);
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
	assert_int_equal(access("none/events", F_OK), 0);
	app_ok("set log events off");
	assert_int_equal(unlink("none/events"), 0);
	assert_int_equal(rmdir("none"), 0);
	/* Metrics, at an address that nobody has; what is typed instead is the end of it. */
	if (!has_metrics())
		skip();
	app_ok("set metrics off");
	session.starting = true;
	app_ok("set metrics listen 1 on 192.0.2.1");
	session.starting = false;
	assert_warning("metrics", "cannot listen at 192.0.2.1:1: Cannot assign requested address");
	app_ok("set log events events");
	assert_said("set metrics listen 2 on 192.0.2.1",
			"cannot listen at 192.0.2.1:2: Cannot assign requested address\n"
			"nothing was changed\n");
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 1);
	app_ok("set metrics listen 0 on 127.0.0.2");
	assert_int_equal(fcn_control_warnings(platform.ctl)->n, 0);
	assert_int_equal(unlink("events"), 0);
}

TEST(metrics_option)
{
	static const char *const bad[] = {"", ":", ":1", "x", "1x", "65536", "-1", "127.0.0.1",
			"127.0.0.1:", "127.0.0.1:x", "localhost:1", "[::1]", "[]:1", "1.2.3:4",
			"00000000000000000000000000000000000000000000000000127.0.0.1:1"};
	char err[256];

	for (size_t i = 0; i < RTE_DIM(bad); i++) {
		if (option_metrics(bad[i], err, sizeof(err)) == 0)
			fail_msg("%s", bad[i]);
		assert_string_equal(
				err, "the argument must be [ADDRESS:]PORT, such as 127.0.0.1:9750");
	}
	assert_string_equal(listens(), "off");
	if (!has_metrics())
		skip();
	assert_int_equal(option_metrics("127.0.0.3:0", err, sizeof(err)), 0);
	assert_int_equal(strncmp(listens(), "127.0.0.3:", 10), 0);
	if (option_metrics("[::1]:0", err, sizeof(err)) == 0)
		assert_int_equal(strncmp(listens(), "[::1]:", 6), 0);
	else /* no IPv6 here */
		assert_non_null(strstr(err, "[::1]:0"));
}

TEST(log_commands)
{
	assert_said("set log events reopen", "column 1: there is no log of events\n");
	assert_said("set log events no/such/dir",
			"no/such/dir: No such file or directory\nnothing was changed\n");
	app_ok("set log events events.json");
	app_ok("show export");
	assert_non_null(strstr(app_output(), "events.json"));
	/* what cannot be leaves what was */
	assert_int_not_equal(app_line("set log events no/such/dir"), 0);
	assert_int_equal(access("events.json", F_OK), 0);
	assert_int_equal(unlink("events.json"), 0);
	app_ok("set log events reopen");
	assert_int_equal(access("events.json", F_OK), 0);
	app_ok("set log events off");
	app_ok("show export");
	assert_null(strstr(app_output(), "events.json"));
}

/* Metrics and log follow the configuration, and options hold above files. */
TEST(configuration)
{
	static const struct fcn_session_options options = {
			.events = true, .exports.events = "option.json"};

	app_write("one.conf", "port add p7\nset log events one.json\n");
	app_write("bad.conf", "set log events bad.json\nset metrics listen 1 on 192.0.2.1\n");
	app_write("none.conf", "port add p7\n");
	app_ok("load one.conf replace");
	assert_int_equal(access("one.json", F_OK), 0);
	app_ok("show config");
	assert_non_null(strstr(app_output(), "set log events one.json\n"));
	/* other changes leave it alone, and a file that fails changes nothing */
	app_ok("set port p7 mtu 1400");
	app_ok("show export");
	assert_non_null(strstr(app_output(), "one.json"));
	assert_int_not_equal(app_line("load bad.conf replace"), 0);
	app_ok("show export");
	assert_non_null(strstr(app_output(), "one.json"));
	assert_int_not_equal(access("bad.json", F_OK), 0);
	/* a commit that fails after the log was opened returns to the old one */
	app_write("late.conf", "set log events late.json\nset notify fast-cnp on\n");
	assert_int_not_equal(app_line("load late.conf replace"), 0);
	app_ok("show export");
	assert_non_null(strstr(app_output(), "one.json"));
	session.options = &options;
	app_ok("load one.conf replace");
	app_ok("show export");
	assert_non_null(strstr(app_output(), "option.json"));
	app_ok("load none.conf replace");
	app_ok("show export");
	assert_non_null(strstr(app_output(), "option.json"));
	session.options = NULL;
	app_ok("load none.conf replace");
	app_ok("show export");
	assert_null(strstr(app_output(), ".json"));
	unlink("one.json");
	unlink("late.json");
	unlink("option.json");
}

/* A file name may hold any bytes, and the figures of the log are there all the same. */
TEST(log_name)
{
	char err[600];
	json_t *v;

	assert_int_equal(fcn_exports_log(exports, "ev\xe9nts", err, sizeof(err)), 0);
	v = fcn_exports_get(exports, "export");
	assert_non_null(v);
	assert_string_equal(
			json_string_value(json_object_get(json_object_get(v, "events"), "file")),
			"ev\\xe9nts");
	json_decref(v);
	app_ok("show export");
	app_ok("set log events off");
	unlink("ev\xe9nts");
}

static void
assert_error(const char *show, const char *params, const char *want)
{
	const struct fcn_show_source source = {.ctl = platform.ctl};
	json_t *v = fcn_show_by_name(&source, show, params);

	assert_string_equal(json_string_value(json_object_get(v, "error")), want);
	json_decref(v);
}

TEST(by_name)
{
	const struct fcn_show_source source = {.ctl = platform.ctl};
	json_t *v;

	assert_error("nope", NULL, "there is no show: nope");
	assert_error("port", "p3", "there is no port: p3");
	assert_error("queue", "p1,8", "not a class: 8");
	assert_error("queue", "p1,-1", "not a class: -1");
	assert_error("queue", "p1,3x", "not a class: 3x");
	assert_error("queue", "p1,3,3", "one parameter too many: 3");
	assert_error("drops", "p1", "one parameter too many: p1");
	assert_error("bridge", "br9", "there is no bridge: br9");
	assert_error("bridge", "p1", "there is no bridge: p1");
	assert_error("events", "9999999999", "not a number: 9999999999");
	assert_error("flows", "+1", "not a number: +1");
	/* bytes that are not UTF-8 are an error, and not the same as no parameter */
	assert_error("port", "p\xff", "there is no port: p\\xff");
	assert_error("queue", "p1,\xc3(", "not a class: \\xc3(");
	assert_error("events", "\xe2\x82\xac\xe2\x82", "not a number: \xe2\x82\xac\\xe2\\x82");
	v = fcn_show_by_name(&source, "port", "p2");
	assert_int_equal(json_array_size(v), 1);
	assert_string_equal(json_string_value(json_object_get(json_array_get(v, 0), "port")), "p2");
	json_decref(v);
	app_ok("bridge add br0");
	app_ok("bridge add br1");
	v = fcn_show_by_name(&source, "bridge", "br1");
	assert_int_equal(json_array_size(v), 1);
	assert_string_equal(
			json_string_value(json_object_get(json_array_get(v, 0), "bridge")), "br1");
	json_decref(v);
	platform_gives(fcn_show_by_name(&source, "flows", "0"), "[]");
}

/* Programs do not start watermarks afresh, people do. */
TEST(watermarks)
{
	static const char *const lines[] = {"bridge add br0", "bridge br0 port add p1",
			"bridge br0 port add p2", "set port p2 rate 1M", NULL};
	json_int_t most[3];

	app_all(lines);
	platform.source = true;
	fcn_poll_once(fcn_control_worker(platform.ctl, 0), 1000);
	platform.source = false;
	/* in a minute all has left */
	for (uint64_t now = 1000; now < 60000000000; now += 100000000)
		fcn_poll_once(fcn_control_worker(platform.ctl, 0), now);
	for (unsigned int i = 0; i < 3; i++) {
		json_t *v = i < 2 ? fcn_exports_get(exports, "queue")
				  : fcn_show_queues(platform.ctl, -1, -1, true);
		json_t *row = json_array_get(v, 8 + 3); /* p2, class 3 */

		assert_string_equal(json_string_value(json_object_get(row, "port")), "p2");
		assert_int_equal(json_integer_value(json_object_get(row, "occ_last")), 0);
		most[i] = json_integer_value(json_object_get(row, "occ_max"));
		json_decref(v);
	}
	assert_true(most[0] > 0);
	assert_int_equal(most[1], most[0]);
	assert_int_equal(most[2], most[0]);
}

/* A client on its own thread, while this one is the control thread. */
struct client {
	uint16_t port;
	const char *request;
	char answer[200000];
	size_t len;
	int done;
};

static void *
client_main(void *arg)
{
	struct client *c = arg;
	struct sockaddr_in to = {.sin_family = AF_INET,
			.sin_port = htons(c->port),
			.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	ssize_t n;

	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 &&
			send(fd, c->request, strlen(c->request), MSG_NOSIGNAL) > 0) {
		while ((n = recv(fd, c->answer + c->len, sizeof(c->answer) - 1 - c->len, 0)) > 0)
			c->len += n;
	}
	close(fd);
	c->answer[c->len] = '\0';
	__atomic_store_n(&c->done, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void
talk(struct client *c, const char *request, bool serve)
{
	struct pollfd pfd = {.fd = fcn_exports_fd(exports), .events = POLLIN};
	pthread_t thread;

	*c = (struct client){.request = request, .port = atoi(strrchr(listens(), ':') + 1)};
	assert_int_equal(pthread_create(&thread, NULL, client_main, c), 0);
	while (!__atomic_load_n(&c->done, __ATOMIC_ACQUIRE)) {
		poll(&pfd, serve, 50);
		if (serve)
			fcn_exports_run(exports);
	}
	pthread_join(thread, NULL);
}

static void
assert_begins(const char *text, const char *begin)
{
	if (strncmp(text, begin, strlen(begin)) != 0)
		fail_msg("%.100s", text);
}

TEST(scrape)
{
	static struct client c;

	if (!has_metrics())
		skip();
	/* nobody answers: an error in time, not a hang */
	talk(&c, "GET /metrics HTTP/1.0\r\n\r\n", false);
	assert_begins(c.answer, "HTTP/1.1 503 ");
	fcn_exports_run(exports);
	talk(&c, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", true);
	assert_begins(c.answer, "HTTP/1.1 200 OK\r\n");
	assert_non_null(strstr(c.answer, "\r\nConnection: close\r\n"));
	assert_non_null(strstr(c.answer, "\nfastcn_port_received_packets_total{port=\"p1\"} 0\n"));
	assert_non_null(strstr(c.answer, "\nfastcn_metrics_failed_scrapes_total 1\n"));
	/* also of queues that nothing went through */
	assert_non_null(strstr(c.answer,
			"\nfastcn_queue_sent_packets_total{port=\"p2\",class=\"7\"} 0\n"));
	assert_string_equal(c.answer + c.len - 6, "# EOF\n");
	/* again within a second: the same text, and the control thread is not asked */
	talk(&c, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", false);
	assert_begins(c.answer, "HTTP/1.1 200 OK\r\n");
	talk(&c, "DELETE /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", false);
	assert_begins(c.answer, "HTTP/1.1 405 ");
	talk(&c, "GET /../metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", false);
	assert_begins(c.answer, "HTTP/1.1 404 ");
	talk(&c, "nonsense\r\n\r\n", false);
	assert_null(strstr(c.answer, "200 OK"));
}
