/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "capture_file.h"
#include "captures.h"

#define UNITS (256 * 1024)
#define LINE_LEN 600
#define IDLE_NS 1000000 /* the writer looks this often for packets */

enum state {
	FREE,
	TAPPED,  /* workers have its tap */
	CLOSING, /* they have not, and the writer ends the file */
	ENDED,   /* the writer has nothing to do with it any more */
};

struct capture {
	enum state state; /* locked */
	struct fcn_capture_file *file;
	struct fcn_tap_counts counts; /* from CLOSING on */
	/* control's alone */
	uint64_t order;
	char *port, *what, *filter_text;
	uint32_t snaplen;
	struct bpf_program filter;
	bool has_filter;
};

struct fcn_captures {
	struct fcn_control *ctl;
	uint32_t units;
	uint64_t started; /* captures ever */
	bool threaded;
	bool has_thread;
	pthread_t thread;
	struct fcn_capture_reader reader[FCN_MAX_WORKERS]; /* the writer's */
	unsigned int n_readers;                            /* 0 until there are rings */
	struct fcn_capture_ports known;                    /* the writer's copy of the ports */

	pthread_mutex_t lock;
	pthread_cond_t changed; /* something for the writer to do, or done by it */
	bool ending;
	struct fcn_capture_ports ports;
	struct capture capture[FCN_CAPTURE_MAX];
};

/* ---- the writer ---- */

/* What the writer works with in a turn. */
struct turn {
	struct fcn_capture_file *file[FCN_CAPTURE_MAX]; /* NULL: none */
	uint8_t closing;                                /* bit set */
	unsigned int units[FCN_MAX_WORKERS];            /* in the rings when it began */
	bool found;                                     /* there were any */
};

static void
write_record(const struct fcn_captures *cs, const struct turn *t,
		const struct fcn_capture_record *r, const struct fcn_capture_octets *octets)
{
	for (uint8_t taps = r->taps; taps != 0; taps &= taps - 1) {
		unsigned int i = __builtin_ctz(taps);

		if (t->file[i] != NULL)
			fcn_capture_file_put(t->file[i], r, octets, i, &cs->known);
	}
}

/* The worker whose next record is the oldest; negative: none has one that belongs to the turn. */
static int
next_worker(struct fcn_captures *cs, const struct turn *t)
{
	struct fcn_capture_octets octets;
	uint64_t oldest = UINT64_MAX;
	int next = -1;

	for (unsigned int i = 0; i < cs->n_readers; i++) {
		const struct fcn_capture_record *r = NULL;

		if (t->units[i] != 0)
			r = fcn_capture_peek(&cs->reader[i], &octets);
		if (r != NULL && r->time_ns < oldest) {
			oldest = r->time_ns;
			next = i;
		}
	}
	return next;
}

/* What was there when the turn began, and no more: it ends whatever workers do. */
static void
drain(struct fcn_captures *cs, struct turn *t)
{
	const struct fcn_capture_record *r;
	struct fcn_capture_octets octets;
	int i;

	while ((i = next_worker(cs, t)) >= 0) {
		r = fcn_capture_peek(&cs->reader[i], &octets);
		write_record(cs, t, r, &octets);
		t->units[i] -= fcn_capture_next(&cs->reader[i]);
	}
	for (unsigned int k = 0; k < cs->n_readers; k++)
		fcn_capture_release(&cs->reader[k]);
}

/* Locked; is not while it writes. @return whether there was anything to do */
static bool
write_turn(struct fcn_captures *cs)
{
	struct turn t = {0};

	/* Counted first: every record of these is for a capture that is seen below. */
	for (unsigned int i = 0; i < cs->n_readers; i++) {
		t.units[i] = rte_ring_count(cs->reader[i].ring);
		t.found |= t.units[i] != 0;
	}
	for (unsigned int i = 0; i < FCN_CAPTURE_MAX; i++) {
		struct capture *c = &cs->capture[i];

		if (c->state == TAPPED || c->state == CLOSING)
			t.file[i] = c->file;
		if (c->state == CLOSING)
			t.closing |= 1u << i;
	}
	cs->known = cs->ports;
	pthread_mutex_unlock(&cs->lock);
	drain(cs, &t);
	for (unsigned int i = 0; i < FCN_CAPTURE_MAX; i++) {
		struct capture *c = &cs->capture[i];

		if (t.closing >> i & 1)
			fcn_capture_file_end(
					c->file, c->counts.missed, c->counts.time_ns, &cs->known);
		else if (t.file[i] != NULL && cs->threaded)
			fcn_capture_file_flush(t.file[i], &cs->known);
	}
	pthread_mutex_lock(&cs->lock);
	for (unsigned int i = 0; i < FCN_CAPTURE_MAX; i++) {
		if (t.closing >> i & 1)
			cs->capture[i].state = ENDED;
	}
	if (t.closing != 0)
		pthread_cond_broadcast(&cs->changed);
	return t.found || t.closing != 0;
}

/* Locked. */
static bool
is_idle(const struct fcn_captures *cs)
{
	for (unsigned int i = 0; i < FCN_CAPTURE_MAX; i++) {
		if (cs->capture[i].state == TAPPED || cs->capture[i].state == CLOSING)
			return false;
	}
	return true;
}

/* Locked. Wait for packets, or for a change. */
static void
doze(struct fcn_captures *cs)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += IDLE_NS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	pthread_cond_timedwait(&cs->changed, &cs->lock, &until);
}

static void *
writer_main(void *arg)
{
	struct fcn_captures *cs = arg;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE); /* then write() says so */
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_mutex_lock(&cs->lock);
	while (!cs->ending) {
		if (is_idle(cs))
			pthread_cond_wait(&cs->changed, &cs->lock);
		else if (!write_turn(cs))
			doze(cs);
	}
	pthread_mutex_unlock(&cs->lock);
	return NULL;
}

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

/* There is one from the first capture on. */
static int
need_thread(struct fcn_captures *cs)
{
	int rc = 0;

	if (cs->threaded && !cs->has_thread)
		rc = pthread_create(&cs->thread, NULL, writer_main, cs);
	cs->has_thread = cs->threaded && rc == 0;
	return -rc;
}

static void
clear(struct capture *c)
{
	fcn_capture_file_free(c->file);
	free(c->port);
	free(c->what);
	free(c->filter_text);
	if (c->has_filter)
		pcap_freecode(&c->filter);
	*c = (struct capture){.state = FREE};
}

void
fcn_captures_free(struct fcn_captures *cs)
{
	if (cs == NULL)
		return;
	fcn_captures_stop(cs, NULL);
	pthread_mutex_lock(&cs->lock);
	cs->ending = true;
	pthread_cond_broadcast(&cs->changed);
	pthread_mutex_unlock(&cs->lock);
	if (cs->has_thread)
		pthread_join(cs->thread, NULL);
	for (unsigned int i = 0; i < FCN_CAPTURE_MAX; i++)
		clear(&cs->capture[i]);
	pthread_cond_destroy(&cs->changed);
	pthread_mutex_destroy(&cs->lock);
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

/* Workers' rings stay, once they are there. */
static void
note_rings(struct fcn_captures *cs)
{
	pthread_mutex_lock(&cs->lock);
	for (unsigned int i = cs->n_readers; i < cs->ctl->n_workers; i++)
		cs->reader[i].ring = cs->ctl->worker[i]->capture.ring;
	cs->n_readers = cs->ctl->n_workers;
	pthread_mutex_unlock(&cs->lock);
}

void
fcn_captures_ports(struct fcn_captures *cs)
{
	if (cs == NULL || cs->started == 0)
		return;
	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++) {
		const struct fcn_config_port *port = &cs->ctl->config->port[p];

		if (port->name[0] != '\0')
			fcn_captures_port(cs, p, port->name, cs->ctl->port[p].info.link_bps);
	}
}

/* ---- one capture ---- */

static enum state
state_of(struct fcn_captures *cs, const struct capture *c)
{
	enum state state;

	pthread_mutex_lock(&cs->lock);
	state = c->state;
	pthread_mutex_unlock(&cs->lock);
	return state;
}

static void
set_state(struct fcn_captures *cs, struct capture *c, enum state state)
{
	pthread_mutex_lock(&cs->lock);
	c->state = state;
	pthread_cond_broadcast(&cs->changed);
	pthread_mutex_unlock(&cs->lock);
}

/* Workers forget it; the writer ends the file. */
static void
close_tap(struct fcn_captures *cs, struct capture *c)
{
	fcn_control_tap_close(cs->ctl, c - cs->capture, &c->counts);
	set_state(cs, c, CLOSING);
}

/* Until the writer is through with it. Bounded: as long as it takes to write what is in the ring,
 * and a pipe's reader may take. */
static void
await_end(struct fcn_captures *cs, const struct capture *c)
{
	pthread_mutex_lock(&cs->lock);
	while (c->state == CLOSING) {
		if (cs->has_thread)
			pthread_cond_wait(&cs->changed, &cs->lock);
		else
			write_turn(cs);
	}
	pthread_mutex_unlock(&cs->lock);
}

/* A place that is free, or else that of the capture which ended first. */
static struct capture *
find_place(struct fcn_captures *cs)
{
	struct capture *oldest = NULL;

	for (unsigned int i = 0; i < FCN_CAPTURE_MAX; i++) {
		struct capture *c = &cs->capture[i];
		enum state state = state_of(cs, c);

		if (state == FREE)
			return c;
		if (state == ENDED && (oldest == NULL || c->order < oldest->order))
			oldest = c;
	}
	if (oldest != NULL)
		clear(oldest);
	return oldest;
}

/* Whether a running capture writes the file; one that ended and wrote it is forgotten. */
static bool
is_in_use(struct fcn_captures *cs, const struct fcn_capture_file *file)
{
	for (unsigned int i = 0; i < FCN_CAPTURE_MAX; i++) {
		struct capture *c = &cs->capture[i];
		enum state state = state_of(cs, c);

		if (state == FREE || !fcn_capture_file_is_same(c->file, file))
			continue;
		if (state != ENDED)
			return true;
		clear(c);
	}
	return false;
}

static int
say_no(int rc, char *err, size_t err_size, const char *line)
{
	snprintf(err, err_size, "%s", line);
	return rc;
}

/* What a request says, kept. @return 0 or a negative errno, with a line in err */
static int
fill(struct fcn_captures *cs, struct capture *c, const struct fcn_capture_request *req, char *err,
		size_t err_size)
{
	const struct fcn_capture_file_conf conf = {
			.path = req->file,
			.filter = req->filter,
			.snaplen = req->snaplen,
			.packets = req->packets,
			.bytes = req->bytes,
			.ports = req->ports,
	};
	int rc;

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
		return say_no(rc, err, err_size, "no memory for packets on their way to files");
	c->file = fcn_capture_file_open(&conf, err, err_size);
	return c->file != NULL ? 0 : -EIO;
}

/* The place's file is not written by another capture. */
static int
claim(struct fcn_captures *cs, struct capture *c, char *err, size_t err_size)
{
	if (!is_in_use(cs, c->file))
		return 0;
	snprintf(err, err_size, "%s: another capture writes it", fcn_capture_file_path(c->file));
	return -EBUSY;
}

static int
start(struct fcn_captures *cs, struct capture *c, const struct fcn_capture_request *req, char *err,
		size_t err_size)
{
	struct fcn_capture_tap tap = {.snaplen = req->snaplen};
	int rc = fill(cs, c, req, err, err_size);

	if (rc == 0)
		rc = claim(cs, c, err, err_size);
	if (rc != 0)
		return rc;
	rc = need_thread(cs);
	if (rc != 0)
		return say_no(rc, err, err_size, "cannot start the thread that writes");
	if (c->has_filter)
		tap.filter = &c->filter;
	for (unsigned int p = 0; p < FCN_CAPTURE_POINT_COUNT; p++)
		tap.ports[p] = req->points >> p & 1 ? req->ports : 0;
	c->order = cs->started++;
	note_rings(cs);
	fcn_captures_ports(cs);
	set_state(cs, c, TAPPED); /* before the first packet */
	fcn_control_tap_open(cs->ctl, c - cs->capture, &tap);
	return 0;
}

int
fcn_captures_start(struct fcn_captures *cs, const struct fcn_capture_request *req, char *err,
		size_t err_size)
{
	struct capture *c;
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
		clear(c);
	return rc;
}

int
fcn_captures_stop(struct fcn_captures *cs, const char *file)
{
	uint8_t chosen = 0;
	bool found = false;

	for (unsigned int i = 0; i < FCN_CAPTURE_MAX; i++) {
		struct capture *c = &cs->capture[i];
		enum state state = state_of(cs, c);

		if (state == FREE ||
				(file != NULL && strcmp(fcn_capture_file_path(c->file), file) != 0))
			continue;
		found = true;
		if (state == TAPPED)
			close_tap(cs, c);
		chosen |= 1u << i;
	}
	for (; chosen != 0; chosen &= chosen - 1)
		await_end(cs, &cs->capture[__builtin_ctz(chosen)]);
	return found || file == NULL ? 0 : -ENOENT;
}

/* Whether a file has an end before its capture is stopped. */
static bool
is_over(const struct capture *c)
{
	struct fcn_capture_file_stats stats;

	fcn_capture_file_stats(c->file, &stats);
	return stats.full || stats.error != 0;
}

static const char *
error_text(int error)
{
	return error == ETIMEDOUT ? "the pipe's reader takes nothing" : strerror(error);
}

/* @return whether it failed */
static bool
failure_of(const struct capture *c, char line[LINE_LEN])
{
	struct fcn_capture_file_stats stats;

	fcn_capture_file_stats(c->file, &stats);
	snprintf(line, LINE_LEN, "capture %s: %s", fcn_capture_file_path(c->file),
			error_text(stats.error));
	return stats.error != 0;
}

/* People who do not look shall hear of it. */
static void
tell(const struct fcn_captures *cs, const struct capture *c)
{
	const struct fcn_world *world = cs->ctl->world;
	char line[LINE_LEN];

	if (failure_of(c, line) && world->log != NULL)
		world->log(world->arg, line);
}

void
fcn_captures_run(struct fcn_captures *cs)
{
	if (cs == NULL || cs->started == 0)
		return;
	if (!cs->has_thread) {
		pthread_mutex_lock(&cs->lock);
		write_turn(cs);
		pthread_mutex_unlock(&cs->lock);
	}
	for (unsigned int i = 0; i < FCN_CAPTURE_MAX; i++) {
		struct capture *c = &cs->capture[i];

		if (state_of(cs, c) != TAPPED || !is_over(c))
			continue;
		close_tap(cs, c);
		tell(cs, c);
	}
}

/* ---- show ---- */

unsigned int
fcn_captures_failed(struct fcn_captures *cs, void (*say)(void *arg, const char *line), void *arg)
{
	unsigned int failed = 0;

	for (unsigned int i = 0; cs != NULL && i < FCN_CAPTURE_MAX; i++) {
		const struct capture *c = &cs->capture[i];
		char line[LINE_LEN];

		if (state_of(cs, c) == FREE || !failure_of(c, line))
			continue;
		say(arg, line);
		failed++;
	}
	return failed;
}

static uint64_t
sum(const uint64_t missed[FCN_MAX_PORTS])
{
	uint64_t n = 0;

	for (unsigned int p = 0; p < FCN_MAX_PORTS; p++)
		n += missed[p];
	return n;
}

static json_t *
show_one(struct fcn_captures *cs, const struct capture *c)
{
	enum state state = state_of(cs, c);
	struct fcn_capture_file_stats stats;
	struct fcn_tap_counts counts;
	const char *says;

	if (state == TAPPED)
		fcn_control_tap_read(cs->ctl, c - cs->capture, &counts);
	else
		counts = c->counts;
	fcn_capture_file_stats(c->file, &stats);
	if (stats.error != 0)
		says = "failed";
	else if (state != ENDED)
		says = state == TAPPED && !stats.full ? "running" : "ending";
	else
		says = stats.full ? "full" : "stopped";
	return json_pack("{s:s, s:s, s:s, s:s?, s:I, s:s, s:s?, s:I, s:I, s:I}", "file",
			fcn_capture_file_path(c->file), "port", c->port, "what", c->what, "filter",
			c->filter_text, "snaplen", (json_int_t)c->snaplen, "state", says, "error",
			stats.error != 0 ? error_text(stats.error) : NULL, "packets",
			(json_int_t)stats.packets, "bytes", (json_int_t)stats.bytes, "missed",
			(json_int_t)(sum(counts.missed) + stats.lost));
}

/* The capture with the lowest order that is not below one. */
static const struct capture *
next_of(struct fcn_captures *cs, uint64_t order)
{
	const struct capture *next = NULL;

	for (unsigned int i = 0; i < FCN_CAPTURE_MAX; i++) {
		const struct capture *c = &cs->capture[i];

		if (state_of(cs, c) != FREE && c->order >= order &&
				(next == NULL || c->order < next->order))
			next = c;
	}
	return next;
}

json_t *
fcn_captures_show(struct fcn_captures *cs)
{
	json_t *list = json_array();

	const struct capture *c;

	if (cs == NULL)
		return list;
	for (uint64_t order = 0; (c = next_of(cs, order)) != NULL; order = c->order + 1)
		json_array_append_new(list, show_one(cs, c));
	return list;
}
