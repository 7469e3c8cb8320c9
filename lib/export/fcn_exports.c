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
#include "fcn_event_line.h"
#include "fcn_exports.h"
#include "fcn_json_text.h"
#include "fcn_remote_counters.h"
#include "fcn_show.h"
#include "fcn_show_list.h"
#include "metrics_server.h"
#include "status.h"
#include "telemetry.h"

#define NS 1000000000u
#define RATES_NS NS
/* The clock of the workers counts cycles and drifts from UTC. The difference is measured this
 * often, and corrected when it is at least EPOCH_STEP_NS. */
#define EPOCH_NS (10ull * NS)
#define EPOCH_STEP_NS 1000000

struct fcn_exports {
	struct fcn_control *ctl;
	struct fcn_show_source source;
	struct fcn_control_rpc *rpc;
	struct fcn_metrics_server *server; /* NULL: off */
	struct fcn_addr listen;            /* where the server listens */
	struct fcn_config_exports conf;    /* what is in force */
	struct fcn_event_log *log;         /* NULL: off */
	bool late_metrics, late_log;       /* they are in conf, but could not be opened yet */
	uint64_t rates_ns, epoch_ns;       /* the last sample of rates, and of the clock */
	struct fcn_event_names names;
	struct status status;
	struct fcn_log_lines *log_lines; /* of `show log`; NULL: none */
	json_t *(*sessions)(void *arg);  /* of `show sessions`; NULL: none */
	void *sessions_arg;
};

static uint64_t
read_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * NS + ts.tv_nsec;
}

/* ---- the log of events ---- */

static const char *
port_name(void *arg, unsigned int port)
{
	const struct fcn_control *ctl = arg;

	if (port >= FCN_MAX_PORTS || fcn_control_config(ctl)->port[port].name[0] == '\0')
		return "-";
	return fcn_control_config(ctl)->port[port].name;
}

static void
log_event(void *arg, const struct fcn_event *ev)
{
	struct fcn_exports *x = arg;
	char line[FCN_EVENT_LINE_MAX];

	fcn_event_log_put(x->log, line, fcn_event_line(ev, &x->names, line));
}

static void
read_now(struct fcn_worker *w, void *arg)
{
	*(uint64_t *)arg = w->now;
}

/* Ask the first worker that is not stalled for its time. @return whether there is one */
static bool
ask_now(struct fcn_exports *x, uint64_t *now)
{
	for (unsigned int i = 0; i < fcn_control_n_workers(x->ctl); i++) {
		if (fcn_worker_call(fcn_control_worker(x->ctl, i), read_now, now, sizeof(*now)) ==
				0)
			return true;
	}
	return false;
}

/* Measure the UTC time at which the clock of the workers was 0. */
static void
look_at_epoch(struct fcn_exports *x, uint64_t now)
{
	uint64_t before = read_clock(CLOCK_REALTIME), worker = 0, epoch, off;

	if (!ask_now(x, &worker))
		return;
	epoch = before + (read_clock(CLOCK_REALTIME) - before) / 2 - worker;
	off = epoch > x->names.epoch_ns ? epoch - x->names.epoch_ns : x->names.epoch_ns - epoch;
	if (off >= EPOCH_STEP_NS)
		x->names.epoch_ns = epoch;
	x->epoch_ns = now;
}

/* Arguments of work on the log that another thread does, as opening, writing and closing a file may
 * take long. */
struct log_work {
	const char *file;
	struct fcn_event_log *log;
	char *err;
	size_t err_size;
	int rc;
};

static void
create_log(void *arg)
{
	struct log_work *w = arg;

	w->log = fcn_event_log_create(w->file, 0, w->err, w->err_size);
}

static void
free_log(void *log)
{
	fcn_event_log_free(log);
}

static void
reopen_log(void *arg)
{
	struct log_work *w = arg;

	w->rc = fcn_event_log_reopen(w->log);
}

int
fcn_exports_log(struct fcn_exports *x, const char *file, char *err, size_t err_size)
{
	struct log_work work = {.file = file, .err = err, .err_size = err_size};
	struct fcn_event_log *old = x->log;

	if (file != NULL && strlen(file) >= sizeof(x->conf.events)) {
		snprintf(err, err_size, "the name of the file is too long");
		return -1;
	}
	if (file != NULL) {
		fcn_control_aside(x->ctl, create_log, &work);
		if (work.log == NULL)
			return -1;
		look_at_epoch(x, read_clock(CLOCK_MONOTONIC));
	}
	/* Events until now belong to the old log, if there is one. */
	fcn_control_drain(x->ctl);
	x->log = work.log;
	fcn_collector_listen(fcn_control_collector(x->ctl), x->log != NULL ? log_event : NULL, x);
	if (old != NULL)
		fcn_control_aside(x->ctl, free_log, old);
	strlcpy(x->conf.events, file != NULL ? file : "", sizeof(x->conf.events));
	x->late_log = false;
	fcn_control_warning_over(x->ctl, FCN_WARNING_EXPORT, "events");
	return 0;
}

int
fcn_exports_reopen(struct fcn_exports *x)
{
	struct log_work work = {.log = x->log};

	if (x->log == NULL)
		return -ENOENT;
	fcn_control_aside(x->ctl, reopen_log, &work);
	return work.rc;
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
	const struct fcn_metrics_source source = {x->rpc, write_metrics, x, &x->source};
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
	const struct fcn_metrics_source source = {x->rpc, write_metrics, x, &x->source};
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
		x->names.port = port_name;
		x->names.arg = ctl;
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
	if (x->log != NULL) {
		fcn_control_drain(x->ctl);
		fcn_collector_listen(fcn_control_collector(x->ctl), NULL, NULL);
	}
	fcn_event_log_free(x->log);
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
		open_late(x);
		x->rates_ns = now;
	}
	if (x->log != NULL && now - x->epoch_ns >= EPOCH_NS)
		look_at_epoch(x, now);
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
