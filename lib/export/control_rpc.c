/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
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

#include "control_rpc.h"

#define MOST_WAITING 16

/* Belongs to who asked, and once taken to the control thread, too: the last one frees it. */
struct request {
	TAILQ_ENTRY(request) next;
	fcn_desk_answer answer;
	void *arg;
	void (*free_answer)(void *);
	void *result;
	bool done;
	bool abandoned;                           /* nobody waits any more */
	_Alignas(max_align_t) uint8_t question[]; /* of any type */
};

struct fcn_desk {
	pthread_mutex_t lock;
	pthread_cond_t answered;
	TAILQ_HEAD(, request) waiting; /* not taken yet */
	unsigned int n;                /* asked and not answered */
	unsigned int references;
	bool closed;
	int fd;
};

struct fcn_desk *
fcn_desk_create(void)
{
	struct fcn_desk *desk = calloc(1, sizeof(*desk));
	pthread_condattr_t attr;

	if (desk == NULL)
		return NULL;
	desk->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (desk->fd < 0) {
		free(desk);
		return NULL;
	}
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&desk->answered, &attr);
	pthread_condattr_destroy(&attr);
	pthread_mutex_init(&desk->lock, NULL);
	TAILQ_INIT(&desk->waiting);
	desk->references = 1;
	return desk;
}

struct fcn_desk *
fcn_desk_ref(struct fcn_desk *desk)
{
	__atomic_fetch_add(&desk->references, 1, __ATOMIC_RELAXED);
	return desk;
}

void
fcn_desk_unref(struct fcn_desk *desk)
{
	if (desk == NULL || __atomic_sub_fetch(&desk->references, 1, __ATOMIC_ACQ_REL) > 0)
		return;
	close(desk->fd);
	pthread_cond_destroy(&desk->answered);
	pthread_mutex_destroy(&desk->lock);
	free(desk);
}

int
fcn_desk_fd(const struct fcn_desk *desk)
{
	return desk->fd;
}

/* The desk is locked. */
static struct request *
take(struct fcn_desk *desk)
{
	struct request *r = TAILQ_FIRST(&desk->waiting);

	if (r != NULL)
		TAILQ_REMOVE(&desk->waiting, r, next);
	return r;
}

void
fcn_desk_serve(struct fcn_desk *desk)
{
	struct request *r;
	uint64_t unused;

	if (read(desk->fd, &unused, sizeof(unused)) < 0)
		return; /* nobody rang */
	pthread_mutex_lock(&desk->lock);
	while ((r = take(desk)) != NULL) {
		void *result;

		pthread_mutex_unlock(&desk->lock);
		result = r->answer(r->arg, r->question);
		pthread_mutex_lock(&desk->lock);
		desk->n--;
		if (r->abandoned) {
			if (result != NULL)
				r->free_answer(result);
			free(r);
			continue;
		}
		r->result = result;
		r->done = true;
		pthread_cond_broadcast(&desk->answered);
	}
	pthread_mutex_unlock(&desk->lock);
}

void
fcn_desk_close(struct fcn_desk *desk)
{
	struct request *r;

	pthread_mutex_lock(&desk->lock);
	desk->closed = true;
	while ((r = take(desk)) != NULL) {
		desk->n--;
		r->done = true;
	}
	pthread_cond_broadcast(&desk->answered);
	pthread_mutex_unlock(&desk->lock);
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

/* Hand it in; false when there is no use. */
static bool
hand_in(struct fcn_desk *desk, struct request *r)
{
	const uint64_t one = 1;

	if (desk->closed || desk->n >= MOST_WAITING)
		return false;
	desk->n++;
	TAILQ_INSERT_TAIL(&desk->waiting, r, next);
	/* It can only fail when the count is full: then it is readable all the same. */
	return write(desk->fd, &one, sizeof(one)) > 0 || true;
}

/* Until it is answered, or time is up: then whoever has it next frees it. */
static void *
wait_for(struct fcn_desk *desk, struct request *r, const struct timespec *end)
{
	struct request *other;
	void *result;
	int rc = 0;

	while (!r->done && rc == 0)
		rc = pthread_cond_timedwait(&desk->answered, &desk->lock, end);
	if (!r->done) {
		TAILQ_FOREACH (other, &desk->waiting, next) {
			if (other == r)
				break;
		}
		if (other == NULL) {
			r->abandoned = true; /* it is being answered right now */
			return NULL;
		}
		TAILQ_REMOVE(&desk->waiting, r, next);
		desk->n--;
	}
	result = r->result;
	free(r);
	return result;
}

void *
fcn_desk_ask(struct fcn_desk *desk, fcn_desk_answer answer, void *arg, const void *question,
		size_t len, void (*free_answer)(void *), unsigned int timeout_ms)
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
	pthread_mutex_lock(&desk->lock);
	if (hand_in(desk, r))
		result = wait_for(desk, r, &end);
	else
		free(r);
	pthread_mutex_unlock(&desk->lock);
	return result;
}
