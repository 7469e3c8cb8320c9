/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include "connection.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define READS 4 /* of a connection in one turn */

/* ---- begin and end ---- */

int
connection_new(struct server *s, int fd, const char *from)
{
	struct connection *c = calloc(1, sizeof(*c));
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
	const int on = 1;

	if (c == NULL)
		return -1;
	c->tls = credentials_session(&s->credentials, fd);
	if (c->tls == NULL || epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &event) != 0) {
		if (c->tls != NULL)
			gnutls_deinit(c->tls);
		free(c);
		return -1;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	c->server = s;
	c->fd = fd;
	c->events = EPOLLIN;
	c->since_ns = s->now_ns;
	snprintf(c->from, sizeof(c->from), "%s", from);
	TAILQ_INSERT_TAIL(&s->all, c, link);
	s->n_handshakes++;
	return 0;
}

void
connection_free(struct connection *c)
{
	struct server *s = c->server;

	if (s->next == c)
		s->next = TAILQ_NEXT(c, link);
	TAILQ_REMOVE(&s->all, c, link);
	if (c->is_open) {
		hosts_close(c->session.host, s->now_ns);
		s->n_open--;
	} else {
		s->n_handshakes--;
	}
	gnutls_deinit(c->tls);
	close(c->fd);
	free(c);
}

void
connection_end(struct connection *c, enum session_end end)
{
	struct server *s = c->server;

	if (c->is_open) {
		s->counters.ends[end]++;
		server_log(s, c, &s->counters.ends[end], "the session has ended",
				session_end_text(end));
		/* What was to be said of it, such as another version, and that it is the end. */
		if (!c->is_blocked && c->session.out_len > 0)
			gnutls_record_send(c->tls, c->session.out, c->session.out_len);
		if (!c->is_blocked && end != SESSION_LOST)
			gnutls_bye(c->tls, GNUTLS_SHUT_WR);
	}
	connection_free(c);
}

/* Refuse a host: its connection ends. @param alert what it is told */
static void
refuse(struct connection *c, uint64_t *counter, gnutls_alert_description_t alert, const char *text,
		const char *detail)
{
	(*counter)++;
	server_log(c->server, c, counter, text, detail);
	gnutls_alert_send(c->tls, GNUTLS_AL_FATAL, alert);
	connection_free(c);
}

/* ---- the handshake ---- */

static void
log_refusal(void *arg, const uint64_t *counter, const char *text, const char *detail)
{
	struct connection *c = arg;

	server_log(c->server, c, counter, text, detail);
}

/* @return whether the connection is still there */
static bool
begin_session(struct connection *c)
{
	struct server *s = c->server;
	const struct hosts_session calls = {session_moved, session_refused, &c->session};
	struct session *former = hosts_find_session(s->hosts, c->peer.name);
	char addresses[16];

	if (former != NULL)
		connection_end((struct connection *)former->log_arg, SESSION_REPLACED);
	session_init(&c->session, s->now_ns);
	c->session.host = hosts_open(s->hosts, &c->peer, &calls, s->now_ns);
	if (c->session.host == NULL) {
		refuse(c, &s->counters.server.hosts, GNUTLS_A_ACCESS_DENIED,
				"refused, as there are as many hosts as --hosts permits", NULL);
		return false;
	}
	c->session.counters = &s->counters.session;
	c->session.log = log_refusal;
	c->session.log_arg = c;
	c->is_open = true;
	s->n_handshakes--;
	s->n_open++;
	s->counters.server.sessions++;
	snprintf(addresses, sizeof(addresses), "%u", c->peer.n_addresses);
	server_log(s, c, &s->counters.server.sessions,
			"a session has begun, addresses in the certificate", addresses);
	return true;
}

/* @return whether the connection is still there */
static bool
take_certificate(struct connection *c)
{
	struct server_counters *n = &c->server->counters.server;

	switch (credentials_peer(c->tls, &c->peer, &c->expires)) {
	case CREDENTIALS_NO_NAME:
		refuse(c, &n->no_name, GNUTLS_A_BAD_CERTIFICATE,
				"refused, as its certificate has no common name that can be one of "
				"a host",
				NULL);
		return false;
	case CREDENTIALS_NO_ADDRESS:
		refuse(c, &n->no_address, GNUTLS_A_BAD_CERTIFICATE,
				"refused, as its certificate has no IP address, or too many",
				c->peer.name);
		return false;
	default:
		return begin_session(c);
	}
}

/* The handshake has failed. The host was sent an alert if it was this side that refused. */
static void
handshake_failed(struct connection *c, int rc)
{
	struct server_counters *n = &c->server->counters.server;
	uint64_t *counter = &n->handshake;
	const char *text = "the TLS handshake has failed";
	char detail[256];

	snprintf(detail, sizeof(detail), "%s", gnutls_strerror(rc));
	if (rc == GNUTLS_E_CERTIFICATE_REQUIRED || rc == GNUTLS_E_NO_CERTIFICATE_FOUND) {
		counter = &n->no_certificate;
		text = "refused, as it has no certificate";
		detail[0] = '\0';
	} else if (rc == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR) {
		counter = &n->not_trusted;
		text = "refused, as its certificate is not to be trusted";
		credentials_why_not(c->tls, detail, sizeof(detail));
	} else if (rc == GNUTLS_E_FATAL_ALERT_RECEIVED) {
		snprintf(detail, sizeof(detail), "the host says: %s",
				gnutls_alert_get_name(gnutls_alert_get(c->tls)));
	}
	(*counter)++;
	server_log(c->server, c, counter, text, detail);
	gnutls_alert_send_appropriate(c->tls, rc);
	connection_free(c);
}

/* @return whether the connection is still there */
static bool
go_on_with_handshake(struct connection *c)
{
	struct server *s = c->server;
	int rc = 0;

	if (c->has_more) {
		c->has_more = false;
		rc = gnutls_handshake(c->tls);
		if (rc == 0)
			return take_certificate(c);
	}
	if (rc != 0 && gnutls_error_is_fatal(rc)) {
		handshake_failed(c, rc);
		return false;
	}
	if (s->now_ns - c->since_ns >= s->opt->handshake_ns) {
		s->counters.server.slow++;
		server_log(s, c, &s->counters.server.slow,
				"ended, as no certificate came within --handshake", NULL);
		connection_free(c);
		return false;
	}
	return true;
}

/* ---- the session ---- */

/* Read and process a bounded number of octets. */
static enum session_end
read_session(struct connection *c)
{
	enum session_end end = SESSION_GOES_ON;
	uint8_t *place;

	for (unsigned int i = 0; i < READS && end == SESSION_GOES_ON; i++) {
		const size_t room = session_room(&c->session, &place);
		ssize_t n;

		if (room == 0) /* has_more stays: it has to wait */
			return c->is_gone ? SESSION_LOST : end;
		n = gnutls_record_recv(c->tls, place, room);
		if (n == GNUTLS_E_AGAIN || n == GNUTLS_E_INTERRUPTED) {
			c->has_more = n == GNUTLS_E_INTERRUPTED;
			return end;
		}
		if (n == 0)
			return SESSION_CLOSED;
		if (n < 0 && gnutls_error_is_fatal((int)n))
			return SESSION_LOST;
		if (n > 0)
			end = session_input(&c->session, (size_t)n, c->server->now_ns);
	}
	return end;
}

static enum session_end
write_session(struct connection *c)
{
	struct session *s = &c->session;

	while (s->out_len > 0) {
		/* One that was interrupted goes on with what it has kept. */
		const ssize_t n = c->is_blocked ? gnutls_record_send(c->tls, NULL, 0)
						: gnutls_record_send(c->tls, s->out, s->out_len);

		c->is_blocked = n == GNUTLS_E_AGAIN || n == GNUTLS_E_INTERRUPTED;
		if (c->is_blocked)
			return SESSION_GOES_ON;
		if (n < 0)
			return SESSION_LOST;
		session_sent(s, (size_t)n);
	}
	return SESSION_GOES_ON;
}

static void
wait_for(struct connection *c, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = c};

	if (events == c->events)
		return;
	c->events = events;
	epoll_ctl(c->server->epoll, EPOLL_CTL_MOD, c->fd, &event);
}

static enum session_end
run_session(struct connection *c, time_t wall_s)
{
	const struct server *s = c->server;
	enum session_end end = session_run(&c->session, s->opt->silence_ns, s->now_ns);

	if (end == SESSION_GOES_ON && c->has_more)
		end = read_session(c);
	if (end == SESSION_GOES_ON && c->expires <= wall_s)
		end = SESSION_EXPIRED;
	return end == SESSION_GOES_ON ? write_session(c) : end;
}

void
connection_run(struct connection *c, time_t wall_s)
{
	enum session_end end;
	uint8_t *place;

	if (!c->is_open) {
		if (!go_on_with_handshake(c))
			return;
		if (!c->is_open) {
			wait_for(c, gnutls_record_get_direction(c->tls) == 1 ? EPOLLOUT : EPOLLIN);
			return;
		}
		c->has_more = true; /* it may have come with the handshake */
	}
	end = run_session(c, wall_s);
	if (end != SESSION_GOES_ON) {
		connection_end(c, end);
		return;
	}
	wait_for(c, (session_room(&c->session, &place) > 0 ? EPOLLIN : 0) |
					(c->is_blocked ? EPOLLOUT : 0));
}

uint64_t
connection_due(const struct connection *c)
{
	if (!c->is_open)
		return c->has_more ? 0 : c->since_ns + c->server->opt->handshake_ns;
	if ((c->has_more && c->session.wait_ns == 0) || (c->session.out_len > 0 && !c->is_blocked))
		return 0;
	return session_due(&c->session, c->server->opt->silence_ns);
}
