/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Events of a switch for people and programs: the log of events, and those that are followed as
 * they come. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <bsd/string.h>

#include "event_log.h"
#include "exports_private.h"

#define NS 1000000000u
/* The clock of the workers counts cycles and drifts from UTC. The difference is measured this
 * often, and corrected when it is at least EPOCH_STEP_NS. */
#define EPOCH_NS (10ull * NS)
#define EPOCH_STEP_NS 1000000

static uint64_t
read_clock(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * NS + ts.tv_nsec;
}

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

	if (event_sample_take(&x->sample, ev->type, fcn_control_config(x->ctl)->exports.event_rate))
		fcn_event_log_put(x->log, line, fcn_event_line(ev, &x->names, line));
	else
		fcn_event_log_left_out(x->log);
}

static void
tell_more(void *arg, enum fcn_event_type type, uint64_t left_out)
{
	struct fcn_exports *x = arg;
	char line[160], time[FCN_UTC_SIZE];
	const int len = snprintf(line, sizeof(line),
			"{\"time\":\"%s\",\"event\":\"more_like_this\",\"of\":\"%s\",\"lines\":"
			"%" PRIu64 "}\n",
			fcn_format_utc(read_clock(CLOCK_REALTIME), time), fcn_event_name(type),
			left_out);

	fcn_event_log_put(x->log, line, (size_t)len);
}

void
exports_log_second(struct fcn_exports *x)
{
	if (x->log != NULL)
		event_sample_next(&x->sample, tell_more, x);
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
	exports_log_second(x);
	x->sample = (struct event_sample){0};
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

void
exports_log_epoch(struct fcn_exports *x, uint64_t now)
{
	if (x->epoch_ns == 0 || now - x->epoch_ns >= EPOCH_NS)
		look_at_epoch(x, now);
}

static const struct fcn_event_text *
words(void *arg, uint32_t number)
{
	return fcn_collector_words(fcn_control_collector(arg), number);
}

void
exports_log_begin(struct fcn_exports *x)
{
	x->names.port = port_name;
	x->names.words = words;
	x->names.arg = x->ctl;
}

void
exports_log_end(struct fcn_exports *x)
{
	if (x->log == NULL)
		return;
	fcn_control_drain(x->ctl);
	exports_log_second(x);
	fcn_collector_listen(fcn_control_collector(x->ctl), NULL, NULL);
	fcn_event_log_free(x->log);
	x->log = NULL;
}

uint64_t
fcn_exports_follow(struct fcn_exports *x, uint64_t from, bool json, FILE *out)
{
	const struct fcn_collector *c = fcn_control_collector(x->ctl);
	char line[FCN_EVENT_LINE_MAX];
	uint64_t first, end;

	exports_log_epoch(x, read_clock(CLOCK_MONOTONIC));
	fcn_control_drain(x->ctl);
	first = fcn_collector_event_first(c);
	end = fcn_collector_event_count(c);
	if (from > end)
		from = end > FCN_FOLLOW_BEFORE ? end - FCN_FOLLOW_BEFORE : 0;
	else if (from < first && json)
		fprintf(out, "{\"event\":\"lines_lost\",\"lines\":%" PRIu64 "}\n", first - from);
	else if (from < first)
		fprintf(out, "%" PRIu64 " more\n", first - from);
	for (uint64_t i = from > first ? from : first; i < end; i++) {
		if (json)
			fcn_event_line(fcn_collector_event(c, i), &x->names, line);
		else
			fcn_event_words_line(fcn_collector_event(c, i), &x->names, line);
		fputs(line, out);
	}
	return end;
}
