/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 The fastcn authors
 */

/* Work beside a thread that goes on. */

#include <poll.h>
#include <stdlib.h>
#include <time.h>

#include "fcn_test.h"
#include "helper.h"

static int called, most;

/* Held up until the other thread was there so often. */
static void
slow(void *arg)
{
	int *rounds = arg;

	while (__atomic_load_n(&called, __ATOMIC_ACQUIRE) < most)
		poll(NULL, 0, 1);
	++*rounds;
}

static void
fast(void *arg)
{
	++*(int *)arg;
}

static int
meanwhile(void *arg)
{
	assert_ptr_equal(arg, &called);
	__atomic_add_fetch(&called, 1, __ATOMIC_RELEASE);
	return 1;
}

TEST(slow)
{
	struct fcn_helper *h = fcn_helper_create();
	int rounds = 0;

	assert_non_null(h);
	for (most = 0; most < 10; most++) {
		called = 0;
		fcn_helper_run(h, slow, &rounds, meanwhile, &called);
		assert_int_equal(rounds, most + 1);
		assert_true(called >= most);
	}
	fcn_helper_free(h);
	fcn_helper_free(NULL);
}

TEST(many)
{
	struct fcn_helper *h = fcn_helper_create();
	int n = 0;

	assert_non_null(h);
	for (int i = 0; i < 10000; i++) {
		fcn_helper_run(h, fast, &n, meanwhile, &called);
		assert_int_equal(n, i + 1);
	}
	fcn_helper_free(h);
}
