/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fcn_render.h"
#include "qpd.h"

static void
set(json_t *o, const char *key, uint64_t v)
{
	json_object_set_new(o, key, json_integer((json_int_t)v));
}

static json_t *
switch_json(const struct qpd *qpd)
{
	const struct fcn_remote_feed_counters *c = &qpd->feed.counters;
	const struct hosts_counters *h = hosts_counters(qpd->hosts);
	json_t *o = json_object();

	json_object_set_new(o, "socket", json_string(qpd->feed.path));
	json_object_set_new(o, "is_connected", json_boolean(qpd->feed.fd >= 0));
	set(o, "unanswered", qpd->feed.waiting);
	set(o, "to_retry", hosts_refused(qpd->hosts));
#define SET(member, text) set(o, #member, c->member);
	FCN_REMOTE_FEED_COUNTERS(SET)
#undef SET
#define SET(member, text) set(o, #member, h->member);
	HOSTS_COUNTERS(SET)
#undef SET
	return o;
}

static json_t *
server_json(const struct server *s)
{
	json_t *o = json_object();

	set(o, "open_sessions", s->n_open);
	set(o, "open_handshakes", s->n_handshakes);
#define SET(member, text) set(o, #member, s->counters.server.member);
	SERVER_COUNTERS(SET)
#undef SET
	return o;
}

static json_t *
reports_json(const struct server *s)
{
	json_t *o = json_object();

#define SET(member, text) set(o, #member, s->counters.session.member);
	SESSION_COUNTERS(SET)
#undef SET
	return o;
}

static json_t *
ends_json(const struct server *s)
{
	json_t *o = json_object();

#define SET(sym, name, text) set(o, #name, s->counters.ends[SESSION_##sym]);
	SESSION_ENDS(SET)
#undef SET
	return o;
}

static json_t *
hosts_json(const struct hosts *hosts, uint64_t now_ns)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < hosts_count(hosts); i++) {
		const struct hosts_shown h = hosts_show(hosts, i);
		json_t *o = json_object();

		json_object_set_new(o, "host", json_string(h.name));
		json_object_set_new(o, "has_session", json_boolean(h.is_live));
		set(o, "left_seconds",
				h.is_live || h.until_ns < now_ns
						? 0
						: (h.until_ns - now_ns) / 1000000000);
		set(o, "queue_pairs", h.entries);
		set(o, "in_force", h.in_force);
		set(o, "pending", h.pending);
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *
state_json(const struct qpd *qpd, uint64_t now_ns)
{
	json_t *o = json_object();

	json_object_set_new(o, "switch", switch_json(qpd));
	json_object_set_new(o, "connections", server_json(&qpd->server));
	json_object_set_new(o, "reports", reports_json(&qpd->server));
	json_object_set_new(o, "ends", ends_json(&qpd->server));
	set(o, "queue_pairs", hosts_entries(qpd->hosts));
	json_object_set_new(o, "hosts", hosts_json(qpd->hosts, now_ns));
	return o;
}

static void
write_state(const struct qpd *qpd, const json_t *state, FILE *out)
{
	if (qpd->opt.is_json)
		fcn_render_json(state, out);
	else
		fcn_render_text(state, out);
}

/* A new file takes the place of the old one, so that a reader sees all of one. Without a state, it
 * has the metrics. */
static int
write_file(const struct qpd *qpd, const char *path, const json_t *state)
{
	char *name = NULL;
	FILE *out;
	int rc = 0;

	if (asprintf(&name, "%s.new", path) < 0)
		return -ENOMEM;
	out = fopen(name, "we");
	if (out != NULL) {
		if (state != NULL)
			write_state(qpd, state, out);
		else if (fchmod(fileno(out), 0644) == 0) /* another user's program reads it */
			qpd_metrics_write(qpd, out);
		rc = ferror(out) ? -EIO : 0;
		if (fclose(out) != 0)
			rc = -errno;
		if (rc == 0 && rename(name, path) != 0)
			rc = -errno;
		if (rc != 0)
			unlink(name);
	} else {
		rc = -errno;
	}
	free(name);
	return rc;
}

void
qpd_report(const struct qpd *qpd, uint64_t now_ns)
{
	json_t *state = state_json(qpd, now_ns);
	int rc = 0;

	if (qpd->opt.status_file == NULL)
		write_state(qpd, state, stderr);
	else
		rc = write_file(qpd, qpd->opt.status_file, state);
	if (rc != 0)
		fprintf(stderr, "fastcn-qpd: --status %s: %s\n", qpd->opt.status_file,
				strerror(-rc));
	json_decref(state);
}

void
qpd_metrics(struct qpd *qpd)
{
	int rc;

	if (qpd->opt.metrics_file == NULL)
		return;
	rc = write_file(qpd, qpd->opt.metrics_file, NULL);
	if (rc != 0 && rc != qpd->metrics_error)
		fprintf(stderr, "fastcn-qpd: --metrics %s: %s\n", qpd->opt.metrics_file,
				strerror(-rc));
	qpd->metrics_error = rc;
}

void
qpd_metrics_end(const struct qpd *qpd)
{
	if (qpd->opt.metrics_file != NULL)
		unlink(qpd->opt.metrics_file);
}

/* ---- what the counters mean ---- */

static void
put(FILE *out, const char *name, const char *text)
{
	fprintf(out, "  %-24s %s\n", name, text);
}

void
qpd_counters_help(FILE *out)
{
	fputs("switch\n", out);
#define PUT(member, text) put(out, #member, text);
	FCN_REMOTE_FEED_COUNTERS(PUT)
	HOSTS_COUNTERS(PUT)
	fputs("\nconnections\n", out);
	SERVER_COUNTERS(PUT)
	fputs("\nreports\n", out);
	SESSION_COUNTERS(PUT)
#undef PUT
	fputs("\nends (of sessions)\n", out);
#define PUT(sym, name, text) put(out, #name, text);
	SESSION_ENDS(PUT)
#undef PUT
}
