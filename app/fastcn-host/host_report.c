/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The connection to the switch: made, shown the certificate, made again. */

#include "host_report.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <gnutls/x509.h>

#include "report_stream.h"

#define PRIORITY "SECURE128:-VERS-ALL:+VERS-TLS1.3"
#define MOST 131072
#define CONNECT_MS 5000 /* time for connection and handshake */
#define PAUSE_MS 100    /* between attempts, at first; it doubles */
#define LONGEST_PAUSE_MS 5000
#define TURNS 16 /* times that the buffer is filled in one call */

enum phase {
	PAUSED,
	CONNECTING,
	SHAKING_HANDS,
	REPORTING
};

struct host_report {
	struct host_report_conf conf;
	struct sockaddr_storage to;
	socklen_t to_len;
	gnutls_certificate_credentials_t credentials;
	gnutls_priority_t priority;
	gnutls_typed_vdata_st expected[2]; /* name and purpose of the switch's certificate */
	struct report_stream stream;
	enum phase phase;
	int epoll, fd; /* fd -1: there is no connection */
	uint32_t events;
	gnutls_session_t tls;
	bool is_blocked; /* what was to be sent waits for the switch to read */
	uint64_t since_ms, again_ms;
	uint64_t pause_ms, random;
	uint64_t connections, full;
	char problem[320]; /* as it was reported */
};

/* ---- begin and end ---- */

static int
read_address(struct host_report *r)
{
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&r->to;
	struct sockaddr_in *four = (struct sockaddr_in *)&r->to;

	if (inet_pton(AF_INET6, r->conf.address, &six->sin6_addr) == 1) {
		six->sin6_family = AF_INET6;
		six->sin6_port = htons(r->conf.port);
		r->to_len = sizeof(*six);
	} else if (inet_pton(AF_INET, r->conf.address, &four->sin_addr) == 1) {
		four->sin_family = AF_INET;
		four->sin_port = htons(r->conf.port);
		r->to_len = sizeof(*four);
	} else {
		return -EINVAL;
	}
	return 0;
}

/* @return the file that cannot be used; NULL: all can */
static const char *
read_files(struct host_report *r, int *rc)
{
	const struct host_report_conf *conf = &r->conf;

	*rc = gnutls_certificate_allocate_credentials(&r->credentials);
	if (*rc == 0)
		*rc = gnutls_priority_init(&r->priority, PRIORITY, NULL);
	if (*rc != 0)
		return "TLS";
	*rc = gnutls_certificate_set_x509_trust_file(r->credentials, conf->ca, GNUTLS_X509_FMT_PEM);
	if (*rc == 0)
		*rc = GNUTLS_E_NO_CERTIFICATE_FOUND;
	if (*rc < 0)
		return conf->ca;
	*rc = GNUTLS_E_FILE_ERROR; /* GnuTLS does not say which of the two cannot be read */
	if (access(conf->key, R_OK) != 0)
		return conf->key;
	*rc = gnutls_certificate_set_x509_key_file(
			r->credentials, conf->certificate, conf->key, GNUTLS_X509_FMT_PEM);
	return *rc < 0 ? conf->certificate : NULL;
}

struct host_report *
host_report_create(const struct host_report_conf *conf, char *err, size_t size)
{
	struct host_report *r = calloc(1, sizeof(*r));
	const char *file;
	int rc;

	snprintf(err, size, "out of memory or descriptors");
	if (r == NULL)
		return NULL;
	r->conf = *conf;
	r->random = conf->secret;
	r->pause_ms = PAUSE_MS;
	r->fd = -1;
	r->epoll = epoll_create1(EPOLL_CLOEXEC);
	r->stream.table = report_table_create(conf->most != 0 ? conf->most : MOST, conf->secret);
	if (r->epoll < 0 || r->stream.table == NULL) {
		host_report_free(r);
		return NULL;
	}
	if (read_address(r) != 0) {
		snprintf(err, size, "%s is no IPv4 or IPv6 address", conf->address);
		host_report_free(r);
		return NULL;
	}
	file = read_files(r, &rc);
	if (file != NULL) {
		snprintf(err, size, "%s: %s", file, gnutls_strerror(rc));
		host_report_free(r);
		return NULL;
	}
	/* A certificate of a host must not speak for the switch. GnuTLS writes to neither. */
	r->expected[0] = (gnutls_typed_vdata_st){GNUTLS_DT_DNS_HOSTNAME,
			(unsigned char *)(uintptr_t)(conf->name != NULL ? conf->name
									: conf->address),
			0};
	r->expected[1] = (gnutls_typed_vdata_st){GNUTLS_DT_KEY_PURPOSE_OID,
			(unsigned char *)(uintptr_t)GNUTLS_KP_TLS_WWW_SERVER, 0};
	err[0] = '\0';
	return r;
}

static void
disconnect(struct host_report *r)
{
	if (r->tls != NULL)
		gnutls_deinit(r->tls);
	r->tls = NULL;
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
	r->phase = PAUSED;
	r->is_blocked = false;
}

void
host_report_free(struct host_report *r)
{
	if (r == NULL)
		return;
	if (r->phase == REPORTING && !r->is_blocked)
		gnutls_bye(r->tls, GNUTLS_SHUT_WR);
	disconnect(r);
	report_table_free(r->stream.table);
	if (r->epoll >= 0)
		close(r->epoll);
	if (r->credentials != NULL)
		gnutls_certificate_free_credentials(r->credentials);
	if (r->priority != NULL)
		gnutls_priority_deinit(r->priority);
	free(r);
}

int
host_report_fd(const struct host_report *r)
{
	return r->epoll;
}

/* ---- queue pairs ---- */

static struct fcn_host_report_qp
to_report(const struct host_qp *qp)
{
	struct fcn_host_report_qp out = {.local_qp = qp->local_qp, .remote_qp = qp->remote_qp};

	memcpy(out.local, qp->local, 16);
	memcpy(out.remote, qp->remote, 16);
	return out;
}

void
host_report_add(struct host_report *r, const struct host_qp *qp)
{
	const struct fcn_host_report_qp item = to_report(qp);

	if (report_table_add(r->stream.table, &item) != 0 && r->full++ == 0)
		fprintf(stderr, "fastcn-host: there are more queue pairs than the switch is told "
				"of\n");
}

void
host_report_remove(struct host_report *r, const struct host_qp *qp)
{
	const struct fcn_host_report_qp item = to_report(qp);

	report_table_remove(r->stream.table, &item);
}

void
host_report_state(const struct host_report *r, struct host_report_state *state)
{
	const bool is_reporting = r->phase == REPORTING && r->stream.is_heard;

	*state = (struct host_report_state){.is_connected = is_reporting,
			.is_in_force = is_reporting && report_stream_is_in_force(&r->stream),
			.queue_pairs = report_table_count(r->stream.table),
			.connections = r->connections,
			.refused = r->stream.refused,
			.full = r->full,
			.problem = r->problem};
}

/* ---- the connection ---- */

/* Each problem is reported when it is another one than before. */
static void
report_problem(struct host_report *r, const char *what, const char *why)
{
	char text[sizeof(r->problem)];

	snprintf(text, sizeof(text), "%s: %s", what, why);
	if (strcmp(text, r->problem) == 0)
		return;
	memcpy(r->problem, text, sizeof(text));
	fprintf(stderr, "fastcn-host: switch %s port %u: %s\n", r->conf.address, r->conf.port,
			text);
}

/* The sequence of Weyl with the finaliser of a hash: enough for pauses that differ from host to
 * host. */
static uint64_t
next_random(struct host_report *r)
{
	uint64_t x = r->random += UINT64_C(0xD1B54A32D192ED03);

	x = (x ^ x >> 30) * UINT64_C(0x8C57D4B3A6E1F2C9);
	return x ^ x >> 31;
}

/* The connection has ended, or was not made: pause before the next attempt. Pauses differ, as all
 * hosts of a switch that has come back try. */
static void
fail(struct host_report *r, uint64_t now_ms, const char *what, const char *why)
{
	report_problem(r, what, why);
	disconnect(r);
	r->again_ms = now_ms + r->pause_ms / 2 + next_random(r) % r->pause_ms;
	r->pause_ms = 2 * r->pause_ms < LONGEST_PAUSE_MS ? 2 * r->pause_ms : LONGEST_PAUSE_MS;
}

static void
wait_for(struct host_report *r, uint32_t events)
{
	struct epoll_event event = {.events = events};

	if (events == r->events)
		return;
	epoll_ctl(r->epoll, r->events == 0 ? EPOLL_CTL_ADD : EPOLL_CTL_MOD, r->fd, &event);
	r->events = events;
}

static void
begin_connection(struct host_report *r, uint64_t now_ms)
{
	const int on = 1;

	r->since_ms = now_ms;
	r->events = 0;
	r->fd = socket(r->to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (r->fd < 0 || (connect(r->fd, (const struct sockaddr *)&r->to, r->to_len) != 0 &&
					 errno != EINPROGRESS)) {
		fail(r, now_ms, "no connection", strerror(errno));
		return;
	}
	setsockopt(r->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	r->phase = CONNECTING;
	wait_for(r, EPOLLOUT);
}

static void
begin_handshake(struct host_report *r, uint64_t now_ms)
{
	int error = 0, rc;
	socklen_t len = sizeof(error);
	struct sockaddr_storage peer;
	socklen_t peer_len = sizeof(peer);

	getsockopt(r->fd, SOL_SOCKET, SO_ERROR, &error, &len);
	if (error != 0) {
		fail(r, now_ms, "no connection", strerror(error));
		return;
	}
	if (getpeername(r->fd, (struct sockaddr *)&peer, &peer_len) != 0)
		return; /* not yet */
	rc = gnutls_init(&r->tls,
			GNUTLS_CLIENT | GNUTLS_NONBLOCK | GNUTLS_NO_SIGNAL | GNUTLS_NO_TICKETS);
	if (rc == 0)
		rc = gnutls_priority_set(r->tls, r->priority);
	if (rc == 0)
		rc = gnutls_credentials_set(r->tls, GNUTLS_CRD_CERTIFICATE, r->credentials);
	if (rc != 0) {
		fail(r, now_ms, "TLS", gnutls_strerror(rc));
		return;
	}
	gnutls_session_set_verify_cert2(r->tls, r->expected, 2, 0);
	gnutls_handshake_set_timeout(r->tls, GNUTLS_INDEFINITE_TIMEOUT);
	gnutls_transport_set_int(r->tls, r->fd);
	r->phase = SHAKING_HANDS;
}

/* Say why TLS has failed, in words that name who refuses whom. */
static void
fail_tls(struct host_report *r, uint64_t now_ms, int rc)
{
	gnutls_datum_t out;

	if (rc == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR &&
			gnutls_certificate_verification_status_print(
					gnutls_session_get_verify_cert_status(r->tls),
					GNUTLS_CRT_X509, &out, 0) == 0) {
		gnutls_alert_send_appropriate(r->tls, rc);
		fail(r, now_ms, "the switch's certificate is not to be trusted", (char *)out.data);
		gnutls_free(out.data);
	} else if (rc == GNUTLS_E_FATAL_ALERT_RECEIVED) {
		fail(r, now_ms, "the switch refuses this host",
				gnutls_alert_get_name(gnutls_alert_get(r->tls)));
	} else if (rc == 0 || rc == GNUTLS_E_PREMATURE_TERMINATION) {
		fail(r, now_ms, "the connection has ended", "the switch has closed it");
	} else {
		fail(r, now_ms, "the connection has ended", gnutls_strerror(rc));
	}
}

static void
shake_hands(struct host_report *r, uint64_t now_ms)
{
	const int rc = gnutls_handshake(r->tls);

	if (rc == 0) {
		r->phase = REPORTING;
		report_stream_begin(&r->stream, now_ms);
	} else if (gnutls_error_is_fatal(rc)) {
		fail_tls(r, now_ms, rc);
	} else {
		wait_for(r, gnutls_record_get_direction(r->tls) == 1 ? EPOLLOUT : EPOLLIN);
	}
}

/* ---- the session ---- */

static void
note_answer(struct host_report *r, bool was_heard, uint64_t refused)
{
	if (!was_heard) {
		r->connections++;
		r->problem[0] = '\0';
		fprintf(stderr, "fastcn-host: reporting to the switch %s port %u\n",
				r->conf.address, r->conf.port);
	}
	if (r->stream.in_force > 0)
		r->pause_ms = PAUSE_MS;
	if (r->stream.refused != refused)
		report_problem(r, "the switch refuses queue pairs",
				fcn_host_report_reason_text(r->stream.reason));
}

/* @return whether the session goes on */
static bool
read_answers(struct host_report *r, uint64_t now_ms)
{
	struct report_stream *s = &r->stream;

	for (unsigned int i = 0; i < TURNS; i++) {
		const bool was_heard = s->is_heard;
		const uint64_t refused = s->refused;
		const ssize_t n = gnutls_record_recv(
				r->tls, s->in + s->in_len, sizeof(s->in) - s->in_len);

		if (n == GNUTLS_E_AGAIN || n == GNUTLS_E_INTERRUPTED)
			return true;
		if (n == 0 || (n < 0 && gnutls_error_is_fatal((int)n))) {
			fail_tls(r, now_ms, (int)n);
			return false;
		}
		if (n < 0)
			continue;
		if (report_stream_input(s, (size_t)n, now_ms) != 0) {
			fail(r, now_ms, "the connection has ended",
					"what listens there is not fastcn-qpd");
			return false;
		}
		note_answer(r, was_heard, refused);
	}
	return true;
}

/* @return whether the session goes on */
static bool
send_report(struct host_report *r, uint64_t now_ms)
{
	struct report_stream *s = &r->stream;

	for (unsigned int i = 0; i < TURNS; i++) {
		ssize_t n;

		/* What waits goes on as it was kept, before anything else. */
		if (!r->is_blocked)
			report_stream_write(s, now_ms);
		if (s->out_len == 0)
			return true;
		n = r->is_blocked ? gnutls_record_send(r->tls, NULL, 0)
				  : gnutls_record_send(r->tls, s->out, s->out_len);
		r->is_blocked = n == GNUTLS_E_AGAIN || n == GNUTLS_E_INTERRUPTED;
		if (r->is_blocked)
			return true;
		if (n < 0) {
			/* The switch may have said why before it closed the connection. */
			if (read_answers(r, now_ms))
				fail_tls(r, now_ms, (int)n);
			return false;
		}
		report_stream_sent(s, (size_t)n);
	}
	return true;
}

static void
report(struct host_report *r, uint64_t now_ms)
{
	if (!read_answers(r, now_ms))
		return;
	if (report_stream_is_silent(&r->stream, now_ms)) {
		fail(r, now_ms, "the connection has ended", "the switch says nothing");
		return;
	}
	if (send_report(r, now_ms))
		wait_for(r, EPOLLIN | (r->is_blocked ? EPOLLOUT : 0));
}

static uint64_t
due_ms(const struct host_report *r)
{
	switch (r->phase) {
	case PAUSED:
		return r->again_ms;
	case CONNECTING:
	case SHAKING_HANDS:
		return r->since_ms + CONNECT_MS;
	default:
		return r->is_blocked ? r->stream.heard_ms + STREAM_SILENCE_MS
				     : report_stream_due(&r->stream);
	}
}

int
host_report_work(struct host_report *r, uint64_t now_ms)
{
	uint64_t due;

	if (r->phase == PAUSED && r->again_ms <= now_ms)
		begin_connection(r, now_ms);
	if ((r->phase == CONNECTING || r->phase == SHAKING_HANDS) &&
			now_ms - r->since_ms >= CONNECT_MS)
		fail(r, now_ms, "no connection", "the switch does not answer");
	if (r->phase == CONNECTING)
		begin_handshake(r, now_ms);
	if (r->phase == SHAKING_HANDS)
		shake_hands(r, now_ms);
	if (r->phase == REPORTING)
		report(r, now_ms);
	due = due_ms(r);
	return due <= now_ms ? 0 : (int)(due - now_ms);
}
