/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "helper.h"

#define SHORT_NS 50000

struct fcn_helper {
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wanted;
	int done; /* eventfd */
	bool ending;
	void (*work)(void *arg); /* function to run; NULL: there is no work */
	void *arg;
};

static void *
helper_main(void *arg)
{
	struct fcn_helper *h = arg;
	const uint64_t one = 1;

	pthread_mutex_lock(&h->lock);
	for (;;) {
		while (h->work == NULL && !h->ending)
			pthread_cond_wait(&h->wanted, &h->lock);
		if (h->work == NULL)
			break;
		pthread_mutex_unlock(&h->lock);
		h->work(h->arg);
		pthread_mutex_lock(&h->lock);
		h->work = NULL;
		while (write(h->done, &one, sizeof(one)) < 0 && errno == EINTR)
			continue;
	}
	pthread_mutex_unlock(&h->lock);
	return NULL;
}

struct fcn_helper *
fcn_helper_create(void)
{
	struct fcn_helper *h = calloc(1, sizeof(*h));
	int rc = 0;

	if (h == NULL)
		return NULL;
	pthread_mutex_init(&h->lock, NULL);
	pthread_cond_init(&h->wanted, NULL);
	h->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (h->done < 0)
		rc = errno;
	if (rc == 0)
		rc = pthread_create(&h->thread, NULL, helper_main, h);
	if (rc == 0)
		return h;
	if (h->done >= 0)
		close(h->done);
	pthread_cond_destroy(&h->wanted);
	pthread_mutex_destroy(&h->lock);
	free(h);
	errno = rc;
	return NULL;
}

void
fcn_helper_free(struct fcn_helper *h)
{
	if (h == NULL)
		return;
	pthread_mutex_lock(&h->lock);
	h->ending = true;
	pthread_cond_signal(&h->wanted);
	pthread_mutex_unlock(&h->lock);
	pthread_join(h->thread, NULL);
	close(h->done);
	pthread_cond_destroy(&h->wanted);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

/* Wait until the work is done, at most until this time. @return whether it is done */
static bool
is_done_by(struct fcn_helper *h, const struct timespec *time)
{
	struct pollfd pfd = {.fd = h->done, .events = POLLIN};
	uint64_t n;

	ppoll(&pfd, 1, time, NULL);
	return read(h->done, &n, sizeof(n)) == sizeof(n);
}

void
fcn_helper_run(struct fcn_helper *h, void (*work)(void *arg), void *arg,
		int (*meanwhile)(void *arg), void *meanwhile_arg)
{
	struct timespec time = {.tv_nsec = SHORT_NS};

	pthread_mutex_lock(&h->lock);
	h->arg = arg;
	h->work = work;
	pthread_cond_signal(&h->wanted);
	pthread_mutex_unlock(&h->lock);
	while (!is_done_by(h, &time)) {
		int ms = meanwhile(meanwhile_arg);

		time = (struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
	}
}
