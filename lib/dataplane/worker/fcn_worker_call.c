/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mailbox.h"
#include "spin.h"

/* Looks in succession that have to find a stalled worker turning: from the third on, a whole turn
 * has passed since the first. */
#define RECOVERED_TURNS 3

void
fcn_wait_begin(struct fcn_wait *wait, const struct fcn_patience *patience)
{
	*wait = (struct fcn_wait){.patience = patience};
}

/* Add the time since the last look to a sum, as far as it counts. */
static void
add_time(const struct fcn_patience *patience, uint64_t *last_ns, uint64_t *waited_ns)
{
	const uint64_t now = patience->now(patience->arg);

	if (*last_ns != 0 && now > *last_ns)
		*waited_ns += RTE_MIN(now - *last_ns, FCN_PATIENCE_STEP_NS);
	*last_ns = now;
}

bool
fcn_wait_is_over(struct fcn_wait *wait)
{
	fcn_spin_wait(&wait->spins);
	/* A short wait, which is the rule, reads no clock. */
	if (wait->patience == NULL || wait->spins < FCN_SPINS)
		return false;
	add_time(wait->patience, &wait->last_ns, &wait->waited_ns);
	return wait->waited_ns >= FCN_WORKER_PATIENCE_NS;
}

bool
fcn_worker_is_stalled(const struct fcn_worker *w)
{
	return w->watch.stalled;
}

void
fcn_worker_set_stalled(struct fcn_worker *w)
{
	struct fcn_worker_watch *watch = &w->watch;

	if (watch->stalled)
		return;
	watch->stalled = true;
	watch->stalls++;
	watch->turns = 0;
	watch->seen = __atomic_load_n(&w->now, __ATOMIC_RELAXED);
}

/* Get memory for a call. @return NULL when memory is exhausted */
static struct fcn_mail *
make_mail(struct fcn_worker_watch *watch, size_t size)
{
	struct fcn_mail *mail;

	if (watch->mail != NULL && watch->room >= size)
		return watch->mail;
	mail = malloc(sizeof(*mail) + size);
	if (mail == NULL)
		return NULL;
	free(watch->mail);
	watch->mail = mail;
	watch->room = size;
	return mail;
}

/* Wait until the worker has made a call. @return whether it has */
static bool
is_done(struct fcn_worker *w, const struct fcn_patience *patience)
{
	struct fcn_wait wait;

	fcn_wait_begin(&wait, patience);
	while (__atomic_load_n(&w->mail, __ATOMIC_ACQUIRE) != NULL) {
		if (fcn_wait_is_over(&wait))
			return false;
	}
	return true;
}

/* Take back a call that the worker has not made in time. @return as fcn_worker_call() */
static int
take_back(struct fcn_worker *w)
{
	struct fcn_worker_watch *watch = &w->watch;
	struct fcn_mail *mail = watch->mail;

	if (__atomic_compare_exchange_n(
			    &w->mail, &mail, NULL, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE)) {
		fcn_worker_set_stalled(w);
		return -EAGAIN;
	}
	if (mail == NULL) /* it has made the call at the last moment */
		return 0;
	fcn_worker_set_stalled(w);
	watch->left = watch->mail;
	watch->mail = NULL;
	return -EINPROGRESS;
}

static int
call(struct fcn_worker *w, void (*fn)(struct fcn_worker *w, void *arg), void *arg, size_t size,
		const struct fcn_patience *patience)
{
	struct fcn_worker_watch *watch = &w->watch;
	struct fcn_mail *mail;
	int rc = 0;

	if (!w->threaded) {
		fn(w, arg);
		return 0;
	}
	mail = make_mail(watch, size);
	if (mail == NULL)
		return -ENOMEM;
	mail->fn = fn;
	if (size > 0)
		memcpy(mail->arg, arg, size);
	__atomic_store_n(&w->mail, mail, __ATOMIC_RELEASE);
	if (!is_done(w, patience))
		rc = take_back(w);
	if (rc == 0 && size > 0)
		memcpy(arg, mail->arg, size);
	return rc;
}

int
fcn_worker_call(struct fcn_worker *w, void (*fn)(struct fcn_worker *w, void *arg), void *arg,
		size_t size)
{
	return w->watch.stalled ? -EAGAIN : call(w, fn, arg, size, w->watch.patience);
}

void
fcn_worker_call_patiently(struct fcn_worker *w, void (*fn)(struct fcn_worker *w, void *arg),
		void *arg, size_t size)
{
	/* A worker that stalled in another call makes that one first. */
	if (w->threaded)
		is_done(w, NULL);
	while (call(w, fn, arg, size, NULL) != 0)
		sched_yield(); /* until there is memory */
}

void
fcn_worker_read(struct fcn_worker *w, void (*fn)(struct fcn_worker *w, void *arg), void *arg,
		size_t size)
{
	if (fcn_worker_call(w, fn, arg, size) != 0)
		fn(w, arg);
}

/* Look at a stalled worker. */
static enum fcn_worker_look
look_at_stalled(struct fcn_worker *w, bool turned)
{
	struct fcn_worker_watch *watch = &w->watch;

	watch->turns = turned ? watch->turns + 1 : 0;
	if (watch->turns == 0)
		return FCN_WORKER_STALLED;
	if (watch->turns < RECOVERED_TURNS || __atomic_load_n(&w->mail, __ATOMIC_ACQUIRE) != NULL)
		return FCN_WORKER_WAKES;
	free(watch->left);
	watch->left = NULL;
	watch->stalled = false;
	return FCN_WORKER_RECOVERED;
}

enum fcn_worker_look
fcn_worker_look(struct fcn_worker *w)
{
	const uint64_t now = __atomic_load_n(&w->now, __ATOMIC_RELAXED);
	struct fcn_worker_watch *watch = &w->watch;
	const bool turned = now != watch->seen;

	if (watch->patience == NULL || !w->threaded)
		return FCN_WORKER_TURNS;
	watch->seen = now;
	add_time(watch->patience, &watch->last_ns, &watch->waited_ns);
	if (turned)
		watch->waited_ns = 0;
	if (watch->stalled)
		return look_at_stalled(w, turned);
	if (watch->waited_ns < FCN_WORKER_PATIENCE_NS)
		return FCN_WORKER_TURNS;
	fcn_worker_set_stalled(w);
	return FCN_WORKER_STALLED;
}

void
fcn_worker_watch_fini(struct fcn_worker *w)
{
	w->threaded = false;
	free(w->watch.mail);
	free(w->watch.left);
	w->watch.mail = w->watch.left = NULL;
}
