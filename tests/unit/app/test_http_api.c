/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * The API over HTTP: what it answers, also when the control thread is silent, and what shows may
 * take of its time. This thread is the control thread. A `show` takes as long as the test says, by
 * the linker's --wrap.
 */

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "app_util.h"
#include "fcn_exports.h"
#include "fcn_show_schema.h"
#include "metrics_server.h"
#include "show_request.h"

static struct fcn_control_rpc *rpc;
static struct fcn_metrics_server *server;
static struct fcn_exports *exports;
static struct fcn_show_source source;
static bool silent;
static unsigned int n_runs, run_ms;

void __real_fcn_show_request_run(const struct fcn_show_source *of,
		const struct fcn_show_request *request, struct fcn_show_result *result);
void __wrap_fcn_show_request_run(const struct fcn_show_source *of,
		const struct fcn_show_request *request, struct fcn_show_result *result);

void
__wrap_fcn_show_request_run(const struct fcn_show_source *of,
		const struct fcn_show_request *request, struct fcn_show_result *result)
{
	n_runs++;
	usleep(run_ms * 1000);
	__real_fcn_show_request_run(of, request, result);
}

static struct fcn_exports *
get_exports(void *arg)
{
	RTE_SET_USED(arg);
	return exports;
}

static const struct fcn_session_hooks hooks = {.exports = get_exports};

static char *
text(void *arg, enum fcn_metrics_format format)
{
	RTE_SET_USED(arg);
	RTE_SET_USED(format);
	return strdup("# EOF\n");
}

static int
setup(void **state)
{
	const struct fcn_addr addr = {.version = 4, .bytes = {127, 0, 0, 1}};
	struct fcn_metrics_source metrics = {.text = text, .shows = &source};
	char err[256];

	if (app_setup(state) != 0)
		return -1;
	silent = false;
	n_runs = run_ms = 0;
	exports = fcn_exports_create(platform.ctl, NULL, err, sizeof(err));
	if (exports == NULL)
		return -1;
	fcn_exports_forwarding(exports, true);
	session.hooks = &hooks;
	source = (struct fcn_show_source){.ctl = platform.ctl, .exports = exports};
	app_ok("port add p0");
	app_ok("port add p1");
	rpc = metrics.rpc = fcn_control_rpc_create();
	server = fcn_metrics_server_create(&metrics, &addr, 0, err, sizeof(err));
	return server == NULL ? -1 : 0;
}

static int
teardown(void **state)
{
	fcn_metrics_server_free(server);
	fcn_control_rpc_unref(rpc);
	fcn_exports_free(exports);
	return app_teardown(state);
}

TEST_FIXTURE(APP_TEST, .setup = setup, .teardown = teardown);

struct client {
	char request[2048];
	char answer[1 << 20];
	bool done;
};

static void *
client_main(void *arg)
{
	struct client *c = arg;
	struct sockaddr_in to = {.sin_family = AF_INET,
			.sin_port = htons(fcn_metrics_server_port(server)),
			.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	size_t len = 0;
	ssize_t n;

	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 &&
			send(fd, c->request, strlen(c->request), MSG_NOSIGNAL) > 0) {
		while ((n = recv(fd, c->answer + len, sizeof(c->answer) - 1 - len, 0)) > 0)
			len += (size_t)n;
	}
	close(fd);
	__atomic_store_n(&c->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* The answer to GET of a path, which has to have this status. */
static const char *
get(unsigned int status, const char *path)
{
	static struct client c;
	struct pollfd pfd = {.fd = fcn_control_rpc_fd(rpc), .events = POLLIN};
	pthread_t thread;
	char want[64];

	memset(&c, 0, sizeof(c));
	snprintf(c.request, sizeof(c.request), "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
	assert_int_equal(pthread_create(&thread, NULL, client_main, &c), 0);
	while (!__atomic_load_n(&c.done, __ATOMIC_ACQUIRE)) {
		if (silent)
			usleep(10000);
		else if (poll(&pfd, 1, 10) == 1)
			fcn_control_rpc_serve(rpc);
	}
	pthread_join(thread, NULL);
	snprintf(want, sizeof(want), "HTTP/1.1 %u ", status);
	if (strncmp(c.answer, want, strlen(want)) != 0)
		fail_msg("%s: %.300s", path, c.answer);
	return c.answer;
}

static const char *
body(const char *answer)
{
	const char *end = strstr(answer, "\r\n\r\n");

	assert_non_null(end);
	return end + 4;
}

static json_t *
get_json(unsigned int status, const char *path)
{
	json_t *v = json_loads(body(get(status, path)), JSON_DECODE_ANY, NULL);

	if (v == NULL)
		fail_msg("%s: no JSON", path);
	return v;
}

static void
expect_error(unsigned int status, const char *path, const char *words)
{
	json_t *o = get_json(status, path);
	const char *said = json_string_value(json_object_get(o, "error"));

	assert_non_null(said);
	if (strstr(said, words) == NULL)
		fail_msg("%s: %s", path, said);
	json_decref(o);
}

/* Every show, by its name in the schema and on the console, is what the console says. */
TEST(shows)
{
	for (const struct fcn_show *s = fcn_shows; s->name != NULL; s++) {
		char name[64], path[128];
		json_t *console, *api;

		fcn_show_schema_name(s, name, sizeof(name));
		snprintf(path, sizeof(path), "/api/v1/show/%s", name);
		api = get_json(200, path);
		snprintf(path, sizeof(path), "show %s json", s->name);
		app_ok(path);
		console = json_loads(app_output(), JSON_DECODE_ANY, NULL);
		if (!json_equal(api, console))
			fail_msg("show %s differs", s->name);
		json_decref(api);
		json_decref(console);
	}
	json_decref(get_json(200, "/api/v1/show/route%20count"));
}

TEST(parameters)
{
	json_t *v = get_json(200, "/api/v1/show/queue?port=p1&class=3");

	assert_int_equal(json_array_size(v), 1);
	assert_string_equal(json_string_value(json_object_get(json_array_get(v, 0), "port")), "p1");
	assert_int_equal(json_integer_value(json_object_get(json_array_get(v, 0), "class")), 3);
	json_decref(v);
	v = get_json(200, "/api/v1/show/queue?all&port=p0");
	assert_int_equal(json_array_size(v), 8);
	json_decref(v);
	v = get_json(200, "/api/v1/show/queue?all=false&port=p0");
	assert_int_equal(json_array_size(v), 0);
	json_decref(v);
	expect_error(400, "/api/v1/show/queue?port=p9", "port=p9: there is none of this name");
	expect_error(400, "/api/v1/show/queue?class=8", "a class must be 0 to 7");
	expect_error(400, "/api/v1/show/queue?all=maybe", "it takes no value");
	expect_error(400, "/api/v1/show/queue?prot=p1",
			"show queue has no parameter prot; it has port, class, all");
	expect_error(400, "/api/v1/show/version?x", "it has none");
	expect_error(400, "/api/v1/show/queue?detail=1", "no parameter detail");
	expect_error(400, "/api/v1/show/route?prefix=x", "not a prefix");
	expect_error(400, "/api/v1/show/flows?limit=-1", "not a number");
	expect_error(400, "/api/v1/show/queue?a=1&b=1&c=1&d=1&e=1&f=1&g=1&h=1&i=1", "too many");
	expect_error(400,
			"/api/v1/show/queue?port="
			"1234567890123456789012345678901234567890123456789012345678901234567890",
			"too long");
	expect_error(400, "/api/v1/show/queue?port=%ff%00", "there is none");
	expect_error(404, "/api/v1/show/nothing", "no such show");
	get(404, "/api/v2/show/queue");
	get(404, "/api/v1/show");
}

/* Rows without a bound come in parts. */
TEST(parts)
{
	json_t *v;

	app_ok("address add p0 2001:db8::1/64");
	app_ok("route add 2001:db8:1::/48 via 2001:db8::2 port p0");
	app_ok("route add 2001:db8:2::/48 via 2001:db8::2 port p0");
	v = get_json(200, "/api/v1/show/route?limit=2&prefix=2001:db8::/32");
	assert_int_equal(json_array_size(v), 2);
	json_decref(v);
	assert_non_null(strstr(get(200, "/api/v1/show/route?limit=2&prefix=2001:db8::/32"),
			"</api/v1/show/route?limit=%32&prefix=%32%30%30%31%3A%64%62%38%3A%3A%2F%33%"
			"32&skip=2>; rel=\"next\""));
	v = get_json(200, "/api/v1/show/route?limit=%32&skip=2");
	assert_int_equal(json_array_size(v), 1);
	json_decref(v);
	assert_null(strstr(get(200, "/api/v1/show/route?limit=3"), "rel=\"next\""));
	/* A client that follows it would stay where it is. */
	assert_null(strstr(get(200, "/api/v1/show/route?limit=0"), "rel=\"next\""));
}

TEST(schema)
{
	json_t *v = get_json(200, "/api/v1/schema"), *made = fcn_show_schema();

	assert_true(json_equal(v, made));
	json_decref(v);
	json_decref(made);
	assert_non_null(strstr(get(200, "/api/v1/show/route_count"),
			"</api/v1/schema#/$defs/route_count>; rel=\"describedby\""));
}

/* Within a second the answer is the same one. */
TEST(cache)
{
	get(200, "/api/v1/show/queue?port=p0");
	get(200, "/api/v1/show/queue?port=p0");
	assert_int_equal(n_runs, 1);
	get(200, "/api/v1/show/queue?port=p1");
	assert_int_equal(n_runs, 2);
	usleep(1100 * 1000);
	get(200, "/api/v1/show/queue?port=p0");
	assert_int_equal(n_runs, 3);
}

/* After 200 ms of the control thread's time, shows wait until a tenth of the time makes up for it.
 */
TEST(share)
{
	struct fcn_metrics_server_stats stats;

	run_ms = 250;
	get(200, "/api/v1/show/queue?port=p0");
	expect_error(503, "/api/v1/show/queue?port=p1", "a tenth of the control thread's time");
	assert_non_null(strstr(get(503, "/api/v1/show/version"), "Retry-After: 1"));
	assert_int_equal(n_runs, 1);
	get(200, "/api/v1/show/queue?port=p0"); /* it is there already */
	get(200, "/healthz");                   /* and nothing else waits */
	get(200, "/metrics");
	run_ms = 0;
	usleep(600 * 1000);
	get(200, "/api/v1/show/version");
	assert_int_equal(n_runs, 2);
	fcn_metrics_server_stats(server, &stats);
	assert_int_equal(stats.shows, 3);
	assert_int_equal(stats.shows_put_off, 2);
}

TEST(health)
{
	assert_string_equal(body(get(200, "/healthz")), "ok\n");
	assert_string_equal(body(get(200, "/livez")), "ok\n");
	assert_string_equal(body(get(200, "/healthz?ports=p0,p1")), "ok\n");
	assert_string_equal(body(get(503, "/healthz?ports=p0,p7")), "port p7 does not exist\n");
	get(503, "/healthz?ports=p7");
}

/* A port without a link is no reason, unless the probe needs it, or no other works. */
TEST(health_ports)
{
	platform.port[1].down = true;
	fcn_control_link_poll(platform.ctl);
	assert_string_equal(body(get(200, "/healthz")), "ok\nport p1 has no link\n");
	assert_string_equal(body(get(200, "/healthz?ports=p0")), "ok\nport p1 has no link\n");
	assert_string_equal(body(get(503, "/healthz?ports=p1")), "port p1 has no link\n");
	platform.port[0].down = true;
	fcn_control_link_poll(platform.ctl);
	usleep(1100 * 1000);
	assert_string_equal(body(get(503, "/healthz")),
			"no port works: port p0 has no link, and so on for all 2\n");
	assert_string_equal(body(get(200, "/livez")), "ok\n");
}

TEST(health_stopped)
{
	fcn_exports_forwarding(exports, false);
	assert_string_equal(body(get(503, "/healthz")),
			"the switch is stopped: the command start has it forward\n");
	assert_string_equal(body(get(200, "/livez")), "ok\n");
}

/* Nobody waits for a silent control thread a second time. */
TEST(health_silent)
{
	silent = true;
	assert_string_equal(body(get(503, "/livez")),
			"the control thread has not answered for a second\n");
	assert_string_equal(body(get(503, "/healthz")),
			"the control thread has not answered for a second\n");
	expect_error(503, "/api/v1/show/version", "no time");
	silent = false;
	usleep(1100 * 1000);
	assert_string_equal(body(get(200, "/livez")), "ok\n");
}
