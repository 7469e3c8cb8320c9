/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "stop_signal.h"

/* Time, ns, in which the control thread has to begin to end the program. */
#define BEGIN_NS 700000000l
/* Time, seconds, that a step of the end may take. */
#define STEP_S 2

struct fcn_stop {
	pthread_t thread;
	sigset_t signals;
	int event;            /* eventfd: a signal has come */
	bool in_order;        /* atomic */
	bool wanted;          /* atomic */
	unsigned int steps;   /* atomic: number of calls of fcn_stop_step() */
	struct termios modes; /* of the terminal, before the console changed them */
	bool terminal;        /* standard input is a terminal */
};

/* Write why the program ends, unless nobody reads standard error. */
static void
explain(const char *text)
{
	struct pollfd pfd = {.fd = STDERR_FILENO, .events = POLLOUT};

	if (poll(&pfd, 1, 0) > 0 && write(STDERR_FILENO, text, strlen(text)) < 0)
		return;
}

/* End the program by the default action of the signal, so that the parent process sees it. */
static void
end_at_once(const struct fcn_stop *stop, int number)
{
	sigset_t set;

	if (stop->terminal)
		tcsetattr(STDIN_FILENO, TCSANOW, &stop->modes);
	sigemptyset(&set);
	sigaddset(&set, number);
	signal(number, SIG_DFL);
	raise(number);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	_exit(128 + number); /* not reached */
}

static int
receive(struct fcn_stop *stop)
{
	int number;

	while (sigwait(&stop->signals, &number) != 0)
		continue;
	return number;
}

/* Wait for another signal. @return its number, or -1 when the time is over */
static int
receive_within(struct fcn_stop *stop, const struct timespec *time)
{
	int number;

	do
		number = sigtimedwait(&stop->signals, NULL, time);
	while (number < 0 && errno == EINTR);
	return number;
}

static void *
stop_main(void *arg)
{
	const struct timespec begin = {.tv_nsec = BEGIN_NS}, step = {.tv_sec = STEP_S};
	struct fcn_stop *stop = arg;
	const uint64_t one = 1;
	unsigned int seen, steps;
	int first = receive(stop), next;

	if (!__atomic_load_n(&stop->in_order, __ATOMIC_ACQUIRE))
		end_at_once(stop, first);
	seen = __atomic_load_n(&stop->steps, __ATOMIC_ACQUIRE);
	__atomic_store_n(&stop->wanted, true, __ATOMIC_RELEASE);
	while (write(stop->event, &one, sizeof(one)) < 0 && errno == EINTR)
		continue;
	next = receive_within(stop, &begin);
	for (; next < 0; seen = steps) {
		steps = __atomic_load_n(&stop->steps, __ATOMIC_ACQUIRE);
		if (steps == seen) {
			explain("fastcn: ended at once, as it could not be ended in order\n");
			end_at_once(stop, first);
		}
		next = receive_within(stop, &step);
	}
	explain("fastcn: ended at once by a second signal\n");
	end_at_once(stop, next);
	return NULL;
}

struct fcn_stop *
fcn_stop_create(void)
{
	struct fcn_stop *stop = calloc(1, sizeof(*stop));
	int rc;

	if (stop == NULL)
		return NULL;
	sigemptyset(&stop->signals);
	sigaddset(&stop->signals, SIGINT);
	sigaddset(&stop->signals, SIGTERM);
	stop->terminal = tcgetattr(STDIN_FILENO, &stop->modes) == 0;
	stop->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rc = stop->event < 0 ? errno : pthread_sigmask(SIG_BLOCK, &stop->signals, NULL);
	if (rc == 0)
		rc = pthread_create(&stop->thread, NULL, stop_main, stop);
	if (rc == 0)
		return stop;
	if (stop->event >= 0)
		close(stop->event);
	free(stop);
	errno = rc;
	return NULL;
}

void
fcn_stop_in_order(struct fcn_stop *stop)
{
	__atomic_store_n(&stop->in_order, true, __ATOMIC_RELEASE);
}

int
fcn_stop_fd(const struct fcn_stop *stop)
{
	return stop->event;
}

bool
fcn_stop_wanted(const struct fcn_stop *stop)
{
	return __atomic_load_n(&stop->wanted, __ATOMIC_ACQUIRE);
}

void
fcn_stop_step(struct fcn_stop *stop)
{
	if (stop != NULL)
		__atomic_add_fetch(&stop->steps, 1, __ATOMIC_RELEASE);
}

void
fcn_stop_free(struct fcn_stop *stop)
{
	if (stop == NULL)
		return;
	pthread_cancel(stop->thread);
	pthread_join(stop->thread, NULL);
	close(stop->event);
	free(stop);
}
