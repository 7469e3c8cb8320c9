/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <time.h>
#include <unistd.h>

#include <rte_common.h>

#include "control_rpc.h"

#define MOST_WAITING 16

/* A call. The caller frees it, or the control thread when the caller has stopped waiting. */
struct request {
	TAILQ_ENTRY(request) next;
	fcn_control_rpc_handler answer;
	void *arg;
	void (*free_answer)(void *);
	void *result;
	bool done;
	bool abandoned;                           /* the caller stopped waiting */
	_Alignas(max_align_t) uint8_t question[]; /* of any type */
};

struct fcn_control_rpc {
	pthread_mutex_t lock;
	pthread_cond_t answered;
	TAILQ_HEAD(, request) waiting; /* calls that the control thread has not begun */
	unsigned int n;                /* calls without an answer, also one that runs */
	unsigned int references;
	bool closed;
	int fd;
};

struct fcn_control_rpc *
fcn_control_rpc_create(void)
{
	struct fcn_control_rpc *rpc = calloc(1, sizeof(*rpc));
	pthread_condattr_t attr;

	if (rpc == NULL)
		return NULL;
	rpc->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (rpc->fd < 0) {
		free(rpc);
		return NULL;
	}
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&rpc->answered, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_init(&rpc->lock, NULL);
	TAILQ_INIT(&rpc->waiting);
	rpc->references = 1;
	return rpc;
}

struct fcn_control_rpc *
fcn_control_rpc_ref(struct fcn_control_rpc *rpc)
{
	__atomic_fetch_add(&rpc->references, 1, __ATOMIC_RELAXED);
	return rpc;
}

void
fcn_control_rpc_unref(struct fcn_control_rpc *rpc)
{
	if (rpc == NULL || __atomic_sub_fetch(&rpc->references, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	close(rpc->fd);
	pthread_cond_destroy(&rpc->answered);
	pthread_mutex_destroy(&rpc->lock);
	free(rpc);
}

int
fcn_control_rpc_fd(const struct fcn_control_rpc *rpc)
{
	return rpc->fd;
}

/* Take the first call that waits; the caller holds the lock. */
static struct request *
take(struct fcn_control_rpc *rpc)
{
	struct request *r = TAILQ_FIRST(&rpc->waiting);

	if (r != NULL)
		TAILQ_REMOVE(&rpc->waiting, r, next);
	return r;
}

void
fcn_control_rpc_serve(struct fcn_control_rpc *rpc)
{
	struct request *r;
	uint64_t unused;

	if (read(rpc->fd, &unused, sizeof(unused)) < 0)
		return; /* no call was added since the last time */
	pthread_mutex_lock(&rpc->lock);
	while ((r = take(rpc)) != NULL) {
		void *result;

		pthread_mutex_unlock(&rpc->lock);
		result = r->answer(r->arg, r->question);
		pthread_mutex_lock(&rpc->lock);
		rpc->n--;
		if (r->abandoned) {
			if (result != NULL)
				r->free_answer(result);
			free(r);
			continue;
		}
		r->result = result;
		r->done = true;
		pthread_cond_broadcast(&rpc->answered);
	}
	pthread_mutex_unlock(&rpc->lock);
}

void
fcn_control_rpc_close(struct fcn_control_rpc *rpc)
{
	struct request *r;

	pthread_mutex_lock(&rpc->lock);
	rpc->closed = true;
	while ((r = take(rpc)) != NULL) {
		rpc->n--;
		r->done = true;
	}
	pthread_cond_broadcast(&rpc->answered);
	pthread_mutex_unlock(&rpc->lock);
}

static struct timespec
time_in(unsigned int ms)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	ts.tv_sec += ms / 1000;
	ts.tv_nsec += ms % 1000 * 1000000L;
	if (ts.tv_nsec >= 1000000000L) {
		ts.tv_sec++;
		ts.tv_nsec -= 1000000000L;
	}
	return ts;
}

/* Queue a call and wake the control thread; the caller holds the lock. @return false when it is
 * refused */
static bool
enqueue(struct fcn_control_rpc *rpc, struct request *r)
{
	const uint64_t one = 1;
	ssize_t woken;

	if (rpc->closed || rpc->n >= MOST_WAITING)
		return false;
	rpc->n++;
	TAILQ_INSERT_TAIL(&rpc->waiting, r, next);
	/* A write fails only when the counter is full, and then the descriptor is readable anyway.
	 */
	woken = write(rpc->fd, &one, sizeof(one));
	RTE_SET_USED(woken);
	return true;
}

/*
 * Wait until the call is answered or the time is over; the caller holds the lock. A call that the
 * control thread is running when the time is over is freed by that thread.
 */
static void *
wait_for(struct fcn_control_rpc *rpc, struct request *r, const struct timespec *end)
{
	struct request *other;
	void *result;
	int rc = 0;

	while (!r->done && rc == 0)
		rc = pthread_cond_timedwait(&rpc->answered, &rpc->lock, end);
	if (!r->done) {
		TAILQ_FOREACH (other, &rpc->waiting, next) {
			if (other == r)
				break;
		}
		if (other == NULL) {
			r->abandoned = true; /* the control thread is running it */
			return NULL;
		}
		TAILQ_REMOVE(&rpc->waiting, r, next);
		rpc->n--;
	}
	result = r->result;
	free(r);
	return result;
}

void *
fcn_control_rpc_call(struct fcn_control_rpc *rpc, fcn_control_rpc_handler answer, void *arg,
		const void *question, size_t len, void (*free_answer)(void *),
		unsigned int timeout_ms)
{
	struct request *r = calloc(1, sizeof(*r) + len);
	struct timespec end = time_in(timeout_ms);
	void *result = NULL;

	if (r == NULL)
		return NULL;
	r->answer = answer;
	r->arg = arg;
	r->free_answer = free_answer;
	if (len > 0)
		memcpy(r->question, question, len);
	pthread_mutex_lock(&rpc->lock);
	if (enqueue(rpc, r))
		result = wait_for(rpc, r, &end);
	else
		free(r);
	pthread_mutex_unlock(&rpc->lock);
	return result;
}
