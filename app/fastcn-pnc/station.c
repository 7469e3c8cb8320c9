/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "station.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ACCEPT_AGAIN_NS UINT64_C(250000000)
#define READ_SIZE 65536 /* bytes of a connection in one turn */

/* ---- addresses ---- */

static socklen_t
to_sockaddr(const struct pnc_listen *at, struct sockaddr_storage *to)
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

/* ---- listening ---- */

static int
open_listener(const struct pnc_listen *at)
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
			bind(fd, (const struct sockaddr *)&to, len) == 0 && listen(fd, 16) == 0)
		return fd;
	error = errno;
	close(fd);
	return -error;
}

int
station_open(struct station *s, const struct pnc_options *opt, const struct fcn_pnc_sink *sink,
		uint64_t secret)
{
	const struct fcn_pnc_bmp_conf conf = {.nhc_type = opt->nhc_type,
			.pnc_code = opt->pnc_code,
			.hold_ns = opt->hold_ns,
			.routers = opt->routers,
			.peers = opt->peers,
			.routes = opt->routes,
			.secret = secret};
	char text[FCN_ADDR_STRLEN];

	s->opt = opt;
	for (unsigned int i = 0; i < PNC_MAX_BMP; i++)
		s->listen[i] = -1;
	for (unsigned int i = 0; i < STATION_MAX_SESSIONS; i++)
		s->sessions[i].fd = -1;
	if (opt->n_bmp == 0)
		return 0;
	s->bmp = fcn_pnc_bmp_create(&conf, sink);
	if (s->bmp == NULL) {
		fprintf(stderr, "fastcn-pnc: out of memory\n");
		return -1;
	}
	for (unsigned int i = 0; i < opt->n_bmp; i++) {
		s->listen[i] = open_listener(&opt->bmp[i]);
		if (s->listen[i] >= 0)
			continue;
		fprintf(stderr, "fastcn-pnc: --bmp %s %u: %s\n",
				fcn_addr_format(&opt->bmp[i].addr, text, sizeof(text)),
				opt->bmp[i].port, strerror(-s->listen[i]));
		return -1;
	}
	return 0;
}

void
station_close(struct station *s)
{
	if (s->opt == NULL) /* it was not opened */
		return;
	for (unsigned int i = 0; i < STATION_MAX_SESSIONS; i++)
		if (s->sessions[i].fd >= 0)
			close(s->sessions[i].fd);
	for (unsigned int i = 0; i < PNC_MAX_BMP; i++)
		if (s->listen[i] >= 0)
			close(s->listen[i]);
	fcn_pnc_bmp_destroy(s->bmp);
	s->bmp = NULL;
}

/* ---- connections ---- */

static bool
is_allowed(const struct station *s, const struct fcn_addr *from)
{
	for (unsigned int i = 0; i < s->opt->n_bmp_from; i++)
		if (fcn_prefix_contains(&s->opt->bmp_from[i], from))
			return true;
	return s->opt->n_bmp_from == 0;
}

static struct station_session *
find_free(struct station *s)
{
	for (unsigned int i = 0; i < STATION_MAX_SESSIONS; i++)
		if (s->sessions[i].fd < 0)
			return &s->sessions[i];
	return NULL;
}

/* Whoever can use one IPv6 address can mostly use all of its /64. */
static bool
is_same_source(const struct fcn_addr *a, const struct fcn_addr *b)
{
	return a->version == 6 && b->version == 6 ? memcmp(a->bytes, b->bytes, 8) == 0
						  : fcn_addr_equal(a, b);
}

/*
 * Check whether an address may have a further connection: none can take those of all others.
 * @return the counter of the reason; NULL: it may
 */
static uint64_t *
why_full(struct station *s, const struct fcn_addr *addr)
{
	const unsigned int most = s->opt->routers != 0 ? s->opt->routers : FCN_PNC_BMP_ROUTERS;
	unsigned int n = 0, silent = 0;

	for (unsigned int i = 0; i < STATION_MAX_SESSIONS; i++) {
		const struct station_session *session = &s->sessions[i];

		if (session->fd < 0)
			continue;
		n += fcn_addr_equal(&session->addr, addr);
		silent += is_same_source(&session->addr, addr) &&
			  !fcn_pnc_bmp_is_initiated(session->session);
	}
	if (silent >= (most + 3) / 4)
		return &s->counters.full_silent;
	return n >= (3 * most + 3) / 4 ? &s->counters.full_source : NULL;
}

static unsigned int
count_of(const struct station *s, const struct fcn_addr *addr)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < STATION_MAX_SESSIONS; i++)
		n += s->sessions[i].fd >= 0 && fcn_addr_equal(&s->sessions[i].addr, addr);
	return n;
}

static unsigned int
count_all(const struct station *s)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < STATION_MAX_SESSIONS; i++)
		n += s->sessions[i].fd >= 0;
	return n;
}

static void
end_session(struct station_session *session, const char *why, uint64_t now_ns)
{
	fprintf(stderr, "fastcn-pnc: router %s: the connection has ended: %s\n", session->from,
			why);
	fcn_pnc_bmp_close(session->session, now_ns);
	close(session->fd);
	session->fd = -1;
}

/*
 * End a connection, so that an address has room for one: of the address that has most, and at least
 * two more than that one, the connection that was not heard of for longest. So none is ended for
 * another one of the same number, and two addresses do not take turns.
 */
static void
make_room(struct station *s, const struct fcn_addr *addr, uint64_t now_ns)
{
	struct station_session *found = NULL;
	unsigned int most = count_of(s, addr) + 1;

	for (unsigned int i = 0; i < STATION_MAX_SESSIONS; i++) {
		struct station_session *session = &s->sessions[i];
		const unsigned int n = session->fd >= 0 ? count_of(s, &session->addr) : 0;

		if (n > most || (n == most && found != NULL &&
						session->heard_ns < found->heard_ns)) {
			most = n;
			found = session;
		}
	}
	if (found == NULL)
		return;
	s->counters.ended_for_other++;
	end_session(found, "its address has the most of all, and another one has no room", now_ns);
}

/* A router that no longer answers is found out by the kernel within a minute. */
static void
keep_alive(int fd)
{
	const int on = 1, idle = 30, interval = 10, count = 3;

	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
}

static void
accept_one(struct station *s, int listener, uint64_t now_ns)
{
	const unsigned int most = s->opt->routers != 0 ? s->opt->routers : FCN_PNC_BMP_ROUTERS;
	struct station_session *session;
	struct sockaddr_storage from;
	socklen_t len = sizeof(from);
	struct fcn_addr addr;
	uint64_t *full;
	int fd = accept4(listener, (struct sockaddr *)&from, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd < 0) {
		/* The connection stays, so poll() would return at once until there is room. */
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
			s->counters.no_descriptor++;
			s->accept_ns = now_ns + ACCEPT_AGAIN_NS;
		}
		return;
	}
	from_sockaddr(&from, &addr);
	full = is_allowed(s, &addr) ? why_full(s, &addr) : &s->counters.refused;
	if (full != NULL) {
		(*full)++;
		close(fd);
		return;
	}
	if (count_all(s) == most)
		make_room(s, &addr, now_ns);
	session = find_free(s);
	if (session != NULL)
		session->session = fcn_pnc_bmp_open(s->bmp, &addr);
	if (session == NULL || session->session == NULL) { /* counted by the station */
		close(fd);
		return;
	}
	keep_alive(fd);
	session->fd = fd;
	session->since_ns = session->heard_ns = now_ns;
	session->addr = addr;
	fcn_addr_format(&addr, session->from, sizeof(session->from));
	s->counters.accepted++;
	fprintf(stderr, "fastcn-pnc: router %s has connected\n", session->from);
}

static void
read_session(struct station *s, struct station_session *session, uint64_t now_ns)
{
	uint8_t data[READ_SIZE];
	ssize_t n = recv(session->fd, data, sizeof(data), 0);
	enum fcn_pnc_bmp_end end;
	const char *what;

	if (n > 0) {
		session->heard_ns = now_ns;
		end = fcn_pnc_bmp_input(session->session, data, (size_t)n, now_ns);
		while ((what = fcn_pnc_bmp_take_ignored(session->session)) != NULL)
			fprintf(stderr, "fastcn-pnc: router %s: ignored: %s\n", session->from,
					what);
		if (end != FCN_PNC_BMP_GOES_ON)
			end_session(session, fcn_pnc_bmp_end_text(end), now_ns);
	} else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
		s->counters.lost++;
		end_session(session, n == 0 ? "closed by the router" : strerror(errno), now_ns);
	}
}

unsigned int
station_poll(const struct station *s, struct pollfd *fds, uint64_t now_ns)
{
	unsigned int n = 0;

	for (unsigned int i = 0; i < PNC_MAX_BMP; i++)
		if (s->listen[i] >= 0 && s->accept_ns <= now_ns)
			fds[n++] = (struct pollfd){.fd = s->listen[i], .events = POLLIN};
	for (unsigned int i = 0; i < STATION_MAX_SESSIONS; i++)
		if (s->sessions[i].fd >= 0)
			fds[n++] = (struct pollfd){.fd = s->sessions[i].fd, .events = POLLIN};
	return n;
}

uint64_t
station_due(const struct station *s)
{
	return s->accept_ns != 0 ? s->accept_ns : UINT64_MAX;
}

/* Process an event of one descriptor. */
static void
run_one(struct station *s, int fd, uint64_t now_ns)
{
	for (unsigned int i = 0; i < PNC_MAX_BMP; i++)
		if (s->listen[i] == fd) {
			accept_one(s, fd, now_ns);
			return;
		}
	for (unsigned int i = 0; i < STATION_MAX_SESSIONS; i++)
		if (s->sessions[i].fd == fd) {
			read_session(s, &s->sessions[i], now_ns);
			return;
		}
}

void
station_run(struct station *s, const struct pollfd *fds, unsigned int n, uint64_t now_ns)
{
	if (s->accept_ns <= now_ns)
		s->accept_ns = 0;
	/* Connections come behind the listeners, and are read first: accepting could otherwise give
	 * one the number of a descriptor that was closed in this turn. */
	for (unsigned int i = n; i-- > 0;)
		if (fds[i].revents != 0)
			run_one(s, fds[i].fd, now_ns);
}

void
station_tick(struct station *s, uint64_t now_ns)
{
	if (s->bmp == NULL)
		return;
	fcn_pnc_bmp_tick(s->bmp, now_ns);
	for (unsigned int i = 0; i < STATION_MAX_SESSIONS; i++) {
		struct station_session *session = &s->sessions[i];

		if (session->fd < 0 || now_ns - session->since_ns < s->opt->wait_ns ||
				fcn_pnc_bmp_is_initiated(session->session))
			continue;
		s->counters.idle++;
		end_session(session, "it has sent no Initiation", now_ns);
	}
}
