/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/*
 * Metrics, and the page of the switch, over HTTP when there is no memory: the answer is whole or an
 * error, and nothing of a failed one is kept. Calls of libmicrohttpd fail by the linker's --wrap.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include <microhttpd.h>

#include "fcn_test.h"
#include "metrics_server.h"
#include "page_server.h"

#define TEXT "fastcn_x 1\n# EOF\n"
#define FEED "{\"queues\":[]}"
#define HEADERS 8 /* that a file of the page, and its feed, have from fastcn */

/* Calls of either kind so far, and which of them fails; 0: none. */
static unsigned int n_headers, failing_header, n_responses, failing_response;
static bool no_text;

static struct fcn_control_rpc *rpc;
static struct fcn_metrics_server *server;

enum MHD_Result __real_MHD_add_response_header(
		struct MHD_Response *r, const char *header, const char *content);
enum MHD_Result __wrap_MHD_add_response_header(
		struct MHD_Response *r, const char *header, const char *content);
struct MHD_Response *__real_MHD_create_response_from_buffer(
		size_t size, void *buffer, enum MHD_ResponseMemoryMode mode);
struct MHD_Response *__wrap_MHD_create_response_from_buffer(
		size_t size, void *buffer, enum MHD_ResponseMemoryMode mode);

enum MHD_Result
__wrap_MHD_add_response_header(struct MHD_Response *r, const char *header, const char *content)
{
	return ++n_headers == failing_header ? MHD_NO
					     : __real_MHD_add_response_header(r, header, content);
}

struct MHD_Response *
__wrap_MHD_create_response_from_buffer(size_t size, void *buffer, enum MHD_ResponseMemoryMode mode)
{
	return ++n_responses == failing_response
			       ? NULL
			       : __real_MHD_create_response_from_buffer(size, buffer, mode);
}

static char *
text(void *arg, enum fcn_metrics_format format)
{
	RTE_SET_USED(arg);
	RTE_SET_USED(format);
	return no_text ? NULL : strdup(TEXT);
}

static char *
feed(void *arg)
{
	RTE_SET_USED(arg);
	return no_text ? NULL : strdup(FEED);
}

static int
setup(void **state)
{
	const struct fcn_addr addr = {.version = 4, .bytes = {127, 0, 0, 1}};
	struct fcn_metrics_source source = {.text = text, .feed = feed};
	char err[256];

	RTE_SET_USED(state);
	n_headers = failing_header = n_responses = failing_response = 0;
	no_text = false;
	rpc = source.rpc = fcn_control_rpc_create();
	assert_non_null(rpc);
	server = fcn_metrics_server_create(&source, &addr, 0, err, sizeof(err));
	return server == NULL ? -1 : 0;
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_metrics_server_free(server);
	fcn_control_rpc_unref(rpc);
	return 0;
}

TEST_FIXTURE(.setup = setup, .teardown = teardown);

struct client {
	const char *request;
	const char *from; /* its address; NULL: any */
	char answer[1000];
	bool done;
};

static void *
client_main(void *arg)
{
	struct client *c = arg;
	struct sockaddr_in to = {.sin_family = AF_INET,
			.sin_port = htons(fcn_metrics_server_port(server)),
			.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_in from = {.sin_family = AF_INET};
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	size_t len = 0;
	ssize_t n;

	if (c->from != NULL) {
		inet_pton(AF_INET, c->from, &from.sin_addr);
		bind(fd, (struct sockaddr *)&from, sizeof(from));
	}
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 &&
			send(fd, c->request, strlen(c->request), MSG_NOSIGNAL) > 0) {
		while ((n = recv(fd, c->answer + len, sizeof(c->answer) - 1 - len, 0)) > 0)
			len += (size_t)n;
	}
	close(fd);
	__atomic_store_n(&c->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* @return what the server says; this thread is the control thread */
static const char *
ask_from(const char *from, const char *request)
{
	static struct client c;
	struct pollfd pfd = {.fd = fcn_control_rpc_fd(rpc), .events = POLLIN};
	pthread_t thread;

	c = (struct client){.request = request, .from = from};
	assert_int_equal(pthread_create(&thread, NULL, client_main, &c), 0);
	while (!__atomic_load_n(&c.done, __ATOMIC_ACQUIRE)) {
		if (poll(&pfd, 1, 10) == 1)
			fcn_control_rpc_serve(rpc);
	}
	pthread_join(thread, NULL);
	return c.answer;
}

static const char *
ask(const char *request)
{
	return ask_from(NULL, request);
}

static void
assert_answer(const char *request, const char *status, const char *header, const char *body)
{
	const char *answer = ask(request);

	if (strncmp(answer, status, strlen(status)) != 0 || strstr(answer, header) == NULL ||
			strstr(answer, "\r\nConnection: close\r\n") == NULL ||
			strcmp(strstr(answer, "\r\n\r\n"), body) != 0)
		fail_msg("%s", answer);
}

static void
assert_whole(void)
{
	assert_answer("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 200 ",
			"\r\nContent-Type: application/openmetrics-text;", "\r\n\r\n" TEXT);
}

static void
assert_unavailable(void)
{
	struct fcn_metrics_server_stats before, after;

	fcn_metrics_server_stats(server, &before);
	assert_answer("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 503 ",
			"\r\nContent-Type: text/plain\r\n",
			"\r\n\r\nthe switch had no time, or no memory, to answer\n");
	fcn_metrics_server_stats(server, &after);
	assert_int_equal(after.failed, before.failed + 1);
	assert_int_equal(after.scrapes, before.scrapes);
}

/* An answer without one of its headers is none, and is not kept for the next one who asks. */
TEST(no_header)
{
	for (unsigned int i = 1; i <= 2; i++) {
		teardown(NULL);
		assert_int_equal(setup(NULL), 0);
		failing_header = i;
		assert_unavailable();
		assert_whole();
		assert_whole(); /* what was kept */
	}
}

TEST(no_response)
{
	failing_response = 1;
	assert_unavailable();
	assert_whole();
}

TEST(no_text)
{
	no_text = true;
	assert_unavailable();
	no_text = false;
	assert_whole();
}

/* Not even the error can be said: the connection ends. */
TEST(nothing)
{
	static const char request[] = "PUT /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";

	failing_response = 1;
	assert_string_equal(ask(request), "");
	failing_header = n_headers + 3; /* content type, connection, allow */
	assert_string_equal(ask(request), "");
	assert_answer(request, "HTTP/1.1 405 ", "\r\nAllow: GET, HEAD\r\n", "\r\n\r\nonly GET\n");
}

static void
again(void)
{
	teardown(NULL);
	assert_int_equal(setup(NULL), 0);
}

static void
assert_feed(void)
{
	assert_answer("GET /feed HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 200 ",
			"\r\nContent-Type: application/json\r\n", "\r\n\r\n" FEED);
}

static void
assert_no_feed(void)
{
	struct fcn_metrics_server_stats before, after;

	fcn_metrics_server_stats(server, &before);
	assert_answer("GET /feed HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 503 ",
			"\r\nContent-Type: text/plain\r\n",
			"\r\n\r\nthe switch had no time, or no memory, to answer\n");
	fcn_metrics_server_stats(server, &after);
	assert_int_equal(after.failed, before.failed + 1);
	assert_int_equal(after.feeds, before.feeds);
}

/* A feed without one of its headers is none, and is not kept for the next one who asks. */
TEST(feed_no_header)
{
	for (unsigned int i = 1; i <= HEADERS; i++) {
		again();
		failing_header = i;
		assert_no_feed();
		assert_feed();
		assert_feed(); /* what was kept */
		assert_int_equal(n_headers, i + 2 + HEADERS);
	}
}

TEST(feed_no_response)
{
	failing_response = 1;
	assert_no_feed();
	assert_feed();
}

TEST(feed_no_text)
{
	no_text = true;
	assert_no_feed();
	no_text = false;
	assert_feed();
}

/* A file of the page comes with all its headers, or the connection ends. */
TEST(file_no_memory)
{
	static const char request[] = "GET /icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n";

	for (unsigned int i = 1; i <= HEADERS; i++) {
		again();
		failing_header = i;
		assert_string_equal(ask(request), "");
		assert_memory_equal(ask(request), "HTTP/1.1 200 ", 13);
		assert_int_equal(n_headers, i + HEADERS);
	}
	again();
	failing_response = 1;
	assert_string_equal(ask(request), "");
	assert_memory_equal(ask(request), "HTTP/1.1 200 ", 13);
}

TEST(names)
{
	static const struct {
		const char *host;
		bool local;
	} names[] = {
			{NULL, true},
			{"localhost", true},
			{"LOCALHOST:9750", true},
			{"127.0.0.1", true},
			{"192.0.2.1:9750", true},
			{"[2001:db8::1]:9750", true},
			{"", false},
			{"[", false},
			{"[]", false},
			{"[::1", false},
			{"[::1].example", false},
			{":9750", false},
			{"localhost.example", false},
			{"127.0.0.1.example:9750", false},
			{"switch.example", false},
			{"1234567890123456789012345678901234567890123456789012345678901234567890",
					false},
	};

	for (size_t i = 0; i < RTE_DIM(names); i++)
		assert_int_equal(page_server_is_local_name(names[i].host), names[i].local);
}

static unsigned int
count_open(const int *fds, size_t n)
{
	unsigned int open = 0;
	char byte;

	for (size_t i = 0; i < n; i++)
		open += recv(fds[i], &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && errno == EAGAIN;
	return open;
}

/* However many connections an address has, another one is answered, and not only when the time of
 * these is over. */
TEST(one_address_has_not_all)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
			.sin_port = htons(fcn_metrics_server_port(server)),
			.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fds[32];

	for (size_t i = 0; i < RTE_DIM(fds); i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM, 0);
		assert_int_equal(connect(fds[i], (struct sockaddr *)&to, sizeof(to)), 0);
	}
	assert_memory_equal(
			ask_from("127.0.0.2", "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"),
			"HTTP/1.1 200 ", 13);
	assert_int_equal(count_open(fds, RTE_DIM(fds)), 12);
	for (size_t i = 0; i < RTE_DIM(fds); i++)
		close(fds[i]);
}
