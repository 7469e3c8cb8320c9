/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* The file with what the switch has learned (--state-file): it is read at the start, and written at
 * times and at the end. A file that cannot be used is told, and keeps nothing from starting. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "fcn_learned.h"
#include "fcn_save_file.h"
#include "fcn_state.h"
#include "live.h"

/* Interval, ms, at which the file is written. */
#define EVERY_MS 10000

uint64_t
fcn_live_wall_clock(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

void
fcn_live_state_use(struct fcn_live *live, const char *text, size_t len, const char *from)
{
	const uint64_t now = fcn_loops_now(live->loops);
	struct fcn_state_result r;
	char err[128];

	if (fcn_state_apply(live->ctl, text, len, fcn_live_wall_clock(), &r, err, sizeof(err)) !=
			0) {
		fprintf(stderr, "fastcn: %s: %s; what was learned before is not used\n", from, err);
		return;
	}
	fprintf(stderr,
			"fastcn: %s, %" PRIu64
			".%03u s old: %u entries used, %u too old, %u not of "
			"this configuration or without room\n",
			from, r.age_ns / 1000000000, (unsigned int)(r.age_ns / 1000000 % 1000),
			r.taken, r.expired, r.skipped);
	/* Neighbours are published before the first packet. */
	fcn_learned_poll(live->ctl, now);
	fcn_control_host_poll(live->ctl, now);
}

/* Reading the file, which another thread does. */
struct reading {
	const char *path;
	char *text;
	size_t len;
	int rc; /* 0 or a negative errno; -ENOENT: there is none */
};

static int
read_all(int fd, struct reading *r)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (st.st_size > FCN_STATE_MAX_BYTES)
		return -EFBIG;
	r->text = malloc((size_t)st.st_size + 1);
	if (r->text == NULL)
		return -ENOMEM;
	while (r->len < (size_t)st.st_size) {
		ssize_t n = read(fd, r->text + r->len, (size_t)st.st_size - r->len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		r->len += (size_t)n;
	}
	return 0;
}

static void
read_file(void *arg)
{
	struct reading *r = arg;
	/* Opening a pipe would wait for who writes to it. */
	int fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	r->rc = fd >= 0 ? read_all(fd, r) : -errno;
	if (fd >= 0)
		close(fd);
}

void
fcn_live_state_read(struct fcn_live *live)
{
	struct reading r = {.path = live->state_file};

	if (r.path == NULL)
		return;
	fcn_control_aside(live->ctl, read_file, &r);
	if (r.rc == 0)
		fcn_live_state_use(live, r.text, r.len, r.path);
	else if (r.rc != -ENOENT)
		fprintf(stderr, "fastcn: %s: %s; what was learned before is not used\n", r.path,
				r.rc == -EINVAL ? "it is no regular file" : strerror(-r.rc));
	free(r.text);
}

/* Making the text, and writing it to the file if there is a path, which another thread does. */
struct writing {
	const struct fcn_state *state;
	const char *path;
	char *text;
	size_t len;
	int rc;
	char err[256];
};

static void
write_text(void *arg)
{
	struct writing *w = arg;

	w->rc = fcn_state_write(w->state, &w->text, &w->len);
	snprintf(w->err, sizeof(w->err), "%s", strerror(-w->rc));
	if (w->rc == 0 && w->path != NULL)
		w->rc = fcn_save_file(w->path, w->text, w->len, w->err, sizeof(w->err));
}

int
fcn_live_state_text(struct fcn_live *live, const char *path, char **text, size_t *len, char *err,
		size_t err_size)
{
	struct fcn_state *state = fcn_state_create(live->ctl, fcn_live_wall_clock());
	struct writing w = {.state = state, .path = path, .rc = -ENOMEM, .err = "out of memory"};

	if (state != NULL)
		fcn_control_aside(live->ctl, write_text, &w);
	fcn_state_free(state);
	if (w.rc != 0)
		snprintf(err, err_size, "%s", w.err);
	if (w.rc != 0 || text == NULL) {
		free(w.text);
	} else {
		*text = w.text;
		*len = w.len;
	}
	return w.rc;
}

void
fcn_live_state_save(struct fcn_live *live)
{
	char err[256];
	int rc;

	if (live->state_file == NULL || live->handed_over)
		return;
	rc = fcn_live_state_text(live, live->state_file, NULL, NULL, err, sizeof(err));
	/* A disk that is full stays so for a while: that is told once. */
	if (rc != 0 && !live->state_failed)
		fprintf(stderr, "fastcn: %s: what was learned is not saved: %s\n", live->state_file,
				err);
	live->state_failed = rc != 0;
}

void
fcn_live_state_poll(struct fcn_live *live, uint64_t now_ms)
{
	if (live->state_file == NULL || now_ms < live->state_due_ms)
		return;
	if (live->state_due_ms != 0)
		fcn_live_state_save(live);
	live->state_due_ms = now_ms + EVERY_MS;
}
