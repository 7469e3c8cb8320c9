/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <rte_common.h>

#include <microhttpd.h>

#include "http_api.h"
#include "metrics_server.h"
#include "page_server.h"

#define CONNECTIONS 16
#define CONNECTIONS_OF_ADDRESS 12
#define IDLE_S 5
#define LIFE_MS 10000
#define REQUEST_BYTES (16 * 1024)
#define FRESH_MS 1000
#define TIMEOUT_MS 1000

/* A connection, which is ended when it is too old. */
struct connection {
	int fd; /* -1: none */
	uint64_t since_ms;
};

/* A response that is sent again while it is fresh. Used by the server's thread alone. */
struct cached {
	struct MHD_Response *response;
	uint64_t made_ms;
};

struct fcn_metrics_server {
	struct fcn_metrics_source source;
	struct MHD_Daemon *daemon;
	struct fcn_http_api *api;
	struct cached cached[2]; /* by format */
	struct page_server *page;
	uint16_t port;
	char name[FCN_ADDR_STRLEN + 10];
	/* written by the server thread, read by any */
	FCN_METRICS_SERVER_COUNTERS(FCN_COUNTER_MEMBER)
	pthread_mutex_t lock;
	struct connection connection[CONNECTIONS];
};

static uint64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* ---- the server's thread ---- */

/*
 * Make a response with all its headers, or none: clients refuse a text without a content type. A
 * text that is to be freed belongs to the response, also on failure.
 */
static struct MHD_Response *
make_response(char *text, enum MHD_ResponseMemoryMode mode, const char *type)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(strlen(text), text, mode);

	if (r == NULL) {
		if (mode == MHD_RESPMEM_MUST_FREE)
			free(text);
		return NULL;
	}
	/* As each connection has one request, the age of the connection is that of the request.
	 */
	if (MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type) == MHD_YES &&
			MHD_add_response_header(r, MHD_HTTP_HEADER_CONNECTION, "close") == MHD_YES)
		return r;
	MHD_destroy_response(r);
	return NULL;
}

static enum MHD_Result
refuse(struct MHD_Connection *c, unsigned int status, const char *text)
{
	struct MHD_Response *r = make_response(
			(char *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT, "text/plain");
	enum MHD_Result result = MHD_YES;

	if (r == NULL)
		return MHD_NO;
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		result = MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	if (result == MHD_YES)
		result = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return result;
}

/* Runs on the control thread. */
static void *
write_text(void *arg, const void *question)
{
	const struct fcn_metrics_source *source = arg;

	return source->text(source->arg, *(const enum fcn_metrics_format *)question);
}

static struct MHD_Response *
get_metrics(struct fcn_metrics_server *s, enum fcn_metrics_format format)
{
	struct cached *cached = &s->cached[format];
	uint64_t now = now_ms();
	char *text;

	if (cached->response != NULL && now - cached->made_ms < FRESH_MS)
		return cached->response;
	text = fcn_control_rpc_call(s->source.rpc, write_text, &s->source, &format, sizeof(format),
			free, TIMEOUT_MS);
	if (text == NULL)
		return NULL;
	if (cached->response != NULL)
		MHD_destroy_response(cached->response); /* connections that send it keep it */
	cached->response = make_response(
			text, MHD_RESPMEM_MUST_FREE, fcn_metrics_content_type(format));
	cached->made_ms = now;
	return cached->response;
}

static enum MHD_Result
refuse_busy(struct fcn_metrics_server *s, struct MHD_Connection *c)
{
	__atomic_fetch_add(&s->failed, 1, __ATOMIC_RELAXED);
	return refuse(c, MHD_HTTP_SERVICE_UNAVAILABLE,
			"the switch had no time, or no memory, to answer\n");
}

static enum MHD_Result
answer_metrics(struct fcn_metrics_server *s, struct MHD_Connection *c)
{
	struct MHD_Response *r = get_metrics(
			s, fcn_metrics_choose(MHD_lookup_connection_value(
					   c, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT)));

	if (r == NULL)
		return refuse_busy(s, c);
	__atomic_fetch_add(&s->scrapes, 1, __ATOMIC_RELAXED);
	return MHD_queue_response(c, MHD_HTTP_OK, r);
}

/* The files of the page, and its feed; all that is not there, too. */
static enum MHD_Result
answer_page(struct fcn_metrics_server *s, struct MHD_Connection *c, const char *url)
{
	enum MHD_Result result = MHD_NO;

	switch (page_server_answer(s->page, c, url, &result)) {
	case PAGE_OTHER:
		return refuse(c, MHD_HTTP_NOT_FOUND,
				"there are /, a page for people, /metrics, /healthz, /livez, "
				"/api/v1/schema and /api/v1/show/NAME\n");
	case PAGE_NO_FEED:
		return refuse_busy(s, c);
	case PAGE_FEED:
		__atomic_fetch_add(&s->feeds, 1, __ATOMIC_RELAXED);
		break;
	case PAGE_FILE:
		break;
	}
	return result;
}

static enum MHD_Result
handle(void *arg, struct MHD_Connection *c, const char *url, const char *method,
		const char *version, const char *upload, size_t *upload_size, void **state)
{
	struct fcn_metrics_server *s = arg;
	enum MHD_Result result = MHD_NO;

	RTE_SET_USED(version);
	RTE_SET_USED(upload);
	RTE_SET_USED(upload_size);
	RTE_SET_USED(state);
	if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
		return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
	if (strcmp(url, "/metrics") == 0)
		return answer_metrics(s, c);
	/* Pages of others must not read what the switch tells; probes are told hardly anything. */
	if (strcmp(url, "/healthz") != 0 && strcmp(url, "/livez") != 0 &&
			!page_server_is_asked(s->page, c, &result))
		return result;
	if (fcn_http_api_has(s->api, url))
		return fcn_http_api_answer(s->api, c, url);
	return answer_page(s, c, url);
}

static void
note_connection(void *arg, struct MHD_Connection *c, void **slot,
		enum MHD_ConnectionNotificationCode code)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
			c, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct fcn_metrics_server *s = arg;
	struct connection *entry = *slot;

	pthread_mutex_lock(&s->lock);
	if (code == MHD_CONNECTION_NOTIFY_CLOSED && entry != NULL) {
		entry->fd = -1;
		*slot = NULL;
	}
	for (unsigned int i = 0; code == MHD_CONNECTION_NOTIFY_STARTED && i < CONNECTIONS; i++) {
		entry = &s->connection[i];
		if (entry->fd >= 0)
			continue;
		*entry = (struct connection){.fd = info->connect_fd, .since_ms = now_ms()};
		*slot = entry;
		break;
	}
	pthread_mutex_unlock(&s->lock);
}

/* ---- the control thread ---- */

static socklen_t
socket_address(const struct fcn_addr *addr, uint16_t port, struct sockaddr_storage *sa)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)sa;
	struct sockaddr_in *in4 = (struct sockaddr_in *)sa;

	memset(sa, 0, sizeof(*sa));
	if (addr->version == 6) {
		in6->sin6_family = AF_INET6;
		in6->sin6_port = htons(port);
		memcpy(&in6->sin6_addr, addr->bytes, 16);
		return sizeof(*in6);
	}
	in4->sin_family = AF_INET;
	in4->sin_port = htons(port);
	memcpy(&in4->sin_addr, addr->bytes, 4);
	return sizeof(*in4);
}

/* @return a descriptor or a negative errno */
static int
open_socket(const struct fcn_addr *addr, uint16_t *port)
{
	struct sockaddr_storage sa;
	socklen_t len = socket_address(addr, *port, &sa);
	int fd = socket(sa.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1, rc;

	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *)&sa, len) != 0 || listen(fd, CONNECTIONS) != 0 ||
			getsockname(fd, (struct sockaddr *)&sa, &len) != 0) {
		rc = -errno;
		close(fd);
		return rc;
	}
	/* IPv4 and IPv6 addresses have the port at the same offset. */
	*port = ntohs(((struct sockaddr_in *)&sa)->sin_port);
	return fd;
}

static int
start_daemon(struct fcn_metrics_server *s, int fd)
{
	s->daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_AUTO, 0, NULL, NULL,
			handle, s, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
			(unsigned int)CONNECTIONS, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
			(unsigned int)CONNECTIONS_OF_ADDRESS, MHD_OPTION_CONNECTION_TIMEOUT,
			(unsigned int)IDLE_S, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
			(size_t)REQUEST_BYTES, MHD_OPTION_NOTIFY_CONNECTION, note_connection, s,
			MHD_OPTION_END);
	return s->daemon != NULL ? 0 : -EIO;
}

struct fcn_metrics_server *
fcn_metrics_server_create(const struct fcn_metrics_source *source, const struct fcn_addr *addr,
		uint16_t port, char *err, size_t err_size)
{
	struct fcn_metrics_server *s = calloc(1, sizeof(*s));
	char text[FCN_ADDR_STRLEN];
	int fd, rc;

	fcn_addr_format(addr, text, sizeof(text));
	if (s == NULL) {
		snprintf(err, err_size, "out of memory");
		return NULL;
	}
	s->source = *source;
	s->port = port;
	if (source->shows != NULL)
		s->api = fcn_http_api_create(source->rpc, source->shows);
	s->page = page_server_create(&s->source, addr);
	if ((source->shows != NULL && s->api == NULL) || s->page == NULL) {
		snprintf(err, err_size, "out of memory");
		fcn_http_api_free(s->api);
		page_server_free(s->page);
		free(s);
		return NULL;
	}
	pthread_mutex_init(&s->lock, NULL);
	for (unsigned int i = 0; i < CONNECTIONS; i++)
		s->connection[i].fd = -1;
	fd = rc = open_socket(addr, &s->port);
	snprintf(s->name, sizeof(s->name), addr->version == 6 ? "[%s]:%u" : "%s:%u", text, s->port);
	if (fd >= 0)
		rc = start_daemon(s, fd);
	if (rc == 0)
		return s;
	snprintf(err, err_size, "cannot listen at %s: %s", s->name, strerror(-rc));
	if (fd >= 0)
		close(fd);
	fcn_http_api_free(s->api);
	pthread_mutex_destroy(&s->lock);
	page_server_free(s->page);
	free(s);
	return NULL;
}

void
fcn_metrics_server_free(struct fcn_metrics_server *s)
{
	if (s == NULL)
		return;
	MHD_stop_daemon(s->daemon); /* closes the socket, too */
	for (unsigned int i = 0; i < RTE_DIM(s->cached); i++) {
		if (s->cached[i].response != NULL)
			MHD_destroy_response(s->cached[i].response);
	}
	fcn_http_api_free(s->api);
	page_server_free(s->page);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

void
fcn_metrics_server_tick(struct fcn_metrics_server *s)
{
	uint64_t now = now_ms();

	pthread_mutex_lock(&s->lock);
	for (unsigned int i = 0; i < CONNECTIONS; i++) {
		/* The server's thread then sees the end of the connection and closes it. */
		if (s->connection[i].fd >= 0 && now - s->connection[i].since_ms > LIFE_MS)
			shutdown(s->connection[i].fd, SHUT_RDWR);
	}
	pthread_mutex_unlock(&s->lock);
}

const char *
fcn_metrics_server_name(const struct fcn_metrics_server *s)
{
	return s->name;
}

uint16_t
fcn_metrics_server_port(const struct fcn_metrics_server *s)
{
	return s->port;
}

void
fcn_metrics_server_stats(const struct fcn_metrics_server *s, struct fcn_metrics_server_stats *stats)
{
#define READ(member, ...) stats->member = __atomic_load_n(&s->member, __ATOMIC_RELAXED);
	FCN_METRICS_SERVER_COUNTERS(READ)
#undef READ
	fcn_http_api_stats(s->api, &stats->shows, &stats->shows_put_off);
}
