/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Calls of functions on another thread. */

#include <poll.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "control_rpc.h"
#include "fcn_test.h"

#define LONG 5000 /* milliseconds; no test waits for as long */

struct client {
	struct fcn_control_rpc *rpc;
	pthread_t thread;
	unsigned int timeout_ms;
	int question;
	int *answer;
};

static struct fcn_control_rpc *rpc;
static pthread_t control;
static unsigned int answered, thrown_away;
static unsigned int slow_ms;

static void
sleep_ms(unsigned int ms)
{
	const struct timespec ts = {ms / 1000, ms % 1000 * 1000000L};

	nanosleep(&ts, NULL);
}

/* The square of what is asked; on the thread that serves. */
static void *
square(void *arg, const void *question)
{
	int *answer = malloc(sizeof(*answer)), n = *(const int *)question;

	assert_ptr_equal(arg, &answered);
	assert_true(pthread_equal(pthread_self(), control));
	sleep_ms(slow_ms);
	answered++;
	*answer = n * n;
	return answer;
}

static void
throw_away(void *answer)
{
	thrown_away++;
	free(answer);
}

static void *
ask(void *arg)
{
	struct client *c = arg;

	c->answer = fcn_control_rpc_call(c->rpc, square, &answered, &c->question,
			sizeof(c->question), throw_away, c->timeout_ms);
	return NULL;
}

static void
start(struct client *c, int question, unsigned int timeout_ms)
{
	*c = (struct client){.rpc = rpc, .question = question, .timeout_ms = timeout_ms};
	assert_int_equal(pthread_create(&c->thread, NULL, ask, c), 0);
}

static uint64_t
now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* A client that gets nothing, without waiting for it. */
static void
assert_turned_away(void)
{
	uint64_t begin = now_ms();
	struct client c;

	start(&c, 1, LONG);
	pthread_join(c.thread, NULL);
	assert_null(c.answer);
	assert_in_range(now_ms() - begin, 0, LONG / 2);
}

static bool
is_readable(int timeout_ms)
{
	struct pollfd pfd = {.fd = fcn_control_rpc_fd(rpc), .events = POLLIN};

	return poll(&pfd, 1, timeout_ms) == 1;
}

static int
setup(void **state)
{
	RTE_SET_USED(state);
	control = pthread_self();
	answered = thrown_away = slow_ms = 0;
	rpc = fcn_control_rpc_create();
	return rpc == NULL ? -1 : 0;
}

static int
teardown(void **state)
{
	RTE_SET_USED(state);
	fcn_control_rpc_unref(rpc);
	return 0;
}

TEST_FIXTURE(.setup = setup, .teardown = teardown);

TEST(answers)
{
	struct client c[8];

	assert_false(is_readable(0));
	fcn_control_rpc_serve(rpc); /* nobody there */
	for (int i = 0; i < 8; i++)
		start(&c[i], i, LONG);
	while (answered < 8) {
		assert_true(is_readable(LONG));
		fcn_control_rpc_serve(rpc);
	}
	for (int i = 0; i < 8; i++) {
		pthread_join(c[i].thread, NULL);
		assert_int_equal(*c[i].answer, i * i);
		free(c[i].answer);
	}
	fcn_control_rpc_serve(rpc); /* it may have been rung for one that was answered already */
	assert_false(is_readable(0));
	assert_int_equal(thrown_away, 0);
}

/* Nobody serves: the client goes, and its question with it. */
TEST(nobody_serves)
{
	struct client c;

	start(&c, 3, 20);
	pthread_join(c.thread, NULL);
	assert_null(c.answer);
	fcn_control_rpc_serve(rpc);
	assert_int_equal(answered, 0);
}

/* An answer that comes too late is thrown away, and the next client gets its own. */
TEST(late)
{
	struct client c;

	slow_ms = 200;
	start(&c, 3, 50);
	assert_true(is_readable(LONG));
	fcn_control_rpc_serve(rpc);
	pthread_join(c.thread, NULL);
	assert_null(c.answer);
	assert_int_equal(answered, 1);
	assert_int_equal(thrown_away, 1);
	slow_ms = 0;
	start(&c, 4, LONG);
	assert_true(is_readable(LONG));
	fcn_control_rpc_serve(rpc);
	pthread_join(c.thread, NULL);
	assert_int_equal(*c.answer, 16);
	free(c.answer);
}

/* 16 may wait; one more is turned away at once. */
TEST(too_many)
{
	struct client c[16], more;

	for (int i = 0; i < 16; i++)
		start(&c[i], i, 1000);
	sleep_ms(300);
	assert_turned_away();
	for (int i = 0; i < 16; i++) {
		pthread_join(c[i].thread, NULL);
		assert_null(c[i].answer);
	}
	/* and those who went make room */
	start(&more, 5, LONG);
	while (answered == 0) {
		assert_true(is_readable(LONG));
		fcn_control_rpc_serve(rpc);
	}
	pthread_join(more.thread, NULL);
	assert_int_equal(*more.answer, 25);
	free(more.answer);
}

TEST(closed)
{
	struct client waits;

	start(&waits, 1, LONG);
	assert_true(is_readable(LONG));
	fcn_control_rpc_close(rpc);
	pthread_join(waits.thread, NULL);
	assert_null(waits.answer);
	assert_turned_away();
	fcn_control_rpc_serve(rpc);
	assert_int_equal(answered, 0);
}
