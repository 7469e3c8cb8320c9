/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bsd/string.h>

#include "control_rpc.h"
#include "event_log.h"
#include "exports_private.h"
#include "fcn_json_text.h"
#include "fcn_remote_counters.h"
#include "fcn_show.h"
#include "feed.h"
#include "metrics_server.h"
#include "telemetry.h"

#define NS 1000000000u
#define RATES_NS NS

static uint64_t
read_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * NS + ts.tv_nsec;
}

/* ---- metrics ---- */

static json_t *
get_for_metrics(void *arg, const char *show)
{
	return fcn_exports_get(arg, show);
}

static char *
write_metrics(void *arg, enum fcn_metrics_format format)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	int rc;

	if (out == NULL)
		return NULL;
	rc = fcn_metrics_write(out, format, get_for_metrics, arg);
	if (fclose(out) == 0 && rc == 0)
		return text;
	free(text);
	return NULL;
}

static char *
write_feed(void *arg)
{
	struct fcn_exports *x = arg;
	const uint64_t now = read_clock(CLOCK_MONOTONIC);

	exports_log_epoch(x, now);
	return feed_write(&x->feed, &x->source, now, x->names.epoch_ns);
}

static void
free_server(void *server)
{
	fcn_metrics_server_free(server);
}

/* The server's thread may be waiting for the control thread, for a second at most. */
static void
close_server(struct fcn_exports *x)
{
	struct fcn_metrics_server *server = x->server;

	x->server = NULL;
	if (server != NULL)
		fcn_control_aside(x->ctl, free_server, server);
}

static bool
is_listening_at(const struct fcn_exports *x, const struct fcn_addr *addr, uint16_t port)
{
	return x->server != NULL && port != 0 && port == fcn_metrics_server_port(x->server) &&
	       addr->version == x->listen.version &&
	       memcmp(addr->bytes, x->listen.bytes, addr->version == 6 ? 16 : 4) == 0;
}

/*
 * Move the server to another address on the same port. One address may include the other, as
 * 0.0.0.0 includes 127.0.0.1. The new socket can then be opened only after the old one was closed.
 * When it cannot be opened then either, the server returns to the old address.
 */
static int
move_server(struct fcn_exports *x, const struct fcn_addr *addr, char *err, size_t err_size)
{
	const struct fcn_metrics_source source = {x->rpc, write_metrics, write_feed, x, &x->source};
	uint16_t port = fcn_metrics_server_port(x->server);
	char again[128];

	close_server(x);
	x->server = fcn_metrics_server_create(&source, addr, port, err, err_size);
	if (x->server != NULL) {
		x->listen = *addr;
		return 0;
	}
	x->server = fcn_metrics_server_create(&source, &x->listen, port, again, sizeof(again));
	if (x->server == NULL) {
		size_t used = strlen(err);

		snprintf(err + used, err_size - used, "; %s either, metrics are off", again);
	}
	return -1;
}

static int
listen_at(struct fcn_exports *x, const struct fcn_addr *addr, uint16_t port, char *err,
		size_t err_size)
{
	const struct fcn_metrics_source source = {x->rpc, write_metrics, write_feed, x, &x->source};
	struct fcn_metrics_server *server = NULL;

	if (addr != NULL && is_listening_at(x, addr, port))
		return 0;
	if (addr != NULL) {
		server = fcn_metrics_server_create(&source, addr, port, err, err_size);
		if (server == NULL && x->server != NULL && port != 0 &&
				port == fcn_metrics_server_port(x->server))
			return move_server(x, addr, err, err_size);
		if (server == NULL)
			return -1;
		x->listen = *addr;
	}
	close_server(x);
	x->server = server;
	return 0;
}

int
fcn_exports_listen(struct fcn_exports *x, const struct fcn_addr *addr, uint16_t port, char *err,
		size_t err_size)
{
	int rc = listen_at(x, addr, port, err, err_size);

	if (rc == 0) {
		x->conf.metrics = addr != NULL ? *addr : (struct fcn_addr){0};
		x->conf.port = addr != NULL ? port : 0;
		x->late_metrics = false;
		fcn_control_warning_over(x->ctl, FCN_WARNING_EXPORT, "metrics");
	}
	return rc;
}

int
fcn_exports_apply(struct fcn_exports *x, const struct fcn_config_exports *conf, char *err,
		size_t err_size)
{
	const struct fcn_addr was = x->conf.metrics;
	const uint16_t port = x->conf.port;
	bool moves = was.version != conf->metrics.version || port != conf->port ||
		     (was.version != 0 && !fcn_addr_equal(&was, &conf->metrics));
	char again[128];

	if (moves && fcn_exports_listen(x, conf->metrics.version != 0 ? &conf->metrics : NULL,
				     conf->port, err, err_size) != 0)
		return -1;
	if (strcmp(x->conf.events, conf->events) == 0 ||
			fcn_exports_log(x, conf->events[0] != '\0' ? conf->events : NULL, err,
					err_size) == 0)
		return 0;
	if (moves)
		fcn_exports_listen(x, was.version != 0 ? &was : NULL, port, again, sizeof(again));
	return -1;
}

/* Open what could not be opened yet. */
static void
open_late(struct fcn_exports *x)
{
	const struct fcn_config_exports conf = x->conf;
	char err[FCN_EXPORT_FILE_LEN + 256];

	if (x->late_metrics &&
			fcn_exports_listen(x, &conf.metrics, conf.port, err, sizeof(err)) != 0)
		fcn_control_warn(x->ctl, FCN_WARNING_EXPORT, FCN_MAX_PORTS, "metrics", "%s", err);
	if (x->late_log && fcn_exports_log(x, conf.events, err, sizeof(err)) != 0)
		fcn_control_warn(x->ctl, FCN_WARNING_EXPORT, FCN_MAX_PORTS, "events", "%s", err);
}

void
fcn_exports_start(struct fcn_exports *x, const struct fcn_config_exports *conf)
{
	char err[FCN_EXPORT_FILE_LEN + 256];

	/* What is open and is not part of it goes, whatever else is not possible now. */
	if (conf->metrics.version == 0)
		fcn_exports_listen(x, NULL, 0, err, sizeof(err));
	if (conf->events[0] == '\0')
		fcn_exports_log(x, NULL, err, sizeof(err));
	x->conf = *conf;
	x->late_metrics = conf->metrics.version != 0;
	x->late_log = conf->events[0] != '\0';
	open_late(x);
}

int
fcn_exports_option_metrics(
		const char *arg, struct fcn_config_exports *conf, char *err, size_t err_size)
{
	const char *colon = strrchr(arg, ':'), *digits = colon != NULL ? colon + 1 : arg;
	size_t len = colon != NULL ? (size_t)(colon - arg) : 0;
	struct fcn_addr addr = {.version = 4, .bytes = {127, 0, 0, 1}};
	char text[FCN_ADDR_STRLEN] = "", *end;
	unsigned long port = strtoul(digits, &end, 10);

	if (len >= 2 && arg[0] == '[' && arg[len - 1] == ']') {
		arg++;
		len -= 2;
	}
	snprintf(text, sizeof(text), "%.*s", (int)len, arg);
	if (digits[0] < '0' || digits[0] > '9' || *end != '\0' || port > UINT16_MAX ||
			len >= sizeof(text) ||
			(colon != NULL && fcn_addr_parse(text, &addr) != 0)) {
		snprintf(err, err_size,
				"the argument must be [ADDRESS:]PORT, such as 127.0.0.1:9750");
		return -1;
	}
	conf->metrics = addr;
	conf->port = port;
	return 0;
}

/* ---- shows ---- */

json_t *
fcn_exports_get(struct fcn_exports *x, const char *show)
{
	const struct fcn_show *found = fcn_show_find(show);
	struct fcn_show_query query = FCN_SHOW_QUERY_ANY;

	query.all = true; /* a counter of a queue begins at 0, before its first packet */
	return found == NULL ? NULL : fcn_show_get(&x->source, found, &query);
}

json_t *
fcn_exports_show(struct fcn_exports *x)
{
	struct fcn_metrics_server_stats scrapes = {0};
	struct fcn_event_log_stats lines = {0};
	const char *listens = "off", *file = "off";
	json_t *o;

	if (x != NULL && x->server != NULL) {
		listens = fcn_metrics_server_name(x->server);
		fcn_metrics_server_stats(x->server, &scrapes);
	}
	if (x != NULL && x->log != NULL) {
		file = fcn_event_log_file(x->log);
		fcn_event_log_stats(x->log, &lines);
	}
	o = json_pack("{s:{s:s}, s:{s:o}}", "metrics", "listen", listens, "events", "file",
			fcn_json_text(file));
	FCN_SHOW_COUNTERS(json_object_get(o, "metrics"), &scrapes, FCN_METRICS_SERVER_COUNTERS);
	FCN_SHOW_COUNTERS(json_object_get(o, "events"), &lines, FCN_EVENT_LOG_COUNTERS);
	return o;
}

/* ---- the state of the program ---- */

void
fcn_exports_forwarding(struct fcn_exports *x, bool forwarding)
{
	const struct fcn_event_text none = {0};

	fcn_control_note(x->ctl, forwarding ? FCN_EVENT_FORWARDING : FCN_EVENT_PAUSED, &none);
	status_forwarding(&x->status, forwarding);
}

bool
fcn_exports_is_forwarding(const struct fcn_exports *x)
{
	return x != NULL && x->status.forwarding;
}

void
fcn_exports_saved(struct fcn_exports *x, const char *file)
{
	status_saved(&x->status, file, x->ctl);
}

const char *
fcn_exports_saved_file(const struct fcn_exports *x)
{
	return x->status.file[0] != '\0' ? x->status.file : NULL;
}

json_t *
fcn_exports_show_status(const struct fcn_exports *x, struct fcn_control *ctl)
{
	return status_show(x != NULL ? &x->status : NULL, ctl);
}

/* ---- the log of the program ---- */

void
fcn_exports_set_log(struct fcn_exports *x, struct fcn_log_lines *log)
{
	x->log_lines = log;
}

json_t *
fcn_exports_show_log(const struct fcn_exports *x, unsigned int last)
{
	return fcn_log_lines_show(x != NULL ? x->log_lines : NULL, last);
}

/* ---- begin and end ---- */

struct fcn_exports *
fcn_exports_create(
		struct fcn_control *ctl, struct fcn_captures *captures, char *err, size_t err_size)
{
	struct fcn_exports *x = calloc(1, sizeof(*x));

	if (x != NULL) {
		x->ctl = ctl;
		x->source = (struct fcn_show_source){ctl, captures, x};
		exports_log_begin(x);
		status_begin(&x->status);
		x->rpc = fcn_control_rpc_create();
	}
	if (x == NULL || x->rpc == NULL) {
		snprintf(err, err_size, "exports: %s", strerror(errno));
		free(x);
		return NULL;
	}
	if (fcn_telemetry_open(x->rpc, &x->source) == 0)
		return x;
	snprintf(err, err_size, "cannot register with DPDK's telemetry");
	fcn_exports_free(x);
	return NULL;
}

void
fcn_exports_free(struct fcn_exports *x)
{
	if (x == NULL)
		return;
	fcn_telemetry_close();
	fcn_control_rpc_close(x->rpc);
	fcn_metrics_server_free(x->server);
	exports_log_end(x);
	feed_clear(&x->feed);
	fcn_control_rpc_unref(x->rpc);
	free(x);
}

int
fcn_exports_fd(const struct fcn_exports *x)
{
	return fcn_control_rpc_fd(x->rpc);
}

void
fcn_exports_run(struct fcn_exports *x)
{
	uint64_t now = read_clock(CLOCK_MONOTONIC);

	if (x->rates_ns == 0 || now - x->rates_ns >= RATES_NS) {
		fcn_control_measure_rates(x->ctl, now);
		fcn_control_counter_events(x->ctl);
		exports_log_second(x);
		open_late(x);
		x->rates_ns = now;
	}
	if (x->log != NULL)
		exports_log_epoch(x, now);
	if (x->server != NULL)
		fcn_metrics_server_tick(x->server);
	fcn_control_rpc_serve(x->rpc);
}

/* ---- sessions of remote consoles ---- */

void
fcn_exports_set_sessions(struct fcn_exports *x, json_t *(*show)(void *arg), void *arg)
{
	x->sessions = show;
	x->sessions_arg = arg;
}

json_t *
fcn_exports_show_sessions(const struct fcn_exports *x)
{
	const struct fcn_remote_counters none = {0};
	json_t *o;

	if (x != NULL && x->sessions != NULL)
		return x->sessions(x->sessions_arg);
	o = json_pack("{s:[], s:[], s:{}}", "sockets", "sessions", "counters");
	FCN_SHOW_COUNTERS(json_object_get(o, "counters"), &none, FCN_REMOTE_COUNTERS);
	return o;
}

/* ---- configurations to go back to ---- */

void
fcn_exports_set_rollback(struct fcn_exports *x, json_t *(*show)(void *arg), void *arg)
{
	x->rollback = show;
	x->rollback_arg = arg;
}

json_t *
fcn_exports_show_rollback(const struct fcn_exports *x)
{
	if (x != NULL && x->rollback != NULL)
		return x->rollback(x->rollback_arg);
	return json_pack("{s:n, s:n, s:[]}", "directory", "on_trial", "configurations");
}
