/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "server.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "connection.h"

#define SECOND_NS UINT64_C(1000000000)
#define ACCEPT_AGAIN_NS (SECOND_NS / 10)
#define LOG_NS (10 * SECOND_NS) /* time in which a reason has at most LOG_LINES lines */
#define LOG_LINES 5

/* ---- the log ---- */

void
server_log(struct server *s, const struct connection *c, const uint64_t *counter, const char *text,
		const char *detail)
{
	struct log_limit *l = &s->limit[counter - (const uint64_t *)(const void *)&s->counters];
	char left_out[64] = "";
	size_t len = detail != NULL ? strcspn(detail, "\n") : 0;

	if (l->begin_ns == 0 || s->now_ns - l->begin_ns >= LOG_NS) {
		if (l->left_out > 0)
			snprintf(left_out, sizeof(left_out), " (and %u more like this)",
					l->left_out);
		*l = (struct log_limit){.begin_ns = s->now_ns};
	}
	if (l->lines == LOG_LINES) {
		l->left_out++;
		return;
	}
	l->lines++;
	fprintf(stderr, "fastcn-qpd: %s%s%s: %s%s%.*s%s\n", c->is_open ? c->peer.name : "",
			c->is_open ? " at " : "", c->from, text, len > 0 ? ": " : "", (int)len,
			len > 0 ? detail : "", left_out);
}

/* ---- listening ---- */

static socklen_t
to_sockaddr(const struct qpd_listen *at, struct sockaddr_storage *to)
{
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)to;
	struct sockaddr_in *four = (struct sockaddr_in *)to;

	memset(to, 0, sizeof(*to));
	if (at->addr.version == 4) {
		four->sin_family = AF_INET;
		four->sin_port = htons(at->port);
		memcpy(&four->sin_addr, at->addr.bytes, 4);
		return sizeof(*four);
	}
	six->sin6_family = AF_INET6;
	six->sin6_port = htons(at->port);
	memcpy(&six->sin6_addr, at->addr.bytes, 16);
	return sizeof(*six);
}

static void
from_sockaddr(const struct sockaddr_storage *from, struct fcn_addr *addr)
{
	memset(addr, 0, sizeof(*addr));
	if (from->ss_family == AF_INET) {
		addr->version = 4;
		memcpy(addr->bytes, &((const struct sockaddr_in *)from)->sin_addr, 4);
	} else {
		addr->version = 6;
		memcpy(addr->bytes, &((const struct sockaddr_in6 *)from)->sin6_addr, 16);
	}
}

static int
open_listener(const struct qpd_listen *at)
{
	struct sockaddr_storage to;
	socklen_t len = to_sockaddr(at, &to);
	const int on = 1;
	int fd = socket(to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), error;

	if (fd < 0)
		return -errno;
	/* IPv4 has listeners of its own, so that addresses mean what they say. */
	if (to.ss_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
			bind(fd, (const struct sockaddr *)&to, len) == 0 && listen(fd, 128) == 0)
		return fd;
	error = errno;
	close(fd);
	return -error;
}

static void
wait_for_connections(struct server *s, bool is_wanted)
{
	if (s->is_listening == is_wanted)
		return;
	s->is_listening = is_wanted;
	for (unsigned int i = 0; i < s->opt->n_listen; i++) {
		struct epoll_event event = {
				.events = is_wanted ? EPOLLIN : 0, .data.ptr = &s->listen[i]};

		epoll_ctl(s->epoll, EPOLL_CTL_MOD, s->listen[i], &event);
	}
}

int
server_open(struct server *s, const struct qpd_options *opt, struct hosts *hosts, int epoll)
{
	char text[FCN_ADDR_STRLEN];

	s->opt = opt;
	s->hosts = hosts;
	s->epoll = epoll;
	TAILQ_INIT(&s->all);
	for (unsigned int i = 0; i < QPD_MAX_LISTEN; i++)
		s->listen[i] = -1;
	if (credentials_load(&s->credentials, opt) != 0)
		return -1;
	for (unsigned int i = 0; i < opt->n_listen; i++) {
		struct epoll_event event = {.events = EPOLLIN, .data.ptr = &s->listen[i]};
		int fd = open_listener(&opt->listen[i]);

		s->listen[i] = fd < 0 ? -1 : fd;
		if (fd >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0)
			continue;
		fprintf(stderr, "fastcn-qpd: --listen %s %u: %s\n",
				fcn_addr_format(&opt->listen[i].addr, text, sizeof(text)),
				opt->listen[i].port, strerror(fd < 0 ? -fd : errno));
		return -1;
	}
	s->is_listening = true;
	return 0;
}

void
server_close(struct server *s)
{
	struct connection *c;

	if (s->opt == NULL) /* it was not opened */
		return;
	while ((c = TAILQ_FIRST(&s->all)) != NULL)
		connection_free(c);
	for (unsigned int i = 0; i < QPD_MAX_LISTEN; i++)
		if (s->listen[i] >= 0)
			close(s->listen[i]);
	credentials_free(&s->credentials);
}

void
server_reload(struct server *s, uint64_t now_ns)
{
	struct credentials fresh;
	struct connection *c;

	s->now_ns = now_ns;
	if (credentials_load(&fresh, s->opt) != 0) {
		fprintf(stderr, "fastcn-qpd: the certificates of before stay in use\n");
		return;
	}
	while ((c = TAILQ_FIRST(&s->all)) != NULL)
		connection_end(c, SESSION_RELOADED);
	credentials_free(&s->credentials);
	s->credentials = fresh;
	fprintf(stderr, "fastcn-qpd: the certificates were read again\n");
}

/* ---- connections ---- */

static bool
is_allowed(const struct server *s, const struct fcn_addr *from)
{
	for (unsigned int i = 0; i < s->opt->n_from; i++)
		if (fcn_prefix_contains(&s->opt->from[i], from))
			return true;
	return s->opt->n_from == 0;
}

/* Too many have not shown their certificate: the oldest has had the most time to. */
static void
make_room(struct server *s)
{
	struct connection *c = TAILQ_FIRST(&s->all);

	while (c->is_open)
		c = TAILQ_NEXT(c, link);
	s->counters.server.too_many++;
	server_log(s, c, &s->counters.server.too_many,
			"ended without a certificate, as too many have none", NULL);
	connection_free(c);
}

static void
add_connection(struct server *s, int fd, const struct fcn_addr *addr)
{
	struct connection from = {.fd = fd};

	fcn_addr_format(addr, from.from, sizeof(from.from));
	if (!is_allowed(s, addr)) {
		s->counters.server.not_from++;
		server_log(s, &from, &s->counters.server.not_from,
				"refused, as no --from contains its address", NULL);
		close(fd);
		return;
	}
	if (s->n_handshakes == SERVER_HANDSHAKES)
		make_room(s);
	if (connection_new(s, fd, from.from) != 0) {
		s->counters.server.no_descriptor++;
		close(fd);
		return;
	}
	s->counters.server.accepted++;
}

/* Accept at most one connection. The rate is limited, as each handshake takes the processor's time.
 */
static void
accept_one(struct server *s, int listener)
{
	struct sockaddr_storage from;
	socklen_t len = sizeof(from);
	struct fcn_addr addr;
	int fd;

	if (s->now_ns - s->accept_ns >= SECOND_NS) {
		s->accept_ns = s->now_ns;
		s->accepts = 0;
	}
	if (s->accepts == SERVER_ACCEPTS) {
		s->again_ns = s->now_ns + ACCEPT_AGAIN_NS;
		wait_for_connections(s, false);
		return;
	}
	fd = accept4(listener, (struct sockaddr *)&from, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd >= 0) {
		s->accepts++;
		from_sockaddr(&from, &addr);
		add_connection(s, fd, &addr);
	} else if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
		/* The connection stays, so epoll would report it at once until there is room. */
		s->counters.server.no_descriptor++;
		s->again_ns = s->now_ns + ACCEPT_AGAIN_NS;
		wait_for_connections(s, false);
	}
}

void
server_event(struct server *s, const void *ptr, uint32_t events, uint64_t now_ns)
{
	struct connection *c;

	s->now_ns = now_ns;
	for (unsigned int i = 0; i < s->opt->n_listen; i++) {
		if (ptr == &s->listen[i]) {
			accept_one(s, s->listen[i]);
			return;
		}
	}
	/* One that has ended in this turn is not there any more. */
	TAILQ_FOREACH (c, &s->all, link) {
		if (ptr == c) {
			c->has_more = true;
			c->is_gone |= (events & (EPOLLHUP | EPOLLERR)) != 0;
			return;
		}
	}
}

void
server_run(struct server *s, time_t wall_s, uint64_t now_ns)
{
	struct connection *c;

	s->now_ns = now_ns;
	if (s->again_ns != 0 && s->again_ns <= now_ns) {
		s->again_ns = 0;
		wait_for_connections(s, true);
	}
	/* A host's new connection ends the one of before, which may be any of them. */
	for (c = TAILQ_FIRST(&s->all); c != NULL; c = s->next) {
		s->next = TAILQ_NEXT(c, link);
		connection_run(c, wall_s);
	}
}

uint64_t
server_due(const struct server *s)
{
	uint64_t due = s->again_ns != 0 ? s->again_ns : UINT64_MAX;
	struct connection *c;

	TAILQ_FOREACH (c, &s->all, link) {
		const uint64_t at = connection_due(c);

		if (at < due)
			due = at;
	}
	return due;
}
