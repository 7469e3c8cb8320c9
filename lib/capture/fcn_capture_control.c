/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "captures_private.h"

#define UNITS (256 * 1024)

/* ---- begin and end of all ---- */

struct fcn_captures *
fcn_captures_create(const struct fcn_captures_conf *conf)
{
	struct fcn_captures *cs = calloc(1, sizeof(*cs));
	pthread_condattr_t attr;

	if (cs == NULL)
		return NULL;
	cs->ctl = conf->ctl;
	cs->units = conf->units != 0 ? conf->units : UNITS;
	cs->threaded = conf->threaded;
	pthread_mutex_init(&cs->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&cs->changed, &attr);
	pthread_condattr_destroy(&attr);
	return cs;
}

static void
free_file(void *file)
{
	fcn_capture_file_free(file);
}

static void
clear(struct fcn_captures *cs, struct fcn_captured *c)
{
	if (c->file != NULL)
		fcn_control_aside(cs->ctl, free_file, c->file);
	free(c->port);
	free(c->what);
	free(c->filter_text);
	if (c->has_filter)
		pcap_freecode(&c->filter);
	*c = (struct fcn_captured){.state = FCN_CAPTURE_FREE};
}

void
fcn_captures_free(struct fcn_captures *cs)
{
	bool in_use = false;

	if (cs == NULL)
		return;
	fcn_captures_stop(cs, NULL);
	pthread_mutex_lock(&cs->lock);
	cs->ending = true;
	pthread_cond_broadcast(&cs->changed);
	pthread_mutex_unlock(&cs->lock);
	if (cs->has_thread)
		pthread_join(cs->thread, NULL);
	/* A stalled worker may still use the filter of a capture, which is in *cs, until the
	 * program ends. */
	for (unsigned int i = 0; i < FCN_CAPTURE_MAX; i++) {
		if (cs->capture[i].state == FCN_CAPTURE_TAPPED)
			in_use = true;
		else
			clear(cs, &cs->capture[i]);
	}
	pthread_cond_destroy(&cs->changed);
	pthread_mutex_destroy(&cs->lock);
	if (!in_use)
		free(cs);
}

void
fcn_captures_port(struct fcn_captures *cs, unsigned int number, const char *name, uint64_t bps)
{
	if (cs == NULL)
		return;
	pthread_mutex_lock(&cs->lock);
	snprintf(cs->ports.port[number].name, sizeof(cs->ports.port[number].name), "%s", name);
	cs->ports.port[number].bps = bps;
	pthread_mutex_unlock(&cs->lock);
}

/* Note the rings of workers. A ring stays once it was made. */
static void
note_rings(struct fcn_captures *cs)
{
	pthread_mutex_lock(&cs->lock);
	for (unsigned int i = cs->n_readers; i < fcn_control_n_workers(cs->ctl); i++)
		cs->reader[i].ring = fcn_control_worker(cs->ctl, i)->capture.ring;
	cs->n_readers = fcn_control_n_workers(cs->ctl);
	pthread_mutex_unlock(&cs->lock);
}

void
fcn_captures_ports(struct fcn_captures *cs)
{
	if (cs == NULL || cs->started == 0)
		return;
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_config_port *port = &fcn_control_config(cs->ctl)->port[p];

		if (port->name[0] != '\0')
			fcn_captures_port(cs, p, port->name,
					fcn_control_build_env(cs->ctl)->port[p].link_bps);
	}
}

/* ---- one capture ---- */

enum fcn_captures_state
fcn_captures_state(struct fcn_captures *cs, const struct fcn_captured *c)
{
	enum fcn_captures_state state;

	pthread_mutex_lock(&cs->lock);
	state = c->state;
	pthread_mutex_unlock(&cs->lock);
	return state;
}

static void
set_state(struct fcn_captures *cs, struct fcn_captured *c, enum fcn_captures_state state)
{
	pthread_mutex_lock(&cs->lock);
	c->state = state;
	pthread_cond_broadcast(&cs->changed);
	pthread_mutex_unlock(&cs->lock);
}

/* Have workers stop copying packets for a capture, and the writer complete its file. @return 0, or
 * -EAGAIN if a worker is stalled: the capture goes on */
static int
close_tap(struct fcn_captures *cs, struct fcn_captured *c)
{
	int rc = fcn_control_tap_close(cs->ctl, c - cs->capture, &c->counts);

	if (rc == 0)
		set_state(cs, c, FCN_CAPTURE_CLOSING);
	return rc;
}

/* Find a place for a new capture: a free one, or that of the ended capture that was started first.
 * @return NULL if all captures are running */
static struct fcn_captured *
find_place(struct fcn_captures *cs)
{
	struct fcn_captured *oldest = NULL;

	for (unsigned int i = 0; i < FCN_CAPTURE_MAX; i++) {
		struct fcn_captured *c = &cs->capture[i];
		enum fcn_captures_state state = fcn_captures_state(cs, c);

		if (state == FCN_CAPTURE_FREE)
			return c;
		if (state == FCN_CAPTURE_ENDED && (oldest == NULL || c->order < oldest->order))
			oldest = c;
	}
	if (oldest != NULL)
		clear(cs, oldest);
	return oldest;
}

/* Whether a running capture writes the file. A capture that wrote it and has ended is removed. */
static bool
is_in_use(struct fcn_captures *cs, const struct fcn_capture_file *file)
{
	for (unsigned int i = 0; i < FCN_CAPTURE_MAX; i++) {
		struct fcn_captured *c = &cs->capture[i];
		enum fcn_captures_state state = fcn_captures_state(cs, c);

		if (state == FCN_CAPTURE_FREE || !fcn_capture_file_is_same(c->file, file))
			continue;
		if (state != FCN_CAPTURE_ENDED)
			return true;
		clear(cs, c);
	}
	return false;
}

static int
say_no(int rc, char *err, size_t err_size, const char *line)
{
	snprintf(err, err_size, "%s", line);
	return rc;
}

/* Opening a file, which another thread does because it may take long. */
struct opening {
	const struct fcn_capture_file_conf *conf;
	struct fcn_capture_file *file;
	char *err;
	size_t err_size;
};

static void
open_file(void *arg)
{
	struct opening *o = arg;

	o->file = fcn_capture_file_open(o->conf, o->err, o->err_size);
}

/* Fill a place with what a request says. @return 0 or a negative errno, with a line in err */
static int
fill(struct fcn_captures *cs, struct fcn_captured *c, const struct fcn_capture_request *req,
		char *err, size_t err_size)
{
	const struct fcn_capture_file_conf conf = {
			.path = req->file,
			.filter = req->filter,
			.snaplen = req->snaplen,
			.packets = req->packets,
			.bytes = req->bytes,
			.ports = req->ports,
	};
	struct opening opening = {&conf, NULL, err, err_size};
	int rc = fcn_control_need_workers(cs->ctl, err, err_size);

	if (rc != 0)
		return rc;
	if (req->filter != NULL) {
		rc = fcn_control_filter_compile(req->filter, &c->filter, err, err_size);
		if (rc != 0)
			return rc;
		c->has_filter = true;
		c->filter_text = strdup(req->filter);
	}
	c->port = strdup(req->port);
	c->what = strdup(req->what);
	c->snaplen = req->snaplen;
	if (c->port == NULL || c->what == NULL || (req->filter != NULL && c->filter_text == NULL))
		return say_no(-ENOMEM, err, err_size, "out of memory");
	rc = fcn_control_tap_prepare(cs->ctl, cs->units);
	if (rc != 0)
		return say_no(rc, err, err_size,
				rc == -EAGAIN ? "a worker is stalled, and this needs all workers"
					      : "no memory for packets to be written to files");
	fcn_control_aside(cs->ctl, open_file, &opening);
	c->file = opening.file;
	return c->file != NULL ? 0 : -EIO;
}

/* Check that no other capture writes the file. @return 0 or -EBUSY, with a line in err */
static int
claim(struct fcn_captures *cs, struct fcn_captured *c, char *err, size_t err_size)
{
	if (!is_in_use(cs, c->file))
		return 0;
	snprintf(err, err_size, "%s: another capture writes this file",
			fcn_capture_file_path(c->file));
	return -EBUSY;
}

static int
start(struct fcn_captures *cs, struct fcn_captured *c, const struct fcn_capture_request *req,
		char *err, size_t err_size)
{
	struct fcn_capture_tap tap = {.snaplen = req->snaplen};
	int rc = fill(cs, c, req, err, err_size);

	if (rc == 0)
		rc = claim(cs, c, err, err_size);
	if (rc != 0)
		return rc;
	rc = fcn_captures_need_thread(cs);
	if (rc != 0)
		return say_no(rc, err, err_size, "cannot start the thread that writes captures");
	if (c->has_filter)
		tap.filter = &c->filter;
	for (unsigned int p = 0; p < FCN_CAPTURE_POINT_COUNT; p++) {
		if (req->points >> p & 1)
			tap.ports[p] = req->ports;
	}
	c->order = cs->started++;
	note_rings(cs);
	fcn_captures_ports(cs);
	set_state(cs, c, FCN_CAPTURE_TAPPED); /* before a worker copies the first packet */
	fcn_control_tap_open(cs->ctl, c - cs->capture, &tap);
	return 0;
}

int
fcn_captures_start(struct fcn_captures *cs, const struct fcn_capture_request *req, char *err,
		size_t err_size)
{
	struct fcn_captured *c;
	int rc;

	fcn_captures_run(cs);
	c = find_place(cs);
	if (c == NULL) {
		snprintf(err, err_size, "%u captures run already: capture stop one of them",
				FCN_CAPTURE_MAX);
		return -EMFILE;
	}
	rc = start(cs, c, req, err, err_size);
	if (rc != 0)
		clear(cs, c);
	return rc;
}

int
fcn_captures_stop(struct fcn_captures *cs, const char *file)
{
	uint8_t chosen = 0;
	bool found = false;
	int rc = 0;

	for (unsigned int i = 0; i < FCN_CAPTURE_MAX; i++) {
		struct fcn_captured *c = &cs->capture[i];
		enum fcn_captures_state state = fcn_captures_state(cs, c);

		if (state == FCN_CAPTURE_FREE ||
				(file != NULL && strcmp(fcn_capture_file_path(c->file), file) != 0))
			continue;
		found = true;
		if (state == FCN_CAPTURE_TAPPED && close_tap(cs, c) != 0)
			rc = -EAGAIN;
		else
			chosen |= 1u << i;
	}
	for (; chosen != 0; chosen &= chosen - 1)
		fcn_captures_await_end(cs, &cs->capture[__builtin_ctz(chosen)]);
	return found || file == NULL ? rc : -ENOENT;
}

/* Whether a file is full or has failed. */
static bool
is_over(const struct fcn_captured *c)
{
	struct fcn_capture_file_stats stats;

	fcn_capture_file_stats(c->file, &stats);
	return stats.full || stats.error != 0;
}

/* Log that a capture failed, for people who do not look at `show capture`. */
static void
log_failed(const struct fcn_captures *cs, const struct fcn_captured *c)
{
	char line[FCN_CAPTURES_LINE_LEN];

	if (fcn_captures_failure(c, line))
		fcn_control_log(cs->ctl, line);
}

void
fcn_captures_run(struct fcn_captures *cs)
{
	if (cs == NULL || cs->started == 0)
		return;
	if (!cs->has_thread) {
		pthread_mutex_lock(&cs->lock);
		fcn_captures_write_turn(cs);
		pthread_mutex_unlock(&cs->lock);
	}
	for (unsigned int i = 0; i < FCN_CAPTURE_MAX; i++) {
		struct fcn_captured *c = &cs->capture[i];

		if (fcn_captures_state(cs, c) != FCN_CAPTURE_TAPPED || !is_over(c))
			continue;
		if (close_tap(cs, c) == 0)
			log_failed(cs, c);
	}
}
