/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <signal.h>
#include <time.h>

#include "captures_private.h"

#define IDLE_NS 1000000 /* the writer looks for packets this often */

/* The state of one turn of the writer. */
struct turn {
	struct fcn_capture_file *file[FCN_CAPTURE_MAX]; /* NULL: none */
	uint8_t closing;                                /* bit set of captures to complete */
	unsigned int units[FCN_MAX_WORKERS]; /* in each ring at the beginning of the turn */
	bool found;                          /* there were packets */
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

/* @return the worker whose next record is the oldest; negative: no record of this turn is left */
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

/* Write what was in the rings at the beginning of the turn. Packets that come meanwhile wait for
 * the next turn, so this ends however busy workers are. */
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

bool
fcn_captures_write_turn(struct fcn_captures *cs)
{
	struct turn t = {0};

	/* Count the records before looking at the captures, so that the loop below sees the capture
	 * of each of these records. */
	for (unsigned int i = 0; i < cs->n_readers; i++) {
		t.units[i] = rte_ring_count(cs->reader[i].ring);
		t.found |= t.units[i] != 0;
	}
	for (unsigned int i = 0; i < FCN_CAPTURE_MAX; i++) {
		struct fcn_captured *c = &cs->capture[i];

		if (c->state == FCN_CAPTURE_TAPPED || c->state == FCN_CAPTURE_CLOSING)
			t.file[i] = c->file;
		if (c->state == FCN_CAPTURE_CLOSING)
			t.closing |= 1u << i;
	}
	cs->known = cs->ports;
	pthread_mutex_unlock(&cs->lock);
	drain(cs, &t);
	for (unsigned int i = 0; i < FCN_CAPTURE_MAX; i++) {
		struct fcn_captured *c = &cs->capture[i];

		if (t.closing >> i & 1)
			fcn_capture_file_end(
					c->file, c->counts.missed, c->counts.time_ns, &cs->known);
		else if (t.file[i] != NULL && cs->threaded)
			fcn_capture_file_flush(t.file[i], &cs->known);
	}
	pthread_mutex_lock(&cs->lock);
	for (unsigned int i = 0; i < FCN_CAPTURE_MAX; i++) {
		if (t.closing >> i & 1)
			cs->capture[i].state = FCN_CAPTURE_ENDED;
	}
	if (t.closing != 0)
		pthread_cond_broadcast(&cs->changed);
	return t.found || t.closing != 0;
}

/* Whether no capture needs the writer; the lock is held. */
static bool
is_idle(const struct fcn_captures *cs)
{
	for (unsigned int i = 0; i < FCN_CAPTURE_MAX; i++) {
		if (cs->capture[i].state == FCN_CAPTURE_TAPPED ||
				cs->capture[i].state == FCN_CAPTURE_CLOSING)
			return false;
	}
	return true;
}

/* Wait for a short time or until a capture changes; the lock is held. */
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
	sigaddset(&set, SIGPIPE); /* write() then fails with EPIPE */
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_mutex_lock(&cs->lock);
	while (!cs->ending) {
		if (is_idle(cs))
			pthread_cond_wait(&cs->changed, &cs->lock);
		else if (!fcn_captures_write_turn(cs))
			doze(cs);
	}
	pthread_mutex_unlock(&cs->lock);
	return NULL;
}

int
fcn_captures_need_thread(struct fcn_captures *cs)
{
	int rc = 0;

	if (cs->threaded && !cs->has_thread)
		rc = pthread_create(&cs->thread, NULL, writer_main, cs);
	cs->has_thread = cs->threaded && rc == 0;
	return -rc;
}

struct awaited {
	struct fcn_captures *cs;
	const struct fcn_captured *c;
};

static void
await_end(void *arg)
{
	const struct awaited *a = arg;
	const struct fcn_captured *c = a->c;
	struct fcn_captures *cs = a->cs;

	pthread_mutex_lock(&cs->lock);
	while (c->state == FCN_CAPTURE_CLOSING) {
		if (cs->has_thread)
			pthread_cond_wait(&cs->changed, &cs->lock);
		else
			fcn_captures_write_turn(cs);
	}
	pthread_mutex_unlock(&cs->lock);
}

void
fcn_captures_await_end(struct fcn_captures *cs, const struct fcn_captured *c)
{
	struct awaited a = {cs, c};

	/* The reader of a pipe, or a disk, may take seconds. */
	fcn_control_aside(cs->ctl, await_end, &a);
}
